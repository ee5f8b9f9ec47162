"""The house league in words: names in it, its rows, one player, the games of a whole table."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from coffeerush.client.tournament import podium
from coffeerush.levels import is_numbered
from protocol import Seat, SeatView

from .i18n import N_, _, ngettext
from .names import bot_level, bot_mark, decimal, item_list, percent, short_decimal

if TYPE_CHECKING:
    # they would load the rules and the ratings before a table's first frame
    from coffeerush.league.table import (
        Career,
        Evening,
        EveningPlayer,
        EveningTournament,
        HeadToHead,
        League,
        LeagueEntry,
        LeagueGame,
        LeagueSeat,
        OwnRecord,
        TablePlayer,
        Together,
    )
    from protocol import Colour

LEAGUE_EMPTY: Final = N_("You have not finished a game yet.")
LEAGUE_GROWS: Final = N_("Every game that you play or watch to its end counts.")
Names = Mapping[str, str]
"""The names to show, by id."""


def league_names(league: "League") -> dict[str, str]:
    """Return everybody's name by id; namesakes have their id in brackets."""
    entries = [career.entry for career in league.careers]
    levels = Counter(_level(entry.bot) for entry in entries)
    names = {entry.id: _name(entry, levels) for entry in entries}
    count = Counter(names.values())
    return {
        player: f"{name} ({player})" if count[name] > 1 else name for player, name in names.items()
    }


def _name(entry: "LeagueEntry", levels: Mapping[str, int]) -> str:
    """Return a name; of a bot also the version if there are several, and else that it is one."""
    if not entry.bot:
        return entry.name
    level = _level(entry.bot)
    if levels[level] > 1:
        return f"{level} {entry.program}".strip()
    return level + bot_mark(SeatView("bot", level, entry.bot))


def _level(bot: str) -> str:
    level = bot_level(bot)
    return level.rpartition(":")[2] or level


def rating_text(entry: "LeagueEntry") -> str:
    """Return a rating and its uncertainty, such as `1612 ±140`."""
    return f"{entry.rating:.0f} ±{entry.uncertainty:.0f}"


def entry_text(entry: "LeagueEntry") -> str:
    """Return how many games somebody has won, such as `won 7 of 12`."""
    return _won_of(entry)


def _won_of(who: "LeagueEntry | EveningPlayer") -> str:
    text = _("won {won} of {games}").format(won=who.alone, games=who.games)
    return item_list([text, *shared_text(who.shared)])


def shared_text(count: int) -> list[str]:
    """Return how many victories somebody has shared, as a text if there are any."""
    text = ngettext("{count} shared win", "{count} shared wins", count)
    return [text.format(count=count)] if count else []


def order_text() -> str:
    """Return the sentences on what the league is sorted by."""
    return _("Wins over strong players count for more. Players with few games are further down.")


def record_text(record: "OwnRecord", *, brief: bool = False) -> str:
    """Return somebody's results, such as `12 games, 5 won, best turn: 4 orders`.

    A `brief` text lacks the best turn.
    """
    shared = shared_text(record.shared)
    alone = [_("{count} won").format(count=record.alone)] if record.alone or not shared else []
    games = ngettext("{count} game", "{count} games", record.games)
    best = ngettext("best turn: {count} order", "best turn: {count} orders", record.best_turn)
    return item_list(
        (
            games.format(count=record.games),
            *alone,
            *shared,
            *([] if brief else [best.format(count=record.best_turn)]),
        )
    )


def streak_text(entry: "LeagueEntry") -> str:
    """Return the number of games in a row that were won, now and at best."""
    return _("{now} (best: {best})").format(now=entry.streak, best=entry.best_streak)


def skipped_text(league: "League") -> str:
    """Return the sentences on the records that do not count; "" if there are none."""
    unfinished = ngettext(
        "{count} unfinished game does not count.",
        "{count} unfinished games do not count.",
        league.unfinished,
    )
    damaged = ngettext(
        "{count} game record cannot be read.",
        "{count} game records cannot be read.",
        league.damaged,
    )
    counted = (unfinished, league.unfinished), (damaged, league.damaged)
    return " ".join(text.format(count=count) for text, count in counted if count)


def reading_text(done: int, total: int | None) -> str:
    """Return the sentence on how far the records have been read.

    `total` is 0 if unknown, and None while another program is waited for.
    """
    if total is None:
        return _("Another program is using the league. Waiting for it…")
    if not total:
        return _("Reading the game records…")
    return _("Reading the game records: {done} of {total}…").format(done=done, total=total)


