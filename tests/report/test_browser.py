"""A real browser opens the report: it is drawn, answers, and asks nobody for anything."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.browser import Browser, need_browser
from tests.support.maps import KINDS, a_map
from tests.support.parts import slow
from unimds import place_center
from unimds.report import write_report
from unimds.spaces import as_space, distances

EVIL = (
    "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    browser = Browser(need_browser())
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    paths = {}
    for kind in KINDS:
        result, D = a_map(kind)
        labels = [f"Öland {i}" for i in range(39)] + ["Zug <b>"]
        columns = {"kind": ["a", "b"] * 20, "size": np.arange(40.0)}
        paths[kind] = folder / f"{kind}.html"
        write_report(result, paths[kind], D, labels=labels, columns=columns, title=f"A {kind}")
    return paths


def shades(browser: Browser, where: str) -> np.ndarray:
    """Return what a part of the page looks like, in grey."""
    from matplotlib.image import imread
    from selenium.webdriver.common.by import By

    browser.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", where)
    png = browser.driver.find_element(By.CSS_SELECTOR, where).screenshot_as_png
    return imread(io.BytesIO(png))[:, :, :3].mean(axis=2)


def drawn(picture: np.ndarray) -> float:
    """Return the share of a picture that is not its background."""
    return float(np.mean(np.abs(picture - np.median(picture)) > 0.05))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "kind", [slow(kind) if kind in ("triangle", "many", "space") else kind for kind in KINDS]
)
def test_each_kind_is_drawn_without_complaint_and_without_network(
    browser: Browser, reports: dict[str, Path], kind: str
) -> None:
    browser.requests()
    browser.open(reports[kind])
    assert browser.complaints() == []
    asked = [url for url in browser.requests() if not url.startswith(("data:", "blob:"))]
    assert asked == [reports[kind].as_uri()]
    assert 0.005 < drawn(shades(browser, "#map")) < 0.6
    assert 0.005 < drawn(shades(browser, "#shepard")) < 0.6
    find_and_turn(browser)
    assert browser.complaints() == []


def find_and_turn(browser: Browser) -> None:
    """Find a point, which is marked on the map, and turn the map by keyboard."""
    before = shades(browser, "#map")
    type_into_search(browser, "oland 17")  # without accents, in small letters
    browser.wait("document.getElementById('status').textContent.includes('is selected')")
    assert "Öland 17 is selected" in browser.text("#status")
    assert browser.text("#details-title") == "Öland 17"
    assert "given" in browser.text("#details")
    marked = changed(browser, before, 1e-4)
    press(browser, "ArrowRight")
    changed(browser, marked, 1e-3)


def changed(browser: Browser, before: np.ndarray, share: float) -> np.ndarray:
    """Wait until the map looks different, which in space takes a frame or two; return it."""
    end = time.monotonic() + 20.0
    while True:
        now = shades(browser, "#map")
        if np.mean(np.abs(now - before) > 0.05) > share:
            return now
        assert time.monotonic() < end, "the map looks as it did before"


def type_into_search(browser: Browser, text: str) -> None:
    from selenium.webdriver.common.by import By

    field = browser.driver.find_element(By.ID, "search")
    field.clear()
    field.send_keys(text)


def press(browser: Browser, key: str) -> None:
    browser.run(
        "const map = document.getElementById('map'); map.focus();"
        "map.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))",
        key,
    )


def test_hovering_tells_of_a_point_and_its_partners(
    browser: Browser, reports: dict[str, Path]
) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    browser.open(reports["plane"])
    browser.run("document.getElementById('map').scrollIntoView({block: 'center'})")
    at = browser.run(
        "const { xaxis, yaxis, width, height } = document.getElementById('map')._fullLayout;"
        "const data = JSON.parse(document.getElementById('data').textContent);"
        "return [xaxis._offset + xaxis.l2p(data.points[0][39]) - width / 2,"
        "        yaxis._offset + yaxis.l2p(data.points[1][39]) - height / 2]"
    )
    field = browser.driver.find_element(By.ID, "map")
    ActionChains(browser.driver).move_to_element_with_offset(field, *map(round, at)).perform()
    browser.wait("!document.getElementById('tip').hidden")
    told = browser.text("#tip")
    assert told.startswith("Zug <b>Point stress: ")
    assert "times an equal share of the squared error" in told
    assert "fits worst with" in told
    ActionChains(browser.driver).click().perform()
    browser.wait("document.getElementById('details-title').textContent === 'Zug <b>'")


@pytest.mark.slow
def test_many_matches_are_counted_and_gone_through(
    browser: Browser, reports: dict[str, Path]
) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.open(reports["plane"])
    type_into_search(browser, "ÖLAND 3")
    assert "10 labels match: Öland 3, Öland 30" not in browser.text("#status")  # one is exact
    assert "Öland 3 is selected" in browser.text("#status")
    type_into_search(browser, "land 2")
    type_into_search(browser, "land")
    assert browser.text("#status").startswith("39 labels match")
    type_into_search(browser, "land" + Keys.ENTER + Keys.ENTER)
    assert browser.text("#details-title") == "Öland 1"
    type_into_search(browser, "nowhere")
    assert browser.text("#status") == "No label matches."


def test_every_control_has_a_name_and_is_reached_by_tab(
    browser: Browser, reports: dict[str, Path]
) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(reports["plane"])
    nameless = browser.run(
        "return [...document.querySelectorAll('input, select, #theme')].filter("
        "(e) => !(e.labels?.length || e.textContent.trim())).length"
    )
    assert nameless == 0
    assert browser.run("return document.getElementById('status').getAttribute('aria-live')")
    reached = []
    browser.run("document.activeElement.blur()")
    for _ in range(30):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        reached.append(browser.run("return document.activeElement.id"))
        outline = "return getComputedStyle(document.activeElement).outlineStyle"
        if reached[-1]:
            assert browser.run(outline) != "none"
        if reached[-1] == "map":
            break
    order = [name for name in reached if name]
    assert order == ["theme", "search", "color", "names", "map"]


def test_dark_and_light(browser: Browser, reports: dict[str, Path]) -> None:
    try:
        browser.prefer("dark")
        browser.open(reports["disk"])
        assert np.median(shades(browser, "#map")) < 0.2
        assert browser.text("#theme") == "Light"  # what a click brings
        browser.run("document.getElementById('theme').click()")
        browser.wait("document.documentElement.dataset.theme === 'light'")
        assert np.median(shades(browser, "#map")) > 0.9
        assert browser.text("#theme") == "Dark"
    finally:
        browser.prefer("light")


# --- narrow pages and paper -----------------------------------------------------------------------


@contextmanager
def telephone(browser: Browser, width: int = 390) -> Iterator[None]:
    """Make the page as narrow as that of a telephone."""
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        yield
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


NAMES = """
const map = document.getElementById('map').getBoundingClientRect();
const all = document.querySelectorAll('#map .textpoint text, #map .annotation-text');
return [...all].map((text) => text.getBoundingClientRect())
  .map(({ left, top, right, bottom }) => [left, top, right, bottom])
  .map((box) => box.map((at, side) => at - (side % 2 ? map.top : map.left)))
