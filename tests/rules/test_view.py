"""What others may know: views, events, tallies."""

from collections import Counter
from typing import get_args

import pytest
from msgspec import structs

from coffeerush.rules import State, deal, deal_events, events, replay, standings, tallies, view_for
from coffeerush.rules.board import unpack
from coffeerush.rules.view import score
from protocol import (
    MAX_TALLY_ROUNDS,
    NOTHING,
    ActivateUpgrade,
    CupEmptied,
    EmptyCup,
    EndTurn,
    GameEnded,
    GameEvent,
    Ingredient,
    Intent,
    IntentUndone,
    MeeplePlaced,
    OrdersDrawn,
    OrderServed,
    OwnView,
    PenaltiesTaken,
    Phase,
    PlaceMeeple,
    PlayerView,
    Pour,
    Poured,
    RestReturned,
    ReturnRest,
    Serve,
    StartTaken,
    Step,
    Stepped,
    Tally,
    TokenClosed,
    TurnStarted,
    Undo,
    Upgrade,
    UpgradeActivated,
    View,
)
from tests.support.positions import (
    DRINKS,
    Has,
    begun,
    cards,
    dealt,
    finish,
    play,
    position,
    ready,
    tokens,
    walk,
)
from tests.support.steering import TABLES, moves_of, setup_of, steered

# Public and private information (R-INFO-1, R-INFO-2)


READERS = (None, 0, 1, 2)
ANN = Has(("Mocha, Lungo", "Granita"), ("tea", "", "milk ice"), (5,), 4, 1, 2)
BOB = Has(("", "Iced tea"), ("coffee coffee",), (3,))
CID = Has(("Cortado",), ("", "steam"), (12,), penalties=2)


def table() -> State:
    return position(ANN, BOB, CID, round=6)


@pytest.mark.parametrize("reader", READERS)
def test_what_is_public(reader: int | None) -> None:
    # R-INFO-1: everybody sees the same of everybody
    state = walk(table(), 6)
    view = view_for(state, reader)
    ann, bob, cid = view.players
    assert ann.orders == (cards("Mocha, Lungo"), cards("Granita"), (), ())
    assert [one.meeples for one in view.players] == [(6,), (3,), (12,)]
    assert (ann.completed, ann.penalties, ann.rush, ann.score) == (4, 1, 2, 3)
    assert (bob.completed, cid.penalties, cid.score) == (0, 2, -2)
    assert view.supply == unpack(state.supply)
    assert (view.rush_supply, view.deck) == (13, 80 - 5 - 7)
    assert view.path == (5, 6)
    assert view.hand == unpack(tokens("ice")), "what was picked up is seen"
    assert (view.active, view.phase, view.round, view.closed) == (0, Phase.MOVING, 6, False)
    assert view.menu == DRINKS
    assert (view.steps_left, view.meeple, view.served) == (2, 1, 0)


def test_upgrades_and_discards_are_public() -> None:
    # R-INFO-1
    after = play(table(), ActivateUpgrade(Upgrade.DOUBLE_CORNERS))
    for reader in READERS:
        view = view_for(after, reader)
        assert view.players[0].upgrades == (False, False, True, False)
        assert view.discards == after.discards != ()


@pytest.mark.parametrize("reader", READERS)
def test_cups_are_private_to_their_owner(reader: int | None) -> None:
    # R-INFO-2
    state = table()
    own = view_for(state, reader).own
    if reader is None:
        assert own is None
        return
    assert own is not None
    assert own.cups == tuple(map(unpack, state.players[reader].cups))
    assert own.seat == reader
    assert bool(own.options) is (reader == 0), "options show what the cups hold"


def test_a_view_has_exactly_the_listed_fields() -> None:
    """Every new field could leak a secret: think about that before adding it here."""
    # R-INFO-2
    assert " ".join(View.__struct_fields__) == (
        "players start active phase round closed supply rush_supply deck discards removed path "
        "meeple steps_left served hand menu standings own"
    )
    assert " ".join(PlayerView.__struct_fields__) == (
        "orders completed penalties rush upgrades meeples score"
    )
    assert " ".join(OwnView.__struct_fields__) == "seat cups hand options undo"
    assert " ".join(Tally.__struct_fields__) == "scores best_served best_round"


