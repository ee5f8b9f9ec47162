"""Every refusal code of the table, provoked once; none changes anything."""

import pytest

from protocol import (
    PROTOCOL_VERSION,
    REFUSAL_CODES,
    AddBot,
    Bye,
    Chat,
    Current,
    EndTurn,
    GetRecord,
    GetView,
    Hello,
    LetIn,
    Malformed,
    PlaceMeeple,
    Ready,
    Refused,
    Remove,
    RemoveSpectator,
    Rename,
    Request,
    SetPause,
    Start,
    Submit,
    Sync,
    Undo,
    WrongShape,
)
from tests.support.refusals import game, lobby
from tests.support.tables import ANN, BOB, CID, DEE, EVE, ID, table_for

PLACE = Submit(ID, 1, 0, PlaceMeeple(0))


IN_THE_LOBBY: list[tuple[str, str, Request]] = [
    ("say_hello", DEE, Sync(ID)),
    ("say_hello", DEE, GetView(ID)),
    ("say_hello", DEE, Bye(ID)),
    ("say_hello", DEE, PLACE),
    ("wrong_stage", ANN, PLACE),
    ("not_seated", CID, Ready(ID, True)),
    ("not_owner", BOB, Start(ID)),
    ("not_owner", BOB, AddBot(ID, 2, "regular")),
    ("not_owner", BOB, Remove(ID, 0)),
    ("not_ready", ANN, Start(ID)),
    ("no_record", CID, GetRecord(ID, 0, 0)),
    ("bad_text", ANN, Chat(ID, "\u200b")),
    ("bad_text", ANN, Rename(ID, "\x1b")),
    ("bad_text", DEE, Hello(ID, PROTOCOL_VERSION, "\u200b \x07", "player")),
    ("name_taken", ANN, Rename(ID, "BOB")),
    ("no_such_seat", ANN, AddBot(ID, 3, "regular")),
    ("no_such_seat", ANN, Remove(ID, 3)),
    ("no_such_seat", ANN, Remove(ID, 2)),
    ("no_such_seat", ANN, Remove(ID, 0)),
    ("not_owner", BOB, RemoveSpectator(ID, "Cid")),
    ("no_such_spectator", ANN, RemoveSpectator(ID, "Bob")),
    ("no_such_spectator", ANN, RemoveSpectator(ID, "Dee")),
    ("no_such_guest", ANN, LetIn(ID, 1)),
    ("not_owner", BOB, LetIn(ID, 1)),
    ("seat_not_free", ANN, AddBot(ID, 1, "regular")),
    ("unknown_bot", ANN, AddBot(ID, 2, "clairvoyant")),
]


@pytest.mark.parametrize(("code", "key", "request_"), IN_THE_LOBBY)
def test_refused_in_the_lobby(code: str, key: str, request_: Request) -> None:
    assert lobby().code(key, request_) == code


IN_A_GAME: list[tuple[str, str, Request]] = [
    ("not_seated", CID, PLACE),
    ("wrong_stage", ANN, Ready(ID, True)),
    ("wrong_stage", ANN, Rename(ID, "Anna")),
    ("wrong_stage", CID, Rename(ID, "Carl")),
    ("wrong_stage", ANN, AddBot(ID, 1, "regular")),
    ("wrong_stage", ANN, Start(ID)),
    ("table_full", DEE, Hello(ID, PROTOCOL_VERSION, "Dee", "player")),
    ("table_full", CID, Hello(ID, PROTOCOL_VERSION, "Cid", "player")),
    ("stale", ANN, Submit(ID, 1, 1, PlaceMeeple(0))),
    ("stale", ANN, Submit(ID, 0, 0, PlaceMeeple(0))),
]


@pytest.mark.parametrize(("code", "key", "request_"), IN_A_GAME)
def test_refused_in_a_game(code: str, key: str, request_: Request) -> None:
    assert game().code(key, request_) == code


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


def test_paused() -> None:
    driver = game()
    driver.ask(ANN, SetPause(ID, True, "Pizza!"))
    assert driver.code(driver.active_key, Submit(ID, 1, 0, PlaceMeeple(0))) == "paused"


def test_table_full() -> None:
    driver = table_for()
    driver.hello(ANN)
    driver.hello(BOB)
    assert driver.code(CID, Hello(ID, PROTOCOL_VERSION, "Cid", "player")) == "table_full"


def test_too_few_players() -> None:
    driver = table_for()
    driver.hello(ANN)
    assert driver.code(ANN, Start(ID)) == "too_few_players"


def test_not_ready_names_the_missing_players() -> None:
    answer = lobby().ask(ANN, Start(ID))
    assert isinstance(answer, Refused)
    assert answer.refusal.params == {"who": "Bob"}


def test_too_many_spectators() -> None:
    driver = table_for()
    for index in range(16):
        driver.hello(f"{index:040}", "spectator", name=f"guest {index}")
    assert (
        driver.code(EVE, Hello(ID, PROTOCOL_VERSION, "Eve", "spectator")) == "too_many_spectators"
    )


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


def test_every_code_of_the_table_has_its_test() -> None:
    codes = REFUSAL_CODES[REFUSAL_CODES.index("say_hello") : REFUSAL_CODES.index("door_busy")]
    listed = {code for code, _, _ in IN_THE_LOBBY + IN_A_GAME}
    assert [code for code in codes if code not in listed and f"test_{code}" not in globals()] == []
