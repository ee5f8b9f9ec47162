"""What takes long to make: made once, for all workers of a test run or all tests of a worker."""

import fcntl
import io
import os
import pickle
import shutil
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import pytest
from msgspec import Struct

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that `make` has filled; the first worker to come here calls it."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # of all workers
    folder, done = base / f"made-{name}", base / f"made-{name}.done"
    with (base / f"made-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what has failed
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def copied(make: Callable[Arguments, Made]) -> Callable[Arguments, Made]:
    """Return `make`, which now makes only one for the same arguments, and returns copies of it."""
    saved = cache(lambda *arguments, **named: _Saved(make(*arguments, **named)))

    @wraps(make)
    def copy(*arguments: Arguments.args, **named: Arguments.kwargs) -> Made:
        made: Made = saved(*arguments, **named).copy()  # type: ignore[arg-type]
        return made

    return copy


class _Saved(pickle.Pickler):
    """A saved object; it and its copies share what is frozen."""

    def __init__(self, made: object) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes)
        self._frozen: list[Struct] = []
        self.dump(made)

    def copy(self) -> Any:
        loader = pickle.Unpickler(io.BytesIO(self._bytes.getvalue()))
        loader.persistent_load = self._frozen.__getitem__  # type: ignore[method-assign]
        return loader.load()

    def persistent_id(self, item: object) -> int | None:
        if not (isinstance(item, Struct) and item.__struct_config__.frozen):
            return None
        self._frozen.append(item)
        return len(self._frozen) - 1
