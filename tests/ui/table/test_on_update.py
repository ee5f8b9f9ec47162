"""Screen state is dropped together with the game, turn, page or list that it was about."""

from collections.abc import Callable
from itertools import pairwise, product
from random import Random
from typing import get_args

import pytest
from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.client.history import History
from coffeerush.client.model import UNINVITED
from coffeerush.client.turn import TurnDraft
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import walk_to
from coffeerush.ui.pages.pages import Mode
from coffeerush.ui.table.actions import KEYMAP, SEE_SECONDS
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import click, press, run_pending, wheel
from coffeerush.ui.table.lists import marked_choice
from coffeerush.ui.table.on_update import NEWS_SECONDS, apply_update
from coffeerush.ui.table.panes import guide_box, pane_names, pane_of, resized
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import FIRST_CELL, Ui
from coffeerush.ui.table.text_input import paste
from coffeerush.ui.terminal.canvas import Target, kind_of
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT, TAB
from protocol import (
    NO_ID,
    AddBot,
    Bye,
    Chat,
    Phase,
    PlaceMeeple,
    Queue,
    Ready,
    Remove,
    RemoveSpectator,
    Serve,
    SetFirst,
    SetPause,
    Start,
    Step,
    Submit,
    TurnTimedOut,
    Undo,
    Upgrade,
    encode,
)
from tests.support import remembered_bots
from tests.support.local import LocalLink, LocalTable, acting, begun, choose, invited, play
from tests.support.once import copied
from tests.ui.table.test_on_key import Hands, at, ready_to_serve, walked

ARROWS = ("up", "down", "left", "right")


def ready_all(local: LocalTable) -> None:
    """Make everybody but the owner ready."""
    for link in local.links[1:]:
        link.wish(Ready(NO_ID, True))


def until_first_step(hands: Hands, chance: Random) -> None:
    """Play for everybody until these hands can take the first step of a turn."""
    while not any(isinstance(one, Step) for one in Scene(hands.link.model, hands.ui).turn.legal):
        links = hands.link.local.links
        link = next(one for one in links if one.model.can_act)
        link.wish(choose(link, chance))
        hands.look()


@copied
def after_a_game_of_two(seed: int) -> tuple[Hands, LocalTable]:
    """Return hands that chose their second meeple in a game of two that is over."""
    local = LocalTable(4, seed=seed)
    hands = Hands(local.link("Ann"))
    local.link("Bob")
    local.start()
    chance = Random(seed)
    until_first_step(hands, chance)
    hands.press("m")
    assert hands.ui.turn.meeple == 2
    play(local, chance, hands.look)
    return hands, local


def test_a_rematch_of_three_can_be_played_by_keyboard() -> None:
    hands, local = after_a_game_of_two(seed=3)
    local.link("Cid")
    ready_all(local)
    hands.link.wish(Start(NO_ID))
    until_first_step(hands, Random(3))
    assert len(Scene(hands.link.model, hands.ui).view.players) == 3
    moved = next(wished for arrow in ARROWS if (wished := hands.press(arrow)))
    assert isinstance(moved[0], Step)
    assert moved[0].meeple == 1


def test_a_click_on_a_cell_out_of_reach_is_explained_in_a_rematch_of_three() -> None:
    hands, local = after_a_game_of_two(seed=3)
    local.link("Cid")
    ready_all(local)
    hands.link.wish(Start(NO_ID))
    until_first_step(hands, Random(3))
    view = Scene(hands.link.model, Ui()).view
    far = next(cell for cell in range(16) if walk_to(view, 1, cell) is None)
    hands.click("cell", far)
    assert hands.ui.note


def test_a_meeple_that_a_game_does_not_have_is_never_meant() -> None:
    hands, local = after_a_game_of_two(seed=4)
    local.link("Cid")
    ready_all(local)
    hands.link.wish(Start(NO_ID))
    until_first_step(hands, Random(4))
    assert Scene(hands.link.model, Ui(turn=TurnDraft(meeple=2))).turn.meeple == 1


def test_a_rematch_of_two_begins_with_the_first_meeple() -> None:
    hands, local = after_a_game_of_two(seed=5)
    ready_all(local)
    hands.press(ENTER)
    until_first_step(hands, Random(5))
    assert hands.ui.turn.meeple == 1


def test_a_rematch_takes_back_the_question_whether_to_leave() -> None:
    hands, local = after_a_game_of_two(seed=5)
    hands.press("q")
    before = hands.ui.asked
    ready_all(local)
    hands.link.wish(Start(NO_ID))
    hands.look()
    assert (before, hands.ui.asked) == ("leave", "")
    assert "Leave" not in hands.ui.note


