"""Parse and format the address of a table, as people type and read it."""

import re
from typing import Final, NamedTuple

from coffeerush.errors import LinkError
from protocol import DOOR_PORT

from .code import is_code

_HOST_NAME: Final = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_.])?")
_IPV6: Final = re.compile(r"[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9_.-]{1,32})?")
_PORT: Final = re.compile(r"[0-9]{1,5}")


class Address(NamedTuple):
    """Host and port of a door."""

    host: str
    """A name or an address; IPv6 without brackets."""
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DOOR_PORT else f"{host}:{self.port}"


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
