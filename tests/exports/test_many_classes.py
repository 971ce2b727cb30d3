"""Models of many classes: what leaves and rules say is listed by class, and nothing grows with leaves times classes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.explore.node import computed
from tests.exports.runners import RUNNERS, model_answers
from treewright.explore.write import model_document
from treewright.export import onnx
from treewright.model.few import MANY, Few, counts_of, of_classes


def table(classes: int, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Rows of every class but one that is declared, in an order that is not sorted; cells are missing, leaves are mixed."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(classes), 4)
    X = pd.DataFrame({"a": np.round(code + rng.normal(0, 1.5, len(code)), 2), "b": rng.normal(size=len(code)).round(2)})
    X.loc[rng.random(len(code)) < 0.05, "b"] = np.nan
    declared = [f"c{k}" for k in reversed(range(classes + 1))]
    return X, pd.Series(pd.Categorical([f"c{k}" for k in code], declared))


MODELS = {
    "cart": tw.CARTClassifier(min_samples_leaf=3),
    "c45": tw.C45Classifier(),
    "soft": tw.C45Classifier(soft=True, min_samples_leaf=20),
    "part": tw.PartClassifier(),
    "losses": tw.CARTClassifier(min_samples_leaf=6, class_weight="balanced"),
}


WRITTEN = [(name, export) for name in MODELS for export in RUNNERS if name != "part" or export in ("python", "javascript")]


@pytest.mark.parametrize(("name", "export"), WRITTEN)
def test_answers_are_those_of_the_model(name: str, export: str) -> None:
    X, y = table(MANY + 10)
    model = MODELS[name].fit(X, y)
    assert isinstance(model._program().answers[0].values, Few)
    rows = X.iloc[::7].copy()
    rows.iloc[::5, 0] = np.nan
    said, expected = RUNNERS[export](model, rows), model_answers(model, rows)
    if name in ("soft", "part"):
        said.leaf = expected.leaf  # a soft row has no single leaf, and rules are not numbered as nodes
    said.equal(expected)


@pytest.mark.parametrize("name", ["cart", "c45", "part"])
def test_the_explorer_follows_rows_at_every_size(name: str) -> None:
    X, y = table(MANY + 10)
    model = MODELS[name].fit(X, y)
    rows = [[float(a), None if b != b else float(b)] for a, b in X.iloc[::11].to_numpy()]
    expression = (
        "(() => { const t = $rows.rowTools($model.modelOf(given[0]));"
        "return given[1].map((row) => { const f = t.follow(row, given[2]); return [f.says, f.shares]; }); })()"
    )
    sizes = [0]
    if name != "part":
        path = model.pruning_path()
        sizes += [1, len(path) // 2, len(path) - 1]
    for size in sizes:
        cut = model if size == 0 else path.tree_at(size)
        found = computed("model rows", expression, [model_document(model), rows, size])
        shares = cut.predict_proba(X.iloc[::11])
        if size:  # a tree has the classes as declared, an estimator those that occur, sorted
            place = [list(cut.target.classes).index(label) for label in model.classes_]
            shares = shares[:, place]
        np.testing.assert_allclose([each for _, each in found], shares, atol=1e-12)
        assert [says for says, _ in found] == cut.predict(X.iloc[::11]).tolist()


@pytest.mark.parametrize("write", ["to_python", "to_javascript", "to_c", "to_sql", "page", "rules"])
def test_what_is_written_grows_with_the_leaves(write: str) -> None:
    def size(classes: int) -> int:
        X, y = table(classes)
        model = tw.CARTClassifier(min_samples_leaf=2).fit(X, y)
        if write == "page":
            document = model_document(model)
            return sum(map(len, document["program"]["answers"])) + len(document["program"]["listed"])
        if write == "rules":
            return sum(len(rule.counts.places) for rule in model.tree_.to_rules().rules)
        written = getattr(model, write)(**({"give": "leaf"} if write == "to_sql" else {}))
        return len(re.sub(r"c\d+", "c", written))

    small, large = size(400), size(1600)
    assert large < 6 * small  # quadratic were 16 times


def test_onnx_holds_a_table_of_all_shares_or_says_that_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = table(MANY + 10)
    model = tw.CARTClassifier(min_samples_leaf=3).fit(X, y)
    shares = len(model._program().answers) * (MANY + 11)
    monkeypatch.setattr(onnx, "_MOST_SHARES", shares)
    model.to_onnx()
    monkeypatch.setattr(onnx, "_MOST_SHARES", shares - 1)
    with pytest.raises(ValueError, match=rf"the shares of {MANY + 11} classes in \d+ leaves .* use to_python"):
        model.to_onnx()


def test_a_few_of_many_numbers_are_a_sequence() -> None:
    numbers = np.zeros(MANY + 1)
    numbers[[3, 40]] = 2.0, 0.5
    few = of_classes(numbers)
    assert isinstance(few, Few)
    assert list(few) == numbers.tolist() and few == tuple(numbers.tolist()) and few != tuple(numbers.tolist())[1:]
    assert [few[k] for k in range(-len(few), len(few))] == [*numbers.tolist(), *numbers.tolist()]
    assert few[2:5] == (0.0, 2.0, 0.0) and np.array_equal(np.asarray(few), numbers) and sum(few) == 2.5
    with pytest.raises(IndexError):
        few[len(few)]
    assert few == counts_of({"c40": 0.5, "c3": 2.0, "c5": 0.0}, {f"c{k}": k for k in range(MANY + 1)})
    assert hash(few) == hash(of_classes(numbers.copy())) and few != of_classes(numbers * 2)
    assert isinstance(of_classes(numbers[:MANY]), tuple) and isinstance(counts_of({}, {"a": 0}), tuple)


def test_rules_of_many_classes_answer_as_the_tree() -> None:
    X, y = table(MANY + 10)
    tree = tw.CARTClassifier(min_samples_leaf=3).fit(X, y).tree_
    rules = tree.to_rules()
    assert isinstance(rules.rules[0].counts, Few)
    np.testing.assert_array_equal(rules.predict_proba(X), tree.predict_proba(X))
    scored = rules.scored(X, y)
    assert [rule.counts for rule in scored.rules] == [rule.counts for rule in rules.rules]
    assert [rule.errors for rule in scored.rules] == [rule.errors for rule in rules.rules]
    assert rules.parse(rules.to_text(full=True)).predict(X).tolist() == tree.predict(X).tolist()
