"""A simulated LAN: network namespaces, joined by a bridge or by a switch of our own.

The names of all namespaces begin with a prefix and the id of the process that made
them; leftovers of killed processes are removed when the next network is made.
"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, Self

from msgspec import Struct

from .switch import Switch, Weather, open_tap

PREFIX: Final = "coffeerush-soak-"
NETWORK: Final = "lan"
"""The name of every host's network interface."""
_TOOLS: Final = ("ip", "nft")
_STALE: Final = re.compile(rf"{PREFIX}(\d+)-\S+")
_ALL: Final = 100
_NETWORKS: Final = Path("/run/netns")
_OWN: Final = Path("/proc/thread-self/ns/net")
_CLONE_NEWNET: Final = 0x40000000
_numbers: Final = count()


class Loss(Struct, frozen=True):
    """The packet loss of a cable in percent; 100 is an unplugged cable."""

    to: int = 0
    """Of the frames to the owner of the cable."""
    of: int = 0
    """Of the frames from the owner of the cable."""


CUT: Final = Loss(_ALL, _ALL)


def unavailable() -> str:
    """Return why this machine does not support such networks; empty if it does."""
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        return f"needs {' and '.join(missing)}: install iproute2 and nftables"
    try:
        with Network(["probe"]) as network:
            network.lose({"probe": Loss(1, 1)})
        with Network(["probe"], Weather()):
            pass
    except (subprocess.CalledProcessError, OSError) as error:
        said = error.stderr if isinstance(error, subprocess.CalledProcessError) else error
        return f"needs root, network namespaces and /dev/net/tun: {str(said).strip()}"
    return ""


