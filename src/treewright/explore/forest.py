"""Everything the explorer knows of a forest: the program by which its members vote, and a document of each that can be opened."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright import parts
from treewright.errors import counted, visible
from treewright.explore.facts import column_facts, read_rows, sampled
from treewright.explore.quality import quality
from treewright.export.portable import portable
from treewright.model.combine import Scores
from treewright.show.forests import importances_of

_MOST = 150_000  # nodes of the members that can be opened, the first ones; all members vote
_SHARED = ("columns", "rows", "n_rows")  # what members have from the forest
_TOLD = ("target", "classes")  # these too, unless members add numbers to scores


def forest_document(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    validation: Any = None,
    folds: Any = None,
    include_rows: Any = False,
    title: str | None = None,
) -> dict[str, Any]:
    """Return the document of a forest, or of an estimator that learned one; see ``Explorable.explore`` for the parameters."""
    if validation is not None or folds is not None:
        raise ValueError("validation= and folds= judge the sizes of a tree; a forest has one size: leave them out")
    forest = model._model
    program = model._program()
    rows = read_rows(forest.schema, forest.target, X, None if forest.target.outputs else y)
    importance = dict(importances_of(forest))
    every = np.bincount([j for j in program.column if 0 <= j < len(program.inputs)], minlength=len(program.inputs))
    shares = [importance.get(name, n / max(1, every.sum())) for name, n in zip(forest.schema.names, every, strict=True)]
    cuts: dict[int, list[float]] = {}
    for column, at in zip(program.column, program.cuts, strict=True):
        if 0 <= column < len(program.inputs):
            cuts.setdefault(column, []).extend(at)
    return {
        "kind": "forest",
        "title": title or f"Forest for {visible(forest.target.name)}",
        "about": f"{forest.combine.text} {forest.size_text}",
        "target": forest.target.name,
        "classes": None if forest.target.classes is None else [str(label) for label in forest.target.classes],
        "outputs": list(forest.target.outputs or ()),
        "columns": column_facts(forest.schema, program.used, cuts, rows, shares),
        "program": portable(program),
        "members": _members(forest),
        "quality": quality(model, forest.target, rows, y, training=False),
        **sampled(rows, include_rows),
    }


def _members(forest: Any) -> list[dict[str, Any]]:
    """The documents of the members that can be opened, without what they share."""
    out: list[dict[str, Any]] = []
    nodes = 0
    shared = _SHARED if isinstance(forest.combine, Scores) else _SHARED + _TOLD
    for at, member in enumerate(forest.members):
        sizes = member.sizes
        nodes += sizes.get("n_nodes", 2 * sizes.get("n_rules", 0) + 1)
        if out and nodes > _MOST:
            break
        document = parts.writer(f"page_{member.kind}")(member, title=f"Member {at} of {counted(len(forest), 'member')}")
        # A member that is cut back is no longer the one that votes.
        out.append({name: entry for name, entry in document.items() if name not in shared} | {"path": None, "of_many": True})
    return out
