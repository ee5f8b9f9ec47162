"""Plain mode without I/O: typed lines and new models in, sentences and wishes out."""

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model, Wish, rules_of
from coffeerush.client.talk import AnswerOffer, bot_remarks, offered
from coffeerush.client.turn import HURRY_SECONDS, Turn, TurnDraft, seconds_left
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import hint, move_seconds
from coffeerush.ui.advice.guide import follow, guide_lines
from coffeerush.ui.advice.guide_lessons import Progress
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.errors import refusal_line, status_line
from coffeerush.ui.words.events import event_line, expiring_lines, said_line
from coffeerush.ui.words.i18n import Lines, _, set_language
from coffeerush.ui.words.names import emote_text, name_heard, seat_name
from coffeerush.ui.words.table import (
    askers_news,
    bot_to_move,
    elsewhere_lines,
    go_on_told,
    hall_lines,
    handover_news,
    meeting_line,
    pause_line,
    seat_elsewhere,
    seat_news,
    slow_after,
    thinking_line,
    waiting_lines,
    with_setup_of,
)
from coffeerush.ui.words.tournament import best_news, tournament_news
from protocol import (
    NO_ID,
    Emote,
    GetRecord,
    GetTables,
    GetView,
    Hello,
    Ingredient,
    Intent,
    Meeple,
    MoveSeat,
    Poured,
    Queue,
    Ready,
    Refusal,
    Rename,
    ReturnRest,
    SetFirst,
    SetRules,
    Sync,
    TableView,
    TurnStarted,
)

from .commands import ROW_OF, hint_commands
from .parsing import context_of, parse
from .row import TURN, Command, Effect, Here, already, cannot
from .sentences import (
    Mark,
    awaited_lines,
    awaits_details,
    changed_lines,
    closed_line,
    direction_lines,
    fresh_events,
    has_begun,
    invited_lines,
    is_game_on,
    last_turn_lines,
    look_lines,
    mark_news,
    mark_of,
    not_now,
    playing,
    pour_lines,
    prompt_lines,
    record_lines,
    restarted,
    sentences,
    stage_lines,
    status_lines,
    time_lines,
)

if TYPE_CHECKING:
    from coffeerush.ui.replay.replay import Steps


# What calls for a player's attention in plain mode: their turn, and its last seconds


Call: TypeAlias = Literal["", "turn", "time"]
"""What the bell rings for, if anything: a turn has begun, or its last seconds have."""


class Attention(Struct, frozen=True):
    """What a player has to attend to."""

    turn: bool = False
    """Whether it is their turn."""
    time: bool = False
    """Whether its last seconds have begun."""


def attention(model: Model, age: float) -> Attention:
    """Return the matters for the player's attention; the table has this `age`, in seconds."""
    turn, left = model.my_turn and not model.bot_finishes, seconds_left(model, age)
    return Attention(turn, turn and left is not None and left <= HURRY_SECONDS)


def call(before: Attention, after: Attention) -> Call:
    """Return the call that has become due; of a short turn's start, its prompt has the time."""
    if after.turn and not before.turn:
        return "turn"
    return "time" if after.time and not before.time else ""


def _awaited_move(model: Model) -> "TurnId | None":
    return None if bot_to_move(model) is None else (model.epoch, model.game, model.rev)


# Plain mode without I/O: typed lines and new models in, sentences and wishes out


class Reply(Struct, frozen=True):
    """Lines to print, and requests to send."""

    lines: Lines = ()
    wishes: tuple[Wish, ...] = ()
    opens: str = ""
    """What to show of the finished game: "replay" or "analysis"."""
    call: Call = ""
    """What to ring the bell for, if anything."""
    settles: bool = False
    """Whether there is more to tell once nothing has changed for a while."""
    slow_after: int | None = None
    """After how many seconds to ask whether a bot is slow; None if that is known already."""


