"""Why rules say what they say of one row: those that hold, the one that decides, and those it misses by one condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright import parts
from treewright.errors import counted, isolated, visible
from treewright.inspect.explain import one_row
from treewright.model.rule import Rule
from treewright.model.rules import by_column
from treewright.table.schema import share_text

if TYPE_CHECKING:
    from treewright.model.condition import Condition
    from treewright.model.rules import RuleSet

_NEAR = 5
_CELLS = 12  # of a row that are written


@dataclass(frozen=True, slots=True)
class RuleExplanation:
    """What rules say of one row.

    Attributes
    ----------
    says : object
        The answer.
    rule : int
        Position of the rule that decides (of an unordered set, the most confident one that holds), or -1: none holds. Where
        missing cells divide the row, the one that decides the largest part.
    holds : tuple of int
        Positions of all rules that hold.
    shares : dict or None
        Share of every class; None for numbers.
    near : tuple of (int, str)
        Rules that say something else and miss the row by one condition, with that condition.
    rules : RuleSet
        The rules.
    broken : tuple of (int, Condition)
        The same as ``near``, the conditions themselves.
    divided : tuple of (int, float)
        Where missing cells divide the row: the rules that hold of a part of it, -1 for the default, and their shares in the
        answer, the largest first; else empty.
    row : mapping of str to str or None
        The row's cells as text, by column, those that rules test; None where missing.
    """

    says: Any
    rule: int
    holds: tuple[int, ...]
    shares: dict[Any, float] | None
    near: tuple[tuple[int, str], ...]
    rules: RuleSet
    broken: tuple[tuple[int, Condition], ...]
    divided: tuple[tuple[int, float], ...] = ()
    row: Mapping[str, str | None] = field(default_factory=dict)

    def to_text(self) -> str:
        """Write the explanation, one thought per line."""
        target = self.rules.target
        digits = self.rules.digits
        lines = [Rule((), self.says).answer(target, digits=digits)]
        if self.row:
            cells = [f"{name}={'missing' if cell is None else cell}" for name, cell in self.row.items()]
            more = [f"and {counted(len(cells) - _CELLS, 'more column')}"] if len(cells) > _CELLS else []
            lines.append(f"  of the row  {'  '.join([*cells[:_CELLS], *more])}")
        if self.rule < 0 and not self.divided:
            lines.append("  no rule holds" + ("" if self.rules.otherwise is None else ": the default decides"))
        for at, share in self.divided:
            text = "" if at < 0 else f": {self.rules[at].text(target, digits=digits)}"
            lines.append(f"  {'the default' if at < 0 else f'rule {at}'} decides {share_text(share)} of the row{text}")
        for at in () if self.divided else self.holds:
            lines.append(
                f"  rule {at} {'decides' if at == self.rule else 'holds too'}: {self.rules[at].text(target, digits=digits)}"
            )
        for at, condition in self.near:
            lines.append(f"  would fall under rule {at} ({self.rules[at].answer(target, digits=digits)}) if: {condition}")
        return "\n".join(isolated(visible(line)) for line in lines)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "text/html": parts.writer("rule_card")(self)}


def explain_rules(rules: RuleSet, X: Any) -> RuleExplanation:
    """Explain what rules say of one row: a table of one row, a Series or a dict."""
    X = one_row(X, rules.schema.names)
    arrays, n_rows = rules._cells(X)
    if n_rows != 1:
        raise ValueError(f"explain takes one row, such as X.iloc[[0]]; got {n_rows}")
    cells = by_column(arrays)
    holds, near = [], []
    for at, rule in enumerate(rules):
        missed = [c for c in rule.when if not c.holds(cells)[0]]
        if not missed:
            holds.append(at)
        elif len(missed) == 1 and missed[0].present:
            near.append((at, missed[0]))
    covers = rules._covers(arrays, 1)
    divided: list[tuple[int, float]] = []
    if np.any(covers.data < 1):
        fractions = zip(covers.indices.tolist(), (covers.data / covers.data.sum()).tolist(), strict=True)
        divided = sorted(((at if at < len(rules) else -1, share) for at, share in fractions), key=lambda fraction: -fraction[1])
    says = rules.predict(X)[0]
    says = says.item() if hasattr(says, "item") else says
    decides = int(rules.apply(X)[0])
    # In an ordered list a rule behind the one that decides would not be asked.
    reach = [
        (at, condition) for at, condition in near if rules[at].says != says and (not rules.ordered or decides < 0 or at < decides)
    ]
    shares = None
    if rules.target.classes is not None:
        shares = dict(zip(rules.target.classes, rules.predict_proba(X)[0].tolist(), strict=True))
    nearest = tuple(sorted(reach, key=lambda n: _size(rules[n[0]]))[:_NEAR])
    texts = tuple((at, rules.digits.when(condition, quoted=False)) for at, condition in nearest)
    columns = [(j, column) for j, column in enumerate(rules.schema.columns) if column.name in rules.used]
    row = {column.name: column.cell_text(float(cells[j][0])) for j, column in columns}
    return RuleExplanation(says, decides, tuple(holds), shares, texts, rules, nearest, tuple(divided), row)


def _size(rule: Rule) -> float:
    return -rule.weight if rule.scored else 0.0
