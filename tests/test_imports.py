"""Every module can be the first that is imported: no import depends on another one before it."""

import json
import subprocess
import sys

import pytest

from tests.support.parts import slow

# One process for all modules: each is imported as if it were the first of its package, while what
# the package needs from others stays.
ALONE = """
import gc, importlib, json, pkgutil, sys

gc.disable()  # half of the time would go into looking for garbage, and half into compiling
sys.dont_write_bytecode, sys.pycache_prefix = False, "compiled"
package, depth = sys.argv[1], int(sys.argv[2])
modules = pkgutil.walk_packages(importlib.import_module(package).__path__, package + ".")
failed, names = {}, [module.name for module in modules if module.name.count(".") <= depth]
for name in names:
    for known in [known for known in sys.modules if known.partition(".")[0] == package]:
        del sys.modules[known]
    try:
        importlib.import_module(name)
    except Exception as error:
        failed[name] = f"{type(error).__name__}: {error}"
print(json.dumps([failed, names]))
"""


def imported_alone(package, cwd, depth):
    """Return the modules of a package that cannot be imported alone, and all down to a depth."""
    run = [sys.executable, "-c", ALONE, package, str(depth)]
    done = subprocess.run(run, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("depth", "some"),
    [
        slow(1, {"unimds.losses", "unimds.spaces"}),
        slow(9, {"unimds.losses", "unimds.spaces.spectral", "unimds.cli.commands.embed"}),
    ],
    ids=["rooms", "modules"],
)
def test_every_module_can_be_imported_alone(tmp_path, depth, some):
    failed, names = imported_alone("unimds", tmp_path, depth)
    assert some <= set(names)
    assert failed == {}


def test_a_module_that_must_be_imported_second_is_found(tmp_path):
    (tmp_path / "ring").mkdir()
    (tmp_path / "ring/__init__.py").write_text("")
    (tmp_path / "ring/one.py").write_text("early = 1\nfrom ring.two import two\n")
    (tmp_path / "ring/two.py").write_text("from ring.one import early\ntwo = 2\n")
    failed, names = imported_alone("ring", tmp_path, 1)
    assert names == ["ring.one", "ring.two"]
    assert list(failed) == ["ring.two"]
    assert "cannot import name 'two'" in failed["ring.two"]
