"""The house league: results of games, ratings, merged people, and the table of all players."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import combinations, pairwise
from pathlib import Path
from statistics import fmean
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace
from openskill.models import BradleyTerryFull

from coffeerush.errors import FieldError, LeagueError
from coffeerush.local.files import locked, read_regular, write_atomic
from coffeerush.records.entries import Head, Record, Seated, encode_entry
from coffeerush.records.sharing import shared_head
from coffeerush.records.writing import LATEST
from coffeerush.rules import tallies
from coffeerush.tournament.course import Course
from protocol import CUPS, MAX_CARDS, MAX_PLAYERS, MIN_PLAYERS, Colour, EndTurn, Seat, Standing
from protocol.terms import Round

# Finished games as the league counts them: who played, and how well


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
    colour: Colour | None = None
    """The colour that the person had."""


class LeagueGame(Struct, frozen=True):
    """The result of one game."""

    id: str
    """A one-way hash of the head as guests have it: all copies of a record are one game."""
    begun: Annotated[float, Meta(ge=0, le=LATEST)]
    """When the game began, as a Unix time."""
    seats: tuple[LeagueSeat, ...]
    """Without those that count for nobody, since a bot played most of the game for the person."""
    absent: tuple[LeagueSeat, ...] = ()
    """What the bots in the places of these people have achieved."""
    rounds: Round = 0
    """How many rounds it had."""
    table: str = ""
    """The name of the table."""

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= len(self.seats) + len(self.absent) <= MAX_PLAYERS:
            raise FieldError("the number of seats does not match the number of players")


def league_game(record: Record, begun: float) -> LeagueGame | None:
    """Return the result of the game in a record; None while it is not over."""
    if record.end is None:
        return None
    standings = record.end.standings
    states = [*record.states()]
    best = [tally.best_served for tally in tallies(states)]
    winners = sum(standing.rank == 1 for standing in standings)
    head, absent = shared_head(record.head), _absent(record)
    seats = {
        place.seat: _league_seat(head, place, winners, best[place.seat]) for place in standings
    }
    return LeagueGame(
        _game_id(record),
        begun,
        tuple(player for seat, player in seats.items() if seat not in absent),
        tuple(player for seat, player in seats.items() if seat in absent),
        states[-1].round,
        head.table,
    )


def _absent(record: Record) -> set[Seat]:
    """Return the seats of people who were kicked, or for whom a bot played.

    It did if they moved in fewer than half of their turns, and not in the last one either.
    """
    turns, own, moved = Counter[Seat](), Counter[Seat](), set[Seat]()
    last: dict[Seat, bool] = {}
    for move, is_stand_in in zip(record.moves, record.stand_ins(), strict=True):
        if not is_stand_in:
            moved.add(move.seat)
        if isinstance(move.intent, EndTurn):
            turns[move.seat] += 1
            last[move.seat] = move.seat in moved
            own[move.seat] += last[move.seat]
            moved.discard(move.seat)
    kicked = {removal.seat for removal in record.removals if removal.seat is not None}
    left = {seat for seat, count in turns.items() if 2 * own[seat] < count and not last[seat]}
    return kicked | left


def _game_id(record: Record) -> str:
    """Return the id of a game: of its head as guests have it, and its moves.

    A deal can be played again, as that of the first game with a guide is.
    """
    moves = (encode_entry(replace(move, key="", id=b"")) for move in record.moves)
    return sha256(b"".join([encode_entry(shared_head(record.head)), *moves])).hexdigest()


def _league_seat(head: Head, standing: Standing, winners: int, best_turn: int) -> LeagueSeat:
    seated = head.seats[standing.seat]
    return LeagueSeat(
        player=_player_id(seated, head.program),
        name=seated.name,
        bot=seated.bot,
        program=head.program if seated.bot else "",
        rank=standing.rank,
        win=(standing.rank == 1) / winners,
        score=standing.score,
        best_turn=best_turn,
        colour=seated.colour,
    )


def _player_id(seated: Seated, program: str) -> str:
    """Return the id of a person by their key, of a bot by its kind and version."""
    if seated.bot:
        return _hashed(f"bot\n{seated.bot}\n{program}")
    return key_id(seated.key) if seated.key else _hashed(f"name\n{seated.name}")


def key_id(key: str) -> str:
    """Return the id of the person with a public key."""
    return _hashed(f"key\n{key}")


def _hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:ID_CHARACTERS]


# Ratings after each game, by openskill's Bradley-Terry model for games with several players


# openskill's own proportions, on a scale that begins with 1500 instead of 25
_MEAN: Final = 1500.0
_DEVIATION: Final = _MEAN / 3
_MODEL: Final = BradleyTerryFull(
    mu=_MEAN, sigma=_DEVIATION, beta=_DEVIATION / 2, tau=_DEVIATION / 100
)


class Rating(NamedTuple):
    """A normal distribution of somebody's strength."""

    mean: float = _MEAN
    deviation: float = _DEVIATION


