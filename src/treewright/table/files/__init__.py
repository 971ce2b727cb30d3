"""Data files: finding the format, reading the file as an Arrow table, and notes on how columns were read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from treewright.errors import DataFormatError, out_of_range, shown, unknown
from treewright.table.files import arff, c45, lines
from treewright.table.files.columnar import STREAM, read_arrow, read_parquet
from treewright.table.files.delimited import check_bytes, read_delimited
from treewright.table.files.given_kinds import Kind, Kinds, fit_table, kinds_of_model, kinds_of_table, remembered
from treewright.table.files.kept import WrittenRows
from treewright.table.files.number_formats import MISSING, Reading
from treewright.table.files.sniff import sniff
from treewright.table.files.source import Source, decompressing, find_source
from treewright.table.files.unpacking import check_option
from treewright.table.written import ORDERS

FORMATS = ("csv", "parquet", "arrow", "jsonl", "arff", "c45")
_ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".arff": "arff",
    ".names": "c45",
}


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that was read.

    Attributes
    ----------
    name : str
        Its path.
    format : str
        One of csv, parquet, arrow, jsonl, arff, c45.
    about : str
        How it is written, such as "semicolon-separated, decimal comma".
    table : pyarrow.Table
        Its columns.
    notes : dict
        What is not obvious about how a column was read, by its name.
    rows : WrittenRows or None
        Its rows as they were written, where it is delimited text.
    """

    name: str
    format: str
    about: str
    table: Any
    notes: dict[str, str] = field(default_factory=dict)
    rows: WrittenRows | None = None


def read_table(path: str | os.PathLike[str], **options: Any) -> Any:
    """Read a data file as an Arrow table, which every estimator takes.

    CSV and its relatives (delimiter, decimal sign, header and types are found), Parquet, Arrow and Feather, JSON lines, ARFF,
    and C4.5's ``.names`` and ``.data``; any text format also gzip-compressed; "-" is standard input.

    Parameters
    ----------
    path : str or path
        The file.
    format : {"csv", "parquet", "arrow", "jsonl", "arff", "c45"}, optional
        What it is, if neither its ending nor its contents say so.
    delimiter, decimal, encoding : str, optional
        How a text file is written, where that should not be guessed.
    header : bool, optional
        Whether the first line of a CSV file holds the names.
    missing : sequence of str, optional
        Values of a CSV file to treat as missing, besides the empty cell; NA, N/A, NaN, nan, NULL, null and ? unless given.
        Quoted cells are text.
    also_missing : sequence of str, optional
        Further values to treat as missing.
    categorical : sequence of str, optional
        Columns read as levels whatever they look like.
    numeric : sequence of str, optional
        Columns read as numbers though cells have leading zeros, such as 007.
    ordered : dict, optional
        Columns whose levels have an order: ``{"size": ["S", "M", "L"]}``.
    ignore : sequence of str, optional
        Columns left out.
    dates : {"dmy", "mdy"}, optional
        Whether the day or the month comes first in dates such as 03/04/2024, where a column does not tell.
    max_unpacked : int, optional
        How many bytes a packed file (gzip, Parquet, Arrow) may unpack to; 64 MiB and 200 times its size unless given.
    like : fitted estimator, Tree, RuleSet or table, optional
        What knows the kinds of the columns already: rows for a model are read as it was trained, text as text (0123) and numbers
        as numbers; a cell that does not fit is an error.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    DataFormatError
        The file cannot be read; names file, line and column.
    """
    return read_file(path, **options).table


