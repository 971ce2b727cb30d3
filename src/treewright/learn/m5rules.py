"""M5Rules (Holmes, Hall and Frank 1999): a list of rules with equations, each the best leaf of a model tree of the rows left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright import _core, parts
from treewright.errors import real
from treewright.learn.jobs import Progress
from treewright.learn.m5 import LEAVES, VARIANTS
from treewright.learn.rounding import hint_at_rounding, rounding_spread
from treewright.learn.rules import RuleLearner
from treewright.learn.training import ReadTarget, Training
from treewright.learn.values import flag
from treewright.model.leaves import Equations
from treewright.model.leaves.linear import Smoothing
from treewright.model.node import Node
from treewright.model.rule import Rule, together
from treewright.model.rules import RuleSet
from treewright.store.damage import need
from treewright.table import TableSchema
from treewright.table.target import check_heavy_squares, read_numbers

SMOOTHINGS = ("m5", "none")


@dataclass(kw_only=True, eq=False, repr=False)
class M5RulesParameters:
    """Parameters of ``M5RulesRegressor``, which describes them."""

    variant: str = "m5p"
    min_samples_split: float = 4
    min_deviation: float = 0.05
    pruned: bool = True
    leaf: str = "linear"
    smoothing: str | None = "m5"
    smoothing_constant: float = 15.0
    categorical_features: Any = None
    unseen: str = "missing"
    verbose: bool = False


class M5RulesLearner(RuleLearner[M5RulesParameters]):
    """M5Rules."""

    name = "M5RulesRegressor"
    Parameters = M5RulesParameters
    by_level = ()  # equations take truth values as 0 and 1
    sees_declared = True

    def read_target(self, y: Any, keep: Any) -> ReadTarget:
        """Read the numbers."""
        return *read_numbers(y, keep), None

    def find(self, training: Training, schema: TableSchema) -> tuple[RuleSet, dict[str, Any]]:
        """The rules of the training rows."""
        given = self.params
        check_heavy_squares(training.codes, training.counted, "M5Rules")
        kind = parts.check_name("smoothing", "none" if given.smoothing is None else given.smoothing, SMOOTHINGS)
        smoothing = Smoothing(kind, real("smoothing_constant", given.smoothing_constant, 0.0))
        how = _core.M5Settings()
        how.prime = parts.check_name("variant", given.variant, VARIANTS) == "m5p"
        how.min_split = real("min_samples_split", given.min_samples_split, 0.0)
        how.min_deviation = real("min_deviation", given.min_deviation, 0.0)
        how.pruned = flag("pruned", given.pruned)
        how.linear = parts.check_name("leaf", given.leaf, LEAVES) == "linear"
        with Progress(bar=bool(given.verbose)).shown("covering") as tell:
            found = _core.cover_m5(training.table(), how, tell)
        rules = []
        for core, models, leaf in found:
            tree = training.tree(core, "ignore")
            prediction = Equations(core, schema, training.target, models, smoothing).rule_value(leaf)
            rules.append(Rule(together(Node(tree, leaf).path), prediction))
        if len(rules) > 1 and (spread := rounding_spread(training.codes)) is not None:
            hint_at_rounding(spread, f"{len(rules)} rules", "min_deviation=2")
        return RuleSet(tuple(rules[:-1]), schema, training.target, True, rules[-1]), {}

    def check_stored(self, learned: dict[str, Any]) -> None:
        """Refuse attributes that do not fit each other."""
        super().check_stored(learned)
        need(learned, learned["ruleset_"].target.classes is None, "its rules predict classes")
