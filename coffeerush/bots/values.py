"""The learned value of a position: its features, and their weights."""

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import exp, fsum
from operator import mul
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import BotError
from coffeerush.rules import Player, State
from coffeerush.rules.board import size, within
from coffeerush.rules.state import acting
from coffeerush.rules.view import score
from protocol import (
    COMPLETED_PER_UPGRADE,
    FREE_STEPS,
    MAX_CARDS,
    PENALTIES_TO_CLOSE,
    SLOTS,
    Upgrade,
)

from .walks import UNREACHABLE, steps_from, steps_per_card

SERVE_WORTH: Final = (0.0, 1.1, 1.3, 2.0)
"""By slot; the plan for the next turn is the one worth most."""
SPECIALTY_WORTH: Final = 0.3
RUSH_WORTH: Final = 0.35
MOST_RUSH_NEXT: Final = 2
WIDEST_GAP: Final = 3


class LaterOrder(Struct, frozen=True, gc=False):
    """An order that stays open after the turn."""

    drink: int
    recipe: int
    slot: int
    """From 0, after the flow of time; never 0."""
    specialty: bool

    @property
    def worth(self) -> float:
        """The value of serving it in the next turn, in points."""
        return SERVE_WORTH[self.slot] + SPECIALTY_WORTH * self.specialty


class NextTurn(Struct, frozen=True, gc=False):
    """A plan for a seat's next turn: what it can serve if it draws no new orders."""

    worth: float
    """In points, rush tokens subtracted."""
    steps: int
    serves: tuple[tuple[int, LaterOrder], ...]
    """Cups, from 0, and the orders they will serve."""

    @property
    def rush(self) -> int:
        """The rush tokens to spend."""
        return max(0, self.steps - FREE_STEPS)


def open_after(state: State) -> tuple[LaterOrder, ...]:
    """Return the active seat's orders that the flow of time will leave open (R-TIME-1)."""
    _, player = acting(state)
    recipes = tuple(state.menu.by_recipe)
    return tuple(
        LaterOrder(drink, recipes[drink], slot, state.menu.specialty[drink])
        for slot, orders in enumerate(player.orders[: SLOTS - 1], start=1)
        for drink in orders
    )


def next_turn(state: State, rush: int) -> NextTurn:
    """Return the best plan for the active seat's next turn; `state` is before `EndTurn`.

    Searches all ways to assign orders to cups; ignores other meeples, shortages and new orders.

    Args:
        state: at the end of a turn.
        rush: the rush tokens that the seat will have.
    """
    _, player = acting(state)
    orders, table = open_after(state), steps_from(player.upgrades, *player.meeples)
    most = FREE_STEPS + min(rush, MOST_RUSH_NEXT)
    best = NextTurn(0.0, 0, ())
    partial: list[_PartialPlan] = [(0, 0.0, 0, -1, ())]
    more, earlier = partial, -1
    for base, cup in sorted(_bases(player, orders)):
        # of cups that are alike, the first ones are used, for orders in their order
        alike = base == earlier
        before, more = more if alike else partial, []
        for number, order in enumerate(orders):
            lacking, worth = order.recipe - base, order.worth
            if not within(base, order.recipe) or table.get(lacking, UNREACHABLE) > most:
                continue
            for hand, gained, taken, last, serves in before:
                needed = hand + lacking
                steps = table.get(needed, UNREACHABLE)
                if steps > most or taken >> number & 1 or (alike and last >= number):
                    continue
                total = gained + worth
                done = (*serves, (cup, order))
                more.append((needed, total, taken | 1 << number, number, done))
                net = total - RUSH_WORTH * max(0, steps - FREE_STEPS) - 0.001 * steps
                if net > best.worth:
                    best = NextTurn(net, steps, done)
        partial = partial + more
        earlier = base
    return best


_Serves = tuple[tuple[int, LaterOrder], ...]
_PartialPlan = tuple[int, float, int, int, _Serves]
"""The hand needed, its worth, a bit mask of the orders, the last of them, and the serves."""


