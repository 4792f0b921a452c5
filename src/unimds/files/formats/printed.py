"""Tables as R prints them: columns that do not fit into a line follow below, in further blocks."""

from __future__ import annotations

from typing import NamedTuple

from unimds.files.formats.grid import Grid
from unimds.files.formats.text import Text, dialect_of, number

SAVE = 'save it by write.csv(as.matrix(d), "d.csv")'
LEFT_OUT = "[ reached "


class _Block(NamedTuple):
    """A line of names of columns, and the rows below it: their lines, and their cells."""

    line: int
    names: list[str]
    rows: list[tuple[int, list[str]]]

    def labels(self) -> list[str]:
        return [cells[0] for _, cells in self.rows]


def joined_blocks(text: Text) -> Grid | None:
    """Join the blocks of a table that R has printed; None for any other text."""
    if LEFT_OUT.encode() in text.content.data:
        _check_complete(text)
    blocks = _blocks(text)
    if blocks is None:
        return None
    starts = [sum(len(block.names) for block in blocks[:k]) for k in range(len(blocks))]
    if not all(map(_fits, blocks, starts)):
        if all(number(name) is not None for name in blocks[0].names):
            return None  # numbers, aligned at their right
        raise text.content.error(
            "R has printed this table in blocks, one below another, and a name with a blank in it "
            f"makes it unclear which number belongs to which column; {SAVE}",
            blocks[0].line,
        )
    dialect = dialect_of(text, " ")
    grid = Grid(text, dialect.format)
    grid.append(blocks[0].line, [n for block in blocks for n in block.names], dialect.decimal)
    for i, (line, first) in enumerate(blocks[0].rows):
        rest = [cell for block in blocks[1:] for cell in block.rows[i][1][1:]]
        grid.append(line, [*first, *rest], dialect.decimal)
    return grid


def _check_complete(text: Text) -> None:
    for line, content in text.kept_lines():
        if content.strip().startswith(LEFT_OUT):
            raise text.content.error(f"R has left out the rest of the table; {SAVE}", line)


def _blocks(text: Text) -> list[_Block] | None:
    """Return the blocks of a text: an indented line, and rows with the same labels in each."""
    first = next(text.kept_lines(), (0, ""))[1]
    if not first.startswith(" "):
        return None
    blocks: list[_Block] = []
    for line, content in text.kept_lines():
        if content.startswith(" "):
            blocks.append(_Block(line, content.split(), []))
        else:
            blocks[-1].rows.append((line, content.split()))
    names = {tuple(block.names) for block in blocks}
    if len(blocks) < 2 or not blocks[0].rows or len(names) < len(blocks):
        return None  # several tables have the same names
    labels = blocks[0].labels()
    return blocks if all(block.labels() == labels for block in blocks) else None


def _fits(block: _Block, start: int) -> bool:
    """Whether the rows of a block are full, or those of a triangle without its diagonal."""
    wide = len(block.names)
    counts = [len(cells) - 1 for _, cells in block.rows]
    lower = [min(max(i + 1 - start, 0), wide) for i in range(len(counts))]
    return counts in ([wide] * len(counts), lower)
