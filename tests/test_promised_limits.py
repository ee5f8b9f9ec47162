"""The limits that SPEC.md promises, as numbers: other tests use the names of the constants."""

from msgspec import structs

from coffeerush.client import connection
from coffeerush.host.hall import hall
from coffeerush.host.server import members, sockets
from coffeerush.host.table import config
from coffeerush.joining import admission, door_server
from protocol import MAX_TABLES, STAND_IN_SECONDS


def test_the_limits_of_the_door() -> None:
    assert (admission.TRIES, admission.TRIES_SECONDS, admission.TABLE_TRIES) == (5, 600, 50)
    assert (admission.STARTS, admission.RIGHT_PROOFS, admission.NUISANCE_SECONDS) == (10, 32, 60)
    assert (admission.PROOFS_OF_NUISANCES, admission.LONG_ROUND_SECONDS) == (8, 8)
    assert (admission.PROOFS_OF_OTHERS, admission.ROUND_SECONDS) == (32, 2)
    assert (door_server.DOOR_SECONDS, door_server.MAX_VISITORS, door_server.MAX_OF_A_SOURCE) == (
        5,
        32,
        16,
    )


def test_the_limits_of_connections() -> None:
    assert (members.MAX_OF_A_KEY, members.NEWCOMERS, members.SUBSCRIPTIONS) == (4, 32, 16)
    assert (members.MAX_TOO_FAST, members.RATION_SECONDS) == (100, 10)
    assert structs.astuple(members.REQUESTS_ALLOWANCE) == (65536, 0)
    assert structs.astuple(members.UPDATES_ALLOWANCE) == (4096, 128)
    assert (members.NAMELESS_SECONDS, members.MAX_CONNECTIONS) == (4, 128)
    assert (members.NEWCOMERS_A_TABLE, members.CONNECTIONS_A_TABLE) == (8, 16)
    assert (hall.TABLES_A_PERSON, MAX_TABLES) == (2, 64)
    assert (sockets.MAX_ENVELOPE_BYTES, sockets.MAX_SUBSCRIPTION_BYTES) == (255, 512)


def test_timeouts() -> None:
    assert (connection.KEEPALIVE_SECONDS, connection.SILENCE_SECONDS) == (2, 3)
    assert connection.RETRY_SECONDS == (0.5, 1.0, 2.0)
    assert (config.AWAY_SECONDS, STAND_IN_SECONDS, config.GONE_SECONDS) == (6, 20, 60)
