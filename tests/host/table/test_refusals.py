"""Refusals of the table, and which one is given where several apply."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import protocol
from protocol import (
    MAX_SPECTATORS,
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    Current,
    Done,
    EndTurn,
    GetRecord,
    GetView,
    Hello,
    LetIn,
    Malformed,
    MoveSeat,
    PlaceMeeple,
    QueueFirst,
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
    StandUp,
    Start,
    Submit,
    Sync,
    Undo,
    WrongShape,
)
from tests.support import refusals
from tests.support.refusals import PLACE, game, hello, lobby
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, TableDriver, played, table_for

# The refusals that `tests/support` provokes, one for each text, and more


IN_THE_LOBBY: list[tuple[str, str, Request]] = [
    *refusals.IN_THE_LOBBY,
    ("say_hello", DEE, GetView(ID)),
    ("say_hello", DEE, Bye(ID)),
    ("say_hello", DEE, PLACE),
    ("wrong_stage", ANN, PLACE),
    ("not_seated", CID, StandUp(ID)),
    ("not_owner", BOB, QueueFirst(ID, "Cid")),
    ("not_owner", BOB, StandUp(ID, 0)),
    ("no_such_seat", ANN, StandUp(ID, 2)),
    ("no_such_seat", ANN, StandUp(ID, 3)),
    ("not_owner", BOB, AddBot(ID, 2, "regular")),
    ("not_owner", BOB, Remove(ID, 0)),
    ("no_record", CID, GetRecord(ID, 0, 0)),
    ("bad_text", ANN, Rename(ID, "\x1b")),
    ("bad_text", DEE, Hello(ID, PROTOCOL_VERSION, "\u200b \x07", "player")),
    ("no_such_seat", ANN, Remove(ID, 3)),
    ("not_owner", BOB, RemoveSpectator(ID, "Cid")),
    ("no_such_spectator", ANN, RemoveSpectator(ID, "Bob")),
    ("not_owner", BOB, LetIn(ID, 1)),
]


@pytest.mark.parametrize(("code", "key", "request_"), IN_THE_LOBBY)
def test_refused_in_the_lobby(code: str, key: str, request_: Request) -> None:
    assert lobby().code(key, request_) == code.partition("/")[0]


IN_A_GAME: list[tuple[str, str, Request]] = [
    *refusals.IN_A_GAME,
    ("not_seated", CID, PLACE),
    ("wrong_stage", ANN, Ready(ID, True)),
    ("wrong_stage", CID, Rename(ID, "Carl")),
    ("wrong_stage", ANN, AddBot(ID, 1, "regular")),
    ("wrong_stage", ANN, Start(ID)),
    ("wrong_stage", BOB, StandUp(ID)),
    ("wrong_stage", ANN, StandUp(ID, 1)),
    ("table_full", CID, Hello(ID, PROTOCOL_VERSION, "Cid", "player")),
    ("stale", ANN, Submit(ID, 0, 0, PlaceMeeple(0))),
]


@pytest.mark.parametrize(("code", "key", "request_"), IN_A_GAME)
def test_refused_in_a_game(code: str, key: str, request_: Request) -> None:
    assert game().code(key, request_) == code.partition("/")[0]


def test_a_rule_refuses_with_its_own_code() -> None:
    driver = game()
    key = driver.active_key
    other = BOB if key == ANN else ANN
    assert driver.code(other, PLACE) == "not_your_turn"
    assert driver.code(key, Submit(ID, 1, 0, EndTurn())) == "wrong_phase"
    assert driver.code(key, Submit(ID, 1, 0, Undo())) == "wrong_phase"


def test_stale_carries_the_senders_view() -> None:
    driver = game()
    answer = driver.ask(ANN, Submit(ID, 1, 7, PlaceMeeple(0)))
    assert isinstance(answer, Refused)
    assert answer.view == driver.view(ANN)
    assert (answer.game, answer.rev) == (1, 0)


def test_a_bot_cannot_be_removed_in_a_game() -> None:
    driver = table_for(bots=("random",))
    driver.hello(ANN)
    driver.ask(ANN, Start(ID))
    assert driver.code(ANN, Remove(ID, 0)) == "wrong_stage"


def test_not_ready_names_the_missing_players() -> None:
    answer = lobby().ask(ANN, Start(ID))
    assert isinstance(answer, Refused)
    assert answer.refusal.params == {"who": "Bob"}


def test_removed() -> None:
    driver = lobby()
    driver.ask(ANN, Remove(ID, 1))
    assert driver.code(BOB, Hello(ID, PROTOCOL_VERSION, "Bob", "spectator")) == "removed"
    assert driver.code(BOB, Sync(ID)) == "removed"


def test_id_reused() -> None:
    driver = game()
    wish = Submit(b"i" * 16, 1, 0, PlaceMeeple(0))
    key = driver.active_key
    driver.ask(key, wish)
    assert driver.code(key, Submit(b"i" * 16, 1, 0, PlaceMeeple(1))) == "id_reused"
    assert driver.code(key, Chat(b"i" * 16, "hello")) == "id_reused"
    assert driver.code(key, Sync(b"i" * 16)) == "id_reused"


def test_too_fast() -> None:
    driver = lobby()
    for _ in range(39):
        driver.ask(BOB, GetView(ID))
    assert driver.code(BOB, GetView(ID)) == "too_fast"
    assert driver.code(BOB, Hello(ID, PROTOCOL_VERSION, "Bob", "player")) == "too_fast"
    assert isinstance(driver.ask(ANN, GetView(ID)), Current)
    driver.now += 0.06
    assert isinstance(driver.ask(BOB, GetView(ID)), Current)
    assert driver.code(BOB, GetView(ID)) == "too_fast"


def test_a_broadcast_costs_as_much_as_ten_requests() -> None:
    driver = lobby()
    for _ in range(3):
        assert not isinstance(driver.ask(BOB, Chat(ID, "hello")), Refused)
    assert driver.code(BOB, Chat(ID, "hello")) == "too_fast"
    driver.now += 1
    for _ in range(2):
        assert not isinstance(driver.ask(BOB, Chat(ID, "hello")), Refused)
    assert driver.code(BOB, Chat(ID, "hello")) == "too_fast"
    assert not isinstance(driver.ask(ANN, Chat(ID, "hello")), Refused)
    driver.now += 1
    for role in ("spectator", "player"):
        driver.hello(BOB, role)
    assert driver.code(BOB, Rename(ID, "Rob")) == "too_fast"


def test_repeats_count_towards_the_rate_limit() -> None:
    driver = lobby()
    said = Chat(b"i" * 16, "hello")
    for _ in range(16):
        assert not isinstance(driver.ask(BOB, said), Refused)
    for _ in range(5):
        assert driver.code(BOB, Chat(b"i" * 16, "goodbye")) == "id_reused"
    assert driver.code(BOB, said) == "too_fast"


def test_the_rate_limit_applies_to_people_not_at_the_table() -> None:
    driver = lobby()
    for _ in range(40):
        assert driver.code(EVE, GetView(ID)) == "say_hello"
    assert driver.code(EVE, GetView(ID)) == "too_fast"


def test_changing_ones_mind_about_being_ready_is_a_broadcast() -> None:
    driver = lobby()
    for number in range(6):
        assert not isinstance(driver.ask(BOB, Ready(ID, number % 2 == 0)), Refused)
    assert driver.code(BOB, Ready(ID, True)) == "too_fast"


def test_what_is_no_request_counts_towards_the_rate_limit() -> None:
    driver = lobby()
    for _ in range(40):
        answer = driver.table.handle(driver.now, EVE, WrongShape("no map")).answer
        assert isinstance(answer, Malformed)
    error = WrongShape("no map")
    error.request_id = b"i" * 16
    answer = driver.table.handle(driver.now, EVE, error).answer
    assert isinstance(answer, Refused)
    assert (answer.refusal.code, answer.id) == ("too_fast", b"i" * 16)


def test_a_throttled_request_may_be_retried() -> None:
    driver = lobby()
    said = Chat(b"i" * 16, "hello")
    for _ in range(39):
        driver.ask(BOB, GetView(ID))
    assert driver.code(BOB, said) == "too_fast"
    driver.now += 1
    assert not isinstance(driver.ask(BOB, said), Refused)


def test_record_failed() -> None:
    driver = game()
    driver.journals.full = True
    assert driver.code(driver.active_key, PLACE) == "record_failed"
    driver.journals.full = False
    assert not isinstance(driver.ask(driver.active_key, PLACE), Refused)
    assert "record_failed" in driver.notes()


# Where several refusals apply, SPEC.md says which one is given


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
    ("wrong_stage", "not_ready", lambda: played(ANN, BOB, games=1), ANN, Start(ID)),
    ("too_few_players", "not_ready", lambda: alone_with_a_seat(), ANN, Start(ID)),
    ("not_ready", "record_failed", lambda: full_disk(lobby()), ANN, Start(ID)),
]


def alone_with_a_seat() -> TableDriver:
    """Return a lobby whose owner is a spectator, with one player who is not ready."""
    driver = table_for()
    driver.hello(ANN, "spectator")
    driver.hello(BOB)
    return driver


@pytest.mark.slow
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
