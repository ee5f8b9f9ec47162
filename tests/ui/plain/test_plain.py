"""Plain mode without its terminal: words in, sentences out, and whole games between them."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.history import History
from coffeerush.client.model import UNINVITED, Invitation, Model, OpenToGuests, Wish
from coffeerush.client.turn import Turn, TurnDraft
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import advised, suggested_pours
from coffeerush.ui.plain.commands import ROW_OF, ROWS, help_lines
from coffeerush.ui.plain.conversation import Reply, Session
from coffeerush.ui.plain.parsing import Context, parse
from coffeerush.ui.plain.row import Command, Effect, Here
from coffeerush.ui.plain.sentences import is_game_on, serve_command
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import ingredient_name
from protocol import NO_ID, Chat, Pour, Start, Step, TokenClosed
from tests.golden.frames import LANGUAGES, spoken
from tests.support.local import Wire
from tests.support.plain_reader import Reader
from tests.support.remembered_bots import choose
from tests.support.tables import ANN, TableDriver, table_for

KNOWING = Settings(guided=True)
"""Somebody whom no guide walks through the first turn."""


class Seat:
    """A person in plain mode at a table of this process."""

    def __init__(
        self,
        driver: TableDriver,
        key: str = ANN,
        spectator: bool = False,
        settings: Settings = KNOWING,
    ) -> None:
        self.wire = Wire(driver, key, "spectator" if spectator else "player")
        self.session = Session(settings)
        self.seen = self.wire.model
        self.wished: list[Wish] = []
        """What the session has sent."""
        self.calls: list[str] = []
        """What the bell was to ring for."""
        self.wire.join()
        self.lines = self.settle()

    def type(self, line: str) -> list[str]:
        """Type a line; return all output until no messages are in transit."""
        said = self.take(self.session.line(self.wire.model, line))
        return said + self.settle()

    def settle(self) -> list[str]:
        said: list[str] = []
        while True:
            self.wire.settle()
            if self.wire.model is self.seen:
                return said + self.take(self.session.settled(self.seen))
            self.seen = self.wire.model
            said += self.take(self.session.changed(self.seen))

    def take(self, reply: Reply) -> list[str]:
        self.wished += reply.wishes
        self.calls += [reply.call] if reply.call else []
        for wish in reply.wishes:
            self.wire.wish(wish)
        return list(reply.lines)

    def wait(self) -> list[str]:
        """Let bots play until it is this person's turn or the game is over."""
        said: list[str] = []
        while not self.wire.model.my_turn and self.wire.driver.bot():
            said += self.settle()
        return said


def seated(bots: tuple[str, ...] = ("random",), seed: int = 5, turn_seconds: int = 0) -> Seat:
    """Return Ann at her table with bots, in the lobby."""
    return Seat(table_for(1 + len(bots), bots, seed, turn_seconds=turn_seconds))


def in_turn(
    bots: tuple[str, ...] = ("random", "random"), seed: int = 5, turn_seconds: int = 0
) -> Seat:
    """Return Ann in her first turn."""
    seat = seated(bots, seed, turn_seconds)
    seat.type("start")
    seat.wait()
    cells = iter(f"place {row} {column}" for row in (2, 3, 1, 4) for column in (2, 3, 1, 4))
    while not seat.wire.driver.state.round or not seat.wire.model.my_turn:
        if seat.wire.model.my_turn and seat.wire.driver.state.hand:
            seat.type("1 1")
            seat.type("end")
        elif seat.wire.model.my_turn:
            seat.type(next(cells))
        seat.wait()
    return seat


# Words


