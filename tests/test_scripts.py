"""The scripts on a machine where something is missing; the other case runs these tests."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = ("bash", "cat", "cksum", "cp", "dirname", "env", "mkdir", "rm")

OLD = "exit 1"
WITHOUT_VENV = 'case "$*" in *ensurepip*) exit 1 ;; esac'
WITHOUT_INDEX = """
case "$*" in
    "-m venv"*) mkdir -p "${@: -1}/bin" && cp "$0" "${@: -1}/bin/python" ;;
    "-m pip"*) exit 1 ;;
    *"import pip"*) [[ $0 == */.venv/* ]] ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder with our scripts, and in bin/ the few tools that every machine has."""
    not_kept = shutil.ignore_patterns("__pycache__")  # other processes write there
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts", ignore=not_kept)
    shutil.copy(ROOT / "setup.cfg", tmp_path)
    shutil.copy(ROOT / "setup.py", tmp_path)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found
        (tmp_path / "bin" / tool).symlink_to(found)
    return tmp_path


def play(machine: Path, python: str | None) -> list[str]:
    """Run scripts/play with `python` as the script behind python3; return its error."""
    if python is not None:
        program = machine / "bin" / "python3"
        program.write_text(f"#!{machine}/bin/bash\n{python}\n", encoding="utf-8")
        program.chmod(0o755)
    done = subprocess.run(
        [machine / "scripts" / "play"],
        env={"PATH": str(machine / "bin"), "LANG": os.environ.get("LANG", "C.UTF-8")},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    return done.stderr.splitlines()


@pytest.mark.parametrize("python", [None, OLD])
def test_without_a_recent_python(machine: Path, python: str | None) -> None:
    (line,) = play(machine, python)
    assert "needs Python 3.11 or newer" in line


def test_without_the_venv_module(machine: Path) -> None:
    (line,) = play(machine, WITHOUT_VENV)
    assert "apt install python3-venv" in line


def test_without_a_package_index(machine: Path) -> None:
    *_, line = play(machine, WITHOUT_INDEX)
    assert "can reach a Python package index" in line
    assert not (machine / ".venv" / ".made-for").exists()
