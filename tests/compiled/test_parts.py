"""What a loss or a space may do, and the digest of its code."""

import ast
import gc
import pickle
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import numpy as np
import pytest
from numba import njit, typeof
from numba.core.caching import IndexDataCacheFile

import unimds
from unimds import Absolute, Euclidean, Loss, Squared, place_center
from unimds.compiled.compilers import without_collecting
from unimds.compiled.digest import code_digest
from unimds.compiled.functions import Precision, c_function
from unimds.compiled.parts import JIT, inlined, looked_up
from unimds.kernels.rows import COST, MUTUAL, PULL, Kind, Row, row_function

D = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]])


@njit(**JIT)
def compiled(loss, u, r):
    return loss.value(u, r), loss.weight(u, r)


# --- what parts may do ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Helped(Loss):
    width: float = 1.0

    def value(self, u, r):
        return self.bent(self.error(u, r))

    def weight(self, u, r):
        return 1.0 / (self.width**2 + self.error(u, r) ** 2)

    def error(self, u, r):
        return u - r

    def bent(self, e):
        return np.log1p(self.squared(e / self.width))

    def squared(self, x):
        return x * x


@dataclass(frozen=True)
class HelpedOtherwise(Loss):  # the same names, another meaning and another number of arguments
    def value(self, u, r):
        return self.error(u) + self.squared(u, r)

    def weight(self, u, r):
        return 1.0

    def error(self, u):
        return 0.0 * u

    def squared(self, u, r):
        return (u - r) * (u - r)


def test_methods_may_call_further_methods():
    assert compiled(Helped(2.0), 3.0, 1.0) == pytest.approx((np.log(2.0), 0.125))


def test_two_losses_may_have_helpers_of_one_name():
    assert compiled(HelpedOtherwise(), 3.0, 1.0) == (4.0, 1.0)
    assert compiled(Helped(2.0), 3.0, 1.0) == pytest.approx((np.log(2.0), 0.125))
    assert compiled(HelpedOtherwise(), 3.0, 1.0) == (4.0, 1.0)


@pytest.mark.parametrize("width", [2, np.float32(2.0), np.int64(2), True])
def test_any_number_will_do_for_a_field(width):
    want = np.log1p((2.0 / width) ** 2), 1.0 / (width**2 + 4.0)
    assert compiled(Helped(width), 3.0, 1.0) == pytest.approx(want)
    result = place_center(D, 1, loss=Helped(width), fixed=[[0.0], [1.0], [2.0]])
    assert result.cost == pytest.approx(np.log1p((0.5 / width) ** 2))  # D[1, 2] is 1.5, not 1


def test_the_numba_type_holds_no_class():
    kept = pickle.dumps(typeof(Helped()))
    assert b"test_part" not in kept  # so that a process without this module can read it
    assert pickle.loads(kept) == typeof(Helped())
    assert str(typeof(Helped())) == f"LossType:Helped(width)#{code_digest(Helped)}"


def cell(source, **names):
    """Run source text as a notebook does; return the class Mine that it defines."""
    names = {"__name__": "notebook", "dataclass": dataclass, "Loss": Loss, "njit": njit, **names}
    exec(compile(dedent(source), "<cell>", "exec"), names)
    return names["Mine"]


CELL = """
    @dataclass(frozen=True)
    class Mine(Loss):
        width: float = 1.0

        def value(self, u, r):
            return self.squared(u - r) / self.width

        def weight(self, u, r):
            return 1.0 / self.width

        def squared(self, x):
            return x * x
"""


def test_a_cell_that_is_run_again_uses_the_new_code():
    first = cell(CELL)
    assert compiled(first(2.0), 3.0, 1.0) == (2.0, 0.5)
    same = cell(CELL)
    assert compiled(same(4.0), 3.0, 1.0) == (1.0, 0.25)
    formula = cell(CELL.replace("x * x", "x * x * x"))
    assert compiled(formula(2.0), 3.0, 1.0) == (4.0, 0.5)
    helper = CELL.replace("squared(self, x)", "squared(self, x, c)").replace("u - r", "u - r, 3.0")
    assert compiled(cell(helper)(2.0), 3.0, 1.0) == (2.0, 0.5)  # it takes one argument more
    fields = CELL.replace("width: float", "before: float\n        width: float")
    assert compiled(cell(fields)(9.0, 2.0), 3.0, 1.0) == (2.0, 0.5)
    assert compiled(first(2.0), 3.0, 1.0) == (2.0, 0.5)  # the old class is still what it was


