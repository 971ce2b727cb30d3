"""Marks in pictures of results: polygons, which are drawn above all lines."""

from __future__ import annotations

import math

from treewright.show.picture import WHITE, Path


def mark(shape: str, x: float, y: float, size: float, color: str) -> Path:
    """A filled disc, square, diamond or wedge around a place, about twice ``size`` wide; a wedge points downwards."""
    if shape == "disc":
        angles = [math.tau * k / 20 for k in range(20)]
        corners = [(x + size * math.cos(angle), y + size * math.sin(angle)) for angle in angles]
    elif shape == "square":
        r = 0.9 * size
        corners = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
    elif shape == "diamond":
        r = 1.25 * size
        corners = [(x, y - r), (x + r, y), (x, y + r), (x - r, y)]
    else:
        corners = [(x - size, y - size), (x + size, y - size), (x, y + size)]
    return Path(corners, 0.75, WHITE, color)
