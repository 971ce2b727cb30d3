"""Impurities, the twoing value, split information and the chi-square test, straight from their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from .model import Options, Rows, Table, Weight, total


def class_weights(table: Table, rows: Rows) -> list[Weight]:
    weights: list[Weight] = [0] * table.n_classes
    for row, weight in rows:
        weights[int(table.target[row])] += weight
    return weights


def shares(weights: Sequence[Weight]) -> list[float]:
    whole = sum(weights)
    return [float(weight / whole) for weight in weights]


def entropy(weights: Sequence[Weight]) -> float:
    # "+ 0.0" turns the -0.0 of a pure set into 0.0.
    return -math.fsum(p * math.log2(p) for p in shares(weights) if p > 0.0) + 0.0


def gini(weights: Sequence[Weight]) -> float:
    # A pure set must be exactly 0, which 1 - 1.0**2 is.
    return 1.0 - math.fsum(p * p for p in shares(weights))


def error(weights: Sequence[Weight]) -> float:
    return 1.0 - max(shares(weights))


def expected_losses(weights: Sequence[Weight], loss: Sequence[Sequence[float]]) -> list[float]:
    """The expected loss of each prediction; `loss[truth][prediction]`."""
    ps = shares(weights)
    return [math.fsum(p * loss[truth][said] for truth, p in enumerate(ps)) for said in range(len(ps))]


def generalised_gini(weights: Sequence[Weight], loss: Sequence[Sequence[float]]) -> float:
    ps = shares(weights)
    return math.fsum(p * q * loss[i][j] for i, p in enumerate(ps) for j, q in enumerate(ps))


def row_counts(table: Table, options: Options, *, altered: bool) -> list[Fraction]:
    """What a row of each class counts under priors and, where splits are compared, under losses."""
    whole = class_weights(table, table.all_rows())
    counts = [Fraction(1)] * table.n_classes
    if options.priors is not None:
        counts = [Fraction(p) / w if w else Fraction(0) for p, w in zip(options.priors, whole, strict=True)]
    if altered and options.loss is not None and options.criterion not in ("risk", "generalised_gini"):
        counts = [count * Fraction(sum(row)) for count, row in zip(counts, options.loss, strict=True)]
    scale = Fraction(sum(whole)) / sum(count * weight for count, weight in zip(counts, whole, strict=True))
    return [count * scale for count in counts]


def altered_weights(table: Table, options: Options, rows: Rows) -> list[Weight]:
    """Class weights as splits are compared by them."""
    weights = class_weights(table, rows)
    if options.priors is None and options.loss is None:
        return weights
    counts = row_counts(table, options, altered=True)
    return [count * weight for count, weight in zip(counts, weights, strict=True)]


def mean(table: Table, rows: Rows) -> float:
    return math.fsum(float(weight) * table.target[row] for row, weight in rows) / float(total(rows))


def variance(table: Table, rows: Rows) -> float:
    # Two passes: the textbook one-pass formula cancels when the mean is large.
    centre = mean(table, rows)
    squares = math.fsum(float(weight) * (table.target[row] - centre) ** 2 for row, weight in rows)
    return squares / float(total(rows))


def impurity(table: Table, options: Options, rows: Rows) -> float:
    if not rows:
        return 0.0
    if options.criterion == "variance":
        return variance(table, rows)
    weights = altered_weights(table, options, rows)
    if sum(weights) == 0:
        return 0.0
    # Per unit of the weight that the rows really have.
    return float(sum(weights) / total(rows)) * _of_shares(options, weights)


def _of_shares(options: Options, weights: Sequence[Weight]) -> float:
    if options.criterion in ("info_gain", "gain_ratio", "gain_over_rest"):
        return entropy(weights)
    if options.criterion in ("gini", "twoing"):
        return gini(weights)
    if options.criterion == "error":
        return error(weights)
    loss = options.losses(len(weights))
    if options.criterion == "generalised_gini":
        return generalised_gini(weights, loss)
    assert options.criterion == "risk"
    return min(expected_losses(weights, loss))


def twoing(table: Table, options: Options, left: Rows, right: Rows) -> float:
    ours, theirs = altered_weights(table, options, left), altered_weights(table, options, right)
    a, b = sum(ours), sum(theirs)
    if a == 0 or b == 0:
        return 0.0
    gap = math.fsum(abs(p - q) for p, q in zip(shares(ours), shares(theirs), strict=True))
    return float(a / (a + b)) * float(b / (a + b)) / 4.0 * gap * gap


def split_information(weights: Sequence[Weight]) -> float:
    return entropy(weights)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """P(X > statistic) for integer degrees of freedom, by the finite sums (Abramowitz & Stegun 26.4.4, 26.4.5)."""
    if degrees == 0:
        return 1.0
    half = statistic / 2.0
    if degrees % 2 == 0:
        return math.exp(-half) * math.fsum(half**i / math.factorial(i) for i in range(degrees // 2))
    terms = math.fsum(half ** (i - 0.5) / math.gamma(i + 0.5) for i in range(1, (degrees - 1) // 2 + 1))
    return math.erfc(math.sqrt(half)) + math.exp(-half) * terms


def independence(table: Table, groups: Sequence[Rows]) -> tuple[float, int, float]:
    """Chi-square of branch against class: statistic, degrees of freedom, p. Empty branches and classes do not count."""
    counts = [class_weights(table, group) for group in groups if total(group) > 0]
    columns = [k for k in range(table.n_classes) if any(count[k] for count in counts)]
    whole = sum(sum(count) for count in counts)
    statistic = 0.0
    for count in counts:
        for k in columns:
            expected = float(sum(count) * sum(other[k] for other in counts) / whole)
            statistic += (float(count[k]) - expected) ** 2 / expected
    degrees = (len(counts) - 1) * (len(columns) - 1)
    return statistic, degrees, chi_square_tail(statistic, degrees)
