"""Many wrong codes at one table: its code changes, and the parent process gets the new one."""

import json
import re
from itertools import count
from pathlib import Path

from coffeerush.joining.code_words import WORDS
from tests.support.hosts_and_clients import Deadline, Host, door_handshake, hosting

WRONG = "-".join([WORDS[0][0]] * 3)
KEY = b"k" * 40
TRIES_OF_AN_ADDRESS = 5
TRIES_OF_A_TABLE = 50


def door_reply(host: Host, code: str, source: str) -> str:
    """Return the door's final reply to a client at `source` with `code`."""
    _banner, answer = door_handshake(host.port, KEY, code, source)
    return str(answer["refusal"]["code"] if answer["type"] == "refused" else answer["type"])


def door_reply_once_free(host: Host, code: str, source: str) -> str:
    """Return the door's reply once it is not busy any more."""
    deadline = Deadline()
    while (answer := door_reply(host, code, source)) == "door_busy":
        deadline.left()
    return answer


def test_fifty_wrong_codes_change_the_code(tmp_path: Path) -> None:
    with hosting(tmp_path, seats=2) as host, host.link.makefile("rb") as lines:
        code = host.ready["code"]
        assert door_reply(host, code, "127.0.1.1") == "enrolled"
        for _each in range(TRIES_OF_AN_ADDRESS):
            assert door_reply_once_free(host, WRONG, "127.0.1.2") == "wrong_code"
        assert door_reply(host, code, "127.0.1.2") == "too_many_tries"
        sources = (f"127.0.2.{number}" for number in count(1))
        for _each in range(TRIES_OF_A_TABLE - TRIES_OF_AN_ADDRESS):
            assert door_reply_once_free(host, WRONG, next(sources)) == "wrong_code"
        news = json.loads(lines.readline())
        assert news["type"] == "new_code"
        assert news["code"] != code
        assert door_reply_once_free(host, code, next(sources)) == "wrong_code"
        assert door_reply_once_free(host, news["code"], next(sources)) == "enrolled"
        host.stop()
        assert news["code"] in host.text()
        counted = re.findall(r"[:,] wrong codes: (\d+)", host.text())
        assert sum(map(int, counted)) == TRIES_OF_A_TABLE + 1


def test_an_open_table_says_so_and_has_no_code(tmp_path: Path) -> None:
    with hosting(tmp_path, open=True) as host:
        assert host.ready["code"] == ""
        assert door_handshake(host.port, KEY)[0]["code"] is False
        assert "No join code is needed: anybody who can reach port" in host.text()
