"""Compiled code is kept on disk: found again, and never out of date.

Every run here is a process of its own, and no test writes to the cache of another one.
"""

import inspect
import json
import os
import shutil
import subprocess
import sys
from textwrap import dedent

import numpy as np
import pytest

from tests.support.torus import Torus

# Appended to every script: what was found in the cache, what was compiled, and the answers.
REPORT = """
import json
from unimds.compiled import functions
from unimds.kernels import drivers

used = drivers.anneal, drivers.sweep, drivers.total, drivers.shake_together
kept = [*functions._KEPT.values()]
names = lambda made: made.__name__.split("_")[0]
compiled = {names(made) for made in kept if not made.cache_hits}
compiled |= {d.__name__ for d in used if getattr(d, "stats", None) and d.stats.cache_misses}
print(json.dumps({
    "hits": sum(made.cache_hits for made in kept),
    "compiled": sorted(compiled),
    "costs": [r.cost for r in results],
    "maps": [r.embedding.tolist() for r in results],
}))
"""

# 8 sweeps, converged or not: no test here is about convergence.
SETUP = """
import warnings
from dataclasses import dataclass

import numpy as np
from unimds import *

warnings.simplefilter("ignore")
D = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))) ** 0.5


def fit(loss, space="euclidean", **options):
    options = {"init": "random", "n_init": 1, "max_iter": 8, "random_state": 0, **options}
    return place_center(D, 2, loss=loss, space=space, **options)


def cost_of(loss):  # every point fixed: nothing to do but to compute the cost
    points = np.random.default_rng(0).normal(size=(12, 2))
    return place_center(D, 2, loss=loss, fixed=points)
"""

BUILT_IN = """
results = [fit("squared"), fit("squared", init="shaken", max_iter=2)]
"""

MORE_BUILT_IN = """
results = [fit("squared"), fit("absolute", "chordal_sphere", init="auto", max_iter=40)]
"""

CAUCHY = """
from helpers import bend

WIDTH = 0.5


@dataclass(frozen=True)
class Cauchy(Loss):
    strength: float = 1.0

    def value(self, u, r):
        return self.strength * bend(((u - r) / WIDTH) ** 2)

    def weight(self, u, r):
        return self.strength / (WIDTH**2 + (u - r) ** 2)


results = [cost_of(Cauchy(3.0))]
"""

HELPERS = """
from math import log1p
from numba import njit


@njit
def bend(square):
    return log1p(square)
"""

GEMAN = """
@dataclass(frozen=True)
class GemanMcClure(Loss):
    def value(self, u, r):
        return (u - r) ** 2 / (1.0 + (u - r) ** 2)

    def weight(self, u, r):
        return 1.0 / (1.0 + (u - r) ** 2) ** 2


results = [fit(GemanMcClure(), accelerate=False)]
"""

TORUS = f"""
{inspect.getsource(Torus)}

from unimds.spaces import distances

torus = Torus(2.0)
points = torus.random(12, 2, 1.0, np.random.default_rng(0))
D = distances(points, space=torus)
near = (points + 0.02 * np.random.default_rng(1).normal(size=points.shape)) % 2.0
results = [fit("squared", torus, init=near, max_iter=500)]
"""


class Lab:
    """A folder with scripts and a cache of its own."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        (self.folder / name).write_text(dedent(text))

    def run(self, *arguments, text=None, **environment):
        # no .pyc: Python would not notice an edit within the same second
        settings = {
            "NUMBA_CACHE_DIR": str(self.folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
            **environment,
        }
        done = subprocess.run(
            [sys.executable, *arguments],
            input=text,
            env=os.environ | settings,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def script(self, body, **environment):
        self.write("script.py", SETUP + body + REPORT)
        return self.run("script.py", **environment)


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder whose cache was empty, and the first run in it."""
    lab = Lab(tmp_path_factory.mktemp("built"))
    return lab, lab.script(BUILT_IN)


@pytest.fixture
def warm(lab, built):
    """A folder with a cache that has the drivers: what is common to all losses and spaces."""
    shutil.copytree(built[0].folder / "cache", lab.folder / "cache")
    return lab


def all_from_cache(run):
    return run["compiled"] == [] and run["hits"] > 0


def errors(run):
    """Return distance minus given distance for each pair of the first map."""
    X = np.array(run["maps"][0])
    i, j = np.triu_indices(12, 1)
    return np.linalg.norm(X[i] - X[j], axis=1) - np.abs(i - j) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "shakes"), [(BUILT_IN, True), (MORE_BUILT_IN, False)], ids=["squared", "more"]
)
def test_built_in_parts_are_compiled_once_and_are_plain_python_without_numba(
    lab, built, body, shakes
):
    lab, first = built if body == BUILT_IN else (lab, lab.script(body))
    assert {"anneal", "mutual"} <= set(first["compiled"])
    assert ("meet" in first["compiled"]) == shakes
    second = lab.script(body)
    assert all_from_cache(second)
    assert second["costs"] == first["costs"]
    assert second["maps"] == first["maps"]
    plain = lab.script(body, NUMBA_DISABLE_JIT="1")
    assert plain["hits"] == 0
    assert plain["compiled"] == []
    np.testing.assert_allclose(plain["costs"], first["costs"], rtol=1e-9)
    np.testing.assert_allclose(first["costs"][0], np.sum(errors(first) ** 2), rtol=1e-12)


