"""The ladder of bots in docs/bots.md, between two machines: it runs by itself, and rates all."""

import json
import re
import shlex
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.soak.lan.network import Network, unavailable
from tests.support.hosts_and_clients import (
    ROOT,
    Person,
    code_in,
    coffeerush,
    environment,
)

TEXT = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
HOST, BOTS = "server", "laptop"
GAMES = 2
"""After which the ladder is looked at: of each bot that came."""


def fenced(language: str, text: str) -> list[str]:
    """Return the code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def words_of(block: str) -> list[list[str]]:
    """Return the words of each command of a block, without the program's name."""
    return [shlex.split(line, comments=True)[1:] for line in block.splitlines()]


def test_bots_come_from_another_machine_and_are_rated(tmp_path: Path) -> None:
    if why := unavailable():
        pytest.skip(why)
    (bot,) = fenced("python", TEXT)
    (host_words,), bot_words, (league_words,) = map(
        words_of, fenced("sh", TEXT.partition("## A ladder over the LAN\n")[2])
    )
    with Network([HOST, BOTS]) as network, ExitStack() as stack:

        def run(where: str, state: Path, *words: str) -> Person:
            inside = network.command(where)
            return stack.enter_context(Person(state, *words, inside=inside))

        host = run(HOST, tmp_path, *host_words)
        code = code_in(host.read_until("Stop with"))
        guests = []
        for number, words in enumerate(bot_words):
            home = tmp_path / f"{number}"
            home.mkdir()
            (home / "my_bot.py").write_text(bot)
            _bot, _address, _one, _two, _three, *options = words
            guests.append(run(BOTS, home, "bot", network.address(HOST), code, *options))
        for guest in guests:
            while guest.text.count(" is over. ") < GAMES:
                assert guest.read_more(), guest.text
        host.process.terminate()
        assert host.wait() == 0, host.text
        for guest in guests:
            assert guest.wait() == 0, guest.text
    shown = subprocess.run(
        [*coffeerush(*league_words, "--json")],
        env=environment(tmp_path),
        capture_output=True,
        check=True,
    )
    ladder = {one["name"] or one["bot"]: one for one in map(json.loads, shown.stdout.splitlines())}
    names = {words[words.index("--name") + 1] for words in bot_words}
    assert len(names) == len(bot_words)
    assert {*ladder} == {*names, "regular", "casual"}
    assert all(ladder[name]["games"] >= GAMES for name in names)
