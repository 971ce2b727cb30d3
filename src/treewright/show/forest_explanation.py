"""What a forest says of one row as text and as a small card for notebooks: the votes as bars, and what members asked about."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from treewright.errors import counted, isolated, visible
from treewright.show.cells import cells, cut_to
from treewright.show.explanation import visible_lines
from treewright.table.schema import share_text, value_text

if TYPE_CHECKING:
    from treewright.inspect.forest import ForestExplanation

_BAR = 24
_CELL = 60
_COLUMNS = 12
_CLASSES = 10
_CARD = "border-left:3px solid #0072b2;padding-left:8px"


def _cut(text: str) -> str:
    return cut_to(visible(text), _CELL)


def votes_of(explanation: ForestExplanation) -> list[tuple[str, float, str]]:
    """What members say, the most first: a class, its share of them, and both in words."""
    if explanation.votes is None or explanation.counts is None:
        return []
    many = len(explanation.answers)
    equal = len({*explanation.weights}) == 1
    out = []
    for label, count in list(explanation.counts.items())[:_CLASSES]:
        share = explanation.votes[label]
        text = f"{count} of {counted(many, 'member')}"
        out.append((str(label), share, text if equal else f"{text}, {share_text(share)} of the weight"))
    return out


def spread_line(explanation: ForestExplanation) -> str:
    """From where to where the numbers of members go; nothing for classes and for several numbers."""
    if explanation.spread is None:
        return ""
    least, low, _, high, most = map(value_text, explanation.spread)
    many = counted(len(explanation.answers), "member")
    return f"{many} say {least} to {most}, half of them {low} to {high}"


def score_lines(explanation: ForestExplanation, said: bool = False) -> list[str]:
    """What members add to every score; ``said``: to that of the class which is said, where every class has one."""
    scores = explanation.scores[:_CLASSES]
    if said and len(scores) > 1:
        scores = tuple(one for one in explanation.scores if one.of == explanation.says)
    out = []
    for one in scores:
        many = counted(one.members, "member")
        total, base, added = map(value_text, (one.base + one.added, one.base, one.added))
        out.append(f"score of {_cut(str(one.of))}: {total} = {base} and {added} from {many}")
    return out


def answer(explanation: ForestExplanation) -> str:
    """What is said, and by what right."""
    text = value_text(explanation.says) if explanation.shares is None else _cut(str(explanation.says))
    many = f"{explanation.combined} {counted(len(explanation.answers), 'member')}"
    share = "" if explanation.share is None else f"{share_text(explanation.share)}, "
    return f"{text} ({share}{many})"


def forest_explanation(explanation: ForestExplanation, max_columns: int | None) -> str:
    """Write what a forest says of one row, one thought per line."""
    shown = list(explanation.row.items())
    row = "  ".join(f"{_cut(name)}={'missing' if cell is None else _cut(cell)}" for name, cell in shown[:_COLUMNS])
    row += f"  and {counted(len(shown) - _COLUMNS, 'more column')}" if len(shown) > _COLUMNS else ""
    out = [row]
    votes = votes_of(explanation)
    wide = max((cells(_cut(label)) for label, _, _ in votes), default=0)
    for label, share, text in votes:
        name = _cut(label)
        full = round(_BAR * share) or 1
        out.append(f"  {name}{' ' * (wide - cells(name))}  {'█' * full}{'░' * (_BAR - full)}  {text}")
    if line := spread_line(explanation):
        out.append(f"  {line}")
    out += [f"  {line}" for line in score_lines(explanation)]
    asked = explanation.asked if max_columns is None else explanation.asked[:max_columns]
    wide = max((cells(_cut(one.column)) for one in asked), default=0)
    for one in asked:
        name = _cut(one.column)
        times = f"{counted(one.times, 'time')}"
        out.append(f"  asked about {name}{' ' * (wide - cells(name))}  by {counted(one.members, 'member')}, {times}")
    if len(asked) < len(explanation.asked):
        out.append(f"  … and about {counted(len(explanation.asked) - len(asked), 'more column')}")
    out.append(f"  → {answer(explanation)}")
    return visible_lines(out)


def forest_sentence(explanation: ForestExplanation) -> str:
    """Write what a forest says of one row in one line."""
    why = []
    if explanation.counts is not None:
        why.append(f"{explanation.counts.get(explanation.says, 0)} of {counted(len(explanation.answers), 'member')} say so")
    elif line := spread_line(explanation):
        why.append(line)
    why += score_lines(explanation, said=True)
    if explanation.asked:
        why.append(f"they asked about {', '.join(_cut(one.column) for one in explanation.asked[:3])} most")
    text = f"{_cut(explanation.target)} = {answer(explanation)}" + (f": {'; '.join(why)}" if why else "")
    return visible(text)


def forest_card(explanation: ForestExplanation) -> str:
    """Write what a forest says of one row as HTML: the answer, bars of votes, the columns that were asked about. No scripts."""

    def text(part: str) -> str:
        return escape(isolated(part))

    out = [f'<div style="{_CARD}"><div><b>{text(_cut(explanation.target))} = {text(answer(explanation))}</b></div>']
    for label, share, words in votes_of(explanation):
        bar = f'<span style="display:inline-block;height:0.7em;width:{8 * share:.3f}em;background:#0072b2"></span>'
        out.append(f'<div style="font-size:small">{text(_cut(label))} {bar} {text(words)}</div>')
    if line := spread_line(explanation):
        out.append(f'<div style="font-size:small">{text(line)}</div>')
    out += [f'<div style="font-size:small">{text(line)}</div>' for line in score_lines(explanation)]
    if explanation.asked:
        names = (f"{text(_cut(one.column))} ({one.members})" for one in explanation.asked[:_COLUMNS])
        out.append(f'<div style="font-size:small">members asked about {", ".join(names)}</div>')
    return "".join([*out, "</div>"])
