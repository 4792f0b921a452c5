"""Take the pictures of docs/studio.md, as a browser shows the studio: a map, a globe, two maps.

Run it with ``make screenshots``; it needs Chromium and chromedriver. A folder as its argument gets
more pictures, of narrow windows and both themes, to look at before a release.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT))

from tests.support.browser import Browser, programs  # noqa: E402
from tests.support.studio import CITIES, Page  # noqa: E402

PAUSE = 1.5
"""Seconds until all that eases is where it should be."""


def take(page: Page, path: Path, width: int = 1200) -> None:
    """Save what the window shows, small enough for a document."""
    page.settle()
    time.sleep(PAUSE)
    picture = Image.open(io.BytesIO(page.browser.driver.get_screenshot_as_png())).convert("RGB")
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)))
    picture.quantize(128).save(path, optimize=True)


def theme(page: Page, name: str) -> None:
    """Have the page light or dark."""
    if page.browser.run("return document.documentElement.dataset.theme") != name:
        page.click("#theme")


def scroll(page: Page, where: str) -> None:
    """Bring a part of the page to the top of the window."""
    page.browser.run("document.querySelector(arguments[0]).scrollIntoView()", where)


def chosen(page: Page, name: str, value: str, kind: str) -> None:
    """Choose a setting, and wait for its map."""
    page.change(name, value)
    page.wait(f"studio.app.map.kind === '{kind}'")
    page.settle()


def tour(page: Page, folder: Path) -> None:
    """Take the pictures of the page."""
    page.drop("cities.csv", CITIES.read_bytes())
    theme(page, "light")
    page.browser.run("const s = document.getElementById('colour'); s.value = '1';")
    page.browser.run("document.getElementById('colour').dispatchEvent(new Event('change'))")
    page.browser.run("studio.app.select(studio.app.names.indexOf('Ushuaia'))")
    page.wait("studio.app.own")
    take(page, folder / "studio.png")
    page.browser.run("studio.app.select(-1)")
    chosen(page, "space", "sphere", "globe")
    theme(page, "dark")
    take(page, folder / "studio-globe.png")
    chosen(page, "space", "euclidean", "plane")
    page.change("level", "ordinal")
    page.wait("studio.app.state.settings.level === 'ordinal'")
    page.settle()
    theme(page, "light")
    page.browser.run(
        "for (const at of [0, 1]) document.querySelectorAll('#maps input')[at].click()"
    )
    page.click("#compare")
    page.click("#choose-buttons button")
    page.wait("studio.app.state.choice")
    page.settle()
    page.click("#study")
    page.wait("studio.app.state.stability !== null")
    scroll(page, "#comparison")
    take(page, folder / "studio-compare.png")


def looks(page: Page, folder: Path) -> None:
    """Take pictures to look at: other widths, other themes, other parts."""
    for name in ("light", "dark"):
        theme(page, name)
        for width, height in ((1500, 1000), (1000, 900), (420, 900)):
            page.browser.driver.set_window_size(width, height)
            for where in ("header", "#right", "#below"):
                scroll(page, where)
                take(page, folder / f"{name}-{width}-{where.strip('#')}.png", 1500)


def main() -> None:
    """Take all pictures."""
    found = programs()
    if found is None:
        sys.exit("this needs Chromium and chromedriver")
    browser = Browser(found, 1500, 1100)
    with tempfile.TemporaryDirectory() as folder:
        page = Page(browser, Path(folder))
        try:
            tour(page, IMAGES)
            if len(sys.argv) > 1:
                looks(page, Path(sys.argv[1]))
        finally:
            page.close()
            browser.close()


if __name__ == "__main__":
    main()
