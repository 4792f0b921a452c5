"""Layers: what papers draw on a map, each on its own, to be combined.

A layer says in marks (lines, dots, arrows, names) what it draws on a map, so that a picture and a
report can show the same; `grounds` has the geometry of flat and curved maps.
"""

from unimds.plots.layers.base import Layer
from unimds.plots.layers.groups import CentroidEllipses, Ellipses, Hulls, Spiders
from unimds.plots.layers.meaning import DriftVectors, PropertyVectors, SpeciesScores
from unimds.plots.layers.trees import Clusters, SpanningTree
from unimds.plots.layers.trust import Bubbles, UncertaintyRegions

__all__ = [
    "Bubbles",
    "CentroidEllipses",
    "Clusters",
    "DriftVectors",
    "Ellipses",
    "Hulls",
    "Layer",
    "PropertyVectors",
    "SpanningTree",
    "SpeciesScores",
    "Spiders",
    "UncertaintyRegions",
]
