"""The page of every moment: worded, with its actions; and what is sent of it."""

import re
import zlib
from collections.abc import Iterator
from contextvars import copy_context
from functools import cache
from importlib.resources import files
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.client.talk import AnswerOffer
from coffeerush.guests.visit import Entrance
from coffeerush.guests.web.elements import ROOT, Element, Shown, acts, box, flat
from coffeerush.guests.web.front import SIZE, PageFrame
from coffeerush.guests.web.game_page import FEW_ORDERS, turns_left
from coffeerush.guests.web.page import MARKS, entrance_page, table_page
from coffeerush.guests.web.server import file_at
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import advised
from coffeerush.ui.advice.guide import hint_line
from coffeerush.ui.pages.pages import PAGES, TABS, Mode
from coffeerush.ui.table.actions import (
    HELP,
    ROWS,
    Action,
    gives_back,
    labels_of,
)
from coffeerush.ui.table.draw_game import before_result
from coffeerush.ui.table.draw_people import upgrades_line
from coffeerush.ui.table.draw_result import award_texts, outcome, together_heading
from coffeerush.ui.table.input import click
from coffeerush.ui.table.lists import TOURNAMENT_KEY, choices_of
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.panes import together_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import TYPING, ShownEmote, Ui, ending_of, followed_by
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import Draft
from coffeerush.ui.terminal.theme import palette_of
from coffeerush.ui.words.events import has_turn_left, others_turns, since_lines, why_over
from coffeerush.ui.words.league import left_line
from coffeerush.ui.words.names import drink_name, orders as order_count, sentence_case, upgrade_name
from coffeerush.ui.words.table import step_on_line
from protocol import (
    BOARD,
    BOARD_SIDE,
    CUPS,
    NO_ID,
    SLOTS,
    Chat,
    Emote,
    PlaceMeeple,
    Step,
    Upgrade,
)
from tests.golden.frames import EXTREMES, LANGUAGES, spoken
from tests.golden.moments import NOW, AtTable, again, moments
from tests.support.local import LocalTable, begun, choose
from tests.support.positions import Has
from tests.support.screen_terminal import Kind
from tests.ui.advice.test_guide_result import ended
from tests.ui.table.test_on_key import Hands
from tests.ui.table.test_result import played as over
from tests.ui.table.test_tournament import Room

FIRST_BYTES = 80_000
UPDATE_BYTES = 4_000
OWNERS = ("how others join",)
"""Moments that no guest has: only the owner of a table invites."""


def scenes() -> Iterator[tuple[str, Scene]]:
    """Yield each moment at a table as a guest who taps sees it."""
    for moment in moments():
        if isinstance(moment.painter, AtTable) and moment.name not in OWNERS:
            yield moment.name, moment.painter.scene(Ui(size=SIZE, touch=True, now=NOW))


def scene_of(name: str) -> Scene:
    return dict(scenes())[name]


def elements(page: Element) -> Iterator[Element]:
    yield page
    for part in page.parts:
        yield from elements(part)


def texts(page: Element) -> list[str]:
    return [one.text for one in elements(page) if one.text]


def with_look(page: Element, look: str) -> list[Element]:
    return [one for one in elements(page) if look in one.look.split()]


def page_with(name: str, **changes: Any) -> Element:
    scene = scene_of(name)
    return table_page(Scene(scene.model, replace(scene.ui, **changes)))


# What there is to see and to tap


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
def test_every_moment_has_a_page_whose_buttons_have_names(language: str) -> None:
    with spoken(language):
        for name, scene in scenes():
            page = table_page(scene)
            names = [place for place, _told in flat(page)]
            assert len(names) == len({*names}), name
            for one in elements(page):
                assert not (one.text and one.parts), (name, one)
                if one.tag == "button":
                    assert one.act, (name, one)
                    assert one.text or one.name, (name, one)


def test_every_action_of_a_moment_can_be_tapped() -> None:
    for name, scene in scenes():
        if scene.ui.mode in TYPING or choices_of(scene) is not None:
            continue  # the text field or the list is in front
        there, labels = {*acts(table_page(scene))}, labels_of(scene)
        for action, label in labels.items():
            row = ROWS[action]
            elsewhere = action in (Action.PANE, Action.HELP, Action.CLOSE) or not row.clickable
            elsewhere |= action is Action.CHAT and Action.EMOTE in labels  # which leads there
            # Space does first what Enter would do; a meeple is placed by a tap on a cell
            elsewhere |= action is Action.NEXT and Action.SUGGEST in labels
            elsewhere |= action is Action.NEXT and bool(scene.stage == "game" and scene.turn.places)
            assert elsewhere or not label or Target("key", row.keys[0]) in there, (name, action)
        if scene.stage == "game":
            assert {Target("cell", cell) for cell in range(len(BOARD))} <= there, name


def test_undo_hint_and_say_keep_their_places_in_a_game() -> None:
    (row,) = (one for one in elements(table_page(scene_of("moving"))) if one.key == "row")
    acts_of = [part.act for part in row.parts if part.act]
    keys = [ROWS[action].keys[0] for action in (Action.UNDO, Action.HINT, Action.EMOTE)]
    keys.append(TABS["help"])  # what the marks mean
    assert acts_of == [Target("key", key) for key in keys]


def test_the_answer_to_what_has_just_happened_is_in_reach_but_not_in_the_way() -> None:
    """While others play it is beside what is waited for; in one's own turn, among the others."""
    for name, look in (("another's turn", "first"), ("moving", "all")):
        page = page_with(name, offer=AnswerOffer("bravo"))
        answer, (place,) = Target("key", "a"), with_look(page, look)
        (button,) = (part for part in place.parts if part.act == answer)
        assert button.text == "Bravo!"
        assert [*acts(page)].count(answer) == 1
        assert answer not in {*acts(page_with(name, offer=AnswerOffer()))}
    scene = scene_of("another's turn")
    seat = scene.others[1]
    page = page_with("another's turn", offer=AnswerOffer("thanks", to=seat))
    (button,) = (one for one in elements(page) if one.act == answer)
    assert texts(button) == [scene.letter(seat), "Thanks!"]  # to whom
    assert not with_look(page, "lit"), "nobody has to answer"


@pytest.mark.slow
def test_every_tap_does_something_or_says_why_not() -> None:
    for name, scene in scenes():
        for act in {*acts(table_page(scene))}:
            fresh = replace(scene.ui, note="", turn_at=NOW - 60)
            ui, wishes = click(scene.model, fresh, act, NOW + 60)
            shown = replace(ui, now=0, key="", key_at=0, read_to=0, trails=True)
            was = replace(fresh, now=0, key="", key_at=0, read_to=0, trails=True)
            assert wishes or shown != was or scene.model.status == "lost", (name, act)


