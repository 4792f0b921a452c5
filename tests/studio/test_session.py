"""Sessions: what the user does, and that nothing is lost when the worker ends."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from tests.studio.inline import CITIES, Stage, play
from unimds import MDS
from unimds.files import Table
from unimds.spaces import distances
from unimds.studio import session as module
from unimds.studio.session import Refused
from unimds.studio.settings import SETTINGS, Settings, help_told
from unimds.studio.steps import Step, fitted


def noisy(n: int, k: int = 5, seed: int = 0) -> bytes:
    """Return a table that takes some sweeps."""
    D = distances(np.random.default_rng(seed).normal(size=(n, k)))
    return "\n".join(",".join(repr(float(x)) for x in row) for row in D).encode()


def test_a_file_is_recognised_doubted_and_fitted() -> None:
    async def scenario(stage: Stage) -> None:
        data = CITIES.replace(b"Ulm,0,305", b"Ulm,0,405")
        session = await stage.opened(data)
        state = session.state()
        assert state["file"]["name"] == "cities.csv"
        assert "6 points." in state["file"]["recognised"]
        assert any(
            "not symmetric: 405 from Ulm to Bonn" in told for told in state["file"]["doubts"]
        )
        frames = [(header, body) for header, body in stage.told if header["type"] == "frame"]
        _, body = frames[-1]
        assert len(frames) > 3
        assert frames[0][0]["kind"] == "plane"
        assert len(body) == 6 * 2 * 4  # two coordinates of four bytes
        made = session.maps[session.current]
        last = np.frombuffer(body, dtype="<f4").reshape(6, 2)
        scale = np.ptp(made.points)
        np.testing.assert_allclose(last, made.points, atol=1e-2 * scale)
        judged = session.judged[session.current]
        assert judged["worst"][0]["i"] == 0
        assert sum(judged["share"]) == pytest.approx(1.0)

    play(scenario)


def test_a_file_that_is_none_is_told_and_the_last_one_stays() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        with pytest.raises(Refused, match=r"bad\.csv"):
            await session.open("bad.csv", b"\x00\x01\x02", {})
        await stage.rest()
        assert session.source is not None
        assert session.source.name == "cities.csv"
        assert session.state()["message"]["kind"] == "error"
        assert session.current is not None

    play(scenario)


def test_the_map_is_that_of_the_library_to_the_bit() -> None:
    async def scenario(stage: Stage) -> Any:
        session = await stage.opened(noisy(12))
        return session.maps[session.current].points, session.source.table.values

    points, D = play(scenario)
    own = MDS(metric="precomputed", n_init=1, random_state=0).fit_transform(D)
    assert np.array_equal(points, own)


def test_other_settings_start_where_the_points_are_unless_the_space_differs() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        first = session.maps[session.current]
        session.change({"loss": "absolute"})
        await stage.rest()
        second = session.maps[session.current]
        assert second.before is first
        assert np.array_equal(second.step.start, first.points)
        session.change({"dim": 1})
        await stage.rest()
        third = session.maps[session.current]
        assert third.before is None
        assert third.step.start is None
        assert third.points.shape == (6, 1)

    play(scenario)


def test_points_and_pairs_are_dropped_and_taken_back() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        before = session.maps[session.current]
        session.drop_pair(1, 0)
        session.drop_point(5)
        await stage.rest()
        made = session.maps[session.current]
        D, _ = made.step.data(session.source.table)
        assert D.shape == (5, 5)
        assert np.isnan(D[0, 1])
        assert np.isnan(D[1, 0])
        assert made.points.shape == (5, 2)
        session.restore_point(5)
        session.restore_pair(0, 1)
        await stage.rest()
        after = session.maps[session.current]
        assert after.points.shape == (6, 2)
        np.testing.assert_allclose(after.facts["stress"], before.facts["stress"], rtol=1e-3)

    play(scenario)


def test_a_map_keeps_three_points() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        for i in range(3):
            session.drop_point(i)
        with pytest.raises(Refused, match="3 points"):
            session.drop_point(3)

    play(scenario)


def test_a_dragged_point_stays_where_it_was_put_and_the_map_follows() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        first = session.maps[session.current]
        place = first.points[2] + [300.0, -200.0]
        for share in (0.3, 0.6, 1.0):
            at = first.points[2] + share * (place - first.points[2])
            session.move(2, at.tolist(), False)
            await asyncio.sleep(0.01)
        session.move(2, place.tolist(), True)
        await stage.until(lambda: session.current != first.number)
        await stage.rest()
        made = session.maps[session.current]
        assert np.array_equal(made.points[2], place)
        assert made.before is None  # it begins with the places under the pointer
        assert made.step.start is not None
        # one fixed point moves the map as a whole
        np.testing.assert_allclose(distances(made.points), distances(first.points), rtol=2e-2)
        previews = [header for header, _ in stage.told if header.get("preview")]
        assert previews
        session.free(2)
        await stage.rest()
        assert session.maps[session.current].step.fixed == {}

    play(scenario)


def test_a_fit_is_stopped_and_goes_on_and_each_is_the_same_again() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(150))
        session.change({"start": "random"})
        await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 2)
        session.stop()
        await stage.rest()
        stopped = session.maps[session.current]
        assert stopped.step.limit is not None
        again = fitted(session.source.table, stopped.step).embedding_
        assert np.array_equal(again, stopped.points)
        session.go_on()
        await stage.rest()
        further = session.maps[session.current]
        assert further.before is stopped
        assert further.facts["cost"] < stopped.facts["cost"]

    play(scenario)


def test_a_worker_that_dies_in_a_fit_loses_nothing() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(150))
        first = session.maps[session.current]
        session.change({"start": "random", "seed": 3})
        await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 3)
        session.worker.kill()
        await stage.until(lambda: session.state()["message"]["kind"] == "crash")
        state = session.state()
        assert "Nothing is lost" in state["message"]["text"]
        assert state["torn"]
        assert state["running"] is None
        assert session.maps[first.number] is first  # earlier maps
        assert session.source is not None
        kept = session.places.copy()  # the map of the last frame
        with pytest.raises(Refused, match="not finished"):
            session.recipe()
        session.go_on()
        await stage.rest()
        made = session.maps[session.current]
        assert np.array_equal(made.step.start, kept)
        assert session.worker.held == 1  # the new worker was given the table
        assert np.array_equal(fitted(session.source.table, made.step).embedding_, made.points)

    play(scenario)


def test_a_worker_that_does_not_stop_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)

    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        session.worker.deaf = True
        session.fit()
        await asyncio.sleep(0.01)
        session.stop()
        session.worker.deaf = False
        await stage.until(lambda: session.state()["message"]["text"] == "Stopped.")
        session.fit()
        await stage.rest()
        assert session.current is not None

    play(scenario)


def test_a_worker_that_never_starts_is_given_up() -> None:
    async def scenario(stage: Stage) -> None:
        session = stage.session
        for _ in range(5):
            session.ready = False
            session.heard(("died", session.worker.pid, 1))
        assert "does not start" in session.state()["message"]["text"]

    play(scenario)


def test_questions_are_answered_with_progress() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(12, 2))
        found = await session.choose("dim")
        assert found["best"] == 1
        assert session.state()["choice"]["values"] == [1, 2, 3, 4, 5, 6]
        shares = [
            header["running"]["share"]
            for header, _ in stage.told
            if header["type"] == "state" and "share" in (header["running"] or {})
        ]
        assert shares == sorted(shares)
        assert shares[-1] > 0.9
        found = await session.study()
        assert found["stability"] > 0.9
        assert len(found["regions"]) == 12
        with pytest.raises(Refused):
            session.choose("callback")

    play(scenario)


def test_a_question_can_be_cancelled() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(40))
        asked = session.choose("dim")
        await stage.until(lambda: "share" in (session.state()["running"] or {}))
        session.stop()
        await stage.rest()
        assert asked.done()
        assert session.current is not None

    play(scenario)


def test_two_maps_are_turned_onto_each_other() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(20, 2))
        one = session.current
        session.change({"start": "random", "seed": 1})
        await stage.rest()
        other = session.current
        session.drop_point(4)
        await stage.rest()
        found = session.compare(one, other)()
        assert max(found["moved"]) < 0.05 * np.ptp(session.maps[one].points)
        without = session.compare(one, session.current)()
        assert without["kept"] == [i for i in range(20) if i != 4]
        session.change({"dim": 3})
        await stage.rest()
        other = session.compare(one, session.current)()
        assert other["second"]["kind"] == "space"
        session.show(one)
        assert session.current == one
        assert session.settings.dim == 2
        assert session.left_out == set()

    play(scenario)


def test_going_back_to_a_map_ends_what_is_running() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(150))
        first = session.current
        session.change({"start": "random"})
        await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 2)
        session.show(first)
        await stage.rest()
        assert session.current == first
        assert session.settings.start == "auto"
        assert list(session.maps) == [first]
        session.drop_pair(0, 1)  # from the map that is shown
        await stage.rest()
        assert session.maps[session.current].before is session.maps[first]

    play(scenario)


def test_settings_chosen_before_the_first_file_are_kept() -> None:
    async def scenario(stage: Stage) -> None:
        stage.session.change({"loss": "absolute"})
        session = await stage.opened()
        assert session.maps[session.current].step.settings.loss == "absolute"

    play(scenario)


def test_pairs_of_a_point_are_told() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        found = session.partners(0)()
        assert found["given"][1] == 305.0
        assert found["mapped"][0] == 0.0

    play(scenario)


def test_every_choice_has_a_sentence_of_help_and_is_accepted() -> None:
    for setting in SETTINGS:
        assert setting.help.endswith(".")
        for choice in setting.choices:
            assert choice.help.endswith(".")
            Settings().changed({setting.name: choice.value}).arguments(precomputed=False)
    assert [one["name"] for one in help_told()][-1] == "seed"


@pytest.mark.parametrize("wanted", [{"seed": -1}, {"seed": True}, {"dim": 2.0}, {"dim": "2"}])
def test_a_setting_of_another_type_is_refused(wanted: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"seed|dim"):
        Settings().changed(wanted)


def test_features_lose_pairs_by_weights() -> None:
    table = Table(np.arange(8.0).reshape(4, 2), "points", "csv", "rows")
    X, weights = Step(Settings(), left_out=(3,), missing=((0, 1),)).data(table)
    assert X.shape == (3, 2)
    assert weights is not None
    assert weights.tolist() == [[1, 0, 1], [0, 1, 1], [1, 1, 1]]
