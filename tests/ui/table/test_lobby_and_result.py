"""Screens around a game: the lobby as it fills, the result and its details."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Invitation
from coffeerush.joining.code import MIN_QUIET, half_blocks, qr_modules
from coffeerush.joining.code_words import COLUMNS, WORDS
from coffeerush.ui.advice.guide import guide_topic
from coffeerush.ui.table.actions import Action, labels_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_lobby import draw_lobby, lobby_step
from coffeerush.ui.table.draw_result import draw_result, result_step, winners
from coffeerush.ui.table.input import press
from coffeerush.ui.table.panes import pane_lines, pane_names, resized
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Canvas, Look, Target, kind_of, shown, width
from coffeerush.ui.terminal.keys import ENTER
from coffeerush.ui.terminal.parts import big, big_words
from coffeerush.ui.words.awards import Award, award_text, awards
from coffeerush.ui.words.names import points
from coffeerush.ui.words.table import lobby_lines
from protocol import NO_ID, AddBot, Bye, Chat, Queue, Ready, Standing, Start, Tally, View
from tests.golden.frames import EXTREMES, spoken
from tests.support.local import LocalLink, LocalTable, invited, play
from tests.support.once import copied

ALL_SIZES = [(40, 12), (40, 24), (60, 18), (79, 23), (80, 24), (120, 36), (160, 50), (200, 60)]
SIZES = pytest.mark.parametrize(("columns", "rows"), ALL_SIZES)
PAGE = "http://192.168.0.12:47821/"
ADDRESSES = ("192.168.0.12", "10.8.0.3", "2001:db8:10:20:a00:27ff:fe4e:66a1")
LONG = "W" * 24


def scene(link: LocalLink, columns: int = 80, rows: int = 24) -> Scene:
    return Scene(link.model, Ui(size=(columns, rows)))


def lobby(
    link: LocalLink,
    columns: int,
    rows: int,
    addresses: tuple[str, ...] = (),
    code: str = "apple-tiger-moon",
    page: str = "",
) -> Canvas:
    link.set(invited(link.model, Invitation(addresses, code, page=page)))
    canvas = Canvas(columns, rows)
    draw_lobby(canvas, scene(link, columns, rows))
    return canvas


def result(link: LocalLink, columns: int, rows: int) -> Canvas:
    canvas = Canvas(columns, rows)
    draw_result(canvas, scene(link, columns, rows))
    return canvas


def text(canvas: Canvas) -> str:
    return "\n".join(canvas.lines())


def target(canvas: Canvas, wanted: str) -> Target | None:
    """Return the meaning of a click on the first appearance of a word."""
    y, line = next((y, line) for y, line in enumerate(canvas.lines()) if wanted in line)
    return canvas.target_at(width(line[: line.index(wanted)]), y)


# Big letters


def test_big_letters_are_three_or_five_rows_of_one_width() -> None:
    for scale, count in ((1, 3), (2, 5)):
        rows = big("0123456789.:", scale)
        assert len(rows) == count
        assert len({width(row) for row in rows}) == 1
        assert shown("".join(rows), Look(ascii=True)).isascii()


def test_every_digit_looks_different_also_in_ascii() -> None:
    for look in (Look(), Look(ascii=True)):
        seen = {"\n".join(shown(row, look) for row in big(digit)) for digit in "0123456789"}
        assert len(seen) == 10


def test_what_has_no_big_letters_is_not_drawn_large() -> None:
    assert big("2001:db8::1") == big("") == []
    assert big_words("늑대 부엌 여우", 200) == []
    assert big_words("", 200) == []


def test_every_word_of_a_code_is_drawn_large_but_korean_ones() -> None:
    for row in WORDS:
        for language, word in zip(COLUMNS, row, strict=True):
            assert bool(big_words(word, 60)) is (language != "ko"), word


def test_words_are_drawn_large_on_as_few_lines_as_they_fit_on() -> None:
    assert [len(big_words("maçã tigre lua", columns)) for columns in (60, 40, 24, 18)] == [
        3,
        6,
        9,
        0,
    ]
    for columns in range(17, 61):
        assert all(len(row) <= columns for row in big_words("maçã tigre lua", columns))
    assert big_words("maçã tigre lua", 60) == big("MACA TIGRE LUA")


# The lobby


@pytest.mark.parametrize("size", [(80, 24), (80, 30), (120, 30), (120, 36)])
def test_nothing_moves_when_a_line_about_people_appears(size: tuple[int, int]) -> None:
    local = LocalTable(4)
    ann, bea = local.link("Ann"), local.link("Bea")
    ann.wish(AddBot(NO_ID, 2, "regular"))

    def places(link: LocalLink) -> list[int]:
        addresses = ADDRESSES if link is ann else ()
        shown = [*lobby(link, *size, addresses).lines()]
        found = ("─ Seat 1 ", "to be ready." if link is ann else "Press Enter", "── Log ")
        return [next(y for y, line in enumerate(shown) if one in line) for one in found]

    before = [places(link) for link in (ann, bea)]
    local.link("Eve", "spectator")
    for link in (ann, bea):
        assert "Spectators: Eve." in text(lobby(link, *size))
    assert [places(link) for link in (ann, bea)] == before
    drawn = text(lobby(ann, *size, ADDRESSES))
    assert "Watching: Eve" in drawn or "Spectators: Eve." in drawn
    for number in range(5):
        local.link(f"{number}" * 16, "spectator")
    assert "6 spectators" in text(lobby(ann, *size, ADDRESSES)) or size[1] >= 30


@pytest.mark.parametrize("size", [(80, 24), (80, 30), (100, 28), (120, 30), (120, 36)])
@pytest.mark.parametrize("turn_seconds", [0, 180])
def test_the_code_stays_large_however_many_people_come(
    size: tuple[int, int], turn_seconds: int
) -> None:
    local = LocalTable(4, turn_seconds=turn_seconds)
    ann = local.link("Ann")
    local.link("Bea")

    def top() -> list[str]:
        """Return the rows above the seats."""
        drawn = [*lobby(ann, *size, ADDRESSES[:1]).lines()]
        return drawn[: next(y for y, line in enumerate(drawn) if "─ Seat 1 " in line)]

    before = top()
    for name in ("Cid", "Dee", "Eve", "Fay"):
        link = local.link(name, "player" if name in ("Cid", "Dee") else "spectator")
        assert top() == before
    link.wish(Queue(NO_ID, True))
    assert top() == before


@SIZES
def test_a_player_gets_ready_by_the_key_that_all_of_the_lobby_names(
    columns: int, rows: int
) -> None:
    local = LocalTable(4)
    local.link("Ann")
    drawn = text(lobby(local.link("Bea"), columns, rows))
    assert "Enter ready" in drawn
    assert "r ready" not in drawn.replace("Enter ready", "")


@SIZES
def test_the_seats_fill(columns: int, rows: int) -> None:
    local = LocalTable(4)
    ann = local.link("Ann")
    assert text(lobby(ann, columns, rows)).count("open seat") == 3
    bea = local.link("Beatriz")
    ann.wish(AddBot(NO_ID, 2, "regular"))
    drawn = text(lobby(ann, columns, rows))
    assert drawn.count("open seat") == 1
    for words in ("Ann", "Beatriz", "bot, Regular", "you, owner", "not ready"):
        assert words in drawn
    bea.wish(Ready(NO_ID, True))
    assert "not ready" not in text(lobby(ann, columns, rows))
    assert text(lobby(ann, columns, rows)).count("✓ ready") == 3


def test_a_big_lobby_uses_what_the_qr_code_leaves() -> None:
    """The code is on one line, the address twice as large, and no cell of the QR code is hidden."""
    ann = LocalTable(4).link("Ann")
    drawn = text(lobby(ann, 200, 60, ADDRESSES, "mask-mosquito-spider", PAGE))
    assert all(row in drawn for row in big("MASK MOSQUITO SPIDER"))
    lines = drawn.split("\n")
    assert all(row in drawn for row in big(ADDRESSES[0], 2))
    code = next(y for y, line in enumerate(lines) if big("MASK MOSQUITO SPIDER")[0] in line)
    assert not lines[code - 1][:100].strip()
    modules = qr_modules(ann.model.invitation.page, MIN_QUIET)
    assert modules
    assert all(f"{row}  \n" in f"{drawn}\n" for row in half_blocks(modules))


def test_a_long_name_goes_on_in_the_next_line_of_its_seat() -> None:
    local = LocalTable(4)
    names = ("Ann", "Константин Дмитриевич", "민준이네 커피가게야", "Alexandra-Maria Lee-Park")
    ann, *_others = map(local.link, names)
    drawn = text(lobby(ann, 120, 36, ADDRESSES[:2]))
    assert all(f" {word} " in drawn for name in names for word in name.split())


@SIZES
def test_a_click_on_a_seat_does_what_can_be_done_about_it(columns: int, rows: int) -> None:
    local = LocalTable(3)
    ann, bea = local.link("Ann"), local.link("Beatriz")
    mine, hers = lobby(ann, columns, rows), lobby(bea, columns, rows)
    assert target(mine, "open seat") == Target("key", "a")
    assert target(mine, "Beatriz") == Target("key", "x")
    assert target(hers, "Beatriz") == Target("key", "r")
    assert target(hers, "open seat") is None
    assert target(hers, "Press Enter") == Target("key", "c-m")
    assert target(mine, "add bot") == Target("key", "a")


def test_a_seat_in_a_row_is_clicked_from_its_number_to_the_wall() -> None:
    mine = lobby(LocalTable(3).link("Ann"), 40, 12)
    rows = [y for y, line in enumerate(mine.lines()) if "open seat" in line]
    assert len(rows) == 2
    for y in rows:
        clicked = [x for x in range(40) if mine.target_at(x, y) == Target("key", "a")]
        assert clicked == [*range(2, 38)]


def test_the_next_step_is_told_to_each() -> None:
    local = LocalTable(3)
    ann = local.link("Ann")
    assert lobby_step(scene(ann)).startswith("A game needs two players")
    bea, eve = local.link("Bea"), local.link("Eve", "spectator")
    assert lobby_step(scene(ann)) == "Waiting for Bea to be ready."
    assert lobby_step(scene(bea)) == "Press Enter when you are ready."
    bea.wish(Ready(NO_ID, True))
    assert lobby_step(scene(bea)) == "Waiting for Ann to start the game."
    closed = Scene(replace(bea.model, status="over", ending="stopping"), Ui())
    assert lobby_step(closed) == ""
    assert lobby_step(scene(eve)) == "A seat is open: “Enter” takes it."
    assert lobby_step(scene(ann)) == "1 seat is still open: press Enter twice to start anyway."
    ann.wish(AddBot(NO_ID, 2, "regular"))
    assert lobby_step(scene(ann)) == "Everybody is here and ready: Enter starts the game."
    alone = LocalTable(2, owner=False).link("Ann")
    alone.wish(Ready(NO_ID, True))
    assert lobby_step(scene(alone)).startswith("The game starts when every seat is taken")


def test_friends_whose_owner_is_elsewhere_start_by_themselves() -> None:
    local = LocalTable(4)
    ann, bea, cid = (local.link(name) for name in ("Ann", "Bea", "Cid"))
    ann.wish(Bye(NO_ID))
    bea.wish(Ready(NO_ID, True))
    assert lobby_step(scene(bea)) == "Waiting for Cid to be ready."
    assert lobby_step(scene(cid)) == "Press Enter when you are ready."
    cid.wish(Ready(NO_ID, True))
    assert lobby_step(scene(bea)).startswith("2 seats are still open: press Enter twice")
    tapping = Scene(bea.model, Ui(touch=True))
    assert (
        lobby_step(tapping) == "2 seats are still open: tap “Start the game” twice to start anyway."
    )
    assert lobby_lines(bea.model)[-1] == "Type “start” to start the game."
    footer = [*draw(bea.model, Ui(), 80, 24).lines()][-1]
    assert "Enter start the game  r not ready " in footer
    asked, wishes = press(bea.model, Ui(), ENTER, 100.0)
    assert wishes == ()
    _ui, wishes = press(bea.model, asked, ENTER, 200.0)
    assert wishes == (Start(NO_ID),)


@SIZES
def test_what_was_agreed_and_said_is_in_the_lobby(columns: int, rows: int) -> None:
    local = LocalTable(4, turn_seconds=90, starters=True)
    ann = local.link("Ann")
    local.link("Bea"), local.link("Eve", "spectator")
    ann.wish(Chat(NO_ID, "hello there"))
    drawn = text(lobby(ann, columns, rows, ADDRESSES))
    assert "hello there" in drawn
    assert "90" in drawn
    assert "tarter" in drawn
    assert "Spectators: Eve." in drawn or "watching: Eve" in drawn or columns == 40


def test_many_options_leave_a_host_room_for_what_is_said() -> None:
    ann = LocalTable(4, turn_seconds=90, starters=True, bot_seconds=2, hints=False).link("Ann")
    for number in range(4):
        ann.wish(Chat(NO_ID, f"line {number}"))
    drawn = text(lobby(ann, 120, 30, ADDRESSES))
    assert [number for number in range(4) if f"line {number}" not in drawn] == []
    assert "Each turn may take up to 90 seconds." in drawn
    assert "Starters, 90 s per turn, bots 2 s, no hints" in text(lobby(ann, 80, 24, ADDRESSES))


@pytest.mark.slow
@SIZES
def test_who_watches_is_told_so_before_and_after_a_game(columns: int, rows: int) -> None:
    local = LocalTable(2)
    ann, bea, eve = local.link("Ann"), local.link("Bea"), local.link("Eve", "spectator")

    def heads() -> list[bool]:
        ui = Ui(size=(columns, rows))
        frames = ([*draw(link.model, ui, columns, rows).lines()] for link in (ann, bea, eve))
        return [frame[0].endswith("  watching ") for frame in frames]

    assert heads() == [False, False, True]
    local.start()
    play(local, Random(7), lambda: None)
    assert heads() == [False, False, True]


def test_a_key_of_the_footer_does_something_and_is_there_once() -> None:
    local = LocalTable(3)
    ann, bea = local.link("Ann"), local.link("Bea")
    owner, guest = labels_of(scene(ann)).keys(), labels_of(scene(bea)).keys()
    assert Action.READY not in owner
    assert Action.READY in guest
    assert {Action.SCROLL_BACK, Action.SCROLL_ON} <= owner & guest
    footers = [[*draw(link.model, Ui(), 80, 24).lines()][-1] for link in (ann, bea)]
    assert "not ready" not in footers[0]
    assert footers[1].count("ready") == 1


def test_the_log_of_a_lobby_scrolls_while_a_guide_waits_for_the_game() -> None:
    local = LocalTable(3)
    ann = local.link("Ann")
    for number in range(20):
        ann.wish(Chat(NO_ID, f"line {number}"))
    ui, _wishes = press(ann.model, Ui(guide=True), "pageup", 100.0)
    assert "line 19" in text(draw(ann.model, Ui(guide=True), 80, 24))
    assert "line 19" not in text(draw(ann.model, ui, 80, 24))


@pytest.mark.parametrize("language", EXTREMES)
def test_long_names_leave_room_for_what_is_said(language: str) -> None:
    local = LocalTable(4, turn_seconds=90, starters=True)
    names = ("Maximiliane Josefin", "Bartholomäus Krist", "민준이네 커피가게야", "Wilhelmina Fried")
    links = [local.link(name) for name in names]
    links[1].wish(Chat(NO_ID, "hello there"))
    with spoken(language):
        for link in links:
            drawn = text(draw(invited(link.model), Ui(size=(40, 12)), 40, 12))
            assert "hello there" in drawn
            assert " · " in drawn, "not ready"


# The result


@copied
def over(seats: int = 4, names: tuple[str, ...] = ("Ann", "민준 Kim")) -> list[LocalLink]:
    local = LocalTable(seats, ("regular",) * (seats - 2), seed=7)
    links = [local.link(name) for name in names]
    local.start()
    play(local, Random(7), lambda: None)
    return links


@pytest.fixture(scope="module")
def ended() -> list[LocalLink]:
    """Return the links of a game of four that is over; nothing may be wished through them."""
    return over()


def names_winner(canvas: Canvas, link: LocalLink) -> bool:
    """Return whether the only winner's name is in large letters, or in a sentence."""
    view = link.model.view
    assert view is not None
    drawn = text(canvas)
    large = big_words(scene(link).name(view.standings[0].seat), canvas.columns)
    return winners(scene(link)) in drawn or all(row.rstrip() in drawn for row in large)


