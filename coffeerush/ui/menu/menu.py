"""The start menu: its state, its lines, its forms, and the errands it can end with."""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.joining.nearby import MAX_FOUND, FoundTable
from coffeerush.levels import LEVELS, kind_now
from coffeerush.local.own_tables import OwnTable
from coffeerush.local.settings import Bots, Settings
from coffeerush.table_rules import TURN_SECONDS, TableRules
from coffeerush.ui.pages.form import FormRow, SettingRow, advanced
from coffeerush.ui.pages.pages import Mode, Page
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT, Draft, Keymap, bound
from coffeerush.ui.terminal.parts import BARE_COLUMNS
from coffeerush.ui.words.i18n import N_, _, ngettext, pgettext
from coffeerush.ui.words.names import (
    and_list,
    bot_level,
    hosted_by,
    item_list,
    rotation_name,
    table_heading,
    table_of,
)
from protocol import MAX_PLAYERS, MIN_PLAYERS, Rotation

if TYPE_CHECKING:
    from coffeerush.league.table import League, OwnRecord


# The keys of the menu


class MenuAction(Enum):
    """An action in the menu."""

    HELP = auto()
    MOVE = auto()
    NUMBER = auto()
    NEXT = auto()
    CHANGE = auto()
    WATCH = auto()
    CLOSE = auto()
    NAME = auto()
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
    bound(
        MenuAction.NUMBER, "123456789", "1-9", N_("select the item with that number, and open it")
    ),
    bound(
        MenuAction.NEXT,
        (ENTER,),
        N_("Enter"),
        N_("open the selected item, or change its value"),
        10,
    ),
    bound(MenuAction.CHANGE, (" ",), N_("Space"), N_("change the value of the selected item")),
    bound(MenuAction.WATCH, ("w",), "w", N_("watch the selected table"), 8),
    bound(MenuAction.CLOSE, (ESCAPE,), N_("Esc"), N_("back to the menu"), 9),
    bound(MenuAction.NAME, ("n",), "n", N_("change your name"), 3),
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
    name: str = ""
    """What the person is called there; empty for the present name."""


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
    "menu",
    "name",
    "play",
    "friends",
    "host",
    "join",
    "watch",
    "code",
    "games",
    "records",
    "unfinished",
    "league",
    "evening",
    "career",
]
LEAGUE_PAGES: Final[tuple[MenuPage, ...]] = ("league", "evening")
"""The places that show something from the league, which has to be read for them."""
CHOOSING: Final[tuple[MenuPage, ...]] = ("join", "watch")
"""The places with a field for a table's address, and a list of tables to choose from."""
SEARCHING: Final[tuple[MenuPage, ...]] = ("menu", *CHOOSING)
"""The places that list tables in the network."""
PARENTS: Final[dict[MenuPage, MenuPage]] = {
    **dict.fromkeys(("host", *CHOOSING), "friends"),
    **dict.fromkeys(("records", "league", "evening", "unfinished"), "games"),
    "career": "league",
}
"""Where a place leads back to, unless it is the menu."""


class Recorded(Struct, frozen=True):
    """A finished game in the list."""

    path: str
    begun: str
    """When it began, formatted."""
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
    scores: tuple[int, int] = (0, 0)
    """The person's own score, and the best of the others'."""
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
    more_unfinished: int = 0
    """How many others are not over."""
    listed: tuple[Unfinished, ...] = ()
    """All of them, the one left last first, once their list has been opened."""
    own: OwnTable | None = None
    """The person's own table, if its host still runs, or if it has moved."""
    own_addresses: frozenset[str] = frozenset()
    """The addresses at which that is found in the network."""
    own_record: "OwnRecord | None" = None
    """The person's results; None if there are none, or until they have been counted."""
    league: "League | None" = None
    """The house league; None until it has been read."""
    reading: tuple[int, int | None] = (0, 0)
    """How many records have been read for the league, and how many there are to read."""
    career: int = 0
    """The rank of the player whose career was opened last, from 0."""
    found: tuple[FoundTable, ...] = ()
    """The tables found in the network, in the order they were found."""
    choices: tuple[FoundTable | str, ...] = ()
    """What is listed to choose from: tables, also those that have gone since the list was opened,
    and the addresses of others joined recently. None of them changes its place."""
    looking: bool = False
    """Whether the search is still on."""
    wanted: Join | None = None
    """The table whose code is being typed."""
    asked_from: MenuPage = "menu"
    """The place where that table was chosen."""
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


