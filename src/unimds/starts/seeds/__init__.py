"""Seeds: configurations to descend from, and the size of the space that they need.

Begin with `initial`, the spectral, random or given ones; `tree` has those of tables that a tree
fits, and `size` finds the radius of a sphere or the curvature of a plane. May import: `placecenter`
and what is below it, and nothing else of `starts`.
"""
