"""Levels of measurement: how given dissimilarities may be transformed before they are compared.

May import: `compiled` only. A level knows nothing of losses, spaces or tables.
"""

from __future__ import annotations

from unimds.levels.base import Level
from unimds.levels.curves import Interval, MonotoneSpline, Ratio
from unimds.levels.ordinal import Ordinal
from unimds.levels.powers import PowerLaw
from unimds.levels.transformation import Transformation

__all__ = [
    "LEVELS",
    "Interval",
    "Level",
    "MonotoneSpline",
    "Ordinal",
    "PowerLaw",
    "Ratio",
    "Transformation",
    "as_level",
]

LEVELS: dict[str, type[Level]] = {
    "ratio": Ratio,
    "interval": Interval,
    "ordinal": Ordinal,
    "spline": MonotoneSpline,
    "power": PowerLaw,
}
"""Levels by name."""


MEANT = {
    "nonmetric": "ordinal",
    "non-metric": "ordinal",
    "monotone": "ordinal",
    "rank": "ordinal",
    "ranks": "ordinal",
    "metric": "ratio",
    "absolute": "ratio",
    "linear": "interval",
    "mspline": "spline",
}
"""Names of levels in other programs."""


def as_level(level: str | Level) -> Level:
    """Return the level of this name; return a `Level` unchanged.

    Examples
    --------
    >>> as_level("ordinal")
    Ordinal(ties='primary', strictness=0.0)
    """
    if isinstance(level, Level):
        return level
    if isinstance(level, type) and issubclass(level, Level):
        raise ValueError(f"level={level.__name__} is a class: write {level.__name__}()")
    if not isinstance(level, str) or level not in LEVELS:
        names = ", ".join(map(repr, LEVELS))
        word = level.lower() if isinstance(level, str) else ""
        meant = word if word in LEVELS else MEANT.get(word)
        names += f" ({meant!r} is what {level!r} means elsewhere)" if meant else ""
        raise ValueError(
            f"level={level!r} is not known: use one of {names}, or a Level such as "
            'Ordinal(ties="secondary")'
        )
    return LEVELS[level]()


def described(level: Level) -> str:
    """Return a level in words.

    Examples
    --------
    >>> described(Ordinal()), described(MonotoneSpline()), described(Interval())
    ('ordinal, primary ties', 'spline of degree 2 with 3 knots', 'interval')
    """
    if isinstance(level, Ordinal):
        strict = f", strictness {level.strictness:g}" if level.strictness > 0.0 else ""
        return f"ordinal, {level.ties} ties{strict}"
    if isinstance(level, MonotoneSpline):
        knots = f"{level.knots} knot{'s' * (level.knots != 1)}"
        return f"spline of degree {level.degree} with {knots}"
    return next((name for name, kind in LEVELS.items() if kind is type(level)), repr(level))
