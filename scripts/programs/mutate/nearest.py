"""Rank test files by their distance to a module: imports in between, and similar names."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

TOPS: Final = ("coffeerush", "protocol", "scripts", "tests")
UNREACHED: Final = 100
"""Distance to a module that is never imported: its program may still be run by a test."""


class Imports:
    """The import graph of the modules below a folder."""

    def __init__(self, root: Path) -> None:
        files = [path for top in TOPS for path in sorted((root / top).rglob("*.py"))]
        self._paths = {_dotted(path.relative_to(root)): path for path in files}
        self._names = {str(path.relative_to(root)): name for name, path in self._paths.items()}
        self._importers: dict[str, set[str]] = {name: set() for name in self._paths}
        for name, path in self._paths.items():
            for imported in self._imported_by(name, path):
                self._importers[imported].add(name)

    def _imported_by(self, name: str, path: Path) -> Iterator[str]:
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_bytes())):
            names: list[str] = []
            match node:
                case ast.Import():
                    names = [alias.name for alias in node.names]
                case ast.ImportFrom(module=module, level=level):
                    outer = package.split(".")[: 1 - level or None] if level else []
                    base = ".".join([*outer, *([module] if module else [])])
                    names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
                case ast.Constant(value=str() as text):
                    # the start of import_module(f"coffeerush.cli.{name}")
                    is_package = text.endswith(".") and text[:-1] in self._paths
                    names = [path for path in self._paths if is_package and path.startswith(text)]
            yield from (name for name in names if name in self._paths)

    def tests_of(self, path: str) -> list[str]:
        """Return the paths of all test files, nearest to a module first."""
        module = self._names[path]
        distances = {module: 0}
        queue = [module]
        for name in queue:
            for importer in self._importers[name] - distances.keys():
                distances[importer] = distances[name] + 1
                queue.append(importer)
        found = {
            test: distances.get(name, UNREACHED) - len(_words(test) & _words(path))
            for test, name in self._names.items()
            if Path(test).name.startswith("test_")
        }
        return sorted(found, key=lambda test: (found[test], test))


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _words(path: str) -> set[str]:
    return set(re.findall(r"[a-z]+", path)) - {"coffeerush", "tests", "test", "py"}
