"""Shared fixtures; the time limit, the random order and other options are set in setup.cfg."""

import asyncio
import gc
import os
import signal
from contextlib import suppress
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent

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


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let the workers of a whole lane compile one part of the tests each, and then share them."""
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    left_out = [Path(one).resolve() for one in config.getoption("ignore") or ()]
    paths = [one for one in sorted(HERE.rglob("test_*.py")) if not {*one.parents} & {*left_out}]
    for path in paths[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with suppress(Exception):  # which comes again when this one is collected
            import_module(".".join(path.relative_to(HERE.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Spare the garbage collector from looking at all tests again and again, and so often."""
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine; those of screens have a clock that runs faster."""
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    run = asyncio.run
    if HERE / "ui" in pyfuncitem.path.parents:
        run = import_module("tests.support.screen_terminal").run
    run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in _arguments(pyfuncitem)}))
    return True


def _arguments(test: pytest.Function) -> tuple[str, ...]:
    return test._fixtureinfo.argnames
