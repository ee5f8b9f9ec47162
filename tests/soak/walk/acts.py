"""Everything that may happen next at a table: each act is one step of a walk."""

from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, TypeAlias

from msgspec.structs import replace

from coffeerush.host.table.config import AWAY_SECONDS, SUSPENDED_SECONDS
from coffeerush.rules import legal_intents
from protocol import (
    PROTOCOL_VERSION,
    AddBot,
    Asker,
    GetView,
    Hello,
    Intent,
    Ready,
    Remove,
    RemoveSpectator,
    Request,
    Start,
    Sync,
)

from .checks import hold
from .house import CROWD
from .person import NAMES, Choice, Person, anything, illegal, nothing, regular, short, soonest
from .requests import hello, odd_name, record, some_wish, submit, submit_now
from .world import World

Act: TypeAlias = Callable[[World, Random], None]

_REMEMBERED: Final = 80
_MOST_MOVES: Final = 1000


def step(world: World, chance: Random) -> None:
    """Do one thing, and deliver all messages if this table delivers them at once."""
    (act,) = chance.choices([*ACTS], [*ACTS.values()])
    world.said.append(act.__name__)
    if chance.random() < 0.1:
        world.journals.full = False
    world.now += chance.choice((0.0, 0.01, 0.1, 0.4))
    act(world, chance)
    if world.prompt:
        for person in world.people:
            world.deliver(person)


def come(world: World, chance: Random) -> None:
    """Start somebody's client."""
    person = chance.choice(world.people)
    if not person.here or chance.random() < 0.1:
        person.come(chance.choice(NAMES), "player" if chance.random() < 0.75 else "spectator")
        world.deliver(person)


def arrive(world: World, chance: Random) -> None:
    """Deliver some of the messages in transit to somebody."""
    world.deliver(chance.choice(world.people), chance, chance.randint(1, 5))


def play(world: World, chance: Random) -> None:
    """Let the active player do something that their client offers."""
    for person in world.people:
        if person.model.can_act and person.model.view:
            own = person.model.view.own
            assert own is not None  # it can act
            person.wish(chance.choice(own.options).intent)
            world.deliver(person, chance, 1)


def wish(world: World, chance: Random) -> None:
    """Let somebody make a request through their client."""
    person = _somebody(world, chance)
    if person.here:
        person.wish(some_wish(world, chance))
        world.deliver(person, chance, 1)


def ask(world: World, chance: Random) -> None:
    """Send any request with somebody's key, from a second client."""
    person = _somebody(world, chance)
    key = person.key
    request = chance.choice(
        (
            lambda: hello(world, chance),
            lambda: Sync(world.new_id()),
            lambda: GetView(world.new_id()),
            lambda: record(world, chance),
            lambda: submit(world, key, chance),
            lambda: submit(world, key, chance),
            lambda: replace(some_wish(world, chance), id=world.new_id()),
            lambda: replace(some_wish(world, chance), id=world.new_id()),
        )
    )()
    _ask(world, key, request)
    if isinstance(request, Hello):  # a first client that is a spectator would not learn of the seat
        person.come(request.name, request.role)


def repeat(world: World, chance: Random) -> None:
    """Repeat a request: the same bytes, or something else with the same id."""
    keys = [key for key, asked in world.asked.items() if asked]
    if not keys:
        return
    key = chance.choice(keys)
    request = chance.choice(world.asked[key])
    if chance.random() < 0.2:
        request = replace(some_wish(world, chance), id=request.id)
    world.ask(key, request)


def play_on(world: World, chance: Random) -> None:
    """Play quickly, people and bots, until something else is to happen."""
    kinds = (regular, anything, anything)
    _play(world, chance, chance.randint(1, 60), kinds, chance.choice)


def play_out(world: World, chance: Random) -> None:
    """Play to the end of the game, in short turns."""
    _play(world, chance, _MOST_MOVES, (short,), soonest)


def _play(
    world: World,
    chance: Random,
    most: int,
    kinds: Sequence[Choice],
    choose: Callable[[Sequence[Intent]], Intent],
) -> None:
    game = world.state.playing
    for _ in range(most):
        if game is None or world.state.playing is not game or world.journals.full:
            break
        world.think()
        if world.thinking is not None:
            world.move(chance.choice(kinds), chance)
        else:
            key = game.keys[game.state.active or 0]
            world.ask(key, submit_now(world, choose(legal_intents(game.state))))
        world.now += 0.05


