"""How others join, on the owner's screen: large in the lobby, on a page of its own, and redrawn."""

import pytest
from msgspec.structs import replace
from segno import make

from coffeerush.client.model import UNINVITED, Invitation, Model, OpenToGuests
from coffeerush.joining.code import join_command, spoken_code
from coffeerush.local.settings import Colours, Theme
from coffeerush.ui.table.actions import Action, labels_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Canvas, Look
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from coffeerush.ui.terminal.parts import big, big_words
from coffeerush.ui.terminal.theme import style_of
from coffeerush.ui.words.table import option_lines
from tests.golden.frames import EXTREMES, spoken
from tests.support.local import INVITATION, LocalTable, begun, invited

SHORT = Invitation(("192.168.0.12",), "apple-tiger-moon")
LONG = Invitation(
    ("[2001:db8:10:20:a00:27ff:fe4e:66a1]:47820", "192.168.0.12:47820"),
    "strawberry-blanket-newspaper",
)
OPEN = Invitation(("192.168.0.12",))
SCANNED = replace(SHORT, page="http://192.168.0.12:47821/")
SIZES = [(40, 12), (40, 24), (60, 18), (80, 24), (79, 40), (120, 36), (160, 50), (200, 60)]
NOW = 1000.0


def lobby(invitation: Invitation = INVITATION) -> Model:
    return invited(LocalTable(4).link("Ann").model, invitation)


def drawn(model: Model, columns: int, rows: int, ui: Ui | None = None) -> Canvas:
    return draw(model, replace(ui or Ui(), size=(columns, rows)), columns, rows)


def page(model: Model, columns: int, rows: int, ascii_only: bool = False) -> Canvas:
    ui, wishes = press(model, Ui(size=(columns, rows), ascii=ascii_only), "c", NOW)
    assert not wishes
    assert ui.mode == "invitation"
    return drawn(model, columns, rows, ui)


def text(canvas: Canvas, columns: int = 999) -> str:
    return "\n".join(line[:columns] for line in canvas.lines())


def squeezed(said: str) -> str:
    """Return a text without its blanks: on which lines it stands does not matter."""
    return "".join(said.split())


def joined(canvas: Canvas) -> str:
    """Return the text of a screen with single blanks between words, across lines."""
    return " ".join(text(canvas).split())


def modules(canvas: Canvas, ascii_only: bool = False) -> list[str]:
    """Return the QR code of a screen as a camera sees it: `#` dark, `.` light; light edges cut."""
    rows: list[str] = []
    for texts, styles in canvas.cells(Look()):
        cells = [*zip(texts, styles, strict=True)]
        seen = [(one, style) for one, style in cells if style in ("class:qr", "class:qrdark")]
        if not seen:
            continue
        if any(one in "▀▄█" for one, _style in seen) or not any(
            "dark" in style for _, style in seen
        ):
            rows.append("".join("#" if one in "▀█" else "." for one, _style in seen))
            rows.append("".join("#" if one in "▄█" else "." for one, _style in seen))
        else:
            rows.append("".join("#" if "dark" in style else "." for _one, style in seen[::2]))
    inked = [row for row in rows if "#" in row]
    left = min((row.index("#") for row in inked), default=0)
    right = max((row.rindex("#") for row in inked), default=0)
    return [row[left : right + 1] for row in inked]


def wanted(content: str) -> list[str]:
    found = make(content, error="l", micro=False)
    return ["".join("#" if one else "." for one in row) for row in found.matrix]


# The lobby


@pytest.mark.slow
def test_nothing_moves_beside_an_address_as_people_come_and_go() -> None:
    model = lobby()
    assert model.table is not None
    queue = replace(model.table.next_game, queue=("Eve",))
    tables = (
        model.table,
        replace(model.table, spectators=("Eve",)),
        replace(model.table, spectators=("Eve", "Kim"), next_game=queue),
    )
    shown = [[*drawn(replace(model, table=table), 80, 24).lines()] for table in tables]
    assert "1 in line, watching: Eve, Kim" in "\n".join(shown[2])
    rows = [{y for y in range(23) if lines[y] != shown[0][y]} for lines in shown]
    assert rows == [set(), {18}, {18}], "the row between the next step and the log"


