"""The examples run and draw; on fewer data than they are written for."""

import importlib.util
import re
import sys
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from tests.support.pages import ROOT
from tests.support.parts import slow

EXAMPLES = ROOT / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for what annotations mean
    spec.loader.exec_module(module)
    return module


def first_of_each(kinds, count):
    """The first rows of each kind: cross-validation needs some of all."""
    kinds = np.asarray(kinds)
    return np.sort(np.concatenate([np.flatnonzero(kinds == k)[:count] for k in np.unique(kinds)]))


def few_digits(return_X_y):
    ink, digit = load_digits(return_X_y=return_X_y)
    rows = first_of_each(digit, 6)
    return ink[rows], digit[rows]


def check_drawn(picture):
    """Something is there, in more than one colour."""
    plt.close("all")
    pixels = np.rint(255 * plt.imread(picture)).astype(int)
    assert min(pixels.shape[:2]) > 300
    assert len(np.unique(pixels[:, :, :3] @ [1, 256, 65536])) > 100


@pytest.mark.slow
def test_digits(monkeypatch, capsys, tmp_path):
    digits = load("digits")
    monkeypatch.setattr(digits, "load_digits", few_digits)
    digits.main(str(tmp_path / "picture.png"))
    check_drawn(tmp_path / "picture.png")
    printed = capsys.readouterr().out
    assert "all 64 pixels" in printed
    assert "9-dimensional simplex: Stress-1 0." in printed


