"""Trees of scikit-learn, LightGBM and XGBoost as ours: every row gets the answer it gets there, also borderline ones."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from treewright.adopt.single import at_most, less_than

RECORDED = Path(__file__).parent / "recorded" / "adopted.json.gz"


def nasty(thresholds: np.ndarray, n: int = 2000, seed: int = 0, missing: bool = True) -> np.ndarray:
    """Rows on thresholds, beside them in either precision, halfway between two singles, missing."""
    rng = np.random.default_rng(seed)
    single = thresholds.astype(np.float32)
    after = np.nextafter(single, np.float32(np.inf))
    near = [
        thresholds,
        np.nextafter(thresholds, 9),
        np.nextafter(thresholds, -9),
        single,
        after,
        (single.astype(float) + after) / 2,
    ]
    pool = np.concatenate([np.asarray(each, float) for each in near] + [rng.normal(size=100), [np.nan] * (5 * missing)])
    return rng.choice(pool, (n, 4))


def table(seed: int, missing: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)).round(rng.integers(1, 8))
    y = X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=300)
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
        X[rng.random(300) < 0.2, 2] = np.nan
    return X, y


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn_trees(seed: int, missing: bool) -> None:
    X, y = table(seed, missing)
    labels = np.array(["low", "mid", "high"])[np.digitize(y, [-0.5, 0.5])]
    weights = np.random.default_rng(seed).random(300)
    for model, target, weight in (
        (DecisionTreeClassifier(random_state=seed), labels, None),
        (DecisionTreeClassifier(criterion="entropy", max_depth=4, random_state=seed), labels, weights),
        (DecisionTreeRegressor(min_samples_leaf=3, random_state=seed), y, None),
        (DecisionTreeRegressor(criterion="absolute_error", max_depth=5, random_state=seed), y, weights),
    ):
        model.fit(X, target, sample_weight=weight)
        tree = tw.from_sklearn(model)
        held = model.tree_.threshold[np.isfinite(model.tree_.threshold) & (model.tree_.children_left >= 0)]
        rows = np.concatenate([X, nasty(held, missing=missing)])
        assert np.array_equal(tree.predict(rows), model.predict(rows))
        if hasattr(model, "classes_"):
            told, shares = tree.predict_proba(rows), model.predict_proba(rows)
            assert list(tree.target.classes) == model.classes_.tolist()
            assert np.array_equal(told, shares) if weight is None else np.allclose(told, shares, rtol=1e-14)
        assert (tree.n_nodes, tree.depth) == (model.tree_.node_count, model.get_depth())
        assert np.array_equal(np.sort(tree.state()["weight"]), np.sort(model.tree_.weighted_n_node_samples))
        assert np.allclose(tree.feature_importances, model.feature_importances_, atol=1e-9)


def test_scikit_learn_members_of_ensembles() -> None:
    X, y = table(1, missing=False)
    labels = np.where(y > 0, "yes", "no")
    rows = nasty(np.array([0.0]), 500, missing=False)
    for forest, target in (
        (RandomForestClassifier(5, random_state=0), labels), (ExtraTreesClassifier(5, random_state=0), labels),
        (RandomForestRegressor(5, random_state=0), y), (GradientBoostingRegressor(n_estimators=5, random_state=0), y),
    ):  # fmt: skip
        forest.fit(X, target)
        for i, member in enumerate(np.asarray(forest.estimators_, object).ravel()):
            tree = tw.from_sklearn(forest, tree=i)
            told = member.predict(rows)
            assert np.array_equal(tree.predict(rows), forest.classes_[told.astype(int)] if hasattr(forest, "classes_") else told)


def test_adopted_trees_do_what_trees_do(tmp_path: Path) -> None:
    X, y = table(2, missing=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    tree = tw.from_sklearn(DecisionTreeClassifier(max_depth=4, random_state=0).fit(frame, y > 0))
    assert [column.name for column in tree.columns] == ["a", "b", "c", "d"]
    assert "?" in tree.to_text()
    assert tree.to_svg().startswith("<svg")
    assert tree.merge_leaves().n_leaves <= tree.n_leaves
    rules = tree.to_rules()
    known = frame.dropna()
    assert [rules[at].leaf for at in np.argmax(rules.matches(known), axis=1)] == tree.apply(known).tolist()
    tree.save(tmp_path / "t.json")
    assert tw.load(tmp_path / "t.json") == tree
    with pytest.raises(ValueError, match="another order"):
        tree.predict(frame[["b", "a", "c", "d"]])


def test_iris_reads_as_the_books_print_it() -> None:
    iris = tw.datasets.load_iris()
    tree = tw.from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.X, iris.y))
    assert tree.root.condition is None
    assert "<= 0.8" in tree.to_text() or "<= 2.45" in tree.to_text()


@pytest.mark.parametrize(
    "at", [0.0, -0.0, 0.1, -0.1, 1.0, 1e-45, -1e-45, 3.4e38, -3.4e38, 16777216.0, 1e-38, 0.30000001192092896]
)
def test_single_precision_comparisons_in_double_precision(at: float) -> None:
    threshold = np.array([at])
    single = np.float32(at)
    values = [single, np.nextafter(single, np.float32(np.inf)), np.nextafter(single, np.float32(-np.inf))]
    values = [float(value) for value in values if np.isfinite(value)]
    pairs = [(a + b) / 2 for a in values for b in values]
    asked = np.array([v for p in [*values, *pairs, at] for v in (p, np.nextafter(p, np.inf), np.nextafter(p, -np.inf))])
    asked = asked[np.abs(asked) < 3.4028235677973366e38]  # beyond, a single is infinite
    cut, below, above = at_most(threshold)
    assert np.array_equal(asked.astype(np.float32) <= threshold[0], asked <= cut[0])
    assert below[0] <= cut[0] < above[0]
    cut, below, above = less_than(np.array([float(single)]))
    assert np.array_equal(asked.astype(np.float32) < single, asked < cut[0])
    assert below[0] < cut[0] <= above[0]


def recorded(library: str) -> list[dict[str, Any]]:
    if not RECORDED.exists():
        pytest.skip("the recorded answers are not here")
    entries: list[dict[str, Any]] = json.loads(gzip.decompress(RECORDED.read_bytes()))[library]
    return entries


@pytest.mark.parametrize("which", range(4))
def test_lightgbm_trees(which: int) -> None:
    held = recorded("lightgbm")[which]
    rows = np.array(held["rows"], float)
    for i, said in enumerate(held["said"]):
        tree = tw.from_lightgbm(held["dump"], tree=i)
        assert np.array_equal(tree.predict(rows), said)
        assert tree.root.weight == 400
        assert tree.to_rules().to_text()
    assert any(column.nominal for column in tree.columns) == (which < 2)


@pytest.mark.parametrize("which", range(4))
def test_xgboost_trees(which: int) -> None:
    held = recorded("xgboost")[which]
    rows: Any = pd.DataFrame(held["rows"], columns=list("abcd"))
    if not held["named"]:
        rows = rows.to_numpy(float)
    for i, said in enumerate(held["said"]):
        tree = tw.from_xgboost(held["dump"], tree=i)
        assert np.array_equal(tree.predict(rows), said)
        assert tree.to_text()
    assert any(column.nominal for column in tree.columns) == (which < 2)
    if which < 2:
        assert tree.columns[3].levels == tuple("uvwxyz")


def test_trees_of_several_numbers(tmp_path: Path) -> None:
    X, y = table(0, missing=True)
    Y = np.column_stack([y, -y, y**2])
    whole = DecisionTreeRegressor(max_depth=5).fit(X, Y)
    assert tw.from_sklearn(whole).root.impurity == pytest.approx(tw.CARTRegressor(max_depth=1).fit(X, Y).tree_.root.impurity)
    for theirs in (whole, RandomForestRegressor(2, max_depth=4).fit(X, Y).estimators_[1]):
        tree = tw.from_sklearn(theirs)
        assert tree.target.outputs == ("y0", "y1", "y2")
        assert np.array_equal(tree.predict(X), theirs.predict(X))
        tree.save(tmp_path / "t.json")
        assert np.array_equal(tw.load(tmp_path / "t.json").predict(X), theirs.predict(X))
        assert "prediction of y2" in tree.to_sql("sqlite")
        assert tree.to_text() and tree.to_svg()


def test_what_cannot_be_said_is_refused() -> None:
    X, y = table(0, missing=False)
    with pytest.raises(TypeError, match="no fitted tree of scikit-learn"):
        tw.from_sklearn(LinearRegression().fit(X, y))
    with pytest.raises(TypeError, match="no fitted tree"):
        tw.from_sklearn(DecisionTreeRegressor())
    with pytest.raises(ValueError, match="2 targets of classes"):
        tw.from_sklearn(DecisionTreeClassifier().fit(X, np.column_stack([y > 0, y > 1])))
    forest = RandomForestRegressor(3).fit(X, y)
    for wrong in (3, -1, "0", True):
        with pytest.raises(ValueError, match="3 trees"):
            tw.from_sklearn(forest, tree=wrong)
    for read in (tw.from_lightgbm, tw.from_xgboost):
        with pytest.raises(TypeError, match="is no model of"):
            read(forest)
        for broken in ({}, {"tree_info": 5}, {"learner": []}):
            with pytest.raises(tw.ModelFormatError):
                read(broken, tree=0)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_damaged_dumps_are_refused_or_harmless(library: str) -> None:
    read, held = {"lightgbm": tw.from_lightgbm, "xgboost": tw.from_xgboost}[library], recorded(library)[0]
    text = json.dumps(held["dump"])
    rows = np.array(recorded(library)[2]["rows"], object)
    rng = np.random.default_rng(0)
    wild = ["-1", "0", "99999", "4294967296", "null", '"x"', "[]", "{}", "1e300", "-0.5"]
    numbers = [found.span() for found in re.finditer(r"(?<=[ \[])-?\d+(?:\.\d+)?(?:e-?\d+)?(?=[,\]}])", text)]
    taken = 0
    for _ in range(400):
        begin, end = numbers[rng.integers(len(numbers))]
        broken = json.loads(text[:begin] + wild[rng.integers(len(wild))] + text[end:])
        try:
            tree = read(broken, tree=0)
        except ValueError:
            continue
        taken += 1
        tree.to_text(), tree.to_rules()
        with contextlib.suppress(ValueError), warnings.catch_warnings():  # other levels than the rows have
            warnings.simplefilter("ignore", tw.UnseenLevelWarning)
            tree.predict(rows)
    assert 0 < taken < 400


@pytest.mark.parametrize("unit", [1.0, 0.5, 0.1, 1 + 1e-8])
def test_weights_of_classes_are_sums_of_the_rows_weights(unit: float) -> None:
    """Whole where rows were counted: one of 49 rows is a share that times 49 is not 1."""
    rng = np.random.default_rng(2)
    for n in (49, 98, 103, 300):
        X, labels = rng.normal(size=(n, 2)), np.where(np.arange(n) == 0, "rare", rng.choice(["p", "q"], n))
        weights = unit * (rng.integers(1, 4, n) if n == 300 else np.ones(n))
        tree = tw.from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, labels, sample_weight=weights))
        reached = np.asarray(tree.decision_path(X).todense(), bool)
        for node in tree.nodes():
            summed = {label: weights[reached[:, node.id] & (labels == label)].sum() for label in ("p", "q", "rare")}
            found = {label: node.value.get(label, 0.0) for label in summed}
            assert found == (summed if unit == 1 else pytest.approx(summed, rel=1e-12, abs=1e-12))


def test_halves_of_classes_in_leaves_of_whole_weight_stay_halves() -> None:
    X, labels, weights = [[0.0], [0.0], [1.0], [1.0]], ["a", "b", "a", "b"], [0.5, 0.5, 1.5, 0.5]
    tree = tw.from_sklearn(DecisionTreeClassifier(max_depth=1).fit(X, labels, sample_weight=weights))
    assert [leaf.value for leaf in tree.leaves()] == [{"a": 0.5, "b": 0.5}, {"a": 1.5, "b": 0.5}]


def test_one_row_weighs_what_rows_weigh_on_average() -> None:
    """As in fits of our own: whole weights are copies, others count by their mean, in pruning too."""
    X, y = table(0, False)
    labels = np.where(y > 0.3, "p", "q")
    rng = np.random.default_rng(1)
    copies, parts = rng.integers(0, 4, 300), rng.random(300) * (rng.random(300) < 0.9)
    for weights, each in (
        (None, 1.0),
        (copies, 1.0),
        (np.full(300, 0.5), 0.5),
        (np.full(300, 2.0), 1.0),
        (parts, parts[parts > 0].mean()),
    ):
        for model, target in ((DecisionTreeClassifier(random_state=0), labels), (DecisionTreeRegressor(random_state=0), y)):
            tree = tw.from_sklearn(model.fit(X, target, sample_weight=weights))
            assert tree.target.row_weight == pytest.approx(each, rel=1e-12)
    balanced = DecisionTreeClassifier(class_weight="balanced", random_state=0).fit(X, labels)
    assert tw.from_sklearn(balanced).target.row_weight == 1.0
    sizes = set()
    for scale in (1.0, 0.5, 1e-3, 1e5):
        model = DecisionTreeClassifier(random_state=0).fit(X, labels, sample_weight=parts * scale)
        sizes.add(tw.from_sklearn(model).prune("error_based", X, labels, sample_weight=parts * scale).n_nodes)
    assert len(sizes) == 1 and 1 < sizes.pop() < model.tree_.node_count
