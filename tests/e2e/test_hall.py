"""A host with several tables: watched from one another, back after a kill, in a tournament."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from random import Random

from coffeerush.client.connection import Link, Way
from coffeerush.client.model import Model
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import new_keys
from protocol import NO_ID, PROTOCOL_VERSION, CloseTable, Hello, LookAt, Said
from tests.support.hosts import KEY, way_to
from tests.support.hosts_and_clients import SECONDS, Deadline, Person, hosting, port_in
from tests.support.players import Player, chosen


def move(player: Player, chance: Random) -> int:
    """Make one move as soon as it is the player's turn; return the new rev."""
    deadline = Deadline()
    while not (wanted := chosen(current := player.ask("view"), chance)):
        deadline.left()
        player.hear()
    answer = player.ask("intent", **wanted)
    assert answer["type"] == "accepted", (answer, current)
    rev: int = answer["rev"]
    return rev


def sit_down(stack: ExitStack, port: int, name: str, table: int) -> Player:
    """Let somebody take the seat beside the bot of a table, so that its game begins."""
    player = stack.enter_context(Player(port, table=table))
    answer = player.ask("hello", protocol=6, name=name, role="player", table=table)
    assert answer["number"] == table, answer
    assert player.ask("ready", ready=True)["type"] == "done"
    return player


def test_all_tables_come_back_after_a_kill(tmp_path: Path) -> None:
    options = {"tables": 3, "seats": 2, "bots": ("regular",), "resume_latest": True}
    with ExitStack() as stack:
        host = stack.enter_context(hosting(tmp_path, **options))
        people = [sit_down(stack, host.port, name, at) for at, name in ((1, "Ann"), (3, "Bob"))]
        chance = Random(1)
        revs = [move(person, chance) for person in people for _each in range(3)][2::3]
        host.kill()
        again = stack.enter_context(hosting(tmp_path, port=host.port, **options))
        for person, rev in zip(people, revs, strict=True):
            snapshot = person.ask("sync")
            assert snapshot["game"] == 1, "it is the game that was played"
            assert snapshot["rev"] >= rev, "bots may have gone on"
        tables = people[0].ask("tables")["tables"]
        stages = [table["stage"] for table in tables]
        assert [stage == "lobby" for stage in stages] == [False, True, False]
        again.stop()


async def until(link: Link, seen: Callable[[Model], object]) -> Model:
    """Wait until a link's model is as wanted, and return it."""
    async with asyncio.timeout(SECONDS):
        while not seen(link.model):
            await link.changed(link.model)
    return link.model


def test_a_table_is_watched_from_another_one_until_it_is_closed(tmp_path: Path) -> None:
    """Over real sockets: with the publications of both tables, and a seat that stays."""

    async def watch(port: int, bob: Player) -> None:
        cid_way = Way(Address("127.0.0.1", port), "Cid", "", new_keys())
        async with AsyncExitStack() as stack:
            ann = await stack.enter_async_context(Link(way_to("127.0.0.1", port), "Ann"))
            await ann.joined()  # she sits down first
            cid = await stack.enter_async_context(Link(cid_way, "Cid"))
            await cid.joined()
            cid.wish(Hello(NO_ID, PROTOCOL_VERSION, "Cid", "player", 2))
            await until(cid, lambda model: model.number == 2)
            ann.wish(LookAt(NO_ID, 2))
            await until(ann, lambda model: model.looking)
            bob.ask("chat", text="Hi")
            bob.ask("chat", text="Pizza!", hall=True)
            # from the topic of that table, or after a gap with another look
            heard = (Said("Bob", "Hi"), Said("Bob", "Pizza!", "Café 2"))
            await until(ann, lambda model: model.looking and model.looking.log[-2:] == heard)
            model = await until(ann, lambda model: model.log[-1] == heard[1])
            assert (model.number, model.seat, model.owner) == (1, 0, True)
            ann.wish(CloseTable(NO_ID, 2))
            model = await until(ann, lambda model: model.looking is None)
            assert model.refusal is not None
            assert model.refusal.code == "no_such_table"
            assert (model.status, model.number, model.seat) == ("here", 1, 0)
            model = await until(cid, lambda model: model.number == 1)
            assert (model.status, model.seat) == ("here", 1), "he has a seat at the other table"

    options = {"table": "Café", "tables": 1, "seats": 2, "owner": KEY}
    with hosting(tmp_path, **options) as host, Player(host.port) as bob:
        bob.ask("hello", protocol=6, name="Bob", role="player", table="new")
        asyncio.run(watch(host.port, bob))


def test_people_enter_a_tournament_and_are_taken_to_their_seats(tmp_path: Path) -> None:
    host = ("host", "--plain", "--name", "Ann", "--port", "0", "--bind", "127.0.0.1")
    with Person(tmp_path / "ann", *host) as ann:
        port = port_in(ann.read_until("Type “start”"))
        join = ("join", f"127.0.0.1:{port}", "--plain", "--name", "Ben")
        with Person(tmp_path / "ben", *join) as ben:
            ann.read_until("Ben sits down")
            ann.say("tournament on")
            ben.read_until("Type “enter” to take part.")
            ben.say("enter")
            ben.read_until("You are in the tournament; 1 person has entered so far.")
            ann.say("enter")
            ann.read_until("2 people have entered")
            ann.say("round")
            for person, other in ((ann, "Ben"), (ben, "Ann")):
                person.read_until(f"Round 1 of 2: you play at Ann's table 2, against {other}.")
                person.read_until("You are at Ann's table 2 now.")
