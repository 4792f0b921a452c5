"""Who knows another program is told where to find the same thing here."""

import inspect
import pickle
import re
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import clone

import unimds
from tests.support.tables import D
from unimds import MDS, Hyperbolic, LandmarkMDS, Ordinal
from unimds.estimators.elsewhere import NAMES
from unimds.files import read
from unimds.plots import plot_embedding
from unimds.report import report, write_report

X = np.random.default_rng(0).normal(size=(12, 3))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"type": "ordinal"}, r"is level: 'ratio', .*'ordinal', 'spline' \(smacof's 'mspline'\)"),
        (
            {"nonmetric": True},
            r"is level='ordinal', as in MDS\(level='ordinal'\)",
        ),
        ({"ordinal": True}, "nonmetric scaling is level='ordinal'"),
        ({"mspline": True}, "use level='spline'"),
        ({"ties": "secondary"}, r"level=Ordinal\(ties='secondary'\)"),
        ({"strictness": 0.1}, r"level=Ordinal\(strictness=0.1\)"),
        ({"spline_degree": 2}, r"level=MonotoneSpline\(degree=2, knots=3\)"),
        ({"conditionality": "row"}, "conditional='row'"),
        ({"trymax": 20}, "the number of starts is n_init"),
        ({"distance": "bray"}, "is metric, as in metric='braycurtis'"),
        ({"metric_mds": False}, "nonmetric scaling is level='ordinal'"),
        ({"metric_mds": True}, "for metric scaling leave metric_mds out"),
        ({"dissimilarity": "precomputed"}, "write metric='precomputed'"),
        ({"normalized_stress": "auto"}, "stress_ is Stress-1"),
        ({"ndim": 3}, "the dimension of the map is n_components"),
        ({"seed": 1}, "random_state"),
        ({"radius": 2.0}, r"space=Sphere\(radius=2.0\)"),
        ({"weights": D}, r"fit\(X, weights=...\)"),
        ({"fixed": {}}, r"fit\(X, fixed=...\)"),
        ({"n_landmarks": 10}, "use LandmarkMDS"),
        ({"n_component": 3}, "is n_components meant?"),
        ({"zzz": 3}, "its parameters are n_components, loss, space"),
    ],
    ids=str,
)
def test_parameters_of_other_programs(options, says):
    (name,) = options
    with pytest.raises(TypeError, match=f"MDS has no parameter '{name}': .*{says}"):
        MDS(**options)


def test_landmarks_are_told_the_same():
    with pytest.raises(TypeError, match="LandmarkMDS has no parameter 'dissimilarity'"):
        LandmarkMDS(dissimilarity="precomputed")
    assert LandmarkMDS(n_landmarks=7).n_landmarks == 7


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
def test_metric_is_not_a_switch(kind):
    with pytest.raises(ValueError, match="metric=False: nonmetric scaling is level='ordinal'"):
        kind(metric=False).fit(X)
    with pytest.raises(ValueError, match="metric=True is the default, level='ratio': leave it out"):
        kind(metric=True).fit(X)


def test_the_advice_for_nonmetric_scaling_works():
    line = np.arange(8.0)
    apart = np.abs(line[:, None] - line) ** 3
    mds = MDS(1, level="ordinal", metric="precomputed", random_state=0).fit(apart)
    assert mds.stress_ < 1e-6
    assert mds.transformation_.level == Ordinal()


def test_who_has_no_level_is_told_who_has():
    with pytest.raises(TypeError, match=r"no parameter 'conditional': .*MDS\(conditional='row'\)"):
        LandmarkMDS(conditional="row")


def test_the_signature_is_that_of_the_parameters():
    assert "n_components" in inspect.signature(MDS).parameters
    assert not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(MDS).parameters.values())
    mds = MDS(3, loss="power:1.2")
    assert clone(mds).get_params() == pickle.loads(pickle.dumps(mds)).get_params()


class Own(MDS):
    def __init__(self, n_components=2, *, seed=0):
        super().__init__(n_components, random_state=seed)
        self.seed = seed


class Open(MDS):
    def __init__(self, n_components=2, **others):
        super().__init__(n_components)
        self.others = others


def test_a_class_of_ones_own_has_its_own_parameters():
    assert Own(seed=3).random_state == 3
    with pytest.raises(TypeError, match="Own has no parameter 'loss'"):
        Own(loss="absolute")
    assert Open(dissimilarity=1).others == {"dissimilarity": 1}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("metaMDS", "level='ordinal', metric='braycurtis'"),
        ("isoMDS", "level='ordinal', metric='precomputed'"),
        ("smacofSym", "type is level: level='ordinal'"),
        ("vegdist", "from_counts.*braycurtis"),
        ("NMDS", "level='ordinal', metric='precomputed'"),
        ("read_csv", "use unimds.files.read$"),
        ("LandmarksMDS", "is LandmarkMDS meant"),
    ],
)
def test_functions_of_other_programs_are_told_where_to_go(name, says):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': .*{says}"):
        getattr(unimds, name)
    assert not hasattr(unimds, name)
    with pytest.raises(ImportError, match=f"cannot import name '{name}' from 'unimds': .*{says}"):
        exec(f"from unimds import {name}")


def test_every_name_that_is_told_exists():
    """Advice of the form "use unimds.room.name" leads somewhere."""
    for name, told in NAMES.items():
        for path in re.findall(r"unimds\.(\w+)\.(\w+|\{name\})", told):
            room = import_module(f"unimds.{path[0]}")
            assert hasattr(room, path[1].format(name=name.replace("_csv", ""))), name


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: write_report(None, "m.html", metadata={}), "'metadata': give columns="),
        (lambda: report(None, colour="a"), "report has no parameter 'colour': use color"),
        (lambda: plot_embedding([[0.0, 1.0]], names=["a"]), "'names': use labels"),
        (lambda: read("x.csv", sep=","), "'sep': the delimiter is detected"),
        (lambda: read("x.csv", encodin="utf8"), "'encodin': is encoding meant"),
    ],
)
def test_arguments_that_do_not_exist_are_told_where_to_go(call, says):
    with pytest.raises(TypeError, match=says):
        call()


@pytest.mark.parametrize(
    ("space", "says"), [("circle", "n_components=1.*'sphere'"), ("poincare", "'hyperbolic'")]
)
def test_names_of_no_space_are_told_what_to_use(space, says):
    with pytest.raises(ValueError, match=f"space='{space}' is not known: .*{says}"):
        MDS(space=space).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
    with pytest.raises(ValueError, match="give its size, 2: hyperbolic space is always"):
        Hyperbolic(curvature=-2.0)
