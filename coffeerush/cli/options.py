"""Options and arguments shared by the commands, such as those of all user interfaces."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from msgspec.structs import replace

from coffeerush.errors import UsageError
from coffeerush.joining.code import is_code, parse_code, parted
from coffeerush.joining.hosts import parse_address
from coffeerush.local.files import records_directory
from coffeerush.local.settings import LANGUAGES, THEMES, language_named
from coffeerush.ui.person import LocalPerson, has_terminal
from coffeerush.ui.plain.typed_lines import STANDARD_INPUT
from coffeerush.ui.words.i18n import _, language, set_language
from protocol import clean_name, clean_speaker

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_META: Final = "coffeerush."
"""The prefix of our options in `Context.meta`, where a command's option overrides the group's."""


class _LanguageType(click.Choice[str]):
    """A language by its code, in any spelling, such as `pt-BR` or `pt_BR.UTF-8`."""

    def __init__(self) -> None:
        super().__init__([code for code in LANGUAGES if code])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(language_named(str(value)) or value, param, ctx)


def _note(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Store the value of an option for `person_of`; switch the language at once."""
    if value is not None:
        context.meta[f"{_META}{option.name}"] = value
        if option.name == "language":
            set_language(value)
    return value


def person_options(command: Decorated) -> Decorated:
    """Add the options that override settings for one run; `person_of` reads their values."""
    for option in reversed(_options()):
        command = option(command)
    return command


def _options() -> Sequence[Callable[[Decorated], Decorated]]:
    def option(*names: str, **more: Any) -> Callable[[Decorated], Decorated]:
        return click.option(*names, **more, callback=_note, expose_value=False)

    return (
        option("--name", help=_("Your name (default: from the settings, or your login name).")),
        option(
            "--lang",
            "language",
            type=_LanguageType(),
            help=_("The language (default: from the settings, or the system's language)."),
        ),
        option("--theme", type=click.Choice(THEMES), help=_("The colours of the screen.")),
        option(
            "--ascii", flag_value=True, default=None, help=_("Draw with plain ASCII characters.")
        ),
        option(
            "--no-mouse",
            "mouse",
            flag_value=False,
            default=None,
            help=_("Leave the mouse to the terminal."),
        ),
        option(
            "--plain/--screen",
            default=None,
            help=_("Text mode or full screen (default: whatever the terminal supports)."),
        ),
    )


def person_of(context: click.Context) -> LocalPerson:
    """Return the person at this terminal, with the settings as overridden; raises `UsageError`."""
    typed = {
        name.removeprefix(_META): value
        for name, value in context.meta.items()
        if name.startswith(_META)
    }
    if not clean_speaker(typed.get("name", "?")):
        raise UsageError(
            "That name has no printable characters; choose another, such as --name Ann."
        )
    plain = typed.pop("plain", None)
    if plain is False and not has_terminal():
        raise UsageError("The full screen needs a terminal; use --plain instead.")
    person = LocalPerson(plain, **typed)
    set_language(person.settings.language or None)
    context.call_on_close(lambda: _complain(person))
    return person


def introduced(person: LocalPerson) -> LocalPerson:
    """Ask a person for their name, unless they were asked before; the settings keep it.

    Only at a terminal: lines from a pipe are commands for the game. Quitting the form on the full
    screen ends the command.
    """
    if person.settings.is_introduced or not has_terminal():
        return person
    if not person.plain:
        return _introduced_on_screen(person)
    # imported here so that no help and no full screen wait for it
    from coffeerush.ui.words.names import name_question

    typed = typed_answer(person, name_question(person.name))
    if typed is not None:
        person.keep(replace(person.settings, name=clean_name(typed), introduced=True))
    return person


def _introduced_on_screen(person: LocalPerson) -> LocalPerson:
    """Show the start menu's form for the name."""
    from coffeerush.ui.menu.menu import Home, settled
    from coffeerush.ui.menu.menu_app import HomeScreen

    home = settled(Home(place="name", root="name", name=person.name), person.settings)
    asyncio.run(HomeScreen(person, home, records_directory()).run())
    if not person.settings.is_introduced:
        raise click.exceptions.Exit
    return person


def typed_answer(person: LocalPerson, question: str) -> str | None:
    """Print a question and return the next typed line; None at the end of the input.

    It is the reader of the menu and the table, so that no line typed ahead is lost.
    """
    return STANDARD_INPUT.ask(lambda: person.tell([question]))


def _complain(person: LocalPerson) -> None:
    for line in filter(None, (person.ignored, person.complaint)):
        click.echo(line, err=True)


def bot_kinds(text: str) -> tuple[str, ...]:
    """Split a comma-separated list of kinds of bots."""
    return tuple(kind.strip() for kind in text.split(",") if kind.strip())


def bind_option(command: Decorated) -> Decorated:
    """Add the option for the address that a server listens on."""
    help_ = _("The address to listen on (default: all addresses).")
    return click.option("--bind", default="*", help=help_)(command)


def code_argument(command: Decorated) -> Decorated:
    """Add the optional join code, typed as one word or as several."""
    return click.argument("code", nargs=-1, callback=_read_code)(command)


def _read_code(context: click.Context, _argument: click.Parameter, words: Sequence[str]) -> str:
    all_words, code = " ".join((context.params["address"], *words)), " ".join(words)
    if is_code(all_words):  # a code without an address: this raises the right error
        parse_address(all_words)
    address, after = parted(all_words)
    if address:  # the whole command may have been pasted, or both in quotes
        context.params["address"], code = address, after
    return parse_code(code, language()) if code else ""


def records_told(directory: Path) -> str:
    """Return the sentence that says where the records of the user's own table are."""
    text = _("The game records are in {directory}; step through one with: coffeerush replay FILE")
    return text.format(directory=directory)
