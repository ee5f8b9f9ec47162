"""Refusals in words: one sentence a code, which says what to do."""

from collections import defaultdict
from collections.abc import Callable
from typing import Final

from protocol import BOARD_SIDE, Ingredient, Params, Refusal, RefusalCode, Upgrade, clean_line

from .i18n import N_, _
from .names import cell_name, ingredient_name, upgrade_name

_TEXTS: Final[dict[RefusalCode, str]] = {
    "not_your_turn": N_("It is another player's turn; wait for yours."),
    "wrong_phase": N_("That is not possible at this point of the turn."),
    "cell_taken": N_("A meeple stands on {cell}; choose a free cell."),
    "not_adjacent": N_("A step goes to a cell beside the meeple, and {cell} is not."),
    "no_steps_left": N_("No steps and no rush tokens are left; go on with what you have."),
    "would_be_stuck": N_(
        "A meeple stands on {cell}, and you could not go on from there to a free cell."
    ),
    "other_meeple": N_("Only one meeple moves in a turn; undo its steps to move the other one."),
    "no_such_meeple": N_("With three or four players each has one meeple."),
    "must_step": N_("Take at least one step first."),
    "stands_on_meeple": N_("Your meeple stands with another one; step on to a free cell."),
    "hand_not_empty": N_("Pour or give back what is in your hand first."),
    "hand_empty": N_("Your hand is empty already."),
    "not_in_hand": N_("There is no {ingredient} in your hand."),
    "cup_is_empty": N_("Cup {cup} is empty already."),
    "cup_does_not_match": N_("What is in cup {cup} is not exactly an order of slot {slot}."),
    "too_few_completed": N_("An upgrade costs {needs} completed orders; you have {have}."),
    "upgrade_is_active": N_("The upgrade {upgrade} is active already."),
    "nothing_to_undo": N_("There is nothing to take back in this turn."),
    "say_hello": N_("The host does not know you yet; join the table again."),
    "stale": N_("Something else happened first; look again."),
    "wrong_stage": N_("That is not possible at this stage of the table."),
    "not_seated": N_("You are looking on; only players can do that."),
    "not_owner": N_("Only the owner of the table can do that."),
    "table_full": N_("No seat is free now; look on with “watch”, or come back later."),
    "too_many_spectators": N_("Too many are looking on already; come back later."),
    "bad_text": N_("Nothing of that text can be shown; type another."),
    "name_taken": N_("Somebody at the table is called {name}; choose another name."),
    "no_such_seat": N_("The table has no such seat."),
    "no_such_spectator": N_("Nobody who looks on is called so."),
    "seat_not_free": N_("That seat is not free."),
    "unknown_bot": N_("This host has no such bot; it has {bots}."),
    "too_few_players": N_("Two players at least are needed; wait for somebody or seat a bot."),
    "not_ready": N_("Not everybody is ready: {who}."),
    "id_reused": N_("The host took this for something it has answered before; do it again."),
    "too_fast": N_("That was too much at once; wait a second."),
    "removed": N_("The owner has removed you from the table."),
    "record_failed": N_("The host could not write its record, so nothing was done; try again."),
    "door_busy": N_("Too many are at the door of this host; try again in a few seconds."),
    "bad_key": N_("The host cannot read the key of this program; update both."),
    "code_needed": N_("This table asks for its code: three words that the host's screen shows."),
    "wrong_code": N_(
        "That is not the code of this table, or not any more; look at the host's screen."
    ),
    "too_many_tries": N_(
        "Too many wrong codes came from this machine; wait ten minutes, then look for the code on "
        "the host's screen."
    ),
}


def refusal_line(refusal: Refusal) -> str:
    """Return the sentence that explains a refusal to the person who asked."""
    params, text = _named(refusal.params), _(_TEXTS[refusal.code])
    try:
        return text.format_map(params)
    except KeyError:  # of a host that gives other data: its own sentence says more, if it has one
        return clean_line(refusal.text) or text.format_map(defaultdict(lambda: "?", params))


_VALUES: Final[dict[str, Callable[[int], str]]] = {
    "cell": cell_name,
    "ingredient": lambda value: ingredient_name(Ingredient(value)),
    "upgrade": lambda value: upgrade_name(Upgrade(value)),
}
_ENDS: Final = {"cell": BOARD_SIDE**2, "ingredient": len(Ingredient), "upgrade": len(Upgrade)}


def _named(params: Params) -> dict[str, str | int]:
    """Return the data of a refusal, with names for what is a number on the wire."""
    named = dict(params)
    for key, name in _VALUES.items():
        value = params.get(key)
        if isinstance(value, int) and 0 <= value < _ENDS[key]:
            named[key] = name(value)
    return named
