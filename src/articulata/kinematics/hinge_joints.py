"""Joints from the hinges of a world: a tree of bodies that starts at one that stands still.

A pin is one revolute joint, a slider one prismatic. A hinge with more freedom becomes several
joints, named after it and after what each does, in the order they follow each other from the body
that is joined to outward (H is the hinge's frame):

================  ==========================================================
ball              ``.x``, ``.y``, ``.z``: turns about x, y and z of H, each axis carried
                  by the turn before it
universal         ``.x`` about x of H on the body joined to, ``.z`` about z of H
cylindrical       ``.angle`` about z, ``.travel`` along z
planar            ``.x`` along x, ``.y`` along y, ``.z`` about z
screw             its name turns, ``.travel`` follows by the lead
weld              one fixed joint
================  ==========================================================

Where a chain runs against the direction of a join the joints come in the opposite order and turn
the opposite way, so that their values stay those of the hinge.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.kinematics.joint import FIXED, PRISMATIC, REVOLUTE, UNLIMITED, Joint, Mimic, about
from articulata.kinematics.link import Link, Part
from articulata.world.masses import body_mass
from articulata.world.model import Body, Hinge

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_TURN, _SLIDE = REVOLUTE, PRISMATIC
_STEPS: Mapping[str, tuple[tuple[str, str, tuple[float, float, float]], ...]] = {
    "revolute": (("", _TURN, _Z),),
    "prismatic": (("", _SLIDE, _Z),),
    "cylindrical": ((".angle", _TURN, _Z), (".travel", _SLIDE, _Z)),
    "universal": ((".x", _TURN, _X), (".z", _TURN, _Z)),
    "ball.and.socket": ((".x", _TURN, _X), (".y", _TURN, _Y), (".z", _TURN, _Z)),
    "planar": ((".x", _SLIDE, _X), (".y", _SLIDE, _Y), (".z", _TURN, _Z)),
    "screw": (("", _TURN, _Z), (".travel", _SLIDE, _Z)),
}
"""Elementary motions of each kind of hinge: what a name gets, the kind, the axis in H."""


@dataclass(frozen=True, slots=True, eq=False)
class HingeTree:
    """Joints, their parents, the link of each, and which joint carries which body (-1: the root).

    ``root`` is the body that stands still and ``X_WR`` its pose.
    """

    joints: tuple[Joint, ...]
    parents: tuple[int, ...]
    links: Mapping[str, Link]
    carriers: Mapping[str, int]
    root: Body
    X_WR: Array


def hinge_tree(
    bodies: Mapping[str, Body], hinges: Mapping[str, Hinge], names: Mapping[str, str], figure: str
) -> HingeTree:
    """Return the joints of ``hinges`` between ``bodies`` of ``figure``, an id.

    ``names`` give the name that a joint has, by the id of its hinge.
    """
    root = _root(bodies, hinges)
    joints: list[Joint] = []
    parents: list[int] = []
    links: dict[str, Link] = {}
    carriers: dict[str, int] = {root.id: -1}
    used: set[str] = set()
    waiting = deque([root.id])
    while waiting:
        at = waiting.popleft()
        for hinge in hinges.values():
            if hinge.id in used or at not in (hinge.body_a, hinge.body_b):
                continue
            used.add(hinge.id)
            outward = hinge.body_b == at
            child = hinge.body_a if outward else hinge.body_b
            if child in carriers:
                raise KinematicsError(
                    f"{hinge.span}: hinge '{hinge.id}' closes a loop in figure '{figure}'; a "
                    "figure is a tree: leave this hinge out, or put it into a world around it"
                )
            made = _hinge_joints(hinge, names[hinge.id], outward)
            for number, joint in enumerate(made):
                parents.append(carriers[at] if number == 0 else len(joints) - 1)
                joints.append(joint)
            carriers[child] = len(joints) - 1
            links[made[-1].name] = body_link(bodies[child], figure)
            waiting.append(child)
    apart = [each for each in bodies if each not in carriers]
    if apart:
        raise KinematicsError(
            f"figure '{figure}': no hinge leads from '{root.id}' to '{apart[0]}'; join it, or "
            "weld it to what it is fixed to"
        )
    return HingeTree(tuple(joints), tuple(parents), links, carriers, root, root.pose.matrix())


def body_link(body: Body, figure: str) -> Link:
    """Return a body as a link: its frame is the body's own, its mass as in a simulation.

    The link's name is the body's path within ``figure``, the id of the figure.
    """
    parts = () if body.shape is None else (Part(body.shape, np.eye(4), body.color),)
    name = body.id.removeprefix(f"{figure}.")
    found = body_mass(body) if body.dynamic else None
    if found is None:
        return Link(name, visuals=parts, collisions=parts)
    x, y, z = (float(each) for each in found.center)
    inertia = 0.5 * (found.inertia + found.inertia.T)
    return Link(name, found.mass, (x, y, z), inertia, parts, parts)


def _root(bodies: Mapping[str, Body], hinges: Mapping[str, Hinge]) -> Body:
    """Return the body that stands still: a fixed one, else a placed one, else the first."""
    fixed = (body for body in bodies.values() if body.motion == "fixed")
    placed = (body for body in bodies.values() if body.placed)
    return next(fixed, None) or next(placed, None) or next(iter(bodies.values()))


def _hinge_joints(hinge: Hinge, name: str, outward: bool) -> list[Joint]:
    """Return the joints from the inner to the outer body; ``outward``: A moves on B."""
    X_AH, X_BH = hinge.frame_a.matrix(), hinge.frame_b.matrix()
    inner, outer = (X_BH, X_AH) if outward else (X_AH, X_BH)
    kind = hinge.kind.name
    if kind == "weld":
        return [Joint(name, FIXED, X_PJ=inner @ inverse_pose(outer))]
    steps = _STEPS.get(kind)
    if steps is None:
        raise KinematicsError(
            f"{hinge.span}: hinge '{hinge.id}' is a {kind}; a figure's joints come from "
            f"{', '.join(_STEPS)} and weld"
        )
    if not outward:
        steps = tuple(reversed(steps))
    joints: list[Joint] = []
    for number, (suffix, motion, axis) in enumerate(steps):
        C = about(axis if outward else tuple(-each for each in axis))
        before = inner if number == 0 else np.eye(4)
        after = inverse_pose(outer) if number == len(steps) - 1 else np.eye(4)
        joints.append(
            Joint(
                name + suffix,
                motion,  # type: ignore[arg-type] # one of the two words of the table
                before @ C,
                C.T @ after,
                _limits(hinge, suffix),
                mimic=_lead(hinge, name) if kind == "screw" and suffix else None,
            )
        )
    return joints


def _limits(hinge: Hinge, suffix: str) -> tuple[float, float]:
    """Return the limits of one coordinate; turns of a ball and the like have none."""
    wanted = suffix.lstrip(".")
    for coordinate, limits in zip(hinge.kind.coordinates, hinge.limits, strict=False):
        if not wanted or coordinate == wanted:
            return limits
    return UNLIMITED


def _lead(hinge: Hinge, name: str) -> Mimic:
    lead = dict(hinge.kind.parameters)["lead"]
    return Mimic(name, lead / (2.0 * math.pi))
