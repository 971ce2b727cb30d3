"""Rules edited by code: every edit gives a new set, scored anew where rows are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import out_of_range, shown
from treewright.model.implied import Wider, takes_whole
from treewright.model.parse import opening, parse_condition, parse_rule
from treewright.model.rule import Rule, fitting, fitting_rule, possible, read_only, refuse_edits, together

if TYPE_CHECKING:
    from treewright.model.rules import RuleSet

Rows = tuple[Any, Any, Any]  # X, y and their weights; all None: the rules are not scored


def parsed(rules: RuleSet, text: Any) -> RuleSet:
    """Read rules, one a line, for the columns and the target of others."""
    if not isinstance(text, str):
        raise TypeError(f"rules are read from text, not from {type(text).__name__}")
    refuse_edits(rules, rules.target)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise ValueError(f"the text holds no rules: write one a line, such as 'if … then {rules.target.name} = …'")
    begins = [opening(line) for line in lines]
    own = _Own(rules)
    read = [
        own.rule(line, asks) or parse_rule(line, rules.schema, rules.target, rules.digits)
        for line, (_, asks) in zip(lines, begins, strict=True)
    ]
    last = next((at for at, (word, asks) in enumerate(begins) if word and not asks), None)
    if last is not None and last < len(lines) - 1:
        raise ValueError(f"behind {shown(lines[last])}, which answers all that is left, stands {shown(lines[last + 1])}")
    otherwise = None if last is None else read.pop()
    ordered = any(word == "else" for word, _ in begins)
    if len(lines) < 2 and otherwise is None:  # nothing in the text tells
        ordered = ordered or rules.ordered
    if otherwise is None and not _holds_all(rules, read):
        otherwise = Rule((), rules._predictions.fallback)
    return _as_far_as_the_same(rules, replace(rules, rules=tuple(read), ordered=ordered, otherwise=otherwise))


def _holds_all(rules: RuleSet, others: Sequence[Rule]) -> bool:
    """Whether others are complete because all of these are among them, which are complete."""
    return rules.otherwise is None and {(rule.when, rule.says) for rule in rules} <= {(rule.when, rule.says) for rule in others}


class _Own:
    """The lines that rules print, with what is known of their rows: such a line is that rule, with all that it leaves out."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules: dict[tuple[str, bool], list[Rule]] = {}
        self._full: set[str] = set()  # of classes, notes tell what was written in full
        default = [] if rules.otherwise is None else [(rules.otherwise, False)]
        for rule, asks in [*((rule, bool(rule.when) or rules.ordered) for rule in rules), *default]:
            if rule.scored:
                text, full = (_bare(rule.text(rules.target, full, rules.digits)) for full in (False, not rules.target.nominal))
                self._rules.setdefault((text, asks), []).append(rule)
                self._full |= {full} - {text}

    def rule(self, line: str, asks: bool) -> Rule | None:
        """The rule that a line was printed for, None where it was not; of equal lines one after the other."""
        text = _bare(line)
        found = None if text in self._full else self._rules.get((text, asks))
        return found.pop(0) if found else None


def _bare(line: str) -> str:
    """A line without what puts it into its place."""
    line = line.replace("\u2068", "").replace("\u2069", "")
    for word in ("else ", "otherwise ", "if always then "):
        line = line.removeprefix(word)
    return line


def _as_far_as_the_same(old: RuleSet, new: RuleSet) -> RuleSet:
    """The new rules, without what is known of the old ones where they may decide other rows now."""
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b), min(len(old), len(new)))
    if same == len(old) == len(new) and old.ordered == new.ordered:
        return new
    olds = {id(rule) for rule in [*old, old.otherwise]}
    first = 0 if old.ordered != new.ordered else same if new.ordered else len(new)

    def kept(at: int, rule: Rule) -> Rule:
        return rule.unscored() if id(rule) in olds and at >= first else replace(rule, leaf=-1)

    last = new.otherwise
    last = last.unscored() if last is not None and id(last) in olds else last
    return replace(new, rules=tuple(kept(at, rule) for at, rule in enumerate(new)), otherwise=last)


def added(rules: RuleSet, rule: Any, at: Any, rows: Rows) -> RuleSet:
    """Add a rule, as a value or as text, before a position; None: at the end."""
    refuse_edits(rules, rules.target)
    word, asks = opening(rule.strip()) if isinstance(rule, str) else ("", True)
    if word and not asks:  # the default
        if at is not None:
            raise out_of_range("at", at, "None for a default, which has no position")
        default = rules.parse_rule(rule).unscored()
        return _edited(replace(rules, otherwise=default), rules.rules, rows, "the same")
    fits = rules.parse_rule(rule) if isinstance(rule, str) else fitting_rule(rule, rules.schema, rules.target)
    when = together(fits.when)
    if not possible(when):
        raise ValueError(f"the rule can never hold: {fits.text(rules.target)}")
    place = len(rules) if at is None else position(at, len(rules) + 1)
    others = _unscored_from(rules, place)
    return _edited(rules, [*others[:place], replace(fits.unscored(), when=when), *others[place:]], rows, "more")


