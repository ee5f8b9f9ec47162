"""Attacks by somebody without the code; each attack runs in its own process.

Run as `python -m tests.soak.strangers.strangers NAME`, with `Orders` as a line of JSON on
standard input. It prints `ready`, attacks until another line arrives, and prints its counts.
"""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from tests.soak.strangers import strange_bytes, strange_datagrams, strange_frames, strange_lines
from tests.soak.strangers.stranger import Attack, Orders, Stranger

ATTACKS: Final[dict[str, Attack]] = {
    attack.__name__: attack
    for module in (strange_bytes, strange_lines, strange_frames, strange_datagrams)
    for attack in module.ATTACKS
}


def main() -> None:
    """Run the attack on the command line."""
    name = sys.argv[1]
    orders = msgspec.json.decode(sys.stdin.readline(), type=Orders)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # with a lower priority than others
    stranger = Stranger(orders, Random(f"{orders.seed} {name}"))
    with ExitStack() as stack:
        kept = Path(orders.kept)
        stack.callback(lambda: kept.write_bytes(b"\xc1".join(stranger.received)))
        print("ready", flush=True)
        ATTACKS[name](stranger)
    print(msgspec.json.encode(stranger.done).decode(), flush=True)


if __name__ == "__main__":
    main()
