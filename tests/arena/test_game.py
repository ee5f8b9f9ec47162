"""A single game between bots in process."""

from random import Random

import pytest

from coffeerush.arena.plan import MAX_INTENTS_A_TURN, BotResult, play_game, results_of
from coffeerush.bots import Bot, RandomBot, RegularBot
from coffeerush.errors import BotError
from coffeerush.rules import Setup, replay, standard_deck, standings
from protocol import EndTurn, Intent, Phase, PlaceMeeple, Undo, View
from tests.support.steering import TABLES, setup_of

SETUP = Setup(3, standard_deck(), 1, first=0)


class Attentive:
    """Plays at random, and records its Views and random generators."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.drawn: list[float] = []

    def choose(self, view: View, chance: Random) -> Intent:
        self.views.append(view)
        self.drawn.append(chance.random())
        return RandomBot().choose(view, chance)


class Cheat:
    """Plays at random, but ends its turn when it must move."""

    def choose(self, view: View, chance: Random) -> Intent:
        return EndTurn() if view.phase is Phase.MOVING else RandomBot().choose(view, chance)


class Ditherer:
    """Undoes everything it does."""

    def choose(self, view: View, chance: Random) -> Intent:
        assert view.own is not None
        return Undo() if view.own.undo else RandomBot().choose(view, chance)


class Stubborn:
    """Places its meeple on an occupied cell."""

    def choose(self, view: View, chance: Random) -> Intent:
        return PlaceMeeple(0)


def three(bot: Bot) -> list[Bot]:
    return [bot, RandomBot(), RandomBot()]


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_a_game_is_played_to_its_end(players: int, starters: bool) -> None:
    setup = setup_of(players, starters, 3)
    played = play_game(setup, [RegularBot(), *[RandomBot()] * (players - 1)])
    assert played.final.phase is Phase.OVER
    assert played.standings == standings(played.final)
    *_, last = replay(setup, played.moves)
    assert last == played.final


def test_the_same_seed_makes_the_same_moves() -> None:
    games = [play_game(SETUP, [RegularBot(), RandomBot(), Attentive()]) for _ in range(2)]
    assert games[0].moves == games[1].moves
    other = Setup(3, standard_deck(), 2, first=0)
    assert play_game(other, [RegularBot(), RandomBot(), Attentive()]).moves != games[0].moves


def test_bots_get_views_of_their_seat_and_nothing_else() -> None:
    # R-INFO-2
    bots = [Attentive(), Attentive(), Attentive()]
    play_game(SETUP, bots)
    for seat, bot in enumerate(bots):
        assert bot.views
        for view in bot.views:
            assert type(view) is View
            assert view.own is not None
            assert view.own.seat == seat == view.active
            assert view.own.options


def test_each_bot_has_its_own_randomness() -> None:
    """The numbers that one bot draws do not depend on how many another one has drawn."""
    alone, beside = Attentive(), Attentive()
    play_game(SETUP, [alone, RandomBot(), RandomBot()])
    play_game(SETUP, [beside, RegularBot(), RegularBot()])
    assert alone.drawn[0] == beside.drawn[0]
    first, second = Attentive(), Attentive()
    play_game(SETUP, [first, second, RandomBot()])
    assert first.drawn[0] != second.drawn[0]


def test_an_illegal_choice_is_the_bots_fault() -> None:
    with pytest.raises(BotError, match=r"The bot in seat 1 chose EndTurn\(\), which was not one"):
        play_game(SETUP, three(Cheat()))
    with pytest.raises(BotError, match=r"The bot in seat 2 chose PlaceMeeple\(cell=0\), which was"):
        play_game(SETUP, [Stubborn(), Stubborn(), Stubborn()])


def test_an_endless_turn_is_the_bots_fault() -> None:
    with pytest.raises(BotError, match="seat 1 never ends its turn; it must choose EndTurn"):
        play_game(SETUP, three(Ditherer()))
    assert MAX_INTENTS_A_TURN >= 300, "the longest honest turn pours every token there is"


def test_results_have_the_score_of_each_entry() -> None:
    played = play_game(SETUP, [RandomBot(), RegularBot(), RandomBot()])
    results = results_of(played, [2, 0, 1])
    assert [one.rank for one in results] == sorted(one.rank for one in results)
    assert {one.seat: one.entry for one in results} == {0: 2, 1: 0, 2: 1}
    best = played.final.players[1]
    assert results[0] == BotResult(
        entry=0,
        seat=1,
        rank=1,
        score=results[0].score,
        completed=len(best.completed),
        penalties=len(best.penalties),
        upgrades=best.upgrades.bit_count(),
    )
    one = results[0]
    assert one.score == one.completed + 2 * one.upgrades - one.penalties  # R-END-2
