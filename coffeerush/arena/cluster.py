"""Play blocks of an arena on the workers of a Dask cluster, and continue an interrupted run."""

import fcntl
import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from hashlib import sha256
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Struct

from coffeerush.bots import BOTS
from coffeerush.errors import BotError, ClusterError, RecordError, UsageError, unwritable
from coffeerush.local.files import open_regular

from .child import PlayedBlocks, Team
from .plan import ArenaPlan, BlockResult, FailedGame, WorkerReport, digest, failed, report

if TYPE_CHECKING:
    from distributed import Client


CHECKED_BLOCKS: Final = 100
"""One of as many blocks is played twice, on different workers."""
NO_WORKER_SECONDS: Final = 600
"""How long to wait for another worker once all have left."""
_CONNECT_SECONDS: Final = 10
_RETRIES: Final = 3
_PORT: Final = 8786
"""Where a Dask scheduler listens unless it is told otherwise."""

_IDLE_SECONDS: Final = 60
"""How long a worker keeps a child process without a task: an arena may be over, or killed."""

_team = Team(_IDLE_SECONDS)


def play_blocks(plan: ArenaPlan, blocks: Sequence[int]) -> PlayedBlocks:
    """Play blocks on a worker, in a child process for each of its threads."""
    return _team.play(plan, blocks)


class Tls(Struct, frozen=True):
    """The files with the certificates of a cluster, in PEM format."""

    authority: Path
    certificate: Path
    key: Path


def is_exposed(address: str) -> bool:
    """Return whether others may reach a scheduler that does not require certificates.

    Raises:
        UsageError: it is not an address.
    """
    parts = _split(address)
    if parts.scheme == "tls":
        return False
    try:
        return not ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname != "localhost"


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        parts.port  # noqa: B018 - only now is it checked
    except ValueError:
        raise UsageError(
            "“{address}” is not the address of a scheduler; give one like tcp://127.0.0.1:8786.",
            address=address,
        ) from None
    return parts


