"""Keys at the table, step by step, with explicit times."""

from itertools import chain
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.client.model import Model
from coffeerush.ui.advice.advice import hint
from coffeerush.ui.advice.guide_lessons import late_upgrade_line
from coffeerush.ui.table.actions import Action, Pressed, is_offered, labels_of, lit_of
from coffeerush.ui.table.draw_board import area_of, draw_board
from coffeerush.ui.table.draw_game import draw, message_parts
from coffeerush.ui.table.input import HELD_SECONDS, click, press, run_pending
from coffeerush.ui.table.on_update import apply_update, respoken
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui, layout_of
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Canvas, Look, Target
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, TAB
from coffeerush.ui.words.names import after_colon
from protocol import (
    BOARD,
    ActivateUpgrade,
    Cell,
    EmptyCup,
    EndTurn,
    Phase,
    PlaceMeeple,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Submit,
    Undo,
)
from tests.golden.frames import spoken
from tests.support.local import LocalLink, LocalTable, acting, begun, choose
from tests.support.once import copied
from tests.support.screen_terminal import Kind


class Hands:
    """Somebody with a keyboard and a clock."""

    def __init__(self, link: LocalLink) -> None:
        self.link = link
        self.ui = Ui()
        self.now = 1000.0
        self.wished: list[object] = []
        self.seen = link.model

    def press(self, *keys: str, seconds: float = 1.0) -> list[object]:
        """Return the wishes that the keys caused; the table answers at once."""
        self.wished = []
        for key in keys:
            self.wait(seconds)
            self._do(press(self.link.model, self.ui, key, self.now))
        self.settle()
        return self.wished

    def click(self, kind: Kind, value: str | int, seconds: float = 1.0) -> list[object]:
        """Return the wishes that a click caused."""
        self.wished = []
        self.wait(seconds)
        self._do(click(self.link.model, self.ui, Target(kind, value), self.now))
        self.settle()
        return self.wished

    def settle(self) -> None:
        """Press nothing until everything pending is done."""
        if self.ui.commit_at is not None:
            self.wait(HELD_SECONDS)

    def wait(self, seconds: float) -> None:
        """Let time pass, and run what it makes due."""
        end = self.now + seconds
        if self.ui.commit_at is not None and self.ui.commit_at <= end:
            self.now = self.ui.commit_at
            self._do(run_pending(self.seen, self.ui, self.now))
        self.now = end
        self.look()

    def look(self) -> None:
        """Take the table's updates."""
        while self.link.model is not self.seen:
            before, self.seen = self.seen, self.link.model
            self.ui = apply_update(before, self.seen, self.ui, self.now)
            self._do(run_pending(self.seen, self.ui, self.now))

    def shown(self, columns: int = 80, rows: int = 24) -> str:
        """Return the screen, after the table's updates."""
        self.look()
        ui = replace(self.ui, size=(columns, rows))
        return "\n".join(draw(self.link.model, ui, columns, rows).lines())

    def _do(self, done: Pressed) -> None:
        self.ui, wishes = done
        for wish in wishes:
            self.wished.append(wish)
            self.link.wish(wish)
        self.look()


@copied
def at(phase: Phase, seed: int = 5, seats: int = 3, round_: int = 0) -> Hands:
    """Return hands at a moment of that phase with people at two seats."""
    local = LocalTable(seats, ("regular",) * (seats - 2), seed=seed)
    local.link("Ann")
    local.link("Bob")
    local.start()
    chance = Random(seed)
    while True:
        link = acting(local)
        assert link is not None, "the game came to its end first"
        view = link.model.view
        assert view is not None
        if view.phase is phase and view.round >= round_:
            return Hands(link)
        link.wish(choose(link, chance))


@copied
def ready_to_serve() -> Hands:
    """Return hands that can serve."""
    for seed in range(50):
        local = LocalTable(3, ("regular",), seed=seed)
        local.link("Ann")
        local.link("Bob")
        local.start()
        chance = Random(seed)
        while (link := acting(local)) is not None:
            view = link.model.view
            assert view is not None
            assert view.own is not None
            if any(isinstance(one.intent, Serve) for one in view.own.options) and not any(
                view.own.hand
            ):
                return Hands(link)
            link.wish(choose(link, chance))
    raise AssertionError("nobody could ever serve")


