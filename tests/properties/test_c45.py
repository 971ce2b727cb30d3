"""C4.5: the same tree whatever the threads and the order of rows, weights are rows, and pruning as a recursion would do it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import treewright as tw
from treewright.learn import settings
from treewright.model.branches import branch_conditions
from treewright.model.rules import by_column
from treewright.table import read_cells

from .tables import Case, cases, close_state, make_case, modest, same_state

pytestmark = pytest.mark.filterwarnings("ignore:.*a split needs:treewright.TreewrightWarning")

KINDS: list[dict[str, Any]] = [
    {},
    {"variant": "j48"},
    {"grouped": True},
    {"criterion": "info_gain"},
    {"pruned": False},
    {"raising": False, "confidence": 0.5},
]


@pytest.mark.parametrize("params", KINDS, ids=str)
def test_threads_do_not_change_the_tree(params: dict[str, Any]) -> None:
    case = make_case(11, 9000)
    one = tw.C45Classifier(**params).fit(case.X, case.classes)
    assert one.tree_.n_nodes > 5
    for n_jobs in (2, 5):
        same_state(one.tree_, tw.C45Classifier(n_jobs=n_jobs, **params).fit(case.X, case.classes).tree_)


TWINS = [
    *KINDS,
    {"keep_candidates": True},
    {"max_depth": 4, "min_samples_leaf": 5},
    {"min_samples_leaf": 1},
    {"confidence": 1.0},
    {"collapse": False},
    {"missing": "majority"},
]


def assert_shortcuts_change_nothing(case: Case, weights: Any, params: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tw.Tree:
    est = tw.C45Classifier(**params)
    quick = est.fit(case.X, case.classes, weights).tree_
    with monkeypatch.context() as patch:
        patch.setattr(settings, "ENGINE", "plain")
        same_state(quick, est.fit(case.X, case.classes, weights).tree_)
    return quick


@pytest.mark.parametrize("params", TWINS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_shortcuts_change_nothing_of_large_trees(seed: int, params: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    case = make_case(seed, int(rng.integers(500, 5000)), n_classes=int(rng.choice([2, 3, 4])))
    weights = None if seed % 2 else rng.choice([1.0, 2.0, 0.5, 0.3], len(case.classes))
    assert assert_shortcuts_change_nothing(case, weights, params, monkeypatch).n_nodes > 1


def uneven_case(seed: int) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray[np.float64]]:
    """Levels and numbers, many cells missing, rows of uneven weight: most rows of a node are parts of rows."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    score = rng.standard_normal((400, 5))
    for j, n_levels in enumerate((2, 3, 6, 30, 2)):
        level = rng.integers(0, n_levels, 400)
        score += rng.standard_normal((n_levels, 5))[level]
        level[rng.random(400) < 0.2] = -1
        columns[f"c{j}"] = pd.Categorical.from_codes(level, [f"v{i}" for i in range(n_levels)])
    number = np.round(rng.standard_normal(400), 1)
    score[:, 0] += number
    columns["n"] = np.where(rng.random(400) < 0.1, np.nan, number)
    return pd.DataFrame(columns), score.argmax(axis=1), rng.choice([1.0, 2.0, 0.5, 1.7], 400)


@pytest.mark.parametrize("confidence", [0.25, 1.0])
def test_errors_saved_by_leaves_that_are_gone_still_count_above(confidence: float, monkeypatch: pytest.MonkeyPatch) -> None:
    est = tw.C45Classifier(confidence=confidence)
    for seed in (96, 310, 969):
        X, y, weights = uneven_case(seed)
        quick = est.fit(X, y, weights).tree_
        with monkeypatch.context() as patch:
            patch.setattr(settings, "ENGINE", "plain")
            same_state(quick, est.fit(X, y, weights).tree_)
        same_state(quick, tw.C45Classifier(confidence=confidence, n_jobs=2).fit(X, y, weights).tree_)


