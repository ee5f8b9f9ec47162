"""Whatever several people send in whatever order: nothing is raised, and the record is the game."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings, strategies as st

from coffeerush.rules import ALL_INTENTS, legal_intents, view_for
from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    GetView,
    Hello,
    Ready,
    Refused,
    Remove,
    RemoveSpectator,
    Rename,
    Request,
    Start,
    Submit,
    Sync,
)
from tests.host.tables import ANN, BOB, CID, DEE, Visit, resumed, table_for

KEYS = st.sampled_from((ANN, BOB, CID, DEE))
IDS = st.binary(min_size=16, max_size=16) | st.sampled_from((b"i" * 16, b"j" * 16))
NAMES = st.text(min_size=1, max_size=24)
SEATS = st.integers(0, 3)
REQUESTS = st.one_of(
    st.builds(
        Hello, IDS, st.just(PROTOCOL_VERSION), NAMES, st.sampled_from(("player", "spectator"))
    ),
    st.builds(Sync, IDS),
    st.builds(GetView, IDS),
    st.builds(Submit, IDS, st.integers(0, 3), st.integers(0, 60), st.sampled_from(ALL_INTENTS)),
    st.builds(Chat, IDS, st.text(min_size=1, max_size=80)),
    st.builds(Ready, IDS, st.booleans()),
    st.builds(Rename, IDS, NAMES),
    st.builds(AddBot, IDS, SEATS, st.sampled_from(("greedy", "random", "clairvoyant"))),
    st.builds(Remove, IDS, SEATS),
    st.builds(RemoveSpectator, IDS, NAMES | st.sampled_from(("P0", "P1", "P2"))),
    st.builds(Start, IDS),
    st.builds(Bye, IDS),
)

Act = Callable[[Visit], None]


def asks(key: str, request: Request) -> Act:
    """Ask; what was refused must not have changed the game."""

    def act(visit: Visit) -> None:
        visit.now += 0.05
        before = truth(visit)
        answer = visit.ask(key, request)
        if isinstance(answer, Refused):
            assert truth(visit) == before

    return act


def truth(visit: Visit) -> tuple[Any, ...]:
    room = visit.table._room
    return (room.game and room.game.state, room.rev, [bytes(one) for one in visit.shelf.files])


def moves(steps: int) -> Act:
    """Let whoever is active do something legal, so that games get on."""

    def act(visit: Visit) -> None:
        for _ in range(steps):
            game = visit.table._room.playing
            if game is None or visit.bot():
                continue
            legal = legal_intents(visit.state)
            visit.ask(visit.active_key, visit.wish(visit.chance.choice(legal)))
            visit.now += 0.1

    return act


def waits(seconds: int) -> Act:
    def act(visit: Visit) -> None:
        visit.wait(seconds)

    return act


def disk(full: bool) -> Act:
    def act(visit: Visit) -> None:
        visit.shelf.full = full

    return act


def readies(visit: Visit) -> None:
    """Bring a game about where people are."""
    for index, key in enumerate((ANN, BOB, CID)):
        visit.ask(key, Hello(bytes([index]) * 16, PROTOCOL_VERSION, f"P{index}", "player"))
        visit.ask(key, Ready(visit.chance.randbytes(16), True))
    visit.ask(ANN, Start(visit.chance.randbytes(16)))


ACTS: st.SearchStrategy[Act] = st.one_of(
    st.builds(asks, KEYS, REQUESTS),
    st.builds(asks, KEYS, REQUESTS),
    st.builds(moves, st.integers(1, 40)),
    st.builds(waits, st.sampled_from((1, 7, 31))),
    st.builds(disk, st.booleans()),
    st.just(readies),
)


@settings(max_examples=200)
@given(st.lists(ACTS, max_size=40), st.sampled_from((ANN, "")), st.sampled_from((0, 5)))
def test_any_requests_in_any_order(acts: list[Act], owner: str, turn_seconds: int) -> None:
    visit = table_for(seats=3, owner=owner, turn_seconds=turn_seconds)
    visit.wait(1)
    for act in acts:
        act(visit)
        check(visit)
    visit.shelf.full = False
    if visit.shelf.files:
        again = resumed(visit)
        assert truth(again)[:2] == truth(visit)[:2]
        if visit.table_view.stage == "game":
            assert people(again) == people(visit)
        again.wait(1)


def people(visit: Visit) -> object:
    """Return who may come back, who may not, and whether a person or a bot is on each seat."""
    seats = [seat.status for seat in visit.table_view.seats]
    return visit.table.keys, visit.table.removed, seats


def check(visit: Visit) -> None:
    """The record leads to the State, and the table shows what is allowed to be shown."""
    room = visit.table._room
    if room.game is not None:
        record = visit.shelf.record()
        assert list(record.states())[-1] == room.game.state
        assert len(record.moves) == room.rev
        assert record.head.game == room.number
    if visit.updates and visit.latest.view is not None:
        assert visit.latest.view == view_for(visit.state, None)
    names = [name.casefold() for name in room.people.names()]
    assert len(set(names)) == len(names)
