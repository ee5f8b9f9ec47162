"""A replay: the frames of a finished game, steps through them in words, and its review. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.history import KEPT, History
from coffeerush.client.model import Model
from coffeerush.records.entries import Move, Record
from coffeerush.records.export import result_of
from coffeerush.rules import State, deal_events, events, tallies, view_for, with_own
from coffeerush.rules.board import unpack
from coffeerush.ui.advice.review import (
    BestTurn,
    Fall,
    PlayedTurn,
    Reason,
    Review,
    ReviewedTurn,
    brought,
    expiring,
    played_turns,
    review,
    review_turn,
)
from coffeerush.ui.words.command_words import QUITTING, abbreviated, folded, said, spelled
from coffeerush.ui.words.events import digest, drink_list, drink_names, event_line
from coffeerush.ui.words.i18n import N_, NC_, _, ngettext, pgettext
from coffeerush.ui.words.names import (
    and_list,
    counts_line,
    item_list,
    penalties,
    points,
    seat_name,
    tokens,
    upgrade_name,
    upgrades,
)
from coffeerush.ui.words.table import result_lines
from protocol import (
    BOT_NAME_CHARACTERS,
    Cell,
    Counts,
    EndTurn,
    Event,
    GameEnded,
    GameStarted,
    Intent,
    OrderServed,
    PenaltiesTaken,
    Pour,
    Poured,
    RestReturned,
    ReturnRest,
    Seat,
    SeatView,
    Step,
    Stepped,
    TableMoved,
    TableView,
    TurnStarted,
    UpgradeActivated,
)

Cups: TypeAlias = tuple[Counts, ...]
MAX_NUMBER: Final = 9
"""Maximum digits of a typed rev."""


class Frame(Struct, frozen=True):
    """The game after an accepted intent or, at rev 0, after the deal."""

    rev: int
    model: Model
    """A spectator's model, but with the hand visible."""
    events: tuple[Event, ...]
    """All events of the intent."""
    cups: tuple[Cups, ...]
    """The cups of each seat."""
    mover: Seat | None
    """The seat that made the intent; None before the first."""

    @property
    def begins_turn(self) -> bool:
        """Whether a turn begins or the game ends here."""
        return _has(self.events, TurnStarted, GameEnded)

    @property
    def viewpoint(self) -> Seat:
        """The default point of view: the seat whose turn begins, else the one that acted."""
        assert self.model.view is not None, "a frame always has one"
        active = self.model.view.active
        if self.mover is None or (active is not None and self.begins_turn):
            return active or 0
        return self.mover


