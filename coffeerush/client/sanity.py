"""Validate a host's messages: check that their fields are consistent with each other.

The codec validates each field by itself. All code behind this check relies on every seat being at
the table, every drink on the menu and every option referring to things that exist.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, pairwise

from coffeerush.errors import LinkError
from coffeerush.rules.board import NEAR
from protocol import (
    Event,
    GameStarted,
    Option,
    OwnView,
    Phase,
    PlaceMeeple,
    Pour,
    Serve,
    Step,
    TableView,
    Upgrade,
    View,
)

from .model import Model, tellable
from .turn import have_tokens


class ImpossibleError(LinkError):
    """The host's messages contradict each other, the game's components or the protocol."""


def impossible(field: str) -> ImpossibleError:
    """Return the error for a field that cannot be right."""
    return ImpossibleError(
        "The host sent impossible data ({field}); its version may differ from this "
        "program's: update both.",
        field=field,
    )


def check(model: Model) -> None:
    """Raise `ImpossibleError` if no real table could look like the model."""
    wrong = next(_wrong(model), None)
    if wrong is not None:
        raise impossible(wrong)


def _wrong(model: Model) -> Iterator[str]:
    """Yield the names of inconsistent fields."""
    if any(
        len(summary.scores) > len(summary.seats)
        for summary in model.tables
        if summary.stage == "game"
    ):
        yield "tables"
    table, view = model.table, model.view
    if table is None:
        return
    seats = range(len(table.seats))
    if not _seated(seats, (model.seat, table.owner, table.next_game.first)):
        yield "seat"
    if view is not None:
        yield from _wrong_view(table, view)
    if view is not None and view.own is not None:
        yield from _wrong_own(model, view, view.own)
    if not all(_is_consistent(event, table, view) for event in tellable(model)):
        yield "events"


def _seated(seats: range, numbers: Iterable[int | None]) -> bool:
    return all(seat is None or seat in seats for seat in numbers)


def _wrong_view(table: TableView, view: View) -> Iterator[str]:
    """Yield the public fields that are inconsistent."""
    count = len(view.players)
    if count > len(table.seats) or (table.stage == "game" and count != len(table.seats)):
        yield "players"
    if not _seated(range(count), (view.start, view.active)):
        yield "active"
    if not view.round and view.phase not in (Phase.PLACING, Phase.FILLING, Phase.OVER):
        yield "round"
    if len({drink.recipe for drink in view.menu}) < len(view.menu):
        yield "menu"
    ranked = sorted(standing.seat for standing in view.standings)
    if (ranked or table.stage == "result") and ranked != list(range(count)):
        yield "standings"
    lengths = {len(tally.scores) for tally in table.tallies}
    if len(table.tallies) not in (0, count) or len(lengths) > 1:
        yield "tallies"
    if not _cards_exist(view):
        yield "orders"
    yield from _wrong_places(view)


def _cards_exist(view: View) -> bool:
    """Return whether all visible cards can come from the deck."""
    slots = chain.from_iterable(player.orders for player in view.players)
    seen = Counter(chain(view.discards, view.removed, *slots))
    return all(
        drink < len(view.menu) and count <= view.menu[drink].count for drink, count in seen.items()
    )


def _wrong_places(view: View) -> Iterator[str]:
    """Yield the fields about meeples and the turn's path that are inconsistent."""
    far = any(there not in NEAR[True][here] for here, there in pairwise(view.path))
    if far or (view.meeple is None) != (not view.path):
        yield "path"
    if view.active is None or view.active >= len(view.players):
        return
    if view.phase is not Phase.PLACING and not all(player.meeples for player in view.players):
        yield "meeples"
    meeples = view.players[view.active].meeples
    if view.meeple is None:
        return
    if view.meeple > len(meeples):
        yield "meeples"
    elif meeples[view.meeple - 1] != view.path[-1]:
        yield "path"


def _wrong_own(model: Model, view: View, own: OwnView) -> Iterator[str]:
    """Yield the private fields that are inconsistent; while behind, they have no options."""
    # after a game, who played it may have stood up since, or sat down elsewhere
    is_other = own.seat != model.seat and view.phase is not Phase.OVER
    if is_other or own.seat >= len(view.players):
        yield "own"
    elif own.options and (view.active != own.seat or not _is_consistent_own(view, own)):
        yield "options"


def _is_consistent_own(view: View, own: OwnView) -> bool:
    """Return whether hand, cups and options refer to existing things; the host checks legality."""
    if not have_tokens(view, own) or view.phase is Phase.OVER:
        return False
    return all(_refers_to_existing(view, own, option) for option in own.options)


def _refers_to_existing(view: View, own: OwnView, option: Option) -> bool:
    player = view.players[own.seat]
    match option.intent:
        case PlaceMeeple():
            return view.phase is Phase.PLACING
        case Step(meeple=meeple, cell=cell):
            near = NEAR[player.upgrades[Upgrade.DIAGONAL_MOVE]]
            return any(cell in near[here] for here in player.meeples[meeple - 1 : meeple])
        case Pour(ingredient=kind):
            return own.hand[kind] > 0
        case Serve(slot=slot):
            return option.order in player.orders[slot - 1]
    return True


def _is_consistent(event: Event, table: TableView, view: View | None) -> bool:
    """Return whether an event refers to existing seats and drinks."""
    if isinstance(event, GameStarted):
        return event.start < len(event.seats) == len(event.old_seats)
    seat, drink = _highest(event)
    return seat < len(table.seats) and drink < (len(view.menu) if view is not None else 0)


@lru_cache(maxsize=1024)  # the latest events are looked at again with each message
def _highest(event: Event) -> tuple[int, int]:
    """Return the highest seat and drink that an event refers to; -1 if it refers to none."""
    seats = (getattr(event, "seat", None), *getattr(event, "winners", ()))
    drinks = (
        *getattr(event, "drinks", ()),
        *getattr(event, "discarded", ()),
        getattr(event, "drink", None),
    )
    return (
        max((seat for seat in seats if seat is not None), default=-1),
        max((drink for drink in drinks if drink is not None), default=-1),
    )
