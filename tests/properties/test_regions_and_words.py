"""Regions and rules speak in the user's terms: dates as dates, levels as levels, odd levels quoted, shares honest."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.table.schema import WIDEST, ColumnSchema, apart, moment_text, share_text, spread_text, value_text


def test_regions_of_dates_ordered_and_booleans() -> None:
    sizes = pd.Categorical(["S", "M", "L", "S", "M", "L"], ["S", "M", "L"], ordered=True)
    X = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=6), "size": sizes, "new": [True, False] * 3})
    by_day = tw.CARTClassifier().fit(X[["day"]], [0, 0, 0, 1, 1, 1]).tree_.regions()
    assert [region.bounds["day"] for region in by_day] == [
        (-np.inf, dt.datetime(2024, 1, 3, 12)),
        (dt.datetime(2024, 1, 3, 12), np.inf),
    ]
    by_size = tw.CARTClassifier().fit(X[["size"]], [0, 1, 1, 0, 1, 1]).tree_
    assert [region.levels["size"] for region in by_size.regions()] == [("S",), ("M", "L")]
    assert [rule.when[0].text() for rule in by_size.to_rules()] == ["size = S", "size >= M"]
    by_new = tw.CARTClassifier().fit(X[["new"]], [1, 0] * 3).tree_
    assert [region.levels["new"] for region in by_new.regions()] == [(False,), (True,)]
    assert [rule.when[0].text() for rule in by_new.to_rules()] == ["new = False", "new = True"]


def test_moments_are_written_without_what_is_zero_of_them() -> None:
    day = dt.datetime(2024, 3, 1)
    written = [moment_text(day + dt.timedelta(**more)) for more in ({}, {"hours": 7}, {"seconds": 5}, {"microseconds": 20})]
    assert written == ["2024-03-01", "2024-03-01 07:00", "2024-03-01 00:00:05", "2024-03-01 00:00:00.000020"]
    assert moment_text(day.replace(tzinfo=dt.UTC)) == "2024-03-01 00:00+00:00"


@pytest.mark.parametrize("strict", [False, True])
def test_a_short_date_separates_what_the_threshold_separates(strict: bool) -> None:
    """A day that is a neighbour itself: it belongs below for x <= t, above for x < t."""
    column = ColumnSchema("when", "date")
    noon, hour = column.value_of("2024-03-01 12:00"), 3_600_000_000
    day, next_day = noon - 12 * hour, noon + 12 * hour
    assert column.cut_text(noon, day, next_day, strict) == ("2024-03-02" if strict else "2024-03-01")
    assert column.cut_text(noon, day + 1, next_day - 1, strict) == "2024-03-01 12:00"
    assert column.cut_text(noon, day + 1, next_day, strict) == ("2024-03-02" if strict else "2024-03-01 12:00")
    assert column.cut_text(noon, day, next_day - 1, strict) == ("2024-03-01 12:00" if strict else "2024-03-01")


def test_spreads_that_have_no_square_are_not_written_as_numbers() -> None:
    assert spread_text(WIDEST) == spread_text(math.inf) == "± over 1.3e+154"
    assert spread_text(1234.5) == "± 1200"


def test_levels_that_could_be_taken_for_a_sentence_are_quoted() -> None:
    levels = ["plain", "two words", "x = 1", "p and q", "", "a, b"]
    X = pd.DataFrame({"n": pd.Categorical(levels * 2, levels)})
    tree = tw.ID3Classifier().fit(X, [str(i % 6) for i in range(12)]).tree_
    texts = [rule.when[0].text() for rule in tree.to_rules()]
    assert texts == ["n = plain", "n = two words", "n = 'x = 1'", "n = 'p and q'", "n = ''", "n = 'a, b'"]


def test_missing_cells_in_rules_are_bracketed() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, np.nan], "b": [1.0, 1.0, 2.0, 2.0]})
    tree = tw.CARTClassifier().fit(X[["a"]], [0, 0, 1, 1]).tree_
    assert [rule.when[0].text() for rule in tree.to_rules()] == ["a <= 2.5", "(a > 2.5 or missing)"]


def test_rules_write_thresholds_in_full_where_asked() -> None:
    """Else rules and pictures have the digits that separate the training rows."""
    rng = np.random.default_rng(0)
    X = rng.random((50, 1))
    tree = tw.CARTRegressor(max_depth=1).fit(X, X[:, 0]).tree_
    assert tree.root.split is not None
    cut = tree.root.split.cuts[0]
    assert repr(cut) in tree.to_rules()[0].text("y", full=True)
    short = tree.to_text().split("?")[0]
    assert len(short) < len(f"x0 <= {cut!r}")
    assert tree.to_rules()[0].text("y").startswith(f"if {short} then")


def test_only_all_is_a_hundred_per_cent() -> None:
    assert [share_text(s) for s in (1.0, 1004 / 1007, 0.5, 0.001, 0.0, 0.99999)] == [
        "100%",
        "99.7%",
        "50%",
        "0.1%",
        "0%",
        "99.9%",
    ]


def test_answers_that_differ_look_different() -> None:
    """Six digits do not tell 123456.1 from 123456.2; more are written where they are needed, and only there."""
    X = np.arange(6.0)[:, None]
    y = np.array([123456.1, 123456.2, 1.5, 1e-7, 1e-7 + 1e-15, 7e300])
    tree = tw.CARTRegressor().fit(X, y).tree_
    said = [rule.text("y").split("then y = ")[1].split("  (")[0] for rule in tree.to_rules()]
    assert said == ["123456", "123456", "1.5", "1e-07", "1e-07", "7e+300"]  # of one rule alone, nothing is known of others
    told = [line.split("= ")[-1].split("  (")[0] for line in tree.to_rules().to_text().splitlines()]
    assert told == ["123456.1", "123456.2", "1.5", "1e-07", "1.00000001e-07", "7e+300"]
    assert "→ 123456.1 ±" in tree.to_text()
    assert "→ 123456.2 ±" in tree.to_text()
    assert "123456.1" in tree.to_rules().to_markdown()
    assert "123456.2" in tree.to_rules()._repr_mimebundle_()["text/html"]


def test_no_more_digits_are_written_than_tell_numbers_apart() -> None:
    assert apart([1 / 3, 0.33333342, 2 / 3]) == {1 / 3: "0.3333333", 0.33333342: "0.3333334"}
    assert apart([1 / 3, 0.33333335]) == {1 / 3: "0.33333333", 0.33333335: "0.33333335"}


def test_answers_that_differ_by_rounding_look_alike() -> None:
    assert apart([1 / 3, np.nextafter(1 / 3, 1), 2.0, np.inf]) == {}
    rng = np.random.default_rng(0)
    values = [*(1 + rng.random(50) * 1e-8), *rng.random(50), *(-rng.random(50) * 1e-300), 1e300, 1e300 * (1 + 1e-9), 5e-324, 0.0]
    texts = apart(values)
    said = [texts.get(value) or value_text(value) for value in sorted(set(values))]
    assert len(set(said)) == len(said)
    assert [float(text) for text in said] == sorted(float(text) for text in said)
