"""CURVE key pairs that are kept in files, each for its owner alone."""

import re
from pathlib import Path
from typing import Final, NamedTuple

import zmq

from .durable import claim, new_draft, sync, write

_LINE: Final = re.compile(rb"([\x21-\x7e]{40}) ([\x21-\x7e]{40})\n")


class KeyPair(NamedTuple):
    """A CURVE key pair in Z85."""

    public: bytes
    secret: bytes


def new_keys() -> KeyPair:
    """Return a key pair that nobody has had before."""
    return KeyPair(*zmq.curve_keypair())


def kept_keys(path: Path) -> KeyPair:
    """Return the key pair in a file; a file that is not there gets a new one.

    Raises:
        OSError: the file cannot be read or written.
        ValueError: it holds no key pair.
    """
    if not path.exists():
        _create(path)
    found = _LINE.fullmatch(path.read_bytes())
    if not found or zmq.curve_public(found[2]) != found[1]:
        raise ValueError(f"{path} holds no key")
    return KeyPair(found[1], found[2])


def _create(path: Path) -> None:
    """Write a new key pair; of two programs at once, the first to claim the name wins."""
    with new_draft(path.parent) as (file, draft):
        write(file, b"%s %s\n" % new_keys())
        sync(file)
        claim(draft, path)
