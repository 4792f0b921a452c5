"""The descent of a map as a film: the sweeps of a fit are recorded, and drawn one after another."""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from unimds._runtime.extras import require
from unimds.files import endings
from unimds.files.atomic import atomic
from unimds.plots.axes import new_axes
from unimds.plots.embedding import Look, draw_map, matched_looks, scene_of
from unimds.plots.several import hold_scale
from unimds.plots.views import MapView, flattened
from unimds.quality import align
from unimds.spaces import Space

Array = NDArray[Any]

MOST = 240
"""Sweeps that are kept, at most; of more, every second, fourth or eighth."""
HOLD = 1.5
"""Seconds for which the last picture stands still."""


class Sweep(NamedTuple):
    """The map after a sweep: its number, the cost, and the points."""

    iteration: int
    cost: float
    points: Array


@final
class Descent:
    """Records the sweeps of a fit, to be given to it as ``callback``.

    Of a fit with several starts, one after another, the start that ended lowest is kept; fit with
    ``n_init=1`` to see a single descent.

    Examples
    --------
    >>> from unimds import MDS
    >>> from unimds.plots import Descent
    >>> descent = Descent()
    >>> D = [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    >>> mds = MDS(metric="precomputed", init="random", n_init=1, callback=descent).fit(D)
    >>> len(descent.sweeps) > 0
    True
    """

    def __init__(self) -> None:
        self._runs: list[list[Sweep]] = []
        self._every = 1

    def __call__(self, iteration: int, cost: float, embedding: Array) -> None:
        """Keep the map after a sweep."""
        if not self._runs or iteration <= self._runs[-1][-1].iteration:
            self._runs, self._every = [*self._lowest(), []], 1
        run = self._runs[-1]
        if run and iteration % self._every and len(run) > 1:
            run.pop()  # the last one is always there
        run.append(Sweep(iteration, float(cost), np.array(embedding, dtype=float)))
        if len(run) > MOST:
            del run[1:-1:2]
            self._every *= 2

    def _lowest(self) -> list[list[Sweep]]:
        return [min(self._runs, key=lambda run: run[-1].cost)] if self._runs else []

    @property
    def sweeps(self) -> list[Sweep]:
        """The sweeps that were kept, of the start that ended lowest."""
        return self._lowest()[0] if self._runs else []


def animate_descent(
    descent: Descent,
    path: str | os.PathLike[str],
    labels: Sequence[str | None] | None = None,
    color: str | Sequence[Any] | None = None,
    *,
    space: str | Space | None = None,
    size: float | None = None,
    frames: int = 60,
    fps: float = 12.0,
    dpi: int = 100,
    force: bool = False,
) -> None:
    """Write the descent of a fit as a film: GIF, MP4, or an HTML page to step through.

    Every map is turned onto the last one, so that points move only as the fit moves them. Names
    appear on the last picture.

    Parameters
    ----------
    descent : Descent
        What a fit was given as ``callback``.
    path : str or PathLike
        The file: its name ends in ".gif", ".mp4" (needs the program ffmpeg) or ".html".
    labels, color, size
        As in `plot_embedding`.
    space : str or Space, default=None
        The space of the map; Euclidean by default.
    frames : int, default=60
        Number of pictures, at most.
    fps : float, default=12
        Pictures per second.
    dpi : int, default=100
        Resolution.
    force : bool, default=False
        Whether to replace an existing file.

    Examples
    --------
    >>> from unimds.plots import Descent, animate_descent
    >>> descent = Descent()
    >>> mds = MDS(init="random", n_init=1, callback=descent).fit(X)  # doctest: +SKIP
    >>> animate_descent(descent, "descent.gif", color=kind)  # doctest: +SKIP
    """
    endings.FILM.check(path)
    _check_film(descent, frames, fps, dpi)
    if not descent.sweeps:
        raise ValueError(
            "nothing was recorded: give the Descent to a fit, as MDS(callback=descent), and "
            "init='random' if the usual start is exact"
        )
    film = _FILMS[endings.ending_of(os.fspath(path))]
    if film is _write_mp4 and shutil.which("ffmpeg") is None:
        raise RuntimeError(
            "MP4 needs the program ffmpeg, which is not installed here; write a .gif or a .html"
        )
    some = _chosen(descent.sweeps, frames)
    last = some[-1].points
    names, hues = matched_looks(last, len(last), labels, color)
    look = Look(names, hues, size, None, None)
    with atomic(path, force=force) as partial:
        film(partial, list(_pictures(some, look, space, dpi)), fps)


LEAST_FPS, MOST_FPS = 0.01, 100.0
"""Pictures per second that a film can have: a GIF counts hundredths of seconds."""
LEAST_DPI, MOST_DPI = 10, 2400


