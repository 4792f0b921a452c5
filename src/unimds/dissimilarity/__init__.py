"""Dissimilarities from similarities, correlations, confusions, flows, counts, graphs and more.

One function for each kind of data. `method` names a formula where the field has several; the
functions say where each comes from. A frame keeps its labels, a missing number (NaN) stays missing,
and every point is at distance 0 from itself. What a formula sends to infinity, such as a pair that
was never confused, is left out as missing, and a warning says so. The room may import `distances`
and below.
"""

from unimds.dissimilarity.counts import COUNTS, from_counts, wisconsin
from unimds.dissimilarity.frequencies import (
    CONFUSIONS,
    COOCCURRENCES,
    FLOWS,
    from_confusions,
    from_cooccurrences,
    from_flows,
)
from unimds.dissimilarity.graphs import from_graph
from unimds.dissimilarity.similarities import (
    CORRELATIONS,
    SIMILARITIES,
    from_correlations,
    from_similarities,
)

__all__ = [
    "from_confusions",
    "from_cooccurrences",
    "from_correlations",
    "from_counts",
    "from_flows",
    "from_graph",
    "from_similarities",
    "wisconsin",
]

METHODS = {
    "correlations": CORRELATIONS,
    "similarities": SIMILARITIES,
    "confusions": CONFUSIONS,
    "cooccurrences": COOCCURRENCES,
    "flows": FLOWS,
    "counts": COUNTS,
}
"""The formulas for each kind of data, by name."""
