"""The lessons of the first-game guide, and what it remembers of a game."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.words.command_words import said, upgrade_command
from coffeerush.ui.words.events import (
    closing_reason,
    drink_names,
    event_line,
    expiring_lines,
    has_turn_left,
    last_turn,
    over_limit,
    senders,
    sent_lines,
    turns_of,
)
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import (
    and_list,
    name_or_you,
    seat_name,
    sentence_case,
    upgrade_name,
)
from protocol import (
    COMPLETED_PER_UPGRADE,
    PENALTIES_TO_CLOSE,
    SLOTS,
    ActivateUpgrade,
    Cup,
    CupEmptied,
    EmptyCup,
    Event,
    Ingredient,
    Intent,
    OwnView,
    PenaltiesTaken,
    PeopleChanged,
    Phase,
    PlaceMeeple,
    PlayerView,
    Pour,
    Step,
    Stepped,
    TokenClosed,
    TurnStarted,
    TurnTimedOut,
    Upgrade,
    View,
)

# What the first-game guide remembers of a game: what it has told, and what the player has tried
#
# A view does not tell: a cup that was emptied leaves no trace, and a bot may have played the seat.


Lesson: TypeAlias = Literal[
    "closed",
    "closing",
    "late",
    "upgrade",
    "expiring",
    "slots",
    "received",
    "penalty",
    "specialty",
    "rush",
    "end",
    "emptying",
    "last",
]
"""What the guide explains once, when it first comes up."""
Moment: TypeAlias = Literal["start", "walk", "pour", "serve", "watch"]
"""The part of a turn that the guide speaks about; `watch` is another player's turn."""
Deed: TypeAlias = Literal["rush", "emptying"]
"""What a player can try without a lasting trace in the view."""
Comment: TypeAlias = Literal["", "way", "upgrade", "pour"]
"""In what the player's last action differs from the hint."""


class Told(Struct, frozen=True):
    """When a lesson was told; it stays on the screen to the end of the moment, or of the turn."""

    lesson: Lesson
    turn: int
    moment: Moment


class Progress(Struct, frozen=True):
    """What the guide remembers of a game."""

    game: tuple[bytes, int] = (b"", 0)
    """The epoch and number of the game."""
    told: tuple[Told, ...] = ()
    tried: frozenset[Deed] = frozenset()
    """What the player has done in person."""
    away: bool = False
    """Whether the player is away, so that a bot plays."""
    late: bool = False
    """Whether the player's time is up, so that a bot finishes the turn."""
    elsewhere: bool = False
    """Whether the player has placed a meeple on another cell than the hint said."""
    by_bot: bool = False
    """Whether a bot has played the seat since the player's own last step."""
    comment: Comment = ""
    plan: tuple[Intent, ...] = ()
    """What is left of the hint, or of the suggested pours, as long as the player follows them."""


def moment_of(model: Model, view: View, own: OwnView) -> Moment:
    """Return the part of a turn that comes next."""
    if not model.my_turn:
        return "watch"
    if any(own.hand):
        return "pour" if view.phase is Phase.POURING else "walk"
    if not view.path:
        return "start"
    return "walk" if is_blocked(view) else "serve"


def is_blocked(view: View) -> bool:
    """Return whether the moving meeple shares its cell with another one (R-MOVE-4)."""
    standing = [cell for player in view.players for cell in player.meeples]
    return bool(view.path) and standing.count(view.path[-1]) > 1


def remember(progress: Progress, before: Model, after: Model) -> Progress:
    """Add what has happened between two models of a table."""
    game = (after.epoch, after.game)
    if game != progress.game:
        progress = Progress(game=game)
    for event in after.fresh(before):
        progress = _noted(progress, event, after)
    return progress