@pytest.mark.parametrize("size", [(120, 30), (120, 36), (160, 50)])
def test_where_there_is_room_the_options_are_whole_sentences(size: tuple[int, int]) -> None:
    model = lobby(SHORT)
    assert model.table is not None
    table = replace(model.table, starters=True, turn_seconds=120, bot_seconds=2)
    following = replace(table.next_game, rotation="everybody")
    told = replace(model, table=replace(table, next_game=following, spectators=("Eve",)))
    shown = joined(drawn(told, *size))
    assert [line for line in option_lines(told) if line not in shown] == []


@pytest.mark.parametrize("invitation", [SHORT, OPEN])
@pytest.mark.parametrize("size", [(80, 24), (110, 36), (120, 30), (120, 36), (160, 50)])
def test_nothing_moves_once_it_is_known_how_guests_join(
    invitation: Invitation, size: tuple[int, int]
) -> None:
    known = replace(
        invitation,
        ssh="ssh -p 47822 192.168.0.12",
        fingerprint="SHA256:" + "k" * 43,
        page="http://192.168.0.12:47821/",
    )
    due = [*drawn(lobby(replace(invitation, guests_due=True)), *size).lines()]
    told = [*drawn(lobby(known), *size).lines()]
    assert due != told
    assert not "".join(map(_changed, due, told)).strip()


def _changed(before: str, after: str) -> str:
    """Return what stood where something else stands now."""
    return "".join(one for one, other in zip(before, after, strict=True) if one != other)


@pytest.mark.parametrize("size", [(110, 36), (120, 36), (160, 50)])
def test_nothing_moves_when_another_address_is_found(size: tuple[int, int]) -> None:
    one = replace(SHORT, ssh="ssh -p 47822 192.168.0.12", page="http://192.168.0.12:47821/")
    two = replace(one, addresses=(*one.addresses, "10.8.0.2"))
    before, after = ([*drawn(lobby(each), *size).lines()] for each in (one, two))
    (changed,) = (y for y, line in enumerate(after) if line != before[y])
    assert "Also at: 10.8.0.2" in after[changed]


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("invitation", [SHORT, LONG, OPEN])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_the_code_is_in_every_lobby(
    language: str, invitation: Invitation, columns: int, rows: int
) -> None:
    with spoken(language):
        canvas = drawn(lobby(invitation), columns, rows)
    words = spoken_code(invitation.code, language) if invitation.code else ""
    large = [big_words(words, wide) for wide in (columns - 4, 76)]
    assert words in joined(canvas) or any(
        rows and all(row.rstrip() in text(canvas) for row in rows) for rows in large
    )
    if rows >= 16:
        # next to a QR code the lines end before it
        command = join_command(invitation.addresses[0], invitation.code, language)
        assert any(squeezed(command) in squeezed(text(canvas, end)) for end in (78, 200))


@pytest.mark.parametrize(
    ("columns", "rows", "address", "code"),
    [
        (60, 18, 0, 0),
        (80, 24, 1, 1),
        (79, 40, 1, 1),
        (110, 36, 2, 1),
        (120, 36, 2, 1),
    ],
)
def test_address_and_code_are_as_large_as_there_is_room_for(
    columns: int, rows: int, address: int, code: int
) -> None:
    shown = text(drawn(lobby(SHORT), columns, rows))
    sizes = [size for size in (1, 2) if big(SHORT.addresses[0], size)[-1] in shown]
    assert sizes == ([address] if address else [])
    assert (big("APPLE TIGER MOON")[-1] in shown) is bool(code)


def test_where_only_one_can_be_large_it_is_the_code() -> None:
    local = LocalTable(4, turn_seconds=90, starters=True)
    shown = text(drawn(invited(local.link("Ann").model, SHORT), 80, 22))
    assert big("APPLE TIGER MOON")[-1] in shown
    assert big(SHORT.addresses[0])[-1] not in shown


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("size", [(60, 18), (80, 24), (120, 36)])
def test_a_screen_has_the_code_in_one_language(language: str, size: tuple[int, int]) -> None:
    model, words = lobby(SHORT), spoken_code(SHORT.code, language)
    command = f"coffeerush join 192.168.0.12 {'-'.join(words.split())}"
    with spoken(language):
        screens = drawn(model, *size), page(model, *size)
    assert any(squeezed(command) in squeezed(text(screens[0], end)) for end in (78, 200))
    for canvas in screens if language != "en" else ():
        assert "apple-" not in text(canvas)
        assert big("APPLE TIGER MOON")[-1] not in text(canvas)


