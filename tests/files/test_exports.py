"""Tables as R and spreadsheets save them: empty margins, titles, units, marks of thousands."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from unimds.files import FileError, FileWarning, read, read_metadata

NAN = float("nan")
D = np.array([[0.0, 3.0, 4.0, 6.0], [3.0, 0.0, 5.0, 2.0], [4.0, 5.0, 0.0, 1.0], [6.0, 2.0, 1.0, 0]])
SITES = ["W1", "D1", "H1", "W2"]


@pytest.fixture
def put(tmp_path):
    """Write a file by hand."""

    def path_of(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return path_of


@pytest.mark.parametrize("mark", [" ", "\t", ",", ";"])
def test_a_last_column_of_na_keeps_its_name_below_a_header_of_r(put, mark):
    rows = ['"pH" "height" "remarks"', '"W1" 4.5 880 NA', '"D1" 6.1 825 NA', '"H1" 6.8 742 NA']
    table = read(put("\n".join(rows).replace(" ", mark), "env.txt"))
    assert table.labels == SITES[:3]
    assert table.features == ["pH", "height", "remarks"]
    assert_array_equal(table.values[0], [4.5, 880.0, NAN])


def test_metadata_whose_last_column_is_na_keep_their_names(put):
    rows = ['"habitat" "pH" "remarks"', '"W1" "wet" 4.5 NA', '"D1" "dry" 6.1 NA']
    found = read_metadata(put("\n".join(rows), "env.txt"))
    assert found.columns["habitat"] == ["wet", "dry"]
    assert_array_equal(found.values[:, found.features.index("pH")], [4.5, 6.1])


@pytest.mark.parametrize("diagonal", ["NA", "0"])
def test_a_lower_triangle_by_write_table_with_na_is_a_table_of_distances(put, diagonal):
    lines = [" ".join(f'"{site}"' for site in SITES)]
    for i, site in enumerate(SITES):
        cells = [f"{x:g}" for x in D[i, :i]] + [diagonal] + ["NA"] * (len(SITES) - 1 - i)
        lines.append(" ".join([f'"{site}"', *cells]))
    table = read(put("\n".join(lines), "bray.txt"))
    assert (table.kind, table.labels) == ("distances", SITES)
    assert_array_equal(table.values, D)


POINTS = "site;oak;elm\nW1;1,5;2\nD1;0;3,5\nH1;4;1\n"


@pytest.mark.parametrize(
    "content",
    [
        "site;oak;elm;;\nW1;1,5;2;;\nD1;0;3,5;;\nH1;4;1;;\n",
        "site;oak;elm;;;\nW1;1,5;2; ; ;\nD1;0;3,5;;;\nH1;4;1;;;\n",
        "site;oak;elm\nW1;1,5;2;;\nD1;0;3,5;;\nH1;4;1;;\n",
        POINTS + ";;\n;;\n",
        "site;oak;elm;;\r\nW1;1,5;2;;\r\nD1;0;3,5;;\r\nH1;4;1;;\r\n;;;;\r\n;;;;\r\n",
        "sep=;\n" + POINTS,
        '"sep=;"\r\n' + POINTS.replace("\n", "\r\n"),
        "\ufeffsep=;\n" + POINTS,
        "site;oak;elm\n;;\nW1;1,5;2\nD1;0;3,5\n;;\nH1;4;1\n",
    ],
)
def test_empty_margins_and_the_line_of_excel_are_no_part_of_the_table(put, content):
    table = read(put(content))
    assert (table.labels, table.features) == (["W1", "D1", "H1"], ["oak", "elm"])
    assert_array_equal(table.values, [[1.5, 2.0], [0.0, 3.5], [4.0, 1.0]])


def test_a_declared_delimiter_is_used(put):
    table = read(put("sep=|\nsite|oak|elm\nW1|1.5|2\nD1|0|3.5\n"))
    assert (table.labels, table.features) == (["W1", "D1"], ["oak", "elm"])
    with pytest.raises(FileError, match=r"line 4, column 2: 'two'"):
        read(put("sep=;\nsite;oak;elm\nW1;1;2\nD1;two;3\nH1;1;3\nH2;4;3\n"))


def test_large_tables_lose_their_empty_margins_too(put):
    n, m = 3000, 40
    values = np.random.default_rng(0).integers(1, 90, (n, m))
    lines = ["site," + ",".join(f"s{j}" for j in range(m)) + ",,"]
    lines += [f"p{i}," + ",".join(map(str, row)) + ",," for i, row in enumerate(values)]
    content = "\n".join([*lines, "," * (m + 2), "," * (m + 2)])
    assert len(content) > 1 << 18
    table = read(put(content))
    assert table.features == [f"s{j}" for j in range(m)]
    assert_array_equal(table.values, values)


@pytest.mark.parametrize(
    "content",
    [
        ",,,\n3,,,\n4,5,,\n6,2,1,\n",
        ",3,4,6\n,,5,2\n,,,1\n,,,\n",
        "W1,,,,\nD1,3,,,\nH1,4,5,,\nW2,6,2,1,\n",
    ],
)
def test_the_empty_half_of_a_square_is_part_of_it(put, content):
    table = read(put(content))
    assert table.kind == "distances"
    assert_array_equal(table.values, D)


@pytest.mark.parametrize("rest", ["", ";;", ";;\n;;"])
def test_a_title_above_the_header_is_named(put, rest):
    content = f"Vegetation 2024{rest}\n{POINTS}"
    for reader in (read, read_metadata):
        with pytest.raises(FileError) as error:
            reader(put(content))
        assert "line 1" in str(error.value)
        assert "'Vegetation 2024' stands alone above the header" in str(error.value)
        assert "remove the line, or begin it with #" in str(error.value)


def test_a_second_header_is_named(put):
    with pytest.raises(FileError) as error:
        read(put("site;pH;height\n;mol/l;m\nW1;4,5;880\nD1;6,1;825\nH1;6,8;742\n"))
    assert "line 2" in str(error.value)
    assert "a second header, such as units" in str(error.value)
    assert "remove the line, or begin it with #" in str(error.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('site,oak,elm\nW1,"5,93","0,5"\nD1,"1,2","3,5"\n', "'5,93' has a decimal comma"),
        ("site,oak,elm\nW1,TRUE,FALSE\nD1,FALSE,TRUE\n", "write 1 for TRUE and 0 for FALSE"),
        ("site,oak,elm\nW1,True,False\nD1,False,True\n", "write 1 for True and 0 for False"),
        ("site,oak,elm\nW1,x,\nD1,,x\nH1,x,x\n", "write 1 for 'x' and 0 for an empty cell"),
        ("site;oak;elm\nW1;1.200,5;2\nD1;0;1,5\nH1;4;1\n", "'1.200,5' has a mark of thousands"),
        ("site\toak\telm\nW1\t1.200.000\t2\nD1\t0\t5\nH1\t4\t1\n", "mark of thousands"),
        ("site,oak,elm\nW1,+,2\nD1,0,r\nH1,4,1\n", "is not a number"),
    ],
)
def test_what_stands_in_place_of_a_number_is_told(put, content, told):
    with pytest.raises(FileError) as error:
        read(put(content))
    assert told in str(error.value)


def test_a_column_of_quoted_decimal_commas_among_numbers_is_told(put):
    with pytest.raises(FileError, match=r"'4,92' has a decimal comma"):
        read(put('site,pH,height\nW1,"4,92",881\nD1,"6,01",825\nH1,"6,76",742\n'))
    kept = read(put('site,likes,age\nW1,"a, b",30\nD1,"b, c",42\nH1,"a, b",50\n'))
    assert kept.columns["likes"] == ["a, b", "b, c", "a, b"]


@pytest.mark.parametrize("name", ["counts.xlsx", "counts.ods", "counts.xls"])
@pytest.mark.parametrize("content", [b"PK\x03\x04abcd", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"])
def test_a_spreadsheet_that_cannot_be_read_is_called_an_office_document(put, name, content):
    with pytest.raises(FileError, match="office document; save the sheet as CSV"):
        read(put(content, name))


def test_a_text_with_the_name_of_a_spreadsheet_is_read(put):
    assert read(put(POINTS, "counts.xls")).features == ["oak", "elm"]


THOUSANDS = "site;oak;elm\nW1;422;0\nD1;1.477;0\nH1;633;2.110\n"


@pytest.mark.parametrize(
    "content",
    [THOUSANDS, THOUSANDS.replace(";", "\t"), THOUSANDS.replace(".", ","), '"sep=;"\n' + THOUSANDS],
)
def test_marks_of_thousands_are_doubted(put, content):
    with pytest.warns(FileWarning) as warned:
        read(put(content))
    (told,) = [str(one.message) for one in warned]
    cell = "1,477" if "1,477" in content else "1.477"
    line = 3 + content.startswith('"sep')
    assert f"line {line}, column 2: {cell!r} was read as a little more than 1" in told
    assert "write 1477" in told


@pytest.mark.parametrize(
    "content",
    [
        "site;oak;elm\nW1;422;0\nD1;1.477;0\nH1;633;2.11\n",
        "site;oak;elm\nW1;422;0\nD1;1.477;0\nH1;633;0.110\n",
        "site;oak;elm\nW1;422;0\nD1;1.477;0\nH1;1633;2.110\n",
        "site;lat;count\nW1;48.403;3\nD1;47.931;5\nH1;47.807;8\n",
        "0;1.234;5.678\n1.234;0;4.321\n5.678;4.321;0\n",
        "site;A.1.477;elm\nW1;422;0\nD1;1;0\nH1;633;2\n",
    ],
)
def test_decimals_are_not_doubted(put, content):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(put(content))


NAMES_OF_PLOTS = {
    "Aufnahme": range(101, 106),
    "Standort": [3, 1, 2, 9, 5],
    "Fläche": range(1, 6),
    "Nummer": range(1, 6),
    "Zeile": range(1, 6),
    "num": range(4, 9),
    "Plot number": [7, 12, 3, 4, 1],
    "id_plot": [7, 12, 3, 4, 1],
    "X": range(1, 6),
}


@pytest.mark.parametrize("name", NAMES_OF_PLOTS)
@pytest.mark.parametrize("form", ["csv", "json"])
def test_numbers_of_plots_are_labels(put, name, form):
    numbers = list(NAMES_OF_PLOTS[name])
    frame = pd.DataFrame({name: numbers, "oak": [3, 0, 7, 1, 2], "elm": [0, 5, 2, 0, 9]})
    content = frame.to_csv(index=False) if form == "csv" else frame.to_json(orient="records")
    table = read(put(content, f"plots.{form}"))
    assert table.labels == list(map(str, numbers))
    assert table.features == ["oak", "elm"]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("Fläche", [25, 100, 25, 50, 50]),
        ("leaf number", [3, 5, 2, 8, 4]),
        ("number of trees", range(1, 6)),
        ("num", [3, 5, 2, 8, 4]),
        ("X", [3, 5, 2, 8, 4]),
    ],
)
def test_measurements_are_not_taken_for_labels(put, name, numbers):
    frame = pd.DataFrame({name: list(numbers), "oak": [3, 0, 7, 1, 2], "elm": [0, 5, 2, 0, 9]})
    table = read(put(frame.to_csv(index=False)))
    assert (table.labels, table.features) == (None, [name, "oak", "elm"])


def test_coordinates_on_a_line_are_not_taken_for_labels(put):
    assert read(put("X,Y\n1,4\n2,1\n3,9\n4,2\n5,2\n")).features == ["X", "Y"]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_names_of_sites_that_repeat_are_told(put, form):
    frame = pd.DataFrame({"site": ["W1", "D1", "W1", "D1"], "year": [2022, 2022, 2023, 2023]})
    frame = frame.assign(oak=[3, 0, 7, 1], elm=[0, 5, 2, 1])
    content = frame.to_csv(index=False) if form == "csv" else frame.to_json(orient="records")
    with pytest.warns(FileWarning) as warned:
        table = read(put(content, f"years.{form}"))
    assert (table.labels, table.columns["site"]) == (None, ["W1", "D1", "W1", "D1"])
    (told,) = [str(one.message) for one in warned]
    assert "the column 'site' holds 2 names for 4 rows, so the points have no labels" in told
    assert "such as 'W1 2022' and 'W1 2023'" in told
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(put(content, f"years.{form}"), kind="points")
        read(put("class,oak,elm\na,1,3\na,2,5\nb,4,2\nb,0,1\n"))


def printed(labels, D, columns, whole=False):
    """A table of distances as R prints it: `columns` columns at a time."""
    n = len(labels)
    rows, heads = (range(n), range(n)) if whole else (range(1, n), range(n - 1))
    lines = []
    for start in range(0, len(heads), columns):
        block = heads[start : start + columns]
        lines.append(" " * 4 + "".join(f" {labels[j]:<9}" for j in block))
        for i in rows:
            cells = [f"{D[i, j]:.7f}" if whole or j < i else "" for j in block]
            lines.append(f"{labels[i]:<4}" + "".join(f" {cell:>9}" for cell in cells))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("columns", [1, 2, 3, 10])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("blanks", [False, True])
def test_distances_that_r_prints_in_blocks(put, columns, whole, blanks):
    labels = ["W01", "D01", "H01", "W02", "D02", "H02", "W03"]
    X = np.random.default_rng(0).random((7, 3))
    D = np.round(np.linalg.norm(X[:, None] - X, axis=2), 7)
    content = printed(labels, D, columns, whole)
    if blanks:
        content = "\n" + content.replace("\n", "  \n") + "\n"
    table = read(put(content, "d.txt"))
    assert (table.kind, table.labels) == ("distances", labels)
    assert_array_equal(table.values, D)


def test_a_table_of_points_that_r_prints_in_blocks(put):
    content = "   oak elm\nW1  1.5   2\nD1  0.0   3\nH1  4.0   1\n   ash\nW1   7\nD1   8\nH1   9\n"
    table = read(put(content, "x.txt"))
    assert (table.labels, table.features) == (["W1", "D1", "H1"], ["oak", "elm", "ash"])
    assert_array_equal(table.values, [[1.5, 2, 7], [0, 3, 8], [4, 1, 9]])


def test_blocks_that_cannot_be_joined_say_how_to_save_them(put):
    labels = ["Bad Ems", "Bad Urach", "Ulm", "Bonn", "Kiel"]
    D = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    with pytest.raises(FileError) as error:
        read(put(printed(labels, D, 2), "d.txt"))
    assert "R has printed this table in blocks" in str(error.value)
    assert 'write.csv(as.matrix(d), "d.csv")' in str(error.value)


def test_rows_that_r_has_left_out_are_told(put):
    rest = ' [ reached getOption("max.print") -- omitted 93 rows ]'
    content = printed(["W01", "D01", "H01"], D, 3) + rest
    with pytest.raises(FileError, match=r"line 4: R has left out the rest of the table"):
        read(put(content, "d.txt"))
