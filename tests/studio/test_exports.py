"""The files that the page offers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.studio.inline import CITIES, Stage, play
from unimds.files import Table
from unimds.models import load
from unimds.studio.exports import KINDS, part_of
from unimds.studio.session import Refused
from unimds.studio.settings import Settings
from unimds.studio.steps import Step


def test_every_file_is_made_of_the_points_that_are_left(tmp_path: Any) -> None:
    async def scenario(stage: Stage) -> Any:
        session = await stage.opened(CITIES)
        session.drop_point(1)
        await stage.rest()
        files = {kind: await session.questions.export(kind) for kind in KINDS}
        return files, session.work.made.points

    files, points = play(scenario)
    assert files["map"].splitlines()[1].startswith(b"Ulm,")
    assert b"Bonn" not in files["map"]
    assert files["png"].startswith(b"\x89PNG")
    assert b"</svg>" in files["svg"]
    assert b"Bonn" not in files["svg"]
    assert b"<title>cities.csv</title>" in files["report"]
    path = tmp_path / "m.unimds"
    path.write_bytes(files["model"])
    model = load(path)
    assert np.array_equal(model.embedding_, points)
    assert list(model.labels_) == ["Ulm", "Kiel", "Trier", "Jena", "Celle"]


def test_a_file_knows_which_pairs_do_not_count() -> None:
    table = Table(np.arange(8.0).reshape(4, 2), "points", "csv", "rows", labels=list("abcd"))
    part = part_of(table, Step(Settings(), missing=((0, 1),)))
    assert part.weights is not None
    assert part.weights[0].tolist() == [1.0, 0.0, 1.0, 1.0]
    part = part_of(table, Step(Settings(), left_out=(0,), missing=((1, 2),)))
    assert part.labels == ["b", "c", "d"]
    assert part.weights is not None
    assert part.weights[0].tolist() == [1.0, 0.0, 1.0]


def test_a_picture_has_the_colours_that_the_page_has() -> None:
    rows = [f"p{i},{i % 4},{i * i % 5},{'birch' if i % 2 else 'alder'}" for i in range(8)]
    table = "\n".join(["name,a,b,kind", *rows]).encode()

    async def scenario(stage: Stage) -> None:
        session = await stage.opened(table)
        assert b"birch" in await session.questions.export("svg", "kind")
        assert b"birch" not in await session.questions.export("svg")
        assert b"<title>" in await session.questions.export("report", "kind")
        with pytest.raises(Refused, match="no such column"):
            session.questions.export("svg", "a")

    play(scenario)


def test_there_is_nothing_to_take_away_without_a_map() -> None:
    async def scenario(stage: Stage) -> None:
        with pytest.raises(Refused, match="open a file"):
            stage.session.questions.export("map")
        session = await stage.opened(CITIES)
        with pytest.raises(Refused, match="no such file"):
            session.questions.export("passwd")

    play(scenario)


def test_a_map_that_the_worker_has_forgotten_is_made_again() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(CITIES)
        before = await session.questions.export("model")
        session.desk.worker.kill()
        await stage.until(lambda: session.desk.worker.held == 1)
        assert await session.questions.export("map")
        assert len(await session.questions.export("model")) > 0.9 * len(before)

    play(scenario)
