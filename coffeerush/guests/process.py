"""The gateway as a process: from its parent's options until its parent ends."""

import asyncio
import contextlib
import gc
import hashlib
import logging
import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from random import SystemRandom
from typing import Any, Final

from msgspec.structs import replace

from coffeerush.errors import HostError
from coffeerush.host.children import (
    CodeChanged,
    CodeSpent,
    GatewayOptions,
    GuestAnswered,
    certificate_of,
)
from coffeerush.host.server.incidents import Incidents
from coffeerush.host.server.parent import Ways
from coffeerush.host.server.sockets import listen
from coffeerush.joining.hosts import Address
from coffeerush.local.files import state_directory
from coffeerush.local.processes import LineLink, first_message, limit_process, parent_socket
from coffeerush.ui.terminal.fullscreen import saved_bug
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import load_languages

from .gateway import Gateway, HostDoor
from .register import Gate, Register, own_file
from .ssh import SshDoor, host_key
from .web.server import Web, open_web

LOG_SECONDS: Final = 5.0
"""How often it is seen whether something went wrong."""
GC_THRESHOLDS: Final = (700, 2, 2)
"""Garbage is collected early: a connection by TLS is a circle with a buffer of 256 kB."""
_log: Final = logging.getLogger(__name__)


async def serve(options: GatewayOptions, parent: socket.socket) -> None:
    """Serve guests until the parent closes its link, or a signal ends the process."""
    for name in ("asyncssh", "asyncio"):  # strangers must not fill the log
        logging.getLogger(name).setLevel(logging.CRITICAL)
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    # one review after another, so that the loop has to share its core with only one thread
    loop.set_default_executor(ThreadPoolExecutor(1))
    loop.set_exception_handler(_on_error)
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, ended.set)
    link: LineLink[CodeChanged | GuestAnswered] = LineLink(parent, CodeChanged | GuestAnswered)
    try:
        gateway, ssh, web = await _open(options, link)
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent has to know
        link.tell(Ways(0, "", failed=error_line(saved_bug(error))))
        return
    load_languages()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    tasks = [
        asyncio.create_task(_hear(link, gateway, web, ended)),
        asyncio.create_task(_look_after(gateway.incidents, link)),
    ]
    await ended.wait()
    for task in tasks:
        task.cancel()
    await asyncio.gather(web.close(), ssh.close(), gateway.close())


async def _open(
    options: GatewayOptions, link: LineLink[CodeChanged | GuestAnswered]
) -> tuple[Gateway, SshDoor, Web]:
    """Open both ports, and tell the parent."""
    address = Address(options.host, options.port)
    try:
        directory = state_directory()
    except OSError as error:
        raise HostError(
            "{path} cannot be written: {reason}.", path=error.filename, reason=error
        ) from None
    name = hashlib.sha256(str(address).encode()).hexdigest()[:16]
    gateway = Gateway(
        HostDoor(address, options.host_key),
        options.table,
        options.owner,
        Gate(options.code, SystemRandom()),
        Register(own_file(directory / "guests", name)),
        lambda: link.tell(CodeSpent()),
        lets_in=options.lets_in,
        is_here=options.is_here,
    )
    ssh = SshDoor(gateway, host_key(directory))
    port = await ssh.open(_listening(options, options.ssh_port))
    ways = Ways(port, ssh.fingerprint, web_tls=bool(options.tls_cert))

    def tell_asking(asking: tuple[tuple[int, str, str], ...]) -> None:
        nonlocal ways
        ways = replace(ways, asking=asking)
        link.tell(ways)

    certificate = certificate_of(options.tls_cert, options.tls_key)
    socket_of_page = _listening(options, options.web_port)
    web = await open_web(gateway, socket_of_page, tell_asking, certificate)
    gateway.page = ("https" if certificate else "http", web.port)
    ways = replace(ways, web_port=web.port)
    link.tell(ways)
    return gateway, ssh, web


def _listening(options: GatewayOptions, port: int) -> socket.socket:
    """Listen at a port, or at any if that is taken; raises `HostError`."""
    if not options.only_these_ports:
        with contextlib.suppress(HostError):
            return listen(options.bind, port)
        port = 0
    return listen(options.bind, port)


async def _hear(
    link: LineLink[CodeChanged | GuestAnswered], gateway: Gateway, web: Web, ended: asyncio.Event
) -> None:
    """Take new codes, and who is let in, from the parent, until it ends."""
    with contextlib.suppress(EOFError, ValueError):
        while True:
            heard = await link.receive_async()
            if isinstance(heard, CodeChanged):
                gateway.new_code(heard.code)
                web.new_code()
            else:
                web.let_in(heard.guest, heard.allowed)
    ended.set()


async def _look_after(incidents: Incidents, link: LineLink[CodeChanged | GuestAnswered]) -> None:
    """Sum up what went wrong, in at most one line a minute, and send what the parent awaits."""
    while True:
        await asyncio.sleep(LOG_SECONDS)
        link.send_waiting()
        if line := incidents.due(asyncio.get_running_loop().time()):
            _log.warning("%s", line)


def _on_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Put an error on record that nobody caught; it concerns one guest."""
    found = context.get("exception")
    if isinstance(found, MemoryError):
        os._exit(1)
    if isinstance(found, Exception) and not isinstance(found, OSError):
        _log.error("%s", saved_bug(found))


def main(link: socket.socket) -> None:
    """Serve the guests of the table that the parent names in its first line."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    options = first_message(link, GatewayOptions)
    limit_process()
    asyncio.run(serve(options, link))


if __name__ == "__main__":
    main(parent_socket())
