"""The paper's Recenter, Place and sweep, compiled. Begin with `drivers`.

May import: `compiled` only. Losses and spaces reach compiled code as values.
"""