class Line(FormRow, frozen=True):
    """A line that can be selected."""

    opens: MenuPage | None = None
    page: Mode | None = None
    errand: Errand | None = None
    """What Enter does, if it ends the menu."""
    look: str = "class:name"
    """The style of a line that is only read."""

    @property
    def leads(self) -> bool:
        """Whether there is anything to do with it but to read it."""
        return bool(self.opens or self.page or self.errand or self.change or self.typed)


def settled(home: Home, settings: Settings) -> Home:
    """Replace the settings."""
    return replace(home, page=replace(home.page, settings=settings))


# The forms of the start menu: play against bots, and host a table on the LAN


FIRST_BOTS: Final = ("casual", "casual")
"""The bots of a first game: with three players, each has one meeple only."""


def _seconds(count: int) -> str:
    if not count:
        return pgettext("time", "no limit")
    return ngettext("{count} second", "{count} seconds", count).format(count=count)


_SEATS: Final = SettingRow(
    "seats",
    N_("Seats"),
    N_("How many can play; others can watch, or wait in line for a seat."),
    range(MIN_PLAYERS, MAX_PLAYERS + 1),
    str,
)
_STARTERS: Final = SettingRow(
    "starters",
    N_("Starter orders"),
    N_("Each player begins with one of the four easy orders."),
)
_CLOCK: Final = SettingRow(
    "turn_seconds",
    N_("Time per turn"),
    N_("If there is a limit, a bot finishes turns that take longer."),
    TURN_SECONDS,
    _seconds,
)
_SOLO_CLOCK: Final = replace(_CLOCK, field="solo_seconds")
_ROTATION: Final = SettingRow(
    "rotation",
    N_("Who makes room"),
    values=get_args(Rotation),
    word=rotation_name,
)
_GUESTS: Final = SettingRow(
    "guests",
    N_("Guests"),
    N_("Whether others can also join with a browser or ssh, with nothing to install."),
)


def _play_lines(home: Home) -> tuple[Line, ...]:
    """Return the form to play against bots."""
    own = home.settings
    bots = own.opponents or FIRST_BOTS
    return (
        Line(
            _("Start the game"),
            about=_("A table on this machine, with one to three bots."),
            errand=Play(bots, own.solo_rules),
        ),
        _bots_line(
            own, "opponents", bots, range(1, MAX_PLAYERS), _("How many bots play against you.")
        ),
        Line.of(own, _STARTERS),
        Line.of(own, _SOLO_CLOCK),
        *_level_lines(own, "opponents", bots),
    )


def _host_lines(home: Home) -> tuple[Line, ...]:
    """Return the form to host a table on the LAN."""
    # imported here so that the first frame does not wait for it
    from coffeerush.ui.words.table import rotation_line

    own = home.settings
    bots = own.seated[: own.seats - 1]
    about, called = _("You can also add bots later, at the table."), table_of(home.name)
    return (
        Line(
            _("Open the table"),
            about=_("Your screen shows how others join; you begin the game."),
            errand=Host(own.table, own.seats, bots, own.hosted_rules, own.open, own.guests),
        ),
        Line(
            _("Name of the table"),
            own.table or (called if home.page.size[0] >= BARE_COLUMNS else ""),
            _("The name that others see. If left empty: “{name}”.").format(name=called),
            # a name that was changed elsewhere has the cursor at its end
            draft=home.draft if home.draft.text == own.table else Draft(own.table),
        ),
        Line(
            _("How to join"),
            pgettext("table", "without a code") if own.open else pgettext("table", "with the code"),
            _("Anybody who can reach this computer over the network can join.")
            if own.open
            else _("Your screen will show the code: three words to tell your friends."),
            change=lambda by: replace(own, open=not own.open),
        ),
        Line.of(own, _SEATS),
        _bots_line(own, "seated", bots, range(own.seats), about),
        Line.of(own, _STARTERS),
        Line.of(own, _CLOCK),
        replace(Line.of(own, _ROTATION), about=rotation_line(getattr(own, _ROTATION.field))),
        Line.of(own, _GUESTS),
        *_level_lines(own, "seated", bots),
    )


def _bots_line(own: Settings, field: str, bots: Bots, counts: Sequence[int], about: str) -> Line:
    """Return the line that chooses the number of bots in a field of the settings.

    Added bots are like the last one.
    """

    def count(by: int) -> Settings:
        more = bots[-1:] or ("regular",)
        return replace(
            own, **{field: (bots + more * MAX_PLAYERS)[: advanced(counts, len(bots), by)]}
        )

    return Line(_("Bots"), str(len(bots)), about, count)


