"""The client's CURVE key pairs, one for each table and name: by its key a client is itself again.

They lie in the program's own directory, for its owner alone.
"""

import contextlib
import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import zmq

from coffeerush.errors import LinkError
from coffeerush.i18n import _
from coffeerush.places import state_directory

_LINE: Final = re.compile(rb"([\x21-\x7e]{40}) ([\x21-\x7e]{40})\n")


class KeyPair(NamedTuple):
    """A CURVE key pair in Z85."""

    public: bytes
    secret: bytes


def new_keys() -> KeyPair:
    """Return a key pair that nobody has had before."""
    return KeyPair(*zmq.curve_keypair())


def keys_for(address: str, port: int, name: str) -> KeyPair:
    """Return the key pair of `name` at the table of an address: the same each time.

    Raises:
        LinkError: it cannot be kept, or what is kept is no key pair.
    """
    wanted = f"{address}\n{port}\n{name}".encode()
    try:
        path = state_directory() / "keys" / f"{hashlib.sha256(wanted).hexdigest()[:32]}.key"
        if not path.exists():
            _create(path)
        line = path.read_bytes()
    except OSError as error:
        raise LinkError(
            _(
                "Your key cannot be kept: {reason}; set COFFEERUSH_STATE to a directory that can "
                "be written."
            ).format(reason=error)
        ) from None
    found = _LINE.fullmatch(line)
    if not found or zmq.curve_public(found[2]) != found[1]:
        raise LinkError(
            _(
                "{path} holds no key: move it away, and you come to the table as somebody new."
            ).format(path=path)
        )
    return KeyPair(found[1], found[2])


def _create(path: Path) -> None:
    """Write a new key pair; of two clients that start at once, the first to link its file wins."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent)  # 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(b"%s %s\n" % new_keys())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.unlink(draft)
