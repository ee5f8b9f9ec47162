"""The link: join, reconnect and leave; requests are retried until answered."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.connection import Link, Outbox, Way
from coffeerush.client.model import Model, Status
from coffeerush.client.sockets import Channels
from coffeerush.errors import LinkError
from coffeerush.host.table.config import TableConfig
from coffeerush.joining.door import Removed
from coffeerush.joining.enrolment import CodeNeeded, Enrolment, enrol
from coffeerush.joining.hosts import Address, AnotherHost, parse_address
from coffeerush.local.keys import keys_for, move_keys, new_keys
from coffeerush.rules import standard_deck
from coffeerush.ui.words.errors import error_line
from protocol import (
    NO_ID,
    Answer,
    Bye,
    Chat,
    Destination,
    Done,
    DoorAnswer,
    DoorRefused,
    Enrol,
    GetView,
    Hello,
    Moved,
    Refusal,
    Remove,
    Request,
    Sync,
    Tick,
    decode_door_request,
    encode,
    encode_line,
    topic,
)
from tests.soak.sessions.clock import SimulatedLoop
from tests.soak.sessions.guest import SimulatedLink
from tests.soak.sessions.wire import Host, Line
from tests.support.hosts import (
    BANNER,
    KEY,
    KEYS,
    LETS_IN,
    a_door,
    a_host,
    closed_port,
    way_to,
    welcome,
)
from tests.support.hosts_and_clients import SECONDS
from tests.support.tables import ANN


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
        "host:" + 5000 * "9",
    ],
)
def test_an_invalid_address_is_reported_before_connecting(text: str) -> None:
    with pytest.raises(LinkError, match=r"is not an? (address|port); give"):
        parse_address(text)


def test_the_door_gets_the_key_and_gives_the_endpoints() -> None:
    async def come(heard: list[bytes]) -> Enrolment:
        async with a_door(encode_line(BANNER), encode_line(LETS_IN), heard=heard) as way:
            return await enrol(way)

    heard: list[bytes] = []
    assert asyncio.run(come(heard)) == Enrolment("127.0.0.1", BANNER, KEYS, is_here=True)
    assert decode_door_request(heard[0]) == Enrol(KEY)


def join(way: Way | Callable[[], Way]) -> tuple[Link, list[Model]]:
    """Try to join; return the link and all its models."""

    async def trying() -> tuple[Link, list[Model]]:
        models: list[Model] = []
        link = Link(way, "Ann")
        link.on_change = models.append
        async with asyncio.timeout(SECONDS), link:
            with pytest.raises(LinkError) as caught:
                await link.joined()
            assert caught.value is link.error
        return link, models

    return asyncio.run(trying())


def test_a_link_that_fails_to_join_is_over_with_an_error() -> None:
    link, models = join(way_to("127.0.0.1", closed_port()))
    assert [model.status for model in models] == ["over"]
    assert str(link.model.trouble).startswith("No host is running")


def test_failure_to_start_ones_own_host_is_reported() -> None:
    def fail() -> Way:
        raise LinkError("It does not start.")

    link, _models = join(fail)
    assert str(link.model.trouble) == "It does not start."


@pytest.mark.slow
async def test_a_door_that_closes_early_is_retried() -> None:
    async with (
        asyncio.timeout(SECONDS),
        a_host(welcome, closes_first=2) as host,
        Link(host.way, "Ann") as link,
    ):
        assert (await link.joined()).status == "here"


class SlowLine(Line):
    """A network with a fixed delay per message, except at the door."""

    seconds: float = 1.55

    def carry(self, deliver: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_later(self.seconds, deliver)


def test_a_slow_table_is_not_abandoned_for_its_door() -> None:
    async def trying() -> Model:
        chance = Random(1)
        host = Host(TableConfig("Café", 2, standard_deck(), owner=ANN), (), chance)
        line = SlowLine(chance, delay=0.0)
        async with SimulatedLink(host, line, ANN, "Ann", "player") as link:
            await link.joined()
            host.kill()  # before the next door retry, which started during the silence
            ticking = asyncio.create_task(host.run())
            await until(link, "lost")
            line.seconds = 0.01
            host.start()
            await until(link, "here")
            ticking.cancel()
            return link.model

    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        assert runner.run(trying()).epoch == (2).to_bytes(8, "big")


async def test_a_link_knows_when_its_table_came() -> None:
    loop = asyncio.get_running_loop()
    async with a_host(welcome) as host, Link(host.way, "Ann") as link:
        begun = loop.time()
        model = await link.joined()
        came = link.table_at
        assert begun <= came <= loop.time()
        link.wish(Chat(NO_ID, "Hi"))  # which this host never answers
        assert (link.model is model, link.table_at) == (False, came)


def is_(link: Link, status: Status) -> bool:
    return link.model.status == status


async def until(link: Link, status: Status) -> None:
    while not is_(link, status):
        assert not is_(link, "over"), link.model.trouble
        await link.changed(link.model)


async def test_the_link_reconnects_even_if_the_door_is_unreachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("coffeerush.client.connection.SILENCE_SECONDS", 0.3)
    async with asyncio.timeout(SECONDS), a_host(welcome) as host, Link(host.way, "Ann") as link:
        model = await link.joined()
        host.door.close()
        tick = Tick(model.epoch, model.seq, model.game, model.rev, ())
        frame = topic(model.number) + encode(tick)
        await until(link, "lost")
        while not is_(link, "here"):
            await host.updates.send(frame)  # repeated: one sent before the subscription is lost
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    await until(link, "here")


def _welcome_from_restarted_host(hello: Hello) -> Answer:
    return replace(welcome(hello), epoch=b"epoch..2")


async def come_back(says: DoorAnswer = LETS_IN, *, as_another: bool = False) -> Link:
    """Join a table whose host stops and returns with new sockets; return the link."""
    keys = new_keys()
    async with asyncio.timeout(SECONDS), AsyncExitStack() as stack:
        async with a_host(welcome, host=keys) as host:
            link = await stack.enter_async_context(Link(host.way, "Ann"))
            await link.joined()
        keys = new_keys() if as_another else keys
        port = host.way.address.port
        await stack.enter_async_context(
            a_host(_welcome_from_restarted_host, host=keys, port=port, says=says)
        )
        while link.model.epoch != b"epoch..2" and not is_(link, "over"):
            await link.changed(link.model)
    return link


@pytest.mark.slow
def test_while_a_host_is_away_the_model_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coffeerush.client.connection.SILENCE_SECONDS", 0.3)

    async def trying() -> Model:
        async with asyncio.timeout(SECONDS), AsyncExitStack() as stack:
            async with a_host(welcome) as host:
                link = await stack.enter_async_context(Link(host.way, "Ann"))
                await link.joined()
            while not link.model.trouble:
                await link.changed(link.model)
            return link.model

    model = asyncio.run(trying())
    assert model.status == "lost"
    assert str(model.trouble).startswith("No host is running at 127.0.0.1:")


@pytest.mark.slow
def test_a_client_that_is_cut_off_reconnects_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # long before the silence timeout
    monkeypatch.setattr("coffeerush.client.connection.SILENCE_SECONDS", SECONDS)
    link = asyncio.run(come_back())
    assert link.model.epoch == b"epoch..2"
    assert link.error is None


def test_a_wish_made_while_the_host_is_away_is_not_sent_to_another_table() -> None:
    async def trying() -> list[Request]:
        keys = new_keys()
        async with asyncio.timeout(SECONDS), AsyncExitStack() as stack:
            async with a_host(welcome, host=keys) as host:
                link = await stack.enter_async_context(Link(host.way, "Ann"))
                await link.joined()
            link.wish(Remove(NO_ID, 1))  # might be queued in a socket that reconnects by itself
            port = host.way.address.port
            again = a_host(_welcome_from_restarted_host, host=keys, port=port, ports=host.ports)
            host = await stack.enter_async_context(again)
            while link.model.epoch != b"epoch..2":
                await link.changed(link.model)
            link.wish(Chat(NO_ID, "hi"))
            await host.hear(Chat)
            return host.heard

    heard = asyncio.run(trying())
    assert not any(isinstance(one, Remove) for one in heard)


async def test_a_terminated_program_sends_a_bye() -> None:
    def client(way: Way) -> None:
        async def stay() -> None:
            async with Link(way, "Ann") as link:
                await link.joined()
                # like a signal handler
                asyncio.get_running_loop().call_soon(sys.exit, 1)
                await asyncio.Event().wait()

        with pytest.raises(SystemExit):
            asyncio.run(stay())

    async with asyncio.timeout(SECONDS), a_host(welcome) as host:
        await asyncio.to_thread(client, host.way)
        await host.hear(Bye)


async def test_a_host_to_which_the_table_is_on_its_way_may_not_know_its_people_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It prepares, gives up as the old host is gone before its word comes, and then goes on."""
    monkeypatch.setattr("coffeerush.client.connection.SILENCE_SECONDS", 0.3)
    keys, visited = new_keys(), asyncio.Event()
    async with asyncio.timeout(SECONDS), a_host(welcome) as old, Link(old.way, "Ann") as link:
        model = await link.joined()
        async with a_host(lambda _hello: Done(NO_ID), host=keys) as prepared:
            port = prepared.way.address.port
            to = Destination(5, "Bob", keys.public.decode(), ("127.0.0.1",), port)
            while not link.model.moved:  # the first one may come before the subscription
                await old.updates.send(topic(model.number) + encode(Moved(to)))
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.1):
                        await link.changed(link.model)
            await prepared.hear(Hello)
        asks = DoorRefused(Refusal("code_needed", ""))
        async with a_host(welcome, host=keys, port=port, says=asks, visited=visited):
            await visited.wait()
        async with a_host(_welcome_from_restarted_host, host=keys, port=port):
            while link.model.epoch != b"epoch..2":
                assert not is_(link, "over"), link.model.trouble
                await link.changed(link.model)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("says", "as_another", "kind", "text"),
    [
        (LETS_IN, True, AnotherHost, "A different host now answers at"),
        (
            DoorRefused(Refusal("code_needed", "")),
            False,
            CodeNeeded,
            "This table asks for its join code",
        ),
        (DoorRefused(Refusal("removed", "")), False, Removed, "The owner has removed you"),
    ],
)
def test_the_reason_for_a_failed_reconnect_is_reported(
    says: DoorAnswer, as_another: bool, kind: type[LinkError], text: str
) -> None:
    link = asyncio.run(come_back(says, as_another=as_another))
    assert type(link.error) is kind
    assert link.model.trouble is not None
    assert error_line(link.model.trouble).startswith(text)


