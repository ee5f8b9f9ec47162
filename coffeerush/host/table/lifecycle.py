"""Table stages: start a game, play it, show and record its result, return to the lobby.

Also who plays it: the seats that bots move for, at the pace of the table's rules.
"""

from collections.abc import Callable, Sequence
from typing import Final

from coffeerush import __version__
from coffeerush.bots import RegularBot
from coffeerush.errors import RecordError
from coffeerush.moving.handover import StateOfTable
from coffeerush.records.entries import (
    MAX_KEYS,
    End,
    Guest,
    Head,
    Move,
    Paused,
    Record,
    Removal,
    Seated,
)
from coffeerush.rules import Setup, State, legal_intents, standings
from protocol import (
    MIN_PLAYERS,
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    GameResumed,
    Intent,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Step,
    TurnTimedOut,
    Undo,
    clean_speaker,
)

from .config import HOLD_SECONDS, MAX_BOT_INTENTS, PAUSE_ALONE_SECONDS, STAND_IN, BotTurn
from .people import Person, SeatedBot, described
from .queue import fill_seats
from .state import Game, LogLine, TableState, TakenIntent

# Keys that may rejoin a table without its code, and keys kicked for good; kept in the record


MAX_KNOWN_KEYS: Final = 128
"""Far more than a table has people; a guest who is dropped enters the code again."""


def remember_guest(table: TableState, key: str) -> None:
    """Add somebody to the guests; raises `RecordError` and then changes nothing."""
    guests = table.people.guests
    if key in guests or key == table.config.owner:
        return
    if table.stage == "game":
        if len(guests) >= MAX_KNOWN_KEYS:
            return  # else strangers at an open table could fill the record
        table.journals.append(Guest(key))
    guests[key] = None
    _forget_oldest(guests, MAX_KNOWN_KEYS)


def _guests_to_record(table: TableState) -> tuple[str, ...]:
    """Return the guests for a new game's record: all who are here, and the latest others."""
    guests = table.people.guests
    for person in table.people.everybody():
        guests.pop(person.key, None)
        guests[person.key] = None
    _forget_oldest(guests, MAX_KNOWN_KEYS)
    return tuple(guests)


def kick(table: TableState, key: str) -> None:
    """Bar a key from the table for good; raises `RecordError` and then changes nothing."""
    if table.game and (table.stage == "game" or table.end_is_due):
        table.journals.append(Removal(key, table.game.seat_of(key)))
    table.people.guests.pop(key, None)
    table.people.removed[key] = None
    _forget_oldest(table.people.removed, MAX_KEYS)


def restore_guests(table: TableState, record: Record) -> None:
    """Restore the guests of a record, and everybody removed before or during its game."""
    people, head = table.people, record.head
    persons = (seated.key for seated in head.seats if seated.key)
    people.guests = dict.fromkeys((*persons, *head.guests, *record.guests))
    people.removed = dict.fromkeys((*head.removed, *(removal.key for removal in record.removals)))
    for key in people.removed:
        people.guests.pop(key, None)
    _forget_oldest(people.guests, MAX_KNOWN_KEYS)
    _forget_oldest(people.removed, MAX_KEYS)


def _forget_oldest(keys: dict[str, None], most: int) -> None:
    """Drop the oldest keys beyond `most`."""
    while len(keys) > most:
        del keys[next(iter(keys))]


# Table stages: start a game, play it, show and record its result, return to the lobby


def begin(table: TableState) -> None:
    """Start a game with everybody who stays; raises `RecordError` and then changes nothing."""
    if table.end_is_due:
        _write_end(table)
    players = table.people.staying()
    keys = tuple(player.key if isinstance(player, Person) else "" for player in players)
    first, places = table.next_first, table.people.places
    seats = [seat for seat, place in enumerate(places) if place in players]
    setup = Setup(
        players=len(players),
        deck=table.config.deck,
        seed=table.chance.getrandbits(63),
        starters=table.config.rules.starters,
        first=None if first is None else seats.index(first),
    )
    game = Game(table.number + 1, setup, keys, table.now)
    table.journals.begin(_head(table, game, players))
    put_on_table(table, game, players)
    table.note(
        "game_started",
        game=game.number,
        players=", ".join(map(described, players)),
        first=players[game.state.start].name,
    )


def _head(table: TableState, game: Game, players: list[Person | SeatedBot]) -> Head:
    return Head(
        program=__version__,
        table=table.config.name,
        game=game.number,
        setup=game.setup,
        seats=tuple(
            Seated(player.name, key=player.key, letter=player.letter, colour=player.colour)
            if isinstance(player, Person)
            else Seated(player.name, bot=player.kind)
            for player in players
        ),
        table_seats=table.config.seats,
        first=clean_speaker(table.config.first),
        owner=table.config.owner,
        guests=tuple(key for key in _guests_to_record(table) if key not in game.keys),
        removed=tuple(table.people.removed),
    ).with_rules(table.config.rules)


