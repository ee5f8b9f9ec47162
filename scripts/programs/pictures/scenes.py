"""The scenes of the pictures: real programs in a terminal, played to a moment worth showing."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct
from PIL import Image

from coffeerush.local.settings import Language, Settings, Theme, save_settings
from coffeerush.ui.words.i18n import set_language
from protocol import NO_ID, Phase, Start
from tests.support.hosts_and_clients import SECONDS
from tests.support.local import LocalTable
from tests.support.pty_terminal import Screen

from .paint import paint
from .seat import ENTER, ESCAPE, Seat
from .window import Window

SEED: Final = 7
BOT: Final = "regular"
SEATS: Final = 4
ROUND: Final = 5
"""The round in which pictures of a game are taken."""
STEPS: Final = 2
SETTLED_SECONDS: Final = 0.4
"""A screen without output for this long is complete."""


class Scene(Struct, frozen=True):
    """How to take a picture."""

    size: tuple[int, int]
    act: Callable[["Stage"], Image.Image]
    language: Language = "en"
    name: str = "Ann"
    theme: Theme = "dark"


class Stage:
    """The setting of a scene: its terminal size and its state directory."""

    def __init__(self, scene: Scene, folder: Path, stack: ExitStack, still: bool) -> None:
        self.scene = scene
        self.folder = folder
        self._stack = stack
        self._windows: list[Window] = []
        set_language(scene.language)
        self.environment = {**os.environ, "COFFEERUSH_STATE": str(folder), "LC_ALL": "C.UTF-8"}
        os.environ["COFFEERUSH_STATE"] = str(folder)
        save_settings(
            Settings(
                language=scene.language, theme=scene.theme, name=scene.name,
                speed="at-once" if still else "normal", moments=not still,
                guided=True, bell=False, title=False, recent=("192.168.0.12:47820",),
            )
        )  # fmt: skip

    def open(self, *arguments: str) -> Window:
        """Run `coffeerush` in a terminal until its first frame; it is closed after the scene."""
        command = [sys.executable, "-m", "coffeerush", *arguments]
        window = Window(command, self.scene.size, self.environment, self._windows)
        screen = self._stack.enter_context(window)
        screen.until(lambda: bool(screen.text.strip()))
        return screen

    def sit_down(self) -> Seat:
        """Start a new game against bots, and return its seat."""
        bots = (BOT,) * (SEATS - 1)
        screen = self.open("play", "--bots", ",".join(bots), "--seed", str(SEED))
        link = _table(bots, SEED).link(self.scene.name)
        link.wish(Start(NO_ID))
        seat = Seat(screen, link)
        seat.catch_up()
        return seat

    def sit_together(self, guest: str, pause: float) -> list[Seat]:
        """Host a table for a guest and two bots, start a game, and return both seats."""
        bots = (BOT, BOT)
        options = ["--bind", "127.0.0.1", "--bots", ",".join(bots), "--seed", str(SEED)]
        host = self.open("host", "--port", "0", "--table", "Kitchen", *options)
        friend = self.open("join", *_invitation(host), "--name", guest)
        host.see(guest)
        friend.see(guest)
        table = _table(bots, SEED)
        names = (self.scene.name, guest)
        screens = (host, friend)
        seats = [
            Seat(screen, table.link(name), pause)
            for screen, name in zip(screens, names, strict=True)
        ]
        for seat in reversed(seats):
            seat.press(ENTER)  # the guest is ready, the host starts the game
        table.start()
        for seat in seats:
            seat.catch_up()
        return seats


def _table(bots: tuple[str, ...], seed: int) -> LocalTable:
    """Return a table in this process that deals the same games as a host with that seed."""
    return LocalTable(SEATS, bots, seed=f"{seed} games")


def _invitation(host: Screen) -> list[str]:
    """Return the address and the code that a lobby shows."""
    host.see("coffeerush join")
    host.settle(SETTLED_SECONDS)
    line = host.text.partition("coffeerush join ")[2].partition("\n")[0]
    return line.split()


@contextmanager
def staged(scene: Scene, folder: Path, still: bool = True) -> Iterator[Stage]:
    """Set up the stage of a scene, without animations if `still`, and clean up afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        yield Stage(scene, folder, stack, still)


