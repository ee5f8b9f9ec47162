"""Real hosts: a table goes on at another player's computer, with everybody who is there."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from random import Random

import pytest

from coffeerush.client.bot_guest import GuestBot, act
from coffeerush.client.connection import Link
from coffeerush.client.model import Model
from coffeerush.host.children import HostProcess
from coffeerush.host.server.parent import HostOptions
from coffeerush.joining.enrolment import Way
from coffeerush.joining.hosts import Address
from coffeerush.local.keys import KeyPair, keys_for, new_keys
from coffeerush.records.writing import load_record, newest_records
from coffeerush.ui.understudy import HostUnderstudy
from protocol import (
    NO_ID,
    PROTOCOL_VERSION,
    Chat,
    HandOver,
    HandoverFailed,
    Hello,
    Listening,
    Ready,
    Said,
    Start,
    TableView,
    TakeOver,
)
from tests.support.hosts_and_clients import SECONDS, Host, Person, host_of, hosting, port_in
from tests.support.players import Player

pytestmark = pytest.mark.slow
PAUSE_AT = 40
"""The rev at which nobody plays on before the handover."""


class Gathering:
    """Ann, whose host runs apart; Bea, whose program could host; and Cid."""

    def __init__(self, stack: AsyncExitStack, host: Host, ann: KeyPair, bea: Path) -> None:
        self.processes: list[HostProcess] = []
        options = HostOptions(bind="127.0.0.1", port=0)
        self.understudy = HostUnderstudy(bea, self.processes.append, options)
        self.goes_on = asyncio.Event()
        """Whether they play on after `PAUSE_AT`."""
        self._stack = stack
        self._address = Address("127.0.0.1", host.port)
        self._keys = ann
        self.links: list[Link] = []

    async def sit_down(self) -> tuple[Link, Link, Link]:
        for name, keys, own in (
            ("Ann", self._keys, None),
            ("Bea", None, self.understudy),
            ("Cid", new_keys(), None),
        ):
            way = Way(self._address, name, keys=keys, files_keys=name != "Cid")
            link = await self._stack.enter_async_context(Link(way, name, understudy=own))
            await link.joined()
            self.links.append(link)
        ann, bea, cid = self.links
        return ann, bea, cid

    def play(self) -> list["asyncio.Task[None]"]:
        return [asyncio.create_task(self._play(link)) for link in self.links]

    async def _play(self, link: Link) -> None:
        bot = GuestBot("casual", Random(1))
        while (model := link.model).status != "over" and not _is_result(model):
            if model.rev >= PAUSE_AT:
                await self.goes_on.wait()
            await act(link, link.model, bot)
            if link.model is model:
                await link.changed(model)


def _stands_still(model: Model) -> bool:
    return bool(model.table and model.table.moving and model.table.moving.agreed)


def _said(model: Model) -> list[str]:
    return [event.text for event in model.log if isinstance(event, Said)]


def _is_result(model: Model) -> bool:
    return model.table is not None and model.table.stage == "result"


async def until(link: Link, wanted: Callable[[Model], object]) -> Model:
    """Wait for the first model that is wanted."""
    async with asyncio.timeout(SECONDS):
        while not wanted(model := link.model):
            await link.changed(model)
    return model


def gathering(
    stack: ExitStack, state: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Host, KeyPair, Path]:
    monkeypatch.setenv("COFFEERUSH_STATE", str(state / "bea"))
    ann = new_keys()
    host = stack.enter_context(hosting(state / "ann", seats=3, owner=ann.public.decode()))
    return host, ann, state / "bea" / "records"


@pytest.mark.parametrize("leaving", [False, True])
def test_a_game_is_handed_over_and_played_to_its_end(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch, leaving: bool
) -> None:
    host, keys, records = gathering(stack, tmp_path, monkeypatch)

    async def evening() -> None:
        async with AsyncExitStack() as links:
            there = Gathering(links, host, keys, records)
            ann, bea, cid = await there.sit_down()
            assert ann.model.owner
            await until(ann, lambda model: model.table and model.table.standbys == ("Bea",))
            playing = there.play()
            await until(ann, lambda model: model.table and all(s.ready for s in model.table.seats))
            ann.wish(Start(NO_ID))
            await until(cid, lambda model: model.rev >= PAUSE_AT)
            ann.wish(HandOver(NO_ID, "Bea", leaving))
            await until(bea, lambda model: model.table and model.table.moving)
            bea.wish(TakeOver(NO_ID, True))
            await until(cid, _stands_still)
            cid.wish(Chat(NO_ID, "Who hosts?"))
            moved = await until(cid, lambda model: model.table and model.table.term > 1)
            for link in there.links[leaving:]:
                await until(link, lambda model: _said(model) == ["Who hosts?"])
            there.goes_on.set()
            assert moved.epoch == bea.model.epoch
            if leaving:
                assert (await until(ann, lambda model: model.status == "over")).ending == "left"
                await ann.__aexit__()
                assert cid.address is not None
                async with Link(Way(cid.address, "Ann"), "Ann") as back:
                    assert (await back.joined()).name == "Ann"
                    assert back.model.key == ann.model.key
                    await back.leave()
            await until(bea, lambda model: model.owner)
            for link in there.links[leaving:]:
                await until(link, _is_result)
            await asyncio.gather(*playing[leaving:])
            assert cid.address == Address("127.0.0.1", there.processes[0].port)
            playing[0].cancel()
        there.processes[0].stop()
        bea_key = keys_for(there.understudy.offer().key, "Bea")  # type: ignore[union-attr]
        assert bea_key.public.decode() == bea.model.key

    asyncio.run(evening())
    (path,) = newest_records(records)
    record = load_record(path)
    assert record.end is not None
    assert [one.name for one in record.relocations] == ["Bea"]
    (old,) = newest_records(tmp_path / "ann" / "records")
    before = load_record(old)
    assert before.relocations[0].address == "127.0.0.1"
    assert record.moves[: len(before.moves)] == before.moves
    assert not [*records.glob("*.incoming")]
    assert not [*(tmp_path / "ann" / "open").glob("*.json")], "the way back is not here any more"
    host.stop()


@pytest.mark.parametrize("tables", [1, 2])
def test_who_has_left_comes_back_to_their_seat(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch, tables: int
) -> None:
    """Dee leaves before the table moves, Ann with the handover, and Cid from the new host."""
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path / "guests"))
    keys = new_keys()
    owner = keys.public.decode()
    host = stack.enter_context(hosting(tmp_path / "ann", seats=4, owner=owner, tables=tables))
    at_ann = Address("127.0.0.1", host.port)
    options = HostOptions(bind="127.0.0.1", port=0)
    processes: list[HostProcess] = []
    before: dict[str, tuple[int, int | None, str]] = {}
    own = HostUnderstudy(tmp_path / "guests" / "records", processes.append, options)

    async def evening() -> None:
        async with Link(Way(at_ann, "Bea"), "Bea", understudy=own) as bea:
            ann = await _entered(Way(at_ann, "Ann", keys=keys))
            await bea.joined()
            cid, dee = await _entered(Way(at_ann, "Cid")), await _entered(Way(at_ann, "Dee"))
            for link in (bea, cid, dee):
                link.wish(Ready(NO_ID, True))
            await until(ann, _table(lambda table: all(seat.ready for seat in table.seats)))
            ann.wish(Start(NO_ID))
            for link in (ann, cid, dee):
                model = await until(link, _table(lambda table: table.stage == "game"))
                before[model.name] = model.number, model.seat, model.key
            await _gone(dee)
            await until(ann, _table(lambda table: table.standbys == ("Bea",)))
            ann.wish(HandOver(NO_ID, "Bea", True))
            await until(bea, _table(lambda table: table.moving))
            bea.wish(TakeOver(NO_ID, True))
            await until(ann, lambda model: model.status == "over")
            await _gone(ann)
            await until(cid, _table(lambda table: table.term > 1))
            await _gone(cid)
            at_bea = Address("127.0.0.1", processes[0].port)
            await until(bea, _table(lambda table: sum(seat.away for seat in table.seats) == 3))
            await until(bea, lambda model: model.owns_hall)  # so she can hand the tables on
            for name in ("Cid", "Ann", "Dee"):
                back = await _entered(Way(at_bea, name))
                model = back.model
                assert (model.name, (model.number, model.seat, model.key)) == (name, before[name])
                await _gone(back)
            stranger = await _entered(Way(at_bea, "Dee", keys=new_keys(), files_keys=False))
            place = stranger.model.number, stranger.model.seat
            assert place not in [(number, seat) for number, seat, _key in before.values()]
            await _gone(stranger)
        processes[0].stop()

    asyncio.run(evening())
    host.stop()


def test_the_menu_leads_back_to_where_a_table_has_moved(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner leaves twice, and finds it again here and at Bea's; then Bea's host ends."""
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path / "bea"))
    # a table nearby that has the same name would be taken for this one
    words = ("host", "--plain", "--name", "Zora", "--port", "0", "--bind", "127.0.0.1")
    ann = stack.enter_context(Person(tmp_path / "ann", *words))
    port = port_in(ann.read_until("Type “start”"))
    processes: list[HostProcess] = []
    options = HostOptions(bind="127.0.0.1", port=0)
    own = HostUnderstudy(tmp_path / "bea" / "records", processes.append, options)

    async def evening() -> None:
        async with Link(Way(Address("127.0.0.1", port), "Bea"), "Bea", understudy=own) as bea:
            await until(bea, _table(lambda table: "Bea" in [seat.name for seat in table.seats]))
            await asyncio.to_thread(ann.read_until, "Bea sits down")
            await until(bea, _table(lambda table: table.standbys))
            ann.say("leave")
            assert await asyncio.to_thread(ann.wait) == 0, ann.text
            again = stack.enter_context(Person(tmp_path / "ann", "--name", "Zora"))
            await asyncio.to_thread(again.read_until, "b. Back to your table: Zora's table")
            await asyncio.to_thread(again.talk, ("b", "You are at the table as Zora"))
            again.say("host Bea")
            await until(bea, _table(lambda table: table.moving))
            bea.wish(TakeOver(NO_ID, True))
            await asyncio.to_thread(again.read_until, "The table is on Bea's computer now.")
            await asyncio.to_thread(again.talk, ("leave", "b. Back to your table: Zora's table"))
            await until(
                bea, _table(lambda table: "Zora" not in [seat.name for seat in table.seats])
            )
            again.say("b")
            await until(bea, _table(lambda table: "Zora" in [seat.name for seat in table.seats]))
            await asyncio.to_thread(again.talk, ("leave", "b. Back to your table: Zora's table"))
            await asyncio.to_thread(processes[0].stop)
            await asyncio.to_thread(again.talk, ("b", "No host is running at 127.0.0.1:"))
            again.say("0")
            assert await asyncio.to_thread(again.wait) == 0, again.text
            assert "Back to your table" not in again.text.rpartition("No host is running")[2]

    asyncio.run(evening())


