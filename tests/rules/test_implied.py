"""Which rules hold only where others do, against trying cells: at every threshold, beside it, beyond it, every level, missing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import Case, cases, estimators, make_case, modest
from tests.rules.test_parse import columns, conditions
from treewright.model.condition import Condition
from treewright.model.parse import parse_rule
from treewright.table import ColumnSchema, TableSchema, TargetSchema

pytestmark = pytest.mark.filterwarnings("ignore:.*a split needs")


def tried(those: list[Condition], column: ColumnSchema) -> np.ndarray:
    """Cells of a column between which these conditions can tell: one of every kind."""
    if column.nominal:
        return np.arange(-1, len(column.levels), dtype=np.int32)
    if column.kind in ("ordered", "bool"):
        return np.array([*range(max(len(column.levels), 2 if column.kind == "bool" else 1)), np.nan], float)
    ends = [end.at for each in those for end in (each.low, each.high) if end is not None]
    beside = [math.nextafter(at, far) for at in ends for far in (-math.inf, math.inf)]
    return np.array([-np.inf, *ends, *beside, 0.0, np.inf, np.nan], float)


def shares(one: Condition | None, cells: np.ndarray) -> np.ndarray:
    """The part of every cell that satisfies a condition, from what its attributes mean."""
    if one is None:
        return np.ones(len(cells))
    out = []
    for cell in cells.tolist():
        if cell < 0 if one.column.nominal else cell != cell:
            out.append(1.0 if one.missing else one.missing_share)
        elif one.column.nominal:
            out.append(float(one.present and (one.levels is None or cell in one.levels)))
        else:
            above = one.low is None or cell > one.low.at or (one.low.inclusive and cell == one.low.at)
            below = one.high is None or cell < one.high.at or (one.high.inclusive and cell == one.high.at)
            out.append(float(one.present and above and below))
    return np.array(out)


def by_column(a: tw.Rule, b: tw.Rule, schema: TableSchema) -> list[tuple[np.ndarray, np.ndarray]]:
    """For every column what parts of its cells each of two rules takes."""
    mine, theirs = ({c.index: c for c in rule.when} for rule in (a, b))
    out = []
    for j in sorted({*mine, *theirs}):
        cells = tried([each[j] for each in (mine, theirs) if j in each], schema.columns[j])
        out.append((shares(mine.get(j), cells), shares(theirs.get(j), cells)))
    return out


def implied(narrow: tw.Rule, wide: tw.Rule, schema: TableSchema) -> bool:
    return all((one <= other).all() for one, other in by_column(narrow, wide, schema))


def taken_whole(narrow: tw.Rule, wide: tw.Rule, schema: TableSchema) -> bool:
    return all((other[one > 0] == 1).all() for one, other in by_column(narrow, wide, schema))


@modest(400)
@given(columns=columns(), data=st.data())
def test_a_condition_implies_another_where_no_cell_says_otherwise(columns: tuple[ColumnSchema, ...], data: st.DataObject) -> None:
    one = data.draw(conditions(columns[0], 0))
    other = data.draw(st.one_of(conditions(columns[0], 0), st.just(one), st.just(replace(one, missing=not one.missing))))
    cells = tried([one, other], columns[0])
    if columns[0].kind == "number":  # between others the interval may be empty though no end tells
        cells = cells[np.isfinite(cells) | np.isnan(cells)]
    for a, b in ((one, other), (other, one)):
        assert a.implies(b) == bool((shares(a, cells) <= shares(b, cells)).all()), (str(a), str(b))
    both = one.also(other)
    np.testing.assert_allclose(shares(both, cells), shares(one, cells) * shares(other, cells))
    assert np.array_equal(both.mask(cells), shares(both, cells) == 1)
    assert both.implies(one) and both.implies(other)


@pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")
@modest(40)
@given(
    case=cases(), est=estimators(["learned", "fraction", "own", "surrogate"]), ordered=st.booleans(), seed=st.integers(0, 10**6)
)
def test_tidy_and_dnf_are_what_comparing_all_pairs_gives(case: Case, est: Any, ordered: bool, seed: int) -> None:
    rules = est.fit(case.X, case.target(est)).tree_.to_rules()
    rng = np.random.default_rng(seed)
    drawn = [rules[i] for i in rng.integers(0, len(rules), 12)]
    # Wider rules than those of the tree, so that some imply others; some ask no stand-ins.
    some = [[replace(c, if_missing=()) if rng.random() < 0.3 else c for c in r.when if rng.random() < 0.6] for r in drawn]
    made = tuple(tw.Rule(tuple(when), r.says, leaf=r.leaf) for when, r in zip(some, drawn, strict=True))
    rules = tw.RuleSet(made, rules.schema, rules.target, ordered).scored(case.X, case.target(est))
    tidy = rules.tidy()
    plain = not any(c.if_missing for rule in rules for c in rule.when)
    if not ordered:
        assert tidy.rules == tuple(rule for at, rule in enumerate(rules) if rule not in rules.rules[:at])
    elif plain:
        assert tidy.rules == tuple(
            r for at, r in enumerate(rules) if not any(taken_whole(r, old, rules.schema) for old in rules.rules[:at])
        )
    X = make_case(seed, 60).X
    if ordered:  # what never decides is not missed
        assert np.array_equal(tidy.predict(X), rules.predict(X))
    if not plain:
        return
    for joined in rules.dnf():
        kept = [tw.Rule(term, joined.says) for term in joined.terms]
        assert not any(implied(one, other, rules.schema) for one in kept for other in kept if one is not other)
        if not ordered:
            group = [rule for rule in rules if rule.says == joined.says]
            assert all(any(implied(rule, one, rules.schema) for one in kept) for rule in group)


def test_stand_ins_let_rows_in_that_the_same_bounds_do_not() -> None:
    X = pd.DataFrame({"x": np.arange(8.0), "z": np.arange(8.0)})
    rules = tw.CARTClassifier(missing="surrogate").fit(X, list("aaaabbbb")).tree_.to_rules()
    bare = rules.parse("if x > 3.5 then target = b")[0]
    listed = tw.RuleSet((bare, rules[1]), rules.schema, rules.target, True, tw.Rule((), "a"))
    row = pd.DataFrame({"x": [np.nan], "z": [7.0]})
    assert listed.predict(row).tolist() == listed.tidy().predict(row).tolist() == ["b"]
    whole = rules.parse("if (x > 3.5 or missing) then target = b")[0]
    assert rules[1].implies(whole) and not whole.implies(rules[1])


@pytest.mark.parametrize(
    ("text", "same"),
    [("x <= 5 and x < 5", "x < 5"), ("x < 5 and x <= 5", "x < 5"), ("x >= 5 and x > 5", "x > 5"), ("x > 5 and x >= 5", "x > 5"),
     ("x <= 5 and x >= 5", "5 <= x <= 5")],
)  # fmt: skip
def test_of_two_ends_at_one_value_the_narrower_holds(text: str, same: str) -> None:
    schema, target = TableSchema((ColumnSchema("x", "number"),)), TargetSchema("y", None)
    one, other = (parse_rule(f"if {each} then y = 1", schema, target) for each in (text, same))
    assert one == other
    rows = [[4.0], [5.0], [6.0]]
    masks = [tw.RuleSet((rule,), schema, target).matches(rows).tolist() for rule in (one, other)]
    assert masks[0] == masks[1] == [[eval(text, {"x": x})] for (x,) in rows]