def _bases(player: Player, orders: Sequence[LaterOrder]) -> Iterator[tuple[int, int]]:
    """Yield what can stay in each cup, and the cup: what fits no order is to be emptied."""
    for cup, contents in enumerate(player.cups):
        yield contents if any(within(contents, order.recipe) for order in orders) else 0, cup


class AfterTurn(Struct, frozen=True):
    """What the end of the active seat's turn is sure to change."""

    penalties: int
    rush: int
    deck: int
    """The cards left to draw."""
    drawn: tuple[int, ...]
    """How many orders each seat draws, by distance to the left."""
    closed: bool
    turns: tuple[bool, ...]
    """Whether each seat has another turn, by distance to the left; all while the game is open."""


def after_turn(state: State) -> AfterTurn:
    """Return the changes by `EndTurn` for any deck (R-RUSH-1 to R-TIME-3, R-END-1, R-END-4)."""
    seat, player = acting(state)
    count, deck = len(state.players), len(state.deck)
    expired = len(player.orders[SLOTS - 1])
    penalties = len(player.penalties) + expired
    drawn = [0] * count
    for left in range(1, min(count, 3)):
        drawn[left] = min(state.served, deck)
        deck -= drawn[left]
    if count == 2:
        drawn[0] = min(1, deck)
        deck -= drawn[0]
    waiting = any(drawn) or any(
        any(other.orders[: SLOTS - 1] if number == seat else other.orders)
        for number, other in enumerate(state.players)
    )
    closed = state.closed or not deck or penalties >= PENALTIES_TO_CLOSE or not waiting
    left_in_round = (state.start - seat - 1) % count
    return AfterTurn(
        penalties=penalties,
        rush=player.rush + min(expired, state.rush),
        deck=deck,
        drawn=tuple(drawn),
        closed=closed,
        turns=tuple(not closed or 1 <= left <= left_in_round for left in range(count)),
    )


def features(state: State, after: AfterTurn) -> list[float]:
    """Return the features of a position; their number depends on the seats and on `after.closed`.

    Args:
        state: at the end of the active seat's turn, before `EndTurn`.
        after: `after_turn(state)`.
    """
    return _closed_features(state, after) if after.closed else _open_features(state, after)


def _open_features(state: State, after: AfterTurn) -> list[float]:
    seat, player = acting(state)
    late = 1 - after.deck / MAX_CARDS
    plan = next_turn(state, after.rush)
    others = _others(state)
    own = score(player) + len(player.penalties) - after.penalties
    gaps = [own - score(other) for other in others]
    active = [float(player.upgrades >> upgrade & 1) for upgrade in Upgrade]
    per_card = steps_per_card(state.menu.drinks, player.upgrades)
    common = [
        sum(gaps) / len(gaps) / 4,
        min(gaps) / 4,
        after.penalties / 4,
        *_plan_features(plan),
        *_order_features(open_after(state), plan, player),
        *(float(after.rush >= n) for n in (1, 2, 3)),
    ]
    rest = [
        1.0,
        late,
        late * late,
        float(after.penalties == PENALTIES_TO_CLOSE - 1),
        float(max(len(other.penalties) for other in others) == PENALTIES_TO_CLOSE - 1),
        sum(len(other.penalties) for other in others) / 8,
        float((seat - state.start) % len(state.players)) / 4,
        float(state.served),
        max(0, after.rush - 3) / 2,
        float(len(player.completed) >= COMPLETED_PER_UPGRADE) * (1 - late),
        *active,
        *(upgrade * late for upgrade in active),
        min(per_card[cell] for cell in player.meeples) - 4,
    ]
    for left, other in enumerate(others, start=1):
        rest += _other_features(other, after.drawn[left], gaps[left - 1], late)
    return rest + common + [late * feature for feature in common]


def _others(state: State) -> list[Player]:
    """Return the other players, the nearest to the left first."""
    seat, count = acting(state)[0], len(state.players)
    return [state.players[(seat + left) % count] for left in range(1, count)]


def _plan_features(plan: NextTurn) -> list[float]:
    slots = [order.slot for _, order in plan.serves]
    return [
        plan.worth / 2,
        *(float(len(slots) >= n) for n in (1, 2, 3)),
        *(float(slots.count(slot)) for slot in (2, 3)),
        float(sum(order.specialty for _, order in plan.serves)),
        plan.rush / 2,
        max(0, FREE_STEPS - plan.steps) / 3,
    ]


