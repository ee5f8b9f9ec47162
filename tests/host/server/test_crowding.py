"""Which connections are cut when there are too many."""

from coffeerush.host.server.crowding import EXEMPT, connections_to_cut


def test_the_newest_connections_of_the_most_crowded_source_are_cut() -> None:
    assert list(connections_to_cut("aabbbabc", (), 3)) == [6, 5, 4]


def test_members_of_one_machine_are_not_crowded_out_from_many_addresses() -> None:
    friends = ["friends"] * 12
    strangers = [f"stranger {number}" for number in range(60)] * 2
    gone = [*connections_to_cut([*friends, *strangers], ("friends",), 120)]
    assert min(gone) == len(friends)


def test_a_member_who_comes_back_does_not_compete_with_many_strangers() -> None:
    strangers = [f"stranger {number}" for number in range(200)]
    gone = [*connections_to_cut([*strangers, "friend"], ("friend",), 73)]
    assert max(gone) < len(strangers)


def test_a_source_with_far_too_many_connections_loses_some_to_newcomers() -> None:
    regular, late = ["regular"] * 126, ["late"] * 4
    gone = list(connections_to_cut([*regular, *late], ("regular",), 2))
    assert gone == [125, 124]
    assert len(regular) - len(gone) > EXEMPT


def test_all_may_be_cut() -> None:
    assert sorted(connections_to_cut("aab", ("a",), 3)) == [0, 1, 2]
