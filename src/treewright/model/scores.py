"""What rules are worth on rows, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import shown
from treewright.model.few import DENSE, dense, of_classes
from treewright.model.linear import Equation
from treewright.model.residuals import deviation
from treewright.model.rule import Rule, refuse_read_only
from treewright.model.ties import capped, in_blocks, leading, settled, winner
from treewright.table import TargetSchema
from treewright.table.raw import is_missing
from treewright.table.target import class_array
from treewright.table.weights import checked_weights

Array = NDArray[Any]


def read_target(y: Any, sample_weight: Any, target: TargetSchema, n_rows: int) -> tuple[Array, Array]:
    """Return the class of every row as a position, -1 where training did not know it, or its number, and its weight."""
    try:
        values = np.asarray(y)
    except ValueError:  # lists of different lengths
        values = np.empty((0, 0))
    if values.ndim != 1 or len(values) != n_rows:
        got = f"an array of shape {values.shape}" if values.size else shown(y)
        raise ValueError(f"y must hold one answer for each of the {n_rows} rows, got {got}")
    weights = np.ones(n_rows) if sample_weight is None else checked_weights(sample_weight, n_rows)
    if target.classes is None:
        numbers = _numbers(values, target)
        if not np.all(np.isfinite(numbers)):
            raise ValueError("y contains NaN or infinity: drop such rows")
        return numbers, weights
    place = {label: k for k, label in enumerate(target.classes)}
    codes = np.array([place.get(label, -1) for label in values.tolist()], np.int64)
    texts = {isinstance(label, str) for label in target.classes}
    for label in values[(codes < 0) & (weights > 0)].tolist():
        # New classes are answered wrongly; no class, or a text where the classes are numbers, is a mistake in the call.
        if is_missing(label) or isinstance(label, str) not in texts:
            raise ValueError(f"y holds {shown(label)}, which is no class of {target.name!r}: {shown(list(target.classes))}")
    return codes, weights


def _numbers(values: Array, target: TargetSchema) -> Array:
    if values.dtype.kind in "biufO":
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError):
            pass
    odd = next((value for value in values.tolist() if not isinstance(value, Real)), values.tolist()[:1])
    raise ValueError(f"y holds {shown(odd)}, and {target.name!r} is a number")


def scored_rules(
    rules: Sequence[Rule], votes: Any, truth: Array, weights: Array, target: TargetSchema, cells: Sequence[Array]
) -> list[Rule]:
    """Count for every rule the rows it has a vote in; ``votes`` is sparse, rows x rules; equations are asked for the cells."""
    refuse_read_only(rules, target)
    total = float(weights.sum())
    covered = np.asarray(votes.T @ weights).reshape(-1)
    if target.classes is None:
        return [
            _scored_number(rule, float(covered[r]), total, votes[:, [r]].tocoo(), truth, weights, cells)
            for r, rule in enumerate(rules)
        ]
    from scipy.sparse import csr_matrix

    k = len(target.classes)
    known = np.where(truth >= 0, weights, 0.0)
    one_hot = csr_matrix((known, np.maximum(truth, 0), np.arange(len(truth) + 1)), shape=(len(truth), k))
    counted = csr_matrix(votes.T @ one_hot)
    prior = np.asarray(one_hot.sum(axis=0)).reshape(-1)
    place = {label: i for i, label in enumerate(target.classes)}
    out = []
    for r, rule in enumerate(rules):
        code, weight = place[rule.says], float(covered[r])
        here = slice(counted.indptr[r], counted.indptr[r + 1])
        counts = np.zeros(k)
        counts[counted.indices[here]] = counted.data[here]
        right = float(counts[code])
        confidence = right / weight if weight > 0 else None
        share = float(prior[code]) / total if total > 0 else 0.0
        out.append(
            replace(
                rule,
                weight=weight,
                support=weight / total if total > 0 else 0.0,
                confidence=confidence,
                counts=of_classes(counts) if counts.sum() > 0 else None,
                coverage=right / float(prior[code]) if prior[code] > 0 else None,
                lift=confidence / share if confidence is not None and share > 0 else None,
                spread=None,
            )
        )
    return out


def number_predicted(says: Any, cells: Sequence[Array], rows: Array) -> Any:
    """What a rule says of some rows: one number, or what its equation gives."""
    return says.answers([column[rows] for column in cells]) if isinstance(says, Equation) else says


def _scored_number(
    rule: Rule, weight: float, total: float, votes: Any, truth: Array, weights: Array, cells: Sequence[Array]
) -> Rule:
    own = votes.data * weights[votes.row]
    spread = deviation(truth[votes.row], number_predicted(rule.says, cells, votes.row), own)
    return replace(rule, weight=weight, support=weight / total if total > 0 else 0.0, spread=spread)


def _numbers_predicted(says: Sequence[Any], votes: Any, cells: Sequence[Array]) -> NDArray[np.float64]:
    out = np.zeros(votes.shape[0])
    for r, answer in enumerate(says):
        run = slice(votes.indptr[r], votes.indptr[r + 1])
        rows = votes.indices[run]
        out[rows] += votes.data[run] * number_predicted(answer, cells, rows)
    return out


class RulePredictions:
    """What rules and their default say, as arrays; the default is the last."""

    def __init__(self, rules: Sequence[Rule], otherwise: Rule | None, target: TargetSchema, ordered: bool = False) -> None:
        refuse_read_only(rules, target)
        self.rules, self.target, self.otherwise, self.ordered = rules, target, otherwise, ordered

    @cached_property
    def fallback(self) -> Any:
        """What is said where no rule holds."""
        if self.otherwise is not None:
            return self.otherwise.says
        weights = np.array([rule.weight if rule.scored else 0.0 for rule in self.rules])
        if self.target.classes is None:
            says = np.array(
                [rule.says.middle if isinstance(rule.says, Equation) else rule.says for rule in self.rules], np.float64
            )
            return float(np.average(says, weights=weights)) if weights.sum() > 0 else float(says.mean()) if len(says) else 0.0
        return self.target.classes[int(np.argmax(self._all_counts))]

    @cached_property
    def _all_counts(self) -> Array:
        assert self.target.classes is not None
        total = np.zeros(len(self.target.classes))
        for rule in self.rules:
            if rule.counts is not None:
                total += rule.counts
        return total

    @cached_property
    def shares(self) -> Any:
        """Class shares of every rule and the default: of the rows it was scored on, or all on what it says.

        The rules of a list decide alone, so what one says has the largest share; those of a set may be of a tree with losses.
        Dense while that is small, sparse beyond.
        """
        assert self.target.classes is not None
        place = {label: k for k, label in enumerate(self.target.classes)}
        default = self.otherwise or Rule((), self.fallback, counts=tuple(self._all_counts.tolist()))
        rows = (self._own_shares(rule, place) for rule in [*self.rules, default])
        if (len(self.rules) + 1) * len(place) <= DENSE:
            return np.array(list(rows))
        from scipy.sparse import csr_matrix, vstack

        return vstack([csr_matrix(row) for row in rows], format="csr")

    def _own_shares(self, rule: Rule, place: dict[Any, int]) -> NDArray[np.float64]:
        counts = np.zeros(len(place)) if rule.counts is None else np.asarray(rule.counts, np.float64)
        code = place[rule.says]
        if counts.sum() == 0:
            counts[code] = 1.0
            return counts
        own = counts / counts.sum()
        return leading(own, code) if self.ordered else capped(own, own[code])

    def answers(self, votes: Any, cells: Sequence[Array]) -> Array:
        """What rows with these votes and cells are told."""
        if self.target.classes is None:
            says = [*(rule.says for rule in self.rules), self.fallback]
            if any(isinstance(each, Equation) for each in says):
                return _numbers_predicted(says, votes.tocsc(), cells)
            return np.asarray(votes @ np.array(says, np.float64))
        place = {label: k for k, label in enumerate(self.target.classes)}
        codes = np.array([*(place[rule.says] for rule in self.rules), place[self.fallback]], np.int64)
        alone = np.diff(votes.indptr) == 1
        code = np.zeros(votes.shape[0], np.int64)
        code[alone] = codes[votes.indices[votes.indptr[:-1][alone]]]
        if not np.all(alone):
            width = len(self.target.classes)
            code[~alone] = in_blocks(np.flatnonzero(~alone), width, lambda rows: winner(dense(votes[rows] @ self.shares)))
        return self.labels[code]

    def mixed(self, votes: Any) -> NDArray[np.float64]:
        """Class shares of rows with these votes, the largest being that of the class they are told."""
        shares = dense(votes @ self.shares)
        several = np.diff(votes.indptr) > 1
        shares[several] = settled(shares[several])
        return shares

    @cached_property
    def labels(self) -> Array:
        """The classes as an array."""
        return class_array(self.target.classes or ())
