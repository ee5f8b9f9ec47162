"""A table whose players have a machine each, and that moves from machine to machine."""

import os
import signal
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Final, Self

import msgspec

from coffeerush.local.keys import new_keys
from coffeerush.records.writing import load_record
from tests.soak.lan.lan_guest import Account, Sight
from tests.soak.lan.network import CUT, Loss, Network
from tests.soak.lan.reports import Reporter, Reports
from tests.soak.lan.standby import GONE, HAND_OVER, Standing
from tests.support.hosts_and_clients import Host

HOST: Final = "host"
"""The machine on which the table is opened; nobody plays there."""
NAMES: Final = ("Ann", "Bea", "Cid", "Dee")
PORT: Final = 47820
MOVE_SECONDS: Final = 180.0
"""A client that has not found the table by then never will."""
ASK_SECONDS: Final = 5.0
"""After which an owner asks again, if nothing has come of it."""
_lines: Final = msgspec.json.Decoder(Standing | Sight | Account)


class Player(Reporter):
    """A player's process on a machine of its own, and its reports."""

    def __init__(
        self, network: Network, state: Path, name: str, words: Sequence[str], pause: float
    ) -> None:
        self.state = state / name
        self.kept = state / f"{name}.kept"
        """The folder with everything that it has received."""
        self.kept.mkdir(exist_ok=True)
        self.seen: list[Standing] = []
        self.sights: list[Sight] = []
        run = ("tests.soak.lan.standby", *words, str(pause), str(self.kept))
        super().__init__(network, name, self.state, state / f"{name}.errors", run)

    @property
    def now(self) -> Standing | None:
        return self.seen[-1] if self.seen else None

    def note(self, line: bytes) -> None:
        """Note a report."""
        told = _lines.decode(line)
        if isinstance(told, Account):
            self.account = told
        elif isinstance(told, Sight):
            self.sights.append(told)
        else:
            self.seen.append(told)

    def close(self) -> None:
        """End it, and the hosts that it has started."""
        for pid in self.hosts():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        super().close()

    def hosts(self) -> list[int]:
        """Return the hosts that it has started and that still run, latest last."""
        found = []
        for task in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with suppress(OSError):  # the thread has just ended
                found += [int(pid) for pid in task.read_text().split()]
        return [pid for pid in sorted(found) if _is_host(pid)]

    def is_here(self) -> bool:
        """Return whether it is at the table, and nothing is about to change that."""
        now = self.now
        return now is not None and now.status == "here" and not now.turned_to and not now.moves


def _is_host(pid: int) -> bool:
    with suppress(OSError):  # it has just ended
        return b"host_child" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


