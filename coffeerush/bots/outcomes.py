"""All distinct results of the rest of a turn, ranked cheaply; and samples of what is hidden."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappushpop, nlargest
from itertools import combinations, islice
from operator import itemgetter
from random import Random
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.rules import advance
from coffeerush.rules.board import BITS, ONE, common, count, kinds, pack, size, within
from coffeerush.rules.engine import activate
from coffeerush.rules.state import (
    Cards,
    Player,
    State,
    acting,
    cards_of,
    menu_of,
    shuffled,
    with_player,
)
from protocol import (
    CUPS,
    SUPPLY,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Ingredient,
    Intent,
    Phase,
    Pour,
    ReturnRest,
    Serve,
    View,
)

from .walks import (
    MOST_RUSH,
    UNREACHABLE,
    Collecting,
    Ending,
    RankedEndings,
    WalkStart,
    parts,
    starts,
    steps_from,
    steps_per_card,
)

SERVE_RANK: Final = (1.0, 1.15, 1.4, 2.0)
"""By slot, as in `PROGRESS_RANK`."""
SPECIALTY_RANK: Final = 0.3
PROGRESS_RANK: Final = (0.5, 0.55, 0.6, 0.02)
"""For a cup with all of an unserved order; a cup with a part of it has a share."""
DISTANCE_RANK: Final = 0.1
"""The cost of a step on the way to the mean order."""
ROUNDING: Final = 1e-9
"""Sums of the same ranks in another order differ by less."""

Cups = tuple[int, ...]


class TurnOutcome(Struct, frozen=True):
    """A result of the rest of a turn, before the turn ends."""

    rank: float
    """A cheap estimate of the value, to compare with others of the turn and with its upgrade."""
    collecting: Collecting
    ending: Ending
    emptied: Cups
    """Cups to empty first, from 0."""
    poured: Cups
    """The packed multiset that goes into each cup."""


def outcomes(
    state: State, most: int, upgrades: bool = True, most_rush: int = MOST_RUSH
) -> list[TurnOutcome]:
    """Return the best outcomes by rank for each choice of an upgrade; never empty.

    Args:
        state: the active seat is in any phase of a turn.
        most: how many to return for each choice.
        upgrades: whether to also search turns that begin with an upgrade; these come last.
        most_rush: the most rush tokens to spend.
    """
    by_upgrade: dict[int, list[WalkStart]] = {}
    for start in starts(state, upgrades, most_rush):
        by_upgrade.setdefault(start.upgrades, []).append(start)
    search = _Search(state)
    return [outcome for begins in by_upgrade.values() for outcome in search.best(begins, most)]


def demand(state: State) -> int:
    """Return the most tokens of each kind that the active seat's cups can use at once, packed."""
    _, player = acting(state)
    recipes = tuple(state.menu.by_recipe)
    opened = [recipes[drink] for orders in player.orders for drink in orders]
    return sum(
        sum(sorted((count(recipe, kind) for recipe in opened), reverse=True)[:CUPS]) << BITS * kind
        for kind in range(8)
    )


def after(state: State, outcome: TurnOutcome) -> State:
    """Return the State of `outcome`, before `EndTurn`; of the path it has only the last cell."""
    ending = outcome.ending
    if ending.start.upgrade is not None:
        state = activate(state, ActivateUpgrade(ending.start.upgrade))
    seat, player = acting(state)
    cups, supply = list(player.cups), state.supply + state.hand
    for cup in outcome.emptied:
        supply += cups[cup]
        cups[cup] = 0
    for cup, added in enumerate(outcome.poured):
        supply -= added
        cups[cup] += added
    orders, completed = [list(slot) for slot in player.orders], list(player.completed)
    rush, left = player.rush - ending.rush, state.rush + ending.rush
    for cup, slot, drink in _serves(state, cups):
        orders[slot].remove(drink)
        completed.append(drink)
        supply += cups[cup]
        cups[cup] = 0
        if state.menu.specialty[drink] and left:  # R-SERVE-2
            rush, left = rush + 1, left - 1
    meeples = list(player.meeples)
    meeples[ending.start.meeple] = ending.cell
    served = replace(
        player,
        orders=tuple(map(tuple, orders)),
        meeples=tuple(meeples),
        cups=tuple(cups),
        completed=tuple(completed),
        rush=rush,
    )
    return replace(
        state,
        players=with_player(state, seat, served),
        supply=supply,
        rush=left,
        phase=Phase.SERVING,
        standing=ending.start.standing,
        hand=0,
        path=(ending.cell,),
        meeple=ending.start.meeple,
        served=state.served + len(completed) - len(player.completed),
        previous=None,
    )


