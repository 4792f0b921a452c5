"""The conformance suite passes sound losses and spaces, and says what is wrong with others."""

from dataclasses import dataclass, replace
from itertools import product
from math import acos, log1p, sin, sqrt

import numpy as np
import pytest

from tests.support.parts import slow
from tests.support.torus import Torus
from unimds import (
    Absolute,
    ChordalSphere,
    Euclidean,
    Huber,
    Hyperbolic,
    Interval,
    Level,
    Loss,
    MonotoneSpline,
    Ordinal,
    PartError,
    Power,
    PowerLaw,
    Simplex,
    Space,
    Sphere,
    Squared,
    SquaredDistance,
    place_center,
)
from unimds.checks import check_level, check_loss, check_space
from unimds.levels import Ratio
from unimds.levels.pooling import rising
from unimds.spaces import distances


def assert_broken(check, part, rule, **options):
    """Check that a failure names the class and the rule, in a sentence."""
    with pytest.raises(AssertionError) as caught:
        check(part, **options)
    message = str(caught.value)
    assert message.startswith(f"{type(part).__name__} breaks a rule: "), message
    assert rule in message, message
    assert "; got " in message, message
    assert len(message) < 1000, message


# --- sound losses ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cauchy(Loss):
    width: float = 1.0

    degree = 0.0

    def value(self, u, r):
        return log1p(((u - r) / self.width) ** 2)

    def weight(self, u, r):
        return 1.0 / (self.width**2 + (u - r) ** 2)

    def scaled(self, factor):
        return replace(self, width=self.width * factor)


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    "loss",
    [
        Squared(),
        Absolute(),
        Absolute(0.3),
        Power(1.0),
        Power(1.5),
        Power(1.9, 0.1),
        Power(2.0),
        Huber(),
        Huber(0.01),
        Huber(100),
        SquaredDistance(),
        SquaredDistance(2.0),
        Cauchy(),
        Cauchy(0.2),
    ],
    ids=repr,
)
def test_sound_losses_pass(loss):
    check_loss(loss)


# --- broken losses --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heavy(Loss):  # twice the weight
    def value(self, u, r):
        return (u - r) ** 2

    def weight(self, u, r):
        return 2.0


@dataclass(frozen=True)
class OffCentre(Loss):
    def value(self, u, r):
        return (u - r) ** 2

    def weight(self, u, r):
        return 1.0

    def radius(self, u, r):
        return 0.9 * r


@dataclass(frozen=True)
class Cube(Loss):  # the slope is right, but no parabola lies above
    def value(self, u, r):
        return abs(u - r) ** 3

    def weight(self, u, r):
        return 1.5 * abs(u - r)


@dataclass(frozen=True)
class Flipped(Loss):
    def value(self, u, r):
        return -((u - r) ** 2)

    def weight(self, u, r):
        return -1.0


@dataclass(frozen=True)
class Kinked(Loss):  # the absolute error without a smoothing: an infinite weight where u = r
    def value(self, u, r):
        return abs(u - r)

    def weight(self, u, r):
        return 0.5 / abs(u - r)


@dataclass(frozen=True)
class Relative(Loss):
    def value(self, u, r):
        return (u - r) ** 2 / r

    def weight(self, u, r):
        return 1.0 / r


@dataclass(frozen=True)
class WrongDegree(Loss):
    degree = 1.0

    def value(self, u, r):
        return (u - r) ** 2

    def weight(self, u, r):
        return 1.0


@dataclass(frozen=True)
class WrongUnit(Loss):  # forgets that its width is a length
    width: float = 1.0

    degree = 0.0

    def value(self, u, r):
        return log1p(((u - r) / self.width) ** 2)

    def weight(self, u, r):
        return 1.0 / (self.width**2 + (u - r) ** 2)


@dataclass(frozen=True)
class Sinking(Loss):  # smoothing lowers the value
    smoothing: float = 0.0

    def value(self, u, r):
        return (u - r) ** 2 + 1.0 / (1.0 + self.smoothing)

    def weight(self, u, r):
        return 1.0


@dataclass(frozen=True)
class Sluggish(Loss):  # smoothing hardly matters until it is gone
    smoothing: float = 0.0

    def value(self, u, r):
        return (u - r) ** 2 + (1.0 if self.smoothing > 0.0 else 0.0)

    def weight(self, u, r):
        return 1.0


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("loss", "rule"),
    [
        (Heavy(), "lies above the loss at t="),
        (OffCentre(), "2·weight·(u − radius) is the slope of value at u="),
        (Cube(), "lies above the loss at t="),
        (Flipped(), "weight is finite and not negative at u="),
        (Kinked(), "weight is finite and not negative at u="),
        (Relative(), "value is finite and not negative at u="),
        (WrongDegree(), "scaled(0.25).value is 0.25**degree times value"),
        (WrongUnit(), "scaled(0.25).value is 0.25**degree times value"),
        (Sinking(), "smoothing only raises the value"),
        (Sluggish(), "smoothing → 0 gives the loss"),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, Loss) else "",
)
def test_broken_losses_are_told(loss, rule):
    assert_broken(check_loss, loss, rule)


