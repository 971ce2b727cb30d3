"""Notebooks as pages of the site: run, with what their cells answer; the notebooks themselves lie beside them."""

from __future__ import annotations

import base64
import html
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.site.blocks import DOCS, ROOT

FOLDER = DOCS / "notebooks"


def names() -> list[str]:
    """Return the notebooks' names, in their order."""
    return [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]


def executed(name: str) -> Any:
    """Return a notebook with the answers of all its cells; a cell that fails is an error.

    It runs in a process and a folder of its own, so that neither its files nor its sockets are left behind.
    """
    import nbformat

    import treewright

    paths = [str(Path(treewright.__file__).parent.parent), str(ROOT)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tools.site.notebooks", str(FOLDER / f"{name}.ipynb")]
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"{name}.ipynb does not run\n{done.stderr}")
    return nbformat.reads(done.stdout, as_version=4)


def _execute(path: str) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, kernel_name="python3", timeout=600).execute()
    sys.stdout.write(nbformat.writes(notebook))


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


if __name__ == "__main__":
    _execute(sys.argv[1])
