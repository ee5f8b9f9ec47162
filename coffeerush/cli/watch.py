"""`coffeerush watch`: look on at somebody's table."""

import click

from coffeerush.cli import examples
from coffeerush.cli.people import person_of, person_options
from coffeerush.i18n import _


@click.command(
    name="watch",
    help=_("Look on at the table at ADDRESS: you see what everybody sees, and nobody's cups."),
    epilog=examples("coffeerush watch 192.168.0.12", "coffeerush watch cafe.local:47830 --plain"),
)
@click.argument("address")
@person_options
@click.pass_context
def command(context: click.Context, address: str) -> None:
    """Look on until it is over."""
    from coffeerush.client.address import parse_address
    from coffeerush.client.app import run

    run(person_of(context), parse_address(address), "spectator")
