"""Take the pictures of docs/report.md, as a browser shows them: a globe, a disk, a diagram.

Run it with ``make screenshots``; it needs Chromium and chromedriver.
"""

from __future__ import annotations

import io
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from unimds import MDS, Hyperbolic, Sphere
from unimds.datasets import corrupt, great_circle, load_cities
from unimds.quality import align
from unimds.report import write_report

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

from tests.support.browser import Browser, programs  # noqa: E402


def cities_report(path: Path) -> None:
    """Write the report of docs/report.md, north up."""
    cities = load_cities()
    D, _ = corrupt(great_circle(cities.latlon), 0.1, rng=0, low=0.0, high=20000.0)
    space = Sphere(radius="auto")
    mds = MDS(loss="absolute", space=space, metric="precomputed", random_state=0).fit(D)
    upright = align(mds.embedding_, cities.points, space="sphere")
    mds.result_ = replace(mds.result_, embedding=upright)
    columns = {"latitude": cities.latlon[:, 0]}
    write_report(mds, path, labels=cities.names, columns=columns, title="A hundred cities")


def tree_report(path: Path, depth: int = 4) -> None:
    """Write a report on a tree in which each node has three children."""
    nodes = [""]
    for _ in range(depth):
        nodes += [
            node + letter for node in nodes if len(node) == len(nodes[-1]) for letter in "abc"
        ]
    D = np.array([[steps(a, b) for b in nodes] for a in nodes], dtype=float)
    mds = MDS(space=Hyperbolic(), metric="precomputed", random_state=0, max_iter=20_000).fit(D)
    columns = {"branch": [node[:1] or "root" for node in nodes]}
    labels = [node or "root" for node in nodes]
    write_report(mds, path, labels=labels, columns=columns, title="A tree")


def steps(a: str, b: str) -> int:
    """Return the number of edges between two nodes."""
    common = next(
        (k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    return len(a) + len(b) - 2 * common


def take(browser: Browser, where: str, name: str, width: int = 1000) -> None:
    """Save what a part of the page looks like, small enough for a document."""
    from selenium.webdriver.common.by import By

    browser.run("document.querySelector(arguments[0]).scrollIntoView()", where)
    part: Any = browser.driver.find_element(By.CSS_SELECTOR, where)
    picture = Image.open(io.BytesIO(part.screenshot_as_png)).convert("RGB")
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)))
    picture.quantize(128).save(IMAGES / name, optimize=True)


def find(browser: Browser, name: str) -> None:
    """Have a point found and marked."""
    browser.run(
        "const search = document.getElementById('search'); search.value = arguments[0];"
        "search.dispatchEvent(new Event('input'))",
        name,
    )
    browser.wait(
        "document.getElementById('details-title').textContent === 'CHOSEN'".replace("CHOSEN", name)
    )
    browser.run("return new Promise((done) => setTimeout(done, 2000))")


def main() -> None:
    """Take all pictures."""
    found = programs()
    if found is None:
        sys.exit("this needs Chromium and chromedriver")
    browser = Browser(found, 1280, 1100)
    with tempfile.TemporaryDirectory() as folder:
        try:
            globe, tree = Path(folder, "globe.html"), Path(folder, "tree.html")
            cities_report(globe)
            browser.open(globe)
            find(browser, "Kinshasa")
            take(browser, "#stage", "report-globe.png")
            tree_report(tree)
            browser.open(tree)
            take(browser, "#map", "report-disk.png", 700)
            browser.prefer("dark")
            browser.open(globe)
            take(browser, "#shepard", "report-shepard.png", 700)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
