"""The host's CURVE key pair: the same after every start, since clients return to the key they know.

It lies in a file of its own beside the records, for its owner alone; never in a record or a log.
"""

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import zmq

from coffeerush.errors import HostError

FILE_NAME: Final = "host.key"
_LINE: Final = re.compile(rb"([\x21-\x7e]{40}) ([\x21-\x7e]{40})\n")


class KeyPair(NamedTuple):
    """A CURVE key pair in Z85."""

    public: bytes
    secret: bytes


def host_key(directory: Path) -> KeyPair:
    """Return the key pair of the hosts that keep their records in `directory`.

    Raises:
        HostError: the file cannot be read or written, or holds no key pair.
    """
    path = directory / FILE_NAME
    try:
        if not path.exists():
            _create(path)
        line = path.read_bytes()
    except OSError as error:
        raise HostError(
            f"the host's key cannot be kept in {path}: {error.strerror}; "
            "choose another directory with --record"
        ) from None
    found = _LINE.fullmatch(line)
    if not found or zmq.curve_public(found[2]) != found[1]:
        raise HostError(f"{path} does not hold a host's key: move it away, and a new one is made")
    return KeyPair(found[1], found[2])


def _create(path: Path) -> None:
    """Write a new key pair; of two hosts that start at once, the first to link its file wins."""
    public, secret = zmq.curve_keypair()
    descriptor, draft = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)  # it is 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(b"%s %s\n" % (public, secret))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.unlink(draft)
