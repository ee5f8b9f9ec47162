"""Guests with ssh: a server that shows the table and offers nothing else, and their terminals."""

import asyncio
import codecs
import logging
import os
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fcntl import ioctl
from functools import partial
from pathlib import Path
from sys import byteorder
from termios import TIOCOUTQ
from typing import Any, Final, NamedTuple, Protocol, TextIO, cast

import asyncssh
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.styles import Style

from coffeerush.errors import CoffeeRushError, HostError
from coffeerush.joining.admission import origin
from coffeerush.joining.hosts import Address
from coffeerush.local.files import (
    claim,
    make_directory,
    make_private,
    new_draft,
    open_regular,
    sync,
    write,
)
from coffeerush.local.keys import not_a_key
from coffeerush.local.settings import Colours, Settings, Theme
from coffeerush.rates import TokenBucket
from coffeerush.ui.terminal.canvas import Canvas, Look
from coffeerush.ui.terminal.fullscreen import RESTORE_TITLE, SAVE_TITLE, Program
from coffeerush.ui.terminal.keys import split_paste
from coffeerush.ui.terminal.output import (
    DEPTHS,
    LATE_SECONDS,
    CellRow,
    DiffOutput,
    colours_of,
    encoding_of,
)
from coffeerush.ui.terminal.theme import style_of
from coffeerush.ui.words.i18n import _, as_text, languages_asked

from .front_end import FrontEnd, Shares
from .gateway import Gateway
from .listener import BACKLOG, Listener
from .places import INPUTS_AT_ONCE, Arrivals
from .register import AddressAndName, Identity, SshKey
from .visit import receive

# A guest's terminal: frames and escape sequences out, bytes in


ESCAPE_SECONDS: Final = 0.1
"""How long to wait after Esc for the rest of an escape sequence, which may be in a later packet."""
CHARACTERS_PER_SECOND: Final = 1000
CHARACTERS_AT_ONCE: Final = 4000
"""Input of one guest; what is beyond is dropped. Each character takes 10 microseconds."""
_PARSED_AT_ONCE: Final = 250
UNREAD_BYTES: Final = 2048
"""More than this, unread when the next frame is due, means a slow line. An idle machine may take
its time to acknowledge the last packet."""
_MOUSE: Final = re.compile(
    r"\x1b\[<(\d{1,3});(\d{1,4});(\d{1,4})([Mm])|\x1b\[M(.)(.)(.)", re.DOTALL
)
"""A mouse report, as terminals send it that know SGR, and older ones."""
_X10_OFFSET: Final = 32
_WHEEL: Final = {64: -1, 65: 1}
_LEFT: Final = 0


