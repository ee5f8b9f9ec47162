"""The host's child process, started by `spawn_host`; receives its options over a socket."""

import logging
import signal
import socket
import sys
from typing import Final

from coffeerush.errors import CoffeeRushError, UsageError
from coffeerush.host.server.parent import Failed, HostOptions, ParentLink
from coffeerush.local.processes import first_message, parent_socket
from coffeerush.ui.words.errors import error_line

from .hosting import host_here
from .main import end_on_signals, ignore_signals

_log: Final = logging.getLogger(__name__)


def serve(link: socket.socket) -> None:
    """Host the table that the parent asks for, and report errors to it."""
    options = first_message(link, HostOptions)
    parent = ParentLink(link, options.stop)
    try:
        host_here(options, parent)
    except CoffeeRushError as error:
        text = error_line(error)
        _log.error("%s", text)
        parent.tell(Failed(text, isinstance(error, UsageError)))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    end_on_signals()
    serve(parent_socket())
    ignore_signals()
