"""All walks of the rest of a turn, in layers by steps: what can be collected, and where they end.

A walk takes of each ingredient the sum of what its cells yield, or all that is in the supply. So
the order of the cells matters only for its end, and walks with the same end and hand are one.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from coffeerush.rules import Player, State
from coffeerush.rules.board import BITS, CELLS, NEAR, ONE, amount, common, ingredient, size, within
from coffeerush.rules.legal import steps_left
from coffeerush.rules.state import acting
from protocol import Phase, Step, Upgrade

MOST_RUSH: Final = 3
"""The most rush tokens that a search spends in a turn."""
MANY_HANDS: Final = 6000
"""A layer with more hands than this is the last: paid steps lead nowhere much better then."""

RUSH_RANK: Final = 0.35
"""The value of a rush token, in orders served."""
ENDINGS_EACH: Final = 6

_Layer = dict[int, set[int]]
"""Cell to the packed hands with which a walk of so many steps can get there."""


class WalkStart(Struct, frozen=True):
    """Where the rest of a turn begins: one meeple, before or in the middle of its walk."""

    upgrade: Upgrade | None
    """To activate before the first step."""
    upgrades: int
    """Bit mask of the upgrades that are active while walking."""
    meeple: int
    """An index, as in `State.meeple`."""
    cell: int
    standing: int
    hand: int
    begun: bool
    """Whether the turn's first step has been taken, so that the walk may stop at once."""
    free: int
    """Free steps left."""
    rush: int
    """Rush tokens that may be spent."""

    @property
    def steps(self) -> int:
        """The most steps to search."""
        return self.free + self.rush


class Ending(Struct, frozen=True):
    """A cell where a walk can end."""

    start: WalkStart
    cell: int
    rush: int
    """Rush tokens spent."""


def starts(state: State, upgrades: bool = True, most_rush: int = MOST_RUSH) -> list[WalkStart]:
    """Return the ways to begin the rest of the turn: by upgrade and meeple (R-UPG-1, R-MOVE-1).

    The first ones are without an upgrade; the others are left out unless `upgrades`. At most
    `most_rush` rush tokens are spent.
    """
    _, player = acting(state)
    begun, walks = bool(state.path), state.phase in (Phase.UPGRADE, Phase.MOVING)
    offered: list[Upgrade | None] = [None]
    if upgrades and state.phase is Phase.UPGRADE:
        offered += [one for one in Upgrade if not player.upgrades >> one & 1]
    return [
        WalkStart(
            upgrade=upgrade,
            upgrades=player.upgrades | (0 if upgrade is None else 1 << upgrade),
            meeple=meeple,
            cell=player.meeples[meeple],
            standing=state.standing if begun else state.standing & ~(1 << player.meeples[meeple]),
            hand=state.hand,
            begun=begun,
            free=steps_left(state) if walks else 0,
            rush=min(player.rush, most_rush) if walks else 0,
        )
        for upgrade in offered
        for meeple in _movable(state, player)
    ]


def _movable(state: State, player: Player) -> range:
    if state.meeple is None:
        return range(len(player.meeples))
    return range(state.meeple, state.meeple + 1)


def _gains(start: WalkStart) -> tuple[int, ...]:
    return tuple(amount(start.upgrades, cell, start.standing) for cell in CELLS)


def _layers(start: WalkStart, limit: int) -> list[_Layer]:
    """Return the hands by cell after each number of steps, cut to `limit`."""
    near, gains = NEAR[start.upgrades >> Upgrade.DIAGONAL_MOVE & 1], _gains(start)
    layers: list[_Layer] = [{start.cell: {common(start.hand, limit)}}]
    for _ in range(start.steps):
        entered: dict[int, set[int]] = {}
        for cell, hands in layers[-1].items():
            for other in near[cell]:
                entered.setdefault(other, set()).update(hands)
        layer = {
            cell: _picked_up(hands, cell, gains[cell], limit) for cell, hands in entered.items()
        }
        layers.append(layer)
        if sum(map(len, layer.values())) > MANY_HANDS and len(layers) > start.free:
            break
    return layers


def _picked_up(hands: set[int], cell: int, gain: int, limit: int) -> set[int]:
    """Return the hands after entering `cell`, cut to `limit`."""
    kind = ingredient(cell)
    mask, one = 255 << BITS * kind, ONE[kind]
    most = limit & mask
    return {
        hand + gain * one if (hand & mask) + gain * one <= most else hand & ~mask | most
        for hand in hands
    }


