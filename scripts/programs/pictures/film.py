"""A recording of a game's first round: two people and two bots at a table, on two real screens."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Final

from PIL import Image, ImageDraw

from .cast import write_cast
from .fonts import CELL, DESCENT, font
from .paint import INK, paint
from .scenes import SCENES, staged
from .seat import Seat

HOST: Final = SCENES["lobby"]
GUEST: Final = "Mia"
TITLES: Final = (f"{HOST.name}, who hosts the table", f"{GUEST}, a guest on another machine")
TITLE_PAPER: Final = "#4a4038"
KEY_SECONDS: Final = 0.9
"""How long a screen stays still before each key."""
LAST_SECONDS: Final = 3.0
"""How long the last frame is shown."""
COLOURS: Final = 64
WHOLE_SECONDS: Final = 0.04
"""Shots shorter than this are incomplete frames; the one before is shown for longer."""

Shot = tuple[Image.Image, float]
"""A picture, and when it was taken."""


class Camera:
    """Takes a shot of all screens, one above the other, whenever one changes."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self._screens = [seat.screen for seat in seats]
        self.shots: list[Shot] = []
        for screen in self._screens:
            screen.drawn = self.shoot
        self.shoot()

    def shoot(self) -> None:
        """Take a shot now."""
        painted = [paint(screen.cells) for screen in self._screens]
        width, height = painted[0].size
        title = CELL[1]
        whole = Image.new("RGB", (width, (title + height) * len(painted)), TITLE_PAPER)
        pen = ImageDraw.Draw(whole)
        for number, (text, image) in enumerate(zip(TITLES, painted, strict=True)):
            top = number * (title + height)
            middle = width / 2, top + title - DESCENT
            pen.text(middle, text, INK, font(wide=False, bold=False), anchor="ms")
            whole.paste(image, (0, top + title))
        self.shots.append((whole, monotonic()))


def film(gif: Path, cast: Path, folder: Path) -> None:
    """Record the first round, as an animation of both screens and as the host's output."""
    with staged(HOST, folder, still=False) as stage:
        seats = stage.sit_together(GUEST, KEY_SECONDS)
        _settle(seats)
        camera = Camera(seats)
        while seats[0].view.round <= 1:
            next(seat for seat in seats if seat.model.can_act).play_on()
            for seat in seats:
                seat.catch_up()
        _settle(seats)
        camera.shoot()
    _write_gif(gif, camera.shots)
    write_cast(cast, HOST.size, seats[0].screen.output)


def _settle(seats: Sequence[Seat]) -> None:
    for seat in seats:
        seat.screen.settle(KEY_SECONDS)


def _write_gif(path: Path, shots: Sequence[Shot]) -> None:
    """Write an animation with a single palette for all its pictures."""
    whole = [
        (image, at) for (image, at), (_, later) in pairwise(shots) if later - at > WHOLE_SECONDS
    ]
    whole.append(shots[-1])
    ends = [*(at for _, at in whole[1:]), whole[-1][1] + LAST_SECONDS]
    images = [image for image, _at in whole]
    width, height = images[0].size
    strip = Image.new("RGB", (width, height * len(images)))
    for number, image in enumerate(images):
        strip.paste(image, (0, number * height))
    palette = strip.quantize(COLOURS, dither=Image.Dither.NONE)
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    shown = [round((end - at) * 1000) for (_, at), end in zip(whole, ends, strict=True)]
    first.save(path, save_all=True, append_images=others, duration=shown, loop=0, disposal=1)