class Replay:
    """The frames of a finished game."""

    def __init__(self, record: Record) -> None:
        """Recompute all states of the record; raises `RecordError` if the game is not over."""
        result_of(record)
        self._record = record
        self._head = record.head
        self._moves = record.moves
        self._states = tuple(record.states())
        self._reviewed: dict[int, ReviewedTurn] = {}
        self.players = len(record.head.seats)
        self._events = tuple(_events_of(record, self._states))
        self._totals = tuple(accumulate(map(len, self._events)))
        self.turns = (0, *self._revs_with(TurnStarted, GameEnded))
        """The revs where a turn begins; the first is the deal, the last the end of the game."""
        self.marks = self._revs_with(OrderServed, PenaltiesTaken)
        """The revs where an order is served or expires."""
        self.rounds = tuple(
            rev
            for rev, (before, after) in enumerate(pairwise(self._states), 1)
            if after.round != before.round
        )
        """The revs where a round begins."""

    @property
    def stop(self) -> int:
        """The last rev, at which steps on stop; the first is 0."""
        return len(self._states) - 1

    @property
    def last(self) -> int:
        """The number of the last frame: the result, which follows `stop`; of a line, `stop`."""
        return self.stop + (self._states[-1].active is None)

    def place(self, number: int) -> str:
        """Return the rev of a frame among all, as people read it."""
        return f"{min(number, self.stop)}/{self.stop}"

    def played_after(self, rev: int) -> int:
        """Return the rev that playback shows after one: pours in a row are one, as at a table."""
        later = range(rev + 1, self.last)
        return next(
            (at for at in later if not (self._pours(at) and self._pours(at + 1))), self.last
        )

    def _pours(self, rev: int) -> bool:
        return isinstance(self._moves[rev - 1].intent, Pour | ReturnRest)

    def frame(self, number: int) -> Frame:
        """Return the frame of a rev, or that of the result, which is the last rev's too."""
        rev = min(number, self.stop)
        state = self._states[rev]
        cups = tuple(tuple(map(unpack, player.cups)) for player in state.players)
        mover = self._moves[rev - 1].seat if rev else None
        model = self._model(rev, state, over=number > self.stop)
        return Frame(rev, model, self._events[rev], cups, mover)

    def turn_so_far(self, rev: int) -> list[str]:
        """Return what has happened in a turn until a rev, which may be its end, in sentences."""
        begun = max((turn for turn in self.turns if turn < rev), default=-1)
        done = tuple(chain.from_iterable(self._events[begun + 1 : rev + 1]))
        model = replace(self.frame(rev).model, history=History(done, len(done)))
        return [line for line in digest(model) if isinstance(line, str)]

    def seen_by(self, frame: Frame, seat: Seat) -> Model:
        """Return a frame's model from the point of view of a seat."""
        assert frame.model.view is not None, "a frame always has one"
        view = with_own(frame.model.view, self._states[frame.rev], seat)
        return replace(frame.model, role="player", seat=seat, view=view)

    def branch(self, rev: int, intents: Iterable[Intent]) -> "Replay":
        """Return a replay of the same game up to `rev`, in which other intents of a turn follow."""
        seat = self._states[rev].active
        assert seat is not None  # its turn has begun
        others = (Move(number, seat, intent) for number, intent in enumerate(intents, rev + 1))
        return Replay(replace(self._record, moves=(*self._moves[:rev], *others)))

    @property
    def reviewer(self) -> Seat:
        """The seat to review unless another is chosen: the first person's."""
        seats = enumerate(self._head.seats)
        return next((seat for seat, player in seats if not player.bot), 0)

    def turns_of(self, seat: Seat) -> tuple[PlayedTurn, ...]:
        """Return the turns of a seat, to be reviewed one by one."""
        intents = [move.intent for move in self._moves]
        return tuple(played_turns(self._states, intents, seat, self._record.stand_ins()))

    def review_turn(self, turn: PlayedTurn) -> ReviewedTurn:
        """Review a turn, once; the same record gives the same review."""
        if turn.rev not in self._reviewed:
            self._reviewed[turn.rev] = review_turn(turn, self._head.setup.seed)
        return self._reviewed[turn.rev]

    def review(self, turns: Sequence[ReviewedTurn], seat: Seat) -> Review:
        """Return the review of a seat from all of its reviewed turns."""
        return review(turns, self._states[-1], seat)

    def _revs_with(self, *kinds: type[Event]) -> tuple[int, ...]:
        return tuple(rev for rev, events in enumerate(self._events) if _has(events, *kinds))

    def _model(self, rev: int, state: State, over: bool) -> Model:
        latest = tuple(chain.from_iterable(self._events[max(rev - KEPT, 0) : rev + 1]))
        return Model(
            role="spectator",
            name="",
            status="here",
            game=self._head.game,
            rev=rev,
            table=self._table(over),
            view=replace(view_for(state, None), hand=unpack(state.hand)),
            history=History(latest[-KEPT:], self._totals[rev]),
        )

    def _table(self, over: bool) -> TableView:
        head = self._head
        return TableView(
            name=head.table,
            stage="result" if over else "game",
            seats=tuple(
                SeatView(
                    "bot" if seated.bot else "person",
                    seated.name,
                    seated.bot.rpartition(":")[2][:BOT_NAME_CHARACTERS],
                    letter=seated.letter,
                    colour=seated.colour,
                )
                for seated in head.seats
            ),
            owner=None,
            bots=(),
            spectators=(),
            starters=head.setup.starters,
            turn_seconds=head.turn_seconds,
            clock=None,
            tallies=tallies(self._states) if over else (),
        )


