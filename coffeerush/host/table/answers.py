"""The latest answers of each key: a repeated request is answered again, and applied once."""

from collections import OrderedDict
from collections.abc import Collection

from protocol import Answer, RefusedError, Request

from .limits import OUTCOMES_KEPT


class Outcomes:
    """The latest answers of each key by request id, so that a repeat is answered, not applied."""

    def __init__(self) -> None:
        self._kept: dict[str, OrderedDict[bytes, tuple[Request, Answer]]] = {}

    def find(self, key: str, request: Request) -> Answer | None:
        """Return the answer that this request got before, or None; raises `id_reused`."""
        answers = self._kept.get(key)
        if answers is None or request.id not in answers:
            return None
        earlier, answer = answers[request.id]
        if earlier != request:
            raise RefusedError(
                "id_reused", "This id belonged to another request; take a new one for each."
            )
        return answer

    def keep(self, key: str, request: Request, answer: Answer) -> None:
        """Remember an answer, and forget the oldest beyond `OUTCOMES_KEPT`."""
        answers = self._kept.setdefault(key, OrderedDict())
        answers[request.id] = (request, answer)
        if len(answers) > OUTCOMES_KEPT:
            answers.popitem(last=False)

    def keep_only(self, keys: Collection[str]) -> None:
        """Drop the answers of all who are not among `keys`."""
        for key in [key for key in self._kept if key not in keys]:
            del self._kept[key]
