"""Warm-up: small questions that make every kernel compile and enter the cache.

Kernels are compiled in parts, so that a user who only simulates need not wait for those of chains.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import NameNotFound

if TYPE_CHECKING:
    from articulata.kinematics.chain import Chain

STEPS = ("dop853", "rk4", "symplectic", "realtime", "euler1986")
"""Methods of simulation; each brings kernels of its own."""

WORLD = """
primitive rod {
  properties: (density: 1000)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0); bottom: (0, -0.5, 0) }
  dynamics
}
world warm {
  gravity: (0, -9.81, 0)
  components
    anchor, bracket: fixed_point
    rod1, rod2, rod3, ball: rod
  structure {
    place anchor by anchor at (0, 0, 0)
    place bracket by bracket at (1, 0, 0)
    join rod1 to anchor with pin(axis: z) matching (top, center)
    join rod2 to rod1 with pin(axis: z) matching (top, bottom)
    join rod3 to bracket with pin(axis: z) matching (top, center)
    join rod2 to rod3 with pin(axis: z) matching (bottom, bottom)
    join ball to rod2 with ball matching (top, center)
    force band between rod1.bottom and bracket.center = -10 N/m * (distance - 1 m)
  }
}
"""
"""A world with a loop, rows that depend on others and a force; one cycle asks for all kernels."""


STRIKING = """
primitive box {
  properties: (density: 1000, friction: 0.5, restitution: 0.5)
  geometry: cuboid(0.1, 0.1, 0.1)
  dynamics
}
world striking {
  gravity: (0, -9.81, 0)
  components { floor: ground; low, high, flap: box; post: fixed_point }
  structure {
    place low by low.center at (0, 0.0501, 0)
    place high by high.center at (0, 0.1502, 0)
    place post by post at (1, 1, 0)
    place flap by flap.center at (1, 1, 0)
    join flap to post with pin(axis: z) matching (center, center) limits (0, 1)
  }
}
"""
"""A world in which bodies strike each other and stay on each other, and a hinge is at a limit."""


def warm(parts: Sequence[str] = ()) -> Iterator[str]:
    """Ask what compiles the kernels of ``parts`` (see ``PARTS``; none: all); yield each name."""
    for part in named(parts):
        for name in PARTS[part]:
            _ask(part, name)
            yield name


def named(parts: Sequence[str]) -> tuple[str, ...]:
    """Return the parts to warm, all where none is named; raises NameNotFound."""
    for part in parts:
        if part not in PARTS:
            raise NameNotFound(f"there is no part '{part}' to warm; there are {', '.join(PARTS)}")
    return tuple(parts) or tuple(PARTS)


def _ask(part: str, name: str) -> None:
    if part == "simulate":
        _simulate(name)
    else:
        QUESTIONS[name]()


def _simulate(method: str) -> None:
    """Run the world once with a method."""
    from articulata.analyses.simulate.run import simulate
    from articulata.domains.dynamic.methods import method_named
    from articulata.world.document import parse

    world = parse(WORLD).world("warm")
    simulate(world, until=0.02, step=0.01, method=method_named(method))


def _places() -> None:
    from articulata.kinematics.inverse.areas import CircleArea

    chain = _arm(7)
    q = np.full((40, 7), 0.3)
    places = chain.tip(q)[:, :3, 3] + np.linspace(0.0, 2.0, 40)[:, None]
    chain.poses(q)
    chain.jacobian(q)
    chain.inverse(places)
    chain.inverse(places[0])
    chain.inverse(places, start=q)
    chain.inverse(CircleArea(places, 0.1))


def _poses() -> None:
    chain = _arm(7)
    q = np.full((40, 7), 0.3)
    X_WT = chain.tip(q)
    X_WT[:, 0, 3] += np.linspace(0.0, 2.0, 40)
    chain.inverse(X_WT)
    chain.inverse(X_WT[0])


def _spherical_wrist() -> None:
    from articulata.kinematics.inverse.nearest_branch import SphericalWrist

    chain = _arm(6)
    X_WT = chain.tip(np.full((40, 6), 0.3))
    chain.all_inverse(X_WT)
    chain.all_inverse(X_WT[:1])
    chain.all_inverse(X_WT[0])
    chain.inverse(X_WT[0], method=SphericalWrist())
    chain.tip(np.full(6, 0.3))


def _six_joints() -> None:
    from articulata.kinematics.chain import Chain
    from articulata.kinematics.conventions import DH

    bends = (0.9, -1.1, 1.3, -0.8, 1.2, 0.7)
    chain = Chain.standard_dh([DH(a=0.3, d=0.1, alpha=alpha) for alpha in bends])
    chain.all_inverse(chain.tip(np.full((2, 6), 0.3)))
    rows = [(0.0, 1.6), (0.4, 0.0), (0.4, 0.0), (0.0, 1.6), (0.0, 1.6), (0.0, 0.0)]
    parallel = Chain.standard_dh([DH(a=a, d=0.1, alpha=alpha) for a, alpha in rows])
    parallel.all_inverse(parallel.tip(np.full(6, 0.3)))
    rows = [(0.0, 0.9), (0.0, 1.1), (0.3, 0.8), (0.3, 1.2), (0.3, 0.7), (0.3, 0.4)]
    meeting = Chain.standard_dh([DH(a=a, d=0.3 * (a > 0.0), alpha=alpha) for a, alpha in rows])
    meeting.all_inverse(meeting.tip(np.full(6, 0.3)))


def _swivel() -> None:
    chain = _arm(7)
    chain.all_inverse(chain.tip(np.full(7, 0.3)))


def _seven_joints() -> None:
    from articulata.kinematics.chain import Chain
    from articulata.kinematics.conventions import DH
    from articulata.kinematics.inverse.nearest_branch import SevenJoints

    bends = (0.9, -1.1, 1.3, -0.8, 1.2, 0.7, 0.0)
    meeting = (0.0, 0.0, 0.3, 0.3, 0.0, 0.3, 0.1)
    for a in ([0.3] * 7, meeting):
        rows = [
            DH(a=a[i], d=0.0 if a[i] == 0.0 else 0.1, alpha=bends[i], limits=(-2.0, 2.0))
            for i in range(7)
        ]
        chain = Chain.standard_dh(rows)
        q = np.full(7, 0.3)
        chain.all_inverse(chain.tip(q))
        chain.all_inverse(chain.tip(q), given={chain.names[6]: 0.3})
        chain.inverse(chain.tip(q), start=q, method=SevenJoints())


def _several_targets() -> None:
    from articulata.kinematics.figure import Figure

    chain = _arm(6)
    figure = Figure(chain.joints, chain.parents, name="warm")
    figure.inverse({name: figure.landmark(np.full(6, 0.3), name) for name in ("joint3", "joint6")})


def _published_methods() -> None:
    from articulata.kinematics.inverse.jacobians import Pseudoinverse

    chain = _arm(7)
    places = chain.tip(np.full((2, 7), 0.3))[:, :3, 3]
    chain.inverse(places, method=Pseudoinverse(steps=2))
    chain.follow(places, method=Pseudoinverse())


def _postures() -> None:
    from articulata.geometry.shapes import Cuboid, Sphere
    from articulata.kinematics.clash import Clash, Obstacle
    from articulata.kinematics.figure import Figure, Landmark
    from articulata.kinematics.link import Link, Part
    from articulata.kinematics.statics import Load, Push, Statics
    from articulata.kinematics.trajectory import trajectory

    chain = _arm(6)
    root = {"foot": Landmark("")}
    figure = Figure(chain.joints, chain.parents, name="warm", landmarks=root)
    ours = Statics(figure, loads=[Load("joint6", 1.0)], pushes=[Push("joint3", (1.0, 0.0, 0.0))])
    q = np.full((1, 6), 0.3)
    ours.torques(q)
    ours.derivatives(q, q, q)
    ours.inverse_dynamics(q, q, q)
    ours.balance(q, ["foot"])
    trajectory([[0.0], [1.0]], speeds=1.0, accelerations=1.0)
    limb = Link("limb", collisions=(Part(Sphere(0.1)),))
    touching = Figure(chain.joints, chain.parents, name="warm", links={"joint6": limb})
    Clash(touching, [Obstacle("wall", Cuboid(1.0, 1.0, 1.0))]).distance(q)


def _touching() -> None:
    from articulata.geometry.convex_pieces.piece_table import piece_table
    from articulata.geometry.shapes import Capsule, Cone, Cuboid, HalfSpace
    from articulata.kernels.contacts.broad import sweep
    from articulata.kernels.contacts.patches import new_room, patches, separations
    from articulata.kernels.contacts.pieces import stand, standing

    table = piece_table([HalfSpace(), Cuboid(1, 1, 1), Capsule(0.2, 1), Cone(0.5, 1, 0.2)])
    poses = np.tile([0.0, 0.4, 0.0, 1.0, 0.0, 0.0, 0.0], (4, 1))
    pairs = np.array([(i, j) for i in range(4) for j in range(i)])
    now = standing(table.arrays)
    stand(table.arrays, poses, now)
    separations(table.arrays, now, pairs, np.zeros((len(pairs), 4)))
    patches(table.arrays, now, pairs, 1e-9, 1e-9, new_room(8))
    sweep(poses[:, :3], poses[:, :3], np.arange(4), 0, np.zeros((8, 2), np.int64))


def _striking() -> None:
    from articulata.analyses.simulate.run import simulate
    from articulata.domains.dynamic.contact.coulomb import holding
    from articulata.domains.dynamic.methods import method_named
    from articulata.world.document import parse

    world = parse(STRIKING).world("striking")
    for name in ("dop853", "rk4"):
        simulate(world, until=0.02, step=0.01, method=method_named(name))
    # what jams asks for more
    holding(np.eye(3), -np.ones((1, 3)), np.ones(1), np.zeros(1, np.int64), np.zeros((1, 2)))


def _stepping() -> None:
    from articulata.analyses.simulate.run import simulate
    from articulata.domains.dynamic.methods import Stepping
    from articulata.world.document import parse

    simulate(parse(STRIKING).world("striking"), until=0.02, step=0.01, method=Stepping())


def _film() -> None:
    from fractions import Fraction

    from articulata.analyses.film.carrier import Carrier, Weights
    from articulata.analyses.film.judged_move import judge
    from articulata.analyses.film.pilot import Pilot
    from articulata.analyses.film.slowing import slowed
    from articulata.geometry.camera_motion import moved
    from articulata.kinematics import library
    from articulata.kinematics.figure import Figure, Landmark
    from articulata.records.camera_moves import CameraMove

    joints = _arm(6).joints
    last = joints[-1].name
    figure = Figure(joints, range(-1, 5), name="arm", landmarks={"flange": Landmark(last)})
    carrier = Carrier(figure, "flange", speeds=2.0, accelerations=10.0)
    pilot = Pilot(carrier, np.full(6, 0.3))
    pilot.tick((0.1, 0.0, 0.0, 0.0, 0.0, 0.0))
    pilot.stop()
    heavy = Carrier(library.figure("manutec_r3"), "flange", efforts=500.0)
    Weights(heavy).strength(np.zeros(6), np.zeros(6), np.ones(6))
    twists = np.full((8, 6), 0.01)
    move = CameraMove(moved(carrier.view(np.full(6, 0.3)), twists, 0.04), Fraction(25))
    judge(move, carrier)
    slowed(move, carrier)


def _arm(joints: int) -> Chain:
    """Return an arm of six or seven joints that has a closed form."""
    from articulata.kinematics.chain import Chain
    from articulata.kinematics.conventions import DH

    quarter = 0.5 * math.pi
    wrist6 = [(quarter, 0.3, 0.0), (0.0, 0.0, 0.4), (quarter, 0.0, 0.0)]
    wrist6 += [(-quarter, 0.4, 0.0), (quarter, 0.0, 0.0), (0.0, 0.1, 0.0)]
    swivel7 = [(-quarter, 0.3, 0.0), (quarter, 0.0, 0.0), (quarter, 0.4, 0.0), (-quarter, 0.0, 0.0)]
    swivel7 += [(-quarter, 0.4, 0.0), (quarter, 0.0, 0.0), (0.0, 0.1, 0.0)]
    rows = wrist6 if joints == 6 else swivel7
    return Chain.standard_dh(
        [DH(alpha=alpha, d=d, a=a, limits=(-2.5, 2.5)) for alpha, d, a in rows]
    )


def _tracking() -> None:
    from articulata.analyses.track.arms import arms_from
    from articulata.analyses.track.calibration import Calibration
    from articulata.analyses.track.tracked_person import tracked_body
    from articulata.analyses.track.tracker import Tracker
    from articulata.devices.fastrak.decoder import FastrakDecoder
    from articulata.devices.fastrak.protocol import Format
    from articulata.geometry.rotation import Rotation
    from articulata.geometry.smoothing import smooth
    from articulata.kinematics.library import figure
    from articulata.kinematics.link_frames import LinkFrames

    jack = figure("jack_1995")
    LinkFrames(jack, [0], [-1]).place(jack.neutral)
    body = tracked_body(jack)
    tracker = Tracker(body, {}, Calibration(Rotation.identity(), {}))
    tracker.step(tracker.start(), [])
    FastrakDecoder(Format()).table(b"", 0.0)
    still = np.eye(3)
    arms_from(body.arms.each[0], still, still, still, still)
    smooth(np.arange(2.0), Rotation.identity((2,)))


ROOM = """
primitive block(w: length, h: length, d: length) {
  properties: (fixed); geometry: cuboid(w, h, d)
}
world room {
  gravity: (0, -9.81, 0)
  components {
    floor, table: block(3 m, 10 cm, 3 m); board: block(20 cm, 4 mm, 20 cm); knob: fixed_point
  }
  structure {
    place floor by floor.center at (0, -5 cm, 0)
    place board by board.center at (0, 1.4 m, 0)
    place table by table.center at (0, 70 cm, -2.5 m)
    place knob by knob.center at (0, 1.5 m, 0)
  }
}
"""


def _reaching() -> None:
    from articulata.analyses.reach.reach_question import reach
    from articulata.analyses.reach.surroundings.furniture import fits
    from articulata.analyses.reach.surroundings.room import room_of
    from articulata.world.document import parse
    from articulata.world.requests.reach import Aligned, Thing
    from articulata.world.requests.ways_to_move import OnFoot

    world = parse(ROOM).world()
    asked: list[Thing] = ["table", Aligned("knob", thumb=(0.0, 1.0, 0.0))]
    # so many points that distances to the room are kept
    who, way, seen = "human_upper_body", OnFoot(), ["board"]
    reach(world, person=who, mobility=way, grid=0.15, objects=asked, watch=seen)
    fits(room_of(world), "table", np.array([0.1, 0.0, 0.0]))


def _posing() -> None:
    from articulata.analyses.pose.dominance import undominated
    from articulata.analyses.pose.objectives import Objective
    from articulata.analyses.pose.pose_question import pose
    from articulata.geometry.shapes import Cuboid
    from articulata.kinematics.clash import Obstacle
    from articulata.kinematics.library import figure

    anna = figure("human_upper_body")
    bent = {"r_shoulder_flexion": 0.8, "r_elbow_flexion": 1.2, "r_shoulder_rotation": 0.2}
    X_WP = anna.landmark(anna.vector(bent), "right hand")
    aims = [Objective("discomfort"), Objective("torque")]
    pose(anna, {"right hand": X_WP}, moving="right arm", objectives=aims, points=20).final()
    X_WS = np.eye(4)
    X_WS[2, 3] = -2.0
    wall = [Obstacle("wall", Cuboid(1.0, 1.0, 0.1), X_WS)]
    place = {"right hand": X_WP[:3, 3]}
    pose(anna, place, objectives=aims, room=wall, clear=0.01, points=8).final()
    undominated(np.ones((8, 3)))


def _hearing() -> None:
    from articulata.network.exercise_port import Heard
    from articulata.network.pose_exercise import PoseExercise
    from articulata.records.networked import NetworkedLook, NetworkedPosture

    sender, receiver = PoseExercise(1, 1, 1, joints=()), PoseExercise(1, 2, 2, joints=())
    posture = NetworkedPosture(0.0, np.zeros(3), np.eye(3), (), np.zeros(0))
    (packet,) = sender.announce(1, NetworkedLook(), posture, 0.0)
    receiver.hear([Heard(packet, "", 0.0)])
    receiver.figures.at(0.0)


QUESTIONS: Mapping[str, Callable[[], None]] = {
    "places": _places,
    "poses": _poses,
    "spherical wrist": _spherical_wrist,
    "six joints": _six_joints,
    "swivel": _swivel,
    "seven joints": _seven_joints,
    "several targets": _several_targets,
    "published methods": _published_methods,
    "batches of postures": _postures,
    "touching": _touching,
    "striking": _striking,
    "stepping": _stepping,
    "flying": _film,
    "tracking": _tracking,
    "reaching": _reaching,
    "posing": _posing,
    "hearing": _hearing,
}
"""What is asked of chains and of bodies that may touch; each brings kernels of its own."""

BODIES = ("touching", "striking", "stepping")
ALONE = ("batches of postures", "flying", "tracking", "reaching", "posing", "hearing")
CHAINS = tuple(name for name in QUESTIONS if name not in (*BODIES, *ALONE))

PARTS: Mapping[str, tuple[str, ...]] = {
    "simulate": STEPS,
    "contact": ("striking",),
    "stepping": ("stepping",),
    "inverse": CHAINS,
    "figures": ("batches of postures",),
    "interference": ("touching",),
    "film": ("flying",),
    "track": ("tracking",),
    "reach": ("reaching",),
    "pose": ("posing",),
    "join": ("hearing",),
}
"""Parts of the kernels and what is asked to compile them, the most used first."""
