"""The results of the people at a table in all games that they have played together. Pure."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from coffeerush.records.entries import Head
from coffeerush.records.sharing import shared_head
from protocol import Seat

from .merges import merged_into
from .results import LeagueGame, game_id, player_id
from .table import Career, HeadToHead, league_of


class TablePlayer(Struct, frozen=True):
    """Somebody who sat at the table, and their results in the games together."""

    seats: tuple[Seat, ...]
    """Their seats in the latest game; a level of bots may have several."""
    career: Career

    @property
    def wins(self) -> float:
        """The number of victories; a shared one is split equally."""
        return self.career.entry.wins * self.career.entry.games

    def against(self, other: "TablePlayer") -> HeadToHead | None:
        """Return the results against another player; None against oneself."""
        return next((one for one in self.career.against if one.id == other.career.entry.id), None)


class Together(Struct, frozen=True):
    """The games that the people at a table have played together."""

    games: int
    players: tuple[TablePlayer, ...]
    """By seat. Bots only if there is one person."""

    @property
    def people(self) -> tuple[TablePlayer, ...]:
        """The players without the bots."""
        return tuple(one for one in self.players if not one.career.entry.bot)


def games_together(
    games: Iterable[LeagueGame], merges: Mapping[str, str], head: Head
) -> Together | None:
    """Return the results of those who played a game, over all games in which they all played.

    They are the people of that game; somebody alone is compared with the bots.

    Args:
        games: copies of a game count once.
        merges: the id that each merged id belongs to.
        head: of the record of that game.

    Returns:
        None if it is not among the games, if it is their first one, or if nobody played.
    """
    head = shared_head(head)
    known = {game.id: game for game in games}
    if (latest := known.get(game_id(head))) is None:
        return None
    bots = {merged_into(seat.player, merges): bool(seat.bot) for seat in latest.seats}
    here = {player for player, is_bot in bots.items() if not is_bot}
    if not here:
        return None
    here = here if len(here) > 1 else {*bots}
    league = league_of((one for one in known.values() if here <= _players(one, merges)), merges)
    if league.games == 1:
        return None
    careers = {one.entry.id: one for one in league.careers}
    seats: dict[str, tuple[Seat, ...]] = {}
    for seat, one in enumerate(head.seats):
        player = merged_into(player_id(one, head.program), merges)
        seats[player] = (*seats.get(player, ()), seat)
    players = (TablePlayer(seats[one], careers[one]) for one in seats if one in here)
    return Together(league.games, tuple(players))


def _players(game: LeagueGame, merges: Mapping[str, str]) -> set[str]:
    return {merged_into(seat.player, merges) for seat in game.seats}
