"""A scene as a text of ours: for an import a type of component, opened alone a world with requests.

Every body has the name of its part; ``frame`` is a body without a form that holds the views.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

import numpy as np

from articulata.errors import FormatError
from articulata.formats.scenes.foreign_scene import (
    Scene,
    SceneFigure,
    SceneJoint,
    SceneLaw,
    ScenePart,
    SceneSpring,
    SceneTie,
    SceneView,
    triangles_of,
)
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import rotation_z, translation
from articulata.geometry.poses import make_pose
from articulata.geometry.shapes import HalfSpace, Mesh, Named, Placed, Shape, Union
from articulata.kinematics.described_figure import described
from articulata.world import wording
from articulata.world.body_features import centroid
from articulata.world.figures.derivation import pose_of_matrix
from articulata.world.figures.nodes import KeyFrame, MotionNode
from articulata.world.language.syntax.grammar import is_bare
from articulata.world.writing.figure_texts import figure_sections, motion_lines

FRAME, TOP = "frame", "uppermost"
"""The body without a form that holds the views, and the highest point of every fixed body."""
BUILT = re.compile(
    r"(walls?|floors?|ceiling|ground|roof)"
    r"([ _.-]?(\d+|[nsew]|north|south|east|west|left|right|front|back))*",
    re.IGNORECASE,
)
"""Names of what nobody reaches for."""
LINK, MOVES = "body", "moves"
"""The link of what moves, and its motion."""
SENSOR = 24e-3
"""m, the height of the picture on a camera of 36 x 24 mm."""
REQUESTS = """
simulate {name} {{ time: (10 ms, {until}) }}

