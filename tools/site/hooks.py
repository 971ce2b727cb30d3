"""What the site's build adds to the pages in docs: the reference, and the pictures and pages that code blocks make.

MkDocs calls `on_config`, `on_files` and `on_post_build`. Nothing is written into docs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

sys.path[:0] = [str(Path(__file__).parent.parent.parent)]

from tools.site import blocks, check, gallery, notebooks, reference

PROJECT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")  # beside docs, and pages of the site as well

_made: dict[str, str] = {}  # pages of the reference by their place in the site


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the reference where the map of the site says REFERENCE."""
    blocks.quiet()
    _made.update(reference.pages())
    config.nav = [_entry(each) for each in config.nav or []]
    return config


def _entry(entry: Any) -> Any:
    return {"Reference": reference.nav()} if entry == {"Reference": "REFERENCE"} else entry


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add what is generated: the reference, what the code of pages makes, notebooks with their answers, the list of figures."""
    for place, text in _made.items():
        files.append(File.generated(config, place, content=text))
    for file in list(files.documentation_pages()):
        if file.abs_src_path is not None:
            for place, data in _products(Path(file.abs_src_path), Path(file.src_uri)).items():
                files.append(File.generated(config, place, content=data))
    beside = {f"project/{name}": _beside(name) for name in PROJECT}
    for place, content in {**notebooks.pages(), **gallery.pages(), **beside}.items():
        files.append(File.generated(config, place, content=content))
    return files


def _beside(name: str) -> str:
    """Return the text of a page that lies beside docs, with its links as they are in the site."""
    text = (blocks.ROOT / name).read_text(encoding="utf-8")
    return text.replace("](docs/", "](../")


def _products(path: Path, place: Path) -> dict[str, bytes]:
    """Return the files that the blocks of a page write and the page shows, by their place in the site."""
    text = path.read_text(encoding="utf-8")
    wanted = [name for name in blocks.made(text) if not (path.parent / name).is_file()]
    if not wanted:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in blocks.run(path, text, Path(folder)):
            pass
        return {str(place.parent / name): (Path(folder) / name).read_bytes() for name in wanted}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Show the measured table of the README where a page says so, and lead to the pages beside docs.

    The table is kept in one place, where `make bench` writes it.
    """
    for name in PROJECT:
        markdown = markdown.replace(f"](../{name}", f"](project/{name}")
    readme = (blocks.ROOT / "README.md").read_text(encoding="utf-8")
    return markdown.replace("<!-- bench -->", readme.split("<!-- bench: begin -->")[1].split("<!-- bench: end -->")[0].strip())


def on_post_build(*, config: MkDocsConfig) -> None:
    """Refuse a site that asks other hosts for anything, or links to what is not there."""
    found = check.problems(Path(config.site_dir))
    if found:
        raise SystemExit("\n".join(found))
