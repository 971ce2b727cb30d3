"""The schemas of a table and of a target in a document."""

from __future__ import annotations

import datetime as dt
import math
import sys
from typing import Any

import numpy as np

from treewright import parts
from treewright.errors import shown
from treewright.store.columns import array_of
from treewright.store.damage import entry, need, only, take
from treewright.store.values import read, written
from treewright.table import ColumnSchema, TableSchema, TargetSchema
from treewright.table.written import Written, read_written

KINDS = ("number", "bool", "date", "duration", "ordered", "nominal")


def table_form(schema: TableSchema) -> dict[str, Any]:
    """Return the schema of a table as a document holds it."""
    columns = schema.columns
    zones = {"zones": [column.zone for column in columns]} if any(column.zone for column in columns) else {}
    written_as = [None if column.written is None else column.written.form() for column in columns]
    files = {"written": written_as} if any(written_as) else {}
    spreads = {"spreads": [list(each) for each in schema.spreads]} if schema.spreads else {}
    return {
        **zones,
        **files,
        **spreads,
        "names": [written(column.name) for column in columns],
        "kinds": [column.kind for column in columns],
        "levels": [[written(level) for level in column.levels] if column.levels else None for column in columns],
        "known": [_seen_form(column, known) for column, known in zip(columns, schema.known, strict=True)],
        "named": schema.named,
        "unseen": schema.unseen,
        "missing": schema.missing,
    }


def _seen_form(column: ColumnSchema, known: tuple[int, ...]) -> list[int] | None:
    return None if known == tuple(range(len(column.levels) if column.nominal else 0)) else list(known)


def read_table(form: dict[str, Any]) -> TableSchema:
    """Return the schema of a table that a form stands for."""
    only(form, "names", "kinds", "levels", "known", "named", "unseen", "missing", "zones", "written", "spreads")
    names, kinds, levels, known = (entry(form, name, list) for name in ("names", "kinds", "levels", "known"))
    zones = entry(form, "zones", list) if "zones" in form else [None] * len(names)
    forms = entry(form, "written", list) if "written" in form else [None] * len(names)
    sizes = {len(entries) for entries in (names, kinds, levels, known, zones, forms)}
    need(form, len(sizes) == 1 and len(names) > 0, "the columns of its table differ in number")
    columns = [_read_column(*each) for each in zip(names, kinds, levels, zones, forms, strict=True)]
    need(names, len(set(names)) == len(names), "two columns of its table have one name")
    return TableSchema(
        tuple(columns),
        entry(form, "named", bool),
        tuple(_read_seen(column, codes) for column, codes in zip(columns, known, strict=True)),
        need(form.get("unseen"), form.get("unseen") in parts.UNSEEN, f"unseen: {shown(form.get('unseen'))} is no policy"),
        need(
            form.get("missing"),
            form.get("missing") in parts.missing_policies(),
            f"missing: {shown(form.get('missing'))} is no policy",
        ),
        _read_spreads(form, columns),
    )


def _read_spreads(form: dict[str, Any], columns: list[ColumnSchema]) -> tuple[tuple[float, ...], ...]:
    if "spreads" not in form:
        return ()
    given = entry(form, "spreads", list)
    need(given, len(given) == len(columns), "spreads: they are of another number of columns")
    return tuple(_read_spread(column, each) for column, each in zip(columns, given, strict=True))


def _read_spread(column: ColumnSchema, form: Any) -> tuple[float, ...]:
    values = array_of(form, np.float64, f"column {shown(column.name)}: spreads")
    fits = len(values) == (len(column.levels) if column.nominal else 1) and bool(np.all(np.isfinite(values) & (values >= 0)))
    return tuple(need(values, fits, f"column {shown(column.name)}: spreads that it cannot have").tolist())


def _read_column(name: Any, kind: Any, levels: Any, zone: Any, form: Any) -> ColumnSchema:
    name = read(take(name, str))
    need(kind, kind in KINDS, f"column {shown(name)}: kind {shown(kind)} is unknown")
    if zone is not None:
        zone = read(take(zone, str))
        need(kind, kind in ("date", "nominal") and 0 < len(zone) <= 100, f"column {shown(name)} of kind {kind} has no time zone")
    written_as = _read_written(form, f"column {shown(name)}")
    if levels is None:
        return ColumnSchema(name, kind, zone=zone, written=written_as)
    need(kind, kind in ("ordered", "nominal"), f"column {shown(name)} of kind {kind} has levels")
    return ColumnSchema(name, kind, _distinct(levels, f"column {shown(name)}"), zone, written_as)


