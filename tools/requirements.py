"""Print the requirements of pyproject.toml: those of the package, of building it, and of the extras named as arguments.

With ``--oldest`` first, the lowest version of each that is declared, and not those for building.
"""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
extras = sys.argv[1:]
oldest = extras[:1] == ["--oldest"]
wanted = [*project["project"]["dependencies"], *([] if oldest else project["build-system"]["requires"])]
for extra in extras[oldest:]:
    wanted += project["project"]["optional-dependencies"][extra]
print("\n".join(each.replace(">=", "==") if oldest else each for each in wanted))
