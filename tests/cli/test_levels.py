"""Levels of measurement on the command line: `unimds embed --level`, and what becomes of it."""

import json

import numpy as np
import pytest

from tests.support.commands import CITIES, ONE_START, run
from tests.support.tables import distances
from unimds import MDS, Ordinal
from unimds.cli.fitted import ROWS
from unimds.files import read
from unimds.models import load
from unimds.quality import point_stress

POINTS = np.random.default_rng(0).normal(size=(14, 2))
GROWN = np.exp(distances(POINTS)) - np.eye(14)


@pytest.fixture
def grown(tmp_path):
    np.save(tmp_path / "d.npy", GROWN)
    return tmp_path / "d.npy"


def told(*line):
    said = run("embed", *line, *ONE_START, "--json", "--force")
    assert said.code == 0, said.err
    return json.loads(said.out)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("options", "level"),
    [
        (["ordinal"], Ordinal()),
        (["ordinal", "--ties", "secondary"], Ordinal("secondary")),
        (["ordinal", "--strictness", "0.1", "--eps", "1e-3"], Ordinal(strictness=0.1)),
        (["interval"], "interval"),
        (["spline"], "spline"),
        (["power"], "power"),
    ],
    ids=str,
)
def test_the_map_is_that_of_python(grown, tmp_path, options, level):
    found = told(grown, "-o", tmp_path / "m.csv", "--level", *options)
    eps = 1e-3 if "--eps" in options else 1e-7
    mds = MDS(level=level, metric="precomputed", n_init=1, eps=eps, random_state=0).fit(GROWN)
    assert np.allclose(read(tmp_path / "m.csv").values, mds.embedding_)
    assert found["level"] == str(mds.transformation_.level)
    assert found["stress"] == pytest.approx(mds.stress_)
    curve = found["transformation"]
    assert np.allclose(mds.transformation_(curve["given"]), curve["disparities"])
    assert curve["given"] == sorted(curve["given"])


@pytest.mark.sample(1)
def test_the_transformation_is_told_in_few_rows(tmp_path):
    D = np.random.default_rng(0).uniform(1.0, 2.0, size=(40, 40))
    D = np.triu(D, 1) + np.triu(D, 1).T
    np.save(tmp_path / "d.npy", D)
    curve = told(tmp_path / "d.npy", "-o", tmp_path / "m.csv", "--level", "interval")
    given = curve["transformation"]["given"]
    assert len(given) == len(set(given)) == ROWS
    assert (given[0], given[-1]) == (D[D > 0.0].min(), D.max())


def test_without_a_level_the_numbers_are_distances(grown, tmp_path):
    found = told(grown, "-o", tmp_path / "m.csv")
    assert found["level"] == "Ratio()"
    assert "transformation" not in found
    assert "of the disparities" not in run("embed", grown, *ONE_START).err
    assert "of the disparities" in run("embed", grown, *ONE_START, "--level", "interval").err


def test_rows_of_their_own(grown, tmp_path):
    line = ["--level", "ordinal", "--conditional", "row", "--model", tmp_path / "m.unimds"]
    found = told(grown, "-o", tmp_path / "m.csv", *line)
    assert found["conditional"] == "row"
    assert "transformation" not in found
    (tmp_path / "new.csv").write_text(CITIES)
    said = run("place", tmp_path / "m.unimds", tmp_path / "new.csv")
    assert said.code == 1
    assert "made with --conditional row" in said.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--ties", "secondary"], "--ties is for --level ordinal, and the level is ratio"),
        (["--level", "spline", "--strictness", "0.1"], "--strictness is for --level ordinal"),
        (["--level", "ordinal", "--ties", "odd"], "use one of primary, secondary, tertiary"),
        (["--level", "ordinal", "--strictness", "2"], "it must lie from 0 to 1"),
        (["--level", "ordnal"], "there is no level 'ordnal'; did you mean ordinal?"),
        (["--level", "nonmetric"], "there is no level 'nonmetric'; did you mean ordinal?"),
        (["--level", "xyz"], "use one of ratio, interval, ordinal, spline, power"),
        (["--conditional", "column"], "use table or row, not 'column'"),
        (["--conditional", "row", "--landmarks", "9"], "--conditional does not work with --landm"),
        (["--conditional", "row", "--dask", "local"], "leave --dask out"),
    ],
    ids=str,
)
def test_wrong_options_are_told(grown, options, says):
    said = run("embed", grown, *options)
    assert (said.code, said.out) == (2, "")
    assert says in " ".join(said.err.replace("│", " ").split())


@pytest.mark.parametrize("more", [[], ["--landmarks", "10"]], ids=["all", "landmarks"])
def test_new_points_are_placed_through_the_transformation(grown, tmp_path, more):
    model, new = tmp_path / "m.unimds", tmp_path / "new.csv"
    found = told(grown, "-o", tmp_path / "m.csv", "--level", "ordinal", "--model", model, *more)
    assert found["stress"] < 0.05
    np.savetxt(new, GROWN[:4], delimiter=",")
    said = run("place", model, new, "-o", tmp_path / "placed.csv", "--json")
    assert said.code == 0, said.err
    mds = load(model)
    placed = read(tmp_path / "placed.csv").values
    assert np.abs(placed - mds.embedding_[:4]).max() < 0.05 * np.ptp(mds.embedding_)
    assert json.loads(said.out)["stress"] < 0.1


def test_point_stress_is_that_of_the_disparities(grown, tmp_path):
    told(grown, "-o", tmp_path / "m.csv", "--level", "interval", "--point-stress")
    mds = MDS(level="interval", metric="precomputed", n_init=1, random_state=0).fit(GROWN)
    written = read(tmp_path / "m.csv").values[:, -1]
    assert np.allclose(written, point_stress(mds.disparities_, mds.embedding_))


def test_a_degenerate_map_names_the_options_that_help(tmp_path):
    groups = np.repeat([0.0, 1.0], 6)
    D = np.where(groups[:, None] == groups, 1.0, 2.0)
    D[0, 1] = D[1, 0] = 1.1
    np.fill_diagonal(D, 0.0)
    np.save(tmp_path / "d.npy", D)
    found = told(tmp_path / "d.npy", "-o", tmp_path / "m.csv", "--level", "ordinal")
    (warning,) = found["warnings"]
    assert "The map is degenerate" in warning
    assert "--strictness 0.1, --ties secondary" in warning
    assert "Ordinal(" not in warning


def test_a_table_of_equal_numbers_has_no_remedies(tmp_path):
    np.savetxt(tmp_path / "d.csv", 1.0 - np.eye(6), delimiter=",")
    said = run("embed", tmp_path / "d.csv", "-o", tmp_path / "map.csv", "--level", "ordinal")
    assert said.code == 0
    assert "the table says nothing about an order, and any map fits it." in said.err
    assert "Remedies" not in said.err
