"""Columns of a table: metadata joined by label, and features chosen by name."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from unimds.files import FileError, read, read_metadata

TOWNS = "from,to,dist\nUlm,Bonn,305\nUlm,Kiel,650\nBonn,Kiel,480\n"
PEOPLE = (
    "name,class,height,weight,born\nAda,x,1.62,55,1990\nBob,y,1.80,80,1985\nCy,x,1.75,70,1970\n"
)


@pytest.fixture
def put(tmp_path):
    """Write a file by hand, and return its path."""

    def put(text, name):
        path = tmp_path / name
        path.write_text(text)
        return path

    put.folder = tmp_path
    return put


@pytest.fixture
def towns(put):
    return read(put(TOWNS, "towns.csv"))


@pytest.fixture
def people(put):
    return read(put(PEOPLE, "people.csv"))


def test_metadata_are_joined_by_label_in_any_order(put, towns):
    about = put(
        "town,coast,people\nKiel,yes,0.25\nAachen,no,0.26\nUlm,no,0.13\nBonn,no,\n", "a.csv"
    )
    for given in (read_metadata(about), read(about, kind="points")):
        table = towns.joined(given)
        assert table.columns["coast"] == ["no", "no", "yes"]
        assert_array_equal(table.columns["people"], [0.13, np.nan, 0.25])
        assert set(table.columns) == {"coast", "people"}
        assert_array_equal(table.values, towns.values)
        assert towns.columns == {}


@pytest.mark.parametrize(
    "text",
    [
        "town,coast\nKiel,yes\nUlm,no\nBonn,no\n",  # words only
        "rank,town,coast\n1,Kiel,yes\n2,Ulm,no\n3,Bonn,no\n",  # labels are not the first column
        "town;coast\nKiel;yes\nUlm;no\nBonn;no\n",
        '[{"town": "Kiel", "coast": "yes"}, {"town": "Ulm", "coast": "no"},'
        ' {"town": "Bonn", "coast": "no"}]',
    ],
)
def test_metadata_of_words_and_labels_anywhere(put, towns, text):
    assert towns.joined(read_metadata(put(text, "a"))).columns["coast"] == ["no", "no", "yes"]


def test_numbers_may_be_labels(put):
    table = read(put("id,x,y\n007,1,2\n008,2,3\n010,4,5\n", "points.csv"))
    about = "site,ph\n010,6.5\n008,7\n007,unknown\n"
    assert table.joined(read_metadata(put(about, "a.csv"))).columns["ph"] == ["unknown", "7", "6.5"]
    table = read(put("id,x,y\n1,1,2\n2,2,3\n3,4,5\n", "points.csv"))
    about = read_metadata(put("site,ph\n3,6.5\n2,7\n1,8\n", "a.csv"))
    assert_array_equal(table.joined(about).columns["ph"], [8.0, 7.0, 6.5])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "town,coast\nkiel,yes\nulm,no\n",
            "none of the labels, such as 'Ulm', is in the metadata, whose rows are called 'kiel', "
            "'ulm'; spell the labels alike",
        ),
        ("river\nblue Danube\nRhine\nnone\n", "whose rows are called 'blue Danube', 'Rhine'"),
        ("town,coast\nKiel,yes\nUlm,no\nBonn,no\nUlm,yes\n", "2 rows for 'Ulm', rows 2 and 4"),
    ],
)
def test_labels_that_no_row_or_two_rows_have(put, towns, text, message):
    with pytest.raises(ValueError, match=message):
        towns.joined(read_metadata(put(text, "a.csv")))


def test_a_label_without_metadata_is_left_empty(put, towns):
    about = read_metadata(put("town,coast,people\nKiel,yes,246\nUlm,no,129\n", "a.csv"))
    with pytest.warns(
        UserWarning, match=r"the metadata have no row for 'Bonn', which is left empt"
    ):
        table = towns.joined(about)
    assert table.columns["coast"] == ["no", "", "yes"]
    assert_array_equal(table.columns["people"], [129.0, np.nan, 246.0])
    about = read_metadata(put("town,coast\nKiel,yes\n", "a.csv"))
    with pytest.warns(UserWarning, match=r"no row for 'Ulm' and 1 more of the 3 labels, which are"):
        assert towns.joined(about).columns["coast"] == ["", "", "yes"]


def test_what_cannot_be_joined(put, towns, people):
    with pytest.raises(ValueError, match="both have a column 'class'; rename"):
        people.joined(people)
    with pytest.raises(ValueError, match="the file of metadata holds pairs"):
        people.joined(towns)
    bare = read(put("1,2\n3,4\n5,6\n", "bare.csv"))
    with pytest.raises(ValueError, match=r"points have no labels.*called 'label'"):
        bare.joined(people)
    with pytest.raises(FileError, match="need a header"):
        read_metadata(put("town,coast\n", "a.csv"))
    np.save(put("", "a.npy"), np.eye(3))
    with pytest.raises(FileError, match="save them as CSV"):
        read_metadata(put.folder / "a.npy")


def test_features_are_chosen_and_the_rest_is_kept(people):
    for table in (people.chosen(["height", "weight"]), people.chosen(drop=["born", "class"])):
        assert table.features == ["height", "weight"]
        assert_array_equal(table.values, people.values[:, :2])
        assert table.columns["class"] == ["x", "y", "x"]
        assert_array_equal(table.columns["born"], [1990, 1985, 1970])
        assert table.labels == ["Ada", "Bob", "Cy"]
    assert people.chosen(["weight", "height"], ["born"]).features == ["weight", "height"]
    assert people.chosen() is people


@pytest.mark.parametrize(
    ("columns", "drop", "message"),
    [
        (["hight"], None, r"no column 'hight'; did you mean 'height'\?.* are 'height', 'weight'"),
        (["class"], None, "the column 'class' holds words"),
        (None, ["q"], "no column 'q'; the columns of numbers are"),
        (["born"], ["born"], "both chosen and dropped"),
        (None, ["height", "weight", "born"], "no column of numbers is left"),
    ],
)
def test_wrong_choices_are_told(people, columns, drop, message):
    with pytest.raises(ValueError, match=message):
        people.chosen(columns, drop)


def test_only_named_features_can_be_chosen(put, towns):
    with pytest.raises(ValueError, match="the file holds pairs"):
        towns.chosen(["dist"])
    with pytest.raises(ValueError, match="add a header"):
        read(put("1,2\n3,4\n5,6\n", "bare.csv")).chosen(drop=["1"])
    with pytest.raises(ValueError, match="2 columns are called 'a'"):
        read(put("name,a,a\nU,1,2\nV,3,4\nW,5,6\n", "twice.csv")).chosen(["a"])
