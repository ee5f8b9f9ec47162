"""`coffeerush join`: sit down at somebody's table."""

import click

from coffeerush.cli import examples
from coffeerush.cli.people import NAME, PLAIN, own_name
from coffeerush.i18n import _


@click.command(
    name="join",
    help=_(
        "Sit down at the table at ADDRESS. Who comes again with the same name gets the same seat "
        "back, with its cups."
    ),
    epilog=examples(
        "coffeerush join 192.168.0.12",
        "coffeerush join 192.168.0.12:47830 --name Ann",
        "coffeerush join [fe80::1%eth0]:47820 --plain",
    ),
)
@click.argument("address")
@NAME
@PLAIN
@click.pass_context
def command(context: click.Context, address: str, name: str | None, plain: bool | None) -> None:
    """Play at that table until it is over."""
    from coffeerush.client.address import parse_address
    from coffeerush.client.app import run

    context.exit(run(*parse_address(address), own_name(name), "player", plain=plain))
