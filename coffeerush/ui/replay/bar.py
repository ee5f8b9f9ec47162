"""The progress bar of a replay, and the labels of its footer."""

from typing import Final

from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Canvas, Target, width
from coffeerush.ui.terminal.line_edit import drawn
from coffeerush.ui.words.i18n import _, pgettext

from .frames import Replay
from .keymap import ReplayAction
from .on_key import Watch

MIN_BAR: Final = 10


def draw_bar(canvas: Canvas, replay: Replay, watch: Watch, y: int) -> None:
    """Draw the clickable progress bar, or the number being typed."""
    if watch.typed is not None:
        text = _("Go to (0 to {last}), then Enter:").format(last=replay.last)
        # the number being typed stays visible even if its label is truncated
        x = canvas.put(1, y, text, "class:label", canvas.columns - len(watch.typed.text) - 4)
        canvas.put(x + 1, y, drawn(watch.typed, canvas.columns - x - 1), "class:draft")
        return
    place = f"{watch.at:>{len(str(replay.last))}}/{replay.last}"
    begin = canvas.put(1, y, place, "class:score") + 1
    pace = speed(watch)
    end = canvas.columns - 1 - (width(pace) + 3 if watch.playing else 0)
    if watch.playing:
        canvas.put(end + 1, y, f"{glyphs.POINTER} {pace}", "class:turn")
    _draw_way(canvas, replay, watch, begin, y, max(end - begin, MIN_BAR))


def _draw_way(canvas: Canvas, replay: Replay, watch: Watch, x: int, y: int, columns: int) -> None:
    """Draw a line with a tick at the start of each round, and a mark at the current position."""
    most = columns - 1
    here = watch.at * most // replay.last
    canvas.put(x, y, glyphs.LINE * (here + 1), "class:path")
    canvas.put(x + here, y, glyphs.LINE * (columns - here), "class:frame")
    for rev in replay.rounds:
        place = rev * most // replay.last
        canvas.put(x + place, y, glyphs.TEE_UP, "class:path" if place < here else "class:frame")
    canvas.put(x + here, y, glyphs.MINE, "class:turn")
    for place in range(columns):
        # the first rev at which the mark is drawn here
        rev = -(-place * replay.last // most)
        canvas.zone(x + place, y, 1, 1, Target("rev", rev))


def speed(watch: Watch) -> str:
    """Return the playback speed in words."""
    return _("{count}/s").format(count=f"{watch.rate:g}")


def labels(watch: Watch, scene: Scene) -> dict[ReplayAction, str]:
    """Return each binding's label by its first action: what it does, or what it has selected."""
    everybody = pgettext("key of a replay", "player")
    return {
        ReplayAction.HELP: pgettext("key", "help"),
        ReplayAction.BACK: pgettext("key of a replay", "step"),
        ReplayAction.TURN_BACK: pgettext("key of a replay", "turn"),
        ReplayAction.MARK_BACK: pgettext("key of a replay", "order"),
        ReplayAction.GO_TO: pgettext("key of a replay", "go to"),
        ReplayAction.PLAY: (
            pgettext("key of a replay", "stop")
            if watch.playing
            else pgettext("key of a replay", "play")
        ),
        ReplayAction.SLOWER: speed(watch),
        ReplayAction.NEXT_VIEWPOINT: everybody
        if watch.viewpoint is None
        else scene.name(watch.viewpoint),
        ReplayAction.LEAVE: pgettext("key", "leave"),
    }
