"""The full screen at a table: connects input, link, pacing, frames and bell; the rest is pure."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from itertools import accumulate
from math import inf
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, Wish, has_company
from coffeerush.client.turn import BELL_AFTER_SECONDS, TurnDraft, time_limit
from coffeerush.errors import CoffeeRushError
from coffeerush.local.settings import Settings, Speed
from coffeerush.ui.advice.guide import follow, guide_lines, guide_topic, waits_for_key
from coffeerush.ui.pages.pages import PAGES
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.fullscreen import DisplayFor, Inset
from coffeerush.ui.terminal.keys import ENTER, decomposed
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.table import doing
from protocol import Bye, PauseReason, Seat, SetMark, View

from .actions import SEE_SECONDS, Pressed, guiding, has_read
from .draw_game import before_result, is_hurried, show, slow_line, told
from .draw_lobby import STEAM_SECONDS, draw_joining, is_steaming
from .draw_moments import over_board
from .input import acts, click, press, run_pending, wheel
from .looking import LookProgram
from .on_update import apply_update, drawn_of, opened, respoken
from .panes import resized
from .scene import Scene
from .state import (
    Keep,
    OpenInset,
    Playing,
    ScreenLink,
    Ui,
    advanced,
    age_minutes,
    ending_of,
    followed_by,
    looking_as,
)
from .text_input import is_typing, paste, with_mark

# Pacing: a queue of models, so that other players' moves are shown one by one. Pure
#
# Bots finish a turn within milliseconds, too fast to follow: each of their moves stays for a
# moment, and a served order and the last move of a turn for a beat. Changes that are not visible,
# and this player's own moves, are not delayed; and the delay is bounded. In a pause, nothing moves.
#
# The first-game guide makes all that slower, and keeps its sentences until they can have been read.


STEP_SECONDS: Final[dict[Speed, float]] = {"slow": 0.6, "normal": 0.4, "fast": 0.06, "at-once": 0}
"""How long another player's move stays on the screen at most before the next: with a beat at its
end, a turn with three steps takes about 3 seconds at normal speed."""
BEAT_SECONDS: Final[dict[Speed, float]] = {"slow": 1.5, "normal": 1.0, "fast": 0.2, "at-once": 0}
"""How long a served order and the last move of a turn stay, unless one's own turn is next."""
BEHIND_SECONDS: Final[dict[Speed, float]] = {"slow": 16, "normal": 11, "fast": 1.5, "at-once": 0}
"""How far the screen may lag behind the newest model: for the turns of three others."""
GUIDED: Final = 2
"""How many times as long all that takes with the first-game guide, to follow others' moves."""
READ_SECONDS: Final = 2.0
CHARACTER_SECONDS: Final = 0.06
"""How long a new text of the guide stays at least, and for each of its characters."""
CLOCK_SHARE: Final = 0.1
"""The share of a turn clock that the lag may take."""
MAX_QUEUE: Final = 48
"""More than three players' turns can produce; beyond it the oldest are skipped."""


class Arrival(Struct, frozen=True):
    """A model that was received and is not shown yet."""

    model: Model
    at: float
    """When it was received."""
    paced: bool
    """Whether the model before it stays on the screen for some time."""
    beat: bool = False
    """Whether that time is a beat, because another player has just served or ends their turn."""


class Pace(Struct, frozen=True):
    """The model on the screen, and the queue of those to come."""

    model: Model
    at: float = float("-inf")
    """When it was first shown."""
    came: float = float("-inf")
    """When it was received."""
    queue: tuple[Arrival, ...] = ()


def enqueue(pace: Pace, model: Model, now: float) -> Pace:
    """Enqueue a newer model."""
    newest = pace.queue[-1].model if pace.queue else pace.model
    if model is newest:
        return pace
    arrival = Arrival(model, now, _is_visible(newest, model), _is_beat(newest, model))
    if model.status != "here":
        return replace(pace, queue=(arrival,))
    if pace.queue and not arrival.paced:
        # it completes the previous move, such as the answer with this player's own part
        last = pace.queue[-1]
        same = model.table is last.model.table
        arrival = replace(last, model=model, at=last.at if same else now)
        return replace(pace, queue=(*pace.queue[:-1], arrival))
    return replace(pace, queue=(*pace.queue, arrival)[-MAX_QUEUE:])


