"""The question ``film``: from a request to a camera, the arm that carries it, and the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.analyses.film.carrier import JOINTS, Carrier
from articulata.analyses.film.judged_move import Progress, judge
from articulata.analyses.film.scenery import Ride, Scenery, body_clash
from articulata.analyses.film.shaping import Shaping
from articulata.analyses.film.steering import MODES, Steering
from articulata.errors import KinematicsError, NameNotFound, WorldError
from articulata.geometry.arrays import Array
from articulata.geometry.camera import Camera
from articulata.geometry.shapes import Cuboid, Shape, scaled
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.assembly.demands import feature_frame
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import FIXED
from articulata.kinematics.link import Part
from articulata.kinematics.skeleton import bones
from articulata.kinematics.world_figure import figure_of
from articulata.records.camera_moves import CameraMove, FilmVerdict
from articulata.world.requests.film import FilmQuestion
from articulata.world.requests.request import Request, asked_at
from articulata.world.unfit_arguments import not_taken

if TYPE_CHECKING:
    from articulata.records.recording import Recording
    from articulata.world.model import World


@dataclass(frozen=True, eq=False)
class OtherCamera:
    """A camera beside the one that is flown: fixed at ``X_WC``, or carried by the robot's joints.

    ``mount`` names what of the robot carries it, "" where it stands still, or where it is on ``on``
    of a scenery.
    """

    name: str
    camera: Camera
    X_WC: Array
    mount: str = ""
    on: Ride | None = None

    def view(
        self,
        figure: Figure | None,
        posture: Array | None,
        scale: float,
        scenery: Scenery | None = None,
        t: float = 0.0,
    ) -> Array:
        """Return ``X_WC`` (4, 4) at ``t`` s, while the robot, at ``scale``, is in ``posture``."""
        if self.on is not None and scenery is not None:
            return scenery.pose(self.on, t)
        if not self.mount or figure is None or posture is None:
            return self.X_WC
        number, X_LM = figure.place(self.mount)
        X = (figure.base if number < 0 else figure.poses(posture)[number]) @ X_LM
        X[:3, 3] = figure.base[:3, 3] + scale * (X[:3, 3] - figure.base[:3, 3])
        return self.camera.view(X)


@dataclass(frozen=True, eq=False)
class Setting:
    """A camera in a ``world``, ready to be flown.

    ``carrier`` is the arm that carries it, None for a camera that flies free; ``q`` (dof,) its
    posture at the start and ``X_WC`` (4, 4) the camera's pose there. ``robot`` is the figure's name
    in the world, "" without one; ``rest`` (figure dof,) its whole posture. ``target`` (3,) is what
    is looked at, None for nothing. ``views`` are the cameras beside it, ``notes`` what was left
    out, in words.
    """

    world: World
    question: FilmQuestion
    camera: Camera
    X_WC: Array
    carrier: Carrier | None
    q: Array
    rest: Array
    robot: str
    target: tuple[float, float, float] | None
    up: tuple[float, float, float]
    steering: Steering
    shaping: Shaping
    views: tuple[OtherCamera, ...] = ()
    notes: tuple[str, ...] = ()
    clash: Clash | None = None
    scenery: Scenery | None = None
    on: Ride | None = None
    aim: Ride | None = None

    def sight(self, t: float) -> tuple[tuple[float, ...] | None, tuple[float, ...]]:
        """Return what is looked at (3,) at ``t`` s, None for nothing, and its velocity (3,)."""
        if self.aim is None or self.scenery is None:
            return self.target, (0.0, 0.0, 0.0)
        place = self.scenery.pose(self.aim, t)[:3, 3]
        return tuple(place.tolist()), tuple(self.scenery.velocity(self.aim, t).tolist())

    def stand(self, t: float) -> Array | None:
        """Return what the camera is on (4, 4) at ``t`` s; None where that does not move."""
        if self.on is None or self.scenery is None:
            return None
        return self.scenery.pose(self.on, t)


def setting_of(source: Request, motion: Recording | None = None) -> Setting:
    """Return the setting that a request to film describes; WorldError says what is amiss.

    ``motion`` is a recording of its world: what moves in it moves while it is filmed.
    """
    question = source.question
    if not isinstance(question, FilmQuestion):
        raise WorldError(
            f"this is a request to {source.kind}; a request to film begins with 'film NAME'"
        )
    world = assemble(source.elaborate())
    with asked_at(source.span):
        return _Setting(world, question, motion).made()


def film(
    source: Request, *, move: CameraMove | None = None, progress: Progress | None = None
) -> FilmVerdict:
    """Return what the robot of a request to film makes of a recorded camera ``move``.

    See ``judge``; ``slowed`` carries the same move as fast as the robot can.
    """
    if not isinstance(source, Request):
        raise not_taken("film", "a request to film, one of document.requests", source)
    setting = setting_of(source)
    if setting.carrier is None:
        raise WorldError(
            "no robot carries this camera, so that it can be anywhere at any time; write such as "
            "camera: lens(35 mm) on robot.flange"
        )
    if move is None:
        raise KinematicsError(
            "give the camera move that is to be judged: move=art.load_move(FILE); 'articulata film'"
            " records one"
        )
    return judge(move, setting.carrier, progress=progress)


class _Setting:
    def __init__(self, world: World, question: FilmQuestion, motion: Recording | None) -> None:
        self.world, self.question = world, question
        self.up = _up(world)
        self.notes: list[str] = []
        on = question.camera.on or ""
        robot, _, mount = on.partition(".")
        self.scenery: Scenery | None = None
        others = set(world.bodies)
        # the robot that carries the camera moves as it is flown
        if robot in world.figures and mount and _steered(world, robot, mount):
            others -= set(world.figures[robot].carriers)
        if motion is not None:
            name = f"the recording '{question.motion}'" if question.motion else "the recording"
            self.scenery = Scenery.of(motion, others, name)
        elif any(node.follows for node in world.figures.values()):
            self.scenery = Scenery.followed(world, others)
        if self.scenery is not None:
            self.notes.append("what moves meanwhile is not looked at as something to strike")

    def made(self) -> Setting:
        question = self.question
        target = self._target()
        X_LM = question.camera.X_LM.matrix()
        carrier, q, rest, robot = None, np.zeros(0), np.zeros(0), ""
        if question.camera.on is None:
            camera = Camera(question.camera.lens)
            # what is not turned looks along -z of the world; a target is looked at from the start
            X_WC = camera.view(X_LM)
        else:
            camera = Camera(question.camera.lens, X_LM)
            robot, _, mount = question.camera.on.partition(".")
            if robot in self.world.figures and mount and _steered(self.world, robot, mount):
                carrier, q, rest = self._carrier(robot, mount, camera)
                X_WC = carrier.view(q)
            else:
                if robot in self.world.figures and mount:
                    self.notes.append(
                        f"'{question.camera.on}' is not at the end of six or seven joints: the "
                        "camera is on it, and no robot carries it"
                    )
                X_WC, robot = camera.view(self._place(question.camera.on)), ""
        self._in_the_camera(target, X_WC)
        steering, shaping = self._steered(target)
        return Setting(
            self.world, question, camera, X_WC, carrier, q, rest, robot, target, self.up,
            steering, shaping, self._views(robot), tuple(self.notes),
            self._free_clash() if carrier is None else None,
            self.scenery,
            None if carrier or question.camera.on is None else self._ride(question.camera.on),
            self._aim(),
        )  # fmt: skip

    def _views(self, robot: str) -> tuple[OtherCamera, ...]:
        """Return the cameras beside the one that is flown, each where it is at the start."""
        found = []
        for choice in self.question.views:
            X_LM = choice.X_LM.matrix()
            if choice.on is None:
                name = "at " + ", ".join(f"{x:.3g}" for x in choice.X_LM.position)
                camera = Camera(choice.lens)
                found.append(OtherCamera(name, camera, camera.view(X_LM)))
                continue
            camera = Camera(choice.lens, X_LM)
            figure, _, mount = choice.on.partition(".")
            on = self._ride(choice.on)
            found.append(
                OtherCamera(
                    f"on {choice.on}",
                    camera,
                    camera.view(self._place(choice.on)),
                    mount if mount and figure == robot else "",
                    None if on is None else Ride(on.body, on.X_BF @ camera.X_LC),
                )
            )
        return tuple(found)

    def _ride(self, path: str) -> Ride | None:
        """Return how what ``path`` names moves in the scenery; None where it does not."""
        if self.scenery is None:
            return None
        found, node = self.world.find(path), None
        id = found.id
        figure, _, part = path.partition(".")
        if id not in self.world.bodies and figure in self.world.figures:
            node = self.world.figures[figure]
            body = figure_of(self.world, figure)
            number, _ = body.place(part)
            name = "" if number < 0 else body.joints[number].name
            id = next((each for each, joint in node.carriers.items() if joint == name), id)
        if id not in self.scenery.bodies:
            return None
        X_WB = self.world.bodies[id].pose.matrix()
        return Ride(id, np.linalg.inv(X_WB) @ self._place(path))

    def _aim(self) -> Ride | None:
        look = self.question.look
        return None if look is None or not isinstance(look.target, str) else self._ride(look.target)

    def _place(self, path: str) -> Array:
        """Return ``X_WF`` of a figure's link or landmark, a feature or a body at the start."""
        name, _, part = path.partition(".")
        if name not in self.world.figures or not part:
            return self._feature(path)
        figure = figure_of(self.world, name)
        posture = figure.vector(dict(self.world.figures[name].values))
        return np.asarray(figure.landmark(posture, part))

    def _carrier(self, robot: str, mount: str, camera: Camera) -> tuple[Carrier, Array, Array]:
        figure = figure_of(self.world, robot)
        rest = figure.vector(dict(self.world.figures[robot].values))
        question = self.question
        bare = Carrier(figure, mount, camera, question.scale)
        chosen = question.proposed
        speeds = accelerations = efforts = None
        jerks = math.inf
        if chosen is not None:
            speeds = np.where(np.isinf(bare.speeds), chosen.speed, bare.speeds)
            accelerations = np.where(
                np.isinf(bare.accelerations), chosen.acceleration, bare.accelerations
            )
            efforts = np.where(np.isinf(bare.efforts), chosen.torque, bare.efforts)
            jerks = chosen.jerk
            taken = [
                what
                for what, given, proposed in (
                    ("speed", bare.speeds, chosen.speed),
                    ("acceleration", bare.accelerations, chosen.acceleration),
                    ("torque", bare.efforts, chosen.torque),
                    ("jerk", bare.jerks, chosen.jerk),
                )
                if math.isfinite(proposed) and np.isinf(given).any()
            ]
            if taken:
                listed = " and ".join([", ".join(taken[:-1])] * (len(taken) > 1) + taken[-1:])
                self.notes.append(f"limits of {listed} that nobody gave are proposals")
        for path in question.limits:
            if path.partition(".")[0] != robot:
                raise WorldError(
                    f"limits: {path}: only the limits of what carries the camera, '{robot}', are "
                    "kept"
                )
        q = rest[bare.coordinates]
        over = np.maximum(bare.chain.lower - q, q - bare.chain.upper)
        if over.max() > 1e-9:
            k = int(np.argmax(over))
            ends = bare.chain.lower[k], bare.chain.upper[k]
            here, low, high = (_shown(float(x), bare.units[k]) for x in (q[k], *ends))
            name = bare.chain.names[k]
            raise KinematicsError(
                f"joint '{name}' of '{robot}' stands at {here}, outside its ends, {low} and {high};"
                f" write where it stands: place {robot} ..., {name} = VALUE"
            )
        clash = self._clash(figure, bare, rest)
        made = Carrier(
            figure,
            mount,
            camera,
            question.scale,
            speeds,
            accelerations,
            chosen is not None,
            clash,
            efforts,
            self.world.gravity,
            jerks,
        )
        return made, q, rest

    def _clash(self, figure: Figure, carrier: Carrier, rest: Array) -> Clash:
        """Return what the arm and its camera may strike: all else of the world that stands.

        In lengths of the robot: a world of another scale stands about it that much greater.
        """
        scale = carrier.scale
        shapes = {name: list(parts) for name, parts in bones(figure).items()}
        body = self.question.body
        if body is not None:
            last = figure.joints[carrier.path[-1]].name
            number, X_LM = figure.place(carrier.mount)
            X_LC = X_LM @ carrier.camera.X_LC
            middle = np.eye(4)
            middle[2, 3] = 0.5 * body[2] / scale
            assert number == carrier.path[-1]
            shapes[last].append(Part(Cuboid(*(side / scale for side in body)), X_LC @ middle))
        room = [
            Obstacle(
                id,
                shape if scale == 1.0 else scaled(shape, 1.0 / scale),
                _drawn_nearer(X_WB, figure, scale),
            )
            for id, shape, X_WB in self._about(self.question.camera.on.partition(".")[0])  # type: ignore[union-attr] # a carrier stands on something
        ]
        clash = Clash(figure, room, shapes=shapes)
        # what the robot stands on, or holds, touches it from the start
        exempt: list[tuple[str, str]] = []
        for _ in range(len(clash.room) + len(figure.joints)):
            found = clash.clearances(rest)
            names = found.names()
            if names is None or float(found.distance) > 0.0:
                break
            exempt.append(names)
            clash = Clash(figure, room, shapes=shapes, exempt=exempt)
        self.notes += _touching(exempt, {joint.name for joint in figure.joints})
        return clash

    def _about(self, robot: str = "") -> list[tuple[str, Shape, Array]]:
        """Return what stands about the camera: all bodies with a shape that are not the robot's."""
        mine = self.world.figures[robot].carriers if robot else ()
        moving = () if self.scenery is None else self.scenery.bodies
        return [
            (id, body.shape, body.pose.matrix())
            for id, body in self.world.bodies.items()
            if id not in mine and id not in moving and body.shape is not None
        ]

    def _free_clash(self) -> Clash | None:
        """Return what the body of a camera that flies free may strike; None without a body."""
        size, about = self.question.body, self._about()
        if size is None or not about:
            return None
        return body_clash(size, [Obstacle(*each) for each in about])

    def _target(self) -> tuple[float, float, float] | None:
        look = self.question.look
        if look is None:
            return None
        if not isinstance(look.target, str):
            x, y, z = look.target
            return float(x), float(y), float(z)
        x, y, z = self._place(look.target)[:3, 3].tolist()
        return x, y, z

    def _feature(self, path: str) -> Array:
        """Return ``X_WF`` of what a path names: a feature, or a body."""
        found = self.world.find(path)
        if found.kind == "body" or not found.feature:
            body = self.world.bodies.get(found.id)
            if body is None:
                raise NameNotFound(f"'{path}' is no place of the world; name a body or a feature")
            return body.pose.matrix()
        body = self.world.bodies[found.id]
        return np.asarray(body.pose.matrix() @ feature_frame(body, found.feature).matrix())

    def _in_the_camera(self, target: tuple[float, float, float] | None, X_WC: Array) -> None:
        if target is None:
            return
        away = float(np.linalg.norm(np.asarray(target) - X_WC[:3, 3]))
        inside = max(self.question.body or (0.0,))
        if away <= max(inside, 1e-9):
            raise WorldError(
                "what is looked at lies inside the camera at the start; move the one or the other"
            )

    def _steered(self, target: Sequence[float] | None) -> tuple[Steering, Shaping]:
        words = self.question.modes
        modes = [word for word in words if word in MODES] or ["fly"]
        if len(modes) > 1:
            raise WorldError(f"mode: {' and '.join(modes)} contradict each other; name one")
        if "rotation only" in words and "translation only" in words:
            raise WorldError("mode: rotation only and translation only leave nothing; name one")
        lock = "none"
        if "rotation only" in words:
            lock = "translation"
        elif "translation only" in words:
            lock = "rotation"
        look = self.question.look
        pivot = (0.0, 0.0, 0.0) if target is None else tuple(map(float, target))
        steering = Steering(
            modes[0],  # type: ignore[arg-type] # one of MODES
            pivot,  # type: ignore[arg-type] # three numbers
            self.up,
            horizon="lock horizon" in words,
            hold="hold view" in words,
            look=look is not None,
            roll="level" if look is None else look.roll,  # type: ignore[arg-type] # one of ROLLS
            lead=0.0 if look is None else look.lead,
            smoothing=0.0 if look is None else look.smooth,
        )
        return steering, Shaping(dominant="dominant axis" in words, lock=lock)  # type: ignore[arg-type] # one of LOCKS


