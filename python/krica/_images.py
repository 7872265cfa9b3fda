# SPDX-License-Identifier: BSD-3-Clause
"""Estimators for images: an array (N, H, W) or (N, H, W, C), of bytes or numbers."""

import warnings

import numpy as np
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from ._base import ModelEstimator, model_options, seed_of, thread_count
from ._labels import classes_of, encoded_labels
from ._options import FORMER_NAMES, OPTIONS, SKLEARN_NAMES, with_parameters

_LIBRARY_NAMES = {library: name for name, library in SKLEARN_NAMES.items()}
_PARAMETERS = (
    *(_LIBRARY_NAMES.get(name, name) for name in OPTIONS), "n_jobs", "memory", "device", "precision", "device_memory",
    "checkpoint", "verbose", "callback", *FORMER_NAMES,
)  # fmt: skip


class ImageEstimator(ModelEstimator):
    """What features and classifier have in common."""

    def _options(self):
        options = model_options(self, SKLEARN_NAMES)
        return {**options, "components": self._given("components"), "seed": seed_of(self._given("seed"))}

    def _threads(self):
        if self.threads == "deprecated":
            return thread_count(self.n_jobs)
        return self._given("threads")

    def _given(self, former):
        """The value under its new name, or under the former one with a warning."""
        value = getattr(self, former)
        if isinstance(value, str) and value == "deprecated":
            return getattr(self, FORMER_NAMES[former])
        warnings.warn(f"{former} is now called {FORMER_NAMES[former]}", FutureWarning, stacklevel=5)
        return value

    def _validated(self, X):
        """X as bytes or float32, C-contiguous; not copied where it is that."""
        X = check_array(X, dtype="numeric", ensure_2d=False, allow_nd=True)
        samples = hasattr(self, "_model") and self._model.shape[:2] == (1, 1)
        if X.ndim not in ((2,) if samples else (3, 4)):
            expected = "(m, n)" if samples else "(N, H, W) or (N, H, W, C)"
            raise ValueError(f"Expected an array of shape {expected}, got {X.shape}")
        kind = np.uint8 if X.dtype == np.uint8 else np.float32
        with np.errstate(over="ignore"):
            return X.astype(kind, order="C", copy=False)

    def _encoded(self, X, y):
        """The labels as numbers, and what they are called."""
        self.classes_, *encoded = encoded_labels(X, y, "images")
        return encoded

    def _keep(self, model):
        super()._keep(model)
        self.image_shape_ = model.shape
        if model.options["method"] != "raw-pixels":
            self.components_ = model.atoms()

    def _forget(self):
        """A new fit may be of images of another shape."""
        self.__dict__.pop("_model", None)

    @classmethod
    def _from_model(cls, model):
        options = {_LIBRARY_NAMES.get(name, name): value for name, value in model.options.items()}
        estimator = cls(**options)
        if model.class_names:
            estimator.classes_ = classes_of(model)
        estimator._keep(model)
        return estimator


@with_parameters(*_PARAMETERS, of_images=True)
class PatchFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ImageEstimator):
    """Pooled features of images: a basis of patches, the codes of every patch, summed over the cells of a grid.

    Takes every option of the command line under the same name, with scikit-learn's `n_components`, `random_state` and
    `n_jobs` for components, seed and threads.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_values)
        The atoms, in the space of preprocessed patches.
    image_shape_ : tuple
        Height, width and channels of the images.
    {attributes}

    Examples
    --------
    >>> import krica
    >>> images = krica.datasets.load_embedded().data[:100]
    >>> features = krica.PatchFeatures(method="random-patches", n_components=20, patches=1000)
    >>> features.fit(images).transform(images).shape
    (100, 80)
    """

    def fit(self, X, y=None):
        """Learn the atoms from images.

        Parameters
        ----------
        X : array-like of shape (N, H, W) or (N, H, W, C)
            Images. C-contiguous arrays of uint8 or float32 are not copied.
        y : array-like of shape (N,), default=None
            Classes, for the methods that need them.

        Returns
        -------
        self : object
            The fitted estimator. After Ctrl-C it holds the best atoms so far.
        """
        self._forget()
        X = self._validated(X)
        self._learn(X, *((), (), "text") if y is None else self._encoded(X, y))
        return self

    def transform(self, X):
        """Features of images.

        Parameters
        ----------
        X : array-like of shape (N, H, W) or (N, H, W, C)
            Images of the learned shape.

        Returns
        -------
        features : ndarray of shape (N, n_features_out), float32
            Cell by cell of the grid, the codes of all atoms in each.
        """
        check_is_fitted(self)
        return self._model.transform(self._validated(X), self._run_options())

    def _more_tags(self):
        return {"X_types": ["3darray"], "preserves_dtype": [np.float32]}


