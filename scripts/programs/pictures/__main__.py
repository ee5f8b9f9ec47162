"""`scripts/pictures [NAME ...]`: take the documentation's screenshots, all or those named."""

import sys
import tempfile
from pathlib import Path

from .film import film
from .paint import with_fewer_colours
from .scenes import SCENES, staged

FOLDER = Path(__file__).parents[3] / "docs" / "pictures"
FILM = "round"


def main() -> None:
    """Write the named pictures, or all, and print the size of each file."""
    known = [*SCENES, FILM]
    names = sys.argv[1:] or known
    if unknown := set(names) - set(known):
        sys.exit(f"There is no picture {min(unknown)}; name some of: {', '.join(known)}.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = _draw(name, Path(folder) / name)
            print(f"{path.relative_to(Path.cwd())}: {path.stat().st_size / 1000:.0f} kB")


def _draw(name: str, folder: Path) -> Path:
    if name == FILM:
        path = FOLDER / f"{FILM}.gif"
        film(path, path.with_suffix(".cast"), folder)
        return path
    path = FOLDER / f"{name}.png"
    scene = SCENES[name]
    with staged(scene, folder) as stage:
        with_fewer_colours(scene.act(stage)).save(path, optimize=True)
    return path


if __name__ == "__main__":
    main()
