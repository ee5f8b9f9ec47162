"""Screen state is dropped together with the game, turn, page or list that it was about."""

from collections.abc import Callable
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.history import History
from coffeerush.client.screen.draft import paste
from coffeerush.client.screen.keys import ENTER, INTERRUPT
from coffeerush.client.screen.mouse import wheel
from coffeerush.client.screen.press import see
from coffeerush.client.screen.scene import Scene
from coffeerush.client.screen.ui import Ui
from protocol import NO_ID, Phase, Ready, Serve, Start, Step, TurnTimedOut
from tests.client.screen.local import LocalTable, begun, choose, play
from tests.client.screen.test_press import Hands, at, ready_to_serve

ARROWS = ("up", "down", "left", "right")


def ready_all(local: LocalTable) -> None:
    """Make everybody but the owner ready."""
    for link in local.links[1:]:
        link.wish(Ready(NO_ID, True))


def until_first_step(hands: Hands, chance: Random) -> None:
    """Play for everybody until these hands can take the first step of a turn."""
    while not any(isinstance(one, Step) for one in Scene(hands.link.model, hands.ui).legal):
        links = hands.link.local.links
        link = next(one for one in links if one.model.can_act)
        link.wish(choose(link, chance))
        hands.look()


def after_a_game_of_two(seed: int) -> tuple[Hands, LocalTable]:
    """Return hands that chose their second meeple in a game of two that is over."""
    local = LocalTable(4, seed=seed)
    hands = Hands(local.link("Ann"))
    local.link("Bob")
    local.start()
    chance = Random(seed)
    until_first_step(hands, chance)
    hands.press("m")
    assert hands.ui.meeple == 2
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
    far = next(cell for cell in range(16) if cell not in Scene(hands.link.model, Ui()).steps)
    hands.click("cell", far)
    assert hands.ui.note


def test_a_meeple_that_a_game_does_not_have_is_never_meant() -> None:
    hands, local = after_a_game_of_two(seed=4)
    local.link("Cid")
    ready_all(local)
    hands.link.wish(Start(NO_ID))
    until_first_step(hands, Random(4))
    assert Scene(hands.link.model, Ui(meeple=2)).meeple == 1


def test_a_rematch_of_two_begins_with_the_first_meeple() -> None:
    hands, local = after_a_game_of_two(seed=5)
    ready_all(local)
    hands.press(ENTER)
    until_first_step(hands, Random(5))
    assert hands.ui.meeple == 1


def editing_a_name(seats: int = 2, bots: tuple[str, ...] = ("greedy",)) -> Hands:
    """Return hands that type a name on the page of settings, in the lobby."""
    hands = Hands(LocalTable(seats, bots).link("Ann"))
    hands.press("f3", "pagedown", ENTER, *"Bo")
    assert (hands.ui.editing, hands.ui.draft) == (True, "Bo")
    return hands


def test_control_c_leaves_a_name_that_is_edited() -> None:
    hands = editing_a_name()
    hands.press(INTERRUPT)
    assert hands.ui.asked == "leave"
    hands.press("escape", "?")
    assert hands.ui.mode == "help"
    hands.press("q")
    assert hands.ui.mode == "table"
    hands.press("f3", ENTER, "escape")
    assert hands.ui.settings.name == ""


def test_a_game_that_starts_leaves_a_name_that_is_edited() -> None:
    hands = editing_a_name()
    hands.link.local.start()
    hands.wait(1.0)
    assert (hands.ui.mode, hands.ui.editing, hands.ui.draft) == ("table", False, "")
    assert paste(hands.ui, "so much", hands.now).note
    hands.press("?")
    hands.press("q")
    assert hands.ui.mode == "table"


def test_control_c_leaves_a_line_that_is_typed() -> None:
    hands = Hands(LocalTable(2).link("Ann"))
    for opener in "tn":
        hands.press(opener, *"Bo", INTERRUPT)
        assert (hands.ui.mode, hands.ui.draft, hands.ui.asked) == ("table", "", "leave")
        hands.press("escape")


def test_a_list_that_was_scrolled_does_not_scroll_the_log_when_it_closes() -> None:
    hands = Hands(LocalTable(2, ("greedy",)).link("Ann"))
    hands.link.local.start()
    hands.wait(1.0)
    hands.ui = replace(hands.ui, size=(40, 12))
    for leaves in ("escape", "q", INTERRUPT):
        hands.press("g", "pagedown")
        assert (hands.ui.mode, hands.ui.scroll > 0) == ("upgrades", True)
        hands.press(leaves)
        assert (hands.ui.mode, hands.ui.scroll) == ("table", 0)


def scrolls(hands: Hands) -> list[Callable[[], object]]:
    """Return everything that scrolls."""

    def wheel_up() -> None:
        hands.wait(1.0)
        hands._do(wheel(hands.link.model, hands.ui, -1, hands.now))

    return [lambda: hands.press("pageup"), lambda: hands.press("pagedown"), wheel_up]


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


def test_a_question_is_taken_back_when_the_time_is_up() -> None:
    hands = Hands(begun(("greedy",), seed=5, turn_seconds=60))
    hands.press("q")
    model = hands.link.model
    assert model.seat is not None
    history = History((*model.log, TurnTimedOut(model.seat)), model.history.total + 1)
    after = replace(model, history=history)
    ui = see(model, after, hands.ui, hands.now)
    assert ui.note
    assert ui.asked == ""