def event_lines(frame: Frame) -> list[str]:
    """Return a frame's events, one sentence per line, with the rev before the first."""
    first, *others = [event_line(event, frame.model) for event in frame.events]
    return [_("{rev}. {sentence}").format(rev=frame.rev, sentence=first), *others]


def table_lines(frame: Frame) -> list[str]:
    """Return one line per player and, if the game is over, the result."""
    seats = [_seat_line(frame, seat) for seat in range(len(frame.cups))]
    view = frame.model.view
    return seats if view is None else [*seats, *result_lines(frame.model, view)]


def _events_of(record: Record, states: tuple[State, ...]) -> Iterator[tuple[Event, ...]]:
    """Yield the events of each state, as the player who acted knows them."""
    dealt = states[0]
    names = tuple(seated.name for seated in record.head.seats)
    seats = tuple(range(len(names)))
    moved = {relocation.rev: TableMoved(relocation.name) for relocation in record.relocations}
    begun = (GameStarted(names, seats, dealt.start), *deal_events(dealt))
    yield (*begun, moved[0]) if 0 in moved else begun
    for move, before, after in zip(record.moves, states, states[1:], strict=False):
        happened = events(before, move.intent, after, move.seat)
        yield (*happened, moved[move.rev]) if move.rev in moved else happened


def _has(events: tuple[Event, ...], *kinds: type[Event]) -> bool:
    return any(isinstance(event, kinds) for event in events)


def _seat_line(frame: Frame, seat: Seat) -> str:
    assert frame.model.view is not None  # a frame always has one
    player = frame.model.view.players[seat]
    one, two, three = map(counts_line, frame.cups[seat])
    slots = (
        _("slot {slot}: {drinks}").format(slot=slot, drinks=drink_list(frame.model, drinks))
        for slot, drinks in enumerate(player.orders, 1)
        if drinks
    )
    return _(
        "{name}: {points}, {tokens}. Cup 1: {one}. Cup 2: {two}. Cup 3: {three}. Orders: {orders}."
    ).format(
        name=seat_name(frame.model, seat),
        points=points(player.score),
        tokens=tokens(player.rush),
        one=one,
        two=two,
        three=three,
        orders=_("; ").join(slots) or pgettext("orders", "none"),
    )


# A replay in plain mode: a typed line in, sentences out


_WORDS: Final = (
    *(word for _context, word in (NC_("command", "back"), NC_("command", "go"))),
    "analysis",
)
"""The command words of a replay, apart from `leave`, which cannot be abbreviated."""


def typed_command(line: str) -> tuple[str, str]:
    """Return the command word that a line in a replay begins with, and the rest of the line.

    The word is "" if the line is empty, and the first word of the line if it is no command.
    """
    token, rest = (*line.split(maxsplit=1), "", "")[:2]
    first = folded(token)
    if not first:
        return token, rest.strip()
    if first in ("q", *QUITTING) or spelled(first, ("leave",)):
        return "leave", rest.strip()
    found = spelled(first, _WORDS) or next(iter(abbreviated(first, _WORDS)), token)
    return found, rest.strip()


def leaves(line: str) -> bool:
    """Return whether a line leaves the replay."""
    return typed_command(line) == ("leave", "")


def follow(words: str, at: int, last: int) -> int | None:
    """Return the rev that "", "back" or "go 12" leads to from `at`; None if invalid or outside."""
    match typed_command(words):
        case ["", ""]:
            rev = at + 1
        case ["back", ""]:
            rev = at - 1
        case ["go", number] if number.isdecimal() and len(number) <= MAX_NUMBER:
            rev = int(number)
        case _:
            return None
    return rev if 0 <= rev <= last else None