# --- the digest -----------------------------------------------------------------------------------


GLOBAL = """
    @dataclass(frozen=True)
    class Mine(Loss):
        def value(self, u, r):
            return {} * (u - r) ** 2

        def weight(self, u, r):
            return 1.0
"""


def test_the_digest_does_not_depend_on_where_the_code_is():
    want = code_digest(cell(CELL))
    assert code_digest(cell(CELL)) == want
    assert code_digest(cell("\n\n# a comment\n" + dedent(CELL) + "\nother = 1\n")) == want
    assert re.fullmatch("[0-9a-f]{16}", want)


def test_the_digest_depends_on_all_code_that_is_compiled():
    edits = [
        ("u - r", "r - u"),
        ("1.0 / self.width", "2.0 / self.width"),
        ("x * x", "x * x * x"),
        ("x * x", "x + x"),
    ]
    digests = {code_digest(cell(CELL))} | {code_digest(cell(CELL.replace(*edit))) for edit in edits}
    assert len(digests) == 1 + len(edits)


def test_the_digest_depends_on_the_order_of_the_fields():
    two = CELL.replace("width: float = 1.0", "width: float = 1.0\n        other: float = 5.0")
    turned = CELL.replace("width: float = 1.0", "other: float = 5.0\n        width: float = 1.0")
    assert len({code_digest(cell(source)) for source in (CELL, two, turned)}) == 3
    want = place_center(D, 1, loss=Squared(), fixed=[[0.0], [1.0], [2.0]]).cost
    for source in (two, turned):  # compiled code reads fields by their place
        loss = cell(source)(width=2.0)
        assert place_center(D, 1, loss=loss, fixed=[[0.0], [1.0], [2.0]]).cost == want / 2.0


def test_the_digest_does_not_depend_on_what_is_not_compiled():
    want = code_digest(cell(CELL))
    plain = CELL + "\n        def scaled(self, factor):\n            return self\n"
    assert code_digest(cell(plain)) == want
    assert code_digest(cell(CELL.replace("width: float = 1.0", "width: float = 2.0"))) == want
    assert code_digest(cell(CELL, unrelated=3.0)) == want


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1.0, 2.0),
        (1.0, 1),
        (0.0, -0.0),
        (True, 1),
        ((1.0, 2.0), (1.0, 3.0)),
        (np.float64(1.0), np.float64(2.0)),
        (np.float32(1.0), np.float32(2.0)),
        (np.int64(1), np.int64(2)),
        (np.arange(6.0), np.arange(6.0) + 1.0),
        (np.arange(2000.0), np.arange(2000.0) + (np.arange(2000) == 1000)),
        (np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)),
        (np.zeros(2, np.float32), np.zeros(2, np.int32)),
    ],
)
def test_the_digest_depends_on_constants(one, other, tmp_path):
    # as after `from settings import CONSTANT`: the file of the loss itself does not change
    path = tmp_path / "script.py"
    path.write_text(dedent(GLOBAL.format("CONSTANT")))

    def made(constant):
        names = {"__name__": "script", "dataclass": dataclass, "Loss": Loss, "CONSTANT": constant}
        exec(compile(path.read_text(), str(path), "exec"), names)
        return code_digest(names["Mine"])

    assert made(one) != made(other)
    assert made(one) == made(one)


def test_the_digest_depends_on_functions_that_are_called():
    text = "SCALE = 1.0\ndef inner(x):\n    return SCALE * x\n\n"
    text += "@njit\ndef outer(x):\n    return inner(x)\n"
    source = text + dedent(GLOBAL.format("outer(u)"))
    edits = [
        ("SCALE = 1.0", "SCALE = 2.0"),
        ("SCALE * x", "SCALE + x"),
        ("inner(x)\n", "-inner(x)\n"),
    ]
    digests = {code_digest(cell(source))} | {
        code_digest(cell(source.replace(*edit))) for edit in edits
    }
    assert len(digests) == 1 + len(edits)
    assert code_digest(cell(source)) == code_digest(cell("\n\n" + source))


def test_the_digest_depends_on_what_is_used_of_a_module():
    def made(scale, other=0.0):
        settings = ModuleType("settings")
        settings.SCALE, settings.OTHER = scale, other
        return code_digest(cell(GLOBAL.format("settings.SCALE"), settings=settings))

    assert made(1.0) == made(1.0)
    assert made(1.0) != made(2.0)
    assert made(1.0) == made(1.0, other=5.0)


