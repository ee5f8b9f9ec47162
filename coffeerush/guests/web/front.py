"""A guest's page as a front end of the gateway: frames and sentences out, what is tapped in."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.guests.front_end import FrontEnd
from coffeerush.guests.identity import BrowserToken
from coffeerush.guests.shares import Shares
from coffeerush.local.settings import Settings
from coffeerush.ui.plain.conversation import Session
from coffeerush.ui.table.keymap import KEYMAP
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.terminal.canvas import Canvas, Look, Target
from coffeerush.ui.terminal.fullscreen import Program
from coffeerush.ui.terminal.keys import ENTER, ERASE
from coffeerush.ui.words.i18n import _, language

from .frame import PageFrame, Painter
from .messages import Clicked, Commanded, KeyPressed, PageMessage, Resized, Scrolled, Wrote
from .names import field_of, target_names

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

    def show(self, canvas: Canvas, look: Look, settings: Settings) -> None:
        """Send what has changed, if anything has or the page waits for an answer."""
        screen = self.program if isinstance(self.program, Screen) else None
        if screen:
            self._tell(screen)
        names = dict(target_names(screen.seen)) if screen else {}
        field = field_of(screen.ui) if screen else None
        self._targets = {zone[-1] for zone in canvas.zones()}
        if language() != self._language:
            self._next.language = self._language = language()
        frame = self._painter.paint(self._next, canvas, look, settings.theme, names, field)
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
                found = [one for one in self._targets if (one.kind, one.value) == (kind, value)]
                if found:
                    self.click(found[0])
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