def dropped(rules: RuleSet, at: Any, rows: Rows) -> RuleSet:
    """Drop the rule at a position."""
    place = position(at, len(rules))
    others = _unscored_from(rules, place)
    return _edited(rules, [*others[:place], *others[place + 1 :]], rows, "others")


def reordered(rules: RuleSet, order: Any, rows: Rows) -> RuleSet:
    """Put the rules into another order."""
    try:
        places = list(order)
    except TypeError:
        places = []
    if not all(_whole(at) for at in places) or sorted(places) != list(range(len(rules))):
        raise out_of_range("order", order, f"every position from 0 to {len(rules) - 1} once")
    old = _unscored_from(rules, 0)
    return _edited(rules, [old[at] for at in places], rows, "the same")


def changed(rules: RuleSet, at: Any, condition: Any, rows: Rows, says: Any) -> RuleSet:
    """Replace the condition that a rule has on a column, or add it; ``...`` as an answer: what the rule says already."""
    refuse_edits(rules, rules.target)
    place = position(at, len(rules))
    new = (
        parse_condition(condition, rules.schema, rules.digits) if isinstance(condition, str) else fitting(condition, rules.schema)
    )
    old = rules[place]
    when = tuple(new if c.index == new.index else c for c in old.when)
    when = together(when if new in when else (*when, new))
    if not possible(when):
        raise ValueError(f"the rule can never hold: {replace(old, when=when).unscored().text(rules.target)}")
    those = list(_unscored_from(rules, place))
    those[place] = fitting_rule(Rule(when, old.says if says is ... else says), rules.schema, rules.target)
    return _edited(rules, those, rows, "others")


def tidied(rules: RuleSet) -> RuleSet:
    """The rules without those that never hold or decide."""
    able = [rule for rule in rules if possible(rule.when)]
    if not rules.ordered:
        return replace(rules, rules=tuple(dict.fromkeys(able)))
    wider = Wider(able)

    def decided(at: int) -> bool:  # before the rule is asked
        return any(takes_whole(able[other], able[at]) for other in wider.of(at, 0, at))

    return replace(rules, rules=tuple(rule for at, rule in enumerate(able) if not decided(at)))


def _edited(rules: RuleSet, those: Iterable[Rule], rows: Rows, covered: str) -> RuleSet:
    """The set with other rules, by which "the same" rows are covered, "more" of them, or "others".

    Unless they are the same, the counts of the default are not known. What is said of rows that no rule covers is written down as
    a default where there may be some: a set with leaves of a tree, and without a default, has all of them.
    """
    otherwise = rules.otherwise
    complete = covered == "the same" or (covered == "more" and any(rule.leaf >= 0 for rule in rules))
    if otherwise is not None:
        otherwise = otherwise if covered == "the same" else otherwise.unscored()
    elif not complete and not any(read_only(rule, rules.target) for rule in rules):
        otherwise = Rule((), rules._predictions.fallback)
    new = replace(rules, rules=tuple(those), otherwise=otherwise)
    return new if given(rows) is None else new.scored(*rows)


def given(rows: Rows) -> Rows | None:
    """The rows to score rules on, None where there are none; refuse parts of them."""
    X, y, sample_weight = rows
    if (X is None) != (y is None) or (X is None and sample_weight is not None):
        raise ValueError("to score the rules both X and y are needed, and sample_weight goes with them")
    return None if X is None else rows


def _unscored_from(rules: RuleSet, at: int) -> tuple[Rule, ...]:
    """The rules; in an ordered list, those from a position on decide other rows after an edit and lose their counts."""
    if not rules.ordered:
        return rules.rules
    return (*rules.rules[:at], *(rule.unscored() for rule in rules.rules[at:]))


def position(at: Any, last: int) -> int:
    """The position of a rule, or of the end, from 0; negative ones count from there."""
    if not _whole(at) or not -last <= at < last:
        raise IndexError(f"there is no rule {shown(at)}: " + (f"the rules are 0 to {last - 1}" if last else "there are none"))
    return int(at) % last


def _whole(at: Any) -> bool:
    return isinstance(at, (int, np.integer)) and not isinstance(at, bool)
