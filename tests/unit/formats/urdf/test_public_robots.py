"""Five public arms read, written and compared with Pinocchio."""

from __future__ import annotations

import contextlib
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
import pytest

from articulata.errors import FormatError
from articulata.formats.urdf.urdf_figure import parse_urdf, read_urdf
from articulata.formats.urdf.urdf_writer import write_urdf
from unit.formats.urdf.pinocchio_twin import compare, drawn

ARMS = {
    "ur_description/urdf/ur5_robot.urdf": 6,
    "panda_description/urdf/panda.urdf": 8,
    "kinova_description/robots/kinova.urdf": 6,
    "xarm_description/urdf/xarm7.urdf": 7,
    "baxter_description/urdf/baxter.urdf": 17,
}
"""Files of the package example-robot-data, and the free coordinates of each robot."""


def located(name: str) -> Path:
    for each in files("example-robot-data") or ():
        if each.as_posix().endswith(name):
            return Path(str(each.locate())).resolve()
    raise AssertionError(f"example-robot-data has no {name}")


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_public_arms_agree_with_pinocchio_and_survive_writing(name: str) -> None:
    file = located(name)
    share = file.parents[4]
    figure = read_urdf(file, roots=[share])
    assert figure.dof == ARMS[name]
    assert compare(figure, file.read_text(), np.random.default_rng(1), postures=20) < 1e-12
    meshes = [p.shape for link in figure.links.values() for p in link.visuals]
    assert meshes
    again = parse_urdf(write_urdf(figure, file.parent).text, folder=file.parent, roots=[share])
    q = drawn(figure, np.random.default_rng(2), 20)
    order = [figure.names.index(each) for each in again.names]
    for link in figure.links.values():
        wanted = figure.landmark(q, link.name)
        np.testing.assert_allclose(again.landmark(q[:, order], link.name), wanted, atol=1e-12)


REFUSED = {
    "alex_psyonic_hands.urdf": "mimics 'index_q1', which is no joint with one value",
    "romeo_laas_small.urdf": "is not there; it was looked for at",
    "ur3.urdf": "the robot has no <link>",
    "torus_deform.urdf": "the robot has no <link>",
    "model_for_sdf.urdf": "is not there; it was looked for at",
    "racecar_differential.urdf": "is not there; it was looked for at",
    "biped2d_pybullet.urdf": "not well-formed XML",
    "diff_ring.urdf": "not well-formed XML",
    "humanoid.urdf": "not well-formed XML",
    "cube_no_rotation.urdf": "has lower limit 1 above upper limit -1",
}
"""Files that are no XML, contradict themselves or lack a mesh, and what is said of them."""


@pytest.mark.slow
@pytest.mark.filterwarnings("default::articulata.FormatWarning")
def test_public_files_are_read_as_people_have_them() -> None:
    """69 files of example-robot-data, and 1,095 more where pybullet is installed too."""
    found = []
    for package in ("example-robot-data", "pybullet"):
        with contextlib.suppress(PackageNotFoundError):
            found += [Path(str(each.locate())) for each in files(package) or ()]
    descriptions = [each for each in found if each.suffix == ".urdf"]
    assert len(descriptions) >= 69
    things, refused = 0, []
    for file in descriptions:
        try:
            figure = read_urdf(file)
        except FormatError as error:
            refused.append((file.name, str(error)))
        else:
            things += len(figure.joints) == 1 and not figure.dof
    assert things >= 1
    assert [each for each in refused if REFUSED.get(each[0], "no reason") not in each[1]] == []
