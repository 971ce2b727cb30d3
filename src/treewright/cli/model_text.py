"""What a fitted estimator learned as text: how large it is, and a drawing of it."""

from __future__ import annotations

from typing import Any

from treewright.cli.say import Talk, UsageError
from treewright.show.cells import wrapped

_DEPTH = 6  # levels of a text


def tree_of(estimator: Any, option: str, remedy: str = "leave it out, or see treewright rules and explore") -> Any:
    """Return the tree of an estimator, or a tree that stands alone; refuse rules, which have no nodes, and forests."""
    model = estimator._model
    if not model.has_nodes:
        raise UsageError(f"this model is {what(model)}, not a tree", option, remedy)
    return model


def what(model: Any) -> str:
    """Say what a model is that is no tree."""
    return {"forest": "a forest", "stack": "a stack"}.get(model.kind, "a list of rules")


def member_of(estimator: Any, at: int | None) -> Any:
    """Return one member of a forest, where it is asked for; else the estimator."""
    if at is None:
        return estimator
    model = estimator._model
    if model.kind != "forest":
        raise UsageError("this model has no members", f"--member {at}", "leave it out")
    if not 0 <= at < len(model):
        raise UsageError(f"there is no member {at}", "--member", f"a number from 0 to {len(model) - 1}")
    return model[at]


def headline(name: str, model: Any, seconds: float | None = None) -> str:
    """Say how large a model is, and how long it took."""
    if seconds is None:
        return f"{name}: {model.size_text}"
    return f"{name.lower()}: {model.size_text}, " + (f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.1f} s")


def model_text(model: Any, depth: int | None, talk: Talk, exact: bool = False) -> str:
    """Draw a tree with characters, or write rules, a line each."""
    depth = _DEPTH if depth is None else depth
    if model.kind == "forest":
        return str(model.to_text(ascii=talk.ascii))
    if model.kind == "stack":
        return str(model.to_text())
    if not model.has_nodes:
        return rules_text(model, talk)
    text: str = model.to_text(max_depth=depth, ascii=talk.ascii, width=talk.width, color=talk.color, exact=exact)
    if model.depth > depth:
        text += f"\n(drawn to depth {depth} of {model.depth}: --depth {model.depth} draws all)"
    return text


def rules_text(rules: Any, talk: Talk) -> str:
    """Write rules, no line longer than the terminal is wide, or a line each for whoever reads them back."""
    return wrapped(rules.to_text(), talk.width) if talk.wraps else str(rules.to_text())
