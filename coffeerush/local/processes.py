"""Child processes: their start, the link to their parent, and the limits on what a process uses.

asyncio is imported late: the children that need it are few, and it takes a fifth of a bot's start.
"""

import contextlib
import fcntl
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec

import coffeerush

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

HOST_MEMORY_BYTES: Final = 1 << 30
THREAD_SWITCH_SECONDS: Final = 0.0001
"""The interpreter's switch interval. A request that coincides with a proof at the door takes 15 ms
with the default of 5 ms, and 2.4 ms with 0.5 ms. When strangers keep the door and the flood guard
busy, the slowest 1% of moves take twice as long as without load at 0.5 ms, 1.5 times at this."""
MOST_ARENAS: Final = 4
"""Of glibc's allocator; its threads share them."""
_M_ARENA_MAX: Final = -8
"""In `malloc.h`."""
SPARE_DESCRIPTORS: Final = 16
"""Reserved for inspecting the descriptors in use when all others are taken."""
DESCRIPTORS_AT_ONCE: Final = 2048
"""The descriptors that a process can open without a pause. Linux lets a process with threads wait
8 to 16 ms each time that its table of descriptors grows, at 256, 512 and 1024."""
MULTICAST_MEMORY_BYTES: Final = 256 << 20
NICENESS: Final = 1
"""Added to the niceness of discovery and bots: the table and the screen have priority.

With more, bots beside busy processes were not run for many seconds, and lost their time."""
MAX_LINE: Final = 1 << 20
"""The bytes of the longest message that a child may send, or a parent after its first one."""
_MAX_FIRST_LINE: Final = 1 << 26
"""The bytes of a parent's first message: the plan of an arena has the sources of its bots."""
_CHUNK: Final = 1 << 16
_FIRST_SECONDS: Final = 20.0
"""The timeout for a parent's first message."""

Heard = TypeVar("Heard")


def limit_process() -> None:
    """Raise the limit on descriptors, limit memory, and prevent pauses that the table would feel.

    glibc reserves 64 MB for each thread that allocates, which would use up the limit.
    Out of memory, the process ends, and the record brings the table back. Only soft limits, so
    that a bot's process can lift its own.
    """
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    import ctypes

    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, MOST_ARENAS)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    bounded = most != resource.RLIM_INFINITY
    _set_soft(resource.RLIMIT_NOFILE, most - SPARE_DESCRIPTORS if bounded else most)
    _set_soft(resource.RLIMIT_AS, HOST_MEMORY_BYTES)
    with suppress(OSError), open(os.devnull, "rb") as highest:
        os.close(fcntl.fcntl(highest, fcntl.F_DUPFD, DESCRIPTORS_AT_ONCE - 1))


@contextlib.contextmanager
def spare_descriptors() -> Iterator[None]:
    """Temporarily allow `SPARE_DESCRIPTORS` more descriptors."""
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        yield
        return
    _set_soft(resource.RLIMIT_NOFILE, soft + SPARE_DESCRIPTORS)
    try:
        yield
    finally:
        _set_soft(resource.RLIMIT_NOFILE, soft)


def exit_if_a_thread_fails() -> None:
    """End this process if one of its threads fails, for example out of memory.

    Otherwise a host without its door or flood guard would look healthy. What was acknowledged is
    on record; no `HostStopping` is sent, so that clients wait for the host to come back.
    """
    threading.excepthook = _end


def _end(failed: threading.ExceptHookArgs) -> None:
    try:
        threading.__excepthook__(failed)
    finally:
        os._exit(os.EX_SOFTWARE)


def lift_memory_limit() -> None:
    """Lift the memory limit inherited from the host, in a child process."""
    _set_soft(resource.RLIMIT_AS, resource.getrlimit(resource.RLIMIT_AS)[1])


def _set_soft(kind: int, wanted: int) -> None:
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        wanted = hard if wanted == resource.RLIM_INFINITY else min(wanted, hard)
    # Some systems refuse a limit that they report, or one that the process already exceeds.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (wanted, hard))


