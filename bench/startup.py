"""How long it takes until something happens, each time in a new process; the best of several.

``python bench/startup.py``
"""

from __future__ import annotations

import subprocess
import sys
import time

PYTHON = [sys.executable, "-c"]
COMMANDS = {
    "python itself": [*PYTHON, "pass"],
    "import uncommonsense": [*PYTHON, "import uncommonsense"],
    "uncommonsense --help": [*PYTHON, "from uncommonsense.cli import main; main()", "--help"],
    "import pyarrow": [*PYTHON, "import pyarrow"],
    "uncommonsense senses bank": [*PYTHON, "from uncommonsense.cli import main; main()", "senses", "bank"],
    "import torch": [*PYTHON, "import torch"],
}
TRIES = 5


def main() -> None:
    print("\nSeconds in a new process")
    for name, command in COMMANDS.items():
        print(f"  {name:28s} {min(seconds(command) for _ in range(TRIES)):8.3f}")


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
