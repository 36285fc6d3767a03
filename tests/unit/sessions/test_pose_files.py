"""From the text of a request to pose to its result folder."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.analyses.pose.moving import motion_to
from articulata.analyses.pose.pose_question import search_of
from articulata.analyses.pose.pose_request import asked_of
from articulata.app.main import app
from articulata.errors import NameNotFound, WorldError
from articulata.report.drawn_scene import scene_of
from articulata.report.front_tables import body_poses, plot_postures, recording_of, world_of
from articulata.report.viewer.layers import Labels, Points
from articulata.report.viewer.panels.board import Desk
from articulata.report.viewer.panels.pose_panel import PosePanel, joints_table, values_table
from articulata.sessions.pose_files import LivePose, motion_in, places_of

UP = np.array([0.0, 0.03, -0.02])

TEXT = """
primitive block {
  properties: (density: 500, fixed)
  geometry: cuboid(20 cm, 20 cm, 20 cm) where { face: (0, 0, -15 cm) }
}
world cell {
  gravity: (0, -9.81, 0)
  components { anna: human_upper_body; block: block }
  structure {
    place anna by anna.base at (0, 1 m, 0)
    place anna by properties: (fixed)
    place block by block.origin at (-0.2 m, 1.3 m, 0.63 m)
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


def test_a_text_pushes_weighs_joints_and_names_forms_and_sides() -> None:
    def front(clauses: str) -> art.Front:
        what = 'figure: human_upper_body; place: "right hand" at (-0.25, 0.55, 0.42)'
        (request,) = art.parse(f"pose it {{ {what}; {clauses} }}").requests
        found = art.pose(request, points=8).final()
        assert found.found
        return found

    pushed = front('push: 50 N at "right hand" toward -y; minimise: torque')
    assert pushed.costing()["torque"] > 1.5 * front("minimise: torque").costing()["torque"]
    forms = front("minimise: 2 discomfort sum, rula, rula left, arm_relation left; choose: order")
    assert [aim.name for aim in forms.aims] == [
        "discomfort", "rula", "rula left", "arm relation left",
    ]  # fmt: skip
    assert forms.aims[0].unit == "rad"
    assert "form sum; shoulder and elbow weigh 2, a proposal" in forms.aims[0].source
    plain = front("minimise: reba, discomfort; choose: order")
    work = "work: static, repeated, unstable, uneven_feet, grip unacceptable"
    hard = front(f"minimise: reba, discomfort; {work}; choose: order")
    # three for the activity, and more for feet and grip
    assert hard.costing()["reba"] >= plain.costing()["reba"] + 3.0
    with pytest.raises(WorldError, match="'work' counts in rula and reba"):
        front("minimise: discomfort; work: seated")
    at_most = front("minimise: discomfort; limits: r_elbow_flexion from 0 deg to 30 deg")
    assert np.degrees(at_most.q[:, at_most.names.index("r_elbow_flexion")].max()) <= 30.0 + 1e-9
    with pytest.raises(WorldError, match="moves from 0 to 150 deg; write angles within"):
        front("limits: r_elbow_flexion from 0 deg to 200 deg")
    with pytest.raises(WorldError, match="did you mean 'r_elbow_flexion'"):
        front("limits: r_elbow_flex from 0 deg to 20 deg")
    reaching = 'move: "trunk and right arm"; minimise: lumbar_load'
    loaded, upright = front(reaching), front(f"{reaching}; lean: 2 deg")
    assert loaded.aims[0].unit == "N"
    # N: the end of a descent is known to a share of 1e-5 of what it came down from
    assert loaded.costing()["lumbar load"] <= upright.costing()["lumbar load"] + 0.5
    stiff = front("weigh: r_elbow_flexion by 100")
    assert "weights given by joint" in stiff.aims[0].source
    assert (
        stiff.named()["r_elbow_flexion"] < front("minimise: discomfort").named()["r_elbow_flexion"]
    )
    with pytest.raises(WorldError, match="'weigh' counts in discomfort and torque"):
        front("weigh: r_elbow_flexion by 2; minimise: energy")
    with pytest.raises(WorldError, match="did you mean 'r_elbow_flexion'"):
        front("weigh: r_elbo by 2")


def test_the_command_writes_front_table_plots_and_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes: list[object] = []

    def counted(*given: Any) -> object:
        scenes.append(scene_of(*given))
        return scenes[-1]

    monkeypatch.setattr("articulata.report.page.recording_page.scene_of", counted)
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
    assert len(scenes) == 1
    assert "dexterity" in page
    assert "http" not in page.replace("http-equiv", "")
    near = re.search(r'"near":\{"center":\[(.+?)\],"radius":(.+?),"azimuth"', page)
    assert near is not None
    center = np.array([float(each) for each in near[1].split(",")])
    # the page looks at the arm: its hand is in the sphere, which is no larger than the arm is long
    assert np.linalg.norm(center - [5.7, 3.6, 0.0]) < float(near[2]) < 8.0
    first = (out / "front.csv").read_bytes()
    app.run(["pose", str(document(tmp_path)), "--world", "alone", "--headless", "--out", str(out)])
    assert (out / "front.csv").read_bytes() == first
    assert "postures" in capsys.readouterr().err


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    text = TEXT.replace("figure: planar_4_2_1", "figure: planar_4_2")
    (tmp_path / "a.art").write_text(text)
    with pytest.raises((NameNotFound, WorldError), match="planar_4_2"):
        art.pose(next(r for r in art.read(tmp_path / "a.art").requests if r.name == "alone"))


def test_a_hand_and_an_elbow_are_dragged_live(tmp_path: Path) -> None:
    request = next(r for r in art.read(document(tmp_path)).requests if r.name == "touch")
    near = asked_of(request)
    # nothing in the way: who stands at a bound is held back by it
    asked = replace(near, scene=replace(near.scene, margin=None))
    live = LivePose(asked, search_of(asked, points=20))
    assert live.hands == ("right hand",)
    assert live.elbows == ("r_elbow",)
    for _ in range(80):
        best, poses = live.step("", None)
    hand, elbow = live.place("right hand"), live.place("r_elbow")
    assert poses.shape == (len(asked.world.bodies), 7)
    for _ in range(4):
        live.step("right hand", hand + UP)
    np.testing.assert_allclose(live.place("right hand"), hand + UP, atol=1e-6)
    live = LivePose(asked, search_of(asked, points=20))
    live.step("r_elbow", elbow + np.array([-0.06, 0.0, 0.0]))
    np.testing.assert_allclose(live.place("right hand"), hand, atol=1e-6)
    assert np.linalg.norm(live.place("r_elbow") - elbow) > 0.01
    for _ in range(80):
        back, _ = live.step("", None)
    assert np.linalg.norm(live.place("r_elbow") - elbow) < 0.01
    assert back.named().keys() == best.named().keys()


class _Seen:
    """Stands for every part of a page: takes what is set, answers with itself."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Seen()

    def __call__(self, *_: object, **__: object) -> Any:
        return _Seen()


class _Layers:
    """Stands for the layers of a page: keeps where the last things of each name are."""

    def __init__(self) -> None:
        self.places: dict[str, np.ndarray] = {}

    def show(self, layer: Labels | Points) -> None:
        self.places[layer.name] = np.array(layer.places)


def test_the_panel_shows_the_posture_that_is_chosen(tmp_path: Path) -> None:
    request = next(r for r in art.read(document(tmp_path)).requests if r.name == "touch")
    asked = asked_of(request)
    search = search_of(asked, points=12)
    front = search.final()
    poses = body_poses(asked.world, front)
    panel = PosePanel(front, poses, places_of(asked), LivePose(asked, search))
    shown: list[np.ndarray] = []
    wishes: list[tuple[str, object]] = []
    layers = _Layers()
    panel.build(Desk(_Seen(), _Seen(), layers, lambda n, v: wishes.append((n, v)), shown.append,
                     lambda: 2.0))  # fmt: skip
    np.testing.assert_array_equal(shown[-1], poses[front.chosen])
    # numbers of a narrow panel stand apart, and lines break at no unit
    for table in (values_table(front), joints_table(front)):
        cells = [line.split(" | ")[1:] for line in table.splitlines()[2:] if line.startswith("|")]
        for line in table.splitlines()[2:]:  # no piece of a name is longer than 20 letters
            assert (
                not line.startswith("|")
                or max(map(len, line.split(" | ")[0].split("<wbr />"))) <= 22
            ), line
        numbers = [each.rstrip(" |") for row in cells for each in row if each.strip(" |")]
        assert len(numbers) > 4
        assert all(
            each.startswith("&nbsp;") and " " not in each for each in numbers if "N m" not in each
        )
    panel.grant("posture", 0)
    np.testing.assert_array_equal(shown[-1], poses[0])
    panel.grant("choose", "best torque")
    assert panel.front.chosen == front.ranked("torque")[0]
    panel.grant("weight 1", 0.0)
    assert panel.front.chosen == front.ranked("discomfort")[0]
    panel.grant("live", True)
    hand = places_of(asked)["right hand"]
    np.testing.assert_allclose(layers.places["pose target"], [hand])
    panel.grant("drag right hand", hand + UP)
    np.testing.assert_allclose(layers.places["pose target"], [hand + UP])
    np.testing.assert_allclose(layers.places["pose names"], [hand + UP])
    panel.grant("settle", None)
    np.testing.assert_allclose(layers.places["pose target"], [hand + UP])
    assert wishes[-1] == ("settle", None)
    assert shown[-1].shape == poses[0].shape
    # a posture of the front has the targets of the question
    panel.grant("posture", 1)
    np.testing.assert_allclose(layers.places["pose target"], [hand])


def test_labels_of_targets_do_not_touch() -> None:
    """A jar is seen and taken, 9 cm apart: one label; two hands on a box: two, moved apart."""
    names = ("r_grip", "eyes", "l_grip")
    places = np.array([(0.0, 0.0, 0.0), (0.05, 0.0, 0.07), (0.3, 0.0, 0.0)])
    targets = dict(zip(names, places, strict=True))
    nothing: Any = None
    panel = PosePanel(nothing, np.array([[(0.0,) * 7, (3.0, *(0.0,) * 6)]]), targets)
    layers = _Layers()
    panel._desk = Desk(_Seen(), _Seen(), layers, print, print, lambda: 2.0)
    panel._mark()
    np.testing.assert_allclose(layers.places["pose target"], places)
    np.testing.assert_allclose(layers.places["pose names"], [(-0.2, 0, 0), (0.5, 0, 0)])


def test_no_two_joints_of_a_plot_are_drawn_alike() -> None:
    figure = art.figure("human_upper_body")
    hand = figure.landmark(figure.neutral, "right hand")[:3, 3] + [0.0, 0.3, 0.3]
    aims = [art.Objective("discomfort"), art.Objective("torque")]
    front = art.pose(figure, {"right hand": hand}, objectives=aims, points=6).final()
    under = plot_postures(front).axes[1]
    lines = under.lines[: len(under.get_legend().get_texts())]
    drawn = {(line.get_color(), line.get_linestyle()) for line in lines}
    assert len(drawn) == len(lines) > 8


@pytest.mark.parametrize("law", ["minimum_jerk", "minimum_torque_change", "straight"])
def test_the_chosen_posture_is_moved_to(tmp_path: Path, law: str) -> None:
    path = tmp_path / "cell.art"
    path.write_text(TEXT.replace("  clear: 5 mm\n", f"  motion: {law} in 2 s\n"))
    asked = asked_of(next(r for r in art.read(path).requests if r.name == "touch"))
    front = search_of(asked, points=8).final()
    times, q = motion_to(asked.scene, front.posture, law, 2.0)
    assert (times[0], times[-1]) == (0.0, 2.0)
    np.testing.assert_allclose(q[0], asked.scene.start, atol=1e-12)
    np.testing.assert_allclose(q[-1], front.posture, atol=1e-9)
    assert np.abs(np.diff(q, axis=0)).max() < 0.2
    hand = asked.scene.figure.landmark(q, "right hand")[:, :3, 3]
    way = (hand[-1] - hand[0]) / np.linalg.norm(hand[-1] - hand[0])
    off = np.linalg.norm(np.cross(hand - hand[0], way), axis=1)
    assert (off.max() < 1e-3) == (law == "minimum_jerk")
    recording = motion_in(asked, front)
    assert recording is not None
    assert recording.times[-1] == 2.0


def test_eyes_look_at_what_the_text_says_and_their_handle_is_there() -> None:
    text = TEXT.replace("anna: human_upper_body", "anna: person").replace(
        'move: "right arm"', "look: at block within 1 deg"
    )
    asked = asked_of(art.parse(text).requests[0])
    search = search_of(asked, points=4)
    front = search.final()
    assert front.found
    figure, block = asked.scene.figure, asked.world.bodies["block"].pose.matrix()[:3, 3]
    for q in front.q:
        X = figure.landmark(q, "eyes")
        way = (block - X[:3, 3]) / np.linalg.norm(block - X[:3, 3])
        assert np.arccos(min(1.0, float(way @ X[:3, 2]))) <= np.radians(1.0) + 1e-9
    np.testing.assert_allclose(LivePose(asked, search).place("eyes"), block)
    both = text.replace("look: at block", 'look: "right hand" at block')
    with pytest.raises(WorldError, match="'right hand' has a place and looks at something"):
        asked_of(art.parse(both).requests[0])
