"""The page of film and what it says: one server, two views, one flow of reports and states.

The page is at ``/film``; its two frames are viser's own page, told apart by their paths. What the
page sends lands in a one-place mailbox; what is to be said to it is the newest state alone. The
scene is the world, the robot that carries the camera, and the camera: clients that came by
``CAMERA`` look through the camera; the others look on, and see where it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any, Final

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.camera import Lens
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_from_matrix, q_to_matrix
from articulata.kinematics.figure import Figure
from articulata.report.viewer.conversation import Conversation, Mailbox
from articulata.report.viewer.figures.link_surfaces import put, surfaces, turn
from articulata.report.viewer.motion_sources import Motion
from articulata.report.viewer.serving import Beside, PageServer, at_once, path_of, stopped_by
from articulata.report.viewer.stage import Stage

VIEW, CAMERA = "/view", "/camera"
"""Paths of the page: the main view, and what the camera sees."""

_GL_TO_CV: Final = np.diag((1.0, -1.0, -1.0))
"""viser's cameras look along +z with y down."""

_REACHES: Final = {
    "outer boundary": (60, 140, 220), "inner boundary": (220, 140, 40), "dead zone": (210, 50, 50),
}  # fmt: skip
AGAIN: Final = 25
"""Calls without news after which it is asked whether pages look where they were told to."""

UNSEEN: Final = 1e-9
"""m and rad that no picture shows: an arm at rest moves by less, where numbers are rounded."""

_FRUSTUM: Final = 0.35
"""m: how far the drawn picture is in front of the camera."""


