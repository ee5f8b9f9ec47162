"""The guide through a whole game: what it explains, and that its texts fit on every screen."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from msgspec import Struct
from msgspec.structs import replace

from coffeerush.bots.process import BotLoop, Task
from coffeerush.cli.start import GUIDED_SEED
from coffeerush.client.model import Model
from coffeerush.ui.advice.advice import advised, hint, hinted_upgrade, planned, suggested_pours
from coffeerush.ui.advice.guide import follow, guide_lines, guide_topic, waits_for_key
from coffeerush.ui.advice.guide_lessons import FULL_TURNS, LESSONS, Comment, Progress, can_upgrade
from coffeerush.ui.menu.menu import FIRST_BOTS
from coffeerush.ui.plain.sentences import sentences
from coffeerush.ui.table.draw_board import step_marks
from coffeerush.ui.table.draw_game import GUIDE_ROWS, draw
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.panes import SCROLLED, guide_area, guide_box, guide_left, pane_lines
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Playing, Ui, layout_of
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Canvas, wrap
from coffeerush.ui.words.events import others_turns, turns_of
from coffeerush.ui.words.i18n import _, pgettext
from protocol import (
    BOARD_SIDE,
    CORNERS,
    ActivateUpgrade,
    EmptyCup,
    Ingredient,
    Intent,
    Phase,
    PlayerView,
    Pour,
    Said as Message,
    Step,
    Undo,
    Upgrade,
    View,
    encode,
)
from tests.golden.frames import EXTREMES, LANGUAGES, spoken
from tests.support.local import LocalLink, LocalTable, acting, choose

pytestmark = pytest.mark.slow

MET_BY_CHANCE = {"late", "last", "closing", "emptying", "penalty"}
"""Lessons that depend on who closes the café: the last turn is still to come, next, or over; on a
cup that fits no order; and on a penalty that nothing was said of before."""


class Said(Struct, frozen=True):
    """A model of the game, and what the guide remembers then."""

    model: Model
    progress: Progress

    @property
    def lines(self) -> tuple[str, ...]:
        return guide_lines(self.model, self.progress)


class GuidedTable(LocalTable):
    """The table of the guided game, with the random numbers and the bots of its host."""

    def __init__(self, seed: int) -> None:
        self._bots = BotLoop()
        self._bots_chance = Random(f"{seed} bots")
        super().__init__(1 + len(FIRST_BOTS), FIRST_BOTS, f"{seed} games", starters=True)

    def run_bots(self) -> None:
        while turn := self.table.bot_turn():
            task = Task(turn.bot, turn.game, self._bots_chance.getrandbits(64), turn.view)
            intent = self._bots.choose(task).intent
            for update in self.table.bot_move(self.now, turn, intent):
                self.tell(encode(update))


Player = Callable[[View, Progress, tuple[Intent, ...]], Intent]


def obedient(view: View, progress: Progress, legal: tuple[Intent, ...]) -> Intent:
    """Do what the hint says, and try what a lesson explains."""
    lesson = progress.told[-1].lesson if progress.told else ""
    empties = [one for one in legal if isinstance(one, EmptyCup)]
    if lesson == "emptying" and "emptying" not in progress.tried and empties:
        return empties[-1]
    return advised(view).intents[0]


def hinted(view: View, progress: Progress, legal: tuple[Intent, ...]) -> Intent:
    """Do what the hint says, and keep what is in the cups."""
    tried = replace(progress, tried=progress.tried | {"emptying"})
    return obedient(view, tried, legal)


def stubborn(view: View, progress: Progress, legal: tuple[Intent, ...]) -> Intent:
    """Never do what the hint says, unless nothing else is possible."""
    other = [one for one in legal if one != advised(view).intents[0] and one != Undo()]
    return Random(len(legal)).choice(other or legal)


@cache
def game(player: Player, seed: int = GUIDED_SEED) -> tuple[Said, ...]:
    """Return the models of a whole guided game, of which the last is its result."""
    link = GuidedTable(seed).link("Ann")
    return tuple(_played(link, player))


def _played(link: LocalLink, player: Player) -> Iterator[Said]:
    models: list[Model] = []
    link.on_change = models.append
    before, progress = link.model, Progress()
    link.local.start()
    while True:
        for after in models:
            progress = follow(progress, before, after)
            before = after
            yield Said(after, progress)
        models.clear()
        view = link.model.view
        assert view is not None
        if view.active is None:
            return
        assert view.own is not None
        legal = tuple(option.intent for option in view.own.options)
        link.wish(player(view, progress, legal))


def heard(said: tuple[Said, ...]) -> str:
    return "\n".join(line for one in said for line in one.lines)


@pytest.mark.parametrize("seed", [GUIDED_SEED, 24])
def test_who_does_what_it_says_meets_everything(seed: int) -> None:
    said = game(obedient, seed)
    last = said[-1]
    assert {one.lesson for one in last.progress.told} >= set(LESSONS) - MET_BY_CHANCE
    assert "rush" in last.progress.tried
    assert "Trade 3 completed orders (3 points) for an upgrade (2 points)" in heard(said)
    assert "The game ends with the round in which a player reaches 5 penalties (▫▫▫▫▫)" in heard(
        said
    )
    assert "Your own way" not in heard(said)


@pytest.mark.parametrize("player", [hinted, obedient])
def test_who_does_what_it_says_wins_the_guided_game(player: Player) -> None:
    said = game(player)
    view, seat = said[-1].model.view, said[-1].model.seat
    assert view is not None
    assert [one.seat for one in view.standings if one.rank == 1] == [seat]
    assert "What put you ahead of " in heard(said[-1:])
    told = {one.lesson for one in said[-1].progress.told}
    assert told >= set(LESSONS) - MET_BY_CHANCE


def test_the_guided_game_is_the_same_every_time() -> None:
    again = tuple(_played(GuidedTable(GUIDED_SEED).link("Bea"), hinted))
    assert [one.model.view for one in again] == [one.model.view for one in game(hinted)]


def test_who_does_something_else_reaches_the_end_and_is_never_stopped() -> None:
    said = game(stubborn)
    assert "Your own way is also fine" in heard(said)
    assert last_stage(said) == "result"
    end = heard(said[-1:])
    assert "What put " in end


BY = {"u": -BOARD_SIDE, "d": BOARD_SIDE, "l": -1, "r": 1}


def first_turn(walk: str, empty: bool = False) -> tuple[LocalLink, list[Model]]:
    """Return Ann's link after a walk in her first turn, and all of her models from then on."""
    link = GuidedTable(57).link("Ann")  # in which these walks lead to different suggestions
    link.local.start()
    assert link.model.view is not None
    link.wish(advised(link.model.view).intents[0])
    if empty:
        link.wish(EmptyCup(1))
    seat = link.model.seat or 0
    for way in walk:
        link.wish(Step(1, link.model.view.players[seat].meeples[0] + BY[way]))
    models = [link.model]
    link.on_change = models.append
    return link, models


