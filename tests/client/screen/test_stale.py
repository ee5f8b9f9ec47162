"""Screen state is dropped together with the game, turn, page or list that it was about."""

from random import Random

from coffeerush.client.screen.keys import ENTER
from coffeerush.client.screen.scene import Scene
from coffeerush.client.screen.ui import Ui
from protocol import NO_ID, Ready, Start, Step
from tests.client.screen.local import LocalTable, choose, play
from tests.client.screen.test_press import Hands

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
