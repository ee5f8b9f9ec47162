"""The guide through a first game: what it explains now, and its sentences."""

from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model, tellable
from coffeerush.client.turn import tokens_to_pour
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.events import drink_names, others_turns, played_oneself, turns_of
from coffeerush.ui.words.i18n import N_, _, ngettext, pgettext
from coffeerush.ui.words.names import (
    after_colon,
    and_list,
    counts_line,
    counts_phrase,
    drink_name,
    item_list,
    seat_name,
    sentence_case,
)
from coffeerush.ui.words.table import read_on_line, step_on_line
from protocol import (
    COMPLETED_PER_UPGRADE,
    DrinkIndex,
    Ingredient,
    OrdersDrawn,
    OwnView,
    Phase,
    TableView,
    TurnStarted,
    View,
)

from .guide_lessons import (
    FULL_TURNS,
    Comment,
    Now,
    Progress,
    Sentences,
    expired_lines,
    is_blocked,
    judge,
    learn,
    lesson_lines,
    moment_of,
    note_place,
    remember,
    slots_rule,
    to_do,
    undo_button,
)

UNKNOWN: Final = Progress()


def follow(
    progress: Progress, before: Model, after: Model, aside: tuple[Ingredient, ...] = ()
) -> Progress:
    """Return the progress after another model of the table; tokens set `aside` go back."""
    known = note_place(remember(progress, before, after), before, after)
    if _comments(known, before):
        known = judge(known, before, after, aside)
    else:
        known = replace(known, comment="", plan=())
    if after.seat is None or after.status == "over" or after.bot_finishes:
        return known
    return learn(known, after)


def _comments(progress: Progress, model: Model) -> bool:
    """Return whether the guide comments on what the player does in this turn."""
    view = model.view
    if view is None or view.own is None or view.active is None or not view.round:
        return False
    turns = turns_of(view.own.seat, view)
    return turns < FULL_TURNS or any(told.turn == turns for told in progress.told)


def guide_topic(
    model: Model, progress: Progress = UNKNOWN, touch: bool = False
) -> tuple[object, ...]:
    """Return the subject of the guide now: the same while only hint and hand change.

    () if it has nothing to say but the hint.
    """
    view = model.view
    if view is None or view.own is None or view.active is None:
        return guide_lines(model, progress)
    if not view.round:
        return (view.phase, model.my_turn, any(view.own.hand), progress.elsewhere)
    moment = moment_of(model, view, view.own)
    turns = turns_of(view.own.seat, view)
    here = tuple(told for told in progress.told if (told.turn, told.moment) == (turns, moment))
    if moment == "watch":
        now = Now(model, view, view.own, progress, turns, touch=touch)
        return (turns, moment, here, not _is_over(now))
    if not _comments(progress, model):
        return ()
    state = (is_blocked(view), not view.steps_left, view.served, progress.comment)
    return (turns, moment, here, *state)


def waits_for_key(model: Model, progress: Progress) -> bool:
    """Return whether others' moves wait for a key, where they replace what it says unread.

    What it explains does; once it explains only what is new, what has expired stays to be read.
    """
    view = model.view
    if view is None or view.own is None or view.active is None or not view.round:
        return True
    now = Now(model, view, view.own, progress, turns_of(view.own.seat, view))
    return now.turns < FULL_TURNS or any(lesson_lines(now, "watch"))


def begins_turn(model: Model) -> bool:
    """Return whether the player's turn begins, to which the guide has at least a hint."""
    view = model.view
    if view is None or view.own is None or view.active is None or not view.round:
        return False
    return moment_of(model, view, view.own) == "start"


def guide_lines(
    model: Model,
    progress: Progress = UNKNOWN,
    plain: bool = False,
    touch: bool = False,
    waits: bool = False,
) -> tuple[str, ...]:
    """Return the words of the guide now, a sentence or two per line; () if there are none.

    Args:
        model: of a player.
        progress: what the guide remembers of this game.
        plain: leave out keys, and what plain mode reports anyway.
        touch: speak of taps instead of keys.
        waits: others' moves go on only when the player says so.
    """
    table, view = model.table, model.view
    if table is None or model.seat is None or model.status == "over":
        return ()
    if table.stage == "lobby":
        return tuple(lobby(model, table, plain))
    if view is None:
        return ()
    if table.stage == "result":
        from .guide_result import result

        return tuple(result(model, view))
    if view.own is None or view.active is None or model.bot_finishes:
        return ()
    if not view.round:
        return tuple(setup(model, view, view.own, progress, plain, touch, waits))
    now = Now(model, view, view.own, progress, turns_of(view.own.seat, view), plain, touch)
    return tuple(_turn(now) if model.my_turn else watching(now, waits))


