"""Write man/unimds.1, the manual page of the command line, from the commands themselves.

    python tools/man_page.py

Run it when a command or an option changes. ``man man/unimds.1`` shows the page.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from unimds import __version__
from unimds.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "man" / "unimds.1"
USUAL = "Options"  # the group of options that have none

EXIT_CODES = {
    "0": "Success.",
    "1": "A failed run, such as a bad file.",
    "2": "Wrong usage.",
    "130": "An interruption by ^C; embed still writes the best map so far.",
}
EXAMPLES = {
    "A map of a table of distances, with a picture and a report:": (
        "unimds embed cities.csv -o map.csv --plot map.png --report map.html"
    ),
    "A robust map of points, coloured by a column that does not count for the distances:": (
        "unimds embed plants.csv --loss absolute --drop year --color year --plot plants.png"
    ),
    "A long run that can be resumed:": (
        "unimds embed many.npy -o map.npy --landmarks 1000 --checkpoint run.ckpt"
    ),
    "New points on a map:": "unimds place map.unimds new.csv -o placed.csv",
}


def page() -> str:
    """Return the manual page, in the language of man."""
    unimds: Any = typer.main.get_command(app)
    lines = [
        f'.TH UNIMDS 1 "" "unimds {__version__}" "unimds"',
        ".SH NAME",
        rf"unimds \- {_text(unimds.help.partition(':')[0].lower())}",
        ".SH SYNOPSIS",
        r".B unimds",
        r".I COMMAND",
        r"[\fIOPTIONS\fR] [\fIARGUMENTS\fR]",
        ".SH DESCRIPTION",
        _text(unimds.help),
        ".PP",
        "Results go to standard output, messages to standard error.",
        f"A single {_text('-')} stands for standard input or output.",
        "Files are written completely or not at all, and replaced only with",
        rf"\fB{_text('--force')}\fR.",
        "The ending of a name decides the format of a file.",
        ".SH COMMANDS",
    ]
    for name, command in unimds.commands.items():
        lines += _command(name, command)
    lines += [".SH EXIT STATUS"]
    lines += [line for code, told in EXIT_CODES.items() for line in (".TP", code, _text(told))]
    lines += [".SH EXAMPLES"]
    for told, line in EXAMPLES.items():
        lines += [".PP", _text(told), ".PP", ".nf", ".RS", _text(line), ".RE", ".fi"]
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option"]
    shown = " ".join(_metavar(param) for param in arguments)
    yield f'.SS "{_text(f"unimds {name} [OPTIONS] {shown}")}"'
    for number, paragraph in enumerate(inspect.cleandoc(command.help or "").split("\n\n")):
        yield from ([] if number == 0 else [".PP"])
        yield _text(paragraph)
    for param in arguments:
        yield from (".TP", rf"\fI{_text(_metavar(param))}\fR", _text(param.help or ""))
    groups: dict[str, list[Any]] = {}
    for param in options:
        if not param.hidden and param.name != "help":
            groups.setdefault(param.rich_help_panel or USUAL, []).append(param)
    for group, params in groups.items():
        yield from (".PP", rf"\fI{group}\fR")
        for param in params:
            yield from (".TP", _names(param), _text(f"{param.help or ''}{_default(param)}"))


def _names(param: Any) -> str:
    names = ", ".join(rf"\fB{_text(name)}\fR" for name in param.opts)
    return names if param.is_flag else rf"{names} \fI{_text(_metavar(param))}\fR"


def _metavar(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _default(param: Any) -> str:
    told = param.default
    if param.is_flag or told is None or callable(told):
        return ""
    return f" Default: {told}."


def _text(text: str) -> str:
    """Return a text as man wants it: on one line, with its signs taken as they are."""
    plain = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-").replace("`", r"\(ga")
    plain = plain.replace("^", r"\(ha").replace("…", "...")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(page(), encoding="utf-8")
    print(f"Written: {TARGET.relative_to(ROOT)}")
