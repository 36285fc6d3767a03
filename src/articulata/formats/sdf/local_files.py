"""Files that a world of SDFormat names: models and meshes beside it, never addresses.

``model://robot/meshes/a.stl`` is looked for as ``robot/meshes/a.stl`` in the folder of the file
that names it and in those above, and as ``meshes/a.stl`` in one that is called ``robot``. Other
names are relative to that file, and lead to what lies in its folder or in that of the first file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from articulata.formats.bounded_content import content_of
from articulata.formats.link_elements import FILE, PACKAGE, places
from articulata.formats.xml import Element, parse

SCHEME: Final = "model://"
VERSIONS: Final = ((1, 4), (1, 11))
MOST_INCLUDES: Final = 2000
"""Models that a world may take from files, repeated ones included."""
MOST_ELEMENTS: Final = 500_000


class SdfFiles:
    """Opens what is named from ``path`` on; each file is parsed once."""

    def __init__(self, path: Path) -> None:
        self.folder = path.resolve().parent
        self._roots: dict[Path, Element] = {}
        self._includes = 0
        self._elements = 0

    def root(self, path: Path) -> tuple[Element, tuple[int, int]]:
        """Return the ``<sdf>`` of a file, and its version."""
        whole = path.resolve()
        root = self._roots.get(whole)
        if root is None:
            root = self._roots[whole] = parse(content_of(whole), str(path))
        return root, version_of(root)

    def count(self, element: Element) -> None:
        """Count an include, and refuse too many; ``element`` is what it brings."""
        self._includes += 1
        self._elements += len(element.whole())
        if self._includes > MOST_INCLUDES or self._elements > MOST_ELEMENTS:
            raise element.error(
                f"more than {MOST_INCLUDES} models, or {MOST_ELEMENTS} elements, are included; "
                "give a smaller world"
            )

    def find(self, element: Element, uri: str, folder: Path) -> Path | None:
        """Return the file or folder that ``uri`` names in a file of ``folder``; None without."""
        name = uri.strip()
        if name.startswith(SCHEME):
            name = PACKAGE + name.removeprefix(SCHEME)
        if "\0" in name or ("://" in name and not name.startswith((PACKAGE, FILE))):
            return None
        if name.startswith(PACKAGE):
            package, _, rest = name.removeprefix(PACKAGE).partition("/")
            if package in ("", ".", "..") or ".." in rest.split("/"):
                return None
            found = places(element, name, folder, ())
        else:
            allowed = (folder, self.folder)
            found = (
                each for each in places(element, name, folder, ())
                if any(each.resolve().is_relative_to(one) for one in allowed)
            )  # fmt: skip
        try:
            return next((each for each in found if each.exists()), None)
        except (OSError, ValueError):
            return None

    def model(self, element: Element, uri: str, folder: Path) -> Path | None:
        """Return the file of the model that an ``<include>`` names: of a folder its newest one."""
        found = self.find(element, uri, folder)
        if found is None or found.is_file():
            return found
        config = found / "model.config"
        if config.is_file():
            listed = parse(content_of(config), str(config)).all("sdf")
            known = [(version_of(each), each.words) for each in listed if each.words]
            fit = [(version, name) for version, name in known if version <= VERSIONS[1]]
            for _, name in sorted(fit, reverse=True):
                file = (found / name).resolve()
                if file.is_file() and file.is_relative_to(found.resolve()):
                    return file
        usual = found / "model.sdf"
        return usual if usual.is_file() else None


def version_of(element: Element) -> tuple[int, int]:
    """Return the version that an ``<sdf>`` says; what is older than is read is refused."""
    text = element.attributes.get("version", "").strip()
    major, _, minor = text.partition(".")
    minor = minor.split(".")[0]
    if not (major.isascii() and major.isdigit() and minor.isascii() and minor.isdigit()):
        raise element.error(f"{element} has the version '{text[:20]}'; give one such as 1.9")
    version = int(major[:4]), int(minor[:4])
    if version < VERSIONS[0]:
        raise element.error(
            f"this is SDFormat {text[:20]}; 1.4 and later are read. Write it anew with "
            "'gz sdf -p FILE' of Gazebo"
        )
    return version
