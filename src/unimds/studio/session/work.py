"""What a user has made of a file: settings, changes by hand, places of the points, and maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from unimds.studio.recipe import Source
from unimds.studio.session.tasks import Refused
from unimds.studio.settings import Settings
from unimds.studio.steps import Made, Step

Array = NDArray[Any]
Picture = tuple[dict[str, Any], bytes]
"""How points are drawn: a header for the pages, and their places."""

CHAIN = 25
"""Steps that a recipe repeats; a map after more begins with numbers."""
SHELF = 12
"""Maps that can be compared."""
FEWEST = 3
"""Points that a map needs."""


@final
@dataclass(eq=False)
class Shelved:
    """A finished map, and what is known of it.

    Attributes
    ----------
    made : Made
        The map, and the steps that led to it.
    space : Space
        Where it lies; its size is known.
    view : Picture
        How it is drawn.
    judged : dict or None
        How well it fits; None until that is known.
    stability : dict or None
        Where else its points could be; None until that was asked.
    """

    made: Made
    space: Any
    view: Picture
    judged: dict[str, Any] | None = None
    stability: dict[str, Any] | None = None

    def told(self, n: int) -> dict[str, Any]:
        """Return what a page shows of a map in its list; the file has n points."""
        made = self.made
        step = made.step
        return {
            "number": made.number,
            "settings": step.settings.told(),
            "points": len(made.points),
            "changes": len(step.missing) + len(step.left_out) + len(step.fixed),
            "steps": len(made.chain),
            "all": len(made.points) == n,
            "judged": self.judged is not None,
            **made.facts,
        }


@final
class Work:
    """What a user has made of a file. It knows nothing of tasks.

    Attributes
    ----------
    left_out, missing, fixed
        Changes by hand, as in `Step`.
    shelf : dict of int to Shelved
        The last maps, by their numbers.
    current : int or None
        The map that the pages show.
    places : ndarray or None
        Those of all points of the file, the last ones known.
    torn : bool
        Whether the places are newer than the current map.
    anew : bool
        Whether the settings ask for a start of their own, not for these places.
    frame : Picture or None
        The last one since the last map.
    """

    def __init__(self, source: Source, settings: Settings):
        self.source, self.settings = source, settings
        self.left_out: set[int] = set()
        self.missing: set[tuple[int, int]] = set()
        self.fixed: dict[int, tuple[float, ...]] = {}
        self.shelf: dict[int, Shelved] = {}
        self.current: int | None = None
        self.tables: tuple[int, Any] | None = None  # given distances, of the last map only
        self.places: Array | None = None
        self.torn = self.anew = False
        self.frame: Picture | None = None
        self.choice: dict[str, Any] | None = None

    @property
    def n(self) -> int:
        """Number of points in the file."""
        return self.source.table.n

    # --- changes by hand ---

    def number(self, i: Any) -> int:
        """Return the number of a point of the file."""
        if type(i) is not int or not 0 <= i < self.n:
            raise Refused("there is no such point")
        return i

    def pair(self, i: Any, j: Any) -> tuple[int, int]:
        """Return the numbers of two points."""
        low, high = sorted((self.number(i), self.number(j)))
        if low == high:
            raise Refused("a pair has two points")
        return low, high

    def leave_out(self, i: Any) -> None:
        """Leave a point out, if enough are left."""
        i = self.number(i)
        if self.n - len(self.left_out | {i}) < FEWEST:
            raise Refused(f"a map needs {FEWEST} points")
        self.left_out.add(i)
        self.fixed.pop(i, None)

    def begin_anew(self) -> None:
        """Have the next fit start as the settings say, whatever else is changed until then."""
        self.fixed.clear()
        self.anew = True

    # --- steps ---

    def step(self, start: Array | None = None) -> Step:
        """Return a fit of all that was chosen and changed."""
        left_out, missing = tuple(sorted(self.left_out)), tuple(sorted(self.missing))
        return Step(self.settings, left_out, missing, dict(self.fixed), start)

    def cold(self) -> Step:
        """Return a fit that starts as the settings say; the places are forgotten."""
        self.places, self.torn, self.anew = None, False, False
        return self.step()

    def warm(self) -> tuple[Step, Made | None]:
        """Return a fit that starts where the points are, and the map that it starts from.

        That is the current map, or None if the places are newer than it.
        """
        if self.places is None or self.anew:
            return self.cold(), None
        kept = self.step().kept(self.n)
        made = None if self.torn else self.made
        start = None if made is None else made.rows(kept, self.n)
        if start is None or (made is not None and len(made.chain) >= CHAIN):
            made, start = None, self.places[kept]
        return self.step(start), made

    def take_places(self, step: Step, points: Array) -> None:
        """Keep the places of the points: a crash loses nothing but the last frame."""
        if self.places is None or self.places.shape[1:] != points.shape[1:]:
            self.places = np.full((self.n, points.shape[1]), np.nan, dtype=points.dtype)
            gaps = np.linalg.norm(points - points.mean(axis=0), axis=1)
            self.places[:] = points[gaps.argmin()]  # a mean need not lie in a curved space
        self.places[step.kept(self.n)] = points
        for i, place in self.fixed.items():
            self.places[i] = place

    # --- maps ---

    @property
    def made(self) -> Made | None:
        """The current map."""
        return None if self.current is None else self.shelf[self.current].made

    def found(self, number: Any) -> Shelved:
        """Return a map by its number."""
        if type(number) is not int or number not in self.shelf:
            raise Refused("there is no such map")
        return self.shelf[number]

    def keep(self, shelved: Shelved) -> None:
        """Keep a finished map, which the pages show from now on; of many, forget the oldest."""
        made = shelved.made
        self.take_places(made.step, made.points)
        self.shelf[made.number] = shelved
        self.current, self.torn, self.frame = made.number, False, None
        for number in list(self.shelf)[:-SHELF]:
            del self.shelf[number]

    def go_back(self, number: Any) -> None:
        """Go back to an earlier map, its settings and its changes."""
        made = self.found(number).made
        step = made.step
        self.settings, self.current, self.torn = step.settings, number, False
        self.left_out, self.missing = set(step.left_out), set(step.missing)
        self.fixed, self.anew, self.frame = dict(step.fixed), False, None
        self.places = None
        self.take_places(step, made.points)

    def judge(self, number: int, found: dict[str, Any]) -> None:
        """Keep how well a map fits, and the tables that it was compared with."""
        tables = found.pop("tables")
        if number in self.shelf:
            self.shelf[number].judged = found
            self.tables = number, tables

    def asked(self, name: str) -> list[Any]:
        """Return all that an answer depends on to which choice of a setting is best."""
        others = {key: part for key, part in self.settings.told().items() if key != name}
        return [{**others, "start": None}, sorted(self.left_out), sorted(self.missing)]

    # --- pictures ---

    def view(self, number: int) -> Picture:
        """Return how a map is drawn."""
        shelved = self.found(number)
        about, shown = shelved.view
        kept = shelved.made.step.kept(self.n).tolist()
        return {"type": "view", **about, "kept": kept, "number": number}, shown

    def pictures(self) -> list[Picture]:
        """Return what a page that comes now is to show: the last map, and what has moved since."""
        found = [] if self.current is None else [self.view(self.current)]
        return found if self.frame is None else [*found, self.frame]

    def told(self) -> dict[str, Any]:
        """Return what the pages are told of it."""
        source, choice = self.source, self.choice
        if choice is not None:
            choice = {**choice, "stale": choice["asked"] != self.asked(choice["name"])}
        shelved = None if self.current is None else self.shelf[self.current]
        studied = shelved is not None and shelved.stability is not None
        return {
            "file": {
                "name": source.name,
                "n": self.n,
                "kind": source.table.kind,
                "precomputed": source.table.precomputed,
                "how": dict(source.how),
            },
            "settings": self.settings.told(),
            "fixed": sorted(self.fixed),
            "left_out": sorted(self.left_out),
            "missing": sorted(self.missing),
            "torn": self.torn,
            "current": self.current,
            "maps": [one.told(self.n) for one in self.shelf.values()],
            "choice": choice,
            "stability": self.current if studied else None,
        }
