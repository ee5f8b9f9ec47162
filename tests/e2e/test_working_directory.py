"""No command imports a module from the working directory, nor do the child processes it starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.hosts_and_clients import SECONDS, environment

INSTALLED = [sys.executable, "-P", "-c", "from coffeerush.cli.main import main; main()"]
"""Like the program that pip installs: without the working directory on its path."""
HOST = ("host", "--headless", "--port", "0", "--bind", "127.0.0.1", "--seats", "2", "--games", "1")
TELLS = "import os; os.mkdir(os.path.join({folder!r}, {name!r})); raise ImportError({name!r})\n"
NAMES = (
    *("asyncio", "collections", "contextlib", "json", "logging", "multiprocessing", "pickle"),
    *("random", "runpy", "select", "signal", "site", "socket", "string", "struct", "subprocess"),
    *("threading", "typing", "coffeerush", "protocol", "click", "ifaddr", "msgpack", "msgspec"),
    *("platformdirs", "prompt_toolkit", "segno", "spake2", "wcwidth", "zeroconf", "zmq"),
)


@pytest.mark.parametrize(
    ("words", "typed", "said"),
    [
        (("play", "--plain", "--bots", "regular"), "quit\n", "You have left the table"),
        ((*HOST, "--bots", "regular,bots/mine.py:Mine"), "", "Game 1 is over"),
        (("join",), "0\n", "Looking for tables"),
        (
            ("arena", "--bots", "random,bots/mine.py:Mine", "--games", "2", "--jobs", "2"),
            "",
            "in blocks",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_nothing_in_the_working_directory_is_imported(
    tmp_path: Path, words: tuple[str, ...], typed: str, said: str
) -> None:
    work, imported = tmp_path / "work", tmp_path / "imported"
    imported.mkdir()
    (work / "bots").mkdir(parents=True)
    (work / "bots" / "mine.py").write_text(
        "from coffeerush.bots import RandomBot\nclass Mine(RandomBot): pass\n"
    )
    for name in NAMES:
        (work / f"{name}.py").write_text(TELLS.format(folder=str(imported), name=name))
    done = subprocess.run(
        [*INSTALLED, *words],
        cwd=work,
        env=environment(tmp_path / "state"),
        input=typed,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert said in done.stdout + done.stderr
    assert os.listdir(imported) == []
