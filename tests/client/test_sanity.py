"""A malicious host: inconsistent messages end the link, and nothing raises."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any, TypeAlias, get_args

import msgpack
import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from coffeerush.client import session as talk
from coffeerush.client.model import Model
from coffeerush.client.sanity import ImpossibleError, check
from coffeerush.errors import LinkError
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.pages import Mode
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.commands import ROW_OF
from coffeerush.ui.plain.conversation import Reply, Session
from coffeerush.ui.table.actions import HELP
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.panes import pane_names
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import width
from coffeerush.ui.words.errors import error_line, refusal_line
from coffeerush.ui.words.i18n import as_text
from protocol import (
    NO_ID,
    Answer,
    Chat,
    DoorRefused,
    Option,
    OrderServed,
    OwnView,
    Phase,
    Publication,
    Ready,
    Refusal,
    Start,
    Step,
    TableView,
    Tally,
    TurnStarted,
    Undo,
    View,
    WireError,
    decode_answer,
    decode_door_answer,
    decode_publication,
    encode,
    encode_line,
)
from tests.support.local import Wire
from tests.support.remembered_bots import choose
from tests.support.tables import ANN, BOB, CID, ID, TableDriver, table_for

# A malicious host: inconsistent messages end the link, and nothing raises


Heard: TypeAlias = tuple[Model, bytes, bool]
"""A client's model, the message that came next, and whether it was an answer."""
Place: TypeAlias = tuple[str | int, ...]
"""The path of keys to a value in a message."""
SIZES = ((40, 12), (80, 24), (120, 36))
MODES: tuple[Mode, ...] = ("table", "serve", "empty", "upgrades", "bots", "seats")
KEYS = [*"hjklyubn1230 seugmUtraxi?", "c-m", "c-i", "pageup", "pagedown", "escape"]
TYPED = ("", "1", "right", "end", "place 1 1", "serve", "empty 1", "undo", *sorted(ROW_OF))
NUMBERS = (0, 1, 2, 3, 4, 9, 15, 18, 39, 80)
INTENTS = (
    *({"type": "step", "meeple": meeple, "cell": cell} for meeple in (1, 2) for cell in (0, 6, 15)),
    *({"type": "pour", "ingredient": kind, "cup": cup} for kind in (0, 7) for cup in (1, 3)),
    *({"type": "serve", "cup": cup, "slot": slot} for cup in (1, 3) for slot in (1, 4)),
    *({"type": name} for name in ("return_rest", "end_turn", "undo")),
    {"type": "empty_cup", "cup": 2},
    {"type": "place_meeple", "cell": 3},
    {"type": "activate_upgrade", "upgrade": 2},
)


class Listener(Wire):
    """A client that records the messages it receives."""

    def __init__(self, driver: TableDriver, key: str = ANN) -> None:
        super().__init__(driver, key, "spectator" if key == CID else "player")
        self.heard: list[Heard] = []
        self.join()
        self.settle()

    def deliver_answer(self, index: int = 0) -> Answer:
        self.heard.append((self.model, self.answers[index], True))
        return super().deliver_answer(index)

    def deliver_publication(self, index: int = 0) -> Publication:
        self.heard.append((self.model, self.publications[index], False))
        return super().deliver_publication(index)


@cache
def heard() -> tuple[Heard, ...]:
    """Return all that a player, a newcomer to the result and a spectator receive in whole games."""
    found: list[Heard] = []
    for seats, bots in ((4, ("regular", "random")), (2, ("regular",))):
        driver = table_for(seats, bots, 5)
        here = [Listener(driver), Listener(driver, CID)]
        for _game in range(2):
            here[0].wish(Start(NO_ID))
            _play(driver, here)
            if len(here) < seats:
                here.append(Listener(driver, BOB))
                here[-1].wish(Ready(NO_ID, True))
            here[0].wish(Chat(NO_ID, "well played"))
            _settle(here)
        found += [one for wire in here for one in wire.heard]
    return tuple(found)


def _play(driver: TableDriver, here: list[Listener]) -> None:
    _settle(here)
    while driver.table_view.stage == "game":
        driver.now += 0.05  # stays below the rate limit
        acting = next((one for one in here if one.model.can_act), None)
        if acting is None:
            assert driver.bot()
        elif acting.model.view is not None:
            acting.wish(choose("regular", acting.model.view, driver.chance))
        _settle(here)


def _settle(here: list[Listener]) -> None:
    for _round in range(2):
        for one in here:
            one.settle()


def take(model: Model, body: bytes, answered: bool) -> Model:
    """Return the model after a message."""
    if answered:
        return talk.answer(model, decode_answer(body), ID)[0]
    return talk.hear(model, decode_publication(body), ID)[0]


@pytest.mark.slow
def test_nothing_from_a_real_host_is_inconsistent() -> None:
    for number, (before, body, answered) in enumerate(heard()):
        after = take(before, body, answered)
        assert after.ending != "failed"
        new = after.table is not before.table and after.table and after.table.stage == "result"
        if new or not number % 30:
            use(before, after, Random(number))