# Its sentences; with `plain`, without keys and what plain mode reports anyway


# Before the first turn


def lobby(model: Model, table: TableView, plain: bool) -> Sentences:
    """Explain the lobby."""
    yield _("This table is for two to four players, and some of them may be bots.")
    if plain:
        return
    if model.owner:
        yield _("Press “a” to add a bot, and Enter to start once everybody is ready.")
    elif not table.seats[model.seat or 0].ready:
        yield _("Press “r” when you are ready.")
    else:
        yield _("The game starts once everybody is ready.")


def setup(
    model: Model,
    view: View,
    own: OwnView,
    progress: Progress = UNKNOWN,
    plain: bool = False,
    touch: bool = False,
    waits: bool = False,
) -> Sentences:
    """Explain the setup: placing meeples, and the first pours of two players."""
    if view.phase is Phase.PLACING:
        yield from _placing(model, view, own, progress, plain, touch, waits)
    elif not model.my_turn:
        name = seat_name(model, view.active or 0)
        yield _("{name} pours the first ingredients into cups; then the first turn begins.").format(
            name=name
        )
    elif any(own.hand):
        yield _("With two players, you first pour what was under your meeples.")
        yield _exactly()
        yield from _pour_keys(model, plain, touch)
        yield from _hint_line(model, plain)
    elif touch:
        text = _("Everything is poured: tap “{button}”.")
        yield to_do(text.format(button=sentence_case(pgettext("key", "done"))))
    elif not plain:
        yield to_do(_("Everything is poured: press Enter."))


def _placing(
    model: Model,
    view: View,
    own: OwnView,
    progress: Progress,
    plain: bool,
    touch: bool,
    waits: bool,
) -> Sentences:
    stands = any(player.meeples for player in view.players)
    if plain or not (view.players[own.seat].meeples or (model.my_turn and stands)):
        yield _(
            "Serve orders from your three cups. Each order served scores a point and sends others "
            "new ones; the player with the most points wins."
        )
    elif progress.elsewhere:
        yield _("Another cell is also fine: the hint will start from there.")
    elif touch:  # the aim was told while another player was placing
        yield _("In your orders, a dashed frame marks each ingredient that is still missing.")
    else:
        yield _("In your orders, a dot marks each ingredient that is still missing.")
    if model.my_turn:
        yield _("You begin with the ingredient under your meeple, and move on from there.")
        if touch:
            yield to_do(_("Tap a cell to place your meeple there."))
        elif not plain:
            yield _("[◆] is your cursor, ▸ the cell that the hint suggests.")
            yield to_do(_("Choose a cell with the arrow keys; Enter places your meeple there."))
        yield from _hint_line(model, plain)
        return
    name = seat_name(model, view.active or 0)
    text = _("Everybody places a meeple on the board; {name} is placing one now.")
    yield text.format(name=name)
    yield _(
        "In a turn you take up to three steps, each for one ingredient; then you pour them into "
        "your cups, and serve the orders that are ready."
    )
    if waits:
        yield to_do(read_on_line(touch))


# The player's turns


def _turn(now: Now) -> Sentences:
    """Explain the next action of the player's turn: at first in full, then what is new."""
    moment = moment_of(now.model, now.view, now.own)
    lessons = tuple(lesson_lines(now, moment))
    full = now.turns < FULL_TURNS
    if now.progress.comment and (full or now.progress.comment == "upgrade"):
        comments = _COMMENTS_AT_LAST if moment == "serve" else _COMMENTS
        yield _(comments[now.progress.comment])
    if moment == "start":
        yield from _starting(now, lessons)
    elif full:
        yield from lessons
        yield from {"walk": _walking, "pour": _pouring, "serve": _serving}[moment](now)
    else:
        yield from lessons
        yield from _hint_line(now.model, now.plain)


_COMMENTS: Final[dict[Comment, str]] = {
    "way": N_("Your own way is also fine; the hint continues from here."),
    "upgrade": N_("No upgrade yet: you can also activate one at the start of a later turn."),
    "pour": N_("You can also pour like that; the hint continues from here."),
}
_COMMENTS_AT_LAST: Final[dict[Comment, str]] = {
    **_COMMENTS,
    "way": N_("Your own way is also fine."),
    "pour": N_("You can also pour like that."),
}
"""When everything is poured, no hint follows."""


def _starting(now: Now, lessons: tuple[str, ...]) -> Sentences:
    if now.progress.by_bot:
        yield _("Meanwhile, a bot has played for you. Continue from here.")
    if not now.turns:
        yield _("Take up to three steps: each gives you the ingredient of the cell you enter.")
    elif now.turns == 1:
        yield _("Again: step, pour, serve, and end your turn.")
    yield from lessons
    if not now.turns:
        if now.touch:
            text = _("Tap a cell to walk there; “{button}” undoes a step.")
            yield to_do(text.format(button=undo_button()))
        elif not now.plain:
            yield to_do(_("Step along an arrow with the arrow keys; “u” undoes a step."))
    yield from _hint_line(now.model, now.plain)


