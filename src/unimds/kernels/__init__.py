"""The paper's Recenter, Place and sweep, compiled for each loss, space and precision.

Kernels may import `unimds.compiled`; `operations`, which calls them on blocks of rows, may also
import losses, spaces and `unimds.distances.table`.
"""
