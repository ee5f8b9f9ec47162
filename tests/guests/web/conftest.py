"""One browser for all tests of a process."""

from collections.abc import Iterator

import pytest

from tests.support.browser import Browser, running_browser


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Run Chromium until the tests are over."""
    with running_browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture
def browser(chromium: Browser) -> Iterator[Browser]:
    """Close all windows after a test: what moves in them, and looks for its host, takes time."""
    with chromium.visit():
        yield chromium