@dataclass(frozen=True, slots=True)
class Options:
    """How a data file is to be read; see ``read_table``."""

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    missing: Sequence[str] | None = None
    also_missing: Sequence[str] = ()
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    ordered: Mapping[str, Sequence[str]] | None = None
    ignore: Sequence[str] = ()
    dates: str | None = None
    max_unpacked: int | None = None
    like: Any = None

    def check(self) -> None:
        """Refuse what means nothing."""
        if self.format is not None and self.format not in FORMATS:
            raise unknown("format", self.format, FORMATS)
        if self.delimiter is not None and (len(self.delimiter.encode()) != 1 or self.delimiter in '"\r\n\0'):
            raise out_of_range("delimiter", self.delimiter, "one ASCII character that is no quote and no end of a line")
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal={shown(self.decimal)} is not allowed: it must be . or ,")
        if self.dates is not None and self.dates not in ORDERS:
            raise unknown("order of dates", self.dates, ORDERS)
        check_option(self.max_unpacked)
        if both := [column for column in self.numeric if column in {*self.categorical, *self.levels}]:
            raise ValueError(f"numeric={shown(both)} and categorical= or ordered= name the same columns: give one of them")

    @property
    def levels(self) -> Mapping[str, Sequence[str]]:
        """The levels of the columns that have an order."""
        return self.ordered or {}

    @property
    def kinds(self) -> Kinds:
        """The kinds of the columns that are given."""
        return _kinds(self.like, [*self.categorical, *self.levels], self.numeric)

    @property
    def reading(self) -> Reading:
        """How cells of text are read."""
        absent = None if self.missing is None else tuple(self.missing)
        return Reading(self.decimal or ".", self.decimal is not None, self.dates, absent)

    def applied(self, table: Any, name: str) -> Any:
        """A table with what is said of single columns."""
        return _with_options(table, self.categorical, self.numeric, self.levels, self.ignore, name)