class CareerRow(NamedTuple):
    """Something that is known of a player."""

    label: str
    value: str
    colour: "Colour | None" = None
    """Of the person that it is about."""


def career_rows(career: "Career", names: Names) -> tuple[CareerRow, ...]:
    """Return the facts known of a player."""
    entry = career.entry
    served = ngettext("{count} order served", "{count} orders served", entry.best_turn)
    rows = (
        CareerRow(_("Rating"), rating_text(entry)),
        CareerRow(_("Games"), str(entry.games)),
        CareerRow(_("Games won"), percent(entry.wins)),
        CareerRow(_("Points per game"), decimal(entry.points, 1)),
        CareerRow(_("Best turn"), served.format(count=entry.best_turn)),
        CareerRow(_("Won in a row"), streak_text(entry)),
        *(
            CareerRow(_("Against {name}").format(name=names[rival.id]), _against(rival))
            for rival in career.against
        ),
    )
    absent = (CareerRow(_("Games left to a bot"), str(entry.absent)),) if entry.absent else ()
    also = (CareerRow(_("Merged ids"), item_list(entry.also)),) if entry.also else ()
    return (*rows, *absent, *also)


def _against(rival: "HeadToHead") -> str:
    told = _("ahead {ahead}, behind {behind}")
    if rival.level:
        told = _("ahead {ahead}, level {level}, behind {behind}")
    return told.format(ahead=rival.ahead, level=rival.level, behind=rival.behind)


def chart_ends(career: "Career") -> tuple[str, str]:
    """Return the dates of a player's first and last game."""
    first, last = (
        f"{datetime.fromtimestamp(game.begun):%Y-%m-%d}"
        for game in (career.history[0], career.history[-1])
    )
    return first, last


# The latest evening


def evening_title(evening: "Evening") -> str:
    """Return the title of an evening, with its day."""
    begun = datetime.fromtimestamp(evening.games[0].begun)
    return _("Evening of {date}").format(date=f"{begun:%Y-%m-%d}")


class EveningRows(NamedTuple):
    """What is known of an evening."""

    tournaments: tuple[CareerRow, ...]
    players: tuple[CareerRow, ...]
    """How often each won, but for bots that have not: they are only in the results."""
    best: tuple[CareerRow, ...]
    games: tuple[CareerRow, ...]
    """Each result, oldest first."""


def evening_rows(evening: "Evening") -> EveningRows:
    """Return the tournaments, how often each won, what was best, and each result."""
    players = (
        CareerRow(
            f"{_player_name(player)}{_mark(player)}",
            _won_of(player),
            player.colour,
        )
        for player in evening.players
        if player.wins or not player.bot
    )
    streak, served = (
        max(count(player) for player in evening.players) for count in (_streak, _best_turn)
    )
    serving = ngettext("{count} order served", "{count} orders served", served)
    rounds = ngettext("{count} round", "{count} rounds", evening.fastest.rounds)
    best = (
        _best_row(_("Won in a row"), _holders(evening, _streak), str(streak)),
        _best_row(_("Best turn"), _holders(evening, _best_turn), serving.format(count=served)),
        _best_row(
            _("Fastest game"),
            _clock(evening.fastest),
            rounds.format(count=evening.fastest.rounds),
        ),
        *_absent_row(evening),
    )
    several = len({game.table for game in evening.games}) > 1
    return EveningRows(
        (*map(_tournament_row, evening.tournaments),),
        (*players,),
        best,
        tuple(_game_row(game, several) for game in evening.games),
    )


def _absent_row(evening: "Evening") -> Iterator[CareerRow]:
    """Yield who left games to a bot, and when that is so."""
    left = [f"{player.name} {player.absent}" for player in evening.players if player.absent]
    if left:
        why = _("a bot played most of the turns, and the last one")
        yield _best_row(_("Games left to a bot"), why, item_list(left))


def _best_row(label: str, who: str, what: str) -> CareerRow:
    return CareerRow(label, _("{value} ({label})").format(value=what, label=who))


def _tournament_row(tournament: "EveningTournament") -> CareerRow:
    """Return the podium of a tournament and its rounds."""
    text = _("after round {round} of {rounds}")
    after = text.format(round=tournament.finished, rounds=tournament.rounds)
    best, line = podium(tournament.standings), _("{number}. {line}")
    places = item_list(line.format(number=player.place, line=player.name) for player in best)
    return _best_row(_("Tournament"), after, places)


