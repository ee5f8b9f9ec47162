"""Plain mode's descriptions of the possible steps."""

from msgspec.structs import replace

from coffeerush.client.turn import Turn, TurnDraft
from coffeerush.rules import view_for
from coffeerush.ui.plain.sentences import direction_lines
from tests.support.positions import begun, dealt
from tests.ui.words.test_words import model


def test_a_step_tells_whose_meeple_stands_there() -> None:
    view = view_for(begun(dealt(2), 1, 6, 5, 2), 0)  # the start player's meeples stand on 6 and 2
    turn = Turn(replace(model(), status="here", view=view), TurnDraft())
    _here, *steps = direction_lines(turn)
    assert steps[0] == "Up: steam, your other meeple is there."
    assert steps[1] == "Left: milk, Bea is there."
