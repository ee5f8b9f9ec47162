"""Serving, an upgrade, a penalty, the last round, the result: each is shown loudly, and once."""

import re
from collections.abc import Generator, Iterator
from functools import cache
from io import StringIO
from itertools import groupby, pairwise
from random import Random

import pytest
from msgspec.structs import replace
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from coffeerush.client.history import History, hear, public, tell
from coffeerush.client.model import Model
from coffeerush.local.settings import Settings
from coffeerush.rules import events, view_for
from coffeerush.rules.board import pack
from coffeerush.ui.pages.pages import ink_style, token_style
from coffeerush.ui.plain.conversation import Session
from coffeerush.ui.table.draw_board import area_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_moments import NAMED, REVEALED, over_board
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update, moments_in
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import (
    ENDING_TIMES,
    FRAME_SECONDS,
    FRAMES,
    MOMENT_SECONDS,
    WIN_FRAMES,
    Moment,
    Moments,
    OrdersBefore,
    ShownEmote,
    Ui,
    What,
    advanced,
    followed_by,
    layout_of,
)
from coffeerush.ui.terminal.canvas import Area, Canvas, Look
from coffeerush.ui.terminal.output import SLOW_OUTPUTS, DiffOutput, Pens, frame_diff
from coffeerush.ui.terminal.theme import style_of
from coffeerush.ui.words.events import last_round, why_over
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import drink_name, emote_text, orders, upgrade_help, upgrade_name
from protocol import (
    BOARD_SIDE,
    SLOTS,
    Accepted,
    Ingredient,
    Phase,
    Poured,
    SeatView,
    Serve,
    TableView,
    TokenClosed,
    Update,
    Upgrade,
)
from tests.golden.frames import EXTREMES, LANGUAGES, spoken
from tests.support.local import begun, choose
from tests.support.positions import DRINKS, Has, in_words, play, position
from tests.support.screen_terminal import (
    ENTER,
    QUIET,
    Terminal,
    idle,
    run,
    shown,
    start_clock,
)

SIZES = [(40, 12), (80, 24), (120, 36), (200, 60)]
MOVING = replace(QUIET, moments=True)
WHATS: list[What] = ["serve", "arrive", "upgrade", "penalty", "last round", "over", "win"]
SLOWLY = 0.7
"""Seconds of the screen's clock per real second."""
LOUD = {"class:flash", "class:bust"}


@cache
def updates() -> dict[tuple[What, bool], tuple[Model, Model]]:
    """Return an update with each moment, of this player and of others."""
    found: dict[tuple[What, bool], tuple[Model, Model]] = {}
    for before, after in _models():
        known = moments_in(before, after, Ui(size=(80, 24), animated=True), 0.0)
        then = followed_by(known, 0.0) if known else None
        for moment in (*(known.moments if known else ()), *(then.moments if then else ())):
            found.setdefault((moment.what, moment.seat == after.seat), (before, after))
    return found


@cache
def _models() -> tuple[tuple[Model, Model], ...]:
    return tuple(_game())


def _game() -> Iterator[tuple[Model, Model]]:
    for seed in (5, 7):
        link, chance = begun(("regular",) * 3, seed=seed), Random(4)
        models = [link.model]
        link.on_change = models.append
        while link.model.table and link.model.table.stage == "game":
            link.wish(choose(link, chance))
        yield from pairwise(models)


def frames(key: tuple[What, bool], size: tuple[int, int]) -> tuple[list[Canvas], Canvas, Moment]:
    """Return all frames of a moment, the one after it, and the moment."""
    before, after = updates()[key]
    ui = Ui(size=size, animated=True)
    known = moments_in(before, after, ui, 0.0)
    known = followed_by(known, 0.0) if known and key[0] == "win" else known
    assert known is not None
    plain = draw(known.ending or after, ui, *size)
    drawn = [
        draw(after, replace(ui, moments=replace(known, frame=number)), *size)
        for number in range(known.frames)
    ]
    moment = next(one for one in known.moments if one.what == key[0])
    return drawn, plain, moment


def loud(canvas: Canvas) -> str:
    """Return the text drawn in the loud styles."""
    return "".join(
        text
        for texts, styles in canvas.cells(Look())
        for text, style in zip(texts, styles, strict=True)
        if LOUD & {style, style.removesuffix(" bold")}
    )


def test_a_game_has_every_moment() -> None:
    assert {what for what, _mine in updates()} == {*WHATS}
    assert ("serve", True) in updates()
    assert ("penalty", True) in updates()


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", EXTREMES)
def test_a_moment_is_told_by_signs_and_words_on_every_screen(
    size: tuple[int, int], language: str
) -> None:
    with spoken(language):
        for key, (_before, after) in updates().items():
            drawn, plain, moment = frames(key, size)
            text = "\n".join(drawn[0].lines())
            drinks = [drink_name(after, drink)[:4] for drink in moment.drinks]
            gains = [" +1↯" * (index < moment.rush) for index in range(len(drinks))]
            match moment.what:
                case "serve":
                    assert f" ✓ +1{' +1↯' * moment.rush} {drinks[0]}" in text
                case "arrive":
                    said = "\n".join(drawn[-1].lines())
                    assert size[0] < 80 or all(drink in said for drink in drinks)
                    assert loud(drawn[0])
                    if key[1] and size[0] >= 80:  # to be read from the first frame
                        orders = plain.marks["orders"]
                        assert all(one.copy(orders)[0] == plain.copy(orders)[0] for one in drawn)
                case "penalty" if key[1]:
                    assert all(
                        f" ✗ -1{gain} {drink}" in text
                        for gain, drink in zip(gains, drinks, strict=True)
                    )
                    assert "✗" in loud(drawn[0])
                case "penalty":
                    lost = f"-{len(drinks)}" + f" +{moment.rush}↯" * bool(moment.rush) + " "
                    lost = lost if f"seat{moment.seat}" in plain.marks else ""
                    assert f" {'✗' * len(drinks)} {lost}{drinks[0]}" in text
                case "upgrade":
                    assert " ▣ " in loud(drawn[0])
                case "last round":
                    assert len(loud(drawn[0])) >= 40
                case "over":
                    assert _("CLOSED") in loud(drawn[0]) or len(loud(drawn[0])) >= 40
                case "win":
                    assert len(text.split()) < len("\n".join(plain.lines()).split())
            assert all(canvas.rows == size[1] for canvas in drawn)
            assert not loud(plain)
            seen = loud(drawn[-1]) or moment.what == "win"  # whose confetti has no room everywhere
            assert [*drawn[-1].lines()] != [*plain.lines()] or seen


