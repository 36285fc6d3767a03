"""The folder of a film: the move, what the robot makes of it, and what a controller takes.

| file | holds |
|---|---|
| ``move.json`` | the camera's move, to be loaded again |
| ``camera.csv`` | the same as a table |
| ``flight.csv``, ``reports.csv`` | of a move that was flown: its ticks, what the device said |
| ``outputs.csv`` | what the device put out: speeds, position, coordinates of a viewpoint |
| ``verdict.json``, ``verdict.csv``, ``verdict.txt`` | what the robot makes of each frame |
| ``joints.csv``, ``trajectory.json`` | the move as the robot carries it; a JointTrajectory |
| ``camera.gltf`` | camera and links as a glTF animation |
| ``run.artrun`` | a recording of that, to be looked at |
| ``replay.html`` | for ``animation``: a page |
| ``robot.txt`` | of a robot that was given the joints: its cycles, and those that came late |
| ``provenance.json`` | hashes, versions, units |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from articulata.analyses.film.controller_replay import replays
from articulata.analyses.film.film_question import Setting
from articulata.analyses.film.judged_move import judge
from articulata.analyses.film.scenery import Scenery
from articulata.analyses.film.shaping import device_outputs
from articulata.analyses.film.slowing import slowed
from articulata.analyses.film.takes import Take
from articulata.domains.kinematic.kinematic_domain import kinematic_model, poses_as_rows
from articulata.domains.protocols import POSE, POSE_COLUMNS
from articulata.errors import KinematicsError
from articulata.formats import csv
from articulata.formats.gltf.gltf_writer import write_animation
from articulata.formats.joint_motions import write_trajectory
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.geometry.shapes import Cuboid, Placed, Union
from articulata.records.camera_moves import TOO_FAST, CameraMove, FilmVerdict
from articulata.records.carried_moves import CarriedMove
from articulata.records.files import claimed, make_folder, write_whole
from articulata.records.header import Header
from articulata.records.observed import JOINT, VIEW, VIEW_ANGLES
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Channel, Frame
from articulata.report.export import exported
from articulata.report.folder import clear
from articulata.report.viewer.motion_sources import Motion
from articulata.sessions.film.moves import TABLE, output_columns, report_columns
from articulata.sessions.reporting import provenance
from articulata.world.model import Body, World
from articulata.world.requests.film import MoveChoice

"""The channel of the camera's pose: place and quaternion, w first."""

ROBOT = "robot.txt"
"""What a robot that was given the joints said; written after the rest."""

PATH_TIME = "film.path_time"
"""The channel of where on the move an instant is, s."""


CAMERA = "camera"
"""The body that stands for the camera in a recording; underscores follow where another has it."""

NOBODY = (
    ", so that it can be anywhere at any time; write such as camera: lens(35 mm) on robot.flange"
)
"""What a verdict says of a camera that nobody carries."""

LONGER = 1.1
"""How many times as long as itself a move may take as it is carried without a word."""

AHEAD = 0.04
"""How far ahead of the camera its angle of view is drawn, as a share of the scene's size."""


class Listener(Protocol):
    """Who is told what happens."""

    def say(self, text: str) -> None:
        """Something worth a line."""
        ...


@dataclass(frozen=True, slots=True)
class Filmed:
    """What came of a move: ``carried`` is None where the robot cannot, ``why`` says why then."""

    move: CameraMove
    verdict: FilmVerdict | None
    carried: CarriedMove | None
    why: str = ""


def filmed(setting: Setting, move: CameraMove, take: Take | None = None) -> Filmed:
    """Return what the setting's robot makes of ``move``, and the move slowed until it can.

    Of the flight that it was recorded of, ``take``, the way between the frames is known.
    """
    if setting.carrier is None:
        return Filmed(move, None, None, "no robot carries the camera")
    path = None if take is None else take.path
    start = None if take is None else take.q[0]
    verdict = judge(move, setting.carrier, start=start, path=path)
    try:
        carried = slowed(move, setting.carrier, start=start, path=path)
    except KinematicsError as error:
        return Filmed(move, verdict, None, str(error))
    told = replays(carried, setting.carrier)
    verdict = replace(verdict, replays=told, longer=_longer(setting, verdict, carried))
    return Filmed(move, verdict, carried)