Prompted: TypeAlias = tuple[bytes, int, int, Ingredient | None, Meeple]
"""The subject of the last prompt: epoch, game, rev, next token in hand, and meeple."""
TurnId: TypeAlias = tuple[bytes, int, int]
"""Epoch, game and round, which identify one of this player's turns."""


class Session:
    """A person's session in plain mode."""

    def __init__(self, settings: Settings, starting: bool = False) -> None:
        self.settings = settings
        """The person's settings; replaced when they change."""
        self._starting = starting
        """Whether the first game starts by itself, so that its lobby is not announced."""
        self._queue: deque[Command | Intent] = deque()
        self._typed_at: TurnId | None = None
        """The turn in which the last line was typed."""
        self._asked: Command | None = None
        """The command of the last line that the next one can confirm."""
        self._sure = False
        """Whether the last line confirmed the one before."""
        self._draft = TurnDraft()
        self._model: Model | None = None
        self._prompted: Prompted | None = None
        self._table: TableView | None = None
        self._mark: Mark | None = None
        self._awaited: TurnId | None = None
        """The move of a bot that is awaited: epoch, game and rev."""
        self._age = 0.0
        """How old the table of the model is, in seconds."""
        self._attention = Attention()
        self._guided: set[str] = set()
        """Sentences of the first-game guide that were printed already."""
        self._progress = Progress()
        self._offer = AnswerOffer()
        self._answered = False
        """Whether the command that answers was explained."""
        self._pours: list[Poured] = []
        """Another player's pours, collected for one sentence."""
        self._wants_tables = False
        """Whether the tables of the host are to be told once it has answered."""
        self._steps: Steps | None = None
        """The replay that lines are typed to, if one is open."""

    @property
    def busy(self) -> bool:
        """Whether a typed command is still to be done, or unanswered."""
        pending = self._model.pending if self._model else ()
        asked = any(
            not isinstance(request, Hello | Sync | GetView | GetRecord) for request in pending
        )
        return asked or bool(self._queue)

    def line(self, model: Model, text: str, age: float = 0.0) -> Reply:
        """Handle a typed line; an empty one repeats the prompt. `age` is that of the table."""
        self._age = age
        if self._steps is not None:
            return self._step(self._steps, model, text.strip().lower())
        parsed = parse(text, context_of(model))
        self._sure = parsed.commands == (self._asked,)
        self._asked = None
        if model.elsewhere:
            return self._elsewhere(model, parsed.commands)
        if parsed.problem:
            return Reply((parsed.problem,))
        told = [*parsed.told]
        if not parsed.commands:
            self._prompted = None
            self._guided.clear()
            if not self._queue and not model.my_turn:
                told += awaited_lines(model)
        self._queue.extend(parsed.commands)
        self._typed_at = _turn_id(model)
        done = self._run_queue(model)
        return Reply((*told, *done.lines, *self._guide(model, done)), done.wishes, done.opens)

    def _elsewhere(self, model: Model, commands: Sequence[Command]) -> Reply:
        """Handle a line of the person at a host whose game went on at another one."""
        wish = ROW_OF[commands[0].word].elsewhere if len(commands) == 1 else None
        return Reply(wishes=(wish,)) if wish else Reply(elsewhere_lines(model))

    def show(self, steps: "Steps") -> Reply:
        """Step through a replay from now on, until it is left or the next game begins."""
        if is_game_on(self._model):
            return Reply((closed_line(),))
        self._steps = steps
        return Reply((*steps.shown(), steps.help(), steps.place))

    def _step(self, steps: "Steps", model: Model, words: str) -> Reply:
        # imported late so that joining does not wait for the bots that review
        from coffeerush.ui.replay.replay import leaves, typed_command

        if leaves(words):
            self._steps = None
            return Reply((_("You are back at the table."), *waiting_lines(model)))
        if typed_command(words) == ("analysis", ""):
            return Reply(opens="analysis")
        return Reply((*steps.typed(words), steps.place))

    def changed(self, model: Model, age: float = 0.0) -> Reply:
        """Handle a new model, whose table was received `age` seconds ago."""
        if awaits_details(self._model, model):
            return Reply()
        self._age = age
        before, self._model = self._model, model
        self._draft = self._draft.seen(before or model, model)
        self._progress = follow(self._progress, before or model, model, self._draft.aside)
        if before is not None and before.pause is not None and model.pause is None:
            self._prompted = None  # the turn goes on
        lines = self._happened(before, model)
        attended, self._attention = self._attention, attention(model, age)
        called = call(attended, self._attention)
        lines += time_lines(model, age, hurry=True) if called == "time" else ()
        if self._steps is not None and is_game_on(model):
            self._steps = None
            lines.append(closed_line())
        lines += self._refused(before, model)
        if model.status == "over":
            # other endings have an event or an error that says so
            return Reply((*lines, status_line(model)) if model.ending == "left" else tuple(lines))
        settles = False
        if before is not None and self._table and is_game_on(model) and not is_game_on(before):
            lines += self.settled(before).lines
        if restarted(before, model):
            lines += waiting_lines(model)
        elif not (settles := _is_setting_up(self._table, model)):
            lines += stage_lines(model, self._table, self.settings.guided, self._starting)
        lines += (line for line in seat_news(model, before) if line not in lines)
        lines += record_lines(before, model)
        was, self._mark = self._mark, mark_of(model)
        if not restarted(before, model):
            lines += mark_news(was, self._mark, self.settings)
        self._table = self._table if settles else model.table
        if before is not None and before.my_turn and not model.my_turn and playing(model):
            lines += expiring_lines(model)
        lines += self._last_turn(before, model)
        done = self._run_queue(model)
        done = replace(done, lines=(*lines, *done.lines))
        told = (*done.lines, *self._guide(model, done))
        wishes = done.wishes
        if model.is_late and not (before and before.is_late):
            self._wants_tables = True
            wishes = (*wishes, GetTables(NO_ID))
        settles = settles and before is not None and before.table is not model.table
        slow = self._slow_after(model)
        return Reply(told, wishes, call=called, settles=settles, slow_after=slow)

    def _refused(self, before: Model | None, model: Model) -> Lines:
        """Say that the host has refused something, and drop what was to follow it."""
        if model.refusal is None or (before and before.refusal is model.refusal):
            return ()
        self._queue.clear()
        if self._starting:  # the game does not start by itself: the lobby is told after all
            self._starting, self._table = False, None
        return (refusal_line(model.refusal, model),)

    def _last_turn(self, before: Model | None, model: Model) -> Lines:
        """Say of a turn that it is the last one, unless the guide has."""
        last = tuple(line for line in last_turn_lines(before, model) if line not in self._guided)
        self._guided.update(last)
        return last

    def _slow_after(self, model: Model) -> int | None:
        """Return when a bot is slow whose move is awaited from now on."""
        known, self._awaited = self._awaited, _awaited_move(model)
        if self._awaited in (None, known) or model.table is None:
            return None
        return slow_after(model.table)

    def slow(self, model: Model) -> Reply:
        """Say that a bot is still thinking, if its move has been awaited for a while."""
        seat, awaited = bot_to_move(model), _awaited_move(model)
        if seat is None or awaited != self._awaited:
            return Reply()
        return Reply((thinking_line(seat_name(model, seat), move_seconds()),))

    def settled(self, model: Model) -> Reply:
        """Print what was left out while it kept changing."""
        known, self._table = self._table, model.table
        return Reply(stage_lines(model, known, self.settings.guided, self._starting))

    def _happened(self, before: Model | None, model: Model) -> list[str]:
        """Return what has happened around the table, then in the game, then what is said."""
        lines = [*invited_lines(before, model), *status_lines(before, model)]
        lines += askers_news(model, before)
        lines += self._hall(before, model)
        if before is not None:
            how = _("Type “{enter}” to take part.").format(enter=said("enter"))
            lines += filter(None, [tournament_news(before, model, how)])
            lines += best_news(before, model)
            lines += filter(None, [meeting_line(before, model)])
        lines += handover_news(model, before)
        lines += go_on_told(model, before)
        lines += self._news(before, model)
        lines += self._talk(before, model)
        return lines

    def _hall(self, before: Model | None, model: Model) -> Lines:
        """Return the tables of the host if they were asked for, and news of one looked at."""
        news = look_lines(before, model)
        if before is None or before.tables is model.tables:
            return news
        if not self._wants_tables:
            return (*news, *filter(None, [seat_elsewhere(before, model, said("tables"))]))
        self._wants_tables = False
        return (*hall_lines(model), *news)

    def _run_queue(self, model: Model) -> Reply:
        """Run queued commands, up to the next wish; prompt if none is left."""
        lines: list[str] = []
        while not (rests := self._rests(model)) and self._queue:
            found = self._do(model, self._queue[0])
            if found is None:
                break
            if found.settings is not None:
                lines += self._apply_settings(found.settings)
            lines += found.lines
            self._draft = found.draft or self._draft
            if found.asks and isinstance(self._queue[0], Command):
                self._asked = self._queue[0]
            if found.problem:
                self._queue.clear()
            else:
                self._queue.popleft()
                self._queue.extendleft(reversed(found.then))
            if found.wish is not None:
                self._wants_tables |= isinstance(found.wish, GetTables)
                if isinstance(found.wish, Emote):
                    self._offer = AnswerOffer()
                return Reply(tuple(lines), (found.wish,))
            if found.opens:
                self._queue.clear()
                return Reply(tuple(lines), opens=found.opens)
        if rests:
            return Reply(tuple(lines), (ReturnRest(),))
        turn = Turn(model, self._draft)
        # what an action has done is told before what can be done next: its events may come later
        # than its answer
        if self._queue or not _may_play(turn) or model.history.told:
            return Reply(tuple(lines))
        return Reply((*lines, *self._prompt(turn)))

    def _rests(self, model: Model) -> bool:
        """Return whether only tokens that were set aside are left in hand: they go back now."""
        turn = Turn(model, self._draft)
        return _may_play(turn) and turn.only_aside

    def _do(self, model: Model, command: Command | Intent) -> Effect | None:
        """Run a command, or send an intent; return None if it has to wait for the host."""
        if isinstance(command, Command):
            row = ROW_OF[command.word]
            shows = row.shows and command == Command(command.word) and model.view is not None
            if shows or row.kind not in TURN:
                found = self._run(model, command)
                return already() if found.wish and _is_so(model, found.wish) else found
        if model.pause is not None:
            return cannot(pause_line(model))
        if not Turn(model, self._draft).is_mine:
            return cannot(not_now(model))
        if self._typed_at != _turn_id(model):  # the turn passed while the link was lost
            return cannot(refusal_line(Refusal("stale", "")))
        if not model.can_act:
            return None
        return self._run(model, command) if isinstance(command, Command) else Effect(wish=command)

    def _run(self, model: Model, command: Command) -> Effect:
        turn = Turn(model, self._draft)
        here = Here(turn, self.settings, self._sure, self._offer.emote)
        found = ROW_OF[command.word].do(here, command)
        return found if isinstance(found, Effect) else Effect(found)

    def _prompt(self, turn: Turn) -> Lines:
        """Return the prompt, unless it was printed for the same position already."""
        model, token = turn.model, next(iter(turn.to_pour), None)
        now = (model.epoch, model.game, model.rev, token, turn.meeple)
        before, self._prompted = self._prompted, now
        if self._prompted == before:
            return ()
        if before is not None and self._prompted[:-1] == before[:-1]:
            return direction_lines(turn)
        is_first = before is None or not has_begun(turn)
        time = time_lines(model, self._age) if is_first else ()
        return prompt_lines(turn, time)

    def _apply_settings(self, settings: Settings) -> Lines:
        """Apply changed settings; in a new language, repeat the prompt."""
        before, self.settings = self.settings, settings
        if (settings.language, settings.guided) != (before.language, before.guided):
            self._guided.clear()
        if settings.language != before.language:
            set_language(settings.language or None)
            self._prompted = None
        return changed_lines(before, settings)

    def _guide(self, model: Model, done: Reply) -> Lines:
        """Return the sentences of the first-game guide that were not printed yet."""
        waits = bool(self._queue or done.wishes or model.history.told) or (
            model.my_turn and not model.can_act
        )
        lobby = model.table is not None and model.table.stage == "lobby"
        if self.settings.guided or waits or (lobby and self._starting) or not model.hints:
            return ()
        said_now = guide_lines(model, self._progress, plain=True)
        if hint(model, brief=True) in said_now:
            said_now += hint_commands(Turn(model, self._draft))
        if said_now and model.table is not None and model.table.stage == "result":
            self.settings = replace(self.settings, guided=True)
            self._guided.clear()
        spoken = [text for line in said_now for text in sentences(line)]
        fresh = [text for text in spoken if text not in {*self._guided, *done.lines}]
        self._guided.update(spoken)
        return tuple(_("Guide: {text}").format(text=text) for text in fresh)

    def _news(self, before: Model | None, model: Model) -> list[str]:
        """Return new events in sentences; another player's pours are combined."""
        lines: list[str] = []
        if before and before.epoch != model.epoch:
            self._pours.clear()  # of a host that is gone
        for event in fresh_events(before, model):
            if isinstance(event, Poured) and event.seat != model.seat:
                self._pours.append(event)
                continue
            lines += pour_lines(model, self._pours)
            self._pours.clear()
            # the prompt announces this player's turn
            if not isinstance(event, TurnStarted) or event.seat != model.seat:
                lines.append(event_line(event, model))
        return lines

    def _talk(self, before: Model | None, model: Model) -> Lines:
        """Return what bots say, and, the first time, that there is something to answer."""
        if before is None:
            return ()
        remarks = bot_remarks(before, model) if self.settings.remarks else ()
        lines = [said_line(name_heard(model, bot), emote_text(emote)) for bot, emote in remarks]
        self._offer = offered(self._offer, before, model)
        if self._offer.emote and not self._answered:
            self._answered = True
            text = _("Type “{answer}” to say: {text}")
            words = emote_text(self._offer.emote)
            lines.append(text.format(answer=said("answer"), text=words))
        return tuple(lines)


def _is_setting_up(known: TableView | None, model: Model) -> bool:
    """Return whether nothing is new but the setup, which its owner's keys change step by step."""
    now = model.table
    if known is None or now is None or model.owner or known == now:
        return False
    return now.stage != "game" and with_setup_of(now, known) == now


def _may_play(turn: Turn) -> bool:
    """Return whether an intent could be sent now."""
    return turn.model.can_act and bool(turn.options)


def _turn_id(model: Model) -> TurnId | None:
    return (model.epoch, model.game, model.view.round) if model.view else None


def _is_so(model: Model, wish: Wish) -> bool:
    """Return whether a wish would change nothing, so that the host would say nothing either."""
    table = model.table
    if table is None or any(isinstance(request, type(wish)) for request in model.pending):
        return False
    match wish:
        case SetRules():
            return wish == rules_of(model, table)
        case SetFirst(seat=seat):
            return seat == table.next_game.first
        case MoveSeat(seat=seat, to=to):
            return seat == to
        case Rename(name=name):
            return name == model.name
        case Queue(waiting=waiting):
            return model.is_queuing is waiting
        case Ready(ready=ready):
            return model.seat is not None and table.seats[model.seat].ready is ready
    return False
