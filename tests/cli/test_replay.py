"""`coffeerush replay`, printed into a pipe and stepped through at a terminal."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from coffeerush.cli.commands import group
from coffeerush.cli.records import step
from coffeerush.records.entries import read_record
from coffeerush.ui.replay.replay import Replay
from tests.support.records import head_of, lines, play

ROOT = Path(__file__).parents[2]
GAME = play(head_of())
LAST = len(GAME) - 2


class Terminal:
    """A program in its own pseudo-terminal, driven as by a person."""

    def __init__(self, *words: str, term: str = "dumb", shell: str = 'exec "$@"') -> None:
        self._ours, theirs = os.openpty()
        self.program = subprocess.Popen(
            ["sh", "-c", shell, "sh", sys.executable, "-m", "coffeerush", *words],
            cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs,
            env={**os.environ, "TERM": term},
        )  # fmt: skip
        os.close(theirs)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def read_until(self, text: str) -> str:
        """Return the output up to `text`; pytest's timeout ends an endless wait."""
        shown = b""
        while text.encode() not in shown:
            shown += os.read(self._ours, 4096)
        return shown.decode()

    def close(self) -> None:
        self.program.kill()
        self.program.wait()
        os.close(self._ours)


def interrupted(program: subprocess.Popen[bytes]) -> int:
    """Return the exit code after Ctrl-C; pressed repeatedly in case Python was not ready.

    A signal between the prompt and the wait for a line is only handled with the next key.
    """
    while True:
        program.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return program.wait(timeout=5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "game.record"
    made.write_bytes(lines(GAME))
    return made


@pytest.fixture
def terminal(path: Path) -> Iterator[Terminal]:
    opened = Terminal("replay", str(path))
    yield opened
    opened.close()


def test_the_whole_game_is_printed_into_a_pipe(path: Path) -> None:
    done = CliRunner().invoke(group, ["replay", str(path)])
    assert done.exit_code == 0
    printed = done.output.splitlines()
    assert printed[0].startswith("0. A game starts: Ann, Regular.")
    revs = [line.partition(". ")[0] for line in printed]
    assert [int(rev) for rev in revs if rev.isdecimal()] == [*range(LAST + 1)]
    assert any(line.startswith("Rank 2: ") for line in printed[-10:])
    assert "'s score, round by round: " in printed[-1]


def test_stepping_forward_back_and_to_any_intent(terminal: Terminal) -> None:
    assert "0. A game starts" in terminal.read_until(f"[0/{LAST}] ")
    terminal.type("\n")
    assert "1. " in terminal.read_until(f"[1/{LAST}] ")
    terminal.type("g 12\n")
    assert "12. " in terminal.read_until(f"[12/{LAST}] ")
    terminal.type("B\n")
    assert "11. " in terminal.read_until(f"[11/{LAST}] ")
    terminal.type("up\n")
    assert "Enter continues, “back” goes back" in terminal.read_until(f"[11/{LAST}] ")
    terminal.type(f"g {LAST}\n")
    assert "Rank 1: " in terminal.read_until(f"[{LAST}/{LAST}] ")
    terminal.type("\n")
    assert "This is the end" in terminal.read_until(f"[{LAST}/{LAST}] ")
    terminal.type("q\n")
    assert terminal.program.wait() == 0


def test_a_capable_terminal_shows_the_full_screen(path: Path) -> None:
    opened = Terminal("replay", str(path), "--no-mouse", "--ascii", term="xterm")
    try:
        shown = opened.read_until(f"/{LAST}")
        assert "\x1b[?1049h" in shown, "the other screen"
        assert "\x1b[?1000h" not in shown, "no mouse"
        opened.type("q")
        assert "\x1b[?1049l" in opened.read_until("\x1b[?1049l")
        assert opened.program.wait() == 0
    finally:
        opened.close()


def test_plain_mode_steps_by_typed_words(path: Path) -> None:
    opened = Terminal("replay", str(path), "--plain", term="xterm")
    try:
        assert "0. A game starts" in opened.read_until(f"[0/{LAST}] ")
        opened.type("q\n")
        assert opened.program.wait() == 0
    finally:
        opened.close()


def test_the_end_of_the_input_quits(terminal: Terminal) -> None:
    terminal.read_until(f"[0/{LAST}] ")
    terminal.type("\x04")
    assert terminal.program.wait() == 0


@pytest.mark.parametrize("shell", ['exec "$@" <&-', "printf '\\377\\n' | \"$@\""])
def test_closed_or_binary_input_is_not_a_traceback(path: Path, shell: str) -> None:
    opened = Terminal("replay", str(path), shell=shell)
    try:
        opened.read_until(f"[0/{LAST}] ")
        assert opened.program.wait() == 0
    finally:
        opened.close()


def test_control_c_quits(terminal: Terminal) -> None:
    terminal.read_until(f"[0/{LAST}] ")
    assert interrupted(terminal.program) == 130


def test_an_unfinished_game_stays_secret(tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_bytes(lines(GAME[:-1]))
    done = CliRunner().invoke(group, ["replay", str(path)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "not over" in done.stderr


def test_a_file_that_is_not_a_record_is_an_error(tmp_path: Path) -> None:
    for name, text in (("none", "No such file"), ("deck.toml", "not a Coffee Rush record")):
        (tmp_path / "deck.toml").write_text('name = "Mine"\n')
        done = CliRunner().invoke(group, ["replay", str(tmp_path / name)])
        assert (done.exit_code, done.stdout) == (1, "")
        assert text in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shown"), [("", "Ann"), ("regular", "Regular")])
def test_a_review_is_printed(path: Path, name: str, shown: str) -> None:
    """By default that of the first person."""
    printed = CliRunner().invoke(group, ["replay", str(path), "--review", name]).stdout
    assert printed.startswith(f"Review for {shown}\n")
    assert "% by luck (cards, opponents, who began), " in printed


def test_a_review_of_somebody_else_is_refused(path: Path) -> None:
    done = CliRunner().invoke(group, ["replay", str(path), "--review", "Zoe"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "called Zoe; choose one of Ann, Regular" in done.stderr


@pytest.mark.slow
def test_a_review_is_typed() -> None:
    replay, typed = Replay(read_record(lines(GAME))), ["review Zoe", "review 2", "q"]
    prompts = []

    def ask(prompt: str) -> str | None:
        prompts.append(prompt)
        return typed.pop(0)

    @click.command()
    def main() -> None:
        step(replay, lambda lines: click.echo("\n".join(lines)), ask)

    output = CliRunner().invoke(main).stdout
    assert output.index("called Zoe; choose one of") < output.index("Review for Regular")
    assert prompts == [f"[0/{LAST}] "] * 3