@pytest.mark.slow
@SIZES
def test_all_of_the_result_is_on_every_screen(
    ended: list[LocalLink], columns: int, rows: int
) -> None:
    link = ended[0]
    drawn = text(result(link, columns, rows))
    assert names_winner(result(link, columns, rows), link)
    view, table = link.model.view, link.model.table
    assert view is not None
    assert table is not None
    lines = drawn.split("\n")
    given = awards(view, table.tallies)
    for one in view.standings:
        player, tally = view.players[one.seat], table.tallies[one.seat]
        name, letter = scene(link).name(one.seat), scene(link).letter(one.seat)
        (row,) = [line for line in lines if line.strip().startswith(f"{one.rank}. {letter} ")]
        numbers = (one.score, player.completed, sum(player.upgrades), player.penalties, player.rush)
        found = (
            row[row.index(name) + len(name) :].partition(")")[2]
            or row[row.index(name) + len(name) :]
        )
        digits = "".join(sign if sign.isdigit() or sign == "-" else " " for sign in found).split()
        assert digits[:5] == list(map(str, numbers))
        assert str(tally.best_served) in digits[5:]
        mine = given[one.seat]
        if mine is None:
            continue
        award = tuple(award_line(mine, brief) for brief in (False, True))
        (last,) = [line for line in lines if line.rstrip().endswith(award)]
        assert last.strip().startswith((name, letter))
        marks = "".join(sign for sign in last if sign in glyphs.BARS)
        assert len(marks) % len(tally.scores) == 0
        assert len(marks) >= len(tally.scores)


