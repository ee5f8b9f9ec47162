"""A guest's page as a front end of the gateway: what it is sent, and what it says."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, Role
from coffeerush.guests.front_end import FrontEnd, GuestDisplay, Shares
from coffeerush.guests.gateway import bare_names, unmarked
from coffeerush.guests.register import BrowserToken
from coffeerush.guests.visit import Entrance, EntranceProgram, rows_of
from coffeerush.local.settings import Language, Settings, Theme
from coffeerush.ui.pages.pages import ROWS, TABS
from coffeerush.ui.plain.conversation import Session
from coffeerush.ui.replay.replay_app import ReplayProgram
from coffeerush.ui.replay.replay_input import REPLAY_KEYS
from coffeerush.ui.table.actions import KEYMAP, ROWS as ACTIONS, Action
from coffeerush.ui.table.draw_game import field_label
from coffeerush.ui.table.looking import LookProgram
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import TYPING, Ui
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.table.text_input import longest
from coffeerush.ui.terminal.canvas import Look, Target
from coffeerush.ui.terminal.fullscreen import Program
from coffeerush.ui.terminal.keys import ENTER, ERASE
from coffeerush.ui.terminal.theme import palette_of
from coffeerush.ui.words.i18n import _, language

from .elements import Element, Sent, Shown, acts, called, renamed
from .page import entrance_page, table_page
from .replay_page import replay_page

SIZE: Final = (160, 50)
"""A size with room for everything: a browser has its own way of making room."""

# Frames for the page: the elements that have changed, and what else it needs


class Field(Struct, frozen=True):
    """A text field to type in."""

    label: str
    text: str
    longest: int


class PageFrame(Struct, omit_defaults=True):
    """What has changed on the page."""

    parts: list[Sent] | None = None
    """The elements that are new or others, parts first."""
    colours: Mapping[str, str] | None = None
    """The colour of each role, if the theme is another."""
    field: Field | bool | None = None
    """The text field that is open now; False if none is any more."""
    language: str | None = None
    """What the guest speaks from now on, if it is not the page's language."""
    say: list[str] | None = None
    """New sentences for screen readers."""
    title: str | None = None
    bell: bool = False


def field_of(ui: Ui, name: str = "") -> Field | None:
    """Return the text field that is open at the table; that for a new `name` begins with it."""
    if ui.mode in TYPING:
        text = ui.draft.text or (name if ui.mode == "name" else "")
        return Field(field_label(ui), text, longest(ui))
    if ui.editing:
        return Field(_(ROWS[ui.row].label), ui.draft.text, longest(ui))
    return None


def typed_names(scene: Scene) -> dict[str, str]:
    """Return the names that guests typed, by which a game calls them.

    Those at the table know who has come with a browser; in the lobby it is still said.
    """
    if scene.stage not in ("game", "result"):
        return {}
    seats = (seat.name for seat in (*scene.seats, *scene.players))
    return bare_names((*seats, *scene.table.spectators))


def without_marks(page: Element, scene: Scene) -> Element:
    """Return a page on which guests have those names."""
    names = typed_names(scene)
    return renamed(page, names) if names else page


def entrance_field(form: Entrance) -> Field | None:
    """Return the text field that is open in the form at the entrance."""
    row = rows_of(form)[form.row]
    return Field(row.label, row.draft.text, row.longest) if row.draft is not None else None


# What the page sends: bounded, and decoded strictly


MAX_MESSAGE: Final = 1024
"""Bytes; a line of chat takes up to 820."""
_Text: TypeAlias = Annotated[str, Meta(max_length=256)]


class FromPage(Struct, frozen=True, tag_field="is", forbid_unknown_fields=True):
    """A message of the page; it gets an answer, if only an empty one."""


class Opened(FromPage, frozen=True, tag="hello"):
    """The first message: who is there."""

    language: Language
    theme: Theme
    token: _Text = ""
    """What the page was given when it was let in before."""
    ticket: _Text = ""
    """What the page was given when it was not let in yet."""
    waits: bool = False
    """Whether the page shows that it waits to be let in."""
    chosen: bool = False
    """Whether the address of the page names its language, as the page's own links do."""
    touch: bool = False
    """Whether fingers are used."""
    settings: bool = False
    """Whether the settings were open when another language was chosen there."""


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
    """A button: the kind and value of its target."""

    kind: _Text
    value: str | int


class Wrote(FromPage, frozen=True, tag="text"):
    """The contents of the open text field, to be sent."""

    text: _Text


class Present(FromPage, frozen=True, tag="here"):
    """The page is still there; whether fingers are used."""

    touch: bool = False


class Skipped(FromPage, frozen=True, tag="skip"):
    """A tap on nothing while others play."""


class Commanded(FromPage, frozen=True, tag="line"):
    """A command of plain mode."""

    text: _Text


PageMessage: TypeAlias = (
    Opened | Asked | Entered | KeyPressed | Clicked | Wrote | Present | Skipped | Commanded
)
_decoder: Final[msgspec.json.Decoder[PageMessage]] = msgspec.json.Decoder(PageMessage)


def decode(data: bytes | str) -> PageMessage:
    """Decode a message; raises `msgspec.MsgspecError` or `UnicodeDecodeError`."""
    try:
        return _decoder.decode(data)
    except RecursionError as error:
        raise msgspec.DecodeError("nested too deeply") from error


# The front end: frames and sentences out, what is tapped in


KEYS: Final = {*KEYMAP.names, *REPLAY_KEYS.names}
"""The named keys that do something."""
WAITING_FRAMES: Final = 2
"""Frames that wait for a slow line before no more are drawn."""
SENTENCES: Final = 20
"""The most sentences in a frame; the latest ones."""


