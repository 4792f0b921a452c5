"""Hopping: many starts of a small table, and hops between its minima, until the lowest is found.

Begin with `small`, which decides when to end. `base` says what hops and starts are, and `ways`
chooses them for a problem: those along a curve or watched step by step stand there, those by ever
sharper losses in `sharpening`. `exchanges` says which two points to exchange, and `mirrors` mirrors
neighbours. May import: `seeds`, `seriation`, `search`, `shaking` of `starts`, `placecenter` and
what is below it.
"""
