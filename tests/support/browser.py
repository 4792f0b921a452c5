"""A browser without a window, for the tests of the report and for its pictures."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

SWITCHES = (
    "--headless=new",
    "--no-sandbox",  # in a container there may be none to be had
    "--disable-dev-shm-usage",
    "--use-angle=swiftshader",  # WebGL without a graphics card
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",  # without a graphics card it takes half of the browser's time
    "--hide-scrollbars",
)


def programs() -> tuple[str, str] | None:
    """Return where Chromium and its driver are, if they are."""
    browser = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def need_browser() -> tuple[str, str]:
    """Skip where there is no browser; in continuous integration that is a failure."""
    found = programs()
    if found is None and os.environ.get("CI"):
        pytest.fail("Chromium and chromedriver are not installed, and CI needs them")
    if found is None:
        pytest.skip("Chromium and chromedriver are not installed")
    return found


class Browser:
    """Chromium, and what it has to say."""

    def __init__(self, found: tuple[str, str], width: int = 1100, height: int = 900):
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = found[0]
        for switch in (*SWITCHES, f"--window-size={width},{height}"):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.ChromeService(found[1])
        self.driver = webdriver.Chrome(options=options, service=service)

    def open(self, path: Path, patience: float = 90.0) -> None:
        """Open a report and wait until it is drawn."""
        self.driver.get(path.as_uri())
        self.wait("document.documentElement.dataset.ready === 'yes'", patience)

    def wait(self, condition: str, patience: float = 30.0) -> None:
        """Wait until a condition holds."""
        end = time.monotonic() + patience
        while not self.run(f"return Boolean({condition})"):
            assert time.monotonic() < end, f"{condition} does not come true"
            time.sleep(0.05)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def text(self, where: str) -> str:
        text: str = self.run("return document.querySelector(arguments[0]).textContent", where)
        return text

    def complaints(self) -> list[str]:
        """Return the errors on the console since the last call."""
        log = self.driver.get_log("browser")
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]

    def requests(self) -> list[str]:
        """Return all addresses that were asked for since the last call."""
        events = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def prefer(self, scheme: str) -> None:
        """Have the reader prefer light or dark pages."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def mouse(self, kind: str, x: float, y: float, buttons: int = 0) -> None:
        """Let the page see the mouse move, be pressed or be released."""
        button = "none" if kind == "mouseMoved" and not buttons else "left"
        event = {"type": kind, "x": x, "y": y, "button": button, "buttons": buttons}
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**event, "clickCount": 1})

    def close(self) -> None:
        self.driver.quit()