class Delimited:
    """A file of delimited text, of which all columns or some are read."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source, self.options = source, options
        self.dialect = sniff(source, options.delimiter, options.decimal, options.header, options.kinds)
        self.names = self.dialect.names
        kinds = options.kinds(self.names)
        self._given = {name: kind for name, kind in kinds.items() if name not in options.ignore}
        how = options.reading
        absent = _absent(how, remembered(self._given), options.also_missing)
        self._how = replace(how, decimal=self.dialect.decimal, missing=absent)
        self._quotes: Any = None

    def read(self, only: Sequence[str] | None = None) -> tuple[Any, dict[str, str]]:
        """The table of all columns, or of some, with notes on what is not obvious about how they were read."""
        if self._quotes is None:
            self._quotes = check_bytes(self.source, self.dialect)
        given = {name: kind for name, kind in self._given.items() if only is None or name in only}
        return read_delimited(self.source, self.dialect, self.options.ignore, given, self._how, only, self._quotes)


def open_delimited(path: str | os.PathLike[str], **options: Any) -> Delimited:
    """Open a file of delimited text; options as of ``read_table``."""
    wanted = Options(**options)
    wanted.check()
    source = find_source(os.fspath(path), wanted.encoding, wanted.max_unpacked)
    with decompressing(source.name):
        found = wanted.format or _format(source)
        if found != "csv":
            raise DataFormatError(f"this is {found}, no delimited text", source.name, remedy="read it by treewright.read_table")
        file = Delimited(source, wanted)
    _refuse_twice(list(file.names), source.name)
    return file


def read_file(path: str | os.PathLike[str], **options: Any) -> DataFile:
    """Read a data file and say how it is written; see ``read_table``."""
    wanted = Options(**options)
    wanted.check()
    name, kinds, format = os.fspath(path), wanted.kinds, wanted.format
    about, rows = "", None
    notes: dict[str, str] = {}
    if format == "c45" or (format is None and c45.is_pair(name)):
        with decompressing(name):
            declarations, source = c45.rows_of(name, wanted.encoding, wanted.max_unpacked)
            format, table = "c45", c45.read_c45(declarations, source, wanted.encoding, kinds)
    else:
        source = find_source(path, wanted.encoding, wanted.max_unpacked)
        name = source.name
        with decompressing(name):
            format = format or _format(source)
            if format == "csv":
                file = Delimited(source, wanted)
                table, notes = file.read()
                about, rows = file.dialect.text(), WrittenRows(source, file.dialect)
            elif format in ("jsonl", "arff"):
                table = (lines.read_lines if format == "jsonl" else arff.read_arff)(source, kinds)
            else:
                table = {"parquet": read_parquet, "arrow": read_arrow}[format](source)
    try:
        table.column_names  # noqa: B018 - Arrow's JSON keeps the bytes of names as they are
    except UnicodeDecodeError as error:
        raise DataFormatError("a column name is not UTF-8", name, remedy="save the file as UTF-8") from error
    _refuse_twice(table.column_names, name)
    if format != "csv":
        lookup = {"jsonl": lines.line_of, "arff": arff.line_of, "c45": c45.line_of}.get(format)
        place = None if lookup is None else partial(lookup, source)
        table = fit_table(table, kinds(table.column_names), wanted.reading, source.name, place)
    return DataFile(name, format, about, wanted.applied(table, name), notes, rows)


def _refuse_twice(names: Sequence[str], name: str) -> None:
    if len(set(names)) < len(names):
        double = sorted({column for column in names if names.count(column) > 1})
        raise DataFormatError(f"column names occur twice: {shown(double)}", name, remedy="rename them")


def _absent(how: Reading, before: tuple[str, ...] | None, more: Sequence[str]) -> tuple[str, ...] | None:
    """The values to treat as missing: those of the options, of the rows a model was learned from, or those that commonly do."""
    named = before if how.missing is None else how.missing
    return (*(MISSING if named is None else named), *more) if more else named


def _kinds(like: Any, text: Sequence[str], numeric: Sequence[str]) -> Kinds:
    """The kinds of columns that the options give, else a table or the schema of a model."""
    given = None if like is None else _kinds_like(like)

    def found(names: Sequence[str]) -> dict[str, Kind]:
        out = {} if given is None else dict(given(names))
        named = [("text", text), ("number", numeric)]
        return out | {
            name: Kind(kind, written=out[name].written if name in out else None)
            for kind, columns in named
            for name in columns
            if name in names
        }

    return found


def _kinds_like(like: Any) -> Kinds:
    if hasattr(like, "num_rows"):
        return kinds_of_table(like)
    model = getattr(like, "_model", None)
    if model is None:
        raise TypeError(f"like={shown(like)} knows no columns: give a fitted estimator, a tree, rules or an Arrow table")
    return kinds_of_model(model.schema, model.target)


def _format(source: Source) -> str:
    ending = os.path.splitext(source.name.removesuffix(".gz"))[1].lower()
    head = source.head(4096)
    if head[:4] == b"PAR1":
        return "parquet"
    if head[:6] == b"ARROW1" or head[:4] in (b"FEA1", STREAM):
        return "arrow"
    if ending in _ENDINGS:
        return _ENDINGS[ending]
    for raw in head.splitlines():
        line = raw.strip().lower()
        if line.startswith(b"{"):
            return "jsonl"
        if line.startswith(b"@"):
            return "arff"
        if line and not line.startswith(b"%"):
            break
    return "csv"


def _with_options(
    table: Any,
    categorical: Sequence[str],
    numeric: Sequence[str],
    ordered: Mapping[str, Sequence[str]],
    ignore: Sequence[str],
    name: str,
) -> Any:
    """Apply the options for single columns: as ordered levels, left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for column in (*categorical, *numeric, *ordered, *ignore):
        if column not in table.column_names:
            raise unknown("column", column, table.column_names)
    for column, levels in ordered.items():
        cells = table.column(column).cast(pa.string())
        codes = pc.index_in(cells, pa.array(list(levels), pa.string()))
        undeclared = pc.and_(pc.is_null(codes), pc.is_valid(cells))
        if (row := pc.index(undeclared, True).as_py()) >= 0:
            raise DataFormatError(
                f"column {shown(column)}: {shown(cells[row].as_py())} (row {row + 1}) is not one of the ordered levels "
                f"{shown(list(levels))}",
                name,
                column=table.column_names.index(column) + 1,
                remedy="name it among them, or as missing",
            )
        values = pa.array(list(levels), pa.string())
        array = pa.DictionaryArray.from_arrays(codes.combine_chunks().cast(pa.int32()), values, ordered=True)
        place = table.column_names.index(column)
        table = table.set_column(place, table.schema.field(place).with_type(array.type), array)
    return table.drop_columns(list(ignore)) if ignore else table


__all__ = ["FORMATS", "DataFile", "Delimited", "open_delimited", "read_file", "read_table"]
