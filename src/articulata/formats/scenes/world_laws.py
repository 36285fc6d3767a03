"""What acts in a world beside its tree of hinges, as a scene has it: laws, springs, gears, loops.

A scene's laws are linear: springs, dampers, constant efforts, within bounds. Others are counted as
lost, in words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from articulata.formats.scenes.foreign_scene import Scene, SceneLaw, SceneSpring, SceneTie
from articulata.geometry.arrays import Array
from articulata.world.body_features import feature_of
from articulata.world.figures.nodes import FigureNode
from articulata.world.language.elaboration.expression_data import unweakened
from articulata.world.model import Coupling, FeatureRef, Force, Friction, Hinge, Program, World
from articulata.world.program_stack import Affine, affine

HELD: Final[Mapping[str, str]] = {
    "revolute": "pin", "prismatic": "slider", "ball.and.socket": "ball", "weld": "weld",
}  # fmt: skip
"""Hinges that may close a loop of a scene, and what it calls them."""
FAR: Final = 100.0
"""m that a slide without limits is taken to move at most."""
CLOSE: Final = 1e-9
AIMED: Final = [["push", "push", each, "sub", "mul"] for each in ("angle", "distance")]
"""How the program of a servo begins: a stiffness times what lacks to a target."""
NAMED: Final = 8
"""Things that are lost for one reason and named."""
CLINGS: Final = 0.01
"""Share of its speed by which a motor that keeps it lags when it gives all that it can."""
CONTROL: Final = "control"
"""What controllers are called where a format has no place for them."""
LOOP: Final = "hinge that closes a loop or has no like elsewhere"


@dataclass(slots=True)
class Acting:
    """What acts along the coordinates of some hinges, by their ids; ``now`` is where they stand.

    ``now`` holds hinges with one coordinate (rad or m) alone; others take no law. ``untold`` are
    the names of what is lost, by what it is and why ("force {} (why)").
    """

    now: Mapping[str, float]
    laws: dict[str, list[SceneLaw]] = field(default_factory=dict)
    friction: dict[str, float] = field(default_factory=dict)
    efforts: dict[str, float] = field(default_factory=dict)
    untold: dict[str, list[str]] = field(default_factory=dict)

    def add(self, hinge: str, law: SceneLaw) -> None:
        """Let a law act along a hinge."""
        self.laws.setdefault(hinge, []).append(law)

    def lose(self, what: str, name: str) -> None:
        """Note that something is lost; ``what`` has {} where its name belongs."""
        self.untold.setdefault(what, []).append(name)


def take_laws(
    world: World, scene: Scene, names: Mapping[str, str], joints: Mapping[str, str],
    now: Mapping[str, float],
) -> Acting:  # fmt: skip
    """Take forces and couplings of a world; return what acts along its hinges.

    ``names`` are the parts of its bodies ("": fixed without a part), ``joints`` the joints of its
    hinges in the tree. Gears and springs are added to ``scene``.
    """
    found = Acting(now)
    for force in world.forces.values():
        if not _force(world, force, scene, (names, joints), found):
            found.lose(_unlike(force), force.id)
    for each in world.couplings.values():
        if each.friction is not None:
            taken = _friction(each, each.friction, scene, found)
        elif each.rate or each.effort is not None or len(each.terms) == 1:
            taken = _motor(each, scene, found)
        else:
            taken = _gear(each, scene, joints, now)
        if not taken:
            found.lose(_word(each), each.id.removesuffix(".motor"))
    for node in world.figures.values():
        _rows(node, world, scene, joints, found)
    for what, called in found.untold.items():
        some = ", ".join(called[:NAMED]) + (", ..." if len(called) > NAMED else "")
        scene.lost[what.format(some)] += len(called)
    return found


def _rows(
    node: FigureNode, world: World, scene: Scene, joints: Mapping[str, str], found: Acting
) -> None:
    """Take what the rows of a figure's tables say: damping, dry friction, joints that follow."""
    leaders = {names[0]: id for id, names in node.joined.items() if len(names) == 1}
    for hinge, row in node.moved(found.now):
        dry, damping = row.motor.get("friction", 0.0), row.motor.get("damping", 0.0)
        found.efforts[hinge] = row.motor.get("effort", 0.0)
        if row.motor.get("speed"):
            found.lose("greatest speed of joint {}", hinge)
        if dry and f"{hinge}.friction" not in world.couplings:
            found.friction[hinge] = found.friction.get(hinge, 0.0) + dry
        if damping:
            name = scene.called(f"{hinge}.damping")
            found.add(hinge, SceneLaw(name, damping=damping))
        leader = leaders.get(row.follows.joint, "") if row.follows else ""
        if row.follows and leader in joints:
            name, ratio = scene.called(f"{hinge}.mimic"), row.follows.factor
            scene.ties.append(SceneTie(name, "gear", joints[leader], joints[hinge], ratio=ratio))


