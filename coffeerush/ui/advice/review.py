"""The review of a finished game: what each turn of a seat lost against the best line. Pure.

A turn is judged by what its player knew: by the View when it began, never by hidden cups or cards.
"""

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from itertools import pairwise, zip_longest
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.bots.outcomes import after, outcomes, sample_state
from coffeerush.bots.planner import before_end, candidates, lookahead, plan_of
from coffeerush.bots.values import (
    after_turn,
    next_turn,
    scores_of,
    shipped_weights,
    win_chance,
    win_share,
)
from coffeerush.rules import State, advance, view_for
from coffeerush.rules.state import acting, with_player
from protocol import SLOTS, ActivateUpgrade, EndTurn, Intent, Phase, Seat, Serve, Undo, View

from .advice import is_late_for_upgrade, planned

INEXACT: Final = 5
"""The least cost of an inexact turn, in percentage points of the chance to win.

Measured in 15 games of regular and casual bots: of 396 turns, 54 were inexact and 38 blunders.
Lookahead with 32 other samples confirmed a loss in 53 and in all of them, of 10 and 22 points in
the mean.
"""
BLUNDER: Final = 12
"""The least cost of a blunder, in the same unit."""
MANY_SAMPLES: Final = 16
"""Samples of the lookahead, for a turn whose value suggests a loss."""
MOST_MARKED: Final = 2

Grade = Literal["fine", "inexact", "blunder"]


class Reason(Enum):
    """Why the better line is better."""

    UPGRADE = auto()
    """It activates an upgrade."""
    NO_UPGRADE = auto()
    """It keeps the orders that an upgrade costs."""
    SAVE = auto()
    """Fewer orders expire."""
    SERVE = auto()
    """It serves more orders."""
    KEEP_RUSH = auto()
    """It keeps more rush tokens."""
    PREPARE = auto()
    """It is a better start for the next turn."""


class PlayedTurn(Struct, frozen=True):
    """A seat's turn as it was played."""

    rev: int
    """The rev at which the turn begins."""
    end: int
    """The rev at which the next turn begins, or the game is over."""
    begun: State
    intents: tuple[Intent, ...]
    """Without those that were undone; `EndTurn` is the last."""
    by_bot: bool = False
    """Whether a bot made some of them in the place of the person, who is not judged for them."""


class ReviewedTurn(Struct, frozen=True):
    """A turn, the best line found for it, and what both make of the chance to win, in percent."""

    turn: PlayedTurn
    best: tuple[Intent, ...]
    """The intents of the best line found; those that were played if it is hardly better."""
    chance: int
    """After the turn as it was played."""
    best_chance: int
    """After the best line; the same unless value and lookahead agree on a loss of `INEXACT`."""
    reason: Reason
    count: int
    """How many more penalties, orders or tokens the better line saves, serves or keeps."""
    coming: tuple[int, ...] = ()
    """The drinks that the next turn can serve after the best line, unless its reason is another.

    After one that prepares it, none if the turn as played does not change them.
    """
    other: tuple[Intent, ...] = ()
    """The next best line after a fine turn that leaves other orders open, or other upgrades."""
    other_chance: int = 0
    """After that line; at most `chance`."""

    @property
    def fewer(self) -> int:
        """How many orders fewer than the turn the better line serves; negative if more."""
        return _many(self.turn.intents, Serve) - _many(self.best, Serve)

    @property
    def cost(self) -> int:
        """What the turn surely lost, in percentage points of the chance to win."""
        return self.best_chance - self.chance

    @property
    def grade(self) -> Grade:
        """The judgement by the cost."""
        if not self.cost:
            return "fine"
        return "inexact" if self.cost < BLUNDER else "blunder"


class Expired(Struct, frozen=True):
    """Orders that expired at the end of a turn."""

    round: int
    within: tuple[int, ...] = ()
    """Those that this turn or the one before could have served, and neither cost much."""
    beyond: tuple[int, ...] = ()
    """Those that neither could have served."""
    untold: tuple[int, ...] = ()
    """Those after turns that cost much, or that a bot played: nothing is said of them."""


class Fall(Struct, frozen=True):
    """A chance to win that fell by `BLUNDER` or more while others played, and by what was drawn."""

    round: int
    """Of the turn after which it fell."""
    told: int
    """The rev of the next turn of the seat or, after its last turn, of that turn."""
    before: int
    """After the turn, in percent."""
    after: int
    """After the best line of the next turn, or by the result."""


class BestTurn(Struct, frozen=True):
    """A turn that brought most points more than doing nothing, and what they were."""

    turn: PlayedTurn
    served: int
    saved: int
    """Orders that it served before they expired, each a penalty less."""
    upgrades: int


class Review(Struct, frozen=True):
    """The review of a seat's game, in percentage points of the chance to win.

    The chance goes from `start` to `end`: by what others did and drew, and what own turns cost.
    """

    seat: Seat
    marked: tuple[ReviewedTurn, ...]
    """At most `MOST_MARKED` turns that are not fine, in the order of the game."""
    costs: tuple[int, ...]
    """What each of the person's turns surely lost, in the order of the game."""
    start: int
    """The chance of all seats at the beginning."""
    end: int
    """The share of the win."""
    lesson: Reason | None
    """The reason that cost most in the marked turns; None if none is marked."""
    best: tuple[BestTurn, ...] = ()
    """Of those that could not have been clearly better; all that brought the same, in order.

    Empty if none of them brought a point.
    """
    by_bot: int = 0
    """The number of turns that a bot played in the person's place; they are not among the costs."""
    expired: tuple[Expired, ...] = ()
    """Everything that expired, in the order of the game."""
    falls: tuple[Fall, ...] = ()
    """In the order of the game."""

    @property
    def lost(self) -> int:
        """What the person's own turns cost."""
        return sum(self.costs)


def played_turns(
    states: Sequence[State], intents: Sequence[Intent], seat: Seat, by_bot: Sequence[bool] = ()
) -> Iterator[PlayedTurn]:
    """Yield the turns of a seat; those before the first turn are left out.

    Args:
        states: from the deal to the end, one more than `intents`.
        intents: all intents of the game.
        seat: whose turns.
        by_bot: whether a bot made each intent in the place of a person; empty if none.
    """
    begun: int | None = None
    played: list[Intent] = []
    for rev, intent in enumerate(intents):
        state = states[rev]
        if begun is None:
            if state.active != seat or state.phase not in (Phase.UPGRADE, Phase.MOVING):
                continue
            begun, played = rev, []
        if isinstance(intent, Undo):
            played.pop()
        else:
            played.append(intent)
        if isinstance(intent, EndTurn):
            stood_in = any(by_bot[begun : rev + 1])
            yield PlayedTurn(begun, rev + 1, states[begun], tuple(played), stood_in)
            begun = None


def review_turn(turn: PlayedTurn, seed: int) -> ReviewedTurn:
    """Compare a turn with the line that a hint proposes at its start, unless a bot played it.

    Args:
        turn: the turn.
        seed: of the game; the same turn and seed give the same review.
    """
    seat, weights = turn.begun.active, shipped_weights()
    view = view_for(turn.begun, seat)
    begun = sample_state(view, 0)
    played_to = before_end(begun, turn.intents)
    chance = best_chance = _percent(weights.value(played_to), played_to)
    best, best_to = turn.intents, played_to
    if not turn.by_bot:
        # what the hint proposes, so that nobody is blamed for having followed it
        plan = planned(view)
        best = plan.intents
        best_to = before_end(begun, best)
        best_chance = _percent(plan.value, best_to)
    if best_chance - chance >= INEXACT:
        later = lookahead(view, (turn.intents, best), MANY_SAMPLES, seed + turn.rev)
        played, better = map(_percent, later, (played_to, best_to))
        chance, best_chance = agreed((chance, best_chance), (played, better))
    if best_chance - chance < INEXACT:
        fine = ReviewedTurn(turn, turn.intents, chance, chance, Reason.PREPARE, 0)
        return fine if turn.by_bot else _with_others(fine, view, played_to)
    reason, count = _reason(turn.intents, best, played_to, best_to)
    coming = _coming(best_to) if reason is Reason.PREPARE else ()
    if coming == _coming(played_to):
        coming = ()
    return ReviewedTurn(turn, best, chance, best_chance, reason, count, coming)


def _with_others(fine: ReviewedTurn, view: View, played_to: State) -> ReviewedTurn:
    """Add to a fine turn what it prepares and the next best line, unless it ends the game."""
    if advance(played_to, EndTurn()).active is None:
        return fine
    begun, weights = sample_state(view, 0), shipped_weights()
    turn = replace(fine, coming=_coming(played_to))
    if fine.chance != _percent(weights.value(played_to), played_to):
        return turn  # by the lookahead, which no other line has had
    for other in candidates(begun, weights, upgrades=not is_late_for_upgrade(view)):
        if _left_open(other.state) != _left_open(played_to):
            chance = min(_percent(other.value, other.state), fine.chance)
            return replace(turn, other=plan_of(begun, other).intents, other_chance=chance)
    return turn


def _left_open(state: State) -> tuple[object, ...]:
    """Return what tells one way to play a turn from another: orders that stay, and upgrades."""
    player = acting(state)[1]
    return tuple(tuple(sorted(slot)) for slot in player.orders), player.upgrades


def _coming(state: State) -> tuple[int, ...]:
    """Return the drinks that the next turn can serve; `state` is before `EndTurn`."""
    end = after_turn(state)
    serves = next_turn(state, end.rush).serves if end.turns[0] else ()
    return tuple(sorted(order.drink for _cup, order in serves))


def agreed(by_value: tuple[int, int], later: tuple[int, int]) -> tuple[int, int]:
    """Return the chances, as played and at best, of the estimate by which they differ less."""
    return min(by_value, later, key=lambda chances: chances[1] - chances[0])


def _percent(value: float, state: State) -> int:
    """Return the chance at the end of a turn, before `EndTurn`; the result if that is the end."""
    over = advance(state, EndTurn())
    if over.active is None:
        return _result(over, acting(state)[0])
    return round(100 * win_chance(value, len(state.players)))


