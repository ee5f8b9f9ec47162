"""Bots by what `--bot` says: a name, or a class in somebody's file."""

import importlib.util
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from coffeerush.bots import BOTS
from coffeerush.errors import BotError
from protocol import Intent, View

from .bot import Bot


def load_bot(spec: str) -> Bot:
    """Return a new bot.

    Args:
        spec: a name of `BOTS`, or `path/to/file.py:Class`, a class made without arguments that
            has the one method of `Bot`. Whatever it raises later comes as a `BotError`.

    Raises:
        BotError: there is no such bot, or its file cannot be used; the text says what to do.
    """
    if spec in BOTS:
        return BOTS[spec]()
    path, colon, name = spec.rpartition(":")
    if not colon or not path.endswith(".py"):
        known = ", ".join(BOTS)
        raise BotError(
            "There is no bot {spec}; name one of {known}, or path/to/file.py:Class.",
            spec=spec,
            known=known,
        )
    return _PersonsBot(spec, Path(path), name)


class _PersonsBot:
    """A bot from a person's file, which may raise anything."""

    def __init__(self, spec: str, path: Path, name: str) -> None:
        self._spec = spec
        module = self._guarded(_run, path)
        if not hasattr(module, name):
            raise BotError("{path} has no class {name}; check the name.", path=path, name=name)
        self._bot = self._guarded(getattr(module, name))
        if not callable(getattr(self._bot, "choose", None)):
            raise BotError("{spec} has no method choose(view, chance); give it one.", spec=spec)

    def choose(self, view: View, chance: Random) -> Intent:
        """Return what the person's class chooses."""
        chosen: Intent = self._guarded(self._bot.choose, view, chance)
        return chosen

    def _guarded(self, call: Callable[..., Any], *arguments: object) -> Any:
        try:
            return call(*arguments)
        except BotError:
            raise
        except (Exception, SystemExit) as error:  # a person's file may raise anything
            last = traceback.extract_tb(error.__traceback__)[-1]
            raise BotError(
                "{spec} failed with {problem} ({file}, line {line}); mend the bot.",
                spec=self._spec,
                problem=f"{type(error).__name__}: {error}",
                file=last.filename,
                line=last.lineno,
            ) from error


def _run(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"coffeerush_bot_{path.stem}", path)
    assert spec is not None  # any path that ends in .py has one, and a loader in it
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if not path.is_file():
        raise BotError("There is no file {path}; check the path.", path=path)
    if (beside := str(path.parent.resolve())) not in sys.path:
        sys.path.append(beside)  # for modules of the bot, behind all others
    spec.loader.exec_module(module)
    return module
