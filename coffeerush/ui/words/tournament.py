"""The tournament of a host in sentences: how it stands, who sits where, standings, rules."""

from coffeerush.client.model import Model
from coffeerush.client.tournament import LAST_PLACE, UNIT, broken_off, podium
from protocol import TableNumber, TournamentPlayer, TournamentRules, TournamentView

from .i18n import Lines, _, ngettext, pgettext
from .names import (
    and_list,
    bot_level,
    decimal,
    item_list,
    penalties,
    seconds_line,
    short_decimal,
)


def is_on(view: TournamentView | None) -> bool:
    """Return whether there is a tournament that is not over."""
    return view is not None and view.stage != "over"


def tournament_line(model: Model, left: int | None = None) -> str:
    """Return how the tournament stands, "" if there has been none.

    `left` are the seconds until the next round begins by itself, if known better than when the host
    told them.
    """
    view = model.tournament
    if left is None and view is not None:
        left = view.next_round
    match view and view.stage:
        case "entry":
            return _entry_line(model)
        case "round":
            return " ".join(filter(None, (_round_line(model), _leaders_line(model))))
        case "break":
            return _break_line(model, left)
        case "over":
            return _winners_line(model)
    return ""


def _entry_line(model: Model) -> str:
    count = sum(not player.withdrawn for player in _players(model))
    if model.entrant is not None:
        text = ngettext(
            "You are in the tournament; {count} person has entered so far.",
            "You are in the tournament; {count} people have entered so far.",
            count,
        )
    else:
        text = ngettext(
            "A tournament is about to begin; {count} person has entered so far.",
            "A tournament is about to begin; {count} people have entered so far.",
            count,
        )
    return text.format(count=count)


def _round_line(model: Model) -> str:
    """Return the round that is played, unless this person's own game is over."""
    view, own = model.tournament, model.entrant
    assert view is not None, "there is a round"
    numbers = {"round": view.round, "rounds": view.rounds}
    if own is not None and own.sits_out:
        text = _("Round {round} of {rounds}: you sit this one out and get a quarter of a win.")
        return text.format(**numbers)
    return _("Round {round} of {rounds} is being played.").format(**numbers)


def _leaders_line(model: Model) -> str:
    """Return who is ahead at each table where a game of the round is still played."""
    playing = {table.number for table in model.tables if table.stage == "game"}
    at: dict[TableNumber, list[TournamentPlayer]] = {}
    for player in _players(model):
        if player.table in playing:
            at.setdefault(player.table, []).append(player)
    parts = [
        _("{names} ({table})").format(names=names, table=table_name(model, number))
        for number, people in sorted(at.items())
        if (names := _leaders(people))
    ]
    return _("In the lead: {names}.").format(names=item_list(parts)) if parts else ""


def _leaders(people: list[TournamentPlayer]) -> str:
    """Return who is ahead of others at a table; "" if nobody is."""
    ahead = [player.name for player in people if player.leads]
    if not ahead:
        return pgettext("who leads", "a bot")
    return "" if len(ahead) == len(people) > 1 else and_list(ahead)


def _break_line(model: Model, left: int | None) -> str:
    view = model.tournament
    assert view is not None, "there is a round"
    numbers = {"round": view.round, "rounds": view.rounds}
    if left is not None:
        text = _("Round {round} of {rounds} is over. The next one begins in {time}.")
        return text.format(time=f"{left // 60}:{left % 60:02}", **numbers)
    if model.owns_hall:
        return _("Round {round} of {rounds} is over. You begin the next one.").format(**numbers)
    text = _("Round {round} of {rounds} is over. The owner of the first table begins the next one.")
    return text.format(**numbers)


def _winners_line(model: Model) -> str:
    names = [player.name for player in _players(model) if player.place == 1]
    if not names:
        return _("The tournament is over; no round was finished.")
    text = ngettext(
        "The tournament is over. The winner: {names}.",
        "The tournament is over. The winners: {names}.",
        len(names),
    )
    return text.format(names=and_list(names))


def place_line(model: Model) -> str:
    """Return the place of this person in the standings; "" if they have none."""
    own = model.entrant
    if own is None or not own.place:
        return ""
    count = sum(bool(player.place) for player in _players(model))
    return _("Your place: {place} of {count}.").format(place=own.place, count=count)


