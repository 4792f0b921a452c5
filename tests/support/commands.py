"""Running the command line: in this process, which is fast, or in one of its own."""

import os
import subprocess
import sys
from typing import NamedTuple

from typer.testing import CliRunner

from unimds.cli.app import app

COLOURS = ("FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS", "TTY_COMPATIBLE")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in COLOURS}
ENVIRONMENT |= {"COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}

CITIES = """\
,Ulm,Bonn,Kiel,Trier,Jena
Ulm,0,305,650,290,280
Bonn,305,0,430,130,320
Kiel,650,430,0,550,400
Trier,290,130,550,0,380
Jena,280,320,400,380,0
"""
ONE_START = ("--n-init", "1")  # where the search for the lowest map is not what is tested
NEW = "point,Jena,Kiel,Ulm,Trier,Bonn\nnear Ulm,281,649,1,291,304\nnear Jena,2,401,281,379,321\n"


class Said(NamedTuple):
    code: int
    out: str
    err: str


def names(folder):
    """Return the names of the files in a folder."""
    return sorted(path.name for path in folder.iterdir())


def run(*arguments, stdin=None):
    """Run a command in this process."""
    runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"})
    done = runner.invoke(app, [str(part) for part in arguments], input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Said(done.exit_code, done.stdout, done.stderr)


def python(*arguments, cwd, env=None, **options):
    """Start Python in a process of its own, which ^C can reach: see conftest.py."""
    line = [sys.executable, *map(str, arguments)]
    env = {**ENVIRONMENT, **(env or {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    return subprocess.Popen(line, cwd=cwd, env=env, **{**pipes, **options})


def start(*arguments, cwd, **options):
    """Start a command in a process of its own."""
    return python("-m", "unimds", *arguments, cwd=cwd, **options)


def end(process, stdin=None):
    """Wait for a process, and return what it says."""
    out, err = process.communicate(stdin)
    return Said(process.returncode, out, err)


def apart(*arguments, cwd, stdin=None):
    """Run a command in a process of its own."""
    return end(start(*arguments, cwd=cwd, stdin=None if stdin is None else subprocess.PIPE), stdin)
