"""Means and spreads of the rows of a list's rules: what the page colours numbers by."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.model.linear import Equation
from treewright.model.rules import RuleSet

Floats = NDArray[np.float64]


def ladder_means(rules: RuleSet, weight: Floats, votes: Any, truth: Any) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the target, for every rule of the rows that come to it, for its answer of those it decides.

    ``votes`` and ``truth`` are of the training rows, if they were given. Without them a rule that says a number tells its own
    mean; of one that says an equation it is not known, and so NaN, as is all that stands above it.
    """
    mean, variance = _of_rules(rules)
    if votes is not None:
        of_rows = _of_rows(votes, truth)
        mean, variance = np.where(weight > 0, of_rows[0], mean), np.where(weight > 0, of_rows[1], variance)
    some = weight > 0
    center = float(np.nanmean(mean)) if not np.all(np.isnan(mean)) else 0.0  # squares of small numbers keep their digits
    near = np.where(some, mean - center, 0.0)
    total = np.where(some, weight, 0.0)[::-1].cumsum()[::-1]
    below = np.where(total > 0, total, math.nan)
    first = (weight * near)[::-1].cumsum()[::-1] / below
    second = (weight * (np.where(some, variance, 0.0) + near**2))[::-1].cumsum()[::-1] / below
    at, spread = np.repeat(mean, 2)[:-1], np.repeat(variance, 2)[:-1]
    at[0:-1:2], spread[0:-1:2] = (first + center)[:-1], (second - first**2)[:-1]
    at[1::2], spread[1::2] = mean[:-1], variance[:-1]
    return at, np.sqrt(np.maximum(0.0, spread))


def _of_rows(votes: Any, truth: Any) -> tuple[Floats, Floats]:
    weight = np.asarray(votes.sum(axis=0)).reshape(-1)
    total = np.where(weight > 0, weight, math.nan)
    center = float(truth.mean())
    mean = np.asarray(votes.T @ (truth - center)).reshape(-1) / total
    return mean + center, np.asarray(votes.T @ (truth - center) ** 2).reshape(-1) / total - mean**2


def _of_rules(rules: RuleSet) -> tuple[Floats, Floats]:
    says = [*(rule.says for rule in rules), rules._predictions.fallback]
    spread = [(rule and rule.spread) or 0.0 for rule in [*rules, rules.otherwise]]
    return np.array([math.nan if isinstance(each, Equation) else float(each) for each in says]), np.square(spread)
