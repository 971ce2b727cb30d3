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
            column, index, missing=missing, missing_share=share, present=draw(st.booleans()) and share == 0, missing_seen=seen
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


def _numbers(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"a": np.round(rng.uniform(10, 20, 300), 1), "b": rng.normal(size=300).astype(np.float32), "c": rng.normal(size=300)}
    )
    return X, np.where(X["a"] + 3 * X["b"] > 15, "yes", np.where(X["c"] > 0.4, "maybe", "no"))


@pytest.mark.parametrize("name", ["CARTClassifier", "RipperClassifier", "C45RulesClassifier", "PartClassifier"])
def test_rules_have_the_digits_that_separate_and_their_text_predicts_the_same(name: str) -> None:
    X, y = _numbers(1)
    est = getattr(tw, name)().fit(X, y)
    rules = est.tree_.to_rules() if hasattr(est, "tree_") else est.ruleset_
    assert "99999" not in str(rules)
    assert "00000" not in str(rules)
    again = rules.parse(str(rules))
    edges = {column: [end.at for rule in rules for c in rule.when if c.column.name == column for end in (c.low, c.high) if end]
             for column in X}  # fmt: skip
    rows = pd.concat([X, *(X.head(len(at)).assign(**{column: at}) for column, at in edges.items())])
    rows = pd.concat([rows, *(X.head(len(at)).assign(**{column: np.nextafter(at, 99)}) for column, at in edges.items())])
    assert np.array_equal(again.matches(rows), rules.matches(rows))
    assert str(again.scored(X, y)) == str(rules.scored(X, y))


def test_one_way_of_saying_numbers() -> None:
    X = pd.DataFrame({"x": [0.2, 0.4] * 4})
    tree = tw.CARTClassifier().fit(X, ["low", "high"] * 4).tree_
    rules = tree.to_rules()
    assert rules[0].when[0].high is not None
    assert rules[0].when[0].high.at == 0.30000000000000004
    assert "x <= 0.3?" in tree.to_text()
    texts = [str(rules), rules.to_markdown().replace("\\", ""), str(rules.dnf()[0]), str(rules.to_frame()["if"].tolist()),
             str(rules.explain(X.iloc[[0]])), rules._repr_mimebundle_()["text/html"]]  # fmt: skip
    for text in texts:
        assert "0.3" in text
        assert "0.300" not in text
    assert "0.30000000000000004" in rules.to_text(full=True)
    # 0.3 is what these rules write for their own threshold; with more digits it is a number like any other.
    for text, at in (("0.3", 0.30000000000000004), ("0.30", 0.3)):
        end = rules.parse(f"if x <= {text} then target = low")[0].when[0].high
        assert end is not None
        assert end.at == at
        assert rules.change(0, f"x <= {text}")[0].when[0].interval()[1] == at


def test_thresholds_that_would_look_alike_are_written_in_full() -> None:
    column = ColumnSchema("x", "number")
    ends = [Bound(column, at, 5, 15, False, True) for at in (10.000123456, 10.000234567, 10.0)]
    rules = tw.RuleSet(
        tuple(tw.Rule((Condition(column, 0, high=end),), "a") for end in ends), TableSchema((column,)), TargetSchema("y", ("a",))
    )
    assert [rule.when[0].text() for rule in rules] == ["x <= 10"] * 3
    assert str(rules).split("\n") == [f"if x <= {text} then y = a" for text in ("10.000123456", "10.000234567", "10")]
    assert rules.parse(str(rules)) == rules


def test_numbers_that_rules_say_are_read_back_as_they_are() -> None:
    X, _ = _numbers(2)
    y = (X["a"] / 3 + X["b"]).to_numpy()
    for rules in (tw.CARTRegressor(max_depth=4).fit(X, y).tree_.to_rules(), tw.M5RulesRegressor().fit(X, y).ruleset_):
        assert np.array_equal(rules.parse(str(rules)).predict(X), rules.predict(X))


