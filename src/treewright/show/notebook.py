"""What a notebook shows of a tree: a small static picture, one line about it, the rules behind a fold. No scripts, no fonts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from treewright.errors import counted, isolated, visible
from treewright.show.cells import cut_to
from treewright.show.themes import picture_style
from treewright.table.schema import share_text, spread_text, value_text, weight_text

if TYPE_CHECKING:
    from treewright.model.rules import RuleSet
    from treewright.model.tree import Tree

_LEAVES = 15
_RULES = 30
_RULE = 300  # characters
_BUDGET = 60_000  # bytes of a bundle: notebooks keep every output
_PLAIN_DEPTH = 3
_FOLD = 4000  # bytes that are left for the rules beside a picture


def headline(tree: Tree) -> str:
    """One line about a tree."""
    return f"{counted(tree.n_nodes, 'node')} · {counted(tree.n_leaves, 'leaf', 'leaves')} · depth {tree.depth}"


def plain(tree: Tree) -> str:
    """Return the line about a tree and its first levels as text."""
    return f"{headline(tree)}\n{tree.to_text(max_depth=_PLAIN_DEPTH, width=100)}"


def tree_bundle(tree: Tree) -> dict[str, str]:
    """Return the forms a notebook may choose from."""
    text = plain(tree)
    room = _BUDGET - len(text.encode()) - 1000
    picture = _small_picture(tree, (room - _FOLD) // 2)  # it stands in the page and alone
    return {
        "text/plain": text,
        "text/html": _page(tree, picture, min(_BUDGET // 4, room - 2 * len(picture.encode()))),
        "image/svg+xml": picture,
    }


def rules_bundle(rules: RuleSet, room: int = _BUDGET // 2) -> dict[str, str]:
    """Return rules as a table, the first hundred of them, of so many bytes at most."""
    lines = ["<table><tr><th>#</th><th>if</th><th>then</th><th>rows</th><th>right</th></tr>"]
    every = [*rules, *([] if rules.otherwise is None else [rules.otherwise])]
    for count, rule in enumerate(every):
        when = " and ".join(rules.digits.when(condition, quoted=False) for condition in rule.when)
        when = when or ("otherwise" if rule is rules.otherwise else "always")
        right = "" if rule.confidence is None else share_text(rule.confidence)
        right = spread_text(rule.spread) if rule.spread is not None else right
        rows = weight_text(rule.weight) if rule.scored else ""
        number = str(count) if count < len(rules) else ""
        says = f"{rules.target.name} = {value_text(rule.says, rules.digits.answers)}"
        cells = [isolated(cut_to(visible(cell), _RULE)) for cell in (number, when, says, rows, right)]
        line = "<tr>" + "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in cells) + "</tr>"
        room -= len(line.encode())
        if count == 100 or room < 0:
            lines.append(f'<tr><td colspan="5">… {counted(len(every) - count, "more rule")}</td></tr>')
            break
        lines.append(line)
    text = "\n".join(cut_to(line, _RULE) for line in rules.to_text().split("\n")[:_RULES])
    more = len(every) - _RULES
    return {
        "text/plain": text + (f"\n… {counted(more, 'more rule')}" if more > 0 else ""),
        "text/html": "\n".join([*lines, "</table>"]),
    }


def with_picture(bundle: dict[str, str], tree: Tree | None) -> dict[str, str]:
    """Add to what an estimator shows, if it is fitted and shows more than text, the picture of its tree."""
    if tree is None:
        return bundle
    out = dict(bundle)
    if "text/plain" in out:
        out["text/plain"] += f"\n{plain(tree)}"
    if "text/html" in out:
        room = _BUDGET - sum(len(form.encode()) for form in out.values()) - 1000
        picture = _small_picture(tree, room)  # rules as far as there is room beside it
        out["text/html"] += _page(tree, picture, min(_BUDGET // 4, room - len(picture.encode())))
    return out


def with_rules(bundle: dict[str, str], rules: RuleSet | None) -> dict[str, str]:
    """Add to what an estimator shows, if it is fitted, its rules."""
    if rules is None:
        return bundle
    out = dict(bundle)
    for form, text in rules_bundle(rules, _BUDGET // 6).items():
        if form in out:
            out[form] += f"\n{text}"
    return out


def _small_picture(tree: Tree, room: int) -> str:
    """Draw as many levels as have 15 leaves at most and fit into ``room`` bytes; the rest are cards that count leaves."""
    depth = tree.depth
    if tree.n_leaves > _LEAVES:
        depth = _depth_of(tree, _LEAVES)
    while True:
        picture = tree.to_svg(kind="tree", max_depth=depth)
        if depth == 0 or len(picture.encode()) <= room:
            return picture
        depth -= 1


def _depth_of(tree: Tree, leaves: int) -> int:
    """Return the greatest depth at which a tree cut off there has at most so many leaves."""
    inner: dict[int, int] = {}  # nodes per depth
    ended: dict[int, int] = {}
    for depth, n in zip(tree.depths.tolist(), tree.node_columns.n_children.tolist(), strict=True):
        counts = inner if n else ended
        counts[depth] = counts.get(depth, 0) + 1
    done = 0
    for depth in range(tree.depth + 1):
        done += ended.get(depth, 0)
        if done + inner.get(depth, 0) > leaves:
            return max(0, depth - 1)
    return tree.depth


def _page(tree: Tree, picture: str, room: int) -> str:
    lines = [
        f'<div class="tw-tree" style="margin-top:0.5em">{picture_style("tw-tree")}{picture}',
        f'<div style="font-size:small">{escape(headline(tree))}</div>',
        '<details><summary style="cursor:pointer">Rules</summary><pre style="white-space:pre-wrap">',
    ]
    left = room - 300
    count = 0
    for rule in tree.to_hard().to_rules() if tree.n_leaves <= 10_000 else ():
        text = escape(cut_to(rule.text(visible(tree.target.name[:_RULE])), _RULE))
        left -= len(text.encode()) + 1
        if count == _RULES or left < 0:
            break
        lines.append(text)
        count += 1
    if count < tree.n_leaves:
        lines.append(f"… {counted(tree.n_leaves - count, 'more rule')}: tree.to_rules()")
    return "\n".join([*lines, "</pre></details></div>"])