def test_the_hand_is_hidden_while_pouring() -> None:
    # R-INFO-2: it would reveal what was poured
    state = walk(table(), 6, 10)
    poured = play(state, Pour(Ingredient.ICE, 1))
    for reader in READERS:
        assert view_for(state, reader).hand == unpack(tokens("milk ice"))
        assert view_for(poured, reader).hand is None
    own = view_for(poured, 0).own
    assert own is not None
    assert own.hand == unpack(tokens("milk"))
    assert view_for(play(poured, ReturnRest()), 1).hand == NOTHING


def test_the_first_ingredients_are_poured_in_secret() -> None:
    # R-INFO-2 with R-SETUP-5
    state = play(dealt(2), *map(PlaceMeeple, (0, 1, 2, 3)))
    assert [view_for(state, reader).hand for reader in (None, 0, 1)] == [None] * 3
    mine = view_for(state, 1).own
    assert mine is not None
    assert mine.hand == unpack(tokens("ice steam"))
    other = view_for(state, 0).own
    assert other is not None
    assert (other.hand, other.options) == (NOTHING, ())


def test_other_hands_are_not_in_the_owners_part() -> None:
    # R-INFO-2
    poured = play(walk(table(), 6, 10), Pour(Ingredient.ICE, 1))
    own = view_for(poured, 1).own
    assert own is not None
    assert (own.hand, own.undo, own.options) == (NOTHING, 0, ())


@pytest.mark.parametrize("reader", [None, 1, 2])
def test_others_cannot_tell_which_cup_was_emptied(reader: int | None) -> None:
    # R-INFO-2: two cups with the same contents, one or the other is emptied
    state = position(ANN._replace(cups=("milk ice", "milk ice")), BOB, CID)
    one, two = play(state, EmptyCup(1)), play(state, EmptyCup(2))
    assert view_for(one, reader) == view_for(two, reader)
    assert view_for(one, 0) != view_for(two, 0)


@pytest.mark.parametrize("reader", [None, 1, 2])
def test_others_cannot_tell_where_a_token_was_poured(reader: int | None) -> None:
    # R-INFO-2
    state = walk(table(), 6, 10)
    seen = [
        view_for(play(state, Pour(kind, cup)), reader)
        for kind in (Ingredient.ICE, Ingredient.MILK)
        for cup in (1, 2, 3)
    ]
    assert all(view == seen[0] for view in seen)


def test_nobody_knows_the_order_of_the_deck() -> None:
    # R-INFO-2: backwards, it looks the same to all
    state = table()
    backwards = structs.replace(state, deck=state.deck[::-1])
    assert backwards != state
    for reader in READERS:
        assert view_for(backwards, reader) == view_for(state, reader)


def test_the_result_shows_no_cups() -> None:
    # R-INFO-2 does not end with the game
    over = structs.replace(ready(table()), active=None, phase=Phase.OVER, previous=None)
    assert view_for(over, None).own is None
    assert [one.seat for one in view_for(over, None).standings] == [0, 1, 2]
    assert view_for(begun(dealt(3), 0, 1, 2), 0).standings == ()


# Events, each one as the seat's owner and as others see it


DECK = "Ristretto, Espresso, Lungo, Cortado"


def told(state: State, intent: Intent, reader: int | None = None) -> tuple[GameEvent, ...]:
    return events(state, intent, play(state, intent), reader)


def assert_public(state: State, intent: Intent, *expected: GameEvent) -> None:
    for reader in (None, *range(len(state.players))):
        assert told(state, intent, reader) == expected


def three(seat: Has) -> State:
    return position(seat, Has(("Mocha",), meeples=(3,)), Has(meeples=(12,)), deck=DECK)


def test_the_deal() -> None:
    # R-SETUP-2: seat by seat from the start player on, slot 1 and then slot 2
    state = dealt(3, first=1)
    assert deal_events(state) == tuple(
        OrdersDrawn(seat, (*state.players[seat].orders[0], *state.players[seat].orders[1]), "deal")
        for seat in (1, 2, 0)
    )
    drawn = [len(one.drinks) for one in deal_events(state) if isinstance(one, OrdersDrawn)]
    assert drawn == [3, 2, 2]


def test_placing() -> None:
    # R-SETUP-3, R-SETUP-5: after the last meeple all take their token and the first turn starts
    state = dealt(3)
    assert_public(state, PlaceMeeple(1), MeeplePlaced(2, 1, 1))
    state = play(state, PlaceMeeple(1), PlaceMeeple(3))
    assert_public(
        state,
        PlaceMeeple(7),
        MeeplePlaced(0, 1, 7),
        StartTaken(0, unpack(tokens("water"))),
        StartTaken(1, unpack(tokens("coffee"))),
        StartTaken(2, unpack(tokens("caramel"))),
        TurnStarted(0, 1),
    )


