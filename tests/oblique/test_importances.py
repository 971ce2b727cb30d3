"""Importances of columns in trees of scores: by how much each moves the score, in units of its deviation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.oblique.tables import circle, mixed
from treewright.model.effects import column_shares
from treewright.model.linear import Equation, LinearTerm, Part
from treewright.store import kinds
from treewright.store.damage import Damage
from treewright.table import ColumnSchema

NUMBERS = [ColumnSchema(name, "number") for name in "abc"]
LEVELS = ColumnSchema("d", "nominal", ("x", "y", "z"))


def term(index: int, coefficient: float, mean: float = 0.0, by: int | None = None, by_mean: float = 0.0) -> LinearTerm:
    one = LinearTerm.of(NUMBERS[index], index, coefficient, None, mean)
    return one if by is None else one.times(NUMBERS[by], by, by_mean)


def test_what_matters_does_not_depend_on_units() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = X[:, 0] + X[:, 1] + 0.25 * X[:, 2] > 0
    options = {"method": "ldt", "pruned": False, "max_depth": 1}
    plain = tw.ObliqueTreeClassifier(**options).fit(X, y).feature_importances_
    assert plain == pytest.approx([4 / 9, 4 / 9, 1 / 9], abs=0.03)
    scaled = tw.ObliqueTreeClassifier(**options).fit(X * [1000.0, 1e-6, 1.0], y).feature_importances_
    assert scaled == pytest.approx(plain, abs=1e-3)


def test_products_move_a_score_as_their_derivatives_do() -> None:
    """The root mean square of derivatives, among columns that vary independently."""
    means, deviations = np.array([2.0, -1.0, 0.5]), np.array([0.7, 1.5, 3.0])
    products = (term(0, 0.4, 2.0, 0, 2.0), term(0, -0.8, 2.0, 1, -1.0), term(2, 0.3, 0.5, 2, 0.5))
    equation = Equation(0.0, (term(0, 1.5, 2.0), term(1, -2.0, -1.0), *products))
    rows = np.random.default_rng(1).normal(means, deviations, (200_000, 3))
    found = []
    for j in range(3):
        step = np.zeros(3)
        step[j] = 1e-4
        there, back = (equation.answers(list((rows + sign * step).T)) for sign in (1, -1))
        found.append(deviations[j] * np.sqrt(np.mean(((there - back) / 2e-4) ** 2)))
    shares = column_shares(equation, [(s,) for s in deviations])
    assert [shares[j] for j in range(3)] == pytest.approx(np.array(found) / sum(found), rel=0.01)


def test_levels_count_by_the_deviation_of_what_they_add() -> None:
    added, share = np.array([3.0, -1.0, 0.0]), np.array([0.5, 0.3, 0.2])
    terms = [LinearTerm.of(LEVELS, 1, c, (code,), 0.0) for code, c in enumerate(added[:2])]
    shares = column_shares(Equation(0.0, (term(0, 2.0), *terms)), [(1.5,), tuple(share)])
    deviation = np.sqrt(np.dot(share, added**2) - np.dot(share, added) ** 2)
    assert shares[1] / shares[0] == pytest.approx(deviation / 3.0)


def test_of_several_scores_only_what_tells_them_apart_counts() -> None:
    def machine(common: float) -> Equation:
        terms = [term(0, 1.0), term(1, common), term(0, -1.0), term(1, common), term(0, 0.5), term(1, common + 0.1)]
        return Equation(0.0, tuple(terms), tuple(Part(k, 2, False, 1.0, 0.0) for k in range(3)))

    spreads = [(1.0,), (1.0,)]
    assert column_shares(machine(100.0), spreads) == pytest.approx(column_shares(machine(0.0), spreads))
    assert column_shares(machine(0.0), spreads)[1] < 0.1


def test_a_sigmoid_moves_by_its_weight() -> None:
    parts = (Part(0, 1, True, 3.0, 0.0), Part(0, 1, True, -1.0, 0.0))
    steep = Equation(0.0, (term(0, 1.0), term(1, 1000.0)), parts)
    assert column_shares(steep, [(1.0,), (1.0,)]) == pytest.approx({0: 0.75, 1: 0.25})


def test_without_deviations_terms_share_evenly() -> None:
    equation = Equation(0.0, (term(0, 9.0), term(1, 1.0, 0.0, 2, 0.0)))
    assert column_shares(equation, []) == pytest.approx({0: 0.5, 1: 0.25, 2: 0.25})
    assert column_shares(equation, [(0.0,), (0.0,), (0.0,)]) == pytest.approx({0: 0.5, 1: 0.25, 2: 0.25})


@pytest.mark.parametrize(
    "est",
    [
        tw.ObliqueTreeClassifier(method="fact", max_depth=2),
        tw.ObliqueTreeClassifier(node="quadratic"),
        tw.OmnivariateTreeClassifier(choice="bic"),
        tw.SoftTreeClassifier(restarts=0),
        tw.ObliqueTreeClassifier(restarts=1),
    ],
    ids=lambda est: type(est).__name__,
)
def test_they_survive_files_and_pruning(est: Any, tmp_path: Any) -> None:
    X, y = mixed()
    est.fit(X, y).save(tmp_path / "m.json")
    again = tw.load(tmp_path / "m.json")
    assert est.tree_.schema.spreads and again.feature_importances_.tolist() == est.feature_importances_.tolist()
    assert est.feature_importances_.sum() == pytest.approx(1.0)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = type(est)(**est.get_params()).fit(X.iloc[order], np.asarray(y)[order])
    assert shuffled.tree_.schema.spreads == est.tree_.schema.spreads


def test_cut_trees_keep_them_and_plain_trees_have_none() -> None:
    X, y = mixed()
    est = tw.ObliqueTreeClassifier(restarts=1, pruned=False).fit(X, y)
    cut = est.prune("cost_complexity", alpha=0.01)
    assert cut.tree_.n_leaves < est.tree_.n_leaves and cut.tree_.schema.spreads == est.tree_.schema.spreads
    assert tw.CARTClassifier().fit(X, y).tree_.schema.spreads == ()


def test_deviations_in_files_are_checked() -> None:
    X, y = circle()
    section = kinds.to_section("tree", tw.ObliqueTreeClassifier(node="sphere").fit(X, y).tree_)
    assert kinds.from_section(section, "tree").schema.spreads
    for bad in ([[1.0]], [[1.0], [-1.0]], [[1.0], [1.0, 2.0]], [[1.0], ["inf"]], 3):
        with pytest.raises(Damage, match="spreads"):
            kinds.from_section({**section, "table": {**section["table"], "spreads": bad}}, "tree")


def test_deviations_beside_missing_cells_weights_and_extremes() -> None:
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 5.0] * 20, "b": [1e300, -1e300, 2e299, 0.0] * 20, "c": list("xyxx") * 20})
    y = np.arange(80) % 2
    est = tw.ObliqueTreeClassifier(method="ldt", pruned=False, max_depth=1)
    tree = est.fit(X, y, sample_weight=[1.0, 1.0, 1.0, 2.0] * 20).tree_
    if tree.schema.spreads:
        assert tree.schema.spreads[0][0] == pytest.approx(np.std([1, 3, 5, 5]), rel=1e-5)
        assert tree.schema.spreads[2] == pytest.approx((0.8, 0.2))
        assert all(np.isfinite(each).all() for each in tree.schema.spreads)
    assert replace(tree.schema, spreads=()) != tree.schema or not tree.schema.spreads
