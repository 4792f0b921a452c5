"""PlaceCenter on a Dask cluster: tables that no single memory holds.

`unimds.MDS` and `unimds.place_center` come here by themselves when they are given a dask array.
May import: `starts` and what is below it.
"""

from __future__ import annotations

from unimds.cluster.health import ClusterError
from unimds.cluster.stores import read_rows

__all__ = ["ClusterError", "read_rows"]