def test_filling() -> None:
    # R-SETUP-5 with 2 players: what is taken is public, which cup it goes to is not
    state = play(dealt(2), *map(PlaceMeeple, (0, 1, 2)))
    taken = StartTaken(1, unpack(tokens("ice steam")))
    assert_public(state, PlaceMeeple(3), MeeplePlaced(0, 2, 3), taken)
    state = play(state, PlaceMeeple(3))
    assert told(state, Pour(Ingredient.ICE, 2), 1) == (Poured(1, Ingredient.ICE, 2),)
    assert told(state, Pour(Ingredient.ICE, 2), 0) == (Poured(1),)
    state = play(state, Pour(Ingredient.ICE, 2), Pour(Ingredient.STEAM, 1))
    assert_public(state, EndTurn(), StartTaken(0, unpack(tokens("caramel coffee"))))
    state = play(state, EndTurn(), Pour(Ingredient.CARAMEL, 2), Pour(Ingredient.COFFEE, 1))
    assert_public(state, EndTurn(), TurnStarted(0, 1))


def test_an_upgrade() -> None:
    # R-UPG-1: discarded orders are public
    state = three(Has(completed=4))
    gone = state.players[0].completed[:3]
    assert_public(
        state,
        ActivateUpgrade(Upgrade.DOUBLE_CORNERS),
        UpgradeActivated(0, Upgrade.DOUBLE_CORNERS, gone),
    )


def test_steps() -> None:
    # R-MOVE-2, R-MOVE-3: the gain and the cost of a step
    state = three(Has(meeples=(1,), rush=1, upgrades=(Upgrade.DOUBLE_CORNERS,)))
    ice = unpack(tokens("ice ice"))
    assert_public(state, Step(1, 0), Stepped(0, 1, 0, ice))
    fourth = walk(state, 0, 1, 5)
    assert_public(fourth, Step(1, 6), Stepped(0, 1, 6, unpack(tokens("ice")), rush_spent=1))
    dry = three(Has(cups=("ice " * 12,), meeples=(1,)))
    assert_public(dry, Step(1, 0), Stepped(0, 1, 0, unpack(0)))


@pytest.mark.parametrize("reader", READERS)
def test_pouring_and_emptying(reader: int | None) -> None:
    # R-INFO-2: others learn only that it happened, and what the supply shows
    state = walk(three(Has(cups=("", "tea milk"), meeples=(5,))), 6, 10)
    mine = reader == 0
    poured = Poured(0, Ingredient.ICE, 3) if mine else Poured(0)
    assert told(state, Pour(Ingredient.ICE, 3), reader) == (poured,)
    emptied = CupEmptied(0, unpack(tokens("milk tea")), 2 if mine else None)
    assert told(state, EmptyCup(2), reader) == (emptied,)
    rest = RestReturned(0, unpack(tokens("milk")))
    assert told(play(state, Pour(Ingredient.ICE, 3)), ReturnRest(), reader) == (rest,)
    assert told(play(state, Pour(Ingredient.ICE, 3)), Undo(), reader) == (IntentUndone(0),)


@pytest.mark.parametrize("reader", READERS)
def test_serving(reader: int | None) -> None:
    # R-SERVE-1, R-SERVE-2, R-INFO-2: others learn that a cup matched, not which one
    state = ready(three(Has(("", "Mocha"), ("", "coffee chocolate milk steam"))))
    cup = 2 if reader == 0 else None
    expected = OrderServed(0, cards("Mocha")[0], 2, rush_gained=1, cup=cup)
    assert told(state, Serve(2, 2), reader) == (expected,)


def test_events_at_the_end_of_a_turn_are_in_order() -> None:
    # R-RUSH-1, R-TIME-1, R-TIME-2, R-END-1: rush, penalties, closed, next turn
    seat = Has(("Americano", "", "", "Granita"), ("coffee water",), penalties=4)
    state = play(ready(three(seat)), Serve(1, 1))
    lungo = cards(DECK)
    assert_public(
        state,
        EndTurn(),
        OrdersDrawn(1, lungo[:1], "order_rush"),
        OrdersDrawn(2, lungo[1:2], "order_rush"),
        PenaltiesTaken(0, cards("Granita"), rush_gained=1),
        TokenClosed("penalties"),
        TurnStarted(1, 2),
    )


