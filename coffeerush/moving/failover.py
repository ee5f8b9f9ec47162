"""What the host of a standby has to know to go on with a table whose host is gone. Pure."""

from typing import Self

import msgspec
from msgspec import Struct

from protocol import CurveKey, Name, TableNumber

from .replica import Replica


class Failover(Struct, frozen=True, forbid_unknown_fields=True):
    """A table without its host, and the person who goes on with it."""

    number: TableNumber
    """Of the table."""
    table: Name
    """Its name."""
    person: Name
    """What the standby's person is called there."""
    key: CurveKey
    """The public key with which they are at the table, which they will own."""
    replica: Replica
    """What they have of the record."""

    def encode(self) -> bytes:
        """Return the bytes for the host, which is a child process."""
        return msgspec.json.encode(self)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Return what the parent has sent."""
        return msgspec.json.decode(data, type=cls)
