"""A recording of a game's first round: two people and two bots at a table, on two real screens."""

import json
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final

import pyte
from PIL import Image, ImageDraw

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
"""What is shown for a shorter time may be an incomplete frame, and is left out."""

Output = Sequence[tuple[float, bytes]]
"""What a program wrote, and when, in seconds of any clock."""
Shot = tuple[Image.Image, float]
"""A picture, and when it began to be shown."""


def film(gif: Path, cast: Path, folder: Path) -> None:
    """Record the first round, as an animation of both screens and as the host's output."""
    with staged(HOST, folder, still=False) as stage:
        seats = stage.sit_together(GUEST, KEY_SECONDS)
        _settle(seats)
        began = monotonic()
        while seats[0].view.round <= 1:
            next(seat for seat in seats if seat.model.can_act).play_on()
            for seat in seats:
                seat.catch_up()
        _settle(seats)
        outputs = [seat.screen.output for seat in seats]
    _write_gif(gif, list(_shots(outputs, began)))
    _write_cast(cast, HOST.size, outputs[0])


def _settle(seats: Sequence[Seat]) -> None:
    for seat in seats:
        seat.screen.settle(KEY_SECONDS)


def _shots(outputs: Sequence[Output], began: float) -> Iterator[Shot]:
    """Yield the frames since then, from what the screens' programs wrote."""
    screens = [pyte.Screen(*HOST.size) for _ in outputs]
    streams = [pyte.ByteStream(screen) for screen in screens]
    written = [(at, number, data) for number, output in enumerate(outputs) for at, data in output]
    written.sort()
    ends = [*(at for at, _number, _data in written[1:]), inf]
    for (at, number, data), end in zip(written, ends, strict=True):
        streams[number].feed(data)
        if end > began and end - at > WHOLE_SECONDS:
            yield _above_each_other([paint(screen) for screen in screens]), max(at, began)


def _above_each_other(painted: Sequence[Image.Image]) -> Image.Image:
    """Return one picture of all screens, each with its title."""
    width, height = painted[0].size
    title = CELL[1]
    whole = Image.new("RGB", (width, (title + height) * len(painted)), TITLE_PAPER)
    pen = ImageDraw.Draw(whole)
    for number, (text, image) in enumerate(zip(TITLES, painted, strict=True)):
        top = number * (title + height)
        middle = width / 2, top + title - DESCENT
        pen.text(middle, text, INK, font(wide=False, bold=False), anchor="ms")
        whole.paste(image, (0, top + title))
    return whole


def _write_gif(path: Path, shots: Sequence[Shot]) -> None:
    """Write an animation with a single palette for all its pictures."""
    ends = [*(at for _, at in shots[1:]), shots[-1][1] + LAST_SECONDS]
    images = [image for image, _at in shots]
    width, height = images[0].size
    strip = Image.new("RGB", (width, height * len(images)))
    for number, image in enumerate(images):
        strip.paste(image, (0, number * height))
    palette = strip.quantize(COLOURS, dither=Image.Dither.NONE)
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    shown = [round((end - at) * 1000) for (_, at), end in zip(shots, ends, strict=True)]
    first.save(path, save_all=True, append_images=others, duration=shown, loop=0, disposal=1)


def _write_cast(path: Path, size: tuple[int, int], output: Output) -> None:
    """Write what a terminal showed in asciicast v2, for `asciinema play`, from the first output."""
    columns, rows = size
    decode = getincrementaldecoder("utf-8")().decode
    began = output[0][0]
    header = {"version": 2, "width": columns, "height": rows, "env": {"TERM": "xterm-256color"}}
    events = [[round(at - began, 3), "o", decode(data)] for at, data in output]
    lines = [json.dumps(line, ensure_ascii=False) for line in (header, *events)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
