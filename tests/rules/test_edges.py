"""Rules at their edges: edits, counts that overlap, text by hand, rows that tell nothing, columns without levels."""

from __future__ import annotations

import dataclasses
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import treewright as tw


@pytest.fixture(scope="module")
def tennis() -> tuple[pd.DataFrame, Any, tw.RuleSet]:
    data = tw.datasets.load_play_tennis()
    return data.X, data.y, tw.RipperClassifier(random_state=0).fit(data.X, data.y).ruleset_


@pytest.mark.parametrize("make", [tw.M5RulesRegressor, tw.M5Regressor, tw.LogisticTreeClassifier])
def test_a_text_column_whose_cells_are_all_missing(make: Any) -> None:
    X = pd.DataFrame({"x": np.arange(30.0), "note": [None] * 30})
    y = np.where(X["x"] < 12, 1, 2) if make is tw.LogisticTreeClassifier else np.where(X["x"] < 12, X["x"], 50 - X["x"])
    alone = make().fit(X[["x"]], y).predict(X[["x"]])
    assert np.sum(np.abs(make().fit(X, y).predict(X) - alone) > 1e-9) <= 1  # which rows are held out may depend on the columns
    assert np.isfinite(make().fit(X[["note"]], y).predict(X[["note"]])).all()


def test_rules_of_another_table_are_put_on_the_columns_of_their_names(tennis: tuple[Any, Any, tw.RuleSet]) -> None:
    X, y, rules = tennis
    other = tw.ID3Classifier().fit(X[["wind", "humidity"]], y).tree_.to_rules()
    more = rules.add(other[0], 0)
    held = np.ones(len(X), bool)
    for condition in other[0].when:
        held &= (X[condition.column.name] == condition.column.levels[next(iter(condition.levels or ()))]).to_numpy()
    assert more.matches(X)[:, 0].tolist() == held.tolist()
    assert rules.change(0, other[0].when[0])[0].condition(other[0].when[0].column.name) is not None
    strange = tw.ID3Classifier().fit(X[["wind"]].astype(str).replace("weak", "none"), y).tree_.to_rules()[0]
    with pytest.raises(ValueError, match="another column 'wind'"):
        rules.add(strange)
    with pytest.raises(ValueError, match="column 'gust' is unknown"):
        rules.add(tw.ID3Classifier().fit(X[["wind"]].rename(columns={"wind": "gust"}), y).tree_.to_rules()[0])


def test_rules_that_say_what_the_target_cannot_be(tennis: tuple[Any, Any, tw.RuleSet]) -> None:
    _, _, rules = tennis
    with pytest.raises(ValueError, match="'maybe', which is no class of 'play'"):
        rules.add(dataclasses.replace(rules[0], says="maybe"))
    with pytest.raises(ValueError, match="no class"):
        rules.change(0, "outlook = rain", says="maybe")
    x = np.arange(40.0).reshape(-1, 1)
    numbers = tw.M5RulesRegressor().fit(x, np.where(x[:, 0] < 20, x[:, 0], 100 - 2 * x[:, 0])).ruleset_
    for says in (math.nan, "high", True):
        with pytest.raises(ValueError, match="must say a finite number"):
            numbers.change(0, "x0 <= 3", says=says)
    assert numbers.change(0, "x0 <= 3", says=np.int64(7)).predict([[1.0]]).tolist() == [7.0]
    wide = tw.M5Regressor(smoothing="none").fit(np.c_[np.zeros(40), x], 3 * x[:, 0]).tree_.to_rules()
    with pytest.raises(ValueError, match="of another table"):
        numbers.add(wide[0])


def test_an_edit_leaves_nothing_known_of_the_default(tennis: tuple[Any, Any, tw.RuleSet]) -> None:
    X, y, rules = tennis
    for edited in (rules.drop(0), rules.add("if wind = strong then play = no"), rules.change(0, "wind = weak")):
        assert edited.otherwise is not None
        assert not edited.otherwise.scored
        assert edited.otherwise.counts is None
        assert edited.scored(X, y).otherwise.scored  # type: ignore[union-attr]
    same = rules.reorder(range(len(rules))[::-1])
    assert same.otherwise is not None
    assert same.otherwise.weight == rules.otherwise.weight == 9.0  # type: ignore[union-attr]


