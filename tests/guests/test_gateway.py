"""Who is let in, and for how long that holds: at a gateway in this process, over ssh and a page."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import asyncssh
import pytest
import zmq

from coffeerush.bots import RegularBot
from coffeerush.client.connection import Link
from coffeerush.errors import CoffeeRushError
from coffeerush.guests.front_end import FrontEnd, Shares
from coffeerush.guests.gateway import Gateway, HostDoor
from coffeerush.guests.places import GUESTS_PER_SOURCE
from coffeerush.guests.register import (
    AddressAndName,
    BrowserToken,
    Gate,
    Identity,
    Register,
    SshKey,
    digest,
)
from coffeerush.guests.ssh import SshTerminal
from coffeerush.guests.visit import receive
from coffeerush.joining.admission import TABLE_TRIES
from coffeerush.joining.hosts import Address
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.local.settings import Settings
from coffeerush.ui.terminal.canvas import Look
from coffeerush.ui.terminal.fullscreen import Program
from protocol import NO_ID, EndTurn, Ready, RefusedError
from tests.support.guests import Reception, receiving, screen_of
from tests.support.hosts_and_clients import SECONDS, Host, Peer, hosting

CODE, OTHER = "apple-tiger-moon", "moon-tiger-apple"
KEYS = zmq.curve_keypair()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("host")
    with hosting(folder, seats=4, owner=KEYS[0].decode()) as host:
        yield host


class Visitor(FrontEnd):
    """A guest whose machine says who they are, and who has proved the code before."""

    kind = "ssh"
    grace_seconds = 0.0

    def __init__(self, address: str, identity: Identity, *, is_broken: bool = False) -> None:
        super().__init__(Shares(), address, 80, 24)
        self.identity = identity
        self.is_broken = is_broken
        self.is_admitted = False
        self.text = ""

    def identify(self, name: str) -> Identity:
        assert self.identity
        return self.identity

    def admitted(self) -> None:
        super().admitted()
        self.is_admitted = True

    def show(self, program: Program, look: Look, settings: Settings) -> Iterator[None]:
        self.text = "\n".join(program.frame(*self.size).lines())
        if self.is_broken and self.is_admitted:
            raise ZeroDivisionError
        yield

    def bell(self) -> None: ...

    def title(self, text: str) -> None: ...


def visit(reception: Reception, visitor: Visitor, name: str = "Ann") -> "asyncio.Task[str]":
    """Let somebody in who has proved the code."""
    gateway, source = reception.gateway, visitor.address
    identity = visitor.identify(name)
    gateway.admit(identity, name, "player", reception.code, Settings(), source)
    return asyncio.create_task(receive(gateway, visitor, ["en"]))


# Identities


@pytest.mark.slow
async def test_no_token_lets_in_but_the_one_that_was_given(house: Host, tmp_path: Path) -> None:
    """Whatever it says, somebody else's identity over ssh included, the answer is the same."""
    async with receiving(house, tmp_path) as reception:
        key = asyncssh.generate_private_key("ssh-ed25519")
        async with (
            await reception.connect("Ann") as first,
            await reception.connect("Bea", client_keys=[key]) as second,
            reception.page() as cid,
            reception.page() as dee,
        ):
            for connection, name in ((first, "Ann (ssh)"), (second, "Bea (ssh)")):
                screen = await screen_of(connection)
                await screen.enter(reception.code)
                await screen.see(name)
            ticket = (await cid.ask("Cid"))["ticket"]
            await cid.enter((await reception.asks("Cid"))[1])
            token = (await cid.hear("token"))["token"]
            waiting = (await dee.ask("Dee"))["ticket"]
            print_ = key.get_fingerprint()
            known: list[Identity] = [
                AddressAndName("127.0.0.1", "ann"),
                SshKey(print_),
                BrowserToken(token),
            ]
            assert all(map(reception.gateway.register.find, known))
            forged = [
                *("", " ", "x" * 32, "x" * 256, "\0", "None", "*", "../guests", "null", "{}"),
                *("ssh 127.0.0.1 ann", "ssh 127.0.0.1 Ann", "127.0.0.1 ann", "ann", "Ann (ssh)"),
                *(f"ssh key {print_}", print_, print_.partition(":")[2]),
                *(digest(one) for one in known),
                *(str(one) for one in known),
                *(json.dumps({"type": "ssh_key", "fingerprint": print_}), reception.code),
                *(token[:-1], token + "=", f" {token}", token.swapcase(), token[::-1]),
                *(ticket, waiting, f"web {token}"),
            ]
            answers = set()
            for number, one in enumerate(forged):
                async with reception.page(f"127.0.1.{number + 1}", token=one) as page:
                    answers.add((await page.at("ask"))["note"])
            assert answers == {""}
            for number, wrong in enumerate((token, *forged)):
                if wrong not in (ticket, waiting):  # as a ticket, these are for their own pages
                    async with reception.page(f"127.0.1.{number + 1}", ticket=wrong) as page:
                        await page.at("ask")
            for value in (None, 7, True, [token], {"secret": token}, "x" * 257, "\ud800"):
                async with reception.page(token=value) as page:
                    assert await page.is_closed()
            assert reception.gateway.guests == 3
            async with reception.page(token=token) as page:
                await page.at("table")
                assert await page.name() == "Cid (web)"


