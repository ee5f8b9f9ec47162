"""A malicious host: none of its texts can send control characters to a client's terminal."""

from collections.abc import Iterator
from typing import Any, get_args

import msgpack
import pytest

from coffeerush.client import session
from coffeerush.client.model import Model
from coffeerush.errors import LinkError
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.pages import Mode
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.commands import WORDS
from coffeerush.ui.plain.conversation import Reply, Session
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import width
from coffeerush.ui.words.errors import error_line, refusal_line
from coffeerush.ui.words.i18n import as_text
from protocol import (
    Answer,
    DoorRefused,
    Publication,
    Refusal,
    decode_answer,
    decode_door_answer,
    decode_publication,
    encode_line,
)
from tests.support.tables import table_for
from tests.support.wire import Wire

HOSTILE = "\x1b[2J\x1b]0;x\x07\x9b\u202e\n\x85가\u0301{x}{"
"""Clear screen, window title, bidi override, newline, combining mark, format field."""
SIZES = ((40, 12), (80, 24), (120, 36))
_TEXTS = {"name", "text", "bot"}


def spoiled(body: bytes) -> bytes:
    """Return a message with every free text of the host replaced by a hostile one."""
    packed: bytes = msgpack.packb(_spoiled("", msgpack.unpackb(body)))
    return packed


def _spoiled(key: str, value: Any) -> Any:
    match value:
        case dict():
            own = _spoiled_text if key == "params" else _spoiled
            return {name: own(name, one) for name, one in value.items()}
        case [str(), *_] if key in ("seats", "bots", "spectators"):
            return [HOSTILE for _one in value]
        case [[str(), *_], *_] if key == "menu":
            return [[HOSTILE, *rest] for _name, *rest in value]
        case list():
            return [_spoiled("", one) for one in value]
        case str() if value and key in _TEXTS:
            return HOSTILE
    return value


def _spoiled_text(_key: str, value: Any) -> Any:
    return HOSTILE if isinstance(value, str) else value


class Strange(Wire):
    """The wire to a host whose texts are all hostile."""

    def deliver_answer(self, index: int = 0) -> Answer:
        answer = decode_answer(spoiled(self.answers.pop(index)))
        self.take(session.answer(self.model, answer, self.new_id()))
        return answer

    def deliver_publication(self, index: int = 0) -> Publication:
        publication = decode_publication(spoiled(self.publications.pop(index)))
        self.take(session.hear(self.model, publication, self.new_id()))
        return publication


class Guest:
    """A person in plain mode at such a table, with all output and all models."""

    def __init__(self) -> None:
        self.wire = Strange(table_for(3, ("random", "regular"), 5))
        self.session = Session(Settings())
        self.said: list[str] = []
        self.models: list[Model] = [self.wire.model]
        self.wire.join()
        self.settle()

    def type(self, line: str) -> None:
        self._take(self.session.line(self.wire.model, line))
        self.settle()

    def settle(self) -> None:
        while True:
            self.wire.settle()
            if self.wire.model is self.models[-1]:
                return
            self.models.append(self.wire.model)
            self._take(self.session.changed(self.wire.model))

    def _take(self, reply: Reply) -> None:
        self.said += reply.lines
        for wish in reply.wishes:
            self.wire.wish(wish)


def guest_of_a_whole_game() -> Guest:
    """Return a guest who has used every command before, during and after a game."""
    guest = Guest()
    for line in ("say hello", "bot regular 2", "name Bea", "bot nothing 2", "start"):
        guest.type(line)
    for _move in range(40):
        guest.wire.driver.bot()
        guest.settle()
    for word in sorted(set(WORDS) - {"leave", "language", "settings"}):
        guest.type(word)
    return guest


@pytest.fixture(scope="module")
def guest() -> Guest:
    return guest_of_a_whole_game()


def _harmful(text: str) -> Iterator[str]:
    return (character for character in text if not character.isprintable())


def test_plain_mode_output_is_harmless(guest: Guest) -> None:
    assert any(HOSTILE in line for line in guest.said)
    lines = as_text(guest.said).split("\n")
    assert len(lines) == len(guest.said) + 1
    assert not [*_harmful("".join(lines))]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", get_args(Mode))
def test_drawn_text_is_harmless(guest: Guest, mode: Mode, size: tuple[int, int]) -> None:
    ui = Ui(mode=mode, size=size, guide=True)
    for model in guest.models[::5]:
        for line in draw(model, ui, *size).lines():
            assert not [*_harmful(line)]
            assert width(line) == size[0]


def _refused() -> LinkError:
    """Return the error for an unknown refusal at the door."""
    line = encode_line(DoorRefused(Refusal("name_taken", HOSTILE, {"who": HOSTILE})))
    answer = decode_door_answer(line)
    assert isinstance(answer, DoorRefused)
    return LinkError(refusal_line(answer.refusal))


def test_texts_from_the_door_are_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    text = error_line(_refused())
    assert not [*_harmful(text)]
    LocalPerson(plain=True).tell([HOSTILE])
    assert not [*_harmful(capsys.readouterr().out.removesuffix("\n"))]
