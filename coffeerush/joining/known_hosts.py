"""Pin the key of the host that proved its code at an address, like SSH's known_hosts."""

import hashlib
import re
from pathlib import Path
from typing import Final

from coffeerush.errors import LinkError
from coffeerush.local.directories import state_directory
from coffeerush.local.durable import make_directory, write_atomic
from coffeerush.local.regular_files import read_regular

from .address import Address

_LINE: Final = re.compile(rb"\S+ ([\x21-\x7e]{40})\n")
_MAX_BYTES: Final = 1024


def pinned(address: Address) -> str:
    """Return the CURVE key pinned for an address, or ""; raises `LinkError` if it is unreadable."""
    try:
        path = _path(address)
        if not path.exists():
            return ""
        found = _LINE.fullmatch(read_regular(path, _MAX_BYTES))
    except OSError as error:
        raise _not_kept(error) from None
    if not found:
        raise LinkError(
            "{path} does not say which host was at {address}: delete it, and join with the code.",
            path=path,
            address=address,
        )
    return found[1].decode()


def pin(address: Address, host_key: str) -> None:
    """Pin the key of the host that proved its code at an address; raises `LinkError`."""
    try:
        path = _path(address)
        make_directory(path.parent)
        write_atomic(path, f"{address.host}:{address.port} {host_key}\n".encode())
    except OSError as error:
        raise _not_kept(error) from None


def _path(address: Address) -> Path:
    named = f"{address.host.casefold()}\n{address.port}".encode()
    return state_directory() / "pins" / f"{hashlib.sha256(named).hexdigest()[:32]}.pin"


def _not_kept(error: OSError) -> LinkError:
    return LinkError(
        "Known hosts cannot be saved: {reason}; set COFFEERUSH_STATE to a writable directory.",
        reason=error,
    )