"""


def assert_readable(names: list[list[float]], width: float) -> None:
    """Assert that no name overlaps another or is cut."""
    boxes = np.array(names) + np.array([1.0, 1.0, -1.0, -1.0])  # lines may touch
    assert len(boxes) >= 5
    assert boxes[:, 0].min() >= 0.0
    assert boxes[:, 2].max() <= width
    for i, box in enumerate(boxes):
        apart = (boxes[:i, :2] >= box[2:]) | (boxes[:i, 2:] <= box[:2])
        assert apart.any(axis=1).all()


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ["plane", "globe", "space", "disk"])
def test_a_narrow_page_can_be_read(browser: Browser, reports: dict[str, Path], kind: str) -> None:
    with telephone(browser):
        browser.open(reports[kind])
        browser.run(
            "document.querySelector('h1').textContent = 'A long title of a page. '.repeat(4)"
        )
        width, wide, button = browser.run(
            "const { clientWidth, scrollWidth } = document.documentElement;"
            "return [clientWidth, scrollWidth, document.getElementById('theme').clientHeight]"
        )
        assert wide <= width == 390
        assert button < 45  # one line
        assert_readable(browser.run(NAMES), browser.run("return map.clientWidth"))


@pytest.mark.slow
def test_names_are_chosen_again_for_a_page_that_becomes_narrow(
    browser: Browser, reports: dict[str, Path]
) -> None:
    browser.open(reports["plane"])
    before = len(browser.run(NAMES))
    with telephone(browser):
        end = time.monotonic() + 20.0
        while len(browser.run(NAMES)) >= before:
            assert time.monotonic() < end, "all names are still there"
        assert_readable(browser.run(NAMES), browser.run("return map.clientWidth"))


@pytest.mark.slow
def test_a_globe_fits_a_page_that_becomes_narrow(
    browser: Browser, reports: dict[str, Path]
) -> None:
    """Who turns a telephone sees the whole globe again, as far zoomed in as before."""
    side = "return map.layout.scene.aspectratio.x"
    browser.open(reports["globe"])
    before = browser.run(side)
    with telephone(browser):
        browser.wait(f"{side.removeprefix('return ')} < 0.9 * {before}")
    browser.wait(f"Math.abs({side.removeprefix('return ')} - {before}) < 1e-9")


LONG = "a name of some length"


@pytest.mark.slow
def test_on_a_narrow_page_no_name_of_a_line_is_cut(browser: Browser, tmp_path: Path) -> None:
    X = np.sort(np.random.default_rng(0).normal(size=(40, 1)), axis=0)
    result = replace(a_map("plane")[0], embedding=X)
    write_report(
        result,
        tmp_path / "r.html",
        distances(X),
        labels=[f"{LONG}, or more {i}" for i in range(40)],
    )
    with telephone(browser):
        browser.open(tmp_path / "r.html")
        boxes, width = np.array(browser.run(NAMES)), browser.run("return map.clientWidth")
    assert len(boxes) >= 5
    assert boxes[:, 0].min() >= 0.0
    assert boxes[:, 2].max() <= width


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plane", "triangle"])
def test_on_a_narrow_page_the_name_of_a_chosen_point_is_not_cut(
    browser: Browser, tmp_path: Path, kind: str
) -> None:
    result, D = a_map(kind)
    labels = [f"{LONG} {i}" for i in range(40)]
    write_report(result, tmp_path / "r.html", D, labels=labels)
    with telephone(browser):
        browser.open(tmp_path / "r.html")
        width = browser.run("return map.clientWidth")
        for i in np.argsort(result.embedding[:, 0])[[0, 1, -2, -1]]:
            type_into_search(browser, labels[i])
            browser.wait(f"document.getElementById('details-title').textContent === '{labels[i]}'")
            browser.run("return new Promise((done) => setTimeout(done, 300))")
            assert labels[i] in "".join(browser.run(SHOWN))
            boxes = np.array(browser.run(NAMES))
            assert boxes[:, 0].min() >= -1.0
            assert boxes[:, 2].max() <= width + 1.0


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["plane", "globe"])
def test_an_open_page_is_printed_whole(
    browser: Browser, reports: dict[str, Path], kind: str
) -> None:
    browser.open(reports[kind])
    browser.run(
        "addEventListener('beforeprint', () => { window.printed ="
        "[...document.querySelectorAll('.plot, .plot .main-svg, .plot canvas')]"
        ".map((part) => part.getBoundingClientRect().width) })"
    )
    wide = "return document.getElementById('map').getBoundingClientRect().width"
    before = browser.run(wide)
    # A4 is 8.27 inches wide, of 96 pixels each; 12 mm of margin at both sides
    browser.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})
    assert before > 8.27 * 96.0 - 24.0 / 25.4 * 96.0 > max(browser.run("return window.printed"))
    assert browser.run(wide) == before
    assert browser.complaints() == []


# The box of the map less the picture in it: across and down.
SPARE = """
const [box, drawn] = ['#map', '#map .main-svg'].map((part) => document.querySelector(part))
  .map((part) => part.getBoundingClientRect());
