"""The stress of random numbers: simulated once, and kept."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from unimds import MDS, Sphere, Squared
from unimds.trust import norms as module
from unimds.trust import random_stress_norms

QUICK = MDS(n_init=1, init="classical")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("UNIMDS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "_memory", {})
    return tmp_path / "cache" / "stress-norms"


@pytest.fixture
def fits(monkeypatch):
    original, count = module.fit_anew, []

    def counted(*args):
        count.append(args[1])
        return original(*args)

    monkeypatch.setattr(module, "fit_anew", counted)
    return count


def test_norms_are_the_stress_of_uniform_numbers(fits):
    found = random_stress_norms(9, QUICK, n_tables=4)
    for D, stress in zip(fits, found.stress, strict=True):
        entries = D[np.triu_indices(9, 1)]
        assert 0.0 <= entries.min() < entries.max() <= 1.0
        own = MDS(metric="precomputed", n_init=1, init="classical", eps=1e-5, random_state=0).fit(D)
        assert stress == pytest.approx(own.stress_, rel=1e-3)
    assert found.mean == pytest.approx(found.stress.mean())
    assert found.deviation == pytest.approx(found.stress.std(ddof=1))
    assert found.share_below(found.quantile(0.5)) == 0.5
    assert repr(found).startswith("4 tables of random numbers, 9 points, 2 dimensions: Stress-1 0.")


def test_more_points_have_more_stress_and_more_dimensions_less():
    few, many = (random_stress_norms(n, QUICK, n_tables=10).mean for n in (8, 16))
    solid = random_stress_norms(16, MDS(3, n_init=1, init="classical"), n_tables=10).mean
    assert few < many
    assert solid < many


@pytest.mark.sample(1)
@pytest.mark.parametrize(("n", "k"), [(12, 1), (15, 2), (24, 2), (20, 3)])
def test_ordinal_norms_are_those_that_spence_has_fitted_a_formula_to(n, k):
    """Spence (1979), as Borg and Groenen quote him, for random rankings of 10 to 60 points."""
    formula = -524.25 + 33.80 * k - 2.54 * n - 307.26 * np.log(k) + 588.35 * np.sqrt(np.log(n))
    found = random_stress_norms(n, MDS(k, level="ordinal"), n_tables=20)
    assert found.mean == pytest.approx(0.001 * formula, rel=0.08)


def test_norms_are_kept_in_memory_and_in_the_folder(fits, folder, monkeypatch):
    first = random_stress_norms(8, QUICK, n_tables=5)
    assert len(fits) == 5
    again = random_stress_norms(8, QUICK, n_tables=5)
    np.testing.assert_array_equal(first.stress, again.stress)
    monkeypatch.setattr(module, "_memory", {})  # another process
    again = random_stress_norms(8, QUICK, n_tables=5)
    np.testing.assert_array_equal(first.stress, again.stress)
    assert len(fits) == 5
    assert len(list(folder.iterdir())) == 1


def test_longer_simulations_go_on_and_shorter_ones_are_their_beginning(fits):
    random_stress_norms(8, QUICK, n_tables=3)
    five = random_stress_norms(8, QUICK, n_tables=5)
    assert len(fits) == 5
    np.testing.assert_array_equal(random_stress_norms(8, QUICK, n_tables=2).stress, five.stress[:2])
    whole = random_stress_norms(8, QUICK, n_tables=5, cache=False)
    np.testing.assert_array_equal(five.stress, whole.stress)
    assert len(fits) == 10


@pytest.mark.parametrize(
    "other",
    [
        {"n_points": 9},
        {"random_state": 1},
        {"mds": MDS(1, n_init=1, init="classical")},
        {"mds": MDS(n_init=1, init="classical", level="interval")},
        {"mds": MDS(n_init=1, init="classical", loss="huber")},
        {"mds": MDS(n_init=1, space=Sphere("auto"))},
    ],
)
def test_each_case_has_a_file_of_its_own(other, folder):
    random_stress_norms(8, QUICK, n_tables=1)
    random_stress_norms(**{"n_points": 8, "mds": QUICK, "n_tables": 1, **other})
    assert len(list(folder.iterdir())) == 2


def test_norms_of_another_release_are_simulated_anew(folder, fits, monkeypatch):
    random_stress_norms(8, QUICK, n_tables=1)
    monkeypatch.setattr(module, "version", lambda name: "another", raising=False)
    random_stress_norms(8, QUICK, n_tables=1)
    assert len(fits) == len(list(folder.iterdir())) == 2


def test_norms_of_another_solver_are_simulated_anew(folder, fits, monkeypatch):
    random_stress_norms(8, QUICK, n_tables=1)
    monkeypatch.setattr(module, "solver_digest", lambda: "another")
    random_stress_norms(8, QUICK, n_tables=1)
    assert len(fits) == len(list(folder.iterdir())) == 2


def test_one_table_is_no_tables():
    told = repr(random_stress_norms(8, QUICK, n_tables=1, cache=False))
    assert told.startswith("1 table of random numbers")


def test_the_digest_of_the_solver_changes_with_its_code(tmp_path, monkeypatch):
    (tmp_path / "trust").mkdir()
    (tmp_path / "kernels").mkdir()
    code = tmp_path / "kernels" / "rows.py"
    monkeypatch.setattr(module, "__file__", str(tmp_path / "trust" / "norms.py"))
    found = set()
    for text in ("a = 1", "a = 2"):
        code.write_text(text)
        found.add(module.solver_digest.__wrapped__())
    assert len(found) == 2


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"case": "other", "stress": [0.1]}', '{"stress": 3}']
)
def test_broken_files_are_replaced(content, folder, fits, monkeypatch):
    random_stress_norms(8, QUICK, n_tables=1)
    (file,) = folder.iterdir()
    file.write_text(content)
    monkeypatch.setattr(module, "_memory", {})
    random_stress_norms(8, QUICK, n_tables=1)
    assert len(fits) == 2
    assert len(json.loads(file.read_text())["stress"]) == 1


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UNIMDS_CACHE", str(tmp_path / "file"))
    assert len(random_stress_norms(8, QUICK, n_tables=2).stress) == 2


@dataclass(frozen=True)
class Own(Squared):
    """A loss that only this program knows."""


def test_parts_of_a_users_own_are_kept_in_memory_only(folder, fits):
    mds = MDS(n_init=1, init="classical", loss=Own())
    random_stress_norms(8, mds, n_tables=2)
    random_stress_norms(8, mds, n_tables=2)
    assert len(fits) == 2
    assert not folder.exists()


@pytest.mark.parametrize(
    ("space", "largest"), [(Sphere(2.0), 2.0 * np.pi), (Sphere("auto"), 1.0), ("simplex", 1.0)]
)
def test_random_numbers_suit_the_size_of_the_space(space, largest, fits):
    random_stress_norms(8, MDS(n_init=1, space=space), n_tables=3)
    most = max(D.max() for D in fits)
    assert 0.8 * largest < most <= largest


def test_what_cannot_be_simulated_is_an_error():
    with pytest.raises(ValueError, match="n_points=2 must be a whole number, 3 or more"):
        random_stress_norms(2)
    with pytest.raises(ValueError, match="n_tables=0 must be"):
        random_stress_norms(8, n_tables=0)
    with pytest.raises(ValueError, match="random_state=None must be"):
        random_stress_norms(8, random_state=None)
    with pytest.raises(TypeError, match="is no MDS estimator"):
        random_stress_norms(8, "plane")


def test_interrupted_simulations_keep_what_is_done(monkeypatch, fits):
    original, count = module.fit_anew, []

    def interrupted(*args):
        count.append(args)
        if len(count) == 3:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(module, "fit_anew", interrupted)
    with pytest.warns(RuntimeWarning, match="Interrupted: 2 of 5 tables were done"):
        found = random_stress_norms(8, QUICK, n_tables=5)
    assert found.interrupted
    whole = random_stress_norms(8, QUICK, n_tables=5)
    np.testing.assert_array_equal(whole.stress[:2], found.stress)
    assert len(count) == 6
