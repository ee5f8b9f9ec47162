"""A table, its people and its records, with checks after each step."""

from collections import Counter, deque
from random import Random
from typing import Final

from coffeerush.host.table.config import BotTurn
from coffeerush.host.table.state import TableState
from coffeerush.host.table.table import Table
from protocol import (
    Answer,
    Bye,
    GameEnded,
    Intent,
    Request,
    Start,
    Tick,
    Update,
    decode_publication,
    decode_request,
    encode,
)

from .checks import Before, Secrets, check_published, check_resumed, check_state, check_update, hold
from .house import FailingJournals, Killed, other_config, random_bots, random_config, random_keys
from .memory import Memory, Pace
from .oracle import Question, outcome_of, question
from .person import Choice, Person

_SAMPLED: Final = 3
"""Only every third position is checked for private revs, because that is slow."""


class World:
    """A table and everything around it; `figures` counts the steps by kind."""

    def __init__(self, seed: str, figures: Counter[str]) -> None:
        self.figures = figures
        self.said: list[object] = []
        """The requests and answers, for the report of a finding."""
        self.chance = Random(f"{seed} world")
        self._seed, self._hosts = seed, 0
        house = Random(f"{seed} house")
        self.config = random_config(house)
        self.bots = random_bots(house, self.config)
        self.journals = FailingJournals()
        self.memory = Memory()
        self.people = [Person(key, self.new_id) for key in random_keys(house)]
        self.prompt = house.random() < 0.25
        """Whether all messages arrive at once."""
        self.asked: dict[str, deque[Request]] = {}
        """The latest requests of each key."""
        self.thinking: BotTurn | None = None
        self.now = 0.0
        self._open()

    def new_id(self) -> bytes:
        return self.chance.randbytes(16)

    @property
    def state(self) -> TableState:
        """The truth, which nobody at the table may see."""
        return self.table._state

    def plays(self) -> bool:
        return self.state.stage == "game"

    @property
    def owner(self) -> str:
        """The owner's key; empty at a table without an owner."""
        return self.state.config.owner

    # The host

    def _open(self) -> None:
        epoch = self.chance.randbytes(8)
        self.table = Table(self.config, self.journals, epoch, self._deals(), self.bots)
        self._begin(epoch)

    def _deals(self) -> Random:
        """Return the random source of a host's games, independent of everything before it."""
        self._hosts += 1
        return Random(f"{self._seed} host {self._hosts}")

    def _begin(self, epoch: bytes) -> None:
        self.epoch, self._seq, self._where = epoch, 0, (0, 0)
        self.latest: Update | None = None
        self.now = self.chance.uniform(0, 10_000)
        self._ticked = self.now
        self._pace = Pace()
        self.removed = {*self.table.removed}
        self._secrets = Secrets()
        self.thinking = None
        for person in self.people:
            person.lose()
        self._check()

    def restart(self) -> None:
        """Restart the host after a kill: from its record, if a game is on record."""
        self.figures["kills"] += 1
        before = Before.of(self.table, self.owner)
        known = len(self.journals.files)
        record = self.journals.pick_up()
        torn_head = len(self.journals.files) < known or record is None
        self.said.append("the host is killed")
        if torn_head or record is None or (record.end and self.chance.random() < 0.5):
            self.memory.restart(None, b"")
            self._open()
        else:
            self.figures["resumes"] += 1
            epoch = self.chance.randbytes(8)
            config = other_config(self.chance)
            try:
                self.table = Table.resume(record, config, self.journals, epoch, self._deals())
            except Killed:  # while it wrote the end of the game
                self.restart()
                return
            self.memory.restart(record, epoch)
            check_resumed(before, self.table, self.owner, record)
            self._begin(epoch)
        if self.chance.random() < 0.5:
            for person in self.people:
                person.rejoin()

    def stop(self) -> None:
        """Stop the host as Ctrl-C does, and restart it."""
        self.said.append("the host stops")
        self._publish(self.table.stop())
        for person in self.people:
            self.deliver(person)
        self.restart()

    # Requests

    def ask(self, key: str, request: Request) -> Answer | None:
        """Return the answer to a request; None if the host was killed while handling it."""
        request = decode_request(encode(request))
        state, journals = self.state, self.journals
        again = self.memory.repeated(key, request)
        full = journals.full or (journals.full_at_end and isinstance(request, Start))
        asked = question(state, self.owner, key, request, journals.size, full, again)
        self.figures["requests"] += 1
        try:
            outcome = self.table.handle(self.now, key, request)
        except Killed:
            self.said.append((key[:2], request, "killed"))
            self.restart()
            return None
        answer = outcome.answer
        code = outcome_of(answer)
        self.said.append((key[:2], request, code))
        self.figures[code] += 1
        self.figures["repeats"] += not asked.is_first
        asked.check(state, journals.size, outcome)
        slow = not self._pace.may_be_too_fast(key, self.now)
        hold("who asks seldom is not too fast", not slow or code != "too_fast")
        self._pace.pay(key, self.now, request)
        self._remember(asked, answer)
        self._publish(outcome.updates)
        self._check()
        return answer

    def _remember(self, asked: Question, answer: Answer) -> None:
        if asked.is_first or (not asked.certain and answer != asked.again):
            self.memory.keep(asked.key, asked.request, answer, len(self.journals.files) - 1)
        if isinstance(asked.request, Bye):
            self.memory.forget_strangers([one.key for one in self.state.people.everybody()])
        if asked.is_first and asked.victim and outcome_of(answer) == "done":
            self.removed.add(asked.victim)
        elif not asked.is_first and not asked.certain:
            self.removed = {*self.state.people.removed}  # it may have been applied twice

    # Clients

    def deliver(self, person: Person, chance: Random | None = None, most: int = 10_000) -> None:
        """Deliver messages in transit to and from a client."""
        for _ in range(40):
            for request in person.due(self.now):
                answer = self.ask(person.key, request)
                if answer is not None:
                    person.answers.append(answer)
            if not (person.publications or person.answers):
                break
            person.deliver(chance or self.chance, most)
            self._check_client(person)
            if chance is not None:
                break

    def _check_client(self, person: Person) -> None:
        model = person.model
        right = model.ending != "failed"
        hold("a client takes what the host says", right, trouble=model.trouble)

    # Time and bots

    def wait(self, seconds: float, ticking: bool = True) -> None:
        """Let time pass, with a tick each second unless the host's computer is suspended."""
        end = self.now + seconds
        while ticking and self._ticked + 1 <= end:
            self.now = max(self.now, self._ticked + 1)
            if not self.tick():
                return  # on another host's clock
        self.now = end
        if not ticking:
            self._ticked = end

    def tick(self) -> bool:
        """Tick once; False if the host was killed by it."""
        self._ticked = self.now
        try:
            *updates, tick = self.table.tick(self.now)
        except Killed:
            self.restart()
            return False
        self._publish(tuple(one for one in updates if isinstance(one, Update)))
        hold("a tick is the last of a tick", isinstance(tick, Tick))
        assert isinstance(tick, Tick)
        state = self.state
        right = Tick(self.epoch, self._seq, state.number, state.rev, state.private_revs())
        hold("a tick says how far the table is", tick == right, tick=tick, right=right)
        hold("a tick can be sent", decode_publication(encode(tick)) == tick)
        for person in self.people:
            if person.here:
                person.publications.append(tick)
        self.memory.forget_strangers([one.key for one in state.people.everybody()])
        self._check()
        return True

    def think(self) -> None:
        """Let a bot think, one at a time as on the server."""
        if self.thinking is None:
            self.thinking = self.table.bot_turn()

    def move(self, choose: Choice, chance: Random) -> None:
        """Let the thinking bot answer."""
        turn, self.thinking = self.thinking, None
        if turn is not None:
            own = turn.view.own
            hold("a bot sees its own part", own and own.seat == turn.seat and own.options)
            self.bot_move(turn, choose(turn.view, chance))

    def bot_move(self, turn: BotTurn, intent: Intent | None) -> None:
        self.figures["bot moves"] += 1
        rev, late = self.state.rev, turn is not self.table.bot_turn()
        game = self.state.game
        try:
            updates = self.table.bot_move(self.now, turn, intent)
        except Killed:
            self.restart()
            return
        self.said.append(("bot", turn.seat, turn.rev, intent, "late" if late else ""))
        if late:
            hold("a late bot changes nothing", rev == self.state.rev or game is not self.state.game)
        elif not self.journals.full and game is self.state.game:
            hold("a bot moves", self.state.rev == rev + 1, turn=turn)
        self._publish(updates)
        self._check()

    # Publications

    def _publish(self, updates: tuple[Update, ...]) -> None:
        for update in updates:
            self.figures["updates"] += 1
            self._seq += 1
            hold("updates have no gaps", update.seq == self._seq, seq=update.seq)
            hold("updates are of this host", update.epoch == self.epoch)
            hold("an update can be sent", decode_publication(encode(update)) == update)
            where = (update.game, update.rev)
            hold("game and rev never go back", where >= self._where, where=where, was=self._where)
            self.figures["games"] += update.game > self._where[0]
            self.figures["results"] += any(isinstance(one, GameEnded) for one in update.events)
            self._where = where
            check_update(self.state, update)
            self.latest = update
            for person in self.people:
                if person.here:
                    person.publications.append(update)

    def _check(self) -> None:
        self.figures["checks"] += 1
        if self.state.rev % _SAMPLED == 0:
            self._secrets.check(self.state)
        check_state(self.state, self.owner)
        there = {*self.state.people.removed}
        hold("who was removed is remembered", there == self.removed, knows=there)
        if self.latest is not None:
            check_published(self.state, self.latest)
