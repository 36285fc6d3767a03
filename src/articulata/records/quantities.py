"""What a path means in a recording: which channel is read, or which point moves with its body.

Paths are those of ``articulata.world.paths``; a channel's own name, and a channel's name with a
label and a column ("dynamic.hinge_force.links.h23.fx"), name recorded numbers directly, those of
unknown domains too. W is the world frame, B a body's frame, C its mass centre. Where a node does
not exist in some frames, because an edit removed or added it, its rows there are NaN.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from articulata.errors import NameNotFound, RecordingError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_rotate
from articulata.records import bodies
from articulata.records.observed import (
    JOINT,
    POSE,
    POSITION,
    XYZ,
    AbsentError,
    Observed,
    Stretch,
    row,
)
from articulata.records.stored import Quantity, Read, named, over, units_by_endings
from articulata.world.model import World
from articulata.world.paths import Reference, resolve

WXYZ = ("w", "x", "y", "z")

ORIGIN_VELOCITY = "geometric.velocity"
HINGE_FORCE = "dynamic.hinge_force"

UNITS = {
    "point": "m",
    "v": "m/s",
    "w": "rad/s",
    "a": "m/s^2",
    "alpha": "rad/s^2",
    "orientation": "",
    "force": "N",
    "moment": "N m",
    "distance": "m",
    "speed": "m/s",
    "energy": "J",
    "momentum": "N s",
    "angular_momentum": "N m s",
    "time": "s",
    "saturation": "",
    "torque": "N m",
    "power": "W",
}

_BODY_CHANNELS = {
    "v": "dynamic.velocity",
    "w": "dynamic.rate",
    "a": "dynamic.acceleration",
    "alpha": "dynamic.angular_acceleration",
    "orientation": "dynamic.orientation",
}


def quantity(recording: Observed, path: str) -> Quantity:
    """Return what ``path`` names in ``recording``; raise NameNotFound when it names nothing."""
    path = path.strip()
    direct = named(recording, path)
    if direct is not None:
        return direct
    parted = bodies.halves(path)
    if parted is not None:
        return _between(recording, path, *parted)
    reference, world = _reference(recording, path)
    if reference.kind == "world":
        return _of_world(recording, path, reference)
    if reference.kind == "drive":
        return _of_drive(recording, path, reference)
    read, unit, parts = reader(world, path, reference)
    if reference.kind == "body" and reference.quantity in bodies.UNITS:
        read = bodies.over_edits(recording, reference.id, reference.quantity)
    if reference.axis is not None:
        column = parts.index(reference.axis)
        return Quantity(path, over(recording, lambda s: read(s)[:, column], path), unit)
    return Quantity(path, over(recording, read, path), unit, parts, units_by_endings(unit, parts))


def _between(recording: Observed, path: str, one: str, word: str, other: str) -> Quantity:
    """Return a distance of two points, or what two bodies do to each other where they touch."""
    if word == "to":
        first, second = quantity(recording, one), quantity(recording, other)
        for each in (first, second):
            if each.unit != "m" or each.parts != XYZ:
                raise NameNotFound(
                    f"'{each.path}' in '{path}' is no point; name features, as in "
                    "a.tip to b.center, or measure bodies with articulata.clearance"
                )
        return Quantity(path, np.linalg.norm(first.values - second.values, axis=1), "m")
    worlds = (_reference(recording, one)[1], _reference(recording, other)[1])
    pressing = bodies.Pressing(worlds, path, one, other)
    if word == "touches":
        return Quantity(path, over(recording, pressing.touching, path), "")
    return Quantity(path, over(recording, pressing.force, path), "N", XYZ)


def _reference(recording: Observed, path: str) -> tuple[Reference, World]:
    """Resolve ``path`` in the first world, or in one that an edit has made."""
    try:
        return resolve(recording.world, path), recording.world
    except NameNotFound:
        if not recording.edits:
            raise
        for world in recording.worlds.values():
            try:
                return resolve(world, path), world
            except NameNotFound:
                continue
        raise


def reader(world: World, path: str, it: Reference) -> tuple[Read, str, tuple[str, ...]]:
    """Return how to read ``it`` from a segment, its unit and the names of its parts.

    ``it`` is what ``path`` names in ``world``: anything but the whole world or a control.
    """
    quantity = it.quantity
    if it.kind == "feature":
        point = _feature_point(world, it.id, it.feature or "center")
        if quantity is None:
            return (lambda s: _point(s, it.id, point)), UNITS["point"], XYZ
        if quantity == "v":
            return (lambda s: _velocity(s, it.id, point)), UNITS["v"], XYZ
        return (lambda s: _acceleration(s, it.id, point)), UNITS["a"], XYZ
    if it.kind == "body" and quantity == "position":
        middle = _feature_point(world, it.id, "center")
        return (lambda s: _point(s, it.id, middle)), UNITS["point"], XYZ
    if it.kind == "body" and quantity in bodies.UNITS:
        names: tuple[str, ...] = () if quantity == "energy" else XYZ
        return bodies.reader(world, it.id, quantity), bodies.UNITS[quantity], names
    if it.kind == "body" and quantity in _BODY_CHANNELS:
        parts = WXYZ if quantity == "orientation" else XYZ
        center = _feature_point(world, it.id, "center")
        return (lambda s: _of_body(s, quantity, it.id, center)), UNITS[quantity], parts
    if it.kind in ("hinge", "joint") and quantity is not None:
        hinge = it.id if it.kind == "hinge" else f"{it.id}.{it.feature}"
        if quantity == "force":
            return (lambda s: row(s, HINGE_FORCE, hinge)[:, :3]), UNITS["force"], XYZ
        if quantity == "moment":
            return (lambda s: row(s, HINGE_FORCE, hinge)[:, 3:]), UNITS["moment"], XYZ
        if quantity == "coordinates":
            return _coordinates(world, hinge)
        if it.kind == "joint" and quantity in ("angle", "travel"):
            return _joint(world, it.id, str(it.feature), quantity)
        return _coordinate(world, hinge, quantity)
    if it.kind == "force" and quantity is not None:
        return _of_force(world, it.id, quantity)
    if it.kind == "coupling" and quantity is not None:
        return _of_coupling(it.id, quantity)
    what = "motor or gear" if it.kind == "coupling" else it.kind
    raise NameNotFound(f"'{path}' names a {what}, not a quantity; {_offers(it)}")


def _of_body(segment: Stretch, quantity: str, body: str, center: Array | None) -> Array:
    """Return a body's recorded quantity, or what a run without dynamics has instead."""
    channel = _BODY_CHANNELS[quantity]
    if channel not in segment.channels:
        if quantity == "orientation":
            return row(segment, POSE, body)[:, 3:]
        if quantity == "w" and ORIGIN_VELOCITY in segment.channels:
            return row(segment, ORIGIN_VELOCITY, body)[:, 3:]
        if quantity == "v":
            return _velocity(segment, body, center)
    return row(segment, channel, body)


