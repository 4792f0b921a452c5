"""A space of one's own."""

from dataclasses import dataclass

import numpy as np

from unimds import Space


@dataclass(frozen=True)
class Torus(Space):
    """The flat torus: a square whose opposite sides are one."""

    side: float = 1.0

    def wrapped(self, t):
        return t - self.side * np.floor(t / self.side + 0.5)

    def measure(self, p, X, dist, slope):
        for j in range(dist.shape[0]):
            total = 0.0
            for a in range(X.shape[0]):
                total += self.wrapped(X[a, j] - p[a]) ** 2
            dist[j] = np.sqrt(total)
            slope[j] = 1.0

    def gather(self, p, X, coef, v):
        for a in range(X.shape[0]):
            v[a] = 0.0
            for j in range(coef.shape[0]):
                v[a] += coef[j] * self.wrapped(X[a, j] - p[a])

    def exp(self, p, v):
        for a in range(p.shape[0]):
            p[a] = (p[a] + v[a]) % self.side

    def random(self, n, n_components, spread, rng):
        return rng.uniform(0.0, self.side, size=(n, n_components))

    def check_points(self, X, name):
        if ((self.side < X) | (X < 0.0)).any():
            raise ValueError(f"{name}: coordinates must lie between 0 and {self.side}")
