"""Opens a connection to a name that may have several numbers, some of which may lead nowhere."""

import asyncio
import socket
from typing import Any, Final

from .address import Address

MOST_NUMBERS: Final = 8


async def connected(address: Address) -> socket.socket:
    """Return a connection to the number of an address that answers first.

    Raises:
        gaierror: the name has no number.
        ConnectionRefusedError: nobody listens at one of them, and none lets in.
        OSError: none of them can be reached.
        UnicodeError: it cannot be a name.
    """
    loop = asyncio.get_running_loop()
    numbers = await loop.getaddrinfo(*address, type=socket.SOCK_STREAM)
    tries = [
        loop.create_task(_try(family, kind, protocol, number))
        for family, kind, protocol, _name, number in numbers[:MOST_NUMBERS]
    ]
    try:
        return await _first(tries)
    finally:
        for each in tries:
            each.cancel()
            each.add_done_callback(_close_late)


async def _first(tries: list[asyncio.Task[list[socket.socket]]]) -> socket.socket:
    errors: list[OSError] = []
    for each in asyncio.as_completed(tries):
        try:
            return (await each).pop()
        except OSError as error:
            errors.append(error)
    raise min(errors, key=lambda error: not isinstance(error, ConnectionRefusedError))


async def _try(family: int, kind: int, protocol: int, number: Any) -> list[socket.socket]:
    """Return a connection in a list, which whoever needs it takes out of it."""
    link = socket.socket(family, kind, protocol)
    try:
        link.setblocking(False)
        await asyncio.get_running_loop().sock_connect(link, number)
    except BaseException:
        link.close()
        raise
    return [link]


def _close_late(trying: asyncio.Task[list[socket.socket]]) -> None:
    """Close a connection that another one was faster than."""
    if not trying.cancelled() and not trying.exception():
        for link in trying.result():
            link.close()
