"""Each way in which a join fails has its sentence; requests are repeated until answered."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import count
from typing import NamedTuple

import pytest
import zmq
import zmq.asyncio
from msgspec.structs import replace

from coffeerush.client.address import Address, parse_address
from coffeerush.client.channels import Channels
from coffeerush.client.enrol import CodeNeeded, Table, Unreachable, enrol
from coffeerush.client.keys import KeyPair, keys_for, new_keys
from coffeerush.client.link import Link, Way
from coffeerush.client.model import Model, Status
from coffeerush.client.outbox import Outbox
from coffeerush.client.trust import AnotherHost
from coffeerush.errors import LinkError
from protocol import (
    Answer,
    Banner,
    DoorAnswer,
    DoorRefused,
    Enrolled,
    GetView,
    Hello,
    Malformed,
    Refusal,
    Request,
    Snapshot,
    Sync,
    Tick,
    decode_enrol,
    decode_request,
    encode,
    encode_line,
)
from tests.host.tables import ANN, table_for

SECONDS = 20.0
KEYS = new_keys()
KEY = KEYS.public.decode()
BANNER = Banner("coffeerush", 3, 3, "Café", 1001, 1002, KEY)


def way_to(host: str, port: int) -> Way:
    return Way(Address(host, port), "Ann", keys=KEYS)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.168.0.12", Address("192.168.0.12", 47820)),
        (" 192.168.0.12:5000 ", Address("192.168.0.12", 5000)),
        ("cafe.local", Address("cafe.local", 47820)),
        ("cafe-1.local:1", Address("cafe-1.local", 1)),
        ("::1", Address("::1", 47820)),
        ("[::1]", Address("::1", 47820)),
        ("[fe80::1%eth0]:65535", Address("fe80::1%eth0", 65535)),
    ],
)
def test_addresses_as_people_type_them(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", ":", "a b", "host:", "host:port", "host:0", "host:65536", "[::1", "[::1]x"),
        *("tcp://a:1", "-a", "host:١", "[a.b]:1x", "1.2.3.4:99999999", "x" * 300),
    ],
)
def test_what_is_no_address_is_said_before_anything_is_tried(text: str) -> None:
    with pytest.raises(LinkError, match=r"is not an? (address|port); give"):
        parse_address(text)


async def _visit(lines: Sequence[bytes], heard: list[bytes]) -> Table | LinkError:
    """Knock at a door that says `lines`; it is closed then."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for line in lines:
            writer.write(line)
        heard.append(await reader.readline())
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        try:
            return await enrol(way_to("127.0.0.1", port))
        except LinkError as error:
            return error


def visit(*lines: bytes) -> Table | LinkError:
    return asyncio.run(_visit(lines, []))


def refused(*lines: bytes) -> str:
    error = visit(*lines)
    assert isinstance(error, LinkError)
    return str(error)


def test_the_door_is_told_the_key_and_tells_where_to_go() -> None:
    heard: list[bytes] = []
    lines = (encode_line(BANNER), encode_line(Enrolled()))
    table = asyncio.run(_visit(lines, heard))
    assert table == Table("127.0.0.1", BANNER, KEYS)
    assert decode_enrol(heard[0]).key == KEY


def test_nothing_is_hosting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match=r"Nothing is hosting at 127\.0\.0\.1"):
        asyncio.run(enrol(way_to("127.0.0.1", port)))


def test_nobody_has_that_name() -> None:
    with pytest.raises(Unreachable, match=r"Nobody in this network is called no\.such\.invalid"):
        asyncio.run(enrol(way_to("no.such.invalid", 47820)))


def test_no_answer_from_an_address_that_no_way_leads_to() -> None:
    # the broadcast address: connecting to it is refused by this machine
    with pytest.raises(Unreachable, match=r"No answer from 255\.255\.255\.255"):
        asyncio.run(enrol(way_to("255.255.255.255", 47820)))


@pytest.mark.parametrize(
    "line",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\xff\x00\n",
        b"{}\n",
        b'{"game": 1}\n',
        b"x" * 600 + b"\n",
        encode_line(Banner("chess", 3, 3, "Café", 1001, 1002, KEY)),
    ],
)
def test_something_else_is_on_that_port(line: bytes) -> None:
    assert "is not a Coffee Rush host; check the port" in refused(line)