def _walking(now: Now) -> Sentences:
    from .advice import hinted_walk

    view = now.view
    if is_blocked(view):
        yield step_on_line()
    else:
        rush, commented = view.players[now.own.seat].rush, bool(now.progress.comment)
        if not now.plain and not commented:
            yield _in_hand(view, now.own, rush)
        if not now.turns and not commented and (view.steps_left or rush):
            yield _("Take another step, or pour: pouring ends your steps.")
        if not hinted_walk(view):  # else one would pour instead of what the hint says
            yield from _pour_keys(now.model, now.plain, now.touch)
    yield from _hint_line(now.model, now.plain)


def _in_hand(view: View, own: OwnView, rush: int) -> str:
    if view.steps_left:
        text = ngettext(
            "In your hand: {hand}. You have {count} step left.",
            "In your hand: {hand}. You have {count} steps left.",
            view.steps_left,
        )
    elif rush:
        text = _("In your hand: {hand}. One more step would cost a rush token.")
    else:
        text = _("In your hand: {hand}. You have no steps left, so pour now.")
    order = tokens_to_pour(own.hand, (), view.path)
    return text.format(hand=counts_line(own.hand, order), count=view.steps_left)


def _exactly() -> str:
    return _("A cup becomes a drink when it holds exactly what an order needs, and nothing else.")


def _pouring(now: Now) -> Sentences:
    if not now.turns and not now.progress.comment:
        yield _exactly()
    yield from _pour_keys(now.model, now.plain, now.touch)
    yield from _hint_line(now.model, now.plain)


def _pour_keys(model: Model, plain: bool, touch: bool) -> Sentences:
    if touch:
        from .advice import following_drinks

        assert model.view is not None, "it explains a view"
        served = item_list(drink_name(model, drink) for drink in following_drinks(model.view))
        button = _("Pour and serve {drinks}").format(drinks=served)
        button = button if served else sentence_case(pgettext("key", "pour all"))
        text = _("Tap a cup to pour the next token into it; “{button}” pours as suggested.")
        yield to_do(text.format(button=button))
    elif not plain:
        from .advice import following_drinks

        assert model.view is not None, "it explains a view"
        text = (
            _("Space pours and serves as suggested; 1-3 pours a token into that cup.")
            if following_drinks(model.view)
            else _("Space pours as suggested; 1-3 pours the next token into that cup.")
        )
        yield to_do(text)


def _hint_line(model: Model, plain: bool) -> Sentences:
    """Yield the hint, if this player can act."""
    from .advice import hint

    advice = hint(model, brief=True)
    if advice:
        yield advice if plain else hint_line(advice)


def hint_line(advice: str) -> str:
    """Return the line with a hint, which is the guide's last one."""
    return to_do(_("Hint: {advice}").format(advice=after_colon(advice)))


def _ready_drinks(now: Now) -> tuple[DrinkIndex, ...]:
    """Return the drinks of the orders that a cup holds exactly."""
    from .advice import open_orders

    orders = open_orders(now.view, now.own.seat)
    return tuple(order.drink for order in orders if not order.lacks)


def _serving_ready(now: Now, ready: tuple[DrinkIndex, ...], is_first: bool) -> Sentences:
    """Say how to serve; if the player has not served before this turn, also what that brings."""
    if not is_first:
        if not (now.plain or now.touch):
            yield to_do(_("Press Enter to serve."))
        yield from _hint_line(now.model, now.plain)
        return
    text = ngettext(
        "A cup holds exactly what {drinks} needs: serve it to score a point.",
        "Your cups hold exactly what {drinks} need: serve each to score a point.",
        len(ready),
    )
    yield text.format(drinks=drink_names(now.model, ready))
    if not now.view.served:
        yield _rushing(now.view)
    if now.touch:
        yield to_do(_("Tap the order to serve it."))
    elif not now.plain:
        yield to_do(_("Press Enter to serve."))


