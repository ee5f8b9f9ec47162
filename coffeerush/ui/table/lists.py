"""Lists to choose from by a key: their entries and wishes, such as of the next game's setup.

`draw_lists` words them.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.handover import asks, standbys
from coffeerush.client.model import (
    CloseHost,
    Model,
    OpenToGuests,
    Wish,
    has_room,
    may_close_host,
    rules_of,
)
from coffeerush.client.tournament import changed_rules, meeting_table, tables_of_round
from coffeerush.table_rules import changes
from coffeerush.ui.pages.pages import Mode
from protocol import (
    MIN_PLAYERS,
    NO_ID,
    ActivateUpgrade,
    AddBot,
    BeginRound,
    BeginTournament,
    Bye,
    Emote,
    EmoteName,
    EmptyCup,
    EndTournament,
    EndTurn,
    Enter,
    HandOver,
    Hello,
    LookAt,
    MoveSeat,
    Queue,
    QueueFirst,
    Ready,
    Remove,
    RemoveSpectator,
    Seat,
    SetFirst,
    SetRules,
    StandUp,
    TableSummary,
    TakeOver,
    TournamentView,
    Upgrade,
)

from .scene import Scene


class Choice(Struct, frozen=True):
    """An entry of a list, and the key that selects it; without a wish it cannot be selected."""

    key: str
    wish: Wish | None = None
    name: str = ""
    """The name of the person or bot, or the kind of a new bot."""
    closes: bool = False
    """Whether it only closes the list."""

    @property
    def is_open(self) -> bool:
        """Whether it can be chosen."""
        return self.wish is not None or self.closes


Choices: TypeAlias = tuple[Choice, ...]


def choices_of(scene: Scene) -> Choices | None:
    """Return the entries of the open list; None if none is open."""
    make = LISTS.get(scene.ui.mode)
    if make is None:
        return None
    if scene.ui.mode in OF_A_GAME:
        return make(scene) if scene.stage in ("game", "result") and _plays(scene) else None
    if scene.ui.mode == "agreed":
        return make(scene) if scene.model.owner and scene.stage in ("lobby", "result") else None
    if scene.ui.mode == "emotes":
        return make(scene) if scene.me is not None else None
    if scene.ui.mode == "hall":
        return make(scene)
    if scene.ui.mode == "tournament":
        return make(scene) if knows_tournament(scene.model) else None
    if scene.ui.mode == "room":
        return make(scene) if scene.model.owner and scene.stage in ("lobby", "result") else None
    if scene.ui.mode in ("seats", "host", "leaving"):
        return make(scene) if scene.model.owner else None
    if scene.ui.mode == "succeed":
        return make(scene) if asks(scene.model) else None
    return make(scene) if scene.stage == "lobby" else None


def marked_choice(scene: Scene) -> Choice | None:
    """Return the marked entry of the open list; None if no list is open or none can be chosen."""
    open_to_choice = [choice for choice in choices_of(scene) or () if choice.is_open]
    if scene.ui.marked:
        return next((choice for choice in open_to_choice if choice.key == scene.ui.marked), None)
    if scene.ui.mode in ("upgrades", "empty") and open_to_choice and scene.model.hints:
        from coffeerush.ui.advice.advice import advised

        plan = advised(scene.view).intents
        open_to_choice.sort(key=lambda choice: choice.wish not in plan)
    if scene.ui.mode == "leaving":  # to stay, so that nobody leaves by one key too many
        open_to_choice.reverse()
    first = open_to_choice[0] if open_to_choice else None
    return None if first and first.wish == Enter(NO_ID, False) else first


def _plays(scene: Scene) -> bool:
    """Return whether this player is in the game: at its result they may have joined later."""
    return scene.model.played is not None


def _upgrades(scene: Scene) -> Choices:
    return tuple(
        Choice(str(number), ActivateUpgrade(upgrade) if upgrade in scene.turn.upgrades else None)
        for number, upgrade in enumerate(Upgrade, start=1)
    )


def _empty(scene: Scene) -> Choices:
    cups = range(1, len(scene.own.cups if scene.own else ()) + 1)
    return tuple(Choice(str(n), EmptyCup(n) if n in scene.turn.emptyable else None) for n in cups)


def _serve(scene: Scene) -> Choices:
    serves = enumerate(scene.turn.urgent[:9], start=1)
    choices = tuple(Choice(str(number), serve) for number, serve in serves)
    return (*choices, Choice("0", EndTurn())) if scene.turn.can_end else choices


def _bots(scene: Scene) -> Choices:
    seat = open_seat(scene)
    return tuple(
        Choice(str(number), None if seat is None else AddBot(NO_ID, seat, bot), bot)
        for number, bot in enumerate(scene.table.bots[:9], start=1)
    )


def open_seat(scene: Scene) -> int | None:
    """Return the first open seat for which no bot is requested yet."""
    requested = [request.seat for request in scene.model.pending if isinstance(request, AddBot)]
    seats = enumerate(scene.seats)
    return next((n for n, seat in seats if seat.status == "open" and n not in requested), None)


def is_ready(scene: Scene, seat: Seat) -> bool:
    """Return whether a seat is ready, or will be once the host has answered."""
    requested = [request.ready for request in scene.model.pending if isinstance(request, Ready)]
    return requested[-1] if requested else scene.seats[seat].ready


def removals(scene: Scene) -> Choices:
    """Return whom the owner can remove: seats by their digits, spectators by letters.

    People whose removal is pending are left out: a second request could hit the next person there.

    In a game digits pour, and a stray one must not remove anybody: players have the letters of
    their meeples there.
    """
    game = scene.stage == "game"
    taken = {letter.lower() for letter in scene.letters} if game else set()
    letters = iter([letter for letter in _LETTERS if letter not in taken])

    def key(seat: Seat) -> str:
        if not game:
            return str(seat + 1)
        letter = scene.letter(seat).lower()
        return letter if letter in _LETTERS else next(letters)

    choices = [
        Choice(key(number), Remove(NO_ID, number), seat.name)
        for number, seat in enumerate(scene.seats)
        if number != scene.me and seat.status in (("person",) if game else ("person", "bot"))
    ]
    own = scene.model.name if scene.me is None else ""
    choices += [
        Choice(letter, RemoveSpectator(NO_ID, name), name)
        for name, letter in zip(scene.table.spectators, letters, strict=False)
        if name != own
    ]
    requested = [replace(request, id=NO_ID) for request in scene.model.pending]
    return tuple(choice for choice in choices if choice.wish not in requested)


def making_room(scene: Scene) -> Choices:
    """Return whom the owner can put first in line, by letters, and have stand up, by digits."""
    choices = [
        Choice(letter, QueueFirst(NO_ID, name), name)
        for letter, name in zip(_LETTERS.replace("s", ""), scene.model.queued, strict=False)
    ]
    choices += [
        Choice(str(number + 1), StandUp(NO_ID, number), seat.name)
        for number, seat in enumerate(scene.seats)
        if seat.status != "open"
    ]
    requested = [replace(request, id=NO_ID) for request in scene.model.pending]
    return tuple(choice for choice in choices if choice.wish not in requested)


def _agreed(scene: Scene) -> Choices:
    """Return the settings of the next game that the owner can change: each key makes one change."""
    pairs = enumerate(pairwise(scene.seats)) if scene.stage == "lobby" else ()
    moves = (
        Choice(str(seat + 1), MoveSeat(NO_ID, seat, seat + 1))
        for seat, pair in pairs
        if any(seat.status != "open" for seat in pair)
    )
    rules = changes(rules_of(scene.model, scene.table))
    invitation = scene.model.invitation
    guests = [Choice("w", OpenToGuests(invitation.keeps_guests_out))]
    return (
        *moves,
        Choice("b", SetFirst(NO_ID, _first_beside(scene, 1))),
        *(Choice(key, changed) for key, changed in zip(RULE_KEYS, rules, strict=True)),
        *(guests if invitation.decides_on_guests else ()),
    )


def turned_back(scene: Scene, choice: Choice) -> Wish | None:
    """Return the wish for the value before; None for what has none."""
    if isinstance(choice.wish, SetFirst):
        return SetFirst(NO_ID, _first_beside(scene, -1))
    if choice.key not in RULE_KEYS:
        return None
    at, now = RULE_KEYS.index(choice.key), rules_of(scene.model, scene.table)
    seen = [now]
    while (after := changes(seen[-1])[at]) not in seen:
        seen.append(after)
    return seen[-1]


def has_values(choice: Choice) -> bool:
    """Return whether an entry is a setting, with one value after the other."""
    return isinstance(choice.wish, SetFirst | SetRules | OpenToGuests)


def _first_beside(scene: Scene, by: int) -> Seat | None:
    """Return who begins after one more key, of those who are here; None for a draw."""
    requested = [request.seat for request in scene.model.pending if isinstance(request, SetFirst)]
    first = requested[-1] if requested else scene.table.next_game.first
    here = [seat for seat, sitting in enumerate(scene.seats) if sitting.name and not sitting.away]
    order = sorted({*here, *(() if first is None else (first,))})
    values = [None, *order]
    after = values[(values.index(first) + by) % len(values)]
    return after if after in here else None


def _emotes(scene: Scene) -> Choices:
    numbered = enumerate(get_args(EmoteName), start=1)
    return tuple(Choice(str(number), Emote(NO_ID, emote)) for number, emote in numbered)


def listed_tables(scene: Scene) -> tuple[TableSummary, ...]:
    """Return as many tables of the host as there are keys for; first those with an open seat."""
    tables = sorted(scene.model.tables, key=lambda table: (not has_room(table), table.number))
    shown = tables[: len(_TABLE_KEYS)]
    return tuple(sorted(shown, key=lambda table: table.number))


def _hall(scene: Scene) -> Choices:
    if not scene.model.tables:  # on their way
        return ()
    tables = zip(_TABLE_KEYS, listed_tables(scene), strict=False)
    going = (Choice(key, _wish_for(scene, table)) for key, table in tables)
    return (*going, Choice(NEW_TABLE_KEY, scene.model.going_to(None)))


def handovers(scene: Scene) -> Choices:
    """Return whom the owner can ask to host the table; or that they are not asked any more."""
    moving = scene.table.moving
    if moving is not None:
        return (Choice("0", None if moving.agreed else HandOver(NO_ID, None), moving.to),)
    names = enumerate(standbys(scene.model), start=1)
    return tuple(Choice(str(number), HandOver(NO_ID, name), name) for number, name in names)


def _leaving(scene: Scene) -> Choices:
    """Return how the owner can leave."""
    asking = [choice for choice in handovers(scene) if scene.table.moving is None]
    going = tuple(
        replace(choice, wish=HandOver(NO_ID, choice.name, leaving=True)) for choice in asking
    )
    closing: tuple[Wish, ...] = (CloseHost(),) if may_close_host(scene.model) else ()
    wishes = enumerate((Bye(NO_ID), *closing), start=len(going) + 1)
    going = (*going, *(Choice(str(number), wish) for number, wish in wishes))
    return (*going, Choice(str(len(going) + 1), closes=True))


def _succeeding(scene: Scene) -> Choices:
    return Choice("0", TakeOver(NO_ID, False)), Choice("1", TakeOver(NO_ID, True))


def _wish_for(scene: Scene, table: TableSummary) -> Wish | None:
    """Return the wish to go over to a table or, in a game, to look at it; at one's own, to play.

    None at one's own with a seat or a place in line.
    """
    if table.number == scene.model.number:
        waits = scene.me is None and scene.model.status == "here" and not scene.model.is_queuing
        return Queue(NO_ID, True) if waits else None
    return scene.model.going_to(table) or LookAt(NO_ID, table.number)


def table_of(scene: Scene, choice: Choice) -> TableSummary | None:
    """Return the table of an entry of the list of tables, unless it is one's own or a new one."""
    wish = choice.wish
    number = wish.table if isinstance(wish, Hello | LookAt) else None
    return next((table for table in scene.model.tables if table.number == number), None)


