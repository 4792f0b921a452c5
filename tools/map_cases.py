"""The cases of same_maps.py: fits, and all else that gives numbers, by public names only.

A case is an expression, and its name is that expression. Its digest covers every array and number
of the value but seconds; where a case raises, the digest is the error.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from hashlib import blake2b
from importlib.util import find_spec
from math import floor, log1p, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse  # noqa: F401
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

import unimds
from unimds import datasets, files, models, quality, rivals, spaces  # noqa: F401
from unimds.checkpoint import Checkpoint

PUBLIC = {name: getattr(unimds, name) for name in unimds.__all__}  # names for the cases

# --- data, which owe nothing to the code that is compared -----------------------------------------

RNG = np.random.default_rng(0)
POINTS, NEW = RNG.normal(size=(36, 4)), RNG.normal(size=(5, 4))
TABLE, TO_MAP = 0.5 * cdist(POINTS, POINTS), 0.5 * cdist(NEW, POINTS)
SUMS = np.add.outer(np.arange(36), np.arange(36))
WEIGHTS = 0.1 + SUMS % 7
HOLES = np.where(SUMS % 6 == 1, np.nan, TABLE)
WRONG = TABLE + 3.0 * (SUMS % 11 == 3) * (TABLE > 0.0)
LOPSIDED = TABLE * (1.0 + 0.3 * RNG.random(TABLE.shape))
GAPS = np.where(RNG.random(POINTS.shape) < 0.1, np.nan, POINTS)
SEED = POINTS[:, :2] / 3.0
MANY = RNG.normal(size=(1500, 5)) * [3.0, 2.0, 1.0, 0.5, 0.2]
FAR = cdist(MANY, MANY)
WIDE, COUNTS = RNG.normal(size=(40, 300)), RNG.poisson(2.0, size=(30, 8)) + np.eye(30, 8)


@dataclass(frozen=True)
class Cauchy(unimds.Loss):
    """A loss of a user's own."""

    width: float = 0.5

    def value(self, u, r):
        return log1p(((u - r) / self.width) ** 2)

    def weight(self, u, r):
        return 1.0 / (self.width**2 + (u - r) ** 2)


@dataclass(frozen=True)
class FlatTorus(unimds.Space):
    """A space of a user's own."""

    side: float = 4.0

    def shortest(self, t):
        return t - self.side * floor(t / self.side + 0.5)

    def measure(self, p, X, dist, slope):
        for j in range(dist.shape[0]):
            square = 0.0
            for a in range(X.shape[0]):
                square += self.shortest(X[a, j] - p[a]) ** 2
            dist[j] = sqrt(square)
            slope[j] = 1.0

    def gather(self, p, X, coef, v):
        for a in range(X.shape[0]):
            v[a] = 0.0
            for j in range(coef.shape[0]):
                v[a] += coef[j] * self.shortest(X[a, j] - p[a])

    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += v[a]
            p[a] -= self.side * floor(p[a] / self.side)

    def random(self, n, n_components, spread, rng):
        return rng.uniform(0.0, self.side, size=(n, n_components))


# --- what the cases call --------------------------------------------------------------------------


def fit(D: Any = TABLE, k: int = 2, *, weights: Any = None, fixed: Any = None, **how: Any) -> Any:
    """Fit a table, or features where a metric is given, and place new points."""
    mds = unimds.MDS(k, **{"metric": "precomputed", "random_state": 0, **how})
    mds.fit(D, weights=weights, fixed=fixed)
    if len(D) != len(POINTS):
        return mds
    return mds, mds.transform(TO_MAP if mds.metric == "precomputed" else NEW)


def landmarks(X: Any = MANY, new: Any = MANY[:7] + 0.1, **how: Any) -> Any:
    """Fit many points by landmarks, and place new ones."""
    mds = unimds.LandmarkMDS(**{"n_landmarks": 80, "refine": 3, "random_state": 0, **how}).fit(X)
    return mds, mds.transform(new)


def csv(path: Path, values: Any, names: list[str]) -> Any:
    """Write a table with labels, and read it."""
    rows = [[f"p{i}", *map(repr, row)] for i, row in enumerate(values.tolist())]
    path.write_text("\n".join(",".join(row) for row in [names, *rows]))
    return files.read(path)


