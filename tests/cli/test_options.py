"""Sets of options that a command takes as one."""

import inspect
from dataclasses import dataclass

import pytest
import typer
from typer.testing import CliRunner

from unimds.cli.app import COMMANDS
from unimds.cli.options.sets import Looks, takes_sets


@dataclass(frozen=True)
class Colours:
    fore: str = "black"
    back: str = "white"


def test_a_set_is_its_options_to_the_user_and_one_object_to_the_command():
    seen = []

    @takes_sets
    def paint(name: str, *, before: int = 1, colours: Colours, after: bool = False) -> None:
        """Paint."""
        seen.append((name, before, colours, after))

    assert list(inspect.signature(paint).parameters) == ["name", "before", "fore", "back", "after"]
    app = typer.Typer()
    app.command()(paint)
    done = CliRunner().invoke(app, ["wall", "--back", "red", "--after"])
    assert done.exit_code == 0, done.output
    assert seen == [("wall", 1, Colours(back="red"), True)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_no_command_shows_a_set_as_one_option(command):
    hints = inspect.signature(command, eval_str=True).parameters.values()
    assert not any(inspect.isclass(hint.annotation) and hint.annotation is Looks for hint in hints)
    assert all(hint.name not in ("reading", "looks", "telling") for hint in hints)
