"""The join code's vectors against an independent implementation from the text of SPEC.md."""

import hmac
import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

import protocol
from coffeerush.joining.door import CodeProof

FILE = Path(protocol.__file__).parent / "vectors" / "join_code.json"
CASES: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
EXCHANGES = [case for case in CASES if "code" in case]
WRONG_SHARES = [case for case in CASES if "wrong_share" in case]

# edwards25519: RFC 8032, 5.1
PRIME: Final = 2**255 - 19
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
D: Final = -121665 * pow(121666, -1, PRIME) % PRIME
Point: TypeAlias = tuple[int, int]
NEUTRAL: Final = (0, 1)


def decoded(share: bytes) -> Point:
    """Decode a point; raises ValueError if there is none."""
    y = int.from_bytes(share, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    if y >= PRIME or (x * x - square) % PRIME or (x == 0 and share[31] >> 7):
        raise ValueError("no point")
    return (x if x % 2 == share[31] >> 7 else -x % PRIME), y


def encoded(point: Point) -> bytes:
    return (point[1] | (point[0] % 2) << 255).to_bytes(32, "little")


def add(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    both = D * x1 * x2 * y1 * y2
    return (
        (x1 * y2 + x2 * y1) * pow(1 + both, -1, PRIME) % PRIME,
        (y1 * y2 + x1 * x2) * pow(1 - both, -1, PRIME) % PRIME,
    )


def times(scalar: int, point: Point) -> Point:
    total = NEUTRAL
    for bit in bin(scalar % (8 * ORDER))[2:]:
        total = add(total, total)
        if bit == "1":
            total = add(total, point)
    return total


def element(share: bytes) -> Point:
    """Return a share's element; raises ValueError if the share is not valid."""
    point = decoded(share)
    if point == NEUTRAL or times(ORDER, point) != NEUTRAL:
        raise ValueError("no element")
    return point


G: Final = decoded(bytes.fromhex("58" + 31 * "66"))
M: Final = decoded(
    bytes.fromhex("15cfd18e385952982b6a8f8c7854963b58e34388c8e6dae891db756481a02312")
)
N: Final = decoded(
    bytes.fromhex("f04f2e7eb734b2a8f8b472eaf9c3c632576ac64aea650b496a8a20ff00e583c3")
)


def scalar_of(code: str) -> int:
    secret = hmac.new(bytes(32), code.encode(), sha256).digest()
    first = hmac.new(secret, b"SPAKE2 pw\x01", sha256).digest()
    second = hmac.new(secret, first + b"SPAKE2 pw\x02", sha256).digest()
    return int.from_bytes((first + second)[:48]) % ORDER


def hashed(text: str) -> bytes:
    return sha256(text.encode()).digest()


def number(case: dict[str, Any], name: str) -> int:
    return int(case[name], 16)


@pytest.fixture(params=EXCHANGES, ids=lambda case: str(case["name"]))
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param
    return found


def test_the_shares_follow_from_the_code(case: dict[str, Any]) -> None:
    w = scalar_of(case["code"])
    assert w == number(case, "w")
    for secret, fixed, share in (("x", M, "client_share"), ("y", N, "host_share")):
        point = add(times(number(case, secret), G), times(w, fixed))
        assert encoded(point).hex() == case[share]
        assert element(bytes.fromhex(case[share])) == point


def test_the_proofs_follow_from_the_shares(case: dict[str, Any]) -> None:
    w = number(case, "w")
    theirs, ours = (bytes.fromhex(case[name]) for name in ("client_share", "host_share"))
    at_host = times(number(case, "y"), add(element(theirs), times(-w, M)))
    at_client = times(number(case, "x"), add(element(ours), times(-w, N)))
    assert at_client == at_host
    keys = hashed(case["client_key"]) + hashed(case["host_key"])
    key = sha256(hashed(case["code"]) + keys + theirs + ours + encoded(at_host)).digest()
    said = "".join(f"{case[name]}\n" for name in ("banner", "enrol", "challenge"))
    for side in ("client", "host"):
        proof = hmac.new(key, f"coffeerush {side}\n{said}".encode(), sha256)
        assert proof.hexdigest() == case[f"{side}_proof"]


def test_the_lines_carry_the_keys_and_shares(case: dict[str, Any]) -> None:
    banner, enrol, challenge = (json.loads(case[n]) for n in ("banner", "enrol", "challenge"))
    assert (banner["key"], banner["code"]) == (case["host_key"], True)
    assert (enrol["key"], enrol["share"]) == (case["client_key"], case["client_share"])
    assert challenge["share"] == case["host_share"]


@pytest.mark.parametrize("case", WRONG_SHARES, ids=lambda case: str(case["name"]))
def test_invalid_shares_are_rejected(case: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no"):
        element(bytes.fromhex(case["wrong_share"]))
    ours = CodeProof("host", "apple-apple-apple", "a" * 40, "b" * 40)
    with pytest.raises(ValueError, match="no share"):
        ours.proofs(case["wrong_share"], b"")


def test_a_reflected_share_is_rejected() -> None:
    ours = CodeProof("host", "apple-apple-apple", "a" * 40, "b" * 40)
    with pytest.raises(ValueError, match="no share"):
        ours.proofs(ours.share, b"")
