"""A guest's page as a front end of the gateway: what it is sent, and what it says."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, Role
from coffeerush.guests.front_end import FrontEnd, Shares
from coffeerush.guests.register import BrowserToken
from coffeerush.local.settings import Language, Settings, Theme
from coffeerush.ui.pages.pages import ROWS
from coffeerush.ui.plain.conversation import Session
from coffeerush.ui.plain.sentences import cell_line, cup_lines, order_lines
from coffeerush.ui.table.actions import KEYMAP
from coffeerush.ui.table.state import TYPING, Ui
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.table.text_input import longest
from coffeerush.ui.terminal.canvas import EVERYTHING, Canvas, Look, Offer, Target
from coffeerush.ui.terminal.fullscreen import Program
from coffeerush.ui.terminal.keys import ENTER, ERASE
from coffeerush.ui.terminal.theme import style_of
from coffeerush.ui.words.i18n import _, language
from coffeerush.ui.words.names import cell_name, item_list, sentence_case
from protocol import BOARD

# Frames for the page: the rows, buttons and keys of a canvas that have changed
#
# A row is a list of runs, `[pen, text]` or `[pen, text, cells]`. Within a run, all characters are
# equally wide, because a browser's fonts keep to no grid; symbols form runs of their own.


Pen: TypeAlias = tuple[str, str, str]
"""The colours of text and background, and the attributes, separated by blanks."""
Run: TypeAlias = tuple[int, str] | tuple[int, str, int]
"""A pen, the text, and its cells if they are not one per character."""
Row: TypeAlias = tuple[int, list[Run]]
"""The number of a row, and its runs; blank cells at the end are left out."""
Button: TypeAlias = tuple[int, int, int, int, str, str | int, str]
"""Left, top, columns, rows; the kind and value of its target; its name."""

Zone: TypeAlias = tuple[int, int, int, int, Target]
"""Left, top, columns, rows and target of an area that can be clicked."""

FINGER_ROWS: Final = 2
"""The rows of the page that are 44 pixels high, as a finger needs."""
_ATTRIBUTES: Final = ("bold", "underline", "reverse")


class Field(Struct, frozen=True):
    """A text field to type in."""

    label: str
    text: str
    longest: int


class PageFrame(Struct, omit_defaults=True):
    """What has changed on the page."""

    size: tuple[int, int] | None = None
    """Columns and rows, without the footer; then all of `rows` are new."""
    pens: list[tuple[int, str, str, str]] | None = None
    """New pens: number, colours of text and background, attributes."""
    rows: list[Row] | None = None
    buttons: list[Button] | None = None
    keys: list[Offer] | None = None
    field: Field | bool | None = None
    """The text field that is open now; False if none is any more."""
    language: str | None = None
    """What the guest speaks from now on, if it is not the page's language."""
    say: list[str] | None = None
    """New sentences for screen readers."""
    title: str | None = None
    bell: bool = False


