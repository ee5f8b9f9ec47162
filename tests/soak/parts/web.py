"""Web: strangers at the port for browsers, while a guest plays there; nothing is left of them."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final, Self

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from coffeerush.guests.web.asking import TRIES
from scripts.programs.bench.conditions import percentile
from tests.soak.oracle.playing import Vitals, latency
from tests.soak.soak import Soak
from tests.soak.strangers.web import ATTACKS, HELLO, IN, SOURCES, TRIED, Stranger, attack
from tests.support.children import children
from tests.support.hosts_and_clients import ROOT, SECONDS as PATIENCE, Deadline
from tests.support.web_guests import WebTable, web_table

SECONDS: Final = 120.0
STRANGERS: Final = "tests.soak.strangers.web"
SOURCE: Final = "127.0.1.2"
"""One of the addresses of those strangers, whose tries are counted together."""
MEGABYTES: Final = 160
DESCRIPTORS: Final = 200
ABORTED: Final = 100
MOST_SECONDS: Final = 1.0
"""The 99th percentile of the time from a key to its frame, under attack."""
TELLING_SECONDS: Final = 60.0
"""A shorter run has too few keys to measure the 99th percentile."""


class WebGuest:
    """A guest at the table, who presses keys and waits for frames; a page without a browser."""

    def __init__(self, table: WebTable, name: str, token: str = "") -> None:
        self._socket: ClientConnection = connect(
            f"ws://127.0.0.1:{table.port}/socket",
            origin=Origin(f"http://127.0.0.1:{table.port}"),
            proxy=None,
            max_size=None,
            close_timeout=1,
            legacy=True,
        )
        self.token = token
        self.say(**HELLO, token=token)
        if self.until(lambda heard: "stage" in heard)["stage"] == "ask":
            self.say(**{"is": "ask", "name": name, "role": "player"})
            self.until(lambda heard: heard.get("stage") == "enter")
            self.say(**{"is": "enter", "number": table.number_of(name)})
            self.token = self.until(lambda heard: "token" in heard)["token"]
        welcome = self.until(lambda heard: "at the table as" in str(heard.get("say")))
        self.name = welcome["say"][0].partition(" as ")[2].partition(";")[0]
        """What this guest is called at the table."""

    def say(self, **message: object) -> None:
        """Send a message."""
        self._socket.send(json.dumps(message))

    def until(self, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Wait for a message."""
        while True:
            heard: dict[str, Any] = json.loads(self._socket.recv(timeout=PATIENCE))
            if wanted(heard):
                return heard

    def press(self) -> tuple[float, int]:
        """Open or close the help; return the seconds until its frame, and the frame's bytes."""
        begun = time.perf_counter()
        self.say(**{"is": "key", "key": "?"})
        frame = self.until(lambda heard: "rows" in heard)
        return time.perf_counter() - begun, len(json.dumps(frame, separators=(",", ":")).encode())

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def run(soak: Soak) -> None:
    """Run each attack, then all together, then abort connections."""
    with tempfile.TemporaryDirectory() as folder:
        besiege(soak, Path(folder), [[one] for one in ATTACKS] + [[*ATTACKS]])


def besiege(soak: Soak, state: Path, trials: Sequence[Sequence[str]]) -> Counter[str]:
    """Let a guest play while strangers attack; return the counts of what they did."""
    all_done: Counter[str] = Counter()
    with web_table(state, seats=4, bots=["random"]) as table, WebGuest(table, "Ann") as guest:
        (gateway,) = children(table.host.process.pid, "coffeerush.guests.process")
        size = max(guest.press()[1] for _time in range(10))
        before = _descriptors(gateway)
        for attacks in trials:
            vitals = Vitals.from_now(gateway)
            took, done = _attacked(soak, table, guest, attacks, soak.seconds / len(trials))
            vitals.look(gateway)
            if "numbers" in attacks and not (all_done + done)[TRIED]:
                done += _guessed(table)
            all_done += done
            soak.report(
                " ".join(attacks),
                done=dict(done),
                moves=len(took),
                **latency("key", took),
                frame_bytes=size,
                megabytes=vitals.megabytes,
                descriptors=vitals.descriptors,
            )
            late = percentile(took, 0.99)
            soak.hold("nobody gets in", not done[IN], attacks=attacks, done=done)
            if soak.seconds >= TELLING_SECONDS:
                soak.hold("the guest plays on", late < MOST_SECONDS, attacks=attacks, late=late)
            tries = all_done[TRIED]
            soak.hold("tries are limited", tries <= TRIES * SOURCES, attacks=attacks, tries=tries)
            few = vitals.descriptors < DESCRIPTORS and vitals.megabytes < MEGABYTES
            soak.hold("memory and descriptors are bounded", few, attacks=attacks, vitals=vitals)
        _abort(table, soak.chance, all_done)
        left = _settled(gateway, before)
        soak.hold("nothing is left of strangers", left <= before, left=left, before=before)
        with WebGuest(table, "Bob") as newcomer:
            soak.hold("who has the number is let in", newcomer.press())
        soak.hold("it is the same gateway", Path(f"/proc/{gateway}").exists())
        lines = table.host.text().count("\n")
        soak.hold("strangers do not fill the log", lines < 60 + 4 * soak.seconds, lines=lines)
    return all_done


def _attacked(
    soak: Soak, table: WebTable, guest: WebGuest, attacks: Sequence[str], seconds: float
) -> tuple[list[float], Counter[str]]:
    """Play while attackers are at it; return how long each key took, and what they did."""
    words = [str(table.port), str(seconds), str(soak.chance.random()), *attacks]
    took = []
    with subprocess.Popen(  # others have a lower priority, as if on other machines
        ["nice", "-n", "19", sys.executable, "-m", STRANGERS, *words],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            took.append(guest.press()[0])
            time.sleep(0.05)  # as fast as somebody may type
        told, _nothing = process.communicate(timeout=PATIENCE)
    return took, Counter(json.loads(told))


def _guessed(table: WebTable) -> Counter[str]:
    """Guess numbers, if attackers with the lowest priority never came so far."""
    done, deadline = Counter[str](), Deadline()
    while not done[TRIED]:
        deadline.left()
        done += attack("numbers", table.port, SOURCE, time.monotonic() + 1, str(deadline.left()))
    return done


def _abort(table: WebTable, chance: Random, done: Counter[str]) -> None:
    """Abort connections at any moment of a visit."""
    for _time in range(ABORTED):
        with suppress(OSError):
            stranger = Stranger(table.port, f"127.0.2.{chance.randrange(1, 250)}", done)
            if chance.random() < 0.8 and stranger.open() and chance.random() < 0.8:
                stranger.say(json.dumps(HELLO).encode())
                if chance.random() < 0.5:
                    stranger.hear()
                    stranger.say(b'{"is":"ask","name":"Eve","role":"player"}')
            stranger.abort()
            done["aborted"] += 1


def _descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def _settled(gateway: int, before: int) -> int:
    """Return the descriptors of the gateway once there are as few as before, or after a while."""
    end = time.monotonic() + PATIENCE / 2
    while (left := _descriptors(gateway)) > before and time.monotonic() < end:
        time.sleep(0.05)  # nothing tells when another process closes a descriptor
    return left
