"""Guests who ask to come in: who sees them, who may answer, and whom an answer is for."""

from protocol import Asker, Done, LetIn, LettingIn, SetRules
from tests.support.tables import ANN, BOB, CID, ID, TableDriver, table_for


def asked(*asking: tuple[int, str]) -> TableDriver:
    """Return a table that Ann owns, with guests who ask."""
    driver = table_for(3)
    for key in (ANN, BOB):
        driver.hello(key)
    driver.ask_to_come_in(*asking)
    return driver


def names(driver: TableDriver) -> list[str]:
    return [one.name for one in driver.latest.table.letting_in.asking]


def test_everybody_sees_who_asks_and_the_owner_answers() -> None:
    driver = asked((3, "Ute"), (4, "Ute"))
    assert driver.latest.table.letting_in.asking == (Asker(3, "Ute"), Asker(4, "Ute"))
    assert driver.code(BOB, LetIn(ID, 3)) == "not_owner"
    assert isinstance(driver.ask(ANN, LetIn(ID, 4)), Done)
    assert isinstance(driver.ask(ANN, LetIn(ID, 3, allowed=False)), Done)
    assert names(driver) == []
    assert dict(driver.table.let_in) == {4: True, 3: False}
    assert [*driver.notes()][-2:] == ["let_in", "turned_away"]


def test_anybody_answers_if_the_owner_says_so() -> None:
    driver = asked((3, "Ute"))
    driver.hello(CID, "spectator")
    driver.ask(ANN, SetRules(ID, 0, 0, True, anybody_lets_in=True))
    assert driver.latest.table.letting_in.by_anybody
    assert isinstance(driver.ask(CID, LetIn(ID, 3)), Done)
    driver.ask_to_come_in((3, "Ute"), (5, "Vic"))
    driver.ask(ANN, SetRules(ID, 0, 0, True))
    assert driver.code(BOB, LetIn(ID, 5)) == "not_owner"


def test_an_answer_is_for_the_guest_who_was_shown_and_for_nobody_else() -> None:
    driver = asked((3, "Ute"))
    driver.ask_to_come_in((4, "Eve"))
    assert driver.code(ANN, LetIn(ID, 3)) == "no_such_guest"
    assert names(driver) == ["Eve"]
    assert not driver.table.let_in


def test_a_guest_who_was_answered_is_not_shown_again() -> None:
    driver = asked((3, "Ute"))
    driver.ask(ANN, LetIn(ID, 3))
    driver.ask_to_come_in((3, "Ute"), (4, "Vic"))  # the gateway has not heard of it yet
    assert names(driver) == ["Vic"]
    assert driver.code(ANN, LetIn(ID, 3)) == "no_such_guest"
    driver.ask_to_come_in((4, "Vic"))
    assert not driver.table.let_in
    driver.ask_to_come_in((3, "Wim"))  # the number has come round
    assert names(driver) == ["Wim"]


def test_what_strangers_call_themselves_is_cleaned() -> None:
    driver = asked((1, "\x1b[2J> Ute"), (2, "\u200b"))
    assert names(driver) == ["[2J Ute"]


def test_nothing_is_published_unless_somebody_else_asks() -> None:
    driver = asked((1, "Ute"))
    seen = len(driver.updates)
    driver.ask_to_come_in((1, "Ute"))
    assert len(driver.updates) == seen


def test_anybody_answers_where_there_is_no_owner() -> None:
    driver = table_for(3, owner="")
    driver.hello(BOB)
    driver.ask_to_come_in((3, "Ute"))
    assert driver.latest.table.letting_in == LettingIn((Asker(3, "Ute"),), by_anybody=True)
    assert isinstance(driver.ask(BOB, LetIn(ID, 3)), Done)