@pytest.mark.parametrize("size", SIZES[1:])
def test_all_orders_that_are_new_light_up_with_those_that_arrive(size: tuple[int, int]) -> None:
    coloured = {style(kind) for kind in Ingredient for style in (token_style, ink_style)}
    seen = 0
    for before, after in _models():
        known = moments_in(before, after, Ui(size=size, animated=True), 0.0)
        if known is None or not any(one.what == "arrive" for one in known.moments):
            continue
        canvas = draw(after, Ui(size=size, animated=True, moments=known), *size)
        senders = Scene(after, Ui(size=size)).senders
        seen += len({*senders} - {None}) > 1
        for index, sender in enumerate(senders):
            area = canvas.marks.get(f"order{index}")
            styles = {style for _texts, row in canvas.copy(area) for style in row} if area else ()
            assert ("class:flash" in styles) is (area is not None and sender is not None)
            plain = draw(after, Ui(size=size), *size)
            kept = [one.copy(area) if area else () for one in (canvas, plain)]
            inks = [
                [style for _texts, row in rows for style in row if style in coloured]
                for rows in kept
            ]
            assert inks[0] == inks[1], "ingredients keep their colours"
    assert seen, "orders of two senders"


@pytest.mark.parametrize("size", SIZES)
def test_a_moment_leaves_no_half_words(size: tuple[int, int]) -> None:
    drawn, _plain, _moment = frames(("arrive", True), size)
    loudly = {word for canvas in drawn for word in loud(canvas).split()}
    assert not [word for word in loudly if "…" in word]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES[1:3])
@pytest.mark.parametrize("what", ["serve", "upgrade", "penalty"])
def test_what_is_written_beside_a_name_leaves_no_half_words(
    what: What, size: tuple[int, int]
) -> None:
    drawn, plain, moment = frames((what, False), size)
    name = plain.marks[f"seat{moment.seat}"]
    x = name.x + name.columns
    before, after = ([*canvas.lines()][name.y][x:] for canvas in (plain, drawn[0]))
    model = updates()[what, False][1]
    told = [*(drink_name(model, drink) for drink in moment.drinks), upgrade_name(moment.upgrade)]
    assert before != after
    for word in re.findall(r"[^\W\d]+", after):
        assert word.lower() in " ".join([before, *told]).lower().split(), after


def sent(parts: Generator[None, None, tuple[str, int | None]]) -> str:
    """Run through the parts of a frame; return its code."""
    codes: list[str] = []

    def all_of() -> Generator[None, None, None]:
        code, _pen = yield from parts
        codes.append(code)

    for _part in all_of():
        pass
    return codes[0]


@pytest.mark.slow
def test_taking_a_moment_away_sends_little() -> None:
    """What a moment covers has to be drawn again, so it covers no more than it needs."""
    size, depth = SIZES[-1], ColorDepth.DEPTH_24_BIT
    output = DiffOutput(StringIO(), lambda: Size(*size[::-1]), term="xterm-256color")
    style = Style.from_dict(style_of("dark", "true"))
    pens = Pens(style, depth, lambda attrs: output._code(attrs, depth))
    for key in updates():
        drawn, plain, _moment = frames(key, size)
        cells = [[*canvas.cells(Look())] for canvas in (*drawn, plain)]
        for before, after in pairwise(cells):
            code = sent(frame_diff(before, after, pens, None))
            few = key[0] == "last round" and not orders_before(key, size)
            assert len(code.encode()) < (800 if few else 2000), key


def orders_before(key: tuple[What, bool], size: tuple[int, int]) -> OrdersBefore | None:
    known = moments_in(*updates()[key], Ui(size=size, animated=True), 0.0)
    return known.orders if known else None


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("what", ["serve", "penalty"])
def test_an_order_goes_from_its_own_row(what: What, size: tuple[int, int]) -> None:
    """All others stay where they are until it is gone."""
    before, _after = updates()[what, True]
    was = draw(before, Ui(size=size), *size)
    drawn, plain, moment = frames((what, True), size)
    area = was.marks["orders"]
    gone = {place.y + row for place in moment.places for row in range(place.rows)}
    old, new, later = ([*canvas.lines()] for canvas in (was, drawn[0], plain))
    rows = [y for y in range(area.y, area.y + area.rows) if y not in gone]
    assert gone
    assert [old[y][area.x :] for y in rows] == [new[y][area.x :] for y in rows]
    edge = area.y + area.rows
    if what == "penalty":
        assert "expire" not in new[edge], "it would be about other orders than those"
    else:
        assert new[edge][area.x :] == later[edge][area.x :], "it is about the turn to come"
    assert (what, size[0]) != ("penalty", 120) or old[edge][area.x :] != new[edge][area.x :]
    model = updates()[what, True][0]
    for place, drink in zip(moment.places, moment.drinks, strict=False):
        assert drink_name(model, drink) in old[place.y] or size[0] < 80


def played(
    *serves: Serve,
    orders: tuple[str, ...] = ("Americano", "Americano, Cortado", "", "Iced tea"),
    drinks: tuple[str, ...] = ("Americano", "Cortado", "Iced tea"),
) -> Iterator[tuple[Model, Accepted, Update]]:
    """Return the first model; then the model after each serve, its answer and its publication."""
    recipes = {one.name: in_words(pack(one.recipe)) for one in DRINKS}
    begin = position(Has(orders, tuple(recipes[one] for one in drinks)), Has(), Has())
    state = replace(begin, phase=Phase.SERVING, path=(1, 0), meeple=0, standing=begin.standing - 1)
    seats = tuple(SeatView("person", name) for name in ("Ann", "Bea", "Cid"))
    table = TableView("Café", "game", seats, None, (), (), False, 0, None)
    model = Model("player", "Ann", "here", seat=0, table=table, view=view_for(state, 0), game=1)
    for rev, serve in enumerate((None, *serves)):
        before, state = state, play(state, serve) if serve else state
        view = view_for(state, 0)
        model = replace(model, view=view, rev=rev)
        of_seat, of_all = (events(before, serve, state, who) if serve else () for who in (0, None))
        answer = Accepted(b"", b"", 1, rev, of_seat, view)
        yield model, answer, Update(b"", rev, 1, rev, (), of_all, table, view)


