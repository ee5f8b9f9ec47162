"""Named pipes, devices and symlink loops in place of files: a sentence at once, never a hang."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.hosts_and_clients import SECONDS, coffeerush, environment

HOST = "host --headless --port 0 --bind 127.0.0.1 --games 1"
REASONS = {
    "pipe": "Not a regular file",
    "zero": "Not a regular file",
    "loop": "Too many levels of symbolic links",
}


def run(folder: Path, *words: str) -> tuple[int, str]:
    """Run a command with the special files in its working directory; return exit code and error."""
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    (folder / "zero").symlink_to("/dev/zero")
    done = subprocess.run(
        coffeerush(*words),
        cwd=folder,
        env=environment(folder / "state"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("export", name) for name in REASONS),
        ("replay", "pipe"),
        ("deck check", "zero"),
        ("play --plain --deck", "pipe"),
        ("arena --bots random,random --deck", "zero"),
        (f"{HOST} --bots regular,regular --deck", "pipe"),
        (f"{HOST} --resume", "loop"),
    ],
)
def test_a_special_file_is_refused(tmp_path: Path, command: str, name: str) -> None:
    code, error = run(tmp_path, *command.split(), name)
    assert code == 1
    (line,) = error.splitlines()
    assert line.startswith("Error: ")
    assert name in line
    assert REASONS[name] in line


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pipe", "zero", "loop"])
def test_special_files_in_place_of_settings_are_ignored(tmp_path: Path, name: str) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "settings.json").symlink_to(tmp_path / name)
    assert run(tmp_path, "--version") == (0, "")
