"""Delimited text larger than memory: columns mean what they mean to ``read_table``, however few are read at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from tests.scale.tables import same, table
from treewright.scale import csv
from treewright.scale.csv import mapped_file
from treewright.scale.scratch import Scratch
from treewright.table.files import read_file

ODD = """a;b;code;date;flag;price;text;late;gone
1;1,5;007;2024-01-31;true;"1.234,50 €";x;1;
2;2,25;12;2024-02-01;FALSE;"12,00 €";"y ""z"" ; w";2;
;-3;13;;;"0,10 €";;3;
4;4;14;2024-02-03;true;;"two
lines";4,5;
"""


@pytest.mark.parametrize("together", [1, 2, 3, 99])
@pytest.mark.parametrize(
    "options",
    [{}, {"ignore": ["date", "a"]}, {"categorical": ["a"], "numeric": ["code"]}, {"ordered": {"late": ["1", "2", "3", "4,5"]}}],
    ids=str,
)
def test_columns_are_read_as_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, together: int, options: dict[str, Any]
) -> None:
    monkeypatch.setattr(
        csv, "_groups", lambda file, names, memory: [names[at : at + together] for at in range(0, len(names), together)]
    )
    path = tmp_path / "odd.csv"
    path.write_text(ODD)
    expected = read_file(path, **options)
    with Scratch(tmp_path) as scratch:
        found = mapped_file(path, 1 << 30, scratch, **options)
        assert found.table.equals(expected.table, check_metadata=True)
        assert (found.about, found.notes) == (expected.about, expected.notes)
        del found
    assert [each.name for each in tmp_path.iterdir()] == ["odd.csv"]


@pytest.mark.parametrize("together", [1, 4])
@pytest.mark.parametrize("cell", ["x", "2024-02-30"])
def test_odd_cells_are_told_with_their_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, together: int, cell: str) -> None:
    monkeypatch.setattr(
        csv, "_groups", lambda file, names, memory: [names[at : at + together] for at in range(0, len(names), together)]
    )
    rows = [f"{i},2024-01-{i % 28 + 1:02},{i}" for i in range(40)]
    rows[30] = "30,2024-02-30,30" if cell != "x" else "30,2024-01-01,x"
    path = tmp_path / "odd.csv"
    path.write_text("a,b,c\n" + "\n".join(rows) + "\n")
    with pytest.raises(tw.DataFormatError) as expected:
        tw.read_table(path)
    with Scratch(tmp_path) as scratch, pytest.raises(tw.DataFormatError) as found:
        mapped_file(path, 1 << 30, scratch)
    assert str(found.value) == str(expected.value)


def test_memory_decides_how_many_columns_are_read_together(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join("abcdefgh") + "\n" + "1,2,3,4,5,6,7,8\n" * 1000)
    file = csv.open_delimited(path)
    size = path.stat().st_size
    assert [len(group) for group in csv._groups(file, file.names, 4 * size)] == [8]
    assert [len(group) for group in csv._groups(file, file.names, size)] == [2, 2, 2, 2]
    assert [len(group) for group in csv._groups(file, file.names, 0)] == [1] * 8


@pytest.mark.parametrize("weight", [None, "w"])
def test_trees_are_those_of_the_table(tmp_path: Path, weight: str | None) -> None:
    frame = table(2000, seed=1).drop(columns=["order"]).assign(w=np.arange(2000) % 5)
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    whole = tw.read_table(tmp_path / "t.csv")
    est = tw.scale.fit(tw.CARTClassifier(max_bins=30), tmp_path / "t.csv", target="y", weight=weight, memory="64MiB")
    beside = ["y"] if weight is None else ["y", "w"]
    weights = None if weight is None else whole["w"].to_numpy()
    expected = tw.CARTClassifier(max_bins=30).fit(whole.drop_columns(beside), whole["y"].to_pandas(), weights)
    assert same(est, expected, tmp_path)
    assert est.tree_.schema.columns[0].written is not None


def test_one_file_of_text_at_a_time(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x,y\n1,a\n2,b\n")
    with pytest.raises(ValueError, match=r"a\.csv' is no Parquet file, and others are read one at a time"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), str(tmp_path / "*.csv"), target="y")
    (tmp_path / "t.jsonl").write_text('{"x": 1, "y": "a"}\n')
    with pytest.raises(tw.DataFormatError, match="this is jsonl, no delimited text"):
        tw.scale.fit(tw.CARTClassifier(max_bins=9), tmp_path / "t.jsonl", target="y")
