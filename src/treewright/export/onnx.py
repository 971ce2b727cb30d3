"""A flat program as an ONNX model of plain operators: a table of nodes, and one loop that moves all rows a step at a time.

The tree operators of ONNX answer in single precision and know no levels; tables and a loop are exact. Rows that go several ways
would need as many states as there are leaves: such programs are refused.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright.errors import shown
from treewright.export.program import ANSWER, REFUSED, SPREAD, Input, Label, Program

_OPSET = 17
_ML = 3
_MARK = "treewright/"
OUTPUTS = ("prediction", "shares", "leaf")


class _Given(str):
    """The name of an input; all other names of a graph but those of its outputs are its own."""

    __slots__ = ()


def _inside(name: str) -> str:
    return str(name) if isinstance(name, _Given) or name in OUTPUTS else _MARK + name


def onnx_model(program: Program, complete: bool = False) -> Any:
    """Write a program as an ONNX model; see ``Tree.to_onnx``."""
    if program.scores:
        raise ValueError(
            "shares that are computed from scores need an exponential, which ONNX engines round in ways of their own: "
            "use to_python, to_javascript or to_c, or to_sql for the class alone"
        )
    if program.linear:
        raise ValueError("leaves that say equations are not written as ONNX: use to_python, to_javascript, to_c or to_sql")
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the package onnx: pip install onnx") from error
    if program.soft:
        raise ValueError("soft thresholds send every row several ways, which ONNX has no loop for: fit with soft=False")
    if program.spreads and not complete:
        raise ValueError(
            "missing cells go down several branches at once here, which an ONNX loop over single nodes cannot say: "
            "pass complete=True for rows without missing cells and unseen levels (others get no answer), or fit with "
            "missing='learned'"
        )
    return _Graph(program, onnx).model()


class _Graph:
    def __init__(self, program: Program, onnx: Any) -> None:
        self.program, self.onnx = program, onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.table = _Table(program)

    def constant(self, name: str, values: Any) -> None:
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(values), _inside(name)))

    def add(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        names = [_inside(name) for name in inputs]
        self.nodes.append(self.onnx.helper.make_node(kind, names, [_inside(output)], domain=domain, **attributes))
        return output

    def model(self) -> Any:
        helper = self.onnx.helper
        cells = self.cells()
        leaf = self.loop(cells)
        outputs = self.answers(leaf)
        graph = helper.make_graph(self.nodes, "treewright", self.inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="treewright", ir_version=8)
        self.onnx.checker.check_model(model)
        return model

    # -- cells ---------------------------------------------------------------------------------------------------------

    def cells(self) -> str:
        """The cells of all rows as numbers (rows x columns), NaN where they are missing."""
        tensor, value = self.onnx.TensorProto, self.onnx.helper.make_tensor_value_info
        p = self.program
        if all(one.kind == "number" for one in p.inputs):
            self.inputs.append(value("X", tensor.DOUBLE, [None, len(p.inputs)]))
            return _Given("X")
        self.constant("nan", np.array(math.nan))
        self.constant("one_column", np.array([-1, 1]))
        columns = []
        for j in p.used or [0]:
            one = p.inputs[j]
            odd = not one.name or "\0" in one.name or one.name in OUTPUTS or one.name.startswith(_MARK)
            name = _Given(f"column {j}" if odd else one.name)
            kind = tensor.STRING if _texts(one) else tensor.INT64 if _wholes(one) else tensor.DOUBLE
            self.inputs.append(value(str(name), kind, [None]))
            columns.append(self.add("Reshape", [self.cell(one, j, name), "one_column"], f"cell {j}"))
        return self.add("Concat", columns, "cells", axis=1)

    def cell(self, one: Input, j: int, name: str) -> str:
        if not one.by_level:
            return name
        codes = [code for code, _ in one.labels]
        if not codes:
            flat = self.add("Cast", [self.add("Shape", [name], f"shape {j}")], f"shape of {j}", to=self.onnx.TensorProto.INT64)
            return self.add("Expand", ["nan", flat], f"none {j}")
        unseen = -2 if one.strict else -1
        given: dict[str, Any] = {"values_int64s": codes, "default_int64": unseen}
        if _texts(one):
            given |= {"keys_strings": [str(label.value) for _, label in one.labels], "values_int64s": codes}
            found = self.add("LabelEncoder", [name], f"code {j}", "ai.onnx.ml", **given)
        else:
            keys = np.array([_number(one, label) for _, label in one.labels])
            self.constant(f"levels {j}", keys[None, :])
            self.constant(f"codes {j}", np.array([*codes, unseen], np.int64))
            self.constant(f"axis {j}", np.array([1], np.int64))
            spread = self.add("Unsqueeze", [name, f"axis {j}"], f"wide {j}")
            same = self.add("Cast", [self.add("Equal", [spread, f"levels {j}"], f"same {j}")], f"marks {j}", to=7)
            some = self.add("ReduceMax", [same], f"some {j}", axes=[1], keepdims=0)
            place = self.add("ArgMax", [same], f"place {j}", axis=1, keepdims=0)
            self.constant(f"past {j}", np.array(len(codes), np.int64))
            chosen = self.add("Where", [self.add("Cast", [some], f"any {j}", to=9), place, f"past {j}"], f"chosen {j}")
            found = self.add("Gather", [f"codes {j}", chosen], f"code {j}")
            if not _wholes(one):
                gone = self.add("IsNaN", [name], f"gone {j}")
                self.constant(f"missing {j}", np.array(-1, np.int64))
                found = self.add("Where", [gone, f"missing {j}", found], f"known {j}")
        real = self.add("Cast", [found], f"real {j}", to=self.onnx.TensorProto.DOUBLE)
        self.constant(f"minus one {j}", np.array(-1.0))
        lost = self.add("Equal", [real, f"minus one {j}"], f"lost {j}")
        return self.add("Where", [lost, "nan", real], f"level {j}")

    # -- the loop ------------------------------------------------------------------------------------------------------

    def loop(self, cells: str) -> str:
        """The leaf of every row; the number of nodes where it has none."""
        helper, tensor = self.onnx.helper, self.onnx.TensorProto
        table = self.table
        whole = isinstance(cells, _Given)
        place = {j: k for k, j in enumerate(self.program.used)}
        column = [0 if j < 0 else j if whole else place[j] for j in table.column]
        self.constant("column", np.array(column, np.int64))
        self.constant("cut", np.array(table.cut))
        for name, jumps in (("below", table.below), ("above", table.above), ("gone", table.gone)):
            self.constant(name, np.array(jumps, np.int64))
        self.constant("steps", np.array(table.depth, np.int64))
        self.constant("true", np.array(True))
        self.constant("wide", np.array([1], np.int64))
        self.constant("narrow", np.array([-1], np.int64))
        self.constant("first", np.array([0], np.int64))

        def make(kind: str, inputs: list[str], outputs: list[str], **attributes: Any) -> Any:
            return helper.make_node(kind, [_inside(name) for name in inputs], [_inside(name) for name in outputs], **attributes)

        body = [
            make("Gather", ["column", "node"], ["j"]),
            make("Unsqueeze", ["j", "wide"], ["jj"]),
            make("GatherElements", [cells, "jj"], ["xx"], axis=1),
            make("Reshape", ["xx", "narrow"], ["x"]),
            make("Gather", ["cut", "node"], ["t"]),
            make("LessOrEqual", ["x", "t"], ["low"]),
            make("IsNaN", ["x"], ["lost"]),
            make("Gather", ["below", "node"], ["to_below"]),
            make("Gather", ["above", "node"], ["to_above"]),
            make("Gather", ["gone", "node"], ["to_gone"]),
            make("Where", ["low", "to_below", "to_above"], ["side"]),
            make("Where", ["lost", "to_gone", "side"], ["next"]),
            make("Identity", ["go"], ["go_on"]),
        ]

        def value(name: str, kind: int, shape: list[Any]) -> Any:
            return helper.make_tensor_value_info(_inside(name), kind, shape)

        graph = helper.make_graph(
            body,
            "step",
            [
                value("i", tensor.INT64, []),
                value("go", tensor.BOOL, []),
                value("node", tensor.INT64, [None]),
            ],
            [value("go_on", tensor.BOOL, []), value("next", tensor.INT64, [None])],
        )
        rows = self.add("Gather", [self.add("Shape", [cells], "shape"), "first"], "rows")
        self.constant("root", np.array(0, np.int64))
        begin = self.add("Expand", ["root", rows], "begin")
        return self.add("Loop", ["steps", "true", begin], "leaf place", body=graph)

    # -- answers -------------------------------------------------------------------------------------------------------

    def answers(self, place: str) -> list[Any]:
        tensor, value = self.onnx.TensorProto, self.onnx.helper.make_tensor_value_info
        p = self.program
        said = [p.answers[a] if a >= 0 else None for a in self.table.answer]
        self.constant("leaves", np.array(self.table.leaf, np.int64))
        self.add("Gather", ["leaves", place], "leaf")
        outputs = [value("leaf", tensor.INT64, [None])]
        if p.classes is None:
            wide = [len(p.outputs)] if p.outputs else []
            nothing = (math.nan,) * (len(p.outputs) or 1)
            numbers = np.array([nothing if answer is None else answer.values for answer in said])
            self.constant("numbers", numbers if wide else numbers[:, 0])
            self.add("Gather", ["numbers", place], "prediction")
            return [value("prediction", tensor.DOUBLE, [None, *wide]), *outputs]
        labels = [None if answer is None else p.classes[answer.label] for answer in said]
        kind, column = _classes(labels, p.classes)
        self.constant("labels", column)
        self.add("Gather", ["labels", place], "prediction")
        none = [math.nan] * len(p.order)
        shares = [none if answer is None else [answer.values[k] for k in p.order] for answer in said]
        self.constant("class shares", np.array(shares, np.float64).reshape(len(said), len(p.order)))
        self.add("Gather", ["class shares", place], "shares")
        kinds = {"text": tensor.STRING, "whole": tensor.INT64, "real": tensor.DOUBLE, "bool": tensor.BOOL}
        return [value("prediction", kinds[kind], [None]), value("shares", tensor.DOUBLE, [None, len(p.order)]), *outputs]


class _Table:
    """Nodes of one cut each: a node with more is a search among its cuts. Nodes that answer lead to themselves."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.column: list[int] = []
        self.cut: list[float] = []
        self.below: list[int] = []
        self.above: list[int] = []
        self.gone: list[int] = []
        self.answer: list[int] = []
        self.leaf: list[int] = []
        self.depth = 0
        n = program.size
        for node in range(n):
            self._add(program.column[node], leaf=node if program.column[node] == ANSWER else -1, answer=program.answer[node])
        self.none = self._add(ANSWER, leaf=-1, answer=REFUSED)
        deep = [0] * n
        for node in range(n):
            if program.column[node] == ANSWER:
                continue
            steps = self._search(node)
            for to in program.successors(node):
                deep[to] = max(deep[to], deep[node] + steps)
            self.depth = max(self.depth, deep[node] + steps)

    def _add(self, column: int, leaf: int = -1, answer: int = REFUSED) -> int:
        at = len(self.column)
        self.column.append(column)
        self.cut.append(0.0)
        self.leaf.append(leaf)
        self.answer.append(answer)
        for jumps in (self.below, self.above, self.gone):
            jumps.append(at)
        return at

    def _jump(self, to: int) -> int:
        return self.none if to in (REFUSED, SPREAD) else to

    def _search(self, node: int) -> int:
        """Fill in a node; return the most steps it takes."""
        p = self.program
        # x < cut is x <= the number before it.
        cuts = [math.nextafter(cut, -math.inf) if p.less[node] else cut for cut in p.cuts[node]]
        jumps, gone = list(p.to[node]), self._jump(p.missing[node])
        one = p.inputs[p.column[node]]
        if one.by_level and one.strict:  # levels that are refused have a number below all others
            cuts, jumps = [-0.5, *cuts], [REFUSED, *jumps]
        steps = 1
        open_ = [(node, 0, len(cuts), 1)]
        while open_:
            at, low, high, depth = open_.pop()
            steps = max(steps, depth)
            self.gone[at] = gone
            if low == high:
                self.below[at] = self.above[at] = self._jump(jumps[low])
                continue
            middle = (low + high - 1) // 2
            self.cut[at] = cuts[middle]
            for side, begin, end in ((self.below, low, middle), (self.above, middle + 1, high)):
                if begin == end:
                    side[at] = self._jump(jumps[begin])
                else:
                    side[at] = self._add(p.column[node])
                    open_.append((side[at], begin, end, depth + 1))
        return steps