@pytest.mark.slow
def test_a_game_has_a_number_only_among_several_of_its_table(ended: list[LocalLink]) -> None:
    model, ui = ended[0].model, Ui(size=(80, 24))
    for number, title in ((1, "The result  The café"), (2, "The result · game 2  The café")):
        assert title in text(draw(replace(model, game=number), ui, 80, 24))


def award_line(award: Award, brief: bool) -> str:
    return f"{glyphs.BEST} {award_text(award, brief)}"


def over_after(scores: tuple[int, ...], other: tuple[int, ...]) -> LocalLink:
    """Return Ann's link to a result whose scores were these."""
    link = over(2)[0]
    assert link.model.table is not None
    assert link.model.view is not None
    tallies = (Tally(scores, 3, 1), Tally(other, 1, 2))
    table = replace(link.model.table, tallies=tallies)
    view = replace(link.model.view, round=len(scores))
    link.model = replace(link.model, table=table, view=view)
    return link


def test_every_result_says_what_decided_it_where_there_is_room() -> None:
    link = over_after((-2, 0, 2, 4), (4, 1, 0, -2))
    assert "What put" in text(result(link, 120, 50))
    assert " in one turn, first in round " in text(result(link, 120, 50))


def test_a_bar_is_as_high_as_the_score_of_its_round() -> None:
    link = over_after((-2, 0, 2, 4), (4, 1, 0, -2))
    for size in ALL_SIZES:
        rows = [line.partition(glyphs.BEST)[0] for line in result(link, *size).lines()]
        marks = [
            "".join(dict.fromkeys(sign for sign in row if sign in glyphs.BARS)) for row in rows
        ]
        assert [found for found in marks if len(found) > 1] == ["▁▃▆█", "█▅▃▁"], size


