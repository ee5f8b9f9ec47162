"""Table stages: start a game, play it, show and record its result, return to the lobby."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from coffeerush import __version__
from coffeerush.errors import RecordError
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
from .people import Person, SeatedBot
from .state import Game, LogLine, TableState, TakenIntent

# Keys that may rejoin a table without its code, and keys kicked for good; kept in the record


MAX_GUESTS: Final = 128
"""Far more than a table has people; a guest who is dropped enters the code again."""


def remember_guest(room: TableState, key: str) -> None:
    """Add somebody to the guests; raises `RecordError` and then changes nothing."""
    guests = room.people.guests
    if key in guests or key == room.config.owner:
        return
    if room.stage == "game":
        if len(guests) >= MAX_GUESTS:
            return  # else strangers at an open table could fill the record
        room.journals.append(Guest(key))
    guests[key] = None
    _forget_oldest(guests, MAX_GUESTS)


def guests_to_record(room: TableState) -> tuple[str, ...]:
    """Return the guests for a new game's record: all who are here, and the latest others."""
    guests = room.people.guests
    for person in room.people.everybody():
        guests.pop(person.key, None)
        guests[person.key] = None
    _forget_oldest(guests, MAX_GUESTS)
    return tuple(guests)


def kick(room: TableState, key: str) -> None:
    """Bar a key from the table for good; raises `RecordError` and then changes nothing."""
    if room.game and (room.stage == "game" or room.end_is_due):
        room.journals.append(Removal(key, room.game.seat_of(key)))
    room.people.guests.pop(key, None)
    room.people.removed[key] = None
    _forget_oldest(room.people.removed, MAX_KEYS)


def restore_guests(room: TableState, record: Record) -> None:
    """Restore the guests of a record, and everybody removed before or during its game."""
    people, head = room.people, record.head
    persons = (seated.key for seated in head.seats if seated.key)
    people.guests = dict.fromkeys((*persons, *head.guests, *record.guests))
    people.removed = dict.fromkeys((*head.removed, *(one.key for one in record.removals)))
    for key in people.removed:
        people.guests.pop(key, None)
    _forget_oldest(people.guests, MAX_GUESTS)
    _forget_oldest(people.removed, MAX_KEYS)


def _forget_oldest(keys: dict[str, None], most: int) -> None:
    """Drop the oldest keys beyond `most`."""
    while len(keys) > most:
        del keys[next(iter(keys))]


# Table stages: start a game, play it, show and record its result, return to the lobby


def begin(room: TableState) -> None:
    """Start a game with everybody who stays; raises `RecordError` and then changes nothing."""
    if room.end_is_due:
        write_end(room)
    players = room.people.staying()
    names = tuple(one.name for one in players)
    keys = tuple(one.key if isinstance(one, Person) else "" for one in players)
    first, places = room.next_first, room.people.places
    seats = [seat for seat, place in enumerate(places) if place in players]
    setup = Setup(
        players=len(players),
        deck=room.config.deck,
        seed=room.chance.getrandbits(63),
        starters=room.config.rules.starters,
        first=None if first is None else seats.index(first),
    )
    game = Game(room.number + 1, setup, keys, room.now)
    room.journals.begin(_head(room, game, players))
    put_on_table(room, game, players)
    room.note(
        "game_started", game=game.number, players=", ".join(names), first=names[game.state.start]
    )


def _head(room: TableState, game: Game, players: list[Person | SeatedBot]) -> Head:
    return Head(
        program=__version__,
        table=room.config.name,
        game=game.number,
        setup=game.setup,
        seats=tuple(
            Seated(one.name, key=one.key, letter=one.letter, colour=one.colour)
            if isinstance(one, Person)
            else Seated(one.name, bot=one.kind)
            for one in players
        ),
        table_seats=room.config.seats,
        first=clean_speaker(room.config.first),
        owner=room.config.owner,
        guests=tuple(key for key in guests_to_record(room) if key not in game.keys),
        removed=tuple(room.people.removed),
    ).with_rules(room.config.rules)


