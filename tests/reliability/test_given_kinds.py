"""Files read for a model, or beside another table: columns have the kinds they are given, whatever their cells look like."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import treewright as tw
from tests.reliability.folder import Folder
from treewright.errors import DataFormatError
from treewright.table.files.target import TargetColumn

TABLE = pa.table(
    {
        "zip": ["01000", "02000", "A1"],
        "when": [dt.date(2024, 1, 1), dt.date(2024, 2, 1), dt.date(2024, 3, 1)],
        "flag": [True, False, True],
        "x": [1.5, 2.5, 3.5],
        "noon": pa.array([dt.time(12), dt.time(13), dt.time(14)]),
    }
)
ROW = ["01000", True, 4.0, dt.timedelta(hours=12, minutes=30)]
NAMES = "b, c.\nzip: continuous.\nwhen: discrete 9.\nflag: 0, 1.\nx: 4, 5.\nnoon: discrete 9.\n"
FORMS = {
    "t.csv": "zip,when,flag,x,noon\n01000,2024-02-01,1,4,12:30:00\n",
    "s.csv": 'zip;when;flag;x;noon\n"01000";01.02.2024;TRUE;4,0;12:30\n',
    "t.jsonl": '{"zip": "01000", "when": "2024-02-01", "flag": true, "x": "4", "noon": "12:30:00"}\n',
    "t.arff": "@relation t\n@attribute zip numeric\n@attribute when string\n@attribute flag {0,1}\n@attribute x {4}\n"
    "@attribute noon string\n@data\n01000,2024-02-01,1,4,12:30:00\n",
    "t.data": "01000,2024-02-01,1,4,12:30:00,b\n",
}


def model() -> Any:
    return tw.CARTClassifier().fit(TABLE, ["a", "b", "a"])


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("like", ["estimator", "tree", "table"])
def test_every_format_is_read_as_the_model_was_trained(folder: Folder, name: str, like: str) -> None:
    folder.write(NAMES, "t.names")
    known = {"estimator": model(), "tree": model().tree_, "table": TABLE}[like]
    found = tw.read_table(folder.write(FORMS[name], name), like=known).select(TABLE.column_names)
    cells = found.to_pylist()[0]
    assert str(cells.pop("when"))[:10] == "2024-02-01"
    assert list(cells.values()) == ROW
    assert model().predict(found).tolist() == ["a"]


@pytest.mark.parametrize("name", [name for name in FORMS if name != "s.csv"])
@pytest.mark.parametrize(
    ("cell", "bad", "said"),
    [
        ("2024-02-01", "2024-02-30", "column 'when' holds dates: '2024-02-30' is no date"),
        ("12:30:00", "25:30:00", "column 'noon' holds durations: '25:30:00' is no time of day"),
    ],
)
def test_a_cell_that_does_not_fit_is_named_with_its_place(folder: Folder, name: str, cell: str, bad: str, said: str) -> None:
    folder.write(NAMES, "t.names")
    *head, row = FORMS[name].splitlines(keepends=True)
    line, column, what = folder.refusal("".join([*head, row, row.replace(cell, bad)]), name, like=model())
    assert what == said
    assert (line, column) == (len(head) + 2, TABLE.column_names.index("when" if "02" in cell else "noon") + 1)


@pytest.mark.parametrize(
    ("cells", "said", "remedy"),
    [
        ("01000,2024-02-01,maybe,4,12:30", "column 'flag' holds truth values: 'maybe' is neither true nor false", "write true"),
        ("01000,2024-02-01,,x4,12:30", "column 'x' holds numbers: 'x4' is not a number", "--missing 'x4'"),
        ('01000,2024-02-01,,"4,5",12:30\n01000,,,1.5,', "column 'x' holds numbers: '4,5' is not a number", "--decimal ,"),
        ('01000,2024-02-01,,"4,500",12:30', "column 'x' holds numbers: '4,500' can be a thousand or a decimal", "--decimal ."),
        ("01000,03/04/2024,,4,12:30", "'03/04/2024' is a date whose day and month cannot be told apart", "--dates dmy"),
        ("01000,2024-02-01T00:00:00Z,,4,12:30", "'2024-02-01T00:00:00Z' has a time zone, the others have none", "2024-12-31"),
    ],
)
def test_cells_of_csv_that_do_not_fit(folder: Folder, cells: str, said: str, remedy: str) -> None:
    path = folder.write(f"zip,when,flag,x,noon\n01000,,,,\n{cells}\n")
    with pytest.raises(DataFormatError) as caught:
        tw.read_table(path, like=model())
    assert said in caught.value.what
    assert remedy in caught.value.remedy
    assert caught.value.line == 3


def test_text_of_json_is_not_dated_and_numbers_become_text(folder: Folder) -> None:
    trained = tw.CARTClassifier().fit(pa.table({"code": ["2024-01-01", "7", "x"]}), ["a", "b", "a"])
    assert folder.read('{"code": "2024-01-01"}\n', "t.jsonl", like=trained)["code"] == ["2024-01-01"]
    assert folder.read('{"code": 7}\n', "t.jsonl", like=trained)["code"] == ["7"]


def test_levels_that_are_numbers_and_targets_are_known_too(folder: Folder) -> None:
    y = TargetColumn("y", pa.array(["01", "02", "x"]))
    trained = tw.CARTClassifier(categorical_features=["kind"]).fit(pa.table({"kind": [1, 2, 3]}), y)
    assert folder.read("kind,y\n2,01\n", like=trained) == {"kind": [2], "y": ["01"]}
    assert folder.refusal("kind,y\n2,01\nb,02\n", like=trained)[:2] == (3, 1)


def test_the_decimal_sign_is_told_by_numbers_alone(folder: Folder) -> None:
    trained = tw.CARTClassifier().fit(pa.table({"grade": ["1,5", "2,5"], "x": [1.5, 2.5]}), ["a", "b"])
    assert folder.read("grade;x\n1,5;1000\n", like=trained) == {"grade": ["1,5"], "x": [1000]}


def test_columns_without_names_are_known_by_their_place(folder: Folder) -> None:
    trained = tw.CARTClassifier().fit([["01", 1.0], ["02", 2.0]], ["a", "b"])
    assert folder.read("p,q\n02,3\n", like=trained) == {"p": ["02"], "q": [3]}


def test_what_knows_no_columns_is_refused(folder: Folder) -> None:
    with pytest.raises(TypeError, match="knows no columns"):
        folder.read("a\n1\n", like="model.json")
