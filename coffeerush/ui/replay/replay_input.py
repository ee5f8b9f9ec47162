"""The position of a replay, its keys, and how keys, clicks and time change it. Pure."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.ui.advice.review import ReviewedTurn
from coffeerush.ui.pages.pages import (
    ORDER_MARKS,
    PAGES,
    PLAYER_MARKS,
    Help,
    Mode,
    click_page,
    paste_page,
    press_page,
)
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import (
    BACKSPACE,
    EDITING,
    ENTER,
    ESCAPE,
    INTERRUPT,
    TAB,
    Binding,
    Draft,
    Keymap,
    bound,
    edited,
)
from coffeerush.ui.words.i18n import N_, _
from protocol import Seat

from .analysis import PageLine, analysis_lines
from .replay import MAX_NUMBER, Replay, Reviewing, added, better_line

# The keymap: actions, keys, and texts for footer and help


class ReplayAction(Enum):
    """An action in a replay."""

    HELP = auto()
    BACK = auto()
    ON = auto()
    TURN_BACK = auto()
    TURN_ON = auto()
    START = auto()
    END = auto()
    MARK_BACK = auto()
    MARK_ON = auto()
    PLAY = auto()
    SLOWER = auto()
    FASTER = auto()
    NEXT_VIEWPOINT = auto()
    PREVIOUS_VIEWPOINT = auto()
    ORDERS = auto()
    GO_TO = auto()
    ANALYSIS = auto()
    LINE = auto()
    RULES = auto()
    SETTINGS = auto()
    LEAVE = auto()


_A = ReplayAction
REPLAY_KEYS: Final = Keymap(
    bound(_A.HELP, ("?", "f1"), "?", N_("open or close this help (also F1)"), 8),
    Binding(
        _A.BACK,
        {
            **dict.fromkeys(("left", "h", BACKSPACE), _A.BACK),
            **dict.fromkeys(("right", "l", " ", ENTER), _A.ON),
        },
        ((glyphs.FROM, "left"), (glyphs.TO, "right")),
        N_("one action back or forward (also “h” and “l”, Backspace and Space or Enter)"),
        10,
    ),
    Binding(
        _A.TURN_BACK,
        {
            **dict.fromkeys(("up", "k", "pageup"), _A.TURN_BACK),
            **dict.fromkeys(("down", "j", "pagedown"), _A.TURN_ON),
        },
        ((glyphs.UP, "up"), (glyphs.DOWN, "down")),
        N_(
            "to the previous or next turn, in an analysis only of the player it is for (also “k” "
            "and “j”, PgUp and PgDn)"
        ),
        7,
    ),
    Binding(
        _A.MARK_BACK,
        {"N": _A.MARK_BACK, "n": _A.MARK_ON},
        (("N", "N"), ("n", "n")),
        N_("to the previous or next order that is served or expires"),
        2,
    ),
    Binding(
        _A.START,
        {"home": _A.START, "end": _A.END},
        ((N_("Home"), "home"), (N_("End"), "end")),
        N_("to the start or to the end"),
    ),
    bound(
        _A.GO_TO,
        "g0123456789",
        "g",
        N_("to a number: type its digits, then Enter or “g”; Esc cancels"),
        1,
    ),
    bound(_A.PLAY, ("p",), "p", N_("play automatically, or stop; it stops at the end"), 9),
    Binding(
        _A.SLOWER,
        {"-": _A.SLOWER, "+": _A.FASTER, "=": _A.FASTER},
        (("-", "-"), ("+", "+")),
        N_("play slower or faster"),
        5,
    ),
    Binding(
        _A.NEXT_VIEWPOINT,
        {TAB: _A.NEXT_VIEWPOINT, "s-tab": _A.PREVIOUS_VIEWPOINT},
        ((N_("Tab"), TAB),),
        N_(
            "whose cups and orders are shown: the current player's, or always the same "
            "player's (also Shift-Tab, a click)"
        ),
        6,
    ),
    bound(_A.ORDERS, ("v",), "v", N_("all orders of that player, if the screen shows only some")),
    bound(
        _A.ANALYSIS,
        ("w",),
        "w",
        N_(
            "analyse a player's turns; then: to the list of turns, and from there (also Enter) to "
            "the chosen one"
        ),
        8,
    ),
    bound(
        _A.LINE,
        ("b",),
        "b",
        N_("show the better line of a marked turn, or what was played"),
        11,
    ),
    bound(_A.RULES, ("f2",), "F2", N_("the rules of the game")),
    bound(_A.SETTINGS, ("f3",), "F3", N_("settings: language, colours, mouse, speed …")),
    bound(
        _A.LEAVE,
        ("q", ESCAPE, INTERRUPT),
        "q",
        N_("leave an analysed turn, the analysis, the replay (also Esc; Ctrl-C leaves all)"),
        9,
    ),
)

REPLAY_HELP: Final = Help(
    ((N_("Keys"), REPLAY_KEYS.help_rows()),),
    (
        (
            N_("On the board"),
            (
                (glyphs.MINE, N_("the player whose cups are shown; other meeples are letters")),
                ("1 2 3", N_("the path that was taken")),
                (glyphs.SPECIALTY, N_("a specialty cell, which an upgrade can double")),
            ),
        ),
        (N_("In orders"), ORDER_MARKS),
        (
            N_("At the top, and beside the players"),
            (
                *PLAYER_MARKS,
                ("1:2 2:0", N_("orders: two in slot 1, none in slot 2")),
                (glyphs.DOT, N_("a cup, with what is in it; this one is empty")),
            ),
        ),
    ),
    marks_first=True,
)


# The position, and how keys, clicks and time change it


RATES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Playback speeds, in frames per second."""


