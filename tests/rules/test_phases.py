"""The table of phases in docs/bots.md matches the rules (R-UPG-1 to R-SERVE-1)."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from coffeerush.rules import State, advance, legal_intents
from protocol import Phase, Undo
from tests.support.positions import Has, position, walk
from tests.support.steering import TABLES, setup_of, steered

TEXT = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
Ways = dict[tuple[str, str], set[str]]
"""Maps a phase and a kind of intent to the possible next phases."""


def told() -> Ways:
    """Parse the table in the document."""
    rows = [row.split("|")[1:-1] for row in TEXT.splitlines() if row.startswith("| ")]
    cells = [[cell.strip().strip("`") for cell in row] for row in rows]
    start = next(at for at, row in enumerate(cells) if row[0] == "phase")
    intents = cells[start][1:]
    return {
        (phase, intent): {one.strip() for one in cell.split(",")}
        for phase, *leads_to in islice(cells, start + 2, start + 2 + len(Phase))
        for intent, cell in zip(intents, leads_to, strict=True)
        if cell
    }


def states() -> Iterator[State]:
    """Yield the States of games, and of walks without any gain, which are rare in games."""
    for table in TABLES:
        for seed in range(8):
            for before, _, after in steered(setup_of(*table, seed)):
                yield before
                yield after
    mover = Has(("Americano",), ("coffee water",), (1,))
    iced = Has(cups=("ice " * 12,), meeples=(3,), completed=3)
    plain = Has(meeples=(12,))
    for seats in ((mover, plain, iced), (mover, iced, plain)):
        yield walk(position(*seats), 0)
    yield walk(position(iced, plain, mover, active=2, closed=True), 0)


def test_the_table_says_what_the_rules_do() -> None:
    found: Ways = {}
    for state in states():
        for intent in legal_intents(state):
            if not isinstance(intent, Undo):
                way = (state.phase.value, type(intent).__name__)
                found.setdefault(way, set()).add(advance(state, intent).phase.value)
    assert told() == found
