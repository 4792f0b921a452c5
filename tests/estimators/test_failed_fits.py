"""A failed fit changes nothing: the last one stays usable."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.support.tables import FRAME, POINTS, D, changed
from unimds import MDS


def fitted_state(estimator):
    return {name: value for name, value in vars(estimator).items() if name.endswith("_")}


def differences(before, after):
    """Name the attributes that are not what they were."""
    return [name for name in {**before, **after} if before.get(name) is not after.get(name)]


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (changed(1, 2, -1.0), {}),
        (D[:4], {}),
        (D[:5, :5], {"weights": np.ones((3, 3))}),
        (FRAME.iloc[:5, :5], {"fixed": {"zz": [0.0, 0.0]}}),
        (changed(1, 2, np.inf), {}),
        (D[:5, :5], {"init": np.ones((2, 2))}),
    ],
    ids=["negative", "not square", "weights", "labels", "infinite", "seed"],
)
def test_a_failed_fit_leaves_the_last_one_usable(table, options):
    estimator = MDS(metric="precomputed", random_state=0).fit(D)
    before, placed = fitted_state(estimator), estimator.transform(D[:2])
    with pytest.raises(ValueError, match=r".+"):
        estimator.fit(table, **options)
    assert differences(before, fitted_state(estimator)) == []
    assert_array_equal(estimator.transform(D[:2]), placed)


def test_a_failed_fit_of_features_leaves_the_last_one_usable():
    estimator = MDS(random_state=0).fit(POINTS)
    placed = estimator.transform(POINTS[:2])
    with pytest.raises(ValueError, match="weights must have the shape"):
        estimator.fit(np.ones((4, 3)), weights=np.ones((2, 2)))
    assert_array_equal(estimator.transform(POINTS[:2]), placed)


def test_a_fit_with_a_bad_parameter_leaves_the_last_one_usable():
    estimator = MDS(metric="precomputed", random_state=0).fit(D)
    before = fitted_state(estimator)
    with pytest.raises(ValueError, match="a map of 5 dimensions needs more than 5 points"):
        estimator.set_params(n_components=5).fit(FRAME.iloc[:5, :5])
    estimator.set_params(n_components=2)
    assert differences(before, fitted_state(estimator)) == []
