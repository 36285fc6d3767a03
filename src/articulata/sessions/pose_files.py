"""From a request to pose to a result folder: the front, its table, plots and page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from articulata.analyses.pose.moving import motion_to
from articulata.analyses.pose.pose_question import PoseSearch, search_of
from articulata.analyses.pose.pose_request import Asked, asked_of
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.inverse.targets import (
    POSE,
    At,
    Gaze,
    Pointing,
    Target,
    kind,
    place_of,
)
from articulata.records.files import claimed, write_whole
from articulata.records.header import versions
from articulata.records.posture_fronts import SUFFIX, Details, Front
from articulata.records.recording import Recording
from articulata.report import front_tables
from articulata.report.folder import PROVENANCE, Making, clear, write
from articulata.report.front_tables import body_poses, motion_of_front
from articulata.report.page.recording_page import page as replay
from articulata.report.page.recording_page import page_of_front
from articulata.report.plots import picture
from articulata.sessions import command_fields
from articulata.sessions.given_files import request_in
from articulata.sessions.reporting import UNITS, as_json, hashes
from articulata.world.document import read
from articulata.world.world_files import shipped

SETTLING = 0.05
"""s that pass with each step of what is followed live."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class PoseResult:
    """The front, what was asked, and the files written into ``folder``.

    ``stuck`` says why there is no ``motion`` where one is asked for.
    """

    front: Front
    asked: Asked
    search: PoseSearch
    motion: Recording | None
    stuck: str
    name: str
    folder: Path
    files: tuple[Path, ...]


def pose_file(wish: command_fields.Asked, writing: Progress) -> PoseResult:
    """Answer the request of ``wish.file`` and write its result folder."""
    request = request_in(read(shipped(wish.file)), "pose", wish.world)
    name, asked = request.name, asked_of(request)
    search = search_of(asked)
    folder = wish.made_folder()  # before anybody waits for an answer
    front = search.final()
    with claimed(folder):
        clear(folder)
        moving, stuck = None, ""
        try:
            moving = motion_in(asked, front)
        except KinematicsError as error:
            stuck = str(error)
        making = files_of(front, name)
        if moving is not None:
            ways = ways_in(asked)
            making.append(("motion.html", lambda: replay(moving, ways).encode()))
        paths = write(making, folder, writing)
        write_whole(folder / PROVENANCE, _provenance(front, shipped(wish.file), name, paths))
    files = (*paths, folder / PROVENANCE)
    return PoseResult(front, asked, search, moving, stuck, name, folder, files)


def files_of(front: Front, name: str) -> list[Making]:
    """Return the files of a front; nothing is computed before it is written."""

    def page() -> bytes:
        return page_of_front(front, name).encode()

    return [
        (f"front{SUFFIX}", front.to_bytes),
        ("front.csv", lambda: front_tables.table(front).encode()),
        ("front.txt", lambda: f"{front.summary()}\n".encode()),
        ("front.png", lambda: picture(front_tables.plot_front(front), ".png")),
        ("postures.png", lambda: picture(front_tables.plot_postures(front), ".png")),
        ("front.html", page),
    ]


def motion_in(asked: Asked, front: Front) -> Recording | None:
    """Return the motion to the chosen posture, None where none is asked for or none is found."""
    if asked.motion is None or not front.found:
        return None
    times, q = motion_to(asked.scene, front.posture, *asked.motion)
    return motion_of_front(front, times, q)


def ways_in(asked: Asked) -> tuple[str, ...]:
    """Return the paths of what is plotted of a motion: where the links with targets go."""
    scene = asked.scene
    links = {joint: id for id, joint in asked.world.figures[asked.component].carriers.items()}
    numbers = [scene.figure.place(name)[0] for name in scene.targets if name not in scene.supports]
    joints = [scene.figure.joints[number].name for number in numbers if number >= 0]
    return tuple(dict.fromkeys(f"{links[name]}.origin" for name in joints if name in links))


