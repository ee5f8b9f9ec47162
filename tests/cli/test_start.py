"""The start menu after an action has failed."""

import os
from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.cli.start import GUIDED_SEED, done, failed, options_of, returned
from coffeerush.errors import LinkError
from coffeerush.host.server.parent import HostOptions
from coffeerush.joining.door import NobodyHosts, Removed
from coffeerush.joining.enrolment import WrongCode
from coffeerush.joining.hosts import AnotherHost, CodeNeeded
from coffeerush.joining.nearby import FoundTable
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.local.keys import keys_for
from coffeerush.local.own_tables import OwnTable, keep_moved
from coffeerush.local.settings import Settings, remembering
from coffeerush.table_rules import TableRules
from coffeerush.ui.menu.draw_menu import draw_home
from coffeerush.ui.menu.menu import (
    FIRST_BOTS,
    Continue,
    Errand,
    Home,
    Host,
    Join,
    MenuPage,
    Play,
    ShowReplay,
    lines_of,
)
from coffeerush.ui.menu.menu_app import seen, with_own
from coffeerush.ui.menu.menu_input import (
    asking_for_code,
    chosen,
    gone_to,
    press,
    resettled,
    with_found,
)
from coffeerush.ui.pages.pages import Page
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.terminal.keys import ENTER
from tests.support.records import KEY, head_of, lines, play


def test_settings_changed_at_a_table_survive_its_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    person = LocalPerson(plain=True)
    home = Home(page=Page(settings=person.settings), name=person.name, place="records")
    person.keep(Settings(theme="light", name="Bea"))
    after = done(person, home, ShowReplay(str(tmp_path / "none.record")))
    assert (after.place, after.wrong, after.notes != ()) == ("records", True, True)
    assert (after.settings, after.name) == (person.settings, "Bea")


def test_a_replay_leads_back_to_the_list_it_was_chosen_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    monkeypatch.setattr("sys.stdin", StringIO("q\n"))
    for name in "ab":
        save(tmp_path / f"{name}.record", over=True)
    person, home = LocalPerson(plain=True), with_own(Home(), tmp_path)
    listed = replace(seen(person, home, gone_to(home, "records"), tmp_path), row=1)
    errand = lines_of(listed)[1].errand
    assert isinstance(errand, ShowReplay)
    after = done(person, listed, errand)
    assert (after.place, after.row, after.notes, after.wrong) == ("records", 1, (), False)


@pytest.mark.parametrize(
    ("error", "place", "wrong"),
    [
        (CodeNeeded("This table asks for its code."), "code", False),
        (WrongCode("That is not the code."), "code", True),
        (AnotherHost("Another host answers."), "code", True),
        (LinkError("Nothing is hosting there."), "watch", True),
    ],
)
def test_a_code_is_asked_for_if_it_helps(error: LinkError, place: MenuPage, wrong: bool) -> None:
    join = Join("192.168.0.12", "spectator", "apple-tiger-moon")
    after = failed(Home(place="watch"), join, error)
    assert (after.place, after.wrong, after.notes) == (place, wrong, (error.text,))
    assert after.wanted == (Join("192.168.0.12", "spectator") if place == "code" else None)
    assert after.errand is None


KITCHEN = "192.168.0.12"
FIVE = tuple(f"10.0.0.{number}" for number in range(1, 6))


@pytest.mark.parametrize("place", ["join", "watch"])
@pytest.mark.parametrize("recent", [(), FIVE[:2], FIVE, (*FIVE[:4], KITCHEN)])
def test_a_lost_table_stays_selected(place: MenuPage, recent: tuple[str, ...]) -> None:
    """It is among the recent addresses now, from which another one may have been dropped."""
    found = [FoundTable("Bar", "192.168.0.15:47830", False), FoundTable("Kitchen", KITCHEN, True)]
    home = Home(page=Page(settings=Settings(recent=recent)))
    home = with_found(gone_to(home, place), found)
    rows = [line.errand.address if isinstance(line.errand, Join) else "" for line in lines_of(home)]
    home = press(chosen(home, rows.index(KITCHEN)), ENTER)
    join = home.errand
    assert isinstance(join, Join)
    after = failed(home, join, Removed("You were removed."))
    after = resettled(after, remembering(home.settings, KITCHEN))
    assert lines_of(after)[after.row].label == "Kitchen"
    assert "Kitchen" in "\n".join(draw_home(after, 80, 24).lines())
    assert press(after, ENTER).errand == join