class Network:
    """Hosts with one address each, until the `with` ends.

    A switch of our own joins them if there is a `weather`, else the kernel's bridge, which supports
    `lose`.
    """

    def __init__(self, names: Sequence[str], weather: Weather | None = None, seed: int = 1) -> None:
        self._names = list(names)
        self._weather = weather
        self._seed = seed
        self._mark = f"{os.getpid()}-{next(_numbers)}"
        self.switch: Switch | None = None

    def address(self, name: str) -> str:
        return f"10.47.82.{self._names.index(name) + 1}"

    def address6(self, name: str) -> str:
        return f"fd47:82::{self._names.index(name) + 1}"

    def crowd(self, name: str, count: int) -> list[str]:
        """Give a host this many more addresses in one network, half of them IPv6; return them."""
        which = self._names.index(name)
        old = [f"10.47.{100 + which}.{n + 1}" for n in range(count - count // 2)]
        new = [f"fd47:82::{which + 1}:{n + 1:x}" for n in range(count // 2)]
        lines = [f"address add {one}/16 dev {NETWORK}" for one in old]
        lines += [f"address add {one}/64 dev {NETWORK} nodad" for one in new]
        _run("ip", "-n", self._space(name), "-batch", "-", given="\n".join(lines))
        return old + new

    def move(self, name: str, address: str) -> None:
        """Give a host another IPv4 address in the same network."""
        where = ("-n", self._space(name), "address")
        _run("ip", "-4", *where, "flush", "dev", NETWORK)
        _run("ip", *where, "add", f"{address}/16", "dev", NETWORK)

    @contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """Put all sockets, threads and processes that this thread starts on a host."""
        with _OWN.open("rb") as home, (_NETWORKS / self._space(name)).open("rb") as there:
            _enter(there.fileno())
            try:
                yield
            finally:
                _enter(home.fileno())

    def command(self, name: str, *words: str) -> list[str]:
        """Return a command line that runs `words` on a host, in the same process."""
        return ["ip", "netns", "exec", self._space(name), *words]

    def lose(self, losses: Mapping[str, Loss], apart: Collection[str] = ()) -> None:
        """Lose frames on the cables of these hosts from now on, and on no others.

        Those `apart` reach each other only, and the others only each other.
        """
        lines = [f"{verb} table bridge soak" for verb in ("add", "delete", "add")]
        lines.append("add chain bridge soak cables { type filter hook forward priority 0; }")
        for name, loss in losses.items():
            lines += self._rules(name, loss)
        if apart:
            there = f"{{ {', '.join(self._cable(name) for name in apart)} }}"
            rule = "add rule bridge soak cables"
            lines.append(f"{rule} iifname {there} oifname != {there} drop")
            lines.append(f"{rule} iifname != {there} oifname {there} drop")
        self.filter("bridge", *lines)

    def filter(self, name: str, *lines: str) -> None:
        """Change what the firewall of a host, or of the bridge, lets through, by lines of nft."""
        _run(*self.command(name, "nft", "-f", "-"), given="\n".join(lines))

    def _rules(self, name: str, loss: Loss) -> list[str]:
        rule, cable = "add rule bridge soak cables", self._cable(name)
        return [
            f'{rule} {way} "{cable}" {_which(share)} drop'
            for way, share in (("oifname", loss.to), ("iifname", loss.of))
            if share
        ]

    def __enter__(self) -> Self:
        remove_stale()
        try:
            for name in self._names:
                _run("ip", "netns", "add", self._space(name))
            if self._weather is None:
                self._join_by_bridge()
            else:
                self._join_by_switch(self._weather)
            for name in self._names:
                self._bring_up(name)
        except BaseException:  # Ctrl-C too: after this, nobody calls `__exit__`
            self.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the network, and end everything that runs in it."""
        if self.switch:
            self.switch.stop()
        _remove(f"{PREFIX}{self._mark}-")

    def _join_by_bridge(self) -> None:
        bridge = self._space("bridge")
        _run("ip", "netns", "add", bridge)
        lines = ["link add name bridge type bridge", "link set dev bridge up"]
        for name in self._names:
            cable = self._cable(name)
            lines += [
                f"link add name {cable} type veth peer name {NETWORK} netns {self._space(name)}",
                f"link set dev {cable} master bridge",
                f"link set dev {cable} up",
            ]
        _run("ip", "-n", bridge, "-batch", "-", given="\n".join(lines))

    def _join_by_switch(self, weather: Weather) -> None:
        taps = []
        with ExitStack() as stack:
            for name in self._names:
                device = f"soak{os.getpid()}{self._cable(name)}"
                taps.append(open_tap(device))
                stack.callback(os.close, taps[-1])
                _run(
                    "ip", "link", "set", "dev", device, "netns", self._space(name), "name", NETWORK
                )
            stack.pop_all()  # from now on the switch closes them
        self.switch = Switch(taps, weather, self._seed)

    def _bring_up(self, name: str) -> None:
        lines = (
            "link set dev lo up",
            f"address add {self.address(name)}/16 dev {NETWORK}",
            f"address add {self.address6(name)}/64 dev {NETWORK} nodad",
            f"link set dev {NETWORK} up",
        )
        _run("ip", "-n", self._space(name), "-batch", "-", given="\n".join(lines))
        # a connection of one test must not have the port at which the next one listens
        choose = "echo 10000 30000 >/proc/sys/net/ipv4/ip_local_port_range"
        _run(*self.command(name, "sh", "-c", choose))

    def _space(self, name: str) -> str:
        return f"{PREFIX}{self._mark}-{name}"

    def _cable(self, name: str) -> str:
        return f"c{self._names.index(name)}"


def _enter(network: int) -> None:
    """Move this thread to a network; Python before 3.12 has no `os.setns`."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(network, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "another network cannot be entered")


def _which(share: int) -> str:
    return "" if share >= _ALL else f"numgen random mod {_ALL} < {share}"


def remove_stale() -> None:
    """Remove the leftovers of processes that have ended."""
    for space in _spaces():
        stale = _STALE.fullmatch(space)
        if stale and not Path(f"/proc/{stale[1]}").exists():
            with suppress(subprocess.CalledProcessError):  # another network has just removed it
                _remove(space)


def _remove(prefix: str) -> None:
    """Remove the namespaces with this prefix, and end everything that runs in them."""
    for space in _spaces():
        if space.startswith(prefix):
            for pid in _run("ip", "netns", "pids", space).split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            _run("ip", "netns", "delete", space)


def _spaces() -> list[str]:
    return [line.split()[0] for line in _run("ip", "netns", "list").splitlines() if line]


def _run(*words: str, given: str = "") -> str:
    """Run a tool and return its output; raises `CalledProcessError`."""
    done = subprocess.run(words, input=given, capture_output=True, text=True, check=True)
    return done.stdout