@pytest.mark.parametrize(
    ("context", "line", "commands"),
    [
        ("moving", "right down left", [Command("right"), Command("down"), Command("left")]),
        ("moving", "r d l u", [Command("right"), Command("down"), Command("left"), Command("up")]),
        ("moving", "ul dr", [Command("up-left"), Command("down-right")]),
        ("moving", "up-r", [Command("up-right")]),
        ("moving", "R DOWN", [Command("right"), Command("down")]),
        ("moving", "un", [Command("undo")]),
        ("pouring", "2 2 1", [Command("pour", (2,)), Command("pour", (2,)), Command("pour", (1,))]),
        ("pouring", "u", [Command("undo")]),
        ("pouring", "u all", [Command("undo", text="all")]),
        ("pouring", "undo right", [Command("undo"), Command("right")]),
        ("serving", "s 1", [Command("serve", (1,))]),
        ("serving", "serve 1 3 end", [Command("serve", (1, 3)), Command("end")]),
        ("serving", "empty 2 en", [Command("empty", (2,)), Command("end")]),
        ("moving", "upgrade corners r", [Command("upgrade", text="corners"), Command("right")]),
        ("moving", "upg double sp", [Command("upgrade", text="double sp")]),
        ("placing", "p 2 3", [Command("place", (2, 3))]),
        ("placing", "place caramel", [Command("place", text="caramel")]),
        ("lobby", "bot regular 3", [Command("bot", (3,), "regular")]),
        ("lobby", "rem 2", [Command("remove", (2,))]),
        ("lobby", "rem 2 start", [Command("remove", (2,)), Command("start")]),
        ("lobby", "remove Zoë  Start", [Command("remove", text="Zoë Start")]),
        ("lobby", "r", [Command("ready")]),
        ("lobby", "name Ann Lee", [Command("name", text="Ann Lee")]),
        ("waiting", "say  up  we go", [Command("say", text="up we go")]),
        ("waiting", "o", [Command("orders")]),
        ("waiting", "leave", [Command("leave")]),
        ("waiting", "", []),
    ],
)
def test_words_and_first_letters(context: Context, line: str, commands: list[Command]) -> None:
    parsed = parse(line, context)
    assert (list(parsed.commands), parsed.problem) == (commands, "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_diagonals_have_short_forms_in_each_language(language: str) -> None:
    with spoken(language):
        (row,) = (row for row in ROWS if row.short)
        for short, word in zip(row.short, row.words, strict=True):
            assert parse(f"{said(short)} {short}", "moving").commands == (Command(word),) * 2
            assert said(short) in "".join(help_lines(word))


@pytest.mark.parametrize("line", ["\u0301", "xyzzy", "r d x", "le", "12345", "²", "-1"])
def test_a_line_with_an_unknown_word_does_nothing(line: str) -> None:
    parsed = parse(line, "waiting")
    if line == "le":
        assert parsed.commands == (Command("left"),)  # never leave, by two letters
    else:
        assert not parsed.commands
        assert "is not a command" in parsed.problem


def test_what_first_letters_could_also_mean_is_told() -> None:
    assert parse("s 1", "serving").told == (
        "Took “s” to mean serve; it could also mean: supply, say, settings, start, stand, swap, "
        "standings.",
    )
    assert parse("r", "moving").told == ()
    assert parse("serve 1", "serving").told == ()


# A turn


def test_a_turn_begins_with_the_situation() -> None:
    seat = seated(("random", "random"))
    said = seat.type("start") + seat.wait()
    assert said[-1] == "Place a meeple: type “place” and a row and a column, as in “place 2 3”."
    said = seat.type("place caramel") + seat.wait()
    text = "\n".join(said)
    assert "You place a meeple on caramel, row 1, column 2." in text
    assert re.search(r"Your turn, round 1\. 3 steps, \d rush tokens?\.", text)
    assert "Your orders, most urgent first:" in text
    assert "You are on caramel, row 1, column 2." in text
    assert re.search(r"^Down: milk\b.*\.$", text, re.MULTILINE)
    assert "Up:" not in text


def test_steps_pours_and_the_end_of_a_turn() -> None:
    seat = in_turn()
    said = seat.type("right down left")
    assert sum(line.startswith("You step to") for line in said) == 3
    assert "Pour " in said[-1]
    assert said[-1].endswith("into cup 1, 2 or 3, or 0 to give it back?")
    said = seat.type("2 2 1")
    poured = [line for line in said if line.startswith("You pour ")]
    assert [line[-2] for line in poured] == ["2", "2", "1"]
    assert said[-1] == "Type “end” to end your turn."
    cups = seat.type("cups")
    assert len(cups) == 3
    seat.type("end")
    assert not seat.wire.model.my_turn


def test_tokens_are_poured_in_the_same_order_as_on_the_screen() -> None:
    seat = in_turn()
    seat.type("right down left")
    shown = Scene(seat.wire.model, Ui()).turn.to_pour
    poured = [line.split()[2] for line in seat.type("1 1 1") if line.startswith("You pour")]
    assert poured == [ingredient_name(kind) for kind in shown]


def test_undo_first_takes_back_what_was_set_aside() -> None:
    seat = in_turn()
    seat.type("right down left")
    walked = seat.wire.model.view
    seat.type("0 0")
    for _token in range(2):
        assert seat.type("undo")[-1].endswith("into cup 1, 2 or 3, or 0 to give it back?")
        assert seat.wire.model.view is walked
    seat.type("undo")
    assert seat.wire.model.view is not walked
    seat.type("0 undo all")
    assert seat.wire.model.view
    assert seat.wire.model.view.own
    assert (seat.wire.model.view.path[1:], seat.wire.model.view.own.undo) == ((), 0)


def test_what_was_set_aside_goes_back_before_the_rest_of_the_line() -> None:
    seat = in_turn()
    seat.type("right down left")
    said = seat.type("0 1 1 end")
    assert not any("first" in line for line in said)
    assert any(line.startswith("You give") for line in said)
    assert not seat.wire.model.my_turn


@pytest.mark.parametrize("line", ["orders 2", "cups 1", "up log 3", "clock 60 2", "hint 1"])
def test_a_number_after_a_word_that_takes_none_is_no_pour(line: str) -> None:
    parsed = parse(line, "moving")
    assert parsed.commands == ()
    assert re.fullmatch(r"“\w+” does not take the number \d\.", parsed.problem)


def test_what_was_chosen_in_a_game_is_forgotten_in_the_next() -> None:
    seat = in_turn(("random",))
    seat.type("other")
    begun = replace(seat.wire.model, game=seat.wire.model.game + 1)
    seat.session.changed(begun)
    reply = seat.session.line(begun, "other")
    assert reply.lines[0] == "Your next steps move meeple 2."


def test_nought_gives_one_token_back_once_the_others_are_poured() -> None:
    seat = in_turn()
    seat.type("right down left")
    assert seat.type("0")[0].startswith("Giving ")
    said = seat.type("1 0")
    assert any(line.startswith("You give") for line in said)
    assert said[-1] == "Type “end” to end your turn."
    assert seat.wire.model.view is not None
    assert seat.wire.model.view.own is not None
    assert sum(seat.wire.model.view.own.cups[0]) >= 1


def test_all_can_be_given_back_and_all_undone() -> None:
    seat = in_turn()
    seat.type("right down")
    assert any("back to the supply" in line for line in seat.type("rest"))
    said = seat.type("undo all")
    assert said.count("You undo an action.") == 3
    assert any(line.startswith("Your turn, round 1.") for line in said)
    assert seat.type("undo")[0] == "There is nothing to undo this turn."


@pytest.mark.slow
@pytest.mark.parametrize("seed", [31, 40, 58, 59])
def test_pour_does_what_was_suggested_and_nothing_else(seed: int) -> None:
    seat, chance = in_turn(seed=seed), Random(seed)
    for _turn in range(4):
        for _step in range(4):
            own = seat.wire.model.view and seat.wire.model.view.own
            assert own
            steps = [each.intent for each in own.options if isinstance(each.intent, Step)]
            if steps:
                seat.wire.wish(chance.choice(steps))
                seat.settle()
        assert seat.wire.model.view
        suggested = suggested_pours(seat.wire.model.view)
        seat.wished.clear()
        seat.type("pour")
        assert tuple(seat.wished) == suggested
        seat.type("end")
        seat.type("end")
        seat.wait()


def test_serve_alone_serves_all_that_is_ready() -> None:
    seat, chance = in_turn(seed=37), Random(37)
    while len(ready := Turn(seat.wire.model, TurnDraft()).all_ready) < 2:
        assert seat.wire.model.view is not None
        seat.wire.wish(choose("regular", seat.wire.model.view, chance))
        seat.settle()
        seat.wait()
    seat.wished.clear()
    said = seat.type("serve")
    assert seat.wished == ready
    assert sum(line.startswith("You serve ") for line in said) == len(ready)


def test_a_hint_for_an_upgrade_says_what_to_type() -> None:
    seat = in_turn(("regular", "regular"), seed=1)
    while not (told := seat.type("hint"))[0].startswith("Activate "):
        assert seat.wire.model.view is not None
        seat.wire.wish(advised(seat.wire.model.view).intents[0])
        seat.settle()
        seat.wait()
    assert told[-1] == "Type “upgrade double corners” to do that."
    assert "activate the upgrade double corners" in seat.type("upgrade double corners")[0]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_the_hint_and_the_prompt_say_to_type_moves_the_game_on(language: str) -> None:
    seat, hints, chosen = seated(("regular",), seed=5), 0, 0
    with spoken(language):
        start, end = _("Type “{command}” to do that.").split("{command}")
        seat.type("start")
        seat.wait()
        while is_game_on(seat.wire.model):
            before = seat.wire.model
            told = seat.type("hint")[-1]
            assert told.startswith(start), told
            assert told.endswith(end), told
            said = seat.type(told.removeprefix(start).removesuffix(end))
            assert seat.wire.model.refusal is before.refusal, (told, said)
            assert seat.wire.model.rev > before.rev, (told, said)
            hints += 1
            turn = Turn(seat.wire.model, TurnDraft())
            for serve in turn.serves:
                typed = parse(serve_command(turn, serve), "serving").commands
                here = Here(turn, KNOWING, sure=False, answer=None)
                assert [ROW_OF["serve"].do(here, one) for one in typed] == [Effect(wish=serve)]
            chosen += len(turn.serves) > len({serve.cup for serve in turn.serves})
            seat.wait()
    assert hints > 40
    assert chosen, "one cup matched two orders"


@pytest.mark.parametrize("answer_first", [True, False])
def test_what_happened_is_told_before_what_can_be_done_now(answer_first: bool) -> None:
    seat = in_turn()
    (wish,) = seat.session.line(seat.wire.model, "left").wishes
    seat.wire.wish(wish)
    seat.wire.deliver_request()
    parts = [seat.wire.deliver_answer, seat.wire.deliver_publication]
    said: list[str] = []
    for deliver in parts if answer_first else reversed(parts):
        deliver()
        said += seat.session.changed(seat.wire.model).lines
    assert said[0].startswith("You step ")
    assert sum(line.startswith("You are on ") for line in said[1:]) == 1


def test_a_refusal_drops_the_rest_of_the_line() -> None:
    seat = in_turn()
    said = seat.type("end right right")
    assert said[0] == "Take at least one step first."
    assert not any(line.startswith("You step") for line in said)
    said = seat.type("up up up up up")
    assert "The board ends there." in said
    assert seat.type("1 cups")[0].startswith(("There is", "Your hand", "You pour"))


def test_cups_and_slots_that_are_not_there() -> None:
    seat = in_turn()
    seat.type("right down")
    assert seat.type("7") == ["There is no cup 7; your cups are 1, 2 and 3."]
    assert seat.type("empty") == ["Type “empty” and the number of a cup, as in “empty 2”."]
    assert seat.type("serve") == [
        "No cup matches an order now; type “orders” to see what they need."
    ]
    assert seat.type("serve 3") == ["Cup 3 does not match any of your orders now."]
    assert seat.type("serve 1 4")[0].startswith("Pour or give back what is in your hand first: ")
    assert seat.type("upgrade d") == [
        "No upgrade can be activated now; type “upgrade” to see what they cost."
    ]
    assert seat.type("other") == ["You have only one meeple."]
    assert seat.type("empty 2")[0] == "Cup 2 is already empty."


def test_two_meeples_are_told_apart() -> None:
    seat = in_turn(("random",))
    said = seat.type("other")
    assert said[0] == "Your next steps move meeple 2."
    assert said[1].startswith("Meeple 2 is on ")  # and not all of the situation again
    assert said[-1] == "Type “other” to move your other meeple."
    assert seat.wire.model.view is not None
    options = seat.wire.model.view.own.options if seat.wire.model.view.own else ()
    assert any(getattr(option.intent, "meeple", 0) == 2 for option in options)


def test_out_of_turn() -> None:
    seat = seated()
    assert seat.type("right") == ["No game is being played right now."]
    seat.type("start")
    while seat.wire.model.my_turn:
        seat.type("place caramel")
        seat.type("place water")
    assert seat.type("right down") == ["It is not your turn; wait until it is."]


def test_what_can_be_asked_for_at_any_time() -> None:
    seat = in_turn()
    board = seat.type("board")
    assert len(board) == 4
    assert "caramel (specialty" in board[0]
    assert "you" in "\n".join(board)
    players = seat.type("players")
    assert len(players) == 3
    assert any(line.startswith("You: score 0") for line in players)
    assert seat.type("supply")[0].startswith("Supply: ")
    assert len(seat.type("log")) == 10
    assert len(seat.type("help")) > 5
    assert seat.type("orders")[0] == "Your orders, most urgent first:"


@pytest.mark.parametrize("settings", [KNOWING, Settings()], ids=["knowing", "guided"])
def test_which_turn_is_the_last_is_told_once_the_cafe_closes(settings: Settings) -> None:
    begun = in_turn().wire.model
    view, me = begun.view, begun.seat or 0
    assert view is not None

    def at(turn: int, closed: bool = True) -> Model:
        """Return the model in the turn of the round, of which this player has the second."""
        active, log = (me + turn - 1) % 3, (TokenClosed("deck"),) if closed else ()
        now = replace(view, round=5, closed=closed, start=(me - 1) % 3, active=active)
        return replace(begun, view=now, history=History(log))

    coming, own = "Your next turn is your last.", "This is your last turn: serve what you can."
    had = "You have had your last turn: the game ends with this round."
    early = replace(at(0), history=History())  # the View, before the event that it comes from

    def told(*models: Model) -> list[str]:
        session = Session(settings)
        heard = "\n".join(line for model in models for line in session.changed(model).lines)
        return re.findall("|".join((coming, own, had)), heard)

    assert told(at(0, closed=False), early, at(0), at(1), at(1)) == [coming, own]
    assert told(at(1, closed=False), at(1), at(1)) == [own]
    assert told(at(2, closed=False), at(2), at(2)) == [had]


# Whole games


def play(seat: Seat, said: list[str]) -> list[str]:
    """Play the game to its end by reading the output; return all of it."""
    reader, heard = Reader(), list(said)
    for _line in range(5000):
        typed = [answer for line in said if (answer := reader.hear(line))]
        if reader.over:
            return heard
        said = [line for one in typed for line in seat.type(one)] + seat.wait()
        heard += said
    raise AssertionError(f"the game does not end: {heard[-20:]}")


@pytest.mark.slow
@pytest.mark.parametrize("bots", [("random",), ("random", "regular"), ("regular",) * 3])
def test_whole_games_can_be_played_with_words_alone(bots: tuple[str, ...]) -> None:
    seat = seated(bots)
    heard = play(seat, seat.type("start") + seat.wait())
    assert sum(line.startswith("You pour") for line in heard) > 10
    view = seat.wire.model.view
    assert view is not None
    assert view.standings
    assert view == seat.wire.driver.sync(ANN).view


def test_a_rematch_is_typed_too() -> None:
    seat = seated()
    play(seat, seat.type("start") + seat.wait())
    assert any(line.startswith("A game starts") for line in seat.type("start"))
    assert seat.wire.model.game == 2


def test_wishes_of_the_table_need_no_turn() -> None:
    seat = in_turn()
    reply = seat.session.line(seat.wire.model, "say hi")
    assert reply.wishes == (Chat(NO_ID, "hi"),)
    assert seat.session.line(seat.wire.model, "start").wishes == (Start(NO_ID),)


INVITATION = Invitation(("192.168.0.12", "[2001:db8::12]:47820"), "apple-tiger-moon")
JOINING = [
    "Others join with: coffeerush join 192.168.0.12 apple-tiger-moon",
    "Others join with: coffeerush join [2001:db8::12]:47820 apple-tiger-moon",
    "Code: apple tiger moon",
]


def invite(seat: Seat, invitation: Invitation) -> list[str]:
    """Let one's own host announce how others join; return the output."""
    seat.wire.model = replace(seat.wire.model, invitation=invitation)
    return seat.settle()


def test_whose_table_it_is_learns_how_others_join() -> None:
    seat = seated()
    assert invite(seat, INVITATION) == JOINING
    *joining, guests = seat.type("players")[-4:]
    assert joining == JOINING
    assert guests == ("Guests with only a browser or ssh cannot join. Type “admit” to change that.")
    assert seat.type("admit") == ["Guests with only a browser or ssh can join in a moment."]
    assert seat.wished[-1] == OpenToGuests(allowed=True)
    assert not [line for line in seat.type("say hello") if "coffeerush join" in line]


def test_guests_are_turned_off_once_that_is_confirmed() -> None:
    seat = seated()
    ways = replace(INVITATION, ssh="ssh -p 47823 192.0.2.7", fingerprint="SHA256:x")
    invite(seat, ways)
    assert seat.type("players")[-1] == (
        "Guests with only a browser or ssh can join. Type “reject” to change that."
    )
    assert seat.type("reject 3") == ["This guest is no longer asking to come in."]
    assert seat.type("reject") == [
        "Close the entrance for browser and ssh? Guests who came that way are disconnected. "
        "Type the same again to confirm."
    ]
    assert not [wish for wish in seat.wished if isinstance(wish, OpenToGuests)]
    seat.type("reject")
    assert seat.wished[-1] == OpenToGuests(allowed=False)
    assert invite(seat, INVITATION) == ["Guests with only a browser or ssh cannot join."]


def test_who_no_longer_hosts_hears_of_no_new_code() -> None:
    seat = seated()
    invite(seat, INVITATION)
    assert invite(seat, UNINVITED) == []


def test_a_new_code_is_told_at_once() -> None:
    seat = seated()
    invite(seat, INVITATION)
    first, *others = invite(seat, replace(INVITATION, code="wolf-lake-piano"))
    assert first.startswith("The table has a new code")
    assert others == [
        line.replace("apple", "wolf").replace("tiger", "lake").replace("moon", "piano")
        for line in JOINING
    ]


def test_an_open_table_says_what_that_means() -> None:
    told = invite(seated(), Invitation(("192.168.0.12",)))
    assert told == [
        "Others join with: coffeerush join 192.168.0.12 open",
        "No code is needed: anybody who can reach this address can join.",
    ]


def test_pour_follows_the_suggestion_which_the_prompt_lists() -> None:
    seat = in_turn()
    said = seat.type("right down left")
    (hand,) = [line for line in said if line.startswith("In hand: ")]
    assert said[said.index(hand) + 1].startswith("Suggestion: pour ")
    assert said[said.index(hand) + 1].endswith("Type “pour” to follow it.")
    model = seat.wire.model
    assert model.view is not None
    wanted = suggested_pours(model.view)
    heard = seat.type("pour")
    assert sum(line.startswith("You pour ") for line in heard) == sum(
        isinstance(one, Pour) for one in wanted
    )
    after = seat.wire.model.view
    assert after is not None
    assert after.own is not None
    assert not any(after.own.hand)
    assert seat.type("pour")[0] == "You have nothing to pour now."


def test_tokens_are_asked_for_in_the_order_in_which_they_are_listed() -> None:
    seat = in_turn()
    said = seat.type("right down left")
    (hand,) = [line for line in said if line.startswith("In hand: ")]
    listed = [name for part in hand[9:-1].split(", ") for name in [part.split(" ", 1)[-1]]]
    asked = []
    while said[-1].startswith("Pour "):
        asked.append(said[-1].split()[1])
        said = seat.type("1")
    assert list(dict.fromkeys(asked)) == listed