def comments(models: list[Model], aside: tuple[Ingredient, ...] = ()) -> list[Comment]:
    """Return in what each action differed from the hint."""
    progress = Progress()
    found: list[Comment] = []
    for before, after in pairwise(models):
        progress = follow(progress, before, after, aside)
        found.append(progress.comment)
    return found


@pytest.mark.parametrize(
    ("walk", "empty", "aside"),
    [
        ("d", False, ()),
        ("uu", False, ()),
        ("llr", False, ()),
        ("udd", False, ()),
        ("dul", True, ()),
        ("du", False, (Ingredient.COFFEE,)),
        ("lu", False, (Ingredient.ICE,)),
    ],
)
def test_pouring_as_suggested_is_never_called_another_way(
    walk: str, empty: bool, aside: tuple[Ingredient, ...]
) -> None:
    """Even if another plan comes out between two of the pours."""
    link, models = first_turn(walk, empty)
    assert link.model.view is not None
    wishes = suggested_pours(link.model.view, aside)
    assert any(isinstance(wish, Pour) for wish in wishes)
    for wish in wishes:
        link.wish(wish)
    assert not any(comments(models, aside))


@pytest.mark.parametrize("language", EXTREMES)
def test_the_hint_has_a_key_while_everything_can_be_poured_and_served(language: str) -> None:
    link, _models = first_turn("udd")
    with spoken(language):
        *_lines, footer = draw(link.model, Ui(size=(80, 24)), 80, 24).lines()
        assert pgettext("key", "pour, serve") in footer
        assert f" i {pgettext('key', 'hint')}" in footer


def test_a_cup_that_is_full_again_was_not_poured_into() -> None:
    link, models = first_turn("l")
    assert link.model.view is not None
    link.wish(EmptyCup(1))
    link.wish(Undo())
    assert not any(comments(models))


def test_a_hint_follows_whenever_one_is_promised() -> None:
    promised = [one for one in game(stubborn) if "the hint continues" in "".join(one.lines)]
    assert promised
    assert all("Hint: " in "".join(one.lines) for one in promised)
    assert "You can also pour like that.\n" in heard(game(stubborn))