@pytest.mark.parametrize("place", ["menu", "join", "watch"])
@pytest.mark.parametrize("asked", [False, True])
def test_a_table_where_nobody_answers_leaves_the_list(place: MenuPage, asked: bool) -> None:
    bar = FoundTable("Bar", "192.168.0.15:47830", False)
    home = with_found(gone_to(Home(), place), [FoundTable("Kitchen", KITCHEN, True), bar])
    join = Join(KITCHEN, "player")
    if asked:
        home = failed(home, join, CodeNeeded("This table asks for its code."))
    after = failed(home, join, NobodyHosts("Nothing is hosting there."))
    assert (after.place, after.notes) == (place, ("Nothing is hosting there.",))
    assert after.found == (bar,)


@pytest.mark.parametrize("guest", [False, True])
def test_a_table_that_is_gone_is_looked_for_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guest: bool
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    own = OwnTable("Kitchen", "127.0.0.1:1", 0.0, moved=not guest, guest=guest)
    person = LocalPerson(plain=True)

    def told(*tables: tuple[str, str]) -> str:
        found = tuple(FoundTable(table, address, code=True) for table, address in tables)
        home = Home(own=own, found=found)
        (note,) = done(person, home, Join("127.0.0.1:1", "player")).notes
        return note

    assert "127.0.0.1:2;" in told(("Garden", "127.0.0.1:3"), ("Kitchen", "127.0.0.1:2"))
    assert "127.0.0.1:1;" in told(("Kitchen", "127.0.0.1:2"), ("Kitchen", "127.0.0.1:3"))
    assert "127.0.0.1:1;" in told(("Kitchen", "127.0.0.1:1"))


def test_a_typed_address_stays_selected_when_its_table_is_lost() -> None:
    home = gone_to(Home(page=Page(settings=Settings(recent=FIVE))), "join")
    for key in KITCHEN:
        home = press(home, key)
    after = resettled(home, remembering(home.settings, KITCHEN))
    assert (after.row, lines_of(after)[0].value) == (0, KITCHEN)


def test_a_kicked_person_is_not_asked_for_the_code() -> None:
    join = Join("192.168.0.12", "spectator", "apple-tiger-moon")
    after = failed(asking_for_code(Home(place="watch"), join), join, Removed("You were removed."))
    assert (after.place, after.notes, after.errand) == ("watch", ("You were removed.",), None)


STARTERS = TableRules(starters=True)
PLAYED = Play(("casual",), STARTERS)
HOSTED = Host("", 2, ("casual",), TableRules())


def save(path: Path, over: bool) -> None:
    """Write the record of Ann's game."""
    entries = play(replace(head_of(2), owner=KEY))
    path.write_bytes(lines(entries if over else entries[:9]))
    path.chmod(0o644 if over else 0o600)


