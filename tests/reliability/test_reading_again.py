"""A model reads the file it was learned from, and others, as it was learned: over all forms of numbers and dates."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treewright as tw
from tests.reliability.folder import Folder
from treewright.errors import DataFormatError
from treewright.table.learn import learn_schema
from treewright.table.match import read_cells

MISSING = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "?", '""', '"  "']
MOMENT = dt.datetime(2024, 1, 1)


def grouped(value: float, group: str, point: str) -> str:
    return f"{value:,.2f}".replace(",", "\0").replace(".", point).replace("\0", group)


# From a number of hundredths to a cell.
NUMBERS: dict[str, Callable[[float], str]] = {
    "whole": lambda v: str(int(v)),
    "plus": lambda v: f"{int(v):+d}",
    "point": lambda v: f"{v:.2f}",
    "exponent": lambda v: f"{v:.5e}",
    "blanks": lambda v: f" {v:.2f} ",
    "comma": lambda v: f"{v:.2f}".replace(".", ","),
    "english": lambda v: grouped(v, ",", "."),
    "german": lambda v: grouped(v, ".", ","),
    "french": lambda v: grouped(v, "\u202f", ","),
    "hard blank": lambda v: grouped(v, "\u00a0", ","),
    "swiss": lambda v: grouped(v, "'", "."),
    "share": lambda v: f"{v:.2f} %",
    "share after": lambda v: f"{v:.1f}%",
    "german share": lambda v: f"{grouped(v, '.', ',')} %",
    "dollars": lambda v: f"${v:.2f}".replace("$-", "-$"),
    "thousands of dollars": lambda v: f"${grouped(v, ',', '.')}".replace("$-", "-$"),
    "euros": lambda v: f"{grouped(v, '.', ',')} €",
    "named currency": lambda v: f"USD {int(v)}",
}
DATES: dict[str, Callable[[dt.datetime], str]] = {
    "iso": lambda d: f"{d:%Y-%m-%d}",
    "iso moment": lambda d: f"{d:%Y-%m-%dT%H:%M:%S}",
    "iso fraction": lambda d: f"{d:%Y-%m-%d %H:%M:%S.%f}",
    "zone": lambda d: f"{d:%Y-%m-%dT%H:%M}Z",
    "offset": lambda d: f"{d:%Y-%m-%dT%H:%M:%S}+02:00",
    "slashes": lambda d: f"{d:%Y/%m/%d}",
    "dots": lambda d: f"{d:%d.%m.%Y}",
    "day first": lambda d: f"{d.day}/{d.month}/{d.year}",
    "month first": lambda d: f"{d.month}/{d.day}/{d.year} {d:%H:%M}",
    "dashes": lambda d: f"{d:%d-%m-%Y}",
    "clock": lambda d: f"{d:%H:%M}",
    "seconds": lambda d: f"{d:%H:%M:%S}",
}
OTHERS: dict[str, Callable[[int], str]] = {
    "truth": lambda i: ["true", "false"][i % 2],
    "shouted truth": lambda i: ["TRUE", "False"][i % 2],
    "codes": lambda i: f"0{i % 7}" if i % 3 else "A",
    "words": lambda i: ["yes", "no", "1,5 m", "a b"][i % 4],
}
NUMBER = st.integers(-300_000_000, 300_000_000).map(lambda hundredths: hundredths / 100)
DAY = st.integers(0, 2_000_000).map(lambda minutes: MOMENT + dt.timedelta(minutes=minutes))
CELLS = [st.lists(NUMBER.map(form), min_size=12, max_size=12) for form in NUMBERS.values()]
CELLS += [st.lists(DAY.map(form), min_size=12, max_size=12) for form in DATES.values()]
CELLS += [st.lists(st.integers(0, 99).map(form), min_size=12, max_size=12) for form in OTHERS.values()]
SETTINGS = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@contextmanager
def threads_of_arrow(n: int) -> Iterator[None]:
    """Arrow words its errors otherwise where one thread reads."""
    before = pa.cpu_count()
    pa.set_cpu_count(n)
    try:
        yield
    finally:
        pa.set_cpu_count(before)


def table_text(columns: list[list[str]], delimiter: str) -> str:
    """Columns as a delimited file with the names c0, c1, ...; cells are quoted where they must."""
    rows = [[f"c{j}" for j in range(len(columns))], *map(list, zip(*columns, strict=True))]
    quoted = [[f'"{cell}"' if delimiter in cell and cell[:1] != '"' else cell for cell in row] for row in rows]
    return "".join(delimiter.join(row) + "\n" for row in quoted)


def arrays_of(table: pa.Table, model: Any) -> list[list[float]]:
    arrays, _ = read_cells(table, model.tree_.schema)
    return [np.asarray(array, float).tolist() for array in arrays]


def same(a: list[list[float]], b: list[list[float]]) -> bool:
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b, strict=True))


@SETTINGS
@given(data=st.data(), threads=st.sampled_from([1, 2]), delimiter=st.sampled_from([",", ";", "\t", "|"]))
def test_the_file_of_training_is_read_again_as_in_training(folder: Folder, data: Any, threads: int, delimiter: str) -> None:
    columns = [data.draw(cells) for cells in data.draw(st.lists(st.sampled_from(CELLS), min_size=1, max_size=6))]
    for cells in columns:
        for row in data.draw(st.sets(st.integers(0, 11), max_size=6)):
            cells[row] = data.draw(st.sampled_from(MISSING))
    columns.append([str(i % 4) for i in range(12)])
    path = folder.write(table_text(columns, delimiter))
    with threads_of_arrow(threads):
        try:
            table = tw.read_table(path)
        except DataFormatError:
            return  # an odd cell among many alike; no model comes of it
        model = tw.CARTClassifier().fit(table, [i % 2 for i in range(12)])
        model.save(str(Path(path).with_name("m.json")))
        for like in (model, tw.load(str(Path(path).with_name("m.json"))), table):
            again = tw.read_table(path, like=like)
            learned = [np.asarray(array, float).tolist() for array in learn_schema(table)[1]]
            assert same(arrays_of(again, model), learned)


def readings(cells: list[str]) -> dict[str, list[float]]:
    """What the cells can mean, by decimal sign; thousands are marked by the other sign, blanks or apostrophes."""
    out = {}
    for point in ".,":
        group = {".": ",", ",": "."}[point] + "' \u00a0\u202f"
        number = rf"[+-]?([1-9]\d{{0,2}}([{group}]\d{{3}})+|\d+)([{point}]\d*)?"
        bare = [re.sub(r"\s*(%|€|USD|\$)\s*", "", cell).strip() for cell in cells]
        if all(re.fullmatch(number + r"([eE][+-]?\d+)?", cell) for cell in bare):
            out[point] = [float(re.sub(f"[{group}]", "", cell).replace(point, ".")) for cell in bare]
    return out


@SETTINGS
@given(
    data=st.data(),
    learned=st.sampled_from(sorted(NUMBERS)),
    now=st.sampled_from(sorted(NUMBERS)),
    delimiter=st.sampled_from([",", ";"]),
)
def test_new_numbers_in_any_form_are_read_alike_or_refused(
    folder: Folder, data: Any, learned: str, now: str, delimiter: str
) -> None:
    trained = [NUMBERS[learned](value) for value in [1234.5, -7, 1000, 1234567.25]]
    table = tw.read_table(folder.write(table_text([trained, list("abcd")], delimiter)))
    assert table.schema.field("c0").type in (pa.float64(), pa.int64())
    model = tw.CARTClassifier().fit(table.select(["c0"]), ["a", "b", "a", "b"])
    values = data.draw(st.lists(NUMBER, min_size=1, max_size=3))
    cells = [NUMBERS[now](value) for value in values]
    path = folder.write(table_text([cells, ["x"] * len(cells)], delimiter), "new.csv")
    possible = readings(cells)
    assert possible
    sign = "," if learned in ("comma", "german", "french", "hard blank", "german share", "euros") else "."
    # Where a sign was not remembered, since it is the plain one, a file of semicolons may show another.
    plain = sign == "." and learned not in ("english", "swiss", "thousands of dollars")
    try:
        found = tw.read_table(path, like=model).column("c0").to_pylist()
    except DataFormatError as error:
        assert len(possible) == 2
        assert "can be a thousand or a decimal" in error.what  # noqa: PT017
        assert (error.line, error.column) == (2, 1)  # noqa: PT017
        assert plain or learned == "comma"
        return
    allowed = list(possible.values()) if plain or sign not in possible else [possible[sign]]
    assert found in allowed
    if now == learned:
        assert found == readings(cells)[sign]


@pytest.mark.parametrize(
    ("trained", "cells", "values"),
    [
        (["1.234,50", "7,5"], ["1.234"], [1234]),
        (["1.234,50", "7,5"], ["1,234"], [1.234]),
        (["1.234,50", "7,5"], ["1.234", "1.5"], [1.234, 1.5]),
        (["1.234,50", "7,5"], ["1.234.567"], [1234567]),
        (["1,234.50", "7.5"], ["1,234"], [1234]),
        (["1,234.50", "7.5"], ["1,5"], [1.5]),
        (["7,5", "0,25"], ["1,234"], [1.234]),
        (["7,5", "0,25"], ["0.123"], [0.123]),
        (["12 %", "7 %"], ["3", "4.5"], [3, 4.5]),
        (["$5", "$1,000.50"], ["2,000 €"], [2000]),
        (["31/12/2024", "1/2/2024"], ["3/4/2024"], [dt.date(2024, 4, 3)]),
        (["12/31/2024", "1/2/2024"], ["3/4/2024"], [dt.date(2024, 3, 4)]),
        (["12/31/2024", "1/2/2024"], ["31.12.2024"], [dt.date(2024, 12, 31)]),
        (["31/12/2024", "1/2/2024"], ["2024-12-31"], [dt.date(2024, 12, 31)]),
    ],
)
@pytest.mark.parametrize("delimiter", [";", "|"])
def test_the_form_of_training_decides_what_a_cell_leaves_open(
    folder: Folder, trained: list[str], cells: list[str], values: list[Any], delimiter: str
) -> None:
    table = tw.read_table(folder.write(table_text([trained, ["1.5", "2.5"]], delimiter)))
    model = tw.CARTClassifier().fit(table, ["a", "b"])
    path = folder.write(table_text([cells, ["0.5"] * len(cells)], delimiter))
    assert tw.read_table(path, like=model).column("c0").to_pylist() == values
    model.save(f"{path}.json")
    assert tw.load(f"{path}.json").tree_ == model.tree_
    assert tw.read_table(path, like=tw.load(f"{path}.json")).column("c0").to_pylist() == values


@pytest.mark.parametrize("trained", [["7,5", "0,25"], ["12.5", "0.25"]])
def test_what_stays_open_is_an_error_that_names_the_option(folder: Folder, trained: list[str]) -> None:
    cell = "1.234" if "," in trained[0] else "1,234"
    model = tw.CARTClassifier().fit(
        tw.read_table(folder.write(table_text([trained, ["a", "b"]], ","))).select(["c0"]), ["a", "b"]
    )
    path = folder.write(table_text([[cell], ["x"]], ","))
    with pytest.raises(DataFormatError, match="can be a thousand or a decimal; use --decimal"):
        tw.read_table(path, like=model)
    assert tw.read_table(path, like=model, decimal=".").column("c0").to_pylist() == [1234 if "," in cell else 1.234]


@pytest.mark.parametrize("form", sorted(NUMBERS | DATES))
@pytest.mark.parametrize(
    "bad", ["abc", "1.2.3,4", "31/31/2024", "25:61", "--5", "5 apples", "1e", "maybe 2024-01-01", "\x1b[31m"]
)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_cell_that_cannot_be_read_is_named_with_its_place_and_a_remedy(
    folder: Folder, form: str, bad: str, threads: int
) -> None:
    values: list[Any] = (
        [1234.5, -7, 1000, 1234567.25] if form in NUMBERS else [MOMENT + dt.timedelta(days=9 * i) for i in range(4)]
    )
    cells = [(NUMBERS | DATES)[form](value) for value in values]
    with threads_of_arrow(threads):
        table = tw.read_table(folder.write(table_text([cells, list("abcd")], ";")))
        model = tw.CARTClassifier().fit(table, ["a", "b", "a", "b"])
        path = folder.write(table_text([[*cells[:2], bad, cells[3]], list("abcd")], ";"))
        with pytest.raises(DataFormatError) as caught:
            tw.read_table(path, like=model)
    error = caught.value
    assert (error.line, error.column) == (4, 1)
    assert error.what.startswith("column 'c0' holds ")
    assert repr(bad) in error.what
    assert error.remedy
    assert str(error).isprintable()


def test_cells_with_and_without_a_sign_are_told_apart(folder: Folder) -> None:
    table = tw.read_table(folder.write("x;y\n12 %;a\n7 %;b\n"))
    model = tw.CARTClassifier().fit(table.select(["x"]), ["a", "b"])
    assert folder.refusal("x;y\n12 %;a\n7;b\n", like=model) == (
        3,
        1,
        "column 'x' holds numbers: '7' is written otherwise than the cells before it, with '%'",
    )


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.arff", "t.parquet"])
def test_columns_that_were_read_as_levels_are_so_again(folder: Folder, name: str) -> None:
    cells: dict[str, Any] = {"a": [1.5, 2.0, 1.5], "d": [dt.date(2024, 1, 1), dt.date(2024, 2, 1), dt.date(2024, 1, 1)]}
    path = folder.path / name
    if name == "t.parquet":
        import pyarrow.parquet as pq

        pq.write_table(pa.table(cells), path)
    else:
        text = {
            "t.csv": "a,d\n1.50,2024-01-01\n2,2024-02-01\n1.50,2024-01-01\n",
            "t.jsonl": '{"a": 1.50, "d": "2024-01-01"}\n{"a": 2, "d": "2024-02-01"}\n{"a": 1.50, "d": "2024-01-01"}\n',
            "t.arff": "@relation t\n@attribute a numeric\n@attribute d date yyyy-MM-dd\n@data\n"
            "1.50,2024-01-01\n2.0,2024-02-01\n1.50,2024-01-01\n",
        }
        folder.write(text[name], name)
    table = tw.read_table(path, categorical=["a", "d"])
    model = tw.CARTClassifier().fit(table, ["a", "b", "a"])
    again = tw.read_table(path, like=model)
    assert [again.column(name).to_pylist() for name in "ad"] == [table.column(name).to_pylist() for name in "ad"]


def test_cells_that_were_named_as_missing_are_missing_again(folder: Folder) -> None:
    text = "x;y\n-99;a\n5;b\n7;a\nNone;b\n"
    table = tw.read_table(folder.write(text), missing=["-99", "None"])
    model = tw.CARTClassifier().fit(table.select(["x"]), ["a", "b", "a", "b"])
    assert folder.read(text, like=model)["x"] == [None, 5, 7, None]
    assert folder.read("x\n-99\n4\n", like=model.tree_)["x"] == [None, 4]
    assert folder.read("x\n-99\n4\n", like=table)["x"] == [None, 4]
    assert folder.read("x\n-99\n4\n", like=model, missing=["-1"])["x"] == [-99, 4]


def test_decimal_sign_and_order_of_dates_that_were_given_are_remembered(folder: Folder) -> None:
    text = 'x;d\n"1,234";03/04/2024\n"2,345";05/06/2024\n'
    table = tw.read_table(folder.write(text), decimal=".", dates="mdy")
    model = tw.CARTClassifier().fit(table, ["a", "b"])
    assert (
        folder.read(text, like=model) == table.to_pydict() == {"x": [1234, 2345], "d": [dt.date(2024, 3, 4), dt.date(2024, 5, 6)]}
    )


def test_dates_that_contradict_the_order_that_was_learned_are_told(folder: Folder) -> None:
    """The cells decide for the whole column, 3/4 as well, and that is said; an option that agrees with them says it is known."""
    table = tw.read_table(folder.write("x,d\n1,31/12/2024\n2,30/11/2024\n"))
    model = tw.CARTClassifier().fit(table, ["a", "b"])
    american = "x,d\n1,12/31/2024\n2,3/4/2024\n"
    expected = [dt.date(2024, 12, 31), dt.date(2024, 3, 4)]
    with pytest.warns(tw.TreewrightWarning, match="written day, month, year where the model .* can only be month, day, year"):
        assert folder.read(american, like=model)["d"] == expected
    for text, options in ((american, {"dates": "mdy"}), ("x,d\n1,12/30/2024\n", {"dates": "mdy"})):
        assert folder.read(text, like=model, **options)["d"][0].day >= 30  # warnings are errors
    assert folder.read("x,d\n1,3/4/2024\n", like=model)["d"] == [dt.date(2024, 4, 3)]
    assert folder.read("x,d\n1,12/31/2024\n", like=model)["d"] == [dt.date(2024, 12, 31)]  # nothing is left open
