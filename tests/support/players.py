"""Scripted players over the wire: they choose among their options and follow the game."""

from collections.abc import Callable
from random import Random

from tests.support.hosts_and_clients import Fields, Patience, Peer


class Owner(Peer):
    """The owner of a table, who watches and pauses the game, so that no bot stands in."""

    def set_pause(self, paused: bool) -> None:
        self.hello("Olga", "spectator")  # again: silent spectators are given up
        assert self.ask("set_pause", paused=paused)["type"] == "done"


class Player(Peer):
    """A peer with a seat."""

    def sit_down(self, name: str) -> int:
        """Take a seat, or rejoin it; return the seat."""
        seat = self.hello(name)["seat"]
        assert isinstance(seat, int)
        return seat

    def hear_view(self) -> Fields:
        """Wait for a publication, and return this player's View."""
        self.hear()
        self.hear_rest()
        return self.ask("view")


def chosen(answer: Fields, chance: Random) -> Fields | None:
    """Return a request's fields for some legal intent, given an answer with a View.

    Cups fill up, since the choice never empties them except by serving.
    """
    view = answer["view"] or {}
    options = view["own"]["options"] if view.get("own") else []
    intents = [option["intent"] for option in options]
    intents = [each for each in intents if each["type"] not in ("undo", "empty_cup")]
    if not intents:
        return None
    return {"game": answer["game"], "rev": answer["rev"], "intent": chance.choice(intents)}


def play(players: dict[int, Player], chance: Random, enough: Callable[[Fields], bool]) -> Fields:
    """Play for these seats until a player's View is `enough`, and return it; others are bots.

    Views are checked after each accepted intent, and whenever no player here may act.
    """
    patience = Patience()
    anybody = next(iter(players.values()))
    view: Fields = anybody.view()
    while not view:  # the game starts when the last one is ready
        view = anybody.hear_view()["view"]
    while not enough(view):
        patience.look(view)
        player = players.get(view["active"])
        answer = player.ask("view") if player else anybody.hear_view()
        wanted = chosen(answer, chance)
        view = answer["view"]
        while wanted and player and not enough(view):
            answer = player.ask("intent", **wanted)
            # A stand-in bot may have moved in the meantime.
            assert answer["type"] == "accepted" or answer["refusal"]["code"] == "stale", answer
            view = answer["view"]
            wanted = chosen(answer, chance)
    return view


def is_over(view: Fields) -> bool:
    return bool(view["phase"] == "over")


def public(view: Fields) -> Fields:
    """Return a View without its private part."""
    return {**view, "own": None}