class SshTerminal(FrontEnd):
    """A guest's terminal, wherever its bytes come from.

    Args:
        shares: of the loop's time.
        address: the numeric address of the guest.
        size: columns and rows.
        environment: `TERM`, and what the guest's ssh has sent.
        key: the fingerprint of the guest's key; empty if there is none.
        write: sends bytes.
        on_admitted: called once the guest has given the code.
        unread: returns how many bytes that were sent the guest's machine has not received.
    """

    kind = "ssh"

    def __init__(
        self,
        shares: Shares,
        address: str,
        size: tuple[int, int],
        environment: Mapping[str, str],
        key: str,
        write: Callable[[bytes], None],
        on_admitted: Callable[[], None],
        unread: Callable[[], int],
    ) -> None:
        super().__init__(shares, address, *size, encoding_of(environment))
        self.identity = SshKey(key) if key else None
        self.is_own = bool(key)
        self._admitted = on_admitted
        self._unread = unread
        self._shown_at = float("inf")
        self._environment = environment
        self._output = DiffOutput(
            cast(TextIO, _Stream(write, self.encoding)),
            lambda: Size(rows=self.size[1], columns=self.size[0]),
            term=environment.get("TERM"),
            enable_cpr=False,
        )
        self._erases = False
        """Whether the next frame has to be a whole one."""
        self._canvas = Canvas(1, 1)
        self._applied: Settings | None = None
        self._painted: tuple[Theme, Colours] | None = None
        self._titled = False
        self._decoder = codecs.getincrementaldecoder(self.encoding)("replace")
        self._found: list[KeyPress] = []
        self._parser = Vt100Parser(self._found.append)
        self._unparsed = 0
        """How many characters were received since the last key was complete."""
        self._characters = TokenBucket(
            CHARACTERS_PER_SECOND, CHARACTERS_AT_ONCE, asyncio.get_running_loop().time()
        )
        self._flushing: asyncio.TimerHandle | None = None

    def identify(self, name: str) -> Identity:
        """Recognize a guest without a key by name and address."""
        return self.identity or AddressAndName(self.address, name.casefold())

    def admitted(self) -> None:
        """Pass on that the guest is in."""
        super().admitted()
        self._admitted()

    def begin(self) -> None:
        """Take the terminal over."""
        output = self._output
        output.enter_alternate_screen()
        output.enable_bracketed_paste()
        output.reset_cursor_key_mode()
        output.hide_cursor()
        output.flush()

    def end(self) -> None:
        """Give the terminal back."""
        if self._flushing:
            self._flushing.cancel()
        output = self._output
        output.disable_mouse_support()
        output.disable_bracketed_paste()
        output.quit_alternate_screen()
        output.show_cursor()
        output.flush()

    def resize(self, columns: int, rows: int) -> None:
        """Draw for another size from now on; of several in a row, only the last one counts."""
        self._erases = True
        super().resize(columns, rows)

    # Frames

    def show(self, program: Program, look: Look, settings: Settings) -> Iterator[None]:
        """Send what has changed since the frame before; yield between parts of it."""
        canvas = program.frame(*self.size)
        yield
        if settings != self._applied:
            self._apply(settings)
        now = asyncio.get_running_loop().time()
        if now - self._shown_at > LATE_SECONDS and self._unread() > UNREAD_BYTES:
            self._output.note_late()
        if self._erases:
            self._erases = False
            self._output.erase_screen()
        self._canvas, self._shown_at = canvas, now
        cells: list[CellRow] = []
        for row in canvas.cells(look):
            cells.append(row)
            yield
        self._output.show(cells, canvas.caret)
        yield from self._output.encode()
        self._output.flush()

    @property
    def is_slow(self) -> bool:
        """Whether an earlier frame was still on its way when the next one was due."""
        return self._output.is_slow

    def colours(self, settings: Settings) -> Colours:
        """Return the colours that the guest's terminal has, or as they are set."""
        return colours_of(settings, self._output, self._environment)

    def _apply(self, settings: Settings) -> None:
        before, self._applied = self._applied, settings
        colours = self.colours(settings)
        if (settings.theme, colours) != self._painted:
            self._painted = settings.theme, colours
            style = Style.from_dict(style_of(settings.theme, colours))
            self._output.set_style(style, DEPTHS[colours])
        if self._output.is_old or settings.mouse == (before is not None and before.mouse):
            return
        if settings.mouse:
            self._output.enable_mouse_support()
        else:
            self._output.disable_mouse_support()

    def bell(self) -> None:
        """Ring the bell."""
        self._output.bell()

    def title(self, text: str) -> None:
        """Set the title of the terminal's window; "" restores the original one."""
        if bool(text) is self._titled or self._output.is_old:
            return
        self._titled = bool(text)
        if text:
            self._output.write_raw(SAVE_TITLE)
        self._output.set_title(text or _("Coffee Rush"))
        if not text:
            self._output.write_raw(RESTORE_TITLE)
        self._output.flush()

    # Keys

    def hear(self, data: bytes) -> None:
        """Handle what the guest's terminal has sent."""
        text, now = self._decoder.decode(data), asyncio.get_running_loop().time()
        if self._flushing:
            self._flushing.cancel()
            if self._flushing.when() <= now:  # this process was busy
                self._do(self._flush)
            self._flushing = None
        self._unparsed += len(text)
        much = len(text) > self._characters.left(now) or self._unparsed > CHARACTERS_AT_ONCE
        if much or len(self._jobs) >= INPUTS_AT_ONCE:
            self._do(self._parser.reset)  # it may wait for the end of something that is lost now
            self._unparsed = 0
            return
        self._characters.spend(now, len(text))
        for at in range(0, len(text), _PARSED_AT_ONCE):
            self._do(partial(self._parser.feed, text[at : at + _PARSED_AT_ONCE]))
        self._do(self._dispatch)
        self._flushing = asyncio.get_running_loop().call_later(ESCAPE_SECONDS, self._flush_soon)

    def _flush_soon(self) -> None:
        self._flushing = None
        self._do(self._flush)

    def _flush(self) -> None:
        """Take what may have been the start of an escape sequence for what it is."""
        self._parser.flush()
        self._dispatch()

    def _dispatch(self) -> None:
        """Handle the keys found; those that arrived together may be pasted text."""
        pressed, keys = self._found[:], list[str]()
        self._found.clear()
        if pressed:
            self._unparsed = 0
        for press in pressed:
            if press.key in (Keys.Vt100MouseEvent, Keys.BracketedPaste):
                self._press(keys)
                keys = []
                handle = self._point if press.key == Keys.Vt100MouseEvent else self.paste
                handle(press.data)
            elif press.key == Keys.ControlL:
                self._erases = True
                self._press(keys)
                keys = []
                self.redraw()
            elif press.key not in (Keys.CPRResponse, Keys.Ignore, Keys.ControlZ):
                keys.append(press.key.value if isinstance(press.key, Keys) else press.key)
        self._press(keys)

    def _press(self, keys: list[str]) -> None:
        for pasted, pressed in split_paste(keys):
            if pasted:
                self.paste(pasted)
            self.press(*pressed)

    def _point(self, report: str) -> None:
        """Handle a mouse report: a click with the left button, or the wheel."""
        parts = _MOUSE.fullmatch(report)
        if not parts:
            return
        if parts[4]:
            button, x, y = int(parts[1]), int(parts[2]), int(parts[3])
        else:
            button, x, y = (ord(character) - _X10_OFFSET for character in parts.groups()[4:])
        target = self._canvas.target_at(x - 1, y - 1)
        if button in _WHEEL:
            self.wheel(target, _WHEEL[button])
        elif button == _LEFT and parts[4] != "m" and target is not None:
            self.click(target)


