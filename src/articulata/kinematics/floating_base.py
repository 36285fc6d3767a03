"""Floating base: six joints before all others move the base of a figure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from articulata.kinematics.figure import Figure, Landmark
from articulata.kinematics.joint import PRISMATIC, REVOLUTE, Joint, about
from articulata.kinematics.link import Link

BASE: Final = ("base x", "base y", "base z", "base turn z", "base turn y", "base turn x")
"""Joints of the base: along and about the axes of the frame in which the base stood."""

FAR: Final = 2.0
"""m that a base may move along each axis."""

TURN: Final[float] = np.pi / 2
"""rad that a base may turn about each axis."""


def with_floating_base(figure: Figure) -> Figure:
    """Return ``figure`` with six joints that move its base; 0 is where the base stands.

    What was on the base, masses, shapes and landmarks, is on the link of the last of them.
    """
    if has_floating_base(figure):
        return figure
    axes = np.eye(3)
    joints = []
    for number, name in enumerate(BASE):
        axis = axes[number] if number < 3 else axes[5 - number]
        C = about(axis.tolist())
        back = np.asarray(np.linalg.inv(C), float)
        if number < 3:
            joints.append(Joint(name, PRISMATIC, C, back, (-FAR, FAR)))
        else:
            joints.append(Joint(name, REVOLUTE, C, back, (-TURN, TURN)))
    links = dict(figure.links) | {name: Link(name) for name in BASE}
    links[BASE[-1]] = replace(figure.root, name=figure.root.name or "base")
    moved = {
        name: mark if mark.joint else Landmark(BASE[-1], mark.X_LP)
        for name, mark in figure.landmarks.items()
    }
    sensors = {
        name: mark if mark.joint else Landmark(BASE[-1], mark.X_LP)
        for name, mark in figure.sensors.items()
    }
    return Figure(
        [*joints, *figure.joints],
        [-1, *range(5), *(5 if parent < 0 else parent + 6 for parent in figure.parents)],
        base=figure.base,
        name=figure.name,
        links=links,
        chains=figure.chains,
        postures=figure.postures,
        landmarks=moved,
        sensors=sensors,
        unit=figure.unit,
        unit_size=figure.unit_size,
        up=figure.up,
        about=figure.about,
        measures=figure.measures,
    )


def has_floating_base(figure: Figure) -> bool:
    """Return whether the base of a figure is moved by joints of its own."""
    return figure.names[: len(BASE)] == BASE
