"""The nodes of an ONNX graph as they are written: one call per operator, loops as functions, names that no input can have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

MARK = "treewright/"


class Scope:
    """A graph, or the body of a loop in one, which sees all names outside of it."""

    def __init__(self, onnx: Any, outer: Scope | None = None) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = [] if outer is None else outer.constants
        self._numbers: count[int] = count() if outer is None else outer._numbers

    def _name(self, about: str) -> str:
        return f"{MARK}{next(self._numbers)} {about}"

    def constant(self, values: Any, about: str = "") -> str:
        """A table, or one value."""
        name = self._name(about)
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def needed(self) -> list[Any]:
        """The constants that any operator of the graph, or of a loop in it, reads."""
        used: set[str] = set()
        open_ = list(self.nodes)
        while open_:
            node = open_.pop()
            used.update(node.input)
            for attribute in node.attribute:
                open_ += attribute.g.node
        return [one for one in self.constants if one.name in used]

    def add(self, kind: str, *inputs: str, output: str | None = None, domain: str = "", **attributes: Any) -> str:
        """An operator; the name of what it gives."""
        name = self._name(kind) if output is None else output
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [name], domain=domain, **attributes))
        return name

    def real(self, value: str) -> str:
        """As numbers of double precision."""
        return self.add("Cast", value, to=self.onnx.TensorProto.DOUBLE)

    def whole(self, value: str) -> str:
        """As whole numbers."""
        return self.add("Cast", value, to=self.onnx.TensorProto.INT64)

    def wide(self, value: str, axis: int = 1) -> str:
        """With one axis more."""
        return self.add("Unsqueeze", value, self.constant(np.array([axis], np.int64)))

    def flat(self, value: str) -> str:
        """As one list."""
        return self.add("Reshape", value, self.constant(np.array([-1], np.int64)))

    def rows(self, matrix: str) -> str:
        """The number of rows of a matrix, as a list of one."""
        return self.add("Gather", self.add("Shape", matrix), self.constant(np.array([0], np.int64)))

    def filled(self, value: Any, rows: str) -> str:
        """A list of one value, so many times."""
        return self.add("Expand", self.constant(value), rows)

    def loop(
        self, steps: str, begin: Sequence[tuple[str, Any]], body: Callable[[Scope, str, list[str]], Sequence[str]]
    ) -> list[str]:
        """Do something so many times to values; each of them is given with its type, and all are given back.

        ``body`` writes one round: it is given its scope, its number and the values before it, and names those behind it.
        """
        helper, tensor = self.onnx.helper, self.onnx.TensorProto
        inner = Scope(self.onnx, self)
        number, go = inner._name("round"), inner._name("go")
        before = [inner._name("before") for _ in begin]
        behind = [inner.add("Identity", value) for value in body(inner, number, before)]
        on = inner.add("Identity", go)

        def value(name: str, kind: Any, shape: Any = None) -> Any:
            return helper.make_tensor_value_info(name, kind, shape)

        kinds = [kind for _, kind in begin]
        taken = [value(number, tensor.INT64, []), value(go, tensor.BOOL, []), *map(value, before, kinds)]
        graph = helper.make_graph(
            inner.nodes, self._name("body"), taken, [value(on, tensor.BOOL, []), *map(value, behind, kinds)]
        )
        names = [self._name("behind") for _ in begin]
        inputs = [steps, self.constant(np.array(True)), *(value for value, _ in begin)]
        self.nodes.append(helper.make_node("Loop", inputs, names, body=graph))
        return names
