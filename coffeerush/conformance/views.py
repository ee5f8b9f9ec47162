"""What always holds in a View, by the text of SPEC.md."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from protocol import RUSH_TOKENS, SUPPLY, Event, OwnView, TableView, View

_PRIVATE: Final = ("cup", "ingredient")
"""Fields of events that only the player on the seat may know."""


def public(view: View | None) -> View | None:
    """Return a View as publications show it."""
    return view and replace(view, own=None)


def public_event(event: Event) -> Event:
    """Return an event as publications show it."""
    hidden: dict[str, Any] = {name: None for name in _PRIVATE if hasattr(event, name)}
    return replace(event, **hidden)


def faults(view: View, table: TableView | None = None) -> Iterator[str]:
    """Yield what cannot be in a View, and in the table around it."""
    players = view.players
    held = sum(player.rush for player in players)
    if view.rush_supply + held != RUSH_TOKENS:
        yield f"{view.rush_supply + held} rush tokens instead of {RUSH_TOKENS}"
    piles = (
        *(len(slot) for player in players for slot in player.orders),
        *(player.completed + player.penalties for player in players),
    )
    cards, deck = sum(piles), sum(drink.count for drink in view.menu)
    there = cards + view.deck + len(view.discards) + len(view.removed)
    if there != deck:
        yield f"{there} cards instead of {deck}"
    for seat, player in enumerate(players):
        if player.score != player.completed + 2 * sum(player.upgrades) - player.penalties:
            yield f"seat {seat} has a score of {player.score}"
    if (view.phase == "over") != (view.active is None) or (view.phase == "over") != bool(
        view.standings
    ):
        yield f"phase {view.phase} with active {view.active}"
    if not has_possible_tokens(view, [view.own] if view.own else []):
        yield "more tokens than there are"
    if view.own and view.own.options and view.own.seat != view.active:
        yield "options for a seat that is not active"
    if table and table.stage == "game" and len(table.seats) != len(players):
        yield f"{len(table.seats)} seats, and {len(players)} players"


def has_possible_tokens(view: View, owns: Sequence[OwnView], everything: bool = False) -> bool:
    """Tell whether the tokens of each ingredient come to the game's number, or to less.

    Args:
        view: of a position.
        owns: what seats know in it.
        everything: whether these are all seats, so that the number must be exact.
    """
    own_hand = next((own.hand for own in owns if own.seat == view.active), None)
    hand = own_hand or view.hand or (0,) * len(SUPPLY)
    counts = [view.supply, hand, *(cup for own in owns for cup in own.cups)]
    sums = [sum(kind) for kind in zip(*counts, strict=True)]
    pairs = list(zip(sums, SUPPLY, strict=True))
    return all(found == there if everything else found <= there for found, there in pairs)