def _serves(state: State, cups: list[int]) -> list[tuple[int, int, int]]:
    """Return the cup, slot and drink of each order that can be served, most urgent slots first."""
    _, player = acting(state)
    waiting = [list(slot) for slot in player.orders]
    serves = []
    for cup, contents in enumerate(cups):
        drink = state.menu.by_recipe.get(contents)
        slots = [slot for slot, orders in enumerate(waiting) if drink in orders]
        if drink is not None and slots:
            waiting[slots[-1]].remove(drink)
            serves.append((cup, slots[-1], drink))
    return serves


def intents(state: State, outcome: TurnOutcome) -> tuple[Intent, ...]:
    """Return the intents that lead to `outcome`, `EndTurn` last."""
    ending, poured = outcome.ending, list(outcome.poured)
    chosen: list[Intent] = []
    if ending.start.upgrade is not None:
        chosen.append(ActivateUpgrade(ending.start.upgrade))
    _, player = acting(state)
    for cup in outcome.emptied:
        if within(player.cups[cup], poured[cup]):  # what would be poured back can stay
            poured[cup] -= player.cups[cup]
        else:
            chosen.append(EmptyCup(cup + 1))
    chosen += outcome.collecting.steps(ending, sum(outcome.poured))
    for intent in chosen:
        state = advance(state, intent)
    pours = [
        Pour(Ingredient(kind), cup)
        for cup, added in enumerate(poured, start=1)
        for kind in kinds(added)
    ]
    chosen += pours
    if state.hand != sum(poured):
        chosen.append(ReturnRest())
    _, player = acting(state)
    cups = [held + added for held, added in zip(player.cups, poured, strict=True)]
    serves = [Serve(cup + 1, slot + 1) for cup, slot, _ in _serves(state, cups)]
    return (*chosen, *serves, EndTurn())


_Filling = tuple[int, float, int]
"""What is poured into a cup, its rank, and the drink that it is for; -1 if nothing is poured."""
_Choice = tuple[float, Cups, Cups, RankedEndings | None]
"""The rank, the cups to empty first, what is poured into each cup, and where that can end."""
_NO_CHOICE: Final[_Choice] = (float("-inf"), (), (), None)


