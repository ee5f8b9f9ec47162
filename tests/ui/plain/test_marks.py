"""Letters and colours in plain mode: chosen by a word, told when they are others, remembered."""

import pytest

from coffeerush.local.settings import LANGUAGES, Settings
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.i18n import set_language
from coffeerush.ui.words.names import seat_colours, seat_letters
from protocol import SetMark
from tests.support.tables import ANN, BOB, EVE, ID, TableDriver, table_for
from tests.ui.plain.test_plain import Seat

Z = 25
HOW = (
    "Type “letter” and a letter from A to Z, as in “letter B”, or “letter auto” for that of your "
    "name."
)
COLOURS = "The colours of letters and names on the full screen, as in the dark theme:"


class Slow(Seat):
    """Somebody who types slowly enough for the host."""

    def type(self, line: str) -> list[str]:
        self.wire.driver.now += 1
        return super().type(line)


def marks(driver: TableDriver) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the letters and the colours of all seats, as a screen draws them."""
    seats = driver.table_view.seats
    return seat_letters(seats), seat_colours(seats)


def two() -> tuple[TableDriver, Slow, Slow]:
    driver = table_for(2)
    ann, bob = Slow(driver), Slow(driver, BOB)
    ann.settle()
    return driver, ann, bob


def test_a_letter_is_chosen_told_and_given_back() -> None:
    driver, ann, bob = two()
    letters = "On the full screen, a letter marks each player: Ann has A, Bob has B."
    assert ann.type("letter") == [letters, HOW]
    assert ann.type("letter z") == ["Your letter: Z."]
    assert ann.type("letter Z") == ["Your letter: Z."]
    assert ann.session.settings.letter == Z
    assert marks(driver)[0] == ("Z", "B")
    assert bob.settle() == [], "nothing about a screen that Bob does not see"
    assert bob.type("letter z") == ["Ann has chosen the letter Z; choose another one."]
    for wrong in ("7", "zz", "ж", "?"):
        assert bob.type(f"letter {wrong}") == ["Choose one of the letters A to Z."]
    assert ann.type("letter auto") == ["Your letter: from your name.", "Your letter is now A."]
    assert bob.type("letter a ready")[0] == "Your letter: A."
    assert ann.settle()[-1] == "Your letter is now N."
    assert marks(driver)[0] == ("N", "A")


def test_a_colour_is_chosen_by_its_number() -> None:
    driver, ann, bob = two()
    how = "Type “colour” and a number, as in “colour 2”, or “colour auto” for that of your seat."
    listed = [COLOURS, "1. Orange: Ann.", "2. Violet: Bob.", "3. Blue.", "4. Yellow.", how]
    for line in ("colour", "colour 0", "colour 5"):
        assert ann.type(line) == listed
    assert ann.type("colour 4") == ["Your colour: yellow."]
    assert ann.session.settings.colour == 3
    assert marks(driver)[1] == (3, 1)
    assert bob.settle() == []
    assert bob.type("colour 4") == ["Ann has chosen yellow; choose another colour."]
    assert bob.type("colour 1") == ["Your colour: orange."]
    assert ann.type("colour auto")[1:] == ["Your colour is now violet."]
    assert marks(driver)[1] == (1, 0)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_has_words_for_both(language: str) -> None:
    set_language(language)
    try:
        _driver, ann, _bob = two()
        letter, colour, auto = map(said, ("letter", "colour", "auto"))
        for words in ((f"{letter} q", f"{letter} {auto}"), (f"{colour} 3", f"{colour} {auto}")):
            before = ann.session.settings
            ann.type(words[0])
            assert ann.session.settings != before
            ann.type(words[1])
            assert ann.session.settings == before
            how = ann.type(words[0].partition(" ")[0])[-1]
            assert all(word in how for word in words[1].split())
    finally:
        set_language("en")


def test_who_comes_second_hears_which_they_got() -> None:
    driver, ann, bob = two()
    driver.ask(ANN, SetMark(ID, Z, 3))
    # Bob's model does not know it yet
    reply = [*bob.take(bob.session.line(bob.wire.model, "letter z")), *bob.settle()]
    assert reply == ["Your letter: Z.", "Your letter is now A."]
    assert ann.settle() == ["Your letter is now Z.", "Your colour is now yellow."]


def test_the_settings_have_both() -> None:
    driver, ann, _bob = two()
    assert "13. Your colour: from your seat." in ann.type("settings")
    assert ann.type("settings 12") == ["Your letter: A."]
    assert ann.type("settings 13") == ["Your colour: orange."]
    assert ann.type("settings 12") == ["Your letter: B."]
    assert marks(driver)[0] == ("B", "O")


def test_what_is_chosen_in_a_game_applies_after_it() -> None:
    driver, ann, bob = two()
    bob.type("ready")
    ann.settle()
    ann.type("start")
    later = "At this table it changes once the game is over."
    assert ann.type("letter q") == ["Your letter: Q.", later]
    assert ann.type("settings 13") == ["Your colour: orange."]
    assert ann.type("colour 3")[0] == "Your colour: blue."
    assert marks(driver) == (("A", "B"), (0, 1))
    driver.play()
    ann.settle()
    assert marks(driver) == (("Q", "B"), (2, 1))


def test_a_spectator_chooses_for_later() -> None:
    driver = table_for(2)
    driver.hello(ANN)
    eve = Slow(driver, EVE, spectator=True)
    assert eve.type("letter q") == ["Your letter: Q."]
    assert eve.session.settings == Settings(guided=True, letter=16)
    assert eve.wire.model.refusal is None


def test_the_lobby_repeats_no_seat_whose_line_is_the_same() -> None:
    _driver, ann, bob = two()
    bob.type("colour 3")
    bob.type("letter q")
    assert ann.settle() == []
    bob.type("ready")
    assert ann.settle()[0] == "Seat 2: Bob, ready."
