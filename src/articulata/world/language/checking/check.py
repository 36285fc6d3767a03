"""Checking a tree: everything about a text that can be decided without its arguments' values.

``check`` finds names that are not defined, defined twice or used too early, arguments that do not
fit, dimensions that do not agree, and paths that lead nowhere. What depends on values (an index
beyond a length that is a parameter, a shape of no size) is left to elaboration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from articulata.errors import Diagnostic
from articulata.world.language.checking.calls import decimal_comma_between
from articulata.world.language.checking.cycles import circle, cyclic, shown_circle
from articulata.world.language.checking.expression_checks import Expressions
from articulata.world.language.checking.figure_checks import figure_parts
from articulata.world.language.checking.kinds import ANY, Value, of_quantity, of_turning
from articulata.world.language.checking.pair_checks import Pairs
from articulata.world.language.checking.requests import Requests
from articulata.world.language.checking.scopes import Definition, Library, Type, shape_features
from articulata.world.language.checking.structure_checks import Structure
from articulata.world.language.diagnostics import Findings, Full
from articulata.world.language.meant_words import closest, did_you_mean, listed, other_word
from articulata.world.language.source import Source
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.habits import mended
from articulata.world.language.syntax.parse import read
from articulata.world.language.units import (
    BASE_KINDS,
    PARAMETER_KINDS,
    QUANTITIES,
    UNIT_NAMES,
    UNITS,
    parse_unit,
)
from articulata.world.language.vocabulary import (
    CONTROLS,
    DYNAMICS_FIELDS,
    FIXED,
    KINDS,
    PLACE_PROPERTIES,
    PROPERTIES,
)

_MISREAD = frozenset(("missing-sign", "missing-value", "missing-name", "stray", "unknown-word",
                      "stray-character", "unclosed-text", "unknown-unit", "missing-word",
                      "reserved-word"))  # fmt: skip
"""What is said of a line that is written as another language would have it."""


def misread_lines(found: Iterable[Diagnostic]) -> frozenset[int]:
    """Return the lines whose signs and words were not understood: what they mean is not checked."""
    return frozenset(each.line for each in found if each.code in _MISREAD)


def diagnose(
    text: str, file: str = "<text>", imports: Mapping[str, tree.File] | None = None
) -> tuple[tree.File, tuple[Diagnostic, ...]]:
    """Parse and check ``text``; return its tree and every finding in the order of the text.

    >>> _, findings = diagnose("primitive p { geometry: cubiod(1, 2, 3) }")
    >>> findings[0].suggestion
    "did you mean 'cuboid'?"
    """
    parsed, findings = read(Source(text, file))
    found = findings.diagnostics()
    checked = check(parsed, imports, misread_lines(found))
    return parsed, tuple(sorted((*found, *checked), key=lambda each: (each.line, each.column)))


def check(
    file: tree.File,
    imports: Mapping[str, tree.File] | None = None,
    misread: frozenset[int] = frozenset(),
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a parsed file; ``imports`` are trees by the name imported.

    Nothing is said of lines that were ``misread``.
    """
    findings = Findings(file.source, misread)
    _Checker(file, findings, imports).run()
    for habit in mended(file.source, findings.lines() - misread)[1]:
        if habit.message:
            findings.instead(habit.code, habit.span, habit.message, habit.suggestion)
    return findings.diagnostics()


