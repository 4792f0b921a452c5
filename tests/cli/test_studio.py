"""``unimds studio``: its address, its end, and what it says if it cannot start."""

from __future__ import annotations

import re
import signal
import socket
import sys
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.support.commands import run, start
from unimds.studio import server
from unimds.studio.security import LARGEST_FILE

ROOT = Path(__file__).parents[2]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Return what would be served."""
    calls: list[tuple[object, ...]] = []

    def serve(first: object, port: int, opened: object) -> None:
        calls.append((first, port))
        opened("http://127.0.0.1:1/#token")

    monkeypatch.setattr(server, "serve", serve)
    return calls


def test_the_address_is_printed_and_opened(
    served: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    (tmp_path / "a.csv").write_text("0,1\n1,0\n")
    said = run("studio", tmp_path / "a.csv", "--port", "8000")
    assert said.code == 0
    assert "http://127.0.0.1:1/#token" in said.err
    assert "The studio is closed." in said.err
    assert opened == ["http://127.0.0.1:1/#token"]
    assert served == [(("a.csv", b"0,1\n1,0\n"), 8000)]
    assert run("studio", "--no-browser").code == 0
    assert len(opened) == 1
    assert served[1] == (None, 0)


def test_a_file_that_is_not_there_is_told(served: list[tuple[object, ...]]) -> None:
    said = run("studio", "missing.csv")
    assert (said.code, said.err) == (1, "error: there is no file missing.csv\n")
    assert served == []


def test_a_file_that_is_too_large_is_told(served: list[tuple[object, ...]], tmp_path: Path) -> None:
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    said = run("studio", tmp_path / "large.csv")
    assert said.code == 1
    assert "the studio takes 268,435,456" in said.err


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        said = run("studio", "--no-browser", "--port", str(other.getsockname()[1]))
    assert said.code == 1
    assert "cannot be used" in said.err
    assert "0 for any" in said.err


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_package_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = run("studio")
    assert said.code == 1
    assert f"the studio needs {package}: pip install 'unimds[studio]'" in said.err


def test_the_table_of_the_examples_is_that_of_the_page() -> None:
    assert (ROOT / "examples/cities.csv").read_bytes() == server.example()


@pytest.mark.slow
def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    source = {"PYTHONPATH": str(ROOT / "src")}
    process = start("studio", "--no-browser", cwd=tmp_path, env=source)
    found = re.search(r"http\S+", process.stderr.readline())
    assert found is not None
    with urllib.request.urlopen(found.group().partition("#")[0]) as answer:
        assert b"unimds" in answer.read()
        assert "server" not in answer.headers  # nor does it say what serves it
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert said.endswith("The studio is closed.\n")
    assert "Traceback" not in said
