"""The record of a finished game on its way from the host to the user's own directory. Pure."""

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import CoffeeRushError, RecordError
from coffeerush.records.sharing import Witness
from protocol import GetRecord, RecordPart, RequestId

if TYPE_CHECKING:
    # it would load the rules before the first frame
    from coffeerush.league.table import Together

RECORDS_SINCE: Final = 5
"""The version of the protocol in which hosts began to send records."""


class RecordFetch(Struct, frozen=True):
    """What has come of a record so far."""

    epoch: bytes
    witness: Witness
    data: bytes = b""
    size: int = 0
    """Of the whole record; 0 before the first part."""
    path: str = ""
    """Where it was filed."""
    trouble: CoffeeRushError | None = None
    """Why it was not."""
    together: "Together | None" = None
    """The results of those who played over all their games, once they are counted."""

    @property
    def game(self) -> int:
        """The number of the game."""
        return self.witness.game

    @property
    def is_whole(self) -> bool:
        """Whether all parts are there, to be checked and filed."""
        return bool(self.size) and len(self.data) == self.size and not self.is_done

    @property
    def is_done(self) -> bool:
        """Whether nothing more will come of it."""
        return bool(self.path) or self.trouble is not None

    @property
    def wants_more(self) -> bool:
        """Whether the next part is to be asked for."""
        return not self.is_whole and not self.is_done

    def request(self, new_id: RequestId) -> GetRecord:
        """Return the request for the next part."""
        return GetRecord(new_id, self.game, len(self.data))

    def added(self, answer: RecordPart) -> "RecordFetch":
        """Return the record with the next part."""
        data = self.data + answer.part
        if self.size not in (0, answer.size) or len(data) > answer.size:
            return self.failed(
                RecordError("The host sent parts of a record that do not fit together.")
            )
        return replace(self, data=data, size=answer.size)

    def filed(self, path: str) -> "RecordFetch":
        """Return the state once the record is filed."""
        return replace(self, data=b"", path=path)

    def failed(self, trouble: CoffeeRushError) -> "RecordFetch":
        """Return the state once it is clear that the record will not be filed."""
        return replace(self, data=b"", trouble=trouble)
