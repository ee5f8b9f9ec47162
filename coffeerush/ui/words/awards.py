"""Awards at the end of a game: one for each player, for what is true of their game alone. Pure."""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import Final, TypeAlias

from msgspec import Struct

from protocol import COMPLETED_PER_UPGRADE, CUPS, PENALTIES_TO_CLOSE, Seat, Tally, View

from .i18n import N_, _, ngettext

COMEBACK: Final = 2
"""The least points behind after a round from which a winner came back."""
FEW_POINTS: Final = 2
"""The most points by which a victory is narrowly missed."""


class For(Enum):
    """What an award is for."""

    COMEBACK = auto()
    """The winner was so many points behind after a round."""
    ALWAYS_AHEAD = auto()
    """The winner was ahead of everybody after every round."""
    FULL_TURN = auto()
    """Served with every cup in one turn."""
    CLOSED = auto()
    """Alone had so many penalties that the game ended."""
    TIE_BREAK = auto()
    """Won with as many points as the second."""
    SERVED_MOST = auto()
    """Served most orders, those discarded for upgrades among them."""
    NO_PENALTY = auto()
    """Alone had no penalty."""
    UPGRADES = auto()
    """Activated most upgrades."""
    BEST_TURN = auto()
    """Served most orders in one turn, and more than one."""
    LEVEL = auto()
    """Had as many points as the winner."""
    NEARLY = auto()
    """Second, so few points behind."""
    FEWEST_PENALTIES = auto()
    BEST_ROUND = auto()
    """Gained most points in one round, and more than one."""
    RUSH = auto()
    """Kept most rush tokens."""
    SERVED = auto()
    """Served so many orders: for those who were the best at nothing."""


class Award(Struct, frozen=True):
    """A player's award, with the number that belongs to it."""

    what: For
    count: int = 0
    spent: int = 0
    """How many of the orders served were discarded for upgrades, so that they are not scored."""


Merits: TypeAlias = dict[Seat, int]
"""Who deserves an award, best first, and the number of each."""


def awards(view: View, tallies: Sequence[Tally]) -> tuple[Award, ...]:
    """Return the award of each seat of a game that is over, alike only if two served as many.

    Args:
        view: of the end, with its standings.
        tallies: by seat; empty if the host sends none.
    """
    found: dict[Seat, Award] = {}
    for what, merits in _KINDS.items():
        for seat, count in merits(view, tallies).items():
            if seat not in found:
                spent = _spent(view, seat) if what is For.SERVED_MOST else 0
                found[seat] = Award(what, count, spent)
                break
    for seat, count in _served(view).items():
        if seat not in found:
            award = Award(For.SERVED, count, _spent(view, seat))
            turn = Award(For.BEST_TURN, tallies[seat].best_served if tallies else 0)
            twice = award in found.values() and turn.count > 1
            known = {award_text(one) for one in found.values()}
            found[seat] = turn if twice and award_text(turn) not in known else award
    return tuple(found[seat] for seat in range(len(view.players)))


def _served(view: View) -> Merits:
    players = enumerate(view.players)
    return {seat: player.completed + _spent(view, seat) for seat, player in players}


def _spent(view: View, seat: Seat) -> int:
    """Return how many orders a seat has discarded for upgrades."""
    return COMPLETED_PER_UPGRADE * sum(view.players[seat].upgrades)


def _most(numbers: Merits, least: int = 1) -> Merits:
    """Return the only one with the highest number, if that is at least `least`."""
    high = max(numbers.values(), default=0)
    best = [seat for seat, number in numbers.items() if number == high]
    return {best[0]: high} if len(best) == 1 and high >= least else {}


def _winner(view: View) -> Seat | None:
    """Return the only winner; None if the victory is shared."""
    best = [one.seat for one in view.standings if one.rank == 1]
    return best[0] if len(best) == 1 else None


def _leads(seat: Seat, tallies: Sequence[Tally]) -> list[int]:
    """Return how far a seat was ahead of the best other one after each round."""
    others = (tally.scores for other, tally in enumerate(tallies) if other != seat)
    best = [max(scores) for scores in zip(*others, strict=True)]
    return [own - high for own, high in zip(tallies[seat].scores, best, strict=True)]


def _comeback(view: View, tallies: Sequence[Tally]) -> Merits:
    seat = _winner(view)
    if seat is None or not tallies:
        return {}
    behind = -min(_leads(seat, tallies))
    return {seat: behind} if behind >= COMEBACK else {}


def _always_ahead(view: View, tallies: Sequence[Tally]) -> Merits:
    seat = _winner(view)
    return {seat: 0} if seat is not None and tallies and min(_leads(seat, tallies)) > 0 else {}


def _full_turn(view: View, tallies: Sequence[Tally]) -> Merits:
    order = [one.seat for one in view.standings] if tallies else []
    return {seat: CUPS for seat in order if tallies[seat].best_served == CUPS}


