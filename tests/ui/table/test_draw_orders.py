"""Orders, hand and suggestion: as many words as fit, and each token once."""

import re
from collections import Counter
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.ui.pages.pages import kinds_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_hand import (
    CARD_LINES,
    LEAST_NAME,
    MARK_CELLS,
    cup_part,
    draw_belt,
    draw_orders,
    draw_pictures,
    drink_of,
    hand_parts,
    order_columns,
    recipe_cells,
    recipe_parts,
    standing_parts,
    upgrades_in,
)
from coffeerush.ui.table.input import press
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Moments, OrdersBefore, Ui
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Parts, width
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import ingredient_code, seat_style, upgrade_word
from protocol import BOARD, NOTHING, SLOTS, Counts, Phase, Pour, Upgrade
from tests.golden.frames import EXTREMES, LANGUAGES, spoken
from tests.support.local import acting, begun, choose

BELT_ROWS = 14
BELT_LINES = 12
"""The lines of all orders at 120x36, if they have no room in their lanes."""
LIST_LINES = 10
"""The lines of all orders at 80x24."""


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    """Return the moments of a player's own turns, from the second round on."""
    link = begun(("regular", "regular"), seed=5)
    chance = Random(5)
    found: list[Scene] = []
    while acting(link.local) is link:
        scene = Scene(link.model, Ui())
        if scene.view.round >= 2:
            found.append(scene)
        link.wish(choose(link, chance))
    return found


def text_of(parts: Parts) -> str:
    return "".join(text for _style, text in parts)


def test_a_counted_hand_has_each_ingredient_once(scenes: list[Scene]) -> None:
    held = [scene for scene in scenes if scene.turn.hand and max(scene.turn.hand) > 1]
    assert held
    for scene in held:
        counts = Counter(kinds_of(scene.turn.hand or NOTHING))
        chips = " ".join(f"{ingredient_code(kind)}{n}" for kind, n in counts.items())
        shown = text_of(hand_parts(scene, counted=True)).replace(glyphs.POINTER, "")
        assert Counter(shown.split()) == Counter(f"In hand: {chips}".split())


def test_nobody_is_said_to_hold_nothing_while_meeples_are_placed(scenes: list[Scene]) -> None:
    empty = next(scene for scene in scenes if not any(scene.turn.hand or NOTHING))
    assert text_of(hand_parts(empty)) == "In hand: nothing"
    placing = replace(empty.model, view=replace(empty.view, phase=Phase.PLACING))
    assert hand_parts(Scene(placing, empty.ui)) == []


def test_the_token_that_a_cup_key_pours_next_is_marked(scenes: list[Scene]) -> None:
    pouring = [
        scene for scene in scenes if scene.turn.can_pour and len(set(scene.turn.to_pour)) > 1
    ]
    assert pouring
    for scene in pouring:
        first = ingredient_code(scene.turn.to_pour[0])
        numbered = [
            BOARD[cell] for cell in scene.view.path[1:] if BOARD[cell] in scene.turn.to_pour
        ]
        assert scene.turn.to_pour[0] == numbered[0], "as the board numbers them"
        for counted in (False, True):
            parts = hand_parts(scene, counted)
            assert text_of(parts).startswith(f"In hand: {glyphs.POINTER}{first}")
            assert [text for style, text in parts if "underline" in style] == [first]
    assert glyphs.POINTER not in text_of(hand_parts(next(s for s in scenes if not s.turn.can_pour)))


def test_what_is_not_poured_is_given_back(scenes: list[Scene]) -> None:
    poured = given_back = 0
    for scene in scenes:
        pours = [one.ingredient for one in scene.suggestion if isinstance(one, Pour)]
        assert Counter(pours + scene.given_back) == Counter(kinds_of(scene.turn.hand or NOTHING))
        poured += len(pours)
        given_back += len(scene.given_back)
    assert poured
    assert given_back


def test_whether_recipes_are_in_words_depends_on_the_size_only(scenes: list[Scene]) -> None:
    """Else the same ingredient would be written in two ways from turn to turn."""
    found: dict[tuple[str, int], set[bool]] = {}
    for scene in [*scenes[::10], with_first_slot(scenes[-1], 3)]:
        recipes = [text_of(recipe_parts(order, named=True)) for order in scene.orders]
        for columns in range(60, 201, 5) if recipes else ():
            canvas = Canvas(columns, BELT_ROWS)
            draw_belt(canvas, scene, Area(0, 0, columns, BELT_ROWS))
            named = [one in "\n".join(canvas.lines()) for one in recipes]
            assert all(named) == any(named)
            found.setdefault(("belt", columns), set()).add(all(named))
            found.setdefault(("list", columns), set()).add(order_columns(scene, columns).named)
    assert all(len(one) == 1 for one in found.values())
    for what in ("belt", "list"):
        assert {named for (one, _), many in found.items() for named in many if one == what} == {
            True,
            False,
        }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [3, 4, 6])
