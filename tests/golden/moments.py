"""The moments that golden frames show, from real tables of this process, the same each time."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache, partial
from itertools import permutations
from random import Random
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.client import session
from coffeerush.client.keeping import silence
from coffeerush.client.model import Model
from coffeerush.joining.nearby import FoundTable
from coffeerush.league.table import (
    EveningTournament,
    League,
    LeagueGame,
    LeagueSeat,
    OwnRecord,
    TablePlayer,
    Together,
    TournamentPlace,
    league_of,
)
from coffeerush.local.own_tables import OwnTable
from coffeerush.local.settings import Settings
from coffeerush.records.entries import read_record
from coffeerush.ui.menu.draw_menu import draw_home
from coffeerush.ui.menu.menu import Continue, Home, Join, Recorded, Unfinished
from coffeerush.ui.menu.menu_input import asking_for_code, gone_to, with_found
from coffeerush.ui.pages.pages import Mode
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import Replay
from coffeerush.ui.replay.replay_input import REPLAY_HELP, Watch
from coffeerush.ui.table.actions import HELP
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import press
from coffeerush.ui.table.lists import TOURNAMENT_KEY
from coffeerush.ui.table.looking import scene_from
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Canvas, Look
from coffeerush.ui.terminal.keys import TAB
from protocol import (
    NO_ID,
    PROTOCOL_VERSION,
    ActivateUpgrade,
    AddBot,
    Asker,
    BeginRound,
    BeginTournament,
    Chat,
    Enter,
    GetTables,
    Hello,
    LettingIn,
    LookAt,
    Phase,
    Ready,
    Serve,
    SetPause,
    Start,
    TournamentPlayer,
    TournamentRules,
    TournamentView,
    Upgrade,
    View,
)
from tests.support import records
from tests.support.local import LocalLink, LocalTable, acting, invited, recorded

SEED = 11
NAMES = ("Ann", "민준", "Inês")
SETTINGS = Settings(name="Ann", recent=("192.168.0.12:47820", "cafe.local"))
GAMES = (
    Recorded("1.record", "2026-01-31 20:15", (("Inês", 14), ("Ann", 11), ("민준", 6))),
    Recorded("2.record", "2026-01-30 19:40", (("Ann", 9), ("Crema (bot)", 7))),
)
PLAYED = (
    (("Inês", ""), ("Ann", ""), ("b0700b07", "random")),
    (("Ann", ""), ("민준", ""), ("Inês", "")),
    (("Ann", ""), ("Inês", ""), ("민준", "")),
)
"""The players of games on three days, best first: each with the kind of bot."""
TABLES = (
    FoundTable("Kitchen", "192.168.0.12:47830", True),
    FoundTable("민준의 카페", "192.168.0.15", False),
)
NOW = 1000.0
LONG_SECONDS = 60.0
"""How long ago the moment began: no key is too early."""

Painter = Callable[[Ui], Canvas]
"""Draws a moment on a screen of the size and the look of `Ui`, in the language spoken now."""


class Moment(Struct, frozen=True):
    """A moment by its name."""

    name: str
    painter: Painter

    def paint(self, columns: int, rows: int, ascii_only: bool) -> Canvas:
        """Draw it in a size and a look."""
        size, tiles = (columns, rows), not ascii_only
        return self.painter(Ui(size=size, settings=SETTINGS, ascii=ascii_only, tiles=tiles))


@cache
def moments() -> tuple[Moment, ...]:
    """Return all of them, in the order of a game; nothing in them is worded yet."""
    found = dict(played())
    moving = found["moving"]
    tables: dict[str, Painter] = {
        "lobby": _table(_lobby()),
        "how others join": _table(_lobby(), "c"),
        "the next game": _table(_lobby(), "o"),
        "placing": _table(found["placing"]),
        "first turn, guided": _table(found["first turn"], guide=True),
        "upgrade": _table(found["upgrade"], "g"),
        "moving": _table(moving),
        "moving, hint": _table(moving, "i"),
        "pouring": _table(found["pouring"]),
        "serving": _table(found["serving"]),
        "another's turn": _table(found["another's turn"]),
        "chat": _table(found["another's turn"], "t", *"Hello!"),
        "spectator": _table(found["spectator"]),
        "paused": _table(_paused()),
        "a guest asks": _table(_asked(_lobby())),
        "a guest asks, pouring": _table(_asked(found["pouring"])),
        "reconnecting": _table(session.lose(moving)),
        "going on without the host": _table(_silent(found["another's turn"])),
        "the tables, too late for a seat": _table(_in_hall("Dee"), "z"),
        "the tables, in a game": _table(_in_hall("Ann"), "z"),
        "another table, watched": partial(_watched, _in_hall("Ann")),
        "result": _table(found["result"]),
        "another result": _table(again(found["result"])),
        "all games": _table(again(found["result"]), TAB),
        "a tournament": _table(_announced(), TOURNAMENT_KEY),
        "a round of a tournament": _table(_in_round(), TOURNAMENT_KEY),
        "a round is over": _table(_of_five(found["result"], "break")),
        "standings": _table(_of_five(found["result"], "break"), TOURNAMENT_KEY),
        "a tournament is over": _table(_of_five(found["result"], "over"), TOURNAMENT_KEY),
    }
    pages: tuple[Mode, ...] = ("help", "rules", "settings")
    more: dict[str, Painter] = {
        "replay": _replay(),
        "start menu": _home(Home(games=GAMES, looking=True)),
        "start menu, all of it": _home(_home_of_a_regular()),
        "name": _home(gone_to(Home(), "name")),
        "friends": _home(Home(place="friends")),
        "host": _home(Home(place="host")),
        "join": _home(with_found(gone_to(Home(), "join"), TABLES)),
        "code": _home(asking_for_code(Home(), Join(TABLES[0].address, "player"))),
        "records": _home(Home(place="records", games=GAMES)),
        "league": _home(Home(place="league", league=_league())),
        "evening": _home(Home(place="evening", league=_evening())),
        "career": _home(Home(place="career", league=_league(), career=1)),
        **{page: partial(_page, page) for page in pages},
    }
    return tuple(Moment(name, paint) for name, paint in {**tables, **more}.items())


class AtTable(Struct, frozen=True):
    """A moment at a table: the model, and the keys pressed since."""

    model: Model
    keys: tuple[str, ...]
    guide: bool

    def scene(self, ui: Ui) -> Scene:
        """Return what somebody sees, on a screen of the size and the look of `ui`."""
        ui = replace(ui, guide=self.guide)
        ui = apply_update(Model("player", "Ann"), self.model, ui, NOW - LONG_SECONDS)
        ui = replace(ui, met=0)  # she has heard everything
        for key in self.keys:
            ui, _wishes = press(self.model, ui, key, NOW)
        return Scene(self.model, ui)

    def __call__(self, ui: Ui) -> Canvas:
        """Draw it."""
        scene = self.scene(ui)
        return draw(scene.model, scene.ui, *ui.size)


def _table(model: Model, *keys: str, guide: bool = False) -> AtTable:
    return AtTable(model, keys, guide)


def _watched(model: Model, ui: Ui) -> Canvas:
    scene = scene_from(model, ui)
    return draw(scene.model, scene.ui, *ui.size)


def _page(page: Mode, ui: Ui) -> Canvas:
    return draw(Model("player", "Ann"), replace(ui, mode=page, help=HELP), *ui.size)


def _home(home: Home) -> Painter:
    def paint(ui: Ui) -> Canvas:
        page = replace(home.page, size=ui.size, settings=ui.settings)
        return draw_home(
            replace(home, page=page, name="Ann"), *ui.size, Look(ascii=ui.ascii, rich=ui.tiles)
        )

    return paint


def _home_of_a_regular() -> Home:
    """Return the menu of somebody with results, a table, and a game to continue."""
    found = with_found(Home(own_record=OwnRecord(12, 5, 0, 4)), TABLES)
    game = Continue("on.record", "Ann", alone=True)
    waiting = Unfinished(
        game, "Coffee Rush", 6, ("Crema (bot)", "Ibrik (bot)"), "2026-01-31 21:14", (5, 4)
    )
    return replace(found, unfinished=waiting, own=OwnTable("Den", "127.0.0.1", 0.0))


def _league(played: Sequence[Sequence[tuple[str, str]]] = PLAYED) -> League:
    games = [
        LeagueGame(
            id=str(day),
            begun=datetime(2026, 1, day, 20).timestamp(),
            seats=tuple(
                LeagueSeat(name, name, bot, "0.1.0" * bool(bot), rank, rank == 1, 14 - rank, 2)
                for rank, (name, bot) in enumerate(players, start=1)
            ),
            rounds=9,
        )
        for day, players in enumerate(played, start=1)
    ]
    return league_of(games, {}, unfinished=1)


def _evening() -> League:
    """Return a league whose latest evening had a tournament."""
    league = _league()
    assert league.evening is not None
    names = sorted(seat.name for seat in league.evening.games[0].seats)
    standings = tuple(
        TournamentPlace(place, name, name, 3 - place, 0.5, 1)
        for place, name in enumerate(names, start=1)
    )
    held = EveningTournament(league.evening.games[0].begun, 2, 3, standings)
    return replace(league, evening=replace(league.evening, tournaments=(held,)))


def _replay() -> Painter:
    record = read_record(records.lines(records.play(records.head_of(3))))
    replay = Replay(record)

    def paint(ui: Ui) -> Canvas:
        return draw_replay(
            replay,
            Watch(at=replay.last // 2, page=replace(ui, help=REPLAY_HELP, replayed=True)),
            *ui.size,
        )

    return paint


# Tables


def _lobby() -> Model:
    """Return a table with somebody who is not ready, a bot, and an open seat."""
    local = LocalTable(4, ("regular",), seed=SEED)
    ann, minjun = (local.link(name) for name in NAMES[:2])
    ann.wish(Ready(NO_ID, True))
    minjun.wish(Chat(NO_ID, "안녕하세요!"))
    return invited(ann.model)


@cache
def _in_hall(name: str) -> Model:
    """Return what Ann, who plays, or a latecomer knows of a hall with two tables."""
    local = LocalTable(2, seed=SEED)
    ann, _other = (local.link(name) for name in NAMES[:2])
    opener = local.link("Inês", "spectator")
    opener.wish(Hello(NO_ID, PROTOCOL_VERSION, "Inês", "player", "new"))
    opener.wish(AddBot(NO_ID, 1, "regular"))
    opener.wish(Start(NO_ID))
    local.start()
    opener.wish(Chat(NO_ID, "Pizza!", hall=True))
    late = local.unjoined("Dee")
    late.join()
    for link in (ann, late):
        link.wish(GetTables(NO_ID))
    ann.wish(LookAt(NO_ID, 2))
    return ann.model if name == "Ann" else late.model


def _paused() -> Model:
    """Return a game that Ann has paused, with a clock."""
    local = LocalTable(3, ("regular",), seed=SEED, turn_seconds=60)
    ann, _minjun = (local.link(name) for name in NAMES[:2])
    local.start()
    ann.wish(SetPause(NO_ID, True, "Pizza!"))
    return ann.model


def _silent(model: Model) -> Model:
    """Return a table whose host is silent, and where this player may go on."""
    return replace(session.lose(model, silence(model)), owner=False, may_go_on=True)


def _asked(model: Model) -> Model:
    """Return a table whose owner may let guests with a browser in."""
    assert model.table is not None
    asking = ((3, "María José"), (4, "민준"))
    letting_in = LettingIn(tuple(Asker(guest, name) for guest, name in asking))
    invitation = replace(
        model.invitation, asking=tuple((guest, name, f"{guest}" * 6) for guest, name in asking)
    )
    table = replace(model.table, letting_in=letting_in)
    return replace(model, table=table, invitation=invitation)


@cache
def played() -> tuple[tuple[str, Model], ...]:
    """Return the model of the first player in each moment of a game that comes up, by name."""
    return (*_played(),)


def _played() -> Iterator[tuple[str, Model]]:
    local = LocalTable(4, ("regular",), seed=SEED)
    ann, minjun, _ines = (local.link(name) for name in NAMES)
    eve = local.link("Eve", "spectator")
    local.start()
    minjun.wish(Chat(NO_ID, "안녕하세요!"))
    wanted = dict(WANTED)
    for _position in _positions(local):
        view = ann.model.view
        assert view is not None
        for name in [name for name, is_so in wanted.items() if is_so(ann.model, view)]:
            del wanted[name]
            yield name, ann.model
            if name == "another's turn":
                yield "spectator", eve.model
    assert not wanted, f"this seed has no {', '.join(wanted)}"
    yield "result", recorded(ann.model)


def again(model: Model, evening: bool = False) -> Model:
    """Return a result of people who have played before, perhaps not all of them each time."""
    assert model.record
    assert model.table
    league = _league([*permutations([(name, "") for name in NAMES])])
    careers = {one.entry.id: one for one in league.careers}
    seats = enumerate(model.table.seats)
    players = [
        TablePlayer((seat,), careers[one.name]) for seat, one in seats if one.status == "person"
    ]
    if evening:
        elsewhere = careers[NAMES[0]]
        known = [replace(one, left=number) for number, one in enumerate(players)]
        entry = replace(elsewhere.entry, id="e", name="Екатерина")
        players = [*known, TablePlayer((), replace(elsewhere, entry=entry))]
    together = Together(league.games, tuple(players), evening)
    return replace(model, record=replace(model.record, together=together))


def _announced() -> Model:
    """Return the owner's table in a host where two people have entered a tournament."""
    local = LocalTable(4, ("regular",), seed=SEED)
    ann, minjun = (local.link(name) for name in NAMES[:2])
    ann.wish(BeginTournament(NO_ID, TournamentRules(break_seconds=120)))
    ann.wish(Enter(NO_ID, True))
    minjun.wish(Enter(NO_ID, True))
    local.tick()
    return ann.model


