"""`coffeerush join`: sit down at somebody's table."""

import click

from coffeerush.cli import examples
from coffeerush.ui.words.i18n import _

from .options import code_argument, person_of, person_options


@click.command(
    name="join",
    help=_(
        "Join the table at ADDRESS. CODE is the three words shown on the host's "
        "screen. Without an address, choose from the tables found on your network. If "
        "you come back under the same name, you get your seat and your cups back, "
        "without the code."
    ),
    epilog=examples(
        "coffeerush join",
        "coffeerush join 192.168.0.12 apple tiger moon",
        "coffeerush join 192.168.0.12:47830 apple-tiger-moon --name Ann",
        "coffeerush join [fe80::1%eth0]:47820 --plain",
    ),
)
@click.argument("address", default="")
@code_argument
@person_options
@click.pass_context
def command(context: click.Context, address: str, code: str) -> None:
    """Play at the table until the person leaves."""
    from .start import join_table

    join_table(person_of(context), "player", address, code)
