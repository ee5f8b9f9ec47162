"""Whole games at any size, in long words and wide letters, resized at any moment: all fits."""

from random import Random

import pytest
from hypothesis import Phase, given, settings, strategies as st
from msgspec.structs import replace
from prompt_toolkit.utils import get_cwidth

from coffeerush.ui.table.draw_game import paint
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Canvas, Look
from coffeerush.ui.terminal.glyphs import CUT
from tests.support.local import LocalLink, LocalTable, invited, play
from tests.support.stretched import speaking

KEYS = [
    *"hjklyubn1230 seugmUtrai",
    "c-m",
    "c-i",
    "pageup",
    "pagedown",
    "escape",
    "f1",
    "f2",
    "x",
    "?",
    "c-c",
]
LETTERS = ["", "xx", "가"]
"""English, words twice as long, and letters twice as wide."""

FRAME = {"", " ", *"─│┌┐└┘┬┴├┤┼▴▾◄►╲╱·"}
"""Lines and separators, over which text may be drawn."""


class Watched(Canvas):
    """A canvas that fails on text over other text or outside, which would be cut off silently."""

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(columns, rows)
        self.clearing = False

    def put(self, x: int, y: int, text: str, style: str = "", cells: int | None = None) -> int:
        inside = 0 <= x < self.columns and 0 <= y < self.rows
        assert inside or not text.strip() or cells == 0, f"{text!r} at {x}, {y}"
        before = self._text[y][:] if inside else []
        styles = self._style[y][:] if inside else []
        end = super().put(x, y, text, style, cells)
        if not self.clearing:
            for place in range(x, end):
                free = text == CUT or before[place] in FRAME or "class:frame" in styles[place]
                assert free, f"{text!r} is written over {''.join(before).strip()!r}"
        return end

    def fill(self, x: int, y: int, columns: int, rows: int, style: str = "") -> None:
        self.clearing = True
        super().fill(x, y, columns, rows, style)
        self.clearing = False


def check(link: LocalLink, ui: Ui) -> None:
    columns, rows = ui.size
    canvas = Watched(columns, rows)
    paint(canvas, invited(link.model), ui)
    for look in (Look(), Look(ascii=True, encoding="ascii")):
        lines = [*canvas.lines(look)]
        assert len(lines) == rows
        for line in lines:
            assert sum(get_cwidth(one) for one in line) == columns
            assert line.isprintable()
            assert line.isascii() or not look.ascii


# Games do not shrink: a failing one is as good as another.
@pytest.mark.slow
@pytest.mark.parametrize("letter", LETTERS)
@settings(max_examples=2, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(seats=st.integers(2, 4), seed=st.integers(0, 999))
def test_any_moment_fits_any_terminal(letter: str, seats: int, seed: int) -> None:
    chance = Random(seed)
    local = LocalTable(seats, ("regular",) * (seats - 2), seed=seed)
    links = [local.link("Ann"), local.link("민준" * 6), local.link("Zoë", "spectator")]
    uis = [Ui(guide=chance.random() < 0.5) for _link in links]
    seen = [link.model for link in links]
    now = 0.0

    def look() -> None:
        nonlocal now
        for number, link in enumerate(links):
            now += 1.0
            size = (chance.randint(40, 200), chance.randint(12, 60))
            ui = apply_update(seen[number], link.model, uis[number], now)
            ui = replace(ui, size=size)
            seen[number] = link.model
            # the keys' wishes are not sent: the game is played independently
            uis[number], _wishes = press(link.model, ui, chance.choice(KEYS), now)
            check(link, uis[number])

    with speaking(letter):
        look()
        local.start()
        play(local, chance, look, 120)
        look()