def _in_round() -> Model:
    """Return what somebody who sits out sees of the first round of a tournament."""
    local = LocalTable(2)
    names = (*NAMES, "María José", "Екатерина")
    people = [local.link(name, "player" if name in NAMES[:2] else "spectator") for name in names]
    ann = people[0]
    ann.wish(BeginTournament(NO_ID, TournamentRules(rounds=3, break_seconds=120)))
    for link in people:
        link.wish(Enter(NO_ID, True))
    ann.wish(BeginRound(NO_ID, 1))
    local.tick()
    resting = (link.model for link in people if link.model.entrant and link.model.entrant.sits_out)
    return next(resting)


def _of_five(model: Model, stage: Literal["break", "over"]) -> Model:
    """Return a result in a tournament of five people, after a round or the last one."""
    figures = ((1000, 417, 2), (1000, 380, 0), (250, 250, 0), (0, 341, 1), (0, 203, 3))
    names = (*NAMES, "María José", "Екатерина")
    players = tuple(
        TournamentPlayer(name, place, *score, rounds=1)
        for place, (name, score) in enumerate(zip(names, figures, strict=True), start=1)
    )
    rules = TournamentRules(rounds=3, break_seconds=120)
    left = 75 if stage == "break" else None
    view = TournamentView(stage, rules, 3, 1, left, players, "Ann")
    return replace(model, tournament=view)


