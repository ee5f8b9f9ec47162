"""The largest messages that a game can produce stay within the limits of the wire."""

import msgpack
import msgspec

from protocol import (
    BOARD,
    CHAT_CHARACTERS,
    LOG_LENGTH,
    MAX_ANSWER_BYTES,
    MAX_BREAK_SECONDS,
    MAX_CARDS,
    MAX_DRINKS,
    MAX_ENTRANTS,
    MAX_EVENTS,
    MAX_INTEGER,
    MAX_OPTIONS,
    MAX_ROUND,
    MAX_SPECTATORS,
    MAX_TABLES,
    MAX_TALLY_ROUNDS,
    MAX_TOURNAMENT_ROUNDS,
    MAX_UNDO,
    NAME_CELLS,
    RUSH_TOKENS,
    SUPPLY,
    Accepted,
    Drink,
    Ingredient,
    NextGame,
    Option,
    OwnView,
    Phase,
    PlayerView,
    Pour,
    Said,
    SeatView,
    Snapshot,
    Standing,
    Tables,
    TableSummary,
    TableView,
    Tally,
    TournamentPlayer,
    TournamentRules,
    TournamentView,
    Update,
    View,
    clean_chat,
    clean_name,
    decode_answer,
    decode_publication,
    encode,
)

ID = b"\xff" * 16
EPOCH = b"\xff" * 8
MANY = MAX_INTEGER
WIDE_NAME = "é" * NAME_CELLS
TALKATIVE = "☕" * CHAT_CHARACTERS
STANDARD_KINDS = 26

PLAYER = PlayerView(
    orders=((0, 1, 2, 3, 4, 5, 6), (7, 8, 9, 10), (11, 12), (13, 14, 15)),
    completed=20,
    penalties=7,
    rush=4,
    upgrades=(True, True, True, True),
    meeples=(15,),
    score=21,
)


def _menu(kinds: int, name: str) -> tuple[Drink, ...]:
    return tuple(
        Drink(f"{name}{kind:02}"[-NAME_CELLS:], (1, 1, 1, 0, 0, 0, 0, 0), 3, kind > 18, kind < 2)
        for kind in range(kinds)
    )


def _view(menu: tuple[Drink, ...]) -> View:
    return View(
        players=(PLAYER,) * 4,
        start=3,
        active=2,
        phase=Phase.SERVING,
        round=14,
        closed=True,
        supply=SUPPLY,
        rush_supply=RUSH_TOKENS,
        deck=80,
        discards=tuple(range(16)) * 3,
        removed=(0, 1),
        path=(*range(len(BOARD)), 0, 1, 2),
        meeple=1,
        steps_left=0,
        served=3,
        hand=SUPPLY,
        menu=menu,
        standings=tuple(Standing(seat, seat + 1, 10) for seat in range(4)),
    )


def _own(view: View) -> View:
    options = (Option(Pour(Ingredient.WATER, 3), SUPPLY, RUSH_TOKENS, 39),) * MAX_OPTIONS
    own = OwnView(2, (SUPPLY, SUPPLY, SUPPLY), SUPPLY, options, MAX_UNDO)
    return msgspec.structs.replace(view, own=own)


TABLE = TableView(
    name=WIDE_NAME,
    stage="result",
    seats=(SeatView("person", WIDE_NAME, "x" * NAME_CELLS, True, True),) * 4,
    owner=3,
    bots=("x" * NAME_CELLS,) * 16,
    spectators=(WIDE_NAME,) * MAX_SPECTATORS,
    starters=True,
    turn_seconds=3600,
    clock=3600,
    next_game=NextGame(3, (WIDE_NAME,) * MAX_SPECTATORS, "everybody"),
    tallies=(Tally((-MAX_CARDS,) * MAX_TALLY_ROUNDS, 3, MAX_ROUND),) * 4,
)


def test_a_view_with_a_typical_deck_is_small() -> None:
    size = len(msgspec.msgpack.encode(_view(_menu(STANDARD_KINDS, "Iced caramel latte "))))
    assert size < 2048


def test_the_tallies_of_a_typical_game_are_small() -> None:
    tallies = (Tally(tuple(range(-2, 14)), 3, 9),) * 4
    table = msgspec.structs.replace(TABLE, tallies=())
    without = len(msgspec.msgpack.encode(table))
    told = len(msgspec.msgpack.encode(msgspec.structs.replace(table, tallies=tallies)))
    assert told - without < 256
    assert b"tallies" not in msgspec.msgpack.encode(table), "what is empty is left out"


def test_the_largest_update_fits() -> None:
    said = Said(clean_name(WIDE_NAME), clean_chat(TALKATIVE))
    view = _view(_menu(MAX_DRINKS, WIDE_NAME))
    update = Update(EPOCH, MANY, MANY, MANY, (MANY,) * 4, (said,) * MAX_EVENTS, TABLE, view)
    body = encode(update)
    assert len(body) <= MAX_ANSWER_BYTES // 2
    assert decode_publication(body) == update


def test_the_largest_snapshot_fits() -> None:
    said = Said(clean_name(WIDE_NAME), clean_chat(TALKATIVE))
    view = _own(_view(_menu(MAX_DRINKS, WIDE_NAME)))
    log = (said,) * LOG_LENGTH
    snapshot = Snapshot(
        ID, EPOCH, MANY, MANY, MANY, 3, True, TABLE, view, log, WIDE_NAME, 2**32 - 1
    )
    body = encode(snapshot)
    assert len(body) <= MAX_ANSWER_BYTES
    assert decode_answer(body) == snapshot


def test_the_longest_list_of_tables_fits() -> None:
    one = TableSummary(
        2**32 - 1, WIDE_NAME, "result", TABLE.seats, (-MAX_CARDS,) * 4, MANY, MAX_SPECTATORS
    )
    rules = TournamentRules(MAX_TOURNAMENT_ROUNDS, 3600, WIDE_NAME, False, MAX_BREAK_SECONDS)
    player = TournamentPlayer(
        *(WIDE_NAME, MAX_ENTRANTS, 16000, 16000, MANY, MAX_TOURNAMENT_ROUNDS, 2**32 - 1),
        leads=True,
        withdrawn=True,
    )
    players = (player,) * MAX_ENTRANTS
    tournament = TournamentView(
        "break", rules, 16, 16, MAX_BREAK_SECONDS, players, entered=WIDE_NAME
    )
    tables = Tables(ID, (one,) * MAX_TABLES, tournament)
    body = encode(tables)
    assert len(body) <= MAX_ANSWER_BYTES
    assert decode_answer(body) == tables


def test_the_largest_own_view_fits() -> None:
    view = _own(_view(_menu(MAX_DRINKS, WIDE_NAME)))
    accepted = Accepted(ID, EPOCH, MANY, MANY, (), view)
    assert decode_answer(encode(accepted)) == accepted
    assert _depth(msgpack.unpackb(encode(accepted))) <= 6


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0
