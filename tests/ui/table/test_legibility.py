"""What somebody saw who read all screens: nothing is cut, crowded, hidden or drawn twice."""

import re
from functools import cache
from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.client.model import Invitation, Model
from coffeerush.league.table import TablePlayer
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.menu.draw_menu import draw_home
from coffeerush.ui.menu.menu import Home, lines_of
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import notes
from coffeerush.ui.replay.replay_input import REPLAY_UI, Watch
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_result import draw_together, result_step
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.panes import TALL, TOGETHER
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Area, Canvas, Look, width, wrap
from coffeerush.ui.terminal.glyphs import CUT
from coffeerush.ui.words.events import digest, drink_names, last_turn
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.league import wins_text
from coffeerush.ui.words.names import drink_name
from protocol import NO_ID, Chat, Ready
from protocol.text import NAME_CELLS
from tests.golden.frames import EXTREMES, spoken
from tests.golden.moments import NAMES, again, moments, played
from tests.support.local import LocalTable, acting, invited
from tests.ui.replay import test_reviewing as reviews

LANGUAGE = pytest.mark.parametrize("language", EXTREMES)
SMALL = (40, 12)
GUESTS = Invitation(
    ("192.168.0.12:47820", "[2001:db8::12]:47820"),
    "apple-tiger-moon",
    ssh="ssh -p 47823 192.168.0.12",
    fingerprint="SHA256:abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
    page="http://192.168.0.12:47824",
)
LONG = "Wolfeschlegelst"
NOW = 1000.0


def painted(name: str, size: tuple[int, int]) -> list[str]:
    """Return the lines of a golden moment."""
    (moment,) = [one for one in moments() if one.name == name]
    return [*moment.paint(*size, False).lines()]


def table(model: Model, size: tuple[int, int], **more: object) -> Canvas:
    return draw(model, Ui(size=size, **more), *size)  # type: ignore[arg-type]  # fields of Ui


@cache
def models() -> dict[str, Model]:
    """Return the models of a game by the names of its moments."""
    return dict(played())


# The header


@pytest.mark.slow
@LANGUAGE
@pytest.mark.parametrize("size", [(40, 12), (60, 16), (80, 24), (120, 36)])
def test_a_clock_is_never_cut(language: str, size: tuple[int, int]) -> None:
    with spoken(language):
        for name in ("moving", "another's turn", "placing", "upgrade", "spectator"):
            for seconds, shown in ((75.5, "1:15"), (9.5, "!0:09!")):
                ui = {"now": NOW, "clock_until": NOW + seconds}
                assert shown in next(table(models()[name], size, **ui).lines())


@LANGUAGE
@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_counts_stand_apart_from_the_words_before_them(
    language: str, size: tuple[int, int]
) -> None:
    with spoken(language):
        for model in models().values():
            if model.seat is None or model.view is None or model.view.standings:
                continue
            canvas = table(model, size)
            area = canvas.marks["score"]
            texts, _styles = next(iter(canvas.cells(Look())))
            assert texts[area.x - 2 : area.x] == [" ", " "], "".join(texts)


@LANGUAGE
def test_the_last_round_is_told_on_every_terminal(language: str) -> None:
    model = models()["moving"]
    assert model.view is not None
    closed = replace(model, view=replace(model.view, closed=True))
    with spoken(language):
        for size in (SMALL, (80, 24), (120, 36)):
            drawn = "\n".join(table(closed, size).lines())
            assert drawn.count(_("LAST ROUND")) == 1, drawn


@LANGUAGE
def test_that_a_turn_is_the_last_stands_out_from_what_others_did(language: str) -> None:
    model = models()["moving"]
    assert model.view is not None
    closed = replace(model, view=replace(model.view, closed=True))
    with spoken(language):
        own, news = last_turn(closed), "Bonbon: Chai latte."
        canvas = table(closed, (120, 36), note=f"{own} {news}")
        rows = ["".join(texts) for texts, _styles in canvas.cells(Look())]
        y = next(y for y, row in enumerate(rows) if news in row)
        ((_texts, styles),) = canvas.copy(Area(1, y, width(f"{own} {news}"), 1))
        assert {*styles[: width(own)]} == {"class:urgent"}
        assert {*styles[width(own) + 1 :]} == {"class:note"}


# Small terminals


@pytest.mark.slow
@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("name", ["lobby", "start menu", "host", "code", "league", "settings"])
def test_nothing_is_cut(language: str, name: str) -> None:
    with spoken(language):
        assert CUT not in "\n".join(painted(name, SMALL))