def take_loops(
    world: World, scene: Scene, names: Mapping[str, str], left: list[Hinge]
) -> None:  # fmt: skip
    """Take the hinges that close loops; their parts do not touch each other."""
    for hinge in left:
        kind = HELD.get(hinge.kind.name)
        first, second = names.get(hinge.body_a, ""), names.get(hinge.body_b, "")
        if kind is None:
            scene.lost[LOOP] += 1
            continue
        X_WJ = world.bodies[hinge.body_b].pose.matrix() @ hinge.frame_b.matrix()
        name = scene.called(hinge.id)
        scene.ties.append(SceneTie(name, kind, first, second, X_WJ))
        if first and second:
            scene.ignored.append((min(first, second), max(first, second)))


def _word(coupling: Coupling) -> str:
    if coupling.friction is not None:
        return "friction {} (stronger at rest)"
    if len(coupling.terms) > 1:
        return "gear or other coupling of hinges {}"
    if coupling.curve:
        return "motor {} (its curve is no straight line)"
    if coupling.effort is None and coupling.limit is None:
        return "motor {} (it keeps a speed whatever that takes: give it a limit)"
    return "motor {} (its hinge is no pin or slider of the tree)"


def _unlike(force: Force) -> str:
    """Return that a force is lost, and why."""
    if force.kind == "bushing":
        return "bushing {} (only those alike about all axes of a ball are taken)"
    if len(force.features or ()) > 2:
        return "rope {}"
    law = affine(force if force.bounds is None else replace(force, program=force.program[:-4]))
    if law is None:
        return "force {} (no linear spring, damper or servo)"
    if force.kind == "torsion":
        return "force {} (its hinge is no pin or slider of the tree)"
    return "force {} (between points only springs and dampers without a limit)"


def _linear(force: Force, found: Acting) -> Affine | None:
    """Return the law of a force within its bounds; of a servo at the start, at full strength."""
    ends = 4 if force.bounds is not None else 0

    def law(program: Program) -> Affine | None:
        return affine(replace(force, program=program[: len(program) - ends]))

    if (exact := law(force.program)) is not None:
        return exact
    strong = unweakened(force.program)
    still = tuple(("push", 0.0) if op == "time" else (op, value) for op, value in strong)
    taken = law(still)
    if taken is None or force.program[0] != ("push", -taken.stiffness) or not taken.stiffness:
        return None
    if strong != force.program:
        found.lose("loss of strength of servo {} near its greatest speed", force.id)
    if still != strong:
        found.lose("target in time of servo {} (ctrl holds that of the start)", force.id)
    return taken


def _force(
    world: World, force: Force, scene: Scene, called: tuple[Mapping[str, str], ...], found: Acting
) -> bool:
    """Take a force; ``called`` are the parts of bodies and the joints of hinges."""
    names, joints = called
    if force.kind == "bushing":
        return _bushing(world, force, scene, joints, found)
    bounds = force.bounds
    law = _linear(force, found)
    if law is None:
        return False
    ops = [op for op, _ in force.program]
    aimed = ops[:5] in AIMED or "time" in ops
    name = scene.called(force.id)
    if force.kind == "torsion":
        if force.hinge is None or force.hinge not in found.now:
            return False
        now = found.now[force.hinge]
        along = _along(name, now, law.constant, law.stiffness, law.damping, bounds)
        found.add(force.hinge, replace(along, gain=aimed * along.stiffness))
        return True
    k, c = law.stiffness, law.damping
    if force.features is not None and (slide := _slide(world, force.features, found)):
        hinge, D = slide  # the length is s (D + x), its tension pulls against s x
        s = math.copysign(1.0, D)
        low, high = bounds or (0.0, 0.0)
        ends_of_it = (min(-s * low, -s * high), max(-s * low, -s * high)) if bounds else None
        along = _along(name, D, -s * law.constant, -k, -c, ends_of_it)
        found.add(hinge, replace(along, gain=aimed * along.stiffness))
        return True
    rest = -law.constant / k if k > 0.0 else 0.0
    slack = k < 0.0 or c < 0.0 or rest < 0.0 or (k == 0.0 and law.constant != 0.0)
    if bounds is not None or slack or force.features is None or len(force.features) != 2:
        return False
    first, second = force.features
    ends = (names[first.body], names[second.body])
    places = (_pose(world, first)[:3, 3], _pose(world, second)[:3, 3])
    scene.springs.append(SceneSpring(name, *ends, *places, k, c, rest))
    return True


def _slide(world: World, ends: tuple[FeatureRef, ...], found: Acting) -> tuple[str, float] | None:
    """Return the slider along which a force of two points acts alone, and from where, m.

    Neither point may come to the other.
    """
    for id in found.now:
        hinge = world.hinges[id]
        on = {hinge.body_a: 1.0, hinge.body_b: -1.0}
        if hinge.kind.name != "prismatic" or len(ends) != 2 or {e.body for e in ends} != set(on):
            continue
        way = sum(on[each.body] * _pose(world, each)[:3, 3] for each in ends)
        axis = (world.bodies[hinge.body_b].pose.matrix() @ hinge.frame_b.matrix())[:3, 2]
        D = float(axis @ way)
        low, high = hinge.limits[0] if hinge.limits else (-FAR, FAR)
        near = D + np.clip((low, high), -FAR, FAR) - found.now[id]
        if np.abs(way - D * axis).max() <= CLOSE * abs(D) and near.min() * near.max() > 0.0:
            return id, D
    return None


