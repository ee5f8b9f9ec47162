"""Whole games at a table: recorded, published, idempotent, rate limited."""

import pytest

from coffeerush.host.table.bot_seats import random_fallback
from coffeerush.host.table.limits import UNDOS_A_TURN
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
from tests.support.tables import ANN, BOB, CID, DEE, EPOCH, ID, Visit, table_for

RETRY = b"r" * 16


@pytest.mark.parametrize(
    ("keys", "bots"),
    [((ANN, BOB), ()), ((ANN, BOB), ("greedy",)), ((ANN, BOB, CID, DEE), ())],
)
def test_a_whole_game(keys: tuple[str, ...], bots: tuple[str, ...]) -> None:
    visit = table_for(seats=len(keys) + len(bots), bots=bots, starters=len(keys) == 4)
    visit.begin(*keys)
    visit.play()
    record = visit.shelf.record()
    assert visit.latest.table.stage == "result"
    assert isinstance(visit.latest.events[-1], GameEnded)
    assert visit.latest.view is not None
    assert visit.latest.view.standings == standings(visit.state)
    assert record.end is not None
    assert record.end.standings == visit.latest.view.standings
    assert len(record.moves) == visit.latest.rev
    assert list(record.states())[-1] == visit.state
    assert visit.notes().count("game_over") == 1
    assert "game_over" in visit.notes()
    assert not visit.table.take_counters()


def test_bots_alone_play_game_after_game() -> None:
    visit = table_for(seats=2, bots=("random", "random"), owner="")
    assert visit.table.bot_turn() is None
    for game in (1, 2, 3):
        visit.wait(1)
        assert visit.table_view.stage == "game"
        visit.play()
        assert visit.notes().count("game_over") == game
    assert len(visit.shelf.files) == 3
    assert [visit.shelf.record(game).head.game for game in range(3)] == [1, 2, 3]
    assert len({visit.shelf.record(game).head.setup.seed for game in range(3)}) == 3


def test_an_intent_is_published_and_sent_in_full_to_its_player() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    pour = play_until_pour(visit)
    key = visit.active_key
    before = visit.state
    answer = visit.submit(key, pour)
    assert isinstance(answer, Accepted)
    assert answer.rev == visit.rev == visit.shelf.record().moves[-1].rev
    assert answer.events == events(before, pour, visit.state, before.active)
    assert isinstance(answer.events[0], Poured)
    assert answer.events[0].cup is not None
    assert visit.latest.events == events(before, pour, visit.state, None)
    assert answer.view == view_for(visit.state, before.active)
    assert visit.latest.view == view_for(visit.state, None)
    other = BOB if key == ANN else ANN
    assert visit.sync(key).log[-1] == answer.events[0]
    assert visit.sync(other).log[-1] == Poured(answer.events[0].seat)


def play_until_pour(visit: Visit) -> Intent:
    """Play until somebody may pour, and return that intent."""
    while True:
        own = visit.view(visit.active_key).own
        assert own is not None
        for option in own.options:
            if type(option.intent).__name__ == "Pour":
                return option.intent
        visit.person()


def test_a_repeated_request_is_idempotent_and_gets_the_same_bytes() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    key = visit.active_key
    wish = visit.wish(PlaceMeeple(5), RETRY)
    first = visit.ask(key, wish)
    visit.play(9)
    truth = visit.truth()
    assert encode(visit.ask(key, wish)) == encode(first)
    assert visit.truth() == truth


def test_an_id_belongs_to_its_key() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    for cell in (0, 1):
        assert isinstance(visit.submit(visit.active_key, PlaceMeeple(cell), RETRY), Accepted)


def test_a_refused_intent_stays_refused_under_its_id() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    key = visit.active_key
    wish = Submit(RETRY, 1, 3, PlaceMeeple(5))
    first = visit.ask(key, wish)
    assert isinstance(first, Refused)
    visit.play(3)
    assert encode(visit.ask(key, wish)) == encode(first)


def test_only_the_latest_answers_are_kept() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    key = visit.active_key
    wish = visit.wish(PlaceMeeple(5), RETRY)
    visit.ask(key, wish)
    while sum(move.key == key for move in visit.shelf.record().moves) < 66:
        visit.play(1)
    answer = visit.ask(key, wish)
    assert isinstance(answer, Refused)
    assert answer.refusal.code == "stale"


def test_fast_play_is_never_throttled() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    while visit.table_view.stage == "game":
        intent = random_fallback(visit.state, visit.chance)
        assert isinstance(visit.submit(visit.active_key, intent), Accepted)
    assert visit.rev > 60


