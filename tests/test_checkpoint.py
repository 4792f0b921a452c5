"""Checkpoints: an interrupted run goes on to the very result of one that was not."""

import shutil
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from unimds import MDS, Outcome, Sphere, place_center
from unimds.checkpoint import Checkpoint
from unimds.datasets import corrupt
from unimds.files import FileError
from unimds.files.archive import read_archive, write_archive
from unimds.spaces import distances

POINTS = np.random.default_rng(1).normal(size=(40, 3))
D, _ = corrupt(distances(POINTS), 0.2, rng=0)
RUNS = {
    "annealed": {"loss": "absolute"},
    "squared": {"loss": "squared", "eps": 1e-10, "n_init": 3},
    "resized": {"loss": "squared", "space": Sphere("auto"), "n_init": 1},
    "threads": {"loss": "absolute", "n_init": 3, "n_jobs": 2},
    "fixed": {"loss": "absolute", "fixed": {0: [0.0, 0.0], 1: [1.0, 0.0]}},
    "given": {"loss": "squared", "init": POINTS[:, :2], "eps": 1e-12},
}


@cache
def whole_run(run):
    """Return a fit that nothing cuts: several tests compare with it."""
    return place_center(D, random_state=0, **RUNS[run])


class Interruption:
    """^C after so many sweeps, whichever start takes them."""

    def __init__(self, sweeps):
        self.sweeps = sweeps

    def __call__(self, *_):
        self.sweeps -= 1
        if self.sweeps == 0:
            raise KeyboardInterrupt


