"""Whatever a file holds, the command line answers in a line, and leaves no partial output."""

import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.commands import CITIES, run


def check(content: bytes) -> None:
    """Embed a file: a whole map and exit code 0, or one line and no file at all."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "d.csv"), Path(folder, "m.csv")
        source.write_bytes(content)
        said = run("embed", source, "-o", output, "--max-iter", "5", "--n-init", "1")
        assert said.out == ""
        assert "Traceback" not in said.err
        if said.code == 0:
            assert output.read_bytes().endswith(b"\n")
            assert output.read_bytes().startswith((b"label,x,y\n", b"x,y\n"))
        else:
            assert said.code == 1, said.err
            assert "error: unexpected" not in said.err
            assert said.err.splitlines()[-1].startswith("error: ")
            assert [path.name for path in Path(folder).iterdir()] == ["d.csv"]


@given(st.binary(max_size=200))
@example(b"\x00" * 20)
@example(b"PK\x03\x04 no zip")
@example(b"\x93NUMPY\x01\x00 no array")
def test_any_bytes(content):
    check(content)


@given(st.integers(0, len(CITIES)))
def test_truncations(length):
    check(CITIES[:length].encode())


@given(
    st.integers(0, len(CITIES) - 1), st.sampled_from([b"", b"x", b"-", b",", b"\n", b'"', b"e9"])
)
def test_a_cell_gone_wrong(place, junk):
    content = CITIES.encode()
    check(content[:place] + junk + content[place + 1 :])
