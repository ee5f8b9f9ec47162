"""One visit of a guest: the form at the entrance, the table, and the farewell."""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.errors import CoffeeRushError
from coffeerush.joining.admission import source_of
from coffeerush.local.settings import LANGUAGES, Settings
from coffeerush.ui.pages.form import Edit, FormRow, list_rows, press_form
from coffeerush.ui.pages.pages import PAGE_KEYS, ROWS, PageAction
from coffeerush.ui.replay.replay_app import open_replay
from coffeerush.ui.table.draw_lobby import draw_tiny
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.terminal.canvas import Area, Canvas, Target, is_tiny, wrap
from coffeerush.ui.terminal.keys import ENTER, INTERRUPT, Draft, pasted
from coffeerush.ui.terminal.parts import draw_keys, draw_list
from coffeerush.ui.words.errors import ending_line, error_line
from coffeerush.ui.words.i18n import N_, _, language, pgettext, set_language, speak_apart
from coffeerush.ui.words.table import code_help
from protocol import RefusedError, clean_speaker

from .front_end import FrontEnd
from .gateway import Gateway, Stay, marked
from .places import ENTRANCE_SECONDS
from .register import KnownGuest

# The first screen: name, join code, language; a key or click in, a state out


RowName: TypeAlias = Literal["name", "code", "player", "spectator", "language"]
CODE_CHARACTERS: Final = 80
COLUMNS: Final = 76
"""Maximum width of the form."""
_LANGUAGE: Final = replace(
    next(row for row in ROWS if row.field == "language"), about="", values=LANGUAGES[1:]
)
"""The setting without the language of the system, which is not the guest's."""
_TABS: Final = {"s-tab": "up", "c-i": "down"}


class Entrance(Struct, frozen=True):
    """The form that a guest fills in."""

    settings: Settings
    name: Draft
    asks_code: bool
    """Whether the table has a code."""
    code: Draft = Draft()
    row: RowName = "name"
    note: str = ""
    """Why the guest was not let in."""
    role: Role | None = None
    """As what the guest wants to come in; None while the form is being filled in."""
    leaving: bool = False


def rows_of(form: Entrance) -> dict[RowName, FormRow]:
    """Return the rows of the form, by name."""
    code = FormRow(_("Code"), form.code.text, code_help(), draft=form.code, longest=CODE_CHARACTERS)
    return {
        "name": FormRow(
            _("Your name"),
            form.name.text,
            _("The name that others see at a table."),
            draft=form.name,
        ),
        **({"code": code} if form.asks_code else {}),
        "player": FormRow(_("Join the table")),
        "spectator": FormRow(_("Watch without a seat")),
        "language": FormRow.of(_spoken(form.settings), _LANGUAGE),
    }


def press(form: Entrance, key: str) -> Entrance:
    """Apply a key."""
    if key == INTERRUPT:
        return replace(form, leaving=True)
    form = replace(form, note="")
    if key == ENTER:
        return _entered(form)
    rows = rows_of(form)
    selected, field = [*rows].index(form.row), rows[form.row]
    return _edited(form, press_form([*rows.values()], selected, _TABS.get(key, key), field))


def paste(form: Entrance, text: str) -> Entrance:
    """Insert pasted text into the selected text field."""
    field = rows_of(form)[form.row]
    return _edited(form, field.draft and pasted(field.draft, text.strip(), field.longest))


def click(form: Entrance, target: Target) -> Entrance:
    """Apply a click: on a row, or on a key of the footer."""
    kind, value = target
    if kind == "key":
        return press(form, str(value))
    rows = rows_of(form)
    if kind != "row" or not isinstance(value, int) or value >= len(rows):
        return form
    form = _edited(replace(form, note=""), value)
    row = rows[form.row]
    if row.typed:
        return form
    return _edited(form, row.change(1)) if row.change else _entered(form)


def _edited(form: Entrance, edit: Edit) -> Entrance:
    """Apply what a key, a click or pasted text has changed."""
    match edit:
        case int():
            return replace(form, row=[*rows_of(form)][edit])
        case Settings():
            return replace(form, settings=edit)
        case Draft():
            return replace(form, name=edit) if form.row == "name" else replace(form, code=edit)
    return form


def _entered(form: Entrance) -> Entrance:
    """Go on to what is missing, else come in."""
    if not form.name.text.strip():
        return replace(form, row="name", note=_("The name that others see at a table."))
    if form.asks_code and not form.code.text.strip():
        note = _("Type the three words of the code; the host's screen shows them.")
        # from the name, Enter goes on to the next field
        return replace(form, row="code", note="" if form.row == "name" else note)
    if form.row == "language":
        return replace(form, row="player")
    return replace(form, role="spectator" if form.row == "spectator" else "player")


