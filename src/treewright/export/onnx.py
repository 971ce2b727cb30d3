"""A flat program as an ONNX model of plain operators: a table of nodes, and one loop that moves all rows a step at a time.

The tree operators of ONNX answer in single precision and know no levels; tables and loops are exact. What is computed from cells,
are the matter of ``onnx_sums.py``, rows that go several ways that of ``onnx_divided.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treewright.errors import shown
from treewright.export.labels import Input, Label
from treewright.export.node_table import NodeTable
from treewright.export.onnx_divided import divided_answers
from treewright.export.onnx_scope import MARK, Scope
from treewright.export.onnx_sums import Equations, answer_sums, powers_of, shares_of, with_derived
from treewright.export.program import ANSWER, SPREAD, Program

_OPSET = 17
_ML = 3
_MOST_SHARES = 2**26  # numbers of 8 bytes, which stand there twice where rows are divided; a file ends at 2 GiB
OUTPUTS = ("prediction", "shares", "leaf")


def onnx_model(program: Program, complete: bool = False) -> Any:
    """Write a program as an ONNX model; see ``Tree.to_onnx``."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the package onnx: pip install onnx") from error
    program.refuse_divided("ONNX")
    answers, values = len(program.answers), len(program.answers[0].values)
    if answers * values > _MOST_SHARES:
        raise ValueError(
            f"ONNX cannot hold this model: the shares of {values} classes in {answers} leaves are more than the 2 GiB of a file; "
            "use to_python, to_javascript or to_c"
        )
    return _Model(program, onnx, complete).model()


