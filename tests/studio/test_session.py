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
        made = session.work.made
        last = np.frombuffer(body, dtype="<f4").reshape(6, 2)
        scale = np.ptp(made.points)
        np.testing.assert_allclose(last, made.points, atol=1e-2 * scale)
        judged = session.work.shelf[session.work.current].judged
        assert judged["worst"][0]["i"] == 0
        assert sum(judged["share"]) == pytest.approx(1.0)

    play(scenario)


def test_a_file_that_is_none_is_told_and_the_last_one_stays() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        with pytest.raises(Refused, match=r"bad\.csv"):
            await session.open("bad.csv", b"\x00\x01\x02", {})
        await stage.rest()
        assert session.work.source is not None
        assert session.work.source.name == "cities.csv"
        assert session.state()["message"]["kind"] == "error"
        assert session.work.current is not None

    play(scenario)


def test_a_file_that_could_not_be_read_is_read_as_something_else() -> None:
    data = b"a,x,1\na,y,2\nb,x,3\nb,y,4\n"

    async def scenario(stage: Stage) -> None:
        session = stage.session
        with pytest.raises(Refused, match=r"read it as “a list of pairs”$"):
            await session.open("list.csv", data, {})
        assert session.state()["refused"] == "list.csv"
        await session.again({"kind": "pairs"}, refused=True)
        assert session.state()["refused"] is None
        assert session.work is not None
        assert session.work.source.table.kind == "pairs"
        with pytest.raises(Refused, match="no such file"):
            session.again({"kind": "pairs"}, refused=True)

    play(scenario)


def test_the_map_is_that_of_the_library_to_the_bit() -> None:
    async def scenario(stage: Stage) -> Any:
        session = await stage.opened(noisy(12))
        return session.work.made.points, session.work.source.table.values

    points, D = play(scenario)
    own = MDS(metric="precomputed", n_init=1, random_state=0).fit_transform(D)
    assert np.array_equal(points, own)


def test_other_settings_start_where_the_points_are_unless_the_space_differs() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        first = session.work.made
        session.change({"loss": "absolute"})
        await stage.rest()
        second = session.work.made
        assert second.before is first
        assert np.array_equal(second.step.start, first.points)
        session.change({"dim": 1})
        await stage.rest()
        third = session.work.made
        assert third.before is None
        assert third.step.start is None
        assert third.points.shape == (6, 1)

    play(scenario)


def test_points_and_pairs_are_dropped_and_taken_back() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        before = session.work.made
        session.drop_pair(1, 0)
        session.drop_point(5)
        await stage.rest()
        made = session.work.made
        D, _ = made.step.data(session.work.source.table)
        assert D.shape == (5, 5)
        assert np.isnan(D[0, 1])
        assert np.isnan(D[1, 0])
        assert made.points.shape == (5, 2)
        session.restore_point(5)
        session.restore_pair(0, 1)
        await stage.rest()
        after = session.work.made
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
        first = session.work.made
        place = first.points[2] + [300.0, -200.0]
        for share in (0.3, 0.6, 1.0):
            at = first.points[2] + share * (place - first.points[2])
            session.move(2, at.tolist(), False)
            await asyncio.sleep(0.01)
        session.move(2, place.tolist(), True)
        await stage.until(lambda: session.work.current != first.number)
        await stage.rest()
        made = session.work.made
        assert np.array_equal(made.points[2], place)
        assert made.before is None  # it begins with the places under the pointer
        assert made.step.start is not None
        # one fixed point moves the map as a whole
        np.testing.assert_allclose(distances(made.points), distances(first.points), rtol=2e-2)
        previews = [header for header, _ in stage.told if header.get("preview")]
        assert previews
        session.free(2)
        await stage.rest()
        assert session.work.made.step.fixed == {}

    play(scenario)


def test_a_fit_is_stopped_and_goes_on_and_each_is_the_same_again() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(150))
        session.change({"start": "random"})
        await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 2)
        session.stop()
        await stage.rest()
        stopped = session.work.made
        assert stopped.step.limit is not None
        again = fitted(session.work.source.table, stopped.step).embedding_
        assert np.array_equal(again, stopped.points)
        session.go_on()
        await stage.rest()
        further = session.work.made
        assert further.before is stopped
        assert further.facts["cost"] < stopped.facts["cost"]

    play(scenario)