@LANGUAGE
def test_no_label_of_the_form_is_cut_whichever_line_is_chosen(language: str) -> None:
    with spoken(language):
        home = Home(place="host", page=replace(Home().page, size=SMALL))
        for row in range(len(lines_of(home))):
            assert CUT not in "\n".join(draw_home(replace(home, row=row), *SMALL).lines())


def test_a_day_is_whole_and_a_sentence_is_not_told_twice() -> None:
    assert any("2026-01-31   Inês, Ann, 민준 " in line for line in painted("records", SMALL))
    assert any("2026-01-31 20:15  Inês" in line for line in painted("records", SMALL))
    drawn = "\n".join(draw_home(Home(place="records"), *SMALL).lines())
    assert drawn.count("You have not finished a game yet.") == 1


@LANGUAGE
def test_a_spectator_sees_whole_names(language: str) -> None:
    with spoken(language):
        assert not [line for line in painted("spectator", SMALL) if CUT in line[21:]]


@LANGUAGE
def test_what_happened_since_the_turn_takes_one_line(language: str) -> None:
    with spoken(language):
        for name in ("moving", "pouring", "serving"):
            ui = apply_update(Model("player", "Ann"), models()[name], Ui(size=SMALL), NOW)
            assert ui.note
            assert len(wrap(ui.note, SMALL[0] - 2, "")) == 1, ui.note


@pytest.mark.parametrize("noted", [False, True])
def test_a_long_message_leaves_the_board_visible(noted: bool) -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    local.start()
    bob.wish(Chat(NO_ID, "word " * 15 + "end"))
    lines = [*table(ann.model, SMALL, note="A note." * noted).lines()]
    (shown,) = [y for y, line in enumerate(lines) if line.startswith(" <Bob> word")]
    assert shown == 9
    assert lines[9 if noted else 10].rstrip().endswith(CUT)
    assert [line[:20].split() for line in lines[1:9:2]] == [
        ["Ic", "Ca★", "St", "Co"],
        ["Co", "Mi", "Ic", "Wa★"],
        ["Te★", "St", "Mi", "Co"],
        ["Mi", "Ic", "Ch★", "St"],
    ]


def test_names_that_have_no_room_have_a_key() -> None:
    lines = painted("placing", SMALL)
    assert any("v whole names" in line for line in lines)
    assert "v orders" in painted("another's turn", SMALL)[-1]


def test_a_whole_lobby_shows_names_before_words() -> None:
    local = LocalTable(3, ("regular",), turn_seconds=90, starters=True)
    ann = local.link("Ann")
    wolf = local.link(LONG)
    for ready in (False, True):
        wolf.wish(Ready(NO_ID, ready))
        drawn = "\n".join(table(invited(ann.model), SMALL).lines())
        assert LONG in drawn
        assert "Starters, 90 s per turn" in drawn
        assert f"{LONG} {'✓' if ready else '·'}" in drawn
        assert LONG in "\n".join(table(invited(ann.model), (80, 24)).lines()).split("Log")[0]


def test_how_guests_join_can_be_read_to_its_end() -> None:
    size = SMALL
    model = invited(LocalTable(2).link("Ann").model, GUESTS)
    ui, _wishes = press(model, Ui(size=size), "c", NOW)
    seen = "".join(draw(model, ui, *size).lines())
    for number in range(9):
        ui, _wishes = press(model, ui, "down", NOW + number)
        seen += "".join(draw(model, ui, *size).lines())
    read = "".join(seen.split())
    for part in (GUESTS.page, "47823", GUESTS.fingerprint[-20:], "[2001:db8::12]:47820"):
        assert part in read
    assert _("Others join with: {command}").partition("{")[0].replace(" ", "") in read


# Larger ones


@LANGUAGE
def test_large_letters_do_not_touch_the_next_line(language: str) -> None:
    with spoken(language):
        for invitation in (GUESTS, replace(GUESTS, page="", ssh="")):
            model = invited(LocalTable(4).link("Ann").model, invitation)
            lines = [*table(model, (80, 24)).lines()]
            for upper, lower in pairwise(lines):
                for one, other in zip(upper, lower, strict=False):
                    assert not (one in "▄█" and other.isalnum()), f"{upper}\n{lower}"


