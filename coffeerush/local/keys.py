"""CURVE key pairs of the host and the client, kept in owner-only files."""

import hashlib
import logging
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import zmq

from coffeerush.errors import HostError, LinkError

from .files import (
    claim,
    make_directory,
    make_private,
    new_draft,
    open_regular,
    state_directory,
    sync,
    write,
    write_atomic,
)

_LINE: Final = re.compile(rb"([\x21-\x7e]{40}) ([\x21-\x7e]{40})\n")
HOST_KEY_FILE: Final = "host.key"
_MAX_BYTES: Final = 100
_log: Final = logging.getLogger(__name__)


class KeyPair(NamedTuple):
    """A CURVE key pair in Z85."""

    public: bytes
    secret: bytes


def new_keys() -> KeyPair:
    """Generate a key pair."""
    return KeyPair(*zmq.curve_keypair())


def kept_keys(path: Path, warn: bool = False) -> KeyPair:
    """Return the key pair in a file, created if it is missing; see `read_keys`."""
    if not path.exists():
        with new_draft(path.parent) as (new, draft):
            write(new, b"%s %s\n" % new_keys())
            sync(new)
            claim(draft, path)  # if two programs race, the first one wins
    return read_keys(path, warn)


def read_keys(path: Path, warn: bool = False) -> KeyPair:
    """Return the key pair in a file; raises `OSError` or `ValueError`.

    If other users could access the file they no longer can, and `warn` logs a warning.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        line = _LINE.fullmatch(file.read(_MAX_BYTES))
        exposed = make_private(file.fileno())
    if not line or zmq.curve_public(line[2]) != line[1]:
        raise ValueError(f"{path} holds no key")
    if exposed and warn:
        _log.warning(
            "Other users of this machine could read or change %s; it is private now. If one of"
            " them may have done so, move it away: a new key is created, and all guests need the"
            " code again.",
            path,
        )
    return KeyPair(line[1], line[2])


def keys_for(host_key: str, name: str, *, watches: bool = False, hall: str = "") -> KeyPair:
    """Return the key pair of `name` at a host, whatever the host's address; raises `LinkError`.

    If `name` has been in its hall before, perhaps at an earlier host, it is the pair from there.
    Somebody who plays may watch in a second window, which has another key pair: with the same one
    it would take the seat.
    """
    try:
        path = _client_path(hall, name, watches)
        if not hall or not path.exists():
            path = _client_path(host_key, name, watches)
        return kept_keys(path)
    except OSError as error:
        raise _unsaved(error) from None
    except ValueError:
        raise LinkError(
            "{path} does not hold a key; move that file out of the way to join the "
            "table as somebody new.",
            path=path,
        ) from None


def move_keys(keys: KeyPair, place: str, name: str, *, watches: bool = False) -> None:
    """Use a key pair of `name` also in another place from now on, to which a table moves.

    `place` is the key of a host, or what all hosts of a hall have in common. A pair that was used
    there before is kept under another name: it is still this person's. Raises `LinkError`.
    """
    try:
        path = _client_path(place, name, watches)
        with suppress(FileNotFoundError, ValueError):
            before = read_keys(path)
            if before == keys:
                return
            stamp = hashlib.sha256(before.public).hexdigest()[:8]
            path.replace(path.with_name(f"{path.stem}-{stamp}.key"))
        write_atomic(path, b"%s %s\n" % keys)
    except OSError as error:
        raise _unsaved(error) from None


def _unsaved(error: OSError) -> LinkError:
    return LinkError(
        "Your key cannot be saved: {reason}; set COFFEERUSH_STATE to a writable directory.",
        reason=error,
    )


def _client_path(place: str, name: str, watches: bool) -> Path:
    """Return the file for the keys of a name at a host or in a hall; raises `OSError`."""
    wanted = "\n".join((place, name, *(["watches"] if watches else []))).encode()
    path = state_directory() / "keys" / f"{hashlib.sha256(wanted).hexdigest()[:32]}.key"
    make_directory(path.parent)
    return path


def own_public_keys() -> list[str]:
    """Return the public keys of this user at all tables; those that cannot be read are left out."""
    found = []
    with suppress(OSError):
        for path in (state_directory() / "keys").glob("*.key"):
            with suppress(OSError, ValueError):
                found.append(read_keys(path).public.decode())
    return found


def host_key(directory: Path) -> KeyPair:
    """Return the key pair of the hosts with their records in `directory`; raises `HostError`."""
    path = directory / HOST_KEY_FILE
    try:
        return kept_keys(path, warn=True)
    except OSError as error:
        raise HostError(
            "The host's key cannot be saved in {path}: {reason}; make its directory writable.",
            path=path,
            reason=error,
        ) from None
    except ValueError:
        raise not_a_key(path) from None


def not_a_key(path: Path) -> HostError:
    """Return the error for a file with something else than the key of a host."""
    return HostError(
        "{path} does not hold a host's key; move that file out of the way, and a new one will be "
        "created.",
        path=path,
    )
