"""Explanations of single rows: the way is the tree's, every change named does alter the answer, names are harmless."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.show.names import HOSTILE
from tests.show.test_notebook import read
from treewright.errors import visible


def table(n: int, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.random(n).round(2),
            "b": rng.integers(0, 5, n),
            "c": rng.choice(["p", "q", "r", "s"], n),
            "d": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "e": rng.random(n) < 0.5,
        }
    )
    frame.loc[rng.random(n) < 0.1, "a"] = np.nan
    frame.loc[rng.random(n) < 0.1, "c"] = None
    y = (frame["a"].fillna(0.4) > 0.5).astype(int) + (frame["c"].isin(["p", "q"]) & frame["e"]).astype(int)
    return frame, y.map({0: "low", 1: "mid", 2: "high"}).rename("level")


@pytest.mark.parametrize("policy", ["learned", "majority", "own", "fraction"])
def test_the_way_is_the_trees(policy: str) -> None:
    X, y = table(300, 0)
    model = tw.TreeClassifier(missing=policy).fit(X, y)
    for i in range(40):
        row = X.iloc[[i]]
        found = model.explain(row)
        assert found.says == model.predict(row)[0]
        path = [node.id for node in next(p for p in model.tree_.paths() if p[-1].id == model.apply(row)[0])]
        # A row that is divided is followed to where that happens.
        assert [step.node for step in found.steps] == path[1 : len(found.steps) + 1]
        assert found.divided or len(found.steps) == len(path) - 1
        assert found.divided == (policy == "fraction" and model.decision_path(row).nnz > len(path))
        path = path[: len(found.steps) + 1]
        assert [step.weight for step in found.steps] == [model.tree_.node(id).weight for id in path[1:]]
        assert [step.of for step in found.steps] == [model.tree_.node(id).weight for id in path[:-1]]
        asked = [model.tree_.node(id).split.column for id in path[:-1]]
        assert [step.missing for step in found.steps] == [bool(row[name].isna().iloc[0]) for name in asked]


def test_every_change_alters_the_answer() -> None:
    X, y = table(400, 1)
    X = X.dropna()
    model = tw.CARTClassifier(max_depth=5).fit(X, y[X.index])
    tried = 0
    values = {"a": np.arange(0, 1.001, 0.005), "b": np.arange(5), "c": list("pqrs"), "d": ["S", "M", "L"], "e": [False, True]}
    for i in range(60):
        row = X.iloc[[i]]
        found = model.explain(row)
        for change in found.changes:
            assert change.says != found.says
            answers = {}
            for value in values[change.column]:
                other = row.copy()
                other[change.column] = pd.Series([value], index=row.index).astype(row[change.column].dtype)
                answers[value] = model.predict(other)[0]
            meant = {value for value, answer in answers.items() if answer == change.says}
            assert meant
            if change.column == "c":
                assert set(change.condition.removeprefix("c = ").split(" or ")) >= meant
            tried += 1
        # Nothing is forgotten: a column that no change names cannot alter the answer alone.
        if len(found.changes) < 5:
            for column in set(values) - {change.column for change in found.changes}:
                for value in values[column]:
                    other = row.copy()
                    other[column] = pd.Series([value], index=row.index).astype(row[column].dtype)
                    assert model.predict(other)[0] == found.says
    assert tried > 50


def test_play_tennis_as_written() -> None:
    data = tw.datasets.load_play_tennis()
    found = tw.ID3Classifier().fit(data.X, data.y).explain(data.X.iloc[[5]])
    assert found.to_text().splitlines() == [
        "outlook=rain  wind=strong  and 2 columns that make no difference",
        "  outlook = rain   5 of 14 rows   yes 3  no 2",
        "  wind = strong    2 of 5 rows    no 2",
        "  → no (100% of 2 rows)",
        "  would be yes if: outlook = sunny or overcast",
        "  would be yes if: wind = weak",
    ]
    assert found.row == {"outlook": "rain", "temperature": "cool", "humidity": "normal", "wind": "strong"}


def test_numbers_and_single_leaves() -> None:
    data = tw.datasets.load_diabetes()
    model = tw.CARTRegressor(max_depth=3).fit(data.X, data.y)
    found = model.explain(data.X.iloc[[0]])
    assert found.says == model.predict(data.X.iloc[[0]])[0]
    assert found.spread == model.tree_.node(int(model.apply(data.X.iloc[[0]])[0])).spread
    assert found.changes == ()
    assert found.to_text().splitlines()[-1] == "  → 208.571 ± 63 (77 rows)"
    leaf = tw.CARTClassifier().fit([[1.0], [1.0]], ["a", "b"]).explain([[3.0]])
    assert leaf.steps == ()
    assert "no question is asked" in leaf._repr_mimebundle_()["text/html"]


def test_one_row_at_a_time() -> None:
    data = tw.datasets.load_iris()
    model = tw.CARTClassifier().fit(data.X, data.y)
    with pytest.raises(ValueError, match="2 rows were given: explain one row"):
        model.explain(data.X.iloc[:2])


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_x1_x2_names_are_harmless(name: str) -> None:
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "c": [name, "z", "z", "y"]})
    model = tw.ID3Classifier().fit(X, pd.Series([name, "b", "b", "a"], name=name))
    for i in range(4):
        bundle = model.explain(X.iloc[[i]])._repr_mimebundle_()
        assert all(line.isprintable() for line in bundle["text/plain"].split("\n"))
        page = read(bundle["text/html"])
        assert set(page.tags) <= {"div", "span", "b", "ul", "li"}
        assert not any(attribute.startswith("on") for attribute in page.attributes)
        assert len(bundle["text/html"]) < 5000
    assert visible(name)[:20] in bundle["text/plain"] + "".join(page.words)


def test_thresholds_are_true_of_rows_between_the_training_values() -> None:
    # The cut lies at 2.5617284; pictures write 3, which separates the training values but not this row.
    model = tw.CARTClassifier().fit(pd.DataFrame({"x": [0.1234567, 0.1234568, 5.0]}), ["a", "b", "a"])
    for x in (2.8, 2.4, 0.1):
        found = model.explain(pd.DataFrame({"x": [x]}))
        for step in found.steps:
            assert eval(step.condition, {"x": x}), step
        for change in found.changes:
            assert not any(eval(part, {"x": x}) for part in change.condition.split(" or ")), change


def test_a_divided_row_is_told_by_its_vote() -> None:
    data = tw.datasets.load_play_tennis()
    model = tw.C45Classifier().fit(data.X, data.y)
    row = data.X.iloc[[0]].copy()
    row[["outlook", "humidity"]] = None
    found = model.explain(row)
    assert (found.says, found.divided, found.steps) == ("yes", True, ())
    assert found.share == found.shares[found.says] == pytest.approx(model.predict_proba(row)[0].max())
    assert found.weight == pytest.approx(sum(part.share * part.weight for part in found.parts))
    # What all parts have in common is the way.
    row = data.X.iloc[[0]].copy()
    row["humidity"] = None
    found = model.explain(row)
    assert [(step.condition, step.weight, step.of) for step in found.steps] == [("outlook = sunny", 5, 14)]
    assert found.to_text().splitlines()[1:4] == [
        "  outlook = sunny   5 of 14 rows   no 3  yes 2",
        "  humidity is missing: 3/5 high, 2/5 normal",
        "  3/5 × outlook = sunny and humidity = high → no (no 3)",
    ]
    assert found.to_sentence() == (
        "play = no (vote: no 60%, yes 40%) because outlook = sunny and 2 leaves with humidity missing vote so; "
        "it would be yes if outlook = overcast or rain"
    )
    # A cell that nobody asked for is no reason.
    row["temperature"] = None
    assert model.explain(row).to_sentence() == found.to_sentence()


def test_the_spread_of_a_mixture() -> None:
    X = pd.DataFrame({"x": [1.0, 1.0, 2.0, 2.0]})
    model = tw.TreeRegressor(missing="fraction").fit(X, [0.0, 2.0, 10.0, 12.0])
    found = model.explain(pd.DataFrame({"x": [np.nan]}))
    assert (found.says, found.spread) == (6.0, pytest.approx(np.std([0, 2, 10, 12])))


def test_sentences_and_dictionaries() -> None:
    data = tw.datasets.load_iris()
    model = tw.C45Classifier().fit(data.X, data.y)
    found = model.explain(data.X.iloc[77])
    assert found == model.explain(data.X.iloc[[77]]) == model.explain(dict(data.X.iloc[77]))
    assert found.to_sentence() == (
        "species = versicolor (67% of 3 rows) because 1.5 < petal width (cm) <= 1.7 and petal length (cm) > 4.9; "
        "it would be virginica if petal width (cm) > 1.7 or 0.6 < petal width (cm) <= 1.5"
    )
    told = json.loads(json.dumps(found.to_dict()))
    assert (told["says"], told["share"], told["weight"]) == ("versicolor", pytest.approx(2 / 3), 3)
    assert told["shares"] == pytest.approx(dict(zip(model.classes_, model.predict_proba(data.X.iloc[[77]])[0], strict=True)))
    assert tw.CARTRegressor(max_depth=1).fit(data.X, data.X.iloc[:, 0]).explain(data.X.iloc[0]).to_dict()["shares"] is None
    assert [step["condition"] for step in told["steps"]] == [step.condition for step in found.steps]
    assert [change["says"] for change in told["changes"]] == ["virginica", "setosa"]
    assert told["parts"][0]["when"] == ["1.5 < petal width (cm) <= 1.7", "petal length (cm) > 4.9"]
    with pytest.raises(ValueError, match=r"no cell for .petal length .cm.. and 1 other column"):
        model.explain(data.X.iloc[0][:2])


@pytest.mark.parametrize("kind", [dict, pd.Series])
def test_a_row_that_lacks_columns_is_told_which(kind: type) -> None:
    X, y = table(60, 3)
    model = tw.C45Classifier().fit(X, y)
    with pytest.raises(ValueError, match=r"the row has no cell for 'a' and 4 other columns: name every column, with None where"):
        model.explain(kind({}))
    with pytest.raises(ValueError, match=r"the row has no cell for 'e': name"):
        model.explain(kind({"a": 0.5, "b": 1, "c": "p", "d": "S", "z": 3}))


def test_thresholds_have_few_digits_and_are_true_of_the_row() -> None:
    X = pd.DataFrame({"x": [42.3, 42.4] * 10})
    model = tw.CARTClassifier().fit(X, ["low", "high"] * 10)
    at = model.tree_.node(0).split.cuts[0]
    assert at == 42.349999999999994  # the middle, and the number before 42.35
    below, beyond = (model.explain(pd.DataFrame({"x": [x]})) for x in (at, 42.35))
    assert [step.condition for step in below.steps] == ["x <= 42.35"]
    assert [step.condition for step in beyond.steps] == ["x >= 42.35"]
    assert beyond.parts[0].conditions() == ["x >= 42.35"]
    assert [change.condition for change in below.changes] == ["x >= 42.35"]
    assert [change.condition for change in beyond.changes] == ["x < 42.35"]


@pytest.mark.parametrize("low", [0.1234567891, 0.9876543219, -0.55555555551])
def test_changes_with_few_digits_name_no_value_that_changes_nothing(low: float) -> None:
    model = tw.CARTClassifier().fit([[low], [low + 0.1]] * 5, ["low", "high"] * 5)
    for x, says, sign in ((low, "high", ">="), (low + 0.1, "low", "<=")):
        (change,) = model.explain([[x]]).changes
        name, said, at = change.condition.split()
        assert (name, said, change.says) == ("x0", sign, says)
        assert len(at.strip("-0.")) <= 5
        assert model.predict([[float(at)]])[0] == says


def test_shares_that_differ_by_rounding_only_are_a_tie_that_the_first_class_wins() -> None:
    tied = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(5, 9))
        X = pd.DataFrame({name: rng.integers(0, 3, n).astype(float) for name in "ab"})
        y = rng.choice(list("pqr"), n)
        model = tw.TreeClassifier(missing="fraction", max_depth=3).fit(X, y)
        row = pd.DataFrame({"a": [np.nan], "b": [np.nan]})
        counts = {label: int(np.sum(y == label)) for label in "pqr"}  # the whole tree votes, with the weights of its rows
        most = max(counts.values())
        found = model.explain(row)
        assert found.says == model.predict(row)[0] == next(label for label in "pqr" if counts[label] == most)
        equal = {found.shares[label] for label in model.classes_ if counts[label] == most}
        assert len(equal) == 1
        tied += sum(count == most for count in counts.values()) > 1 and len(found.parts) > 2
    assert tied > 20


@pytest.mark.parametrize("learner", [tw.CARTClassifier(), tw.C45Classifier(), tw.REPTreeClassifier(pruned=False)])
def test_changes_of_days_are_true_of_every_day(learner: Any) -> None:
    days = pd.date_range("2021-02-20", periods=24)
    y = np.where((np.arange(24) >= 7) & (np.arange(24) < 16), "in", "out")
    X = pd.DataFrame({"when": np.repeat(days, 8)})
    model = learner.fit(X, np.repeat(y, 8))
    assert model.predict(pd.DataFrame({"when": days})).tolist() == y.tolist()
    for day, said in zip(days, y, strict=True):
        told: set[Any] = set()
        for change in model.explain(pd.DataFrame({"when": [day]})).changes:
            for part in change.condition.split(" or "):
                names = re.sub(r"\d{4}-\d\d-\d\d", lambda found: f"day('{found[0]}')", part)
                told |= {other for other in days if eval(names, {"when": other, "day": pd.Timestamp})}
        assert told == {other for other, answer in zip(days, y, strict=True) if answer != said}


@pytest.mark.parametrize(
    "learner", [tw.C45Classifier(pruned=False), tw.CARTClassifier(missing="surrogate"), tw.C45Classifier(soft=True)]
)
def test_reasons_of_many_rows_are_those_of_each(learner: Any) -> None:
    """Rows with missing cells, of which many are asked at once: each has its own text."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=80).round(2), "b": rng.choice(list("uvw"), 80), "c": rng.normal(size=80).round(1)})
    y = np.where(X.a + (X.b == "u") > 0.3, "p", np.where(X.c > 0.2, "q", "r"))
    X = X.mask(rng.random(X.shape) < 0.25)
    tree = learner.fit(X, y).tree_
    told = tree.reasons(X)
    assert told == [tree.reasons(X.iloc[[i]])[0] for i in range(len(X))]
    assert len(set(told)) > 10
