"""The layers of a map in its report: the same as in a picture, to switch on and off."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.support.browser import Browser, need_browser
from tests.support.maps import a_map
from unimds import Unfolding
from unimds.interpret import fit_properties
from unimds.plots import Bubbles, Hulls, Spiders, UncertaintyRegions
from unimds.plots.embedding import scene_of
from unimds.report import report, write_report
from unimds.trust import Stability

MAP, D = a_map("plane")
KIND = pd.Series(["a", "b"] * 20, name="kind")


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_page_has_the_lines_of_a_picture():
    layers = data_of(report(MAP, D, layers=[Hulls(KIND), Bubbles(np.arange(40.0))]))["layers"]
    assert [layer["name"] for layer in layers] == ["hulls of kind", "bubbles"]
    drawn = [mark.path for mark in Hulls(KIND).draw(scene_of(MAP)).marks]
    for line, path, hue in zip(layers[0]["lines"], drawn, (0, 1), strict=True):
        xy = np.array([[np.nan if v is None else v for v in axis] for axis in line["at"]]).T
        np.testing.assert_allclose(xy[:-1], path, atol=1e-3)
        assert line["hue"] == hue
        assert line["filled"]
    assert layers[0]["legend"] == [["a", 0, 0.0], ["b", 1, 0.0]]
    sizes = np.array(layers[1]["dots"][0]["sizes"])
    assert [entry[0] for entry in layers[1]["legend"]] == ["9.8", "39"]
    assert layers[1]["legend"][1][2] == 2.0 * layers[1]["legend"][0][2] == sizes.max()
    np.testing.assert_allclose(sizes**2 / sizes.max() ** 2, np.arange(40.0) / 39.0, atol=1e-2)


def test_variables_are_a_layer_where_there_are_straight_lines():
    found = fit_properties(MAP, {"east": MAP.embedding[:, 0]}, n_permutations=0)
    (layer,) = data_of(report(MAP, D, properties=found))["layers"]
    assert layer["name"] == "variables"
    assert [name["text"] for name in layer["names"]] == ["east"]
    globe, far = a_map("globe")
    page = data_of(report(globe, far, properties=found))
    assert page["layers"] == []  # the section tells them
    with pytest.raises(ValueError, match="takes no D"):
        report(MAP, new=[[0.0]], layers=[Hulls(KIND)])


def test_regions_of_another_map_are_refused():
    other = MAP.embedding + 1.0
    maps = np.stack([other] * 3)
    C = np.stack([0.01 * np.eye(2)] * 40)
    found = Stability("Jackknife", other, MAP.space, maps, C, np.full(40, 9.0))
    with pytest.raises(ValueError, match="another map"):
        report(MAP, D, stability=found)
    with pytest.raises(ValueError, match="another map"):
        report(MAP, D, layers=[UncertaintyRegions(found)])


def test_names_of_columns_come_first():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0.2, 1.5, size=(20, 5)), columns=list("vwxyz"))
    fit = Unfolding(2, random_state=0, n_init=1, eps=1e-3).fit(frame)
    assert data_of(report(fit))["first"] == [20, 21, 22, 23, 24]
    assert data_of(report(MAP, D))["first"] == []


@pytest.mark.slow
def test_a_box_switches_a_layer_off(tmp_path: Path):
    browser = Browser(need_browser())
    try:
        path = tmp_path / "a.html"
        write_report(
            MAP, path, D, columns={"kind": list(KIND)}, layers=[Hulls(KIND), Spiders(KIND)]
        )
        browser.open(path)
        assert browser.complaints() == []
        boxes = browser.run(
            "return [...document.querySelectorAll('#layers label')].map((l) => l.textContent)"
        )
        assert boxes == ["hulls of kind", "spiders of kind"]
        filled = (
            "return document.getElementById('map').data.filter((t) => t.fill === 'toself').length"
        )
        assert browser.run(filled) == 2
        browser.run("document.getElementById('layer-0').click()")
        browser.wait("document.getElementById('map').data.every((t) => t.fill !== 'toself')")
        assert browser.complaints() == []
    finally:
        browser.close()
