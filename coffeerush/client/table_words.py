"""What plain mode says around a game: who sits where, whose turn it is, how it ended."""

from coffeerush.client.model import Model
from coffeerush.client.names import (
    item_list,
    orders,
    penalties,
    phase_name,
    seat_name,
    tokens,
    upgrades,
)
from coffeerush.i18n import _, ngettext
from protocol import Seat, SeatView, Standing, TableView, View

Lines = tuple[str, ...]


def lobby_lines(model: Model, before: TableView | None = None) -> Lines:
    """Return who sits where, and what is to be done before a game.

    Args:
        model: at its table.
        before: the table as it was told before; then only what is new is told.
    """
    table = model.table
    if table is None:
        return ()
    if before is not None:
        return _new_lines(model, table, before)
    seats = tuple(_seat(number, seat) for number, seat in enumerate(table.seats))
    return (_("Table {name}:").format(name=table.name), *seats, *_lobby_hint(model, table))


def _new_lines(model: Model, table: TableView, before: TableView) -> Lines:
    changed = tuple(
        _seat(number, seat)
        for number, seat in enumerate(table.seats)
        if seat not in before.seats[number : number + 1]
    )
    hint = _lobby_hint(model, table)
    known = table.stage == "result" or hint == _lobby_hint(model, before)
    return changed if known else (*changed, *hint)


def _seat(number: Seat, seat: SeatView) -> str:
    if seat.status == "open":
        text = _("Seat {number} is open.")
    elif seat.status == "bot":
        text = _("Seat {number}: {name}, a bot.")
    elif seat.away:
        text = _("Seat {number}: {name}, away.")
    elif seat.ready:
        text = _("Seat {number}: {name}, ready.")
    else:
        text = _("Seat {number}: {name}, not ready.")
    return text.format(number=number + 1, name=seat.name)


def _lobby_hint(model: Model, table: TableView) -> Lines:
    if model.seat is None or model.seat >= len(table.seats):
        return ()
    if model.owner:
        if all(seat.status != "open" for seat in table.seats):
            return (_("Type start to begin."),)
        kinds = item_list(table.bots)
        return (
            _("Type start to begin, bot KIND SEAT to seat a bot ({kinds}).").format(kinds=kinds),
        )
    if table.seats[model.seat].ready:
        return (_("You are ready; wait for the others."),)
    return (_("Type ready when you are."),)


def waiting_lines(model: Model) -> Lines:
    """Return what is awaited while the own seat may not act."""
    table, view = model.table, model.view
    if table is None or table.stage == "lobby" or view is None:
        return lobby_lines(model)
    if table.stage == "result":
        return result_lines(model, view)
    if view.active is None or model.my_turn:
        return ()
    name = seat_name(model, view.active)
    text = _("Round {round}, the turn of {name}: {phase}.")
    if not view.round:
        text = _("Setting up, {name}: {phase}.")
    return (text.format(round=view.round, name=name, phase=phase_name(view.phase)),)


def result_lines(model: Model, view: View) -> Lines:
    """Return the result, the best first (R-END-2, R-END-3)."""
    ranks = tuple(_standing(model, view, one) for one in view.standings)
    if model.seat is None:
        return ranks
    if model.owner:
        return (*ranks, _("Type start for another game with everybody who is ready, or leave."))
    return (*ranks, _("Type ready for another game, or leave."))


def _standing(model: Model, view: View, standing: Standing) -> str:
    """Return a place of the result, and what its score is made of."""
    player = view.players[standing.seat]
    text = ngettext(
        "Rank {rank}: {name} with {count} point: {parts}.",
        "Rank {rank}: {name} with {count} points: {parts}.",
        standing.score,
    )
    parts = (
        orders(player.completed),
        upgrades(sum(player.upgrades)),
        penalties(player.penalties),
        tokens(player.rush),
    )
    return text.format(
        rank=standing.rank,
        name=seat_name(model, standing.seat),
        count=standing.score,
        parts=item_list(parts),
    )
