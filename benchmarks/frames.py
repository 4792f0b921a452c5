"""Measure how fluid reports are: a browser turns or moves the map, and counts the frames.

Run it with ``make bench-report``; it needs Chromium and chromedriver, and writes its table into
docs/report.md. There is no graphics card in it: the browser draws with the processor alone.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from itertools import pairwise, product
from math import cos, pi, sin
from pathlib import Path

import numpy as np

from unimds import LandmarkMDS
from unimds.report import write_report

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "report.md"
PLACE = re.compile(r"(?<=<!-- make bench-report -->\n).*?(?=<!-- end -->)", re.DOTALL)
sys.path.insert(0, str(ROOT))

from tests.support.browser import Browser, programs  # noqa: E402
from tests.support.maps import KINDS  # noqa: E402

POINTS = (1000, 20_000)
PICTURES = {"plane": "the plane", "disk": "the disk", "space": "space", "globe": "the globe"}
SECONDS = 4.0
ROUNDS = 3

COUNT = """
window.frames_seen = [];
window.counting = true;
const tick = (now) => {
  window.frames_seen.push(now);
  if (window.counting) requestAnimationFrame(tick);
};
requestAnimationFrame(tick);
"""
SEEN = """
const { xaxis, scene } = document.getElementById('map')._fullLayout;
return JSON.stringify(scene ? scene._scene.getCamera().eye : xaxis.range);
"""
MIDDLE = """
const map = document.getElementById('map'); map.scrollIntoView({block: 'center'});
const { left, top, width, height } = map.getBoundingClientRect();
return [left + width / 2, top + height / 2];
"""


def report_on(folder: Path, kind: str, n: int) -> Path:
    """Write a report on a map of normal features, with all that a report can hold."""
    space, k = KINDS[kind]
    X = np.random.default_rng(0).normal(0.0, 0.5, size=(n, 4))
    mds = LandmarkMDS(k, space=space, n_landmarks=200, refine=0, random_state=0).fit(X)
    path = folder / f"{kind}-{n}.html"
    write_report(mds, path, X, columns={"first feature": X[:, 0]})
    return path


def drag(browser: Browser, seconds: float = SECONDS) -> list[float]:
    """Drag the map around in a circle; return how long each frame took, in milliseconds."""
    x, y = browser.run(MIDDLE)
    browser.mouse("mouseMoved", x + 120, y)
    browser.mouse("mousePressed", x + 120, y, buttons=1)
    browser.run(COUNT)
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        angle = 0.7 * pi * passed  # not a whole turn in the end
        browser.mouse("mouseMoved", x + 120 * cos(angle), y + 120 * sin(angle), buttons=1)
        time.sleep(0.008)  # mice tell 125 times a second where they are
    frames: list[float] = browser.run("window.counting = false; return window.frames_seen")
    browser.mouse("mouseReleased", x, y)
    return [b - a for a, b in pairwise(frames)]


def measured(browser: Browser, path: Path) -> tuple[float, float, float]:
    """Return the seconds until a report is drawn, frames a second, and the longest frame in ms.

    Other processes can only make it slower: the best of several rounds counts.
    """
    found = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        browser.open(path, 300.0)
        opened = time.perf_counter() - began
        before = browser.run(SEEN)
        spent = drag(browser)
        if browser.run(SEEN) == before:
            sys.exit(f"{path.name} did not move")
        if faults := browser.complaints():
            sys.exit(f"{path.name}: {faults[0]}")
        found.append((opened, 1000.0 * len(spent) / sum(spent), max(spent)))
    opens, rates, longest = zip(*found, strict=True)
    return min(opens), max(rates), min(longest)


def table(browser: Browser, folder: Path) -> list[str]:
    """Measure all reports; return the lines of a table."""
    lines = [
        "| picture | points | opens in | frames a second | longest frame |",
        "|---|---:|---:|---:|---:|",
    ]
    for kind, n in product(PICTURES, POINTS):
        opened, rate, longest = measured(browser, report_on(folder, kind, n))
        lines.append(
            f"| {PICTURES[kind]} | {n:,} | {opened:.1f} s | {rate:.0f} | {longest:.0f} ms |"
        )
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Measure, and write the table into the page."""
    found = programs()
    if found is None:
        sys.exit("this needs Chromium and chromedriver")
    busy = os.getloadavg()[0] > 0.5
    browser = Browser(found)
    with tempfile.TemporaryDirectory() as folder:
        try:
            lines = table(browser, Path(folder))
        finally:
            browser.close()
    page = PAGE.read_text(encoding="utf-8")
    others = "other processes were busy" if busy else "nothing else was running"
    said = (
        f"Chromium without a graphics card (software rendering), {os.cpu_count()} cores, the best "
        f"of {ROUNDS}\nrounds; {others}:"
    )
    written = "\n".join([said, "", *lines, ""])
    PAGE.write_text(PLACE.sub(lambda _: written, page), encoding="utf-8")


if __name__ == "__main__":
    main()
