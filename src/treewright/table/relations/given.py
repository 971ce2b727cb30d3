"""Relations as they are given: a dictionary of frames or tuples, or a folder of CSV, Parquet and Prolog files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.errors import DataFormatError, counted, shown, unknown
from treewright.table.relations.constants import plain

FACTS = (".pl", ".pro", ".prolog")
TABLES = (".csv", ".tsv", ".parquet", ".pq", ".arrow", ".feather", ".jsonl")
NEGATIVES = ("neg", "negative", "negatives")  # files of tuples that do not belong to a relation


@dataclass(frozen=True, eq=False)
class Relation:
    """A named set of tuples.

    Attributes
    ----------
    name : str
        Its name; relations may share one if they differ in their number of arguments.
    columns : tuple of str
        Names of its arguments, A, B, … where none were given.
    values : tuple of list
        The constants, by argument; None where nothing is known.
    named : bool
        Whether the names of the arguments were given.
    """

    name: str
    columns: tuple[str, ...]
    values: tuple[list[Any], ...]
    named: bool = True

    @property
    def arity(self) -> int:
        """How many arguments it has."""
        return len(self.columns)

    @property
    def key(self) -> tuple[str, int]:
        """What tells it from others."""
        return self.name, self.arity

    @property
    def label(self) -> str:
        """Its name with its number of arguments, as in parent/2."""
        return f"{self.name}/{self.arity}"

    def __len__(self) -> int:
        return len(self.values[0])

    def tuples(self) -> list[tuple[Any, ...]]:
        """Its tuples, as they were given."""
        return list(zip(*self.values, strict=True))

    def __repr__(self) -> str:
        return f"<Relation {self.name}({', '.join(self.columns)}): {counted(len(self), 'tuple')}>"


class Relations(Mapping[tuple[str, int], Relation]):
    """Relations by name and number of arguments, in the order in which they were given."""

    def __init__(self, relations: Iterable[Relation]) -> None:
        self._held = {relation.key: relation for relation in relations}

    def __getitem__(self, key: tuple[str, int]) -> Relation:
        return self._held[key]

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def named(self, name: Any) -> Relation:
        """The relation of a name, or of a name with its number of arguments."""
        if not isinstance(name, str):
            raise TypeError(f"a relation is named by text, not by {shown(name)}")
        base, arity = split_name(name)
        found = [one for one in self.values() if one.name in (name, base) and arity in (None, one.arity)]
        if not found:
            raise unknown("relation", name, [one.name for one in self.values()])
        if len(found) > 1:
            raise ValueError(f"relation {name!r} has several numbers of arguments: say {' or '.join(one.label for one in found)}")
        return found[0]

    def without(self, key: tuple[str, int]) -> Relations:
        """All others."""
        return Relations(one for one in self.values() if one.key != key)

    def __repr__(self) -> str:
        return f"<Relations: {', '.join(f'{one.label} ({len(one)})' for one in self.values())}>"


def split_name(name: str) -> tuple[str, int | None]:
    """A name without its number of arguments, and that number, if it has one."""
    base, slash, arity = name.rpartition("/")
    return (base, int(arity)) if slash and base and arity.isdecimal() and arity.isascii() else (name, None)


def letters(n: int) -> tuple[str, ...]:
    """Names for so many arguments: A, B, …, Z, A1 and so on."""
    return tuple(chr(65 + i % 26) + (str(i // 26) if i >= 26 else "") for i in range(n))


def given_relations(relations: Any) -> Relations:
    """Relations from a dictionary of frames or tuples."""
    if isinstance(relations, Relations):
        return relations
    if not isinstance(relations, Mapping):
        raise TypeError(
            f"relations are a dictionary of frames by name, or the path of a folder, not {shown(type(relations).__name__)}"
        )
    out = []
    for name, table in relations.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"a relation is named by text, not by {shown(name)}")
        out.append(given_relation(name, table))
    if not out:
        raise ValueError("there are no relations: give a dictionary of frames by name, or a folder")
    if len({one.key for one in out}) < len(out):
        raise ValueError("two relations have the same name and the same number of arguments")
    return Relations(out)


def given_relation(name: str, table: Any, columns: tuple[str, ...] | None = None) -> Relation:
    """One relation from a frame, a matrix or tuples; ``columns``: what its arguments are called where the table does not tell."""
    if isinstance(table, Relation):
        return table
    names, values = _columns_of(name, table)
    named = names is not None or columns is not None
    if names is None:
        names = columns if columns is not None and (len(columns) == len(values) or not values) else letters(len(values))
        values = values or [[] for _ in names]
    if not values:
        raise ValueError(f"relation {name!r} has no arguments: a relation has at least one column")
    if len(set(names)) < len(names):
        raise ValueError(f"relation {name!r} has two columns of the same name: {shown(sorted(names))}")
    base, arity = split_name(name)
    if arity is not None and arity != len(values):
        raise ValueError(f"relation {name!r} has {counted(len(values), 'column')}: it must have as many as its name says")
    return Relation(base, tuple(names), tuple(map(_cleaned, values)), named)


def _cleaned(values: list[Any]) -> list[Any]:
    return list(map(plain, values))


def _columns_of(name: str, table: Any) -> tuple[tuple[str, ...] | None, list[list[Any]]]:
    """Names of columns, if there are any, and their cells as plain values."""
    if hasattr(table, "column_names") and hasattr(table, "column"):  # Arrow
        return tuple(map(str, table.column_names)), [table.column(i).to_pylist() for i in range(table.num_columns)]
    if hasattr(table, "columns") and hasattr(table, "iloc"):  # pandas
        return _spoken(list(table.columns)), [table.iloc[:, i].tolist() for i in range(table.shape[1])]
    if hasattr(table, "columns") and hasattr(table, "get_columns"):  # polars
        return tuple(map(str, table.columns)), [column.to_list() for column in table.get_columns()]
    if hasattr(table, "shape") and hasattr(table, "tolist"):  # NumPy
        if getattr(table.dtype, "names", None):
            return tuple(table.dtype.names), [table[name].tolist() for name in table.dtype.names]
        if len(table.shape) == 1:
            return None, [table.tolist()]
        if len(table.shape) != 2:
            raise ValueError(f"relation {name!r} is an array of {len(table.shape)} dimensions: it must have 2")
        return None, [table[:, i].tolist() for i in range(table.shape[1])]
    if isinstance(table, (str, bytes, Mapping)) or not isinstance(table, Iterable):
        raise TypeError(f"relation {name!r} is {shown(table)}: it must be a frame, an array or a list of tuples")
    rows = sorted(table, key=repr) if isinstance(table, Set) else list(table)
    rows = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
    arities = sorted({len(row) for row in rows})
    if len(arities) > 1:
        odd = next(row for row in rows if len(row) != len(rows[0]))
        first = f"{shown(rows[0])} has {len(rows[0])}"
        raise ValueError(f"relation {name!r}: {shown(odd)} has {counted(len(odd), 'argument')}, {first}")
    if arities == [0]:
        raise ValueError(f"relation {name!r} has tuples without arguments: a relation has at least one")
    return None, [list(column) for column in zip(*rows, strict=True)]


def _spoken(names: list[Any]) -> tuple[str, ...] | None:
    """Names of pandas columns; numbers that count them are none."""
    return None if names == list(range(len(names))) else tuple(map(str, names))


def read_relations(folder: Any) -> tuple[Relations, dict[tuple[str, int], Relation]]:
    """Relations of a folder, and the tuples that do not belong to them.

    A table (CSV, Parquet, …) is one relation, named as its file. Prolog files hold facts; those of a file called ``neg`` do not
    hold, nor do the rows of a table whose name ends in ``.neg``.
    """
    from treewright.table.files import read_table
    from treewright.table.relations.facts import read_facts

    path = Path(os.fspath(folder))
    if not path.is_dir():
        raise FileNotFoundError(f"{path} is no folder: relations are read from a folder of CSV, Parquet or Prolog files")
    held: dict[tuple[str, int], Relation] = {}
    denied: dict[tuple[str, int], Relation] = {}

    def add(relation: Relation, into: dict[tuple[str, int], Relation], file: Path) -> None:
        before = into.get(relation.key)
        if before is not None:
            if before.named or relation.named:
                raise DataFormatError(f"relation {relation.label} is in two files", str(file), remedy="keep one of them")
            relation = Relation(
                relation.name, relation.columns, tuple(a + b for a, b in zip(before.values, relation.values, strict=True)), False
            )
        into[relation.key] = relation

    for file in sorted(path.iterdir()):
        ending = file.suffix.lower()
        if ending in FACTS:
            into = denied if file.stem.lower() in NEGATIVES else held
            for relation in read_facts(file):
                add(relation, into, file)
        elif ending in TABLES and file.name != "manifest.csv":
            stem = file.stem
            into = denied if stem.lower().endswith(".neg") else held
            add(given_relation(stem[:-4] if into is denied else stem, read_table(file)), into, file)
    if not held:
        raise FileNotFoundError(f"{path} holds no relations: CSV, Parquet or Prolog files (.pl) are read")
    return Relations(held.values()), denied
