"""Wait at a standby for those who have lost their host, until the record opens that they share.

It uses the sockets on which the table then goes on, so that nobody has to connect again.
"""

import math
import os
import time
from contextlib import suppress
from typing import Final

import zmq

from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.moving.gathering import Gathering, OpenedRecord
from protocol import (
    Answer,
    Lent,
    TableNumber,
    Tick,
    WireError,
    decode_request,
    encode,
    malformed,
    topic,
)

from .parent import ParentLink
from .sockets import RawRequest, Sockets, receive, receive_subscription, zap_reply

CALL_SECONDS: Final = 0.5
"""How often those who are here are asked to lend what they have."""
GRACE_SECONDS: Final = 1.5
"""How long it waits for those who may have seen more, once the record opens."""
MESSAGES_A_ROUND: Final = 64


class Gatherer:
    """Serves the lenders of a gathering on a host's sockets.

    Args:
        sockets: bound; used by no other thread while `run` does.
        keyring: the keys that the door has admitted.
        gathering: what it is for.
        number: of the table.
        parent: the standby's program; if it ends, so does this.
    """

    def __init__(
        self,
        sockets: Sockets,
        keyring: AdmittedKeyring,
        gathering: Gathering,
        number: TableNumber,
        parent: ParentLink,
    ) -> None:
        self._sockets, self._keyring = sockets, keyring
        self._gathering, self._number, self._parent = gathering, number, parent
        self._epoch = os.urandom(8)
        self._opens_at = math.inf

    def run(self) -> OpenedRecord | None:
        """Return the record once it opens; None if the parent has given up."""
        next_call = time.monotonic()
        while True:
            now = time.monotonic()
            if now >= next_call:
                next_call = now + CALL_SECONDS
                self._call()
            is_due = now >= self._opens_at or self._gathering.is_complete
            if is_due and (opened := self._gathering.opened()):
                return opened
            ready = self._poll(min(next_call, self._opens_at) - now)
            if self._parent.fileno() in ready:
                return None
            self._serve(ready)

    def _call(self) -> None:
        """Let everybody who listens say hello again: another epoch asks for that."""
        tick = Tick(self._epoch, 0, 0, 0, ())
        self._sockets.updates.send(topic(self._number) + encode(tick))

    def _poll(self, seconds: float) -> set[object]:
        poller = zmq.Poller()
        ours = (self._sockets.zap, self._sockets.requests, self._sockets.updates)
        for each in (*ours, self._parent.fileno()):
            if each is not None:
                poller.register(each, zmq.POLLIN)
        return {each for each, _event in poller.poll(math.ceil(max(seconds, 0.0) * 1000))}

    def _serve(self, ready: set[object]) -> None:
        with suppress(zmq.Again):
            while self._sockets.zap in ready:
                frames = self._sockets.zap.recv_multipart(zmq.NOBLOCK)
                self._sockets.zap.send_multipart(zap_reply(frames, self._keyring), zmq.NOBLOCK)
        with suppress(zmq.Again):
            while self._sockets.updates in ready:
                receive_subscription(self._sockets.updates)
        with suppress(zmq.Again):
            for _each in range(MESSAGES_A_ROUND if self._sockets.requests in ready else 0):
                self._answer(receive(self._sockets.requests))

    def _answer(self, raw: RawRequest) -> None:
        if not raw.envelope:
            return
        with suppress(zmq.ZMQError):  # the sender is gone
            body = encode(self._answer_to(raw))
            self._sockets.requests.send_multipart([*raw.envelope, body], zmq.DONTWAIT)

    def _answer_to(self, raw: RawRequest) -> Answer:
        try:
            request = decode_request(raw.body or b"")
        except WireError as error:
            return malformed(error)
        answer = self._gathering.answer(raw.sender.key, request)
        if isinstance(answer, Lent) and self._opens_at == math.inf and self._gathering.opened():
            self._opens_at = time.monotonic() + GRACE_SECONDS
        return answer
