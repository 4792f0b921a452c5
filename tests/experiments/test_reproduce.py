"""All of `unimds reproduce --quick`: what it makes, and how it goes on.

It compiles a kernel for every loss and space of the paper; cli/test_app.py runs one figure of it.
"""

import csv
import json
import os
import re
import shutil
import time
from importlib import import_module
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import imread

from tests.support.commands import Said, apart
from tests.support.reproduction import NAMES, ROUND, changed, contents, files
from unimds.experiments import FIGURES, Scale, jl, reproduce
from unimds.experiments.claims import CLAIMS
from unimds.experiments.report import report

pytestmark = pytest.mark.slow

# What the quick run has to make, not read off the code: settings and methods of every figure.
DIMENSIONS = ["k=2", "k=20", "k=50", "k=58"]  # of the paper's 150 as many as 60 points can fill
NOISE = ["noise=2%", "noise=10%", "noise=30%", "noise=90%"]
FLAT = ["PC, unimds", "PC, paper", "L-BFGS", "SMACOF", "CD+SVD", "SGD", "SVD (cMDS)"]
EXPECTED = {
    "rmds-convergence": (["k=10"], FLAT),
    "rmds-k": (DIMENSIONS, FLAT),
    "rmds-noise": (NOISE, [*FLAT, "CD+rand"]),
    "fmds-k": (DIMENSIONS, FLAT),
    "fmds-noise": (NOISE, FLAT),
    "r2mds-k": (DIMENSIONS, FLAT),
    "g1smds": (["k=10"], [*ROUND, "Elad et al."]),
    "c2smds": (["k=10"], ROUND),
}
each_figure = pytest.mark.parametrize("figure", EXPECTED)


# --- what it makes --------------------------------------------------------------------------------


