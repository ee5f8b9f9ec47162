"""Plain mode's texts apart from the game: help, rules, hints, the guide, settings, languages."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from coffeerush.local.settings import Settings
from coffeerush.ui.pages.rules_text import game_sections
from coffeerush.ui.plain.commands import ROW_OF
from coffeerush.ui.plain.parsing import parse
from coffeerush.ui.plain.row import Command
from coffeerush.ui.words import i18n
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.i18n import set_language
from protocol import Phase
from tests.support.tables import BOB, table_for
from tests.ui.plain.test_plain import KNOWING, Seat, in_turn, play, seated

NEW = Settings()


def newcomer(bots: tuple[str, ...] = ("random", "random")) -> Seat:
    """Return Ann in the lobby, before her first game."""
    return Seat(table_for(1 + len(bots), bots, 5), settings=NEW)


def idle(seat: Seat) -> list[str]:
    """Walk until one may stop, give everything back and end the turn; return all output."""
    heard: list[str] = []
    for way in ("up", "down", "left", "right", "up", "left"):
        heard += seat.type(way)
        if any(line.startswith("Pour ") for line in heard):
            return heard + seat.type("rest") + seat.type("end")
    raise AssertionError(heard)


# Help, rules, hints


def test_the_help_has_every_word() -> None:
    told = seated().type("help")
    words = {word for line in told for word in line.partition(":")[0].split(", ")}
    assert words >= set(ROW_OF)
    assert all(line.endswith(".") for line in told)


def test_the_help_of_one_word() -> None:
    seat = seated()
    assert seat.type("help empty") == ["empty: “empty 2” empties cup 2 into the supply."]
    assert seat.type("? ready") == seat.type("help unready")
    assert "is not a command" in seat.type("help xyzzy")[0]


def test_the_rules_by_their_parts() -> None:
    seat = seated()
    parts = game_sections()
    told = seat.type("rules")
    assert told[: len(parts)] == [f"{n}. {part.title}" for n, part in enumerate(parts, start=1)]
    assert told[-1] == "Type “rules” and a number, as in “rules 4”, or “rules all” for everything."
    fourth = seat.type("rules 4")
    assert fourth[0] == "Your turn:"
    assert "Rush tokens make you faster: for each one you spend, you may take one more step." in (
        fourth
    )
    assert not any(re.search(r"[.] [A-Z]", line) for line in fourth)
    assert len(seat.type("rules all")) > 60
    assert seat.type("rules 77") == told


def test_a_hint_while_others_play_is_about_the_next_turn() -> None:
    seat = in_turn()
    told = seat.type("hint")
    assert told[0].startswith("Step ")
    assert told[2:] == ["Type “left up right” to do that."]
    idle(seat)
    assert seat.type("hint")[0].startswith("As things stand, on your next turn: step ")


def test_before_a_game_there_is_no_hint() -> None:
    assert seated().type("hint") == ["There is no hint: you have nothing to do right now."]


# Between turns


def test_what_falls_next_and_who_sent_what() -> None:
    """Printed when a turn ends and begins, and on request in between."""
    heard: set[str] = set()
    for seed in range(2):
        seat = in_turn(("regular", "regular"), seed)
        for _ in range(5):
            heard |= {line for line in idle(seat) if "turn ends" in line}
            if seat.wire.driver.table_view.stage == "result":
                assert not any("turn ends" in line for line in seat.type("orders"))
                break
            waiting = seat.type("")
            falls = [line for line in waiting if "when your next turn ends" in line]
            assert falls == [line for line in seat.type("orders") if "turn ends" in line]
            begins = seat.wait()
            heard |= {line for line in begins if "has sent you" in line}
            heard |= {line for line in seat.type("orders") if "this turn ends" in line}
    text = "\n".join(sorted(heard))
    assert re.search(r"becomes? (a )?penalt\w+ when your next turn ends, unless you serve", text)
    assert re.search(r"becomes? (a )?penalt\w+ when this turn ends\.", text)
    assert re.search(r"becomes? (a )?penalt\w+ when this turn ends, unless you serve", text)
    assert re.search(r"^(Crema|Ibrik) has sent you (an order|2 orders): .*\.$", text, re.MULTILINE)


def test_what_others_pour_is_one_sentence() -> None:
    seat = in_turn(("regular", "regular"), 3)
    idle(seat)
    told = seat.wait()
    pours = [line for line in told if " pours " in line]
    assert len(pours) == 2
    assert all(re.fullmatch(r"(Crema|Ibrik) pours \d ingredients\.", line) for line in pours)
    again = [line for line in seat.type("log") if " pours " in line]
    assert again == pours[-len(again) :]


def test_orders_tell_which_earn_a_rush_token_and_whose_slot_they_are_in() -> None:
    seat = in_turn(("regular", "regular"), 3)
    view = seat.wire.model.view
    assert view is not None
    assert view.own is not None
    text = "\n".join(seat.type("orders"))
    mine = [view.menu[drink] for slot in view.players[view.own.seat].orders for drink in slot]
    assert {drink.specialty for drink in mine} == {True, False}
    for drink in mine:
        assert (f": {drink.name} (specialty) " in text) is drink.specialty
    assert re.search(r"[\w ]+ and [\w ]+ in slot \d", "\n".join(seat.type("players")))


# The guide


def guided(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("Guide: ")]


def test_a_newcomer_is_guided_through_a_turn_and_on() -> None:
    ann = newcomer()
    assert guided(ann.lines)
    said_ = ann.type("start") + ann.wait()
    assert (
        "Guide: You begin with the ingredient under your meeple, and move on from there." in said_
    )
    said_ = ann.type("place caramel") + ann.wait()
    assert any(line.startswith("Guide: Take up to three steps: ") for line in said_)
    assert any(line.startswith("Guide: Step ") for line in said_)
    ann.type("left down right 1 rest")
    said_ = ann.type("end")
    assert "Guide: Your turn is over, and each of your orders has moved to the next slot." in said_
    assert "Guide: Again: step, pour, serve, and end your turn." in ann.wait()
    assert not ann.session.settings.guided


def test_the_guide_says_nothing_twice_unless_it_is_asked() -> None:
    ann = newcomer()
    heard = ann.type("start") + ann.wait() + ann.type("place caramel") + ann.wait()
    heard += ann.type("left") + ann.type("undo") + ann.type("left")
    assert len(guided(heard)) == len(set(guided(heard)))
    assert guided(ann.type(""))


def test_the_guide_does_not_repeat_what_plain_mode_says() -> None:
    ann = newcomer(("regular", "regular"))
    heard = ann.type("start") + ann.wait() + ann.type("place caramel") + ann.wait()
    told: set[str] = set()
    for line in ("left down right", "pour end", "up up", "rest end", "left", "rest end"):
        told |= {*heard}
        assert not [one for one in guided(heard) if one.removeprefix("Guide: ") in heard]
        heard = ann.type(line) + ann.wait()
    assert any("has sent you" in one for one in told)


def test_the_guide_can_be_put_away_and_called_back() -> None:
    ann = newcomer()
    ann.type("start")
    ann.wait()
    assert ann.type("guide") == ["The guide is on; type “guide off” to turn it off."]
    assert ann.type("guide off") == ["The guide is off."]
    assert ann.session.settings.guided
    assert not guided(ann.type("place caramel") + ann.wait())
    said_ = ann.type("guide on")
    assert said_[0] == "The guide is on."
    assert any(line.startswith("Guide: Take up to three steps: ") for line in said_)


def test_a_spectator_is_not_guided() -> None:
    driver = table_for(2, ("random", "random"), owner="")
    watcher = Seat(driver, BOB, spectator=True, settings=NEW)
    driver.wait(1)
    driver.play()
    assert not guided(watcher.lines + watcher.settle())


def test_a_whole_first_game_with_the_guide() -> None:
    ann = newcomer()
    heard = play(ann, ann.type("start") + ann.wait())
    assert 10 < len(guided(heard)) < 100
    assert ann.session.settings == KNOWING


# Settings


def test_settings_are_told_and_changed() -> None:
    seat = in_turn()
    told = seat.type("settings")
    assert told[0] == "1. Language: same as system."
    assert "2. Theme: dark." in told
    assert told[-1] == "Type “settings” and a number to change that setting."
    assert seat.type("settings 2") == ["Theme: light."]
    assert seat.session.settings.theme == "light"
    assert seat.type("settings 77") == ["There is no setting 77."]
    assert seat.type("settings 15")[0].startswith("Your name is set in the start menu")


@pytest.fixture
def italian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A language in which every word that is typed is another one."""
    catalog = Catalog(locale="it")
    for word in (*ROW_OF, "all", "on", "off"):
        catalog.add(word, f"{word}issimo", context="command")
    catalog.add("Language", "Lingua")
    catalog.add("Type “{end}” to end your turn.", "Scrivi {end}.")
    file = BytesIO()
    write_mo(file, catalog)
    path = tmp_path / "it" / "LC_MESSAGES" / "coffeerush.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(file.getvalue())
    monkeypatch.setattr(i18n, "LOCALE", tmp_path)
    yield
    monkeypatch.undo()
    set_language("en")