class _Search:
    """The search for the outcomes of a turn."""

    def __init__(self, state: State) -> None:
        _, player = acting(state)
        self._state, self._cups = state, player.cups
        self._sorted: dict[tuple[int, bool], list[_Filling]] = {}
        """The fillings by cup, and by whether it is emptied first."""
        self._slot: dict[int, int] = {}
        """For each drink that is open, its most urgent slot, from 0."""
        self._many: set[int] = set()
        """The drinks that are open more than once."""
        opened = [(drink, slot) for slot, orders in enumerate(player.orders) for drink in orders]
        for drink, slot in opened:
            if drink in self._slot:
                self._many.add(drink)
            self._slot[drink] = slot
        recipes = tuple(state.menu.by_recipe)
        self._recipe = {drink: recipes[drink] for drink in self._slot}
        self._demand = demand(state)

    def best(self, begins: Sequence[WalkStart], most: int) -> list[TurnOutcome]:
        """Return the best outcomes by rank of walks that begin in one of these ways."""
        cells = self._cell_ranks(begins[0].upgrades)
        ranked: dict[int, RankedEndings] = {}
        # Each filling's best ending has the filling's rank, so more fillings would find no better.
        choices: list[_Choice] = [_NO_CHOICE] * most
        for emptied in self._emptyings():
            # R-POUR-3: what is emptied before the walk can be picked up again
            returned = sum(self._cups[cup] for cup in emptied)
            limit = common(self._demand, self._state.supply + self._state.hand + returned)
            if limit not in ranked:
                ranked[limit] = RankedEndings(Collecting(begins, limit), cells)
            self._choose(choices, emptied, ranked[limit])
        found = [
            TurnOutcome(rank + more, endings.collecting, ending, emptied, poured)
            for rank, emptied, poured, endings in sorted(choices, reverse=True)
            if endings is not None
            for more, ending in endings.gaps(sum(poured))
        ]
        return nlargest(most, found, key=lambda outcome: outcome.rank)

    def _cell_ranks(self, upgrades: int) -> tuple[float, ...]:
        recipes = [self._recipe[drink] for drink, slot in self._slot.items() if slot < 3]
        return tuple(
            -DISTANCE_RANK
            * (
                per_card
                + sum(steps_from(upgrades, cell).get(recipe, UNREACHABLE) for recipe in recipes)
                / (len(recipes) or 1)
            )
            for cell, per_card in enumerate(steps_per_card(self._state.menu.drinks, upgrades))
        )

    def _emptyings(self) -> Iterator[Cups]:
        """Yield the sets of cups to empty, of which at most one has a part of an open order."""
        yield ()
        if self._state.phase is not Phase.SERVING:
            filled = [cup for cup, contents in enumerate(self._cups) if contents]
            for n in range(1, len(filled) + 1):
                for emptied in combinations(filled, n):
                    if sum(self._is_useful(cup) for cup in emptied) <= 1:
                        yield emptied

    def _is_useful(self, cup: int) -> bool:
        return any(within(self._cups[cup], recipe) for recipe in self._recipe.values())

    def _choose(self, best: list[_Choice], emptied: Cups, endings: RankedEndings) -> None:
        """Put the best ways to fill the cups into the heap `best`, whose length stays the same."""
        reachable, many, end = endings.collecting.by_hand, self._many, endings.best
        one, two, three = (self._reachable(cup, cup in emptied, reachable) for cup in range(CUPS))
        if not (one and two and three):
            return
        alike, last_alike = (self._alike(cup, cup + 1, emptied) for cup in range(CUPS - 1))
        most_b, most_c = two[0][1], three[0][1]
        for a, rank_a, drink_a in one:
            if rank_a + most_b + most_c + end(a) < best[0][0] - ROUNDING:
                continue
            for b, rank_b, drink_b in two:
                both, rank = a + b, rank_a + rank_b
                if both not in reachable or (alike and b < a):
                    continue
                if drink_a == drink_b >= 0 and drink_a not in many:
                    continue
                # more tokens never make the ending better
                most = rank + end(both)
                for c, rank_c, drink_c in three:
                    if most + rank_c < best[0][0] - ROUNDING:
                        break
                    hand = both + c
                    if hand not in reachable or (last_alike and c < b):
                        continue
                    if drink_c >= 0 and drink_c in (drink_a, drink_b) and drink_c not in many:
                        continue
                    total = rank + rank_c + end(hand)
                    if total >= best[0][0]:
                        heappushpop(best, (total, emptied, (a, b, c), endings))

    def _reachable(
        self, cup: int, is_emptied: bool, reachable: Mapping[int, int]
    ) -> list[_Filling]:
        """Return the tokens that can be poured into a cup, the best rank first."""
        if (cup, is_emptied) not in self._sorted:
            fillings = self._fillings(cup, is_emptied)
            self._sorted[cup, is_emptied] = sorted(fillings, key=itemgetter(1), reverse=True)
        return [filling for filling in self._sorted[cup, is_emptied] if filling[0] in reachable]

    def _alike(self, cup: int, other: int, emptied: Cups) -> bool:
        """Return whether two cups can be swapped."""
        return self._cups[cup] == self._cups[other] and (cup in emptied) == (other in emptied)

    def _fillings(self, cup: int, is_emptied: bool) -> list[_Filling]:
        """Return the tokens that may be poured into a cup; an emptied one must get something.

        A cup with a part of an open order is emptied only for a whole order.
        """
        base = 0 if is_emptied else self._cups[cup]
        whole = is_emptied and self._is_useful(cup)
        best: dict[int, _Filling] = {} if is_emptied else {0: (0, 0.0, -1)}
        for drink, recipe in self._recipe.items():
            if not within(base, recipe):
                continue
            for added in (recipe,) if whole else parts(recipe - base):
                rank = self._rank(drink, recipe, base + added)
                if added == 0 and not is_emptied:
                    best[0] = (0, max(rank, best[0][1]), -1)
                elif added and (added not in best or best[added][1] < rank):
                    best[added] = (added, rank, drink)
        return list(best.values())

    def _rank(self, drink: int, recipe: int, contents: int) -> float:
        slot = self._slot[drink]
        served = SERVE_RANK[slot] + SPECIALTY_RANK * self._state.menu.specialty[drink]
        if contents == recipe:
            return served
        return PROGRESS_RANK[slot] * served * size(contents) / size(recipe)


