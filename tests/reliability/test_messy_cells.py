"""Cells that mean something else than they say: codes with leading zeros, placeholders, levels in several spellings."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import treewright as tw
from treewright.table.files.describe import column_facts
from treewright.table.files.identifying import identifying


def table(tmp_path: Path, text: str, **options: object) -> pa.Table:
    path = tmp_path / "t.csv"
    path.write_text(text)
    return tw.read_table(path, **options)


@pytest.mark.parametrize(
    "text",
    ["a,zip\n1,01067\n2,80331\n", "zip,a\n01067,1\n80331,2\n", 'a,zip\n1,"01067"\n2,80331\n', "a;zip\n1; 01067\n2; 80331\n"],
)
def test_codes_with_leading_zeros_stay_text(tmp_path: Path, text: str) -> None:
    found = table(tmp_path, text)
    assert [cell.strip() for cell in found.column("zip").to_pylist()] == ["01067", "80331"]
    assert found.column("a").to_pylist() == [1, 2]
    assert table(tmp_path, text, numeric=["zip"]).column("zip").to_pylist() == [1067, 80331]


def test_a_code_far_down_decides_and_is_remembered(tmp_path: Path) -> None:
    rows = [f"{i % 7},{10_000 + i % 50}" for i in range(300_000)]
    rows[-1] = "1,00500"
    found = table(tmp_path, "a,code\n" + "\n".join(rows))
    assert found.schema.field("code").type == pa.string()
    assert pa.types.is_integer(found.schema.field("a").type)
    X = found.slice(0, 300)
    model = tw.CARTClassifier(max_depth=1).fit(X.select(["code"]), X.column("a").to_pylist())
    new = tmp_path / "new.csv"
    new.write_text("code\n10001\n")
    assert tw.read_table(new, like=model).column("code").to_pylist() == ["10001"]


def test_zero_itself_and_fractions_are_numbers(tmp_path: Path) -> None:
    found = table(tmp_path, "a,b,c\n0,0.5,-0\n10,00.5,1\n")
    assert found.to_pydict() == {"a": [0, 10], "b": [0.5, 0.5], "c": [0, 1]}
    with pytest.raises(ValueError, match="give one of them"):
        table(tmp_path, "a,b\n01,2\n", numeric=["a"], categorical=["a"])


def test_also_missing_adds_to_what_is_missing_anyway(tmp_path: Path) -> None:
    text = "a,b\n1,x\n-,NA\n-999,n/a\n4,?\n"
    found = table(tmp_path, text, also_missing=["-", "-999", "n/a"])
    assert found.to_pydict() == {"a": [1, None, None, 4], "b": ["x", None, None, None]}
    model = tw.CARTClassifier().fit(found.select(["b"]), [0, 1, 1, 0])
    assert tw.read_table(tmp_path / "t.csv", like=model).column("b").to_pylist() == ["x", None, None, None]


def test_hints_name_the_option_that_mends(tmp_path: Path) -> None:
    cells = ["no"] * 30 + [" NO", "No"] + ["yes"] * 10 + ["-", "-", "n/a"]
    facts = column_facts("a", pa.chunked_array([cells]))
    assert any("'no' 30 · " in hint and "' NO' 1" in hint and "differ in case or blanks only" in hint for hint in facts.hints)
    assert any(hint.endswith("--also-missing=-,n/a reads them so") for hint in facts.hints)
    numbers = column_facts("age", pa.chunked_array([[str(n) for n in range(20, 40)] + ["--"] * 9]))
    assert numbers.hint.startswith("numbers, but for '--' 9: ") and "--also-missing=--" in numbers.hint
    for values, said in [
        ([5, 7, -999, 6, -999], True),
        ([5.5, 99999.0, 99999.0], True),
        ([-99, -98, -99, -97], False),
        ([998, 999, 999], False),
    ]:
        assert ("may stand for missing" in column_facts("n", pa.chunked_array([values])).hint) == said, values
    assert column_facts("ok", pa.chunked_array([["a", "b"] * 20])).hint == ""


def test_identifying_columns() -> None:
    n = 60
    y = ["yes" if i * i % 7 < 3 else "No " for i in range(n)]
    X = pa.table(
        {
            "number": list(range(n)),
            "order_no": [i * 7 for i in range(n)],
            "sevens": [i * 7 for i in range(n)],
            "name": [f"n{i}" for i in range(n)],
            "measured": [i / 3 for i in range(n)],
            "same": [1] * n,
            "same or missing": [None, *[1] * (n - 1)],
            "nothing": pa.nulls(n),
            "flag": [each == "yes" for each in y],
            "other words": ["left" if each == "yes" else "stays" for each in y],
            "half": ["u" if i % 2 else "v" for i in range(n)],
        }
    )
    assert identifying(X, pa.chunked_array([y])) == {
        "number": "looks like a row number",
        "order_no": "almost every value is unique",
        "name": "almost every value is unique",
        "same": "every cell is the same",
        "nothing": "every cell is missing",
        "flag": "a copy of the target",
        "other words": "a copy of the target",
    }
    assert identifying(X.slice(0, 15), pa.chunked_array([y[:15]])) == {
        "same": "every cell is the same",
        "nothing": "every cell is missing",
    }