def test_korean_words_stand_below_a_large_address() -> None:
    with spoken("ko"):
        shown = text(drawn(lobby(SHORT), 80, 24))
    assert "사과 호랑이 보름달" in shown
    assert "coffeerush join 192.168.0.12 사과-호랑이-보름달" in shown
    assert big(SHORT.addresses[0])[-1] in shown


def test_large_letters_are_whole_where_there_are_no_half_blocks() -> None:
    canvas = drawn(lobby(SHORT), 100, 31, Ui(ascii=True))
    for letters in (SHORT.addresses[0], "APPLE TIGER MOON"):
        assert all(row in text(canvas) for row in big(letters, ascii_only=True))
    assert not any(one in text(canvas) for one in "▀▄")


def test_other_addresses_are_told_where_there_is_room() -> None:
    assert "Also at: [2001:db8::12]:47820" in text(drawn(lobby(), 80, 24))
    assert "Also at" not in text(drawn(lobby(), 40, 12))


def test_an_open_table_says_what_that_means() -> None:
    shown = text(drawn(lobby(OPEN), 80, 24))
    assert "coffeerush join 192.168.0.12 open" in shown
    assert "anybody who can reach this address can join" in shown


def test_who_hosts_nothing_is_told_of_no_code() -> None:
    model = LocalTable(4).link("Ann").model
    assert Action.INVITE not in labels_of(Scene(model, Ui()))
    ui, _wishes = press(model, Ui(), "c", NOW)
    assert ui.mode == "table"
    assert "coffeerush join" not in text(drawn(model, 120, 36))


@pytest.mark.parametrize("invitation", [SHORT, OPEN, INVITATION])
def test_a_wide_lobby_has_the_qr_code_beside_its_seats(invitation: Invitation) -> None:
    with_page = replace(invitation, page="http://192.168.0.12:47821/")
    canvas = drawn(lobby(with_page), 120, 36)
    assert modules(canvas) == wanted(with_page.page)
    assert text(canvas).count("open seat") == 3
    assert not modules(drawn(lobby(with_page), 110, 36))
    assert not modules(drawn(lobby(invitation), 120, 36)), "no phone could come in"


def test_a_list_covers_seats_and_qr_code_as_a_whole_or_not_at_all() -> None:
    model = lobby(replace(SHORT, page="http://192.168.0.12:47821/"))
    plain = drawn(model, 120, 36)
    for columns, rows in ((80, 24), (120, 30), (120, 36), (120, 50)):
        ui, _wishes = press(model, Ui(size=(columns, rows)), "o", NOW)
        canvas = drawn(model, columns, rows, ui)
        assert modules(canvas) in ([], modules(plain))
        shown = text(canvas)
        counts = tuple(shown.count(part) for part in ("Seat 1", "open seat", "└"))
        assert counts in ((0, 0, 1), (1, 3, 5))


# The page


@pytest.mark.slow
@pytest.mark.parametrize("invitation", [SHORT, LONG, OPEN, INVITATION])
@pytest.mark.parametrize("language", EXTREMES)
def test_the_page_has_a_qr_code_only_if_a_phone_can_come_in(
    invitation: Invitation, language: str
) -> None:
    with_page = replace(invitation, page=SCANNED.page)
    with spoken(language):
        for columns, rows in ((80, 24), (120, 36), (50, 40)):
            assert modules(page(lobby(with_page), columns, rows)) == wanted(with_page.page)
            without = page(lobby(invitation), columns, rows)
            assert not modules(without)
            assert "QR" not in text(without)
            assert "coffeerush join" in joined(without)


def test_where_there_are_no_half_blocks_a_qr_code_is_made_of_colours_alone() -> None:
    canvas = page(lobby(SCANNED), 120, 40, ascii_only=True)
    assert modules(canvas, ascii_only=True) == wanted(SCANNED.page)
    assert "\n".join(canvas.lines(Look(ascii=True))).isascii()


@pytest.mark.parametrize(
    ("columns", "rows", "ascii_only", "needed"),
    [(40, 12, False, "40x17"), (80, 24, True, "62x31")],
)
def test_where_there_is_no_room_the_page_says_how_much_is_needed(
    columns: int, rows: int, ascii_only: bool, needed: str
) -> None:
    canvas = page(lobby(SCANNED), columns, rows, ascii_only)
    assert not modules(canvas)
    assert f"Enlarge the terminal to {needed} to see a QR code here." in joined(canvas)
    assert "apple-tiger-moon" in joined(canvas)
    wide, high = map(int, needed.split("x"))
    assert modules(page(lobby(SCANNED), wide, high, ascii_only), ascii_only)
    assert not modules(page(lobby(SCANNED), wide, high - 1, ascii_only), ascii_only)


