"""Keys typed between two screens do not appear in the terminal."""

import os
import sys
import termios

import pytest

from coffeerush.ui.terminal.fullscreen import unechoed


def test_keys_are_not_echoed_between_two_screens(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "r") as stdin, os.fdopen(ours, "r+b", buffering=0) as keyboard:
        monkeypatch.setattr(sys, "stdin", stdin)
        before = termios.tcgetattr(theirs)
        with unechoed():
            keyboard.write(b"8\n")
            assert stdin.readline() == "8\n"
        assert termios.tcgetattr(theirs) == before
        keyboard.write(b"9\n")
        assert keyboard.read(3) == b"9\r\n", "the 8 was not echoed"


def test_without_a_terminal_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with unechoed():
            assert stdin.read() == ""
