"""Stacks and votes on the command line: members are named by their algorithms, and asked as any model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from treewright.cli.say import UsageError
from treewright.errors import visible
from treewright.model.exports import Exports
from treewright.table import TargetSchema

# Options and their defaults; members are given as A,B by --estimators.
OPTIONS: dict[str, dict[str, Any]] = {
    "voting": {"estimators": None, "voting": "hard", "weights": None},
    "stacking": {"estimators": None, "final_estimator": None, "folds": 5, "stack_method": "auto", "passthrough": False},
}
_MEMBERS = {True: "cart,c45,ripper", False: "cart,m5,reptree"}


class Several:
    """A stack or a vote that is to be learned: what :mod:`treewright.cli.learn` asks learners."""

    def __init__(self, kind: Any, members: list[tuple[str, Any]], options: dict[str, Any]) -> None:
        self.kind, self.members, self.options = kind, members, options
        self.given: dict[str, Any] = {}

    def fit(self, X: Any, y: Any) -> Together:
        """Learn the members, and what learns from them."""
        from sklearn.base import clone

        options = {name: clone(each) if name == "final_estimator" else each for name, each in self.options.items()}
        return Together(self.kind([(name, clone(each)) for name, each in self.members], **options).fit(X, y))


class Together(Exports):
    """A fitted stack or vote as the commands ask models."""

    learned: dict[str, Any]

    def __init__(self, estimator: Any) -> None:
        self.estimator, self.learned = estimator, {}
        self._held: Any = estimator.forest_ if hasattr(type(estimator), "forest_") else Stack(estimator)

    @property
    def name(self) -> str:
        """The name of the estimator."""
        return type(self.estimator).__name__

    @property
    def _model(self) -> Any:
        return self._held

    @property
    def classes_(self) -> Any:
        """The classes in the order of shares."""
        return self.estimator.classes_

    def predict(self, X: Any) -> Any:
        """The class or number of every row."""
        return self.estimator.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Share of every class."""
        shares = getattr(self.estimator, "predict_proba", None)
        return self._held.predict_proba(X) if shares is None else shares(X)

    def explain(self, X: Any) -> Any:
        """Explain the answer about one row."""
        return self._held.explain(X)

    def save(self, path: Any) -> None:
        """Write it to a file."""
        self.estimator.save(path)


class Stack:
    """A fitted stack as a model: its members, and the estimator that learned from what they say."""

    kind = "stack"
    has_nodes = False

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        first = next(_with_models(estimator))
        self.schema = first.schema
        classes = tuple(estimator.classes_.tolist()) if hasattr(estimator, "classes_") else None
        self.target = TargetSchema(estimator.target_name_, classes)

    @property
    def size_text(self) -> str:
        """How many members, and what learns from them."""
        final = type(self.estimator.final_estimator_).__name__
        return f"stack of {len(self.estimator.estimators_)} members, {final} of what they say"

    def to_text(self) -> str:
        """Its members with their sizes, and what was learned from them."""
        members = dict(self.estimator._named)
        wide = max(map(len, members))
        lines = [f"{name:{wide}}  {type(each).__name__}: {_size(each)}" for name, each in members.items()]
        final = self.estimator.final_estimator_
        own = str(final._model.to_text()).rstrip() if hasattr(final, "_model") else _size(final)
        return "\n".join([*map(visible, lines), "", f"{type(final).__name__} of what they say:", own])

    def data(self) -> dict[str, Any]:
        """The same as values."""
        final = self.estimator.final_estimator_
        return {
            "model": type(self.estimator).__name__,
            "target": self.target.name,
            "members": {name: {"model": type(each).__name__, **_sizes(each)} for name, each in self.estimator._named},
            "final": {"model": type(final).__name__, **(final._model.data() if hasattr(final, "_model") else {})},
        }

    def explain(self, X: Any) -> Any:
        """What the members say of one row, and what is made of it."""
        return self.estimator.explain(X)

    def reasons(self, X: Any) -> list[str]:
        """What the members say of every row, in short."""
        told = {name: each.predict(X).tolist() for name, each in self.estimator._named}
        labels = self.target.classes
        return [
            "; ".join(f"{name} says {each if labels is None else labels[each]}" for name, each in zip(told, row, strict=True))
            for row in zip(*told.values(), strict=True)
        ]


