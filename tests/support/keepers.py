"""Those at a table who keep the sealed record of its game."""

from coffeerush.moving.gathering import Gathering
from coffeerush.moving.replica import DealOfShares, Replica, next_loan, with_pieces
from protocol import Accepted, Lend, Refused, Sealed, SealedPart, Update
from tests.support.tables import ID, TableDriver


class Keeper:
    """Keeps what one client at a table gets; asks for what it lacks."""

    def __init__(self, driver: TableDriver, key: str) -> None:
        self.key = key
        self.replica = Replica(is_due=True)
        self._driver = driver
        self._heard = 0

    def follow(self) -> None:
        """Hear all updates since the last time, then fetch what is missing."""
        self.hear(*self._driver.updates[self._heard :])
        self._heard = len(self._driver.updates)
        while self.replica.lacks:
            self.fetch()

    def hear(self, *updates: Update) -> None:
        """Take what some updates bring."""
        for update in updates:
            if update.sealed is not None:
                self._hear(update.epoch, update.table.term, update.game, update.sealed)

    def fetch(self) -> None:
        """Ask the host once for what is missing."""
        self._driver.now += 1
        answer = self._driver.ask(self.key, self.replica.request(ID))
        if isinstance(answer, SealedPart):
            self.replica = self.replica.told(answer)
        else:
            assert isinstance(answer, Refused)
            self.replica = self.replica.without_share()

    def take(self, answer: Accepted) -> None:
        """Take the answer to an intent, without the update."""
        assert answer.sealed is not None
        self._hear(answer.epoch, self._driver.table_view.term, answer.game, answer.sealed)

    def _hear(self, epoch: bytes, term: int, game: int, sealed: Sealed) -> None:
        self.replica = self.replica.heard(DealOfShares(epoch, term, game, sealed.deal), sealed)


def lend_all(keeper: Keeper, gathering: Gathering) -> list[Lend]:
    """Lend a standby everything that it wants; return what was sent."""
    sent: list[Lend] = []
    loan: Lend | None = next_loan(keeper.replica, None, ID)
    while loan is not None:
        sent.append(loan)
        wants = gathering.lend(keeper.key, loan)
        more = None if wants is None else with_pieces(keeper.replica, loan, wants, ID)
        loan = more or next_loan(keeper.replica, loan, ID)
    return sent