def test_a_belt_has_whole_names(scenes: list[Scene], language: str, count: int) -> None:
    """Also of more orders in a slot than a lane has lines for: it takes some, else it is a list."""
    with spoken(language):
        scene = with_first_slot(scenes[-1], count)
        canvas = draw(scene.model, Ui(size=(120, 36)), 120, 36)
        for index, order in enumerate(scene.orders):
            cells, _styles = canvas.copy(canvas.marks[f"order{index}"])[0]
            assert drink_of(scene, order) in "".join(cells)
        assert (canvas.marks["order0"].rows == CARD_LINES) == (count < 6)


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
def test_no_name_of_a_drink_is_cut(
    scenes: list[Scene], language: str, size: tuple[int, int]
) -> None:
    with spoken(language):
        for scene in scenes[::9]:
            drawn = "".join(draw(scene.model, Ui(size=size), *size).lines())
            assert not re.search(rf"\S{glyphs.CUT}", drawn), drawn


def with_first_slot(scene: Scene, count: int) -> Scene:
    """Return a position with only the drinks with the longest names, in the first slot."""
    view, me = scene.view, scene.me or 0
    longest = sorted(range(len(view.menu)), key=lambda one: -len(view.menu[one].name))[:count]
    player = replace(view.players[me], orders=(tuple(longest), (), (), ()))
    players = (*view.players[:me], player, *view.players[me + 1 :])
    return Scene(replace(scene.model, view=replace(view, players=players)), scene.ui)


@pytest.mark.parametrize("language", EXTREMES)
def test_the_columns_of_orders_are_the_same_in_every_turn(
    scenes: list[Scene], language: str
) -> None:
    with spoken(language):
        for room in (40, 47, 60, 100):
            (columns,) = {order_columns(scene, room) for scene in scenes[::9]}
            names = {drink_of(scene, order) for scene in scenes[::9] for order in scene.orders}
            assert columns.names >= max(map(width, names))
            assert columns.cells <= room or columns.words == 0


def test_a_recipe_keeps_its_places_while_a_cup_is_filled(scenes: list[Scene]) -> None:
    """A token that is in the cup is a chip, a missing one has a mark in place of the blank."""
    held: dict[int, set[int]] = {}
    for scene in scenes:
        for order in scene.orders:
            text = text_of(recipe_parts(order))
            recipe = kinds_of(scene.view.menu[order.drink].recipe)
            assert text.replace(glyphs.MISSING, " ").split() == [*map(ingredient_code, recipe)]
            assert text.count(glyphs.MISSING) == order.lacks
            assert width(text) == 3 * len(recipe) <= recipe_cells(scene)
            held.setdefault(order.drink, set()).add(order.lacks)
    assert max(map(len, held.values())) > 2


@pytest.fixture(scope="module")
def crowded(scenes: list[Scene]) -> Scene:
    """Return a moment with more orders than any small screen has lines for."""
    return max(scenes, key=lambda scene: len(scene.orders))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [7, 9, 12, 15])
