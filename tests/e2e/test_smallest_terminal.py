"""The smallest terminal: the real program in 40x12 cells, where a turn is played by keys."""

from pathlib import Path

from msgspec import json

from coffeerush.local.settings import FILE_NAME
from tests.support.hosts_and_clients import coffeerush, environment
from tests.support.pty_terminal import Screen, Silence
from tests.support.screen_reader import IGNORED_SECONDS
from tests.support.screen_terminal import ENTER, LEFT, QUIET, RIGHT, UP

COLUMNS, ROWS = 40, 12
PLAY = ("play", "--bots", "regular,regular", "--seed", "5", "--name", "Ann")
PLACED = "place a meeple"
TURN = (
    (UP, "2 steps left"),
    (LEFT, "1 step left"),
    ("u", "2 steps left"),
    (LEFT, "1 step left"),
    (LEFT, "no steps left"),
    (" ", "YOUR TURN: end your turn"),
)
"""Keys, each with the text shown once its effects have happened."""


def enter(screen: Screen, before: str) -> None:
    """Press Enter until a text is gone: right after a turn begins, the key is ignored."""
    while before in screen.text:
        screen.write(ENTER)
        try:
            screen.until(lambda: before not in screen.text, IGNORED_SECONDS)
        except Silence:
            assert screen.process.poll() is None, screen.text


def test_a_turn_is_played_to_its_end(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(json.encode(QUIET))
    with Screen(coffeerush(*PLAY), COLUMNS, ROWS, environment(tmp_path)) as screen:
        screen.see(PLACED)
        screen.write(RIGHT)
        enter(screen, PLACED)
        screen.see("3 steps left")
        for key, wanted in TURN:
            screen.write(key)
            screen.see(wanted)
            assert screen.lines[-1].split()[0] == "?", screen.text
        enter(screen, "end your turn")
        screen.see("3 steps left")
        screen.write("t")
        screen.see("Say:")
        screen.write(f"Hello{ENTER}")
        screen.see("<Ann> Hello")