def in_pause(pace: Pace, pause: PauseReason | None) -> Pace:
    """Return the pace with all models as they are in this pause, or None after it."""
    return replace(
        pace,
        model=_paused(pace.model, pause),
        queue=tuple(
            replace(waiting, model=_paused(waiting.model, pause)) for waiting in pace.queue
        ),
    )


def from_now(pace: Pace, now: float) -> Pace:
    """Let the lag begin now, after a time in which nobody waited and only the guide was read."""
    return replace(pace, queue=tuple(replace(waiting, at=now) for waiting in pace.queue))


def _paused(model: Model, pause: PauseReason | None) -> Model:
    return replace(model, table=replace(model.table, pause=pause)) if model.table else model


class Reading(Struct, frozen=True):
    """What the guide has said, and when a person has read it."""

    known: frozenset[str] = frozenset()
    until: float = float("-inf")


def reading(before: Reading, lines: tuple[str, ...], now: float) -> Reading:
    """Return what is to be read of the guide's lines now, after what was there before."""
    new = sum(len(line) for line in lines if line not in before.known)
    seconds = max(CHARACTER_SECONDS * new, READ_SECONDS) if new else 0
    known = before.known.union(lines)
    return Reading(known, max(before.until, now) + seconds if new else before.until)


def due(
    pace: Pace, speed: Speed, guided: bool = False, read_at: float = float("-inf")
) -> float | None:
    """Return the time at which the next model is due; None if there is none, or in a pause.

    Args:
        pace: the models.
        speed: at which the person wants to see them.
        guided: whether the first-game guide is on.
        read_at: when what it says is read, if the next model replaces it; `inf` if only a person
            can say that.
    """
    if not pace.queue:
        return None
    if not pace.queue[0].paced:
        return pace.queue[0].at
    if pace.model.pause is not None or (read_at == inf and BEHIND_SECONDS[speed]):
        return None
    slower = GUIDED if guided else 1
    waits = [
        slower * (BEAT_SECONDS if waiting.beat else STEP_SECONDS)[speed] for waiting in pace.queue
    ]
    behind = _behind(pace, slower * BEHIND_SECONDS[speed])
    latest = behind - pace.at
    shares = (
        (waiting.at + latest) / total
        for waiting, total in zip(pace.queue, accumulate(waits), strict=True)
        if total
    )
    # with more to show than time left, everything is shown faster
    at = pace.at + waits[0] * min(max(min(shares, default=1), 0), 1)
    return max(at, min(read_at, pace.queue[0].at + behind))


def show_next(pace: Pace, now: float) -> Pace:
    """Show the first model of the queue."""
    first, *others = pace.queue
    return Pace(first.model, now, first.at, tuple(others))


def skip(pace: Pace, now: float) -> Pace:
    """Show the newest model, or the first in which the last round begins.

    What comes before it is dropped; but the last move of a game is shown, as every end is.
    """
    if not pace.queue:
        return pace
    before = (pace.model, *(waiting.model for waiting in pace.queue))
    for at, waiting in enumerate(pace.queue):
        if _ends(before[at], waiting.model):
            return show_next(replace(pace, queue=pace.queue[max(at - 1, 0) :]), now)
        if _is_last_round(before[at], waiting.model):
            return show_next(replace(pace, queue=pace.queue[at:]), now)
    return show_next(replace(pace, queue=pace.queue[-1:]), now)


def is_playing(pace: Pace) -> bool:
    """Return whether another player's move stays on the screen although newer ones are known."""
    return bool(pace.queue) and pace.queue[0].paced


def _is_last_round(before: Model, after: Model) -> bool:
    """Return whether the last round begins."""
    return bool(before.view and after.view and after.view.closed > before.view.closed)


