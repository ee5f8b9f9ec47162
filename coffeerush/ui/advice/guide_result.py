"""The end of the first-game guide: who won and why, what to try next time, and where to go on."""

from collections.abc import Iterator
from typing import Final

from coffeerush.client.model import Model
from coffeerush.levels import kind_now
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import and_list, orders, penalties, seat_name, upgrades
from protocol import COMPLETED_PER_UPGRADE, PENALTIES_TO_CLOSE, PlayerView, Seat, View

from .guide_lessons import (
    Progress,
    Sentences,
    closing_reason,
    emptying_rule,
    penalty_rule,
    rush_rule,
    specialty_rule,
    upgrade_rule,
)

MANY_PENALTIES: Final = 5
"""More than in most games of the best bots, which let some orders expire on purpose."""
MANY_TOKENS: Final = 3


def result(model: Model, view: View, progress: Progress, plain: bool) -> Sentences:
    """Explain the result of a game to one of its players."""
    seat = model.played
    if seat is None or not view.standings:
        return
    me = view.players[seat]
    yield _points(me)
    yield from _decided(model, view, seat)
    yield _ended(model, view)
    if advice := _next_time(model, me, view, seat):
        yield advice
    if missed := [*_missed(me, progress, plain)]:
        lines = (_("This did not come up:"), *missed)
        yield from lines if plain else (" ".join(lines),)
    yield from _where_to_go_on(model, seat)


def _points(me: PlayerView) -> str:
    text = ngettext(
        "Your {count} point: {orders} (+1 each), {upgrades} (+2 each), {penalties} (-1 each).",
        "Your {count} points: {orders} (+1 each), {upgrades} (+2 each), {penalties} (-1 each).",
        me.score,
    )
    return text.format(
        count=me.score,
        orders=orders(me.completed),
        upgrades=upgrades(sum(me.upgrades)),
        penalties=penalties(me.penalties),
    )


def _decided(model: Model, view: View, seat: int) -> Sentences:
    """Say what put the winner ahead: of the next player, or of this one."""
    best = [standing.seat for standing in view.standings if standing.rank == 1]
    if seat in best and len(best) > 1:
        names = and_list(seat_name(model, winner) for winner in best if winner != seat)
        yield _("You share the victory with {names}: all that counts is equal.").format(names=names)
        return
    if seat in best:
        other = view.standings[1].seat
        text = _("What put you ahead of {name}: {reasons}.")
        reasons = _reasons(view.players[seat], view.players[other])
    else:
        other = best[0]
        text = _("What put {name} ahead of you: {reasons}.")
        reasons = _reasons(view.players[other], view.players[seat])
    yield text.format(name=seat_name(model, other), reasons=and_list(reasons))


def _reasons(ahead: PlayerView, behind: PlayerView) -> Iterator[str]:
    """Yield what one player has more of, or the tie-breaker that decided (R-END-2, R-END-3)."""
    if ahead.score == behind.score:
        if ahead.completed > behind.completed:
            yield _("more completed orders, with equal points")
        else:
            yield _("more rush tokens, with equal points and orders")
        return
    if (more := ahead.completed - behind.completed) > 0:
        yield ngettext("{count} more order", "{count} more orders", more).format(count=more)
    if (more := sum(ahead.upgrades) - sum(behind.upgrades)) > 0:
        yield ngettext("{count} more upgrade", "{count} more upgrades", more).format(count=more)
    if (fewer := behind.penalties - ahead.penalties) > 0:
        yield ngettext("{count} fewer penalty", "{count} fewer penalties", fewer).format(
            count=fewer
        )


def _ended(model: Model, view: View) -> str:
    match closing_reason(model, view):
        case "deck":
            return _("The game ended because the deck ran out.")
        case "penalties":
            text = _("The game ended because somebody had {count} penalties or more.")
            return text.format(count=PENALTIES_TO_CLOSE)
    return _("The game ended because nobody had an order left.")


def _next_time(model: Model, me: PlayerView, view: View, seat: Seat) -> str:
    """Return the advice that would have helped most; "" if nothing is left to learn here."""
    if me.penalties >= MANY_PENALTIES:
        return _("Next time, serve the orders in slots 4 and 3 first: that saves penalties.")
    if not any(me.upgrades):
        text = _("Next time, activate an upgrade as soon as you have {count} completed orders.")
        return text.format(count=COMPLETED_PER_UPGRADE)
    won = any(standing.rank == 1 and standing.seat == seat for standing in view.standings)
    if won and _bots(model, seat) == {"casual"}:
        return _("Next time, try stronger bots: Regular plans better, and Expert is hard to beat.")
    if me.rush >= MANY_TOKENS:
        return _("Next time, spend your rush tokens on steps: points count more than tokens.")
    tallies = model.table.tallies if model.table else ()
    if tallies and tallies[seat].best_served == 1:
        return _("Next time, fill two cups in one turn, and serve two orders at once.")
    return ""


def _where_to_go_on(model: Model, seat: Seat) -> Sentences:
    """Say what else there is, to those who have it: guests do not have the program."""
    if model.owner and _bots(model, seat):
        yield _("You can also play with friends: host a table, or join one.")
    if model.record and not model.record.trouble:
        yield _("A replay shows this game again, and reviews your turns.")


def _bots(model: Model, seat: Seat) -> set[str]:
    """Return the kinds of the bots against which this player played; empty if others played."""
    others = [*model.players[:seat], *model.players[seat + 1 :]]
    if any(player.status == "person" for player in others):
        return set()
    return {kind_now(player.bot) for player in others if player.status == "bot"}


def _missed(me: PlayerView, progress: Progress, plain: bool) -> Iterator[str]:
    """Yield the rules of what this player has not met in this game."""
    met = {told.lesson for told in progress.told}
    if not any(me.upgrades):
        yield upgrade_rule()
    if not me.penalties:
        yield penalty_rule()
    if not progress.is_whole:
        return
    if "specialty" not in met:
        yield specialty_rule(plain)
    if "rush" not in met and "rush" not in progress.tried:
        yield rush_rule()
    if "emptying" not in met and "emptying" not in progress.tried:
        yield emptying_rule()
