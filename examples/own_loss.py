"""A loss of your own: Geman and McClure's, which ignores distances that are far off.

Under the absolute loss, the cost of a wrong distance grows with its error. The loss of Geman and
McClure, e²/(width² + e²) for an error e, has a ceiling: errors far above the width all cost the
same. It suits noisy distances some of which are nonsense. The source is S. Geman and D. McClure,
"Statistical methods for tomographic image reconstruction", Bulletin of the International
Statistical Institute 52 (1987). Run the script with ``python examples/own_loss.py``; the first run
takes a few seconds to compile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unimds import MDS, Loss
from unimds.checks import check_loss
from unimds.datasets import corrupt
from unimds.quality import recovery_error
from unimds.spaces import distances


@dataclass(frozen=True)
class GemanMcClure(Loss):
    """Squared for small errors, and never more than 1."""

    width: float = 1.0

    degree = 0.0  # the value has no unit: rescaling all lengths and the width does not change it

    def value(self, u, r):
        return (u - r) ** 2 / (self.width**2 + (u - r) ** 2)

    def weight(self, u, r):  # half the slope of value, divided by u − r
        return self.width**2 / (self.width**2 + (u - r) ** 2) ** 2

    def scaled(self, factor):
        return replace(self, width=self.width * factor)


@dataclass(frozen=True)
class Mistaken(GemanMcClure):
    def weight(self, u, r):  # twice the right value
        return 2.0 * self.width**2 / (self.width**2 + (u - r) ** 2) ** 2


def main() -> None:
    check_loss(GemanMcClure(0.3))
    print("check_loss: the formulas are right")
    try:
        check_loss(Mistaken(0.3))
    except AssertionError as error:
        print(f"check_loss finds a wrong weight: {error}")

    rng = np.random.default_rng(0)
    truth = rng.normal(size=(60, 2))
    noise = rng.normal(scale=0.1, size=(60, 60))
    noisy = distances(truth) * np.exp((noise + noise.T) / np.sqrt(2.0))  # off by about a tenth
    D, wrong = corrupt(noisy, 0.2, rng=rng)
    print(f"{wrong.sum() // 2} of {len(D) * (len(D) - 1) // 2} distances are nonsense")
    for loss in ("squared", "absolute", GemanMcClure(0.5)):
        mds = MDS(loss=loss, metric="precomputed", random_state=0).fit(D)
        error = recovery_error(mds.embedding_, truth)
        print(f"{mds.loss_}: points are off by {error:.3f} of the typical distance")


if __name__ == "__main__":
    main()