def _closed(view: View, tallies: Sequence[Tally]) -> Merits:
    players = enumerate(view.players)
    many = {
        seat: player.penalties for seat, player in players if player.penalties >= PENALTIES_TO_CLOSE
    }
    # with cards left, nothing but penalties or the lack of orders ends a game
    return many if len(many) == 1 and view.deck else {}


def _tie_break(view: View, tallies: Sequence[Tally]) -> Merits:
    winner = _winner(view)
    level = {standing.score for standing in view.standings[:2]}
    return {winner: 0} if winner is not None and len(level) == 1 else {}


def _served_most(view: View, tallies: Sequence[Tally]) -> Merits:
    """Return who served most; if they lost a tie, none: their more orders would seem to lose it."""
    most, tied = _most(_served(view)), _tie_break(view, tallies)
    return most if not tied or most.keys() == tied.keys() else {}


def _few_penalties(view: View) -> Merits:
    """Return the only one with the fewest penalties."""
    fewest = _most({seat: -player.penalties for seat, player in enumerate(view.players)}, -999)
    return {seat: -count for seat, count in fewest.items()}


def _no_penalty(view: View, tallies: Sequence[Tally]) -> Merits:
    return {seat: count for seat, count in _few_penalties(view).items() if not count}


def _behind(view: View) -> Iterator[tuple[Seat, int]]:
    """Yield who was just behind the winners, with the points missing, if they are few."""
    best = view.standings[0].score
    losers = [one for one in view.standings if one.rank > 1]
    for one in losers[:1]:
        if best - one.score <= FEW_POINTS:
            yield one.seat, best - one.score


def _best_round(view: View, tallies: Sequence[Tally]) -> Merits:
    gains = {
        seat: max((after - before for before, after in pairwise((0, *tally.scores))), default=0)
        for seat, tally in enumerate(tallies)
        if len(tally.scores) == view.round  # of a longer game, the first rounds are not known
    }
    return _most(gains, 2)


_KINDS: Final[dict[For, Callable[[View, Sequence[Tally]], Merits]]] = {
    For.COMEBACK: _comeback,
    For.ALWAYS_AHEAD: _always_ahead,
    For.FULL_TURN: _full_turn,
    For.CLOSED: _closed,
    For.TIE_BREAK: _tie_break,
    For.SERVED_MOST: _served_most,
    For.NO_PENALTY: _no_penalty,
    For.UPGRADES: lambda view, tallies: _most(
        {seat: sum(player.upgrades) for seat, player in enumerate(view.players)}
    ),
    For.BEST_TURN: lambda view, tallies: _most(
        {seat: tally.best_served for seat, tally in enumerate(tallies)}, 2
    ),
    For.LEVEL: lambda view, tallies: {s: count for s, count in _behind(view) if not count},
    For.NEARLY: lambda view, tallies: {s: count for s, count in _behind(view) if count},
    For.FEWEST_PENALTIES: lambda view, tallies: _few_penalties(view),
    For.BEST_ROUND: _best_round,
    For.RUSH: lambda view, tallies: _most(
        {seat: player.rush for seat, player in enumerate(view.players)}
    ),
}
"""Who deserves each kind; the kinds that are worth most come first."""


_TEXTS: Final = {
    For.COMEBACK: N_("came back from {count} behind"),
    For.ALWAYS_AHEAD: N_("ahead after every round"),
    For.CLOSED: N_("closed the café"),
    For.TIE_BREAK: N_("won the tie-break"),
    For.SERVED_MOST: N_("most orders served: {count}"),
    For.NO_PENALTY: N_("not a single penalty"),
    For.UPGRADES: N_("most upgrades: {count}"),
    For.LEVEL: N_("level with the winner"),
    For.NEARLY: N_("missed victory by {count}"),
    For.FEWEST_PENALTIES: N_("fewest penalties: {count}"),
    For.BEST_ROUND: N_("best round: +{count}"),
    For.RUSH: N_("most rush tokens: {count}"),
    For.SERVED: N_("orders served: {count}"),
}


_TEXTS_OF_SPENT: Final = {
    For.SERVED_MOST: N_("most orders served: {count} ({spent} for upgrades)"),
    For.SERVED: N_("orders served: {count} ({spent} for upgrades)"),
}
"""Longer texts, where some of the orders were discarded for upgrades."""


def award_text(award: Award, brief: bool = False) -> str:
    """Return what an award is for, in a few words; if `brief`, in as few as the others."""
    if award.what in (For.FULL_TURN, For.BEST_TURN):
        text = ngettext("{count} order in one turn", "{count} orders in one turn", award.count)
    elif award.spent and not brief:
        text = _(_TEXTS_OF_SPENT[award.what])
    else:
        text = _(_TEXTS[award.what])
    return text.format(count=award.count, spent=award.spent)
