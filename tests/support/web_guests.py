"""Tables that guests join with a browser, and people who play on the page."""

import datetime
import json
import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.browser import DESKTOP, PORTRAIT, Browser, Tab
from tests.support.hosts_and_clients import SECONDS, Host, hosting

NEWS_SECONDS: Final = 0.5
SCENE: Final = """({
    title: document.title,
    go: document.querySelector('#page button.go')?.textContent || '',
    steps: document.querySelectorAll('#page .tile.can').length,
    page: document.getElementById('page').textContent,
})"""
"""What a person sees."""


class WebTable:
    """A host with a gateway; this process is its parent, and so its owner's screen."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._ways: dict[str, Any] = {}
        self._lines = b""
        self.hear(lambda ways: bool(ways["web_port"]))

    def hear(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until the gateway's latest line is as wanted, and return it."""
        deadline = monotonic() + SECONDS
        while not self._ways or not wanted(self._ways):
            left = deadline - monotonic()
            assert left > 0, self.host.text()
            assert select.select([self.host.link], (), (), left)[0], self.host.text()
            self._lines += self.host.link.recv(1 << 16)
            *whole, self._lines = self._lines.split(b"\n")
            told = [json.loads(line) for line in whole]
            self._ways = next((one for one in told[::-1] if one["type"] == "ways"), self._ways)
        return self._ways

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def port(self) -> int:
        """The web port."""
        return int(self._ways["web_port"])

    @property
    def ssh_port(self) -> int:
        """The port for ssh."""
        return int(self._ways["ssh_port"])

    def number_of(self, name: str, but: str = "") -> str:
        """Wait until a visitor asks to be let in, with another number, and return the number."""
        wanted = self.hear(lambda ways: _numbers(ways).get(name, but) != but)
        return _numbers(wanted)[name]

    def enter(self, tab: Tab, name: str, *, role: str = "player", port: int = 0) -> None:
        """Let somebody join with the page, at another port if a proxy is there."""
        # one address may open a page a second: a page of one too many lacks its script or style
        lacks = "typeof socket === 'undefined' || !document.styleSheets.length"
        lacks = f"document.readyState === 'complete' && ({lacks}) && 'part'"
        while True:
            tab.open(f"http://127.0.0.1:{port or self.port}/")
            if tab.until(f"{lacks} || document.body.dataset.stage === 'ask'") is True:
                break
        tab.tap("#name")
        tab.type(name)
        tab.tap(f"#ask [value={role}]")
        if self.host.ready["code"]:
            tab.until("document.body.dataset.stage === 'enter'")
            tab.tap("#number")
            tab.type(self.number_of(name))
            tab.tap("#enter button")
        there = "document.querySelector('#page .go, #page .sheet')"
        tab.until(f"document.body.dataset.stage === 'table' && {there}")


def _numbers(ways: dict[str, Any]) -> dict[str, str]:
    """Return the numbers to type, by the name of each guest who asks."""
    return {name: number for _guest, name, number in ways["asking"]}


@contextmanager
def web_table(state: Path, **options: Any) -> Iterator[WebTable]:
    """Run a host that lets browsers in."""
    with hosting(state, guests=True, **options) as host:
        yield WebTable(host)


class PagePlayer:
    """Somebody who plays with fingers, or with the keyboard: walks at random, then Enter."""

    def __init__(self, tab: Tab, chance: Random, *, keyboard: bool = False) -> None:
        self.tab = tab
        self._chance = chance
        self._keyboard = keyboard
        self.turns: list[int] = []
        """The taps of each turn."""
        self._skipped = ""
        """What this person saw at the last tap that skips what others do."""

    def scene(self) -> dict[str, Any]:
        """Return what this person sees."""
        found: dict[str, Any] = self.tab.run(SCENE)
        return found

    def is_on_turn(self) -> bool:
        return bool(self.tab.run("document.title.startsWith('Your turn')"))

    def act(self) -> dict[str, Any]:
        """Do one thing if there is something to do, and return what is seen then."""
        before = self.scene()
        mine = before["title"].startswith("Your turn")
        if not mine:
            if before["go"] == "Ready":
                self._go()
                self.wait_for_news(before)
            elif self.turns and self.turns[-1]:
                self.turns.append(0)
            if before["page"] != self._skipped:
                self._skipped = before["page"]
                self.tab.tap_now("#page .top")  # to see all of the others' moves at once
            return before
        self.turns = self.turns or [0]
        self.turns[-1] += 1
        if before["go"] and not (before["go"] == "End turn" and before["steps"]):
            self._go()
        else:
            self._step(before["steps"])
        self.wait_for_news(before)
        return self.scene()

    def wait_for_news(self, before: dict[str, Any]) -> None:
        """Wait until something has changed; not for long, because what is illegal may not."""
        known = json.dumps({name: before[name] for name in ("page", "title")})
        self.tab.wait(
            f"(() => {{ const known = {known}, now = {SCENE};"
            " return known.page !== now.page || known.title !== now.title; })()",
            NEWS_SECONDS,
        )

    def _go(self) -> None:
        """Do what the main button says."""
        if self._keyboard:
            self.tab.press("Enter")
        else:
            self.tab.tap_now("#page button.go")

    def _step(self, choices: int) -> None:
        if self._keyboard:
            names = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight")
            self.tab.press(self._chance.choice(names))
            return
        chosen = self._chance.randrange(max(choices, 1))
        self.tab.run(
            "document.querySelector('.wanted')?.classList.remove('wanted'),"
            f"document.querySelectorAll('#page .tile.can')[{chosen}]?.classList.add('wanted')"
        )
        self.tab.tap_now("#page .wanted")


def phone(browser: Browser, **options: Any) -> Tab:
    """Return a phone."""
    return browser.tab(PORTRAIT, **options)


def desktop(browser: Browser, **options: Any) -> Tab:
    """Return a desktop window."""
    return browser.tab(DESKTOP, touch=False, **options)


def made_certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths
