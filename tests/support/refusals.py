"""Every refusal that there is, provoked through the real rules, table and door."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Final, Literal

import pytest

from coffeerush.client.model import Role
from coffeerush.host.hall.hall import TABLES_A_PERSON
from coffeerush.joining.admission import TRIES, Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.door import HostConversation, Peer
from coffeerush.moving.gathering import Gathering
from coffeerush.moving.replica import DealOfShares, Dealt, Replica
from coffeerush.rules import State
from protocol import (
    MAX_ENTRANTS,
    MAX_SPECTATORS,
    MAX_TABLES,
    PROTOCOL_VERSION,
    ActivateUpgrade,
    AddBot,
    BeginRound,
    BeginTournament,
    Bye,
    Chat,
    CloseTable,
    DoorRefused,
    EmptyCup,
    EndTurn,
    Enter,
    GetRecord,
    GetView,
    HandOver,
    Hello,
    Ingredient,
    Intent,
    KeyShare,
    LetIn,
    PlaceMeeple,
    Pour,
    Queue,
    QueueFirst,
    Ready,
    Refusal,
    Refused,
    RefusedError,
    Remove,
    RemoveSpectator,
    Rename,
    RenameTable,
    Request,
    ReturnRest,
    Serve,
    SetPause,
    Start,
    Step,
    Submit,
    Sync,
    TakeOver,
    TournamentRules,
    Undo,
    Upgrade,
    decode_door_answer,
)

from .positions import Has, dealt, finish, play, position, ready, refused, walk
from .tables import ANN, BOB, CID, DEE, EVE, ID, TableDriver, hall_of, table_for

PLACE: Final = Submit(ID, 1, 0, PlaceMeeple(0))


def three(seat: Has = Has(meeples=(5,))) -> State:  # noqa: B008 - a constant
    return position(seat, Has(meeples=(6,)), Has(meeples=(12,)))


def two() -> State:
    return position(Has(meeples=(5, 15)), Has(meeples=(0, 3)))


OF_THE_RULES: Final[dict[str, tuple[Callable[[], State], Intent]]] = {
    "wrong_phase": (three, PlaceMeeple(1)),
    "wrong_phase/over": (
        lambda: finish(position(Has(("Mocha",)), Has(penalties=5), active=1)),
        EndTurn(),
    ),
    "wrong_phase/stepped": (
        lambda: walk(three(Has(completed=3, meeples=(5,))), 1),
        ActivateUpgrade(Upgrade.DIAGONAL_MOVE),
    ),
    "wrong_phase/upgraded": (
        lambda: play(
            three(Has(completed=6, cups=("ice",))),
            ActivateUpgrade(Upgrade.DOUBLE_CORNERS),
            EmptyCup(1),
        ),
        ActivateUpgrade(Upgrade.DIAGONAL_MOVE),
    ),
    "cell_taken": (lambda: play(dealt(3), PlaceMeeple(9)), PlaceMeeple(9)),
    "not_adjacent": (three, Step(1, 10)),
    "no_steps_left": (lambda: walk(three(), 1, 5, 1), Step(1, 5)),
    "would_be_stuck": (lambda: walk(three(), 1, 5), Step(1, 6)),
    "other_meeple": (lambda: walk(two(), 6), Step(2, 11)),
    "no_such_meeple": (three, Step(2, 1)),
    "must_step": (three, EndTurn()),
    "stands_on_meeple": (lambda: walk(three(), 6), ReturnRest()),
    "hand_not_empty": (lambda: walk(three(), 1, 5, 4), EndTurn()),
    "hand_empty": (
        lambda: walk(three(Has(cups=("caramel " * 12,), meeples=(5,))), 1),
        ReturnRest(),
    ),
    "not_in_hand": (lambda: walk(three(), 1), Pour(Ingredient.TEA, 2)),
    "cup_is_empty": (three, EmptyCup(2)),
    "cup_does_not_match": (
        lambda: ready(three(Has(("", "Mocha, Lungo, Mocha"), ("milk ice ice",), (5,)))),
        Serve(1, 2),
    ),
    "cup_does_not_match/empty_cup": (lambda: ready(three()), Serve(3, 4)),
    "cup_does_not_match/empty_slot": (
        lambda: ready(three(Has(("", "Mocha"), ("milk ice",), (5,)))),
        Serve(1, 4),
    ),
    "too_few_completed": (lambda: three(Has(completed=2)), ActivateUpgrade(Upgrade.DIAGONAL_MOVE)),
    "upgrade_is_active": (
        lambda: three(Has(completed=3, upgrades=(Upgrade.DOUBLE_CORNERS,))),
        ActivateUpgrade(Upgrade.DOUBLE_CORNERS),
    ),
    "nothing_to_undo": (three, Undo()),
}
"""A position and an intent for each text of the rules; `not_your_turn` is the table's to tell."""


def by_the_rules(case: str) -> Refusal:
    """Return the refusal of a case of the rules."""
    make, intent = OF_THE_RULES[case]
    state = make()
    return refused(state, intent, seat=0 if state.active is None else None)


def lobby() -> TableDriver:
    """Return a lobby with Ann, its owner, and Bob, an open seat and Cid, a spectator."""
    driver = table_for(seats=3)
    driver.hello(ANN)
    driver.hello(BOB)
    driver.hello(CID, "spectator")
    return driver


def game() -> TableDriver:
    """Return the same people in a game."""
    driver = lobby()
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    return driver


def hello(name: str, role: Role = "player", table: int | Literal["new"] | None = None) -> Hello:
    return Hello(ID, PROTOCOL_VERSION, name, role, table)


IN_THE_LOBBY: Final[tuple[tuple[str, str, Request], ...]] = (
    ("say_hello", DEE, Sync(ID)),
    ("not_seated", CID, Ready(ID, True)),
    ("not_owner", BOB, Start(ID)),
    ("seated", BOB, Queue(ID, True)),
    ("not_ready", ANN, Start(ID)),
    ("bad_text", ANN, Chat(ID, "\u200b")),
    ("name_taken", ANN, Rename(ID, "BOB")),
    ("no_such_seat", ANN, AddBot(ID, 3, "regular")),
    ("no_such_seat/open", ANN, Remove(ID, 2)),
    ("no_such_seat/own", ANN, Remove(ID, 0)),
    ("no_such_spectator", ANN, RemoveSpectator(ID, "Dee")),
    ("no_such_spectator/queue", ANN, QueueFirst(ID, "Cid")),
    ("no_such_guest", ANN, LetIn(ID, 1)),
    ("no_standby", ANN, HandOver(ID, "Bob")),
    ("no_handover", BOB, TakeOver(ID, True)),
    ("seat_not_free", ANN, AddBot(ID, 1, "regular")),
    ("unknown_bot", ANN, AddBot(ID, 2, "clairvoyant")),
)
IN_A_GAME: Final[tuple[tuple[str, str, Request], ...]] = (
    ("wrong_stage", ANN, Rename(ID, "Anna")),
    ("table_full/game", DEE, hello("Dee")),
    ("stale", ANN, Submit(ID, 1, 1, PlaceMeeple(0))),
    ("no_record", BOB, GetRecord(ID, 1, 0)),
)


def _refused(driver: TableDriver, key: str, request: Request) -> Refusal:
    answer = driver.ask(key, request)
    assert isinstance(answer, Refused), answer
    return answer.refusal


def _by_the_table() -> Iterator[tuple[str, Refusal]]:
    for case, key, request in IN_THE_LOBBY:
        yield case, _refused(lobby(), key, request)
    for case, key, request in IN_A_GAME:
        yield case, _refused(game(), key, request)
    driver = game()
    yield "not_your_turn", _refused(driver, BOB if driver.active_key == ANN else ANN, PLACE)
    driver.journals.full = True
    yield "record_failed", _refused(driver, driver.active_key, PLACE)
    driver.journals.full = False
    driver.ask(driver.active_key, Chat(b"i" * 16, "hello"))
    yield "id_reused", _refused(driver, driver.active_key, Sync(b"i" * 16))
    for _ in range(39):
        driver.ask(BOB, GetView(ID))
    yield "too_fast", _refused(driver, BOB, GetView(ID))
    driver.ask(ANN, Remove(ID, 1))
    yield "removed", _refused(driver, BOB, Sync(ID))
    driver = game()
    driver.ask(ANN, SetPause(ID, True, "Pizza!"))
    yield "paused", _refused(driver, driver.active_key, PLACE)
    driver = table_for()
    driver.hello(ANN)
    yield "too_few_players", _refused(driver, ANN, Start(ID))
    driver.hello(BOB)
    yield "table_full", _refused(driver, CID, hello("Cid"))
    for index in range(MAX_SPECTATORS):
        driver.hello(f"{index:040}", "spectator", name=f"guest {index}")
    yield "too_many_spectators", _refused(driver, EVE, hello("Eve", "spectator"))
    yield "no_such_table", _refused(driver, CID, hello("Cid", table=7))
    for number in range(TABLES_A_PERSON):
        opened = driver.hello(DEE, table="new").number
        driver.hello(f"g{number:039}", name="Guest", table=opened)
        driver.now += 10
    yield "too_many_tables/own", _refused(driver, DEE, hello("Dee", table="new"))
    yield "not_owner/hall", _refused(driver, DEE, CloseTable(ID, 2))
    yield "no_such_table/gone", _refused(driver, ANN, CloseTable(ID, 999))
    yield "no_such_table/stays", _refused(driver, ANN, CloseTable(ID, 1))
    yield "name_taken/table", _refused(driver, ANN, RenameTable(ID, "kitchen 2"))
    for number in range(MAX_TABLES - len(driver.hall.tables)):
        driver.hello(f"{number:040}", name="Opener", table="new")
    yield "too_many_tables", _refused(driver, CID, hello("Cid", table="new"))
    driver = table_for()
    driver.hall = hall_of(driver.table, most=1)
    yield "too_many_tables/one", _refused(driver, CID, hello("Cid", table="new"))
    yield from _by_the_tournament()
    driver = table_for(turn_seconds=30)
    driver.begin(ANN, BOB)
    driver.wait(40, (ANN, BOB))
    yield "not_your_turn/time", _refused(driver, driver.active_key, driver.wish(PlaceMeeple(0)))
    driver = table_for(games=1)
    driver.begin(ANN, BOB)
    driver.play()
    yield "wrong_stage/all_played", _refused(driver, ANN, Start(ID))


