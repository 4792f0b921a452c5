"""Dissimilarities from similarities, correlations, confusions, co-occurrences, flows and counts.

One function for each kind of data. `method` names a formula where the field has several; the
functions say where each comes from. A frame keeps its labels, a missing number (NaN) stays missing,
and every point is at distance 0 from itself. What a formula sends to infinity, such as a pair that
was never confused, is left out as missing, and a warning says so. The room may import `distances`
and below.
"""

from unimds.dissimilarity.counts import from_counts, wisconsin
from unimds.dissimilarity.frequencies import from_confusions, from_cooccurrences, from_flows
from unimds.dissimilarity.similarities import from_correlations, from_similarities

__all__ = [
    "from_confusions",
    "from_cooccurrences",
    "from_correlations",
    "from_counts",
    "from_flows",
    "from_similarities",
    "wisconsin",
]
