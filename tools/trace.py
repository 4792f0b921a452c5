"""Measure how far a call travels through the package: files, calls between files, import depth.

    python tools/trace.py                 # the src beside this folder
    python tools/trace.py --src PATH      # the src of another checkout
    python tools/trace.py --calls         # list the calls between files as well

What counts:

- *files*: files of the package in which a Python function is entered during the call. Bodies of
  modules do not count, and compiled code is invisible.
- *calls*: different pairs of caller and callee in two files. The caller is the nearest function of
  the package on the stack, so that a call through NumPy or scikit-learn counts; comprehensions and
  generator expressions belong to their function. *Functions reached* counts a callee once for each
  file that calls it.
- *import depth*: the modules on the longest chain of imports that run when a module is imported:
  those for type checkers and those inside functions do not count.

Every call is made once before it is measured, so that compiling and importing do not count.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

POINTS = np.random.default_rng(0).normal(size=(60, 4))
TABLE = cdist(POINTS, POINTS)
INNER = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
MANY = np.random.default_rng(1).normal(size=(2000, 4))


class Function(NamedTuple):
    """A function of the package."""

    file: str
    name: str


class Trace:
    """The functions of a package that are entered, and who calls them."""

    def __init__(self, package: Path):
        self.prefix = f"{package}/"
        self.entered: set[CodeType] = set()
        self.calls: set[tuple[CodeType, CodeType]] = set()

    def _own(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self.prefix) and code.co_name != "<module>"

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        """Note a call: this is what `sys.setprofile` takes."""
        callee = frame.f_code
        if event != "call" or not self._own(callee):
            return
        self.entered.add(callee)
        caller = frame.f_back
        while caller is not None and not self._own(caller.f_code):
            caller = caller.f_back
        if caller is not None:
            self.calls.add((caller.f_code, callee))

    def _function(self, code: CodeType) -> Function:
        names = [name for name in code.co_qualname.split(".") if name not in INNER]
        while names[-1] == "<locals>":
            names.pop()
        return Function(code.co_filename.removeprefix(self.prefix), ".".join(names))

    def files(self) -> set[str]:
        """Return the files that are entered."""
        return {self._function(code).file for code in self.entered}

    def between_files(self) -> list[tuple[Function, Function]]:
        """Return the different calls from one file to another."""
        pairs = {(self._function(a), self._function(b)) for a, b in self.calls}
        return sorted((a, b) for a, b in pairs if a.file != b.file)


def traced(call: Callable[[], Any], package: Path) -> Trace:
    """Make a call twice, and trace it the second time."""
    call()
    trace = Trace(package)
    threading.setprofile(trace)  # of threads that begin from now on
    sys.setprofile(trace)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return trace


# --- the calls ------------------------------------------------------------------------------------


def fit() -> None:
    """Fit a table with default settings, which take its rows for points."""
    from unimds import MDS

    MDS(random_state=0).fit(TABLE)


def fit_precomputed() -> None:
    """Fit a table of distances."""
    from unimds import MDS

    MDS(metric="precomputed", random_state=0).fit(TABLE)


def fit_landmarks() -> None:
    """Fit many points."""
    from unimds import LandmarkMDS

    LandmarkMDS(n_landmarks=100, random_state=0).fit(MANY)


def fit_dask() -> None:
    """Fit a table on a cluster of one worker in this process."""
    from dask.array import from_array
    from distributed import Client, LocalCluster

    from unimds import MDS

    kind = {"processes": False, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(1, **kind) as cluster, Client(cluster):
        MDS(metric="precomputed", random_state=0).fit(from_array(TABLE, chunks=(20, -1)))


def embed() -> None:
    """Run the command line on a file of points."""
    from unimds.cli import main

    with tempfile.TemporaryDirectory() as folder:
        points = f"{folder}/points.csv"
        np.savetxt(points, POINTS, delimiter=",", header="a,b,c,d", comments="")
        sys.argv = ["unimds", "embed", points, "-o", f"{folder}/map.csv"]
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SystemExit):
            main()
        assert Path(folder, "map.csv").exists()


CALLS = {
    "MDS().fit(D)": fit,
    'MDS(metric="precomputed").fit(D)': fit_precomputed,
    "LandmarkMDS().fit(X)": fit_landmarks,
    "MDS().fit(dask array)": fit_dask,
    "unimds embed": embed,
}


# --- imports --------------------------------------------------------------------------------------


def imports(source: Path) -> dict[str, set[str]]:
    """Return which modules of the package each module imports when it is imported."""
    import grimp

    graph = grimp.build_graph("unimds", exclude_type_checking_imports=True, cache_dir=None)

    def at_once(importer: str, imported: str) -> bool:
        path = source.joinpath(*importer.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        lines = file.read_text(encoding="utf-8").splitlines()
        told = graph.get_import_details(importer=importer, imported=imported)
        return any(not lines[one["line_number"] - 1].startswith(" ") for one in told)

    return {
        module: {
            other
            for other in graph.find_modules_directly_imported_by(module)
            if at_once(module, other)
        }
        for module in graph.modules
    }


def longest_chain(graph: dict[str, set[str]]) -> list[str]:
    """Return the longest chain of imports; a cycle is an error."""
    chains: dict[str, list[str]] = {}
    for module in TopologicalSorter(graph).static_order():
        below = (chains[other] for other in sorted(graph[module]))
        chains[module] = [module, *max(below, key=len, default=[])]
    return max(chains.values(), key=len)


def main() -> None:
    """Print the measures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--src", type=Path, default=Path(__file__).resolve().parents[1] / "src")
    parser.add_argument("--calls", action="store_true", help="list the calls between files")
    told = parser.parse_args()
    source = told.src.resolve()
    sys.path.insert(0, str(source))
    warnings.simplefilter("ignore")
    found = find_spec("unimds")
    assert found is not None
    assert found.origin == str(source / "unimds" / "__init__.py"), found.origin
    print(f"{'':34} files  calls between files  functions reached")
    for name, call in CALLS.items():
        trace = traced(call, source / "unimds")
        calls = trace.between_files()
        reached = {(caller.file, callee) for caller, callee in calls}
        print(f"{name:34} {len(trace.files()):5}  {len(calls):19}  {len(reached):17}")
        for caller, callee in calls if told.calls else ():
            print(f"    {caller.file}: {caller.name} → {callee.file}: {callee.name}")
    graph = imports(source)
    chain = longest_chain(graph)
    print(f"{len(graph)} modules; import depth {len(chain)}:")
    print("    " + " → ".join(module.removeprefix("unimds.") for module in chain))


if __name__ == "__main__":
    main()
