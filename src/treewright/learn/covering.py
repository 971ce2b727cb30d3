"""Sequential covering: IREP (Fürnkranz and Widmer 1994) and RIPPER (Cohen 1995), two settings of one loop of the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from treewright import _core, parts
from treewright.errors import real
from treewright.learn.jobs import Progress
from treewright.learn.rules import ClassRuleLearner
from treewright.learn.training import Training
from treewright.learn.values import flag, seed_of, whole
from treewright.model.condition import Bound, Condition
from treewright.model.rule import Rule, together
from treewright.model.rules import RuleSet, by_column
from treewright.table import TableSchema

GAINS = ("foil", "smoothed")
WORTHS = ("irep", "ripper", "smoothed")
STOPS = ("error", "surplus", "explains")
# Whose choices: see docs/rules.md for every difference between the paper and JRip.
VARIANTS: dict[str, dict[str, Any]] = {
    "jrip": {"gain": "smoothed", "worth": "smoothed", "check_error": True, "delete_early": False},
    "cohen": {"gain": "foil", "worth": "ripper", "check_error": False, "delete_early": True},
}

P = TypeVar("P")


@dataclass(kw_only=True, eq=False, repr=False)
class RipperParameters:
    """Parameters of ``RipperClassifier``, which describes them."""

    rounds: int = 2
    folds: int = 3
    min_weight: float = 2
    variant: str = "jrip"
    gain: str | None = None
    worth: str | None = None
    check_error: bool | None = None
    delete_early: bool | None = None
    stop: str = "surplus"
    surplus: float = 64
    prune: bool = True
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None


@dataclass(kw_only=True, eq=False, repr=False)
class IrepParameters:
    """Parameters of ``IrepClassifier``, which describes them."""

    folds: int = 3
    min_weight: float = 1
    gain: str = "foil"
    worth: str = "irep"
    categorical_features: Any = None
    unseen: str = "missing"
    random_state: Any = None


class CoveringLearner(ClassRuleLearner[P]):
    """Learners by sequential covering."""

    stored: ClassVar[dict[str, str]] = {
        **ClassRuleLearner.stored,
        "class_order_": "value",
        "optimised_": "value",
        "visits_": "value",
    }

    def options(self) -> dict[str, Any]:
        """What the loop of the core needs to know."""
        raise NotImplementedError  # pragma: no cover

    def find(self, training: Training, schema: TableSchema) -> tuple[RuleSet, dict[str, Any]]:
        """The rules of the training rows, and what else was found on the way."""
        with Progress().shown("covering") as tell:
            state = _core.cover(training.table(), self.options(), tell)
        classes = training.target.classes
        assert classes is not None
        order = [classes[label] for label in state["class_order"].tolist()]
        names = ("kept", "revised", "replaced", "residual")
        facts = {
            "class_order_": order,
            "optimised_": dict(zip(names, state["trace"].tolist(), strict=True)),
            "visits_": int(state["visits"]),
        }
        return RuleSet(tuple(read_rules(state, schema, training)), schema, training.target, True, Rule((), order[-1])), facts

    def check(self, classes: tuple[Any, ...] | None, n_columns: int = 2, costs: bool = True) -> None:
        """Refuse parameters that no fit would take, before any row is looked at."""
        super().check(classes, n_columns, costs)
        self.options()


class RipperLearner(CoveringLearner[RipperParameters]):
    """RIPPER."""

    name = "RipperClassifier"
    Parameters = RipperParameters

    def options(self) -> dict[str, Any]:
        """What the loop of the core needs to know."""
        given = self.params
        whose = VARIANTS[parts.check_name("variant", given.variant, tuple(VARIANTS))]
        own = {name: whose[name] if self.given[name] is None else self.given[name] for name in whose}
        return {
            "gain": parts.check_name("gain", own["gain"], GAINS),
            "worth": parts.check_name("worth", own["worth"], WORTHS),
            "stop": parts.check_name("stop", given.stop, STOPS),
            "check_error": flag("check_error", own["check_error"]),
            "delete_early": flag("delete_early", own["delete_early"]),
            "surplus": real("surplus", given.surplus, 0.0),
            "prune": flag("prune", given.prune),
            "folds": min(whole("folds", given.folds, 2), 2**31),
            "rounds": whole("rounds", given.rounds, 0, 1000),
            "min_weight": real("min_weight", given.min_weight, 0.0),
            "seed": seed_of(given.random_state),
        }


class IrepLearner(CoveringLearner[IrepParameters]):
    """IREP."""

    name = "IrepClassifier"
    Parameters = IrepParameters

    def options(self) -> dict[str, Any]:
        """What the loop of the core needs to know."""
        given = self.params
        return {
            "gain": parts.check_name("gain", given.gain, GAINS),
            "worth": parts.check_name("worth", given.worth, WORTHS),
            "stop": "error",
            "check_error": False,
            "delete_early": False,
            "surplus": 0.0,
            "prune": True,
            "folds": min(whole("folds", given.folds, 2), 2**31),
            "rounds": 0,
            "min_weight": real("min_weight", given.min_weight, 0.0),
            "seed": seed_of(given.random_state),
        }


def read_rules(state: dict[str, Any], schema: TableSchema, training: Training) -> list[Rule]:
    """Return the rules that the core learned as values."""
    classes, cells = training.target.classes, by_column(training.arrays)
    assert classes is not None
    begin, labels = state["rule_begin"].tolist(), state["says"].tolist()
    columns, tests = state["column"].tolist(), state["test"].tolist()
    codes, values = state["code"].tolist(), state["value"].tolist()

    def condition(i: int) -> Condition:
        index = columns[i]
        column = schema.columns[index]
        if tests[i] == 2:
            return Condition(column, index, levels=frozenset({codes[i]}), listed=(codes[i],))
        at = float(values[i])
        if tests[i] == 0:
            beyond = cells[index][cells[index] > at]
            above = float(beyond.min()) if len(beyond) else np.nextafter(at, np.inf)
            return Condition(column, index, high=Bound(column, at, at, above, False, True))
        beyond = cells[index][cells[index] < at]
        below = float(beyond.max()) if len(beyond) else np.nextafter(at, -np.inf)
        return Condition(column, index, low=Bound(column, at, below, at, True, True))

    out = []
    for r, label in enumerate(labels):
        out.append(Rule(together(condition(i) for i in range(begin[r], begin[r + 1])), classes[label]))
    return out