@pytest.mark.parametrize("size", SIZES)
def test_of_several_orders_served_at_once_each_goes_from_its_own_row(
    size: tuple[int, int],
) -> None:
    steps = iter([*played(Serve(3, 4), Serve(1, 2), Serve(2, 2))])
    ui, (model, *_none) = Ui(size=size, animated=True), next(steps)
    was = [*draw(model, ui, *size).lines()]
    for now, (after, _answer, update) in enumerate(steps):
        before, model = model, replace(after, history=hear(model.history, update))
        ui = apply_update(before, model, ui, now / 10)
    assert ui.moments is not None
    places = [place for moment in ui.moments.moments for place in moment.places]
    assert len({(place.x, place.y) for place in places}) == len(places) == 3
    lines = [*draw(model, ui, *size).lines()]
    assert "".join(lines).count(" ✓ +1 ") == 3
    for place, name in zip(places, ("Iced tea", "Americano", "Cortado"), strict=True):
        end = place.x + place.columns
        assert name in was[place.y][place.x : end] or size[0] < 80
        assert f" ✓ +1 {name}" in lines[place.y][place.x : end]


@pytest.mark.parametrize("size", SIZES[1:])
def test_orders_stay_in_their_rows_beside_the_cups_of_now(size: tuple[int, int]) -> None:
    """What was in a cup that is empty now is missing again."""
    serves, names = (Serve(1, 1), Serve(3, 2)), ("Iced coffee", "Hot chocolate", "Mocha", "")
    steps = iter([*played(*serves, orders=names, drinks=("Iced coffee", "Iced tea", names[1]))])
    ui, (model, *_none) = Ui(size=size, animated=True), next(steps)
    rows = []
    for now in range(3):
        canvas = draw(model, ui, *size)
        rows.append(["".join(row) for row, _styles in canvas.copy(canvas.marks["order0"])])
        if now < 2:
            before, (after, _answer, update) = model, next(steps)
            model = replace(after, history=hear(model.history, update))
            ui = apply_update(before, model, ui, now / 10)
    poured, first, both = ("".join(row) for row in rows)
    assert "Mocha" in poured
    assert poured.count("→3") == first.count("→3") == 1
    assert "Mocha" in both
    assert "→" not in both
    assert [row.count("·") for row in (poured, first, both)] == [1, 1, 4]


def test_each_order_is_shown_once_whatever_comes_first() -> None:
    """Space serves several: an answer may come with the publication of the intent before it."""
    steps = [*played(Serve(3, 4), Serve(1, 2))]
    ui = Ui(size=(80, 24), animated=True)
    (begin, *_none), (first, answer1, update1), (second, answer2, update2) = steps
    before = begin
    for model, history in (
        (first, tell(begin.history, answer1)),
        (second, tell(hear(tell(begin.history, answer1), update1), answer2)),
        (second, hear(tell(hear(tell(begin.history, answer1), update1), answer2), update2)),
    ):
        after = replace(model, history=history)
        ui, before = apply_update(before, after, ui, 1.0), after
    assert ui.moments is not None
    assert [moment.count for moment in ui.moments.moments] == [1, 2]


def test_of_equal_events_only_those_seen_ahead_are_old() -> None:
    """Two pours look the same in public; the answer to the first one came before both."""
    [(begin, *_none), (after, answer, update)] = played(Serve(3, 4))
    pours = Poured(0, Ingredient.MILK, 1), Poured(0, Ingredient.ICE, 1)
    told = tell(begin.history, replace(answer, events=pours[:1]))
    bare = tuple(public(pour) for pour in pours)
    heard = hear(told, replace(update, events=(*bare, *update.events)))
    ahead, late = replace(begin, history=told), replace(after, history=heard)
    known = moments_in(ahead, late, Ui(size=(80, 24), animated=True), 0.0)
    assert known is not None
    assert [moment.what for moment in known.moments] == ["serve"]


def test_a_moment_is_shown_if_the_view_came_before_its_events() -> None:
    (begin, *_none), (after, _answer, update) = played(Serve(3, 4))
    ahead = replace(after, history=begin.history)
    known = moments_in(begin, ahead, Ui(size=(80, 24), animated=True), 0.0)
    assert known is None
    heard = replace(after, history=hear(begin.history, update))
    known = moments_in(ahead, heard, Ui(size=(80, 24), animated=True), 0.0)
    assert known is not None
    assert [moment.count for moment in known.moments] == [1]


@pytest.mark.parametrize("slow", [False, True])
def test_others_moments_do_not_replace_ones_own(slow: bool) -> None:
    """A turn ends with one's penalties, and the next player is quick."""
    ui = Ui(size=(80, 24), animated=True, slow=slow)
    ui = apply_update(*updates()["penalty", True], ui, 10.0)
    assert ui.moments is not None
    mine = ui.moments
    for what in ("serve", "upgrade", "penalty"):
        assert apply_update(*updates()[what, False], ui, 10.5).moments is mine
    others = apply_update(*updates()["serve", False], replace(ui, moments=None), 11.5).moments
    assert (others is None) is slow


@cache
def until_another_closes() -> list[Model]:
    """Return the models of a game until the move of another player begins the last round."""
    for seed in range(1, 40):
        link, chance = begun(("casual",) * 3, seed=seed), Random(4)
        models = [link.model]
        link.on_change = models.append
        while link.model.table and link.model.table.stage == "game":
            link.wish(choose(link, chance))
        closed = next(at for at, one in enumerate(models) if one.view and one.view.closed)
        before, after = models[closed - 1 : closed + 1]
        if any(isinstance(one, TokenClosed) for one in after.fresh(before)) and not before.my_turn:
            return models[: closed + 1]
    raise AssertionError("no such game")


