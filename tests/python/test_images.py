# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of images."""

import inspect
import pickle

import krica
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

FEW = {"n_components": 16, "patches": 1000, "stride": 2, "iterations": 5}


@pytest.fixture(scope="module")
def classifier(images):
    return krica.MaxMarginKRICA(**FEW, epochs=3, held_out=0.1).fit(images.data[:500], images.target[:500])


def test_every_option_of_the_command_line(command):
    options = set()
    for line in command("train", "--help-all").splitlines():
        words = line.split()
        if words and words[0].startswith("--"):
            options.add(words[0].strip(",")[2:].replace("-", "_"))
    # How data are opened and how a command speaks has no place in an estimator.
    options -= {"help", "format", "image_size", "image_size_rule", "channels", "labels", "test_fraction"}
    options -= {"label_column", "skip_bad", "no_exif_orientation", "control"}
    options -= {"quiet", "json", "config", "help_all", "report"}
    options -= {"recipe"}  # a function that gives parameters
    for estimator in (krica.PatchFeatures, krica.MaxMarginKRICA):
        assert options <= set(inspect.signature(estimator).parameters)


def test_probabilities(images, classifier):
    X = images.test_data[:200]
    p = classifier.predict_proba(X)
    assert p.shape == (200, 10) and p.dtype == np.float32
    np.testing.assert_allclose(p.sum(1), 1, atol=1e-5)
    np.testing.assert_array_equal(classifier.classes_[p.argmax(1)], classifier.predict(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(classifier)).predict_proba(X), p)
    two = images.target[:500] < 2
    pair = krica.MaxMarginKRICA(**FEW, method="random-patches").fit(images.data[:500][two], images.target[:500][two])
    assert pair.predict_proba(X).shape == (200, 2), "unlike decision_function"
    nothing_held_out = krica.MaxMarginKRICA(**FEW, epochs=1, held_out=0, refit=False).fit(images.data[:500], images.target[:500])
    with pytest.raises(ValueError, match="no calibrated probabilities"):
        nothing_held_out.predict_proba(X)


def test_features(images):
    features = krica.PatchFeatures(**FEW, method="krica")
    pooled = features.fit_transform(images.data[:200])
    assert pooled.shape == (200, 64) and pooled.dtype == np.float32
    assert features.image_shape_ == (28, 28, 1) and features.components_.shape == (16, 36)
    assert len(features.get_feature_names_out()) == 64
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(features)).transform(images.data[:200]), pooled)
    # Bytes and numbers of the same value are the same images, wherever they lie in memory.
    numbers = np.asfortranarray(images.data[:200].astype(np.float64))
    np.testing.assert_array_equal(features.transform(numbers), pooled)
    np.testing.assert_array_equal(features.transform(images.data[:200][..., None]), pooled)


def test_colours_are_planes(images):
    grey = images.data[:50]
    colour = np.stack([grey, grey[:, ::-1], 255 - grey], axis=3)
    features = krica.PatchFeatures(**FEW, method="random-patches").fit(colour)
    assert features.image_shape_ == (28, 28, 3) and features.components_.shape == (16, 108)
    pooled = features.transform(colour)
    # A feature does not know of the other images, and mirrored images have other features.
    np.testing.assert_array_equal(features.transform(colour[3:9]), pooled[3:9])
    assert not np.allclose(features.transform(colour[:, :, ::-1]), pooled)


def test_in_a_pipeline(images):
    pipeline = make_pipeline(
        krica.PatchFeatures(method="random-patches", n_components=30, patches=2000), LogisticRegression(max_iter=300)
    )
    assert cross_val_score(pipeline, images.data[:600], images.target[:600], cv=2).mean() > 0.6


def test_classifier(images, classifier):
    assert classifier.score(images.test_data, images.test_target) > 0.5
    assert len(classifier.held_out_accuracy_) == 3 and classifier.n_iter_ == 3
    scores = classifier.decision_function(images.test_data[:40])
    assert scores.shape == (40, 10)
    np.testing.assert_array_equal(classifier.predict(images.test_data[:40]), classifier.classes_[scores.argmax(1)])
    again = clone(classifier).fit(images.data[:500], images.target[:500])
    np.testing.assert_array_equal(again.decision_function(images.test_data[:40]), scores)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(classifier)).decision_function(images.test_data[:40]), scores
    )


def test_names_as_classes_and_two_of_them(images):
    two = images.target[:1000] < 2
    X, y = images.data[:1000][two], np.array(images.target_names)[images.target[:1000][two]]
    classifier = krica.MaxMarginKRICA(**FEW, method="random-patches", svm_c=0.05).fit(X, y)
    assert list(classifier.classes_) == ["T-shirt/top", "Trouser"]
    scores = classifier.decision_function(X)
    assert scores.shape == (len(X),)
    np.testing.assert_array_equal(classifier.predict(X), classifier.classes_[(scores > 0).astype(int)])
    assert classifier.score(X, y) > 0.9


def test_explained(images, classifier):
    X = images.test_data[:6]
    votes = classifier.explain(X)
    assert votes.shape == (6, 12, 12)
    # Positions' votes are the score less the bias, which is the same for all images.
    biases = classifier.decision_function(X)[:, 4] - classifier.explain(X, 4).sum((1, 2))
    np.testing.assert_allclose(biases, biases[0], atol=1e-3)
    np.testing.assert_array_equal(classifier.explain(X, classifier.predict(X)), votes)
    with pytest.raises(ValueError, match="unknown classes"):
        classifier.explain(X, 77)


def test_saved_and_loaded(images, classifier, tmp_path):
    classifier.save(tmp_path / "model.krica")
    loaded = krica.load(tmp_path / "model.krica")
    assert isinstance(loaded, krica.MaxMarginKRICA) and list(loaded.classes_) == list(range(10))
    np.testing.assert_array_equal(
        loaded.decision_function(images.test_data[:40]), classifier.decision_function(images.test_data[:40])
    )


def test_wrong_images(images, classifier):
    with pytest.raises(NotFittedError):
        krica.PatchFeatures().transform(images.data)
    with pytest.raises(ValueError, match=r"\(N, H, W\) or \(N, H, W, C\), got \(2000, 784\)"):
        krica.PatchFeatures().fit(images.data.reshape(2000, -1))
    with pytest.raises(ValueError, match="trained on images of 28 x 28 x 1, but these are images of 20 x 28 x 1"):
        classifier.predict(images.test_data[:, :20])
    with pytest.raises(ValueError, match="NaN"):
        krica.PatchFeatures().fit(np.full((5, 8, 8), np.nan))
    with pytest.raises(ValueError, match="3 labels for 500 images"):
        krica.MaxMarginKRICA().fit(images.data[:500], [0, 1, 2])
    with pytest.raises(ValueError, match="at least 2 classes"):
        krica.MaxMarginKRICA(**FEW).fit(images.data[:50], np.zeros(50, int))
    with pytest.raises(ValueError, match="unknown method 'deep'"):
        krica.PatchFeatures(method="deep").fit(images.data[:50])
    with pytest.raises(TypeError, match="colour"):
        krica.PatchFeatures(colour=True)
    with pytest.raises(ValueError, match="stride must be a whole number, got 1.5"):
        krica.PatchFeatures(stride=1.5).fit(images.data[:50])
    with pytest.raises(ValueError, match="memory must be a size such as 512M or 4G"):
        krica.PatchFeatures(memory="lots").fit(images.data[:50])
