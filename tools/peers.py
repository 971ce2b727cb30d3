"""Run the reference programs and record their answers under tests/peers/recorded, with versions.

Each reference has a function here that records one kind of answer; the suite compares with the records, so that it needs
neither the programs nor Java or R. scikit-learn, which the suite has anyway, is compared with directly.
"""

from pathlib import Path

RECORDED = Path(__file__).parent.parent / "tests" / "peers" / "recorded"
RECORDERS: dict[str, object] = {}


def main() -> None:
    """Run every recorder."""
    if not RECORDERS:
        print("no reference program is recorded yet: scikit-learn is compared with directly by tests/peers")


if __name__ == "__main__":
    main()