def test_a_worker_that_dies_in_a_fit_loses_nothing() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(150))
        first = session.work.made
        session.change({"start": "random", "seed": 3})
        await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 3)
        session.desk.worker.kill()
        await stage.until(lambda: session.state()["message"]["kind"] == "crash")
        state = session.state()
        assert "Nothing is lost" in state["message"]["text"]
        assert state["torn"]
        assert state["running"] is None
        assert session.work.shelf[first.number].made is first  # earlier maps
        assert session.work.source is not None
        kept = session.work.places.copy()  # the map of the last frame
        with pytest.raises(Refused, match="not finished"):
            session.questions.recipe()
        session.go_on()
        await stage.rest()
        made = session.work.made
        assert np.array_equal(made.step.start, kept)
        assert session.desk.worker.held == 1  # the new worker was given the table
        assert np.array_equal(fitted(session.work.source.table, made.step).embedding_, made.points)

    play(scenario)


def test_a_worker_that_does_not_stop_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unimds.studio.session.tasks.PATIENCE", 0.05)

    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        session.desk.worker.deaf = True
        session.fit()
        await asyncio.sleep(0.01)
        session.stop()
        session.desk.worker.deaf = False
        await stage.until(lambda: session.state()["message"]["text"] == "Stopped.")
        session.fit()
        await stage.rest()
        assert session.work.current is not None

    play(scenario)


def test_a_worker_that_ends_its_task_while_it_is_killed_gets_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unimds.studio.session.tasks.PATIENCE", 0.0)

    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        worker, killed = session.desk.worker, []

        def kill() -> None:
            killed.append(worker.pid)
            worker.deaf = True

        monkeypatch.setattr(worker, "kill", kill)
        session.fit()
        session.drop_pair(0, 1)
        shelf = session.work.shelf
        await stage.until(lambda: killed and 2 in shelf and shelf[2].judged)  # it ended by itself
        worker.deaf = False
        session.desk.heard(("died", killed[0], -9))
        await stage.rest()
        assert session.state()["message"]["kind"] != "crash"
        assert session.work.made.step.missing == ((0, 1),)

    play(scenario)


def test_going_back_from_a_fit_that_does_not_stop_leaves_the_map_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unimds.studio.session.tasks.PATIENCE", 0.0)

    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(150))
        first = session.work.current
        session.change({"start": "random"})
        await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 2)
        session.desk.worker.deaf = True
        session.show(first)
        session.desk.worker.deaf = False
        await stage.until(lambda: session.desk.worker.held == 1)
        assert not session.state()["torn"]
        assert session.questions.recipe()

    play(scenario)


def test_a_worker_that_never_starts_is_given_up() -> None:
    async def scenario(stage: Stage) -> None:
        session = stage.session
        for _ in range(5):
            session.desk.ready = False
            session.desk.heard(("died", session.desk.worker.pid, 1))
        assert "does not start" in session.state()["message"]["text"]

    play(scenario)


def test_questions_are_answered_with_progress() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(12, 2))
        found = await session.questions.choose("dim")
        assert found["best"] == 1
        assert session.state()["choice"]["values"] == [1, 2, 3, 4, 5, 6]
        shares = [
            header["running"]["share"]
            for header, _ in stage.told
            if header["type"] == "state" and "share" in (header["running"] or {})
        ]
        assert shares == sorted(shares)
        assert shares[-1] > 0.9
        found = await session.questions.study()
        assert found["stability"] > 0.9
        assert len(found["regions"]) == 12
        with pytest.raises(Refused):
            session.questions.choose("callback")

    play(scenario)


def test_an_answer_of_other_settings_is_told_as_such() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(8, 2))
        await session.questions.choose("dim")
        assert not session.state()["choice"]["stale"]
        session.change({"dim": 1})  # what was asked for
        await stage.rest()
        assert not session.state()["choice"]["stale"]
        session.drop_pair(0, 1)
        await stage.rest()
        assert session.state()["choice"]["stale"]

    play(scenario)


def test_a_question_can_be_cancelled() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(40))
        asked = session.questions.choose("dim")
        await stage.until(lambda: "share" in (session.state()["running"] or {}))
        session.stop()
        await stage.rest()
        assert asked.done()
        assert session.work.current is not None

    play(scenario)


