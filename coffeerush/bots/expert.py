"""The expert bot: a planner that looks one round ahead, into samples of what is hidden.

Values of outcomes differ by less than their error. To tell the best ones apart, each is played on
in the same samples: the others play hasty turns, then the seat's own next turn is valued. The
budget is a number of samples, so that a game can be replayed on any machine.
"""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from statistics import fmean
from typing import Final

from msgspec.structs import replace

from coffeerush.rules import State, advance
from coffeerush.rules.turn_end import end_turn
from protocol import EndTurn, Intent, View

from .outcomes import TurnOutcome, after, hasty_turn
from .planner import Candidate, PlannerBot, candidates
from .sampling import sample_state
from .weights import Weights, result, scores_of, shipped_weights

STAGES: Final = (2, 2, 4)
"""Samples by stage; each stage has half as many outcomes to compare."""
MANY_COMPARED: Final = 8
CLOSE: Final = 0.1
"""Outcomes that the planner values lower than its best by more than this are not compared."""
MANY_NEXT: Final = 4
"""How many outcomes of the seat's next turn are valued."""

_Way = Callable[[State], State]
"""From a State in the middle of a turn to the end of that turn, before `EndTurn`."""


def lookahead(
    view: View, turns: Sequence[Sequence[Intent]], samples: int, seed: int
) -> list[float]:
    """Return what each way to play a turn is worth one round later, in the unit of plans' values.

    Args:
        view: of the seat whose turn it is, in any phase of the turn.
        turns: for each way, the legal intents of the rest of the turn; `EndTurn` may be missing.
        samples: how often the hidden cards and tokens are drawn; the same ones for all ways.
        seed: for the samples.
    """
    ways = [partial(_played, turn) for turn in turns]
    return _compare(view, ways, samples, Random(seed), shipped_weights())


def _played(turn: Sequence[Intent], state: State) -> State:
    for intent in turn:
        if not isinstance(intent, EndTurn):
            state = advance(state, intent)
    return replace(state, previous=None)


def _compare(
    view: View, ways: Sequence[_Way], samples: int, chance: Random, weights: Weights
) -> list[float]:
    drawn = [sample_state(view, int(chance.random() * 2**32), likely=True) for _ in range(samples)]
    return [fmean(value_next_turn(way(state), weights) for state in drawn) for way in ways]


def value_next_turn(state: State, weights: Weights) -> float:
    """Return what the active seat's next turn is worth; `state` is before `EndTurn`.

    The deck and the others' cups are taken as they are, and the others play hasty turns.
    """
    seat = state.active
    assert seat is not None  # a turn is to be ended
    state = end_turn(state)
    while state.active not in (seat, None):
        state = end_turn(hasty_turn(state))
    if state.active is None:
        return result(scores_of(state), seat)
    return candidates(state, weights, MANY_NEXT, upgrades=False)[0].value


def _outcome(outcome: TurnOutcome, state: State) -> State:
    return after(state, outcome)


class ExpertBot(PlannerBot):
    """Play the outcome that is worth most one round later."""

    def best(self, view: View, found: list[Candidate], chance: Random) -> Candidate:
        """Return the best of the candidates that are about as good as the first one.

        The better half of them goes on to the next stage. The planner's value counts like a sample,
        since that of a few samples is uncertain, too.
        """
        near = [one for one in found[:MANY_COMPARED] if one.value > found[0].value - CLOSE]
        left = [(one.value, one) for one in near]
        for samples in STAGES:
            if len(left) == 1:
                break
            ways = [partial(_outcome, one.outcome) for _, one in left]
            values = _compare(view, ways, samples, chance, self._weights)
            summed = [
                (total + samples * value, one)
                for (total, one), value in zip(left, values, strict=True)
            ]
            left = sorted(summed, key=_sum, reverse=True)[: (len(left) + 1) // 2]
        return left[0][1]


def _sum(summed: tuple[float, Candidate]) -> float:
    return summed[0]
