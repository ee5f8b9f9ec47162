"""The end of the first-game guide: what decided the game, and when this player served most."""

from collections.abc import Iterator

from coffeerush.client.model import Model
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import and_list, seat_name
from protocol import PlayerView, Seat, View

from .guide_lessons import Sentences


def result(model: Model, view: View) -> Sentences:
    """Explain the result of a game to one of its players; last, their turn that served most."""
    seat = model.played
    if seat is None or not view.standings:
        return
    yield from _decided(model, view, seat)
    yield from _most_served(model, seat)


def _decided(model: Model, view: View, seat: Seat) -> Sentences:
    """Say what put the winner ahead: of the next player, or of this one."""
    best = [standing.seat for standing in view.standings if standing.rank == 1]
    if seat in best and len(best) > 1:
        names = and_list(seat_name(model, winner) for winner in best if winner != seat)
        yield _("You share the victory with {names}: everything that counts is equal.").format(
            names=names
        )
        return
    if seat in best:
        second = view.standings[1]
        others = [standing.seat for standing in view.standings if standing.rank == second.rank]
        if view.players[seat].score > second.score:
            others = others[:1]  # of equal ones, each may be behind for reasons of their own
        text = _("What put you ahead of {name}: {reasons}.")
        reasons = _reasons(view.players[seat], view.players[second.seat])
    else:
        others = best[:1]
        text = _("What put {name} ahead of you: {reasons}.")
        reasons = _reasons(view.players[best[0]], view.players[seat])
    names = and_list(seat_name(model, other) for other in others)
    yield text.format(name=names, reasons=and_list(reasons))


def _reasons(ahead: PlayerView, behind: PlayerView) -> Iterator[str]:
    """Yield what one player has more of, or the tie-breaker that decided (R-END-2, R-END-3)."""
    if ahead.score == behind.score:
        if ahead.completed > behind.completed:
            yield _("more completed orders, with equal points")
        else:
            yield _("more rush tokens, with equal points and completed orders")
        return
    if (more := ahead.completed - behind.completed) > 0:
        text = ngettext("{count} more completed order", "{count} more completed orders", more)
        yield text.format(count=more)
    if (more := sum(ahead.upgrades) - sum(behind.upgrades)) > 0:
        yield ngettext("{count} more upgrade", "{count} more upgrades", more).format(count=more)
    if (fewer := behind.penalties - ahead.penalties) > 0:
        yield ngettext("{count} fewer penalty", "{count} fewer penalties", fewer).format(
            count=fewer
        )


def _most_served(model: Model, seat: Seat) -> Sentences:
    """Say how many orders this player served in one turn, if nobody else served as many."""
    tallies = model.table.tallies if model.table else ()
    if not tallies:
        return
    own, *others = (tallies[seat], *tallies[:seat], *tallies[seat + 1 :])
    if own.best_served <= max(tally.best_served for tally in others):
        return
    text = ngettext(
        "You served {count} order in one turn, first in round {round}.",
        "You served up to {count} orders in one turn, first in round {round}.",
        own.best_served,
    )
    yield text.format(round=own.best_round, count=own.best_served)
