"""Priors, class weights and losses against the oracle, and what they must leave alone."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

import treewright as tw

from .combinations import check
from .frames import answers, features, fit, weights
from .model import Options, Table
from .tables import make_loss, make_options, make_table

CRITERIA = ("gini", "info_gain", "twoing", "error", "risk", "generalised_gini")


def draw(source: Random, table: Table, options: Options) -> Options:
    """Priors over the classes that occur, losses, or both."""
    there = {int(table.target[row]) for row, _ in table.all_rows()}
    wanted = source.choice(("priors", "loss", "both"))
    if wanted != "loss":
        raw = [source.randint(1, 5) if k in there else 0 for k in range(table.n_classes)]
        options = replace(options, priors=tuple(part / sum(raw) for part in raw))
    if wanted != "priors" and table.n_classes > 1:
        options = replace(options, loss=make_loss(source, table.n_classes))
    return options


@pytest.mark.parametrize("missing", ["learned", "majority", "surrogate"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_priors_and_losses(criterion: str, missing: str) -> None:
    for seed in range(12):
        source = Random(f"costs-{criterion}-{missing}-{seed}")
        table = make_table(source, max_rows=24)
        options = make_options(source, table, criterion=criterion, numeric="threshold", nominal="subset", missing=missing)
        check(tw, table, draw(source, table, replace(options, loss=None)))


@pytest.mark.parametrize("criterion", ["gini", "info_gain", "twoing"])
def test_a_class_weight_is_a_prior(criterion: str) -> None:
    """Weights c_k say what priors in proportion to c_k N_k say; "balanced" is equal priors."""
    for seed in range(6):
        source = Random(f"weight-{seed}")
        table = make_table(source, max_rows=30)
        y = answers(table)
        there = [label for label in table.classes if np.any((np.asarray(y) == label) & (weights(table) > 0))]
        count = {label: weights(table)[np.asarray(y) == label].sum() for label in there}
        given = {label: source.randint(1, 4) for label in there}
        total = sum(given[label] * count[label] for label in there)
        pairs = [
            ({"class_weight": given}, {"priors": {label: given[label] * count[label] / total for label in there}}),
            ({"class_weight": "balanced"}, {"priors": {label: 1 / len(there) for label in there}}),
        ]
        for one, other in pairs:
            trees = [
                tw.TreeClassifier(criterion=criterion, **costs).fit(features(table), y, sample_weight=weights(table)).tree_
                for costs in (one, other)
            ]
            assert [a.split for a in trees[0].nodes()] == [b.split for b in trees[1].nodes()]
            for a, b in zip(trees[0].nodes(), trees[1].nodes(), strict=True):
                assert a.value == pytest.approx(b.value)
                assert a.gain == pytest.approx(b.gain, abs=1e-9)


def test_generalised_gini_without_losses_is_gini() -> None:
    for seed in range(6):
        table = make_table(Random(f"plain-{seed}"), max_rows=24)
        plain, general = (fit(tw, table, Options(criterion=name)).tree_ for name in ("gini", "generalised_gini"))
        assert [node.impurity for node in plain.nodes()] == pytest.approx([node.impurity for node in general.nodes()], abs=1e-9)


def test_every_branch_holds_its_share_of_the_weight() -> None:
    """Splits of many branches need two of the least weight; this limit is asked of all."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    options = {"numeric": "discretised", "discretise": "equal_frequency", "missing": "majority", "class_weight": {0: 1, 1: 0.01}}
    free, held = (tw.TreeClassifier(**options, min_weight_fraction_leaf=share).fit(X, y).tree_ for share in (1e-9, 0.02))
    shares = [[leaf.weight / tree.root.weight for leaf in tree.leaves() if leaf.weight > 0] for tree in (free, held)]
    assert min(shares[0]) < 0.02 <= min(shares[1]) * (1 + 1e-6)
    assert len(shares[1]) > 1
