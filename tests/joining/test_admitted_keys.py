"""The admitted keys: bounded, with those at the table, without those that were kicked."""

from coffeerush.joining.admitted_keys import AdmittedKeyring

ANN, BOB, CID, DEE = (letter * 40 for letter in "abcd")


def test_keys_at_the_table_are_never_evicted() -> None:
    keys = AdmittedKeyring(most=2)
    keys.keep({ANN})
    for key in (BOB, CID, DEE):
        keys.admit(key)
    assert [key in keys for key in (ANN, BOB, CID, DEE)] == [True, False, False, True]


def test_keys_at_the_table_may_exceed_the_limit() -> None:
    keys = AdmittedKeyring(most=1)
    keys.keep({ANN, BOB})
    keys.admit(CID)
    assert [key in keys for key in (ANN, BOB, CID)] == [True, True, False]


def test_enrolling_again_makes_a_key_recent() -> None:
    keys = AdmittedKeyring(most=2)
    for key in (ANN, BOB, ANN, CID):
        keys.admit(key)
    assert [key in keys for key in (ANN, BOB, CID)] == [True, False, True]


def test_a_kick_forgets_all_keys_not_at_the_table() -> None:
    keys = AdmittedKeyring()
    for key in (ANN, BOB, CID):
        keys.admit(key)
    assert keys.keep({ANN}) == set()
    assert BOB in keys
    assert keys.keep({ANN}, {CID}) == {CID}
    assert [key in keys for key in (ANN, BOB, CID)] == [True, False, False]
    keys.admit(BOB)
    keys.admit(CID)
    assert keys.keep({ANN}, {CID}) == set()
    assert [key in keys for key in (ANN, BOB, CID)] == [True, True, False]
    assert keys.is_removed(CID)