def editing_a_name() -> Hands:
    """Return hands that type a name on the page of settings, in the lobby."""
    hands = Hands(LocalTable(2, ("regular",)).link("Ann"))
    hands.press("f3", "pagedown", ENTER, *"Bo")
    assert (hands.ui.editing, hands.ui.draft.text) == (True, "Bo")
    return hands


def test_control_c_leaves_a_name_that_is_edited() -> None:
    hands = editing_a_name()
    hands.press(INTERRUPT)
    assert hands.ui.asked == "leave"
    hands.press("escape", "?", "q")
    assert hands.ui.mode == "table"
    hands.press("f3", ENTER, "escape")
    assert hands.ui.settings.name == ""


def test_a_name_that_is_edited_can_be_finished_when_the_game_starts() -> None:
    hands = editing_a_name()
    hands.link.local.start()
    hands.press("b", ENTER)
    assert (hands.ui.mode, hands.ui.settings.name) == ("settings", "Bob")
    hands.press("escape")
    assert hands.ui.mode == "table"


@pytest.mark.parametrize("keys", ["n", "l", "t", "?"])
def test_what_is_open_stays_open_when_the_game_starts(keys: str) -> None:
    local = LocalTable(2, ("regular",))
    hands = Hands(local.link("Ann"))
    hands.press(keys)
    before = hands.ui.mode
    local.start()
    wished = hands.press(*"bby", ENTER)
    assert before != "table"
    assert not any(isinstance(one, PlaceMeeple | Step) for one in wished)
    assert hands.link.model.view
    assert hands.link.model.view.phase is Phase.PLACING


def test_the_reason_of_a_pause_can_be_finished_when_the_game_is_over() -> None:
    hands = at(Phase.MOVING)
    hands.press("p", *"sto")
    play(hands.link.local, Random(1), lambda: None)
    wished = hands.press("p", ENTER)
    assert wished == [SetPause(NO_ID, True, "stop")]
    assert hands.link.model.table
    assert hands.link.model.table.stage == "result"


def test_control_c_leaves_a_line_that_is_typed() -> None:
    hands = Hands(LocalTable(2).link("Ann"))
    for opener in "tn":
        hands.press(opener, *"Bo", INTERRUPT)
        assert (hands.ui.mode, hands.ui.draft.text, hands.ui.asked) == ("table", "", "leave")
        hands.press("escape")


def test_a_list_that_was_scrolled_does_not_scroll_the_log_when_it_closes() -> None:
    hands = Hands(LocalTable(2, ("regular",)).link("Ann"))
    hands.link.local.start()
    hands.wait(1.0)
    hands.ui = replace(hands.ui, size=(40, 12))
    for leaves in ("escape", "q", INTERRUPT):
        hands.press("escape", "g", "pagedown")
        assert (hands.ui.mode, hands.ui.scroll > 0) == ("upgrades", True)
        hands.press(leaves)
        assert (hands.ui.mode, hands.ui.scroll) == ("table", 0)


def scrolls(hands: Hands) -> list[Callable[[], object]]:
    """Return everything that scrolls."""

    def wheel_up() -> None:
        hands.wait(1.0)
        hands._do(wheel(hands.link.model, hands.ui, -1, hands.now))

    return [lambda: hands.press("pageup"), lambda: hands.press("pagedown"), wheel_up]


def test_the_log_follows_again_when_a_turn_begins() -> None:
    hands = at(Phase.MOVING)
    link = hands.link
    ours = replace(hands.ui, scroll=2)
    other = (link.model.seat or 0) + 1
    waiting = replace(link.model, view=replace(Scene(link.model, ours).view, active=other % 3))
    assert apply_update(waiting, link.model, ours, hands.now).scroll == 0
    assert apply_update(link.model, waiting, ours, hands.now).scroll == 2
    others = replace(ours, pane="others")
    assert apply_update(waiting, link.model, others, hands.now).scroll == 2


@pytest.mark.parametrize("way", range(3))
def test_scrolling_takes_back_the_question_whether_to_leave(way: int) -> None:
    hands = at(Phase.MOVING)
    hands.press("q")
    scrolls(hands)[way]()
    assert (hands.ui.asked, hands.ui.note) == ("", "")
    hands.press("q")
    assert not hands.ui.leaving


@pytest.mark.parametrize("way", range(3))
def test_scrolling_takes_back_the_question_whether_to_end_the_turn(way: int) -> None:
    hands = ready_to_serve()
    hands.press("s", "0")
    assert hands.ui.asked == "end"
    scrolls(hands)[way]()
    assert isinstance(hands.press(ENTER)[0], Serve)


