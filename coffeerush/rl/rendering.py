"""A game as text, for people who watch their agents play."""

from coffeerush.rules import Player, State
from coffeerush.rules.board import kinds
from coffeerush.rules.view import score
from protocol import Ingredient, Upgrade


def render_text(state: State) -> str:
    """Return the state of a game with everybody's cups: one line in general, one per player."""
    acts = "nobody" if state.active is None else f"player_{state.active}"
    lines = [
        f"round {state.round}, {state.phase}, {acts} acts, hand: {_tokens(state.hand)}, "
        f"{len(state.deck)} cards left"
    ]
    lines += [f"player_{seat}: {_player(state, one)}" for seat, one in enumerate(state.players)]
    return "\n".join(lines)


def _player(state: State, player: Player) -> str:
    drinks = state.menu.drinks
    orders = (", ".join(drinks[one].name for one in slot) or "-" for slot in player.orders)
    upgrades = (one.name.lower() for one in Upgrade if player.upgrades >> one & 1)
    return "; ".join(
        (
            f"score {score(player)}",
            f"completed {len(player.completed)}",
            f"penalties {len(player.penalties)}",
            f"rush {player.rush}",
            f"cells {' '.join(map(str, player.meeples)) or '-'}",
            f"orders {' | '.join(orders)}",
            f"cups {' | '.join(map(_tokens, player.cups))}",
            f"upgrades {' '.join(upgrades) or '-'}",
        )
    )


def _tokens(packed: int) -> str:
    return " ".join(Ingredient(kind).name.lower() for kind in kinds(packed)) or "-"