@pytest.mark.parametrize("language", EXTREMES)
def test_a_small_screen_has_the_walk_of_the_hint_once_the_box_is_closed(language: str) -> None:
    walks = 0
    for one in game(obedient):
        view, topic = one.model.view, guide_topic(one.model, one.progress)
        ui = Ui(size=(40, 12), guide=True, progress=one.progress, read=topic)
        if not (view and view.round and Scene(one.model, ui).turn.steps):
            continue
        steps = [intent for intent in advised(view).intents if isinstance(intent, Step)]
        with spoken(language):
            *_lines, message, _footer = draw(one.model, ui, 40, 12).lines()
            assert (_("Hint:") in message) == bool(steps)
        if steps:
            walks += 1
            me = view.players[one.model.seat or 0]
            walk = [me.meeples[steps[0].meeple - 1], *(step.cell for step in steps)]
            assert step_marks(walk) in message
    assert walks > 10


def test_no_suggested_pour_wastes_the_first_token_that_an_order_needs() -> None:
    views = (said.model.view for said in game(hinted) if said.model.my_turn)
    view = next(view for view in views if view and view.round and view.path[1:])
    assert [type(intent) for intent in suggested_pours(view)] == [Pour]


def test_the_aim_comes_first_and_slots_and_signs_are_explained_before_they_count() -> None:
    said = [said for said in game(hinted) if said.lines and said.model.view]
    assert said[0].lines[0].startswith("Serve orders from your three cups.")
    early = heard(tuple(one for one in said if one.model.view and one.model.view.round < 2))
    assert early.index("In a turn you take up to three steps") < early.index(
        "Take up to three steps: each"
    )
    assert early.index("each of your turns: 1▸2▸3▸4▸✗. At ✗") < early.index(
        "Take up to three steps"
    )


@pytest.mark.parametrize("player", [obedient, stubborn])
@pytest.mark.parametrize("seed", [GUIDED_SEED, 1, 7, 24])
def test_rush_tokens_are_not_spoken_of_before_they_are_explained(player: Player, seed: int) -> None:
    spoken_of = 0
    for one in game(player, seed):
        view, lessons = one.model.view, {told.lesson for told in one.progress.told}
        if view is None or view.active is None or view.own is None or not one.model.my_turn:
            continue
        said = " ".join(one.lines)
        spoken_of += "rush token" in said
        assert "rush" in lessons or not re.search("rush token|[★↯]", said), said
        stars = any(view.menu[drink].specialty for slot in mine(one).orders for drink in slot)
        told = "specialty" in lessons
        assert stars or told or "★" not in said
        assert not (stars and view.round) or told or not view.own.options
    assert spoken_of


def test_others_earn_no_rush_token_in_words_before_the_player_knows_what_that_is() -> None:
    earned = []
    for one in game(hinted):
        scene = Scene(one.model, Ui(size=(80, 24), guide=True, progress=one.progress))
        if scene.stage == "game" and not scene.setting_up and not scene.turn.is_mine:
            told = " ".join(map(str, SCROLLED["guide"](scene)))
            happened = " ".join(text for _seat, text in others_turns(one.model))
            if "earns 1 rush token" in happened:
                assert ("rush token" in told) is ("rush" in scene.signs)
                earned.append("rush" in scene.signs)
    assert set(earned) == {False, True}


def test_others_are_placing_a_meeple_until_it_stands_and_then_that_is_said() -> None:
    ui, notes = Ui(size=(80, 24), guide=True), []
    for before, after in pairwise(one.model for one in game(hinted)):
        ui = apply_update(before, after, ui, 0.0)
        if not (after.view and after.view.own and after.view.phase is Phase.PLACING):
            continue
        header, *lines = draw(after, replace(ui, playing="reading"), *ui.size).lines()
        if after.my_turn:
            notes.append(ui.note)
        else:
            assert "placing meeples" in header
            assert "is placing one now." in "".join(lines)
    assert notes
    for note in notes:
        assert re.fullmatch(r"\w+ places a meeple on \w+, row \d, column \d\.", note)


def test_the_hint_says_for_which_order_the_rest_is() -> None:
    assert "That serves Marocchino. Keep steam for Caffe latte." in heard(game(hinted))


def test_what_has_expired_is_told_in_the_past_until_others_move() -> None:
    told = [one for one in game(stubborn) if one.model.view and one.model.view.own]
    said = ["expired: you took" in "".join(one.lines) for one in told]
    begins = [after for before, after in pairwise(range(len(said))) if said[after] > said[before]]
    taken = [mine(after).penalties > mine(before).penalties for before, after in pairwise(told)]
    assert len(begins) == taken.count(True) > 1
    for at, one in enumerate(told):
        if said[at]:
            assert not one.model.my_turn
            assert not any(text for _seat, text in others_turns(one.model))
    late = [one for one in told if one.model.view and one.model.view.round > FULL_TURNS]
    waits = [waits_for_key(one.model, one.progress) for one in late if not one.model.my_turn]
    assert {*waits} == {False, True}, "what explains nothing new waits for nobody"


