"""A second, naive implementation of docs/parts.md, and the tests that hold the core against it."""
