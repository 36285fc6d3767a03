"""The emulator of a session: one unit for each arm, on a wearer who does as he is told.

He also does what motion capture has: a BVH, or an AMC with its skeleton beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from articulata.analyses.track.calibration import level
from articulata.analyses.track.retargeting import Limb, retargeted
from articulata.analyses.track.tracked_person import ARM_PARTS, TrackedBody, tracked_body
from articulata.devices.fastrak.emulated_unit import (
    EXACT,
    Damage,
    EmulatedPort,
    EmulatedUnit,
    Field,
    Source,
)
from articulata.devices.fastrak.emulated_wearer import KeyFrames, Posture, Wearer, strapped
from articulata.devices.fastrak.port import FastrakPort
from articulata.devices.fastrak.protocol import STATIONS as PER_UNIT
from articulata.errors import ArticulataError, FormatError
from articulata.formats.asf_amc import Skeleton, parse_amc, parse_asf
from articulata.formats.bvh.bvh_figures import figure_of_bvh
from articulata.formats.bvh.text import parse_bvh
from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.kinematics.figure import Figure
from articulata.sessions.track.wish import PER_PERSON

CLIPS = (".bvh", ".amc")
"""Files of motion capture."""

BONES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "r": (
        ("r_upper_arm", "rightarm", "rightupperarm", "rightshoulder"),
        ("r_forearm", "rightforearm", "rightlowerarm", "rightelbow"),
        ("r_hand", "righthand", "rightwrist"),
    ),
    "l": (
        ("l_upper_arm", "leftarm", "leftupperarm", "leftshoulder"),
        ("l_forearm", "leftforearm", "leftlowerarm", "leftelbow"),
        ("l_hand", "lefthand", "leftwrist"),
    ),
}
"""What upper arms, forearms and hands are called in BVH files, in small letters; first found."""


def clip_of(file: Path, body: TrackedBody) -> Callable[[float], Array]:
    """Return what ``body`` does, (dof,) rad at a time in s, who moves as a clip does, repeated."""
    try:
        if file.suffix.lower() == ".bvh":
            figure, clip = figure_of_bvh(parse_bvh(file.read_text("utf-8")))
            limbs = _named(figure, file)
        else:
            skeleton = _skeleton(file)
            figure, clip = skeleton.figure, parse_amc(file.read_text("ascii"), skeleton)
            other = tracked_body(figure)
            limbs = {
                side: Limb(arm.root, (arm.links[0], arm.links[1], arm.links[2]))
                for side, arm in zip(other.sides, other.arms.each, strict=True)
            }
    except (OSError, UnicodeError) as error:
        raise ArticulataError(f"{file} cannot be read: {error}") from None
    except FormatError as error:
        raise FormatError(f"{file}: {error}") from None
    found = retargeted(figure, limbs, clip.q, body)
    times, last = clip.times - clip.times[0], len(clip.times) - 1

    def posture(time: float) -> Array:
        at = time % float(times[-1]) if last and times[-1] > 0.0 else 0.0
        k = int(np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(last - 1, 0)))
        if not last:
            return np.asarray(found[0])
        share = (at - times[k]) / (times[k + 1] - times[k])
        return np.asarray(found[k] + share * (found[k + 1] - found[k]))

    return posture


def _skeleton(file: Path) -> Skeleton:
    """Return the skeleton of an AMC: 02.asf of 02_01.amc, else the only one beside it."""
    beside = file.with_name(f"{file.stem.partition('_')[0]}.asf")
    if not beside.exists():
        others = sorted(file.parent.glob("*.asf"))
        if len(others) != 1:
            raise ArticulataError(
                f"{file} has no skeleton beside it; put its .asf into the same folder, as"
                f" {beside.name}"
            )
        (beside,) = others
    return parse_asf(beside.read_text("ascii"))


def _named(figure: Figure, file: Path) -> dict[str, Limb]:
    """Return arms of a BVH by the names of its bones: a bone's last joint carries it."""
    links: dict[str, tuple[int, int]] = {}
    for number, joint in enumerate(figure.joints):
        bone = joint.name.rpartition(" ")[0] or joint.name
        word = bone.rpartition(":")[2].lower()
        links[word] = (links.get(word, (number, number))[0], number)
    found = {}
    for side, parts in BONES.items():
        chosen = [next((links[w] for w in words if w in links), None) for words in parts]
        upper, forearm, hand = chosen
        if upper and forearm and hand:
            found[side] = Limb(figure.parents[upper[0]], (upper[1], forearm[1], hand[1]))
    if not found:
        raise FormatError(
            f"no arm is found by the names of its bones ({', '.join(sorted(links)[:8])} ...);"
            " an arm is RightArm, RightForeArm, RightHand, or r_upper_arm, r_forearm, r_hand"
        )
    return found


