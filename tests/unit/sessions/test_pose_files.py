"""From the text of a request to pose to its result folder."""

import json
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.app.main import app
from articulata.errors import NameNotFound, WorldError
from articulata.report.fronts import body_poses, recording_of, world_of

TEXT = """
primitive block {
  properties: (density: 500, fixed)
  geometry: cuboid(20 cm, 20 cm, 20 cm) where { face: (0, 0, -12 cm) }
}
world cell {
  gravity: (0, -9.81, 0)
  components { anna: human_upper_body; block: block }
  structure {
    place anna by anna.base at (0, 1 m, 0)
    place anna by properties: (fixed)
    place block by block.origin at (-0.2 m, 1.3 m, 0.6 m)
  }
}
pose touch {
  figure: anna
  world: cell
  place: "right hand" at block.face
  load: 1 kg in "right hand"
  minimise: 2 discomfort, torque
  move: "right arm"
  clear: 5 mm
}
pose alone {
  figure: planar_4_2_1
  place: hand at (5.7, 3.6, 0)
  minimise: discomfort
  maximise: dexterity
  choose: order
}
"""


def document(tmp_path: Path) -> Path:
    path = tmp_path / "cell.art"
    path.write_text(TEXT)
    return path


def test_a_request_of_a_text_is_answered_in_its_room(tmp_path: Path) -> None:
    request = next(r for r in art.read(document(tmp_path)).requests if r.name == "touch")
    front = art.pose(request, points=40).final()
    assert front.found
    assert front.redundancy == 4
    assert [aim.name for aim in front.aims] == ["discomfort", "torque"]
    assert front.aims[0].weight == 2.0
    assert front.error.max() < 1e-9
    world = world_of(front)
    figure = art.figure(world, "anna")
    hand = figure.landmark(front.q, "right hand")
    np.testing.assert_allclose(hand[:, :3, 3], np.tile([-0.2, 1.3, 0.48], (len(front), 1)),
                               atol=1e-9)  # fmt: skip
    block = art.Obstacle("block", world.bodies["block"].shape, world.bodies["block"].pose.matrix())
    assert art.Clash(figure, [block], own=False).distance(front.q).min() >= 0.005
    # drawn: the hand's body is where the figure's hand is
    shown = body_poses(world, front)
    assert shown.shape == (len(front), len(world.bodies), 7)
    assert len(recording_of(front).times) == len(front)


def test_the_command_writes_front_table_plots_and_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    app.run(["pose", str(document(tmp_path)), "--world", "alone", "--headless", "--out", str(out)])
    written = sorted(path.name for path in out.iterdir())
    assert written == ["front.artpose", "front.csv", "front.html", "front.png", "front.txt",
                       "postures.png", "provenance.json"]  # fmt: skip
    front = art.Front.load(out / "front.artpose")
    assert front.choice.startswith("order")
    low, high = front.values[:, 0].min(), front.values[:, 0].max()
    assert front.costing()["discomfort"] <= low + 0.0501 * (high - low)
    said = json.loads((out / "provenance.json").read_text())
    assert said["found"] is True
    assert set(said["results"]) == set(written) - {"provenance.json"}
    page = (out / "front.html").read_text()
    assert "dexterity" in page
    assert "http" not in page.replace("http-equiv", "")
    first = (out / "front.csv").read_bytes()
    app.run(["pose", str(document(tmp_path)), "--world", "alone", "--headless", "--out", str(out)])
    assert (out / "front.csv").read_bytes() == first
    assert "postures" in capsys.readouterr().err


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    text = TEXT.replace("figure: planar_4_2_1", "figure: planar_4_2")
    (tmp_path / "a.art").write_text(text)
    with pytest.raises((NameNotFound, WorldError), match="planar_4_2"):
        art.pose(next(r for r in art.read(tmp_path / "a.art").requests if r.name == "alone"))