def test_the_same_name_at_the_same_host_has_the_same_key(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))
    host, other = (new_keys().public.decode() for _ in range(2))
    first = keys_for(host, "Ann")
    assert keys_for(host, "Ann") == first
    watching = keys_for(host, "Ann", watches=True)
    assert keys_for(host, "Ann", watches=True) == watching
    assert len({first, keys_for(host, "Bea"), keys_for(other, "Ann"), watching}) == 4


def test_a_key_is_kept_for_all_hosts_of_a_hall(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))
    hosts = [new_keys().public.decode() for _ in range(2)]
    before = [keys_for(host, "Ann") for host in hosts]
    hall, other = "1" * 32, "2" * 32
    move_keys(before[0], hall, "Ann")
    assert [keys_for(host, "Ann", hall=hall) for host in hosts] == [before[0]] * 2
    assert [keys_for(host, "Ann", hall=other) for host in hosts] == before
    assert before[0] != keys_for(hosts[0], "Ann", hall=hall, watches=True)


class FakeWire:
    """Records the requests that an outbox sends."""

    def __init__(self) -> None:
        self.sent: list[tuple[float, bytes]] = []
        self.renewed: list[float] = []
        self.now = 0.0

    def send(self, body: bytes) -> None:
        self.sent.append((self.now, body))

    def renew(self) -> None:
        self.renewed.append(self.now)


