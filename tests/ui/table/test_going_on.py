"""The host is silent: the screen says so, and one key goes on with the game."""

from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.client.keeping import silence
from coffeerush.client.model import GoOn
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.terminal.keys import ENTER
from tests.support.local import LocalTable
from tests.ui.table.test_on_key import Hands


def silent(may_go_on: bool) -> Hands:
    """Return a player whose host has said nothing for long."""
    local = LocalTable(3)
    local.link("Ann")
    bob = Hands(local.link("Bob"))
    local.link("Cid")
    local.start()
    bob.look()
    model = bob.link.model
    bob.link.set(replace(session.lose(model, silence(model)), may_go_on=may_go_on))
    bob.look()
    return bob


def text(hands: Hands) -> str:
    ui = replace(hands.ui, size=(80, 24))
    return "\n".join(draw(hands.link.model, ui, 80, 24).lines())


def test_the_screen_says_that_the_game_is_safe() -> None:
    bob = silent(may_go_on=False)
    assert "Ann's computer is not responding. The game is safe." in text(bob)
    assert "Press Enter" not in text(bob)
    assert GoOn() not in bob.press(ENTER)


def test_enter_goes_on_with_the_game() -> None:
    bob = silent(may_go_on=True)
    assert "Press Enter to continue on this computer." in text(bob)
    assert bob.press(ENTER) == [GoOn()]


def test_the_offer_stays_whatever_else_is_pressed() -> None:
    bob = silent(may_go_on=True)
    assert not bob.press("up", "x")
    assert "Press Enter" in text(bob)
    assert bob.press(ENTER) == [GoOn()]


def test_the_offer_ends_with_the_silence() -> None:
    bob = silent(may_go_on=True)
    bob.link.set(replace(bob.link.model, status="here", trouble=None, may_go_on=False))
    bob.look()
    assert "Press Enter" not in text(bob)