class Steps:
    """A position in a replay, which typed lines change."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self._at = 0

    @property
    def place(self) -> str:
        """The number of the frame, and of the last one."""
        return f"[{self.replay.place(self._at)}]"

    def shown(self) -> list[str]:
        """Return the present frame in sentences; after the last action, with the result."""
        is_last = self._at == self.replay.stop
        frame = self.replay.frame(self.replay.last if is_last else self._at)
        return [*event_lines(frame), *table_lines(frame)]

    def typed(self, words: str) -> list[str]:
        """Go where a line says; return the frame there, or what can be typed."""
        rev = follow(words, self._at, self.replay.stop)
        if rev is None:
            return [self.help()]
        self._at = rev
        return self.shown()

    def help(self) -> str:
        """Return the commands that can be typed."""
        if self._at == self.replay.stop:
            text = _(
                "This is the end: “{backward}” goes back, “{go} 0” goes to the beginning, "
                "“{analysis}” analyses the turns, “{leave}” quits."
            )
        else:
            text = _(
                "Enter continues, “{backward}” goes back, “{go}” and a number up to {last} goes "
                "to that action, “{analysis}” analyses the turns, “{leave}” quits."
            )
        return text.format(
            backward=said("back"),
            go=said("go"),
            analysis=said("analysis"),
            leave=said("leave"),
            last=self.replay.stop,
        )


# A review in words: the marked turns, the better lines and what to remember


_WITHOUT: Final[tuple[tuple[type[Event], ...], ...]] = (
    (Poured, RestReturned, Stepped),
    (Poured, RestReturned),
    (),
)
"""What is left out of two lines that are compared, unless only that differs."""
WHOLE: Final = 100
"""A whole chance, in percentage points."""
_LESSONS: Final = {
    Reason.UPGRADE: N_("Remember: an upgrade is worth most while the deck is full."),
    Reason.NO_UPGRADE: N_(
        "Remember: an upgrade costs a point at once; take one only if its use brings back more."
    ),
    Reason.SAVE: N_("Remember: look first at what expires, because each such order costs a point."),
    Reason.SERVE: N_("Remember: before you step, look for a path that serves one more order."),
    Reason.KEEP_RUSH: N_("Remember: spend a rush token only if it serves another order."),
    Reason.PREPARE: N_("Remember: fill cups that are left over for the orders of your next turn."),
}


def review_lines(replay: Replay, review: Review) -> list[str]:
    """Return a whole review, one line per sentence; "you" is its player."""
    seat = review.seat
    lines = [
        _("Analysis for {name}").format(name=name_of(replay, seat)),
        *praise(review),
        *penalty_lines(replay, review),
    ]
    for reviewed in review.marked:
        label = _("In the game, from action {rev} on: {deeds}")
        lines += [judgement(reviewed), *compared(replay, seat, reviewed, label)]
    return [*lines, *balance(review)]


def name_of(replay: Replay, seat: Seat) -> str:
    """Return a player's name."""
    return seat_name(replay.frame(0).model, seat)


def judgement(turn: ReviewedTurn) -> str:
    """Return which turn it is, and what it cost."""
    text = (
        _(
            "Round {round} was decisive: your chance to win was about {after}% after your turn, "
            "{before}% after a better one."
        )
        if turn.grade == "blunder"
        else _(
            "Round {round} could have been better: your chance to win was about {after}% after "
            "your turn, {before}% after a better one."
        )
    )
    return text.format(round=turn.turn.begun.round, before=turn.best_chance, after=turn.chance)