@pytest.mark.parametrize("key", ["c", "q", ESCAPE, ENTER, "ㅊ", "с"])
def test_the_page_closes_and_stays_for_other_keys(key: str) -> None:
    model = lobby()
    ui, _wishes = press(model, Ui(), "c", NOW)
    for other in ("x", "a", "up", "1", "pagedown"):
        ui, wishes = press(model, ui, other, NOW + 10)
        assert (ui.mode, wishes) == ("invitation", ())
    ui, wishes = press(model, ui, key, NOW + 20)
    assert (ui.mode, wishes) == ("table", ())
    assert not ui.leaving


def test_the_page_opens_in_a_game_too_and_closes_when_one_begins() -> None:
    game = invited(begun().model)
    ui, _wishes = press(game, Ui(), "c", NOW)
    assert "How others join" in text(drawn(game, 80, 24, ui))
    local = LocalTable(2, ("regular",))
    ann = local.link("Ann")
    before = invited(ann.model)
    ui, _wishes = press(before, Ui(), "c", NOW)
    local.start()
    assert apply_update(before, invited(ann.model), ui, NOW).mode == "table"


@pytest.mark.parametrize("theme", ["dark", "light", "contrast", "colour-blind"])
def test_dark_is_darker_than_light_with_every_theme(theme: Theme) -> None:
    several: tuple[Colours, ...] = ("true", "256", "16")
    for colours in several:
        style = style_of(theme, colours)
        assert style["qr"] == "#000000 bg:#ffffff"
        assert style["qrdark"].endswith("bg:#000000")
    style = style_of(theme, "none")
    assert (style["qr"], style["qrdark"]) == (
        ("", "reverse") if theme == "light" else ("reverse", "")
    )


# A new code


def test_a_new_code_is_said_at_once_and_is_in_the_lobby() -> None:
    before = lobby(SHORT)
    after = lobby(replace(SHORT, code="wolf-lake-piano"))
    ui = apply_update(before, after, Ui(size=(80, 24)), NOW)
    shown = text(drawn(after, 80, 24, ui))
    assert "Code: wolf lake piano" in shown
    assert "The table has a new code" in shown
    assert "apple-tiger-moon" not in shown


def test_a_screen_that_knew_no_code_says_nothing_of_a_new_one() -> None:
    before = LocalTable(4).link("Ann").model
    assert apply_update(before, invited(before), Ui(), NOW).note == ""


def test_who_no_longer_hosts_hears_of_no_new_code() -> None:
    before = lobby(SHORT)
    assert apply_update(before, lobby(UNINVITED), Ui(), NOW).note == ""


# Guests with a browser

PAGE = replace(
    INVITATION,
    ssh="ssh -p 47823 192.168.0.12",
    fingerprint="SHA256:abc",
    page="http://192.168.0.12:47824/",
)
ASKED = replace(PAGE, asking=((3, "Ann", "482916"),))


@pytest.mark.parametrize(("columns", "rows"), [size for size in SIZES if size[1] >= 24])
def test_the_lobby_shows_the_number_of_a_browser_that_asks(columns: int, rows: int) -> None:
    before, after = lobby(PAGE), lobby(ASKED)
    ui = apply_update(before, after, Ui(size=(columns, rows)), NOW)
    assert "482916" in text(drawn(after, columns, rows, ui))
    assert "482916" in text(page(after, columns, rows))


def test_a_crowd_that_asks_leaves_room_for_the_rest_of_the_lobby() -> None:
    asking = tuple((guest, "Eve", f"{guest:06}") for guest in range(1, 17))
    shown = text(drawn(lobby(replace(PAGE, asking=asking)), 80, 24))
    assert "000001" in shown
    assert "000016" not in shown
    assert "open seat" in shown


def test_the_page_has_the_address_for_browsers() -> None:
    assert "http://192.168.0.12:47824/" in squeezed(text(page(lobby(PAGE), 120, 36)))


