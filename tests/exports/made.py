"""Programs made by hand, which answer as fitted estimators do: members under one root, and programs of nodes drawn at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from tests.exports.runners import records
from treewright.export.c import c_source
from treewright.export.labels import Input, Label
from treewright.export.onnx import onnx_model
from treewright.export.portable import portable
from treewright.export.predictor import Predictor
from treewright.export.program import ANSWER, REFUSED, SPREAD, Answer, Derived, Program, Ramp, Term
from treewright.export.scripts import javascript_module, python_module
from treewright.export.sql import sql_query


class Made:
    """A program of numbers; what it says is what the predictor of Python says."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.predictor = Predictor(portable(program))
        self.tree_ = SimpleNamespace(
            columns=[
                SimpleNamespace(name=one.name, kind=one.kind, levels=[label.value for _, label in one.labels])
                for one in program.inputs
            ],
            target=SimpleNamespace(outputs=program.outputs, classes=self.predictor._declared),
        )

    def _program(self) -> Program:
        return self.program

    def predict(self, X: pd.DataFrame) -> Any:
        return np.array([self.predictor.predict(row) for row in records(X)])

    def apply(self, X: pd.DataFrame) -> Any:
        return np.array([self.predictor.leaf(row) for row in records(X)], int)

    def refused(self, X: pd.DataFrame, leaf: bool = False) -> np.ndarray:
        """Which rows have no answer, or no leaf."""
        out = []
        for row in records(X):
            try:
                (self.predictor.leaf if leaf else self.predictor.predict)(row)
                out.append(False)
            except ValueError:
                out.append(True)
        return np.array(out, bool)

    def to_python(self) -> str:
        return python_module(self.program)

    def to_javascript(self) -> str:
        return javascript_module(self.program)

    def to_c(self, name: str) -> str:
        return c_source(self.program, name)

    def to_sql(self, **options: Any) -> str:
        return sql_query(self.program, **options)

    def to_onnx(self, complete: bool = False) -> Any:
        return onnx_model(self.program, complete)


class MadeClasses(Made):
    """A program of classes."""

    @property
    def classes_(self) -> np.ndarray:
        return np.array(self.predictor.classes)

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return np.array([self.predictor.predict_proba(row) for row in records(X)]).reshape(len(X), -1)


def made(program: Program) -> Any:
    return Made(program) if program.classes is None else MadeClasses(program)


def joined(programs: Sequence[Program], shares: Sequence[float] | None = None, column: int = 0) -> Program:
    """Programs of one table under a root that sends every row to all of them, each with its share."""
    first = programs[0]
    shares = [1 / len(programs)] * len(programs) if shares is None else shares
    nodes: dict[str, list[Any]] = {
        name: [entry]
        for name, entry in (
            ("column", column),
            ("cuts", ()),
            ("to", (SPREAD,)),
            ("less", False),
            ("missing", SPREAD),
            ("answer", REFUSED),
        )
    }
    ways: dict[int, Any] = {}
    soft: dict[int, Ramp] = {}
    answers: list[Answer] = []
    roots = []
    for program in programs:
        begin = len(nodes["column"])
        roots.append(begin)

        def moved(to: int, begin: int = begin) -> int:
            return to + begin if to >= 0 else to

        nodes["column"] += program.column
        nodes["cuts"] += program.cuts
        nodes["less"] += program.less
        nodes["to"] += [tuple(map(moved, to)) for to in program.to]
        nodes["missing"] += [moved(to) for to in program.missing]
        nodes["answer"] += [at + len(answers) if at >= 0 else at for at in program.answer]
        ways.update({node + begin: tuple((moved(to), share) for to, share in way) for node, way in program.ways.items()})
        soft.update({node + begin: ramp for node, ramp in program.soft.items()})
        answers += program.answers
    ways[0] = tuple(zip(roots, shares, strict=True))
    return replace(first, **nodes, ways=ways, soft=soft, answers=answers)


INPUTS = (
    Input("a", "number"),
    Input("b c", "number"),
    Input("d", "nominal", tuple((k, Label("t", text)) for k, text in enumerate("uvw"))),
    Input("e", "bool"),
)


