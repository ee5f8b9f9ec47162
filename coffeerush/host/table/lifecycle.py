"""Table stages: start a game, play it, show and record its result, return to the lobby."""

from collections.abc import Callable, Sequence

from coffeerush import __version__
from coffeerush.errors import RecordError
from coffeerush.records.entries import End, Head, Move, Paused, Seated
from coffeerush.rules import Setup, standings
from protocol import MIN_PLAYERS, GameResumed, Intent, Seat, TurnTimedOut, clean_speaker

from .game import Game, LogLine, TakenIntent
from .guest_list import guests_to_record
from .limits import HOLD_SECONDS, PAUSE_ALONE_SECONDS
from .people import Person, SeatedBot
from .state import TableState


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
        starters=room.config.starters,
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
        turn_seconds=room.config.turn_seconds,
        bot_seconds=room.config.bot_seconds,
        hints=room.config.hints,
        guests=tuple(key for key in guests_to_record(room) if key not in game.keys),
        removed=tuple(room.people.removed),
    )


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
