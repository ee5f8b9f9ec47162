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


setup(cmdclass={"build_py": BuildPy})
