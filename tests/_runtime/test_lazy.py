"""`import unimds` imports little, and everything is there all the same."""

import subprocess
import sys

import pytest

import unimds

MODULES = [
    "checks",
    "cli",
    "cluster",
    "datasets",
    "demo",
    "experiments",
    "files",
    "losses",
    "models",
    "plots",
    "quality",
    "report",
    "rivals",
    "spaces",
]


def printed(code):
    """Run code in a new process and return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", unimds.__all__)
def test_every_public_name_is_there(name):
    value = getattr(unimds, name)
    assert value.__name__ == name
    assert name in dir(unimds)


def test_modules_are_attributes_and_other_names_are_errors():
    assert unimds.spaces.Sphere is unimds.Sphere
    with pytest.raises(AttributeError, match="module 'unimds' has no attribute 'Shpere'"):
        unimds.Shpere  # noqa: B018
    with pytest.raises(ImportError):
        from unimds import nothing  # noqa: F401


@pytest.mark.slow
def test_every_module_is_an_attribute_without_an_import_of_its_own():
    code = f"import unimds\nfor name in {MODULES}: print(getattr(unimds, name).__name__, end=' ')"
    assert printed(code).replace("unimds.", "").split() == MODULES


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = (
        "import sys, unimds\nunimds.files.read\nfrom unimds import files\n"
        "print({'numba', 'sklearn', 'scipy', 'pandas'} & set(sys.modules) or 'nothing')\n"
        "unimds.MDS\nprint('numba' in sys.modules)"
    )
    assert printed(code) == "nothing\nTrue\n"