def walked(steps: int = 3) -> Hands:
    hands = at(Phase.MOVING, seed=11)
    for _ in range(steps):
        view = hands.link.model.view
        assert view is not None
        assert view.own is not None
        here = view.players[view.own.seat].meeples[0]
        there = next(o.intent.cell for o in view.own.options if isinstance(o.intent, Step))
        hands.press({-4: "up", 4: "down", -1: "left", 1: "right"}[there - here])
    return hands


def test_placing_with_the_cursor() -> None:
    hands = at(Phase.PLACING)
    hands.look()
    assert hands.press("up", "up", "up", "left", "left", "left", "l") == []
    assert hands.ui.cursor == 1
    wished = hands.press(ENTER)
    assert wished in ([PlaceMeeple(1)], [])
    assert wished or "free cell" in hands.ui.note


def test_the_first_turn_cannot_be_ended_without_a_step() -> None:
    hands = at(Phase.MOVING)  # R-MOVE-1
    assert hands.press(ENTER) == []
    assert "at least one step" in hands.ui.note


def test_off_the_board_is_said_without_asking() -> None:
    hands = at(Phase.MOVING)
    for _ in range(4):
        if hands.ui.note == "The board ends there.":
            break
        hands.press("up")
    view = hands.link.model.view
    assert view is not None
    assert view.own is not None
    assert hands.ui.note or view.players[view.own.seat].meeples[0] > 3


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_refusal_is_marked_and_explained_until_the_next_key(
    size: tuple[int, int], ascii_only: bool
) -> None:
    hands = walked(3)
    hands.ui = replace(hands.ui, size=size, ascii=ascii_only)
    hands.press("up", "left", "down", "right")
    assert hands.ui.refused
    canvas = draw(hands.link.model, hands.ui, *size)
    first, *rest = f"! {hands.ui.note}".split(" ")
    found = [
        (y, line.index(f"{first} {rest[0]}"))
        for y, line in enumerate(canvas.lines(Look(ascii=ascii_only)))
        if f"{first} {rest[0]}" in line
    ]
    ((y, x),) = found
    (_texts, styles) = [*canvas.cells(Look())][y]
    assert {*styles[x : x + len(first) + 1 + len(rest[0])]} == {"class:refusal"}
    text = "\n".join(canvas.lines())
    assert all(word in text for word in hands.ui.note.split()), "wrapped, not cut"
    hands.press("~")
    assert (hands.ui.refused, hands.ui.note) == (False, "")


def test_a_key_that_does_something_is_not_marked_as_refused() -> None:
    hands = walked(1)
    hands.press("i")
    assert hands.ui.note
    assert not hands.ui.refused


def test_enter_is_ignored_when_a_turn_has_just_begun_and_when_it_is_held() -> None:
    hands = at(Phase.PLACING)
    hands.ui = replace(hands.ui, turn_at=hands.now)
    assert hands.press(ENTER, seconds=0.2) == []
    assert hands.ui.note == ""
    moving = walked(3)
    assert moving.press(ENTER) or moving.ui.asked == "pour"
    assert moving.press(*[ENTER] * 20, seconds=0.03) == []


def test_space_that_comes_too_late_to_skip_keeps_what_others_did_on_the_screen() -> None:
    hands = at(Phase.MOVING, seed=11)
    hands.ui = replace(hands.ui, turn_at=hands.now, note="Since your turn: Crema served.")
    for seconds in (0.1, 1.5):
        assert hands.press(" ", seconds=seconds) == []
        assert hands.ui.note == "Since your turn: Crema served."
    assert hands.press(" ", seconds=2) == []
    assert hands.ui.note == "A turn needs at least one step: use the arrow keys."


def test_space_never_reads_on_into_a_refusal_when_the_guide_says_what_to_do() -> None:
    hands = at(Phase.MOVING, seed=11)
    hands.ui = replace(hands.ui, guide=True, turn_at=hands.now, size=(80, 24))
    assert hands.press(" ", seconds=9) == []
    assert (hands.ui.note, hands.ui.refused) == ("", False)
    hands.press(TAB, " ", seconds=9)
    assert (hands.ui.note, hands.ui.refused) == ("", False), "Tab only shows something"
    hands.press("1", " ", seconds=9)
    assert hands.ui.note == "A turn needs at least one step: use the arrow keys."