def _along(
    name: str, now: float, constant: float, slope: float, damping: float,
    bounds: tuple[float, float] | None,
) -> SceneLaw:  # fmt: skip
    """Return the law ``constant + slope x + damping x'`` of a coordinate that is ``now``."""
    at = constant + slope * now
    if not slope:
        return SceneLaw(name, 0.0, -damping, constant=at, bounds=bounds)
    return SceneLaw(name, -slope, -damping, rest=-at / slope, bounds=bounds)


def _pose(world: World, ref: FeatureRef) -> Array:
    body = world.bodies[ref.body]
    return np.asarray(body.pose.matrix() @ feature_of(body, ref.feature).pose.matrix())


def _bushing(
    world: World, force: Force, scene: Scene, joints: Mapping[str, str], found: Acting
) -> bool:
    """Take a bushing at rest in a ball of the tree, alike about all axes."""
    about, damping = ({value for _, value in force.program[k : k + 3]} for k in (3, 9))
    ends = [(each.body, _pose(world, each)) for each in force.features or ()]
    for id in joints:
        hinge = world.hinges[id]
        X = world.bodies[hinge.body_b].pose.matrix() @ hinge.frame_b.matrix()
        rests = all(np.abs(Y[:3, 3] - X[:3, 3]).max() <= CLOSE for _, Y in ends)
        if (
            hinge.kind.name == "ball.and.socket" and rests and id not in found.laws
            and {body for body, _ in ends} == {hinge.body_a, hinge.body_b}
            and np.abs(ends[0][1] - ends[1][1]).max() <= CLOSE
            and len(about) == len(damping) == 1
        ):  # fmt: skip
            name = scene.called(force.id)
            (k,), (c,) = about, damping
            found.add(id, SceneLaw(name, k, c))
            scene.lost["damping of a bushing where it has turned far"] += bool(c)
            return True
    return False


def _friction(coupling: Coupling, friction: Friction, scene: Scene, found: Acting) -> bool:
    (hinge,) = coupling.hinges
    if hinge not in found.now or friction.speed or friction.static != friction.dry:
        return False
    found.friction[hinge] = found.friction.get(hinge, 0.0) + friction.dry
    if friction.viscous:
        name = scene.called(coupling.id)
        found.add(hinge, SceneLaw(name, damping=friction.viscous))
    return True


def _motor(coupling: Coupling, scene: Scene, found: Acting) -> bool:
    """Take a motor with an effort: constant, or less the faster it turns."""
    (hinge, *others), ((_, arm), *_) = coupling.hinges, coupling.terms
    limit = coupling.limit
    if others or coupling.curve or hinge not in found.now:
        return False
    if kept := coupling.effort is None:
        if limit is None:
            return False
        if not coupling.rate:
            found.friction[hinge] = found.friction.get(hinge, 0.0) + abs(arm) * limit
            return True
        coupling = replace(coupling, effort=math.copysign(limit / CLINGS, coupling.rate))
        called = coupling.id.removesuffix(".motor")
        found.lose("last 1 % of the speed of motor {} (there it gives less than its limit)", called)
    assert coupling.effort is not None
    damping = coupling.effort / coupling.rate * arm * arm if coupling.rate else 0.0
    bounds = None if limit is None else (-abs(arm) * limit, abs(arm) * limit)
    name = scene.called(coupling.id)
    constant = coupling.effort * arm
    gain = damping if kept else 0.0
    found.add(hinge, SceneLaw(name, 0.0, damping, constant=constant, bounds=bounds, gain=gain))
    return True


def _gear(
    coupling: Coupling, scene: Scene, joints: Mapping[str, str], now: Mapping[str, float]
) -> bool:
    """Take a gear: the last hinge moves by the sum of the others, all by one ratio."""
    hinges, arms = coupling.hinges, [arm for _, arm in coupling.terms]
    alike = len({abs(arm) for arm in arms[:-1]}) == 1 and len(set(hinges)) == len(hinges) > 1
    if coupling.law is not None or not alike or not set(hinges) <= now.keys() & joints.keys():
        return False
    (first, *more, last), ratio = (joints[each] for each in hinges), -arms[0] / arms[-1]
    if not math.isfinite(ratio):
        return False
    others = tuple(
        (name, 1 if arm == arms[0] else -1) for name, arm in zip(more, arms[1:-1], strict=True)
    )
    name = scene.called(coupling.id)
    scene.ties.append(SceneTie(name, "gear", first, last, ratio=ratio, others=others))
    return True
