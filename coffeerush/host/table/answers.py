"""Cache of the latest answers by key, which makes repeated requests idempotent."""

from collections import OrderedDict
from collections.abc import Collection

from protocol import Answer, RefusedError, Request

from .limits import ANSWERS_KEPT


class RecentAnswers:
    """The latest answers of each key by request id: a repeat is answered, not applied again."""

    def __init__(self) -> None:
        self._kept: dict[str, OrderedDict[bytes, tuple[Request, Answer]]] = {}

    def find(self, key: str, request: Request) -> Answer | None:
        """Return the earlier answer to this request, or None; raises `id_reused`."""
        answers = self._kept.get(key)
        if answers is None or request.id not in answers:
            return None
        earlier, answer = answers[request.id]
        if earlier != request:
            raise RefusedError("id_reused")
        return answer

    def keep(self, key: str, request: Request, answer: Answer) -> None:
        """Remember an answer; drop this key's oldest beyond `ANSWERS_KEPT`."""
        answers = self._kept.setdefault(key, OrderedDict())
        answers[request.id] = (request, answer)
        if len(answers) > ANSWERS_KEPT:
            answers.popitem(last=False)

    def keep_only(self, keys: Collection[str]) -> None:
        """Drop the answers of all other keys."""
        for key in [key for key in self._kept if key not in keys]:
            del self._kept[key]