@pytest.mark.parametrize(
    "text",
    [
        "IF c=red AND x<=2.5 THEN y=a",
        "If c == red and 2.5>=x then y == a  (3 rows, 100% right)",
        "ELSE IF c <> blue And x ≤ 2.5 Then y = a (3 rows, 100% right)",
        "if  (x <= 2.5)  and  c in {red}  then  y = a",
        "if c IN{ red } and red = c and x<= 2.5 then y = a (3 rows: a 3)",
        "if 'c' = \"red\" and x<=2.5 then 'y' = 'a'",
    ],
)
def test_other_spellings_mean_the_same(text: str) -> None:
    schema = TableSchema((ColumnSchema("x", "number"), ColumnSchema("c", "nominal", ("red", "blue"))))
    target = TargetSchema("y", ("a", "b"))
    assert parse_rule(text, schema, target) == parse_rule("if x <= 2.5 and c = red then y = a", schema, target)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1<x<=5", "1 < x <= 5"),
        ("5 >= x > 1", "1 < x <= 5"),
        ("x IS MISSING", "x is missing"),
        ("x is not missing", "x is known"),
        ("x <= 2 OR MISSING", "(x <= 2 or missing)"),
        ("(x <= 2 or 25% of missing)", "(x <= 2 or 0.25 of missing)"),
        ("c in {red,blue}", "c in {red, blue}"),
        ("t = true", "t = True"),
        ("n == TRUE", "n = True"),
    ],
)
def test_conditions_in_other_spellings(text: str, same: str) -> None:
    columns = (ColumnSchema("x", "number"), ColumnSchema("c", "nominal", ("red", "green", "blue")), ColumnSchema("t", "bool"),
               ColumnSchema("n", "nominal", (False, True)))  # fmt: skip
    a, b = (parse_rule(f"if {each} then y = 1", TableSchema(columns), TargetSchema("y", None)) for each in (text, same))
    assert a == b


def test_lists_in_upper_case() -> None:
    data = tw.datasets.load_play_tennis()
    rules = tw.C45RulesClassifier().fit(data.X, data.y).ruleset_
    again = rules.parse("IF outlook=overcast THEN play=yes\nELSE IF humidity=high THEN play=no\nELSE play=yes")
    assert again.ordered
    assert again.otherwise == tw.Rule((), "yes")
    assert len(again) == 2


@pytest.mark.parametrize("number", ["1e400", "-1e999", "inf", "nan"])
def test_thresholds_are_finite(number: str) -> None:
    with pytest.raises(ValueError, match=r"finite number|is none"):
        parse_rule(f"if x <= {number} then y = a", TableSchema((ColumnSchema("x", "number"),)), TargetSchema("y", ("a",)))


@pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")
@pytest.mark.parametrize("missing", ["learned", "fraction", "surrogate", "own"])
def test_R2_printed_text_predicts_the_same_of_any_row(missing: str) -> None:
    case, new = make_case(5, 400), make_case(6, 20_000).X
    new["text"] = new["text"].where(np.arange(len(new)) % 50 != 0, "strange")
    for target, make in ((case.classes, tw.CARTClassifier), (case.numbers, tw.CARTRegressor)):
        if make is tw.CARTRegressor and missing == "surrogate":
            continue
        rules = make(missing=missing, min_samples_leaf=5).fit(case.X, target).tree_.to_rules()
        for each in (rules, rules.simplify(case.X, target)):
            again = each.parse(str(each))
            assert again == each
            assert str(again) == str(each)
            assert np.array_equal(again.predict(new), each.predict(new))
        if make is tw.CARTClassifier:
            assert np.array_equal(rules.parse(str(rules)).predict_proba(new), rules.predict_proba(new))


def test_lines_that_are_moved_or_changed() -> None:
    data = tw.datasets.load_play_tennis()
    rules = tw.C45RulesClassifier().fit(data.X, data.y).ruleset_
    lines = str(rules).split("\n")
    assert len(lines) == 6
    fewer = rules.parse("\n".join([lines[0], lines[2], lines[5]]))
    assert fewer.rules == (rules[0], rules[2])
    assert [rule.scored for rule in fewer] == [True, False]  # behind the one that is gone, other rows are decided
    assert fewer.otherwise == rules.otherwise
    assert not fewer.otherwise.scored
    assert not rules.parse(lines[0].rpartition("  (")[0])[0].scored  # written by hand
    tree = tw.ID3Classifier().fit(data.X, data.y).tree_.to_rules()
    some = tree.parse("\n".join(str(tree).split("\n")[1:]))
    assert some.rules == tree.rules[1:]
    assert [rule.weight for rule in some] == [rule.weight for rule in tree.rules[1:]]
    assert {rule.leaf for rule in some} == {-1}  # no longer complete