def test_many_orders_keep_one_format_and_whole_names(
    scenes: list[Scene], language: str, count: int
) -> None:
    """The newest ones share lines, with shortened names; those without room are counted."""
    scene = with_orders(scenes[0], 1, count)
    with spoken(language):
        canvas = draw(scene.model, Ui(size=(80, 24)), 80, 24)
        columns, more = order_columns(scene, 47), _("{count} more")
        alone = max(2 * LIST_LINES - count, 0) if count > LIST_LINES else count
        for index in range(alone):
            ((cells, _styles),) = canvas.copy(canvas.marks[f"order{index}"])
            name = "".join(cells[3 : 3 + columns.names + columns.gap]).rstrip()
            assert name == drink_of(scene, scene.orders[index])
        for index in range(alone, min(count, 2 * LIST_LINES - 1)):
            assert name_on_half(canvas, scene, index)
        text = "\n".join(canvas.lines())
        left = count - 2 * LIST_LINES + 1
        assert (f"v {more.format(count=left)}" in text) == (count > 2 * LIST_LINES)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_all_orders_are_visible_or_counted(scenes: list[Scene], size: tuple[int, int]) -> None:
    """In a slot of a belt, or in a list, each that has a line has a name and a recipe."""
    for slots, count in ((1, 7), (1, 8), (1, 12), (2, 3), (2, 6), (2, 8)):
        scene = with_orders(scenes[0], slots, count)
        canvas = draw(scene.model, Ui(size=size), *size)
        marks = {index: canvas.marks.get(f"order{index}") for index in range(len(scene.orders))}
        places = {index: place for index, place in marks.items() if place}
        assert len(set(places.values())) == len(places)
        both, lines = slots * count, 2 * LIST_LINES if size == (80, 24) else BELT_LINES
        visible = both if both <= lines else lines - 1
        assert len(places) == visible
        more = re.findall(r"v (\d+) more", "\n".join(canvas.lines()))
        assert sum(map(int, more)) == both - visible
        hidden = [order for index, order in enumerate(scene.orders) if index not in places]
        assert not hidden or all(order.lacks for order in hidden)
        for index, place in places.items():
            order = scene.orders[index]
            text = "".join("".join(texts) for texts, _styles in canvas.copy(place))
            codes = [ingredient_code(kind) for kind in kinds_of(recipe_of(scene, order.drink))]
            shown = re.findall(rf"(?:{'|'.join(set(codes))})(?=[ {glyphs.MISSING}→]|$)", text)
            assert shown[-len(codes) :] == codes
            first = re.escape(drink_of(scene, order).split()[0])
            slot = r"\d[ !]" if size == (80, 24) or count > 3 else ""
            if size == (80, 24) and 2 * place.columns < canvas.marks["orders"].columns:
                assert name_on_half(canvas, scene, index)
                continue
            assert re.match(rf"{slot}[ {glyphs.SPECIALTY}]{first[:4]}", text), text


def test_the_key_that_shows_whole_names_is_drawn_while_any_is_shortened(
    scenes: list[Scene],
) -> None:
    """Names of the drinks of one's own deck may be as long as that."""
    known = with_orders(scenes[0], 1, LIST_LINES)
    menu = tuple(replace(one, name=f"{one.name} as my Mother made it") for one in known.view.menu)
    longer = Scene(replace(known.model, view=replace(known.view, menu=menu)), known.ui)
    for scene in (known, longer):
        title = next(line for line in drawn(scene, 80, 24) if "Your orders" in line)
        assert ("v whole names" in title) == (scene is longer), title


@pytest.mark.parametrize(
    ("size", "count", "has_room"),
    [((80, 24), 10, True), ((80, 24), 12, False), ((80, 30), 12, True), ((120, 30), 10, True)],
)
def test_orders_take_the_lines_that_the_guide_leaves_empty(
    scenes: list[Scene], size: tuple[int, int], count: int, has_room: bool
) -> None:
    scene = with_orders(scenes[0], 1, count)
    ui = Ui(size=size, guide=True)
    canvas = draw(scene.model, ui, *size)
    places = [canvas.marks[f"order{index}"] for index in range(count)]
    assert (len({place.y for place in places}) == count) is has_room
    lines = [*canvas.lines()]
    text = "".join(" ".join(lines).split())
    for line in Scene(scene.model, ui).guide:
        assert "".join(line.split()) in text, "all that it says is still there"
    opened, _wishes = press(scene.model, ui, "v", 60.0)
    for shown in (lines, [*draw(scene.model, opened, *size).lines()]):
        ends = [y for y, line in enumerate(shown) if line[places[0].x :].rstrip().endswith("┘")]
        assert len(ends) == 1, "the list of all orders covers the box"
    area = canvas.marks["orders"]
    before = OrdersBefore(area, canvas.copy(area), (), ((), (), (), ()))
    serving = replace(ui, animated=True, moments=Moments((), 60.0, size, orders=before))
    fewer = with_orders(scenes[0], 1, 2).model
    assert draw(fewer, serving, *size).marks["tabs"].y == canvas.marks["tabs"].y


@pytest.mark.parametrize("guide", [False, True])
def test_many_orders_are_whole_beside_the_hand_and_stay_where_they_are(
    scenes: list[Scene], guide: bool
) -> None:
    """First they take the supply's place: its pane has it. No pane or message moves them.

    With the guide, nothing is scarce enough to show the supply.
    """
    size = (80, 24)
    supply = {}
    for count in (7, 8, 9, 10):
        scene = with_orders(scenes[0], 1, count)
        ui = Ui(size=size, guide=guide)
        frames = [
            draw(scene.model, replace(ui, note=note, pane=pane), *size)
            for note in ("", "word " * 30)
            for pane in ("", "chat", "supply")
        ]
        assert len({str(canvas.marks["orders"]) for canvas in frames}) == 1
        lines = [*frames[0].lines()]
        for index, order in enumerate(scene.orders):
            assert drink_of(scene, order) in lines[frames[0].marks[f"order{index}"].y]
        assert any("In hand" in line for line in lines)
        supply[count] = any("Supply Co" in line for line in lines)
    assert supply == {7: not guide, 8: False, 9: False, 10: False}