def test_disjunctions_count_rows_once_and_end_in_the_default(tennis: tuple[Any, Any, tw.RuleSet]) -> None:
    X, y, rules = tennis
    last = rules.dnf()[-1]
    assert (str(last), last.weight) == ("else play = yes", 9.0)
    assert sum(each.weight for each in rules.dnf()) == 14
    simple = tw.ID3Classifier().fit(X, y).tree_.to_rules().simplify(X, y)
    weights = np.arange(14) % 3 + 0.5
    no, yes, otherwise = simple.dnf(X, y, weights)
    assert str(otherwise) == "otherwise play = yes"
    said = [rule.says for rule in simple]
    for each in (no, yes):
        held = simple.matches(X)[:, [says == each.says for says in said]].any(axis=1)
        right = held & (np.asarray(y) == each.says)
        assert each.weight == weights[held].sum()
        assert each.support == each.weight / weights.sum()
        assert each.confidence == pytest.approx(weights[right].sum() / each.weight)
    assert math.isnan(simple.dnf()[1].weight)
    assert simple.dnf()[1].confidence is None
    with pytest.raises(ValueError, match="both X and y"):
        simple.dnf(X)
    listed = rules.parse("if wind = weak then play = yes\nelse if outlook = rain then play = no\nelse play = yes").dnf()
    assert [str(each)[:7] for each in listed] == ["if wind", "else if", "else pl"]


def test_text_that_a_hand_has_edited(tennis: tuple[Any, Any, tw.RuleSet]) -> None:
    _, _, rules = tennis
    one = tw.RuleSet(rules.rules[:1], rules.schema, rules.target, ordered=True)
    assert one.parse(one.to_text(full=True)) == one
    loose = dataclasses.replace(one, ordered=False)
    assert loose.parse(loose.to_text(full=True)) == loose
    for text in ("if outlook = rain and outlook = sunny then play = no", "if outlook in {} then play = no"):
        with pytest.raises(ValueError, match="can never hold"):
            rules.parse(text)
    with pytest.raises(TypeError, match="read from text"):
        rules.parse(None)  # type: ignore[arg-type]
    numbers = tw.CARTRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).tree_.to_rules()
    for answer in ("nan", "inf", "-1e999"):
        with pytest.raises(ValueError, match="must be a finite number"):
            numbers.parse(f"if x0 <= 1 then target = {answer}")
    with pytest.raises(ValueError, match="can never hold"):
        numbers.parse("if 5 < x0 <= 3 then target = 1")


def test_stand_ins_of_ordered_columns_are_read_back() -> None:
    rng = np.random.default_rng(0)
    size = pd.Categorical.from_codes(rng.integers(0, 3, 120), ["S", "M", "L"], ordered=True)
    x = size.codes + rng.normal(0, 0.6, 120)
    X = pd.DataFrame({"size": size, "x": np.where(np.arange(120) % 40, x, np.nan)})
    for cut in (0.5, 1.5):
        rules = tw.CARTClassifier(missing="surrogate", max_depth=1).fit(X, x > cut).tree_.to_rules()
        assert "or if missing: [size = " in rules.to_text(full=True)
        again = rules.parse(rules.to_text(full=True))
        assert again == rules
        assert again.predict(X).tolist() == rules.predict(X).tolist()


def test_rules_that_no_row_speaks_of_stay_as_they_are(tennis: tuple[Any, Any, tw.RuleSet]) -> None:
    X, y, rules = tennis
    foggy = X.assign(outlook=pd.Categorical(X["outlook"], ["sunny", "overcast", "rain", "fog"]))
    whole = tw.ID3Classifier().fit(foggy, y).tree_.to_rules()
    (fog,) = (rule for rule in whole if rule.weight == 0)
    assert fog in whole.simplify(foggy, y).rules
    assert all(rule.when for rule in whole.simplify(foggy, y))
    for rows, weights in ((X.iloc[:0], None), (X, np.zeros(14))):
        with pytest.raises(ValueError, match="simplified by what they say of rows"):
            rules.simplify(rows, y[: len(rows)], sample_weight=weights)


