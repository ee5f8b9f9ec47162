"""Random requests of all kinds, as people and programs send them: valid, wrong and odd."""

from random import Random
from typing import Final, TypeAlias, get_args

from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.rules import ALL_INTENTS, legal_intents
from protocol import (
    NAME_CELLS,
    NO_ID,
    PROTOCOL_VERSION,
    AddBot,
    Bye,
    Chat,
    Emote,
    GetRecord,
    Hello,
    Intent,
    LetIn,
    MoveSeat,
    Queue,
    QueueFirst,
    Ready,
    Remove,
    RemoveSpectator,
    Rename,
    Rotation,
    SetFirst,
    SetMark,
    SetPause,
    SetRules,
    StandUp,
    Start,
    Submit,
    TableRequest,
)

from .person import NAMES
from .world import World

Wish: TypeAlias = (
    Chat | Ready | Rename | AddBot | Remove | RemoveSpectator | TableRequest | Start | Bye
)
"""Any request except an intent."""

_ODD_NAMES: Final = (*NAMES, ">", "\u200b", "é" * 24, "ß", "ss", "Ann 2", "a:b>c", "‮", "?")
_LINES: Final = ("hello", "\u200b", "x" * 80, "<b>", "é" * 40)
_BOT_KINDS: Final = ("regular", "casual", "greedy", "clairvoyant")


def some_wish(world: World, chance: Random) -> Wish:
    """Return any request except an intent."""
    watching = [one.name for one in world.state.people.spectators.values()]
    return chance.choice(
        (
            Chat(NO_ID, chance.choice(_LINES)),
            Ready(NO_ID, chance.random() < 0.8),
            Ready(NO_ID, True),
            Rename(NO_ID, odd_name(chance)),
            AddBot(NO_ID, chance.randrange(4), chance.choice(_BOT_KINDS)),
            Remove(NO_ID, chance.randrange(4)),
            RemoveSpectator(NO_ID, chance.choice((*watching, "Nobody"))),
            MoveSeat(NO_ID, chance.randrange(4), chance.randrange(4)),
            SetPause(NO_ID, chance.random() < 0.2, chance.choice(("", "\u200b", "Pizza!"))),
            SetPause(NO_ID, False),
            SetRules(NO_ID, 0, chance.randrange(2), chance.random() < 0.5, chance.random() < 0.5),
            SetRules(NO_ID, 0, 0, True, rotation=chance.choice(get_args(Rotation))),
            LetIn(NO_ID, chance.randint(1, 4), chance.random() < 0.5),
            SetFirst(NO_ID, chance.choice((None, 0, 1, 2, 3))),
            Emote(NO_ID, "wow"),
            SetMark(NO_ID, chance.choice((None, 0, 25)), chance.choice((None, 0, 3))),
            Queue(NO_ID, True),
            Queue(NO_ID, chance.random() < 0.5),
            QueueFirst(NO_ID, chance.choice((*watching, "Nobody"))),
            StandUp(NO_ID, chance.choice((None, None, 0, 1, 2, 3))),
            Start(NO_ID),
            Start(NO_ID),
            Bye(NO_ID),
        )
    )


def odd_name(chance: Random) -> str:
    """Return a name to try: one from the list, or random characters."""
    if chance.random() < 0.7:
        return chance.choice(_ODD_NAMES)
    length = chance.randint(1, NAME_CELLS)
    codes = [
        chance.choice((chance.randrange(0x600), chance.randrange(0xD800))) for _ in range(length)
    ]
    return "".join(map(chr, codes))


def hello(world: World, chance: Random) -> Hello:
    role: Role = "player" if chance.random() < 0.5 else "spectator"
    return Hello(world.new_id(), PROTOCOL_VERSION, odd_name(chance), role)


def submit(world: World, key: str, chance: Random) -> Submit:
    """Return an intent: sometimes a legal one, otherwise any."""
    game = world.state.game
    if game is None or game.state.active is None:
        return Submit(world.new_id(), chance.randrange(2), chance.randrange(3), any_intent(chance))
    legal = legal_intents(game.state)
    intent = chance.choice(legal) if chance.random() < 0.5 else any_intent(chance)
    request = submit_now(world, intent)
    at = chance.random()
    if at < 0.1:
        return replace(request, rev=max(request.rev + chance.choice((-1, 1)), 0))
    return replace(request, game=request.game - 1) if at < 0.15 else request


def record(world: World, chance: Random) -> GetRecord:
    """Return a request for the record of this game or of one next to it."""
    game = max(world.state.number + chance.randint(-1, 1), 0)
    return GetRecord(world.new_id(), game, chance.choice((0, 100, 100_000)))


def submit_now(world: World, intent: Intent) -> Submit:
    """Return an intent for the current position."""
    return Submit(world.new_id(), world.state.number, world.state.rev, intent)


def any_intent(chance: Random) -> Intent:
    return chance.choice(ALL_INTENTS)