def name_on_half(canvas: Canvas, scene: Scene, index: int) -> str:
    """Return the name of an order that shares a line, which may be shortened."""
    ((cells, _styles),) = canvas.copy(canvas.marks[f"order{index}"])
    order, text = scene.orders[index], "".join(cells)
    known = text_of([cup_part(order)]) if order.serve else text_of(recipe_parts(order))
    name = text[MARK_CELLS : text.index(known)].rstrip()
    assert name.removesuffix(".") in drink_of(scene, order)
    return name.removesuffix(".")


def test_a_name_on_a_shared_line_is_as_long_in_all_steps(
    scenes: list[Scene],
) -> None:
    names: dict[int, set[str]] = {}
    for scene in scenes:
        crowd = with_orders(scene, 1, 16)
        canvas = Canvas(47, LIST_LINES)
        draw_orders(canvas, crowd, Area(0, 0, 47, LIST_LINES))
        for index in range(4, 16):
            drink, name = crowd.orders[index].drink, name_on_half(canvas, crowd, index)
            names.setdefault(drink, set()).add(name)
    assert len(names) == 12
    assert all(len(one) == 1 and min(map(len, one)) >= LEAST_NAME for one in names.values())


def styles_of(canvas: Canvas, words: str) -> set[str]:
    """Return the styles in which words are drawn."""
    y, line = next((y, line) for y, line in enumerate(canvas.lines()) if words in line)
    begin = line.index(words)
    ((_cells, styles),) = canvas.copy(Area(begin, y, len(words), 1))
    return set(styles)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_cup_that_fits_no_order_warns(scenes: list[Scene], size: tuple[int, int]) -> None:
    assert scenes[0].view.own is not None
    own = replace(scenes[0].view.own, cups=((0, 0, 0, 0, 0, 0, 3, 0), NOTHING, NOTHING))
    model = replace(scenes[0].model, view=replace(scenes[0].view, own=own))
    assert styles_of(draw(model, Ui(size=size), *size), "fits no order") == {"class:penalty"}


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_who_sent_orders_is_said_in_their_colour_and_in_one_place_of_a_lane(
    scenes: list[Scene], size: tuple[int, int]
) -> None:
    seen: set[int] = set()
    for scene in scenes:
        canvas = draw(scene.model, Ui(size=size), *size)
        places: dict[int, set[int]] = {}
        for index, sender in enumerate(scene.senders):
            card = canvas.marks.get(f"order{index}")
            if sender is None or card is None:
                continue
            for y, (cells, styles) in enumerate(canvas.copy(card)):
                if (begin := "".join(cells).find("from ")) >= 0:
                    assert styles[begin] == seat_style(scene.seats, sender)
                    places.setdefault(scene.orders[index].slot, set()).add(y)
        assert all(len(rows) == 1 for rows in places.values())
        seen |= places.keys()
    assert 1 in seen


def with_orders(scene: Scene, slots: int, count: int) -> Scene:
    """Return a position with so many orders in each of the first slots."""
    drinks = tuple(range(count))
    orders = tuple(drinks if slot < slots else () for slot in range(SLOTS))
    view, me = scene.view, scene.me or 0
    player = replace(view.players[me], orders=orders)
    players = (*view.players[:me], player, *view.players[me + 1 :])
    return Scene(replace(scene.model, view=replace(view, players=players)), scene.ui)


def recipe_of(scene: Scene, drink: int) -> Counts:
    return scene.view.menu[drink].recipe


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 36)])
def test_an_order_to_serve_names_its_cup_once(scenes: list[Scene], size: tuple[int, int]) -> None:
    serving = [scene for scene in scenes if any(order.serve for order in scene.orders)]
    assert serving
    for scene in serving:
        lines = draw(scene.model, Ui(size=size), *size).lines()
        words = [line for line in lines if re.search(rf"{glyphs.SERVED}[123] +SERVE", line)]
        assert words
        again = rf"SERVE [123]|SERVE\s+{glyphs.SERVED}[123]"
        assert not any(re.search(again, line) for line in words), "the same as in help"


