# SPDX-License-Identifier: BSD-3-Clause
"""Estimators' parameters from the library's own list of options: names, defaults and texts are written there alone."""

import inspect
import textwrap
from typing import Any, NamedTuple

from . import _core


class Option(NamedTuple):
    default: Any
    help: str
    choices: list


# Of a model, in the order of the command line's help.
OPTIONS = {name: Option(default, text, choices) for name, default, text, choices in _core.option_table()}

# scikit-learn's names for some of them, in the estimators of samples.
SAMPLE_NAMES = {"n_components": "components", "random_state": "seed"}

# How to run, as opposed to what to learn.
RUNNING = {
    "threads": Option(0, "threads; 0 for all cores. The result does not depend on it", []),
    "n_jobs": Option(
        None, "threads; None for OMP_NUM_THREADS or all cores, -1 for all cores. The result does not depend on it", []
    ),
    "memory": Option("4G", "memory budget, as a number of bytes or a text such as 512M or 4G", []),
    "checkpoint": Option(
        None, "file in which progress is kept, so that the same fit goes on after an interruption; None for none", []
    ),
    "verbose": Option(False, "show a progress bar", []),
    "callback": Option(
        None,
        "called as fitting goes on, with a dict of stage, step, total, value and note; an exception that it raises "
        "stops the fit, and the estimator holds the best so far",
        [],
    ),
}

SAMPLE_OVERRIDES = {
    "n_components": Option(None, "atoms in the basis; None for as many as features, or as samples where these are fewer", []),
    "random_state": Option(0, "seed of every random choice: an int, a RandomState, or None for NumPy's global one", []),
}


def _kind(option):
    kinds = {bool: "bool", int: "int", float: "float", str: "str", type(None): "object"}
    if option.default == "auto":
        kind = "str" if option.choices else "value"
        return f"{kind} or 'auto'"
    return kinds[type(option.default)]


def _text(name, option):
    head = f"{name} : {_kind(option)}, default={option.default!r}"
    words = option.help[0].upper() + option.help[1:] + "."
    return head + "\n" + textwrap.indent(textwrap.fill(words, 104), "    ")


def _option(name):
    return SAMPLE_OVERRIDES.get(name) or RUNNING.get(name) or OPTIONS[SAMPLE_NAMES.get(name, name)]


def with_parameters(*names, positional=0, **defaults):
    """A class decorator: the constructor takes the named options and stores them under their names, and the place
    `{parameters}` in the docstring lists them. `defaults` replace those of the library."""

    options = {name: _option(name)._replace(**({"default": defaults[name]} if name in defaults else {})) for name in names}
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
        listed = "\n".join(_text(name, option) for name, option in options.items())
        cls.__doc__ = inspect.cleandoc(cls.__doc__).replace("{parameters}", listed)
        return cls

    return decorate