def _noted(progress: Progress, event: Event, model: Model) -> Progress:
    """Add an event; what a bot did is not the player's."""
    match event:
        case PeopleChanged(name=name, change=change) if name == model.name:
            return replace(progress, away=change in ("away", "left"))
        case TurnTimedOut(seat=seat) if seat == model.seat:
            return replace(progress, late=True)
        case TurnStarted():
            return replace(progress, late=False)
        case Stepped(seat=seat) | CupEmptied(seat=seat) if seat == model.seat:
            if progress.away or progress.late:
                return replace(progress, by_bot=True)
            by_bot = progress.by_bot and not isinstance(event, Stepped)
            return replace(progress, tried=progress.tried | _deeds(event), by_bot=by_bot)
    return progress


def _deeds(event: Event) -> set[Deed]:
    if isinstance(event, CupEmptied):
        return {"emptying"}
    return {"rush"} if isinstance(event, Stepped) and event.rush_spent else set()


def judge(
    progress: Progress, before: Model, after: Model, aside: tuple[Ingredient, ...] = ()
) -> Progress:
    """Note in what the action between two models of a turn differs from the hint, if it does.

    Tokens set `aside` go back, so other pours are suggested. What was suggested before the last
    action may still be done: between the pours of one suggestion, the next one can be different.
    """
    was, now = before.view, after.view
    unknown = replace(progress, comment="", plan=())
    if was is None or now is None or not (before.my_turn and after.my_turn):
        return unknown
    if (before.game, was.round) != (after.game, now.round) or was.own is None or now.own is None:
        return unknown
    if (was.path, was.own.cups, was.players) == (now.path, now.own.cups, now.players):
        return progress
    done = _done(was, now, was.own, now.own)
    if not (done and was.own.options and now.own.options and was.round) or progress.late:
        return unknown
    from .advice import advised, suggested_pours

    hint = advised(was).intents
    pours = suggested_pours(was, aside) if now.path == was.path else ()
    for plan in (progress.plan, hint, pours):
        rest = _rest(plan, done)
        if rest is not None:
            return replace(unknown, plan=rest)
    return replace(unknown, comment=_differs(hint, done))


def note_place(progress: Progress, before: Model, after: Model) -> Progress:
    """Note whether the player has placed a meeple elsewhere than the hint of the model before."""
    was, now = before.view, after.view
    if was is None or now is None or was.own is None or not (before.my_turn and was.own.options):
        return progress
    seat, game = was.own.seat, (before.game, was.phase)
    if game != (after.game, Phase.PLACING) or progress.away or progress.late:
        return progress
    placed = now.players[seat].meeples[len(was.players[seat].meeples) :]
    if not placed:
        return progress
    from .advice import advised

    return replace(progress, elsewhere=advised(was).intents[0] != PlaceMeeple(placed[0]))


def _done(was: View, now: View, before: OwnView, after: OwnView) -> tuple[Intent, ...]:
    """Return the steps taken, the cups emptied and the pours between two models of a turn."""
    steps = [Step(now.meeple or 1, cell) for cell in now.path[max(len(was.path), 1) :]]
    emptied: list[Intent] = []
    poured: list[Intent] = []
    for cup, (old, new) in enumerate(zip(before.cups, after.cups, strict=True), start=1):
        emptied += [EmptyCup(cup)] if any(old) and not any(new) else []
        poured += [Pour(kind, cup) for kind in Ingredient for _ in range(new[kind] - old[kind])]
    is_undone = sum(after.hand) >= sum(before.hand)  # the cup that was emptied is full again
    return (*steps, *emptied, *(() if is_undone else poured))


def _rest(plan: tuple[Intent, ...], done: tuple[Intent, ...]) -> tuple[Intent, ...] | None:
    """Return the rest of a plan; None if something else was done, or another step first."""
    left = [*plan]
    for intent in done:
        walk = [step for step in left if isinstance(step, ActivateUpgrade | Step)]
        if intent not in left or (isinstance(intent, Step) and intent != walk[0]):
            return None
        left.remove(intent)
    return tuple(left)