def test_two_maps_are_turned_onto_each_other() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(20, 2))
        one = session.work.current
        session.change({"start": "random", "seed": 1})
        await stage.rest()
        other = session.work.current
        session.drop_point(4)
        await stage.rest()
        found = session.questions.compare(one, other)()
        assert max(found["moved"]) < 0.05 * np.ptp(session.work.shelf[one].made.points)
        without = session.questions.compare(one, session.work.current)()
        assert without["kept"] == [i for i in range(20) if i != 4]
        session.change({"dim": 3})
        await stage.rest()
        other = session.questions.compare(one, session.work.current)()
        assert other["second"]["kind"] == "space"
        session.show(one)
        assert session.work.current == one
        assert session.work.settings.dim == 2
        assert session.work.left_out == set()

    play(scenario)


def test_going_back_to_a_map_ends_what_is_running() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(150))
        first = session.work.current
        session.change({"start": "random"})
        await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 2)
        session.show(first)
        await stage.rest()
        assert session.work.current == first
        assert session.work.settings.start == "auto"
        assert list(session.work.shelf) == [first]
        session.drop_pair(0, 1)  # from the map that is shown
        await stage.rest()
        assert session.work.made.before is session.work.shelf[first].made

    play(scenario)


def test_settings_chosen_before_the_first_file_are_kept() -> None:
    async def scenario(stage: Stage) -> None:
        stage.session.change({"loss": "absolute"})
        session = await stage.opened()
        assert session.work.made.step.settings.loss == "absolute"

    play(scenario)


# --- what is asked for while something else is running ---


def test_what_is_asked_while_a_map_moves_is_about_the_map_that_comes() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(12, 2))
        first = session.work.current
        session.change({"loss": "absolute"})
        with pytest.raises(Refused, match="still moves"):
            session.questions.recipe()
        asked, exported = session.questions.study(), session.questions.export("map")
        await asked
        assert session.work.current != first
        assert session.state()["stability"] == session.work.current
        points = np.loadtxt((await exported).decode().splitlines(), delimiter=",", skiprows=1)
        assert np.array_equal(points, session.work.made.points)

    play(scenario)


def test_a_study_belongs_to_its_map() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(12, 2))
        first = session.work.current
        await session.questions.study()
        session.change({"loss": "absolute"})
        await stage.rest()
        assert session.state()["stability"] is None
        session.show(first)
        assert session.state()["stability"] == first

    play(scenario)


@pytest.mark.parametrize("how", ["edit", "stop", "show", "file"])
def test_a_file_that_is_overtaken_is_refused(how: str) -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        session.fit()
        reading = session.open("other.csv", CITIES, {})
        overtake: dict[str, Any] = {
            "edit": lambda: session.drop_pair(0, 1),
            "stop": session.stop,
            "show": lambda: session.show(session.work.current),
            "file": lambda: session.open("third.csv", CITIES, {}),
        }
        overtake[how]()
        with pytest.raises(Refused):
            await asyncio.wait_for(reading, 10.0)
        await stage.rest()
        assert session.work.source is not None
        assert session.work.source.name == ("third.csv" if how == "file" else "cities.csv")

    play(scenario)


def test_a_file_that_follows_another_is_read_last() -> None:
    async def scenario(stage: Stage) -> None:
        session = stage.session
        first = session.open("first.csv", CITIES, {})
        second = session.open("second.csv", CITIES, {})  # the first is being read
        await asyncio.wait_for(second, 30.0)
        await stage.rest()
        assert first.done()
        assert session.work.source is not None
        assert session.work.source.name == "second.csv"

    play(scenario)


@pytest.mark.parametrize("wanted", [{"dim": 3}, {"start": "random", "seed": 5}])
def test_a_new_beginning_is_not_overtaken_by_an_edit(wanted: dict[str, Any]) -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(40))
        session.fit()
        session.change(wanted)
        session.drop_pair(0, 1)  # before the fit has ended
        await stage.rest()
        assert session.state()["message"]["kind"] != "error", session.state()["message"]
        made = session.work.made
        assert made.step.start is None
        assert made.step.missing == ((0, 1),)

    play(scenario)


