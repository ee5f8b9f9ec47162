"""Attacks by strangers on discovery: floods of valid and malformed mDNS messages."""

import socket
from contextlib import ExitStack, suppress
from random import Random
from typing import Final

from tests.soak.lan.network import NETWORK
from tests.soak.strangers.stranger import Attack, Stranger

PORT: Final = 5353
GROUP: Final = "224.0.0.251"
GROUP6: Final = "ff02::fb"
SERVICE: Final = (b"_coffeerush", b"_tcp", b"local")
ROUND: Final = 20
_PTR, _TXT, _SRV, _ANY = 12, 16, 33, 255
_IN, _FLUSH = 1, 0x8001
_LOOP: Final = b"\xc0\x0c"
"""A compressed name that points to itself."""


def discovery(stranger: Stranger) -> None:
    """Query, announce fake tables, and send malformed messages."""
    with ExitStack() as stack:
        ways = [
            (stack.enter_context(_socket(source)), GROUP6 if ":" in source else GROUP, target)
            for source, target in stranger.orders.routes
        ]
        while stranger.goes_on():
            for _each in range(ROUND):
                link, group, target = stranger.chance.choice(ways)
                body = stranger.chance.choice(_KINDS)(stranger.chance)
                with suppress(OSError):
                    link.sendto(body, (stranger.chance.choice((group, target)), PORT))
                    stranger.done["datagrams"] += 1


def _socket(source: str) -> socket.socket:
    """Return a socket that sends from an address, including multicast on its network."""
    made = socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if made.family == socket.AF_INET6:
        (network,) = (number for number, name in socket.if_nameindex() if name == NETWORK)
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, network)
    else:
        made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(source))
    made.bind((source, PORT))
    return made


def _name(*labels: bytes) -> bytes:
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _message(flags: int, questions: list[bytes], answers: list[bytes]) -> bytes:
    counts = (0, flags, len(questions), len(answers), 0, 0)
    return b"".join(one.to_bytes(2) for one in counts) + b"".join((*questions, *answers))


def _record(name: bytes, kind: int, data: bytes, seconds: int = 4500) -> bytes:
    fixed = kind.to_bytes(2) + _FLUSH.to_bytes(2) + seconds.to_bytes(4)
    return name + fixed + len(data).to_bytes(2) + data


def _question(chance: Random) -> bytes:
    kind = chance.choice((_PTR, _ANY))
    asked = _name(*SERVICE) + kind.to_bytes(2) + chance.choice((_IN, _FLUSH)).to_bytes(2)
    return _message(0, [asked] * chance.choice((1, 1, 40)), [])


def _announcement(chance: Random) -> bytes:
    """Return a host's announcement of a table that does not exist."""
    whose = (chance.randbytes(chance.randint(1, 63)), *SERVICE)
    target = _name(chance.randbytes(20).hex().encode(), b"local")
    port = chance.randrange(1 << 16).to_bytes(2)
    told = b"".join(
        bytes([len(each)]) + each
        for each in (b"table=\x1b[2J" + chance.randbytes(30), b"key=" + bytes(40), b"v=3")
    )
    return _message(
        0x8400,
        [],
        [
            _record(_name(*SERVICE), _PTR, _name(*whose)),
            _record(_name(*whose), _SRV, bytes(4) + port + target),
            _record(_name(*whose), _TXT, told),
            _record(target, 1, chance.randbytes(4)),
        ],
    )


def _goodbye(chance: Random) -> bytes:
    """Return a goodbye that removes the table for anybody who believes it."""
    whose = _name(chance.randbytes(8).hex().encode(), *SERVICE)
    return _message(0x8400, [], [_record(_name(*SERVICE), _PTR, whose, seconds=0)])


def _loop(chance: Random) -> bytes:
    return _message(chance.choice((0, 0x8400)), [_LOOP + b"\0\x0c\0\1"] * 100, [])


def _lie(chance: Random) -> bytes:
    """Return a truncated message."""
    whole = chance.choice((_question, _announcement))(chance)
    changed = bytearray(whole[: chance.randint(12, len(whole))])
    changed[chance.randrange(4, 12)] = 255
    return bytes(changed)


def _garbage(chance: Random) -> bytes:
    return chance.randbytes(chance.randint(0, 1400))


_KINDS: Final = (_question, _announcement, _goodbye, _loop, _lie, _garbage)

ATTACKS: Final[tuple[Attack, ...]] = (discovery,)
