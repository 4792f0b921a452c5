"""What a user of the studio may choose, with a sentence of help each; written here only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, final

if TYPE_CHECKING:
    from unimds.spaces import Space


@final
class Choice(NamedTuple):
    """One of the values of a setting, what it is called, and a sentence of help."""

    value: Any
    title: str
    help: str


@final
class Setting(NamedTuple):
    """A setting: its title, a sentence of help, and what may be chosen."""

    name: str
    title: str
    help: str
    choices: tuple[Choice, ...]


SETTINGS = (
    Setting(
        "dim",
        "Dimension",
        "How many directions the map has: few are easy to look at, more fit better.",
        (
            Choice(1, "1", "A line, or a circle on the sphere: an order of the points."),
            Choice(2, "2", "A plane, or the surface of a globe: what you see is the whole map."),
            Choice(3, "3", "Space, which you can turn with the mouse."),
            Choice(4, "4", "The picture shows the two directions with most of the variance."),
            Choice(5, "5", "The picture shows the two directions with most of the variance."),
            Choice(6, "6", "The picture shows the two directions with most of the variance."),
        ),
    ),
    Setting(
        "space",
        "Space",
        "Where the map lies: flat, round or branching.",
        (
            Choice("euclidean", "Flat", "Ordinary space: the usual choice."),
            Choice(
                "sphere",
                "Sphere",
                "Distances along the surface of a globe, whose radius is estimated.",
            ),
            Choice(
                "chordal_sphere",
                "Sphere, straight through",
                "Points on a globe, distances straight through it.",
            ),
            Choice(
                "hyperbolic",
                "Hyperbolic",
                "Room grows quickly outwards, as in a tree; the curvature is estimated.",
            ),
            Choice(
                "simplex",
                "Simplex",
                "Every point is a mixture of outcomes, one more than dimensions; its size is "
                "estimated.",
            ),
        ),
    ),
    Setting(
        "loss",
        "Loss",
        "What an error in a distance costs.",
        (
            Choice(
                "squared", "Squared", "Large errors cost most: for distances that are all good."
            ),
            Choice(
                "absolute", "Absolute", "Robust: some wrong distances do not spoil the whole map."
            ),
            Choice("huber", "Huber", "Squared for small errors, absolute for large ones."),
            Choice(
                "squared_distance",
                "Squares of distances",
                "Compares squares (S-Stress): long distances count most.",
            ),
        ),
    ),
    Setting(
        "level",
        "Level",
        "How much of the numbers to believe.",
        (
            Choice("ratio", "Ratio", "The numbers are distances: twice as much is twice as far."),
            Choice("interval", "Interval", "A straight line of the numbers is: the zero is free."),
            Choice("ordinal", "Ordinal", "Only their order counts: ratings and ranks."),
            Choice("spline", "Spline", "A smooth rising curve of the numbers is."),
            Choice("power", "Power", "A power of the numbers is."),
        ),
    ),
    Setting(
        "metric",
        "Metric",
        "How distances between the rows of a table of points are measured.",
        (
            Choice("euclidean", "Euclidean", "Straight lines; the column with most spread rules."),
            Choice("seuclidean", "Standardised", "Euclidean, every column with the same spread."),
            Choice("cityblock", "City block", "The sum of the differences of all columns."),
            Choice("cosine", "Cosine", "The angle between rows, whatever their length."),
            Choice("correlation", "Correlation", "Whether rows rise and fall together."),
            Choice("braycurtis", "Bray–Curtis", "For counts, as of species: what rows share."),
            Choice("hellinger", "Hellinger", "For counts taken as proportions."),
        ),
    ),
    Setting(
        "start",
        "Start",
        "Where the points begin; another start may end in another map.",
        (
            Choice("auto", "By linear algebra", "The spectral seed of the space, most often good."),
            Choice("random", "At random", "Shows best how a map finds itself; may end higher."),
            Choice("shaken", "Shaken", "The seed, roughly, then shaken: often ends lower."),
            Choice(
                "search",
                "Look for the lowest map",
                "Tries many starts before you see the best of them converge.",
            ),
        ),
    ),
)
"""All settings that are chosen from a list."""

HELD_OUT = ("dim", "space", "loss", "level")
CHOSEN_BY_PAIRS = {setting.name: setting for setting in SETTINGS if setting.name in HELD_OUT}
"""The settings that held-out pairs can choose."""

SEED = "Another number draws other random starts."
"""The help of the seed, a number."""
LARGEST_SEED = 2**32 - 1

SIZES = {
    "sphere": "radius",
    "chordal_sphere": "radius",
    "hyperbolic": "curvature",
    "simplex": "size",
}
"""The spaces whose size is estimated, and what it is called."""


def space_of(name: str) -> Space:
    """Return a space by its name; the size of a curved one is estimated.

    Examples
    --------
    >>> space_of("sphere")
    Sphere(radius='auto')
    """
    from unimds.spaces import SPACES  # here: the server starts without it

    return SPACES[name](**({SIZES[name]: "auto"} if name in SIZES else {}))


@final
@dataclass(frozen=True)
class Settings:
    """The settings of a map.

    Examples
    --------
    >>> Settings().changed({"dim": 3, "loss": "absolute"}).arguments(precomputed=True)["loss"]
    'absolute'
    >>> Settings().changed({"loss": "cubed"})
    Traceback (most recent call last):
        ...
    ValueError: loss: use one of squared, absolute, huber, squared_distance
    """

    dim: int = 2
    space: str = "euclidean"
    loss: str = "squared"
    level: str = "ratio"
    metric: str = "euclidean"
    start: str = "auto"
    seed: int = 0

    def changed(self, wanted: Mapping[str, Any]) -> Settings:
        """Return the settings with some changes, or raise if there is no such choice."""
        known = {setting.name: setting for setting in SETTINGS}
        for name, value in wanted.items():
            if name == "seed":
                _check_seed(value)
            elif name not in known:
                raise ValueError(f"there is no setting {name[:20]!r}")
            elif not any(_same(choice.value, value) for choice in known[name].choices):
                names = ", ".join(str(choice.value) for choice in known[name].choices)
                raise ValueError(f"{name}: use one of {names}")
        return replace(self, **wanted)

    def told(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return asdict(self)

    @property
    def place(self) -> Space:
        """The space of the map."""
        return space_of(self.space)

    def starts_like(self, other: Settings) -> bool:
        """Whether maps of both settings have the same coordinates, and ask for the same start."""
        own = (self.dim, self.space, self.start, self.seed)
        return own == (other.dim, other.space, other.start, other.seed)

    def arguments(self, precomputed: bool, warm: bool = False) -> dict[str, Any]:
        """Return the arguments of `MDS`; a `warm` start is given as points, to ``fit``."""
        found: dict[str, Any] = {"n_components": self.dim, "loss": self.loss}
        found["space"] = space_of(self.space) if self.space in SIZES else self.space
        found |= {"level": self.level, "metric": "precomputed" if precomputed else self.metric}
        if not warm:
            search = self.start == "search"
            found |= {"init": "auto" if search else self.start, "n_init": "auto" if search else 1}
        return {**found, "random_state": self.seed}

    def options(self, precomputed: bool) -> list[str]:
        """Return the options of `unimds embed` for a map without a warm start."""
        given = self.arguments(precomputed)
        found = ["--dim", str(self.dim), "--loss", self.loss, "--space", self.space]
        if self.space in SIZES:
            found += [f"--{SIZES[self.space]}", "auto"]
        found += ["--level", self.level]
        found += [] if precomputed else ["--metric", self.metric]
        found += ["--init", given["init"], "--n-init", str(given["n_init"])]
        return [*found, "--seed", str(self.seed)]


def _check_seed(value: Any) -> None:
    if type(value) is not int or not 0 <= value <= LARGEST_SEED:
        raise ValueError(f"seed: give a whole number from 0 to {LARGEST_SEED}")


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def help_told() -> list[dict[str, Any]]:
    """Return all settings with their help, as plain values for the page."""
    return [
        {**setting._asdict(), "choices": [choice._asdict() for choice in setting.choices]}
        for setting in SETTINGS
    ] + [{"name": "seed", "title": "Seed", "help": SEED, "choices": []}]