return [box.width - drawn.width, box.height - drawn.height];
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["plane", "disk"])
def test_a_map_is_not_cropped_on_paper(
    browser: Browser, reports: dict[str, Path], kind: str
) -> None:
    """Paper is narrow, and boxes of narrow pages are lower than what a wide page has drawn."""
    browser.open(reports[kind])
    browser.run("dispatchEvent(new Event('beforeprint'))")
    with telephone(browser, width=718):  # A4 without its margins
        assert min(browser.run(SPARE)) >= 0.0
    browser.run("dispatchEvent(new Event('afterprint'))")


STILL = """
dispatchEvent(new Event('beforeprint'));
const still = document.querySelector('canvas.still');
const pixels = still.getContext('2d').getImageData(0, 0, still.width, still.height).data;
const seen = pixels.some((value, k) => k % 4 === 3 && value > 0);
dispatchEvent(new Event('afterprint'));
return [seen, document.querySelector('canvas.still') === null];
"""


@pytest.mark.slow
def test_a_sphere_is_printed_as_a_copy_of_its_picture(
    browser: Browser, reports: dict[str, Path]
) -> None:
    """What the graphics card has drawn is gone when a page is printed."""
    browser.open(reports["globe"])
    assert browser.run(STILL) == [True, True]


def test_labels_stay_text(browser: Browser, tmp_path: Path) -> None:
    result, D = a_map("plane", n=5)
    labels = [EVIL, "a&lt;b", "<b>x</b>", "c", "d"]
    path = tmp_path / "evil.html"
    write_report(result, path, D, labels=labels, columns={EVIL: labels}, title=EVIL)
    browser.open(path)
    type_into_search(browser, "onerror")
    browser.wait("document.getElementById('status').textContent.includes('is selected')")
    assert browser.text("#details-title") == EVIL
    assert browser.run("return document.title") == EVIL
    assert browser.text("h1") == EVIL
    assert browser.run("return document.querySelectorAll('img[src=x], #map b').length") == 0
    names = browser.run(
        "return [...document.querySelectorAll('#map .textpoint text')].map((t) => t.textContent)"
    )
    assert "<b>x</b>" in names
    assert "a&lt;b" in names
    assert browser.text("#color option:nth-child(3)") == EVIL
    assert browser.complaints() == []


