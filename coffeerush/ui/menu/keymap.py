"""The help of the menu: its keys, and those at a table. The footer uses the table's keymap."""

from typing import Final

from coffeerush.ui.pages.page import Help
from coffeerush.ui.table.keymap import HELP, KEYMAP
from coffeerush.ui.terminal.keys import HelpRows
from coffeerush.ui.words.i18n import N_

_ROWS: Final[HelpRows] = (
    (("?",), N_("open or close this help (also F1)")),
    ((N_("arrows"),), N_("choose an item, and change its value (also h j k l)")),
    (("0-9",), N_("open the item with that number")),
    ((N_("Enter"),), N_("open the selected item")),
    ((N_("Space"),), N_("change the value of the selected item")),
    ((N_("Esc"),), N_("back to the menu")),
    (("F2",), N_("the rules of the game")),
    (("F3",), N_("settings: language, colours, mouse, speed …")),
    (("q",), N_("back; in the menu, quit the program (also Ctrl-C)")),
)

MENU_HELP: Final = Help(
    ((N_("Keys"), _ROWS), (N_("Keys at a table"), KEYMAP.help_rows())), HELP.marks
)
