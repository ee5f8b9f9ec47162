"""The errors of the protocol, and refusals in words."""

import re
from collections.abc import Callable, Iterable, Mapping
from string import Formatter
from typing import Annotated, ClassVar, Final, Literal, Self, TypeAlias, get_args

from msgspec import Meta, Struct

from .terms import BOARD_SIDE, Ingredient, Upgrade
from .text import SENTENCE_CHARACTERS, Sentence, clean_line, clip

WireCode = Literal["too_large", "too_deep", "not_messagepack", "wrong_shape", "wrong_version"]
RefusalCode = Literal[
    # the rules
    "not_your_turn",
    "wrong_phase",
    "cell_taken",
    "not_adjacent",
    "no_steps_left",
    "would_be_stuck",
    "other_meeple",
    "no_such_meeple",
    "must_step",
    "stands_on_meeple",
    "hand_not_empty",
    "hand_empty",
    "not_in_hand",
    "cup_is_empty",
    "cup_does_not_match",
    "too_few_completed",
    "upgrade_is_active",
    "nothing_to_undo",
    # the table
    "say_hello",
    "stale",
    "wrong_stage",
    "paused",
    "not_seated",
    "seated",
    "not_owner",
    "table_full",
    "too_many_spectators",
    "no_such_table",
    "too_many_tables",
    "no_tournament",
    "tournament_begun",
    "round_begun",
    "tournament_full",
    "bad_text",
    "name_taken",
    "no_such_seat",
    "no_such_spectator",
    "no_such_guest",
    "seat_not_free",
    "unknown_bot",
    "too_few_players",
    "not_ready",
    "no_record",
    "no_standby",
    "no_handover",
    "gathering",
    "id_reused",
    "too_fast",
    "removed",
    "record_failed",
    # the door
    "door_busy",
    "bad_key",
    "code_needed",
    "wrong_code",
    "too_many_tries",
]
Code = Annotated[str, Meta(min_length=1, max_length=32)]
"""Receivers accept codes that they do not know, so that hosts can add some."""
REFUSAL_CODES: Final[tuple[str, ...]] = get_args(RefusalCode)
PARAM_CHARACTERS: Final = 120
ParamName = Annotated[str, Meta(min_length=1, max_length=24)]
ParamText = Annotated[str, Meta(max_length=PARAM_CHARACTERS)]
MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that every double holds safely, and so every language."""
ParamNumber = Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Params = Annotated[dict[ParamName, ParamText | ParamNumber], Meta(max_length=8)]


class ProtocolError(Exception):
    """Base of the protocol's errors."""


class WireError(ProtocolError):
    """A peer's bytes are not a message; the text says what is wrong with them."""

    code: ClassVar[WireCode]
    request_id: bytes = b""
    """The id of the malformed request, if it could be read."""


class TooLarge(WireError):
    """More bytes or elements than a message may have."""

    code = "too_large"


class TooDeep(WireError):
    """Nested deeper than any message."""

    code = "too_deep"


class NotMessagePack(WireError):
    """Not one whole MessagePack value."""

    code = "not_messagepack"


class WrongShape(WireError):
    """MessagePack, but not a message of this protocol."""

    code = "wrong_shape"


class WrongVersion(WireError):
    """A message of another version of this protocol."""

    code = "wrong_version"


