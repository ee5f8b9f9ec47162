"""The planner, the expert bot and their learned value."""

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import msgspec
import pytest

from coffeerush.bots import ExpertBot
from coffeerush.bots.outcomes import sample_state
from coffeerush.bots.planner import PlannerBot, lookahead, plan_turn
from coffeerush.bots.values import (
    COUNTS,
    after_turn,
    features,
    next_turn,
    parse_weights,
    result,
    shipped_weights,
    win_chance,
    win_share,
)
from coffeerush.errors import BotError
from coffeerush.rules import standings, view_for
from coffeerush.rules.board import within
from protocol import EmptyCup, EndTurn, Phase, ReturnRest, Step
from tests.support.positions import Has, cards, play, position, tokens
from tests.support.steering import setup_of, steered

ROOT = Path(__file__).parents[2]


def test_the_expert_plans_again_if_the_turn_went_another_way() -> None:
    """What is left of its plan does not fit another position."""
    state = position(Has(("Iced coffee", "Iced tea"), meeples=(5,)), Has(), Has())
    bot = PlannerBot()
    for other in (state, position(Has(("Pot of tea",), meeples=(10,)), Has(), Has())):
        first = bot.choose(view_for(other, 0), Random(1))
        assert first == PlannerBot().choose(view_for(other, 0), Random(1))


def test_a_plan_of_a_turn_says_what_it_serves() -> None:
    own = Has(("Iced coffee", "", "Mocha"), ("chocolate milk steam", "ice"), (5,))
    state = position(own, Has(meeples=(12,)), Has(meeples=(15,)))
    plan = plan_turn(view_for(state, 0))
    assert set(plan.served) == {(cards("Mocha")[0], 3), (cards("Iced coffee")[0], 1)}
    assert plan.intents[-1] == EndTurn()
    after = play(state, *plan.intents)
    assert len(after.players[0].completed) == 2


def test_no_cup_is_emptied_for_what_another_can_hold() -> None:
    orders = ("Chai latte", "Cortado", "Americano", "Marocchino")
    state = position(Has(orders, ("", "ice"), (8,)), Has(meeples=(12,)), Has(meeples=(15,)))
    plan = plan_turn(view_for(state, 0))
    assert plan.served
    assert not any(isinstance(intent, EmptyCup) for intent in plan.intents)


def test_a_plan_of_a_turn_says_what_the_next_turn_can_serve() -> None:
    own = Has(("Caramel macchiato", "Caramel mocha"), ("", "", "ice"), (15,))
    state = position(own, Has(meeples=(0,)), Has(meeples=(3,)))
    plan = plan_turn(view_for(state, 0))
    assert not plan.served
    coming = {order.drink for _, order in plan.next_turn.serves}
    assert coming <= {*cards("Caramel macchiato, Caramel mocha")}
    assert coming
    assert plan.next_turn.rush == 0


def test_the_next_turn_spends_a_rush_token_that_is_there() -> None:
    """From the ice at 0 to coffee and water are four steps."""
    states = [position(Has(("Americano",), meeples=(0,), rush=n), Has(), Has()) for n in (0, 1)]
    without, spent = (next_turn(state, state.players[0].rush) for state in states)
    assert without.serves == ()
    assert spent.rush == 1
    assert [order.drink for _, order in spent.serves] == list(cards("Americano"))


def test_the_expert_serves_an_order_that_is_about_to_expire() -> None:
    """Either order takes two steps, both take four."""
    own = Has(("Iced coffee", "", "", "Babyccino"), meeples=(4,))
    state = position(own, Has(meeples=(12,)), Has(meeples=(15,)))
    bot = ExpertBot()
    while state.active == 0:
        state = play(state, bot.choose(view_for(state, 0), Random(1)))
    assert state.players[0].completed == cards("Babyccino")


def test_lookahead_compares_turns_in_the_same_samples() -> None:
    state = position(Has(("Iced coffee", "Mocha"), meeples=(5,)), Has(("Lungo",)), Has(("Lungo",)))
    view = view_for(state, 0)
    turns = [plan_turn(view).intents, (Step(1, 6), ReturnRest()), (Step(1, 9), ReturnRest())]
    values = lookahead(view, turns, 4, 7)
    assert values == lookahead(view, turns, 4, 7) != lookahead(view, turns, 4, 8)
    assert values == [lookahead(view, [one], 4, 7)[0] for one in turns]
    assert values[0] == max(values) > max(values[1:])


