"""Measure what is compiled for the first fits on a machine and write docs/compiling-measured.md.

Run it with ``make bench-compiling``. Every line of the table is a new process with an empty cache:
it fits nine points by default, and then by another loss or in another space. The seconds are those
of the processor, so that other programs disturb them little. To compare with another checkout, in
turn, give its folder: ``python benchmarks/compiling.py ../before``; then nothing is written.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).parents[1]
OUT = HERE / "docs" / "compiling-measured.md"
RUNS = 2

FIRST = "MDS()"
FURTHER = (
    'MDS(loss="absolute")',
    'MDS(loss="huber")',
    'MDS(loss="squared_distance")',
    'MDS(loss="power")',
    "MDS(loss=Own())",
    "MDS(1)",
    "MDS(3)",
    'MDS(space="sphere")',
    'MDS(1, space="sphere")',
    'MDS(space="sphere", loss="absolute")',
    'MDS(space="chordal_sphere")',
    'MDS(space="simplex")',
    'MDS(space="simplex", loss="absolute")',
    'MDS(space="hyperbolic")',
    'MDS(space="hyperbolic", loss="absolute")',
)

PROCESS = """
import json, sys, time, warnings
from dataclasses import dataclass
from math import log1p

import numpy as np
from numba.core import event
from unimds import MDS, Loss

warnings.simplefilter("ignore")


@dataclass(frozen=True)
class Own(Loss):
    width: float = 0.5

    def value(self, u, r):
        return log1p(((u - r) / self.width) ** 2)

    def weight(self, u, r):
        return 1.0 / (self.width**2 + (u - r) ** 2)


points = 0.1 * np.random.default_rng(0).normal(size=(9, 3))
for line in sys.argv[1:]:
    told = []
    for _ in range(2):
        with event.install_recorder("numba:run_pass") as passes:
            began = time.process_time()
            eval(line).fit(points)
            told.append(time.process_time() - began)
        names = [e.data["name"] for _, e in passes.buffer if e.is_start]
        told.append(sum("native_lowering" in name for name in names))
print(json.dumps(told))
"""


def measured(line: str, checkout: Path) -> tuple[float, float, int]:
    """Return the seconds of a fit, of the same fit again, and how many functions it compiled."""
    lines = [line] if line == FIRST else [FIRST, line]
    with tempfile.TemporaryDirectory() as cache:
        settings = {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(checkout / "src")}
        command = [sys.executable, "-c", PROCESS, *lines]
        done = subprocess.run(
            command, env=os.environ | settings, capture_output=True, text=True, check=True
        )
    seconds, functions, again, _ = json.loads(done.stdout)
    return seconds, again, functions


def table(runs: dict[str, list[tuple[float, float, int]]]) -> list[str]:
    """Return the lines of the table: medians of several runs."""
    lines = [
        "| fit | seconds | of these compiling | functions compiled |",
        "|---|---|---|---|",
    ]
    for line, told in runs.items():
        seconds, again = median(t[0] for t in told), median(t[1] for t in told)
        what = f"`{line}`, the first fit of all" if line == FIRST else f"`{line}`"
        lines.append(f"| {what} | {seconds:.1f} | {seconds - again:.1f} | {told[0][2]} |")
    return lines


def page(lines: list[str]) -> str:
    """Return the page."""
    head = [
        "# Compiling, measured",
        "",
        f"Written by `benchmarks/compiling.py` (Python {platform.python_version()}); do not edit.",
        "[The engine](engine.md#rows-and-drivers) says what is compiled, and why so little.",
        "",
        "The first fits of nine points where the cache of compiled code is empty: the first of",
        "all, and then each other one right after it. The seconds are those of the processor,",
        f"medians of {RUNS} runs; what the same fit takes again is not compiling. `Own` is a loss",
        "of a user's own, with two formulas. Later processes find the code in the cache.",
        "",
    ]
    return "\n".join([*head, *lines, ""])


def main() -> None:
    other = [Path(argument).resolve() for argument in sys.argv[1:]]
    runs: dict[Path, dict[str, list[tuple[float, float, int]]]] = {}
    for line in (FIRST, *FURTHER):
        for _ in range(RUNS):
            for checkout in (*other, HERE):
                told = runs.setdefault(checkout, {}).setdefault(line, [])
                told.append(measured(line, checkout))
        print(line, *(f"{median(t[0] for t in runs[c][line]):.2f}" for c in (*other, HERE)))
    if not other:
        OUT.write_text(page(table(runs[HERE])), encoding="utf-8")


if __name__ == "__main__":
    main()
