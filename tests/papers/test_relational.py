"""Rows 132 to 134 of the acceptance list: first-order rules."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from tests.relational.sets import board, family, illegal, lists

FAMILY = {
    "Father": pd.DataFrame([("Sharon", "Bob"), ("Tom", "Bob"), ("Bob", "Victor")], columns=["y", "x"]),
    "Female": pd.DataFrame({"y": ["Sharon"]}),
    "Daughter": pd.DataFrame([("Bob", "Sharon")], columns=["x", "y"]),
}


@pytest.mark.parametrize("more", [False, True])
def test_row_132_the_daughter_of_mitchells_family(more: bool) -> None:
    facts = dict(FAMILY)
    if more:
        facts["GrandDaughter"] = pd.DataFrame([("Victor", "Sharon")], columns=["x", "y"])
    foil = tw.Foil().fit(facts, "Daughter")
    assert foil.to_text(sentences=True) == "IF Father(y, x) AND Female(y) THEN Daughter(x, y)"
    assert foil.to_text() == "Daughter(x, y) :- Father(y, x), Female(y)."
    assert foil.evaluate() == [("Bob", "Sharon")]


def test_row_133_gains_of_bindings_by_equation_9_17() -> None:
    foil = tw.Foil(trace=True).fit(FAMILY, "Daughter")
    first = foil.trace_[0]
    assert (first.positive, first.total, first.information) == (1, 16, 4.0)
    gains = {one.literal.text(): one.gain for one in first.literals}
    # Father(y, x): 1 of 3 bindings, of 1 in 16 before; Father(z, x): the positive one has two extensions, all have 12
    assert gains["Father(y, x)"] == pytest.approx(math.log2(1 / 3) - math.log2(1 / 16))
    assert gains["Father(z, x)"] == pytest.approx(math.log2(2 / 12) - math.log2(1 / 16))
    assert gains["Female(y)"] == pytest.approx(math.log2(1 / 4) - math.log2(1 / 16))


def test_row_133_recursion_ends_by_an_order_of_the_constants() -> None:
    """Ancestor, append: every recursive literal asks for less than the head, so that proofs end."""
    for relations, target in (({k: v for k, v in family().items() if k != "grandparent"}, "ancestor"), (lists()[0], "append")):
        foil = tw.Foil().fit(relations, target)
        assert foil.clauses_.recursive
        assert set(foil.evaluate()) == set(relations[target])
        proof = foil.explain(relations[target][-1])
        assert proof
        depth = max(depth for depth, _ in proof.walk())
        assert depth < 10
    # Where every chain comes back to its beginning there is no order, and no recursion.
    ring = [(i, (i + 1) % 6) for i in range(6)]
    paths = [(f"n{a}", f"n{b}") for a in range(6) for b in range(3)]
    with pytest.warns(tw.TreewrightWarning, match="nothing was learned of path/2"):
        foil = tw.Foil().fit({"edge": [(f"n{a}", f"n{b}") for a, b in ring], "path": paths}, "path")
    assert not foil.clauses_.recursive


def test_row_134_one_literal_compares_two_numbers() -> None:
    """x1 < x2 is one literal; thresholds on one column at a time are many."""
    X = np.random.default_rng(0).random((300, 2))
    points = pd.DataFrame({"id": range(300), "x1": X[:, 0], "x2": X[:, 1]})
    above = points[points.x1 < points.x2][["id"]]
    foil = tw.Foil().fit({"point": points, "above": above}, "above")
    assert foil.to_text() == "above(id) :- point(id, x1, x2), x1 < x2."
    tree = tw.CARTClassifier().fit(X, X[:, 0] < X[:, 1])
    assert tree.get_n_leaves() > 10
    new = np.random.default_rng(1).random((500, 2))
    table = pd.DataFrame({"id": range(500), "x1": new[:, 0], "x2": new[:, 1]})
    assert (foil.predict([(i,) for i in range(500)], {"point": table}) == (new[:, 0] < new[:, 1])).all()


def test_row_134_attributes_give_the_rules_of_one_table() -> None:
    data = tw.datasets.load_play_tennis()
    days = pd.DataFrame(data.X).copy()
    days.insert(0, "day", range(len(days)))
    play = days[np.asarray(data.y) == "yes"][["day"]]
    foil = tw.Foil().fit({"weather": days, "play": play}, "play")
    assert "overcast" in foil.to_text()
    assert foil.n_covered_negative_ == 0


def test_illegal_positions_of_king_rook_and_king() -> None:
    """10,000 positions, with adjacent and less: at least 99 % of others are told right (Quinlan 1990)."""
    rows, wrong = illegal(10_000, 1)
    positive = [row for row, one in zip(rows, wrong, strict=True) if one]
    negative = [row for row, one in zip(rows, wrong, strict=True) if not one]
    foil = tw.Foil(negation="comparisons").fit({"illegal": positive, **board()}, "illegal", negatives=negative)
    others, truth = illegal(10_000, 2)
    assert (foil.predict(others) == np.array(truth)).mean() >= 0.99