def child_environment() -> dict[str, str]:
    """Return the environment in which a child process imports this same package."""
    root = str(Path(coffeerush.__file__).parents[1])
    others = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, others] if others else [root])}


class LineLink(Generic[Heard]):
    """One end of the socket between a parent and its child: messages as JSON lines, both ways.

    It reads no byte beyond the next message, so that another process or link can read on, and
    its descriptor is readable as long as there is more. One thread may receive while one sends.

    Args:
        end: the socket.
        heard: the type of the messages from the other end; bytes that are none are a `ValueError`.
        max_line: the bytes of the longest message.
    """

    def __init__(self, end: socket.socket, heard: Any, max_line: int = MAX_LINE) -> None:
        end.setblocking(False)
        self.end = end
        self._decode: Callable[[bytearray], Any] = msgspec.json.Decoder(heard).decode
        self._max_line = max_line
        self._received = bytearray()
        """The part of the next message received so far."""
        self._lock = threading.Lock()
        self._waiting: dict[type[msgspec.Struct], msgspec.Struct] = {}
        self._unsent = b""
        """The rest of the message that is being sent."""

    def fileno(self) -> int:
        """Return the descriptor to poll."""
        return self.end.fileno()

    def receive_within(self, seconds: float | None) -> Heard | None:
        """Return the next message, or None if it is not there after `seconds`; None: no timeout.

        Raises:
            EOFError: the other end is closed.
            ValueError: a line is no message, or too long.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self._receive_part():
            if not self._wait(select.POLLIN, deadline):
                return None
        line, self._received = self._received, bytearray()
        try:
            message: Heard = self._decode(line)
        except (ValueError, RecursionError) as error:
            raise ValueError("the other end sent what is no message") from error
        return message

    def receive(self) -> Heard:
        """Wait for the next message; raises like `receive_within`."""
        while (message := self.receive_within(None)) is None:
            pass
        return message

    async def receive_async(self) -> Heard:
        """Wait for the next message in an event loop; raises like `receive_within`."""
        import asyncio

        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        while (message := self.receive_within(0)) is None:
            loop.add_reader(self, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(self)
            readable.clear()
        return message

    def is_readable(self) -> bool:
        """Return whether there is something to receive, or the other end is closed."""
        return self._wait(select.POLLIN, 0.0)

    def _receive_part(self) -> bool:
        """Receive what is there, up to the end of the line; return whether that is reached."""
        try:
            there = self.end.recv(_CHUNK, socket.MSG_PEEK)
            part = self.end.recv(there.find(b"\n") + 1 or len(there)) if there else b""
        except BlockingIOError:
            return False
        except OSError:
            part = b""
        if not part:
            raise EOFError
        self._received += part
        if len(self._received) > self._max_line:
            self._received.clear()
            raise ValueError("a message is too long")
        return part.endswith(b"\n")

    def send(self, message: msgspec.Struct, seconds: float | None = None) -> None:
        """Send a message, and wait for room for it, at most `seconds`.

        Raises:
            OSError: the other end is closed, or did not read; then part of it may have been sent.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        unsent = _line_of(message)
        while unsent:
            try:
                unsent = unsent[self.end.send(unsent) :]
            except BlockingIOError:
                if not self._wait(select.POLLOUT, deadline):
                    raise TimeoutError from None

    def tell(self, message: msgspec.Struct) -> None:
        """Send a message now or by a later `send_waiting`; never blocks, and is thread-safe.

        While the other end does not read, only the latest message of each type waits. If it is
        closed, receiving notices.
        """
        with self._lock:
            self._waiting.pop(type(message), None)
            self._waiting[type(message)] = message
        self.send_waiting()

    def send_waiting(self) -> None:
        """Send what waits, as far as there is room for it; call now and then."""
        with self._lock, suppress(OSError):
            while self._unsent or self._waiting:
                if not self._unsent:
                    self._unsent = _line_of(self._waiting.pop(next(iter(self._waiting))))
                self._unsent = self._unsent[self.end.send(self._unsent) :]

    def _wait(self, event: int, deadline: float | None) -> bool:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        poll = select.poll()
        poll.register(self.end, event)
        return bool(poll.poll(None if left is None else left * 1000))


