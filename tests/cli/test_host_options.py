"""The options of a host, as they are typed and as they travel to its process."""

from coffeerush.cli.host import command
from coffeerush.cli.options import bot_kinds
from coffeerush.host.server.parent import HostOptions
from coffeerush.host.spawn import options_line, read_options


def test_what_is_not_typed_is_as_in_the_struct() -> None:
    typed = command.make_context("host", []).params
    bots = bot_kinds(typed.pop("bots"))
    assert typed.pop("headless") is False
    assert HostOptions(bots=bots, **typed) == HostOptions()


def test_what_was_typed_arrives_as_it_is() -> None:
    """Such as a file name that is not UTF-8, and numbers that need more than 64 bits."""
    options = HostOptions(table="Caf\u00e9", seed=-(10**40), deck="\udcff.toml", bots=("a.py:B",))
    assert read_options(options_line(options)) == options
