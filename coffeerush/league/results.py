"""Finished games as the league counts them: who played, and how well; from a record. Pure."""

from collections import Counter
from hashlib import sha256
from typing import Annotated, Final

from msgspec import Meta, Struct

from coffeerush.errors import FieldError
from coffeerush.records.entries import Head, Seated, encode_entry
from coffeerush.records.reading import Record
from coffeerush.records.sharing import shared_head
from coffeerush.records.writing import LATEST
from coffeerush.rules import tallies
from protocol import CUPS, MAX_CARDS, MAX_PLAYERS, MIN_PLAYERS, EndTurn, Seat, Standing

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
    rank: Annotated[int, Meta(ge=1, le=MAX_PLAYERS)]
    win: Annotated[float, Meta(ge=0, le=1)]
    """The share of the victory: 1 for the only winner, 0.5 for each of two (R-END-3)."""
    score: Annotated[int, Meta(ge=-MAX_CARDS, le=MAX_CARDS)]
    best_turn: Annotated[int, Meta(ge=0, le=CUPS)]
    """The most orders served in one turn."""


class LeagueGame(Struct, frozen=True):
    """The result of one game."""

    id: str
    """A one-way hash of the head as guests have it: all copies of a record are one game."""
    begun: Annotated[float, Meta(ge=0, le=LATEST)]
    """When the game began, as a Unix time."""
    seats: tuple[LeagueSeat, ...]
    """Without those that count for nobody, since a bot played most of the game for the person."""
    absent: tuple[str, ...] = ()
    """The ids of these people."""

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= len(self.seats) + len(self.absent) <= MAX_PLAYERS:
            raise FieldError("the number of seats does not match the number of players")


def league_game(record: Record, begun: float) -> LeagueGame | None:
    """Return the result of the game in a record; None while it is not over."""
    if record.end is None:
        return None
    best = [tally.best_served for tally in tallies(record.states())]
    winners = sum(one.rank == 1 for one in record.end.standings)
    head, absent = shared_head(record.head), _absent(record)
    seats = {
        one.seat: _league_seat(head, one, winners, best[one.seat]) for one in record.end.standings
    }
    return LeagueGame(
        game_id(head),
        begun,
        tuple(one for seat, one in seats.items() if seat not in absent),
        tuple(one.player for seat, one in seats.items() if seat in absent),
    )


def _absent(record: Record) -> set[Seat]:
    """Return the seats of people who were kicked, or moved in fewer than half of their turns."""
    turns, own, moved = Counter[Seat](), Counter[Seat](), set[Seat]()
    for move, is_stand_in in zip(record.moves, record.stand_ins(), strict=True):
        if not is_stand_in:
            moved.add(move.seat)
        if isinstance(move.intent, EndTurn):
            turns[move.seat] += 1
            own[move.seat] += move.seat in moved
            moved.discard(move.seat)
    kicked = {one.seat for one in record.removals if one.seat is not None}
    return kicked | {seat for seat, count in turns.items() if 2 * own[seat] < count}


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
