"""Vectors of words as word2vec writes them: a line with two counts, then a word and its numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from unimds.files.formats.text import COMMENT, Text

LEAST = 2
"""Numbers of a vector from which a line of two counts cannot be a vector itself."""


def is_word2vec(text: Text) -> bool:
    """Whether a text starts with two counts, and its next lines have that many numbers each."""
    lines = [line.split() for _, line in islice(text.kept_lines(), 3)]
    if len(lines) < 2 or len(lines[0]) != 2 or not all(map(_counts, lines[0])):
        return False
    width = int(lines[0][1])
    return width >= LEAST and all(len(line) == width + 1 for line in lines[1:])


def without_counts(text: Text) -> Text:
    """Return the vectors alone; the line of counts becomes a comment, so that lines keep numbers.

    A file with fewer or more vectors than its first line says is broken.
    """
    (at, head), *_ = text.kept_lines()
    told, found = int(head.split()[0]), sum(1 for _ in text.kept_lines()) - 1
    if told != found:
        raise text.content.error(
            f"the first line says that there are {told} vectors, and the file holds {found}; is it "
            "complete? If it is, remove the first line",
            at,
        )
    before, data = b"".join(line.encode() for line in islice(text.lines(), at - 1)), text.content
    rest = data.data[len(before) :]
    return Text(replace(data, data=before + COMMENT.encode() + rest))


def _counts(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0
