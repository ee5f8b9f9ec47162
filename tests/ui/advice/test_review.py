"""The review of a game: bad turns are found, nothing hidden is used, others' luck is no merit."""

from functools import cache
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots import RandomBot, RegularBot
from coffeerush.bots.planner import PlannerBot, before_end
from coffeerush.bots.values import scores_of, win_share
from coffeerush.records.entries import read_record
from coffeerush.rules import Setup, State, advance, deal, legal_intents, standard_deck, view_for
from coffeerush.rules.state import acting
from coffeerush.ui.advice.advice import is_late_for_upgrade
from coffeerush.ui.advice.review import (
    BLUNDER,
    INEXACT,
    MOST_MARKED,
    BestTurn,
    Expired,
    Fall,
    PlayedTurn,
    Reason,
    Review,
    ReviewedTurn,
    agreed,
    played_turns,
    review,
    review_turn,
)
from protocol import ActivateUpgrade, EndTurn, Intent, ReturnRest, Serve, Step, Undo, Upgrade
from tests.support.positions import Has, cards, position
from tests.support.records import head_of, lines, play
from tests.support.twins import remixed

LAZY_ROUNDS = (2, 3)
Game = tuple[list[State], list[Intent]]


@cache
def game() -> Game:
    """Return a game of a planner that only walks in two rounds, and of a random bot."""
    chance, state = Random(5), deal(Setup(2, standard_deck(), 5))
    bots = (PlannerBot(), RandomBot())
    states, intents = [state], list[Intent]()
    while (seat := state.active) is not None:
        if seat == 0 and state.round in LAZY_ROUNDS:
            intent = lazy(state)
        else:
            intent = bots[seat].choose(view_for(state, seat), chance)
        state = advance(state, intent)
        intents.append(intent)
        states.append(state)
    return states, intents


def lazy(state: State) -> Intent:
    """Return an intent that walks a single step, pours nothing and serves nothing."""
    for kind in (ReturnRest, EndTurn, Step):
        for intent in legal_intents(state):
            if isinstance(intent, kind):
                return intent
    raise AssertionError("a turn can always go on")


@cache
def reviewed(seat: int) -> tuple[ReviewedTurn, ...]:
    states, intents = game()
    return tuple(review_turn(turn, seed=5) for turn in played_turns(states, intents, seat))


def whole(seat: int) -> Review:
    return review(reviewed(seat), game()[0][-1], seat)


def test_turns_played_badly_on_purpose_are_marked() -> None:
    marked = whole(0).marked
    assert {one.turn.begun.round for one in marked} == {*LAZY_ROUNDS}
    for one in marked:
        assert one.best[-1] == EndTurn()
        assert one.best != one.turn.intents
        assert 0 <= one.chance < one.best_chance <= 100
    assert whole(0).lesson in {one.reason for one in marked}


@pytest.mark.slow
def test_a_planner_loses_less_than_a_random_bot() -> None:
    # what the planner lost is what it lost in its lazy turns
    assert whole(0).lost < whole(1).lost
    assert all(one.cost == 0 for one in reviewed(0) if one.turn.begun.round not in LAZY_ROUNDS)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_chance_goes_from_an_equal_share_to_that_of_the_win(seat: int) -> None:
    found = whole(seat)
    assert found.start == 50
    assert found.end == 100 * win_share(scores_of(game()[0][-1]), seat)
    assert found.lost == sum(one.cost for one in reviewed(seat))


def test_the_first_rounds_are_judged() -> None:
    """A random bot throws its chance away at once, which is not bad luck."""
    assert sum(one.cost for one in reviewed(1) if one.turn.begun.round <= 2) >= INEXACT


def test_no_turn_is_better_for_an_upgrade_that_the_guide_calls_too_late() -> None:
    chance, state, bot = Random(3), deal(Setup(3, standard_deck(), 3)), RegularBot()
    states, intents = [state], list[Intent]()
    while (seat := state.active) is not None:
        intents.append(bot.choose(view_for(state, seat), chance))
        state = advance(state, intents[-1])
        states.append(state)
    late = [
        review_turn(turn, seed=3)
        for turn in played_turns(states, intents, 0)
        if is_late_for_upgrade(view_for(turn.begun, 0))
    ]
    assert late
    assert not any(one.reason is Reason.UPGRADE for one in late)


def test_a_chance_is_a_probability_in_every_position() -> None:
    for seat in (0, 1):
        for one in reviewed(seat):
            assert 0 <= one.chance <= one.best_chance <= 100
            assert one.cost == 0 or one.cost >= INEXACT
            assert (one.grade == "fine") == (one.best == one.turn.intents)


def test_the_smaller_of_two_estimated_losses_counts() -> None:
    assert agreed((30, 60), (40, 44)) == (40, 44)
    assert agreed((30, 36), (10, 44)) == (30, 36)
    assert agreed((30, 36), (44, 40)) == (44, 40)