@pytest.mark.slow
def test_many_points_are_drawn(browser: Browser, tmp_path: Path) -> None:
    result, D = a_map("plane", n=1500)
    path = tmp_path / "many.html"
    write_report(result, path, D)
    browser.open(path)
    assert 0.01 < drawn(shades(browser, "#map")) < 0.9
    assert 0.05 < drawn(shades(browser, "#shepard")) < 0.9
    assert "The dots are a sample" in browser.text("#shepard-note")
    assert browser.complaints() == []


@pytest.fixture
def space(browser: Browser, tmp_path: Path) -> tuple[float, float]:
    """Open a cloud of points in space; return where its middle is on the screen."""
    result, _ = a_map("space", n=1500)
    path = tmp_path / "space.html"
    write_report(result, path)
    return opened_in_the_middle(browser, path)


def opened_in_the_middle(browser: Browser, path: Path) -> tuple[float, float]:
    """Open a report with its map in sight; return where the middle of it is."""
    browser.open(path)
    browser.complaints()
    x, y = browser.run(
        "const map = document.getElementById('map'); map.scrollIntoView({block: 'center'});"
        "const { left, top, width, height } = map.getBoundingClientRect();"
        "return [left + width / 2, top + height / 2]"
    )
    return x, y


CHOSEN = "document.getElementById('details-title').textContent !== 'No point selected'"
DRAWN = "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def click(browser: Browser, x: float, y: float) -> None:
    browser.mouse("mouseMoved", x, y)
    browser.mouse("mousePressed", x, y, buttons=1)
    browser.mouse("mouseReleased", x, y)
    browser.mouse("mouseMoved", x, y)


@pytest.mark.slow
def test_a_click_in_space_is_answered_without_complaint(
    browser: Browser, space: tuple[float, float]
) -> None:
    click(browser, *space)
    browser.wait(CHOSEN)
    assert browser.complaints() == []


