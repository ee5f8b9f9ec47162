"""Web: strangers at the port for browsers, while a guest plays there; nothing is left of them."""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from random import Random
from ssl import SSLContext, create_default_context
from typing import Any, Final, Self

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from coffeerush.guests.web.asking import TRIES, WAITING_OF_SOURCE
from coffeerush.guests.web.front import PageFront
from tests.soak.attacked import PATIENCE, Noticed, hold, notice
from tests.soak.oracle.playing import Vitals, descriptors_of
from tests.soak.soak import Soak
from tests.soak.strangers.web import ATTACKS, HELLO, IN, SOURCES, TRIED, Stranger, attack
from tests.support.children import children
from tests.support.guests import connect as ssh_connect, screen_of
from tests.support.hosts_and_clients import ROOT, Deadline
from tests.support.web_guests import WebTable, made_certificate, web_table

SECONDS: Final = 120.0
MOST_TRIES: Final = TRIES + WAITING_OF_SOURCE - 1
"""The numbers that one source can send: as many as may wait when only one more counts."""
STRANGERS: Final = "tests.soak.strangers.web"
SOURCE: Final = "127.0.1.2"
"""One of the addresses of those strangers, whose tries are counted together."""
_BROKEN: Final = (OSError, WebSocketException)
DESCRIPTORS: Final = 300
ABORTED: Final = 100
FLOODS: Final = ("slow", "half", "gets", "big_headers", "odd_messages", "newcomers")
"""Attacks that may come from any number of addresses."""
CROWDS: Final = (1, 20, 200)
AT_OPEN_TABLES: Final = (["newcomers/1"], ["newcomers/20"], ["holders/1"], ["holders/20"])
WITH_TLS: Final = (["stalled/1"], ["stalled/8"], ["slow/20"])


