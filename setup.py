"""Entry point of the build tools; setup.cfg says everything but how the catalogues are compiled."""

import runpy
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
MSGFMT = runpy.run_path(str(ROOT / "coffeerush/ui/words/msgfmt.py"))


class BuildPy(build_py):
    """Adds the compiled catalogues; an editable install has them next to their sources."""

    def run(self) -> None:
        """Build the packages, then compile."""
        super().run()
        for po in ROOT.glob("coffeerush/locale/*/LC_MESSAGES/*.po"):
            if self.editable_mode:
                MSGFMT["refresh"](po)
            else:
                mo = Path(self.build_lib, po.relative_to(ROOT)).with_suffix(".mo")
                self.mkpath(str(mo.parent))
                mo.write_bytes(MSGFMT["compiled"](po))


def man_pages() -> list[tuple[str, list[str]]]:
    """Return the man pages that `scripts/release` made, by the folder they are installed to."""
    pages = (ROOT / "build/man").glob("**/*.1")
    return [
        (f"share/{page.parent.relative_to(ROOT / 'build')}", [str(page.relative_to(ROOT))])
        for page in sorted(pages)
    ]


setup(cmdclass={"build_py": BuildPy}, data_files=man_pages())
