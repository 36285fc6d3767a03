"""Targets and what binds a posture, in words."""

from __future__ import annotations

import numpy as np

from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.pose_scene import Scene
from articulata.geometry.arrays import Array, BoolArray
from articulata.kinematics.afloat import BASE
from articulata.kinematics.inverse.targets import (
    GAZE,
    POINTING,
    POSE,
    Target,
    frames,
    kind,
    place_of,
)
from articulata.kinematics.leonardo_base import MOTORS

_AT = 1e-9
"""rad, m: this near to a limit a joint stands at it."""

_OWN_BOUND = " (a bound of the search, not of the body: give lean, or other limits)"

_BOUND = 1e-5
"""m: this near to its bound a condition binds."""


def asked_words(scene: Scene) -> tuple[str, ...]:
    """Return what is asked of each place; supports that stay where they are, together."""
    held = scene.supports if scene.floating else ()
    words = [
        target_words(name, wanted) for name, wanted in scene.targets.items() if name not in held
    ]
    return (*words, f"stands on {', '.join(held)}") if held else tuple(words)


def target_words(name: str, wanted: Target) -> str:
    """Return what is asked of a place."""
    asked, p = kind(wanted), _three(place_of(wanted))
    if asked == GAZE:
        return f"{name} looks at {p} m"
    if asked == POINTING:
        return f"{name} at {p} m, pointing {_three(frames(wanted)[:, 2])}"
    return f"{name} at {p} m{', turned as given' if asked == POSE else ''}"


def binding(judging: Judging, x: Array) -> list[str]:
    """Return what holds each posture (m, moving) where it is: joints at limits, conditions."""
    scene = judging.scene
    names = [scene.figure.names[column] for column in scene.columns]
    low, high = x <= scene.lower + _AT, x >= scene.upper - _AT
    over, _ = judging.conditions(x)
    said = [
        "clear of the room" if clash is scene.around else "clear of itself"
        for clash, _ in scene.clashes
    ]
    if scene.standing and scene.supports:
        said.append("over the supports")
    said += scene.body.words if scene.body is not None else []
    told = [aim.tell(scene.whole(x)) for aim in judging.aims if aim.tell is not None]
    if scene.drive is not None:
        said += MOTORS
        motors = np.degrees(scene.drive.motors(scene.whole(x)))
        told.append(["base motors at {:.3g}, {:.3g} and {:.3g} deg".format(*row) for row in motors])
    words: list[list[str]] = [[] for _ in x]
    at: tuple[tuple[BoolArray, list[str], str], ...] = (
        (low, names, "at its lower limit"),
        (high, names, "at its upper limit"),
        (over < _BOUND, said, "at its bound"),
    )
    for where, whose, how in at:
        for row, column in np.argwhere(where).tolist():
            name = whose[column]
            words[row].append(f"{name} {how}" + (_OWN_BOUND if name in BASE else ""))
    return ["; ".join([*each, *more]) for each, *more in zip(words, *told, strict=True)]


def _three(v: Array) -> str:
    return f"({', '.join(f'{part:.4g}' for part in np.asarray(v, float) + 0.0)})"
