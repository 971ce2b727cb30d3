"""A flat program as a Python module or an ES module: the predictor's own code, and the program as a value beside it."""

from __future__ import annotations

import json

from treewright.export.carried import carried
from treewright.export.portable import portable, written
from treewright.export.program import Program

_BEGIN = "class Predictor:"  # what stands before it is for the module of this package
_PYTHON = '''\
"""Predicts {target} from {columns}.

predict(row), predict_proba(row), leaf(row): {about}
Written by treewright; needs Python 3.8 or newer, and nothing else.
"""

from __future__ import annotations

import datetime as dt
import math
from bisect import bisect_left, bisect_right
from typing import Any, Mapping
'''
_PYTHON_END = """
_model = Predictor(PROGRAM)
classes = _model.classes
predict, predict_proba, parts, leaf = _model.predict, _model.predict_proba, _model.parts, _model.leaf
"""
_ABOUT = "a row is a dictionary of cells by column name, or a list of the cells of all columns; None and NaN are missing."


def python_module(program: Program) -> str:
    """Write a program as one Python module that needs the standard library only."""
    code = _BEGIN + carried("predictor.py", _needs(program)).partition(_BEGIN)[2].rstrip("\n")
    head = _PYTHON.format(
        target=_docstring_text(program.target), columns=_docstring_text(", ".join(program.names) or "nothing"), about=_ABOUT
    )
    return f"{head}\nPROGRAM = {written(portable(program), ascii)}\n\n\n{code}\n{_PYTHON_END}"


def _needs(program: Program) -> list[str]:
    parted = ["parts"] * program.parted + ["scores"] * program.adds
    return parted + ["derived"] * bool(program.derived) + ["members"] * bool(program.members) + ["sigmoids"] * program.sigmoids


def _docstring_text(text: str, limit: int = 200) -> str:
    """A name inside a docstring: what could end it, or steer an editor, is an escape."""
    plain = ascii(text)[1:-1].replace("\\", "\\\\").replace('"', "'")
    return plain if len(plain) <= limit else plain[: limit - 1].rstrip("\\") + "..."


def _quoted(text: str) -> str:
    # No character that could end the script element of a page, nor one that ends a line.
    return json.dumps(text).replace("<", "\\u003c").replace(">", "\\u003e")


def javascript_module(program: Program) -> str:
    """Write a program as one ES module."""
    names = "classes, columns, target, predict, predictProba, parts, leaf, explain, whatIf"
    value = f"export const program = {written(portable(program), _quoted)};"
    return f"{carried('predictor.js', _needs(program))}\n{value}\n\nexport const {{ {names} }} = predictor(program);\n"
