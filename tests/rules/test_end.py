"""How a game ends and who wins (R-END-1 to R-END-4)."""

import pytest

from coffeerush.rules import State, legal_intents, standings
from protocol import ActivateUpgrade, EndTurn, Phase, Standing, Upgrade
from tests.support.positions import Has, finish, play, position, refused

MORE = pytest.mark.parametrize("count", [3, 4])
LATE = Has(("", "", "", "Mocha"), penalties=4)
"""Gets a fifth penalty at the end of this turn, and so closes (R-TIME-2)."""
BUSY = Has(("Iced tea",))


def turns_left(state: State) -> list[int]:
    """Return the seats whose turns follow until the game is over; at most nine."""
    found: list[int] = []
    while state.active is not None and len(found) < 9:
        found.append(state.active)
        state = finish(state)
    return found


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_game_goes_on_while_open(count: int) -> None:
    # R-END-1: to the next player on the left, round after round
    state = position(*[BUSY] * count, active=count - 1, start=1, round=3)
    after = finish(state)
    assert (after.active, after.closed, after.round) == (0, False, 3)
    assert (finish(after).active, finish(after).round) == (1, 4)


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("closer", range(4))
def test_closed_finishes_the_round_of_four(start: int, closer: int) -> None:
    # R-END-1: the last turn is that of the player to the right of the start player
    seats = [BUSY] * 4
    seats[closer] = LATE
    state = finish(position(*seats, active=closer, start=start))
    assert state.closed
    last = (start - 1) % 4
    following = [(closer + turn) % 4 for turn in range(1, (last - closer) % 4 + 1)]
    assert turns_left(state) == following


@pytest.mark.parametrize(("closer", "following"), [(0, [1, 2]), (1, [2]), (2, [])])
def test_closed_finishes_the_round_of_three(closer: int, following: list[int]) -> None:
    # R-END-1
    seats = [BUSY] * 3
    seats[closer] = LATE
    assert turns_left(finish(position(*seats, active=closer))) == following


@pytest.mark.parametrize("start", [0, 1])
def test_closed_by_the_start_player_of_two(start: int) -> None:
    # R-END-1: the other one has one more turn
    seats = [BUSY, BUSY]
    seats[start] = LATE
    assert turns_left(finish(position(*seats, active=start, start=start))) == [1 - start]


@pytest.mark.parametrize("start", [0, 1])
def test_closed_by_the_other_of_two(start: int) -> None:
    # R-END-1: at once
    seats = [BUSY, BUSY]
    seats[1 - start] = LATE
    assert turns_left(finish(position(*seats, active=1 - start, start=start))) == []


def test_the_last_turns_are_whole_turns() -> None:
    # R-END-1: with order rush, upgrades and all; CLOSED stays CLOSED
    late = finish(position(LATE, Has(("Americano",), ("coffee water",), completed=3), BUSY))
    assert (late.active, late.phase) == (1, Phase.UPGRADE)
    state = finish(play(late, ActivateUpgrade(Upgrade.DOUBLE_CORNERS)), (1, 1))
    assert (len(state.players[1].completed), state.players[1].upgrades) == (1, 4)
    assert len(state.players[2].orders[0]) == 2
    assert state.closed


def test_nothing_can_be_done_when_it_is_over() -> None:
    # R-END-1
    over = finish(position(BUSY, LATE, active=1))
    assert (over.active, over.phase) == (None, Phase.OVER)
    assert legal_intents(over) == ()
    for seat in (0, 1):
        refusal = refused(over, EndTurn(), seat)
        assert (refusal.code, refusal.params) == (
            "wrong_phase",
            {"phase": "over", "reason": "over"},
        )
        assert refusal.text.startswith("The game is over")


def test_the_round_does_not_go_on_when_it_is_over() -> None:
    over = finish(position(BUSY, LATE, active=1, round=7))
    assert over.round == 7


@MORE
def test_closes_when_nobody_has_an_order_left(count: int) -> None:
    # R-END-4, a case that no edition covers: cards are left, but nobody could ever draw them
    last = Has(("", "", "", "Mocha"))
    state = finish(position(last, *[Has()] * (count - 1)))
    assert state.closed
    assert len(state.deck) > 70
    assert turns_left(state) == list(range(1, count))


@MORE
def test_stays_open_while_somebody_has_an_order(count: int) -> None:
    # R-END-4: any player's order in any slot keeps it open
    slots = Has(("", "", "", "Mocha"))
    assert not finish(position(slots, *[Has()] * (count - 2), slots)).closed


@MORE
def test_an_order_rush_keeps_it_open(count: int) -> None:
    # R-END-4: the last order is served, but others draw; checked at the end of the turn
    last = Has(("", "", "", "Americano"), ("coffee water",))
    assert not finish(position(last, *[Has()] * (count - 1)), (1, 4)).closed


def test_two_players_never_run_out_of_orders() -> None:
    # R-END-4 is for 3 and 4 players: here the active player draws one each turn
    state = finish(position(Has(("", "", "", "Mocha")), Has()))
    assert not state.closed
    assert len(state.players[0].orders[0]) == 1


def test_the_score() -> None:
    # R-END-2: +1 per completed order, +2 per upgrade, -1 per penalty
    state = position(
        Has(completed=7, penalties=2, upgrades=(Upgrade.DIAGONAL_MOVE,)),
        Has(completed=1, penalties=4),
        Has(completed=2, upgrades=tuple(Upgrade)),
        Has(rush=9),
    )
    assert {one.seat: one.score for one in standings(state)} == {0: 7, 1: -3, 2: 10, 3: 0}
    assert [(one.rank, one.seat) for one in standings(state)] == [(1, 2), (2, 0), (3, 3), (4, 1)]


def test_discarded_orders_do_not_score() -> None:
    # R-END-2 with R-UPG-1: 3 in the pile score 3, the upgrade they buy scores 2
    state = position(Has(completed=3), Has(), Has())
    after = play(state, ActivateUpgrade(Upgrade.DOUBLE_CORNERS))
    assert [standings(one)[0].score for one in (state, after)] == [3, 2]


def test_a_tie_goes_to_more_orders_in_the_pile() -> None:
    # R-END-3: both score 4, seat 1 with four orders, seat 0 with two and an upgrade
    state = position(
        Has(completed=2, upgrades=(Upgrade.DIAGONAL_MOVE,), rush=8), Has(completed=4), Has()
    )
    assert standings(state) == (Standing(1, 1, 4), Standing(0, 2, 4), Standing(2, 3, 0))


def test_a_second_tie_goes_to_more_rush_tokens() -> None:
    # R-END-3
    state = position(Has(completed=4, rush=1), Has(completed=4, rush=2), Has())
    assert [(one.seat, one.rank) for one in standings(state)] == [(1, 1), (0, 2), (2, 3)]


def test_a_full_tie_is_shared() -> None:
    # R-END-3: ranks 1, 1, 3, 3
    state = position(Has(rush=1), Has(completed=4, rush=2), Has(rush=1), Has(completed=4, rush=2))
    assert [(one.seat, one.rank) for one in standings(state)] == [(1, 1), (3, 1), (0, 3), (2, 3)]
