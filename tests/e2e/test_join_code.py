"""Guests on other machines: joining by code, wrong codes, and other hosts at the same address."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from coffeerush.joining.code_words import WORDS
from tests.soak.lan.network import CUT, Network, unavailable
from tests.support.hosts_and_clients import Host, Person, hosting

WRONG = "-".join([WORDS[0][0]] * 3)
PORT = 47820
ASKS = "This table asks for its join code: the three words on the host's screen."


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    if why := unavailable():
        pytest.skip(why)
    with Network(["host", "ann", "bob"]) as network:
        yield network


class Lan:
    """A table's address, the hosts that a test runs there, and the guests who join."""

    def __init__(self, network: Network, state: Path) -> None:
        self.network = network
        self._state = state
        self.address = network.address("host")

    def host(self, which: str = "host", **options: Any) -> AbstractContextManager[Host]:
        """Host a table there; each other name has another key."""
        inside = self.network.command("host")
        return hosting(self._state / which, inside=inside, port=PORT, **options)

    def join(self, *code: str, who: str = "ann") -> Person:
        """Join whichever host answers there."""
        words = ("join", self.address, *code, "--name", who.title())
        return Person(self._state / who, *words, inside=self.network.command(who))

    def said(self, *code: str, typed: tuple[str, ...] = ()) -> tuple[int, str]:
        """Join, type lines, and return the exit code and the last line."""
        with self.join(*code) as ann:
            for line in typed:
                ann.say(line)
            return ann.wait(), ann.text.splitlines()[-1]

    def is_let_in(self, *code: str) -> bool:
        """Return whether somebody can join and take a seat; they leave again."""
        with self.join(*code) as ann:
            ann.read_until("You are at the table as Ann")
            ann.say("leave")
            return ann.wait() == 0

    def send_bot(self, *code: str) -> tuple[int, str]:
        """Let a bot join, and return its exit code and last line."""
        words = ("bot", self.address, *code, "--bot", "random", "--games", "1")
        with Person(self._state / "ann", *words, inside=self.network.command("ann")) as bot:
            return bot.wait(), bot.text.splitlines()[-1]


@pytest.fixture
def lan(network: Network, tmp_path: Path) -> Iterator[Lan]:
    yield Lan(network, tmp_path)
    network.lose({})


def test_wrong_codes_are_limited(lan: Lan) -> None:
    with lan.host() as host:
        exit_code, said = lan.said(WRONG, typed=(WRONG,) * 5)
        assert exit_code == 1
        assert said.startswith("Error: Too many wrong codes came from this computer; wait 10")
        # other addresses are not affected
        with lan.join(host.ready["code"], who="bob") as bob:
            bob.read_until("You are at the table as Bob")


def test_a_code_is_needed_once_and_a_returning_guest_is_warned_of_another_host(lan: Lan) -> None:
    with lan.host() as host:
        code = host.ready["code"]
        assert lan.said() == (1, f"Error: {ASKS}")
        assert lan.is_let_in(*code.split("-"))
        assert lan.is_let_in()
    with lan.host("another") as another:
        code, said = lan.said()
        assert code == 1
        assert "is not the one that you joined with a code before; ask for its code" in said
        assert lan.is_let_in(another.ready["code"])
    with lan.host("open", open=True):
        code, said = lan.said()
        assert code == 1
        assert "is not the one that you joined with a code before, and it asks for no code" in said
        assert lan.is_let_in("open")


def test_everybody_rejoins_a_killed_host_without_a_code(lan: Lan) -> None:
    with lan.host("host", seats=2) as host:
        code = host.ready["code"]
        with lan.join(code) as ann, lan.join(code, who="bob") as bob:
            for each in (ann, bob):
                each.read_until("You are at the table as")
                each.say("ready")
            for each in (ann, bob):
                each.read_until("A game starts: ")
            host.kill()
            for each in (ann, bob):
                each.read_until("Connection lost; trying again.")
                each.read_until("; you will be reconnected once it is back.")
            (record,) = host.log.parent.glob("records/*.record")
            with lan.host("host", resume=str(record)) as again:
                assert again.ready["code"] == code
                for each in (ann, bob):
                    each.read_until("You are connected again.")


def test_a_table_that_was_opened_again_asks_for_its_new_code(lan: Lan) -> None:
    with lan.host() as host, lan.join(host.ready["code"]) as ann:
        ann.read_until("You are at the table as Ann")
        host.kill()
        with lan.host() as again:
            ann.read_until(ASKS)
            ann.text = ""
            ann.say(again.ready["code"])
            ann.read_until("You are at the table as Ann")


def test_a_bot_can_join_by_code_too(lan: Lan) -> None:
    with lan.host("host", seats=2, bots=("random",), games=1) as host:
        assert lan.send_bot() == (1, f"Error: {ASKS}")
        exit_code, said = lan.send_bot(*host.ready["code"].split("-"))
        assert exit_code == 0
        assert said.startswith("Game 1 is over. ")


def test_with_the_cable_pulled_there_is_no_answer(lan: Lan) -> None:
    lan.network.lose({"ann": CUT})
    exit_code, said = lan.said()
    assert exit_code == 1
    assert said.startswith(f"Error: No answer from {lan.address}; the address may be wrong")