def _read_written(form: Any, where: str) -> Written | None:
    found = read_written(form)
    need(form, (form is None) == (found is None), f"{where}: {shown(form)} does not say how cells are written")
    return found


def _distinct(forms: Any, where: str) -> tuple[Any, ...]:
    values = tuple(read(form) for form in take(forms, list))
    try:
        distinct = len(set(values)) == len(values) and None not in values
    except TypeError:
        distinct = False
    need(values, not any(isinstance(value, float) and math.isnan(value) for value in values), f"{where}: nan is no level")
    return tuple(need(values, distinct, f"{where}: two levels are the same, or one is none"))


def _read_seen(column: ColumnSchema, codes: Any) -> tuple[int, ...]:
    count = len(column.levels) if column.nominal else 0
    if codes is None:
        return tuple(range(count))
    array = array_of(codes, np.int64, f"column {shown(column.name)}: known")
    fits = not len(array) or (array[0] >= 0 and array[-1] < count and bool(np.all(np.diff(array) > 0)))
    return tuple(need(array, fits, f"column {shown(column.name)}: known levels that it does not have").tolist())


def target_form(target: TargetSchema) -> dict[str, Any]:
    """Return the schema of a target as a document holds it."""
    classes = None if target.classes is None else [written(label) for label in target.classes]
    form = {"name": written(target.name), "classes": classes}
    if target.measure != "variance":
        form["measure"] = target.measure
    for name in ("factors", "losses"):
        if values := getattr(target, name):
            form[name] = list(values)
    if target.outputs:
        form["outputs"] = [written(name) for name in target.outputs]
    if target.row_weight != 1:
        form["row_weight"] = target.row_weight
    if target.written is not None:
        form["written"] = target.written.form()
    return form


def read_target(form: dict[str, Any]) -> TargetSchema:
    """Return the schema of a target that a form stands for."""
    only(form, "name", "classes", "measure", "factors", "losses", "outputs", "row_weight", "written")
    name = read(entry(form, "name", str))
    each = form.get("row_weight", 1.0)
    fits = type(each) in (int, float) and 0 < each <= sys.float_info.max
    need(each, fits, f"row_weight: {shown(each)} is not a positive number")
    common: dict[str, Any] = {"row_weight": float(each), "written": _read_written(form.get("written"), f"target {shown(name)}")}
    if form.get("classes") is None:
        measure = form.get("measure", "variance")
        known = measure in {part["measure"] for part in parts.criteria().values()}
        outputs = tuple(take(read(each), str) for each in take(form.get("outputs", []), list))
        need(measure, known, f"measure: {shown(measure)} is unknown")
        return TargetSchema(name, None, measure, outputs=outputs, **common)
    classes = _distinct(form["classes"], f"target {shown(name)}")
    need(classes, len(classes) > 0, f"target {shown(name)} has no classes")
    factors, losses = _costs(form, "factors", len(classes)), _costs(form, "losses", len(classes) ** 2)
    return TargetSchema(name, classes, factors=factors, losses=losses, **common)


def _costs(form: dict[str, Any], name: str, count: int) -> tuple[float, ...]:
    if name not in form:
        return ()
    values = array_of(form[name], np.float64, f"target: {name}")
    fits = len(values) == count and bool(np.all(np.isfinite(values) & (values >= 0)))
    return tuple(need(values, fits, f"target: {name} must be {count} numbers from 0 up").tolist())


def cut_limits(column: ColumnSchema) -> tuple[float, float]:
    """Between which numbers cuts on a column can be spoken of."""
    if column.kind == "ordered":
        return 0, len(column.levels) - 1
    if column.kind == "duration":
        most = float(dt.timedelta.max // dt.timedelta(microseconds=1))
        return -most / 2, most / 2
    return -np.inf, np.inf
