"""How well a map fits, as the page shows it: pairs that do not count are nowhere."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from tests.studio.inline import Stage, play
from tests.studio.test_recipe import POINTS
from tests.studio.test_session import noisy
from tests.studio.test_steps import table_of
from unimds.files import Table
from unimds.plots.views import view_of
from unimds.spaces import Simplex
from unimds.studio.judged import compared, judged
from unimds.studio.settings import Settings
from unimds.studio.steps import Step, fitted


def test_a_dropped_pair_of_features_is_in_no_diagram_and_in_no_list() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(POINTS)
        session.drop_pair(0, 1)
        await stage.rest()
        found = session.questions.partners(0)()
        assert found["given"][1] is None
        assert found["given"][2] is not None
        judged = session.work.shelf[session.work.current].judged
        shown = set(zip(judged["shepard"]["i"], judged["shepard"]["j"], strict=True))
        assert (0, 1) not in shown
        assert (0, 2) in shown

    play(scenario)


def test_regions_of_many_dimensions_lie_around_the_points_as_they_are_shown() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(noisy(14, 6))
        session.change({"dim": 4})
        await stage.rest()
        shelved = session.work.shelf[session.work.current]
        about, shown = shelved.view
        points = np.frombuffer(shown, "<f4").reshape(-1, 2) * [-1.0, 1.0]
        shelved.view = about, points.astype("<f4").tobytes()  # as if an axis had turned round
        found = await session.questions.study()
        middles = [np.mean(line[:-1], axis=0) for line in found["regions"]]
        np.testing.assert_allclose(middles, points, atol=0.05 * np.ptp(points))

    play(scenario)


def test_the_worst_pairs_are_those_that_cost_most_by_their_weights() -> None:
    plain = table_of(12)
    weights = np.random.default_rng(1).uniform(0.01, 5.0, size=(12, 12))
    weights = weights + weights.T
    table = Table(plain.values, "pairs", "csv", "list", weights=weights)
    mds = fitted(table, Step(Settings()))
    worst = judged(mds, np.arange(12), [""] * 12, weights)["worst"]
    costs = [weights[w["i"], w["j"]] * (w["mapped"] - w["target"]) ** 2 for w in worst]
    assert len(costs) > 20
    assert costs == sorted(costs, reverse=True)


def test_maps_of_the_simplex_are_compared_within_it() -> None:
    rng = np.random.default_rng(2)
    one, other = (np.sqrt(rng.dirichlet(np.ones(3), size=15)) for _ in range(2))
    shown = compared(one, other, (Simplex(), Simplex()))["second"]["points"]
    # a turn would leave the simplex: only its outcomes are exchanged
    turns = [view_of(other[:, list(turn)], Simplex()).points for turn in permutations(range(3))]
    assert any(np.allclose(shown, turn, atol=1e-6) for turn in turns)


def test_a_map_of_too_few_pairs_is_told_to_be_one_of_many() -> None:
    few = b""",a,b,c,d,e,f,g
a,0,1,2,,,,3
b,1,0,,,2,,
c,2,,0,1,,,
d,,,1,0,2,,
e,,2,,2,0,1,
f,,,,,1,0,2
g,3,,,,,2,0
"""
    told = "Only 8 of 21 distances are known, too few to determine a map of 7 points: many maps fit"

    async def scenario(stage: Stage) -> None:
        session = await stage.opened(few)
        plane = session.work.shelf[session.work.current].judged["verdict"]
        assert any(said.startswith(told) for said in plane)
        session.change({"dim": 1})  # six free coordinates
        await stage.rest()
        line = session.work.shelf[session.work.current].judged["verdict"]
        assert not any("many maps fit" in said for said in line)

    play(scenario)
