"""The gateway's child process, started by `GatewayProcess`; receives its options over a socket."""

import asyncio
import logging
import socket
import sys

import msgspec

from coffeerush.guests.process import serve
from coffeerush.host.gateway import GatewayOptions
from coffeerush.host.spawn import START_SECONDS, read_line
from coffeerush.local.processes import limit_process


def main(link: socket.socket) -> None:
    """Serve the guests of the table that the parent names."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    link.settimeout(START_SECONDS)
    line = read_line(link)
    if not line.endswith(b"\n"):
        return  # the parent has ended
    link.setblocking(False)
    limit_process()
    asyncio.run(serve(msgspec.json.decode(line, type=GatewayOptions), link))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