def _differs(plan: tuple[Intent, ...], done: tuple[Intent, ...]) -> Comment:
    """Return in what actions differ from a plan that they do not follow."""
    if any(isinstance(intent, Step) for intent in done):
        return "upgrade" if isinstance(plan[0], ActivateUpgrade) else "way"
    return "pour" if any(isinstance(intent, Pour) for intent in done) else ""


# The lessons of the first-game guide: each is told once, when it first comes up


Sentences: TypeAlias = Iterator[str]
FULL_TURNS: Final = 3
"""The player's first turns, which are guided in full; afterwards only lessons are told."""


TO_DO: Final = "▸"
"""Begins a line that says what to do now."""


def to_do(text: str) -> str:
    """Mark a line that says what to do now, among those that explain."""
    return f"{TO_DO} {text}"


class Now(Struct, frozen=True):
    """What a lesson is chosen and worded for."""

    model: Model
    view: View
    own: OwnView
    progress: Progress
    turns: int
    """How many turns the player has completed."""
    plain: bool = False
    """Whether to leave out keys."""
    touch: bool = False
    """Whether to speak of taps instead of keys."""


class _Topic(Struct, frozen=True):
    """A lesson: when it can be told, whether it is due, and its sentences."""

    moments: tuple[Moment, ...]
    is_due: Callable[[Now], bool]
    sentences: Callable[[Now], Sentences]


def learn(progress: Progress, model: Model) -> Progress:
    """Add what is to be told in this moment: the most important lesson that is due.

    What comes beside another lesson is added to it.
    """
    view = model.view
    if view is None or view.own is None or view.active is None or not view.round:
        return progress
    turns = turns_of(view.own.seat, view)
    moment = moment_of(model, view, view.own)
    if model.my_turn and not view.own.options:
        return progress  # what is due depends on them
    # enough else is said then
    full = model.my_turn and (not turns or (turns < FULL_TURNS and moment != "start"))
    brief = ("emptying",) if moment == "serve" and turns < FULL_TURNS - 1 else ()
    here = [told for told in progress.told if (told.turn, told.moment) == (turns, moment)]
    taken = any(told.lesson not in _BESIDE for told in here)
    known = {told.lesson for told in progress.told}
    now = Now(model, view, view.own, progress, turns)

    def is_due(lesson: Lesson) -> bool:
        topic = LESSONS[lesson]
        return lesson not in known and moment in topic.moments and topic.is_due(now)

    one_of = (
        lesson
        for lesson in LESSONS
        if lesson not in _BESIDE
        and (lesson in _URGENT or not taken)
        and (not full or lesson in brief)
    )
    told = [Told(lesson, turns, moment) for lesson in islice(filter(is_due, one_of), 1)]
    progress = replace(progress, told=(*progress.told, *told))
    for lesson in _BESIDE:
        now = replace(now, progress=progress)
        if is_due(lesson):
            progress = replace(progress, told=(*progress.told, Told(lesson, turns, moment)))
    return progress


def _me(now: Now) -> PlayerView:
    return now.view.players[now.own.seat]


def lesson_lines(now: Now, moment: Moment) -> Sentences:
    """Yield the sentences of the lessons told in this moment, or else of the latest of the turn."""
    turn = [told for told in now.progress.told if told.turn == now.turns]
    here = [told for told in turn if told.moment == moment]
    beside = [told for told in here if told.lesson in _BESIDE]
    here = [told for told in here if told not in beside][-1:] + beside
    if not here and moment != "watch" and now.turns >= FULL_TURNS:
        latest = [told for told in turn if told.moment != "watch"]
        here = ([told for told in latest if told.lesson not in _BESIDE] or latest)[-1:]
    for told in here:
        yield from LESSONS[told.lesson].sentences(now)


# The end of the game


