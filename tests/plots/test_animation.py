"""The film of a descent: what is recorded, and the files that are written."""

from __future__ import annotations

import base64
import io
import re
import shutil
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from unimds.files import FileError
from unimds.plots import Descent, animate_descent, publication
from unimds.plots.animation import MOST, _chosen

RNG = np.random.default_rng(0)
END = RNG.normal(size=(8, 2))


def descent(sweeps: int = 6) -> Descent:
    found = Descent()
    for i in range(sweeps):
        found(i + 1, 10.0 / (i + 1), END * (1.0 + 1.0 / (i + 1)))
    return found


def test_of_many_sweeps_some_are_kept_and_always_the_last():
    found = descent(1000)
    kept = [sweep.iteration for sweep in found.sweeps]
    assert MOST // 2 <= len(kept) <= MOST + 1
    assert kept[0] == 1
    assert kept[-1] == 1000
    assert kept == sorted(kept)
    assert len(_chosen(found.sweeps, 20)) <= 20
    assert _chosen(found.sweeps, 20)[-1].iteration == 1000


def test_of_several_starts_the_lowest_is_kept():
    found = Descent()
    for start, cost in enumerate([5.0, 1.0, 3.0]):
        for i in range(3):
            found(i, cost + 2 - i, END + start)
    assert [sweep.cost for sweep in found.sweeps] == [3.0, 2.0, 1.0]
    np.testing.assert_array_equal(found.sweeps[-1].points, END + 1)


def test_a_gif_has_a_frame_for_each_sweep_and_a_page_too(tmp_path: Path):
    animate_descent(descent(3), tmp_path / "a.gif", dpi=30, fps=10.0)
    with Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 3
        assert film.info["duration"] == 100
        film.seek(2)
        assert film.info["duration"] == 1500
    animate_descent(descent(2), tmp_path / "a.html", ["n"] * 8, list("aabbccdd"), dpi=30)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert len(re.findall(r'"iVBOR[^"]+"', page)) == 2
    assert not re.findall(r"https?://", page)  # it loads nothing


def side_of(picture: bytes) -> int:
    """Return where the left side of the axes is: the darkest column of a picture."""
    return int(np.asarray(Image.open(io.BytesIO(picture)).convert("L")).mean(axis=0).argmin())


def test_the_last_picture_which_has_names_does_not_jump(tmp_path: Path):
    tall = Descent()  # beside a wide legend
    for i in range(3):
        tall(i + 1, 10.0 / (i + 1), END * [0.6, 1.0] * (1.0 + 1.0 / (i + 1)))
    kind = pd.Series(list("aabbccdd"), name="a long title of it")
    animate_descent(tall, tmp_path / "a.html", list("abcdefgh"), kind, dpi=100)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    pictures = [base64.b64decode(found) for found in re.findall(r'"(iVBOR[^"]+)"', page)]
    assert len(pictures) == 3
    assert len({side_of(picture) for picture in pictures}) == 1


@pytest.mark.parametrize("dark", [False, True])
def test_the_page_of_a_film_has_the_colour_of_its_pictures(tmp_path: Path, dark: bool):
    with publication("one column", dark=dark):
        animate_descent(descent(2), tmp_path / "a.html", dpi=30)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert f"color-scheme: {'dark' if dark else 'light'};" in page
    assert ("background: #ffffff" in page) != dark
    assert "{{" not in page


def test_mp4_needs_ffmpeg_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match=r"ffmpeg.*\.gif or a \.html"):
        animate_descent(descent(), tmp_path / "a.mp4")
    with pytest.raises(FileError, match="a film ends in"):
        animate_descent(descent(), tmp_path / "a.csv")
    with pytest.raises(ValueError, match="nothing was recorded"):
        animate_descent(Descent(), tmp_path / "a.gif")


def test_ffmpeg_gets_all_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tool = tmp_path / "ffmpeg"  # stands in for the program: it keeps what it is given
    tool.write_text('#!/bin/sh\nfor last; do :; done\ncat > "$last"\n')
    tool.chmod(tool.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    animate_descent(descent(2), tmp_path / "a.mp4", dpi=30, fps=2.0)
    assert (tmp_path / "a.mp4").read_bytes().count(b"\x89PNG") == 2 + 3  # 1.5 seconds of the last


@pytest.mark.parametrize("ending", ["gif", "html"])
@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"fps": 0}, "fps must be a number from 0.01 to 100, not 0"),
        ({"fps": float("nan")}, "fps must be a number"),
        ({"fps": "fast"}, "fps must be a number from 0.01 to 100, not 'fast'"),
        ({"dpi": 1}, "dpi must be a number from 10 to 2400, not 1"),
        ({"frames": 0}, "frames must be a whole number of 1 or more, not 0"),
        ({"frames": 2.5}, "frames must be a whole number"),
    ],
)
def test_films_that_cannot_be_are_refused(tmp_path: Path, ending: str, option, says: str):
    with pytest.raises(ValueError, match=says):
        animate_descent(descent(3), tmp_path / f"a.{ending}", **option)
    assert not list(tmp_path.iterdir())


def test_a_film_is_made_of_a_descent(tmp_path: Path):
    for wrong in (None, Descent):
        with pytest.raises(TypeError, match=r"a Descent that a fit was given, as MDS\(callback"):
            animate_descent(wrong, tmp_path / "a.gif")
    assert [sweep.iteration for sweep in _chosen(descent(9).sweeps, 1)] == [9]
