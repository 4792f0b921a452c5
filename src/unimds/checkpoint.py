"""Checkpoints: a long run is kept in a file, and goes on from there to the same result."""

from unimds.starts.keep import Checkpoint

__all__ = ["Checkpoint"]
