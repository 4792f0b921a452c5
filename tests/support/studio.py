"""The studio as a user sees it: its command, and its page in a browser without a window."""

from __future__ import annotations

import base64
import re
import signal
import time
from pathlib import Path
from typing import Any

from tests.support.browser import Browser
from tests.support.commands import start

ROOT = Path(__file__).parents[2]
CITIES = ROOT / "examples" / "cities.csv"
ENV = {"PYTHONPATH": str(ROOT / "src")}
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
    """The studio, opened in a browser; files that it saves go to a folder."""

    def __init__(self, browser: Browser, folder: Path, *arguments: str):
        self.browser = browser
        self.process = start("studio", "--no-browser", *arguments, cwd=folder, env=ENV)
        found = re.search(r"http\S+", self.process.stderr.readline())
        assert found is not None
        self.address = found.group()
        browser.requests()
        self.saved = folder / "saved"
        self.saved.mkdir(exist_ok=True)
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
        self.wait("document.documentElement.dataset.lines == studio.app.state.current")
        return self.browser.text("#python"), self.browser.text("#shell")

    def download(self, text: str) -> bytes:
        """Click a button that saves a file, and return the file."""
        for path in self.saved.iterdir():  # a file of the same name would be replaced
            path.unlink()
        self.browser.run(
            "[...document.querySelectorAll('#exports button')]"
            ".find((button) => button.textContent === arguments[0]).click()",
            text,
        )
        end = time.monotonic() + 60.0
        while True:
            new = [path for path in self.saved.iterdir() if path.suffix != PARTIAL]
            if new and new[0].stat().st_size:
                return new[0].read_bytes()
            assert time.monotonic() < end, self.browser.text("#banner")
            time.sleep(0.05)

    def close(self) -> str:
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=30)
        assert self.process.returncode == 0
        return said