@pytest.mark.parametrize("upgrade", Upgrade)
def test_the_keys_of_diagonal_steps_are_told_when_they_begin(upgrade: Upgrade) -> None:
    before = at(Phase.MOVING).link.model
    assert before.view is not None
    assert before.view.own is not None
    players = [*before.view.players]
    me = before.view.own.seat
    active = tuple(one is upgrade for one in Upgrade)
    players[me] = replace(players[me], upgrades=active)
    after = replace(before, view=replace(before.view, players=tuple(players)), rev=before.rev + 1)
    told = "Diagonal steps: “y” up-left, “o” up-right, “b” down-left, “n” down-right."
    is_diagonal = upgrade is Upgrade.DIAGONAL_MOVE
    for touch in (False, True):
        note = apply_update(before, after, Ui(touch=touch), 1.0).note
        assert (note == told) is (is_diagonal and not touch)
    assert apply_update(after, after, Ui(), 1.0).note == ""


def test_a_question_is_taken_back_when_the_time_is_up() -> None:
    hands = Hands(begun(("regular",), seed=5, turn_seconds=60))
    hands.press("q")
    model = hands.link.model
    assert model.seat is not None
    history = History((*model.log, TurnTimedOut(model.seat)), model.history.total + 1)
    after = replace(model, history=history)
    ui = apply_update(model, after, hands.ui, hands.now)
    assert ui.note
    assert ui.asked == ""


def test_a_key_pressed_after_the_time_was_up_says_so_again() -> None:
    hands = Hands(begun(("regular",), seed=5, turn_seconds=60))
    local = hands.link.local
    local.bots_play = False
    while not any(isinstance(event, TurnTimedOut) for event in hands.link.model.log):
        local.now += 1.0
        hands.link.wish(Chat(NO_ID, "hm"))
        for message in local.table.tick(local.now):
            local.tell(encode(message))
    while turn := local.table.bot_turn():
        if turn.view.active != hands.link.model.seat:
            break
        intent = remembered_bots.choose(turn.bot, turn.view, local.chance)
        local.publish(local.hall.bot_move(local.now, local.table.number, turn, intent))
    hands.look()
    assert hands.ui.note == "Your time is up; a bot finishes your turn."
    hands.press("s", " ")
    assert hands.ui.note.startswith("Your time was up, and a bot finished your last turn.")


def flat(screen: str) -> str:
    """Return the words of a screen on one line."""
    return " ".join(screen.split())


def playing_with_bob(seats: int = 2) -> tuple[Hands, LocalLink]:
    """Return Ann, who watches the screen of a game, and Bob, who plays in it."""
    local = LocalTable(seats)
    hands, bob = Hands(local.link("Ann")), local.link("Bob")
    bob.wish(Ready(NO_ID, True))
    local.start()
    hands.look()
    return hands, bob


@pytest.mark.slow
@pytest.mark.parametrize(
    "keys",
    [(), ("t",), ("t", "H", "i"), ("?",), ("f2",), ("f3",), ("q",), ("f",), ("i",), ("tab",)],
)
@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 36)])
def test_who_leaves_or_comes_back_in_a_game_is_seen_whatever_is_open(
    keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    hands, bob = playing_with_bob()
    hands.ui = replace(hands.ui, size=size)
    hands.press(*keys)
    hands.wait(1)
    bob.wish(Bye(NO_ID, stand_in=True))
    assert "Bob leaves; a bot" in flat(hands.shown(*size))
    hands.wait(1)
    hands.link.local.link("Bob", key=bob.key)
    assert "Bob is back." in flat(hands.shown(*size))


@pytest.mark.parametrize("key", ["?", "f2", "f3", "c"])
@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 36)])
def test_a_turn_that_begins_below_an_open_page_is_seen_there_until_a_key(
    key: str, size: tuple[int, int]
) -> None:
    hands, bob = playing_with_bob()
    hands.link.set(invited(hands.link.model))
    while acting(hands.link.local) is not bob:
        hands.link.wish(choose(hands.link, hands.link.local.chance))
    hands.look()
    hands.ui = replace(hands.ui, size=size)
    hands.press(key)
    assert "YOUR TURN" not in flat(hands.shown(*size))
    hands.wait(1)
    while acting(hands.link.local) is bob:
        bob.wish(choose(bob, hands.link.local.chance))
    hands.look()
    assert flat(hands.shown(*size)).startswith("▸ YOUR TURN: ")
    hands.press("down")
    assert "YOUR TURN" not in flat(hands.shown(*size))