def _level_lines(own: Settings, field: str, bots: Bots) -> list[Line]:
    """Return the lines that choose the level of each bot; last, so that they shift no number."""

    def level(number: int, by: int) -> Settings:
        kind = advanced(LEVELS, kind_now(bots[number]), by)
        return replace(own, **{field: (*bots[:number], kind, *bots[number + 1 :])})

    return [
        Line(
            _("Bot {number}").format(number=number + 1),
            bot_level(kind),
            _("How well this bot plays."),
            partial(level, number),
        )
        for number, kind in enumerate(bots)
    ]


# The lines of the start menu, place by place: labels, values, and what they open


DIGITS: Final = "123456789"
MAX_CHOICES: Final = 2 * MAX_FOUND
"""The most tables in a list, with those that have gone."""
MAX_ADDRESS: Final = 280
"""Characters of an address or a code."""


def lines_of(home: Home) -> tuple[Line, ...]:
    """Return the lines of the current place, at least one, each with the key that opens it.

    Those that are only read have none; nor, in the menu, tables nearby: they come and go.
    """
    lines = _LINES[home.place](home)
    fields = 1 if home.place in (*CHOOSING, "code", "name") else 0  # there, digits are typed
    end = entry_count(home, lines)
    digits = iter(DIGITS)
    return (
        *lines[:fields],
        *(
            line if line.key or not line.leads else replace(line, key=next(digits, ""))
            for line in lines[fields:end]
        ),
        *lines[end:],
    )


def entry_count(home: Home, lines: Sequence[Line]) -> int:
    """Return the number of lines before the tables nearby, which are the last ones of the menu."""
    return len(lines) - len(nearby(home)) if home.place == "menu" else len(lines)


def nearby(home: Home) -> tuple[FoundTable, ...]:
    """Return the tables found in the network, without the person's own."""
    return tuple(table for table in home.found if table.address not in home.own_addresses)


def field_of(home: Home, lines: Sequence[Line]) -> Line | None:
    """Return the line that characters go to: in a list of tables the first, else the selected."""
    line = lines[0 if home.place in CHOOSING else home.row]
    return line if line.typed else None


def title_of(home: Home) -> str:
    """Return the title of the current place; "" for the menu itself."""
    if home.place == "code" and home.wanted:
        names = {found.address: table_heading(found.table, found.owner) for found in home.found}
        address = home.wanted.address
        return _("Code for {table}").format(table=names.get(address, address))
    if home.place == "evening" and home.league and home.league.evening:
        from coffeerush.ui.words.league import evening_title

        return evening_title(home.league.evening)
    if home.place == "career" and home.league:
        from coffeerush.ui.words.league import league_names

        return league_names(home.league)[home.league.careers[home.career].entry.id]
    return {
        "menu": "",
        "name": _("Your name"),
        "play": _("Play against bots"),
        "friends": _("Play with friends"),
        "host": _("Host a table"),
        "join": _("Join a table"),
        "watch": _("Watch a game"),
        "games": _("Your games"),
        "records": _("Finished games"),
        "unfinished": _("Continue a game"),
        "league": _("House league"),
        "evening": _("Latest evening"),
    }[home.place]


def _menu(home: Home) -> tuple[Line, ...]:
    """Return the lines of the menu; those that are there only sometimes have a letter."""
    own, game = home.own, home.unfinished
    count = home.more_unfinished + (game is not None)
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
            _("Play with friends"),
            about=_("Host a table, join one, or watch a game on your network."),
            opens="friends",
        ),
        Line(
            _("Your games"),
            _("to continue: {count}").format(count=count) if home.more_unfinished else "",
            _("Replays of finished games, unfinished ones to continue, and the house league."),
            opens="games",
        ),
        _settings(home),
        Line(_("Rules"), about=_("The complete rules, on a few pages."), page="rules"),
        *(_found(home, table, "player") for table in nearby(home)),
    )


def _friends(home: Home) -> tuple[Line, ...]:
    return (
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
    )


def _games(home: Home) -> tuple[Line, ...]:
    return (
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
        Line(
            _("Latest evening"),
            about=_("How often each player won, and all results of the evening."),
            opens="evening",
        ),
        Line(
            _("Continue a game"),
            about=_("Games that you left before they were over."),
            opens="unfinished",
        ),
    )


def _name(home: Home) -> tuple[Line, ...]:
    about = _("The name that others see at a table. If left empty: {name}.")
    if not home.settings.is_introduced:
        about = _("Welcome! What should others call you at a table? If left empty: {name}.")
    line = Line(_("Your name"), home.draft.text, about.format(name=home.name), draft=home.draft)
    return (line,)


def _settings(home: Home) -> Line:
    about = _("Language, colours, mouse, speed, name. Saved in {path}.").format(path=home.kept_in)
    return Line(_("Settings"), about=about, page="settings")


