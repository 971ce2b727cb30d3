"""From any frame to typed columns: what is numeric, what is nominal, what is missing."""

from treewright.table.frames import raw_columns
from treewright.table.learn import learn_schema
from treewright.table.match import read_cells
from treewright.table.raw import Raw
from treewright.table.schema import ColumnSchema, TableSchema, TargetSchema

__all__ = ["ColumnSchema", "Raw", "TableSchema", "TargetSchema", "learn_schema", "raw_columns", "read_cells"]
