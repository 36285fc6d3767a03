"""Five public arms read, written and compared with Pinocchio."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

import numpy as np
import pytest

from articulata.formats.urdf.reading import parse_urdf, read_urdf
from articulata.formats.urdf.writing import write_urdf
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