def test_of_many_rounds_the_latest_are_shown_and_a_mark_says_so() -> None:
    link = over_after(tuple(range(60)), tuple(range(-59, 1)))
    for columns, rows in ((40, 12), (60, 18), (80, 24)):
        cut = [
            line for line in result(link, columns, rows).lines() if re.match(r" +[AK] …[▁-█]", line)
        ]
        assert len(cut) == 2, (columns, rows)
        assert cut[0].count("█") > cut[1].count("█"), "the first has more points"
    assert not re.search("…[▁-█]", text(result(link, 120, 36)))


@pytest.mark.parametrize("size", ALL_SIZES)
def test_a_chart_has_no_room_for_fewer_than_some_rounds(size: tuple[int, int]) -> None:
    link = over_after((1,), (2,))
    drawn = text(result(link, *size))
    assert names_winner(result(link, *size), link)
    assert "★ " in drawn


def test_without_tallies_the_result_is_drawn_all_the_same() -> None:
    link = over(2)[0]
    assert link.model.table is not None
    link.model = replace(link.model, table=replace(link.model.table, tallies=()))
    for size in ((40, 12), (80, 24), (120, 36)):
        canvas = result(link, *size)
        assert names_winner(canvas, link)
        assert "★" in text(canvas), "awards for what the end shows"
        assert not set(text(canvas)) & set(glyphs.BARS[:-1])


