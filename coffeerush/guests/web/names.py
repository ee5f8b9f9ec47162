"""What the page needs besides cells: names of its buttons, the open text field. Pure."""

from collections.abc import Iterator

from coffeerush.client.model import Model
from coffeerush.ui.pages.pages import ROWS
from coffeerush.ui.plain.sentences import cell_line, cup_lines, order_lines
from coffeerush.ui.table.state import TYPING, Ui
from coffeerush.ui.table.text_input import longest
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import cell_name, item_list, sentence_case
from protocol import BOARD

from .frame import Field


def target_names(model: Model) -> Iterator[tuple[Target, str]]:
    """Yield names for screen readers, where what is drawn is short for something."""
    view = model.view
    if view is None:
        return
    for cell in range(len(BOARD)):
        words = (cell_name(cell), cell_line(model, view, cell))
        yield Target("cell", cell), sentence_case(item_list(words))
    if view.own is not None:
        for number, line in enumerate(cup_lines(model, view)[: len(view.own.cups)], start=1):
            yield Target("cup", number), line
        for index, line in enumerate(order_lines(model, view)[1:]):
            yield Target("order", index), line


def field_of(ui: Ui) -> Field | None:
    """Return the text field that is open."""
    if ui.mode in TYPING:
        label = _("Say:") if ui.mode == "chat" else _("New name:")
        return Field(label, ui.draft.text, longest(ui))
    if ui.editing:
        return Field(_(ROWS[ui.row].label), ui.draft.text, longest(ui))
    return None
