"""Who knows another program is told where to find the same thing here."""

import inspect
import pickle

import numpy as np
import pytest
from scipy.spatial.distance import squareform
from scipy.stats import rankdata
from sklearn.base import clone

import unimds
from tests.support.tables import D
from unimds import MDS, Hyperbolic, LandmarkMDS

X = np.random.default_rng(0).normal(size=(12, 3))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"type": "ordinal"}, "For type='ordinal': unimds has no nonmetric scaling yet"),
        ({"nonmetric": True}, "unimds has no nonmetric scaling yet"),
        ({"trymax": 20}, "the number of starts is n_init"),
        ({"distance": "bray"}, "is metric, as in metric='braycurtis'"),
        ({"metric_mds": False}, "unimds has no nonmetric scaling yet. The nearest is a map of the"),
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
    with pytest.raises(ValueError, match="metric=False asks for nonmetric scaling, and unimds has"):
        kind(metric=False).fit(X)
    with pytest.raises(ValueError, match="metric=True is what unimds always does: leave it out"):
        kind(metric=True).fit(X)


def test_the_advice_for_nonmetric_scaling_works():
    ranks = squareform(rankdata(squareform(D, checks=False)))
    assert MDS(metric="precomputed", random_state=0).fit_transform(ranks).shape == (len(D), 2)


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
    ("name", "says"), [("metaMDS", "braycurtis.*no nonmetric"), ("vegdist", "pdist.*braycurtis")]
)
def test_functions_of_other_programs_are_told_where_to_go(name, says):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': .*{says}"):
        getattr(unimds, name)
    assert not hasattr(unimds, name)


@pytest.mark.parametrize(
    ("space", "says"), [("circle", "n_components=1.*'sphere'"), ("poincare", "'hyperbolic'")]
)
def test_names_of_no_space_are_told_what_to_use(space, says):
    with pytest.raises(ValueError, match=f"space='{space}' is not known: .*{says}"):
        MDS(space=space).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
    with pytest.raises(ValueError, match="give its size, 2: hyperbolic space is always"):
        Hyperbolic(curvature=-2.0)
