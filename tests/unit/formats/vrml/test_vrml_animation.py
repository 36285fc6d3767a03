"""What moves in VRML97 and X3D, beside an oracle of its own by ISO/IEC 14772-1, 4.6.8, 4.6.9, 6.52.

Every quaternion of the oracle is a NumPy array w, x, y, z; nothing here comes from the reader.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.formats.gltf.animations import animations_of, poses
from articulata.formats.gltf.gltf_document import read_gltf
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.sessions.converting import convert
from articulata.sessions.film.film_files import move_in, setting_in
from articulata.world.writing.worlds import art_text

FAIR = """#VRML V2.0 utf8
DEF Door Transform { translation 0 1 0 center .5 0 0 children Shape {
  geometry Box { size 1 2 .1 } } }
DEF Lift Transform { translation 3 0 0 children [ Shape { geometry Box {} }
  DEF Wheel Transform { translation 0 2 0 children Transform { translation 1.5 0 0 rotation 1 0 0 .3
    children DEF Cabin Shape { geometry Sphere { radius .2 } } } } ] }
DEF Eye Viewpoint { position 0 1 10 }
DEF Slow TimeSensor { loop TRUE cycleInterval 4 }
DEF Fast TimeSensor { loop TRUE cycleInterval 2 }
DEF Turn OrientationInterpolator {
  key [0 .25 .5 1] keyValue [0 1 0 0, 0 1 0 1.5, 1 0 0 1, 0 1 0 0] }
DEF Up PositionInterpolator { key [0 .5 1] keyValue [3 0 0, 3 2 1, 3 0 0] }
DEF Spin OrientationInterpolator { key [0 .5 1] keyValue [0 0 1 0, 0 0 1 3.1, 0 0 1 6.2] }
DEF Fly PositionInterpolator { key [.1 .5 1] keyValue [0 1 10, 2 2 8, 0 1 9] }
ROUTE Slow.fraction_changed TO Turn.set_fraction
ROUTE Turn.value_changed TO Door.set_rotation
ROUTE Slow.fraction_changed TO Up.set_fraction
ROUTE Up.value_changed TO Lift.set_translation
ROUTE Fast.fraction_changed TO Spin.set_fraction
ROUTE Spin.value_changed TO Wheel.rotation
ROUTE Slow.fraction_changed TO Fly.set_fraction
ROUTE Fly.value_changed TO Eye.set_position
"""
TIMES = 0.0137 + 0.1934 * np.arange(41)
"""s, away from the instants at which a cycle ends."""


def turning(x: float, y: float, z: float, angle: float) -> np.ndarray:
    half = angle / 2
    axis = np.array([x, y, z]) / math.hypot(x, y, z)
    return np.array([math.cos(half), *(math.sin(half) * axis)])


def between(keys: list[float], values: list[np.ndarray], f: float) -> np.ndarray:
    """Return an interpolator's value at a fraction: straight, or the shorter arc of quaternions."""
    if f <= keys[0]:
        return values[0]
    if f >= keys[-1]:
        return values[-1]
    k = max(k for k in range(len(keys) - 1) if keys[k] <= f)
    s = (f - keys[k]) / (keys[k + 1] - keys[k])
    a, b = values[k], values[k + 1]
    if len(a) == 3:
        return a + s * (b - a)
    if a @ b < 0:
        b = -b
    angle = math.acos(min(1.0, a @ b))
    if angle < 1e-9:
        return a
    return (math.sin((1 - s) * angle) * a + math.sin(s * angle) * b) / math.sin(angle)