@pytest.mark.slow
def test_turning_chooses_no_point(browser: Browser, space: tuple[float, float]) -> None:
    x, y = space
    before = shades(browser, "#map")
    browser.mouse("mouseMoved", x, y)
    browser.mouse("mousePressed", x, y, buttons=1)
    for step in range(20):
        browser.mouse("mouseMoved", x + 5 * step, y, buttons=1)
        browser.run(DRAWN)
    browser.mouse("mouseReleased", x + 100, y)
    changed(browser, before, 1e-2)
    assert not browser.run(f"return {CHOSEN}")
    click(browser, x, y)  # afterwards it is known again which point is where
    browser.wait(CHOSEN)
    assert browser.complaints() == []


# Where on the page the origin of the data is drawn, by the matrices of the camera.
ORIGIN = """
const { glplot, container } = document.getElementById("map")._fullLayout.scene._scene;
const { model, view, projection } = glplot.cameraParams;
const times = (m, p) => [0, 1, 2, 3].map((i) => p.reduce((sum, x, j) => sum + m[i + 4 * j] * x, 0));
const [x, y, , w] = [model, view, projection].reduce((p, m) => times(m, p), [0, 0, 0, 1]);
const { left, top, width, height } = container.getBoundingClientRect();
return [left + (width * (1 + x / w)) / 2, top + (height * (1 - y / w)) / 2];
"""


@pytest.mark.slow
def test_of_very_many_points_in_space_few_are_turned_and_each_is_known(
    browser: Browser, tmp_path: Path
) -> None:
    n, middle = 6000, 300
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(n, 3)) + rng.normal(0.0, 0.03, size=(n, 3))
    X[:middle] = rng.normal(0.0, 0.05, size=(middle, 3))
    path = tmp_path / "many.html"
    labels = ["the middle" if i < middle else "a corner" for i in range(n)]
    write_report(replace(a_map("space")[0], embedding=X), path, labels=labels)
    x, y = opened_in_the_middle(browser, path)
    corners = (
        "return document.getElementById('map')._fullLayout.scene._scene.traces.points"
        ".scatterPlot.vertexCount"
    )
    whole = browser.run(corners)
    browser.mouse("mousePressed", x + 50, y, buttons=1)
    browser.mouse("mouseMoved", x + 60, y, buttons=1)
    assert browser.run(corners) == whole * 5000 / n
    browser.mouse("mouseMoved", x + 50, y, buttons=1)
    browser.mouse("mouseReleased", x + 50, y)
    assert browser.run(corners) == whole
    browser.run(DRAWN)
    click(browser, *browser.run(ORIGIN))
    browser.wait("document.getElementById('details-title').textContent === 'the middle'")
    assert browser.complaints() == []


# --- lines, circles, graphs and paper -------------------------------------------------------------

SHOWN = """
const map = document.getElementById("map");
const notes = (map.layout.annotations ?? []).map((note) => note.text);
const traces = map.data.filter((trace) => trace.mode === "markers+text");
return [...notes, ...traces.flatMap((trace) => trace.text)];
"""


@pytest.mark.slow
@pytest.mark.parametrize("space", ["euclidean", slow("sphere")])
def test_lines_and_circles_have_their_names(browser: Browser, tmp_path: Path, space: str) -> None:
    names = [f"Name of point {i}" for i in range(24)]
    angles = 2.0 * np.pi * np.arange(24) / 24.0
    line = np.linspace(0.0, 9.0, 24)[:, None]
    X = line if space == "euclidean" else np.column_stack([np.cos(angles), np.sin(angles)])
    result, _ = a_map("plane", n=24)
    result = replace(result, embedding=X, space=as_space(space))
    write_report(result, tmp_path / "r.html", distances(X, space=space), labels=names)
    browser.open(tmp_path / "r.html")
    assert set(browser.run(SHOWN)) == set(names)
    assert browser.complaints() == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plane", slow("disk"), slow("globe")])
def test_edges_are_drawn(browser: Browser, tmp_path: Path, kind: str) -> None:
    result, D = a_map(kind)
    shares = []
    for name, edges in (("bare", None), ("graph", [(0, i) for i in range(1, 40)])):
        path = tmp_path / f"{name}.html"
        write_report(result, path, D, edges=edges)
        browser.open(path)
        shares.append(drawn(shades(browser, "#map")))
    assert shares[1] > 1.05 * shares[0]
    assert browser.complaints() == []


