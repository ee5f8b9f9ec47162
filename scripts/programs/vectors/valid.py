"""Messages that every decoder must accept: each request, intent, answer, event, view."""

from typing import Final, get_args

import msgspec

from protocol import (
    MAX_INTEGER,
    Accepted,
    ActivateUpgrade,
    AddBot,
    Answer,
    Asker,
    Banner,
    Bye,
    Challenge,
    Chat,
    Current,
    Done,
    DoorAnswer,
    DoorRefused,
    Emote,
    EmoteName,
    EmptyCup,
    EndTurn,
    Enrol,
    Enrolled,
    GameEnded,
    GetRecord,
    GetTables,
    GetView,
    Hello,
    Ingredient,
    Intent,
    LetIn,
    LettingIn,
    Malformed,
    MoveSeat,
    OrderServed,
    PeopleChanged,
    PlaceMeeple,
    Pour,
    Poured,
    Proof,
    Publication,
    Ready,
    RecordPart,
    Refusal,
    Refused,
    RefusedError,
    Remove,
    RemoveSpectator,
    Rename,
    Request,
    ReturnRest,
    Said,
    SeatView,
    Serve,
    SetFirst,
    SetMark,
    SetPause,
    SetRules,
    Snapshot,
    Start,
    Step,
    Submit,
    Sync,
    Tables,
    TableSummary,
    TableView,
    Tally,
    Tick,
    Undo,
    Update,
    Upgrade,
)

from .views import FOUR_SERVING, SPECTATOR_OVER, THREE_POURING, TWO_MOVING

ID: Final = bytes(range(16))
EPOCH: Final = bytes.fromhex("c0ffee0123456789")
KEY: Final = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
HEX32: Final = bytes(range(0xE0, 0x100)).hex()

LOBBY: Final = TableView(
    name="Café de Ann",
    stage="lobby",
    seats=(
        SeatView("person", "Ann", ready=True),
        SeatView("bot", "Crema", "regular", ready=True),
        SeatView("open"),
    ),
    owner=0,
    bots=("casual", "regular"),
    spectators=("지우",),
    starters=False,
    turn_seconds=0,
    clock=None,
)
PLAYING: Final = msgspec.structs.replace(
    LOBBY,
    stage="game",
    seats=(
        SeatView("person", "Ann"),
        SeatView("bot", "Crema", "regular"),
        SeatView("person", "João", "regular", away=True),
        SeatView("person", "Юля", letter=25, colour=0),
    ),
    turn_seconds=60,
    clock=42,
    bot_seconds=2,
    hints=False,
    pause="Pizza!",
)
RESULT: Final = msgspec.structs.replace(
    PLAYING,
    stage="result",
    clock=None,
    first=1,
    pause=None,
    letting_in=LettingIn((Asker(3, "Юля"), Asker(999, "Юля")), by_anybody=True),
    tallies=(
        Tally((0, 1, 1, 2, 2, 4, 5, 4, 5), 2, 6),
        Tally((0, 0, 0, 1, 1, 2, 2, 3, 3), 1, 4),
        Tally((0, -1, -3, -3, -40, 0, 80, 0, 1), 3, 7),
        Tally((0, 0, 0, 0, 0, 0, 0, 0, 1), 0, 0),
    ),
)

