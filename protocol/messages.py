"""Requests, answers and publications.

Requests go to the host's ROUTER, which answers each of them once; publications come from its PUB.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from .errors import MAX_INTEGER, Code, Refusal
from .events import Event
from .intents import Intent
from .terms import MAX_PLAYERS, MIN_PLAYERS, Seat
from .text import ChatText, Name, Sentence
from .views import (
    MAX_SPECTATORS,
    MAX_STANDBYS,
    BotName,
    BotSeconds,
    Colour,
    EmoteName,
    GuestNumber,
    Letter,
    PauseReason,
    Rotation,
    Score,
    SeatView,
    TableView,
    Term,
    TurnSeconds,
    View,
)

LOG_LENGTH: Final = 48
MAX_EVENTS: Final = 32
MAX_PAD_BYTES: Final = 1535
MAX_PART_BYTES: Final = 16384
MAX_SHARED_BYTES: Final = 2**21
"""The largest record that a host sends to guests."""
MAX_PIECE_BYTES: Final = 1024
MAX_PIECES_AT_ONCE: Final = 40
MAX_PIECES_LENT: Final = 3
MAX_PIECES: Final = 8192
"""Of a record; a longer one is not kept by those who play, so that the game needs its host."""
NO_ID: Final = bytes(16)
"""The id in the answer to a request whose id could not be read."""
STAND_IN_SECONDS: Final = 20
"""How long a player who is away from a game, or has left it, may come back before a bot plays."""

RequestId = Annotated[bytes, Meta(min_length=16, max_length=16)]
Epoch = Annotated[bytes, Meta(min_length=8, max_length=8)]
Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Rev = Count
"""The number of intents accepted so far in a game."""
Game = Count
"""The number of the game at this table, from 1; 0 before the first."""
Pad = Annotated[bytes, Meta(max_length=MAX_PAD_BYTES)]
"""Fills up an answer, so that its length does not tell which options there are; see `padded`."""
Version = Annotated[int, Meta(ge=1, le=65535)]
MAX_TABLES: Final = 64
MAX_ENTRANTS: Final = 64
MAX_TOURNAMENT_ROUNDS: Final = 16
MAX_BREAK_SECONDS: Final = 3600
MAX_WATCHING: Final = 32
"""The people without a seat that a list of tables names."""
TableNumber = Annotated[int, Meta(ge=1, le=2**32 - 1)]
"""A table of the host, from 1; no other one gets the same number later."""

Port = Annotated[int, Meta(ge=1, le=65535)]
CurveKey = Annotated[str, Meta(min_length=40, max_length=40)]
"""A CURVE public key in Z85."""
HostAddress = Annotated[str, Meta(min_length=1, max_length=64)]
"""A numeric IPv4 or IPv6 address, without brackets."""
HostAddresses = Annotated[tuple[HostAddress, ...], Meta(min_length=1, max_length=4)]


class Standby(Struct, frozen=True, forbid_unknown_fields=True):
    """The host that a client would start if it were asked to host the table."""

    key: CurveKey
    """Its public key: two clients with the same one are programs of one person."""
    port: Port
    """The port at which its door would listen, if that is free."""


class Successor(Struct, frozen=True, forbid_unknown_fields=True):
    """A person whose program could host the table."""

    name: Name
    key: CurveKey
    """The public key that their host would have."""
    address: HostAddress
    """From which their client is connected to the host."""
    port: Port


Piece = Annotated[bytes, Meta(min_length=17, max_length=MAX_PIECE_BYTES)]
"""A piece of a record, encrypted and authenticated."""
PieceNumber = Annotated[int, Meta(ge=0, le=MAX_PIECES)]
"""The pieces of a record are numbered from 0."""
Pieces = Annotated[tuple[Piece, ...], Meta(max_length=MAX_PIECES_AT_ONCE)]


class Sealed(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Some pieces of the record of the game in progress, which nobody can open alone.

    On the wire: an array, in the order of the fields.
    """

    deal: Count
    """How often the host has dealt shares of a key in this epoch: the pieces are under the latest
    of these keys."""
    first: PieceNumber
    """The number of the first piece; the others follow it."""
    pieces: Pieces = ()


