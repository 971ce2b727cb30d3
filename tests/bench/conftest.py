"""Let the tests import `bench` from the root of the project, which is not an installed package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
