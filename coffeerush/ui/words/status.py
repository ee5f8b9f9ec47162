"""Everything that a person reads, from data: the one place that screens take words from."""

from typing import Final

from coffeerush.client.model import Model

from .errors import error_line
from .events import drink_names as drink_names, event_line as event_line
from .i18n import N_, _
from .names import (
    cell_ingredient as cell_ingredient,
    cell_marks as cell_marks,
    cell_name as cell_name,
    counts_line as counts_line,
    direction_name as direction_name,
    drink_name as drink_name,
    drink_title as drink_title,
    ingredient_code as ingredient_code,
    ingredient_name as ingredient_name,
    item_list as item_list,
    menu_drink as menu_drink,
    numbered as numbered,
    orders as orders,
    phase_name as phase_name,
    seat_name as seat_name,
    sentence_case as sentence_case,
    steps as steps,
    tokens as tokens,
    upgrade_help as upgrade_help,
    upgrade_name as upgrade_name,
)
from .refusals import refusal_line as refusal_line

_STATUS: Final = {
    "joining": N_("Joining the table."),
    "here": N_("You are at the table."),
    "lost": N_("The connection is lost; trying again."),
}


def status_line(model: Model) -> str:
    """Return the sentence that says how the client stands with its host."""
    return ending_line(model) if model.status == "over" else _(_STATUS[model.status])


def ending_line(model: Model) -> str:
    """Return the sentence that says why this client is done."""
    match model.ending:
        case "failed":
            return error_line(model.trouble) if model.trouble else ""
        case "refused" if model.refusal:
            return refusal_line(model.refusal)
        case "stopping":
            return _("The host has closed the table.")
    return _("You have left the table.")
