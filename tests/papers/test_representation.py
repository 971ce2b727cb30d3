"""What trees can say: rows 1 to 13."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw

from .arithmetic import candidates, child, chosen, gain, grown, id3, nested, printed, rules_of, same, whole_space

NOMINAL = ["play_tennis", "emails", "colour_shape", "colour_shape_2", "shapes", "patrons"]


def is_structurally_sound(tree: tw.Tree) -> None:
    """One column per node, one edge per declared level, no column twice on a path; leaves have no split."""
    seen = 0
    for path in tree.paths():
        tested = [node.split.column for node in path[:-1]]
        assert len(set(tested)) == len(tested)
        assert path[-1].is_leaf
        assert path[-1].split is None
        assert path[0] == tree.root
    for node in tree.nodes():
        seen += 1
        if node.is_leaf:
            continue
        (column,) = (column for column in tree.columns if column.name == node.split.column)
        assert tuple(node.split.levels) == column.levels
        assert list(node.split.levels.values()) == list(range(len(node.children)))
        assert [edge.condition.text() for edge in node.children] == [f"{column.name} = {v}" for v in column.levels]
        assert sum(edge.weight for edge in node.children) == same(node.weight)
    assert seen == tree.n_nodes == tree.n_splits + tree.n_leaves


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.Series]:
    """Random nominal tables; some declared levels may not occur, rows may contradict each other."""
    n_levels = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    n_rows = draw(st.integers(1, 20))
    random = Random(draw(st.integers(0, 2**32)))
    columns = {
        f"c{j}": pd.Categorical([f"v{random.randrange(k)}" for _ in range(n_rows)], [f"v{i}" for i in range(k)])
        for j, k in enumerate(n_levels)
    }
    return pd.DataFrame(columns), pd.Series([random.choice("abc") for _ in range(n_rows)])


def test_row_1_five_coloured_shapes() -> None:
    data = tw.datasets.load_colour_shape()
    tree = id3(data.X, data.y)
    assert nested(tree.root) == {"color": {"red": {"shape": {"circle": "yes", "square": "no", "triangle": "no"}}, "blue": "yes"}}
    assert chosen(tree.root) == "color"
    found = candidates(tree.root)
    assert found["color"].gain == printed("0.41997")
    assert found["shape"].gain == printed("0.17095")


def test_row_3_one_rule_per_leaf() -> None:
    data = tw.datasets.load_colour_shape()
    tree = id3(data.X, data.y)
    assert rules_of(tree) == {
        (frozenset({"color = blue"}), "yes"),
        (frozenset({"color = red", "shape = circle"}), "yes"),
        (frozenset({"color = red", "shape = square"}), "no"),
        (frozenset({"color = red", "shape = triangle"}), "no"),
    }
    assert [rule.leaf for rule in tree.to_rules()] == [leaf.id for leaf in tree.leaves()]


def test_row_4_a_leaf_generalises_over_what_it_does_not_test() -> None:
    data = tw.datasets.load_colour_shape()
    assert not ((data.X["color"] == "blue") & (data.X["shape"] == "circle")).any()
    estimator = tw.ID3Classifier().fit(data.X, data.y)
    assert estimator.predict(pd.DataFrame({"color": ["blue"], "shape": ["circle"]})).tolist() == ["yes"]


@pytest.mark.parametrize(("low", "size"), [(False, 36), (True, 54)], ids=["row-5", "row-5-low-declared"])
def test_row_5_a_tree_is_a_disjunction_of_exclusive_rules(low: bool, size: int) -> None:
    data = tw.datasets.load_play_tennis(low=low)
    tree = id3(data.X, data.y)
    space = whole_space(data.X)
    assert len(space) == size
    sunny_and_normal = (space["outlook"] == "sunny") & (space["humidity"] == "normal")
    rain_and_weak = (space["outlook"] == "rain") & (space["wind"] == "weak")
    formula = sunny_and_normal | (space["outlook"] == "overcast") | rain_and_weak
    assert (tree.predict(space) == "yes").tolist() == formula.tolist()
    rules = tree.to_rules()
    fires = rules.matches(space)
    assert (fires.sum(axis=1) == 1).all()
    assert [rules[i].says for i in fires.argmax(axis=1)] == tree.predict(space).tolist()


def test_row_6_every_boolean_function_of_three_variables() -> None:
    inputs = pd.DataFrame(list(itertools.product("FT", repeat=3)), columns=["a", "b", "c"]).astype("category")
    trees = 0
    for outputs in itertools.product("01", repeat=8):
        tree = tw.ID3Classifier().fit(inputs, list(outputs)).tree_
        assert tree.predict(inputs).tolist() == list(outputs)
        assert all(len(leaf.value) == 1 for leaf in tree.leaves())
        trees += 1
    assert trees == 2 ** (2**3)
    parity = [str(sum(cell == "T" for cell in row) % 2) for row in inputs.itertuples(index=False)]
    assert tw.ID3Classifier().fit(inputs, parity).tree_.n_leaves == 8


@pytest.mark.parametrize("name", NOMINAL)
def test_row_7_structure_of_the_course_trees(name: str) -> None:
    data = tw.datasets.load(name)
    is_structurally_sound(id3(data.X, data.y))


def test_row_7_leaves_share_classes_and_columns_may_be_absent() -> None:
    data = tw.datasets.load_play_tennis()
    tree = id3(data.X, data.y)
    assert [leaf.prediction for leaf in tree.leaves()].count("yes") == 3
    assert tree.used_columns == ["outlook", "humidity", "wind"]


@settings(max_examples=60, deadline=None)
@given(tables())
def test_row_7_structure_of_random_trees(table: tuple[pd.DataFrame, pd.Series]) -> None:
    is_structurally_sound(tw.ID3Classifier().fit(*table).tree_)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_row_8_rules_are_complete_and_exclusive(table: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = table
    # A level that never occurs is a missing cell to the tree unless a split gave it a branch; this row is about known cells.
    X = X.apply(lambda column: column.cat.remove_unused_categories())
    tree = tw.ID3Classifier().fit(X, y).tree_
    space = whole_space(X)
    rules = tree.to_rules()
    fires = rules.matches(space)
    assert fires.shape == (len(space), tree.n_leaves)
    assert (fires.sum(axis=1) == 1).all()
    assert [rules[i].leaf for i in fires.argmax(axis=1)] == tree.apply(space).tolist()
    assert [rules[i].says for i in fires.argmax(axis=1)] == tree.predict(space).tolist()
    assert sum(rule.support for rule in rules) == same(1)


def inside(region: object, X: np.ndarray) -> np.ndarray:
    held = np.ones(len(X), bool)
    for j, (low, high) in enumerate(region.bounds.values()):
        if region.relation == "<=":
            held &= (low < X[:, j]) & (X[:, j] <= high)
        else:
            held &= (low <= X[:, j]) & (X[:, j] < high)
    return held


@pytest.mark.parametrize("relation", ["<=", "<"])
@pytest.mark.parametrize("numeric", ["threshold", "ternary", "discretised"])
@pytest.mark.parametrize("d", [2, 3], ids=["row-9-d2", "row-9-d3"])
def test_row_9_regions_are_disjoint_boxes_that_cover_the_space(d: int, numeric: str, relation: str) -> None:
    rng = np.random.default_rng(9)
    X = rng.random((120, d)).round(2)
    y = np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3) ^ (rng.random(120) < 0.1), "A", "B")
    parts = {"numeric": numeric, "relation": relation, "discretise": "equal_width", "bins": 3}
    tree = tw.TreeClassifier(**parts).fit(X, y).tree_
    regions = tree.regions()
    assert len(regions) == tree.n_leaves > 4
    assert {region.prediction for region in regions} == {"A", "B"}
    assert all(tuple(region.bounds) == tuple(f"x{j}" for j in range(d)) for region in regions)
    # Points on and beside every face of every box, and far outside the data: each in exactly one box, that of its leaf.
    faces = [sorted({end for region in regions for end in region.bounds[f"x{j}"]} - {-np.inf, np.inf}) for j in range(d)]
    at = [np.array([-1e300, *np.nextafter(f, -9), *f, *np.nextafter(f, 9), 1e300]) for f in faces]
    points = np.column_stack([rng.choice(axis, 4000) for axis in at])
    points = np.vstack([points, X, rng.random((500, d))])
    held = np.column_stack([inside(region, points) for region in regions])
    assert (held.sum(axis=1) == 1).all()
    where = held.argmax(axis=1)
    assert [regions[i].leaf for i in where] == tree.apply(points).tolist()
    assert [regions[i].prediction for i in where] == tree.predict(points).tolist()
    # The parts of the unit cube add up to its volume, and no two of them overlap.
    boxes = np.array([list(region.bounds.values()) for region in regions]).clip(0, 1)
    assert (boxes[:, :, 1] - boxes[:, :, 0]).prod(axis=1).sum() == same(1)
    for a, b in itertools.combinations(boxes, 2):
        overlap = np.minimum(a[:, 1], b[:, 1]) - np.maximum(a[:, 0], b[:, 0])
        assert overlap.clip(0).prod() == 0
    assert sum(region.weight for region in regions) == 120


def test_row_11_numbers_noise_and_missing_cells() -> None:
    numbers = tw.CARTRegressor().fit([[1.0], [2.0], [3.0], [4.0]], [0.5, 0.5, 2.5, 2.5])
    assert numbers.predict([[0.0], [2.4], [2.6], [9.0]]).tolist() == [0.5, 0.5, 2.5, 2.5]
    # Two labels that contradict the others: no tree can be right on all rows, a short one is right on the concept.
    x = np.arange(100.0).reshape(-1, 1)
    concept = x[:, 0] >= 50
    noisy = concept.copy()
    noisy[[20, 70]] = ~noisy[[20, 70]]
    short = tw.CARTClassifier(min_samples_leaf=10).fit(x, noisy)
    assert (short.predict(x) == concept).all()
    gone = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    assert tw.CARTClassifier().fit(gone, ["a", "a", "b", "b"]).predict([[np.nan], [1.5]]).tolist() == ["b", "a"]


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_row_12_best_case_of_log2_b_decisions(k: int) -> None:
    b = 2**k
    X, y = np.arange(b, dtype=float).reshape(-1, 1), np.arange(b)
    numbers = tw.CARTRegressor().fit(X, y).tree_
    for tree in (numbers, *(tw.CARTClassifier(criterion=name).fit(X, y).tree_ for name in ("info_gain", "twoing"))):
        assert tree.n_leaves == b
        assert tree.depth == k
        assert {leaf.depth for leaf in tree.leaves()} == {k}
    # The best case, not a bound: as many classes as rows are all the same to the Gini index, the lowest cut is taken.
    assert tw.CARTClassifier(criterion="gini").fit(X, y).tree_.depth == b - 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=30))
def test_row_12_no_binary_tree_needs_less(rows: list[tuple[int, int, int]]) -> None:
    tree = tw.CARTClassifier().fit([row[:2] for row in rows], [row[2] for row in rows]).tree_
    assert 2**tree.depth >= tree.n_leaves


def test_row_13_three_classes_of_coloured_shapes() -> None:
    data = tw.datasets.load_shapes()
    tree = id3(data.X, data.y)
    blue = {(when, says) for when, says in rules_of(tree) if "color = blue" in when}
    assert blue == {
        (frozenset({"color = blue", "shape = triangle"}), "B"),
        (frozenset({"color = blue", "shape = square"}), "A"),
        (frozenset({"color = blue", "shape = circle"}), "C"),
    }
    assert tree.predict(pd.DataFrame({"color": ["red"], "shape": ["triangle"]})).tolist() == ["A"]
    assert child(tree.root, "blue").depth == 1
    assert tree.root.gain == same(gain(data.X["color"], list(data.y)))
    assert not grown(data.X, data.y).root.is_leaf
