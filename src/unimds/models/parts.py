"""Parts and parameters of an estimator, in the header of a file and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from unimds.distributions.embedding import DistributionEmbedding
from unimds.estimators.mds import MDS
from unimds.landmarks.estimator import LandmarkMDS
from unimds.levels import LEVELS, Level
from unimds.losses import LOSSES, Loss
from unimds.spaces import SPACES, Space
from unimds.tables.individual import IndividualDifferences
from unimds.tables.unfolding import Unfolding

Model = MDS | LandmarkMDS | DistributionEmbedding | IndividualDifferences | Unfolding

BUILT_IN: tuple[type[Any], ...] = (*LOSSES.values(), *SPACES.values(), *LEVELS.values())

PARTS = {kind.__name__: kind for kind in BUILT_IN}

PLAIN = (bool, int, float, str, type(None))

THREADS = "n_jobs"

NOT_KEPT = (
    *("loss", "space", "level", "variant"),
    *("init", "callback", "checkpoint", "metric_params", THREADS),
)
"""Parameters that are saved as fitted, that mean nothing once the map exists, or that only the
person at the machine decides: no file says how many threads to start, or where to write."""


def told_part(part: Loss | Space | Level, what: str) -> dict[str, Any]:
    """Return a loss, a space or a level as a file says it."""
    if PARTS.get(type(part).__name__) is not type(part):
        raise ValueError(
            f"{part} is a custom {what}, whose code cannot be saved; save `embedding_` with "
            "unimds.files.write, and place points with unimds.place_points"
        )
    return {"name": type(part).__name__, **asdict(part)}


def part_of(told: dict[str, Any], kind: type[Any]) -> Any:
    """Return a loss, a space or a level that a file says."""
    part = PARTS.get(told["name"])
    if part is None or not issubclass(part, kind):
        raise ValueError(f"{told['name']!r} is not a {kind.__name__.lower()} of this release")
    return part(**plain_values(told, ("name",)))


def params_of(mds: Model) -> dict[str, Any]:
    """Return the parameters of an estimator that a file keeps."""
    params = mds.get_params(deep=False)
    if hasattr(mds, "metric_"):  # what holds distances needed no metric
        params["metric"] = mds.metric_
    if not isinstance(params.get("metric", ""), str):
        raise ValueError(
            f"metric={params['metric']!r} is a custom function, which cannot be saved; give the "
            'distances themselves, with metric="precomputed"'
        )
    plain = {name: getattr(value, "item", lambda v=value: v)() for name, value in params.items()}
    return {
        name: value
        for name, value in plain.items()
        if name not in NOT_KEPT and isinstance(value, PLAIN)
    }


def plain_values(told: dict[str, Any], without: Sequence[str]) -> dict[str, Any]:
    """Return the values of a part of the header, which must be plain."""
    found = {name: value for name, value in told.items() if name not in without}
    odd = next((name for name, value in found.items() if not isinstance(value, PLAIN)), None)
    if odd is not None:
        raise ValueError(f"{odd} is not a number, a word or nothing")
    return found


def label_of(label: Any) -> Any:
    """Return the label of a point as a file keeps it: a number or a text."""
    return int(label) if isinstance(label, int | np.integer) else str(label)
