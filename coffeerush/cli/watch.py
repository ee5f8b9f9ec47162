"""`coffeerush watch`: watch somebody's table as a spectator."""

import click

from coffeerush.cli import examples
from coffeerush.ui.words.i18n import _

from .options import code_argument, person_of, person_options


@click.command(
    name="watch",
    help=_(
        "Watch a game at the table at ADDRESS. CODE is the three words shown on the "
        "host's screen. Without an address, choose from the tables found on your "
        "network. You see what everybody sees, but not what is in anybody's cups."
    ),
    epilog=examples(
        "coffeerush watch",
        "coffeerush watch 192.168.0.12 apple tiger moon",
        "coffeerush watch cafe.local:47830 apple-tiger-moon --plain",
    ),
)
@click.argument("address", default="")
@code_argument
@person_options
@click.pass_context
def command(context: click.Context, address: str, code: str) -> None:
    """Watch until it is over."""
    from .start import join_table

    join_table(person_of(context), "spectator", address, code)
