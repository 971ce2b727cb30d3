"""Print the requirements of pyproject.toml: those of the package, of building it, and of the extras named as arguments."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
for extra in sys.argv[1:]:
    wanted += project["project"]["optional-dependencies"][extra]
print("\n".join(wanted))
