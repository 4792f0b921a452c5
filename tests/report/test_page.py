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
from unimds import (
    MDS,
    Absolute,
    Huber,
    LandmarkMDS,
    Loss,
    Outcome,
    Power,
    Sphere,
    Squared,
    SquaredDistance,
    place_center,
)
from unimds.files import FileError
from unimds.landmarks import place, refine
from unimds.quality import point_stress, stress_1
from unimds.report import report, write_report
from unimds.report.fit import SAMPLE, fit_of
from unimds.report.html import CATEGORIES
from unimds.report.subject import subject_of
from unimds.report.verdict import bad_points, in_seconds, is_robust, verdict
from unimds.spaces import distances

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
    assert np.isfinite(fit.share).all()


@pytest.mark.parametrize("case", ["plain", "weights", "gaps", "asymmetric", "huge", "tiny"])
def test_the_report_and_quality_mean_the_same_by_point_stress(case: str) -> None:
    result, D = a_map("plane")
    weights = None
    if case == "weights":
        weights = np.random.default_rng(1).uniform(size=D.shape)
    elif case == "gaps":
        D[0, 3] = D[1, 2] = D[2, 1] = np.nan
    elif case == "asymmetric":
        D[5] *= 1.5
    elif case in ("huge", "tiny"):  # squares leave the range of floats
        unit = 1e153 if case == "huge" else 1e-160
        D, result = D * unit, replace(result, embedding=result.embedding * unit)
    share = point_stress(D, result.embedding, weights=weights)
    fit = fit_of(subject_of(result, D, None), weights)
    assert fit.share == pytest.approx(share)
    assert fit.share.sum() == pytest.approx(1.0)
    assert data_of(report(result, D, weights=weights))["share"] == pytest.approx(share, rel=5e-3)


def test_of_many_points_the_point_stress_is_judged_by_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unimds.report.fit.FULL", 100)
    monkeypatch.setattr("unimds.report.fit.OTHERS", 150)
    result, D = a_map("plane", n=200)
    share, fit = point_stress(D, result.embedding), fit_of(subject_of(result, D, None))
    assert fit.share.sum() == pytest.approx(1.0)
    assert np.corrcoef(fit.share, share)[0, 1] > 0.9


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


def test_without_distances_it_promises_none() -> None:
    result, _ = a_map("plane")
    page = report(result)
    assert "made without the given distances" in page
    assert "shepard" not in data_of(page)
    assert "worst-fitting" not in page
    assert "to mark it on the map" in page
    page = report(result, columns={"size": np.arange(40.0)})
    assert "worst-fitting" not in page
    assert "to see its values here" in page
    assert "to see its worst-fitting distances here" in report(*a_map("plane"))


def test_a_result_knows_its_stress() -> None:
    result, _ = a_map("plane")
    assert "Stress-1 is 0.123:" in report(replace(result, stress=0.1234))


def judged(result: Any, D: np.ndarray) -> tuple[Any, Any]:
    subject = subject_of(result, D, None)
    subject = replace(subject, stress=stress_1(D, result.embedding))
    return subject, fit_of(subject)


def told(result: Any, D: np.ndarray) -> str:
    return " ".join(verdict(*judged(result, D)))


def test_the_verdict_is_in_plain_words() -> None:
    result, D = a_map("plane", noise=0.02)
    said = told(result, D)
    assert re.match(r"Stress-1 is 0\.0\d+: distances on the map are off by about \d\.?\d? %", said)
    assert "with other maps of the same data" in said
    assert "Converged" in said
    stopped = replace(result, outcome=Outcome.MAX_ITER)
    assert "The map may still improve" in told(stopped, D)


@pytest.mark.parametrize("stress", [0.1966, 0.1999, 0.2001, 0.2027])
def test_no_word_contradicts_the_number(stress: float) -> None:
    result, D = a_map("plane")
    subject, fit = judged(result, D)
    said = " ".join(verdict(replace(subject, stress=stress), fit))
    assert f"Stress-1 is {stress:.3g}:" in said
    # Kruskal's words are for nonmetric maps, and this one is metric
    assert not re.search("Kruskal|perfect|excellent|good|fair|poor", said)


