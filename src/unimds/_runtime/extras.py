"""Optional dependencies: imported when needed, and named when missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PURPOSES = {
    "plot": "drawing",
    "report": "a report",
    "sdp": "the semidefinite program",
    "files": "this kind of file",
    "cli": "the command line",
    "dask": "a table on a cluster",
}
"""What each extra of the package is for."""

PACKAGES = {
    "plot": ("matplotlib",),
    "report": ("plotly",),
    "sdp": ("cvxpy",),
    "files": ("pandas", "pyarrow", "networkx"),
    "cli": ("typer", "rich"),
    "dask": ("dask", "distributed", "zarr"),
}
"""What each extra installs; cli has plot, report and files too."""


def require(module: str, extra: str) -> Any:
    """Return an optional module, or say in one line how to install it.

    Parameters
    ----------
    module : str
        Name of the module, such as "matplotlib.pyplot".
    extra : str
        The extra of this package that installs it, such as "plot".

    Returns
    -------
    module

    Raises
    ------
    ImportError
        Where the package that the module belongs to is not installed.

    Examples
    --------
    >>> require("math", "plot").sqrt(4.0)
    2.0
    >>> require("no_such_package.part", "plot")
    Traceback (most recent call last):
        ...
    ImportError: drawing needs no_such_package: pip install 'unimds[plot]'
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # An installed package may itself miss another one: that is a different mistake.
        if (error.name or "").partition(".")[0] != package:
            raise
    raise ImportError(f"{PURPOSES[extra]} needs {package}: pip install 'unimds[{extra}]'")
