"""Hosts that wait on a player's machine: for others, for tables, or for nothing any more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from msgspec.structs import replace

from coffeerush.client.connection import Link, Way
from coffeerush.client.model import Handover, Model
from coffeerush.client.succession import RIVAL_SECONDS, Successions
from coffeerush.joining.enrolment import Enrolment, Unreachable
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import new_keys
from coffeerush.moving.inheritance import Inheritance
from protocol import (
    NO_ID,
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Answer,
    Banner,
    Hello,
    Listening,
    Standby,
    Successor,
    Tick,
    encode,
    topic,
)
from tests.support.hosts import FakeHost, a_host, welcome
from tests.support.hosts_and_clients import SECONDS
from tests.support.local import LocalTable

OWN = Address("127.0.0.1", 47820)
WAY = Way(OWN, "Bob")
KEYS_OF_BOB = new_keys()
KEYS = {name: name[0] * 40 for name in ("Ann", "Bob", "Cid")}


class Machine:
    """A machine that starts hosts, of which it only keeps count, at its door with its key."""

    def __init__(self, door: Address = OWN, key: str = KEYS["Bob"]) -> None:
        self.waits = False
        self.has_the_table = False
        self.has_begun = False
        self._door, self._key = door, key

    def offer(self) -> Standby:
        return Standby(self._key, self._door.port)

    def prepare(self, tables: bytes, owner: str, name: str) -> Listening:
        self.waits = True
        return Listening(NO_ID, KEYS["Bob"], (OWN.host,), OWN.port)

    def go_on(self, table: bytes, owner: str, name: str) -> Address:
        assert not self.waits, "another host has the port"
        self.waits = True
        return self._door

    def begin(self) -> None:
        self.waits, self.has_the_table, self.has_begun = False, True, True

    def withdraw(self) -> bool:
        self.waits = self.has_the_table
        return not self.has_the_table

    def stop(self) -> None:
        self.waits = self.has_the_table = False


def lost() -> Model:
    """Return the model of Bob, the second of three whose machines could host the table."""
    local = LocalTable(3)
    local.link("Ann")
    bob = local.link("Bob").model
    successors = tuple(
        Successor(name, key, f"192.0.2.{number}", OWN.port)
        for number, (name, key) in enumerate(KEYS.items())
    )
    return replace(bob, standby=Standby(KEYS["Bob"], OWN.port), successors=successors)


def _successions(machine: Machine) -> Successions:
    return Successions(machine, lambda _wish: None, lambda _moved: None)


async def gone_on(machine: Machine) -> Successions:
    """Return Bob's once his machine waits for others."""
    ready = asyncio.Event()
    successions = _successions(machine)
    successions.go_on(lost(), ready.set)
    await ready.wait()
    return successions


def keys(doors: list[tuple[Address, str]]) -> list[str]:
    return [key for _door, key in doors]


def test_one_who_waits_gives_way_to_those_before_and_late_to_all() -> None:
    async def wait() -> None:
        successions = await gone_on(Machine())
        now = asyncio.get_running_loop().time()
        assert keys(successions.places(lost())) == [KEYS["Bob"]]
        assert keys(successions.rivals(lost(), now)) == [KEYS["Ann"]]
        both = [KEYS["Ann"], KEYS["Cid"]]
        assert keys(successions.rivals(lost(), now - RIVAL_SECONDS)) == both
        assert await successions.gives_way(lost(), KEYS["Bob"])
        assert keys(successions.places(lost())) == [KEYS["Bob"]]
        assert await successions.gives_way(lost(), KEYS["Ann"])
        assert keys(successions.places(lost())) == [*KEYS.values()]
        assert successions.rivals(lost(), now) == []

    asyncio.run(wait())


def test_one_who_has_the_table_gives_way_to_nobody() -> None:
    async def wait() -> None:
        machine = Machine()
        successions = await gone_on(machine)
        machine.has_the_table = True
        assert not await successions.gives_way(lost(), KEYS["Ann"])
        assert successions.goes_on

    asyncio.run(wait())


