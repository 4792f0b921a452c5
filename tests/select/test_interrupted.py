"""^C keeps what is done, a checkpoint lets a search go on, and a bar shows how far it is."""

import numpy as np
import pytest

from tests.support.tables import distances
from unimds import MDS, MDSSearchCV
from unimds.checkpoint import Checkpoint
from unimds.files import FileError
from unimds.select import search as module

D = distances(np.random.default_rng(0).normal(size=(20, 2)))
GRID = {"n_components": [1, 2, 3]}
HOW = {"cv": 3, "random_state": 0}


def searched(D=D, grid=GRID, **how):
    return MDSSearchCV(MDS(metric="precomputed"), grid, **{**HOW, **how}).fit(D)


@pytest.fixture
def interrupt(monkeypatch):
    """Return a function that has ^C hit before a fit of some number."""
    original, count = module.scored, []

    def after(number):
        def scored(*args):
            count.append(args[2])
            if len(count) == number + 1:
                raise KeyboardInterrupt
            return original(*args)

        monkeypatch.setattr(module, "scored", scored)
        return count

    yield after
    monkeypatch.setattr(module, "scored", original)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_what_is_done_is_kept(interrupt, n_jobs):
    interrupt(7)
    with pytest.warns(RuntimeWarning, match=r"Interrupted: \d of 3 candidates were scored"):
        found = searched(n_jobs=n_jobs)
    assert found.interrupted_
    assert found.best_params_ == {"n_components": 2}
    assert not hasattr(found, "best_estimator_")
    with pytest.raises(AttributeError, match="the search was interrupted: there is no map"):
        found.embedding_  # noqa: B018
    assert np.isnan(found.cv_results_["mean_error"][2])


def test_a_search_that_was_interrupted_at_once_has_nothing_to_keep(interrupt):
    interrupt(1)
    with pytest.raises(KeyboardInterrupt):
        searched()


def test_a_checkpoint_goes_on_to_the_same_outcome(interrupt, tmp_path):
    whole = searched()
    fits = interrupt(5)
    with pytest.warns(RuntimeWarning, match="1 of 3 candidates were scored"):
        searched(checkpoint=tmp_path / "c.ckpt")
    found = searched(checkpoint=tmp_path / "c.ckpt")
    assert len(fits) == 6 + 4  # the one that was interrupted is done again
    for name, column in whole.cv_results_.items():
        if "score" in name or "error" in name:
            assert found.cv_results_[name].tobytes() == column.tobytes()
    assert (found.folds_ == whole.folds_).all()


def test_more_candidates_can_be_added_and_none_is_forgotten(interrupt, tmp_path):
    path = tmp_path / "c.ckpt"
    searched(grid={"n_components": [2, 3]}, checkpoint=path)
    fits = interrupt(99)
    searched(grid={"n_components": [1, 2]}, checkpoint=path)
    assert len(fits) == 3
    searched(grid=GRID, checkpoint=path)
    assert len(fits) == 3


def test_without_a_seed_the_folds_of_the_file_are_taken(tmp_path):
    one, other = (searched(checkpoint=tmp_path / "c.ckpt", random_state=None) for _ in range(2))
    assert (one.folds_ == other.folds_).all()


@pytest.mark.parametrize("change", ["data", "scoring", "estimator"])
def test_a_checkpoint_of_something_else_is_an_error(tmp_path, change):
    path = tmp_path / "c.ckpt"
    searched(checkpoint=path)
    other = MDSSearchCV(MDS(metric="precomputed"), GRID, checkpoint=path, **HOW)
    if change == "scoring":
        other.set_params(scoring="median")
    if change == "estimator":
        other.set_params(estimator__loss="absolute")
    with pytest.raises(FileError, match="belongs to other data or other settings"):
        other.fit(2.0 * D if change == "data" else D)


def test_a_checkpoint_of_a_fit_is_an_error(tmp_path):
    path = Checkpoint(tmp_path / "c.ckpt", every=0.0)
    mds = MDS(metric="precomputed", n_init=1, max_iter=3, eps=0.0, checkpoint=path)
    with pytest.warns(UserWarning, match="max_iter"):
        mds.fit(D**2)
    with pytest.raises(FileError, match="belongs to other data or other settings"):
        searched(checkpoint=path)


def test_a_bar_shows_how_far_it_is(capsys):
    searched(verbose=1)
    told = capsys.readouterr().err
    assert "3 candidates 100 %" in told
