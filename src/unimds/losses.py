r"""Losses: the cost of a wrong distance, each with a majorizer.

Let :math:`u` be the distance of a pair on the map and :math:`r` its given distance. A loss has a
``value(u, r)`` and a parabola :math:`w (t - \rho)^2 + c` that touches the value at :math:`t = u`
and lies above it for every :math:`t \ge 0`; ``weight(u, r)`` is :math:`w` and ``radius(u, r)`` is
:math:`\rho`. Since the parabola lies above the value, a step that lowers it lowers the cost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from numbers import Real
from typing import Any, ClassVar, final

from unimds.compiled.elementary import power
from unimds.compiled.parts import Call, LossType, Part

__all__ = [
    "LOSSES",
    "Absolute",
    "Huber",
    "Loss",
    "Power",
    "Squared",
    "SquaredDistance",
    "as_loss",
]


@dataclass(frozen=True)
class Loss(Part, ABC):
    r"""Base class of all losses; write a subclass as a frozen dataclass with float fields.

    Only `value` and `weight` are required. Both are compiled, so write plain arithmetic and
    functions of `math`. `weight` is half the derivative of `value` with respect to :math:`u`,
    divided by :math:`u - \rho`. If there is a field called ``smoothing``, the solver anneals the
    loss: it starts with a large smoothing and lowers it to the given value.

    `unimds.checks.check_loss` tests a loss; ``docs/extending.md`` has more examples.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from math import log1p
    >>> from unimds import Loss, MDS
    >>> @dataclass(frozen=True)
    ... class Cauchy(Loss):
    ...     width: float = 1.0
    ...
    ...     def value(self, u, r):
    ...         return log1p(((u - r) / self.width) ** 2)
    ...
    ...     def weight(self, u, r):
    ...         return 1.0 / (self.width**2 + (u - r) ** 2)
    >>> MDS(1, loss=Cauchy(0.5), init="classical").fit_transform([[0.0], [1.0], [3.0]]).shape
    (3, 1)
    """

    _kind = LossType
    _compiled: ClassVar[dict[str, Call]] = dict.fromkeys(
        ("value", "weight", "radius", "residual"), Call(1.0, 0.5)
    )

    degree: ClassVar[float | None] = None
    """How the cost grows with the unit of length: ``scaled(a).value(a*u, a*r)`` is
    ``a**degree * value(u, r)``. None if there is no such rule: then the data keep their own unit,
    and the loss itself must cope with extreme scales (beyond about 1e±70)."""

    @abstractmethod
    def value(self, u: float, r: float) -> float:
        """Return the nonnegative cost of a pair at distance `u` with given distance `r`."""

    @abstractmethod
    def weight(self, u: float, r: float) -> float:
        """Return the curvature `w` of the majorizer that touches the loss at `u`."""

    def radius(self, u: float, r: float) -> float:
        """Return the centre `ρ` of the majorizer: the distance that the pair is drawn to."""
        return r

    def residual(self, u: float, r: float) -> float:
        """Return the error that the loss measures, in the unit of its ``smoothing``."""
        return u - r

    def scaled(self, factor: float) -> Loss:
        """Return the loss in a unit of length that makes distances `factor` times as large."""
        return self

    def resolved(self, typical: float) -> Loss:
        """Return the loss with a number for every ``"auto"``; `typical` is the median distance."""
        return self

    @property
    def anneals(self) -> bool:
        """Whether the solver starts with a smoothed loss."""
        return hasattr(self, "smoothing")

    def smoothed(self, smoothing: float) -> Loss:
        """Return the loss with this ``smoothing``, or the loss itself if it has no such field."""
        return replace(self, smoothing=smoothing) if self.anneals else self  # type: ignore[call-arg]

    @property
    def is_parabola(self) -> bool:
        """Whether the loss is its own parabola, (u − r)²: its weight is one, its centre r."""
        own = type(self)
        return own.weight is Squared.weight and own.radius is Loss.radius

    def is_symmetric(self, typical: float = 1.0) -> bool:
        """Return whether the arguments can be exchanged: value(u, r) = value(r, u).

        Levels of measurement other than "ratio" need this. It is tried with distances about a
        `typical` one: a loss without a `degree` may be another in another unit.
        """
        loss = self.resolved(typical)
        if loss.degree is not None:
            loss, typical = loss.scaled(1.0 / typical), 1.0
        sizes = [typical * share for share in (0.01, 0.3, 0.9, 1.0, 1.7, 6.0)]
        for soft in {loss, loss.smoothed(0.1 * typical)}:
            for u, r in combinations(sizes, 2):
                there, back = float(soft.value(u, r)), float(soft.value(r, u))
                if abs(there - back) > 1e-9 * max(abs(there), abs(back)):
                    return False
        return True

    def _concrete(self) -> Loss:
        return self.resolved(1.0)


@dataclass(frozen=True)
class Squared(Loss):
    """Squared error ``(u − r)²``: the paper's fMDS; raw stress in SMACOF and scikit-learn.

    Examples
    --------
    >>> Squared().value(3.0, 1.0)
    4.0
    """

    degree = 2.0

    def value(self, u, r):
        return (u - r) * (u - r)

    def weight(self, u, r):
        return 1.0


@final
@dataclass(frozen=True)
class Absolute(Loss):
    """Absolute error ``|u − r|``, robust to corrupted distances: the paper's rMDS.

    Parameters
    ----------
    smoothing : float, default=0
        Rounds the kink: the value is ``√((u − r)² + smoothing²)``.

    Examples
    --------
    >>> Absolute().value(3.0, 1.0)
    2.0
    """

    smoothing: float = 0.0

    degree = 1.0

    def __post_init__(self) -> None:
        _check_smoothing(self)

    def value(self, u, r):
        return sqrt((u - r) * (u - r) + self.smoothing * self.smoothing)

    def weight(self, u, r):
        return 0.5 / sqrt((u - r) * (u - r) + self.smoothing * self.smoothing)

    def scaled(self, factor):
        return replace(self, smoothing=self.smoothing * factor)


@final
@dataclass(frozen=True)
class Power(Loss):
    """Error to a power ``|u − r|^p`` with 1 ≤ p ≤ 2: between `Absolute` and `Squared`.

    Parameters
    ----------
    p : float, default=1.5
        The exponent. Above 2 no parabola lies above the loss.
    smoothing : float, default=0
        Rounds the kink: the value is ``((u − r)² + smoothing²)^(p/2)``.

    Examples
    --------
    >>> Power(1.5).value(5.0, 1.0)
    8.0
    """

    p: float = 1.5
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.p, Real) or not 1.0 <= self.p <= 2.0:
            raise ValueError(f"Power(p={self.p!r}): p must lie between 1 and 2")
        _check_smoothing(self)

    @property
    def degree(self) -> float:  # type: ignore[override]
        return self.p

    @property
    def anneals(self) -> bool:
        return self.p < 2.0

    def value(self, u, r):
        return power((u - r) * (u - r) + self.smoothing * self.smoothing, 0.5 * self.p)

    def weight(self, u, r):
        square = (u - r) * (u - r) + self.smoothing * self.smoothing
        return 0.5 * self.p * power(square, 0.5 * self.p - 1.0)

    def scaled(self, factor):
        return replace(self, smoothing=self.smoothing * factor)


@final
@dataclass(frozen=True)
class Huber(Loss):
    """Squared for errors up to ``delta``, linear beyond: robust, and smooth for small errors.

    The value is ``e²`` for ``|e| ≤ delta`` and ``2·delta·|e| − delta²`` beyond, with ``e = u − r``.

    Parameters
    ----------
    delta : float or "auto", default="auto"
        Error at which the linear part begins. "auto" is a tenth of the median given distance; for
        more than 141 points the median is of a sample.

    Examples
    --------
    >>> Huber(1.0).value(1.5, 1.0), Huber(1.0).value(4.0, 1.0)
    (0.25, 5.0)
    """

    delta: float | str = "auto"

    degree = 2.0

    def __post_init__(self) -> None:
        if self.delta != "auto" and not (isinstance(self.delta, Real) and self.delta > 0):
            raise ValueError(f'Huber(delta={self.delta!r}): delta must be positive or "auto"')

    def value(self, u, r):
        e = abs(u - r)
        return e * e if e <= self.delta else self.delta * (2.0 * e - self.delta)

    def weight(self, u, r):
        e = abs(u - r)
        return 1.0 if e <= self.delta else self.delta / e

    def scaled(self, factor):
        return self if self.delta == "auto" else replace(self, delta=self.delta * factor)

    def resolved(self, typical):
        return replace(self, delta=0.1 * typical) if self.delta == "auto" else self


@final
@dataclass(frozen=True)
class SquaredDistance(Loss):
    """Absolute error of squared distances ``|u² − r²|``: the paper's r²MDS.

    With smoothing s, its majorizer has the centre ``ρ = u·(2r² + s)/(u² + r² + s)`` and the weight
    ``(u² + r² + s)/√((u² − r²)² + s²)``.

    Parameters
    ----------
    smoothing : float, default=0
        Rounds the kink: the value is ``√((u² − r²)² + smoothing²)``.

    Examples
    --------
    >>> SquaredDistance().value(3.0, 1.0)
    8.0
    """

    smoothing: float = 0.0

    degree = 2.0

    def __post_init__(self) -> None:
        _check_smoothing(self)

    def value(self, u, r):
        z = (u - r) * (u + r)
        return sqrt(z * z + self.smoothing * self.smoothing)

    def weight(self, u, r):
        z = (u - r) * (u + r)
        return (u * u + r * r + self.smoothing) / sqrt(z * z + self.smoothing * self.smoothing)

    def radius(self, u, r):
        return u * (2.0 * r * r + self.smoothing) / (u * u + r * r + self.smoothing)

    def residual(self, u, r):
        return (u - r) * (u + r)

    def scaled(self, factor):
        return replace(self, smoothing=self.smoothing * factor * factor)


def _check_smoothing(loss: Any) -> None:
    if not isinstance(loss.smoothing, Real) or not 0.0 <= loss.smoothing < float("inf"):
        name = type(loss).__name__
        raise ValueError(f"{name}(smoothing={loss.smoothing!r}): it must be 0 or a positive number")


LOSSES: dict[str, type[Loss]] = {
    "squared": Squared,
    "absolute": Absolute,
    "huber": Huber,
    "squared_distance": SquaredDistance,
    "power": Power,
}
"""Losses by name."""

NUMBERED = ("huber", "power")
"""Losses whose name may be followed by their number, as in "power:1.2"."""


def as_loss(loss: str | Loss) -> Loss:
    """Return the loss of this name; return a `Loss` unchanged.

    A number may follow the names "huber" and "power": their `delta` and their `p`.

    Examples
    --------
    >>> as_loss("absolute")
    Absolute(smoothing=0.0)
    >>> as_loss("power:1.2")
    Power(p=1.2, smoothing=0.0)
    """
    if isinstance(loss, Loss):
        return loss
    name, colon, number = loss.partition(":") if isinstance(loss, str) else ("", "", "")
    if name not in LOSSES:
        names = ", ".join(map(repr, LOSSES))
        other = "" if isinstance(loss, str) else ", or a Loss such as Power(1.5)"
        raise ValueError(
            f"loss={loss!r} is not known: use one of {names}; huber and power take a number, as in "
            f"'power:1.2'{other}"
        )
    if not colon:
        return LOSSES[name]()
    if name not in NUMBERED:
        raise ValueError(f"loss={loss!r}: only huber and power take a number; write {name!r}")
    try:
        given: Any = number if number == "auto" else float(number)
    except ValueError:
        raise ValueError(f"loss={loss!r}: a number is needed after the colon") from None
    return LOSSES[name](given)  # type: ignore[call-arg]
