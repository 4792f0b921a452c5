"""How fluid the studio is: until the map moves, frames a second, and how soon a map follows a drag.

Chromium without a window opens the studio with noisy distances between points in five dimensions.
Frames are those that the page has drawn while the map converges, from a random start. Seconds are
those of a clock, and depend on what else the machine does; computing is that of the page's thread.
`python benchmarks/studio.py [points ...]`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from unimds.files import write
from unimds.spaces import distances

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.browser import Browser, programs  # noqa: E402
from tests.support.studio import Page  # noqa: E402

COUNT = """
const done = arguments[arguments.length - 1];
const { app } = window.studio, from = app.map.frames, began = performance.now();
let asked = 0;
const tick = () => {
  asked += 1;
  const busy = document.documentElement.dataset.running !== "no" || app.map.queue.length > 0;
  const passed = performance.now() - began;
  if ((busy && passed < 20000) || passed < 300) requestAnimationFrame(tick);
  else done([app.map.frames - from, asked, passed / 1000]);
};
requestAnimationFrame(tick);
"""


def table(n: int, path: Path) -> None:
    """Write distances that no map of two dimensions meets."""
    rng = np.random.default_rng(0)
    D = distances(rng.normal(size=(n, 5))) * rng.uniform(0.8, 1.2, size=(n, n))
    write(path, np.round((D + D.T) / 2, 4), names=[f"p{i}" for i in range(n)])


def busy(browser: Browser) -> float:
    """Return the seconds that the page has computed: of its own thread, whoever else computes."""
    found = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))


def dragged(page: Page) -> tuple[float, int]:
    """Drag a point for two seconds; return frames a second, and maps that followed."""
    browser = page.browser
    x, y = page.spot(3)
    browser.run(
        "const { map } = window.studio.app; window.followed = 0; const take = map.take.bind(map);"
        "map.take = (frame) => { window.followed += frame.about.preview ? 1 : 0; take(frame); }"
    )
    browser.mouse("mouseMoved", x, y)
    browser.mouse("mousePressed", x, y, 1)
    before, began = browser.run("return window.studio.app.map.frames"), time.perf_counter()
    step = 0
    while time.perf_counter() - began < 2.0:
        step += 1
        browser.mouse("mouseMoved", x + 3 * step, y - 2 * step, 1)
    seconds = time.perf_counter() - began
    frames = browser.run("return window.studio.app.map.frames") - before
    browser.mouse("mouseReleased", x + 3 * step, y - 2 * step)
    return frames / seconds, browser.run("return window.followed")


def measured(browser: Browser, n: int, folder: Path) -> None:
    """Measure a table of n points."""
    path = folder / f"{n}.csv"
    table(n, path)
    began = time.perf_counter()
    page = Page(browser, folder, str(path))
    try:
        page.wait("studio.app.map.frames > 5 && studio.app.sweep")
        moves = time.perf_counter() - began
        page.settle()
        page.change("start", "random")
        page.wait("document.documentElement.dataset.running === 'fit'")
        before = busy(browser)
        drawn, asked, seconds = browser.driver.execute_async_script(COUNT)
        each = 1000.0 * (busy(browser) - before) / drawn
        page.settle()
        sweeps = browser.run("return window.studio.app.state.maps.at(-1).sweeps")
        time.sleep(1.0)
        rate, followed = dragged(page)
        print(
            f"{n:,} points: the map moves {moves:.1f} s after the command; while it converges "
            f"({sweeps} sweeps, {seconds:.1f} s) {drawn / seconds:.0f} frames a second drawn of "
            f"{asked / seconds:.0f} that the browser offers, {each:.1f} ms of computing each; "
            f"while a point is dragged {rate:.0f} frames and {followed / 2:.0f} maps a second",
            flush=True,
        )
    finally:
        page.close()


def main(sizes: list[int]) -> None:
    """Measure tables of several sizes, one after the other."""
    found = programs()
    if found is None:
        sys.exit("this needs Chromium and chromedriver")
    browser = Browser(found, 1500, 1000)
    browser.driver.set_script_timeout(60)
    browser.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    with tempfile.TemporaryDirectory() as folder:
        try:
            for n in sizes:
                measured(browser, n, Path(folder))
        finally:
            browser.close()


if __name__ == "__main__":
    main([int(given) for given in sys.argv[1:]] or [100, 1000, 2000])
