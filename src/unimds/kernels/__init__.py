"""Compiled loops: the pull on a point and the cost of a row, sweeps, shaking.

May import: `compiled` only. Losses and spaces reach the loops as compiled values.
"""
