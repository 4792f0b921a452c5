"""unimds: multidimensional scaling with any loss, into any space.

>>> from unimds import MDS
>>> MDS(2, random_state=0).fit_transform([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]).shape
(3, 2)
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unimds._public import *  # noqa: F403

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Import public names and modules on first use: Numba and scikit-learn take a second."""
    if name in ("cli", "files"):
        import unimds.cli
        import unimds.files
    elif name == "__all__" or not name.startswith("_"):
        import unimds._public as public

        names = {key: value for key, value in vars(public).items() if not key.startswith("_")}
        globals().update(names, __all__=sorted(names))
        if name not in globals():  # a module that no public name needs
            import unimds.anndata
            import unimds.checks
            import unimds.cluster
            import unimds.constraints
            import unimds.datasets
            import unimds.demo
            import unimds.dissimilarity
            import unimds.experiments
            import unimds.interpret
            import unimds.models
            import unimds.plots
            import unimds.quality
            import unimds.report
            import unimds.rivals
            import unimds.trust  # noqa: F401
    if name in globals():
        return globals()[name]
    advice = _advice(name)
    if advice and sys._getframe(1).f_code.co_name == "_handle_fromlist":
        # ``from unimds import name``, which would hide the advice of an AttributeError
        raise ImportError(f"cannot import name {name!r} from {__name__!r}{advice}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")


def _advice(name: str) -> str:
    """Return what to use instead of a name that another program has, or that is misspelt."""
    if name.startswith("_"):
        return ""
    from unimds.estimators.elsewhere import named_elsewhere

    return named_elsewhere(name, __getattr__("__all__"))


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
