"""`coffeerush conformance`: check hosts and clients in other languages against SPEC.md."""

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from coffeerush.cli import examples
from coffeerush.errors import UsageError
from coffeerush.joining.hosts import parse_address
from coffeerush.local.keys import KeyPair, read_keys
from coffeerush.ui.words.i18n import _
from protocol import DOOR_PORT

from .options import code_argument


@click.group(
    name="conformance",
    help=_(
        "Check a host or a client of your own against the protocol's specification. "
        "Messages about its rules are in English."
    ),
    epilog=examples(
        "coffeerush conformance host 192.168.0.12 apple-tiger-moon",
        "coffeerush conformance client",
    ),
)
def command() -> None:
    """Group the commands for hosts and for clients."""


@command.command(
    short_help=_("Check the host at ADDRESS."),
    help=_(
        "Play at the table at ADDRESS, and print for each rule whether the host "
        "follows it. The table must be new, and all its seats open or taken by bots. "
        "CODE is its join code. The exit code is 1 if the host breaks a rule."
    ),
)
@click.argument("address")
@code_argument
@click.option(
    "--key",
    type=click.Path(dir_okay=False),
    help=_(
        "A file with the key pair of the table's owner, to check also what only the owner may do."
    ),
)
@click.pass_context
def host(context: click.Context, address: str, code: str, key: str | None) -> None:
    """Check a host."""
    from coffeerush.conformance.of_host import check_host

    owner = None if key is None else _owner(key)
    context.exit(not check_host(parse_address(address), code, owner, click.echo))


def _owner(path: str) -> KeyPair:
    try:
        return read_keys(Path(path))
    except (OSError, ValueError):
        raise UsageError("{path} does not hold a key pair.", path=path) from None


@command.command(
    short_help=_("Check a client that joins."),
    help=_(
        "Host a table for your client, and print for each rule whether the client "
        "follows it: messages are lost, delayed or duplicated, requests are refused, "
        "the host crashes and comes back. Let the client join, get ready and play. The "
        "exit code is 1 if the client breaks a rule."
    ),
)
@click.option(
    "--port",
    type=click.IntRange(0, 65533),
    default=DOOR_PORT,
    show_default=True,
    help=_("The first of three consecutive ports; 0 picks free ones."),
)
@click.option("--bind", default="*", help=_("The address to listen on (default: all addresses)."))
@click.option(
    "--open",
    "is_open",
    is_flag=True,
    help=_("Require no join code: anybody who can reach the port can join."),
)
@click.pass_context
def client(context: click.Context, port: int, bind: str, is_open: bool) -> None:
    """Check a client."""
    from coffeerush.conformance.of_client import check_client
    from coffeerush.conformance.stage import Stage

    with TemporaryDirectory() as records:
        stage = Stage(Path(records), bind, port, is_open, click.echo)
        try:
            kept = check_client(stage, click.echo)
        finally:
            stage.close()
    context.exit(not kept)