@pytest.mark.usefixtures("italian")
def test_another_language_is_spoken_from_now_on() -> None:
    seat = in_turn()
    seat.type("right down rest")
    assert seat.type("language it") == ["Lingua: Italiano.", "Scrivi endissimo."]
    assert seat.session.settings.language == "it"
    assert seat.type("endissimo")[0].startswith("Round ")
    assert seat.type("language pt") == ["Language: Português (Brasil)."]
    (told,) = seat.type("language")
    assert told == "Type “language” and one of these: en, pt_BR, it, es, ko, ru."


@pytest.mark.usefixtures("italian")
def test_every_word_is_understood_in_english_and_in_the_persons_language() -> None:
    set_language("it")
    for word in ROW_OF:
        for typed in (word, said(word), said(word).upper()):
            assert parse(typed, "waiting").commands == (Command(word),)
    for typed in ("undo all", "undoissimo allissimo"):
        (command,) = parse(typed, "moving").commands
        assert (command.word, command.text[:3]) == ("undo", "all")
    told = seated().type("helpissimo")
    words = {word for line in told for word in line.partition(":")[0].split(", ")}
    assert words >= set(map(said, ROW_OF))
    assert "The English words also work." in told


def test_before_placing_one_hears_what_the_orders_need() -> None:
    seat = seated(("random", "random"))
    told = seat.type("start") + seat.wait()
    view = seat.wire.model.view
    assert view is not None
    assert view.phase is Phase.PLACING
    assert "Your orders, most urgent first:" in told
    needs = [line for line in told if " needs " in line]
    assert needs
    assert all(line.endswith(" in an empty cup.") for line in needs)
    assert told[-2:] == [
        "Type “board” for the board, row by row.",
        "Place a meeple: type “place” and a row and a column, as in “place 2 3”.",
    ]


@pytest.fixture
def speak() -> Iterator[None]:
    """Speak English again afterwards."""
    yield
    set_language("en")


@pytest.mark.usefixtures("speak")
@pytest.mark.parametrize(
    ("language", "typed", "word"),
    [
        ("pt_BR", "d", "right"),  # direita, not down
        ("pt_BR", "XICARAS", "cups"),
        ("pt_BR", "xícaras", "cups"),
        ("es", "d", "right"),
        ("ru", "вн", "down"),
        ("ru", "Вн", "down"),
        ("ru", "u", "up"),
    ],
)
def test_first_letters_are_those_of_the_own_language_before_english(
    language: str, typed: str, word: str
) -> None:
    set_language(language)
    assert parse(typed, "moving").commands == (Command(word),)


@pytest.mark.usefixtures("speak")
def test_a_letter_that_begins_several_directions_is_told() -> None:
    set_language("ru")
    parsed = parse("в", "moving")
    assert parsed.commands == (Command("up"),)
    assert all(said(way) in parsed.told[0] for way in ("up", "down", "left", "right"))