def _ends(before: Model, after: Model) -> bool:
    """Return whether the game ends."""
    was, now = before.view, after.view
    return bool(was and now and now.standings and not was.standings)


def _behind(pace: Pace, most: float) -> float:
    """Return the longest lag of the screen, in seconds: less if the player's turn has a clock."""
    limit = time_limit(pace.queue[-1].model)
    return min(most, limit * CLOCK_SHARE) if limit else most


def _is_beat(before: Model, after: Model) -> bool:
    """Return whether another player has served or ends their turn, unless one's own comes next."""
    was, now = before.view, after.view
    if was is None or now is None or not now.round or was.active == before.seat:
        return False
    return (was.active != now.active or bool(was.served)) and not after.my_turn


def _is_visible(before: Model, after: Model) -> bool:
    """Return whether another player has done something visible."""
    was, now = before.view, after.view
    if was is None or now is None or after.game != before.game or after.status != "here":
        return False
    others = was.active is not None and was.active != before.seat
    return others and _visible_part(was) != _visible_part(now)


def _visible_part(view: View) -> tuple[object, ...]:
    """Return the public, visible part of a game, without the hand.

    That everything is poured is not visible until an order is served.
    """
    return view.players, view.path, view.active, doing(view), view.closed, view.standings


# The full screen at a table: connects input, link, pacing and frames; the rest is pure


