# SPDX-License-Identifier: BSD-3-Clause
"""Dictionaries: what their codes say about samples, and the one that classifies."""

import krica
import numpy as np
import pytest
from sklearn.linear_model import orthogonal_mp_gram
from sklearn.utils.estimator_checks import check_estimator


def directions(rows=240, seed=0):
    """Three classes on one side of the origin, and their labels."""
    random = np.random.default_rng(seed)
    y = np.arange(rows) % 3
    return 4 * np.eye(6)[y] + random.normal(size=(rows, 6)), y


def test_scikit_learns_own_checks_of_the_classifier():
    check_estimator(krica.LCKSVD())


def test_ksvd_codes_are_pursuits_and_give_samples_back():
    X, _ = directions()
    learned = krica.KSVD(10, nonzeros=3, whitening="none", iterations=5).fit(X)
    codes = learned.transform(X)
    scale = np.linalg.norm(learned.inverse_transform(codes)) / np.linalg.norm(codes @ learned.components_)
    D = learned.components_.astype(float)
    wanted = orthogonal_mp_gram(D @ D.T, D @ X.T / scale, n_nonzero_coefs=3).T
    np.testing.assert_allclose(codes, wanted, atol=1e-4 * np.abs(wanted).max())
    assert np.linalg.norm(learned.inverse_transform(codes) - X) < 0.5 * np.linalg.norm(X)


def test_sparse_coding_gives_samples_back():
    X, _ = directions()
    learned = krica.SparseCoding(12, sparsity=0.01, unit_norm=False, iterations=10).fit(X)
    restored = learned.inverse_transform(learned.transform(X))
    assert np.linalg.norm(restored - X) < 0.1 * np.linalg.norm(X - X.mean(axis=0))


@pytest.mark.parametrize("parameters", [{}, {"lc_version": 1}, {"consistency": 0.0}])
def test_classifier(parameters, tmp_path):
    X, y = directions()
    names = np.array(["ash", "beech", "cedar"])[y]
    learned = krica.LCKSVD(9, nonzeros=2, **parameters).fit(X, names)
    fresh, labels = directions(seed=1)
    assert learned.score(fresh, np.array(["ash", "beech", "cedar"])[labels]) > 0.9
    probabilities = learned.predict_proba(fresh)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert (learned.classes_[probabilities.argmax(axis=1)] == learned.predict(fresh)).all()
    assert list(learned.atom_class_) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    learned.save(tmp_path / "model.krica")
    loaded = krica.load(tmp_path / "model.krica")
    assert type(loaded) is krica.LCKSVD and loaded.consistency == learned.consistency
    np.testing.assert_array_equal(loaded.predict(fresh), learned.predict(fresh))


def test_classifier_says_what_is_wrong():
    X, y = directions()
    with pytest.raises(ValueError, match="y is None"):
        krica.LCKSVD().fit(X, None)
    with pytest.raises(ValueError, match="lc-version must be 1 or 2, got 3"):
        krica.LCKSVD(lc_version=3).fit(X, y)