def interrupted(sweeps, table=D, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return place_center(table, random_state=0, callback=Interruption(sweeps), **options)


@pytest.mark.sample(3)
@pytest.mark.parametrize("sweeps", [1, 9, 60])
@pytest.mark.parametrize("run", RUNS)
def test_a_run_that_goes_on_ends_like_one_that_was_not_interrupted(tmp_path, run, sweeps):
    path, options = tmp_path / "run.ckpt", RUNS[run]
    whole = whole_run(run)
    cut = interrupted(sweeps, checkpoint=path, **options)
    assert not cut.converged
    assert path.exists()
    ended = place_center(D, random_state=0, checkpoint=path, **options)
    assert ended.outcome is whole.outcome
    assert ended.n_iter == whole.n_iter
    assert ended.cost == pytest.approx(whole.cost, rel=1e-12)
    np.testing.assert_allclose(ended.embedding, whole.embedding, rtol=0, atol=1e-12)
    assert ended.space == whole.space
    np.testing.assert_allclose(ended.history[:, 1], whole.history[:, 1], rtol=1e-12)
    np.testing.assert_allclose(ended.levels, whole.levels, rtol=1e-12)
    assert (np.diff(ended.history[:, 0]) >= 0.0).all()


@pytest.mark.parametrize("sweeps", [30, 500, 800])
def test_two_ways_down_go_on_before_and_after_they_part(tmp_path, sweeps):
    """In many dimensions a robust loss descends in two ways to a fork, and on by the lower one."""
    D = distances(np.random.default_rng(2).normal(size=(110, 9)))
    path, options = tmp_path / "run.ckpt", {"n_components": 5, "loss": "absolute"}
    taken = []
    whole = place_center(D, random_state=0, callback=lambda *_: taken.append(1), **options)
    assert whole.n_iter + 100 < len(taken)  # of both ways
    assert sweeps < len(taken)
    assert not interrupted(sweeps, D, checkpoint=path, **options).converged
    ended = place_center(D, random_state=0, checkpoint=path, **options)
    assert ended.cost == pytest.approx(whole.cost, rel=1e-12)
    np.testing.assert_allclose(ended.levels, whole.levels, rtol=1e-12)


@pytest.mark.parametrize("options", [{"n_components": 2}, {"n_components": 1}], ids=str)
def test_one_that_goes_on_knows_what_the_starts_led_to(tmp_path, options):
    path, table = tmp_path / "run.ckpt", D[:12, :12]
    whole = place_center(table, random_state=0, **options)
    interrupted(1, table=table, checkpoint=path, **options)
    ended = place_center(table, random_state=0, checkpoint=path, **options)
    assert ended.outcome is whole.outcome
    np.testing.assert_array_equal(ended.embedding, whole.embedding)
    if options["n_components"] == 1:
        assert whole.outcome is Outcome.PROVEN
        return
    assert repr(ended.starts) == repr(whole.starts)
    for one, other in zip(ended.starts.different(9), whole.starts.different(9), strict=True):
        np.testing.assert_array_equal(one.embedding, other.embedding)
        assert (one.cost, one.distance) == (other.cost, other.distance)


def test_one_that_does_not_know_what_the_starts_led_to_goes_on(tmp_path):
    path, table = tmp_path / "run.ckpt", D[:12, :12]
    interrupted(1, table=table, checkpoint=path)
    header, arrays = read_archive(path, "checkpoint")
    for name in ("unimds", "version", "minima", "proven"):
        del header[name]
    left = {name: array for name, array in arrays.items() if not name.startswith("minima")}
    write_archive(path, "checkpoint", header, left, force=True)
    ended = place_center(table, random_state=0, checkpoint=path)
    assert ended.starts is None
    assert ended.cost == place_center(table, random_state=0).cost


def test_it_goes_on_instead_of_beginning_anew(tmp_path):
    path = tmp_path / "run.ckpt"
    interrupted(50, checkpoint=path, n_init=1, loss="absolute")
    seen = []
    place_center(
        D,
        loss="absolute",
        random_state=0,
        n_init=1,
        checkpoint=path,
        callback=lambda iteration, *_: seen.append(iteration),
    )
    assert seen[0] in (50, 51)  # the sweep that ^C met may be done again


def test_one_of_the_version_before_quasi_newton_steps_goes_on(tmp_path):
    path = tmp_path / "run.ckpt"
    whole = place_center(D, random_state=0, n_init=1)
    interrupted(5, checkpoint=path, n_init=1)
    header, arrays = read_archive(path, "checkpoint")
    for told in header["descents"].values():
        told["motion"] = told["motion"][:4]
    write_archive(path, "checkpoint", header, arrays, force=True)
    ended = place_center(D, random_state=0, n_init=1, checkpoint=path)
    np.testing.assert_array_equal(ended.history[:5, 1], whole.history[:5, 1])
    assert ended.cost == pytest.approx(whole.cost, rel=1e-3)


def test_interrupted_twice_it_still_ends_the_same(tmp_path):
    path = tmp_path / "run.ckpt"
    whole = whole_run("annealed")
    for _ in range(3):
        assert not interrupted(40, checkpoint=path, loss="absolute").converged
    ended = place_center(D, loss="absolute", random_state=0, checkpoint=path)
    assert ended.cost == whole.cost
    assert ended.n_iter == whole.n_iter


def test_it_is_written_while_the_run_goes_on(tmp_path):
    path = tmp_path / "run.ckpt"
    there = []
    place_center(
        D,
        n_init=1,
        random_state=0,
        checkpoint=Checkpoint(path, every=0.0),
        callback=lambda *_: there.append(path.exists()),
    )
    assert not there[0]
    assert all(there[1:])
    assert [file.name for file in tmp_path.iterdir()] == ["run.ckpt"]


def test_it_is_not_written_more_often_than_asked_for(tmp_path):
    place_center(D, n_init=1, random_state=0, checkpoint=Checkpoint(tmp_path / "c", every=3600.0))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (D * (1.0 + 1e-15 * (np.arange(40) == 3) * (np.arange(40)[:, None] == 5)), {}),
        (2.0 * D, {}),
        (D, {"loss": "huber"}),
        (D, {"n_components": 3}),
        (D, {"random_state": 1}),
        (D, {"eps": 1e-8}),
        (D, {"weights": np.full((40, 40), 2.0)}),
        (D, {"fixed": {0: [0.0, 0.0]}}),
    ],
    ids=["a bit", "data", "loss", "dimension", "seed", "eps", "weights", "fixed"],
)
def test_one_of_another_run_is_refused(tmp_path, table, options):
    path = tmp_path / "run.ckpt"
    interrupted(5, checkpoint=path, n_init=1)
    before = path.read_bytes()
    with pytest.raises(FileError, match="other data or other settings"):
        place_center(table, checkpoint=path, n_init=1, **{"random_state": 0, **options})
    assert path.read_bytes() == before