def test_on_paper_a_title_stays_with_its_picture(
    browser: Browser, reports: dict[str, Path]
) -> None:
    browser.open(reports["plane"])
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    style = "return getComputedStyle(document.querySelector(arguments[0])).breakInside"
    try:
        for part in ("#shepard-section", "#history-section", "#verdict"):
            assert browser.run(style, part) == "avoid"
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


# --- categories -----------------------------------------------------------------------------------

CATEGORIES = 24

PLACES = """
const map = document.getElementById("map");
const { points } = JSON.parse(document.getElementById("data").textContent);
const { xaxis, yaxis, scene } = map._fullLayout;
if (points.length === 2) {
  const [across, up] = [(x) => xaxis._offset + xaxis.l2p(x), (y) => yaxis._offset + yaxis.l2p(y)];
  return points[0].map((x, i) => [across(x), up(points[1][i])]);
}
const { glplot, dataScale } = scene._scene;
const { model, view, projection } = glplot.cameraParams;
const apply = (m, v) => [0, 1, 2, 3].map((r) => v.reduce((sum, c, k) => sum + m[r + 4 * k] * c, 0));
return points[0].map((_, i) => {
  const p = [...points.map((axis, a) => axis[i] * dataScale[a]), 1];
  const [a, b, , w] = [model, view, projection].reduce((v, m) => apply(m, v), p);
  return [0.5 * (1 + a / w) * map.clientWidth, 0.5 * (1 - b / w) * map.clientHeight];
});
"""

SIGNS = """
return [...document.querySelectorAll("#legend .sign")].map((sign) => getComputedStyle(sign).color);
"""


