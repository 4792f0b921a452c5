"""The outcome of a choice as a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple, final

from unimds.levels import LEVELS, Level, described
from unimds.losses import LOSSES, Loss
from unimds.spaces.base import Space
from unimds.spaces.euclidean import Euclidean
from unimds.spaces.hyperbolic import Hyperbolic
from unimds.spaces.simplex import Simplex
from unimds.spaces.sphere import ChordalSphere, Sphere

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINALS = (
    "",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
)
PLACES: dict[type[Space], str] = {
    Sphere: "on a sphere",
    ChordalSphere: "on a chordal sphere",
    Hyperbolic: "in hyperbolic space",
    Simplex: "on the simplex",
}
NO_BETTER = "No map predicts held-out distances better than one typical distance for all pairs does"
NO_STRUCTURE = "there is no structure that a map can show"
NO_DISTANCES = 'the numbers are no distances: try the levels "interval" and "ordinal"'
FEW = 12
"""Points of a table that may have a structure which held-out pairs cannot show."""
SLIGHT = 0.005
"""A share of the error below this rounds to nothing."""


@final
class Candidate(NamedTuple):
    """A candidate: its dimension, space, loss and level, and what else it differs in."""

    n_components: int
    space: Space
    loss: Loss
    level: Level
    others: tuple[tuple[str, Any], ...] = ()

    @property
    def kind(self) -> tuple[Any, ...]:
        """All but the dimension."""
        return repr(self.space), repr(self.loss), repr(self.level), repr(self.others)


def number(count: int, names: tuple[str, ...] = NUMBERS, ending: str = "") -> str:
    """Return a number in words, if it has one.

    Examples
    --------
    >>> number(3), number(40)
    ('three', '40')
    """
    return names[count] if count < len(names) else f"{count}{ending}"


def told(one: Candidate, others: list[Candidate]) -> str:
    """Return a candidate in words, with what it differs in from others.

    Examples
    --------
    >>> from unimds import Absolute, Euclidean, Ratio, Squared
    >>> line = Candidate(1, Euclidean(), Squared(), Ratio())
    >>> sphere = line._replace(n_components=3, space=Sphere())
    >>> told(line, [line, sphere]), told(sphere, [line, sphere])
    ('one dimension of flat space', 'three dimensions on a sphere')
    >>> plane = Candidate(2, Euclidean(), Absolute(), Ratio())
    >>> told(plane, [line, plane])
    'the plane with the absolute loss'
    """
    k, flat = one.n_components, type(one.space) is Euclidean
    dimensions = f"{number(k)} dimension{'' if k == 1 else 's'}"
    curved = any(type(other.space) is not Euclidean for other in others)
    if flat:
        words = "the plane" if k == 2 else f"{dimensions} of flat space" if curved else dimensions
    else:
        words = f"{dimensions} {PLACES.get(type(one.space), f'in {one.space}')}"
    alike = {(type(other.space), repr(other.space)) for other in others}
    if len(alike) > len({kind for kind, _ in alike}) and not flat:
        words += f", {one.space},"
    if len({repr(other.loss) for other in others}) > 1:
        words += f" with the {loss_told(one.loss)} loss"
    if len({repr(other.level) for other in others}) > 1:
        words += f" at the level {level_told(one.level, [other.level for other in others])}"
    if one.others:
        words += f" and {', '.join(f'{name}={value}' for name, value in one.others)}"
    return words


def level_told(level: Level, others: list[Level]) -> str:
    """Return the name of a level, with its settings if others differ in these alone.

    Examples
    --------
    >>> from unimds import Ordinal, Ratio
    >>> level_told(Ordinal(), [Ratio(), Ordinal()])
    'ordinal'
    >>> level_told(Ordinal(), [Ordinal(), Ordinal("secondary")])
    'ordinal, primary ties,'
    """
    alike = {repr(other) for other in others if type(other) is type(level)}
    names = (name for name, kind in LEVELS.items() if kind is type(level))
    return f"{described(level)}," if len(alike) > 1 else next(names, repr(level))


def loss_told(loss: Loss) -> str:
    """Return the name of a loss.

    Examples
    --------
    >>> from unimds import Power, SquaredDistance
    >>> loss_told(SquaredDistance()), loss_told(Power(1.5))
    ('squared distance', 'power (1.5)')
    """
    name = next((name for name, kind in LOSSES.items() if kind is type(loss)), None)
    if name is None:
        return str(loss)
    exponent = getattr(loss, "p", None)
    return name.replace("_", " ") + (f" ({exponent:g})" if exponent is not None else "")


@final
class Outcome(NamedTuple):
    """What a search has found: candidates with their mean errors, and who wins.

    Attributes
    ----------
    candidates : list of Candidate
        All that were scored.
    errors : list of float
        The mean error of each.
    chosen, lowest : int
        Which one is chosen, and which has the lowest error.
    null : float
        The error of one distance for all pairs.
    structure : bool
        Whether the best map predicts better than that.
    n : int
        Number of points.
    """

    candidates: list[Candidate]
    errors: list[float]
    chosen: int
    lowest: int
    null: float
    structure: bool
    n: int

    def sentence(self) -> str:
        """Return it in words."""
        if not self.structure:
            return f"{NO_BETTER}: {', or '.join(self._reasons())}."
        parts = [self._gain(), *filter(None, [self._further()])]
        text = "; ".join(parts) + "."
        return text[0].upper() + text[1:]

    def _reasons(self) -> list[str]:
        """Return what may be the reason that no map is better than one distance."""
        few = [f"{self.n} points are too few to show it"] if self.n <= FEW else []
        given = all(one.level.is_given for one in self.candidates)
        return [NO_STRUCTURE, *few, *([NO_DISTANCES] if given else [])]

    def _name(self, row: int) -> str:
        """Return a candidate in words; of another than the chosen one, what differs from it."""
        one, own = self.candidates[row], self.candidates[self.chosen]
        return told(one, self.candidates if row == self.chosen else [one, own])

    def _gain(self) -> str:
        """Return how much better the chosen map is than the one that it is compared with."""
        own, other = self.candidates[self.chosen], self._rival()
        verb = "predict" if own.n_components > 1 and not self._is_plane(own) else "predicts"
        begin = f"{self._name(self.chosen)} {verb} held-out distances"
        if other is None:
            better = 1.0 - self.errors[self.chosen] / self.null if self.null > 0.0 else 0.0
            return f"{begin} {percent(better)} better than one typical distance for all pairs"
        return f"{begin} {self._compared(other)} {self._name(other)}"

    def _compared(self, other: int) -> str:
        mine, theirs = self.errors[self.chosen], self.errors[other]
        better = 1.0 - mine / theirs if theirs > 0.0 else 0.0
        if abs(better) < SLIGHT:
            return "as well as"
        # the rule prefers what is simpler, even if it is a little more wrong
        return f"{percent(abs(better))} {'better' if better > 0.0 else 'less well'} than"

    def _is_plane(self, one: Candidate) -> bool:
        return one.n_components == 2 and type(one.space) is Euclidean

    def _rival(self) -> int | None:
        """Return whom to compare with: flat space for a curved one, else one dimension less."""
        own = self.candidates[self.chosen]
        if type(own.space) is not Euclidean:
            flat = [row for row, one in enumerate(self.candidates) if type(one.space) is Euclidean]
            alike = [row for row in flat if self.candidates[row].n_components == own.n_components]
            if flat:
                return min(alike or flat, key=self.errors.__getitem__)
        less = self._steps(-1)
        return less[0] if less else self._other_kind()

    def _other_kind(self) -> int | None:
        """Return the best candidate of the same dimension, if there is another."""
        own = self.candidates[self.chosen]
        alike = [
            row
            for row, one in enumerate(self.candidates)
            if one.n_components == own.n_components and row != self.chosen
        ]
        return min(alike, key=self.errors.__getitem__) if alike else None

    def _steps(self, step: int) -> list[int]:
        """Return candidates of the same kind with fewer or more dimensions, the nearest first."""
        own = self.candidates[self.chosen]
        rows = [
            row
            for row, one in enumerate(self.candidates)
            if one.kind == own.kind and step * (one.n_components - own.n_components) > 0
        ]
        return sorted(rows, key=lambda row: step * self.candidates[row].n_components)

    def _further(self) -> str:
        """Return what more dimensions would gain."""
        more = self._steps(1)
        if not more:
            if self.lowest == self.chosen:
                return ""
            return f"{self._name(self.lowest)} would gain nothing that is certain"
        k = self.candidates[more[0]].n_components
        gain = 1.0 - self.errors[more[0]] / max(self.errors[self.chosen], 1e-300)
        dimension = f"a {number(k, ORDINALS, 'th')} dimension"
        if gain < SLIGHT:
            return f"{dimension} gains nothing"
        return f"the {percent(gain)} that {dimension} gains are within the standard error"


def percent(share: float) -> str:
    """Return a share in per cent: with a digit if it is small.

    Examples
    --------
    >>> percent(0.1234), percent(0.0123)
    ('12 %', '1.2 %')
    """
    return f"{100.0 * share:.0f} %" if share >= 0.0995 else f"{100.0 * share:.1f} %"
