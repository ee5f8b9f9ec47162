"""Imports point down. Layers 0 to 2 only think: no socket, no clock, no file, no global chance."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PURE = 2
"""The highest layer that only thinks."""

LAYERS = {
    "protocol.*": 0,
    "coffeerush": 1,
    "coffeerush.errors": 1,
    "coffeerush.i18n": 1,
    "coffeerush.settings": 1,
    "coffeerush.rules.*": 1,
    "coffeerush.bots.*": 2,
    "coffeerush.bots.load": 3,
    "coffeerush.advert": 2,
    "coffeerush.arena.*": 2,
    "coffeerush.export": 2,
    "coffeerush.entries": 2,
    "coffeerush.record": 2,
    "coffeerush.codeproof": 2,
    "coffeerush.joincode": 1,
    "coffeerush.qr": 1,
    "coffeerush.joincode_words": 1,
    "coffeerush.durable": 3,
    "coffeerush.keyfile": 3,
    "coffeerush.multicast": 3,
    "coffeerush.places": 3,
    "coffeerush.settingsfile": 3,
    "coffeerush.host": 2,
    "coffeerush.host.bulletin": 2,
    "coffeerush.host.fallback": 2,
    "coffeerush.host.guests": 2,
    "coffeerush.host.crowding": 2,
    "coffeerush.host.gate": 2,
    "coffeerush.host.lobby": 2,
    "coffeerush.host.names": 2,
    "coffeerush.host.outcomes": 2,
    "coffeerush.host.people": 2,
    "coffeerush.host.play": 2,
    "coffeerush.host.presence": 2,
    "coffeerush.host.resuming": 2,
    "coffeerush.host.room": 2,
    "coffeerush.host.stages": 2,
    "coffeerush.host.substitutes": 2,
    "coffeerush.host.table": 2,
    "coffeerush.host.values": 2,
    "coffeerush.host.visit": 2,
    "coffeerush.host.addresses": 3,
    "coffeerush.host.beacon": 3,
    "coffeerush.host.botworker": 3,
    "coffeerush.host.companion": 3,
    "coffeerush.host.door": 3,
    "coffeerush.host.guard": 3,
    "coffeerush.host.hostkey": 3,
    "coffeerush.host.inviting": 3,
    "coffeerush.host.journal": 3,
    "coffeerush.host.keyring": 3,
    "coffeerush.host.letters": 3,
    "coffeerush.host.limits": 3,
    "coffeerush.host.members": 3,
    "coffeerush.host.notes": 2,
    "coffeerush.host.opening": 3,
    "coffeerush.host.probe": 3,
    "coffeerush.host.records": 3,
    "coffeerush.host.server": 3,
    "coffeerush.host.sockets": 3,
    "coffeerush.host.sources": 2,
    "coffeerush.host.spawn": 3,
    "coffeerush.host.tally": 3,
    "coffeerush.host.thinking": 3,
    "coffeerush.host.zap": 3,
    "coffeerush.client": 2,
    "coffeerush.client.address": 2,
    "coffeerush.client.commands": 2,
    "coffeerush.client.deeds": 2,
    "coffeerush.client.digest": 2,
    "coffeerush.client.error_words": 2,
    "coffeerush.client.event_words": 2,
    "coffeerush.client.found": 2,
    "coffeerush.client.guide": 2,
    "coffeerush.client.guide_words": 2,
    "coffeerush.client.hint": 2,
    "coffeerush.client.history": 2,
    "coffeerush.client.invitation": 2,
    "coffeerush.client.model": 2,
    "coffeerush.client.names": 2,
    "coffeerush.client.outbox": 2,
    "coffeerush.client.personal_deeds": 2,
    "coffeerush.client.plain_help": 2,
    "coffeerush.client.plain_words": 2,
    "coffeerush.client.outlook": 2,
    "coffeerush.client.outlook_words": 2,
    "coffeerush.client.possible": 2,
    "coffeerush.client.pour_words": 2,
    "coffeerush.client.prompts": 2,
    "coffeerush.client.refusal_words": 2,
    "coffeerush.client.rules_text": 2,
    "coffeerush.client.session": 2,
    "coffeerush.client.session_words": 2,
    "coffeerush.client.setting_rows": 2,
    "coffeerush.client.suggest": 2,
    "coffeerush.client.table_deeds": 2,
    "coffeerush.client.table_words": 2,
    "coffeerush.client.talk": 2,
    "coffeerush.client.words": 2,
    "coffeerush.client.written": 2,
    "coffeerush.client.app": 3,
    "coffeerush.client.channels": 3,
    "coffeerush.client.enrol": 3,
    "coffeerush.client.find": 3,
    "coffeerush.client.person": 3,
    "coffeerush.client.keys": 3,
    "coffeerush.client.pins": 3,
    "coffeerush.client.trust": 2,
    "coffeerush.client.connect": 3,
    "coffeerush.client.search": 3,
    "coffeerush.client.knock": 2,
    "coffeerush.client.link": 3,
    "coffeerush.client.home.*": 2,
    "coffeerush.client.home.app": 3,
    "coffeerush.client.plain": 3,
    "coffeerush.client.typed": 3,
    "coffeerush.client.screen.*": 2,
    "coffeerush.client.screen.app": 3,
    "coffeerush.client.screen.paint": 3,
    "coffeerush.client.screen.pens": 3,
    "coffeerush.client.screen.sheet": 3,
    "coffeerush.client.screen.sparing": 3,
    "coffeerush.client.screen.stage": 3,
    "coffeerush.client.screen.look": 3,
    "coffeerush.client.replay.*": 2,
    "coffeerush.client.replay.app": 3,
    "coffeerush.client.replay.finished": 3,
    "coffeerush.cli.*": 4,
    "coffeerush.__main__": 4,
}
"""The layer of each module; `package.*` is the package and all in it."""

EFFECTS = {
    *("asyncio", "click", "logging", "prompt_toolkit", "secrets", "select", "selectors"),
    *("signal", "socket", "subprocess", "threading", "time", "zmq"),
}
"""Libraries that reach out of the process or read its clock."""
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


def layer_of(module: str) -> int:
    """Return the layer of a module, by its own entry or that of the nearest package around it."""
    if module in LAYERS:
        return LAYERS[module]
    name = module
    while name:
        if f"{name}.*" in LAYERS:
            return LAYERS[f"{name}.*"]
        name = name.rpartition(".")[0]
    pytest.fail(f"{module} has no layer yet: add it to LAYERS in {Path(__file__).name}")


def imports_of(module: str) -> Iterator[Import]:
    """Yield what a module imports, anywhere in it; of ours, the module that holds the name."""
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
    """Yield what in a module reaches out of it, each with its line."""
    for found in imports_of(module):
        if found.target.partition(".")[0] in EFFECTS:
            yield f"line {found.line} imports {found.target}"
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in EFFECTFUL_CALLS:
            yield f"line {node.lineno} calls {ast.unparse(node.func)}"
        yield from _chances(node)


def _chances(node: ast.AST) -> list[str]:
    """Return what a node takes from the module `random`, other than its class."""
    if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == "random":
        names = [node.attr]
    elif isinstance(node, ast.ImportFrom) and node.module == "random":
        names = [name.name for name in node.names]
    else:
        return []
    return [f"line {node.lineno} uses random.{name}" for name in names if name != "Random"]


def taken_from(package: str, module: str) -> set[str]:
    """Return the names that a module imports from a package of ours."""
    return {
        name.name
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ImportFrom) and _base(module, node) == package
        for name in node.names
    }


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    own = layer_of(module)
    upwards = [
        f"line {found.line} imports {found.target}"
        for found in imports_of(module)
        if found.target in MODULES and layer_of(found.target) > own
    ]
    assert not upwards, f"{module} is of layer {own}"


def test_imports_make_no_circle() -> None:
    graph = {
        module: {found.target for found in imports_of(module)} & set(MODULES) for module in MODULES
    }
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("module", [m for m in MODULES if m.partition(".")[0] == "protocol"])
def test_protocol_imports_nothing_of_ours(module: str) -> None:
    ours = [found for found in imports_of(module) if found.target in MODULES]
    assert all(found.relative for found in ours)


@pytest.mark.parametrize("module", [m for m in MODULES if m.startswith("coffeerush.rules")])
def test_rules_know_nothing_of_bytes(module: str) -> None:
    codec = {"codec"} | taken_from("protocol.codec", "protocol")
    assert not taken_from("protocol", module) & codec
    assert not taken_from("protocol.codec", module)


@pytest.mark.parametrize("module", MODULES)
def test_layers_below_the_edge_only_think(module: str) -> None:
    if layer_of(module) <= PURE:
        assert not list(effects_of(module))


@pytest.mark.parametrize("module", MODULES)
def test_only_screens_and_commands_speak_to_people(module: str) -> None:
    if any(found.target == "coffeerush.i18n" for found in imports_of(module)):
        assert module.startswith(("coffeerush.client", "coffeerush.cli"))
