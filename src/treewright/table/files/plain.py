"""The fast reader of declared files (ARFF, C4.5) whose rows hold no quotes, escapes or comments: Arrow parses them.

It returns None for what it cannot read, or reads otherwise than declared: the exact reader then decides and finds the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright.table.files.source import LONGEST_LINE

if TYPE_CHECKING:
    from treewright.table.files.arff import Attribute


def plain_columns(rows: bytes, special: bytes, attributes: Sequence[Attribute]) -> list[Any] | None:
    """Return the columns of comma-separated rows, typed as declared; None if the fast reader cannot."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    if any(bytes([byte]) in rows for byte in special + b"\0") or not rows.strip():
        return None
    names = [str(j) for j in range(len(attributes))]
    read = arrow_csv.ReadOptions(column_names=names, block_size=LONGEST_LINE)
    parse = arrow_csv.ParseOptions(quote_char=False)
    convert = arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    try:
        table = arrow_csv.read_csv(pa.BufferReader(rows), read, parse, convert)
        return [typed_text(attribute, column) for attribute, column in zip(attributes, table.columns, strict=True)]
    except (pa.ArrowInvalid, Undecided):
        return None


class Undecided(Exception):
    """A cell that the fast reader does not understand."""


def typed_text(attribute: Attribute, column: Any) -> Any:
    """Return a column of text as declared; refuse what does not fit."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(column)
    cells = pc.if_else(pc.equal(bare, "?"), pa.scalar(None, pa.string()), bare)
    if attribute.kind == "numeric":
        numbers = pc.cast(cells, pa.float64())
        if not pc.all(pc.is_finite(numbers)).as_py() and numbers.null_count < len(numbers):
            raise Undecided
        return numbers
    if attribute.kind == "nominal":
        levels = pa.array(list(attribute.levels), pa.string())
        codes = pc.index_in(cells, levels).combine_chunks().cast(pa.int32())
        if codes.null_count != cells.null_count:
            raise Undecided
        return pa.DictionaryArray.from_arrays(codes, levels)
    if attribute.kind == "text":
        return cells
    raise Undecided
