"""`coffeerush join`: sit down at somebody's table."""

import click

from coffeerush.cli import examples
from coffeerush.ui.words.i18n import _

from .options import code_argument, person_of, person_options


@click.command(
    name="join",
    help=_(
        "Sit down at the table at ADDRESS, whose screen shows its CODE: three words. Without an "
        "address you choose among the tables found in your network. Who comes again with the same "
        "name gets the same seat back, with its cups, and needs no code."
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