def _by_the_tournament() -> Iterator[tuple[str, Refusal]]:
    driver = table_for(seats=4)
    for key in (ANN, BOB):
        driver.hello(key)
    announced = BeginTournament(ID, TournamentRules())
    yield "not_owner/hall", _refused(driver, BOB, announced)
    yield "no_tournament", _refused(driver, BOB, Enter(ID, True))
    driver.ask(ANN, announced)
    yield "no_standby/tournament", _refused(driver, ANN, HandOver(ID, "Bob"))
    driver.ask(ANN, Enter(ID, True))
    driver.ask(BOB, Ready(ID, True))
    yield "wrong_stage/tournament", _refused(driver, ANN, Start(ID))
    yield "too_few_players/tournament", _refused(driver, ANN, BeginRound(ID, 1))
    for number in range(MAX_ENTRANTS - 1):
        key = f"{number:040}"
        driver.hello(key, "spectator", name="Guest")
        driver.ask(key, Enter(ID, True))
        driver.ask(key, Bye(ID))
        driver.now += 2
    yield "tournament_full", _refused(driver, BOB, Enter(ID, True))
    driver = table_for()
    for key in (ANN, BOB):
        driver.hello(key)
    driver.ask(ANN, announced)
    for key in (ANN, BOB):
        driver.ask(key, Enter(ID, True))
    driver.ask(ANN, BeginRound(ID, 1))
    driver.hello(ANN)
    yield "round_begun", _refused(driver, ANN, BeginRound(ID, 2))
    yield "tournament_begun", _refused(driver, ANN, announced)


def _by_the_door() -> Iterator[tuple[str, Refusal]]:
    admission = Admission(AdmittedKeyring(), Random(1))
    one = HostConversation(admission, "h" * 40, b"", Peer("192.0.2.1", is_local=False))
    answer = decode_door_answer(one.hear(0.0, b"hello\n"))
    assert isinstance(answer, DoorRefused)
    yield "bad_key", answer.refusal
    yield _at_the_door(lambda: admission.admit_unproven("k" * 40, is_local=False))
    for _ in range(TRIES):
        admission.begin(0.0, "192.0.2.1")
        wrong = _at_the_door(lambda: admission.prove(0.0, "192.0.2.1", "k" * 40, ""))
    yield wrong
    yield _at_the_door(lambda: admission.begin(0.0, "192.0.2.1"))
    for _ in range(TRIES):
        admission.begin(0.0, "203.0.113.1")
    yield _at_the_door(lambda: admission.begin(0.0, "203.0.113.1"))


def _by_a_standby() -> Iterator[tuple[str, Refusal]]:
    deal, holders = DealOfShares(b"epoch..1", 1, 1, 1), ("b" * 40, "c" * 40)
    own = Dealt(deal, share=KeyShare(1, bytes(16)), needed=2, holders=holders)
    answer = Gathering(Replica((own,)), holders[0]).answer(holders[1], GetView(ID))
    assert isinstance(answer, Refused)
    yield "gathering", answer.refusal


def _at_the_door(act: Callable[[], None]) -> tuple[str, Refusal]:
    with pytest.raises(RefusedError) as caught:
        act()
    return caught.value.refusal.code, caught.value.refusal


@cache
def provoked() -> dict[str, Refusal]:
    """Return a refusal for each text: by code, or code and reason."""
    rules = {case: by_the_rules(case) for case in OF_THE_RULES}
    return {**rules, **dict(_by_the_table()), **dict(_by_the_door()), **dict(_by_a_standby())}
