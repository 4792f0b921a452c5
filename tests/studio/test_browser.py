"""The studio in a real browser with a real worker: drop, watch, drag, compare, export, crash."""

from __future__ import annotations

import base64
import csv
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.studio.test_session import noisy
from tests.support.browser import Browser, need_browser
from tests.support.commands import ENVIRONMENT, start
from unimds.files import read

CITIES = Path(__file__).parents[2] / "examples" / "cities.csv"
ENV = {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
DROP = """
const [name, content] = arguments;
const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
const data = new DataTransfer();
data.items.add(new File([bytes], name));
const how = { dataTransfer: data, bubbles: true, cancelable: true };
for (const kind of ["dragenter", "dragover", "drop"]) {
  document.body.dispatchEvent(new DragEvent(kind, how));
}
"""


PARTIAL = ".crdownload"


class Page:
    """The studio, opened in a browser."""

    def __init__(self, browser: Browser, folder: Path):
        self.browser = browser
        self.process = start("studio", "--no-browser", cwd=folder, env=ENV)
        found = re.search(r"http\S+", self.process.stderr.readline())
        assert found is not None
        self.address = found.group()
        browser.requests()
        self.saved = folder / "saved"
        self.saved.mkdir()
        there = {"behavior": "allow", "downloadPath": str(self.saved)}
        browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", there)
        browser.driver.get(self.address)
        self.wait("window.studio?.app.state?.ready")

    def wait(self, condition: str) -> None:
        self.browser.wait(condition, 90.0)

    def app(self, what: str) -> Any:
        return self.browser.run(f"return window.studio.app.{what}")

    def drop(self, name: str, content: bytes) -> None:
        """Drop a file on the page, and wait for its map."""
        self.browser.run(DROP, name, base64.b64encode(content).decode())
        self.wait(f"studio.app.state.file?.name === '{name}' && studio.app.judged")
        self.settle()

    def settle(self) -> None:
        self.wait("studio.app.state.running === null && studio.app.map.queue.length === 0")

    def change(self, name: str, value: str) -> None:
        script = "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
        self.browser.run(f"{script} s.dispatchEvent(new Event('change'))", f"set-{name}", value)

    def click(self, where: str) -> None:
        self.browser.run("document.querySelector(arguments[0]).click()", where)

    def spot(self, k: int) -> tuple[float, float]:
        """Return where a point is in the window."""
        x, y = self.browser.run(
            "const { map } = studio.app, box = map.canvas.getBoundingClientRect();"
            "const at = map.spot(arguments[0]); return [box.left + at[0], box.top + at[1]]",
            k,
        )
        return x, y

    def drag(self, k: int, dx: float, dy: float) -> None:
        """Drag a point with the mouse."""
        x, y = self.spot(k)
        self.browser.mouse("mouseMoved", x, y)
        self.browser.mouse("mousePressed", x, y, 1)
        for share in (0.25, 0.5, 0.75, 1.0):
            self.browser.mouse("mouseMoved", x + share * dx, y + share * dy, 1)
            time.sleep(0.06)
        self.browser.mouse("mouseReleased", x + dx, y + dy)
        self.wait(f"studio.app.state.fixed.includes({k}) && !studio.app.state.torn")
        self.settle()

    def lines(self) -> tuple[str, str]:
        self.wait("document.documentElement.dataset.judged == studio.app.state.current")
        return self.browser.text("#python"), self.browser.text("#shell")

    def download(self, text: str) -> bytes:
        """Click a button that saves a file, and return the file."""
        before = set(self.saved.iterdir())
        self.browser.run(
            "[...document.querySelectorAll('#exports button')]"
            ".find((button) => button.textContent === arguments[0]).click()",
            text,
        )
        end = time.monotonic() + 60.0
        while True:
            new = [path for path in set(self.saved.iterdir()) - before if path.suffix != PARTIAL]
            if new and new[0].stat().st_size:
                return new[0].read_bytes()
            assert time.monotonic() < end, self.browser.text("#banner")
            time.sleep(0.05)

    def close(self) -> str:
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=30)
        assert self.process.returncode == 0
        return said


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


def same_again(page: Page, table: bytes, folder: Path, name: str) -> None:
    """Run the lines of the page in new processes, and compare the map."""
    python, shell = page.lines()
    exported = folder / "exported.csv"
    exported.write_bytes(page.download("Map (CSV)"))
    (folder / name).write_bytes(table)
    (folder / "map.py").write_text(python)
    wanted = read(exported, kind="points").values
    lines = [["map.py"]]
    if "unimds embed" in shell:
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
    table = noisy(12)
    page.drop("twelve.csv", table)
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
    table = CITIES.read_bytes()
    page.drop("cities.csv", table)
    same_again(page, table, tmp_path, "cities.csv")
    page.click("#pairs button")  # the worst pair is dropped
    page.wait("studio.app.state.missing.length === 1")
    page.settle()
    page.drag(10, 80, 50)
    same_again(page, table, tmp_path, "cities.csv")
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
    table = noisy(600)
    page.drop("many.csv", table)
    maps = page.app("state.maps.length")
    page.change("start", "random")
    page.wait("studio.app.state.running?.purpose === 'fit' && studio.app.sweep?.sweep > 3")
    os.kill(worker_of(page.process.pid), signal.SIGKILL)
    page.wait("studio.app.state.message.kind === 'crash'")
    assert "Nothing is lost" in page.browser.text("#banner")
    assert page.app("state.maps.length") == maps
    assert page.app("map.kept.length") == 600
    page.wait("studio.app.state.ready")
    page.click("#banner button")  # go on
    page.wait("studio.app.state.maps.length === " + str(maps + 1))
    page.settle()
    assert page.browser.run("return document.getElementById('banner').hidden")
    (tmp_path / "start.npy").write_bytes(archived(page, "start.npy"))
    same_again(page, table, tmp_path, "many.csv")


def worker_of(pid: int) -> int:
    """Return the process that a studio fits in."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for child in map(int, children):
        line = Path(f"/proc/{child}/cmdline").read_bytes()
        if b"spawn_main" in line:
            return child
    raise AssertionError(children)


def archived(page: Page, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(page.download("Table and script (zip)"))) as packed:
        return packed.read(name)


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
