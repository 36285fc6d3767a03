"""Persons as H-Anim humanoids: they stand, weigh and turn as ours, by an evaluator of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import articulata as art
from articulata.errors import FormatError
from articulata.formats.vrml.humanoid_writer import is_person
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import Joint
from articulata.kinematics.library import figure as library_figure
from articulata.kinematics.world_figure import figure_of
from articulata.sessions.converting import convert

TEXT = """
primitive crate {{ properties: (fixed); geometry: cuboid(1, 1, 1) }}
world w {{
  components {{ p: person(1.7 m); box: crate }}
  structure {{
    place p by properties: (fixed), pose = ((1, 0, 2), quaternion(0.8, 0, 0.6, 0)){posture}
    place box by box.center at (5, 0, 0)
  }}
}}
"""
BENT = (
    ", l_shoulder_flexion = 0.7, l_shoulder_abduction = 0.3, l_elbow_flexion = 1, "
    "r_hip_flexion = 0.5"
)
"""A posture of several turns in one joint."""
NAMES = {
    "sacroiliac": "pelvis", "vl3": "l3", "vt6": "t6", "vc7": "c7",
    **{f"{s}_{j}": f"{s}_{b}" for s in "lr" for j, b in (
        ("sternoclavicular", "clavicle"), ("shoulder", "upperarm"), ("elbow", "forearm"),
        ("radiocarpal", "carpal"), ("hip", "thigh"), ("knee", "calf"), ("talocrural", "talus"))},
}  # fmt: skip
"""Joints and segments of ISO/IEC 19774 that a person of ours has."""


def numbers(element: ElementTree.Element, name: str, default: str) -> np.ndarray:
    return np.array(element.get(name, default).replace(",", " ").split(), float)


def moved(element: ElementTree.Element) -> np.ndarray:
    """Return T C R -C of a joint, site, humanoid or Transform (ISO/IEC 19775-1, 10.4.4)."""
    axis, angle = np.split(numbers(element, "rotation", "0 0 1 0"), [3])
    center = numbers(element, "center", "0 0 0")
    R = Rotation.from_rotvec(axis / np.linalg.norm(axis) * angle).as_matrix()
    X = np.eye(4)
    X[:3, :3] = R
    X[:3, 3] = numbers(element, "translation", "0 0 0") + center - R @ center
    return X


def walked(
    element: ElementTree.Element, X: np.ndarray
) -> Iterator[tuple[ElementTree.Element, np.ndarray]]:
    """Yield all nodes that stand in the skeleton, with the frames that they are in."""
    if "USE" in element.attrib:
        return
    if element.tag != "HAnimSegment":
        X = X @ moved(element)
    yield element, X
    for child in element:
        yield from walked(child, X)


@pytest.fixture(params=["", BENT], ids=["upright", "bent"])
def person(request: Any, tmp_path: Path) -> tuple[Figure, art.World, Path]:
    file = tmp_path / "p.art"
    file.write_text(TEXT.format(posture=request.param))
    world = art.assemble(art.read(file).world())
    return figure_of(world, "p"), world, file


def test_names_masses_and_places_are_those_of_the_standard(
    person: tuple[Figure, art.World, Path], tmp_path: Path
) -> None:
    figure, world, file = person
    convert(file, tmp_path / "p.x3d")
    (human,) = ElementTree.parse(tmp_path / "p.x3d").iter("HAnimHumanoid")
    found = list(walked(human, np.eye(4)))
    joints = [each for each, _ in found if each.tag == "HAnimJoint"]
    assert {each.get("name") for each in joints} == {"HumanoidRoot", *NAMES}
    for joint in joints[1:]:
        assert [each.get("name") for each in joint.findall("HAnimSegment")] == [
            NAMES[joint.get("name", "")]
        ]
    assert len(human.findall("HAnimJoint")) == 1 + len(joints)  # the skeleton, and each by USE
    bodies = sorted(
        (each for id, each in world.bodies.items() if id != "box"),
        key=lambda each: each.properties["mass"],
    )
    segments = sorted(
        ((e, X) for e, X in found if e.tag == "HAnimSegment"),
        key=lambda pair: float(pair[0].get("mass", 0)),
    )
    assert len(segments) == len(bodies) == 18
    gauges = []
    for things in (
        [(float(e.get("mass", 0)), (X @ [*numbers(e, "centerOfMass", ""), 1])[:3],
          X[:3, :3] @ numbers(e, "momentsOfInertia", "").reshape(3, 3) @ X[:3, :3].T)
         for e, X in segments],
        [_weight(body) for body in bodies],
    ):  # fmt: skip
        # pairs of limbs weigh the same: sums over all tell them apart by place
        each = [np.concatenate([[m], m * c, (m * np.outer(c, c) + J).ravel(), m * c**3])
                for m, c, J in things]  # fmt: skip
        gauges += [np.sum(each, axis=0)]
    assert gauges[0] == pytest.approx(gauges[1], abs=1e-9)
    sites = {e.get("name"): X[:3, 3] for e, X in found if e.tag == "HAnimSite"}
    q = figure.vector(world.figures["p"].values)
    for name in figure.landmarks:
        called = name.replace(" ", "_")
        called = called if called.endswith("_tip") else f"{called}_pt"
        assert sites[called] == pytest.approx(figure.landmark(q, name)[:3, 3], abs=1e-12), name


def _weight(body: Any) -> tuple[float, np.ndarray, np.ndarray]:
    X = body.pose.matrix()
    xx, yy, zz, xy, xz, yz = (*body.properties["inertia"], 0, 0, 0)[:6]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    m, c = body.properties["mass"], np.array(body.properties["mass_center"])
    return m, X[:3, :3] @ c + X[:3, 3], X[:3, :3] @ J @ X[:3, :3].T


@pytest.mark.parametrize("ending", ["x3d", "x3dj", "wrl"])
def test_what_is_written_is_read_with_its_limits_and_turns(
    person: tuple[Figure, art.World, Path], tmp_path: Path, ending: str
) -> None:
    figure, world, file = person
    convert(file, tmp_path / f"p.{ending}")
    document = art.read(tmp_path / f"p.{ending}")
    assert document.check() == ()
    other = art.assemble(document.world())
    (name,) = other.figures
    read = figure_of(other, name)
    assert read.dof == figure.dof
    # an axis may point the other way, with its limits
    ends = [each for each in figure.links.values() if each.mass]
    turns = [[each for each in of.joints if each.kind != "fixed"] for of in (figure, read)]
    signs = []
    for a, b in zip(*turns, strict=True):
        axes = [_axis(figure, a), _axis(read, b)]
        signs.append(float(axes[0] @ axes[1]))
        assert abs(signs[-1]) == pytest.approx(1.0, abs=1e-9), a.name
        assert sorted(np.sign(signs[-1]) * np.array(a.limits)) == pytest.approx(b.limits, abs=1e-12)
    rng = np.random.default_rng(5)
    q = rng.uniform(figure.lower, figure.upper)
    assert _places(figure, q) == pytest.approx(_places(read, np.sign(signs) * q), abs=1e-9)
    # it stands as it was written
    mine = sorted(_stands(each) for id, each in world.bodies.items() if id != "box")
    back = sorted(
        _stands(each) for id, each in other.bodies.items()
        if id.startswith(f"{name}.") and each.properties.get("mass")
    )  # fmt: skip
    assert len(mine) == len(ends)
    assert np.array(back) == pytest.approx(np.array(mine), abs=2e-6)


def _stands(body: Any) -> tuple[float, ...]:
    m, c, _ = _weight(body)
    return round(m, 9), *np.round(c, 6).tolist()


def _axis(figure: Figure, joint: Joint) -> np.ndarray:
    """Return the axis of a joint in the world, without turns before it."""
    parent = figure.parents[figure.index(joint.name)]
    X = figure.poses(np.zeros(figure.dof))[parent] if parent >= 0 else figure.base
    return np.array((X @ joint.X_PJ)[:3, 2])


def _places(figure: Figure, q: np.ndarray) -> np.ndarray:
    """Return masses and where they are (n, 4), the lightest first, left before right."""
    rows = []
    for X, joint in zip(figure.poses(q), figure.joints, strict=True):
        link = figure.links[joint.name]
        if link.mass:
            rows.append((round(link.mass, 9), joint.name[0], *(X @ [*link.center, 1.0])[:3]))
    return np.array([(mass, *p) for mass, _, *p in sorted(rows)])


def test_robots_stay_bodies_and_what_slides_is_refused(tmp_path: Path) -> None:
    assert not is_person(library_figure("manutec_r3"))
    (tmp_path / "r.art").write_text(
        "figure slide { chain all: plain table { a: prismatic(limits: (0, 1)) } }"
    )
    with pytest.raises(FormatError, match=r"joints all turn; convert it to \.urdf"):
        convert(tmp_path / "r.art", tmp_path / "r.x3d")
