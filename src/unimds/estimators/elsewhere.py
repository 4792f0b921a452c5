"""Parameters and functions that other programs have: where to find the same thing here."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from inspect import signature
from typing import Any

from unimds._runtime.arguments import similar

NONMETRIC = "nonmetric scaling is level='ordinal', as in MDS(level='ordinal')"
TIES = "it belongs to the level, as in level=Ordinal(ties='secondary')"
SPLINE = "it belongs to the level, as in level=MonotoneSpline(degree=2, knots=3)"
DIMENSION = "the dimension of the map is n_components"
FOR_FIT = "give {name} to fit, as in fit(X, {name}=...)"

DISTANCE = "the distance between rows of features is metric, as in metric='braycurtis'"
STARTS = "the number of starts is n_init"
LIMIT = "the largest number of sweeps is max_iter"

ELSEWHERE = {
    "dissimilarity": "for a table of distances write metric='precomputed'; for features leave it "
    "out, or name their metric as in metric='cityblock'",
    "metric_mds": NONMETRIC + "; for metric scaling leave metric_mds out",
    "nonmetric": NONMETRIC + "; for metric scaling leave nonmetric out",
    "non_metric": NONMETRIC + "; for metric scaling leave non_metric out",
    "type": "the level of measurement is level: 'ratio', the default, 'interval', 'ordinal', "
    "'spline' (smacof's 'mspline') or 'power'",
    "ordinal": NONMETRIC,
    "interval": "use level='interval'",
    "mspline": "use level='spline'",
    "spline_degree": SPLINE,
    "spline_intKnots": SPLINE,
    "ties": TIES,
    "weakties": TIES,
    "strictness": "it belongs to the level, as in level=Ordinal(strictness=0.1)",
    "conditionality": "use conditional='table' or conditional='row'",
    "conditional": "one transformation for each row needs all distances of the row: use "
    "MDS(conditional='row'), or leave conditional out",
    "distance": DISTANCE,
    "dist": DISTANCE,
    "trymax": STARTS,
    "try": STARTS,
    "nstart": STARTS,
    "maxit": LIMIT,
    "itmax": LIMIT,
    "maxiter": LIMIT,
    **dict.fromkeys(
        ("autotransform", "standardise", "standardize", "wisconsin"),
        "it belongs to the metric, as in metric_params={{'standardise': 'wisconsin'}}, 'sqrt' or "
        "'sqrt,wisconsin'",
    ),
    "weightmat": "give weights to fit, as in fit(X, weights=...)",
    "normalized_stress": "leave it out: stress_ is Stress-1, and cost_ is the sum of the loss",
    "dim": DIMENSION,
    "ndim": DIMENSION,
    "k": DIMENSION,
    "embedding_dim": DIMENSION,
    "seed": "the seed of everything random is random_state",
    "weights": FOR_FIT,
    "constraints": FOR_FIT,
    "constraint": "give constraints to fit, as in fit(X, constraints=unimds.constraints.OnLine())",
    "omega": "PREFSCAL's ω is penalty_weight of Unfolding",
    "lambda": "PREFSCAL's λ is penalty_power of Unfolding",
    "fixed": FOR_FIT,
    "radius": "it belongs to the space, as in space=Sphere(radius=2.0)",
    "curvature": "it belongs to the space, as in space=Hyperbolic(curvature=2.0)",
    "n_landmarks": "use LandmarkMDS",
    "landmarks": "use LandmarkMDS",
}
"""What to write instead of a parameter that an estimator does not have."""


NAMES = {
    "metaMDS": "for a table of distances use MDS(level='ordinal', metric='precomputed').fit(D); "
    "for a table of counts MDS(level='ordinal', metric='braycurtis').fit(X)",
    **dict.fromkeys(
        ("monoMDS", "isoMDS", "NMDS", "nmds", "NonmetricMDS", "NonMetricMDS", "nonmetric_mds"),
        "use MDS(level='ordinal', metric='precomputed').fit(D)",
    ),
    "vegdist": "use unimds.dissimilarity.from_counts; or give the table of counts to "
    "MDS(metric='braycurtis')",
    **dict.fromkeys(
        ("cmdscale", "pcoa", "PCoA", "ClassicalMDS", "classical_mds"),
        "use unimds.rivals.classical_mds",
    ),
    **dict.fromkeys(("smacof", "SMACOF"), "use MDS, or unimds.rivals.smacof to compare with it"),
    "sammon": "use MDS, with weights of 1 / D for each pair: fit(D, weights=1 / D)",
    **dict.fromkeys(
        ("unfolding", "smacofRect", "prefscal"),
        "use Unfolding().fit(D); for ranks and ratings Unfolding(level='ordinal')",
    ),
    **dict.fromkeys(
        ("smacofIndDiff", "indscal", "INDSCAL"), "use IndividualDifferences(model='indscal')"
    ),
    **dict.fromkeys(("idioscal", "IDIOSCAL"), "use IndividualDifferences(model='idioscal')"),
    **dict.fromkeys(
        ("smacofConstraint",),
        "use MDS(metric='precomputed').fit(D, constraints=...) with LinearIn, OnCircle or Regions "
        "of unimds.constraints",
    ),
    **dict.fromkeys(("read", "read_csv", "write"), "use unimds.files.{name}"),
    **dict.fromkeys(("save", "load"), "use unimds.models.{name}"),
    **dict.fromkeys(("write_report",), "use unimds.report.{name}"),
    **dict.fromkeys(("stress", "stress_1", "point_stress", "align"), "use unimds.quality.{name}"),
    **dict.fromkeys(("plot_embedding", "plot_shepard", "plot_starts"), "use unimds.plots.{name}"),
    **dict.fromkeys(
        ("smacofSym", "mds"),
        "use MDS(metric='precomputed').fit(D); smacof's type is level: level='ordinal', "
        "'interval' or, for 'mspline', 'spline'",
    ),
    **dict.fromkeys(
        ("procrustes", "protest"),
        "use unimds.interpret.procrustes_test, or unimds.quality.align to turn a map alone",
    ),
    **dict.fromkeys(
        ("wisconsin", "decostand"),
        "use MDS(metric='braycurtis', metric_params={{'standardise': 'wisconsin'}}), which treats "
        "new points alike; unimds.dissimilarity.from_counts has chord, Hellinger's and chi-squared "
        "distances",
    ),
    "envfit": "use unimds.interpret.fit_properties",
    "wascores": "use unimds.interpret.weighted_scores",
    "driftVectors": "use unimds.interpret.drift_vectors",
    "sim2diss": "unimds.dissimilarity has a function for each kind of data: from_similarities, "
    "from_correlations, from_confusions, from_cooccurrences, from_flows",
    **dict.fromkeys(("permtest", "permutation_test"), "use unimds.trust.permutation_test"),
    **dict.fromkeys(
        ("randomstress", "random_stress_norms"), "use unimds.trust.random_stress_norms"
    ),
    **dict.fromkeys(("jackmds", "jackknife"), "use unimds.trust.jackknife"),
    **dict.fromkeys(("bootmds", "bootstrap"), "use unimds.trust.bootstrap"),
    "confEllipse": "use unimds.trust.bootstrap(mds).regions(), and unimds.plots.plot_stability",
    "stressplot": "use unimds.plots.plot_shepard",
    "ordiplot": "use unimds.plots.plot_embedding",
}
"""What to use instead of a function of another program."""


def named_elsewhere(name: str, known: Iterable[str]) -> str:
    """Return what to use instead of a name that the package does not have, or nothing.

    Examples
    --------
    >>> named_elsewhere("LandmarksMDS", ["LandmarkMDS", "MDS"])
    ': is LandmarkMDS meant?'
    """
    if name in NAMES:
        return f": {NAMES[name].format(name=name.replace('_csv', ''))}"
    found = get_close_matches(name, list(known), n=1, cutoff=0.8)
    return f": is {found[0]} meant?" if found else ""


def check_names(estimator: type[Any], given: Iterable[str]) -> None:
    """Raise where an estimator has no parameter of a given name; say where to find it.

    Examples
    --------
    >>> from unimds import MDS
    >>> MDS(n_component=3)
    Traceback (most recent call last):
        ...
    TypeError: MDS has no parameter 'n_component': is n_components meant?
    """
    known = signature(estimator.__init__).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return  # a class of the user's own that checks its names itself
    for name in given:
        if name not in known:
            advice = ELSEWHERE.get(name, "").format(name=name) or similar(name, list(known)[1:])
            raise TypeError(f"{estimator.__name__} has no parameter {name!r}: {advice}")


def check_metric(metric: Any) -> None:
    """Raise where `metric` has scikit-learn's meaning before 1.8: True for metric scaling."""
    if metric is False:
        raise ValueError(
            f"metric=False: {NONMETRIC}. Here metric names the distance between rows of features, "
            "or is 'precomputed' where fit is given distances"
        )
    if metric is True:
        raise ValueError(
            "metric=True is the default, level='ratio': leave it out. Here metric names the "
            "distance between rows of features, or is 'precomputed' where fit is given distances"
        )
