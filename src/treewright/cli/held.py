"""What a fitted estimator holds, a tree or rules, as text and as values for other programs."""

from __future__ import annotations

from typing import Any

from treewright.cli.say import Talk, UsageError
from treewright.cli.values import tree_data
from treewright.errors import counted
from treewright.show.cells import wrapped
from treewright.show.data import rules_data


def held_by(estimator: Any) -> Any:
    """Return the tree of an estimator, or its rules."""
    return estimator.tree_ if hasattr(estimator, "tree_") else estimator.ruleset_


def tree_of(estimator: Any, asked: str, remedy: str = "leave it out, or see treewright rules and explore") -> Any:
    """Return the tree of an estimator; refuse rules, which have no part that was asked for."""
    if not hasattr(estimator, "tree_"):
        raise UsageError("this model is a list of rules, not a tree", asked, remedy)
    return estimator.tree_


def headline(name: str, held: Any, seconds: float | None = None) -> str:
    """Say how large a model is, and how long it took."""
    if hasattr(held, "n_nodes"):
        size = f"{counted(held.n_nodes, 'node')}, {counted(held.n_leaves, 'leaf', 'leaves')}, depth {held.depth}"
    else:
        size = counted(len(held), "rule") + ("" if held.otherwise is None else " and a default")
    if seconds is None:
        return f"{name}: {size}"
    return f"{name.lower()}: {size}, " + (f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s")


def held_text(held: Any, depth: int, talk: Talk, exact: bool = False) -> str:
    """Draw a tree with characters, or write rules, a line each."""
    if not hasattr(held, "to_svg"):
        return rules_text(held, talk)
    text: str = held.to_text(max_depth=depth, ascii=talk.ascii, width=talk.width, color=talk.color, exact=exact)
    if held.depth > depth:
        text += f"\n(drawn to depth {depth} of {held.depth}: --depth {held.depth} draws all)"
    return text


def rules_text(rules: Any, talk: Talk) -> str:
    """Write rules, no line longer than the terminal is wide, or a line each for whoever reads them back."""
    return wrapped(rules.to_text(), talk.width) if talk.wraps else str(rules.to_text())


def held_data(held: Any) -> dict[str, Any]:
    """Return a tree or rules as plain values: a report for other programs, not a model file."""
    return tree_data(held) if hasattr(held, "n_nodes") else rules_data(held)