def test_the_digest_depends_on_what_each_method_uses_of_a_module():
    def made(scale, weight):
        settings = ModuleType("settings")
        settings.SCALE, settings.WEIGHT = scale, weight
        source = GLOBAL.format("settings.SCALE").replace("return 1.0", "return settings.WEIGHT")
        return code_digest(cell(source, settings=settings))

    assert made(1.0, 1.0) == made(1.0, 1.0)
    assert len({made(1.0, 1.0), made(2.0, 1.0), made(1.0, 2.0)}) == 3


def test_modules_that_import_each_other_are_no_trap():
    package, part = ModuleType("package"), ModuleType("package.part")
    package.part, part.package, part.SCALE = part, package, 1.0
    source = GLOBAL.format("package.part.SCALE")
    one = code_digest(cell(source, package=package))
    part.SCALE = 2.0
    assert code_digest(cell(source, package=package)) != one


def test_the_digest_depends_on_closures():
    def made(scale):
        @dataclass(frozen=True)
        class Mine(Loss):
            def value(self, u, r):
                return scale * (u - r) ** 2

            def weight(self, u, r):
                return scale

        return Mine

    assert code_digest(made(1.0)) == code_digest(made(1.0))
    assert code_digest(made(1.0)) != code_digest(made(2.0))
    assert compiled(made(3.0)(), 3.0, 1.0) == (12.0, 3.0)
    assert compiled(made(5.0)(), 3.0, 1.0) == (20.0, 5.0)


def test_the_digest_depends_on_inherited_methods():
    text = CELL.replace("Mine", "Parent") + "\n    @dataclass(frozen=True)\n"
    text += "    class Mine(Parent):\n        def radius(self, u, r):\n            return r\n"
    assert code_digest(cell(text)) != code_digest(cell(text.replace("x * x", "x * x * x")))


@dataclass(frozen=True)
class Told(Loss):
    def value(self, u, r):
        if r == 1.5:
            print("met", r)
        return (u - r) * (u - r)

    def weight(self, u, r):
        return 1.0


def test_a_method_may_print(capfd):
    """To find a mistake. Its words are Python's, though the method is inlined in compiled code."""
    place_center(D, 2, loss=Told(), init="classical", n_init=1, max_iter=1)
    assert "met 1.5" in capfd.readouterr().out


# --- speed ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MySquared(Loss):
    def value(self, u, r):
        return (u - r) * (u - r)

    def weight(self, u, r):
        return 1.0


@dataclass(frozen=True)
class MySquaredByHelper(Loss):
    def value(self, u, r):
        return self.error(u, r) * self.error(u, r)

    def weight(self, u, r):
        return 1.0

    def error(self, u, r):
        return u - r


@inlined
def cost_by_hand(dist, slope, lean, away, r, given, loss, space):
    """The cost of a pair with the squared loss written out."""
    return (given * ((dist - r) * (dist - r)) if r == r else type(r)(0),)


def machine_code(kind, loss):
    """Return the instructions of a row as compiled, and the functions that it calls."""
    double, parts = np.dtype(np.float64), (type(loss), Euclidean)
    function = row_function(Row(kind, parts, 2), double)
    made = c_function(function, Precision(double, double, double))  # a cache has no code to show
    made.compile()
    llvm = made.inspect_llvm()
    # without the names of values and types: "fmul reassoc contract", "load", "br"
    instructions = re.findall(r"^  (?:%\S+ = )?([a-z][a-z ]*)", llvm, re.MULTILINE)
    return instructions, re.findall(r"\bcall [^@\n]*@(\S+?)\(", llvm)


@pytest.mark.sample(1)
@pytest.mark.parametrize("own", [MySquared(), MySquaredByHelper()], ids=repr)
def test_a_loss_of_ones_own_compiles_to_the_same_instructions(own):
    for kind in (PULL, COST):
        ours, _ = machine_code(kind, Squared())
        theirs, called = machine_code(kind, own)
        assert theirs == ours
        assert not [name for name in called if "MySquared" in name]
        assert machine_code(kind, Absolute())[0] != ours


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", [PULL, COST, MUTUAL], ids=lambda kind: kind.name)
@pytest.mark.parametrize("loss", [Squared(), Absolute()], ids=repr)
def test_rows_are_vectorised(kind, loss):
    """Several pairs at a time: what is inlined in a row must leave no trace of a call."""
    instructions, called = machine_code(kind, loss)
    assert "shufflevector " in instructions
    assert not [name for name in called if "unimds" in name]


