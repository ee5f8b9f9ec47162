"""A release: the files that `scripts/release` builds, tried without the project."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from coffeerush import __version__
from coffeerush.local.settings import LANGUAGES
from scripts.programs.release.__main__ import build_pyz
from scripts.programs.release.notes import notes
from scripts.programs.release.platforms import PYTHONS, SYSTEMS, complete_platforms
from tests.support.hosts_and_clients import ROOT
from tests.support.once import made_once

PREAMBLE = ROOT / "scripts/programs/release/preamble.py"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a release for this machine."""
    return made_once(tmp_path_factory, "release", build) / "dist"


def build(folder: Path) -> None:
    folder /= "dist"
    words = (sys.executable, "-m", "scripts.programs.release", "--here", "--output", str(folder))
    with (ROOT / "setup.py").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # other processes that test build in the same folder
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def pages(release: Path) -> dict[str, str]:
    """Return the man pages in the wheel, by language."""
    (wheel,) = release.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        found = [one for one in archive.namelist() if "/data/share/man/" in one]
        return {
            path.partition("/man/")[2].removesuffix("man1/coffeerush.1").rstrip("/") or "en": (
                archive.read(path).decode()
            )
            for path in found
        }


@pytest.mark.soak
def test_the_checksums_are_those_of_the_files(release: Path) -> None:
    lines = (release / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in map(str.split, lines)}
    files = {one.name for one in release.iterdir()} - {"SHA256SUMS"}
    assert files == {*sums} >= {"coffeerush.pyz", "NOTES.md"}
    for name, digest in sums.items():
        assert hashlib.sha256((release / name).read_bytes()).hexdigest() == digest


@pytest.mark.soak
def test_the_wheel_has_a_man_page_with_every_command_in_every_language(release: Path) -> None:
    found = pages(release)
    assert {*found} == {*LANGUAGES} - {""}
    for page in found.values():
        assert ".SH coffeerush arena ladder\n" in page
        assert "\\-\\-turn\\-seconds" in page
    assert len({page.split(".SH coffeerush play")[1] for page in found.values()}) == len(found)


@pytest.mark.soak
@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff: install groff-base")
def test_man_shows_the_page_without_warnings(release: Path, tmp_path: Path) -> None:
    path = tmp_path / "coffeerush.1"
    path.write_text(pages(release)["en"], encoding="utf-8")
    done = subprocess.run(
        ["groff", "-k", "-ww", "-man", "-Tutf8", path], capture_output=True, text=True, check=True
    )
    assert not done.stderr
    assert "--seed" in done.stdout


@pytest.mark.soak
def test_the_single_file_plays_without_the_project(release: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["python3", "coffeerush.pyz", "arena", "--bots", "regular,casual", "--games", "4"],
        cwd=release,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Regular" in done.stdout


@pytest.mark.soak
def test_the_single_file_has_the_same_bytes_when_built_again(release: Path, tmp_path: Path) -> None:
    (wheel,) = release.glob("*.whl")
    build_pyz(wheel, tmp_path / "again.pyz", only_here=True)
    assert (tmp_path / "again.pyz").read_bytes() == (release / "coffeerush.pyz").read_bytes()


def test_a_slow_start_says_once_why() -> None:
    waits = f"exec(open({str(PREAMBLE)!r}).read()); input()"
    with subprocess.Popen(
        [sys.executable, "-c", waits], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as slow:
        assert slow.stderr is not None
        assert slow.stderr.readline().startswith("Unpacking Coffee Rush")


def test_the_notes_are_the_section_of_the_version() -> None:
    newer = "# Changelog\n\n## Unreleased\n\nNew.\n\n## [0.2.0] - 2026-12-01\n\n### Added\n- A.\n"
    text = f"{newer}\n## 0.1.0\n\nOld.\n"
    assert notes(text, "0.2.0") == "# Coffee Rush 0.2.0\n\n### Added\n- A.\n"
    assert notes(text, "0.3.0") == "# Coffee Rush 0.3.0\n\nNew.\n"
    with pytest.raises(ValueError, match="write one"):
        notes("# Changelog\n", "0.3.0")
    assert notes((ROOT / "CHANGELOG.md").read_text(), __version__).count("\n") > 3


def test_a_release_is_for_every_python_and_system() -> None:
    platforms = complete_platforms()
    assert len(platforms) == len(PYTHONS) * len(SYSTEMS)
    for one in platforms:
        version = one["marker_environment"]["python_version"]
        assert f"cp{version.replace('.', '')}-none-any" in one["compatible_tags"]
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in {
        one["marker_environment"]["python_version"] for one in platforms
    }
