"""Optional dependencies: imported on first use, and named if they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PURPOSES = {
    "plot": "drawing",
    "report": "a report",
    "sdp": "the semidefinite program",
    "files": "this kind of file",
    "r": "a file of R",
    "spss": "a file of SPSS",
    "cli": "the command line",
    "dask": "a table on a cluster",
    "studio": "the studio",
}
"""The purpose of each extra, for error messages."""

PACKAGES = {
    "plot": ("matplotlib",),
    "report": ("plotly",),
    "sdp": ("cvxpy",),
    "files": ("pandas", "pyarrow"),
    "r": ("rdata",),
    "spss": ("pandas", "pyreadstat"),
    "cli": ("typer", "rich"),
    "dask": ("dask", "distributed", "zarr"),
    "studio": ("starlette", "uvicorn"),
}
"""The packages that each extra installs; cli also installs plot, report and files."""


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
        If the package of the module is not installed.

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
        # an installed package may itself lack another package: a different error
        if (error.name or "").partition(".")[0] != package:
            raise
    raise ImportError(f"{PURPOSES[extra]} needs {package}: pip install 'unimds[{extra}]'")
