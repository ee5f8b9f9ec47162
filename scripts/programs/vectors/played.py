"""Real messages for the vectors: tables with a menu of four drinks, played by fixed seeds."""

from operator import le
from random import Random
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias

from msgspec.structs import replace

from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Buckets, Table
from coffeerush.records.entries import Head, Later, encode_entry, read_record
from coffeerush.rules import Deck
from protocol import (
    PROTOCOL_VERSION,
    ActivateUpgrade,
    Answer,
    AskTerm,
    Banner,
    Challenge,
    Current,
    Destination,
    EmptyCup,
    Enrol,
    Enrolled,
    Event,
    GetView,
    Hello,
    Intent,
    Moved,
    Moving,
    Pour,
    Proof,
    Publication,
    Request,
    RequestId,
    Serve,
    Standby,
    Submit,
    TableMoved,
    TermProof,
    Undo,
    View,
)

from .valid import EPOCH, KEY
from .views import MENU

ANN: Final = KEY
BOB, CID, DEE = (letter * 40 for letter in "bcd")
NAMES: Final = {ANN: "Ann", BOB: "João", CID: "Юля", DEE: "지우"}
LATER_EPOCH: Final = EPOCH[::-1]
Line: TypeAlias = Banner | Enrol | AskTerm | Challenge | Proof | Enrolled | TermProof
Sender: TypeAlias = Literal["client", "host"]
Message: TypeAlias = Request | Answer | Publication | Line


class Step(NamedTuple):
    """A message of a dialogue."""

    sender: Sender
    on: Literal["door", "requests", "updates"]
    message: Message


class _Journals:
    """Records in memory."""

    def __init__(self) -> None:
        self.record = bytearray()

    def begin(self, head: Head) -> Head:
        self.record = bytearray(encode_entry(head))
        return head

    def append(self, entry: Later) -> None:
        self.record += encode_entry(entry)

    def read(self) -> bytes:
        return bytes(self.record)


class Played:
    """A table, and the dialogue that one of the people at it has with its host."""

    def __init__(self, seed: int, client: str, **settings: Any) -> None:
        self.chance = Random(seed)
        self.client = client
        self.steps: list[Step] = []
        self.now = 1000.0
        deck = Deck("Four drinks", MENU)
        self._config = TableConfig(name="Café", deck=deck, bots=("regular",), **settings)
        self._journals = _Journals()
        self.table = Table(self._config, self._journals, EPOCH, self.chance)

    def restart(self) -> Self:
        """Kill the host, and resume its record."""
        record = read_record(bytes(self._journals.record))
        journals, epoch = self._journals, LATER_EPOCH
        self.table = Table.resume(record, self._config, journals, epoch, self.chance)
        return self

    def new_id(self) -> RequestId:
        """Return an id for a request."""
        return self.chance.randbytes(16)

    def ask(self, key: str, request: Request) -> Answer:
        """Send a request for somebody; only the client's become steps."""
        self.now += 0.2
        outcome = self.table.handle(self.now, key, request)
        if key == self.client:
            self.steps.append(Step("client", "requests", request))
            self.steps.append(Step("host", "requests", outcome.answer))
        self.steps += [Step("host", "updates", update) for update in outcome.updates]
        return outcome.answer

    def hello(self, key: str, role: Any = "player", standby: Standby | None = None) -> Answer:
        """Join the table."""
        request = Hello(self.new_id(), PROTOCOL_VERSION, NAMES[key], role, standby=standby)
        return self.ask(key, request)

    def show_moving(self, moving: Moving | None, *news: Event) -> None:
        """Show how far a handover is."""
        updates = self.table.show_moving(self.now, moving, *news)
        self.steps += [Step("host", "updates", update) for update in updates]

    def move(self, to: Destination, owner: str) -> Self:
        """Let the table go on at another host, as that of another owner."""
        self.steps.append(Step("host", "updates", Moved(to)))
        config = replace(self._config, owner=owner, host=to.key, term=to.term)
        state = self.table.state(self.now)
        self.table = Table.take_over(state, config, self._journals, self.chance, Buckets())
        self.show_moving(None, TableMoved(to.name))
        return self

    def tick(self, seconds: float = 1.0) -> None:
        """Let time pass, with one tick at its end."""
        self.now += seconds
        self.steps += [Step("host", "updates", update) for update in self.table.tick(self.now)]

    def look(self, key: str) -> Current:
        """Return where the game is, as somebody sees it, outside of the dialogue."""
        steps, self.steps = self.steps, []
        answer = self.ask(key, GetView(self.new_id()))
        self.steps = steps
        assert isinstance(answer, Current)
        return answer

    def wish(self, key: str, intent: Intent) -> Submit:
        """Return a request for an intent in the present position."""
        at = self.look(key)
        return Submit(self.new_id(), at.game, at.rev, intent)

    def options(self, key: str) -> list[Intent]:
        """Return somebody's options but undo; none if it is not their turn."""
        view = self.look(key).view
        own = view.own if view else None
        return [option.intent for option in (own.options if own else ()) if option.intent != Undo()]

    def act(self, *keys: str) -> Answer | None:
        """Let the one whose turn it is play a useful option, most of the time."""
        options = {key: self.options(key) for key in keys}
        for key, intents in options.items():
            if intents:
                useful = _useful(self.look(key).view, intents)
                often = useful if self.chance.random() < 0.98 else intents
                return self.ask(key, self.wish(key, self.chance.choice(often)))
        return None


def _useful(view: View | None, intents: list[Intent]) -> list[Intent]:
    """Return those that serve or upgrade, else those that pour what an order needs, else others."""
    assert view is not None
    done: list[Intent] = [
        intent for intent in intents if isinstance(intent, Serve | ActivateUpgrade)
    ]
    pours: list[Intent] = [
        intent for intent in intents if isinstance(intent, Pour) and _fits(view, intent)
    ]
    others: list[Intent] = [intent for intent in intents if not isinstance(intent, EmptyCup | Pour)]
    return done or pours or others or intents


def _fits(view: View, pour: Pour) -> bool:
    """Return whether an order needs what the cup then holds."""
    assert view.own is not None
    held = [*view.own.cups[pour.cup - 1]]
    held[pour.ingredient] += 1
    orders = view.players[view.own.seat].orders
    recipes = [view.menu[drink].recipe for slot in orders for drink in slot]
    return any(all(map(le, held, recipe)) for recipe in recipes)
