"""The machines on which `coffeerush.pyz` runs: what pex calls complete platforms."""

from typing import Any, Final

from packaging import tags

PYTHONS: Final = ((3, 11), (3, 12), (3, 13), (3, 14))
"""The versions of Python that a release is for."""
SYSTEMS: Final = {
    ("linux", "x86_64"): [f"manylinux_2_{n}_x86_64" for n in range(28, 16, -1)]
    + ["manylinux2014_x86_64"],
    ("linux", "aarch64"): [f"manylinux_2_{n}_aarch64" for n in range(28, 16, -1)]
    + ["manylinux2014_aarch64"],
    ("darwin", "arm64"): list(tags.mac_platforms((14, 0), "arm64")),
}
"""By system and processor, the tags of the wheels that it can install, the best first."""


def complete_platforms() -> list[dict[str, Any]]:
    """Return each as pex reads it from JSON: the markers and the tags that fit."""
    return [
        {"marker_environment": _markers(python, *system), "compatible_tags": _tags(python, found)}
        for python in PYTHONS
        for system, found in SYSTEMS.items()
    ]


def _tags(python: tuple[int, int], platforms: list[str]) -> list[str]:
    own = tags.cpython_tags(python, [f"cp{python[0]}{python[1]}"], platforms)
    every = tags.compatible_tags(python, f"cp{python[0]}{python[1]}", platforms)
    return [str(tag) for tag in (*own, *every)]


def _markers(python: tuple[int, int], system: str, processor: str) -> dict[str, str]:
    short = f"{python[0]}.{python[1]}"
    return {
        "implementation_name": "cpython",
        "implementation_version": f"{short}.0",
        "os_name": "posix",
        "platform_machine": processor,
        "platform_python_implementation": "CPython",
        "platform_system": "Darwin" if system == "darwin" else "Linux",
        "python_full_version": f"{short}.0",
        "python_version": short,
        "sys_platform": system,
    }
