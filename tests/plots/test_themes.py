"""Pictures as papers print them: width, real text, colours that suit the page and the reader."""

from __future__ import annotations

import io
import re
import zlib
from importlib.resources import files

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from unimds.plots import Hulls, plot_embedding, publication
from unimds.plots.themes import DARK, LIGHT, Theme

X = np.random.default_rng(0).normal(size=(12, 2))
OKABE_ITO = {"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000"}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.mark.parametrize(("columns", "mm"), [("one column", 89.0), ("two columns", 183.0)])
def test_a_figure_is_as_wide_as_a_column(columns, mm):
    before = dict(matplotlib.rcParams)
    with publication(columns):
        figure = plot_embedding(X, ["name"] * 12).figure
    assert figure.get_size_inches()[0] * 25.4 == pytest.approx(mm)
    assert {text.get_fontsize() for text in figure.axes[0].texts} <= {7.0 * 0.833}
    assert dict(matplotlib.rcParams) == before
    assert plot_embedding(X).figure.get_size_inches()[0] == 7.0
    with pytest.raises(ValueError, match="one column"), publication("three"):
        pass


def test_svg_and_pdf_hold_real_text():
    names = ["Reykjavík", *[None] * 11]
    with publication():
        figure = plot_embedding(X, names, ["dry", "wet"] * 6).figure
        svg, pdf = io.StringIO(), io.BytesIO()
        figure.savefig(svg, format="svg")
        figure.savefig(pdf, format="pdf")
    assert re.search(r"<text[^>]*>Reykjavík</text>", svg.getvalue())
    assert re.search(r"<text[^>]*>wet</text>", svg.getvalue())
    content = pdf.getvalue()
    assert b"/Type3" not in content  # outlines in place of a font
    assert b"/FontFile2" in content
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
    shown = b"".join(_inflated(stream) for stream in streams)
    assert re.search(rb"\(wet\) Tj|\[ ?\(wet\) ?\] TJ|\[.*w.*e.*t.*\] TJ", shown)


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream.strip(b"\r\n"))
    except zlib.error:
        return b""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, by the rules for the web (WCAG)."""

    def light(colour: str) -> float:
        parts = np.array(to_rgb(colour))
        line = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(line @ [0.2126, 0.7152, 0.0722])

    a, b = sorted([light(one), light(other)])
    return (b + 0.05) / (a + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_colours_are_seen_on_their_page(theme: Theme):
    assert contrast(theme.ink, theme.page) > 7.0
    assert contrast(theme.note, theme.page) > 4.5
    assert min(contrast(hue, theme.page) for hue in theme.hues) > (2.0 if theme is LIGHT else 4.0)
    assert len(set(theme.hues)) == 8


def test_the_hues_are_those_of_okabe_and_ito():
    assert set(LIGHT.hues) > OKABE_ITO


def test_a_dark_page_has_light_ink():
    with publication(dark=True):
        ax = plot_embedding(X, ["n"] * 12, layers=[Hulls(["a", "b"] * 6)])
    assert ax.figure.get_facecolor()[:3] == to_rgb(DARK.page)
    assert {text.get_color() for text in ax.texts} == {DARK.ink}
    assert {line.get_color() for line in ax.lines} == set(DARK.hues[:2])
    with matplotlib.style.context("dark_background"):  # any other dark page will do
        ax = plot_embedding(X, layers=[Hulls(["a"] * 12)])
    assert ax.lines[0].get_color() == DARK.hues[0]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_regions_have_no_colour_of_a_group(theme):
    def parts(colour):
        return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)])

    assert min(np.linalg.norm(parts(theme.region) - parts(hue)) for hue in theme.hues) > 60.0


@pytest.mark.parametrize("page", ["report/page/page.css", "studio/page/style.css"])
def test_regions_have_the_same_colours_on_a_page(page):
    found = re.findall("--region: (#[0-9a-f]+)", (files("unimds") / page).read_text("utf-8"))
    assert set(found) == {LIGHT.region.lower(), DARK.region.lower()}
