"""Types of cells: the same answer whatever container holds them, and messages that name the column, the type and the way out."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw

Y = [0, 0, 1, 1]


def learned(X: Any) -> tw.Tree:
    return tw.CARTClassifier().fit(X, Y).tree_


def rules(X: Any) -> list[str]:
    return [line.split(" then ")[0] for line in str(learned(X).to_rules()).splitlines()]


# -- time zones ------------------------------------------------------------------------------------------------------------

DAYS = [dt.datetime(2024, 3, day, 18) for day in (8, 9, 11, 12)]
ZONES = ["America/New_York", "Etc/GMT+5", "Africa/Porto-Novo", "Asia/Kolkata", "UTC"]


def in_zone(zone: str) -> dict[str, Any]:
    moments = [day.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone)) for day in DAYS]
    arrow = pa.table({"at": pa.array(moments, pa.timestamp("ms", zone))})
    return {
        "pandas": pd.DataFrame({"at": pd.to_datetime(DAYS).tz_localize("UTC").tz_convert(zone)}),
        "pandas arrow": arrow.to_pandas(types_mapper=pd.ArrowDtype),
        "pandas objects": pd.DataFrame({"at": pd.Series(moments, dtype=object)}),
        "polars": pl.DataFrame({"at": DAYS}).with_columns(pl.col("at").dt.replace_time_zone("UTC").dt.convert_time_zone(zone)),
        "arrow": arrow,
    }


@pytest.mark.parametrize("zone", ZONES)
def test_moments_are_written_in_their_time_zone(zone: str) -> None:
    cut = dt.datetime(2024, 3, 10, 18, tzinfo=dt.UTC).astimezone(ZoneInfo(zone))
    for name, X in in_zone(zone).items():
        tree = learned(X)
        assert (tree.columns[0].kind, tree.columns[0].zone) == ("date", zone), name
        said = cut.isoformat(" ", "minutes")
        assert rules(X) == [f"if at <= {said}", f"if at > {said}"], name
        assert tree.regions()[0].bounds["at"][1] == cut
        assert re.search(r"2024-03-10 00:00[+-]\d\d:\d\d", tree.to_text())
        for other in in_zone("Asia/Tokyo").values():  # a moment is one whatever the clock on the wall
            assert tree.predict(other).tolist() == Y


def test_the_clock_of_the_threshold_is_that_of_its_day() -> None:
    """New York's clocks change on 2024-03-10: thresholds before and after have another offset."""
    X = pd.DataFrame({"at": pd.date_range("2024-03-09", periods=4, tz="America/New_York")})
    tree = tw.CARTClassifier().fit(X, [0, 1, 0, 1]).tree_
    assert "2024-03-09 00:00-05:00" in tree.to_text()
    assert "2024-03-11 00:00-04:00" in tree.to_text()


@pytest.mark.parametrize("offset", [dt.timedelta(hours=5, minutes=30), -dt.timedelta(hours=3), dt.timedelta(0)])
def test_fixed_offsets(offset: dt.timedelta) -> None:
    zone = dt.timezone(offset)
    moments = [day.replace(tzinfo=zone) for day in DAYS]
    wanted = "UTC" if not offset else str(zone).removeprefix("UTC")
    for X in (pd.DataFrame({"at": moments}), [[moment] for moment in moments], pa.table({"at": moments})):
        assert learned(X).columns[0].zone == wanted
        assert rules(X)[0].endswith(f"2024-03-10 18:00{wanted if offset else '+00:00'}")


def test_offsets_that_differ_are_written_in_utc() -> None:
    X = [[dt.datetime(2024, 3, d, tzinfo=dt.timezone(dt.timedelta(hours=d)))] for d in (1, 2, 3, 4)]
    assert learned(X).columns[0].zone == "UTC"


