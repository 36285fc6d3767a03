"""Checking components and the statements of a structure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from articulata.world.figures.shelf import import_of
from articulata.world.language.checking.calls import written_word
from articulata.world.language.checking.expression_checks import Expressions
from articulata.world.language.checking.kinds import BARE, LAW_SCOPES, Value, of_quantity
from articulata.world.language.checking.pair_checks import check_balance, check_driver, check_law
from articulata.world.language.checking.path_checks import (
    check_indices,
    coordinate,
    exchanged,
    follow,
    hinges_of,
    of_component,
    turns,
)
from articulata.world.language.checking.scopes import Type, signature
from articulata.world.language.filled_forms import put_in
from articulata.world.language.meant_words import closest, did_you_mean, other_word
from articulata.world.language.other_words import HINGE_OPTIONS
from articulata.world.language.resistances import FRICTIONS, MOTORS, as_said
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.declared_names import names_in
from articulata.world.language.vocabulary import (
    BODY_QUANTITIES,
    CONSTANTS,
    HINGE_QUANTITIES,
    PLACE_PROPERTIES,
    PROPERTIES,
    HingeWord,
    Signature,
)

Scope = Mapping[str, Value]

_NUMBER = re.compile(r"\d+$")
_QUANTITY_KINDS = {"angle": "angle", "travel": "length", "rate": "any", "velocity": "velocity",
                   "position": "point", "v": "speed", "w": "rate"}  # fmt: skip


class Structure:
    """Checks the components and statements of one composite, figure or world."""

    def __init__(self, expressions: Expressions, unknown_types: set[str]) -> None:
        self.e = expressions
        self.findings = expressions.findings
        self.library = expressions.library
        self.unknown_types = unknown_types
        self._used: dict[str, bool] = {}
        """Names that statements begin paths with, and whether they are those of hinges."""
        self._joined: set[str] = set()

    # ---- components

    def components(self, parts: tuple[tree.Component, ...], scope: Scope) -> None:
        """Check names, types and arguments of components."""
        seen: dict[str, tree.ComponentName] = {}
        for component in parts:
            for each in component.names:
                both = each.name in seen and each.range is not None
                if each.name in seen and not (both and seen[each.name].range is not None):
                    line, _ = self.findings.source.position(seen[each.name].span[0])
                    self.e.error(
                        "duplicate", each, f"there is a component '{each.name}' already, "
                        f"on line {line}", f"write another name, such as '{each.name}_2'",
                    )  # fmt: skip
                seen.setdefault(each.name, each)
                if each.range is not None:
                    self.e.expect(each.range.first, "count", scope, "for the first number")
                    self.e.expect(each.range.last, "count", scope, "for the last number")
            self.component_type(component, scope)
            if component.scale is not None:
                self.e.expect(component.scale, "number", scope, "after 'scaled'")

    def component_type(self, component: tree.Component, scope: Scope) -> None:
        """Check the type of a component and the arguments it is given."""
        path = component.type
        kind = self.library.type(path)
        if kind is None:
            self._unknown_type(path)
            for argument in component.arguments:
                if not written_word(argument.value):  # a word may be one of that type
                    self.e.infer(argument.value, scope)
            return
        if kind.kind == "world":
            self.e.error(
                "wrong-kind", path, f"'{path.text}' is a world and cannot be a component",
                f"write the name of a type: {', '.join(self.library.type_names()[:6])}",
            )  # fmt: skip
            return
        own = self.library.own.get(path.text)
        if own is None or not self.findings.misread_at(own.name_span):  # what it takes is known
            self.arguments(kind.signature, component.arguments, path, scope, f"'{kind.name}'")

    def arguments(
        self, given: Signature, arguments: tuple[tree.Argument, ...], path: tree.Path,
        scope: Scope, label: str,
    ) -> None:  # fmt: skip
        """Check arguments against a signature."""
        self.e.arguments(given, arguments, path.span, label, scope, (*scope, *self.e.lets))

    def _unknown_type(self, path: tree.Path) -> None:
        name = path.text
        if name in self.unknown_types:
            return
        self.unknown_types.add(name)
        names = self.library.type_names()
        held = next((each for each in names if each.endswith(f".{name}")), "")
        guess = held or closest(name, names) or other_word(name, ("person",))
        if not guess and self.library.trusts(path):
            return
        if self.library.trusts(path) and path.parts[0].name in self.library.named:
            return
        span = path.span
        if len(path.parts) > 1 and path.parts[0].name in self.library.named:
            span = path.parts[1].span
        own = [each for each in names if "." not in each]
        self.findings.error(
            "unknown-type", span, f"there is no type '{name}'",
            (not held and import_of(name))
            or (f"did you mean '{guess}'?" if guess else did_you_mean(name, own)),
        )  # fmt: skip

    # ---- statements

    def statements(
        self, body: tuple[tree.Statement, ...], owner: Type, scope: Scope, names: dict[str, int]
    ) -> None:
        """Check statements; ``names`` holds the named hinges and forces so far."""
        for node in (inner for each in body for inner in tree.walk(each)):
            if isinstance(node, tree.Path) and node.parts:
                self._used.setdefault(node.parts[0].name, node.parts[-1].name in HINGE_QUANTITIES)
            elif isinstance(node, tree.Join) and node.name:
                self._joined.add(node.name)
        for each in body:
            match each:
                case tree.Join():
                    self.join(each, owner, scope, names)
                case tree.Place():
                    target = follow(self.findings, each.target, owner)
                    self.placing(each.clauses, owner, scope, target.type)
                case tree.Follows():
                    self._follows(each, owner, scope)
                case tree.Driven():
                    self._named_hinge(each.hinge, owner, "its_name driven by motor(...)")
                    check_driver(self.e, each, scope)
                case tree.Ignore():
                    follow(self.findings, each.first, owner)
                    follow(self.findings, each.second, owner)
                case tree.Force():
                    self._name(each.name, each.name_span, owner, names)
                    for end in (each.first, each.second, *each.further):
                        follow(self.findings, end, owner)
                    check_law(self.e, each, "force", scope)
                case tree.Moment():
                    self._name(each.name, each.name_span, owner, names)
                    self._moment(each, owner, scope)
                case tree.Gear():
                    self._name(each.name, each.name_span, owner, names)
                    self._gear(each, owner, scope)
                case tree.For():
                    self.e.expect(each.range.first, "count", scope, "for the first number")
                    self.e.expect(each.range.last, "count", scope, "for the last number")
                    self.statements(each.body, owner, {**scope, each.name: BARE}, names)
            self._index_names(each, scope)

    def _moment(self, node: tree.Moment, owner: Type, scope: Scope) -> None:
        """Check a moment about a hinge."""
        self._named_hinge(node.hinge, owner, "about its_name")
        if not turns(owner, node.hinge.simple):
            return  # that is what elaboration tells; of which quantity a value is follows from it
        check_law(self.e, node, "torque", scope)

    def _gear(self, node: tree.Gear, owner: Type, scope: Scope) -> None:
        """Check a gear between hinges; its ratio may be a number, a length or a length's."""
        for each in (*node.first, *node.second):
            self._named_hinge(each.path, owner, "between its_name and another_name")
        self.e.infer(node.value, {**scope, **LAW_SCOPES["angle"]} if node.cam else scope)

    def _named_hinge(self, path: tree.Path, owner: Type, use: str) -> None:
        """Check that a path leads to a hinge, perhaps to one of its coordinates."""
        hinge = path
        if path.parts[-1].name in ("angle", "travel") and len(path.parts) > 1:
            hinge = tree.Path(path.parts[:-1], span=path.span)
        found = follow(self.findings, hinge, owner, what="hinge")
        if found.kind not in ("hinge", "unknown"):
            self.e.error(
                "wrong-kind", hinge.parts[-1],
                f"'{hinge.text}' is a {found.kind.replace('moment', 'force')}, not a hinge",
                f"name the hinge, {hinges_of(owner)}: join ... as its_name, then {use}",
            )  # fmt: skip

    def _follows(self, node: tree.Follows, owner: Type, scope: Scope) -> None:
        """Check that a figure follows a motion at a time and a place."""
        found = follow(self.findings, node.target, owner)
        kind = found.type
        if kind and not (kind.linked or kind.open) and found.kind == "component":
            self.e.error(
                "wrong-kind", node.target,
                f"'{node.target.text}' is no figure with a table of joints", "name a figure",
            )  # fmt: skip
        if node.start is not None:
            self.e.expect(node.start, "time", scope, "after 'from'")
        if node.at is not None:
            self.e.expect(node.at, "point", scope, "after 'at'")
        self.e.turns(node.turns, scope)
        if node.drive is not None:
            self._servo(node.drive, scope)
        check_balance(self.e, node.balance)

    def _servo(self, node: tree.Expression, scope: Scope) -> None:
        """Check the servo by which a figure follows a motion, which gives target and speed."""
        if not isinstance(node, tree.Call) or node.function.text != "servo":
            self.e.error(
                "wrong-kind", node, "a servo is due after 'by'",
                "write by servo(2000 N*m/rad, 200 N*m*s/rad)",
            )  # fmt: skip
            return
        given = tree.Argument("target", tree.Path((tree.Part("angle"),)), span=node.span)
        whole = tree.Call(node.function, (given, *node.arguments), span=node.span)
        self.e.expect(
            whole, "torque", {"effort": of_quantity("torque"), **scope, **LAW_SCOPES["torque"]}, ""
        )

    def _index_names(self, statement: tree.Statement, scope: Scope) -> None:
        """Check the expressions between brackets of the paths of a statement."""
        e, known = self.e, {*scope, *self.e.lets, *self.e.later, *self.e.behind, *CONSTANTS}
        loops = [name for name, value in scope.items() if value is BARE] or [""]
        if isinstance(statement, tree.For) or check_indices(e.findings, statement, known, loops):
            return
        for node in tree.walk(statement):
            index = node.index if isinstance(node, tree.Part) else None
            ends = (index.first, index.last) if isinstance(index, tree.Range) else (index,)
            for each in (end for end in ends if end is not None):
                e.expect(each, "count", scope, "as an index")

    def _name(self, name: str, span: tuple[int, int], owner: Type, names: dict[str, int]) -> None:
        """Record the name of a hinge or force; report one that is taken."""
        if name in names or name in owner.components:
            where = ""
            if name in names:
                where = f", on line {self.findings.source.position(names[name])[0]}"
            stem = _NUMBER.sub("", name)
            known = (*owner.components, *owner.hinges)
            meant = sorted(each for each in self._used.keys() - set(known) if stem
                           and _NUMBER.sub("", each) == stem)  # fmt: skip
            taken = self._joined.union(known)
            hinges = [each for each, turns in self._used.items() if turns and each not in taken]
            meant = meant or (hinges if len(hinges) == 1 else [])
            self.findings.error(
                "duplicate", span, f"something is called '{name}' already{where}",
                f"write another name, such as '{meant[0] if meant else f'{name}_2'}'",
            )  # fmt: skip
            for each in meant[:1]:
                owner.hinges[each] = owner.hinges.get(name, "")  # what names it is right
        names.setdefault(name, span[0])

    def join(self, node: tree.Join, owner: Type, scope: Scope, names: dict[str, int]) -> None:
        """Check a join: bodies, hinge with options, features, limits, strength."""
        first = follow(self.findings, node.first, owner)
        second = follow(self.findings, node.second, owner)
        for path, found in ((node.first, first), (node.second, second)):
            said = not node.matching and found.kind == "feature"
            if found.kind not in ("component", "unknown") and not said:
                self.e.error(
                    "wrong-kind", path.parts[-1], f"'{path.text}' is a {found.kind}, not a body",
                    "name the body here and its features after 'matching'",
                )  # fmt: skip
        if node.first == node.second:
            self.e.error(
                "wrong-kind", node.second, f"'{node.second.text}' cannot be joined to itself",
                "name another component",
            )  # fmt: skip
        if node.name:
            self._name(node.name, node.name_span, owner, names)
        for pair in node.matching if node.first != node.second else ():
            if exchanged(self.findings, node, pair, (first, second)):
                continue
            for feature, body in ((pair.first, first), (pair.second, second)):
                if body.kind == "component" and body.type is not None:
                    follow(self.findings, feature, body.type, what="feature")
        self.hinge(node, scope)
        self._no_hinge(node)
        if node.friction is not None:
            what = node.friction.function
            self._along(node, what, node.friction.arguments, FRICTIONS, scope)
        if node.motor is not None:
            assert node.driver is not None
            self._along(node, node.driver, node.motor, MOTORS, scope)
        elif node.driver is not None:
            self.e.controller(node.driver, scope)
        if node.strength is not None:
            self.e.expect(node.strength, "strength", scope, "after 'breaks at'")
        if node.restitution is not None:
            self.e.expect(node.restitution, "number", scope, "after 'restitution'")
            if node.limits is None:
                self.e.error(
                    "missing-clause", node.restitution,
                    "the restitution of a hinge is that of its limits, and this one has none",
                    "say limits (low, high) as well",
                )  # fmt: skip

    def _along(
        self,
        node: tree.Join,
        what: tree.Path,
        said: tuple[tree.Argument, ...],
        known: Mapping[str, Signature],
        scope: Scope,
    ) -> None:
        """Check motor or friction of a join; of a hinge of one's own the kind is known later."""
        hinge = self.library.hinge(node.hinge)
        if not isinstance(hinge, HingeWord):
            return
        if len(hinge.coordinates) == 1:
            given = as_said(known[hinge.coordinates[0]], {each.name or "" for each in said})
            self.arguments(given, said, what, scope, f"'{what.text}'")
        elif node.hinge.text not in ("spring", "damper") or what.text == "friction":
            self.e.error(
                "wrong-kind", what, f"a {node.hinge.text} has no one coordinate for a {what.text}",
                "take a pin, a slider or a screw",
            )  # fmt: skip

    def _no_hinge(self, node: tree.Join) -> None:
        """Check that a spring or damper is not told what only a hinge can do."""
        word = node.hinge.text
        if word not in ("spring", "damper"):
            return
        if node.strength is not None:
            self.e.error(
                "unknown-option", node.strength, f"a {word} is a force and never breaks",
                "remove 'breaks at'; a force of your own may end at a length: "
                "force name between a and b = value",
            )  # fmt: skip
        if node.driver is not None:
            self.e.error(
                "unknown-option", node.driver, f"a {word} has no coordinate to drive",
                "remove 'driven by', or drive a pin or a slider",
            )  # fmt: skip

    def hinge(self, node: tree.Join, scope: Scope) -> None:
        """Check the hinge of a join, its options, pairs and limits."""
        hinge = self.library.hinge(node.hinge)
        if hinge is None:
            if not self.library.trusts(node.hinge) or closest(
                node.hinge.text, self.library.hinge_names()
            ):
                self.e.error(
                    "unknown-hinge", node.hinge, f"there is no hinge '{node.hinge.text}'",
                    did_you_mean(node.hinge.text, self.library.hinge_names()),
                )  # fmt: skip
            return
        coordinates: tuple[str, ...] | None = None
        if isinstance(hinge, HingeWord):
            given = hinge.signature
            few, many = hinge.pairs
            coordinates = hinge.coordinates
            if node.matching and not few <= len(node.matching) <= many:
                at = node.matching[min(many, len(node.matching) - 1)]
                pairs = f"{few} pair" if few == many == 1 else f"{few} to {many} pairs"
                self.e.error(
                    "wrong-count", at,
                    f"'{given.name}' matches {pairs} of features, {len(node.matching)} are given",
                    "remove the last one" if len(node.matching) > many else "add one",
                )  # fmt: skip
        else:
            given = signature(hinge.name, hinge.parameters)
        options = tuple(each for each in node.options if not self._behind(node, given, each))
        self.arguments(given, options, node.hinge, scope, f"hinge '{given.name}'")
        if node.limits is not None:
            self._limits(node.limits, node.hinge.text, coordinates, scope)

    def _behind(self, node: tree.Join, given: Signature, option: tree.Argument) -> bool:
        """Report an option of a hinge that is said elsewhere; return whether it is one."""
        name = option.name or ""
        slots = tuple(slot.name for slot in given.slots)
        if name not in HINGE_OPTIONS or name in slots or other_word(name, slots):
            return False
        value = self.findings.source.text[slice(*option.value.span)]
        shown = put_in(HINGE_OPTIONS[name], {"hinge": node.name or "its_name", "value": value})
        span = (option.span[0], option.span[0] + len(name))
        told = f"hinge '{given.name}' takes no '{name}'"
        self.findings.error("unknown-option", span, told, f"write {shown}")
        return True

    def _limits(
        self,
        node: tree.Expression,
        hinge: str,
        coordinates: tuple[str, ...] | None,
        scope: Scope,
    ) -> None:
        bounds = self.e.bounds
        if coordinates is None:
            self.e.expect(node, "limits", scope)
        elif not coordinates:
            self.e.error(
                "unknown-option", node, f"'{hinge}' has no coordinate that could be limited",
                "remove the limits",
            )  # fmt: skip
        elif len(coordinates) == 1:
            bounds(node, _QUANTITY_KINDS[coordinates[0]], scope)
        elif isinstance(node, tree.Tuple) and len(node.items) == len(coordinates):
            for item, name in zip(node.items, coordinates, strict=True):
                bounds(item, _QUANTITY_KINDS[name], scope)
        else:
            self.e.error(
                "wrong-count", node, f"'{hinge}' has limits for {' and '.join(coordinates)}",
                "write ((low, high) (low, high))",
            )  # fmt: skip

    # ---- placing

    def placing(
        self,
        clauses: tuple[tree.PlaceClause, ...],
        owner: Type,
        scope: Scope,
        target: Type | None = None,
    ) -> None:
        """Check the clauses of a place statement; ``target`` is the type of what is placed."""
        linked = target is not None and target.linked
        for clause in clauses:
            match clause:
                case tree.PlaceAt():
                    follow(self.findings, clause.path, owner)
                    if not of_component(self.findings, clause.at, owner, {*scope, *self.e.lets}):
                        self.e.expect(clause.at, "point", scope, "after 'at'")
                    self.e.turns(clause.turns, scope)
                case tree.PlaceSet() if linked and clause.path.simple not in ("", "velocity"):
                    self.e.posed(clause, scope)
                case tree.PlaceSet():
                    self.setting(clause.path, clause.value, owner, scope)
                case tree.Properties():
                    self._flags(clause, scope)

    def setting(self, path: tree.Path, value: tree.Expression, owner: Type, scope: Scope) -> None:
        """Check ``path = value`` where the path ends in a quantity."""
        last = path.parts[-1]
        if path.simple and path.simple not in owner.components:
            if path.simple not in ("velocity", "position", "pose") and not owner.unsure:
                known = ("velocity", "position", "pose", *owner.components)
                said = self.findings.source.text
                line, shown = said[: path.span[0]].rpartition("\n")[2], self.e.shown(value)
                moved = names_in(said).moved if path.simple in HINGE_QUANTITIES else {}
                own = [f"{hinge}.{path.simple} = {shown}" for hinge, body in moved.items()
                       if f"place {body} " in line]  # fmt: skip
                otherwise = coordinate(owner, path.simple) or " or ".join(own)
                linear = shown if len(getattr(value, "items", ())) == 3 else "(0, 0, 0)"
                otherwise = otherwise or f"velocity = ({linear} (0, 0, 0))"
                meant = did_you_mean(path.simple, known, f"write {otherwise}")
                told = f"'{path.simple}' cannot be given here"
                self.e.error("unknown-name", last, told, meant)
            if path.simple not in ("velocity", "position", "pose"):
                return
        elif last.name not in ("velocity", *BODY_QUANTITIES):
            found = follow(self.findings, path, owner, quantities=True)
            if found.kind not in ("quantity", "unknown"):
                at = self.e.shown(value) if isinstance(value, tree.Tuple) else ""
                self.e.error(
                    "wrong-kind", last, f"'{path.text}' is a {found.kind}; "
                    "a quantity is due before '='",
                    f"write by {path.text} at {at}" if at else f"write {path.text}.angle",
                )  # fmt: skip
            self.e.infer(value, scope)
            return
        else:
            of = tree.Path(path.parts[:-1], span=path.span)
            hinge = follow(self.findings, of, owner).kind == "hinge"
            placed = coordinate(owner, of.text) or f"{of.text}.angle or .travel"
            if hinge and last.name not in HINGE_QUANTITIES:
                told = f"a hinge has no '{last.name}', which is a body's"
                meant = placed if last.name == "position" else f"{of.text}.rate"
                self.e.error("unknown-feature", last, told, f"write {meant}")
                return
        kind = _QUANTITY_KINDS.get(last.name, "any")
        if last.name in ("v", "w"):
            self.e.several_of(value, kind, scope)
            return
        self.e.expect(value, kind, scope, f"for '{last.name}'")

    def _flags(self, node: tree.Properties, scope: Scope) -> None:
        error = self.e.error
        for each in node.fields:
            name = each.name or (each.value.simple if isinstance(each.value, tree.Path) else "")
            known = {**PLACE_PROPERTIES, **PROPERTIES}
            if name not in known:
                told, meant = name or "this", did_you_mean(name, tuple(known))
                error("unknown-property", each, f"what is placed has no property '{told}'", meant)
            elif each.name and known[name] != "flag":
                self.e.expect(each.value, known[name], scope, f"for '{name}'")
            elif not each.name and name not in PLACE_PROPERTIES:
                error("missing-value", each, f"'{name}' takes a value", f"write ({name}: ...)")
            elif each.name:
                error("wrong-kind", each.value, f"'{name}' takes no value", f"write ({name})")
