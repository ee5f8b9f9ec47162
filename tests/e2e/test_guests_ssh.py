"""Guests over ssh, with OpenSSH's own client: whole games, cut connections, and nothing else."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.gamers import Gamer
from tests.support.hosts_and_clients import Deadline, Host, hosting
from tests.support.ssh import SshScreen, needs_ssh, new_key, ways_of

pytestmark = needs_ssh


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Host]:
    with hosting(tmp_path / "host", guests=True, seats=3, bots=["casual"], games=1) as host:
        yield host


def code_of(host: Host) -> str:
    code: str = host.ready["code"]
    return code


@pytest.mark.slow
def test_a_game_with_a_guest_a_client_and_a_bot_to_its_end(house: Host, tmp_path: Path) -> None:
    """In the middle the guest's connection is cut, and they go on in a terminal of another size."""
    port = ways_of(house)["ssh_port"]
    key = new_key(tmp_path, "key")
    join = ("join", f"127.0.0.1:{house.port}", "--name", "Ben", "--plain")
    with ExitStack() as stack:
        ann = stack.enter_context(SshScreen(port, key=key))
        ann.enter(code_of(house))
        ben = stack.enter_context(Gamer(tmp_path / "ben", *join))
        ben.read_until("Ann (ssh)")
        ben.say("ready")
        ben.catch_up()
        deadline, cut = Deadline(60), False
        while not (ann.is_over and ben.result()):
            ann.play()
            ben.play_what_came()
            if not cut and "Round 3" in ann.text:
                ann.cut()
                ann, cut = stack.enter_context(SshScreen(port, 130, 40, key=key)), True
            assert deadline.left() > 1, ann.text
        assert cut
        assert "Ann (ssh)" in ann.text
