"""A walk of the CMU database: solved from its sensors, through the wire, and at 15 and 30 Hz.

Subject 02, clip 01, mocap.cs.cmu.edu, funded by NSF EIA-0196217.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from articulata.analyses.track.arms import arms_from
from articulata.analyses.track.calibration import Calibration, level
from articulata.analyses.track.tracked_person import ARM_PARTS, TrackedBody, tracked_body
from articulata.analyses.track.tracker import Reading, Tracker
from articulata.devices.fastrak.decoder import FastrakDecoder
from articulata.devices.fastrak.emulated_unit import EmulatedUnit
from articulata.devices.fastrak.emulated_wearer import Wearer, Worn
from articulata.devices.fastrak.protocol import Format, commands
from articulata.formats.asf_amc import parse_amc, parse_asf
from articulata.formats.bvh.bvh_figures import Clip
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.geometry.smoothing import OneEuro
from articulata.kinematics.library import figure
from articulata.sessions.track.emulation import clip_of

pytestmark = pytest.mark.material


@dataclass(frozen=True, slots=True)
class Walk:
    body: TrackedBody
    clip: Clip

    def posture(self, time: float) -> Array:
        """The clip's posture, straight between two frames."""
        at = float(np.clip(120.0 * time, 0.0, len(self.clip.q) - 1.001))
        k = int(at)
        return np.asarray(self.clip.q[k] + (at - k) * (self.clip.q[k + 1] - self.clip.q[k]))


@pytest.fixture(scope="module")
def walk(material: Path) -> Walk:
    folder = material / "data" / "tracking" / "cmu_asfamc"
    skeleton = parse_asf((folder / "02.asf").read_text("ascii"))
    clip = parse_amc((folder / "02_01.amc").read_text("ascii"), skeleton)
    return Walk(tracked_body(skeleton.figure), clip)


def test_the_clip_is_read_whole(walk: Walk) -> None:
    assert walk.clip.q.shape == (343, 56)
    skeleton = walk.body.figure
    # the first frame's numbers, and a person of 1.7 m
    assert walk.clip.q[0, skeleton.coordinate("rradius rx")] == pytest.approx(np.radians(46.2257))
    X = walk.clip.X_WF[0] @ skeleton.poses(walk.clip.q[0])
    soles = min(X[skeleton.index(f"{side}toes rx"), 1, 3] for side in "lr")
    assert X[skeleton.index("head rx"), 1, 3] - soles == pytest.approx(1.55, abs=0.1)
    assert soles == pytest.approx(0.0, abs=0.1)


def test_without_the_wire_it_is_exact(walk: Walk) -> None:
    X = walk.body.figure.poses(walk.clip.q)[:, :, :3, :3]
    for arm in walk.body.arms.each:
        found = arms_from(arm, X[:, arm.root], *(X[:, link] for link in arm.links))
        assert np.abs(found.q - walk.clip.q[:, arm.columns]).max() < 1e-12
        assert np.abs(found.left).max() < 1e-12


def test_a_person_performs_it(walk: Walk, material: Path) -> None:
    """Upper arms and forearms point against the trunk as the walker's do."""
    person = tracked_body(figure("person"))
    file = material / "data" / "tracking" / "cmu_asfamc" / "02_01.amc"
    times = walk.clip.times[:-1:7]
    posture = clip_of(file, person)
    q = np.array([posture(time) for time in times])
    mine, other = (
        pointing(body, at) for body, at in ((person, q), (walk.body, walk.clip.q[:-1:7]))
    )
    assert np.degrees(np.arccos(np.minimum((mine * other).sum(-1), 1.0))).max() < 0.01


def pointing(body: TrackedBody, q: Array) -> Array:
    """Where upper arms and forearms point, (n, arms, 2, 3): ahead, left and up of the trunk."""
    axes = np.stack([body.forward, np.cross(body.up, body.forward), body.up], axis=1)
    X, still = body.figure.poses(q), body.figure.poses(body.figure.neutral)
    found = []
    for arm in body.arms.each:
        at = [body.figure.index(arm.joints[k]) for k in (0, 3, 5)]
        R = still[arm.root, :3, :3] @ np.swapaxes(X[:, arm.root, :3, :3], -1, -2)
        ways = np.diff(X[:, at][..., :3, 3], axis=1)
        ways /= np.linalg.norm(ways, axis=-1, keepdims=True)
        found.append(np.einsum("ji,njk,npk->npi", axes, R, ways))
    return np.stack(found, axis=1)