def rated(before: Mapping[str, Rating], result: Sequence[tuple[str, int]]) -> dict[str, Rating]:
    """Return the ratings after a game, of those who played in it.

    Somebody with several seats gets the mean over them, so that three seats of a bot do not count
    three times; a game among seats of one player only, or of nobody, changes nothing.

    Args:
        before: the ratings so far, by player; others have the first one.
        result: the player and the rank of each seat; equal ranks are a tie.
    """
    players = [player for player, _rank in result]
    ratings = {player: before.get(player, Rating()) for player in players}
    if len(ratings) < 2:
        return ratings
    teams = [[_MODEL.create_rating([*ratings[player]])] for player in players]
    after = _MODEL.rate(teams, ranks=[float(rank) for _player, rank in result])
    own = {
        player: [seat for other, [seat] in zip(players, after, strict=True) if other == player]
        for player in ratings
    }
    return {
        player: Rating(fmean(seat.mu for seat in seats), fmean(seat.sigma for seat in seats))
        for player, seats in own.items()
    }


# Which ids are the same person, as the owner says: a file next to the database, never rebuilt


MERGES_FILE: Final = "merges.json"
_MAX_BYTES: Final = 2**20
Merges = dict[str, str]
"""From an id to the one that it belongs to, which may belong to another in turn."""


def merged_into(player: str, merges: Mapping[str, str]) -> str:
    """Return the id that stands for a player in the table."""
    seen = {player}
    while (player := merges.get(player, player)) not in seen:
        seen.add(player)
    return player


def load_merges(directory: Path) -> Merges:
    """Return the merges in the league's directory; raises `LeagueError`."""
    path = directory / MERGES_FILE
    try:
        return msgspec.json.decode(read_regular(path, _MAX_BYTES), type=Merges)
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise LeagueError(
            "{path}, which says which players are the same person, cannot be read: "
            "{reason}. Repair it, or move it elsewhere and merge the players again.",
            path=path,
            reason=error,
        ) from None


def merge(directory: Path, player: str, other: str) -> None:
    """Let the games of `player` count for `other` from now on; raises `LeagueError`."""

    def change(merges: Merges) -> None:
        source, target = merged_into(player, merges), merged_into(other, merges)
        if source != target:
            merges[source] = target

    _change(directory, change)


def unmerge(directory: Path, player: str) -> None:
    """Separate a merged id, with those merged into it, or else everybody merged into a player.

    So the id undoes just the merge that it was given in. Raises `LeagueError`.
    """

    def change(merges: Merges) -> None:
        if merges.pop(player, None) is None:
            for merged in [merged for merged in merges if merged_into(merged, merges) == player]:
                del merges[merged]

    _change(directory, change)


def _change(directory: Path, change: Callable[[Merges], None]) -> None:
    try:
        with locked(directory):
            merges = load_merges(directory)
            change(merges)
            write_atomic(directory / MERGES_FILE, msgspec.json.encode(merges) + b"\n")
    except OSError as error:
        raise LeagueError(
            "{path} cannot be written: {reason}; free some space, or set COFFEERUSH_STATE to a "
            "writable directory.",
            path=directory / MERGES_FILE,
            reason=error,
        ) from None


# The league table, and the career of each player in it, from the results of all games