class Refusal(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why something was not accepted.

    `text` is one English sentence. From `code` and `params`, its data, a client can word it in
    another language.
    """

    code: Code
    """A `RefusalCode`, or one of a later host."""
    text: Sentence
    params: Params = {}


class RefusedError(ProtocolError):
    """Raised when something is not accepted; nothing has changed.

    Its English text comes from its code and data. Texts that are too long for the wire are cut, so
    that the refusal can always be sent.
    """

    def __init__(self, code: RefusalCode, **params: str | int) -> None:
        short = {
            name: clip(value, PARAM_CHARACTERS) if isinstance(value, str) else value
            for name, value in params.items()
        }
        text = clip(refusal_text(code, short), SENTENCE_CHARACTERS)
        super().__init__(text)
        self.refusal = Refusal(code, text, short)

    @classmethod
    def received(cls, refusal: Refusal) -> Self:
        """Return the error for a host's refusal, which may have a code of a later version."""
        error = cls.__new__(cls, refusal.text)
        error.refusal = refusal
        return error


class IllegalIntent(RefusedError):
    """Raised when the rules forbid an intent."""


# Refusals in words: the English texts, and how their data is filled in, in any language


REFUSAL_TEXTS: Final[dict[str, tuple[str, ...]]] = {
    # the rules
    "not_your_turn": (
        "It is {name}'s turn; wait for yours.",
        "It is another player's turn; wait for yours.",
    ),
    "not_your_turn/time": ("Your time is up; a bot is finishing your turn.",),
    "wrong_phase": (
        "You cannot do that now. You can: {allowed}.",
        "You cannot do that now.",
    ),
    "wrong_phase/over": ("The game is over.",),
    "wrong_phase/stepped": ("You can only activate an upgrade before your first step.",),
    "wrong_phase/upgraded": ("You can only activate one upgrade per turn.",),
    "cell_taken": (
        "There is already a meeple at {cell}; choose a free cell.",
        "There is already a meeple on that cell; choose a free one.",
    ),
    "not_adjacent": (
        "The cell at {cell} is not next to your meeple at {here}.",
        "That cell is not next to your meeple.",
    ),
    "no_steps_left": (
        "You have used your {steps} free steps and have no rush tokens for more.",
        "You have no steps and no rush tokens left.",
    ),
    "would_be_stuck": (
        "There is a meeple at {cell}, and you could not get from there to a free cell.",
        "There is a meeple on that cell, and you could not get from there to a free one.",
    ),
    "other_meeple": (
        "You have already moved meeple {moved} this turn; undo its steps to move meeple {meeple}.",
        "You can only move one meeple per turn; undo its steps to move the other one.",
    ),
    "no_such_meeple": (
        "With {players} players, each has only one meeple.",
        "With three or four players, each has only one meeple.",
    ),
    "must_step": ("Take at least one step first.",),
    "stands_on_meeple": (
        "There is another meeple at {cell}, so you cannot stop there; keep going to a free cell.",
        "You cannot end your move on another meeple's cell; keep going to a free one.",
    ),
    "hand_not_empty": (
        "Pour or give back what is in your hand first: {hand}.",
        "Pour or give back what is in your hand first.",
    ),
    "hand_empty": ("Your hand is already empty.",),
    "not_in_hand": (
        "You have no {ingredient} in your hand; it holds {hand}.",
        "You do not have that ingredient in your hand.",
    ),
    "cup_is_empty": ("Cup {cup} is already empty.", "That cup is already empty."),
    "cup_does_not_match": (
        "Cup {cup} holds {contents}; that matches none of the orders in slot {slot} ({wanted}).",
        "That cup matches no order in that slot.",
    ),
    "cup_does_not_match/empty_cup": ("Cup {cup} is empty, so it matches no order.",),
    "cup_does_not_match/empty_slot": ("There are no orders in slot {slot}.",),
    "too_few_completed": (
        "An upgrade costs {needs} completed orders; you have {have}.",
        "You do not have enough completed orders for an upgrade.",
    ),
    "upgrade_is_active": (
        "The upgrade “{upgrade}” is already active.",
        "That upgrade is already active.",
    ),
    "nothing_to_undo": ("There is nothing to undo this turn.",),
    # the table
    "say_hello": ("The host does not know you; join the table again.",),
    "stale": ("The table changed before your action arrived; have another look.",),
    "wrong_stage": ("You cannot do that {stage}, only {stages}.", "You cannot do that now."),
    "wrong_stage/all_played": ("All games at this table have been played.",),
    "wrong_stage/tournament": (
        "Somebody at this table is playing in the tournament; no other game can start here until "
        "it is over.",
    ),
    "paused": (
        "The game is paused (“{why}”); wait until it goes on.",
        "The game is paused; wait until it goes on.",
    ),
    "not_seated": ("You are a spectator; only players can do that.",),
    "seated": ("You have a seat already.",),
    "not_owner": (
        "Only the owner of the table, {name}, can do that.",
        "Only the owner of the table can do that.",
    ),
    "not_owner/hall": ("Only the owner of the first table can do that.",),
    "table_full": (
        "This table has {seats} seats, and all are taken; watch, and get in line for one.",
        "No seat is free; watch, and get in line for one.",
    ),
    "table_full/game": (
        "A game is being played, so you cannot sit down now; watch it, and get in line for the "
        "next one.",
    ),
    "too_many_spectators": (
        "There are already {most} spectators; come back later.",
        "There are already too many spectators; come back later.",
    ),
    "no_such_table": ("That table has closed; join again to sit down at another one.",),
    "no_such_table/gone": ("That table has closed.",),
    "no_such_table/stays": ("Only tables that a player has opened can be closed.",),
    "too_many_tables": (
        "There are already {most} tables; sit down at one of them.",
        "There are already too many tables; sit down at one of them.",
    ),
    "too_many_tables/one": ("This host has only one table.",),
    "too_many_tables/own": (
        "You have already opened {most} tables; they close once everybody has left.",
        "You have already opened too many tables; they close once everybody has left.",
    ),
    "no_tournament": ("There is no tournament here, or it is over.",),
    "tournament_begun": ("A tournament is being played; end it before you begin another one.",),
    "round_begun": ("This round is still being played; wait until all its games are over.",),
    "tournament_full": (
        "The tournament already has {most} players; watch it instead.",
        "The tournament is full; watch it instead.",
    ),
    "bad_text": ("That text has no printable characters; type something else.",),
    "name_taken": (
        "Somebody at the table is already called {name}; choose another name.",
        "Somebody at the table already has that name; choose another one.",
    ),
    "name_taken/table": ("Another table already has that name; choose another one.",),
    "no_such_seat": (
        "There is no seat {seat}; this table has seats 1 to {seats}.",
        "There is no such seat at this table.",
    ),
    "no_such_seat/open": ("Nobody is sitting in seat {seat}.",),
    "no_such_seat/own": ("Seat {seat} is yours; you cannot remove yourself.",),
    "no_such_spectator": (
        "There is no spectator called {name}.",
        "There is no spectator with that name.",
    ),
    "no_such_spectator/queue": (
        "{name} is not waiting for a seat.",
        "That person is not waiting for a seat.",
    ),
    "no_such_guest": ("This guest is no longer asking to come in.",),
    "seat_not_free": (
        "{name} is sitting in seat {seat}; choose another seat, or remove them first.",
        "That seat is taken.",
    ),
    "unknown_bot": (
        "There is no bot “{bot}” here; choose one of these: {bots}.",
        "There is no such bot here.",
    ),
    "too_few_players": (
        "A game needs at least {needs} players, and you have {have}; "
        "wait for somebody, or add a bot.",
        "There are too few players for a game; wait for somebody, or add a bot.",
    ),
    "too_few_players/tournament": (
        "A round needs at least {needs} players who have entered, but only {have} are here.",
        "A round needs more players who have entered.",
    ),
    "not_ready": (
        "The game cannot start yet; these players are not ready: {who}.",
        "The game cannot start yet; not everybody is ready.",
    ),
    "no_record": (
        "The host has no record of game {game}.",
        "The host has no record of that game.",
    ),
    "no_standby": (
        "{name}'s program cannot host this table.",
        "That person's program cannot host this table.",
    ),
    "no_standby/tournament": ("The tables stay on this host until the tournament is over.",),
    "no_handover": ("Nobody is asking you to host the table now.",),
    "gathering": (
        "The game goes on as soon as {needs} of its players are connected; "
        "so far there are {have}.",
        "The game goes on as soon as more of its players are connected.",
    ),
    "id_reused": ("The host mistook this for an earlier request; please try again.",),
    "too_fast": (
        "That was too fast: the host accepts at most {most} requests per second. Wait a moment.",
        "That was too fast; wait a moment.",
    ),
    "removed": ("The owner has removed you from the table.",),
    "record_failed": (
        "The host could not save that, so nothing has changed; its disk may be full. Try again.",
    ),
    # the door
    "door_busy": ("Too many people are joining at once; try again in a few seconds.",),
    "bad_key": ("The host cannot read this program's key; update both programs.",),
    "code_needed": ("This table asks for its join code: the three words on the host's screen.",),
    "wrong_code": ("That join code is wrong or has changed; look at the host's screen.",),
    "too_many_tries": (
        "Too many wrong codes came from this computer; wait {minutes} minutes, then look for the "
        "code on the host's screen.",
        "Too many wrong codes came from this computer; wait a while, then look for the code on the "
        "host's screen.",
    ),
}
"""By code, or code and `reason`: a text, and what is said instead where data is missing."""

REFUSAL_WORDS: Final[dict[str, dict[str, str]]] = {
    "what you can do": {
        "place_meeple": "place a meeple",
        "activate_upgrade": "activate an upgrade",
        "step": "take a step",
        "empty_cup": "empty a cup",
        "pour": "pour an ingredient",
        "return_rest": "give back the rest",
        "serve": "serve an order",
        "end_turn": "end your turn",
        "undo": "undo",
    },
    "list": {"and": "{items} and {last}"},
    "list before i": {"and": "{items} and {last}"},
    "stage": {
        "lobby": "before a game",
        "game": "during a game",
        "result": "after a game",
        "lobby, result": "before or after a game",
    },
}
"""By context: what the words of a datum are in a sentence."""

Say: TypeAlias = Callable[[str, str], str]
"""Takes a context, which may be empty, and an English text; returns it in some language."""


def _in_english(_context: str, text: str) -> str:
    return text


def refusal_text(code: str, params: Mapping[str, str | int], say: Say = _in_english) -> str:
    """Return the sentence for a refusal, with as much of its data as is there and makes sense.

    It is empty if the code is unknown: a later host's own text has to do.
    """
    if code not in REFUSAL_TEXTS:
        return ""
    named = {name: words for name in params if (words := _words(name, params[name], say))}
    texts = (*REFUSAL_TEXTS.get(f"{code}/{params.get('reason')}", ()), *REFUSAL_TEXTS[code])
    return say("", next(text for text in texts if fields(text) <= named.keys())).format_map(named)


def fields(text: str) -> set[str]:
    """Return the names in the braces of a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def param_list(items: Iterable[object]) -> str:
    """Return items as one datum, `Mocha, Lungo`: as many as the wire takes, then `…`."""
    kept = ""
    for item in items:
        longer = f"{kept}, {item}" if kept else str(item)
        if clip(f"{longer}, …", PARAM_CHARACTERS) != f"{longer}, …":
            return f"{kept}, …"
        kept = longer
    return kept


def and_list(items: Iterable[str], say: Say = _in_english) -> str:
    """Join items as a sentence does: `milk, 2 ice and tea`; empty if there are none."""
    *others, last = [*items] or [""]
    if not others:
        return last
    context = "list before i" if _SOUNDS_LIKE_I.match(last) else "list"
    text = say(context, REFUSAL_WORDS[context]["and"])
    return text.format(items=say("", ", ").join(others), last=last)


_SOUNDS_LIKE_I: Final = re.compile(r"[ií]|h[ií](?![ae])", re.IGNORECASE)
"""The start of a word before which Spanish says `e` instead of `y`; not that of `hielo`."""


def _words(name: str, value: str | int, say: Say) -> str:
    """Put a datum into words; empty if it does not have the expected form."""
    match name, value:
        case "cell" | "here", int() if 0 <= value < BOARD_SIDE**2:
            row, column = divmod(value, BOARD_SIDE)
            place = say("", "row {row}, column {column}")
            return place.format(row=row + 1, column=column + 1)
        case "ingredient", int() if 0 <= value < len(Ingredient):
            return _ingredient(value, say)
        case "upgrade", int() if 0 <= value < len(Upgrade):
            return say("upgrade", Upgrade(value).name.lower().replace("_", " "))
        case "hand" | "contents", str():
            return _counts(value, say)
        case "wanted", str():
            drinks = (clean_line(drink) for drink in value.split(", "))
            return say("", ", ").join(say("drink", drink) for drink in drinks)
        case "allowed", str():
            words = REFUSAL_WORDS["what you can do"]
            known = (words[intent] for intent in value.split(", ") if intent in words)
            return say("", ", ").join(say("what you can do", word) for word in known)
        case "stage" | "stages", str() if value in REFUSAL_WORDS["stage"]:
            return say("stage", REFUSAL_WORDS["stage"][value])
        case "name" | "who" | "why" | "bot" | "bots", str():
            return clean_line(value)
        case "seat", int():
            return str(value + 1)
        case _, int() if name in _NUMBERS:
            return str(value)
    return ""


_NUMBERS: Final = frozenset(
    {"cup", "slot", "needs", "have", "most", "minutes", "meeple", "moved", "players", "seats"}
    | {"steps", "game"}
)


def _counts(value: str, say: Say) -> str:
    """Return `0, 1, 0, 2, 0, 0, 0, 0` as `milk and 2 ice`; empty if it is not such a list."""
    counts = [int(count) if count.isdecimal() else -1 for count in value.split(", ")]
    if len(counts) != len(Ingredient) or min(counts) < 0:
        return ""
    named = (
        _ingredient(kind, say)
        if count == 1
        else say("", "{count} {ingredient}").format(count=count, ingredient=_ingredient(kind, say))
        for kind, count in enumerate(counts)
        if count
    )
    return and_list(named, say) or say("", "nothing")


def _ingredient(kind: int, say: Say) -> str:
    return say("ingredient", Ingredient(kind).name.lower())
