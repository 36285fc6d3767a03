"""Springs as they are drawn: whole between their ends, and there while they act."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.geometry.quaternion import q_rotate
from articulata.report.drawn_scene import scene_of
from articulata.report.springs import PIECES, bent, is_half, pieces
from articulata.report.viewer.motion_sources import motion_of

FALLING = """
primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics }

world hanging {
  gravity: (0, -9.81, 0)
  components { hook: fixed_point; load: ball; floor: ground }
  structure {
    join load to hook with spring(stiffness: 20 N/m) as coil matching (center, center)
    place hook by hook.center at (0, 2, 0)
    place load by load.center at (0.2, 1.5, 0)
  }
}

simulate hanging {
  time: (10 ms, 1 s)
  on contact(load, floor): break coil
}
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_pieces_lead_from_end_to_end(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = rng.normal(size=(2, 20, 3))
    q[0] = p[0] + (0.0, 0.0, 0.7)  # along the direction to who looks
    reach = np.full(20, np.linalg.norm(q - p, axis=1).max())
    ahead, up = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    poses = bent(p, q, reach, ahead, up)
    assert poses.shape == (20, PIECES, 7)
    whole, half = pieces(float(reach[0]))
    length = np.array([(half if is_half(k) else whole).length for k in range(PIECES)])
    ahead_z = q_rotate(poses[..., 3:], np.broadcast_to([0.0, 0.0, 1.0], (20, PIECES, 3)))
    low = poses[..., :3] - 0.5 * length[:, None] * ahead_z
    high = poses[..., :3] + 0.5 * length[:, None] * ahead_z
    np.testing.assert_allclose(low[:, 0], p, atol=1e-12)
    np.testing.assert_allclose(high[:, -1], q, atol=1e-12)
    np.testing.assert_allclose(low[:, 1:], high[:, :-1], atol=1e-12)


def test_a_spring_is_drawn_while_it_acts() -> None:
    recording = art.simulate(art.parse(FALLING).requests[0])
    scene = scene_of(recording)
    numbers = [k for k, name in enumerate(scene.order) if name.startswith("coil~")]
    assert len(numbers) == PIECES
    here = scene.present[:, numbers]
    np.testing.assert_array_equal(here.all(axis=1), here.any(axis=1))
    (end,) = (event.time for event in recording.events if event.kind == "edit")
    np.testing.assert_array_equal(
        here[recording.times != end, 0], recording.times[recording.times != end] < end
    )
    (shown,) = motion_of(recording).springs
    stands = [shown.stands(frame) for frame in range(len(recording.times))]
    np.testing.assert_array_equal(stands, here[:, 0])