MOST_ORDERS: Final = 40
"""More than a player has; drawing stops at the last one."""
SIDES: Final = 4
"""Columns beside the page of a review: gaps, and arrows while it can be scrolled."""
PAGE_KEEPS: Final = 3
"""Rows of other things around a review's page: the top line, bar and footer."""
SCROLLS: Final = {"up": -1, "down": 1, "pageup": -4, "pagedown": 4}
CLOSING: Final = ("v", "q", ESCAPE, ENTER)
"""Keys that close the list of orders."""
REPLAY_UI: Final = Ui(help=REPLAY_HELP, replayed=True)


class Watch(Struct, frozen=True):
    """The position in a replay, the point of view, playback, and the open page."""

    at: int = 0
    """The rev of the current frame."""
    viewpoint: Seat | None = None
    """The seat whose point of view is shown; None follows the player who acts."""
    own: Seat | None = None
    """The seat of the person who watches, if they have played."""
    playing: bool = False
    pace: int = RATES.index(2.0)
    """Index into `RATES`."""
    typed: Draft | None = None
    """The digits of the rev to go to; None if none is being typed."""
    reviewing: Reviewing | None = None
    """The review of a seat's turns, if one was asked for."""
    for_review: bool = False
    """Whether it was opened for the review, so that closing that one leaves."""
    goes_back: bool = False
    """Whether leaving it leads back to a result, or to the menu."""
    row: int = 0
    """The chosen turn on a review's page, from 0."""
    read: int = 0
    """The first shown line of a page that is longer than its room."""
    note: str = ""
    """The answer to a key that changes nothing; until the next one."""
    page: Ui = REPLAY_UI
    """The open page, the settings, and the size of the terminal."""
    left: bool = False
    """Whether the person is leaving."""

    def shown(self, replay: Replay) -> Replay:
        """Return the replay that is shown: the game, or the better line of a turn."""
        return (self.reviewing.line if self.reviewing else None) or replay

    @property
    def rate(self) -> float:
        """Playback speed, in frames per second."""
        return RATES[self.pace]


