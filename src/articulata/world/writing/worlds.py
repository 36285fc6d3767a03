"""A world as text: what was built, edited or assembled, written so that it reads back equal.

Everything is evaluated: no parameters, no loops, SI units, every body at its pose. Definitions are
shared where they are the same; a second one of the same name is called ``rod__2`` and still makes
bodies of type ``rod``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from articulata.errors import WorldError
from articulata.world import wording
from articulata.world.body_features import feature_of, shape_features
from articulata.world.hinges import HINGE_KINDS, HingeKind
from articulata.world.language.elaboration.finishing import velocities_beside_rates
from articulata.world.language.units import QUANTITIES
from articulata.world.language.vocabulary import PAIR_FIELDS
from articulata.world.model import Body, Coupling, Drive, Feature, Force, Hinge, Placement, World
from articulata.world.single_frames import along, conjugate, multiply, turned
from articulata.world.values import NO_TURN, ZERO, Material, Pose, Quaternion, Vector3
from articulata.world.writing.figure_texts import (
    derived_ids,
    figure_sections,
    followed,
    motion_lines,
    overridden,
    quoted,
    standing,
)
from articulata.world.writing.program_texts import (
    bushing_words,
    driven_words,
    expression,
    friction_words,
    gear_words,
    law_words,
)

DYNAMICS = {"mass": "mass", "mass_center": "center", "inertia": "inertia"}
"""Properties that stand in the ``dynamics`` section, and what they are called there."""


def art_text(world: World) -> str:
    """Return a self-contained canonical text of this very world, edits included."""
    from articulata.world.document import parse

    return parse(_Writer(world).whole(), world.name).text


@dataclass(slots=True)
class _Writer:
    world: World
    definitions: list[str] = field(default_factory=list)
    variants: dict[tuple[str, str], str] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    drives: dict[str, list[Drive]] = field(default_factory=dict)
    derived: frozenset[str] = frozenset()
    moves: dict[str, tuple[Vector3, Vector3]] = field(default_factory=dict)

    def whole(self) -> str:
        """Return the text, not yet in canonical form."""
        world = self.world
        self.derived = derived_ids(world)
        self.moves = velocities_beside_rates(world)
        for drive in world.drives.values():
            self.drives.setdefault(self._owner_of(drive), []).append(drive)
        parts = self._parts("")
        structure = [*self._structure(""), *self._places()]
        lines = [f"world {world.name} {{"]
        if world.gravity != ZERO:
            lines.append(f"gravity: {wording.numbers(world.gravity)}")
        lines += ["components {", *parts, "}", "structure {", *structure, "}", "}"]
        imports = [f'import "{file}"' for file in world.imports_python]
        lets = [f"let {name} = {wording.material(m)}" for name, m in self.materials.items()]
        pairs = self._pairs()
        lets += [f"let {name} = material()" for name in self._unused_names()]
        return "\n".join([*imports, *lets, *self.definitions, *pairs, *lines, ""])

    def _pairs(self) -> list[str]:
        """Return what is said of two materials, one line a pair."""
        lines = []
        for pair in self.world.pairs:
            given = []
            for name, kind in PAIR_FIELDS.items():
                value = getattr(pair, name)
                if value is not None:
                    program = value if isinstance(value, tuple) else (("push", float(value)),)
                    given.append(f"{name}: {expression(program, QUANTITIES[kind])}")
            lines.append(f"contact {pair.first} with {pair.second}: ({', '.join(given)})")
        return lines

    def _unused_names(self) -> list[str]:
        """Return names in pairs by which no body of this world is called."""
        known = {*self.materials, *self.taken, *BUILT_IN}
        named = (name for pair in self.world.pairs for name in (pair.first, pair.second))
        return [name for name in dict.fromkeys(named) if name not in known]

    def _owner_of(self, drive: Drive) -> str:
        """Return the body or hinge that a drive belongs to."""
        if drive.target in self.world.bodies or drive.target in self.world.hinges:
            return drive.target
        return drive.target.rpartition(".")[0]

    # ---- definitions

    def _define(self, word: str, name: str, body: str, head: str = "") -> str:
        """Return the name under which a definition stands, writing it when it is new."""
        known = self.variants.get((name, head + body))
        if known is not None:
            return known
        count = self.taken.get(name, 0) + 1
        self.taken[name] = count
        called = name if count == 1 and name not in BUILT_IN else f"{name}__{count + 1}"
        self.variants[name, head + body] = called
        self.definitions.append(f"{word} {called}{head} {{\n{body}\n}}")
        return called

    def _parts(self, owner: str) -> list[str]:
        """Return the component lines of a composite, arrays element by element in ranges."""
        world = self.world
        if owner:
            children = world.components[owner].children
        else:
            firsts = (id.split(".")[0] for id in (*world.bodies, *world.components))
            children = tuple(dict.fromkeys(firsts))
        children = tuple(child for child in children if child not in self.derived)
        lines: list[str] = []
        run: tuple[str, str, int, int] | None = None
        for child in children:
            local = child[len(owner) + 1 :] if owner else child
            kind = self._type_of(child)
            name, _, index = local.partition("[")
            number = int(index[:-1]) if index else 0
            if run is not None and index and run[:2] == (name, kind) and run[3] + 1 == number:
                run = (name, kind, run[2], number)
                lines[-1] = f"{name}[{run[2]}..{number}]: {kind}"
                continue
            run = (name, kind, number, number) if index else None
            lines.append(f"{name}[{number}..{number}]: {kind}" if index else f"{local}: {kind}")
        return lines

    def _type_of(self, id: str) -> str:
        world = self.world
        body = world.bodies.get(id)
        if body is not None:
            if _is_built_in(body) and not self.drives.get(id):
                return body.type
            return self._define("primitive", body.type, self._primitive(body))
        component = world.components.get(id)
        if component is None:
            raise WorldError(
                f"'{id}' is part of a name but no component of world '{world.name}'; add it to "
                "the world's components, or build the world with Builder"
            )
        figure = world.figures.get(id)
        parts, structure = self._parts(id), self._structure(id)
        lines = ["components {", *parts, "}"] if parts or figure is None else []
        if structure or figure is None:
            lines += ["structure {", *structure, "}"]
        if figure is not None:
            lines += figure_sections(figure)
            lines += [line for motion in figure.motions.values() for line in motion_lines(motion)]
        word = "composite" if figure is None else "figure"
        return self._define(word, component.type, "\n".join(lines))

    def _primitive(self, body: Body) -> str:
        lines: list[str] = []
        given = [f"material: {self._material(body.material)}"] if body.material else []
        for name, value in body.properties.items():
            if name in DYNAMICS:
                continue
            if isinstance(value, str):
                given.append(f"{name}: {wording.color(value)}")
            elif isinstance(value, tuple):
                given.append(f"{name}: {wording.numbers(value)}")
            elif isinstance(value, Material):
                given.append(f"{name}: {self._material(value)}")
            else:
                given.append(f"{name}: {wording.number(value)}")
        if given:
            lines.append(f"properties: ({', '.join(given)})")
        features = [_feature(body, each) for each in body.features.values()]
        where = " where {\n" + "\n".join(features) + "\n}" if features else ""
        lines.append(f"geometry: {wording.shape(body.shape) if body.shape else 'none'}{where}")
        if body.look is not None:
            lines.append(f"look: {wording.shape(body.look)}")
        if body.dynamic:
            ruled = [
                f"{word}: {wording.numbers(v) if isinstance(v, tuple) else wording.number(v)}"  # type: ignore[arg-type] # numbers, as set there
                for name, word in DYNAMICS.items()
                if (v := body.properties.get(name)) is not None
            ]
            lines.append(f"dynamics: ({', '.join(ruled)})" if ruled else "dynamics")
        bindings = [
            f"{drive.kind} = {drive.controller}{_place_of(drive, body)}"
            for drive in self.drives.get(body.id, ())
        ]
        if bindings:
            lines.append(f"control: {', '.join(bindings)}")
        if body.levels is None:
            lines.append("interference: none")
        elif body.levels:
            lines.append(f"interference: {', '.join(map(wording.shape, body.levels))}")
        return "\n".join(lines)

    def _material(self, value: Material) -> str:
        if not value.name or self.materials.setdefault(value.name, value) != value:
            return wording.material(value)
        return value.name

    # ---- structure

    def _structure(self, owner: str) -> list[str]:
        """Return the joins and forces whose ids stand in ``owner``, in the world's order."""
        world = self.world
        hinges = [
            each
            for each in world.hinges.values()
            if each.id.rpartition(".")[0] == owner and each.id not in self.derived
        ]
        forces = [each for each in world.forces.values() if each.id.rpartition(".")[0] == owner]
        gears = [
            each
            for each in world.couplings.values()
            if len(each.terms) > 1 and each.id.rpartition(".")[0] == owner
        ]
        driven = [
            self._within(id, owner, f"hinge '{id}'") + self._by(id)
            for id in filter(self._by, world.hinges)
            if id in self.derived and id.rpartition(".")[0].rpartition(".")[0] == owner
        ]
        return [
            *(self._join(hinge, owner) for hinge in hinges),
            *(self._force(force, owner) for force in forces),
            *(self._gear(gear, owner) for gear in gears),
            *driven,
        ]

    def _within(self, id: str, owner: str, what: str) -> str:
        if not owner:
            return quoted(id)
        if id.startswith(f"{owner}."):
            return quoted(id[len(owner) + 1 :])
        raise WorldError(
            f"{what} cannot be written as text: it stands in '{owner}' and joins '{id}' outside; "
            "give it an id without the component's name"
        )

    def _join(self, hinge: Hinge, owner: str) -> str:
        world = self.world
        what = f"hinge '{hinge.id}'"
        if not hinge.matching:
            raise WorldError(f"{what} cannot be written as text: it matches no features")
        words, definition = hinge_words(hinge, world)
        if definition:
            head = ", ".join(f"{n} = {wording.number(v)}" for n, v in hinge.kind.parameters)
            rows = own_hinge(hinge.kind)
            words = (
                self._define("hinge", hinge.kind.name, rows, f"({head})" if head else "") + words
            )
        a = self._within(hinge.body_a, owner, what)
        b = self._within(hinge.body_b, owner, what)
        pairs = ", ".join(
            f"({quoted(one.feature)}, {quoted(other.feature)})" for one, other in hinge.matching
        )
        name = hinge.id.rpartition(".")[2]
        text = f"join {a} to {b} with {words} as {name} matching {pairs}"
        if hinge.limits:
            shown = [wording.numbers(pair) for pair in hinge.limits]
            text += f" limits {shown[0] if len(shown) == 1 else '(' + ', '.join(shown) + ')'}"
        if hinge.limits and hinge.restitution:
            text += f" restitution {wording.number(hinge.restitution)}"
        if friction := world.couplings.get(f"{hinge.id}.friction"):
            text += f" {friction_words(friction)}"
        force, moment = hinge.strength
        if force is not None:
            bears = wording.number(force)
            text += f" breaks at {bears if moment is None else wording.numbers((force, moment))}"
        return text + self._by(hinge.id)

    def _by(self, hinge: str) -> str:
        return driven_words(self.drives.get(hinge, ()), self.world.couplings.get(f"{hinge}.motor"))

    def _force(self, force: Force, owner: str) -> str:
        what = f"force '{force.id}'"
        name = force.id.rpartition(".")[2]
        if force.features is None:
            assert force.hinge is not None
            hinge = self._within(force.hinge, owner, what)
            return f"force {name} about {hinge} = {law_words(force)}"
        ends = " and ".join(self._within(str(ref), owner, what) for ref in force.features)
        said = bushing_words(force) if force.kind == "bushing" else law_words(force)
        return f"force {name} between {ends} = {said}"

    def _gear(self, gear: Coupling, owner: str) -> str:
        what, hinges = f"gear '{gear.id}'", self.world.hinges
        names = {
            label: self._within(id, owner, what)
            + (f".{label.rpartition('.')[2]}" if len(hinges[id].kind.coordinates) > 1 else "")
            for (label, _), id in zip(gear.terms, gear.hinges, strict=True)
        }
        return gear_words(gear, names)

    # ---- places

    def _places(self) -> list[str]:
        world = self.world
        ignored = sorted(sorted(map(quoted, pair)) for pair in world.ignored)
        lines = [f"ignore {a} with {b}" for a, b in ignored]
        said = {
            ref.body: placement
            for placement in world.placements
            for ref, _ in (*placement.points, *placement.frames)
        }
        for node in world.figures.values():
            lines += [standing(node), *followed(node)] if node.carriers else []
        lines += [
            self._place(body, said.get(body.id))
            for body in world.bodies.values()
            if body.id not in self.derived
        ]
        for plain, body in overridden(world):
            lines += self._overridden(plain, body)
        for placement in world.placements:
            lines += self._placement(placement)
        return lines

    def _place(self, body: Body, placement: Placement | None) -> str:
        """Return the statement that puts a body where it is, as it moves, with what it is given."""
        p, q = body.pose.position, body.pose.orientation
        clauses = [f"pose = ({wording.numbers(p)}, {wording.rotation(q)})"]
        clauses += _velocity(*self.moves[body.id])
        flags: list[str] = []
        bound = self.drives.get(body.id, ())
        if body.motion == "fixed" and (body.dynamic or bound) and not _is_built_in(body):
            flags.append("fixed")
        framed = placement is not None and any(ref.body == body.id for ref, _ in placement.frames)
        prescribed = placement is not None and body.motion == "prescribed"
        if body.placed and body.motion != "fixed" and not (framed or prescribed):
            flags.append("placed")
        if body.gravity is not None:
            flags.append(f"gravity: {wording.numbers(body.gravity)}")
        if flags:
            clauses.append(f"properties: ({', '.join(flags)})")
        return f"place {body.id} by {', '.join(clauses)}"

    def _overridden(self, plain: Body, body: Body) -> list[str]:
        """Return what is said of a link's body beyond its figure and its hinges' rates."""
        clauses = []
        moves = _velocity(*self.moves[body.id])
        if body.pose != plain.pose or moves:  # a velocity is that of the place that is said
            p, q = body.pose.position, body.pose.orientation
            clauses.append(f"pose = ({wording.numbers(p)}, {wording.rotation(q)})")
        clauses += moves
        given = ["fixed"] if body.motion == "fixed" else []
        if body.gravity is not None:
            given.append(f"gravity: {wording.numbers(body.gravity)}")
        given += [f"material: {self._material(body.material)}"] if body.material else []
        given += [
            f"{name}: {wording.number(value) if isinstance(value, float) else wording.color(value)}"  # type: ignore[arg-type] # a colour is what else a placement gives
            for name, value in body.properties.items()
            if plain.properties.get(name) != value
        ]
        if given:
            clauses.append(f"properties: ({', '.join(given)})")
        return [f"place {quoted(body.id)} by {', '.join(clauses)}"] if clauses else []

    def _placement(self, placement: Placement) -> list[str]:
        world = self.world
        clauses = [f"{ref} at {wording.numbers(point)}" for ref, point in placement.points]
        for ref, X_WF in placement.frames:
            turn = wording.rotation(world.bodies[ref.body].pose.orientation)
            clauses.append(f"{ref} at {wording.numbers(X_WF.position)} turned {turn}")
        lines: list[str] = []
        if clauses:
            target = placement.component
            if target not in world.components and target not in world.bodies:
                target = (placement.points or placement.frames)[0][0].body  # type: ignore[assignment,unused-ignore] # ids are strings
            lines.append(f"place {target} by {', '.join(clauses)}")
        for name, value in placement.coordinates:
            hinge = world.hinges.get(name) or world.hinges[name.rpartition(".")[0]]
            one = name in world.hinges
            path = f"{name}.{hinge.kind.coordinates[0]}" if one else name
            lines.append(
                f"place {quoted(hinge.body_a)} by {quoted(path)} = {wording.number(value)}"
            )
        for name, value in placement.rates:
            id = name.rpartition(".")[0]
            said = f"{quoted(id)}.rate = {wording.number(value)}"
            lines.append(f"place {quoted(world.hinges[id].body_a)} by {said}")
        return lines