class LivePose:
    """A front that is followed live: a hand is dragged, or an elbow while the hand stays.

    ``handles`` are where what can be dragged is, m: the targets' places, and elbows on the way.
    """

    def __init__(self, asked: Asked, search: PoseSearch) -> None:
        self._asked = asked
        self._search = search
        self._follower = search.follower()
        self._front = search.final()
        figure = asked.scene.figure
        ways = {name for name in asked.scene.targets if name not in asked.scene.supports}
        self.hands = tuple(name for name in asked.scene.targets if name in ways)
        sides = {name.partition("_")[0][0] for name in self.hands}
        self.elbows = tuple(
            mark for mark in figure.landmarks if mark.endswith("elbow") and mark[0] in sides
        )

    def place(self, name: str) -> Array:
        """Return where a handle is now, (3,) m: that of what looks is what is looked at."""
        if isinstance(self._follower.judging.scene.targets.get(name), Gaze):
            return self.wanted(name)
        figure = self._asked.scene.figure
        return np.asarray(figure.landmark(self._follower.q, name)[:3, 3])

    def wanted(self, name: str) -> Array:
        """Return where a target is now, (3,) m."""
        return np.asarray(place_of(self._follower.judging.scene.targets[name]))

    def show(self, number: int) -> None:
        """Go on from a posture of the front, and return to what makes it the best."""
        self._follower = self._search.follower(number)

    def step(self, name: str, point: Array | None) -> tuple[Front, Array]:
        """Return a front of one posture, that after ``name`` was dragged to ``point``, and poses.

        Without a point the posture goes a step back toward the best one.
        """
        if point is None:
            found = self._follower.to({}, SETTLING)
        elif name in self.elbows:
            found = self._follower.drag(name, point)
        else:
            goal = self._follower.judging.scene.targets[name]
            found = self._follower.to({name: moved_to(goal, point)}, SETTLING)
        signs = np.array([-1.0 if aim.high else 1.0 for aim in self._front.aims])
        details = Details(
            np.array([found.error]),
            np.array([found.angle]),
            ("" if found.found else f"{1000 * found.error:.0f} mm off its target",),
            self._front.redundancy,
            self._front.settled,
            self._front.targets,
        )
        one = replace(
            self._front,
            q=found.q[None],
            values=(found.values * signs)[None],
            chosen=0,
            knee=0,
            choice="live" if found.found else "live; out of reach",
            dominated=np.zeros(1, np.bool_),
            labels=("",),
            detail=lambda: details,
        )
        return one, body_poses(self._asked.world, one)[0]


def moved_to(goal: Target, point: Array) -> Target:
    """Return a target with another place."""
    if isinstance(goal, Pointing):
        return replace(goal, place=point)
    if isinstance(goal, At) and kind(goal) == POSE:
        X = goal.X.copy()
        X[:3, 3] = point
        return replace(goal, X=X)
    return replace(goal, point=point) if isinstance(goal, Gaze) else replace(goal, X=point)


def places_of(asked: Asked) -> Mapping[str, Array]:
    """Return where the targets are, by the part of the body that is asked there.

    Supports that stay where they stand are left out: nobody asked for them one by one.
    """
    scene = asked.scene
    return {
        name: np.asarray(place_of(each))
        for name, each in scene.targets.items()
        if name not in scene.supports
    }


def _provenance(front: Front, file: Path, name: str, results: list[Path]) -> bytes:
    said = {
        "inputs": hashes([file]),
        "request": name,
        "figure": front.figure,
        "targets": list(front.targets),
        "objectives": {aim.name: aim.source for aim in front.aims},
        "method": front.method,
        "choice": front.choice,
        "seed": front.seed,
        "versions": dict(versions()),
        "units": {**UNITS, **{aim.name: aim.unit for aim in front.aims}},
        "found": front.found,
        "results": hashes(results),
    }
    return as_json(said)
