"""Walks through a table find mistakes that are planted in it, and can be repeated."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from coffeerush.host.table.state import TableState
from coffeerush.host.table.table import Table
from coffeerush.records.entries import Record
from protocol import View
from tests.soak.walk.walking import Finding, shrink, walk

MOST_WALKS = 40
SHRINKING_SECONDS = 0.3

Patch = pytest.MonkeyPatch


def test_a_walk_is_the_same_each_time() -> None:
    first, second = Counter[str](), Counter[str]()
    assert walk("again 4", first) == walk("again 4", second)
    assert first == second
    assert first["steps"]


def found(first: int) -> Finding:
    """Return the first finding of the walks, with as few steps as possible."""
    walks = (walk(f"planted {first + number}", Counter()) for number in range(MOST_WALKS))
    finding = next(filter(None, walks))
    fewer = shrink(finding, SHRINKING_SECONDS)
    assert fewer.promise == finding.promise
    assert len(fewer.steps) <= len(finding.steps)
    return fewer


def test_a_stale_rev_that_is_accepted_is_found(monkeypatch: Patch) -> None:
    right = Table._submit

    def submit(self: Table, person: Any, request: Any) -> Any:
        return right(self, person, replace(request, rev=self._state.rev))

    monkeypatch.setattr(Table, "_submit", submit)
    assert found(0).promise == "an answer is one that is allowed"


def test_a_view_of_somebody_elses_cups_is_found(monkeypatch: Patch) -> None:
    def view(self: TableState, key: str = "") -> View | None:
        return None if self.shown is None else self.shown.view(0 if key else None)

    monkeypatch.setattr(TableState, "view", view)
    assert found(0).promise == "a View is for its reader"


@pytest.mark.parametrize(
    ("forget", "promise", "first"),
    [
        (lambda one: replace(one, head=replace(one.head, owner="")), "has its owner", 0),
        (lambda one: replace(one, removals=()), "stays removed", 13),
        (lambda one: replace(one, guests=()), "may return", 2),
        (lambda one: replace(one, moves=one.moves[:-1]), "the record is", 0),
    ],
)
def test_what_is_lost_in_a_resume_is_found(
    monkeypatch: Patch, forget: Callable[[Record], Record], promise: str, first: int
) -> None:
    right = Table.resume

    def resume(record: Record, *others: Any) -> Table:
        return right(forget(record), *others)

    monkeypatch.setattr(Table, "resume", resume)
    assert promise in found(first).promise
