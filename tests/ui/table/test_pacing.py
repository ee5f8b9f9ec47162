"""Others' moves are shown one by one, and the screen is never long behind."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.local.settings import SPEEDS, Settings, Speed
from coffeerush.ui.table.state import Ui
from coffeerush.ui.table.table_app import (
    BEAT_SECONDS,
    BEHIND_SECONDS,
    CLOCK_SHARE,
    MAX_QUEUE,
    STEP_SECONDS,
    Pace,
    due,
    enqueue,
    show_next,
    skip,
    speed_of,
)
from protocol import NO_ID, Chat, Said
from tests.support.local import LocalTable, play

GAME = 3000


def models(seats: int = 3, most: int = GAME) -> list[Model]:
    """Return every model that a player's screen hears of in a game against bots."""
    local = LocalTable(seats, ("regular",) * (seats - 1), seed=seats)
    link = local.link("Ann")
    found = [link.model]
    link.on_change = found.append
    local.start()
    play(local, Random(1), lambda: None, most)
    return found


MODELS = models()


def watch(speed: Speed, heard: list[tuple[float, Model]]) -> list[tuple[float, Model]]:
    """Return when each model is shown by a screen that nobody touches."""
    pace, shown = Pace(heard[0][1]), []
    for (now, model), (until, _next) in zip(heard, [*heard[1:], (1e9, None)], strict=True):
        pace = enqueue(pace, model, now)
        while (at := due(pace, speed)) is not None and at <= until:
            at = max(at, now)
            pace = show_next(pace, at)
            shown.append((at, pace.model))
    return shown


def test_a_turn_of_bots_that_comes_at_once_is_shown_step_by_step() -> None:
    begin = next(n for n, m in enumerate(MODELS) if m.view and m.view.round == 3 and m.my_turn)
    mine = next(n for n, m in enumerate(MODELS) if n > begin and not m.my_turn)
    back = next(n for n, m in enumerate(MODELS) if n > mine and m.my_turn)
    heard = [(0.0, model) for model in MODELS[mine - 1 : back + 3]]
    shown = watch("normal", heard)
    paths = [len(model.view.path) for _at, model in shown if model.view]
    assert {2, 3, 4} & set(paths)
    gaps = [after - before for (before, _m), (after, _n) in pairwise(shown)]
    steps = [gap for gap in gaps if gap <= STEP_SECONDS["normal"] + 1e-9]
    assert sum(gap > 0.01 for gap in steps) >= 4
    assert shown[-1][1] is heard[-1][1]


@pytest.mark.parametrize("speed", ["slow", "normal", "fast"])
def test_a_beat_separates_the_turns_of_others_but_not_the_own_one(speed: Speed) -> None:
    begin = next(n for n, m in enumerate(MODELS) if m.view and m.view.round == 3 and m.my_turn)
    mine = next(n for n, m in enumerate(MODELS) if n > begin and not m.my_turn)
    back = next(n for n, m in enumerate(MODELS) if n > mine and m.my_turn)
    shown = watch(speed, [(0.0, model) for model in MODELS[mine - 1 : back + 3]])
    waits: dict[bool, list[float]] = {True: [], False: []}
    for (before, was), (after, now) in pairwise(shown):
        if was.view and now.view and was.view.active != now.view.active and not was.my_turn:
            waits[now.my_turn].append(after - before)
    assert waits[False] == [pytest.approx(BEAT_SECONDS[speed])]
    assert max(waits[True]) <= STEP_SECONDS[speed] + 1e-9


def test_a_turn_clock_shortens_the_lag() -> None:
    """Three bots' turns may not cost the next player half of a short turn."""
    turn = 20
    heard = [
        (0.0, replace(model, table=replace(model.table, turn_seconds=turn)))
        for model in MODELS[200:260]
        if model.table
    ]
    assert watch("slow", heard)[-1][0] <= turn * CLOCK_SHARE + 1e-6


@given(st.sampled_from(SPEEDS), st.data())
def test_the_screen_is_never_long_behind(speed: Speed, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(MODELS) - 60))
    waits = st.sampled_from([0.0, 0.0, 0.0, 0.01, 0.2, 3.0])
    now, heard = 0.0, []
    for model in MODELS[begin : begin + 60]:
        now += data.draw(waits)
        heard.append((now, model))
    shown = watch(speed, heard)
    assert all(a <= b for (a, _m), (b, _n) in pairwise(shown))
    assert not shown or shown[-1][1] is heard[-1][1]
    came = {id(model): at for at, model in heard}
    assert all(at - came[id(model)] <= BEHIND_SECONDS[speed] + 1e-6 for at, model in shown)


def test_at_once_waits_for_nothing() -> None:
    heard = [(0.0, model) for model in MODELS[:200]]
    assert {at for at, _model in watch("at-once", heard)} == {0.0}


def test_what_oneself_does_and_what_changes_nothing_is_shown_at_once() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    local.start()
    acting, other = (ann, bob) if ann.model.my_turn else (bob, ann)
    pace = Pace(acting.model, at=10.0)
    other.wish(Chat(NO_ID, "hello"))
    pace = enqueue(pace, acting.model, 10.0)
    assert due(pace, "slow") == 10.0
    pace = show_next(pace, 10.0)
    view = acting.model.view
    assert view is not None
    assert view.own is not None
    acting.wish(view.own.options[0].intent)
    pace = enqueue(pace, acting.model, 10.0)
    assert due(pace, "slow") == 10.0
    assert isinstance(acting.model.log[-2], Said) or pace.queue


def test_a_lost_connection_is_said_at_once() -> None:
    pace = Pace(MODELS[0], at=5.0)
    for model in MODELS[:100]:
        pace = enqueue(pace, model, 5.0)
    lost = replace(MODELS[100], status="lost")
    pace = enqueue(pace, lost, 5.0)
    assert due(pace, "slow") == 5.0
    assert show_next(pace, 5.0).model is lost


def test_a_key_skips_to_what_is_known_now() -> None:
    pace = Pace(MODELS[0], at=5.0)
    for model in MODELS[:100]:
        pace = enqueue(pace, model, 5.0)
    pace = skip(pace, 6.0)
    assert (pace.model, pace.queue, pace.at) == (MODELS[99], (), 6.0)
    assert due(pace, "slow") is None
    assert skip(pace, 7.0) is pace


@pytest.mark.parametrize("speed", ["slow", "normal"])
def test_a_flood_does_not_pile_up(speed: Speed) -> None:
    pace = Pace(MODELS[0])
    for number in range(2000):
        pace = enqueue(pace, MODELS[number % len(MODELS)], 1.0)
        assert len(pace.queue) <= MAX_QUEUE


@pytest.mark.parametrize(("chosen", "guided"), [("normal", "slow"), ("fast", "fast")])
def test_others_are_slower_while_the_guide_explains_them(chosen: Speed, guided: Speed) -> None:
    settings, local = Settings(speed=chosen), LocalTable(3, ("regular",))
    ann = local.link("Ann")
    assert speed_of(Ui(settings=settings), ann.model) == chosen
    assert speed_of(Ui(settings=settings, guide=True), ann.model) == guided
    local.link("Bob")
    assert speed_of(Ui(settings=settings, guide=True), ann.model) == chosen, "Bob would wait"
