"""The lines of the start menu, place by place: labels, values, and what they open."""

from collections.abc import Callable
from typing import Final

from coffeerush.client.model import Role
from coffeerush.joining.code import spoken_code
from coffeerush.joining.nearby import FoundTable
from coffeerush.local.own_tables import OwnTable
from coffeerush.ui.terminal.parts import BARE_COLUMNS
from coffeerush.ui.words.i18n import _, language, pgettext
from coffeerush.ui.words.names import and_list, item_list

from .forms import FIRST_BOTS, host_lines, play_lines
from .state import (
    CHOOSING,
    Home,
    Join,
    Line,
    MenuPage,
    Play,
    Quit,
    Recorded,
    ShowReplay,
    Unfinished,
)

DIGITS: Final = "123456789"
QUITS: Final = "0"
"""The digit of the last line of the menu, whatever lines are above it."""
EXAMPLE: Final = "apple-tiger-moon"


def lines_of(home: Home) -> tuple[Line, ...]:
    """Return the lines of the current place; at least one."""
    return _LINES[home.place](home)


def row_with(home: Home, key: str) -> int | None:
    """Return the row of the line that a digit or letter opens; None if there is none."""
    lines = lines_of(home)
    with_digits = [row for row, line in enumerate(lines) if not line.letter]
    if key in DIGITS:
        return dict(zip(DIGITS, with_digits, strict=False)).get(key)
    return next((row for row, line in enumerate(lines) if line.letter == key), None)


def is_typing(home: Home) -> bool:
    """Return whether characters go to a text field."""
    return bool(lines_of(home)[home.row].typed) or home.place in CHOOSING


def title_of(home: Home) -> str:
    """Return the title of the current place; "" for the menu itself."""
    if home.place == "code" and home.wanted:
        names = {one.address: one.table for one in home.found}
        address = home.wanted.address
        return _("Code for {table}").format(table=names.get(address, address))
    if home.place == "career" and home.league:
        from coffeerush.ui.words.league import league_names

        return league_names(home.league)[home.league.careers[home.career].entry.id]
    return {
        "menu": "",
        "play": _("Play against bots"),
        "host": _("Host a table"),
        "join": _("Join a table"),
        "watch": _("Watch a game"),
        "records": _("Replay a finished game"),
        "league": _("House league"),
    }[home.place]


def _menu(home: Home) -> tuple[Line, ...]:
    """Return the lines of the menu, as many as there are digits.

    What is there only sometimes has a letter: all others keep their digits.
    """
    own, game = home.own, home.unfinished
    return (
        *((_own(own),) if own else ()),
        *((_unfinished(game, home.page.size[0]),) if game else ()),
        Line(
            _("Play against bots"),
            about=_("A table on this machine, with one to three bots."),
            opens="play",
        ),
        Line(
            _("First game, with a guide"),
            about=_("A whole game against two bots, with a guide that says what to do and why."),
            errand=Play(FIRST_BOTS, True, 0, guide=True),
        ),
        Line(
            _("Host a table"),
            about=_(
                "A table that others on your network can join, with this program or, if "
                "you allow guests, with a browser."
            ),
            opens="host",
        ),
        Line(
            _("Join a table"),
            about=_("Take a seat at a table that somebody on your network is hosting."),
            opens="join",
        ),
        Line(
            _("Watch a game"),
            about=_("Follow a game at somebody's table, without taking a seat."),
            opens="watch",
        ),
        Line(
            _("Replay a finished game"),
            about=_("Step through a game that you played or watched."),
            opens="records",
        ),
        Line(
            _("House league"),
            about=_("Results and ratings of everybody in your finished games."),
            opens="league",
        ),
        _settings(home),
        Line(_("Rules"), about=_("The complete rules, on a few pages."), page="rules"),
        Line(pgettext("menu", "Quit"), about=_("Quit the program."), errand=Quit()),
    )


def _settings(home: Home) -> Line:
    about = _("Language, colours, mouse, speed, name. Saved in {path}.").format(path=home.kept_in)
    return Line(_("Settings"), about=about, page="settings")


def _own(table: OwnTable) -> Line:
    """Return the line that leads back to a table that the person has left open."""
    about = _("Your table is still open; you come back as its owner.")
    label, errand = _("Back to your table"), Join(table.address, "player")
    return Line(label, table.table, about, errand=errand, letter="b")


