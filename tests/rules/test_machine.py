"""Hypothesis plays games, and all invariants are checked after every rule.

Conservation (R-COMP-5), options equal to the accepted intents, refusals that change nothing, undo
back to the start of the turn, replay, views and events without secrets (R-INFO-2), views that
round-trip on the wire, consistent sampled States. `Watched` does the checks.
"""

from collections import Counter
from random import Random

import pytest
from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from coffeerush.bots import CasualBot
from coffeerush.rules import legal_intents, view_for
from protocol import Intent, OrdersDrawn, OrderServed, Phase, Stepped, TokenClosed, Undo
from tests.rules.watching import Watched
from tests.support.steering import TABLES, setup_of, steer

pytestmark = pytest.mark.slow
ARBITRARY = st.integers(0, 2**16)
OFTEN = {
    "OrderServed": 20,
    "UpgradeActivated": 1,
    "PenaltiesTaken": 7,
    "CupEmptied": 2,
    "RestReturned": 10,
    "IntentUndone": 2,
    "order_rush": 15,
    "rush gained": 2,
    "rush spent": 7,
    "TokenClosed": 2,
    "GameEnded": 2,
}
"""The minimum number of times that each thing happens in two watched games."""


class Game(RuleBasedStateMachine):
    """One game, in which turns are played in different ways."""

    watched: Watched

    @initialize(table=st.sampled_from(TABLES), seed=ARBITRARY)
    def deal(self, table: tuple[int, bool], seed: int) -> None:
        self.watched = Watched(setup_of(*table, seed))

    def going(self) -> bool:
        return self.watched.state.active is not None

    @precondition(going)
    @rule(picks=st.lists(ARBITRARY, min_size=1, max_size=12))
    def do_anything(self, picks: list[int]) -> None:
        for pick in picks:
            legal = legal_intents(self.watched.state)
            if legal:
                self.watched.do(legal[pick % len(legal)])

    @precondition(going)
    @rule(count=st.integers(1, 60), seed=ARBITRARY)
    def play_on(self, count: int, seed: int) -> None:
        chance = Random(seed)
        for _ in range(count):
            if self.going():
                self.watched.do(steer(self.watched.state, chance))

    @precondition(going)
    @rule(count=st.integers(1, 8))
    def play_well(self, count: int) -> None:
        for _ in range(count):
            play_turn(self.watched)

    @precondition(going)
    @rule()
    def undo_some(self) -> None:
        while self.watched.state.previous is not None and self.watched.chance.random() < 0.8:
            self.watched.do(Undo())

    @precondition(going)
    @rule()
    def undo_all(self) -> None:
        self.watched.undo_turn()
        while self.watched.state.previous is not None:
            self.watched.do(Undo())
        assert self.watched.state == self.watched.turn_start

    @precondition(lambda self: not self.going())
    @rule()
    def stay_over(self) -> None:
        assert legal_intents(self.watched.state) == ()
        assert self.watched.state.phase is Phase.OVER

    @invariant()
    def everything_holds(self) -> None:
        self.watched.look()

    def teardown(self) -> None:
        if hasattr(self, "watched"):
            self.watched.assert_replayed()


TestGame = Game.TestCase
TestGame.settings = settings(
    max_examples=20,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def play_turn(watched: Watched) -> None:
    """Let a casual bot finish the turn of the active seat."""
    seat, bot = watched.state.active, CasualBot()
    while seat is not None and watched.state.active == seat:
        watched.do(bot.choose(view_for(watched.state, seat), watched.chance))


def mixed(watched: Watched) -> Intent:
    """Choose the next intent so that everything happens, with an undo now and then."""
    if watched.state.previous is not None and watched.chance.random() < 0.1:
        return Undo()
    return steer(watched.state, watched.chance)


@pytest.mark.parametrize(("players", "starters"), [(2, False), (3, True), (4, False)])
def test_whole_games_under_watch(players: int, starters: bool) -> None:
    """Check that whole games cover everything that can happen (R-COMP-5, R-INFO-2)."""
    seen: Counter[str] = Counter()
    for seed in range(2):
        watched = Watched(setup_of(players, starters, seed))
        while watched.state.active is not None:
            if seed % 2 or watched.state.phase is Phase.PLACING:
                watched.do(mixed(watched))
            else:
                play_turn(watched)
            watched.look()
            if watched.state.active is not None:
                watched.undo_turn()
        watched.assert_replayed()
        for event in watched.seen:
            seen[type(event).__name__] += 1
            match event:
                case OrdersDrawn(reason=reason) | TokenClosed(reason=reason):
                    seen[reason] += 1
                case Stepped(rush_spent=1):
                    seen["rush spent"] += 1
                case OrderServed(rush_gained=1):
                    seen["rush gained"] += 1
    least = OFTEN | ({"StartTaken": 2, "flow_of_time": 20} if players == 2 else {})
    assert {name: seen[name] for name, count in least.items() if seen[name] < count} == {}
