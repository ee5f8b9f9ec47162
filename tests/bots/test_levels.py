"""The levels that people play against: each plays any game, also one that others have begun."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.arena.plan import play_game
from coffeerush.bots import BOTS
from coffeerush.levels import LEVELS
from coffeerush.rules import Deck, Setup, State, advance, legal_intents, standard_deck, view_for
from coffeerush.rules.deck import deck_fault
from protocol import Phase, Undo
from tests.support.steering import TABLES, setup_of, steered
from tests.support.twins import remixed

EVERY = 37
"""A bot takes over in one of so many States of a game, a prime number, and in each setup."""


def odd_deck() -> Deck:
    """Return a deck of few drinks, each as large or as small as a drink can be."""
    plain = [one for one in standard_deck().drinks if not one.starter][:3]
    starter = next(one for one in standard_deck().drinks if one.starter)
    small, large, special = (
        replace(plain[0], recipe=(1, 1, 0, 0, 0, 0, 0, 0), count=30, specialty=False),
        replace(plain[1], recipe=(0, 0, 0, 6, 0, 0, 0, 0), count=6, specialty=False),
        replace(plain[2], recipe=(0, 0, 1, 0, 1, 1, 1, 2), count=40, specialty=True),
    )
    deck = Deck("Odd", (replace(starter, count=4), small, large, special))
    assert deck_fault(deck) is None
    return deck


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "players", "starters"),
    [
        *((level, *table) for level in LEVELS if level != "expert" for table in TABLES),
        *(("expert", *table) for table in [(3, True), (4, True)]),  # it thinks
    ],
)
def test_a_level_plays_whole_games(level: str, players: int, starters: bool) -> None:
    """With starters also with another deck; an illegal intent or an endless turn is an error."""
    deck = odd_deck() if starters else standard_deck()
    setup = Setup(players, deck, 3, starters)
    played = play_game(setup, [BOTS[level]() for _ in range(players)])
    assert played.final.phase is Phase.OVER


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_level_ends_a_turn_that_somebody_has_begun(level: str, players: int) -> None:
    for number, (state, _, _) in enumerate(steered(setup_of(players, False, 8))):
        if number % EVERY == 0 or state.phase is Phase.FILLING:
            _finish(state, level)


def _finish(begun: State, level: str) -> None:
    """Let a bot finish the turn; on a State with other secrets, it chooses the same."""
    assert begun.active is not None
    bots, chances = [BOTS[level](), BOTS[level]()], [Random(1), Random(1)]
    state = begun
    while state.active == begun.active and state.round == begun.round:
        twin = remixed(state, state.active, Random(2))
        intent, same = (
            bot.choose(view_for(one, begun.active), chance)
            for bot, one, chance in zip(bots, (state, twin), chances, strict=True)
        )
        assert intent == same  # R-INFO-2; and a seed decides
        assert intent != Undo()
        assert intent in legal_intents(state)
        state = advance(state, intent)


@pytest.mark.slow
def test_casual_serves_enough_for_others_to_have_orders() -> None:
    """At least 1.0 orders a turn with four players."""
    served = turns = 0
    for seed in range(2):
        final = play_game(
            Setup(4, standard_deck(), seed), [BOTS["casual"]() for _ in range(4)]
        ).final
        turns += final.round * 4
        served += sum(len(one.completed) + 3 * one.upgrades.bit_count() for one in final.players)
    assert served >= turns


@pytest.mark.slow
@pytest.mark.parametrize(("better", "worse"), [("regular", "casual"), ("expert", "regular")])
def test_a_level_beats_the_one_below_it(better: str, worse: str) -> None:
    """Sole winner of three of four games, on each seat in turn; `docs/arena.md` measures more."""
    won = 0
    for seed in range(4):
        seats = [better, worse] if seed % 2 else [worse, better]
        played = play_game(Setup(2, standard_deck(), seed), [BOTS[level]() for level in seats])
        won += [seats[one.seat] for one in played.standings if one.rank == 1] == [better]
    assert won >= 3