def _texts(one: Input) -> bool:
    return one.by_level and all(label.tag == "t" for _, label in one.labels)


def _wholes(one: Input) -> bool:
    """Whether levels are whole numbers that a double cannot hold."""
    return one.by_level and any(label.tag == "w" for _, label in one.labels)


def _number(one: Input, label: Label) -> Any:
    if _wholes(one):
        if label.tag not in "wn" or isinstance(label.value, float) or not -(2**63) <= int(label.value) < 2**63:
            raise ValueError(f"column {shown(one.name)}: the level {label.value} is no 64-bit number and has no place in ONNX")
        return np.int64(int(label.value))
    return np.float64(label.value)


def _classes(labels: list[Label | None], classes: tuple[Label, ...]) -> tuple[str, Any]:
    """The classes of all nodes as a column; where there is none, an empty text, the least number or NaN."""
    tags = {label.tag for label in classes}
    if tags == {"t"}:
        return "text", np.array(["" if label is None else str(label.value) for label in labels], object)
    if tags == {"b"}:
        return "bool", np.array([False if label is None else bool(label.value) for label in labels])
    if tags == {"n"} and all(isinstance(label.value, int) for label in classes):
        return "whole", np.array([-(2**63) if label is None else int(label.value) for label in labels], np.int64)
    if tags == {"n"}:
        return "real", np.array([math.nan if label is None else float(label.value) for label in labels])
    raise ValueError("the classes are neither text nor numbers nor booleans, and ONNX has no other: name them by text")
