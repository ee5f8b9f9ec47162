"""The gateway's process: why it cannot serve guests, told to its parent in a sentence."""

import asyncio
import socket
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.guests.process import serve
from coffeerush.host.children import CodeSpent, GatewayOptions, next_line
from coffeerush.host.server.parent import Ways
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.local.processes import LineLink

OPTIONS = GatewayOptions("127.0.0.1", 1, "x" * 40, "owl", bind="127.0.0.1")


def failure(options: GatewayOptions) -> str:
    """Serve guests, which fails, and return what the parent hears."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        asyncio.run(serve(options, theirs))
        heard = next_line(LineLink(ours, Ways | CodeSpent))
    assert isinstance(heard, Ways)
    return heard.failed


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the gateway's files apart."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return tmp_path


def test_an_address_of_another_machine() -> None:
    assert failure(replace(OPTIONS, bind="192.0.2.1")).startswith("192.0.2.1 is not an address")


@pytest.mark.parametrize("text", [b"", b"garbage\n", b"\xff\xfe\0", b"-----BEGIN PRIVATE KEY-----"])
def test_a_damaged_key_is_named(state: Path, text: bytes) -> None:
    (state / "guests-ssh.key").write_bytes(text)
    assert f"{state}/guests-ssh.key does not hold a host's key" in failure(OPTIONS)


def test_a_directory_that_cannot_be_written(state: Path) -> None:
    (state / "guests-ssh.key").mkdir()
    assert failure(OPTIONS).startswith("Your key cannot be saved")


def test_files_that_cannot_be_kept_anywhere(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (state / "file").touch()
    monkeypatch.setenv(STATE_VARIABLE, str(state / "file" / "state"))
    assert failure(OPTIONS) == f"{state}/file/state cannot be written: Not a directory."


def test_a_port_that_was_asked_for_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        text = failure(replace(OPTIONS, ssh_port=port, only_these_ports=True))
    assert text.startswith(f"Port {port} is in use")