def test_likely_samples_put_tokens_where_orders_need_them() -> None:
    theirs = Has(("Mocha", "Iced tea"), ("chocolate milk", "tea ice", ""))
    view = view_for(position(Has(), theirs, Has()), 0)
    for seed in range(5):
        state = sample_state(view, seed, likely=True)
        assert view_for(state, 0) == view
        for cup in state.players[1].cups:
            assert any(
                within(cup, tokens(one)) for one in ("coffee chocolate milk steam", "tea ice water")
            )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_end_of_a_turn_is_foreseen(players: int) -> None:
    seen = set()
    for seed in range(5):
        for before, intent, after in steered(setup_of(players, False, seed)):
            if intent != EndTurn() or before.phase is Phase.FILLING:
                continue
            seat, ahead = before.active, after_turn(before)
            assert seat is not None
            mine = after.players[seat]
            assert (ahead.penalties, ahead.rush) == (len(mine.penalties), mine.rush)
            assert (ahead.deck, ahead.closed) == (len(after.deck), after.closed)
            for left, drawn in enumerate(ahead.drawn):
                was, now = (one.players[(seat + left) % players].orders for one in (before, after))
                assert len(now[0]) == drawn + (len(was[0]) if left else 0)
            assert any(ahead.turns) == (after.active is not None)
            assert len(features(before, ahead)) == COUNTS[players][ahead.closed]
            seen.add(ahead.closed)
    assert seen == {False, True}


def test_the_value_of_a_turn_that_ends_the_game_is_its_result() -> None:
    weights = shipped_weights()
    seen = 0
    for seed in range(8):
        for before, _, after in steered(setup_of(3, False, seed)):
            if after.active is None:
                seat = before.active
                first = [one.seat for one in standings(after) if one.rank == 1]
                value = weights.value(before)
                assert (value > 0) == (seat in first)
                seen += 1
    assert seen == 8


def test_a_result_is_the_share_of_the_win_and_a_little_margin() -> None:
    assert result([(5, 5, 0), (3, 3, 0)], 0) == pytest.approx(0.5 + 0.16)
    assert result([(5, 5, 0), (3, 3, 0)], 1) == pytest.approx(-0.5 - 0.16)
    assert result([(5, 5, 1), (5, 5, 1), (5, 5, 0)], 0) == pytest.approx(1 / 2 - 1 / 3)


def damaged(**changes: object) -> bytes:
    fields = msgspec.to_builtins(shipped_weights())
    return msgspec.json.encode({**fields, **changes})


def infinite() -> bytes:
    last = str(shipped_weights().players["4"].closed[-1]).encode()
    whole, found, rest = damaged().rpartition(last)
    assert found
    return whole + b"1e999" + rest


def test_the_shipped_weights_are_whole() -> None:
    assert parse_weights(damaged()) == shipped_weights()
    assert shipped_weights().command.startswith("scripts/train --seed ")


def test_an_installation_without_weights_is_refused_with_a_sentence(tmp_path: Path) -> None:
    for package in ("coffeerush", "protocol"):
        shutil.copytree(ROOT / package, tmp_path / package)
    (tmp_path / "coffeerush/bots/weights.json").unlink()
    code = "from coffeerush.bots.values import shipped_weights as s\ntry: s()\n"
    code += "except Exception as error: print(type(error).__name__, error)"
    said = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, text=True)
    assert said.startswith("BotError The weights of the expert bot are damaged: ")
    assert said.endswith("; install Coffee Rush again.\n")


FORMAT = "the file has another format or is incomplete"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", FORMAT),
        (damaged()[:-100], FORMAT),
        (b"\xff\xfe", FORMAT),
        (damaged(players={"2": {"open": ["NaN"], "closed": []}}), FORMAT),
        (damaged().replace(b'"open":[', b'"open":[NaN,', 1), FORMAT),
        (infinite(), FORMAT),
        (damaged().replace(b'"open":[', b'"open":[0.5,', 1), "the number of weights is wrong"),
        (damaged(players={}), "the number of weights is wrong"),
        (damaged(features=0), "the file belongs to another version"),
        (damaged().replace(b"-0.09916", b"-5.0", 1), "its checksum does not match"),
        (damaged(command="scripts/train --seed 8"), "its checksum does not match"),
    ],
)
def test_damaged_weights_are_refused(text: bytes, reason: str) -> None:
    with pytest.raises(BotError) as caught:
        parse_weights(text)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("The weights of the expert bot are damaged: ")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_value_becomes_a_chance_between_never_and_always(players: int) -> None:
    values = [-9.0, -0.5, 0.0, 0.1, 0.5, 9.0]
    chances = [win_chance(value, players) for value in values]
    assert chances == sorted(chances)
    assert chances[2] == pytest.approx(1 / players), "par"
    assert 0 <= chances[0] < 0.001
    assert 0.999 < chances[-1] <= 1


def test_a_shared_victory_is_a_part_of_it() -> None:
    scores = [(5, 4, 1), (5, 4, 0), (5, 4, 1)]
    assert [win_share(scores, seat) for seat in range(3)] == [0.5, 0, 0.5]
    assert win_share(scores[:2], 0) == 1
