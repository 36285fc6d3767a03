"""Where the mesh files of a description lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from articulata.formats.xml import Element

PACKAGE = "package://"
FILE = "file://"


def locate(element: Element, name: str, folder: Path, roots: Sequence[Path]) -> Path | None:
    """Return where the mesh ``name`` lies, None where it is not found.

    ``package://arm/meshes/a.stl`` is looked for as ``arm/meshes/a.stl`` in each root and in the
    folders above ``folder``, and as ``meshes/a.stl`` in those that are called ``arm``. Other names
    are relative to ``folder``, then to the roots.
    """
    return next((place for place in places(element, name, folder, roots) if place.is_file()), None)


def places(element: Element, name: str, folder: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the places where ``locate`` looks, in order."""
    if name.startswith(PACKAGE):
        package, _, rest = name.removeprefix(PACKAGE).partition("/")
        for root in (*roots, folder, *folder.parents):
            if root.name == package:
                yield root / rest
            yield root / package / rest
    elif name.startswith(FILE):
        yield Path(name.removeprefix(FILE))
    elif "://" in name:
        raise element.error(
            f'{element}: filename="{name}" is an address; only files are read: give package://, '
            "a file address or a path relative to the description"
        )
    else:
        for root in (folder, *roots):
            yield root / name


def not_found(element: Element, name: str, folder: Path, roots: Sequence[Path]) -> Exception:
    """Return the error that names a missing mesh and the places where it was looked for."""
    looked = list(places(element, name, folder, roots))
    shown = "".join(f"\n  {place}" for place in looked[:8])
    more = f"\n  and {len(looked) - 8} folders above" if len(looked) > 8 else ""
    return element.error(
        f"mesh '{name}' is not there; it was looked for at{shown}{more}\n"
        "Put it there. In Python, roots=(...) names more folders, and allow_missing_meshes=True "
        "goes on without it."
    )
