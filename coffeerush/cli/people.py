"""What the commands that show a table have in common."""

import getpass
from pathlib import Path
from typing import Final

import click

from coffeerush.errors import UsageError
from coffeerush.i18n import _
from protocol import clean_name

NAME: Final = click.option("--name", help=_("What you are called; by default your login name."))
PLAIN: Final = click.option(
    "--plain/--screen",
    default=None,
    help=_("Sentences and words, or the full screen; by default what the terminal can."),
)


def own_name(typed: str | None, option: str = "--name") -> str:
    """Return what somebody is called at a table; the login name if nothing was typed.

    Raises:
        UsageError: nothing of what was typed can be shown.
    """
    name = clean_name(_login_name() if typed is None else typed)
    if not name:
        raise UsageError(
            "Nothing of that name can be shown; give one as in {option} Ann.", option=option
        )
    return name


def tell_records(directory: Path) -> None:
    """Say where the games of a table that was one's own are, and what can be done with them."""
    text = _("Its games are kept in {directory}; step through one with: coffeerush replay FILE")
    click.echo(text.format(directory=directory))


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name, as in a container
        return _("Guest")
