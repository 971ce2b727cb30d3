"""Modules of the page run by Node, without a browser: what they compute is compared with Python."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from treewright.explore.modules import script


def computed(entries: str, expression: str, given: Any = None) -> Any:
    """The value of an expression about ``given``, in which the exports of some modules are found under ``$<module>``."""
    if shutil.which("node") is None:
        pytest.skip("Node is not installed (Debian: apt-get install nodejs)")
    # Infinite ends are texts, because JSON has no form for them.
    code = (
        "".join(f"const ${name} = (() => {{\n{script(name)}\nreturn ${name};\n}})();\n" for name in entries.split())
        + "const given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));\n"
        "const plain = (_, x) => (x === Infinity ? 'inf' : x === -Infinity ? '-inf' : typeof x === 'bigint' ? Number(x) : x);\n"
        f"process.stdout.write(JSON.stringify({expression}, plain));"
    )
    done = subprocess.run(["node", "-e", code], input=json.dumps(given), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
