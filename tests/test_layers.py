"""The packages of the project: what each may import, and which of their modules do I/O.

A module that is not listed in `EDGES` is sans-I/O: no socket, no clock, no file that it opens
itself, no global random numbers.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PACKAGES = {
    "protocol": "",
    "coffeerush": "protocol",
    "coffeerush.rules": "coffeerush protocol",
    "coffeerush.local": "coffeerush protocol",
    "coffeerush.bots": "coffeerush protocol rules local records",
    "coffeerush.rl": "coffeerush protocol rules",
    "coffeerush.tournament": "coffeerush protocol local records",
    "coffeerush.arena": "coffeerush protocol rules local bots records",
    "coffeerush.records": "coffeerush protocol rules local",
    "coffeerush.league": "coffeerush protocol rules local records tournament",
    "coffeerush.joining": "coffeerush protocol local",
    "coffeerush.moving": "coffeerush protocol rules records",
    "coffeerush.host.table": "coffeerush protocol rules bots records moving",
    "coffeerush.host.hall": "coffeerush protocol records moving tournament host.table",
    "coffeerush.host.server": "coffeerush protocol local rules bots moving joining tournament "
    "host.hall host.table",
    "coffeerush.host": "coffeerush protocol local rules bots records moving joining tournament "
    "host.hall host.table host.server",
    "coffeerush.client": "coffeerush protocol local rules bots records moving league joining",
    "coffeerush.conformance": "coffeerush protocol local rules bots records moving joining "
    "tournament client host.hall host.table host.server",
    "coffeerush.ui.words": "coffeerush protocol rules league joining client",
    "coffeerush.ui.advice": "coffeerush protocol rules bots client ui.words",
    "coffeerush.ui.terminal": "coffeerush protocol local ui.words",
    "coffeerush.ui.pages": "coffeerush protocol local ui.words ui.terminal",
    "coffeerush.ui.table": "coffeerush protocol joining local league client ui.words ui.advice "
    "ui.terminal ui.pages",
    "coffeerush.ui.plain": "coffeerush protocol local records client ui.words ui.advice ui.pages "
    "ui.replay",
    "coffeerush.ui.menu": "coffeerush protocol local records league joining "
    "client ui ui.words ui.terminal ui.pages ui.table ui.plain",
    "coffeerush.ui.replay": "coffeerush protocol local rules records client ui.words ui.advice "
    "ui.terminal ui.pages ui.table",
    "coffeerush.ui": "coffeerush protocol local joining client host host.server ui.words "
    "ui.terminal ui.pages ui.table ui.plain ui.replay",
    "coffeerush.guests": "coffeerush protocol local joining client host host.server ui.words "
    "ui.terminal ui.pages ui.table ui.replay guests.web",
    "coffeerush.guests.web": "coffeerush protocol local league joining client host.server guests "
    "ui.words ui.advice ui.terminal ui.pages ui.plain ui.table ui.replay",
    "coffeerush.cli": "coffeerush protocol local rules bots arena league records joining "
    "tournament host host.table host.server guests client conformance ui ui.words "
    "ui.terminal ui.table ui.plain ui.menu ui.replay",
}
"""The other packages that a package may import; names below `coffeerush` omit that prefix."""

EDGES = {
    "coffeerush": "tcp_keepalive",
    "coffeerush.bots": "process",
    "coffeerush.arena": "child cluster",
    "coffeerush.records": "writing listing",
    "coffeerush.tournament": "journal",
    "coffeerush.league": "store",
    "coffeerush.joining": "admitted_keys announcing browsing door_server enrolment interfaces",
    "coffeerush.local": "keys own_tables processes",
    "coffeerush.host": "children run",
    "coffeerush.host.server": "*",
    "coffeerush.conformance": "*",
    "coffeerush.client": "bot_guest connection record_keeper sockets succession",
    "coffeerush.ui": "person run understudy",
    "coffeerush.ui.terminal": "fullscreen output",
    "coffeerush.ui.table": "table_app",
    "coffeerush.ui.plain": "plain_app typed_lines",
    "coffeerush.ui.menu": "menu_app",
    "coffeerush.ui.replay": "replay_app",
    "coffeerush.guests": "front_end gateway listener process register ssh visit",
    "coffeerush.guests.web": "server",
    "coffeerush.cli": "*",
}
"""The modules of a package that do I/O or read a clock; `*` means all of them."""

EFFECTS = {
    *("asyncio", "click", "logging", "prompt_toolkit", "secrets", "select", "selectors"),
    *("signal", "socket", "sqlite3", "subprocess", "threading", "time", "websockets", "zmq"),
}
"""Libraries that do I/O or read the clock."""
EFFECTFUL_CALLS = {"open", "print", "input"}


@dataclass(frozen=True)
class Import:
    """An import statement's target, as a dotted name."""

    target: str
    line: int
    relative: bool


