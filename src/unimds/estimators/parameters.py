"""What the parameters may be: one list for `MDS` and `place_center`."""

from __future__ import annotations

from numbers import Integral, Real
from os import PathLike
from typing import Any

from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    make_constraint,
    validate_parameter_constraints,
)

from unimds.checkpoint import Checkpoint
from unimds.losses import LOSSES, Loss
from unimds.spaces import SPACES, Space
from unimds.starts.initial import SEEDS

CONSTRAINTS: dict[str, list[Any]] = {
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "loss": [StrOptions(set(LOSSES)), Loss],
    "space": [StrOptions(set(SPACES)), Space],
    "init": [StrOptions({"auto", "random", "shaken", *SEEDS}), "array-like"],
    "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "eps": [Interval(Real, 0, None, closed="left")],
    "smoothing": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
    "accelerate": ["boolean"],
    "inner_iter": [Interval(Integral, 1, None, closed="left")],
    "dtype": [StrOptions({"float32", "float64"}), None],
    "n_jobs": [
        None,
        Interval(Integral, 1, None, closed="left"),
        Interval(Integral, None, -1, closed="right"),
    ],
    "random_state": ["random_state"],
    "callback": [callable, None],
    "verbose": ["verbose"],
    "checkpoint": [str, PathLike, Checkpoint, None],
}

# made once: scikit-learn makes them at every check, which small tables would notice
_CHOICES = {name: [make_constraint(choice) for choice in CONSTRAINTS[name]] for name in CONSTRAINTS}


def check_parameters(caller: str, **given: Any) -> None:
    """Raise where a parameter is not what it may be; the message names it and its choices."""
    for name, value in given.items():
        if not any(choice.is_satisfied_by(value) for choice in _CHOICES[name]):
            validate_parameter_constraints({name: CONSTRAINTS[name]}, {name: value}, caller)