def test_the_news_is_below_a_guide_that_covers_the_table() -> None:
    hands, bob = playing_with_bob()
    hands.ui = replace(hands.ui, guide=True, size=(40, 12))
    while not guide_box(Scene(hands.link.model, hands.ui)):
        hands.link.wish(choose(hands.link, hands.link.local.chance))
        hands.look()
    bob.wish(Bye(NO_ID, stand_in=True))
    assert "Bob leaves; a bot takes over" in flat(hands.shown(40, 12))


@pytest.mark.parametrize("guided", [True, False])
def test_with_the_guide_in_place_of_the_log_news_of_who_watches_is_seen(guided: bool) -> None:
    hands, _bob = playing_with_bob()
    hands.ui = replace(hands.ui, guide=guided)
    hands.look()
    eve = hands.link.local.link("Eve", "spectator")
    shown = flat(hands.shown(120, 36))
    assert shown.count("Eve is watching.") == 1
    eve.wish(Queue(NO_ID, True))
    shown = flat(hands.shown(120, 36))
    assert shown.count("Eve wants to play next.") == 1
    assert bool(hands.ui.news) is guided


def test_where_the_log_is_on_the_screen_it_alone_says_who_leaves() -> None:
    hands, bob = playing_with_bob()
    hands.ui = replace(hands.ui, size=(120, 30))
    bob.wish(Bye(NO_ID, stand_in=True))
    assert flat(hands.shown(120, 30)).count("Bob leaves; a bot takes over") == 1
    assert not hands.ui.news
    hands.press(TAB)
    hands.link.local.link("Bob", key=bob.key)
    assert "Bob is back." in flat(hands.shown(120, 30)), "another pane covers the log"


def test_after_a_while_the_next_move_drops_the_news() -> None:
    hands, bob = playing_with_bob()
    hands.ui = replace(hands.ui, size=(80, 24))
    bob.wish(Bye(NO_ID, stand_in=True))
    hands.look()
    assert hands.ui.news
    hands.wait(NEWS_SECONDS + 1)
    hands.look()
    assert hands.ui.news, "who has looked away still reads it"
    while hands.ui.news:
        hands.link.wish(choose(hands.link, hands.link.local.chance))
        hands.look()
    assert hands.link.model.view


def test_the_turn_that_a_bot_takes_over_leaves_the_news_of_it() -> None:
    hands, bob = playing_with_bob()
    local = hands.link.local
    while bob.model.my_turn is False:
        hands.link.wish(choose(hands.link, local.chance))
    hands.look()
    bob.wish(Bye(NO_ID, stand_in=True))
    while turn := local.table.bot_turn():
        intent = remembered_bots.choose(turn.bot, turn.view, local.chance)
        local.publish(local.hall.bot_move(local.now, local.table.number, turn, intent))
        hands.look()
    assert "Bob leaves; a bot takes over" in flat(hands.shown())
    hands.press("c")
    assert not hands.ui.news


def test_news_that_comes_again_stands_once() -> None:
    hands, bob = playing_with_bob()
    hands.ui = replace(hands.ui, size=(80, 24))
    seat = bob.model.seat
    assert seat is not None
    for _turn in range(2):
        before = hands.link.model
        history = History((*before.log, TurnTimedOut(seat)), before.history.total + 1)
        after = replace(before, history=history)
        hands.ui = apply_update(before, after, hands.ui, hands.now)
        assert hands.ui.news == ("Bob's time is up; a bot finishes the turn.",)
    bob.wish(Bye(NO_ID, stand_in=True))
    hands.look()
    assert [news.split(";")[0] for news in hands.ui.news] == ["Bob's time is up", "Bob leaves"]


def test_a_page_shows_its_top_line_again_after_the_next_key() -> None:
    hands, bob = playing_with_bob()
    hands.press("?")
    top = hands.shown().splitlines()[0]
    hands.wait(1)
    bob.wish(Bye(NO_ID, stand_in=True))
    assert hands.shown().splitlines()[0] != top
    hands.press("down")
    assert hands.shown().splitlines()[0] == top
    hands.press(ESCAPE)
    assert "Bob leaves" in hands.shown()


def test_what_covers_the_log_of_a_lobby_shows_who_comes_and_goes() -> None:
    local = LocalTable(3)
    hands = Hands(local.link("Ann"))
    hands.press("f3")
    hands.wait(1)
    bob = local.link("Bob")
    assert "Bob sits down" in hands.shown().splitlines()[0]
    hands.press(ESCAPE, "o")
    hands.wait(1)
    bob.wish(Bye(NO_ID))
    assert "Bob leaves" in flat(hands.shown())
    hands.press(ESCAPE, "x")
    local.link("Cid")
    assert not hands.ui.news, "the log says it"


