"""The studio in a real browser with a real worker: drop, watch, drag, compare, export, crash."""

from __future__ import annotations

import base64
import csv
import io
import os
import shlex
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.studio.test_session import noisy
from tests.support.browser import Browser, need_browser
from tests.support.commands import ENVIRONMENT
from tests.support.studio import CITIES, DROP, ENV, Page
from unimds.files import read


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    browser = Browser(need_browser(), 1400, 950)
    yield browser
    browser.close()


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    page = Page(browser, tmp_path)
    yield page
    complaints = browser.complaints()  # afterwards it complains that the server is gone
    browser.driver.get("about:blank")
    said = page.close()
    assert complaints == []
    assert "The studio is closed." in said


def same_again(page: Page, folder: Path) -> None:
    """Run the lines of the page in new processes, beside the table, and compare the map."""
    python, shell = page.lines()
    exported = folder / "exported.csv"
    exported.write_bytes(page.download("Map (CSV)"))
    with zipfile.ZipFile(io.BytesIO(page.download("Table and script (zip)"))) as packed:
        packed.extractall(folder)
    assert (folder / "map.py").read_text() == python
    wanted = read(exported, kind="points").values
    lines = [["map.py"]]
    if shell.startswith("unimds embed"):
        lines.append(["-m", *shlex.split(shell)])
    for line in lines:
        (folder / "map.csv").unlink(missing_ok=True)
        env = {**ENVIRONMENT, **ENV}
        subprocess.run(
            [sys.executable, *line], cwd=folder, env=env, check=True, capture_output=True
        )
        again = read(folder / "map.csv", kind="points").values
        assert np.array_equal(again, wanted)


def test_a_dropped_file_is_watched_and_its_points_are_dragged(page: Page, tmp_path: Path) -> None:
    page.drop("twelve.csv", noisy(12))
    assert page.app("course.costs.length") > 3  # it was seen to converge
    assert page.app("map.kept.length") == 12
    assert "12 points." in page.browser.text("#recognised")
    before = page.app("state.current")
    page.drag(3, 60, -40)
    assert page.app("state.current") != before
    assert "12 is fixed" not in page.browser.text("#changes")
    assert "4 is fixed" in page.browser.text("#changes")
    asked = [url for url in page.browser.requests() if not url.startswith(("data:", "blob:"))]
    here = page.address.partition("#")[0]
    assert all(url.startswith(here) for url in asked)
    token = page.address.partition("#")[2]
    assert not any(token in url for url in asked if "#" not in url)
    assert token not in page.browser.run("return location.href")  # the address bar is clean
    python, _ = page.lines()
    assert "fixed={3: [" in python


@pytest.mark.slow
def test_the_whole_tour_and_the_lines_in_new_processes(page: Page, tmp_path: Path) -> None:
    page.drop("cities.csv", CITIES.read_bytes())
    same_again(page, tmp_path)
    page.click("#pairs button")  # the worst pair is dropped
    page.wait("studio.app.state.missing.length === 1")
    page.settle()
    page.drag(10, 80, 50)
    same_again(page, tmp_path)
    for space, kind in (("sphere", "globe"), ("hyperbolic", "disk")):
        page.change("space", space)
        page.wait(f"studio.app.map.kind === '{kind}'")
        page.settle()
    page.change("space", "euclidean")
    page.wait("studio.app.map.kind === 'plane'")
    page.settle()
    compare(page)
    hover(page)
    ask(page)


def compare(page: Page) -> None:
    """See two maps side by side, and the change from one to the other."""
    page.browser.run(
        "for (const at of [0, 3]) document.querySelectorAll('#maps input')[at].click()"
    )
    page.click("#compare")
    page.wait("!document.getElementById('comparison').hidden")
    assert page.browser.text("#comparison-told").startswith("100 points: correlation")
    page.click("#play")
    page.wait("document.getElementById('between').value === '100'")
    page.click("#close-comparison")


def hover(page: Page) -> None:
    """Hover over a point: its pairs are marked, and its row in the list."""
    page.browser.run("scrollTo(0, 0)")
    page.browser.mouse("mouseMoved", *page.spot(5))
    page.wait("studio.app.own?.i === 5")
    assert "lit" in page.browser.run(
        "return document.querySelector('#points tr[data-point=\"5\"]').className"
    )


