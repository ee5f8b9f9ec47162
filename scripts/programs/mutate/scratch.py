"""A temporary copy of the source tree in which mutants are tested."""

import os
import shutil
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Self
from xml.etree import ElementTree

from .mutants import Mutant

LEFT_OUT: Final = shutil.ignore_patterns(
    *(".git", ".venv", ".hypothesis", "*_cache", "__pycache__", "*.egg-info", "build", "dist")
)
RUN_SECONDS: Final = 1200.0
"""Timeout for a run of pytest: tests have their own, but an import may hang."""
FAILED: Final = (1, 2)
"""pytest's exit codes for a failed test and for a failed import."""


class Scratch:
    """A copy of the tree below `root`, deleted at the end of the `with` block."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._versions = count(1)

    def __enter__(self) -> Self:
        self._folder = TemporaryDirectory(prefix="coffeerush-mutate-")
        self.path = Path(self._folder.name) / "tree"
        shutil.copytree(self._root, self.path, ignore=LEFT_OUT)
        return self

    def __exit__(self, *_error: object) -> None:
        self._folder.cleanup()

    def survives(self, mutant: Mutant, tests: list[str]) -> bool:
        """Return whether these tests pass with a mutant."""
        path = self.path / mutant.path
        source, known = path.read_bytes(), path.stat()
        path.write_bytes(mutant.applied(source))
        # Stale bytecode would be reused for a source of equal size written within the same second.
        version = next(self._versions)
        os.utime(path, (version, version))
        try:
            return self._run(tests)[0]
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))

    def seconds(self, tests: list[str]) -> dict[str, float]:
        """Return the run time of each test file without mutants; exit if one fails."""
        report = self.path / "report.xml"
        passed, output = self._run([*tests, f"--junitxml={report}"])
        if not passed:
            sys.exit(f"{output}\nThe tests fail without any change.")
        found = dict.fromkeys(tests, 0.0)
        for case in ElementTree.parse(report).iter("testcase"):
            # a test file, or a class in it
            home = case.attrib["classname"].replace(".", "/") + "/"
            test = next(path for path in tests if home.startswith(path.removesuffix(".py") + "/"))
            found[test] += float(case.attrib["time"])
        return found

    def _run(self, words: list[str]) -> tuple[bool, str]:
        """Run pytest on files, in order, with options; return whether it passes, and its output."""
        quickly = ["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
        pytest = subprocess.Popen(
            [sys.executable, "-m", "pytest", *quickly, *words],
            cwd=self.path, env={**os.environ, "CI": "1", "PYTHONPATH": str(self.path)},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            output = pytest.communicate(timeout=RUN_SECONDS)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            return False, f"They take longer than {RUN_SECONDS:.0f} seconds."
        finally:
            if pytest.returncode is None:
                os.killpg(pytest.pid, signal.SIGKILL)
                pytest.wait()
        if pytest.returncode not in (0, *FAILED):
            sys.exit(output)
        return pytest.returncode == 0, output
