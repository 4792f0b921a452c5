"""What the page says of a table."""

from __future__ import annotations

import numpy as np
import pytest

from tests.studio.inline import CITIES, Stage, play
from unimds.studio.session import Refused

COUNTS = np.array([[7, 0, 2, 0], [0, 2, 0, 9], [0, 8, 0, 0], [4, 0, 1, 0], [0, 6, 0, 2]])
ROWS = [f"s{i},{i + 11},{','.join(map(str, row))}" for i, row in enumerate(COUNTS.tolist())]
SITES = "\n".join(["site,plot,oak,elm,ash,fir", *ROWS]).encode()


def test_the_doubts_of_the_commands_are_told_in_the_words_of_the_page() -> None:
    async def scenario(stage: Stage) -> list[str]:
        session = await stage.opened(SITES, "sites.csv")
        return session.state()["file"]["doubts"]

    doubts = play(scenario)
    numbers = next(told for told in doubts if "'plot'" in told)
    assert numbers.endswith("if it only numbers the points, remove it from the file.")
    counts = next(told for told in doubts if "whole numbers" in told)
    assert counts.endswith("choose the metric “Bray–Curtis”.")
    assert not any("--" in told or "give " in told or "sites.csv" in told for told in doubts)


EDGES = b"""graph [ node [ id 0 label "a" ] node [ id 1 label "b" ] node [ id 2 label "c" ]
edge [ source 0 target 1 weight 2 ] edge [ source 1 target 2 weight 4 ] ]"""


def test_weights_of_edges_are_chosen_on_the_page() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened(EDGES, "edges.gml")
        (told,) = session.state()["file"]["doubts"]
        assert "choose that weights of edges are “strengths: a larger one is closer”" in told
        assert "unimds embed" not in told
        await session.again({"weight": "strength"}, refused=False)
        await stage.rest()
        assert session.work.source.table.values[0, 1] == 0.5
        assert "weight='strength'" in session.questions.recipe().python

    play(scenario)


def test_an_encoding_is_chosen_on_the_page() -> None:
    async def scenario(stage: Stage) -> None:
        with pytest.raises(Refused) as refused:
            await stage.opened(CITIES.replace(b"Bonn", b"K\xf6ln"))
        assert str(refused.value).endswith("choose the encoding “Western European (Latin-1)”")
        await stage.session.again({"encoding": "latin-1"}, refused=True)
        await stage.rest()
        assert stage.session.work.source.names[1] == "Köln"

    play(scenario)


def test_a_file_that_could_not_be_read_is_forgotten() -> None:
    async def scenario(stage: Stage) -> None:
        session = await stage.opened()
        with pytest.raises(Refused):
            await stage.opened(b"a,x,1\na,y,2\nb,x,3\nb,y,4\n", "list.csv")
        assert session.state()["refused"] == "list.csv"
        session.forget()
        state = session.state()
        assert state["refused"] is None
        assert state["message"]["text"] == ""
        assert state["file"]["name"] == "cities.csv"

    play(scenario)