def test_the_chance_after_a_turn_that_ends_the_game_is_its_result() -> None:
    """Ann is behind, Bob takes the last turn."""
    for seat, result in ((0, 100), (1, 0)):
        begun = replace(
            position(Has((), (), (5,)), Has((), (), (15,))), active=seat, start=0, closed=True
        )
        done = tuple(cards("Espresso, Flat white"))
        ahead = replace(begun.players[0], completed=done)
        begun = replace(begun, players=(ahead, begun.players[1]))
        played, state = list[Intent](), begun
        while EndTurn() not in played:
            played.append(lazy(state))
            state = advance(state, played[-1])
        found = review_turn(PlayedTurn(0, 1, begun, tuple(played)), seed=5)
        assert (found.chance == result) == (seat == 1), "only the last turn is sure"


def test_what_luck_took_between_turns_is_no_cost() -> None:
    (one, *_) = reviewed(0)
    turns = [
        replace(one, turn=replace(one.turn, rev=rev), chance=chance, best_chance=chance)
        for rev, chance in ((10, 60), (20, 60 - BLUNDER), (30, 50), (40, 30), (50, 25))
    ]
    bot = replace(turns[3], turn=replace(turns[3].turn, by_bot=True))
    number, end = one.turn.begun.round, game()[0][-1]
    last = Fall(number, 50, 25, 0)
    first = Fall(number, 20, 60, 60 - BLUNDER)
    found = review(turns, end, 1)
    assert found.falls == (first, Fall(number, 40, 50, 30), last)
    assert review([*turns[:3], bot, turns[4]], end, 1).falls == (first, last)
    assert not found.lost


def test_a_grade_is_by_the_cost() -> None:
    turn = reviewed(0)[0]
    for cost, grade in ((0, "fine"), (INEXACT, "inexact"), (BLUNDER, "blunder")):
        assert replace(turn, chance=40, best_chance=40 + cost).grade == grade


@pytest.mark.slow
def test_a_line_that_prepares_the_next_turn_names_drinks_that_it_leaves_open() -> None:
    named = [one for seat in (0, 1) for one in reviewed(seat) if one.coming]
    assert named
    for one in named:
        assert one.reason is Reason.PREPARE
        end = before_end(one.turn.begun, one.best)
        assert end.active is not None
        left = [drink for slot in end.players[end.active].orders[:-1] for drink in slot]
        assert all(one.coming.count(drink) <= left.count(drink) for drink in one.coming)


def test_a_good_turn_has_another_line_that_is_at_most_as_good() -> None:
    """It leaves other orders or upgrades; the last turn of a game has none."""
    record = read_record(lines(play(head_of(3))))
    intents = [move.intent for move in record.moves]
    turns = [*played_turns([*record.states()], intents, 0)]
    done = [review_turn(turn, seed=5) for turn in turns]
    others = [one for one in done if one.other]
    assert others
    assert any(one.coming for one in done)
    for one in others:
        assert not one.cost
        assert one.other_chance <= one.chance
        ends = [before_end(one.turn.begun, line) for line in (one.turn.intents, one.other)]
        played, other = (acting(end)[1] for end in ends)
        assert (played.orders, played.upgrades) != (other.orders, other.upgrades)
        by_bot = review_turn(replace(one.turn, by_bot=True), seed=5)
        assert (by_bot.other, by_bot.coming) == ((), ())
    ended = [one for one in reviewed(0) if one.turn.end == len(game()[1])]
    assert ended
    assert not any(one.other for one in ended)


def test_at_most_two_turns_are_marked_the_worst_in_order() -> None:
    (turn, *_) = (one for one in reviewed(0) if one.turn.begun.round in LAZY_ROUNDS)
    costs = (10, 40, 20, 6, 30)
    turns = [
        replace(turn, turn=replace(turn.turn, rev=rev), chance=50, best_chance=50 + cost)
        for rev, cost in enumerate(costs, 100)
    ]
    turns[1] = replace(turns[1], reason=Reason.KEEP_RUSH)
    turns[4] = replace(turns[4], reason=Reason.SAVE)
    found = review(turns, game()[0][-1], 0)
    assert [one.turn.rev for one in found.marked] == [101, 104]
    assert len(found.marked) == MOST_MARKED
    assert found.lesson is Reason.KEEP_RUSH
    assert review(turns[:0], game()[0][-1], 0).lesson is None


def test_the_best_turn_brings_most_points_more_than_doing_nothing() -> None:
    """Orders served, and penalties that it avoids; what an upgrade costs does not count."""
    assert whole(0).best
    most = max(points(one.turn) for one in reviewed(0) if not one.cost)
    for best in whole(0).best:
        assert points(best.turn) == best.served + best.saved == most
    by_bot = [replace(one, turn=replace(one.turn, by_bot=True)) for one in reviewed(0)]
    assert not review(by_bot, game()[0][-1], 0).best


