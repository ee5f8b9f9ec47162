"""The answers that `SPEC.md` allows to a request, derived independently of the table."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from coffeerush.host.table.config import Outcome
from coffeerush.host.table.people import Person, SeatedBot
from coffeerush.host.table.state import TableState
from coffeerush.levels import kind_now
from coffeerush.rules import State, apply, legal_intents
from protocol import (
    MAX_SPECTATORS,
    MIN_PLAYERS,
    AddBot,
    Answer,
    Bye,
    Chat,
    Emote,
    GetRecord,
    GetView,
    Hello,
    IllegalIntent,
    Intent,
    LetIn,
    MoveSeat,
    PeopleChanged,
    Queue,
    QueueFirst,
    Ready,
    Refused,
    Remove,
    RemoveSpectator,
    Rename,
    Request,
    Seat,
    SetFirst,
    SetMark,
    SetPause,
    SetRules,
    StandUp,
    Start,
    Submit,
    Sync,
    clean_chat,
    clean_speaker,
    decode_answer,
    encode,
)

from .checks import check_answer, hold, truth

_SUCCESS: Final = {Hello: "snapshot", Sync: "snapshot", GetView: "current", Submit: "accepted"}


def outcome_of(answer: Answer) -> str:
    """Return the kind of an answer; for a refusal, its code."""
    if isinstance(answer, Refused):
        return answer.refusal.code
    return str(type(answer).__struct_config__.tag)


def victim(state: TableState, request: Request) -> str:
    """Return the key of the person that a request kicks; empty if there is none."""
    if isinstance(request, Remove) and request.seat < len(state.people.places):
        place = state.people.places[request.seat]
        return place.key if isinstance(place, Person) else ""
    if isinstance(request, RemoveSpectator):
        watching = state.people.spectators.values()
        return next((one.key for one in watching if one.name == request.name), "")
    return ""


def allowed(
    state: TableState, owner: str, key: str, request: Request, full: bool
) -> frozenset[str]:
    """Return the allowed outcomes of a request with a new id; if `full`, none can be written."""
    if key in state.people.removed:
        return frozenset(("removed",))
    person = state.people.find(key)
    if isinstance(request, Hello):
        reasons = [*_why_not_hello(state, person, request)]
    elif person is None or person.left:
        reasons = ["say_hello"]
    elif isinstance(request, Submit):
        reasons = [*_why_not_intent(state, key, request)]
    else:
        reasons = [*_why_not(state, person, key == owner != "", request)]
    if isinstance(request, GetRecord) and not reasons:
        is_on = state.stage == "game" and request.game == state.number
        return frozenset(("no_record",) if is_on else ("no_record", "record_part"))
    allowed_now = set(reasons) or {_SUCCESS.get(type(request), "done")}
    if full and not reasons and not isinstance(request, Sync | GetView | Bye | Chat | Ready):
        allowed_now.add("record_failed")
    if full and isinstance(request, Submit) and not reasons:
        allowed_now.discard("accepted")
    return frozenset(allowed_now)


def _why_not_hello(state: TableState, person: Person | None, request: Hello) -> Iterator[str]:
    people = state.people
    seated = person is not None and people.seat_of(person.key) is not None
    if not clean_speaker(request.name):
        yield "bad_text"
    if request.role == "player":
        is_open = people.vacant_seat() is not None
        if not seated and (state.stage == "game" or not is_open):
            yield "table_full"
        return
    stands_up = seated and state.stage == "lobby"
    if (person is None or stands_up) and len(people.spectators) >= MAX_SPECTATORS:
        yield "too_many_spectators"


def _why_not_intent(state: TableState, key: str, request: Submit) -> Iterator[str]:
    game = state.game
    if state.people.seat_of(key) is None:
        yield "not_seated"
        return
    if state.stage != "game" or game is None:
        yield "wrong_stage"
        return
    if game.pause is not None:
        yield "paused"
        return
    if (request.game, request.rev) != (game.number, game.rev):
        yield "stale"
        return
    seat = game.keys.index(key)
    if game.state.active != seat or game.timed_out:
        yield "not_your_turn"
    elif request.intent not in legal_intents(game.state):
        yield _why_illegal(game.state, seat, request.intent)


def _why_illegal(state: State, seat: Seat, intent: Intent) -> str:
    try:
        apply(state, seat, intent)
    except IllegalIntent as illegal:
        return illegal.refusal.code
    return "nothing: it is no option, and the rules accept it"


def _why_not(state: TableState, person: Person, is_owner: bool, request: Request) -> Iterator[str]:
    """Yield all valid reasons to refuse a request of somebody at the table."""
    people, stage = state.people, state.stage
    ends_pause = isinstance(request, SetPause) and not request.paused and _owner_is_gone(state)
    if ends_pause and people.seat_of(person.key) is None:
        yield "not_seated"
    owners = AddBot | Remove | RemoveSpectator | MoveSeat | SetFirst | SetRules | SetPause | Start
    owners |= QueueFirst
    starts = isinstance(request, Start) and people.seat_of(person.key) is not None
    starts = starts and not any(
        isinstance(one, Person) and one.key == state.config.owner and not one.left
        for one in people.places
    )
    if isinstance(request, owners) and not (is_owner or ends_pause or starts):
        yield "not_owner"
    if (
        isinstance(request, AddBot | Ready | SetFirst | SetMark | SetRules | StandUp)
        and stage == "game"
    ):
        yield "wrong_stage"
    if isinstance(request, SetPause) and stage != "game":
        yield "wrong_stage"
    if isinstance(request, MoveSeat) and stage != "lobby":
        yield "wrong_stage"
    match request:
        case Chat():
            if not clean_chat(request.text):
                yield "bad_text"
        case Ready():
            if people.seat_of(person.key) is None:
                yield "not_seated"
        case Rename():
            yield from _why_not_rename(state, person, request)
        case AddBot():
            if kind_now(request.bot) not in state.config.bots:
                yield "unknown_bot"
            if request.seat >= len(people.places):
                yield "no_such_seat"
            elif people.places[request.seat] is not None:
                yield "seat_not_free"
        case Remove():
            place = dict(enumerate(people.places)).get(request.seat)
            if place is None or place is person:
                yield "no_such_seat"
            if stage == "game" and isinstance(place, SeatedBot):
                yield "wrong_stage"
        case RemoveSpectator():
            watching = [one.name for one in people.spectators.values() if one is not person]
            if request.name not in watching:
                yield "no_such_spectator"
        case Queue():
            if people.seat_of(person.key) is not None:
                yield "seated"
        case QueueFirst():
            if request.name not in [one.name for one in people.queue]:
                yield "no_such_spectator"
        case StandUp():
            yield from _why_not_stand_up(state, person, is_owner, request)
        case LetIn():
            owned = bool(state.config.owner)
            if owned and not is_owner and not state.config.rules.anybody_lets_in:
                yield "not_owner"
            if request.guest not in [one.guest for one in state.asking]:
                yield "no_such_guest"
        case Emote() | SetMark():
            if people.seat_of(person.key) is None:
                yield "not_seated"
        case MoveSeat():
            if max(request.seat, request.to) >= len(people.places):
                yield "no_such_seat"
        case SetFirst():
            if request.seat is not None:
                place = dict(enumerate(people.places)).get(request.seat)
                if place is None or (isinstance(place, Person) and place.left):
                    yield "no_such_seat"
        case Start():
            yield from _why_not_start(state, person)


def _why_not_stand_up(
    state: TableState, person: Person, is_owner: bool, request: StandUp
) -> Iterator[str]:
    own = state.people.seat_of(person.key)
    seat = own if request.seat is None else request.seat
    if seat is None:
        yield "not_seated"
        return
    if seat != own and not is_owner:
        yield "not_owner"
    place = dict(enumerate(state.people.places)).get(seat)
    if place is None:
        yield "no_such_seat"
    watches = isinstance(place, Person) and not place.left
    if watches and len(state.people.spectators) >= MAX_SPECTATORS:
        yield "too_many_spectators"


def _owner_is_gone(state: TableState) -> bool:
    owner = state.people.find(state.config.owner)
    return owner is None or owner.left or owner.away


def _why_not_rename(state: TableState, person: Person, request: Rename) -> Iterator[str]:
    name = clean_speaker(request.name)
    if state.stage != "lobby":
        yield "wrong_stage"
    if not name:
        yield "bad_text"
    others = [one.name for one in state.people.everybody() if one is not person]
    others += [one.name for one in state.people.places if isinstance(one, SeatedBot)]
    if name.casefold() in map(str.casefold, others):
        yield "name_taken"


def _why_not_start(state: TableState, person: Person) -> Iterator[str]:
    if state.stage == "game" or 0 < state.config.games <= state.games_done:
        yield "wrong_stage"
    stay = [
        one for one in state.people.places if one and not (isinstance(one, Person) and one.left)
    ]
    if len(stay) < MIN_PLAYERS:
        yield "too_few_players"
    persons = [one for one in stay if isinstance(one, Person)]
    if not all(one.ready or one.key == person.key for one in persons):
        yield "not_ready"


class Question(Struct):
    """A request, and what is known before it is answered."""

    key: str
    request: Request
    allowed: frozenset[str]
    """The allowed outcomes if its id is new."""
    again: Answer | str | None
    """Its earlier answer."""
    certain: bool
    """Whether that must be remembered."""
    away: str
    """The name of the requester if this ends their absence; otherwise empty."""
    known: bool
    """Whether the requester is at the table."""
    victim: str
    """The key of the person whom it kicks."""
    size: int
    before: tuple[object, ...]

    @property
    def is_first(self) -> bool:
        """Whether its id is new."""
        return self.again is None

    def check(self, state: TableState, size: int, outcome: Outcome) -> None:
        """Check an outcome; `size` is the current size of the records."""
        answer = outcome.answer
        code = outcome_of(answer)
        hold("an answer can be sent", decode_answer(encode(answer)) == answer, answer=answer)
        hold("an answer has the id of its request", answer.id == self.request.id)
        unchanged = self.size == size and (self.away or truth(state) == self.before)
        if self.is_first or not self.known or isinstance(self.request, Hello) or code == "too_fast":
            right = self.allowed | {"too_fast"}
            hold("an answer is one that is allowed", code in right, answer=answer, allowed=right)
        else:
            same = code == self.again if isinstance(self.again, str) else answer == self.again
            free = not self.certain and code in self.allowed
            hold("a repeat gets the same answer", same or free, answer=answer, right=self.again)
            hold("a repeat changes nothing", unchanged or not self.certain)
        if isinstance(answer, Refused):
            hold("a refusal changes nothing", unchanged, before=self.before, after=truth(state))
            back = [(PeopleChanged(self.away, "back"),)] if self.away else []
            told = [one.events for one in outcome.updates]
            hold("a refusal tells nobody anything", told in ([], back), told=told)
        check_answer(state, self.key, answer)


def question(
    state: TableState,
    owner: str,
    key: str,
    request: Request,
    size: int,
    full: bool,
    again: tuple[Answer | str | None, bool],
) -> Question:
    """Prepare the check of a request."""
    person = state.people.find(key)
    known = person is not None and not person.left and key not in state.people.removed
    return Question(
        key=key,
        request=request,
        allowed=allowed(state, owner, key, request, full),
        again=again[0],
        certain=again[1],
        away=person.name if person is not None and known and person.away else "",
        known=known,
        victim=victim(state, request),
        size=size,
        before=truth(state),
    )