class _Stream:
    """What prompt_toolkit writes to, as to a terminal's standard output."""

    def __init__(self, write: Callable[[bytes], None], encoding: str) -> None:
        self._write = write
        self.encoding = encoding

    def write(self, data: str) -> None:
        self._write(data.encode(self.encoding, "replace"))

    def flush(self) -> None: ...

    def fileno(self) -> Any:
        raise OSError("it is no file")

    def isatty(self) -> bool:
        return True


# A session over ssh: a guest's visit in their terminal


STUCK_SECONDS: Final = 20.0
"""How long a guest may leave what is sent unread."""
BUFFERED_BYTES: Final = 131072
_VARIABLES: Final = (
    *("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "COLORTERM", "NO_COLOR"),
)
_VALUE_CHARACTERS: Final = 64
_DUMB: Final = ("", "dumb", "unknown")
"""Values of TERM for terminals that cannot move their cursor."""
_log: Final = logging.getLogger(__name__)


class _Caller(NamedTuple):
    """What a connection says about the guest."""

    address: str
    user: str
    """The name at the guest's machine."""
    key: str
    """The fingerprint of the key that they have proved to have; empty if they have none."""


class _SshConnection(Protocol):
    """The connection of a session."""

    def give_place_back(self) -> None:
        """Make room for others who have not given the code."""

    def close_soon(self) -> None:
        """Close the connection, unless the guest's ssh does so first."""


class GuestSession(asyncssh.SSHServerSession[bytes]):
    """The session of a connection: a guest's visit."""

    def __init__(
        self,
        gateway: Gateway,
        connection: asyncssh.SSHServerConnection,
        caller: _Caller,
        server: _SshConnection,
    ) -> None:
        self._gateway = gateway
        self._connection = connection
        self._caller = caller
        self._server = server
        self._has_terminal = False
        self._terminal: SshTerminal | None = None
        self._visit: asyncio.Task[None] | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._closing = False

    @property
    def is_begun(self) -> bool:
        """Whether the guest is looking at something."""
        return self._visit is not None

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        """Take the channel."""
        self._channel = chan
        chan.set_write_buffer_limits(BUFFERED_BYTES)

    def pty_requested(self, *_about: Any) -> bool:
        """Accept a terminal."""
        self._has_terminal = True
        return True

    def shell_requested(self) -> bool:
        """Accept the session, in which no shell runs."""
        return True

    def session_started(self) -> None:
        """Begin the visit, if there is a terminal that can show it."""
        channel, caller = self._channel, self._caller
        environment = _environment(channel)
        if not self._has_terminal:
            self._send_away(environment, _("The game needs a terminal: connect with ssh -t."))
            return
        if environment.get("TERM", "") in _DUMB:
            self._send_away(environment, self._other_ways())
            return
        columns, rows, *_pixels = channel.get_terminal_size()
        self._terminal = SshTerminal(
            self._gateway.shares,
            caller.address,
            (columns or 80, rows or 24),
            environment,
            caller.key,
            self._write,
            self._server.give_place_back,
            lambda: unread_bytes(self._connection.get_extra_info("socket")),
        )
        self._visit = asyncio.create_task(self._receive(self._terminal, environment))

    def _send_away(self, environment: dict[str, str], text: str) -> None:
        """Say in one line why there is nothing to see, and end the session."""
        self._write(f"{text}\r\n".encode(encoding_of(environment), "replace"))
        self._channel.exit(1)

    def _other_ways(self) -> str:
        """Return the advice for a terminal that cannot move its cursor."""
        if not self._gateway.page:
            return _("This terminal cannot show the game: connect from another one.")
        scheme, port = self._gateway.page
        here = Address(origin(self._connection.get_extra_info("sockname")[0]), port)
        text = _(
            "This terminal cannot show the game: connect from another one, or open {address} in "
            "a browser."
        )
        return text.format(address=f"{scheme}://{here}")

    async def _receive(self, terminal: SshTerminal, environment: dict[str, str]) -> None:
        terminal.begin()
        farewell = ""
        try:
            asked = languages_asked(environment)
            farewell = await receive(self._gateway, terminal, asked, self._caller.user)
        except CoffeeRushError as bug:
            _log.error("%s", bug)
            farewell = _("The program hit a bug; connect again to continue.")
        except asyncio.CancelledError:
            if not self._closing:
                raise
            farewell = _("The host has closed the table.")
        finally:
            terminal.end()
        line = as_text([farewell]).replace("\n", "\r\n") if farewell else ""
        self._write(line.encode(terminal.encoding, "replace"))
        with suppress(OSError):
            self._channel.exit(0)
        self._server.close_soon()

    def _write(self, data: bytes) -> None:
        with suppress(OSError):  # the connection is gone, which ends the visit
            self._channel.write(data)

    def data_received(self, data: bytes, datatype: Any) -> None:
        """Handle keys."""
        if self._terminal:
            self._terminal.hear(data)

    def eof_received(self) -> bool:
        """Close the channel with the guest's end of it."""
        return False

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        """Draw for another size."""
        if self._terminal:
            self._terminal.resize(width or 80, height or 24)

    def signal_received(self, signal: str) -> None:
        """Take a signal for Ctrl-C."""
        if signal in ("INT", "TERM", "HUP") and self._terminal:
            self._terminal.press("c-c")

    def pause_writing(self) -> None:
        """Draw nothing, and end the connection if this lasts."""
        if self._terminal:
            self._terminal.pause()
        self._stuck = asyncio.get_running_loop().call_later(STUCK_SECONDS, self._connection.abort)

    def resume_writing(self) -> None:
        """Draw again."""
        if self._stuck:
            self._stuck.cancel()
        if self._terminal:
            self._terminal.resume()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the visit."""
        self.cancel()

    def cancel(self) -> None:
        """End the visit: the connection is gone."""
        if self._stuck:
            self._stuck.cancel()
        if self._visit:
            self._visit.cancel()

    async def end(self) -> None:
        """End the visit, and restore the terminal."""
        if self._visit and not self._visit.done():
            self._closing = True
            self._visit.cancel()
            await asyncio.wait([self._visit])


def unread_bytes(connected: socket.socket | None) -> int:
    """Return the number of bytes sent that the other machine has not received.

    Args:
        connected: to the other machine; None if the connection is gone.

    Returns:
        0 also if the system hides it.
    """
    if connected is None:
        return 0
    try:
        unread = ioctl(connected.fileno(), TIOCOUTQ, bytes(4))
    except (OSError, ValueError):  # or it has just been closed
        return 0
    return int.from_bytes(unread, byteorder)


def _environment(channel: "asyncssh.SSHServerChannel[bytes]") -> dict[str, str]:
    """Return the variables that matter, of those that the guest's ssh has sent."""
    sent = channel.get_environment_bytes()
    texts = {name: sent.get(name.encode(), b"").decode("ascii", "ignore") for name in _VARIABLES}
    texts["TERM"] = channel.get_terminal_type() or ""
    return {name: text[:_VALUE_CHARACTERS] for name, text in texts.items() if text}


# The ssh server for guests: a session shows the table, and nothing else is on offer


CLOSE_SECONDS: Final = 1.0
"""For how long a connection stays open after its session."""
LOGIN_SECONDS: Final = 15.0
"""The time from the connection to the session."""
SILENT_SECONDS: Final = 3.0
"""The time for its first line, which a client sends at once."""
ARRIVALS: Final = (60.0, 30, 4000)
"""The limits of `Arrivals`: with 200 sources, 13 connections a second. A handshake takes 5 ms."""
BYTES_PER_SECOND: Final = 8192
"""What a connection may send; ssh itself sends 5 kB a second while somebody types."""
BYTES_AT_ONCE: Final = 65536
WINDOW_BYTES: Final = 32768
MAX_NAME: Final = 64
"""Characters of a user name that are looked at."""
_KEY_NAME: Final = "guests-ssh.key"
_KEY_BYTES: Final = 4096
_KEY_EXCHANGES: Final = (
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "mlkem768x25519-sha256",
)
"""Those that take little time, so that handshakes are no means of attack.

The client's order decides. But Dropbear's client guesses its first one, and asyncssh takes the
guess for right only if ours is the same.
"""
_CIPHERS: Final = ("aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr", "aes128-ctr")
"""Those that take little time; ChaCha, the first choice of many clients, takes more in Python."""


def host_key(directory: Path) -> asyncssh.SSHKey:
    """Return the server's key, kept in an owner-only file; raises `HostError`."""
    path = directory / _KEY_NAME
    try:
        return asyncssh.import_private_key(_kept_key(path))
    except OSError as error:
        raise HostError(
            "Your key cannot be saved: {reason}; set COFFEERUSH_STATE to a writable directory.",
            reason=error,
        ) from None
    except ValueError:
        raise not_a_key(path) from None


def _kept_key(path: Path) -> bytes:
    """Return the contents of the file of the key, which is created if it is missing."""
    if not path.exists():
        make_directory(path.parent)
        with new_draft(path.parent) as (new, draft):
            write(new, asyncssh.generate_private_key("ssh-ed25519").export_private_key())
            sync(new)
            claim(draft, path)
    with os.fdopen(open_regular(path), "rb") as file:
        if make_private(file.fileno()):
            _log.warning(
                "Other users of this machine could read or change %s; it is private now. If one of"
                " them may have done so, move it away: a new key is created, and guests' ssh warns"
                " them of it.",
                path,
            )
        return file.read(_KEY_BYTES)


class SshDoor:
    """Listens for guests until `close`."""

    def __init__(self, gateway: Gateway, key: asyncssh.SSHKey) -> None:
        self._gateway = gateway
        self._key = key
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self.connections: set[_Server] = set()
        """Those that are open."""
        self.fingerprint: str = key.get_fingerprint()

    async def open(self, listening: socket.socket) -> int:
        """Accept connections at a socket, and return its port."""
        arrivals = Arrivals(*ARRIVALS)
        self.listener = Listener(listening, self._gateway.places, arrivals, self._gateway.incidents)
        known = {each.decode() for each in asyncssh.kex.get_kex_algs()}
        self._acceptor = await asyncssh.listen(
            sock=self.listener,
            backlog=BACKLOG,
            config=[],
            server_factory=lambda: _Server(self, self._gateway),
            server_host_keys=[self._key],
            server_version="CoffeeRush",
            kex_algs=[each for each in _KEY_EXCHANGES if each in known],
            encryption_algs=_CIPHERS,
            compression_algs=None,
            gss_host=None,
            password_auth=False,
            host_based_auth=False,
            agent_forwarding=False,
            x11_forwarding=False,
            line_editor=False,
            encoding=None,
            window=WINDOW_BYTES,
            login_timeout=LOGIN_SECONDS,
            keepalive_interval=10,
            keepalive_count_max=3,
        )
        port: int = self.listener.getsockname()[1]
        return port

    async def close(self) -> None:
        """Stop listening, and end all sessions."""
        if self._acceptor:
            self._acceptor.close()
        await asyncio.gather(*(each.end() for each in [*self.connections]))
        open_still = [
            asyncio.ensure_future(each.connection.wait_closed()) for each in self.connections
        ]
        if open_still:
            await asyncio.wait(open_still, timeout=CLOSE_SECONDS)
        for each in [*self.connections]:
            each.connection.abort()


class _Server(asyncssh.SSHServer):
    """One connection."""

    def __init__(self, door: SshDoor, gateway: Gateway) -> None:
        self._door = door
        self._gateway = gateway
        self._session: GuestSession | None = None
        self.key = ""
        self.user = ""

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self.connection = conn
        self.address = origin(conn.get_extra_info("peername")[0])
        self._place = self._door.listener.place_of(conn.get_extra_info("socket").fileno())
        self._acknowledge()
        self._bytes = TokenBucket(BYTES_PER_SECOND, BYTES_AT_ONCE, _now())
        self._hear, conn.data_received = conn.data_received, self._count  # type: ignore[method-assign]  # asyncssh does not limit what it stores
        self._door.connections.add(self)
        self._late = _later(SILENT_SECONDS, self._check_spoken)
        self._place.set_cut(conn.abort)  # last: it may be cut already

    def _count(self, data: bytes, datatype: Any = None) -> None:
        """Pass on what was received, unless it is too much."""
        if self._session is None:
            self._acknowledge()
        self._bytes.spend(_now(), len(data))
        if self._bytes.left(_now()) < 0:
            self._abort("sent_too_much")
        else:
            self._hear(data, datatype)

    def _acknowledge(self) -> None:
        """Acknowledge what was received at once, not with the next answer 40 ms later.

        Until its session begins, OpenSSH's client waits for that before it sends more (Nagle).
        """
        if hasattr(socket, "TCP_QUICKACK"):
            connected = self.connection.get_extra_info("socket")
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)

    def _check_spoken(self) -> None:
        if self.connection.get_extra_info("client_version"):
            self._late = _later(LOGIN_SECONDS - SILENT_SECONDS, self._check_begun)
        else:
            self._abort("said_nothing")

    def _check_begun(self) -> None:
        if self._session is None or not self._session.is_begun:
            self._abort("late_visitor")

    def _abort(self, why: str) -> None:
        self._gateway.incidents.count(why, self.address)
        self.connection.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._door.connections.discard(self)
        self._late.cancel()
        if self._session:
            self._session.cancel()

    def give_place_back(self) -> None:
        """Make room for others who have not given the code."""
        self._place.give_back()

    def close_soon(self) -> None:
        """Close the connection, unless the guest's ssh does so first."""
        self._late.cancel()
        self._late = _later(CLOSE_SECONDS, self.connection.abort)

    async def end(self) -> None:
        """End the session in good order."""
        if self._session:
            await self._session.end()

    # Authentication: any key, or none

    def begin_auth(self, username: str) -> bool:
        self.user = username[:MAX_NAME]
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        self.key = key.get_fingerprint()
        return True

    def kbdint_auth_supported(self) -> bool:
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> bool:
        self.key = ""  # a key that was only mentioned proves nothing
        return True

    def session_requested(self) -> "GuestSession | bool":
        """Offer one session per connection."""
        if self._session is not None:
            return False
        self._place.begin()
        self._session = GuestSession(
            self._gateway, self.connection, _Caller(self.address, self.user, self.key), self
        )
        return self._session


def _now() -> float:
    return asyncio.get_running_loop().time()


def _later(seconds: float, do: Callable[[], None]) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(seconds, do)