IN_FRONT = 0.9
"""m from the wearer to the transmitter, which stands level at the height of his hips."""

PERFORMANCE: tuple[tuple[float, Mapping[str, float]], ...] = (
    (0.0, {}),
    (1.2, {"shoulder_flexion": 80, "elbow_flexion": 20}),
    (2.2, {"shoulder_flexion": 60, "shoulder_abduction": 45, "elbow_flexion": 100}),
    (3.0, {"shoulder_flexion": 60, "shoulder_abduction": 45, "elbow_flexion": 50,
           "elbow_pronation": 60, "radiocarpal_flexion": 30}),
    (3.8, {"shoulder_flexion": 60, "shoulder_abduction": 45, "elbow_flexion": 100,
           "elbow_pronation": -40, "radiocarpal_flexion": -30}),
    (5.0, {"shoulder_abduction": 100, "elbow_flexion": 10}),
    (6.0, {"shoulder_abduction": 100, "elbow_flexion": 80, "shoulder_rotation": -60}),
    (6.7, {"shoulder_abduction": 110, "elbow_flexion": 40, "shoulder_rotation": -60}),
    (7.4, {"shoulder_abduction": 100, "elbow_flexion": 80, "shoulder_rotation": -60}),
    (8.6, {"shoulder_flexion": 20, "elbow_flexion": 110, "elbow_pronation": 30}),
    (10.0, {}),
)  # fmt: skip
"""What a wearer does who was not told anything else: seconds, joint values in degrees by the names
that both arms share. The right arm begins, the left does the same 1.3 s later."""

BEHIND = 1.3


@dataclass(frozen=True, slots=True, eq=False)
class EmulatedWearing:
    """How the emulator errs: ``rate`` of each unit, its field, skew, and damage of the line."""

    rate: float = 120.0
    field: Field = EXACT
    skewed: bool = True
    damage: Damage | None = None


def performance(body: TrackedBody) -> Posture:
    """Return what the wearer does, for figures whose arm joints are called as those of a person.

    Figures with other names swing both arms within their limits.
    """
    figure = body.figure
    times = tuple(time for time, _ in PERFORMANCE)
    frames = []
    for _, said in PERFORMANCE:
        values = {
            f"{side}_{joint}": float(np.radians(angle))
            for joint, angle in said.items()
            for side in body.sides
            if f"{side}_{joint}" in figure.names
        }
        frames.append(figure.vector(values, body.rest))
    if not any(f"{side}_elbow_flexion" in figure.names for side in body.sides):
        return _swinging(body)
    both = KeyFrames(times, np.array(frames))
    columns = [arm.columns for arm in body.arms.each]

    def posture(t: float) -> Array:
        q = both(t)
        if len(columns) > 1:
            q = q.copy()
            q[columns[1]] = both(t - BEHIND)[columns[1]] if t > BEHIND else body.rest[columns[1]]
        return q

    return posture


def swinging(body: TrackedBody) -> Posture:
    """Return how both arms swing forward and back, for figures whose joints a person's are called.

    Others swing each joint within its limits.
    """
    names = [f"{side}_shoulder_flexion" for side in body.sides]
    if any(name not in body.figure.names for name in names):
        return _swinging(body)

    def posture(t: float) -> Array:
        angle = float(np.radians(25.0 - 25.0 * np.cos(min(t, 0.3) / 0.3 * np.pi)
                                 + 50.0 * np.sin(4.8 * max(t - 0.3, 0.0))))  # fmt: skip
        return body.figure.vector(dict.fromkeys(names, angle), body.rest)

    return posture