def why(replay: Replay, turn: ReviewedTurn) -> str:
    """Return why the better line is better."""
    match turn.reason:
        case Reason.UPGRADE:
            text = _("The upgrade pays for itself.")
        case Reason.NO_UPGRADE:
            text = _("It saves the orders that the upgrade would cost.")
        case Reason.SAVE:
            text = ngettext("It saves {count} penalty.", "It saves {count} penalties.", turn.count)
        case Reason.SERVE:
            text = ngettext(
                "It serves {count} more order.", "It serves {count} more orders.", turn.count
            )
        case Reason.KEEP_RUSH:
            text = ngettext(
                "It keeps {count} more rush token.",
                "It keeps {count} more rush tokens.",
                turn.count,
            )
        case Reason.PREPARE if turn.coming:
            text = _("It prepares your next turn better, in which you could serve: {drinks}.")
        case Reason.PREPARE:
            text = _("It prepares your next turn better.")
    drinks = drink_names(replay.frame(0).model, turn.coming)
    text = text.format(count=turn.count, drinks=drinks)
    return f"{text} {_in_spite(fewer)}" if (fewer := _fewer(turn)) else text


def _fewer(turn: ReviewedTurn) -> int:
    """Return how many orders fewer the better line serves, which is better for another reason."""
    return 0 if turn.reason is Reason.SERVE else max(0, turn.fewer)


def _in_spite(fewer: int) -> str:
    """Say that the better line is better although it serves so many fewer orders."""
    return ngettext(
        "That is worth more than serving {count} more order.",
        "That is worth more than serving {count} more orders.",
        fewer,
    ).format(count=fewer)


def praise(review: Review) -> Iterator[str]:
    """Yield what was good, if the person had any turns."""
    fine, total = review.costs.count(0), len(review.costs)
    if fine and fine == total and not (review.end or review.by_bot):
        yield _(
            "What others did and drew decided the game: none of your turns could have been "
            "clearly better."
        )
    elif fine and fine == total:
        praised = _("You made no mistake: none of your turns could have been clearly better.")
        yield _("None of your turns could have been clearly better.") if review.expired else praised
    elif fine:
        text = ngettext(
            "{count} of your {total} turns was good.",
            "{count} of your {total} turns were good.",
            fine,
        )
        yield text.format(count=fine, total=total)
    if review.best:
        yield best_turn(review.best)


def best_turn(turns: Sequence[BestTurn]) -> str:
    """Return in which rounds the best turns were, and what each of them brought."""
    best = turns[0]
    brought = item_list(_gains(best))
    if len(turns) > 1:
        text = _("Your best turns were in rounds {rounds}, each with {deeds}.")
        rounds = and_list(str(reviewed.turn.begun.round) for reviewed in turns)
        return text.format(rounds=rounds, deeds=brought)
    text = _("Your best turn was in round {round}: {deeds}.")
    return text.format(round=best.turn.begun.round, deeds=brought)


def _gains(gain: BestTurn) -> Iterator[str]:
    """Yield what a turn brought: orders, penalties that it avoided, upgrades."""
    if gain.served:
        text = ngettext("{count} order served", "{count} orders served", gain.served)
        yield text.format(count=gain.served)
    if gain.saved:
        text = ngettext("{count} penalty avoided", "{count} penalties avoided", gain.saved)
        yield text.format(count=gain.saved)
    if gain.upgrades:
        yield upgrades(gain.upgrades)


def penalty_lines(replay: Replay, review: Review) -> Iterator[str]:
    """Yield everything that expired, and whether it could have been served instead."""
    model = replay.frame(0).model
    for kind, text in (
        ("within", _("Expired, but what you did instead was worth as much: {orders}.")),
        ("beyond", _("Expired, out of reach: {orders}.")),
        ("untold", _("Expired: {orders}.")),
    ):
        orders = [
            _("{drinks} (round {round})").format(
                drinks=drink_names(model, drinks), round=expired.round
            )
            for expired in review.expired
            if (drinks := getattr(expired, kind))
        ]
        if orders:
            yield text.format(orders=item_list(orders))


