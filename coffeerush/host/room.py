"""What stands on a table between two requests, and how it goes from lobby to game to result."""

from collections import Counter, deque
from math import ceil
from random import Random
from typing import Literal

from coffeerush.errors import RecordError
from coffeerush.record import End, Head, Seated
from coffeerush.rules import Setup, standings
from protocol import (
    LOG_LENGTH,
    MIN_PLAYERS,
    Event,
    Intent,
    PeopleChanged,
    RefusedError,
    Said,
    Seat,
    TableView,
    View,
    clean_name,
)

from .names import is_taken
from .people import People, Person, SeatedBot, seat_view
from .play import Game, LogLine, Played, move_of
from .values import HOLD_SECONDS, NOTES_KEPT, STAND_IN, Journals, Note, TableConfig

Stage = Literal["lobby", "game", "result"]
Change = Literal["joined", "watching", "left", "away", "back", "removed", "replaced_by_bot"]


class Room:
    """People, game and log of a table."""

    def __init__(self, config: TableConfig, journals: Journals, chance: Random) -> None:
        self.config = config
        self.journals = journals
        self.chance = chance
        self.people = People(config.seats)
        self.stage: Stage = "lobby"
        self.game: Game | None = None
        """The latest game, also when the lobby is back."""
        self.games_done = 0
        self.now = 0.0
        self.hold_until = 0.0
        """The table itself tries nothing before: the record could not be written."""
        self.log: deque[LogLine] = deque(maxlen=LOG_LENGTH)
        self.news: list[Event] = []
        self.changed = False
        self.notes: deque[Note] = deque(maxlen=NOTES_KEPT)
        self.counters: Counter[str] = Counter()

    # What everybody may know

    @property
    def number(self) -> int:
        """The number of the latest game; 0 before the first."""
        return 0 if self.game is None else self.game.number

    @property
    def rev(self) -> int:
        """The rev of the latest game."""
        return 0 if self.game is None else self.game.rev

    @property
    def playing(self) -> Game | None:
        """The game that is being played now."""
        return self.game if self.stage == "game" else None

    @property
    def shown(self) -> Game | None:
        """The game that is on the table, being played or with its result."""
        return None if self.stage == "lobby" else self.game

    def view(self, key: str = "") -> View | None:
        """Return the game as the person with `key`, or anybody, may know it."""
        return None if self.shown is None else self.shown.view(self.shown.seat_of(key))

    def private_revs(self) -> tuple[int, ...]:
        """Return for each seat the rev that last changed what only its owner knows."""
        return () if self.shown is None else tuple(self.shown.private_revs)

    def log_for(self, key: str) -> tuple[Event, ...]:
        """Return the latest events as the person with `key` may know them."""
        seat = None if self.shown is None else self.shown.seat_of(key)
        return tuple(line.seen_by(seat) for line in self.log)

    def table_view(self) -> TableView:
        """Return the table and the people at it."""
        config, people = self.config, self.people
        playing = self.stage == "game"
        return TableView(
            name=config.name,
            stage=self.stage,
            seats=tuple(seat_view(place, playing, config.owner) for place in people.places),
            owner=people.seat_of(config.owner),
            bots=config.bots,
            spectators=tuple(person.name for person in people.spectators.values()),
            starters=config.starters,
            turn_seconds=config.turn_seconds,
            clock=self._clock(),
        )

    def _clock(self) -> int | None:
        left = self.seconds_left()
        return None if left is None else min(max(ceil(left), 0), self.config.turn_seconds)

    def seconds_left(self) -> float | None:
        """Return what is left of the turn; None where no clock runs, as for a bot."""
        game = self.playing
        if game is None or not self.config.turn_seconds:
            return None
        active = game.state.active
        if active is None or not isinstance(self.people.places[active], Person):
            return None
        return game.turn_since + self.config.turn_seconds - self.now

    # Telling

    def tell(self, *lines: LogLine) -> None:
        """Put what happened into the log and into the next update."""
        self.log.extend(lines)
        self.news.extend(line.public for line in lines)
        self.changed = True

    def tell_change(self, name: str, change: Change) -> None:
        """Say that somebody came, went or changed."""
        self.tell(LogLine(PeopleChanged(name, change)))
        self.note(change, name=name)

    def note(self, code: str, **params: str | int) -> None:
        """Leave a fact for whoever runs the host."""
        self.notes.append(Note(code, params))

    def note_record_failed(self, error: RecordError) -> None:
        """Count and tell that the record could not be written."""
        self.counters["record_failed"] += 1
        self.note("record_failed", text=str(error))

    # From stage to stage

    def begin(self) -> None:
        """Deal a game to everybody who stays; raises `RecordError`, and then nothing changed."""
        players = self.people.staying()
        names = tuple(one.name for one in players)
        keys = tuple(one.key if isinstance(one, Person) else "" for one in players)
        setup = Setup(
            players=len(players),
            deck=self.config.deck,
            seed=self.chance.getrandbits(63),
            starters=self.config.starters,
            first=self._first(names),
        )
        game = Game(self.number + 1, setup, keys, self.now)
        self.journals.begin(self._head(game, players))
        self.people.places = list(players)
        self.game, self.stage = game, "game"
        self._start_log()
        self.tell(*game.opening(names))
        self.note(
            "game_started",
            game=game.number,
            players=", ".join(names),
            first=names[game.state.start],
        )

    def _first(self, names: tuple[str, ...]) -> Seat | None:
        wanted = clean_name(self.config.first)
        return next((seat for seat, name in enumerate(names) if is_taken(name, [wanted])), None)

    def _head(self, game: Game, players: list[Person | SeatedBot]) -> Head:
        return Head(
            table=self.config.name,
            game=game.number,
            setup=game.setup,
            seats=tuple(
                Seated(one.name, key=one.key)
                if isinstance(one, Person)
                else Seated(one.name, bot=one.kind)
                for one in players
            ),
            owner=self.config.owner,
            turn_seconds=self.config.turn_seconds,
        )

    def _start_log(self) -> None:
        """Begin the log of a game; what people said stays, seats of the game before do not."""
        talk = [line for line in self.log if isinstance(line.public, (Said, PeopleChanged))]
        self.log.clear()
        self.log.extend(talk)

    def play(self, seat: Seat, intent: Intent, key: str = "", id_: bytes = b"") -> Played:
        """Play an intent in the game that is on; raises `IllegalIntent` and `RecordError`."""
        game = self.game
        assert game is not None  # whoever calls has looked at the stage
        move = move_of(game, seat, intent, key, id_)
        played = game.play(move, self.now, self.journals.append)
        self.tell(*played.lines())
        if game.over:
            self.finish(game)
        return played

    def finish(self, game: Game) -> None:
        """Show the result of a game that is over, and write it down."""
        self.games_done += 1
        self.show_result(game)
        places = standings(game.state)
        self.note(
            "game_over",
            game=game.number,
            standings=", ".join(f"{self._name(one.seat)} {one.score}" for one in places),
        )
        self.write_end(game)

    def write_end(self, game: Game) -> None:
        """Put the result on record; the game is over with or without, so a failure is noted."""
        try:
            self.journals.append(End(standings(game.state)))
        except RecordError as error:
            self.note_record_failed(error)

    def show_result(self, game: Game) -> None:
        """Let everybody look at the result, and say whether they want a rematch."""
        self.stage = "result"
        self.people.open_up(self.config.seats)
        for _, person in self.people.seated():
            person.ready = False

    def _name(self, seat: Seat) -> str:
        place = self.people.places[seat]
        return "" if place is None else place.name

    def back_to_lobby(self) -> None:
        """Take the result off the table and open the seats of those who left."""
        self.stage = "lobby"
        self.people.free_left()
        self.changed = True
        self.note("back_to_lobby")

    def go_on(self, ticking: bool) -> None:
        """Do what the table does by itself: clear a table that all have left, start a game.

        Bots alone start with a tick only, so that whoever counts games can stop between two.
        """
        if self.stage == "game":
            return
        persons = [person for _, person in self.people.seated()]
        if self.stage == "result" and persons and all(person.left for person in persons):
            self.back_to_lobby()
        if self.now >= self.hold_until and (ticking or persons) and self._starts_itself():
            try:
                self.begin()
            except RecordError as error:
                self.hold(error)

    def _starts_itself(self) -> bool:
        """Tell whether a table without an owner has everybody it waits for."""
        if self.config.owner or self.people.not_ready(""):
            return False
        if self.stage == "lobby":
            return self.people.open_seat() is None
        return len(self.people.staying()) >= MIN_PLAYERS

    def hold(self, error: RecordError) -> None:
        """Try nothing by itself for a while: the record could not be written."""
        self.hold_until = self.now + HOLD_SECONDS
        self.note_record_failed(error)

    # Who plays

    def bot_kind(self, seat: Seat) -> str | None:
        """Return the kind of bot that plays for `seat` now; None where its person does."""
        assert self.game is not None  # only a game has a seat to play for
        place = self.people.places[seat]
        if isinstance(place, SeatedBot):
            return place.kind
        absent = place is None or place.away
        return STAND_IN if absent or self.game.timed_out else None

    def check_stage(self, *allowed: Stage) -> None:
        """Raise `wrong_stage` unless the table is in one of the stages."""
        if self.stage not in allowed:
            raise RefusedError(
                "wrong_stage",
                f"That is not for the {self.stage}; wait for the {' or '.join(allowed)}.",
                stage=self.stage,
            )
