"""Random keys, clicks, pasted text, resizes and host updates through whole games and rematches.

Nothing raises, no question stays armed that is not shown, and every screen can be left.
"""

from random import Random
from typing import Final, get_args

import pytest
from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.client.model import Model, Role, end
from coffeerush.client.turn import TurnDraft
from coffeerush.ui.pages.pages import Mode
from coffeerush.ui.table.actions import HELP, KEYMAP
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import click, press, run_pending, wheel
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.panes import resized
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.table.text_input import is_typing, paste
from coffeerush.ui.terminal.canvas import Canvas, Target, is_tiny
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT
from protocol import (
    NO_ID,
    Bye,
    EndTournament,
    Ingredient,
    Ready,
    Remove,
    SetPause,
    Start,
    TableView,
    Undo,
    encode,
)
from tests.support.local import LocalLink, LocalTable, acting, invited, play
from tests.ui.table.test_on_key import Hands
from tests.ui.table.test_on_update import ARROWS
from tests.ui.table.test_terminal_sizes import words_of

KEYS: Final = [*sorted(KEYMAP.keys), *"5xX민녀ж~", "f9", "c-x"]
PLAYED: Final = [*"123 0uUsegmi", *ARROWS, *ARROWS, ENTER, ENTER, ENTER, ESCAPE, "pageup"]
"""The settings of games."""
SIZES: Final = [(80, 24), (120, 36), (40, 12), (79, 23), (200, 60), (39, 11), (1, 1)]
SECONDS: Final = [0.0, 0.05, 0.5, 0.5, 3.0, 3.0]
OWNER: Final = "a" * 40
SPECTATOR: Final = "e" * 40
GUESTS: Final = tuple(letter * 40 for letter in "bcdfgh")


class Walker(Hands):
    """Hands that do anything, on a screen that is checked after everything."""

    def __init__(self, link: LocalLink, chance: Random) -> None:
        super().__init__(link)
        self.chance = chance
        self.ui = Ui(guide=chance.random() < 0.3)
        self.canvas = Canvas(1, 1)
        self.check()

    @property
    def model(self) -> Model:
        return self.link.model

    def do_anything(self) -> None:
        """Do one thing, at once or after some time."""
        self.wait(self.chance.choice(SECONDS))
        kind = self.chance.choices(["key", "click", "paste", "resize", "wheel"], [12, 6, 1, 2, 1])
        getattr(self, f"do_{kind[0]}")()
        self.look()
        self.check()

    def do_key(self) -> None:
        key = self.chance.choice(self.chance.choice([KEYS, PLAYED]))
        self._do(press(self.model, self.ui, key, self.now))

    def do_click(self) -> None:
        """Click on something in the previous frame, whatever is there now."""
        canvas, random = self.canvas, self.chance.randrange
        spots = (canvas.target_at(random(canvas.columns), random(canvas.rows)) for _ in range(20))
        target = next((spot for spot in spots if spot), Target("row", 0))
        self._do(click(self.model, self.ui, target, self.now))

    def do_paste(self) -> None:
        self.ui = paste(self.ui, self.chance.choice(["so\nmany", "q", "커피" * 50]), self.now)

    def do_resize(self) -> None:
        self.ui = resized(self.model, self.ui, self.chance.choice(SIZES))

    def do_wheel(self) -> None:
        self._do(wheel(self.model, self.ui, self.chance.choice([-1, 1]), self.now))

    def check(self) -> None:
        """Check the invariants."""
        ui = self.ui
        self.canvas = draw(self.model, ui, *ui.size)
        if ui.asked:
            self.check_question(ui)
            for key in ("pageup", "pagedown", *self.chance.sample(KEYS, 4)):
                after, _wishes = press(self.model, ui, key, self.now + 5.0)
                self.check_question(after)
        assert is_typing(ui) or not ui.draft.text
        assert ui.mode == "settings" or not ui.editing
        asks_in = ("seats", "hall", "tournament") if ui.asked == "remove" else ("table",)
        assert ui.mode in asks_in or not ui.asked
        assert self.left_by(INTERRUPT, INTERRUPT)
        assert self.left_by(ESCAPE, ESCAPE, "q", "q")

    def check_question(self, ui: Ui) -> None:
        """Check that a question that is asked is read on the screen."""
        if ui.asked and not is_tiny(ui.size):
            shown = words_of(draw(self.model, ui, *ui.size))
            assert ui.note
            assert "".join(ui.note.split()) in shown

    def left_by(self, *keys: str) -> bool:
        """Return whether keys leave the table, tried on a copy of the screen."""
        ui, now = self.ui, self.now
        for key in keys:
            now += 5.0
            ui, _wishes = press(self.model, ui, key, now)
        return ui.leaving


