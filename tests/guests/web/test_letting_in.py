"""Letting browsers in by a key: the owner's own screen, or a client with the owner's key."""

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import zmq
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from coffeerush.ui.table.actions import SEE_SECONDS
from tests.soak.strangers.web import HELLO
from tests.support.browser import Browser, Tab
from tests.support.hosts_and_clients import SECONDS, Peer, environment
from tests.support.pty_terminal import Screen
from tests.support.web_guests import desktop, phone, web_table

HOST = (
    "host",
    "--guests",
    "--name",
    "Ann",
    "--port",
    "0",
    "--bind",
    "127.0.0.1",
    "--seats",
    "3",
    "--bots",
    "random",
)
PAGE = r"With a browser: http://\S+:(\d+)/"
NOTE = "$('note').textContent"


def ask(tab: Tab, address: str, role: str) -> str:
    """Ask to come in as Ben, and return what the page says."""
    tab.open(address)
    tab.until("document.body.dataset.stage === 'ask'")
    assert tab.run("$('at').textContent") == "Ann's table"
    tab.tap("#name")
    tab.type("Ben")
    tab.tap(f"#ask [value={role}]")
    tab.until("document.body.dataset.stage === 'enter'")
    return str(tab.until(NOTE))


def stop_host(state: Path) -> None:
    """Stop the host of a screen, which would go on while guests are there."""
    found = re.search(r"kill (\d+)", (state / "host.log").read_text())
    if found:
        os.kill(int(found[1]), signal.SIGTERM)


def answer(owner: Screen, guest: int, key: str) -> None:
    """Press a key once the guest is shown, until the guest is not any more."""
    owner.see(f"Guest {guest} (Ben)")
    while f"Guest {guest} (Ben)" in owner.text:
        owner.settle(SEE_SECONDS)
        if f"Guest {guest} (Ben)" in owner.text:
            owner.write(key)
        owner.settle(SEE_SECONDS)


@contextmanager
def asking_page(port: int) -> Iterator[ClientConnection]:
    """Yield the connection of a page that has asked to let Ben in."""
    where, origin = f"ws://127.0.0.1:{port}/socket", Origin(f"http://127.0.0.1:{port}")
    with connect(where, origin=origin, proxy=None, legacy=True) as page:
        for message in (HELLO, {"is": "ask", "name": "Ben", "role": "player"}):
            page.send(json.dumps(message))
        yield page


@pytest.mark.slow
def test_the_owner_lets_in_with_one_key_and_turns_away_with_another(
    browser: Browser, tmp_path: Path
) -> None:
    """In the lobby and in a game, and tells apart two who call themselves the same."""
    command = [sys.executable, "-m", "coffeerush", *HOST]
    settings = {"LANGUAGE": "en", "LC_ALL": "C.UTF-8"}
    with ExitStack() as stack:
        owner = stack.enter_context(Screen(command, 80, 24, environment(tmp_path, settings)))
        stack.callback(stop_host, tmp_path)
        owner.until(lambda: re.search(PAGE, owner.text) is not None)
        address = f"http://127.0.0.1:{re.findall(PAGE, owner.text)[0]}/"
        first, second = phone(browser), desktop(browser)
        assert ", you are guest 1. Ask " in ask(first, address, "player")
        assert ", you are guest 2. Ask " in ask(second, address, "spectator")
        answer(owner, 1, "D")
        assert first.until(f"document.body.dataset.stage === 'again' && {NOTE}") == (
            "You were not let in."
        )
        owner.write("\r")
        owner.see("is open: press Enter again")
        owner.settle(SEE_SECONDS)
        owner.write("\r")
        while "place meeple 1 of 2" not in owner.text:
            owner.until(lambda: "Space continue" in owner.text or "place meeple" in owner.text)
            owner.write(" " * ("Space continue" in owner.text))
            owner.settle(SEE_SECONDS)
        answer(owner, 2, "d")
        second.until(
            "document.body.dataset.stage === 'table' && document.querySelector('#page .page')"
        )
        assert first.run("document.body.dataset.stage") == "again"
        log = (tmp_path / "host.log").read_text()
        assert "Ann turned Ben away." in log
        assert "Ann let Ben in." in log


@pytest.mark.slow
def test_anybody_at_the_table_of_a_headless_host_lets_in(tmp_path: Path) -> None:
    with ExitStack() as stack:
        table = stack.enter_context(web_table(tmp_path, seats=3))
        eve = stack.enter_context(Peer(table.host.port))
        eve.hello("Eve")
        page = stack.enter_context(asking_page(table.port))
        asking = [{"guest": 1, "name": "Ben"}]
        eve.hear_until(
            lambda heard: (
                heard.get("table", {}).get("letting_in") == {"asking": asking, "by_anybody": True}
            )
        )
        assert eve.ask("let_in", guest=1)["type"] == "done"
        heard = json.loads(page.recv(timeout=SECONDS))
        while "token" not in heard:
            heard = json.loads(page.recv(timeout=SECONDS))


@pytest.mark.slow
def test_a_client_with_the_owner_s_key_lets_in_at_a_headless_host(tmp_path: Path) -> None:
    keys = zmq.curve_keypair()
    with (
        ExitStack() as stack,
        web_table(tmp_path, seats=3, owner=keys[0].decode()) as table,
        Peer(table.host.port, keys) as ann,
        Peer(table.host.port) as eve,
    ):
        for peer, name in ((ann, "Ann"), (eve, "Eve")):
            peer.hello(name)
        page = stack.enter_context(asking_page(table.port))
        update = ann.hear_until(lambda heard: "letting_in" in heard.get("table", {}))
        assert update["table"]["letting_in"]["asking"] == [{"guest": 1, "name": "Ben"}]
        assert eve.ask("let_in", guest=1)["refusal"]["code"] == "not_owner"
        assert ann.ask("let_in", guest=1)["type"] == "done"
        assert ann.ask("let_in", guest=1)["refusal"]["code"] == "no_such_guest"
        heard = json.loads(page.recv(timeout=SECONDS))
        while "token" not in heard:
            heard = json.loads(page.recv(timeout=SECONDS))
        table.hear(lambda ways: not ways["asking"])
        table.host.stop()  # which completes its log
        assert "Ann let Ben in." in table.host.text()