class FilmStage:
    """Draws a still world, a figure at ``scale`` in it, and a camera with its picture's edges."""

    def __init__(self, server: Any) -> None:
        self._server = server
        # two views at once: shadows would cost more than they show
        self._stage = Stage(server, shadows=False)
        self._links: list[tuple[int, Any]] = []
        self._frusta: dict[int, Any] = {}
        self._lens = Lens()
        self._body: Any = None
        self._world: Motion | None = None
        self._up = (0.0, 1.0, 0.0)
        self._drawn: object = None
        self._places: Array = np.zeros(0)
        self._unchanged = 0
        self._surfaces: dict[str, tuple[Array, Array]] = {}
        self._reaches: dict[int, list[Any]] = {}
        self.reach = False
        self._figure: Figure | None = None
        self._scale, self._depth = 1.0, 0.0
        self._poses: Array = np.empty((0, 4, 4))

    def show(
        self, world: Motion, figure: Figure | None, scale: float, lens: Lens,
        body: tuple[float, float, float] | None,
    ) -> None:  # fmt: skip
        """Put up ``world``, a motion without the robot's bodies, and the robot.

        One that lasts goes round.
        """
        scene = self._server.scene
        scene.set_up_direction(world.up)
        self._stage.show(world)
        self._world = world
        self._up, self._lens = world.up, lens
        self._figure, self._scale = figure, scale
        if figure is not None:
            for number, surface in enumerate(surfaces(figure)[0]):
                handle = scene.add_mesh_simple(
                    f"/robot/{number}",
                    (surface.vertices * scale).astype(np.float32),
                    surface.triangles.astype(np.uint32),
                    color=surface.color,
                    flat_shading=True,
                    # a bone ends where the camera is: from within it is not seen
                    side="front" if surface.is_bone else "double",
                    cast_shadow=False,
                    receive_shadow=False,
                )
                self._links.append((surface.joint, handle))
        if body is not None:
            # a little behind the nodal point, so that the camera does not see its own front
            self._body = scene.add_box("/body", color=(50, 54, 60), dimensions=body)
            self._depth = body[2]
        self._stage.draw(world.at(0.0), 0)

    @property
    def size(self) -> float:
        """The diagonal of what is shown, m."""
        return self._stage.size

    def look_on(self) -> tuple[Array, Array]:
        """Return where the main view stands and looks so that the world is in view."""
        middle = (self._stage.low + self._stage.high) / 2
        up = np.asarray(self._up)
        front = np.array((0.0, 0.0, 1.0)) if abs(up[1]) > 0.9 else np.array((0.0, -1.0, 0.0))
        direction = front + 0.55 * up + 0.6 * np.cross(up, front)
        direction /= np.linalg.norm(direction)
        return middle + direction * self._stage.size * 0.52, middle

    def main_view(self) -> Array | None:
        """Return where the main view looks from, X_WC (4, 4); None where nobody looks on."""
        for number, client in self._server.get_clients().items():
            with contextlib.suppress(Exception):
                if path_of(self._server, number) != VIEW:
                    continue
                return make_pose(
                    q_to_matrix(np.asarray(client.camera.wxyz, float)) @ _GL_TO_CV,
                    client.camera.position,
                )
        return None

    def draw(
        self, posture: Array | None, X_WC: Array, color: tuple[int, int, int], lens: Lens,
        eye: tuple[Array, Lens], scene: float = 0.0,
    ) -> bool:  # fmt: skip
        """Move the robot to ``posture`` (figure dof,) and the camera to ``X_WC`` (4, 4).

        The world is as at ``scene`` s. ``lens`` is the camera's; the picture is that of ``eye``: a
        pose (4, 4) and its lens. Return whether anything has changed.
        """
        clients = self._server.get_clients()
        world = self._world
        lasts = 0.0 if world is None else float(world.times[-1])
        scene = scene % lasts if lasts > 0.0 else 0.0
        still = color, tuple(clients), lens, eye[1], self.reach
        places = np.concatenate(
            [() if posture is None else posture, X_WC.ravel(), eye[0].ravel(), (scene,)]
        )
        if still == self._drawn and np.abs(places - self._places).max() < UNSEEN:
            self._unchanged += 1
            if self._unchanged % AGAIN == 0:
                self._set_right(clients, eye)
            return False
        self._drawn, self._places, self._unchanged = still, places, 0
        R = X_WC[:3, :3]
        self._lens = lens
        # one waking of the server's thread for all that moves
        with at_once(self._server):
            if world is not None and lasts > 0.0:
                self._stage.draw(world.at(scene), 0)
            if self._figure is not None and posture is not None:
                self._move(self._figure, posture)
            if self._body is not None:
                turn(self._body, q_from_matrix(R).tolist())
                put(self._body, (X_WC[:3, 3] + R @ (0.0, 0.0, 0.5 * self._depth + 1e-3)).tolist())
        wxyz = q_from_matrix(R @ _GL_TO_CV)
        for number, client in clients.items():
            # a client may leave at any moment
            with contextlib.suppress(Exception):
                if path_of(self._server, number) == CAMERA:
                    X, seen = eye
                    there = q_from_matrix(X[:3, :3] @ _GL_TO_CV)
                    self._through(client, there, X[:3, 3], seen.field_of_view[1])
                else:
                    self._edges(number, client, wxyz, X_WC[:3, 3], color)
        return True

    def _move(self, figure: Figure, posture: Array) -> None:
        """Move the links that ``posture`` puts elsewhere."""
        base = figure.base
        X = np.concatenate([figure.poses(posture), base[None]])  # the last for what joint -1 moves
        places = base[:3, 3] + self._scale * (X[:, :3, 3] - base[:3, 3])
        turns = q_from_matrix(X[:, :3, :3])
        moved = (self._poses != X).any(axis=(1, 2)) if len(self._poses) else np.ones(len(X), bool)
        self._poses = X
        for joint, handle in self._links:
            if moved[joint]:
                turn(handle, turns[joint].tolist())
                put(handle, places[joint].tolist())

    def _set_right(self, clients: Mapping[int, Any], eye: tuple[Array, Lens]) -> None:
        """Tell those who look through the camera again, if their picture is another one.

        What a page says of an older picture may cross what it is told.
        """
        X, lens = eye
        for number, client in clients.items():
            with contextlib.suppress(Exception):
                if path_of(self._server, number) != CAMERA:
                    continue
                camera = client.camera
                ahead = np.asarray(camera.look_at) - np.asarray(camera.position)
                along = ahead @ -X[:3, 2] / np.linalg.norm(ahead)
                aside = np.abs(np.asarray(camera.position) - X[:3, 3]).max()
                wide = abs(camera.fov - lens.field_of_view[1])
                if not (aside < 1e-4 and along > 0.99999 and wide < 1e-6):
                    there = q_from_matrix(X[:3, :3] @ _GL_TO_CV)
                    self._through(client, there, X[:3, 3], lens.field_of_view[1])

    def _through(self, client: Any, wxyz: Array, place: Array, fov: float) -> None:
        with at_once(client):
            camera = client.camera
            if abs(camera.fov - fov) > 1e-6:
                camera.fov = fov
                camera.near = 0.005
            camera.wxyz = wxyz
            camera.position = place

    def _edges(
        self, number: int, client: Any, wxyz: Array, place: Array, color: tuple[int, int, int]
    ) -> None:
        handle = self._frusta.get(number)
        if handle is None:
            across, upwards = self._lens.sensor
            handle = self._frusta[number] = client.scene.add_camera_frustum(
                "/frustum",
                fov=self._lens.field_of_view[1],
                aspect=across / upwards,
                scale=_FRUSTUM,
                line_width=2.0,
                color=color,
            )
        fov = self._lens.field_of_view[1]
        with at_once(client):
            if abs(handle.fov - fov) > 1e-6:
                handle.fov = fov
            self._reach(number, client)
            turn(handle, wxyz.tolist())
            put(handle, place.tolist())
            if tuple(handle.color) != color:
                handle.color = color

    def bound(self, surfaces: Mapping[str, tuple[Array, Any]]) -> None:
        """Take surfaces, vertices (n, 3) and triangles (m, 3) by name, that ``reach`` shows."""
        self._surfaces = dict(surfaces)

    def _reach(self, number: int, client: Any) -> None:
        """Show where the wrist can go, to those who look on."""
        if number not in self._reaches and self.reach:
            self._reaches[number] = [
                client.scene.add_mesh_simple(
                    f"/reach/{k}",
                    vertices.astype(np.float32),
                    triangles.astype(np.uint32),
                    color=_REACHES.get(name, (120, 120, 120)),
                    opacity=0.18,
                    side="double",
                    cast_shadow=False,
                    receive_shadow=False,
                )
                for k, (name, (vertices, triangles)) in enumerate(self._surfaces.items())
            ]
        for node in self._reaches.get(number, ()):
            if node.visible != self.reach:
                node.visible = self.reach

    def forget(self, number: int) -> None:
        """Take note that a client has left."""
        self._frusta.pop(number, None)
        self._reaches.pop(number, None)