@dataclass(frozen=True, slots=True)
class Worn4:
    """Four sensors of one unit: the trunk and one arm."""

    stations: Mapping[int, str]
    wearer: Wearer
    calibration: Calibration


def worn(walk: Walk, side: str, posture: object = None) -> Worn4:
    body = walk.body
    arm = body.arms.each[body.sides.index(side)]
    stations = {1: "sternum"} | {k: f"{side}_{part}" for k, part in enumerate(ARM_PARTS, 2)}
    rng = np.random.default_rng(8)
    sensors, mounts = {}, {}
    for station, link in zip(stations, (arm.root, *arm.links), strict=True):
        R_BS = Rotation.exp(rng.normal(size=3))
        X = np.eye(4)
        X[:3, :3] = R_BS.to_matrix()
        sensors[station], mounts[station] = Worn(link, X), R_BS.inverse()
    at_rest = body.figure.poses(body.rest)[arm.root, :3, :3]
    mounts[1] = mounts[1] @ Rotation.from_matrix(at_rest).inverse()
    X_FT = np.eye(4)
    X_FT[:3, :3] = level(body).to_matrix()
    wearer = Wearer(body.figure, walk.posture, sensors, X_FT=X_FT)
    return Worn4(stations, wearer, Calibration(level(body), mounts))


@pytest.mark.parametrize(("binary", "bound"), [(True, 1e-4), (False, 0.02)])
def test_after_the_wire_it_is_near(walk: Walk, binary: bool, bound: float) -> None:
    """Deg: what the wire itself costs, binary float32 and ASCII with four digits."""
    form = Format(binary=binary)
    for side in walk.body.sides:
        wears = worn(walk, side)
        unit = EmulatedUnit(wears.wearer.pose, np.random.default_rng(1))
        unit.receive(commands(form), 0.0)
        tracker = Tracker(walk.body, wears.stations, wears.calibration, None)
        number = walk.body.sides.index(side)
        columns = walk.body.arms.each[number].columns
        worst = 0.0
        for time in np.arange(0.0, walk.clip.times[-1], 1.0 / 60.0):
            samples = FastrakDecoder(form).feed(unit.receive(b"P", time), time)
            _, found = tracker.step(tracker.start(), samples)
            true = walk.posture(time)[columns]
            worst = max(worst, float(np.abs(found.angles[number] - true).max()))
        assert np.degrees(worst) < bound


def error(walk: Walk, rate: float, reading: Reading, smooth: OneEuro | None) -> float:
    """Deg rms by which sensors that share ``rate`` are beside where they are, both arms."""
    form, squares = Format(), []
    delay = 4.0 / rate if reading == "interpolate" else 0.0
    for side in walk.body.sides:
        wears = worn(walk, side)
        unit = EmulatedUnit(wears.wearer.pose, np.random.default_rng(1), rate=rate)
        unit.receive(commands(form) + b"C", 0.0)
        decoder = FastrakDecoder(form)
        tracker = Tracker(walk.body, wears.stations, wears.calibration, smooth, reading, delay)
        state = tracker.start()
        numbers = [walk.body.arms.each[walk.body.sides.index(side)].links]
        for slot in range(int((walk.clip.times[-1]) * rate)):
            time = slot / rate
            samples = decoder.feed(unit.due(time + 1e-6), time)
            state, found = tracker.step(state, samples)
            if slot < 12:
                continue  # until streams are full
            X = walk.body.figure.poses(walk.posture(found.time))[list(*numbers), :3, :3]
            turned = [q for role, q in tracker.seen(state).items() if role != "sternum"]
            seen = Rotation.from_quaternion(np.array(turned))
            squares.append(seen.distance(Rotation.from_matrix(X)) ** 2)
    return float(np.degrees(np.sqrt(np.mean(squares))))


def test_sensors_of_different_times(walk: Walk) -> None:
    """What tracking at 4 x 15 and 4 x 30 Hz costs, by how sensors are read at one time."""
    slow, fast = 60.0, 120.0
    held, live = error(walk, slow, "hold", None), error(walk, slow, "extrapolate", None)
    late = error(walk, slow, "interpolate", None)
    assert 5.0 < held < 5.6
    assert live < 2.9
    assert late < 1.2
    assert error(walk, slow, "extrapolate", OneEuro()) < 2.9
    assert error(walk, slow, "interpolate", OneEuro()) < 1.2
    assert error(walk, fast, "extrapolate", None) < 1.7
    assert error(walk, fast, "interpolate", None) < 0.8
