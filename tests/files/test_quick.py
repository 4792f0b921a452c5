"""The fast way to read a table finds what the careful one finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unimds.files.formats import quick
from unimds.files.formats.content import Content
from unimds.files.formats.grid import parse
from unimds.files.formats.text import as_text, dialect_of
from unimds.files.meaning.layouts import interpret

CELLS = st.one_of(
    st.floats(allow_nan=False, width=64).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(
        ["", "NA", "nan", "inf", " 1.5 ", "+2", ".5", "5.", "1e400", "1_0", "0x1", "-"]
    ),
)


@given(
    rows=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=2, max_size=6),
    labels=st.booleans(),
    header=st.booleans(),
    ending=st.sampled_from(["\n", "\r\n"]),
    delimiter=st.sampled_from([",", ";", "\t"]),
)
def test_quick_and_careful_reading_agree(rows, labels, header, ending, delimiter):
    lines = [[f"p{i}", *row] if labels else row for i, row in enumerate(rows)]
    lines = ([[f"c{j}" for j in range(len(lines[0]))]] if header else []) + lines
    text = ending.join(delimiter.join(line) for line in lines) + ending
    source = as_text(Content("t", ".csv", text.encode(), 1 << 30), "auto")
    dialect = dialect_of(source)
    large, quick.LARGE = quick.LARGE, 0
    try:
        fast = quick.quick_parse(source, dialect)
    finally:
        quick.LARGE = large
    if fast is None:
        return  # it may always leave a text to the careful one
    slow = parse(source, dialect)
    assert np.array_equal(np.frombuffer(fast.flat), np.frombuffer(slow.flat), equal_nan=True)
    assert (fast.lines, fast.widths, fast.words) == (slow.lines, slow.widths, slow.words)
    assert fast.heads == slow.heads


def test_a_large_plain_table_is_read_fast_and_to_the_last_bit(tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(200, 200))
    D = np.abs(X + X.T)
    np.fill_diagonal(D, 0.0)
    D[3, 5] = np.nan
    names = [f"p{i}" for i in range(len(D))]
    rows = [
        f"{n}," + ",".join("" if x != x else repr(x) for x in row)
        for n, row in zip(names, D.tolist(), strict=True)
    ]
    content = ("," + ",".join(names) + "\n" + "\n".join(rows) + "\n").encode()
    assert len(content) > quick.LARGE
    source = as_text(Content("t", ".csv", content, 1 << 30), "auto")
    grid = quick.quick_parse(source, dialect_of(source))
    assert grid is not None
    table = interpret(grid, "auto")
    assert np.array_equal(table.values, D, equal_nan=True)
    assert table.labels == names
