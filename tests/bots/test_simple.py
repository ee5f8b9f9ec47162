"""The built-in bots, and how they plan their pours."""

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.arena.plan import play_game
from coffeerush.bots import BOTS, Bot, RandomBot, RegularBot
from coffeerush.bots.pouring import PourPlan, WantedOrder, own_cups, plan_pours, wanted_orders
from coffeerush.rules import Setup, State, legal_intents, standard_deck, view_for
from coffeerush.rules.board import common, size, within
from protocol import (
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Phase,
    PlaceMeeple,
    Pour,
    Serve,
    Step,
    Undo,
    Upgrade,
)
from tests.support.positions import Has, cards, dealt, play, position, ready, refused, tokens, walk
from tests.support.steering import TABLES, setup_of, steered
from tests.support.twins import remixed

QUICK = tuple(name for name in BOTS if name != "expert")
"""The bots that choose within milliseconds; `test_expert.py` has the same tests for the expert."""


def choice(state: State, bot: Bot, seed: int = 1) -> Intent:
    assert state.active is not None
    return bot.choose(view_for(state, state.active), Random(seed))


def plan(cups: tuple[str, ...], hand: str, *orders: tuple[int, str]) -> PourPlan:
    wanted = tuple(WantedOrder(slot, tokens(recipe), False) for slot, recipe in orders)
    return plan_pours(tuple(map(tokens, cups)), tokens(hand), wanted)


def poured(done: PourPlan) -> list[tuple[str, int]]:
    return [(Ingredient(kind).name.lower(), cup) for kind, cup in done.pours]


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_bots_choose_an_option_in_every_state(name: str, players: int, starters: bool) -> None:
    """Also in the middle of a turn that a person has started: they replace absent people."""
    for seed in range(2):
        for state, _, _ in steered(setup_of(players, starters, seed)):
            intent = choice(state, BOTS[name](), seed)
            assert intent in legal_intents(state)
            assert intent != Undo()


def test_the_regular_bot_leaves_a_meeple_after_a_long_walk() -> None:
    """After five steps without any gain, it must still go on to a free cell."""
    seats = Has(meeples=(5,), rush=3), Has(("Mocha",), ("ice " * 12, "milk " * 12), (6,)), Has()
    state = walk(position(*seats), 6, 5, 6, 5, 6)
    assert state.hand == 0
    assert refused(state, EndTurn()).code == "stands_on_meeple"
    assert isinstance(choice(state, RegularBot()), Step)


def test_the_random_bot_does_anything_but_undo() -> None:
    state = play(
        walk(position(Has(cups=("tea",), meeples=(5,)), Has(), Has()), 6, 10),
        Pour(Ingredient.ICE, 1),
    )
    legal = set(legal_intents(state))
    assert Undo() in legal
    assert {choice(state, RandomBot(), seed) for seed in range(200)} == legal - {Undo()}


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_the_regular_bot_beats_randoms(players: int, starters: bool) -> None:
    """Sole winner of at least 11 of 12 games, on each seat in turn."""
    won = 0
    for seed in range(12):
        mine = seed % players
        bots: list[Bot] = [RandomBot() for _ in range(players)]
        bots[mine] = RegularBot()
        played = play_game(Setup(players, standard_deck(), seed, starters), bots)
        won += [one.seat for one in played.standings if one.rank == 1] == [mine]
    assert won >= 11


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_seed_decides_what_a_bot_does(name: str) -> None:
    setup = Setup(3, standard_deck(), 12)
    games = [play_game(setup, [BOTS[name]() for _ in range(3)]) for _ in range(2)]
    assert games[0] == games[1]
    other = play_game(replace(setup, seed=13), [BOTS[name]() for _ in range(3)])
    assert other.moves != games[0].moves


@pytest.mark.slow
def test_bots_do_not_see_hidden_information() -> None:
    # R-INFO-2: with other hidden cups and another deck, the choice is the same
    chance = Random(4)
    for state, _, _ in steered(setup_of(4, False, 4)):
        twin = remixed(state, state.active, chance)
        for name in QUICK:
            assert choice(state, BOTS[name]()) == choice(twin, BOTS[name]())


@pytest.mark.slow
def test_the_regular_bot_uses_the_whole_game() -> None:
    seen: Counter[type[Intent]] = Counter()
    for seed in range(4):
        played = play_game(Setup(3, standard_deck(), seed), [RegularBot() for _ in range(3)])
        seen.update(type(intent) for _, intent in played.moves)
    for kind, least in ((Serve, 40), (ActivateUpgrade, 4), (EmptyCup, 1), (EndTurn, 40)):
        assert seen[kind] >= least


def test_the_regular_bot_places_meeples_near_what_its_orders_need() -> None:
    state = dealt(3)
    seats = [replace(one, orders=(cards("Pot of tea"), (), (), ())) for one in state.players]
    state = replace(state, players=tuple(seats))
    assert choice(state, RegularBot()) in (PlaceMeeple(7), PlaceMeeple(8)), "water, or tea"