TINY = (39, 11)


def test_the_cursor_of_a_new_game_is_not_where_one_placed_in_the_last() -> None:
    model = begun().model
    before = replace(model, game=model.game - 1, view=None)
    assert apply_update(before, model, Ui(cursor=12), 1.0).cursor == FIRST_CELL
    assert apply_update(model, model, Ui(cursor=12), 1.0).cursor == 12


def tiny(hands: Hands) -> Hands:
    """Return hands whose terminal has just become too small to draw on."""
    hands.ui = replace(hands.ui, size=TINY)
    return hands


@pytest.mark.parametrize("phase", [Phase.PLACING, Phase.MOVING, Phase.POURING, Phase.SERVING])
def test_no_key_plays_on_a_terminal_too_small_to_draw(phase: Phase) -> None:
    hands = tiny(at(phase))
    before = hands.ui
    keys = {*KEYMAP.keys} - {"q", INTERRUPT}
    assert hands.press(*sorted(keys)) == []
    assert [hands.click("cell", cell) for cell in range(16)] == [[]] * 16
    assert paste(hands.ui, "some text", hands.now) == hands.ui
    assert (hands.ui.mode, hands.ui.pane, hands.ui.cursor) == ("table", before.pane, before.cursor)


@pytest.mark.parametrize("mode", get_args(Mode))
@pytest.mark.parametrize("key", ["q", INTERRUPT])
def test_a_terminal_too_small_to_draw_is_left_with_two_presses(mode: Mode, key: str) -> None:
    hands = tiny(at(Phase.MOVING))
    hands.ui = replace(hands.ui, mode=mode)
    hands.press(key)
    drawn = "".join(draw(hands.link.model, hands.ui, *TINY).lines())
    assert "Leave the table?" in drawn
    assert not hands.ui.leaving
    hands.press("up")
    assert "Too small" in "".join(draw(hands.link.model, hands.ui, *TINY).lines())
    hands.press(key, key)
    assert hands.ui.leaving


def test_a_line_that_was_typed_is_still_there_when_the_terminal_has_grown_again() -> None:
    hands = at(Phase.MOVING)
    size = hands.ui.size
    hands.press("t", *"hi")
    tiny(hands).press(*"unseen", ENTER)
    hands.ui = replace(hands.ui, size=size)
    assert hands.press(ENTER) == [Chat(NO_ID, "hi")]


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (40, 12)])
def test_no_click_types_letters_into_a_line(size: tuple[int, int]) -> None:
    for hands, opener in ((at(Phase.MOVING), "t"), (Hands(LocalTable(3).link("Ann")), "n")):
        hands.ui = replace(hands.ui, size=size)
        hands.press(opener, *"hi")
        canvas = draw(hands.link.model, hands.ui, *size)
        cells = product(range(size[0]), range(size[1]))
        targets = {target for x, y in cells if (target := canvas.target_at(x, y))}
        assert any(target.kind == "key" for target in targets)
        for target in targets:
            ui, _wishes = click(hands.link.model, hands.ui, target, hands.now + 1.0)
            assert ui.draft.text in ("hi", "")
            assert (ui.draft.text == "hi") is (ui.mode == hands.ui.mode)


def test_a_click_on_a_place_of_the_page_before_changes_no_setting() -> None:
    model = LocalTable(2).link("Ann").model
    for page in ("help", "rules"):
        ui = Ui(mode=page)
        assert click(model, ui, Target("row", 1), 1.0)[0] == replace(ui, now=1.0)


def pressed_unanswered(hands: Hands, *keys: str) -> list[object]:
    """Return the wishes of keys while the host does not answer; without ids."""
    model, wished = hands.link.model, list[object]()
    for key in keys:
        hands.now += 3.0
        hands.ui, wishes = press(model, hands.ui, key, hands.now)
        for wish in wishes:
            wished.append(wish)
            model, _requests = session.wish(model, wish, len(wished).to_bytes(16))
    return wished


def test_ready_is_taken_back_before_the_host_has_answered() -> None:
    local = LocalTable(3)
    local.link("Ann")
    bob = Hands(local.link("Bob"))
    assert pressed_unanswered(bob, "r", "r", "r") == [
        Ready(NO_ID, ready) for ready in (True, False, True)
    ]
    assert pressed_unanswered(bob, ENTER, ENTER) == [Ready(NO_ID, True)]