def dask(values: Any, **how: Any) -> Any:
    """Fit on a cluster of one worker in this process."""
    from dask.array import from_array
    from distributed import Client, LocalCluster

    kind = {"processes": False, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(1, **kind) as cluster, Client(cluster):
        mds = unimds.MDS(random_state=0, **how).fit(from_array(values, chunks=(12, -1)))
    return mds.result_, mds.embedding_, mds.stress_


def model(path: Path, make: Callable[[], Any], new: Any) -> Any:
    """Place points by the model in a file, which is written where there is none."""
    if not path.exists():
        models.save(make()[0], path)
    mds = models.load(path)
    return mds, mds.transform(new)


def kept(path: Path, sweeps: int = 0, old: Path | None = None) -> Any:
    """Make a run that is kept in a file, or go on with it; ^C may end it after some sweeps."""

    def callback(iteration: int, *_: Any) -> None:
        if iteration == sweeps:
            raise KeyboardInterrupt

    if old is not None:
        _ = old.exists() or kept(old, 20)
        shutil.copy(old, path)
    how = {"loss": "absolute", "n_init": 2, "random_state": 0, "callback": callback}
    return unimds.place_center(WRONG, **how, checkpoint=Checkpoint(path, every=0.5))


def projected(**how: Any) -> Any:
    """Project points, and compare their angles."""
    X = unimds.SphericalRandomProjection(20, random_state=0, **how).fit_transform(WIDE)
    return X, unimds.angular_distortion(WIDE, X)


def distributions(**how: Any) -> Any:
    """Fit counts, and place others."""
    mds = unimds.DistributionEmbedding(2, random_state=0, **how).fit(COUNTS)
    return mds, mds.transform(COUNTS[:5] + 1.0)


def qualities(**how: Any) -> Any:
    """Return all measures of a map, which may be weighted, and of two maps."""
    space = {"space": how.get("space", "euclidean")}
    X, Y = (unimds.place_center(D, **space, random_state=0).embedding for D in (TABLE, HOLES))
    names = ("stress_1", "normalized_stress", "point_stress", "total_cost")
    found = [getattr(quality, name)(TABLE, X, **how) for name in names]
    found += [quality.residuals(TABLE, X, **space), quality.shepard(HOLES, X, **space)]
    found += [quality.align(Y, X, **space), quality.recovery_error(Y, X, **space)]
    return [*found, spaces.distances(X, Y, **space)]


# --- the cases: `own` is an empty folder, `old` has files of the other checkout -------------------

LOSSES = ['"squared"', '"absolute"', '"huber"', '"squared_distance"', "Power(1.5)"]
SPACES = ["euclidean", "sphere", "chordal_sphere", "hyperbolic", "simplex"]
VARIANTS = ["fMDS", "rMDS", "r2MDS", "c-1-sMDS", "c-2-sMDS", "g-1-sMDS", "g-2-sMDS"]
FITS = """
WRONG, loss="absolute"; WRONG, 1, loss="absolute"; WRONG, 3, loss="absolute"
space=Sphere("auto"); space=ChordalSphere("auto"); space=Hyperbolic("auto"); space=Simplex("auto")
loss="absolute", space=Sphere("auto"); WRONG, 5, loss="absolute"
init="classical"; init="spherical", space="sphere"; init="hyperbolic", space="hyperbolic"
init="random"; init="random", space="simplex", n_init=2; init=SEED
init="shaken"; init="shaken", loss="absolute"; init="shaken", space="sphere"
n_init=1, loss="absolute"; n_init=3; n_init=3, n_jobs=2, loss="absolute"; n_jobs=2
TABLE.astype("float32"); TABLE.astype("float32"), loss="absolute"; dtype="float32"
TABLE.astype("float32"), space="sphere"; k=3, dtype="float32"
weights=WEIGHTS; weights=WEIGHTS, loss="absolute"; weights=WEIGHTS, space="hyperbolic"
HOLES; HOLES, loss="absolute", space="sphere"; HOLES, weights=WEIGHTS
LOPSIDED; 0.8 * LOPSIDED, loss="absolute", space="sphere"; LOPSIDED, weights=WEIGHTS
LOPSIDED + 0.0 * HOLES, weights=WEIGHTS; loss=Cauchy(); space=FlatTorus()
fixed={0: [0.0, 0.0], 7: [1.0, 0.5]}; fixed={3: [0.0, 0.0, 1.0]}, loss="absolute", space="sphere"
WRONG, loss="absolute", smoothing=0; WRONG, loss="absolute", smoothing=0.1
accelerate=False; accelerate=False, loss="absolute"; max_iter=5; eps=1e-3
inner_iter=100; inner_iter=100, loss="absolute", smoothing=0, accelerate=False, n_init=1
POINTS, metric="euclidean"; POINTS.astype("float32"), metric="euclidean"
POINTS, metric="cityblock"; POINTS, metric="minkowski", metric_params={"p": 3}
POINTS, metric="seuclidean"; POINTS, metric="mahalanobis"; GAPS, metric="nan_euclidean"
POINTS, metric="euclidean", weights=WEIGHTS; POINTS, metric="euclidean", memory_limit=0
MANY[:400], metric="euclidean", memory_limit=0, loss="absolute", max_iter=60
FAR[:40, :40]; FAR[:600, :600]; FAR[:600, :600], loss="absolute", max_iter=100
FAR[:1200, :1200], max_iter=100; 0.15 * FAR[:600, :600], space="sphere"
-TABLE; TABLE[:, :9]; variant="xMDS"; init="spherical"
"""
OTHERS = """
place_center(TABLE, random_state=0)
place_center(TABLE, init="random", n_init=2, random_state=np.random.RandomState(3))
place_center(TABLE, random_state=0, callback=lambda iteration, *_: iteration == 4)
place_points(TO_MAP, SEED); place_points(TO_MAP, SEED, loss="absolute", weights=WEIGHTS[:5])
place_points(TO_MAP, spaces.from_poincare(0.2 * SEED), space="hyperbolic")
landmarks(); landmarks(FAR, FAR[:7], metric="precomputed"); landmarks(landmarks="random")
landmarks(loss="absolute", n_jobs=2); landmarks(refine=0); landmarks(MANY[:60])
landmarks(space=Sphere("auto")); landmarks(space="hyperbolic", n_components=3)
landmarks(MANY.astype("float32")); landmarks(metric="cityblock", loss="huber")
distributions(space="simplex"); distributions(space="simplex", method="jl+mds")
distributions(space="sphere"); distributions(space="sphere", method="jl")
HellingerMap(0.5).fit_transform(COUNTS); HellingerMap().fit_transform(csr_array(COUNTS))
hellinger_distances(COUNTS, COUNTS[:9]); spherical_jl_min_dim(500, eps=0.2)
projected(method="subspace"); projected(method="gaussian"); projected(method="sparse")
rivals.classical_mds(TABLE); rivals.smacof(TABLE); rivals.smacof(HOLES, weights=WEIGHTS)
rivals.robust_euclidean_embedding(WRONG); rivals.smacof_q(TABLE); rivals.multiresolution(TABLE)
rivals.renormalised(TABLE); rivals.sgd(TABLE, random_state=0); rivals.lbfgs(WRONG)
rivals.sgd(TABLE, space="hyperbolic", random_state=0); qualities(weights=WEIGHTS)
datasets.corrupt(TABLE, 0.2, rng=0); datasets.load_cities()
datasets.great_circle(datasets.load_cities().latlon)
csv(own / "table.csv", TABLE, ["", *(f"p{i}" for i in range(36))])
csv(own / "table.csv", POINTS, ["name", "a", "b", "c", "d"])
model(own / "mds", fit, TO_MAP); model(own / "landmarks", landmarks, MANY[:7])
model(old / "mds", lambda: fit(POINTS, metric="seuclidean"), NEW)
model(old / "landmarks", landmarks, MANY[:7])
kept(own / "run"); kept(own / "run", 20); [kept(own / "run", 20), kept(own / "run")]
kept(own / "run", old=old / "run")
np.save(own / "D.npy", TABLE) or fit(np.load(own / "D.npy", mmap_mode="r"))
dask(TABLE, metric="precomputed"); dask(POINTS, metric="euclidean")
"""


def split(cases: str) -> list[str]:
    """Return the cases of a text: they end with the line, or with a semicolon."""
    return cases.strip().replace("; ", "\n").split("\n")


CASES = [
    *(f'fit(loss={loss}, space="{space}")' for loss in LOSSES for space in SPACES),
    *(f'fit(k={k}, space="{space}")' for k in (1, 3, 5) for space in SPACES),
    *(f'fit(variant="{variant}")' for variant in VARIANTS),
    *(f"fit({how})" for how in split(FITS)),
    *(f'qualities(space="{space}")' for space in SPACES),
    *(case for case in split(OTHERS) if find_spec("distributed") or not case.startswith("dask")),
]

# --- digests --------------------------------------------------------------------------------------


def parts(value: Any) -> Any:
    """Return what an object holds, but for seconds: arrays, plain values, lists, dictionaries."""
    if isinstance(value, BaseEstimator):
        found = {name: part for name, part in vars(value).items() if name.endswith("_")}
        return {name: found[name] for name in found.keys() - {"seconds_", "history_"}}
    if isinstance(value, unimds.Result):
        # without the stress, which older versions leave to the estimators
        value = replace(value, history=value.history[:, 1], stress=None)
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if issparse(value):
        return value.toarray()
    return value.name if isinstance(value, Enum) else value


def text(value: Any) -> str:
    """Return words that change with every bit of a value."""
    found = parts(value)
    if isinstance(found, np.ndarray) and found.dtype != object:
        hashed = blake2b(np.ascontiguousarray(found).data, digest_size=16).hexdigest()
        return f"{found.dtype}{found.shape}{hashed}"
    if isinstance(found, dict):
        return f"{type(value).__name__}{[(name, text(found[name])) for name in sorted(found)]}"
    if isinstance(found, list | tuple | np.ndarray):
        return str([text(part) for part in found])
    if found is None or isinstance(found, bool | int | float | str | np.generic):
        return repr(found)
    raise TypeError(f"no digest of {type(found)}")


def digest(case: str, old: Path) -> str:
    """Return the digest of the value of a case, or the error that it raises."""
    with tempfile.TemporaryDirectory() as own:
        scope = {**PUBLIC, **globals(), "own": Path(own), "old": old}
        try:
            value = text(eval(case, scope))
        except Exception as error:
            return f"{type(error).__name__}: {error}".replace(own, "…")
    return blake2b(value.encode(), digest_size=16).hexdigest()
