"""From any frame to typed columns: what is numeric, what is nominal, what is missing."""

from treewright.table.frames import Raw, raw_columns
from treewright.table.read import learn_schema, read_cells
from treewright.table.schema import ColumnSchema, TargetSchema

__all__ = ["ColumnSchema", "Raw", "TargetSchema", "learn_schema", "raw_columns", "read_cells"]