def _serving(now: Now) -> Sentences:
    me = now.view.players[now.own.seat]
    is_first = me.completed + COMPLETED_PER_UPGRADE * sum(me.upgrades) <= now.view.served
    if ready := _ready_drinks(now):
        yield from _serving_ready(now, ready, is_first)
        return
    if now.view.served and is_first and not now.progress.by_bot:
        at_top = _("Well done, that scores: at the top, ✓ counts your completed orders.")
        if now.view.served == 2:
            at_top = _("Well done, a DOUBLE, a point for each order: at the top, ✓ counts them.")
        yield _("Well done, that scores.") if now.plain or now.touch else at_top
    elif not (now.turns or now.view.served):
        yield _("No cup holds exactly what an order needs: on a first turn, that is normal.")
    if now.turns < FULL_TURNS - 1 and any(any(cup) for cup in now.own.cups):
        yield _("What is in your cups stays there for your next turn.")
    if not now.turns:
        if "slots" not in {told.lesson for told in now.progress.told}:
            yield slots_rule(now.plain, now.touch)
    elif now.turns == FULL_TURNS - 1:
        yield _(
            "That is a whole turn. From now on, the guide explains only what is new; in your "
            "turns, it still says what to do."
        )
        keys = _("“i” shows a hint, “?” all keys, F2 the rules.")
        words = _("Type “{hint}” for a good move and “{rules}” for the rules.")
        if now.touch:
            keys = _("“{button}” shows a good move, and “{help_button}” the rules.").format(
                button=sentence_case(pgettext("key", "hint")),
                help_button=sentence_case(pgettext("key", "help")),
            )
        yield words.format(hint=said("hint"), rules=said("rules")) if now.plain else keys
    if now.touch:
        text = _("Tap “{button}”.").format(button=sentence_case(pgettext("key", "end turn")))
        yield to_do(text)
    elif not now.plain:
        yield to_do(_("Press Enter to end your turn."))


def _rushing(view: View) -> str:
    """Explain the order rush that serving causes (R-RUSH-1)."""
    if len(view.players) == 2:
        return _("Every order you serve sends the other player a new one.")
    return _("Every order you serve sends each of the next two players a new one.")


# Other players' turns


def watching(now: Now, waits: bool = False) -> Sentences:
    """Explain other players' turns, and what the end of the player's first turns caused."""
    if not now.turns:
        yield from _first_poured(now)
    told = (*_is_over(now), *lesson_lines(now, "watch"))
    yield from told
    if now.turns >= FULL_TURNS and not told:
        return
    if now.turns < FULL_TURNS and not (now.plain or waits):
        text = _("Now it is {name}'s turn: the board shows each step.")
        if (now.view.round, now.view.active) == (1, now.view.start):  # not who placed first
            text = _("{name} begins: the board shows each step.")
        yield text.format(name=seat_name(now.model, now.view.active or 0))
    if waits:
        yield to_do(read_on_line(now.touch))


def _is_over(now: Now) -> tuple[str, ...]:
    """Return what the end of the player's turn caused; () once others have moved.

    A screen goes on to their moves when that can have been read; plain mode tells it at once, and
    a page folds it.
    """
    moved = not (now.plain or now.touch) and any(text for _seat, text in others_turns(now.model))
    return () if moved else tuple(_caused(now))


def _caused(now: Now) -> Sentences:
    """Say which orders expired, and after the first turns what else has changed."""
    if not now.plain:  # which reports it anyway
        yield from expired_lines(now)
    if now.turns >= FULL_TURNS:
        return
    names = [] if now.progress.by_bot else _rushed(now.model)
    if now.turns == 1:
        yield (
            _("Your turn is over, and each of your orders has one turn less.")
            if now.touch
            else _("Your turn is over, and each of your orders has moved to the next slot.")
        )
    if names:
        yield _("For the orders you served, {names} got new ones.").format(names=and_list(names))
    ready = _ready_drinks(now)
    if now.turns and ready:
        text = ngettext(
            "{drinks} is still ready: you can also serve it in your next turn.",
            "{drinks} are still ready: you can also serve them in your next turn.",
            len(ready),
        )
        yield text.format(drinks=drink_names(now.model, ready))
    if now.turns == 1 and len(now.view.players) == 2:
        yield _("With two players you also draw a new order after each of your turns.")


def _first_poured(now: Now) -> Sentences:
    """Say what has been poured by itself; two players pour in person."""
    if len(now.view.players) == 2:
        return
    for cup, held in enumerate(now.own.cups, start=1):
        if any(held):
            text = _("What was under your meeple is now in cup {cup}: {ingredients}.")
            yield text.format(cup=cup, ingredients=counts_phrase(held))


def _rushed(model: Model) -> list[str]:
    """Return the players who got new orders for the first ones served, until the next turn."""
    names: list[str] = []
    active = None
    for event in played_oneself(model, tellable(model)):
        if isinstance(event, TurnStarted):
            active = event.seat
            if names and active == model.seat:
                return []
        elif isinstance(event, OrdersDrawn) and event.reason == "order_rush":
            names += [seat_name(model, event.seat)] if active == model.seat else []
    return names
