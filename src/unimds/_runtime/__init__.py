"""Plumbing: optional packages, warnings, the clock and the progress of a run.

May import: nothing of unimds. Everything else may import from here.
"""
