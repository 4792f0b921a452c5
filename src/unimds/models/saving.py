"""Saving and loading of models."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from unimds._runtime.arguments import model_and_path
from unimds.distributions.embedding import DistributionEmbedding
from unimds.files import endings
from unimds.files.archive import read_archive, write_archive
from unimds.files.errors import FileError
from unimds.models.distances import of_distances, restored_distances
from unimds.models.distributions import of_distributions, restored_distributions
from unimds.models.parts import Model, label_of, params_of
from unimds.models.several import SEVERAL, of_several, restored_several
from unimds.tables.individual import IndividualDifferences
from unimds.tables.unfolding import Unfolding

KIND = "model"


def save(
    mds: Model,
    path: str | os.PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    force: bool = False,
) -> None:
    """Write a fitted model to a file, completely or not at all.

    Parameters
    ----------
    mds : fitted MDS, LandmarkMDS, DistributionEmbedding, IndividualDifferences or Unfolding
        The model; its loss and space must be built in, and its metric must be a name.
    path : str or PathLike
        The file. Its name may end in ".unimds" or in anything but the ending of another kind of
        file, such as ".csv" or ".html".
    labels : sequence of str, default=None
        Names of the points; by default those that the model was fitted with.
    features : sequence of str, default=None
        Names of the features, or of the points that distances lead to; by default those that the
        model was fitted with.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    FileError
        If the file cannot be written, or if its name is that of another kind of file.
    ValueError
        If the model uses custom code, which cannot be saved.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from unimds import MDS
    >>> folder = tempfile.TemporaryDirectory()
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> mds = MDS(random_state=0).fit(X)
    >>> save(mds, f"{folder.name}/model.unimds")
    >>> again = load(f"{folder.name}/model.unimds")
    >>> np.array_equal(again.transform(X), mds.transform(X))
    True
    >>> folder.cleanup()
    """
    mds, path = model_and_path(mds, path, "save")
    endings.MODEL.check(path)
    check_is_fitted(mds)
    own: Any = mds.labels_ if labels is None else labels
    names = getattr(mds, "feature_names_in_", None) if features is None else features
    named = {
        "estimator": type(mds).__name__,
        "params": params_of(mds),
        "n_features_in": int(getattr(mds, "n_features_in_", len(mds.embedding_))),
        "labels": None if own is None else [label_of(label) for label in own],
        "features": None if names is None else [str(name) for name in names],
    }
    if isinstance(mds, DistributionEmbedding):
        header, arrays = of_distributions(mds)
    elif isinstance(mds, IndividualDifferences | Unfolding):
        header, arrays = of_several(mds)
    else:
        header, arrays = of_distances(mds)
    write_archive(path, KIND, named | header, arrays, force=force)


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model that `save` has written.

    It places new points as the saved model does, but holds no table of distances:
    ``dissimilarity_matrix_`` and ``disparities_`` are None. The file is checked before anything is
    computed from it, and it has no say in the number of threads: ``n_jobs`` is None.

    Parameters
    ----------
    path : str or PathLike
        The file.

    Returns
    -------
    MDS, LandmarkMDS, DistributionEmbedding, IndividualDifferences or Unfolding

    Raises
    ------
    FileError
        If the file is not a model, is broken, or has another version.
    """
    header, arrays = read_archive(path, KIND)
    try:
        if header["estimator"] == DistributionEmbedding.__name__:
            return restored_distributions(header, arrays)
        if header["estimator"] in SEVERAL:
            return restored_several(header, arrays)
        return restored_distances(header, arrays)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        told = error if isinstance(error, ValueError) else f"{error!r} is missing or wrong"
        raise FileError(os.fspath(path), f"the model is broken: {told}") from None
