"""The example bot, which imports nothing of ours, plays whole games over the wire."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.hosts_and_clients import ROOT, SECONDS, hosting

BOT = ROOT / "examples" / "minimal_bot.py"


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_two_minimal_bots_and_one_of_ours_play_a_game(tmp_path: Path, address: str) -> None:
    options = {"seats": 3, "bots": ("regular",), "games": 1, "bind": address}
    with hosting(tmp_path / "host", **options) as host:
        bots = [
            subprocess.Popen(
                [sys.executable, str(BOT), address, str(host.port), *code],
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                text=True,
            )
            for code in (["open"], host.ready["code"].split("-"))
        ]
        said = [bot.communicate(timeout=SECONDS)[0] for bot in bots]
        assert [bot.returncode for bot in bots] == [0, 0]
        assert said[0].startswith("Scores:")
        assert said[0] == said[1]
        assert host.wait() == 0


def test_it_imports_nothing_of_ours_and_stays_short() -> None:
    text = BOT.read_text(encoding="utf-8")
    imports = {
        line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))
    }
    standard = set(sys.stdlib_module_names)
    assert imports - standard == {"msgpack", "zmq"}
    assert len(text.splitlines()) < 140


def said(state: Path, *arguments: str) -> str:
    """Return the output of a bot that fails to join."""
    done = subprocess.run(
        [sys.executable, str(BOT), *arguments],
        cwd=state,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1
    return done.stderr


def test_it_prints_its_usage(tmp_path: Path) -> None:
    assert "minimal_bot.py 192.168.0.12 apple-tiger-moon" in said(tmp_path)


def test_it_reports_that_nothing_is_hosting_there(tmp_path: Path) -> None:
    assert said(tmp_path, "127.0.0.1", "1").startswith("No host at 127.0.0.1, port 1")


def test_it_reports_a_wrong_code(tmp_path: Path) -> None:
    with hosting(tmp_path / "host") as host:
        text = said(tmp_path, "127.0.0.1", str(host.port), "wrong")
    assert "That join code is wrong or has changed" in text


def test_it_sends_no_proof_to_a_host_without_a_code(tmp_path: Path) -> None:
    with hosting(tmp_path / "host", open=True) as host:
        text = said(tmp_path, "127.0.0.1", str(host.port), "apple-tiger-moon")
    assert "it may be a different host" in text