def test_moments_with_and_without_a_zone_do_not_meet() -> None:
    naive, aware = pd.DataFrame({"at": DAYS}), in_zone("America/New_York")["pandas"]
    with pytest.raises(
        ValueError, match=r"column 'at' was in America/New_York in training and is in no time zone now: .*tz_localize"
    ):
        learned(aware).predict(naive)
    with pytest.raises(ValueError, match=r"column 'at' was in no time zone in training and is in America/New_York now"):
        learned(naive).predict(aware)
    nominal = tw.CARTClassifier(categorical_features=["at"]).fit(aware, Y)
    assert nominal.predict(in_zone("Asia/Tokyo")["polars"]).tolist() == Y
    with pytest.raises(ValueError, match="column 'at' was in America/New_York"):
        nominal.predict(naive)
    mixed = [[DAYS[0]], [DAYS[1].replace(tzinfo=dt.UTC)], [DAYS[2]], [DAYS[3]]]
    with pytest.raises(ValueError, match="column 'x0' mixes moments with and without a time zone"):
        tw.CARTClassifier().fit(mixed, Y)
    gone = pd.DataFrame({"at": pd.Series([None] * 2, dtype="datetime64[us]")})  # nothing known: nothing to compare
    assert len(learned(aware).predict(gone)) == 2


def test_levels_that_are_moments_keep_their_zone() -> None:
    X = in_zone("America/New_York")["pandas"]
    tree = tw.CARTClassifier(categorical_features=["at"]).fit(X, Y).tree_
    assert tree.columns[0].levels[0].tzinfo is not None
    assert "2024-03-08 13:00-05:00" in str(tree.to_rules())


@pytest.mark.parametrize("nominal", [None, ["at"]])
def test_a_saved_model_keeps_the_zone(nominal: Any, tmp_path: Path) -> None:
    X = in_zone("America/New_York")["pandas"]
    model = tw.CARTClassifier(categorical_features=nominal).fit(X, Y)
    model.save(tmp_path / "m.json")
    again = tw.load(tmp_path / "m.json")
    assert again.tree_ == model.tree_
    assert again.tree_.columns[0].zone == "America/New_York"
    assert str(again.tree_.to_rules()) == str(model.tree_.to_rules())
    assert again.predict(X).tolist() == Y


@pytest.mark.parametrize("relation", ["<=", "<"])
def test_a_threshold_between_two_microseconds_is_true_of_them(relation: str) -> None:
    X = pd.DataFrame({"at": pd.to_datetime([1, 2], unit="us"), "took": pd.to_timedelta([1, 2], unit="us")})
    for name, start in (("at", "1970-01-01 00:00:00"), ("took", "0:00:00")):
        tree = tw.TreeClassifier(relation=relation).fit(X[[name]], [0, 1]).tree_
        assert tree.root.split is not None
        assert tree.root.split.cuts == (1.5,)
        assert str(tree.to_rules()[0].when[0]).split(" ", 2)[2].startswith(f"{start}.00000{1 if relation == '<=' else 2}")
        assert f"{start}.00000{1 if relation == '<=' else 2}" in tree.to_rules()[0].text("y")


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_moments_too_far_for_microseconds_are_refused(unit: str) -> None:
    far = np.array([2**62] * 4, f"M8[{unit}]")
    for X in (far[:, None], pa.table({"x0": pa.array(far)})):
        with pytest.raises(ValueError, match="column 'x0' holds moments or durations of more than 292,000 years"):
            learned(X)


# -- the same in every container ---------------------------------------------------------------------------------------------