def put_on_table(room: TableState, game: Game, players: Sequence[Person | SeatedBot]) -> None:
    """Make this the current game, with the players in seat order."""
    places = room.people.places
    old_seats = tuple(
        places.index(one) if one in places else seat for seat, one in enumerate(players)
    )
    room.people.seat_players(players)
    room.game, room.stage = game, "game"
    room.note_start(game.state.start)
    room.begin_log()
    lines = [*game.opening(tuple(one.name for one in players), old_seats)]
    room.start = lines[0]
    room.tell(*lines)


def play(
    room: TableState, seat: Seat, intent: Intent, key: str = "", id_: bytes = b""
) -> TakenIntent:
    """Play an intent in the current game; raises `IllegalIntent` and `RecordError`."""
    game = room.game
    assert game is not None  # callers check the stage
    played = game.play(Move(game.rev + 1, seat, intent, key, id_), room.now, room.journals.append)
    room.tell(*played.lines())
    if game.over:
        finish(room, game)
    return played


def finish(room: TableState, game: Game) -> None:
    """Show and record the result of a finished game."""
    room.games_done += 1
    show_result(room)
    places = standings(game.state)
    room.note(
        "game_over",
        game=game.number,
        standings=", ".join(f"{room.people.name_at(one.seat)} ({one.score})" for one in places),
    )
    record_end(room)


def record_end(room: TableState) -> None:
    """Write the result of the finished game to its record; on failure retry later."""
    room.end_is_due = True
    attempt(room, write_end)


def write_end(room: TableState) -> None:
    """Write the result of the finished game to its record; raises `RecordError`."""
    assert room.game is not None  # `end_is_due` implies one
    room.journals.append(End(standings(room.game.state)))
    room.end_is_due = False


def show_result(room: TableState) -> None:
    """Enter the result stage: everybody sees the result and may get ready for a rematch."""
    room.stage = "result"
    room.people.open_up(room.config.seats)


def back_to_lobby(room: TableState) -> None:
    """Return to the lobby, and open the seats of people who left."""
    room.stage = "lobby"
    room.people.free_left()
    room.tell()
    room.note("back_to_lobby")


def check_clock(room: TableState) -> None:
    """Time out a turn whose clock has run out; the seats of absent people have bots already."""
    game = room.playing
    left = room.seconds_left()
    if game is None or left is None or left > 0 or game.timed_out or game.pause:
        return
    seat = game.state.active
    assert seat is not None  # a clock runs only for an active seat
    place = room.people.places[seat]
    if isinstance(place, Person) and not place.away:
        game.time_out()
        room.tell(LogLine(TurnTimedOut(seat)))
        room.note("turn_timed_out", name=place.name)


def check_pause(room: TableState) -> None:
    """End a pause after which nobody comes back."""
    game = room.playing
    if game is None or game.pause is None:
        return
    seated = [person for _, person in room.people.seated() if not person.left]
    if all(room.now - person.seen > PAUSE_ALONE_SECONDS for person in seated):
        attempt(room, end_pause)


def end_pause(room: TableState, name: str | None = None) -> None:
    """Let the game go on; `name` is who wanted it. Raises `RecordError`."""
    assert room.playing is not None, "there is a pause only in a game"
    room.journals.append(Paused(None))
    room.playing.go_on(room.now)
    room.tell(LogLine(GameResumed(name)))
    room.note("went_on")


def advance(room: TableState, ticking: bool = False) -> None:
    """Take the table's own steps: return to the lobby once all left, record a result, start a game.

    Bots alone start a game only on a tick, so that a host with a game limit can stop in between.
    """
    if room.stage == "game":
        return
    persons = [person for _, person in room.people.seated()]
    if room.stage == "result" and persons and all(person.left for person in persons):
        back_to_lobby(room)
    if room.now >= room.hold_until and room.end_is_due:
        attempt(room, write_end)
    if room.now >= room.hold_until and (ticking or persons) and _starts_itself(room):
        attempt(room, begin)


def _starts_itself(room: TableState) -> bool:
    """Return whether the next game starts automatically: no seated owner, everybody ready."""
    if room.owner_seat is not None or room.people.not_ready("") or room.all_played:
        return False
    if room.stage == "lobby":
        return room.people.open_seat() is None
    return len(room.people.staying()) >= MIN_PLAYERS


