"""Plain mode's descriptions of the possible steps."""

from coffeerush.rules import view_for
from coffeerush.ui.plain.sentences import direction_lines
from tests.support.positions import begun, dealt
from tests.ui.words.test_words import model


def test_a_step_tells_whose_meeple_stands_there() -> None:
    view = view_for(begun(dealt(2), 1, 6, 5, 2), 0)  # the start player's meeples stand on 6 and 2
    assert view.own is not None
    _here, *steps = direction_lines(model(), view, view.own, 1)
    assert steps[0] == "Up: steam, your other meeple is there."
    assert steps[1] == "Left: milk, Bea is there."
