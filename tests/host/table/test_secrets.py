"""Private data reaches only its owner (R-INFO-2), in whole games with every kind of request."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from msgspec.structs import replace

from coffeerush.rules import view_for
from protocol import (
    RUSH_TOKENS,
    Accepted,
    Answer,
    Chat,
    CupEmptied,
    Current,
    Event,
    OrderServed,
    Phase,
    Poured,
    Refused,
    Snapshot,
    Sync,
    Update,
    View,
    encode,
)
from tests.support.tables import ANN, BOB, CID, DEE, ID, NAMES, TableDriver, table_for

SEATS = {ANN: 0, BOB: 1, CID: 2}


@pytest.fixture(scope="module", params=[2, 3])
def driver(request: pytest.FixtureRequest) -> TableDriver:
    """Return a table after a game in which everybody kept requesting everything."""
    keys = (ANN, BOB, CID)[: request.param]
    driver = table_for(seats=request.param + 1, bots=(), turn_seconds=60)
    driver.hello(DEE, "spectator")
    driver.begin(*keys)
    while driver.table_view.stage == "game":
        driver.play(1)
        for key in (*keys, DEE):
            driver.ask(key, Sync(ID))
        if driver.rev % 40 == 0:
            driver.wait(7, present=(DEE,))
            driver.play(3)
    driver.ask(DEE, Chat(ID, "well played"))
    driver.ask(DEE, Sync(ID))
    return driver


def views(answer: Answer) -> Iterator[View]:
    if isinstance(answer, Snapshot | Current | Accepted | Refused) and answer.view is not None:
        yield answer.view


def events(answer: Answer) -> tuple[Event, ...]:
    if isinstance(answer, Snapshot):
        return answer.log
    return answer.events if isinstance(answer, Accepted) else ()


def has_private_fields(event: Event) -> bool:
    match event:
        case Poured():
            return event.ingredient is not None or event.cup is not None
        case CupEmptied() | OrderServed():
            return event.cup is not None
    return False


@pytest.mark.slow
def test_a_view_shows_only_its_readers_private_part(driver: TableDriver) -> None:
    shown = 0
    for key, answer in driver.answers:
        for view in views(answer):
            own = view.own
            assert (None if own is None else own.seat) == SEATS.get(key)
            shown += own is not None
    assert shown > 100


def test_a_view_is_what_its_reader_may_see_at_that_rev(driver: TableDriver) -> None:
    states = list(driver.journals.record().states())
    for key, answer in driver.answers:
        if isinstance(answer, Snapshot | Current | Accepted) and answer.view is not None:
            assert answer.view == view_for(states[answer.rev], SEATS.get(key))
    for update in driver.updates:
        if update.view is not None:
            assert update.view == view_for(states[update.rev], None)


def test_private_event_fields_reach_only_the_seat_that_acted(driver: TableDriver) -> None:
    told = 0
    for key, answer in driver.answers:
        for event in filter(has_private_fields, events(answer)):
            assert isinstance(event, Poured | CupEmptied | OrderServed)
            assert event.seat == SEATS[key]
            told += 1
    assert told > 100
    assert not any(has_private_fields(event) for event in driver.events())


@pytest.mark.slow
def test_a_tally_follows_from_public_views(driver: TableDriver) -> None:
    """Recount it from the public Views; it is shown only after the game."""
    # R-INFO-1
    seen = [one.view for one in driver.updates if one.game == 1 and one.view is not None]
    rounds = {view.round: view for view in seen if view.phase is Phase.OVER}
    rounds |= {new.round - 1: new for old, new in pairwise(seen) if new.round > old.round > 0}
    told = 0
    for message in [*driver.updates, *(answer for _, answer in driver.answers)]:
        if not isinstance(message, Update | Snapshot) or not message.table.tallies:
            continue
        assert message.table.stage == "result"
        for seat, tally in enumerate(message.table.tallies):
            scores = [rounds[number].players[seat].score for number in sorted(rounds)]
            assert list(tally.scores) == scores
            turns = [view for view in seen if view.active == seat]
            assert tally.best_served == max(view.served for view in turns)
            told += 1
    assert told


def test_notes_hold_nothing_private(driver: TableDriver) -> None:
    head = driver.journals.record().head
    secrets = {str(head.setup.seed), *NAMES}
    for note in driver.noted():
        assert not secrets & {str(value) for value in note.params.values()}


def test_the_seed_is_never_sent(driver: TableDriver) -> None:
    seed = driver.journals.record().head.setup.seed
    packed = seed.to_bytes(8, "big")
    for message in [*driver.updates, *(answer for _, answer in driver.answers)]:
        assert packed not in encode(message)


def test_three_sums_hold_in_each_view(driver: TableDriver) -> None:
    for view in (view for _key, answer in driver.answers for view in views(answer)):
        players = view.players
        assert view.rush_supply + sum(one.rush for one in players) == RUSH_TOKENS
        owned = sum(one.completed + one.penalties + sum(map(len, one.orders)) for one in players)
        cards = view.deck + len(view.discards) + len(view.removed) + owned
        assert cards == sum(drink.count for drink in view.menu)
        for one in players:
            assert one.score == one.completed + 2 * sum(one.upgrades) - one.penalties


def test_the_length_of_an_answer_does_not_tell_what_is_private(driver: TableDriver) -> None:
    """Apart from the public View, it is the same in every position with options."""
    private = {
        len(encode(answer)) - len(encode(replace(answer, view=replace(view, own=None), pad=b"")))
        for _key, answer in driver.answers
        for view in views(answer)
        if view.own and view.own.options
    }
    assert len(private) == 1, private
    assert private < {*range(1280, 1300)}
