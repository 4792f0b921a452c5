"""How Sphinx builds these pages; `make docs` runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import unimds

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "unimds"
author = copyright = "the unimds developers"
version = release = unimds.__version__

extensions = [
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
exclude_patterns = ["_build", "reproduction/runs", "reproduction/claims.md"]

# --- pages ----------------------------------------------------------------------------------------

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
highlight_language = "none"

# --- reference ------------------------------------------------------------------------------------

default_role = "py:obj"  # `MDS` in a docstring leads to MDS
add_module_names = False
autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say it in words
autodoc_default_options = {
    # scikit-learn adds these to every estimator.
    "exclude-members": "set_fit_request, set_transform_request, set_score_request, "
    "set_inverse_transform_request, set_output",
}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
templates_path = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [
    ("py:obj", r"[^.]+"),  # a parameter's name, say, leads nowhere
    ("py:obj", r"(np|numpy|scipy|sklearn)\..*"),
    ("py:obj", r"unimds\.spaces\.spectral\.Rows|jl\.Projections|Table\.columns"),
]
# Measured tables are shared by pages, as sections of the third level.
suppress_warnings = ["myst.header"]

# --- looks ----------------------------------------------------------------------------------------

html_theme = "furo"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["formulas.css"]
html_title = f"unimds {release}"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