class Screen:
    """Connects a link, which may still be joining, the screen's own state and a display."""

    def __init__(
        self,
        link: ScreenLink,
        settings: Settings,
        keep: Keep,
        display: DisplayFor,
        open_inset: OpenInset | None = None,
        draft: TurnDraft = TurnDraft(),  # noqa: B008 - frozen
    ) -> None:
        self._link = link
        self._open_inset = open_inset
        self._opening: asyncio.Task[None] | None = None
        self._inset: Inset | None = None
        self._keep = keep
        self._pace = Pace(link.model)
        self._reading = Reading()
        self._seen = link.model
        self._ui = Ui(settings=settings)
        self._pressed_at = float("-inf")
        self._hurried = False
        self._timer: asyncio.TimerHandle | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._display = display(self)
        ui = looking_as(self._ui, self._display.look)
        self._ui = replace(opened(link.model, ui, link.table_at, link.said_at), turn=draft)

    @property
    def settings(self) -> Settings:
        """The person's settings."""
        return self._inset.settings if self._inset else self._ui.settings

    @property
    def ui(self) -> Ui:
        """The screen's own state, for displays that need more than cells."""
        return self._ui

    @property
    def inset(self) -> Inset | None:
        """What is shown instead of the table."""
        return self._inset

    @property
    def seen(self) -> Model:
        """The model that is shown."""
        return self._seen

    async def run(self) -> None:
        """Show the table until it closes or the person leaves, then close the display."""
        self._link.on_change = self._on_change
        follow = asyncio.create_task(self._follow())
        follow.add_done_callback(self._on_follow_done)
        if self._seen.my_turn:  # a guest has come back
            self._announce()
        try:
            await self._display.run()
        finally:
            self._link.on_change = None
            follow.cancel()
            if self._timer:
                self._timer.cancel()
            if self._opening:
                self._opening.cancel()
            if self._inset:
                self._inset.close()
            if self._leaving:
                await self._leaving

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the table, or what is shown instead."""
        if self._inset:
            return told(self._inset.frame(columns, rows), self._seen, self._ui)
        self._look_up(columns, rows)
        canvas, self._ui = show(self._seen, self._ui, columns, rows)
        return canvas

    def scene(self, columns: int, rows: int) -> Scene:
        """Return what a display shows that draws no cells; all messages in it are seen."""
        self._look_up(columns, rows)
        if self._ui.mode not in PAGES:
            self._ui = replace(self._ui, shown_to=self._seen.history.total)
        return Scene(*before_result(self._seen, self._ui))

    def _look_up(self, columns: int, rows: int) -> None:
        """Note what the person sees, how, and when."""
        now = _now()
        ui = respoken(self._seen, resized(self._seen, self._ui, (columns, rows)))
        self._ui = looking_as(replace(ui, now=now, drawn_at=now), self._display.look)

    def wish(self, wishes: Iterable[Wish]) -> None:
        """Send requests that were made elsewhere, as by a command of plain mode."""
        for wish in wishes:
            if isinstance(wish, Bye):
                self._do((replace(self._ui, leaving=True), ()))
            elif isinstance(wish, SetMark):
                chosen = replace(self._ui.settings, letter=wish.letter, colour=wish.colour)
                self._do((replace(self._ui, settings=chosen), (wish,)))
            else:
                self._link.wish(wish)

    def change(self, before: Settings, after: Settings) -> None:
        """Change the settings in which these differ, as a command of plain mode changed them."""
        names = Settings.__struct_fields__
        new = {name: getattr(after, name) for name in names}
        changed = {name: new[name] for name in names if new[name] != getattr(before, name)}
        ui = replace(self._ui, settings=replace(self._ui.settings, **changed))
        if "guided" in changed:
            ui = guiding(Scene(self._seen, ui), on=not after.guided)
        self._do((ui, ()))

    # Input

    def press(self, key: str) -> None:
        """Handle a key; a character composed by an input method is several."""
        if self._inset:
            self._in_inset(partial(self._inset.press, key))
            return
        for char in (key,) if is_typing(self._ui) else decomposed(key):
            if not self._skipped(char):
                self._handle(partial(self._pressed, char))

    def _skipped(self, key: str) -> bool:
        """Skip the moves being shown if a key does nothing else now; return whether it has.

        One that hurries through moves leaves what has just appeared to be read.
        """
        appeared = self._ui.playing == "reading" and _now() - self._pace.at < SEE_SECONDS
        if appeared and key in (" ", ENTER):
            return True
        return not acts(self._seen, self._ui, key) and self.skip()

    def skip(self) -> bool:
        """Skip the moves of others that are being shown; return whether there were any."""
        now = _now()
        self._enqueue(self._link.model)
        if self._inset or not is_playing(self._pace):
            return False
        self._pressed_at = now
        if self._ui.playing == "reading":
            self._do((has_read(Scene(self._seen, self._ui)), ()))
        else:
            self._show_skipped(now)
        self._show_due()
        return True

    def _show_skipped(self, now: float) -> None:
        """Skip the moves being shown, up to where the guide's words would go unread."""
        rest = skip(self._pace, now)
        unread = self._unread()
        if unread == 0:
            return
        if unread and unread - 1 < len(self._pace.queue) - len(rest.queue) - 1:
            rest = show_next(replace(self._pace, queue=self._pace.queue[unread - 1 :]), now)
        self._show(rest)

    def _unread(self) -> int | None:
        """Return which model of the queue replaces words of the guide that nobody has read.

        None if none does, or others wait for this player.
        """
        ui, before, progress = self._ui, self._seen, self._ui.progress
        if not ui.guide or has_company(before) or time_limit(before):
            return None
        for at, waiting in enumerate(self._pace.queue):
            known = guide_topic(before, progress, ui.touch)
            words = guide_lines(before, progress, waits=True)  # the last says how to go on
            progress = follow(progress, before, waiting.model)
            topic = guide_topic(waiting.model, progress, ui.touch)
            if topic != known != ui.read and len(words) > 1:
                return at
            before = waiting.model
        return None

    def _pressed(self, key: str, now: float) -> Pressed:
        return press(self._seen, self._ui, key, now)

    def paste(self, text: str) -> None:
        """Handle pasted text."""
        if self._inset:
            self._in_inset(partial(self._inset.paste, text))
            return
        self._handle(lambda now: (paste(self._ui, text, now), ()))

    def click(self, target: Target) -> None:
        """Handle a click."""
        if self._inset:
            self._in_inset(partial(self._inset.click, target))
            return
        self._handle(lambda now: click(self._seen, self._ui, target, now))

    def wheel(self, target: Target | None, lines: int) -> None:
        """Scroll."""
        if self._inset:
            self._in_inset(partial(self._inset.wheel, target, lines))
            return
        self._handle(lambda now: wheel(self._seen, self._ui, lines, now))

    def _in_inset(self, handle: Callable[[], None]) -> None:
        """Let what is shown instead of the table handle input; return to the table after it."""
        now = self._pressed_at = _now()
        self._ui = replace(self._ui, shown_to=self._seen.history.total, key_at=now)
        handle()
        if isinstance(self._inset, LookProgram) and self._link.model.looking is None:
            self._enqueue(self._link.model)
            self._show(skip(self._pace, now))
        if self._inset and self._inset.left:
            self._close_inset()

    def _follow_look(self) -> None:
        """Show the table at which the person looks in place of their own, as long as they do."""
        if isinstance(self._inset, LookProgram):
            if self._seen.looking is None:
                self._inset = None
            else:
                self._inset.show(self._seen)
        elif self._seen.looking is not None and not self._inset and not self._opening:
            settings = self._ui.settings
            wish, display = self._link.wish, self._display
            self._inset = LookProgram(self._seen, settings, display, wish, _now)

    def _close_inset(self) -> None:
        if self._inset:
            self._inset.close()
            after = replace(self._ui, showing="", settings=self._inset.settings)
            self._ui, wishes = with_mark(self._ui, after)
            self._inset = None
            self.wish(wishes)

    async def _show_inset(self) -> None:
        """Open what the person wants to see, unless the next game begins meanwhile."""
        model, wanted, settings = self._seen, self._ui.showing, self._ui.settings
        assert self._open_inset is not None  # only who keeps records is offered a replay
        try:
            opened = await self._open_inset(model, wanted, settings, self._display)
        except CoffeeRushError as error:
            self._ui = replace(self._ui, showing="", note=error_line(error), refused=True)
        else:
            self._inset = opened
            if not self._ui.showing:
                self._close_inset()
        self._opening = None
        self._display.redraw()

    def _on_opened(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and task.exception():
            self._display.close(task.exception())

    def _handle(self, action: Callable[[float], Pressed]) -> None:
        """Handle input on the newest model, or on the moves being shown, which it does not skip.

        To the action it is still the same moment: the person has not seen a model shown now.
        """
        now = self._pressed_at = _now()
        self._enqueue(self._link.model)
        if (shown := self._ui.moments) and ending_of(self._ui):  # nothing else is on the screen
            self._ui = replace(self._ui, moments=followed_by(shown, now), result_at=now)
            self._display.redraw()
            self._show_due()
            return
        if self._pace.queue and not is_playing(self._pace):
            self._show(skip(self._pace, now))
        self._ui = replace(self._ui, moments=None)
        self._do(action(now))
        self._show_due()

    def _do(self, result: Pressed) -> None:
        before, (self._ui, wishes) = self._ui, result
        if self._ui.settings != before.settings:
            self._keep(self._ui.settings)
        if before.playing == "moves" and not self._ui.playing:
            self._show_skipped(_now())
        if before.playing == "reading" and self._ui.playing == "moves" and not before.reads_until:
            self._pace = from_now(self._pace, _now())
        for wish in wishes:
            self._link.wish(wish)
        if self._ui.showing and not self._opening and not self._inset:
            self._opening = asyncio.create_task(self._show_inset())
            self._opening.add_done_callback(self._on_opened)
        if self._inset and not self._ui.showing and not isinstance(self._inset, LookProgram):
            self._close_inset()
        if self._ui.leaving and self._leaving is None:
            self._leaving = asyncio.create_task(self._leave())
            self._leaving.add_done_callback(self._on_task_done)

    async def _leave(self) -> None:
        if self._link.model.status != "over":
            await self._link.leave()

    # The table

    async def _follow(self) -> None:
        """Follow the model until its status is `over`, which is final."""
        while (known := self._link.model).status != "over":
            self._enqueue(known)
            self._show_due()
            await self._link.changed(known)

    def _on_change(self, model: Model) -> None:
        self._enqueue(model)
        if model.status == "over":  # nobody follows it any more, but a record may still be filed
            self._show_due()

    def _enqueue(self, model: Model) -> None:
        self._pace = enqueue(self._pace, model, _now())
        if is_playing(self._pace) and model.pause != self._seen.pause:
            self._show(in_pause(self._pace, model.pause))

    def _due(self, to_read: bool = True) -> float | None:
        speed, guided = self._ui.settings.speed, self._ui.guide
        read_at = self._read_at() if guided and to_read else -inf
        return due(self._pace, speed, guided, max(read_at, self._penalties_until()))

    def _penalties_until(self) -> float:
        """Return when penalties over the board have been seen: a next move would talk over them."""
        shown, is_fast = self._ui.moments, self._ui.settings.speed == "fast"
        if shown is None or is_fast or all(moment.what != "penalty" for moment in shown.moments):
            return -inf
        if over_board(Scene(self._seen, self._ui), *self._ui.size) is None:
            return -inf
        return shown.at + shown.frames * shown.frame_seconds

    def _read_at(self) -> float:
        """Return when what the guide says is read, if the next model replaces it unread.

        Once only that is left, it is read when the person says so, unless others wait for them or
        it explains nothing.
        """
        if not is_playing(self._pace):
            return -inf
        ui, after = self._ui, self._pace.queue[0].model
        topic = guide_topic(after, follow(ui.progress, self._seen, after), ui.touch)
        known = Scene(self._seen, ui).topic
        if topic == known or known == ui.read:
            return -inf
        alone = not has_company(self._seen) and not time_limit(self._seen)
        waits = alone and waits_for_key(self._seen, ui.progress)
        return inf if ui.playing == "reading" and waits else self._reading.until

    def _show_due(self) -> None:
        """Show all models that are due, and schedule the rest."""
        self._run_pending()
        while (at := self._due()) is not None and at <= _now():
            self._show(show_next(self._pace, _now()))
            self._run_pending()
        if self._timer:
            self._timer.cancel()
            self._timer = None
        shown, played_at = self._ui.moments, self._note_playing()
        own_at = self._ui.commit_at if at is None else at
        steam_at = None
        if is_steaming(Scene(self._seen, self._ui)):
            steam_at = _now() + STEAM_SECONDS
            self._display.redraw()
        waits = (own_at, shown.next_at if shown else None, played_at, steam_at)
        if ends := [wait for wait in waits if wait is not None]:
            self._timer = asyncio.get_running_loop().call_at(min(ends), self._show_due)

    def _note_playing(self) -> float | None:
        """Note what of others' moves is being shown; return when to look again, if at all.

        That is when only reading is left, at once if a next move would replace what is not read;
        then each second of the time that is left for it.
        """
        played_at = self._due(to_read=False) if is_playing(self._pace) else None
        unread = self._ui.guide and self._read_at() > _now()
        is_read = played_at is not None and (unread or played_at <= _now())
        playing: Playing = "" if played_at is None else "reading" if is_read else "moves"
        before, self._ui = self._ui, replace(self._ui, playing=playing)
        if before.playing and not playing:
            self._ui = replace(self._ui, played_at=_now())
        until = self._due() if is_read else None
        self._ui = replace(
            self._ui, reads_until=until, up_next=self._up_next() if is_read else None
        )
        if self._ui != before or until is not None:
            self._display.redraw()
        if not is_read:
            return played_at
        return None if until is None else _now() + 1

    def _up_next(self) -> Seat | None:
        """Return who plays next, if what is shown is the end of a turn."""
        seen, after = self._seen.view, self._pace.queue[0].model.view
        is_end = seen is not None and after is not None and after.active != seen.active
        return after.active if is_end and after else None

    def _run_pending(self) -> None:
        before = self._ui
        self._ui = replace(before, moments=advanced(before.moments, _now()))
        if ending_of(before) and not ending_of(self._ui):
            self._ui = replace(self._ui, result_at=_now())
        if not self._pace.queue:
            self._do(run_pending(self._seen, self._ui, _now()))
        if replace(self._ui, now=before.now) != before:
            self._display.redraw()

    def _show(self, pace: Pace) -> None:
        before, self._pace, self._seen = self._seen, pace, pace.model
        minutes, changes = age_minutes(self._ui), bool(self._ui.emotes or self._ui.offer.emote)
        spoken = self._ui.now < self._ui.said_until
        self._do((apply_update(before, pace.model, self._ui, pace.at, pace.came), ()))
        read = reading(self._reading, Scene(pace.model, self._ui).guide, pace.at)
        # in one's own turn, one takes the time that one needs
        self._reading = Reading(read.known) if pace.model.my_turn else read
        self._follow_look()
        changes |= spoken != (self._ui.now < self._ui.said_until)
        clocks = (self._ui.clock_until, self._ui.round_at)
        changes |= age_minutes(self._ui) != minutes or any(clock is not None for clock in clocks)
        changes |= bool(slow_line(Scene(pace.model, self._ui)))
        if changes or drawn_of(before) != drawn_of(pace.model):
            self._display.redraw()
        if pace.model.my_turn is not before.my_turn:
            self._announce()
        self._hurry()

    def _announce(self) -> None:
        """Announce this player's turn by title, bell and notification; reset the title after it."""
        mine, settings = self._seen.my_turn, self._ui.settings
        text = _("Your turn — Coffee Rush")
        self._display.title(text if mine and settings.title else "")
        # somebody who has just pressed a key is looking at the screen
        idle = self._pace.came - self._pressed_at > BELL_AFTER_SECONDS
        focused = self._display.focused
        if mine and settings.bell and (idle or focused is False):
            self._display.bell()
        if mine and settings.notify and (idle if focused is None else not focused):
            self._display.notify(text)

    def _hurry(self) -> None:
        """Ring the bell once when this player's time is nearly up."""
        hurried, self._hurried = self._hurried, is_hurried(Scene(self._seen, self._ui))
        if self._hurried and not hurried and self._ui.settings.bell:
            self._display.bell()

    # The end

    def _on_follow_done(self, task: "asyncio.Task[None]") -> None:
        """End the screen with the table, but keep the final frame if the host closed the table."""
        if task.cancelled() or task.exception() or self._link.model.ending != "stopping":
            self._on_task_done(task)
            return
        self._enqueue(self._link.model)
        self._show_due()

    def _on_task_done(self, task: "asyncio.Task[None]") -> None:
        """End the screen: the table is closed, the person has left, or a task has failed."""
        if not task.cancelled():
            self._display.close(task.exception())


# Before there is a table: the page while its host starts


T = TypeVar("T")


class _Opening:
    """The page of a table that is being opened; keys mean nothing on it."""

    def __init__(self, settings: Settings, display: DisplayFor) -> None:
        self._settings = settings
        self.display = display(self)

    @property
    def settings(self) -> Settings:
        return self._settings

    def frame(self, columns: int, rows: int) -> Canvas:
        model = Model("player", "", opens=True)
        ui = Ui(settings=self._settings, size=(columns, rows), now=_now())
        canvas = Canvas(columns, rows)
        draw_joining(canvas, Scene(model, looking_as(ui, self.display.look)))
        return canvas

    def press(self, key: str) -> None:
        pass

    def paste(self, text: str) -> None:
        pass

    def click(self, target: Target) -> None:
        pass

    def wheel(self, target: Target | None, lines: int) -> None:
        pass


async def shown_while(settings: Settings, display: DisplayFor, open_table: Callable[[], T]) -> T:
    """Show that a table is being opened until `open_table`, in a thread, has returned."""
    page = _Opening(settings, display)
    opening = asyncio.create_task(asyncio.to_thread(open_table))
    opening.add_done_callback(lambda _opening: page.display.close())

    async def steam() -> None:
        while not opening.done():
            page.display.redraw()
            await asyncio.sleep(STEAM_SECONDS)
        page.display.close()  # it may have been too early before

    steaming = asyncio.create_task(steam())
    try:
        await page.display.run()
    finally:
        steaming.cancel()
    return await opening


def _now() -> float:
    return asyncio.get_running_loop().time()
