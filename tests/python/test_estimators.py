# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of samples, as scikit-learn wants them."""

import pickle

import krica
import numpy as np
import pytest
from conftest import SAMPLE_ESTIMATORS, clouds, small
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator


@pytest.mark.parametrize("name", SAMPLE_ESTIMATORS)
def test_scikit_learns_own_checks(name):
    check_estimator(getattr(krica, name)())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_type_and_shapes(sample_estimator, dtype):
    X, _ = clouds(dtype=dtype)
    codes = sample_estimator.fit_transform(X)
    assert codes.shape == (240, 6) and codes.dtype == dtype
    assert sample_estimator.components_.dtype == dtype and len(sample_estimator.components_) == 6
    assert sample_estimator.n_features_in_ == 6
    assert sample_estimator.n_iter_ == sample_estimator.history_["iteration"][-1] > 0
    assert sample_estimator.status_ in ("converged", "iteration-limit", "line-search-failed")
    assert list(sample_estimator.get_feature_names_out()[:2]) == [
        f"{type(sample_estimator).__name__.lower()}{i}" for i in (0, 1)
    ]


def test_pickled_through_the_models_bytes(sample_estimator):
    X, _ = clouds()
    sample_estimator.fit(X)
    data = pickle.dumps(sample_estimator)
    assert sample_estimator._model.to_bytes() in data
    np.testing.assert_array_equal(pickle.loads(data).transform(X), sample_estimator.transform(X))


def test_saved_and_loaded(sample_estimator, tmp_path):
    X, _ = clouds(dtype=np.float32)
    sample_estimator.fit(X).save(tmp_path / "model.krica")
    loaded = krica.load(tmp_path / "model.krica")
    assert type(loaded) is type(sample_estimator) and loaded.n_features_in_ == 6
    np.testing.assert_array_equal(loaded.transform(X), sample_estimator.transform(X))
    # The options that it comes with give the same atoms again.
    np.testing.assert_array_equal(clone(loaded).fit(X).components_, sample_estimator.components_)


def test_same_bits_for_any_threads_and_workers(sample_estimator):
    X, _ = clouds()
    alone = sample_estimator.set_params(n_jobs=1).fit_transform(X)
    np.testing.assert_array_equal(clone(sample_estimator).set_params(n_jobs=3).fit_transform(X), alone)
    for prefer in ("threads", "processes"):
        for codes in Parallel(n_jobs=2, prefer=prefer)(
            delayed(clone(sample_estimator).fit_transform)(X) for _ in range(2)
        ):
            np.testing.assert_array_equal(codes, alone)


def test_random_state():
    X, _ = clouds()
    by_number = small("RICA").fit(X).components_
    assert not np.array_equal(small("RICA").set_params(random_state=2).fit(X).components_, by_number)
    states = [small("RICA").set_params(random_state=np.random.RandomState(5)).fit(X).components_ for _ in range(2)]
    np.testing.assert_array_equal(*states)


def test_pipeline_and_grid_search():
    X, y = clouds()
    pipeline = make_pipeline(krica.KernelRICA(n_components=12, iterations=10), LogisticRegression())
    search = GridSearchCV(pipeline, {"kernelrica__gamma": [1e-6, 0.3], "kernelrica__sparsity": ["auto"]}, cv=2)
    search.fit(X, y)
    assert search.best_params_["kernelrica__gamma"] == 0.3 and search.best_score_ > 0.9


def test_column_transformer_and_set_output():
    pandas = pytest.importorskip("pandas")
    X, _ = clouds()
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    parts = ColumnTransformer([("rica", small("RICA"), list("abc")), ("kmeans", small("KMeansFeatures"), list("def"))])
    codes = parts.set_output(transform="pandas").fit_transform(frame)
    assert list(codes.columns[[0, 6]]) == ["rica__rica0", "kmeans__kmeansfeatures0"]
    learned = small("RICA").set_output(transform="pandas").fit(frame)
    assert list(learned.feature_names_in_) == list("abcdef")
    assert learned.transform(frame).index.equals(frame.index)


@pytest.mark.parametrize("name", ["RICA", "ICA", "SparseFiltering"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inverse_of_linear_codes(name, dtype):
    X, _ = clouds(dtype=dtype)
    X[:, 4] = 7  # a constant feature comes back as well
    estimator = small(name, encoder="kernel", kernel="linear").set_params(n_components=5)
    restored = estimator.inverse_transform(estimator.fit_transform(X))
    assert restored.dtype == dtype
    np.testing.assert_allclose(restored, X, atol=1e-4)


def test_no_inverse_of_other_codes():
    X, _ = clouds()
    assert hasattr(small("RICA"), "inverse_transform") and not hasattr(small("KSR"), "inverse_transform")
    with pytest.raises(AttributeError, match="encoder='linear'"):
        small("ICA", encoder="abs").fit(X).inverse_transform(X)


def test_discrimination_looks_at_labels():
    X, y = clouds()
    names = np.array(["ash", "beech", "cedar"])[y]
    plain = small("KernelRICA").fit(X)
    np.testing.assert_array_equal(small("KernelRICA").fit(X, names).components_, plain.components_)
    aware = small("KernelRICA", discrimination=0.5).fit(X, names)
    assert list(aware.classes_) == ["ash", "beech", "cedar"] and list(aware.atom_class_) == [0, 0, 1, 1, 2, 2]
    assert not np.array_equal(aware.components_, plain.components_)
    with pytest.raises(ValueError, match="needs labels"):
        small("KernelRICA", discrimination=0.5).fit(X)
    with pytest.raises(ValueError, match="multiple of the 3 classes"):
        small("KernelRICA", discrimination=0.5).set_params(n_components=4).fit(X, y)


def test_complete_rica_unmixes():
    random = np.random.default_rng(0)
    sources = random.laplace(size=(5000, 4))
    mixed = sources @ random.normal(size=(4, 4))
    options = dict(encoder="kernel", kernel="linear", whitening_epsilon=0.0)
    for estimator in (krica.RICA(4, sparsity=1.0, **options), krica.ICA(4, **options)):
        codes = estimator.fit_transform(mixed)
        together = np.abs(np.corrcoef(codes.T, sources.T)[:4, 4:])
        assert (together.max(axis=0) > 0.97).all() and sorted(together.argmax(axis=0)) == [0, 1, 2, 3]
