"""OpenSim's motion and storage files: what is written comes back, read as its guide says."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.errors import FormatError
from articulata.formats.joint_motions import write_storage
from articulata.geometry.arrays import Array
from articulata.report.export import exported

HALL = """
units: degree
figure arm {
  up: z
  chain body: plain table {
    trunk: fixed(link: trunk, mass: 40 kg, shape: cuboid(0.3, 0.2, 0.6) at (0, 0, 0.3))
    elbow: revolute(axis: x, limits: (-90, 90), link: leg, mass: 9 kg)
  }
  motion bow { 0 s: (elbow: 0); 0.4 s: (elbow: 60) }
}
world hall {
  components { anna: arm }
  structure { place anna by anna.base at (0, 0, 0); anna follows bow from 0 s }
}
simulate hall { time: (0.1 s, 0.4 s); domains: (geometric, kinematic) }
"""


def read(text: str) -> tuple[dict[str, str], list[str], Array]:
    """A reader of its own: header, names, numbers."""
    head, _, body = text.partition("endheader\n")
    lines = body.splitlines()
    said = dict(line.partition("=")[::2] for line in head.splitlines()[1:])
    numbers = np.array([[float(word) for word in line.split("\t")] for line in lines[1:]])
    return said, lines[0].split("\t"), numbers


def test_a_recording_is_written_as_a_motion() -> None:
    recording = art.simulate(art.parse(HALL).requests[0])
    for suffix, factor in ((".mot", 180.0 / np.pi), (".sto", 1.0)):
        text = exported(recording, suffix, None).decode()
        assert text.partition("\n")[0] == "anna"  # whose angles they are
        said, names, numbers = read(text)
        assert names == ["time", "elbow"]
        assert said["inDegrees"] == ("yes" if suffix == ".mot" else "no")
        assert (int(said["nRows"]), int(said["nColumns"])) == numbers.shape
        np.testing.assert_array_equal(numbers[:, 0], recording.times)
        angles = recording.series("anna.elbow.angle") * factor
        np.testing.assert_allclose(numbers[:, 1], angles, atol=1e-12)


def test_a_motion_of_several_is_called_as_their_world() -> None:
    two = HALL.replace("anna: arm", "anna, otto: arm")
    recording = art.simulate(art.parse(two).requests[0])
    for who, title in ((None, "hall"), (("otto",), "otto")):
        assert exported(recording, ".mot", who).decode().partition("\n")[0] == title


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(FormatError, match="do not belong"):
        write_storage("a", np.zeros(2), ["x"], np.zeros((3, 1)), degrees=True)
    with pytest.raises(FormatError, match="times of a motion rise"):
        write_storage("a", np.zeros(2), ["x"], np.zeros((2, 1)), degrees=True)
    still = HALL.replace("anna: arm", "").replace("place anna by anna.base at (0, 0, 0); ", "")
    still = still.replace("anna follows bow from 0 s", "").replace("kinematic", "control")
    with pytest.raises(FormatError, match="this one has none"):
        exported(art.simulate(art.parse(still).requests[0]), ".mot", None)
