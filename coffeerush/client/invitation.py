"""How others come to a table of one's own: at which addresses, and with which code."""

from msgspec import Struct

from coffeerush.joining.code import join_command


class Invitation(Struct, frozen=True):
    """What the host of a table has told its owner's screen."""

    addresses: tuple[str, ...] = ()
    """At which others join, the likeliest first; none where the host is not one's own."""
    code: str = ""
    """As `coffeerush.joining.code` writes it; empty where everybody may join."""

    @property
    def command(self) -> str:
        """What others type to come to the likeliest address."""
        return join_command(self.addresses[0], self.code)


UNINVITED = Invitation()
"""Of a table that is not one's own, or is for nobody else."""
