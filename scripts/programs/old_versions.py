"""Warn of installed packages with known vulnerabilities, offline; `scripts/check` runs it."""

import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import distributions
from typing import Final

import zmq
from packaging.utils import canonicalize_name
from packaging.version import Version

OLDEST: Final = {
    "cryptography": ("48.0.1", "older wheels contain a vulnerable OpenSSL (GHSA-537c-gmf6-5ccf)"),
    "libzmq": ("4.3.5", "the limits on floods are tested with this version of pyzmq's library"),
    "msgpack": ("1.2.1", "malformed bytes may crash the process (CVE-2026-57585)"),
    "setuptools": ("78.1.1", "a download may be written to any path (CVE-2025-47273)"),
    "zeroconf": (
        "0.149.16",
        "anybody on the LAN may exhaust memory and CPU time (CVE-2026-47180, CVE-2026-47183, "
        "CVE-2026-47184, CVE-2026-48045, CVE-2026-48487)",
    ),
}
"""The oldest version of a package without known vulnerabilities, and what is wrong before it."""


def warnings(versions: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each package that is too old, given the versions by name."""
    for name, (oldest, reason) in OLDEST.items():
        if name in versions and Version(versions[name]) < Version(oldest):
            yield f"Warning: {name} {versions[name]} is older than {oldest}: {reason}."


def installed() -> dict[str, str]:
    """Return the versions of the packages in this environment, and of the libzmq in use."""
    found: dict[str, str] = {
        canonicalize_name(installed.name): installed.version for installed in distributions()
    }
    return found | {"libzmq": zmq.zmq_version()}


if __name__ == "__main__":
    for line in warnings(installed()):
        print(line, file=sys.stderr)
