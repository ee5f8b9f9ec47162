"""Hosts as a client knows them: addresses, and the key that each had before."""

import hashlib
import re
from pathlib import Path
from typing import Final, NamedTuple

from coffeerush.errors import LinkError
from coffeerush.local.files import make_directory, read_regular, state_directory, write_atomic
from protocol import DOOR_PORT, Banner

from .code import OPEN, is_code

_HOST_NAME: Final = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_.])?")
_IPV6: Final = re.compile(r"[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9_.-]{1,32})?")
_PORT: Final = re.compile(r"[0-9]{1,5}")


class Address(NamedTuple):
    """Host and port of a door."""

    host: str
    """A name or an address; IPv6 without brackets."""
    port: int

    def __str__(self) -> str:
        """Return what to type after `coffeerush join`: brackets only where the port needs them.

        A shell may take brackets for a pattern.
        """
        if self.port == DOOR_PORT:
            return self.host
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_address(text: str) -> Address:
    """Parse `HOST`, `HOST:PORT`, `IPV6` or `[IPV6]:PORT`; raises `LinkError` for anything else."""
    host, port = _split(text.strip())
    if not (_IPV6 if ":" in host else _HOST_NAME).fullmatch(host) or is_code(host):
        raise LinkError(
            "“{address}” is not an address; give one like 192.168.0.12, "
            "192.168.0.12:47820, cafe.local or [fe80::1%eth0]:47820.",
            address=text,
        )
    if not _PORT.fullmatch(port) or not 1 <= int(port) <= 65535:
        raise LinkError("“{port}” is not a port; give a number from 1 to 65535.", port=port)
    return Address(host, int(port))


def ssh_command(address: str, port: int) -> str:
    """Return the command with which guests join by ssh; `address` is that of a door."""
    return f"ssh -p {port} {_split(address)[0]}"


def page_address(address: str, port: int, tls: bool) -> str:
    """Return the address of the page for browsers; `address` is that of a door."""
    host = _split(address)[0]
    named = f"[{host}]" if ":" in host else host
    return f"{'https' if tls else 'http'}://{named}:{port}/"


def _split(text: str) -> tuple[str, str]:
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        port = rest.removeprefix(":") if rest else str(DOOR_PORT)
        return host if bracket else text, port
    if text.count(":") == 1:
        host, _colon, port = text.partition(":")
        return host, port
    return text, str(DOOR_PORT)


# The pinned key of the host that proved its code at an address, like SSH's known_hosts


_LINE: Final = re.compile(rb"\S+ ([\x21-\x7e]{40})\n")
_MAX_BYTES: Final = 1024


def pinned(address: Address) -> str:
    """Return the CURVE key pinned for an address, or ""; raises `LinkError` if it is unreadable."""
    try:
        path = _path(address)
        if not path.exists():
            return ""
        line = _LINE.fullmatch(read_regular(path, _MAX_BYTES))
    except OSError as error:
        raise _not_kept(error) from None
    if not line:
        raise LinkError(
            "{path} does not say which host was at {address}: delete it, and join with the code.",
            path=path,
            address=address,
        )
    return line[1].decode()


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


# Whether a client trusts the host at an address: by join code, pinned key or session key
#
# A code proves the host's identity. Without one, the key that proved a code before must still
# match.


class CodeNeeded(LinkError):
    """The host needs its code to admit this client; giving the code helps."""


class AnotherHost(CodeNeeded):
    """Not the host that was trusted at this address before."""


class Unproven(LinkError):
    """The host cannot prove that it knows the person's code."""


class Known(NamedTuple):
    """A client's knowledge of a host before the handshake; keys are CURVE keys in Z85."""

    code: str = ""
    """The user's input: a join code, `OPEN`, or empty."""
    pinned: str = ""
    """The key that proved a code at this address before."""
    session: str = ""
    """When reconnecting: the key of the host of this client's table."""
    here: bool = False
    """Whether the host is on this machine, so that there can be no man in the middle."""

    @property
    def secret(self) -> str:
        """The join code, or empty."""
        return "" if self.code == OPEN else self.code


def check_banner(address: Address, banner: Banner, known: Known) -> None:
    """Raise `LinkError` unless a banner may be that of the host that the person means."""
    if known.session and known.session != banner.key:
        raise AnotherHost(
            "A different host now answers at {address}; if you want that one, join with its code.",
            address=address,
        )
    if known.here or known.session:
        return
    if known.secret and not banner.code:
        raise Unproven(
            "The host at {address} asks for no code, but you have one, so it may not "
            "be the host you mean. If you know this host, enter “open” instead of the "
            "code.",
            address=address,
        )
    if known.secret or known.pinned in ("", banner.key):
        return
    if banner.code:
        raise AnotherHost(
            "The host now at {address} is not the one that you joined with a code "
            "before; ask for its code, and join with that.",
            address=address,
        )
    if known.code != OPEN:
        raise AnotherHost(
            "The host now at {address} is not the one that you joined with a code "
            "before, and it asks for no code. If you know this host, enter “open” "
            "instead of the code.",
            address=address,
        )


def check_proof(address: Address, known: Known, proved: bool) -> None:
    """Raise `Unproven` if a host admitted this client without proving its code."""
    if known.secret and not known.here and not proved:
        raise Unproven(
            "The host at {address} did not prove that it knows the code you gave, so "
            "it is not the one you mean; check the address on the host's screen.",
            address=address,
        )