@pytest.mark.slow
async def test_without_a_key_another_machine_of_the_network_is_somebody_else() -> None:
    addresses = ("fd77::a", "fd77::b", "fd77::a")
    here, there, again = (
        SshTerminal(
            *(Shares(), address, (80, 24), {"TERM": "xterm"}, ""),
            *(lambda _data: None, lambda: None, lambda: 0),
        )
        for address in addresses
    )
    assert here.identify("Ann") == again.identify("ann") != there.identify("Ann")


# The code that was proved


async def test_a_proof_holds_for_the_code_that_was_proved(house: Host, tmp_path: Path) -> None:
    async with (
        receiving(house, tmp_path) as reception,
        await reception.connect("Ann") as first,
        await reception.connect("ann") as second,
    ):
        ann, other = await screen_of(first), await screen_of(second)
        await ann.enter(reception.code)
        await ann.see("Ann (ssh)")
        await other.see("Code")
        other.write(f"{reception.code}\r")
        await other.see("Somebody here has that name")
        reception.gateway.new_code(OTHER)
        other.write("\x15Eve\r")
        await other.see("wrong or has changed")
        other.write(f"{reception.code}\r")
        await other.see("wrong or has changed")
        assert reception.gateway.guests == 1


@pytest.mark.parametrize(
    ("has_sat", "is_here", "lets_in"),
    [(False, True, False), (True, True, False), (False, False, False), (True, False, True)],
)
async def test_the_host_lets_in_nobody_who_proved_an_old_code(
    house: Host, tmp_path: Path, has_sat: bool, is_here: bool, lets_in: bool
) -> None:
    """Before the gateway hears of the new one: here it has another than the host.

    Only on another machine the host is first asked whether it knows the guest's key.
    """
    async with receiving(house, tmp_path, code=OTHER, is_here=is_here) as reception:
        eve = Visitor("127.0.0.1", SshKey("eve"))
        if has_sat:
            reception.gateway.admit(SshKey("eve"), "Eve", "player", OTHER, Settings(), "here")
            reception.gateway.register.note(SshKey("eve"), "sat")
        visiting = visit(reception, eve, "Eve")
        await reception.until(lambda: eve.is_admitted or "wrong or has changed" in eve.text)
        assert eve.is_admitted == lets_in
        visiting.cancel()


async def test_guests_join_no_host_but_the_one_that_proved_the_code(
    house: Host, tmp_path: Path
) -> None:
    async with receiving(house, tmp_path, key=KEYS[0].decode()) as reception:
        ann = Visitor("127.0.0.1", SshKey("ann"))
        visiting = visit(reception, ann)
        await reception.until(lambda: "A different host now answers" in ann.text)
        assert not ann.is_admitted
        visiting.cancel()


async def test_only_who_is_at_the_table_need_not_give_a_new_code(
    house: Host, tmp_path: Path
) -> None:
    async with receiving(house, tmp_path) as reception:
        gateway = reception.gateway
        here, coming = Visitor("127.0.0.1", SshKey("here")), Visitor("127.0.0.1", SshKey("coming"))
        visits = [visit(reception, here)]
        await reception.until(lambda: here.is_admitted)
        visits.append(visit(reception, coming))
        await reception.until(lambda: gateway.guests == 2)
        gateway.new_code(OTHER)
        assert gateway.code_proved_by(here.identity) == OTHER
        assert gateway.code_proved_by(coming.identity) is None
        for each in visits:
            each.cancel()


async def test_the_host_is_told_once_that_it_needs_a_new_code(tmp_path: Path) -> None:
    told: list[None] = []
    door = HostDoor(Address("127.0.0.1", 1), "")
    register = Register(tmp_path / "guests.json")
    gateway = Gateway(door, "", "", Gate(OTHER, Random(1)), register, lambda: told.append(None))
    for number in range(TABLE_TRIES + 2):
        with pytest.raises(RefusedError):
            gateway.check_code(70.0 * number, f"192.0.2.{number}", "apple-apple-apple", "en")
    assert len(told) == 1
    gateway.new_code(CODE)
    assert gateway.check_code(70.0 * TABLE_TRIES, "192.0.2.99", CODE, "en") == CODE


