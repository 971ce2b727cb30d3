"""Trees that a person edits: each edit as a function of a tree and its rows, kept in a log that can be replayed."""
