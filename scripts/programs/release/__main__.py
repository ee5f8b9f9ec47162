"""Build a release: wheel, source archive, `coffeerush.pyz`, release notes and checksums.

The same commit gives the same bytes, as long as the package index has the same versions.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import PathDistribution
from pathlib import Path

from packaging.requirements import Requirement

from coffeerush import __version__
from coffeerush.local.settings import LANGUAGES

from .notes import notes
from .platforms import complete_platforms

ROOT = Path(__file__).resolve().parents[3]
MAN = ROOT / "build/man"
"""`setup.py` puts what is here into the wheel."""


def main(words: Sequence[str] | None = None) -> None:
    """Build everything; the folder is emptied first."""
    parser = argparse.ArgumentParser(prog="scripts/release", description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="default: dist")
    parser.add_argument(
        "--here",
        action="store_true",
        help="coffeerush.pyz for this machine and this Python only, from what is installed here",
    )
    options = parser.parse_args(words)
    output: Path = options.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    seconds = int(_git("log", "-1", "--format=%ct"))
    os.environ["SOURCE_DATE_EPOCH"] = str(seconds)

    _step("man pages")
    write_man_pages(datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d"))
    _step("wheel and source archive")
    _run("-m", "build", "--wheel", "--no-isolation", "--outdir", str(output), str(ROOT))
    name = f"coffeerush-{__version__}"
    _git("archive", f"--prefix={name}/", f"--output={output / name}.tar.gz", "HEAD")
    _step("coffeerush.pyz")
    (wheel,) = output.glob("*.whl")
    build_pyz(wheel, output / "coffeerush.pyz", only_here=options.here)
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (output / "NOTES.md").write_text(notes(text, __version__), encoding="utf-8")
    sums = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in _files(output)
    ]
    (output / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    for file in _files(output):
        print(f"{file.stat().st_size / 1e6:8.2f} MB  {file}")


def write_man_pages(date: str) -> None:
    """Write `coffeerush.1` in each language."""
    shutil.rmtree(MAN, ignore_errors=True)
    for language in filter(None, LANGUAGES):
        folder = MAN if language == "en" else MAN / language
        path = str(folder / "man1/coffeerush.1")
        _run("-m", "scripts.programs.release.man", language, __version__, date, path)


def build_pyz(wheel: Path, pyz: Path, *, only_here: bool) -> None:
    """Build a file that has the game with all that it needs, and unpacks itself when started.

    Args:
        wheel: of the game.
        pyz: the file to write.
        only_here: for this machine and this Python, from what is installed, without downloads.
    """
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder, "sources")
        zipfile.ZipFile(wheel).extractall(sources)
        (metadata,) = sources.glob("*.dist-info")
        requirements = _requirements(PathDistribution(metadata).requires or [])
        _run(
            *("-m", "pex", "--output-file", str(pyz), "--venv", "--disable-cache"),
            *("--entry-point", "coffeerush.cli.main:main", "--sources-directory", str(sources)),
            *("--python-shebang", "/usr/bin/env python3"),
            *("--preamble-file", str(Path(__file__).with_name("preamble.py"))),
            *(["--venv-repository", sys.prefix] if only_here else _targets(Path(folder))),
            *requirements,
        )


def _requirements(lines: Sequence[str]) -> list[str]:
    """Return what the game and its gateway for guests need."""
    found = []
    for needed in map(Requirement, lines):
        if needed.marker is None or needed.marker.evaluate({"extra": "guests"}):
            needed.marker = None
            found.append(str(needed))
    return found


def _targets(folder: Path) -> Iterator[str]:
    """Yield the options for all machines that a release is for; writes their files."""
    for number, platform in enumerate(complete_platforms()):
        path = folder / f"{number}.json"
        path.write_text(json.dumps(platform), encoding="utf-8")
        yield from ("--complete-platform", str(path))
    yield "--no-build"


def _git(*words: str) -> str:
    """Run git on the project, and return what it prints."""
    git = ("git", "-C", str(ROOT), *words)
    return subprocess.run(git, check=True, stdout=subprocess.PIPE, text=True).stdout


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file())


def _run(*words: str) -> None:
    """Run a module of this Python; end with its error if it fails."""
    done = subprocess.run([sys.executable, *words], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def _step(what: str) -> None:
    print(f"Building: {what}…", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