def _closed(now: Now) -> Sentences:
    from .advice import advised

    if not _is_told(now, "closing", before="closed"):
        yield _why_closed(now.model, now.view)
    serves = bool(now.own.options and advised(now.view).served)  # the hint names what is left
    yield last_turn(now.model) if serves else _("This is your last turn.")
    if not serves and _me(now).orders[SLOTS - 1]:
        yield _("Any order that expires with it still becomes a penalty.")


def _closing(now: Now) -> Sentences:
    yield _why_closed(now.model, now.view)
    yield last_turn(now.model)


def _last(now: Now) -> Sentences:
    if not any(_is_told(now, lesson, before="last") for lesson in _WHY):
        yield _why_closed(now.model, now.view)
    yield last_turn(now.model)


_WHY: Final[tuple[Lesson, ...]] = ("closed", "closing")
"""Which lessons tell why the round is the last."""


def _why_closed(model: Model, view: View) -> str:
    """Say why this round is the last, and by whom."""
    reason = closing_reason(model, view)
    if reason == "penalties":
        text = _("Too many penalties ({names}): this round is the last.")
        return text.format(names=and_list(name_or_you(model, seat) for seat in over_limit(view)))
    return event_line(TokenClosed(reason), model)


def _end_rule(now: Now) -> str:
    """Say when the game ends (R-TIME-2, R-RUSH-2)."""
    text = _(
        "The game ends with the round in which a player reaches {count} penalties or "
        "the deck runs out."
    )
    if not (now.plain or now.touch):
        text = _(
            "The game ends with the round in which a player reaches {count} penalties (▫▫▫▫▫) or "
            "the deck runs out."
        )
    return text.format(count=PENALTIES_TO_CLOSE)


# Upgrades


def _upgrade_rule() -> str:
    """Say what a player gives for an upgrade, and gets (R-UPG-1, R-END-2)."""
    text = _(
        "Trade {count} completed orders ({count} points) for an upgrade (2 points), which helps "
        "you until the end."
    )
    return text.format(count=COMPLETED_PER_UPGRADE)


def can_upgrade(own: OwnView) -> bool:
    """Return whether an upgrade can be activated now."""
    return any(isinstance(option.intent, ActivateUpgrade) for option in own.options)


def _is_late(now: Now) -> bool:
    from .advice import is_late_for_upgrade

    return can_upgrade(now.own) and not now.view.closed and is_late_for_upgrade(now.view)


def _is_late_due(now: Now) -> bool:
    """Return whether it is news that no upgrade pays off, to who knows what an upgrade is."""
    return _is_told(now, "upgrade", before="late") and _is_late(now)


def _late(now: Now) -> Sentences:
    yield late_upgrade_line(now.view)


def late_upgrade_line(view: View) -> str:
    """Say that no upgrade pays off any more."""
    from .advice import rounds_left

    if left := rounds_left(view):
        text = _("About {count} rounds are left: too few for an upgrade to pay off.")
        return text.format(count=left)
    return _("Too few rounds are left for an upgrade: it would cost more than it brings.")


def _is_upgrade_due(now: Now) -> bool:
    """Return whether the hint begins with the player's first upgrade."""
    from .advice import hinted_upgrade

    if not can_upgrade(now.own) or any(_me(now).upgrades) or now.view.closed or _is_late(now):
        return False
    return hinted_upgrade(now.view) is not None


def _upgrade(now: Now) -> Sentences:
    active = _me(now).upgrades
    if not can_upgrade(now.own) and any(active):
        names = [upgrade_name(upgrade) for upgrade in Upgrade if active[upgrade]]
        yield _("Active from now until the end of the game: {upgrade}.").format(upgrade=names[-1])
        return
    if not can_upgrade(now.own):
        return
    from .advice import hinted_upgrade

    yield _upgrade_rule()
    if now.touch:
        text = _("Tap “{button}” before your first step to choose one.")
        yield to_do(text.format(button=sentence_case(pgettext("key", "upgrades"))))
    elif now.plain:
        if (upgrade := hinted_upgrade(now.view)) is not None:
            yield _("Type “{command}” to do that.").format(command=upgrade_command(upgrade))
    else:
        yield to_do(_("“g” lists them: choose one before your first step."))


