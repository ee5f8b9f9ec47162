"""The guests that a gateway knows: how they are recognized, and the code they have to give."""

import asyncio
import fcntl
import hashlib
import logging
import os
from collections.abc import Iterable, Set
from itertools import chain, count
from pathlib import Path
from random import Random
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.code import OPEN, parse_code
from coffeerush.local.files import make_directory, read_regular, write_atomic
from coffeerush.local.keys import KeyPair, new_keys
from coffeerush.local.settings import Language, Settings
from protocol import RefusedError

# Identities by which guests are recognized: three kinds, and none can pass for another
#
# Each kind comes from one source only: a browser's message can only ever be a token.


class BrowserToken(Struct, frozen=True, tag="browser_token"):
    """What a browser was given when it was let in; nobody else knows it."""

    secret: str


class SshKey(Struct, frozen=True, tag="ssh_key"):
    """A key that a guest's ssh has proved to have."""

    fingerprint: str


class AddressAndName(Struct, frozen=True, tag="address_and_name"):
    """Where a guest without a key comes from, and what they call themselves; no secret."""

    address: str
    name: str


Identity: TypeAlias = BrowserToken | SshKey | AddressAndName


def digest(identity: Identity) -> str:
    """Return a hash of an identity, its kind included, from which nobody gets it back."""
    return hashlib.sha256(msgspec.json.encode(identity)).hexdigest()[:32]


# The guests that a gateway knows: each one's key for the table, and how they are recognized


MAX_KNOWN: Final = 256
"""The guests remembered."""
MAX_OF_SOURCE: Final = 32
"""Those of one source: somebody with the code may come under any number of names."""
SAVE_SECONDS: Final = 0.5
"""How long a change may wait for others, to be written together with them."""
Standing: TypeAlias = Literal["came", "sat", "plays"]
"""What a guest loses with their key: nothing yet, a seat that they had, or a seat in a game."""
_STANDINGS: Final[tuple[Standing, ...]] = ("came", "sat", "plays")
_MAX_BYTES: Final = 1 << 20
_log: Final = logging.getLogger(__name__)


class KnownGuest(Struct, frozen=True):
    """A guest who has given the code, or was let in."""

    name: str
    public: str
    secret: str
    code: str
    """A hash of the code that they gave, or that the table had when they were let in."""
    source: str
    """A hash of where they came from."""
    role: Role = "player"
    settings: Settings = Settings()
    standing: Standing = "came"

    @property
    def keys(self) -> KeyPair:
        """The CURVE keys of their client."""
        return KeyPair(self.public.encode(), self.secret.encode())


class _File(Struct, frozen=True):
    """What is in the file; one of another version, whose hashes differ, counts as empty."""

    version: Literal[2]
    guests: dict[str, KnownGuest]


