"""starts."""