def test_a_perfect_map_is_called_so() -> None:
    said = told(*a_map("plane", noise=0.0))
    assert said.startswith("Stress-1 is 0: the map has all given distances.")
    assert "squared error" not in said  # there is none to share


def test_stress_is_compared_with_equal_distances() -> None:
    result, D = a_map("plane")
    pairs = D[np.triu_indices(40, 1)]
    best = min(
        float(np.sqrt(np.mean((pairs - c) ** 2) / c**2)) for c in np.linspace(0.5, 5.0, 2000)
    )
    subject, fit = judged(result, D)
    assert fit.flat == pytest.approx(best, rel=1e-4)
    said = " ".join(verdict(subject, fit))
    assert f"Compare this Stress-1 with {fit.flat:.3g}, its value if all distances" in said
    alike = np.random.default_rng(0).uniform(0.99, 1.01, size=D.shape)
    alike = np.triu(alike, 1) + np.triu(alike, 1).T
    assert "It is not lower, although equal distances fit in no map" in told(result, alike)
    assert "It is not lower" not in said


def test_similarities_are_asked_about() -> None:
    result, D = a_map("plane")
    asked = "are these similarities? Then write the largest value minus s"
    assert asked not in told(result, D)
    turned = D.max() - D
    np.fill_diagonal(turned, 0.0)
    assert asked in told(result, turned)


def test_a_pair_of_no_weight_is_in_no_diagram() -> None:
    D = distances(np.random.default_rng(0).normal(size=(8, 3)))
    D[0, 7] = D[7, 0] = 50.0  # far off
    weights = np.ones_like(D)
    weights[0, 7] = weights[7, 0] = 0.0
    result = place_center(D, 2, weights=weights, n_init=1)
    fit = fit_of(subject_of(result, D, None), weights)
    pairs = set(zip(fit.sample.i.tolist(), fit.sample.j.tolist(), strict=True))
    assert (0, 7) not in pairs
    assert len(pairs) == 27
    assert fit.sample.given.max() < 50.0


def test_weights_count_in_the_comparison() -> None:
    result, D = a_map("plane")
    D[0, 1:] *= 9.0
    D[1:, 0] *= 9.0
    weights = np.ones_like(D)
    weights[0] = weights[:, 0] = 0.0
    one = fit_of(subject_of(result, D, None), weights)
    rest = replace(result, embedding=result.embedding[1:])
    assert one.flat == pytest.approx(fit_of(subject_of(rest, D[1:, 1:], None)).flat)


@pytest.mark.parametrize(
    ("loss", "robust"),
    [
        (Squared(), False),
        (Power(2.0), False),
        (Absolute(), True),
        (Absolute(0.5), True),
        (Power(1.5), True),
        (Huber(0.2), True),
        (Huber(), True),
        (SquaredDistance(), True),
    ],
)
def test_robust_losses_begin_with_what_they_are_good_at(loss: Loss, robust: bool) -> None:
    assert is_robust(loss, 3.0) == robust
    result, D = a_map("plane")
    said = told(replace(result, loss=loss.resolved(1.0)), D)
    assert said.startswith("Half of the distances are off by less than") == robust
    assert ("a few wrong distances, which this loss tolerates" in said) == robust
    assert ("Compare this Stress-1 with" in said) != robust


def test_the_share_of_met_distances_is_told() -> None:
    result, D = a_map("plane", noise=0.0)
    wrong = np.triu(np.random.default_rng(0).uniform(size=D.shape) < 0.25, 1)
    D[wrong | wrong.T] *= 2.0
    met = 1.0 - wrong.sum() / 780.0
    said = told(replace(result, loss=Absolute()), D)
    assert said.startswith(
        f"Half of the distances are off by less than 0.01 %, and {100.0 * met:.0f} % of all "
        "distances by less than 5 %."
    )


def test_a_few_wrong_distances_are_told_from_a_bad_map() -> None:
    result, D = a_map("plane", noise=0.0)
    D[0, 1] = D[1, 0] = 50.0
    assert "a few are badly wrong" in told(result, D)


