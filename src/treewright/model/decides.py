"""Which rules decide a row, as a sparse table of rows x (rules and the default)."""

from __future__ import annotations

from typing import Any

import numpy as np


def in_turn(matches: Any, n: int) -> Any:
    """Rows x (rules and the default) of an ordered list: every rule takes its share of what those before it left of a row."""
    from scipy.sparse import csr_matrix

    begin, rule, share = matches
    n_rows = len(begin) - 1
    counts = np.diff(begin)
    left, votes = np.ones(n_rows), np.zeros(len(rule))
    for turn in range(int(counts.max(initial=0))):
        rows = np.flatnonzero((counts > turn) & (left > 0))
        at = begin[:-1][rows] + turn
        votes[at] = left[rows] * share[at]
        left[rows] = np.where(share[at] == 1, 0.0, left[rows] - votes[at])
    some = votes > 0
    rest = np.flatnonzero(left > 0)
    rows = np.concatenate([np.repeat(np.arange(n_rows), counts)[some], rest])
    columns = np.concatenate([rule.astype(np.int64)[some], np.full(len(rest), n)])
    return csr_matrix((np.concatenate([votes[some], left[rest]]), (rows, columns)), shape=(n_rows, n + 1))


def with_default(matches: Any, n: int) -> Any:
    """Rows x (rules and the default), where rows without a rule count for the default."""
    from scipy.sparse import csr_matrix

    begin, rule, share = matches

    none = np.flatnonzero(np.diff(begin) == 0)
    rows = np.concatenate([np.repeat(np.arange(len(begin) - 1), np.diff(begin)), none])
    columns = np.concatenate([rule.astype(np.int64), np.full(len(none), n)])
    return csr_matrix((np.concatenate([share, np.ones(len(none))]), (rows, columns)), shape=(len(begin) - 1, n + 1))