# Sample States that are consistent with a View (determinization)
#
# What others picked up between two turns of a seat need not be counted: what is neither in the
# supply nor the seat's own is in their cups. With two players that is all there is to know; with
# more, only who of them has which token is a guess.


def sample_state(view: View, seed: int, likely: bool = False) -> State:
    """Return a State whose View for the same reader is `view`; hidden parts are random by `seed`.

    The order of the deck, the cards in the piles, and other players' cups and hidden hand are drawn
    at random from what the public counts leave (R-COMP-5). The State has nothing to undo.

    Args:
        view: of a seat or a spectator.
        seed: for the hidden parts.
        likely: whether a token goes into a cup where an open order needs it, if there is one.
    """
    chance = Random(seed)
    hand, cups = _tokens(view, chance, likely)
    deck, piles = _cards(view, chance)
    players = tuple(
        Player(
            orders=player.orders,
            meeples=player.meeples,
            cups=cups[seat],
            completed=piles[seat][0],
            penalties=piles[seat][1],
            rush=player.rush,
            upgrades=sum(active << index for index, active in enumerate(player.upgrades)),
        )
        for seat, player in enumerate(view.players)
    )
    return State(
        menu=menu_of(view.menu),
        players=players,
        deck=deck,
        supply=pack(view.supply),
        rush=view.rush_supply,
        discards=view.discards,
        removed=view.removed,
        start=view.start,
        active=view.active,
        phase=view.phase,
        standing=_standing(view),
        round=view.round,
        closed=view.closed,
        hand=hand,
        path=view.path,
        meeple=None if view.meeple is None else view.meeple - 1,
        served=view.served,
    )


def _standing(view: View) -> int:
    moving = (view.active, view.meeple)
    return sum(
        1 << cell
        for seat, player in enumerate(view.players)
        for index, cell in enumerate(player.meeples, start=1)
        if (seat, index) != moving
    )


def _tokens(view: View, chance: Random, likely: bool) -> tuple[int, list[tuple[int, int, int]]]:
    """Return the hand and everybody's cups, packed."""
    own = view.own
    cups = [[0, 0, 0] for _ in view.players]
    hand = None if view.hand is None else pack(view.hand)
    if own is not None:
        cups[own.seat] = [pack(cup) for cup in own.cups]
        if own.seat == view.active:
            hand = pack(own.hand)
    known = pack(view.supply) + (hand or 0) + sum(sum(three) for three in cups)
    hidden = shuffled(kinds(pack(SUPPLY) - known), chance)
    if hand is None:
        # a hand has at least one token in phase `pouring`, and at most two in `filling`
        most = len(hidden) if view.phase is Phase.POURING else min(2, len(hidden))
        least = 1 if view.phase is Phase.POURING else 0
        taken = least + int(chance.random() * (most - least + 1))
        hand, hidden = sum(ONE[kind] for kind in hidden[:taken]), hidden[taken:]
    others = [seat for seat in range(len(cups)) if own is None or seat != own.seat]
    recipes = [_recipes(view, seat) if likely else [] for seat in range(len(cups))]
    places = [(seat, cup) for seat in others for cup in range(CUPS)]
    for kind in hidden:
        fitting = [
            (seat, cup)
            for seat, cup in places
            if any(within(cups[seat][cup] + ONE[kind], recipe) for recipe in recipes[seat])
        ]
        among = fitting or places
        seat, cup = among[int(chance.random() * len(among))]
        cups[seat][cup] += ONE[kind]
    return hand, [(first, two, three) for first, two, three in cups]


def _recipes(view: View, seat: int) -> list[int]:
    """Return the packed recipes of a seat's open orders."""
    return [pack(view.menu[drink].recipe) for slot in view.players[seat].orders for drink in slot]


def _cards(view: View, chance: Random) -> tuple[Cards, list[tuple[Cards, Cards]]]:
    """Return the deck, and for each seat the completed orders and the penalties."""
    unseen = cards_of(view.menu, None)
    for drink in (*view.discards, *view.removed):
        unseen.remove(drink)
    for player in view.players:
        for drink in (drink for slot in player.orders for drink in slot):
            unseen.remove(drink)
    pool = iter(shuffled(unseen, chance))
    piles = [
        (tuple(islice(pool, player.completed)), tuple(islice(pool, player.penalties)))
        for player in view.players
    ]
    return tuple(pool), piles
