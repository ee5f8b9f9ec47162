"""Walks: a table, a number of steps, and an end; a failing walk is reduced to fewer steps."""

import time
import traceback
from collections import Counter
from collections.abc import Collection
from random import Random
from typing import Final

from msgspec import Struct

from coffeerush.host.table.config import GONE_SECONDS
from coffeerush.host.table.people import Person as Member
from coffeerush.rules import legal_intents
from protocol import (
    MIN_PLAYERS,
    PROTOCOL_VERSION,
    AddBot,
    Hello,
    Intent,
    Ready,
    Snapshot,
    Start,
    Submit,
)

from . import acts
from .checks import Broken, check_model, check_recorded, hold
from .oracle import outcome_of
from .person import options, soonest
from .world import World

MOST_STEPS: Final = 160


class Finding(Struct):
    """A broken invariant, found on a walk."""

    seed: str
    promise: str
    seen: dict[str, object]
    steps: list[int]
    """The steps of the walk that it takes."""
    said: list[object]
    """The steps, requests and answers."""


def walk(seed: str, figures: Counter[str], keep: Collection[int] | None = None) -> Finding | None:
    """Walk, and return the finding, if any.

    `keep` is which steps to take; all by default. Each step has its own random source.
    """
    length = Random(f"{seed} length").randint(1, MOST_STEPS)
    steps = [at for at in range(length) if keep is None or at in keep]
    figures["tables"] += 1
    world: World | None = None
    try:
        world = World(seed, figures)
        for at in steps:
            figures["steps"] += 1
            acts.step(world, Random(f"{seed} {at}"))
        _finish(world, Random(f"{seed} end"))
    except Broken as broken:
        said = world.said if world else []
        return Finding(seed, broken.promise, broken.seen, steps, said)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        said = world.said if world else []
        where = traceback.format_exc().splitlines()[-7:]
        promise = f"nothing raises: {type(error).__name__}"
        return Finding(seed, promise, {"error": where}, steps, said)
    return None


def _finish(world: World, chance: Random) -> None:
    settle(world)
    check_recorded(world.state, [*world.journals.records()])
    end_game(world)
    play_another(world, chance)
    check_recorded(world.state, records := [*world.journals.records()])
    world.memory.check_records(records)


def shrink(finding: Finding, seconds: float) -> Finding:
    """Return the finding with fewer steps, as far as time allows."""
    end = time.monotonic() + seconds
    size = max(len(finding.steps) // 2, 1)
    while time.monotonic() < end:
        smaller = _without_some(finding, size, end)
        if smaller is not None:
            finding = smaller
            size = min(size, max(len(finding.steps) // 2, 1))
        elif size == 1:
            break
        else:
            size //= 2
    return finding


def _without_some(finding: Finding, size: int, end: float) -> Finding | None:
    """Return the finding without some consecutive steps, if it still fails."""
    steps = finding.steps
    for at in range(0, len(steps), size):
        if time.monotonic() > end:
            return None
        found = walk(finding.seed, Counter(), {*steps[:at], *steps[at + size :]})
        if found is not None and found.promise == finding.promise:
            return found
    return None


MOST_MOVES: Final = 6000


def settle(world: World) -> None:
    """Deliver all messages, and check each client's state against the truth."""
    world.journals.full = world.journals.full_at_end = False
    world.journals.dies_after = None
    for _ in range(4):
        world.wait(1)
        for person in world.people:
            person.live()
        for person in world.people:
            world.deliver(person)
    for person in world.people:
        model = person.model
        if model.status == "here" and person.quiet:
            world.figures["clients compared"] += 1
            check_model(world.state, person.key, world.owner, model)


def end_game(world: World) -> None:
    """Let everybody go silent: bots play to the end of the game."""
    number = world.state.number
    for _ in range(MOST_MOVES):
        if not world.plays() or world.state.number != number:
            return
        turn = world.table.bot_turn()
        if turn is None:
            world.wait(1)
            continue
        hold("a bot has something to do", options(turn.view))
        world.bot_move(turn, soonest(options(turn.view)))
    hold("a game ends when everybody is silent", None, rev=world.state.rev)


def play_another(world: World, chance: Random) -> None:
    """Start a new game after everybody was gone."""
    number = world.state.number
    world.wait(GONE_SECONDS + 10)
    state = world.state
    if world.plays() or state.all_played or state.number != number:
        return  # bots among themselves
    there = [one.key for one in state.people.everybody() if not one.left]
    hold("who is silent for long is given up", not there, there=there)
    keys = [one.key for one in world.people if one.key not in state.people.removed]
    keys += [str(digit) * 40 for digit in range(4)]
    alone = chance.random() < 0.5
    keys = [key for key in keys if key != world.owner]
    if world.owner and not alone:
        keys.insert(0, world.owner)
    for key in keys[: state.config.seats]:
        answer = world.ask(key, Hello(world.new_id(), PROTOCOL_VERSION, "Back", "player"))
        if not isinstance(answer, Snapshot) or answer.seat is None:
            break
    for _, person in [*state.people.seated()]:
        if not world.plays() and not person.left:
            world.ask(person.key, Ready(world.new_id(), True))
    if world.owner and not alone and not world.plays():
        _start(world)
    hold("people can play again", world.plays(), stage=state.stage, table=state.table_view())
    hold("it is another game", state.number == number + 1)
    _move(world, chance)


def _start(world: World) -> None:
    state = world.state
    if state.people.find(world.owner) is None:
        answer = world.ask(
            world.owner, Hello(world.new_id(), PROTOCOL_VERSION, "Owner", "spectator")
        )
        hold("the owner can come back", isinstance(answer, Snapshot), answer=answer)
    if len(state.people.staying()) < MIN_PLAYERS:
        seat = state.people.open_seat()
        hold("there is a seat for another player", seat is not None)
        world.ask(world.owner, AddBot(world.new_id(), seat or 0, "casual"))
    answer = world.ask(world.owner, Start(world.new_id()))
    assert answer is not None  # nothing kills the host any more
    hold("the owner can start", outcome_of(answer) == "done", answer=answer)


def _move(world: World, chance: Random) -> None:
    """Let every active player act, for a while."""
    for _ in range(10):
        game = world.state.playing
        if game is None or game.state.active is None:
            return
        turn = world.table.bot_turn()
        intent = chance.choice(legal_intents(game.state))
        if turn is not None:
            world.bot_move(turn, intent)
            continue
        place = world.state.people.places[game.state.active]
        hold("somebody may act", isinstance(place, Member))
        rev = game.rev
        world.now += 1
        world.ask(game.keys[game.state.active], _submit(world, intent))
        hold("who may act can", game.rev == rev + 1)


def _submit(world: World, intent: Intent) -> Submit:
    return Submit(world.new_id(), world.state.number, world.state.rev, intent)
