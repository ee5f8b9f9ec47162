"""Awards at the end of a game, each for what is true of one player's game alone. Pure."""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import Final, TypeAlias

from msgspec import Struct

from protocol import COMPLETED_PER_UPGRADE, CUPS, PENALTIES_TO_CLOSE, Seat, Tally, View

from .i18n import N_, _, ngettext

COMEBACK: Final = 2
"""The least points behind after a round from which a winner came back."""
STRETCH: Final = 3
"""How many rounds are the start of a game, or its finish; it has both if it is twice as long."""
FEW_POINTS: Final = 2
"""The most points by which a victory is narrowly missed."""


class For(Enum):
    """What an award is for."""

    COMEBACK = auto()
    """The winner was so many points behind after a round."""
    ALWAYS_AHEAD = auto()
    """The winner was ahead of everybody after every round."""
    FULL_TURN = auto()
    """Alone served with every cup in one turn."""
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
    LED = auto()
    """Was alone ahead after most rounds."""
    FINISH = auto()
    """Gained most points in the last rounds."""
    START = auto()
    """Had most points after the first rounds."""
    FIRST = auto()
    """Was the first with points, after this round."""


class Award(Struct, frozen=True):
    """A player's award, with the number that belongs to it."""

    what: For
    count: int = 0
    spent: int = 0
    """How many of the orders served were discarded for upgrades, so that they are not scored."""


Merits: TypeAlias = dict[Seat, int]
"""Who deserves an award, best first, and the number of each."""


def awards(view: View, tallies: Sequence[Tally]) -> tuple[Award | None, ...]:
    """Return the award of each seat of a game that is over; None for who was the best at nothing.

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
    return tuple(found.get(seat) for seat in range(len(view.players)))


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
    best = [standing.seat for standing in view.standings if standing.rank == 1]
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
    return _best_turn(tallies, CUPS)


def _best_turn(tallies: Sequence[Tally], least: int) -> Merits:
    return _most({seat: tally.best_served for seat, tally in enumerate(tallies)}, least)


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
    """Yield who alone was just behind the winners, with the points missing, if they are few."""
    best = view.standings[0].score
    losers = [standing for standing in view.standings if standing.rank > 1]
    nearest = [loser for loser in losers if loser.score == losers[0].score]
    if len(nearest) == 1 and best - nearest[0].score <= FEW_POINTS:
        yield nearest[0].seat, best - nearest[0].score


def _by_round(view: View, tallies: Sequence[Tally]) -> dict[Seat, tuple[int, ...]]:
    """Return the scores after each round; of a longer game, the first rounds are not known."""
    scores = {seat: tally.scores for seat, tally in enumerate(tallies)}
    return {seat: own for seat, own in scores.items() if len(own) == view.round}


def _best_round(view: View, tallies: Sequence[Tally]) -> Merits:
    return _most(
        {
            seat: max(after - before for before, after in pairwise((0, *scores)))
            for seat, scores in _by_round(view, tallies).items()
        },
        2,
    )


def _led(view: View, tallies: Sequence[Tally]) -> Merits:
    return _most(
        {seat: sum(lead > 0 for lead in _leads(seat, tallies)) for seat in _by_round(view, tallies)}
    )


def _stretch(view: View, tallies: Sequence[Tally], rounds: slice) -> Merits:
    """Return who gained most in the first rounds, or the last ones."""
    known = _by_round(view, tallies) if view.round >= 2 * STRETCH else {}
    return _most(
        {
            seat: sum(after - before for before, after in [*pairwise((0, *scores))][rounds])
            for seat, scores in known.items()
        }
    )


def _first(view: View, tallies: Sequence[Tally]) -> Merits:
    rounds = {
        seat: -next(number for number, score in enumerate(scores, 1) if score > 0)
        for seat, scores in _by_round(view, tallies).items()
        if max(scores) > 0
    }
    return {seat: -number for seat, number in _most(rounds, -view.round).items()}


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
    For.BEST_TURN: lambda view, tallies: _best_turn(tallies, 2),
    For.LEVEL: lambda view, tallies: {s: count for s, count in _behind(view) if not count},
    For.NEARLY: lambda view, tallies: {s: count for s, count in _behind(view) if count},
    For.FEWEST_PENALTIES: lambda view, tallies: _few_penalties(view),
    For.BEST_ROUND: _best_round,
    For.RUSH: lambda view, tallies: _most(
        {seat: player.rush for seat, player in enumerate(view.players)}
    ),
    For.LED: _led,
    For.FINISH: lambda view, tallies: _stretch(view, tallies, slice(-STRETCH, None)),
    For.START: lambda view, tallies: _stretch(view, tallies, slice(STRETCH)),
    For.FIRST: _first,
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
    For.LED: N_("most rounds in the lead: {count}"),
    For.FINISH: N_("strongest finish: +{count}"),
    For.START: N_("strongest start: +{count}"),
    For.FIRST: N_("first to score: round {count}"),
}


def award_text(award: Award, brief: bool = False) -> str:
    """Return what an award is for, in a few words; if `brief`, in as few as the others.

    Orders discarded for upgrades are named, as the standings count only the others.
    """
    count = str(award.count)
    if award.what in (For.FULL_TURN, For.BEST_TURN):
        text = ngettext("{count} order in one turn", "{count} orders in one turn", award.count)
    elif award.spent and not brief:
        text = _("most orders served: {count} ({spent} for upgrades)")
    else:
        text = _(_TEXTS[award.what])
        count = f"{award.count - award.spent}+{award.spent}" if award.spent else count
    return text.format(count=count, spent=award.spent)