PAGE, FLOW = "/film", "/flow"


class Theatre(PageServer):
    """Serves the page at ``address``; ``stage`` is what both views show.

    ``title`` is what its page is called. ``wishes`` receives what users want: "report" the newest
    six numbers of a device, "do" and "set:NAME" what was asked. ``say`` is what the page shows.
    Use it as a context manager.
    """

    def __init__(
        self, lens: Lens, *, title: str = "film", host: str = "127.0.0.1", port: int | None = None
    ) -> None:
        self.wishes: Mailbox[Any] = Mailbox()
        self._conversation = Conversation(self._hear)
        self._state: Mapping[str, Any] = {}
        beside = Beside({PAGE: _page(lens, title)}, (VIEW, CAMERA), FLOW, self._conversation.talk)
        super().__init__(host, port, beside)
        self.address += PAGE
        self.stage = FilmStage(self._server)
        self._server.on_client_disconnect(lambda client: self.stage.forget(client.client_id))

    @property
    def server(self) -> Any:
        """The viser server."""
        return self._server

    @property
    def talking(self) -> int:
        """How many pages are open."""
        return self._conversation.talking

    def say(self, state: Mapping[str, Any]) -> None:
        """Show ``state`` in the page, soon."""
        self._state = state
        self._conversation.say(state)

    def fail(self, failure: BaseException) -> None:
        """Say in the page what has ended the flight."""
        self._fail(failure)
        if self._state:
            self.say({**self._state, "message": stopped_by(failure).replace("*", "")})

    def _hear(self, said: dict[str, Any]) -> None:
        """Leave what a page says in the mailbox; what is not understood is passed over."""
        report = _report(said.get("report"))
        if report is not None:
            self.wishes.put("report", report)
        elif isinstance(said.get("do"), str):
            self.wishes.put(f"do:{said['do']}", said.get("to"))
        elif isinstance(said.get("set"), str):
            self.wishes.put(f"set:{said['set']}", said.get("to"))


def _report(said: Any) -> tuple[float, ...] | None:
    """Return six numbers, None where something else was said."""
    if not isinstance(said, list) or len(said) != 6:
        return None
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in said):
        return None
    return tuple(map(float, said))


def _page(lens: Lens, title: str) -> bytes:
    folder = files(__package__)
    page = folder.joinpath("film.html").read_text("utf-8")
    script = folder.joinpath("film.js").read_text("utf-8")
    width, height = lens.sensor
    page = page.replace("TITLE", escape(f"{title} - Articulata"))
    return page.replace("ASPECT", f"{width / height:.6g}").replace("SCRIPT", script).encode()