def test_the_menu_leads_who_only_watches_now_to_where_the_table_has_moved(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else has taken the seat of Cid, who sees the table move, and leaves again."""
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path / "bea"))
    keys = new_keys()
    owner = keys.public.decode()
    host = stack.enter_context(hosting(tmp_path / "ann", seats=2, owner=owner))
    address = Address("127.0.0.1", host.port)
    words = ("join", f"127.0.0.1:{host.port}", "--plain", "--name", "Cid")
    with Person(tmp_path / "cid", *words) as cid:
        cid.talk(("leave", "You have left the table."))
        assert cid.wait() == 0
    cid = stack.enter_context(Person(tmp_path / "cid", "--name", "Cid"))
    processes: list[HostProcess] = []
    options = HostOptions(bind="127.0.0.1", port=0)
    own = HostUnderstudy(tmp_path / "bea" / "records", processes.append, options)

    async def evening() -> None:
        async with (
            Link(Way(address, "Ann", keys=keys), "Ann") as ann,
            Link(Way(address, "Bea"), "Bea", understudy=own) as bea,
        ):
            await until(bea, lambda model: model.seat is not None)
            await until(bea, _table(lambda table: table.standbys))
            await asyncio.to_thread(cid.talk, ("b", "Bea"))
            await until(ann, _table(lambda table: "Cid" in table.spectators))
            ann.wish(HandOver(NO_ID, "Bea"))
            await until(bea, _table(lambda table: table.moving))
            bea.wish(TakeOver(NO_ID, True))
            await asyncio.to_thread(cid.read_until, "The table is on Bea's computer now.")
            await asyncio.to_thread(cid.talk, ("leave", "b. Back to your table"))
            await asyncio.to_thread(host.stop)
            cid.text = ""
            cid.say("b")
            told = await asyncio.to_thread(cid.read_until, "You are watching", "No host")
            assert "You are watching" in told
        await asyncio.to_thread(processes[0].stop)

    asyncio.run(evening())


def ask_to_host(owner: Person, name: str) -> None:
    """Ask somebody who may still be on the way to the table."""
    asked, early = f"{name} has been asked to host the table.", "Nobody else here can host"
    while asked not in owner.text:
        owner.text = ""
        owner.say(f"host {name}")
        owner.read_until(asked, early)


def test_a_table_goes_back_to_where_it_came_from(tmp_path: Path, stack: ExitStack) -> None:
    """There is a second table; Bea, who has hosted both, leaves with the second handover."""
    here = ("--plain", "--name", "Ann", "--port", "0", "--bind", "127.0.0.1")
    ann = stack.enter_context(Person(tmp_path / "ann", "host", *here))
    port = port_in(ann.read_until("Type “start”"))

    async def opened() -> None:
        async with Link(Way(Address("127.0.0.1", port), "Cid"), "Cid") as cid:
            await cid.joined()
            cid.wish(Hello(NO_ID, PROTOCOL_VERSION, "Cid", "player", "new"))
            await until(cid, lambda model: model.number > 1)
            await asyncio.to_thread(handed_over)

    def handed_over() -> None:
        words = ("join", f"127.0.0.1:{port}", "--plain", "--name", "Bea")
        bea = stack.enter_context(Person(tmp_path / "bea", *words))
        bea.read_until("You are at the table as Bea")
        ann.read_until("Bea sits down")
        for owner, heir in ((ann, bea), (bea, ann)):
            name = "Bea" if heir is bea else "Ann"
            ask_to_host(owner, name)
            heir.read_until("Type “host accept”")
            heir.talk(("host accept", "The table is on your computer now."))
            owner.read_until(f"The table is on {name}'s computer now.")
        bea.say("leave")
        assert bea.wait() == 0, bea.text
        assert "The table has moved to another computer; come back with:" in bea.text

    asyncio.run(opened())


def test_the_name_in_a_game_leads_back_to_it_whatever_the_person_is_called_now(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann is called Zoe when she reopens her table, which then moves to Bea's computer."""
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path / "bea"))
    words = ("host", "--plain", "--name", "Ann", "--seats", "2", "--first", "Ben", "--port", "0")
    with Person(tmp_path / "ann", *words, "--bind", "127.0.0.1") as ann:
        port = port_in(ann.read_until("coffeerush join"))
        with Player(port) as ben:
            ben.sit_down("Ben")
            assert ben.ask("ready", ready=True)["type"] == "done"
            ann.talk(("start", "type “place” and a row"))
        os.kill(host_of(tmp_path / "ann"), signal.SIGKILL)
        ann.process.kill()
    zoe = stack.enter_context(Person(tmp_path / "ann", "--name", "Zoe"))
    processes: list[HostProcess] = []
    options = HostOptions(bind="127.0.0.1", port=0)
    own = HostUnderstudy(tmp_path / "bea" / "records", processes.append, options)

    async def evening() -> None:
        await asyncio.to_thread(zoe.read_until, "c. Reopen your table")
        await asyncio.to_thread(zoe.talk, ("c", "You are at the table as Ann"))
        way = Way(Address("127.0.0.1", port), "Bea")
        async with Link(way, "Bea", "spectator", understudy=own) as bea:
            await until(bea, _table(lambda table: table.standbys))
            await asyncio.to_thread(zoe.read_until, "Bea is watching")
            zoe.say("host Bea")
            await until(bea, _table(lambda table: table.moving))
            bea.wish(TakeOver(NO_ID, True))
            await asyncio.to_thread(zoe.read_until, "The table is on Bea's computer now.")
            there = f"join 127.0.0.1:{processes[0].port} --name Ann"
            leaving = ("leave", "Leave the table?"), ("leave", "b. Back to your table: Ann's table")
            await asyncio.to_thread(zoe.talk, *leaving)
            with Person(tmp_path / "ann", *there.split(), "--plain") as again:
                back = "You are at the table as Ann;"
                assert back in await asyncio.to_thread(again.read_until, back, "You are watching")
                await asyncio.to_thread(again.talk, *leaving[:1])
                again.say("leave")
                assert await asyncio.to_thread(again.wait) == 0
            await asyncio.to_thread(zoe.talk, ("b", back))
        await asyncio.to_thread(processes[0].stop)

    asyncio.run(evening())


