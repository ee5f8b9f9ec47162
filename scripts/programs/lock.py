"""Write `examples/headless/requirements.txt`: all that a host needs, with versions and hashes.

Needs uv (`pip install uv`), and a package index. Without arguments versions are kept where they
still fit; `--upgrade` takes the newest ones.
"""

import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
LOCK: Final = ROOT / "examples" / "headless" / "requirements.txt"
HEAD: Final = """\
# What a host needs to run and to be installed, for pip --require-hashes: see docs/operations.md.
# Written by: .venv/bin/python -m scripts.programs.lock
"""
COMMAND: Final = (
    *("uv", "pip", "compile", "-", "--quiet", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-header", "--no-annotate", "--output-file", str(LOCK)),
)


def requirements() -> list[str]:
    """Return what setup.cfg says that a host needs, and what builds it."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    test = config["options.extras_require"]["test"].split("\n")
    build = [line for line in test if line.startswith("setuptools")]
    return [*config["options"]["install_requires"].strip().split("\n"), *build]


def main() -> None:
    """Resolve the requirements and write the file."""
    wanted = "\n".join(requirements())
    subprocess.run([*COMMAND, *sys.argv[1:]], input=wanted, text=True, check=True)
    LOCK.write_text(HEAD + LOCK.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()
