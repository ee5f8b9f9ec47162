"""Tables nearby: what is announced by mDNS, and what was found."""

from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from protocol import (
    MAX_PLAYERS,
    NAME_CELLS,
    PROTOCOL_VERSION,
    Name,
    clean_name,
    is_curve_key,
)

MAX_FOUND: Final = 20
"""The most tables listed, however many are announced."""
IpAddress: TypeAlias = IPv4Address | IPv6Address
Interface: TypeAlias = IPv4Interface | IPv6Interface


LAST_ROUND: Final = 999
"""Adverts have no later one."""
FreeSeats: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_PLAYERS)]
OwnerName: TypeAlias = Annotated[str, Meta(max_length=NAME_CELLS)]
AnnouncedRound: TypeAlias = Annotated[int, Meta(ge=0, le=LAST_ROUND)]


class FoundTable(Struct, frozen=True):
    """A table as its host announces it on the network; nothing of it is proved."""

    table: Name
    address: Annotated[str, Meta(max_length=64)]
    """As people type it."""
    code: bool
    """Whether newcomers need its join code."""
    free: FreeSeats | None = None
    """The seats that people can take now; None if its host does not say."""
    round: AnnouncedRound | None = None
    """The round of its game, 0 between games; None if its host does not say."""
    owner: OwnerName = ""
    """Who hosts it; empty if nobody does, or its host does not say."""
    here: bool = False
    """Whether its host is on this machine: it then asks for no code."""


def likeliest(addresses: Iterable[IpAddress], own: Collection[Interface]) -> IpAddress | None:
    """Return the address at which a host is most likely reachable from here, or None.

    Prefers addresses in a network of this machine, except this machine's own addresses: those of
    container bridges are the same on many machines.
    """
    own_addresses = {interface.ip for interface in own}

    def rank(address: IpAddress) -> int:
        if address in own_addresses:
            return 1
        return 0 if any(address in interface.network for interface in own) else 2

    return min((address for address in addresses if _is_reachable(address)), key=rank, default=None)


def _is_reachable(address: IpAddress) -> bool:
    """Return whether an address can be another machine's; loopback would mean a local program."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return False  # could hide any of the IPv4 addresses below
    return not (address.is_loopback or address.is_multicast or address.is_unspecified)


# The DNS-SD advert of a table: encode it as a TXT record, parse and validate received ones
#
# Anybody on a network can send any multicast DNS packet. What is parsed here is bounded and
# sanitized, but only a hint: the host proves its identity at the door.


SERVICE: Final = "_coffeerush._tcp.local."
LAST_PROTOCOL: Final = 9999
_YES, _NO = "1", "0"


class Advert(Struct, frozen=True):
    """A table, as its host announces it."""

    table: str
    """The table's name."""
    key: str
    """The host's CURVE public key, in Z85."""
    code: bool = True
    """Whether newcomers need the join code."""
    protocol: int = PROTOCOL_VERSION
    """The newest protocol version that the host supports."""
    free: int | None = None
    round: int | None = None
    owner: str = ""
    """As in `FoundTable`."""


def instance(key: str, port: int) -> str:
    """Return the service instance name of a door: stable, and unique on the network."""
    return f"{sha256(f'{key} {port}'.encode()).hexdigest()[:16]}.{SERVICE}"


def written(advert: Advert) -> dict[str, str]:
    """Encode an advert as the key-value pairs of a TXT record."""
    stage = {"free": advert.free, "round": advert.round}
    return {
        "v": str(advert.protocol),
        "table": advert.table,
        "key": advert.key,
        "code": _YES if advert.code else _NO,
        **{name: str(number) for name, number in stage.items() if number is not None},
        **({"owner": advert.owner} if advert.owner else {}),
    }


def read(pairs: Mapping[bytes, bytes | None]) -> Advert | None:
    """Parse the key-value pairs of a TXT record; None if they do not describe a table."""
    texts = {name: (value or b"").decode(errors="replace") for name, value in pairs.items()}
    name, version = clean_name(texts.get(b"table", "")), _number(texts, b"v", LAST_PROTOCOL)
    key, code = texts.get(b"key", ""), texts.get(b"code", "")
    if not name or version is None or not is_curve_key(key) or code not in (_YES, _NO):
        return None
    free, turn = _number(texts, b"free", MAX_PLAYERS), _number(texts, b"round", LAST_ROUND)
    return Advert(name, key, code == _YES, version, free, turn, clean_name(texts.get(b"owner", "")))


def _number(texts: Mapping[bytes, str], name: bytes, most: int) -> int | None:
    """Return a number in digits; None if it is missing, wrong or too large."""
    text = texts.get(name, "")
    digits = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    return int(text) if digits and int(text) <= most else None