def _order_features(orders: Sequence[LaterOrder], plan: NextTurn, player: Player) -> list[float]:
    """Describe the orders and cups that the plan for the next turn leaves."""
    served = [order for _, order in plan.serves]
    left = list(orders)
    for order in served:
        left.remove(order)
    used = {cup for cup, _ in plan.serves}
    spare = [contents for cup, contents in enumerate(player.cups) if cup not in used and contents]
    useful = [held for held in spare if any(within(held, order.recipe) for order in orders)]
    table = steps_from(player.upgrades, *player.meeples)
    counts, steps = [0.0] * SLOTS, [0.0] * SLOTS
    for order in left:
        lacking = min(
            [order.recipe - held for held in useful if within(held, order.recipe)],
            key=size,
            default=order.recipe,
        )
        counts[order.slot] += 1
        steps[order.slot] += table.get(lacking, UNREACHABLE) / 4
    return [
        *counts[1:],
        *steps[1:],
        float(len(left) >= 4),
        float(len(spare) - len(useful)),
        float(len(useful)),
        sum(map(size, useful)) / 3,
    ]


def _other_features(other: Player, drawn: int, gap: int, late: float) -> list[float]:
    """Describe another player, who will draw so many orders."""
    one, two, three, four = map(len, other.orders)
    orders = one + two + three + four + drawn
    rush, upgrades = min(other.rush, 4) / 2, float(other.upgrades.bit_count())
    return [
        float(one + drawn),
        float(two),
        float(three),
        float(four),
        float(orders == 0),
        rush,
        rush * late,
        upgrades,
        upgrades * late,
        gap / 4,
        gap / 4 * late,
        orders / 4 * late,
    ]


def _closed_features(state: State, after: AfterTurn) -> list[float]:
    """Describe the last round: this seat has no other turn, those to the left may have one."""
    _, player = acting(state)
    others = _others(state)
    own = score(player) + len(player.penalties) - after.penalties
    last = [other for left, other in enumerate(others, start=1) if after.turns[left]]
    done = [other for other in others if other not in last]
    drawn = [after.drawn[left] for left in range(1, len(others) + 1) if after.turns[left]]
    last_gap = min([own - score(other) for other in last], default=WIDEST_GAP)
    done_gap = min([own - score(other) for other in done], default=WIDEST_GAP)
    both = min(last_gap, done_gap)
    return [
        1.0,
        sum(own - score(other) for other in others) / len(others) / 4,
        max(-6, both) / 4,
        *_near(last_gap),
        *_near(done_gap),
        len(last) / 2,
        float(len(player.completed) > max(len(other.completed) for other in others)),
        after.rush / 4,
        sum(len(other.orders[SLOTS - 1]) for other in last) / 2,
        sum(map(_open, last)) / 4,
        sum(drawn) / 4,
        sum(min(other.rush, 3) for other in last) / 2,
        sum(other.upgrades.bit_count() for other in last) / 2,
        float(both > 0) * sum(min(other.rush, 3) for other in last) / 2,
        float(both > 0) * sum(map(_open, last)) / 4,
    ]


def _open(player: Player) -> int:
    return sum(map(len, player.orders))


def _near(gap: int) -> list[float]:
    gap = max(-WIDEST_GAP, min(WIDEST_GAP, gap))
    return [float(gap == step) for step in range(-WIDEST_GAP, WIDEST_GAP + 1)]


# The weights that `scripts/train` wrote, and the value by them


FEATURES_VERSION: Final = 1
"""To be increased with every change of the features: other weights are refused."""
COUNTS: Final = {2: (81, 27), 3: (93, 27), 4: (105, 27)}
"""By number of players: how many weights while the game is open, and once it is closed."""

MARGIN_WORTH: Final = 0.08
"""The value of each point ahead of the best other player, in wins."""


