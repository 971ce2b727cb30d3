"""How much of a model there is to read: one measure for trees, rules and equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.model import Forest, RuleSet, Tree
from treewright.model.linear import Equation, Scores
from treewright.model.protocol import Model


def size_of(est: Any) -> dict[str, float] | None:
    """Count what a fitted model consists of; None where it is neither trees nor rules.

    ``size`` is the number of tests, answers and terms of equations: of a tree its nodes, of rules their conditions and the rules
    themselves, the default included. A test or an answer that is computed counts as many as its equation has terms, and one.
    Of a model of many members, the sum over all.
    """
    if isinstance(model := getattr(est, "_model", None), Model):
        return _model_size(model)
    if hasattr(est, "steps"):  # a pipeline: what precedes its last step changes columns
        return size_of(est.steps[-1][1])
    if hasattr(est, "best_estimator_"):
        return size_of(est.best_estimator_)
    nodes = getattr(getattr(est, "tree_", None), "node_count", None)
    if nodes is not None:  # scikit-learn's
        return {"size": float(nodes), "leaves": float(est.get_n_leaves())}
    members = getattr(est, "estimators_", None)
    if isinstance(members, (list, np.ndarray)):
        return _sum([size_of(member) for member in np.ravel(np.array(members, dtype=object))])
    return None


def _model_size(model: Model) -> dict[str, float] | None:
    if isinstance(model, Forest):
        return _sum([_model_size(member) for member in model.members])
    if isinstance(model, Tree):
        leaves = np.flatnonzero(model.node_columns.is_leaf).tolist()
        terms = sum(_terms(model.leaf_model.rule_value(id)) for id in leaves) if model.leaf_model.computed else 0
        terms += int(np.sum(model.node_columns.n_terms)) if len(model.node_columns.term_begin) else 0
        return _counts(model.n_nodes, {"leaves": len(leaves)}, terms)
    if not isinstance(model, RuleSet):
        return None
    rules = [*model, *([] if model.otherwise is None else [model.otherwise])]
    conditions = sum(len(rule.when) for rule in rules)
    return _counts(conditions + len(rules), {"rules": len(model), "conditions": conditions}, sum(_terms(r.says) for r in rules))


def _counts(parts: int, of: dict[str, int], terms: int) -> dict[str, float]:
    every = {"size": parts + terms, **of, **({"terms": terms} if terms else {})}
    return {name: float(n) for name, n in every.items()}


def _terms(says: Any) -> int:
    if isinstance(says, Scores):
        return sum(len(equation.terms) for _, equation in says.of)
    return len(says.terms) if isinstance(says, Equation) else 0


def _sum(members: Sequence[dict[str, float] | None]) -> dict[str, float] | None:
    if not members or any(each is None for each in members):
        return None
    known = [each for each in members if each is not None]
    names = dict.fromkeys(name for each in known for name in each)
    return {"members": float(len(known)), **{name: sum(each.get(name, 0.0) for each in known) for name in names}}


def mean_size(sizes: Sequence[dict[str, float] | None]) -> dict[str, float] | None:
    """The mean over fits; None where a fit has no size."""
    summed = _sum(sizes)
    if summed is None:
        return None
    members = [each.get("members") for each in sizes if each is not None]
    out = {name: value / len(sizes) for name, value in summed.items() if name != "members"}
    return out | ({"members": float(np.mean([n or 0.0 for n in members]))} if any(members) else {})