def test_points_that_fit_badly_are_named_and_even_errors_have_numbers() -> None:
    result, D = a_map("plane")
    subject, fit = judged(result, D)
    even = replace(fit, share=np.array([0.012] * 20 + [0.038] * 20))
    said = " ".join(verdict(subject, even))
    assert "No point has more than twice an equal share of the squared error, 2.5 %" in said
    assert "the point stress lies between 1.2 % and 3.8 %" in said
    assert bad_points(even.share) == []
    D[0, 1:] *= 5.0
    D[1:, 0] *= 5.0
    subject, fit = judged(result, D)
    assert bad_points(fit.share) == [0]
    assert verdict(subject, fit)[-1] == (
        "These points have more than twice an equal share of the squared error, 2.5 %; the worst "
        "first:"
    )
    many = np.where(np.arange(40) < 10, 0.099, 0.01 / 30)
    assert "; the worst 8 of 10:" in verdict(subject, replace(fit, share=many))[-1]


# --- landmarks -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def landmarks() -> LandmarkMDS:
    X = np.random.default_rng(0).normal(size=(80, 3))
    how = {"init": "random", "n_init": 1, "random_state": 0}  # one descent, whose cost falls
    return LandmarkMDS(n_landmarks=20, refine=1, **how).fit(X)


def settings_of(page: str) -> dict[str, str]:
    return dict(re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td></tr>', page))


def test_what_belongs_to_the_landmarks_is_said_to(landmarks: LandmarkMDS) -> None:
    page = report(landmarks)
    fitted = landmarks.landmark_result_
    assert f"The fit of the 20 landmarks came first. {fitted.message} It took" in page
    assert "The other points were placed against the landmarks, then all points against" in page
    assert f"The whole map took {in_seconds(sum(landmarks.seconds_.values()))}." in page
    assert ">Convergence of the landmarks</h2>" in page
    assert "The cost of the 20 landmarks after each sweep" in page
    settings = settings_of(page)
    assert settings["cost of the 20 landmarks"] == f"{fitted.cost:.6g}"
    assert data_of(page)["history"][2][-1] == pytest.approx(fitted.cost, rel=1e-6)
    assert "The map may still improve" not in page


def test_estimates_come_with_their_standard_errors(landmarks: LandmarkMDS) -> None:
    page = report(landmarks)
    settings = settings_of(page)
    for name, value, error in (
        ("cost, the sum of losses", landmarks.cost_, landmarks.cost_error_),
        ("Stress-1", landmarks.stress_, landmarks.stress_error_),
    ):
        shown, wrong, what = re.split(" ± | ", settings[name], maxsplit=2)
        assert float(shown) == pytest.approx(value, abs=error)
        assert float(wrong) == pytest.approx(error, rel=0.5)
        assert what == "(estimate ± standard error)"
    assert f"Stress-1 is {settings['Stress-1'].split(' (')[0]}:" in page
    assert "estimated from a sample of pairs" in page


def test_stopped_landmarks_may_improve(landmarks: LandmarkMDS) -> None:
    subject = subject_of(landmarks, None, None)
    assert subject.run is not None
    stopped = replace(subject, run=replace(subject.run, outcome=Outcome.MAX_ITER))
    assert "The landmarks may still improve" in " ".join(verdict(stopped, None))


def test_few_points_are_all_fitted_and_nothing_is_estimated() -> None:
    X = np.random.default_rng(0).normal(size=(15, 3))
    page = report(LandmarkMDS(random_state=0).fit(X))
    assert ">Convergence</h2>" in page
    assert "±" not in page.replace(plotly_script(), "")
    assert "the landmarks" not in page


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
    assert (kinds["names"], kinds["codes"]) == (["a"], [0, -1, 0])
    assert yes["names"] == ["True"]
    many = {"many": [str(i) for i in range(100)]}
    result, _ = a_map("plane", n=100)
    (many,) = data_of(report(result, columns=many))["columns"]
    assert len(many["names"]) == CATEGORIES
    assert many["names"][-1] == "77 others"
    assert max(many["codes"]) == CATEGORIES - 1


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (pd.Series([1.0, 2.0, 3.0], name="size"), "size"),
        (pd.Series([1.0, 2.0, 3.0], name=2020), "2020"),
        (pd.Series([1.0, 2.0, 3.0]), "value"),
        (np.array([1.0, 2.0, 3.0]), "value"),
        ([1.0, 2.0, 3.0], "value"),
    ],
)
def test_a_single_column_will_do(columns: Any, name: str) -> None:
    result, _ = a_map("plane", n=3)
    (column,) = data_of(report(result, columns=columns))["columns"]
    assert column == {"name": name, "numbers": [1.0, 2.0, 3.0]}


