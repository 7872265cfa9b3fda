# SPDX-License-Identifier: BSD-3-Clause
"""The device that estimators compute on, and recipes. A device with a large number stands for one that is missing."""

import krica
import numpy as np
import pytest

X = np.random.default_rng(0).laplace(size=(60, 5))


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"device": "gpu"}, "device must be cpu, cuda or cuda:N, got 'gpu'"),
        ({"precision": "fp16"}, "precision"),
        ({"device_memory": "lots"}, "device_memory must be"),
    ],
)
def test_bad_values(parameters, words):
    with pytest.raises(ValueError, match=words):
        krica.RICA(n_components=4, iterations=2, **parameters).fit(X)


def test_a_missing_device_is_named():
    with pytest.raises(RuntimeError, match=r"\[device\]|CUDA"):
        krica.RICA(n_components=4, iterations=2, device="cuda:1234").fit(X)


def test_precision_means_nothing_to_the_cpu():
    codes = [krica.RICA(n_components=4, iterations=5, precision=p).fit_transform(X) for p in ("float32", "bf16")]
    np.testing.assert_array_equal(*codes)


def test_a_recipe_is_a_set_of_parameters():
    parameters = krica.recipe("accurate")
    assert set(parameters) <= set(krica.MaxMarginKRICA().get_params())
    assert krica.MaxMarginKRICA(**parameters).n_components == 4000
    with pytest.raises(ValueError, match="accurate"):
        krica.recipe("acurate")
