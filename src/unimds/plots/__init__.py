"""Pictures of maps: each function draws one picture on one pair of axes, and returns the axes.

Layers (hulls, ellipses, trees, arrows, bubbles) go on top of a map, and `publication` makes
pictures as papers print them. The room may import `trust`, `interpret`, `quality`, `spaces` and
below. matplotlib is an extra, ``pip install 'unimds[plot]'``, and is imported only when something
is drawn. The colours suit colour-blind readers, and shapes differ too, so that a picture can be
read in grey.
"""

from unimds.plots.animation import Descent, animate_descent
from unimds.plots.choice import plot_choice
from unimds.plots.embedding import plot_embedding, plot_poincare, plot_sphere, plot_ternary
from unimds.plots.fit import plot_convergence, plot_point_stress, plot_shepard, plot_starts
from unimds.plots.globe import plot_globe
from unimds.plots.interpretation import plot_drift, plot_procrustes, plot_properties
from unimds.plots.layers import (
    Bubbles,
    CentroidEllipses,
    Clusters,
    DriftVectors,
    Ellipses,
    Hulls,
    Layer,
    PropertyVectors,
    SpanningTree,
    SpeciesScores,
    Spiders,
    UncertaintyRegions,
)
from unimds.plots.several import plot_maps
from unimds.plots.tables import plot_joint, plot_subject_weights
from unimds.plots.themes import publication
from unimds.plots.transformation import plot_transformation
from unimds.plots.trust import plot_permutation_test, plot_stability

__all__ = [
    "Bubbles",
    "CentroidEllipses",
    "Clusters",
    "Descent",
    "DriftVectors",
    "Ellipses",
    "Hulls",
    "Layer",
    "PropertyVectors",
    "SpanningTree",
    "SpeciesScores",
    "Spiders",
    "UncertaintyRegions",
    "animate_descent",
    "plot_choice",
    "plot_convergence",
    "plot_drift",
    "plot_embedding",
    "plot_globe",
    "plot_joint",
    "plot_maps",
    "plot_permutation_test",
    "plot_poincare",
    "plot_point_stress",
    "plot_procrustes",
    "plot_properties",
    "plot_shepard",
    "plot_sphere",
    "plot_stability",
    "plot_starts",
    "plot_subject_weights",
    "plot_ternary",
    "plot_transformation",
    "publication",
]
