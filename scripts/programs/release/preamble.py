"""Runs first in `coffeerush.pyz`: says why its first start takes longer.

What starts in place of this process, at last the game, ends the timer.
"""

import os
import sys
import threading

_SECONDS = 0.7
_SAID = "COFFEERUSH_UNPACKING"


def _say() -> None:
    os.environ[_SAID] = "said"
    print("Unpacking Coffee Rush; the next start will be faster…", file=sys.stderr, flush=True)


if _SAID not in os.environ:
    _timer = threading.Timer(_SECONDS, _say)
    _timer.daemon = True
    _timer.start()