@pytest.mark.parametrize("slow", [False, True])
def test_that_the_last_round_begins_is_shown_whatever_else_is(slow: bool) -> None:
    ui = Ui(size=(80, 24), animated=True, slow=slow)
    mine = apply_update(*updates()["penalty", True], ui, 10.0)
    assert mine.moments is not None
    *_models, before, after = until_another_closes()
    ui = apply_update(before, after, mine, 10.5)
    assert ui.moments is not None
    assert "last round" in {moment.what for moment in ui.moments.moments}
    for what in ("serve", "upgrade", "penalty"):
        assert apply_update(*updates()[what, False], ui, 11.0).moments is ui.moments


def test_that_the_last_round_begins_is_shown_after_turns_that_were_skipped() -> None:
    *models, after = until_another_closes()
    for before in models[-60:-30]:  # several turns
        known = moments_in(before, after, Ui(size=(80, 24), animated=True), 0.0)
        assert known is not None
        assert [moment.what for moment in known.moments] == ["last round"]


@pytest.mark.parametrize("size", SIZES)
def test_an_order_flashes_beside_the_colours_of_its_ingredients(size: tuple[int, int]) -> None:
    _before, after = updates()["serve", True]
    drawn, _plain, moment = frames(("serve", True), size)
    assert after.view is not None
    recipe = after.view.menu[moment.drinks[0]].recipe
    (place,) = moment.places
    cells = drawn[0].copy(place)
    named = {style for row in cells for text, style in zip(*row, strict=True) if text.strip()}
    assert named == {"class:flash bold"}, "a name has one ground, and nothing else is said"
    names = {style for _texts, styles in cells for style in styles if style} - named
    wanted = {
        f"class:{kind.name.lower()}"
        for kind, count in zip(Ingredient, recipe, strict=True)
        if count
    }
    assert names == wanted


@pytest.mark.slow
@pytest.mark.parametrize("what", ["serve", "penalty", "upgrade"])
@pytest.mark.parametrize("language", EXTREMES)
def test_a_banner_covers_counts_and_orders_as_a_whole(what: What, language: str) -> None:
    with spoken(language):
        drawn, plain, moment = frames((what, False), (80, 24))
        mark = drawn[0].marks[f"seat{moment.seat}"]
        rows = ([*one.cells(Look())][mark.y][0] for one in (plain, drawn[0]))
        before, shown = (row[mark.x + mark.columns :] for row in rows)
        rest = next(at for at in range(len(shown)) if shown[at:] == before[at:])
        left = "".join(shown[rest:]).split()
        has_slots = any(one.startswith(f"{slot}:") for one in left for slot in range(1, SLOTS + 1))
        assert not has_slots or left[0] == _("orders"), "slots as a whole"
        assert shown[rest] == " ", shown


