"""Numeric attributes, thresholds and encodings: rows 74 to 82."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw

from .arithmetic import candidates, child, chosen, counts, entropy, gini, grown, id3, same


def weighted(parts: list[list[int]], impurity: object) -> float:
    n = sum(map(len, parts))
    return sum(len(part) / n * impurity(*counts(part)) for part in parts if part)


@pytest.mark.parametrize("values", [[1, 2], [3, 1, 4, 1, 5, 9, 2, 6], [-2.5, 0, 0, 10], [0.1, 0.2, 0.3]])
def test_row_74_midpoints(values: list[float]) -> None:
    distinct = sorted(set(values))
    q = len(distinct)
    # Each of the q - 1 midpoints is found when the classes are made to part there.
    for a, b in itertools.pairwise(distinct):
        y = [v > a for v in values]
        tree = id3(np.array([[v] for v in values], float), y)
        (found,) = tree.root.candidates
        assert found.tried == q - 1
        assert found.cut == same((a + b) / 2)
        assert found.cut != same((b - a) / 2) or a == 0  # as in the text
        assert tree.root.split.cuts == (found.cut,)
        assert tree.n_splits == 1


def test_row_75_a_value_at_the_threshold() -> None:
    X, y = [[1.0], [3.0]], ["low", "high"]
    alpaydin = tw.CARTClassifier().fit(X, y)
    assert alpaydin.tree_.root.split.cuts == (2.0,)
    assert alpaydin.tree_.root.split.relation == "<="
    assert alpaydin.predict([[2.0]]).tolist() == ["low"]
    fumera = tw.ID3Classifier().fit(X, y)
    assert fumera.tree_.root.split.cuts == (2.0,)
    assert fumera.tree_.root.split.relation == "<"
    assert fumera.predict([[2.0]]).tolist() == ["high"]
    assert [condition.text() for rule in alpaydin.tree_.to_rules() for condition in rule.when] == ["x0 <= 2", "x0 > 2"]
    assert [condition.text() for rule in fumera.tree_.to_rules() for condition in rule.when] == ["x0 < 2", "x0 >= 2"]


def test_row_75_candidate_positions_of_every_column() -> None:
    rng = np.random.default_rng(75)
    X = np.column_stack([rng.permutation(20), rng.permutation(20) % 5, np.zeros(20)]).astype(float)
    found = candidates(tw.CARTClassifier(keep_candidates=True).fit(X, rng.integers(0, 2, 20)).tree_.root)
    assert {column: candidate.tried for column, candidate in found.items()} == {"x0": 19, "x1": 4}


def is_boundary(rows: list[tuple[int, int]], cut: float) -> bool:
    """Whether the neighbouring values of a cut are not both of one and the same class."""
    below = max(x for x, _ in rows if x <= cut)
    above = min(x for x, _ in rows if x > cut)
    return len({y for x, y in rows if x in (below, above)}) > 1


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=2, max_size=40))
def test_row_76_best_cut_parts_two_classes(criterion: str, rows: list[tuple[int, int]]) -> None:
    impurity = {"info_gain": entropy, "gini": gini}[criterion]
    tree = tw.CARTClassifier(criterion=criterion, max_depth=1).fit([[x] for x, _ in rows], [y for _, y in rows]).tree_
    pure, constant = len({y for _, y in rows}) == 1, len({x for x, _ in rows}) == 1
    assert tree.root.is_leaf == (pure or constant)
    if tree.root.is_leaf:
        return
    (cut,) = tree.root.split.cuts
    assert is_boundary(rows, cut)
    cuts = sorted({x for x, _ in rows})[:-1]
    best = min(weighted([[y for x, y in rows if x <= c], [y for x, y in rows if x > c]], impurity) for c in cuts)
    assert tree.root.gain == pytest.approx(impurity(*counts(y for _, y in rows)) - best, abs=1e-10)


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
def test_row_76_is_false_once_leaves_have_a_minimum(criterion: str) -> None:
    rows = [(0, 1), *((x, 0) for x in range(1, 10))]
    X, y = [[x] for x, _ in rows], [y for _, y in rows]
    free = tw.CARTClassifier(criterion=criterion, max_depth=1).fit(X, y).tree_
    assert is_boundary(rows, free.root.split.cuts[0])
    bound = tw.CARTClassifier(criterion=criterion, max_depth=1, min_samples_leaf=3).fit(X, y).tree_
    assert not is_boundary(rows, bound.root.split.cuts[0])


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, list[str]]:
    """Numbers and levels, with labels of some noise, so that trees have many sizes."""
    random = Random(77)
    rows = [(random.randrange(100), random.random(), random.choice("abc"), random.choice("uv")) for _ in range(200)]
    X = pd.DataFrame(rows, columns=["n", "r", "s", "t"])
    y = ["yes" if (n > 40) ^ (s == "b") ^ (random.random() < 0.15) else "no" for n, _, s, _ in rows]
    return X, y


def test_row_77_purity_threshold(mixed: tuple[pd.DataFrame, list[str]]) -> None:
    X, y = mixed
    sizes = []
    for theta in (0, 0.1, 0.3, 0.5, 0.7, 0.9, 1):
        tree = id3(X, y, min_impurity=theta)
        # A node is split exactly if its entropy is above the threshold; a leaf's may be above it only for want of a split.
        assert all(node.impurity > theta for node in tree.nodes() if not node.is_leaf)
        assert all(leaf.impurity <= theta for leaf in tree.leaves())
        sizes.append(tree.n_nodes)
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 4
    assert sizes[-1] == 1
    pure = id3(X, y, min_impurity=0)
    assert all(leaf.impurity == 0 for leaf in pure.leaves())
    assert pure.predict(X).tolist() == y
    assert pure == id3(X, y)
    assert {node.split.family for node in pure.nodes() if not node.is_leaf} == {"threshold", "multiway"}


def test_row_78_shares_and_impurity_after_a_split() -> None:
    data = tw.datasets.load_play_tennis()
    tree = id3(data.X, data.y)
    # Counted by hand: (no, yes) of the whole table, and of each outlook.
    hand = {"sunny": (3, 2), "overcast": (0, 4), "rain": (2, 3)}
    assert tree.root.value == {"no": 5.0, "yes": 9.0}
    assert tree.root.impurity == same(-(5 / 14) * math.log2(5 / 14) - (9 / 14) * math.log2(9 / 14))
    for level, (no, yes) in hand.items():
        node = child(tree.root, level)
        assert node.value == {k: float(v) for k, v in (("no", no), ("yes", yes)) if v}
        assert node.weight == no + yes
        assert node.impurity == same(entropy(no, yes))
    after = sum((no + yes) / 14 * entropy(no, yes) for no, yes in hand.values())
    assert candidates(tree.root)["outlook"].impurity == same(after)
    shares = tw.ID3Classifier(max_depth=1).fit(data.X, data.y).predict_proba(data.X)
    for row, outlook in zip(shares, data.X["outlook"], strict=True):
        no, yes = hand[outlook]
        assert row.tolist() == [no / (no + yes), yes / (no + yes)]


@pytest.mark.parametrize("missing", ["learned", "fraction", "own"])
def test_row_79_leaves_keep_posteriors(mixed: tuple[pd.DataFrame, list[str]], missing: str) -> None:
    X, y = mixed
    X = X.assign(n=X["n"].where(X["r"] > 0.1))
    model = tw.TreeClassifier(missing=missing, max_depth=4).fit(X, y)
    shares = model.predict_proba(X)
    assert shares.shape == (200, 2)
    assert shares.sum(axis=1) == pytest.approx(np.ones(200), abs=1e-12)
    assert ((shares > 0) & (shares < 1)).any()
    assert model.classes_[shares.argmax(axis=1)].tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
def test_row_80_one_ternary_node_for_an_interval(criterion: str) -> None:
    x = np.round(np.arange(0.05, 1, 0.05), 2)
    y = ((x >= 0.3) & (x < 0.7)).astype(int)
    X = x.reshape(-1, 1)
    three = tw.TreeClassifier(criterion=criterion, numeric="ternary", relation="<").fit(X, y)
    assert three.tree_.n_splits == 1
    assert three.tree_.root.split.family == "ternary"
    assert len(three.tree_.root.children) == 3
    assert three.predict(X).tolist() == y.tolist()
    assert three.tree_.root.split.cuts == (same(0.275), same(0.675))
    two = tw.TreeClassifier(criterion=criterion, relation="<").fit(X, y)
    assert two.tree_.n_splits == 2
    assert two.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=3, max_size=25))
def test_row_80_ternary_equals_all_pairs(criterion: str, rows: list[tuple[int, int]]) -> None:
    impurity = {"info_gain": entropy, "gini": gini}[criterion]
    values = sorted({x for x, _ in rows})
    y = [label for _, label in rows]
    tree = tw.TreeClassifier(criterion=criterion, numeric="ternary", max_depth=1).fit([[x] for x, _ in rows], y).tree_
    assert tree.root.is_leaf == (len(values) == 1 or len(set(y)) == 1)
    if tree.root.is_leaf:
        return

    def rest(*cuts: int) -> float:
        ends = [-math.inf, *cuts, math.inf]
        return weighted([[k for x, k in rows if a < x <= b] for a, b in itertools.pairwise(ends)], impurity)

    single = [rest(a) for a in values[:-1]]
    pairs = [rest(a, b) for a, b in itertools.combinations(values[:-1], 2)]
    assert impurity(*counts(y)) - tree.root.gain == pytest.approx(min(single + pairs), abs=1e-10)


@pytest.mark.parametrize("as_dummies", [False, True], ids=["row-81-nominal", "row-81-dummies"])
def test_row_81_both_encodings_are_consistent(as_dummies: bool) -> None:
    data = tw.datasets.load_play_tennis()
    X = pd.get_dummies(data.X) if as_dummies else data.X
    tree = id3(X, data.y)
    assert tree.predict(X).tolist() == list(data.y)
    assert {len(node.children) for node in tree.nodes()} == ({0, 2} if as_dummies else {0, 2, 3})


def test_row_81_dummies_are_deeper_and_not_drawn_to_many_values() -> None:
    data = tw.datasets.load_play_tennis()
    days = [f"d{i}" for i in range(14)]
    X = data.X.assign(day=pd.Categorical(days, days))
    nominal, dummies = id3(X, data.y), id3(pd.get_dummies(X), data.y)
    assert chosen(nominal.root) == "day"
    assert nominal.depth == 1
    assert chosen(dummies.root) == "outlook_overcast"
    assert dummies.depth > nominal.depth
    # Without the many-valued column the n-ary tree is still the flatter one.
    assert id3(pd.get_dummies(data.X), data.y).depth > id3(data.X, data.y).depth
    # A dummy of a column is its one-against-the-rest split.
    one = candidates(grown(data.X, data.y, nominal="one_vs_rest").root)
    for column in data.X:
        best = max(c.gain for name, c in candidates(dummies.root).items() if name.startswith(f"{column}_"))
        assert one[column].gain == same(best)


@pytest.mark.parametrize(
    ("family", "branches"), [("multiway", 3), ("one_vs_rest", 2), ("subset", 2)], ids=lambda v: f"row-82-{v}"
)
def test_row_82_families_of_nominal_splits(family: str, branches: int) -> None:
    X = pd.DataFrame({"c": list("aabbcc") * 2})
    y = list("xxxyyy") * 2
    root = tw.TreeClassifier(nominal=family).fit(X, y).tree_.root
    assert root.split.family == family
    assert len(root.children) == branches


def test_row_82_two_subsets_group_what_belongs_together() -> None:
    X = pd.DataFrame({"c": list("aabbccdd")})
    y = list("xxyyxxyy")
    assert tw.TreeClassifier(nominal="subset").fit(X, y).tree_.n_splits == 1
    assert tw.TreeClassifier(nominal="one_vs_rest").fit(X, y).tree_.n_splits > 1
    assert tw.TreeClassifier(nominal="multiway").fit(X, y).tree_.n_leaves == 4


@pytest.mark.parametrize("method", ["mdlp", "equal_width", "equal_frequency"], ids=lambda v: f"row-82-{v}")
def test_row_82_discretise_or_threshold(method: str) -> None:
    x = np.arange(60.0).reshape(-1, 1)
    y = np.repeat(["p", "q", "p"], 20)
    cut = tw.TreeClassifier(numeric="threshold").fit(x, y)
    assert {node.split.family for node in cut.tree_.nodes() if not node.is_leaf} == {"threshold"}
    assert cut.tree_.n_splits == 2
    binned = tw.TreeClassifier(numeric="discretised", discretise=method, bins=3).fit(x, y)
    assert binned.tree_.root.split.family == "discretised"
    assert len(binned.tree_.root.children) == 3
    assert binned.tree_.depth == 1
    assert binned.predict(x).tolist() == cut.predict(x).tolist() == y.tolist()
