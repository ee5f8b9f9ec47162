"""How others join, as a host says it in its log; with a QR code where somebody may scan it."""

import logging
import os
import sys
from typing import Final, TextIO

from coffeerush.joining.code import join_command
from coffeerush.joining.qr import half_blocks, qr_modules

_log: Final = logging.getLogger(__name__)
_DARK_ON_LIGHT: Final = "\x1b[30;47m"
_AS_BEFORE: Final = "\x1b[0m"


def invite(addresses: tuple[str, ...], port: int, code: str, stream: TextIO = sys.stderr) -> None:
    """Say how others join.

    Args:
        addresses: at which they do, the likeliest first.
        port: the door's.
        code: the join code; empty at an open table.
        stream: where the log goes.
    """
    commands = [join_command(address, code) for address in addresses]
    for command in commands:
        _log.info("Join with: %s", command)
    if not code:
        _log.info("There is no join code: everybody who reaches port %d can sit down.", port)
    rows = half_blocks(qr_modules(commands[0])) if _shows(stream) else []
    if rows and len(rows[0]) <= os.get_terminal_size(stream.fileno()).columns:
        stream.writelines(f"{_DARK_ON_LIGHT}{row}{_AS_BEFORE}\n" for row in rows)
        stream.flush()


def _shows(stream: TextIO) -> bool:
    """Tell whether half blocks and colours are seen there."""
    is_utf8 = stream.encoding.lower().replace("-", "") == "utf8"
    return stream.isatty() and is_utf8 and os.environ.get("TERM") != "dumb"