class Register:
    """The guests in a file, by a hash of their identity; the most recent ones are last.

    Changes are written in a thread, after `SAVE_SECONDS`, or at once by `save`. A register belongs
    to one event loop.
    """

    def __init__(self, path: Path, most: int = MAX_KNOWN) -> None:
        self._path = path
        self._most = most
        self._known = _read(path)
        self._changed = False
        self._late: asyncio.TimerHandle | None = None
        self._saving: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()

    def find(self, identity: Identity | None) -> KnownGuest | None:
        """Return the guest with an identity; None is somebody who has none yet."""
        return self._known.get(digest(identity)) if identity else None

    def may_return(self, identity: Identity | None, code: str) -> bool:
        """Return whether a guest has given this code before."""
        known = self.find(identity)
        return known is not None and known.code == _hash(code)

    def admit(
        self,
        identity: Identity,
        name: str,
        role: Role,
        code: str,
        settings: Settings,
        source: str,
        living: Iterable[Identity] = (),
    ) -> KnownGuest:
        """Remember a guest who has given a code, and return their entry, with their old key.

        Another guest may be forgotten for this, but none of those at the table: `living`.
        """
        mine, before = digest(identity), self.find(identity)
        keys = before.keys if before else new_keys()
        public, secret = keys.public.decode(), keys.secret.decode()
        standing: Standing = before.standing if before else "came"
        known = KnownGuest(
            name, public, secret, _hash(code), _hash(source), role, settings, standing
        )
        self._known.pop(mine, None)
        self._known[mine] = known
        kept = {mine, *map(digest, living)}
        same = [each for each, guest in self._known.items() if guest.source == known.source]
        self._forget(same, MAX_OF_SOURCE, kept)
        self._forget([*self._known], self._most, kept)
        self._change()
        return known

    def _forget(self, among: list[str], most: int, kept: Set[str]) -> None:
        """Forget guests until there are few enough: those who would lose least, oldest first."""
        spare = [each for each in among if each not in kept]
        spare.sort(key=lambda each: _STANDINGS.index(self._known[each].standing))
        for each in spare[: max(0, len(among) - most)]:
            del self._known[each]

    def keep(self, identity: Identity, settings: Settings) -> None:
        """Remember a guest's settings."""
        self._update(identity, settings=settings)

    def note(self, identity: Identity, standing: Standing) -> None:
        """Remember what a guest would lose with their key."""
        self._update(identity, standing=standing)

    def speak(self, identity: Identity, language: Language) -> None:
        """Remember the language that a guest has chosen."""
        known = self.find(identity)
        if known is not None:
            self.keep(identity, replace(known.settings, language=language))

    def renew(self, identities: Iterable[Identity], code: str) -> None:
        """Note that these guests, who are at the table, need not give its new code."""
        for identity in identities:
            self._update(identity, code=_hash(code))

    def _update(self, identity: Identity, **changes: object) -> None:
        """Change what is known of a guest, if it is known and differs."""
        before = self.find(identity)
        known = replace(before, **changes) if before else None
        if known and known != before:
            self._known[digest(identity)] = known
            self._change()

    # Saving

    def _change(self) -> None:
        self._changed = True
        if self._late is None:
            self._late = asyncio.get_running_loop().call_later(SAVE_SECONDS, self._save_late)

    def _save_late(self) -> None:
        self._late = None
        self._saving = asyncio.create_task(self._save())

    async def save(self) -> None:
        """Write all changes now, and wait for it."""
        # if the caller is cancelled, the write continues: a later one must not overtake it
        self._saving = asyncio.create_task(self._save())
        await asyncio.shield(self._saving)

    async def _save(self) -> None:
        async with self._writing:
            if self._late:
                self._late.cancel()
                self._late = None
            if not self._changed:
                return
            self._changed = False
            data = msgspec.json.encode(_File(2, self._known))
            await asyncio.to_thread(_write, self._path, data)


def _write(path: Path, data: bytes) -> None:
    try:
        make_directory(path.parent)
        write_atomic(path, data)
    except OSError as error:
        _log.warning("The guests' keys cannot be saved in %s: %s", path, error)


def _read(path: Path) -> dict[str, KnownGuest]:
    try:
        return msgspec.json.decode(read_regular(path, _MAX_BYTES), type=_File).guests
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def own_file(directory: Path, name: str) -> Path:
    """Return the path of a register that no other gateway uses until this process ends.

    The first free one of `NAME.json`, `NAME-2.json` and so on: after a restart the same one again.
    """
    names = chain((name,), (f"{name}-{number}" for number in count(2)))
    paths = (directory / f"{each}.json" for each in names)
    return next(path for path in paths if _lock(path.with_suffix(".lock")))


def _lock(path: Path) -> bool:
    """Lock a file until this process ends; return whether no other process has locked it."""
    try:
        make_directory(path.parent)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return False
    except OSError:
        pass  # a file system without locks, or one where nothing can be saved either
    return True


# The join code as guests have to give it, with the limits of the door; sans-I/O
#
# The gateway is on the host's machine, where the door needs no code. So it asks for the code
# itself.


class Gate:
    """The join code of the table as guests have to give it; empty if the table has none.

    Each source may try as often as at the door. After as many wrong codes as change the code of a
    table, nobody is let in until `renew` sets a new one.
    """

    def __init__(self, code: str, chance: Random) -> None:
        self._admission = Admission(AdmittedKeyring(), chance)
        self.renew(code)

    def renew(self, code: str) -> None:
        """Set the code; sources keep the wrong tries that they have made."""
        self.code = self._admission.code = code

    @property
    def is_spent(self) -> bool:
        """Whether there were so many wrong codes that the table needs a new one."""
        return self._admission.code != self.code

    def check(self, now: float, source: str, typed: str, spoken: str) -> str:
        """Return the code that somebody typed if it is right; empty at an open table.

        Args:
            now: in seconds of a monotonic clock.
            source: where they come from, as `coffeerush.joining.admission.source_of` says.
            typed: in any language; not needed at an open table.
            spoken: their language.

        Raises:
            UsageError: it is not a code; this is no try.
            RefusedError: `wrong_code`, `too_many_tries` or `door_busy`.
        """
        if not self.code:
            return ""
        code = parse_code(typed, spoken)
        if code == OPEN:
            raise RefusedError("code_needed")
        self._admission.begin(now, source)
        # if the table needs a new one, this one is not right any more, but no wrong try either
        self._admission.prove(now, source, "", code if code == self.code else "")
        return code