FACTOR = 1.0


@dataclass(frozen=True)
class Fickle(Loss):
    def value(self, u, r):
        return FACTOR * (u - r) ** 2

    def weight(self, u, r):
        return FACTOR


def test_compiled_code_that_is_out_of_date_is_told(monkeypatch):
    check_loss(Fickle())
    monkeypatch.setitem(globals(), "FACTOR", 2.0)  # compiled code has the old value in it
    assert_broken(check_loss, Fickle(), "compiled and plain Python agree at u=")


@dataclass(frozen=True)
class Misspelt(Loss):
    def value(self, u, r):
        return squared_error(u, r)  # noqa: F821

    def weight(self, u, r):
        return 1.0


def test_a_loss_that_does_not_compile_is_told():
    with pytest.raises(PartError, match=r"Misspelt\.value\(\).*'squared_error' is not defined"):
        check_loss(Misspelt())


# --- sound spaces ---------------------------------------------------------------------------------


SOUND = [
    Euclidean(),
    Sphere(),
    Sphere(0.01),
    Sphere(50.0),
    ChordalSphere(),
    ChordalSphere(7),
    Hyperbolic(),
    Hyperbolic(100.0),
    Hyperbolic(0.01),
    Simplex(),
    Simplex(30.0),
    Torus(),
    Torus(40.0),
]


def sound():
    """Return every space in several dimensions; most of this is compiled for nothing else."""
    for space, k in product(SOUND, (1, 2, 4)):
        flat = isinstance(space, Euclidean | Torus)
        quick = flat or (type(space) is Sphere and k > 1)
        marks = () if quick else pytest.mark.slow
        yield pytest.param(space, k, marks=marks, id=f"{space}-{k}")


@pytest.mark.sample(2)
@pytest.mark.parametrize(("space", "n_components"), list(sound()))
def test_sound_spaces_pass(space, n_components):
    for seed in range(3):
        check_space(space, n_components, seed=seed)


# --- broken spaces --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plane(Space):
    """Sound; each broken space below changes one thing."""

    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += v[a]

    def random(self, n, n_components, spread, rng):
        return rng.normal(size=(n, n_components))


@dataclass(frozen=True)
class OneWay(Plane):  # uphill is longer than downhill
    def measure(self, p, X, dist, slope):
        for j in range(dist.shape[0]):
            dist[j] = (X[0, j] - p[0]) ** 2 + (X[1, j] - p[1]) ** 2
            dist[j] = np.sqrt(dist[j]) * (1.1 if X[0, j] > p[0] else 1.0)
            slope[j] = 1.0


@dataclass(frozen=True)
class FarFromItself(Plane):
    def dist(self, chord2):
        return sqrt(chord2) + 0.1


@dataclass(frozen=True)
class Shortcuts(Plane):  # the squared distance is not a distance
    def dist(self, chord2):
        return chord2


@dataclass(frozen=True)
class WrongSlope(Plane):
    def slope(self, dist, chord2):
        return 2.0


@dataclass(frozen=True)
class WrongUnitLength(Plane):
    def unit_length(self):
        return 3.0


@dataclass(frozen=True)
class FallsShort(Plane):
    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += 0.99 * v[a]


@dataclass(frozen=True)
class TooThin(Plane):
    def random(self, n, n_components, spread, rng):
        return rng.normal(size=(n, 1))


@dataclass(frozen=True)
class FalseScale(Plane):
    def scaled(self, factor):
        return self


@dataclass(frozen=True)
class FalseIsometry(Plane):
    def isometry(self, A, B):
        return lambda X: 2.0 * X


@dataclass(frozen=True)
class FalseWayBack(Plane):
    def isometry(self, A, B):
        return lambda X: X + 1.0


@dataclass(frozen=True)
class OffTheSphere(Sphere):  # walks along the tangent and stays there
    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += v[a]


@dataclass(frozen=True)
class Hemisphere(Sphere):  # whoever walks far enough leaves it
    def random(self, n, n_components, spread, rng):
        X = super().random(n, n_components, spread, rng)
        X[:, 0] = np.abs(X[:, 0])
        return X

    def check_points(self, X, name):
        super().check_points(X, name)
        if (X[:, 0] < 0.0).any():
            raise ValueError(f"{name}: a row lies on the other hemisphere")


