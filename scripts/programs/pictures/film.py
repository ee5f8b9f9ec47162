"""A turn as a recording: what the screen shows after each key, and then the others' moves."""

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
"""The round of the turn."""
COLOURS: Final = 64
LOOK_MS: Final = 2500
"""How long the first and the last frame are shown."""
KEY_MS: Final = 900
"""How long what a key did is shown."""
MOVE_MS: Final = (300, 1500)
"""How long, at least and at most, a move of somebody else is shown."""
WHOLE_MS: Final = 40
"""What is shown for less was a part of a frame."""

Shot = tuple[Image.Image, int]
"""A picture, and the milliseconds that it is shown."""


class Camera:
    """Keeps what a screen shows, and when it came."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._came: list[tuple[Image.Image, float]] = []
        self.shots: list[Shot] = []
        screen.drawn = self._shoot

    def _shoot(self) -> None:
        self._came.append((paint(self._screen.cells), monotonic()))

    def cut(self, last_ms: int) -> None:
        """Keep what came since the last cut, as long as it was shown; the last for `last_ms`."""
        for (image, came), (_image, ended) in pairwise(self._came):
            shown = round((ended - came) * 1000)
            if shown >= WHOLE_MS:
                self.shots.append((image, min(max(shown, MOVE_MS[0]), MOVE_MS[1])))
        self._came.append((paint(self._screen.cells), monotonic()))
        self.shots.append((self._came[-1][0], last_ms))
        self._came.clear()


def film(path: Path, folder: Path) -> None:
    """Write the recording of a turn, and of what the others do until the next one."""
    with staged(SCENES[SCENE], folder, speed="normal") as stage:
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
    """Write an animation in one palette, that of all its pictures."""
    images = [image for image, _shown in shots]
    width, height = images[0].size
    strip = Image.new("RGB", (width, height * len(images)))
    for number, image in enumerate(images):
        strip.paste(image, (0, number * height))
    palette = strip.quantize(COLOURS, dither=Image.Dither.NONE)
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    shown = [milliseconds for _image, milliseconds in shots]
    first.save(path, save_all=True, append_images=others, duration=shown, loop=0, disposal=1)