def test_a_refusal_goes_with_the_next_key_also_if_that_only_shows_something() -> None:
    hands = at(Phase.MOVING, seed=11)
    hands.press("1")
    assert hands.ui.refused
    hands.press(TAB)
    assert (hands.ui.note, hands.ui.refused) == ("", False)


def test_space_that_comes_too_late_to_skip_is_not_refused_while_others_go_on() -> None:
    hands = at(Phase.MOVING, seed=11)
    while hands.link.model.my_turn:
        hands.link.wish(choose(hands.link, Random(1)))
    hands.ui = replace(hands.ui, played_at=hands.now)
    assert hands.press(" ", seconds=2) == []
    assert not hands.ui.refused
    assert hands.press(" ", seconds=2) == []
    assert hands.ui.note.endswith("'s turn.")


def test_space_is_not_too_early_once_another_key_was_pressed_in_the_turn() -> None:
    hands = at(Phase.POURING, seed=11)
    hands.ui = replace(hands.ui, turn_at=hands.now)
    assert hands.press(" ", seconds=0.05) == []
    hands.press("0", seconds=0.05)
    assert hands.press(" ", seconds=0.05)


def test_enter_asks_once_before_it_pours_with_steps_left() -> None:
    hands = walked(2)
    assert hands.press(ENTER) == []
    assert hands.ui.note == "1 step left: press Enter again to pour now."
    hands.press(ENTER)
    while Scene(hands.link.model, hands.ui).turn.serves:
        hands.press(ENTER)
    assert EndTurn() in hands.press(ENTER, seconds=3)
    tapped = walked(2)
    tapped.ui = replace(tapped.ui, touch=True)
    assert tapped.press(ENTER), "the button says that it pours"


def test_enter_pours_as_suggested_and_asks_where_something_would_go_back() -> None:
    hands = walked(3)
    first = hands.press(ENTER)
    if not first:
        assert hands.ui.asked == "pour"
        assert "give it back" in hands.ui.note
        first = hands.press(ENTER)
        assert ReturnRest() in first
    assert any(isinstance(one, Pour | ReturnRest) for one in first)
    view = hands.link.model.view
    assert view is not None
    assert view.phase is Phase.SERVING


def test_space_pours_all_of_a_suggestion_without_asking() -> None:
    hands = walked(3)
    wished = hands.press(" ")
    assert len(wished) >= 1
    assert not any(isinstance(one, Undo) for one in wished)
    view = hands.link.model.view
    assert view is not None
    assert view.phase is Phase.SERVING


def test_tokens_are_set_aside_one_by_one_and_go_back_together() -> None:
    hands = walked(3)
    own = hands.link.model.view.own if hands.link.model.view else None
    assert own is not None
    held = sum(own.hand)
    asides = [(hands.press(key), len(hands.ui.turn.aside)) for key in ("0", "u")]
    assert asides == [([], 1), ([], 0)]
    wished = hands.press(*["0"] * held)
    assert wished == [ReturnRest()]


@pytest.mark.parametrize("asides", [0, 1, 2, 3])
def test_space_does_what_the_line_offers_however_many_tokens_are_set_aside(asides: int) -> None:
    hands = walked(3)
    assert hands.press(*["0"] * asides) == [ReturnRest()] * (asides == 3)
    while (scene := Scene(hands.link.model, hands.ui)).turn.to_pour:
        cup = next(one.cup for one in scene.turn.legal if isinstance(one, Pour))
        hands.press(str(cup))
    offered = (*scene.suggestion, *scene.then_served)
    assert scene.suggestion == ((ReturnRest(),) if 0 < asides < 3 else ())
    assert is_offered(scene, Action.SUGGEST) is bool(offered or scene.turn.serves)
    assert hands.press(" ") == [*(offered or scene.turn.all_ready)]
    assert "nothing to pour" not in hands.ui.note or not offered