def test_orders_keep_their_places_while_cups_are_filled(scenes: list[Scene]) -> None:
    for scene in scenes:
        slots = scene.view.players[scene.me or 0].orders
        places = [drink for drinks in reversed(slots) for drink in drinks]
        assert [order.drink for order in scene.orders] == places
    assert len({order.cup for scene in scenes for order in scene.orders}) > 2


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
@pytest.mark.parametrize("language", EXTREMES)
def test_one_key_shows_every_order_in_full(
    crowded: Scene, size: tuple[int, int], language: str
) -> None:
    with spoken(language):
        ui, text = Ui(size=size), ""
        for key in ("v", *["down"] * len(crowded.orders)):
            ui, _wishes = press(crowded.model, ui, key, 60.0)
            text += "\n".join(draw(crowded.model, ui, *size).lines())
        for order in crowded.orders:
            assert drink_of(crowded, order) in text
        closed, _wishes = press(crowded.model, ui, "v", 61.0)
        assert closed.mode == "table"


def drawn(scene: Scene, columns: int, rows: int) -> list[str]:
    return [*draw(scene.model, Ui(size=(columns, rows)), columns, rows).lines()]


@pytest.mark.parametrize("language", EXTREMES)
def test_what_a_cup_is_for_is_whole_under_its_picture(scenes: list[Scene], language: str) -> None:
    """Or under the next one, if that has the room."""
    with spoken(language):
        for scene in scenes[::4]:
            canvas = Canvas(65, 5)
            draw_pictures(canvas, scene, Area(0, 0, 65, 5))
            assert glyphs.CUT not in [*canvas.lines()][-1]


def test_counts_take_the_same_cells_for_every_player_in_every_turn(scenes: list[Scene]) -> None:
    scene = scenes[-1]
    for penalties, boxes in ((0, "▫▫▫▫▫"), (2, "✗✗▫▫▫"), (5, "✗✗✗✗✗"), (6, "✗6   ")):
        for score, bar in (
            (-2, "      "),
            (0, "      "),
            (5, "▬▬    "),
            (6, "▬▬▬   "),
            (12, "▬▬▬▬▬▬"),
        ):
            first, *others = (replace(one, score=0, rush=3) for one in scene.view.players)
            players = (replace(first, score=score, penalties=penalties), *others)
            seen = Scene(replace(scene.model, view=replace(scene.view, players=players)), Ui())
            assert text_of(standing_parts(seen, 0, 6)) == f"{score:>2} {bar}  {boxes}  ↯3 "
            one_per_point = "▬" * score + " " * (12 - max(score, 0))
            assert text_of(standing_parts(seen, 0, 12))[3:15] == one_per_point
    far = tuple(replace(one, score=24 - 12 * seat) for seat, one in enumerate(players))
    seen = Scene(replace(scene.model, view=replace(scene.view, players=far)), Ui())
    assert text_of(standing_parts(seen, 0, 6))[3:9] == "▬▬▬▬▬▬"
    assert text_of(standing_parts(seen, 1, 6))[3:9] == "▬▬▬   ", "on the same scale"
    assert text_of(standing_parts(seen, 1, 12))[3:15] == "▬▬▬▬▬▬      ", "two points per cell"


@pytest.mark.parametrize("language", EXTREMES)
def test_upgrades_are_words_or_boxes_if_these_do_not_fit(
    scenes: list[Scene], language: str
) -> None:
    scene = scenes[-1]
    with spoken(language):
        for active in product((False, True), repeat=len(Upgrade)):
            players = tuple(replace(one, upgrades=active) for one in scene.view.players)
            seen = Scene(replace(scene.model, view=replace(scene.view, players=players)), Ui())
            words = " ".join(upgrade_word(one) for one in Upgrade if active[one])
            assert upgrades_in(seen, 0, width(words)) == words
            boxes = "".join("▣" if one else "▢" for one in active)
            assert upgrades_in(seen, 0, width(words) - 1) == (boxes if words else "")


def test_upgrades_of_all_are_words_or_those_of_all_are_boxes(scenes: list[Scene]) -> None:
    """The words of one may have room where those of another have none."""
    scene, *_rest = scenes
    active = [(True, True, False, False), (False, True, False, False)]
    players = [
        replace(one, upgrades=upgrades)
        for one, upgrades in zip(scene.view.players, active, strict=False)
    ]
    view = replace(scene.view, players=(*players, *scene.view.players[len(active) :]))
    seen = Scene(replace(scene.model, view=view), Ui())
    longest = sum(width(upgrade_word(one)) for one in Upgrade if active[0][one]) + 1
    for cells, is_word in ((longest, True), (longest - 1, False)):
        texts = [upgrades_in(seen, seat, cells) for seat in range(len(active))]
        assert [("▣" in text) is not is_word for text in texts] == [True, True]