class PageFront(FrontEnd):
    """One page that shows the table.

    Args:
        shares: of the loop's time.
        address: the numeric address of the browser.
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
        spoken: str,
        identity: BrowserToken,
        send: Callable[[PageFrame], None],
        on_admitted: Callable[[], None],
    ) -> None:
        super().__init__(shares, address, *SIZE)
        self.identity = self._token = identity
        self._send = send
        self._admitted = on_admitted
        self._shown = Shown()
        self._theme: Theme | None = None
        self._field: Field | None = None
        self._language = spoken
        self._targets: set[Target] = set()
        self._session: Session | None = None
        self._settings: Settings | None = None
        """The settings of the screen by which the session speaks."""
        self._told: Model | None = None
        self._next = PageFrame()
        """What the next frame has besides its elements."""
        self._owes = False
        """Whether the page waits for an answer."""
        self.in_settings = False
        """Whether the settings are open when the table is first shown."""
        self.page_address = ""
        """Where the page is, as this guest has found it."""

    @property
    def program(self) -> Program | None:
        """What is shown."""
        return self._stage.program if self._stage else None

    def identify(self, name: str) -> BrowserToken:
        """Return the token, which was given with the name."""
        return self._token

    def enter(self, stage: GuestDisplay | None) -> None:
        """Direct input to a display; the table first shows the settings if they were open."""
        super().enter(stage)
        if self.in_settings and stage and isinstance(stage.program, Screen):
            self.in_settings = False
            self.press(TABS["settings"])

    def admitted(self) -> None:
        """Pass on that the guest is at the table."""
        super().admitted()
        self._admitted()

    def show(self, program: Program, look: Look, settings: Settings) -> Iterator[None]:
        """Send what has changed, if anything has or the page waits for an answer."""
        if isinstance(program, Screen):
            page, field = self._page(program)
            yield
            self._tell(program)
        else:
            assert isinstance(program, EntranceProgram), "a visit shows these two"
            page = entrance_page(program.form, program.table)
            field = entrance_field(program.form)
        frame = self._next
        self._targets = {*acts(page)}
        frame.parts = self._shown.changes(page) or None
        if settings.theme != self._theme:
            self._theme = settings.theme
            frame.colours = palette_of(settings.theme)
        if field != self._field:
            frame.field, self._field = field or False, field
        if language() != self._language:
            frame.language = self._language = language()
        if frame != PageFrame() or self._owes:
            self._next, self._owes = PageFrame(), False
            self._send(frame)

    def _page(self, screen: Screen) -> tuple[Element, Field | None]:
        """Return the page of a table, or of what is shown instead, and its text field."""
        scene, inset = screen.scene(*self.size), screen.inset
        if isinstance(inset, ReplayProgram):
            watch = inset.watch(*self.size)
            page = replay_page(inset.replay, watch, scene)
            return without_marks(page, scene), field_of(watch.page)
        if isinstance(inset, LookProgram):
            there = inset.scene(*self.size)
            return without_marks(table_page(there), there), None
        page = without_marks(table_page(scene, self.page_address), scene)
        return page, field_of(screen.ui, unmarked(scene.model.name))

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
            case KeyPressed(key) if len(key) == 1 or key in KEYS:
                self.press(key)
            case Clicked(kind, value) if (kind, value) in self._targets:
                self.click(next(target for target in self._targets if target == (kind, value)))
            case Wrote(text):
                self.press(ERASE)
                self.paste(text)
                self.press(ENTER)
            case Commanded(text):
                self._hear(lambda program: self._command(program, text))
            case Skipped():
                self._hear(_skip)
            case Present(touch):
                self.touch = touch
                self.redraw()
            case _:  # what is not offered any more is also answered
                self.redraw()

    def _command(self, screen: Program, text: str) -> None:
        """Run a command of plain mode, for those who do not see the page."""
        if isinstance(screen, Screen) and self._session:
            self._take_settings(self._session, screen)
            before = self._session.settings
            reply = self._session.line(screen.seen, text, _age(screen))
            self._say(reply.lines)
            screen.change(before, self._session.settings)
            screen.wish(reply.wishes)
            if reply.opens:
                screen.press(ACTIONS[Action[reply.opens.upper()]].keys[0])

    def _tell(self, screen: Screen) -> None:
        """Say what has happened, as plain mode does."""
        if self._session is None:
            self._session = Session(screen.settings)
        if screen.seen is not self._told and screen.seen.status != "joining":
            self._told = screen.seen
            self._take_settings(self._session, screen)
            reply = self._session.changed(screen.seen, _age(screen))
            names = typed_names(Scene(screen.seen, screen.ui))
            self._say(tuple(called(line, names) for line in reply.lines))
            screen.wish(reply.wishes)

    def _take_settings(self, session: Session, screen: Screen) -> None:
        """Let the sentences follow the screen's settings, if these have changed."""
        # the session ends its guide by itself
        settings = replace(screen.settings, guided=not screen.ui.guide)
        if settings != self._settings:
            self._settings = session.settings = settings

    def _say(self, lines: tuple[str, ...]) -> None:
        self._next.say = [*(self._next.say or []), *lines][-SENTENCES:]


def _skip(program: Program) -> None:
    """Show the newest of others' moves at once."""
    if isinstance(program, Screen):
        program.skip()


def _age(screen: Screen) -> float:
    """Return the age of the table by which the screen's clock runs, in seconds."""
    table, until = screen.seen.table, screen.ui.clock_until
    if table is None or table.clock is None or until is None:
        return 0.0
    return screen.ui.now + table.clock - until