def _positions(local: LocalTable) -> Iterator[LocalLink]:
    bot, chance = RegularBot(), Random(SEED)
    while (link := acting(local)) is not None and link.model.view is not None:
        yield link
        link.wish(_corners(link.model.view) or bot.choose(link.model.view, chance))


def _corners(view: View) -> ActivateUpgrade | None:
    """Return an upgrade that the bot does not want with four players, to have one on screen."""
    wish = ActivateUpgrade(Upgrade.DOUBLE_CORNERS)
    return wish if view.own and wish in [option.intent for option in view.own.options] else None


def _legal(view: View, kind: type) -> bool:
    return view.own is not None and any(isinstance(o.intent, kind) for o in view.own.options)


LATER = 4
"""The round from which on a table has something to show."""
WALKED = 3
"""The cells of a path with two steps, its beginning among them."""
WANTED: dict[str, Callable[[Model, View], bool]] = {
    "placing": lambda model, view: model.my_turn and view.phase is Phase.PLACING,
    "first turn": lambda model, view: model.my_turn and view.phase is Phase.MOVING,
    "upgrade": lambda model, view: model.my_turn and _legal(view, ActivateUpgrade),
    "moving": lambda model, view: (
        model.my_turn
        and view.phase is Phase.MOVING
        and len(view.path) == WALKED
        and view.own is not None
        and any(view.players[view.own.seat].upgrades)
    ),
    "pouring": lambda model, view: (
        model.my_turn and view.phase is Phase.POURING and view.round >= LATER
    ),
    "serving": lambda model, view: (
        model.my_turn and _legal(view, Serve) and view.phase is Phase.SERVING
    ),
    "another's turn": lambda model, view: (
        not model.my_turn and len(view.path) == WALKED and view.round >= LATER
    ),
}
"""When a moment has come, by its name."""
