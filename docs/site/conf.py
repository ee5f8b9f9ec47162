"""The documentation site: how `scripts/docs` turns the Markdown files into pages."""

import sys
from pathlib import Path
from shutil import copy

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from coffeerush import __version__  # noqa: E402 - it must be found first

project = html_title = "Coffee Rush"
release = __version__
copyright = "the coffeerush contributors, MIT License"  # noqa: A001 - Sphinx wants that name
extensions = ["myst_parser"]
root_doc = "docs/site/index"
include_patterns = ["*.md", "docs/*.md", "docs/site/*.md", "protocol/*.md"]
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure", "myst.header"]


def setup(app: Sphinx) -> None:
    """Add the page at the top of the site, which leads to the first one."""
    app.connect("build-finished", lambda *_: copy(HERE / "start.html", app.outdir / "index.html"))