def press(replay: Replay, watch: Watch, key: str) -> Watch:
    """Apply a key; `key` is a character or one of prompt_toolkit's key names."""
    watch = replace(watch, note="")
    if key == INTERRUPT:
        return replace(watch, left=True)
    if watch.page.mode in PAGES:
        return replace(watch, page=press_page(watch.page, key))
    key = REPLAY_KEYS.resolve(key)
    if watch.typed is not None and watch.page.mode != "orders":
        return _typed(replay, watch, watch.typed, key)
    known = watch.reviewing if watch.page.mode != "orders" else None
    if known and key in (ESCAPE, "q"):
        return _back(replay, watch, known)
    action = next(iter(REPLAY_KEYS.actions_of(key)), None)
    if action is ReplayAction.GO_TO:
        return replace(watch, typed=Draft(key if key.isdecimal() else ""), playing=False)
    reading = watch.page.mode == "orders" and action is not ReplayAction.HELP
    if reading or action is ReplayAction.ORDERS:
        return replace(watch, page=_with_orders(watch.page, key), playing=False)
    if action is ReplayAction.ANALYSIS:
        return _review(replay, watch)
    if action is ReplayAction.LINE:
        return _line(replay, watch)
    if action is None:
        return watch
    if action in _CHOOSING and _rows(lines := page_lines(replay, watch)):
        return _on_page(replay, watch, lines, action, SCROLLS.get(key, 1))
    shown = watch.shown(replay)
    after = _HANDLERS[action](shown, watch)
    if action in _ONWARD and after.at == shown.stop:
        return replace(after, note=_at_stop(shown, watch))
    return replace(watch, note=_(_UNCHANGED[action])) if after == watch else after


_ONWARD: Final = (_A.ON, _A.TURN_ON, _A.MARK_ON)
"""Actions that step on, at most to where steps stop."""


def _at_stop(shown: Replay, watch: Watch) -> str:
    """Return what is said where steps stop, with the key that leads on; "" if nothing follows."""
    if shown.stop == shown.last:
        return ""
    if watch.reviewing:
        return _("This is the end. “w” shows the analysis.")
    return _("The game is over: “{key}” shows the result.").format(key=_("End"))


def page_lines(replay: Replay, watch: Watch) -> list[PageLine]:
    """Return the lines of the review's page, which is shown in place of the result; [] elsewhere.

    All of them if they are more than the page has rows, as they can be scrolled.
    """
    known = watch.reviewing
    if known is None or known.line or watch.at < replay.last:
        return []
    return analysis_lines(replay, known, watch.page.size[0] - SIDES, _page_rows(watch))


def _page_rows(watch: Watch) -> int:
    """Return how many lines of a review's page are visible."""
    return max(watch.page.size[1] - PAGE_KEEPS, 1)


def _rows(lines: list[PageLine]) -> list[int]:
    """Return which lines of a page are about a turn, in the order of the turns."""
    return [y for y, line in enumerate(lines) if line.turn is not None]


_CHOOSING: Final = (_A.TURN_BACK, _A.TURN_ON, _A.START, _A.END, _A.ON)
"""Actions that choose a turn on a review's page, or show the chosen one."""


def _on_page(
    replay: Replay, watch: Watch, lines: list[PageLine], action: ReplayAction, by: int
) -> Watch:
    """Apply one of `_CHOOSING` on a review's page."""
    known = watch.reviewing
    assert known, "it has a page"
    most = len(lines) - _page_rows(watch)
    match action:
        case ReplayAction.START:
            return replace(watch, row=0, read=0)
        case ReplayAction.END:
            return replace(watch, row=len(_rows(lines)) - 1, read=max(most, 0))
        case ReplayAction.ON:
            return _show_turn(replay, watch, known)
    return _choose(watch, lines, -abs(by) if action is ReplayAction.TURN_BACK else abs(by))