def turning_points(review: Review) -> str:
    """Return in which rounds the marked turns are; "" if none is."""
    rounds = [str(turn.turn.begun.round) for turn in review.marked]
    text = _("Your turns in rounds {rounds} cost most.")
    if len(rounds) == 1:
        text = _("Your turn in round {rounds} cost most.")
    return text.format(rounds=and_list(rounds)) if rounds else ""


def balance(review: Review) -> Iterator[str]:
    """Yield the sentences on the whole game: who played it, what it cost, the lesson."""
    if review.by_bot:
        yield ngettext(
            "A bot played {count} turn in your place; it is not judged.",
            "A bot played {count} turns in your place; they are not judged.",
            review.by_bot,
        ).format(count=review.by_bot)
    if review.lost:
        if review.lost <= WHOLE:  # more than a whole chance means nothing
            text = _(
                "Your chance to win was {start}% at the beginning and {end}% at the end. The best "
                "turns found here would have been worth {lost}%."
            )
            if review.end > review.start:  # nothing may take the win away
                text = _(
                    "Your chance to win rose from {start}% to {end}%. The best turns found here "
                    "would have made the win safer by {lost}%."
                )
            yield text.format(start=review.start, end=review.end, lost=review.lost)
    elif not review.end and review.falls:
        yield fall_line(max(review.falls, key=lambda fall: fall.before - fall.after))
    if review.lesson is not None:
        yield _(_LESSONS[review.lesson])


def fall_line(fall: Fall) -> str:
    """Return how much the chance to win fell although nothing was played badly."""
    text = _(
        "After your turn in round {round}, your chance to win fell from about "
        "{before}% to {after}% because of what others did and drew."
    )
    return text.format(round=fall.round, before=fall.before, after=fall.after)


def fine_line(turn: ReviewedTurn, review: Review) -> str:
    """Return the cost of a turn that is not marked, or what a good one brought, and bad luck."""
    falls = (fall_line(fall) for fall in review.falls if fall.told == turn.turn.rev)
    return " ".join([_fine(turn, [best.turn for best in review.best]), *falls])


def _fine(turn: ReviewedTurn, best: Sequence[PlayedTurn]) -> str:
    if turn.turn.by_bot:
        text = _("Round {round}: a bot played this turn in your place.")
    elif best == [turn.turn]:
        text = _("Round {round}, your best turn: {deeds}. {after}% to win after it.")
    elif turn.turn in best:
        text = _("Round {round}, one of your best turns: {deeds}. {after}% to win after it.")
    elif not turn.cost:
        text = _("Round {round}, a good turn: {deeds}. {after}% to win after it.")
    else:
        text = _(
            "Round {round}: your chance to win was about {after}% after your turn, {before}% after "
            "a better one."
        )
    did = [*_gains(brought(turn.turn))] or [_("no order served")]
    did += [penalties(lost)] if (lost := len(expiring(turn.turn))) else []
    return text.format(
        round=turn.turn.begun.round,
        before=turn.best_chance,
        after=turn.chance,
        deeds=item_list(did),
    )


def learned(replay: Replay, seat: Seat, turn: ReviewedTurn) -> Iterator[str]:
    """Yield what there is to learn from a turn that is not marked, the most important last."""
    if turn.cost:
        yield why(replay, turn)
    elif turn.coming:
        drinks = drink_names(replay.frame(0).model, turn.coming)
        yield _("Your next turn could then serve: {drinks}.").format(drinks=drinks)
    if turn.other:
        text = _("Otherwise at best {after}%: {deeds}.")
        if turn.other_chance == turn.chance:
            text = _("As good: {deeds}.")
        did = item_list(_other_deeds(replay, seat, turn))
        yield text.format(after=turn.other_chance, deeds=did)


