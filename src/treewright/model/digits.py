"""How the numbers in rules are written: as few digits as separate what they separate; and what such a text means, read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treewright.model.condition import Bound, Condition
from treewright.table import TargetSchema
from treewright.table.schema import apart

if TYPE_CHECKING:
    from treewright.model.rule import Rule


@dataclass(frozen=True, slots=True)
class Digits:
    """The numbers of some rules and their texts, in both directions.

    Attributes
    ----------
    answers : mapping of float to str
        Texts of the numbers that rules say, where six digits do not tell them apart.
    alike : set of (int, float)
        Columns and thresholds that are written in full, because another one of the column has the same short text.
    bounds : mapping of (int, str) to Bound
        The threshold of a column that has this text.
    said : mapping of str to object
        The number or the equation that has this text.
    """

    answers: Mapping[float, str] = field(default_factory=dict)
    alike: frozenset[tuple[int, float]] = frozenset()
    bounds: Mapping[tuple[int, str], Bound] = field(default_factory=dict)
    answer_of: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: Iterable[Rule], target: TargetSchema) -> Digits:
        """Find how the numbers of rules, the default among them, are written."""
        every = list(rules)
        alike, bounds = _bounds(condition for rule in every for condition in rule.when)
        if target.classes is not None or target.outputs:
            return cls({}, alike, bounds)
        answers = apart(rule.says for rule in every if isinstance(rule.says, float))
        answer_of: dict[str, list[Any]] = {}
        for rule in every:
            those = answer_of.setdefault(target.says_text(rule.says, texts=answers), [])
            if rule.says not in those:
                those.append(rule.says)
        return cls(answers, alike, bounds, {text: those[0] for text, those in answer_of.items() if len(those) == 1})

    def when(self, condition: Condition, quoted: bool = True) -> str:
        """Write a condition of the rules."""
        # A day that separates days would be off by hours: moments are written as they are compared.
        ends = [end for end in (condition.low, condition.high) if end is not None]
        exact = condition.column.kind != "number" or any((condition.index, end.at) in self.alike for end in ends)
        return condition.text(exact=exact, quoted=quoted, every=True)


PLAIN = Digits()


def _bounds(conditions: Iterable[Condition]) -> tuple[frozenset[tuple[int, float]], dict[tuple[int, str], Bound]]:
    texts: dict[tuple[int, str], dict[float, Bound]] = {}
    for condition in conditions:
        if condition.column.kind == "number":
            for end in (condition.low, condition.high):
                if end is not None:
                    texts.setdefault((condition.index, end.text), {}).setdefault(end.at, end)
    alike: set[tuple[int, float]] = set()
    bounds = {}
    for (index, text), those in texts.items():
        owners = list(those.values()) if len(those) == 1 else [end for end in those.values() if end.exact == text]
        if len(owners) == 1:
            bounds[index, text] = owners[0]
        alike.update((index, at) for at, end in those.items() if end not in owners[:1])
    return frozenset(alike), bounds