async def test_visitors_are_told_which_table_it_is_and_whose(tmp_path: Path) -> None:
    def heading(table: str, owner: str) -> str:
        door, register = HostDoor(Address("127.0.0.1", 1), ""), Register(tmp_path / "guests.json")
        gate = Gate(OTHER, Random(1))
        return Gateway(door, table, owner, gate, register, lambda: None).heading

    assert heading("Kitchen", "Ann") == "Kitchen, hosted by Ann"
    assert heading("Ann's table", "Ann") == "Ann's table"
    assert heading("Kitchen", "") == "Kitchen"
    assert heading("", "") == ""


# Places


@pytest.mark.slow
async def test_one_source_has_only_so_many_guests_and_the_rest_wait_in_their_places(
    house: Host, tmp_path: Path
) -> None:
    async with receiving(house, tmp_path) as reception:
        crowd = [Visitor("192.0.2.1", SshKey(f"{n}")) for n in range(GUESTS_PER_SOURCE + 1)]
        visits = [visit(reception, one) for one in crowd[:-1]]
        for one in crowd[:-1]:
            reception.gateway.register.note(one.identify(""), "sat")
        await reception.until(lambda: reception.gateway.guests == GUESTS_PER_SOURCE)
        visits.append(visit(reception, crowd[-1]))
        await reception.until(lambda: "too many guests" in crowd[-1].text)
        assert not crowd[-1].is_admitted
        for source in ("192.0.2.2", "127.0.0.1"):
            assert reception.gateway._has_room(source)
        for each in visits:
            each.cancel()


async def test_a_bug_on_a_screen_does_not_keep_its_guest_at_the_table(
    house: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))  # the bug goes on record there
    async with receiving(house, tmp_path) as reception:
        ann = Visitor("127.0.0.1", SshKey("ann"), is_broken=True)
        with pytest.raises(CoffeeRushError):
            await visit(reception, ann)
        await reception.until(lambda: not reception.gateway.guests)


async def test_a_guest_comes_back_only_once_the_host_knows_that_they_left(
    house: Host, tmp_path: Path
) -> None:
    """Else the bye of the old connection could come after the hello of the new one."""
    async with receiving(house, tmp_path) as reception:
        ann = Visitor("127.0.0.1", SshKey("ann"))
        visiting = visit(reception, ann)
        await reception.until(lambda: "Ann (ssh)" in ann.text)
        visiting.cancel()
        await reception.until(lambda: not reception.gateway.guests)
        ann.text = ""
        visiting = visit(reception, ann)
        await reception.until(lambda: "Ann (ssh)" in ann.text)
        (stay,) = reception.gateway._stays.values()
        assert stay.link.model.status == "here"
        visiting.cancel()


@pytest.mark.slow
async def test_a_guest_who_cannot_sit_watches_and_is_told_how_to_get_in_line(
    tmp_path: Path,
) -> None:
    with (
        hosting(tmp_path / "host", seats=2, bots=["random"], owner=KEYS[0].decode()) as house,
        Peer(house.port, KEYS) as owner,
    ):
        owner.hello("Owner")
        assert owner.ask("start")["type"] == "done"
        async with (
            receiving(house, tmp_path) as reception,
            await reception.connect("Ann") as connection,
        ):
            ann = await screen_of(connection)
            await ann.see("Code")
            ann.write(f"{reception.code}\r")
            await ann.see("Without a seat: Ann (ssh)")
            await ann.see("Enter play next")
            ann.write("\x1b")
            await ann.see("Tab panes")
            await ann.see("Enter play next")
            ann.write("r")
            await ann.see("leave line")


# Browsers that are not let in yet


@pytest.mark.slow
async def test_a_visitor_who_was_away_finds_the_request_as_it_was(
    house: Host, tmp_path: Path
) -> None:
    async with receiving(house, tmp_path) as reception:
        async with reception.page() as page:
            first = await page.ask("Ann")
            asked = await reception.asks("Ann")
            await page.drop()
        async with reception.page(ticket=first["ticket"]) as page:
            again = await page.at("enter")
            assert again == first
            assert await reception.asks("Ann") == asked
            await page.say(**{"is": "here"})  # no try
            await page.enter(asked[1])
            await page.hear("token")
            assert await page.name() == "Ann (web)"


