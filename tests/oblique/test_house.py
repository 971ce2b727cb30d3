"""What trees have, trees of scores have: exports to the last bit, files, weights, order of rows, threads, errors, other verbs."""

from __future__ import annotations

import signal
import threading
import time
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.exports.runners import RUNNERS, model_answers
from tests.oblique.tables import circle, diagonal, mixed
from treewright import _core
from treewright.learn.oblique import DEFAULTS, METHODS

MADE: dict[str, Any] = {
    "oc1": tw.ObliqueTreeClassifier(restarts=2),
    "cart-lc": tw.ObliqueTreeClassifier(method="cart-lc", max_terms=3),
    "ldt": tw.ObliqueTreeClassifier(method="ldt", pruned=False),
    "quadratic": tw.ObliqueTreeClassifier(node="quadratic"),
    "sphere": tw.ObliqueTreeClassifier(node="sphere"),
    "ellipsoid": tw.ObliqueTreeClassifier(node="ellipsoid"),
    "numbers": tw.ObliqueTreeRegressor(method="cart-lc", max_depth=3),
    "quest": tw.QuestTreeClassifier(),
}
CURVED = ("quadratic", "sphere", "ellipsoid")


def fitted(name: str) -> tuple[Any, pd.DataFrame]:
    X, y = mixed()
    target = X["a b"].fillna(0) ** 2 + X["flag"] if name == "numbers" else y
    return MADE[name].fit(X, target), X


@pytest.mark.parametrize("export", ["python", "javascript", "c", "sqlite", "duckdb", "onnx"])
@pytest.mark.parametrize("name", ["cart-lc", "quadratic", "sphere"])
def test_exports_give_the_same_leaf_to_the_last_bit(export: str, name: str) -> None:
    est, X = fitted(name)
    rows = pd.concat([X, X.mask(np.random.default_rng(1).random(X.shape) < 0.3)], ignore_index=True).astype(
        X.dtypes.to_dict() | {"flag": object}
    )
    rows = rows[rows["flag"].notna()].reset_index(drop=True).astype({"flag": bool})
    RUNNERS[export](est, rows).equal(model_answers(est, rows))


@pytest.mark.parametrize("name", MADE)
def test_files_threads_order_and_texts(name: str, tmp_path: Any) -> None:
    est, X = fitted(name)
    tree = est.tree_
    est.save(tmp_path / "m.json")
    assert tw.load(tmp_path / "m.json").tree_ == tree
    tree.validate()
    target = X["a b"].fillna(0) ** 2 + X["flag"] if name == "numbers" else mixed()[1]
    again = type(est)(**{**est.get_params(), "n_jobs": 3}).fit(X, target).tree_
    assert again == tree
    order = np.random.default_rng(2).permutation(len(X))
    shuffled = type(est)(**est.get_params()).fit(X.iloc[order], np.asarray(target)[order])
    assert np.mean(shuffled.predict(X) == est.predict(X)) > 0.99 or name == "numbers"
    assert tree.to_text() and tree.to_svg() and est.explain(X.iloc[[0]])
    assert est.feature_importances_.sum() == pytest.approx(1.0)
    leaves = [est.prune("cost_complexity", alpha=alpha).tree_.n_leaves for alpha in (0.0, 0.01, 1e9)]
    assert all(a >= b for a, b in pairwise(leaves)) and leaves[-1] == 1


def test_weights_are_copies() -> None:
    X, y = diagonal()
    X, y = X[:200], np.where(X[:200, 0] > 0.5, "r", np.where(y[:200], "a", "b"))
    w = np.random.default_rng(0).integers(1, 4, len(y))
    for options in ({"restarts": 2}, {"method": "cart-lc"}, {"method": "ldt"}, {"node": "quadratic"}, {"node": "sphere"}):
        one = tw.ObliqueTreeClassifier(**options).fit(X, y, sample_weight=w)
        other = tw.ObliqueTreeClassifier(**options).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        assert np.array_equal(one.predict(X), other.predict(X))


def test_regions_are_drawn_with_their_borders() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    X, y = circle()
    est = tw.ObliqueTreeClassifier(node="sphere", pruned=False).fit(X, y)
    image = tw.plot_regions(est, X, y).images[0]
    left, right, bottom, top = image.get_extent()
    seen = image.get_array()
    n = seen.shape[0]
    at = [((x - left) / (right - left) * n, (z - bottom) / (top - bottom) * n) for x, z in X.tolist()]
    colors = [tuple(seen[int(z), int(x)]) for x, z in at]
    center, corner = tuple(seen[n // 2, n // 2]), tuple(seen[2, 2])
    assert center != corner
    assert np.mean([(color == center) == own for color, own in zip(colors, y, strict=True)]) > 0.99
    with pytest.raises(ValueError, match="pass X"):
        tw.plot_regions(est)
    with pytest.raises(ValueError, match="row="):
        tw.plot_regions(est, X, columns=["x0"])
    drawn = tw.plot_regions(est, X, columns=["x0"], row=X[:1])
    assert drawn.lines and drawn.images[0].get_extent() == [*drawn.get_xlim(), 0, 1]
    assert drawn.get_xlim()[0] < X[:, 0].min() and drawn.get_xlim()[1] > X[:, 0].max()
    numbers = tw.ObliqueTreeRegressor(method="cart-lc", max_depth=2).fit(X, X.sum(axis=1))
    assert len(np.unique(tw.plot_regions(numbers, X).images[0].get_array().reshape(-1, 3), axis=0)) == numbers.tree_.n_leaves


@pytest.mark.parametrize("node", DEFAULTS)
@pytest.mark.parametrize("kind", [tw.ObliqueTreeClassifier, tw.ObliqueTreeRegressor])
def test_every_pair_of_the_table_and_no_other(kind: Any, node: str) -> None:
    X, y = circle()
    X, y = X[:120], y[:120].astype(float)
    numbers = kind is tw.ObliqueTreeRegressor
    kind(node=node, restarts=0).fit(X, y)
    for name, method in METHODS.items():
        est = kind(node=node, method=name, restarts=0)
        if node in method.nodes and (method.numbers or not numbers):
            est.fit(X, y)
        else:
            with pytest.raises(ValueError, match=f"method='{name}'"):
                est.fit(X, y)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"method": "oc2"}, "method"),
        ({"node": "cube"}, "node"),
        ({"max_terms": 0}, "max_terms"),
        ({"restarts": -1}, "restarts"),
        ({"jumps": 1.5}, "jumps"),
        ({"holdout": 0.7}, "holdout"),
        ({"criterion": "variance"}, "criterion"),
    ],
)
def test_errors_name_what_is_wrong(options: dict[str, Any], named: str) -> None:
    X, y = circle()
    with pytest.raises(ValueError, match=named):
        tw.ObliqueTreeClassifier(**options).fit(X, y)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e12, 1e150, 1e300])
