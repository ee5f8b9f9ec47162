"""Shared fixtures; the time limit, the random order and other options are set in setup.cfg."""

import gc
import os
import signal

from hypothesis import settings

# The texts that tests compare are English and in all characters, in this process and in those
# that it starts.
os.environ["LANGUAGE"] = "en"
os.environ["LC_ALL"] = "C.UTF-8"

# A shell that runs the tests in the background has Ctrl-C and Ctrl-\ ignored, and children would
# inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # under nohup, likewise
    signal.signal(signal.SIGHUP, lambda *_: None)

settings.register_profile("developer", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if "CI" in os.environ else "developer")


def pytest_collection_finish() -> None:
    """Spare the garbage collector from looking at all tests again and again."""
    gc.freeze()
