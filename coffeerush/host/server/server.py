"""The loop around the table: requests in, answers and updates out, a tick a second.

One thread, blocking sockets, one poll a round, then a bounded number of messages from each, so that
nobody who floods one socket is heard alone. No socket here is used by another thread.
"""

import logging
import math
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import zmq

from coffeerush.host.table.config import Note
from coffeerush.host.table.table import Table
from coffeerush.joining.admission import Admission
from coffeerush.joining.sources import origin
from protocol import (
    Answer,
    Refused,
    Remove,
    RemoveSpectator,
    Request,
    Tick,
    Update,
    WireError,
    WrongShape,
    decode_request,
    encode,
    malformed,
)

from .bot_turns import BotTurns
from .frames import RawRequest, receive
from .incidents import Incidents
from .log_lines import sentence
from .members import Members
from .parent import NewCode, ParentLink
from .sockets import Sockets
from .zap import refused_address, zap_reply

TICK_SECONDS: Final = 1.0
RESULT_SECONDS: Final = 2.5
"""The last result is there for so long: a client asks for its view every two seconds."""
REQUESTS_A_ROUND: Final = 64
HANDSHAKES_A_ROUND: Final = 32

_log: Final = logging.getLogger(__name__)


class Server:
    """Serves a table on its sockets until it is stopped.

    Args:
        sockets: bound; no other thread uses them while `run` does.
        table: what answers.
        members: who may connect.
        thinking: moves the bots.
        gate: the door's; who shows the join code is told when it changes.
        tally: of what is not right in the whole host; told in the log.
        companion: the process with whose end this one may end.
    """

    def __init__(
        self,
        sockets: Sockets,
        table: Table,
        members: Members,
        thinking: BotTurns,
        gate: Admission,
        tally: Incidents,
        companion: ParentLink | None = None,
    ) -> None:
        self._sockets = sockets
        self._table = table
        self._members = members
        self._thinking = thinking
        self._gate = gate
        self._tally = tally
        self._code = gate.code
        self._companion = companion
        self._last_result_at: float | None = None
        self._told: Note | None = None
        self._stopping = False
        self._woken, self._wake = socket.socketpair()

    def stop(self) -> None:
        """End `run` soon; may be called by any thread and by a signal handler."""
        self._stopping = True
        with suppress(OSError):  # it has just ended by itself
            self._wake.send(b"\0")

    def run(self) -> None:
        """Serve until it is time to stop, and tell everybody."""
        next_tick = time.monotonic()
        try:
            while not self._is_over(time.monotonic()):
                self._serve(self._poll(next_tick))
                now = time.monotonic()
                if now >= next_tick:
                    next_tick = now + TICK_SECONDS
                    self._tick(now)
                self._publish(self._thinking.begin(now))
                self._write_log()
            self._publish(self._table.stop())
            self._write_log()
            self._count_incidents()
            self._log_line(self._tally.take())
        finally:
            self._thinking.stop()
            self._woken.close()
            self._wake.close()

    def _is_over(self, now: float) -> bool:
        if self._stopping:
            return True
        if self._table.all_played:
            self._last_result_at = self._last_result_at or now
            seen = now - self._last_result_at >= RESULT_SECONDS
            return seen or not self._table.is_in_use
        return self._companion is not None and self._companion.ends(now, self._table.is_in_use)

    def _poll(self, next_tick: float) -> set[object]:
        """Wait for the next tick or something to read; return the sockets and descriptors."""
        descriptors = (
            self._thinking.fileno(),
            self._companion.fileno() if self._companion else None,
        )
        poller = zmq.Poller()
        for each in (self._sockets.zap, self._sockets.requests, self._woken, *descriptors):
            if each is not None:
                poller.register(each, zmq.POLLIN)
        left = max(0.0, next_tick - time.monotonic())
        return {each for each, _event in poller.poll(math.ceil(left * 1000))}

    def _serve(self, ready: set[object]) -> None:
        now = time.monotonic()
        if self._sockets.zap in ready:
            self._answer_handshakes()
        companion = self._companion
        if companion and companion.fileno() in ready and companion.hear(now):
            self._publish(self._table.let_owner_go(now))
        if self._thinking.fileno() in ready:
            self._publish(self._thinking.receive(now))
        if self._sockets.requests in ready:
            self._answer_requests()

    def _answer_handshakes(self) -> None:
        zap = self._sockets.zap
        with suppress(zmq.Again):
            for _each in range(HANDSHAKES_A_ROUND):
                frames = zap.recv_multipart(zmq.NOBLOCK)
                reply = zap_reply(frames, self._members.keyring)
                zap.send_multipart(reply, zmq.NOBLOCK)
                address = refused_address(frames, reply)
                if address is not None:
                    self._tally.count("stranger", origin(address))

    def _answer_requests(self) -> None:
        with suppress(zmq.Again):
            for _each in range(REQUESTS_A_ROUND):
                letter = receive(self._sockets.requests)
                if not letter.envelope:
                    self._tally.count("too_many_frames", letter.address)
                elif not self._members.may_ask(letter.key, self._table):
                    self._tally.count("stranger", letter.address)
                else:
                    self._answer(letter)

    def _answer(self, letter: RawRequest) -> None:
        """Answer first, then publish: the record has been written by then."""
        try:
            request = _request(letter)
        except WireError as error:
            self._tally.count(error.code, letter.address)
            self._send(letter, malformed(error))
            return
        outcome = self._table.handle(time.monotonic(), letter.key, request)
        self._send(letter, outcome.answer)
        self._publish(outcome.updates)
        if isinstance(outcome.answer, Refused):
            self._tally.count(outcome.answer.refusal.code, letter.address)
        elif isinstance(request, Remove | RemoveSpectator):
            self._members.settle(self._table)

    def _send(self, letter: RawRequest, answer: Answer) -> None:
        try:
            self._sockets.requests.send_multipart([*letter.envelope, encode(answer)], zmq.DONTWAIT)
        except zmq.ZMQError as error:
            # Gone, or too slow to take its answers: it asks again, or has left.
            what = "unreachable" if error.errno == zmq.EHOSTUNREACH else "slow"
            self._tally.count(what, letter.address)

    def _publish(self, publications: Iterable[Update | Tick]) -> None:
        for publication in publications:
            self._sockets.updates.send(encode(publication))

    def _tick(self, now: float) -> None:
        self._publish(self._thinking.tick(now))
        self._publish(self._table.tick(now))
        self._members.settle(self._table)
        self._tell_new_code()
        self._count_incidents()
        self._log_line(self._tally.due(now))

    def _count_incidents(self) -> None:
        for kind, times in self._table.take_counters().items():
            self._tally.count(kind, times=times)

    def _tell_new_code(self) -> None:
        code = self._gate.code
        if code != self._code:
            self._code = code
            _log.warning("The join code is another now: %s", code)
            if self._companion:
                self._companion.tell(NewCode(code))

    def _write_log(self) -> None:
        for note in self._table.take_notes():
            if note != self._told:  # a bot that has trouble has it all the time
                _log.info("%s", sentence(note))
            self._told = note

    def _log_line(self, line: str) -> None:
        if line:
            _log.warning("%s", line)


def _request(letter: RawRequest) -> Request:
    if letter.body is None:
        raise WrongShape("a request is an empty frame, and then one with the message")
    return decode_request(letter.body)
