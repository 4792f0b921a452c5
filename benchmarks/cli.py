"""How long `unimds embed` takes, beside importing scikit-learn and reading the file with pandas.

Both are whole processes on the same file, one after the other, several times; what counts is the
median of the ratios. `python benchmarks/cli.py [points] [rounds]`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from unimds.files import Table, write
from unimds.spaces import distances

PEER = "import sys, pandas, sklearn.manifold; pandas.read_csv(sys.argv[1], index_col=0)"
LEAST = "import sys, pandas, sklearn; pandas.read_csv(sys.argv[1], index_col=0)"
NOTHING = ("-m", "unimds", "--help")


def seconds(*arguments: str) -> float:
    """Return how long a process takes, from its start to its end."""
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return time.perf_counter() - began


def main(n: int = 1000, rounds: int = 5) -> None:
    """Measure, and print the medians."""
    points = np.random.default_rng(0).normal(size=(n, 5))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "d.csv")
        labels = [f"p{i}" for i in range(n)]
        write(path, Table(distances(points), "distances", "csv", "square", labels))
        embed = ("-m", "unimds", "embed", str(path), "-o", str(Path(folder, "m.csv")), "-f")
        seconds(*embed)  # compiles
        ours, peer, least, start = [], [], [], []
        for _ in range(rounds):
            ours.append(seconds(*embed))
            peer.append(seconds("-c", PEER, str(path)))
            least.append(seconds("-c", LEAST, str(path)))
            start.append(seconds(*NOTHING))
    ratios = [median(a / b for a, b in zip(ours, other, strict=True)) for other in (peer, least)]
    print(f"{n} points, {rounds} rounds, medians")
    print(f"unimds embed                                      {median(ours):6.2f} s")
    print(f"import sklearn.manifold, pandas.read_csv          {median(peer):6.2f} s")
    print(f"import sklearn, pandas.read_csv                   {median(least):6.2f} s")
    print(f"unimds --help                                     {median(start):6.2f} s")
    print(f"ratio of the first to the second and to the third {ratios[0]:6.2f} {ratios[1]:6.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
