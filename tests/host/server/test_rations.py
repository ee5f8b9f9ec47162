"""What a key did lately, in simulated time."""

from coffeerush.host.server.members import RATION_SECONDS, Rations


def test_a_ration_is_for_each_key_and_each_thing() -> None:
    rations = Rations()
    assert [rations.take(0.0, "Ann", "pour", 2) for _each in range(3)] == [True, True, False]
    assert rations.take(0.0, "Bob", "pour", 2)
    assert rations.take(0.0, "Ann", "step", 2)


def test_what_was_refused_is_not_counted() -> None:
    rations = Rations()
    assert rations.take(0.0, "Ann", "pour", 1)
    assert not rations.take(RATION_SECONDS / 2, "Ann", "pour", 1)
    assert rations.take(RATION_SECONDS, "Ann", "pour", 1)


def test_nothing_is_left_where_the_ration_is_less_than_nothing() -> None:
    assert not Rations().take(0.0, "Ann", "pour", -1)


def test_pruning_forgets_only_the_idle() -> None:
    rations = Rations()
    rations.take(0.0, "Ann", "pour", 1)
    rations.take(RATION_SECONDS - 1, "Bob", "pour", 1)
    rations.prune(RATION_SECONDS)
    assert rations.take(RATION_SECONDS, "Ann", "pour", 1)
    assert not rations.take(RATION_SECONDS, "Bob", "pour", 1)
    rations.clear()
    assert rations.take(RATION_SECONDS, "Bob", "pour", 1)
