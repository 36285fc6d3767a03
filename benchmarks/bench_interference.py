"""Contacts of all bodies, found anew: a stack of boxes, a figure on the ground, pairs of shapes."""

from __future__ import annotations

import coal
import mujoco
import numpy as np

import articulata as art
from articulata.domains.interference.interference_domain import (
    InterferenceModel,
    interference_model,
)
from articulata.geometry.arrays import Array
from articulata.geometry.convex_pieces.piece_table import piece_table
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, Shape
from articulata.kernels.contacts.patches import separations
from articulata.kernels.contacts.pieces import stand, standing
from benchmarks.harness import Case, Report

BLOCK = """
primitive block(x, y, z) { properties: (density: 1000); geometry: cuboid(x, y, z); dynamics }
primitive ground { geometry: half_space }
"""
PAIRS = 1000

Box = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Edges and middle."""


def stack() -> list[Box]:
    return [((1.0, 1.0, 1.0), (0.0, k + 0.5, 0.0)) for k in range(10)]


def figure() -> list[Box]:
    """Return a standing figure of 20 cuboids a millimetre apart, its feet on the ground."""
    boxes: list[Box] = []
    for side in (-1.0, 1.0):
        boxes += [
            ((0.1, 0.06, 0.26), (0.1 * side, 0.03, 0.05)),
            ((0.1, 0.36, 0.1), (0.1 * side, 0.241, 0.0)),
            ((0.12, 0.4, 0.12), (0.1 * side, 0.622, 0.0)),
            ((0.08, 0.3, 0.08), (0.3 * side, 1.2, 0.0)),
            ((0.07, 0.28, 0.07), (0.3 * side, 0.9, 0.0)),
            ((0.06, 0.12, 0.03), (0.3 * side, 0.69, 0.0)),
            ((0.1, 0.1, 0.1), (0.21 * side, 1.42, 0.0)),
        ]
    boxes += [((0.3, 0.1, 0.2), (0.0, 0.873 + 0.101 * k, 0.0)) for k in range(5)]
    boxes.append(((0.2, 0.24, 0.2), (0.0, 1.5, 0.0)))
    return boxes


def contacts_of(boxes: list[Box]) -> tuple[InterferenceModel, Array]:
    parts = "\n".join(f"b{k}: block({x}, {y}, {z})" for k, ((x, y, z), _) in enumerate(boxes))
    text = f"{BLOCK}\nworld w {{ components\nfloor: ground\n{parts}\n}}"
    poses = np.zeros((len(boxes) + 1, 7))
    poses[:, 3] = 1.0
    poses[1:, :3] = [place for _, place in boxes]
    return interference_model(art.parse(text).world("w")), poses


def mujoco_of(boxes: list[Box]) -> tuple[mujoco.MjModel, mujoco.MjData]:
    # y up, as above; MuJoCo's plane looks along its own z
    bodies = "".join(
        f'<body pos="{p[0]} {p[1]} {p[2]}"><freejoint/>'
        f'<geom type="box" size="{s[0] / 2} {s[1] / 2} {s[2] / 2}"/></body>'
        for s, p in boxes
    )
    plane = '<geom type="plane" size="9 9 1" zaxis="0 1 0"/>'
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody>{plane}{bodies}</worldbody></mujoco>"
    )
    return model, mujoco.MjData(model)


def compare(case: Case, boxes: list[Box], expected: int) -> None:
    interference, poses = contacts_of(boxes)
    assert len(interference.contacts(poses)) == expected
    case.time("articulata", lambda: interference.contacts(poses), ours=True)
    model, data = mujoco_of(boxes)

    def collide() -> None:
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)

    case.time("MuJoCo", collide, note="kinematics and collision, contacts in its own arrays")


def run(report: Report) -> None:
    for name, boxes, expected, target in (
        ("contacts of a stack of 10 boxes", stack(), 10, 2e-4),
        ("contacts of a figure of 20 boxes on the ground", figure(), 2, 1e-4),
    ):
        with report.case(
            name,
            unit="s",
            better="lower",
            target=target,
            note="poses to contacts as values, with the names of features and their polygons",
        ) as case:
            compare(case, boxes, expected)
    shapes: dict[str, tuple[Shape, object]] = {
        "boxes": (Cuboid(1, 0.6, 0.8), coal.Box(1, 0.6, 0.8)),
        "capsules": (Capsule(0.3, 0.7), coal.Capsule(0.3, 0.7)),
        "cylinders": (Cylinder(0.4, 0.9), coal.Cylinder(0.4, 0.9)),
    }
    for name, (ours, theirs) in shapes.items():
        with report.case(
            f"separations of {PAIRS} pairs of {name}",
            unit="pairs/s",
            better="higher",
            note="apart and overlapping, at random; coal: distances, called from Python",
        ) as case:
            _pairs(case, ours, theirs)


def _pairs(case: Case, ours: Shape, theirs: object) -> None:
    rng = np.random.default_rng(0)
    q = rng.normal(size=(2 * PAIRS, 4))
    poses = np.concatenate(
        [rng.normal(size=(2 * PAIRS, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)], axis=1
    )
    table = piece_table([ours] * (2 * PAIRS))
    now = standing(table.arrays)
    pairs = np.arange(2 * PAIRS).reshape(-1, 2)
    out = np.zeros((PAIRS, 4))

    def separate() -> None:
        stand(table.arrays, poses, now)
        separations(table.arrays, now, pairs, out)

    case.time("articulata", separate, count=PAIRS, ours=True)
    R = Rotation.from_quaternion(poses[:, 3:]).to_matrix()
    X = [coal.Transform3s(R[k], poses[k, :3]) for k in range(2 * PAIRS)]
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    distance = coal.ComputeDistance(theirs, theirs)

    def ask() -> None:
        for k in range(0, 2 * PAIRS, 2):
            result.clear()
            distance(X[k], X[k + 1], request, result)

    case.time("coal", ask, count=PAIRS)