def knows_tournament(model: Model) -> bool:
    """Return whether there is something about a tournament to see or to do."""
    return model.tournament is not None or (model.owns_hall and model.status == "here")


def _tournament(scene: Scene) -> Choices:
    """Return what this person can do about the tournament; the likeliest first."""
    view, owns = scene.model.tournament, scene.model.owns_hall
    if scene.model.status != "here":
        return ()
    if view is None or view.stage == "over":
        meeting = meeting_table(scene.model)
        back = (Choice("b", scene.model.going_to(meeting)),) if meeting else ()
        return (*back, Choice("a", scene.model.new_tournament)) if owns else back
    entered = view.entered is not None
    enter = (Choice("e", Enter(NO_ID, not entered)),)
    leads = _leading(scene, view) if owns else ()
    end = (Choice("x", EndTournament(NO_ID)),) if owns else ()
    tables = zip(_ROUND_KEYS, tables_of_round(scene.model), strict=False)
    seats = tuple(_of_round(scene, key, table) for key, table in tables)
    return (*seats, *leads, *enter, *end) if entered else (*enter, *seats, *leads, *end)


def _of_round(scene: Scene, key: str, table: TableSummary) -> Choice:
    """Return the way to a table of the round: to watch it, or from the list to one's own."""
    if table.number == scene.model.number:
        return Choice(key, closes=True)
    return Choice(key, LookAt(NO_ID, table.number))


