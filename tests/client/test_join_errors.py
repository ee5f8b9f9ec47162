"""Each way in which joining fails has its own error, which says what to do."""

import asyncio
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.client.connection import Link, Way
from coffeerush.client.sanity import ImpossibleError
from coffeerush.errors import CoffeeRushError, LinkError, UsageError
from coffeerush.joining.code import parse_code
from coffeerush.joining.door import (
    BrokenOff,
    ClientConversation,
    NobodyHosts,
    Removed,
    StandsStill,
    Unreachable,
    WrongCode,
)
from coffeerush.joining.hosts import (
    Address,
    AnotherHost,
    CodeNeeded,
    Known,
    Unproven,
    parse_address,
    pin,
    pinned,
)
from coffeerush.local.keys import keys_for
from coffeerush.ui.words.errors import error_line
from protocol import (
    Answer,
    DoorAnswer,
    DoorRefused,
    Hello,
    Malformed,
    Refusal,
    RefusalCode,
    Refused,
    encode_line,
)
from tests.support.hosts import BANNER, KEY, LETS_IN, a_door, a_host, closed_port, way_to, welcome
from tests.support.hosts_and_clients import SECONDS

OTHER = "x" * 40
CODE = "apple-tiger-moon"
Provoke = Callable[[], CoffeeRushError]