@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_rule_is_below_another(language: str) -> None:
    with spoken(language):
        for name in ("pouring", "moving, hint"):
            lines = painted(name, (80, 24))
            ruled = [line.startswith("──") or "─▸" in line for line in lines]
            assert not [pair for pair in pairwise(ruled) if all(pair)], "\n".join(lines)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_the_newest_line_of_the_log_is_above_a_long_note(size: tuple[int, int]) -> None:
    model = models()["another's turn"]
    lines = [*table(model, size, note="word " * 30).lines()]
    note = next(y for y, line in enumerate(lines) if line.startswith(" word"))
    assert "takes steam and chocolate" in lines[note - 1]


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_note_does_not_hide_the_guide(language: str) -> None:
    with spoken(language):
        model, ui = models()["first turn"], Ui(guide=True, note="word " * 30)
        drawn = "".join("".join(draw(model, ui, 80, 24).lines()).split())
        for text in guide_lines(model, ui.progress):
            assert "".join(text.split()) in drawn


@pytest.mark.parametrize("language", EXTREMES)
def test_the_key_of_the_chat_is_in_the_footer_of_a_first_turn(language: str) -> None:
    with spoken(language):
        assert f" t {pgettext('key', 'chat')}" in painted("first turn, guided", (80, 24))[-1]


def test_a_cup_that_serves_has_a_mark_where_the_word_has_no_room() -> None:
    lines = painted("serving", (120, 36))
    assert any(line.count("✓ Caramel macchiato") == 1 for line in lines)
    assert any("▸ SERVE Caramel macchiato" in line for line in painted("serving", (80, 24)))


@pytest.mark.parametrize("size", [SMALL, (80, 24)])
def test_all_that_stands_on_a_cell_is_shown(size: tuple[int, int]) -> None:
    """In this moment the player stands with somebody on the second cell of their path."""
    marks = [line[: 20 if size == SMALL else 29] for line in painted("moving", size)]
    assert any(mark in line for line in marks for mark in ("2◆ I", "2 ◆A I"))


@LANGUAGE
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_the_longest_names_are_whole_in_the_standings(language: str, size: tuple[int, int]) -> None:
    model = models()["result"]
    assert model.table is not None
    names = [number * NAME_CELLS for number in "1234"]
    pairs = zip(model.table.seats, names, strict=True)
    seats = tuple(replace(seat, name=name) for seat, name in pairs)
    model = replace(model, dealt=seats, table=replace(model.table, seats=seats))
    with spoken(language):
        standings = [line for line in table(model, size).lines() if line.strip()[1:2] == "."]
        assert all(any(f" {name} " in line for line in standings) for name in names), standings


# Replays


@LANGUAGE
@pytest.mark.parametrize("size", [SMALL, (80, 24)])
def test_a_review_is_read_to_its_end(language: str, size: tuple[int, int]) -> None:
    with spoken(language):
        watch = reviews.reviewed(*size)
        shown = reviews.pressed(watch, "w")
        assert shown.reviewing is not None
        drawn = "".join("".join(draw_replay(reviews.replay(), shown, *size).lines()).split())
        said = notes(reviews.replay(), shown.reviewing, shown.at, glyphs.POINTER)
        assert any("".join(one.split()) in drawn for one in said)


def test_a_replay_says_whose_orders_it_lists() -> None:
    watch = Watch(at=reviews.replay().last // 2, page=replace(REPLAY_UI, size=SMALL))
    lines = [*draw_replay(reviews.replay(), reviews.pressed(watch, "v"), *SMALL).lines()]
    assert "Your" not in lines[1]
    assert ": orders" in lines[1]


# Read again


@LANGUAGE
def test_a_small_result_names_the_key_of_the_games_together(language: str) -> None:
    with spoken(language):
        tab = f" {_('Tab')} "
        headings = _("Games together: {games}"), _("Games this evening: {games}")
        for evening, heading in enumerate(headings):
            lines = table(again(models()["result"], bool(evening)), SMALL).lines()
            (line,) = [one for one in lines if one.startswith(tab)]
            assert CUT not in line
            assert heading.format(games=6) in line
        assert tab + pgettext("key", "by round") in painted("all games", SMALL)[-1]


def test_the_games_together_keep_their_heading_where_a_column_has_no_room() -> None:
    model = again(models()["result"], evening=True)
    together = model.record.together if model.record else None
    assert together
    wide, narrow, *brief = (Canvas(columns, 6) for columns in (92, 72, 56))
    for canvas in (wide, narrow, *brief):
        area = Area(0, 0, canvas.columns, canvas.rows)
        draw_together(canvas, Scene(model, Ui()), together, area)
        heading, titles, *people = canvas.lines()
        assert " Games this evening: 6 " in heading
        assert "wins" in titles
        assert ("points" in titles) == (canvas is wide)
        assert ("ahead of I" in titles) == (canvas is not brief[0])
        assert ("vs I" in titles) == (canvas is brief[0])
        assert (" 2 of 6 " in people[0]) == (canvas is not brief[0])


def _with_others(model: Model, count: int) -> Model:
    """Return a result of an evening in which so many people are at other tables."""
    model = again(model, evening=True)
    assert model.record
    assert model.record.together
    together = model.record.together
    (other,) = (one for one in together.everybody if not one.seats)
    careers = [
        replace(other.career, entry=replace(other.career.entry, id=f"{number}", name=f"P{number}"))
        for number in range(count)
    ]
    others = [TablePlayer((), career) for career in careers]
    together = replace(together, players=(*together.people, *others))
    return replace(model, record=replace(model.record, together=together))


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 30), (120, 36)])
@pytest.mark.parametrize("count", [1, 3, 6, 12])
def test_everybody_of_an_evening_is_told_by_their_wins(size: tuple[int, int], count: int) -> None:
    model = _with_others(models()["result"], count)
    text = "\n".join(table(model, size, pane=TOGETHER).lines())
    assert CUT not in text
    heading = text.index("Games this evening: 6")
    wins = "2" if size[0] == 40 else "2 of 6"
    for number in range(count):
        row = re.search(rf"^ +P{number} +{wins} ", text[heading:], re.MULTILINE)
        assert row or f"P{number} 2" in " ".join(text[heading:].split()), (number, text)
    assert size[0] == 40 or result_step(Scene(model, Ui())) in text


