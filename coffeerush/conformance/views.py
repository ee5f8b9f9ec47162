"""What holds in every View, such as the sums of *The game* in SPEC.md."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from protocol import RUSH_TOKENS, SUPPLY, Event, OwnView, View

_PRIVATE: Final = ("cup", "ingredient")
"""Fields of events that only the player on the seat may know."""


def public_event(event: Event) -> Event:
    """Return an event as publications show it."""
    return replace(event, **{name: None for name in _PRIVATE if hasattr(event, name)})


def faults(view: View, owns: Sequence[OwnView]) -> Iterator[str]:
    """Yield what is wrong with a View, of which some or all seats' private parts are known."""
    players, is_over = view.players, view.phase == "over"
    if is_over != (view.active is None) or is_over != bool(view.standings):
        yield f"phase {view.phase} with active {view.active} and {len(view.standings)} standings"
    rush = view.rush_supply + sum(player.rush for player in players)
    if rush != RUSH_TOKENS:
        yield f"{rush} rush tokens instead of {RUSH_TOKENS}"
    orders = sum(len(slot) for player in players for slot in player.orders)
    piles = sum(player.completed + player.penalties for player in players)
    cards = orders + piles + view.deck + len(view.discards) + len(view.removed)
    if cards != (deck := sum(drink.count for drink in view.menu)):
        yield f"{cards} cards instead of {deck}"
    for seat, player in enumerate(players):
        if player.score != player.completed + 2 * sum(player.upgrades) - player.penalties:
            yield f"seat {seat} has a score of {player.score}"
    hand = next((own.hand for own in owns if own.seat == view.active), view.hand)
    counts = [view.supply, hand or (0,) * len(SUPPLY), *(cup for own in owns for cup in own.cups)]
    held = [sum(kind) for kind in zip(*counts, strict=True)]
    if any(map(int.__gt__, held, SUPPLY)) or (len(owns) == len(players) and held != [*SUPPLY]):
        yield f"{held} tokens instead of {SUPPLY}"