@pytest.mark.parametrize("options", [{"restarts": 1}, {"method": "ldt"}, {"node": "sphere"}, {"node": "quadratic"}], ids=str)
def test_any_unit_gives_the_same_rows(scale: float, options: dict[str, Any]) -> None:
    X, y = diagonal()
    X, y = X[:200], y[:200]
    power = 2.0 ** round(np.log2(scale))
    est = tw.ObliqueTreeClassifier(pruned=False, max_depth=2, **options)
    plain = est.fit(X, y).apply(X)
    with np.errstate(over="ignore"):
        scaled = est.fit(X * power, y)
    assert scaled.score(X * power, y) > 0.5
    if 1e-100 < scale < 1e100:
        assert np.array_equal(scaled.apply(X * power), plain)


def test_scores_in_parts_are_computed_by_the_core() -> None:
    """Two scores of which the larger wins, and a squashed one: the seam that further kinds of nodes stand on."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    est = tw.CARTClassifier(max_depth=1).fit(X, X[:, 0] > 0)
    state = dict(est.tree_.state())
    u4, f8 = np.uint32, np.float64
    terms = {
        "term_column": np.array([0, 1], u4),
        "term_level": np.full(2, -1, np.int32),
        "term_coefficient": np.array([2.0, -1.0]),
    }
    state |= terms | {
        "term_missing": np.zeros(2),
        "term_begin": np.array([0, 2, 2, 2], u4),
        "part_begin": np.array([0, 2, 2, 2], u4),
    }
    parts = {"part_terms": np.array([1, 1], u4), "part_squashed": np.zeros(2, np.uint8), "part_weight": np.ones(2)}
    two = state | parts | {"part_score": np.array([0, 1], u4), "part_constant": np.array([0.1, 0.3], f8)}
    two |= {"family": np.array([_core.families().index("largest"), 0, 0], np.uint8), "cut_at": np.array([0.5])}
    leaf = np.asarray(_core.Tree.from_state(two).route([X], 300)[0])
    assert np.array_equal(leaf, np.where(0.3 - X[:, 1] > 0.1 + 2 * X[:, 0], 2, 1))
    one = (
        state
        | parts
        | {"part_score": np.zeros(2, u4), "part_constant": np.array([0.1, 0.3]), "part_weight": np.array([1.0, 3.0])}
    )
    one |= {"part_squashed": np.array([0, 1], np.uint8), "cut_at": np.array([1.5])}
    leaf = np.asarray(_core.Tree.from_state(one).route([X], 300)[0])
    assert np.array_equal(leaf, np.where(0.1 + 2 * X[:, 0] + 3 / (1 + np.exp(X[:, 1] - 0.3)) > 1.5, 2, 1))
    for name, value in (
        ("part_terms", [1, 2]),
        ("part_score", [0, 2]),
        ("part_squashed", [0, 2]),
        ("part_constant", [0, np.inf]),
    ):
        with pytest.raises(ValueError, match="damaged"):
            _core.Tree.from_state(two | {name: np.array(value, two[name].dtype)})
    with pytest.raises(ValueError, match="halfway"):
        _core.Tree.from_state(two | {"cut_at": np.array([0.4])})


def test_levels_that_would_take_gigabytes_are_refused_by_name() -> None:
    n = 30_000
    X = pd.DataFrame({"x": np.arange(n) % 7, "zip code": [f"z{i // 2}" for i in range(n)]})
    y = np.arange(n) % 2
    said = "column 'zip code' has 15,000 levels, each of which is a number in scores: for 30,000 rows that would take 3.4 GiB"
    for est in (tw.ObliqueTreeClassifier(), tw.ObliqueTreeClassifier(method="ldt"), tw.OmnivariateTreeClassifier()):
        with pytest.raises(ValueError, match=said):
            est.fit(X, y)
    wide = np.random.default_rng(0).random((40, 800))
    with pytest.raises(ValueError, match=r"800 columns of numbers have 320,400 products.* use node=\"linear\""):
        tw.ObliqueTreeClassifier(node="quadratic").fit(wide, np.arange(40) % 2)


def test_ctrl_c_is_heard_among_many_levels() -> None:
    """Moments and factors of 1,500 columns take minutes together; a request to end is heard within them."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 1500, 6000)
    X = pd.DataFrame({"c": [f"l{code}" for code in codes], "x": rng.random(6000)})
    begun = time.monotonic()
    timer = threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tw.ObliqueTreeClassifier(method="ldt").fit(X, rng.integers(0, 4, 6000))
    timer.join()
    assert time.monotonic() - begun < 60  # alone it takes far longer; no measurement of speed