def _other_deeds(replay: Replay, seat: Seat, turn: ReviewedTurn) -> Iterator[str]:
    """Yield what the next best line after a good turn would have served and activated."""
    before_end = tuple(intent for intent in turn.other if not isinstance(intent, EndTurn))
    model = _after(replay, turn.turn.rev, before_end, seat)
    served = tuple(event.drink for event in model.log if isinstance(event, OrderServed))
    active = [event.upgrade for event in model.log if isinstance(event, UpgradeActivated)]
    for upgrade in active:
        yield _("activating {upgrade}").format(upgrade=upgrade_name(upgrade))
    if served:
        yield _("serving {drinks}").format(drinks=drink_names(model, served))
    elif not active:
        yield _("serving nothing")


def compared(
    replay: Replay, seat: Seat, turn: ReviewedTurn, label: str, mark: str = ""
) -> list[str]:
    """Return what was played in a turn and what was better, a line for each: what differs.

    Serves and upgrades tell a turn from another; the steps too if these are the same, the pours
    if the steps are. The line that was better always has its reason.

    Args:
        replay: the game.
        seat: whose turn.
        turn: the turn.
        label: of what was played.
        mark: what the better line has on the board, if it is drawn there.
    """
    intents = turn.turn.intents, turn.best
    drawn = _("Better ({mark} on the board): {deeds}")
    better_label, played, better = drawn if mark else _("Better: {deeds}"), [], []
    for without in _WITHOUT:
        one, other = (deeds(replay, turn.turn.rev, line, seat, without) for line in intents)
        played = [sentence for sentence in one if sentence not in other]
        better = [sentence for sentence in other if sentence not in one]
        if better:
            break
    told = [label.format(deeds=" ".join(played), rev=turn.turn.rev)] if played else []
    better = [*better, why(replay, turn)]
    return [*told, better_label.format(deeds=" ".join(better), mark=mark)]


def deeds(
    replay: Replay,
    rev: int,
    intents: Iterable[Intent],
    seat: Seat,
    without: tuple[type[Event], ...] = (),
) -> list[str]:
    """Return a turn of a seat in sentences, from its intents; `rev` is its beginning.

    Events of some kinds can be left out; none if nothing else happens.
    """
    before_end = tuple(intent for intent in intents if not isinstance(intent, EndTurn))
    model = _after(replay, rev, before_end, seat)
    if without:
        events = tuple(event for event in model.log if not isinstance(event, without))
        model = replace(model, history=History(events, len(events)))
    told = [line for line in digest(model) if isinstance(line, str)]
    return told or ([] if without else [_("You do nothing.")])


@lru_cache(maxsize=8)  # a screen asks again for every frame
def _after(replay: Replay, rev: int, line: tuple[Intent, ...], seat: Seat) -> Model:
    """Return the model of a seat after a line; its log has only that line."""
    played = replay.branch(rev, line)
    events = [event for at in range(rev + 1, played.stop + 1) for event in played.frame(at).events]
    return replace(
        played.frame(played.stop).model,
        role="player",
        seat=seat,
        history=History(tuple(events), len(events)),
    )


# The review of a seat's turns: how far it is, its notes, the better line


class Reviewing(Struct, frozen=True):
    """A review, finished or not."""

    seat: Seat
    turns: tuple[PlayedTurn, ...]
    """All turns of the seat."""
    done: tuple[ReviewedTurn, ...] = ()
    review: Review | None = None
    """The result; None while turns are left."""
    line: Replay | None = None
    """The game with a better line, if that is shown."""
    theirs: bool = False
    """Whether it is not of the person who watches, so that each note says whom it calls "you"."""

    @property
    def next(self) -> PlayedTurn | None:
        """The turn to be reviewed next; None after the last one."""
        return None if len(self.done) == len(self.turns) else self.turns[len(self.done)]

    @property
    def marked(self) -> tuple[ReviewedTurn, ...]:
        """The marked turns; none before the review is finished."""
        return self.review.marked if self.review else ()

    @property
    def first_chosen(self) -> int:
        """The number of the turn most worth seeing: what cost most, or the best one."""
        worst = max(self.marked, key=lambda turn: turn.cost, default=None)
        if worst:
            return self.done.index(worst)
        best = self.review.best if self.review else ()
        return self.turns.index(best[0].turn) if best else 0

    def marked_at(self, rev: int) -> ReviewedTurn | None:
        """Return the marked turn in which a frame is."""
        turn = self.turn_at(rev)
        return turn if turn in self.marked else None

    def turn_at(self, rev: int) -> ReviewedTurn | None:
        """Return the reviewed turn in which a frame is."""
        return next((done for done in self.done if done.turn.rev <= rev < done.turn.end), None)