@pytest.mark.parametrize("seed", [GUIDED_SEED, 1])
def test_what_the_hint_for_a_walk_serves_is_what_is_poured_after_it(seed: int) -> None:
    views = [said.model.view for said in game(hinted, seed) if said.model.my_turn]
    turns = [view for view in views if view and view.round]
    plans = [(advised(one), advised(other)) for one, other in pairwise(turns)]
    walked = [
        (plan, then)
        for plan, then in plans
        if [type(intent) for intent in plan.intents].count(Step) == 1
        and isinstance(then.intents[0], Pour)
    ]
    assert len(walked) >= 5
    assert [then.served for _plan, then in walked] == [plan.served for plan, _then in walked]


def last_stage(said: tuple[Said, ...]) -> str:
    table = said[-1].model.table
    assert table is not None
    return table.stage


def test_three_turns_are_guided_in_full_and_then_what_is_new_and_the_hint() -> None:
    """To the end of the game, the guide says what to do, even when it has taught everything."""
    only_hints = 0
    for one in game(obedient):
        view = one.model.view
        if view is None or view.own is None or not view.own.options or not view.round:
            continue
        assert one.lines
        if view.round > FULL_TURNS and one.progress.told[-1].turn != view.round - 1:
            assert guide_topic(one.model, one.progress) == ()
            assert [line.partition(":")[0] for line in one.lines] == ["▸ Hint"]
            only_hints += 1
    assert only_hints


def test_the_key_that_turns_the_guide_on_says_when_it_speaks() -> None:
    notes = set()
    for one in game(obedient):
        if one.model.view is None or one.model.view.active is None:
            continue
        ui, _wishes = press(one.model, Ui(size=(80, 24), progress=one.progress), "f4", 0)
        assert ("speaks in your turns" in ui.note) == (not Scene(one.model, ui).guide)
        notes.add(ui.note)
    assert len(notes) == 2


@pytest.mark.parametrize("seed", [GUIDED_SEED, 24])
def test_an_upgrade_is_explained_as_soon_as_the_hint_would_buy_one(seed: int) -> None:
    hints = [
        one
        for one in game(obedient, seed)
        if one.model.my_turn and buys(one.model.view) is not None
    ]
    assert hints
    assert all("upgrade" in {told.lesson for told in one.progress.told} for one in hints)


@pytest.mark.parametrize("seed", [GUIDED_SEED, 24, 1])
def test_an_upgrade_is_used_in_the_turn_in_which_the_hint_buys_it(seed: int) -> None:
    turns = [one.model.view for one in game(hinted, seed) if one.model.my_turn]
    pairs = [*pairwise(turns)]
    bought = [(was, now) for was, now in pairs if buys(was) is not None and buys(now) is None]
    assert bought
    for was, now in bought:
        assert was
        assert now
        assert advised(now).intents == advised(was).intents[1:]
        steps = [one for one in advised(now).intents if isinstance(one, Step)]
        corner = any(one.cell in CORNERS for one in steps)
        assert corner or buys(was) is not Upgrade.DOUBLE_CORNERS


def buys(view: View | None) -> Upgrade | None:
    """Return the upgrade that the hint buys; None for none."""
    return hinted_upgrade(view) if view and view.own and view.own.options else None


def test_the_guide_says_the_same_while_the_list_of_upgrades_is_open() -> None:
    """Above all the hint, and nothing that is done already."""
    ui = Ui(size=(80, 24), guide=True)
    said = [one for one in game(hinted) if buys(one.model.view)]
    assert said
    for one in said:
        closed = Scene(one.model, replace(ui, progress=one.progress))
        listed = Scene(one.model, replace(closed.ui, mode="upgrades"))
        assert listed.guide == closed.guide
        assert "Hint: activate" in listed.guide[-1]
        assert not any("Press “g”" in line for line in listed.guide)


def test_no_upgrade_is_proposed_to_who_comes_back_with_one() -> None:
    said = [one for one in game(obedient) if one.model.view and one.model.view.own]
    back = [one for one in said if any(mine(one).upgrades)]
    progress = Progress()
    for before, after in pairwise(back):
        progress = follow(progress, before.model, after.model)
    assert "upgrade" not in {one.lesson for one in progress.told}
    assert any(can_upgrade(own) for one in back if one.model.view and (own := one.model.view.own))


