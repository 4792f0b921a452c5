"""The manual page is that of the commands as they are, and goes into the source distribution."""

import shutil
import subprocess
import tomllib

import pytest

from tests.support.pages import ROOT
from tools.check_release import IN_SDIST
from tools.man_page import TARGET, page
from unimds.cli.app import app


def test_the_manual_page_is_up_to_date():
    assert TARGET.read_text(encoding="utf-8") == page(), "run `python tools/man_page.py`"


def test_it_has_every_command_and_every_option_of_embed():
    text = page().replace("\\-", "-")
    for command in app.registered_commands:
        name = command.name or command.callback.__name__.replace("_", "-")
        assert f'.SS "unimds {name} [OPTIONS]' in text
    for option in ("--landmarks", "--checkpoint", "--init", "--color", "--metadata", "-o"):
        assert rf"\fB{option}\fR" in text
    assert "Default: 2000." in text


def test_it_is_distributed():
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    assert "/man" in hatch["build"]["targets"]["sdist"]["include"]
    assert ROOT / "man" / "unimds.1" == TARGET
    assert "man/unimds.1" in IN_SDIST


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_sets_it_without_a_warning():
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", str(TARGET)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "Save the run in this file" in " ".join(done.stdout.split())
