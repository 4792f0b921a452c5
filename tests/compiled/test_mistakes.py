"""A mistake in a loss or a space is told in a sentence."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from numba import njit

from tests.support.parts import slow
from unimds import Euclidean, Loss, PartError, Space, place_center
from unimds.compiled.parts import check_part_class, explained, in_precision
from unimds.losses import Squared

D = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]])


def mistake(loss="squared", space="euclidean"):
    """Fit with a broken part; return the message, which must be one short sentence."""
    with pytest.raises(PartError) as caught:
        place_center(D, 2, loss=loss, space=space, init="random", n_init=1, random_state=0)
    message = str(caught.value)
    assert len(message) < 250, message
    assert "\n" not in message, message
    assert "nopython" not in message, message
    return message


# --- classes that cannot be parts -----------------------------------------------------------------


def test_a_class_without_the_decorator_is_refused():
    class Bare(Loss):
        width: float = 1.0

        def value(self, u, r):
            return (u - r) ** 2 / self.width

        def weight(self, u, r):
            return 1.0 / self.width

    want = "Bare must be a frozen dataclass: write @dataclass(frozen=True)"
    assert mistake(Bare()) == want
    with pytest.raises(PartError, match="must be a frozen dataclass"):
        check_part_class(Bare)


def test_a_dataclass_that_is_not_frozen_is_refused():
    with pytest.raises(TypeError, match="frozen"):  # dataclasses say so themselves

        @dataclass
        class Thawed(Loss):
            def value(self, u, r):
                return (u - r) ** 2

            def weight(self, u, r):
                return 1.0


def test_missing_methods_are_named():
    @dataclass(frozen=True)
    class Empty(Loss):
        pass

    @dataclass(frozen=True)
    class Weightless(Loss):
        def value(self, u, r):
            return (u - r) ** 2

    with pytest.raises(PartError, match=r"^Empty must define value\(\) and weight\(\)$"):
        check_part_class(Empty)
    with pytest.raises(PartError, match=r"^Weightless must define weight\(\)$"):
        check_part_class(Weightless)
    with pytest.raises(TypeError, match=r"Weightless .*weight"):
        Weightless()


@pytest.mark.parametrize("field", ["wide", None, (1.0, 2.0)])
def test_fields_must_be_numbers(field):
    @dataclass(frozen=True)
    class Labelled(Loss):
        width: object

        def value(self, u, r):
            return (u - r) ** 2

        def weight(self, u, r):
            return 1.0

    message = mistake(Labelled(field))
    assert "Labelled.width" in message
    assert repr(field) in message


# --- mistakes in methods --------------------------------------------------------------------------


@dataclass(frozen=True)
class Base(Loss):
    """Sound; each class below gets one method wrong."""

    width: float = 1.0

    def value(self, u, r):
        return (u - r) ** 2

    def weight(self, u, r):
        return 1.0


@dataclass(frozen=True)
class UnknownName(Base):
    def value(self, u, r):
        return square(u - r)  # noqa: F821


@dataclass(frozen=True)
class UnknownField(Base):
    def weight(self, u, r):
        return 1.0 / self.widht


@dataclass(frozen=True)
class UnknownMethod(Base):
    def value(self, u, r):
        return self.helper(u - r)


@dataclass(frozen=True)
class AddsText(Base):
    def value(self, u, r):
        return (u - r) ** 2 + "text"


@dataclass(frozen=True)
class CallsWrongly(Base):
    def weight(self, u, r):
        return np.sqrt(u, r, 3.0)


@dataclass(frozen=True)
class WrongRadius(Base):
    def radius(self, u, r):
        return r + undefined  # noqa: F821


@dataclass(frozen=True)
class WrongHelper(Base):
    def error(self, u, r):
        return u - rr  # noqa: F821

    def value(self, u, r):
        return self.error(u, r) ** 2


@dataclass(frozen=True)
class StaticHelper(Base):
    @staticmethod
    def square(x):
        return x * x

    def value(self, u, r):
        return self.square(u - r)


def plain_square(x):
    return x * x


@dataclass(frozen=True)
class PlainFunction(Base):  # has no @njit
    def value(self, u, r):
        return plain_square(u - r)


@dataclass(frozen=True)
class Decorated(Base):  # methods are plain Python
    @njit
    def value(self, u, r):
        return (u - r) ** 2


@dataclass(frozen=True)
class ReturnsNothing(Base):
    def value(self, u, r):
        (u - r) ** 2


@dataclass(frozen=True)
class ReturnsText(Base):
    def weight(self, u, r):
        return "1.0"


@dataclass(frozen=True)
class SometimesReturns(Base):
    def weight(self, u, r):
        if u > r:
            return 1.0


@dataclass(frozen=True)
class TooFewArguments(Base):
    def value(self, u):
        return u**2


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("loss", "method", "words"),
    [
        (UnknownName(), "value", ["'square' is not defined"]),
        (UnknownField(), "weight", ["Unknown attribute 'widht'", Path(__file__).name]),
        (UnknownMethod(), "value", ["Unknown attribute 'helper'", Path(__file__).name]),
        (AddsText(), "value", ["add(float64, Literal[str](text))", Path(__file__).name]),
        (CallsWrongly(), "weight", ["sqrt", Path(__file__).name]),
        (WrongRadius(), "radius", ["'undefined' is not defined"]),
        (WrongHelper(), "value", ["error", "'rr' is not defined"]),
        (StaticHelper(), "value", ["square", "too many positional arguments"]),
        (PlainFunction(), "value", ["'plain_square'", "function"]),
        (Decorated(), "value", ["njit"]),
        (ReturnsNothing(), "value", ["return", "number"]),
        (ReturnsText(), "weight", ["return", "number"]),
        (SometimesReturns(), "weight", ["return", "number"]),
        (TooFewArguments(), "value", ["argument"]),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, Loss) else "",
)
def test_a_mistake_in_a_loss_is_told_in_a_sentence(loss, method, words):
    message = mistake(loss)
    assert message.startswith(f"{type(loss).__name__}.{method}() "), message
    for word in words:
        assert word in message


@dataclass(frozen=True)
class Crooked(Space):
    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] += v[b]  # noqa: F821

    def random(self, n, n_components, spread, rng):
        return rng.normal(size=(n, n_components))


@dataclass(frozen=True)
class Unpaired(Euclidean):
    def pair(self, near, far, inner, gap):
        return near, undefined, 1.0  # noqa: F821


@dataclass(frozen=True)
class Unbent(Euclidean):
    def bend(self):
        return undefined  # noqa: F821


@pytest.mark.parametrize(("space", "method"), [(Unpaired(), "pair"), slow(Unbent(), "bend")])
def test_a_mistake_in_a_space_that_only_some_kernels_meet_is_told_in_a_sentence(space, method):
    message = mistake(space=space)
    assert message.startswith(f"{type(space).__name__}.{method}() cannot be compiled: ")
    assert "'undefined' is not defined" in message


@pytest.mark.parametrize("loss", ["squared", slow("huber")])  # huber's own "auto" is not to blame
def test_a_mistake_in_a_space_is_told_in_a_sentence(loss):
    message = mistake(loss, Crooked())
    assert message.startswith("Crooked.exp() cannot be compiled: ")
    assert "'b' is not defined" in message


# --- every compiled method ------------------------------------------------------------------------


def with_method(base, name, body):
    """Return a subclass of `base` whose method of this name returns `body`."""
    names = {}
    arguments = getattr(base, name).__code__.co_varnames[: getattr(base, name).__code__.co_argcount]
    exec(f"def {name}({', '.join(arguments)}):\n    return {body}", names)
    return dataclass(frozen=True)(type(f"Own{base.__name__}", (base,), {name: names[name]}))


def called(part, name, dtype=np.float64):
    """Call a method from compiled code, as kernels do; return the message of its mistake."""
    args = part._compiled[name].args
    given = tuple(a if isinstance(a, int) else np.asarray(a, dtype)[()] for a in args)
    caller = njit(eval(f"lambda part, given: part.{name}(*given)"))
    with pytest.raises(PartError) as caught, explained(part):
        caller(in_precision(part, dtype), given)
    message = str(caught.value)
    assert len(message) < 250, message
    assert "\n" not in message, message
    return message


COMPILED = [(base, name) for base in (Squared, Euclidean) for name in base._compiled]
LONG = ("exp", "gather", "project")  # that of `Crooked` is in `exp` as well


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("base", "name"), [slow(*case) if case[1] in LONG else case for case in COMPILED]
)
def test_a_mistake_in_any_compiled_method_is_told_in_a_sentence(base, name):
    message = called(with_method(base, name, "undefined")(), name)
    want = f"Own{base.__name__}.{name}() cannot be compiled: NameError: name 'undefined' is not "
    assert message.startswith(want), message


@pytest.mark.parametrize(("base", "name"), COMPILED)
def test_a_compiled_method_must_be_a_method_with_the_right_arguments(base, name):
    constant = dataclass(frozen=True)(type("Constant", (base,), {name: 1.0}))
    with pytest.raises(PartError, match=rf"^Constant\.{name} must be a method: def {name}\(self"):
        check_part_class(constant)
    short = dataclass(frozen=True)(type("Short", (base,), {name: lambda: 1.0}))
    with pytest.raises(PartError, match=rf"^Short\.{name}\(\) has 0 arguments, but is called with"):
        check_part_class(short)


@pytest.mark.parametrize("body", ["near", slow("(near, far)"), "(near, far, None)"])
def test_pair_must_return_three_numbers(body):
    message = mistake(space=with_method(Euclidean, "pair", body)())
    assert message.startswith("OwnEuclidean.pair() must return 3 numbers on every path, but its ")


@njit("float64(float64[::1])")
def first(p):
    return p[0]


@dataclass(frozen=True)
class Doubles(Euclidean):  # `first` takes no other precision
    def project(self, p, v):
        v[0] += first(p)


@pytest.mark.slow
def test_a_mistake_in_single_precision_alone_is_told_in_a_sentence():
    p = np.ones(2)
    njit(lambda space, p: space.project(p, p))(Doubles(), p)
    assert p[0] == 2.0
    message = called(Doubles(), "project", np.float32)
    assert message.startswith("Doubles.project() cannot be compiled: ")
    assert "first" in message


@pytest.mark.slow
def test_a_mistake_does_no_harm_to_other_losses():
    # in a new process, so that the wrong class is the first one that is seen
    script = """
        from dataclasses import dataclass
        from unimds import Loss, place_center

        @dataclass(frozen=True)
        class First(Loss):
            def value(self, u):
                return u**2

            def weight(self, u, r):
                return 1.0

        D = [[0.0, 1.0], [1.0, 0.0]]
        for loss in (First(), First(), "squared"):
            try:
                print(place_center(D, 1, loss=loss, fixed=[[0.0], [3.0]]).cost)
            except TypeError as error:
                print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, again, squared = done.stdout.splitlines()
    assert first.startswith("First.value() ")
    assert again == first
    assert float(squared) == pytest.approx(4.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_field_that_is_no_number_is_refused_in_either_precision(dtype):
    @dataclass(frozen=True)
    class Listed(Squared):  # has a degree: others are never rounded
        factors: object = None

    with pytest.raises(PartError, match=r"Listed\.factors is array.* give it a number"):
        place_center(D, 2, loss=Listed(np.ones(2)), init="random", n_init=1, dtype=dtype)


@dataclass(frozen=True)
class Refusing(Base):
    limit: float = 1.0

    def weight(self, u, r):
        if u > self.limit:
            raise ValueError("too far apart for this loss")
        return 1.0


def test_an_error_that_a_loss_raises_while_it_runs_reaches_the_user():
    with pytest.raises(ValueError, match="too far apart for this loss"):
        place_center(D, 1, loss=Refusing(), init="random", random_state=0)
    assert place_center(D, 1, loss=Refusing(limit=1e9), init="classical", n_init=1).n_iter > 0