def drawn(
    seed: int,
    *,
    numbers: bool = False,
    soft: bool = False,
    tests: int = 7,
    refusing: bool = False,
    inputs: Any = INPUTS,
    derived: Any = (),
    divides: bool = True,
) -> Program:
    """A program whose nodes jump, meet and divide rows as it pleases; of numbers that are derived some cuts are values."""
    rng = np.random.default_rng(seed)
    ends = 5
    size = tests + ends
    column, cuts, to, less, missing, ways, ramps = [], [], [], [], [], {}, {}
    for node in range(tests):
        j = int(rng.integers(len(inputs) + 2 * len(derived)))
        j = j if j < len(inputs) else len(inputs) + j % max(1, len(derived))
        behind = np.arange(node + 1, size)

        def jump(node: int = node, behind: Any = behind) -> int:
            kind = rng.random()
            if refusing and kind < 0.1:
                return REFUSED
            return SPREAD if divides and kind < 0.3 else int(rng.choice(behind))

        at = np.sort(rng.choice([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0], int(rng.integers(0, 4)), replace=False))
        if j >= len(inputs):
            at = np.unique(
                rng.choice(derived_values(derived[j - len(inputs)], inputs, drawn_rows(seed)), int(rng.integers(1, 4)))
            )
        elif inputs[j].by_level:
            at = np.sort(rng.choice([0.0, 1.0], int(rng.integers(0, 3)), replace=False))
        jumps = [jump() for _ in range(len(at) + 1)]
        gone = jump()
        if soft and (j >= len(inputs) or inputs[j].kind == "number") and len(behind) > 1 and rng.random() < 0.6:
            at = at[:1] if len(at) else np.array([0.0])
            jumps = [int(k) for k in np.sort(rng.choice(behind, 2, replace=False))]
            cut = float(at[0])
            fill = 0.1 if rng.random() < 0.3 else None
            points = (cut - 0.7, cut, math.nextafter(cut, 9), cut + 0.3)
            ramps[node] = Ramp(points, (1.0, 0.5, 0.5, 0.0), (-0.5 / 0.7, 0.0, -0.5 / 0.3), fill)
            ways[node] = ((jumps[0], 0.3), (jumps[1], 0.7))
        else:
            many = min(len(behind), int(rng.integers(2, 4)))
            shares = rng.random(many) + 0.05
            chosen = rng.choice(behind, many, replace=False)
            ways[node] = tuple((int(k), float(share)) for k, share in zip(chosen, shares / shares.sum(), strict=True))
        column.append(j)
        cuts.append(tuple(map(float, at)))
        to.append(tuple(jumps))
        less.append(bool(rng.random() < 0.5))
        missing.append(gone)
    if not refusing:
        assert REFUSED not in missing
    values = rng.random((ends, 1 if numbers else 3)) + 0.01
    shares = values / values.sum(axis=1, keepdims=True)
    answers = [
        Answer(REFUSED, tuple(map(float, row))) if numbers else Answer(int(np.argmax(row)), tuple(map(float, row)))
        for row in (values if numbers else shares)
    ]
    return Program(
        inputs=inputs,
        target="y",
        classes=None if numbers else tuple(Label("t", text) for text in ("no", "yes", "so")),
        order=() if numbers else (0, 2, 1),
        column=column + [ANSWER] * ends,
        cuts=cuts + [()] * ends,
        to=to + [()] * ends,
        less=less + [False] * ends,
        missing=missing + [REFUSED] * ends,
        answer=[REFUSED] * tests + list(range(ends)),
        answers=answers,
        ways=ways if divides or soft else {},
        soft=ramps,
        derived=derived,
    )


DERIVED = (
    Derived("a third", 0.1, (Term(0, 1 / 3, 0.25, None), Term(1, -0.7, -0.1, None), Term(2, 0.2, 1.0, (0, 2)))),
    Derived("all of it", -0.3, (Term(1, 0.1, 0.0, None), Term(0, 0.2, 0.0, None), Term(3, 0.3, 0.0, None)), needs_all=True),
    Derived("levels", 0.7, (Term(2, 0.1, 0.0, (1,)), Term(3, 0.2, 0.5, None), Term(2, 0.3, 0.0, (0, 1))), needs_all=True),
)


def derived_values(one: Derived, inputs: Any, rows: pd.DataFrame) -> list[float]:
    """What a derived number is of rows where it is there, term by term."""
    out = []
    for row in records(rows):
        value, lost = one.intercept, False
        for term in one.terms:
            level = {label.value: code for code, label in inputs[term.column].labels}
            cell = row[inputs[term.column].name]
            cell = level.get(cell) if level else cell
            lost = lost or (cell is None and one.needs_all)
            number = term.missing if cell is None else float(cell) if term.codes is None else float(cell in term.codes)
            value = value + term.coefficient * number
        out += [] if lost else [value]
    return out


def drawn_rows(seed: int, n: int = 60) -> pd.DataFrame:
    """Rows for such programs: on and beside thresholds, missing cells, levels that are none."""
    rng = np.random.default_rng(seed)
    cuts = np.array([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0])
    pool = np.concatenate([cuts, np.nextafter(cuts, 9), np.nextafter(cuts, -9), rng.normal(size=12), [np.nan] * 6])
    return pd.DataFrame(
        {
            "a": rng.choice(pool, n),
            "b c": rng.choice(pool, n),
            "d": pd.Series(rng.choice(np.array([*"uvw", "x", None], object), n), dtype="str"),
            "e": pd.Series(rng.choice(np.array([True, False, None], object), n), dtype="boolean"),
        }
    )