def _choose(watch: Watch, lines: list[PageLine], by: int) -> Watch:
    """Choose another turn, so many lines down; above the first and below the last one, scroll."""
    rows, high = _rows(lines), _page_rows(watch)
    most = max(len(lines) - high, 0)
    row, read = watch.row, min(watch.read, most)
    for _line in range(abs(by)):
        if by > 0 and row < len(rows) - 1 and rows[row] < read + high:
            row += 1
            read = max(read, rows[row] + 1 - high)
        elif by < 0 and row > 0 and rows[row] >= read:
            row -= 1
            read = min(read, rows[row])
        else:
            read = min(max(read + (1 if by > 0 else -1), 0), most)
    return replace(watch, row=row, read=read)


def _with_orders(page: Ui, key: str) -> Ui:
    """Open the list of orders, or scroll or close it."""
    if page.mode != "orders":
        return replace(page, mode="orders", scroll=0)
    if key in SCROLLS:
        return replace(page, scroll=min(max(page.scroll + SCROLLS[key], 0), MOST_ORDERS))
    return replace(page, mode="table", scroll=0) if key in CLOSING else page


def click(replay: Replay, watch: Watch, target: Target) -> Watch:
    """Apply a click on a key, the progress bar, a player or a row of the settings."""
    match target:
        case Target("key", str(key)):
            return press(replay, watch, key)
        case Target("rev", int(rev)):
            return go(watch.shown(replay), replace(watch, typed=None, note=""), rev)
        case Target("seat", int(seat)):
            return replace(watch, viewpoint=None if watch.viewpoint == seat else seat)
    return replace(watch, page=click_page(watch.page, target))


def wheel(replay: Replay, watch: Watch, lines: int) -> Watch:
    """Apply the wheel: step, or scroll the open page or the review."""
    if watch.page.mode in (*PAGES, "orders"):
        return press(replay, watch, "up" if lines < 0 else "down")
    if _rows(page := page_lines(replay, watch)):
        return _choose(replace(watch, note=""), page, lines)
    shown, watch = watch.shown(replay), replace(watch, note="")
    after = _on(shown, watch, watch.at + lines)
    return replace(after, note=_at_stop(shown, watch)) if after.at == shown.stop else after


def paste(watch: Watch, text: str) -> Watch:
    """Insert pasted text into the name on the settings page."""
    return replace(watch, page=paste_page(watch.page, text))


def play_on(replay: Replay, watch: Watch) -> Watch:
    """Advance playback; stop at the end, which of an analysis is before its page."""
    shown = watch.shown(replay)
    end = _end_of_play(shown, watch)
    at = min(shown.played_after(watch.at), end)
    note = _at_stop(shown, watch) if at == end == shown.stop else watch.note
    return replace(watch, at=at, playing=watch.playing and at < end, note=note)


def _end_of_play(shown: Replay, watch: Watch) -> int:
    return shown.stop if watch.reviewing else shown.last


def go(replay: Replay, watch: Watch, rev: int) -> Watch:
    """Go to a rev, clamped to the game, and stop playback."""
    at = min(max(rev, 0), replay.last)
    return replace(watch, at=at, playing=False)


def _on(replay: Replay, watch: Watch, rev: int) -> Watch:
    """Go to a rev by a step: none leads into the result."""
    return go(replay, watch, min(rev, max(replay.stop, watch.at)))


def _typed(replay: Replay, watch: Watch, typed: Draft, key: str) -> Watch:
    """Apply a key to the number being typed."""
    if key.isdecimal() or (key in EDITING and typed.text):
        return replace(watch, typed=edited(typed, key, MAX_NUMBER))
    done = replace(watch, typed=None)
    if key in (ENTER, "g") and typed.text:
        return go(watch.shown(replay), done, int(typed.text))
    return done if key in (ENTER, "g", BACKSPACE, ESCAPE) else press(replay, done, key)


def review_on(replay: Replay, watch: Watch, turn: ReviewedTurn) -> Watch:
    """Add a turn that was reviewed while the replay was shown."""
    if watch.reviewing is None:
        return watch
    before, now = watch.reviewing, added(replay, watch.reviewing, turn)
    row = now.first_chosen if now.review and not before.review else watch.row
    return replace(watch, reviewing=now, row=row)


