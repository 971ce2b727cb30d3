"""Models as programs in other languages that give the same answers; each writer reads a flat program, never a tree."""
