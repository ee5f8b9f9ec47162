"""The figures that SPEC.md promises, as figures: other tests take the limits by their names."""

from coffeerush.client import link, outbox
from coffeerush.host import door, gate, values


def test_what_the_door_bears() -> None:
    assert (gate.TRIES, gate.TRIES_SECONDS, gate.TABLE_TRIES) == (5, 600, 50)
    assert (gate.STARTS, gate.RIGHT_PROOFS, gate.NUISANCE_SECONDS) == (10, 32, 60)
    assert (gate.STARTS_OF_OLD, gate.LONG_ROUND_SECONDS) == (8, 8)
    assert (gate.STARTS_OF_NEW, gate.ROUND_SECONDS) == (32, 2)
    assert (door.DOOR_SECONDS, door.MAX_VISITORS, door.MAX_OF_A_SOURCE) == (5, 32, 16)


def test_how_long_everybody_waits() -> None:
    assert (link.SIGN_OF_LIFE_SECONDS, link.SILENCE_SECONDS) == (2, 3)
    assert outbox.RETRY_SECONDS == (0.5, 1.0, 2.0)
    assert (values.AWAY_SECONDS, values.GONE_SECONDS) == (6, 60)
