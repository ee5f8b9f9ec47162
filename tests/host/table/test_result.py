"""The result, the rematch, and the return to the lobby when too few players stay."""

from typing import Any

import pytest

from coffeerush.host.table.limits import GONE_SECONDS
from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    GameStarted,
    Hello,
    OrdersDrawn,
    PeopleChanged,
    Ready,
    Remove,
    Said,
    Start,
)
from tests.support.tables import ANN, BOB, CID, DEE, ID, Visit, table_for


def over(seats: int, *keys: str, **settings: Any) -> Visit:
    visit = table_for(seats=seats, **settings)
    visit.begin(*keys)
    visit.play()
    return visit


def test_the_owner_starts_the_rematch() -> None:
    visit = over(2, ANN, BOB)
    visit.ask(BOB, Chat(ID, "again?"))
    assert [seat.ready for seat in visit.table_view.seats] == [True, False]
    assert visit.code(ANN, Start(ID)) == "not_ready"
    visit.ask(BOB, Ready(ID, True))
    visit.ask(ANN, Start(ID))
    assert (visit.game, visit.rev, visit.latest.private_revs) == (2, 0, (0, 0))
    log = visit.sync(ANN).log
    assert Said("Bob", "again?") in log
    assert {type(event) for event in log} == {Said, GameStarted, OrdersDrawn}
    assert isinstance(visit.latest.events[0], GameStarted)
    visit.play()
    assert visit.notes().count("game_over") == 2
    assert visit.shelf.record(0).head.setup.seed != visit.shelf.record(1).head.setup.seed


def test_a_table_without_owner_starts_the_rematch_when_all_who_stay_are_ready() -> None:
    visit = over(3, ANN, BOB, CID, owner="")
    visit.ask(ANN, Ready(ID, True))
    visit.ask(BOB, Ready(ID, True))
    assert visit.table_view.stage == "result"
    visit.ask(CID, Bye(ID))
    assert visit.latest.game == 2
    assert [seat.name for seat in visit.latest.table.seats] == ["Ann", "Bob"]
    assert visit.sync(BOB).seat == 1


def test_after_its_last_game_a_table_deals_no_more() -> None:
    visit = over(2, ANN, BOB, owner="", games=1)
    assert visit.table.all_played
    visit.ask(ANN, Ready(ID, True))
    visit.ask(BOB, Ready(ID, True))
    assert (visit.game, visit.table_view.stage) == (1, "result")
    owned = over(2, ANN, BOB, games=1)
    owned.ask(BOB, Ready(ID, True))
    assert owned.code(ANN, Start(ID)) == "wrong_stage"


def test_a_player_who_returns_in_time_plays_the_rematch() -> None:
    visit = over(2, ANN, BOB)
    visit.ask(BOB, Bye(ID))
    assert visit.table_view.seats[1].away
    assert visit.table_view.seats[1].name == "Bob"
    assert visit.code(ANN, Start(ID)) == "too_few_players"
    visit.hello(BOB)
    visit.ask(BOB, Ready(ID, True))
    visit.ask(ANN, Start(ID))
    assert visit.game == 2


def test_a_newcomer_joins_for_the_rematch_and_sees_no_cups() -> None:
    visit = over(3, ANN, BOB)
    assert [seat.status for seat in visit.table_view.seats] == ["person", "person", "open"]
    answer = visit.hello(CID)
    assert answer.seat == 2
    assert answer.view is not None
    assert answer.view.own is None
    visit.ask(BOB, Ready(ID, True))
    visit.ask(CID, Ready(ID, True))
    visit.ask(ANN, Start(ID))
    assert len(visit.state.players) == 3


def test_taking_somebodys_seat_does_not_reveal_their_cups() -> None:
    visit = over(3, ANN, BOB, CID)
    assert visit.view(CID).own is not None
    visit.ask(ANN, Remove(ID, 2))
    answer = visit.hello(DEE)
    assert answer.seat == 2
    assert answer.view is not None
    assert answer.view.own is None
    assert visit.view(DEE).own is None


def test_the_names_of_a_result_stay_while_enough_players_do() -> None:
    visit = over(3, ANN, BOB, CID)
    visit.ask(CID, Bye(ID))
    assert [seat.name for seat in visit.table_view.seats] == ["Ann", "Bob", "Cid"]
    assert visit.code(DEE, Hello(ID, PROTOCOL_VERSION, "Dee", "player")) == "table_full"


def test_with_one_player_left_a_newcomer_returns_the_table_to_the_lobby() -> None:
    visit = over(2, ANN, BOB)
    visit.ask(BOB, Bye(ID))
    assert visit.table_view.stage == "result"
    answer = visit.hello(CID)
    assert answer.table.stage == "lobby"
    assert (answer.seat, answer.view, answer.game) == (1, None, 1)
    assert visit.latest.private_revs == ()
    visit.ask(CID, Ready(ID, True))
    visit.ask(ANN, Start(ID))
    assert visit.game == 2


