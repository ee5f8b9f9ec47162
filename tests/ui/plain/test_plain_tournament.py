"""The tournament of a host in plain mode: every word about it, and what is told by itself."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.plain.conversation import Session
from coffeerush.ui.words.tournament import standing_lines
from protocol import TournamentPlayer, TournamentRules, TournamentView
from tests.support.local import LocalLink, LocalTable, play
from tests.support.once import copied
from tests.ui.plain.test_plain import KNOWING


class Person:
    """Somebody in plain mode at a host of this process."""

    def __init__(self, link: LocalLink) -> None:
        self.link = link
        self.talk = Session(KNOWING)
        self.seen: Model | None = None
        self.hear()

    def hear(self) -> list[str]:
        lines: list[str] = []
        while self.seen is not self.link.model:
            self.seen = self.link.model
            lines += self.talk.changed(self.seen).lines
        return lines

    def type(self, line: str) -> list[str]:
        reply = self.talk.line(self.link.model, line)
        for wish in reply.wishes:
            self.link.wish(wish)
        return [*reply.lines, *self.hear()]


@copied
def announced() -> tuple[Person, Person]:
    local = LocalTable(4)
    ann, bob = Person(local.link("Ann")), Person(local.link("Bob"))
    assert ann.type("tournament on")
    return ann, bob


@copied
def begun() -> tuple[Person, Person]:
    ann, bob = announced()
    ann.type("enter")
    bob.type("enter")
    ann.type("round")
    ann.link.local.tick()
    return ann, bob


def test_without_a_tournament_its_words_say_so() -> None:
    local = LocalTable(4)
    ann, bob = Person(local.link("Ann")), Person(local.link("Bob"))
    local.tick()  # the owner asks whether the hall is theirs
    ann.hear()
    assert ann.type("standings") == [
        "Type “tournament on” to announce a tournament that everybody here can enter."
    ]
    none = ["There is no tournament here, or it is over."]
    assert bob.type("tournament") == bob.type("round") == none
    assert bob.type("enter") == none


def test_everybody_is_told_and_enters_by_a_word() -> None:
    ann, bob = announced()
    ann.link.local.tick()
    assert bob.hear() == [
        "A tournament is about to begin; 0 people have entered so far. Type “enter” to take part."
    ]
    told = bob.type("enter")
    assert told == ["You are in the tournament; 1 person has entered so far."]
    assert bob.type("enter") == ["That is how it is already."]
    assert bob.type("standings") == [
        "You are in the tournament; 1 person has entered so far.",
        "Bob: has entered",
    ]
    assert bob.type("withdraw") == ["You have withdrawn from the tournament."]
    assert not bob.link.model.awaits_round


def test_the_rules_are_listed_and_changed_by_number() -> None:
    ann, _bob = announced()
    told = ann.type("tournament")
    assert told[2] == "2. Turns have no time limit."
    assert ann.type("tournament 2")[0] == "Each turn may take up to 30 seconds."
    assert ann.type("tournament")[2] == "2. Each turn may take up to 30 seconds."


def test_a_round_is_told_with_the_seat_and_the_standings() -> None:
    _ann, bob = begun()
    assert "Round 1 of 2: you play at Kitchen 2, against Ann." in bob.hear()
    assert bob.type("standings") == [
        "Round 1 of 2 is being played.",
        "Ann: plays at Kitchen 2",
        "Bob: plays at Kitchen 2",
    ]


def test_the_tables_are_told_only_to_who_has_asked() -> None:
    ann, bob = begun()
    assert not [line for line in ann.hear() + bob.hear() if line.startswith("Table 1")]
    assert [line for line in bob.type("tables") if line.startswith("Table 1")]


def test_ending_it_is_asked_first() -> None:
    ann, bob = begun()
    assert "again to confirm" in ann.type("tournament off")[0]
    assert bob.link.model.tournament
    assert bob.link.model.tournament.stage == "round"
    ann.type("tournament off")
    bob.link.local.tick()
    assert "The tournament is over; no round was finished." in bob.hear()


def test_the_words_about_a_round_say_who_plays_where() -> None:
    _ann, bob = begun()
    bob.hear()
    state, table, rule = bob.type("tournament")[:3]
    assert state == "Round 1 of 2 is being played."
    assert table in [
        f"Kitchen 2: {who}; the game is starting" for who in ("Ann and Bob", "Bob and Ann")
    ]
    assert rule == "1. 2 rounds."


@pytest.mark.slow
def test_the_best_and_the_own_place_are_told_after_each_round_and_at_the_end() -> None:
    ann, bob = begun()
    local = ann.link.local
    ann.hear()
    play(local, Random(1), lambda: None)
    local.tick()
    told = bob.hear()
    at = told.index("Round 1 of 2 is over. The owner of the first table begins the next one.")
    first, second = told[at + 1 : at + 3]
    assert first.startswith("1. Ann: 1 won, share of points: ")
    assert second.startswith("2. Bob: 0 won, share of points: ")
    ann.type("round")
    local.tick()
    play(local, Random(1), lambda: None)
    local.tick()
    told = bob.hear()
    (at,) = (
        n for n, line in enumerate(told) if line.startswith("The tournament is over. The winn")
    )
    assert [line.partition(":")[0][:3] for line in told[at + 1 : at + 3]] == ["1. ", "2. "]
    assert bob.type("standings")[1:] == told[at + 1 : at + 3]
    assert told[at + 3] == "Type “go 1” to go to Table, where everybody meets."
    bob.type("go 1")
    assert bob.link.model.number == 1


def test_at_the_end_the_standings_name_who_was_best_at_what() -> None:
    figures = ((3000, 1200, 5, 3), (1000, 1300, 4, 3), (1000, 900, 0, 3), (250, 250, 0, 1))
    players = tuple(
        TournamentPlayer(name, place, *each)
        for place, (name, each) in enumerate(
            zip(("Ann", "Bob", "Cid", "Dee"), figures, strict=True), 1
        )
    )
    ann, _bob = begun()
    view = TournamentView("over", TournamentRules(), 3, 3, None, players)
    model = replace(ann.link.model, tournament=view)
    assert standing_lines(model) == (
        "1. Ann: 3 won, share of points: 1.20, 5 penalties, won every game",
        "2. Bob: 1 won, share of points: 1.30, 4 penalties, largest share of points",
        "3. Cid: 1 won, share of points: 0.90, 0 penalties",
        "4. Dee: 0.25 won, share of points: 0.25, 0 penalties",
    )
    fewer = (*players[:2], replace(players[2], penalties=1), replace(players[3], penalties=2))
    lines = standing_lines(replace(model, tournament=replace(view, players=fewer)))
    assert lines[2].endswith("fewest penalties")
