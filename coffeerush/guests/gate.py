"""Check the join code for guests, with the limits of the door; sans-I/O.

The gateway is on the host's machine, where the door needs no code. So it asks for the code itself.
"""

from random import Random

from coffeerush.joining.admission import Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.code import OPEN, parse_code
from protocol import RefusedError


class Gate:
    """The join code of the table as guests have to give it; empty if the table has none.

    Each source may try as often as at the door. After as many wrong codes as change the code of a
    table, nobody is let in until `renew` sets a new one.
    """

    def __init__(self, code: str, chance: Random) -> None:
        self._admission = Admission(AdmittedKeyring(), chance)
        self.renew(code)

    def renew(self, code: str) -> None:
        """Set the code; sources keep the wrong tries that they have made."""
        self.code = self._admission.code = code

    @property
    def is_spent(self) -> bool:
        """Whether there were so many wrong codes that the table needs a new one."""
        return self._admission.code != self.code

    def check(self, now: float, source: str, typed: str, spoken: str) -> str:
        """Return the code that somebody typed if it is right; empty at an open table.

        Args:
            now: in seconds of a monotonic clock.
            source: where they come from, as `coffeerush.joining.sources.source_of` says.
            typed: in any language; not needed at an open table.
            spoken: their language.

        Raises:
            UsageError: it is not a code; this is no try.
            RefusedError: `wrong_code`, `too_many_tries` or `door_busy`.
        """
        if not self.code:
            return ""
        code = parse_code(typed, spoken)
        if code == OPEN:
            raise RefusedError("code_needed")
        self._admission.begin(now, source)
        # if the table needs a new one, this one is not right any more, but no wrong try either
        self._admission.prove(now, source, "", code if code == self.code else "")
        return code
