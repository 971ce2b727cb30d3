"""Rule sets: matching against plain masks, scores against counting, edits, answers, forms."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from tests.properties.tables import DIVIDED, POLICIES, Case, cases, estimators, make_case, modest
from treewright.errors import UnseenLevelWarning
from treewright.model.rules import cells_of

pytestmark = pytest.mark.filterwarnings("ignore:.*a split needs")


def seen_only(X: pd.DataFrame, case: Case) -> pd.DataFrame:
    X = X.copy()
    for name in ("text", "cat"):
        X[name] = X[name].where(X[name].isin(set(case.X[name].dropna())))
    return X


@modest(80)
@given(case=cases(), est=estimators(POLICIES), seed=st.integers(0, 10**6))
def test_matching_is_all_masks_at_once(case: Case, est: Any, seed: int) -> None:
    rules = est.fit(case.X, case.target(est)).tree_.to_rules()
    X = seen_only(make_case(seed, 80).X, case)
    cells = cells_of(X, rules.schema)
    slow = np.ones((80, len(rules)), bool)
    for j, rule in enumerate(rules):
        for condition in rule.when:
            slow[:, j] &= condition.holds(cells)
    assert np.array_equal(rules.matches(X), slow)
    listed = tw.RuleSet(rules.rules, rules.schema, rules.target, ordered=True)
    first = np.where(slow.any(axis=1), slow.argmax(axis=1), -1)
    assert np.array_equal(listed._matcher.first(*listed._cells(X)), first)
    whole = slow.any(axis=1) | (not listed._in_parts)  # of other rows the rule that takes the largest part decides
    assert np.array_equal(listed.apply(X)[whole], first[whole])


@modest(80)
@given(case=cases(), est=estimators([p for p in POLICIES if p != "ignore"]), seed=st.integers(0, 10**6))
def test_a_tree_and_its_rules_predict_the_same(case: Case, est: Any, seed: int) -> None:
    tree = est.fit(case.X, case.target(est)).tree_
    rules = tree.to_rules()
    X = seen_only(make_case(seed, 60).X, case)
    if tree.target.classes is None:
        np.testing.assert_allclose(rules.predict(X).astype(float), tree.predict(X), rtol=1e-9)
        return
    np.testing.assert_allclose(rules.predict_proba(X), tree.predict_proba(X), atol=1e-12)
    if tree.missing not in DIVIDED:  # equal shares may round apart
        assert rules.predict(X).tolist() == tree.predict(X).tolist()


def test_R2_each_row_is_covered_by_one_rule_and_text_predicts_the_same() -> None:
    case = make_case(5, 400)
    rng = np.random.default_rng(0)
    n = 100_000
    new = make_case(6, n).X
    new["text"] = pd.Series(np.where(rng.random(n) < 0.02, "strange", new["text"]), dtype="str").where(new["text"].notna())
    for missing in ("learned", "majority", "own", "surrogate"):
        est = tw.CARTClassifier(missing=missing, min_samples_leaf=3).fit(case.X, case.classes)
        rules = est.tree_.to_rules()
        with pytest.warns(UnseenLevelWarning):
            held = rules.matches(new)
        assert (held.sum(axis=1) == 1).all()
        with pytest.warns(UnseenLevelWarning):
            assert np.array_equal(rules.parse(rules.to_text(full=True)).predict(new), est.predict(new))


@pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")
@pytest.mark.parametrize("make", [tw.RipperClassifier, tw.C45RulesClassifier, tw.PartClassifier, tw.M5RulesRegressor])
def test_R2_the_first_rule_of_a_list_decides_and_text_predicts_the_same(make: Any) -> None:
    case = make_case(5, 400)
    n = 100_000
    new = make_case(6, n).X
    new["text"] = new["text"].where(np.arange(n) % 50 != 0, "strange")
    y = case.numbers if make is tw.M5RulesRegressor else case.classes
    est = make().fit(case.X, y)
    rules = est.ruleset_
    assert len(rules) >= 2
    held = rules.matches(new)
    if not rules._in_parts:
        assert np.array_equal(rules.apply(new), np.where(held.any(axis=1), held.argmax(axis=1), -1))
    again = rules.parse(rules.to_text(full=True))
    assert again == rules
    assert np.array_equal(again.predict(new), est.predict(new))
    if rules.target.classes is not None:
        assert np.array_equal(again.predict_proba(new), rules.predict_proba(new))


@pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning")
@pytest.mark.parametrize("missing", ["learned", "fraction", "surrogate"])
def test_R2_rules_that_vote_predict_the_same_when_read_back(missing: str) -> None:
    case = make_case(5, 400)
    new = make_case(6, 20_000).X
    rules = tw.CARTClassifier(missing=missing, min_samples_leaf=3).fit(case.X, case.classes).tree_.to_rules()
    simple = rules.simplify(case.X, case.classes, case.weights)
    assert (simple.matches(new).sum(axis=1) > 1).any()
    edited = simple.drop(0).add(rules[0]).change(1, simple[1].when[0])
    for each in (rules, simple, simple.scored(case.X, case.classes, case.weights / 3), edited, rules.drop(0), rules.drop(2)):
        again = each.parse(each.to_text(full=True))
        assert again == each
        assert np.array_equal(again.predict(new), each.predict(new))
        assert np.array_equal(again.predict_proba(new), each.predict_proba(new))
        assert np.array_equal(again.apply(new), each.apply(new))


@modest(50)
@given(case=cases(), est=estimators(["learned", "majority"], regress=False), ordered=st.booleans(), seed=st.integers(0, 10**6))
def test_scores_are_counts(case: Case, est: Any, ordered: bool, seed: int) -> None:
    tree = est.fit(case.X, case.classes).tree_
    rules = tw.RuleSet(tree.to_rules().rules[::-1], tree.schema, tree.target, ordered)
    rules = rules.simplify(case.X, case.classes)
    assert rules.ordered == ordered
    other = make_case(seed, 70)
    X, w = seen_only(other.X, case), other.weights.astype(float)
    y = np.where(np.isin(other.classes, case.classes), other.classes, case.classes[0])
    scored = rules.scored(X, y, w)
    held = rules.matches(X)
    covered = np.zeros(len(y), bool)
    for rule, own in zip(scored, held.T, strict=True):
        mine = own & ~covered if ordered else own
        covered |= own
        right = w[mine & (y == rule.says)].sum()
        assert rule.weight == w[mine].sum()
        assert rule.support == pytest.approx(w[mine].sum() / w.sum())
        prior = w[y == rule.says].sum()
        assert rule.coverage == (pytest.approx(right / prior) if prior else None)
        if rule.weight == 0:
            assert rule.confidence is rule.errors is rule.lift is None
            continue
        assert rule.errors == pytest.approx(w[mine].sum() - right)
        assert rule.confidence == pytest.approx(right / rule.weight)
        if prior:
            assert rule.lift == pytest.approx(rule.confidence / (prior / w.sum()))
    assert scored.otherwise is not None
    assert scored.otherwise.weight == w[~held.any(axis=1)].sum()
    assert rules.errors(X, y, w) == w[rules.predict(X) != y].sum()


@pytest.fixture
def tennis() -> tuple[Any, tw.RuleSet]:
    data = tw.datasets.load_play_tennis()
    return data, tw.ID3Classifier().fit(data.X, data.y).tree_.to_rules()


def test_edits_and_scores_anew(tennis: tuple[Any, tw.RuleSet]) -> None:
    data, rules = tennis
    listed = tw.RuleSet(rules.rules, rules.schema, rules.target, True, tw.Rule((), "yes")).scored(data.X, data.y)
    more = listed.add("if temperature = hot then play = no", at=0)
    assert (len(more), more[0].scored, more[1].scored) == (6, False, False)
    assert len(listed) == 5
    more = listed.add("if temperature = hot then play = no", at=0, X=data.X, y=data.y)
    assert (more[0].weight, more[0].errors) == (4, 2)
    assert sum(rule.weight for rule in more) == 14
    less = more.drop(0, X=data.X, y=data.y)
    assert less == listed
    assert [rule.weight for rule in less] == [rule.weight for rule in listed]
    turned = listed.reorder([4, 3, 2, 1, 0], data.X, data.y)
    assert turned.predict(data.X).tolist() == listed.predict(data.X).tolist()
    changed = listed.change(0, "humidity in {high, normal}", data.X, data.y)
    assert changed[0].weight == 5
    assert changed[1].weight == 0
    assert (
        changed[0].text(rules.target) == "if outlook = sunny and humidity in {high, normal} then play = no  (5 rows, 60% right)"
    )
    added = listed.change(2, "wind = weak", data.X, data.y, says="no")
    assert added[2].text(rules.target) == "if outlook = overcast and wind = weak then play = no  (2 rows, 0% right)"


def test_an_edit_that_leaves_rows_says_what_they_are_told(tennis: tuple[Any, tw.RuleSet]) -> None:
    data, rules = tennis
    assert rules.otherwise is None
    for edited in (rules.drop(0), rules.change(0, "wind = weak"), rules.drop(0, data.X, data.y)):
        assert edited.to_text().splitlines()[-1].startswith("otherwise play = yes")
        told = edited.predict(data.X)[edited.apply(data.X) < 0]
        assert len(told)
        assert set(told) == {"yes"}
    assert rules.drop(0, data.X, data.y).otherwise.weight == 3
    assert rules.add(rules[0]).otherwise is None  # still complete
    assert rules.reorder([4, 3, 2, 1, 0]).otherwise is None
    # Text without a default gets what these say; all of them, in any order, are complete.
    for left in ("if wind = weak then play = yes", "\n".join(rules.to_text().splitlines()[1:])):
        read = rules.parse(left)
        assert read.otherwise.says == "yes" and read.to_text().splitlines()[-1].startswith("otherwise play = yes")
        np.testing.assert_array_equal(read.scored(data.X, data.y).predict(data.X), read.predict(data.X))
    assert rules.parse("\n".join(rules.to_text().splitlines()[::-1])).otherwise is None
    assert rules.add("otherwise play = no").otherwise.says == "no"  # which takes the place of the one before
    assert rules.add("otherwise play = no").add("otherwise play = yes").otherwise.says == "yes"
    assert rules.add(str(rules[0])).rules[-1].when == rules[0].when  # a rule alone names no column of the target
    numbers = tw.CARTRegressor(max_depth=1).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 6.0]).tree_.to_rules().drop(0)
    assert numbers.otherwise.says == numbers.predict([[0.0]])[0] == 3.0


def test_a_threshold_is_changed() -> None:
    X = pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0]})
    rules = tw.CARTClassifier().fit(X, ["a", "a", "b", "b"]).tree_.to_rules()
    assert rules.change(0, "age <= 45", X, ["a", "a", "b", "b"])[0].weight == 3


@pytest.mark.parametrize(
    ("edit", "kind", "words"),
    [
        (lambda rules, data: rules.parse(" \n "), ValueError, "holds no rules: write one a line"),
        (lambda rules, data: rules.add("otherwise play = no", at=0), ValueError, "at=0.*has no position"),
        (lambda rules, data: rules.drop(0, sample_weight=[1.0]), ValueError, "both X and y are needed, and sample_weight"),
        (lambda rules, data: rules.dnf(sample_weight=[1.0]), ValueError, "both X and y are needed, and sample_weight"),
        (lambda rules, data: rules.add(None), TypeError, "Rule or text.*not NoneType"),
        (lambda rules, data: rules.add(5), TypeError, "Rule or text.*not int"),
        (lambda rules, data: rules.change(0, None), TypeError, "Condition or text.*not NoneType"),
        (lambda rules, data: rules.reorder([0, "1", 2, 3, 4]), ValueError, "order=.*every position"),
        (lambda rules, data: rules.reorder(None), ValueError, "order=None.*every position"),
        (lambda rules, data: rules.reorder([True, False, 2, 3, 4]), ValueError, "every position"),
        (lambda rules, data: rules.drop("x"), IndexError, "no rule 'x'"),
        (lambda rules, data: rules.simplify(data.X, data.y, confidence="a"), ValueError, "confidence='a'"),
        (lambda rules, data: rules.simplify(data.X, data.y, confidence=True), ValueError, "confidence=True"),
        (lambda rules, data: tw.RipperClassifier(prune="no").fit(data.X, data.y), ValueError, "prune='no'.*True or False"),
        (lambda rules, data: tw.RipperClassifier(check_error="no").fit(data.X, data.y), ValueError, "check_error='no'"),
        (lambda rules, data: rules.parse("else play = no\nelse if wind = weak then play = yes"), ValueError, "all that is left"),
        (lambda rules, data: rules.parse("otherwise play = no\notherwise play = yes"), ValueError, "all that is left"),
    ],
)
def test_wrong_arguments_are_named(tennis: tuple[Any, tw.RuleSet], edit: Any, kind: type[Exception], words: str) -> None:
    data, rules = tennis
    with pytest.raises(kind, match=words):
        edit(rules, data)


def test_edits_that_cannot_be(tennis: tuple[Any, tw.RuleSet]) -> None:
    data, rules = tennis
    numbers = tw.CARTClassifier().fit([[1.0], [2.0]], ["a", "b"]).tree_.to_rules()
    with pytest.raises(ValueError, match="can never hold"):
        numbers.add("if x0 <= 1 and x0 > 2 then target = a")
    with pytest.raises(ValueError, match="can never hold"):
        numbers.change(0, "2 < x0 <= 1")
    with pytest.raises(IndexError, match="no rule 7"):
        rules.drop(7)
    with pytest.raises(ValueError, match="every position"):
        rules.reorder([0, 0, 1, 2, 3])
    with pytest.raises(ValueError, match="both X and y"):
        rules.drop(0, X=data.X)
    with pytest.raises(ValueError, match="no class"):
        rules.scored(data.X, [1] * 14)


def test_tidy_drops_what_never_decides() -> None:
    rules = tw.CARTClassifier().fit([[1.0], [2.0]], ["a", "b"]).tree_.to_rules()
    lines = "if x0 <= 5 then target = a\nelse if x0 <= 3 then target = b\nelse if x0 > 7 then target = b\nelse target = a"
    listed = rules.parse(lines)
    assert listed.ordered
    assert [rule.says for rule in listed.tidy()] == ["a", "b"]
    free = tw.RuleSet(listed.rules + listed.rules, rules.schema, rules.target)
    assert free.tidy().rules == listed.rules
    lines = "if (x0 <= 5 or missing) then target = a\nelse if x0 is missing then target = b\nelse if x0 > 6 then target = b"
    assert len(rules.parse(lines).tidy()) == 2
    # The second rule takes half of what the first leaves of a row.
    lines = "if (x0 <= 5 or 0.5 of missing) then target = a\nelse if (x0 <= 5 or 0.5 of missing) then target = b\nelse target = a"
    assert len(rules.parse(lines).tidy()) == 2
    assert len(rules.parse(lines.replace("0.5 of ", "")).tidy()) == 1


def test_interval_and_levels_are_put_together() -> None:
    X = pd.DataFrame({"x": np.arange(40.0), "c": list("abcd") * 10})
    y = ((X["x"] > 10) & (X["x"] < 30) & X["c"].isin(["a", "b"])).astype(int)
    for rule in tw.CARTClassifier().fit(X, y).tree_.to_rules():
        assert len({c.index for c in rule.when}) == len(rule.when)
        assert all(c.possible for c in rule.when)


def test_no_impossible_rule() -> None:
    for seed in range(30):
        case = make_case(seed, 40)
        for missing in ("own", "learned", "fraction"):
            est = tw.TreeClassifier(criterion="info_gain", nominal="multiway", missing=missing).fit(case.X, case.classes)
            assert all(c.possible for rule in est.tree_.to_rules() for c in rule.when)


def test_forms(tennis: tuple[Any, tw.RuleSet]) -> None:
    data, rules = tennis
    simple = rules.simplify(data.X, data.y)
    assert simple.to_markdown().splitlines()[3] == "| 1 | humidity = normal | play = yes | 7 | 86% |"
    frame = simple.to_frame()
    assert frame["weight"].tolist() == [rule.weight for rule in simple] + [0.0]
    document = json.loads(simple.to_json())
    asked = {"column": "humidity", "text": "humidity = normal", "levels": ["normal"], "missing": False}
    assert document["rules"][1]["when"] == [asked]
    assert document["rules"][1]["rule"] == 1
    assert document["rules"][1]["classes"] == {"no": 1.0, "yes": 6.0}
    assert document["otherwise"]["says"] == "yes"
    assert document["classes"] == ["no", "yes"]
    assert "otherwise" in simple._repr_mimebundle_()["text/html"]


def test_markdown_of_hostile_names() -> None:
    X = pd.DataFrame({"a|b\n<script>": [1.0, 2.0]})
    lines = tw.CARTClassifier().fit(X, ["x|y", "`z`"]).tree_.to_rules().to_markdown().splitlines()
    assert len(lines) == 4
    assert all(line.replace("\\|", "").count("|") == 6 for line in lines)


def test_explain(tennis: tuple[Any, tw.RuleSet]) -> None:
    data, rules = tennis
    found = rules.explain(data.X.iloc[[0]])
    assert str(rules.explain(data.X.iloc[0])) == str(rules.explain(data.X.iloc[0].to_dict())) == str(found)
    assert (found.says, found.rule, found.holds) == ("no", 0, (0,))
    assert {condition for _, condition in found.near} == {"outlook = overcast", "outlook = rain", "humidity = normal"}
    assert found.shares == {"no": 1.0, "yes": 0.0}
    assert "rule 0 decides" in str(found)
    with pytest.raises(ValueError, match="one row"):
        rules.explain(data.X)


@modest(30)
@given(case=cases(), est=estimators(POLICIES))
def test_flat_columns_carry_everything(case: Case, est: Any) -> None:
    rules = est.fit(case.X, case.target(est)).tree_.to_rules()
    again = pickle.loads(pickle.dumps(rules))
    assert again.to_text() == rules.to_text()
    assert again.to_json() == rules.to_json()
    assert again == rules
    assert np.array_equal(again.matches(case.X), rules.matches(case.X))


def test_rules_have_one_number_everywhere(tennis: tuple[Any, tw.RuleSet]) -> None:
    data, rules = tennis
    simple = rules.simplify(data.X, data.y)
    assert simple.classes == simple.target.classes == ("no", "yes")
    lines = simple.to_markdown().splitlines()[2:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == [*map(str, range(len(simple))), ""]
    assert '<td style="text-align:left">0</td>' in simple._repr_mimebundle_()["text/html"]
    row = data.X.iloc[[0]]
    at = int(simple.apply(row)[0])
    assert simple.explain(row).rule == at
    assert f"rule {at} decides: {simple[at].text(simple.target)}" in str(simple.explain(row))
    assert simple.to_frame()["if"][at] == " and ".join(map(str, simple[at].when))
    assert json.loads(simple.to_json())["rules"][at]["rule"] == at
    assert simple.drop(at).rules == simple.rules[:at] + simple.rules[at + 1 :]


def test_surrogates_in_json() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "c": rng.choice(["u", "v", "w"], 80)})
    X["b"] = X["a"] + rng.normal(size=80) / 9
    y = np.where((X["a"] > 0) & (X["c"] != "u"), "p", "q")
    X.loc[::7, "a"] = np.nan
    rules = tw.CARTClassifier(missing="surrogate").fit(X, y).tree_.to_rules()
    asked = [c for rule in json.loads(rules.to_json())["rules"] for c in rule["when"] if "instead" in c]
    assert asked
    for each in asked:
        first = each["instead"][0]["surrogates"][0]
        assert first["when"]["column"] == first["against"]["column"] != each["column"]
        assert each["instead"][0]["otherwise"] in (True, False)


def test_errors_are_whole_where_rows_are() -> None:
    assert 332.0 * (1 - 328 / 332) != 4  # rounding
    assert tw.Rule((), "a", 332.0, 1.0, 328 / 332, counts=(4.0, 328.0)).errors == 4
    assert tw.Rule((), "a", 10.0, 1.0, 0.25, counts=(4.0, 6.0)).errors == 7.5  # shares under priors are not those of rows
    case = make_case(11, 400)
    for rules in (tw.CARTClassifier(max_depth=4).fit(case.X, case.classes).tree_.to_rules(),
                  tw.RipperClassifier(random_state=0).fit(case.X, case.classes).ruleset_):  # fmt: skip
        said = [rule.errors for rule in (*rules, *([rules.otherwise] if rules.otherwise else []))]
        assert all(errors is not None and errors == int(errors) >= 0 for errors in said)
        assert sum(errors or 0 for errors in said) == rules.errors(case.X, case.classes)


def test_of_rules_as_sure_the_first_decides() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    rules = tw.CARTClassifier().fit(X, ["a", "a", "b", "b"]).tree_.to_rules()
    lines = [
        "if x <= 3.5 then target = a",
        "if x <= 2.5 then target = a",
        "if x > 0.5 then target = b",
        "if x <= 1.5 then target = a",
    ]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1]):
        some = tw.RuleSet(tuple(rules.parse(lines[k])[0] for k in order), rules.schema, rules.target).scored(
            X, ["a", "a", "b", "b"]
        )
        sure = [rule.confidence for rule in some]
        held = some.matches(X)
        expected = [max(np.flatnonzero(row), key=lambda r: (sure[r], -r)) if row.any() else -1 for row in held]
        assert some.apply(X).tolist() == expected
        assert sorted(sure)[-2:] == [1.0, 1.0]