@pytest.mark.parametrize("size", [size for size in ALL_SIZES if size[1] >= 24])
def test_the_podium_has_the_second_left_of_the_first(
    ended: list[LocalLink], size: tuple[int, int]
) -> None:
    view = ended[0].model.view
    assert view is not None
    canvas = result(ended[0], *size)
    steps = [canvas.marks[f"podium{place}"] for place in range(4)]
    assert [step.x for step in sorted(steps, key=lambda step: step.x)] == [
        steps[place].x for place in (1, 0, 2, 3)
    ]
    assert [step.rows for step in steps] == sorted((step.rows for step in steps), reverse=True)
    lines = [*canvas.lines()]
    for step, one in zip(steps, view.standings, strict=True):
        inside = [line[step.x : step.x + step.columns] for line in lines[step.y :]]
        assert inside[0].strip() in (
            scene(ended[0]).name(one.seat),
            scene(ended[0]).letter(one.seat),
        )
        wide = step.columns >= len(points(one.score))  # so that it is no bare number, as the rank
        assert inside[1].strip() == (points(one.score) if wide else str(one.score))
        places = [line.find(str(one.rank)) for line in inside[2 : step.rows]]
        assert {*places} - {-1} == {step.columns // 2}, "each step has its rank"
        assert step.columns % 2, "so that this is the middle"


@pytest.mark.slow
@pytest.mark.parametrize("size", ALL_SIZES)
def test_the_footer_of_a_result_does_not_offer_to_end_the_guide(
    ended: list[LocalLink], size: tuple[int, int]
) -> None:
    link = ended[0]
    assert link.model.view is not None
    for stage, active, told in (("game", 0, True), ("result", None, False)):
        assert link.model.table is not None
        table, view = (
            replace(link.model.table, stage=stage),
            replace(link.model.view, active=active),
        )
        model = replace(link.model, table=table, view=view)
        footer = [*draw(model, Ui(size=size, guide=True), *size).lines()][-1]
        assert ("F4" in footer) <= told
        assert "F4" in footer or not told or size[0] < 80


def test_who_has_played_with_bots_alone_is_not_asked_to_remove_one_first(
    ended: list[LocalLink],
) -> None:
    (alone,) = over(names=("Ann",))
    offered = [labels_of(scene(link))[Action.REMOVE] for link in (alone, ended[0])]
    assert offered == ["", "remove"]


def test_equal_ranks_have_equal_steps() -> None:
    link = over(2)[0]
    assert link.model.view is not None
    shared = (Standing(0, 1, 4), Standing(1, 1, 4))
    link.model = replace(link.model, view=replace(link.model.view, standings=shared))
    canvas = result(link, 80, 24)
    assert canvas.marks["podium0"].rows == canvas.marks["podium1"].rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "large"),
    [("Ann", "ANN WINS!"), ("Zoë", "ZOE WINS!"), ("Мария", "МАРИЯ"), ("민준", ""), (LONG, "")],
)
def test_a_winner_is_in_large_letters_or_on_a_bar(name: str, large: str) -> None:
    link = over(2, (name, "Bob"))[0]
    link.set(replace(link.model, view=view_won_by(link, 0)))
    drawn = text(result(link, 80, 24)).split("\n")
    if large:
        assert all(any(row.rstrip() in line for line in drawn) for row in big_words(large, 80))
    else:
        (y,) = [y for y, line in enumerate(drawn) if "You have won!" in line]
        styles = [styles for _texts, styles in result(link, 80, 24).cells(Look())]
        assert {style for row in styles[y - 1 : y + 2] for style in row[2:-2]} == {
            "class:brand reverse"
        }
    ascii_lines = draw(link.model, Ui(size=(80, 24), ascii=True), 80, 24).lines(Look(ascii=True))
    assert "You have won!" in "\n".join(ascii_lines)