def test_the_whole_turn_is_taken_back() -> None:
    hands = walked(3)
    hands.press(" ")
    own = hands.link.model.view.own if hands.link.model.view else None
    assert own is not None
    assert hands.press("U") == [Undo()] * own.undo
    view = hands.link.model.view
    assert view is not None
    assert view.path == ()
    assert hands.press("u", "u") == []
    assert "nothing to undo" in hands.ui.note


def test_serving_what_is_ready_comes_before_the_end_of_the_turn() -> None:
    hands = ready_to_serve()
    assert isinstance(hands.press(ENTER)[0], Serve)


def test_space_serves_what_is_ready_once_the_hand_is_empty() -> None:
    hands = ready_to_serve()
    ready = Scene(hands.link.model, hands.ui).turn.urgent
    wished = hands.press(" ")
    assert wished[0] == ready[0]
    assert not Scene(hands.link.model, hands.ui).turn.serves
    assert hands.press(" ") == []
    assert hands.ui.note == "Press Enter to end your turn."


def test_space_after_everything_is_poured_says_what_is_next() -> None:
    hands = at(Phase.FILLING, seats=2)
    while Scene(hands.link.model, hands.ui).turn.can_pour:
        assert hands.press("1")
    assert hands.press(" ") == []
    assert hands.ui.note == "Everything is poured: press Enter."


def test_a_hint_and_trails_stay_until_a_key_acts() -> None:
    hands = at(Phase.MOVING, seed=11)
    hands.press("i")
    hint = hands.ui.note
    assert hint
    hands.ui = replace(hands.ui, trails=True)
    hands.press(TAB, "pagedown", "f3", ESCAPE, "?", ESCAPE)
    assert (hands.ui.note, hands.ui.trails, hands.ui.mode) == (hint, True, "table")
    step = next(iter(Scene(hands.link.model, hands.ui).turn.steps))
    hands.click("cell", step)
    assert (hands.ui.note, hands.ui.trails) == ("", False)


def test_a_hint_is_given_again_in_a_language_chosen_meanwhile() -> None:
    hands = at(Phase.MOVING, seed=11)
    hands.ui = respoken(hands.link.model, hands.ui)
    hands.press("i")
    shown, text = hinted(hands), hands.ui.note
    hands.ui = respoken(hands.link.model, hands.ui)
    assert hands.ui.note == text
    with spoken("it"):
        hands.ui = respoken(hands.link.model, hands.ui)
        italian = message_of(hands)
        assert hinted(hands) == shown
        hands.press("i")
        assert message_of(hands) == italian != text
    hands.ui = replace(hands.ui, hint=None, note="Prendi questo.", spoken="it")
    assert message_of(hands) == "Prendi questo."
    hands.ui = respoken(hands.link.model, hands.ui)
    assert "Prendi" not in message_of(hands)


def test_a_hint_stays_on_the_board_until_it_is_followed() -> None:
    hands = at(Phase.MOVING, seed=11)
    hands.press("i")
    shown = hinted(hands)
    walk, text = [*shown], hands.ui.note
    assert len(walk) > 1
    assert [*shown.values()] == [f"{glyphs.POINTER}{step}" for step, _ in enumerate(walk, start=1)]
    away = next(cell for cell in Scene(hands.link.model, hands.ui).turn.steps if cell != walk[0])
    hands.click("cell", away)
    assert not hinted(hands), "it is no longer true"
    hands.press("u")
    assert hinted(hands) == shown
    for number, cell in enumerate(walk, start=1):
        assert text in message_of(hands)
        hands.click("cell", cell)
        assert [*hinted(hands)] == walk[number:]
    assert text not in message_of(hands)


@pytest.mark.slow
def test_a_hint_goes_when_an_upgrade_or_an_empty_cup_makes_another_walk_best() -> None:
    link, bot, chance = begun(("regular",), seed=3), RegularBot(), Random(3)
    hands, gone = Hands(link), set[type]()
    while (view := link.model.view) is not None and view.active is not None:
        intent = bot.choose(view, chance)
        hands.ui = replace(hands.ui, hint=None)
        hands.press("i") if view.phase in (Phase.UPGRADE, Phase.MOVING) else None
        hint = Scene(link.model, hands.ui).hint
        hands.ui = replace(hands.ui, note="")  # as the tap does that follows
        hands.link.wish(intent)
        hands.look()
        if hint and isinstance(intent, ActivateUpgrade | EmptyCup):
            gone.add(type(intent))
            assert hint.text not in message_of(hands)
    assert ActivateUpgrade in gone