def test_cups_and_orders_are_one_player_s_own() -> None:
    scene = scene_of("moving")
    page = table_page(scene)
    assert len(with_look(page, "mug")) == CUPS
    assert len(with_look(page, "order")) == len(scene.orders)
    watched = table_page(scene_of("spectator"))
    assert not with_look(watched, "mug") + with_look(watched, "order")
    assert len(with_look(watched, "player")) == len(scene_of("spectator").view.players)


def test_what_is_needed_now_is_brought_into_view() -> None:
    """The board to walk or to place a meeple; then cups and hand; then the others' steps."""
    for name in ("placing", "moving"):
        (one,) = with_look(table_page(scene_of(name)), "see")
        assert "board" in one.look.split(), name
    (pour,) = with_look(table_page(scene_of("pouring")), "see")
    assert [part.look for part in pour.parts] == ["cups", "hand"]
    (waits,) = with_look(table_page(scene_of("another's turn")), "see")
    assert waits.look == "board watched see"  # another look than before: it comes into view again


def test_a_tile_tells_what_a_step_to_it_brings() -> None:
    scene = scene_of("moving")
    tiles = with_look(table_page(scene), "tile")
    for cell, tile in enumerate(tiles):
        option = scene.turn.steps.get(cell)
        assert bool(option) == ("can" in tile.look.split())
        assert bool(option) == bool(with_look(tile, "gain"))
        if option:
            assert f"+{sum(option.gain)}" in tile.name


def test_upgrades_are_read_about_before_one_is_paid_for() -> None:
    """The way to them is beside the main button, and nothing else stands out."""
    opened = scene_of("upgrade")
    for guide in (False, True):
        page = page_with("upgrade", mode="table", guide=guide)
        (first,) = with_look(page, "first")
        assert [one.act for one in with_look(page, "lit")] == [Target("key", "g")]
        assert [one.act for one in first.parts if one.act] == [Target("key", "g")]
        ui, wishes = click(opened.model, replace(opened.ui, mode="table"), Target("key", "g"), NOW)
        assert (ui.mode, wishes) == ("upgrades", ())
    (sheet,) = with_look(table_page(opened), "sheet")
    told = " ".join(texts(sheet))  # the price first: a small window shows no more
    assert 0 < told.find("costs 3 completed orders") < told.find("Double corners : Twice")
    assert [one.text for one in with_look(sheet, "name")] == [
        sentence_case(upgrade_name(upgrade)) for upgrade in Upgrade
    ]


def test_pouring_stands_out_only_once_no_steps_are_left() -> None:
    """Nor while the hint walks on for rush tokens: the page does not advise two things at once."""
    looks = set()
    for scene, page in pages():
        if scene.stage == "game" and scene.suggestion and not gives_back(scene):
            (go,) = with_look(page, "go")
            assert (go.look == "go early") == bool(scene.view.steps_left)
            looks.add(go.look)
    assert looks == {"go", "go early"}
    paid = [
        Scene(one.model, replace(one.ui, guide=True))
        for one in played()
        if one.stage == "game" and one.turn.steps and one.suggestion and not one.view.steps_left
    ]
    paid = [one for one in paid if one.turn.is_mine and len(one.advised_steps) > 1]
    (go,) = with_look(table_page(paid[0]), "go")
    assert go.look == "go early"


def test_an_order_begins_with_its_deadline_whatever_its_name() -> None:
    for scene, page in pages():
        if scene.stage == "game" and not scene.view.closed:
            for one in with_look(page, "order"):
                due, drink = one.parts[:2]
                assert (due.look, drink.look) == ("due", "drink")
                assert re.fullmatch(r"last turn|\d turns?", due.parts[0].text)


def test_active_upgrades_stand_with_the_cups_and_with_each_other_player() -> None:
    moving = scene_of("moving")
    view, me = moving.view, moving.me or 0
    players = [*view.players]
    players[me] = replace(players[me], upgrades=(True, False, True, False))
    model = replace(moving.model, view=replace(view, players=tuple(players)))
    scene = Scene(model, moving.ui)
    (own,) = with_look(table_page(scene), "own")
    (upgrade,) = with_look(own, "upgrade")
    assert upgrade.text == f"{glyphs.ACTIVE} {upgrades_line(scene, me)}"
    assert "double corners" in upgrade.text


@pytest.mark.slow
def test_what_is_under_more_keeps_its_place_during_a_game() -> None:
    places: dict[object, set[int]] = {}
    games = [(scene, page) for scene, page in pages() if scene.stage == "game"]
    guided = [Scene(one.model, replace(one.ui, guide=True)) for one, _page in games[::9]]
    for page in (*(page for _scene, page in games), *map(table_page, guided)):
        for more in with_look(page, "all"):
            rest = [one for one in more.parts if one.look != "passing"]
            for place, one in enumerate(rest):
                places.setdefault(one.act, set()).add(place)
    assert len(places) > 5
    assert {len(where) for where in places.values()} == {1}


@pytest.mark.slow
def test_what_comes_and_goes_under_more_is_there_only_if_it_can_be_done_and_says_to_what() -> None:
    said = set[str]()
    for page in (page for scene, page in pages() if scene.stage == "game" and not scene.ended):
        for more in with_look(page, "all"):
            assert not [one for one in more.parts if one.off]
            said |= {*texts(more)}
    assert {"Give the first token in hand back", "Empty a cup", "Serve an order"} <= said
    assert not said & {"Give back", "Empty", "Choose"}


def test_the_guide_and_the_line_below_it_do_not_say_the_same() -> None:
    scene = scene_of("placing")
    page = table_page(Scene(scene.model, replace(scene.ui, guide=True, note="")))
    assert with_look(page, "guide")
    assert texts(page).count("Tap a cell to place your meeple there.") == 1


def test_the_guide_does_not_repeat_what_is_said_above_it() -> None:
    for scene in (one for one in played() if one.view.closed and one.stage == "game"):
        page = table_page(Scene(scene.model, replace(scene.ui, guide=True)))
        said = " ".join(text for one in with_look(page, "message") for text in texts(one))
        guide = [text for one in with_look(page, "guide") for text in texts(one)]
        assert not [text for text in guide if text in said]


@pytest.mark.slow
def test_nothing_is_told_in_slots_where_orders_show_the_turns_that_are_left() -> None:
    for scene in played():
        guided = Scene(scene.model, replace(scene.ui, guide=True, touch=True))
        assert not [text for text in guided.guide if "slot" in text]
    assert not [text for text in texts(page_with("moving", mode="help", help=HELP)) if "4!" in text]


def test_what_expires_with_one_s_turn_is_said_where_there_is_nothing_to_press() -> None:
    seen = set[bool]()
    for scene in (one for one in played() if one.stage == "game" and one.turn.steps):
        for wait in with_look(table_page(scene), "wait"):
            expires = scene.is_expiring(scene.me or 0, SLOTS) and scene.orders[0].slot == SLOTS
            if not scene.turn.must_step_on:
                assert ("when your turn ends" in wait.text) == expires
                seen.add(expires)
    assert seen == {True, False}


