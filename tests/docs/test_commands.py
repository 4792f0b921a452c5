"""The commands on the pages run, and print what they say."""

import re
import runpy
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import squareform
from typer.testing import CliRunner

from tests.support.commands import CITIES, NEW
from tests.support.pages import LENIENT, ROOT, SAME, blocks, check_page
from unimds.cli.app import app

TOWNS = """\
town,river,people
Kiel,none,246
Bonn,Rhine,336
Ulm,Danube,129
Jena,Saale,110
Trier,Moselle,112
"""
LIKES = """\
,tea,milk,juice,cola
Ida,1,2,3,4
Jon,4,3,1,2
Kim,2,1,4,3
Lea,3,4,2,1
Max,1,3,2,4
"""
CONFUSIONS = ",A,B,C\nA,90,8,2\nB,12,85,3\nC,2,4,94\n"
BIRDS = ",heron,tern\nUlm,2,0\nBonn,2,0\nKiel,0,9\nTrier,0,0\nJena,0,1\n"
READING = ("dissimilarity", "fit-properties", "procrustes", "drift", "weighted-scores")
COMMANDS = (
    "embed",
    "place",
    "individual",
    "unfold",
    "choose",
    "test",
    "stability",
    "compare",
    *READING,
    "project",
    "warmup",
    "info",
)


def ratings() -> str:
    """Return the table of Ekman's colours, as a file."""
    example = runpy.run_path(str(ROOT / "examples/colours.py"))
    unlike = squareform(100.0 - np.array(example["SIMILAR"].split(), dtype=float))
    return pd.DataFrame(unlike, example["COLOURS"], example["COLOURS"]).to_csv()


def told(line: str) -> str:
    """Run a line of the page, and return all that it prints."""
    line, _, source = line.partition(" < ")
    name, *arguments = shlex.split(line)
    if name == "cat":
        return Path(*arguments).read_text()
    assert name == "unimds"
    given = Path(source).read_text() if source else None
    done = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"}).invoke(app, arguments, input=given)
    assert done.exit_code == 0, f"{line}: {done.output}"
    return done.output


def sessions(text: str) -> list[tuple[str, str]]:
    """Return the commands of the page, each with the output that the page shows."""
    shown = [block.body for block in blocks(text) if block.language == "console"]
    return [
        (part.partition("\n")[0], part.partition("\n")[2])
        for body in shown
        for part in re.split(r"^\$ ", body, flags=re.M)[1:]
    ]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("page", "commands", "code"),
    [("docs/cli.md", COMMANDS, 0), ("docs/tutorial.md", ["embed"], 7)],
)
def test_the_page_typed_in_one_folder_does_what_it_says(
    page, commands, code, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("cities.csv").write_text(CITIES)
    Path("new.csv").write_text(NEW)
    Path("ann.csv").write_text(CITIES)
    Path("bob.csv").write_text(CITIES.replace("305", "290"))
    Path("likes.csv").write_text(LIKES)
    Path("towns.csv").write_text(TOWNS)
    Path("confusions.csv").write_text(CONFUSIONS)
    Path("birds.csv").write_text(BIRDS)
    counts = np.random.default_rng(0).poisson(5.0, size=(6, 8))
    Path("counts.csv").write_text("\n".join(",".join(map(str, row)) for row in counts) + "\n")
    Path("ratings.csv").write_text(ratings())
    text = (ROOT / page).read_text(encoding="utf-8")
    found = sessions(text)
    for line, shown in found:
        printed = told(line)
        # "..." may stand for all that follows
        assert SAME(shown, printed, LENIENT) or SAME(shown + "...\n", printed, LENIENT), (
            f"{line}: the page shows\n{shown}\nnot\n{printed}"
        )
    assert {line.split()[1] for line, _ in found if line.startswith("unimds")} == set(commands)
    assert check_page(text, page) == text.count("```python") >= code  # after the commands


@pytest.mark.slow
@pytest.mark.parametrize("page", ["ecology", "genetics", "networks", "psychology"])
def test_the_commands_of_a_page_need_only_the_files_that_its_code_writes(
    page, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    check_page(text, page)
    lines = [
        line for block in blocks(text) if not block.language for line in block.body.split("\n")
    ]
    commands = [line for line in lines if line.startswith("unimds ")]
    assert len(commands) > 1
    for command in commands:
        told(command)


@pytest.mark.parametrize("shown", ["label,x,y\n", "nothing of the kind\n"])
def test_a_page_that_is_wrong_is_noticed(shown):
    assert not SAME(shown, "label,x,y,stress\n", LENIENT)


def test_every_command_is_on_the_page():
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for command in app.registered_commands:
        name = command.name or command.callback.__name__.replace("_", "-")
        assert f"unimds {name}" in text
