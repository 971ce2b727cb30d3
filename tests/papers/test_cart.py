"""CART: the figures that rpart prints of its own examples, the book's rules by hand, and rows 70 and 71."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare
from sklearn.model_selection import cross_val_predict

import treewright as tw


def read(shared: Path, name: str) -> tuple[pd.DataFrame, pd.Series]:
    frame = pd.read_parquet(shared / "data" / f"{name}.parquet")
    target = frame.columns[-1]
    return frame.drop(columns=target), frame[target]


def printed(value: float, digits: int) -> str:
    return f"{value:.{digits}f}"


# -- what rpart prints ------------------------------------------------------------------------------------------------


def test_rpart_iris() -> None:
    iris = tw.datasets.load_iris()
    tree = tw.CARTClassifier(recipe="rpart").fit(iris.X, iris.y).tree_
    assert [node.condition.text() for node in tree.leaves()] == [
        "petal length (cm) < 2.45",
        "petal width (cm) < 1.75",
        "petal width (cm) >= 1.75",
    ]
    risk = [sum(node.value.values()) - max(node.value.values()) for node in tree.leaves()]
    assert sum(risk) == 6
    table = tw.CARTClassifier(recipe="rpart").fit(iris.X, iris.y).cp_table()
    assert [(printed(row.cp, 2), row.n_splits, printed(row.relative_error, 2)) for row in table] == [
        ("0.50", 0, "1.00"),
        ("0.44", 1, "0.50"),
        ("0.01", 2, "0.06"),
    ]


def test_rpart_kyphosis(shared: Path) -> None:
    X, y = read(shared, "kyphosis")
    est = tw.CARTClassifier(recipe="rpart").fit(X, y)
    split = est.tree_.root.split
    assert (split.column, split.cuts, split.relation) == ("Start", (8.5,), "<")
    table = est.cp_table()
    assert [row.n_splits for row in table] == [0, 1, 4]
    assert table[-1].cp == 0.01
    assert [printed(row.cp, 8) for row in table[:-1]] == ["0.17647059", "0.01960784"]


def test_rpart_stagec(shared: Path) -> None:
    X, y = read(shared, "stagec")
    est = tw.CARTClassifier(recipe="rpart").fit(X, y)
    root = est.tree_.root
    table = est.cp_table()
    assert [row.n_splits for row in table] == [0, 3, 4, 6, 7]
    assert [printed(row.cp, 8) for row in table[:-1]] == ["0.10493827", "0.05555556", "0.02777778", "0.01851852"]
    improvements = {root.split.column: root.gain, **{c.column: c.gain for c in root.competitors}}
    assert {name: printed(root.weight * gain, 4) for name, gain in improvements.items()} == {
        "grade": "10.3576", "gleason": "8.3996", "ploidy": "7.6565", "g2": "7.1868", "age": "1.3881",
    }  # fmt: skip
    assert list(improvements) == ["grade", "gleason", "ploidy", "g2", "age"]
    assert [(s.column, printed(s.agreement, 4), printed(s.adjusted, 4)) for s in root.surrogates] == [
        ("gleason", "0.8630", "0.6721"), ("ploidy", "0.6438", "0.1475"), ("g2", "0.6301", "0.1148"), ("age", "0.5890", "0.0164"),
    ]  # fmt: skip
    assert [root.surrogates[k].when[0].text() for k in (0, 2)] == ["gleason < 5.5", "g2 < 9.945"]
    assert {name: printed(value, 4) for name, value in est.tree_.importances().items()} == {
        "g2": "11.3222", "grade": "10.6072", "gleason": "7.5890", "ploidy": "5.1082", "age": "2.8039", "eet": "0.7488",
    }  # fmt: skip


def test_rpart_car_test_frame(shared: Path) -> None:
    frame = pd.read_parquet(shared / "data" / "car.test.frame.parquet")
    est = tw.CARTRegressor(recipe="rpart").fit(frame[["Weight"]], frame["Mileage"])
    table = est.cp_table()
    assert [printed(row.cp, 8) for row in table[:-1]] == ["0.59534912", "0.13452819", "0.01282843"]
    assert sorted(node.split.cuts[0] for node in est.tree_.nodes() if not node.is_leaf) == [2567.5, 2747.5, 3087.5]


# -- the book's rules, by hand ----------------------------------------------------------------------------------------


def test_surrogates_by_hand() -> None:
    """Ten rows; the split sends 6 left and 4 right. b agrees on 9 of 10, c on 8; d is noise and no better than the majority."""
    X = pd.DataFrame(
        {
            "a": [1, 2, 3, 4, 5, 6, 11, 12, 13, 14],
            "b": [1, 1, 1, 1, 1, 9, 9, 9, 9, 9],
            "c": pd.Categorical(list("llllrrrrrr")),
            "d": [1, 2, 1, 2, 1, 2, 1, 2, 1, 2],
        }
    )
    y = [0] * 6 + [1] * 4
    tree = tw.CARTClassifier(missing="surrogate").fit(X, y).tree_
    root = tree.root
    assert root.split.column == "a"
    assert [(s.column, s.agreement, s.adjusted) for s in root.surrogates] == [
        ("b", 0.9, pytest.approx(0.75)),
        ("c", 0.8, pytest.approx(0.5)),
    ]
    rows = pd.DataFrame({"a": [None] * 4, "b": [1, 9, None, None], "c": ["r", "l", "r", None], "d": 1}).astype(
        {"a": float, "b": float}
    )
    assert tree.predict(rows).tolist() == [0, 1, 1, 0]
    assert tree.predict(rows).tolist() == [tree.to_rules().predict(rows.iloc[[k]])[0] for k in range(4)]
    est = tw.CARTClassifier(missing="surrogate").fit(X, y)
    assert "b <= 5 stands in" in str(est.explain(rows.iloc[[0]]))
    assert "goes with the majority" in str(est.explain(rows.iloc[[3]]))


def test_altered_priors_by_hand() -> None:
    """Saying 0 where 1 is right costs 3: class 1 counts three times, as it would with priors in that proportion."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0.8).astype(int)
    n = np.bincount(y)
    lossy = tw.CARTClassifier(loss=[[0, 1], [3, 0]], max_depth=4).fit(X, y).tree_
    prior = tw.CARTClassifier(priors=[n[0] / (n[0] + 3 * n[1]), 3 * n[1] / (n[0] + 3 * n[1])], max_depth=4).fit(X, y).tree_
    assert [node.split for node in lossy.nodes()] == [node.split for node in prior.nodes()]
    assert [node.prediction for node in lossy.nodes()] == [node.prediction for node in prior.nodes()]
    a, b = 3 * n[1] / (n[0] + 3 * n[1]), n[0] / (n[0] + 3 * n[1])
    assert lossy.root.impurity == pytest.approx(1 - a * a - b * b)
    # The rows of a node are counted as they are; its shares are those of the priors.
    assert lossy.root.value == {0: n[0], 1: n[1]}
    assert prior.root.value[1] / sum(prior.root.value.values()) == pytest.approx(a)
    assert prior.root.weight == lossy.root.weight == 120


