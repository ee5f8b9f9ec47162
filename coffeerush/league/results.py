"""Finished games as the league counts them: who played, and how well; from a record. Pure."""

from hashlib import sha256
from typing import Final

from msgspec import Struct

from coffeerush.records.entries import Head, Seated, encode_entry
from coffeerush.records.reading import Record
from coffeerush.records.sharing import shared_head
from coffeerush.rules import tallies
from protocol import Standing

ID_CHARACTERS: Final = 8
"""Of the hexadecimal digits of a hash, as many as people can still type."""


class LeagueSeat(Struct, frozen=True):
    """The result of one seat."""

    player: str
    """A one-way hash of the person's key, or of the bot and its version."""
    name: str
    bot: str
    """The kind of bot, without the folder of its file; empty for a person."""
    program: str
    """The version of coffeerush that the bot is from; empty for a person, or if unknown."""
    rank: int
    win: float
    """The share of the victory: 1 for the only winner, 0.5 for each of two (R-END-3)."""
    score: int
    best_turn: int
    """The most orders served in one turn."""


class LeagueGame(Struct, frozen=True):
    """The result of one game."""

    id: str
    """A one-way hash of the head as guests have it: all copies of a record are one game."""
    begun: float
    """When the game began, as a Unix time."""
    seats: tuple[LeagueSeat, ...]
    """Without those of people who were kicked: a bot finished the game for them."""


def league_game(record: Record, begun: float) -> LeagueGame | None:
    """Return the result of the game in a record; None while it is not over."""
    if record.end is None:
        return None
    kicked = {removal.seat for removal in record.removals}
    best = [tally.best_served for tally in tallies(record.states())]
    winners = sum(one.rank == 1 for one in record.end.standings)
    head = shared_head(record.head)
    seats = (
        _league_seat(head, one, winners, best[one.seat])
        for one in record.end.standings
        if one.seat not in kicked
    )
    return LeagueGame(game_id(head), begun, tuple(seats))


def game_id(head: Head) -> str:
    """Return the id of a game by its head as guests have it."""
    return sha256(encode_entry(head)).hexdigest()


def _league_seat(head: Head, standing: Standing, winners: int, best_turn: int) -> LeagueSeat:
    seated = head.seats[standing.seat]
    return LeagueSeat(
        player=player_id(seated, head.program),
        name=seated.name,
        bot=seated.bot,
        program=head.program if seated.bot else "",
        rank=standing.rank,
        win=(standing.rank == 1) / winners,
        score=standing.score,
        best_turn=best_turn,
    )


def player_id(seated: Seated, program: str) -> str:
    """Return the id of a person by their key, of a bot by its kind and version."""
    if seated.bot:
        return _hashed(f"bot\n{seated.bot}\n{program}")
    return _hashed(f"key\n{seated.key}" if seated.key else f"name\n{seated.name}")


def _hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:ID_CHARACTERS]
