"""The host's event loop: requests in, answers and updates out, one tick per second.

One thread polls all sockets, then handles a bounded number of messages from each, so that a
flood on one cannot starve the others. No other thread uses these sockets.
"""

import logging
import math
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Final

import zmq

from coffeerush.host.hall.hall import Hall, HallOutcome, Noted, Published
from coffeerush.host.hall.handover import LINGER_SECONDS
from coffeerush.joining.admission import Admission, origin
from protocol import (
    HALL,
    Answer,
    Asker,
    GetSealed,
    GuestNumber,
    Hello,
    Refused,
    Remove,
    RemoveSpectator,
    Request,
    WireError,
    WrongShape,
    decode_request,
    encode,
    topic,
)

from .bot_turns import HallBots
from .fencing import Inquiry, Lost, awake, lost_tables
from .incidents import Incidents, sentence
from .members import Members
from .parent import GoesOn, NewCode, ParentLink
from .probing import Probe
from .sockets import RawRequest, Sockets, receive, receive_subscription, refusal, zap_reply

TICK_SECONDS: Final = 1.0
INQUIRY_SECONDS: Final = 2.0
"""How often standbys that are not here are asked whether they go on with the game."""
SUSPENDED_SECONDS: Final = 4.0
"""After a longer gap the game may go on elsewhere: a standby waits for six seconds of silence."""
RESULT_SECONDS: Final = 10.0
"""How long the last result stays up if people are still there: until they have seen who won."""
REQUESTS_A_ROUND: Final = 64
HANDSHAKES_A_ROUND: Final = 4
SUBSCRIPTIONS_A_ROUND: Final = 64

_log: Final = logging.getLogger(__name__)