@pytest.mark.parametrize("rows", range(TALL, TALL + 8))
@pytest.mark.parametrize("evening", [False, True])
def test_the_games_together_leave_room_for_the_next_step(rows: int, evening: bool) -> None:
    model, ui = again(models()["result"], evening), Ui(settings=Settings(guided=True))
    assert model.record
    assert model.record.together
    assert model.table
    known = model.record.together.players
    everybody = [replace(known[0], seats=(seat,)) for seat, _one in enumerate(model.table.seats)]
    elsewhere = [one for one in known if not one.seats]
    together = replace(model.record.together, players=(*everybody, *elsewhere))
    model = replace(model, record=replace(model.record, together=together))
    step = result_step(Scene(model, ui))
    drawn = "\n".join(draw(model, replace(ui, size=(120, rows)), 120, rows).lines())
    assert step in drawn, drawn
    assert "Games" in drawn or rows == TALL


def test_who_has_won_most_games_of_the_evening_comes_first() -> None:
    model = again(models()["result"], evening=True)
    assert model.record
    assert model.record.together
    known = [one for one in model.record.together.players if one.seats]
    for best in known:
        players = [
            replace(one, career=replace(one.career, entry=replace(one.career.entry, wins=wins)))
            for one in known
            for wins in [0.9 if one is best else 0.1]
        ]
        together = replace(model.record.together, players=tuple(players))
        scene, canvas = Scene(model, Ui()), Canvas(92, 5)
        draw_together(canvas, scene, together, Area(0, 0, 92, 5))
        assert scene.name(best.seats[0]) in [*canvas.lines()][2]
        others = [line.split()[0] for line in [*canvas.lines()][3:]]
        assert others == [
            scene.letter(place.seat)
            for place in scene.view.standings
            if place.seat in [one.seats[0] for one in known if one is not best]
        ]


@LANGUAGE
def test_an_evening_names_those_who_are_elsewhere_and_whose_games_bots_played(
    language: str,
) -> None:
    with spoken(language):
        model = again(models()["result"], evening=True)
        together = model.record.together if model.record else None
        assert together
        (other,) = (one for one in together.everybody if not one.seats)
        for size in ((80, 24), (120, 36)):
            pane = TOGETHER if size[1] < TALL else ""  # to which Tab leads
            text = " ".join(" ".join(table(model, size, pane=pane).lines()).split())
            assert CUT not in text
            wins = _("{ahead} of {games}").format(ahead=wins_text(other), games=6)
            assert f" {other.career.entry.name} {wins} " in text
            assert f"{NAMES[1]} 1" in text


@LANGUAGE
def test_a_log_of_one_row_shows_the_beginning_of_its_newest_line(language: str) -> None:
    with spoken(language):
        newest = digest(models()["result"])[-1]
        shown = painted("result", SMALL)[-2][:-2].strip(f" {CUT}")
        assert shown
        assert str(newest).startswith(shown)


def test_the_level_of_a_bot_is_left_out_before_its_name_is_cut() -> None:
    watch = Watch(at=reviews.replay().last, page=replace(REPLAY_UI, size=SMALL))
    lines = [*draw_replay(reviews.replay(), watch, *SMALL).lines()]
    assert CUT not in "".join(lines[1:4])
    assert any(line.startswith(" 2. R Regular (bot) ") for line in lines)