def seat_line(model: Model) -> str:
    """Return where this person plays in the round, and with whom; "" if nowhere."""
    view, own, called = model.tournament, model.entrant, model.called_to
    if view is None or own is None or called is None:
        return ""
    others = [
        player.name for player in view.players if player.table == own.table and player is not own
    ]
    text = _("Round {round} of {rounds}: you play at {table}, against {names}.")
    return text.format(
        round=view.round,
        rounds=view.rounds,
        table=table_name(model, called[1]),
        names=and_list(others) if others else pgettext("whom one plays against", "bots"),
    )


def tournament_news(before: Model, after: Model, how: str) -> str:
    """Return what has changed in the tournament, in a line; "" for nothing of weight.

    `how` says how to enter, in a sentence.
    """
    was, view = before.tournament, after.tournament
    if view is None:
        return ""
    if was is not None and (was.stage, was.round) == (view.stage, view.round):
        return _own_news(was, after)
    if was is None and view.stage == "over":
        return ""
    line = seat_line(after) or tournament_line(after)
    has_rounds = view.stage == "entry" or (is_on(view) and view.round < view.rounds)
    return f"{line} {how}" if after.entrant is None and has_rounds else line


def _own_news(was: TournamentView, after: Model) -> str:
    """Return whether this person has entered or withdrawn; "" if neither."""
    view = after.tournament
    if view is None or (was.entered is None) is (view.entered is None):
        return ""
    if view.entered is None:
        return _("You have withdrawn from the tournament.")
    if view.stage == "entry":
        return _entry_line(after)
    return _("You will be in the tournament from the next round on.")


def breaking_off_line(model: Model) -> str:
    """Return the question before a round that takes people out of their games; "" for none."""
    names = [table.name for table in broken_off(model)]
    if not names:
        return ""
    text = ngettext(
        "{count} game is still being played: {tables}. Break it off?",
        "{count} games are still being played: {tables}. Break them off?",
        len(names),
    )
    return text.format(count=len(names), tables=item_list(names))


def resting_line(model: Model) -> str:
    """Return who sits out in the round that is played; "" if nobody."""
    view = model.tournament
    names = [player.name for player in _players(model) if player.sits_out]
    if view is None or view.stage != "round" or not names:
        return ""
    return _("Sitting out, for a quarter of a win: {names}").format(names=item_list(names))


def table_name(model: Model, number: TableNumber) -> str:
    """Return the name of a table of the host."""
    found = next((table.name for table in model.tables if table.number == number), "")
    return found or _("table {number}").format(number=number)


# Standings


def standing_titles() -> tuple[str, ...]:
    """Return the titles of the columns of `standing_cells`."""
    return (
        "",
        pgettext("title of a column", "name"),
        pgettext("title of a column", "wins"),
        pgettext("title of a column", "share of points"),
        pgettext("title of a column", "penalties"),
        pgettext("title of a column", "rounds"),
    )


def standing_cells(player: TournamentPlayer) -> tuple[str, ...]:
    """Return place, name, wins, share of points, penalties and rounds; no place before a game."""
    figures = _wins(player), decimal(player.points / UNIT, 2)
    place = str(player.place) if player.place else ""
    return (place, player.name, *figures, str(player.penalties), str(player.rounds))


def standing_lines(model: Model) -> Lines:
    """Return everybody in the tournament, best first: place, figures, and where they are."""
    return tuple(_standing(model, player) for player in _players(model))


def waiting_line(model: Model) -> str:
    """Return who has entered and plays from the next round on; "" if nobody."""
    view = model.tournament
    names = [
        player.name
        for player in _players(model)
        if not (player.place or player.sits_out or player.withdrawn) and player.table is None
    ]
    if not is_on(view) or not names:
        return ""
    text = _("From the next round on: {names}")
    if view and view.stage == "entry":
        text = _("Taking part: {names}")
    return text.format(names=item_list(names))


def best_news(before: Model, after: Model) -> Lines:
    """Return the standings of the best and of this person, if a round has just ended."""
    was, view = before.tournament, after.tournament
    if was is None or view is None or (was.stage, was.round) == (view.stage, view.round):
        return ()
    if view.stage not in ("break", "over"):
        return ()
    return _best_lines(after)


