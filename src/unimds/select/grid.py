"""The candidates of a search: what a grid of parameters makes of an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from unimds.estimators.mds import MDS
from unimds.estimators.parameters import CONSTRAINTS, check_parameters, resolve_variant
from unimds.levels import as_level
from unimds.select.words import Candidate
from unimds.spaces import SPACES, as_space

DIMENSIONS = (1, 2, 3, 4, 5, 6)
"""What is tried if nothing is said."""
NAMED = ("n_components", "space", "loss", "level", "variant")
"""Parameters that a candidate is described by."""
OF_THE_TABLE = ("metric", "metric_params", "memory_limit")
OF_THE_RUN = ("n_jobs", "random_state", "callback", "verbose", "checkpoint")


def candidates(param_grid: Any) -> list[dict[str, Any]]:
    """Return the parameters of all candidates.

    Examples
    --------
    >>> candidates({"n_components": [2, 3], "space": ["euclidean", "sphere"]})[1]
    {'n_components': 2, 'space': Sphere(radius='auto')}
    """
    grid = {"n_components": list(DIMENSIONS)} if param_grid is None else param_grid
    for part in [grid] if isinstance(grid, Mapping) else grid:
        _check(part)
    found = [{name: _meant(name, value) for name, value in one.items()} for one in _all(grid)]
    if not found:
        raise ValueError('param_grid is empty: name what to try, as in {"n_components": [1, 2, 3]}')
    for one in found:
        known = {name: value for name, value in one.items() if name in CONSTRAINTS}
        check_parameters("MDSSearchCV", **known)
    return found


def _all(grid: Any) -> list[dict[str, Any]]:
    """Return all combinations, in the order of the grid: the last parameter changes first."""
    parts = [grid] if isinstance(grid, Mapping) else list(grid)
    found: list[dict[str, Any]] = []
    for part in parts:
        rows: list[dict[str, Any]] = [{}]
        for name, values in part.items():
            rows = [{**row, name: value} for row in rows for value in values]
        found += rows if part else []
    return found


def _check(part: Any) -> None:
    for name in part:
        if name in OF_THE_TABLE:
            raise ValueError(
                f"param_grid: {name} changes the distances themselves, and errors of different "
                "distances cannot be compared; search once for each"
            )
        if name in OF_THE_RUN:
            raise ValueError(f"param_grid: {name} changes no map; leave it out")
    for name, values in part.items():
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise ValueError(f"param_grid: {name} must be a list of values, as in [{values!r}]")
    ParameterGrid(part)  # which has more to say of what is no grid


def _meant(name: str, value: Any) -> Any:
    """Return a value; the name of a curved space is one whose size is to be found."""
    if name != "space" or value not in SPACES or value == "euclidean":
        return value
    space = as_space(value)
    return replace(space, **{fields(space)[0].name: "auto"})


def made(estimator: MDS, one: dict[str, Any]) -> MDS:
    """Return the estimator with the parameters of a candidate."""
    found: MDS = clone(estimator).set_params(**one)
    return found


def candidate(mds: MDS, one: dict[str, Any]) -> Candidate:
    """Return what a candidate is compared and described by."""
    loss, space = resolve_variant(mds.variant, mds.loss, mds.space)
    others = tuple((name, value) for name, value in one.items() if name not in NAMED)
    return Candidate(mds.n_components, space, loss, as_level(mds.level), others)