def _check_film(descent: Any, frames: Any, fps: Any, dpi: Any) -> None:
    if not isinstance(descent, Descent):
        raise TypeError(
            "descent must be a Descent that a fit was given, as MDS(callback=descent), not "
            f"{type(descent).__name__}"
        )
    if not isinstance(frames, int | np.integer) or frames < 1:
        raise ValueError(f"frames must be a whole number of 1 or more, not {frames!r}")
    for name, value, low, high in (
        ("fps", fps, LEAST_FPS, MOST_FPS),
        ("dpi", dpi, LEAST_DPI, MOST_DPI),
    ):
        if not isinstance(value, Real) or not low <= float(value) <= high:
            raise ValueError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")


def _chosen(sweeps: Sequence[Sweep], frames: int) -> list[Sweep]:
    """Return some sweeps: more at the beginning, where the map moves most, and the last."""
    count = min(len(sweeps), frames)
    at = np.unique(np.geomspace(len(sweeps), 1.0, count).round().astype(int) - 1)
    return [sweeps[i] for i in at]


def _pictures(
    sweeps: Sequence[Sweep], look: Look, space: str | Space | None, dpi: int
) -> Iterator[bytes]:
    """Yield a PNG file for each sweep, all of the same scale."""
    end = sweeps[-1].points
    turned = [align(sweep.points, end, space=space) for sweep in sweeps]
    views = [scene_of(points, space) for points in turned]
    low, high = _box([scene.view for scene in views])
    for sweep, scene in zip(sweeps, views, strict=True):
        ax = new_axes(6.4, 5.4)
        writing: list[Callable[[], None]] = []  # names need the final scale
        # a globe is seen from the same side throughout
        scene = replace(scene, view=replace(scene.view, facing=views[-1].view.facing))
        title = f"sweep {sweep.iteration}, cost {sweep.cost:.4g}"
        names = look.labels if sweep is sweeps[-1] else None
        draw_map(scene, replace(look, title=title, labels=names, later=writing), ax)
        if scene.view.kind in ("plane", "space"):  # others have an edge of their own
            hold_scale(ax, low, high)
        figure: Any = ax.figure
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # names would have it settle anew, and the picture jump
        for write in writing:
            write()
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=dpi)
        require("matplotlib.pyplot", "plot").close(figure)
        yield file.getvalue()


def _box(views: Sequence[MapView]) -> tuple[Array, Array]:
    """Return the corners of a box around all points, and some air."""
    every = np.vstack([flattened(view).points for view in views])
    low, high = every.min(axis=0), every.max(axis=0)
    air = 0.06 * (high - low) + 1e-12
    return low - air, high + air


# --- files ----------------------------------------------------------------------------------------


def _write_gif(path: Path, pictures: Sequence[bytes], fps: float) -> None:
    # a palette that suits all pictures; single palettes would flicker
    first, *rest = (_image(picture).convert("RGB") for picture in pictures)
    palette = rest[-1].quantize(256) if rest else first.quantize(256)
    frames = [image.quantize(palette=palette, dither=0) for image in (first, *rest)]
    times = [round(1000.0 / fps)] * (len(frames) - 1) + [round(1000.0 * HOLD)]
    frames[0].save(
        path, format="GIF", save_all=True, append_images=frames[1:], duration=times, loop=0
    )


def _image(picture: bytes) -> Any:
    return require("PIL.Image", "plot").open(io.BytesIO(picture))


def _write_mp4(path: Path, pictures: Sequence[bytes], fps: float) -> None:
    still = [pictures[-1]] * round(HOLD * fps)
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", str(fps)]
    command += ["-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"]
    command += ["-f", "mp4", os.fspath(path)]
    done = subprocess.run(
        command, input=b"".join([*pictures, *still]), capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"ffmpeg failed: {done.stderr.decode(errors='replace').strip()}")


def _write_html(path: Path, pictures: Sequence[bytes], fps: float) -> None:
    """Write a page that plays the pictures, and loads nothing from anywhere."""
    shown = [base64.b64encode(picture).decode() for picture in pictures]
    page = (files("unimds.plots") / "film.html").read_text(encoding="utf-8")
    corner = _image(pictures[0]).convert("RGB").getpixel((0, 0))
    # pictures are light or dark for good, and so is the page around them
    around = {"page": "#{:02x}{:02x}{:02x}".format(*corner)}
    around["scheme"] = "dark" if sum(corner) < 3 * 128 else "light"
    for name, value in {**around, "pictures": json.dumps(shown), "fps": f"{fps:g}"}.items():
        page = page.replace("{{" + name + "}}", value)
    path.write_text(page, encoding="utf-8")


_FILMS: dict[str, Callable[[Path, Sequence[bytes], float], None]] = {
    ".gif": _write_gif,
    ".mp4": _write_mp4,
    ".html": _write_html,
}