def test_integer_classes_are_categories() -> None:
    result, _ = a_map("plane", n=4)
    columns = {"class": np.array([10, 9, 9, 9]), "kind": pd.Categorical([3, 2, 1, 0])}
    first, second = data_of(report(result, columns=columns))["columns"]
    assert (first["names"], first["codes"]) == (["9", "10"], [1, 0, 0, 0])
    assert second["names"] == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (7, "columns must be a mapping of names to 3 values each, .* not int"),
        ("abc", "columns must be .* not str"),
        (np.ones((3, 2)), r"columns must be .* not ndarray of shape \(3, 2\)"),
        ({"size": 7}, "column 'size' must hold 3 values, not int"),
        ({"size": "abc"}, "column 'size' must hold 3 values, not str"),
        ({"size": np.ones((3, 1))}, r"column 'size' must hold 3 values, .* shape \(3, 1\)"),
    ],
)
def test_other_columns_are_refused_in_plain_words(columns: Any, said: str) -> None:
    result, _ = a_map("plane", n=3)
    with pytest.raises(TypeError, match=said):
        report(result, columns=columns)


def test_what_does_not_fit_together_is_refused() -> None:
    result, D = a_map("plane", n=3)
    with pytest.raises(ValueError, match="3 points, but there are 2 labels"):
        report(result, D, labels=["a", "b"])
    with pytest.raises(ValueError, match="column 'size' has 1 values"):
        report(result, D, columns={"size": [1]})
    with pytest.raises(ValueError, match="column 'value' has 2 values"):
        report(result, D, columns=np.ones(2))
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


def test_it_says_how_often_the_lowest_map_was_found():
    D = np.random.default_rng(0).uniform(0.3, 1.0, (9, 9))
    D = np.triu(D, 1) + np.triu(D, 1).T
    result = place_center(D, random_state=0)
    said = f"The lowest map was found from {result.found} of {len(result.starts)} starts."
    assert said in report(result, D)
    assert "lowest map was found" not in report(place_center(D, n_init=2), D)
    alone = replace(result, starts=replace(result.starts, costs=np.array([2.0, 3.0, 4.0])))
    assert "from 1 of 3 starts. There may be a lower one" in report(alone, D)


# --- columns with labels --------------------------------------------------------------------------

ANIMALS = ["ant", "bee", "cat", "dog", "eel", "fox"]
ABOUT = pd.DataFrame(
    {"legs": [6.0, 6.0, 4.0, 4.0, 0.0, 4.5], "kind": ["i", "i", "m", "m", "f", "m"]}, ANIMALS
)


@pytest.fixture(scope="module")
def animals() -> Any:
    X = np.random.default_rng(0).normal(size=(6, 3))
    return MDS(random_state=0).fit(pd.DataFrame(X, ANIMALS))


@pytest.mark.parametrize("form", [lambda f: f, lambda f: f["legs"], lambda f: {"legs": f["legs"]}])
def test_columns_are_joined_by_label(animals: Any, form: Any) -> None:
    other = form(ABOUT.iloc[[4, 2, 5, 0, 1, 3]])
    for page in (
        report(animals, columns=other),
        report(animals.result_, labels=ANIMALS, columns=other),
    ):
        assert data_of(page)["columns"][0]["numbers"] == ABOUT["legs"].tolist()


def test_labels_and_weights_are_joined_by_label(animals: Any) -> None:
    order = [4, 2, 5, 0, 1, 3]
    names = pd.Series([name.upper() for name in ANIMALS], ANIMALS)
    data = data_of(report(animals, labels=names.iloc[order], columns=ABOUT.iloc[order]))
    assert data["labels"] == names.tolist()
    assert data["columns"][0]["numbers"] == ABOUT["legs"].tolist()
    W = np.random.default_rng(1).uniform(1.0, 9.0, (6, 6))
    frame = pd.DataFrame(W + W.T, ANIMALS, ANIMALS)
    shares = [
        data_of(report(animals, weights=given))["share"]
        for given in (frame, frame.iloc[order, order], frame.iloc[order])
    ]
    assert shares[0] == shares[1] == shares[2]