class LeagueEntry(Struct, frozen=True):
    """A row of the table."""

    id: str
    name: str
    """The person's latest name; empty for a bot."""
    bot: str
    """The kind of bot; empty for a person."""
    program: str
    """The version of coffeerush that the bot is from; empty for a person, or if unknown."""
    rating: float
    uncertainty: float
    """The true rating is within `rating` plus or minus this with a probability of 95%."""
    games: int
    wins: float
    """The share of victories, from 0 to 1; a shared victory is split equally. Like the points, the
    mean over the games of the mean over this player's seats in each."""
    alone: int
    """How many games are won with any seat, and by nobody else."""
    shared: int
    """How many victories are shared."""
    points: float
    """The average score."""
    best_turn: int
    """The most orders served in one turn."""
    streak: int
    """The games won in a row, up to now; a shared victory counts."""
    best_streak: int
    absent: int
    """The games that do not count, since a bot played most of them in this person's place."""
    also: tuple[str, ...]
    """The ids merged into this one."""


class RatedGame(Struct, frozen=True):
    """A player's rating after a game."""

    begun: float
    """When the game began, as a Unix time."""
    rating: float
    uncertainty: float


class HeadToHead(Struct, frozen=True):
    """The results against one opponent, by seats of this opponent."""

    id: str
    ahead: int
    level: int
    behind: int


class Career(Struct, frozen=True):
    """A row of the table, and how it came about."""

    entry: LeagueEntry
    history: tuple[RatedGame, ...]
    """Oldest first."""
    against: tuple[HeadToHead, ...]
    """The opponents met most often come first."""


class League(Struct, frozen=True):
    """The careers of all players, and how many records they come from."""

    careers: tuple[Career, ...]
    """Best first: by the lower end of the interval around the rating."""
    games: int
    unfinished: int
    """The number of records of games that are not over."""
    damaged: int
    """The number of records that cannot be read."""
    evening: "Evening | None" = None
    """The latest evening; None without games."""


class _Played:
    """What somebody has played so far."""

    def __init__(self) -> None:
        self.seats: list[LeagueSeat] = []
        self.wins: list[float] = []
        """The share of the victory in each game, of its seats on average; `points` likewise."""
        self.points: list[float] = []
        self.history: list[RatedGame] = []
        self.streak = self.best_streak = self.alone = self.shared = 0
        self.against: dict[str, list[int]] = {}

    def play(self, seats: list[LeagueSeat], begun: float, rating: Rating) -> None:
        """Add a game, with this player's own seats in it and the rating after it."""
        self.seats += seats
        self.wins.append(fmean(seat.win for seat in seats))
        best = max(seat.win for seat in seats)
        self.alone += best == 1
        self.shared += 0 < best < 1
        self.points.append(fmean(seat.score for seat in seats))
        self.streak = self.streak + 1 if any(seat.win for seat in seats) else 0
        self.best_streak = max(self.streak, self.best_streak)
        self.history.append(RatedGame(begun, rating.mean, 2 * rating.deviation))


def _play(
    played: dict[str, _Played],
    seats: Sequence[tuple[str, LeagueSeat]],
    begun: float,
    ratings: Mapping[str, Rating],
) -> None:
    """Add a game to what its players have played; `seats` has the player of each seat."""
    for player in dict(seats):
        own = [seat for someone, seat in seats if someone == player]
        played.setdefault(player, _Played()).play(own, begun, ratings[player])


def league_of(
    games: Iterable[LeagueGame], merges: Mapping[str, str], unfinished: int = 0, damaged: int = 0
) -> League:
    """Return the league after these games, in the order in which they began.

    Args:
        games: copies of a game count once.
        merges: the id that each merged id belongs to.
        unfinished: the number of records of games that are not over.
        damaged: the number of records that cannot be read.
    """
    played: dict[str, _Played] = {}
    absent: Counter[str] = Counter()
    ratings: dict[str, Rating] = {}
    unique = {game.id: game for game in games}
    for game in sorted(unique.values(), key=lambda game: (game.begun, game.id)):
        seats = [(merged_into(seat.player, merges), seat) for seat in game.seats]
        ratings |= rated(ratings, [(player, seat.rank) for player, seat in seats])
        _play(played, seats, game.begun, ratings)
        _compare(played, seats)
        absent.update({merged_into(seat.player, merges) for seat in game.absent})
    careers = [_career(player, history, absent[player]) for player, history in played.items()]

    def place(career: Career) -> tuple[float, str, str]:
        entry = career.entry
        return entry.uncertainty - entry.rating, entry.name, entry.id

    ranked = tuple(sorted(careers, key=place))
    evening = latest_evening(unique.values(), merges)
    return League(ranked, len(unique), unfinished, damaged, evening)