async def test_who_is_let_in_while_away_comes_in_on_return_and_once(
    house: Host, tmp_path: Path
) -> None:
    """Even if the line dies with the token on it; for a guest without a ticket, nothing opens."""
    async with receiving(house, tmp_path) as reception:
        async with reception.page() as page:
            ticket = (await page.ask("Ann"))["ticket"]
            guest, _number = await reception.asks("Ann")
            await page.drop()
        reception.web.let_in(guest, True)
        assert reception.gateway.guests == 0
        tokens = set()
        for _time in range(2):  # the first answer is lost
            async with reception.page(ticket=ticket) as page:
                tokens.add((await page.hear("token"))["token"])
                await page.at("table")
                assert await page.name() == "Ann (web)"
                await page.drop()
        assert len(tokens) == reception.gateway.guests == 1
        async with reception.page(token=ticket) as page:
            await page.at("ask")


async def test_who_is_turned_away_while_away_hears_it_on_return(
    house: Host, tmp_path: Path
) -> None:
    async with receiving(house, tmp_path) as reception:
        async with reception.page() as page:
            ticket = (await page.ask("Eve"))["ticket"]
            guest, _number = await reception.asks("Eve")
            await page.drop()
        reception.web.let_in(guest, False)
        for _time in range(2):  # the first answer is lost
            async with reception.page(ticket=ticket) as page:
                assert (await page.at("again"))["note"] == "You were not let in."


async def test_to_be_let_in_holds_for_the_code_of_that_moment(house: Host, tmp_path: Path) -> None:
    """Somebody kicked could have a second browser that was let in before."""
    async with receiving(house, tmp_path) as reception:
        async with reception.page() as page, reception.page() as other:
            ticket = (await page.ask("Eve"))["ticket"]
            await other.ask("Bea")
            guest, _number = await reception.asks("Eve")
            _bea, number = await reception.asks("Bea")
            await page.drop()
            reception.web.let_in(guest, True)
            reception.gateway.new_code(OTHER)
            reception.web.new_code()
            async with reception.page(ticket=ticket) as again:
                await again.at("enter")
            await other.enter(number)
            assert "not the number" in (await other.at("enter"))["note"]
        assert reception.gateway.guests == 0


async def test_the_latest_window_has_the_request_and_a_lost_one_is_named(
    house: Host, tmp_path: Path
) -> None:
    async with receiving(house, tmp_path) as reception:
        async with reception.page() as page:
            ticket = (await page.ask("Ann"))["ticket"]
            async with reception.page(ticket=ticket) as other:
                await other.at("enter")
                assert "another window" in (await page.at("again"))["note"]
                assert len(reception.asking) == 1
        async with reception.page(ticket="x", waits=True) as page:
            assert "no longer open" in (await page.at("ask"))["note"]


# After a game


@pytest.mark.slow
async def test_a_guest_replays_the_game_that_is_over_and_nothing_is_filed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    monkeypatch.setenv(STATE_VARIABLE, str(own))
    with hosting(tmp_path / "host", seats=2, bots=["random"], seed=3) as host:
        async with receiving(host, tmp_path) as reception:
            visitor = Visitor("127.0.0.1", SshKey("key"))
            visiting = visit(reception, visitor)
            await reception.until(lambda: visitor.is_admitted)
            (stay,) = reception.gateway._stays.values()
            await play_to_the_end(stay.link)
            await press_until(reception, visitor, " ", lambda: "v replay" in visitor.text)
            step = re.compile(r"\d+/\d+ ")
            await press_until(
                reception, visitor, "v", lambda: step.search(visitor.text.splitlines()[-2])
            )
            visitor.press("q")
            await reception.until(lambda: "v replay" in visitor.text)
            visitor.press("w")
            await reception.until(lambda: "Analysis for Ann (ssh)" in visitor.text)
            visiting.cancel()
    assert not own.exists()


async def press_until(
    reception: Reception, visitor: Visitor, key: str, wanted: Callable[[], object]
) -> None:
    """Press a key about once a second until something is true.

    Keys that come in one read are taken for a paste.
    """
    async with asyncio.timeout(SECONDS):
        while not wanted():
            visitor.press(key)
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await reception.until(wanted)


async def play_to_the_end(link: Link) -> None:
    """Play until the result is there: each turn ends early, so that orders expire."""
    chance, bot = Random(1), RegularBot()
    link.wish(Ready(NO_ID, True))
    while (model := link.model).table is None or model.table.stage != "result":
        if model.can_act and model.view and model.view.own:
            legal = [option.intent for option in model.view.own.options]
            link.wish(EndTurn() if EndTurn() in legal else bot.choose(model.view, chance))
        await link.changed(model)
