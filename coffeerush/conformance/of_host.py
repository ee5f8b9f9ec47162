"""`coffeerush conformance host`: visit a table, and try everything that SPEC.md says of hosts."""

from coffeerush.joining.hosts import Address
from coffeerush.local.keys import KeyPair

from .door_rules import DOOR_RULES, LAST_DOOR_RULES
from .game_rules import GAME_RULES, LAST_RULES
from .record_rules import RECORD_RULES
from .rules import Say, try_rules
from .table_rules import TABLE_RULES
from .tour import Tour

HOST_RULES = (
    *(*DOOR_RULES, *TABLE_RULES, *GAME_RULES, *RECORD_RULES),
    *(*LAST_RULES, *LAST_DOOR_RULES),
)


def check_host(address: Address, code: str, owner: KeyPair | None, say: Say) -> bool:
    """Try all rules for hosts; tell whether none was departed from.

    Args:
        address: of the door.
        code: the join code; empty for none.
        owner: the keys of the table's owner, to try what only they may do.
        say: gets a line for each rule.
    """
    tour = Tour(address, code, owner)
    try:
        return try_rules(HOST_RULES, tour, say)
    finally:
        tour.close()
