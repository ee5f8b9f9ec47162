"""Records of finished games, for the tests of several rooms."""

from collections.abc import Sequence
from functools import cache
from random import Random

from coffeerush.bots import RegularBot
from coffeerush.records.entries import End, Entry, Head, Move, Seated, encode_entry
from coffeerush.rules import Setup, advance, deal, standard_deck, standings, view_for
from protocol import Undo

NAMES = ("Ann", "Bob", "Cid", "Dee")
KEY = "k" * 40


def head_of(
    players: int = 2, seed: int = 7, starters: bool = False, people: int | None = None
) -> Head:
    """Return the head of a game in which the last seat is a bot's, or all after `people`."""
    people = players - 1 if people is None else people
    seats = tuple(Seated(name, key=KEY) for name in NAMES[:people])
    bots = (Seated("Regular", bot="regular"),) * (players - people)
    return Head(
        table="Café at six",
        game=3,
        setup=Setup(players, standard_deck(), seed, starters),
        seats=(*seats, *bots),
    )


def play(head: Head) -> list[Head | Move | End]:
    """Return a whole game of regular bots that sometimes undo."""
    return [*_played(head)]


@cache
def _played(head: Head) -> tuple[Head | Move | End, ...]:
    chance = Random(head.setup.seed)
    bot = RegularBot()
    entries: list[Head | Move | End] = [head]
    state = deal(head.setup)
    while (seat := state.active) is not None:
        intent = bot.choose(view_for(state, seat), chance)
        if state.previous is not None and chance.random() < 0.05:
            intent = Undo()
        entries.append(Move(len(entries), seat, intent, KEY, chance.randbytes(16)))
        state = advance(state, intent)
    return (*entries, End(standings(state)))


def lines(entries: Sequence[Entry]) -> bytes:
    """Return entries as the bytes of a file."""
    return b"".join(map(encode_entry, entries))
