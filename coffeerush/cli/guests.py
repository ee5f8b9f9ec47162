"""`coffeerush guests`: a gateway beside somebody's table, for guests without this program."""

import asyncio
import logging
import time
from typing import Final

import click
from click.core import ParameterSource

from coffeerush.cli import examples
from coffeerush.client.connection import Way
from coffeerush.errors import HostError, UsageError
from coffeerush.host.children import GatewayOptions, GatewayProcess, certificate_of, check_installed
from coffeerush.host.run import GuestNotice
from coffeerush.host.server.parent import Ways
from coffeerush.joining.code import OPEN
from coffeerush.joining.enrolment import Enrolment, enrol
from coffeerush.joining.hosts import Address, parse_address
from coffeerush.joining.interfaces import AddressWatch, join_addresses
from coffeerush.local.keys import new_keys
from coffeerush.local.processes import exit_if_a_thread_fails
from coffeerush.ui.words.i18n import _

from .options import code_argument

SSH_PORT: Final = 47823
_log: Final = logging.getLogger(__name__)


@click.command(
    name="guests",
    help=_(
        "Let people join the table at ADDRESS with ssh or a browser, without this program. CODE "
        "is the three words shown on the host's screen, or “open” if there is none. With ssh, "
        "guests type it, too; with a browser, they type a number that this command shows next to "
        "their name. Runs until Ctrl-C. For your own table, use coffeerush host --guests."
    ),
    epilog=examples("coffeerush guests 192.168.0.12 apple tiger moon"),
)
@click.argument("address")
@code_argument
@click.option(
    "--port",
    type=click.IntRange(0, 65534),
    default=SSH_PORT,
    show_default=True,
    help=_("The port for ssh; the page for browsers uses the next one. 0 picks free ones."),
)
@click.option("--bind", default="*", help=_("The address to listen on (default: all addresses)."))
@click.option(
    "--tls-cert",
    type=click.Path(),
    default="",
    help=_("The certificate of the page for browsers, for https."),
)
@click.option(
    "--tls-key",
    type=click.Path(),
    default="",
    help=_("Its key, if that is in another file."),
)
@click.pass_context
def command(
    context: click.Context,
    address: str,
    code: str,
    port: int,
    bind: str,
    tls_cert: str,
    tls_key: str,
) -> None:
    """Serve guests until a signal ends the program."""
    check_installed()
    certificate_of(tls_cert, tls_key)
    if not code:
        raise UsageError(
            "Guests need the table's code; type it after the address, or “open” if it has none."
        )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    door = parse_address(address)
    found = asyncio.run(_checked(door, code))
    secret = "" if code == OPEN else code
    options = GatewayOptions(
        *(found.host, door.port, found.banner.key, secret, found.banner.table),
        *(bind, port, port and port + 1, tls_cert, tls_key),
        only_these_ports=context.get_parameter_source("port") is ParameterSource.COMMANDLINE,
        is_here=found.is_here,
    )
    exit_if_a_thread_fails()
    addresses = join_addresses(bind)
    notice = GuestNotice(tuple(addresses))
    watch = AddressWatch(bind, addresses, lambda found: notice.move(tuple(found)))

    def tell(ways: Ways) -> None:
        if not ways.failed:  # else the command ends with it
            notice.tell(ways, time.monotonic())

    gateway = GatewayProcess(options, tell, _tell_spent)
    try:
        failed = gateway.wait()
    finally:
        watch.stop()
        gateway.stop()
    raise HostError(failed)


async def _checked(door: Address, code: str) -> Enrolment:
    """Check the code with the host, and return what it has proved."""
    found = await enrol(Way(door, "", code, new_keys()))
    if found.banner.code and code == OPEN:
        raise UsageError("This table has a code; type it after the address.")
    return found


def _tell_spent() -> None:
    _log.warning("Too many wrong codes were tried: nobody new is let in. Start this command again.")