class _Checker:
    def __init__(
        self, file: tree.File, findings: Findings, imports: Mapping[str, tree.File] | None
    ) -> None:
        self.file = file
        self.findings = findings
        self.library = Library(file, imports)
        self.e = Expressions(self.library, findings)
        self.structure = Structure(self.e, set())
        self.requests = Requests(self.structure)
        self.pairs = Pairs(self.e, findings)

    def run(self) -> None:
        """Check everything, up to what findings can help with."""
        with suppress(Full):
            self._run()

    def _run(self) -> None:
        self._definitions_once()
        self._lets()
        for item in self.file.items:
            match item:
                case tree.Units():
                    self._units(item)
                case tree.MaterialPair():
                    self.pairs.pair(item)
                case tree.Primitive():
                    self._primitive(item)
                case tree.Composite():
                    self._parts(item, self._parameters(item))
                case tree.World():
                    scope = self._parameters(item)
                    if item.gravity is not None:
                        self.e.expect(item.gravity, "gravity", scope, "for gravity")
                    self._parts(item, scope)
                case tree.Figure(excerpt=None):
                    scope = self._parameters(item)
                    owner = self._parts(item, scope)
                    figure_parts(self.structure, item, owner, scope)
                case tree.HingeType():
                    self._hinge_type(item)
                case tree.Request():
                    self.requests.request(item)
        self._cycles()

    # ---- the file

    def _definitions_once(self) -> None:
        seen: dict[str, int] = {}
        units = 0
        for item in self.file.items:
            if isinstance(item, tree.Units):
                self.e.units = [UNIT_NAMES[each] for each in item.names if each in UNIT_NAMES]
                units += 1
                if units > 1:
                    self.findings.error(
                        "duplicate", (item.span[0], item.span[0] + 5),
                        "the units of this file are given already", "put all into one line",
                    )  # fmt: skip
            if isinstance(item, tree.Units | tree.Request | tree.Import | tree.MaterialPair):
                continue
            self.findings.once(seen, item.name, item.name_span, "'{}' is defined")

    def _units(self, node: tree.Units) -> None:
        seen: dict[str, str] = {}
        for name, span in zip(node.names, node.name_spans, strict=False):
            kind = next((k for k, names in BASE_KINDS.items() if name in names), "")
            if kind and kind in seen:
                self.findings.error(
                    "duplicate", span, f"the unit of {kind} is '{seen[kind]}' already",
                    f"remove '{seen[kind]}' or '{name}'",
                )  # fmt: skip
            elif kind:
                seen[kind] = name

    def _lets(self) -> None:
        lets = [item for item in self.file.items if isinstance(item, tree.Let)]
        later = {each.name for each in lets}
        self.e.later = later
        bodies = {each.name: _names(each.value) for each in reversed(lets)}
        in_circles = cyclic(bodies)
        for each in lets:
            way = circle(each.name, bodies) if each.name in in_circles else ()
            if way:
                self._circular(each, way)
                self.e.lets[each.name] = ANY
            else:
                self.e.lets[each.name] = self.e.infer(each.value, {})
            later.discard(each.name)
            # a circle is reported once, at its first member
            for name in way:
                bodies[name] = ()
                self.e.lets[name] = ANY
                later.discard(name)
        self.e.later = frozenset()

    def _circular(self, let: tree.Let, way: tuple[str, ...]) -> None:
        shown = shown_circle(way)
        first = way[1] if len(way) > 1 else way[0]
        at = next(
            (
                node.span
                for node in tree.walk(let.value)
                if isinstance(node, tree.Path) and node.parts[0].name == first
            ),
            let.name_span,
        )
        self.findings.error(
            "cycle", at, f"'{let.name}' is defined by itself: {shown}",
            f"give '{first}' a value of its own",
        )  # fmt: skip

    def _parameters(self, node: Definition | tree.HingeType) -> dict[str, Value]:
        scope: dict[str, Value] = {}
        parameters = node.parameters
        self.e.unsure = self.findings.misread_at(node.name_span)
        seen: dict[str, int] = {}
        self.e.behind = {each.name for each in parameters}
        for each in parameters:
            self.e.behind -= {each.name}
            self.findings.once(seen, each.name, each.name_span, "'{}' is a parameter")
            if each.quantity is not None and each.quantity not in PARAMETER_KINDS:
                start = each.name_span[1]
                at = self.findings.source.text.find(each.quantity, start)
                self.findings.error(
                    "unknown-word", (at, at + len(each.quantity)),
                    f"'{each.quantity}' is not a quantity",
                    did_you_mean(each.quantity, PARAMETER_KINDS,
                                 "write length, angle, mass, time ..."),
                )  # fmt: skip
            kind = each.quantity if each.quantity in PARAMETER_KINDS else None
            if meant := of_turning(kind, each.default):
                entry = self.findings.source.text[slice(*each.span)]
                self.findings.error(
                    "wrong-dimension", each.span,
                    f"'{kind}' is along a line, and this is of turning: its kind is '{meant}'",
                    f"write {entry.replace(kind or '', meant, 1)}",
                )  # fmt: skip
                kind = meant
            if each.within is not None:
                self._bounds(each, kind, scope)
            if each.default is not None:
                if kind is not None:
                    self.e.expect(each.default, kind, scope, f"for '{each.name}'")
                else:
                    found = self.e.infer(each.default, scope)
                    scope[each.name] = found
                    continue
            scope[each.name] = of_quantity(kind) if kind else ANY
        self._unit_or_name(scope)
        return scope

    def _bounds(self, parameter: tree.Parameter, kind: str | None, scope: dict[str, Value]) -> None:
        pair = parameter.within
        if isinstance(pair, tree.Tuple) and len(pair.items) == 2:
            for each in pair.items:
                self.e.expect(each, kind or "number", scope, f"for '{parameter.name}'")
        elif pair is not None:
            self.findings.error(
                "wrong-count", pair.span, f"what '{parameter.name}' lies within is a pair",
                "write within (low, high)",
            )  # fmt: skip

    def _unit_or_name(self, scope: dict[str, Value]) -> None:
        """Remember which parameters share their name with a unit."""
        self.shadowing = frozenset(name for name in scope if name in UNITS)

    def _unit_warnings(self, node: object) -> None:
        """Warn of ``2 m`` where ``m`` is also a parameter."""
        if not self.shadowing:
            return
        for each in tree.walk(node):
            if isinstance(each, tree.Number) and each.unit in self.shadowing:
                at = each.span[1] - len(each.unit)
                self.findings.warning(
                    "unit-or-name", (at, each.span[1]),
                    f"'{each.unit}' is read as a unit here, not as the parameter",
                    f"write {each.value:g} * {each.unit} for the parameter",
                )  # fmt: skip

    # ---- definitions

    def _parts(
        self, node: tree.Composite | tree.World | tree.Figure, scope: dict[str, Value]
    ) -> Type:
        owner = self.library.describe(node)
        self.structure.components(node.components, scope)
        names: dict[str, int] = {}
        self.structure.statements(node.structure, owner, scope, names)
        self._unit_warnings(node)
        return owner

    def _primitive(self, node: tree.Primitive) -> None:
        scope = self._parameters(node)
        if node.properties is not None:
            self._fields(node.properties.fields, PROPERTIES, scope, "a primitive", "property")
        if node.dynamics is not None:
            self._fields(node.dynamics.fields, DYNAMICS_FIELDS, scope, "dynamics", "field")
        if node.geometry is not None:
            self._geometry(node.geometry, scope)
        if node.look is not None:
            self.e.expect(node.look, "shape", scope, "after 'look:'")
        if node.control is not None:
            self._control(node.control, node)
        if node.interference is not None:
            for level in node.interference.levels:
                if not (isinstance(level, tree.Path) and level.simple in ("none", "levels")):
                    self.e.expect(level, "shape", scope, "in 'interference:'")
        self._unit_warnings(node)

    def _fields(
        self,
        fields: tuple[tree.Argument, ...],
        known: dict[str, str],
        scope: dict[str, Value],
        owner: str,
        word: str,
    ) -> None:
        seen: dict[str, int] = {}
        for before, each in zip((None, *fields), fields, strict=False):
            name = each.name
            if name is None:
                if before is not None and decimal_comma_between(
                    self.findings, before.value, each.value
                ):
                    continue
                given = each.value.simple if isinstance(each.value, tree.Path) else ""
                if given == FIXED and word == "property":
                    self.findings.once(seen, given, each.span, "'{}' is given")
                elif given in known:
                    end = each.span[1]
                    self.findings.error(
                        "missing-value", (end, end + 1), f"'{given}' needs a value",
                        f"write {given}: {KINDS.get(known[given], 'a value')}",
                    )  # fmt: skip
                else:
                    hint = did_you_mean(given, tuple(known))
                    if isinstance(each.value, tree.Number) and each.value.unit:
                        due = parse_unit(each.value.unit).dimension
                        fits = [n for n, kind in known.items() if QUANTITIES.get(kind) == due]
                        hint = f"write {fits[0]}: {self.e.shown(each)}" if len(fits) == 1 else hint
                    if word == "property" and other_word(given, (FIXED,)):
                        hint = f"write {FIXED}"
                    if given in PLACE_PROPERTIES:
                        hint = f"place it: place ... by properties: ({given})"
                    self.e.error("unknown-property", each, f"every {word} has a name", hint)
                continue
            span = (each.span[0], each.span[0] + len(name))
            self.findings.once(seen, name, span, "'{}' is given")
            if name not in known:
                hint = did_you_mean(name, tuple(known))
                there = name if name in PROPERTIES else other_word(name, DYNAMICS_FIELDS) or name
                others = {"property": DYNAMICS_FIELDS, "field": PROPERTIES}.get(word, {})
                if there in others:
                    section = "dynamics" if word == "property" else "properties"
                    own = f"{section}: ({there}: {self.e.shown(each.value)})"
                    hint = f"write it in a section of its own: {own}"
                elif word == "property" and FIXED in (name, other_word(name, (FIXED,))):
                    hint = f"write {FIXED} alone: properties: ({FIXED})"
                self.findings.error(
                    "unknown-property", span, f"{owner} has no {word} '{name}'", hint
                )
                guess = closest(name, tuple(known))
                if guess:
                    self.e.expect(each.value, known[guess], scope, f"for '{guess}'")
            else:
                self.e.expect(each.value, known[name], scope, f"for '{name}'")

    def _geometry(self, node: tree.Geometry, scope: dict[str, Value]) -> None:
        if node.shape is not None:
            self.e.expect(node.shape, "shape", scope, "after 'geometry:'")
        seen: dict[str, int] = {}
        implied, shapes, is_open = shape_features(node.shape)
        places = (*implied, "center", *shapes)
        for feature in node.features:
            self.findings.once(seen, feature.name, feature.name_span, "'{}' is a feature")
            value = feature.value
            inner = value.value if isinstance(value, tree.Placed) else value
            axis = feature.kind == "axis" and getattr(inner, "simple", "") in ("x", "y", "z")
            if isinstance(inner, tree.Path) and inner.parts[0].name not in scope and not axis:
                self._feature_name(inner, (*places, *list(seen)[:-1]), shapes, is_open)
                if isinstance(value, tree.Placed):
                    if value.at is not None:
                        self.e.expect(value.at, "point", scope, "after 'at'")
                    self.e.turns(value.turns, scope)
                continue
            if feature.kind == "face":
                self.e.error(
                    "wrong-kind", value, "a face is named, not given by values",
                    f"write one of {', '.join(places[:6])}" if implied else "name a face",
                )  # fmt: skip
            elif feature.kind == "axis":
                self._axis(value, scope)
            elif isinstance(value, tree.Placed):
                self.e.expect(inner, "point", scope, f"for '{feature.name}'")
                self.e.turns(value.turns, scope)
            else:
                self.e.expect(value, "point", scope, f"for '{feature.name}'")

    def _feature_name(
        self,
        path: tree.Path,
        places: tuple[str, ...],
        shapes: Mapping[str, tuple[str, ...]],
        is_open: bool,
    ) -> None:
        """Check the name of a face or of a feature above."""
        first = path.parts[0]
        if first.name in self.e.lets or (is_open and first.name not in shapes):
            return
        if first.name not in places:
            self.e.error(
                "unknown-feature", first, f"the shape has no '{first.name}'",
                did_you_mean(
                    first.name, [each for each in places if "_" not in each],
                    listed([f"write {part}.{first.name}" for part in shapes
                            if first.name in shapes[part]]),
                ),
            )  # fmt: skip
        elif len(path.parts) > 1 and first.name in shapes:
            faces = shapes[first.name]
            if path.parts[1].name not in faces and not is_open:
                self.e.error(
                    "unknown-feature", path.parts[1],
                    f"'{first.name}' has no '{path.parts[1].name}'",
                    did_you_mean(path.parts[1].name, faces),
                )  # fmt: skip

    def _axis(self, node: tree.Expression, scope: dict[str, Value]) -> None:
        if isinstance(node, tree.Tuple) and len(node.items) == 2:
            self.e.expect(node.items[0], "point", scope, "for the axis's point")
            self.e.expect(node.items[1], "direction", scope, "for the axis's direction")
        elif isinstance(node, tree.Placed) and node.at is None:
            # the same place as a frame's: its z is the axis
            self.e.expect(node.value, "point", scope, "for the axis's point")
            self.e.turns(node.turns, scope)
        elif self.e.infer(node, scope).kind != "any":
            self.e.error(
                "wrong-count", node, "an axis is a point and a direction",
                "write ((0, 0, 0), z)",
            )  # fmt: skip

    def _control(self, node: tree.Control, owner: tree.Primitive) -> None:
        seen: dict[str, int] = {}
        for each in node.bindings:
            span = (each.span[0], each.span[0] + len(each.quantity))
            if each.at is None:
                self.findings.once(seen, each.quantity, span, "'{}' is controlled")
            if each.quantity not in CONTROLS:
                exchanged = each.controller.text in CONTROLS
                self.findings.error(
                    "unknown-word", span, f"'{each.quantity}' cannot be controlled",
                    f"write {each.controller.text} = {each.quantity}" if exchanged
                    else did_you_mean(each.quantity, tuple(CONTROLS)),
                )  # fmt: skip
                if exchanged:
                    continue
            self.e.controller(each.controller, {})
            if each.at is not None:
                known = self.library.describe(owner)
                name = each.at.parts[0].name
                if not known.open and name not in (*known.features, *known.shapes):
                    self.e.error(
                        "unknown-feature", each.at.parts[0], f"there is no feature '{name}'",
                        did_you_mean(name, known.features),
                    )  # fmt: skip

    def _hinge_type(self, node: tree.HingeType) -> None:
        scope = self._parameters(node)
        for row in node.rows:
            self.e.expect(row.point, "point", scope, "after 'point'")
            self.e.expect(row.surface, "surface", scope, "after 'on'")
        if not node.rows and node.complete:
            self.findings.error(
                "empty", node.name_span, f"hinge '{node.name}' has no rows",
                "add: point (0, 0, 0) of first on plane((0, 0, 0), z) of second",
            )  # fmt: skip
        if len(node.rows) > 6:
            self.findings.error(
                "wrong-count", node.rows[6].span, "a hinge has at most six rows", "remove this row"
            )

    # ---- types that contain themselves

    def _cycles(self) -> None:
        uses: dict[str, list[tree.Component]] = {
            name: list(each.components)
            for name, each in self.library.own.items()
            if isinstance(each, tree.Composite | tree.Figure | tree.World)
        }
        plain = {name: tuple(each.type.text for each in parts) for name, parts in uses.items()}
        in_circles = cyclic(plain)
        reported: set[str] = set()
        for name in uses:
            new = name in in_circles and name not in reported
            way = circle(name, plain) if new else ()
            if way and not reported & set(way):
                reported |= set(way)
                following = way[1] if len(way) > 1 else name
                at = next(c.type.span for c in uses[name] if c.type.text == following)
                self.findings.error(
                    "cycle", at, f"'{name}' contains itself: {shown_circle(way)}",
                    "use another type here",
                )  # fmt: skip


def _names(node: tree.Expression) -> tuple[str, ...]:
    return tuple(each.parts[0].name for each in tree.walk(node) if isinstance(each, tree.Path))