def think(world: World, chance: Random) -> None:
    """Let a bot think; it answers later."""
    world.think()


def move(world: World, chance: Random) -> None:
    """Let a bot answer, or fail to."""
    if chance.random() < 0.5:
        world.think()
    world.move(chance.choice((regular, anything, anything, illegal, nothing)), chance)


def gather(world: World, chance: Random) -> None:
    """Start a game, if enough people are there for it."""
    if world.state.stage == "game":
        return
    for person in world.people[:5]:
        if not person.here:
            person.come(chance.choice(NAMES), "player")
        world.deliver(person)
    for key in [one.key for _, one in world.state.people.seated()]:
        _ask(world, key, Ready(world.new_id(), True))
    if world.owner:
        seats = [at for at, place in enumerate(world.state.people.places) if place is None]
        if seats and chance.random() < 0.5:
            _ask(world, world.owner, AddBot(world.new_id(), seats[0], "regular"))
        _ask(world, world.owner, Start(world.new_id()))


def kick(world: World, chance: Random) -> None:
    """Let the owner kick somebody."""
    if not world.owner:
        return
    people = world.state.people
    seats = [seat for seat, one in people.seated() if one.key != world.owner]
    names = [one.name for one in people.spectators.values()]
    if seats and chance.random() < 0.6:
        _ask(world, world.owner, Remove(world.new_id(), chance.choice(seats)))
    elif names:
        _ask(world, world.owner, RemoveSpectator(world.new_id(), chance.choice(names)))
    if chance.random() < 0.3:
        world.restart()


def crowd(world: World, chance: Random) -> None:
    """Let more people watch than the limit allows."""
    for key in CROWD[chance.randrange(len(CROWD)) :]:
        name = chance.choice(NAMES)
        _ask(world, key, Hello(world.new_id(), PROTOCOL_VERSION, name, "spectator"))


def strangers(world: World, chance: Random) -> None:
    """Let some ask to come in, and others not any more."""
    asking = [Asker(guest, odd_name(chance)) for guest in range(1, 5) if chance.random() < 0.5]
    world.table.note_asking(asking)
    world.tick()


def wait(world: World, chance: Random) -> None:
    """Let time pass; some clients send keepalives, the others are silent."""
    present = [one for one in world.people if chance.random() < 0.6]
    for second in range(chance.choice((1, 1, 2, 3, 5, 7, 8, 65))):
        world.wait(1)
        for person in present if second % 2 else ():
            person.live()
            world.deliver(person)


def sleep(world: World, chance: Random) -> None:
    """Suspend the host's computer: nothing happens, and then it is later."""
    seconds = chance.choice((2.5, 4, 61, 10_000))
    people = [one for one in world.state.people.everybody() if world.now - one.seen < AWAY_SECONDS]
    here = [one for one in people if not one.away]
    world.wait(seconds, ticking=False)
    if world.tick() and seconds > SUSPENDED_SECONDS:
        lost = [one.name for one in here if one.away]
        hold("nobody is away because the host slept", not lost, lost=lost)


def die(world: World, chance: Random) -> None:
    """Kill the host now, or during its next write to the record."""
    if chance.random() < 0.3:
        world.restart()
    else:
        world.journals.dies_after = chance.choice((0.0, chance.random(), 1.0))


def stop(world: World, chance: Random) -> None:
    world.stop()


def disk(world: World, chance: Random) -> None:
    """Fill the disk, or free space."""
    if chance.random() < 0.5:
        world.journals.full = not world.journals.full
    else:
        world.journals.full_at_end = not world.journals.full_at_end


ACTS: Final[dict[Act, int]] = {
    come: 12,
    arrive: 12,
    play: 14,
    wish: 10,
    ask: 22,
    repeat: 6,
    play_on: 6,
    play_out: 1,
    think: 4,
    move: 12,
    gather: 5,
    kick: 2,
    crowd: 1,
    strangers: 2,
    wait: 6,
    sleep: 1,
    die: 3,
    stop: 1,
    disk: 2,
}
"""Each act, and its weight."""


def _somebody(world: World, chance: Random) -> Person:
    """Return anybody, more often the owner: most requests are refused to others."""
    first = world.people[0]
    is_owner = first.key == world.owner
    return first if is_owner and chance.random() < 0.3 else chance.choice(world.people)


def _ask(world: World, key: str, request: Request) -> None:
    world.asked.setdefault(key, deque(maxlen=_REMEMBERED)).append(request)
    world.ask(key, request)
