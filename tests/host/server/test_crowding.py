"""Which connections are cut when there are too many."""

from coffeerush.host.server.members import EXEMPT, Tier, Tiers, connections_to_cut, ranks_of

PLAYERS = ("Ann", "Bob", "Cid")
TABLE = Tiers(seated={*PLAYERS}, here={*PLAYERS, "Dee"}, known={*PLAYERS, "Dee", "Eve"})
HOMES = {key: f"home of {key}" for key in ("Ann", "Bob", "Cid", "Dee", "Eve")}


def nameless(*sources: str) -> list[tuple[str, str]]:
    return [(source, "") for source in sources]


def at_home(*keys: str) -> list[tuple[str, str]]:
    return [(HOMES[key], key) for key in keys for _port in range(2)]


def strangers(number: int, key: str = "") -> list[tuple[str, str]]:
    return [(f"address {each}", key and f"{key} {each}") for each in range(number)]


def cut(connections: list[tuple[str, str]], excess: int, tiers: Tiers = TABLE) -> list[int]:
    sources = [source for source, _key in connections]
    return [*connections_to_cut(sources, [*ranks_of(connections, tiers, HOMES)], excess)]


def test_the_newest_connections_of_the_most_crowded_source_are_cut() -> None:
    assert [*connections_to_cut("aabbbabc", (), 3)] == [6, 5, 4]


def test_of_equally_crowded_sources_the_newest_is_cut_or_the_oldest_that_said_nothing() -> None:
    assert cut(strangers(5, "Mallory"), 2) == [4, 3]
    assert cut(strangers(5), 2) == [0, 1]


def test_the_standing_of_a_key() -> None:
    wanted = [Tier.HAS_A_SEAT, Tier.WATCHES, Tier.WAS_HERE, Tier.NONE]
    assert [TABLE.of(key) for key in ("Ann", "Dee", "Eve", "Mallory")] == wanted


def test_any_number_of_members_without_a_place_go_before_those_who_have_one() -> None:
    """However new these are, and from however many addresses the others come."""
    crowd = [*strangers(100, "Mallory"), *at_home("Eve", "Dee", *PLAYERS)]
    gone = cut(crowd, 110)
    assert [crowd[number][1] for number in gone[100:104]] == ["Eve", "Eve", "Dee", "Dee"]
    assert {crowd[number][1] for number in gone[104:]} == {*PLAYERS}
    assert {crowd[number][1].partition(" ")[0] for number in gone[:100]} == {"Mallory"}


def test_spectators_do_not_crowd_out_players_who_come_back() -> None:
    watching = Tiers(TABLE.seated, {*PLAYERS, *(f"Dee {each}" for each in range(200))})
    crowd = [*strangers(200, "Dee"), *nameless(HOMES["Ann"], HOMES["Ann"])]
    gone = cut(crowd, 200, watching)
    assert {crowd[number][1].partition(" ")[0] for number in gone} == {"Dee"}


def test_one_who_comes_back_does_not_compete_with_many_strangers() -> None:
    for key in HOMES:
        crowd = [*strangers(200), (HOMES[key], "")]
        assert max(cut(crowd, 73)) < 200
        later = [*strangers(200, "Mallory"), (HOMES[key], "")]
        assert max(cut(later, 73)) < 200


def test_only_so_many_connections_of_a_players_source_are_ahead_of_others() -> None:
    crowd = [*nameless(*[HOMES["Ann"]] * (EXEMPT + 4)), *at_home("Ann"), *strangers(1, "Mallory")]
    gone = cut(crowd, 6)
    assert gone == [EXEMPT + 3, EXEMPT + 2, EXEMPT + 1, EXEMPT, len(crowd) - 1, EXEMPT - 1]


def test_all_may_be_cut_or_none() -> None:
    crowd = [*at_home("Ann"), *nameless("a", HOMES["Ann"])]
    assert sorted(cut(crowd, 4)) == [0, 1, 2, 3]
    assert not cut(crowd, -1)
