"""An explanation of one row as text and as a small card for notebooks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from treewright.errors import counted, isolated, visible
from treewright.model.rule import Rule
from treewright.show.cells import cells, cut_to
from treewright.table.schema import share_text, spread_text, value_text, weight_text

if TYPE_CHECKING:
    from treewright.inspect.explain import Explanation
    from treewright.inspect.rules import RuleExplanation
    from treewright.inspect.vote import Part

_CELL = 60
_COLUMNS = 12
_PARTS = 20
UNALTERED = "no change of a single column was found that would alter the answer"
_NOTE = 20_000  # an equation that is cut cannot be computed with


def explanation_text(explanation: Explanation, max_parts: int | None, steps: bool = False) -> str:
    """Write an explanation, a condition per line, or a step; of a divided row at most ``max_parts`` parts, the largest."""
    out = [_row(explanation)]
    if not steps and (merged := _merged(explanation)) is not None:
        out += [f"  {_cut(condition)}" for condition in merged]
    else:
        out += _steps(explanation)
    notes = explanation.notes if max_parts is None else explanation.notes[:max_parts]
    out += [f"  {cut_to(visible(note), _NOTE)}" for note in notes]
    if len(notes) < len(explanation.notes):
        out.append(f"  … and {len(explanation.notes) - len(notes)} more such places")
    if explanation.divided:
        out += [f"  {line}" for line in _largest(explanation.parts, max_parts)]
    out.append(f"  → {_answer(explanation)}")
    out += [f"  would be {_cut(str(change.says))} if: {cut_to(change.condition, 2 * _CELL)}" for change in explanation.changes]
    if explanation.sought and not explanation.changes:
        out.append(f"  {UNALTERED}")
    return visible_lines(out)


def _row(explanation: Explanation) -> str:
    """The cells of the columns that matter, and how many others there are."""
    names = explanation.matter
    shown = [(name, cell) for name, cell in explanation.row.items() if name in names]
    row = "  ".join(f"{_cut(name)}={'missing' if cell is None else _cut(cell)}" for name, cell in shown[:_COLUMNS])
    more = len(shown) - _COLUMNS
    rest = len(explanation.row) - len(shown)
    ends = [f"{counted(more, 'more column')}"] * (more > 0)
    ends += [f"{counted(rest, 'column that makes', 'columns that make')} no difference"] * (rest > 0)
    return "  ".join([*([row] if row else []), *([f"and {', '.join(ends)}" if row else ", ".join(ends)] if ends else [])])


def _merged(explanation: Explanation) -> list[str] | None:
    """The conditions that hold, one per column; None where every step is about another column, or the row was divided."""
    columns = [step.test.column.name for step in explanation.steps]
    if explanation.divided or len(set(columns)) == len(columns) or any(step.missing for step in explanation.steps):
        return None
    return explanation.parts[0].conditions()


def _steps(explanation: Explanation) -> list[str]:
    """Every step, with the rows that take it."""
    lines = [
        (
            _cut(step.condition),
            f"{weight_text(step.weight)} of {weight_text(step.of)} {'row' if step.of == 1 else 'rows'}",
            _mix(step.value),
        )
        for step in explanation.steps
    ]
    wide = [max((cells(line[i]) for line in lines), default=0) for i in (0, 1)]
    return [f"  {a}{' ' * (wide[0] - cells(a))}   {b}{' ' * (wide[1] - cells(b))}   {c}".rstrip() for a, b, c in lines]


def visible_lines(lines: list[str]) -> str:
    """Join lines, each made harmless."""
    return "\n".join(isolated(visible(line)) for line in lines)


def _cut(text: str) -> str:
    return cut_to(visible(text), _CELL)


def _mix(value: dict[Any, float] | float | tuple[float, ...]) -> str:
    if not isinstance(value, dict):
        return f"mean {value_text(value)}"
    most = sorted(value.items(), key=lambda entry: -entry[1])[:4]
    return "  ".join(f"{_cut(str(label))} {weight_text(weight)}" for label, weight in most)


def _part(part: Part) -> str:
    """One leaf of several: its share of the row, what leads there, what it says."""
    conditions = " and ".join(map(_cut, part.conditions())) or "any row"
    mix = _mix(part.value) if part.weight > 0 else "no rows"
    phrase = value_text(part.says) if isinstance(part.value, float) else _cut(str(part.says))
    return " × ".join([*part.factors, conditions]) + f" → {phrase} ({mix})"


def _largest(parts: Sequence[Part], most: int | None) -> list[str]:
    """The largest parts in the order of the leaves, and what is left out."""
    if most is None or len(parts) <= most:
        return [_part(part) for part in parts]
    ranked = sorted(range(len(parts)), key=lambda i: -parts[i].share)
    left = math.fsum(parts[i].share for i in ranked[most:])
    return [
        *(_part(parts[i]) for i in sorted(ranked[:most])),
        f"… and {len(parts) - most} more parts, {share_text(left)} of the row",
    ]


def explanation_sentence(explanation: Explanation) -> str:
    """Write an explanation in one line: what is said, why, and the nearest change that would alter it."""
    why = [_cut(step.condition) for step in explanation.steps]
    if not explanation.divided and not any(step.missing for step in explanation.steps):
        why = [_cut(condition) for condition in explanation.parts[0].conditions()]  # one a column
    if explanation.divided:
        # Of the missing cells only those that the tree asked for.
        lost = [name for name in explanation.row if any(note.startswith(f"{name} is missing") for note in explanation.notes)]
        cause = f" with {_listed(lost)} missing" if lost else " near soft thresholds"
        why.append(f"{len(explanation.parts)} leaves{cause} vote so")
    phrase = f"{_cut(explanation.target)} = {_answer(explanation)}" + (f" because {' and '.join(why)}" if why else "")
    if explanation.changes:
        nearest = explanation.changes[0]
        phrase += f"; it would be {_cut(str(nearest.says))} if {cut_to(nearest.condition, 2 * _CELL)}"
    return visible(phrase)


def _listed(names: list[str]) -> str:
    return ", ".join(map(_cut, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _answer(explanation: Explanation) -> str:
    if explanation.divided:
        if explanation.shares is None:
            return value_text(explanation.says)
        ranked = sorted(explanation.shares.items(), key=lambda entry: -entry[1])
        votes = ", ".join(f"{_cut(str(label))} {share_text(share)}" for label, share in ranked[:4] if share > 0)
        return f"{_cut(str(explanation.says))} (vote: {votes})"
    rows = f"{weight_text(explanation.weight)} {'row' if explanation.weight == 1 else 'rows'}"
    if explanation.scored and explanation.share is not None:
        return f"{_cut(str(explanation.says))} ({share_text(explanation.share)} by these scores; {rows})"
    if explanation.share is not None:
        return f"{_cut(str(explanation.says))} ({share_text(explanation.share)} of {rows})"
    spread = "" if explanation.spread is None else f" {spread_text(explanation.spread)}"
    return f"{value_text(explanation.says)}{spread} ({rows})"


_CHIP = "display:inline-block;border:1px solid #8c8c8c;border-radius:4px;padding:1px 6px;margin:2px"
_CARD = "border-left:3px solid #0072b2;padding-left:8px"


def _html(text: str) -> str:
    return escape(isolated(text))


def rule_card(explanation: RuleExplanation) -> str:
    """Write what rules say of a row as HTML: the rule that decides as chips, the answer, the rules it misses by one condition."""
    rules, at = explanation.rules, explanation.rule
    chips = [f'<span style="{_CHIP}">{_html(_cut(condition.text()))}</span>' for condition in (rules[at].when if at >= 0 else ())]
    way = " and ".join(chips) or ("no rule holds" if at < 0 else "always")
    if explanation.divided:
        way = "the row is divided: " + ", ".join(
            f"{share_text(share)} {'the default' if at < 0 else f'rule {at}'}" for at, share in explanation.divided[:_PARTS]
        )
    phrase = visible(Rule((), explanation.says).answer(rules.target))
    out = [f'<div style="{_CARD}"><div>{way}</div>', f"<div><b>{_html(cut_to(phrase, 2 * _CELL))}</b></div>"]
    if explanation.near:
        near = [(visible(rules[r].answer(rules.target)), visible(text)) for r, text in explanation.near]
        items = "".join(f"<li>{_html(cut_to(phrase, _CELL))} if {_html(cut_to(text, _CELL))}</li>" for phrase, text in near)
        out.append(f'<div style="font-size:small">would be<ul style="margin:0">{items}</ul></div>')
    return "".join([*out, "</div>"])


def explanation_card(explanation: Explanation) -> str:
    """Write an explanation as HTML: the way as chips, the answer, the changes. No scripts."""
    chips = []
    for step in explanation.steps:
        chips.append(f'<span style="{_CHIP}" title="{_html(_mix(step.value))}">{_html(_cut(step.condition))}</span>')
    way = " → ".join(chips) or ("the row is divided" if explanation.divided else "no question is asked")
    out = [f'<div style="{_CARD}"><div>{way}</div>']
    small = [cut_to(visible(note), _NOTE) for note in explanation.notes[:_PARTS]]
    small += _largest(explanation.parts, _PARTS) if explanation.divided else []
    out += [f'<div style="font-size:small">{_html(line)}</div>' for line in small]
    out.append(f"<div><b>{_html(_cut(explanation.target))} = {_html(_answer(explanation))}</b></div>")
    if explanation.changes:
        phrase = [f"{_cut(str(change.says))} if {cut_to(change.condition, 2 * _CELL)}" for change in explanation.changes]
        items = "".join(f"<li>{_html(text)}</li>" for text in phrase)
        out.append(f'<div style="font-size:small">would be<ul style="margin:0">{items}</ul></div>')
    elif explanation.sought:
        out.append(f'<div style="font-size:small">{_html(UNALTERED)}</div>')
    return "".join([*out, "</div>"])