def view_won_by(link: LocalLink, seat: int) -> View:
    view = link.model.view
    assert view is not None
    return replace(view, standings=(Standing(seat, 1, 4), Standing(1 - seat, 2, 1)))


def test_the_rematch_is_told_to_each() -> None:
    ann, bob = over(2)
    assert result_step(scene(ann)) == "Waiting for 민준 Kim to agree to a rematch."
    assert "Want a rematch" not in text(result(ann, 80, 24)), "the owner's Enter starts it"
    assert result_step(scene(bob)) == "Press Enter if you want a rematch."
    assert target(result(bob, 80, 24), "Press Enter") == Target("key", "c-m")
    bob.wish(Ready(NO_ID, True))
    assert result_step(scene(ann)) == "Enter starts a rematch: Ann, 민준 Kim."
    assert result_step(scene(bob)) == "Waiting for Ann to start the rematch."
    assert "Want a rematch: 민준 Kim" in text(result(bob, 80, 24)), "Ann has not asked for one"


def test_without_an_owner_a_rematch_begins_by_itself() -> None:
    local = LocalTable(2, owner=False, seed=7)
    ann, bob = local.link("Ann"), local.link("Bob")
    for link in (ann, bob):
        link.wish(Ready(NO_ID, True))
    play(local, Random(7), lambda: None)
    bob.wish(Ready(NO_ID, True))
    assert result_step(scene(ann)) == "Press Enter if you want a rematch."
    assert result_step(scene(bob)) == "A rematch starts when everybody who is here wants one."


