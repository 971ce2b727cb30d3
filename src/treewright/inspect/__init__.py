"""Looks into a model: why a row gets its answer."""