def run_outbox(outbox: Outbox, post: FakeWire, pending: tuple[Request, ...], until: float) -> None:
    while post.now < until:
        outbox.flush(pending, post, post.now)
        post.now = min(outbox.due(), until)


def test_a_request_is_retried_with_the_same_bytes_and_new_sockets() -> None:
    outbox, post = Outbox(), FakeWire()
    request = GetView(b"1" * 16)
    run_outbox(outbox, post, (request,), 12.0)
    assert [now for now, _body in post.sent] == [0, 0.5, 1.5, 3.5, 5.5, 7.5, 9.5, 11.5]
    assert {body for _now, body in post.sent} == {encode(request)}
    assert post.renewed == [5.5]
    outbox.flush((), post, 20.0)
    assert outbox.due() == float("inf")


def test_a_hello_goes_before_everything_else() -> None:
    outbox, post = Outbox(), FakeWire()
    hello, other = Hello(b"1" * 16, 2, "Ann", "player"), Sync(b"2" * 16)
    outbox.flush((other, hello), post, 0.0)
    assert [body for _now, body in post.sent] == [encode(hello)]
    outbox.flush((other,), post, 0.1)
    assert [body for _now, body in post.sent] == [encode(hello), encode(other)]


def test_requests_waiting_for_a_hello_are_never_due() -> None:
    outbox, post = Outbox(), FakeWire()
    hello, other = Hello(b"1" * 16, 2, "Ann", "player"), GetView(b"2" * 16)
    outbox.flush((other,), post, 0.0)
    outbox.flush((other, hello), post, 0.1)
    assert outbox.due() == 0.6
    outbox.flush((other, hello), post, 0.6)
    assert outbox.due() == 1.6
    assert [body for _now, body in post.sent[1:]] == [encode(hello)] * 2


