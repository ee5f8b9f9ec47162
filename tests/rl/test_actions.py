"""Actions are numbered as ever, and the mask has the options of a View."""

from pathlib import Path

import numpy as np

from coffeerush.rl import ACTIONS, action_mask
from coffeerush.rl.observation import legal_actions
from coffeerush.rules import view_for
from protocol import Undo
from tests.rl.positions import positions

FROZEN = Path(__file__).with_name("actions.txt")


def test_the_numbers_of_actions_are_frozen() -> None:
    """Trained agents depend on them: other numbers need an environment of another name."""
    listed = [f"{action} {intent}" for action, intent in enumerate(ACTIONS)]
    assert listed == FROZEN.read_text(encoding="utf-8").splitlines()


def test_the_mask_has_the_options_of_the_view() -> None:
    for state in positions(2):
        for seat in range(2):
            view = view_for(state, seat)
            assert view.own is not None
            options = {one.intent for one in view.own.options if not isinstance(one.intent, Undo)}
            mask = np.full(len(ACTIONS), 7, np.int8)
            action_mask(view, mask)
            assert set(mask.tolist()) <= {0, 1}
            assert {ACTIONS[action] for action in np.flatnonzero(mask)} == options
            if seat == state.active:
                assert sorted(legal_actions(state)) == np.flatnonzero(mask).tolist()
    assert not legal_actions(state)


def test_a_spectator_has_no_action() -> None:
    mask = np.ones(len(ACTIONS), np.int8)
    action_mask(view_for(positions(3)[0], None), mask)
    assert not mask.any()
