"""How the documentation site is made: code blocks that run, the reference from the package, and the check of what was built."""