def _compare(played: dict[str, _Played], seats: list[tuple[str, LeagueSeat]]) -> None:
    """Count who was ahead of whom, for each pair of seats of different players."""
    for (one, seat), (other, theirs) in combinations(seats, 2):
        if one != other:
            order = (seat.rank > theirs.rank) - (seat.rank < theirs.rank)
            played[one].against.setdefault(other, [0, 0, 0])[1 + order] += 1
            played[other].against.setdefault(one, [0, 0, 0])[1 - order] += 1


def _career(player: str, played: _Played, absent: int) -> Career:
    own = [seat for seat in played.seats if seat.player == player]
    latest = own[-1] if own else played.seats[-1]
    last = played.history[-1]
    entry = LeagueEntry(
        id=player,
        name="" if latest.bot else latest.name,
        bot=latest.bot,
        program=latest.program,
        rating=last.rating,
        uncertainty=last.uncertainty,
        games=len(played.history),
        wins=fmean(played.wins),
        alone=played.alone,
        shared=played.shared,
        points=fmean(played.points),
        best_turn=max(seat.best_turn for seat in played.seats),
        streak=played.streak,
        best_streak=played.best_streak,
        absent=absent,
        also=tuple(sorted({seat.player for seat in played.seats} - {player})),
    )
    against = sorted(played.against.items(), key=lambda item: (-sum(item[1]), item[0]))
    return Career(
        entry,
        tuple(played.history),
        tuple(HeadToHead(other, *counts) for other, counts in against),
    )


class OwnRecord(Struct, frozen=True):
    """The results of one person, under all their keys."""

    games: int
    alone: int
    """How many games are won with any seat, and by nobody else."""
    shared: int
    """How many victories are shared."""
    best_turn: int
    """The most orders served in one turn."""


def own_record(league: League, ids: Collection[str]) -> OwnRecord | None:
    """Return the results of the person with these ids; None if they have not finished a game."""
    entries = [career.entry for career in league.careers]
    own = [entry for entry in entries if not {entry.id, *entry.also}.isdisjoint(ids)]
    if not own:
        return None
    return OwnRecord(
        sum(entry.games for entry in own),
        sum(entry.alone for entry in own),
        sum(entry.shared for entry in own),
        max(entry.best_turn for entry in own),
    )


# The latest evening: games that were begun one soon after the other


EVENING_SECONDS: Final = 6 * 3600.0
"""A game that begins later than this after the one before begins another evening."""


class EveningPlayer(Struct, frozen=True):
    """Somebody's results of an evening."""

    id: str
    name: str
    """The latest; empty for a bot."""
    bot: str
    """The kind of bot; empty for a person."""
    colour: Colour | None
    """The latest that the person had."""
    games: int
    absent: int
    """In how many of these games a bot played in this person's place; that counts for them."""
    wins: float
    """The number of victories; a shared one is split equally."""
    alone: int
    """How many games are won with any seat, and by nobody else."""
    shared: int
    """How many victories are shared."""
    best_streak: int
    """The most games won in a row; a shared victory counts."""
    best_turn: int
    """The most orders served in one turn."""
    place: float
    """The place in a game, on average."""


class TournamentPlace(Struct, frozen=True):
    """Somebody's line in the standings of a tournament."""

    place: Annotated[int, Meta(ge=1)]
    """Equal scores share it."""
    id: str
    name: str
    wins: float
    """The number of victories; a shared one is split equally, and sitting out counts 0.25."""
    points: float
    """The shares of all points at the table, added over all games."""
    penalties: int


class EveningTournament(Struct, frozen=True):
    """A tournament as far as it was played in an evening."""

    begun: float
    """When it was announced, as a Unix time."""
    finished: int
    """How many of its rounds are finished, at least one."""
    rounds: int
    """How many there should be."""
    standings: tuple[TournamentPlace, ...]
    """Best first."""


