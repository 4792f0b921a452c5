"""Maps that must obey: points that depend on given variables, or lie on a line or in regions.

Give one of these to ``MDS.fit(D, constraints=...)``. May import: `starts` and what is below it.
"""

from __future__ import annotations

from unimds.constraints.base import Constraint
from unimds.constraints.linear import LinearIn
from unimds.constraints.shapes import OnCircle, OnLine, Regions

__all__ = ["Constraint", "LinearIn", "OnCircle", "OnLine", "Regions"]