def _line_of(message: msgspec.Struct) -> bytes:
    try:
        return msgspec.json.encode(message) + b"\n"
    except UnicodeEncodeError:  # a file name that is not UTF-8
        import json  # imported late: few need it

        return json.dumps(msgspec.to_builtins(message)).encode() + b"\n"


class LinkedChild(Generic[Heard]):
    """A child process that runs one of our modules, and the link to it.

    It imports nothing from the working directory. Unless `options` override that, its standard
    streams are /dev/null and it has its own process group, so that Ctrl-C reaches only the parent.

    Args:
        module: its only argument is the descriptor of its socket.
        heard: the type of its messages.
        options: those of `Popen`; it must keep its own process group.
    """

    def __init__(self, module: str, heard: Any, **options: Any) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            end = theirs.fileno()
            command = [sys.executable, "-P", "-m", module, str(end)]
            streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
            options = {"env": child_environment(), **streams, "process_group": 0, **options}
            try:
                self._process = subprocess.Popen(command, pass_fds=[end], **options)
            except OSError:
                ours.close()
                raise
        self.link: LineLink[Heard] = LineLink(ours, heard)
        self.pid = self._process.pid

    def is_running(self) -> bool:
        """Return whether it is still running."""
        return self._process.poll() is None

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait for it to end, with a timeout; return its status, None if it has not ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.returncode

    def end(self, seconds: float = 0.0) -> None:
        """Terminate it, and after `seconds` kill its process group; with 0 kill it at once."""
        if seconds:
            self._process.terminate()
            self.wait(seconds)
        if self._process.returncode is None:
            # The group exists until its process is reaped; macOS says EPERM if that has ended.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        self.link.end.close()


def parent_socket() -> socket.socket:
    """Return the socket to the parent, whose number is the last argument of a `LinkedChild`."""
    return socket.socket(fileno=int(sys.argv[-1]))


def first_message(end: socket.socket, kind: type[Heard]) -> Heard:
    """Wait for the first message of a parent; exit if none comes, because it has ended.

    File names in it need not be UTF-8.
    """
    import json  # imported late: few need it

    link: LineLink[Heard] = LineLink(end, kind, _MAX_FIRST_LINE)
    link._decode = lambda line: msgspec.convert(json.loads(line), kind)
    with suppress(EOFError):
        if message := link.receive_within(_FIRST_SECONDS):
            return message
    sys.exit()


def serve(work: Coroutine[Any, Any, None], parent: LineLink[Any] | None = None) -> None:
    """Run this discovery work until it is done, SIGTERM comes, or the `parent` has ended.

    Without `parent`, the work ends by itself when it can hear nothing more from there.
    """
    import asyncio

    os.nice(NICENESS)
    _set_soft(resource.RLIMIT_AS, MULTICAST_MEMORY_BYTES)
    asyncio.run(_until_orphaned(work, parent))


async def _until_orphaned(work: Coroutine[Any, Any, None], parent: LineLink[Any] | None) -> None:
    import asyncio

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_on_loop_error)
    working = asyncio.create_task(work)
    loop.add_signal_handler(signal.SIGTERM, working.cancel)
    orphaned = [asyncio.create_task(parent.receive_async())] if parent else []
    await asyncio.wait((working, *orphaned), return_when=asyncio.FIRST_COMPLETED)
    for task in (working, *orphaned):
        task.cancel()
    with suppress(asyncio.CancelledError):
        await working


def _on_loop_error(_loop: "AbstractEventLoop", context: dict[str, Any]) -> None:
    """Ignore what zeroconf raises at malformed packets; exit if out of memory."""
    if isinstance(context.get("exception"), MemoryError):
        os._exit(1)