def test_one_who_leaves_lets_a_host_go_on_that_has_the_table() -> None:
    async def leave(machine: Machine) -> None:
        await (await gone_on(machine)).close()

    machine = Machine()
    asyncio.run(leave(machine))
    assert (machine.waits, machine.has_begun) == (False, False)
    machine.has_the_table = True
    asyncio.run(leave(machine))
    assert machine.has_begun


@asynccontextmanager
async def back_at_the_old_host(old: FakeHost, machine: Machine) -> AsyncIterator[Link]:
    """Let a client hear its host again, for which it has just started another one."""
    async with asyncio.timeout(SECONDS), Link(old.way, "Bob", understudy=machine) as link:
        await link.joined()
        ready = asyncio.Event()
        link.successions.go_on(link.model, ready.set)
        await ready.wait()
        yield link


async def hear(old: FakeHost, link: Link) -> None:
    """Let a client hear that its host is there."""
    model = link.model
    tick = Tick(model.epoch, model.seq, model.game, model.rev, ())
    await old.updates.send(topic(model.number) + encode(tick))
    with suppress(TimeoutError):
        async with asyncio.timeout(0.1):
            await link.changed(model)


async def test_a_host_that_waits_ends_once_the_old_one_is_back() -> None:
    machine = Machine()
    async with a_host(welcome) as old, back_at_the_old_host(old, machine) as link:
        while link.successions.goes_on:
            await hear(old, link)
        assert not machine.waits
        assert link.model.moved is None


async def test_a_client_goes_to_its_own_host_if_others_already_play_there() -> None:
    """They have lent it what it needs before this client had turned to it."""

    def welcome_there(hello: Hello) -> Answer:
        return replace(welcome(hello), epoch=b"epoch..2")

    keys = new_keys()
    async with a_host(welcome) as old, a_host(welcome_there, host=keys) as own:
        machine = Machine(own.way.address, keys.public.decode())
        async with back_at_the_old_host(old, machine) as link:
            machine.has_the_table = True
            while link.model.epoch != b"epoch..2":
                await hear(old, link)
                assert machine.has_the_table
            assert machine.has_begun
            assert link.is_at_own_host


class Turning(Link):
    """Bob's link; while a standby's door lets him in, he is at the table again."""

    def __init__(self, is_back: bool) -> None:
        super().__init__(WAY, "Bob")
        model = lost()
        assert model.table is not None
        table = replace(model.table, stage="game", failover=True)
        self.model = replace(model, table=table, status="lost")
        self._is_back = is_back
        versions = PROTOCOL_NAME, PROTOCOL_OLDEST, PROTOCOL_VERSION
        self._banner = Banner(*versions, table.name, 1, 2, KEYS["Ann"], code=False)

    async def _enrol(self, way: Way) -> Enrolment:
        if way.host_key != KEYS["Ann"]:
            raise Unreachable("The host is silent.")
        if self._is_back:
            self._set(replace(self.model, status="here"))
        return Enrolment(OWN.host, self._banner, KEYS_OF_BOB, is_here=False)


async def turned(link: Turning) -> str:
    """Try the door of Ann's standby; return to which one he has turned."""
    with suppress(Unreachable):
        await link._enrol_at_standby(lambda _model: [(OWN, KEYS["Ann"])], WAY)
    return link.model.turned_to


@pytest.mark.parametrize("is_back", [False, True])
def test_nobody_turns_to_a_standby_who_is_at_the_table_again(is_back: bool) -> None:
    assert asyncio.run(turned(Turning(is_back))) == ("" if is_back else KEYS["Ann"])


def test_the_host_of_a_handover_ends_before_another_one_takes_its_port() -> None:
    async def wait() -> None:
        machine, ready = Machine(), asyncio.Event()
        successions = _successions(machine)
        inherits = Handover(inherits=Inheritance(b"tables", 6), begun=True)
        successions.follow(replace(lost(), handover=inherits))
        successions.give_up_handover()
        successions.go_on(lost(), ready.set)
        await ready.wait()
        assert successions.trouble is None
        assert machine.waits

    asyncio.run(wait())