def evening_tournament(
    course: Course, begun: float, merges: Mapping[str, str]
) -> EveningTournament | None:
    """Return the result of a tournament; None if no round of it is finished."""
    if not course.counts:
        return None
    return EveningTournament(
        begun,
        len(course.life.rounds) - bool(course.open),
        course.rounds,
        tuple(
            TournamentPlace(
                line.place,
                merged_into(key_id(line.player), merges),
                course.names[line.player],
                float(line.score.wins),
                float(line.score.points),
                int(line.score.penalties),
            )
            for line in course.standings()
        ),
    )


class Evening(Struct, frozen=True):
    """All games of an evening that count for anybody, and how everybody did."""

    games: tuple[LeagueGame, ...]
    """Oldest first."""
    players: tuple[EveningPlayer, ...]
    """People before bots; most victories first, then the largest share of them, then the best
    places."""
    tournaments: tuple[EveningTournament, ...] = ()
    """Those held on this machine, oldest first."""

    @property
    def fastest(self) -> LeagueGame:
        """The game with the fewest rounds, the first of equal ones."""
        return min(self.games, key=lambda game: game.rounds)

    def has(self, begun: float) -> bool:
        """Return whether a tournament that was announced at a Unix time belongs to it."""
        return self.games[0].begun - EVENING_SECONDS <= begun <= self.games[-1].begun


def _of_latest_evening(games: Iterable[LeagueGame]) -> tuple[LeagueGame, ...]:
    """Return those games of the latest evening that count for anybody, oldest first."""
    counting = [game for game in games if game.seats]
    ordered = sorted(counting, key=lambda game: (game.begun, game.id))
    late = [two[1].begun - two[0].begun > EVENING_SECONDS for two in pairwise(ordered)]
    first = len(late) - late[::-1].index(True) if True in late else 0
    return tuple(ordered[first:])


def latest_evening(games: Iterable[LeagueGame], merges: Mapping[str, str]) -> Evening | None:
    """Return the latest evening of these games, without tournaments; None if there are none."""
    evening = _of_latest_evening(games)
    if not evening:
        return None
    played: dict[str, _Played] = {}
    for game in map(_whole, evening):
        seats = [(merged_into(seat.player, merges), seat) for seat in game.seats]
        _play(played, seats, game.begun, dict.fromkeys(dict(seats), Rating()))
    left = _left(evening, merges)
    players = [_of_evening(player, own, left[player]) for player, own in played.items()]

    def order(player: EveningPlayer) -> tuple[bool, float, float, float, str]:
        share = player.wins / player.games
        return bool(player.bot), -player.wins, -share, player.place, player.id

    return Evening(evening, tuple(sorted(players, key=order)))


def _whole(game: LeagueGame) -> LeagueGame:
    """Return a game as an evening counts it: one that a bot has finished counts as well."""
    return replace(game, seats=(*game.seats, *game.absent), absent=())


def _left(games: Iterable[LeagueGame], merges: Mapping[str, str]) -> Counter[str]:
    """Return how many games each has left to a bot."""
    return Counter(merged_into(seat.player, merges) for game in games for seat in game.absent)


def _of_evening(player: str, played: _Played, absent: int) -> EveningPlayer:
    latest = played.seats[-1]
    return EveningPlayer(
        id=player,
        name="" if latest.bot else latest.name,
        bot=latest.bot,
        colour=latest.colour,
        games=len(played.wins),
        absent=absent,
        wins=sum(played.wins),
        alone=played.alone,
        shared=played.shared,
        best_streak=played.best_streak,
        best_turn=max(seat.best_turn for seat in played.seats),
        place=fmean(seat.rank for seat in played.seats),
    )


# The results of the people at a table in all games that they have played together


class TablePlayer(Struct, frozen=True):
    """Somebody who sat at the table, and their results in the games together."""

    seats: tuple[Seat, ...]
    """Their seats in the latest game; a level of bots may have several. None for who was not in
    it, but in others of the evening."""
    career: Career
    left: int = 0
    """In how many of these games a bot played in their place; that counts for them."""

    @property
    def wins(self) -> float:
        """The number of victories; a shared one is split equally."""
        return self.career.entry.wins * self.career.entry.games

    def against(self, other: "TablePlayer") -> HeadToHead | None:
        """Return the results against another player; None against oneself."""
        rival = other.career.entry.id
        return next((against for against in self.career.against if against.id == rival), None)