def test_each_bot_gets_a_seat_of_its_own_before_the_host_has_answered() -> None:
    ann = Hands(LocalTable(3).link("Ann"))
    wished = pressed_unanswered(ann, "a", "1", "a", "2", "a", "1")
    assert wished == [AddBot(NO_ID, 1, "casual"), AddBot(NO_ID, 2, "regular")]


def test_nobody_is_removed_twice_before_the_host_has_answered() -> None:
    local = LocalTable(3)
    ann = Hands(local.link("Ann"))
    local.link("Bob")
    for name in ("Cid", "Dee"):
        local.link(name, "spectator")
    wished = pressed_unanswered(ann, "x", "2", "2", "x", "2", "escape", *"xaa", *"xa", *"bb")
    assert wished == [
        Remove(NO_ID, 1),
        RemoveSpectator(NO_ID, "Cid"),
        RemoveSpectator(NO_ID, "Dee"),
    ]


def test_the_rest_of_a_plan_is_dropped_when_the_link_is_lost() -> None:
    hands = walked(3)
    model = hands.link.model
    ui, wishes = press(model, hands.ui, "U", hands.now + 1.0)
    assert wishes == (Undo(),)
    assert ui.plan
    lost = session.lose(model)
    ui = apply_update(lost, model, apply_update(model, lost, ui, hands.now), hands.now)
    assert run_pending(model, ui, hands.now + 9.0) == (replace(ui, now=hands.now + 9.0), ())


def test_a_list_of_a_turn_closes_with_it() -> None:
    hands = ready_to_serve()
    for opener, mode in (("s", "serve"), ("e", "empty"), ("g", "upgrades")):
        hands.press(opener)
        assert hands.ui.mode == mode
        view = hands.link.model.view
        assert view is not None
        over = replace(hands.link.model, view=replace(view, active=None))
        ui = apply_update(hands.link.model, over, hands.ui, hands.now)
        assert ui.mode == ("upgrades" if mode == "upgrades" else "table")
        hands.press("escape")


def test_what_was_begun_is_dropped_where_only_the_next_own_turn_is_shown() -> None:
    hands = walked(1)
    view = hands.link.model.view
    assert view is not None
    later = replace(hands.link.model, view=replace(view, round=view.round + 1))
    begun_ = replace(hands.ui, plan=(Undo(),), typed=("u",), asked="end", note="?")
    ui = apply_update(hands.link.model, later, begun_, 2000.0)
    assert (ui.plan, ui.typed, ui.asked) == ((), (), "")
    assert ui.note.startswith("Since your turn: ")
    assert press(later, ui, ENTER, 2000.1)[1] == ()
    assert ui.turn_at == 2000.0


def test_whom_to_remove_is_not_asked_again_by_itself() -> None:
    local = LocalTable(3)
    ann = Hands(local.link("Ann"))
    local.link("Bob")
    ann.press("x")
    owner = ann.link.model
    guest = replace(owner, owner=False)
    ui = apply_update(owner, guest, ann.ui, ann.now)
    assert ui.mode == "table"
    assert apply_update(guest, owner, ui, ann.now).mode == "table"


def spectators(*names: str) -> tuple[Hands, list[LocalLink]]:
    """Return the hands of an owner who could start a game of two, and these spectators."""
    local = LocalTable(2)
    hands = Hands(local.link("Ann"))
    local.link("Bob").wish(Ready(NO_ID, True))
    return hands, [local.link(name, "spectator") for name in names]


def test_enter_does_nothing_else_when_its_list_has_just_closed() -> None:
    hands, (cid, _dee) = spectators("Cid", "Dee")
    hands.press("x", "down", "down", ENTER)
    assert hands.ui.asked == "remove"
    cid.wish(Bye(NO_ID))  # Dee has another letter now
    hands.look()
    assert hands.ui.mode == "table"
    assert hands.press(ENTER, seconds=SEE_SECONDS / 2) == []
    assert hands.press(ENTER, seconds=SEE_SECONDS) == [Start(NO_ID)]


def test_a_waiting_enter_does_only_what_it_was_pressed_for() -> None:
    hands, (cid, _dee) = spectators("Cid", "Dee")
    hands.press("x", "down", "down", ENTER)
    hands.wait(1.0)
    hands.wished = []
    hands._do(press(hands.link.model, hands.ui, ENTER, hands.now))
    assert hands.ui.commit_at is not None
    cid.wish(Bye(NO_ID))
    hands.look()
    hands.wait(1.0)
    assert not hands.wished
    assert hands.link.model.table
    assert hands.link.model.table.stage == "lobby"