def _velocity(v: Vector3, w: Vector3) -> list[str]:
    """Return the clause that makes a body move at the start, if it does."""
    if v == ZERO and w == ZERO:
        return []
    return [f"velocity = ({wording.numbers(v)}, {wording.numbers(w)})"]


BUILT_IN = ("fixed_point", "ground")


def _is_built_in(body: Body) -> bool:
    """Return whether a body is what a type without a definition makes."""
    if body.type not in BUILT_IN or body.dynamic or body.material is not None:
        return False
    from articulata.world.document import parse

    plain = parse(f"world w {{ components {{ b: {body.type} }} }}").world("w").bodies["b"]
    return (plain.shape, dict(plain.features), dict(plain.properties)) == (
        body.shape,
        dict(body.features),
        dict(body.properties),
    )


def _place_of(drive: Drive, body: Body) -> str:
    """Return " at tip" for a drive that acts at a feature and is named after it."""
    if drive.kind != "force" or drive.id == f"{body.id}.force":
        return ""
    return f" at {drive.target[len(body.id) + 1 :]}"


def _feature(body: Body, feature: Feature) -> str:
    """Return the definition of a feature that gives its very pose."""
    p, q = wording.numbers(feature.pose.position), feature.pose.orientation
    if feature.kind == "point" and q == NO_TURN:
        return f"{feature.name}: {p}"
    if feature.kind == "axis":
        way = turned(q, (0.0, 0.0, 1.0))
        plain = tuple(
            float(round(each)) if abs(each - round(each)) < 1e-12 else each for each in way
        )
        for x, y, z in (way, plain):
            if along((x, y, z)) == q:
                return f"axis {feature.name}: ({p}, {wording.numbers((x, y, z))})"
        return f"axis {feature.name}: {p} turned {wording.rotation(q)}"
    for name, own in shape_features(body.shape).items():
        if (own.kind, own.pose) == (feature.kind, feature.pose):
            return f"face {feature.name}: {name}"
    return f"frame {feature.name}: {p} turned {wording.rotation(q)}"


