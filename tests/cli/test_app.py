"""The command line: how `unimds reproduce` goes on, and what it says to mistakes."""

import re
import shlex
import signal
import subprocess
import sys
import time
from importlib.metadata import version

import pytest

from tests.support.commands import ENVIRONMENT, end, python, run, start
from tests.support.parts import slow
from tests.support.reproduction import NAMES, ROUND, files
from unimds.cli import main

# --- interruptions, mistakes and help ------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to a process")
def test_interrupted_it_says_how_to_go_on_and_goes_on(tmp_path, monkeypatch):
    command = ("reproduce", "c2smds", "--quick", "-o", "here")
    process = start(*command, cwd=tmp_path)
    runs = tmp_path / "here/runs/c2smds"
    while not list(runs.glob("[!.]*.json")) and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    told = "\nInterrupted. The same command resumes from here; see here.\n"
    assert end(process) == (130, "", told)
    kept = files(runs, "[!.]*.json")
    assert 1 <= len(kept) < len(ROUND)

    # as if it had been killed while it was writing
    left = {runs / ".0123.partial.json": b'{"figure": "c2sm', runs / "../../.4.partial.png": b"PNG"}
    for path, content in left.items():
        path.write_bytes(content)
    monkeypatch.chdir(tmp_path)
    said = run(*command)
    for path in left:
        path.unlink()  # it is not taken for a result, and can be removed
    assert (said.code, said.err) == (0, "Figures and tables are in here\n")  # no report: not all
    assert "κ=10000" in said.out
    after = files(runs)
    assert len(after) == len(ROUND)
    assert {name: after[name] for name in kept} == kept
    made = {path.name for path in (tmp_path / "here").iterdir()}
    tables = {"c2smds.csv", "c2smds-curves.csv"}
    assert made == {"runs", "settings.json", "c2smds.png", "c2smds.svg"} | tables


def test_an_unknown_figure_is_refused_with_the_names_of_those_there_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = run("reproduce", "c2smds", "rmds", "--quick")
    assert (said.code, said.out) == (2, "")
    words = re.sub(r"[\s│]+", " ", said.err)  # typer puts it in a box
    assert f"there is no figure 'rmds'; choose among {', '.join(NAMES)} " in words
    assert not list(tmp_path.iterdir())


def called(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["unimds", *arguments])
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as exit:
        main()
    return exit.value.code


def without(module, *arguments, cwd):
    """Run the command line where a module is not installed."""
    setup = f"import sys; sys.modules[{module!r}] = None; sys.argv = {['unimds', *arguments]!r}"
    return end(python("-c", f"{setup}; from unimds.cli import main; main()", cwd=cwd))


def test_without_typer_one_line_says_what_to_do(tmp_path):
    said = without("typer", "reproduce", cwd=tmp_path)
    assert said == (1, "", "error: the command line needs typer: pip install 'unimds[cli]'\n")


def test_without_rich_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    line = "error: the command line needs rich: pip install 'unimds[cli]'"
    assert called(monkeypatch, "reproduce") == line  # sys.exit prints it, with exit code 1


def test_without_matplotlib_one_line_says_what_to_do_before_anything_is_computed(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert called(monkeypatch, "reproduce", "--quick") == 1
    line = "error: drawing needs matplotlib: pip install 'unimds[plot]'\n"
    assert capsys.readouterr() == ("", line)
    assert not list(tmp_path.iterdir())


def test_without_arguments_it_shows_the_help(monkeypatch, capsys):
    called(monkeypatch)  # exit code 0 or 2: the versions of click do not agree
    said = capsys.readouterr()
    assert "Usage" in said.out
    assert "reproduce" in said.out
    assert said.err == ""


def test_it_tells_its_version(monkeypatch, capsys):
    assert called(monkeypatch, "--version") == 0
    assert capsys.readouterr() == (f"unimds {version('unimds')}\n", "")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_of_the_command_names_figures_and_options(monkeypatch, capsys, option):
    assert called(monkeypatch, "reproduce", option) == 0
    said = capsys.readouterr().out
    for word in (*NAMES, "folder", "quick", "seed"):
        assert word in said


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("--version > /dev/full", 1, "No space left"),
        ("--help >&-", 1, "standard output is closed"),
        ("embed cities.csv --n-init 1 >&-", 1, "standard output is closed"),
        slow("embed cities.csv --n-init 1 -o map.csv 2>&-", 0, ""),
        slow("embed cities.csv --n-init 1 -o map.csv 2> /dev/full", 0, ""),
        slow("embed - <&-", 1, "standard input: the file is empty"),
    ],
)
def test_streams_that_are_closed_or_full(cities, line, code, told):
    whole = f"{shlex.quote(sys.executable)} -m unimds {line}"
    done = subprocess.run(
        ["sh", "-c", whole], cwd=cities.parent, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == code
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert (cities.parent / "map.csv").exists() == (code == 0)