def test_rows_that_are_missing_are_named(animals: Any) -> None:
    with pytest.raises(ValueError, match="columns has no row for 'cat' and 1 more of the 6 points"):
        report(animals, columns=ABOUT.drop(index=["cat", "eel"]))
    with pytest.raises(ValueError, match="column 'legs' has no row for 'cat' of the 6 points"):
        report(animals, columns={"legs": ABOUT["legs"].drop(index="cat")})
    with pytest.warns(UserWarning, match="the labels of columns, such as 'x0', are not"):
        report(animals, columns=ABOUT.set_axis([f"x{i}" for i in range(6)]))


# --- interrupted runs -----------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["fitting", "refining"])
def test_an_interrupted_map_of_landmarks_says_so(phase: str, monkeypatch: Any) -> None:
    X = np.random.default_rng(0).normal(size=(120, 3))
    mds = LandmarkMDS(n_landmarks=30, sample_size=20, refine=5, random_state=0)
    calls = 0

    def strike(*given: Any, own: Any = refine._refined) -> Any:
        nonlocal calls
        calls += 1
        if calls == 8:
            raise KeyboardInterrupt
        return own(*given)

    def callback(*_: Any) -> None:
        raise KeyboardInterrupt

    if phase == "fitting":
        mds.set_params(callback=callback)
    else:
        monkeypatch.setattr(place, "ENTRIES", 30 * 20)
        monkeypatch.setattr(refine, "_refined", strike)
    with pytest.warns(RuntimeWarning, match="Interrupted"):
        mds.fit(X)
    said = " ".join(verdict(subject_of(mds, X, None), None))
    assert said.count("Interrupted by the user") == 1
    assert "may still improve" in said
    if phase == "refining":
        assert "while all points were refined" in said
    assert "Interrupted" in report(mds, X)


def test_a_search_is_told_instead_of_its_last_sweeps() -> None:
    D = distances(np.random.default_rng(0).normal(size=(12, 4)))
    mds = MDS(metric="precomputed", random_state=0).fit(D)
    page = report(mds)
    result = mds.result_
    assert f"found from {result.found} of {len(result.starts)} starts. The search took" in page
    assert "sweeps and" not in page
    assert data_of(page)["history"] == []  # it is flat
    one = place_center(D, n_init=1, random_state=0, init="random")
    page = report(one, D)
    assert f"It took {one.n_iter} sweeps and" in page
    assert len(data_of(page)["history"][0]) > 2


# --- lines, circles, graphs and perfect maps ------------------------------------------------------


def test_lines_and_circles_are_pictures_of_their_own() -> None:
    D = distances(np.random.default_rng(0).normal(size=(9, 3)))
    assert data_of(report(place_center(D, 1, random_state=0), D))["kind"] == "line"
    circle = place_center(D, 1, space=Sphere("auto"), random_state=0)
    assert data_of(report(circle, D))["kind"] == "circle"


def test_a_report_has_the_edges_of_a_graph() -> None:
    result, D = a_map("disk")
    data = data_of(report(result, D, edges=[(0, 1), (0, 2)]))
    assert data["links"] == [[0, 1], [0, 2]]
    assert "links" not in data_of(report(result, D))
    with pytest.raises(ValueError, match="joins a point that is not there"):
        report(result, D, edges=[(0, 40)])


def test_a_perfect_map_has_no_worst_points() -> None:
    X = np.random.default_rng(0).normal(size=(9, 2))
    data = data_of(report(place_center(distances(X), random_state=0), distances(X)))
    assert data["worst"] == []
    assert set(data["share"]) == {0.0}  # rounding has no share


# --- asymmetric tables ----------------------------------------------------------------------------


def test_an_asymmetric_table_is_said_to_be() -> None:
    D = distances(np.random.default_rng(0).normal(size=(6, 2)))
    quiet = MDS(metric="precomputed", random_state=0).fit(D)
    assert "not symmetric" not in " ".join(verdict(subject_of(quiet, None, None), None))
    D[1, 4] += 2.0
    with pytest.warns(UserWarning, match=r"D is not symmetric: .* both count half"):
        mds = MDS(metric="precomputed", random_state=0).fit(pd.DataFrame(D, ANIMALS, ANIMALS))
    page = report(mds)
    there, back = (f"{value:.4g}" for value in (D[1, 4], D[4, 1]))
    assert f"such as {there} from bee to eel, but {back} back: both directions" in page