class Painter:
    """Remembers what the page shows."""

    def __init__(self) -> None:
        self._theme: Theme | None = None
        self._classes: dict[str, str] = {}
        self._looks: dict[str, int] = {}
        """The pen of each style of the theme."""
        self._pens: dict[Pen, int] = {}
        """All pens that the page knows."""
        self._size = (0, 0)
        self._rows: list[list[Run]] = []
        self._buttons: list[Button] = []
        self._keys: list[Offer] = []
        self._field: Field | None = None

    def paint(
        self,
        frame: PageFrame,
        canvas: Canvas,
        look: Look,
        theme: Theme,
        names: Mapping[Target, str],
        field: Field | None,
    ) -> Iterator[None]:
        """Add what differs from what the page shows; the footer becomes the keys. Yield by row.

        Args:
            frame: what else there is to show.
            canvas: the whole screen.
            look: which characters to show.
            theme: the colours.
            names: of the targets, for screen readers; others are called as they are written.
            field: the open text field.
        """
        size = (canvas.columns, canvas.rows - 1)
        if (theme, size) != (self._theme, self._size):
            self._theme, self._size, self._classes = theme, size, style_of(theme, "true")
            self._looks, self._pens, self._rows = {}, {}, [[]] * size[1]
            frame.size = size
        known = len(self._pens)
        rows: list[list[Run]] = []
        for cells in canvas.cells(look):
            rows.append([*self._runs(*cells)])
            yield
        rows.pop()
        frame.rows = [(y, row) for y, row in enumerate(rows) if row != self._rows[y]] or None
        frame.pens = [(pen, *look) for look, pen in [*self._pens.items()][known:]] or None
        self._rows = rows
        if (buttons := [*_buttons(canvas, names, look.touch)]) != self._buttons:
            frame.buttons = self._buttons = buttons
        if canvas.offers != self._keys:
            frame.keys = self._keys = canvas.offers
        if field != self._field:
            frame.field, self._field = field or False, field

    def _runs(self, texts: list[str], styles: list[str]) -> Iterator[Run]:
        """Yield the runs of a row."""
        base = self._pen("")
        pens, looks = [*map(self._pen, styles)], [*self._pens]
        for x, text in enumerate(texts):
            here, before = looks[pens[x]], looks[pens[x - 1] if x else base]
            if text == " " and here[1:] == before[1:] and not here[2]:
                pens[x] = pens[x - 1] if x else base
        end = len(texts)
        while end and texts[end - 1] == " " and looks[pens[end - 1]][1:] == looks[base][1:]:
            end -= 1
        x = 0
        while x < end:
            start, kind = x, _kind(texts, x)
            while x < end and pens[x] == pens[start] and _kind(texts, x) == kind:
                x += 1
            text = "".join(texts[start:x])
            yield (pens[start], text) if len(text) == x - start else (pens[start], text, x - start)

    def _pen(self, style: str) -> int:
        if style not in self._looks:
            look = self._look(style)
            self._looks[style] = self._pens.setdefault(look, len(self._pens))
        return self._looks[style]

    def _look(self, style: str) -> Pen:
        """Merge the classes of a style; the later ones win."""
        ink = paper = ""
        attributes: set[str] = set()
        names = ["", *(name.removeprefix("class:") for name in style.split())]
        for word in " ".join(self._classes.get(name, "") for name in names).split():
            if word.startswith("bg:"):
                paper = word.removeprefix("bg:")
            elif word.startswith("#"):
                ink = word
            elif word.startswith("no"):
                attributes.discard(word.removeprefix("no"))
            else:
                attributes.add(word)
        if "reverse" in attributes:
            ink, paper = paper, ink
        return ink, paper, " ".join(name for name in _ATTRIBUTES[:-1] if name in attributes)


def _kind(texts: list[str], x: int) -> str:
    """Return the kind of a character, the same in a run: its width, or the symbol itself."""
    text = texts[x]
    if text == "" or texts[x + 1 : x + 2] == [""]:
        return "wide"
    return "narrow" if text.isascii() or text[0].isalpha() else text


def _buttons(canvas: Canvas, names: Mapping[Target, str], touch: bool) -> Iterator[Button]:
    """Yield a button for each visible zone above the footer; later ones cover earlier ones."""
    keys = {Target("key", key): label for key, _cap, label in canvas.offers}
    lines = [texts for texts, _styles in canvas.cells(EVERYTHING)]
    zones = [zone for zone in canvas.zones() if zone[1] < canvas.rows - 1]
    shown = _grown(zones, canvas.rows - 1) if touch else zones
    for (x, y, columns, rows, target), button in zip(zones, shown, strict=True):
        inside = (lines[row][x : x + columns] for row in range(y, min(y + rows, len(lines))))
        words = " ".join("".join(line) for line in inside).split()
        name = names.get(target) or keys.get(target) or " ".join(words)
        yield (*button[:-1], *target, name)


def _grown(zones: list[Zone], end: int) -> list[Zone]:
    """Return the zones, each with a second row if it has one, so that a finger hits it.

    It takes the row below, or else above, unless a zone as small is there.
    """
    grown = [*zones]
    for place, (x, y, columns, rows, target) in enumerate(zones):
        small = [zone for at, zone in enumerate(grown) if at != place and zone[3] <= FINGER_ROWS]
        for top, new in ((y, y + 1), (y - 1, y - 1)):
            free = 0 <= new < end and not any(
                left < x + columns and x < left + wide and begin <= new < begin + high
                for left, begin, wide, high, _target in small
            )
            if rows < FINGER_ROWS and free:
                grown[place] = (x, top, columns, FINGER_ROWS, target)
                break
    return grown


