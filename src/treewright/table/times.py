"""Dates, durations and times of day as microseconds, whatever holds them; dates keep the time zone they were written in.

A time of day is the duration since midnight. Inside, moments with a zone are UTC, those without are taken as they stand.
"""

from __future__ import annotations

import datetime as dt
import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from treewright.errors import TreewrightWarning, outside
from treewright.table.raw import Array, Raw, is_missing


def from_numpy(name: str, values: Array, zone: str | None = None) -> Raw:
    """Read datetime64 or timedelta64; with a ``zone`` they are UTC."""
    kind = values.dtype.kind
    step = values.astype(f"{kind}8[us]")
    present = ~np.isnat(step)
    back = step.astype(values.dtype)
    if np.any((back != values) & present & ~np.isnat(values)):
        fine = np.datetime_data(values.dtype)[0] in ("ns", "ps", "fs", "as")
        if not fine:
            raise _too_far(name)
        _warn_nanoseconds(name)
    micro = step.view(np.int64).astype(np.float64)
    micro[~present] = np.nan
    return Raw(name, "date" if kind == "M" else "duration", micro, zone=zone)


def from_arrow(name: str, array: Any) -> Raw:
    """Read an Arrow array of timestamps, dates, durations or times of day."""
    import pyarrow as pa

    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    found, zone = array.type, getattr(array.type, "tz", None)
    fine = getattr(found, "unit", "us") == "ns"
    clock = pa.types.is_time(found)
    if clock:
        unit = pa.time64("us")
    else:
        unit = pa.duration("us") if pa.types.is_duration(found) else pa.timestamp("us", tz=zone)
    try:
        micro = array.cast(unit, safe=not fine).cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise _too_far(name) from error
    values = micro.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    if fine:
        exact = array.cast(pa.int64()).to_numpy(zero_copy_only=False)
        if np.any(np.nan_to_num(np.mod(exact, 1000)) != 0):
            _warn_nanoseconds(name)
    return Raw(name, "duration" if clock or pa.types.is_duration(found) else "date", values, zone=zone)


def from_objects(name: str, values: Array) -> Raw:
    """Read Python dates and moments, or durations, or times of day."""
    cells = [None if is_missing(value) else value for value in values]
    present = [cell for cell in cells if cell is not None]
    if isinstance(present[0], dt.time):
        clock = [None if cell is None else _since_midnight(cell) for cell in cells]
        return from_numpy(name, np.array(clock, "m8[us]"))
    if isinstance(present[0], (dt.timedelta, np.timedelta64)):
        return from_numpy(name, np.array(cells, "m8[us]"))
    aware = [cell for cell in present if getattr(cell, "tzinfo", None) is not None]
    if not aware:
        return from_numpy(name, np.array(cells, "M8[us]"))
    if len(aware) < len(present):
        raise ValueError(
            f"column {name!r} mixes moments with and without a time zone: give all of them one, or none, "
            "such as pandas.to_datetime(column, utc=True)"
        )
    zones = {_zone_name(cell) for cell in aware}
    moments = [None if cell is None else cell.astimezone(dt.UTC).replace(tzinfo=None) for cell in cells]
    return from_numpy(name, np.array(moments, "M8[us]"), zones.pop() if len(zones) == 1 else "UTC")


def _since_midnight(clock: dt.time) -> dt.timedelta:
    return dt.timedelta(hours=clock.hour, minutes=clock.minute, seconds=clock.second, microseconds=clock.microsecond)


def _zone_name(moment: dt.datetime) -> str:
    named = getattr(moment.tzinfo, "key", None) or getattr(moment.tzinfo, "zone", None)  # zoneinfo, pytz
    if named:
        return str(named)
    offset = moment.utcoffset()
    return str(dt.timezone(offset)).removeprefix("UTC") if offset else "UTC"


@lru_cache(256)
def time_zone(name: str) -> dt.tzinfo:
    """Return the zone of that name or offset; UTC where this machine does not know it."""
    import zoneinfo

    if name[:1] in ("+", "-"):
        offset = dt.datetime.strptime(name, "%z").tzinfo
        assert offset is not None
        return offset
    try:
        return dt.UTC if name == "UTC" else zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return dt.UTC


def _too_far(name: str) -> ValueError:
    return ValueError(
        f"column {name!r} holds moments or durations of more than 292,000 years, too far for microseconds: convert it to numbers"
    )


def _warn_nanoseconds(name: str) -> None:
    warnings.warn(
        f"column {name!r} has moments closer than a microsecond, which count as equal: convert it to numbers to tell them apart",
        TreewrightWarning,
        stacklevel=outside(),
    )
