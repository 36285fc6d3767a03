"""A viewer with a run behind it: what is seen before the run has its first frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from articulata.sessions.showing import Showing
from articulata.sessions.simulation import Wish

TEXT = """
primitive box { geometry: cuboid(0.1, 0.2, 0.1); dynamics }
world shelf {
  components { a, b: box }
  structure { place b by b.center at (1, 2, 3) }
}
simulate shelf { time: (10 ms, 1 s) }
"""


def test_the_world_stands_there_before_its_run(tmp_path: Path) -> None:
    file = tmp_path / "shelf.art"
    with Showing() as showing:
        file.write_text("world shelf { components { a: nothing } }", encoding="utf-8")
        showing.begin(Wish(file, tmp_path / "out"))  # who simulates it will say what is wrong
        assert showing.viewer.end_shown is None
        file.write_text(TEXT, encoding="utf-8")
        showing.begin(Wish(file, tmp_path / "out"))
        motion = showing.viewer._motion
        assert motion is not None
        assert [look.id for look in motion.looks] == ["a", "b"]
        assert np.array_equal(motion.poses[0, 1, :3], (1.0, 2.0, 3.0))
        assert motion.world is None  # nothing is posed while a run is about to begin
        showing.viewer.check()