class Together(Struct, frozen=True):
    """The games that the people at a table have played together."""

    games: int
    players: tuple[TablePlayer, ...]
    """By seat, then those who were not in the latest game, most victories first. Bots only if
    there is one person."""
    evening: bool = False
    """Whether they are the games of this evening, not all of which have all of these people."""

    @property
    def everybody(self) -> tuple[TablePlayer, ...]:
        """The players without the bots."""
        return tuple(player for player in self.players if not player.career.entry.bot)

    @property
    def people(self) -> tuple[TablePlayer, ...]:
        """Those of them who were in the latest game."""
        return tuple(player for player in self.everybody if player.seats)


def games_together(
    games: Iterable[LeagueGame], merges: Mapping[str, str], record: Record
) -> Together | None:
    """Return the results of those who played a game, over all games in which they all played.

    They are the people of that game; somebody alone is compared with the bots. If others have
    played this evening, it is all games of the evening, of everybody who has played with any of
    them, directly or through others; there, a game that a bot has finished counts as well.

    Args:
        games: copies of a game count once.
        merges: the id that each merged id belongs to.
        record: of that game.

    Returns:
        None if it is not among the games, if it is their first one, or if nobody played.
    """
    head = shared_head(record.head)
    known = {game.id: game for game in games}
    if (latest := known.get(_game_id(record))) is None:
        return None
    bots = {merged_into(seat.player, merges): bool(seat.bot) for seat in latest.seats}
    here = {player for player, is_bot in bots.items() if not is_bot}
    if not here:
        return None
    all_here = here if len(here) > 1 else {*bots}
    chosen = [game for game in known.values() if all_here <= _players(game, merges)]
    tonight = _of_company(_of_latest_evening(known.values()), _people(latest, merges), merges)
    left = Counter[str]()
    if is_evening := any(_at_the_end(game, merges) != here for game in tonight):
        left = _left(tonight, merges)
        chosen = [*map(_whole, tonight)]
    league = league_of(chosen, merges)
    if league.games == 1:
        return None
    careers = {career.entry.id: career for career in league.careers}
    if is_evening:
        careers = {player: career for player, career in careers.items() if not career.entry.bot}
    seats = _seats_in(head, merges)
    found = [player for player in seats if is_evening or player in all_here]
    players = [
        TablePlayer(seats[player], careers[player], left[player])
        for player in found
        if player in careers
    ]
    elsewhere = [
        TablePlayer((), career, left[player])
        for player, career in careers.items()
        if is_evening and player not in seats
    ]
    players += sorted(elsewhere, key=lambda player: (-player.wins, player.career.entry.name))
    return Together(league.games, tuple(players), is_evening)


def _seats_in(head: Head, merges: Mapping[str, str]) -> dict[str, tuple[Seat, ...]]:
    """Return the seats of each player in a game."""
    seats: dict[str, tuple[Seat, ...]] = {}
    for seat, seated in enumerate(head.seats):
        player = merged_into(_player_id(seated, head.program), merges)
        seats[player] = (*seats.get(player, ()), seat)
    return seats


def _of_company(
    games: Iterable[LeagueGame], company: set[str], merges: Mapping[str, str]
) -> list[LeagueGame]:
    """Return the games of two or more people who have played with this company, or its company."""
    people = [(game, _people(game, merges)) for game in games]
    people = [(game, there) for game, there in people if len(there) > 1]
    while (grown := company.union(*(one for _, one in people if one & company))) != company:
        company = grown
    return [game for game, there in people if there & company]


def _at_the_end(game: LeagueGame, merges: Mapping[str, str]) -> set[str]:
    """Return the people who have played a game to its end."""
    return {merged_into(seat.player, merges) for seat in game.seats if not seat.bot}


def _people(game: LeagueGame, merges: Mapping[str, str]) -> set[str]:
    """Return who sat in a game, also those for whom a bot played it."""
    sat = (*game.seats, *game.absent)
    return {merged_into(seat.player, merges) for seat in sat if not seat.bot}


def _players(game: LeagueGame, merges: Mapping[str, str]) -> set[str]:
    return {merged_into(seat.player, merges) for seat in game.seats}