def _with_models(estimator: Any) -> Iterator[Any]:
    for each in estimator.estimators_:
        if hasattr(each, "estimators_") and not hasattr(each, "_model"):
            yield from _with_models(each)
        else:
            yield each._model


def _size(estimator: Any) -> str:
    return str(estimator._model.size_text) if hasattr(estimator, "_model") else f"{len(estimator.estimators_)} members"


def _sizes(estimator: Any) -> dict[str, Any]:
    return dict(estimator._model.sizes) if hasattr(estimator, "_model") else {"n_members": len(estimator.estimators_)}


def asked(estimator: Any, path: str, command: str) -> Together:
    """A stack or vote of a file as the commands ask models; refuse one whose members have none."""
    try:
        return Together(estimator)
    except (TypeError, AttributeError) as error:
        raise UsageError(
            f"{visible(path)} holds a {type(estimator).__name__} with members that are no models of one table: {error}",
            f"treewright {command}",
            "use tw.load(...) in Python",
        ) from error


def several(algo: str, classes: bool, options: dict[str, Any], member: Any) -> Several:
    """A stack or a vote with its options; ``member(name, option)`` gives the learner of an algorithm."""
    import treewright
    from treewright.estimators.stored import unfitted

    given = {**OPTIONS[algo], **options}
    text = _MEMBERS[classes] if given["estimators"] is None else str(given["estimators"])
    named: list[tuple[str, Any]] = []
    for name in filter(None, text.split(",")):
        again = sum(each == name or each.startswith(f"{name} ") for each, _ in named)
        named.append((f"{name} {again + 1}" if again else name, unfitted(member(name, "--estimators"))))
    if not named:
        raise UsageError(f"{algo} has no members", "--estimators", f"name algorithms, such as --estimators {_MEMBERS[classes]}")
    kind = getattr(treewright, f"{algo.capitalize()}{'Classifier' if classes else 'Regressor'}")
    if algo == "voting":
        more: dict[str, Any] = {"weights": _weights(given["weights"], len(named))}
        if classes:
            more["voting"] = _one_of("voting", given["voting"], ("hard", "soft"))
        return Several(kind, named, more)
    final = given["final_estimator"]
    more = {"passthrough": _one_of("passthrough", given["passthrough"], (True, False))}
    if final is not None:
        more["final_estimator"] = unfitted(member(str(final), "--final-estimator"))
    if type(given["folds"]) is not int or given["folds"] < 2:
        raise UsageError(f"{given['folds']!r} is no number of folds", "--folds", "a whole number from 2")
    more["cv"] = given["folds"]
    if classes:
        more["stack_method"] = _one_of("stack_method", given["stack_method"], ("auto", "predict_proba", "predict"))
    return Several(kind, named, more)


def _one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    if value not in allowed:
        listed = ", ".join(map(str, allowed)).lower()
        raise UsageError(f"{value!r} is not allowed", f"--{name.replace('_', '-')}", f"one of {listed}")
    return value


def _weights(value: Any, many: int) -> list[float] | None:
    if value is None:
        return None
    try:
        weights = [float(each) for each in (value if isinstance(value, list) else str(value).split(","))]
    except (TypeError, ValueError):
        weights = []
    if len(weights) != many or not all(0 <= each < float("inf") for each in weights) or not sum(weights):
        raise UsageError(f"{value!r} are not weights of {many} members", "--weights", "a number from 0 for each, such as 2,1,1")
    return weights


def refuse_stack(estimator: Any, command: str) -> None:
    """Refuse a stack where a model with one program or page is needed."""
    if estimator._model.kind == "stack":
        raise UsageError(
            "a stack is several models, one learned from what the others say", f"treewright {command}", "see show and explain"
        )
