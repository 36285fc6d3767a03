"""Reading worlds from files: the file itself, what it imports, and what it may not.

An import is looked for beside the importing file, then in the library that ships with the
product. A file outside the folder of the first one is read only when ``allow`` names its folder,
or ``ARTICULATA_ALLOW`` in the environment.
Controller files (``.py``) are never executed here; only the names that they define are read.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from articulata.errors import ArticulataError, Diagnostic, FormatError, MissingExtra, WorldError
from articulata.world.figures.shelf import shelf
from articulata.world.foreign_files import ForeignFormat, format_of, format_of_text
from articulata.world.language.checking.check import check, misread_lines
from articulata.world.language.checking.scopes import FIGURE
from articulata.world.language.diagnostics import Findings, Full, Notes
from articulata.world.language.elaboration.modules import (
    Definition,
    Module,
    evaluate_lets,
    module_of,
)
from articulata.world.language.meant_words import closest
from articulata.world.language.source import Source
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.parse import parse as parse_text
from articulata.world.paths import hint

LIBRARY = Path(__file__).parent / "library"
ALLOW = "ARTICULATA_ALLOW"
"""What names folders that every command may import from, parted as the system parts paths."""
SHELVES = ("", "gallery", "figures", "rooms")
"""Folders of the library in which imports are looked for."""
ELSEWHERE = 'say where it lies: art.parse(text, folder="..."), or read the text from its file'
"""What is to be done where a text that is in no file names one."""

LARGEST = 20_000_000
"""Bytes of a world's text beyond which the file is something else."""