@pytest.mark.parametrize(
    ("errand", "row", "continued", "later"),
    [
        (PLAYED, 0, True, "Play against bots"),
        (PLAYED, 1, True, "Play against bots"),
        (Play(FIRST_BOTS, STARTERS, guide=True), 1, True, "Play against bots"),
        (HOSTED, 2, True, "Play with friends"),
        (Join("cafe.local", "player"), 2, False, "Play with friends"),
        (ShowReplay("/a.record"), 3, False, "Your games"),
    ],
)
def test_after_a_game_enter_continues_it_or_plays_another(
    errand: Errand, row: int, continued: bool, later: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.record"
    save(path, over=False)
    back_from_it = Home(menu_row=row, row=row)
    left = returned(back_from_it, errand, tmp_path)
    assert left.unfinished
    resumes = press(left, ENTER).errand
    assert resumes == (Continue(str(path), "Ann", True) if continued else None)
    save(path, over=True)
    after = returned(back_from_it, errand, tmp_path)
    assert (after.unfinished, lines_of(after)[after.row].label) == (None, later)


def test_no_game_is_lost_by_leaving_another(tmp_path: Path) -> None:
    for name, over, at in (("a", False, 1), ("b", False, 2), ("c", True, 3)):
        save(tmp_path / f"{name}.record", over)
        os.utime(tmp_path / f"{name}.record", (at, at))
    person = LocalPerson()
    home = with_own(Home(), tmp_path)
    assert home.unfinished is None, "the latest game is over"
    (tmp_path / "c.record").unlink()
    latest = with_own(Home(), tmp_path)
    assert lines_of(latest)[0].errand == Continue(str(tmp_path / "b.record"), "Ann", True)
    for at_start in (home, latest):
        games = next(line for line in lines_of(at_start) if line.opens == "games")
        assert games.value == "to continue: 2"
        opened = seen(person, at_start, gone_to(at_start, "unfinished"), tmp_path)
        paths = [line.errand.path for line in lines_of(opened) if isinstance(line.errand, Continue)]
        assert paths == [str(tmp_path / f"{name}.record") for name in "ba"]
    (tmp_path / "a.record").unlink()
    assert not with_own(home, tmp_path).more_unfinished


@pytest.mark.parametrize(
    ("own", "named", "name"),
    [
        ("Ann", "with Bob and Regular (bot)", "Ann"),
        ("Bob", "with Ann and Regular (bot)", "Bob"),
        ("", "with Ann, Bob and Regular (bot)", "Marta"),
    ],
)
def test_a_table_to_reopen_is_named_with_all_others_who_played(
    own: str, named: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner may be one of them, at a host that has several tables."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    keys = {own: keys_for("host", own).public.decode()} if own else {}
    head = head_of(3)
    seats = tuple(
        one if one.bot else replace(one, key=keys.get(one.name, one.name[0] * 40))
        for one in head.seats
    )
    entries = play(replace(head, seats=seats, owner=seats[0].key))[:9]
    path = tmp_path / "a.record"
    path.write_bytes(lines(entries))
    path.chmod(0o600)
    first = lines_of(with_own(Home(name="Marta"), tmp_path))[0]
    assert first.errand == Continue(str(path), name, alone=False)
    assert f"Café at six, {named};" in first.about


def test_a_table_that_has_moved_is_not_also_among_those_nearby(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    keep_moved("Kitchen", "192.0.2.7:47830", "Ann")
    home = with_own(Home(), tmp_path)
    assert home.own_addresses == {"192.0.2.7:47830"}
    assert lines_of(home)[0].errand == Join("192.0.2.7:47830", "player", name="Ann")
    text = "\n".join(draw_home(replace(home, looking=True), 80, 24).lines())
    assert "No others yet:" in text


def test_the_line_of_a_game_that_could_not_start_stays_selected(tmp_path: Path) -> None:
    home = Home(row=1, wrong=True, notes=("No space is left.",))
    assert returned(home, Play(FIRST_BOTS, STARTERS, guide=True), tmp_path).row == 1


def test_the_host_gets_the_options_of_the_form() -> None:
    bots = ("regular", "random")
    rules = TableRules(starters=True, turn_seconds=60)
    closed = options_of(Host("", 3, bots, rules))
    assert closed == HostOptions(seats=3, bots=bots, rules=rules)
    opened = options_of(Host("Kitchen", 4, (), TableRules(), is_open=True))
    assert opened == HostOptions(table="Kitchen", seats=4, open=True)


def test_only_the_guided_game_is_always_the_same() -> None:
    assert options_of(Play(FIRST_BOTS, STARTERS, guide=True)).seed == GUIDED_SEED
    assert options_of(Play(FIRST_BOTS, STARTERS)).seed is None
