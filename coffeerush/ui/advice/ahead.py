"""A turn ahead: what this player could do if it were their turn now, as long as others play.

Only the board, the orders and the supply as they are now count: nobody knows what others will do.
"""

from msgspec.structs import replace

from coffeerush.bots.outcomes import sample_state
from coffeerush.client.model import Model
from coffeerush.rules import advance, legal_intents, view_for
from coffeerush.rules.legal import may_upgrade
from protocol import Intent, Phase, View


def turn_ahead(view: View, done: tuple[Intent, ...] = ()) -> View:
    """Return this player's View as if it were their turn now, after these intents of it.

    The hand of the player who is acting counts as given back, and a meeple that still walks is in
    nobody's way. An intent that is not legal then ends those that are done.

    Args:
        view: of a seat for which `has_turn_ahead` is true.
        done: what they would do first.
    """
    own = view.own
    assert own is not None, "a spectator has no turn"
    sample = sample_state(view, 0)  # any will do: what is hidden does not count
    stands = () if sample.phase is Phase.MOVING else sample.path[-1:]
    state = replace(
        sample,
        active=own.seat,
        phase=Phase.UPGRADE if may_upgrade(sample.players[own.seat]) else Phase.MOVING,
        supply=sample.supply + sample.hand,
        hand=0,
        standing=sample.standing | sum(1 << cell for cell in stands),
        path=(),
        meeple=None,
        served=0,
    )
    for intent in done:
        if intent not in legal_intents(state):
            break
        state = advance(state, intent)
    return view_for(state, own.seat)


def with_turn_ahead(model: Model) -> Model:
    """Return the model of a table with that View in place of its own."""
    assert model.view is not None, "a game is on"
    return replace(model, view=turn_ahead(model.view))
