"""An animated recording of a turn, key by key, and of the other players' moves after it."""

from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Final

from PIL import Image

from tests.support.pty_terminal import Screen

from .paint import paint
from .scenes import SCENES, staged

SCENE: Final = "layout-80x24"
TURN: Final = 4
"""The round in which the recorded turn is played."""
COLOURS: Final = 64
LOOK_MS: Final = 2500
"""How long the first and the last frame are shown."""
KEY_MS: Final = 900
"""How long the result of a key is shown."""
MOVE_MS: Final = (300, 1500)
"""How long another player's move is shown, at least and at most."""
WHOLE_MS: Final = 40
"""Shots shorter than this are incomplete frames."""

Shot = tuple[Image.Image, int]
"""A picture, and how many milliseconds it is shown."""


class Camera:
    """Takes a timestamped shot whenever the screen changes."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._came: list[tuple[Image.Image, float]] = []
        self.shots: list[Shot] = []
        screen.drawn = self._shoot

    def _shoot(self) -> None:
        self._came.append((paint(self._screen.cells), monotonic()))

    def cut(self, last_ms: int) -> None:
        """Add the shots since the last cut, with their durations; the last one gets `last_ms`."""
        for (image, came), (_image, ended) in pairwise(self._came):
            shown = round((ended - came) * 1000)
            if shown >= WHOLE_MS:
                self.shots.append((image, min(max(shown, MOVE_MS[0]), MOVE_MS[1])))
        self._came.append((paint(self._screen.cells), monotonic()))
        self.shots.append((self._came[-1][0], last_ms))
        self._came.clear()


def film(path: Path, folder: Path) -> None:
    """Record a turn and the other players' moves until the next one."""
    with staged(SCENES[SCENE], folder, still=False) as stage:
        seat = stage.sit_down()
        seat.play_to(TURN)
        camera = Camera(seat.screen)
        camera.cut(LOOK_MS)
        while seat.view.round == TURN:
            seat.play_on()
            camera.cut(KEY_MS)
        camera.cut(LOOK_MS)
    _write(path, camera.shots)


def _write(path: Path, shots: list[Shot]) -> None:
    """Write an animation with a single palette for all its pictures."""
    images = [image for image, _shown in shots]
    width, height = images[0].size
    strip = Image.new("RGB", (width, height * len(images)))
    for number, image in enumerate(images):
        strip.paste(image, (0, number * height))
    palette = strip.quantize(COLOURS, dither=Image.Dither.NONE)
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    shown = [milliseconds for _image, milliseconds in shots]
    first.save(path, save_all=True, append_images=others, duration=shown, loop=0, disposal=1)
