"""The documentation is true: its code runs, and prints what it says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "README.md": 5,
    "docs/extending.md": 5,
    "docs/distributions.md": 1,
    "docs/landmarks.md": 2,
    "docs/files.md": 4,
    "docs/cli.md": 0,  # its commands are run by test_docs_cli.py
    "docs/report.md": 2,
    "docs/spherical-jl.md": 1,
}
"""Pages with code, and how many blocks of it there are at least."""
BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<body>.*?)^ *```$", re.M | re.S)
SAME = doctest.OutputChecker().check_output
LENIENT = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Block(NamedTuple):
    language: str
    body: str
    line: int


def blocks(text: str) -> list[Block]:
    return [
        Block(
            match["language"],
            textwrap.dedent(match["body"]),
            text[: match.start()].count("\n") + 1,
        )
        for match in BLOCK.finditer(text)
    ]


def run(block: Block, page: str, namespace: dict[str, object]) -> str:
    """Run a block, with the line numbers of the page, and return what it prints."""
    code = compile("\n" * block.line + block.body, page, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, namespace)
    return printed.getvalue()


def check_page(text: str, page: str) -> int:
    """Run the Python blocks in order; a text block is what the block before it prints."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed, ran = "", 0
    for block in blocks(text):
        if block.language == "python":
            assert not printed, f"{page}:{block.line}: the page does not show {printed!r}"
            printed, ran = run(block, page, namespace), ran + 1
        elif block.language == "text":
            where = f"{page}:{block.line}: the page shows {block.body!r}, not {printed!r}"
            assert SAME(block.body, printed, LENIENT), where
            printed = ""
    assert not printed, f"{page}: the page does not show {printed!r}"
    return ran


@pytest.mark.parametrize("page", PAGES)
def test_the_code_on_the_page_runs_and_prints_what_it_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # pages write files
    text = (ROOT / page).read_text(encoding="utf-8")
    assert check_page(text, page) == text.count("```python") >= PAGES[page]


@pytest.mark.parametrize(
    "text",
    [
        "```python\nprint(1)\n```\n```text\n2\n```\n",
        "```python\nprint(1)\n```\n",
        "- a list\n\n  ```python\n  assert False\n  ```\n",
    ],
)
def test_a_page_that_is_wrong_is_noticed(text: str) -> None:
    with pytest.raises(AssertionError):
        check_page(text, "a page")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert links
    for link in links:
        assert ((ROOT / page).parent / link).is_file(), f"{page}: {link} is not there"


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs/images").iterdir())
    assert pictures
    assert all(picture.stat().st_size < 300_000 for picture in pictures)
