"""The start menu: its state, its lines, its forms, and the errands it can end with."""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.joining.code import spoken_code
from coffeerush.joining.nearby import FoundTable
from coffeerush.levels import LEVELS, kind_now
from coffeerush.local.own_tables import OwnTable
from coffeerush.local.settings import Bots, Settings
from coffeerush.table_rules import TableRules
from coffeerush.ui.pages.pages import Mode, Page
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT, Draft, Keymap, bound
from coffeerush.ui.terminal.parts import BARE_COLUMNS
from coffeerush.ui.words.i18n import N_, _, language, ngettext, pgettext
from coffeerush.ui.words.names import and_list, bot_level, item_list
from protocol import MAX_PLAYERS, MIN_PLAYERS

if TYPE_CHECKING:
    from coffeerush.league.table import League


# The keys of the menu


class MenuAction(Enum):
    """An action in the menu."""

    HELP = auto()
    MOVE = auto()
    NUMBER = auto()
    NEXT = auto()
    CHANGE = auto()
    CLOSE = auto()
    RULES = auto()
    SETTINGS = auto()
    LEAVE = auto()


MENU_KEYS: Final = Keymap(
    bound(
        MenuAction.HELP, ("?", "f1"), "?", N_("open or close this help (also F1)"), 11, bare=True
    ),
    bound(
        MenuAction.MOVE,
        ("up", "down", "left", "right", "h", "j", "k", "l", "pageup", "pagedown"),
        N_("arrows"),
        N_("choose an item, and change its value (also h j k l)"),
        6,
        click="",
    ),
    bound(MenuAction.NUMBER, "0123456789", "0-9", N_("open the item with that number")),
    bound(MenuAction.NEXT, (ENTER,), N_("Enter"), N_("open the selected item"), 10),
    bound(MenuAction.CHANGE, (" ",), N_("Space"), N_("change the value of the selected item")),
    bound(MenuAction.CLOSE, (ESCAPE,), N_("Esc"), N_("back to the menu"), 9),
    bound(MenuAction.RULES, ("f2",), "F2", N_("the rules of the game")),
    bound(MenuAction.SETTINGS, ("f3",), "F3", N_("settings: language, colours, mouse, speed …")),
    bound(
        MenuAction.LEAVE,
        ("q", INTERRUPT),
        "q",
        N_("back; in the menu, quit the program (also Ctrl-C)"),
        4,
    ),
)


# The state of the start menu, and the errands it can end with


class Play(Struct, frozen=True):
    """Play against bots on this machine."""

    bots: Bots
    rules: TableRules
    guide: bool = False
    """Whether to show the first-game guide."""


class Host(Struct, frozen=True):
    """Host a table on the LAN."""

    table: str
    seats: int
    bots: Bots
    rules: TableRules
    is_open: bool = False
    """Whether everybody can join without a code."""
    guests: bool = False
    """Whether guests can join without this program."""


class Join(Struct, frozen=True):
    """Join or watch somebody's table."""

    address: str
    """As typed; it can be parsed."""
    role: Role
    code: str = ""
    """The join code, if the person has given one."""


class ShowReplay(Struct, frozen=True):
    """Watch the replay of a finished game."""

    path: str


class Continue(Struct, frozen=True):
    """Go on with a game that was left, or whose host has crashed."""

    path: str
    """Of its record."""
    name: str
    """The one that the person has in the game."""
    alone: bool
    """Whether all others are bots."""


class Quit(Struct, frozen=True):
    """Quit the program."""


Errand: TypeAlias = Play | Host | Join | ShowReplay | Continue | Quit
"""The user's choice, carried out after the menu."""
MenuPage: TypeAlias = Literal[
    "menu", "play", "host", "join", "watch", "code", "records", "league", "career"
]
CHOOSING: Final[tuple[MenuPage, ...]] = ("join", "watch")
"""The places with a list of tables to choose from."""


class Recorded(Struct, frozen=True):
    """A finished game in the list."""

    path: str
    ended: str
    """When it ended, formatted."""
    players: tuple[tuple[str, int], ...]
    """(Name, score) of each player, best first."""


class Unfinished(Struct, frozen=True):
    """A game to continue."""

    errand: Continue
    table: str
    round: int
    others: tuple[str, ...]
    """The names of the other players."""
    left: str
    """When it was left, formatted."""
    port: int = 0
    """The port at which its table opens again; 0 if unknown."""