def _offers(it: Reference) -> str:
    """Say which quantities the node of ``it`` has."""
    if it.kind == "body":
        return f"write {it.id}.center, .v, .w, .a, .alpha, .energy or a feature of it"
    if it.kind == "hinge":
        return f"write {it.id}.angle, .rate, .force or .moment"
    if it.kind == "force":
        return f"write {it.id}.force, .distance or .speed; about a hinge .moment, .angle or .rate"
    if it.kind == "coupling":
        return f"write {it.id}.torque or .power; on a slider {it.id}.force or .power"
    if it.kind == "figure":
        return f"write {it.id}.JOINT.angle, or kinematic.coordinate for the joints of all figures"
    return "name a body's feature, a hinge's angle or force, or energy"


# ------------------------------------------------------------------ points that move with a body


def _feature_point(world: World, body: str, feature: str) -> Array | None:
    """Return the feature's ``p_BF`` (3,); None for the mass centre, which is recorded itself."""
    if feature == "mass_center":
        return None
    named = world.bodies[body].features.get(feature)
    if named is not None:
        return np.array(named.pose.position)
    if feature == "origin":
        return np.zeros(3)
    return centroid(world, body)


def centroid(world: World, body: str) -> Array:
    """Return the centroid of a body's shape in B, (3,) m; the origin where it has none."""
    shape = world.bodies[body].shape
    if shape is None or type(shape).__name__ == "HalfSpace":
        return np.zeros(3)
    # Imported here: solids bring in libraries that looking at angles does not need.
    from articulata.geometry.solids import mass_properties

    return np.asarray(mass_properties(shape, 1.0).center, np.float64)