def modules() -> list[str]:
    """Return the dotted names of all our modules."""
    paths = [path for top in ("protocol", "coffeerush") for path in (ROOT / top).rglob("*.py")]
    return sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in paths
    )


MODULES = modules()


def file_of(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(file_of(module).read_text(encoding="utf-8"))


def package_of(module: str) -> str:
    """Return the package that a module is in; a package is in itself."""
    return module if file_of(module).name == "__init__.py" else module.rpartition(".")[0]


def is_edge(module: str) -> bool:
    """Return whether a module may do I/O."""
    edges = EDGES.get(package_of(module), "").split()
    return edges == ["*"] or module.rpartition(".")[2] in edges or module == "coffeerush.__main__"


def may_import(package: str) -> set[str]:
    """Return the packages that a package may import, including itself."""
    if package not in PACKAGES:
        pytest.fail(
            f"{package} is not listed: say in PACKAGES of {Path(__file__).name} what it imports"
        )
    others = PACKAGES[package].split()
    tops = ("coffeerush", "protocol")
    return {package, *(one if one in tops else f"coffeerush.{one}" for one in others)}


@cache
def imports_of(module: str) -> tuple[Import, ...]:
    """Return everything that a module imports; for our packages, the module that has the name."""
    return (*_imports(module),)


def _imports(module: str) -> Iterator[Import]:
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(name.name, node.lineno, relative=False)
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node)
            for name in node.names:
                inner = f"{base}.{name.name}"
                target = inner if inner in MODULES else base
                yield Import(target, node.lineno, relative=node.level > 0)


def _base(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".") + ["_"] * (file_of(module).name == "__init__.py")
    return ".".join(parts[: -node.level] + ([node.module] if node.module else []))


def effects_of(module: str) -> Iterator[str]:
    """Yield the I/O effects in a module, each with its line."""
    for found in imports_of(module):
        if found.target.partition(".")[0] in EFFECTS:
            yield f"line {found.line} imports {found.target}"
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in EFFECTFUL_CALLS:
            yield f"line {node.lineno} calls {ast.unparse(node.func)}"
        yield from _chances(node)


def _chances(node: ast.AST) -> list[str]:
    """Return what a node uses of the module `random`, other than the class `Random`."""
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == "random":
        names = [node.attr]
    elif isinstance(node, ast.ImportFrom) and node.module == "random":
        names = [name.name for name in node.names]
    else:
        return []
    return [f"line {node.lineno} uses random.{name}" for name in names if name != "Random"]


