"""A forest as a section: the schema of its table and its target once, and its members without them.

A member whose target differs from the forest's (what rows of a class counted in its sample) has that target of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.errors import shown
from treewright.model import RuleSet, Tree
from treewright.model.combine import COMBINATIONS, Combination, Scores
from treewright.model.forest import Forest
from treewright.model.protocol import Model
from treewright.store import rules as rule_sections
from treewright.store import trees as tree_sections
from treewright.store.columns import array_form, array_of
from treewright.store.damage import Damage, entry, need, only, take
from treewright.store.schemas import read_table, read_target, table_form, target_form
from treewright.table import TableSchema, TargetSchema

_MEMBERS = ("combine", "weights", "members")
_DEEPEST = 8  # forests in forests


def pack(forest: Forest) -> dict[str, Any]:
    """Return a forest as a section."""
    return {"table": table_form(forest.schema), "target": target_form(forest.target), **_members_form(forest)}


def unpack(section: dict[str, Any]) -> Forest:
    """Return the forest of a section after checking all of it."""
    only(section, "kind", "table", "target", *_MEMBERS)
    schema = read_table(entry(section, "table", dict))
    return _forest(section, schema, read_target(entry(section, "target", dict)), 0)


def _members_form(forest: Forest) -> dict[str, Any]:
    return {
        "combine": _combine_form(forest.combine),
        "weights": array_form(np.array(forest.weights)),
        "members": [_member_form(member, forest) for member in forest.members],
    }


def _forest(section: dict[str, Any], schema: TableSchema, target: TargetSchema, depth: int) -> Forest:
    need(depth, depth <= _DEEPEST, f"forests of forests are nested more than {_DEEPEST} deep")
    combine = _combination(section.get("combine"))
    forms = entry(section, "members", list)
    weights = array_of(section.get("weights"), "f8", "weights")
    members = []
    for at, form in enumerate(forms):
        try:
            members.append(_member(take(form, dict), schema, target, depth))
        except Damage as error:
            raise Damage(f"member {at}: {error}") from error
    try:
        return Forest(tuple(members), schema, target, tuple(weights.tolist()), combine)
    except ValueError as error:
        raise Damage(str(error)) from error


def _combine_form(combine: Combination) -> Any:
    """How members are combined: a name, or what is known of scores."""
    if not isinstance(combine, Scores):
        return combine.kind
    base, adds_to = array_form(np.array(combine.base)), np.array(combine.adds_to, np.int64)
    return {"kind": combine.kind, "link": combine.link, "base": base, "adds_to": adds_to}


def _combination(form: Any) -> Combination:
    if isinstance(form, dict):
        only(form, "kind", "link", "base", "adds_to")
        need(form, form.get("kind") == Scores.kind, f"combine: {shown(form.get('kind'))} is no way to combine members")
        base, adds_to = array_of(form.get("base"), "f8", "base"), array_of(form.get("adds_to"), "i8", "adds_to")
        return Scores(entry(form, "link", str), tuple(base.tolist()), tuple(adds_to.tolist()))
    named = type(form) is str and form in COMBINATIONS and form != Scores.kind
    need(form, named, f"combine: {shown(form)} is no way to combine members")
    return COMBINATIONS[form]()


def _member_form(member: Model, forest: Forest) -> dict[str, Any]:
    own = {} if member.target == forest.target else {"target": target_form(member.target)}
    if isinstance(member, Tree):
        return {"kind": "tree", **own, **tree_sections.pack_member(member)}
    if isinstance(member, RuleSet):
        return {"kind": "rules", **own, **rule_sections.pack_rules(member)}
    assert isinstance(member, Forest)
    return {"kind": "forest", **own, **_members_form(member)}


def _member(form: dict[str, Any], schema: TableSchema, target: TargetSchema, depth: int) -> Model:
    own = read_target(entry(form, "target", dict)) if "target" in form else target
    kind = entry(form, "kind", str)
    if kind == "tree":
        only(form, "kind", "target", *tree_sections.NODES)
        return tree_sections.unpack_member(form, schema, own)
    if kind == "forest":
        only(form, "kind", "target", *_MEMBERS)
        return _forest(form, schema, own, depth + 1)
    need(kind, kind == "rules", f"kind {shown(kind)} is no member of a forest")
    only(form, "kind", "target", *rule_sections.RULES)
    return rule_sections.unpack_rules(form, schema, own)