def test_nothing_is_marked_once_the_marked_entry_is_gone() -> None:
    hands = Hands(LocalTable(4, ("regular", "expert")).link("Ann"))
    cid = hands.link.local.link("Cid")
    hands.press("x", "down", "down", ENTER)
    assert "Remove Cid" in hands.ui.note
    cid.wish(Bye(NO_ID))
    hands.look()
    assert (hands.ui.mode, hands.ui.asked, hands.ui.note) == ("seats", "", "")
    assert marked_choice(Scene(hands.link.model, hands.ui)) is None
    assert hands.press(ENTER, seconds=SEE_SECONDS / 2) == []
    assert hands.press(ENTER) == []
    assert hands.press("x", "down", "up", ENTER) == [Remove(NO_ID, 0)]


def test_the_first_entry_stays_marked_when_another_comes_before_it() -> None:
    local = LocalTable(4)
    hands = Hands(local.link("Ann"))
    bob, _cid = local.link("Bob"), local.link("Cid")
    bob.wish(Bye(NO_ID))
    hands.press("x")
    local.link("Eve")
    hands.look()
    marked = marked_choice(Scene(hands.link.model, hands.ui))
    assert local.links[0].model.table
    assert local.links[0].model.table.seats[1].name == "Eve"
    assert marked
    assert marked.name == "Cid"


def test_a_start_player_is_chosen_before_the_host_has_answered() -> None:
    local = LocalTable(4, ("regular", "regular"))
    hands = Hands(local.link("Ann"))
    hands.press("o")
    wished = pressed_unanswered(hands, "b", "b")
    assert [one.seat for one in wished if isinstance(one, SetFirst)] == [0, 1]


def test_the_page_of_the_invitation_closes_without_addresses() -> None:
    model = invited(LocalTable(2).link("Ann").model)
    ui, _wishes = press(model, Ui(), "c", 1.0)
    assert ui.mode == "invitation"
    assert apply_update(model, replace(model, invitation=UNINVITED), ui, 2.0).mode == "table"


def test_the_question_whether_to_start_is_about_the_seats_that_are_open() -> None:
    local = LocalTable(4)
    ann = Hands(local.link("Ann"))
    bob = local.link("Bob")
    bob.wish(Ready(NO_ID, True))
    ann.press(ENTER)
    assert "2 seats are open" in ann.ui.note
    bob.wish(Chat(NO_ID, "wait"))
    ann.look()
    assert ann.ui.asked == "start"
    local.link("Cid").wish(Ready(NO_ID, True))
    assert ann.press(ENTER) == []
    assert "1 seat is open" in ann.ui.note


def test_keys_for_the_table_do_not_come_into_the_chat() -> None:
    hands = walked(1)
    model = hands.link.model
    busy = replace(model, pending=(Submit(b"x" * 16, model.game, model.rev, Undo()),))
    for opener in ("t", "?", "f3"):
        ui, _wishes = press(busy, hands.ui, "u", hands.now + 1.0)
        ui, _wishes = press(busy, ui, opener, hands.now + 2.0)
        after, wishes = run_pending(model, ui, hands.now + 3.0)
        assert (after.draft.text, after.typed, wishes) == ("", (), ())


SIZES = [(40, 12), (80, 24), (120, 36)]


@pytest.mark.parametrize("pane", ["log", "others", "chat", "menu", "mine"])
def test_a_pane_is_still_the_same_one_after_a_resize(pane: str) -> None:
    model = begun().model
    for one, other in product(SIZES, SIZES):
        names = pane_names(kind_of(*other))
        ui = resized(model, Ui(size=one, pane=pane), other)
        shown = pane_of(Scene(model, ui))
        assert shown == (pane if pane in names else names[0])
        back = resized(model, ui, one)
        assert pane_of(Scene(model, back)) == pane_of(Scene(model, Ui(size=one, pane=pane)))


def test_a_pane_is_scrolled_back_for_itself_alone() -> None:
    model = begun().model
    ui = Ui(size=(80, 24), pane="chat", scroll=6)
    assert resized(model, ui, (100, 30)).scroll == 6
    assert resized(model, ui, (120, 36)).scroll == 0, "there the log is open"
    page = Ui(size=(80, 24), mode="rules", scroll=6)
    assert resized(model, page, (120, 36)).scroll == 6


