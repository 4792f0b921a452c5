"""What the page says of a table."""

from __future__ import annotations

import numpy as np

from tests.studio.inline import Stage, play

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
