"""Any bytes at all: random, cut off, changed. They are a table or a FileError, nothing else."""

import gzip
import io
import zipfile

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.valid_files import VALID, attempt
from unimds.files import FORMATS, KINDS

BINARY = ["npy", "npz", "npz compressed", "parquet", "stata", "r", "gzip"]
CUT = [*BINARY, "graphml", "gexf", "gml", "node-link"]
PLACES = st.sampled_from(sorted(VALID))
MARKS = [b",", b"\n", b'"', b";", b"\t", b"#", b"\xff", b" ", b"\r", "é".encode()]
CELLS = [b"0", b"-1", b"a", b"b", b"NA", b"1e999", b"1_0", b"inf"]
HEADERS = [b"from,to,dist\n", b"source target\n", b"3\n", b"x,y\n", b",a,b\n"]
PIECES = st.sampled_from([*MARKS, *CELLS, *HEADERS])
TEXTS = st.lists(PIECES, max_size=40).map(b"".join)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "format": st.sampled_from(FORMATS),
        "kind": st.sampled_from(KINDS),
        "encoding": st.sampled_from(["latin-1", "utf-16", "ascii", "cp037", "utf-7", "punycode"]),
    },
)


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", VALID)
def test_cut_off_anywhere(tmp_path, name):
    content = VALID[name]
    step = max(1, len(content) // 150)
    for length in range(0, len(content), step):
        attempt(tmp_path / "x", content[:length])


@pytest.mark.parametrize("name", CUT)
def test_a_cut_is_noticed(tmp_path, name):
    for share in (0.3, 0.6, 0.9):
        assert attempt(tmp_path / "x", VALID[name][: int(share * len(VALID[name]))]) is None


def changed(data):
    """Draw a valid file with some bytes changed."""
    content = bytearray(VALID[data.draw(PLACES)])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    return bytes(content)


def any_bytes(folder, content, options):
    attempt(folder / "x", content, **options)


@settings(max_examples=150)
@given(content=st.binary(max_size=300), options=OPTIONS)
@example(content=b"\x1f\x8b", options={})
@example(content=b"PK\x05\x06" + bytes(18), options={})
@example(content=b"PAR1PAR1", options={})
@example(content=b"\xff\xfe", options={})
def test_random_bytes(tmp_path_factory, content, options):
    any_bytes(tmp_path_factory.getbasetemp(), content, options)


@settings(max_examples=300)
@given(content=TEXTS, options=OPTIONS)
def test_random_texts(tmp_path_factory, content, options):
    any_bytes(tmp_path_factory.getbasetemp(), content, options)


@settings(max_examples=200)
@given(data=st.data(), options=OPTIONS)
def test_changed_bytes(tmp_path_factory, data, options):
    any_bytes(tmp_path_factory.getbasetemp(), changed(data), options)


@settings(max_examples=50)
@given(data=st.data())
def test_changed_bytes_in_gzip(tmp_path_factory, data):
    any_bytes(tmp_path_factory.getbasetemp(), gzip.compress(changed(data)), {})


@settings(max_examples=50)
@given(data=st.data())
def test_headers_with_the_right_checksum(tmp_path_factory, data):
    """Archives whose members are broken, but stored so that the archive does not notice."""
    member = bytearray(VALID["npy"])
    member[data.draw(st.integers(0, 127))] = data.draw(st.integers(0, 255))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("D.npy", bytes(member))
    any_bytes(tmp_path_factory.getbasetemp(), file.getvalue(), {})


@pytest.mark.slow
@settings(max_examples=5000)
@given(data=st.data(), options=OPTIONS)
def test_many_changed_bytes(tmp_path_factory, data, options):
    any_bytes(tmp_path_factory.getbasetemp(), changed(data), options)


@pytest.mark.slow
@settings(max_examples=5000)
@given(content=TEXTS, options=OPTIONS)
def test_many_random_texts(tmp_path_factory, content, options):
    any_bytes(tmp_path_factory.getbasetemp(), content, options)


@pytest.mark.slow
@pytest.mark.parametrize("name", VALID)
def test_every_cut_and_every_byte(tmp_path, name):
    content = VALID[name]
    for at in range(len(content)):
        attempt(tmp_path / "x", content[:at])
        for byte in (0, 255, content[at] ^ 1):
            attempt(tmp_path / "x", content[:at] + bytes([byte]) + content[at + 1 :])