def test_the_guide_takes_few_lines_of_others_turns_and_leaves_the_latest_of_them() -> None:
    watched = [one for one in played() if one.stage == "game" and not one.turn.is_mine]
    guides = [Scene(one.model, replace(one.ui, guide=True, note="")) for one in watched]
    guided = max(
        (one for one in guides if one.guide),
        key=lambda one: sum(bool(text) for _seat, text in others_turns(one.model)),
    )
    scene = Scene(guided.model, replace(guided.ui, guide=False))
    assert len(with_look(table_page(scene), "turns-told")[0].parts) > 1
    page = table_page(guided)
    (guide,), (told,) = with_look(page, "guide"), with_look(page, "turns-told")
    assert (guide.tag, guide.parts[0].tag) == ("details", "summary")
    assert " ".join(texts(guide)) == " ".join(guided.guide)
    assert len(told.parts) == 1
    assert [text for _seat, text in others_turns(scene.model) if text][-1] in texts(told)


def test_others_scores_are_in_the_head() -> None:
    for name in ("another's turn", "moving", "spectator"):
        scene = scene_of(name)
        (scores,) = with_look(table_page(scene), "scores")
        wanted = [(scene.letter(seat), str(scene.player(seat).score)) for seat in scene.others]
        assert texts(scores) == [text for pair in wanted for text in pair]


def test_who_is_new_reaches_the_rules_from_the_lobby_in_one_tap() -> None:
    page = table_page(scene_of("lobby"))
    (row,) = with_look(page, "row")
    assert [one.act for one in row.parts].count(Target("key", TABS["rules"])) == 1
    assert texts(page).count("Rules") == 1
    rules = page_with("lobby", mode="rules")
    assert [one.text for one in with_look(rules, "layer")] == ["coffee", "milk", "steam"]


def test_what_to_say_has_no_mark_for_who_taps() -> None:
    assert not with_look(page_with("lobby", mode="emotes"), "marked")
    assert with_look(page_with("lobby", mode="emotes", touch=False), "marked")


def test_there_is_one_button_for_all_talk() -> None:
    """It leads to the words that are said at once, and to what one writes oneself."""
    for name in ("lobby", "moving", "result"):
        scene = scene_of(name)
        page = table_page(scene)
        assert {"Say"} == {"Say", "Chat"} & {*texts(page)}, name
        (say,) = (one.act for one in elements(page) if one.text == "Say")
        assert say is not None
        ui, _wishes = click(scene.model, scene.ui, say, scene.ui.now)
        (sheet,) = with_look(table_page(Scene(scene.model, ui)), "sheet")
        assert {"Hello!", "In your own words"} <= {*texts(sheet)}
        chat = next(one.act for one in elements(sheet) if one.text == "In your own words")
        assert chat is not None
        ui, _wishes = click(scene.model, ui, chat, scene.ui.now)
        assert ui.mode == "chat"
    assert "Chat" in texts(table_page(scene_of("spectator")))


@pytest.mark.slow
def test_orders_say_how_many_turns_are_left_and_no_number_that_may_be_an_amount() -> None:
    crowded = max((one for one in played() if one.stage == "game"), key=lambda one: len(one.orders))
    assert len(crowded.orders) > FEW_ORDERS
    for scene in (scene_of("moving"), crowded):
        cards = with_look(table_page(scene), "order")
        for card in cards:
            ((drink,), when) = with_look(card, "drink"), with_look(card, "when")
            assert not any(letter.isdecimal() for letter in drink.text)
            said = [one.text for one in (*when, *with_look(card, "urgent"))]
            assert said or scene.view.closed
            assert all("turn" in one for one in said)


def test_the_cups_to_empty_have_numbers_and_none_looks_chosen() -> None:
    filled = (one for one in played() if len(one.turn.emptyable) > 1 and one.model.hints)
    scene = next(filled)
    for touch, marked in ((True, 0), (False, 1)):
        ui = replace(scene.ui, mode="empty", touch=touch)
        page = table_page(Scene(scene.model, ui))
        cups = [text for one in with_look(page, "choice") for text in texts(one)]
        assert [text.partition(":")[0] for text in cups] == ["1", "2", "3"]
        assert len(with_look(page, "marked")) == marked


@pytest.mark.slow
def test_the_button_that_pours_says_whether_something_goes_back() -> None:
    for scene, page in pages():
        if not (scene.turn.can_pour and scene.suggestion):
            continue
        (go,) = with_look(page, "go")
        assert go.act == Target("key", " ")
        assert go.text.startswith("Pour, give back") == gives_back(scene)
        drinks = [drink_name(scene.model, drink) for drink in scene.then_drinks]
        assert ("serve" in go.text) == bool(drinks)
        assert all(drink in go.text for drink in drinks)
    wasteful = next(one for one in played() if one.turn.can_pour and gives_back(one))
    fresh = replace(wasteful.ui, turn_at=NOW - 60, touch=True)
    ui, wishes = click(wasteful.model, fresh, Target("key", " "), NOW)
    assert (ui.asked, wishes) == ("", wasteful.suggestion[:1]), "it can be undone"


