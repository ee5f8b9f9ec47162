"""The guests that a gateway knows: each one's key for the table, and how they are recognized.

An owner-only file, so that a guest has the same seat after the gateway was killed.
"""

import hashlib
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.local.durable import make_directory, write_atomic
from coffeerush.local.keys import KeyPair, new_keys
from coffeerush.local.regular_files import read_regular
from coffeerush.local.settings import Settings

MAX_KNOWN: Final = 256
"""The guests remembered; whoever came longest ago is forgotten first."""
_MAX_BYTES: Final = 1 << 20
_log: Final = logging.getLogger(__name__)


class KnownGuest(Struct, frozen=True):
    """A guest who has given the code."""

    name: str
    public: str
    secret: str
    code: str
    """A hash of the code that they gave."""
    role: Role = "player"
    settings: Settings = Settings()

    @property
    def keys(self) -> KeyPair:
        """The CURVE keys of their client."""
        return KeyPair(self.public.encode(), self.secret.encode())


class Register:
    """The guests in a file, by a hash of their identity."""

    def __init__(self, path: Path, most: int = MAX_KNOWN) -> None:
        self._path = path
        self._most = most
        self._known = _read(path)

    def find(self, identity: str) -> KnownGuest | None:
        """Return the guest with an identity; empty for somebody who has none yet."""
        return self._known.get(_hash(identity)) if identity else None

    def admit(
        self, identity: str, name: str, role: Role, code: str, settings: Settings
    ) -> KnownGuest:
        """Remember a guest who has given the code, and return their entry, with their old key."""
        before = self.find(identity)
        keys = before.keys if before else new_keys()
        public, secret = keys.public.decode(), keys.secret.decode()
        known = KnownGuest(name, public, secret, _hash(code), role, settings)
        self._known.pop(_hash(identity), None)
        self._known[_hash(identity)] = known
        while len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        self._save()
        return known

    def may_return(self, identity: str, code: str) -> bool:
        """Tell whether a guest has given this code before."""
        known = self.find(identity)
        return known is not None and known.code == _hash(code)

    def keep(self, identity: str, settings: Settings) -> None:
        """Remember a guest's settings."""
        known = self.find(identity)
        if known is not None and known.settings != settings:
            self._known[_hash(identity)] = replace(known, settings=settings)
            self._save()

    def renew(self, identities: Iterable[str], code: str) -> None:
        """Note that these guests, who are at the table, need not give its new code."""
        for identity in identities:
            known = self.find(identity)
            if known is not None:
                self._known[_hash(identity)] = replace(known, code=_hash(code))
        self._save()

    def _save(self) -> None:
        try:
            make_directory(self._path.parent)
            write_atomic(self._path, msgspec.json.encode(self._known))
        except OSError as error:
            _log.warning("The guests' keys cannot be saved in %s: %s", self._path, error)


def _read(path: Path) -> dict[str, KnownGuest]:
    try:
        return msgspec.json.decode(read_regular(path, _MAX_BYTES), type=dict[str, KnownGuest])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