INTENTS: Final[tuple[Intent, ...]] = (
    PlaceMeeple(12),
    ActivateUpgrade(Upgrade.DOUBLE_CORNERS),
    Step(1, 9),
    EmptyCup(3),
    Pour(Ingredient.WATER, 2),
    ReturnRest(),
    Serve(2, 4),
    EndTurn(),
    Undo(),
)
REQUESTS: Final[tuple[Request, ...]] = (
    Hello(ID, 6, "Ann", "player"),
    Hello(ID, 6, "지우", "spectator", 2**32 - 1),
    Hello(ID, 6, "Юля", "player", "new"),
    Sync(ID),
    GetView(ID),
    Submit(ID, 1, 41, Step(1, 9)),
    Submit(ID, MAX_INTEGER, MAX_INTEGER, Undo()),
    Chat(ID, "Dois cafés, por favor"),
    Ready(ID, True),
    Ready(ID, False),
    Rename(ID, "Юля"),
    AddBot(ID, 3, "regular"),
    Remove(ID, 1),
    RemoveSpectator(ID, "Bob"),
    MoveSeat(ID, 0, 2),
    SetFirst(ID, 3),
    SetFirst(ID, None),
    SetRules(ID, 90, 2, False),
    SetRules(ID, 0, 0, True, anybody_lets_in=True),
    LetIn(ID, 3),
    LetIn(ID, 999, allowed=False),
    *(Emote(ID, name) for name in get_args(EmoteName)),
    SetMark(ID, 25, 3),
    SetMark(ID),
    SetPause(ID, True, "Pizza!"),
    SetPause(ID, False),
    Start(ID),
    GetRecord(ID, 1, 16384),
    GetTables(ID),
    Bye(ID),
)
_LOG: Final = (OrderServed(0, 2, 1), GameEnded((0,)), Said("João", "Olá! ☕"))
ANSWERS: Final[tuple[Answer, ...]] = (
    Snapshot(ID, EPOCH, 0, 0, 0, 0, True, LOBBY, None, (), 1),
    Snapshot(ID, EPOCH, 301, 1, 262, None, False, RESULT, SPECTATOR_OVER, _LOG, 2**32 - 1),
    Current(ID, EPOCH, 0, 0, None),
    Accepted(ID, EPOCH, 1, 42, (Poured(1, Ingredient.WATER, 2),), THREE_POURING),
    RecordPart(ID, 16391, b'{"entry'),
    Tables(
        ID,
        (
            TableSummary(1, "Café de Ann", "game", PLAYING.seats, (4, 6, -2, 0), 7, 16),
            TableSummary(5, "Café de Ann 5", "lobby", LOBBY.seats),
        ),
    ),
    Done(ID),
    Refused(ID, RefusedError("not_adjacent", cell=15, here=4).refusal, 1, 42),
    Refused(
        ID,
        RefusedError(
            "cup_does_not_match",
            cup=2,
            slot=1,
            contents="0, 1, 0, 2, 0, 0, 0, 0",
            wanted="Cappuccino, Mocha",
        ).refusal,
        1,
        42,
    ),
    Refused(ID, RefusedError("stale").refusal, 1, 43, TWO_MOVING),
    Malformed(bytes(16), "not_messagepack", "not one whole MessagePack value: ill-formed"),
    Malformed(ID, "wrong_shape", "Expected `int` <= 3 - at `$.seat`"),
)
VIEWS: Final[tuple[tuple[str, Answer | Publication], ...]] = (
    ("two players, moving", Current(ID, EPOCH, 1, 9, TWO_MOVING)),
    ("three players, pouring", Current(ID, EPOCH, 1, 88, THREE_POURING)),
    ("four players, serving", Current(ID, EPOCH, 1, 260, FOUR_SERVING)),
    ("a spectator, over", Current(ID, EPOCH, 1, 262, SPECTATOR_OVER)),
)
PUBLICATIONS: Final[tuple[Publication, ...]] = (
    Tick(EPOCH, 0, 0, 0, ()),
    Tick(EPOCH, MAX_INTEGER, 3, 262, (260, 255, 240, 251)),
    Update(EPOCH, 1, 0, 0, (), (PeopleChanged("Ann", "joined"),), LOBBY, None),
    Update(EPOCH, 301, 1, 262, (261, 255, 240, 251), (GameEnded((0,)),), RESULT, SPECTATOR_OVER),
)

LATER_CODES: Final[tuple[tuple[str, Answer], ...]] = (
    (
        "a refusal of a later host",
        Refused(ID, Refusal("no_cats", "Cats are not allowed.", {"paws": 4}), 1, 42),
    ),
    ("a wire error of a later host", Malformed(ID, "too_furry", "A request has no fur.")),
)

DOOR: Final[tuple[Banner | Enrol | Proof | DoorAnswer, ...]] = (
    Banner("coffeerush", 6, 6, "Café de Ann", 47821, 47822, KEY),
    Banner("coffeerush", 6, 6, "Café de Ann", 47821, 47822, KEY, code=False),
    Enrol(KEY),
    Enrol(KEY, HEX32),
    Challenge(HEX32),
    Proof(HEX32),
    Enrolled(),
    Enrolled(HEX32),
    DoorRefused(RefusedError("door_busy").refusal),
    DoorRefused(RefusedError("too_many_tries", minutes=10).refusal),
)