def _review(replay: Replay, watch: Watch) -> Watch:
    """Start the review of the selected seat, or go to its page, or from there to a turn."""
    seat = _reviewed(replay, watch) if watch.viewpoint is None else watch.viewpoint
    known = watch.reviewing
    if known is None or known.seat != seat:
        watch = replace(watch, at=replay.last, playing=False, row=0, read=0)
        theirs = seat != _reviewed(replay, watch)
        return replace(watch, reviewing=Reviewing(seat, replay.turns_of(seat), theirs=theirs))
    if page_lines(replay, watch):
        return _show_turn(replay, watch, known) if known.review else watch
    return _to_page(replay, watch, known)


def _show_turn(replay: Replay, watch: Watch, known: Reviewing) -> Watch:
    """Show the chosen turn on the board."""
    return go(replay, watch, known.done[watch.row].turn.rev)


def _to_page(replay: Replay, watch: Watch, known: Reviewing) -> Watch:
    """Go to the page of a review, where the turn that was shown is chosen."""
    turn = known.turn_at(watch.at)
    row = known.done.index(turn) if turn else watch.row
    reviewing = replace(known, line=None)
    watch = replace(watch, at=replay.last, playing=False, row=row, reviewing=reviewing)
    lines = page_lines(replay, watch)
    if rows := _rows(lines):
        read = min(max(watch.read, rows[row] + 1 - _page_rows(watch)), rows[row])
        return replace(watch, read=read)
    return watch


def _without_marks(watch: Watch, known: Reviewing) -> Watch:
    """Answer a key that goes to a marked turn; an unfinished review says how far it is."""
    note = _("No turn is marked: none could have been clearly better.") if known.review else ""
    return replace(watch, note=note)


def _reviewed(replay: Replay, watch: Watch) -> Seat:
    return replay.reviewer if watch.own is None else watch.own


def at_review(replay: Replay, watch: Watch) -> Watch:
    """Review the turns of the person who watches; the cups of who acts are shown beside."""
    return _review(replay, replace(watch, viewpoint=None, for_review=True))


def marked_turn(replay: Replay, watch: Watch) -> ReviewedTurn | None:
    """Return the marked turn that is shown or, on a review's page, chosen; None if it is none."""
    known = watch.reviewing
    if known is None:
        return None
    is_page = known.review and watch.at == replay.last
    turn = known.done[watch.row] if is_page else known.turn_at(watch.at)
    return turn if turn in known.marked else None


def _line(replay: Replay, watch: Watch) -> Watch:
    """Play the better line of a marked turn, or go back to the game."""
    known = watch.reviewing
    if known is None:
        return replace(watch, note=_("An analysis finds better lines: “w” starts it."))
    if known.line is not None:
        return _back(replay, watch, known)
    marked = marked_turn(replay, watch)
    if marked is None:
        if not known.marked:
            return _without_marks(watch, known)
        return replace(watch, note=_("No better line here."))
    line = better_line(replay, marked)
    watch = go(line, replace(watch, reviewing=replace(known, line=line)), marked.turn.rev)
    return replace(watch, playing=True)


def _back(replay: Replay, watch: Watch, known: Reviewing) -> Watch:
    """Go back from a better line to its turn, from a turn to the page, or close the review."""
    if known.line is None and known.review and watch.at < replay.last:
        return _to_page(replay, watch, known)
    if known.line is None:
        return replace(watch, reviewing=None, left=watch.for_review)
    at = min(watch.at, known.line.turns[-1])
    return replace(watch, at=at, playing=False, reviewing=replace(known, line=None))


_Handler: TypeAlias = Callable[[Replay, Watch], Watch]


def _by(revs: int) -> _Handler:
    return lambda replay, watch: _on(replay, watch, watch.at + revs)


_Revs: TypeAlias = Callable[[Replay, Watch], tuple[int, ...]]


