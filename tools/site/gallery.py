"""The gallery's first page: all figures of its pages, small, each leading to its code."""

from __future__ import annotations

import re

from tools.site.blocks import DOCS, PICTURE

ORDER = ("trees", "regions", "size", "forests", "teaching")
_FIGURE = re.compile(r"^## (?P<title>.+?) \{ ?#(?P<name>[\w-]+) ?\}$(?P<body>.*?)(?=^## |\Z)", re.M | re.S)


def figures() -> list[tuple[str, str, str, str]]:
    """Return page, name, title and picture of every figure."""
    found = []
    for page in ORDER:
        for match in _FIGURE.finditer((DOCS / "gallery" / f"{page}.md").read_text(encoding="utf-8")):
            found.append((page, match["name"], match["title"], PICTURE.findall(match["body"])[0]))
    return found


def pages() -> dict[str, str]:
    """Return the first page of the gallery by its place in the site."""
    shown = figures()
    cards = "\n".join(
        f'<a href="{page}.html#{name}"><img src="{picture}" alt="" loading="lazy"><br>{title}</a>'
        for page, name, title, picture in shown
    )
    text = f"""---
hide:
  - toc
---

# Gallery

{len(shown)} figures. Each was drawn by the code that stands beside it when this site was built. Click one to see how.

<div class="figures">
{cards}
</div>
"""
    return {"gallery/index.md": text}
