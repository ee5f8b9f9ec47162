"""Guests over ssh at a gateway in this process: what they get, what they do not, what is left."""

import asyncio
import os
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random

import asyncssh
import pytest
from asyncssh.packet import Boolean, String, UInt32

from coffeerush.guests.front_end import Shares
from coffeerush.guests.places import VISITORS_PER_SOURCE
from coffeerush.guests.ssh import BYTES_AT_ONCE, UNREAD_BYTES, SshTerminal, host_key, unread_bytes
from coffeerush.joining.admission import TRIES
from coffeerush.local.settings import Settings
from coffeerush.ui.terminal.canvas import Canvas, Target
from coffeerush.ui.terminal.output import LATE_SECONDS, SLOW_OUTPUTS
from tests.support.guests import Reception, receiving, screen_of
from tests.support.hosts_and_clients import SECONDS, Host, hosting

# Guests over ssh at a gateway in this process: what they get, what they do not, what is left


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("host"), seats=4) as host:
        yield host


@asynccontextmanager
async def at(house: Host, state: Path) -> AsyncIterator[Reception]:
    """Open a gateway, at the end of which nothing is left of its guests."""
    async with receiving(house, state) as reception:
        yield reception
        await reception.until(lambda: not reception.door.connections)
        await reception.gateway.close()  # else guests whose connection broke stay for a while
        await reception.settled()