def constructors_of(module: str) -> Iterator[ast.FunctionDef]:
    """Yield each `__init__` of a module."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            yield node


def written_in(tree: ast.AST) -> Counter[str]:
    """Count how often each attribute, or an item of it, is assigned to or deleted."""
    targets = (
        node.value if isinstance(node, ast.Subscript) else node
        for node in ast.walk(tree)
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    )
    return Counter(target.attr for target in targets if isinstance(target, ast.Attribute))


def taken_from(package: str, module: str) -> set[str]:
    """Return the names that a module imports from one of our packages."""
    return {
        name.name
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ImportFrom) and _base(module, node) == package
        for name in node.names
    }


@pytest.mark.slow
def test_a_package_imports_what_it_may() -> None:
    strangers = [
        f"{module}, line {found.line}, imports {found.target}"
        for module in MODULES
        if module != "coffeerush.__main__"
        for found in imports_of(module)
        if found.target in MODULES
        and package_of(found.target) not in may_import(package_of(module))
    ]
    assert not strangers


def test_packages_do_not_import_each_other_in_a_cycle() -> None:
    """A package and a package inside it count as one."""

    def whole(package: str) -> str:
        parts = package.split(".")
        inside = {"coffeerush.host": 2, "coffeerush.guests": 2}
        for outer, depth in inside.items():
            if package == outer or package.startswith(f"{outer}."):
                return ".".join(parts[:depth])
        return package

    graph: dict[str, set[str]] = {}
    for module in MODULES:
        package = whole(package_of(module))
        if module == "coffeerush.__main__":
            continue
        others = {
            whole(package_of(one.target)) for one in imports_of(module) if one.target in MODULES
        }
        graph.setdefault(package, set()).update(others - {package})
    TopologicalSorter(graph).prepare()


def test_host_and_client_do_not_import_each_other() -> None:
    for module in MODULES:
        for one, other in (
            ("coffeerush.host", "coffeerush.client"),
            ("coffeerush.client", "coffeerush.host"),
        ):
            if module.startswith(f"{one}."):
                assert not [found for found in imports_of(module) if found.target.startswith(other)]


def test_each_field_of_a_table_is_written_by_one_module() -> None:
    """Apart from constructors, and from the fields of a person, which several modules write."""
    package = "coffeerush.host.table"
    made = {
        module: sum(map(written_in, constructors_of(module)), Counter())
        for module in MODULES
        if module.startswith(f"{package}.")
    }
    written = {module: written_in(tree_of(module)) for module in made}
    fields = [one for name in ("state", "people") for one in made[f"{package}.{name}"]]
    for field in fields:
        writers = [module for module in made if (written[module] - made[module])[field]]
        assert len(writers) <= 1, f"{field} is written by {' and '.join(writers)}"


def test_only_the_table_imports_its_state() -> None:
    package = "coffeerush.host.table"
    known = {
        found.target
        for module in MODULES
        for found in imports_of(module)
        if package_of(module) != package and package_of(found.target) == package
    }
    assert not known & {f"{package}.{name}" for name in ("state", "requests", "lifecycle")}


def test_each_package_has_a_docstring() -> None:
    for package in PACKAGES:
        assert ast.get_docstring(tree_of(package)), package


def test_class_names_are_unique() -> None:
    homes: dict[str, list[str]] = {}
    for module in MODULES:
        for node in tree_of(module).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    assert not {name: where for name, where in homes.items() if len(where) > 1}


def test_file_names_of_the_user_interface_are_unique() -> None:
    """A name in a traceback or an editor's tab is enough to know the module."""
    names = Counter(
        file_of(module).name for module in MODULES if module.startswith("coffeerush.ui.")
    )
    del names["__init__.py"]
    assert not [name for name, count in names.items() if count > 1]


def test_modules_do_not_import_each_other_in_a_cycle() -> None:
    graph = {
        module: {found.target for found in imports_of(module)} & set(MODULES) for module in MODULES
    }
    TopologicalSorter(graph).prepare()


def test_protocol_imports_no_other_package_of_ours() -> None:
    for module in MODULES:
        if module.partition(".")[0] == "protocol":
            ours = [found for found in imports_of(module) if found.target in MODULES]
            assert all(found.relative for found in ours), module


def test_rules_import_no_codec() -> None:
    codec = {"codec"} | taken_from("protocol.codec", "protocol")
    for module in MODULES:
        if module.startswith("coffeerush.rules"):
            assert not taken_from("protocol", module) & codec, module
            assert not taken_from("protocol.codec", module), module


@pytest.mark.slow
def test_sans_io_modules_do_no_io() -> None:
    effects = {module: [*effects_of(module)] for module in MODULES if not is_edge(module)}
    assert not {module: found for module, found in effects.items() if found}


def test_only_screens_and_commands_translate() -> None:
    for module in MODULES:
        if any(found.target == "coffeerush.ui.words.i18n" for found in imports_of(module)):
            allowed = ("coffeerush.ui", "coffeerush.cli", "coffeerush.guests")
            assert module.startswith(allowed), module


def test_key_handling_does_not_import_words() -> None:
    found = [one.target for one in imports_of("coffeerush.ui.table.lists")]
    assert not [target for target in found if target.startswith("coffeerush.ui.words")]
