"""Whole games at a table: recorded, published, idempotent, rate limited."""

import pytest

from coffeerush import __version__
from coffeerush.bots import RandomBot
from coffeerush.host.table.config import UNDOS_A_TURN
from coffeerush.rules import events, legal_intents, standings, view_for
from protocol import (
    Accepted,
    Done,
    GameEnded,
    Intent,
    PlaceMeeple,
    Poured,
    Ready,
    Refused,
    Start,
    Submit,
    TurnStarted,
    Undo,
    encode,
)
from tests.support.tables import ANN, BOB, CID, DEE, EPOCH, ID, TableDriver, played, table_for

RETRY = b"r" * 16


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "bots"), [((ANN, BOB), ()), ((ANN, BOB), ("regular",)), ((ANN, BOB, CID, DEE), ())]
)
def test_a_whole_game(keys: tuple[str, ...], bots: tuple[str, ...]) -> None:
    driver = played(*keys, seats=len(keys) + len(bots), bots=bots, starters=len(keys) == 4)
    record = driver.journals.record()
    assert driver.latest.table.stage == "result"
    assert isinstance(driver.latest.events[-1], GameEnded)
    assert driver.latest.view is not None
    assert driver.latest.view.standings == standings(driver.state)
    assert record.end is not None
    assert record.end.standings == driver.latest.view.standings
    assert len(record.moves) == driver.latest.rev
    assert list(record.states())[-1] == driver.state
    assert driver.notes().count("game_over") == 1
    assert "game_over" in driver.notes()
    assert not driver.table.take_counters()


def test_bots_alone_play_game_after_game() -> None:
    driver = table_for(seats=2, bots=("random", "random"), owner="")
    assert driver.table.bot_turn() is None
    for game in (1, 2, 3):
        driver.wait(1)
        assert driver.table_view.stage == "game"
        driver.play()
        assert driver.notes().count("game_over") == game
    assert len(driver.journals.files) == 3
    assert [driver.journals.record(game).head.game for game in range(3)] == [1, 2, 3]
    assert driver.journals.record(0).head.program == __version__
    assert len({driver.journals.record(game).head.setup.seed for game in range(3)}) == 3


def test_an_intent_is_published_and_sent_in_full_to_its_player() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    pour = play_until_pour(driver)
    key = driver.active_key
    before = driver.state
    answer = driver.submit(key, pour)
    assert isinstance(answer, Accepted)
    assert answer.rev == driver.rev == driver.journals.record().moves[-1].rev
    assert answer.events == events(before, pour, driver.state, before.active)
    assert isinstance(answer.events[0], Poured)
    assert answer.events[0].cup is not None
    assert driver.latest.events == events(before, pour, driver.state, None)
    assert answer.view == view_for(driver.state, before.active)
    assert driver.latest.view == view_for(driver.state, None)
    other = BOB if key == ANN else ANN
    assert driver.sync(key).log[-1] == answer.events[0]
    assert driver.sync(other).log[-1] == Poured(answer.events[0].seat)


def play_until_pour(driver: TableDriver) -> Intent:
    """Play until somebody may pour, and return that intent."""
    while True:
        own = driver.view(driver.active_key).own
        assert own is not None
        for option in own.options:
            if type(option.intent).__name__ == "Pour":
                return option.intent
        driver.person()


def test_a_repeated_request_is_idempotent_and_gets_the_same_bytes() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    key = driver.active_key
    wish = driver.wish(PlaceMeeple(5), RETRY)
    first = driver.ask(key, wish)
    driver.play(9)
    truth = driver.truth()
    assert encode(driver.ask(key, wish)) == encode(first)
    assert driver.truth() == truth


def test_an_id_belongs_to_its_key() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    for cell in (0, 1):
        assert isinstance(driver.submit(driver.active_key, PlaceMeeple(cell), RETRY), Accepted)


def test_a_refused_intent_stays_refused_under_its_id() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    key = driver.active_key
    wish = Submit(RETRY, 1, 3, PlaceMeeple(5))
    first = driver.ask(key, wish)
    assert isinstance(first, Refused)
    driver.play(3)
    assert encode(driver.ask(key, wish)) == encode(first)


@pytest.mark.slow
def test_only_the_latest_answers_are_kept() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    key = driver.active_key
    wish = driver.wish(PlaceMeeple(5), RETRY)
    driver.ask(key, wish)
    while sum(move.key == key for move in driver.journals.record().moves) < 66:
        driver.play(1)
    answer = driver.ask(key, wish)
    assert isinstance(answer, Refused)
    assert answer.refusal.code == "stale"


def test_fast_play_is_never_throttled() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    while driver.table_view.stage == "game":
        view = view_for(driver.state, driver.state.active)
        intent = RandomBot().choose(view, driver.chance)
        assert isinstance(driver.submit(driver.active_key, intent), Accepted)
    assert driver.rev > 60


