"""Every value that can be shown has its words, and they fit."""

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.errors import LinkError
from coffeerush.rules import Setup, deal, standard_deck, view_for
from coffeerush.ui.words.errors import ending_line, status_line
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import ngettext
from coffeerush.ui.words.names import (
    and_list,
    cell_name,
    counts_line,
    counts_phrase,
    direction_name,
    ingredient_code,
    ingredient_name,
    phase_name,
    table_of,
    upgrade_help,
    upgrade_name,
)
from protocol import (
    CupEmptied,
    Event,
    GameEnded,
    GameStarted,
    HostStopping,
    Ingredient,
    IntentUndone,
    MeeplePlaced,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    PeopleChanged,
    Phase,
    Poured,
    Refusal,
    Renamed,
    RestReturned,
    Said,
    SeatView,
    StartTaken,
    Stepped,
    TableView,
    TokenClosed,
    TurnStarted,
    TurnTimedOut,
    Upgrade,
    UpgradeActivated,
    clean_name,
)
from tests.golden.frames import LANGUAGES, spoken

MILK_AND_ICE = (0, 1, 0, 2, 0, 0, 0, 0)
DRINKS = [drink.name for drink in standard_deck().drinks]
GAP = "\N{NO-BREAK SPACE}"


def model(seat: int | None = 0) -> Model:
    """Return the model of Ann, who plays with Bea, on seat 0; or of somebody else."""
    seats = (SeatView("person", "Ann"), SeatView("person", "Bea"))
    table = TableView("Café", "game", seats, 0, ("regular",), (), False, 0, None)
    state = deal(Setup(players=2, deck=standard_deck(), seed=1))
    return Model("player", "Ann", seat=seat, table=table, view=view_for(state, seat))


EVENTS: tuple[tuple[Event, str, str], ...] = (
    (
        MeeplePlaced(0, 1, 6),
        "You place meeple 1 on ice, row 2, column 3.",
        "Ann places meeple 1 on ice, row 2, column 3.",
    ),
    (
        StartTaken(0, MILK_AND_ICE),
        "You start with milk and 2 ice.",
        "Ann starts with milk and 2 ice.",
    ),
    (
        UpgradeActivated(0, Upgrade.DIAGONAL_MOVE, (0, 1, 0)),
        f"You discard {DRINKS[0]}{GAP}×2 and {DRINKS[1]} and activate the upgrade diagonal move.",
        f"Ann discards {DRINKS[0]}{GAP}×2 and {DRINKS[1]} and activates the upgrade diagonal move.",
    ),
    (
        Stepped(0, 1, 1, (0, 0, 0, 0, 0, 2, 0, 0)),
        "You step to caramel, row 1, column 2, and take 2 caramel.",
        "Ann steps to caramel, row 1, column 2, and takes 2 caramel.",
    ),
    (
        Stepped(0, 1, 1, (0, 0, 0, 0, 0, 0, 0, 0), rush_spent=1),
        "You spend a rush token, step to caramel, row 1, column 2, and take nothing.",
        "Ann spends a rush token, steps to caramel, row 1, column 2, and takes nothing.",
    ),
    (
        CupEmptied(0, MILK_AND_ICE),
        "You empty a cup into the supply: milk, 2 ice.",
        "Ann empties a cup into the supply: milk, 2 ice.",
    ),
    (Poured(0), "You pour an ingredient into a cup.", "Ann pours an ingredient into a cup."),
    (
        RestReturned(0, MILK_AND_ICE),
        "You give milk and 2 ice back to the supply.",
        "Ann gives milk and 2 ice back to the supply.",
    ),
    (OrderServed(0, 3, 2), f"You serve {DRINKS[3]}.", f"Ann serves {DRINKS[3]}."),
    (
        OrderServed(0, 3, 2, rush_gained=1),
        f"You serve {DRINKS[3]} and earn a rush token.",
        f"Ann serves {DRINKS[3]} and earns a rush token.",
    ),
    (IntentUndone(0), "You undo an action.", "Ann undoes an action."),
    (
        OrdersDrawn(0, (2,), "order_rush"),
        f"You get the order {DRINKS[2]}.",
        f"Ann gets the order {DRINKS[2]}.",
    ),
    (
        OrdersDrawn(0, (2, 1), "deal"),
        f"You get the orders {DRINKS[2]} and {DRINKS[1]}.",
        f"Ann gets the orders {DRINKS[2]} and {DRINKS[1]}.",
    ),
    (
        PenaltiesTaken(0, (2,), rush_gained=1),
        f"{DRINKS[2]} expires: you take a penalty and 1 rush token.",
        f"{DRINKS[2]} expires: Ann takes a penalty and 1 rush token.",
    ),
    (
        PenaltiesTaken(0, (2, 3), rush_gained=2),
        f"{DRINKS[2]} and {DRINKS[3]} expire: you take 2 penalties and 2 rush tokens.",
        f"{DRINKS[2]} and {DRINKS[3]} expire: Ann takes 2 penalties and 2 rush tokens.",
    ),
    (TurnStarted(0, 4), "Round 4: it is your turn.", "Round 4: it is Ann's turn."),
    (
        TurnTimedOut(0),
        "Your time is up; a bot finishes your turn.",
        "Ann's time is up; a bot finishes the turn.",
    ),
    (GameEnded((0,)), "The game is over; you win.", "The game is over; Ann wins."),
)
SAME_FOR_ALL: tuple[tuple[Event, str], ...] = (
    (GameEnded((0, 1)), "The game is over; Ann and Bea share the victory."),
    (GameStarted(("Ann", "Bea"), (0, 1), 1), "A game starts: Ann, Bea. The start player is Bea."),
    (Said("Ann", "hello {name}"), "Ann says: hello {name}"),
    (
        TokenClosed("deck"),
        "The deck is empty: the café closes, and this round is the last.",
    ),
    (
        TokenClosed("penalties"),
        "Too many penalties: the café closes, and this round is the last.",
    ),
    (
        TokenClosed("no_orders"),
        "Nobody has an order: the café closes, and this round is the last.",
    ),
    (PeopleChanged("Bea", "joined"), "Bea sits down at the table."),
    (PeopleChanged("Bea", "watching"), "Bea is watching."),
    (PeopleChanged("Bea", "left"), "Bea leaves."),
    (PeopleChanged("Bea", "left", "Garden"), "Bea goes over to another table: Garden."),
    (PeopleChanged("Bea", "away"), "Bea is away."),
    (PeopleChanged("Bea", "back"), "Bea is back."),
    (PeopleChanged("Bea", "removed"), "Bea was removed from the table."),
    (PeopleChanged("Bea", "replaced_by_bot"), "Bea was removed from the table; a bot takes over."),
    (Renamed("Bea", "Eve"), "Bea is now called Eve."),
    (HostStopping(), "The host has closed the table."),
)