GUESTS = replace(INVITATION, ssh=PAGE.ssh, fingerprint=f"SHA256:{'CxStI8MIGs' * 4}LsO")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_the_lobby_shows_how_guests_join(size: tuple[int, int]) -> None:
    shown = text(drawn(lobby(replace(GUESTS, page=PAGE.page)), *size))
    assert "Without this program: ssh -p 47823 192.168.0.12" in shown
    assert "With a browser: http://192.168.0.12:47824/" in shown
    assert "open seat" in shown
    if size[1] > 24:
        assert GUESTS.fingerprint in shown


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_the_lobby_says_why_guests_cannot_join(size: tuple[int, int]) -> None:
    reason = "Port 47823 is in use."
    shown = squeezed(text(drawn(lobby(replace(INVITATION, no_guests=reason)), *size)))
    assert squeezed(f"Guests without this program cannot join: {reason}") in shown
    assert "openseat" in shown


def test_the_page_shows_the_whole_key_even_on_a_small_terminal() -> None:
    model = lobby(GUESTS)
    ui, _wishes = press(model, Ui(size=(40, 12), mode="invitation"), "pagedown", NOW)
    shown = text(drawn(model, 40, 12, ui))
    assert GUESTS.fingerprint in "".join(line.strip() for line in shown.splitlines())


NOT_YET = "Guests with only a browser or ssh cannot join."


def test_the_page_says_where_guests_without_the_program_are_let_in() -> None:
    assert f"{NOT_YET} The game setup, “o”, changes that." in joined(page(lobby(SHORT), 160, 50))
    assert NOT_YET not in joined(page(lobby(GUESTS), 160, 50))


@pytest.mark.parametrize("size", [(40, 12), (160, 50)])
def test_an_open_table_is_opened_to_guests_in_its_setup(size: tuple[int, int]) -> None:
    model = lobby(SHORT)
    ui, _wishes = press(model, Ui(size=size), "o", NOW)
    assert NOT_YET in text(drawn(model, 160, 50, ui))
    ui, wishes = press(model, ui, "w", NOW)
    assert wishes == (OpenToGuests(allowed=True),)
    assert ui.note == "Guests with only a browser or ssh can join in a moment."
    due = invited(model, replace(SHORT, guests_due=True))
    ui = apply_update(model, due, ui, NOW)
    assert ui.note == "Guests with only a browser or ssh can join in a moment."
    ui = apply_update(due, invited(model, GUESTS), ui, NOW)
    assert ui.note == f"Without this program: {GUESTS.ssh}"
    for other in (lobby(GUESTS), LocalTable(4).link("Ann").model):
        assert NOT_YET not in text(setup(other, 160, 50))


@pytest.mark.parametrize("size", [(40, 12), (160, 50)])
def test_guests_are_turned_off_with_the_same_key_once_it_is_confirmed(
    size: tuple[int, int],
) -> None:
    model = lobby(GUESTS)
    ui, _wishes = press(model, Ui(size=size), "o", NOW)
    assert "w Guests with only a browser or ssh can join." in text(drawn(model, 160, 50, ui))
    ui, wishes = press(model, ui, "w", NOW)
    assert wishes == ()
    asked = "Guests who came that way are disconnected. Press “w” again to confirm."
    assert asked in joined(drawn(model, *size, ui))
    ui, wishes = press(model, ui, "w", NOW)
    assert wishes == (OpenToGuests(allowed=False),)
    assert ui.note == ""
    for known in (model, lobby(replace(SHORT, guests_due=True))):
        assert apply_update(known, invited(model, SHORT), ui, NOW).note == NOT_YET


def test_only_whose_host_it_is_decides_on_guests() -> None:
    for other in (LocalTable(4).link("Ann").model, lobby(replace(SHORT, no_guests="Why."))):
        assert "w Guests" not in text(setup(other, 160, 50))


def setup(model: Model, columns: int, rows: int) -> Canvas:
    ui, wishes = press(model, Ui(size=(columns, rows)), "o", NOW)
    assert not wishes
    assert ui.mode == "agreed"
    return drawn(model, columns, rows, ui)


@pytest.mark.parametrize(("invitation", "offered"), [(SHORT, False), (SCANNED, True)])
def test_a_qr_code_is_offered_only_where_there_is_one(
    invitation: Invitation, offered: bool
) -> None:
    footer = [*drawn(lobby(invitation), 120, 36).lines()][-1]
    assert ("c QR code" in footer) is offered
