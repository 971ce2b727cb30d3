"""Look at a built site: every link leads somewhere in it, and nothing is fetched from another host."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

_FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data", "embed": "src"}
_CSS = re.compile(r"url\(\s*['\"]?(https?:)?//|@import\s+['\"]?(https?:)?//")


class _Page(HTMLParser):
    """Addresses on a page: what it fetches, where it leads, and the names that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the addresses of one tag."""
        values = {name: value or "" for name, value in attrs}
        self.names |= {values[key] for key in ("id", "name") if key in values}
        address = values.get(_FETCHED.get(tag, ""))
        if address:
            self.fetched.append(address)
        elif tag == "a" and "href" in values:
            self.links.append(values["href"])


def problems(site: Path) -> list[str]:
    """Return what is wrong with the site in a folder, a line for each fault."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for address, fetched in [*((each, True) for each in page.fetched), *((each, False) for each in page.links)]:
            fault = _fault(path, address, fetched, site, pages)
            if fault:
                found.append(f"{path.relative_to(site)}: {address}: {fault}")
    for path in sorted(site.rglob("*.css")):
        if _CSS.search(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(site)}: fetches from another host")
    return found


def _fault(path: Path, address: str, fetched: bool, site: Path, pages: dict[Path, _Page]) -> str | None:
    parts = urlsplit(address)
    if parts.scheme in ("data", "javascript", "blob") or address in ("", "#"):
        return None
    if parts.scheme or parts.netloc:
        return "is fetched from another host" if fetched else None if parts.scheme == "https" else "leads nowhere"
    place, name = urldefrag(address)
    target = (path.parent / unquote(urlsplit(place).path)).resolve() if place else path
    if target.is_dir():
        target /= "index.html"
    if path.name == "404.html":  # it stands for any page, and names places from the root
        return None
    if not target.is_file() or not target.is_relative_to(site.resolve()):
        return "is not there"
    page = pages.get(target) or pages.get(site / target.relative_to(site.resolve()))
    if name and page is not None and not name.startswith("__") and unquote(name) not in page.names:
        return "no such place on the page"
    return None
