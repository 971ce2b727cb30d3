"""What a fitted estimator learned as text: how large it is, and a drawing of it."""

from __future__ import annotations

from typing import Any

from treewright.cli.say import Talk, UsageError
from treewright.show.cells import wrapped


def tree_of(estimator: Any, option: str, remedy: str = "leave it out, or see treewright rules and explore") -> Any:
    """Return the tree of an estimator, or a tree that stands alone; refuse rules, which have no nodes."""
    model = estimator._model
    if not model.has_nodes:
        raise UsageError("this model is a list of rules, not a tree", option, remedy)
    return model


def headline(name: str, model: Any, seconds: float | None = None) -> str:
    """Say how large a model is, and how long it took."""
    if seconds is None:
        return f"{name}: {model.size_text}"
    return f"{name.lower()}: {model.size_text}, " + (f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s")


def model_text(model: Any, depth: int, talk: Talk, exact: bool = False) -> str:
    """Draw a tree with characters, or write rules, a line each."""
    if not model.has_nodes:
        return rules_text(model, talk)
    text: str = model.to_text(max_depth=depth, ascii=talk.ascii, width=talk.width, color=talk.color, exact=exact)
    if model.depth > depth:
        text += f"\n(drawn to depth {depth} of {model.depth}: --depth {model.depth} draws all)"
    return text


def rules_text(rules: Any, talk: Talk) -> str:
    """Write rules, no line longer than the terminal is wide, or a line each for whoever reads them back."""
    return wrapped(rules.to_text(), talk.width) if talk.wraps else str(rules.to_text())