def test_cross_validation_counts_rows_as_the_priors_do() -> None:
    """With balanced classes, always saying the larger class errs on half of all, in training and on held-out rows."""
    rng = np.random.default_rng(5)
    y = (np.arange(100) % 5 == 0).astype(int)
    X = rng.normal(size=(100, 2))
    est = tw.CARTClassifier(class_weight="balanced", min_samples_leaf=5).fit(X, y)
    path = est.pruning_path(X, y, folds=np.arange(100) // 20)
    assert path.training_error[-1] == pytest.approx(0.5)
    assert path.cv.error[-1] == pytest.approx(0.5)


def test_generalised_gini_by_hand() -> None:
    loss = np.array([[0, 1, 4], [2, 0, 1], [1, 3, 0]])
    y = [0] * 5 + [1] * 3 + [2] * 2
    tree = tw.CARTClassifier(criterion="generalised_gini", loss=loss).fit(np.arange(10.0)[:, None], y).tree_
    p = np.array([0.5, 0.3, 0.2])
    assert tree.root.impurity == pytest.approx(float(p @ loss @ p))
    assert tree.root.prediction == int(np.argmin(p @ loss))


def test_importance_as_the_book_counts_it(shared: Path) -> None:
    X, y = read(shared, "stagec")
    tree = tw.CARTClassifier(recipe="cart1984").fit(X, y).tree_
    by_hand: dict[str, float] = {}
    for node in tree.nodes():
        if node.split is not None:
            by_hand[node.split.column] = by_hand.get(node.split.column, 0.0) + node.weight * node.gain
        for surrogate in node.surrogates:
            by_hand[surrogate.column] = by_hand.get(surrogate.column, 0.0) + node.weight * surrogate.gain
    assert tree.importances("book") == pytest.approx(by_hand)
    assert set(tree.importances("splits")) <= set(tree.importances("book"))


def test_a_surrogate_gains_what_the_same_split_would(shared: Path) -> None:
    X, y = read(shared, "stagec")
    root = tw.CARTClassifier(recipe="rpart").fit(X, y).tree_.root
    for surrogate in root.surrogates:
        first = surrogate.when[0].mask(
            np.asarray(X[surrogate.column].cat.codes if surrogate.column == "ploidy" else X[surrogate.column])
        )
        known = np.asarray(X[surrogate.column].notna())
        gini = lambda rows: 1 - sum((np.mean(y[rows] == label)) ** 2 for label in y.cat.categories)  # noqa: E731
        fall = gini(known) - sum(side.sum() / known.sum() * gini(side) for side in (first & known, ~first & known))
        assert surrogate.gain == pytest.approx(fall * known.mean())


# -- rows of the course texts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["info_gain", "gini", "error"])
def test_row_70_axioms_of_an_impurity(criterion: str) -> None:
    """Largest where both classes are equally likely, zero where there is one, growing in between, the same for p and 1 - p."""

    def impurity(p: int) -> float:
        y = [1] * p + [0] * (20 - p)
        return tw.CARTClassifier(criterion=criterion, max_depth=0).fit(np.zeros((20, 1)), y).tree_.root.impurity

    values = [impurity(p) for p in range(21)]
    assert values[0] == values[20] == 0
    assert values == pytest.approx(values[::-1])
    assert all(a < b for a, b in pairwise(values[:11]))


SETS = ("balance-scale", "breast-w", "column-3c", "diabetes", "ecoli", "glass", "haberman", "heart-statlog", "ionosphere", "iris",
        "sonar", "vehicle", "vote", "wine", "zoo")  # fmt: skip


def test_row_71_the_measures_do_not_differ_significantly(shared: Path) -> None:
    """Errors of ten folds on fifteen tables: a Friedman test finds no difference between entropy, Gini and error."""
    errors: dict[str, list[float]] = {"info_gain": [], "gini": [], "error": []}
    for name in SETS:
        X, y = read(shared, name)
        place = np.arange(len(y))
        folds = [(place[place % 10 != k], place[place % 10 == k]) for k in range(10)]
        for criterion, found in errors.items():
            said = cross_val_predict(tw.CARTClassifier(criterion=criterion, min_samples_leaf=5), X, y, cv=folds)
            found.append(float(np.mean(said != np.asarray(y))))
    assert friedmanchisquare(*errors.values()).pvalue > 0.05