@dataclass(frozen=True)
class Strewn(Sphere):  # random points beside the sphere
    def random(self, n, n_components, spread, rng):
        return rng.normal(size=(n, n_components + 1))


@dataclass(frozen=True)
class Imprecise(Sphere):  # arccos has no digits left for near points
    def measure(self, p, X, dist, slope):
        for j in range(dist.shape[0]):
            cosine = 0.0
            for a in range(X.shape[0]):
                cosine += p[a] * X[a, j]
            angle = acos(min(max(cosine, -1.0), 1.0))
            dist[j] = self.radius * angle
            slope[j] = angle / sin(angle) if angle > 0.0 else 1.0


@dataclass(frozen=True)
class OverTheEdge(Torus):  # flat, but a step may cross to where another way round is shorter
    def unit_step_descends(self):
        return True


@dataclass(frozen=True)
class Overconfident(Hyperbolic):  # negative curvature: a unit step may go too far
    def bend(self):
        return 0.0


@dataclass(frozen=True)
class FlatSphere(Sphere):
    def flat(self):
        return True


@dataclass(frozen=True)
class Quadrant(Euclidean):
    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] = max(p[a] + v[a], 0.0)


def test_who_moves_points_in_another_way_is_not_flat():
    assert Euclidean().flat()
    assert not Quadrant().flat()
    result = place_center(
        distances(np.random.default_rng(0).normal(size=(30, 4))), space=Quadrant()
    )
    assert result.embedding.min() >= 0.0


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("space", "rule"),
    [
        (OneWay(), "dist(x, y) = dist(y, x)"),
        (FarFromItself(), "dist(x, x) = 0"),
        (Shortcuts(), "dist obeys the triangle inequality"),
        (WrongSlope(), "dist = unit · length of log"),
        slow(WrongUnitLength(), "dist = unit · length of log"),
        (FallsShort(), "exp(log(x)) = x"),
        (TooThin(), "random gives rows of 2 coordinates"),
        (FalseScale(), "scaled(4) makes distances 4 times as large"),
        slow(FalseIsometry(), "an isometry keeps distances"),
        slow(FalseWayBack(), "isometry(A, B) brings a moved copy back"),
        slow(OffTheSphere(), "exp(log(x)) = x"),
        slow(Hemisphere(), "a point reached by exp: a row lies on the other hemisphere"),
        (Strewn(), "random points: row 0 has length"),
        slow(Imprecise(), "close points keep their digits"),
        slow(FlatSphere(1.0), "in a flat space, project leaves all vectors alone"),
        (Sphere("auto"), 'its size is a number, not "auto"'),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, Space) else "",
)
def test_broken_spaces_are_told(space, rule):
    assert_broken(check_space, space, rule)


@pytest.mark.slow
def test_the_plane_that_the_broken_spaces_change_is_sound():
    check_space(Plane())


@pytest.mark.parametrize(
    "space", [OverTheEdge(), slow(Overconfident()), slow(Overconfident(100.0))], ids=repr
)
def test_a_false_claim_that_unit_steps_descend_is_told(space):
    assert_broken(check_space, space, "raises the cost")


@dataclass(frozen=True)
class Unmade(Space):
    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += v[b]  # noqa: F821

    def random(self, n, n_components, spread, rng):
        return rng.normal(size=(n, n_components))


@pytest.mark.sample(1)
def test_a_space_that_does_not_compile_is_told():
    with pytest.raises(PartError, match=r"Unmade\.exp\(\).*'b' is not defined"):
        check_space(Unmade())


# --- symmetric losses -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Share(Loss):  # an error relative to the given distance: sound, but not symmetric
    def value(self, u, r):
        return (u - r) ** 2 / (r * r + 1e-9)

    def weight(self, u, r):
        return 1.0 / (r * r + 1e-9)


@dataclass(frozen=True)
class Steps(Loss):  # without a degree: symmetric up to the distance 10 only
    def value(self, u, r):
        return (u - r) ** 2 * (1.0 if r < 10.0 else 2.0)

    def weight(self, u, r):
        return 1.0 if r < 10.0 else 2.0


@pytest.mark.parametrize("loss", [Squared(), Absolute(), Power(1.5), Huber(), SquaredDistance()])
@pytest.mark.parametrize("typical", [1e-200, 1.0, 1e200])
def test_losses_are_symmetric_in_every_unit(loss, typical):
    assert loss.is_symmetric(typical)


def test_a_loss_that_is_not_symmetric_is_told_where_that_is_asked_for():
    assert_broken(check_loss, Share(), "value(u, r) = value(r, u)", symmetric=True)
    check_loss(Absolute(), symmetric=True)


def test_a_loss_without_a_degree_is_tried_at_the_size_of_the_data():
    assert Steps().is_symmetric(0.1)
    assert not Steps().is_symmetric(10.0)