class _Model:
    def __init__(self, program: Program, onnx: Any, complete: bool) -> None:
        self.program, self.onnx = program, onnx
        self.scope = Scope(onnx)
        self.inputs: list[Any] = []
        self.table = NodeTable(program)
        self.whole = all(one.kind == "number" for one in program.inputs)
        # Positions of the columns in the matrix of cells.
        self.place = {j: j if self.whole else k for k, j in enumerate(program.used)}
        width = len(program.inputs) if self.whole else max(1, len(program.used))
        self.place |= {len(program.inputs) + k: width + k for k in range(len(program.derived))}
        self.computed = None
        if program.linear or program.scores:
            self.computed = Equations(self.scope, program, self.place, answer_sums(program), program.bounded)
        self.divides = bool(program.soft) or (program.spreads and (not complete or _divides_complete_rows(program)))
        if program.members:
            self._refuse_members()

    def _refuse_members(self) -> None:
        """Refuse forests whose sums are not written here."""
        p = self.program
        if self.divides:
            whole = "" if p.soft or _divides_complete_rows(p) else ": to_onnx(complete=True) holds it for rows without them"
            cells = "" if p.soft or _divides_complete_rows(p) else "with missing cells "
            p.refuse_members("ONNX", f"rows {cells}go to several leaves of one member{whole}")
        if p.scores:
            p.refuse_members("ONNX", "its members have scores of classes, which are not added up there")
        if p.combine == "median":
            p.refuse_members("ONNX", "the median of its members is not found there")

    def model(self) -> Any:
        helper = self.onnx.helper
        cells = self.cells()
        if self.program.derived:
            cells = with_derived(self.scope, self.program, cells, self.place)
        place = self.walk(cells)
        outputs = self.together(cells, place) if self.program.members else self.answers(cells, self.scope.flat(place))
        graph = helper.make_graph(self.scope.nodes, "treewright", self.inputs, outputs, self.scope.needed())
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _ML)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="treewright", ir_version=8)
        self.onnx.checker.check_model(model)
        return model

    # -- cells ---------------------------------------------------------------------------------------------------------

    def cells(self) -> str:
        """The cells of all rows as numbers (rows x columns), NaN where they are missing."""
        tensor, value, s = self.onnx.TensorProto, self.onnx.helper.make_tensor_value_info, self.scope
        p = self.program
        if self.whole:
            self.inputs.append(value("X", tensor.DOUBLE, [None, len(p.inputs)]))
            return "X"
        columns = []
        for j in p.used or [0]:
            one = p.inputs[j]
            odd = not one.name or "\0" in one.name or one.name in OUTPUTS or one.name.startswith(MARK)
            name = f"column {j}" if odd else one.name
            kind = tensor.STRING if _texts(one) else tensor.INT64 if _wholes(one) else tensor.DOUBLE
            self.inputs.append(value(name, kind, [None]))
            columns.append(s.add("Reshape", self.cell(one, name), s.constant(np.array([-1, 1]))))
        return s.add("Concat", *columns, axis=1)

    def cell(self, one: Input, name: str) -> str:
        if not one.by_level:
            return name
        s = self.scope
        nan = s.constant(np.array(math.nan))
        codes = [code for code, _ in one.labels]
        if not codes:
            return s.add("Expand", nan, s.add("Shape", name))
        unseen = -2 if one.strict else -1
        if _texts(one):
            keys = [str(label.value) for _, label in one.labels]
            # There is no missing text: an empty one stands for it, unless it is a level.
            coded = dict(zip(["", *keys], [-1, *codes], strict=True))
            given: dict[str, Any] = {"keys_strings": list(coded), "values_int64s": list(coded.values()), "default_int64": unseen}
            found = s.add("LabelEncoder", name, domain="ai.onnx.ml", **given)
        else:
            numbers = np.array([_number(one, label) for _, label in one.labels])
            same = s.whole(s.add("Equal", s.wide(name), s.constant(numbers[None, :], "levels")))
            some = s.add("Cast", s.add("ReduceMax", same, axes=[1], keepdims=0), to=self.onnx.TensorProto.BOOL)
            chosen = s.add("Where", some, s.add("ArgMax", same, axis=1, keepdims=0), s.constant(np.array(len(codes), np.int64)))
            found = s.add("Gather", s.constant(np.array([*codes, unseen], np.int64), "codes"), chosen)
            if not _wholes(one):
                found = s.add("Where", s.add("IsNaN", name), s.constant(np.array(-1, np.int64)), found)
        real = s.real(found)
        return s.add("Where", s.add("Equal", real, s.constant(np.array(-1.0))), nan, real)

    # -- the loop ------------------------------------------------------------------------------------------------------

    def walk(self, cells: str) -> str:
        """The place in the table of nodes where every row ends, in every member (rows x members)."""
        s, table = self.scope, self.table
        column = [0 if j < 0 else self.place[j] for j in table.column]
        columns = s.constant(np.array(column, np.int64), "column")
        cut = s.constant(np.array(table.cut), "cut")
        below, above, missing = (s.constant(np.array(to, np.int64), "to") for to in (table.below, table.above, table.missing))

        def step(b: Scope, number: str, before: list[str]) -> list[str]:
            node = before[0]
            x = b.add("GatherElements", cells, b.add("Gather", columns, node), axis=1)
            low = b.add("LessOrEqual", x, b.add("Gather", cut, node))
            side = b.add("Where", low, b.add("Gather", below, node), b.add("Gather", above, node))
            return [b.add("Where", b.add("IsNaN", x), b.add("Gather", missing, node), side)]

        roots = np.array(self.program.roots, np.int64)
        rows = s.add("Concat", s.rows(cells), s.constant(np.array([len(roots)], np.int64)), axis=0)
        begin = s.add("Expand", s.constant(roots[None, :], "roots"), rows)
        return s.loop(s.constant(np.array(table.depth, np.int64)), [(begin, self.onnx.TensorProto.INT64)], step)[0]

    # -- answers -------------------------------------------------------------------------------------------------------

    def answers(self, cells: str, place: str) -> list[Any]:
        """The outputs: of rows that end in one leaf what it predicts, of others the sum of their fractions."""
        s, p, table = self.scope, self.program, self.table
        nothing = len(p.answers)
        answer = s.add(
            "Gather", s.constant(np.array([a if a >= 0 else nothing for a in table.answer], np.int64), "answer"), place
        )
        leaf = s.add("Gather", s.constant(np.array(table.leaf, np.int64), "leaf"), place)
        values = self.values(s, cells, answer)
        # The position of the class; behind the last one that of rows without an answer.
        none = len(p.classes or ())
        label = s.add("Gather", s.constant(np.array([*(one.label for one in p.answers), none], np.int64), "label"), answer)
        if self.divides:
            values, label, leaf = self.summed(cells, place, values, label, leaf)
        if p.scores:
            # Scores that overflow with both signs count as 0: only rows that are refused have none.
            scores, values = values, shares_of(s, values, none)
            refused = s.add("Equal", answer, s.constant(np.array(nothing, np.int64)))
            refused = s.add("Or", refused, self.refused(cells, scores))
            label = s.add("Where", refused, s.constant(np.array(none, np.int64)), s.add("ArgMax", values, axis=1, keepdims=0))
            values = s.add("Where", s.wide(refused), s.constant(np.array(math.nan)), values)
        return self.outputs(values, label, leaf)

    def outputs(self, values: str, label: str | None, leaf: str) -> list[Any]:
        """The outputs of the model: a prediction, shares of classes (``label``: which is said), and leaves."""
        s, p = self.scope, self.program
        tensor, value = self.onnx.TensorProto, self.onnx.helper.make_tensor_value_info
        outputs = [value("leaf", tensor.INT64, [None, *([len(p.members)] if p.members else [])])]
        s.add("Identity", leaf, output="leaf")
        if p.classes is None or label is None:
            wide = [len(p.outputs)] if p.outputs else []
            s.add("Identity" if wide else "Reshape", values, *([] if wide else [s.constant(np.array([-1]))]), output="prediction")
            return [value("prediction", tensor.DOUBLE, [None, *wide]), *outputs]
        kind, column = _classes([*p.classes, None], p.classes)
        s.add("Gather", s.constant(column, "classes"), label, output="prediction")
        s.add("Gather", values, s.constant(np.array(p.order, np.int64), "order"), output="shares", axis=1)
        kinds = {"text": tensor.STRING, "whole": tensor.INT64, "real": tensor.DOUBLE, "bool": tensor.BOOL}
        return [value("prediction", kinds[kind], [None]), value("shares", tensor.DOUBLE, [None, len(p.order)]), *outputs]

    def values(self, scope: Scope, cells: str, answer: str) -> str:
        """The answers of all rows (rows x values): numbers, shares as declared, or scores."""
        if self.computed is not None:
            return self.computed.sums(scope, cells, answer)
        answers = self.program.answers
        table = np.array([*(one.values for one in answers), [math.nan] * len(answers[0].values)], np.float64)
        return scope.add("Gather", self.scope.constant(table, "values"), answer)

    def together(self, cells: str, places: str) -> list[Any]:
        """The outputs of a forest: what its members say, added up in their order; NaN where one of them has no answer."""
        s, p, table = self.scope, self.program, self.table
        tensor = self.onnx.TensorProto
        nothing, many = len(p.answers), len(p.answers[0].values)
        answers = s.constant(np.array([a if a >= 0 else nothing for a in table.answer], np.int64), "answer")
        weights = s.constant(np.array([member.weight for member in p.members]), "weights")
        adds = s.constant(np.eye(p.sums)[[member.score for member in p.members]], "adds to") if p.adds else ""
        votes = np.array([*(np.eye(many)[one.label] for one in p.answers), [math.nan] * many]) if p.combine == "vote" else None

        def member(b: Scope, number: str, before: list[str]) -> list[str]:
            answer = b.add("Gather", answers, b.add("Gather", places, number, axis=1))
            told = b.add("Gather", s.constant(votes, "votes"), answer) if votes is not None else self.values(b, cells, answer)
            told = b.add("Mul", b.add("Gather", weights, number), told)
            if p.adds:  # a member adds to one of the scores, and nothing to the others
                told = b.add("Mul", told, b.add("Gather", adds, number))
            return [b.add("Add", before[0], told)]

        size = s.add("Concat", s.rows(cells), s.constant(np.array([p.sums], np.int64)), axis=0)
        zeros, steps = s.add("Expand", s.constant(np.array(0.0)), size), s.constant(np.array(len(p.members), np.int64))
        sums = s.loop(steps, [(zeros, tensor.DOUBLE)], member)[0]
        values = self.linked(sums) if p.adds else s.add("Div", sums, s.constant(np.array(p.weight)))
        # Leaves are numbered from the root of their member on.
        leaf = s.add("Gather", s.constant(np.array(table.leaf, np.int64), "leaf"), places)
        none = s.constant(np.array(-1, np.int64))
        own = s.add("Sub", leaf, s.constant(np.array(p.roots, np.int64)[None, :], "roots"))
        leaf = s.add("Where", s.add("Equal", leaf, none), none, own)
        label = None
        if p.classes is not None:
            # Shares that differ from the largest by rounding only are as large; of equals the first wins.
            most = s.add("ReduceMax", values, axes=[1], keepdims=1)
            near = s.whole(s.add("GreaterOrEqual", values, s.add("Sub", most, s.constant(np.array(p.tolerance)))))
            label = s.add("ArgMax", near, axis=1, keepdims=0)
            refused = s.add("IsNaN", s.flat(s.add("Gather", values, s.constant(np.array([0], np.int64)), axis=1)))
            label = s.add("Where", refused, s.constant(np.array(len(p.classes), np.int64)), label)
        return self.outputs(values, label, leaf)

    def linked(self, sums: str) -> str:
        """What is made of the sums that members add to scores; NaN where one of them has no answer."""
        s, p = self.scope, self.program
        scores = s.add("Add", s.constant(np.array([p.base]), "base"), sums)
        if p.link == "identity":
            return scores
        said = shares_of(s, scores, p.sums) if p.link == "shares" else powers_of(s, scores)
        return s.add("Where", s.add("IsNaN", scores), s.constant(np.array(math.nan)), said)

    def refused(self, cells: str, scores: str) -> str:
        """Whether a score of a row has no value because of a level that is refused."""
        s, p = self.scope, self.program
        strict = [self.place[j] for j in p.used if p.inputs[j].strict and p.inputs[j].by_level]
        least = s.constant(np.array(-2.0))
        tested = s.add("Gather", cells, s.constant(np.array(strict, np.int64)), axis=1)
        unseen = s.add("ReduceMax", s.whole(s.add("Equal", tested, least)), axes=[1], keepdims=0) if strict else None
        if unseen is None:
            return s.filled(np.array(False), s.rows(scores))
        none = s.add("ReduceMax", s.whole(s.add("IsNaN", scores)), axes=[1], keepdims=0)
        boolean = self.onnx.TensorProto.BOOL
        return s.add("And", s.add("Cast", unseen, to=boolean), s.add("Cast", none, to=boolean))

    def summed(self, cells: str, place: str, values: str, labels: str, leaf: str) -> tuple[str, str, str]:
        """The same, but for rows that go several ways what their fractions give together."""
        s, p = self.scope, self.program
        every = bool(p.soft)
        some = cells
        if not every:
            divided = s.add("Equal", place, s.constant(np.array(self.table.several, np.int64)))
            chosen = s.flat(s.add("NonZero", divided))
            some = s.add("Gather", cells, chosen, axis=0)
        found = divided_answers(s, p, some, self.place, self.computed)
        sums, label = found.values, found.answer
        if p.classes is not None and not p.scores:
            # Shares that differ from the largest by rounding only are as large.
            most = s.add("ReduceMax", sums, axes=[1], keepdims=1)
            near = s.add("GreaterOrEqual", sums, s.add("Sub", most, s.constant(np.array(p.tolerance))))
            alone = s.add("Equal", found.ends, s.constant(np.array(1, np.int64)))
            if not every:
                near = s.add("And", near, s.wide(s.add("Not", alone)))
            sums = s.add("Where", near, most, sums)
            label = s.add("ArgMax", sums, axis=1, keepdims=0)
            if not every:
                own = s.constant(np.array([one.label for one in p.answers], np.int64), "label")
                label = s.add("Where", alone, s.add("Gather", own, found.answer), label)
            refused = s.add("IsNaN", s.flat(most))
            label = s.add("Where", refused, s.constant(np.array(len(p.classes), np.int64)), label)
        else:
            refused = s.add("IsNaN", s.add("ReduceMax", sums, axes=[1], keepdims=0))
        ended = s.add("Where", refused, s.constant(np.array(-1, np.int64)), found.leaf) if p.divides else leaf
        if every:
            return sums, label, ended
        at = s.wide(chosen)
        return tuple(s.add("ScatterND", old, at, new) for old, new in ((values, sums), (labels, label), (leaf, ended)))  # type: ignore[return-value]


def _divides_complete_rows(program: Program) -> bool:
    """Whether rows go several ways although no cell is missing; levels that go the ways of a missing cell count as such."""
    for column, to, missing in zip(program.column, program.to, program.missing, strict=True):
        unlisted = column != ANSWER and program.tested(column).by_level and missing == SPREAD
        if SPREAD in to and not (unlisted and {*to} != {SPREAD}):
            return True
    return False


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
    if "w" in tags:
        beyond = next(label.value for label in classes if label.tag == "w")
        raise ValueError(f"the class {beyond} is beyond 2^53, and not every whole number there is one of ONNX: name it by text")
    raise ValueError("the classes are neither text nor numbers nor booleans, and ONNX has no other: name them by text")
