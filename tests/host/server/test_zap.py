"""ZAP requests as libzmq sends them: a malformed one is refused, and none raises."""

import pytest
import zmq
from zmq.utils import z85

from coffeerush.host.server.sockets import domain_of, refusal, zap_reply

KEY = zmq.curve_keypair()[0].decode()
PORT = 47821
ASKED = [b"1.0", b"7", domain_of(PORT), b"127.0.0.1", b"", b"CURVE", z85.decode(KEY)]


def test_a_known_key_is_admitted_under_its_own_name() -> None:
    assert zap_reply(ASKED, {KEY}) == [b"1.0", b"7", b"200", b"OK", KEY.encode(), b""]


def test_an_unknown_key_is_refused() -> None:
    assert zap_reply(ASKED, set())[1:3] == [b"7", b"400"]


def test_a_refused_peer_is_identified_by_its_address() -> None:
    assert refusal(ASKED, zap_reply(ASKED, {KEY})) is None
    assert refusal(ASKED, zap_reply(ASKED, set())) == ("stranger", "127.0.0.1")
    assert refusal([], zap_reply([], set())) == ("stranger", "")


def test_a_key_with_enough_connections_is_told_to_come_back_later() -> None:
    asked: list[tuple[str, int]] = []

    def may_connect(key: str, port: int) -> bool:
        asked.append((key, port))
        return False

    reply = zap_reply(ASKED, {KEY}, may_connect)
    assert (reply[2], asked) == (b"300", [(KEY, PORT)])
    assert refusal(ASKED, reply) == ("too_often", "127.0.0.1")
    assert zap_reply(ASKED, set(), may_connect)[2] == b"400"


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [b"1.0"],
        ASKED[:-1],
        [*ASKED, b""],
        [b"2.0", *ASKED[1:]],
        [*ASKED[:2], b"other", *ASKED[3:]],
        [*ASKED[:5], b"NULL"],
        [*ASKED[:5], b"NULL", z85.decode(KEY)],
        [*ASKED[:5], b"PLAIN", b"user", b"word"],
        [*ASKED[:6], b"short"],
        [*ASKED[:6], KEY.encode()],
    ],
)
def test_any_malformed_request_is_refused(frames: list[bytes]) -> None:
    assert zap_reply(frames, {KEY})[2] == b"400"