def test_a_loss_takes_the_arithmetic_of_its_formula_written_out():
    def arithmetic(kind):
        instructions, _ = machine_code(kind, Squared())
        return [word for word in instructions if word.startswith(("f", "load", "select"))]

    by_hand = arithmetic(Kind("by_hand", cost_by_hand, 1))
    assert any(word.startswith("fmul reassoc") for word in by_hand)
    assert arithmetic(COST) == by_hand


def test_kernels_compile_where_no_cache_can_be_written(monkeypatch):
    from unimds.compiled import parts as _part

    real = _part.njit

    def refuse(*args, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return real(*args, **options)

    monkeypatch.setattr(_part, "njit", refuse)
    assert _part.kernel(lambda x: x + 1.0)(1.0) == 2.0


def test_the_digest_depends_on_the_file_of_an_object_it_does_not_know(tmp_path, monkeypatch):
    path = tmp_path / "unknown_settings.py"

    def made(scale):
        path.write_text(f"class Settings:\n    scale = {scale}\n    __repr__ = lambda self: 'S'\n")
        module = ModuleType("unknown_settings")
        module.__file__ = str(path)
        exec(path.read_text(), vars(module))
        monkeypatch.setitem(sys.modules, "unknown_settings", module)
        return code_digest(cell(GLOBAL.format("SETTINGS.scale"), SETTINGS=module.Settings()))

    assert made(1.0) == made(1.0)
    assert made(1.0) != made(2.0)


# --- what compiles quickly ------------------------------------------------------------------------

COMPILED = {"kernel", "driver", "looping", "stage", "addressed", "inlined"}


def compiled_functions():
    """Yield the compiled functions of the library, each as a tree of its text."""
    for path in Path(unimds.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            marks = getattr(node, "decorator_list", ())
            if any(isinstance(mark, ast.Name) and mark.id in COMPILED for mark in marks):
                yield f"{path.name}: {node.name}", node


def fills_a_slice(node):
    """Return whether a statement assigns to a slice of an array."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return isinstance(node, ast.Assign | ast.AugAssign) and any(
        isinstance(part, ast.Slice)
        for target in targets
        for store in ast.walk(target)
        if isinstance(store, ast.Subscript)
        for part in ast.walk(store.slice)
    )


def test_no_compiled_function_fills_a_slice():
    """A loop compiles in a tenth of a second. Numba takes seconds for ``p[:] = X[:, i]``."""
    found = dict(compiled_functions())
    assert len(found) > 40
    slow = [name for name, tree in found.items() if any(map(fills_a_slice, ast.walk(tree)))]
    assert slow == []


@pytest.mark.parametrize("enabled", [True, False])
def test_compiling_leaves_the_garbage_collector_as_it_was(enabled):
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with without_collecting():
            assert not gc.isenabled()
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()


class Kept:
    """Stands for a compiled function with an index of its own, as another process has it."""

    def __init__(self, folder):
        self._cache, self.load_overload = self, None
        self._cache_file = IndexDataCacheFile(str(folder), "function-1", "stamp")
        looked_up(self)

    def save(self, *entry):
        self._cache_file.save(*entry)

    def load(self, key):
        return self._cache_file.load(key)


def test_processes_that_save_at_once_never_take_the_code_of_each_other(tmp_path, monkeypatch):
    one, two = Kept(tmp_path), Kept(tmp_path)
    write = one._cache_file._save_data

    def later(*entry):  # the other process has read the index before, and saves all in between
        with monkeypatch.context() as before:
            before.setattr(two._cache_file, "_load_index", dict)
            two.save("double", 2)
        write(*entry)

    monkeypatch.setattr(one._cache_file, "_save_data", later)
    one.save("single", 1)
    for reader in (one, two, Kept(tmp_path)):
        assert reader.load("single") in (1, None)
        assert reader.load("double") in (2, None)
    monkeypatch.undo()
    one.save("single", 1)
    two.save("double", 2)
    assert (one.load("single"), one.load("double")) == (1, 2)


def test_code_of_an_older_version_is_removed(tmp_path):
    old, new = Kept(tmp_path), Kept(tmp_path)
    new._cache_file._source_stamp = "another"
    for version in (old, new):
        version.save("single", version is old)
    assert old.load("single") is None
    assert new.load("single") is False
    assert len([*tmp_path.glob("*.nbc")]) == 1