REST = 0.01
"""s by which a carried move may be longer than the move without a word."""


def _longer(setting: Setting, verdict: FilmVerdict, carried: CarriedMove) -> str:
    """Return which files hold the move slowed, by how much, and what to write; "" for as it is.

    As it is carried it begins and ends at rest. Where the move does not and no acceleration is
    limited, the torques of the first and the last tick set the pace of all.
    """
    takes, move = float(carried.times[-1]), verdict.move.duration
    if takes < LONGER * move and not (verdict.state == TOO_FAST).any():
        rests = f"joints.csv and what else the robot does take {takes:.3g} s, not {move:.3g} s: "
        return f"{rests}they begin and end at rest" if takes > move + REST else ""
    cures = []
    if verdict.follows and any(each.startswith("accelerations") for each in verdict.unchecked):
        cures = ["proposed: limits(acceleration: ...)"]
        cures += [
            f'from: "{each.port}" eased'
            for each in setting.question.sources
            if isinstance(each, MoveChoice) and not each.eased and str(each.port).endswith(TABLE)
        ]
    told = (
        f"joints.csv, trajectory.json, camera.gltf and run.artrun hold it slowed to {takes:.3g} s, "
        f"{takes / move:.3g} times the {move:.3g} s of the move; camera.csv has it as it was asked"
    )
    return told + f"; write {' or '.join(cures)}" * bool(cures)


def write_film(
    setting: Setting,
    made: Filmed,
    folder: Path,
    inputs: Sequence[Path],
    listener: Listener,
    *,
    take: Take | None = None,
) -> list[Path]:
    """Write all files into ``folder``, in place of an older film's; return their paths.

    ``take`` is the flight that the move was recorded of, where there was one. Raise RecordingError
    where another run writes there.
    """
    make_folder(folder)
    written: list[Path] = []

    def put(name: str, content: bytes) -> None:
        write_whole(folder / name, content)
        written.append(folder / name)

    with claimed(folder):
        # joints of another move must not be taken for this one's
        clear(folder, keep=inputs)
        (folder / ROBOT).unlink(missing_ok=True)
        made.move.save(folder / "move.json")
        written.append(folder / "move.json")
        put("camera.csv", csv.write(camera_columns(made.move)).encode())
        if take is not None:
            put("flight.csv", _flight_table(take, setting).encode())
            if take.reports is not None:
                put("reports.csv", csv.write(report_columns(take.reports)).encode())
                given = device_outputs(take.reports, shaping=setting.shaping)
                put("outputs.csv", csv.write(output_columns(given)).encode())
        if made.verdict is not None:
            made.verdict.save(folder / "verdict.json")
            written.append(folder / "verdict.json")
            put("verdict.txt", f"{made.verdict}\n".encode())
            put("verdict.csv", _verdict_table(made.verdict).encode())
        elif setting.carrier is None and "verdict" in setting.question.reports:
            said = [f"no verdict: {made.why}{NOBODY}", *setting.notes]
            put("verdict.txt", "\n".join([*said, ""]).encode())
        if made.carried is not None:
            put("joints.csv", csv.write(joint_columns(made.carried, setting)).encode())
            carried = made.carried
            text = write_trajectory(
                carried.joints, carried.times, carried.q, carried.rates, carried.accelerations
            )
            put("trajectory.json", text.encode())
        elif made.verdict is not None:
            listener.say(f"the robot cannot carry the move: {made.why}")
        put("camera.gltf", animated(setting, made).encode())
        recording = recorded(setting, made, folder / "run.artrun")
        written.append(folder / "run.artrun")
        if "animation" in setting.question.reports:
            put("replay.html", exported(recording, ".html", None, every=0.04))
        write_whole(folder / "provenance.json", provenance(recording, inputs, written))
        return [*written, folder / "provenance.json"]


