"""A package of its own: others install one of this name."""
