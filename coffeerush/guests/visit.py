"""One visit of a guest, from the first screen to the farewell."""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import TypeAlias

from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.errors import CoffeeRushError
from coffeerush.joining.sources import source_of
from coffeerush.local.settings import Settings
from coffeerush.ui.table.app import Screen
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.line_edit import Draft
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, language, set_language, speak_apart
from coffeerush.ui.words.status import ending_line
from protocol import RefusedError, clean_speaker

from .entrance import Entrance, click, draw_entrance, paste, press
from .front_end import FrontEnd
from .gateway import Gateway
from .limits import ENTRANCE_SECONDS
from .register import KnownGuest
from .stay import Stay, marked

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


class _Visit:
    def __init__(self, gateway: Gateway, front: FrontEnd, name: str) -> None:
        self._gateway = gateway
        self._front = front
        self._source = source_of(front.address)
        self._identity = front.identity
        known = gateway.register.find(self._identity)
        self._known = known
        self._settings = known.settings if known else Settings()
        self._name = known.name if known else clean_speaker(name)
        self._proved = not gateway.gate.code or gateway.register.may_return(
            self._identity, gateway.gate.code
        )
        if self._settings.language:
            set_language(self._settings.language)

    async def run(self) -> str:
        """Return a line of farewell."""
        try:
            return await self._run()
        except TimeoutError:
            return _("That took too long; connect again.")

    async def _run(self) -> str:
        known = self._known if self._proved else None
        role: Role = known.role if known else "player"
        note = ""
        while True:
            if known is None:
                role_now = await self._ask(note)
                if role_now is None:
                    return ""
                role = role_now
                known = self._admit(role)
            stay = self._gateway.stay_of(self._identity, known, role, self._front.kind)
            if stay is None:
                known, note = None, _("There are too many guests; come back later.")
                continue
            self._front.admitted()
            error = await self._show(stay)
            if error is None:
                return (
                    ending_line(stay.link.model)
                    if stay.is_over
                    else _("You are playing in another window now.")
                )
            known, note = None, error

    def _admit(self, role: Role) -> KnownGuest:
        return self._gateway.register.admit(
            self._identity, self._name, role, self._gateway.gate.code, self._settings
        )

    async def _ask(self, note: str) -> Role | None:
        """Ask for name and code until they are right; None if the guest leaves instead."""
        form = Entrance(
            self._settings,
            Draft(self._name),
            asks_code=not self._proved,
            row="name" if not self._name else "player" if self._proved else "code",
            note=note,
        )
        desk = _Desk(form, self._gateway.table, self._check, self._front)
        async with asyncio.timeout(ENTRANCE_SECONDS):
            await desk.display.run()
        return desk.form.role

    def _check(self, form: Entrance) -> Entrance:
        """Check a form that was filled in; one without a role says what is wrong."""
        name = clean_speaker(form.name.text)
        again = replace(form, role=None)
        if not marked(name, self._front.kind):
            return replace(again, row="name", note=_("The name that others see at a table."))
        if not self._proved:
            now = asyncio.get_running_loop().time()
            try:
                self._gateway.check_code(now, self._source, form.code.text, language())
            except (CoffeeRushError, RefusedError) as error:
                return replace(again, row="code", note=error_line(error))
            self._proved = True
        identity = self._identity or self._front.identify(name)
        if self._gateway.is_taken(self._front, identity):
            note = _("Somebody here has that name; choose another one.")
            return replace(again, asks_code=False, row="name", note=note)
        self._identity, self._name, self._settings = identity, name, form.settings
        return form

    async def _show(self, stay: Stay) -> str | None:
        """Show the table; return why the guest was not seated, None if they were."""
        stay.attach(self._front)
        try:
            async with stay.screen:
                if stay.front is self._front:
                    screen = Screen(stay.link, self._settings, self._keep, self._front.display)
                    await screen.run()
        except asyncio.CancelledError:
            stay.detach(self._front)
            raise
        if stay.front is not self._front:
            return None
        model = stay.link.model
        if model.status == "over":
            await stay.end()
        failed = stay.link.error is not None and model.table is None
        return ending_line(model) if failed else None

    def _keep(self, settings: Settings) -> None:
        self._settings = settings
        self._gateway.register.keep(self._identity, settings)


class _Desk:
    """The program that asks for name and code."""

    def __init__(self, form: Entrance, table: str, check: Check, front: FrontEnd) -> None:
        self.form = form
        self._table = table
        self._check = check
        self.display = front.display(self)

    @property
    def settings(self) -> Settings:
        """The guest's settings."""
        return self.form.settings

    def frame(self, columns: int, rows: int) -> Canvas:
        """Draw the form."""
        return draw_entrance(self.form, self._table, columns, rows)

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