def animated(setting: Setting, made: Filmed) -> str:
    """Return the camera's move, and the robot's links where it carries it, as glTF."""
    times, views, kept = made.move.times, made.move.X_WC, np.arange(len(made.move.X_WC))
    frames: dict[str, Array] = {}
    if made.carried is not None and setting.carrier is not None:
        carrier, carried = setting.carrier, made.carried
        # every 40 ms, a tenth of the ticks, and the last one
        kept = np.unique(np.append(np.arange(0, len(carried.times), 10), len(carried.times) - 1))
        times, views = carried.times[kept], carried.X_WC[kept]
        figure, posture = carrier.figure, carrier.posture(carried.q[kept], setting.rest)
        poses = figure.poses(posture)
        poses[..., :3, 3] = figure.base[:3, 3] + carrier.scale * (
            poses[..., :3, 3] - figure.base[:3, 3]
        )
        frames = {
            f"{setting.robot}.{joint.name}": poses[:, k] for k, joint in enumerate(figure.joints)
        }
    lens, move = setting.camera.lens, made.move
    view = lens.field_of_view[1], lens.sensor[0] / lens.sensor[1]
    zooms = {}
    if "focal" in move.optics:
        at = times if made.carried is None else made.carried.path_times[kept]
        focal = np.interp(at, move.times, move.optics["focal"])
        zooms["camera"] = 2.0 * np.arctan(0.5 * lens.sensor[1] / focal)
        view = float(zooms["camera"][0]), view[1]
    return write_animation(times, {"camera": views, **frames}, {"camera": view}, zooms=zooms)


def recorded(setting: Setting, made: Filmed, file: Path | None = None) -> Recording:
    """Return a recording of the move as it is carried, or flown where no robot carries it."""
    times, views, q = made.move.times, made.move.X_WC, None
    path_times = times
    if made.carried is not None:
        carried = made.carried
        times, views, q, path_times = carried.times, carried.X_WC, carried.q, carried.path_times
    poses, world = robot_poses(setting), _with_camera(setting, views[:, :3, 3])
    ids = tuple(world.bodies)
    number = {id: k for k, id in enumerate(ids)}
    still = np.array([(*b.pose.position, *b.pose.orientation) for b in world.bodies.values()])
    model = kinematic_model(world)
    channels = [
        Channel(POSE, "m, 1", ids, POSE_COLUMNS),
        Channel(JOINT, "rad, m", model.labels),
        Channel(VIEW, "m, 1", POSE_COLUMNS),
        Channel(PATH_TIME, "s", ("path",)),
        Channel(VIEW_ANGLES, "rad", ids[-1:], ("across", "upwards")),
    ]
    angles = _angles(setting, made.move, path_times)
    step = float(times[1] - times[0]) if len(times) > 1 else None
    header = Header(world, step=step, until=float(times[-1]), method="film")
    values = {id: each.start()[0].tolist() for id, each in model.performers.items()}
    scenery = setting.scenery
    with Recorder(header, file) as recorder:
        recorder.layout(channels)
        for k, t in enumerate(times.tolist()):
            rows = still.copy()
            if scenery is not None:
                there = poses_as_rows(scenery.at(float(path_times[k])))
                rows[[number[id] for id in scenery.bodies]] = there
            if q is not None and setting.carrier is not None:
                posture = setting.carrier.posture(q[k], setting.rest)
                for id, X in poses(posture).items():
                    rows[number[id]] = poses_as_rows([X])[0]
                values[setting.robot] = posture.tolist()
            view = rows[-1] = np.append(views[k, :3, 3], q_from_matrix(views[k, :3, :3]))
            joints = np.array([x for each in values.values() for x in each])
            arrays = {POSE: rows, JOINT: joints, VIEW: view, PATH_TIME: path_times[k : k + 1]}
            recorder.frame(Frame(t, arrays | {VIEW_ANGLES: angles[k : k + 1]}))
    return recorder.recording()


def _angles(setting: Setting, move: CameraMove, path_times: Array) -> Array:
    """Return the angles of view (n, 2) across and upwards, rad, where the move is."""
    lens = setting.camera.lens
    focal = np.full(len(path_times), lens.focal_length)
    if "focal" in move.optics:
        focal = np.interp(path_times, move.times, move.optics["focal"])
    return np.asarray(2.0 * np.arctan(0.5 * np.array(lens.sensor) / focal[:, None]))