def _unfinished(game: Unfinished, columns: int) -> Line:
    """Return the line that continues a game, and in a first game also the guide."""
    texts = {"names": and_list(game.others), "date": game.left, "table": game.table}
    if game.errand.alone:
        label = _("Continue your game")
        about = _("Against {names}; last played on {date}.")
    else:
        label = _("Reopen your table")
        about = _(
            "{table}, with {names}; last played on {date}. They come back by themselves, "
            "without the code."
        )
    value = _("round {number}").format(number=game.round)
    if game.port and not game.errand.alone:
        port = _("port {port}").format(port=game.port)
        value = _(", ").join((value, port)) if columns >= BARE_COLUMNS else port
    return Line(label, value, about.format_map(texts), errand=game.errand, letter="c")


def _join(home: Home) -> tuple[Line, ...]:
    """Return the address field, recently joined addresses, and other tables found."""
    role: Final = "player" if home.place == "join" else "spectator"
    about = _("Such as 192.168.0.12 or cafe.local:47830; the host's screen shows it.")
    if home.looking and not home.found:
        about = _(
            "Tables on your network appear here automatically. Or type the address "
            "that a host's screen shows, such as 192.168.0.12."
        )
    typed = home.draft.text
    first = Line(_("Address"), typed, about, errand=Join(typed, role), typed="address")
    found = {one.address: one for one in home.found}
    recent = (
        _found(found.pop(address), role)
        if address in found
        else Line(address, errand=Join(address, role))
        for address in home.settings.recent
    )
    return (first, *recent, *(_found(one, role) for one in found.values()))


def _found(one: FoundTable, role: Role) -> Line:
    """Return the line of a table found in the network."""
    about = (
        _("You need its code, unless you have joined it before.")
        if one.code
        else _("No code is needed: anybody on the network can join.")
    )
    return Line(one.table, one.address, about, errand=Join(one.address, role))


def _code(home: Home) -> tuple[Line, ...]:
    """Return the text field for a table's code."""
    about = _(
        "Three words, such as {example}. The host's screen shows them; you can type "
        "them in any of this program's languages."
    ).format(example=spoken_code(EXAMPLE, language()))
    return (Line(_("Code"), home.draft.text, about, errand=home.wanted, typed="code"),)


def _records(home: Home) -> tuple[Line, ...]:
    if not home.games:
        return (Line(_("You have not finished a game yet."), opens="menu"),)
    return tuple(
        Line(
            one.ended,
            players_line(one),
            errand=ShowReplay(one.path),
            shorter=_shorter(one),
        )
        for one in home.games
    )


def _shorter(game: Recorded) -> tuple[tuple[str, str], ...]:
    """Return a record's day and players, with their scores and without, then without the year."""
    day, names = game.ended.partition(" ")[0], item_list(name for name, _score in game.players)
    return (day, players_line(game)), (day, names), (day.partition("-")[2], names)


def _league(home: Home) -> tuple[Line, ...]:
    from coffeerush.ui.words import league as words

    if home.league is None:
        return (Line(words.reading_text(*home.reading), opens="menu"),)
    if not home.league.careers:
        about = words.skipped_text(home.league) or _(words.LEAGUE_GROWS)
        return (Line(_(words.LEAGUE_EMPTY), about=about, opens="menu"),)
    names, skipped = words.league_names(home.league), words.skipped_text(home.league)
    entries = [one.entry for one in home.league.careers]
    return tuple(
        Line(
            names[one.id],
            words.entry_text(one),
            skipped,
            opens="career",
            shorter=((names[one.id], words.rating_text(one)),),
        )
        for one in entries
    )


def _career(home: Home) -> tuple[Line, ...]:
    from coffeerush.ui.words.league import career_rows, league_names

    assert home.league is not None, "a career is opened from the league"
    career = home.league.careers[home.career]
    return tuple(
        Line(one.label, one.value, shorter=one.shorter)
        for one in career_rows(career, league_names(home.league))
    )


def players_line(game: Recorded) -> str:
    """Return a game's players with their scores, best first."""
    scores = (_("{name}: {score}").format(name=name, score=score) for name, score in game.players)
    return _(", ").join(scores)


_LINES: Final[dict[MenuPage, Callable[[Home], tuple[Line, ...]]]] = {
    "menu": _menu,
    "play": play_lines,
    "host": host_lines,
    "join": _join,
    "watch": _join,
    "code": _code,
    "records": _records,
    "league": _league,
    "career": _career,
}
