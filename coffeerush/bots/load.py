"""Load a bot by the value of `--bot`: a built-in name, or a class in a Python file."""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Final

import msgspec

from coffeerush.bots import BOTS
from coffeerush.errors import BotError
from coffeerush.levels import LEVELS, kind_now
from protocol import Intent, View, clip

from .bot import Bot

_PROBLEM_CHARACTERS: Final = 160


def load_bot(spec: str, source: str | None = None) -> Bot:
    """Return a new bot; raises `BotError`, with a text that says what to do.

    Args:
        spec: a name in `BOTS`, a former name of one, or `path/to/file.py:Class`, where the class
            takes no arguments and has the method of `Bot`. Any exception it raises later becomes a
            `BotError`.
        source: what is in that file; None to read it.
    """
    spec = kind_now(spec)
    if spec in BOTS:
        return BOTS[spec]()
    path, colon, name = spec.rpartition(":")
    if not colon or not path.endswith(".py"):
        raise BotError(
            "There is no bot “{spec}”; choose from {known}, or give path/to/file.py:Class.",
            spec=spec,
            known=", ".join(LEVELS),
        )
    try:
        spec.encode()
    except UnicodeEncodeError:  # results, logs and messages have its path
        raise BotError("The path of {bot} is not UTF-8; rename the file.", bot=spec) from None
    return _FileBot(spec, Path(path), name, source)


class _FileBot:
    """A bot from a person's file; turns any exception into `BotError`."""

    def __init__(self, spec: str, path: Path, name: str, source: str | None) -> None:
        self._spec = spec
        if source is None and not path.is_file():
            raise BotError("There is no file {path}; check the path.", path=path)
        module = self._guarded(_run, path, source)
        if not self._guarded(hasattr, module, name):
            raise BotError("{path} has no class {name}; check the name.", path=path, name=name)
        bot = self._guarded(getattr(module, name))
        self._choose = self._guarded(getattr, bot, "choose", None)
        if not callable(self._choose):
            raise BotError("{spec} has no method choose(view, chance); add one.", spec=spec)

    def choose(self, view: View, chance: Random) -> Intent:
        """Return the choice of the person's class."""
        chosen = self._guarded(self._choose, view, chance)
        try:
            intent: Intent = msgspec.convert(msgspec.to_builtins(chosen), Intent)
        except Exception:  # noqa: BLE001 - it may be anything
            raise BotError(
                "{bot} chose something that is not an intent; fix the bot.", bot=self._spec
            ) from None
        return intent

    def _guarded(self, call: Callable[..., Any], *arguments: object) -> Any:
        try:
            return call(*arguments)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit and GeneratorExit
            last = traceback.extract_tb(error.__traceback__)[-1]
            raise BotError(
                "{spec} failed with {problem} ({file}, line {line}); fix the bot.",
                spec=self._spec,
                problem=_problem(error),
                file=last.filename,
                line=last.lineno,
            ) from error


def _problem(error: BaseException) -> str:
    """Return the type and the text of a bot's exception, which may be long or have no text."""
    try:
        text = f"({error})"
    except Exception:  # noqa: BLE001 - its `__str__` is also a bot's
        text = "(?)"
    return clip(f"{type(error).__name__} {text}", _PROBLEM_CHARACTERS)


def _run(path: Path, source: str | None) -> ModuleType:
    if source is not None:
        module = ModuleType(f"coffeerush_bot_{path.stem}")
        exec(compile(source, str(path), "exec"), module.__dict__)
        return module
    spec = importlib.util.spec_from_file_location(f"coffeerush_bot_{path.stem}", path)
    assert spec is not None  # a path that ends in .py always has a spec with a loader
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if (folder := str(path.parent.resolve())) not in sys.path:
        sys.path.append(folder)  # for the bot's own modules, with the lowest priority
    spec.loader.exec_module(module)
    return module
