"""How many modules of the product have to change for a change of one kind: few, and never more."""

import ast

import pytest

from coffeerush.table_rules import TableRules
from coffeerush.ui.plain.commands import ROW_OF
from coffeerush.ui.table.actions import Action
from tests.test_layers import MODULES, tree_of

RULE_DOORS = {
    "starters": 17,
    "turn_seconds": 12,
    "bot_seconds": 9,
    "hints": 16,
    "anybody_lets_in": 6,
    "rotation": 11,
}
"""The most modules that may name each of the table's rules; lower a number when fewer do.

`starters` is also a rule of the game, `turn_seconds` also one of a tournament, and `hints` is also
an action and a command.
"""


def names_in(module: str) -> set[str | None]:
    """Return the names of a module's fields, arguments and attributes."""
    found: set[str | None] = set()
    for node in ast.walk(tree_of(module)):
        match node:
            case ast.Attribute(attr=name) | ast.keyword(arg=name) | ast.arg(arg=name):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found


@pytest.mark.slow
def test_a_rule_of_a_table_is_named_in_few_modules() -> None:
    named = {module: names_in(module) for module in MODULES}
    for rule in TableRules.__struct_fields__:
        found = [module for module in MODULES if rule in named[module]]
        assert len(found) <= RULE_DOORS[rule], f"{rule} is named in {', '.join(found)}"


COMMAND_DOORS = {
    **dict.fromkeys(("back", "empty", "end", "go", "help", "hint", "leave", "letter"), 2),
    **dict.fromkeys(("other", "pause", "ready", "replay", "say", "undo", "unready"), 2),
    **dict.fromkeys(("bot", "left", "look", "name", "open", "orders", "pour", "analysis"), 3),
    **dict.fromkeys(("serve", "start", "upgrade"), 3),
}
"""How many modules name each command word of plain mode: these several, all others its row.

`open` is also the status of a seat, `go` a command of the replay, and `letter`, `name`, `pause` and
`say` are text fields.
"""


def command_words_in(module: str) -> set[str]:
    """Return the command words in a module that knows of any; those in a sentence do not count."""
    tree = [*ast.walk(tree_of(module))]
    froms = {one.module for one in tree if isinstance(one, ast.ImportFrom) and one.module}
    typed = module.startswith("coffeerush.ui.plain.") or module.endswith(".command_words")
    if not typed and not any(name.endswith("command_words") for name in froms):
        return set()
    calls = [one for one in tree if isinstance(one, ast.Call)]
    said = [arg for call in calls if ast.unparse(call.func) == "said" for arg in call.args]
    texts = [one for one in tree if isinstance(one, ast.Constant) and one not in said]
    return {text.value for text in texts if isinstance(text.value, str)} & set(ROW_OF)


@pytest.mark.slow
def test_a_command_of_plain_mode_is_named_in_few_modules() -> None:
    named = {module: command_words_in(module) for module in MODULES}
    for word in ROW_OF:
        found = [module for module in MODULES if word in named[module]]
        assert "coffeerush.ui.plain.commands" in found
        assert len(found) == COMMAND_DOORS.get(word, 1), f"{word} is named in {', '.join(found)}"


ACTION_DOORS = {
    **dict.fromkeys(("NEXT", "LEAVE"), 3),
    **dict.fromkeys(("HELP", "MOVE", "SUGGEST", "SERVE", "PANE", "MEEPLE"), 2),
    **dict.fromkeys(("STAND_UP", "AGREE", "HALL", "SAY_TO_ALL", "BACK", "ANSWER"), 2),
}
"""How many modules name each action of a table, all others their row alone: these are also drawn or
asked for somewhere. The browser's page has one button that takes the most useful of four, and one
for each upgrade."""


def actions_in(module: str) -> set[str]:
    """Return the actions of a table that a module defines or names."""
    found: set[str] = set()
    for node in ast.walk(tree_of(module)):
        match node:
            case ast.Attribute(value=ast.Name(id="Action"), attr=name):
                found.add(name)
            case ast.ClassDef(name="Action", body=rows):
                found |= {ast.unparse(row).partition(" = ")[0] for row in rows}
    return found


@pytest.mark.slow
def test_an_action_of_a_table_is_named_in_few_modules() -> None:
    named = {module: actions_in(module) for module in MODULES}
    for name in Action.__members__:
        found = [module for module in MODULES if name in named[module]]
        assert len(found) == ACTION_DOORS.get(name, 1), f"{name} is named in {', '.join(found)}"