def test_undo_counts_towards_the_rate_limit() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    while not driver.state.round:
        driver.person()
    key = driver.active_key
    driver.now += 10
    for _ in range(40):
        assert isinstance(driver.submit(key, legal_intents(driver.state)[0]), Accepted)
        assert isinstance(driver.submit(key, Undo()), Accepted)
    assert driver.code(key, driver.wish(legal_intents(driver.state)[0])) == "too_fast"


def test_excessive_undo_is_throttled() -> None:
    """A player who never ends the turn cannot fill the record."""
    driver = table_for()
    driver.begin(ANN, BOB)
    while not driver.state.round:
        driver.person()
    key = driver.active_key
    for _ in range(UNDOS_A_TURN):
        driver.now += 1
        assert isinstance(driver.submit(key, legal_intents(driver.state)[0]), Accepted)
        assert isinstance(driver.submit(key, Undo()), Accepted)
    driver.now += 10
    for _ in range(2):
        assert isinstance(driver.submit(key, legal_intents(driver.state)[0]), Accepted)
        assert isinstance(driver.submit(key, Undo()), Accepted)
    assert driver.code(key, driver.wish(legal_intents(driver.state)[0])) == "too_fast"
    driver.now += 0.5
    assert isinstance(driver.submit(key, legal_intents(driver.state)[0]), Accepted)
    again = driver.wish(Undo(), RETRY)
    assert driver.code(key, again) == "too_fast"
    driver.now += 1
    assert isinstance(driver.ask(key, again), Accepted)


def test_a_full_disk_leaves_the_game_where_it_was_for_bots_too() -> None:
    driver = table_for(bots=("random",))
    driver.begin(ANN)
    while driver.table.bot_turn() is None:
        driver.person()
    truth = driver.truth()
    driver.journals.full = True
    assert driver.bot()
    assert driver.truth() == truth
    assert driver.table.bot_turn() is None
    driver.journals.full = False
    driver.wait(6, present=(ANN,))
    assert driver.bot()
    assert driver.truth() != truth


def test_a_result_that_could_not_be_written_is_still_shown() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.journals.full_at_end = True
    driver.play()
    assert driver.table_view.stage == "result"
    assert driver.journals.record().end is None
    assert "record_failed" in driver.notes()


def test_a_result_is_written_as_soon_as_there_is_room() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.journals.full_at_end = True
    driver.play()
    driver.wait(12, present=(ANN, BOB))
    assert driver.journals.record().end is None
    assert driver.notes().count("record_failed") == 3  # at once, and after each pause
    driver.journals.full = driver.journals.full_at_end = False
    driver.wait(6, present=(ANN, BOB))
    end = driver.journals.record().end
    driver.wait(6, present=(ANN, BOB))
    assert end == driver.journals.record().end is not None


def test_no_game_starts_before_the_previous_result_is_written() -> None:
    driver = table_for()
    driver.begin(ANN, BOB)
    driver.journals.full_at_end = True
    driver.play()
    driver.ask(BOB, Ready(ID, True))
    assert driver.code(ANN, Start(ID)) == "record_failed"
    driver.journals.full = driver.journals.full_at_end = False
    assert isinstance(driver.ask(ANN, Start(ID)), Done)
    assert driver.journals.record(0).end is not None
    assert driver.journals.record(1).head.game == 2


def test_private_revs_tell_only_whose_private_part_changed() -> None:
    driver = played(ANN, BOB, CID, seats=3)
    states = list(driver.journals.record().states())
    updates = [one for one in driver.updates if one.rev and one.events]
    before: tuple[int, ...] = (0, 0, 0)
    for update in updates:
        was, now = states[update.rev - 1], states[update.rev]
        for seat in range(3):
            if view_for(was, seat).own != view_for(now, seat).own:
                assert update.private_revs[seat] == update.rev
        setup_ended = not was.round and now.round
        touched = {0, 1, 2} if setup_ended else {was.active, now.active}
        expected = tuple(update.rev if seat in touched else before[seat] for seat in range(3))
        assert update.private_revs == expected
        before = expected


def test_the_log_is_bounded_and_holds_only_this_game() -> None:
    driver = played(ANN, BOB)
    assert len(driver.sync(ANN).log) == 48
    assert driver.sync(ANN).epoch == EPOCH
    assert any(isinstance(event, TurnStarted) for event in driver.sync(BOB).log)


def test_the_hosts_log_has_the_result_by_name() -> None:
    driver = played(ANN, BOB)
    (note,) = (note for note in driver.noted() if note.code == "game_over")
    places = standings(driver.state)
    told = ", ".join(f"{('Ann', 'Bob')[one.seat]} {one.score}" for one in places)
    assert note.params == {"game": 1, "standings": told}


def test_a_table_without_an_owner_starts_at_time_zero() -> None:
    driver = table_for(owner="")
    driver.now = 0.0
    for key in (ANN, BOB):
        driver.hello(key)
        driver.ask(key, Ready(ID, True))
    assert driver.table_view.stage == "game"
    driver.now = 100.0
    driver.person()
    assert (driver.game, driver.table_view.stage) == (1, "game")