def generalised(rule: Any, X: pd.DataFrame, y: Any, w: Any) -> set[str]:
    """Columns a rule with an equation keeps, by enumeration: greedily, as long as the expected deviation does not rise."""
    off = y - rule.says.intercept - sum(t.coefficient * X[t.column].fillna(t.missing) for t in rule.says.terms)
    holds = {c.column.name: np.asarray(_within(c, X[c.column.name])) for c in rule.when}

    def expected(names: set[str]) -> float:
        held = np.all([holds[name] for name in names] or [np.ones(len(X), bool)], axis=0)
        n, v = w[held].sum(), len(rule.says.terms) + 1
        return math.sqrt((w[held] * off[held] ** 2).sum() / n) * (n + v) / (n - v) if n > v else math.inf

    kept = set(holds)
    while kept:
        best = min(expected(kept - {name}) for name in kept)
        if best > expected(kept) + 1e-9 * np.abs(off).max():
            return kept
        kept -= {next(name for name in reversed(list(holds)) if name in kept and expected(kept - {name}) == best)}
    return kept


def _within(condition: Any, cells: Any) -> Any:
    low, high = condition.interval()
    return (cells >= low) & (cells <= high)


def test_simplification_of_equations_is_by_how_far_off_they_are() -> None:
    rng = np.random.default_rng(3)
    sizes = set()
    for turn in range(40):
        n = int(rng.integers(9, 40))
        X = pd.DataFrame(rng.integers(0, 6, (n, 4)).astype(float), columns=list("abcd"))
        y = np.round(2 * X["a"] - X["b"] * (X["c"] > 2) + 5 + rng.normal(0, rng.choice([0.3, 2]), n), 2).to_numpy()
        w = rng.choice([1.0, 2.0, 3.0], n) if turn % 2 else np.ones(n)
        empty = tw.RuleSet((), *_schemas(X, y))
        terms = " + 2 * a [1 if missing]" + (" - 0.5 * b [0 if missing]" if turn % 3 else "")
        a, b, c, d = rng.integers([2, 0, 2, 0], [5, 3, 5, 2])
        rules = empty.add(f"if a <= {a} and b > {b} and c <= {c} and d > {d} then y = {rng.integers(0, 9)}{terms}")
        if not (rules.matches(X)[:, 0] * w).sum() > 0:
            continue
        short = rules.simplify(X, y, w)
        kept = {c.column.name for c in short[0].when}
        assert kept == generalised(rules[0], X, y, w), turn
        assert short[0].says == rules[0].says
        sizes.add(len(kept))
    assert len(sizes) >= 3


def _schemas(X: pd.DataFrame, y: Any) -> tuple[Any, Any]:
    rules = tw.CARTRegressor().fit(X, pd.Series(y, name="y")).tree_.to_rules()
    return rules.schema, rules.target


@pytest.mark.parametrize("make", [tw.PartClassifier, tw.C45Classifier])
def test_a_divided_row_is_explained_by_its_parts(make: Any) -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=150).round(1), "c": rng.choice(list("uvw"), 150)})
    y = np.where((X["a"] > 0) & (X["c"] != "u"), "p", "q")
    X.loc[::6, "a"] = np.nan
    X.loc[::7, "c"] = None
    est = make().fit(X, y)
    rules = est.ruleset_ if hasattr(est, "ruleset_") else est.tree_.to_rules()
    row = X.iloc[[42]]
    assert row.isna().to_numpy().all()
    found = rules.explain(row)
    shares = dict(found.divided)
    assert sum(shares.values()) == pytest.approx(1)
    left = 1.0
    for at, rule in enumerate(rules):
        part = math.prod(c.missing_share for c in rule.when)
        assert shares[at] == pytest.approx(left * part)
        left -= left * part if rules.ordered else 0
    assert shares.get(-1, 0.0) == pytest.approx(left if rules.ordered else 0)
    assert found.rule == found.divided[0][0]
    assert f"rule {found.rule} decides 56% of the row: if (a <= 0 or 56% of missing)" in str(found)
    assert ("the default decides" in str(found)) == rules.ordered
    assert "56% rule 0" in found._repr_mimebundle_()["text/html"]
    assert rules.explain(X.iloc[[1]]).divided == ()


