"""The Python and the shell lines that a session gives make the same map, to the bit."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.studio.inline import CITIES, Stage, play
from tests.studio.test_session import noisy
from tests.support.commands import ENVIRONMENT, run
from unimds.files import read
from unimds.studio.recipe import Recipe, archive
from unimds.studio.session import Session

Way = Callable[[Stage, Session], Awaitable[None]]

POINTS = (
    b"name,a,b,c\n"
    + "".join(
        f"p{i},{x:.3f},{y:.3f},{z:.3f}\n"
        for i, (x, y, z) in enumerate(np.random.default_rng(1).normal(size=(14, 3)).tolist())
    ).encode()
)


async def plain(stage: Stage, session: Session) -> None:
    """Leave the map as it is."""


async def robust(stage: Stage, session: Session) -> None:
    session.change({"loss": "absolute", "start": "random", "seed": 7})


async def round_(stage: Stage, session: Session) -> None:
    session.change({"space": "sphere"})


async def mixed(stage: Stage, session: Session) -> None:
    session.change({"space": "simplex"})


async def branching(stage: Stage, session: Session) -> None:
    session.change({"space": "hyperbolic"})
    await stage.rest()
    session.move(1, [0.3, 0.2], True)


async def ranks(stage: Stage, session: Session) -> None:
    session.change({"level": "ordinal"})


async def searched(stage: Stage, session: Session) -> None:
    session.change({"start": "search"})


async def by_hand(stage: Stage, session: Session) -> None:
    session.drop_pair(0, 3)
    await stage.rest()
    session.drop_point(2)
    await stage.rest()
    session.change({"loss": "huber"})
    await stage.rest()
    session.restore_pair(0, 3)
    session.drop_pair(1, 4)


async def fixed(stage: Stage, session: Session) -> None:
    places = session.work.made.points
    for i in (0, 1, 4):
        session.move(i, (places[i] + 0.1 * np.ptp(places) * (i - 2)).tolist(), True)
        await stage.rest()
    session.drop_pair(1, 2)


async def taken_back(stage: Stage, session: Session) -> None:
    session.drop_point(3)
    await stage.rest()
    session.restore_point(3)


async def stopped(stage: Stage, session: Session) -> None:
    session.change({"start": "random"})
    await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 2)
    session.stop()


async def stopped_and_on(stage: Stage, session: Session) -> None:
    await stopped(stage, session)
    await stage.rest()
    session.drop_point(0)


MANY = noisy(150)
SHORT = {"plain": plain, "robust": robust, "by hand": by_hand, "fixed": fixed}
SHORT |= {"taken back": taken_back}
CASES: dict[str, tuple[bytes, Way, bool]] = {  # content, what is done, whether the shell can do it
    **{name: (CITIES, way, way in (plain, robust)) for name, way in SHORT.items()},
    "features": (POINTS, plain, True),
    "features by hand": (POINTS, by_hand, False),
    "stopped": (MANY, stopped, True),
    "stopped and on": (MANY, stopped_and_on, False),
}
LONG: dict[str, tuple[bytes, Way, bool]] = {
    "round": (CITIES, round_, True),
    "mixed": (CITIES, mixed, True),
    "branching": (CITIES, branching, False),
    "ranks": (CITIES, ranks, False),  # a warm start
    "searched": (noisy(12), searched, True),
    "searched of many": (MANY, searched, True),
}


def session_of(
    content: bytes, way: Way, name: str = "my table.csv"
) -> tuple[np.ndarray, Recipe, bytes, str]:
    async def scenario(stage: Stage) -> Any:
        session = await stage.opened(content, name)
        await way(stage, session)
        await stage.rest()
        assert session.state()["message"]["kind"] != "error", session.state()["message"]
        found = session.questions.recipe()
        exported = (await session.questions.export("map")).decode()
        points = session.work.made.points
        return points, found, archive(session.work.source, found), exported

    return play(scenario)


def unpacked(content: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        packed.extractall(folder)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", [*CASES, *(pytest.param(n, marks=pytest.mark.slow) for n in LONG)])
def test_the_lines_make_the_same_map(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    content, way, by_shell = {**CASES, **LONG}[name]
    points, found, packed, exported = session_of(content, way)
    monkeypatch.chdir(tmp_path)
    unpacked(packed, tmp_path)
    made: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the fit, which the studio has shown
        exec(compile(found.python, "map.py", "exec"), made)
    assert np.array_equal(made["points"], points)
    assert "to the bit: True" in capsys.readouterr().out
    written = read("map.csv", kind="points")
    assert np.array_equal(written.values[:, : points.shape[1]], points)
    assert ("unimds embed" in found.shell.splitlines()[-1]) == by_shell
    if by_shell:
        Path("map.csv").unlink()
        assert run(*shlex.split(found.shell)[1:]).code == 0
        assert Path("map.csv").read_text() == exported  # the whole file


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CASES, *LONG])
def test_a_new_process_makes_the_same_map(name: str, tmp_path: Path) -> None:
    content, way, _ = {**CASES, **LONG}[name]
    points, _, packed, _ = session_of(content, way)
    unpacked(packed, tmp_path)
    folder = Path(sys.executable).parent
    path = os.pathsep.join([str(folder), ENVIRONMENT.get("PATH", "")])
    source = str(Path(__file__).parents[2] / "src")
    env = {**ENVIRONMENT, "PATH": path, "PYTHONPATH": source}
    (tmp_path / "unimds").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unimds "$@"\n')
    (tmp_path / "unimds").chmod(0o755)
    env["PATH"] = os.pathsep.join([str(tmp_path), path])
    for command in ([sys.executable, "map.py"], ["sh", "map.sh"]):
        (tmp_path / "map.csv").unlink(missing_ok=True)
        subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
        written = read(tmp_path / "map.csv", kind="points")
        assert np.array_equal(written.values[:, : points.shape[1]], points)


def test_names_of_points_and_files_are_data_in_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = CITIES.replace(b"Ulm", b'"Ulm\nimport os; os.mkdir(""taken"")"')
    evil = evil.replace(b"Bonn", "\u2028raise SystemExit(1)".encode())

    async def scenario(stage: Stage) -> Any:
        session = await stage.opened(evil, "cities.csv")
        session.drop_pair(0, 1)
        await stage.rest()
        session.drop_point(1)
        await stage.rest()
        return session.questions.recipe(), session.work.source.data

    found, data = play(scenario)
    monkeypatch.chdir(tmp_path)
    Path("cities.csv").write_bytes(data)
    exec(compile(found.python, "map.py", "exec"), {})
    assert "to the bit: True" in capsys.readouterr().out
    assert not Path("taken").exists()


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["map.csv", "Map.CSV", "map.py", "map.sh", "start.npy"])
def test_the_lines_leave_the_table_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unimds.studio.recipe.INLINE", 0)  # a start is a file
    data = noisy(6)
    if name == "start.npy":
        content = io.BytesIO()
        np.save(content, np.loadtxt(io.BytesIO(data), delimiter=","))
        data = content.getvalue()
    for way in (plain, fixed):
        folder = tmp_path / way.__name__
        folder.mkdir()
        monkeypatch.chdir(folder)
        points, found, packed, _ = session_of(data, way, name)
        unpacked(packed, folder)
        made: dict[str, Any] = {}
        exec(compile(found.python, "lines", "exec"), made)
        assert np.array_equal(made["points"], points)
        if way is plain:
            assert run(*shlex.split(found.shell)[1:], "--force").code == 0
        assert Path(name).read_bytes() == data


def test_a_long_history_begins_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unimds.studio.session.work.CHAIN", 2)

    async def scenario(stage: Stage) -> list[int]:
        session = await stage.opened()
        lengths = []
        for i, j in ((0, 1), (0, 2), (0, 3)):
            session.drop_pair(i, j)
            await stage.rest()
            lengths.append(len(session.work.made.chain))
        return lengths

    assert play(scenario) == [2, 1, 2]
