"""Coverage-guided fuzzing with atheris: ``python -m tests.fuzz.run TARGET [options of libFuzzer]``; finds go into the corpus."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["treewright", "json"]):
    from tests.fuzz.targets import CORPUS, TARGETS


def main() -> None:
    name, options = sys.argv[1], sys.argv[2:]
    target = TARGETS[name]
    atheris.Setup([sys.argv[0], *options, str(CORPUS / name)], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
