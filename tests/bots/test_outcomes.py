"""The outcomes of a turn: all can be reached, and their States are those of the rules."""

from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots.outcomes import after, intents, outcomes
from coffeerush.bots.walks import Collecting, starts
from coffeerush.rules import Deck, Setup, State, advance, legal_intents, standard_deck
from coffeerush.rules.board import ONE, common, kinds, within
from coffeerush.rules.engine import end_turn
from coffeerush.rules.legal import may_upgrade
from protocol import (
    Drink,
    EmptyCup,
    EndTurn,
    Intent,
    Phase,
    Pour,
    ReturnRest,
    Serve,
    Step,
    Upgrade,
)
from tests.support.positions import Has, play, position, tokens
from tests.support.steering import steered

TURN = (Phase.UPGRADE, Phase.MOVING, Phase.POURING, Phase.SERVING)


def two_drinks() -> Deck:
    """Return a deck as unlike the standard one as the rules allow."""
    long = Drink("Long", (0, 0, 0, 6, 0, 0, 0, 0), 76, specialty=True, starter=False)
    return Deck("Two drinks", (long, Drink("Short", (0, 0, 0, 0, 0, 0, 0, 1), 4, False, True)))


def rich(state: State, chance: Random) -> State:
    """Return a State before a turn with random upgrades and rush tokens, and with few tokens."""
    assert state.active is not None
    player = state.players[state.active]
    upgrades = player.upgrades | int(chance.random() * 16)
    rush = min(int(chance.random() * 4), state.rush)
    seats = list(state.players)
    completed = (*state.deck[:3], *player.completed)
    seats[state.active] = replace(
        player, upgrades=upgrades, rush=player.rush + rush, completed=completed
    )
    supply = state.supply
    for kind in kinds(state.supply):
        if chance.random() < 0.5:
            supply -= ONE[kind]
            cups = list(seats[state.active - 1].cups)
            cups[0] += ONE[kind]
            seats[state.active - 1] = replace(seats[state.active - 1], cups=tuple(cups))
    return replace(
        state,
        players=tuple(seats),
        supply=supply,
        rush=state.rush - rush,
        deck=state.deck[3:],
        phase=Phase.UPGRADE if may_upgrade(seats[state.active]) else Phase.MOVING,
        previous=None,
    )


def turns(deck: Deck, players: int, starters: bool, seed: int) -> Iterator[State]:
    """Yield States of a steered game in all phases of a turn, and richer ones made from these."""
    chance = Random(seed)
    for state, _, _ in steered(Setup(players, deck, seed, starters)):
        if state.phase in TURN and chance.random() < (
            0.5 if state.phase is Phase.UPGRADE else 0.06
        ):
            yield state
            if state.phase in (Phase.UPGRADE, Phase.MOVING) and not state.path:
                yield rich(state, chance)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), [(2, False), (3, True), (4, False)])
@pytest.mark.parametrize("name", ["standard", "two drinks"])
def test_every_outcome_is_what_its_intents_lead_to(name: str, players: int, starters: bool) -> None:
    deck = standard_deck() if name == "standard" else two_drinks()
    seen: set[Phase] = set()
    done: set[type[Intent]] = set()
    for seed in range(3):
        for state in turns(deck, players, starters, seed):
            found = outcomes(state, 4)
            assert found
            seen.add(state.phase)
            for one in found:
                chosen = intents(state, one)
                done.update(map(type, chosen))
                assert play(state, *chosen) == end_turn(after(state, one))
                for emptied in (intent for intent in chosen if isinstance(intent, EmptyCup)):
                    held = state.players[state.active or 0].cups[emptied.cup - 1]
                    pours = (intent for intent in chosen if isinstance(intent, Pour))
                    into = [pour.ingredient for pour in pours if pour.cup == emptied.cup]
                    assert not within(held, sum(ONE[kind] for kind in into)), "it is poured back"
    assert seen == set(TURN)
    assert {Serve, Step, ReturnRest, EndTurn} <= done


def walked(state: State, rush: int) -> set[tuple[int, int, int]]:
    """Return the last cell, the hand and the rush tokens spent of all walks, found one by one."""
    found, states = set(), [state]
    before = state.rush
    while states:
        state = states.pop()
        legal = legal_intents(state)
        if ReturnRest() in legal or EndTurn() in legal:
            found.add((state.path[-1], state.hand, state.rush - before))
        steps = (one for one in legal if isinstance(one, Step))
        following = (replace(advance(state, step), previous=None) for step in steps)
        states += [one for one in following if one.rush - before <= rush]
    return found


@pytest.mark.parametrize(
    ("upgrades", "cups"),
    [
        ((), ()),
        ((Upgrade.DOUBLE_CORNERS, Upgrade.DOUBLE_MEEPLES), ("ice " * 11,)),
        ((Upgrade.DIAGONAL_MOVE,), ("coffee " * 18, "ice " * 12)),
    ],
)
def test_the_walks_are_all_walks(upgrades: tuple[Upgrade, ...], cups: tuple[str, ...]) -> None:
    own = Has(("Mocha", "Iced tea"), meeples=(1,), rush=1, upgrades=upgrades)
    state = position(own, Has(cups=cups, meeples=(4,)), Has(meeples=(0,)))
    limit = common(tokens("coffee coffee ice ice tea chocolate milk steam water"), state.supply)
    collecting = Collecting(starts(state), limit)
    expected: dict[int, set[tuple[int, int]]] = {}
    for cell, hand, rush in walked(state, 1):
        expected.setdefault(common(hand, limit), set()).add((cell, rush))
    found = {
        hand: {
            (one.cell, one.rush) for bit, one in enumerate(collecting.endings) if mask >> bit & 1
        }
        for hand, mask in collecting.by_hand.items()
    }
    for hand, endings in expected.items():
        assert endings <= found[hand]
    for hand, ends in found.items():
        assert all(
            any(common(hand, whole) == hand and end in expected[whole] for whole in expected)
            for end in ends
        )
