"""``film``: what a text asks, as a camera and the arm that carries it, and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.analyses.film.carrier import Carrier
from articulata.analyses.film.judging import Progress, judge
from articulata.analyses.film.shaping import Shaping
from articulata.analyses.film.steering import MODES, Steering
from articulata.errors import KinematicsError, NameNotFound, WorldError
from articulata.geometry.arrays import Array
from articulata.geometry.camera import Camera
from articulata.geometry.shapes import Cuboid, scaled
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.assembly.demands import feature_frame
from articulata.kinematics.clash import Clash, Obstacle
from articulata.kinematics.figure import Figure
from articulata.kinematics.link import Part
from articulata.kinematics.skeleton import bones
from articulata.kinematics.world_figure import figure_of
from articulata.records.film import CameraMove, FilmVerdict
from articulata.world.requests.film import FilmQuestion

if TYPE_CHECKING:
    from articulata.world.model import World
    from articulata.world.requests.request import Request


@dataclass(frozen=True, eq=False)
class OtherCamera:
    """A camera beside the one that is flown: fixed at ``X_WC``, or carried by the robot's joints.

    ``mount`` names what of the robot carries it, "" where it stands still.
    """

    name: str
    camera: Camera
    X_WC: Array
    mount: str = ""

    def view(self, figure: Figure | None, posture: Array | None, scale: float) -> Array:
        """Return ``X_WC`` (4, 4) while the robot, at ``scale``, stands in ``posture``."""
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


def setting_of(source: Request) -> Setting:
    """Return the setting that a request to film describes; WorldError says what is amiss."""
    question = source.question
    if not isinstance(question, FilmQuestion):
        raise WorldError(
            f"this is a request to {source.kind}; a request to film begins with 'film NAME'"
        )
    return _Setting(assemble(source.elaborate()), question).made()


def film(
    source: Request, *, move: CameraMove | None = None, progress: Progress | None = None
) -> FilmVerdict:
    """Return what the robot of a request to film makes of a recorded camera ``move``.

    See ``judge``; ``slowed`` carries the same move as fast as the robot can.
    """
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
    def __init__(self, world: World, question: FilmQuestion) -> None:
        self.world, self.question = world, question
        self.up = _up(world)
        self.notes: list[str] = []

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
            if robot in self.world.figures and mount:
                carrier, q, rest = self._carrier(robot, mount, camera)
                X_WC = carrier.view(q)
            else:
                X_WC, robot = camera.view(self._feature(question.camera.on)), ""
        self._in_the_camera(target, X_WC)
        steering, shaping = self._steered(target)
        return Setting(
            self.world, question, camera, X_WC, carrier, q, rest, robot, target, self.up,
            steering, shaping, self._views(robot), tuple(self.notes),
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
            if figure not in self.world.figures or not mount:
                X_WC, mount = camera.view(self._feature(choice.on)), ""
            else:
                body = figure_of(self.world, figure)
                posture = body.vector(dict(self.world.figures[figure].values))
                X_WC = camera.view(body.landmark(posture, mount))
                mount = mount if figure == robot else ""
            found.append(OtherCamera(f"on {choice.on}", camera, X_WC, mount))
        return tuple(found)

    def _carrier(self, robot: str, mount: str, camera: Camera) -> tuple[Carrier, Array, Array]:
        figure = figure_of(self.world, robot)
        rest = figure.vector(dict(self.world.figures[robot].values))
        question = self.question
        bare = Carrier(figure, mount, camera, question.scale)
        chosen = question.proposed
        speeds = accelerations = efforts = None
        if chosen is not None:
            speeds = np.where(np.isinf(bare.speeds), chosen.speed, bare.speeds)
            accelerations = np.where(
                np.isinf(bare.accelerations), chosen.acceleration, bare.accelerations
            )
            efforts = np.where(np.isinf(bare.efforts), chosen.torque, bare.efforts)
            self.notes.append("limits of speed and acceleration that nobody gave are proposals")
        for path in question.limits:
            if path.partition(".")[0] != robot:
                raise WorldError(
                    f"limits: {path}: only the limits of what carries the camera, '{robot}', are "
                    "kept"
                )
        q = rest[bare.coordinates]
        over = np.maximum(bare.chain.lower - q, q - bare.chain.upper)
        if over.max() > 1e-9:
            name = bare.chain.names[int(np.argmax(over))]
            raise KinematicsError(
                f"'{robot}' stands outside the limits of its joint '{name}'; place it within them"
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
        mine = self.world.figures[self.question.camera.on.partition(".")[0]].carriers  # type: ignore[union-attr] # a carrier stands on something
        room = [
            Obstacle(
                id,
                body.shape if scale == 1.0 else scaled(body.shape, 1.0 / scale),
                _drawn_nearer(body.pose.matrix(), figure, scale),
            )
            for id, body in self.world.bodies.items()
            if id not in mine and body.shape is not None
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
        self.notes += [f"{a} and {b} touch from the start: not looked at" for a, b in exempt]
        return clash

    def _target(self) -> tuple[float, float, float] | None:
        look = self.question.look
        if look is None:
            return None
        if not isinstance(look.target, str):
            x, y, z = look.target
            return float(x), float(y), float(z)
        x, y, z = self._feature(look.target)[:3, 3].tolist()
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
            look=look is not None,
            roll="level" if look is None else look.roll,  # type: ignore[arg-type] # one of ROLLS
        )
        return steering, Shaping(dominant="dominant axis" in words, lock=lock)  # type: ignore[arg-type] # one of LOCKS


def _drawn_nearer(X_WS: Array, figure: Figure, scale: float) -> Array:
    """Return a pose (4, 4) of the world as it stands about the robot in the robot's lengths."""
    X = X_WS.copy()
    base = figure.base[:3, 3]
    X[:3, 3] = base + (X[:3, 3] - base) / scale
    return X


def _up(world: World) -> tuple[float, float, float]:
    size = float(np.linalg.norm(world.gravity))
    if size == 0.0:
        return 0.0, 1.0, 0.0
    x, y, z = (-each / size for each in world.gravity)
    return x, y, z
