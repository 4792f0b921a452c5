"""What a finished map means: variables fitted to it, other maps, the asymmetry of its table.

`fit_properties` is vegan's envfit, `procrustes_test` its protest, `weighted_scores` its wascores;
`drift_vectors` is that of smacof. The room may import `quality` and below.
"""

from unimds.interpret.drift import Drift, drift_vectors
from unimds.interpret.procrustes import Procrustes, procrustes_test
from unimds.interpret.properties import (
    FactorProperty,
    Properties,
    VectorProperty,
    fit_properties,
)
from unimds.interpret.scores import weighted_scores

__all__ = [
    "Drift",
    "FactorProperty",
    "Procrustes",
    "Properties",
    "VectorProperty",
    "drift_vectors",
    "fit_properties",
    "procrustes_test",
    "weighted_scores",
]
