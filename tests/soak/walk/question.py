"""One request: its allowed outcomes, derived in advance, and checked afterwards."""

from msgspec import Struct

from coffeerush.host.table.config import Outcome
from coffeerush.host.table.state import TableState
from protocol import Answer, Hello, PeopleChanged, Refused, Request, decode_answer, encode

from .checks import check_answer, hold, truth
from .oracle import allowed, outcome_of, victim


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