class Collecting:
    """What can be collected in the rest of a turn, if each ingredient is limited to `limit`."""

    def __init__(self, begins: Sequence[WalkStart], limit: int) -> None:
        self._limit = limit
        self.endings: list[Ending] = []
        """Where walks end; in the order of the bits of `by_hand`."""
        self.by_hand: dict[int, int] = {}
        """Packed hand to a bit mask of the endings at which it can be poured: closed downwards."""
        bits: dict[tuple[int, int, int], int] = {}
        for number, start in enumerate(begins):
            for steps, layer in enumerate(_layers(start, limit)):
                if not steps and not start.begun:
                    continue
                rush = max(0, steps - start.free)
                for cell in layer:
                    if start.standing >> cell & 1:  # R-MOVE-4
                        continue
                    if (number, cell, rush) not in bits:
                        bits[number, cell, rush] = 1 << len(self.endings)
                        self.endings.append(Ending(start, cell, rush))
                    bit = bits[number, cell, rush]
                    for hand in layer[cell]:
                        self.by_hand[hand] = self.by_hand.get(hand, 0) | bit
        self._close()

    def _close(self) -> None:
        """Add every part of each hand, as the rest can be returned (R-POUR-1)."""
        by_hand = self.by_hand
        ones = [(one, one * 255) for one in ONE if self._limit & one * 255]
        by_size: list[list[int]] = [[] for _ in range(max(map(size, by_hand), default=0) + 1)]
        for hand in by_hand:
            by_size[size(hand)].append(hand)
        for tokens in range(len(by_size) - 1, 0, -1):
            for hand in by_size[tokens]:
                mask = by_hand[hand]
                for one, kind in ones:
                    if not hand & kind:
                        continue
                    part = hand - one
                    if part in by_hand:
                        by_hand[part] |= mask
                    else:
                        by_hand[part] = mask
                        by_size[tokens - 1].append(part)

    def steps(self, ending: Ending, hand: int) -> tuple[Step, ...]:
        """Return the steps of a shortest walk to `ending` that collects at least `hand`."""
        start = ending.start
        layers = _layers(start, self._limit)
        for length in range(0 if start.begun else 1, len(layers)):
            if max(0, length - start.free) != ending.rush:
                continue
            for held in sorted(layers[length].get(ending.cell, ())):
                if within(hand, held):
                    cells = self._cells(start, layers[: length + 1], ending.cell, held)
                    return tuple(Step(start.meeple + 1, cell) for cell in cells)
        raise AssertionError("the ending has this hand")

    def _cells(self, start: WalkStart, layers: list[_Layer], cell: int, hand: int) -> Iterator[int]:
        """Return the cells entered on the way to the hand in the last layer, in order."""
        near, gains = NEAR[start.upgrades >> Upgrade.DIAGONAL_MOVE & 1], _gains(start)
        walked = []
        for layer in reversed(layers[:-1]):
            walked.append(cell)
            earlier = (
                (other, held)
                for other in near[cell]
                for held in sorted(layer.get(other, ()))
                if _picked_up({held}, cell, gains[cell], self._limit) == {hand}
            )
            cell, hand = next(earlier)
        return reversed(walked)


class RankedEndings:
    """The endings of walks, the best first."""

    def __init__(self, collecting: Collecting, cells: Sequence[float]) -> None:
        self.collecting = collecting
        self._ranked = sorted(
            (
                (cells[one.cell] - RUSH_RANK * one.rush, 1 << bit)
                for bit, one in enumerate(collecting.endings)
            ),
            reverse=True,
        )
        self._best: dict[int, float] = {}

    def best(self, hand: int) -> float:
        """Return the rank of the best ending with a packed hand."""
        if hand not in self._best:
            mask = self.collecting.by_hand[hand]
            self._best[hand] = next(rank for rank, bit in self._ranked if mask & bit)
        return self._best[hand]

    def gaps(self, hand: int) -> list[tuple[float, Ending]]:
        """Return the best endings with a packed hand, and how much worse each is than the best."""
        mask, best = self.collecting.by_hand[hand], self.best(hand)
        found: dict[tuple[int, int], tuple[float, Ending]] = {}
        for rank, bit in self._ranked:
            if mask & bit:
                ending = self.collecting.endings[bit.bit_length() - 1]
                # the first one of a cell spends the least rush tokens
                found.setdefault((ending.start.meeple, ending.cell), (rank - best, ending))
                if len(found) == ENDINGS_EACH:
                    break
        return list(found.values())