@pytest.mark.slow
def test_a_newcomer_to_others_result_uses_every_key_and_word() -> None:
    newcomer = _known("result", lambda model: model.seat == 3)
    assert newcomer.view is not None
    assert len(newcomer.view.players) == 3
    for size in SIZES:
        for key in KEYS:
            pressed, _wishes = press(newcomer, Ui(size=size, guide=True), key, 200.0)
            draw(newcomer, pressed, *size)
    for text in TYPED:
        session = Session(Settings())
        session.changed(newcomer)
        session.line(newcomer, text)


# Corrupted messages


def places(value: Any, at: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield each value in a message with its path."""
    yield at, value
    inner: dict[Any, Any] = dict(enumerate(value)) if isinstance(value, list) else {}
    for key, one in (value if isinstance(value, dict) else inner).items():
        yield from places(one, (*at, key))


def others(key: str | int, value: Any) -> list[Any]:
    """Return values that a faulty host could send instead."""
    match value:
        case bool():
            return [not value]
        case int():
            return [one for one in (value - 1, value + 1, *NUMBERS) if one != value]
        case None:
            return [0, 1, 3, [0] * 8]
        case [first, *_]:
            return [[], value[:-1], value[1:], [*value, first], value * 2]
        case []:
            return [[0], [3], [39], [0] * 5]
        case dict() if key == "intent":
            return [one for one in INTENTS if one != value]
        case dict() if key in ("view", "own"):
            return [None]
    named: dict[str, list[Any]] = {"phase": list(Phase), "stage": ["lobby", "game", "result"]}
    return [one for one in named.get(str(key), []) if one != value]


def put(value: Any, at: Place, new: Any) -> Any:
    """Return a message with one value replaced."""
    if not at:
        return new
    changed = value.copy()
    changed[at[0]] = put(value[at[0]], at[1:], new)
    return changed


def spoiled(body: bytes, chance: Random) -> bytes:
    """Return a message with one value, or three, replaced."""
    tree = msgpack.unpackb(body)
    for _place in range(chance.choice((1, 1, 3))):
        found = [
            (at, new)
            for at, value in places(tree)
            if at and ("menu" not in at or chance.random() < 0.02)
            for new in others(at[-1], value)[:12]
        ]
        if found:
            tree = put(tree, *chance.choice(found))
    packed: bytes = msgpack.packb(tree)
    return packed


def use(before: Model, after: Model, chance: Random) -> None:
    """Draw the model, press keys and type words; nothing may raise."""
    size = chance.choice(SIZES)
    ui = Ui(size=size, guide=chance.random() < 0.5, pane=chance.choice(pane_names("narrow")))
    ui = apply_update(before, after, ui, 100.0)
    for one in SIZES:
        draw(after, replace(ui, size=one), *one)
    draw(after, replace(ui, guide=False, mode=chance.choice(MODES)), *size)
    for key in ("i", *chance.sample(KEYS, 3)):
        pressed, _wishes = press(after, ui, key, 200.0)
        draw(after, pressed, *size)
    session = Session(Settings(guided=chance.random() < 0.5))
    session.changed(before)
    session.changed(after)
    for text in chance.sample(TYPED, 4):
        session.line(after, text)


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_anything_from_a_host_is_shown_or_ends_the_link(chance: Random) -> None:
    before, body, answered = chance.choice(heard())
    wrong = spoiled(body, chance)
    try:
        after = take(before, wrong, answered)
    except WireError:
        return  # rejected by the codec
    if after.ending == "failed":
        assert str(after.trouble).startswith("The host sent impossible data (")
    else:
        use(before, after, chance)


# Inconsistencies by field


def _known(stage: str, wanted: Callable[[Model], bool] = lambda model: True) -> Model:
    """Return a client's model from a whole game, at a given stage."""
    return next(
        model
        for model, _body, _answered in heard()
        if model.table is not None and model.table.stage == stage and wanted(model)
    )


def _own(model: Model, **fields: Any) -> Model:
    view = model.view
    assert view is not None
    assert view.own is not None
    return replace(model, view=replace(view, own=replace(view.own, **fields)))


def _view(model: Model, **fields: Any) -> Model:
    assert model.view is not None
    return replace(model, view=replace(model.view, **fields))


def _table(model: Model, **fields: Any) -> Model:
    assert model.table is not None
    return replace(model, table=replace(model.table, **fields))


def _told(model: Model, event: Any) -> Model:
    return replace(model, history=replace(model.history, events=(*model.log, event)))


def _acts(model: Model) -> bool:
    return model.can_act and model.view is not None and model.view.phase is Phase.MOVING


def _parts(model: Model) -> tuple[TableView, View, OwnView]:
    assert model.table is not None
    assert model.view is not None
    assert model.view.own is not None
    return model.table, model.view, model.view.own


def _impossible() -> Iterator[tuple[str, Model]]:
    lobby, acts = _known("lobby"), _known("game", _acts)
    over = _known("result", lambda model: bool(model.table and model.table.tallies))
    table, view, own = _parts(acts)
    drink = len(view.menu)
    one, *others_ = view.players
    yield "seat", replace(lobby, seat=4)
    yield "seat", _table(lobby, owner=4)
    assert lobby.table is not None
    yield "seat", _table(lobby, next_game=replace(lobby.table.next_game, first=4))
    yield "players", _view(acts, players=(*view.players, one))
    yield "players", _view(acts, players=tuple(others_))
    yield "players", _table(acts, seats=(*table.seats, table.seats[0]))
    yield "active", _view(acts, active=4)
    yield "active", _view(acts, start=4)
    yield "round", _view(acts, round=0)
    alike = replace(view.menu[1], recipe=view.menu[0].recipe)
    yield "menu", _view(acts, menu=(view.menu[0], alike, *view.menu[2:]))
    yield "tallies", _table(over, tallies=(Tally((1,), 0, 0),))
    assert over.table is not None
    first, *rest = over.table.tallies
    yield "tallies", _table(over, tallies=(replace(first, scores=(*first.scores, 1)), *rest))
    assert over.view is not None
    yield "standings", _view(over, standings=(replace(over.view.standings[0], seat=4),))
    yield "standings", _view(over, standings=())
    yield "orders", _view(acts, players=(replace(one, orders=((drink,), (), (), ())), *others_))
    yield "orders", _view(acts, discards=(drink,))
    yield "orders", _view(acts, discards=(0,) * (view.menu[0].count + 1))
    yield "orders", _view(acts, menu=view.menu[:1])
    yield "path", _view(acts, path=(0, 15))
    yield "meeples", _view(acts, players=(one, replace(others_[0], meeples=()), *others_[1:]))
    yield "own", _own(acts, seat=(own.seat + 1) % len(view.players))
    yield "options", _own(acts, hand=(18,) * 8)
    yield "options", _own(acts, options=(*own.options, Option(Step(1, 99))))
    yield "options", _view(acts, phase=Phase.OVER)
    yield "events", _told(acts, TurnStarted(4, 1))
    yield "events", _told(acts, OrderServed(0, drink, 1))


@pytest.mark.slow
def test_an_inconsistency_is_named_by_its_field() -> None:
    for field, model in _impossible():
        with pytest.raises(ImpossibleError, match=rf"impossible data \({field}\)"):
            check(model)


@pytest.mark.slow
def test_options_may_come_in_any_order_and_with_undo() -> None:
    acts = _known("game", _acts)
    own = _parts(acts)[2]
    check(_own(acts, options=(Option(Undo()), *own.options[::-1])))
    check(_own(acts, options=(), undo=0, hand=(18,) * 8))  # behind, so without options


@pytest.mark.slow
def test_the_first_inconsistent_message_ends_the_link() -> None:
    model, body, _answered = next(one for one in heard() if _snapshot(one))
    snapshot = decode_answer(body)
    after = take(model, encode(replace(snapshot, seat=3)), True)
    assert (after.status, after.ending, after.pending) == ("over", "failed", ())
    assert str(after.trouble) == (
        "The host sent impossible data (seat); its version may differ from this program's: "
        "update both."
    )


def _snapshot(one: Heard) -> bool:
    _model, body, answered = one
    tree = msgpack.unpackb(body)
    return answered and tree["type"] == "snapshot" and len(tree["table"]["seats"]) == 2


# A malicious host: none of its texts can send control characters to a client's terminal


HOSTILE = "\x1b[2J\x1b]0;x\x07\x9b\u202e\n\x85가\u0301{x}{"
"""Clear screen, window title, bidi override, newline, combining mark, format field."""

_TEXTS = {"name", "text", "bot"}


def with_hostile_texts(body: bytes) -> bytes:
    """Return a message with every free text of the host replaced by a hostile one."""
    packed: bytes = msgpack.packb(_hostile("", msgpack.unpackb(body)))
    return packed


def _hostile(key: str, value: Any) -> Any:
    match value:
        case dict():
            own = _hostile_text if key == "params" else _hostile
            return {name: own(name, one) for name, one in value.items()}
        case [str(), *_] if key in ("seats", "bots", "spectators"):
            return [HOSTILE for _one in value]
        case [[str(), *_], *_] if key == "menu":
            return [[HOSTILE, *rest] for _name, *rest in value]
        case list():
            return [_hostile("", one) for one in value]
        case str() if value and key in _TEXTS:
            return HOSTILE
    return value


def _hostile_text(_key: str, value: Any) -> Any:
    return HOSTILE if isinstance(value, str) else value


class Strange(Wire):
    """The wire to a host whose texts are all hostile."""

    def deliver_answer(self, index: int = 0) -> Answer:
        self.answers[index] = with_hostile_texts(self.answers[index])
        return super().deliver_answer(index)

    def deliver_publication(self, index: int = 0) -> Publication:
        self.publications[index] = with_hostile_texts(self.publications[index])
        return super().deliver_publication(index)


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
    for word in sorted(set(ROW_OF) - {"leave", "language", "settings"}):
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


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", get_args(Mode))
def test_drawn_text_is_harmless(guest: Guest, mode: Mode, size: tuple[int, int]) -> None:
    ui = Ui(mode=mode, help=HELP, size=size, guide=True)
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