# Orders


def _expiring(now: Now) -> Sentences:
    from .advice import is_lost

    if not is_lost(now.view):  # else the hint says so
        yield from expiring_lines(now.model, last=True)
    if not _is_told(now, "penalty", before="expiring"):
        yield _penalty_rule(now.plain)


def _is_told(now: Now, lesson: Lesson, before: Lesson) -> bool:
    """Return whether a lesson was told before another one, or if that is still to come."""
    told = [told.lesson for told in now.progress.told]
    return lesson in (told[: told.index(before)] if before in told else told)


def _penalty_rule(plain: bool) -> str:
    """Say what a penalty costs and brings (R-TIME-1, R-END-2)."""
    if plain:
        return _("A penalty costs you a point, but brings a rush token.")
    return _("A penalty (✗) costs you a point, but brings a rush token (↯).")


def _is_penalty_due(now: Now) -> bool:
    """Return whether the player has a penalty, and has not been told what one is."""
    return _me(now).penalties > 0 and not _is_told(now, "expiring", before="penalty")


def expired_lines(now: Now) -> Sentences:
    """Say which orders expired as the player's turn ended, and comfort after the first."""
    for event in reversed(now.model.log):
        if isinstance(event, TurnStarted) and event.seat == now.own.seat:
            return
        if isinstance(event, PenaltiesTaken) and event.seat == now.own.seat:
            text = ngettext(
                "{drinks} expired: you took a penalty.",
                "{drinks} expired: you took {count} penalties.",
                len(event.drinks),
            )
            drinks = drink_names(now.model, event.drinks)
            yield text.format(drinks=drinks, count=len(event.drinks))
            if _me(now).penalties == len(event.drinks):
                yield _("Nobody can serve every order: a penalty now and then is part of the game.")
            return


def _received(now: Now) -> Sentences:
    told = sent_lines(now.model)
    names = and_list(seat_name(now.model, seat) for seat in senders(now.model))
    yield told[0] if len(told) == 1 else _("{names} have sent you orders.").format(names=names)
    yield (
        _("When others serve orders, you get new ones.")
        if now.touch
        else _("When others serve orders, you get new ones: they arrive in your slot 1.")
    )


def slots_rule(plain: bool, touch: bool) -> str:
    """Say how orders move, and what becomes of them (R-TIME-1, R-END-2)."""
    if touch:  # where orders have no slots, but the turns that are left
        return _(
            "Each order waits for as many of your turns as its card says; then it becomes a "
            "penalty and costs a point."
        )
    if plain:
        return _(
            "At the end of each of your turns, every order moves to the next slot. After slot 4 "
            "it becomes a penalty and costs a point."
        )
    return _(
        "The number before an order is its slot. It moves on after each of your turns: 1▸2▸3▸4▸✗. "
        "At ✗ the order becomes a penalty and costs a point."
    )


# Rush tokens and cups


def _specialty_rule(plain: bool) -> str:
    """Say what a specialty earns (R-SERVE-2)."""
    if plain:
        return _("An order for a specialty earns you a rush token when you serve it.")
    return _("An order with ★ earns you a rush token (↯) when you serve it.")


def _is_specialty_due(now: Now) -> bool:
    """Return whether one of the player's orders is for a specialty."""
    return any(now.view.menu[drink].specialty for slot in _me(now).orders for drink in slot)


def _is_rush_due(now: Now) -> bool:
    """Return whether the player has a rush token, or is told how to earn one."""
    told = {told.lesson for told in now.progress.told}
    return _me(now).rush > 0 or not told.isdisjoint(("specialty", "expiring", "penalty"))


def _rush_rule(plain: bool) -> str:
    """Say what a rush token is good for (R-MOVE-2)."""
    if not plain:
        return _("A rush token (↯) pays for one more step after your three free ones.")
    return _("A rush token pays for one more step after your three free ones.")


