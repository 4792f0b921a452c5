"""The pages of the documentation: their blocks, and whether the code in them is true."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>[\w{}-]*)\n(?P<body>.*?)^ *```$", re.M | re.S)
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
