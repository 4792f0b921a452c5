"""A valid file of every format, to be cut off, changed or broken."""

import gzip
import io
import json
import warnings

import networkx as nx
import numpy as np
import pandas as pd

from tests.support.r_files import dist, rds
from unimds.files import FileError, FileWarning, Table, read

D = np.array([[0.0, 1.0, 2.5], [1.0, 0.0, 3.0], [2.5, 3.0, 0.0]])
SMALL = 1 << 20  # more than a file here has reason to take


def saved(write_to):
    file = io.BytesIO()
    write_to(file)
    return file.getvalue()


def valid():
    """Return a valid file of every format."""
    frame = pd.DataFrame(D, index=list("abc"), columns=list("abc"))
    return {
        "csv": b",a,b,c\na,0,1,2.5\nb,1,0,3\nc,2.5,3,0\n",
        "semicolon": b'"a; b";0;1,5\nc;1,5;0\n',
        "lsmat": b"#\n\ta\tb\na\t0\t1\nb\t1\t0\n",
        "points": "name,class,x,y\nä,u,1,2\nb,u,3,4e-3\nc,v,5,NA\n".encode(),
        "utf-16": "name,x\nä,1\nb,2\n".encode("utf-16"),
        "triangle": b"a\nb 1\nc 2 3\n",
        "phylip": b"3\na 0 1 2\nb 1 0 3\nc 2 3 0\n",
        "pairs": b"from,to,dist,weight\na,b,1,1\na,c,2,3\n",
        "edges": b"source target\na b\nb c\n",
        "json": b'[{"label": "a", "x": 1.5}, {"label": "b", "x": null}]',
        "graphml": saved(lambda file: nx.write_graphml(nx.path_graph(3), file)),
        "gexf": saved(lambda file: nx.write_gexf(nx.path_graph(3), file)),
        "gml": saved(lambda file: nx.write_gml(nx.path_graph(3), file)),
        "node-link": json.dumps(nx.node_link_data(nx.path_graph(3), edges="links")).encode(),
        "npy": saved(lambda file: np.save(file, D)),
        "npz": saved(lambda file: np.savez(file, D=D, labels=list("abc"))),
        "npz compressed": saved(lambda file: np.savez_compressed(file, D=D, labels=list("abc"))),
        "parquet": saved(lambda file: frame.to_parquet(file)),
        "stata": saved(lambda file: frame.to_stata(file, version=118, write_index=False)),
        "r": rds(dist(D[np.triu_indices(3, 1)], 3, list("abc"))),
        "gzip": gzip.compress(b"0,1\n1,0\n"),
    }


VALID = valid()


def attempt(path, content, **options):
    """Read a file; anything but a table or a FileError ends the test."""
    path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FileWarning)  # an assumption is no failure
            table = read(path, max_bytes=SMALL, **options)
    except FileError:
        return None
    assert isinstance(table, Table)
    assert table.values.ndim == 2
    assert table.values.shape[1] == table.n or not table.precomputed
    assert table.labels is None or len(table.labels) == table.n
    assert all(len(column) == table.n for column in table.columns.values())
    assert table.edges is None or table.edges.size == 0 or table.edges.max() < table.n
    return table