# What the page also needs: names of its buttons, and the open text field


def target_names(model: Model) -> Iterator[tuple[Target, str]]:
    """Yield names for screen readers, where what is drawn is short for something."""
    view = model.view
    if view is None:
        return
    for cell in range(len(BOARD)):
        words = (cell_name(cell), cell_line(model, view, cell))
        yield Target("cell", cell), sentence_case(item_list(words))
    if view.own is not None:
        for number, line in enumerate(cup_lines(model, view)[: len(view.own.cups)], start=1):
            yield Target("cup", number), line
        for index, line in enumerate(order_lines(model, view)[1:]):
            yield Target("order", index), line


def field_of(ui: Ui) -> Field | None:
    """Return the text field that is open."""
    if ui.mode in TYPING:
        label = _("Say:") if ui.mode == "chat" else _("New name:")
        return Field(label, ui.draft.text, longest(ui))
    if ui.editing:
        return Field(_(ROWS[ui.row].label), ui.draft.text, longest(ui))
    return None


# What the page sends: bounded, and decoded strictly


MAX_MESSAGE: Final = 1024
"""Bytes; a line of chat takes up to 820."""
_Text: TypeAlias = Annotated[str, Meta(max_length=256)]
_Size: TypeAlias = Annotated[int, Meta(ge=1, le=250)]


class FromPage(Struct, frozen=True, tag_field="is", forbid_unknown_fields=True):
    """A message of the page; it gets an answer, if only an empty one."""


class Opened(FromPage, frozen=True, tag="hello"):
    """The first message: who is there, and how much room there is."""

    language: Language
    theme: Theme
    columns: _Size
    rows: _Size
    token: _Text = ""
    """What the page was given when it was let in before."""
    ticket: _Text = ""
    """What the page was given when it was not let in yet."""
    waits: bool = False
    """Whether the page shows that it waits to be let in."""
    chosen: bool = False
    """Whether the address of the page names its language, as the page's own links do."""


class Asked(FromPage, frozen=True, tag="ask"):
    """Asks to be let in under a name."""

    name: _Text
    role: Role


class Entered(FromPage, frozen=True, tag="enter"):
    """A number, as the host's screen shows it for this visitor."""

    number: _Text


class KeyPressed(FromPage, frozen=True, tag="key"):
    """A key: a character, or one of prompt_toolkit's key names."""

    key: Annotated[str, Meta(min_length=1, max_length=16)]


class Clicked(FromPage, frozen=True, tag="click"):
    """A button over the rows: the kind and value of its target."""

    kind: _Text
    value: str | int


class Wrote(FromPage, frozen=True, tag="text"):
    """The contents of the open text field, to be sent."""

    text: _Text


class Scrolled(FromPage, frozen=True, tag="wheel"):
    """The wheel, or a swipe; up if negative."""

    lines: int


class Resized(FromPage, frozen=True, tag="size"):
    """The size now, and whether fingers are used."""

    columns: _Size
    rows: _Size
    touch: bool = False


class Commanded(FromPage, frozen=True, tag="line"):
    """A command of plain mode."""

    text: _Text


PageMessage: TypeAlias = (
    Opened | Asked | Entered | KeyPressed | Clicked | Wrote | Scrolled | Resized | Commanded
)
_decoder: Final[msgspec.json.Decoder[PageMessage]] = msgspec.json.Decoder(PageMessage)


def decode(data: bytes | str) -> PageMessage:
    """Decode a message; raises `msgspec.MsgspecError` or `UnicodeDecodeError`."""
    try:
        return _decoder.decode(data)
    except RecursionError as error:
        raise msgspec.DecodeError("nested too deeply") from error


# The front end: frames and sentences out, what is tapped in


WAITING_FRAMES: Final = 2
"""Frames that wait for a slow line before no more are drawn."""
SENTENCES: Final = 20
"""The most sentences in a frame; the latest ones."""