class SeatWeights(Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of the features of a position."""

    open: tuple[float, ...]
    closed: tuple[float, ...]


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `weights.json`."""

    features: int
    """The version of the features."""
    version: str
    """The program that trained them."""
    command: str
    """The command that writes the same file."""
    figures: dict[str, dict[str, float]]
    """By number of players, what the training measured."""
    players: dict[str, SeatWeights]
    """By number of players."""
    checksum: str = ""
    """Of all the rest, as SHA-256."""

    def value(self, state: State) -> float:
        """Return the expected result for the active seat at the end of its turn.

        Args:
            state: before `EndTurn`. The result is in the unit of `result`: a win is worth
                1, par is 0. If the turn ends the game, it is exact.
        """
        after = after_turn(state)
        if after.closed and not any(after.turns):
            return result(_final_scores(state, after), acting(state)[0])
        seats = self.players[str(len(state.players))]
        weights = seats.closed if after.closed else seats.open
        return fsum(map(mul, weights, features(state, after)))


def _final_scores(state: State, after: AfterTurn) -> list[tuple[int, int, int]]:
    """Return `scores_of` the State in which the active seat's turn ends the game."""
    seat, player = acting(state)
    scores = scores_of(state)
    lost = after.penalties - len(player.penalties)
    scores[seat] = (score(player) - lost, len(player.completed), after.rush)
    return scores


def scores_of(state: State) -> list[tuple[int, int, int]]:
    """Return the values that decide the ranks, by seat (R-END-2, R-END-3)."""
    return [(score(player), len(player.completed), player.rush) for player in state.players]


def result(scores: Sequence[tuple[int, int, int]], seat: int) -> float:
    """Return the value of a finished game: the share of the win above par, and a little margin.

    Args:
        scores: what decides the ranks, by seat.
        seat: for which the value is.
    """
    most = max(other[0] for number, other in enumerate(scores) if number != seat)
    margin = MARGIN_WORTH * (scores[seat][0] - most)
    return win_share(scores, seat) - 1 / len(scores) + margin


def win_share(scores: Sequence[tuple[int, int, int]], seat: int) -> float:
    """Return the share of the win in a finished game: 1, 0, or part of it if it is shared."""
    best = max(scores)
    return 1 / scores.count(best) if scores[seat] == best else 0.0


WIN_SLOPE: Final = 4.0
"""How fast the log odds of a win grow with the value.

In 9,383 turns of 364 games of planners, regular and casual bots, of two to four players, the share
of wins differs from the mean chance by at most 0.07 in every tenth of chances. The Brier score is
0.144, and 0.211 if every seat always had the same chance.
"""


def win_chance(value: float, players: int) -> float:
    """Return how probable a win is, for a value of `Weights.value`; par is `1 / players`."""
    return 1 / (1 + (players - 1) * exp(-WIN_SLOPE * value))


def parse_weights(text: bytes) -> Weights:
    """Return the weights in a JSON file; raises `BotError`.

    JSON has no NaN, and the decoder refuses numbers that are too large.
    """
    try:
        weights = msgspec.json.decode(text, type=Weights)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise _damaged(BotError("the file has another format or is incomplete")) from None
    if weights.features != FEATURES_VERSION:
        raise _damaged(BotError("the file belongs to another version"))
    for players, counts in COUNTS.items():
        own = weights.players.get(str(players), SeatWeights((), ()))
        if (len(own.open), len(own.closed)) != counts:
            raise _damaged(BotError("the number of weights is wrong"))
    if weights != with_checksum(weights):
        raise _damaged(BotError("its checksum does not match"))
    return weights


def with_checksum(weights: Weights) -> Weights:
    """Return the same weights with their checksum."""
    rest = msgspec.json.encode(replace(weights, checksum=""))
    return replace(weights, checksum=sha256(rest).hexdigest())


@cache
def shipped_weights() -> Weights:
    """Return the weights that are included in the package; raises `BotError`."""
    try:
        text = (files("coffeerush") / "bots" / "weights.json").read_bytes()
    except OSError as error:
        raise _damaged(error) from None
    return parse_weights(text)


def _damaged(reason: BotError | OSError) -> BotError:
    return BotError(
        "The weights of the expert bot are damaged: {reason}; install Coffee Rush again.",
        reason=reason,
    )