def test_the_regular_bot_walks_pours_and_serves_what_is_within_reach() -> None:
    """An iced coffee: from the milk at 5 via the coffee at 4 to the ice at 0."""
    state = position(Has(("Iced coffee",), meeples=(5,)), Has(meeples=(12,)), Has(meeples=(15,)))
    while state.active == 0:
        state = play(state, choice(state, RegularBot()))
    assert len(state.players[0].completed) == 1


def test_the_regular_bot_upgrades_while_it_is_worth_it() -> None:
    rich = Has(("Mocha",), completed=3)
    assert choice(position(rich, Has(), Has()), RegularBot()) == ActivateUpgrade(
        Upgrade.DOUBLE_CORNERS
    )
    late = position(rich, Has(), Has(), deck="Lungo, Cortado")
    assert late.phase is Phase.UPGRADE
    assert not isinstance(choice(late, RegularBot()), ActivateUpgrade)


def test_the_regular_bot_serves_the_most_urgent_order() -> None:
    seat = Has(("Americano", "", "Americano"), ("coffee water",))
    assert choice(ready(position(seat, Has(), Has())), RegularBot()) == Serve(1, 3)


def test_multiset_arithmetic() -> None:
    assert within(tokens("milk ice"), tokens("milk milk ice"))
    assert not within(tokens("milk milk"), tokens("milk ice ice"))
    assert within(0, 0)
    assert common(tokens("milk milk tea"), tokens("milk tea tea water")) == tokens("milk tea")
    assert common(tokens("tea " * 102), tokens("coffee " * 102)) == 0
    assert common(tokens("tea " * 102), tokens("tea " * 102)) == tokens("tea " * 102)
    assert [size(tokens(words)) for words in ("", "tea", "tea tea water")] == [0, 1, 3]
    assert size(tokens("coffee " * 18 + "milk steam ice chocolate caramel tea water " * 12)) == 102


def test_wanted_orders_come_by_urgency_and_size() -> None:
    seat = Has(("Americano", "Mocha, Espresso", "", "Granita"))
    wanted = wanted_orders(view_for(position(seat, Has(), Has()), None), 0)
    recipes = ["coffee ice ice", "coffee steam", "coffee chocolate milk steam", "coffee water"]
    assert [order.recipe for order in wanted] == list(map(tokens, recipes))
    assert [(order.slot, order.specialty) for order in wanted] == [
        (4, False),
        (2, False),
        (2, True),
        (1, False),
    ]


def test_own_cups_are_packed() -> None:
    state = position(Has(cups=("tea", "", "milk ice")), Has(), Has())
    own = view_for(state, 0).own
    assert own is not None
    assert own_cups(own) == state.players[0].cups


def test_a_plan_completes_the_order_in_the_cup_that_lacks_least() -> None:
    done = plan(("", "tea milk", "tea"), "milk steam", (2, "tea milk steam"))
    assert poured(done) == [("steam", 2)]
    assert done.empty_first == ()


def test_a_plan_prefers_the_urgent_order() -> None:
    """The only milk could complete either; the latte is in slot 4."""
    done = plan(("", "coffee", "tea"), "milk", (4, "coffee milk"), (1, "tea milk"))
    assert poured(done) == [("milk", 2)]
    assert done.worth > plan(("", "coffee", "tea"), "milk", (1, "tea milk")).worth


def test_a_plan_starts_orders_that_have_time() -> None:
    assert poured(plan(("", "", ""), "tea ice", (1, "tea milk steam"))) == [("tea", 1)]
    assert poured(plan(("", "", ""), "tea ice", (4, "tea milk steam"))) == []


def test_a_plan_empties_a_useless_cup_only_to_use_it() -> None:
    full = ("water", "ice", "water")
    done = plan(full, "tea milk steam", (2, "tea milk steam"))
    assert done.empty_first == (1,)
    assert {cup for _, cup in done.pours} == {1}
    assert plan(full, "coffee", (2, "tea milk steam")).empty_first == ()


def test_a_plan_with_nothing_to_do() -> None:
    assert plan(("", "", ""), "") == PourPlan(0.0, (), ())
    assert plan(("tea", "", ""), "milk") == PourPlan(0.0, (), ())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_plan_can_always_be_carried_out(seed: int) -> None:
    """It pours only tokens of the hand, and never into a cup that fits no order."""
    chance = Random(seed)
    for state, _, _ in steered(setup_of(4, False, seed)):
        seat = state.active or 0
        orders = wanted_orders(view_for(state, None), seat)
        hand = sum(tokens(chance.choice(list(Ingredient)).name) for _ in range(chance.randrange(6)))
        cups = state.players[seat].cups
        done = plan_pours(cups, hand, orders)
        assert within(sum(tokens(Ingredient(kind).name) for kind, _ in done.pours), hand)
        after = [0 if cup in done.empty_first else held for cup, held in enumerate(cups, start=1)]
        for kind, cup in done.pours:
            after[cup - 1] += tokens(Ingredient(kind).name)
        for cup in {cup for _, cup in done.pours}:
            assert any(within(after[cup - 1], order.recipe) for order in orders)