def test_who_asks_to_come_in_hides_no_message() -> None:
    drawn = "\n".join(painted("a guest asks", SMALL))
    assert "Guest 3 (María José): “d” lets in" in drawn
    assert "안녕하세요!" in drawn


@LANGUAGE
def test_drinks_of_the_same_name_are_counted(language: str) -> None:
    with spoken(language):
        model = models()["moving"]
        latte, mocha = drink_name(model, 0), drink_name(model, 1)
        named = drink_names(model, (0, 1, 0))
        assert named.count(latte) == named.count(mocha) == named.count("2") == 1


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_note_is_not_in_the_log_as_well(size: tuple[int, int]) -> None:
    model = models()["another's turn"]
    newest = digest(model)[-1]
    assert isinstance(newest, str)
    assert sum(newest in line for line in table(model, size).lines()) == 1
    assert sum(newest in line for line in table(model, size, note=newest).lines()) == 1


@LANGUAGE
def test_a_message_does_not_hide_the_end_of_the_guide(language: str) -> None:
    with spoken(language):
        model, ui, seen = models()["first turn"], Ui(size=SMALL, guide=True), ""
        for number in range(9):
            lines = [*draw(model, ui, *SMALL).lines()]
            if "──" not in lines[1]:
                break
            assert lines[-2].startswith(" <민준>")
            seen += "".join(lines[2:-2])
            ui, _wishes = press(model, ui, "enter", NOW + number)
        read = "".join(seen.split())
        for text in guide_lines(model, Ui().progress):
            assert all(word in read for word in text.split())


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_scores_by_round_leave_out_the_level_of_a_bot_before_its_name_is_cut(
    size: tuple[int, int],
) -> None:
    with spoken("ru"):
        watch = Watch(at=reviews.replay().last, page=replace(REPLAY_UI, size=size))
        lines = [*draw_replay(reviews.replay(), watch, *size).lines()]
        assert CUT not in "\n".join(lines)
        assert sum("R Regular " in line for line in lines) == 1, "the standings"
        assert any(line.lstrip().startswith("Regular ") and glyphs.BEST in line for line in lines)


@pytest.mark.parametrize("next_to_it", [(0, 0, 0, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0, 0, 0)])
def test_the_drink_under_a_cup_is_whole(next_to_it: tuple[int, ...]) -> None:
    """The longest names are Russian."""
    local, bot, chance = LocalTable(2, seed=5), RegularBot(), Random(3)
    ann = local.link("Ann")
    local.link("Bob")
    local.start()
    while (link := acting(local)) and link.model.view and link.model.view.round == 0:
        link.wish(bot.choose(link.model.view, chance))
    view = ann.model.view
    assert view is not None
    assert view.own is not None
    brewed = (1, 0, 0, 1, 0, 0, 0, 0)
    own = replace(view.own, cups=(view.own.cups[0], brewed, next_to_it))
    with spoken("ru"):
        drawn = "\n".join(table(replace(ann.model, view=replace(view, own=own)), (120, 36)).lines())
        named = f"{glyphs.TO} Карамельный колд-брю"
        assert (named if not any(next_to_it) else named[2:] + "  →") in drawn


@LANGUAGE
def test_the_guide_of_a_wide_screen_takes_the_room_of_an_empty_chat(language: str) -> None:
    with spoken(language):
        local = LocalTable(3, ("casual", "casual"), seed="2 games")
        ann = local.link("Ann")
        local.start()
        lines = [*table(ann.model, (120, 36), guide=True).lines()][28:-2]
        assert not [line for line in lines if glyphs.DOWN in line]
        read = "".join("".join(lines).split())
        for text in guide_lines(ann.model, Ui().progress):
            assert "".join(text.split()) in read
        local.link("Eve", "spectator").wish(Chat(NO_ID, "Hello"))
        assert any(
            "<Eve> Hello" in line for line in table(ann.model, (120, 36), guide=True).lines()
        )


@pytest.mark.slow
@LANGUAGE
def test_a_replay_keeps_the_number_of_a_slot_next_to_its_drinks(language: str) -> None:
    with spoken(language):
        for at in range(0, reviews.replay().last, 9):
            watch = Watch(at=at, page=replace(REPLAY_UI, size=(120, 36)))
            for line in draw_replay(reviews.replay(), watch, 120, 36).lines():
                assert not line.rstrip().endswith(("   1", "   2", "   3", "   4!")), line