class KeyShare(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One person's share of the key to a record. On the wire: an array."""

    index: Annotated[int, Meta(ge=1, le=MAX_PLAYERS)]
    value: Annotated[bytes, Meta(min_length=16, max_length=16)]


class _Message(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Base of everything on the wire."""


# Requests


class _Request(_Message, frozen=True):
    """What a client asks; a repeat has the same id, and so the same answer."""

    id: RequestId


class Hello(_Request, tag="hello", frozen=True):
    """Join a table, rejoin it or go over to another one; answered by a `Snapshot`."""

    protocol: Version
    name: Name
    role: Literal["player", "spectator"]
    table: TableNumber | Literal["new"] | None = None
    """Which one: "new" opens another, None takes the sender's own or else the first that fits."""
    standby: Standby | None = None
    """How the sender could host the table; None if it cannot, or its person does not want to."""
    keeps: bool = False
    """Whether the sender keeps the sealed record, and a share of its key, for a failover."""


class Sync(_Request, tag="sync", frozen=True):
    """Resynchronize after a gap or a new epoch; answered by a `Snapshot`."""


class GetView(_Request, tag="view", frozen=True):
    """Ask for the sender's View; answered by a `Current`. Also serves as a keepalive."""


class Submit(_Request, tag="intent", frozen=True):
    """Submit an intent for the sender's seat; answered by `Accepted` or `Refused`.

    Idempotent: resend the same bytes until answered, the host applies each id once.
    """

    game: Game
    rev: Rev
    """The rev that the intent is based on."""
    intent: Intent


class Chat(_Request, tag="chat", frozen=True):
    """Send a chat line to everybody at the table; answered by `Done`."""

    text: ChatText
    hall: bool = False
    """Whether it is for everybody at all tables."""


class Ready(_Request, tag="ready", frozen=True):
    """Lobby: set or clear ready; after a game: ask for a rematch or not. Answered by `Done`."""

    ready: bool


class Rename(_Request, tag="rename", frozen=True):
    """Lobby: change the sender's name. Answered by `Done`."""

    name: Name


class AddBot(_Request, tag="add_bot", frozen=True):
    """Owner, between games: put a bot on an open seat. Answered by `Done`."""

    seat: Seat
    bot: BotName


class Remove(_Request, tag="remove", frozen=True):
    """Owner: remove the bot or kick the person on a seat. Answered by `Done`."""

    seat: Seat


class RemoveSpectator(_Request, tag="remove_spectator", frozen=True):
    """Owner: kick a spectator. Answered by `Done`."""

    name: Name


class MoveSeat(_Request, tag="move_seat", frozen=True):
    """Owner, in the lobby: exchange two seats and those who sit there. Answered by `Done`."""

    seat: Seat
    to: Seat


class SetFirst(_Request, tag="set_first", frozen=True):
    """Owner, between games: choose who begins the next one. Answered by `Done`."""

    seat: Seat | None
    """The seat; None to draw one at random."""


class SetRules(_Request, tag="set_rules", frozen=True):
    """Owner, between games: set the table's rules for the games to come. Answered by `Done`."""

    turn_seconds: TurnSeconds
    bot_seconds: BotSeconds
    hints: bool
    anybody_lets_in: bool = False
    rotation: Rotation = "owner"


class SetPause(_Request, tag="set_pause", frozen=True):
    """Owner, in a game: pause it, or let it go on. Answered by `Done`."""

    paused: bool
    reason: PauseReason = ""


class Emote(_Request, tag="emote", frozen=True):
    """Say one of a few things with a single key. Answered by `Done`."""

    emote: EmoteName


class LetIn(_Request, tag="let_in", frozen=True):
    """Let a guest come in who asks to, or turn them away. Answered by `Done`."""

    guest: GuestNumber
    allowed: bool = True


class SetMark(_Request, tag="set_mark", frozen=True):
    """Between games: choose the letter and the colour of the sender's seat. Answered by `Done`."""

    letter: Letter | None = None
    colour: Colour | None = None


class Queue(_Request, tag="queue", frozen=True):
    """Spectator: join the queue for a seat, or leave it. Answered by `Done`.

    If a seat is open before the next game, the sender takes it at once.
    """

    waiting: bool


class QueueFirst(_Request, tag="queue_first", frozen=True):
    """Owner: put somebody who is in the queue at its head. Answered by `Done`."""

    name: Name


class StandUp(_Request, tag="stand_up", frozen=True):
    """Between games: give up the seat and watch; the owner may say so of any seat.

    A bot that stands up is gone. Answered by `Done`.
    """

    seat: Seat | None = None
    """None for the sender's."""


class Start(_Request, tag="start", frozen=True):
    """Owner: start the game or the rematch. Answered by `Done`."""


class GetRecord(_Request, tag="record", frozen=True):
    """Ask for a part of the latest finished game's record. Answered by a `RecordPart`."""

    game: Game
    offset: Annotated[int, Meta(ge=0, le=MAX_SHARED_BYTES - 1)]
    """Where the part begins."""


class GetSealed(_Request, tag="sealed", frozen=True):
    """Ask for pieces of the sealed record, and for the sender's share. Answered by `SealedPart`."""

    deal: Count
    """The deal of which the sender has pieces; 0 for none."""
    first: PieceNumber
    """The first piece that the sender lacks of that deal; of another one all are sent."""


class Lend(_Request, tag="lend", frozen=True):
    """Lend a share and pieces to a standby that goes on without the host. Answered by `Lent`."""

    epoch: Epoch
    """Of the host that is gone, as the next three."""
    term: Term
    game: Game
    deal: Count
    share: KeyShare
    """The sender's, of that deal."""
    start: PieceNumber
    """The sender has all pieces from this one on."""
    size: PieceNumber
    """The number after that of the last of them."""
    first: PieceNumber = 0
    """The number of the first piece in `pieces`."""
    pieces: Annotated[tuple[Piece, ...], Meta(max_length=MAX_PIECES_LENT)] = ()


class GetTables(_Request, tag="tables", frozen=True):
    """Ask which tables there are; answered by `Tables`, also for those who are at none."""


class TournamentRules(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a tournament is played."""

    rounds: Annotated[int, Meta(ge=0, le=MAX_TOURNAMENT_ROUNDS)] = 0
    """How many; 0 for the usual number for those who play the first one."""
    turn_seconds: TurnSeconds = 0
    fill: BotName | None = None
    """The kind of bot that fills every table up to four; None for tables of three and four."""
    replay: bool = True
    """Whether a table that breaks off plays again; otherwise its game counts as it stood."""
    break_seconds: Annotated[int, Meta(ge=0, le=MAX_BREAK_SECONDS)] = 0
    """How long after a round the next one begins by itself; 0 for when the hall's owner says so."""


class BeginTournament(_Request, tag="begin_tournament", frozen=True):
    """Hall's owner: announce a tournament, which people can then enter, or change its rules.

    Answered by `Done`.
    """

    rules: TournamentRules


class BeginRound(_Request, tag="begin_round", frozen=True):
    """Hall's owner: let everybody who has entered play the next round. Answered by `Done`."""

    round: Annotated[int, Meta(ge=1, le=MAX_TOURNAMENT_ROUNDS)]
    """Its number, so that a repeated request begins no second one."""


class EndTournament(_Request, tag="end_tournament", frozen=True):
    """Hall's owner: end the tournament with the standings as they are. Answered by `Done`."""


class Enter(_Request, tag="enter", frozen=True):
    """Enter the tournament, from the next round on, or withdraw from it. Answered by `Done`."""

    entered: bool


class HandOver(_Request, tag="hand_over", frozen=True):
    """Owner of the host: ask somebody to host all its tables from now on. Answered by `Done`."""

    to: Name | None
    """One of `TableView.standbys`; None to withdraw the request before they have agreed."""
    leaving: bool = False
    """Whether the owner leaves with the handover."""


class TakeOver(_Request, tag="take_over", frozen=True):
    """Agree to host the table, or decline; answered by `Done`."""

    agreed: bool


class GetHandover(_Request, tag="handover_part", frozen=True):
    """Ask for a part of what a successor needs; answered by a `RecordPart`."""

    offset: Annotated[int, Meta(ge=0, le=MAX_SHARED_BYTES - 1)]
    """Where the part begins."""


class Listening(_Request, tag="listening", frozen=True):
    """Tell where the successor's host listens, and waits for the tables; answered by `Done`."""

    key: CurveKey
    """The public key of that host."""
    addresses: HostAddresses
    """Of that host, most likely first."""
    port: Port
    """Of its door."""


class LookAt(_Request, tag="look", frozen=True):
    """Look at another table from one's own; answered by the `Snapshot` that its spectators get."""

    table: TableNumber


class RenameTable(_Request, tag="rename_table", frozen=True):
    """Owner of the table or of the hall, in the lobby: rename the table. Answered by `Done`."""

    name: Name


class CloseTable(_Request, tag="close_table", frozen=True):
    """Owner of the hall: close a table that somebody has opened. Answered by `Done`."""

    table: TableNumber


class Bye(_Request, tag="bye", frozen=True):
    """Leave the table; answered by `Done`."""

    stand_in: bool = False
    """In a game: let a bot play for the sender at once, who does not mean to come back soon."""


TableRequest: TypeAlias = (
    MoveSeat
    | SetFirst
    | SetRules
    | SetPause
    | Emote
    | LetIn
    | SetMark
    | Queue
    | QueueFirst
    | StandUp
)
"""Requests about how a table plays: seats and who waits for one, who begins, rules, pauses, marks,
who comes in."""
TournamentRequest: TypeAlias = BeginTournament | BeginRound | EndTournament | Enter
"""Requests about the tournament of the hall."""
HandoverRequest: TypeAlias = HandOver | TakeOver | GetHandover | Listening
"""Requests about the move of all tables to another host."""
HallRequest: TypeAlias = GetTables | LookAt | RenameTable | CloseTable
"""Requests about the tables of the host."""
Request: TypeAlias = (
    Hello
    | Sync
    | GetView
    | Submit
    | Chat
    | Ready
    | Rename
    | AddBot
    | Remove
    | RemoveSpectator
    | TableRequest
    | Start
    | GetRecord
    | GetSealed
    | Lend
    | HallRequest
    | TournamentRequest
    | HandoverRequest
    | Bye
)


# Answers


class _Answer(_Message, frozen=True):
    """What a host answers, with the id of the request."""

    id: RequestId


class Snapshot(_Answer, tag="snapshot", frozen=True):
    """Everything that the requester may know."""

    epoch: Epoch
    seq: Count
    """The last publication that this includes."""
    game: Game
    rev: Rev
    seat: Seat | None
    """The requester's seat; None for a spectator."""
    owner: bool
    table: TableView
    view: View | None
    """None before the first game."""
    log: Annotated[tuple[Event, ...], Meta(max_length=LOG_LENGTH)]
    """The latest events, oldest first, as the requester may know them."""
    name: Name
    """The requester's, which may have a number appended to the one that they asked for."""
    number: TableNumber
    """The table's, and the topic of its publications."""
    standbys: Annotated[tuple[Successor, ...], Meta(max_length=MAX_STANDBYS)] = ()
    """Those of `TableView.standbys`, and where their hosts would be."""
    pad: Pad = b""


class Current(_Answer, tag="current", frozen=True):
    """The requester's View."""

    epoch: Epoch
    game: Game
    rev: Rev
    view: View | None
    pad: Pad = b""


class Accepted(_Answer, tag="accepted", frozen=True):
    """The intent was applied and recorded; it produced `rev`."""

    epoch: Epoch
    game: Game
    rev: Rev
    events: Annotated[tuple[Event, ...], Meta(max_length=MAX_EVENTS)]
    """What happened, as the requester may know it."""
    view: View
    pad: Pad = b""
    sealed: Sealed | None = None
    """As in the update that tells of the intent, which may never arrive."""


class RecordPart(_Answer, tag="record_part", frozen=True):
    """A part of a record, from the offset of the request on."""

    size: Annotated[int, Meta(ge=1, le=MAX_SHARED_BYTES)]
    """Of the whole record."""
    part: Annotated[bytes, Meta(min_length=1, max_length=MAX_PART_BYTES)]


class SealedPart(_Answer, tag="sealed_part", frozen=True):
    """Pieces of the sealed record, from the one asked for on, and the requester's share."""

    epoch: Epoch
    term: Term
    game: Game
    size: PieceNumber
    """How many pieces the record has now."""
    sealed: Sealed
    share: KeyShare
    needed: Annotated[int, Meta(ge=2, le=MAX_PLAYERS)]
    """How many shares together are the key."""
    holders: Annotated[tuple[CurveKey, ...], Meta(min_length=2, max_length=MAX_PLAYERS)]
    """The public keys of those who have one."""


class Lent(_Answer, tag="lent", frozen=True):
    """The share is noted."""

    wants: PieceNumber | None
    """The first piece that the standby lacks and the sender has; None for none."""


class TableSummary(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What everybody may know of a table, whichever they are at."""

    number: TableNumber
    name: Name
    stage: Literal["lobby", "game", "result"]
    seats: Annotated[tuple[SeatView, ...], Meta(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)]
    scores: Annotated[tuple[Score, ...], Meta(max_length=MAX_PLAYERS)] = ()
    """In the game that is shown, by seat as it was dealt; empty in a lobby."""
    round: Count = 0
    """Of the game in progress; 0 between games."""
    spectators: Annotated[int, Meta(ge=0, le=MAX_SPECTATORS)] = 0
    opened: bool = False
    """Whether somebody has opened it, so that it closes once everybody has left."""


class TournamentPlayer(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Somebody who has entered a tournament, and how they have done so far."""

    name: Name
    place: Annotated[int, Meta(ge=0, le=MAX_ENTRANTS)] = 0
    """In the standings, from 1; equal scores share it. 0 before the first game."""
    wins: Count = 0
    """In thousandths: 1000 for each game won, shared by those who tie."""
    points: Count = 0
    """In thousandths: the share of all points at the table, added over all games."""
    penalties: Count = 0
    rounds: Annotated[int, Meta(ge=0, le=MAX_TOURNAMENT_ROUNDS)] = 0
    """How many count in these figures."""
    table: TableNumber | None = None
    """Where they play in this round, or have played in the one that is over."""
    leads: bool = False
    """Whether nobody at that table is ahead of them."""
    sits_out: bool = False
    """Whether they sit out this round."""
    withdrawn: bool = False
    """Whether they play no further round."""


class TournamentView(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The tournament of the hall, as everybody may know it."""

    stage: Literal["entry", "round", "break", "over"]
    rules: TournamentRules
    rounds: Annotated[int, Meta(ge=1, le=MAX_TOURNAMENT_ROUNDS)]
    """How many there will be; in stage `entry` as many as for those who have entered so far."""
    round: Annotated[int, Meta(ge=0, le=MAX_TOURNAMENT_ROUNDS)] = 0
    """The one that is played, or was played last; 0 before the first."""
    next_round: Annotated[int, Meta(ge=0, le=MAX_BREAK_SECONDS)] | None = None
    """Seconds until the next one begins by itself; None if it does not."""
    players: Annotated[tuple[TournamentPlayer, ...], Meta(max_length=MAX_ENTRANTS)] = ()
    """Best first; then those who have not played yet."""
    entered: Name | None = None
    """The requester's name in the tournament; None if they have not entered."""


class Tables(_Answer, tag="tables", frozen=True):
    """The tables of the host, by number, and its tournament."""

    tables: Annotated[tuple[TableSummary, ...], Meta(min_length=1, max_length=MAX_TABLES)]
    tournament: TournamentView | None = None
    watching: Annotated[tuple[Name, ...], Meta(max_length=MAX_WATCHING)] = ()
    """People without a seat, as many as there is room for."""
    owner: bool = False
    """Whether the requester owns the hall."""


class Done(_Answer, tag="done", frozen=True):
    """The request was carried out."""


class Refused(_Answer, tag="refused", frozen=True):
    """The request was not accepted, and nothing changed."""

    refusal: Refusal
    game: Game
    rev: Rev
    view: View | None = None
    """The requester's current View if the refusal is `stale`."""
    pad: Pad = b""


class Malformed(_Answer, tag="malformed", frozen=True):
    """The bytes were not a request; `text` is one English sentence."""

    code: Code
    """A `WireCode`, or one of a later host."""
    text: Sentence


class Destination(Struct, frozen=True, forbid_unknown_fields=True):
    """The new host of tables that have moved."""

    term: Term
    """Its term, higher than that of any host before it."""
    name: Name
    """Whose computer it is on."""
    key: CurveKey
    """Its public key: a client goes to no other host."""
    addresses: HostAddresses
    """Most likely first."""
    port: Port
    """Of its door."""


class Elsewhere(_Answer, tag="elsewhere", frozen=True):
    """Nothing was done: the tables have another host, to which the request can be sent."""

    to: Destination


Answer: TypeAlias = (
    Snapshot
    | Current
    | Accepted
    | RecordPart
    | SealedPart
    | Lent
    | Tables
    | Done
    | Elsewhere
    | Refused
    | Malformed
)


# Publications

PrivateRevs = Annotated[tuple[Rev, ...], Meta(max_length=MAX_PLAYERS)]
"""The rev that last changed each seat's private state, by seat; empty before a game."""


class Update(_Message, tag="update", frozen=True, omit_defaults=True):
    """Sent after every change of the table or the game; `view` has no `own`."""

    epoch: Epoch
    seq: Count
    """The number of the update in this epoch; after a gap send a `Sync`."""
    game: Game
    rev: Rev
    private_revs: PrivateRevs
    events: Annotated[tuple[Event, ...], Meta(max_length=MAX_EVENTS)]
    table: TableView
    view: View | None
    sealed: Sealed | None = None
    """What was added to the sealed record since the update before; None for nothing."""


class Tick(_Message, tag="tick", frozen=True):
    """Heartbeat, sent every second: the host is alive and has got this far.

    The hall's has no game; its `rev` grows whenever the tournament has changed.
    """

    epoch: Epoch
    seq: Count
    game: Game
    rev: Rev
    private_revs: PrivateRevs


class Moved(_Message, tag="moved", frozen=True):
    """The tables have another host, for good; published once, and then in place of each tick."""

    to: Destination


Publication: TypeAlias = Update | Tick | Moved
