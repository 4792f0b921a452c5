"""How much memory something needs, in this process or in one of its own."""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

PEAK = """
import warnings
import numpy as np
from unimds import MDS, place_center

warnings.simplefilter("ignore")  # few sweeps are enough to see all that is allocated

def level(name):
    with open("/proc/self/status") as status:
        return 1024 * int(status.read().split(name + ":")[1].split()[0])

def peak_of(task):
    task()  # compiled code and the pools of allocators stay, and are no part of a fit
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak is now the present level
    before = level("VmRSS")
    task()
    return level("VmHWM") - before

def distances(X):
    D = np.zeros((len(X), len(X)), dtype=X.dtype)
    for i, x in enumerate(X):
        D[i] = D[:, i] = np.sqrt(((X - x) ** 2).sum(axis=1))
    return D

"""


def peak(script):
    """Return what a script of its own process prints: a peak of memory."""
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("only Linux tells the peak of memory of a process, in /proc")
    run = [sys.executable, "-c", PEAK + script]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def most_allocated(task):
    """Return the most bytes that numpy held at a time for a task."""
    task()  # what is compiled or imported at first is no part of it
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
