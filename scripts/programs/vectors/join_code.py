"""Test vectors of the join code: enrolments with all their secrets, and wrong shares."""

from collections.abc import Iterator
from typing import Any, Final

from spake2.parameters.ed25519 import ParamsEd25519

from coffeerush.joining.door import CodeProof
from protocol import Banner, Challenge, Enrol, encode_line

CODES: Final = ("apple-tiger-moon", "window-window-window")
_ORDER: Final[int] = ParamsEd25519.group.order()
_SCALARS: Final = ((2**251 + 12345, 3**150), (1, _ORDER - 1))
_CLIENT_KEY: Final = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
_HOST_KEY: Final = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
_BANNER: Final = Banner("coffeerush", 5, 5, "Café de Ann", 47821, 47822, _HOST_KEY)
_WRONG_SHARES: Final = (
    ("the neutral element", "01" + 31 * "00"),
    ("the neutral element with a number too large", "ee" + 30 * "ff" + "7f"),
    ("the neutral element with a sign", "01" + 30 * "00" + "80"),
    ("an element of order 2", "ec" + 30 * "ff" + "7f"),
    ("an element of order 4", 32 * "00"),
    ("an element of order 8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    ("a point of the curve that is not in the group", "03" + 31 * "00"),
    ("no point of the curve", "02" + 31 * "00"),
)


def join_codes() -> Iterator[dict[str, Any]]:
    """Yield the cases."""
    for code, (x, y) in zip(CODES, _SCALARS, strict=True):
        yield _exchange(code, x, y)
    for name, share in _WRONG_SHARES:
        yield {"name": name, "wrong_share": share}


def _exchange(code: str, x: int, y: int) -> dict[str, Any]:
    client = CodeProof("client", code, _CLIENT_KEY, _HOST_KEY, lambda count: x.to_bytes(count))
    host = CodeProof("host", code, _CLIENT_KEY, _HOST_KEY, lambda count: y.to_bytes(count))
    enrol, challenge = Enrol(_CLIENT_KEY, client.share), Challenge(host.share)
    lines = [encode_line(line) for line in (_BANNER, enrol, challenge)]
    proofs = host.proofs(client.share, b"".join(lines))
    assert proofs == client.proofs(host.share, b"".join(lines))
    w: int = ParamsEd25519.group.password_to_scalar(code.encode())
    names = ("banner", "enrol", "challenge")
    return {
        "name": f"the code {code}",
        "code": code,
        "client_key": _CLIENT_KEY,
        "host_key": _HOST_KEY,
        "w": w.to_bytes(32).hex(),
        "x": x.to_bytes(32).hex(),
        "y": y.to_bytes(32).hex(),
        "client_share": client.share,
        "host_share": host.share,
        **{name: line.decode().rstrip("\n") for name, line in zip(names, lines, strict=True)},
        "client_proof": proofs.client,
        "host_proof": proofs.host,
    }
