"""The DNS-SD advert of a table: encode it as a TXT record, parse and validate received ones.

Anybody on a network can send any multicast DNS packet. What is parsed here is bounded and
sanitized, but only a hint: the host proves its identity at the door.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from msgspec import Struct

from protocol import PROTOCOL_VERSION, clean_name, is_curve_key

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


def instance(key: str, port: int) -> str:
    """Return the service instance name of a door: stable, and unique on the network."""
    return f"{sha256(f'{key} {port}'.encode()).hexdigest()[:16]}.{SERVICE}"


def written(advert: Advert) -> dict[str, str]:
    """Encode an advert as the key-value pairs of a TXT record."""
    return {
        "v": str(advert.protocol),
        "table": advert.table,
        "key": advert.key,
        "code": _YES if advert.code else _NO,
    }


def read(pairs: Mapping[bytes, bytes | None]) -> Advert | None:
    """Parse the key-value pairs of a TXT record; None if they do not describe a table."""
    version, table, key, code = (
        (pairs.get(name) or b"").decode(errors="replace")
        for name in (b"v", b"table", b"key", b"code")
    )
    name = clean_name(table)
    numbered = version.isascii() and version.isdecimal() and len(version) <= len(str(LAST_PROTOCOL))
    if not name or not numbered or not is_curve_key(key) or code not in (_YES, _NO):
        return None
    return Advert(name, key, code == _YES, int(version))
