"""The documentation site: it is built, and no link in it is broken."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.soak
def test_the_site_has_every_document_and_no_broken_link(tmp_path: Path) -> None:
    words = ("--quiet", "--fail-on-warning", "--keep-going", "--nitpicky", "-c", "docs/site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, ".", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    start = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'url=docs/site/index.html"' in start
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("protocol/*.md")):
        page = (tmp_path / path.relative_to(ROOT)).with_suffix(".html")
        assert page.exists()
    text = (tmp_path / "docs/site/index.html").read_text(encoding="utf-8")
    assert "round.gif" in text
