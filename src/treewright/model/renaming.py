"""The same model with a target of other names: classes as they are instead of their positions."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property

from treewright.model.forest import Forest
from treewright.model.protocol import Model
from treewright.model.rule import Rule
from treewright.model.rules import RuleSet
from treewright.model.tree import Tree
from treewright.table import TargetSchema


def renamed(model: Model, target: TargetSchema) -> Model:
    """Return a model with a target of other names: as many classes, in the same order."""
    named = replace(model.target, name=target.name, classes=target.classes)
    if isinstance(model, Tree):
        leaves = copy(model.leaf_model)
        for name in list(vars(leaves)):
            if isinstance(getattr(type(leaves), name, None), cached_property):  # it may hold the other names
                del vars(leaves)[name]
        leaves.target = named
        return Tree(model._core, model.schema, named, leaves, model.gates)
    if isinstance(model, RuleSet):
        places = dict(zip(model.target.classes or (), named.classes or (), strict=True))

        def said(rule: Rule) -> Rule:
            return replace(rule, says=places[rule.says]) if places else rule

        otherwise = None if model.otherwise is None else said(model.otherwise)
        return replace(model, rules=tuple(map(said, model.rules)), target=named, otherwise=otherwise)
    if isinstance(model, Forest) and model.combine.told(model.target)[0] is not None:
        return replace(model, members=tuple(renamed(member, target) for member in model.members), target=named)
    raise TypeError(f"a model of the kind {model.kind} does not say classes by their names")