def test_the_end_of_a_turn_of_two() -> None:
    # R-RUSH-1, R-TIME-3, R-RUSH-2
    seat = Has(("Americano",), ("coffee water",))
    state = position(seat, Has(("Mocha",)), deck="Lungo, Granita")
    assert_public(
        play(ready(state), Serve(1, 1)),
        EndTurn(),
        OrdersDrawn(1, cards("Lungo"), "order_rush"),
        OrdersDrawn(0, cards("Granita"), "flow_of_time"),
        TokenClosed("deck"),
        TurnStarted(1, 2),
    )


def test_a_turn_in_which_nothing_happens() -> None:
    assert_public(ready(three(Has(("Mocha",)))), EndTurn(), TurnStarted(1, 2))


def test_a_new_round() -> None:
    state = position(Has(("Mocha",)), Has(), Has(), active=2, round=4)
    assert_public(ready(state), EndTurn(), TurnStarted(0, 5))


def test_closed_because_nobody_has_an_order() -> None:
    # R-END-4
    state = ready(position(Has(), Has(), Has()))
    assert_public(state, EndTurn(), TokenClosed("no_orders"), TurnStarted(1, 2))


def test_the_end_of_the_game() -> None:
    # R-END-1, R-END-3: closed and over with one turn; the victory is shared
    seats = (Has(completed=3), Has(("", "", "", "Mocha"), completed=7, penalties=3, rush=0))
    state = ready(position(*seats, active=1, deck="Lungo"))
    assert told(state, EndTurn())[-2:] == (TokenClosed("deck"), GameEnded((1,)))
    over = ready(position(Has(completed=3), Has(completed=3), active=1, deck="", closed=True))
    assert_public(over, EndTurn(), GameEnded((0, 1)))


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_events_add_up_to_the_game(players: int, starters: bool) -> None:
    """The cards and tokens in all events add up to those of the final State."""
    kinds: Counter[type[GameEvent]] = Counter()
    for seed in range(40):
        setup = setup_of(players, starters, seed)
        state = deal(setup)
        tally: Counter[tuple[str, int]] = Counter()
        for event in deal_events(state):
            assert isinstance(event, OrdersDrawn)
            tally["drawn", event.seat] += len(event.drinks)
        for before, intent, after in steered(setup):
            for event in events(before, intent, after, None):
                kinds[type(event)] += 1
                count(event, tally)
            state = after
        for seat, player in enumerate(view_for(state, None).players):
            opened = sum(map(len, player.orders))
            assert tally["served", seat] == player.completed + 3 * sum(player.upgrades)
            assert tally["lost", seat] == player.penalties
            assert tally["drawn", seat] == opened + tally["served", seat] + tally["lost", seat]
            assert tally["rush", seat] == player.rush
    missing = set(get_args(GameEvent)) - set(kinds)
    assert missing <= {IntentUndone}


def count(event: GameEvent, tally: Counter[tuple[str, int]]) -> None:
    match event:
        case OrdersDrawn(seat=seat, drinks=drinks):
            tally["drawn", seat] += len(drinks)
        case OrderServed(seat=seat, rush_gained=rush):
            tally["served", seat] += 1
            tally["rush", seat] += rush
        case PenaltiesTaken(seat=seat, drinks=drinks, rush_gained=rush):
            tally["lost", seat] += len(drinks)
            tally["rush", seat] += rush
        case Stepped(seat=seat, rush_spent=rush):
            tally["rush", seat] -= rush


# Tallies: the score of each round and the best turn (R-END-2)


LATE = Has(("", "", "", "Mocha"), penalties=4)
"""Gets a fifth penalty at the end of this turn, and so closes (R-TIME-2)."""
READY = Has(("Americano, Americano, Americano",), ("coffee water",) * 3)
"""Can serve three orders in this turn."""


def test_there_is_no_tally_before_the_first_round_is_over() -> None:
    assert tallies([]) == ()
    state = begun(dealt(3), 0, 1, 2)
    assert tallies([dealt(3), state]) == ()
    assert tallies([state, finish(state), finish(finish(state))]) == ()


