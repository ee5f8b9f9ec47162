"""The rules text is complete: every rule is explained by one of its paragraphs."""

import re

import pytest

from coffeerush.ui.pages.rules_text import RulesSection, game_sections, rules_sections
from coffeerush.ui.terminal import glyphs
from tests.rules.test_rule_ids import IDS

TOLD = {
    "R-COMP-1": ("16 cells in 4 rows of 4", "Caramel, water, tea and chocolate"),
    "R-COMP-2": ("18 coffee and 12 of every other kind", "15 rush tokens"),
    "R-COMP-3": ("The deck has 80 of these cards", "a deck of its own"),
    "R-COMP-4": ("You have 3 cups", "any number of tokens", "slots 1 to 4", "1 meeple", "or 2 if"),
    "R-COMP-5": ("are not available until they are returned",),
    "R-SETUP-1": ("The deck is shuffled", "start player is chosen", "Play passes to the left"),
    "R-SETUP-2": ("2 orders in slot 1 and 1 order in slot 2", "1 order in each"),
    "R-SETUP-3": ("the player to the right of the start player begins", "comes last"),
    "R-SETUP-4": (
        "2 meeples",
        "starting with the player who is not the start player",
        "no two may share a cell",
    ),
    "R-SETUP-5": ("the two ingredients under your meeples into one cup or into two",),
    "R-SETUP-6": ("Ristretto and Espresso", "at random in slot 1", "one more into slot 1"),
    "R-UPG-1": ("before the first step", "exactly 3", "at most one per turn", "rest of the game"),
    "R-UPG-2": ("Double meeples: twice", "including your own second one"),
    "R-UPG-3": ("Diagonal move: steps may also be diagonal",),
    "R-UPG-4": ("Double corners: twice the ingredients on the four corners",),
    "R-UPG-5": ("Double specialties: twice the ingredients on the four specialty cells",),
    "R-UPG-6": ("Doublings multiply", "4 tokens"),
    "R-MOVE-1": ("1, 2 or 3 steps", "at least one step", "above, below, left or right"),
    "R-MOVE-2": ("for each one you spend", "as many as you have", "at once"),
    "R-MOVE-3": ("into your hand", "as the supply still has", "you start from gives nothing"),
    "R-MOVE-4": (
        "may pass through a cell with another meeple",
        "without one",
        "could no longer reach such a cell",
    ),
    "R-MOVE-5": ("enter any cell more than once", "come back to it"),
    "R-POUR-1": ("divided as you like", "back to the supply", "nothing stays in your hand"),
    "R-POUR-2": ("never moves to another cup",),
    "R-POUR-3": ("At any time during your turn", "only completely", "pick them up again"),
    "R-SERVE-1": ("exactly the ingredients", "whichever slot", "cannot pour any more"),
    "R-SERVE-2": ("specialty that you serve earns you a rush token",),
    "R-RUSH-1": (
        "each of the next two players to your left",
        "nearer",
        "only the other player draws",
    ),
    "R-RUSH-2": ("when the deck is empty", "players draw those that are left"),
    "R-TIME-1": ("move to the next slot", "leaves slot 4", "penalty brings you a rush token"),
    "R-TIME-2": ("5 penalties or more",),
    "R-TIME-3": ("after the flow of time, you draw 1 new order into slot 1", "empty the deck"),
    "R-END-1": ("the player to the right of the start player has the last turn",),
    "R-END-2": ("1 point for each completed", "2 points for each active", "lose 1 point"),
    "R-END-3": ("more completed orders wins", "more rush tokens", "share the victory"),
    "R-END-4": ("with 3 or 4 players, when a turn ends and nobody has any open orders",),
    "R-INFO-1": ("Everybody sees the board", "open orders", "what a player picks up"),
    "R-INFO-2": ("Only the owner of a cup knows what is in it and what was poured", "Nobody knows"),
}
"""Words that the paragraph of each rule must contain."""


def paragraphs() -> list[str]:
    return [text for section in game_sections() for text in section.paragraphs]


def test_no_rule_is_left_out() -> None:
    assert set(TOLD) == IDS


@pytest.mark.parametrize("rule", sorted(TOLD))
def test_each_rule_is_told_by_a_paragraph(rule: str) -> None:
    assert any(all(part in text for part in TOLD[rule]) for text in paragraphs())


def test_a_paragraph_is_read_at_one_go() -> None:
    texts = paragraphs()
    assert 15 <= len(texts) <= 30
    for text in texts:
        assert 1 <= len(re.findall(r"[.](?: |$)", text)) <= 4, text
        assert text.endswith(".")


def test_the_screen_also_explains_its_marks() -> None:
    *sections, screen = rules_sections()
    assert tuple(sections) == game_sections()
    assert isinstance(screen, RulesSection)
    text = " ".join(screen.paragraphs)
    assert all(mark in text for mark in (glyphs.SPECIALTY, glyphs.MINE, glyphs.RUSH, "4!"))
    assert "{" not in text
    drawn = {chr(code) for code in glyphs.ASCII}
    assert not [text for text in paragraphs() if drawn & set(text)]