def test_a_new_host_gets_everything_at_once() -> None:
    outbox, post = Outbox(), FakeWire()
    request = GetView(b"1" * 16)
    outbox.flush((request,), post, 0.0)
    outbox.renew()
    outbox.flush((request,), post, 0.1)
    assert len(post.sent) == 2


async def test_channels_are_closed_even_if_closing_is_cancelled() -> None:
    closing = asyncio.Event()
    table = Enrolment("127.0.0.1", BANNER, KEYS, is_here=True)
    channels = Channels(table, lambda _: None, lambda _: None, lambda: None)

    async def attend() -> None:
        async with channels:
            await channels.open(0.05)
            closing.set()

    attending = asyncio.create_task(attend())
    await closing.wait()  # the readers are still running
    attending.cancel()
    await asyncio.wait([attending])
    assert attending.cancelled()
    assert channels._context.closed


def test_a_readers_error_is_raised_in_the_link() -> None:
    failed = asyncio.Event()

    def fail() -> None:
        failed.set()
        raise RuntimeError("nobody thought of this")

    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async def scenario() -> None:
        server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        banner = replace(BANNER, updates=server.sockets[0].getsockname()[1])
        table = Enrolment("127.0.0.1", banner, KEYS, is_here=True)
        async with server, Channels(table, lambda _: None, lambda _: None, fail) as channels:
            await channels.open(SECONDS)
            async with asyncio.timeout(SECONDS):
                await failed.wait()
            channels.check()

    with pytest.raises(RuntimeError, match="nobody thought of this"):
        asyncio.run(scenario())


async def test_a_dealer_that_is_replaced_leaves_no_reader_behind() -> None:
    table = Enrolment("127.0.0.1", BANNER, KEYS, is_here=True)
    async with Channels(table, lambda _: None, lambda _: None, lambda: None) as channels:
        await channels.open(0.05)
        before = asyncio.all_tasks()
        channels.renew()
        (started,) = asyncio.all_tasks() - before
        others = before - {asyncio.current_task()}
        ended, _goes_on = await asyncio.wait(
            others, timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        assert len(ended) == 1
        assert started in asyncio.all_tasks()
        channels.check()