class PageFront(FrontEnd):
    """One page that shows the table.

    Args:
        shares: of the loop's time.
        address: the numeric address of the browser.
        size: columns and rows.
        spoken: the language of the page.
        identity: the page's token.
        send: sends a frame.
        on_admitted: called once the guest is at the table.
    """

    kind = "web"
    asks_code = False
    grace_seconds = 90.0
    """A locked phone closes its connections."""

    def __init__(
        self,
        shares: Shares,
        address: str,
        size: tuple[int, int],
        spoken: str,
        identity: BrowserToken,
        send: Callable[[PageFrame], None],
        on_admitted: Callable[[], None],
    ) -> None:
        super().__init__(shares, address, *size)
        self.identity = self._token = identity
        self._send = send
        self._admitted = on_admitted
        self._painter = Painter()
        self._language = spoken
        self._targets: set[Target] = set()
        self._session: Session | None = None
        self._settings: Settings | None = None
        """The settings of the screen by which the session speaks."""
        self._told: Model | None = None
        self._next = PageFrame()
        """What the next frame has besides the canvas."""
        self._owes = False
        """Whether the page waits for an answer."""

    @property
    def program(self) -> Program | None:
        """What is shown."""
        return self._stage.program if self._stage else None

    def identify(self, name: str) -> BrowserToken:
        """Return the token, which was given with the name."""
        return self._token

    def admitted(self) -> None:
        """Pass on that the guest is at the table."""
        super().admitted()
        self._admitted()

    def show(self, canvas: Canvas, look: Look, settings: Settings) -> Iterator[None]:
        """Send what has changed, if anything has or the page waits for an answer."""
        screen = self.program if isinstance(self.program, Screen) else None
        if screen:
            self._tell(screen)
        names = dict(target_names(screen.seen)) if screen else {}
        field = field_of(screen.ui) if screen else None
        self._targets = {zone[-1] for zone in canvas.zones()}
        if language() != self._language:
            self._next.language = self._language = language()
        frame = self._next
        yield from self._painter.paint(frame, canvas, look, settings.theme, names, field)
        if frame != PageFrame() or self._owes:
            self._next, self._owes = PageFrame(), False
            self._send(frame)

    def bell(self) -> None:
        """Let the phone vibrate."""
        self._next.bell = True

    def title(self, text: str) -> None:
        """Set the title of the tab."""
        self._next.title = text or _("Coffee Rush")

    # Input

    def hear(self, message: PageMessage) -> None:
        """Handle what was tapped or typed."""
        self._owes = True
        match message:
            case KeyPressed(key) if len(key) == 1 or key in KEYMAP.names:
                self.press(key)
            case Clicked(kind, value):
                if shown := [target for target in self._targets if target == (kind, value)]:
                    self.click(shown[0])
            case Wrote(text):
                self.press(ERASE)
                self.paste(text)
                self.press(ENTER)
            case Scrolled(lines):
                self.wheel(None, -1 if lines < 0 else 1)
            case Resized(columns, rows, touch):
                self.touch = touch
                self.resize(columns, rows)
            case Commanded(text):
                self._hear(lambda program: self._command(program, text))

    def _command(self, screen: Program, text: str) -> None:
        """Run a command of plain mode, for those who do not see the rows."""
        if isinstance(screen, Screen) and self._session:
            self._take_settings(self._session, screen)
            before = self._session.settings
            reply = self._session.line(screen.seen, text, _age(screen))
            self._say(reply.lines)
            screen.change(before, self._session.settings)
            screen.wish(reply.wishes)

    def _tell(self, screen: Screen) -> None:
        """Say what has happened, as plain mode does."""
        if self._session is None:
            self._session = Session(screen.settings)
        if screen.seen is not self._told and screen.seen.status != "joining":
            self._told = screen.seen
            self._take_settings(self._session, screen)
            reply = self._session.changed(screen.seen, _age(screen))
            self._say(reply.lines)
            screen.wish(reply.wishes)

    def _take_settings(self, session: Session, screen: Screen) -> None:
        """Let the sentences follow the screen's settings, if these have changed."""
        # the session ends its guide by itself
        settings = replace(screen.settings, guided=not screen.ui.guide)
        if settings != self._settings:
            self._settings = session.settings = settings

    def _say(self, lines: tuple[str, ...]) -> None:
        self._next.say = [*(self._next.say or []), *lines][-SENTENCES:]


def _age(screen: Screen) -> float:
    """Return the age of the table by which the screen's clock runs, in seconds."""
    table, until = screen.seen.table, screen.ui.clock_until
    if table is None or table.clock is None or until is None:
        return 0.0
    return screen.ui.now + table.clock - until
