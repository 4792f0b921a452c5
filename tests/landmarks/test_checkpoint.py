"""Checkpoints of very many points: whichever phase ^C meets, the map ends the same."""

import warnings
from functools import cache
from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from tests.support.parts import slow
from unimds import LandmarkMDS, Outcome, Sphere
from unimds.checkpoint import Checkpoint
from unimds.files import FileError
from unimds.files.archive import read_archive, write_archive
from unimds.landmarks import place, refine
from unimds.models import load, save
from unimds.spaces import distances

X = np.random.default_rng(0).normal(size=(300, 4))
D = distances(X)
KINDS = {
    "features": (X, {}),
    "robust": (X, {"loss": "absolute", "n_init": 1, "n_jobs": 2}),
    "distances": (D, {"metric": "precomputed", "landmarks": "random", "n_init": 1}),
    "a sphere": (X, {"space": Sphere("auto")}),
    "single precision": (X.astype(np.float32), {"init": "random", "n_init": 2}),
}
LIMIT = {"n_landmarks": 40, "sample_size": 30, "refine": 6, "random_state": 0}


@cache
def whole_run(kind):
    """Return a fit that nothing cuts: several tests compare with it."""
    data, options = KINDS[kind]
    return LandmarkMDS(**LIMIT, **options).fit(data)


class Bell:
    """Rings ^C when a function is called for the n-th time."""

    def __init__(self, function, count):
        self.function, self.left = function, count

    def __call__(self, *args):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self.function(*args)