@pytest.mark.parametrize(("weights", "told"), [("length", "lengths"), ("strength", "inverses")])
def test_the_settings_say_what_the_weights_of_edges_were_taken_for(weights: str, told: str) -> None:
    result, D = a_map("plane")
    page = report(result, D, edges=[(0, 1)], edge_weights=weights)
    assert re.search(rf"weights of the edges</th><td>taken as [^<]*{told}", page)
    assert "weights of the edges" not in report(result, D, edges=[(0, 1)])
    assert "weights of the edges" not in report(result, D, edge_weights=weights)
    with pytest.raises(ValueError, match="edge_weights='wide' must be one of length, strength"):
        report(result, D, edges=[(0, 1)], edge_weights="wide")


# --- new points -----------------------------------------------------------------------------------


def grid_and_new() -> tuple[MDS, pd.DataFrame]:
    """Return a map of a grid of 16 points, and two new points with names."""
    X = np.array([[i, j] for i in range(4) for j in range(4)], dtype=float)
    names = [f"p{i}" for i in range(16)]
    mds = MDS(random_state=0, n_init=1).fit(pd.DataFrame(X, names, columns=["x", "y"]))
    new = pd.DataFrame([[1.5, 0.5], [2.5, 7.0]], ["inside", "outside"], columns=["y", "x"])
    return mds, new


def test_a_report_on_new_points_shows_them_and_how_well_each_fits() -> None:
    mds, new = grid_and_new()
    page = report(mds, new=new)
    data = data_of(page)
    assert "<title>A map of 16 points and 2 new</title>" in page
    assert data["labels"] == [*(f"p{i}" for i in range(16)), "inside", "outside"]
    assert data["columns"] == [
        {"name": "origin", "names": ["map", "new"], "codes": [0] * 16 + [1] * 2}
    ]
    placed = np.array(data["points"]).T[16:]
    assert placed == pytest.approx(mds.transform(new), abs=1e-3)
    told = re.search(r"Stress-1 of the new points</th><td>([\d.e-]+)<", page)
    assert told is not None
    assert float(told[1]) == pytest.approx(-mds.score(new), rel=1e-4, abs=1e-12)


def test_columns_of_new_points_are_matched_by_label(tmp_path: Path) -> None:
    mds, new = grid_and_new()
    kinds = pd.Series(range(18), [*new.index, *mds.labels_], name="size", dtype=float)
    path = tmp_path / "r.html"
    write_report(mds, path, new=new, columns=kinds, color="size", title="New")
    size, origin = data_of(path.read_text(encoding="utf-8"))["columns"]
    assert (size["name"], origin["name"]) == ("size", "origin")
    assert size["numbers"][16:] == [0.0, 1.0]


def test_distances_of_new_points_to_the_map_may_come_in_any_order() -> None:
    mds, _ = grid_and_new()
    D = pd.DataFrame(mds.dissimilarity_matrix_, mds.labels_, columns=mds.labels_)
    own = MDS(metric="precomputed", random_state=0, n_init=1).fit(D)
    rows = D.iloc[[3, 5]].rename(index={"p3": "three", "p5": "five"})
    data = data_of(report(own, new=rows[rows.columns[::-1]]))
    assert data["labels"][16:] == ["three", "five"]
    assert data_of(report(own, new=rows))["points"] == data["points"]


def test_new_points_need_an_estimator_and_names_for_all() -> None:
    mds, new = grid_and_new()
    result, D = a_map("plane")
    with pytest.raises(TypeError, match="need the MDS or LandmarkMDS that places them, not Result"):
        report(result, new=D)
    with pytest.raises(ValueError, match="16 points, and 2 are new, but there are 2 labels"):
        report(mds, new=new, labels=["one", "two"])
    with pytest.raises(ValueError, match="takes no D, weights, edges or prop"):
        report(mds, mds.dissimilarity_matrix_, new=new)