@pytest.mark.parametrize(
    ("options", "remedy"),
    [({"level": "ordinal"}, 'level="ratio"'), ({"conditional": "row"}, 'conditional="table"')],
)
def test_a_fit_at_a_level_refuses_a_loss_that_is_not_symmetric(options, remedy):
    D = distances(np.random.default_rng(0).normal(size=(6, 2)))
    with pytest.raises(ValueError, match=r"Share\(\) is not symmetric") as caught:
        place_center(D, loss=Share(), n_init=1, **options)
    assert remedy in str(caught.value)
    assert "Absolute()" in str(caught.value)


# --- levels ---------------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "level",
    [
        Ratio(),
        Interval(),
        Ordinal(),
        Ordinal("secondary"),
        Ordinal("tertiary"),
        Ordinal(strictness=0.2),
        Ordinal("secondary", 1.0),
        Ordinal("tertiary", 0.3),
        MonotoneSpline(),
        MonotoneSpline(1, 0),
        MonotoneSpline(3, 6),
        PowerLaw(),
    ],
    ids=repr,
)
def test_sound_levels_pass(level):
    check_level(level)


@dataclass(frozen=True)
class Rays(Level):  # multiples of the dissimilarities: the rule that others break
    def project(self, known, t, w):
        return known * max((w * known * t).sum() / (w * known * known).sum(), 0.0)


def test_a_level_of_a_user_passes():
    check_level(Rays())


@dataclass(frozen=True)
class Half(Rays):
    def project(self, known, t, w):
        return 0.5 * super().project(known, t, w)


@dataclass(frozen=True)
class Unweighted(Level):  # rising numbers, but not the nearest
    def project(self, known, t, w):
        return rising(t, np.ones_like(t))


@dataclass(frozen=True)
class Falling(Level):
    def project(self, known, t, w):
        return -rising(-t, w)


@dataclass(frozen=True)
class Hollow(Rays):
    def project(self, known, t, w):
        return super().project(known, t, w) + np.nan


@dataclass(frozen=True)
class Writing(Rays):
    def project(self, known, t, w):
        t *= 2.0
        return super().project(known, t / 2.0, w)


@dataclass(frozen=True)
class Shift(Level):  # d + b: convex, but no cone
    def project(self, known, t, w):
        return known + (w * (t - known)).sum() / w.sum()


@dataclass(frozen=True)
class SaysTiesPart(Rays):
    keeps_ties = False


@dataclass(frozen=True)
class TwoRays(Level):  # of the dissimilarities or of their squares: not convex
    def project(self, known, t, w):
        both = [known, known * known]
        both = [x * max((w * x * t).sum() / (w * x * x).sum(), 0.0) for x in both]
        return min(both, key=lambda r: (w * (r - t) ** 2).sum())


@dataclass(frozen=True)
class Unbounded(Rays):
    def nearest(self, known, t, w, bound, now):
        return self.project(known, t, w)


@dataclass(frozen=True)
class Astray(Rays):
    def nearest(self, known, t, w, bound, now):
        return 100.0 * now


@dataclass(frozen=True)
class Stranger(Rays):  # leaves the family on its way to the targets
    def nearest(self, known, t, w, bound, now):
        found = super().nearest(known, t, w, bound, now)
        return found + 0.01 * np.maximum(t - found, 0.0)


@dataclass(frozen=True)
class Lazy(Rays):
    def nearest(self, known, t, w, bound, now):
        return now


@dataclass(frozen=True)
class FallingFirst(Rays):
    def first(self, d, counts, n_components):
        return 1.0 / d


@dataclass(frozen=True)
class EmptyFirst(Rays):
    def first(self, d, counts, n_components):
        return d - d[0]


@pytest.mark.parametrize(
    ("level", "rule"),
    [
        (Half(), "a projection is its own projection"),
        (Unweighted(), "nothing of the family is nearer to t than project(t)"),
        (Falling(), "a projection rises with the dissimilarities"),
        (Hollow(), "a projection has a finite number for each target"),
        (Writing(), "project leaves its arguments as they are"),
        (Shift(), "project(3 t) = 3 project(t)"),
        (SaysTiesPart(), "equal dissimilarities may differ"),
        (TwoRays(), "nothing of the family is nearer"),
        (Unbounded(), "nearest stays within the bound"),
        (Astray(), "nearest is not farther than now"),
        (Stranger(), "nearest gives disparities of the family"),
        (Lazy(), "nothing of the family is nearer to t than nearest within the bound"),
        (FallingFirst(), "first disparities rise"),
        (EmptyFirst(), "first disparities are positive numbers"),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, Level) else "",
)
def test_broken_levels_are_told(level, rule):
    assert_broken(check_level, level, rule)
