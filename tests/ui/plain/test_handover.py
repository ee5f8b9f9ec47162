"""A handover in plain mode: a sentence, and a word."""

from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.client.model import GoOn, Invitation, Model
from coffeerush.local.settings import Settings
from coffeerush.ui.plain.conversation import Session
from protocol import NO_ID, Bye, Destination, Elsewhere, HandOver, Moved, Standby, TakeOver
from tests.support.local import LocalLink, LocalTable


class Typist:
    """Somebody in plain mode at a table in this process."""

    def __init__(self, link: LocalLink) -> None:
        self.link = link
        self.session = Session(Settings(guided=True))
        self.said: list[str] = []
        self.look()

    def look(self) -> list[str]:
        told = [*self.session.changed(self.link.model).lines]
        self.said += told
        return told

    def type(self, text: str) -> list[object]:
        """Type a line; return the wishes, which are sent."""
        reply = self.session.line(self.link.model, text)
        self.said += reply.lines
        for wish in reply.wishes:
            self.link.wish(wish)
        return [*reply.wishes]


def people(standby: bool = True) -> tuple[Typist, Typist]:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.unjoined("Bob")
    bob.model = replace(bob.model, standby=Standby("T" * 40, 47820) if standby else None)
    bob.join()
    return Typist(ann), Typist(bob)


def test_the_owner_asks_and_the_other_one_agrees() -> None:
    ann, bob = people()
    assert ann.type("host Bob") == [HandOver(NO_ID, "Bob")]
    assert ann.look() == ["Bob has been asked to host the table."]
    assert bob.look() == [
        "Ann is asking you to host this table on your computer from now on.",
        "Type “host accept” or “host decline”.",
    ]
    assert bob.type("host perhaps") == []
    assert bob.type("host accept") == [TakeOver(NO_ID, True)]
    assert bob.look() == ["The table is moving to this computer …"]
    assert ann.look() == ["The table is moving to Bob's computer …"]


def test_the_other_one_declines() -> None:
    ann, bob = people()
    ann.type("host 1")
    bob.look()
    assert bob.type("host decline") == [TakeOver(NO_ID, False)]
    assert "Bob does not want to host the table; it stays where it is." in ann.look()
    assert bob.type("host accept") == []


def test_an_owner_who_leaves_hears_of_it_first() -> None:
    ann, _bob = people()
    assert ann.type("leave") == []
    assert ann.said[-1] == (
        "Leave the table? To hand it to Bob first, type “host Bob”; to keep it on this computer, "
        "type “leave” again. Anything else cancels."
    )
    ann, _bob = people(standby=False)
    assert ann.type("host Bob") == []
    assert ann.said[-1] == "Nobody else here can host this table."


def test_a_host_that_was_away_offers_to_follow() -> None:
    to = Destination(2, "Bob", "T" * 40, ("192.0.2.7",), 47820)
    ann, _bob = people()
    asked = replace(ann.link.model, invitation=Invitation(("192.0.2.1",), "apple-tiger-moon"))
    ann.link.model = session.hear(asked, Moved(to), b"n" * 16)[0]
    offer = [
        "While this computer was cut off, the game continued on Bob's computer.",
        "Type “back” to take your seat there again, or “leave” to leave.",
    ]
    assert [line for line in ann.look() if line in offer] == offer
    assert ann.look() == []
    assert ann.session.line(ann.link.model, "ready").lines == tuple(offer)
    assert ann.session.line(ann.link.model, "back").wishes == (GoOn(),)
    assert ann.session.line(ann.link.model, "leave").wishes == (Bye(NO_ID),)


def test_one_who_starts_a_host_again_hears_it_too() -> None:
    to = Destination(2, "Bob", "T" * 40, ("192.0.2.7",), 47820)
    asked = Model("player", "Ann", invitation=Invitation(("192.0.2.1",)))
    model, (hello,) = session.join(asked, b"h" * 16)
    away = session.answer(model, Elsewhere(hello.id, to), b"n" * 16)[0]
    reply = Session(Settings(guided=True)).changed(away)
    assert "While this computer was cut off, the game continued on Bob's computer." in reply.lines
