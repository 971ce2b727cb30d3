"""Play-tennis (Quinlan 1986; Mitchell 1997, table 3.2), whole and as the sunny node with a missing cell."""

from __future__ import annotations

from treewright.datasets.dataset import Dataset, columns_of, make

_HEADER = "outlook temperature humidity wind play"

_DAYS = """
    sunny    hot  high   weak   no
    sunny    hot  high   strong no
    overcast hot  high   weak   yes
    rain     mild high   weak   yes
    rain     cool normal weak   yes
    rain     cool normal strong no
    overcast cool normal strong yes
    sunny    mild high   weak   no
    sunny    cool normal weak   yes
    rain     mild normal weak   yes
    sunny    mild normal strong yes
    overcast mild high   strong yes
    overcast hot  normal weak   yes
    rain     mild high   strong no
"""

_SUNNY_DAYS = """
    hot  high   weak   no
    hot  high   strong no
    mild high   weak   no
    cool ?      weak   yes
    mild normal strong yes
"""

_LEVELS = {
    "outlook": ["sunny", "overcast", "rain"],
    "temperature": ["hot", "mild", "cool"],
    "humidity": ["high", "normal"],
    "wind": ["weak", "strong"],
    "play": ["no", "yes"],
}


def load_play_tennis(*, low: bool = False) -> Dataset:
    """Return the 14 days d1 to d14 of play-tennis: four nominal columns, target `play` (9 yes, 5 no).

    Args:
        low: Declare a third humidity level, `low`, that no day has; ID3 then grows an empty branch for it.
    """
    levels = dict(_LEVELS)
    if low:
        levels["humidity"] = ["high", "normal", "low"]
    about = """Is it a day to play tennis? 14 days in their usual order, d1 to d14
        (J. R. Quinlan 1986; T. Mitchell, Machine Learning, 1997, table 3.2)."""
    return make("play_tennis", columns_of(_HEADER, _DAYS), levels, "play", about)


def load_sunny_missing() -> Dataset:
    """Return the five sunny days of play-tennis (d1, d2, d8, d9, d11) with the humidity of d9 missing."""
    columns = columns_of("temperature humidity wind play", _SUNNY_DAYS)
    levels = {column: _LEVELS[column] for column in columns}
    about = """The sunny days d1, d2, d8, d9 and d11 of play-tennis; the humidity of d9 is missing
        (an example of D. Weld's lectures on decision trees)."""
    return make("sunny_missing", columns, levels, "play", about)
