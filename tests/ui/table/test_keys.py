"""One table of keys: the help shows all of it, the footer tells the truth."""

from random import Random
from typing import get_args

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.client.talk import AnswerOffer
from coffeerush.joining.nearby import FoundTable
from coffeerush.local.settings import Settings
from coffeerush.rules import view_for
from coffeerush.ui.menu.menu import Home
from coffeerush.ui.menu.menu_input import press as press_home
from coffeerush.ui.pages.pages import (
    PAGE_KEYS,
    PAGES,
    Mode,
    Page,
    PageAction,
    page_lines,
    page_offers,
)
from coffeerush.ui.replay.replay_input import REPLAY_HELP
from coffeerush.ui.table.actions import (
    HELP,
    IN_HALL,
    KEYMAP,
    Action,
    labels_of,
    next_of,
    next_question,
)
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import press
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Canvas, Look, Target
from coffeerush.ui.terminal.keys import ALIASES, ENTER, Draft, decomposed
from coffeerush.ui.terminal.parts import AIRY_COLUMNS, draw_keys, footer_items
from protocol import Phase, PlaceMeeple, SeatView, TableView, Undo
from tests.golden.frames import EXTREMES, spoken
from tests.support.local import LocalLink, LocalTable, begun, choose, invited, play, recorded
from tests.support.positions import Has, position, tokens
from tests.ui.table.test_on_key import ready_to_serve, walked

MENU_KEYS = (
    ("?", "?", "f1"),
    ("arrows", "up", "down", "left", "right", *"hjkl"),
    ("1-9", *"123456789"),
    ("Enter", "c-m"),
    ("Space", " "),
    ("w", "w"),
    ("n", "n"),
    ("Esc", "escape"),
    ("F2", "f2"),
    ("F3", "f3"),
    ("q", "q", "c-c"),
)


def test_every_binding_is_in_the_help() -> None:
    text = "\n".join(line for _style, line in page_lines(Page(mode="help", help=HELP), 76))
    for binding in KEYMAP.bindings:
        assert f"{binding.shown[0][0]} " in text
        assert binding.text[:40] in text


SIGNS = ["On the board", "In your orders", "At the top, and beside the players"]


def test_the_signs_of_the_screen_come_before_the_keys_of_a_turn_and_those_before_others() -> None:
    lines = [line for _style, line in page_lines(Page(mode="help", help=HELP), 76)]
    titles = [lines[0], *(lines[y + 1] for y, line in enumerate(lines) if not line)]
    assert titles == [
        *SIGNS,
        "Keys",
        "Before and after a game, for spectators, and for the owner",
    ]
    around = "\n".join(lines[lines.index(titles[-1]) :])
    assert "as a spectator" in around
    assert "choose which order a cup serves" not in around


def test_the_keys_of_the_moment_come_before_the_signs_and_each_is_told_once() -> None:
    link = begun(("regular",))
    while not Scene(link.model, Ui()).turn.steps:
        link.wish(choose(link, Random(1)))
    ui, _wishes = press(link.model, Ui(), "?", 60.0)
    lines = [line for _style, line in page_lines(ui, 76)]
    first = lines[: lines.index("")]
    assert first[0] == "Keys now"
    assert [line.split()[0] for line in first if line[0] != " "][1:] == ["arrows", "e", "m", "i"]
    assert lines[lines.index("") + 1] == SIGNS[0]
    for binding in KEYMAP.bindings:
        assert "\n".join(lines).count(binding.text[:40]) == 1 or not binding.text


def test_the_help_of_the_menu_begins_with_its_own_keys() -> None:
    for key in ("?", "f1"):
        page = press_home(Home(), key).page
        lines = [line for _style, line in page_lines(page, 76)]
        own = "\n".join(lines[: lines.index("")])
        for cap, *_keys in MENU_KEYS:
            assert f"{cap} " in own
        assert "step" not in own
        assert all(f"{one.shown[0][0]} " in "\n".join(lines) for one in KEYMAP.bindings)


@pytest.mark.parametrize(("cap", "keys"), [(cap, keys) for cap, *keys in MENU_KEYS])
def test_every_key_of_the_menu_does_something(cap: str, keys: list[str]) -> None:
    found = replace(Home(), found=(FoundTable("Kitchen", "192.168.0.12", True),))
    hosting = Home(place="host", page=Page(settings=Settings(seated=("casual",) * 3)))
    homes = [press_home(found, "up"), hosting, *(Home(place="play", row=row) for row in range(4))]
    for key in keys:
        assert any(press_home(home, key) != home for home in homes), key


def test_the_help_of_a_replay_speaks_of_nobody_who_plays() -> None:
    text = "\n".join(line for _style, line in page_lines(Page(mode="help", help=REPLAY_HELP), 76))
    assert "your meeple" not in text
    assert "you can step" not in text
    assert glyphs.MINE in text


def test_every_action_does_something() -> None:
    idle = {action for action in Action if not action.value.do and action.value.opens == "table"}
    assert idle == {Action.CLOSE, Action.PICK}