def points(turn: PlayedTurn) -> int:
    """Return what a turn scores more than its end alone, without what an upgrade costs."""
    idle, played = (acting(before_end(turn.begun, intents))[1] for intents in ((), turn.intents))
    spent = 3 * sum(isinstance(one, ActivateUpgrade) for one in turn.intents)
    served = len(played.completed) + spent - len(idle.completed)
    return served + len(idle.orders[-1]) - len(played.orders[-1])


def test_of_equal_turns_one_with_an_upgrade_is_the_best() -> None:
    begun = position(Has(("", "", "", "Iced coffee"), ("coffee ice",), (5,), 3), Has((), (), (15,)))
    serving = Serve(1, 4), EndTurn()
    found = []
    for done in (serving, (ActivateUpgrade(Upgrade.DOUBLE_CORNERS), *serving)):
        turn = PlayedTurn(0, 1, begun, done)
        found.append(ReviewedTurn(turn, done, 50, 50, Reason.PREPARE, 0))
    plain, upgraded = found
    end = game()[0][-1]
    for turns in ((plain, upgraded), (upgraded, plain)):
        (best,) = review(turns, end, 0).best
        assert best == BestTurn(upgraded.turn, served=1, saved=1, upgrades=1)


def test_a_turn_that_cost_much_is_not_the_best() -> None:
    (best, *_others), end = whole(0).best, game()[0][-1]
    bad = [replace(one, best_chance=76, chance=42) for one in reviewed(0)]
    turns = [
        worse if one.turn == best.turn else one for one, worse in zip(reviewed(0), bad, strict=True)
    ]
    assert best not in review(turns, end, 0).best
    assert not review(bad, end, 0).best


def test_turns_that_brought_the_same_are_the_best_together() -> None:
    (best, *_others), end = whole(0).best, game()[0][-1]
    (one,) = (one for one in reviewed(0) if one.turn == best.turn)
    later = replace(one, turn=replace(one.turn, rev=one.turn.rev + 1))
    assert [found.turn for found in review([one, later], end, 0).best] == [one.turn, later.turn]


def expiring(*orders: str, cups: tuple[str, ...] = (), by_bot: bool = False) -> ReviewedTurn:
    """Return a good turn in which nothing is served, with orders in slot 4."""
    begun = position(Has(("", "", "", ", ".join(orders)), cups, (5,)), Has((), (), (15,)))
    turn = PlayedTurn(0, 1, begun, (EndTurn(),), by_bot)
    return ReviewedTurn(turn, turn.intents, 50, 50, Reason.PREPARE, 0)


def test_what_expired_in_good_turns_is_told_with_what_could_have_been_served() -> None:
    near, far = cards("Iced coffee, Flat white")
    end = game()[0][-1]
    last = expiring("Iced coffee", "Flat white")
    assert review((expiring(), last), end, 0).expired == (Expired(2, (near,), (far,)),)
    assert review((last,), end, 0).expired == (Expired(2, (near,), (far,)),), "in the first turn"
    sooner = expiring(cups=("coffee coffee milk",)), last
    assert review(sooner, end, 0).expired == (Expired(2, (near, far), ()),), "one turn before"
    assert len(review((expiring(), last, last, last), end, 0).expired) == 3, "all of them"


def test_no_penalty_is_charged_for_what_a_bot_played_or_twice() -> None:
    orders, end = ("Iced coffee",), game()[0][-1]
    untold = Expired(2, untold=cards("Iced coffee"))
    bot, fine = expiring(*orders, by_bot=True), expiring(*orders)
    bad = replace(fine, best_chance=80)
    for turns in ((fine, bot), (bot, fine), (bad, fine), (fine, bad)):
        assert untold in review(turns, end, 0).expired
    assert untold not in review((fine, fine), end, 0).expired


def test_hidden_cups_and_cards_make_no_difference() -> None:
    # R-INFO-2: a turn is judged by what its player knew
    chance = Random(1)
    for one in reviewed(0)[2:5]:
        twin = remixed(one.turn.begun, 0, chance)
        assert twin != one.turn.begun
        assert review_turn(replace(one.turn, begun=twin), seed=5) == replace(
            one, turn=replace(one.turn, begun=twin)
        )


@pytest.mark.parametrize("players", [2, 3])
def test_turns_leave_out_what_was_undone(players: int) -> None:
    record = read_record(lines(play(head_of(players))))
    states, intents = tuple(record.states()), [move.intent for move in record.moves]
    assert Undo() in intents
    ends = []
    for seat in range(players):
        for turn in played_turns(states, intents, seat):
            assert turn.begun.active == seat
            ends.append(last_state(turn))
    found = [
        after for after, intent in zip(states[1:], intents, strict=True) if intent == EndTurn()
    ]
    assert len(ends) == len(found) - (2 if players == 2 else 0)  # filling also ends by `EndTurn`
    assert all(end in found for end in ends)


def last_state(turn: PlayedTurn) -> State:
    state = turn.begun
    for intent in turn.intents:
        assert intent in legal_intents(state)
        state = advance(state, intent)
    return state