def _shown(screen: Screen) -> Image.Image:
    screen.settle(SETTLED_SECONDS)
    return paint(screen.cells)


def _leave(screen: Screen) -> None:
    for _ in range(2):
        screen.write("q")
        screen.settle(SETTLED_SECONDS)
    screen.process.wait(SECONDS)


def turn(stage: Stage) -> Image.Image:
    """Show the player's turn after two steps."""
    seat = stage.sit_down()
    seat.play_to(ROUND, Phase.MOVING, STEPS)
    return _shown(seat.screen)


def result(stage: Stage) -> Image.Image:
    """Show the result of a whole game."""
    seat = stage.sit_down()
    seat.play_to(sys.maxsize)
    return _shown(seat.screen)


def replay(stage: Stage) -> Image.Image:
    """Show the replay of a finished game, halfway through."""
    seat = stage.sit_down()
    seat.play_to(sys.maxsize)
    _leave(seat.screen)
    (record,) = stage.folder.rglob("*.record")
    screen = stage.open("replay", str(record))
    screen.until(lambda: "/" in screen.lines[-2])
    found = re.search(r"/(\d+)", screen.lines[-2])
    assert found, screen.text
    for key in (*str(int(found[1]) * 2 // 3), ENTER):
        screen.write(key)
        screen.settle(0.1)
    return _shown(screen)


def menu(stage: Stage) -> Image.Image:
    """Show the start menu."""
    return _shown(stage.open())


def lobby(stage: Stage) -> Image.Image:
    """Show a lobby after a friend has joined and sent a line of chat."""
    host = stage.open(
        "host", "--guests", "--bind", "127.0.0.1", "--bots", "regular", "--table", "Kitchen"
    )
    friend = stage.open("join", *_invitation(host), "--name", "민준")
    host.until(lambda: "민준" in host.text)
    friend.settle(SETTLED_SECONDS)
    friend.write(ENTER)
    friend.settle(SETTLED_SECONDS)
    for key in ("t", "안녕하세요!", ENTER):
        friend.write(key)
        friend.settle(SETTLED_SECONDS)
    shown = _shown(host)
    for screen in (friend, host):  # the host keeps running until all have left
        _leave(screen)
    return shown


def rules(stage: Stage) -> Image.Image:
    """Show the rules page over a game."""
    screen = stage.open()
    screen.settle(SETTLED_SECONDS)
    screen.write(f"{ESCAPE}OQ")  # F2
    return _shown(screen)


_NORMAL, _WIDE, _NARROW = (80, 24), (120, 36), (40, 12)
SCENES: Final = {
    "layout-80x24": Scene(_NORMAL, turn),
    "layout-120x36": Scene(_WIDE, turn),
    "layout-40x12": Scene(_NARROW, turn),
    "language-pt_BR": Scene(_NORMAL, turn, "pt_BR", "Inês"),
    "language-it": Scene(_NORMAL, turn, "it", "Giulia"),
    "language-es": Scene(_NORMAL, turn, "es", "Lucía"),
    "language-ko": Scene(_NORMAL, turn, "ko", "민준"),
    "language-ru": Scene(_NORMAL, turn, "ru", "Аня"),
    "theme-light": Scene(_NORMAL, turn, theme="light"),
    "menu": Scene(_NORMAL, menu),
    "lobby": Scene(_NORMAL, lobby),
    "result": Scene(_NORMAL, result),
    "replay": Scene(_NORMAL, replay),
    "rules": Scene(_NORMAL, rules),
}
"""The pictures by file name."""
