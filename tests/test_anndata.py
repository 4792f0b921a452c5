"""AnnData objects: `unimds.anndata.mds`, and fits of objects that hold one table."""

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import unimds.anndata
from tests.support.tables import LABELS, POINTS, D
from unimds import MDS, LandmarkMDS

QUICK = {"n_init": 1, "random_state": 0}
X = np.hstack([POINTS, POINTS**2])
GENES = ["g1", "g2", "g3", "g4"]


def cells(**places):
    obs, var = pd.DataFrame(index=LABELS), pd.DataFrame(index=GENES)
    return anndata.AnnData(X.copy(), obs=obs, var=var, **places)


@pytest.mark.parametrize("kind", [MDS, LandmarkMDS])
@pytest.mark.parametrize("made", [np.asarray, sp.csr_matrix])
def test_an_object_with_x_alone_goes_into_a_fit(kind, made):
    adata = cells()
    adata.X = made(X)
    mds = kind(**QUICK).fit(adata)
    np.testing.assert_array_equal(mds.embedding_, kind(**QUICK).fit_transform(X))
    assert (mds.labels_.tolist(), mds.feature_names_in_.tolist()) == (LABELS, GENES)
    np.testing.assert_array_equal(mds.transform(adata[:2]), mds.transform(adata.to_df()[:2]))


@pytest.mark.parametrize("place", [{"obsm": {"X_pca": POINTS}}, {"obsp": {"distances": D}}])
def test_several_tables_are_ambiguous(place):
    (where, tables), adata = *place.items(), cells(**place)
    key = next(iter(tables))
    says = rf"several of its tables could be meant \(it has X, {where}\['{key}'\]\): .*use_rep"
    for ask in (MDS().fit, unimds.anndata.mds):
        with pytest.raises(TypeError, match=says):
            ask(adata)
    with pytest.raises(TypeError, match=r"a table of distances is needed .*obsp="):
        MDS(metric="precomputed").fit(adata)


def test_a_map_is_written_beside_its_parameters(tmp_path):
    adata = cells(obsm={"X_pca": POINTS})
    assert unimds.anndata.mds(adata, use_rep="X_pca", **QUICK) is None
    np.testing.assert_array_equal(adata.obsm["X_mds"], MDS(**QUICK).fit_transform(POINTS))
    told = adata.uns["mds"]
    assert told["params"]["use_rep"] == "X_pca"
    assert told["params"]["random_state"] == 0
    assert told["stress"] == MDS(**QUICK).fit(POINTS).stress_
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(again.obsm["X_mds"], adata.obsm["X_mds"])
    assert again.uns["mds"]["params"]["metric"] == "euclidean"


@pytest.mark.parametrize("made", [np.asarray, sp.csr_matrix])
def test_distances_of_pairs(made):
    adata = cells(obsp={"distances": made(D)})
    unimds.anndata.mds(adata, obsp="distances", key_added="map", **QUICK)
    expected = MDS(metric="precomputed", **QUICK).fit_transform(D)
    np.testing.assert_array_equal(adata.obsm["map"], expected)
    assert adata.uns["map"]["params"]["obsp"] == "distances"
    with pytest.raises(ValueError, match=r"holds distances, and metric='cosine'"):
        unimds.anndata.mds(adata, obsp="distances", metric="cosine")


def test_x_and_an_estimator_and_a_copy():
    adata, estimator = cells(obsm={"X_pca": POINTS}), LandmarkMDS(**QUICK)
    found = unimds.anndata.mds(adata, estimator, use_rep="X", copy=True)
    assert "X_mds" not in adata.obsm
    np.testing.assert_array_equal(found.obsm["X_mds"], LandmarkMDS(**QUICK).fit_transform(X))
    assert not hasattr(estimator, "embedding_")
    sparse = cells(obsm={"X_few": sp.csr_matrix(POINTS)})
    unimds.anndata.mds(sparse, use_rep="X_few", **QUICK)
    assert sparse.obsm["X_mds"].shape == (6, 2)


def test_wrong_calls():
    adata = cells(obsm={"X_pca": POINTS}, obsp={"connectivities": sp.csr_matrix(D)})
    for named, error, says in (
        (
            {"use_rep": "X_umap"},
            ValueError,
            "'X_umap' is not there; adata has 'X', 'X_pca'",
        ),
        ({"obsp": "far"}, ValueError, "obsp='far' is not there; adata has 'connectivities'"),
        ({"obsp": "connectivities"}, ValueError, r"strengths of ties, .*strength=True"),
        ({"obsp": "a", "use_rep": "b"}, ValueError, "not both"),
        ({"estimator": MDS(), "level": "ordinal"}, TypeError, "level: give parameters to the"),
        ({"use_rep": "X", "ndim": 3}, TypeError, "n_components"),
    ):
        with pytest.raises(error, match=says):
            unimds.anndata.mds(adata, **named)
    with pytest.raises(TypeError, match="must be an AnnData object, not ndarray"):
        unimds.anndata.mds(D)
    bare = anndata.AnnData(obs=pd.DataFrame(index=LABELS), obsm={"X_pca": POINTS})
    with pytest.raises(ValueError, match="adata has no X"):
        unimds.anndata.mds(bare, use_rep="X")


def test_a_copy_of_an_object_in_a_file_is_in_memory(tmp_path):
    cells(obsp={"distances": D}).write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    found = unimds.anndata.mds(backed, obsp="distances", copy=True, **QUICK)
    assert found.obsm["X_mds"].shape == (len(D), 2)
    assert not found.isbacked
    assert "X_mds" not in backed.obsm
    backed.file.close()


def test_an_estimator_is_no_class():
    with pytest.raises(TypeError, match=r"such as LandmarkMDS\(\), not a class"):
        unimds.anndata.mds(cells(), LandmarkMDS)