class Home(Struct, frozen=True):
    """The state of the start menu."""

    page: Page = Page()
    """The open page, the settings, and the size of the terminal."""
    place: MenuPage = "menu"
    root: MenuPage = "menu"
    """The place where going back quits the program."""
    row: int = 0
    """The selected line."""
    draft: Draft = Draft()
    """The address, code or table name being typed."""
    menu_row: int = 0
    """The line of the menu that was opened last."""
    games: tuple[Recorded, ...] = ()
    """The finished games, newest first."""
    unfinished: Unfinished | None = None
    """The person's own latest game, if it is not over."""
    own: OwnTable | None = None
    """The person's own table, if its host still runs."""
    league: "League | None" = None
    """The house league; None until it has been read."""
    reading: tuple[int, int | None] = (0, 0)
    """How many records have been read for the league, and how many there are to read."""
    career: int = 0
    """The rank of the player whose career was opened last, from 0."""
    found: tuple[FoundTable, ...] = ()
    """The tables found in the network, in the order they were found."""
    looking: bool = False
    """Whether the search is still on."""
    wanted: Join | None = None
    """The table whose code is being typed."""
    name: str = ""
    """The person's name at tables."""
    kept_in: str = ""
    """The path of the settings file."""
    notes: tuple[str, ...] = ()
    """Sentences on the last action."""
    wrong: bool = False
    """Whether the notes report a problem."""
    errand: Errand | None = None
    """The chosen errand, which ends the menu."""

    @property
    def settings(self) -> Settings:
        """The person's settings."""
        return self.page.settings


class Line(Struct, frozen=True):
    """A line that can be selected."""

    label: str
    value: str = ""
    about: str = ""
    """A sentence on what it is for."""
    opens: MenuPage | None = None
    page: Mode | None = None
    errand: Errand | None = None
    """What Enter does, if it ends the menu."""
    change: Callable[[int], Settings] | None = None
    """Returns the settings with its value advanced by some steps."""
    typed: Literal["", "table", "address", "code"] = ""
    """The text of its text field, if it has one."""
    shorter: tuple[tuple[str, str], ...] = ()
    """Shorter wordings of label and value, for a narrow terminal."""
    letter: str = ""
    """The key that opens it instead of a digit."""


def draft_of(home: Home, line: Line) -> Draft:
    """Return a text field's draft; a table name changed elsewhere has the cursor at its end.

    In a list of tables characters go to the first line, whichever is selected.
    """
    named = line.typed == "table" and line.value != home.draft.text
    return Draft(line.value) if named else home.draft


def settled(home: Home, settings: Settings) -> Home:
    """Replace the settings."""
    return replace(home, page=replace(home.page, settings=settings))


# The forms of the start menu: play against bots, and host a table on the LAN


FIRST_BOTS: Final = ("casual", "casual")
"""The bots of a first game: with three players, each has one meeple only."""
TURN_SECONDS: Final = (0, 30, 60, 90, 120, 180, 300)
Value = TypeVar("Value")


def play_lines(home: Home) -> tuple[Line, ...]:
    """Return the form to play against bots."""
    own = home.settings
    bots = own.opponents or FIRST_BOTS
    return _form(
        Play(bots, TableRules(own.starters, own.solo_seconds)),
        Line(_("Start the game")),
        Line(
            _("Bots"),
            str(len(bots)),
            change=lambda by: replace(
                own, opponents=_resized(bots, _moved(range(1, MAX_PLAYERS), len(bots), by))
            ),
        ),
        *_bot_lines(bots, lambda number, kind: replace(own, opponents=_put(bots, number, kind))),
        *_common(own, own.solo_seconds, lambda seconds: replace(own, solo_seconds=seconds)),
    )