def put_on_table(table: TableState, game: Game, players: Sequence[Person | SeatedBot]) -> None:
    """Make this the current game, with the players in seat order."""
    places = table.people.places
    old_seats = tuple(
        places.index(player) if player in places else seat for seat, player in enumerate(players)
    )
    table.people.seat_players(players)
    table.game, table.stage = game, "game"
    table.note_start(game.state.start)
    table.begin_log()
    lines = [*game.opening(tuple(player.name for player in players), old_seats)]
    table.start = lines[0]
    table.tell(*lines)


def play(
    table: TableState, seat: Seat, intent: Intent, key: str = "", id_: bytes = b""
) -> TakenIntent:
    """Play an intent in the current game; raises `IllegalIntent` and `RecordError`."""
    game = table.game
    assert game is not None  # callers check the stage
    played = game.play(Move(game.rev + 1, seat, intent, key, id_), table.now, table.journals.append)
    table.tell(*played.lines())
    if game.over:
        finish(table, game)
    return played


def finish(table: TableState, game: Game) -> None:
    """Show and record the result of a finished game."""
    table.games_done += 1
    show_result(table)
    places = standings(game.state)
    table.note(
        "game_over",
        game=game.number,
        standings=", ".join(
            f"{described(table.people.places[place.seat])} {place.score}" for place in places
        ),
    )
    record_end(table)


def record_end(table: TableState) -> None:
    """Write the result of the finished game to its record; on failure retry later."""
    table.end_is_due = True
    attempt(table, _write_end)


def _write_end(table: TableState) -> None:
    """Write the result of the finished game to its record; raises `RecordError`."""
    assert table.game is not None  # `end_is_due` implies one
    table.journals.append(End(standings(table.game.state)))
    table.end_is_due = False


def take_up(table: TableState, state: StateOfTable) -> None:
    """Be in the stage of a table that another host hands over, and know the same keys."""
    table.stage, table.games_done = state.stage, state.games_done
    table.end_is_due = state.end_is_due
    people = table.people
    people.guests, people.removed = dict.fromkeys(state.guests), dict.fromkeys(state.removed)


def show_result(table: TableState) -> None:
    """Enter the result stage: everybody sees the result and may get ready for a rematch."""
    table.stage = "result"
    table.people.open_up(table.config.seats)


def back_to_lobby(table: TableState) -> None:
    """Return to the lobby, and open the seats of people who left."""
    table.stage = "lobby"
    table.people.free_left()
    table.tell()
    table.note("back_to_lobby")


def check_clock(table: TableState) -> None:
    """Time out a turn whose clock has run out, unless a bot plays it already."""
    game = table.playing
    left = table.seconds_left()
    if game is None or left is None or left > 0 or game.timed_out or game.pause:
        return
    seat = game.state.active
    assert seat is not None  # a clock runs only for an active seat
    place = table.people.places[seat]
    if isinstance(place, Person) and not place.replaced:
        game.time_out()
        table.tell(LogLine(TurnTimedOut(seat)))
        table.note("turn_timed_out", name=place.name)


def check_pause(table: TableState) -> None:
    """End a pause after which nobody comes back."""
    game = table.playing
    if game is None or game.pause is None:
        return
    seated = [person for _, person in table.people.seated() if not person.left]
    if all(table.now - person.seen > PAUSE_ALONE_SECONDS for person in seated):
        attempt(table, end_pause)


def end_pause(table: TableState, name: str | None = None) -> None:
    """Let the game go on; `name` is who wanted it. Raises `RecordError`."""
    assert table.playing is not None, "there is a pause only in a game"
    table.journals.append(Paused(None))
    table.playing.go_on(table.now)
    table.tell(LogLine(GameResumed(name)))
    table.note("went_on")


def advance(table: TableState, ticking: bool = False) -> None:
    """Take the table's own steps between games, up to the start of the next one.

    Return to the lobby once all left, seat those who wait, record a result, start a game. Bots
    alone start a game only on a tick, so that a host with a game limit can stop in between, and at
    a table with an owner only if somebody watches: the owner may have gone to another table.
    """
    if table.stage == "game":
        return
    persons = [person for _, person in table.people.seated()]
    if table.stage == "result" and persons and all(person.left for person in persons):
        back_to_lobby(table)
    fill_seats(table)
    persons = [person for _, person in table.people.seated()]
    if table.now >= table.hold_until and table.end_is_due:
        attempt(table, _write_end)
    bots_may = ticking and (table.is_in_use or not table.config.owner)
    if table.now >= table.hold_until and (bots_may or persons) and _starts_itself(table):
        attempt(table, begin)


