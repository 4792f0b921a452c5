"""A report says what is true of a map, in one file that asks for nothing else."""

from __future__ import annotations

import importlib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.support.maps import KINDS, a_map
from unimds import MDS, LandmarkMDS, Outcome, Squared
from unimds.files import FileError
from unimds.quality import point_stress, stress_1
from unimds.report import report, write_report
from unimds.report.fit import SAMPLE, fit_of
from unimds.report.html import CATEGORIES
from unimds.report.subject import subject_of
from unimds.report.verdict import bad_points, stress_word, verdict

EVIL = [
    "</script><script>alert(1)</script>",
    "\"quotes\" & 'more'",
    "line\u2028break",
    "<b>bold</b>",
]


def data_of(page: str) -> dict[str, Any]:
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert len(found) == 1
    data: dict[str, Any] = json.loads(found[0])
    return data


@pytest.mark.parametrize("kind", KINDS)
def test_each_space_has_its_picture(kind: str) -> None:
    result, D = a_map(kind)
    page = report(result, D)
    data = data_of(page)
    assert data["kind"] == ("plane" if kind == "many" else kind)
    assert len(data["points"]) == (3 if kind in ("space", "globe") else 2)
    assert {len(axis) for axis in data["points"]} == {40}
    assert ("principal coordinates" in page) == (kind == "many")
    assert bool(data["grid"]) == (kind in ("globe", "disk", "triangle"))


@pytest.mark.parametrize("far", [0.0, 5e6, -2e12])
def test_points_are_where_they_are_however_far_off(far: float) -> None:
    result, D = a_map("plane")
    X = result.embedding + far
    points = np.array(data_of(report(replace(result, embedding=X), D))["points"]).T
    assert np.abs(points - X).max() < 1e-3


def test_it_asks_for_nothing_else() -> None:
    page = report(*a_map("plane"))
    own = page.replace(plotly_script(), "")
    assert len(own) < 200_000
    assert not re.search(r"https?:|//cdn|@import|url\(|<link(?! rel=\"icon\" href=\"data:,\")", own)
    assert not re.search(r"\ssrc\s*=", own)
    assert "default-src 'none'" in own
    assert "innerHTML" not in own


def plotly_script() -> str:
    from plotly.offline import get_plotlyjs

    script: str = get_plotlyjs()
    return script


def test_labels_are_data() -> None:
    result, D = a_map("plane", n=4)
    page = report(result, D, labels=EVIL, columns={EVIL[0]: EVIL}, title=EVIL[0])
    data = data_of(page)
    assert data["labels"] == EVIL
    assert data["columns"][0]["name"] == EVIL[0]
    assert sorted(data["columns"][0]["names"]) == sorted(EVIL)
    own = page.replace(plotly_script(), "")
    assert "<script>alert" not in own
    assert "\u2028" not in own
    assert "&lt;/script&gt;" in re.findall("<title>(.*)</title>", page)[0]


def test_what_cannot_be_encoded_is_replaced(tmp_path: Path) -> None:
    result, D = a_map("plane", n=2)
    write_report(result, tmp_path / "map.html", D, labels=["half \ud800", "b"], title="\udfff")
    assert "half ?" in (tmp_path / "map.html").read_text(encoding="utf-8")


def test_braces_in_a_label_are_not_filled_in() -> None:
    result, D = a_map("plane", n=2)
    assert data_of(report(result, D, labels=["{{plotly}}", "b"]))["labels"][0] == "{{plotly}}"


# --- what it says ---------------------------------------------------------------------------------


def test_the_worst_partners_are_those_of_the_largest_loss() -> None:
    result, D = a_map("plane", noise=0.0)
    for i, j, off in ((0, 5, 1.0), (0, 7, 3.0), (0, 9, 2.0)):
        D[i, j] = D[j, i] = D[i, j] + off
    data = data_of(report(result, D))
    assert data["partners"][0] == [7, 9, 5, -1, -1]  # all other distances are met
    assert data["partners"][5][:2] == [0, -1]
    assert data["given"][0][0] == pytest.approx(D[0, 7], rel=1e-3)
    assert data["mapped"][0][0] == pytest.approx(D[0, 7] - 3.0, rel=1e-3)