def test_a_broken_one_is_refused(tmp_path):
    path = tmp_path / "run.ckpt"
    interrupted(5, checkpoint=path)
    header, arrays = read_archive(path, "checkpoint")
    name = next(name for name in arrays if name.endswith("state"))
    told = {key: value for key, value in header.items() if key not in ("unimds", "version")}
    for broken in (
        {key: array for key, array in arrays.items() if key != name},
        {**arrays, name: arrays[name][:, :5]},
        {**arrays, "minima.embeddings": arrays["minima.embeddings"][:, :5]},
        {**arrays, "minima.costs": arrays["minima.costs"][:0]},
        {**arrays, "minima.costs": arrays["minima.costs"].astype(str)},
        {**arrays, "minima.embeddings": arrays["minima.embeddings"].astype(str)},
        {**arrays, "minima.embedding_costs": arrays["minima.embedding_costs"].astype(str)},
    ):
        write_archive(path, "checkpoint", told, broken, force=True)
        with pytest.raises(FileError, match="broken"):
            place_center(D, random_state=0, checkpoint=path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(FileError, match="broken or cut off"):
        place_center(D, random_state=0, checkpoint=path)


BREAKS = {
    "no starts": lambda header, arrays: header.update(starts=0, descents={}),
    "words for points": lambda header, arrays: arrays.update(start0=arrays["start0"].astype(str)),
    "stage": lambda header, arrays: header["descents"]["0"]["motion"].__setitem__(0, "x"),
    "inertia": lambda header, arrays: header["descents"]["0"]["motion"].__setitem__(1, "x"),
    "costs": lambda header, arrays: header["descents"]["0"]["motion"].__setitem__(2, ["x"]),
    "sweeps of a stage": lambda header, arrays: header["descents"]["0"]["motion"].__setitem__(
        3, float("inf")
    ),
    "sweeps": lambda header, arrays: header["descents"]["0"].update(sweeps="x"),
    "too many sweeps": lambda header, arrays: header["descents"]["0"].update(sweeps=9),
    "no history": lambda header, arrays: arrays.update({"0.history": arrays["0.history"][:0]}),
}


@pytest.mark.parametrize("change", BREAKS)
def test_one_with_a_broken_header_or_record_is_refused(tmp_path, change):
    path, options = tmp_path / "run.ckpt", {"n_init": 1, "solver": "sweeps"}
    interrupted(3, checkpoint=path, **options)
    header, arrays = read_archive(path, "checkpoint")
    BREAKS[change](header, arrays)
    told = {key: value for key, value in header.items() if key not in ("unimds", "version")}
    write_archive(path, "checkpoint", told, arrays, force=True)
    with pytest.raises(FileError, match="the checkpoint is broken; remove it"):
        place_center(D, random_state=0, checkpoint=path, **options)


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(tmp_path):
    checkpoint = Checkpoint(tmp_path / "nowhere" / "run.ckpt", every=0.0)
    with pytest.warns(RuntimeWarning, match="there is no folder"):
        result = place_center(D, n_init=1, random_state=0, checkpoint=checkpoint)
    assert result.converged


def test_the_estimator_takes_one(tmp_path):
    path = tmp_path / "run.ckpt"
    interrupted(5, checkpoint=path)
    mds = MDS(metric="precomputed", random_state=0, checkpoint=path).fit(D)
    assert mds.cost_ == MDS(metric="precomputed", random_state=0).fit(D).cost_


# --- a run that ended at its limit ----------------------------------------------------------------

LIMITED = {
    "squared": {"loss": "squared", "eps": 1e-10, "n_init": 3},
    "annealed": {"loss": "absolute"},
    "many dimensions": {"loss": "absolute", "n_components": 5, "solver": "sweeps"},
    "resized": {"loss": "squared", "space": Sphere("auto")},
    "given": {"loss": "squared", "init": POINTS[:, :2], "eps": 1e-12},
    "threads": {"loss": "absolute", "n_init": 3, "n_jobs": 2},
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("run", LIMITED)
@pytest.mark.parametrize("limits", [(3,), (7, 20)])
def test_with_a_larger_limit_it_goes_on_to_the_very_same_map(tmp_path, run, limits):
    path, options = tmp_path / "run.ckpt", {"n_init": 1, "random_state": 0, **LIMITED[run]}
    whole = place_center(D, **options)
    for limit in limits:
        with pytest.warns(ConvergenceWarning, match=r"goes on from .*run\.ckpt"):
            short = place_center(D, **options, max_iter=limit, checkpoint=path)
        assert (short.outcome, short.n_iter) == (Outcome.MAX_ITER, limit)
    seen = []
    ended = place_center(D, **options, checkpoint=path, callback=lambda n, *_: seen.append(n))
    assert ended.n_iter == whole.n_iter
    assert min(seen) == limits[-1] + 1  # what has been done is not done again
    np.testing.assert_array_equal(ended.embedding, whole.embedding)
    assert ended.cost == whole.cost


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_with_a_smaller_limit_it_ends_at_once_and_can_still_go_on(tmp_path, loss):
    path, options = tmp_path / "run.ckpt", {"loss": loss, "n_init": 1, "random_state": 0}
    whole = place_center(D, **options)
    for limit in (9, 4):
        with pytest.warns(ConvergenceWarning):
            short = place_center(D, **options, max_iter=limit, checkpoint=path)
        assert short.n_iter == 9
    ended = place_center(D, **options, checkpoint=path)
    np.testing.assert_array_equal(ended.embedding, whole.embedding)


def test_one_that_the_callback_has_stopped_can_go_on(tmp_path):
    path, options = tmp_path / "run.ckpt", {"n_init": 1, "random_state": 0}
    stopped = place_center(D, **options, checkpoint=path, callback=lambda n, *_: n == 5)
    assert stopped.outcome is Outcome.CALLBACK
    assert path.exists()
    ended = place_center(D, **options, checkpoint=path)
    np.testing.assert_array_equal(ended.embedding, place_center(D, **options).embedding)


def test_a_checkpoint_of_version_0_2_goes_on(tmp_path):
    """Written by that version, after ^C in the fifth sweep."""
    path = tmp_path / "run.ckpt"
    shutil.copy(Path(__file__).parent / "data" / "checkpoint-0.2.ckpt", path)
    cities = [
        [0, 305, 650, 290, 280],
        [305, 0, 430, 130, 320],
        [650, 430, 0, 550, 400],
        [290, 130, 550, 0, 380],
        [280, 320, 400, 380, 0],
    ]
    options = {"loss": "absolute", "n_init": 1, "random_state": 0, "max_iter": 50}
    one_go, gone_on = {}, {}
    with pytest.warns(ConvergenceWarning):
        whole = place_center(
            cities, **options, callback=lambda n, _, X, *__: one_go.update({n: np.array(X)})
        )
    with pytest.warns(ConvergenceWarning):
        ended = place_center(
            cities,
            **options,
            checkpoint=path,
            callback=lambda n, _, X, *__: gone_on.update({n: np.array(X)}),
        )
    first = min(gone_on)
    assert first in (5, 6)
    # another machine wrote the file, and its other rounding grows from step to step
    for n in range(first, first + 6):
        np.testing.assert_allclose(gone_on[n], one_go[n], rtol=1e-10)
    np.testing.assert_allclose(ended.embedding, whole.embedding, rtol=1e-6)


def test_a_last_checkpoint_that_cannot_be_written_does_not_lose_the_map(tmp_path):
    checkpoint = Checkpoint(tmp_path / "nowhere" / "run.ckpt", every=3600.0)
    with pytest.warns(RuntimeWarning) as told:
        result = place_center(
            D, n_init=1, random_state=0, checkpoint=checkpoint, callback=Interruption(5)
        )
    assert "there is no folder" in str(told[0].message)
    assert result.outcome is Outcome.INTERRUPTED