@with_parameters(*_PARAMETERS, of_images=True, method="max-margin-krica")
class MaxMarginKRICA(ClassifierMixin, ImageEstimator):
    """A classifier of images: max-margin kRICA, whose atoms and linear classifier are learned together.

    With another `method` the atoms are learned by that, and a linear SVM on the pooled features. Takes every option of
    the command line under the same name, with scikit-learn's `n_components`, `random_state` and `n_jobs` for
    components, seed and threads.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in `y`.
    components_ : ndarray of shape (n_components, n_values)
        The atoms, in the space of preprocessed patches.
    held_out_accuracy_ : list of float
        Of every epoch, on the images that `held_out` sets apart; empty where images are so few that all are learned
        from at last.
    image_shape_ : tuple
        Height, width and channels of the images.
    {attributes}

    Examples
    --------
    >>> import krica
    >>> images = krica.datasets.load_embedded()
    >>> classifier = krica.MaxMarginKRICA(n_components=20, patches=1000, epochs=3, stride=2)
    >>> classifier.fit(images.data[:500], images.target[:500]).predict(images.test_data[:5]).shape
    (5,)
    """

    _classifier = True

    def fit(self, X, y):
        """Learn atoms and classifier from labelled images.

        Parameters
        ----------
        X : array-like of shape (N, H, W) or (N, H, W, C)
            Images. C-contiguous arrays of uint8 or float32 are not copied.
        y : array-like of shape (N,)
            Classes: numbers or strings.

        Returns
        -------
        self : object
            The fitted classifier. After Ctrl-C it is that of the best epoch so far; before the end of the first epoch
            there is none yet, and the classifier stays unfitted.
        """
        self._forget()
        X = self._validated(X)
        self.held_out_accuracy_ = self._learn(X, *self._encoded(X, y))["held_out_accuracy"]
        return self

    def _scores(self, X):
        check_is_fitted(self)
        return self._model.scores(self._validated(X), self._run_options())

    def decision_function(self, X):
        """Scores of the classes.

        Parameters
        ----------
        X : array-like of shape (N, H, W) or (N, H, W, C)
            Images of the learned shape.

        Returns
        -------
        scores : ndarray of shape (N, n_classes), or (N,) for two classes
            The larger, the more likely; for two classes those of the second less those of the first.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X):
        """Probabilities of the classes, calibrated on images that were held out of training.

        Parameters
        ----------
        X : array-like of shape (N, H, W) or (N, H, W, C)
            Images of the learned shape.

        Returns
        -------
        probabilities : ndarray of shape (N, n_classes)
            Rows sum to 1; the largest is that of the predicted class.

        Raises
        ------
        ValueError
            For a model without held-out images to calibrate on, or an older model file.
        """
        check_is_fitted(self)
        return self._model.probabilities(self._validated(X), self._run_options())

    def predict(self, X):
        """Classes of images.

        Parameters
        ----------
        X : array-like of shape (N, H, W) or (N, H, W, C)
            Images of the learned shape.

        Returns
        -------
        y : ndarray of shape (N,)
            Of `classes_`, the one with the largest score.
        """
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def explain(self, X, y=None):
        """Which parts of images speak for a class.

        Parameters
        ----------
        X : array-like of shape (N, H, W) or (N, H, W, C)
            Images of the learned shape.
        y : array-like of shape (N,) or a single class, default=None
            The class asked about, of each image or of all; None for the predicted one.

        Returns
        -------
        votes : ndarray of shape (N, rows, columns)
            What each position of a patch adds to the score of the class; together they are the score (without mirror
            images) less the classifier's bias.
        """
        check_is_fitted(self)
        X = self._validated(X)
        asked = np.broadcast_to(self.predict(X) if y is None else y, len(X))
        unknown = np.setdiff1d(asked, self.classes_)
        if len(unknown):
            raise ValueError(f"y contains unknown classes: {unknown.tolist()}; known: {self.classes_.tolist()}")
        return self._model.position_votes(X, np.searchsorted(self.classes_, asked).tolist(), self._run_options())

    def _more_tags(self):
        return {"X_types": ["3darray"]}