class Server:
    """Serves the tables of a hall on its sockets until stopped.

    Args:
        sockets: bound; used by no other thread while `run` does.
        hall: answers the requests.
        members: decides who may connect.
        bot_turns: moves the bots.
        admission: the door's; the parent is told when its join code changes.
        incidents: the host's counters, reported in the log.
        parent: the parent process, whose exit may stop this one.
    """

    def __init__(
        self,
        sockets: Sockets,
        hall: Hall,
        members: Members,
        bot_turns: HallBots,
        admission: Admission,
        incidents: Incidents,
        parent: ParentLink | None = None,
    ) -> None:
        self._sockets = sockets
        self._hall = hall
        self._members = members
        self._bot_turns = bot_turns
        self._admission = admission
        self._incidents = incidents
        self._code = admission.code
        self._parent = parent
        self._last_result_at: float | None = None
        self._last_note: Noted | None = None
        self._stopping = False
        self.on_new_code: list[Callable[[str], None]] = []
        """Called with each later join code."""
        self.on_stage: Callable[[int, int], None] | None = None
        """Called with how many seats people can take, and the round of the game or 0."""
        self._stage = (-1, -1)
        self.asking: tuple[Asker, ...] = ()
        """Who asks to come in with a browser; may be set from any thread."""
        self.on_let_in: Callable[[GuestNumber, bool], None] | None = None
        """Called with each guest who is let in, or turned away."""
        self._let_in: Mapping[GuestNumber, bool] = {}
        self.on_moved: Callable[[], None] | None = None
        """Called once the tables have another host."""
        self._probe: Probe | None = None
        self._inquiry: Inquiry | None = None
        self._asked_at = self._seen_at = awake()
        self._woken, self._wake = socket.socketpair()

    def stop(self) -> None:
        """Make `run` return soon; safe from any thread and from a signal handler."""
        self._stopping = True
        self._wake_up()

    def publish_first(self, publications: Iterable[Published]) -> None:
        """Publish what has happened before `run`; a subscriber of the first moment misses it."""
        self._publish(publications)

    def run(self) -> None:
        """Serve until it is time to stop, then tell everybody."""
        next_tick = time.monotonic()
        try:
            while not self._is_over(time.monotonic()):
                ready = self._poll(next_tick)
                self._check_fences(time.monotonic())
                self._serve(ready)
                now = time.monotonic()
                if now >= next_tick:
                    next_tick = now + TICK_SECONDS
                    self._tick(now)
                if not self._is_being_left() and not self._rests():
                    self._publish(self._bot_turns.begin(now))
                self._tell_let_in()
                self._try_successor(now)
                self._write_log()
            self._publish(self._hall.stop())
            self._write_log()
            self._count_incidents()
            self._log_line(self._incidents.take())
        finally:
            self._bot_turns.stop()
            self._woken.close()
            self._wake.close()

    def _is_over(self, now: float) -> bool:
        if self._stopping:
            return True
        if self._hall.moved_at is not None:
            return now - self._hall.moved_at >= LINGER_SECONDS
        if self._hall.all_played:
            self._last_result_at = self._last_result_at or now
            seen = now - self._last_result_at >= RESULT_SECONDS
            return seen or not self._hall.is_in_use
        return self._parent is not None and self._parent.ends(now, self._hall.is_in_use)

    def _try_successor(self, now: float) -> None:
        """Find out whether the successor's host can be reached, and settle the handover."""
        if candidate := self._hall.take_candidate():
            self._probe = Probe(candidate, self._wake_up)
        if self._probe and self._probe.reached is not None:
            probe, self._probe = self._probe, None
            self._publish(self._hall.settle_handover(now, probe.candidate, probe.reached or ()))
            if self._hall.moved_at is not None and self.on_moved:
                self.on_moved()

    def give_way(self, now: float) -> None:
        """Ask all standbys whether a game goes on there, and leave it to them if it does.

        Nothing is answered meanwhile. Call before `run` if tables were resumed.
        """
        self._leave(now, lost_tables(self._hall.fences(all_standbys=True)))

    def _check_fences(self, now: float) -> None:
        """Ask the standbys that are not here from time to time; all of them after a suspension."""
        before, self._seen_at = self._seen_at, awake()
        if self._seen_at - before >= SUSPENDED_SECONDS:
            self.give_way(now)
            self._seen_at = awake()
        if self._inquiry and self._inquiry.lost is not None:
            self._leave(now, self._inquiry.lost)
            self._inquiry = None
        if self._inquiry is None and self._seen_at - self._asked_at >= INQUIRY_SECONDS:
            self._asked_at = self._seen_at
            if fences := self._hall.fences():
                self._inquiry = Inquiry(fences, self._wake_up)

    def _leave(self, now: float, lost: Iterable[Lost]) -> None:
        for number, to in lost:
            self._publish(self._hall.give_way(now, number, to))
        if self._hall.moved_at is not None and self.on_moved:
            self.on_moved()

    def _wake_up(self) -> None:
        with suppress(OSError):  # `run` has just returned
            self._wake.send(b"\0")

    def _is_being_left(self) -> bool:
        """Return whether no player is here, and the parent must decide about the game.

        Until then bots make no moves: it is to go on as it was left.
        """
        waits = self._parent is not None and self._parent.fileno() is not None
        return waits and self._hall.is_abandoned

    def _rests(self) -> bool:
        """Return whether this is a table for one person, who is away: their program is suspended.

        Until they are back no bot moves and no time passes: the table gets no ticks, as if the host
        were also suspended.
        """
        return self._parent is not None and self._parent.is_private and self._hall.is_unattended

    def _poll(self, next_tick: float) -> set[object]:
        """Wait for the next tick or for input; return the readable sockets and descriptors."""
        descriptors = (
            *self._bot_turns.filenos(),
            self._parent.fileno() if self._parent else None,
        )
        poller = zmq.Poller()
        sockets = (self._sockets.zap, self._sockets.requests, self._sockets.updates)
        for each in (*sockets, self._woken.fileno(), *descriptors):
            if each is not None:
                poller.register(each, zmq.POLLIN)
        left = max(0.0, next_tick - time.monotonic())
        return {each for each, _event in poller.poll(math.ceil(left * 1000))}

    def _serve(self, ready: set[object]) -> None:
        now = time.monotonic()
        if self._sockets.zap in ready:
            self._answer_handshakes()
        parent = self._parent
        if parent and parent.fileno() in ready and parent.hear(now):
            self._publish(self._hall.let_owner_go(now))
            if not self._is_over(now):
                parent.tell(GoesOn())
        if self._woken.fileno() in ready:
            self._woken.recv(64)
        self._publish(self._bot_turns.receive(now, ready))
        if self._sockets.updates in ready:
            self._hear_subscriptions()
        if self._sockets.requests in ready:
            self._answer_requests()

    def _answer_handshakes(self) -> None:
        zap, may_connect = self._sockets.zap, partial(self._members.may_connect, time.monotonic())
        with suppress(zmq.Again):
            for _each in range(HANDSHAKES_A_ROUND):
                frames = zap.recv_multipart(zmq.NOBLOCK)
                reply = zap_reply(frames, self._members.keyring, may_connect)
                zap.send_multipart(reply, zmq.NOBLOCK)
                if refused := refusal(frames, reply):
                    kind, address = refused
                    self._incidents.count(kind, origin(address))

    def _hear_subscriptions(self) -> None:
        now = time.monotonic()
        with suppress(zmq.Again):
            for _each in range(SUBSCRIPTIONS_A_ROUND):
                sender, wanted = receive_subscription(self._sockets.updates)
                if sender is None:
                    continue
                self._members.guard.note_message(sender)
                if wanted is None or not self._members.may_subscribe(now, sender.key):
                    self._incidents.count("odd_subscription", sender.address)
                    self._members.guard.cut_key(sender.key)

    def _answer_requests(self) -> None:
        """Handle the requests that wait, and answer them once all records are on disk."""
        handled = []
        with suppress(zmq.Again):
            for _each in range(REQUESTS_A_ROUND):
                raw = receive(self._sockets.requests)
                self._members.guard.note_message(raw.sender)
                if self._members.may_ask(raw.sender.key, self._hall):
                    if taken := self._handle(raw):
                        handled.append((raw, *taken))
                else:
                    self._incidents.count("stranger", raw.sender.address)
        self._hall.sync()
        for raw, request, reply in handled:
            self._answer(raw, request, self._hall.settled(request, reply))

    def _handle(self, raw: RawRequest) -> tuple[Request | WireError, HallOutcome] | None:
        """Handle a request; None if it gets no answer for now."""
        now, (key, address, _descriptor) = time.monotonic(), raw.sender
        request: Request | WireError
        try:
            request = _request(raw)
        except WireError as error:
            request = error
            self._incidents.count(error.code if raw.envelope else "too_many_frames", address)
        if self._hall.defers(request):
            return None
        return request, self._hall.handle(now, key, request, origin(address))

    def _answer(self, raw: RawRequest, request: Request | WireError, reply: HallOutcome) -> None:
        """Answer a request first, then publish."""
        now, (key, address, _descriptor) = time.monotonic(), raw.sender
        has_kicked = False
        if isinstance(request, Remove | RemoveSpectator):
            # before the answer: when it comes, the old code lets nobody in any more
            has_kicked = self._members.settle(now, self._hall)
            self._tell_let_in()  # they were let in while the old code was valid
            self._tell_new_code()
        if raw.envelope:
            self._send(raw, reply.answer)
        self._publish(reply.published)
        if isinstance(reply.answer, Refused):
            code = reply.answer.refusal.code
            if not (code == "no_record" and isinstance(request, GetSealed)):  # one without a share
                self._incidents.count(code, address)
            if code == "too_fast":
                self._members.note_too_fast(now, key)
        if isinstance(request, Hello):
            has_kicked = self._members.settle(now, self._hall)
        if has_kicked:
            self._members.cut_all()

    def _send(self, raw: RawRequest, answer: Answer) -> None:
        try:
            self._sockets.requests.send_multipart([*raw.envelope, encode(answer)], zmq.DONTWAIT)
        except zmq.ZMQError as error:
            # Gone, or too slow to take its answers: it will retry, or has left.
            what = "unreachable" if error.errno == zmq.EHOSTUNREACH else "slow"
            self._incidents.count(what, raw.sender.address)

    def _publish(self, publications: Iterable[Published]) -> None:
        self._hall.sync()
        for number, message in publications:
            if number != HALL and number not in self._hall.tables:
                continue  # it has ended: what it did last may not be on record
            self._sockets.updates.send(topic(number) + encode(message))

    def _tick(self, now: float) -> None:
        self._publish(self._bot_turns.tick(now))
        self._hall.note_asking(self.asking)
        if not self._rests():
            self._publish(self._hall.tick(now))
        if self._members.settle(now, self._hall):
            self._members.cut_all()
        self._tell_new_code()
        self._tell_stage()
        if self._parent:
            self._parent.send_waiting()
        self._count_incidents()
        self._log_line(self._incidents.due(now))

    def _count_incidents(self) -> None:
        for kind, times in self._hall.take_counters().items():
            self._incidents.count(kind, times=times)

    def _tell_new_code(self) -> None:
        code = self._admission.code
        if code != self._code:
            self._code = code
            _log.warning("New join code: %s", code)
            if self._parent:
                self._parent.tell(NewCode(code))
            for tell in self.on_new_code:
                tell(code)

    def _tell_let_in(self) -> None:
        """Tell the gateway each answer once."""
        known, self._let_in = self._let_in, {**self._hall.let_in}
        for guest, allowed in self._let_in.items():
            if guest not in known and self.on_let_in:
                self.on_let_in(guest, allowed)

    def _tell_stage(self) -> None:
        """Pass on what is announced of the table, if that has changed."""
        known, self._stage = self._stage, (self._hall.free_seats, self._hall.round)
        if self._stage != known and self.on_stage:
            self.on_stage(*self._stage)

    def _write_log(self) -> None:
        for noted in self._hall.take_notes():
            if noted != self._last_note:  # a failing bot would fill the log
                of = f"{noted.table}: " if noted.table and self._hall.has_many else ""
                _log.info("%s%s", of, sentence(noted.note))
            self._last_note = noted
        for table, error in self._hall.take_accidents():
            _log.error(
                "%s has ended because of an error; its game is on record, and goes on once the "
                "host is started again with --resume-latest.",
                table,
                exc_info=error,
            )

    def _log_line(self, line: str) -> None:
        if line:
            _log.warning("%s", line)


def _request(raw: RawRequest) -> Request:
    if raw.body is None:
        raise WrongShape("a request is an empty frame, and then one with the message")
    return decode_request(raw.body)
