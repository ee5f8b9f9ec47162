"""The wheel: built, installed into a clean environment, and played outside the tree."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from tests.support.hosts_and_clients import ROOT, SECONDS
from tests.support.once import made_once

pytestmark = pytest.mark.soak  # builds and installs
PARTS = ("coffeerush", "protocol", "MANIFEST.in", "setup.cfg", "setup.py", "README.md", "LICENSE")
"""Everything that a wheel is built from."""


def run(*words: str, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run a program that must succeed; return its output."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (made,) = (made_once(tmp_path_factory, "wheel", build) / "dist").glob("*.whl")
    return made


def build(source: Path) -> None:
    """Build a wheel from a copy of what it needs."""
    for name in PARTS:
        part = ROOT / name
        if part.is_dir():
            not_kept = shutil.ignore_patterns("__pycache__", "*.mo")
            shutil.copytree(part, source / name, ignore=not_kept)
        else:
            shutil.copy(part, source)
    words = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist")
    run(*words, cwd=source)


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a new environment, and return its directory of programs."""
    return made_once(tmp_path_factory, "environment", partial(install, wheel)) / "bin"


def install(wheel: Path, folder: Path) -> None:
    """Install a wheel into a new environment.

    Its requirements come from the tests' environment through a .pth file, so nothing is
    downloaded.
    """
    run(sys.executable, "-m", "venv", "--without-pip", str(folder), cwd=folder)
    run(*pip_for(folder), "install", "--no-index", "--no-deps", str(wheel), cwd=folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "required.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")


def pip_for(environment: Path) -> tuple[str, ...]:
    """Return the command line of the tests' own pip, which acts on another environment."""
    return (sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python"))


def clean(state: Path) -> dict[str, str]:
    """Return environment variables in which no path leads to the tree."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "COFFEERUSH_STATE": str(state)}


def test_the_wheel_holds_the_two_packages_with_their_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"coffeerush", "protocol"}
    assert {"coffeerush/decks/standard.toml", "protocol/SPEC.md", "protocol/schema.json"} <= set(
        names
    )
    assert any(name.startswith("protocol/vectors/") for name in names)
    languages = {name.split("/")[2] for name in names if name.endswith("/coffeerush.mo")}
    assert languages == {"pt_BR", "it", "es", "ko", "ru"}


def test_all_requirements_are_declared(programs: Path, tmp_path: Path) -> None:
    run(*pip_for(programs.parent), "check", cwd=tmp_path)


def test_a_host_and_two_bots_play_a_game_outside_the_tree(programs: Path, tmp_path: Path) -> None:
    coffeerush, env = str(programs / "coffeerush"), clean(tmp_path / "state")
    (tmp_path / "string.py").write_text("raise SystemExit('imported from the working directory')")
    words = ("host", "--headless", "--seats", "2", "--games", "1", "--port", "0")
    with subprocess.Popen(
        [coffeerush, *words, "--bind", "127.0.0.1"],
        cwd=tmp_path,
        env=env,
        stderr=subprocess.PIPE,
        text=True,
    ) as host:
        assert host.stderr is not None
        address, code = host.stderr.readline().split(" join ")[1].split()
        bots = [
            subprocess.Popen(
                [coffeerush, "bot", address, code, "--bot", kind, "--games", "1"],
                cwd=tmp_path,
                env=env,
                stdout=subprocess.PIPE,
                text=True,
            )
            for kind in ("regular", "random")
        ]
        said = [bot.communicate(timeout=SECONDS)[0] for bot in bots]
        assert "Game 1 is over: regular" in host.communicate(timeout=SECONDS)[1]
        assert host.returncode == 0
    assert [bot.returncode for bot in bots] == [0, 0]
    assert said[0] == said[1]
    assert said[0].startswith("Game 1 is over. regular")
    (record,) = (tmp_path / "state" / "records").glob("*.record")
    last = run(coffeerush, "export", str(record), cwd=tmp_path, env=env).splitlines()[-1]
    assert '"type":"result"' in last


def test_the_installed_package_is_the_one_that_runs(programs: Path, tmp_path: Path) -> None:
    where = "import coffeerush, protocol; print(coffeerush.__file__, protocol.__file__)"
    found = run(str(programs / "python"), "-c", where, cwd=tmp_path, env=clean(tmp_path))
    assert all(str(programs.parent) in path for path in found.split())