def _starts_itself(table: TableState) -> bool:
    """Return whether the next game starts automatically: no seated owner, everybody ready."""
    if table.is_due:
        return len(table.people.staying()) >= MIN_PLAYERS
    if (
        table.is_held
        or table.owner_seat is not None
        or table.people.not_ready("")
        or table.all_played
    ):
        return False
    if table.stage == "lobby":
        return table.people.open_seat() is None
    return len(table.people.staying()) >= MIN_PLAYERS


def attempt(table: TableState, step: Callable[[TableState], object]) -> None:
    """Take a step of the table's own; on `RecordError` log it and take none for `HOLD_SECONDS`."""
    try:
        step(table)
    except RecordError as error:
        table.hold_until = table.now + HOLD_SECONDS
        table.count("record_failed")
        table.note_record_failed(error)


# The seats that bots move for: their own, and those of people who are away or out of time


_TOWARDS_THE_END: Final = (
    *(EndTurn, ReturnRest, PlaceMeeple, Pour, Serve, Step, ActivateUpgrade, EmptyCup),
)
"""Intents by how soon they end a turn; in the setup, which has no `ReturnRest`, `Pour` does."""


def _bot_kind(table: TableState, game: Game, seat: Seat) -> str | None:
    """Return the kind of bot that plays for `seat` now; None if a person does."""
    place = table.people.places[seat]
    if isinstance(place, SeatedBot):
        return STAND_IN if game.bot_failed else place.kind
    return STAND_IN if place is None or place.replaced or game.timed_out else None


def _ending_fallback(state: State) -> Intent:
    """Return the legal intent that ends the turn soonest; the game must not be over."""
    legal = [intent for intent in legal_intents(state) if not isinstance(intent, Undo)]
    return min(legal, key=lambda intent: _TOWARDS_THE_END.index(type(intent)))


class BotSeats:
    """Tells when a bot has to move, and plays its intent or a legal fallback."""

    def __init__(self, table: TableState) -> None:
        self._table = table
        self._turn: BotTurn | None = None
        self._ended: tuple[int, int] | None = None
        """The game and the rev in which a bot would have ended its turn too early; it is asked
        again once it may."""

    def turn(self) -> BotTurn | None:
        """Return the bot's turn, if a bot has to move now; the same object until that changes."""
        self._turn = self._find()
        return self._turn

    def _find(self) -> BotTurn | None:
        table = self._table
        game = table.playing
        if game is None or game.state.active is None or table.now < table.hold_until or game.pause:
            return None
        seat = game.state.active
        kind = _bot_kind(table, game, seat)
        if kind is None or (self._ended == (game.number, game.rev) and self._is_early(game)):
            return None
        turn = self._turn
        if turn and (turn.game, turn.rev, turn.bot) == (game.number, game.rev, kind):
            return turn
        return BotTurn(seat, kind, game.number, game.rev, game.view(seat))

    def move(self, turn: BotTurn, intent: Intent | None) -> None:
        """Play a bot's intent or a fallback; ignore it if `turn` is no longer the current one."""
        game = self._table.playing
        if game is None or turn is not self.turn():
            self._table.count("late_bot")
            return
        chosen = self._legal(game, turn, intent)
        if isinstance(chosen, EndTurn | PlaceMeeple) and self._is_early(game):
            self._ended = (game.number, game.rev)
            return
        attempt(self._table, lambda table: play(table, turn.seat, chosen))

    def _is_early(self, game: Game) -> bool:
        """Return whether a bot's turn has to go on, so that people can follow."""
        return self._table.now < game.turn_since + self._table.config.rules.bot_seconds

    def _legal(self, game: Game, turn: BotTurn, intent: Intent | None) -> Intent:
        if game.bot_intents >= MAX_BOT_INTENTS:
            self._note_fallback(turn, "too_long")
            return _ending_fallback(game.state)
        if intent is not None and intent in legal_intents(game.state):
            return intent
        self._note_fallback(turn, "no_answer" if intent is None else "illegal")
        if intent is None:  # it may take as long for each intent
            game.give_up_bot()
        return RegularBot().choose(turn.view, self._table.chance)  # takes a few milliseconds

    def _note_fallback(self, turn: BotTurn, reason: str) -> None:
        name = self._table.people.name_at(turn.seat)
        self._table.count("bot_fell_back")
        self._table.note("bot_fell_back", name=name, bot=turn.bot, reason=reason)
