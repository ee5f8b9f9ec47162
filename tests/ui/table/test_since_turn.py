"""What others did since a turn: trails on the board, orders sent, drinks served."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.history import History
from coffeerush.client.model import Model
from coffeerush.local.settings import Settings
from coffeerush.ui.plain.conversation import Session
from coffeerush.ui.table.draw_board import area_of, step_marks
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.panes import pane_lines
from coffeerush.ui.table.scene import Scene, Trail, trails_of
from coffeerush.ui.table.state import MIDDLE, Ui, layout_of
from coffeerush.ui.terminal.canvas import Canvas, Look
from coffeerush.ui.terminal.glyphs import DOT, MINE
from coffeerush.ui.terminal.keys import ESCAPE
from coffeerush.ui.words.events import Sent, expiring_lines, others_turns, received, since_turn
from coffeerush.ui.words.names import drink_name
from protocol import (
    BOARD_SIDE,
    LOG_LENGTH,
    NO_ID,
    Bye,
    Chat,
    Event,
    GameStarted,
    IntentUndone,
    MeeplePlaced,
    Option,
    OrdersDrawn,
    OrderServed,
    Phase,
    PlayerView,
    Seat,
    Step,
    Stepped,
    TokenClosed,
    TurnStarted,
    TurnTimedOut,
    View,
    encode,
)
from protocol.events import DrawReason
from tests.golden.frames import EXTREMES, spoken
from tests.support import remembered_bots
from tests.support.local import LocalLink, begun, choose
from tests.support.once import copied
from tests.ui.words.test_words import model

# Between two turns of a player: orders from others, orders about to expire, and who is playing


RUSH: DrawReason = "order_rush"


def told(link: LocalLink, *events: Event) -> LocalLink:
    """Give a link only these events."""
    link.set(replace(link.model, history=History(events)))
    return link


@pytest.fixture
def ann() -> LocalLink:
    """A player of seat 0 to 2 at a table that has begun."""
    return begun(seed=5)


def test_orders_of_rivals_count_from_the_end_of_the_own_turn(ann: LocalLink) -> None:
    me = ann.model.seat
    assert me is not None
    one, other = (seat for seat in range(3) if seat != me)
    told(
        ann,
        GameStarted(("a", "b", "c"), (0, 1, 2), 0),
        OrdersDrawn(me, (4,), "deal"),
        TurnStarted(other, 1),
        OrdersDrawn(me, (9,), RUSH),
        TurnStarted(me, 1),
        OrdersDrawn(one, (3,), RUSH),
        OrdersDrawn(me, (8,), "flow_of_time"),
        TurnStarted(one, 2),
        OrdersDrawn(me, (1, 2), RUSH),
        OrdersDrawn(other, (3,), RUSH),
        TurnStarted(other, 2),
        OrdersDrawn(me, (5,), RUSH),
    )
    assert received(ann.model) == (Sent(one, 1), Sent(one, 2), Sent(other, 5))


def test_on_the_own_turn_what_came_before_it_is_still_told(ann: LocalLink) -> None:
    me = ann.model.seat or 0
    other = (me + 1) % 3
    events = (TurnStarted(other, 1), OrdersDrawn(me, (9,), RUSH), TurnStarted(me, 1))
    assert received(told(ann, *events).model) == (Sent(other, 9),)
    again = (*events, TurnStarted(other, 2))
    assert received(told(ann, *again).model) == ()
    assert received(told(ann, *events, GameStarted(("a", "b", "c"), (0, 1, 2), 0)).model) == ()


def test_who_timed_out_placing_a_meeple_plays_on_after_that() -> None:
    """It is known from the table: a placed meeple ends the turn too, and talk fills the log."""
    ann = begun(("regular",), seed=5, turn_seconds=60)
    local = ann.local
    local.bots_play = False
    at_first = ann.model.view
    while not any(isinstance(event, TurnTimedOut) for event in ann.model.log):
        local.now += 1.0
        for message in local.table.tick(local.now):
            local.tell(encode(message))
        ann.wish(Chat(NO_ID, "hm"))
    assert phase_of(ann) is Phase.PLACING
    assert ann.model.bot_finishes
    for number in range(LOG_LENGTH):
        ann.wish(Chat(NO_ID, f"hm {number}"))
    again = local.link("Ann", key=ann.key)
    assert not any(isinstance(event, TurnTimedOut) for event in again.model.log)
    assert again.model.bot_finishes
    assert not Scene(again.model, Ui()).turn.is_mine
    local.bots_play = True
    local.run_bots()
    assert ann.model.view is not at_first
    assert ann.model.can_act
    assert phase_of(ann) in (Phase.PLACING, Phase.FILLING)
    assert Scene(ann.model, Ui()).turn.is_mine


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 36), (40, 12)])
def test_a_turn_that_timed_out_is_not_called_the_own_one(columns: int, rows: int) -> None:
    ann = begun(("regular",), seed=5, turn_seconds=60)
    local = ann.local
    chance = Random(1)
    while not (ann.model.my_turn and phase_of(ann) is Phase.MOVING):
        ann.wish(choose(ann, chance))
    local.bots_play = False
    for _second in range(62):
        local.now += 1.0
        for message in local.table.tick(local.now):
            local.tell(encode(message))
        ann.wish(Chat(NO_ID, "hm"))
    assert ann.model.my_turn
    text = "\n".join(draw(ann.model, Ui(size=(columns, rows)), columns, rows).lines())
    assert "YOUR TURN" not in text
    assert "a bot finishes your" in text
    assert "arrows" not in text


def phase_of(link: LocalLink) -> Phase:
    assert link.model.view is not None
    return link.model.view.phase


def with_orders(view: View, seat: int, *slots: tuple[int, ...]) -> View:
    """Return a view in which a seat's open orders are these."""
    one, two, three, four = slots
    player: PlayerView = replace(view.players[seat], orders=(one, two, three, four), penalties=3)
    players = (*view.players[:seat], player, *view.players[seat + 1 :])
    return replace(view, players=players)


