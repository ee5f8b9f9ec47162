"""Identities by which guests are recognized: three kinds, and none can pass for another.

Each kind comes from one source only: a browser's message can only ever be a token.
"""

import hashlib
from typing import TypeAlias

import msgspec
from msgspec import Struct


class BrowserToken(Struct, frozen=True, tag="browser_token"):
    """What a browser was given when it was let in; nobody else knows it."""

    secret: str


class SshKey(Struct, frozen=True, tag="ssh_key"):
    """A key that a guest's ssh has proved to have."""

    fingerprint: str


class AddressAndName(Struct, frozen=True, tag="address_and_name"):
    """Where a guest without a key comes from, and what they call themselves; no secret."""

    address: str
    name: str


Identity: TypeAlias = BrowserToken | SshKey | AddressAndName


def digest(identity: Identity) -> str:
    """Return a hash of an identity, its kind included, from which nobody gets it back."""
    return hashlib.sha256(msgspec.json.encode(identity)).hexdigest()[:32]
