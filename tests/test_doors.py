"""How many modules of the product have to change for a change of one kind: few, and never more."""

import ast

import pytest

from coffeerush.table_rules import TableRules
from tests.test_layers import MODULES, tree_of

RULE_DOORS = {
    "starters": 18,
    "turn_seconds": 16,
    "bot_seconds": 11,
    "hints": 18,
    "anybody_lets_in": 7,
}
"""The most modules that may name each of the table's rules; lower a number when fewer do.

`starters` is also a rule of the game, and `hints` is also an action and a command.
"""


def names(module: str, name: str) -> bool:
    """Return whether a module has a field, an argument or an attribute of this name."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == name)
        or (isinstance(node, ast.keyword | ast.arg) and node.arg == name)
        or (isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name)
        for node in ast.walk(tree_of(module))
    )


@pytest.mark.parametrize("rule", TableRules.__struct_fields__)
def test_a_rule_of_a_table_is_named_in_few_modules(rule: str) -> None:
    found = [module for module in MODULES if names(module, rule)]
    assert len(found) <= RULE_DOORS[rule], f"{rule} is named in {', '.join(found)}"