def keeping(view: View, progress: Progress, legal: tuple[Intent, ...]) -> Intent:
    """Do what the hint says, but never activate an upgrade."""
    first = advised(view).intents[0]
    if not isinstance(first, ActivateUpgrade):
        return first
    return next(one for one in legal if isinstance(one, Step))


def test_an_upgrade_that_comes_too_late_is_not_offered_and_that_is_said_once() -> None:
    lates, said = [], []
    for one in game(keeping):
        scene = Scene(one.model, Ui(size=(80, 24), guide=True, progress=one.progress))
        if scene.stage == "game" and scene.turn.upgrades and not scene.view.closed:
            assert Scene(one.model, replace(scene.ui, guide=False)).offers_upgrade
            assert scene.offers_upgrade is (buys(scene.view) is not None)
            lates.append(scene.is_late_for_upgrade)
            few = "[Tt]oo few (rounds are left )?for an upgrade"
            said.append(bool(re.search(few, "\n".join(one.lines))))
    late = lates.index(True)
    assert [*lates, False][late:].index(False) >= said.count(True) > 0
    assert said.index(True) == late


def mine(said: Said) -> PlayerView:
    view = said.model.view
    assert view is not None
    assert view.own is not None
    return view.players[view.own.seat]


def test_how_the_game_ends_and_what_its_signs_mean_is_told_by_the_third_round() -> None:
    by_then = [one for one in game(hinted) if one.model.view and one.model.view.round < 3]
    for rule in (
        "a DOUBLE, a point for each order: at the top, ✓ counts",
        "1▸2▸3▸4▸✗",
        "The game ends with the round",
    ):
        assert rule in heard(tuple(by_then))


def test_of_a_penalty_that_only_an_upgrade_avoids_that_is_said() -> None:
    reason = "Mocha is out of reach without an upgrade, and becomes a penalty."
    assert reason in heard(game(hinted))


def test_nobody_is_said_to_have_had_the_last_turn_before_it() -> None:
    said = game(obedient)
    last = next(one for one in said if "This is your last turn" in "".join(one.lines))
    before = said[: said.index(last)]
    assert any(one.model.view and one.model.view.closed for one in before), "others closed it"
    assert "You have had your last turn" not in heard(before)


@pytest.mark.parametrize("seed", [GUIDED_SEED, 24, 1])
def test_a_specialty_is_explained_before_or_when_the_first_one_is_there(seed: int) -> None:
    rounds = [
        (view.round, any(told.lesson == "specialty" for told in one.progress.told))
        for one in game(hinted, seed)
        if one.model.my_turn and (view := one.model.view) and view.round > 1
        for slot in mine(one).orders
        if any(view.menu[drink].specialty for drink in slot)
    ]
    assert min(round_ for round_, told in rounds if told) == rounds[0][0]


def test_a_lesson_is_told_once() -> None:
    for player in (obedient, stubborn):
        told = [one.lesson for one in game(player)[-1].progress.told]
        assert len(told) == len(set(told))


RULES = (
    "At ✗ the order becomes a penalty and costs a point.",
    "In a turn you take up to three steps",
    "A cup becomes a drink when it holds exactly",
    "A penalty (✗) costs you a point, but brings a rush token (↯).",
    "An order with ★ earns you a rush token (↯)",
    "A rush token (↯) pays for one more step",
    "The game ends with the round in which",
    "Every order you serve sends each of the next two players a new one.",
    "For the orders you served",
    "each of your orders has moved to the next slot.",
)


@pytest.mark.parametrize("player", [obedient, stubborn])
@pytest.mark.parametrize("seed", [GUIDED_SEED, 7])
def test_a_rule_is_said_in_one_turn_only(player: Player, seed: int) -> None:
    """Wherever it comes up first: before one's first turn, in it, or with what has happened."""
    turns: dict[str, set[int]] = {rule: set() for rule in RULES}
    for said in game(player, seed):
        view = said.model.view
        for rule in RULES if view and view.own and view.active is not None else ():
            if any(rule in line for line in said.lines):
                assert view is not None
                assert view.own is not None
                turns[rule].add(max(turns_of(view.own.seat, view), 0))
    assert all(len(one) <= 1 for one in turns.values()), turns
    assert sum(map(len, turns.values())) > len(RULES) - 4


