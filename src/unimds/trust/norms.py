"""What stress chance leads to: the stress of tables of random numbers.

The stress of random numbers depends on the number of points and dimensions, and on loss, space and
level; so it is simulated for each of them. Simulations are kept in memory and in the user's cache
folder, one file for each case and state of the solver, and a longer one goes on where a shorter one
ended.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from math import pi
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.folders import cache_folder
from unimds._runtime.words import counted
from unimds.estimators.mds import MDS
from unimds.files.atomic import atomic
from unimds.files.errors import FileError
from unimds.levels import as_level
from unimds.losses import Loss, Squared
from unimds.placecenter.result import Outcome
from unimds.spaces import Euclidean, Hyperbolic, Space
from unimds.trust.study import (
    StudiedTable,
    all_done,
    check_count,
    check_estimator,
    fit_anew,
    loss_and_space,
    warn_of_interruption,
)

Array = NDArray[Any]

LAYOUT = 1
"""Of the files; another number, and the files of before are not read."""
FIXED = (
    "n_components",
    "conditional",
    "n_init",
    "max_iter",
    "eps",
    "smoothing",
    "solver",
    "accelerate",
    "inner_iter",
    "dtype",
)
"""Parameters of `MDS`, beside loss, space and level, that the stress depends on."""
SOLVER = ("compiled", "kernels", "levels", "spaces", "placecenter", "starts", "estimators")
"""The rooms whose code decides how low the stress of a map is; so does `losses`."""
WIDE = 2.0 * pi
"""The largest dissimilarity in hyperbolic space of a given curvature, in radii of curvature."""

_memory: dict[Any, list[float]] = {}


@final
@dataclass(frozen=True, eq=False)
class StressNorms:
    """The Stress-1 of maps of random numbers.

    Attributes
    ----------
    stress : ndarray of shape (n_tables,)
        The Stress-1 of each table.
    n_points, n_components : int
        Number of points, and dimension of the maps.
    about : str
        The loss, the space and the level, in words.
    interrupted : bool
        Whether ^C ended the simulation; the tables that were done count.
    """

    stress: Array
    n_points: int
    n_components: int
    about: str
    interrupted: bool = False

    @property
    def mean(self) -> float:
        """The mean stress of random tables."""
        return float(self.stress.mean())

    @property
    def deviation(self) -> float:
        """The standard deviation of the stress of random tables."""
        return float(self.stress.std(ddof=1)) if len(self.stress) > 1 else float("nan")

    def quantile(self, share: float) -> float:
        """Return the stress that this share of random tables is below."""
        return float(np.quantile(self.stress, share))

    def share_below(self, stress: float) -> float:
        """Return the share of random tables with as little stress."""
        return float(np.mean(self.stress <= stress))

    def __repr__(self) -> str:
        """Return the norms in words."""
        low, high = self.quantile(0.05), self.quantile(0.95)
        return (
            f"{counted(len(self.stress), 'table')} of random numbers, {self.n_points} points, "
            f"{self.about}: Stress-1 {self.mean:.3f} ± {self.deviation:.3f}, "
            f"from {low:.3f} (5 %) to {high:.3f} (95 %)"
        )


def random_stress_norms(
    n_points: int,
    mds: MDS | None = None,
    *,
    n_tables: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
    cache: bool = True,
) -> StressNorms:
    """Return the stress of maps of random numbers, to compare a stress with.

    Parameters
    ----------
    n_points : int
        Number of points.
    mds : MDS, default=None
        What maps are made: dimension, loss, space and level; by default those of the plane.
    n_tables : int, default=100
        Number of tables. Their entries are uniform: from 0 to 1, or to the largest distance in a
        space of a given size (of hyperbolic space, 2π radii of curvature).
    random_state : int, default=0
        Seed of the tables and of the fits. The same seed has the same norms.
    n_jobs : int, default=None
        Number of threads, which share the fits.
    verbose : int, default=0
        1 shows a progress bar on standard error.
    cache : bool, default=True
        Whether to keep the norms in the user's cache folder, and to look there first;
        the environment variable ``UNIMDS_CACHE`` names another folder.

    Returns
    -------
    StressNorms

    Notes
    -----
    smacof's ``randomstress``. Norms say less than `permutation_test`: that keeps the numbers of
    the table, here they are uniform.

    References
    ----------
    I. Spence and J. C. Ogilvie, *A table of expected stress values for random rankings in nonmetric
    multidimensional scaling*, Multivariate Behavioral Research 8 (1973).

    Examples
    --------
    >>> from unimds import MDS
    >>> from unimds.trust import random_stress_norms
    >>> norms = random_stress_norms(10, MDS(level="ordinal"), n_tables=5, cache=False)
    >>> norms.stress.shape, 0.1 < norms.mean < 0.3
    ((5,), True)
    """
    n = check_count(n_points, "n_points", 3)
    count = check_count(n_tables, "n_tables", 1)
    seed = check_count(random_state, "random_state", 0)
    mds = MDS() if mds is None else mds
    check_estimator(mds)
    case = _case(n, mds, seed)
    known = _known(case, cache)
    fresh: list[float] = []
    interrupted = False
    if len(known) < count:
        table = StudiedTable(mds, np.zeros((0, 0)), None, False, None, None)

        def one(number: int) -> _Fit:
            rng = np.random.default_rng([seed, number])
            D = np.triu(rng.uniform(0.0, case.largest, (n, n)), 1)
            result = fit_anew(table, D + D.T, None, int(rng.integers(2**31)))
            assert result.stress is not None
            return _Fit(float(result.stress), result.outcome)

        what = f"{counted(count - len(known), 'table')} of random numbers"
        numbers = range(len(known), count)
        done, interrupted = all_done(one, numbers, what, n_jobs, verbose, lambda fit: fit.outcome)
        # on threads ^C may leave gaps: only those up to the first gap go on where others ended
        fresh = [fit.stress for at, (number, fit) in enumerate(done) if number == numbers[at]]
        known = [*known, *fresh]
        _keep(case, known, cache)
    if not known:
        raise KeyboardInterrupt
    if interrupted:
        warn_of_interruption(len(known), count, "tables")
    stress = np.array(known[:count])
    return StressNorms(stress, n, int(mds.n_components), case.about, interrupted)


class _Fit(NamedTuple):
    stress: float
    outcome: Outcome


class _Case(NamedTuple):
    """What norms depend on; `own` if all of it belongs to the library and can be told in words."""

    key: tuple[Any, ...]
    about: str
    largest: float
    own: bool


def _case(n: int, mds: MDS, seed: int) -> _Case:
    loss, space = loss_and_space(mds)
    level = as_level(mds.level)
    init = mds.init if isinstance(mds.init, str) else "auto"
    others = tuple((name, getattr(mds, name)) for name in FIXED)
    # another release, or another solver, may find lower maps: norms would not be comparable
    key = (LAYOUT, _release(), solver_digest(), n, seed, loss, space, level, init, others)
    parts = (loss, space, level)
    own = all(type(part).__module__.startswith("unimds.") for part in parts)
    return _Case(key, _words(mds.n_components, loss, space, level), _largest(space), own)


def _release() -> str:
    try:
        return version("unimds")
    except PackageNotFoundError:  # run from its sources
        return "none"


@cache
def solver_digest() -> str:
    """Return a digest of the code that maps depend on, which changes between releases too."""
    code, root = blake2b(digest_size=8), Path(__file__).parents[1]
    files = (file for room in SOLVER for file in (root / room).rglob("*.py"))
    for file in sorted([*files, root / "losses.py"]):
        code.update(file.read_bytes() if file.exists() else b"")
    return code.hexdigest()


def _words(k: int, loss: Loss, space: Space, level: Any) -> str:
    dimensions = "1 dimension" if k == 1 else f"{k} dimensions"
    more = [str(space)] if type(space) is not Euclidean else []
    more += [str(loss)] if type(loss) is not Squared else []
    more += [f"level {level}"] if not level.is_given else []
    return ", ".join([dimensions, *more])


def _largest(space: Space) -> float:
    """Return the largest dissimilarity of a random table."""
    if space.is_auto or not fields(space):
        return 1.0
    if np.isfinite(space.diameter):
        return space.diameter
    return WIDE * space.unit if isinstance(space, Hyperbolic) else 1.0


def _file(case: _Case) -> Path:
    name = blake2b(repr(case.key).encode(), digest_size=16).hexdigest()
    return cache_folder() / "stress-norms" / f"{name}.json"


def _known(case: _Case, cache: bool) -> list[float]:
    """Return the norms that were simulated before."""
    found = _memory.get(case.key, []) if cache else []
    if not cache or not case.own:
        return list(found)
    kept = _read(_file(case), repr(case.key))
    return list(kept if len(kept) > len(found) else found)


def _read(file: Path, key: str) -> list[float]:
    """Return the stresses in a file; none if it cannot be read, is broken or of another case."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["case"] != key:
            return []
        stress = np.asarray(content["stress"], dtype=np.float64)
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return stress.tolist() if stress.ndim == 1 and np.isfinite(stress).all() else []


def _keep(case: _Case, stress: list[float], cache: bool) -> None:
    if not cache:
        return
    _memory[case.key] = list(stress)
    if not case.own:
        return
    file = _file(case)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic(file, force=True) as partial:
            text = json.dumps({"case": repr(case.key), "stress": stress})
            partial.write_text(text, encoding="utf-8")
    except (OSError, FileError):  # no folder can be written: the norms are simulated again
        return