def test_when_all_have_left_the_lobby_is_back() -> None:
    visit = over(2, ANN, BOB)
    visit.wait(7)
    assert [seat.away for seat in visit.table_view.seats] == [True, True]
    visit.wait(GONE_SECONDS)
    assert visit.table_view.stage == "lobby"
    assert [seat.status for seat in visit.table_view.seats] == ["open", "open"]
    assert visit.events()[-1] == PeopleChanged("Bob", "left")


def test_bots_join_and_leave_between_games() -> None:
    visit = over(3, ANN, BOB)
    visit.ask(ANN, AddBot(ID, 2, "random"))
    visit.ask(ANN, Remove(ID, 1))
    visit.ask(ANN, Start(ID))
    assert [seat.name for seat in visit.table_view.seats] == ["Ann", "random 1"]
    visit.play()
    assert visit.notes().count("game_over") == 2


def test_only_the_result_stage_has_tallies() -> None:
    visit = over(3, ANN, BOB, CID)
    tallies = visit.latest.table.tallies
    final = {one.seat: one.score for one in visit.view(ANN).standings}
    assert [one.scores[-1] for one in tallies] == [final[seat] for seat in range(3)]
    assert [len(one.scores) for one in tallies] == [visit.state.round] * 3
    assert any(one.best_served for one in tallies)
    assert not any(update.table.tallies for update in visit.updates[:-1])
    visit.ask(BOB, Ready(ID, True))
    visit.ask(CID, Ready(ID, True))
    assert visit.latest.table.tallies == tallies
    visit.ask(ANN, Start(ID))
    assert not visit.latest.table.tallies
    visit.play()
    assert [len(one.scores) for one in visit.latest.table.tallies] == [visit.state.round] * 3


def test_people_who_join_after_the_end_get_the_tallies() -> None:
    visit = over(3, ANN, BOB)
    tallies = visit.latest.table.tallies
    assert visit.hello(ANN).table.tallies == tallies
    assert visit.hello(DEE, "spectator").table.tallies == tallies
    assert visit.hello(CID).table.tallies == tallies


def test_the_lobby_after_a_game_has_no_tallies() -> None:
    visit = over(2, ANN, BOB)
    visit.wait(GONE_SECONDS + 1)
    assert visit.table_view.stage == "lobby"
    assert visit.latest.table.tallies == ()


@pytest.mark.parametrize("stage", ["game", "result"])
def test_a_table_whose_owner_has_left_starts_rematches_automatically(stage: str) -> None:
    visit = table_for(3)
    visit.begin(ANN, BOB, CID)
    if stage == "game":
        visit.ask(ANN, Bye(ID))
        assert visit.table_view.owner is None
    visit.play()
    visit.ask(BOB, Ready(ID, True))
    visit.ask(CID, Ready(ID, True))
    if stage == "result":
        assert visit.table_view.owner == 0
        visit.ask(ANN, Bye(ID))
    assert (visit.game, visit.table_view.owner) == (2, None)
    assert [seat.name for seat in visit.table_view.seats] == ["Bob", "Cid"]


def test_a_long_silent_owner_is_not_waited_for() -> None:
    visit = over(3, ANN, BOB, CID)
    visit.sync(ANN)
    for key in (BOB, CID):
        visit.ask(key, Ready(ID, True))
    visit.wait(GONE_SECONDS, present=(BOB, CID))
    assert (visit.game, visit.table_view.owner) == (1, 0)
    visit.wait(2, present=(BOB, CID))
    assert (visit.game, visit.table_view.owner) == (2, None)


def test_an_owner_who_comes_back_owns_the_table_again() -> None:
    visit = over(3, ANN, BOB, CID)
    visit.ask(ANN, Bye(ID))
    visit.ask(BOB, Ready(ID, True))
    assert visit.code(BOB, Remove(ID, 2)) == "not_owner"
    answer = visit.hello(ANN)
    assert (answer.owner, answer.table.owner) == (True, 0)
    visit.ask(CID, Ready(ID, True))
    assert visit.game == 1
    visit.ask(ANN, Start(ID))
    assert visit.game == 2


def test_with_its_owner_gone_and_only_bots_left_a_table_waits() -> None:
    visit = table_for(2)
    visit.hello(BOB, "spectator")
    visit.hello(ANN)
    visit.ask(ANN, AddBot(ID, 1, "random"))
    visit.ask(ANN, Start(ID))
    visit.ask(ANN, Bye(ID))
    visit.play()
    visit.wait(3, present=(BOB,))
    assert (visit.table_view.stage, visit.table_view.owner) == ("lobby", None)
    visit.hello(BOB)
    visit.ask(BOB, Ready(ID, True))
    assert visit.game == 2
