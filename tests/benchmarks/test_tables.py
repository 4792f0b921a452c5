"""The tables of the benchmark: sound, of many sizes, and with the numbers of their sources."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from unimds.files.meaning.similarities import seem_similar

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import tables

    yield tables
    sys.modules.pop("tables")


@pytest.fixture
def found(bench):
    return {table.name: table for table in bench.tables()}


def test_tables_are_dissimilarities(found):
    for table in found.values():
        D, n = table.D, len(table.D)
        assert D.dtype == np.float64, table.name
        assert D.shape == (n, n), table.name
        assert np.isfinite(D).all(), table.name
        assert (D >= 0.0).all(), table.name
        assert np.array_equal(D, D.T), table.name
        assert not D.diagonal().any(), table.name
        assert D.any(), table.name


def test_no_table_is_taken_for_similarities(found):
    assert [table.name for table in found.values() if seem_similar(table.D)] == []
    turned = {name: seem_similar(table.D.max() - table.D) for name, table in found.items()}
    assert sum(turned.values()) > 0.6 * len(turned)  # most tables, though, if they are turned round
    assert all(turned[name] for name in ("ekman-14-colours", "morse-36-signals"))


def test_there_are_many_tables_of_many_sizes(bench, found):
    sizes = np.array([len(table.D) for table in found.values()])
    assert len(found) == len(bench.tables()) >= 44, "names are distinct"
    assert sizes.min() >= 5
    assert sizes.max() <= 60
    assert (sizes <= 25).sum() >= 22
    assert (sizes >= 30).sum() >= 12


def test_every_table_tells_its_source(bench, found):
    kinds = [table.kind for table in found.values()]
    assert set(kinds) == {bench.PUBLISHED, bench.MADE}
    assert kinds.count(bench.PUBLISHED) >= 15
    assert all(table.source.strip() for table in found.values())
    for table in found.values():
        if table.kind == bench.PUBLISHED:
            assert "d: " in table.source, f"{table.name}: how numbers become dissimilarities"


def test_tables_are_the_same_each_time(bench, found):
    again = {table.name: table for table in bench.tables()}
    assert all(np.array_equal(table.D, again[name].D) for name, table in found.items())


def test_tables_cannot_be_changed(found):
    with pytest.raises(ValueError, match="read-only"):
        found["random-8"].D[0, 1] = 1.0


def test_few_tables_are_exact_in_the_plane(found):
    def left(D):
        """Return the share of the spectrum that a plane leaves out."""
        S = D**2
        B = -0.5 * (S - S.mean(axis=0) - S.mean(axis=1)[:, None] + S.mean())
        values = np.sort(np.abs(np.linalg.eigvalsh(B)))[::-1]
        return values[2:].sum() / values.sum()

    assert sum(left(table.D) < 1e-6 for table in found.values()) <= 3


@pytest.mark.parametrize(
    ("name", "largest"),
    [
        ("harman-24-tests", [8.135, 2.096, 1.693, 1.502]),
        ("harman-8-measurements", [4.673, 1.771, 0.481, 0.421]),
    ],
)
def test_correlations_have_the_published_eigenvalues(found, name, largest):
    R = 1.0 - found[name].D ** 2 / 2.0
    np.testing.assert_allclose(np.linalg.eigvalsh(R)[::-1][:4], largest, atol=6e-4)


def test_profiles_have_the_published_sums(bench):
    def rows(name):
        return bench.parsed(bench.FOLDER / f"{name}.txt")[1]

    np.testing.assert_allclose(
        rows("arrests-50-states").mean(axis=0), [7.788, 170.76, 65.54, 21.232]
    )
    assert rows("dune-20-meadows").sum() == 685
    assert rows("occupations-8").sum() == 3498
    assert (rows("munson-11-vowels").sum(axis=1) == 486).all()
    assert (np.sort(rows("roskam-39-psychologists"), axis=1) == np.arange(1, 10)).all()


def test_pairs_of_cities_are_where_the_source_has_them(found):
    D = found["eurodist-21-cities"].D
    athens, barcelona, rome, stockholm, vienna = 0, 1, 18, 19, 20
    assert D[athens, barcelona] == 3313
    assert D[athens, rome] == 817
    assert D[stockholm, vienna] == 2105


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("form: rows\nrule: Euclidean\n\n1 2\n3 4\n", "source"),
        ("source: s\nform: columns\nrule: Euclidean\n\n1 2\n3 4\n", "columns"),
        ("source: s\nform: rows\nrule: guess\n\n1 2\n3 4\n", "guess"),
        ("source: s\nform: lower triangle\nrule: as given\n\n1\n2 3\n4 5\n", "5 numbers"),
        ("source: s\nform: rows\nrule: Euclidean\n\n1 2\n3\n", "rows of one length"),
    ],
)
def test_a_broken_file_is_named(bench, tmp_path, text, said):
    path = tmp_path / "broken.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said) as error:
        bench.read(path)
    assert "broken.txt" in str(error.value)


def test_the_list_is_printed(found):
    command = [sys.executable, ROOT / "benchmarks" / "tables.py"]
    listed = subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout
    lines = listed.splitlines()
    assert len(lines) == len(found) + 1
    for table, line in zip(found.values(), lines, strict=False):
        assert line.startswith(table.name)
        assert table.source in line
    assert f"{len(found)} tables" in lines[-1]
