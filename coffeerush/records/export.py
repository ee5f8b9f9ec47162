"""Export a finished game as JSON lines, which `docs/record.md` describes."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from coffeerush.errors import RecordError
from coffeerush.rules import Player, State
from coffeerush.rules.board import unpack
from coffeerush.rules.state import piles
from coffeerush.rules.view import score
from protocol import Drink, Ingredient, Standing, Upgrade

from .entries import End, Head, Move, Record

EXPORT_FORMAT: Final = "coffeerush-export"
EXPORT_VERSION: Final = 1

Json = dict[str, Any]


def result_of(record: Record) -> End:
    """Return the end of a game; raises `RecordError` while it is not over, and so secret."""
    if record.end is None:
        raise RecordError(
            "this game is not over, and its record stays secret until it is; resume it "
            "with coffeerush host --resume"
        )
    return record.end


def export_lines(record: Record) -> Iterator[bytes]:
    """Yield the JSON lines of a finished game, reproducible byte by byte; raises `RecordError`."""
    end = result_of(record)
    state, *others = record.states()
    yield _line(_head(record.head, state))
    yield from _moved(record, 0)
    for move, state in zip(record.moves, others, strict=True):
        yield _line(_intent(move, state))
        yield from _moved(record, move.rev)
    yield _line(_result(record.head, end, state))


def _moved(record: Record, rev: int) -> Iterator[bytes]:
    """Yield a line if the table moved to another host at this rev."""
    for moved in record.relocations:
        if moved.rev == rev:
            yield _line(
                {"type": "moved", "rev": rev, "from": moved.before or None, "to": moved.name}
            )


def _line(value: Json) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _head(head: Head, dealt: State) -> Json:
    deck, starters, start = piles(head.setup)
    drinks = head.setup.deck.drinks
    return {
        "type": "head",
        "format": EXPORT_FORMAT,
        "version": EXPORT_VERSION,
        "table": head.table,
        "game": head.game,
        "seats": [
            {"seat": seat, "name": seated.name, "bot": seated.bot or None}
            for seat, seated in enumerate(head.seats)
        ],
        "variant": "starter_orders" if head.setup.starters else "standard",
        "start": start,
        "deck_name": head.setup.deck.name,
        "deal_order": [_card(drinks[drink]) for drink in deck],
        "starters": [_card(drinks[drink]) for drink in starters],
        "state": _state(dealt),
    }


def _card(drink: Drink) -> Json:
    return {
        "name": drink.name,
        "recipe": _tokens(drink.recipe),
        "specialty": drink.specialty,
        "starter": drink.starter,
    }


def _intent(move: Move, state: State) -> Json:
    intent = msgspec.to_builtins(move.intent)
    if "ingredient" in intent:
        intent["ingredient"] = _named(Ingredient(intent["ingredient"]))
    if "upgrade" in intent:
        intent["upgrade"] = _named(Upgrade(intent["upgrade"]))
    return {
        "type": "intent",
        "rev": move.rev,
        "seat": move.seat,
        "intent": intent,
        "state": _state(state),
    }


def _state(state: State) -> Json:
    return {
        "phase": state.phase,
        "round": state.round,
        "active": state.active,
        "closed": state.closed,
        "supply": _tokens(unpack(state.supply)),
        "rush_supply": state.rush,
        "deck": len(state.deck),
        "discards": _drinks(state, state.discards),
        "removed": _drinks(state, state.removed),
        "hand": _tokens(unpack(state.hand)),
        "path": state.path,
        "meeple": None if state.meeple is None else state.meeple + 1,
        "served": state.served,
        "players": [_player(state, player) for player in state.players],
    }


def _player(state: State, player: Player) -> Json:
    return {
        "cups": [_tokens(unpack(cup)) for cup in player.cups],
        "orders": [_drinks(state, slot) for slot in player.orders],
        "completed": _drinks(state, player.completed),
        "penalties": _drinks(state, player.penalties),
        "rush": player.rush,
        "upgrades": [_named(upgrade) for upgrade in Upgrade if player.upgrades >> upgrade & 1],
        "meeples": player.meeples,
        "score": score(player),
    }


def _result(head: Head, end: End, last: State) -> Json:
    return {
        "type": "result",
        "rounds": last.round,
        "standings": [_standing(head, last, standing) for standing in end.standings],
    }


def _standing(head: Head, last: State, standing: Standing) -> Json:
    player = last.players[standing.seat]
    return {
        "rank": standing.rank,
        "seat": standing.seat,
        "name": head.seats[standing.seat].name,
        "score": standing.score,
        "completed": len(player.completed),
        "upgrades": player.upgrades.bit_count(),
        "penalties": len(player.penalties),
        "rush": player.rush,
    }


def _tokens(counts: tuple[int, ...]) -> dict[str, int]:
    """Return the nonzero counts by name of the ingredient."""
    return {_named(kind): counts[kind] for kind in Ingredient if counts[kind]}


def _drinks(state: State, cards: tuple[int, ...]) -> list[str]:
    return [state.menu.drinks[card].name for card in cards]


def _named(value: Ingredient | Upgrade) -> str:
    return value.name.lower()
