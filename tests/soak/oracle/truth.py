"""What each recipient may know of a finished game at each rev, derived from its export.

Based on `docs/record.md` and `protocol/SPEC.md`, without the code that makes Views and events.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from .reader import rows

ROOT: Final = Path(__file__).parents[3]
INGREDIENTS: Final = [row[1].lower() for row in rows("Ingredients")]
UPGRADES: Final = [row[1].lower() for row in rows("Upgrades")]
_HIDDEN: Final = ("filling", "pouring")
_FREE_STEPS: Final = 3
_PENALTIES_TO_CLOSE: Final = 5

Json = dict[str, Any]
Counts = list[int]


def exported(record: Path) -> list[Json]:
    command = [sys.executable, "-m", "coffeerush", "export", str(record)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def counts(tokens: dict[str, int]) -> Counts:
    return [tokens.get(name, 0) for name in INGREDIENTS]


class Truth:
    """A finished game, from its export; `menu` has the drinks in the host's order."""

    def __init__(self, lines: list[Json], menu: list[Json]) -> None:
        self.head, *self.moves, self.result = lines
        self.states: list[Json] = [self.head["state"], *(move["state"] for move in self.moves)]
        self.menu = menu
        self._number = {drink["name"]: index for index, drink in enumerate(menu)}
        self._undoable = list(self._depths())

    def _depths(self) -> Iterator[int]:
        """Yield for each rev how many intents of the turn can be undone."""
        depth = 0
        yield depth
        for move in self.moves:
            kind = move["intent"]["type"]
            depth += -1 if kind == "undo" else 1
            depth = 0 if kind in ("place_meeple", "end_turn") else depth
            yield depth

    def drinks_fit(self) -> bool:
        """Return whether the menu describes the cards that were dealt."""
        cards = self.head["deal_order"] + self.head["starters"]
        return all(
            (card["recipe"], card["specialty"], card["starter"])
            == (_tokens(drink["recipe"]), drink["specialty"], drink["starter"])
            for card in cards
            for drink in [self.menu[self._number[card["name"]]]]
        )

    def view(self, rev: int, reader: int | None) -> Json:
        """Return the View of a seat or a spectator, without the options."""
        state = self.states[rev]
        walked = max(len(state["path"]) - 1, 0)
        hidden = state["phase"] in _HIDDEN
        over = state["phase"] == "over"
        same = ("active", "phase", "round", "closed", "rush_supply", "deck", "path", "meeple")
        return {
            **{name: state[name] for name in same},
            "players": [self._player(player) for player in state["players"]],
            "start": self.head["start"],
            "supply": counts(state["supply"]),
            "discards": self._numbers(state["discards"]),
            "removed": self._numbers(state["removed"]),
            "steps_left": max(_FREE_STEPS - walked, 0),
            "served": state["served"],
            "hand": None if hidden else counts(state["hand"]),
            "menu": self.menu,
            "standings": self._standings() if over else [],
            "own": None if reader is None else self._own(rev, reader),
        }

    def _own(self, rev: int, seat: int) -> Json:
        state = self.states[rev]
        acts = state["active"] == seat
        return {
            "seat": seat,
            "cups": [counts(cup) for cup in state["players"][seat]["cups"]],
            "hand": counts(state["hand"] if acts else {}),
            "undo": self._undoable[rev] if acts else 0,
        }

    def _player(self, player: Json) -> Json:
        return {
            "orders": [self._numbers(slot) for slot in player["orders"]],
            "completed": len(player["completed"]),
            "penalties": len(player["penalties"]),
            "rush": player["rush"],
            "upgrades": [name in player["upgrades"] for name in UPGRADES],
            "meeples": player["meeples"],
            "score": player["score"],
        }

    def _standings(self) -> list[Json]:
        keys = ("seat", "rank", "score")
        return [{key: one[key] for key in keys} for one in self.result["standings"]]

    def _numbers(self, names: list[str]) -> list[int]:
        return [self._number[name] for name in names]

    # Events

    def events(self, rev: int, reader: int | None) -> list[Json]:
        """Return what a seat or a spectator may know of the intent that produced `rev`."""
        move, before = self.moves[rev - 1], self.states[rev - 1]
        seat, intent, after = move["seat"], move["intent"], move["state"]
        was, now = before["players"][seat], after["players"][seat]
        returned = _difference(after["supply"], before["supply"])
        mine = reader == seat
        cup = intent["cup"] if mine and "cup" in intent else None
        one: Json = {"seat": seat}
        match intent["type"]:
            case "place_meeple":
                one |= {"type": "meeple_placed", "meeple": len(now["meeples"])}
                return [one | {"cell": intent["cell"]}, *self._after_setup(before, after)]
            case "activate_upgrade":
                gone = self._numbers(after["discards"][len(before["discards"]) :])
                upgrade = UPGRADES.index(intent["upgrade"])
                one |= {"type": "upgrade_activated", "upgrade": upgrade, "discarded": gone}
            case "step":
                one |= {"type": "stepped", "meeple": intent["meeple"], "cell": intent["cell"]}
                one |= {"gain": _difference(before["supply"], after["supply"])}
                one |= {"rush_spent": was["rush"] - now["rush"]}
            case "empty_cup":
                one |= {"type": "cup_emptied", "returned": returned, "cup": cup}
            case "pour":
                kind = INGREDIENTS.index(intent["ingredient"]) if mine else None
                one |= {"type": "poured", "ingredient": kind, "cup": cup}
            case "return_rest":
                one |= {"type": "rest_returned", "returned": returned}
            case "serve":
                drink = self._number[now["completed"][-1]]
                one |= {"type": "order_served", "drink": drink, "slot": intent["slot"]}
                one |= {"rush_gained": now["rush"] - was["rush"], "cup": cup}
            case "undo":
                one |= {"type": "intent_undone"}
            case "end_turn" if before["phase"] == "filling":
                return self._after_setup(before, after)
            case "end_turn":
                return self._turn_ended(before, after, seat)
        return [one]

    def _after_setup(self, before: Json, after: Json) -> list[Json]:
        if after["phase"] == "placing":
            return []
        if after["phase"] == "filling":
            taken = counts(after["hand"])
            return [{"type": "start_taken", "seat": after["active"], "gain": taken}]
        first = [
            {"type": "start_taken", "seat": seat, "gain": counts(player["cups"][0])}
            for seat, player in enumerate(after["players"])
            if before["phase"] == "placing"
        ]
        return [*first, {"type": "turn_started", "seat": after["active"], "round": after["round"]}]

    def _turn_ended(self, before: Json, after: Json, seat: int) -> list[Json]:
        found: list[Json] = []
        count = len(before["players"])
        for other in [(seat + left) % count for left in range(1, count)]:
            had = len(before["players"][other]["orders"][0])
            found += self._drawn(other, after["players"][other]["orders"][0][had:], "order_rush")
        was, now = before["players"][seat], after["players"][seat]
        if fallen := now["penalties"][len(was["penalties"]) :]:
            gained = now["rush"] - was["rush"]
            taken = {"drinks": self._numbers(fallen), "rush_gained": gained}
            found.append({"type": "penalties_taken", "seat": seat, **taken})
        found += self._drawn(seat, now["orders"][0], "flow_of_time")
        if after["closed"] and not before["closed"]:
            penalties = len(now["penalties"]) >= _PENALTIES_TO_CLOSE
            reason = "deck" if not after["deck"] else "penalties" if penalties else "no_orders"
            found.append({"type": "token_closed", "reason": reason})
        if after["active"] is None:
            winners = [one["seat"] for one in self.result["standings"] if one["rank"] == 1]
            return [*found, {"type": "game_ended", "winners": winners}]
        started = {"seat": after["active"], "round": after["round"]}
        return [*found, {"type": "turn_started", **started}]

    def _drawn(self, seat: int, names: list[str], reason: str) -> list[Json]:
        if not names:
            return []
        drinks = self._numbers(names)
        return [{"type": "orders_drawn", "seat": seat, "drinks": drinks, "reason": reason}]

    def opening(self) -> list[Json]:
        start, players = self.head["start"], self.head["state"]["players"]
        names = [seat["name"] for seat in self.head["seats"]]
        found: list[Json] = [{"type": "game_started", "seats": names, "start": start}]
        found[0]["old_seats"] = [*range(len(names))]  # every seat was taken
        for seat in [(start + turn) % len(players) for turn in range(len(players))]:
            one, two, *_ = players[seat]["orders"]
            found += self._drawn(seat, one + two, "deal")
        return found

    def tallies(self) -> list[list[int]]:
        """Return each seat's score at the end of each round."""
        ends = [
            after
            for before, after in pairwise(self.states)
            if after["round"] > before["round"] > 0 or after["phase"] == "over" != before["phase"]
        ]
        seats = range(len(self.states[0]["players"]))
        return [[state["players"][seat]["score"] for state in ends] for seat in seats]

    # Secrets

    def cups(self, seat: int) -> Iterator[Counts]:
        """Yield the contents of a seat's cups, and of its hand while hidden, at every rev."""
        for state in self.states:
            yield from (counts(cup) for cup in state["players"][seat]["cups"])
            if state["active"] == seat and state["phase"] in _HIDDEN:
                yield counts(state["hand"])

    def public(self) -> Iterator[Counts]:
        for rev in range(len(self.states)):
            yield from _counts_in(self.view(rev, None))
            if rev:
                yield from _counts_in(self.events(rev, None))


def _counts_in(value: Any) -> Iterator[Counts]:
    if isinstance(value, list) and len(value) == len(INGREDIENTS) and type(value[0]) is int:
        yield value
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _counts_in(inner)


def _tokens(found: Counts) -> dict[str, int]:
    return {name: n for name, n in zip(INGREDIENTS, found, strict=True) if n}


def _difference(more: dict[str, int], less: dict[str, int]) -> Counts:
    return [a - b for a, b in zip(counts(more), counts(less), strict=True)]
