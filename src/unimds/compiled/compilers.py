"""Numba's compiler, told what it may leave out, which takes a third of its time.

- Passes over what our own functions never contain, such as closures. Methods of losses and spaces
  may be a user's, so they go through all passes.
- Machine code of inlined functions: nobody calls them.
- Unrolled copies of short loops, such as those over the coordinates of one point.
- The search for garbage, and for rules that it has found before.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, final

import llvmlite.binding as llvm
from numba import config, types
from numba.core import codegen, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.environment import lookup_environment

NEEDLESS = (
    untyped_passes.WithLifting,
    untyped_passes.InlineClosureLikes,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.DeadBranchPrune,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.InlineInlinables,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.LiteralUnroll,
    untyped_passes.LiteralPropagationSubPipelinePass,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.DumpParforDiagnostics,
)
"""Passes that find nothing to do in our own functions."""


# --- what becomes of a function in LLVM -----------------------------------------------------------


class Called(JITCodeLibrary):
    """A function that is called, with all that is inlined in it."""

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        # inlined functions have no code of their own, so what they need of Python is set here
        for variable in self._final_module.global_variables:
            needed = lookup_environment(variable.name)
            if needed is not None:
                self._codegen.set_env(variable.name, needed)  # type: ignore[attr-defined]


class Short(Called):
    """A function whose own loops are short: to unroll them takes longer than to run them."""

    def _optimize_final_module(self) -> None:
        optimise_as_it_is(self, super()._optimize_final_module)


class LinkedIn(JITCodeLibrary):
    """A function that is inlined: it has no machine code, and its callers may unroll its loops.

    If it were not optimised before, LLVM would not vectorise some loops of its callers.
    """

    def _optimize_final_module(self) -> None:
        optimise_as_it_is(self, super()._optimize_final_module)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no such function."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """What sets the environment of a function: there is no code to set it in."""
        return _Nowhere


@final
class Raw(LinkedIn):
    """A part of a driver, which is inlined as it is: there is nothing to vectorise."""

    def _optimize_final_module(self) -> None:
        pass


class _Nowhere:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        pass


def optimise_as_it_is(library: Any, otherwise: Callable[[], None]) -> None:
    """Optimise code, but neither unroll nor vectorise its loops."""
    if not hasattr(codegen, "create_pass_builder"):  # before Numba 0.61
        otherwise()
        return
    module, made = library._final_module, library._codegen
    options = {"loop_vectorize": False, "slp_vectorize": False}
    first, builder = made._module_pass_manager(opt=0, cost="cheap", **options)
    first.run(module, builder)
    tuning = llvm.create_pipeline_tuning_options(speed_level=int(config.OPT))  # type: ignore[attr-defined]
    tuning.loop_unrolling = tuning.loop_interleaving = False
    tuning.loop_vectorization = tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(made._tm, tuning)
    builder.getModulePassManager().run(module, builder)


# --- compilers ------------------------------------------------------------------------------------


class Whole(CompilerBase):
    """A function that takes parts, and may contain anything."""

    library: type[JITCodeLibrary] = Called
    skipped: tuple[type, ...] = ()

    def define_pipelines(self) -> list[Any]:
        """Return the passes, as Numba asks for them."""
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        passes.passes = [one for one in passes.passes if one[0] not in self.skipped]
        passes.finalize()
        return [passes]

    def compile_extra(self, func: Callable) -> Any:
        """Compile a function."""
        with without_collecting(), remembering():
            return super().compile_extra(func)


@final
class Method(Whole):
    """A method of a part."""

    library = LinkedIn


@final
class Inlined(Whole):
    """A function of ours that is inlined."""

    library = LinkedIn
    skipped = NEEDLESS


class Loops(Whole):
    """A function of ours with long loops."""

    skipped = NEEDLESS


@final
class Driver(Loops):
    """A driver: its own loops are short."""

    library = Short


@final
class Stage(Loops):
    """A part of drivers, or of other functions with loops, that is inlined."""

    library = Raw


class Apart(Whole):
    """A function of pointers, of which no two lead to what either writes.

    Nobody calls it from Python, so it has no wrappers.
    """

    skipped = NEEDLESS

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        # Numba compiles a method anew for callers with other flags: so all have the same
        flags = self.state.flags
        flags.forceinline = flags.no_cfunc_wrapper = True
        flags.no_compile = False

    def define_pipelines(self) -> list[Any]:
        """Return the passes, with the flags of this function alone."""
        flags = self.state.flags
        flags.noalias = flags.no_compile = True
        flags.forceinline = False
        return super().define_pipelines()


@final
class ApartShort(Apart):
    """Such a function whose loops are short."""

    library = Short


@contextmanager
def without_collecting() -> Iterator[None]:
    """Put off the search for garbage, which takes a tenth of the time of compiling."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def remembering() -> Iterator[None]:
    """Let Numba find out only once what an operator returns for some types.

    For every ``+`` and every entry of an array it asks a dozen rules, by which it would compile
    other code for other types. That takes a sixth of its time.
    """
    if "get_call_type" in vars(types.Function):  # a function that another one calls
        yield
        return
    types.Function.get_call_type = _remembered
    try:
        yield
    finally:
        del types.Function.get_call_type


_KNOWN: dict[tuple[int, int], tuple[Any, Any, dict[Any, Any]]] = {}


def _remembered(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a call, from memory if it is one that never changes."""
    resolve, args = super(types.Function, function).get_call_type, tuple(args)
    if kws or not all(kind.is_precise() for kind in args):
        return resolve(context, args, kws)
    # Numba makes a new function whenever it learns another rule; what is kept here keeps its id
    kept = _KNOWN.setdefault((id(function), id(context)), (function, context, {}))[2]
    if args not in kept:
        found = resolve(context, args, kws)
        # what Numba compiles for a call depends on its caller
        if found is None or function.get_impl_key(found) is not function.typing_key:
            return found
        kept[args] = found
    return kept[args]