class MovingTable(Reports):
    """A table that a headless host opens; everybody is at it inside the `with`.

    `pause` is the mean time that a player thinks about an intent, in seconds.
    """

    def __init__(
        self, network: Network, state: Path, names: Sequence[str], seed: int, pause: float
    ) -> None:
        self.gone: list[Player] = []
        """Players whose machines are off."""
        self._network = network
        self._losses: dict[str, Loss] = {}
        self._state = state
        self.at = HOST
        """The machine of its host."""
        keys = [new_keys() for _name in names]
        options = {"seats": len(names), "seed": seed, "owner": keys[0].public.decode()}
        self._first = Host(state / HOST, network.command(HOST), port=PORT, **options)
        words = network.address(HOST), self._first.ready["code"]
        self.players = [
            Player(network, state, name, (*words, name, str(seed), *map(bytes.decode, own)), pause)
            for name, own in zip(names, keys, strict=True)
        ]

    @classmethod
    @contextmanager
    def open(
        cls, state: Path, names: Sequence[str] = NAMES[:3], seed: int = 1, pause: float = 0.1
    ) -> Iterator[Self]:
        """Open a table on a network of its own, and wait until all have the sealed record."""
        with ExitStack() as stack:
            network = stack.enter_context(Network([HOST, *names]))
            table = cls(network, state, names, seed, pause)
            stack.callback(table.close)
            table.until(table.are_safe)
            yield table

    def close(self) -> None:
        """End all processes."""
        for player in (*self.players, *self.gone):
            player.close()
        self._first.close()

    def host(self) -> int:
        """Return the process that hosts the table."""
        return self._first.process.pid if self.at == HOST else self.player(self.at).hosts()[-1]

    def names(self) -> list[str]:
        """Return the names of those whose machines are on."""
        return [one.name for one in self.players]

    def player(self, name: str) -> Player:
        """Return the player with a name."""
        return next(one for one in self.players if one.name == name)

    # Accidents

    def signal_host(self, number: int) -> int:
        """Send a signal to the host; return its process."""
        os.kill(host := self.host(), number)
        return host

    def lose(self, losses: Mapping[str, Loss]) -> None:
        """Lose frames on the cables of these machines from now on."""
        self._losses |= losses
        self._network.lose(self._losses)

    def split(self, apart: Collection[str]) -> None:
        """Let these machines reach each other only from now on; nobody is apart with none."""
        self._network.lose(self._losses, apart)

    def power_off(self, name: str) -> None:
        """Switch off a machine with its player, for good."""
        player = self.player(name)
        self.lose({name: CUT})  # nothing that ends there says goodbye
        self.players.remove(player)
        self.gone.append(player)
        player.close()
        for other in self.players:
            other.say(GONE, name)

    # Waiting

    def reporters(self) -> Sequence[Player]:
        """Return those whose machines are on."""
        return self.players

    def until(self, happened: Callable[[], object], seconds: float = MOVE_SECONDS) -> float:
        """Wait as `Reports.until` does, as long as a move may take."""
        return super().until(happened, seconds)

    def standings(self) -> list[Standing]:
        """Return what all see now."""
        return [one.now for one in self.players if one.now]

    def newest(self) -> tuple[int, int]:
        """Return the newest game and rev that anybody has seen."""
        return max((one.game, one.rev) for one in self.standings())

    @property
    def term(self) -> int:
        """The highest term that anybody has seen."""
        return max(one.term for one in self.standings())

    def are_safe(self) -> bool:
        """Return whether the table could move: a player with a share has the whole record."""
        seen = self.standings()
        others = [one.now for one in self.players if one.name != self.at]
        plays = len(seen) == len(self.players) and all(one.stage == "game" for one in seen)
        return plays and all(one and one.failover and one.whole for one in others)

    def are_here(self, term: int) -> bool:
        """Return whether everybody is at the table, in this term or a later one."""
        together = len({(one.term, one.epoch) for one in self.standings()}) == 1
        return together and self.term >= term and all(one.is_here() for one in self.players)

    def play_past(self, at: tuple[int, int]) -> float:
        """Wait until all have seen a newer rev; return how long that took."""
        return self.until(lambda: all((one.game, one.rev) > at for one in self.standings()))

    # Moving

    def offered(self) -> Player | None:
        """Return who may go on with the table, the first in order."""
        may = {one.name: one for one in self.players if one.now and one.now.may_go_on}
        order = [name for one in self.standings() for name in one.standbys]
        return next((may[name] for name in order if name in may), None)

    def hand_over(self, until: Callable[[], bool]) -> None:
        """Let the owner ask the first standby to host until something is so.

        On a busy machine a handover may fail; then the owner asks again.
        """
        asked_at = 0.0

        def ask() -> bool:
            nonlocal asked_at
            if until():
                return True
            rests = not any(one.moves for one in self.standings())
            if rests and monotonic() > asked_at + ASK_SECONDS:
                asked_at = monotonic()
                for one in self.players:
                    if one.now and one.now.owner and one.now.standbys:
                        one.say(HAND_OVER, one.now.standbys[0])
            return False

        self.until(ask)

    def note_host(self) -> None:
        """Note whose machine has the table: that of its owner, once it has left the first one."""
        owners = [one.name for one in self.players if one.now and one.now.owner]
        self.at = owners[0] if owners and self.term > 1 else HOST

    # Results

    def terms(self) -> dict[int, set[bytes]]:
        """Return the epochs that players have seen in each term."""
        found: dict[int, set[bytes]] = {}
        for player in self.players:
            for one in player.seen:
                if one.term:
                    found.setdefault(one.term, set()).add(one.epoch)
        return found

    def records(self) -> list[Path]:
        """Return the record of each game: that of its last host."""
        found: dict[int, tuple[int, int, Path]] = {}
        for path in self._state.glob("*/records/*.record"):
            one = load_record(path)
            extent = one.term, len(one.moves), path
            found[one.head.game] = max(extent, found.get(one.head.game, extent))
        return [found[game][-1] for game in sorted(found)]

    def finish(self) -> None:
        """Let everybody report and leave."""
        for player in self.players:
            player.leave()
        self.until(lambda: all(one.account for one in self.players))