def test_a_newer_host_says_that_this_program_must_be_updated() -> None:
    newer = encode_line(Banner("coffeerush", 7, 9, "Café", 1001, 1002, KEY))
    assert refused(newer).endswith("it speaks protocol 7, this one 3; update this one.")
    with_more = newer.replace(b'{"game"', b'{"mood":"new","game"')
    assert "update this one" in refused(with_more)


def test_an_older_host_must_be_updated() -> None:
    older = encode_line(Banner("coffeerush", 1, 1, "Café", 1001, 1002, KEY))
    assert refused(older).endswith("it speaks protocol 1, this one 3; the host must be updated.")


def test_a_refusal_at_the_door_is_said() -> None:
    busy = visit(encode_line(BANNER), encode_line(DoorRefused(Refusal("door_busy", "Busy."))))
    assert isinstance(busy, Unreachable)
    assert "try again in a few seconds" in str(busy)
    bad = visit(encode_line(BANNER), encode_line(DoorRefused(Refusal("bad_key", "No."))))
    assert not isinstance(bad, Unreachable)
    assert "does not accept the key" in str(bad)


def test_a_door_that_closes_early_is_tried_again_later() -> None:
    async def slam(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async def knock() -> None:
        server = await asyncio.start_server(slam, "127.0.0.1", 0)
        async with server:
            await enrol(way_to(*server.sockets[0].getsockname()[:2]))

    with pytest.raises(Unreachable, match="closed the door before letting you in"):
        asyncio.run(knock())


def test_a_door_behind_which_nobody_moves_is_tried_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # a host that stands still, as on a computer that sleeps: the system still takes connections
    monkeypatch.setattr("coffeerush.client.enrol.BANNER_SECONDS", 0.05)
    with (
        socket.create_server(("127.0.0.1", 0)) as asleep,
        pytest.raises(Unreachable, match="says nothing: it is another program, or a host that"),
    ):
        asyncio.run(enrol(way_to(*asleep.getsockname())))


def join(way: Way | Callable[[], Way]) -> tuple[Link, list[Model]]:
    """Try to join; return the link and the models it went through."""

    async def trying() -> tuple[Link, list[Model]]:
        models: list[Model] = []
        link = Link(way, "Ann", on_change=models.append)
        async with asyncio.timeout(SECONDS), link:
            with pytest.raises(LinkError) as caught:
                await link.joined()
            assert caught.value is link.error
        return link, models

    return asyncio.run(trying())


def test_a_link_that_cannot_join_is_over_and_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    link, models = join(way_to("127.0.0.1", port))
    assert [model.status for model in models] == ["over"]
    assert link.model.trouble.startswith("Nothing is hosting")


def test_a_host_of_ones_own_that_does_not_start_is_said() -> None:
    def fail() -> Way:
        raise LinkError("It does not start.")

    link, _models = join(fail)
    assert link.model.trouble == "It does not start."


def test_a_door_without_a_table_behind_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coffeerush.client.link.PATIENCE_SECONDS", 0.0)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            closed = free.getsockname()[1]
        banner = Banner("coffeerush", 3, 3, "Café", closed, closed, KEY)
        writer.write(encode_line(banner) + encode_line(Enrolled()))
        await reader.readline()
        writer.close()

    async def trying() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        way = way_to(*server.sockets[0].getsockname()[:2])
        async with asyncio.timeout(SECONDS), server, Link(way, "Ann") as link:
            await link.joined()

    with pytest.raises(LinkError, match="the table does not answer; a firewall"):
        asyncio.run(trying())


LETS_IN = Enrolled()


class FakeHost(NamedTuple):
    """A host of which a test says what it does."""

    way: Way
    door: asyncio.Server
    updates: zmq.asyncio.Socket


def test_a_door_that_closes_early_is_knocked_at_again() -> None:
    async def trying() -> None:
        async with (
            asyncio.timeout(SECONDS),
            a_host(_welcome, slams=2) as host,
            Link(host.way, "Ann") as link,
        ):
            assert (await link.joined()).status == "here"

    asyncio.run(trying())


@asynccontextmanager
async def a_host(
    reply: Callable[[Hello], Answer],
    slams: int = 0,
    host: KeyPair | None = None,
    port: int = 0,
    says: DoorAnswer = LETS_IN,
) -> AsyncIterator[FakeHost]:
    """Be a host that answers a hello with `reply`, and nothing else.

    Args:
        reply: to a hello.
        slams: so many visitors have the door closed at them.
        host: its keys.
        port: of its door.
        says: it to all other visitors.
    """
    host, context = host or new_keys(), zmq.asyncio.Context()
    requests, updates = context.socket(zmq.ROUTER), context.socket(zmq.PUB)
    for each in (requests, updates):
        each.linger, each.curve_server, each.curve_secretkey = 0, True, host.secret
    ports = [each.bind_to_random_port("tcp://127.0.0.1") for each in (requests, updates)]
    banner = Banner("coffeerush", 3, 3, "Café", ports[0], ports[1], host.public.decode())

    visits = count()

    async def admit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if next(visits) >= slams:
            writer.write(encode_line(banner) + encode_line(says))
            await reader.readline()
        writer.close()

    async def answer() -> None:
        while True:
            sender, _empty, body = await requests.recv_multipart()
            hello = decode_request(body)
            if isinstance(hello, Hello):
                await requests.send_multipart([sender, b"", encode(reply(hello))])

    door = await asyncio.start_server(admit, "127.0.0.1", port)
    answering = asyncio.create_task(answer())
    try:
        async with door:
            way = way_to(*door.sockets[0].getsockname()[:2])
            yield FakeHost(way, door, updates)
    finally:
        answering.cancel()
        context.destroy(0)


def _welcome(hello: Hello) -> Snapshot:
    return replace(table_for(2).hello(ANN), id=hello.id)


def _elsewhere(hello: Hello) -> Answer:
    return replace(_welcome(hello), seat=3)


def _puzzled(hello: Hello) -> Answer:
    return Malformed(hello.id, "wrong_version", "this host speaks protocol 7")


@pytest.mark.parametrize(
    ("lie", "text"),
    [
        (_elsewhere, "The host sent something impossible (seat)"),
        (_puzzled, "this host speaks protocol 7"),
    ],
)
def test_a_host_that_says_nonsense_ends_the_link(lie: Callable[[Hello], Answer], text: str) -> None:
    async def trying() -> None:
        async with asyncio.timeout(SECONDS), a_host(lie) as host, Link(host.way, "Ann") as link:
            await link.joined()

    with pytest.raises(LinkError) as caught:
        asyncio.run(trying())
    assert str(caught.value).startswith(text)


def is_(link: Link, status: Status) -> bool:
    return link.model.status == status


async def until(link: Link, status: Status) -> None:
    while not is_(link, status):
        await link.changed(link.model)


def test_a_host_is_heard_again_where_its_door_is_not_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("coffeerush.client.link.SILENCE_SECONDS", 0.3)

    async def trying() -> None:
        async with (
            asyncio.timeout(SECONDS),
            a_host(_welcome) as host,
            Link(host.way, "Ann") as link,
        ):
            model = await link.joined()
            host.door.close()
            tick = encode(Tick(model.epoch, model.seq, model.game, model.rev, ()))
            await until(link, "lost")
            while not is_(link, "here"):
                await host.updates.send(tick)  # one that is sent before it is subscribed to is lost
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.1):
                        await until(link, "here")

    asyncio.run(trying())