def test_a_score_for_each_round_and_the_turn_with_the_most_orders() -> None:
    # R-END-2: +1 per served order, -1 per penalty
    state = position(READY, Has(("", "", "", "Mocha")), Has(), round=1)
    one = finish(state, (1, 1))
    two = finish(one)
    three = finish(two)
    four = finish(three, (2, 2), (3, 2))
    five = finish(four)
    six = finish(five)
    assert tallies([state, one, two, three, four, five, six]) == (
        Tally(scores=(1, 3), best_served=2, best_round=2),
        Tally(scores=(-1, -1), best_served=0, best_round=0),
        Tally(scores=(0, 0), best_served=0, best_round=0),
    )


def test_the_end_of_the_game_is_the_last_round() -> None:
    # R-END-1: closed by the second of two players, the game is over at once, as is the round
    state = position(READY, LATE, round=4)
    one = finish(state, (1, 1))
    over = finish(one)
    assert over.active is None
    ann, bob = tallies([state, one, over])
    assert (ann.scores, bob.scores) == ((1,), (-5,))
    assert (ann.best_served, ann.best_round) == (1, 4)


def test_orders_that_paid_for_an_upgrade_count_as_served() -> None:
    # R-UPG-1 takes three orders off the pile in the same turn in which one more is served
    state = position(READY._replace(completed=3), Has(), Has(), round=1)
    upgraded = play(state, ActivateUpgrade(Upgrade.DOUBLE_CORNERS))
    states = [state, finish(upgraded, (1, 1))]
    states.append(finish(states[-1]))
    states.append(finish(states[-1]))
    assert tallies(states)[0] == Tally(scores=(3,), best_served=1, best_round=1)


def test_the_first_of_equal_turns_is_the_best() -> None:
    state = position(READY, Has(), Has(), round=1)
    states = [state, finish(state, (1, 1))]
    for _ in range(2):
        states.append(finish(states[-1]))
    states.append(finish(states[-1], (2, 2)))
    for _ in range(2):
        states.append(finish(states[-1]))
    assert tallies(states)[0] == Tally(scores=(1, 2), best_served=1, best_round=1)


def test_undone_serves_do_not_count() -> None:
    state = ready(position(READY, Has(), Has(), round=1))
    served = play(state, Serve(1, 1))
    back = play(served, Undo())
    states = [state, served, back, finish(position(READY, Has(), Has(), round=1))]
    states.append(finish(states[-1]))
    states.append(finish(states[-1]))
    assert tallies(states)[0] == Tally(scores=(0,), best_served=0, best_round=0)


def test_a_very_long_game_keeps_the_latest_rounds() -> None:
    def turns(count: int) -> list[State]:
        seats = [Has(("", "Mocha")), Has(("", "Mocha"))]
        return [
            position(*seats, active=number % 2, round=1 + number // 2, deck="")
            for number in range(2 * count + 1)
        ]

    assert [len(one.scores) for one in tallies(turns(9))] == [9, 9]
    assert [len(one.scores) for one in tallies(turns(70))] == [MAX_TALLY_ROUNDS] * 2


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_tallies_of_whole_games(players: int, starters: bool) -> None:
    """A game has a score per round, the final one last, from all States or only those of turns."""
    setup = setup_of(players, starters, seed=3)
    every = list(replay(setup, moves_of(setup)))
    found = tallies(every)
    assert found == tallies(state for state in every if state.previous is None)
    assert len(found) == players
    over = every[-1]
    for one in standings(over):
        assert len(found[one.seat].scores) == over.round
        assert found[one.seat].scores[-1] == one.score
    for seat, tally in enumerate(found):
        assert (tally.best_served, tally.best_round) == _best(every, seat)


def _best(states: list[State], seat: int) -> tuple[int, int]:
    """Return (orders, round) of the best turn, counted from the Views by a spectator."""
    seen = [view_for(state, None) for state in states]
    counts = [(view.served, -view.round) for view in seen if view.active == seat]
    most, earliest = max(counts)
    return (most, -earliest) if most else (0, 0)


def test_the_scores_are_those_that_everybody_saw() -> None:
    # R-INFO-1: no more than the public score at each round's end
    setup = setup_of(4, False, seed=8)
    games = list(steered(setup))
    states = [deal(setup), *(after for _, _, after in games)]
    ends = [
        after
        for before, _, after in games
        if before.round and (after.round > before.round or after.active is None)
    ]
    for seat, one in enumerate(tallies(states)):
        assert one.scores == tuple(score(state.players[seat]) for state in ends)