def test_a_hint_that_is_no_walk_stays_until_something_is_done() -> None:
    hands = ready_to_serve()
    hands.press("i")
    text = hands.ui.note
    hands.press("5")
    assert text not in (hands.ui.note, "")
    hands.ui = replace(hands.ui, note="")
    assert text in message_of(hands)
    hands.press(ENTER)
    assert text not in message_of(hands)


def test_the_guide_shows_its_walk_on_the_board() -> None:
    hands = at(Phase.MOVING, seed=11)
    assert not hinted(hands)
    hands.ui = replace(hands.ui, guide=True)
    assert hinted(hands)


@pytest.mark.parametrize("size", [(40, 12), (60, 36), (80, 24), (120, 36)])
@pytest.mark.parametrize("seed", [3, 11])
def test_a_hint_next_to_the_guide_is_shown_once(size: tuple[int, int], seed: int) -> None:
    hands = at(Phase.MOVING, seed=seed)
    hands.ui = replace(hands.ui, size=size, guide=True)
    hands.ui = replace(hands.ui, read=Scene(hands.link.model, hands.ui).topic)
    words = after_colon(hint(hands.link.model)).split()
    hands.press("i", "i")
    text = "\n".join(draw(hands.link.model, hands.ui, *size).lines())
    assert text.lower().count(" ".join(words[:2])) == 1, text
    assert text.count(words[-1]) == 1, text


def test_a_hint_scrolls_the_guide_to_where_it_is() -> None:
    hands = at(Phase.MOVING, seed=11)
    hands.ui = replace(hands.ui, guide=True)
    hands.press("pageup", "i")
    assert (hands.ui.scroll, hands.ui.note) == (0, "")
    hands.press(TAB, "i")
    assert hands.ui.note == hint(hands.link.model), "another pane is open"


def hinted(hands: Hands) -> dict[Cell, str]:
    """Return what a hint has written on the cells of the board, in the order of its steps."""
    scene = Scene(hands.link.model, hands.ui)
    canvas = Canvas(120, 36)
    draw_board(canvas, scene, layout_of(120, 36, tiles=True))
    found: dict[Cell, str] = {}
    for cell in range(len(BOARD)):
        area = area_of(layout_of(120, 36, tiles=True), cell)
        texts, styles = zip(*canvas.copy(area), strict=True)
        marks = zip(chain(*texts), chain(*styles), strict=True)
        if text := "".join(one for one, style in marks if style == "class:hint"):
            found[cell] = text
    return dict(sorted(found.items(), key=lambda item: item[1]))


def message_of(hands: Hands) -> str:
    parts = message_parts(Scene(hands.link.model, hands.ui), ())
    return "".join(text for _style, text in parts)


def test_ending_with_a_ready_cup_asks_a_second_time() -> None:
    hands = ready_to_serve()
    assert hands.press("s", "0") == []
    assert "is ready in cup" in hands.ui.note
    assert hands.press("pageup") == []
    assert hands.ui.mode == "table"
    assert hands.press("s", "0", ENTER) == [EndTurn()]


def test_a_serve_is_chosen_by_its_digit() -> None:
    assert isinstance(ready_to_serve().press("s", "1")[0], Serve)


def test_a_cup_is_emptied_by_its_digit() -> None:
    hands = at(Phase.MOVING, round_=2)
    own = hands.link.model.view.own if hands.link.model.view else None
    assert own is not None
    cups = [number for number, cup in enumerate(own.cups, start=1) if any(cup)]
    if not cups:
        assert hands.press("e") == []
        assert hands.ui.note == "Every cup is empty."
        return
    assert hands.press("e", str(cups[0])) == [EmptyCup(cups[0])]
    assert hands.press("U") == [Undo()]


