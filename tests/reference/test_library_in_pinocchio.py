"""The library's figures as Pinocchio reads them from URDF: poses of all links, centres of mass."""

from pathlib import Path

import numpy as np
import pytest

from articulata.formats.urdf.urdf_writer import write_urdf
from articulata.kinematics.figure import Figure
from articulata.kinematics.library import figure, figures

pinocchio = pytest.importorskip("pinocchio")

NAMES = sorted(figures())


def written(one: Figure, folder: Path) -> Path:
    made = write_urdf(one, folder)
    for name, data in made.meshes.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    path = folder / "figure.urdf"
    path.write_text(made.text, encoding="utf-8")
    return path


def drawn(one: Figure, count: int) -> np.ndarray:
    rng = np.random.default_rng(4)
    low = np.where(np.isfinite(one.lower), one.lower, -3.0)
    high = np.where(np.isfinite(one.upper), one.upper, 3.0)
    return rng.uniform(low, high, (count, one.dof))


@pytest.mark.parametrize("name", NAMES)
def test_pinocchio_sees_the_same_figure(name: str, tmp_path: Path) -> None:
    one = figure(name)
    model = pinocchio.buildModelFromXML(written(one, tmp_path).read_text(encoding="utf-8"))
    data = model.createData()
    for q in drawn(one, 10):
        p = pinocchio.neutral(model)
        for joint, value in one.named(q).items():
            number = model.getJointId(joint)
            at = model.joints[number].idx_q
            # A joint without limits is held as cosine and sine.
            p[at : at + model.joints[number].nq] = (
                (value,) if model.joints[number].nq == 1 else (np.cos(value), np.sin(value))
            )
        pinocchio.framesForwardKinematics(model, data, p)
        for joint in one.joints:
            link = model.getFrameId(one.links[joint.name].name, pinocchio.FrameType.BODY)
            frame = data.oMf[link].homogeneous
            np.testing.assert_allclose(one.link_pose(q, joint.name), frame, atol=1e-12)
        if one.mass and not one.root.mass and _all_moving(one):
            center = pinocchio.centerOfMass(model, data, p)
            np.testing.assert_allclose(one.center_of_mass(q), center, atol=1e-12)


def _all_moving(one: Figure) -> bool:
    """Return whether all mass moves: Pinocchio leaves out what is fixed to the world."""
    q = drawn(one, 2)
    still = [
        joint.name
        for joint in one.joints
        if np.array_equal(one.link_pose(q[0], joint.name), one.link_pose(q[1], joint.name))
    ]
    return not any(one.links[name].mass for name in still)
