"""The host is silent: the screen says so, and one key goes on with the game."""

import pytest
from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.client.keeping import silence
from coffeerush.client.model import GoOn, Invitation, Model
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.terminal.keys import ENTER
from protocol import Destination, Elsewhere, Moved
from tests.support.local import LocalTable
from tests.ui.table.test_on_key import Hands


def silent(may_go_on: bool, name: str = "Bob") -> Hands:
    """Return a player whose host has said nothing for long."""
    local = LocalTable(3)
    links = {one: local.link(one) for one in ("Ann", "Bob", "Cid")}
    bob = Hands(links[name])
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


@pytest.mark.parametrize("name", ["Ann", "Bob", "Cid"])
def test_enter_does_so_in_anybodys_turn(name: str) -> None:
    assert silent(may_go_on=True, name=name).press(ENTER) == [GoOn()]


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


ID = b"n" * 16
TO = Destination(2, "Bob", "T" * 40, ("192.0.2.7",), 47820)


def away(model: Model) -> Model:
    """Return the model of the person at a host whose game went on elsewhere."""
    asked = replace(model, invitation=Invitation(("192.0.2.1",), "apple-tiger-moon"))
    return session.hear(asked, Moved(TO), ID)[0]


def back(stage: str) -> Hands:
    local = LocalTable(3)
    ann = Hands(local.link("Ann"))
    local.link("Bob")
    local.link("Cid")
    if stage == "game":
        local.start()
    ann.look()
    ann.link.set(away(ann.link.model))
    ann.look()
    return ann


@pytest.mark.parametrize("stage", ["lobby", "game"])
def test_a_host_that_was_away_offers_to_follow(stage: str) -> None:
    ann = back(stage)
    shown = text(ann)
    assert "While this computer was cut off, the game continued on Bob's computer." in shown
    assert "Press Enter to take your seat there again, or “q” to leave." in shown
    assert shown.count("Bob's computer") == 1
    assert not ann.press("x")
    assert ann.press(ENTER) == [GoOn()]


def test_so_does_one_that_was_started_again() -> None:
    """It has not seen the table."""
    ann = back("lobby")
    model, (hello,) = session.join(replace(away(ann.link.model), elsewhere=None, table=None), ID)
    ann.link.model = session.answer(
        replace(model, status="joining", invitation=Invitation(("192.0.2.1",))),
        Elsewhere(hello.id, TO),
        ID,
    )[0]
    assert ann.link.model.status == "joining"
    assert "Press Enter to take your seat there again" in text(ann)


def test_q_closes_it_at_once() -> None:
    ann = back("game")
    ann.press("q")
    assert ann.ui.leaving


@pytest.mark.parametrize("size", [(40, 12), (60, 20), (160, 50)])
def test_the_offer_is_on_every_screen(size: tuple[int, int]) -> None:
    ann = back("game")
    shown = " ".join(draw(ann.link.model, replace(ann.ui, size=size), *size).lines())
    assert "While this computer was cut off," in " ".join(shown.split())