@dataclass(slots=True)
class Reader:
    """Reads one document: its first file and all it imports, each once."""

    allow: tuple[Path, ...]
    root: Path | None
    notes: Notes = field(default_factory=Notes)
    found: list[Diagnostic] = field(default_factory=list)
    modules: dict[Path, Module] = field(default_factory=dict)
    trees: dict[int, dict[str, t.File]] = field(default_factory=dict)
    checking: bool = True
    foreign: set[Path] = field(default_factory=set)
    stack: list[tuple[Path, Source, t.Import]] = field(default_factory=list)

    def text(self, text: str, file: str, path: Path | None) -> Module:
        """Read a text that stands in ``path`` (None: nowhere) and call it ``file``."""
        foreign = format_of_text(text, file)
        if foreign is not None:
            return self.refused(foreign, file, text)
        return self.parsed(*parse_text(text, file), path)

    def parsed(
        self, tree: t.File, diagnostics: tuple[Diagnostic, ...], path: Path | None
    ) -> Module:
        """Read on from the tree of a text, of which ``diagnostics`` were found."""
        self.found += diagnostics
        given_up = any(each.code == "too-many" for each in diagnostics) and not tree.complete
        return self.tree(tree, path, not given_up, misread_lines(diagnostics))

    def refused(self, foreign: ForeignFormat, file: str, text: str = "") -> Module:
        """Return an empty module, with one finding: ``file`` holds no world's text."""
        source = Source(text, file)
        findings = Findings(source)
        end = len(source.line(1))
        findings.error("foreign-file", (0, end), foreign.this_is(), foreign.advice(file))
        self.found += findings.diagnostics()
        return module_of(t.File((), (), source))

    def world(self, foreign: ForeignFormat, file: str, path: Path) -> Module:
        """Read a foreign world as a text of its own; ``refused`` where nobody reads its format."""
        from articulata.world.figures.readers import world_text

        try:
            text = world_text(path)
        except FormatError as error:
            place = re.match(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): ", str(error))
            line, column = (int(place[2]), int(place[3])) if place else (1, 1)
            words = str(error)[place.end() :] if place else str(error).removeprefix(f"{path}: ")
            name = file if place is None or Path(place[1]) == path else place[1]
            self.found.append(Diagnostic(name, line, column, "error", "unreadable", words))
            return module_of(t.File((), (), Source("", file)))
        if text is None:
            return self.refused(foreign, file)
        self.foreign.add(path)
        if foreign.key == "urdf":  # its text imports the file, and stands beside it
            file = f"<{path.name}>"
            path = path.with_name(file)
        return self.text(text, file, path)

    def tree(
        self,
        tree: t.File,
        path: Path | None,
        checking: bool = True,
        misread: frozenset[int] = frozenset(),
    ) -> Module:
        """Read what a parsed file imports, then compute its values."""
        module = module_of(tree)
        module.find = partial(self.beside, path)
        if path is not None:
            self.modules[path] = module
        for item in tree.items:
            if isinstance(item, t.Import):
                self._import(item, module, path)
        self._take_figures(module)
        with suppress(Full):
            evaluate_lets(module, self.notes)
        if self.checking and checking:
            self.found += check(tree, self.trees.get(id(module), {}), misread)
        return module

    def _import(self, item: t.Import, module: Module, path: Path | None) -> None:
        alias = item.name
        if item.file.endswith(".py"):
            module.python.append((item.file, item.name))
            file = None if path is None else _existing(path.parent / item.file)
            if file is not None and (defined := _defined(file)) is not None:
                self.trees.setdefault(id(module), {})[item.file] = defined
            elif file is None and path is not None:
                self._missing_controllers(item, module, path.parent)
            return
        target = self._target(item, module, path)
        if target is None:
            _broken(module, alias)
            return
        opened = [entry[0] for entry in self.stack]
        if path is not None and target == path:
            self.notes.add(
                module.source,
                item.span,
                "cycle",
                f"'{item.file}' imports itself",
                "remove this import",
            )
            _broken(module, alias)
            return
        if target in opened:
            self._cycle(item, module, opened.index(target))
            _broken(module, alias)
            return
        known = self.modules.get(target)
        inside = [each is not None and each.is_relative_to(LIBRARY) for each in (path, target)]
        if known is None and inside == [False, True] and target.suffix == ".art":
            known = self.modules[target] = _shelved(target)
        if known is None:
            if target.suffix not in ("", ".art"):
                self.foreign.add(target)
            text = _text_of(target, item, module, self.notes)
            if text is None:
                _broken(module, alias)
                return
            self.stack.append((path or target, module.source, item))
            known = self.text(text, str(target), target)
            self.stack.pop()
        if alias is None:
            module.merged.append(known)
        else:
            module.imports[alias] = known
        self.trees.setdefault(id(module), {})[item.file] = known.file

    def _take_figures(self, module: Module) -> None:
        """Read the figures of the library that the file has as components by their names."""
        known = {*module.type_names(), *module.imports}
        for component in _components(module.file):
            name = component.type.simple
            if name not in shelf() or name in known or name in module.figures:
                continue
            path = shelf()[name][0]
            found = module.figures[name] = self.modules.setdefault(path, _shelved(path))
            self.trees.setdefault(id(module), {})[f"{FIGURE} {name}"] = found.file

    def _missing_controllers(self, item: t.Import, module: Module, folder: Path) -> None:
        """Warn of a file of controllers that is not there while one is called much like it.

        Without such a file nothing is amiss: controllers may be handed over in Python, and a
        world can be seen without them.
        """
        guess = closest(item.file, sorted(each.name for each in folder.glob("*.py")))
        if guess:
            self.notes.add(
                module.source, _file_span(item, module), "missing-file",
                f"there is no file '{item.file}' in {folder}", f"did you mean '{guess}'?",
                "warning",
            )  # fmt: skip

    def _cycle(self, item: t.Import, module: Module, start: int) -> None:
        """Report a cycle at both of its ends: where it closes and where it began."""
        _, source, first = self.stack[start]
        line, column = module.source.position(max(0, item.span[0]))
        other_line, other_column = source.position(max(0, first.span[0]))
        self.notes.add(
            module.source,
            item.span,
            "cycle",
            f"'{item.file}' is being read already: {source.file}:{other_line}:{other_column} "
            f"imports '{first.file}', which leads back here",
            "move what both need into a third file",
        )
        self.notes.add(
            source,
            first.span,
            "cycle",
            f"'{first.file}' leads back to this file: {module.source.file}:{line}:{column} "
            f"imports '{item.file}'",
            "move what both need into a third file",
        )

    def _target(self, item: t.Import, module: Module, path: Path | None) -> Path | None:
        """Return the file that an import means, or note why there is none."""
        found = self.beside(path, item.file)
        if isinstance(found, Path):
            return found
        self.notes.add(module.source, _file_span(item, module), *found)
        return None

    def beside(self, path: Path | None, name: str) -> Path | tuple[str, str, str]:
        """Return the file that ``name`` means in the file ``path``, else why there is none.

        That is the code of a finding, its words and advice. What the reader of a foreign file has
        found for it need not be allowed.
        """
        folder = path.parent if path is not None else None
        tried = [folder / name] if folder is not None else []
        tried += [LIBRARY / place / name for place in SHELVES]
        for candidate in tried:
            target = _existing(candidate)
            if target is None:
                continue
            if not self._allowed(target) and path not in self.foreign:
                return (
                    "outside",
                    f"'{name}' lies outside the folder of the first file",
                    f"copy it there, or set {ALLOW}={target.parent} for every command; "
                    "check --allow and art.read(..., allow=[...]) take the folder too",
                )
            return target
        where = f"in {folder}" if folder is not None else "beside a text that is in no file"
        return (
            "missing-file",
            f"there is no file '{name}' {where}, nor in the library",
            self._near(name, folder),
        )

    def _near(self, name: str, folder: Path | None) -> str:
        ending = Path(name).suffix or ".art"
        known = [each.name for at in SHELVES for each in (LIBRARY / at).glob(f"*{ending}")]
        if folder is not None and folder.is_dir():
            known += [each.name for each in folder.glob(f"*{ending}")]
        near = hint(name, sorted(known)).lstrip("; ") if known else ""
        return near if folder is not None or near.startswith("did") else ELSEWHERE

    def _allowed(self, target: Path) -> bool:
        folders = [LIBRARY.resolve(), *self.allow]
        if self.root is not None:
            folders.append(self.root)
        return any(target.is_relative_to(folder) for folder in folders)