@pytest.fixture(autouse=True)
def one_try(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Disable retries, and isolate the files on disk."""
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))
    monkeypatch.setattr("coffeerush.client.connection.JOIN_RETRY_SECONDS", 0.0)


def with_short_timeout(what: str, provoke: Provoke) -> Provoke:
    """Shorten a timeout while provoking an error."""

    def hurry() -> CoffeeRushError:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(f"coffeerush.{what}_SECONDS", 0.2)
            return provoke()

    return hurry


def typed(parse: Callable[[str], object], text: str) -> Provoke:
    """Parse text that somebody typed."""

    def provoke() -> CoffeeRushError:
        with pytest.raises(CoffeeRushError) as caught:
            parse(text)
        return caught.value

    return provoke


async def _at(way: Way) -> CoffeeRushError:
    async with asyncio.timeout(SECONDS), Link(way, "Ann") as link:
        with pytest.raises(CoffeeRushError) as caught:
            await link.joined()
    assert caught.value is link.error
    return caught.value


def at(host: str, port: int | None = None) -> Provoke:
    """Join at an address where nothing is hosting."""
    return lambda: asyncio.run(_at(way_to(host, closed_port() if port is None else port)))


def door(*lines: bytes, stays: bool = False) -> Provoke:
    """Join at a door that sends these lines."""

    async def come() -> CoffeeRushError:
        async with a_door(*lines, stays=stays) as way:
            return await _at(way)

    return lambda: asyncio.run(come())


def refused(code: RefusalCode) -> Provoke:
    return door(encode_line(BANNER), encode_line(DoorRefused(Refusal(code, "No."))))


def table(reply: Callable[[Hello], Answer]) -> Provoke:
    """Join a table with this reply."""

    async def come() -> CoffeeRushError:
        async with a_host(reply) as host:
            return await _at(host.way)

    return lambda: asyncio.run(come())


def refused_by_table(code: RefusalCode) -> Provoke:
    return table(lambda hello: Refused(hello.id, Refusal(code, "No."), 0, 0))


def meet(known: Known, answer: DoorAnswer = LETS_IN, *, is_open: bool = False) -> Provoke:
    """Join a host on another machine, given what is known of it."""

    def come() -> None:
        conversation = ClientConversation(Address("192.0.2.7", 47820), known)
        conversation.hear_banner(encode_line(replace(BANNER, code=not is_open)))
        conversation.enrol(KEY)
        conversation.hear(encode_line(answer))

    def provoke() -> CoffeeRushError:
        with pytest.raises(CoffeeRushError) as caught:
            come()
        return caught.value

    return provoke


def kept(name: str, content: str | None, use: Callable[[], object]) -> Provoke:
    """Use the state directory with a wrong or invalid file in it."""

    def provoke() -> CoffeeRushError:
        with suppress(CoffeeRushError):
            use()
        path = Path(os.environ["COFFEERUSH_STATE"]) / name
        if content is None:
            shutil.rmtree(path, ignore_errors=True)
            path.write_text("in the way")
        else:
            next(path.iterdir()).write_text(content)
        with pytest.raises(CoffeeRushError) as caught:
            use()
        return caught.value

    return provoke


CAFE = Address("cafe.local", 47820)
NO_TABLE = replace(BANNER, requests=1, updates=1)
"""Banner of a host whose two other ports are blocked."""


def look_up_and_pin() -> None:
    """Join at the café, with its known hosts looked up and pinned."""
    pinned(CAFE)
    pin(CAFE, KEY)


FOREIGN = "The program at ADDRESS is not a Coffee Rush host; check the port."
CASES: list[tuple[Provoke, type[CoffeeRushError], str]] = [
    # before connecting
    (
        typed(parse_address, "a b"),
        LinkError,
        "“a b” is not an address; give one like 192.168.0.12, 192.168.0.12:47820, "
        "cafe.local or [fe80::1%eth0]:47820.",
    ),
    (
        typed(parse_address, "사과-tiger moon"),
        LinkError,
        "“사과-tiger moon” is not an address; give one like 192.168.0.12, "
        "192.168.0.12:47820, cafe.local or [fe80::1%eth0]:47820.",
    ),
    (
        typed(parse_address, "1.2.3.4:x"),
        LinkError,
        "“x” is not a port; give a number from 1 to 65535.",
    ),
    (
        typed(parse_code, "apple"),
        UsageError,
        "A code is three words, such as apple tiger moon; the host's screen shows it.",
    ),
    (
        typed(parse_code, "apple tigger moon"),
        UsageError,
        "“tigger” is not a code word; did you mean “tiger”?",
    ),
    (
        typed(parse_code, "apple qqqqqq moon"),
        UsageError,
        "“qqqqqq” is not a code word; check the host's screen.",
    ),
    (
        kept("keys", None, lambda: keys_for(KEY, "Ann")),
        LinkError,
        "Your key cannot be saved: File exists; set COFFEERUSH_STATE to a writable directory.",
    ),
    (
        kept("keys", "no key", lambda: keys_for(KEY, "Ann")),
        LinkError,
        "STATE does not hold a key; move that file out of the way to join the table as "
        "somebody new.",
    ),
    (
        kept("pins", None, lambda: pin(CAFE, KEY)),
        LinkError,
        "Known hosts cannot be saved: File exists; set COFFEERUSH_STATE to a writable directory.",
    ),
    (
        kept("pins", "nothing", look_up_and_pin),
        LinkError,
        "STATE does not say which host was at cafe.local: delete it, and join with the code.",
    ),
    # nothing is hosting there, or something else is
    (
        at("127.0.0.1"),
        NobodyHosts,
        "No host is running at ADDRESS; ask which address and port the host shows, and "
        "whether it is still running.",
    ),
    (
        at("no.such.invalid", 47820),
        Unreachable,
        "No computer on this network is called no.such.invalid; check the name, or use "
        "the IP address that the host shows.",
    ),
    (
        # the broadcast address: connecting to it is refused by this machine
        at("255.255.255.255", 47820),
        Unreachable,
        "No answer from 255.255.255.255; the address may be wrong, a firewall may be in the way, "
        "or the Wi-Fi may isolate its devices from each other.",
    ),
    (
        with_short_timeout("joining.enrolment.BANNER", door(stays=True)),
        StandsStill,
        "ADDRESS accepts connections but does not answer: it is another program, or a host that is "
        "paused; check the port, and wake the host's computer if it is asleep.",
    ),
    (door(), BrokenOff, "ADDRESS closed the connection before you were let in; try again."),
    (
        with_short_timeout("joining.enrolment.EXCHANGE", door(encode_line(BANNER), stays=True)),
        BrokenOff,
        "The host at ADDRESS stopped answering before you were let in; try again.",
    ),
    (door(b"SSH-2.0-OpenSSH_9.6\r\n"), LinkError, FOREIGN),
    (
        door(encode_line(replace(BANNER, oldest=7, newest=9))),
        LinkError,
        "The host at ADDRESS is newer than this program: it speaks protocol 7, this "
        "program 6; update this program.",
    ),
    (
        door(encode_line(replace(BANNER, oldest=1, newest=1))),
        LinkError,
        "The host at ADDRESS is older than this program: it speaks protocol 1, this "
        "program 6; the host must be updated.",
    ),
    # the door refuses
    (
        refused("door_busy"),
        BrokenOff,
        "Too many people are joining at once; try again in a few seconds.",
    ),
    (
        refused("bad_key"),
        LinkError,
        "The host cannot read this program's key; update both programs.",
    ),
    (
        refused("code_needed"),
        CodeNeeded,
        "This table asks for its join code: the three words on the host's screen.",
    ),
    (
        refused("wrong_code"),
        WrongCode,
        "That join code is wrong or has changed; look at the host's screen.",
    ),
    (
        refused("too_many_tries"),
        LinkError,
        "Too many wrong codes came from this computer; wait a while, then look for the code on "
        "the host's screen.",
    ),
    (refused("removed"), Removed, "The owner has removed you from the table."),
    # it is not the expected host
    (
        meet(Known(pinned=OTHER)),
        AnotherHost,
        "The host now at 192.0.2.7 is not the one that you joined with a code "
        "before; ask for its code, and join with that.",
    ),
    (
        meet(Known(pinned=OTHER), is_open=True),
        AnotherHost,
        "The host now at 192.0.2.7 is not the one that you joined with a code "
        "before, and it asks for no code. If you know this host, enter “open” instead of the code.",
    ),
    (
        meet(Known(session=OTHER)),
        AnotherHost,
        "A different host now answers at 192.0.2.7; if you want that one, join with its code.",
    ),
    (
        meet(Known(CODE), is_open=True),
        Unproven,
        "The host at 192.0.2.7 asks for no code, but you have one, so it may not be "
        "the host you mean. If you know this host, enter “open” instead of the code.",
    ),
    (
        meet(Known(CODE)),
        Unproven,
        "The host at 192.0.2.7 did not prove that it knows the code you gave, so it is "
        "not the one you mean; check the address on the host's screen.",
    ),
    # the table refuses
    (
        with_short_timeout(
            "client.connection.SILENCE", door(encode_line(NO_TABLE), encode_line(LETS_IN))
        ),
        LinkError,
        "ADDRESS answers, but the two ports after it do not; a firewall may be blocking them.",
    ),
    (
        refused_by_table("table_full"),
        LinkError,
        "No seat is free; watch, and get in line for one.",
    ),
    (
        refused_by_table("too_many_spectators"),
        LinkError,
        "There are already too many spectators; come back later.",
    ),
    (
        refused_by_table("bad_text"),
        LinkError,
        "That text has no printable characters; type something else.",
    ),
    (
        table(lambda hello: Malformed(hello.id, "wrong_version", "This host speaks protocol 7.")),
        LinkError,
        "This host speaks protocol 7.",
    ),
    (
        table(lambda hello: replace(welcome(hello), seat=3)),
        ImpossibleError,
        "The host sent impossible data (seat); its version may differ from this program's: "
        "update both.",
    ),
    (
        table(lambda hello: replace(welcome(hello), epoch=b"short")),
        ImpossibleError,
        "The host sent impossible data (answer); its version may differ from this "
        "program's: update both.",
    ),
]


def said(error: CoffeeRushError) -> str:
    """Return the text of an error, without the addresses and paths of this run."""
    text = re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", error_line(error))
    return re.sub(r"^/\S+", "STATE", text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("provoke", "kind", "sentence"), CASES, ids=[" ".join(text.split()[:6]) for *_, text in CASES]
)
def test_each_failure_has_its_own_error(
    provoke: Provoke, kind: type[CoffeeRushError], sentence: str
) -> None:
    error = provoke()
    assert said(error) == sentence
    assert type(error) is kind


def test_no_two_failures_have_the_same_text() -> None:
    assert len({sentence for *_, sentence in CASES}) == len(CASES)


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\x00\n",
        b"{}\n",
        b'{"game": 1}\n',
        b"x" * 600 + b"\n",
        encode_line(replace(BANNER, game="chess")),
        encode_line(replace(BANNER, key="é" * 40)),
        encode_line(replace(BANNER, key="#" * 40)),  # valid Z85, but more than 32 bytes
    ],
)
def test_any_other_service_on_that_port_is_recognised_as_foreign(line: bytes) -> None:
    assert said(door(line)()) == FOREIGN


def test_a_newer_host_may_say_more() -> None:
    newer = encode_line(replace(BANNER, oldest=7, newest=9))
    error = door(newer.replace(b'{"game"', b'{"mood":"new","game"'))()
    assert "update this program" in str(error)