def test_no_key_means_two_things_in_a_game() -> None:
    keys = [key for binding in KEYMAP.bindings for key in binding.keys]
    twice = {key for key in keys if keys.count(key) > 1}
    between = "steps, answers, all orders, hosting; between games bots, a name, letter …"
    in_lists = {"t", "w", "x", "escape"}
    assert twice == {"H", "a", "h", "l", "n", "o", "r", "s", "v"} | in_lists, between


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("г", "u"),
        ("Г", "U"),
        ("ㅕ", "u"),
        ("й", "q"),
        ("ㅂ", "q"),
        ("Q", "q"),
        ("U", "U"),
        ("1", "1"),
    ],
)
def test_letters_are_meant_by_their_place(typed: str, key: str) -> None:
    assert KEYMAP.resolve(typed) == key


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("u", "u"),
        ("ㅕ", "ㅕ"),
        ("녀", "ㄴㅕ"),
        ("각", "ㄱㅏㄱ"),
        ("과", "과"),
        ("ｕ", "u"),
        ("１", "1"),
        ("é", "é"),
        ("up", "up"),
    ],
)
def test_an_input_method_is_taken_apart(typed: str, keys: str) -> None:
    assert "".join(decomposed(typed)) == keys


def test_every_letter_key_has_its_place_in_the_other_layouts() -> None:
    letters = {key for key in KEYMAP.keys if len(key) == 1 and key.isalpha()}
    for letter in letters - {"U", "D", "H", "N"}:
        assert sum(latin == letter for latin in ALIASES.values()) == 2
    assert all(
        KEYMAP.actions_of(KEYMAP.resolve(other))
        for other, latin in ALIASES.items()
        if latin in letters
    )


def changes(link: LocalLink, ui: Ui, key: str) -> bool:
    """Return whether a key has a visible effect."""
    after, wishes = press(link.model, ui, key, 1e6)
    return bool(wishes) or after != replace(ui, now=1e6, key=after.key, key_at=after.key_at)


def is_true(link: LocalLink, ui: Ui, action: Action | PageAction) -> bool:
    """Return whether each key of an action has an effect; of keys that choose, at least one."""
    if isinstance(action, PageAction):
        bindings = (one for one in PAGE_KEYS.bindings if one.action is action)
        return all(changes(link, ui, key) for one in bindings for key in one.keys)
    keys = action.value.keys or "1234"
    found = [changes(link, ui, key) for key in keys]
    return any(found) if action in (Action.POUR, Action.PICK) else all(found)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 4])
def test_every_label_of_the_footer_is_true(seats: int) -> None:
    local = LocalTable(seats, ("regular",) * (seats - 2), seed=seats)
    links = [local.link("Ann")]
    links[0].set(invited(links[0].model))
    seen: set[Action] = set()
    ui = Ui(offer=AnswerOffer("bravo"))

    def look() -> None:
        for link in links:
            scene = Scene(link.model, ui)
            offers = labels_of(scene)
            seen.update(offers)
            for action, label in offers.items():
                assert not label or is_true(link, ui, action), action
            for columns in (40, 80, 120):
                items, gap = footer_items(KEYMAP, offers, columns)
                assert items[0].caps[0][0] == "?"
                assert sum(one.width + gap for one in items) <= columns - 2 + gap
                assert gap > 1 or columns < AIRY_COLUMNS
            coming = next_of(scene) if Action.NEXT in offers else None
            pours = coming is not None and coming.kind == "pour"
            assert not (pours and offers[Action.NEXT] and offers.get(Action.SUGGEST))

    look()
    links += [local.link("Bob"), local.link("Eve", "spectator")]
    look()
    local.ask_to_come_in((1, "Zoe"))
    look()
    local.start()
    look()
    play(local, Random(seats), look)
    links[0].set(recorded(links[0].model))
    look()
    missing = set(Action) - seen - {Action.CLOSE, Action.PICK, Action.BACK, *IN_HALL}
    missing -= {Action.HOST, Action.SUCCEED}  # nobody here could host the table
    # nobody has to choose the upgrade for diagonal steps
    assert missing <= {Action.DIAGONAL, *([Action.MEEPLE] if seats == 4 else [])}


@pytest.mark.parametrize("mode", get_args(Mode))
def test_every_label_is_true_whatever_is_open(mode: Mode) -> None:
    lobby = LocalTable(4, ("regular",)).link("Ann")
    lobby.set(invited(lobby.model))
    for link in (ready_to_serve().link, walked(2).link, lobby):
        for ui in (
            Ui(mode=mode, help=HELP, row=1),
            Ui(mode=mode, help=HELP, row=1, guide=True, draft=Draft("a")),
        ):
            scene = Scene(link.model, ui)
            labels = (
                [*labels_of(scene).items()] if mode not in PAGES else [*page_offers(ui).items()]
            )
            assert labels
            for action, label in labels:
                assert not label or is_true(link, ui, action), (action, label)