class Quick(NamedTuple):
    folder: Path
    said: Said

    def table(self, figure):
        """A CSV file, read by nothing of the library."""
        with (self.folder / f"{figure}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def runs(self, figure):
        paths = (self.folder / "runs" / figure).iterdir()
        return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    """All of `unimds reproduce --quick`, once for all workers of pytest-xdist."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    place, said = shared / "quick-run", shared / "quick-run.json"
    try:
        place.mkdir()  # the lock: only one worker can
    except FileExistsError:
        end = time.monotonic() + 900.0
        while not said.exists():
            assert time.monotonic() < end, "the worker with the quick run has come to grief"
            time.sleep(0.2)
    else:
        partial = shared / "quick-run.partial"
        partial.write_text(json.dumps(apart("reproduce", "--quick", cwd=place)), encoding="utf-8")
        partial.replace(said)
    return Quick(place / "reproduction-quick", Said(*json.loads(said.read_text(encoding="utf-8"))))


@pytest.fixture
def copy(quick, tmp_path):
    """The folder of the quick run, to be changed."""
    return Path(shutil.copytree(quick.folder, tmp_path / "reproduction-quick"))


def test_messages_go_to_stderr_and_a_pipe_gets_no_progress(quick):
    assert quick.said.code == 0, quick.said.err
    assert quick.said.err == (
        "Figures, tables and the report claims.md are in reproduction-quick\n"
    )
    assert not set("\x1b\r") & set(quick.said.out + quick.said.err)


def test_stdout_is_the_tables(quick):
    titles = [*(figure.title for figure in FIGURES.values()), jl.TITLE]
    places = [quick.said.out.index(title) for title in titles]
    assert places == sorted(places)
    lines = [line.split("│")[1:-1] for line in quick.said.out.splitlines() if line[:1] == "│"]
    shown = [[cell.strip() for cell in cells] for cells in lines]
    setting = ""
    for figure in EXPECTED:
        runs = {(run["setting"], run["label"]): run for run in quick.runs(figure)}
        for row in quick.table(figure):
            run, ours = (runs[row["setting"], method] for method in (row["method"], "PC, unimds"))
            cells = shown.pop(0)
            setting = cells[0] or setting
            assert [setting, *cells[1:]] == [
                run["setting"],
                run["label"],
                f"{run['cost']:.6g}",
                f"{round(100.0 * (run['cost'] / ours['cost'] - 1.0), 2) + 0.0:+.2f} %",
                f"{run['seconds']:.3g}",
                str(run["sweeps"]),
            ]
    coordinates = [row["coordinates"] for row in quick.table("spherical-jl")]
    assert [cells[1] for cells in shown] == coordinates


@each_figure
def test_every_setting_and_method_is_drawn(quick, figure):
    settings, methods = EXPECTED[figure]
    drawing = ElementTree.parse(quick.folder / f"{figure}.svg")
    ids = [element.get("id") or "" for element in drawing.iter()]
    assert sum(name.startswith("axes_") for name in ids) == len(settings)
    # for each method a curve, its end and its place in the legend
    assert sum(name.startswith("line2d_") for name in ids) > 2 * len(settings) * len(methods)
    text = (quick.folder / f"{figure}.svg").read_text(encoding="utf-8")
    for words in (FIGURES[figure].title, *settings, *methods):
        assert f">{words.replace('&', '&amp;')}</text>" in text


@pytest.mark.parametrize("name", NAMES)
def test_pictures_show_something(quick, name):
    picture = imread(quick.folder / f"{name}.png")
    assert picture.shape[0] > 400
    assert picture.shape[1] > 800
    assert 0.01 < np.mean(picture[:, :, :3].min(axis=2) < 0.9) < 0.5  # neither blank nor a blot


def test_the_theorem_is_shown_for_every_projection(quick):
    lines = [(row["method"], row["coordinates"]) for row in quick.table("spherical-jl")]
    dimensions = ("10", "20", "50", "100", "200")
    methods = ("subspace", "gaussian", "sparse")
    assert lines == [(method, dimension) for method in methods for dimension in dimensions]
    text = (quick.folder / "spherical-jl.svg").read_text(encoding="utf-8")
    assert all(f">{method}, all pairs</text>" in text for method in methods)


@each_figure
def test_unimds_ends_no_higher_than_any_other_method(quick, figure):
    table = quick.table(figure)
    ours = {row["setting"]: float(row["cost"]) for row in table if row["method"] == "PC, unimds"}
    lower = {
        (row["setting"], row["method"]): float(row["cost"]) / ours[row["setting"]]
        for row in table
        if ours[row["setting"]] > 1.001 * float(row["cost"])
    }
    assert not lower


@each_figure
def test_costs_are_finite_and_compared_to_those_of_unimds(quick, figure):
    table = quick.table(figure)
    ours = {row["setting"]: float(row["cost"]) for row in table if row["method"] == "PC, unimds"}
    for row in table:
        cost, above = float(row["cost"]), float(row["above_pc_unimds_percent"])
        assert 0.0 < cost < np.inf
        assert above == pytest.approx(100.0 * (cost / ours[row["setting"]] - 1.0), abs=6e-5)


@each_figure
def test_the_table_has_a_run_for_every_setting_and_method(quick, figure):
    settings, methods = EXPECTED[figure]
    table, runs = quick.table(figure), quick.runs(figure)
    assert [(row["setting"], row["method"]) for row in table] == [
        (setting, method) for setting in settings for method in methods
    ]
    assert len(runs) == len(table)
    assert all(run["figure"] == figure for run in runs)
    assert {
        (run["setting"], run["label"], f"{run['cost']:.10g}", str(run["sweeps"]), run["message"])
        for run in runs
    } == {
        (row["setting"], row["method"], row["cost"], row["sweeps"], row["message"]) for row in table
    }


@each_figure
def test_curves_come_down_to_the_costs_of_the_table(quick, figure):
    with (quick.folder / f"{figure}-curves.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    for row in quick.table(figure):
        curve = [
            (float(line["seconds"]), float(line["cost"]))
            for line in lines
            if (line["setting"], line["method"]) == (row["setting"], row["method"])
        ]
        seconds, costs = np.array(curve).T
        assert (np.diff(seconds) >= 0.0).all()
        assert seconds[-1] == float(row["seconds"])
        # a thinned curve may leave out the very best map
        assert 0.999999 * float(row["cost"]) <= costs.min() <= 1.05 * float(row["cost"])


def test_the_report_judges_every_claim_and_shows_every_figure(quick):
    text = (quick.folder / "claims.md").read_text(encoding="utf-8")
    assert text == report(quick.folder, quick.folder)
    for claim in CLAIMS:
        assert f"| {claim.says} |" in text
    pictures = re.findall(r"!\[.*\]\((.*)\)", text)
    assert [Path(picture).name for picture in pictures] == [f"{name}.png" for name in NAMES]
    assert all((quick.folder / picture).is_file() for picture in pictures)


# --- how it goes on -------------------------------------------------------------------------------


def test_run_again_it_computes_nothing_and_makes_the_same_files(quick, copy):
    before = files(copy)
    names = ("rmds-convergence", "c2smds")
    said = apart("reproduce", *names, "--quick", cwd=copy.parent)
    assert (said.code, said.err) == (quick.said.code, quick.said.err)
    after = files(copy)
    assert contents(after) == contents(before)  # tables, pictures and report too
    written = {f"{name}{end}" for name in names for end in (".csv", "-curves.csv", ".png", ".svg")}
    assert changed(before, after) == written | {"claims.md"}
    assert not [name for name in after if "partial" in name]


def test_no_run_of_any_figure_is_measured_again(copy, monkeypatch):
    module = import_module("unimds.experiments.reproduce")
    monkeypatch.setattr(module, "measure", lambda *_: pytest.fail("measured again"))
    monkeypatch.setattr(jl, "project", lambda *_: pytest.fail("drawn again"))
    monkeypatch.setattr(module, "draw_runs", lambda *_: None)
    before = files(copy)
    reproduce(copy, scale=Scale.quick())
    assert contents(files(copy)) == contents(before)


def test_only_what_is_missing_or_damaged_is_computed_again(quick, copy):
    before = files(copy)
    gone = {"runs/c2smds/k10-pc-unimds.json", "runs/c2smds/k10-sgd.json"}
    torn = "runs/c2smds/k10-smacof-q-10.json"
    for name in gone:
        (copy / name).unlink()
    (copy / torn).write_bytes(before[torn][1][: len(before[torn][1]) // 2])
    said = apart("reproduce", "c2smds", "--quick", cwd=copy.parent)
    assert said.code == 0, said.err
    again = {name for name in changed(before, files(copy)) if name.startswith("runs/")}
    assert again == gone | {torn}
    # they come out as before, but for the time they took
    for row, old in zip(Quick(copy, said).table("c2smds"), quick.table("c2smds"), strict=True):
        assert {**row, "seconds": ""} == {**old, "seconds": ""}


def test_a_folder_with_other_settings_is_refused(copy):
    before = files(copy)
    arguments = ("c2smds", "--quick", "--seed", "1", "-o", copy.name)
    said = apart("reproduce", *arguments, cwd=copy.parent)
    assert (said.code, said.out) == (1, "")
    (line,) = said.err.splitlines()
    assert line.startswith(f"error: {copy.name} holds runs with the settings ")
    assert "choose another folder" in line
    assert files(copy) == before