def ask(page: Page) -> None:
    """Ask for a choice, and cancel a study."""
    page.click("#choose-buttons button")
    page.wait("document.querySelector('#choice progress')")
    page.wait("studio.app.state.choice")
    assert "Three dimensions" in page.browser.text("#choice")
    page.settle()
    page.click("#study")
    page.wait("studio.app.state.stability !== null")
    page.wait("studio.app.map.regions.length === 100")


@pytest.mark.slow
def test_a_killed_worker_loses_nothing(page: Page, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(2000, 5)).tolist()
    lines = [",".join(f"{value:.4f}" for value in row) for row in rows]
    page.drop("many.csv", "\n".join(["a,b,c,d,e", *lines]).encode())
    maps = page.app("state.maps.length")
    page.change("start", "random")  # a fit that takes a second and more
    page.wait("studio.app.state.running?.sweep > 3")
    os.kill(worker_of(page.process.pid), signal.SIGKILL)
    page.wait("studio.app.state.message.kind === 'crash'")
    assert "Nothing is lost" in page.browser.text("#banner")
    assert page.app("state.maps.length") == maps
    assert page.app("map.kept.length") == 2000
    page.wait("studio.app.state.ready")
    page.click("#banner button:last-child")  # go on
    page.wait("studio.app.state.maps.length === " + str(maps + 1))
    page.settle()
    assert page.browser.run("return document.getElementById('banner').hidden")
    same_again(page, tmp_path)