def _touching(pairs: Sequence[tuple[str, str]], links: set[str]) -> list[str]:
    """Return in words which pairs touch at the start; what a link touches is told together."""
    touched: dict[str, list[str]] = {}
    for a, b in pairs:
        link, other = (a, b) if a in links else (b, a)
        touched.setdefault(link, []).append(other)
    return [
        f"{link} touches {' and '.join(others)} at the start, as what a robot stands on or holds "
        "does: collisions between these are not looked for"
        for link, others in touched.items()
    ]


def _steered(world: World, robot: str, mount: str) -> bool:
    """Return whether six or seven free joints carry ``mount``: those that steer a camera."""
    figure = figure_of(world, robot)
    number, _ = figure.place(mount)
    free = 0
    while number >= 0:
        joint = figure.joints[number]
        free += joint.kind != FIXED and joint.mimic is None
        number = figure.parents[number]
    return free in JOINTS


def _drawn_nearer(X_WS: Array, figure: Figure, scale: float) -> Array:
    """Return a pose (4, 4) of the world as it stands about the robot in the robot's lengths."""
    X = X_WS.copy()
    base = figure.base[:3, 3]
    X[:3, 3] = base + (X[:3, 3] - base) / scale
    return X


def _shown(value: float, unit: str) -> str:
    return f"{math.degrees(value):.4g} deg" if unit == "rad" else f"{value:.4g} m"


def _up(world: World) -> tuple[float, float, float]:
    size = float(np.linalg.norm(world.gravity))
    if size == 0.0:
        return 0.0, 1.0, 0.0
    x, y, z = (-each / size for each in world.gravity)
    return x, y, z