# ---- hinges as words of the language: kind, options, and the rows of a user's hinge


def hinge_words(hinge: Hinge, world: World) -> tuple[str, bool]:
    """Return what follows ``with``, and whether the name of a definition goes before it."""
    kind = hinge.kind
    options = _frame(hinge, world)
    if kind.name == "screw":
        lead = dict(kind.parameters).get("lead", 0.0)
        return _words("screw", [f"lead: {wording.number(lead)}", *options]), False
    if kind.name == "point-on-surface" and len(kind.rows) == 1 and kind.rows[0].point == ZERO:
        surface = wording.surface(kind.rows[0].surface)
        return _words("point.on.surface", [f"surface: {surface}", *options]), False
    if HINGE_KINDS.get(kind.name) == kind:
        return _words(kind.name, options), False
    return _words("", options), True


def _words(name: str, options: list[str]) -> str:
    return f"{name}({', '.join(options)})" if options else name


def _frame(hinge: Hinge, world: World) -> list[str]:
    """Return the option that turns the hinge's frame in the features it matches."""
    if len(hinge.matching) != 1:
        return []
    a, b = hinge.matching[0]
    X_AF = feature_of(world.bodies[a.body], a.feature).pose
    X_BF = feature_of(world.bodies[b.body], b.feature).pose
    for turn in (_turn(X_AF, hinge.frame_a), _turn(X_BF, hinge.frame_b)):
        if _turned(X_AF, turn) == hinge.frame_a and _turned(X_BF, turn) == hinge.frame_b:
            return [] if turn == NO_TURN else [f"frame: {wording.rotation(turn)}"]
    on_a, on_b = hinge.frame_a.orientation, hinge.frame_b.orientation
    return [f"frame: ({wording.rotation(on_a)}, {wording.rotation(on_b)})"]


def _turn(feature: Pose, hinge: Pose) -> Quaternion:
    if feature.orientation == NO_TURN:
        return hinge.orientation
    return multiply(conjugate(feature.orientation), hinge.orientation)


def _turned(feature: Pose, turn: Quaternion) -> Pose:
    return Pose(feature.position, multiply(feature.orientation, turn))


def own_hinge(kind: HingeKind) -> str:
    """Return the parameters and rows of a user's hinge, each number written out."""
    rows = [
        f"point {wording.numbers(row.point)} of first on {wording.surface(row.surface)} of second"
        for row in kind.rows
    ]
    return "\n".join(rows)
