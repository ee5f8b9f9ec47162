"""The seats that bots move for: their own, and those of people who are away or out of time."""

from random import Random
from typing import Final

from coffeerush.host.table import lifecycle
from coffeerush.rules import State, legal_intents
from protocol import (
    ActivateUpgrade,
    EmptyCup,
    EndTurn,
    Intent,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Seat,
    Serve,
    Step,
    Undo,
)

from .config import BotTurn
from .game import Game
from .limits import MAX_BOT_INTENTS, STAND_IN
from .people import SeatedBot
from .state import TableState

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
        lifecycle.attempt(self._room, lambda room: lifecycle.play(room, turn.seat, chosen))

    def _is_early(self, game: Game) -> bool:
        """Return whether a bot's turn has to go on, so that people can follow."""
        return self._room.now < game.turn_since + self._room.config.bot_seconds

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