def struck(monkeypatch, phase, count, data, options, path):
    """Fit until ^C in a phase; return the estimator, or None if there is no map."""
    with monkeypatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mds = LandmarkMDS(**LIMIT, **options, checkpoint=path)
        if phase == "fitting":
            mds.set_params(callback=Bell(lambda *_: False, count))
        elif phase == "placing":
            patch.setattr(place, "_placed", Bell(place._placed, count))
        else:
            patch.setattr(refine, "_refined", Bell(refine._refined, count))
        try:
            return mds.fit(data)
        except KeyboardInterrupt:
            assert phase == "placing"
            return None


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Thirty points at a time, so that there are several chunks."""
    monkeypatch.setattr(place, "ENTRIES", 30 * 40)


PHASES = {"fitting": 3, "placing": 6, "refining": 25}  # and at which call in it ^C comes
LONG = [("a sphere", "placing")]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("kind", "phase"),
    [slow(*case) if case in LONG else case for case in product(KINDS, PHASES)],
)
def test_it_goes_on_to_the_very_same_map(tmp_path, monkeypatch, kind, phase):
    data, options = KINDS[kind]
    path = tmp_path / "run.ckpt"
    whole, count = whole_run(kind), PHASES[phase]
    cut = struck(monkeypatch, phase, count, data, options, path)
    assert path.exists()
    assert (cut is None) == (phase == "placing")
    assert cut is None or cut.outcome_ is Outcome.INTERRUPTED
    placed = []
    monkeypatch.setattr(
        place, "_placed", lambda *given, own=place._placed: placed.append(1) or own(*given)
    )
    ended = LandmarkMDS(**LIMIT, **options, checkpoint=path).fit(data)
    assert ended.outcome_ is whole.outcome_
    np.testing.assert_array_equal(ended.embedding_, whole.embedding_)
    assert (ended.cost_, ended.stress_, ended.space_) == (whole.cost_, whole.stress_, whole.space_)
    np.testing.assert_array_equal(ended.transform(data[:5]), whole.transform(data[:5]))
    # what has been done is not done again: of ten chunks five, or none
    most = {"fitting": 10, "placing": 6, "refining": 0}[phase]
    assert len(placed) <= most


@pytest.mark.slow
def test_cut_while_the_size_is_looked_for_it_goes_on(tmp_path, monkeypatch):
    data, options = KINDS["a sphere"]
    path = tmp_path / "run.ckpt"
    whole = whole_run("a sphere")
    for count in (2, whole.n_iter_ + 1):
        struck(monkeypatch, "fitting", count, data, options, path)
    ended = LandmarkMDS(**LIMIT, **options, checkpoint=path).fit(data)
    np.testing.assert_array_equal(ended.embedding_, whole.embedding_)


def test_without_a_seed_it_goes_on_with_the_seeds_in_the_file(tmp_path, monkeypatch):
    path, options = tmp_path / "run.ckpt", {"random_state": None}
    struck(monkeypatch, "placing", 6, X, {}, path)  # its landmarks are those of seed 0
    header, _ = read_archive(path, "checkpoint")
    path.unlink()
    with monkeypatch.context() as patch:
        patch.setitem(LIMIT, "random_state", None)
        struck(patch, "placing", 6, X, {}, path)
    kept = read_archive(path, "checkpoint")[0]["seeds"]
    assert kept != header["seeds"]
    ended = LandmarkMDS(**{**LIMIT, **options}, checkpoint=path).fit(X)
    assert np.isfinite(ended.embedding_).all()


def test_it_is_written_while_points_are_placed_and_refined(tmp_path):
    path = tmp_path / "run.ckpt"
    LandmarkMDS(**LIMIT, checkpoint=Checkpoint(path, every=0.0)).fit(X)
    header, _ = read_archive(path, "checkpoint")
    assert set(header["parts"]) == {"landmarks", "refining"}
    assert header["parts"]["refining"]["sweeps"] == 6
    again = LandmarkMDS(**LIMIT, checkpoint=path).fit(X)
    np.testing.assert_array_equal(again.embedding_, LandmarkMDS(**LIMIT).fit(X).embedding_)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("data", "options"),
    [
        (X * (1.0 + 1e-15 * (np.arange(300) == 7)[:, None]), {}),
        (X, {"loss": "huber"}),
        (X, {"random_state": 1}),
        (X, {"refine": 5}),
        (X, {"n_landmarks": 41}),
        (X, {"metric": "cityblock"}),
    ],
    ids=["a bit", "loss", "seed", "sweeps", "landmarks", "metric"],
)
def test_one_of_another_run_is_refused(tmp_path, monkeypatch, data, options):
    path = tmp_path / "run.ckpt"
    struck(monkeypatch, "placing", 6, X, {}, path)
    before = path.read_bytes()
    with pytest.raises(FileError, match="other data or other settings"):
        LandmarkMDS(**{**LIMIT, **options}, checkpoint=path).fit(data)
    assert path.read_bytes() == before


def test_distances_to_the_landmarks_are_compared(tmp_path, monkeypatch):
    path, options = tmp_path / "run.ckpt", {"metric": "precomputed"}
    struck(monkeypatch, "placing", 6, D, options, path)
    marks = LandmarkMDS(**LIMIT, **options).fit(D).landmarks_
    other = next(i for i in range(300) if i not in marks)
    changed = D.copy()
    changed[other, marks[0]] = changed[marks[0], other] = 7.0
    with pytest.raises(FileError, match="other data or other settings"):
        LandmarkMDS(**LIMIT, **options, checkpoint=path).fit(changed)


def test_a_broken_one_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.ckpt"
    struck(monkeypatch, "placing", 6, X, {}, path)
    header, arrays = read_archive(path, "checkpoint")
    told = {key: value for key, value in header.items() if key not in ("unimds", "version")}
    write_archive(
        path, "checkpoint", told, {**arrays, "placing.X": arrays["placing.X"][:, :9]}, force=True
    )
    with pytest.raises(FileError, match="broken"):
        LandmarkMDS(**LIMIT, checkpoint=path).fit(X)


def test_landmarks_that_ended_at_their_limit_go_on(tmp_path):
    path = tmp_path / "run.ckpt"
    options = {**LIMIT, "n_init": 1, "eps": 1e-10}
    whole = LandmarkMDS(**options).fit(X)
    with pytest.warns(ConvergenceWarning):
        short = LandmarkMDS(**options, max_iter=4, checkpoint=Checkpoint(path, every=0.0)).fit(X)
    assert short.outcome_ is Outcome.MAX_ITER
    ended = LandmarkMDS(**options, checkpoint=path).fit(X)
    np.testing.assert_array_equal(ended.embedding_, whole.embedding_)


def test_few_points_have_the_checkpoint_of_mds(tmp_path, monkeypatch):
    path = tmp_path / "run.ckpt"
    struck(monkeypatch, "fitting", 3, X[:30], {}, path)
    ended = LandmarkMDS(**LIMIT, checkpoint=path).fit(X[:30])
    np.testing.assert_array_equal(ended.embedding_, LandmarkMDS(**LIMIT).fit(X[:30]).embedding_)


def test_one_that_cannot_be_written_does_not_end_the_run(tmp_path):
    checkpoint = Checkpoint(tmp_path / "nowhere" / "run.ckpt", every=0.0)
    with pytest.warns(RuntimeWarning, match="there is no folder"):
        mds = LandmarkMDS(**LIMIT, checkpoint=checkpoint).fit(X)
    assert mds.outcome_.converged


def test_a_model_knows_why_its_fit_ended(tmp_path, monkeypatch):
    cut = struck(monkeypatch, "refining", 25, X, {}, None)
    assert cut.outcome_ is Outcome.INTERRUPTED
    save(cut, tmp_path / "m")
    assert load(tmp_path / "m").outcome_ is Outcome.INTERRUPTED