@pytest.mark.parametrize("language", EXTREMES)
def test_the_footer_of_an_open_list_fits_the_smallest_screen(language: str) -> None:
    link = ready_to_serve().link
    with spoken(language):
        for mode in ("upgrades", "empty", "serve"):
            canvas = draw(link.model, Ui(mode=mode, size=(40, 12)), 40, 12)
            keys = [canvas.target_at(x, 11) for x in range(40)]
            assert {Target("key", "?"), Target("key", "escape")} <= set(keys)
            assert Target("key", "q") in keys or (mode, language) == ("upgrades", "ru")


def test_what_has_become_possible_stands_out() -> None:
    link = ready_to_serve().link
    canvas = draw(link.model, Ui(), 80, 24)
    styles = [*canvas.cells(Look())][-1][1]
    (line,) = [*canvas.lines()][-1:]
    assert styles[line.index("serve cup")] == "class:ask", line
    assert styles[line.index("choose")] == "class:keylabel"


def test_the_help_says_that_there_is_more_until_its_end() -> None:
    link = LocalTable(2).link("Ann")
    ui, pages = Ui(mode="help", help=HELP), 0
    while page_offers(ui).get(PageAction.SCROLL_ON):
        ui, _wishes = press(link.model, ui, "pagedown", 1e6)
        pages += 1
    end = ui.scroll
    ui, _wishes = press(link.model, ui, "pagedown", 1e6)
    assert (pages > 0, ui.scroll) == (True, end)
    ui, _wishes = press(link.model, ui, "pageup", 1e6)
    assert ui.scroll < end


def test_a_click_on_a_label_of_the_footer_is_its_key() -> None:
    canvas = Canvas(80, 1)
    offers = {Action.NEXT: "end turn", Action.UNDO: "undo", Action.MOVE: "step"}
    draw_keys(canvas, 0, KEYMAP, offers)
    (line,) = canvas.lines()
    assert canvas.target_at(line.index("end turn"), 0) == Target("key", ENTER)
    assert canvas.target_at(line.index("undo"), 0) == Target("key", "u")
    assert canvas.target_at(line.index("step"), 0) is None


def test_the_setup_does_not_speak_of_steps_to_undo() -> None:
    link = begun(("random",), seed=5)
    while Scene(link.model, Ui()).view.phase is Phase.PLACING:
        link.wish(PlaceMeeple(Scene(link.model, Ui()).turn.places[0]))
    ui, wishes = press(link.model, Ui(), "left", 1000.0)
    assert wishes == ()
    assert ui.note == "You cannot step yet: first fill your cups."


def on_another_meeple() -> LocalLink:
    """Return a link whose meeple has stepped onto the cell of another one."""
    for seed in range(50):
        link = begun(("regular",) * 3, seed)
        while link.model.view and link.model.view.phase is Phase.PLACING:
            link.wish(choose(link, Random(seed)))
        scene = Scene(link.model, Ui())
        taken = {cell for seat in scene.others for cell in scene.player(seat).meeples}
        if onto := taken & scene.turn.steps.keys():
            link.wish(scene.turn.steps[min(onto)].intent)
            return link
    raise AssertionError("no meeple stands beside another one")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_that_a_walk_must_go_on_is_said_once_with_the_guide(size: tuple[int, int]) -> None:
    link = on_another_meeple()
    for guide in (True, False):
        text = "\n".join(draw(link.model, Ui(size=size, guide=guide), *size).lines())
        assert text.count("Another meeple is here") == 1


def test_while_only_a_step_goes_on_the_footer_has_no_enter() -> None:
    link = on_another_meeple()
    stepped = link.model
    link.wish(Undo())
    for model in (link.model, stepped):
        footer = [*draw(model, Ui(), 120, 36).lines()][-1]
        assert "arrows step" in footer
        assert "Enter" not in footer
    said = "Another meeple is here: keep stepping until you reach a free cell."
    assert said in "\n".join(draw(stepped, Ui(), 120, 36).lines())
    assert said not in "\n".join(draw(link.model, Ui(), 120, 36).lines())
    for key in (ENTER, " ", "1", "0"):
        ui, wishes = press(stepped, Ui(), key, 1000.0)
        assert wishes == ()
        assert ui.note == "Another meeple is here: keep stepping until you reach a free cell."


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("steam caramel", "No order needs this: caramel."),
        ("steam steam steam", "This would go back: steam."),
    ],
)
def test_enter_says_that_no_order_needs_a_token_only_if_that_is_so(held: str, said: str) -> None:
    orders = ("Americano", "Cortado, Chai latte", "Iced tea")
    begin = position(Has(orders, ("ice", "milk"), (5,)), Has(), Has())
    hand = tokens(held)
    state = replace(begin, phase=Phase.POURING, hand=hand, supply=begin.supply - hand)
    state = replace(state, path=(0, 1, 5), meeple=0, standing=state.standing & ~(1 << 5))
    seats = tuple(SeatView("person", name) for name in ("Ann", "Bea", "Cid"))
    table = TableView("Café", "game", seats, None, (), (), False, 0, None)
    model = Model("player", "Ann", status="here", seat=0, table=table, view=view_for(state, 0))
    scene = Scene(model, Ui())
    coming = next_of(scene)
    assert coming is not None
    assert next_question(scene, coming).startswith(said)