def test_weights_count() -> None:
    result, D = a_map("plane", noise=0.0)
    D[0, 5] = D[5, 0] = D[0, 5] + 1.0
    D[0, 7] = D[7, 0] = D[0, 7] + 1.1
    weights = np.ones_like(D)
    weights[0, 7] = weights[7, 0] = 0.5
    assert data_of(report(result, D))["partners"][0][0] == 7
    assert data_of(report(result, D, weights=weights))["partners"][0][0] == 5


def test_a_table_may_be_asymmetric_and_have_gaps() -> None:
    result, D = a_map("plane", noise=0.0)
    D[0, 3] = np.nan  # known the other way only, and wrong
    D[3, 0] += 2.0
    D[1, 2] = D[2, 1] = np.nan
    fit = fit_of(subject_of(result, D, None))
    assert fit.partners[0, 0] == 3
    assert fit.given[0, 0] == pytest.approx(D[3, 0])
    assert fit.known == pytest.approx(1.0 - 1.0 / 780.0)
    assert np.isfinite(fit.stress).all()


def test_the_stress_of_points_agrees_with_that_of_the_map() -> None:
    result, D = a_map("plane")
    fit = fit_of(subject_of(result, D, None))
    mapped = np.linalg.norm(result.embedding[:, None] - result.embedding, axis=2)
    total = np.sqrt(np.sum(fit.stress**2 * np.sum(mapped**2, axis=1)) / np.sum(mapped**2))
    assert total == pytest.approx(stress_1(D, result.embedding))
    share = fit.stress**2 * np.sum(mapped**2, axis=1)
    assert share / share.sum() == pytest.approx(point_stress(D, result.embedding))


def test_of_many_pairs_there_is_a_sample_and_a_density(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unimds.report.fit.FULL", 100)
    monkeypatch.setattr("unimds.report.fit.OTHERS", 50)
    monkeypatch.setattr("unimds.report.fit.SQUARE", 90)
    result, D = a_map("plane", n=200)
    data = data_of(report(result, D))
    shepard = data["shepard"]
    assert len(shepard["given"]) == SAMPLE
    assert sum(map(sum, shepard["counts"])) > SAMPLE
    assert all(i != j for i, j in zip(shepard["i"], shepard["j"], strict=True))
    for k in (0, 17, 4999):
        i, j = shepard["i"][k], shepard["j"][k]
        assert shepard["given"][k] == pytest.approx(D[i, j], rel=1e-4)
    assert len(set(np.ravel(data["partners"]).tolist())) <= 50


def test_twenty_thousand_points_stay_small() -> None:
    rng = np.random.default_rng(0)
    result, _ = a_map("plane", n=3)
    many = replace(result, embedding=rng.normal(size=(20_000, 2)))
    page = report(many, columns={"size": rng.normal(size=20_000)})
    assert len(page) < len(plotly_script()) + 1_500_000


def test_without_distances_it_says_so() -> None:
    result, _ = a_map("plane")
    page = report(result)
    assert "This report has no given distances" in page
    assert "shepard" not in data_of(page)


def test_the_verdict_is_in_plain_words() -> None:
    result, D = a_map("plane", noise=0.02)
    said = " ".join(verdict(*judged(result, D)))
    assert "good, in Kruskal's words" in said or "excellent, in Kruskal's words" in said
    assert "Converged" in said
    stopped = replace(result, outcome=Outcome.MAX_ITER)
    assert "let it run longer" in " ".join(verdict(*judged(stopped, D)))
    D[0, 1:] *= 5.0
    D[1:, 0] *= 5.0
    subject, fit = judged(result, D)
    assert bad_points(fit.stress)[0] == 0
    assert "These points fit worst:" in verdict(subject, fit)


def judged(result: Any, D: np.ndarray) -> tuple[Any, Any]:
    subject = subject_of(result, D, None)
    subject = replace(subject, stress=stress_1(D, result.embedding))
    return subject, fit_of(subject)


def test_a_few_wrong_distances_are_told_from_a_bad_map() -> None:
    result, D = a_map("plane", noise=0.0)
    D[0, 1] = D[1, 0] = 50.0
    assert "a few are badly wrong" in " ".join(verdict(*judged(result, D)))


@pytest.mark.parametrize(
    ("stress", "word"), [(0.0, "perfect"), (0.025, "excellent"), (0.07, "fair"), (0.2, "poor")]
)
def test_kruskals_words(stress: float, word: str) -> None:
    assert stress_word(stress) == word


# --- what it takes --------------------------------------------------------------------------------


def test_estimators_bring_their_own_distances_and_labels() -> None:
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 4)), index=list("abcdefghijkl"))
    mds = MDS(random_state=0).fit(X)
    page = report(mds)
    data = data_of(page)
    assert data["labels"] == list("abcdefghijkl")
    assert len(data["shepard"]["given"]) == 66
    assert "random_state" in page
    lean = MDS(random_state=0, memory_limit=0).fit(X)
    assert lean.dissimilarity_matrix_ is None
    assert data_of(report(lean))["shepard"]["given"] == data["shepard"]["given"]