def matrix(q: np.ndarray, p: np.ndarray | tuple[float, ...] = (0, 0, 0)) -> np.ndarray:
    w, x, y, z = q
    X = np.eye(4)
    X[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    X[:3, 3] = p
    return X


def fair(t: float) -> dict[str, np.ndarray]:
    """Return where the Shapes of FAIR and its Viewpoint are at ``t`` s."""
    slow, fast = (t / 4) % 1, (t / 2) % 1
    still = np.array([1.0, 0, 0, 0])
    door = between(
        [0, 0.25, 0.5, 1],
        [still, turning(0, 1, 0, 1.5), turning(1, 0, 0, 1), still],
        slow,
    )
    up = between([0, 0.5, 1], [np.array(p, float) for p in ((3, 0, 0), (3, 2, 1), (3, 0, 0))], slow)
    spin = between([0, 0.5, 1], [turning(0, 0, 1, a) for a in (0, 3.1, 6.2)], fast)
    fly = between(
        [0.1, 0.5, 1], [np.array(p, float) for p in ((0, 1, 10), (2, 2, 8), (0, 1, 9))], slow
    )
    lift = matrix(still, up)
    return {
        "Door": matrix(door, (0.5, 1, 0)) @ matrix(still, (-0.5, 0, 0)),
        "Lift": lift,
        "Cabin": lift @ matrix(spin, (0, 2, 0)) @ matrix(turning(1, 0, 0, 0.3), (1.5, 0, 0)),
        "Eye": matrix(still, fly),
    }


def read(tmp_path: Path, text: str, name: str = "fair.wrl") -> Scene:
    file = tmp_path / name
    file.write_text(text)
    return scene_of(file)


def shapes(scene: Scene, t: float) -> dict[str, np.ndarray]:
    """Return where the shapes of a scene are, whatever frames their bodies have."""
    found = {}
    for part in scene.parts:
        stands = part.motion is None or t < part.motion.times[0]
        X = part.X_WP if stands else part.motion.at(t)[0]
        found[part.name] = X @ getattr(part.shape, "X_PS", np.eye(4))
    for view in scene.views:
        found[view.name] = view.X_WC if view.motion is None else view.motion.at(t)[0]
    return found


def apart(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> dict[str, float]:
    return {name: float(np.abs(found[name] - X).max()) for name, X in wanted.items()}


def test_things_move_as_the_specification_says(tmp_path: Path) -> None:
    scene = read(tmp_path, FAIR)
    assert not scene.lost
    assert [part.name for part in scene.parts] == ["Door", "Lift", "Cabin"]
    for t in TIMES:
        off = apart(shapes(scene, t), fair(t))
        assert max(off["Door"], off["Lift"], off["Eye"]) < 1e-12, t
        assert off["Cabin"] < 3e-5, t  # a turn within a travel: key frames of its own
    for part in scene.parts:
        X = part.X_WP @ part.shape.X_PS
        assert pytest.approx(fair(0.0)[part.name], abs=1e-12) == X


def test_a_run_and_a_film_show_them_move(tmp_path: Path) -> None:
    read(tmp_path, FAIR)
    file = tmp_path / "fair.wrl"
    document = art.read(file)
    assert document.check() == ()
    world = document.world()
    run = art.simulate(world, until=5.2, step=0.4, domains=("geometric", "kinematic"))
    scene = scene_of(file)
    offsets = {part.name: part.shape.X_PS for part in scene.parts}
    labels = run.channels["geometric.pose"].labels
    for t, rows in zip(run.times, run.array("geometric.pose"), strict=True):
        for name, X_BS in offsets.items():
            origin = (fair(t)[name] @ np.linalg.inv(X_BS))[:3, 3]
            seen = rows[labels.index(f"{name}.body")]
            assert seen[:3] == pytest.approx(origin, abs=3e-5), (name, t)
    setting = setting_in(file)
    assert setting.scenery is not None
    assert set(setting.scenery.bodies) == {"Door.body", "Lift.body", "Cabin.body"}
    assert setting.scenery.duration == pytest.approx(4.0)
    lift = setting.scenery.at(5.3)[setting.scenery.bodies.index("Lift.body")]
    assert lift[:3, 3] == pytest.approx(fair(5.3)["Lift"][:3, 3], abs=1e-9)
    move, (source,) = move_in(setting, file)
    assert source == file
    assert move is not None
    for t, X in zip(move.times, move.X_WC, strict=True):
        assert t > 3.99 or pytest.approx(fair(t)["Eye"], abs=1e-9) == X


def ramp(clock: str, more: str = "") -> str:
    return (
        "#VRML V2.0 utf8\n"
        "DEF T Transform { translation 9 0 0 children Shape { geometry Box {} } }\n"
        f"DEF C TimeSensor {{ {clock} }}\n"
        "DEF P PositionInterpolator { key [0 1] keyValue [0 0 0, 1 0 0] }\n"
        "ROUTE C.fraction_changed TO P.set_fraction\nROUTE P.value_changed TO T.translation\n"
        f"{more}"
    )


@pytest.mark.filterwarnings("ignore:.*not taken over")
@pytest.mark.parametrize(
    ("clock", "place"),
    [
        ("loop TRUE", lambda t: t % 1),
        ("loop TRUE cycleInterval 3", lambda t: t / 3 % 1),
        ("loop TRUE cycleInterval 3 startTime -2 stopTime -2", lambda t: (t + 2) / 3 % 1),
        ("loop TRUE cycleInterval 3 startTime 2", lambda t: 9 if t < 2 else (t - 2) / 3 % 1),
        ("startTime 2 cycleInterval 3", lambda t: 9 if t < 2 else min((t - 2) / 3, 1)),
        ("loop TRUE cycleInterval 3 stopTime 4", lambda t: min(t, 4) / 3 % 1),
        ("loop TRUE cycleInterval 3 startTime 1 stopTime 1",
         lambda t: 9 if t < 1 else (t - 1) / 3 % 1),
        ("startTime 1 cycleInterval 3 stopTime 2", lambda t: 9 if t < 1 else (min(t, 2) - 1) / 3),
        ("loop FALSE", lambda t: 9),
        ("loop TRUE enabled FALSE", lambda t: 9),
    ],
)  # fmt: skip
def test_clocks_run_as_their_fields_say(
    tmp_path: Path, clock: str, place: Callable[[float], float]
) -> None:
    scene = read(tmp_path, ramp(clock))
    for t in TIMES:
        assert shapes(scene, t)["T"][0, 3] == pytest.approx(place(t), abs=1e-6), t
    assert bool(scene.lost) == (place(0.0) == place(7.7) == 9)
    world = art.read(tmp_path / "fair.wrl").world()
    run = art.simulate(world, until=4.41, step=0.63, domains=("geometric", "kinematic"))
    (body,) = (id for id in world.bodies if id.startswith("T"))
    seen = run.series(f"{body}.position")[1:, 0]
    assert seen == pytest.approx([place(t) for t in run.times[1:]], abs=1e-6)


def test_a_fraction_may_go_through_an_interpolator_of_its_own(tmp_path: Path) -> None:
    text = ramp("loop TRUE cycleInterval 5").replace(
        "ROUTE C.fraction_changed TO P.set_fraction",
        "DEF S ScalarInterpolator { key [0 .4 1] keyValue [0 1.2 .3] }\n"
        "ROUTE C.fraction_changed TO S.set_fraction\nROUTE S.value_changed TO P.set_fraction",
    )
    scene = read(tmp_path, text)
    for t in TIMES:
        f = t / 5 % 1
        warped = 1.2 * f / 0.4 if f < 0.4 else 1.2 - 0.9 * (f - 0.4) / 0.6
        assert shapes(scene, t)["T"][0, 3] == pytest.approx(min(warped, 1.0), abs=1e-9), t


PROTOTYPE = """#VRML V2.0 utf8
PROTO Fan [ exposedField SFVec3f at 0 0 0  field SFTime every 2  eventIn SFFloat tilt ] {
  DEF Root Transform { translation IS at children DEF Blade Transform {
    children Shape { geometry Box {} } } }
  DEF Clock TimeSensor { loop TRUE cycleInterval IS every }
  DEF Spin OrientationInterpolator { key [0 .5 1] keyValue [0 1 0 0, 0 1 0 3, 0 1 0 6] }
  DEF Lean OrientationInterpolator { set_fraction IS tilt
    key [0 1] keyValue [1 0 0 0, 1 0 0 1] }
  ROUTE Clock.fraction_changed TO Spin.set_fraction
  ROUTE Spin.value_changed TO Blade.set_rotation
  ROUTE Lean.value_changed TO Root.set_rotation
}
DEF One Fan { at 1 0 0 }
DEF Two Fan { every 8 }
DEF C TimeSensor { loop TRUE cycleInterval 8 }
DEF P PositionInterpolator { key [0 1] keyValue [0 0 0, 0 5 0] }
ROUTE C.fraction_changed TO P.set_fraction
ROUTE P.value_changed TO Two.set_at
ROUTE C.fraction_changed TO Two.tilt
"""


def test_prototypes_move_by_routes_inside_and_from_outside(tmp_path: Path) -> None:
    scene = read(tmp_path, PROTOTYPE)
    assert scene.lost == {"ROUTE": 1}  # nothing tilts the first one
    for t in TIMES[:20]:
        found = shapes(scene, t)
        spins = [
            between([0, 0.5, 1], [turning(0, 1, 0, a) for a in (0, 3, 6)], t / every % 1)
            for every in (2, 8)
        ]
        tilt = matrix(turning(1, 0, 0, t / 8 % 1), (0, 5 * (t / 8 % 1), 0))
        one, two = (name for name in found)
        assert found[one] == pytest.approx(matrix(spins[0], (1, 0, 0)), abs=1e-9)
        assert found[two] == pytest.approx(tilt @ matrix(spins[1]), abs=3e-5)


@pytest.mark.parametrize("ending", ["wrl", "x3d", "x3dj"])
def test_what_moves_goes_out_as_interpolators(tmp_path: Path, ending: str) -> None:
    read(tmp_path, FAIR)
    assert convert(tmp_path / "fair.wrl", tmp_path / f"again.{ending}") == ""
    again = scene_of(tmp_path / f"again.{ending}")
    for t in TIMES:
        off = apart(shapes(again, t), fair(t))
        assert max(off["Door"], off["Lift"], off["Eye"]) < 1e-9, t
        assert off["Cabin"] < 3e-5, t


def test_what_moves_goes_out_as_an_animation_of_gltf(tmp_path: Path) -> None:
    read(tmp_path, FAIR)
    convert(tmp_path / "fair.wrl", tmp_path / "again.glb")
    document = read_gltf((tmp_path / "again.glb").read_bytes(), "again.glb")
    (moves,) = animations_of(document)
    for number, node in enumerate(document.listed("nodes")):
        if node["name"] in ("Lift", "Eye"):
            for t in TIMES[:20]:
                X = poses(document, number, [t], moves)[0]
                assert pytest.approx(fair(t)[node["name"]], abs=1e-5) == X
    again = scene_of(tmp_path / "again.glb")
    assert not again.lost
    # its things move when it is opened as a world, and their frames are those of the first file
    first = {each.name: each.motion for each in scene_of(tmp_path / "fair.wrl").parts}
    assert {each.name for each in again.parts} == set(first)
    for each in again.parts:
        given = first[each.name].at(TIMES)
        assert each.motion.at(TIMES) == pytest.approx(given, abs=3e-6), each.name
    assert again.views[0].motion.at([1.2])[0] == pytest.approx(fair(1.2)["Eye"], abs=1e-5)


def test_a_camera_s_move_goes_into_a_text_of_its_own(tmp_path: Path) -> None:
    read(tmp_path, FAIR)
    (tmp_path / "out").mkdir()
    convert(tmp_path / "fair.wrl", tmp_path / "out/fair.art")
    (tmp_path / "fair.wrl").unlink()
    file = tmp_path / "out/fair.art"
    move, _ = move_in(setting_in(file), file)
    assert move is not None
    assert move.X_WC[30] == pytest.approx(fair(1.2)["Eye"], abs=1e-9)


ZOOM = """#VRML V2.0 utf8
DEF Eye Viewpoint { position 0 1 10 fieldOfView .8 }
DEF Thing Transform { children Shape { geometry Box {} } }
DEF Slow TimeSensor { loop TRUE cycleInterval 4 }
DEF Lens ScalarInterpolator { key [0 .25 1] keyValue [.8 .4 1] }
DEF Grow PositionInterpolator { key [0 1] keyValue [1 1 1, 2 2 2] }
ROUTE Slow.fraction_changed TO Lens.set_fraction
ROUTE Lens.value_changed TO Eye.fieldOfView
ROUTE Slow.fraction_changed TO Grow.set_fraction
ROUTE Grow.value_changed TO Thing.scale
"""


GROWTH = """#VRML V2.0 utf8
Transform { translation 5 0 0 scale 2 2 2 children
  DEF Ball Transform { translation 0 1 0 center 0 -1 0 rotation 0 1 0 .5 scale 1 2 1 children
    DEF Inner Transform { translation 1 0 0 children Shape { geometry Box { size 1 1 1 } } } } }
DEF Slow TimeSensor { loop TRUE cycleInterval 4 }
DEF Grow PositionInterpolator { key [0 .5 1] keyValue [1 2 1, 3 1 2, 1 2 1] }
ROUTE Slow.fraction_changed TO Grow.set_fraction
ROUTE Grow.value_changed TO Ball.scale
"""


def grown(t: float) -> np.ndarray:
    """Return the corners (8, 3) of the box of ``GROWTH`` by the rule of a Transform (6.52)."""
    s = [np.interp(t % 4, [0, 2, 4], each) for each in ((1, 3, 1), (2, 1, 2), (1, 2, 1))]
    box = 0.5 * np.array(list(itertools.product((-1, 1), repeat=3)))
    box[:, 0] += 1.0
    center = np.array([0.0, -1.0, 0.0])
    cos, sin = math.cos(0.5), math.sin(0.5)
    about_y = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
    return 2.0 * (np.array(s) * (box - center)) @ about_y.T + [5, 0, 0]


@pytest.mark.parametrize("ending", ["wrl", "x3d", "x3dj"])
def test_what_grows_goes_out_as_it_came(tmp_path: Path, ending: str) -> None:
    scene = read(tmp_path, GROWTH)
    assert scene.lost == {"scale that changes (it stays as at the start)": 1}
    assert convert(tmp_path / "fair.wrl", tmp_path / f"again.{ending}") == ""
    for each in (scene, scene_of(tmp_path / f"again.{ending}")):
        (part,) = each.parts
        assert part.growth is not None
        for t in (0.0, 0.7, 2.0, 3.1, 4.5):
            s = [np.interp(t % 4.0, part.growth.times, row) for row in part.growth.scales.T]
            vertices = triangles_of(part.shape)[0] * s
            there = vertices @ part.X_WP[:3, :3].T + part.X_WP[:3, 3]
            apart = np.linalg.norm(grown(t)[:, None] - there[None], axis=2)
            assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < 1e-5, t


def test_what_grows_goes_out_as_an_animation_of_gltf(tmp_path: Path) -> None:
    read(tmp_path, GROWTH)
    convert(tmp_path / "fair.wrl", tmp_path / "again.glb")
    document = read_gltf((tmp_path / "again.glb").read_bytes(), "again.glb")
    (moves,) = animations_of(document)
    assert set(moves.samplers) == {"/nodes/0/scale"}
    assert moves.samplers["/nodes/0/scale"].at([1.0, 2.0]) == pytest.approx(
        np.array([[2, 0.75, 1.5], [3, 0.5, 2]]), abs=1e-5
    )


def test_what_grows_askew_is_named(tmp_path: Path) -> None:
    told = {"scale that changes with what moves in it (it stays as at the start)": 1}
    uneven = GROWTH.replace("scale 2 2 2", "scale 1 2 3")
    askew = GROWTH.replace("scale 1 2 1", "scale 1 2 1 scaleOrientation 0 0 1 .3")
    for text in (uneven, askew):
        scene = read(tmp_path, text)
        assert scene.lost == told
        assert scene.parts[0].growth is None


def test_a_viewpoint_zooms_and_what_changes_its_size_is_named(tmp_path: Path) -> None:
    scene = read(tmp_path, ZOOM)
    assert scene.lost == {"scale that changes (it stays as at the start)": 1}
    convert(tmp_path / "fair.wrl", tmp_path / "again.x3d")
    for each in (scene, scene_of(tmp_path / "again.x3d")):
        (view,) = each.views
        assert view.motion is None
        assert view.zoom is not None
        assert view.zoom.at([0, 0.5, 1, 2.5, 6.5]) == pytest.approx([0.8, 0.6, 0.4, 0.7, 0.7])
    file = tmp_path / "fair.art"
    convert(tmp_path / "fair.wrl", file)
    move, _ = move_in(setting_in(file), file)
    assert move is not None
    frames = np.array([0, 1, 2]) * round(float(move.rate))
    # half the height of a full frame over the tangent of half the angle
    angles = np.array([0.8, 0.4, 0.6])
    assert move.optics["focal"][frames] == pytest.approx(0.012 / np.tan(angles / 2))


@pytest.mark.parametrize("ending", ["wrl", "x3d"])
def test_a_recording_goes_out_as_interpolators(tmp_path: Path, ending: str) -> None:
    text = """
    primitive rod { properties: (density: 7850); geometry: cuboid(5 cm, 1 m, 5 cm) where { top: (0, 50 cm, 0) }; dynamics }
    world swing { gravity: (0, -9.81, 0)
      components { anchor: fixed_point; rod: rod }
      structure { join rod to anchor with pin(axis: z) matching (top, center)
        place anchor by anchor.center at (0, 2, 0), rod.angle = 1 } }
    """  # noqa: E501 -- a text of ours
    run = art.simulate(art.parse(text).world(), until=1.0, step=0.1)
    art.export(run, tmp_path / f"run.{ending}")
    (part,) = (part for part in scene_of(tmp_path / f"run.{ending}").parts if part.motion)
    angle, inside = run.series("rod.angle"), slice(0, -1)  # the last frame is the first again
    p = np.array([[0.5 * math.sin(a), 2 - 0.5 * math.cos(a), 0] for a in angle])
    assert part.motion.at(run.times[inside])[:, :3, 3] == pytest.approx(p[inside], abs=1e-8)


def test_an_imported_world_moves_where_it_stands(tmp_path: Path) -> None:
    read(tmp_path, FAIR)
    (tmp_path / "two.art").write_text(
        'import "fair.wrl" as fair\n'
        "world w { gravity: (0, 0, -9.81)\n components { a: fair; b: fair }\n"
        "structure { place b by b.frame.center at (20, 0, 0) turned 90 deg about x } }\n"
    )
    world = art.read(tmp_path / "two.art").world()
    assert art.parse(art_text(world), folder=tmp_path).world().figures == world.figures
    run = art.simulate(world, until=1.3, step=1.3, domains=("geometric", "kinematic"))
    lift = fair(1.3)["Lift"][:3, 3]
    assert run.series("a.Lift.body.position")[-1] == pytest.approx(lift, abs=1e-9)
    # a quarter turn about x takes (x, y, z) to (x, -z, y)
    there = [20 + lift[0], -lift[2], lift[1]]
    assert run.series("b.Lift.body.position")[-1] == pytest.approx(there, abs=1e-9)


STRAY = """DEF Q PositionInterpolator {{ key [{keys}] keyValue [{values}] }}
ROUTE C.fraction_changed TO Q.set_fraction
DEF U Transform {{ children Shape {{ geometry Box {{}} }} }}
ROUTE Q.value_changed TO U.translation
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ROUTE C.fraction_changed TO T.translation", "is SFFloat, 'translation' of Transform 'T' "
         "takes SFVec3f"),
        ("ROUTE P.value_changed TO T.rotation", "is SFVec3f, 'rotation' of Transform 'T' takes "
         "SFRotation"),
        ("ROUTE C.cycleTime TO P.set_fraction", "is SFTime, 'set_fraction'"),
        ("ROUTE C.fraction TO P.set_fraction", "no eventOut 'fraction'; did you mean"),
        ("ROUTE P.value_changed TO T.children", "takes MFNode"),
        (STRAY.format(keys="0 1", values="0 0 0"), "has 2 keys and 1 values"),
        (STRAY.format(keys="1 0", values="0 0 0 1 1 1"), "keys in rising order"),
    ],
)  # fmt: skip
def test_wrong_routes_and_keys_are_refused_at_their_place(
    tmp_path: Path, text: str, words: str
) -> None:
    file = tmp_path / "bad.wrl"
    file.write_text(ramp("loop TRUE", text))
    (finding,) = art.check(file)
    assert words in finding.message
    assert f"{finding.line}:{finding.column}" == "7:1"


def test_a_wrong_route_of_x3d_is_refused_at_its_place(tmp_path: Path) -> None:
    file = tmp_path / "bad.x3d"
    file.write_text(
        "<X3D version='3.3'><Scene><TimeSensor DEF='C' loop='true'/>\n<Transform DEF='T'/>\n"
        "  <ROUTE fromNode='C' fromField='fraction_changed' toNode='T' toField='translation'/>"
        "</Scene></X3D>"
    )
    (finding,) = art.check(file)
    assert "is SFFloat" in finding.message
    assert (finding.line, finding.column) == (3, 3)


def test_what_waits_for_a_person_is_named(tmp_path: Path) -> None:
    more = (
        "DEF B TouchSensor {}\nROUTE B.touchTime TO C.startTime\n"
        'DEF J Script { url "javascript: go" eventOut SFVec3f at }\n'
        "DEF U Transform { children Shape { geometry Sphere {} } }\nROUTE J.at TO U.translation\n"
    )
    scene = read(tmp_path, ramp("loop FALSE", more))
    assert all(part.motion is None for part in scene.parts)
    assert scene.lost == {
        "ROUTE": 4, "TimeSensor": 1, "PositionInterpolator": 1, "TouchSensor": 1, "Script": 1
    }  # fmt: skip


def test_circles_of_routes_and_endless_corners_end(tmp_path: Path) -> None:
    text = (
        "DEF D TimeSensor { loop TRUE cycleInterval 7 }\n"
        "ROUTE T.translation TO T.translation\nROUTE P.value_changed TO T.set_translation\n"
        "DEF O OrientationInterpolator { key [0 1] keyValue [0 1 0 0 0 1 0 1] }\n"
        "ROUTE D.fraction_changed TO O.set_fraction\nROUTE O.value_changed TO T.rotation"
    )
    scene = read(tmp_path, ramp("loop TRUE cycleInterval 1e-9", text))
    assert any("corners" in each for each in scene.lost)
    assert all(part.motion is None for part in scene.parts)


JSON = """{ "X3D": { "encoding": "UTF-8", "@version": "3.3",
  "#comment": "a remark", "Scene": { "-children": [
  { "Transform": { "@DEF": "Lift", "@translation": [1, 2, 3], "-children": [
    { "Shape": { "-appearance": { "Appearance": { "-material": { "Material": {
        "@diffuseColor": [1, 0, 0] } } } },
    "-geometry": { "Box": { "@size": [1, 2, 3] } } } } ] } },
  { "TimeSensor": { "@DEF": "C", "@loop": true, "@cycleInterval": 4 } },
  { "PositionInterpolator": { "@DEF": "P", "@key": [0, 1], "@keyValue": [0, 0, 0, 4, 0, 0] } },
  { "ROUTE": { "@fromNode": "C", "@fromField": "fraction_changed",
    "@toNode": "P", "@toField": "set_fraction" } },
  { "ROUTE": { "@fromNode": "P", "@fromField": "value_changed",
    "@toNode": "Lift", "@toField": "translation" } } ] } } }
"""


def test_x3d_in_json_is_the_same_nodes(tmp_path: Path) -> None:
    scene = read(tmp_path, JSON, "room.x3dj")
    assert not scene.lost
    (part,) = scene.parts
    assert (part.name, part.color) == ("Lift", (1.0, 0.0, 0.0))
    assert shapes(scene, 1.3)["Lift"][:3, 3] == pytest.approx([1.3, 0, 0], abs=1e-9)
    bad = tmp_path / "bad.json"
    for text, place, words in (
        (JSON.replace('"Box": { "@size"', '"Box": { "@sise"'), None, "Box.sise"),
        (JSON.replace("[1, 2, 3] } } } }", "[1, 2] } } } }"), "6:20", "3 numbers are due"),
        (JSON.replace('"@toField": "translation"', '"@toField": "rotation"'), "11:5", "SFVec3f"),
        (JSON.replace("4 } }", "4 } ", 1), "8:", "Expecting"),
        (JSON.replace('{ "Box": { "@size": [1, 2, 3] } }', "3"), "4:7", "holds nodes"),
    ):
        bad.write_text(text)
        if place is None:
            assert any(words in each for each in scene_of(bad).lost)
            continue
        (finding,) = art.check(bad)
        assert words in finding.message
        assert f"{finding.line}:{finding.column}".startswith(place)