def turn_revs(replay: Replay, watch: Watch) -> tuple[int, ...]:
    """Return where the turns begin to which keys lead: in an analysis, only those it is about."""
    known = watch.reviewing
    if known is None or known.line:
        return replay.turns
    return tuple(turn.rev for turn in known.turns)


def _marks(replay: Replay, watch: Watch) -> tuple[int, ...]:
    return (0, *replay.marks)


def _to_previous(revs: _Revs) -> _Handler:
    """Go to the previous of these revs; none leads on if there is none."""

    def back(replay: Replay, watch: Watch) -> Watch:
        found = revs(replay, watch)
        first = min((watch.at, *found[:1]))
        return go(replay, watch, max((rev for rev in found if rev < watch.at), default=first))

    return back


def _to_next(revs: _Revs) -> _Handler:
    return lambda replay, watch: _on(
        replay,
        watch,
        min((rev for rev in revs(replay, watch) if rev > watch.at), default=replay.last),
    )


def _play(replay: Replay, watch: Watch) -> Watch:
    """Start or stop playback; at its end, start again."""
    is_over = watch.at >= _end_of_play(replay, watch) and not watch.playing
    at = _begin_of_play(replay, watch) if is_over else watch.at
    return replace(watch, at=at, playing=not watch.playing)


def _begin_of_play(replay: Replay, watch: Watch) -> int:
    """Return where playback starts again: in an analysis where the turn began that was chosen."""
    known = watch.reviewing
    if known and known.line:
        return replay.turns[-1]
    return known.done[watch.row].turn.rev if known and known.review else 0


def _faster(by: int) -> _Handler:
    return lambda _replay, watch: replace(watch, pace=min(max(watch.pace + by, 0), len(RATES) - 1))


def _cycle_viewpoint(by: int) -> _Handler:
    """Cycle the point of view; between the last and the first seat it follows who acts."""

    def cycle(replay: Replay, watch: Watch) -> Watch:
        count = replay.players
        place = count if watch.viewpoint is None else watch.viewpoint
        place = (place + by) % (count + 1)
        return replace(watch, viewpoint=None if place == count else place)

    return cycle


def _open(mode: Mode) -> _Handler:
    return lambda _replay, watch: replace(
        watch, page=replace(watch.page, mode=mode, scroll=0), playing=False
    )


_HANDLERS: Final[dict[ReplayAction, _Handler]] = {
    ReplayAction.HELP: _open("help"),
    ReplayAction.RULES: _open("rules"),
    ReplayAction.SETTINGS: _open("settings"),
    ReplayAction.BACK: _by(-1),
    ReplayAction.ON: _by(1),
    ReplayAction.TURN_BACK: _to_previous(turn_revs),
    ReplayAction.TURN_ON: _to_next(turn_revs),
    ReplayAction.MARK_BACK: _to_previous(_marks),
    ReplayAction.MARK_ON: _to_next(_marks),
    ReplayAction.START: lambda replay, watch: go(replay, watch, 0),
    ReplayAction.END: lambda replay, watch: go(replay, watch, replay.last),
    ReplayAction.PLAY: _play,
    ReplayAction.SLOWER: _faster(-1),
    ReplayAction.FASTER: _faster(1),
    ReplayAction.NEXT_VIEWPOINT: _cycle_viewpoint(1),
    ReplayAction.PREVIOUS_VIEWPOINT: _cycle_viewpoint(-1),
    ReplayAction.LEAVE: lambda _replay, watch: replace(watch, left=True),
}
_FIRST, _LAST = N_("This is the beginning."), N_("This is the end.")
_UNCHANGED: Final[dict[ReplayAction, str]] = {
    **dict.fromkeys((_A.BACK, _A.TURN_BACK, _A.MARK_BACK, _A.START), _FIRST),
    **dict.fromkeys((_A.ON, _A.TURN_ON, _A.MARK_ON, _A.END), _LAST),
    _A.SLOWER: N_("This is the slowest speed."),
    _A.FASTER: N_("This is the fastest speed."),
}
"""Why an action changes nothing; the others always change something."""