def test_the_other_meeple_is_chosen_until_one_has_stepped() -> None:
    hands = at(Phase.MOVING, seats=2)
    hands.press("m")
    assert hands.ui.turn.meeple == 2
    for key in ("up", "down", "left", "right"):
        wished = hands.press(key)
        if wished:
            assert isinstance(wished[0], Step)
            assert wished[0].meeple == 2
            break
    view = hands.link.model.view
    assert view is not None
    if view.path:
        hands.press("m")
        assert hands.ui.note == "You can only move one meeple per turn."


def unanswered(model: Model) -> Model:
    """Return a model whose latest intent the host has not answered."""
    return replace(model, pending=(Submit(b"x" * 16, model.game, model.rev, Undo()),))


def test_a_list_is_closed_before_the_answer() -> None:
    hands = walked(1)
    ui, _wishes = press(hands.link.model, hands.ui, "f", hands.now)
    assert ui.mode == "emotes"
    ui, wishes = press(unanswered(hands.link.model), ui, ESCAPE, hands.now)
    assert (ui.mode, ui.typed, wishes) == ("table", (), ())


def test_keys_that_come_before_the_answer_are_done_after_it() -> None:
    hands = walked(1)
    model = hands.link.model
    ui = hands.ui
    for key in ("u", "s"):
        ui, wishes = press(unanswered(model), ui, key, hands.now)
        assert wishes == ()
    assert ui.typed == ("u", "s")
    ui, wishes = run_pending(model, ui, hands.now)
    assert wishes == (Undo(),)
    assert ui.typed == ("s",)


def test_keys_that_send_nothing_do_not_hold_up_the_keys_after_them() -> None:
    hands = walked(3)
    model = hands.link.model
    ui, typed = hands.ui, ("1", "0", "2")
    for key in typed:
        ui, _wishes = press(unanswered(model), ui, key, hands.now)
    ui, wishes = run_pending(model, ui, hands.now)
    first, second = Scene(model, hands.ui).turn.to_pour[:2]
    assert (wishes, ui.typed) == ((Pour(first, 1),), ("0", "2"))
    hands.link.wish(Pour(first, 1))
    ui, wishes = run_pending(hands.link.model, ui, hands.now)
    assert (ui.turn.aside, ui.typed) == ((second,), ())
    assert [type(one) for one in wishes] == [Pour]


def test_a_key_waits_for_the_keys_before_it() -> None:
    hands = walked(2)
    ui, _wishes = press(unanswered(hands.link.model), hands.ui, "u", hands.now)
    ui, wishes = press(hands.link.model, ui, "1", hands.now + 1.0)
    assert (wishes, ui.typed) == ((), ("u", "1"))
    assert run_pending(hands.link.model, ui, hands.now + 1.0)[1] == (Undo(),)


def test_a_key_waits_for_the_rest_of_the_suggested_pours() -> None:
    hands = walked(2)
    planned = replace(hands.ui, plan=Scene(hands.link.model, hands.ui).suggestion)
    ui, wishes = press(hands.link.model, planned, "u", hands.now + 1.0)
    assert (wishes, ui.typed) == ((), ("u",))
    assert run_pending(hands.link.model, ui, hands.now + 1.0)[1] == planned.plan[:1]


def test_a_queued_key_chooses_from_the_list_that_the_key_before_it_opens() -> None:
    hands = walked(1)
    hands.press(" ")
    assert Scene(hands.link.model, hands.ui).turn.emptyable
    cup = str(min(Scene(hands.link.model, hands.ui).turn.emptyable))
    ui = replace(hands.ui, typed=("e", cup))
    ui, wishes = run_pending(hands.link.model, ui, hands.now)
    assert (wishes, ui.mode) == ((EmptyCup(int(cup)),), "table")


def test_a_turn_is_not_ended_by_a_key_that_came_before_the_answer() -> None:
    hands = at(Phase.SERVING)
    model = hands.link.model
    ui, _wishes = press(unanswered(model), hands.ui, ENTER, hands.now)
    assert ui.typed == (ENTER,)
    if not Scene(model, ui).turn.serves:
        ui, wishes = run_pending(model, ui, hands.now)
        assert (wishes, ui.typed) == ((), ())