def test_a_page_that_comes_in_a_fit_sees_the_shape_of_its_space() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(150))
        session.change({"dim": 3, "start": "random"})
        await stage.until(lambda: (session.state()["running"] or {}).get("sweep", 0) >= 3)
        *_, (header, body) = session.work.pictures()
        assert header["kind"] == "space"
        assert len(body) == 150 * 3 * 4
        await stage.rest()
        assert [header["type"] for header, _ in session.work.pictures()] == ["view"]

    play(scenario)


def test_a_search_tells_what_it_does_and_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unimds.starts.hopping.small.SILENCE", 0.0)

    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(30, 10))
        first = session.work.current
        session.change({"start": "search"})
        said: set[str] = set()

        def heard() -> bool:
            said.add((session.state()["running"] or {}).get("what", ""))
            return any("the lowest map found" in what for what in said)

        await stage.until(heard)
        session.stop()
        await stage.rest()
        assert session.state()["message"]["text"] == "Stopped."
        assert session.work.current == first  # what no recipe leads to is not kept
        assert session.desk.worker.held == 0  # and the worker lives

    play(scenario)


# --- what goes wrong ---


def test_nobody_waits_for_a_worker_that_never_starts() -> None:
    async def scenario(stage: Stage) -> None:
        session = stage.session
        session.desk.worker.deaf = True
        reading = session.open("cities.csv", CITIES, {})
        for _ in range(5):
            session.desk.ready = False
            session.desk.heard(("died", session.desk.worker.pid, 1))
        with pytest.raises(Refused):
            await asyncio.wait_for(reading, 5.0)
        with pytest.raises(Refused, match="does not start"):
            session.open("cities.csv", CITIES, {})

    play(scenario)


def test_a_worker_that_dies_when_it_is_ready_is_not_started_for_ever() -> None:
    async def scenario(stage: Stage) -> None:
        session = stage.session
        for _ in range(5):
            session.desk.heard(("ready",))
            session.desk.heard(("died", session.desk.worker.pid, 1))
        assert "does not start" in session.state()["message"]["text"]

    play(scenario)


def test_a_point_is_taken_back_on_a_curved_map() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        session.drop_point(2)
        session.change({"space": "sphere"})
        await stage.rest()
        session.restore_point(2)
        await stage.rest()
        assert session.state()["message"]["kind"] != "error", session.state()["message"]
        made = session.work.made
        assert len(made.points) == 6
        np.testing.assert_allclose(np.linalg.norm(made.step.start, axis=1), 1.0)

    play(scenario)


def test_a_point_that_cannot_be_moved_goes_back() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(12))
        session.change({"dim": 4})
        await stage.rest()
        stage.told.clear()
        session.move(0, [1.0, 2.0], True)  # the picture shows two of four dimensions
        await stage.rest()
        assert session.state()["message"]["kind"] == "error"
        assert [h["number"] for h, _ in stage.told if h["type"] == "view"] == [session.work.current]

    play(scenario)


def test_a_map_that_was_not_judged_is_judged_later() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        shelved = session.work.shelf[session.work.current]
        found, shelved.judged = shelved.judged, None  # as if the worker had ended meanwhile
        assert not session.state()["maps"][-1]["judged"]
        await session.questions.judge()
        assert session.work.shelf[session.work.current].judged == found

    play(scenario)


def test_pairs_of_a_point_are_told() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        found = session.questions.partners(0)()
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


def test_an_error_names_the_points_that_are_left_by_their_labels() -> None:
    far = CITIES.replace(b"230", b"inf")

    async def scenario(stage: Stage) -> list[str]:
        session = await stage.opened(far)
        told = [session.state()["message"]["text"]]
        session.drop_point(0)  # the rows of the table are others then
        await stage.rest()
        told.append(session.state()["message"]["text"])
        with pytest.raises(Refused) as refused:
            await session.questions.choose("loss")
        return [*told, str(refused.value)]

    for told in play(scenario):
        assert told.startswith("D['Jena', 'Celle'] = inf is infinite")


def test_a_place_of_very_many_digits_is_refused() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        with pytest.raises(Refused, match="list of numbers"):
            session.move(0, [10**400, 0], True)

    play(scenario)
