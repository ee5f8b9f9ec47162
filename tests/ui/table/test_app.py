"""Whole turns and games by keys, through the real parser and the real output."""

import re
from random import Random

import pytest

from coffeerush.ui.pages.pages import ROWS
from coffeerush.ui.table.actions import next_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal import glyphs
from protocol import EndTurn, Phase, Serve, Step
from tests.support.local import LocalLink, LocalTable, begun
from tests.support.screen_terminal import (
    BACKSPACE,
    DOWN,
    ENTER,
    ESCAPE,
    F1,
    F3,
    LEFT,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    TAB,
    UP,
    Terminal,
    run,
    shown,
    skip,
)


def arrows_to(link: LocalLink, chance: Random) -> str:
    """Return a key that makes a legal step."""
    view = link.model.view
    assert view is not None
    assert view.own is not None
    cell = view.players[view.own.seat].meeples[(view.meeple or 1) - 1]
    keys = {-4: UP, 4: DOWN, -1: LEFT, 1: RIGHT, -5: "y", -3: "u", 3: "b", 5: "n"}
    steps = [
        option.intent.cell
        for option in view.own.options
        if isinstance(option.intent, Step) and option.intent.meeple == (view.meeple or 1)
    ]
    return keys[chance.choice(steps) - cell]


async def take_turn(terminal: Terminal, chance: Random) -> None:
    """Follow the screen's suggestions, with keys only, until the turn is over."""
    link = terminal.link
    while link.model.my_turn and link.model.table and link.model.table.stage == "game":
        before = link.model.view
        assert before is not None
        walking = before.phase in (Phase.UPGRADE, Phase.MOVING)
        coming = next_of(Scene(link.model, Ui()))
        assert coming is not None
        if before.phase is Phase.PLACING:
            await terminal.press(chance.choice([UP, DOWN, LEFT, RIGHT]), ENTER)
        elif not coming.wishes or (walking and before.steps_left):
            await terminal.press(arrows_to(link, chance))
        elif isinstance(coming.wishes[0], EndTurn | Serve):
            await terminal.press(ENTER)
        else:
            await terminal.press(" ")
        await terminal.until_moved(before)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows", "seats"), [(80, 24, 4), (120, 36, 2), (40, 12, 3)])
def test_a_whole_game_by_keys(columns: int, rows: int, seats: int) -> None:
    async def main() -> None:
        bots = ("regular", "random", "regular")[: seats - 1]
        local = LocalTable(seats, bots, seed=seats)
        async with shown(local.link("Ann"), columns, rows) as terminal:
            await terminal.see("Ann")
            await terminal.press(ENTER)
            await terminal.see("place")
            chance = Random(rows)
            for _ in range(60):
                await take_turn(terminal, chance)
                table = terminal.link.model.table
                if table is not None and table.stage == "result":
                    break
            await terminal.see("Enter start a rematch")
            assert terminal.link.model.view is not None
            for standing in terminal.link.model.view.standings:
                assert any(f"{standing.rank}. " in line for line in terminal.lines)
            await terminal.press(ENTER)
            await terminal.see("place")

    run(main())


def test_five_keys_are_a_turn() -> None:
    async def main() -> None:
        local = LocalTable(3, ("regular", "regular"), seed=5)
        async with shown(local.link("Ann")) as terminal:
            await terminal.press(ENTER)
            await terminal.see("place here")
            await terminal.press(ENTER)
            await terminal.see("3 steps left")
            chance = Random(3)
            for _ in range(3):
                await terminal.press(arrows_to(terminal.link, chance))
            await terminal.see("Space pours:")
            await terminal.press(" ")
            await terminal.see("end your turn")
            while terminal.link.model.view and terminal.link.model.view.round == 1:
                await terminal.press(ENTER)
            await terminal.see("round 2")

    run(main())


def test_pouring_by_digits_and_taking_back() -> None:
    async def main() -> None:
        local = LocalTable(3, ("regular", "regular"), seed=5)
        async with shown(local.link("Ann")) as terminal:
            await terminal.press(ENTER)
            await terminal.see("place here")
            await terminal.press(ENTER)
            await terminal.see("3 steps left")
            before = terminal.link.model.view
            chance = Random(3)
            for _ in range(3):
                await terminal.press(arrows_to(terminal.link, chance))
            await terminal.see("undo 3")
            await terminal.press("3")
            await terminal.see("undo 4")
            await terminal.press("0")
            await terminal.see("back)")
            await terminal.press("2")
            await terminal.see("give back")
            await terminal.press(ENTER)
            await terminal.see("end your turn")
            await terminal.press("u", BACKSPACE)
            await terminal.see("undo 4")
            await terminal.press("U")
            await terminal.until(lambda: terminal.link.model.view == before)
            await terminal.press("u")
            await terminal.see("there is nothing to undo")

    run(main())


def test_a_screen_opened_during_a_turn_has_its_clock_at_once() -> None:
    async def main() -> None:
        local = LocalTable(2, turn_seconds=60)
        link = local.link("Ann")
        local.link("Bob")
        local.start()
        skip(20)  # nobody does anything
        async with shown(link) as terminal:
            assert re.search(r" 0:(40|3\d)\b", terminal.text), terminal.text

    run(main(), speedup=1)