def _anew(hello: Hello) -> Answer:
    return replace(_welcome(hello), epoch=b"epoch..2")


async def come_back(says: DoorAnswer = LETS_IN, *, as_another: bool = False) -> Link:
    """Be at a table whose host goes, and comes again with other sockets; return the link."""
    keys = new_keys()
    async with asyncio.timeout(SECONDS), AsyncExitStack() as stack:
        async with a_host(_welcome, host=keys) as host:
            link = await stack.enter_async_context(Link(host.way, "Ann"))
            await link.joined()
        keys = new_keys() if as_another else keys
        port = host.way.address.port
        await stack.enter_async_context(a_host(_anew, host=keys, port=port, says=says))
        while link.model.epoch != b"epoch..2" and not is_(link, "over"):
            await link.changed(link.model)
    return link


def test_who_is_cut_off_looks_for_the_host_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # long before the silence alone would say that it has gone
    monkeypatch.setattr("coffeerush.client.link.SILENCE_SECONDS", SECONDS)
    link = asyncio.run(come_back())
    assert link.model.epoch == b"epoch..2"
    assert link.error is None


@pytest.mark.parametrize(
    ("says", "as_another", "kind", "text"),
    [
        (LETS_IN, True, AnotherHost, "Another host than the one of your table answers at"),
        (
            DoorRefused(Refusal("code_needed", "")),
            False,
            CodeNeeded,
            "This table asks for its code",
        ),
        (DoorRefused(Refusal("removed", "")), False, LinkError, "The owner has removed you"),
    ],
)
def test_why_nobody_can_come_back_is_said(
    says: DoorAnswer, as_another: bool, kind: type[LinkError], text: str
) -> None:
    link = asyncio.run(come_back(says, as_another=as_another))
    assert type(link.error) is kind
    assert link.model.trouble.startswith(text)


