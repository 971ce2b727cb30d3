"""The steps in which a tree grew, as text and as pictures: the tree after every step, and what its split was chosen from."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from treewright.errors import counted, isolated, out_of_range, visible
from treewright.show.cells import cells, cut_to
from treewright.show.draw import tree_picture
from treewright.show.svg import svg
from treewright.show.themes import TURNED, dark
from treewright.table.schema import weight_text

if TYPE_CHECKING:
    from treewright.model.candidates import Candidate
    from treewright.model.trace import Step, Trace

_NAME = 60  # characters
_PATH = 200
_ROOM = 40_000  # bytes in a notebook, which keeps every output
_STEPS = 12  # in a notebook
_DEPTH = 8  # levels of a picture
_LEAVES = 80  # beyond which steps have no picture

_STYLE = """
.tw-trace { --ink: #1c1d1f; --grey: #62645f; --line: #dddcd5; --bar: #c9c8c1; --paper: #ffffff; }
.tw-trace { padding: 4px 12px; color: var(--ink); background: var(--paper); font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif }
.tw-trace section { display: grid; grid-template-columns: minmax(280px, 2fr) 3fr; gap: 8px 28px; align-items: start; }
.tw-trace section { padding: 14px 0 22px; border-top: 1px solid var(--line); }
.tw-trace header { grid-column: 1 / -1; overflow-wrap: anywhere; }
.tw-trace b { font-size: 16px; }
.tw-trace span, .tw-trace caption { color: var(--grey); }
.tw-trace table { border-collapse: collapse; width: 100%; background: none; }
.tw-trace caption { text-align: left; font-size: 12px; }
.tw-trace td { padding: 2px 8px 2px 0; text-align: left; overflow-wrap: anywhere; border: 0; }
.tw-trace td:nth-child(2) { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.tw-trace td:last-child { width: 26%; }
.tw-trace i { display: block; height: 9px; border-radius: 2px; background: var(--bar); }
.tw-trace .made { font-weight: 650; }
.tw-trace .made i { background: #0072b2; }
.tw-trace svg { max-width: 100%; height: auto; }
@media (max-width: 760px) { .tw-trace section { grid-template-columns: minmax(0, 1fr); } }
"""
_DARK = {
    ".tw-trace": "--ink: #eceae4; --grey: #a8a79f; --line: #3a3c40; --bar: #4a4c50; --paper: #17181a",
    ".tw-trace svg": TURNED,
}
_PAGE = (
    "html, body { margin: 0; background: Canvas; color-scheme: light dark; } .tw-trace { max-width: 1180px; margin: 0 auto; }\n"
)


def trace_text(trace: Trace, max_steps: int | None, max_candidates: int) -> str:
    """Write the steps; see ``Trace.to_text``."""
    steps = _first(trace, max_steps, max_candidates)
    out = [_headline(trace)]
    for step in steps:
        rows = trace.tree.node_entries.weight[step.node]
        out += ["", f"step {step.number}  node {step.node}: {_cut(step.path, _PATH)}  ({counted_rows(rows)})"]
        lines = [(("◀ " if made else "  ") + text, figure) for text, figure, _, made in _candidates(trace, step, max_candidates)]
        wide = max(cells(text) for text, _ in lines)
        out += [f"  {text}{' ' * (wide - cells(text))}  {figure}" for text, figure in lines]
        out.append(f"  into {', '.join(_cut(text, _NAME) for text in step.into[:8])}{', …' * (len(step.into) > 8)}")
    if len(steps) < len(trace):
        out += ["", f"… {counted(len(trace) - len(steps), 'more step')}"]
    return "\n".join(isolated(visible(line)) for line in out)


def trace_html(trace: Trace, max_steps: int | None, max_candidates: int) -> str:
    """Return the steps as a page; see ``Trace.to_html``."""
    title = escape(visible(f"How the tree for {_cut(trace.tree.target.name, _PATH)} grew"))
    body = _sections(trace, _first(trace, max_steps, max_candidates), max_candidates, None)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_PAGE}{_STYLE}{dark(_DARK)}</style>\n</head>\n<body>\n"
        f'<main class="tw-trace">\n<h1>{title}</h1>\n{body}\n</main>\n</body>\n</html>\n'
    )


def trace_bundle(trace: Trace) -> dict[str, str]:
    """The forms a notebook may choose from, as many steps as there is room for."""
    body = _sections(trace, trace[:_STEPS], 6, _ROOM)
    return {
        "text/plain": trace_text(trace, _STEPS, 6),
        "text/html": f'<div class="tw-trace"><style>{_STYLE}{dark(_DARK)}</style>{body}</div>',
    }


def counted_rows(weight: float) -> str:
    """How many rows there are."""
    return f"{weight_text(weight)} {'row' if weight == 1 else 'rows'}"


def _headline(trace: Trace) -> str:
    tree = trace.tree
    steps = f"{counted(len(trace), 'step')} to {counted(tree.n_leaves, 'leaf', 'leaves')}"
    return f"{_cut(tree.target.name, _NAME)}: {steps}, each the best split of a node at its time"


def _first(trace: Trace, max_steps: int | None, max_candidates: int) -> Sequence[Step]:
    for name, value in (("max_steps", max_steps), ("max_candidates", max_candidates)):
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise out_of_range(name, value, "a whole number from 1 up" + (", or None" if name == "max_steps" else ""))
    return trace if max_steps is None else trace[:max_steps]


def _sections(trace: Trace, steps: Sequence[Step], most: int, room: int | None) -> str:
    out = [f"<p>{_html(_headline(trace))}. Nothing is taken back later.</p>"]
    done: set[int] = set()
    for count, step in enumerate(steps):
        done.add(step.node)
        lines = [_header(trace, step), _table(trace, step, most)]
        if len(done) < _LEAVES:
            picture = tree_picture(trace.tree, kind="tree", max_depth=_DEPTH, passed=_way(trace, step.node), split=done)
            lines.append(f"<div>{svg(picture)}</div>")
        section = "\n".join([f'<section id="step-{step.number}">' if room is None else "<section>", *lines, "</section>"])
        if room is not None and (room := room - len(section.encode())) < 0:
            steps = steps[:count]
            break
        out.append(section)
    if len(steps) < len(trace):
        out.append(f"<p>… {counted(len(trace) - len(steps), 'more step')}: to_html(path, max_steps=None) draws all</p>")
    return "\n".join(out)


def _way(trace: Trace, node: int) -> set[int]:
    up, out = trace.tree.node_entries.parent, {node}
    while node > 0:
        node = up[node]
        out.add(node)
    return out


def _header(trace: Trace, step: Step) -> str:
    rows = counted_rows(trace.tree.node_entries.weight[step.node])
    return (
        f"<header><b>Step {step.number}: {_html(_cut(step.column, _NAME))}</b> <span>divides node {step.node}: "
        f"{_html(_cut(step.path, _PATH))}, {rows}; the tree has {counted(step.n_leaves, 'leaf', 'leaves')} then</span></header>"
    )


def _table(trace: Trace, step: Step, most: int) -> str:
    entries = _candidates(trace, step, most)
    best = max(merit for _, _, merit, _ in entries) or 1.0
    lines = [
        f"<tr{' class=made' if made else ''}><td>{_html(('◀ ' if made else '') + text)}</td><td>{figure}</td>"
        f'<td><i style="width:{max(0.0, 100 * merit / best):.1f}%"></i></td></tr>'
        for text, figure, merit, made in entries
    ]
    caption = (
        "candidate splits, and what each gains"
        if len(entries) > 1
        else "alternative splits were not saved (fit with keep_candidates=True)"
    )
    if len(entries) == 1 and trace.tree.node_columns.n_candidates[step.node] == 1:
        caption = "the only candidate split"
    return f"<table><caption>{caption}</caption>{''.join(lines)}</table>"


def _candidates(trace: Trace, step: Step, most: int) -> list[tuple[str, str, float, bool]]:
    """Candidate splits of a step, the best first: what they gain as text, what they were compared by, whether it was made."""
    tree = trace.tree
    made = (_cut(" | ".join(step.into[:2]), _PATH), f"{step.gain:.4g}", step.gain, True)
    if not tree.node_columns.n_candidates[step.node]:
        return [made]
    found = sorted(tree.node(step.node).candidates, key=lambda one: (-one.merit, not one.chosen))
    kept = found[:most]
    if not any(one.chosen for one in kept):
        kept = [*kept[:-1], *(one for one in found if one.chosen)]
    return [(_text(trace, step, one), _figure(one), one.merit, one.chosen) for one in kept]


def _figure(one: Candidate) -> str:
    """What a split gains; what columns are compared by beside it, where that is something else."""
    text = f"{one.gain:.4g}"
    return text if abs(one.merit - one.gain) <= 1e-9 * abs(one.gain) else f"{text} ({one.merit:.4g})"


def _text(trace: Trace, step: Step, one: Candidate) -> str:
    column = next(column for column in trace.tree.columns if column.name == one.column)
    name = _cut(one.column, _NAME)
    if one.cut is None or column.kind == "bool":
        return f"{name}, {one.n_branches} ways" if one.n_branches > 2 else name
    cut = column.exact_text(float(f"{one.cut:.6g}") if column.kind == "number" else one.cut)
    sign = "<" if trace.tree.node_entries.strict[step.node] else "<="
    return f"{name} {sign} {cut}" + (f" and {one.n_branches - 2} more cuts" if one.n_branches > 2 else "")


def _cut(text: str, most: int) -> str:
    return cut_to(visible(str(text)), most)


def _html(text: str) -> str:
    return escape(isolated(text))
