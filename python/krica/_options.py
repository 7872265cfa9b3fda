# SPDX-License-Identifier: BSD-3-Clause
"""Estimators' parameters from the library's own list of options: names, defaults and texts are written there alone."""

import inspect
import textwrap
import typing
from typing import Any

from . import _core


class Option(typing.NamedTuple):
    default: Any
    help: str
    choices: list
    type: str


# Of a model, in the order of the command line's help.
OPTIONS = {name: Option(*rest) for name, *rest in _core.option_table()}

# scikit-learn's names for some of them, in the estimators.
SKLEARN_NAMES = {"n_components": "components", "random_state": "seed"}

# What scikit-learn's names mean beyond the library's.
SAMPLE_OPTIONS = {
    "n_components": Option(
        None, "atoms in the basis; None for as many as features, or as samples where these are fewer", [], "int or None"
    ),
    "random_state": Option(
        0, "seed of every random choice; None draws one from NumPy's global state", [], "int, RandomState or None"
    ),
}

# The estimators of images use the same names, and still take the library's own.
IMAGE_OPTIONS = {
    "n_components": OPTIONS["components"],
    "random_state": SAMPLE_OPTIONS["random_state"],
    "components": Option("deprecated", "former name of `n_components`", [], "int"),
    "seed": Option("deprecated", "former name of `random_state`", [], "int"),
    "threads": Option("deprecated", "former name of `n_jobs`", [], "int"),
}
FORMER_NAMES = {"components": "n_components", "seed": "random_state", "threads": "n_jobs"}
SAMPLE_OPTIONS["non_gaussianity"] = OPTIONS["non_gaussianity"]._replace(
    default=1,
    type="int or array-like of shape (n_components,)",
    help="1 to seek sparse (super-Gaussian) sources, -1 for sub-Gaussian ones; one value, or one per atom",
)
SAMPLE_OPTIONS["init"] = OPTIONS["init"]._replace(
    type="str or array-like of shape (n_components, n_features)",
    help="start of the basis: kmeans, random-patches, random, class-kmeans or label-affinity; auto is the method's "
    "own; or the first atoms as an array, in the space of whitened samples",
)

# How to run, as opposed to what to learn.
RUNNING = {
    "n_jobs": Option(
        None,
        "threads; None for OMP_NUM_THREADS or all cores, -1 for all cores. The result does not depend on it",
        [],
        "int or None",
    ),
    "memory": Option("4G", "memory budget: a number of bytes, or a text such as 512M or 4G", [], "int or str"),
    "device": Option("cpu", "cpu, cuda, or cuda:N for one of several GPUs; what has no GPU form runs on the CPU", [], "str"),
    "precision": Option(
        "tf32", "rounding of matrix products on a GPU; the CPU always uses float32", ["float32", "tf32", "bf16"], "str"
    ),
    "device_memory": Option(
        None, "memory budget on the GPU, like `memory`; None or 'auto' for most of what is free", [], "int, str or None"
    ),
    "checkpoint": Option(
        None,
        "file for progress, so that the same fit resumes after an interruption; None for none",
        [],
        "str, path-like or None",
    ),
    "verbose": Option(False, "show a progress bar", [], "bool"),
    "callback": Option(
        None,
        "called during the fit with a dict of stage, step, total, value and note; an exception that it raises "
        "stops the fit, and the estimator keeps the best so far",
        [],
        "callable or None",
    ),
}

# The attributes of every fitted estimator that describe how it was learned.
ATTRIBUTES = """n_iter_ : int
    Iterations; epochs of Adam and of max-margin kRICA, passes of `partial_fit`.
history_ : structured ndarray
    One row per iteration: iteration, evaluations, value, training_value (Adam's mean over the minibatches), gradient_norm,
    change (how far ICA's atoms turned) and step; NaN where the method has no such quantity.
status_ : str
    Why the solver stopped: "converged", "iteration-limit", "line-search-failed", "numerical-trouble", "diverged",
    "collapsed" or "cancelled"."""
SAMPLE_ATTRIBUTES = ATTRIBUTES + """
n_features_in_ : int
    Features of the samples."""


def _text(name, option):
    """As numpydoc lists it."""
    kind = option.type + (" or 'auto'" if option.default == "auto" else "")
    words = option.help[0].upper() + option.help[1:] + "."
    return f"{name} : {kind}, default={option.default!r}\n" + textwrap.indent(textwrap.fill(words, 104), "    ")


def _option(name, of_images):
    special = IMAGE_OPTIONS if of_images else SAMPLE_OPTIONS
    return special.get(name) or RUNNING.get(name) or OPTIONS[name]


def with_parameters(*names, positional=0, of_images=False, **defaults):
    """A class decorator: the constructor takes the named options and stores them under their names, and the place
    `{parameters}` in the docstring lists them, `{attributes}` what they lead to. `defaults` replace those of the
    library."""

    options = {name: _option(name, of_images) for name in names}
    options |= {name: options[name]._replace(default=default) for name, default in defaults.items()}
    kinds = [inspect.Parameter.POSITIONAL_OR_KEYWORD] * positional
    kinds += [inspect.Parameter.KEYWORD_ONLY] * (len(names) - positional)
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [
        inspect.Parameter(name, kind, default=option.default) for (name, option), kind in zip(options.items(), kinds)
    ]
    signature = inspect.Signature(parameters)

    def decorate(cls):
        def __init__(self, *arguments, **keywords):
            try:
                bound = signature.bind(self, *arguments, **keywords)
            except TypeError as error:
                raise TypeError(f"{cls.__name__}.__init__() {error}") from None
            bound.apply_defaults()
            for name in names:
                setattr(self, name, bound.arguments[name])

        __init__.__signature__ = signature
        cls.__init__ = __init__
        cls._parameter_types = {name: option.type for name, option in options.items()}
        listed = "\n".join(_text(name, option) for name, option in options.items())
        told = ATTRIBUTES if of_images else SAMPLE_ATTRIBUTES
        cls.__doc__ = inspect.cleandoc(cls.__doc__).replace("{parameters}", listed).replace("{attributes}", told)
        return cls

    return decorate
