"""A scene's things as MJCF has them: names by kinds, rotors, tendons, several joints of a body."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from articulata.formats.mjcf.compiled_parts import CLOSE
from articulata.formats.scenes.foreign_scene import LIGHT, Scene, SceneJoint, ScenePart, SceneTie
from articulata.geometry.arrays import Array
from articulata.geometry.mass import six_moments
from articulata.world.figures.link_weights import moments_matrix

FELT: Final = 1e-8
"""m^2, inertia of a wheel of the mass of all, from which on it is felt."""


MASSLESS: Final = "link without mass (written with 1 g that nothing pulls)"
"""MuJoCo moves nothing without mass."""


def weighed(part: ScenePart, lost: Counter[str]) -> ScenePart:
    """Return a part as a body that MuJoCo can move: its mass, and moments that a body can have."""
    if part.mass is None and part.joint is not None:
        lost[MASSLESS] += 1
        J = (1e-6, 1e-6, 1e-6, 0.0, 0.0, 0.0)
        return replace(part, mass=1e-3, inertia=J, gravity=(0.0, 0.0, 0.0))
    if part.mass is None or not part.inertia:
        return part
    moments, R = np.linalg.eigh(moments_matrix(part.inertia))
    short = float(moments[2] - moments[0] - moments[1])
    if short < -CLOSE * moments[2]:
        return part
    if short > CLOSE * moments[2]:
        lost["moments of inertia that no body has (the smaller two are raised)"] += 1
    raised = moments + np.array([0.5, 0.5, 0.0]) * (short + 1e-13 * moments[2])
    return replace(part, inertia=six_moments(R * raised @ R.T))


def own_names(scene: Scene, wheels: list[SceneJoint]) -> dict[str, dict[str, str]]:
    """Return what things of each kind are called in MJCF, by their names in the scene.

    There a body may be called as a joint is: each gets the name that it was to have.
    """
    joints = [each.joint for each in scene.parts if each.joint is not None]
    laws = [law.name for each in (*joints, *wheels) for law in each.laws]
    ties = [each.name for each in scene.ties]
    kinds = {
        "body": [each.name for each in scene.parts], "joint": [each.name for each in joints],
        "actuator": [*laws, *scene.commanded], "equality": ties,
        "tendon": [*ties, *(e.name for e in wheels), *(e.name for e in scene.springs)],
    }  # fmt: skip
    found: dict[str, dict[str, str]] = {}
    for kind, names in kinds.items():
        taken, found[kind] = set(names), {}
        for name in names:
            wanted = scene.asked.get(name, name)
            found[kind][name] = name if wanted in taken else wanted
            taken.add(wanted)
    return found


def with_rotors(scene: Scene) -> tuple[Scene, list[tuple[SceneTie, SceneJoint, float]]]:
    """Return a scene without the wheels that have no form, and those that are tendons.

    A wheel that a joint turns is the joint's rotor. One that several turn, or about which something
    acts, is a tendon: the gear, its pin and its inertia, kg m^2. That couples joints one of which
    carries the other, and no others: there a wheel that is felt stays.
    """
    joints = {e.joint.name: e for e in scene.parts if e.joint is not None}
    ends = _held(scene)
    ends += Counter(name for tie in scene.ties for name, _ in tie.others)
    ends += Counter(each.joint.parent for each in joints.values() if each.joint is not None)
    rotors, gone = defaultdict[str, float](float), set[str]()
    tendons = list[tuple[SceneTie, SceneJoint, float]]()
    heavy = sum(each.mass or 0.0 for each in scene.parts)
    for tie in scene.ties:
        wheel, turned = joints.get(tie.second), joints.get(tie.first)
        if tie.kind != "gear" or wheel is None or turned is None:
            continue
        pin = wheel.joint
        if pin is None or pin.kind != "pin" or pin.parent or ends[wheel.name] or ends[pin.name] > 1:
            continue
        acts = tie.others or pin.laws or pin.friction or pin.rotor or pin.limits
        z, off = pin.X_WJ[:3, 2], wheel.X_WP[:3, :3] @ wheel.center + wheel.X_WP[:3, 3]
        seen = wheel.shape or wheel.look
        if not seen and np.abs(np.cross(off - pin.X_WJ[:3, 3], z)).max() <= CLOSE:
            x, y, w = wheel.X_WP[:3, :3].T @ z
            terms = (x * x, y * y, w * w, 2 * x * y, 2 * x * w, 2 * y * w)
            J = float(np.dot(terms, wheel.inertia))
            if acts and J * tie.ratio**2 > FELT * heavy and not _in_line(tie, joints):
                continue
            if acts:
                tendons.append((tie, pin, J))
            else:
                rotors[turned.name] += tie.ratio**2 * J
            gone |= {wheel.name, tie.name}
    parts = [
        replace(e, joint=replace(e.joint, rotor=e.joint.rotor + rotors[e.name]))
        if e.joint is not None and e.name in rotors
        else e
        for e in scene.parts
        if e.name not in gone
    ]
    ties = [e for e in scene.ties if e.name not in gone]
    return replace(scene, parts=parts, ties=ties), tendons


def _in_line(tie: SceneTie, joints: Mapping[str, ScenePart]) -> bool:
    """Return whether of any two joints of a gear, but for the last, one carries the other."""
    above = {e.name: e.joint.parent for e in joints.values() if e.joint is not None}
    ways = []
    for name in (tie.first, *(name for name, _ in tie.others)):
        way, on = set[str](), joints[name].name
        while on in above and on not in way:
            way.add(on)
            on = above[on]
        ways.append(way)
    return all(way <= max(ways, key=len) for way in ways)


def _held(scene: Scene) -> Counter[str]:
    """Return how many ties and springs hold each part or joint."""
    ends = [end for each in scene.ties for end in (each.first, each.second)]
    return Counter([*ends, *(end for each in scene.springs for end in (each.first, each.second))])


def stacks(scene: Scene) -> dict[str, list[ScenePart]]:
    """Return the light links on which parts move, by the part, from what carries them on.

    They stand for freedoms alone: a body of MuJoCo has several joints instead.
    """
    known = {each.name: each for each in scene.parts}
    held = _held(scene)
    carried = Counter(each.joint.parent for each in scene.parts if each.joint is not None)
    found: dict[str, list[ScenePart]] = {}
    for part in scene.parts:
        stack, on = list[ScenePart](), part
        while on.joint is not None and on.joint.kind != "weld":
            above = known.get(on.joint.parent)
            if above is None or above.joint is None or above.shape or above.look or above.motion:
                break
            light = (above.mass or math.inf) <= 2.0 * LIGHT * (part.mass or 0.0)
            if not light or carried[above.name] > 1 or above.name in held:
                break
            stack.insert(0, replace(above, X_WP=part.X_WP))
            on = above
        if stack:
            found[part.name] = stack
    return found


def twists(parts: list[ScenePart]) -> dict[str, Array]:
    """Return how each part moves at the start (6,): its ``twist`` and the rates of its joints."""
    known = {each.name: each for each in parts}
    rated = {"": np.zeros(6)}
    for part in parts:
        way, name = list[ScenePart](), part.name
        while name not in rated:
            way.append(known[name])
            name = "" if way[-1].joint is None else way[-1].joint.parent
        for each in reversed(way):
            joint = each.joint
            rated[each.name] = np.zeros(6) if joint is None else rated[joint.parent] + _rated(joint)
    return {
        name: rated[name] + (0.0 if part.twist is None else part.twist)
        for name, part in known.items()
    }


def _rated(joint: SceneJoint) -> Array:
    """Return how a joint's rate moves its part, (6,)."""
    along, at = joint.rate * joint.X_WJ[:3, 2], joint.X_WJ[:3, 3]
    if joint.kind == "slider":
        return np.concatenate([np.zeros(3), along])
    return np.concatenate([along, np.cross(at, along)])
