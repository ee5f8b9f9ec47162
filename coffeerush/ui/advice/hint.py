"""The hint: the planner's next action for the same View, and the reason, in words."""

from msgspec.structs import replace

from coffeerush.bots.outcomes import sample_state
from coffeerush.bots.planner import Plan
from coffeerush.client.model import Model
from coffeerush.rules import advance
from coffeerush.rules.board import kinds, unpack
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import (
    and_list,
    cell_ingredient,
    cell_name,
    counts_phrase,
    direction_name,
    drink_title,
    item_list,
    menu_drink,
    sentence_case,
    tokens,
    upgrade_help,
    upgrade_name,
)
from protocol import (
    COMPLETED_PER_UPGRADE,
    SLOTS,
    ActivateUpgrade,
    Cell,
    Drink,
    EmptyCup,
    EndTurn,
    OwnView,
    Phase,
    PlaceMeeple,
    Serve,
    Step,
    Upgrade,
    View,
)

from .pour_words import coming_clause, expired_line, plan_line, pour_line, rush_spent, served_names
from .pours import advised, pours_of


def hint(model: Model, brief: bool = False) -> str:
    """Return a good next action and the reason; "" if this player cannot act.

    Args:
        model: of the table.
        brief: leave out the next turn if something can be served in this one.
    """
    view = model.view
    if not model.my_turn or view is None or view.own is None or not view.own.options:
        return ""
    plan = advised(view)
    if brief and plan.served:
        plan = replace(plan, next_turn=replace(plan.next_turn, serves=()))
    return plan_words(model, view, view.own, plan)


def plan_words(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return the next action of a plan, and what the plan brings."""
    if any(isinstance(intent, Step) for intent in plan.intents):
        return _before_steps(model, view, own, plan)
    match plan.intents[0]:
        case PlaceMeeple(cell):
            return _place(model, plan, cell)
        case Serve() as serve:
            drink = menu_drink(model, plan.served[0][0])
            return _joined(_serve(view, serve, drink), _coming(model, plan))
        case EndTurn() if view.phase is Phase.FILLING:
            return _("End your setup: everything is poured.")
        case EndTurn():
            end = _("End the turn: nothing more can be served.")
            end = _joined(end, expired_line(model, view, own, plan))
            return _joined(end, _coming(model, plan))
    what = pour_line(own, pours_of(plan.intents))
    return _joined(what, plan_line(model, view, own, plan))


def _joined(first: str, second: str) -> str:
    """Join two sentences, of which the second may be empty."""
    return f"{first} {second}" if second else first


def _place(model: Model, plan: Plan, cell: Cell) -> str:
    if plan.served:
        text = _(
            "Place your meeple on {ingredient}, {cell}: from there you can serve "
            "{drinks} in your first turn."
        )
    else:
        text = _("Place your meeple on {ingredient}, {cell}: a good start for your orders.")
    return text.format(
        ingredient=cell_ingredient(cell),
        cell=cell_name(cell),
        drinks=served_names(model, plan),
    )


def _activate(upgrade: Upgrade) -> str:
    text = _("Activate {upgrade}: it costs {needs} orders and scores 2 points.")
    what = text.format(upgrade=upgrade_name(upgrade), needs=COMPLETED_PER_UPGRADE)
    return _joined(what, upgrade_help(upgrade))


# Moving


def _before_steps(model: Model, view: View, own: OwnView, plan: Plan) -> str:
    """Return the sentences for a plan that has steps to take."""
    if isinstance(plan.intents[0], ActivateUpgrade):
        return _activate(plan.intents[0].upgrade)
    walk = _joined(_steps(view, own, plan), plan_line(model, view, own, plan))
    emptied = [str(one.cup) for one in plan.intents if isinstance(one, EmptyCup)]
    if emptied:
        text = ngettext("First empty cup {cups}.", "First empty cups {cups}.", len(emptied))
        return _joined(text.format(cups=and_list(emptied)), walk)
    return walk


def _steps(view: View, own: OwnView, plan: Plan) -> str:
    """Return the sentence for the steps of a plan: its directions, gain and cost."""
    walked = [one for one in plan.intents if isinstance(one, Step)]
    meeple, rush = walked[0].meeple, rush_spent(view, plan)
    meeples = view.players[own.seat].meeples
    cells = [meeples[meeple - 1], *(step.cell for step in walked)]
    choice = len(meeples) > 1 and view.meeple is None
    if choice:
        text = _("With meeple {number}, step {directions} and take {gain}, for {rush}.")
        text = text if rush else _("With meeple {number}, step {directions} and take {gain}.")
    else:
        text = _("Step {directions} and take {gain}, for {rush}.")
        text = text if rush else _("Step {directions} and take {gain}.")
    return text.format(
        number=meeple,
        directions=item_list(map(direction_name, cells, cells[1:])),
        gain=and_list(_gain(view, plan)) or _("nothing"),
        rush=tokens(rush),
    )


def _gain(view: View, plan: Plan) -> list[str]:
    """Return the ingredients that the steps of a plan collect, in the order of the steps."""
    state = sample_state(view, 0)
    gains: dict[int, int] = {}
    for intent in plan.intents:
        if isinstance(intent, EmptyCup | Step):
            before, state = state.hand, advance(state, intent)
            gained = state.hand - before
            for kind in kinds(gained)[:1]:  # a step gains one kind, or nothing
                gains[kind] = gains.get(kind, 0) + gained
    return [counts_phrase(unpack(gained)) for gained in gains.values()]


# Serving, and the end


def _coming(model: Model, plan: Plan) -> str:
    clause = coming_clause(model, plan)
    return _("{clause}.").format(clause=sentence_case(clause)) if clause else ""


def _serve(view: View, serve: Serve, drink: Drink) -> str:
    if serve.slot == SLOTS:
        text = _("Serve {drink} from cup {cup}, or it becomes a penalty when this turn ends.")
    elif drink.specialty and view.rush_supply:
        text = _("Serve {drink} from cup {cup}: it also earns a rush token.")
    else:
        text = _("Serve {drink} from cup {cup}: a point for you, and more orders for others.")
    return text.format(drink=drink_title(drink), cup=serve.cup)