def _result(end: State, seat: Seat) -> int:
    return round(100 * win_share(scores_of(end), seat))


def review(turns: Sequence[ReviewedTurn], end: State, seat: Seat) -> Review:
    """Return the review of a game from all turns of a seat and the State at its end."""
    worst = sorted(turns, key=lambda turn: -turn.cost)
    marked = [turn for turn in worst if turn.grade != "fine"][:MOST_MARKED]
    expired, by_bot = tuple(_expired(turns)), sum(reviewed.turn.by_bot for reviewed in turns)
    return Review(
        seat=seat,
        marked=tuple(sorted(marked, key=lambda turn: turn.turn.rev)),
        costs=tuple(reviewed.cost for reviewed in turns if not reviewed.turn.by_bot),
        start=round(100 / len(end.players)),
        end=_result(end, seat),
        lesson=_lesson(marked),
        best=_best([turn for turn in turns if not turn.turn.by_bot]),
        by_bot=by_bot,
        expired=expired,
        falls=tuple(_falls(turns, _result(end, seat))),
    )


def _falls(turns: Sequence[ReviewedTurn], end: int) -> Iterator[Fall]:
    for last, later in zip_longest(turns, turns[1:]):
        if later and later.turn.by_bot:
            continue  # its best line is not known
        after, told = (later.best_chance, later.turn.rev) if later else (end, last.turn.rev)
        if last.chance - after >= BLUNDER:
            yield Fall(last.turn.begun.round, told, last.chance, after)


def _expired(turns: Sequence[ReviewedTurn]) -> Iterator[Expired]:
    """Yield what expired at the end of each turn, and whether it could have been served."""
    for before, last in pairwise((None, *turns)):
        assert last, "only the first has none before it"
        turn, judged = last.turn, [reviewed for reviewed in (before, last) if reviewed]
        drinks = expiring(turn)
        if not drinks:
            continue
        if any(reviewed.cost or reviewed.turn.by_bot for reviewed in judged):
            yield Expired(turn.begun.round, untold=drinks)
            continue
        within = tuple(
            drink
            for drink in drinks
            if any(_can_serve(reviewed.turn.begun, drink) for reviewed in judged)
        )
        beyond = tuple(drink for drink in drinks if drink not in within)
        yield Expired(turn.begun.round, within, beyond)


def _can_serve(begun: State, drink: int) -> bool:
    """Return whether a turn could serve an order if there were no other."""
    seat, player = acting(begun)
    alone = replace(player, orders=((), (), (), (drink,)))
    state = replace(begun, players=with_player(begun, seat, alone))
    return any(not acting(after(state, outcome))[1].orders[-1] for outcome in outcomes(state, 1))


def _best(turns: Sequence[ReviewedTurn]) -> tuple[BestTurn, ...]:
    """Return the best turns that cost nothing, of which one is as good as another."""
    found = [brought(reviewed.turn) for reviewed in turns if not reviewed.cost]
    most = max(map(_worth, found), default=(0, 0, 0))
    return tuple(gain for gain in found if any(most) and _worth(gain) == most)


def _worth(found: BestTurn) -> tuple[int, int, int]:
    """Return a turn's points; what an upgrade costs and scores is spread over many turns.

    Turns that are worth the same brought the same.
    """
    return found.served + found.saved, found.upgrades, found.served


def brought(turn: PlayedTurn) -> BestTurn:
    """Return what a turn brought, if it was the best."""
    done = turn.intents
    saved = len(acting(turn.begun)[1].orders[-1]) - len(expiring(turn))
    return BestTurn(turn, _many(done, Serve), saved, _many(done, ActivateUpgrade))


def expiring(turn: PlayedTurn) -> tuple[int, ...]:
    """Return the drinks that expire at the end of a turn."""
    return acting(before_end(turn.begun, turn.intents))[1].orders[-1]


def _lesson(marked: Sequence[ReviewedTurn]) -> Reason | None:
    costs = dict.fromkeys(Reason, 0)
    for turn in marked:
        costs[turn.reason] += turn.cost
    return max(costs, key=lambda reason: costs[reason]) if marked else None


def _reason(
    played: Sequence[Intent], best: Sequence[Intent], played_to: State, best_to: State
) -> tuple[Reason, int]:
    """Return why `best` is better than `played`, and the number that the reason has."""
    upgrades = _many(best, ActivateUpgrade) - _many(played, ActivateUpgrade)
    if upgrades:
        return (Reason.UPGRADE if upgrades > 0 else Reason.NO_UPGRADE), 1
    assert played_to.active is not None  # its turn has not ended
    now, better = (state.players[played_to.active] for state in (played_to, best_to))
    for reason, more in (
        (Reason.SAVE, len(now.orders[SLOTS - 1]) - len(better.orders[SLOTS - 1])),
        (Reason.SERVE, _many(best, Serve) - _many(played, Serve)),
        (Reason.KEEP_RUSH, better.rush - now.rush),
    ):
        if more > 0:
            return reason, more
    return Reason.PREPARE, 0


def _many(intents: Sequence[Intent], kind: type) -> int:
    return sum(isinstance(intent, kind) for intent in intents)
