"""The paper's Recenter, Place and sweep, compiled for each loss, space and precision.

May import: `compiled` only. Losses and spaces reach the loops as compiled values.
"""
