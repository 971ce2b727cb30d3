"""Numbers are read from Arrow's buffers as Arrow itself would give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.table.arrow import numbers_of

from .tables import modest

WHOLE = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from([pa.float32(), pa.float64(), *WHOLE]))
    cell = st.floats(width=32) if kind in (pa.float32(), pa.float64()) else st.integers(0, 100)
    chunks = draw(st.lists(st.lists(st.none() | cell if draw(st.booleans()) else cell, max_size=20), max_size=3))
    made = [pa.array(chunk, kind) for chunk in chunks]
    cut = [one[draw(st.integers(0, len(one))) :] for one in made]
    return pa.chunked_array(cut, kind)


@modest(200)
@given(arrays())
def test_numbers_are_those_of_arrow(array: Any) -> None:
    found = numbers_of(array)
    wanted = array.to_numpy() if array.num_chunks else np.empty(0)
    assert found is not None
    np.testing.assert_array_equal(found, wanted.astype(found.dtype))
    if array.null_count == 0 and len(array):
        assert found.dtype == wanted.dtype
    whole = numbers_of(array, 99)
    assert whole is not None
    np.testing.assert_array_equal(np.isnan(found), (whole == 99) & np.isnan(found) if array.null_count else np.isnan(whole))


@pytest.mark.parametrize("kind", [pa.string(), pa.bool_(), pa.date32(), pa.decimal128(9, 2), pa.float16()])
def test_other_types_are_left_to_others(kind: Any) -> None:
    assert numbers_of(pa.nulls(3, kind)) is None
