"""Which connections are cut when there are too many."""

from coffeerush.host.server.crowding import EXEMPT_MEMBERS, Connection, connections_to_cut


def test_the_newest_connections_of_the_most_crowded_source_are_cut() -> None:
    places = [Connection(source, False) for source in "aabbbabc"]
    assert list(connections_to_cut(places, 3)) == [6, 5, 4]


def test_members_of_one_machine_are_not_crowded_out_from_many_addresses() -> None:
    friends = [Connection("friends", True)] * 12
    strangers = [Connection(f"stranger {number}", False) for number in range(60)] * 2
    assert min(connections_to_cut([*friends, *strangers], 100)) >= len(friends)


def test_a_new_member_sharing_an_address_is_not_crowded_out_either() -> None:
    friends = [*[Connection("friends", True)] * 10, *[Connection("friends", False)] * 2]
    strangers = [Connection(f"stranger {number % 40}", False) for number in range(120)]
    assert min(connections_to_cut([*strangers, *friends], 30)) < len(strangers)
    assert max(connections_to_cut([*strangers, *friends], 30)) < len(strangers)


def test_a_member_with_far_too_many_connections_loses_some_to_newcomers() -> None:
    greedy = [Connection("greedy", True)] * 126
    late = [Connection("late", False)] * 4
    gone = list(connections_to_cut([*greedy, *late], 2))
    assert gone == [125, 124]
    assert len(greedy) - len(gone) > EXEMPT_MEMBERS
