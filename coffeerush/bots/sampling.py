"""Sample a State that is consistent with a View (determinization), for bots that search.

What others picked up between two turns of a seat need not be counted: what is neither in the supply
nor the seat's own is in their cups. With two players that is all there is to know; with more, only
who of them has which token is a guess.
"""

from itertools import islice
from random import Random

from coffeerush.rules.board import ONE, kinds, pack, within
from coffeerush.rules.state import Cards, Player, State, cards_of, menu_of, shuffled
from protocol import CUPS, SUPPLY, Phase, View


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
    return hand, [(one, two, three) for one, two, three in cups]


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