def _point(segment: Stretch, body: str, point: Array | None) -> Array:
    """Return p_WF, (n, 3) m."""
    if point is None:
        return row(segment, POSITION, body)
    X_WB = row(segment, POSE, body)
    return X_WB[:, :3] + q_rotate(X_WB[:, 3:], np.broadcast_to(point, (len(X_WB), 3)))


def _arm(segment: Stretch, body: str, point: Array | None) -> Array:
    """Return the vector from the mass centre to the point, (n, 3) m in W."""
    return _point(segment, body, point) - row(segment, POSITION, body)


def _velocity(segment: Stretch, body: str, point: Array | None) -> Array:
    """Return the point's velocity in W: v_C + w x r."""
    if _BODY_CHANNELS["v"] not in segment.channels and ORIGIN_VELOCITY in segment.channels:
        # A run without dynamics records the velocity of the body frame's origin.
        both = row(segment, ORIGIN_VELOCITY, body)
        arm = _point(segment, body, point) - row(segment, POSE, body)[:, :3]
        return both[:, :3] + np.cross(both[:, 3:], arm)
    v = row(segment, _BODY_CHANNELS["v"], body)
    w = row(segment, _BODY_CHANNELS["w"], body)
    moving: Array = v + np.cross(w, _arm(segment, body, point))
    return moving


def _acceleration(segment: Stretch, body: str, point: Array | None) -> Array:
    """Return the point's acceleration in W: a_C + alpha x r + w x (w x r)."""
    a = row(segment, _BODY_CHANNELS["a"], body)
    w = row(segment, _BODY_CHANNELS["w"], body)
    alpha = row(segment, _BODY_CHANNELS["alpha"], body)
    r = _arm(segment, body, point)
    moving: Array = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    return moving


# ------------------------------------------------------------------ hinges, forces, drives, world


def _coordinate(world: World, hinge: str, quantity: str) -> tuple[Read, str, tuple[str, ...]]:
    """Return how to read a hinge's coordinate by name, or the rate of its first."""
    names = world.hinges[hinge].kind.coordinates if hinge in world.hinges else ("angle",)
    if not names:
        raise NameNotFound(
            f"hinge '{hinge}' ({world.hinges[hinge].kind.name}) has no coordinate, so it has no"
            f" '{quantity}'; it has force and moment"
        )
    if quantity != "rate" and quantity not in names:
        raise NameNotFound(
            f"hinge '{hinge}' has no '{quantity}'; its coordinates: {', '.join(names)}"
        )
    name = names[0] if quantity == "rate" else quantity
    channel = "dynamic.coordinate_rate" if quantity == "rate" else "dynamic.coordinate"
    unit = "m" if name == "travel" else "rad"
    return (
        (lambda s: row(s, channel, f"{hinge}.{name}")),
        f"{unit}/s" if quantity == "rate" else unit,
        (),
    )


def _joint(
    world: World, figure: str, joint: str, quantity: str
) -> tuple[Read, str, tuple[str, ...]]:
    """Return how to read a joint value of a figure: its own channel, else that of its hinge."""
    path = f"{figure}.{joint}"

    def read(segment: Stretch) -> Array:
        if JOINT in segment.channels:
            return row(segment, JOINT, path)
        return row(segment, "dynamic.coordinate", f"{path}.{quantity}")

    return read, "m" if quantity == "travel" else "rad", ()


def _coordinates(world: World, hinge: str) -> tuple[Read, str, tuple[str, ...]]:
    """Return how to read all coordinates of a hinge, in order."""
    names = world.hinges[hinge].kind.coordinates if hinge in world.hinges else ("angle",)
    if not names:
        raise NameNotFound(f"hinge '{hinge}' has no coordinates; it has force and moment")
    reads = [_coordinate(world, hinge, name) for name in names]
    unit = ", ".join(dict.fromkeys(each for _, each, _ in reads))
    return (lambda s: np.stack([read(s) for read, _, _ in reads], axis=1)), unit, names


