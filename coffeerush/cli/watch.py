"""`coffeerush watch`: look on at somebody's table."""

import click

from coffeerush.cli import examples
from coffeerush.cli.people import NAME, PLAIN, own_name
from coffeerush.i18n import _


@click.command(
    name="watch",
    help=_("Look on at the table at ADDRESS: you see what everybody sees, and nobody's cups."),
    epilog=examples("coffeerush watch 192.168.0.12", "coffeerush watch cafe.local:47830 --plain"),
)
@click.argument("address")
@NAME
@PLAIN
@click.pass_context
def command(context: click.Context, address: str, name: str | None, plain: bool | None) -> None:
    """Look on until it is over."""
    from coffeerush.client.address import parse_address
    from coffeerush.client.app import run

    context.exit(run(*parse_address(address), own_name(name), "spectator", plain=plain))
