"""Compare two checkouts of unimds: do they make the same maps, to the bit?

    python tools/same_maps.py OTHER                       # OTHER/src against the src next door
    python tools/same_maps.py OTHER --keep before.json    # run OTHER once, and keep its digests
    PYTHONPATH=src python tools/same_maps.py --json maps.json     # one side alone

Both sides run the cases of map_cases.py, with the same interpreter and one thread of BLAS. OTHER
runs first and writes the models and the checkpoint that both sides read. The exit code is 1 where
a case differs.

A process that compiles a kernel may get other last bits, in hyperbolic space, than the processes
that load it from Numba's cache later. So OTHER runs twice, and cases that differ run once more.
Compiling takes most of the time: ``--only 'fit(*loss="absolute"*'`` runs some of the cases.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from fnmatch import fnmatchcase
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def run_here(only: list[str], old: Path) -> dict[str, str]:
    """Return the digests of the unimds that Python imports."""
    from map_cases import CASES, digest
    from threadpoolctl import threadpool_limits

    import unimds

    source, asked = Path(unimds.__file__).parents[1], os.environ.get("PYTHONPATH")
    if asked and Path(asked.split(os.pathsep)[0]).resolve() != source.resolve():
        sys.exit(f"unimds comes from {source}, not from PYTHONPATH={asked}")
    old.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    found = {}
    for case in CASES:
        if case in only or any(fnmatchcase(case, pattern) for pattern in only):
            began = time.perf_counter()
            with threadpool_limits(1):
                found[case] = digest(case, old)
            took = time.perf_counter() - began
            print(f"{took:6.1f} s  {found[case]}  {case}", file=sys.stderr, flush=True)
    return found


def run_there(checkout: Path, only: list[str], old: Path) -> dict[str, str]:
    """Return the digests of the unimds of a checkout, which runs in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "maps.json")
        command = [sys.executable, __file__, "--json", out, "--files", old, "--only", *only]
        source = str(checkout.resolve() / "src")
        subprocess.run(command, env={**os.environ, "PYTHONPATH": source}, check=True)
        return dict(json.loads(out.read_text()))


def compare(before: dict[str, str], only: list[str], old: Path) -> bool:
    """Run this checkout, and print the cases that differ; return whether there are none."""
    after = run_there(HERE, only, old)
    different = [case for case in after if before.get(case) != after[case]]
    if different:  # perhaps only because code was compiled just now
        after |= run_there(HERE, different, old)
        different = [case for case in different if before.get(case) != after[case]]
    for case in different:
        print(f"{case}\n    before: {before.get(case)}\n    after:  {after[case]}")
    raised = sum(" " in found for found in after.values())
    same = len(after) - len(different)
    print(f"{same} of {len(after)} the same to the bit; {raised} of {len(after)} raise an error")
    return not different


def main() -> None:
    """Run one side, or compare two."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", nargs="?", type=Path, help="the checkout to compare with")
    parser.add_argument("--only", nargs="+", default=["*"], help="cases, or patterns of them")
    parser.add_argument("--json", type=Path, help="run one side alone, and write its digests here")
    parser.add_argument("--keep", type=Path, help="digests of OTHER; made where there is no file")
    parser.add_argument("--files", type=Path, help="folder of the files that OTHER writes")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        old = told.files or (told.keep.with_suffix(".files") if told.keep else Path(folder))
        if told.json:
            told.json.write_text(json.dumps(run_here(told.only, old), indent=1))
            return
        if told.keep and told.keep.exists():
            before = json.loads(told.keep.read_text())
        elif told.other:
            before = [run_there(told.other, told.only, old) for _ in range(2)][1]
        else:
            parser.error("name the other checkout, or a file of its digests, or --json")
        if told.keep:
            told.keep.write_text(json.dumps(before, indent=1))
        sys.exit(not compare(before, told.only, old))


if __name__ == "__main__":
    main()