def _of_force(world: World, force: str, quantity: str) -> tuple[Read, str, tuple[str, ...]]:
    """Return how to read a force's tension and its features' distance and speed.

    Of a force about a hinge, its moment and the hinge's angle and rate.
    """
    features, hinge = world.forces[force].features, world.forces[force].hinge
    if quantity in ("force", "moment"):
        return (lambda s: row(s, "dynamic.force", force)), UNITS[quantity], ()
    if quantity == "saturation":
        return _saturation(world, force), UNITS[quantity], ()
    if quantity == "integral":
        if not world.forces[force].integral:
            raise NameNotFound(f"force '{force}' has no integral; write servo(..., integral: ...)")
        name = f"{force}.integral"
        return (lambda s: row(s, "dynamic.velocity", name)[:, 0]), "N" if features else "N m", ()
    if features is None:
        assert hinge is not None
        return _coordinate(world, hinge, quantity)
    ends = [(ref.body, _feature_point(world, ref.body, ref.feature)) for ref in features]

    def distance(segment: Stretch) -> Array:
        at = [_point(segment, *end) for end in ends]
        return np.asarray(np.sum([np.linalg.norm(a - b, axis=1) for a, b in pairwise(at)], axis=0))

    def speed(segment: Stretch) -> Array:
        return np.asarray(np.sum([_parting(segment, *two) for two in pairwise(ends)], axis=0))

    return (distance if quantity == "distance" else speed), UNITS[quantity], ()


def _parting(segment: Stretch, one: Any, other: Any) -> Array:
    """Return how fast two points part, bodies and places in them."""
    between = _point(segment, *one) - _point(segment, *other)
    parting = _velocity(segment, *one) - _velocity(segment, *other)
    length = np.linalg.norm(between, axis=1)
    along = np.einsum("ij,ij->i", between, parting)
    return np.asarray(np.divide(along, length, out=np.zeros_like(along), where=length > 0))


def _of_coupling(id: str, quantity: str) -> tuple[Read, str, tuple[str, ...]]:
    """Return how to read what a motor gives, or a gear gives its second hinge."""
    column = int(quantity == "power")
    return (lambda s: row(s, "dynamic.coupling", id)[:, column]), UNITS[quantity], ()


def _saturation(world: World, force: str) -> Read:
    """Return how to read which share of its limit a force uses, -1 to 1."""
    bounds = world.forces[force].bounds
    if bounds is None or not bounds[0] < bounds[1]:
        raise NameNotFound(
            f"force '{force}' has no limit, so it has no saturation; write clamp(..., low, high) "
            "about its whole value, or servo(..., limit: ...)"
        )
    low, high = bounds

    def share(segment: Stretch) -> Array:
        value = row(segment, "dynamic.force", force)
        limit = np.where(value < 0.0, -low, high)
        return np.divide(value, limit, out=np.zeros_like(value), where=limit != 0.0)

    return share


def _of_drive(recording: Observed, path: str, it: Reference) -> Quantity:
    """Return the recorded outputs of a control."""
    name = f"control.{it.id}"
    found = named(recording, name)
    if found is None:
        raise RecordingError(f"'{path}' was not recorded: there is no channel {name}")
    return Quantity(path, found.values, found.unit, found.parts)


def _of_world(recording: Observed, path: str, it: Reference) -> Quantity:
    """Return the time, the momentum, or the energy: its total or the part that is asked."""
    if it.quantity == "time":
        return Quantity(path, recording.times, "s")
    turning = it.quantity == "angular_momentum"
    channel = "dynamic.momentum" if turning else f"dynamic.{it.quantity}"
    if it.quantity == "energy":
        part = it.axis or "total"
        values = over(recording, lambda s: row(s, channel, part), path)
        return Quantity(path, values, UNITS["energy"])

    def vector(segment: Stretch) -> Array:
        if channel not in segment.channels:
            raise AbsentError(f"there is no channel {channel}")
        whole: Array = segment.array(channel)[:, 3:] if turning else segment.array(channel)[:, :3]
        return whole if it.axis is None else whole[:, XYZ.index(it.axis)]

    parts = XYZ if it.axis is None else ()
    unit = "N m s" if turning else "N s"
    return Quantity(path, over(recording, vector, path), unit, parts)