def test_what_waits_is_dropped_when_the_turn_ends() -> None:
    hands = walked(1)
    after = replace(hands.link.model, seat=None)
    ui = apply_update(hands.link.model, after, replace(hands.ui, typed=("u",), plan=(Undo(),)), 1.0)
    assert ui.typed == ()
    assert ui.plan == ()


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36), (200, 60)])
def test_an_upgrade_that_can_be_had_is_told_until_the_first_step(size: tuple[int, int]) -> None:
    hands = at(Phase.UPGRADE, seed=6, seats=2)
    offer = "Upgrade possible: press “g”."
    assert offer in list(draw(hands.link.model, Ui(size=size), *size).lines())[-2]
    steps = [option.intent for option in Scene(hands.link.model, hands.ui).turn.steps.values()]
    hands.link.wish(steps[0])
    assert offer not in "\n".join(draw(hands.link.model, Ui(size=size), *size).lines())


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
def test_upgrades_are_offered_only_while_one_can_be_activated(size: tuple[int, int]) -> None:
    hands = at(Phase.UPGRADE, seed=6, seats=2)
    hands.ui = replace(hands.ui, size=size)
    scene = Scene(hands.link.model, hands.ui)
    assert labels_of(scene)[Action.UPGRADES] == "upgrades"
    hands.press("g")
    assert hands.ui.note == ""
    hands.press("g")
    hands.link.wish(next(iter(scene.turn.steps.values())).intent)
    assert not labels_of(Scene(hands.link.model, hands.ui)).get(Action.UPGRADES)
    hands.press("g")
    assert (hands.ui.mode, hands.ui.refused) == ("upgrades", True)
    text = " ".join("\n".join(draw(hands.link.model, hands.ui, *size).lines()).split())
    assert "! You can only activate an upgrade before your first step." in text


def test_a_second_upgrade_in_a_turn_is_refused_in_words() -> None:
    hands = at(Phase.UPGRADE, seed=6, seats=2)
    model = hands.link.model
    assert model.view is not None
    intent = ActivateUpgrade(Scene(model, hands.ui).turn.upgrades[0])
    hands.link.wish(intent)
    view = hands.link.model.view
    assert view is not None
    rich = replace(view.players[model.seat or 0], completed=3)
    players = tuple(rich if seat == model.seat else one for seat, one in enumerate(view.players))
    hands.link.set(replace(hands.link.model, view=replace(view, players=players)))
    hands.press("g")
    assert hands.ui.note == "You can only activate one upgrade per turn."


def test_no_upgrade_is_offered_in_the_last_round_but_the_key_works() -> None:
    hands = at(Phase.UPGRADE, seats=2)
    assert hands.link.model.view
    assert hands.link.model.view.closed
    assert "Upgrade possible" not in "\n".join(draw(hands.link.model, hands.ui, 80, 24).lines())
    scene = Scene(hands.link.model, hands.ui)
    assert Action.UPGRADES not in lit_of(scene, labels_of(scene))
    hands.press("g")
    assert hands.ui.mode == "upgrades"
    assert (hands.ui.note, hands.ui.refused) == (late_upgrade_line(scene.view), False)


@pytest.mark.parametrize(
    ("hands", "what"), [("ready", "serve or end"), ("poured", "end your turn")]
)
def test_what_to_do_once_everything_is_poured(hands: str, what: str) -> None:
    found = ready_to_serve() if hands == "ready" else at(Phase.SERVING)
    header = next(iter(draw(found.link.model, found.ui, 80, 24).lines()))
    assert f"YOUR TURN: {what}" in header


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36), (200, 60)])
def test_a_note_leaves_what_space_pours_visible(size: tuple[int, int]) -> None:
    hands = at(Phase.MOVING, round_=4)
    for key in 3 * ("up", "left", "down", "right"):
        hands.press(key)
        if "cost a rush token" in hands.ui.note and Scene(hands.link.model, hands.ui).suggestion:
            break
    else:
        raise AssertionError("no step cost a rush token")
    noted, quiet = (
        list(draw(hands.link.model, replace(hands.ui, note=note, size=size), *size).lines())
        for note in (hands.ui.note, "")
    )
    assert "rush token" in " ".join(noted[1:-2])
    pours = [word for word in quiet[-2].split() if "→" in word]
    assert pours
    assert all(word in "\n".join(noted) for word in pours)
