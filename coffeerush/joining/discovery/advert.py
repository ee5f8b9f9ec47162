"""What a host tells its network about its table, and what is believed of what is heard there.

Anybody in a network can say anything by multicast DNS. What comes out of here is bounded and
clean, and worth no more than a signpost: who is at the door proves itself there.
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
    """A table, as a host announces it."""

    table: str
    """What it is called."""
    key: str
    """The host's CURVE public key, in Z85."""
    code: bool = True
    """Whether who is new there has to know its code."""
    protocol: int = PROTOCOL_VERSION
    """The newest version that the host speaks."""


def instance(key: str, port: int) -> str:
    """Return what a door is called among all of its network: the same each time, and no other."""
    return f"{sha256(f'{key} {port}'.encode()).hexdigest()[:16]}.{SERVICE}"


def written(advert: Advert) -> dict[str, str]:
    """Return the advert as the pairs of a TXT record."""
    return {
        "v": str(advert.protocol),
        "table": advert.table,
        "key": advert.key,
        "code": _YES if advert.code else _NO,
    }


def read(pairs: Mapping[bytes, bytes | None]) -> Advert | None:
    """Return what the pairs of a TXT record say; None where that is no table of ours."""
    version, table, key, code = (
        (pairs.get(name) or b"").decode(errors="replace")
        for name in (b"v", b"table", b"key", b"code")
    )
    name = clean_name(table)
    numbered = version.isascii() and version.isdecimal() and len(version) <= len(str(LAST_PROTOCOL))
    if not name or not numbered or not is_curve_key(key) or code not in (_YES, _NO):
        return None
    return Advert(name, key, code == _YES, int(version))