def test_the_orders_that_it_sends_arrive_at_the_next_players() -> None:
    _before, after = updates()["serve", True]
    drawn, _plain, _moment = frames(("serve", True), (80, 24))
    assert after.view is not None
    assert after.table is not None
    me = after.seat or 0
    names = [after.table.seats[(me + turn) % 4].name for turn in (1, 2, 3)]
    for canvas in drawn[FRAMES // 2 :]:
        lines = [line for line in canvas.lines() if " 1 order ←A " in line]
        assert [next(name for name in names if name in line) for line in lines] == sorted(names[:2])
    for columns_and_rows in SIZES[1:]:
        drawn, plain, _moment = frames(("serve", True), columns_and_rows)
        counts = {area.y for mark, area in plain.marks.items() if mark.startswith("counts")}
        for canvas in drawn:
            wordings = (" 1 order ←A ", " 1 order from Ann ")
            marked = {
                y for y, line in enumerate(canvas.lines()) if any(one in line for one in wordings)
            }
            assert marked <= counts, "nowhere but beside their names"
    narrow, _plain, _moment = frames(("serve", True), (40, 12))
    told = next(narrow[-1].lines())[: narrow[-1].marks["score"].x]
    assert told.rstrip() == f" 1 order → {names[0]}, {names[1]}"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("mine", [True, False])
def test_what_happens_to_others_covers_neither_the_score_nor_ones_own_turn(
    mine: bool, size: tuple[int, int], language: str
) -> None:
    """Others may be hidden by the guide; what happens to them is then told in the top line."""
    with spoken(language):
        (model, *_none), *_rest = played()
        assert model.view is not None
        view = model.view if mine else replace(model.view, active=2)
        model = replace(model, view=view)
        ui = Ui(size=size, animated=True, guide=size[0] >= 80)
        plain = draw(model, ui, *size)
        top, score = Area(0, 0, size[0], 1), plain.marks["score"].x
        is_hidden = "seat1" not in plain.marks
        assert is_hidden or size[0] > 80
        for moment in (
            Moment("penalty", 1, (0, 1)),
            Moment("serve", 2, (1,)),
            Moment("upgrade", 1),
            Moment("arrive", 0, (4,), sender=2),
        ):
            shown_ = replace(ui, moments=Moments((moment,), 0.0, size))
            canvas = draw(model, shown_, *size)
            counts = Area(score, 0, size[0] - score, 1)
            has_room = mine or size[0] >= 80
            assert not has_room or canvas.copy(counts) == plain.copy(counts)
            is_told = not mine and (is_hidden or moment.what == "arrive")
            assert (canvas.copy(top) != plain.copy(top)) is is_told, moment


def test_an_open_list_hides_what_moves() -> None:
    before, after = updates()["serve", False]
    ui = Ui(size=(80, 24), mode="hall", settings=Settings(moments=True), animated=True)
    shown = replace(ui, moments=moments_in(before, after, ui, 10.0))
    assert shown.moments is not None
    assert [*draw(after, shown, 80, 24).lines()] == [*draw(after, ui, 80, 24).lines()]


def test_nothing_is_shown_if_nothing_may_move() -> None:
    for before, after in updates().values():
        for ui in (
            Ui(size=(80, 24)),
            Ui(size=(80, 24), animated=True, settings=Settings(moments=False)),
        ):
            assert moments_in(before, after, ui, 0.0) is None
        ui = apply_update(before, after, Ui(size=(80, 24), animated=True), 5.0)
        assert ui.moments is not None
        slow = replace(ui, animated=False)  # the line has become slow meanwhile
        assert [*draw(after, slow, 80, 24).cells(Look())] == [
            *draw(after, replace(slow, moments=None), 80, 24).cells(Look())
        ]


@pytest.mark.parametrize(("what", "count"), [("serve", FRAMES), ("win", WIN_FRAMES)])
def test_a_moment_takes_as_long_as_it_may(what: What, count: int) -> None:
    assert MOMENT_SECONDS <= 1.5, "others go on meanwhile"
    assert pytest.approx(2.0) == (WIN_FRAMES - REVEALED) * FRAME_SECONDS
    begun_: Moments | None = Moments((Moment(what),), 10.0, (80, 24))
    seen, now = [], 10.0
    while begun_ is not None:
        seen.append(begun_.frame)
        now = begun_.next_at
        assert advanced(begun_, now - FRAME_SECONDS / 2) is begun_
        begun_ = advanced(begun_, now)
    assert seen == [*range(count)]
    assert now == pytest.approx(10.0 + count * FRAME_SECONDS)
    assert advanced(Moments((Moment(what),), 10.0, (80, 24)), 13.1) is None


@pytest.mark.parametrize("size", SIZES)
def test_players_appear_from_the_last_to_the_first_and_then_confetti_falls(
    size: tuple[int, int],
) -> None:
    key = next(key for key in updates() if key[0] == "win")
    drawn, plain, _moment = frames(key, size)
    place = [plain.marks[f"place{number}"] for number in range(4)]
    filled = [
        [number for number in range(4) if [*canvas.lines()][place[number].y].strip()]
        for canvas in drawn[:4]
    ]
    assert filled == [[], [3], [1, 2, 3], [0, 1, 2, 3]]
    for canvas in drawn[:NAMED]:
        assert " wins" not in "\n".join(canvas.lines()), "the log and the reasons come last"
    words = re.findall(r"\w+", "\n".join(plain.lines()))
    for canvas in drawn[REVEALED:]:
        assert re.findall(r"\w+", "\n".join(canvas.lines())) == words, "it hides nothing"
    if size != (40, 12):  # which has no blank cells but one
        assert all([*one.lines()] != [*plain.lines()] for one in drawn[REVEALED:])


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_the_last_move_of_a_game_and_why_it_has_ended_are_seen_before_the_result(
    size: tuple[int, int],
) -> None:
    for before, after in _models():
        if not after.view or not after.view.standings or not before.view or before.view.standings:
            continue
        ui = apply_update(before, after, Ui(size=size, animated=True), 5.0)
        assert ui.moments is not None
        told, gone = why_over(after, after.view), before.view.players[before.view.active or 0]
        for frame in range(FRAMES):
            canvas = draw(after, replace(ui, moments=replace(ui.moments, frame=frame)), *size)
            text = "\n".join(canvas.lines())
            assert "counts1" in canvas.marks or "orders" in canvas.marks, "the table is still there"
            assert all(word in text for word in told.split()), text
            assert loud(canvas)
            assert text.count("✗ ") >= len(gone.orders[SLOTS - 1])
        still = advanced(ui.moments, 5.0 + MOMENT_SECONDS)
        assert still, "it is worth a look"
        assert still.ending
        then = advanced(ui.moments, 5.0 + ENDING_TIMES * MOMENT_SECONDS)
        assert then is not None
        assert [moment.what for moment in then.moments] == ["win"]
        assert after.table
        result = replace(after, table=replace(after.table, stage="result"))
        text = "\n".join(draw(result, replace(ui, moments=None), *size).lines())
        assert size[0] < 80 or told in text


@pytest.mark.parametrize("size", SIZES)
def test_as_a_game_ends_the_first_and_the_last_line_are_those_of_the_end(
    size: tuple[int, int],
) -> None:
    ends = [
        (before, after)
        for before, after in _models()
        if after.view and after.view.standings and before.view and not before.view.standings
    ]
    assert any(before.my_turn for before, _after in ends)
    for before, after in ends:
        assert after.view
        is_result = after.table is not None and after.table.stage == "result"
        assert (apply_update(before, after, Ui(size=size), 5.0).result_at == 5.0) is is_result
        ui = apply_update(before, after, Ui(size=size, animated=True), 5.0)
        canvas = draw(after, ui, *size)
        top, *_rest, bottom = canvas.lines()
        assert "CLOSED" in top
        assert "YOUR TURN" not in top
        assert "LAST ROUND" not in top
        assert f"You {after.view.players[after.seat or 0].score} " in top
        assert bottom.split() == ["Space", "skip"], "all keys do that"
        for seat, player in enumerate(after.view.players):
            shown_ = canvas.marks.get(f"counts{seat}")
            if shown_ and seat != after.seat:
                ((texts, _styles),) = canvas.copy(replace(shown_, rows=1))
                assert str(player.score) in "".join(texts).split()


def test_the_end_is_not_shown_over_what_is_open() -> None:
    before, after = updates()["over", False]
    for opened in (Ui(size=(80, 24), mode="chat"), Ui(size=(80, 24), asked="leave")):
        known = moments_in(before, after, replace(opened, animated=True), 0.0)
        assert known is not None
        assert [moment.what for moment in known.moments] == ["win"]


def test_what_happened_while_the_screen_was_behind_is_not_shown() -> None:
    """After a lost connection, or skipped turns, only the board shows what is new."""
    link, chance = begun(("regular",) * 3, seed=5), Random(4)
    first = link.model
    for _move in range(24):
        link.wish(choose(link, chance))
    ui = Ui(size=(80, 24), animated=True)
    assert moments_in(first, link.model, ui, 0.0) is None
    before, after = updates()["serve", True]
    assert moments_in(replace(before, status="lost"), after, ui, 0.0) is None


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("size", SIZES)
def test_the_last_round_is_announced_until_a_key_is_pressed(
    size: tuple[int, int], language: str
) -> None:
    with spoken(language):
        ui, seen = Ui(size=size), 0
        for before, after in _models():
            if not last_round(after):
                continue
            ui, seen = apply_update(before, after, ui, 0.0), seen + 1
            if not last_round(before):
                later = press(after, ui, "~", 1.0)[0]
                assert last_round(after) not in later.note
            text = "\n".join(draw(after, ui, *size).lines())
            assert all(word in text for word in last_round(after).split()), text
        assert seen > 2


@pytest.mark.slow
def test_plain_mode_says_sentences() -> None:
    session = Session(Settings(guided=True))
    said: list[str] = []
    for _before, after in _models():
        said += session.changed(after).lines
    text = "\n".join(said)
    for sentence in (
        *("You serve ", " serves ", " discards ", " activates the upgrade "),
        *(": you take ", "this round is the last.", "The game is over; "),
    ):
        assert sentence in text


# In a terminal


async def serving(terminal: Terminal) -> None:
    """Play until this player serves an order, and see the first frame of that."""
    link, chance = terminal.link, Random(4)
    served = False
    while not served:
        intent, drawn = choose(link, chance), terminal.frames
        served = isinstance(intent, Serve)
        link.wish(intent)
        await terminal.until_drawn(drawn)


@pytest.mark.slow
def test_a_key_skips_a_moment_and_does_what_it_does() -> None:
    async def main() -> None:
        async with shown(begun(seed=5), settings=MOVING) as terminal:
            await serving(terminal)
            assert " ✓ +1" in terminal.text
            assert "You 1" in terminal.lines[0], "the update is there at once"
            terminal.type("i")
            await terminal.until(lambda: " ✓ +1" not in terminal.text)
            assert terminal.screen._ui.note in " ".join(terminal.text.split())
            assert terminal.screen._ui.note

    run(main(), speedup=SLOWLY)


@pytest.mark.slow
def test_a_key_only_skips_the_end_of_a_game() -> None:
    async def main() -> None:
        link, chance = begun(("regular",) * 3, seed=5), Random(4)
        async with shown(link, settings=MOVING) as terminal:
            while link.model.table and link.model.table.stage == "game":
                link.wish(choose(link, chance))
            await terminal.until(lambda: "The café closed" in terminal.text)
            assert "Score by round" not in terminal.text
            terminal.type("q")
            await terminal.until(lambda: "Score by round" in terminal.text)
            assert terminal.screen.ui.asked == ""

    run(main(), speedup=SLOWLY)


@pytest.mark.slow
@pytest.mark.parametrize("waits", [True, False], ids=["it is over", "a key skips it"])
def test_an_enter_meant_for_the_turn_starts_no_rematch(waits: bool) -> None:
    async def main() -> None:
        link, chance = begun(("regular",) * 3, seed=5), Random(4)
        async with shown(link, settings=MOVING) as terminal:
            while link.model.table and link.model.table.stage == "game":
                link.wish(choose(link, chance))
            await terminal.see("The café closed")
            if waits:
                await idle(ENDING_TIMES * MOMENT_SECONDS)
            else:
                await terminal.press(ENTER)
            stages = []
            for _press in range(2):
                await terminal.press(ENTER)
                await idle(1.0)
                stages.append(link.model.table and link.model.table.stage)
            assert stages == ["result", "game"]
            start_clock()

    run(main(), speedup=0)


@pytest.mark.slow
def test_after_a_moment_the_screen_is_idle() -> None:
    async def main() -> None:
        async with shown(begun(seed=5), settings=MOVING) as terminal:
            await serving(terminal)
            assert " ✓ +1" in terminal.text
            await terminal.until(lambda: " ✓ +1" not in terminal.text)
            drawn = terminal.frames
            await idle(5.0)
            assert terminal.frames == drawn

    run(main(), speedup=SLOWLY)


@pytest.mark.parametrize(
    "settings", [QUIET, replace(MOVING, colours="none")], ids=["set so", "without colours"]
)
async def test_where_nothing_may_move_an_update_is_one_frame(settings: Settings) -> None:
    async with shown(begun(seed=5), settings=settings) as terminal:
        await still(terminal)


def test_on_a_slow_line_ones_own_moment_is_one_frame() -> None:
    async def main() -> None:
        async with shown(begun(seed=5), settings=MOVING) as terminal:
            for _output in range(SLOW_OUTPUTS):
                terminal.output.note_late()
            await serving(terminal)
            assert " ✓ +1" in terminal.text, "busy machines have slow lines too"
            drawn, shown_ = terminal.frames, terminal.screen.ui.moments
            assert shown_ is not None
            assert shown_.next_at - shown_.at == pytest.approx(MOMENT_SECONDS)
            await terminal.until(lambda: " ✓ +1" not in terminal.text)
            assert terminal.frames == drawn + 1

    run(main(), speedup=SLOWLY)


async def still(terminal: Terminal) -> None:
    """Check that serving an order draws one frame, without a flash."""
    await serving(terminal)
    assert " ✓ +1" not in terminal.text
    drawn = terminal.frames
    await idle(5.0)
    assert terminal.frames == drawn


def serves(count: int) -> tuple[Model, Model]:
    """Return an update in which this player serves the second or third order of a turn."""
    found = (
        (before, after)
        for before, after in _models()
        if before.view and before.my_turn and before.view.served == count - 1
        if after.view and after.view.served == count
    )
    return next(found)


@pytest.mark.parametrize("size", SIZES[1:])
def test_the_second_order_of_a_turn_is_written_over_the_board(size: tuple[int, int]) -> None:
    before, after = serves(2)
    known = moments_in(before, after, Ui(size=size, animated=True), 0.0)
    assert known is not None
    assert [moment.count for moment in known.moments] == [2]
    canvas = draw(after, Ui(size=size, animated=True, moments=known), *size)
    board = [style for _texts, row in canvas.copy(canvas.marks["board"]) for style in row]
    assert board.count("class:flash") > 20


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("upgraded", [False, True])
def test_ones_first_order_is_written_over_the_board(size: tuple[int, int], upgraded: bool) -> None:
    before, after = serves(1)
    known = moments_in(before, after, Ui(size=size, animated=True), 0.0)
    assert known is not None
    assert after.view is not None
    me, players = after.seat or 0, [*after.view.players]
    upgrades = tuple(upgraded and upgrade is Upgrade.DIAGONAL_MOVE for upgrade in Upgrade)
    for completed in (1, 2):
        players[me] = replace(players[me], completed=completed, upgrades=upgrades)
        model = replace(after, view=replace(after.view, players=tuple(players)))
        canvas = draw(model, Ui(size=size, animated=True, moments=known), *size)
        board = [style for _texts, row in canvas.copy(canvas.marks["board"]) for style in row]
        is_first = completed == 1 and not upgraded and size != (40, 12)
        assert (board.count("class:flash") > 10) == is_first


WORDS: tuple[Moment, ...] = (
    Moment("serve", 0, (1,), count=2),
    Moment("serve", 0, (1,), count=3),
    *(Moment("upgrade", 0, upgrade=upgrade) for upgrade in Upgrade),
    Moment("penalty", 0, (1,)),
    Moment("penalty", 0, (1, 2)),
    Moment("last round"),
    Moment("over"),
)


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_what_is_written_over_the_board_covers_whole_cells_but_none_of_ones_own(
    size: tuple[int, int], tiles: bool, language: str
) -> None:
    _before, after = serves(2)
    assert after.view is not None
    mine, layout = after.view.players[after.seat or 0].meeples, layout_of(*size, tiles)
    with spoken(language):
        for moment in WORDS:
            moments = Moments((replace(moment, seat=after.seat or 0),), 0.0, size)
            ui, covered = Ui(size=size, animated=True, tiles=tiles, moments=moments), 0
            canvas = draw(after, ui, *size)
            for cell in range(BOARD_SIDE**2):
                rows = canvas.copy(area_of(layout, cell))
                styles = {style for _texts, row in rows for style in row}
                assert styles <= FLASHES or not styles & FLASHES, moment
                assert cell not in mine or not styles & FLASHES
                covered += bool(styles & FLASHES)
            assert covered <= BOARD_SIDE**2 / 2
            is_told_elsewhere = moment.what in ("upgrade", "penalty")
            assert bool(covered) is (not is_told_elsewhere or size[0] >= 80), moment


FLASHES = {style + foot for style in LOUD for foot in ("", " class:foot")}


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("size", SIZES[1:])
def test_around_large_letters_is_a_clear_row_and_column(size: tuple[int, int], tiles: bool) -> None:
    _before, after = serves(2)
    moments = Moments((Moment("over"),), 0.0, size)
    canvas = draw(after, Ui(size=size, animated=True, tiles=tiles, moments=moments), *size)
    board = canvas.copy(canvas.marks["board"])
    rows = [
        "".join(one for one, style in zip(*row, strict=True) if style == "class:flash")
        for row in board
    ]
    rows = [row for row in rows if row]
    assert any("█" in row for row in rows)
    assert not rows[0].strip()
    assert not rows[-1].strip()
    assert all(row[0] == row[-1] == " " for row in rows)


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_no_walk_sticks_out_from_what_is_written_over_the_board(
    size: tuple[int, int], tiles: bool
) -> None:
    before, _after = serves(2)
    assert before.view is not None
    assert len(before.view.path) > 1
    ended = replace(before, view=replace(before.view, active=None))
    for model, moment in (
        (before, Moment("serve", before.seat or 0, (1,), count=2)),
        (ended, Moment("over")),
    ):
        view = model.view
        assert view
        moments = Moments((moment,), 0.0, size)
        unwalked = replace(model, view=replace(view, path=view.path[:1]), history=History())
        boards = [
            canvas.copy(canvas.marks["board"])
            for one in (model, unwalked)
            for ui in [Ui(size=size, animated=True, tiles=tiles, moments=moments)]
            for canvas in [draw(one, ui, *size)]
        ]
        assert boards[0] == boards[1]


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_what_is_said_is_not_cut_by_what_is_written_over_the_board(
    size: tuple[int, int], tiles: bool
) -> None:
    _before, after = serves(2)
    assert after.table is not None
    said = tuple(ShownEmote(seat.name, "hurry", 9.0) for seat in after.table.seats)
    ui = Ui(size=size, animated=True, tiles=tiles, emotes=said)
    plain = draw(after, ui, *size)
    before = bubbles(plain)
    assert before or size[0] < 120
    for moment in WORDS:
        moments = Moments((replace(moment, seat=after.seat or 0),), 0.0, size)
        drawn = bubbles(draw(after, replace(ui, moments=moments), *size))
        assert len(drawn) <= len(before)
        assert {*drawn} <= {emote_text("hurry"), f"“{emote_text('hurry')}”"}


def bubbles(canvas: Canvas) -> list[str]:
    """Return what is said on the board, as far as it is seen."""
    rows = canvas.copy(canvas.marks["board"])
    runs = (groupby(zip(*row, strict=True), key=lambda cell: cell[1]) for row in rows)
    blocks = (
        "".join(text for text, _style in run)
        for row in runs
        for style, run in row
        if style.endswith(" reverse")
    )
    return [text for text in blocks if not text.isupper() and text.strip()]  # meeples have letters


def test_of_two_words_the_more_important_is_written() -> None:
    _before, after = serves(2)
    size = (120, 36)
    seat = after.seat or 0
    ranked = [
        Moment("over"),
        Moment("last round"),
        Moment("penalty", seat, (1,)),
        Moment("serve", seat, (1,), count=2),
    ]
    for more, less in pairwise(ranked):
        alone, both, other = [
            canvas.copy(canvas.marks["board"])
            for together in ((more,), (less, more), (less,))
            for moments in [Moments(together, 0.0, size)]
            for canvas in [draw(after, Ui(size=size, animated=True, moments=moments), *size)]
        ]
        assert both == alone != other


@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize(
    ("moment", "style"),
    [(Moment("upgrade"), "class:flash"), (Moment("penalty", drinks=(1,)), "class:bust")],
)
def test_ones_own_upgrade_or_penalty_is_written_over_the_board(
    moment: Moment, style: str, size: tuple[int, int]
) -> None:
    (model, *_none), *_rest = played()
    for seat in (0, 1):
        moments = Moments((replace(moment, seat=seat),), 0.0, size)
        canvas = draw(model, Ui(size=size, animated=True, moments=moments), *size)
        board = [one for _texts, row in canvas.copy(canvas.marks["board"]) for one in row]
        assert (board.count(style) > 20) is (seat == 0)


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("size", SIZES[1:])
def test_several_penalties_of_another_player_are_written_with_the_name(
    size: tuple[int, int], language: str
) -> None:
    (model, *_none), *_rest = played()
    name = Scene(model, Ui()).name(1)
    with spoken(language):
        moments = Moments((Moment("penalty", 1, (1, 2, 3)),), 0.0, size)
        canvas = draw(model, Ui(size=size, animated=True, moments=moments), *size)
        assert name in written(canvas)


@pytest.mark.parametrize("size", SIZES[1:])
def test_what_another_player_lost_leaves_ones_own_walk_open(size: tuple[int, int]) -> None:
    """It is the first thing on the board in a turn."""
    shown = []
    for seed in range(12):
        link = begun(seed=seed)
        while not (link.model.view and link.model.view.round):
            link.wish(choose(link, Random(seed)))
        model = link.model
        moments = Moments((Moment("penalty", 1, (1, 2)),), 0.0, size)
        ui = Ui(size=size, animated=True, guide=True, moments=moments)
        scene, layout = Scene(model, ui), layout_of(*size, ui.tiles)
        assert scene.advised
        if word := over_board(scene, *size):
            (area, _lines, _style) = word
            rows = range(area.y, area.y + area.rows)
            assert not any(area_of(layout, cell).y in rows for cell in scene.advised)
        shown.append(bool(word))
    assert any(shown)


def written(canvas: Canvas) -> str:
    """Return what is written over the board in the loud styles."""
    rows = canvas.copy(canvas.marks["board"])
    cells = (cell for row in rows for cell in zip(*row, strict=True))
    return "".join(text for text, style in cells if style in LOUD)


@pytest.mark.parametrize("still", [False, True])
def test_penalties_that_begin_the_last_round_are_written_before_it(still: bool) -> None:
    *_models, before, after = until_another_closes()
    ui = Ui(size=(80, 24), animated=True)
    known = moments_in(before, after, ui, 0.0)
    assert known is not None
    lost, closed = known.moments
    assert (lost.what, closed.what) == ("penalty", "last round")
    words = [
        written(draw(after, replace(ui, moments=shown), *ui.size)).strip()
        for frame in range(1 if still else FRAMES)
        for shown in [replace(known, frame=frame, still=still)]
    ]
    name = Scene(after, ui).name(lost.seat)
    cause, last = f"{name}: {len(lost.drinks)} PENALTIES", "LAST ROUND"
    assert [word for word, _group in groupby(words)] == [cause, last][still:]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("Crema", "Ibrik"), " New orders for Crema, Ibrik "),
        (
            ("Espressa Lungo", "Macchiato Muffin"),
            " New orders for Espressa Lungo, Macchiato Muffin ",
        ),
        (("Espressa della Macchina", "Macchiato della Muffina"), "→ "),
    ],
)
def test_who_gets_orders_is_named_where_the_guide_hides_them(
    names: tuple[str, str], told: str
) -> None:
    before, after = updates()["serve", True]
    assert after.table is not None
    (first, second), seats = names, [*after.table.seats]
    for turn, name in enumerate((first, second, "Vienna"), start=(after.seat or 0) + 1):
        seats[turn % 4] = replace(seats[turn % 4], name=name)
    after = replace(after, table=replace(after.table, seats=tuple(seats)))
    ui = Ui(size=(80, 24), animated=True, guide=True)
    moments = moments_in(before, after, ui, 0.0)
    assert moments is not None
    last = replace(moments, frame=FRAMES - 1)
    assert told in next(draw(after, replace(ui, moments=last), 80, 24).lines())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("upgrade", Upgrade)
