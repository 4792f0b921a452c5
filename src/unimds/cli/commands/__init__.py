"""The commands of ``unimds``, one per module."""