def _leading(scene: Scene, view: TournamentView) -> Choices:
    """Return what the owner of the hall can do: before the first round, change the rules."""
    enough = sum(not player.withdrawn for player in view.players) >= MIN_PLAYERS
    begin = BeginRound(NO_ID, view.round + 1) if enough and view.stage != "round" else None
    if view.stage != "entry":
        return (Choice("b", begin),)
    changed = changed_rules(scene.model.tournament_rules, scene.table.bots)
    changes = (
        Choice(key, BeginTournament(NO_ID, rules))
        for key, rules in zip(TOURNAMENT_RULE_KEYS, changed, strict=True)
    )
    return (Choice("b", begin), *changes)


def is_person(scene: Scene, choice: Choice) -> bool:
    """Return whether an entry removes a person, who then cannot return."""
    wish = choice.wish
    if isinstance(wish, Remove):
        return scene.seats[wish.seat].status == "person"
    return isinstance(wish, RemoveSpectator)


RULE_KEYS: Final = "cphgr"
"""Each changes a rule of the table, in the order of `changes`."""
TOURNAMENT_RULE_KEYS: Final = "rcfpy"
"""Each changes a rule of a tournament, in the order of `changed_rules`."""
_LETTERS: Final = "abcdefghijklmnoprstuvwy"
"""No key that closes a list or leaves; more letters than people at a table."""
NEW_TABLE_KEY: Final = "n"
TOURNAMENT_KEY: Final = "T"
"""At the table and in the list of tables."""
_TABLE_KEYS: Final = "123456789" + "".join(letter for letter in _LETTERS if letter not in "nrtw")
"""Without those that do something else in the list of tables."""
_ROUND_KEYS: Final = "123456789" + "".join(letter for letter in _LETTERS if letter not in "abetx")
"""Of the tables of a round, without those that do something else in the list of a tournament."""
OF_A_GAME: Final = ("upgrades", "empty", "serve")
"""The lists of a player's turn."""
LISTS: Final[dict[Mode, Callable[[Scene], Choices]]] = {
    "upgrades": _upgrades,
    "empty": _empty,
    "serve": _serve,
    "bots": _bots,
    "seats": removals,
    "room": making_room,
    "agreed": _agreed,
    "emotes": _emotes,
    "hall": _hall,
    "host": handovers,
    "leaving": _leaving,
    "succeed": _succeeding,
    "tournament": _tournament,
}
"""The entries of each list, by its mode."""
