"""How much each column moves the scores of a node: coefficients in units of the columns' deviations.

The effect of a column on a score is the root mean square of what one deviation of it changes there, the others varying as they
do in training, independently of it: of a term ``c * x`` that is ``|c|`` times the deviation of ``x``, of levels the deviation of
what they add, and of products also what the other column does. Of several scores only what tells them apart counts. A sigmoid
moves by its weight at most, which its columns share by their effects within.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from treewright.model.linear import Equation, LinearTerm

Spreads = Sequence[Sequence[float]]
_Moves = dict[tuple[int, object], float]  # by column, and what else varies


def column_shares(equation: Equation, spreads: Spreads) -> dict[int, float]:
    """The share of every column in what moves the scores, by its position; evenly by terms where nothing tells."""
    found = _effects(equation, spreads) if spreads else {}
    total = math.fsum(found.values())
    if not 0 < total < math.inf:
        found = _evenly(equation)
        total = math.fsum(found.values())
    return {index: effect / total for index, effect in found.items()}


def _evenly(equation: Equation) -> dict[int, float]:
    out: dict[int, float] = defaultdict(float)
    for term in equation.terms:
        for index in term.indices:
            out[index] += 1 / len(term.indices)
    return out


def _effects(equation: Equation, spreads: Spreads) -> dict[int, float]:
    means = {index: mean for term in equation.terms for index, mean in _means(term)}
    if not equation.parts:
        return _sizes([_moves(equation, spreads, means)])
    scores: list[_Moves] = [{} for _ in range(equation.n_scores)]
    out: dict[int, float] = defaultdict(float)
    for part, sum_ in equation.sums():
        moves = _moves(sum_, spreads, means)
        if not part.squashed:
            for key, move in moves.items():
                scores[part.score][key] = scores[part.score].get(key, 0.0) + move
            continue
        sizes = _sizes([moves])
        total = math.fsum(sizes.values())
        for index, size in sizes.items():
            out[index] += abs(part.weight) * size / total if total > 0 else 0.0
    for index, size in _sizes(_told_apart(scores)).items():
        out[index] += size
    return out


def _means(term: LinearTerm) -> list[tuple[int, float]]:
    """What missing cells of numbers count as: the means of columns."""
    own = [] if term.codes is not None else [(term.index, term.missing)]
    return own if term.by is None else [*own, (term.by.index, term.by.missing)]


def _moves(equation: Equation, spreads: Spreads, means: Mapping[int, float]) -> _Moves:
    """What a deviation of each column changes, where the others are at their means, and what by the deviation of another."""
    out: _Moves = defaultdict(float)
    levels: dict[int, dict[int, float]] = defaultdict(dict)
    for term in equation.terms:
        c, j = term.coefficient, term.index
        if term.codes is not None:
            c = c if term.by is None else c * means[term.by.index]
            for code in term.codes:
                levels[j][code] = levels[j].get(code, 0.0) + c
        elif term.by is None:
            out[j, None] += c * spreads[j][0]
        elif term.by.index == j:
            out[j, None] += 2 * c * means[j] * spreads[j][0]
            out[j, j] += 2 * c * spreads[j][0] ** 2
        else:
            k = term.by.index
            out[j, None] += c * means[k] * spreads[j][0]
            out[k, None] += c * means[j] * spreads[k][0]
            out[j, k] += c * spreads[j][0] * spreads[k][0]
            out[k, j] += c * spreads[j][0] * spreads[k][0]
    for j, added in levels.items():
        middle = math.fsum(c * spreads[j][code] for code, c in added.items())
        for code, share in enumerate(spreads[j]):
            out[j, ("level", code)] += math.sqrt(share) * (added.get(code, 0.0) - middle)
    return out


def _told_apart(scores: list[_Moves]) -> list[_Moves]:
    """What each score moves by more than all in the mean; of one score all."""
    if len(scores) == 1:
        return scores
    keys = {key for moves in scores for key in moves}
    middle = {key: math.fsum(moves.get(key, 0.0) for moves in scores) / len(scores) for key in keys}
    return [{key: moves.get(key, 0.0) - middle[key] for key in keys} for moves in scores]


def _sizes(scores: list[_Moves]) -> dict[int, float]:
    squares: dict[int, list[float]] = defaultdict(list)
    for moves in scores:
        for (index, _), move in moves.items():
            squares[index].append(move)
    return {index: math.hypot(*each) for index, each in squares.items()}