@pytest.mark.parametrize("name", ["documents", "digits"])
def test_maps_of_the_sphere_keep_areas(name):
    """Points spread evenly over a hemisphere are spread evenly over a disk of radius √2."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20_000, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    points = points[points[:, 2] > 0.0]
    azimuthal = load(name).azimuthal
    flat = azimuthal(points, np.eye(3)[2]) if name == "documents" else azimuthal(points)
    radius = np.linalg.norm(flat, axis=1)
    assert radius.max() < np.sqrt(2) + 0.05
    assert np.mean(radius < 1.0) == pytest.approx(0.5, abs=0.02)


def test_words_of_a_corner():
    """The first outcome is that of the documents about the sea; all have "and"."""
    documents = load("documents")
    counts = sp.csr_matrix([[3, 0, 0, 3], [2, 1, 0, 3], [0, 0, 4, 4]])
    words = np.array(["sea", "sun", "wind", "and"])
    mixtures = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert documents.weighty_words(counts, mixtures, words, 1) == ["sea", "wind"]
    assert documents.weighty_words(counts, mixtures, words, 2) == ["sea, sun", "wind, and"]


def test_names_on_the_map_do_not_overlap():
    documents = load("documents")
    rng = np.random.default_rng(0)
    points = 0.1 * rng.normal(size=(60, 2))
    figure, ax = plt.subplots()
    ax.set(xlim=(-0.3, 0.3), ylim=(-0.3, 0.3))
    ax.set_aspect("equal")
    figure.draw_without_rendering()
    documents.draw_names(ax, points, ["a_long_name"] * 60, ["stats"] * 60, list(range(60)))
    boxes = [text.get_window_extent() for text in ax.texts]
    assert 3 <= len(boxes) < 60
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    plt.close(figure)


def test_central_documents(monkeypatch):
    """The middle of the large bunch first, then that of the small one."""
    documents = load("documents")
    monkeypatch.setattr(documents, "MODULES", {"fft": documents.MODULES["fft"]})
    turn = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 1.0, 1.1, 1.2])
    points = np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
    first, second = documents.central(points, ["fft"] * 8, 2)
    assert first in (3, 4)  # nearest to all
    assert second in (1, 6)


@pytest.mark.slow
def test_documents(monkeypatch, capsys, tmp_path):
    documents = load("documents")
    everything = documents.load_documents()
    rows = first_of_each(everything[2], 10)
    few = tuple([column[i] for i in rows] for column in everything)
    monkeypatch.setattr(documents, "load_documents", lambda: few)
    documents.main(str(tmp_path / "picture.png"))
    check_drawn(tmp_path / "picture.png")
    printed = capsys.readouterr().out
    assert "60 documents" in printed
    assert printed.count("Stress-1 0.") == 2
    assert "angles change by" in printed
    assert "a new document: [[" in printed


# --- small ones, as they are ----------------------------------------------------------------------


def run(name, capsys, *arguments):
    """What an example prints."""
    load(name).main(*([list(arguments)] if arguments or name != "own_loss" else []))
    return capsys.readouterr().out


def number(pattern, printed):
    """The number in the place of the group."""
    return float(re.search(pattern, printed)[1].replace(",", ""))


@pytest.mark.parametrize("name", ["colours", slow("flights"), "hierarchy", "new_points"])
def test_nothing_is_written_unless_asked_for(name, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = load(name)
    monkeypatch.setattr(module, "draw", lambda *_: pytest.fail("it was drawn"))
    if name == "new_points":  # it takes a process of its own, which has a test below
        monkeypatch.setattr(module, "placed_by_command", lambda mds, new, _: mds.transform(new))
    module.main([])
    assert "drawn" not in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_flights(capsys, tmp_path):
    printed = run("flights", capsys, "--out", str(tmp_path / "new"))
    check_drawn(tmp_path / "new" / "flights.png")
    assert "100 cities, 990 of 4950 distances wrong" in printed
    assert number(r"squared loss: .* ([\d,.]+) km at most", printed) > 500.0
    assert number(r"absolute loss: .* ([\d,.]+) km at most", printed) < 0.01
    assert "absolute loss: radius of the Earth 6371.0 km" in printed
    assert printed.count(" km, on the map ") == 3


def test_colours(capsys, tmp_path):
    printed = run("colours", capsys, "--out", str(tmp_path))
    check_drawn(tmp_path / "colours.png")
    assert number(r"Stress-1 ([\d.]+)", printed) == pytest.approx(0.132, abs=0.002)
    assert number(r"± ([\d.]+)", printed) < 0.05
    assert "in the order of the spectrum: yes" in printed


def test_order_round_a_circle():
    colours = load("colours")
    turn = np.array([3.0, 4.0, 5.0, 6.5, 8.0])
    points = np.column_stack([2.0 + 3.0 * np.cos(turn), 1.0 + 3.0 * np.sin(turn)])
    for way in (points, points[::-1], points * [1.0, -1.0]):
        angles, radii = colours.round_the_circle(way)
        assert np.allclose(radii, 3.0)
        assert colours.in_order(angles)
    angles, _ = colours.round_the_circle(points[[0, 2, 1, 3, 4]])
    assert not colours.in_order(angles)


def test_hierarchy(capsys, tmp_path):
    printed = run("hierarchy", capsys, "--out", str(tmp_path))
    check_drawn(tmp_path / "hierarchy.png")
    assert "63 nodes, 2 children each, up to 10 steps" in printed
    flat = number(r"Euclidean plane: Stress-1 ([\d.]+)", printed)
    assert number(r"hyperbolic plane: Stress-1 ([\d.]+)", printed) < 0.3 * flat


@pytest.mark.slow
def test_new_points(capsys, tmp_path):
    printed = run("new_points", capsys, "--out", str(tmp_path))
    check_drawn(tmp_path / "new_points.png")
    assert number(r"([\d]+)% of cases", printed) > 80
    assert number(r"differs by ([\de.+-]+)", printed) < 1e-12
    assert (tmp_path / "wines.unimds").exists()


def test_own_loss(capsys):
    printed = run("own_loss", capsys)
    assert "the formulas are right" in printed
    assert "Mistaken breaks a rule" in printed
    names = ("Squared", "Absolute", "GemanMcClure")
    off = [number(rf"{name}\(.*off by ([\d.]+)", printed) for name in names]
    assert off[2] < off[1] < 0.5 * off[0]