def host_lines(home: Home) -> tuple[Line, ...]:
    """Return the form to host a table on the LAN."""
    own = home.settings
    bots, rules = own.seated[: own.seats - 1], TableRules(own.starters, own.turn_seconds)
    return _form(
        Host(own.table, own.seats, bots, rules, own.open, own.guests),
        Line(_("Open the table")),
        Line(
            _("Name of the table"),
            own.table,
            _("The name that others see. If left empty: “Coffee Rush”."),
            typed="table",
        ),
        Line(
            _("How to join"),
            pgettext("table", "without a code") if own.open else pgettext("table", "with the code"),
            _("Anybody who can reach this computer over the network can join.")
            if own.open
            else _("Your screen will show the code: three words to tell your friends."),
            change=lambda by: replace(own, open=not own.open),
        ),
        Line(
            _("Seats"),
            str(own.seats),
            change=lambda by: replace(
                own, seats=_moved(range(MIN_PLAYERS, MAX_PLAYERS + 1), own.seats, by)
            ),
        ),
        Line(
            _("Bots"),
            str(len(bots)),
            _("You can also add bots later, at the table."),
            change=lambda by: replace(
                own, seated=_resized(bots, _moved(range(own.seats), len(bots), by))
            ),
        ),
        *_bot_lines(bots, lambda number, kind: replace(own, seated=_put(bots, number, kind))),
        *_common(own, own.turn_seconds, lambda seconds: replace(own, turn_seconds=seconds)),
        Line(
            _("Guests"),
            pgettext("setting", "on") if own.guests else pgettext("setting", "off"),
            _("Whether others can also join with a browser or ssh, with nothing to install."),
            change=lambda by: replace(own, guests=not own.guests),
        ),
    )


def _form(start: Errand, *lines: Line) -> tuple[Line, ...]:
    """Let Enter do the form's errand on each of its lines but a text field, which it ends."""
    return tuple(line if line.typed else replace(line, errand=start) for line in lines)


def _bot_lines(bots: tuple[str, ...], put: Callable[[int, str], Settings]) -> list[Line]:
    """Return one line per bot, to choose its level."""

    def change(number: int) -> Callable[[int], Settings]:
        return lambda by: put(number, _moved(LEVELS, kind_now(bots[number]), by))

    return [
        Line(_("Bot {number}").format(number=number + 1), bot_level(kind), change=change(number))
        for number, kind in enumerate(bots)
    ]


def _common(own: Settings, seconds: int, clocked: Callable[[int], Settings]) -> tuple[Line, ...]:
    """Return the lines of both forms; `clocked` sets the turn clock, which has these `seconds`."""
    return (
        Line(
            _("Starter orders"),
            pgettext("setting", "on") if own.starters else pgettext("setting", "off"),
            _("Each player begins with one of the four easy orders."),
            change=lambda by: replace(own, starters=not own.starters),
        ),
        Line(
            _("Time per turn"),
            _seconds(seconds),
            _("If there is a limit, a bot finishes turns that take longer."),
            change=lambda by: clocked(_moved(TURN_SECONDS, seconds, by)),
        ),
    )


def _seconds(count: int) -> str:
    if not count:
        return pgettext("time", "no limit")
    return ngettext("{count} second", "{count} seconds", count).format(count=count)


def _moved(values: Sequence[Value], now: Value, by: int) -> Value:
    """Advance by `by` values, wrapping around; an unknown value counts as before the first."""
    at = values.index(now) if now in values else -1
    return values[(at + by) % len(values)]


def _resized(bots: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return `count` bots; added ones are like the last."""
    return (bots + (bots[-1:] or ("regular",)) * count)[:count]


def _put(bots: tuple[str, ...], number: int, kind: str) -> tuple[str, ...]:
    return (*bots[:number], kind, *bots[number + 1 :])


# The lines of the start menu, place by place: labels, values, and what they open


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
        names = {found.address: found.table for found in home.found}
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
            errand=Play(FIRST_BOTS, TableRules(starters=True), guide=True),
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
    found = {table.address: table for table in home.found}
    recent = (
        _found(found.pop(address), role)
        if address in found
        else Line(address, errand=Join(address, role))
        for address in home.settings.recent
    )
    return (first, *recent, *(_found(table, role) for table in found.values()))


def _found(table: FoundTable, role: Role) -> Line:
    """Return the line of a table found in the network."""
    about = (
        _("You need its code, unless you have joined it before.")
        if table.code
        else _("No code is needed: anybody on the network can join.")
    )
    return Line(table.table, table.address, about, errand=Join(table.address, role))


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
            game.ended,
            players_line(game),
            errand=ShowReplay(game.path),
            shorter=_shorter(game),
        )
        for game in home.games
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
    entries = [career.entry for career in home.league.careers]
    return tuple(
        Line(
            names[entry.id],
            words.entry_text(entry),
            skipped,
            opens="career",
            shorter=((names[entry.id], words.rating_text(entry)),),
        )
        for entry in entries
    )


def _career(home: Home) -> tuple[Line, ...]:
    from coffeerush.ui.words.league import career_rows, league_names

    assert home.league is not None, "a career is opened from the league"
    career = home.league.careers[home.career]
    return tuple(
        Line(row.label, row.value, shorter=row.shorter)
        for row in career_rows(career, league_names(home.league))
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