def test_the_servers_key_is_kept_and_private(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, again = host_key(tmp_path), host_key(tmp_path)
    assert first.get_fingerprint() == again.get_fingerprint()
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    host_key(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert f"could read or change {path}; it is private now" in caplog.text


async def test_name_and_code_lead_to_the_table_and_q_away_from_it(
    house: Host, tmp_path: Path
) -> None:
    async with at(house, tmp_path) as reception, await reception.connect() as connection:
        ann = await screen_of(connection)
        await ann.enter(reception.code)
        await ann.see("Ann (ssh)")
        end = await ann.leave()
        assert end.endswith("You have left the table.\r\n")
        assert "\x1b[?1049l" in end


async def test_a_quick_cipher_is_used_whatever_the_guest_likes_best(
    house: Host, tmp_path: Path
) -> None:
    async with at(house, tmp_path) as reception:
        ciphers = ["chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com"]
        async with await reception.connect(encryption_algs=ciphers) as connection:
            assert connection.get_extra_info("send_cipher") == "aes128-gcm@openssh.com"


@pytest.mark.skipif(shutil.which("dbclient") is None, reason="needs Dropbear's client")
async def test_dropbears_client_gets_in(house: Host, tmp_path: Path) -> None:
    """It sends its part of the first key exchange before it knows whether the server takes it."""
    async with at(house, tmp_path) as reception:
        words = ["-y", "-y", "-t", "-p", f"{reception.port}", "Ann@127.0.0.1"]
        terminal, theirs = os.openpty()
        client = await asyncio.create_subprocess_exec(
            *("dbclient", *words),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(tmp_path)},
        )
        os.close(theirs)
        assert client.stdout
        async with asyncio.timeout(SECONDS):
            await client.stdout.readuntil(b"Coffee Rush")
        client.kill()
        await client.communicate()
        os.close(terminal)


async def test_ctrl_c_in_the_form_ends_only_this_session(house: Host, tmp_path: Path) -> None:
    async with (
        at(house, tmp_path) as reception,
        await reception.connect() as first,
        await reception.connect() as second,
    ):
        ann, ben = await screen_of(first), await screen_of(second)
        await ann.see("Code")
        await ben.see("Code")
        ann.write("\x03")
        await ann.to_its_end()
        await ben.enter(reception.code)


async def test_each_guest_reads_their_language_and_may_choose_another(
    house: Host, tmp_path: Path
) -> None:
    async with (
        at(house, tmp_path) as reception,
        await reception.connect() as first,
        await reception.connect() as second,
    ):
        ann = await screen_of(first, LANG="ko_KR.UTF-8")
        ben = await screen_of(second, LANG="it_IT.UTF-8")
        await ann.see("한국어")
        await ben.see("Codice")
        ben.write("\x1b[A" * 2 + "\x1b[C")
        await ben.see("Español")
        await ann.see("한국어")


@pytest.mark.slow
async def test_a_terminal_that_cannot_show_everything_gets_ascii(
    house: Host, tmp_path: Path
) -> None:
    async with at(house, tmp_path) as reception, await reception.connect() as connection:
        ann = await screen_of(connection, term="vt100", LANG="C")
        await ann.enter(reception.code)
        await ann.see("+-")
        assert ann.sent.isascii()
        assert b"\x1b[?1000h" not in ann.sent


async def test_a_terminal_that_cannot_move_its_cursor_gets_a_sentence(
    house: Host, tmp_path: Path
) -> None:
    async with at(house, tmp_path) as reception:
        for page, rest in (
            (None, "."),
            (("http", 47824), ", or open http://127.0.0.1:47824 in a browser."),
        ):
            reception.gateway.page = page
            async with await reception.connect() as connection:
                ann = await screen_of(connection, term="dumb")
                said = await ann.to_its_end()
                start = "This terminal cannot show the game: connect from another one"
                assert said == f"{start}{rest}\r\n"


async def test_the_screen_follows_the_size_of_the_terminal(house: Host, tmp_path: Path) -> None:
    async with at(house, tmp_path) as reception, await reception.connect() as connection:
        ann = await screen_of(connection, (30, 10))
        await ann.see("enlarge the window.")
        ann.resize(100, 30)
        await ann.see("Code")


async def test_a_key_brings_a_guest_back_and_the_older_window_ends(
    house: Host, tmp_path: Path
) -> None:
    async with at(house, tmp_path) as reception:
        key = asyncssh.generate_private_key("ssh-ed25519")
        async with await reception.connect("Cid", client_keys=[key]) as first:
            cid = await screen_of(first)
            await cid.enter(reception.code)
            async with await reception.connect("Cid", client_keys=[key]) as second:
                again = await screen_of(second)
                await again.see("Cid (ssh)")
                assert "You are playing in another window now." in await cid.to_its_end()
                assert reception.gateway.guests == 1
                await again.leave()
        reception.gateway.new_code("moon-tiger-apple")
        async with await reception.connect("Cid", client_keys=[key]) as later:
            await (await screen_of(later)).see("Welcome back! The code has changed;")


@pytest.mark.slow
async def test_without_a_key_nobody_takes_the_seat_of_somebody_who_is_here(
    house: Host, tmp_path: Path
) -> None:
    async with (
        at(house, tmp_path) as reception,
        await reception.connect("Dee") as first,
        await reception.connect("dee") as second,
    ):
        dee = await screen_of(first)
        await dee.enter(reception.code)
        other = await screen_of(second)
        await other.see("Code")
        other.write(reception.code + "\r")
        await other.see("Somebody here has that name")
        await dee.leave()


@pytest.mark.slow
async def test_wrong_codes_are_counted_over_all_connections(house: Host, tmp_path: Path) -> None:
    async with at(house, tmp_path) as reception:
        wrong = "apple-apple-apple"
        for _ in range(TRIES):
            async with await reception.connect() as connection:
                ann = await screen_of(connection)
                await ann.see("Code")
                ann.write(f"{wrong}\r")
                await ann.see("wrong")
        async with await reception.connect() as connection:
            ann = await screen_of(connection)
            await ann.see("Code")
            ann.write(f"{reception.code}\r")
            await ann.see("10 minutes")


async def test_there_is_nothing_but_the_session(house: Host, tmp_path: Path) -> None:
    async with at(house, tmp_path) as reception:
        async with await reception.connect() as connection:
            refused = (asyncssh.ChannelListenError, asyncssh.Error)
            for options in ({"command": "id"}, {"subsystem": "sftp"}):
                with pytest.raises(refused):
                    await connection.create_process(**options)
            with pytest.raises(refused):
                await connection.open_connection("127.0.0.1", house.port)
            with pytest.raises(refused):
                await connection.forward_remote_port("127.0.0.1", 0, "127.0.0.1", 1)
            with pytest.raises(refused):
                await connection.start_sftp_client()
        async with await reception.connect() as connection:
            ann = await screen_of(connection)
            await ann.see("Code")
            cookie = Boolean(False), String("MIT-MAGIC-COOKIE-1"), String("00" * 16), UInt32(0)
            assert not await ann.asks(b"x11-req", *cookie)
            assert not await ann.asks(b"auth-agent-req@openssh.com")
            with pytest.raises(refused):
                await screen_of(connection)
        async with await reception.connect() as connection:
            process = await connection.create_process(encoding=None)
            assert b"needs a terminal" in await process.stdout.read()


async def test_of_cut_connections_nothing_is_left(house: Host, tmp_path: Path) -> None:
    async with at(house, tmp_path) as reception:
        chance = Random(1)
        for number in range(24):
            if number % 3 == 0:
                plain = socket.create_connection(("127.0.0.1", reception.port))
                plain.sendall(chance.randbytes(chance.choice([0, 1, 100])))
                await asyncio.sleep(0)  # the server may have seen it, or not
                plain.close()
                continue
            connection = await reception.connect()
            ann = await screen_of(connection)
            if number % 3 == 1:
                await ann.see("Code")
            connection.abort()
            await connection.wait_closed()


async def test_an_address_has_only_so_many_connections_before_the_code(
    house: Host, tmp_path: Path
) -> None:
    async with at(house, tmp_path) as reception:
        waiting = [
            socket.create_connection(("127.0.0.1", reception.port))
            for _ in range(VISITORS_PER_SOURCE + 1)
        ]
        await reception.until(lambda: len(reception.gateway.places) == VISITORS_PER_SOURCE)
        with pytest.raises((asyncssh.ConnectionLost, OSError)):
            await reception.connect()
        for each in waiting:
            each.close()


async def test_who_sends_too_much_is_cut_off(house: Host, tmp_path: Path) -> None:
    async with at(house, tmp_path) as reception, await reception.connect() as connection:
        ann = await screen_of(connection)
        await ann.see("Code")
        ann.write("x" * 2 * BYTES_AT_ONCE)
        async with asyncio.timeout(SECONDS):
            await connection.wait_closed()


# A guest's terminal at the end of a real connection: what is slow is not animated


class Letters:
    """A program whose frames differ everywhere from one key to the next."""

    def __init__(self) -> None:
        self.settings = Settings()
        self._keys = 0

    def frame(self, columns: int, rows: int) -> Canvas:
        canvas = Canvas(columns, rows)
        for row in range(rows):
            canvas.put(0, row, chr(ord("a") + self._keys % 26) * columns)
        return canvas

    def press(self, _key: str) -> None:
        self._keys += 1

    def paste(self, text: str) -> None: ...

    def click(self, target: Target) -> None: ...

    def wheel(self, target: Target | None, lines: int) -> None: ...


@pytest.mark.parametrize("reads", [True, False])
def test_nothing_is_animated_if_frames_are_still_on_their_way_when_the_next_is_due(
    reads: bool,
) -> None:
    async def main(ours: socket.socket, theirs: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        terminal = SshTerminal(
            *(Shares(), "127.0.0.1", (80, 24), {"TERM": "xterm"}, ""),
            *(ours.sendall, lambda: None, lambda: unread_bytes(ours)),
        )
        display = terminal.display(Letters())
        showing = asyncio.create_task(display.run())
        until, frames = loop.time() + SECONDS, 0
        while not display.look.slow and (frames <= SLOW_OUTPUTS if reads else loop.time() < until):
            terminal.press("x")
            frames += 1
            while reads and unread_bytes(ours):
                await loop.sock_recv(theirs, 1 << 16)
            await asyncio.sleep(LATE_SECONDS + 0.01)  # when the next frame is due
        assert display.look.slow is not reads
        display.close()
        await showing

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, UNREAD_BYTES)
        with closing(socket.create_connection(server.getsockname())) as ours:
            theirs, _address = server.accept()
            with theirs:
                theirs.setblocking(False)
                asyncio.run(main(ours, theirs))
