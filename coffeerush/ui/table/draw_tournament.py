"""Draw the tournament instead of a table between games: what to do, standings, at last a podium."""

from typing import Final

from msgspec.structs import replace

from coffeerush.client.tournament import podium
from coffeerush.ui.pages.pages import READING_COLUMNS
from coffeerush.ui.terminal.canvas import NORMAL, Area, Canvas
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import and_list
from coffeerush.ui.words.tournament import place_line, tournament_line, won

from .draw_lists import draw_choices, has_podium, list_rows
from .draw_lobby import draw_head
from .draw_podium import (
    BIG_ROWS,
    NAME_ROWS,
    STEP_ROWS,
    PodiumStep,
    Wording,
    draw_podium,
    draw_winners,
    shout,
)
from .scene import Scene

_LEAST_LIST: Final = 6
"""Rows that the list keeps below the podium."""
SEATS: Final = 4
"""There are so many colours."""


def draw_tournament(canvas: Canvas, scene: Scene) -> None:
    """Draw everything but the message and the footer."""
    y, end = draw_head(canvas, scene, _title(scene)), canvas.rows - 2
    columns = min(canvas.columns, READING_COLUMNS)
    x = (canvas.columns - columns) // 2
    if has_podium(scene):
        wanted = min(list_rows(scene, columns), end - y - BIG_ROWS - NAME_ROWS - STEP_ROWS[False])
        rows = end - y - max(wanted, _LEAST_LIST)
        y = _draw_end(canvas, scene, Area(1, y, canvas.columns - 2, rows))
    draw_choices(canvas, scene, Area(x, y, columns, end - y))


def _title(scene: Scene) -> str:
    view = scene.model.tournament
    if view is None or not view.round:
        return scene.table.name
    if view.stage == "over":
        return _("Tournament")
    text = _("Tournament · round {round} of {rounds}")
    return text.format(round=view.round, rounds=view.rounds)


def _draw_end(canvas: Canvas, scene: Scene, area: Area) -> int:
    """Draw the winners in large letters and the podium; return the next row."""
    view = scene.model.tournament
    assert view is not None, "it is over"
    best = podium(view.players)
    names = [player.name for player in best if player.place == 1]
    told, gap = tournament_line(scene.model), canvas.rows > NORMAL[1]
    place = place_line(scene.model)
    wordings = Wording(shout(names), place), Wording(and_list(names), f"{told} {place}".strip())
    least = NAME_ROWS + STEP_ROWS[False]
    large = replace(area, y=area.y + gap, rows=area.rows - least - gap)
    y = draw_winners(canvas, wordings, told, large, scene.ui.ascii)
    high = area.y + area.rows - y - gap >= NAME_ROWS + STEP_ROWS[True]
    steps = [
        PodiumStep(player.place, (player.name,), (won(player),), f"class:seat{number % SEATS}")
        for number, player in enumerate(best)
    ]
    rows = NAME_ROWS + STEP_ROWS[high]
    return draw_podium(canvas, steps, replace(area, y=y + gap * high, rows=rows)) + gap * high