def test_the_same_name_at_the_same_host_has_the_same_key(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))
    host, other = (new_keys().public.decode() for _ in range(2))
    first = keys_for(host, "Ann")
    assert keys_for(host, "Ann") == first
    assert len({first, keys_for(host, "Bea"), keys_for(other, "Ann")}) == 3


class Post:
    """Where an outbox puts its letters."""

    def __init__(self) -> None:
        self.sent: list[tuple[float, bytes]] = []
        self.renewed: list[float] = []
        self.now = 0.0

    def send(self, body: bytes) -> None:
        self.sent.append((self.now, body))

    def renew(self) -> None:
        self.renewed.append(self.now)


def run_outbox(outbox: Outbox, post: Post, pending: tuple[Request, ...], until: float) -> None:
    while post.now < until:
        outbox.flush(pending, post, post.now)
        post.now = min(outbox.due(), until)


def test_a_request_is_repeated_with_the_same_bytes_and_new_sockets() -> None:
    outbox, post = Outbox(), Post()
    request = GetView(b"1" * 16)
    run_outbox(outbox, post, (request,), 12.0)
    assert [now for now, _body in post.sent] == [0, 0.5, 1.5, 3.5, 5.5, 7.5, 9.5, 11.5]
    assert {body for _now, body in post.sent} == {encode(request)}
    assert post.renewed == [5.5]
    outbox.flush((), post, 20.0)
    assert outbox.due() == float("inf")


def test_a_hello_goes_before_everything_else() -> None:
    outbox, post = Outbox(), Post()
    hello, other = Hello(b"1" * 16, 2, "Ann", "player"), Sync(b"2" * 16)
    outbox.flush((other, hello), post, 0.0)
    assert [body for _now, body in post.sent] == [encode(hello)]
    outbox.flush((other,), post, 0.1)
    assert [body for _now, body in post.sent] == [encode(hello), encode(other)]


def test_a_new_host_gets_everything_at_once() -> None:
    outbox, post = Outbox(), Post()
    request = GetView(b"1" * 16)
    outbox.flush((request,), post, 0.0)
    outbox.renew()
    outbox.flush((request,), post, 0.1)
    assert len(post.sent) == 2


def test_channels_whose_closing_is_cut_short_are_closed_all_the_same() -> None:
    async def scenario() -> None:
        closing = asyncio.Event()
        table = Table("127.0.0.1", BANNER, KEYS)
        channels = Channels(table, lambda _: None, lambda _: None, lambda: None)

        async def attend() -> None:
            async with channels:
                await channels.open(0.05)
                closing.set()

        attending = asyncio.create_task(attend())
        await closing.wait()  # the readers have not ended yet
        attending.cancel()
        await asyncio.wait([attending])
        assert attending.cancelled()
        assert channels.closed

    asyncio.run(scenario())
