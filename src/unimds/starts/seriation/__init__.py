"""Seriation: orders of points on a line and on a circle.

Begin with `curves`, which finds good orders of any number of points; `line` proves the lowest order
of few. May import: `placecenter` and what is below it, and nothing else of `starts`.
"""
