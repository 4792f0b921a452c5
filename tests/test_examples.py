"""The examples run and draw; on fewer data than they are written for."""

import importlib.util
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
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


def test_digits(monkeypatch, capsys, tmp_path):
    digits = load("digits")
    monkeypatch.setattr(digits, "load_digits", few_digits)
    digits.main(str(tmp_path / "picture.png"))
    check_drawn(tmp_path / "picture.png")
    printed = capsys.readouterr().out
    assert "all 64 pixels" in printed
    assert "9-dimensional simplex" in printed


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
    assert "angles change by" in printed
    assert "a new document: [[" in printed
