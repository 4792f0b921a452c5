"""`import unimds` imports little, and everything is there all the same."""

import subprocess
import sys

import pytest

import unimds


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


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = (
        "import sys, unimds, unimds.files\n"
        "print({'numba', 'sklearn', 'scipy', 'pandas'} & set(sys.modules) or 'nothing')\n"
        "unimds.MDS\nprint('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert done.stdout == "nothing\nTrue\n", done.stderr