def test_conditions_that_only_a_missing_cell_satisfies_are_saved(tmp_path: Path) -> None:
    X = pd.DataFrame({"c": ["a", "b", "c", None] * 5, "x": [1.0, 2.0, np.nan, 3.0] * 5})
    blank = tw.CARTClassifier().fit(X, ["p", "q", "r", "r"] * 5).tree_.to_rules()
    text = "if (c in {b, c} or missing) and c is missing then target = r\nif (x <= 2 or missing) and x is missing then target = p"
    rules = blank.parse(text).scored(X, ["p", "q", "r", "r"] * 5)
    rules.save(tmp_path / "rules.json")
    for again in (tw.load(tmp_path / "rules.json"), pickle.loads(pickle.dumps(rules))):
        assert again == rules
        assert again.matches(X)[:4].tolist() == [[False, False], [False, False], [False, True], [True, False]]


def test_the_default_speaks_for_the_rows_that_it_decides() -> None:
    at = np.arange(70)
    X = pd.DataFrame({"a": np.where(at < 30, np.nan, at)})
    y = np.where(at < 30, "z", np.where(at < 50, "p", "q"))
    rules = tw.C45Classifier(min_samples_leaf=2).fit(X, y).tree_.to_rules()
    short = tw.RuleSet(rules.rules[1:], rules.schema, rules.target).simplify(X, y)
    assert short.otherwise is not None
    assert short.otherwise.says == "p"  # rows with missing cells are divided among the rules that are left
    assert short.otherwise.weight == 20


def test_classes_that_training_did_not_know_count_as_wrong() -> None:
    X, y = load_iris(return_X_y=True)
    y = np.array(["s", "v", "u"])[y]
    est = tw.RipperClassifier(random_state=0).fit(X[:100], y[:100])
    rules = est.ruleset_
    wrong = round((1 - est.score(X, y)) * 150)
    assert rules.errors(X, y) == wrong >= 50
    scored = [*(told := rules.scored(X, y)), told.otherwise]
    assert sum(rule.weight for rule in scored) == 150
    assert round(sum(rule.errors for rule in scored)) == wrong
    assert rules.simplify(X, y).errors(X, y) <= wrong
    assert rules.errors(X, y, np.repeat([1.0, 0.0], [100, 50])) == wrong - 50
    tree = tw.ID3Classifier().fit(X[:100], y[:100]).tree_.to_rules()
    assert tree.simplify(X, y).otherwise.says in ("s", "v")
    assert tree.simplify(X[100:], y[100:]).errors(X[100:], y[100:]) == 50
    assert rules.parse(rules.scored(X[100:], y[100:]).to_text(full=True)) == rules
    for strange in (1, None):  # no text: not a class of another table
        with pytest.raises(ValueError, match=f"y holds {strange}, which is no class of 'target'"):
            rules.errors(X[:1], [strange])
        assert rules.errors(X[:1], [strange], [0]) == 0


def test_a_rule_is_printed_as_its_sentence(tennis: tuple[Any, Any, tw.RuleSet]) -> None:
    rule = tennis[2][0]
    assert str(rule) == rule.text("target")
    assert str(rule).startswith("if ") and "Condition(" not in f"{rule}"


def test_a_row_by_names_has_no_order_of_columns(tennis: tuple[Any, Any, tw.RuleSet]) -> None:
    X, y, rules = tennis
    row = X.iloc[0][::-1]
    for model in (rules, tw.RipperClassifier().fit(X, y), tw.ID3Classifier().fit(X, y)):
        for given in (row, dict(row)):
            assert model.explain(given).to_text() == model.explain(X.iloc[[0]]).to_text()
        with pytest.raises(ValueError, match="outlook"):
            model.explain(dict(row.drop("outlook")))
