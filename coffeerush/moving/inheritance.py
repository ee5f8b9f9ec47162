"""What a successor has received so far of the tables; what they are, only its host has to know."""

from typing import Self

from msgspec import Struct

from protocol import MAX_SHARED_BYTES


class Inheritance(Struct, frozen=True):
    """The state of the tables on its way to their successor."""

    data: bytes = b""
    size: int = 0
    """Of all parts; 0 before the first."""

    @property
    def is_whole(self) -> bool:
        """Whether all parts are there."""
        return bool(self.size) and len(self.data) == self.size

    def added(self, size: int, part: bytes) -> Self | None:
        """Return it with the next part; None if the parts do not fit together."""
        data = self.data + part
        if self.size not in (0, size) or not len(data) <= size <= MAX_SHARED_BYTES:
            return None
        return type(self)(data, size)
