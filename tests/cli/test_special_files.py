"""Named pipes, devices and symlink loops in place of files: a sentence at once, never a hang."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from coffeerush.cli.commands import group
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.local.settings import FILE_NAME, Settings, load_settings

HOST = "host --headless --port 0 --bind 127.0.0.1 --games 1"
REASONS = {
    "pipe": "Not a regular file",
    "zero": "Not a regular file",
    "loop": "Too many levels of symbolic links",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, with the special files, and with the directory of the state."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    Path("zero").symlink_to("/dev/zero")
    Path("state").mkdir()
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
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
def test_a_special_file_is_refused(command: str, name: str) -> None:
    done = CliRunner().invoke(group, [*command.split(), name])
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    assert name in line
    assert REASONS[name] in line


@pytest.mark.parametrize("name", REASONS)
def test_special_files_in_place_of_settings_are_ignored(folder: Path, name: str) -> None:
    (folder / "state" / FILE_NAME).symlink_to(folder / name)
    assert load_settings() == Settings()
