"""A map shows itself in a notebook: a small live map, its stress in words, its parameters."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.exceptions import NotFittedError

from tests.support.maps import KINDS, a_map
from unimds import MDS, IndividualDifferences, MDSSearchCV, Result, Unfolding
from unimds.notebook import card
from unimds.notebook.sketch import MANY
from unimds.spaces import distances

EVIL = ["</script><script>alert(1)</script>", "it's", '"quoted"', "&amp; <b>", "plain"]


class Page(HTMLParser):
    """Reads a page as a browser does: its tags, and the source of its frame."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.source = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "iframe":
            self.source = str(dict(attrs)["srcdoc"])


def data_of(html: str) -> dict[str, Any]:
    found = re.search('id="data">(.*?)</script>', Page(html).source, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.fixture(scope="module")
def fitted() -> MDS:
    pandas = pytest.importorskip("pandas")
    D = distances(np.random.default_rng(0).normal(size=(5, 2)))
    frame = pandas.DataFrame(D, index=EVIL, columns=EVIL)
    return MDS(metric="precomputed", n_init=1, random_state=0).fit(frame)


@pytest.mark.parametrize("kind", KINDS)
def test_each_space_is_drawn_as_pictures_draw_it(kind: str) -> None:
    result = replace(a_map(kind)[0], stress=0.1234)
    html = result._repr_html_()
    data = data_of(html)
    assert data["kind"] == ("plane" if kind == "many" else kind)
    assert len(data["points"][0]) == 40
    assert np.abs(np.array(data["points"])).max() <= 1.5
    assert "Stress-1 is 0.123: distances on the map" in html
    assert "Converged: " in html


def test_a_globe_is_seen_from_the_middle_of_its_points() -> None:
    points = np.array(data_of(a_map("globe")[0]._repr_html_())["points"])
    np.testing.assert_allclose(points[:2].mean(axis=1), 0.0, atol=1e-3)
    assert points[2].mean() > 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_two_hundred_named_points_take_less_than_60_kilobytes(kind: str) -> None:
    result = a_map(kind, 200)[0]
    named = _Named(result, [f"A name of a point {i}" for i in range(200)])
    assert len(card(named).encode()) < 60_000


class _Named:
    """An estimator with names, without a fit."""

    def __init__(self, result: Result, names: list[str]) -> None:
        self.embedding_, self.space_, self.labels_ = result.embedding, result.space, np.array(names)
        self.result_ = result


def test_many_points_are_a_sample_and_it_says_so() -> None:
    result = replace(a_map("plane")[0], embedding=np.random.default_rng(0).normal(size=(5000, 2)))
    html = result._repr_html_()
    data = data_of(html)
    assert len(data["points"][0]) == len(data["numbers"]) == MANY
    assert "The small map shows 2,000 of the 5,000 points, the same ones every time." in html
    assert data_of(result._repr_html_())["numbers"] == data["numbers"]


def test_names_stay_text(fitted: MDS) -> None:
    html = card(fitted)
    assert Page(html).tags == ["div", "p", "strong", "iframe", "script", "p", "p"]
    assert data_of(html)["names"] == EVIL
    inner = Page(Page(html).source)
    assert inner.tags.count("script") == 2
    assert "allow-same-origin" not in html


def test_a_name_that_cannot_be_encoded_does_not_spoil_the_notebook() -> None:
    names = ["half \ud800 a pair", "b", "c"]
    D = pd.DataFrame([[0, 3, 4], [3, 0, 5], [4, 5, 0]], names, names)
    shown = card(MDS(metric="precomputed", n_init=1, random_state=0).fit(D))
    assert b"half ? a pair" in shown.encode()


def test_an_estimator_shows_the_map_and_the_box_of_scikit_learn(fitted: MDS) -> None:
    shown = fitted._repr_mimebundle_()
    assert "MDS(" in shown["text/plain"]
    for html in (shown["text/html"], fitted._repr_html_()):
        assert html.startswith(card(fitted))
        assert "sk-estimator" in html
        assert "n_components" in html


def test_scikit_learn_decides_whether_there_is_html(fitted: MDS) -> None:
    with sklearn.config_context(display="text"):
        assert list(fitted._repr_mimebundle_()) == ["text/plain"]
        assert not hasattr(fitted, "_repr_html_")


@pytest.mark.parametrize("kind", [MDS, IndividualDifferences, Unfolding, MDSSearchCV])
def test_an_estimator_without_a_map_shows_its_box_alone(kind: type) -> None:
    shown = kind()._repr_mimebundle_()
    assert "<iframe" not in shown["text/html"]
    assert "sk-estimator" in shown["text/html"]


def test_a_joint_map_tells_rows_from_columns() -> None:
    rng = np.random.default_rng(0)
    rows, columns = rng.normal(size=(7, 2)), rng.normal(size=(4, 2))
    fit = Unfolding(n_init=1, random_state=0).fit(distances(rows, columns))
    html = card(fit)
    assert data_of(html)["columns"] == [0] * 7 + [1] * 4
    assert "A map of 7 rows and 4 columns" in html
    legend = fit.plot().get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["rows", "columns"]


def test_maps_draw_themselves(fitted: MDS) -> None:
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert fitted.plot(ax) is ax
    assert "plain" in [text.get_text() for text in ax.texts]
    own = fitted.result_.plot(labels=list("abcde"))
    assert "c" in [text.get_text() for text in own.texts]
    with pytest.raises(NotFittedError):
        MDS().plot()
    with pytest.raises(TypeError, match="use color"):
        fitted.plot(colour="red")


def test_a_search_shows_what_it_has_chosen() -> None:
    D = distances(np.random.default_rng(0).normal(size=(12, 2)))
    base = MDS(metric="precomputed", n_init=1, random_state=0)
    search = MDSSearchCV(base, {"n_components": [1, 2]}, cv=3, random_state=0).fit(D)
    html = search._repr_mimebundle_()["text/html"]
    assert search.sentence_.split(".")[0] in html
    assert data_of(html)["kind"] in ("plane", "line")
