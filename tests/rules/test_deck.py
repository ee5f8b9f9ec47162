"""The standard deck, and fuzzing of the deck parser (R-COMP-3)."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings, strategies as st

from coffeerush.cli.commands import group
from coffeerush.errors import DeckError
from coffeerush.rules.deck import (
    INGREDIENTS,
    MAX_TOKENS,
    STARTERS,
    Deck,
    deck_fault,
    parse_deck,
    standard_deck,
)
from protocol import (
    MAX_CARDS,
    MAX_DRINKS,
    NAME_CELLS,
    SUPPLY,
    Drink,
    Ingredient,
    clean_line,
    clean_name,
)

STANDARD = Path(__file__).parents[2] / "coffeerush" / "decks" / "standard.toml"
TEXT = STANDARD.read_text(encoding="utf-8")
SPECIALTIES = (Ingredient.CARAMEL, Ingredient.CHOCOLATE, Ingredient.TEA, Ingredient.WATER)


def per_card(drink: Drink) -> int:
    return sum(drink.recipe)


def hardness(drink: Drink) -> int:
    return per_card(drink) + sum(drink.recipe[kind] for kind in SPECIALTIES)


def test_standard_deck_has_80_cards_and_4_starters() -> None:
    # R-COMP-3
    deck = standard_deck()
    assert deck.cards == MAX_CARDS == 80
    assert {d.name: d.count for d in deck.drinks if d.starter} == {"Ristretto": 2, "Espresso": 2}
    assert 20 <= len(deck.drinks) <= 30
    assert deck_fault(deck) is None
    assert standard_deck() is deck


def test_standard_deck_needs_what_board_and_supply_have() -> None:
    drinks = standard_deck().drinks
    totals = [sum(d.count * d.recipe[kind] for d in drinks) for kind in Ingredient]
    tokens = sum(totals)
    wanted = {Ingredient.COFFEE: 0.26} | dict.fromkeys(SPECIALTIES, 0.065)
    for kind in Ingredient:
        share = wanted.get(kind, 0.16)
        assert totals[kind] / tokens == pytest.approx(share, abs=0.006), kind.name
    assert tokens / MAX_CARDS == pytest.approx(3, abs=0.1)
    assert {per_card(drink) for drink in drinks} == {2, 3, 4}


def test_standard_specialty_menu_is_the_harder_part() -> None:
    # R-COMP-3: some cards are on the specialty menu
    drinks = standard_deck().drinks
    menu = [drink for drink in drinks if drink.specialty]
    plain = [drink for drink in drinks if not drink.specialty]
    assert 16 <= sum(drink.count for drink in menu) <= 24
    assert {per_card(drink) for drink in menu} == {4}
    assert min(map(hardness, menu)) >= max(map(hardness, plain))
    assert all(any(drink.recipe[kind] for kind in SPECIALTIES) for drink in menu)
    assert not any(drink.starter for drink in menu)
    assert {per_card(drink) for drink in drinks if drink.starter} == {2}


def test_standard_names_fit_every_terminal() -> None:
    for drink in standard_deck().drinks:
        assert drink.name.isascii()
        assert clean_line(drink.name) == drink.name
        assert len(drink.name) <= NAME_CELLS


def test_no_two_standard_drinks_are_the_same() -> None:
    drinks = standard_deck().drinks
    assert len({drink.recipe for drink in drinks}) == len(drinks)
    assert len({drink.name for drink in drinks}) == len(drinks)


def test_the_standard_deck_is_the_packaged_file() -> None:
    assert standard_deck() == parse_deck(TEXT)


def test_a_deck_round_trips() -> None:
    deck = standard_deck()
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(deck), type=Deck) == deck
    with pytest.raises(AttributeError):
        setattr(deck, "name", "Other")  # noqa: B010 - plain assignment is what mypy forbids


def sound(deck: Deck) -> bool:
    """Check what every deck must be, independently of the parser."""
    drinks = deck.drinks
    return (
        sum(drink.count for drink in drinks) == 80  # R-COMP-3
        and sum(drink.count for drink in drinks if drink.starter) == STARTERS == 4
        and 1 <= len(drinks) <= MAX_DRINKS
        and all(drink.count >= 1 for drink in drinks)
        and all(1 <= sum(drink.recipe) <= MAX_TOKENS for drink in drinks)
        and all(n <= most for d in drinks for n, most in zip(d.recipe, SUPPLY, strict=True))
        and len({drink.recipe for drink in drinks}) == len(drinks)
        and len({drink.name for drink in drinks}) == len(drinks)
        and all(name == clean_name(name) != "" for name in (deck.name, *(d.name for d in drinks)))
    )


def written(text: str) -> list[tuple[str, int, list[str]]]:
    """Parse the whole text with a plain TOML parser."""
    return [(d["name"], d["count"], sorted(d["recipe"])) for d in tomllib.loads(text)["drink"]]


def read(text: str) -> Deck | str:
    """Return the deck of a text, or its DeckError; any other exception fails the test."""
    try:
        return parse_deck(text)
    except DeckError as error:
        return str(error)


def words(drink: Drink) -> list[str]:
    return sorted(w for w, n in zip(INGREDIENTS, drink.recipe, strict=True) for _ in range(n))


def judge(text: str) -> None:
    deck = read(text)
    if isinstance(deck, str):
        found = re.fullmatch(r"line (\d+): .+", deck)
        assert found, deck
        assert 1 <= int(found[1]) <= text.count("\n") + 1
    else:
        assert sound(deck)
        assert [(d.name, d.count, words(d)) for d in deck.drinks] == written(text)


PIECES = st.one_of(
    st.text(max_size=20),
    st.text(st.characters(), max_size=6),
    st.sampled_from(
        ["[[drink]]\n", "[[drink]]\r\n", "\r", "\n", '"""', "'''", "[", "]", "{", "}", "#", "=",
         "1", "0", "true", "false", "starter = true\n", '"tea"', ", ", "[x]\n", "count = 3\n", "-",
         "drink = 1\n", "name.a = 1\n", "\ufeff", "\x00", "0x", "1979-05-27", "nan", '"']
    ),
)  # fmt: skip
EDITS = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, 60), PIECES), min_size=1, max_size=4
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=EDITS)
@example(edits=[(0, 0, "")])
def test_any_edit_gives_a_valid_deck_or_an_error_with_a_line(
    edits: list[tuple[int, int, str]],
) -> None:
    text = TEXT
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]
    judge(text)


@given(order=st.permutations(TEXT.split("\n\n")[2:]))
def test_drinks_may_be_in_any_order(order: list[str]) -> None:
    deck = parse_deck("\n\n".join(['name = "Shuffled"', *order]))
    assert sound(deck)
    assert set(deck.drinks) == set(standard_deck().drinks)


@given(counts=st.lists(st.integers(0, 6), min_size=27, max_size=27))
def test_any_counts_give_a_valid_deck_or_an_error_with_a_line(counts: list[int]) -> None:
    numbers = iter(counts)
    judge(re.sub(r"^count = \d+", lambda _: f"count = {next(numbers)}", TEXT, flags=re.MULTILINE))


@given(text=st.text(st.characters(), max_size=200))
def test_any_text_is_refused_with_a_line(text: str) -> None:
    judge(text)


def test_check_prints_a_summary_of_the_deck() -> None:
    result = CliRunner().invoke(group, ["deck", "check", str(STANDARD)])
    assert result.exit_code == 0, result.output
    assert "80 cards\n27 drinks\n18 cards on the specialty menu\n3.06 tokens" in result.output
    assert "  coffee       65   26.5%\n" in result.output
