"""The explorer's ES modules as one script: each keeps its names to itself, in the order in which they need each other.

The modules are plain files that browsers and Node read as they are. Here their import and export lines, which have one form
only, become constants, because a page that asks for nothing cannot ask for a second module either.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_ANY = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_ELSEWHERE = {"predictor": "treewright.export"}  # what exports carry, too
_FOLDERS = (
    "treewright.explore",
    "treewright.workbench",
)  # that have a folder "page": the workbench is made of the explorer's modules, too


@cache
def source(name: str) -> str:
    """Return a file of a page."""
    stem = name.partition(".")[0]
    folders = [files(_ELSEWHERE[stem])] if stem in _ELSEWHERE else [files(package) / "page" for package in _FOLDERS]
    found = [folder for folder in folders if (folder / name).is_file()]
    if len(found) != 1:
        raise ValueError(f"{name} is in {len(found)} of the folders of pages: every module has a name of its own")
    return found[0].joinpath(name).read_text(encoding="utf-8")


@cache
def script(entry: str) -> str:
    """Return a module and all it needs as one script that defines ``$<entry>``, the names that the module exports."""
    done: dict[str, str] = {}
    open_ = [(entry, False)]
    while open_:
        name, ready = open_.pop()
        if name in done:
            continue
        needs = [module for _, module in _IMPORT.findall(source(f"{name}.js"))]
        if ready or all(module in done for module in needs):
            done[name] = _wrapped(name)
        else:
            open_ += [(name, True), *((module, False) for module in needs)]
    return "\n".join(done.values())


def _wrapped(name: str) -> str:
    text = source(f"{name}.js")
    names = _EXPORT.findall(text)
    text = _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = ${found[2]};", _EXPORT.sub("", text))
    if odd := _ANY.search(text):
        raise ValueError(f"{name}.js: {odd[0]!r} is no import or export of the one form that is read")
    return f"const ${name} = (() => {{\n{text}return {{ {', '.join(names)} }};\n}})();"
