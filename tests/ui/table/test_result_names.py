"""Result screens after others have taken the places of those who played the game."""

from random import Random

from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.table.draw_result import winners
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.words.events import digest
from coffeerush.ui.words.table import result_lines
from protocol import NO_ID, AddBot, Remove
from tests.support.local import LocalTable, play


def test_a_result_names_those_who_played_and_not_who_sits_there_now() -> None:
    local = LocalTable(3, seed=3)
    ann, _bea, cid = (local.link(name) for name in ("Ann", "Bea", "Cid"))
    local.start()
    play(local, Random(3), lambda: None)
    ann.wish(Remove(NO_ID, 1))
    ann.wish(AddBot(NO_ID, 1, "casual"))
    assert cid.model.table
    assert cid.model.table.seats[1].status == "bot"
    ann.wish(Remove(NO_ID, 1))
    dan = local.link("Dan")
    for link in (ann, cid, dan):
        assert [seat.name for seat in link.model.players] == ["Ann", "Bea", "Cid"]
        assert link.model.view
        assert result_lines(link.model, link.model.view)[0].startswith("Rank 1: Bea ")
        assert winners(Scene(link.model, Ui())) == "Bea has won."
        said = [line for line in digest(link.model) if isinstance(line, str)]
        assert any(line.startswith("Bea ") for line in said)
    assert (dan.model.seat, dan.model.played, cid.model.played) == (1, None, 2)
    assert guide_lines(cid.model)
    assert not guide_lines(dan.model)