def colours(browser: Browser, where: str) -> np.ndarray:
    """Return what a part of the page looks like, in red, green and blue."""
    from matplotlib.image import imread
    from selenium.webdriver.common.by import By

    png = browser.driver.find_element(By.CSS_SELECTOR, where).screenshot_as_png
    return imread(io.BytesIO(png))[:, :, :3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "deep"), [slow(216, False), slow(552, False), slow(1392, False), (216, True)]
)
def test_every_point_of_every_category_is_drawn_in_its_colour(
    browser: Browser, tmp_path: Path, n: int, deep: bool
) -> None:
    """SVG, WebGL with and without outlines, and three dimensions draw different sets of shapes."""
    across = int(np.ceil(np.sqrt(n)))
    X = np.column_stack([np.arange(n) % across, np.arange(n) // across, np.zeros(n)])
    if deep:  # facing the reader, so that no point hides another
        X = X @ np.linalg.svd(np.ones((1, 3)))[2][[1, 2, 0]]
    result = replace(a_map("space")[0], embedding=X if deep else X[:, :2])
    kinds = [f"kind {i % CATEGORIES:02}" for i in range(n)]
    write_report(result, tmp_path / "r.html", columns={"kind": kinds})
    browser.open(tmp_path / "r.html")
    browser.run("document.getElementById('map').scrollIntoView({block: 'center'})")
    browser.run(DRAWN)
    picture, places = colours(browser, "#map"), np.array(browser.run(PLACES))
    told = [text[4:-1].split(",") for text in browser.run(SIGNS)]
    hues = np.array(told, dtype=float) / 255.0
    assert len(hues) == CATEGORIES
    seen = np.zeros(n)
    for i, (x, y) in enumerate(np.rint(places).astype(int)):
        near = picture[max(y - 4, 0) : y + 5, max(x - 4, 0) : x + 5]
        seen[i] = np.sum(np.abs(near - hues[i % CATEGORIES]).max(axis=2) < 0.12)
    hidden = {kinds[i] for i in np.flatnonzero(seen < 4)}
    assert not hidden
    assert browser.complaints() == []


@pytest.mark.slow
def test_many_edges_are_pale_and_the_settings_count_them(browser: Browser, tmp_path: Path) -> None:
    result, D = a_map("plane")
    every = [(i, j) for i in range(40) for j in range(i)]
    opacity = {}
    for edges in (every[:100], every):
        path = tmp_path / f"{len(edges)}.html"
        write_report(result, path, D, edges=edges)
        browser.open(path)
        assert f"edges{len(edges)}" in "".join(browser.text("#settings-title ~ *").split())
        shown = browser.run(
            "return [...document.querySelectorAll('#map .scatterlayer .trace')]"
            ".map((trace) => Number(getComputedStyle(trace).opacity))"
        )
        opacity[len(edges)] = min(shown)
    assert opacity[100] == 1.0
    assert 0.2 < opacity[780] < 0.8
    assert browser.complaints() == []


# --- names ----------------------------------------------------------------------------------------

BESIDE = """
const boxOf = (e) => e.getBoundingClientRect();
const points = [...document.querySelectorAll("#map .points path")].slice(0, arguments[0]);
const dots = points.map(boxOf).map((b) => [(b.left + b.right) / 2, (b.top + b.bottom) / 2]);
const gap = (low, high, at) => Math.max(low - at, at - high, 0);
return [...document.querySelectorAll("#map .textpoint text")].map((text) => {
  const b = boxOf(text);
  const away = dots.map(([x, y]) => Math.hypot(gap(b.left, b.right, x), gap(b.top, b.bottom, y)));
  return [text.textContent, away.indexOf(Math.min(...away)), away.sort((a, b) => a - b)[1]];
});
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("space", "width"),
    [("euclidean", 440), slow("euclidean", 1200), slow("sphere", 440), slow("sphere", 1200)],
)
def test_a_name_is_nearest_to_its_own_point_and_covers_no_other(
    browser: Browser, tmp_path: Path, space: str, width: int
) -> None:
    rng = np.random.default_rng(4)
    angle = 2.0 * np.pi * (np.arange(30) / 30.0) ** 1.3  # crowded where it begins
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    X = rng.normal(size=(30, 2)) if space == "euclidean" else ring
    result = replace(a_map("plane", n=30)[0], embedding=X, space=as_space(space))
    names = [f"name {i}" for i in range(30)]
    write_report(result, tmp_path / "r.html", distances(X, space=space), labels=names)
    with sized(browser, width):
        browser.open(tmp_path / "r.html")
        told = browser.run(BESIDE, 30)
    assert len(told) > 8
    for name, nearest, second in told:
        assert name == f"name {nearest}"
        assert second > 5.0  # the radius of a point


@pytest.mark.slow
def test_the_box_around_points_in_space_is_in_the_picture(browser: Browser, tmp_path: Path) -> None:
    """In three dimensions, the corners of the box around the points are inside the picture."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    result = replace(a_map("plane", n=30)[0], embedding=X)
    write_report(result, tmp_path / "r.html", distances(X))
    for width in (440, 1200):
        with sized(browser, width):
            browser.open(tmp_path / "r.html")
            grey = shades(browser, "#map canvas")
        grey = grey[3:-3, 3:-3]  # the picture has a border
        rim = np.concatenate([grey[-1], grey[:, 0], grey[:, -1]])
        assert np.abs(rim - np.median(grey)).max() < 0.05


@contextmanager
def sized(browser: Browser, width: int) -> Iterator[None]:
    """Have the page in a window of some width."""
    metrics = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    yield
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.slow
@pytest.mark.parametrize(("level", "shape"), [("ordinal", "hvh"), slow("interval", "linear")])
def test_a_map_at_a_level_shows_its_transformation_and_disparities(
    browser: Browser, tmp_path: Path, level: str, shape: str
) -> None:
    D = distances(np.random.default_rng(0).normal(size=(20, 4))) ** 2
    result = place_center(D, level=level, n_init=1)
    write_report(result, tmp_path / "level.html", D, labels=[f"p{i:02}" for i in range(20)])
    browser.open(tmp_path / "level.html")
    lines = browser.run(
        "return document.getElementById('shepard').data.filter((t) => t.mode === 'lines')"
        ".map((t) => [t.line.shape, t.x.length])"
    )
    assert [line[0] for line in lines] == [shape]
    assert lines[0][1] >= 2
    type_into_search(browser, "p07")
    browser.wait("document.getElementById('status').textContent.includes('is selected')")
    assert "disparity" in browser.text("#status")
    heads = browser.run(
        "return [...document.querySelectorAll('#details thead th')].map((h) => h.textContent)"
    )
    assert heads == ["fits worst with", "disparity", "mapped"]
    assert browser.complaints() == []