@cache
def _shelved(path: Path) -> Module:
    """Return a file of the library, which is read once."""
    reader = Reader((), None)
    return reader.text(path.read_text(encoding="utf-8"), str(path), path)


def _components(file: t.File) -> Iterable[t.Component]:
    for item in file.items:
        if isinstance(item, t.World | t.Composite | t.Figure):
            yield from item.components
        elif isinstance(item, t.Request):
            actions = (action for rule in item.reactions for action in rule.actions)
            yield from (each.component for each in actions if isinstance(each, t.Add))


def _existing(path: Path) -> Path | None:
    """Return the whole path of a file, None when there is none or there cannot be one."""
    try:
        return path.resolve() if path.is_file() else None
    except (OSError, ValueError):
        return None  # a name that is too long, or holds what no name may


def _file_span(item: t.Import, module: Module) -> tuple[int, int]:
    """Return where the file's name stands in an import; a built tree has no places."""
    start, end = item.span
    at = module.source.text.find(f'"{item.file}"', max(start, 0), max(end, 0))
    return item.span if start < 0 or at < 0 else (at, at + len(item.file) + 2)


def _broken(module: Module, alias: str | None) -> None:
    """Remember that an import could not be read, so that its names are not missed as well."""
    if alias is None:
        module.trusting = True
    else:
        module.broken.add(alias)


