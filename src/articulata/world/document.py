"""Documents: a world's text read, checked, and elaborated to worlds and requests.

>>> document = parse("world empty { components a: fixed_point }")
>>> document.world("empty").bodies["a"].motion
'fixed'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from articulata.errors import Diagnostic, WorldError
from articulata.world.foreign_files import format_of, is_file_name
from articulata.world.language.checking.tried_advice import with_tried_advice
from articulata.world.language.diagnostics import Abandon, Full, Notes, in_order
from articulata.world.language.elaboration.arguments import (
    by_name,
    check_unit,
    ordered,
)
from articulata.world.language.elaboration.evaluate import SI, Quantity
from articulata.world.language.elaboration.modules import Module
from articulata.world.language.source import Source
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.parse import read_call
from articulata.world.language.units import ANGLE, NONE, QUANTITIES, UNIT_NAMES, UNITS, symbol
from articulata.world.model import World
from articulata.world.paths import hint
from articulata.world.request_reader import RequestReader
from articulata.world.request_starts import refusals
from articulata.world.requests.request import Request
from articulata.world.unfit_arguments import not_a_text
from articulata.world.unfolding import Arguments, elaborated
from articulata.world.world_files import Reader, read_text, resolved, shipped

Argument = float | int | str
"""A number in SI units, or a word that says a bound of a parameter."""


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A text that was read: ``tree`` as written, its imports, its worlds and requests.

    ``diagnostics`` hold what is wrong with the text alone; ``check`` adds what shows only when
    its worlds are elaborated.
    """

    tree: t.File
    module: Module = field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    path: Path | None = None

    # ---- what it holds

    @property
    def worlds(self) -> tuple[str, ...]:
        """The names of its worlds, in the order of the text."""
        return tuple(self.module.worlds)

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of its figures, in the order of the text."""
        return tuple(
            name for name, each in self.module.definitions.items() if isinstance(each, t.Figure)
        )

    @property
    def length_unit(self) -> tuple[str, float]:
        """The unit of length its bare numbers are in: the symbol, and what it is worth in m."""
        for item in self.tree.items:
            for name in item.names if isinstance(item, t.Units) else ():
                symbol = UNIT_NAMES.get(name, name)
                unit = UNITS.get(symbol)
                if unit is not None and unit.dimension == QUANTITIES["length"]:
                    return symbol, unit.factor
        return "m", 1.0

    @property
    def requests(self) -> tuple[Request, ...]:
        """Its requests; raise WorldError when one cannot be understood."""
        self._usable()
        notes, reader = Notes(), self._request_reader
        made: tuple[Request, ...] = ()
        with suppress(Full):
            made = tuple(
                replace(reader.request(item, notes), document=self) for item in self.module.requests
            )
        if notes.errors:
            raise world_error((*self.diagnostics, *notes.items))
        return made

    @property
    def text(self) -> str:
        """The canonical text: the same for every way of writing the same thing."""
        from articulata.world.language.syntax.printer import print_file

        return print_file(self.tree)

    # ---- worlds

    def world(self, name: str | Request = "", *args: Argument, **named: Argument) -> World:
        """Return the world ``name`` with arguments in SI units, or that of a request.

        Without a name, the only world of the text is meant.
        """
        self._usable()
        if isinstance(name, Request):
            return self.world(name.world, *name.arguments)
        item = self._world_item(name)
        values = ordered(item, args, named, self.module.scope(Notes()))
        notes = Notes()
        world = self._elaborate(item, values, notes)
        if notes.errors or world is None:
            raise world_error((*self.diagnostics, *notes.items))
        return replace(world, text=self._own_text(), units=self.units)

    @property
    def units(self) -> tuple[str, ...]:
        """The names of the file's ``units:`` line."""
        return next((item.names for item in self.tree.items if isinstance(item, t.Units)), ())

    def parameters(self, name: str = "") -> dict[str, float | None]:
        """Return the parameters of a world with their defaults in SI units.

        None stands for no default, and for a bare number of which only its use tells the unit.
        """
        scope, item = self.module.scope(Notes()), self._world_item(name)
        found: dict[str, float | None] = {}
        for each in item.parameters:
            found[each.name] = None
            if each.default is not None:
                value = scope.names[each.name] = scope.evaluate(each.default)
                if each.quantity is not None:
                    found[each.name] = scope.to_kind(value, each.quantity, each.default)
                elif isinstance(value, Quantity) and (value.dimension or scope.scales is SI):
                    found[each.name] = value.value
        return found

    def called(self, text: str, what: str) -> tuple[str, tuple[float, ...] | None]:
        """Return the world of "swing" or "swing(60 deg)" and its arguments in SI.

        They are read as the text reads those of a request; None where none are written. Raise
        WorldError for what cannot be read, with ``what`` as the name of the place.
        """
        source = Source(text, what)
        call, found = read_call(source)
        if call is None or found:
            raise world_error(found)
        if isinstance(call, t.Path):
            return call.text, None
        name = call.function.text
        if self.module.own_world(name) is None:
            return name, None
        self._usable()
        notes = Notes()
        scope = self.module.scope(notes)
        scope.source = source
        arguments = self._request_reader.arguments(name, call.arguments, scope)
        if notes.errors:
            raise world_error(notes.items)
        return name, arguments

    def call(self, name: str, arguments: tuple[float, ...]) -> str:
        """Return a call of a world with arguments in SI, angles in degrees."""
        item, scope = self._world_item(name), self.module.scope(Notes())
        used = self._request_reader.kinds(name, scope, arguments)
        words = []
        for place, value in enumerate(arguments):
            declared = item.parameters[place].quantity
            dimension = QUANTITIES[declared] if declared else used.get(place, NONE)
            unit = "deg" if dimension == ANGLE else symbol(dimension)
            shown = math.degrees(value) if dimension == ANGLE else value
            words.append(f"{shown:g} {unit}".strip())
        return f"{name}({', '.join(words)})"

    def figure_world(self, name: str = "", *args: Argument, **named: Argument) -> World:
        """Return a world that holds the figure ``name`` alone, with arguments in SI units.

        Without a name, the only figure of the text is meant. The figure is the component of that
        name, and ``articulata.kinematics.figure_of_world`` makes joints of it.
        """
        return self._alone(name, args, named, standing=False)

    def ranges(self, name: str = "") -> dict[str, tuple[float, float]]:
        """Return within what those parameters of a figure lie that have bounds, SI units."""
        scope = self.module.scope(Notes())
        found = {}
        item = self._figure_item(name)
        scope.asked = scope, item
        for each in item.parameters:
            if each.default is not None:
                scope.names[each.name] = scope.evaluate(each.default)
            if each.within is not None:
                kind = each.quantity or "number"
                low, high = (
                    scope.to_kind(bound, kind, each.within) for bound in scope.evaluate(each.within)
                )
                found[each.name] = low, high
        return found

    def standing_world(
        self, name: str = "", *args: Argument, who: str = "", **named: Argument
    ) -> World:
        """Return such a world in which the figure stands upright, with its links as bodies.

        It is called ``who`` there, as the figure where that is not given.
        """
        return self._alone(name, args, named, standing=True, who=who)

    def _alone(
        self,
        name: str,
        args: tuple[Argument, ...],
        named: Mapping[str, Argument],
        *,
        standing: bool,
        who: str = "",
    ) -> World:
        self._usable()
        item = self._figure_item(name)
        values = by_name(item, args, named, self.module.scope(Notes()))
        check_unit(item, values)
        # the figure itself looks whether they lie within its bounds
        parameters = tuple(
            replace(each, within=None) for each in item.parameters if each.name in values
        )
        given = tuple(t.Argument(each.name, _path(each.name)) for each in parameters)
        alone = t.World(
            f"{item.name}_alone",
            parameters,
            None,
            (t.Component((t.ComponentName(who or item.name),), _path(item.name), given),),
            (),
        )
        notes = Notes()
        world = self._elaborate(alone, tuple(values.values()), notes, standing=standing)
        if notes.errors or world is None:
            raise world_error((*self.diagnostics, *notes.items))
        return replace(world, arguments=())

    def warnings(
        self, name: str = "", *args: Argument, **named: Argument
    ) -> tuple[Diagnostic, ...]:
        """Return the warnings that elaborating a world gives."""
        item = self._world_item(name)
        notes = Notes()
        self._elaborate(item, ordered(item, args, named, self.module.scope(Notes())), notes)
        return in_order((*self.diagnostics, *notes.items))

    def check(self, *, starts: bool = True) -> tuple[Diagnostic, ...]:
        """Return every finding about the text and its worlds, in the order of the text.

        Worlds are elaborated with the arguments of the requests that name them, those without
        with their defaults. Where that finds no error and ``starts`` is true, each request is
        begun as its command begins it, up to the work that takes long: what it would be refused
        for is an error at the clause that asks for it. No Python is executed, no device opened.
        """
        notes, reader = Notes(), self._request_reader
        asked: set[str] = set()
        if self._units_unknown():
            return self.diagnostics
        for item in self.module.requests:
            world: World | None = None
            if item.kind == "simulate" and item.name in self.module.worlds:
                asked.add(item.name)
                world = self._elaborate(self.module.worlds[item.name], item.arguments, notes, item)
            if world is not None:
                reader.doubt(world, notes)
            with suppress(Full):
                right = not any(each.severity == "error" for each in self.diagnostics)
                reader.check(item, world, notes, right)
        for name, own in self.module.worlds.items():
            if name not in asked and all(each.default is not None for each in own.parameters):
                made = self._elaborate(own, (), notes)
                if made is not None:
                    reader.doubt(made, notes)
        found = _merged(self.diagnostics, notes.items)
        if any(each.severity == "error" for each in found):
            return with_tried_advice(self.tree.source, found, self._other) if starts else found
        if not starts:
            return found
        return in_order((*found, *refusals(self, reader)))

    # ---- inside

    def _other(self, tree: t.File, told: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """Return what is wrong with another text in place of this one, as ``parse`` gives it."""
        reader = Reader(resolved(()), self.path.parent if self.path else None)
        module = reader.parsed(tree, told, self.path)
        other = _document(module, reader, self.path)
        right = not any(each.severity == "error" for each in other.diagnostics)
        return other.check(starts=False) if right else other.diagnostics

    def _units_unknown(self) -> bool:
        """Say whether a ``units:`` line is wrong, so that nothing can be told of bare numbers."""
        source = self.tree.source
        lines = {
            source.position(item.span[0])[0]
            for item in self.tree.items
            if isinstance(item, t.Units)
        }
        return any(
            each.line in lines and each.severity == "error" and each.file == source.file
            for each in self.diagnostics
        )

    def _usable(self) -> None:
        if any(each.severity == "error" for each in self.diagnostics):
            raise world_error(_all_found(self))

    def _world_item(self, name: str) -> t.World:
        worlds = self.module.worlds
        if not name and len(worlds) == 1:
            return next(iter(worlds.values()))
        found = self.module.own_world(name)
        if found is None:
            what = f"there is no world '{name}'" if name else f"there are {len(worlds)} worlds"
            raise WorldError(f"{self.tree.source.file}: {what}{hint(name, worlds)}")
        return found[0]

    def _figure_item(self, name: str) -> t.Figure:
        known = self.figures
        if not name and len(known) == 1:
            name = known[0]
        item = self.module.definitions.get(name)
        if not isinstance(item, t.Figure):
            what = f"there is no figure '{name}'" if name else f"there are {len(known)} figures"
            if not known and self.worlds:
                what += "; of one that stands in a world: art.figure(document.world(), NAME)"
            raise WorldError(f"{self.tree.source.file}: {what}{hint(name, known)}")
        return item

    def _elaborate(
        self,
        item: t.World,
        arguments: Arguments,
        notes: Notes,
        asked: t.Request | None = None,
        *,
        standing: bool = True,
    ) -> World | None:
        """Return a world without the text it comes from, see ``unfolding.elaborated``."""
        # a world of a file that is imported whole is made of what that file defines
        found = self.module.own_world(item.name)
        module = self.module if found is None else found[1]
        return elaborated(module, item, arguments, notes, asked, standing=standing)[0]

    def _own_text(self) -> str:
        """Return the canonical text when it stands for itself, else nothing."""
        module = self.module
        if module.imports or module.merged or module.figures:
            return ""
        known = _TEXTS.get(id(self))
        if known is None or known[0] is not self:
            known = (self, self.text)
            _TEXTS.clear()
            _TEXTS[id(self)] = known
        return known[1]

    @property
    def _request_reader(self) -> RequestReader:
        return RequestReader(self.module, self._elaborate)


_TEXTS: dict[int, tuple[Document, str]] = {}


def _path(name: str) -> t.Path:
    return t.Path((t.Part(name),))


def _merged(first: Iterable[Diagnostic], second: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings in order, one for one cause: a line that one pass blames is left to it."""
    first = _one_each(tuple(first))
    blamed = {(each.file, each.line) for each in first if each.severity == "error"}
    broken = {each.file for each in first if each.severity == "error"}
    kept = [
        each
        for each in second
        if (each.file, each.line) not in blamed
        and not (each.file in broken and each.code.startswith("unknown-"))
        and not any(
            (each.line, each.column, each.severity) == (other.line, other.column, other.severity)
            and each.file == other.file
            for other in first
        )
    ]
    return in_order((*first, *kept))


def _one_each(findings: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return findings without a sign that is missed after a name that is not known itself.

    Of one fault that is told twice the later is kept, which the checker tells: it knows more.
    """
    last = {(each.file, each.line, each.column, each.code): each for each in findings}
    ends = {
        (each.file, each.end_line, each.end_column)
        for each in findings
        if each.code == "unknown-option"
    }
    return tuple(
        each
        for each in findings
        if last[each.file, each.line, each.column, each.code] is each
        and (each.code != "missing-sign" or (each.file, each.line, each.column) not in ends)
    )


def world_error(diagnostics: Iterable[Diagnostic]) -> WorldError:
    """Return the error that carries ``diagnostics`` and shows the errors among them."""
    found = in_order(dict.fromkeys(diagnostics))
    errors = [each for each in found if each.severity == "error"]
    lines = [
        f"{each.file}:{each.line}:{each.column}: {each.message}"
        + (f" ({each.suggestion})" if each.suggestion else "")
        for each in errors[:20]
    ]
    if len(errors) > 20:
        lines.append(f"... and {len(errors) - 20} more")
    return WorldError("\n".join(lines), found)


def parse(
    text: str,
    file: str = "<text>",
    *,
    allow: Iterable[str | Path] = (),
    folder: str | Path | None = None,
) -> Document:
    """Return the document of a text; ``file`` is what findings call it.

    Files that the text names, meshes and imports, are looked for beside ``file`` where there is
    such a file, else in ``folder``. Raises WorldError where that is no folder, and where ``text``
    is the name of a file, which ``read`` takes.
    """
    if not isinstance(text, str) or is_file_name(text):
        raise not_a_text(text)
    if file and Path(file).is_file() and folder is None:
        path = Path(file).resolve()
        reader = Reader(resolved(allow), path.parent)
        return _document(reader.text(text, file, path), reader, path)
    if folder is None:
        reader = Reader(resolved(allow), None)
        return _document(reader.text(text, file, None), reader, None)
    home = Path(folder).resolve()
    if not home.is_dir():
        raise WorldError(f"folder = {folder!r} is no folder; give the one that the files are in")
    reader = Reader(resolved(allow), home)
    return _document(reader.text(text, file, home / "<text>"), reader, None)


def call_of(world: World) -> str:
    """Return a world's name with its arguments as one writes them, such as "swing(60 deg)"."""
    if not world.arguments:
        return world.name
    with suppress(WorldError, Abandon):
        return parse(world.text).call(world.name, world.arguments)
    return f"{world.name}({', '.join(f'{value:g}' for value in world.arguments)})"


def read(path: str | Path, *, allow: Iterable[str | Path] = ()) -> Document:
    """Return the document of an ``.art`` file, or of a world that ships ("kitchen", "clock").

    Folders outside its own must be in ``allow``.
    """
    if "\n" in str(path):
        raise WorldError("this is a text, not the name of a file; give it to art.parse(text)")
    target = shipped(path)
    full = target.resolve()
    reader = Reader(resolved(allow), full.parent)
    foreign = format_of(target)
    if foreign is not None:
        return _document(reader.world(foreign, str(path), full), reader, full)
    text = read_text(target)
    assert text is not None
    return _document(reader.text(text, str(path), full), reader, full)


@lru_cache(maxsize=4)
def _all_found(document: Document) -> tuple[Diagnostic, ...]:
    """Return what ``check`` finds, which takes long where advice is tried."""
    return document.check()


def _document(module: Module, reader: Reader, path: Path | None) -> Document:
    found = _merged(dict.fromkeys(reader.found), reader.notes.items)
    return Document(module.file, module, found, path)


def check(path: str | Path, *, allow: Iterable[str | Path] = ()) -> tuple[Diagnostic, ...]:
    """Return every finding about a file, without raising for what is wrong in it."""
    return read(path, allow=allow).check()