def _spoken(settings: Settings) -> Settings:
    """Return the settings with the language that is spoken, if none has been chosen."""
    return settings if settings.language else replace(settings, language=language())


def draw_entrance(form: Entrance, table: str, columns: int, rows: int) -> Canvas:
    """Draw the form; `table` is what the table is called."""
    canvas = Canvas(columns, rows)
    if is_tiny((columns, rows)):
        draw_tiny(canvas, is_guest=True)
        return canvas
    canvas.fill(0, 0, columns, 1, "class:header")
    x = canvas.put(1, 0, _("Coffee Rush"), "class:header class:brand")
    if table:
        canvas.put(x + 2, 0, table, "class:header", columns - x - 3)
    notes = wrap(form.note, columns - 4, "") if form.note else ()
    y = rows - 1 - len(notes)
    for offset, line in enumerate(notes):
        canvas.put(2, y + offset, line, "class:refusal")
    cells = min(columns - 2, COLUMNS)
    shown = rows_of(form)
    selected = shown[form.row]
    area = Area((columns - cells) // 2, 1, cells, y - 1)
    listed = list_rows([*shown.values()], selected)
    draw_list(canvas, area, listed, [*shown].index(form.row), selected.about)
    choose = pgettext("key", "choose, change") if selected.change else pgettext("key", "choose")
    offers = {PageAction.MOVE: choose, PageAction.NEXT: pgettext("key", "connect")}
    draw_keys(canvas, rows - 1, PAGE_KEYS, offers)
    return canvas


# The visit, from the first screen to the farewell


_TAKEN: Final = N_("Somebody here has that name; choose another one.")
_CHANGED: Final = N_(
    "Welcome back! The code has changed; type the three words that the host's screen shows now."
)
Check: TypeAlias = Callable[[Entrance], Entrance]
"""Checks a form that was filled in."""


async def receive(gateway: Gateway, front: FrontEnd, asked: Sequence[str], name: str = "") -> str:
    """Ask a guest for the code, show them the table, and return a line of farewell.

    Cancel it when the connection breaks: the guest stays at the table for a while.

    Args:
        gateway: of the table.
        front: the guest's connection.
        asked: the locales that the guest asks for, best first.
        name: what the guest is called, if their machine says so.

    Raises:
        CoffeeRushError: a bug, which is on record; the guest's screen cannot go on.
    """
    speak_apart(asked)
    visit = _Visit(gateway, front, name)
    front.context = copy_context()
    return await visit.run()


_ACCOUNTS: Final = frozenset(
    ("root", "admin", "administrator", "user", "guest", "ubuntu", "debian", "pi", "test")
)
"""Login names that many people share."""


def suggested_name(login: str) -> str:
    """Return the name that a form begins with; "" if the login name is no person's."""
    return "" if login.strip().casefold() in _ACCOUNTS else clean_speaker(login)


class _Visit:
    """A guest's visit from the form at the door to the table, with what is known of them so far."""

    def __init__(self, gateway: Gateway, front: FrontEnd, name: str) -> None:
        self._gateway = gateway
        self._front = front
        self._source = source_of(front.address)
        self._identity = front.identity
        known = gateway.register.find(self._identity)
        self._known = known
        self._settings = known.settings if known else Settings()
        self._name = known.name if known else suggested_name(name)
        self._proved = gateway.code_proved_by(self._identity)
        """The code that the guest has proved, now or before; the table may have another by now."""
        if self._settings.language:
            set_language(self._settings.language)

    async def run(self) -> str:
        """Return a line of farewell."""
        try:
            return await self._run()
        except TimeoutError:
            return _("That took too long; connect again.")

    async def _run(self) -> str:
        known = self._known if self._has_proved() else None
        role: Role = known.role if known else "player"
        note = _(_CHANGED) if self._known and not self._has_proved() else ""
        while True:
            if not self._has_proved() and not self._front.asks_code:
                return _("You were not let in.")
            if known is None:
                role_now = await self._ask(note)
                if role_now is None:
                    return ""
                role = role_now
            stay = await self._place(known, role)
            if isinstance(stay, str):
                known, note = None, stay
                continue
            error = await self._show(stay)
            if error is None:
                return (
                    ending_line(stay.link.model)
                    if stay.is_over
                    else _("You are playing in another window now.")
                )
            known, note = None, error

    def _has_proved(self) -> bool:
        """Whether the guest need not give the code that the table has now."""
        return self._proved == self._gateway.gate.code

    async def _place(self, known: KnownGuest | None, role: Role) -> Stay | str:
        """Return the guest's place at the table, or why there is none.

        Meanwhile the code may change, or somebody else may come under the same identity.
        """
        gateway, identity = self._gateway, self._identity
        if self._proved is None or identity is None or not self._has_proved():
            return error_line(RefusedError("wrong_code"))
        if known is None:
            known = gateway.admit(
                identity, self._name, role, self._proved, self._settings, self._source
            )
        await gateway.register.save()  # a guest who sits has a key that survives the gateway
        await gateway.vacated(identity)
        if not self._has_proved():
            return error_line(RefusedError("wrong_code"))
        if gateway.is_taken(self._front, identity):
            return _(_TAKEN)
        stay = gateway.stay_of(identity, known, role, self._front)
        return stay or _("There are too many guests; come back later.")

    async def _ask(self, note: str) -> Role | None:
        """Ask for name and code until they are right; None if the guest leaves instead."""
        form = Entrance(
            self._settings,
            Draft(self._name),
            asks_code=not self._has_proved(),
            row="name" if not self._name else "player" if self._has_proved() else "code",
            note=note,
        )
        asking = EntranceProgram(form, self._gateway, self._check, self._front)
        async with asyncio.timeout(ENTRANCE_SECONDS):
            await asking.display.run()
        return asking.form.role

    def _check(self, form: Entrance) -> Entrance:
        """Check a form that was filled in; one without a role says what is wrong."""
        name = clean_speaker(form.name.text)
        again = replace(form, role=None)
        if not marked(name, self._front.kind):
            return replace(again, row="name", note=_("The name that others see at a table."))
        if not self._has_proved() and self._front.asks_code:
            again = replace(again, asks_code=True)
            now = asyncio.get_running_loop().time()
            try:
                if not form.asks_code:
                    raise RefusedError("wrong_code")  # it has changed since
                self._proved = self._gateway.check_code(
                    now, self._source, form.code.text, language()
                )
            except (CoffeeRushError, RefusedError) as error:
                return replace(again, row="code", note=error_line(error))
        identity = self._front.identify(name)
        if self._gateway.is_taken(self._front, identity):
            return replace(again, asks_code=False, row="name", note=_(_TAKEN))
        self._identity, self._name, self._settings = identity, name, form.settings
        return form

    async def _show(self, stay: Stay) -> str | None:
        """Show the table; return why the guest was not seated, None if they were."""
        stay.attach(self._front)
        try:
            async with stay.screen:
                if stay.front is self._front:
                    screen = Screen(
                        stay.link,
                        self._settings,
                        self._keep,
                        self._front.display,
                        partial(open_replay, self._keep),
                        stay.draft,
                    )
                    try:
                        await screen.run()
                    finally:
                        stay.keep(screen.seen, screen.ui.turn)
        finally:
            is_dismissed = stay.front is not self._front
            stay.detach(self._front)
        if is_dismissed:
            return None
        model = stay.link.model
        if model.status == "over":
            await stay.end()
        failed = stay.link.error is not None and model.table is None
        return ending_line(model) if failed else None

    def _keep(self, settings: Settings) -> None:
        self._settings = settings
        if self._identity:
            self._gateway.register.keep(self._identity, settings)


class EntranceProgram:
    """The program that asks for name and code."""

    def __init__(self, form: Entrance, gateway: Gateway, check: Check, front: FrontEnd) -> None:
        self.form = form
        self._gateway = gateway
        self._check = check
        self.display = front.display(self)

    @property
    def settings(self) -> Settings:
        """The guest's settings."""
        return self.form.settings

    @property
    def table(self) -> str:
        """What the table is called."""
        return self._gateway.heading

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the form."""
        return draw_entrance(self.form, self.table, columns, rows)

    def press(self, key: str) -> None:
        """Handle a key."""
        self._take(press(self.form, key))

    def paste(self, text: str) -> None:
        """Handle pasted text."""
        self._take(paste(self.form, text))

    def click(self, target: Target) -> None:
        """Handle a click."""
        self._take(click(self.form, target))

    def wheel(self, target: Target | None, lines: int) -> None:
        """Go to another row."""
        self._take(press(self.form, "up" if lines < 0 else "down"))

    def _take(self, form: Entrance) -> None:
        if self.form.role or self.form.leaving:
            return  # typed while the form was closing
        self.form = self._check(form) if form.role else form
        if self.form.role or self.form.leaving:
            self.display.close()
