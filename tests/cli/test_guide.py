"""Who looks for what is not there, or has another name, is told where to go."""

import json
import re

import pytest

from tests.support.commands import CITIES, apart, run
from unimds.cli.guide import COMMANDS, OPTIONS, near
from unimds.distances.metric import METRICS


def words(said):
    """The message, without the box that typer draws around it."""
    return re.sub(r"[\s│╭╮╰╯─]+", " ", said.err)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (["embed", "x.csv", "--nonmetric"], "use unimds embed FILE --level ordinal"),
        (["embed", "x.csv", "--type", "ordinal"], "use --level: ratio, interval, ordinal, spline"),
        (
            ["compare", "x.csv", "--level", "ordinal"],
            "no option --level here; unimds embed, unimds individual",
        ),
        (["embed", "x.csv", "--mspline"], "no option --mspline: use --level spline."),
        (["embed", "x.csv", "--dist", "bray"], "There is no option --dist: use --metric."),
        (["embed", "x.csv", "--trymax", "20"], "There is no option --trymax: use --n-init."),
        (["metaMDS", "x.csv"], "with --metric braycurtis for a table of counts"),
        (["vegdist", "x.csv"], "unimds embed --metric braycurtis measures the distances"),
        (["embed", "x.csv", "--space", "circle"], "a circle is a map of one dimension"),
        (
            ["embed", "x.csv", "--space", "hyperbolic", "--curvature", "-1"],
            "give its size, 1: hyperbolic space is always curved negatively",
        ),
        (
            ["embed", "x.csv", "--space", "hyperbolic", "--curvature", "-1"],
            "Invalid value for --curvature",
        ),
        (["embed", "x.csv", "--ordinal"], "--level ordinal"),
        (["embed", "x.csv", "--similarity"], "unimds dissimilarity FILE --from similarities"),
        (["embed", "x.csv", "--kind", "similarities"], "Make distances of similarities first"),
        (["embed", "x.csv", "--plot-starts"], "unimds.plots.plot_starts(mds) draws them all"),
        (["embed", "x.csv", "--transpose"], "transpose the table first, such as with pandas"),
        (["embed", "x.csv", "--n_components", "3"], "no option --n_components: use --dim."),
        (["embed", "x.csv", "--dmi", "3"], "no option --dmi; did you mean --dpi or --dim?"),
        (["embed", "x.csv", "--colour", "a"], "no option --colour: use --color."),
        (["embed", "x.csv", "--magic"], "no option --magic; --help lists the options."),
        (["place", "m", "x.csv", "--landmarks", "3"], "here; unimds embed has it."),
        (["prefscal", "x.csv"], "no command 'prefscal': use unimds unfold FILE."),
        (["indscal", "x.csv"], "use unimds individual FILE FILE …, a file for each subject"),
        (["smacofConstraint", "x.csv"], "use unimds embed FILE --linear-in VARIABLES.csv"),
        (["nmds", "x.csv"], "for nonmetric scaling, use unimds embed FILE --level ordinal"),
        (["metaMDS", "x.csv"], "use unimds embed FILE --level ordinal"),
        (["fit", "x.csv"], "no command 'fit': use unimds embed."),
        (["embd", "x.csv"], "no command 'embd'; did you mean embed?"),
        (["frobnicate"], "There is no command 'frobnicate'."),
        (["embed", "x.csv", "--sep", ";"], "no option --sep: the delimiter is detected"),
        (["embed", "x.csv", "--dec", ","], "no option --dec: decimal commas are detected"),
        (["embed", "x.csv", "--k", "3"], "no option --k: use --dim or -k."),
        (["embed", "x.csv", "--env", "e.csv"], "no option --env: use --metadata."),
        (["embed", "x.csv", "--stressplot"], "no option --stressplot: use --shepard S.png."),
        (["embed", "x.csv", "--decostand"], "use --standardise wisconsin, sqrt or sqrt,wisconsin"),
        (["embed", "x.csv", "--hull"], "unimds draws no hulls; --color COLUMN shows the groups."),
        (["embed", "x.csv", "--labels", "site"], "no option --labels: use --names COLUMN."),
        (["embed", "x.csv", "--transform", "sqrt"], "make any other transformation before"),
        (["embed", "x.csv", "--wisconsin"], "--metric hellinger takes the square roots of prop"),
        (["embed", "x.csv", "--binary"], "--metric jaccard or --metric dice compare presence"),
        (["envfit", "x.csv"], "use unimds fit-properties MAP --metadata FILE"),
        (["adonis2", "x.csv"], "unimds tests no groups"),
        (["place", "m", "x.csv", "--drop", "y"], "unimds weighted-scores and unimds project"),
        (["place", "m", "x.csv", "--drop", "y"], "have it."),
        (["compare", "a.csv", "b.csv"], "unimds compare runs several methods on one table"),
        (["compare", "a.csv", "b.csv"], "To compare two maps, use unimds procrustes MAP OTHER"),
    ],
)
def test_the_way_is_told(line, says):
    said = run(*line)
    assert (said.code, said.out) == (2, "")
    assert says in words(said)