def test_undo_counts_towards_the_rate_limit() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    while not visit.state.round:
        visit.person()
    key = visit.active_key
    visit.now += 10
    for _ in range(40):
        assert isinstance(visit.submit(key, legal_intents(visit.state)[0]), Accepted)
        assert isinstance(visit.submit(key, Undo()), Accepted)
    assert visit.code(key, visit.wish(legal_intents(visit.state)[0])) == "too_fast"


def test_excessive_undo_is_throttled() -> None:
    """A player who never ends the turn cannot fill the record."""
    visit = table_for()
    visit.begin(ANN, BOB)
    while not visit.state.round:
        visit.person()
    key = visit.active_key
    for _ in range(UNDOS_A_TURN):
        visit.now += 1
        assert isinstance(visit.submit(key, legal_intents(visit.state)[0]), Accepted)
        assert isinstance(visit.submit(key, Undo()), Accepted)
    visit.now += 10
    for _ in range(2):
        assert isinstance(visit.submit(key, legal_intents(visit.state)[0]), Accepted)
        assert isinstance(visit.submit(key, Undo()), Accepted)
    assert visit.code(key, visit.wish(legal_intents(visit.state)[0])) == "too_fast"
    visit.now += 0.5
    assert isinstance(visit.submit(key, legal_intents(visit.state)[0]), Accepted)
    again = visit.wish(Undo(), RETRY)
    assert visit.code(key, again) == "too_fast"
    visit.now += 1
    assert isinstance(visit.ask(key, again), Accepted)


def test_a_full_disk_leaves_the_game_where_it_was_for_bots_too() -> None:
    visit = table_for(bots=("random",))
    visit.begin(ANN)
    while visit.table.bot_turn() is None:
        visit.person()
    truth = visit.truth()
    visit.shelf.full = True
    assert visit.bot()
    assert visit.truth() == truth
    assert visit.table.bot_turn() is None
    visit.shelf.full = False
    visit.wait(6, present=(ANN,))
    assert visit.bot()
    assert visit.truth() != truth


def test_a_result_that_could_not_be_written_is_still_shown() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.shelf.full_at_end = True
    visit.play()
    assert visit.table_view.stage == "result"
    assert visit.shelf.record().end is None
    assert "record_failed" in visit.notes()


def test_a_result_is_written_as_soon_as_there_is_room() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.shelf.full_at_end = True
    visit.play()
    visit.wait(12, present=(ANN, BOB))
    assert visit.shelf.record().end is None
    assert visit.notes().count("record_failed") == 3  # at once, and after each pause
    visit.shelf.full = visit.shelf.full_at_end = False
    visit.wait(6, present=(ANN, BOB))
    end = visit.shelf.record().end
    visit.wait(6, present=(ANN, BOB))
    assert end == visit.shelf.record().end is not None


def test_no_game_starts_before_the_previous_result_is_written() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.shelf.full_at_end = True
    visit.play()
    visit.ask(BOB, Ready(ID, True))
    assert visit.code(ANN, Start(ID)) == "record_failed"
    visit.shelf.full = visit.shelf.full_at_end = False
    assert isinstance(visit.ask(ANN, Start(ID)), Done)
    assert visit.shelf.record(0).end is not None
    assert visit.shelf.record(1).head.game == 2


def test_private_revs_tell_only_whose_private_part_changed() -> None:
    visit = table_for(seats=3)
    visit.begin(ANN, BOB, CID)
    visit.play()
    states = list(visit.shelf.record().states())
    updates = [one for one in visit.updates if one.rev and one.events]
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
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.play()
    assert len(visit.sync(ANN).log) == 48
    assert visit.sync(ANN).epoch == EPOCH
    assert any(isinstance(event, TurnStarted) for event in visit.sync(BOB).log)


def test_the_hosts_log_has_the_result_by_name() -> None:
    visit = table_for()
    visit.begin(ANN, BOB)
    visit.play()
    (note,) = (note for note in visit.noted() if note.code == "game_over")
    places = standings(visit.state)
    told = ", ".join(f"{('Ann', 'Bob')[one.seat]} {one.score}" for one in places)
    assert note.params == {"game": 1, "standings": told}


def test_a_table_without_an_owner_starts_at_time_zero() -> None:
    visit = table_for(owner="")
    visit.now = 0.0
    for key in (ANN, BOB):
        visit.hello(key)
        visit.ask(key, Ready(ID, True))
    assert visit.table_view.stage == "game"
    visit.now = 100.0
    visit.person()
    assert (visit.game, visit.table_view.stage) == (1, "game")