SIZES = [(80, 24), (120, 36), (200, 60), (40, 12), (60, 20)]


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("mine", [True, False])
def test_what_falls_and_what_came_is_on_every_screen(columns: int, rows: int, mine: bool) -> None:
    ann = begun(seed=5)
    chance = Random(2)
    while phase_of(ann) not in (Phase.UPGRADE, Phase.MOVING):
        ann.wish(choose(ann, chance))
    me, view = ann.model.seat, ann.model.view
    assert me is not None
    assert view is not None
    other = (me + 1) % 3
    active = me if mine else other
    changed = with_orders(replace(view, active=active), me, (1,), (), (), (2, 3))
    history = (TurnStarted(other, 2), OrdersDrawn(me, (1,), RUSH), TurnStarted(active, 2))
    model = replace(ann.model, view=changed, history=History(history))
    text = "\n".join(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
    assert re.search(
        r"2 expire( when your turn ends)?: (penalties |✗)5[^─\n]*, (the )?last round", text
    )
    assert columns < 80 or "5 (limit 5)" in text
    assert text.count("4!") >= 1
    scene = Scene(model, Ui())
    who = f"({scene.name(other)}|{scene.letter(other)})"
    came = re.findall(rf"(?<!1 )from {who}\b", text)
    assert len(came) == (columns >= 80)
    assert f"1 from {scene.name(other)}" in text or columns == 40


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("turn", ["to come", "now", "over"])
def test_nothing_expires_after_the_last_turn(
    ann: LocalLink, columns: int, rows: int, turn: str
) -> None:
    me, view = ann.model.seat or 0, ann.model.view
    assert view is not None
    start, active = {
        "to come": (me - 1, me - 1),
        "now": (me, me),
        "over": (me, me + 1),
    }[turn]
    last = with_orders(view, me, (), (), (), (2, 3))
    last = replace(last, round=5, closed=True, start=start % 3, active=active % 3)
    last = replace(last, phase=Phase.MOVING, own=view.own)
    model = replace(ann.model, view=last, history=History())
    text = "\n".join(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
    over = turn == "over"
    assert ("4!" in text) != over
    assert not (over and "EXPIRES" in text)
    assert bool(re.search(r"expire when|expire:", text)) != over
    assert ("nothing more will expire" in text) == over
    assert bool(expiring_lines(model)) != over


def test_a_note_says_which_turn_is_the_last_as_soon_as_that_is_known(ann: LocalLink) -> None:
    me, view = ann.model.seat or 0, ann.model.view
    assert view is not None
    seats = len(view.players)

    def at(turn: int, closed: bool) -> Model:
        """Return the model in the turn of the round, of which this player has the second."""
        active, log = (me - 1 + turn) % seats, (TokenClosed("deck"),) if closed else ()
        now = replace(view, round=5, closed=closed, start=(me - 1) % seats, active=active)
        return replace(ann.model, view=replace(now, phase=Phase.MOVING), history=History(log))

    ui = apply_update(at(0, closed=False), at(0, closed=True), Ui(size=(120, 36)), 1.0)
    assert ui.note.endswith("this round is the last. Your next turn is your last.")
    own = apply_update(at(0, closed=True), at(1, closed=True), ui, 2.0)
    assert "this round is the last. This is your last turn" in own.note
    read = apply_update(at(0, closed=True), at(1, closed=True), replace(ui, note=""), 2.0)
    assert read.note.startswith("This is your last turn")
    causing = apply_update(at(1, closed=False), at(1, closed=True), Ui(size=(120, 36)), 1.0)
    assert "this round is the last. This is your last turn" in causing.note
    both = apply_update(at(0, closed=False), at(1, closed=True), Ui(size=(120, 36)), 1.0)
    assert both.note == causing.note, "it is said once"
    late = apply_update(at(2, closed=False), at(2, closed=True), Ui(size=(120, 36)), 1.0)
    assert "You have had your last turn" in late.note


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_penalties_are_not_counted_of_fewer(ann: LocalLink, columns: int, rows: int) -> None:
    me, view = ann.model.seat or 0, ann.model.view
    assert view is not None
    many = with_orders(view, me, (), (), (), (2,))
    players = tuple(replace(one, penalties=6) for one in many.players)
    model = replace(ann.model, view=replace(many, players=players, phase=Phase.MOVING, round=5))
    text = "\n".join(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
    assert not re.search(r"[67] ?(of|/) ?5", text)
    assert "penalties 7" in text if columns >= 100 else "✗7" in text
    assert "last round" in text
    last = replace(model, view=replace(model.view or view, closed=True, start=me))
    text = "\n".join(draw(last, Ui(size=(columns, rows)), columns, rows).lines())
    assert not re.search("[67] ?(of|/) ?5|last round", text), "the header says that it is"


# What others did stays visible: their trails on the board, and what they served


MILK = (0, 1, 0, 0, 0, 0, 0, 0)
TRAIL_SIZES = [(40, 12), (80, 24), (120, 36), (200, 60)]


def walked(*log: Event, seat: int | None = 1) -> tuple[Trail, ...]:
    return trails_of(replace(model(seat), history=History(log)))


def test_a_trail_begins_where_the_meeple_stood() -> None:
    log = (
        *(MeeplePlaced(0, 1, 4), TurnStarted(0, 1), Stepped(0, 1, 5, MILK)),
        *(Stepped(0, 1, 6, MILK), IntentUndone(0), Stepped(0, 1, 9, MILK), TurnStarted(1, 1)),
    )
    assert walked(*log) == (Trail(0, (4, 5, 9)),)
    assert walked(*log[1:]) == (Trail(0, (5, 9)),), "the log does not say where it stood"
    assert walked(*log[:-1]) == (), "its turn is not over"
    assert walked(*log, TurnStarted(0, 2)) == (), "one's own turn is over"
    assert walked(*log, Stepped(1, 1, 8, MILK)) == (Trail(0, (4, 5, 9)),)
    assert walked(*log, seat=0) == (), "it is one's own"


@pytest.mark.parametrize(
    "gap",
    [
        (Stepped(2, 1, 8, MILK),),  # without the end of the turn before
        (TurnStarted(2, 1), Stepped(2, 1, 8, MILK)),  # without steps
        (TurnStarted(2, 1), Stepped(2, 2, 3, MILK), Stepped(2, 1, 8, MILK)),  # without a turn
    ],
)
def test_where_the_log_has_a_gap_trails_begin_anew(gap: tuple[Event, ...]) -> None:
    before = (MeeplePlaced(2, 1, 15), TurnStarted(0, 1), Stepped(0, 1, 5, MILK))
    assert walked(*before, *gap, Stepped(2, 1, 9, MILK), TurnStarted(3, 1)) == (Trail(2, (8, 9)),)


def test_a_spectator_sees_the_trail_of_the_latest_turn() -> None:
    first = (TurnStarted(0, 1), Stepped(0, 1, 5, MILK), Stepped(0, 1, 6, MILK))
    log = (*first, TurnStarted(1, 1), Stepped(1, 1, 8, MILK))
    assert walked(*log, seat=None) == (Trail(0, (5, 6)),)
    assert walked(*log, TurnStarted(0, 2), seat=None) == (Trail(1, (8,)),)


def cells(canvas: Canvas, columns: int, rows: int) -> list[str]:
    """Return the text of each cell of the board."""
    layout, lines = layout_of(columns, rows), [*canvas.lines()]
    areas = [area_of(layout, cell) for cell in range(16)]
    return [
        "".join(lines[y][one.x : one.x + one.columns] for y in range(one.y, one.y + one.rows))
        for one in areas
    ]


@copied
def served() -> LocalLink:
    """Return a link whose turn has just begun, and others have served since its last turn."""
    link, chance = begun(("regular", "regular"), seed=5), Random(4)
    while len(trails_of(link.model)) < 2 or not since_turn(link.model):
        link.wish(choose(link, chance))
    return link


def before(model: Model) -> Model:
    """Return a model from before the turn: the previous player's."""
    assert model.view is not None
    other = (model.view.active or 0) - 1
    return replace(model, view=replace(model.view, active=other % len(model.view.players)))


@pytest.mark.parametrize(("columns", "rows"), TRAIL_SIZES)
def test_trails_are_shown_until_the_first_key_of_the_own_turn(columns: int, rows: int) -> None:
    link = served()
    model, ui = link.model, Ui(size=(columns, rows))
    scene, trails = Scene(model, ui), trails_of(model)
    assert len(trails) == 2
    watched = cells(draw(before(model), ui, columns, rows), columns, rows)
    ui = apply_update(before(model), model, ui, 10.0)
    shown = cells(draw(model, ui, columns, rows), columns, rows)
    wanted = [
        (cell, f"{DOT}{scene.letter(trail.seat).lower()}")
        for trail in trails
        for cell in trail.cells
        if cell not in scene.player(trail.seat).meeples
    ]
    for board, count in ((watched, len(wanted)), (shown, len(wanted) * (columns >= MIDDLE))):
        assert count - 2 <= len([cell for cell, mark in wanted if mark in board[cell]]) <= count
    ui, _wishes = press(model, ui, "i", 20.0)
    shown = cells(draw(model, ui, columns, rows), columns, rows)
    assert not any(mark in shown[cell] for cell, mark in wanted)


def test_a_footprint_does_not_look_like_the_key_of_a_diagonal_step() -> None:
    model = served().model
    view = model.view
    assert view is not None
    assert view.own is not None
    assert model.table is not None
    me = model.seat or 0
    names = ("Ann", "Bob", "Olga")
    seats = tuple(
        replace(seat, name=name) for seat, name in zip(model.table.seats, names, strict=True)
    )
    model, seen = replace(model, table=replace(model.table, seats=seats)), set[tuple[bool, bool]]()
    for here in range(BOARD_SIDE**2):
        row, column = divmod(here, BOARD_SIDE)
        near = [
            cell
            for cell in range(BOARD_SIDE**2)
            if max(abs(cell // BOARD_SIDE - row), abs(cell % BOARD_SIDE - column)) == 1
        ]
        own = replace(view.own, options=tuple(Option(Step(1, cell)) for cell in near))
        players = [*view.players]
        players[me] = replace(players[me], meeples=(here,), upgrades=(False, True, False, False))
        shown = replace(model, view=replace(view, players=tuple(players), own=own))
        board, keys = (
            cells(draw(shown, Ui(size=(120, 36)), 120, 36), 120, 36),
            "".join(step_marks((here, cell)) for cell in near),
        )
        for trail in trails_of(model):
            letter = names[trail.seat][0].lower()
            assert trail.seat != me
            left = [cell for cell in trail.cells if cell not in (here, *near)]
            assert not any(f" {letter} " in f" {board[cell]} " for cell in left)
            seen.add((letter in keys, any(f" {DOT}{letter}" in board[cell] for cell in left)))
    assert {(True, True), (False, True)} <= seen, "others' trails are there in both cases"


@pytest.mark.parametrize("columns", [80, 120])
def test_while_another_player_walks_only_that_path_is_shown(columns: int) -> None:
    watched, ui = before(served().model), Ui(size=(columns, 24))
    assert watched.view is not None
    assert Scene(watched, ui).trails
    cell = watched.view.players[watched.view.active or 0].meeples[0]
    there = cell + (1 if cell % 4 < 3 else -1)
    assert not Scene(replace(watched, view=replace(watched.view, path=(cell, there))), ui).trails


def test_the_guide_tells_what_others_do_as_soon_as_they_move() -> None:
    link, chance = begun(("regular", "regular"), seed=5), Random(4)
    while link.model.view is None or link.model.view.round < 2:
        link.wish(choose(link, chance))
    model, log = before(link.model), (*link.model.log,)
    starts = [at for at, event in enumerate(log) if isinstance(event, TurnStarted)]
    for end, moved in ((starts[-3] + 1, False), (starts[-1], True)):
        ui = Ui(size=(80, 24), guide=True, playing="reading")
        scene = Scene(replace(model, history=History(log[:end])), ui)
        told = [text for _style, text in pane_lines(scene, "guide", None)]
        turns = [text for _seat, text in others_turns(scene.model) if text]
        assert told[: len(turns)] == turns
        assert len(turns) == 2 * moved
        over = "Your turn is over, and each of your orders has moved to the next slot."
        assert (over in told) is not moved


def test_the_header_of_a_turn_that_is_read_says_who_is_next_when_it_is_over() -> None:
    link, chance = begun(("regular", "regular"), seed=5), Random(4)
    while link.model.view is None or link.model.view.round < 2:
        link.wish(choose(link, chance))
    model, ui = before(link.model), Ui(size=(80, 24), guide=True, playing="reading")
    view = model.view
    assert view is not None
    assert view.active is not None
    name, me = Scene(model, ui).name(view.active), model.seat

    def header(phase: Phase, up_next: Seat | None) -> str:
        shown = replace(model, view=replace(view, phase=phase, path=()))
        return next(draw(shown, replace(ui, up_next=up_next), *ui.size).lines())

    assert f"▸ {name} is next" in header(Phase.MOVING, None)
    assert f"▸ {name}: pouring" in header(Phase.POURING, None), "that turn goes on"
    assert f"▸ {name} is done · you are next" in header(Phase.SERVING, me)
    assert f"▸ {name} is done · {name} is next" in header(Phase.SERVING, view.active)


def test_an_advised_walk_replaces_trails() -> None:
    model, ui = served().model, Ui(size=(120, 36))
    assert Scene(model, ui).trails
    guided = Scene(model, replace(ui, guide=True))
    assert guided.advised
    assert not guided.trails
    assert Scene(before(model), replace(ui, guide=True)).trails, "as others play"


@pytest.mark.parametrize(("columns", "rows"), TRAIL_SIZES)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_ones_own_meeple_has_a_sign_and_a_tinted_cell(
    columns: int, rows: int, ascii_only: bool
) -> None:
    model, ui = served().model, Ui(size=(columns, rows), ascii=ascii_only)
    (here,) = Scene(model, ui).player(model.seat or 0).meeples
    canvas = draw(model, ui, columns, rows)
    sign = f"[{MINE}" if ascii_only else f" {MINE}"
    texts = cells(canvas, columns, rows)
    assert [cell for cell, text in enumerate(texts) if sign in text] == [here]
    area = area_of(layout_of(columns, rows), here)
    styles = [styles for _texts, styles in canvas.cells(Look())]
    tinted = {(x, y) for y in range(rows) for x in range(columns) if "here" in styles[y][x]}
    assert tinted
    for x, y in tinted:
        assert x in range(area.x, area.x + area.columns)
        assert y in range(area.y, area.y + area.rows)


@pytest.mark.parametrize(("columns", "rows"), TRAIL_SIZES)
def test_what_others_served_is_told_next_to_the_guide(columns: int, rows: int) -> None:
    model = served().model
    ui = Ui(size=(columns, rows), guide=True)
    ui = apply_update(before(model), model, ui, 10.0)
    for _page in range(9):  # of the guide's box on a narrow terminal, which comes first
        text = "\n".join(draw(model, ui, columns, rows).lines())
        if "Since your turn: " in text:
            break
        ui, _wishes = press(model, ui, ESCAPE if columns > 40 else " ", 20.0)
    assert "Since your turn: " in text
    ui, _wishes = press(model, ui, "i", 30.0)
    assert "Since your turn: " not in "\n".join(draw(model, ui, columns, rows).lines())


def test_what_came_while_typing_is_there_after_it() -> None:
    model = served().model
    was, ui = before(model), Ui(size=(80, 24))
    ui, _wishes = press(was, ui, "t", 5.0)
    ui, _wishes = press(was, ui, "o", 6.0)
    ui = apply_update(was, model, ui, 10.0)
    ui, _wishes = press(model, ui, ESCAPE, 20.0)
    assert ui.mode == "table"
    assert "Since your turn: " in "\n".join(draw(model, ui, 80, 24).lines())


@pytest.mark.parametrize("guide", [False, True])
def test_after_a_return_what_happened_meanwhile_is_told(guide: bool) -> None:
    ann = begun(("regular", "regular"), seed=5)
    local, chance = ann.local, Random(4)
    while not since_turn(ann.model):
        ann.wish(choose(ann, chance))
    local.bots_play = False
    ann.wish(Bye(NO_ID, stand_in=True))
    for _move in range(30):
        turn = local.table.bot_turn()
        assert turn is not None
        local.now += 1.0
        intent = remembered_bots.choose(turn.bot, turn.view, chance)
        for update in local.table.bot_move(local.now, turn, intent):
            local.tell(encode(update))
    model = local.link("Ann", key=ann.key).model
    ui = apply_update(Model("player", "Ann"), model, Ui(size=(120, 36), guide=guide), 10.0)
    told = "While you were away: "
    assert ui.note.startswith(told)
    assert told in "\n".join(draw(model, ui, 120, 36).lines())
    assert any(line.startswith(told) for line in Session(Settings()).changed(model).lines)
    later, _wishes = press(model, ui, "i", 20.0)
    assert told not in "\n".join(draw(model, later, 120, 36).lines())


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("guide", [False, True])
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_who_served_what_since_the_turn_is_named(
    language: str, guide: bool, size: tuple[int, int]
) -> None:
    game = served().model
    me = game.seat or 0
    drinks = {(me + 1) % 3: 3, (me + 2) % 3: 7}
    log: list[Event] = [TurnStarted(me, 1)]
    for seat, drink in drinks.items():
        log += [TurnStarted(seat, 1), OrderServed(seat, drink, 1)]
        log += [OrdersDrawn(me, (1,), "order_rush")]
    model = replace(game, history=History((*log, TurnStarted(me, 2))))
    with spoken(language):
        ui = apply_update(before(model), model, Ui(size=size, guide=guide), 10.0)
        text = " ".join(" ".join(draw(model, ui, *size).lines()).split())
        for seat, drink in drinks.items():
            assert drink_name(model, drink) in ui.note
            assert Scene(model, ui).name(seat) in ui.note
        assert " ".join(ui.note.split()) in text


def test_a_small_terminal_names_who_served_what_if_it_fits() -> None:
    game = served().model
    me = game.seat or 0
    latte = next(one for one in range(99) if drink_name(game, one) == "Caffe latte")
    mocha = next(one for one in range(99) if drink_name(game, one) == "Mocha")
    log: list[Event] = [TurnStarted(me, 1)]
    for seat, drink in (((me + 1) % 3, latte), ((me + 2) % 3, mocha)):
        log += [TurnStarted(seat, 1), OrderServed(seat, drink, 1)]
    notes = []
    for more in ((), (OrderServed((me + 2) % 3, latte, 1),)):
        told = replace(game, history=History((*log, *more, TurnStarted(me, 2))))
        notes.append(apply_update(before(told), told, Ui(size=(40, 12)), 10.0).note)
    assert notes[0].count("Caffe latte; ") == notes[0].count("Mocha") == 1
    assert notes[1] == "Since your turn: 3 orders served"