def worker_of(pid: int) -> int:
    """Return the process that a studio fits in."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for child in map(int, children):
        line = Path(f"/proc/{child}/cmdline").read_bytes()
        if b"spawn_main" in line:
            return child
    raise AssertionError(children)


@pytest.mark.slow
def test_names_of_points_are_shown_as_text(page: Page) -> None:
    evil = '<img src=x onerror="document.title=`taken`">'
    rows = [[evil if i == 0 else f"p{i}", *map(str, range(i, i + 3))] for i in range(5)]
    content = io.StringIO()
    csv.writer(content).writerows([["name", "a", "b", "c"], *rows])
    page.drop("evil.csv", content.getvalue().encode())
    assert page.app("names[0]") == evil
    page.browser.run("document.getElementById('tab-points').click()")
    assert page.browser.run("return document.title") == "evil.csv – unimds studio"
    assert page.browser.run("return document.querySelectorAll('img').length") == 0


@pytest.mark.slow
def test_a_page_without_the_token_shows_nothing(page: Page, browser: Browser) -> None:
    page.drop("twelve.csv", noisy(12))
    browser.run("sessionStorage.clear()")
    browser.driver.get("about:blank")
    browser.driver.get(page.address.partition("#")[0])
    browser.wait("!document.getElementById('banner').hidden")
    assert "needs the address" in browser.text("#banner")
    assert "twelve" not in browser.run("return document.body.textContent")


@pytest.mark.slow
def test_the_page_follows_the_theme_of_the_system_until_one_is_chosen(page: Page) -> None:
    def theme() -> str:
        found: str = page.browser.run("return document.documentElement.dataset.theme")
        return found

    try:
        for scheme in ("dark", "light", "dark"):
            page.browser.prefer(scheme)
            page.wait(f"document.documentElement.dataset.theme === '{scheme}'")
        page.click("#theme")
        assert theme() == "light"
        page.browser.prefer("light")
        page.browser.prefer("dark")
        assert theme() == "light"
    finally:
        page.browser.prefer("light")


@pytest.mark.slow
def test_a_file_that_is_refused_is_read_as_something_else(page: Page) -> None:
    content = base64.b64encode(b"a,x,1\na,y,2\nb,x,3\nb,y,4\n").decode()
    page.browser.run(DROP, "list.csv", content)
    page.wait("!document.getElementById('refused').hidden")
    assert "read it as “a list of pairs”" in page.browser.text("#banner")
    assert page.browser.text("#refused-told") == "list.csv could not be read."
    page.browser.complaints()  # the refusal itself
    page.browser.run(
        "const s = document.getElementById('refused-how-kind'); s.value = 'pairs';"
        "s.dispatchEvent(new Event('change'))"
    )
    page.wait("studio.app.state.file?.kind === 'pairs' && studio.app.judged")
    assert page.browser.run("return document.getElementById('refused').hidden")


@pytest.mark.slow
def test_lists_and_lines_are_those_of_the_map_that_is_shown(page: Page) -> None:
    page.drop("twelve.csv", noisy(12))
    first = page.app("state.current")
    page.browser.run("studio.app.act('drop_point', { point: 3 })")
    page.wait(f"studio.app.state.current !== {first}")
    page.settle()
    python, _ = page.lines()
    assert "np.delete(np.arange(table.n), [3])" in python
    page.wait("studio.app.judged.kept.length === 11")
    assert page.browser.run("return studio.app.shares.has(3)") is False
    page.browser.run(f"studio.app.act('show', {{ map: {first} }})")
    page.wait("studio.app.judged.kept.length === 12")
    python, _ = page.lines()
    assert "np.delete" not in python
    page.browser.mouse("mouseMoved", *page.spot(3))  # its table is gone: the sample has the pairs
    page.wait("studio.app.own?.i === 3")
    assert page.browser.run("return studio.app.shepard.own") is None


@pytest.mark.slow
def test_a_point_is_dragged_in_the_triangle(page: Page) -> None:
    page.drop("twelve.csv", noisy(12))
    page.change("space", "simplex")
    page.wait("studio.app.map.kind === 'triangle'")
    page.settle()
    page.drag(3, 30, -20)
    assert page.app("map.kind") == "triangle"
    assert "4 is fixed" in page.browser.text("#changes")
    page.change("start", "search")
    page.wait("/lowest map|starts/.test(document.getElementById('status').textContent)")
    page.click("#stop")
    page.settle()


LOWER = """
const box = (where) => document.querySelector(where).getBoundingClientRect();
const [one, other] = [...arguments].map(box);
return one.bottom <= other.top;
"""
NOT_CUT = """
const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.querySelector("#status");
return scrollWidth <= clientWidth && scrollHeight <= clientHeight;
"""


@pytest.mark.slow
def test_a_refused_file_hides_the_one_before_and_covers_no_button(page: Page) -> None:
    page.drop("twelve.csv", noisy(12))
    content = base64.b64encode(b"a,x,1\na,y,2\nb,x,3\nb,y,4\n").decode()
    page.browser.run(DROP, "list.csv", content)
    page.wait("!document.getElementById('refused').hidden")
    page.browser.complaints()  # the refusal itself
    told = "list.csv could not be read. The map is still that of twelve.csv."
    assert page.browser.text("#refused-told") == told
    assert page.browser.run("return document.getElementById('file-told').hidden")
    assert page.browser.run(LOWER, "#banner", "#anew")
    page.click("#forget")
    page.wait("document.getElementById('refused').hidden")
    assert not page.browser.run("return document.getElementById('file-told').hidden")
    assert page.browser.run("return document.getElementById('banner').hidden")


@pytest.mark.slow
def test_long_lines_and_numbers_of_maps_are_whole(page: Page) -> None:
    page.drop("twelve.csv", noisy(12))
    for _ in range(9):
        before = page.app("state.current")
        page.click("#anew")
        page.wait(f"studio.app.state.current !== {before}")
        page.settle()
    cell = "document.querySelector('#maps td:nth-child(2)')"
    assert page.browser.run(f"return {cell}.textContent") == "10"
    one_line = f"const r = document.createRange(); r.selectNodeContents({cell});"
    assert page.browser.run(f"{one_line} return r.getClientRects().length") == 1
    long = "Stress-1 0.1234 after 123 sweeps. " + "Converged: the map matches every distance. " * 2
    page.browser.run("document.getElementById('status').textContent = arguments[0]", long)
    assert page.browser.run(NOT_CUT)


@pytest.mark.slow
def test_the_page_says_what_the_script_reads(page: Page) -> None:
    page.drop("thirty.csv", noisy(30))
    page.lines()
    assert "reads thirty.csv from its folder; the zip" in page.browser.text("#needs")
    page.drag(3, 60, -40)
    page.lines()
    assert "reads thirty.csv and start.npy from" in page.browser.text("#needs")
