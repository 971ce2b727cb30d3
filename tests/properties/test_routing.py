"""Two ways down a tree, one leaf: the compact form and the general walk send every row to the same place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.model.routing import Routing
from treewright.table import read_cells

from .tables import LEVELS, POLICIES, Case, cases, estimators, make_case, modest

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*a split needs:treewright.TreewrightWarning"),
    pytest.mark.filterwarnings("ignore::treewright.UnseenLevelWarning"),
]

TWO_WAY = {"numeric": "threshold", "nominal": "subset"}


def routed(tree: tw.Tree, X: Any, compact: bool, threads: int = 1) -> tuple[Any, ...]:
    arrays, n_rows = read_cells(X, tree.schema)
    return tuple(tree._core.route(arrays, n_rows, threads, compact))


def assert_same_routes(one: tuple[Any, ...], two: tuple[Any, ...]) -> None:
    for a, b in zip(one, two, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert a.dtype == b.dtype
            assert np.array_equal(a, b)


def assert_twins(tree: tw.Tree, X: Any) -> None:
    assert_same_routes(routed(tree, X, compact=True), routed(tree, X, compact=False))


def worse(X: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Rows with more holes, levels that never occurred, values on the cuts and far beyond."""
    rng = np.random.default_rng(seed)
    out = {}
    for name, cells in X.items():
        if isinstance(cells.dtype, pd.CategoricalDtype):
            out[name] = pd.Categorical.from_codes(rng.integers(-1, len(LEVELS), len(X)), categories=LEVELS)
        elif cells.dtype == "float64":
            values = rng.permutation(cells.to_numpy()) + rng.choice([0.0, 0.0, 0.5, 1e300, -1e300], len(X))
            out[name] = np.where(rng.random(len(X)) < 0.2, np.nan, values)
        else:
            out[name] = pd.Series(rng.permutation(cells.to_numpy()), dtype=cells.dtype)
    return pd.DataFrame(out)


@modest(150)
@given(cases(), st.data())
def test_packed_and_general_routes_agree_on_any_tree(case: Case, data: st.DataObject) -> None:
    est = data.draw(estimators(POLICIES))
    tree = est.fit(case.X, case.target(est)).tree_
    for rows in (case.X, worse(case.X, case.seed)):
        assert_twins(tree, rows)


@modest(150)
@given(cases(), st.data())
def test_packed_and_general_routes_agree_on_two_way_trees(case: Case, data: st.DataObject) -> None:
    # "own" gives missing rows a third branch, "presence" splits are two-way.
    est = data.draw(estimators([policy for policy in POLICIES if policy != "own"], **TWO_WAY))
    tree = est.fit(case.X, case.target(est)).tree_
    assert tree._core.is_compact()
    for rows in (case.X, worse(case.X, case.seed)):
        assert_twins(tree, rows)


@modest(60)
@given(cases(nominal=False), st.sampled_from(["f4", "f8", "i8", "i2", "u1"]), st.sampled_from("CF"), st.data())
def test_every_machine_type_and_order_goes_the_same_way(case: Case, kind: str, order: Any, data: st.DataObject) -> None:
    est = data.draw(estimators([policy for policy in POLICIES if policy != "own"], **TWO_WAY))
    est.fit(case.X.to_numpy(), case.target(est))
    tree = est.tree_
    cells = case.X.to_numpy() * 3
    cells = np.nan_to_num(np.abs(cells)).astype(kind) if kind[0] in "iu" else cells.astype(kind)
    cells = np.asarray(cells, order=order)
    assert_twins(tree, cells)
    assert_same_routes(Routing(tree, cells).routes(), routed(tree, cells, compact=False))
    backwards = cells[::-2, ::-1]
    assert_same_routes(Routing(tree, backwards).routes(), routed(tree, backwards.copy(), compact=False))


@pytest.mark.parametrize("relation", ["<=", "<"])
@pytest.mark.parametrize("cut", [0.0, 1.0, -1.0, 0.1, 1e308, -1e308, 1e-310, 2.0**-149])
def test_cells_on_the_cut_and_next_to_it(cut: float, relation: str) -> None:
    below, above = np.nextafter(cut, -np.inf), np.nextafter(cut, np.inf)
    rows = np.array([[below], [cut]] if relation == "<" else [[cut], [above]])
    tree = tw.TreeClassifier(relation=relation, threshold_at="observed").fit(rows, [0, 1]).tree_
    assert tree.state()["cut_at"].tolist() == [cut]
    near = np.array([below, cut, above, -cut, 0.0, -0.0, np.nan, -1.7976931348623157e308])[:, None]
    assert_twins(tree, near)
    first = near < cut if relation == "<" else near <= cut
    assert np.array_equal(tree.apply(near)[:6] == 1, first[:6, 0])
    with np.errstate(over="ignore"):
        single = near.astype(np.float32)
    assert_twins(tree, single[~np.isinf(single[:, 0])])


def test_no_split_and_no_rows() -> None:
    stump = tw.CARTClassifier().fit([[1.0], [2.0]], [0, 0])
    assert stump.apply(np.array([[np.nan], [5.0]])).tolist() == [0, 0]
    tree = tw.CARTClassifier().fit([[1.0], [2.0]], [0, 1]).tree_
    assert tree.apply(np.empty((0, 1))).tolist() == []


def test_trees_that_are_not_two_way_keep_the_general_walk() -> None:
    case = make_case(3, 200)
    for chosen in ({"nominal": "multiway"}, {"numeric": "ternary"}, {"missing": "own"}):
        assert not tw.TreeClassifier(**chosen).fit(case.X, case.classes).tree_._core.is_compact()


def test_many_levels_at_many_nodes_are_not_packed() -> None:
    """The bits would take more memory than the tree; the leaves are the same."""
    rng = np.random.default_rng(0)
    n = 20_000
    codes = rng.permutation(n)
    X = pd.DataFrame({"id": pd.Categorical.from_codes(codes, [f"l{i}" for i in range(n)]), "x": rng.random(n)})
    tree = tw.CARTClassifier().fit(X, (rng.random(n) < 0.5).astype(int)).tree_
    grown = tw.TreeClassifier(nominal="one_vs_rest", max_leaf_nodes=800).fit(X[["id"]], (codes % 3 == 0).astype(int)).tree_
    assert tree._core.is_compact()
    assert not grown._core.is_compact()
    assert_twins(grown, X[["id"]])


@pytest.mark.parametrize("policy", ["learned", "fraction"])
def test_threads_change_nothing(policy: str) -> None:
    """Enough rows that blocks are handed to several threads."""
    case = make_case(5, 70_000)
    est = tw.TreeClassifier(missing=policy, max_depth=8).fit(case.X.iloc[:2000], case.classes[:2000])
    assert_same_routes(routed(est.tree_, case.X, True, threads=3), routed(est.tree_, case.X, False, threads=1))
    many = tw.TreeClassifier(missing=policy, max_depth=8, n_jobs=3).fit(case.X.iloc[:2000], case.classes[:2000])
    assert np.array_equal(many.apply(case.X), est.apply(case.X))
    assert (many.decision_path(case.X) != est.decision_path(case.X)).nnz == 0
    assert np.array_equal(many.predict(case.X), est.predict(case.X))
