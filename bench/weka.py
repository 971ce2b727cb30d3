"""WEKA inside this process: its classes, and a workload's arrays as its table. Java does all loops over rows."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench.workloads import Array, Workload

# One thread collects garbage: in CPU seconds that was the cheapest way, and J48 itself has one thread.
_OPTIONS = ("-XX:+UseSerialGC", "-Xms2g", "-Djava.awt.headless=true")


def start() -> Any:
    """Start Java, once a process, with WEKA's jars; returns the bridge to it."""
    import jpype

    if not jpype.isJVMStarted():
        found = find_spec("weka")
        assert found is not None and found.origin is not None
        jpype.startJVM(*_OPTIONS, classpath=[str(jar) for jar in (Path(found.origin).parent / "lib").glob("*.jar")])
    return jpype


class Tables:
    """Makes WEKA tables of arrays: all columns of a row as doubles, levels by number, NaN where a cell is missing."""

    def __init__(self, workload: Workload) -> None:
        self._java = start()
        self._levels = workload.levels
        self._classes = int(workload.y.max()) + 1 if workload.task == "class" else 0
        handles = self._java.JClass("java.lang.invoke.MethodHandles")
        kinds = [self._java.JClass("java.lang.Double").TYPE, self._java.JClass(self._java.JDouble[:]).class_]
        row = self._java.JClass("weka.core.DenseInstance").class_
        make = handles.publicLookup().unreflectConstructor(row.getConstructor(kinds))
        self._row = self._java.JClass("java.lang.invoke.MethodHandleProxies").asInterfaceInstance(
            self._java.JClass("java.util.function.Function").class_,
            handles.insertArguments(make, 0, self._java.JDouble(1.0)),
        )

    def _attributes(self, numeric: int) -> Any:
        named = self._java.JClass("weka.core.Attribute")
        listed = self._java.JClass("java.util.ArrayList")
        columns = listed()
        for j in range(numeric):
            columns.add(named(f"n{j}"))
        for j, count in enumerate([*self._levels, self._classes]):
            name = f"c{j}" if j < len(self._levels) else "y"
            levels = listed()
            for level in range(count):
                levels.add(f"L{level}")
            columns.add(named(name, levels) if count else named(name))
        return columns

    def table(self, num: Array, nom: Array, y: Array | None = None) -> Any:
        """The rows as `weka.core.Instances`; without targets they are to be predicted."""
        cells = np.empty((len(num), num.shape[1] + nom.shape[1] + 1))
        cells[:, : num.shape[1]] = num
        cells[:, num.shape[1] : -1] = np.where(nom < 0, np.nan, nom)
        cells[:, -1] = np.nan if y is None else y
        rows = self._java.JArray.of(cells)
        table = self._java.JClass("weka.core.Instances")("t", self._attributes(num.shape[1]), len(cells))
        table.addAll(self._java.JClass("java.util.Arrays").stream(rows).map(self._row).toList())
        table.setClassIndex(cells.shape[1] - 1)
        return table