def test_every_option_that_is_named_instead_exists():
    others = ("dissimilarity", "fit-properties")
    shown = "".join(run(command, "--help").out for command in ("embed", *others))
    for advice in {*OPTIONS.values(), *COMMANDS.values()}:
        for option in re.findall(r"--[\w-]+", advice):
            assert option in shown, advice


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ("bray", "metric='bray' is unknown; did you mean 'braycurtis'?"),
        ("Bray-Curtis", "did you mean 'braycurtis'?"),
        ("manhatan", "did you mean 'manhattan'?"),
        ("pearson", "use metric='correlation'"),
        ("zzz", "use one of euclidean, l2,"),
        ("nonmetric", "for nonmetric scaling, use unimds embed FILE --level ordinal"),
        ("chord", "√(2d) for the distance d by 'cosine'"),
        ("Sørensen", "use 'dice' for presence and absence, or 'braycurtis' for counts"),
        ("sorensen", "use 'dice' for presence and absence, or 'braycurtis' for counts"),
        ("gower", "divide each column by its range, and use 'manhattan'"),
        ("morisita", 'write.csv(as.matrix(vegdist(x, "morisita")), "d.csv")'),
        ("horn", 'vegdist(x, "horn")'),
        ("kulczynski", 'vegdist(x, "kulczynski")'),
        ("chao", 'vegdist(x, "chao")'),
        ("raup", 'vegdist(x, "raup")'),
        ("chi-square", "divide each row by its sum"),
        ("great_circle", "use 'haversine' for latitude and longitude in radians"),
        ("great circle", "unimds.datasets.great_circle"),
    ],
)
def test_a_metric_of_another_name_is_found(tmp_path, metric, says):
    (tmp_path / "p.csv").write_text("a,b\n1,2\n3,5\n4,1\n")
    said = run("embed", tmp_path / "p.csv", "--metric", metric)
    assert (said.code, said.out) == (2, "")
    assert says in words(said)


def test_every_metric_of_scikit_learn_has_its_name():
    from sklearn.metrics import pairwise

    assert set(pairwise._VALID_METRICS) - set(METRICS) <= {"wminkowski"}  # SciPy has dropped it


def test_near_names():
    assert near("", ["a"]) == []
    assert near("spherical", ["sphere", "spherical"])[0] == "spherical"


# --- errors as JSON -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (["embed", "nowhere.csv", "-o", "m.csv"], 1, "nowhere.csv"),
        (["embed", "cities.csv", "-o", "m.csv", "--loss", "foo"], 2, "foo"),
        (["embed", "cities.csv", "-o", "m.csv", "--nonmetric"], 2, "--level ordinal"),
        (["embed", "cities.csv"], 2, "name a file with -o"),
        (["embed", "cities.csv", "-o", "m.csv", "--dim", "x"], 2, "--dim"),
        (["embed"], 2, "Missing argument"),
        (["place", "cities.csv", "cities.csv", "-o", "m.csv"], 1, "not a model"),
        (["prefscal"], 2, "unimds unfold"),
        (["unfold", "nowhere.csv", "-o", "m.csv"], 1, "nowhere.csv"),
        (["individual", "nowhere.csv", "-o", "m.csv"], 1, "nowhere.csv"),
        (["compare", "nowhere.csv"], 1, "nowhere.csv"),
        (["project", "nowhere.csv", "-o", "m.csv"], 1, "nowhere.csv"),
        (["warmup", "--loss", "foo"], 2, "foo"),
    ],
)
def test_an_error_is_one_object_with_json(cities, tmp_path, monkeypatch, line, code, says):
    monkeypatch.chdir(tmp_path)
    said = run(*line, "--json")
    assert said.code == code == run(*line).code or line == ["embed", "cities.csv"]
    found = json.loads(said.out)
    assert set(found) == {"error", "exit_code"}
    assert found["exit_code"] == said.code == code
    assert says in found["error"]
    assert said.err.splitlines()[-1] == f"error: {found['error']}"


def test_an_interruption_before_the_map_is_an_object_too(cities, tmp_path, monkeypatch):
    def struck(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("unimds.cli.commands.embed._fit", struck)
    said = run("embed", cities, "-o", tmp_path / "m.csv", "--json")
    assert said.code == 130
    assert json.loads(said.out) == {
        "error": "Interrupted before there was a map: nothing was written.",
        "exit_code": 130,
    }


def test_in_a_process_of_its_own_too(tmp_path):
    (tmp_path / "d.csv").write_text(CITIES)
    said = apart("embed", "d.csv", "-o", "m.csv", "--nonmetric", "--json", cwd=tmp_path)
    assert said.code == 2
    assert "--level ordinal" in json.loads(said.out)["error"]


# --- the help -------------------------------------------------------------------------------------


def test_the_help_has_groups_and_says_what_goes_where():
    shown = run("embed", "--help").out
    places = [shown.index(f"─ {group} ─") for group in ("Input", "Map", "Run", "Output", "General")]
    assert places == sorted(places)
    for command in ("embed", "place", "compare", "project"):
        text = run(command, "--help").out
        for option in re.findall(r"^│ \*? +(--[\w-]+).*?<(?:str|int|float)>", text, re.M):
            pytest.fail(f"{command} {option} does not say what goes there")


@pytest.mark.parametrize(
    ("name", "option"), [("m.png", "--plot"), ("m.html", "--report"), ("m.unimds", "--model")]
)
def test_an_output_that_is_no_table_names_the_option_that_writes_it(cities, tmp_path, name, option):
    path = tmp_path / name
    said = run("embed", cities, "-o", path)
    assert said.code == 2
    assert f"give {option} {path}" in " ".join(said.err.replace("│", " ").split())
    assert not path.exists()


def test_a_layout_is_the_map_itself(cities):
    said = run("embed", cities, "--layout", "spring")
    assert said.code == 2
    assert "the map is the layout" in said.err
