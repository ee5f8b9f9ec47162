"""Another table, watched on the screen from one's own: what is drawn, and the way back."""

import pytest

from protocol import NO_ID, PROTOCOL_VERSION, Bye, Chat, Hello, LookAt, Said
from tests.support.local import LocalLink, LocalTable, acting
from tests.support.screen_terminal import ENTER, ESCAPE, F1, INTERRUPT, TAB, shown

pytestmark = pytest.mark.slow


def hall() -> tuple[LocalTable, LocalLink, LocalLink]:
    """Return a hall with a game, whose turn it is there, and somebody at a table of their own."""
    local = LocalTable(2)
    local.link("Ann")
    local.link("Bob")
    cid = local.link("Cid", "spectator")
    cid.wish(Hello(NO_ID, PROTOCOL_VERSION, "Cid", "player", "new"))
    local.start()
    active = acting(local)
    assert active is not None
    return local, active, cid


def waiting(local: LocalTable, active: LocalLink) -> LocalLink:
    """Return the player whose turn it is not."""
    return next(one for one in local.links[:2] if one is not active)


@pytest.mark.parametrize("back", [ESCAPE, ENTER, "w", INTERRUPT])
async def test_a_table_is_watched_and_left_by_one_key(back: str) -> None:
    local, active, cid = hall()
    link = waiting(local, active)
    async with shown(link) as terminal:
        own = terminal.text
        await terminal.press("z")
        await terminal.see("Kitchen 2: C Cid")
        await terminal.press("w")
        await terminal.see("You are watching Kitchen 2; Esc takes you back to Table.")
        assert "open seat" in terminal.text
        cid.wish(Chat(NO_ID, "Is anybody there?"))
        await terminal.see("<Cid> Is anybody there?")
        assert (link.model.number, link.model.seat is None) == (1, False)
        await terminal.press(back)
        await terminal.see(own.splitlines()[1].strip())
        assert link.model.looking is None
        assert "Kitchen 2" not in terminal.lines[0]


async def test_a_player_who_looks_elsewhere_is_told_that_it_is_their_turn() -> None:
    local, active, _cid = hall()
    link = waiting(local, active)
    async with shown(link) as terminal:
        link.wish(LookAt(NO_ID, 2))
        await terminal.see("You are watching Kitchen 2")
        while link.model.view and link.model.view.active != link.model.seat:
            assert active.model.view is not None
            assert active.model.view.own is not None
            active.wish(active.model.view.own.options[0].intent)
        await terminal.see("It is your turn at Table: Esc takes you back.")
        await terminal.press(ESCAPE)
        await terminal.see("place")
        assert link.model.my_turn


async def test_what_is_said_at_the_own_table_is_seen_from_another_one() -> None:
    local, active, cid = hall()
    link = waiting(local, active)
    async with shown(link) as terminal:
        link.wish(LookAt(NO_ID, 2))
        await terminal.see("You are watching Kitchen 2")
        active.wish(Chat(NO_ID, "Come back!"))
        own = f"Table: <{active.model.name}> Come back!"
        await terminal.see(own)
        cid.wish(Chat(NO_ID, "Is anybody there?"))
        await terminal.see("<Cid> Is anybody there?")
        assert own in terminal.text
        await terminal.press(TAB)
        await terminal.see("You are watching Kitchen 2")
        link.wish(Chat(NO_ID, "Soon"))
        cid.wish(Chat(NO_ID, "Hello?"))
        await terminal.see("<Cid> Hello?")
        assert "Soon" not in terminal.text, "one knows what one has said"


async def test_nothing_is_done_at_a_table_that_is_only_watched() -> None:
    local, active, cid = hall()
    link = waiting(local, active)
    async with shown(link, 120, 36) as terminal:
        link.wish(LookAt(NO_ID, 2))
        await terminal.see("You are watching Kitchen 2")
        sent = len(link.model.pending), cid.model.table
        for key in ("g", "z", "r", "n", "p", " ", TAB):
            terminal.type(key)
        await terminal.press(F1)
        await terminal.see("On the board")
        await terminal.press(ESCAPE)
        await terminal.see("You are watching Kitchen 2")
        assert (len(link.model.pending), cid.model.table) == sent
        assert link.model.looking is not None


async def test_one_writes_to_all_tables_from_one_that_is_watched() -> None:
    local, active, cid = hall()
    link = waiting(local, active)
    async with shown(link) as terminal:
        link.wish(LookAt(NO_ID, 2))
        await terminal.see("t chat")
        await terminal.press("t")
        await terminal.see("/all")
        for key in ("q", "w", "?", ENTER):
            terminal.type(key)
        await terminal.see("(Table), to all> qw?")
        assert Said(link.model.name, "qw?", "Table") in cid.model.log
        assert link.model.looking is not None
        await terminal.press("t")
        await terminal.see("/all")
        await terminal.press(ESCAPE)
        await terminal.press(ESCAPE)
        assert link.model.looking is None


async def test_a_table_that_closes_leads_back_with_the_reason() -> None:
    local, active, cid = hall()
    link = waiting(local, active)
    async with shown(link) as terminal:
        link.wish(LookAt(NO_ID, 2))
        await terminal.see("You are watching Kitchen 2")
        cid.wish(Bye(NO_ID))
        local.tick()
        link.wish(LookAt(NO_ID, 2))  # as the link does once nothing comes any more
        await terminal.see("That table has closed")
        assert link.model.looking is None


async def test_a_game_that_is_watched_has_the_name_of_its_table_in_the_title() -> None:
    _local, _active, cid = hall()
    async with shown(cid) as terminal:
        cid.wish(LookAt(NO_ID, 1))
        await terminal.see("You are watching Table")
        assert terminal.text.split()[0] == "Table"