@pytest.mark.slow
def test_the_guide_comes_back_when_a_turn_begins() -> None:
    link = begun(seed=5)
    models = [link.model]
    link.on_change = models.append
    while (view := link.model.view) and view.round < 6 and link.model.can_act:
        link.wish(choose(link, Random(view.round)))
    normal = Ui(size=(80, 24), guide=True)
    narrow = replace(normal, size=(60, 20))
    turns: dict[int, bool] = {}
    for before, after in pairwise(models):
        normal, narrow = (
            apply_update(before, after, replace(ui, pane="others", scroll=2), 10.0)
            for ui in (normal, narrow)
        )
        comes_back = normal.pane == ""
        assert narrow.pane == "others", "there it has a place of its own"
        assert after.view
        if after.my_turn and after.view.round:
            turns[after.view.round] = turns.get(after.view.round, False) or comes_back
        if comes_back:
            assert after.my_turn
            assert not after.view.path
            assert normal.scroll == 0
    assert len(turns) > 4
    assert all(turns.values())


def test_a_rematch_says_once_why_others_move_faster() -> None:
    link = begun(seed=5)
    first = link.model
    assert first.table is not None
    assert first.view is not None
    over = replace(first, game=0, table=replace(first.table, stage="result"))
    setting_up, placing, others = (
        replace(first, view=replace(first.view, round=number, active=active))
        for number, active in ((0, 1), (0, 0), (1, 1))
    )
    guided = Ui(size=(80, 24), guide=True, settings=Settings(guided=True))
    ui = apply_update(over, setting_up, guided, 1.0)
    assert not ui.guide
    assert ui.note.startswith("The guide is off now, so others move faster")
    tapped = apply_update(over, setting_up, replace(guided, touch=True), 1.0)
    assert tapped.note == "The guide is off now, so others move faster.", "there is no F4"
    ui = apply_update(setting_up, placing, ui, 2.0)
    assert ui.note.startswith("The guide is off now"), "while meeples are placed"
    ui = apply_update(placing, others, ui, 3.0)
    assert not ui.note
    for other in (
        replace(guided, guide=False),
        replace(guided, settings=replace(guided.settings, speed="at-once")),
    ):
        assert not apply_update(over, setting_up, other, 1.0).note
    for where in (
        replace(setting_up, seat=None),
        replace(setting_up, table=replace(first.table, hints=False)),
        replace(setting_up, table=replace(first.table, stage="lobby")),
    ):
        ui = apply_update(over, where, guided, 1.0)
        assert not ui.guide
        assert "F4" not in ui.note, "it would do nothing"


@pytest.mark.parametrize("size", SIZES)
def test_what_the_guide_says_next_is_read_from_its_start(size: tuple[int, int]) -> None:
    hands = Hands(begun(seed=5))
    hands.ui = replace(hands.ui, guide=True, size=size, scroll=3)
    before = Scene(hands.link.model, hands.ui).guide
    hands.link.wish(choose(hands.link, Random(1)))
    hands.look()
    assert Scene(hands.link.model, hands.ui).guide != before
    assert hands.ui.scroll == 0
    hands.ui = replace(hands.ui, scroll=3)
    hands.press("f4")
    assert (hands.ui.guide, hands.ui.scroll) == (False, 0)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", ["upgrades", "empty", "serve", "seats"])
def test_no_click_goes_through_a_list(size: tuple[int, int], mode: Mode) -> None:
    hands = ready_to_serve()
    hands.ui = replace(hands.ui, size=size)
    model = replace(hands.link.model, owner=True)
    uncovered = [*draw(model, hands.ui, *size).lines()]
    canvas = draw(model, replace(hands.ui, mode=mode), *size)
    covered = [y for y, line in enumerate(canvas.lines()) if line != uncovered[y]]
    inside = range(size[0] // 2 + 8, size[0] - 3)
    kinds = {
        target.kind
        for x, y in product(inside, covered[:-1])  # the last one is the footer
        if (target := canvas.target_at(x, y))
    }
    assert kinds <= {"row", "key"}


def test_a_click_beside_the_lines_of_a_list_leaves_it_open() -> None:
    hands = ready_to_serve()
    hands.press("s")
    assert hands.click("row", 0) == []
    assert hands.ui.mode == "serve"


def test_what_was_said_of_one_table_is_not_said_at_another() -> None:
    model = begun(seed=5).model
    elsewhere = replace(model, number=model.number + 1)
    said = Ui(size=(80, 24), note="Davi leaves; a bot takes over in 20 seconds.")
    assert "Davi" not in apply_update(model, elsewhere, said, 1.0).note
    asked = replace(said, asked="leave", note="Leave?")
    assert apply_update(model, elsewhere, asked, 1.0).note == "Leave?"
