"""``python -m treewright`` is the command ``treewright``."""

import sys

from treewright.cli import main

sys.exit(main())
