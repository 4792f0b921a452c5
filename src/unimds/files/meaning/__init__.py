"""Meaning: cells, arrays and named columns become a table of distances or of points."""