def joined(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_screens_are_whole_in_every_language_also_while_others_wait(
    language: str,
) -> None:
    with spoken(language):
        for one in game(obedient):
            if one.model.view is None or one.model.view.round > 1:
                continue
            playing: Playing = "" if one.model.my_turn else "reading"
            ui = Ui(size=(80, 24), guide=True, progress=one.progress, playing=playing)
            assert len(pane_lines(Scene(one.model, ui), "guide", 78)) <= GUIDE_ROWS


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("player", [obedient, stubborn])
def test_all_of_it_is_seen_at_once_on_a_normal_terminal(language: str, player: Player) -> None:
    size = (80, 24)
    with spoken(language):
        for one in game(player):
            scene = Scene(one.model, Ui(size=size, guide=True, progress=one.progress))
            if scene.guide and scene.stage == "game":
                lines = pane_lines(scene, "guide", size[0] - 2)
                assert len(lines) <= GUIDE_ROWS, lines
            elif scene.stage == "result":
                assert not guide_box(scene)
                drawn = joined("\n".join(draw(one.model, scene.ui, *size).lines()))
                assert all(joined(line) in drawn for line in one.lines)


def test_a_hint_is_whole_where_the_guide_is_longer_than_its_pane() -> None:
    size = (80, 24)
    said = game(obedient, seed=31)
    with spoken("ko"):
        scenes = [
            Scene(one.model, Ui(size=size, guide=True, progress=one.progress)) for one in said
        ]
        long = [
            scene
            for scene in scenes
            if scene.guide
            and scene.stage == "game"
            and len(pane_lines(scene, "guide", size[0] - 2)) > GUIDE_ROWS
        ]
        assert long
        for scene in long:
            assert joined(scene.guide[-1]) in without_arrows(scene.model, scene.ui)
            ui, _wishes = press(scene.model, scene.ui, "pageup", 0.0)
            assert joined(scene.guide[0]) in without_arrows(scene.model, ui)


@pytest.mark.parametrize("seed", [GUIDED_SEED, 24])
def test_that_a_last_turn_begins_is_seen_before_the_hint(seed: int) -> None:
    met = False
    for one in game(hinted, seed):
        view = one.model.view
        if view and view.closed and one.model.my_turn and not view.path:
            ui = Ui(size=(80, 24), guide=True, progress=one.progress)
            if lines := Scene(one.model, ui).guide:
                assert joined(lines[0]) in without_arrows(one.model, ui)
                met = True
    assert met


def test_who_ended_the_game_is_said_above_what_others_have_done() -> None:
    met = False
    for one in game(obedient):
        view = one.model.view
        scene = Scene(one.model, Ui(size=(80, 24), guide=True, progress=one.progress))
        if view is None or not view.closed or one.model.my_turn or not scene.guide:
            continue
        if any(text for _seat, text in others_turns(one.model)):
            told = [text for _style, text in pane_lines(scene, "guide", None)]
            assert told[: len(scene.guide)] == [*scene.guide]
            assert joined(told[0]) in without_arrows(one.model, scene.ui)
            met = True
    assert met


def without_arrows(model: Model, ui: Ui) -> str:
    """Return the drawn words, without the arrows that show that a pane has more lines."""
    drawn = "\n".join(draw(model, ui, *ui.size).lines())
    return joined(re.sub(f"[{glyphs.UP}{glyphs.DOWN}]", "", drawn))


def has_scores(scene: Scene, canvas: Canvas) -> bool:
    """Return whether the titles of the panes have the others' names or letters, and scores."""
    titles = [*canvas.lines()][canvas.marks["tabs"].y]
    return all(
        f" {scene.name(seat)} {scene.player(seat).score} " in titles
        or f" {scene.letter(seat)} {scene.player(seat).score} " in titles
        for seat in scene.others
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_of_play_ends_with_oneself(language: str) -> None:
    with spoken(language):
        one = next(one for one in game(obedient) if one.model.view and one.model.view.round)
        ui = Ui(size=(80, 24), guide=True, progress=one.progress)
        canvas = draw(one.model, ui, *ui.size)
        titles = [*canvas.lines()][canvas.marks["tabs"].y]
        assert f"{glyphs.TO} {pgettext('person', 'you')} " in titles
        assert has_scores(Scene(one.model, ui), canvas)


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
def test_nothing_moves_with_the_length_of_its_text(size: tuple[int, int]) -> None:
    for player in (obedient, stubborn):
        places = set()
        for one in game(player)[::2]:
            ui = Ui(size=size, guide=True, progress=one.progress)
            if Scene(one.model, ui).guide and Scene(one.model, ui).stage == "game":
                canvas = draw(one.model, ui, *size)
                marks = canvas.marks
                assert size != (80, 24) or has_scores(Scene(one.model, ui), canvas)
                # what the orders take of the pane depends on their number alone
                more = max(len(Scene(one.model, ui).orders) - 7, 0)
                found = (marks["tabs"], *(marks.get(f"seat{seat}") for seat in range(3)))
                places.add((more, *found))
        assert len(places) == len({more for more, *_found in places})


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("player", [obedient, stubborn])
def test_all_of_it_is_seen_next_to_the_chat(language: str, player: Player) -> None:
    size = (120, 36)
    below = layout_of(*size).below
    with spoken(language):
        for one in game(player)[::9]:
            history = replace(one.model.history, events=(Message("Bea", "hello"), *one.model.log))
            model = replace(one.model, history=history)
            ui = Ui(size=size, guide=True, progress=one.progress)
            if Scene(model, ui).stage != "game":
                continue
            lines = [*draw(model, ui, *size).lines()][below.y :]
            assert "hello" in "".join(lines)
            assert glyphs.DOWN not in "".join(lines), lines


def test_once_the_guide_has_told_all_others_turns_take_a_line_or_two_each() -> None:
    """Without what others get, which scrolled by in the log."""
    begun = 0
    for one in game(obedient):
        scene = Scene(one.model, Ui(size=(80, 24), guide=True, progress=one.progress))
        if scene.stage != "game" or scene.setting_up or scene.turn.is_mine or scene.guide:
            continue
        told = SCROLLED["guide"](scene)
        if any(text for _seat, text in others_turns(one.model)):
            begun += 1
            assert len(told) < len(scene.players)
            assert not any(" gets the order" in str(line) for line in told)
        else:
            assert not told
    assert begun


@pytest.mark.parametrize("language", EXTREMES)
def test_what_happened_before_a_turn_takes_one_line_next_to_the_guide(language: str) -> None:
    """That the round is the last is also said by the guide, and must not cover it."""
    ui = Ui(size=(80, 24), guide=True)
    told = []
    with spoken(language):
        # in this game, the last round begins together with the player's turn
        for before, after in pairwise(one.model for one in game(obedient, 24)):
            ui = apply_update(before, after, ui, 0.0)
            began = after.my_turn and not before.my_turn and after.view and after.view.round > 1
            told += [ui.note] if began else []
    assert any(note for note in told)
    assert all(len(wrap(note, 78, "")) <= 1 for note in told), told


@pytest.mark.parametrize("size", [(40, 12), (120, 36), (200, 60)])
@pytest.mark.parametrize("language", EXTREMES)
def test_the_result_is_explained_on_every_screen(language: str, size: tuple[int, int]) -> None:
    with spoken(language):
        last = game(stubborn)[-1]
        ui = Ui(size=size, guide=True, progress=last.progress)
        wanted, shown = Counter(" ".join(last.lines).split()), Counter[str]()
        while True:
            shown += Counter(" ".join(draw(last.model, ui, *size).lines()).split())
            scene = Scene(last.model, ui)
            if not (guide_box(scene) and guide_left(scene)):
                break
            ui = replace(ui, scroll=ui.scroll + guide_area(scene).rows)
        assert not wanted - shown


def test_it_is_left_and_taken_up_again_in_a_game_with_others() -> None:
    local = LocalTable(2)
    _ann, bea = local.link("Ann"), local.link("Bea")
    local.start()
    ui = apply_update(Model("player", "Bea"), bea.model, Ui(guide=True), 0.0)

    def look(before: Model) -> Model:
        nonlocal ui
        ui = apply_update(before, bea.model, ui, 0.0)
        return bea.model

    def text() -> str:
        return "\n".join(draw(bea.model, ui, 80, 24).lines())

    assert "▸ Guide" in text()
    ui, wishes = press(bea.model, ui, "f4", 100.0)
    assert not wishes
    assert "F4 turns it on again" in text()
    seen, chance = bea.model, Random(2)
    while (link := acting(local)) and link.model.view and link.model.view.round < 5:
        link.wish(choose(link, chance))
        seen = look(seen)
        assert "▸ Guide" not in text()
        assert ui.settings.guided
    while link and link is not bea:
        link.wish(choose(link, chance))
        seen, link = look(seen), acting(local)
    assert not ui.progress.told
    ui, _wishes = press(bea.model, ui, "f4", 200.0)
    assert not ui.settings.guided
    assert "F4 turns it off" in text()
    assert "▸ Guide" in text(), "there is something new to tell"


def test_it_does_not_come_back_with_the_next_game() -> None:
    before, result = game(obedient)[-2:]
    ui = apply_update(before.model, result.model, Ui(guide=True, progress=result.progress), 0.0)
    assert ui.guide
    assert ui.settings.guided
    assert result.model.table
    again = replace(result.model, table=replace(result.model.table, stage="game"))
    assert not apply_update(result.model, again, ui, 0.0).guide


def test_what_a_bot_finished_is_not_credited_to_the_player() -> None:
    local = LocalTable(3, ("regular", "regular"), seed=3, turn_seconds=20)
    link = local.link("Ann")
    said: list[str] = []
    models = [link.model]
    link.on_change = models.append
    local.start()
    progress, chance = Progress(), Random(1)
    while link.model.view is None or link.model.view.round < 1 or not link.model.can_act:
        link.wish(choose(link, chance))
    for turn in range(3):
        while link.model.view.round == turn + 1:
            local.now += 1
            for update in local.table.tick(local.now):
                local.tell(encode(update))
            local.run_bots()
        for before, after in pairwise(models):
            progress = follow(progress, before, after)
            said += guide_lines(after, progress)
        models[:] = models[-1:]
        assert link.model.can_act, f"turn {turn + 2} has begun"
        assert guide_lines(link.model, progress)[0].startswith(
            "Meanwhile, a bot has played for you"
        )
    assert link.model.view.players[link.model.seat or 0].completed
    assert not any(line.startswith(("For the orders you served", "Well done")) for line in said)
    assert progress.tried == set()


def test_plain_mode_says_the_same_sentences_but_for_keys_and_signs() -> None:
    left_out = re.compile(
        "Enter|Space|arrow|[Pp]ress|Hint: |i shows|In your hand|all keys|left|its slot|"
        "Now it is|board shows|a dot|expired: |Nobody can serve|[★✓✗↯▫▸]"
    )
    for one in game(obedient):
        plain = " ".join(guide_lines(one.model, one.progress, plain=True))
        for line in one.lines:
            for sentence in sentences(line):
                assert sentence in plain or left_out.search(sentence), sentence


def test_the_topic_changes_when_there_is_something_new_to_read() -> None:
    lessons = {one.lesson for one in game(obedient)[-1].progress.told}
    seen = {
        told.lesson
        for before, after in pairwise(game(obedient))
        for told in after.progress.told[len(before.progress.told) :]
        if guide_topic(before.model, before.progress) != guide_topic(after.model, after.progress)
    }
    assert seen == lessons


def test_a_hint_that_lets_an_order_go_says_what_it_is_for() -> None:
    told = [one.model for one in game(hinted, 311) if one.model.my_turn and one.model.view]
    reason = "Serving 1 order now would leave fewer then."
    said = [model for model in told if reason in hint(model)]
    assert said
    for model in said:
        assert model.view is not None
        assert planned(model.view).forgone == 1
    assert len(said) < len(told) / 4, "few hints let any go"


def test_a_hint_that_lets_another_order_expire_says_that_it_is_worth_it() -> None:
    told = [one.model for one in game(hinted, 307) if one.model.my_turn and one.model.view]
    reason = "Serving what expires would bring less."
    said = [model for model in told if reason in hint(model)]
    assert said
    for model in said:
        assert model.view is not None
        assert (planned(model.view).forgone, planned(model.view).unsaved) == (0, 1)
        assert "penalt" in hint(model)
    assert len(said) < len(told) / 4, "few hints let any expire"


@pytest.mark.parametrize(
    ("seed", "waiting", "reason"),
    [
        (307, "Iced latte", "Keep ice for Iced latte. Caffe latte comes first: it expires sooner."),
        (319, "Chai latte", "Serving Chai latte instead would bring less."),
    ],
)
def test_a_hint_says_why_it_does_not_serve_what_its_walk_would_serve_as_well(
    seed: int, waiting: str, reason: str
) -> None:
    told = [one.model for one in game(hinted, seed) if one.model.my_turn and one.model.view]
    said = [model for model in told if reason in hint(model, brief=True)]
    assert said
    for model in said:
        assert model.view is not None
        ((served, slot),) = planned(model.view).served
        orders = model.view.players[model.view.own.seat].orders if model.view.own else ()
        slots = {drink: at for at, drinks in enumerate(orders, start=1) for drink in drinks}
        (other,) = (drink for drink in slots if model.view.menu[drink].name == waiting)
        assert other != served
        assert ("sooner" in reason) is (slots[other] < slot)


def test_a_hint_says_why_what_soon_expires_is_not_served_now() -> None:
    told = [one.model for one in game(hinted, 313) if one.model.my_turn and one.model.view]
    reason = "Serving it now would bring less."
    said = [model for model in told if reason in hint(model, brief=True)]
    assert said
    for model in said:
        assert model.view is not None
        assert planned(model.view).served
        assert reason not in hint(model)
