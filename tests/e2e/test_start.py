"""`coffeerush` without a command: from the menu to a table and back, plain and full screen."""

import json
import subprocess
from pathlib import Path
from time import monotonic

from coffeerush.local.settings import FILE_NAME
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.plain.sentences import sentences
from tests.support.hosts import closed_port
from tests.support.hosts_and_clients import SECONDS, Person, coffeerush, environment, hosting
from tests.support.pty_terminal import Terminal
from tests.support.tmux import Tmux, needs_tmux, tmux
from tests.ui.advice.test_guided_game import game, obedient

LEFT, ENTERED = "\x1b[?1049l", "\x1b[?1049h"
"""What a terminal gets when a full screen is left, and when one begins."""
ASKED = "Type a number; 0 quits the program."


def leave(terminal: Tmux) -> None:
    """Leave a table; the second key is Ctrl-C because the first one could count as held."""
    terminal.follow(("q", "Leave the table?"), ("C-c", "Play with friends"))


def is_mine_or_waits(text: str) -> bool:
    return "place here" in text or "Space continue" in text


def test_the_end_of_the_input_ends_the_menu(tmp_path: Path) -> None:
    done = subprocess.run(
        coffeerush("--name", "Ann"),
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"{ASKED}\n")
    assert not (tmp_path / FILE_NAME).exists(), "nothing was chosen"


def test_the_guided_game_is_the_one_that_meets_everything(tmp_path: Path) -> None:
    first = next(one for one in game(obedient) if one.model.can_act)
    with Person(tmp_path, "--name", "Ann") as ann:
        ann.read_until(ASKED)
        ann.say("2")
        for line in guide_lines(first.model, first.progress, plain=True):
            for sentence in sentences(line):
                ann.read_until(f"Guide: {sentence}")


def test_a_name_is_asked_for_once_and_errors_are_shown_in_the_menu(tmp_path: Path) -> None:
    with Person(tmp_path) as ann:
        ann.read_until("Type your name, or press Enter for ")
        ann.talk(
            ("Bea", ASKED),
            ("3", "Type a number; 0 goes back."),
            ("2", "to search again; 0 goes back."),
            (f"127.0.0.1:{closed_port()}", "No host is running at"),
            ("q", "Type a number; 0 goes back."),
            ("q", ASKED),
        )
        ann.say("q")
        assert ann.wait() == 0, ann.text
        assert "Traceback" not in ann.text
    with Person(tmp_path) as again:
        again.read_until("You are Bea.")
        again.say("0")
        assert again.wait() == 0, again.text
        assert "Type your name" not in again.text


@needs_tmux
def test_the_full_screen_goes_to_a_table_and_back_to_the_menu(tmp_path: Path) -> None:
    with tmux(tmp_path, coffeerush("--name", "Ann")) as terminal:
        terminal.see("You are Ann")
        terminal.press("2")
        while "place here" not in (text := terminal.until(is_mine_or_waits)):
            terminal.press("Space")  # bots that place before have been read
            terminal.until_changed(text, SECONDS)
        leave(terminal)
        terminal.press("q")
        assert terminal.wait() == 0


def test_between_menu_and_table_a_word_is_on_the_bare_terminal(tmp_path: Path) -> None:
    """A busy machine takes seconds until the table's screen is there."""
    with Terminal(coffeerush("--name", "Ann"), 80, 24, environment(tmp_path)) as terminal:
        read_until(terminal, "You are Ann")
        terminal.write("2")
        before, _table = read_until(terminal, LEFT, ENTERED).split(ENTERED)
        assert "Setting up the table…" in before.split(LEFT)[1]


def read_until(terminal: Terminal, *words: str) -> str:
    """Return what a terminal gets until it has had these words."""
    said, end = "", monotonic() + SECONDS
    while not all(word in said for word in words):
        assert monotonic() < end, said
        said += terminal.read(0.5).decode("utf-8", "replace")
    return said


@needs_tmux
def test_a_joined_table_is_remembered_in_the_full_screen_menu(tmp_path: Path) -> None:
    nobody = f"127.0.0.1:{closed_port()}"
    with (
        hosting(tmp_path / "host", seats=2) as host,
        tmux(tmp_path / "ann", coffeerush("--name", "Ann")) as terminal,
    ):
        terminal.see("You are Ann")
        terminal.follow(("3", "Join a table"), ("2", "Enter connect"))
        terminal.enter(nobody)
        terminal.follow(("Enter", "No host is running at"))
        assert f"{nobody}▌" in terminal.text
        terminal.erase(nobody)
        terminal.enter(f"127.0.0.1:{host.port}")
        terminal.follow(("Enter", "open seat"))
        leave(terminal)
        terminal.follow(
            ("3", "Join a table"),
            ("2", f"127.0.0.1:{host.port}"),
            ("Escape", "Join a table"),
            ("Escape", "Play against bots"),
        )
        terminal.press("q")
        assert terminal.wait() == 0
    kept = json.loads((tmp_path / "ann" / FILE_NAME).read_text(encoding="utf-8"))
    assert kept["recent"] == [f"127.0.0.1:{host.port}"]


@needs_tmux
def test_joining_on_the_full_screen_asks_for_a_name_once(tmp_path: Path) -> None:
    bea = tmp_path / "bea"
    with hosting(tmp_path / "host", seats=2, open=True) as host:
        command = coffeerush("join", f"127.0.0.1:{host.port}")
        with tmux(bea, command, LOGNAME="pi") as terminal:
            terminal.see("If left empty: pi.")
            terminal.press("Escape")
            assert terminal.wait() == 0
        with tmux(bea, command) as terminal:
            terminal.see("Your name")
            terminal.enter("Bea")
            terminal.follow(("Enter", "open seat"))
            assert "Bea" in terminal.text
            terminal.follow(("q", "Leave the table?"))
            terminal.press("C-c")
            assert terminal.wait() == 0
        with tmux(bea, command) as terminal:
            terminal.see("open seat")
            terminal.follow(("q", "Leave the table?"))
            terminal.press("C-c")
            assert terminal.wait() == 0


@needs_tmux
def test_a_language_for_this_run_is_used_but_not_saved(tmp_path: Path) -> None:
    with tmux(
        tmp_path, coffeerush("--lang", "en", "--ascii", "--name", "Ann"), LANGUAGE="ru"
    ) as terminal:
        terminal.see("Play against bots")
        assert "▸" not in terminal.text
        terminal.press("q")
        assert terminal.wait() == 0
    assert not (tmp_path / FILE_NAME).exists()
