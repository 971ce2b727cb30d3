"""A forest as text, as values for other programs, and as a notebook shows it: sizes, importances, and some of its trees."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import counted, isolated, visible
from treewright.show.cells import cells, cut_to
from treewright.show.explanation import visible_lines
from treewright.show.text import ASCII, UNICODE
from treewright.show.themes import picture_style

if TYPE_CHECKING:
    from treewright.model.forest import Forest

_BAR = 24
_NAME = 40
_COLUMNS = 15
_ROOM = 60_000  # bytes of a picture in a notebook


def importances_of(forest: Forest) -> list[tuple[str, float]]:
    """The columns by their importance, the largest first; none where members are no trees."""
    if any(member.kind != "tree" for member in forest.members):
        return []
    shares = forest.feature_importances.tolist()
    return sorted(zip(forest.schema.names, shares, strict=True), key=lambda one: -one[1])


def forest_text(forest: Forest, max_columns: int | None = _COLUMNS, ascii: bool = False) -> str:
    """Write how large a forest is, how its members differ, and which columns matter; see ``Forest.to_text``."""
    marks = ASCII if ascii else UNICODE
    plain = (lambda text: text.encode("ascii", "backslashreplace").decode()) if ascii else str
    out = [f"{forest.combine.text} {forest.size_text}"]
    out += [f"  {line}" for line in _ranges(forest)]
    found = [one for one in importances_of(forest) if one[1] > 0]
    kept = found if max_columns is None else found[:max_columns]
    names = [plain(cut_to(visible(name), _NAME)) for name, _ in kept]
    wide = max(map(cells, names), default=0)
    most = kept[0][1] if kept else 1.0
    for name, (_, share) in zip(names, kept, strict=True):
        full = round(_BAR * share / most)
        bar = marks.full * full + marks.none * (_BAR - full)
        out.append(f"  {name}{' ' * (wide - cells(name))}  {bar}  {share:.3f}")
    if len(kept) < len(found):
        out.append(f"  {marks.dots} and {counted(len(found) - len(kept), 'more column')}")
    return visible_lines(out)


def _ranges(forest: Forest) -> list[str]:
    """From where to where the sizes and weights of members go."""
    out = []
    for name, word in (("n_leaves", "leaves"), ("depth", "depth"), ("n_rules", "rules")):
        sizes = [member.sizes[name] for member in forest.members if name in member.sizes]
        if sizes and len(forest) > 1:
            low, high = min(sizes), max(sizes)
            out.append(f"{word} {low} to {high}" if low < high else f"{word} {low} each")
    if len({*forest.weights}) > 1:
        out.append(f"weights {min(forest.weights):.4g} to {max(forest.weights):.4g}")
    return [f"members: {', '.join(out)}"] if out else []


def forest_data(forest: Forest) -> dict[str, Any]:
    """A forest as values for other programs: how members are combined, importances, and how large each member is."""
    every = zip(forest.members, forest.weights, strict=True)
    return {
        "target": forest.target.name,
        "combine": forest.combine.kind,
        **forest.sizes,
        "importances": dict(importances_of(forest)),
        "members": [{"kind": member.kind, "weight": weight, **member.sizes} for member, weight in every],
    }


def forest_bundle(forest: Forest) -> dict[str, str]:
    """Return the forms a notebook may choose from: text, and where members are trees some of them."""
    text = forest_text(forest)
    page = f'<pre style="line-height:1.1">{escape(isolated(text))}</pre>'
    if any(member.kind != "tree" for member in forest.members):
        return {"text/plain": text, "text/html": page}
    picture = _small(forest)
    return {
        "text/plain": text,
        "text/html": f'<div class="tw-forest">{picture_style("tw-forest")}{picture}{page}</div>',
        "image/svg+xml": picture,
    }


def _small(forest: Forest) -> str:
    """As many members, to such a depth, as a notebook holds."""
    from treewright.show.strip import forest_svg

    shown, depth = 8, int(np.max([tree.depth for tree in forest.trees]))
    while True:
        picture = forest_svg(forest, members=shown, max_depth=depth)
        if len(picture.encode()) <= _ROOM or (shown == 1 and depth == 0):
            return picture
        shown, depth = (shown, depth * 2 // 3) if depth > 6 else (max(shown // 2, 1), depth if shown > 1 else 0)


def with_forest(bundle: dict[str, str], forest: Forest | None) -> dict[str, str]:
    """Add to what an estimator shows, if it is fitted, its forest."""
    if forest is None:
        return bundle
    own = forest_bundle(forest)
    return {form: f"{text}\n{own[form]}" if form in own else text for form, text in bundle.items()}