def added(replay: Replay, reviewing: Reviewing, turn: ReviewedTurn) -> Reviewing:
    """Add a reviewed turn, unless it is no longer the next one."""
    if reviewing.next is None or turn.turn.rev != reviewing.next.rev:
        return reviewing
    done = (*reviewing.done, turn)
    finished = len(done) == len(reviewing.turns)
    review = replay.review(done, reviewing.seat) if finished else None
    return replace(reviewing, done=done, review=review)


def better_walk(turn: ReviewedTurn) -> tuple[Cell, ...]:
    """Return the walk of the better line of a turn, from where it begins."""
    steps = [intent for intent in turn.best if isinstance(intent, Step)]
    begun = turn.turn.begun
    assert begun.active is not None, "its turn has begun"
    meeples = begun.players[begun.active].meeples
    return (*(meeples[step.meeple - 1] for step in steps[:1]), *(step.cell for step in steps))


def better_line(replay: Replay, turn: ReviewedTurn) -> Replay:
    """Return the game up to a turn, with the better line before its end."""
    best = [intent for intent in turn.best if not isinstance(intent, EndTurn)]
    return replay.branch(turn.turn.rev, best)


def line_note(replay: Replay, reviewing: Reviewing, at: int) -> str:
    """Return what a better line is or, at its end, what it would have brought."""
    line = reviewing.line
    turn = reviewing.marked_at(line.turns[-1]) if line and at == line.last else None
    if turn is None:
        return _("This is a better line that was not played.")
    text = _("Your chance to win would have been about {before}% instead of {after}%.")
    chances = text.format(before=turn.best_chance, after=turn.chance)
    return f"{why(replay, turn)} {chances}"


def notes(replay: Replay, reviewing: Reviewing, at: int, mark: str = "") -> Iterator[str]:
    """Yield the words of the review for the frame at a rev; none in others' turns.

    The wordings become shorter; the longest have several lines. `mark` is what the steps of the
    better line have on the board, if they are drawn there.
    """
    if reviewing.line is not None:
        yield " ".join([line_note(replay, reviewing, at), _("Esc returns to the game.")])
        return
    name = name_of(replay, reviewing.seat)
    if reviewing.review is None:
        text = _("Analysing {name}'s turns: {count} of {total} done")
        yield text.format(name=name, count=len(reviewing.done), total=len(reviewing.turns))
        return
    turn = reviewing.turn_at(at)
    if turn is None:
        return
    who = _("Analysis for {name}").format(name=name) + ": " if reviewing.theirs else ""
    if turn not in reviewing.marked:
        told = who + fine_line(turn, reviewing.review)
        more = [*learned(replay, reviewing.seat, turn)]
        yield from (" ".join([told, *more[left_out:]]) for left_out in range(len(more) + 1))
    else:
        lines = compared(replay, reviewing.seat, turn, _("In the game: {deeds}"), mark)
        yield who + "\n".join([judgement(turn), *lines])
        yield who + " ".join([judgement(turn), *lines])
        # what was played can be stepped through, if there is no room for both
        yield who + " ".join([judgement(turn), *lines[-1:]])