def _best_lines(model: Model) -> Lines:
    view, own = model.tournament, model.entrant
    best = podium(view.players) if view else ()
    others = (own,) if own is not None and own.place and own not in best else ()
    return tuple(_standing(model, player) for player in (*best, *others))


def _standing(model: Model, player: TournamentPlayer) -> str:
    parts = []
    if player.place:
        share = decimal(player.points / UNIT, 2)
        parts += [
            won(player),
            _("share of points: {share}").format(share=share),
            penalties(player.penalties),
        ]
    parts += filter(None, [remark(model, player)])
    text = _("{place}. {name}: {parts}") if player.place else _("{name}: {parts}")
    return text.format(place=player.place, name=player.name, parts=item_list(parts))


def won(player: TournamentPlayer) -> str:
    """Return how many games somebody has won."""
    return _("{count} won").format(count=_wins(player))


def _wins(player: TournamentPlayer) -> str:
    """Return the number of games that somebody has won: `2`, `1.5`, or `0.25`."""
    wins = player.wins / UNIT
    return decimal(wins, 2) if player.wins % (UNIT // 10) else short_decimal(wins)


def remark(model: Model, player: TournamentPlayer) -> str:
    """Return where somebody is in the round, or at the end their award; "" if there is nothing."""
    view = model.tournament
    if player.withdrawn:
        return pgettext("in a tournament", "has withdrawn")
    if view is None or view.stage == "break":
        return ""
    if view.stage == "over":
        return _award(view, player)
    if player.sits_out:
        return pgettext("in a tournament", "sits out")
    if view.stage == "entry" or player.table is None:
        return "" if player.place else pgettext("in a tournament", "has entered")
    is_ahead = player.leads and not all(
        other.leads for other in view.players if other.table == player.table
    )
    text = _("leads at {table}") if is_ahead else _("plays at {table}")
    return text.format(table=table_name(model, player.table))


def _award(view: TournamentView, player: TournamentPlayer) -> str:
    """Return what somebody was best at in a tournament that is over; "" if others were as good."""
    if player.rounds > 1 and player.wins == player.rounds * UNIT:
        return pgettext("in a tournament", "won every game")
    others = [other for other in view.players if other.place and other != player]
    if not player.place or len(others) < LAST_PLACE - 1:
        return ""
    if player.points > max(other.points for other in others):
        return pgettext("in a tournament", "largest share of points")
    if player.rounds == view.round and player.penalties < min(other.penalties for other in others):
        return pgettext("in a tournament", "fewest penalties")
    return ""


def _players(model: Model) -> tuple[TournamentPlayer, ...]:
    return model.tournament.players if model.tournament else ()


# Rules


def rule_lines(view: TournamentView) -> Lines:
    """Return the rules of a tournament: rounds, clock, bots that fill up, break, replay."""
    rules = view.rules
    return (
        _rounds(view),
        seconds_line(rules.turn_seconds),
        _fill(rules),
        _break(rules),
        _("A game that is broken off is played again.")
        if rules.replay
        else _("A game that is broken off counts as it stood."),
    )


def scoring_line() -> str:
    """Return how a tournament is scored."""
    return _(
        "A win counts 1, shared in a tie; then the share of all points at the table "
        "decides, then fewer penalties. Sitting out earns a quarter of both; players "
        "without a game come last."
    )


def _rounds(view: TournamentView) -> str:
    count = view.rules.rounds or view.rounds
    text = ngettext("{count} round.", "{count} rounds.", count)
    if not view.rules.rounds and view.stage == "entry":
        text = ngettext(
            "{count} round, the usual number for that many people.",
            "{count} rounds, the usual number for that many people.",
            count,
        )
    return text.format(count=count)


def _fill(rules: TournamentRules) -> str:
    if rules.fill is None:
        return _("Three or four people play at each table; of five, one sits out.")
    text = _("Bots fill up each table to four players: {level}.")
    return text.format(level=bot_level(rules.fill))


def _break(rules: TournamentRules) -> str:
    seconds = rules.break_seconds
    if not seconds:
        return _("The owner of the first table begins each round.")
    text = ngettext(
        "After a round, the next one begins within {count} second.",
        "After a round, the next one begins within {count} seconds.",
        seconds,
    )
    return text.format(count=seconds)
