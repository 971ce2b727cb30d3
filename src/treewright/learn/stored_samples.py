"""Which rows members learned from, as a section: how they were drawn, or those that were chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.learn.sampling import Chosen, Drawing, Samples
from treewright.store.columns import array_form, array_of
from treewright.store.damage import entry, need, only

_MOST = 2**32


def pack(value: Samples) -> dict[str, Any]:
    """Return samples as a section."""
    out: dict[str, Any] = {"n_rows": value.n_rows}
    if value.kept is not None:
        out["kept"] = array_form(value.kept.astype(np.uint8))
    if isinstance(value, Chosen):
        begin = np.concatenate([[0], np.cumsum([len(rows) for rows in value.rows])]).astype(np.int64)
        return {**out, "begin": array_form(begin), "rows": array_form(np.concatenate(value.rows).astype(np.int64))}
    assert isinstance(value, Drawing)
    groups = {} if value.groups is None else {"groups": array_form(value.groups)}
    return {**out, "draws": value.draws, "seed": str(value.seed), "replace": value.replace, **groups}


def unpack(section: dict[str, Any]) -> Samples:
    """Return the samples of a section after checking them."""
    only(section, "kind", "n_rows", "kept", "begin", "rows", "draws", "seed", "replace", "groups")
    n_rows = entry(section, "n_rows", int)
    need(n_rows, 0 < n_rows < _MOST, f"n_rows: {n_rows} is no number of rows")
    kept = None
    if "kept" in section:
        flags = array_of(section["kept"], np.uint8, "kept")
        need(flags, bool(np.all(flags <= 1)) and int(flags.sum()) == n_rows, "kept: not as many rows as there are")
        kept = flags.astype(bool)
    if "rows" in section:
        only(section, "kind", "n_rows", "kept", "begin", "rows")
        rows, begin = array_of(section["rows"], np.int64, "rows"), array_of(section.get("begin"), np.int64, "begin")
        need(rows, bool(np.all((rows >= 0) & (rows < n_rows))), "rows: a row that is not there")
        whole = len(begin) > 1 and begin[0] == 0 and begin[-1] == len(rows) and bool(np.all(np.diff(begin) >= 0))
        need(begin, whole, "begin: offsets that do not fit the rows")
        return Chosen(n_rows, tuple(np.split(rows, begin[1:-1])), kept=kept)
    seed, draws = entry(section, "seed", str), entry(section, "draws", int)
    need(seed, seed.isascii() and seed.isdigit() and len(seed) <= 20 and int(seed) < 2**64, "seed: no whole number of 64 bits")
    need(draws, 0 <= draws <= n_rows, f"draws: {draws} rows of {n_rows}")
    groups = None
    if "groups" in section:
        groups = array_of(section["groups"], np.int64, "groups")
        need(
            groups, len(groups) == n_rows and bool(np.all((groups >= 0) & (groups < _MOST))), "groups: not a class for every row"
        )
    return Drawing(n_rows, draws, int(seed), entry(section, "replace", bool), groups, kept=kept)
