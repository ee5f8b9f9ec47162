"""Attacks by somebody without the code: `python -m tests.soak.strangers.strangers NAME`."""

import os
from random import Random
from typing import Final

from tests.soak.strangers import strange_bytes, strange_datagrams, strange_frames, strange_lines
from tests.soak.strangers.attacker import ordered
from tests.soak.strangers.stranger import Attack, Orders, Stranger

ATTACKS: Final[dict[str, Attack]] = {
    attack.__name__: attack
    for module in (strange_bytes, strange_lines, strange_frames, strange_datagrams)
    for attack in module.ATTACKS
}


def main() -> None:
    name, orders = ordered(Orders)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # with a lower priority than others
    Stranger(orders, Random(f"{orders.seed} {name}")).carry_out(ATTACKS[name], orders.kept)


if __name__ == "__main__":
    main()