@pytest.mark.parametrize(("event", "mine", "others"), EVENTS)
def test_events_are_told_to_who_did_it_and_to_others(event: Event, mine: str, others: str) -> None:
    assert event_line(event, model(0)) == mine
    assert event_line(event, model(1)) == others
    assert event_line(event, model(None)) == others


@pytest.mark.parametrize(("event", "line"), SAME_FOR_ALL)
def test_other_events_are_the_same_for_all(event: Event, line: str) -> None:
    for seat in (0, 1, None):
        assert event_line(event, model(seat)).casefold() == line.casefold()


def test_a_bot_plays_for_who_leaves_a_game() -> None:
    table = model().table
    assert table is not None
    ann, *others = table.seats
    gone = replace(table, seats=(replace(ann, away=True), *others))
    waiting = replace(model(1), table=gone)
    left, away = PeopleChanged("Ann", "left"), PeopleChanged("Ann", "away")
    assert event_line(left, waiting) == "Ann leaves; a bot takes over in 20 seconds."
    called = replace(left, table="Garden")
    assert event_line(called, waiting) == event_line(left, waiting), "the bot matters more"
    assert event_line(away, waiting) == "Ann is away; a bot takes over in 20 seconds."
    played = replace(table, seats=(replace(ann, away=True, bot="regular"), *others))
    playing = replace(waiting, table=played)
    assert event_line(left, playing) == "Ann leaves; a bot takes over."
    assert event_line(away, playing) == "Ann is away; a bot takes over."
    over = replace(playing, table=replace(gone, stage="result"))
    assert event_line(left, over) == "Ann leaves."


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_speaker_is_named_before_the_first_colon(language: str) -> None:
    """A name has none: nobody passes for somebody else."""
    with spoken(language):
        who, said = event_line(Said("Ann", "Bob: hello"), model(0)).split(":", 1)
    assert "Ann" in who
    assert said.strip() == "Bob: hello"


def test_private_events_say_more() -> None:
    ann = model(0)
    poured = Poured(0, Ingredient.MILK, 2)
    assert event_line(poured, ann) == "You pour milk into cup 2."
    emptied = CupEmptied(0, MILK_AND_ICE, 3)
    assert event_line(emptied, ann) == "You empty cup 3 into the supply: milk, 2 ice."


