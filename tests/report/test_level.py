"""The report of a map at a level of measurement: disparities, not given numbers, are compared."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unimds import MDS, DegenerateWarning, Ordinal
from unimds.plots.fit import share_told
from unimds.quality import linear_r2, monotone_r2, point_stress, residuals, shepard
from unimds.report import report
from unimds.report.fit import fit_of
from unimds.report.level import KRUSKAL, kruskals_word
from unimds.report.placed import write_placed_report
from unimds.report.subject import subject_of
from unimds.report.verdict import verdict

N = 16


def fitted(level: Any, *, noise: float = 0.1, **how: Any) -> MDS:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    D = cdist(X, X) ** 2 * rng.uniform(1.0 - noise, 1.0 + noise, size=(N, N))
    return fit_to(np.tril(D, -1) + np.tril(D, -1).T, level, **how)


def fit_to(D: Any, level: Any, **how: Any) -> MDS:
    settings = {"metric": "precomputed", "n_init": 1, "random_state": 0, **how}
    return MDS(level=level, **settings).fit(D)


def said_of(mds: Any, D: Any = None) -> str:
    subject = subject_of(mds, D, None)
    return " ".join(verdict(subject, None if subject.compared is None else fit_of(subject)))


def data_of(page: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    data: dict[str, Any] = json.loads(found)
    return data


def row_of(page: str, name: str) -> str:
    (found,) = re.findall(rf'<th scope="row">{re.escape(name)}</th><td>(.*?)</td>', page)
    return str(found)


# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["ordinal", "interval", "spline", "power"])
def test_points_and_pairs_are_judged_by_disparities(level: str) -> None:
    mds = fitted(level)
    fit = fit_of(subject_of(mds, None, None))
    assert np.allclose(fit.share, point_stress(mds))
    gap = np.abs(residuals(mds))
    worst = gap.argmax(axis=1)
    each = np.arange(N)
    assert np.array_equal(fit.partners[:, 0], worst)
    assert np.allclose(fit.target[:, 0], np.asarray(mds.disparities_)[each, worst])
    assert np.allclose(fit.given[:, 0], mds.dissimilarity_matrix_[each, worst])
    assert fit.linear == pytest.approx(linear_r2(mds), rel=1e-9)
    pairs = shepard(mds)
    assert np.allclose(np.sort(fit.sample.target), np.sort(pairs.disparities))
    longer = np.maximum(pairs.mapped, pairs.disparities)
    off = np.median(np.abs(pairs.mapped - pairs.disparities) / longer)
    assert fit.off == pytest.approx(off)


def test_a_ratio_map_is_judged_by_its_distances() -> None:
    mds = fitted("ratio")
    fit = fit_of(subject_of(mds, None, None))
    assert np.array_equal(fit.target, fit.given)
    assert np.array_equal(fit.sample.target, fit.sample.given)
    assert "scaled" not in data_of(report(mds))


def test_a_result_and_its_dissimilarities_make_the_same_report() -> None:
    mds = fitted("ordinal")
    assert mds.dissimilarity_matrix_ is not None
    own, beside = (
        data_of(report(*run)) for run in ((mds,), (mds.result_, mds.dissimilarity_matrix_))
    )
    assert own == beside
    page = report(mds.result_, mds.dissimilarity_matrix_)
    assert row_of(page, "Stress-1") == f"{mds.stress_:.6g}"
    assert row_of(page, "level of measurement") == "ordinal, primary ties"


# --- the page -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "steps"), [("ordinal", True), ("spline", False)])
def test_the_shepard_diagram_has_the_transformation(level: str, steps: bool) -> None:
    mds = fitted(level)
    page = report(mds)
    scaled = data_of(page)["scaled"]
    assert scaled["steps"] is steps
    ((d, r),) = scaled["curves"]
    assert mds.transformation_ is not None
    assert np.allclose(mds.transformation_(d), r, rtol=1e-2)
    assert len(scaled["disparity"]) == len(data_of(page)["shepard"]["given"])
    assert "the line is the transformation, from dissimilarities to disparities" in page
    assert "on the line, the map has the given distance" not in page


def test_rows_have_curves_of_their_own() -> None:
    page = report(fitted("ordinal", conditional="row"))
    assert len(data_of(page)["scaled"]["curves"]) == N
    assert "each line is the transformation of a row" in page
    assert row_of(page, "level of measurement") == "ordinal, primary ties, each row by itself"


def test_the_settings_name_the_level_and_both_shares() -> None:
    mds = fitted(Ordinal(ties="secondary"))
    page = report(mds)
    assert row_of(page, "level of measurement") == "ordinal, secondary ties"
    assert row_of(page, "non-metric fit, R²") == share_told(monotone_r2(mds))
    assert row_of(page, "linear fit, R²") == share_told(linear_r2(mds))
    assert row_of(report(fitted("interval")), "level of measurement") == "interval"
    assert ">level of measurement<" not in report(fitted("ratio"))


# --- words ----------------------------------------------------------------------------------------


def test_the_first_sentence_tells_of_disparities() -> None:
    mds = fitted("interval")
    said = said_of(mds)
    assert said.startswith(f"Stress-1 is {mds.stress_:.3g}: distances on the map differ from their")
    assert "Disparities are a straight line of the given dissimilarities" in said
    assert "if all distances on the map were equal" not in said  # they could be: at a stress of 0
    assert "at the same level" in said


def test_kruskals_words_are_for_ordinal_maps_with_primary_ties() -> None:
    assert "Kruskal" in said_of(fitted("ordinal"))
    others: list[Any] = [Ordinal(ties="secondary"), Ordinal(strictness=0.2), "interval", "ratio"]
    assert not any("Kruskal" in said_of(fitted(level)) for level in others)
    assert "Kruskal" not in said_of(fitted("ordinal", conditional="row"))
    assert "Kruskal" not in said_of(fitted("ordinal", loss="absolute"))


@pytest.mark.parametrize(
    ("stress", "words"),
    [
        (0.01, ("0.025 excellent", "lower")),
        (0.03, ("0.025 excellent", "0.05 good", "between")),
        (0.05, ("0.025 excellent", "0.05 good", "between")),
        (0.07, ("0.05 good", "0.1 fair", "between")),
        (0.15, ("0.1 fair", "0.2 poor", "between")),
        (0.25, ("0.2 poor", "higher")),
    ],
)
def test_kruskals_words(stress: float, words: tuple[str, ...]) -> None:
    said = kruskals_word(stress)
    assert all(word in said for word in words)
    known = [word for _, word in KRUSKAL if word in said]
    assert len(known) == len(words) - 1


def test_a_perfect_map_has_the_order_of_the_dissimilarities() -> None:
    X = np.array([[0.0], [1.0], [3.0], [4.5], [8.0], [12.0]])
    mds = fit_to(cdist(X, X) ** 2, "ordinal", n_components=1)
    assert mds.degeneracy_ is None
    assert said_of(mds).startswith("Stress-1 is 0: the distances on the map have the order of the")
    X = np.random.default_rng(1).normal(size=(N, 2))
    line = fit_to(3.0 * cdist(X, X) + 2.0 * (1.0 - np.eye(N)), "interval", eps=1e-14)
    assert line.stress_ < 1e-6
    assert "Stress-1 is 0: the map has all disparities. Disparities are a straight" in said_of(line)


def test_a_degenerate_map_is_told_first_with_its_remedies() -> None:
    group = np.arange(12) // 4
    D = np.where(group[:, None] == group, 1.0, 9.0)
    D += np.random.default_rng(0).uniform(0.0, 0.5, size=(12, 12))
    D = np.tril(D, -1) + np.tril(D, -1).T
    with pytest.warns(DegenerateWarning):
        mds = fit_to(D, "ordinal")
    said = said_of(mds)
    assert said.startswith("The map is degenerate: its 12 points lie in 3 places.")
    assert "Ordinal(strictness=0.1)" in said
    assert "Kruskal" not in said
    assert "Half of the distances" not in said


# --- new points -----------------------------------------------------------------------------------


def test_new_points_are_judged_by_their_disparities(tmp_path: Path) -> None:
    mds = fitted("ordinal")
    given = np.asarray(mds.dissimilarity_matrix_)[:2].copy()  # as the first two points
    new = mds.transform(given)
    labels = [str(i) for i in range(N + 2)]
    write_placed_report(
        mds, tmp_path / "new.html", new, given, to=np.arange(N), labels=labels, columns={}
    )
    page = (tmp_path / "new.html").read_text(encoding="utf-8")
    assert mds.transformation_ is not None
    r, u = mds.transformation_(given), cdist(new, mds.embedding_)
    stress = np.sqrt(np.sum((u - r) ** 2) / np.sum(u**2))
    assert row_of(page, "Stress-1 of the new points") == f"{stress:.6g}"
    assert data_of(page)["scaled"]["steps"]


def test_a_map_without_stress_is_not_called_wrong():
    """Rounding makes most errors far smaller than the Stress-1, which is nothing either."""
    points = np.random.default_rng(0).normal(size=(15, 2))
    D = np.linalg.norm(points[:, None] - points, axis=2)
    mds = MDS(level="ordinal", metric="precomputed", random_state=0).fit(D**2)
    assert mds.stress_ < 1e-6
    assert "badly wrong" not in report(mds)