class Party:
    """People who join and leave a table, and the table's own steps in between."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.local = LocalTable(4, ("random",), seed, turn_seconds=10)
        self.walkers: list[Walker] = []
        self.games: dict[int, int] = {}
        """The number of players in each game."""
        self.come("Ann", "player", OWNER)
        self.come("Eve", "spectator", SPECTATOR)

    @property
    def owner(self) -> LocalLink:
        return self.walkers[0].link

    def come(self, name: str, role: Role, key: str) -> None:
        """Let somebody join or rejoin; the host may refuse."""
        link = self.local.link(name, role, key)
        if link.model.status == "over":
            self.local.links.remove(link)
            return
        link.set(invited(link.model) if key == OWNER else link.model)
        self.walkers.insert(0 if key == OWNER else len(self.walkers), Walker(link, self.chance))

    def go(self, walker: Walker) -> None:
        walker.link.wish(Bye(NO_ID))
        self.local.links.remove(walker.link)
        self.walkers.remove(walker)

    def look(self) -> None:
        """Update every screen, and let people who have left come back."""
        for walker in self.walkers[:]:
            if walker.seen is not walker.model:
                walker.look()
                walker.check()
            if walker.ui.leaving or walker.model.status == "over":
                self.go(walker)
                self.come(walker.model.name, walker.model.role, walker.link.key)

    def seat(self, count: int) -> None:
        """Let players join or leave, bots included, until there are that many."""
        for seat, place in enumerate(self.table.seats):
            if place.status == "bot":
                self.owner.wish(Remove(NO_ID, seat))
        for key in GUESTS:
            here = next((one for one in self.walkers if one.link.key == key), None)
            taken = sum(one.model.seat is not None for one in self.walkers)
            if here and taken > count:
                self.go(here)
            elif not here and taken < count:
                self.come("Guest", "player", key)
        self.look()

    @property
    def table(self) -> TableView:
        assert self.owner.model.table is not None
        return self.owner.model.table

    def plays(self) -> bool:
        return self.table.stage == "game"

    def walk(self, deeds: int) -> None:
        """Let people do this many random actions; sometimes somebody loses the connection."""
        for _ in range(deeds):
            busy = [one for one in self.walkers if one.model.can_act]
            walker = self.chance.choice([*self.walkers, *busy * 3])
            if self.chance.random() < 0.05 and walker.model.status == "here":
                walker.link.set(session.lose(walker.model))
            elif walker.model.status == "lost" and self.chance.random() < 0.3:
                walker.link.set(replace(walker.model, status="here"))
            walker.do_anything()
            self.look()

    def play_on(self, most: int) -> None:
        """Play this many intents of the game without keys."""
        for walker in self.walkers:
            if walker.model.status == "lost":
                walker.link.set(replace(walker.model, status="here"))
        for _ in range(most):
            link = acting(self.local)
            if link is None:
                break
            if link.model.pause is not None:
                self.owner.wish(SetPause(NO_ID, False))
                continue
            legal = sorted(Scene(link.model, Ui()).turn.legal - {Undo()}, key=str)
            link.wish(self.chance.choice(legal))
        self.look()

    def wait(self, seconds: int) -> None:
        """Let time pass at the table: turns time out, but nobody goes silent."""
        for _ in range(seconds):
            self.local.now += 1.0
            for message in self.local.table.tick(self.local.now):
                self.local.tell(encode(message))
            for walker in self.walkers:
                walker.link.take(session.keepalive(walker.model, self.local.new_id()))
        self.look()

    def game(self, players: int) -> None:
        """Play a whole game, and look at its result."""
        self.walk(20)
        if not self.plays():
            if self.owner.model.tournament:
                self.owner.wish(EndTournament(NO_ID))
            self.seat(players)
            for link in self.local.links:
                link.wish(Ready(NO_ID, True))
            self.owner.wish(Start(NO_ID))
        assert self.plays(), self.owner.model.refusal
        self.look()
        while self.plays():
            self.games[self.owner.model.game] = len(self.table.seats)
            self.walk(40)
            self.play_on(30)
            self.wait(self.chance.choice([0, 0, 0, 11]))
        self.walk(20)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_nothing_that_people_do_breaks_a_screen(seed: int) -> None:
    party = Party(seed)
    for players in ((2, 3, 4), (4, 2, 3))[seed]:
        party.game(players)
    assert len(party.games) >= 3


def models(seed: int) -> list[Model]:
    """Return models of all kinds of people at all stages, of games of two and of four."""
    found = [Model("player", "Ann")]
    local = LocalTable(4, ("random",), seed)

    def look() -> None:
        found.extend(link.model for link in local.links)

    local.link("Ann")
    local.link("Eve", "spectator")
    for newcomers in (("Bob",), ("Cid", "Dee")):
        for name in newcomers:
            local.link(name)
        look()
        local.start()
        play(local, Random(seed), look)
    chosen = Random(seed).sample(found, 60)
    return [
        *chosen,
        found[0],
        *(session.lose(one) for one in chosen[:10]),
        end(found[-1], "left"),
    ]


@pytest.mark.slow
def test_any_moment_may_follow_any_other() -> None:
    """A seat may come, go, or be another one; a host may come back with anything."""
    chance = Random(1)
    some = models(seed=1)
    for _ in range(250):
        before, after = chance.sample(some, 2)
        mode = chance.choice(get_args(Mode))
        pane = chance.choice(["", "log", "chat", "mine", "menu", "others"])
        turn = TurnDraft(meeple=2, aside=(Ingredient.MILK,))
        ui = Ui(
            mode=mode,
            help=HELP,
            turn=turn,
            cursor=15,
            scroll=9,
            pane=pane,
            plan=(Undo(),),
            typed=("1",),
        )
        ui = apply_update(before, after, replace(ui, guide=chance.random() < 0.5), 10.0)
        ui = resized(after, ui, chance.choice(SIZES))
        ui, _wishes = run_pending(after, ui, 20.0)
        draw(after, ui, *ui.size)
        for key in chance.sample(PLAYED, 4):
            ui, _wishes = press(after, ui, key, ui.now + 5.0)
        click(after, ui, Target("cell", chance.randrange(16)), ui.now + 5.0)
        click(after, ui, Target("order", chance.randrange(4)), ui.now + 5.0)
        draw(after, ui, *ui.size)