class WebGuest:
    """A guest at the table, who presses keys and waits for frames; a page without a browser.

    `token` is what they were given when they came the first time.
    """

    def __init__(
        self, table: WebTable, name: str, token: str = "", trusted: SSLContext | None = None
    ) -> None:
        self._socket = _connected(table.port, trusted)
        self.token = token
        self.say(**HELLO, token=token)
        if self.until(lambda heard: "stage" in heard)["stage"] == "ask":
            self.say(**{"is": "ask", "name": name, "role": "player"})
            if table.host.ready["code"]:
                self.until(lambda heard: heard.get("stage") == "enter")
                self.say(**{"is": "enter", "number": table.number_of(name)})
            self.token = self.until(lambda heard: "token" in heard)["token"]
        welcome = self.until(lambda heard: "at the table as" in str(heard.get("say")))
        self.name: str = welcome["say"][0].partition(" as ")[2].partition(";")[0]
        """What this guest is called at the table."""

    def say(self, **message: object) -> None:
        self._socket.send(json.dumps(message))

    def until(self, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        while True:
            heard: dict[str, Any] = json.loads(self._socket.recv(timeout=PATIENCE))
            if wanted(heard):
                return heard

    def press(self) -> float:
        """Open or close the help; return the seconds until its frame, at most `PATIENCE`."""
        try:
            with suppress(TimeoutError):
                while True:
                    self._socket.recv(timeout=0)  # what others did meanwhile
            begun = time.perf_counter()
            self.say(**{"is": "key", "key": "?"})
            self.until(lambda heard: "parts" in heard)
        except _BROKEN:
            return PATIENCE
        return time.perf_counter() - begun

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class Newcomers:
    """People who open the page, one after another, each at an address that nobody else has."""

    def __init__(self, port: int, trusted: SSLContext | None) -> None:
        self._port = port
        self._trusted = trusted
        self._addresses = cycle(f"127.0.21.{number}" for number in range(1, 200))

    def come(self) -> float:
        """Return the seconds until the page asks for a name, and at most `PATIENCE`."""
        begun, address = time.perf_counter(), next(self._addresses)
        while time.perf_counter() - begun < PATIENCE:
            with suppress(*_BROKEN):
                page = _connected(self._port, self._trusted, address)
                try:
                    page.send(json.dumps(HELLO))
                    page.recv(timeout=PATIENCE)
                    break
                finally:
                    page.close()
            time.sleep(0.5)  # as the page does
        return time.perf_counter() - begun


def _connected(
    port: int, trusted: SSLContext | None, address: str = "127.0.0.1"
) -> ClientConnection:
    scheme = "s" if trusted else ""
    return connect(
        f"ws{scheme}://127.0.0.1:{port}/socket",
        origin=Origin(f"http{scheme}://127.0.0.1:{port}"),
        ssl=trusted,
        source_address=(address, 0),
        proxy=None,
        max_size=None,
        open_timeout=PATIENCE,
        close_timeout=1,
        legacy=True,
    )


def run(soak: Soak) -> None:
    """Run each attack, then all together, then those at an open table and at one with TLS."""
    crowds = [[f"{one}/{sources}"] for one in FLOODS for sources in CROWDS]
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        trials = [*([one] for one in ATTACKS), *crowds, [*ATTACKS]]
        each = soak.seconds / (len(trials) + len(AT_OPEN_TABLES) + len(WITH_TLS) + 3)
        besiege(soak, state / "closed", trials, each)
        besiege(soak, state / "open", AT_OPEN_TABLES, each, open=True)
        certificate, key = made_certificate(state)
        files = {"tls_cert": str(certificate), "tls_key": str(key)}
        besiege(soak, state / "tls", WITH_TLS, each, **files)


def besiege(
    soak: Soak, state: Path, trials: Sequence[Sequence[str]], each: float, **options: Any
) -> Counter[str]:
    """Let a guest press keys while strangers attack; return the counts of what they did.

    Each of `trials` takes `each` seconds, and has the attacks that run at the same time.
    """
    all_done: Counter[str] = Counter()
    trusted = None
    if "tls_cert" in options:
        trusted = create_default_context(cafile=options["tls_cert"])
        trusted.check_hostname = False
    with (
        web_table(state, seats=4, bots=["random"], **options) as table,
        WebGuest(table, "Ann", trusted=trusted) as guest,
    ):
        (gateway,) = children(table.host.process.pid, "coffeerush.guests.process")
        asyncio.run(_come_by_ssh(table))
        newcomers = Newcomers(table.port, trusted)
        before = descriptors_of(gateway)
        quiet = notice(each, guest.press, newcomers.come)
        for attacks in trials:
            vitals = Vitals.from_now(gateway)
            under, done = _attacked(soak, table, guest, newcomers, attacks, each)
            vitals.look(gateway)
            if "numbers" in attacks and not (all_done + done)[TRIED]:
                done += _guessed(table)
            all_done += done
            name = " ".join([*options, *attacks]) if len(attacks) == 1 else "all together"
            soak.report("attackers", attack=name, done=dict(done))
            hold(soak, name, quiet, under, vitals)
            is_let_in = done[IN] and not options.get("open")
            soak.hold("nobody gets in", not is_let_in, attacks=attacks, done=done)
            tries, most = all_done[TRIED], MOST_TRIES * SOURCES
            soak.hold("tries are limited", tries <= most, attacks=attacks, tries=tries)
            few = vitals.descriptors < DESCRIPTORS
            soak.hold("descriptors are bounded", few, attacks=attacks, vitals=vitals)
        name = _comes(table, "Ann", guest.token, trusted)
        soak.hold("who is here stays known", name == guest.name, name=name)
        _abort(table, soak.chance, all_done)
        # an open table has let strangers in, and keeps their seats for a while
        grace = PageFront.grace_seconds if options.get("open") else 0.0
        left = _settled(gateway, before, grace + PATIENCE / 2)
        soak.hold("nothing is left of strangers", left <= before, left=left, before=before)
        if not options.get("open"):  # an open table may be full of those who just came in
            soak.hold("who has the number is let in", _comes(table, "Bob", "", trusted))
        soak.hold("it is the same gateway", Path(f"/proc/{gateway}").exists())
        lines = table.host.text().count("\n")
        soak.hold("strangers do not fill the log", lines < 60 + 4 * soak.seconds, lines=lines)
    return all_done


def _comes(table: WebTable, name: str, token: str, trusted: SSLContext | None) -> str:
    """Let somebody come to the table; return what they are called there, "" if they cannot."""
    with suppress(*_BROKEN), WebGuest(table, name, token, trusted) as guest:
        return guest.name
    return ""


async def _come_by_ssh(table: WebTable) -> None:
    """Let a guest without a key come and break off: their name and address are no secret."""
    connection = await ssh_connect(table.ssh_port, "ann")
    screen = await screen_of(connection)
    if code := table.host.ready["code"]:
        await screen.enter(code)
    else:
        await screen.see("Your name")
        screen.write("\r")
        await screen.see("Seat 1")
    connection.abort()


def _attacked(
    soak: Soak,
    table: WebTable,
    guest: WebGuest,
    newcomers: Newcomers,
    attacks: Sequence[str],
    seconds: float,
) -> tuple[Noticed, Counter[str]]:
    """Press keys while attackers are at it; return what was noticed, and what they did."""
    words = [str(table.port), str(seconds), str(soak.chance.random()), *attacks]
    with subprocess.Popen(  # others have a lower priority, as if on other machines
        ["nice", "-n", "19", sys.executable, "-m", STRANGERS, *words],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        under = notice(seconds, guest.press, newcomers.come)
        told, _nothing = process.communicate(timeout=Deadline().left())
    return under, Counter(json.loads(told))


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


def _settled(gateway: int, before: int, seconds: float) -> int:
    """Return the descriptors of the gateway once there are as few as before, or at the latest."""
    end = time.monotonic() + seconds
    while (left := descriptors_of(gateway)) > before and time.monotonic() < end:
        time.sleep(0.05)  # nothing tells when another process closes a descriptor
    return left
