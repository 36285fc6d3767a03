"""Statements of a structure: join, place, ignore, force and for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from articulata.world.language.diagnostics import Abandon, Notes, span_of
from articulata.world.language.elaboration.actuation import bushing_program
from articulata.world.language.elaboration.binding import MOST_STEPS, Elaboration, bind, bounds
from articulata.world.language.elaboration.evaluate import Quantity, Scope
from articulata.world.language.elaboration.expression_data import force_programs, program_of
from articulata.world.language.elaboration.hinging import (
    Connection,
    built_in,
    enlarged,
    hinge_frames,
    limits_of,
    own_kind,
    restitution_of,
    strength_of,
)
from articulata.world.language.elaboration.instances import (
    BodyInstance,
    CompositeInstance,
    Instance,
    locate,
    locate_body,
    locate_feature,
)
from articulata.world.language.elaboration.modules import Module
from articulata.world.language.elaboration.motion_statements import performance, servos
from articulata.world.language.elaboration.motors_and_gears import (
    friction_of,
    motor_of,
    ratio_of,
)
from articulata.world.language.elaboration.place_statements import place
from articulata.world.language.elaboration.standing import loosen
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import HINGES, LOOSE
from articulata.world.model import Coupling, Drive, Feature, FeatureRef, Force, Hinge
from articulata.world.values import Span

_NUMBER = re.compile(r"(\d+)\]?$")


@dataclass(slots=True)
class Builder:
    """Runs the statements of one composite's structure."""

    elaboration: Elaboration
    module: Module
    scope: Scope
    owner: CompositeInstance
    factor: float
    spans: dict[int, Span] = field(default_factory=dict)
    plain: dict[int, Connection] = field(default_factory=dict)
    moments: list[tuple[Scope, t.Moment | t.Gear | t.Driven]] = field(default_factory=list)
    driven: list[tuple[Scope, t.Follows]] = field(default_factory=list)

    def run(self, statements: tuple[t.Statement, ...]) -> None:
        """Make all joins and forces, then moments and gears, then place: they may name any hinge.

        Servos come last: they begin at what joints are placed in.
        """
        found = list(self._loose(statements, replace(self.scope, notes=Notes())))
        for composite in self.elaboration.composites if found else ():
            if any(composite is each for each in found):
                loosen(composite, self.elaboration)
        self._pass(statements, self.scope, placing=False)
        for scope, item in self.moments:
            with suppress(Abandon):
                if isinstance(item, t.Gear):
                    self._gear(scope, item)
                elif isinstance(item, t.Driven):
                    self._driven(scope, item)
                else:
                    self._moment(scope, item)
        self._pass(statements, self.scope, placing=True)
        for scope, follows in self.driven:
            with suppress(Abandon):
                self._servos(scope, follows)

    def _loose(self, statements: tuple[t.Statement, ...], scope: Scope) -> Iterator[object]:
        """Yield the figures that are to move by their masses, also where axes meet in a point.

        What is wrong with a path is told by the pass that runs its statement.
        """
        for item in statements:
            with suppress(Abandon):
                if isinstance(item, t.For) and any(map(_loosens, item.body)):
                    low, high = bounds(scope, item.range)
                    for index in range(low, min(high, low + MOST_STEPS) + 1):
                        names = {**scope.names, item.name: Quantity(float(index))}
                        yield from self._loose(item.body, scope.inner(names))
                elif isinstance(item, t.Place | t.Follows) and _loosens(item):
                    yield locate(scope, self.owner, item.target)[0]

    def _pass(self, statements: tuple[t.Statement, ...], scope: Scope, *, placing: bool) -> None:
        for item in statements:
            try:
                if isinstance(item, t.For):
                    self._repeat(item, scope, placing=placing)
                elif isinstance(item, t.Place):
                    if placing:
                        place(self.elaboration, scope, self.owner, item, self.factor)
                elif placing:
                    continue
                elif isinstance(item, t.Follows):
                    if item.drive is None:
                        performance(scope, self.owner, item)
                    else:
                        self.driven.append((scope.inner(dict(scope.names)), item))
                elif isinstance(item, t.Join):
                    self.join(scope, item)
                elif isinstance(item, t.Ignore):
                    self._ignore(scope, item)
                elif isinstance(item, t.Moment | t.Gear | t.Driven):
                    # a loop's scope changes its number as it runs
                    self.moments.append((scope.inner(dict(scope.names)), item))
                else:
                    self._force(scope, item)
            except Abandon:
                # what is said of a hinge that could not be made is no finding of its own
                if isinstance(item, t.Join) and item.name is not None:
                    self.owner.lost.add(item.name)

    def _repeat(self, item: t.For, scope: Scope, *, placing: bool) -> None:
        if placing and not _places(item):
            return
        low, high = bounds(scope, item.range)
        self.elaboration.steps += max(0, high - low + 1)
        if self.elaboration.steps > MOST_STEPS:
            self.elaboration.steps -= max(0, high - low + 1)
            raise scope.fail(
                item.range,
                "too-large",
                f"this loop runs {high - low + 1} times; a world's loops may run {MOST_STEPS} "
                "times in all",
                "give a smaller range",
            )
        names = dict(scope.names)
        inner = scope.inner(names)
        for index in range(low, high + 1):
            names[item.name] = Quantity(float(index))
            self._pass(item.body, inner, placing=placing)

    # ---- joins

    def join(self, scope: Scope, item: t.Join) -> None:
        """Make the hinge (or spring or damper) of a join."""
        a, b = self._ends(scope, item)
        connection = self.plain.get(id(item))
        if connection is None:
            connection = self._connection(scope, item)
            if not item.options:
                # Within a loop, a hinge without options is the same each time.
                self.plain[id(item)] = connection
        matched: list[tuple[Feature, Feature]] = []
        refs: list[tuple[FeatureRef, FeatureRef]] = []
        body_a = body_b = None
        for pair in item.matching or self._said(scope, item, a, b):
            one, feature_a = locate_feature(scope, self.owner, pair.first, a)
            other, feature_b = locate_feature(scope, self.owner, pair.second, b)
            if (body_a or one) is not one or (body_b or other) is not other:
                raise scope.fail(pair, "wrong-kind", "all pairs must match the same two bodies")
            body_a, body_b = one, other
            matched.append((feature_a, feature_b))
            refs.append((FeatureRef(one.id, feature_a.name), FeatureRef(other.id, feature_b.name)))
        if body_a is None or body_b is None:
            raise scope.fail(item, "missing-clause", "a join needs matching (feature, feature)")
        if body_a is body_b:
            raise scope.fail(item, "self-join", f"'{body_a.name}' cannot be joined to itself")
        if item.matching:
            self._count(scope, item, len(matched))
        span = self._span(scope, item)
        if connection.kind is None:
            made = self._name(scope, item, body_a, body_b, connection.force)
            force = Force(made, "between", refs[0], None, connection.program, span)
            self.elaboration.forces[made] = force
            return
        frame_a, frame_b = hinge_frames(scope, item, connection.turn, matched, connection.axes)
        kind = enlarged(connection.kind, self.factor)
        limits: tuple[tuple[float, float], ...] = ()
        if item.limits is not None:
            limits = limits_of(scope, item.limits, kind, self.factor)
        strength: tuple[float | None, float | None] = (None, None)
        if item.strength is not None:
            strength = strength_of(scope, item.strength)
        made = self._name(scope, item, body_a, body_b, "h")
        hinge = Hinge(
            made,
            kind,
            body_a.id,
            body_b.id,
            tuple(refs),
            frame_a,
            frame_b,
            limits,
            strength,
            span,
            restitution_of(scope, item.restitution),
        )
        self.elaboration.hinges[made] = hinge
        self.elaboration.ends[made] = (body_a, body_b)
        self.owner.hinges[made[len(self.owner.id) + 1 :] if self.owner.id else made] = hinge
        if item.friction is not None:
            rubs = friction_of(scope, f"{hinge.id}.friction", item.friction, hinge)
            self.elaboration.couplings[rubs.id] = rubs
        if item.driver is not None:
            self._drive(scope, item.driver, item.motor, hinge)

    def _span(self, scope: Scope, item: t.Join) -> Span:
        found = self.spans.get(id(item))
        if found is None:
            found = self.spans[id(item)] = span_of(scope.source, item.span)
        return found

    def _ends(self, scope: Scope, item: t.Join) -> tuple[Instance, Instance]:
        """Return what is joined; without ``matching`` a path may lead on to a feature."""
        if item.matching:
            return self._end(scope, item.first), self._end(scope, item.second)
        a, _ = locate_feature(scope, self.owner, item.first)
        b, _ = locate_feature(scope, self.owner, item.second)
        return a, b

    def _said(self, scope: Scope, item: t.Join, a: Instance, b: Instance) -> tuple[t.Pair, ...]:
        """Return the features that the two paths of a join lead to, as its one pair."""
        pair = []
        features = 0
        for path, body in ((item.first, a), (item.second, b)):
            assert isinstance(body, BodyInstance)
            _, feature = locate_feature(scope, self.owner, path)
            features += locate(scope, self.owner, path)[1] < len(path.parts)
            pair.append(t.Path((t.Part(feature.name, None, span=path.span),), span=path.span))
        if not features and not any(end.derived for end in (a, b) if isinstance(end, BodyInstance)):
            raise scope.fail(item, "missing-clause", "a join needs matching (feature, feature)")
        return (t.Pair(pair[0], pair[1], span=item.span),)

    def _end(self, scope: Scope, path: t.Path) -> Instance:
        node, used = locate(scope, self.owner, path)
        if used < len(path.parts) or isinstance(node, Hinge):
            locate_body(scope, self.owner, path)
            raise Abandon
        return node

    def _driven(self, scope: Scope, item: t.Driven) -> None:
        hinge = self._hinge(scope, item.hinge, "its_name driven by motor(...)")
        known = {*self.elaboration.couplings, *self.elaboration.drives}
        if {f"{hinge.id}.motor", f"{hinge.id}.drive"} & known:
            told = f"'{item.hinge.text}' is driven already"
            raise scope.fail(item, "duplicate", told, "say once what drives it")
        self._drive(scope, item.driver, item.motor, hinge)

    def _drive(
        self, scope: Scope, driver: t.Path, motor: tuple[t.Argument, ...] | None, hinge: Hinge
    ) -> None:
        if motor is not None:
            call, most = t.Call(driver, motor, span=driver.span), self._motor(hinge).get("effort")
            made = motor_of(scope, f"{hinge.id}.motor", call, hinge, most)
            self.elaboration.couplings[made.id] = made
            return
        if not hinge.kind.coordinates:
            raise scope.fail(
                driver,
                "wrong-kind",
                f"a {hinge.kind.name} has no coordinate to drive",
                "drive a pin or a slider",
            )
        id = f"{hinge.id}.drive"
        name = driver.parts[-1].name
        self.elaboration.drives[id] = Drive(id, "hinge", hinge.id, name, hinge.span)

    def _count(self, scope: Scope, item: t.Join, count: int) -> None:
        fewest, most = HINGES[item.hinge.text].pairs if item.hinge.text in HINGES else (1, count)
        if not fewest <= count <= most:
            raise scope.unmeant(item.matching[-1])

    def _connection(self, scope: Scope, item: t.Join) -> Connection:
        name = item.hinge.text
        found = self.module.definition(item.hinge, {})
        if found is None or not isinstance(found.definition, t.HingeType):
            if name in HINGES:
                return built_in(scope, item, name, self.factor)
            known = [*HINGES, *self.module.type_names()]
            message = f"there is no hinge '{name}'"
            raise scope.unknown(item.hinge, "unknown-hinge", message, name, known)
        definition = found.definition
        inner = bind(self.elaboration, definition, found.module, item.options, scope, item.hinge)
        parameters = tuple(
            (key, value.value) for key, value in inner.names.items() if isinstance(value, Quantity)
        )
        return Connection(own_kind(inner, definition, parameters))

    def _name(
        self, scope: Scope, item: t.Join, a: BodyInstance, b: BodyInstance, prefix: str
    ) -> str:
        """Return the id of what a join makes: as named, or after the two bodies."""
        if item.name is not None:
            return self._own_name(scope, item, item.name)
        moved, base = _NUMBER.search(a.name), _NUMBER.search(b.name)
        if moved is not None and base is not None:
            gap = "_" if len(moved[1]) > 1 or len(base[1]) > 1 else ""
            local = f"{prefix}{base[1]}{gap}{moved[1]}"
            if self._free(local):
                return self._taken(local)
        words = [self._local(a), self._local(b)]
        local = "_".join(words if prefix == "h" else [prefix, *words])
        number = 1
        while not self._free(local if number == 1 else f"{local}_{number}"):
            number += 1
        return self._taken(local if number == 1 else f"{local}_{number}")

    def _local(self, body: BodyInstance) -> str:
        within = body.id[len(self.owner.id) + 1 :] if self.owner.id else body.id
        return within.replace(".", "_").replace("[", "").replace("]", "")

    def _own_name(self, scope: Scope, item: t.Join | t.Force | t.Moment | t.Gear, name: str) -> str:
        if not self._free(name):
            raise scope.fail(
                item.name_span if item.name_span[0] >= 0 else item,
                "duplicate",
                f"'{name}' already names something here",
                "choose another name; in a loop give none: hinges of numbered bodies are h12, "
                "h23 ... after their numbers",
            )
        return self._taken(name)

    def _free(self, local: str) -> bool:
        owner = self.owner
        return local not in owner.names and local not in owner.parts and local not in owner.arrays

    def _taken(self, local: str) -> str:
        self.owner.names.add(local)
        return self.owner.path_of(local)

    # ---- the other statements

    def _ignore(self, scope: Scope, item: t.Ignore) -> None:
        first, second = self._bodies(scope, item.first), self._bodies(scope, item.second)
        for one in first:
            for other in second:
                if one is not other:
                    self.elaboration.ignored.add(frozenset((one.id, other.id)))
        if len(first) == 1 and first == second:
            raise scope.fail(item, "self-join", f"'{first[0].name}' cannot be ignored with itself")

    def _bodies(self, scope: Scope, path: t.Path) -> list[BodyInstance]:
        node, used = locate(scope, self.owner, path)
        if isinstance(node, CompositeInstance) and used == len(path.parts):
            return node.bodies()
        return [locate_body(scope, self.owner, path)]

    def _force(self, scope: Scope, item: t.Force) -> None:
        paths = (item.first, item.second, *item.further)
        ends = [locate_feature(scope, self.owner, path) for path in paths]
        a = ends[0][0]
        if all(body is a for body, _ in ends):
            raise scope.fail(item, "self-join", f"a force cannot act between '{a.name}' and itself")
        call = item.value if isinstance(item.value, t.Call) else None
        bushing = call if call is not None and call.function.text == "bushing" else None
        if bushing and len(ends) > 2:
            told = "a bushing lies between two features"
            raise scope.fail(
                item, "wrong-count", told, "write force f between a and b = bushing(...)"
            )
        program, integral = (
            (bushing_program(scope, bushing), ())
            if bushing
            else force_programs(scope, item, "force")
        )
        if integral and len(ends) > 2:
            told = "a rope through several features has no integral"
            raise scope.fail(item, "wrong-kind", told, "pull between two features")
        id = self._own_name(scope, item, item.name)
        refs = tuple(FeatureRef(body.id, feature.name) for body, feature in ends)
        span = span_of(scope.source, item.span)
        kind: Literal["between", "bushing"] = "bushing" if bushing else "between"
        self.elaboration.forces[id] = Force(id, kind, refs, None, program, span, integral)

    def _hinge(self, scope: Scope, path: t.Path, use: str) -> Hinge:
        hinge, used = locate(scope, self.owner, path)
        if used < len(path.parts) or not isinstance(hinge, Hinge):
            raise scope.fail(
                path,
                "wrong-kind",
                f"'{path.text}' is no hinge",
                f"name the hinge: join ... as its_name, then {use}",
            )
        return hinge

    def _gear(self, scope: Scope, item: t.Gear) -> None:
        sides = [
            [(self._coordinate(scope, each.path), each.sign, each) for each in side]
            for side in (item.first, item.second)
        ]
        seen: set[str] = set()
        for label, _, each in (*sides[0], *sides[1]):
            if label in seen:
                told = f"'{label}' cannot be geared to itself"
                raise scope.fail(each, "self-join", told, "name each hinge once")
            seen.add(label)
        one, other = ([label for label, *_ in side] for side in sides)
        if item.cam:
            self._cam(scope, item, one, other)
            return
        ratio = ratio_of(scope, item.value, one, other, self.factor)
        id = self._own_name(scope, item, item.name)
        terms = [(label, ratio * sign) for label, sign, _ in sides[0]]
        terms += [(label, -1.0 * sign) for label, sign, _ in sides[1]]
        span = span_of(scope.source, item.span)
        self.elaboration.couplings[id] = Coupling(id, tuple(terms), 0.0, None, span)

    def _cam(self, scope: Scope, item: t.Gear, one: list[str], other: list[str]) -> None:
        told, hint = "", "write cam its_name between shaft and slide = 4 mm * (1 - cos(angle))"
        if len(one) > 1 or len(other) > 1 or min(x.sign for x in (*item.first, *item.second)) < 0:
            told = "a cam has one hinge that turns and one that follows, without a sign"
        elif not one[0].endswith(".angle"):
            told = f"a cam's law is one of an angle, and '{one[0]}' slides"
        if told:
            raise scope.fail(item, "wrong-kind", told, hint)
        law = program_of(scope, item.value, "length" if other[0].endswith(".travel") else "angle")
        if all(name != "angle" for name, _ in law):
            raise scope.fail(
                item.value, "contradiction", "this law is the same at each angle", hint
            )
        if other[0].endswith(".travel") and self.factor != 1.0:
            law = (*law, ("push", self.factor), ("mul", 0.0))
        id = self._own_name(scope, item, item.name)
        span = span_of(scope.source, item.span)
        terms = ((one[0], 1.0), (other[0], -1.0))
        self.elaboration.couplings[id] = Coupling(id, terms, 0.0, None, span, law=law)

    def _coordinate(self, scope: Scope, path: t.Path) -> str:
        """Return "hinge.coordinate" of a hinge, or of a coordinate of one that has several."""
        name = path.parts[-1].name
        said = name in ("angle", "travel") and len(path.parts) > 1
        start = t.Path(path.parts[:-1], span=path.span) if said else path
        hinge = self._hinge(scope, start, "between its_name and another_name")
        known = hinge.kind.coordinates
        if (said and name in known) or (not said and len(known) == 1):
            return f"{hinge.id}.{name if said else known[0]}"
        what = f"the coordinates {', '.join(known)}" if known else "none that a gear could move"
        told = f"a {hinge.kind.name} has {what}"
        hint = f"write {start.text}.{known[0]}" if known else "use pins, sliders and screws"
        raise scope.fail(path, "wrong-kind", told, hint)

    def _moment(self, scope: Scope, item: t.Moment) -> None:
        hinge = self._hinge(scope, item.hinge, "about its_name")
        if "angle" not in hinge.kind.coordinates:
            raise scope.fail(
                item.hinge,
                "wrong-kind",
                f"a {hinge.kind.name} has no one axis to turn about",
                "use a pin, a cylindrical hinge or a screw; for a slide, a force between features",
            )
        program, integral = force_programs(scope, item, "torque", self._motor(hinge))
        id = self._own_name(scope, item, item.name)
        span = span_of(scope.source, item.span)
        self.elaboration.forces[id] = Force(id, "torsion", None, hinge.id, program, span, integral)

    def _servos(self, scope: Scope, item: t.Follows) -> None:
        span = span_of(scope.source, item.span)
        for name, hinge, program in servos(scope, self.owner, item):
            local, number = name, 1
            while not self._free(local):
                number += 1
                local = f"{name}_{number}"
            id = self._taken(local)
            self.elaboration.forces[id] = Force(id, "torsion", None, hinge, program, span)

    def _motor(self, hinge: Hinge) -> Mapping[str, float]:
        """Return what the table of a figure says of the motor at a hinge."""
        for composite in self.elaboration.composites:
            node = composite.figure
            joints = () if node is None else node.joined.get(hinge.id, ())
            if node is not None and len(joints) == 1:
                return node.rows[joints[0]].motor
        return {}


def _loosens(item: t.Statement) -> bool:
    """Tell whether a statement lets a figure move by its masses: by servos, or limp."""
    if isinstance(item, t.For):
        return any(map(_loosens, item.body))
    if isinstance(item, t.Follows):
        return item.drive is not None
    said = [each for each in getattr(item, "clauses", ()) if isinstance(each, t.Properties)]
    words = (field.value for each in said for field in each.fields if field.name is None)
    return any(isinstance(word, t.Path) and word.simple == LOOSE for word in words)


def _places(item: t.For) -> bool:
    return any(isinstance(each, t.Place) or (isinstance(each, t.For) and _places(each))
               for each in item.body)  # fmt: skip