def test_ones_own_upgrade_says_what_it_costs_and_brings(
    size: tuple[int, int], language: str, upgrade: Upgrade
) -> None:
    (model, *_none), *_rest = played()
    with spoken(language):
        moments = Moments((Moment("upgrade", model.seat or 0, upgrade=upgrade),), 0.0, size)
        canvas = draw(model, Ui(size=size, animated=True, moments=moments), *size)
        text = " ".join(loud(canvas).split())
        assert _("-{orders}, +2 points").format(orders=orders(3)) in text or "-3✓ +2" in text
        assert size[0] < 80 or upgrade_help(upgrade) in text
        styles = {style for _texts, row in canvas.copy(canvas.marks["cups"]) for style in row}
        assert {style.removesuffix(" bold") for style in styles} == {"class:flash"}, "a block"


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("size", [*SIZES, (100, 30)])
def test_ones_own_upgrade_leaves_the_frame_of_the_cups(size: tuple[int, int], tiles: bool) -> None:
    (model, *_none), *_rest = played()
    ui = Ui(size=size, animated=True, tiles=tiles)
    moments = Moments((Moment("upgrade", model.seat or 0),), 0.0, size)
    plain, canvas = draw(model, ui, *size), draw(model, replace(ui, moments=moments), *size)
    inside, side = plain.marks["cups"], layout_of(*size, tiles).side
    end = inside.x + inside.columns
    above, below = side.y, inside.y + inside.rows
    for frame in (
        Area(side.x, above, side.columns, inside.y - above),
        Area(side.x, below, side.columns, side.y + side.rows - below),
        Area(side.x, above, inside.x - side.x, side.rows),
        Area(end, above, size[0] - end, side.rows),
    ):
        assert canvas.copy(frame) == plain.copy(frame)
    assert size[0] < 80 or _("Your cups") in "".join(canvas.lines())