def test_codes_are_two_cells_and_unique() -> None:
    codes = [ingredient_code(kind) for kind in Ingredient]
    assert codes == ["Co", "Mi", "St", "Ic", "Ch", "Ca", "Te", "Wa"]
    assert len(set(codes)) == len(Ingredient)


def test_lists_of_ingredients() -> None:
    assert counts_line(MILK_AND_ICE) == "milk, 2 ice"
    assert counts_line((0,) * 8) == "nothing"


@pytest.mark.parametrize(
    ("language", "one", "six"),
    [
        ("en", "-1 point", "-6 points"),
        ("pt_BR", "-1 avaliação", "-6 avaliações"),
        ("it", "-1 punto", "-6 punti"),
    ],
)
def test_a_negative_count_has_the_form_of_the_positive_one(
    language: str, one: str, six: str
) -> None:
    with spoken(language):
        forms = [ngettext("{score} point", "{score} points", score) for score in (-1, -6)]
    assert [form.format(score=score) for form, score in zip(forms, (-1, -6), strict=True)] == [
        one,
        six,
    ]


@pytest.mark.parametrize(
    ("language", "two", "three"),
    [
        ("en", "milk and 2 ice", "Ann, Ivy and Bea"),
        ("pt_BR", "leite e gelo\N{NO-BREAK SPACE}×2", "Ann, Ivy e Bea"),
        ("it", "latte e ghiaccio\N{NO-BREAK SPACE}×2", "Ann, Ivy e Bea"),
        ("es", "leche y hielo\N{NO-BREAK SPACE}×2", "Ann, Ivy y Bea"),
        ("ko", "우유, 얼음 2개", "Ann, Ivy, Bea"),
        ("ru", "молоко и лёд\N{NO-BREAK SPACE}×2", "Ann, Ivy и Bea"),
    ],
)
def test_the_last_item_of_a_list_in_a_sentence_has_an_and(
    language: str, two: str, three: str
) -> None:
    with spoken(language):
        assert counts_phrase(MILK_AND_ICE) == two
        assert two in event_line(StartTaken(0, MILK_AND_ICE), model())
        assert and_list(["Ann", "Ivy", "Bea"]) == three
        assert (and_list(["Ann"]), and_list([])) == ("Ann", "")


@pytest.mark.parametrize("last", ["Ivy", "Ian", "íñigo", "Hilda", "hípica"])
def test_spanish_says_e_before_the_sound_of_i(last: str) -> None:
    with spoken("es"):
        assert and_list(["Ann", "Bea", last]) == f"Ann, Bea e {last}"


@pytest.mark.parametrize("last", ["hielo", "Hiato", "Yago", "Héctor", "té", "2 infusión"])
def test_spanish_says_y_before_other_sounds(last: str) -> None:
    with spoken("es"):
        assert and_list(["Ann", last]) == f"Ann y {last}"


def test_everything_has_a_name() -> None:
    names = [
        *(ingredient_name(kind) for kind in Ingredient),
        *(upgrade_name(upgrade) for upgrade in Upgrade),
        *(upgrade_help(upgrade) for upgrade in Upgrade),
        *(phase_name(phase) for phase in Phase),
        *(cell_name(cell) for cell in range(16)),
    ]
    assert len(set(names)) == len(names) == 8 + 4 + 4 + 7 + 16


def test_directions() -> None:
    around = (0, 1, 2, 4, 6, 8, 9, 10)
    assert [direction_name(5, cell) for cell in around] == [
        *("up-left", "up", "up-right", "left", "right"),
        *("down-left", "down", "down-right"),
    ]


def test_how_it_stands_and_why_it_ended() -> None:
    ann = Model("player", "Ann")
    assert status_line(ann) == "Joining the table…"
    assert status_line(replace(ann, opens=True)) == "Setting up the table…"
    assert (
        ending_line(
            Model("player", "Ann", status="over", ending="failed", trouble=LinkError("No."))
        )
        == "No."
    )
    removed = Model(
        "player", "Ann", status="over", ending="refused", refusal=Refusal("removed", "Out.")
    )
    assert status_line(removed) == "The owner has removed you from the table."


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_table_that_nobody_has_named_is_called_after_its_owner(code: str) -> None:
    with spoken(code):
        for name in ("Ann", "민준", "A" * 24, "민" * 12):
            assert name in table_of(name)
            assert clean_name(table_of(name)) == table_of(name), "nothing is cut"
        assert table_of("Ann") != "Ann"