def test_a_tap_too_far_away_says_how_many_steps_are_left() -> None:
    scene = next(one for one in played() if one.turn.steps and one.stage == "game")
    me = scene.me or 0
    players = [*scene.view.players]
    players[me] = replace(players[me], rush=0)
    view = replace(scene.view, players=tuple(players), steps_left=1)
    row, column = divmod(scene.turn.position or 0, BOARD_SIDE)
    far = (BOARD_SIDE - 1 - row // 2 * (BOARD_SIDE - 1)) * BOARD_SIDE
    far += 0 if column > 1 else BOARD_SIDE - 1
    fresh = replace(scene.ui, turn_at=NOW - 60, touch=True)
    ui, wishes = click(replace(scene.model, view=view), fresh, Target("cell", far), NOW)
    assert (ui.note, wishes) == ("Too far: 1 step left.", ())


def test_who_types_is_told_of_nothing_to_press_or_to_tap() -> None:
    """The text field is in front, and has its own buttons."""
    scene = scene_of("lobby")
    seats = [replace(seat, ready=False) for seat in scene.table.seats]
    table = replace(scene.table, seats=tuple(seats), owner=1)
    model = replace(scene.model, table=table, owner=False)
    late = table_page(Scene(model, replace(scene.ui, mode="chat")))
    for page in (late, *(page_with(name, mode="chat") for name in ("lobby", "moving", "result"))):
        (dock,) = with_look(page, "dock")
        assert not [*acts(dock)]
        assert not [text for text in texts(dock) if KEYBOARD.search(text) or "Tap" in text]


def test_who_stands_on_another_meeple_is_told_why_nothing_can_be_poured() -> None:
    stuck = [one for one in played() if one.stage == "game" and one.turn.must_step_on]
    assert stuck
    for scene in stuck:
        (wait,) = with_look(table_page(scene), "stuck")
        assert wait.text == step_on_line()


def test_a_lobby_tells_the_goal_and_the_parts_of_a_turn() -> None:
    (rules,) = with_look(table_page(scene_of("lobby")), "rules")
    told = " ".join(texts(rules))
    assert "The player with the most points" in told
    assert "Your turn has four parts" in told


def test_others_moves_that_wait_for_a_reader_go_on_by_the_main_button() -> None:
    watched = scene_of("another's turn")
    ui = replace(watched.ui, guide=True, playing="reading", touch=True)
    (go,) = with_look(table_page(Scene(watched.model, ui)), "go")
    assert (go.tag, go.text, go.act) == ("button", "Continue", Target("key", " "))
    page = table_page(Scene(watched.model, replace(ui, reads_until=watched.ui.now + 21)))
    (go,) = with_look(page, "go")  # the time is on what it is about
    assert texts(go) == ["Continue", "0:21"]
    assert not {text for text in texts(page) if "0:21" in text} - {"0:21"}
    games = (one for one in played() if one.stage == "game" and not one.turn.is_mine)
    first = next(one for one in games if one.setting_up)
    reads = replace(ui, reads_until=first.ui.now + 21, now=first.ui.now)
    (go,) = with_look(table_page(Scene(first.model, reads)), "go")
    assert texts(go) == ["Continue"], "nobody is hurried who reads for the first time"


def test_the_one_primary_button_says_what_happens() -> None:
    for name, text in (
        ("pouring", "Pour and serve Iced coffee and Chai latte"),
        ("serving", "Serve "),
    ):
        (go,) = with_look(table_page(scene_of(name)), "go")
        assert go.tag == "button"
        assert go.text.startswith(text), (name, go.text)
    (go,) = with_look(table_page(scene_of("another's turn")), "go")
    assert (go.tag, go.act) == ("p", None)
    assert go.text.startswith("Next: ")


def test_a_meeple_is_placed_by_a_tap_on_a_tile_or_with_a_keyboard_at_the_marked_one() -> None:
    page, scene = table_page(scene_of("placing")), scene_of("placing")
    (go,) = with_look(page, "go")
    assert (go.tag, go.text) == ("p", "Tap a cell to place your meeple there.")
    tiles = with_look(page, "tile")
    assert {n for n, one in enumerate(tiles) if "can" in one.look.split()} == {*scene.turn.places}
    assert not with_look(page, "here")
    keyed = page_with("placing", touch=False)
    (go,) = with_look(keyed, "go")
    assert (go.tag, go.text) == ("button", "Place here: caramel")
    (here,) = with_look(keyed, "here")
    assert here == with_look(keyed, "tile")[scene.ui.cursor]


def test_a_spectator_gets_in_line_by_the_primary_button() -> None:
    page = table_page(scene_of("spectator"))
    (go,) = with_look(page, "go")
    assert (go.tag, go.text) == ("button", "Play next")
    assert go.act == Target("key", ROWS[Action.NEXT].keys[0])


def test_the_buttons_in_reach_keep_their_places() -> None:
    rows = [
        [one.act for one in nav.parts]
        for name, scene in scenes()
        if scene.stage == "game" and choices_of(scene) is None
        for nav in with_look(table_page(scene), "row")
    ]
    assert len(rows) > 5
    assert all(row == rows[0] for row in rows)


def test_the_question_whether_to_leave_has_two_answers() -> None:
    """The main button, where “Leave” was, is the one that stays."""
    scene = scene_of("moving")
    ui, _wishes = click(scene.model, scene.ui, Target("key", "q"), NOW)
    page = table_page(Scene(scene.model, ui))
    (go,), (stop,) = with_look(page, "go"), with_look(page, "stop")
    assert (go.act, stop.act) == (Target("key", "escape"), Target("key", "q"))
    result = scene_of("result")
    ui, _wishes = click(result.model, result.ui, Target("key", "q"), NOW)
    left = [one for one in elements(table_page(Scene(result.model, ui))) if one.text == "Leave"]
    assert [one.look for one in left if not one.off and one.look != "leave"] == ["stop"]
    ui, _wishes = click(scene.model, scene.ui, Target("key", "q"), NOW)
    assert any("Leave the table?" in text for text in texts(page))
    ui, wishes = click(scene.model, ui, Target("key", "escape"), NOW)  # as the page says any tap
    assert (ui.asked, ui.note, wishes) == ("", "", ())


def test_leave_is_the_last_of_the_other_actions() -> None:
    for _name, scene in scenes():
        for more in with_look(table_page(scene), "all"):
            leave = [one for one in more.parts if one.act == Target("key", "q")]
            assert leave in ([], [more.parts[-1]])


def test_what_is_waited_for_is_said_once() -> None:
    scene = scene_of("another's turn")
    turn = f"It is {scene.name(scene.view.active or 0)}'s turn."
    again = page_with("another's turn", note=turn)
    assert " ".join(texts(again)).count(turn) == 1


def test_what_was_said_before_a_game_takes_no_room_in_it() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")

    def said() -> list[str]:
        page = table_page(Scene(ann.model, Ui(size=SIZE, touch=True, now=NOW)))
        return [texts(one)[-1] for one in with_look(page, "bubble")]

    bob.wish(Chat(NO_ID, "Press Ready!"))
    assert said() == ["Press Ready!"]
    local.start()
    assert ann.model.view is not None
    assert said() == []
    bob.wish(Chat(NO_ID, "Good luck!"))
    assert said() == ["Good luck!"]


def test_what_is_said_by_a_button_looks_like_what_is_typed() -> None:
    """To who says it, too, who has no card to say it from in a game."""
    local = LocalTable(2)
    links = local.link("Ann"), local.link("Bob")
    local.start()
    assert {Scene(link.model, Ui()).turn.is_mine for link in links} == {True, False}
    for link in links:
        ui = Ui(size=SIZE, touch=True, now=NOW)
        before = link.model
        link.wish(Emote(NO_ID, "wow"))
        ui = apply_update(before, link.model, ui, NOW)
        page = table_page(Scene(link.model, ui))
        (own,) = with_look(page, "bubble")
        assert texts(own) == [link.model.name[0], link.model.name, "Wow!"]
        (dock,) = (one for one in elements(page) if one.key == "dock")
        assert sum("Wow!" in text for text in texts(dock)) == 1
        later = Scene(link.model, replace(ui, now=NOW + 60))
        said = with_look(table_page(later), "said")[0]
        assert texts(said) == texts(own)


def test_a_result_has_the_last_few_messages_since_the_game() -> None:
    ann, bob = over().links
    for number in range(5):
        (ann, bob)[number % 2].wish(Chat(NO_ID, f"message {number}"))
        page = table_page(Scene(ann.model, Ui(size=SIZE, touch=True, now=NOW)))
        said = [texts(one)[-1] for one in with_look(page, "bubble")]
        assert said == [f"message {n}" for n in range(number + 1)][-3:]


def test_nothing_is_said_twice_below_the_table() -> None:
    """Also that one has to step on, which is news, and what is waited for."""
    must = [scene for scene, _page in pages() if scene.turn.must_step_on]
    hinted = Scene(must[0].model, click(must[0].model, must[0].ui, Target("key", "i"), NOW)[0])
    for scene in (*must, hinted, scene_of("moving, hint")):
        (dock,) = (one for one in elements(table_page(scene)) if one.key == "dock")
        told = [text for text in texts(dock) if len(text) > 20]
        assert len(told) == len({*told}), told


def test_the_button_that_a_sentence_names_is_beside_it() -> None:
    scene = scene_of("spectator")
    table = scene.table
    line = replace(table.next_game, queue=("Eva", scene.model.name))
    model = replace(scene.model, table=replace(table, next_game=line))
    page = table_page(Scene(model, replace(scene.ui, note="")))
    assert any("number 2 in line" in text and "“Leave line”" in text for text in texts(page))
    (first,) = with_look(page, "first")
    assert [one.text for one in first.parts if one.act] == ["Leave line"]
    assert texts(page).count("Leave line") == 1, "not among the other actions"


@pytest.mark.slow
def test_each_button_that_a_text_names_is_there() -> None:
    hands = Hands(begun(("regular", "regular"), seed=3))
    hands.ui = Ui(size=SIZE, guide=True, touch=True)
    shown = [*scenes()]
    while (view := hands.link.model.view) is not None and view.round < 6:
        hands.look()
        shown.append(("guided", Scene(hands.link.model, hands.ui)))
        hands.link.wish(advised(view).intents[0])
    named = set[str]()
    for name, scene in shown:
        if scene.plans and not scene.ui.note:
            ui, _wishes = click(scene.model, scene.ui, Target("cell", 9), NOW)
            scene = Scene(scene.model, ui)
        page = table_page(scene)
        if scene.ui.mode in TYPING or choices_of(scene) is not None:
            continue
        labels = {one.text for one in elements(page) if one.tag in ("button", "summary")}
        said = [text for one in with_look(page, "dock") for text in texts(one)]
        quoted = {word for text in said for word in re.findall("“([^”]+)”", text)}
        assert quoted <= labels, (name, quoted - labels, said)
        named |= quoted
    assert {"Undo", "Upgrades"} <= named


def test_a_message_has_its_speaker_s_letter_and_name() -> None:
    scene = scene_of("lobby")
    (said, logged) = [
        *with_look(table_page(scene), "bubble"),
        *with_look(table_page(scene), "said"),
    ]
    assert texts(said) == texts(logged) == ["B", "민준", "안녕하세요!"]
    everywhere = texts(table_page(scene_of("the tables, too late for a seat")))
    assert "<Inês (Kitchen 2), to all> Pizza!" in everywhere


def test_at_a_result_what_is_said_by_a_button_has_bubbles() -> None:
    scene = scene_of("result")
    said = (ShownEmote(seat.name, "thanks", scene.ui.now + 1) for seat in scene.seats[:2])
    page = table_page(Scene(scene.model, replace(scene.ui, emotes=tuple(said))))
    (told,) = with_look(page, "told")
    bubbles = [texts(one)[1:] for one in with_look(told, "bubble")]
    assert bubbles[-2:] == [[seat.name, "Thanks!"] for seat in scene.seats[:2]]
    assert not [text for text in texts(page) if "<" in text]


def test_a_tap_on_an_order_says_what_it_lacks() -> None:
    for name in ("moving", "another's turn"):
        scene = scene_of(name)
        ui, wishes = click(scene.model, scene.ui, Target("order", 0), NOW)
        assert not wishes
        assert "still needs" in ui.note


def test_others_orders_wait_for_as_many_turns_as_one_s_own() -> None:
    scene = scene_of("another's turn")
    (waiting,) = {tuple(texts(one)) for one in with_look(table_page(scene), "waiting")[:1]}
    orders = scene.player(scene.others[0]).orders
    oldest = next(slot for slot in (4, 3, 2, 1) if orders[slot - 1])
    last = scene.is_expiring(scene.others[0], oldest)
    assert waiting[0].lower().startswith(f"{turns_left(oldest, last)}: ")
    assert len(waiting) == sum(map(bool, orders))


def test_who_is_in_the_lobby_can_show_a_friend_the_way_in() -> None:
    address = "http://192.0.2.7:5599/"
    (way,) = with_look(table_page(scene_of("lobby"), address), "way-in")
    assert texts(way) == [f"With a browser: {address}"]
    assert not with_look(table_page(scene_of("moving"), address), "way-in")


def test_the_result_has_podium_awards_scores_and_the_games_together() -> None:
    scene = scene_of("all games")
    page, places = table_page(scene), scene.view.standings
    (winner,) = with_look(page, "winner")[:1]
    assert (winner.tag, winner.text) == ("h1", outcome(scene))
    assert why_over(scene.model, scene.view) in texts(page)
    steps = [texts(step) for step in with_look(page, "step")]
    names = ["You" if one.seat == scene.model.played else scene.name(one.seat) for one in places]
    assert "You" in names
    assert steps == [
        [name, str(one.score), str(one.rank)] for name, one in zip(names, places, strict=True)
    ]
    assert [one.text for one in with_look(page, "star")] == [*filter(None, award_texts(scene))]
    (rounds,), (games,) = with_look(page, "rounds"), with_look(page, "games")
    cells = [
        [one.text for one in elements(row) if one.tag == "td"] for row in rounds.parts[1].parts
    ]
    scores = [scene.table.tallies[one.seat].scores for one in places]
    assert cells == [["", *map(str, own)] for own in scores]
    together = together_of(scene)
    assert together
    assert together_heading(together) in texts(page)
    assert len(games.parts[1].parts) == len(together.people)


def test_an_evening_has_also_those_who_are_elsewhere() -> None:
    scene = Scene(again(scene_of("result").model, evening=True), Ui())
    together = together_of(scene)
    assert together
    page = table_page(scene)
    (games,) = with_look(page, "games")
    (elsewhere,) = (one.career.entry.name for one in together.everybody if not one.seats)
    assert len(games.parts[1].parts) == len(together.everybody) == len(together.people) + 1
    assert elsewhere in texts(games)
    assert left_line(together.everybody, scene.name) in texts(page)


def test_a_tie_break_is_in_words() -> None:
    scene = scene_of("result")
    standings, players = scene.view.standings, [*scene.view.players]
    first, second = (one.seat for one in standings[:2])
    players[second] = replace(players[first], completed=players[first].completed - 1)
    view = replace(scene.view, players=tuple(players))
    level = Scene(replace(scene.model, view=view), scene.ui)
    assert "Tied with" in " ".join(texts(table_page(level)))


@pytest.mark.parametrize(
    ("mine", "other", "words"),
    [
        (Has(completed=1), Has(completed=2), "Ahead of you by 1."),
        (
            Has(completed=2),
            Has(completed=3, penalties=1),
            "Tied with you on points; more",
        ),
        (Has(completed=2), Has(completed=2, rush=1), "Tied with you on points and completed"),
        (Has(penalties=5), Has(completed=2), "too many penalties (you)"),
    ],
)
def test_who_has_played_is_not_told_of_by_name(mine: Has, other: Has, words: str) -> None:
    scene = Scene(ended(mine, other), Ui(size=SIZE, touch=True))
    (outcome_,) = with_look(table_page(scene), "outcome")
    assert any(words in text for text in texts(outcome_))
    assert not any(re.search(r"\bAnn\b", text) for text in texts(outcome_))


def test_each_tie_and_what_decided_about_oneself_is_in_words() -> None:
    scene = scene_of("result")
    standings, players = [*scene.view.standings], [*scene.view.players]
    for place, one in enumerate(standings[1:], start=2):
        standings[place - 1] = replace(one, score=5, rank=place)
        changed = {"score": 5, "completed": 5, "rush": 9 - place}
        players[one.seat] = replace(players[one.seat], **changed)
    view = replace(scene.view, players=tuple(players), standings=tuple(standings))
    level = Scene(replace(scene.model, view=view), replace(scene.ui, guide=False))
    page = table_page(level)
    (ties,) = with_look(page, "ties")
    assert len(ties.parts) == len(standings) - 2
    assert all("more rush tokens decide" in " ".join(texts(one)) for one in ties.parts)
    assert "What put " in " ".join(texts(page))
    shared = replace(
        view, standings=(standings[0], *(replace(one, rank=2) for one in standings[1:]))
    )
    level = Scene(replace(scene.model, view=shared), level.ui)
    assert not with_look(table_page(level), "ties")


def test_the_guide_is_there_as_a_whole_and_speaks_of_taps() -> None:
    scene = scene_of("first turn, guided")
    page = table_page(scene)
    (guide,) = with_look(page, "guide")
    hint = scene.guide[-1]
    assert hint.startswith("▸ Hint: ")
    assert " ".join(texts(guide)) == " ".join((hint, *scene.guide[:-1])), "it begins in view"
    assert len(with_look(page, "tile")) == len(BOARD)
    assert "arrow" not in " ".join(texts(guide))


def test_the_marks_that_the_guide_explains_are_in_the_head() -> None:
    scene = scene_of("moving")
    (top,) = with_look(table_page(scene), "top")
    me = scene.player(scene.me or 0)
    (done,) = with_look(top, "done")
    assert (done.text, done.name) == (f"✓{me.completed}", order_count(me.completed))
    assert with_look(top, "penalty")
    assert with_look(top, "rush")


def test_the_tiles_of_a_hint_are_marked_in_the_order_of_its_taps() -> None:
    scene = scene_of("moving")
    assert not with_look(table_page(scene), "hinted")
    ui, _wishes = click(scene.model, scene.ui, Target("key", "i"), NOW)
    hinted = Scene(scene.model, ui)
    steps = [one for one in advised(scene.view).intents if isinstance(one, Step)]
    assert steps
    tiles = with_look(table_page(hinted), "tile")
    marks = {n: texts(one) for n, tile in enumerate(tiles) for one in with_look(tile, "hinted")}
    walked = [step.cell for step in steps]
    assert marks.keys() == {*walked}
    taken = len(scene.view.path)
    assert sorted(number for mark in marks.values() for number in mark) == [
        str(taken + n) for n in range(len(walked))
    ]
    assert marks[walked[0]][0] == str(taken), "after those of the steps that are taken"


def test_the_marks_of_a_hint_stay_until_it_is_followed() -> None:
    """Whatever is tapped to read something; a step along it leaves the others their numbers."""
    hands = Hands(begun(("regular", "regular"), 3))
    hands.ui = replace(hands.ui, size=SIZE, touch=True)

    def marks() -> list[str]:
        page = table_page(Scene(hands.link.model, hands.ui))
        return sorted(text for one in with_look(page, "hinted") for text in texts(one))

    while not Scene(hands.link.model, hands.ui).turn.steps:
        hands.link.wish(choose(hands.link, Random(1)))
    hands.click("key", "i")
    told = marks()
    assert len(told) > 1
    taps: list[tuple[Kind, str | int]] = [("order", 0), ("cup", 1), ("key", "f"), ("key", "escape")]
    for kind, value in taps:
        hands.click(kind, value)
        assert marks() == told, (kind, value)
    walk = Scene(hands.link.model, hands.ui).advised
    hands.click("cell", walk[1])
    assert marks() == told[1:]


def test_a_hint_where_to_begin_says_that_it_is_one() -> None:
    scene = scene_of("placing")
    ui, _wishes = click(scene.model, scene.ui, Target("key", "i"), NOW)
    tiles = with_look(table_page(Scene(scene.model, ui)), "tile")
    marks = {n: texts(one) for n, tile in enumerate(tiles) for one in with_look(tile, "hinted")}
    (place,) = advised(scene.view).intents
    assert isinstance(place, PlaceMeeple)
    assert marks == {place.cell: ["Hint"]}


def test_a_hint_that_was_asked_for_is_read_without_opening_the_guide() -> None:
    scene = scene_of("first turn, guided")
    ui, _wishes = click(scene.model, scene.ui, Target("key", "i"), scene.ui.now)
    hinted = Scene(scene.model, ui)
    (guide,) = with_look(table_page(hinted), "guide")
    assert hinted.hint is not None
    assert (guide.tag, guide.text) == ("p", hint_line(hinted.hint.text))
    assert not with_look(table_page(hinted), "told-once")


def test_where_a_walk_is_planned_its_numbers_are_the_only_ones() -> None:
    scene = next(one for one in played() if one.turn.steps and not one.view.path)
    ui, _wishes = click(scene.model, replace(scene.ui, note=""), Target("key", "i"), NOW)
    steps = tuple(one for one in advised(scene.view).intents if isinstance(one, Step))
    assert with_look(table_page(Scene(scene.model, ui)), "hinted")
    for length in range(1, len(steps) + 1):
        turn = replace(ui.turn, ahead=steps[:length])
        page = table_page(Scene(scene.model, replace(ui, turn=turn)))
        paths = [text for one in with_look(page, "path") for text in texts(one)]
        assert sorted(paths) == [str(n + 1) for n in range(length)]
        assert not with_look(page, "hinted")


def test_the_page_of_a_game_that_has_just_ended_offers_nothing_more_to_do() -> None:
    ended = [one for one in played() if ending_of(one.ui)]
    assert ended
    for scene in ended:
        page = table_page(scene)
        ((go,), (turn,)) = with_look(page, "go"), with_look(page, "turns")
        assert go.tag == "p"
        assert texts(turn) == ["CLOSED"]


KEYBOARD = re.compile(
    r"“\w”|\b([Pp]ress|keys?|arrows?|[Cc]lick|Enter|Esc|Space|Tab|Ctrl-C|F\d|PgUp)\b"
)


@pytest.mark.slow
def test_who_taps_reads_nothing_of_keys() -> None:
    found = set[tuple[object, ...]]()
    for name, scene in scenes():
        page = table_page(scene)
        found |= {(name, text) for text in texts(page) if KEYBOARD.search(text)}
        for act in {*acts(page)} if scene.ui.mode not in TYPING else ():
            fresh = replace(scene.ui, note="", turn_at=NOW - 60)
            ui, _wishes = click(scene.model, fresh, act, NOW + 60)
            found |= {(name, act, ui.note)} if KEYBOARD.search(ui.note) else set()
    assert not found


@pytest.mark.parametrize("mode", PAGES)
def test_help_rules_and_settings_are_pages_that_close(mode: Mode) -> None:
    page = page_with("moving", mode=mode, help=HELP)
    assert Target("key", "escape") in acts(page)
    assert len(texts(page)) > 10
    if mode == "help":  # a missing ingredient is framed, and what is ready has a word
        assert {*MARKS[2:-3], "+1 1 2 3", "b", "←B", "Co", "SERVE 1"} <= {*texts(page)}
        assert any("under “More”" in text for text in texts(page))
        keys = page_with("moving", mode=mode, help=HELP, touch=False)
        assert not any("Tap a cell" in text for text in texts(keys))
        rows = [row for table in with_look(page, "explained") for row in table.parts[0].parts]
        assert len(rows) == len(MARKS) + 1, "a star is on cells and at orders"


def test_the_settings_are_those_that_a_browser_follows() -> None:
    page = page_with("moving", mode="settings")
    rows = {act.value for act in acts(page) if act.kind == "row"}
    scene = scene_of("moving")
    languages = [act for act in acts(page) if act.kind == "language"]
    assert [one.value for one in languages] == list(LANGUAGES)
    for chosen in languages:
        ui, _wishes = click(scene.model, replace(scene.ui, mode="settings"), chosen, NOW)
        assert (ui.settings.language, ui.mode) == (chosen.value, "settings")
    for row in rows:
        ui, _wishes = click(
            scene.model, replace(scene.ui, mode="settings"), Target("row", row), NOW
        )
        assert ui.settings != scene.ui.settings or ui.editing
    assert "Theme" in texts(page)
    assert "Mouse" not in texts(page)
    assert not [
        text
        for text in texts(page_with("moving", mode="settings", touch=True))
        if "terminal" in text
    ]


def test_the_form_at_the_entrance() -> None:
    form = Entrance(Settings(), Draft("Ann"), asks_code=False, note="Taken.")
    page = entrance_page(form, "Kitchen")
    assert {Target("row", 0), Target("row", 1), Target("key", "c-m")} <= {*acts(page)}
    assert {"Taken.", "Ann", "Join the table"} <= {*texts(page)}


# What happens


@cache
def played() -> tuple[Scene, ...]:
    """Return the scenes of a game with three bots, one for each model."""
    link, chance = begun(("regular",) * 3, seed=5), Random(4)
    models = [link.model]
    link.on_change = models.append
    while link.model.table and link.model.table.stage == "game":
        link.wish(choose(link, chance))
    ui, found = Ui(size=SIZE, touch=True, animated=True), []
    for now, (before, after) in enumerate(pairwise(models)):
        ui = apply_update(before, after, replace(ui, moments=None), float(now))
        found.append(Scene(*before_result(after, ui)))
        if ui.moments and ui.moments.ending:
            result = replace(ui, moments=followed_by(ui.moments, float(now)))
            found.append(Scene(after, result))
    return tuple(found)


@cache
def pages() -> tuple[tuple[Scene, Element], ...]:
    """Return those scenes with their pages, in English."""
    return tuple((scene, table_page(scene)) for scene in played())


@pytest.mark.slow
def test_orders_are_most_urgent_first_and_stay_in_place_for_a_turn() -> None:
    before: tuple[int, list[str]] = -1, []
    slots_seen = set()
    for scene, page in pages():
        if scene.stage != "game" or not scene.turn.is_mine:
            continue
        cards = with_look(page, "order")
        slots = [scene.orders[int(card.act.value)].slot for card in cards if card.act]
        assert slots == sorted(slots, reverse=True)
        slots_seen |= {*slots}
        drinks = [card.key.split()[0] for card in cards]
        if before[0] == scene.view.round:
            left = iter(before[1])
            assert all(drink in left for drink in drinks), "the others stay in their order"
        before = scene.view.round, drinks
    assert slots_seen == {1, 2, 3, 4}


def test_what_happens_is_stamped_on_the_page_and_can_be_switched_off() -> None:
    seen: dict[str, Element] = {}
    shouts: list[str] = []
    for scene, page in pages():
        if not scene.ui.moments:
            continue
        (found,) = with_look(page, "moments")
        assert not [*acts(found)], "it lets taps through"
        seen |= {look: one for one in elements(found) for look in one.look.split()}
        shouts += [text for one in with_look(found, "shout") for text in texts(one)]
        still = table_page(Scene(scene.model, replace(scene.ui, animated=False)))
        assert not with_look(still, "moments")
    kinds = {"serve", "mine", "point", "arrive", "penalty", "upgrade", "shout", "confetti"}
    assert kinds <= {*seen}
    assert seen["from"].text.startswith("from ")
    assert seen["point"].text.startswith("+1")
    assert {"DOUBLE", "TRIPLE", "LAST ROUND"} & {*shouts}
    assert shouts[-1] == "CLOSED"
    assert re.fullmatch(r"[23] orders in one turn", seen["why"].text)


@pytest.mark.slow
def test_the_start_of_a_turn_tells_what_happened_since_the_last_until_the_first_step() -> None:
    told, after = [], 0
    for scene, page in pages():
        mine = scene.turn.is_mine and not scene.setting_up
        since = [one for one in elements(page) if one.key == "since"]
        if scene.stage != "game" or not mine or len(scene.view.path) > 1:
            assert not since
            continue
        lines = [text for _seat, text in since_lines(scene.model)]
        assert [line for one in since for line in texts(one)[1::2]] == lines
        told += lines
        begun = replace(scene.ui, turn_at=NOW - 60)
        ui, _wishes = click(scene.model, begun, Target("order", 0), NOW)
        tapped = table_page(Scene(scene.model, ui))
        assert [one for one in elements(tapped) if one.key == "since"] == since, "no step"
        assert scene.busy or any(text.endswith(ui.note) for text in texts(tapped))
        after += bool(lines)
    assert after > 3
    for part in (" served ", " and sent you ", " activated ", "You took 3 penalties: "):
        assert any(part in line for line in told), part
    assert any(re.search(r"\bCrema took 1 penalty\.", line) for line in told)


@pytest.mark.slow
def test_who_waits_reads_what_others_did_and_when_their_own_turn_comes() -> None:
    seen = 0
    for scene, page in pages():
        if scene.stage != "game" or scene.turn.is_mine:
            assert not [one for one in elements(page) if one.key == "meanwhile"]
            continue
        (wait,) = with_look(page, "wait")
        after = scene.others[scene.others.index(scene.view.active or 0) + 1 :]
        left = [seat for seat in (*after, scene.me or 0) if has_turn_left(seat, scene.view)]
        names = ["you" if seat == scene.me else scene.name(seat) for seat in left]
        if not scene.setting_up and names:
            assert wait.text.endswith(f"Next: {', '.join(names)}.")
        (turns,) = with_look(page, "turns-told") or (box("ul", ""),)
        deeds = [one for one in others_turns(scene.model) if one[1] and not scene.setting_up]
        assert texts(turns)[1 : 2 * len(deeds) : 2] == [text for _seat, text in deeds]
        assert ("Choose cells to plan your next walk." in texts(page)) == scene.plans
        seen += len(deeds) > 1
    assert seen > 3


# What is sent


class FakePage:
    """Does with elements what the page does."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def put(self, parts: list[dict[str, Any]]) -> None:
        for part in parts:
            told = dict(part)
            assert all(name in self.known for name in told.get("of", ())), "parts come first"
            self.known[told.pop("id")] = told

    def tree(self, name: str = ROOT) -> Any:
        told = self.known[name]
        return told | {"of": [self.tree(part) for part in told.get("of", ())]}


def whole(page: Element) -> Any:
    there = FakePage()
    there.put(Shown().changes(page))
    return there.tree()


def test_changes_add_up_to_the_page() -> None:
    shown, there = Shown(), FakePage()
    found = [table_page(scene) for _name, scene in scenes()]
    for page in [*found, *found[::-2]]:
        there.put(shown.changes(page))
        assert there.tree() == whole(page)
        assert shown.changes(page) == []


def test_an_element_keeps_its_name_when_another_goes() -> None:
    one, two = Element("p", text="one", key="1"), Element("p", text="two", key="2")
    shown = Shown()
    shown.changes(box("div", "", one, two))
    assert [part["id"] for part in shown.changes(box("div", "", two))] == [ROOT]


@pytest.mark.slow
def test_an_update_is_small_and_so_is_the_first_load() -> None:
    hands, bot, chance = Hands(begun(seed=3)), RegularBot(), Random(3)
    hands.ui = Ui(size=SIZE, touch=True)
    shown, sizes = Shown(), []
    squeeze = zlib.compressobj(wbits=-12, memLevel=5)  # as the server compresses
    while (view := hands.link.model.view) is not None and view.active is not None:
        hands.look()
        changes = shown.changes(table_page(Scene(hands.link.model, hands.ui)))
        told = msgspec.json.encode(PageFrame(parts=changes))
        sizes.append(len(squeeze.compress(told) + squeeze.flush(zlib.Z_SYNC_FLUSH)))
        hands.link.wish(bot.choose(view, chance))
    assert len(sizes) > 20
    first, *updates = sizes
    assert max(updates) < UPDATE_BYTES
    for path in ("/ru", "/page.js", "/page.css", "/icon.svg", "/tiles.svg"):
        found = copy_context().run(file_at, path, "", listened=True)
        assert found
        first += len(found[1].encode())
    first += len(msgspec.json.encode(palette_of("dark")))
    assert first < FIRST_BYTES


def test_every_look_of_the_page_is_in_its_style_sheet() -> None:
    style = (files("coffeerush.guests.web") / "static" / "page.css").read_text(encoding="utf-8")
    known = {"page", "main", "told", "supply", "standings", "rounds", "options", "wide", "value"}
    known |= {"board", "watched", "joining", "cap", "rank", "news", "others"}
    looks = {look for _name, scene in scenes() for one in elements(table_page(scene))
             for look in one.look.split() if one.act or one.tag == "section"}  # fmt: skip
    assert {look for look in looks - known if f".{look}" not in style} == set()


@pytest.mark.slow
def test_the_guide_of_a_game_speaks_of_taps() -> None:
    keys = ("arrow", "press", "Press", "Enter", "Space", " u ", "Tab")
    hands, bot, chance, told = Hands(begun(seed=3)), RegularBot(), Random(3), 0
    hands.ui = Ui(size=SIZE, guide=True, touch=True)
    while (view := hands.link.model.view) is not None and view.round < 6:
        hands.look()
        guide = Scene(hands.link.model, hands.ui).guide
        assert not [key for key in keys if any(key in line for line in guide)], guide
        told += bool(guide)
        hands.link.wish(bot.choose(view, chance))
    assert told > 10


def test_a_tournament_is_entered_by_taps() -> None:
    room = Room(2)
    bob = room.people[1]
    bob.ui = replace(bob.ui, touch=True)
    tournament = Target("key", TOURNAMENT_KEY)
    assert tournament not in [one.act for one in elements(table_page(Scene(bob.seen, bob.ui)))]
    room.announce()
    assert "Tap “tournament” to take part." in bob.ui.note
    assert tournament in [one.act for one in elements(table_page(Scene(bob.seen, bob.ui)))]
    bob.click("key", TOURNAMENT_KEY)
    assert "Take part in the tournament" in texts(table_page(Scene(bob.seen, bob.ui)))
    bob.click("key", "e")
    room.second()
    assert "Taking part: Bob" in texts(table_page(Scene(bob.seen, bob.ui)))


def test_a_tournament_that_is_over_has_a_podium_and_the_standings() -> None:
    page = table_page(scene_of("a tournament is over"))
    (podium,) = with_look(page, "podium")
    steps = [texts(step) for step in podium.parts]
    assert steps == [["Ann", "1 won", "1"], ["민준", "1 won", "2"], ["Inês", "0.25 won", "3"]]


def test_the_list_of_tables_has_a_button_for_the_tournament_in_place_of_its_key() -> None:
    room = Room(2)
    bob = room.people[1]
    bob.ui = replace(bob.ui, touch=True)
    room.announce()
    bob.press("z")
    bob.wait(1.0)
    page = table_page(Scene(bob.seen, bob.ui))
    (sheet,) = with_look(page, "sheet")
    assert Target("key", TOURNAMENT_KEY) in [one.act for one in elements(sheet)]
    assert not [text for text in texts(sheet) if TOURNAMENT_KEY in text and "”" in text]
