"""The lane of its own in which all tests of this folder run, before all others."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark this folder's tests, and begin with them: at the end, others would wait for them."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.soak)
    items.sort(key=lambda item: here not in item.path.parents)
