# SPDX-License-Identifier: BSD-3-Clause
"""A process that has used the library's threads can fork, and its children can use them too."""

import multiprocessing

import conftest
import krica
import numpy as np


def fitted(_):
    samples, _ = conftest.clouds()
    return krica.RICA(n_components=8, random_state=0, n_jobs=2).fit(samples).transform(samples)


def test_children_compute_after_their_parent_did():
    before = fitted(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map_async(fitted, range(4)).get(timeout=120)
    for result in [*results, fitted(0)]:
        np.testing.assert_array_equal(result, before)
