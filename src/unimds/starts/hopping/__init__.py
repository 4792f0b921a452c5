"""Hopping: many starts of a small table, and hops between its minima, until the lowest is found.

Begin with `small`, which decides when to end; `ways` has fresh starts and hops for each kind of
problem, `exchanges` says which two points to exchange, and `mirrors` mirrors neighbours. May
import: `seeds`, `seriation`, `search`, `shaking` of `starts`, `placecenter` and what is below it.
"""