@pytest.mark.parametrize("field", ["t", "n", "l", "p"])
def test_an_input_method_composes_where_the_text_field_is_typed_into(field: str) -> None:
    async def main() -> None:
        local = LocalTable(2)
        ann, _bob = local.link("Ann"), local.link("Bob")
        if field == "p":
            local.start()
        async with shown(ann) as terminal:
            await terminal.see("Bob")
            await terminal.press(field, "a")
            await terminal.see(f"a{glyphs.CARET}")
            assert terminal.under_cursor == glyphs.CARET
            await terminal.press(LEFT)
            await terminal.see(f"{glyphs.CARET}a")
            assert terminal.under_cursor == glyphs.CARET
            assert terminal.pyte_output.screen.cursor.hidden
            await terminal.press(ESCAPE)
            cursor = terminal.pyte_output.screen.cursor
            assert (cursor.x, cursor.y) == (0, 0)

    run(main())


def test_an_input_method_composes_in_the_settings() -> None:
    async def main() -> None:
        row = [one.field for one in ROWS].index("name")
        async with shown(LocalTable(2).link("Ann")) as terminal:
            await terminal.press(F3, *[DOWN] * row, ENTER, "a")
            await terminal.see(f"a{glyphs.CARET}")
            assert terminal.under_cursor == glyphs.CARET
            await terminal.press(ESCAPE, ESCAPE)

    run(main())


def test_chat_and_panes_and_help() -> None:
    async def main() -> None:
        local = LocalTable(2)
        ann, bob = local.link("Ann"), local.link("민준")
        async with shown(ann) as terminal:
            await terminal.see("민준")
            await terminal.press("t", *"q hi", ESCAPE)
            await terminal.press("t", *"hello 민준!", BACKSPACE, ENTER)
            await terminal.see("<Ann> hello 민준")
            assert bob.model.log[-1] == ann.model.log[-1]
            local.start()
            await terminal.see("round" if not ann.model.my_turn else "setting up")
            for title in ("Others", "Chat", "Supply and menu", "Log"):
                await terminal.press(TAB)
                await terminal.see(f"▸ {title} ")
            await terminal.press(PAGE_UP, PAGE_UP, PAGE_DOWN)
            for key in ("?", F1):
                await terminal.press(key)
                await terminal.see("Keys")
                await terminal.press(ESCAPE)
                await terminal.see("Your cups")
            await terminal.press("g")
            await terminal.see("Diagonal move")
            await terminal.press(ESCAPE)

    run(main())


def test_ctrl_l_draws_over_what_another_program_wrote() -> None:
    async def main() -> None:
        async with shown(LocalTable(2).link("Ann")) as terminal:
            await terminal.see("open seat")
            before = terminal.text
            terminal.pyte_output.write(b"\x1b[5;1Hcc1: all warnings being treated as errors")
            assert "warnings" in terminal.text
            await terminal.press("\x0c")
            assert terminal.text == before

    run(main())


def test_lobby_by_keys() -> None:
    async def main() -> None:
        local = LocalTable(3)
        ann, bob = local.link("Ann"), local.link("Bob")
        async with shown(ann) as terminal:
            await terminal.see("open seat")
            await terminal.press(ENTER)
            await terminal.see("these players are not ready: Bob")
            await terminal.press("a")
            await terminal.see("1 Casual")
            await terminal.press("2")
            await terminal.see("Bot 3")
            await terminal.press("x")
            await terminal.see("Remove whom?")
            await terminal.press("3")
            await terminal.see("open seat")
            await terminal.press("n", *" Marie", ENTER)
            await terminal.see("Marie")
        assert ann.model.status == "over"
        async with shown(bob) as terminal:
            await terminal.see("Enter ready")
            await terminal.press(ENTER)
            await terminal.see("r not ready")
            await terminal.press("r")
            await terminal.see("Enter ready")

    run(main())


def test_a_spectator_sees_no_cups() -> None:
    async def main() -> None:
        local = LocalTable(2, ("regular",))
        local.link("Ann")
        eve = local.link("Eve", "spectator")
        local.start()
        async with shown(eve) as terminal:
            await terminal.see("watching")
            assert "cups" not in terminal.text
            await terminal.press(UP)
            await terminal.see("You are a spectator")

    run(main())


def test_letters_work_under_other_layouts() -> None:
    async def main() -> None:
        link = begun()
        async with shown(link) as terminal:
            for upgrades in ("п", "ㅎ"):
                await terminal.press(upgrades)
                await terminal.see("Diagonal move")
                await terminal.press(upgrades)
                await terminal.see("Your cups")

    run(main())


def test_resizing_changes_the_layout() -> None:
    async def main() -> None:
        link = begun()
        async with shown(link, 120, 36) as terminal:
            await terminal.see("Chocolate")
            await terminal.resize(80, 24)
            await terminal.see("▸ Log ")
            await terminal.resize(39, 12)
            await terminal.see("Too small: 40x12 needed")
            await terminal.resize(40, 12)
            await terminal.see("1 ")

    run(main())


def test_ascii_where_the_output_is_not_utf8() -> None:
    async def main() -> None:
        local = LocalTable(3, ("regular", "regular"))
        link = local.link("Ann민")
        local.start()
        async with shown(link, encoding="latin-1") as terminal:
            await terminal.see("+------+")
            assert terminal.text.isascii()

    run(main())