def _clock(game: "LeagueGame") -> str:
    """Return when a game began on its day."""
    return f"{datetime.fromtimestamp(game.begun):%H:%M}"


def _game_row(game: "LeagueGame", several: bool) -> CareerRow:
    """Return when a game began, of `several` tables also where, and its result.

    Who left their place to a bot is marked as one.
    """
    line = _("{name}: {score}")
    played = (
        *((seat, _mark(seat)) for seat in game.seats),
        *((seat, bot_mark(SeatView("bot", seat.name, seat.bot))) for seat in game.absent),
    )
    results = (
        line.format(name=f"{_seat_name(seat)}{mark}", score=seat.score)
        for seat, mark in sorted(played, key=lambda marked: marked[0].rank)
    )
    where = f"{_clock(game)} {game.table}" if several and game.table else _clock(game)
    return CareerRow(where, item_list(results))


def _seat_name(seat: "LeagueSeat") -> str:
    """Return a name; of a bot that the host only numbered, its level: its seat is not known."""
    return _level(seat.bot) if is_numbered(seat.name, seat.bot) else seat.name


def _mark(who: "LeagueSeat | EveningPlayer") -> str:
    return bot_mark(SeatView("bot" if who.bot else "person", who.name, who.bot))


def _streak(player: "EveningPlayer") -> int:
    return player.best_streak


def _best_turn(player: "EveningPlayer") -> int:
    return player.best_turn


def _holders(evening: "Evening", count: Callable[["EveningPlayer"], int]) -> str:
    most = max(map(count, evening.players))
    return item_list(_player_name(player) for player in evening.players if count(player) == most)


def _player_name(player: "EveningPlayer") -> str:
    return _level(player.bot) if player.bot else player.name


# The games of the people at a table


def wins_text(player: "TablePlayer") -> str:
    """Return how many games a player has won, such as `4`, or `3 + 1 shared win`."""
    entry = player.career.entry
    shared = shared_text(entry.shared)
    return " + ".join([*([str(entry.alone)] if entry.alone or not shared else []), *shared])


def wins_number(player: "TablePlayer") -> str:
    """Return that in few cells: `4`, or `3.5` with a shared victory."""
    return short_decimal(player.wins)


def player_called(player: "TablePlayer", name: Callable[[Seat], str]) -> str:
    """Return the name of somebody; `name` names the seats at the table."""
    return name(player.seats[0]) if player.seats else player.career.entry.name


def together_line(together: "Together", name: Callable[[Seat], str]) -> str:
    """Return the sentences about the games that people played together; `name` names a seat."""
    best = sorted(together.everybody, key=lambda person: -person.wins)
    won = item_list(f"{player_called(player, name)} {wins_text(player)}" for player in best)
    text = _("Games together: {games}; won: {wins}.")
    if together.evening:
        text = _("Games this evening: {games}; won: {wins}.")
    text = text.format(games=together.games, wins=won)
    return " ".join(filter(None, (text, left_line(best, name))))


def others_line(others: Iterable["TablePlayer"]) -> str:
    """Return what those have won for whom a table has no line; "" if there are none."""
    won = item_list(f"{player.career.entry.name} {wins_text(player)}" for player in others)
    return _("Others' wins this evening: {wins}.").format(wins=won) if won else ""


def left_line(people: Iterable["TablePlayer"], name: Callable[[Seat], str]) -> str:
    """Return whose games a bot has played for them; "" if nobody's."""
    left = [f"{player_called(player, name)} {player.left}" for player in people if player.left]
    return _("Games left to a bot: {names}.").format(names=item_list(left)) if left else ""


def together_lines(together: "Together", name: Callable[[Seat], str]) -> Iterator[str]:
    """Yield sentences on the games of the people at a table; `name` names a seat."""
    yield together_line(together, name)
    for person in together.everybody:
        entry = person.career.entry
        text = _("{name}: won in a row {streak}, points per game {points}, best turn {best}.")
        yield text.format(
            name=player_called(person, name),
            streak=entry.streak,
            points=decimal(entry.points, 1),
            best=entry.best_turn,
        )
    here = (player for player in together.players if player.seats)
    people_first = sorted(here, key=lambda player: bool(player.career.entry.bot))
    for one, other in combinations(people_first, 2):
        met = one.against(other)
        if met and not one.career.entry.bot:
            names = [item_list(map(name, player.seats)) for player in (one, other)]
            text = _("{name} against {other}: {counts}.")
            yield text.format(name=names[0], other=names[1], counts=_against(met))