def moved_on(home: Home, errand: Join) -> Join | None:
    """Return how to join a table that another computer had, and that is not there any more.

    It may have moved on since: a table nearby that has its name, if there is one only.
    """
    own = home.own
    if not own or not (own.moved or own.guest) or own.address != errand.address:
        return None
    there = [found.address for found in home.found if found.table == own.table]
    is_known = len(there) == 1 and there != [own.address]
    return replace(errand, address=there[0]) if is_known else None


def _own(table: OwnTable) -> Line:
    """Return the line that leads back to a table of the person's, or one where they had a seat."""
    about = _("Your table is still open; you come back as its owner.")
    if table.moved:
        about = _("Your table is on another computer now.")
    elif table.guest:
        about = _("You come back without the code, to your seat if it is still yours.")
    label, errand = _("Back to your table"), Join(table.address, "player", name=table.name)
    return Line(label, table.table, about, errand=errand, key="b")


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
    if game.errand.alone and columns >= BARE_COLUMNS:
        value = _(", ").join((value, _lead(*game.scores)))
    if game.port and not game.errand.alone:
        port = _("port {port}").format(port=game.port)
        value = _(", ").join((value, port)) if columns >= BARE_COLUMNS else port
    return Line(label, value, about.format_map(texts), errand=game.errand, key="c")


def _lead(own: int, best: int) -> str:
    """Return who is ahead: the person, or the best of the others."""
    text = _("you are tied, {own} to {best}")
    if own != best:
        text = _("you lead {own} to {best}") if own > best else _("you trail {own} to {best}")
    return text.format(own=own, best=best)


def _join(home: Home) -> tuple[Line, ...]:
    """Return the address field, the tables found, and other addresses joined recently."""
    role: Final = "player" if home.place == "join" else "spectator"
    about = _("Such as 192.168.0.12 or cafe.local:47830; the host's screen shows it.")
    if home.looking and not home.found:
        about = _(
            "Tables on your network appear here automatically. Or type the address "
            "that a host's screen shows, such as 192.168.0.12."
        )
    about = " ".join([about, _("The code may follow it, after a space.")])
    there = [choice if isinstance(choice, str) else choice.address for choice in home.choices]
    since = (address for address in home.settings.recent if address not in there)
    return (
        _field(_("Address"), about, home.draft, Join(home.draft.text, role)),
        *(
            Line(choice, errand=Join(choice, role))
            if isinstance(choice, str)
            else _found(home, choice, role)
            for choice in (*home.choices, *since)
        ),
    )


def choices_of(home: Home) -> tuple[FoundTable | str, ...]:
    """Return what is listed first in a place to choose from: what was joined last comes first."""
    recent = home.settings.recent
    found = {table.address: table for table in home.found}
    known = [found.pop(address) for address in recent if address in found]
    there = {table.address for table in known}
    return (*known, *found.values(), *(address for address in recent if address not in there))


def with_choices(home: Home) -> Home:
    """Update what is listed; once there is a table, everything keeps its place."""
    if home.place not in CHOOSING:
        return home
    if all(isinstance(choice, str) for choice in home.choices):
        return replace(home, choices=choices_of(home))
    found = {table.address: table for table in home.found}
    there = [choice if isinstance(choice, str) else choice.address for choice in home.choices]
    kept = dict(zip(there, home.choices, strict=True))
    if len({**kept, **found}) > MAX_CHOICES:  # those that have gone make room
        kept = {at: choice for at, choice in kept.items() if at in found or isinstance(choice, str)}
    return replace(home, choices=tuple({**kept, **found}.values()))


def _field(label: str, about: str, draft: Draft, errand: Join | None) -> Line:
    return Line(label, draft.text, about, draft=draft, longest=MAX_ADDRESS, errand=errand)


def _found(home: Home, table: FoundTable, role: Role) -> Line:
    """Return the line of a table found in the network; its address tells it from one like it."""
    about = _("No code is needed: anybody on the network can join.")
    entry = pgettext("table", "without a code")
    if table not in home.found:
        about, entry = "", pgettext("table", "gone")
        table = replace(table, free=None, round=None)
    elif table.code and table.here:
        # in the list, others at this computer would take it for an open table
        about, entry = _("No code is needed on the host's own computer."), ""
    elif table.code:
        about = _("You need its code, unless you have joined it before.")
        entry = pgettext("table", "code needed")
    label = _called(table)
    listed = {
        choice.address: choice
        for choice in (*home.choices, *home.found)
        if not isinstance(choice, str)
    }
    alike = sum(_called(other) == label for other in listed.values()) > 1
    stage, address = [text] if (text := _stage(table)) else [], [table.address] if alike else []
    return Line(
        label,
        item_list(filter(None, [*stage, *address, entry])),
        f"{about} {table.address}".lstrip(),
        errand=Join(table.address, role),
        shorter=((label, item_list(stage + address)), (label, item_list(address or stage))),
    )


