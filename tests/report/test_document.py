"""A report is a string, a file and a frame in a notebook."""

from __future__ import annotations

import pickle
import re
import zlib
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.maps import a_map
from unimds._runtime.frame import framed, packed
from unimds.files.errors import FileError
from unimds.report import Report, report, write_report


@pytest.fixture(scope="module")
def page() -> Report:
    return report(*a_map("plane"), title="It's <i>")


class Frames(HTMLParser):
    """Reads the frames of a page as a browser does."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "iframe":
            self.found.append(dict(attrs))


def frame_of(html: str) -> dict[str, str | None]:
    frames = Frames()
    frames.feed(html)
    assert frames.tags == ["iframe", "script"]  # nothing of the page within escapes
    return frames.found[0]


def test_old_code_that_took_it_for_a_string_works(page: Report, tmp_path: Path) -> None:
    assert isinstance(page, str)
    with open(tmp_path / "map.html", "w", encoding="utf-8") as file:
        file.write(page)
    assert (tmp_path / "map.html").read_text(encoding="utf-8") == page == page.html
    assert type(page.html) is str
    assert pickle.loads(pickle.dumps(page)).heading == page.heading == "It's <i>"


def test_a_shell_shows_one_line(page: Report) -> None:
    assert re.fullmatch(
        r'<Report "It\'s <i>", \d\.\d MB of HTML: a notebook shows it, '
        r'\.save\("map\.html"\) writes it>',
        repr(page),
    )


def test_save_writes_what_write_report_writes(page: Report, tmp_path: Path) -> None:
    page.save(tmp_path / "a.html")
    write_report(a_map("plane")[0], tmp_path / "b.html", a_map("plane")[1], title="It's <i>")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    with pytest.raises(FileError, match=r"exists"):
        page.save(tmp_path / "a.html")
    page.save(tmp_path / "a.html", force=True)
    with pytest.raises(FileError, match=r"ends in \.html or \.htm"):
        page.save(tmp_path / "a.pdf")


def test_a_notebook_shows_the_whole_page_in_an_isolated_frame(page: Report) -> None:
    html = page._repr_html_()
    frame = frame_of(html)
    assert frame["sandbox"] == "allow-scripts allow-downloads"  # and not allow-same-origin
    assert frame["title"] == "Report: It's <i>"
    (whole,) = re.findall(r'atob\("([^"]+)"\)', str(frame["srcdoc"]))
    assert zlib.decompress(b64decode(whole)).decode() == page
    assert len(html) < 0.5 * len(page)


@given(st.text())
def test_no_text_escapes_from_a_frame(text: str) -> None:
    frame = frame_of(framed(text, text, "height: 1em"))
    assert frame["srcdoc"] == text
    assert frame["title"] == text


@given(st.text())
def test_a_packed_page_is_whole(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    (whole,) = re.findall(r'atob\("([^"]+)"\)', packed(text))
    assert zlib.decompress(b64decode(whole)).decode() == text