def _table(wanted: Callable[[TableView], object]) -> Callable[[Model], object]:
    return lambda model: model.table and wanted(model.table)


async def _entered(way: Way) -> Link:
    link = Link(way, way.name)
    await link.__aenter__()
    await link.joined()
    return link


async def _gone(link: Link) -> None:
    await link.leave()
    await link.__aexit__()


def test_a_host_that_cannot_read_the_tables_leaves_them_where_they_are(
    tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, keys, records = gathering(stack, tmp_path, monkeypatch)

    async def evening() -> None:
        async with AsyncExitStack() as links:
            there = Gathering(links, host, keys, records)
            ann, bea, cid = await there.sit_down()
            await until(ann, lambda model: model.table and model.table.standbys)
            prepare = there.understudy.prepare

            def fails(tables: bytes, owner: str, name: str) -> Listening:
                return prepare(tables[1:], owner, name)

            monkeypatch.setattr(there.understudy, "prepare", fails)
            ann.wish(HandOver(NO_ID, "Bea"))
            await until(bea, lambda model: model.table and model.table.moving)
            bea.wish(TakeOver(NO_ID, True))
            await until(
                cid, lambda model: any(isinstance(one, HandoverFailed) for one in model.log)
            )
            assert str(bea.successions.trouble)
            cid.wish(Chat(NO_ID, "We stay."))
            await until(ann, lambda model: any(isinstance(one, Said) for one in model.log))
            assert cid.model.table is not None
            assert cid.model.table.term == 1
            assert there.processes == []

    asyncio.run(evening())
    assert newest_records(records) == []
    host.stop()