def _text_of(target: Path, item: t.Import, module: Module, notes: Notes) -> str | None:
    """Return a file's text, of a foreign file that of its figure, or note why there is none."""
    from articulata.world.figures.readers import figure_text, reader_of

    try:
        reader = None if target.suffix in ("", ".art") else reader_of(target)
        if reader is not None:
            return figure_text(reader(target))
    except MissingExtra as error:
        lack, _, command = str(error).partition("; ")
        notes.add(module.source, _file_span(item, module), "missing-extra", lack, command)
        return None
    except ArticulataError as error:
        notes.add(
            module.source, _file_span(item, module), "missing-file", str(error),
            "mend that file, or put there what it needs",
        )  # fmt: skip
        return None
    foreign = format_of(target)
    if foreign is not None:
        notes.add(
            module.source, _file_span(item, module), "foreign-file",
            f"'{item.file}' is {foreign.name}, which no import reads", foreign.advice(item.file),
        )  # fmt: skip
        return None
    return read_text(target, item, module, notes)


def shipped(name: str | Path) -> Path:
    """Return the room or the world of the gallery that a bare ``name`` means.

    A path with a folder or an ending, and a file that is there, are meant as they stand.
    """
    path = Path(name)
    if path.suffix or path.name != str(path) or path.is_file():
        return path
    return _shipped().get(path.name, path)


@cache
def _shipped() -> Mapping[str, Path]:
    return {f.stem: f for shelf in ("gallery", "rooms") for f in (LIBRARY / shelf).glob("*.art")}


def read_text(
    target: Path, item: t.Import | None = None, module: Module | None = None,
    notes: Notes | None = None,
) -> str | None:  # fmt: skip
    """Return a file's text, or say why it cannot be read: as a note, or as a WorldError."""
    try:
        if target.stat().st_size > LARGEST:
            raise ValueError(f"it is larger than {LARGEST // 1_000_000} MB")
        with target.open(encoding="utf-8-sig") as file:
            # A device tells no size: what it gives is counted while it is read.
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise ValueError(f"it is larger than {LARGEST // 1_000_000} MB")
        return text
    except OSError as error:
        why = error.strerror or str(error)
    except UnicodeDecodeError as error:
        why = f"byte {error.start} is no UTF-8"
    except ValueError as error:
        why = str(error)
    if item is None or module is None or notes is None:
        beside = {each.name: each for each in target.parent.glob("*.art")}
        near = closest(str(target), _shipped()) or closest(target.with_suffix(".art").name, beside)
        meant = f"; did you mean '{near}'?" if near else ""
        raise WorldError(f"{target}: cannot be read: {why}; give an .art file{meant}")
    notes.add(
        module.source, _file_span(item, module), "missing-file",
        f"'{item.file}' cannot be read: {why}", "give a text in UTF-8",
    )  # fmt: skip
    return None


def _defined(file: Path) -> t.File | None:
    """Return the names that a Python file may define, as ``let``; None where that cannot be told.

    The file is parsed, not executed.
    """
    try:
        with file.open("rb") as opened:
            code = opened.read(_LONGEST_CONTROLLERS + 1)
        found = ast.parse(code) if len(code) <= _LONGEST_CONTROLLERS else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names: set[str] = set()
    for node in ast.walk(found) if found else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Name):
            names.add(node.id)
    if not names or names & _OPEN_NAMES:
        return None
    lets = tuple(t.Let(name, t.Number(0.0)) for name in sorted(names))
    return t.File(lets, (), Source("", str(file)))


_LONGEST_CONTROLLERS = 1_000_000
"""Bytes of a Python file up to which its names are looked at."""

_OPEN_NAMES = frozenset(("*", "globals", "vars", "setattr", "exec", "__getattr__"))
"""What a Python file has that may define names which do not stand in it."""


@cache
def prelude() -> tuple[Module, Mapping[str, Definition]]:
    """Return the types that need no definition."""
    reader = Reader((), LIBRARY, checking=False)
    path = LIBRARY / "prelude.art"
    module = reader.text(path.read_text(encoding="utf-8"), "prelude.art", path)
    assert not reader.found, reader.found
    assert not reader.notes.items, reader.notes.items
    return module, module.definitions


def resolved(paths: Iterable[str | Path]) -> tuple[Path, ...]:
    """Return folders as absolute paths, with those that the environment allows."""
    given = filter(None, os.environ.get(ALLOW, "").split(os.pathsep))
    return tuple(Path(path).resolve() for path in (*paths, *given))
