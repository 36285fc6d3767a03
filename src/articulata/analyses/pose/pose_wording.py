"""Targets and what binds a posture, in words.

Why no posture answers a question, with the posture that comes nearest.
"""

from __future__ import annotations

import numpy as np

from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.pose_scene import Scene
from articulata.analyses.pose.starting import brought, made_clear, nearest, spread_starts
from articulata.geometry.arrays import Array, BoolArray
from articulata.kinematics.floating_base import BASE
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
        "distance to the room" if clash is scene.around else "distance to itself"
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
    words: list[dict[str, None]] = [{} for _ in x]
    at: tuple[tuple[BoolArray, list[str], str], ...] = (
        (low, names, "at its lower limit"),
        (high, names, "at its upper limit"),
        (over < _BOUND, said, "at its bound"),
    )
    for where, whose, how in at:
        for row, column in np.argwhere(where).tolist():
            name = whose[column]
            words[row].setdefault(f"{name} {how}" + (_OWN_BOUND if name in BASE else ""))
    for each, *more in zip(words, *told, strict=True):
        each |= dict.fromkeys("; ".join(filter(None, more)).split("; "))
    return ["; ".join(filter(None, each)) for each in words]


def _three(v: Array) -> str:
    return f"({', '.join(f'{part:.4g}' for part in np.asarray(v, float) + 0.0)})"


_MORE = 128
"""Starts for an answer that says no."""


def reason_for(judging: Judging, known: bool) -> tuple[Array, str]:
    """Return the nearest posture (moving,) and why it is not enough.

    ``known``: all postures were looked at, so that what was not found is not there.
    """
    scene = judging.scene
    x, there = brought(scene, spread_starts(scene, _MORE))
    if there.any():
        return _conditions(judging, x[there], known)
    near, off, turn = nearest(scene)
    answer = scene.figure.inverse(scene.targets, scene.whole(near[None])[0], tolerance=1e-6)
    away = f"{off:.3g} m" if off >= 1.0 else f"{1000.0 * off:.3g} mm"
    missed = f"The nearest posture is {away}"
    if turn > 0.0:
        missed += f" and {np.degrees(turn):.3g} deg"
    some = len(scene.columns) < scene.figure.dof
    held = some and bool(answer.found)
    why = "" if held else f" {'With every joint free: ' if some else ''}{answer.explain()}"
    sure = "No posture meets the targets" if known else "No posture was found"
    more = " The joints that are held could meet them; let more of them move." if held else ""
    return near, f"{sure}. {missed} off.{why}{more}"


def _conditions(judging: Judging, x: Array, known: bool) -> tuple[Array, str]:
    scene = judging.scene
    x, _ = made_clear(judging, x)
    over, _ = judging.conditions(x)
    worst = over.min(axis=1) if over.shape[1] else np.zeros(len(x))
    best = int(worst.argmax())
    q = scene.whole(x[best : best + 1])
    parts = []
    for column, (clash, margin) in enumerate(scene.clashes):
        if over[best, column] > 0.0:
            continue
        found = clash.clearances(q)
        one, other = found.names(0) or ("", "")
        gap = 1000.0 * float(found.distance[0])
        said = f"overlap by {-gap:.3g} mm" if gap < 0.0 else f"are {gap:.3g} mm apart"
        asked = f" (asked: more than {1000.0 * margin:g} mm)" if margin else ""
        parts.append(f"'{one}' and '{other}' {said}{asked}")
    column = len(scene.clashes)
    if scene.standing and scene.supports and over[best, column] < 0.0:
        parts.append(_beside_supports(scene, q, -float(over[best, column])))
    column += bool(scene.standing and scene.supports)
    words = scene.body.words if scene.body is not None else []
    parts += [
        f"{word} is beyond its bound"
        for number, word in enumerate(words)
        if over[best, column + number] < 0.0
    ]
    if scene.drive is not None:
        late = over[best, -len(MOTORS) :]
        parts += [
            f"the {name} is {np.degrees(-room):.3g} deg beyond its limit"
            for name, room in zip(MOTORS, late, strict=True)
            if room < 0.0
        ]
    values = judging.values(x[best : best + 1])[0]
    parts += [
        f"objective '{aim.name}' is {aim.sign * value:g}, which excludes it"
        for aim, value in zip(judging.aims, values, strict=True)
        if not np.isfinite(value)
    ]
    why = "; ".join(parts) or "the conditions are met only where the search did not come"
    sure = "Every posture that meets the targets" if known else "Every posture that was found"
    return x[best], f"{sure} breaks a condition. In the nearest one {why}."


def _beside_supports(scene: Scene, q: Array, away: float) -> str:
    """Say how far (m) what presses on the floor is outside its supports in a posture q (1, dof)."""
    what = "centre of pressure" if scene.pushes else "centre of mass"
    named = f"supports ({', '.join(scene.supports)})"
    p = np.concatenate([scene.figure.landmark(q, name)[:, :3, 3] for name in scene.supports])
    gravity = scene.statics.gravity
    down = gravity / np.linalg.norm(gravity)
    level = (p - p[0]) @ (np.eye(3) - np.outer(down, down))
    if np.linalg.matrix_rank(level, tol=_FLAT) > 1:
        return f"the {what} is {1000.0 * away:.3g} mm outside its {named}"
    area = "enclose no area; name three or more that are not on a line"
    if away < _OVER:
        return f"the {what} is over its {named}, but these {area}"
    return f"the {what} is {1000.0 * away:.3g} mm outside its {named}, which {area}"


_FLAT = 1e-9
"""m: supports this near to a line are one."""

_OVER = 1e-3
"""m: so near the search comes to supports without an area."""