def _with_camera(setting: Setting, path: Array) -> World:
    """Return the world with a last body, the camera along ``path`` (n, 3): housing, view."""
    world, name = setting.world, CAMERA
    while name in world.bodies:
        name += "_"
    places = np.vstack([*(b.pose.position for b in world.bodies.values()), path])
    far = max(AHEAD * float(np.linalg.norm(np.ptp(places, axis=0))), 1e-3)
    behind = np.eye(4)
    behind[2, 3] = 0.25 * far
    housing = Placed(Cuboid(0.3 * far, 0.4 * far, 0.6 * far), behind)
    shape = Union((setting.camera.frustum(0.04 * far, far), housing))
    body = Body(name, CAMERA, shape, {}, {"color": "orange"}, dynamic=False, levels=None)
    return replace(world, bodies=MappingProxyType({**world.bodies, name: body}))


def moving(motion: Motion, scenery: Scenery) -> Motion:
    """Return ``motion``, a world that stands still, with what moves in a scenery."""
    poses = np.repeat(motion.poses[:1], len(scenery.times), axis=0)
    names = [look.id for look in motion.looks]
    kept = [j for j, id in enumerate(scenery.bodies) if id in names]
    poses[:, [names.index(scenery.bodies[j]) for j in kept]] = scenery.poses[:, kept]
    return replace(motion, times=scenery.times, poses=poses)


def robot_poses(setting: Setting) -> Callable[[Array], dict[str, Array]]:
    """Return what gives ``X_WB`` of the robot's bodies for a posture (figure dof,)."""
    model = kinematic_model(setting.world)
    performer = model.performers.get(setting.robot)
    if performer is None:
        return lambda _: {}
    X_WF = performer.start()[1]
    return lambda posture: dict(performer.links(posture, X_WF))


def camera_columns(move: CameraMove) -> csv.Columns:
    """Return a move as a table: frame number, time, place, quaternion, optics."""
    q = q_from_matrix(move.X_WC[:, :3, :3])
    columns = [move.numbers, move.times, *move.X_WC[:, :3, 3].T, *q.T, *move.optics.values()]
    names = ("frame", "t", "x", "y", "z", "qw", "qx", "qy", "qz", *move.optics)
    units = {"focal": "m", "focus": "m", "iris": "1"}
    return csv.Columns(
        names,
        ("", "s", "m", "m", "m", "1", "1", "1", "1", *(units[name] for name in move.optics)),
        np.column_stack([np.asarray(each, float) for each in columns]),
    )


def joint_columns(carried: CarriedMove, setting: Setting) -> csv.Columns:
    """Return a carried move as a table: time, time of the move, joint values and rates."""
    assert setting.carrier is not None
    units = setting.carrier.units
    names = ("t", "move", *carried.joints, *(f"{name} rate" for name in carried.joints))
    return csv.Columns(
        names,
        ("s", "s", *units, *(f"{unit}/s" for unit in units)),
        np.column_stack([carried.times, carried.path_times, carried.q, carried.rates]),
    )


def _flight_table(take: Take, setting: Setting) -> str:
    """Return a flight as a table: what became of each tick, joint values, the camera's pose."""
    q, X = take.q, take.X_WC
    units = () if setting.carrier is None else setting.carrier.units
    names = [f"q{k} [{unit}]" for k, unit in enumerate(units, 1)]
    head = ("t [s]", "state", "why", *names, "x [m]", "y [m]", "z [m]", "qw", "qx", "qy", "qz")
    numbers = np.column_stack([q, X[:, :3, 3], q_from_matrix(X[:, :3, :3])]).tolist()
    rows = [
        (repr(k * take.step), state, why, *map(repr, numbers[k]))
        for k, (state, why) in enumerate(take.words)
    ]
    return csv.write_rows([head, *rows])


def _verdict_table(verdict: FilmVerdict) -> str:
    table: dict[str, Any] = verdict.table()
    rows = zip(*(_cells(column) for column in table.values()), strict=True)
    return csv.write_rows([tuple(table), *rows])


def _cells(column: Any) -> list[str]:
    if column.dtype.kind in "US":
        return [str(each) for each in column.tolist()]
    return ["" if x != x else repr(x) for x in column.tolist()]