def test_all_who_share_a_victory_are_named() -> None:
    link = over(2)[0]
    assert link.model.view is not None
    shared = (Standing(0, 1, 4), Standing(1, 1, 4))
    link.model = replace(link.model, view=replace(link.model.view, standings=shared))
    assert "Ann and 민준 Kim share the victory." in text(result(link, 120, 36))
    link = over(2, ("Ann", "Bob"))[0]
    assert link.model.view is not None
    link.model = replace(link.model, view=replace(link.model.view, standings=shared))
    drawn = text(result(link, 120, 36))
    assert all(row.rstrip() in drawn for row in big("ANN AND BOB WIN!"))


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
def test_a_name_is_whole_before_the_round_of_a_best_turn(language: str) -> None:
    name = "Константин Дмитриевич"
    link = over(4, (name, "민준 Kim"))[0]
    place = f". {scene(link).letter(scene(link).me or 0)} {name} "
    with spoken(language):
        assert any(place in line for line in result(link, 120, 36).lines())


def test_the_longest_names_leave_the_numbers_their_room() -> None:
    link = over(2, (LONG, "V" * 24))[0]
    assert link.model.view is not None
    for size in ALL_SIZES:
        drawn = text(result(link, *size))
        for one in link.model.view.standings:
            assert f"{one.rank}. {scene(link).letter(one.seat)} " in drawn, size
        assert any(mark in drawn for mark in ("penalties", "✗")), size


@pytest.mark.parametrize("size", [(120, 36), (160, 50)])
def test_a_long_name_is_whole_before_its_scores_if_all_rounds_fit_next_to_it(
    size: tuple[int, int],
) -> None:
    name = "Alexandra-Maria Lee"
    link = over(4, (name, "민준 Kim"))[0]
    lines = text(result(link, *size)).split("\n")
    (rule,) = [line.index("──") for line in lines if " Score by round" in line]
    assert any(line.startswith(f"{' ' * rule}{name} ") for line in lines)


def test_the_log_has_what_the_show_leaves(ended: list[LocalLink]) -> None:
    drawn = {size: text(result(ended[0], *size)) for size in ALL_SIZES}
    assert {size for size, lines in drawn.items() if " Log " in lines} >= {(160, 50), (200, 60)}
    assert " Log " not in drawn[80, 24]


def test_what_is_said_after_a_game_is_on_every_screen() -> None:
    ann, bob = over(4)
    bob.wish(Chat(NO_ID, "well played!"))
    for size in ALL_SIZES:
        ui = resized(ann.model, Ui(), size)
        assert "<민준 Kim> well played!" in text(draw(ann.model, ui, *size)), size


