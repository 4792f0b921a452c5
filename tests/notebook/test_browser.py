"""A real browser shows the card and the report of a map in their frames."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import Browser, need_browser
from tests.support.maps import a_map
from unimds.notebook import card
from unimds.report import report

EVIL = "</script><script>top.document.title='taken'</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    browser = Browser(need_browser())
    yield browser
    browser.close()


class Named:
    """An estimator with names, without a fit."""

    def __init__(self, kind: str) -> None:
        self.result_ = a_map(kind)[0]
        self.embedding_, self.space_ = self.result_.embedding, self.result_.space
        self.labels_ = [f"{EVIL} {i}" for i in range(40)]


def opened(browser: Browser, path: Path, html: str, colour: str) -> None:
    """Open a page whose text has a colour, and go into its frame, once that is drawn."""
    browser.driver.switch_to.default_content()
    path.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><title>mine</title><body style="color: {colour}">'
        f"{html}</body>",
        encoding="utf-8",
    )
    browser.requests()
    browser.driver.get(path.as_uri())
    browser.driver.switch_to.frame(0)
    browser.wait("document.documentElement.dataset.ready === 'yes'", 90.0)


def check_quiet(browser: Browser, path: Path) -> None:
    """Nothing complains, nothing is loaded, and the page around the frame is as it was."""
    assert browser.complaints() == []
    asked = [url for url in browser.requests() if not url.startswith(("data:", "blob:", "about:"))]
    assert asked == [path.as_uri()]
    browser.driver.switch_to.default_content()
    assert browser.driver.title == "mine"


@pytest.mark.parametrize("kind", ["plane", "globe"])
def test_the_small_map_answers_and_is_as_dark_as_the_text_is_light(
    browser: Browser, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "card.html"
    opened(browser, path, card(Named(kind)), "#eee")
    browser.wait("document.documentElement.dataset.theme === 'dark'")
    before = browser.run("return document.getElementById('map').toDataURL()")
    tips = browser.run(
        """
        const map = document.getElementById("map"), tip = document.getElementById("tip");
        const found = new Set();
        for (let x = 0; x < map.clientWidth; x += 8) for (let y = 0; y < map.clientHeight; y += 8) {
          map.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y }));
          if (!tip.hidden) found.add(tip.textContent);
        }
        return [...found];
        """
    )
    assert len(tips) > 10
    assert all(name.startswith(EVIL) for name in tips)
    browser.run(
        "document.getElementById('map').dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'ArrowRight'}))"
    )
    assert browser.run("return document.getElementById('map').toDataURL()") != before
    check_quiet(browser, path)


@pytest.mark.slow
def test_a_report_unpacks_itself_in_its_frame(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result, D = a_map("plane")
    opened(browser, path, report(result, D, title=EVIL)._repr_html_(), "#111")
    assert browser.run("return document.documentElement.dataset.theme") == "light"
    assert browser.text("h1") == EVIL
    browser.driver.switch_to.default_content()
    browser.run("document.body.style.color = '#eee'")  # another theme
    browser.driver.switch_to.frame(0)
    browser.wait("document.documentElement.dataset.theme === 'dark'")
    check_quiet(browser, path)
