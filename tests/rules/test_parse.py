"""A rule written as text is read back as the same rule, whatever columns, levels and classes are called."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import POLICIES, Case, cases, estimators, make_case, modest
from treewright.model.condition import Bound, Condition
from treewright.model.parse import parse_rule
from treewright.model.rule import together
from treewright.table import ColumnSchema, TableSchema, TargetSchema

pytestmark = pytest.mark.filterwarnings("ignore:.*a split needs")

HOSTILE = [
    "a", "x and y", "then", "if a <= 3 then b", "a <= 3 and b", "it's", 'say "so"', "{x}", "a, b", "(a", "a)",
    "length (cm)", "in", "is known",
    "or missing", "", " ", " a", "a  b", "5", "-1", "1 < x <= 2", "a\nb", "\x1b[31m", "ü", "≠", "c = d", "a\\",
    "'", '"', "\u202e", "nan", "a  (3 rows)",
    "else", "otherwise", "missing", "0.5 of missing", "if", "x:y", "\xa0",
]  # fmt: skip
NAMES = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6))
LEVELS = st.one_of(NAMES, st.integers(-3, 3), st.sampled_from([0.5, 1e-20, True]))
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def columns(draw: st.DrawFn) -> tuple[ColumnSchema, ...]:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    out = []
    for name in names:
        kind = draw(st.sampled_from(["number", "nominal", "ordered", "bool", "date", "duration"]))
        texts = st.lists(LEVELS, min_size=1, max_size=5, unique=True)
        out.append(ColumnSchema(name, kind, tuple(draw(texts)) if kind in ("nominal", "ordered") else ()))
    return tuple(out)


@st.composite
def conditions(draw: st.DrawFn, column: ColumnSchema, index: int) -> Condition:
    missing = draw(st.booleans())
    share = 0.0 if missing else draw(st.sampled_from([0.0, 0.0, 0.25, 1 / 3]))
    seen = draw(st.booleans())
    if draw(st.integers(0, 9)) == 0:
        return Condition(
            column, index, missing=missing, missing_share=share, known=draw(st.booleans()) and share == 0, missing_seen=seen
        )
    if column.nominal:
        chosen = draw(st.sets(st.integers(0, len(column.levels) - 1), min_size=1))
        shown = draw(st.sampled_from([None, tuple(sorted(chosen))[:1]]))
        return Condition(column, index, None, None, frozenset(chosen), shown, missing, True, seen, share)
    ends = st.tuples(_values(column), st.booleans())
    low, high = draw(st.one_of(st.tuples(ends, st.none()), st.tuples(st.none(), ends), st.tuples(ends, ends)))
    if column.kind == "bool":
        low, high = ((0.5, False), None) if low is not None else (None, (0.5, True))
    low_, high_ = (None if end is None else Bound(column, float(end[0]), 0, 1, False, end[1]) for end in (low, high))
    return Condition(column, index, low_, high_, None, None, missing, True, seen, share)


def _values(column: ColumnSchema) -> Any:
    if column.kind == "ordered":
        return st.integers(0, len(column.levels) - 1)
    if column.kind in ("date", "duration"):
        return st.one_of(st.integers(-(10**15), 10**15), st.sampled_from([0.5, 1e300]))
    return FINITE


@modest(400)
@given(columns=columns(), target=NAMES, data=st.data())
def test_parse_of_text_is_the_rule(columns: tuple[ColumnSchema, ...], target: str, data: st.DataObject) -> None:
    classes = data.draw(st.one_of(st.none(), st.lists(NAMES, min_size=1, max_size=4, unique=True)))
    schema, kind = TableSchema(columns), TargetSchema(target, None if classes is None else tuple(classes))
    drawn = [data.draw(conditions(column, j)) for j, column in enumerate(columns) if data.draw(st.booleans())]
    when = together(drawn)
    if any(not c.possible for c in when):
        return
    says = data.draw(FINITE) if classes is None else data.draw(st.sampled_from(classes))
    counts = None
    if classes is not None and data.draw(st.booleans()):
        counts = tuple(data.draw(st.sampled_from([0.0, 1.0, 7.0, 1 / 3, 2.5e-9, 1e300])) for _ in classes)
        counts = counts if sum(counts) > 0 else None
    rule = tw.Rule(when, says, 3.0, 0.5, None if classes is None else 2 / 3, counts=counts)
    text = rule.text(kind, full=True)
    assert "\n" not in text
    assert "\x1b" not in text
    read = parse_rule(text, schema, kind)
    assert read == rule, text
    assert read.counts == counts, text
    rules = tw.RuleSet((rule, tw.Rule((), says)), schema, kind, data.draw(st.booleans()), tw.Rule((), says))
    again = rules.parse(rules.to_text(full=True))
    assert again == rules, rules.to_text(full=True)


@modest(60)
@given(case=cases(), est=estimators(POLICIES), seed=st.integers(0, 10**6))
def test_rules_of_a_tree_read_back_predict_the_same(case: Case, est: Any, seed: int) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    rules = tree.to_rules()
    again = rules.parse(rules.to_text(full=True))
    assert again == rules
    X = make_case(seed, 60).X
    X["text"] = X["text"].where(X["text"].isin(set(case.X["text"].dropna())))
    X["cat"] = X["cat"].where(X["cat"].isin(set(case.X["cat"].dropna())))
    assert np.array_equal(again.matches(X), rules.matches(X))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("if colour = red then y = a", "column 'colour' is unknown"),
        ("if x <= red then y = a", "x.*number.*'red'"),
        ("if x <= 2 then y = c", "class 'c' is unknown"),
        ("if x <= 2", "must read 'if … and … then y = …'"),
        ("if x <= 2 then z = a", "'y = …'"),
        ("if c > red then y = a", "levels are compared by"),
        ("if c = green then y = a", "level of 'c' 'green' is unknown"),
        ("if x then y = a", "must compare one column"),
        ("if (x <= 1, or if missing: c = red) then y = a", "does not write its stand-ins in full"),
        ("if (x <= 1 or 7 of missing) then y = a", "between 0 and 1"),
        ("", "behind 'then'"),
        ("if x <= 2 then y = a  (5 rows: a -3, b 8)", "every count.*from 0 up, not '-3'"),
        ("if x <= 2 then y = a  (5 rows: a 3, d 2)", "class 'd' is unknown"),
        ("if x <= 2 then y = a  (5 rows: a x)", "every count.*a number, not 'x'"),
        ("if x <= 2 then y = a  (5 rows: a 0)", "above 0"),
    ],
)
def test_errors_name_the_thing(text: str, words: str) -> None:
    schema = TableSchema((ColumnSchema("x", "number"), ColumnSchema("c", "nominal", ("red", "blue"))))
    with pytest.raises(ValueError, match=words):
        parse_rule(text, schema, TargetSchema("y", ("a", "b")))


def test_what_a_person_writes() -> None:
    columns = (
        ColumnSchema("x", "number"),
        ColumnSchema("when", "date"),
        ColumnSchema("size", "ordered", ("S", "M", "L")),
        ColumnSchema("c", "nominal", ("red", "blue")),
    )
    schema, target = TableSchema(columns), TargetSchema("y", ("a", "b"))
    rule = parse_rule(
        "if x>1 and x <= 5".replace(">", " > ") + " and when >= 2020-02-01 and size >= M and c != red then y = b", schema, target
    )
    assert rule.text(target) == "if 1 < x <= 5 and when >= 2020-02-01 and size >= M and c = blue then y = b"
    X = pd.DataFrame(
        {"x": [2.0, 2.0], "when": [dt.datetime(2020, 2, 1), dt.datetime(2020, 1, 31)], "size": ["L", "L"], "c": ["blue"] * 2}
    )
    X["size"] = pd.Categorical(X["size"], ["S", "M", "L"], ordered=True)
    assert tw.RuleSet((rule,), schema, target).matches(X).tolist() == [[True], [False]]