def test_landmarks_need_the_features() -> None:
    X = np.random.default_rng(0).normal(size=(80, 3))
    mds = LandmarkMDS(n_landmarks=20, refine=1, random_state=0).fit(X)
    assert "shepard" not in data_of(report(mds))
    data = data_of(report(mds, X))
    distance = np.linalg.norm(X[0] - X[data["partners"][0][0]])
    assert data["given"][0][0] == pytest.approx(distance, rel=1e-3)


def test_columns_are_numbers_or_categories() -> None:
    frame = pd.DataFrame({"size": [1.5, np.nan, 2.0], "kind": ["a", None, "a"], "yes": [True] * 3})
    result, _ = a_map("plane", n=3)
    numbers, kinds, yes = data_of(report(result, columns=frame))["columns"]
    assert numbers["numbers"] == [1.5, None, 2.0]
    assert kinds["names"] == ["a", ""]
    assert yes["names"] == ["True"]
    many = {"many": [str(i) for i in range(100)]}
    result, _ = a_map("plane", n=100)
    (many,) = data_of(report(result, columns=many))["columns"]
    assert len(many["names"]) == CATEGORIES
    assert many["names"][-1] == "77 others"
    assert max(many["codes"]) == CATEGORIES - 1


def test_what_does_not_fit_together_is_refused() -> None:
    result, D = a_map("plane", n=3)
    with pytest.raises(ValueError, match="3 points, but there are 2 labels"):
        report(result, D, labels=["a", "b"])
    with pytest.raises(ValueError, match="column 'size' has 1 values"):
        report(result, D, columns={"size": [1]})
    with pytest.raises(ValueError, match="distances of the 3 points"):
        report(result, D[:2])
    with pytest.raises(TypeError, match="not ndarray"):
        report(D)


# --- the file -------------------------------------------------------------------------------------


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    result, D = a_map("plane", n=3)
    path = tmp_path / "map.html"
    with pytest.raises(ValueError, match="labels"):
        write_report(result, path, D, labels=["a"])
    assert list(tmp_path.iterdir()) == []
    write_report(result, path, D)
    with pytest.raises(FileError, match="already exists"):
        write_report(result, path, D)
    write_report(result, path, D, title="Another", force=True)
    assert "<title>Another</title>" in path.read_text(encoding="utf-8")


def test_the_path_first_still_works_with_a_warning(tmp_path: Path) -> None:
    result, D = a_map("plane", n=3)
    with pytest.warns(DeprecationWarning, match=r"write write_report\(model, path\)") as told:
        write_report(tmp_path / "old.html", result, D, title="T")
    assert told[0].filename == __file__
    write_report(result, tmp_path / "new.html", D, title="T")
    assert (tmp_path / "old.html").read_text() == (tmp_path / "new.html").read_text()


def test_without_plotly_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "plotly"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly", None)
    importlib.reload(sys.modules["unimds.report"])
    with pytest.raises(
        ImportError, match=re.escape("a report needs plotly: pip install 'unimds[report]'")
    ):
        report(*a_map("plane"))


def test_a_loss_of_ones_own_is_named() -> None:
    result, D = a_map("plane", n=3)
    assert str(Squared()) in report(result, D)
