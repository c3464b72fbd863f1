"""Cold starts: `partita demo` right after the installation and again, and the import.

    python benchmarks/start_up.py

The first demo runs with an empty compilation cache (NUMBA_CACHE_DIR) and no byte code of ours; the figures of a fresh
virtual environment, disk cache cold, are in benchmarks/README.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from timing import timed

MODULES = ("partita", "partita.estimators", "sklearn.cluster")


def seconds(command: list[str], **environment: str) -> float:
    given = os.environ | environment
    return timed(lambda: subprocess.run(command, check=True, env=given, stdout=subprocess.DEVNULL))[0]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        demo = [sys.executable, "-m", "partita", "demo", "--quiet", "--out", f"{home}/demo"]
        cache = {"NUMBA_CACHE_DIR": f"{home}/numba", "MPLCONFIGDIR": f"{home}/matplotlib"}
        print(f"partita demo, empty caches   {seconds(demo, **cache):6.2f} s")
        print(f"partita demo, second time    {seconds(demo, **cache):6.2f} s")
    imports = {name: min(seconds([sys.executable, "-c", f"import {name}"]) for _ in range(3)) for name in MODULES}
    for name, value in imports.items():
        print(f"import {name:21s} {value:6.2f} s")
    print(f"ratio of the last two        {imports['partita.estimators'] / imports['sklearn.cluster']:6.2f}")