def _swinging(body: TrackedBody) -> Posture:
    """Return a posture that goes to and fro within the middle half of every arm joint's range."""
    columns = body.columns.reshape(-1)
    limits = body.arms.limits.reshape(-1, 3)
    room = np.where(np.isfinite(limits[:, 1] - limits[:, 0]), limits[:, 1] - limits[:, 0], np.pi)
    paces = 0.5 + 0.13 * np.arange(len(columns))

    def posture(t: float) -> Array:
        q = body.rest.copy()
        share = 0.5 - 0.5 * np.cos(paces * t)
        q[columns] += share * (limits[:, 2] + 0.2 * room * np.sin(paces * t) - q[columns])
        return q

    return posture


class Emulation:
    """A wearer, one or two emulated units, and the drivers that read them.

    ``stations`` are those of the session; a unit has four, the second counts on from 5.
    """

    def __init__(
        self,
        body: TrackedBody,
        stations: Mapping[int, str],
        rng: np.random.Generator,
        wearing: EmulatedWearing,
        *,
        motion: Posture | None = None,
        heading: float = 0.0,
        name: str = "",
    ) -> None:
        X_FT = make_pose(level(body, heading).to_matrix(), body.pivot + IN_FRONT * body.forward)
        sensors = strapped(body.figure, _places(body, stations), rng)
        self.wearer = Wearer(body.figure, motion or performance(body), sensors, X_FT=X_FT)
        self.wearer.hold(body.rest, -10.0)
        self.units: list[EmulatedUnit] = []
        self.ports: list[EmulatedPort] = []
        self.devices: list[FastrakPort] = []
        self._firsts = []
        self._name = f"{name}'s " if name else ""
        for first in sorted({4 * ((station - 1) // 4) + 1 for station in stations}):
            own = tuple(k for k in PER_UNIT if first + k - 1 in sensors)
            self._firsts.append((first, own))
            unit = EmulatedUnit(
                _of_unit(self.wearer, first),
                np.random.default_rng(rng.integers(2**63)),
                sensors=own,
                rate=wearing.rate,
                field=wearing.field,
                skewed=wearing.skewed,
                damage=wearing.damage,
            )
            self.units.append(unit)
            self.ports.append(EmulatedPort(unit))

    def __enter__(self) -> Self:
        for (first, own), port in zip(self._firsts, self.ports, strict=True):
            # the first pose is made before anybody waits for it
            port.unit.receive(b"P", time.monotonic())
            port.plug()
            number = 1 + first % PER_PERSON // len(PER_UNIT)
            name = f"{self._name}emulated fastrak {number}"
            self.devices.append(
                FastrakPort(
                    port.port, first=first, active=own, hemisphere=(-1.0, 0.0, 0.0), name=name
                )
            )
        return self

    def __exit__(self, *_: object) -> None:
        for port in self.ports:
            port.unplug()

    def hold(self, q: Array) -> None:
        """Let the wearer take the posture ``q`` (dof,) and hold it."""
        self.wearer.hold(q, time.monotonic())

    def perform(self, motion: Posture | None = None) -> None:
        """Let the wearer go on with what he does, or begin a motion."""
        self.wearer.perform(time.monotonic(), motion)

    def tap(self) -> None:
        """Let the wearer tap his first sensor."""
        self.wearer.tap(min(self.wearer.sensors), time.monotonic())


def _of_unit(wearer: Wearer, first: int) -> Source:
    def pose(station: int, time: float) -> Array:
        return wearer.pose(station + first - 1, time)

    return pose


def _places(
    body: TrackedBody, stations: Mapping[int, str]
) -> dict[int, tuple[int, tuple[float, float, float]]]:
    """Return the joint whose link each station sits on, and where on it (m)."""
    links = {"pelvis": -1}
    for side, arm in zip(body.sides, body.arms.each, strict=True):
        for part, link in zip(ARM_PARTS, arm.links, strict=True):
            links[f"{side}_{part}"] = link
        links.setdefault("sternum", arm.root)
    links["skull"] = body.neck.head if body.neck is not None else -1
    return {s: (links[role], (0.0, -0.1, 0.02)) for s, role in stations.items() if role in links}