def test_nobody_passes_for_somebody_else_in_the_log() -> None:
    local = LocalTable(4)
    ann = local.link("Ann")
    bob = local.link("Ann> I give up <Bob")
    bob.wish(Chat(NO_ID, "<Ann> hello"))
    lines = pane_lines(scene(ann), "log", 80)
    assert ("", "Ann I give up <Bob sits down at the table.") in lines
    assert ("class:said", "<Ann I give up <Bob> <Ann> hello") in lines
    local.link("<Eve")
    assert ("", "<Eve sits down at the table.") in pane_lines(scene(ann), "log", 80)


def test_what_is_wrong_with_the_connection_is_said_in_whole() -> None:
    lost = replace(LocalTable(2).link("Ann").model, status="lost")
    canvas = Canvas(40, 12)
    draw_lobby(canvas, Scene(lost, Ui(size=(40, 12))))
    assert "Connection lost; trying again. " in text(canvas)


@SIZES
@pytest.mark.parametrize("said", [f"see https://example.org/{'coffee/' * 8}", "커피" * 35])
def test_a_long_word_in_the_chat_is_shown_to_its_end(said: str, columns: int, rows: int) -> None:
    local = LocalTable(2, ("regular",))
    ann = local.link("Ann")
    local.start()
    ann.wish(Chat(NO_ID, said))
    lines = [line for _style, line in pane_lines(scene(ann, columns, rows), "chat", columns // 3)]
    assert all(width(line) <= columns // 3 for line in lines)
    assert "".join(said.split()) in "".join("".join(lines).split())


@pytest.mark.parametrize("guide", [False, True])
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36), (200, 60)])
def test_a_message_is_seen_whatever_pane_is_open(size: tuple[int, int], guide: bool) -> None:
    local = LocalTable(2)
    ann, bea = local.link("Ann"), local.link("Bea")
    bea.wish(Ready(NO_ID, ready=True))
    local.start()
    play(local, Random(1), lambda: None, most=6)
    for pane in pane_names(kind_of(*size)):
        ui = resized(ann.model, Ui(guide=guide, pane=pane, read=guide_topic(ann.model)), size)
        bea.wish(Chat(NO_ID, f"look at {pane}"))
        read = replace(ui, read_to=ann.model.history.total, read=guide_topic(ann.model))
        for state in (ui, read):
            text = "\n".join(draw(ann.model, state, *size).lines())
            assert f"<Bea> look at {pane}"[: size[0] // 4] in text, pane


def test_a_tab_keeps_its_place_and_counts_what_is_unread() -> None:
    local = LocalTable(2)
    ann, bea = local.link("Ann"), local.link("Bea")
    bea.wish(Ready(NO_ID, ready=True))
    local.start()
    play(local, Random(1), lambda: None, most=6)
    size, places = (80, 24), set()
    for pane in ("others", "menu", "log", "chat"):
        ui = resized(ann.model, Ui(pane=pane), size)
        (line,) = [one for one in draw(ann.model, ui, *size).lines() if " Others " in one]
        places.add((line.index("Log"), line.index("Others"), line.index("Chat")))
    assert len(places) == 1
    ui = resized(ann.model, Ui(pane="menu"), size)
    for text in ("one", "two"):
        bea.wish(Chat(NO_ID, text))
        ann.wish(Chat(NO_ID, text))
    assert " Chat (2) " in "\n".join(draw(ann.model, ui, *size).lines())
    seen = replace(resized(ann.model, replace(ui, pane="chat"), size), pane="menu")
    assert " Chat " in "\n".join(draw(ann.model, seen, *size).lines())


def test_an_option_keeps_its_sentence_when_the_first_guest_sits_down() -> None:
    local = LocalTable(4)
    link = local.link("Ann")
    for name in ("Bea", "Cid"):
        model = invited(link.model)
        assert model.table
        model = replace(model, table=replace(model.table, starters=True))
        lines = draw(model, Ui(size=(120, 30)), 120, 30).lines()
        assert "  Starter orders: each player begins" in "\n".join(lines)
        local.link(name)