@pytest.mark.parametrize("size", SIZES[1:])
def test_the_cup_that_was_served_from_is_emptied_in_steam(size: tuple[int, int]) -> None:
    before, after = serves(1)
    known = moments_in(before, after, Ui(size=size, animated=True), 0.0)
    assert known is not None
    ((area, cells),) = [moment.cup for moment in known.moments if moment.cup]
    frames = [
        draw(after, Ui(size=size, animated=True, moments=replace(known, frame=frame)), *size)
        for frame in range(FRAMES)
    ]
    beside = replace(area, columns=area.columns + 4 * (area.rows == 1))
    shown, around = (
        ["".join("".join(row) for row, _styles in frame.copy(place)) for frame in frames]
        for place in (area, beside)
    )
    assert shown[0] == "".join("".join(row) for row, _styles in cells)
    assert [bool(re.search(r"\+1", text)) for text in around] == [
        0 < frame < FRAMES - 1 for frame in range(FRAMES)
    ]
    others = [frame for frame in frames if "+1" in "".join(frame.lines()).replace(" ✓ +1", "")]
    assert len(others) == FRAMES - 2
    left = [re.sub(r"~|\+1↯?", " ", text).split() for text in shown]
    assert all({*words} <= {*left[0]} for words in left), shown
    assert not left[-1]
    assert "~" in shown[-1]
