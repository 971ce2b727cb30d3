"""Versions of a tree that were named, and two of them compared: what changed, of which rows, and the errors by fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.errors import shown, visible
from treewright.inspect.difference import Difference, diff
from treewright.learn.edits.scores import Scores
from treewright.model import Tree

MOST = 100  # versions of a session
_NAME = 100  # characters
_PLACES, _ROWS = 100, 200  # that are listed


@dataclass(frozen=True)
class Version:
    """A tree, how it fares as plain values, and what had been done to it."""

    tree: Tree
    scores: dict[str, Any]
    edits: list[dict[str, Any]]


def checked_name(name: Any) -> str:
    """A name for a version; refuse what is none."""
    if not isinstance(name, str) or not 0 < len(name.strip()) <= _NAME:
        raise ValueError(f"name={shown(name)} is not allowed: it must be text of 1 to {_NAME} characters")
    return name.strip()


def scores_data(scores: Scores) -> dict[str, Any]:
    """How a tree fares, as plain values."""
    folds = scores.cross_validated
    return {
        "training": scores.training,
        "validation": scores.validation,
        "folds": None if folds is None else {"error": folds.error, "by_fold": list(folds.by_fold), "left_out": folds.left_out},
        "leaves": scores.n_leaves,
    }


def read_scores(held: Any) -> dict[str, Any]:
    """How a tree fared, as a log holds it; an error where it says something else."""
    folds = held["folds"]
    by_fold = None if folds is None else {"error": float(folds["error"]), "by_fold": list(map(float, folds["by_fold"]))}
    return {
        "training": float(held["training"]),
        "validation": None if held["validation"] is None else float(held["validation"]),
        "folds": None if by_fold is None else {**by_fold, "left_out": int(folds["left_out"])},
        "leaves": int(held["leaves"]),
    }


def difference(first: Version, second: Version, rows: tuple[Any, ...]) -> Difference:
    """How two versions differ, on the rows of the session."""
    X, y, *weight = rows
    return diff(first.tree, second.tree, X, y, sample_weight=weight[0] if weight else None)


def compared(first: Version, second: Version, rows: tuple[Any, ...]) -> dict[str, Any]:
    """Two versions compared, for the page."""
    found = difference(first, second, rows)
    places = [
        {
            "nodes": list(place.nodes),
            "where": visible(place.where),
            "first": visible(place.first),
            "second": visible(place.second),
            "rows": place.rows,
            "changed": place.changed,
        }
        for place in found.nodes[:_PLACES]
    ]
    return {
        "sizes": list(found.sizes),
        "rows": found.rows,
        "changed": found.changed,
        "mended": found.mended,
        "spoiled": found.spoiled,
        "answers": [[visible(str(a)), visible(str(b)), weight] for a, b, weight in found.answers[:_PLACES]],
        "which": [row + 1 for row in found.which[:_ROWS]],
        "places": places,
        "more": len(found.nodes) - len(places),
        "scores": [first.scores, second.scores],
    }