TYPES: dict[str, tuple[list[Any], dict[str, Callable[[list[Any]], Any]], str, list[str]]] = {
    "bytes": (
        [b"a", b"a", "bé".encode(), "bé".encode()],
        {
            "numpy": lambda v: np.array(v)[:, None],
            "list": lambda v: [[x] for x in v],
            "pandas": lambda v: pd.DataFrame({"x0": pd.Series(v, dtype=object)}),
            "pandas arrow": lambda v: pd.DataFrame({"x0": pd.Series(v, dtype=pd.ArrowDtype(pa.binary()))}),
            "polars": lambda v: pl.DataFrame({"x0": v}),
            "arrow": lambda v: pa.table({"x0": v}),
            "arrow large": lambda v: pa.table({"x0": pa.array(v, pa.large_binary())}),
        },
        "nominal",
        ["if x0 = a", "if x0 = bé"],
    ),
    "time of day": (
        [dt.time(8), dt.time(9), dt.time(12), dt.time(17, 30)],
        {
            "numpy": lambda v: np.array(v, object)[:, None],
            "list": lambda v: [[x] for x in v],
            "pandas": lambda v: pd.DataFrame({"x0": pd.Series(v, dtype=object)}),
            "pandas arrow": lambda v: pd.DataFrame({"x0": pd.Series(v, dtype=pd.ArrowDtype(pa.time64("us")))}),
            "polars": lambda v: pl.DataFrame({"x0": v}),
            "arrow": lambda v: pa.table({"x0": v}),
            "arrow seconds": lambda v: pa.table({"x0": pa.array(v, pa.time32("s"))}),
        },
        "duration",
        ["if x0 <= 10:30:00", "if x0 > 10:30:00"],
    ),
    "month": (
        [dt.date(2024, month, 1) for month in (1, 2, 4, 5)],
        {
            "list": lambda v: [[x] for x in v],
            "pandas period": lambda v: pd.DataFrame({"x0": pd.PeriodIndex(v, freq="M")}),
            "arrow 64": lambda v: pa.table({"x0": pa.array(v, pa.date64())}),
            "arrow 32": lambda v: pa.table({"x0": pa.array(v, pa.date32())}),
            "polars": lambda v: pl.DataFrame({"x0": v}),
        },
        "date",
        ["if x0 <= 2024-03-02", "if x0 > 2024-03-02"],
    ),
    "mostly nothing": (
        [0.0, 0.0, 0.0, 3.0],
        {
            "numpy": lambda v: np.array(v)[:, None],
            "pandas sparse": lambda v: pd.DataFrame({"x0": pd.arrays.SparseArray(v, fill_value=0.0)}),
            "pandas sparse whole": lambda v: pd.DataFrame({"x0": pd.arrays.SparseArray([int(x) for x in v])}),
        },
        "number",
        ["if x0 <= 1.5", "if x0 > 1.5"],
    ),
}


@pytest.mark.parametrize("kind", TYPES)
def test_one_type_is_read_alike_from_every_container(kind: str) -> None:
    values, containers, wanted, said = TYPES[kind]
    for name, make in containers.items():
        tree = learned(make(values))
        assert tree.columns[0].kind == wanted, name
        assert rules(make(values)) == said, name


def test_bytes_that_are_no_text_are_named() -> None:
    for X in (np.array([[b"\xff"]] * 4), pl.DataFrame({"x0": [b"\xff"] * 4}), pa.table({"x0": [b"\xff"] * 4})):
        with pytest.raises(ValueError, match=r"column 'x0' holds bytes that are no text in UTF-8, such as b'\\xff'"):
            learned(X)


def test_bins_of_pandas_are_categories() -> None:
    X = pd.DataFrame({"age": pd.cut([1, 2, 30, 40], [0, 18, 35, 99])})
    tree = learned(X)
    assert tree.columns[0].levels == ("(0, 18]", "(18, 35]", "(35, 99]")
    assert tree.predict(pd.DataFrame({"age": ["(0, 18]", "(35, 99]"]})).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pd.Series(pd.interval_range(0, 4)), r"type interval\[int64, right\].*array.left"),
        (pd.Series([1j, 2, 3, 4]), "type complex128.*two columns"),
        (pd.Series([[1]] * 4, dtype=pd.ArrowDtype(pa.list_(pa.int64()))), "type list<item: int64>.*parts"),
        (pd.Series([[1]] * 4), r"holds \[1\] of type list"),
        (pd.Series(pd.Categorical([1, "a", 1, "a"])), "mixes numbers and text"),
        (pd.Series(pd.Categorical([(1, 2), (3, 4)] * 2)), r"holds \(1, 2\) of type tuple"),
        (pd.Series(["a", "\ud800", "b", "b"], dtype=object), r"holds '\\ud800', which is not valid text"),
        (pd.Series([b"a", "a", "b", "b"], dtype=object), r"mixes bytes and text \(b'a' in row 0, 'a' in row 1\): convert"),
        (pd.Series([dt.date(2024, 1, 1), dt.time(8)] * 2, dtype=object), "mixes dates and times of day"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_type(column: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"column 'odd one'.*{words}|{words.split('.*', maxsplit=1)[0]}") as caught:
        learned(pd.DataFrame({"odd one": column, "b": [1, 2, 3, 4]}))
    assert "'odd one'" in str(caught.value)
    assert "Unknown" not in str(caught.value)


def test_half_characters_in_arrays_and_classes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"column 'x0' holds '\\ud800'"):
        learned(np.array([["a"], ["\ud800"], ["b"], ["b"]], object))
    with pytest.raises(ValueError, match=r"y holds the class '\\ud800'"):
        tw.CARTClassifier().fit([[0.0], [1.0]], np.array(["a", "\ud800"], object))