def _emptying_rule() -> str:
    """Say when a cup can be emptied (R-POUR-2, R-POUR-3)."""
    return _("In your turn you can empty a cup at any time: its ingredients go back to the supply.")


def _emptying(now: Now) -> Sentences:
    cup = None if "emptying" in now.progress.tried else _useless_cup(now)
    if cup is not None:
        text = _("What is in cup {cup} fits no order: you can empty it at any time in your turn.")
        yield text.format(cup=cup)
    else:
        yield _emptying_rule()
        return
    if now.plain:
        text = _("Try it: type “{empty} {cup}”; “{undo}” undoes it.")
        yield text.format(empty=said("empty"), undo=said("undo"), cup=cup)
    elif now.touch:
        text = _("Try it: tap “{button}” and then cup {cup}; “{undo_button}” undoes it.")
        button = sentence_case(pgettext("key", "empty"))
        yield to_do(text.format(button=button, undo_button=undo_button(), cup=cup))
    else:
        yield to_do(_("To empty it, press “e” and then {cup}; “u” undoes it.").format(cup=cup))


def undo_button() -> str:
    """Return the label of the button that takes one action back."""
    return sentence_case(pgettext("key", "undo"))


def _useless_cup(now: Now) -> Cup | None:
    """Return a cup from which no open order can be completed any more."""
    recipes = [now.view.menu[drink].recipe for slot in _me(now).orders for drink in slot]
    for cup, held in enumerate(now.own.cups, start=1):
        fits = any(
            all(have <= want for have, want in zip(held, recipe, strict=True)) for recipe in recipes
        )
        if any(held) and not fits:
            return cup
    return None


def _is_emptying_due(now: Now) -> bool:
    return "emptying" not in now.progress.tried and _useless_cup(now) is not None


_START: Final[tuple[Moment, ...]] = ("start",)
_LATER: Final[tuple[Moment, ...]] = ("start", "walk", "serve")
_OWN: Final[tuple[Moment, ...]] = (*_LATER, "pour")
_URGENT: Final[tuple[Lesson, ...]] = ("closed", "closing", "last", "upgrade")
"""What is told at once, in place of another lesson of the same moment."""
_BESIDE: Final[tuple[Lesson, ...]] = ("specialty", "rush")
"""What is told at once, beside another lesson of the same moment, and in a turn told in full."""
LESSONS: Final[dict[Lesson, _Topic]] = {
    "closed": _Topic(_OWN, lambda now: now.view.closed, _closed),
    "closing": _Topic(
        ("watch",),
        lambda now: now.view.closed and has_turn_left(now.own.seat, now.view),
        _closing,
    ),
    "last": _Topic(("watch",), lambda now: not has_turn_left(now.own.seat, now.view), _last),
    "late": _Topic(_START, _is_late_due, _late),
    "upgrade": _Topic(_START, _is_upgrade_due, _upgrade),
    "expiring": _Topic(_LATER, lambda now: bool(_me(now).orders[SLOTS - 1]), _expiring),
    "penalty": _Topic(
        ("watch", *_LATER), _is_penalty_due, lambda now: iter((_penalty_rule(now.plain),))
    ),
    "slots": _Topic(
        ("watch",),
        lambda now: not now.turns,
        lambda now: iter((slots_rule(now.plain, now.touch),)),
    ),
    "received": _Topic(_START, lambda now: bool(sent_lines(now.model)), _received),
    "rush": _Topic(_LATER, _is_rush_due, lambda now: iter((_rush_rule(now.plain),))),
    "end": _Topic(
        ("watch", *_LATER), lambda now: now.turns > 1, lambda now: iter((_end_rule(now),))
    ),
    "emptying": _Topic(_LATER, _is_emptying_due, _emptying),
    "specialty": _Topic(_LATER, _is_specialty_due, lambda now: iter((_specialty_rule(now.plain),))),
}
"""All lessons, the most important first."""
