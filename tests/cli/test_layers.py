"""Options that draw on a map: what they need, and that picture and report have them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.support.commands import run
from unimds.spaces import distances


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    X = np.random.default_rng(0).normal(size=(9, 2))
    names = [f"p{i}" for i in range(9)]
    pd.DataFrame(distances(X), names, names).to_csv(tmp_path / "d.csv")
    about = pd.DataFrame({"kind": ["wet", "dry", "dry"] * 3, "year": ["a", "b", "c"] * 3}, names)
    about.to_csv(tmp_path / "about.csv", index_label="name")
    return str(tmp_path / "d.csv"), str(tmp_path / "about.csv")


def test_picture_and_report_have_the_layers(files: tuple[str, str], tmp_path: Path) -> None:
    plot, page = tmp_path / "map.svg", tmp_path / "map.html"
    drawn = ["--color", "kind", "--hulls", "kind", "--spiders", "kind", "--tree", "--bubbles"]
    looks = ["--shape", "year", "--page-columns", "one", "--dark"]
    where = ["--plot", str(plot), "--report", str(page), "-o", str(tmp_path / "map.csv")]
    done = run(
        "embed",
        files[0],
        "--metadata",
        files[1],
        "--n-init",
        "1",
        *drawn,
        *looks,
        *where,
        "--quiet",
    )
    assert done.code == 0, done.err
    svg = plot.read_text(encoding="utf-8")
    assert all(f">{word}</text>" in svg for word in ("wet", "year", "share of the error"))
    assert "#12171d" in svg.lower()  # a dark page
    assert 'width="252' in svg  # 89 mm in typographic points
    told = page.read_text(encoding="utf-8")
    assert all(name in told for name in ("hulls of kind", "spiders of kind", "spanning tree"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--hulls", "kind"], "--plot P.png or --report"),
        (["--dark"], "add --plot P.png"),
        (["--plot", "a.png", "--page-columns", "three"], "use one or two"),
        (["--plot", "a.png", "--hulls", "colour"], "colour"),
        (["--plot", "a.png", "--tree", "--landmarks", "5"], "--tree does not work with"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_the_fit(
    files: tuple[str, str], options: list[str], told: str
) -> None:
    done = run("embed", files[0], "--metadata", files[1], *options)
    assert done.code != 0
    assert told in " ".join(done.err.replace("│", " ").split())