@pytest.mark.parametrize("value", [2, -1, 0.5, 7.5])
def test_a_column_of_truths_stays_one(value: float) -> None:
    for column in (pd.Series([True, False, True, False]), pd.Series([True, None, True, False], dtype="boolean")):
        est = tw.CARTClassifier().fit(pd.DataFrame({"flag": column}), Y)
        for fine in ([True, False], [1, 0], [1.0, 0.0], [np.nan, 1.0]):
            est.predict(pd.DataFrame({"flag": fine}))
        with pytest.raises(ValueError, match=f"column 'flag' was bool in training and holds {value} in row 1"):
            est.predict(pd.DataFrame({"flag": [1, value]}))


# -- targets -----------------------------------------------------------------------------------------------------------------

MIXED: list[list[Any]] = [[1, "a", 1, "a"], [True, 2, 3, False], ["a", b"a", "b", "b"]]


@pytest.mark.parametrize("y", MIXED)
def test_classes_of_several_types_are_refused_in_every_container(y: list[Any]) -> None:
    said = set()
    for target in (y, tuple(y), pd.Series(y, dtype=object), np.array(y, object)):
        with pytest.raises(ValueError, match=r"^y mixes .* and .*: the classes must be of one type") as caught:
            tw.CARTClassifier().fit(np.arange(4.0)[:, None], target)
        said.add(str(caught.value))
    assert len(said) == 1


MOMENTS = [dt.datetime(2024, 1, day) for day in (1, 2, 3, 4)]
SPANS = [dt.timedelta(days=day) for day in (1, 2, 3, 4)]


@pytest.mark.parametrize(("values", "word"), [(MOMENTS, "dates"), (SPANS, "durations")])
def test_moments_are_no_numbers_to_predict(values: list[Any], word: str) -> None:
    X = np.arange(4.0)[:, None]
    series = pd.Series(values)
    targets = [values, series, np.array(values, "M8[us]" if word == "dates" else "m8[us]"), pl.Series(values), pa.array(values)]
    if word == "dates":
        targets += [series.dt.tz_localize("UTC"), series.dt.date]
    for target in targets:
        with pytest.raises(ValueError, match=f"y holds {word}, and regression predicts numbers: choose a unit"):
            tw.CARTRegressor().fit(X, target)


@pytest.mark.parametrize("unit", ["ns", "us", "s"])
def test_moments_as_classes_are_moments(unit: str) -> None:
    y = pd.Series(MOMENTS).astype(f"M8[{unit}]")
    est = tw.CARTClassifier().fit(np.arange(4.0)[:, None], y)
    assert est.tree_.target.classes == tuple(MOMENTS)
    assert pd.Series(est.predict(np.arange(4.0)[:, None])).tolist() == y.tolist()
    assert "target = 2024-01-01 " in str(est.tree_.to_rules())


def test_ragged_targets_are_refused_in_our_words() -> None:
    with pytest.raises(ValueError, match="y should be a 1d array of classes or numbers"):
        tw.CARTClassifier().fit(np.arange(3.0)[:, None], [(1, 2), (1,), (1, 2)])


def test_blank_column_names_are_quoted() -> None:
    X = pd.DataFrame({"": [1, 1, 4, 4], " b": list("xyxy")})
    tree = tw.CARTClassifier().fit(X, [0, 1, 2, 3]).tree_
    assert "if '' <= 2.5 and ' b' = x then" in str(tree.to_rules())
    assert tree.to_text().startswith("'' <= 2.5?")
    assert tree.columns[0].name == ""
