"""Notebooks as pages of the site: run, with what their cells answer; the notebooks themselves lie beside them."""

from __future__ import annotations

import base64
import html
import os
from typing import Any

from tools.site.blocks import DOCS

FOLDER = DOCS / "notebooks"


def names() -> list[str]:
    """Return the notebooks' names, in their order."""
    return [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]


def executed(name: str) -> Any:
    """Return a notebook with the answers of all its cells; a cell that fails is an error."""
    import nbformat
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    manager = AsyncKernelManager(kernel_name="python3", transport="ipc" if os.name == "posix" else "tcp")
    NotebookClient(notebook, km=manager, timeout=600).execute()
    return notebook


def pages() -> dict[str, str | bytes]:
    """Return a page for every notebook, and the pictures its cells draw, by their places in the site."""
    made: dict[str, str | bytes] = {}
    for name in names():
        pictures: dict[str, bytes] = {}
        cells = [_cell(cell, name, pictures) for cell in executed(name).cells]
        foot = f"[This page as a notebook]({name}.ipynb)"
        made[f"notebooks/{name}.md"] = "\n\n".join([*cells, foot]) + "\n"
        made |= {f"notebooks/{place}": data for place, data in pictures.items()}
    return made


def _cell(cell: Any, name: str, pictures: dict[str, bytes]) -> str:
    if cell.cell_type == "markdown":
        return str(cell.source)
    answers = [_answer(output, name, pictures) for output in cell.outputs]
    return "\n\n".join([f"```python\n{cell.source}\n```", *answers])


def _answer(output: Any, name: str, pictures: dict[str, bytes]) -> str:
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.get("data", {})
    for kind, ending in (("image/svg+xml", "svg"), ("image/png", "png")):
        if kind in data:
            place = f"{name}-{len(pictures) + 1}.{ending}"
            pictures[place] = data[kind].encode() if ending == "svg" else base64.b64decode(data[kind])
            return f"![]({place})"
    if "text/html" in data:
        return f'<div class="answer">{data["text/html"]}</div>'
    return f"<pre>{html.escape(data.get('text/plain', ''))}</pre>"