def attempt(room: TableState, step: Callable[[TableState], object]) -> None:
    """Take a step of the table's own; on `RecordError` log it and take none for `HOLD_SECONDS`."""
    try:
        step(room)
    except RecordError as error:
        room.hold_until = room.now + HOLD_SECONDS
        room.count("record_failed")
        room.note_record_failed(error)


# The seats that bots move for: their own, and those of people who are away or out of time


_TOWARDS_THE_END: Final = (
    *(EndTurn, ReturnRest, PlaceMeeple, Pour, Serve, Step, ActivateUpgrade, EmptyCup),
)
"""Intents by how soon they end a turn; in the setup, which has no `ReturnRest`, `Pour` does."""


def bot_kind(room: TableState, game: Game, seat: Seat) -> str | None:
    """Return the kind of bot that plays for `seat` now; None if a person does."""
    place = room.people.places[seat]
    if isinstance(place, SeatedBot):
        return STAND_IN if game.bot_failed else place.kind
    return STAND_IN if place is None or place.away or game.timed_out else None


def random_fallback(state: State, chance: Random) -> Intent:
    """Return a random legal intent other than Undo; the game must not be over."""
    legal = [one for one in legal_intents(state) if not isinstance(one, Undo)]
    return legal[int(chance.random() * len(legal))]


def ending_fallback(state: State) -> Intent:
    """Return the legal intent that ends the turn soonest; the game must not be over."""
    legal = [one for one in legal_intents(state) if not isinstance(one, Undo)]
    return min(legal, key=lambda one: _TOWARDS_THE_END.index(type(one)))


class BotSeats:
    """Tells when a bot has to move, and plays its intent or a legal fallback."""

    def __init__(self, room: TableState) -> None:
        self._room = room
        self._turn: BotTurn | None = None
        self._ended: tuple[int, int] | None = None
        """The game and the rev in which a bot would have ended its turn too early; it is asked
        again once it may."""

    def turn(self) -> BotTurn | None:
        """Return the bot's turn, if a bot has to move now; the same object until that changes."""
        self._turn = self._find()
        return self._turn

    def _find(self) -> BotTurn | None:
        room = self._room
        game = room.playing
        if game is None or game.state.active is None or room.now < room.hold_until or game.pause:
            return None
        seat = game.state.active
        kind = bot_kind(room, game, seat)
        if kind is None or (self._ended == (game.number, game.rev) and self._is_early(game)):
            return None
        turn = self._turn
        if turn and (turn.game, turn.rev, turn.bot) == (game.number, game.rev, kind):
            return turn
        return BotTurn(seat, kind, game.number, game.rev, game.view(seat))

    def move(self, turn: BotTurn, intent: Intent | None) -> None:
        """Play a bot's intent or a fallback; ignore it if `turn` is no longer the current one."""
        game = self._room.playing
        if game is None or turn is not self.turn():
            self._room.count("late_bot")
            return
        chosen = self._legal(game, turn, intent)
        if isinstance(chosen, EndTurn | PlaceMeeple) and self._is_early(game):
            self._ended = (game.number, game.rev)
            return
        attempt(self._room, lambda room: play(room, turn.seat, chosen))

    def _is_early(self, game: Game) -> bool:
        """Return whether a bot's turn has to go on, so that people can follow."""
        return self._room.now < game.turn_since + self._room.config.rules.bot_seconds

    def _legal(self, game: Game, turn: BotTurn, intent: Intent | None) -> Intent:
        if game.bot_intents >= MAX_BOT_INTENTS:
            self._note_fallback(turn, "too_long")
            return ending_fallback(game.state)
        if intent is not None and intent in legal_intents(game.state):
            return intent
        self._note_fallback(turn, "no_answer" if intent is None else "illegal")
        if intent is None:  # it may take as long for each intent
            game.give_up_bot()
        return random_fallback(game.state, self._room.chance)

    def _note_fallback(self, turn: BotTurn, reason: str) -> None:
        name = self._room.people.name_at(turn.seat)
        self._room.count("bot_fell_back")
        self._room.note("bot_fell_back", name=name, bot=turn.bot, reason=reason)