@pytest.mark.parametrize(
    ("levels", "classes", "rows"), [(40, 40, 100), (30, 200, 400), (250, 5, 40), (52, 26, 80), (60, 12, 300)]
)
def test_wide_columns_of_many_classes_are_grown_alike(
    levels: int, classes: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    est = tw.C45Classifier()
    for seed in range(4):
        rng = np.random.default_rng(seed)
        wide = pd.Categorical.from_codes(rng.integers(0, levels, rows), [f"t{i}" for i in range(levels)])
        X = pd.DataFrame({"wide": wide, "two": pd.Categorical.from_codes(rng.integers(-1, 2, rows), ["a", "b"])})
        y = rng.integers(0, classes, rows)
        quick = est.fit(X, y).tree_
        with monkeypatch.context() as patch:
            patch.setattr(settings, "ENGINE", "plain")
            same_state(quick, est.fit(X, y).tree_)


@modest(60)
@given(case=cases(), params=st.sampled_from(TWINS), weighted=st.booleans())
def test_shortcuts_change_nothing_of_small_trees(case: Case, params: dict[str, Any], weighted: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        assert_shortcuts_change_nothing(case, case.weights + 0.5 if weighted else None, params, patch)


@modest(40)
@given(case=cases(), params=st.sampled_from(KINDS))
def test_weight_two_is_the_row_twice(case: Case, params: dict[str, Any]) -> None:
    weights = case.weights + 1
    est = tw.C45Classifier(**params)
    weighted = est.fit(case.X, case.classes, sample_weight=weights).tree_
    repeated = case.rows(np.repeat(np.arange(len(weights)), weights))
    close_state(weighted, est.fit(repeated.X, repeated.classes).tree_)


@modest(40)
@given(case=cases(), params=st.sampled_from(KINDS), seed=st.integers(0, 1000))
def test_shuffled_rows_give_the_identical_tree(case: Case, params: dict[str, Any], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(case.X))
    est = tw.C45Classifier(**params)
    tree = est.fit(case.X, case.classes).tree_
    moved = case.rows(order)
    same_state(tree, est.fit(moved.X, moved.classes).tree_)


@dataclass
class Place:
    """A place of the tree being pruned: what stands there, and what hangs below."""

    node: tw.Node
    below: list[Place] = field(default_factory=list)


def place(node: tw.Node) -> Place:
    return Place(node, [place(child) for child in node.children])


DEVIATES = {0.1: 1.28, 0.25: 0.6925, 0.5: 0.25 * 5 / 6}  # of release 8, linear in a table


def extra_errors(n: float, e: float, confidence: float, estimate: str) -> float:
    """Errors to expect beyond those seen: AddErrs of release 8, and J48's."""
    weka = estimate == "weka"
    none = n * (1 - confidence ** (1 / n))
    if e < 1e-6:
        return none
    if e < 0.9999:
        return none + e * (extra_errors(n, 1.0, confidence, estimate) - none)
    if e + 0.5 >= n - 1e-7:
        return max(n - e, 0.0) if weka else 0.67 * (n - e)
    c = (NormalDist().inv_cdf(1 - confidence) if weka else DEVIATES[confidence]) ** 2
    half = e + 0.5
    return n * (half + c / 2 + math.sqrt(c * (half * (1 - half / n) + c / 4))) / (n + c) - e


class Recursion:
    """Error-based pruning as the book tells it: bottom up, with rows in parts, leaf or largest branch."""

    def __init__(self, tree: tw.Tree, X: Any, codes: np.ndarray, estimate: str, confidence: float) -> None:
        self.cells = by_column(read_cells(X, tree.schema)[0])
        self.codes = codes
        self.k = len(tree.target.classes or ())
        self.estimate = estimate
        self.confidence = confidence
        self.top = place(tree.root)
        self.tight = False  # a decision hangs on rounding
        self.errors = self.visit(self.top, np.arange(len(codes)), np.ones(len(codes)))

    def leaf(self, rows: np.ndarray, weights: np.ndarray) -> float:
        counts = np.bincount(self.codes[rows], weights, self.k)
        total = counts.sum()
        wrong = max(0.0, total - counts.max())
        return 0.0 if total == 0 else wrong + extra_errors(total, wrong, self.confidence, self.estimate)

    def divide(self, at: Place, rows: np.ndarray, weights: np.ndarray) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[float]]:
        conditions = branch_conditions(at.node)
        masks = [condition.mask(self.cells[condition.index][rows]) for condition in conditions]
        unknown = ~np.any(masks, axis=0)
        known = [float(weights[mask].sum()) for mask in masks]
        whole = sum(known)
        parts = []
        for mask, weight in zip(masks, known, strict=True):
            share = weight / whole if whole else 0.0
            taken = mask | (unknown & (share > 0))
            parts.append((rows[taken], np.where(unknown, weights * share, weights)[taken]))
        return parts, known

    def below(self, at: Place, rows: np.ndarray, weights: np.ndarray) -> float:
        if not at.below:
            return self.leaf(rows, weights)
        parts, known = self.divide(at, rows, weights)
        return sum(self.below(child, *part) for child, part, w in zip(at.below, parts, known, strict=True) if w > 0)

    def no_worse(self, a: float, b: float) -> bool:
        self.tight |= abs(a - b - 0.1) < 1e-5
        return a <= b + 0.1

    def visit(self, at: Place, rows: np.ndarray, weights: np.ndarray) -> float:
        if not at.below:
            return self.leaf(rows, weights)
        parts, known = self.divide(at, rows, weights)
        subtree = sum(self.visit(child, *part) for child, part, w in zip(at.below, parts, known, strict=True) if w > 0)
        largest = max(range(len(known)), key=lambda b: (round(known[b], 6), b))
        raised = self.below(at.below[largest], rows, weights)
        leaf = self.leaf(rows, weights)
        if self.no_worse(leaf, raised) and self.no_worse(leaf, subtree):
            at.below = []
            return leaf
        if self.no_worse(raised, subtree):
            child = at.below[largest]
            at.node, at.below = child.node, child.below
            return self.visit(at, rows, weights)
        return subtree


def shape(at: Place | tw.Node) -> Any:
    node, below = (at.node, at.below) if isinstance(at, Place) else (at, at.children)
    if not below:
        return "leaf"
    assert node.split is not None
    return (node.split.column, node.split.cuts, [shape(child) for child in below])


@pytest.mark.parametrize(("variant", "estimate"), [("r8", "quinlan"), ("j48", "weka")])
@pytest.mark.parametrize("seed", range(60))
def test_pruning_is_the_recursion(variant: str, estimate: str, seed: int) -> None:
    case = make_case(seed, 60 + 10 * seed, n_classes=2 + seed % 3)
    X, y = case.X, case.classes
    # A signal under noise: subtrees worth raising.
    y = np.where((X.iloc[:, 1].fillna(0) > 0) & (np.arange(len(y)) % 7 > 0), y[0], y)
    confidence = (0.1, 0.25, 0.5)[seed % 3]
    grown = tw.C45Classifier(variant=variant, pruned=False, confidence=confidence).fit(X, y)
    pruned = tw.C45Classifier(variant=variant, confidence=confidence).fit(X, y)
    classes = list(grown.tree_.target.classes or ())
    told = Recursion(grown.tree_, X, np.array([classes.index(label) for label in y]), estimate, confidence)
    if told.tight:
        return
    assert shape(pruned.tree_.root) == shape(told.top)
    assert pruned.estimated_errors_ == pytest.approx(told.errors, abs=1e-4)


def test_the_recursion_is_tried_on_raised_branches() -> None:
    raised = 0
    for seed in range(60):
        case = make_case(seed, 60 + 10 * seed, n_classes=2 + seed % 3)
        y = np.where((case.X.iloc[:, 1].fillna(0) > 0) & (np.arange(len(case.X)) % 7 > 0), case.classes[0], case.classes)
        with_raising, without = (tw.C45Classifier(raising=r).fit(case.X, y).tree_ for r in (True, False))
        raised += with_raising.to_text() != without.to_text()
    assert raised >= 5


@pytest.mark.parametrize("variant", ["r8", "j48"])
def test_a_cut_without_gain_is_none_even_free_of_charge(variant: str) -> None:
    """It is no candidate, so that it does not lower the average gain either."""
    alike = np.array([1.0, 1, 2, 2] * 4)
    classes = np.array(["p", "q"] * 8)
    free: dict[str, Any] = {"variant": variant, "penalty": False, "pruned": False, "collapse": False, "keep_candidates": True}
    assert tw.C45Classifier(**free).fit(alike[:, None], classes).tree_.n_nodes == 1
    useful = np.where(np.arange(16) < 12, classes == "p", classes == "q").astype(float)
    root = tw.C45Classifier(**free).fit(np.column_stack([alike, useful]), classes).tree_.root
    assert [candidate.column for candidate in root.candidates] == ["x1"]
