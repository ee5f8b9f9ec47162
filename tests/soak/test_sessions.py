"""A short form of `scripts/soak sessions`."""

from tests.soak.parts import sessions
from tests.soak.soak import Soak

SHORT_SECONDS = 5.0


def test_lossy_sessions_throw_nobody_out() -> None:
    soak = Soak("sessions", SHORT_SECONDS)
    sessions.run(soak)
    assert not soak.broken