film {name} {{ world: {name}; camera: {camera}{views}{move} }}
"""
"""What is asked of a world that says nothing of it."""
LONGEST = 20.0
"""s for which a world is simulated where nobody says how long."""
STANDS = 0.02
"""m. What begins so near to the top of another thing stands on it."""
WALKED = 1.0
"""m2. On what is smaller nobody walks."""
FARTHEST = 1e12
"""m. What a file puts farther away is a mistake in it, and its squares may overflow."""
FAR = 100.0
"""m that a slide without limits may move and its spring still pull it back."""
EFFORTS = {"pin": "N*m", "slider": "N"}
"""Units of what acts along a joint."""
AXES = {
    "pin": "axis: z", "slider": "axis: z", "cylindrical": "axis: z",
    "universal": "axis: z, second: x",
}  # fmt: skip
"""How hinges stand in the frames that they match."""
MOST_THINGS = 30
"""Bodies that are asked about where nobody says which."""


def component_text(scene: Scene) -> str:
    """Return the text of a file whose only composite is the scene."""
    parts, structure, definitions = _content(scene)
    block = _block(f"composite {scene.name}", [], parts, structure)
    return _joined([*_notes(scene), *definitions, block])


def world_text(scene: Scene) -> str:
    """Return the text of a world of its own, and what can be asked of it."""
    parts, structure, definitions = _content(scene)
    name = f"{scene.name}_world"
    head = [f"  gravity: {wording.numbers(scene.gravity)}"]
    flown = sorted(scene.views, key=lambda each: not each.ends)  # one that moves goes first
    views = [_camera(each) for each in flown] or [_outside(scene)]
    ends = [p.motion.times[-1] for p in scene.parts if p.motion is not None]
    ends += [end for view in scene.views for end in view.ends]
    led = [f'; from: "{scene.file}" camera "{v.name}"' for v in flown[:1] if v.ends]
    asked = REQUESTS.format(
        name=name,
        camera=views[0],
        views="".join(f"; view: {', '.join(views[1:])}" for _ in views[1:2]),
        move="".join(led),
        until=f"{min(max([2.0, *ends]), LONGEST):g} s",
    )
    world = _block(f"world {name}", head, parts, structure)
    return _joined([*_notes(scene), *definitions, world, asked.strip(), *_reached(scene, name)])


def _notes(scene: Scene) -> list[str]:
    """Return the lines that say what was guessed of the whole."""
    return ["\n".join(f"# {each}" for each in scene.notes)] if scene.notes else []


def _reached(scene: Scene, name: str) -> list[str]:
    """Return what a person is asked to reach: the things on the floor, where there is one."""
    solid = [
        each for each in scene.parts
        if each.shape is not None and each.mass is None and each.motion is None
    ]  # fmt: skip
    if not solid:
        return []
    boxes = np.array([_corners(each) for each in solid])
    up = int(np.argmax(np.abs(scene.gravity)))
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    names = [each.name for each in solid]
    floor = names.index(scene.floor) if scene.floor else _floor(names, low, high, up)
    if floor is None or isinstance(solid[floor].shape, HalfSpace):
        return []  # endless ground has no upper face
    wanted = scene.wanted if scene.floor else [*names[:floor], *names[floor + 1 :]]
    things = [f"{_label(each)}.{TOP}" for each in wanted if BUILT.fullmatch(each) is None]
    objects = f"; objects: {', '.join(things[:MOST_THINGS])}" if things else ""
    points = f"points: grid 20 cm in {_label(solid[floor].name)}"
    return [f"reach {name} {{ person: person(1.70 m); {points}{objects} }}"]


def _floor(names: list[str], low: Array, high: Array, up: int) -> int | None:
    """Return which of some boxes from ``low`` (n, 3) to ``high`` people walk on.

    It is what is called so, else that on which most stands, by area: what is beneath may be ground
    or a foundation. Where nothing stands on anything it is the largest of the lowest.
    """
    level, bottom, top = [k for k in range(3) if k != up], low[:, up], high[:, up]
    size = (high - low)[:, level].prod(axis=1)
    called = [k for k, name in enumerate(names) if name.lower() == "floor"]
    if called:
        return called[0]
    shared = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    stands = np.abs(bottom[None] - top[:, None]) <= STANDS
    held = np.where(stands, np.maximum(shared, 0.0)[:, :, level].prod(axis=2), 0.0).sum(axis=1)
    held[size < WALKED] = 0.0
    if held.max() > 0.0:
        return int(np.lexsort((size, -held))[0])
    beneath = top <= bottom.min() + 0.3
    return int(np.argmax(np.where(beneath, size, -1.0))) if beneath.any() else None


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def _block(head: str, first: list[str], parts: list[str], structure: list[str]) -> str:
    lines = [f"{head} {{", *first, "  components {", *(f"    {each}" for each in parts), "  }"]
    lines += ["  structure {", *(f"    {each}" for each in structure), "  }", "}"]
    return "\n".join(lines)


def _content(scene: Scene) -> tuple[list[str], list[str], list[str]]:
    """Return the lines of components and structure, and the definitions they need."""
    views = [f"frame {_label(view.name)}: {_at(view.X_WC)}" for view in scene.views]
    joints: dict[str, list[str]] = {}
    for part in scene.parts:
        with np.errstate(over="ignore", invalid="ignore"):
            beyond = not (np.abs(_corners(part)) < FARTHEST).all()
        if beyond:
            told = f"'{part.name}' goes beyond {FARTHEST:g} m; mend its points or its scale"
            raise FormatError(f"{scene.file}: {told}")
        if part.joint is not None:
            _features(part.joint, part.name, part.joint.parent, scene, joints)
    for tie in scene.ties:
        if tie.kind != "gear":
            _features(tie, tie.first, tie.second, scene, joints)
    for spring in scene.springs:
        _ends(spring, scene, joints)
    places = {"": np.eye(4)} | {each.name: each.X_WP for each in scene.parts}
    for owner, marks in scene.marks.items():
        back = np.linalg.inv(places[owner])
        said = [f"frame {_label(name)}: {_at(back @ X)}" for name, X in marks.items()]
        joints[owner] = joints.get(owner, []) + said
    held = _lines([*views, *joints.get("", [])])
    definitions = [f"primitive {scene.name}_{FRAME} {{\n  geometry: none{held}\n}}"]
    parts = [f"{FRAME}: {scene.name}_{FRAME}"]
    structure = [f"place {FRAME} by {FRAME}.center at (0, 0, 0)"]
    known: dict[str, str] = {}
    for part in scene.parts:
        if part.motion is not None:
            definitions.append(_moving(part, scene))
            parts.append(f"{_label(part.name)}: {scene.name}_{part.name}")
            structure += _moved(part)
            continue
        own = ["origin: (0, 0, 0)"] if isinstance(part.shape, Union | None) else []
        body = _primitive(part, [*own, *joints.get(part.name, []), *_top(part, scene)])
        kind = known.get(body)
        if kind is None:
            kind = known[body] = f"{scene.name}_{part.name}"
            about = f"# {scene.about[part.name]}\n" if part.name in scene.about else ""
            definitions.append(f"{about}primitive {kind} {body}")
        parts.append(f"{_label(part.name)}: {kind}")
        structure += _placed(part)
        if part.gravity is not None:
            pull = wording.numbers(part.gravity)
            structure.append(f"place {_label(part.name)} by properties: (gravity: {pull})")
        if part.joint is not None and part.joint.rotor:
            wheel, turning = _rotor(part.joint, f"{scene.name}_{part.name}_rotor")
            definitions.append(wheel)
            parts.append(f"{_label(f'{part.joint.name}_rotor')}: {scene.name}_{part.name}_rotor")
            structure += turning
    structure += [_tied(each, scene) for each in scene.ties]
    structure += [_spring(each) for each in scene.springs]
    structure += [f"ignore {_label(a)} with {_label(b)}" for a, b in scene.ignored]
    for each in scene.figures:
        definitions.append(_figure(each, scene))
        parts.append(f"{_label(each.name)}: {scene.name}_{each.name}")
        X = pose_of_matrix(each.X_WF)
        place = f"({wording.numbers(X.position)}, {wording.rotation(X.orientation)})"
        structure.append(f"place {_label(each.name)} by pose = {place}, properties: (fixed)")
    return parts, structure, definitions


def _moving(part: ScenePart, scene: Scene) -> str:
    """Return the figure of one link that a moving part is; what is open is only seen."""
    motion = part.motion
    assert motion is not None
    shape = part.shape if part.shape is not None and _closed(part.shape) else None
    seen = part.look or (None if shape is part.shape else part.shape)
    said = [f"{word}: {wording.shape(each)}" for word, each in (("shape", shape), ("look", seen))
            if each is not None]  # fmt: skip
    if part.color is not None:
        said.append(f"color: {wording.color(part.color)}")
    row = f"{LINK}: fixed({', '.join([f'link: {LINK}', *said])})"
    keys = []
    for time, X in zip((motion.times - motion.times[0]).tolist(), motion.poses, strict=True):
        pose = pose_of_matrix(X)
        keys.append(KeyFrame(time, {}, "base", pose.position, pose.orientation))
    repeat = math.inf if motion.again else 1.0
    moves = MotionNode(MOVES, tuple(keys), "linear", repeat, 0.0)
    lines = ["  up: none", f"  chain all: plain table {{ {row} }}", *motion_lines(moves)]
    return "\n".join([f"figure {scene.name}_{part.name} {{", *lines, "}"])


def _moved(part: ScenePart) -> list[str]:
    assert part.motion is not None
    X, name = pose_of_matrix(part.X_WP), _label(part.name)
    pose = f"({wording.numbers(X.position)}, {wording.rotation(X.orientation)})"
    begin = float(part.motion.times[0])
    later = f" from {wording.number(begin)} s" if begin else ""
    return [f"place {name} by pose = {pose}", f"{name} follows {MOVES}{later}"]


def _closed(shape: Shape) -> bool:
    """Return whether a shape has an inside."""
    if isinstance(shape, Placed | Named):
        return _closed(shape.shape)
    if isinstance(shape, Union):
        return all(_closed(each) for each in shape.parts)
    return shape.closed if isinstance(shape, Mesh) else True


def _figure(each: SceneFigure, scene: Scene) -> str:
    node = described(each.figure, lambda file: scene.surfaces.get(file.file.partition("#")[2]))
    return "\n".join([f"figure {scene.name}_{each.name} {{", *figure_sections(node), "}"])


def _features(
    held: SceneJoint | SceneTie, a: str, b: str, scene: Scene, joints: dict[str, list[str]]
) -> None:
    """Note the frames of a joint or a tie on both of its bodies, and where its slide is from."""
    places = {each.name: each.X_WP for each in scene.parts if each.name in (a, b)}
    for owner in (a, b):
        back = np.linalg.inv(places.get(owner, np.eye(4)))
        lines = joints.setdefault(owner, [])
        X_WJ = held.X_WJ
        if isinstance(held, SceneJoint) and owner == b:
            turns, z = held.kind == "pin", -held.zero
            X_WJ = X_WJ @ (rotation_z(z) if turns else translation(0.0, 0.0, z))
        lines.append(f"frame {_label(f'at_{held.name}')}: {_at(back @ X_WJ)}")
        if isinstance(held, SceneJoint) and held.kind == "slider" and held.acting and owner == b:
            behind = back @ (held.X_WJ @ [0.0, 0.0, -_far(held), 1.0])
            lines.append(f"{_label(f'behind_{held.name}')}: {wording.numbers(behind[:3])}")


def _far(slide: SceneJoint) -> float:
    """Return how far behind a slide a point lies that it never comes to, m."""
    ends = slide.limits or (FAR, FAR)
    return 1.0 + 2.0 * max(abs(each) if math.isfinite(each) else FAR for each in ends)


def _primitive(part: ScenePart, features: list[str]) -> str:
    given = []
    if part.mass is None:
        given.append("fixed")
    if part.color is not None:
        given.append(f"color: {wording.color(part.color)}")
    for word, value in (("friction", part.friction), ("restitution", part.restitution)):
        if value is not None:
            given.append(f"{word}: {wording.number(value)}")
    lines = [f"  properties: ({', '.join(given)})"] if given else []
    shape = "none" if part.shape is None else wording.shape(part.shape)
    lines.append(f"  geometry: {shape}{_lines(features)}")
    if part.look is not None:
        lines.append(f"  look: {wording.shape(part.look)}")
    if part.mass is not None:
        said = [f"mass: {wording.number(part.mass)}", f"center: {wording.numbers(part.center)}"]
        if part.inertia:
            said.append(f"inertia: {wording.numbers(part.inertia)}")
        lines.append(f"  dynamics: ({', '.join(said)})")
    return "\n".join(["{", *lines, "}"])


def _placed(part: ScenePart) -> list[str]:
    """Return the statements that say where a part is and on what it moves."""
    name, joint = _label(part.name), part.joint
    if joint is None or joint.kind == "free":
        moves = "".join(f", {each}" for each in _velocity(part, lambda: part.X_WP[:3, 3]))
        return [f"place {name} by {name}.origin at {_at(part.X_WP)}{moves}"]
    text = _joined_by(joint.name, part.name, joint.parent, joint.kind)
    if joint.limits is not None:
        text += f" limits {wording.numbers(np.add(joint.limits, joint.zero))}"
    if joint.friction:
        text += f" friction {wording.number(joint.friction)} {EFFORTS[joint.kind]}"
    X = part.X_WP
    starts = _velocity(part, lambda: X[:3, :3] @ centroid(part.shape) + X[:3, 3])
    if joint.zero:
        value = f"angle = {wording.number(joint.zero)} rad"
        value = value if joint.kind == "pin" else f"travel = {wording.number(joint.zero)} m"
        starts.append(f"{_label(joint.name)}.{value}")
    if joint.rate:
        unit = "rad/s" if joint.kind == "pin" else "m/s"
        starts.append(f"{_label(joint.name)}.rate = {wording.number(joint.rate)} {unit}")
    starts = [f"place {name} by {', '.join(starts)}"] if starts else []
    return [text, *starts, *(_law(each, joint, name) for each in joint.acting)]


def _velocity(part: ScenePart, at: Callable[[], Array]) -> list[str]:
    """Return what is said of a part that moves at the start by more than its joints' rates.

    ``at`` finds its place, which takes long for some shapes.
    """
    if part.twist is None:
        return []
    w = part.twist[:3]
    v = part.twist[3:] + np.cross(w, at())
    return [f"velocity = ({wording.numbers(v)}, {wording.numbers(w)})"]


def _joined_by(name: str, first: str, second: str, kind: str) -> str:
    mark, options = _label(f"at_{name}"), AXES.get(kind, "")
    kind = f"{kind}({options})" if options else kind
    return (
        f"join {_label(first or FRAME)} to {_label(second or FRAME)} with {kind} as {_label(name)} "
        f"matching ({mark}, {mark})"
    )


def _law(law: SceneLaw, joint: SceneJoint, part: str) -> str:
    """Return what acts along a joint; along a slide as a tension from a point behind it."""
    if joint.kind == "ball":
        ends = f"{part}.{_label(f'at_{joint.name}')} and {_label(joint.parent or FRAME)}"
        k, c = wording.number(law.stiffness), wording.number(law.damping)
        value = f"bushing(0 N/m, {k} N*m/rad, 0 N*s/m, {c} N*m*s/rad)"
        return f"force {_label(law.name)} between {ends}.{_label(f'at_{joint.name}')} = {value}"
    turns, unit = joint.kind == "pin", EFFORTS[joint.kind]
    x, rate, of, sign = ("angle", "rate", "rad", 1.0) if turns else ("distance", "speed", "m", -1.0)
    rest = law.rest + (joint.zero if turns else _far(joint))
    constant, k, c = (wording.number(each) for each in (sign * law.constant, law.stiffness,
                                                        law.damping))  # fmt: skip
    minus = "-" if turns else "+"
    value = f"{constant} {unit} {minus} {k} {unit}/{of} * ({x} - ({wording.number(rest)} {of}))"
    if law.gain and law.stiffness:  # a servo, that MJCF is written again with
        aim = wording.number(rest + law.constant / law.stiffness)
        value = f"{wording.number(sign * law.stiffness)} {unit}/{of} * ({aim} {of} - {x})"
    value += f" {minus} {c} {unit}*s/{of} * {rate}"
    if law.bounds is not None:
        low, high = sorted(sign * each for each in law.bounds)
        value = f"clamp({value}, {wording.number(low)} {unit}, {wording.number(high)} {unit})"
    where = f"about {_label(joint.name)}"
    if not turns:
        owner = _label(joint.parent or FRAME)
        mark, behind = _label(f"at_{joint.name}"), _label(f"behind_{joint.name}")
        where = f"between {part}.{mark} and {owner}.{behind}"
    return f"force {_label(law.name)} {where} = {value}"


def _rotor(joint: SceneJoint, kind: str) -> tuple[str, list[str]]:
    """Return a wheel that stands on the ground and turns as fast as a joint, and its statements.

    It has the energy of the rotor, and turns with nothing else, as a geared rotor hardly does.
    """
    name, J = f"{joint.name}_rotor", joint.rotor
    said = f"mass: {wording.number(J)}, center: (0, 0, 0), inertia: {wording.numbers((J, J, J))}"
    body = f"primitive {kind} {{\n  geometry: none where {{\n    origin: (0, 0, 0)\n  }}\n"
    body += f"  dynamics: ({said})\n}}"
    shaft = _label(f"{joint.name}_shaft")
    ratio = "1" if joint.kind == "pin" else "1 rad/m"
    return body, [
        f"join {_label(name)} to {FRAME} with pin(axis: z) as {shaft} matching (origin, center)",
        f"gear {_label(f'{joint.name}_gear')} between {_label(joint.name)} and {shaft} = {ratio}",
    ]


def _tied(tie: SceneTie, scene: Scene) -> str:
    if tie.kind != "gear":
        return _joined_by(tie.name, tie.first, tie.second, tie.kind)
    kinds = {each.joint.name: each.joint.kind for each in scene.parts if each.joint is not None}
    more = "".join(f" {'-' if sign < 0 else '+'} {_label(each)}" for each, sign in tie.others)
    ends = f"{_label(tie.first)}{more} and {_label(tie.second)}"
    a, b = ("rad" if kinds[each] == "pin" else "m" for each in (tie.first, tie.second))
    unit = "" if a == b else f" {b}/{a}"
    return f"gear {_label(tie.name)} between {ends} = {wording.number(tie.ratio)}{unit}"


def _ends(spring: SceneSpring, scene: Scene, joints: dict[str, list[str]]) -> None:
    """Note the ends of a spring on its bodies."""
    places = {each.name: each.X_WP for each in scene.parts}
    ends = ((spring.first, spring.p_first), (spring.second, spring.p_second))
    for number, (owner, point) in enumerate(ends, 1):
        at = np.linalg.inv(places.get(owner, np.eye(4))) @ np.append(point, 1.0)
        said = f"{_label(f'end_{spring.name}_{number}')}: {wording.numbers(at[:3])}"
        joints.setdefault(owner, []).append(said)


def _spring(spring: SceneSpring) -> str:
    k, c, rest = (wording.number(e) for e in (spring.stiffness, spring.damping, spring.rest))
    one, other = (
        f"{_label(owner or FRAME)}.{_label(f'end_{spring.name}_{number}')}"
        for number, owner in enumerate((spring.first, spring.second), 1)
    )
    law = f"{k} N/m * (distance - {rest} m) + {c} N*s/m * speed"
    return f"force {_label(spring.name)} between {one} and {other} = {law}"


def _camera(view: SceneView) -> str:
    focal = SENSOR / 2.0 / math.tan(view.upwards / 2.0)
    X = pose_of_matrix(view.X_WC)
    w, *v = X.orientation
    angle = 2.0 * math.atan2(math.hypot(*v), w)
    turned = f" turned {wording.number(angle)} rad about {wording.numbers(v)}" if any(v) else ""
    return f"lens({wording.number(focal)} m) at {wording.numbers(X.position)}{turned}"


def _outside(scene: Scene) -> str:
    """Return a camera that sees the whole of a scene without a view of its own."""
    points = [_corners(part) for part in scene.parts if (part.shape or part.look) is not None]
    box = np.vstack(points) if points else np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    low, high = box.min(axis=0), box.max(axis=0)
    middle, size = (low + high) / 2.0, float(np.linalg.norm(high - low)) or 1.0
    down = np.asarray(scene.gravity)
    pull = float(np.linalg.norm(down))
    up = -down / pull if pull > 0.0 else np.array([0.0, 0.0, 1.0])
    side = np.array([0.0, 0.0, 1.0]) if abs(up[1]) > 0.5 else np.array([0.0, -1.0, 0.0])
    back = side + 0.4 * up
    back /= np.linalg.norm(back)
    x = np.cross(up, back)
    X = make_pose(np.column_stack([x, np.cross(back, x), back]), middle + 1.5 * size * back)
    return _camera(SceneView("outside", X, math.radians(40.0)))


def _top(part: ScenePart, scene: Scene) -> list[str]:
    """Return the feature at the middle of a fixed body's highest points, for reach."""
    if part.shape is None or part.mass is not None:
        return []
    points = _reach(part.shape)
    height = points @ part.X_WP[:3, :3].T @ -np.asarray(scene.gravity)
    at = points[height >= height.max() - 1e-6 * max(1.0, float(np.ptp(height)))].mean(axis=0)
    return [f"{TOP}: {wording.numbers(at)}"]


def _corners(part: ScenePart) -> Array:
    shape = part.shape or part.look
    points = _reach(shape)
    low, high = points.min(axis=0), points.max(axis=0)
    return np.array([low, high]) @ part.X_WP[:3, :3].T + part.X_WP[:3, 3]


def _reach(shape: Shape | None) -> Array:
    """Return points (n, 3) that tell how far a shape goes."""
    if isinstance(shape, Mesh):
        return shape.vertices
    return np.zeros((1, 3)) if shape is None else triangles_of(shape)[0]


def _at(X: Array) -> str:
    pose = pose_of_matrix(X)
    turned = f" turned {wording.rotation(pose.orientation)}"
    return f"{wording.numbers(pose.position)}{turned}"


def _lines(features: list[str]) -> str:
    said = "\n".join(f"    {each}" for each in features)
    return f" where {{\n{said}\n  }}" if features else ""


def _label(name: str) -> str:
    return name if is_bare(name) else f'"{name}"'