@pytest.mark.slow
def test_compiling_is_said_when_and_only_when_it_happens(warm):
    """At the first fit of a kind of map; not at a second one, nor in another process."""
    warm.write(
        "fit.py",
        """
        import contextlib, io, json, sys
        import numpy as np
        from unimds import place_center

        D = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))) ** 0.5
        told = []
        for loss in ("absolute", "absolute", "huber"):
            with contextlib.redirect_stderr(io.StringIO()) as said:
                place_center(D, loss=loss, init="classical", verbose=1)
            told.append(said.getvalue().count("Compiling for this loss and space (once) …\\n"))
        print(json.dumps(told))
        """,
    )
    assert warm.run("fit.py") == [1, 0, 1]
    assert warm.run("fit.py") == [0, 0, 0]


def test_a_loss_is_compiled_again_when_and_only_when_it_changes(lab):
    lab.write("helpers.py", HELPERS)
    first = lab.script(CAUCHY)
    assert "mutual" in first["compiled"]
    assert first["costs"][0] == pytest.approx(cauchy(first, 3.0, 0.5), rel=1e-12)

    # lines before and after the class; a field is an argument of compiled code, not part of it
    edited = "print('an edit')\n\n\n" + CAUCHY.replace("Cauchy(3.0)", "Cauchy(2.0)")
    elsewhere = lab.script(edited + "\nprint('elsewhere')\n")
    assert all_from_cache(elsewhere)
    assert elsewhere["costs"][0] == pytest.approx(cauchy(elsewhere, 2.0, 0.5), rel=1e-12)

    # another file, while the script is one whose compiled code is in the cache
    lab.write("helpers.py", HELPERS.replace("log1p(square)", "5.0 * log1p(square)"))
    helper = lab.script(CAUCHY)
    assert "mutual" in helper["compiled"]
    assert helper["costs"][0] == pytest.approx(cauchy(helper, 15.0, 0.5), rel=1e-12)


@pytest.mark.slow
def test_a_loss_is_compiled_again_when_its_formula_or_a_constant_is_another(warm):
    lab = warm
    lab.write("helpers.py", HELPERS)
    lab.script(CAUCHY)
    formula = lab.script(CAUCHY.replace("self.strength * bend", "self.strength + bend"))
    assert "mutual" in formula["compiled"]
    added = 3.0 * len(errors(formula)) + cauchy(formula, 1.0, 0.5)
    assert formula["costs"][0] == pytest.approx(added, rel=1e-12)

    constant = lab.script(CAUCHY.replace("WIDTH = 0.5", "WIDTH = 2.0"))
    assert "mutual" in constant["compiled"]
    assert constant["costs"][0] == pytest.approx(cauchy(constant, 3.0, 2.0), rel=1e-12)


def cauchy(run, strength, width):
    return strength * np.sum(np.log1p((errors(run) / width) ** 2))


@pytest.mark.slow
def test_a_loss_is_found_again_from_a_script_or_without_a_file(lab):
    text = SETUP + GEMAN + REPORT
    first = lab.run("-c", text)
    assert {"pull", "mutual"} <= set(first["compiled"])
    square = errors(first) ** 2
    assert first["costs"][0] == pytest.approx(np.sum(square / (1.0 + square)), rel=1e-12)
    for other in (lab.run("-", text=text), lab.script(GEMAN)):
        assert all_from_cache(other)
        assert other["costs"] == first["costs"]


@pytest.mark.slow
def test_the_space_of_a_script_is_compiled_once(lab):
    first = lab.script(TORUS)
    assert {"pull", "cost", "move", "measure"} <= set(first["compiled"])
    assert first["costs"][0] == pytest.approx(0.0, abs=1e-12)
    second = lab.script(TORUS)
    assert all_from_cache(second)
    assert second["maps"] == first["maps"]


@pytest.mark.slow
def test_a_loss_travels_to_another_process(lab):
    lab.write(
        "mine.py",
        SETUP + GEMAN.replace("fit(GemanMcClure(), accelerate=False)", "cost_of(GemanMcClure())"),
    )
    send = """
        import pickle
        import mine
        results = mine.results
        pickle.dump(mine.GemanMcClure(), open("loss.pickle", "wb"))
    """
    first = lab.run("-c", dedent(send) + REPORT)
    assert "mutual" in first["compiled"]
    # the other process unpickles before it imports anything of ours
    receive = """
        import pickle
        loss = pickle.load(open("loss.pickle", "rb"))
        from mine import cost_of
        results = [cost_of(loss)]
    """
    second = lab.run("-c", dedent(receive) + REPORT)
    assert all_from_cache(second)
    assert second["costs"] == first["costs"]


@pytest.mark.slow
def test_rows_in_the_cache_refer_to_no_module_of_ours(built):
    """So a version that moves its modules finds them again, or compiles anew."""
    cache = built[0].folder / "cache"
    found = [index.read_bytes() for index in cache.rglob("mutual_*.nbi")]
    found += [index.read_bytes() for index in cache.rglob("*.mutual_*.nbi")]
    assert found
    assert not any(b"unimds.compiled.parts" in index for index in found)


@pytest.mark.slow
def test_an_index_of_a_version_whose_modules_are_gone_counts_as_empty(lab):
    body = """
from types import SimpleNamespace
from unimds.report import fit
value = fit.losses(Squared(), np.ones((1, 1)), np.zeros((1, 1)))
results = [SimpleNamespace(cost=float(value[0, 0]), embedding=value)]
print(fit._fill.stats.cache_misses)
"""
    first = lab.script(body)
    changed = 0
    for index in (lab.folder / "cache").rglob("*.nbi"):
        text = index.read_bytes()
        gone = text.replace(b"unimds.compiled.parts", b"unimds.no_longer_here")
        changed += gone != text
        index.write_bytes(gone)
    assert changed
    assert lab.script(body)["costs"] == first["costs"] == [1.0]