class Cluster(Executor):
    """An executor on all workers of a Dask scheduler, to be used as a context manager.

    Args:
        address: of the scheduler, such as `tcp://127.0.0.1:8786` or `tls://10.0.0.7:8786`.
        tls: the certificates for an address with `tls://`.
        on_lost: called with the address of each worker that leaves while we are connected.
        on_none: called when none is left.
        seconds: how long to wait then for another one.

    Raises:
        ClusterError: there is no scheduler or no worker, or a worker has other software than ours.
        UsageError: Dask is not installed.
    """

    def __init__(
        self,
        address: str,
        tls: Tls | None,
        on_lost: Callable[[str], None],
        on_none: Callable[[], None],
        seconds: float = NO_WORKER_SECONDS,
    ) -> None:
        self._on_lost, self._on_none = on_lost, on_none
        self._seconds = seconds
        self._none_since: float | None = None
        """When it was noticed that no worker is left."""
        self._address = address
        self._client = _connect(address, tls)
        logging.disable()  # Dask would print a traceback before our sentence
        try:
            self._any = self._executor()
            self._numbers = count()
            self._check_workers(address)
            self._client.subscribe_topic("all", self._notice)
        except BaseException:  # also Ctrl-C: nobody else would close the connection
            self.shutdown()
            raise

    def _executor(self, *workers: str) -> Executor:
        where = {"workers": workers, "allow_other_workers": True} if workers else {}
        executor: Executor = self._client.get_executor(pure=False, retries=_RETRIES, **where)
        return executor

    def _notice(self, event: tuple[float, Any]) -> None:
        with suppress(TypeError, LookupError):  # other events look different
            if event[1]["action"] == "remove-worker":
                self._on_lost(event[1]["worker"])

    def _check_workers(self, address: str) -> None:
        with _told():
            reports: dict[str, WorkerReport | Exception] = self._client.run(
                report, on_error="return"
            )
        if not reports:
            raise ClusterError(
                "The Dask scheduler at {address} has no workers; start one with: dask worker "
                "{address}",
                address=address,
            )
        for worker, software in reports.items():
            if isinstance(software, Exception):
                raise ClusterError(
                    "The worker {worker} cannot play: {problem}; install the same version of "
                    "Coffee Rush there.",
                    worker=worker,
                    problem=f"{type(software).__name__} ({software})",
                )
            check_report(software, worker)

    def threads(self) -> int:
        """Return the number of blocks that the workers can play at the same time, at least 1.

        Raises:
            ClusterError: there has been no worker for too long.
        """
        threads = sum(self._threads_of_workers().values())
        now = time.monotonic()
        if threads:
            self._none_since = None
        elif self._none_since is None:
            self._none_since = now
            self._on_none()
        elif now - self._none_since >= self._seconds:
            raise ClusterError(
                "All workers have left the cluster, and no other has joined; start one "
                "with: dask worker {address}",
                address=self._address,
            )
        return max(1, threads)

    def _threads_of_workers(self) -> dict[str, int]:
        with _told():
            threads: dict[str, int] = self._client.nthreads()
        return threads

    def submit(  # type: ignore[override]  # only tasks of an arena
        self,
        play: Callable[[ArenaPlan, Sequence[int]], PlayedBlocks],
        plan: ArenaPlan,
        blocks: Sequence[int],
        /,
    ) -> "Future[PlayedBlocks]":
        """Play blocks somewhere, some of them on two workers, which must agree."""
        answer: Future[PlayedBlocks] = Future()
        workers = sorted(self._threads_of_workers())
        again = [block for block in blocks if block % CHECKED_BLOCKS == 0]
        if again and len(workers) > 1:
            number = next(self._numbers)
            one, other = (workers[(number + more) % len(workers)] for more in (0, 1))
            parts = [
                self._executor(one).submit(play, plan, blocks),
                self._executor(other).submit(play, plan, again),
            ]
        else:
            parts = [self._any.submit(play, plan, blocks)]

        def on_done(_part: "Future[PlayedBlocks]") -> None:
            # Dask reports all parts in one thread
            if not answer.done() and all(part.done() for part in parts):
                _settle(answer, parts, plan, blocks)

        def on_answer(_answer: "Future[PlayedBlocks]") -> None:
            for part in parts:
                part.cancel()

        answer.add_done_callback(on_answer)
        for part in parts:
            part.add_done_callback(on_done)
        return answer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect; the scheduler drops what has not been played."""
        self._client.close()
        logging.disable(logging.NOTSET)

    def __enter__(self) -> Self:
        return self


@contextmanager
def _told() -> Iterator[None]:
    """Raise `ClusterError` if the scheduler is gone before it has answered."""
    try:
        yield
    except OSError:
        raise _lost() from None


def _lost() -> ClusterError:
    return ClusterError("The connection to the Dask scheduler was lost; check that it runs.")


def _settle(
    answer: "Future[PlayedBlocks]",
    parts: Sequence["Future[PlayedBlocks]"],
    plan: ArenaPlan,
    blocks: Sequence[int],
) -> None:
    """Set the result of a task whose parts are done."""
    from distributed.scheduler import KilledWorker

    if not answer.set_running_or_notify_cancel():
        return
    try:
        played, *again = [part.result() for part in parts]
    except KilledWorker:
        try:
            answer.set_result(_killed(plan, blocks))
        except ClusterError as error:
            answer.set_exception(error)
    except CancelledError:
        answer.set_exception(_lost())
    except BaseException as error:  # noqa: BLE001 - the caller who waits gets it
        answer.set_exception(error)
    else:
        blocks_again = (block for each in again for block in each.blocks)
        differing = [block for block in blocks_again if block not in played.blocks]
        if differing:
            answer.set_exception(
                ClusterError(
                    "Two workers played block {block} differently; check their hardware and "
                    "software, and whether the bots take all randomness from their argument.",
                    block=differing[0].block + 1,
                )
            )
        else:
            answer.set_result(played)


def _killed(plan: ArenaPlan, blocks: Sequence[int]) -> PlayedBlocks:
    """Return the failure of the bots from files in blocks that end every worker.

    Raises:
        ClusterError: there are none.
    """
    suspects = [entry for entry, bot in enumerate(plan.bots) if bot not in BOTS]
    if not suspects:
        raise ClusterError(
            "Every worker that played block {block} has ended; read what the workers printed.",
            block=blocks[0] + 1,
        )
    error = BotError(
        "{bot} ended every worker that played with it; fix the bot.",
        bot=", ".join(sorted({plan.bots[entry] for entry in suspects})),
    )

    def failures(block: int) -> Iterator[FailedGame]:
        for game in range(block * plan.games, (block + 1) * plan.games):
            seated = plan.seating(game)[1]
            entry = next((entry for entry in seated if entry in suspects), seated[0])
            yield failed(plan, game, entry, error)

    return PlayedBlocks(
        tuple(BlockResult(block, (), tuple(failures(block))) for block in blocks), 0.0, report()
    )


def check_report(theirs: WorkerReport, worker: str) -> None:
    """Raise `ClusterError` if a worker has other software than this process."""
    ours = report()
    if theirs != ours:
        raise ClusterError(
            "The worker {worker} has Coffee Rush {theirs}, but here it is {ours}; install the "
            "same versions everywhere.",
            worker=worker,
            theirs=_versions(theirs),
            ours=_versions(ours),
        )


def _versions(software: WorkerReport) -> str:
    return f"{software.version} ({software.code}, Python {software.python})"


def _connect(address: str, tls: Tls | None) -> "Client":
    try:
        from distributed import Client, Security
    except ImportError:
        raise UsageError(
            'A cluster needs Dask; install it with: pip install "coffeerush[cluster]"'
        ) from None
    security = None
    try:
        parts = _split(address)
        place = parts.hostname, parts.port or _PORT
        socket.create_connection(place, _CONNECT_SECONDS).close()  # Dask would retry for long
        if tls is not None:
            security = Security(
                tls_ca_file=str(tls.authority),
                tls_client_cert=str(tls.certificate),
                tls_client_key=str(tls.key),
                require_encryption=True,
            )
        return Client(address, timeout=_CONNECT_SECONDS, security=security, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        raise ClusterError(
            "There is no Dask scheduler at {address} ({reason}); start one with: dask scheduler",
            address=address,
            reason=error,
        ) from None


# The file of `--resume`: what was played, block by block
#
# The first line says what is compared, each further line is a `BlockResult`. Lines are flushed as
# they are written; one that a killed process left incomplete is dropped.


class LogHead(Struct, frozen=True, forbid_unknown_fields=True):
    """What is compared, and by which software."""

    bots: tuple[str, ...]
    sources: tuple[str, ...]
    """The hash of each bot from a file, `""` for the others."""
    players: int
    seed: int
    starters: bool
    deck: str
    """Its hash."""
    version: str
    code: str


def head_of(plan: ArenaPlan, sources: Sequence[str | None]) -> LogHead:
    """Return the first line for a plan, given the source of each bot from a file."""
    software = report()
    return LogHead(
        bots=plan.bots,
        sources=tuple(map(digest, sources)),
        players=plan.players,
        seed=plan.seed,
        starters=plan.starters,
        deck=sha256(msgspec.msgpack.encode(plan.deck)).hexdigest()[:16],
        version=software.version,
        code=software.code,
    )


class BlockLog:
    """An open file of played blocks.

    Attributes:
        blocks: what it had when it was opened.

    Raises:
        RecordError: it cannot be read or written, is in use, or is about something else.
    """

    def __init__(self, path: Path, head: LogHead) -> None:
        self._path = path
        try:
            self._file = os.fdopen(open_regular(path, os.O_RDWR | os.O_CREAT), "r+b")
        except OSError as error:
            raise unwritable(self._path, error) from None
        try:
            self.blocks = self._read(head)
        except BaseException:  # also Ctrl-C: nobody else would close the file
            self.close()
            raise

    def _read(self, head: LogHead) -> tuple[BlockResult, ...]:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordError(
                "Another program is using {path}; choose another file.", path=self._path
            ) from None
        *lines, torn = self._file.read().split(b"\n")
        if not lines and msgspec.json.encode(head).startswith(torn):
            self._file.seek(0)
            self._file.truncate()
            self.append(head)
            return ()
        try:
            before = msgspec.json.decode(lines[0], type=LogHead)
            blocks = [msgspec.json.decode(line, type=BlockResult) for line in lines[1:]]
        except (IndexError, ValueError, RecursionError):  # or it is not UTF-8
            raise RecordError(
                "{path} is not a --resume file, or it is damaged; choose another file.",
                path=self._path,
            ) from None
        self._compare(before, head)
        self._file.seek(-len(torn), os.SEEK_END)
        self._file.truncate()
        return tuple({block.block: block for block in blocks}.values())

    def _compare(self, before: LogHead, head: LogHead) -> None:
        """Raise `RecordError` if two heads differ."""
        path = self._path
        if before.bots != head.bots:
            bots = ",".join(before.bots)
            raise RecordError(
                "{path} has games of other bots ({bots}); choose another file.",
                path=path,
                bots=bots,
            )
        if before.sources != head.sources:
            pairs = zip(head.bots, before.sources, head.sources, strict=True)
            bot = next(bot for bot, old, new in pairs if old != new)
            raise RecordError(
                "{bot} has changed since {path} was written; choose another file.",
                path=path,
                bot=bot,
            )
        if (before.version, before.code) != (head.version, head.code):
            raise RecordError(
                "{path} has games of another version of Coffee Rush ({version}); choose another "
                "file.",
                path=path,
                version=f"{before.version} {before.code}",
            )
        if before.seed != head.seed:
            raise RecordError(
                "{path} has games with another seed ({seed}); choose another file.",
                path=path,
                seed=before.seed,
            )
        if before != head:
            raise RecordError(
                "{path} has games with another number of players, another deck or other starter "
                "orders; choose another file.",
                path=path,
            )

    def append(self, line: LogHead | BlockResult) -> None:
        """Add a line; raises `RecordError`."""
        try:
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()
        except OSError as error:
            raise unwritable(self._path, error) from None

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # it writes again what `append` could not write
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
