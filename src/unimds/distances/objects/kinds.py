"""What a kind of object is asked: is it one of yours, what are its labels, what is its table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

DEFAULT = "euclidean"
"""The metric of an estimator that was given none."""


class Kind(ABC):
    """A kind of object that another package makes, and how it becomes a table.

    Attributes
    ----------
    what : str
        What to call it.
    """

    what: str

    @abstractmethod
    def matches(self, X: Any) -> bool:
        """Return whether an object is of this kind."""

    def holds_distances(self, X: Any) -> bool:
        """Return whether an object can only hold distances."""
        return False

    def labels(self, X: Any, square: bool) -> list[Any] | None:
        """Return the labels of its points, if it has any; `square` if its rows are distances."""
        return None

    def columns(self, X: Any) -> list[Any] | None:
        """Return the names of its columns, if they have names of their own."""
        return None

    @abstractmethod
    def distances(self, X: Any, name: str) -> Any:
        """Return distances as an array or a frame; a pair that the object leaves out is NaN."""

    @abstractmethod
    def numbers(self, X: Any, name: str) -> Any:
        """Return numbers as they stand, such as features, as an array or a frame."""

    def in_pandas(self, X: Any) -> Any:
        """Return values for points, words too, with their labels, in a frame or a Series."""
        return X


class Paths(Kind):
    """A kind of object that holds distances and nothing else."""

    def holds_distances(self, X: Any) -> bool:
        """Return True: there is nothing else in it."""
        return True

    def numbers(self, X: Any, name: str) -> Any:
        """Refuse: distances are no features."""
        raise ValueError(
            f"{name} is {self.what}, which holds distances: give it to a fit, without a metric or "
            "with metric='precomputed'"
        )


def is_of(X: Any, package: str) -> bool:
    """Return whether the class of an object, or one of its bases, comes from a package."""
    return any(kind.__module__.partition(".")[0] == package for kind in type(X).__mro__)


def has(X: Any, *attributes: str) -> bool:
    """Return whether an object has all of these attributes."""
    return all(hasattr(X, name) for name in attributes)
