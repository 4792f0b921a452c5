"""placecenter."""
