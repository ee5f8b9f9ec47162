"""A message with each type of event, from a whole game and from two dialogues."""

from coffeerush.table_rules import TableRules
from protocol import (
    Accepted,
    Answer,
    Bye,
    Chat,
    Event,
    GetView,
    Queue,
    Ready,
    Remove,
    RemoveSpectator,
    Rename,
    Start,
    Undo,
    Update,
    padded,
)

from .dialogues import TURN_SECONDS, moved, paused, seats_moved
from .played import ANN, BOB, CID, DEE, NAMES, Played, Step


def event_messages() -> list[tuple[str, Answer | Update]]:
    """Return for each type of event a message that has it: public ones, then one's own."""
    public: dict[str, Answer | Update] = {}
    own: dict[str, Answer | Update] = {}
    for step in (
        *_whole_game().steps,
        *_loser_makes_room().steps,
        *seats_moved(),
        *paused(),
        *moved(),
    ):
        message = step.message
        if isinstance(message, Update):
            for event in message.events:
                public.setdefault(_name(event), message)
        elif isinstance(message, Accepted):
            for event in message.events:
                if getattr(event, "cup", None):
                    own.setdefault(f"{type(event).__name__}, one's own", padded(message))
    return [*sorted(public.items()), *sorted(own.items())]


def _name(event: Event) -> str:
    what = getattr(event, "change", None) or getattr(event, "reason", None)
    return f"{type(event).__name__}, {what}" if what else type(event).__name__


def _whole_game() -> Played:
    """Return a table after a game with everything that can happen at it."""
    played = Played(226, ANN, seats=3, owner=ANN, rules=TableRules(turn_seconds=TURN_SECONDS))
    for key in (ANN, BOB, CID):
        played.hello(key)
    played.hello(DEE, "spectator")
    played.ask(CID, Rename(played.new_id(), "Julia"))
    played.ask(CID, Bye(played.new_id()))
    for key in (BOB, DEE):
        played.ask(key, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    played.ask(DEE, Chat(played.new_id(), "Dois cafés, por favor"))
    while played.options(ANN) or played.options(BOB):
        answer = played.act(ANN, BOB)
        if isinstance(answer, Accepted) and played.chance.random() < 0.05:
            played.ask(ANN, played.wish(ANN, Undo()))
    _end_in_the_lobby(played)
    return played


def _loser_makes_room() -> Played:
    """Return a table after a game whose loser makes room for somebody who waits."""
    played = Played(7, ANN, seats=2, owner=ANN, rules=TableRules(rotation="loser"))
    for key in (ANN, BOB):
        played.hello(key)
    played.hello(CID, "spectator")
    played.ask(CID, Queue(played.new_id(), True))
    played.ask(BOB, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    while played.act(ANN, BOB):
        pass
    return played


def _end_in_the_lobby(played: Played) -> None:
    """Play another game, in which people are away, run out of time and are kicked."""
    played.ask(BOB, Ready(played.new_id(), True))
    played.ask(ANN, Start(played.new_id()))
    for _ in range(TURN_SECONDS):
        played.tick()
        played.look(ANN)
        if played.now % 3 < 1:
            played.look(BOB)
    for _ in range(3):
        played.tick(2.9)
    played.ask(BOB, GetView(played.new_id()))
    played.hello(CID, "spectator")
    played.ask(ANN, RemoveSpectator(played.new_id(), NAMES[CID]))
    played.ask(ANN, Remove(played.new_id(), 1))
    played.ask(ANN, Chat(played.new_id(), "!"))
    played.steps += [Step("host", "updates", published) for published in played.table.stop()]