def _called(table: FoundTable) -> str:
    """Return the name of a table, with who hosts it unless it says so."""
    return f"{table.table} ({table.owner})" if hosted_by(table.table, table.owner) else table.table


def _stage(table: FoundTable) -> str:
    """Return whether one can sit down at a table, or how far its game is; "" if that is unknown."""
    if table.round:
        return _("in round {number}").format(number=table.round)
    if table.free is None:
        return ""
    if not table.free:
        return pgettext("table", "full")
    return ngettext("{count} seat free", "{count} seats free", table.free).format(count=table.free)


def _code(home: Home) -> tuple[Line, ...]:
    """Return the text field for a table's code."""
    # imported here so that the first frame does not wait for it
    from coffeerush.ui.words.table import code_help

    return (_field(_("Code"), code_help(), home.draft, home.wanted),)


def _unfinished_games(home: Home) -> tuple[Line, ...]:
    if not home.listed:
        return (Line(_("You have no unfinished game."), opens="games"),)
    lines = (_unfinished(game, home.page.size[0]) for game in home.listed)
    return tuple(
        replace(line, label=game.left, key="", shorter=_without_time(game.left, line.value))
        for game, line in zip(home.listed, lines, strict=True)
    )


def _records(home: Home) -> tuple[Line, ...]:
    if not home.games:
        return (Line(_("You have not finished a game yet."), opens="games"),)
    return tuple(
        Line(
            game.begun,
            _players_line(game),
            errand=ShowReplay(game.path),
            shorter=_shorter(game),
        )
        for game in home.games
    )


def _shorter(game: Recorded) -> tuple[tuple[str, str], ...]:
    """Return a record's day and players, with their scores and without, then without the year."""
    day, names = game.begun.partition(" ")[0], item_list(name for name, _score in game.players)
    return (day, _players_line(game)), *_without_time(game.begun, names)


def _without_time(when: str, value: str) -> tuple[tuple[str, str], ...]:
    """Return a line's day and value, then without the year."""
    day = when.partition(" ")[0]
    return (day, value), (day.partition("-")[2], value)


def _league(home: Home) -> tuple[Line, ...]:
    from coffeerush.ui.words import league as words

    if home.league is None:
        return (Line(words.reading_text(*home.reading), opens="games"),)
    if not home.league.careers:
        about = words.skipped_text(home.league) or _(words.LEAGUE_GROWS)
        return (Line(_(words.LEAGUE_EMPTY), about=about, opens="games"),)
    names = words.league_names(home.league)
    about = f"{words.order_text()} {words.skipped_text(home.league)}".rstrip()
    entries = [career.entry for career in home.league.careers]
    return tuple(
        Line(
            names[entry.id],
            words.entry_text(entry),
            about,
            opens="career",
        )
        for entry in entries
    )


def _evening(home: Home) -> tuple[Line, ...]:
    from coffeerush.ui.words.league import evening_rows

    if home.league is None or home.league.evening is None:
        return _league(home)
    rows = evening_rows(home.league.evening)
    looks = "class:title", "class:name", "class:star", "class:name"
    groups = [
        [
            Line(
                row.label,
                row.value,
                look=look if row.colour is None else f"class:seat{row.colour}",
            )
            for row in group
        ]
        for group, look in zip(rows, looks, strict=True)
        if group
    ]
    return tuple(line for group in groups for line in (*group, Line("")))[:-1]


def _career(home: Home) -> tuple[Line, ...]:
    from coffeerush.ui.words.league import career_rows, league_names

    assert home.league is not None, "a career is opened from the league"
    career = home.league.careers[home.career]
    return tuple(
        Line(row.label, row.value) for row in career_rows(career, league_names(home.league))
    )


def _players_line(game: Recorded) -> str:
    """Return a game's players with their scores, best first."""
    scores = (_("{name}: {score}").format(name=name, score=score) for name, score in game.players)
    return _(", ").join(scores)


_LINES: Final[dict[MenuPage, Callable[[Home], tuple[Line, ...]]]] = {
    "menu": _menu,
    "name": _name,
    "play": _play_lines,
    "friends": _friends,
    "host": _host_lines,
    "join": _join,
    "watch": _join,
    "code": _code,
    "games": _games,
    "records": _records,
    "unfinished": _unfinished_games,
    "league": _league,
    "evening": _evening,
    "career": _career,
}
