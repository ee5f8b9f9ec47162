"""People at a table, played by a test: they choose among their options and watch the game go on."""

from collections.abc import Callable
from random import Random

from tests.support.hosts_and_clients import Deadline, Fields, Peer


class Player(Peer):
    """A peer with a seat."""

    def sit_down(self, name: str) -> int:
        """Take a seat, or come back to it; return it."""
        seat = self.hello(name)["seat"]
        assert isinstance(seat, int)
        return seat

    def hear_view(self) -> Fields:
        """Wait until something is heard, and return the own View."""
        self.hear()
        self.hear_rest()
        return self.ask("view")


def chosen(answer: Fields, chance: Random) -> Fields | None:
    """Return a request's fields for some intent that is legal by an answer with a View.

    Cups fill, for what is poured is not emptied again but by serving.
    """
    view = answer["view"] or {}
    options = view["own"]["options"] if view.get("own") else []
    intents = [option["intent"] for option in options]
    intents = [each for each in intents if each["type"] not in ("undo", "empty_cup")]
    if not intents:
        return None
    return {"game": answer["game"], "rev": answer["rev"], "intent": chance.choice(intents)}


def play(players: dict[int, Player], chance: Random, enough: Callable[[Fields], bool]) -> Fields:
    """Play, by seat, until a player's own View is `enough`, and return it; others are bots.

    A View is looked at after each accepted intent, and whenever nobody here may act.
    """
    deadline = Deadline(100)
    anybody = next(iter(players.values()))
    view: Fields = anybody.view()
    while not view:  # the game begins when the last one is ready
        view = anybody.hear_view()["view"]
    while not enough(view):
        deadline.left()
        player = players.get(view["active"])
        answer = player.ask("view") if player else anybody.hear_view()
        wanted = chosen(answer, chance)
        view = answer["view"]
        while wanted and player and not enough(view):
            answer = player.ask("intent", **wanted)
            # A bot may have moved in between, for somebody who was away.
            assert answer["type"] == "accepted" or answer["refusal"]["code"] == "stale", answer
            view = answer["view"]
            wanted = chosen(answer, chance)
    return view


def is_over(view: Fields) -> bool:
    """Tell whether a View is of a game that is over."""
    return bool(view["phase"] == "over")


def public(view: Fields) -> Fields:
    """Return a View without its reader's own part."""
    return {**view, "own": None}
