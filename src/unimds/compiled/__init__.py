"""From a frozen dataclass to machine code: losses and spaces as values that Numba inlines.

This is the only package that touches Numba's internals, and it also holds elementary functions that
vectorise. It imports no other package of unimds.
"""
