"""Where several refusals apply, SPEC.md says which one is given."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import protocol
from protocol import (
    MAX_SPECTATORS,
    PROTOCOL_VERSION,
    AddBot,
    Chat,
    Done,
    EndTurn,
    GetView,
    Hello,
    LetIn,
    Malformed,
    MoveSeat,
    Ready,
    Refused,
    Remove,
    RemoveSpectator,
    Rename,
    Request,
    Said,
    SetFirst,
    SetPause,
    SetRules,
    Snapshot,
    Start,
    Submit,
    Sync,
    WrongShape,
)
from tests.support.refusals import game, hello, lobby
from tests.support.tables import ANN, BOB, CID, DEE, ID, TableDriver, table_for

SEEN = b"i" * 16


def hurried(driver: TableDriver, key: str) -> TableDriver:
    """Let a key use up its rate limit."""
    for _ in range(40):
        driver.ask(key, GetView(ID))
    return driver


def removed() -> TableDriver:
    driver = lobby()
    driver.ask(ANN, Remove(ID, 1))
    return driver


def chatted() -> TableDriver:
    """Return a game in which everybody at the table has used the id `SEEN`."""
    driver = game()
    for key in (ANN, BOB, CID):
        driver.ask(key, Chat(SEEN, "hi"))
    return driver


def with_a_bot() -> TableDriver:
    """Return a game of Ann and a bot, with Cid as a spectator."""
    driver = table_for(bots=("random",))
    driver.hello(ANN)
    driver.hello(CID, "spectator")
    driver.ask(ANN, Start(ID))
    return driver


def crowded() -> TableDriver:
    driver = game()
    for number in range(1, MAX_SPECTATORS):
        driver.hello(f"{number:040}", "spectator", name=f"guest {number}")
    return driver


def paused() -> TableDriver:
    """Return a game that is paused."""
    driver = game()
    driver.ask(ANN, SetPause(ID, True))
    return driver


def full_disk(driver: TableDriver) -> TableDriver:
    driver.journals.full = True
    return driver


def played() -> TableDriver:
    """Return a result after which no more games are played, and Bob has left."""
    driver = table_for(games=1)
    driver.begin(ANN, BOB)
    driver.play()
    return driver


Case = tuple[str, str, Callable[[], TableDriver], str, Request]
"""The code given, one that also applies, the table, the key, the request."""

CASES: list[Case] = [
    # steps 1 to 5: of any request
    ("removed", "too_fast", lambda: hurried(removed(), BOB), BOB, Sync(ID)),
    ("removed", "bad_text", removed, BOB, hello("\u200b")),
    ("too_fast", "bad_text", lambda: hurried(lobby(), DEE), DEE, hello("\u200b")),
    ("too_fast", "say_hello", lambda: hurried(lobby(), DEE), DEE, Sync(ID)),
    ("too_fast", "id_reused", lambda: hurried(chatted(), CID), CID, Chat(SEEN, "ho")),
    ("id_reused", "wrong_stage", chatted, ANN, Rename(SEEN, "Anna")),
    ("id_reused", "not_owner", chatted, BOB, Start(SEEN)),
    # hello
    ("bad_text", "table_full", game, DEE, hello("\u200b")),
    ("bad_text", "too_many_spectators", crowded, DEE, hello("\u200b", "spectator")),
    (
        "too_many_spectators",
        "record_failed",
        lambda: full_disk(crowded()),
        DEE,
        hello("Dee", "spectator"),
    ),
    # intent
    ("not_seated", "wrong_stage", lobby, CID, Submit(ID, 1, 0, EndTurn())),
    ("not_seated", "stale", game, CID, Submit(ID, 7, 7, EndTurn())),
    ("wrong_stage", "stale", lobby, ANN, Submit(ID, 7, 7, EndTurn())),
    ("stale", "not_your_turn", game, "other", Submit(ID, 1, 7, EndTurn())),
    ("not_your_turn", "wrong_phase", game, "other", Submit(ID, 1, 0, EndTurn())),
    (
        "wrong_phase",
        "record_failed",
        lambda: full_disk(game()),
        "active",
        Submit(ID, 1, 0, EndTurn()),
    ),
    # the table
    ("not_seated", "wrong_stage", game, CID, Ready(ID, True)),
    ("wrong_stage", "bad_text", game, ANN, Rename(ID, "\u200b")),
    ("wrong_stage", "name_taken", game, ANN, Rename(ID, "Bob")),
    ("not_owner", "wrong_stage", game, BOB, AddBot(ID, 3, "x")),
    ("wrong_stage", "unknown_bot", game, ANN, AddBot(ID, 3, "x")),
    ("unknown_bot", "no_such_seat", lobby, ANN, AddBot(ID, 3, "x")),
    ("unknown_bot", "seat_not_free", lobby, ANN, AddBot(ID, 1, "x")),
    ("not_owner", "no_such_seat", lobby, BOB, Remove(ID, 3)),
    ("not_owner", "wrong_stage", with_a_bot, CID, Remove(ID, 0)),
    ("no_such_seat", "record_failed", lambda: full_disk(game()), ANN, Remove(ID, 0)),
    ("not_owner", "no_such_spectator", lobby, BOB, RemoveSpectator(ID, "Eve")),
    (
        "no_such_spectator",
        "record_failed",
        lambda: full_disk(game()),
        ANN,
        RemoveSpectator(ID, "Eve"),
    ),
    ("not_owner", "no_such_guest", game, BOB, LetIn(ID, 3)),
    ("not_owner", "wrong_stage", game, BOB, MoveSeat(ID, 3, 3)),
    ("wrong_stage", "no_such_seat", game, ANN, MoveSeat(ID, 3, 3)),
    ("not_owner", "wrong_stage", game, BOB, SetFirst(ID, 3)),
    ("wrong_stage", "no_such_seat", game, ANN, SetFirst(ID, 3)),
    ("not_owner", "wrong_stage", game, BOB, SetRules(ID, 0, 0, True)),
    ("not_owner", "wrong_stage", lobby, BOB, SetPause(ID, True)),
    ("not_owner", "wrong_stage", lobby, BOB, SetPause(ID, False)),
    ("wrong_stage", "record_failed", lambda: full_disk(lobby()), ANN, SetPause(ID, True)),
    ("not_seated", "paused", paused, CID, Submit(ID, 7, 7, EndTurn())),
    ("paused", "stale", paused, ANN, Submit(ID, 7, 7, EndTurn())),
    ("paused", "not_your_turn", paused, "other", Submit(ID, 1, 0, EndTurn())),
    ("not_owner", "wrong_stage", game, BOB, Start(ID)),
    ("not_owner", "not_ready", lobby, BOB, Start(ID)),
    ("wrong_stage", "not_ready", played, ANN, Start(ID)),
    ("too_few_players", "not_ready", lambda: alone_with_a_seat(), ANN, Start(ID)),
    ("not_ready", "record_failed", lambda: full_disk(lobby()), ANN, Start(ID)),
]


def alone_with_a_seat() -> TableDriver:
    """Return a lobby whose owner is a spectator, with one player who is not ready."""
    driver = table_for()
    driver.hello(ANN, "spectator")
    driver.hello(BOB)
    return driver


@pytest.mark.parametrize(
    ("code", "_other", "table", "key", "request_"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES]
)
def test_the_earlier_refusal_is_given(
    code: str, _other: str, table: Callable[[], TableDriver], key: str, request_: Request
) -> None:
    driver = table()
    if key in ("active", "other"):
        active = driver.active_key
        key = active if key == "active" else ANN if active == BOB else BOB
    assert driver.code(key, request_) == code


def _order(request: Request) -> list[str]:
    """Return the codes in the order that SPEC.md gives for a request."""
    text = Path(protocol.__file__).with_name("SPEC.md").read_text(encoding="utf-8")
    chapter = text.split(" The order of refusals\n")[1].split("\n##")[0]
    steps = dict(re.findall(r"^(\d+)\. (.*?)(?=^\d+\.|^$)", chapter, re.DOTALL | re.MULTILINE))
    tag = request.__struct_config__.tag
    asked = re.search(rf"^   - `{tag}`: (.*?)(?=^   -|\Z)", steps["9"], re.DOTALL | re.MULTILINE)
    found = ["1", "2", "3"] if tag == "hello" else ["1", "2", "4", "5", "7", "8"]
    lines = [*(steps[number] for number in found), asked[1] if asked else "", steps["10"]]
    return [code for line in lines for code in re.findall(r"`(\w+)`", line)]


@pytest.mark.parametrize("case", CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_the_text_has_the_same_order(case: Case) -> None:
    code, other, _table, _key, request = case
    order = _order(request)
    last = [*order, other].index(other)
    assert code in order
    assert order.index(code) < last


def test_a_malformed_request_counts_and_comes_after_removed_and_too_fast() -> None:
    error = WrongShape("no request")
    error.request_id = SEEN
    for driver, key, code in (
        (removed(), BOB, "removed"),
        (hurried(lobby(), BOB), BOB, "too_fast"),
        (lobby(), DEE, ""),
    ):
        answer = driver.table.handle(driver.now, key, error).answer
        assert answer.id == SEEN
        assert (answer.refusal.code if isinstance(answer, Refused) else "") == code
        assert isinstance(answer, Refused | Malformed)


def test_ids_are_remembered_for_requests_that_would_change_something() -> None:
    driver = game()
    for request in (GetView(SEEN), Sync(SEEN), GetView(SEEN), Chat(SEEN, "hi")):
        driver.ask(ANN, request)
    assert driver.code(ANN, Sync(SEEN)) == "id_reused"
    for key in (ANN, BOB, ANN):  # ids are each key's own
        assert isinstance(driver.ask(key, Chat(SEEN, "hi")), Done)
    assert [one.name for one in driver.events() if isinstance(one, Said)] == ["Ann", "Bob"]
    again = Hello(SEEN, PROTOCOL_VERSION, "Ann", "player")
    assert isinstance(driver.ask(ANN, again), Snapshot), "a hello is never a repeat"
