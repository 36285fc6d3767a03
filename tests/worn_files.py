"""A right arm and a trunk that move, and the files of other programs that tell of it.

The kinematics is written here, by SciPy's rotations: x ahead, y left, z up of the wearer, who hangs
his arms (N) until 1.5 s, raises them to the sides (T) until 3.2 s and moves then.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation as Turn

RATE = 50.0
TIMES = np.arange(0.0, 6.0, 1.0 / RATE)
BODIES = ("torso", "humerus_r", "radius_r", "hand_r")
AHEAD = Turn.from_euler("z", 35.0, degrees=True)


def angles(time: float) -> dict[str, float]:
    """The joints of the right arm at a time, deg, by our names; T until 3.2 s is abducted by 90."""
    if time <= 1.5:
        return {}
    if time <= 3.2:
        return {"shoulder_abduction": 90.0}
    s = 0.5 - 0.5 * np.cos(2.0 * (time - 3.2))
    return {
        "shoulder_flexion": 50.0 * s,
        "shoulder_abduction": 25.0 * s,
        "shoulder_rotation": -20.0 * s,
        "elbow_flexion": 15.0 + 60.0 * s,
        "elbow_pronation": 35.0 * s,
        "radiocarpal_flexion": -25.0 * s,
        "radiocarpal_deviation": 10.0 * s,
    }


def segments(time: float) -> dict[str, Turn]:
    """How each body is turned against the earth at a time.

    Flexion turns about the axis that points right, abduction about the one behind, rotation and
    pronation about what points up, flexion of the wrist about what points ahead, deviation right.
    """
    q = angles(time)
    right, ahead, up = np.array((0.0, -1.0, 0.0)), np.array((1.0, 0.0, 0.0)), np.array((0, 0, 1.0))

    def about(axis: np.ndarray, joint: str) -> Turn:
        return Turn.from_rotvec(axis * np.radians(q.get(joint, 0.0)))

    upper = about(right, "shoulder_flexion") * about(-ahead, "shoulder_abduction")
    upper = upper * about(up, "shoulder_rotation")
    fore = upper * about(right, "elbow_flexion") * about(up, "elbow_pronation")
    hand = fore * about(ahead, "radiocarpal_flexion") * about(right, "radiocarpal_deviation")
    parts = (Turn.identity(), upper, fore, hand)
    return {name: AHEAD * part for name, part in zip(BODIES, parts, strict=True)}


@cache
def told(seed: int = 5) -> Mapping[str, Turn]:
    """What sensors tell at TIMES, by the bodies they are strapped to as they fall."""
    rows = [segments(time) for time in TIMES.tolist()]
    mounts = Turn.random(4, random_state=seed)
    return {
        name: Turn.concatenate([row[name] * mounts[k] for row in rows])
        for k, name in enumerate(BODIES)
    }


def _wxyz(turn: Turn) -> np.ndarray:
    return np.roll(turn.as_quat(), 1, axis=-1)


def opensense(path: Path, *, slipped: bool = False) -> Path:
    """Write a ``.sto``; where sensors have ``slipped``, all is done again with other mounts."""
    seeds = (5, 6) if slipped else (5,)
    parts = [told(seed) for seed in seeds]
    q = {f"{name}_imu": _wxyz(Turn.concatenate([p[name] for p in parts])) for name in BODIES}
    q["femur_r_imu"] = _wxyz(Turn.identity(len(seeds) * len(TIMES)))
    lines = [
        f"DataRate={RATE:.6f}", "DataType=Quaternion", "version=3", "OpenSimVersion=4.4",
        "endheader", "\t".join(("time", *q)),
    ]  # fmt: skip
    for k in range(len(q["femur_r_imu"])):
        cells = (",".join(f"{x:.9f}" for x in each[k]) for each in q.values())
        lines.append("\t".join((f"{k / RATE:.4f}", *cells)))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


COLUMNS = {
    "matrix": [f"Mat[{r}][{c}]" for c in "123" for r in "123"],
    "quaternion": [f"Quat_q{k}" for k in range(4)],
    "angles": ["Roll", "Pitch", "Yaw"],
}


def xsens(
    folder: Path,
    kind: str,
    *,
    first: int = 65400,
    drop: Mapping[str, range] = {},
    between: str = "\t",
    frame: str = "",
) -> Path:
    """Write a file a sensor; packets in ``drop`` are left out of one. Return the first file.

    With a ``frame``, ENU or NED, it is as MT Manager writes it since 2019, which tells no rate.
    """
    today = (
        "// General information: ", "//  MT Manager version: 2022.2.0 ",
        f"// Coordinate system: {frame}",
    )  # fmt: skip
    before = (
        "// Start Time: Unknown", f"// Update Rate: {RATE:.1f}Hz",
        "// Filter Profile: human (46.1)", "// Firmware Version: 4.0.2",
    )  # fmt: skip
    down = Turn.from_euler("x", 180.0 if frame == "NED" else 0.0, degrees=True)
    for number, (name, upward) in enumerate(told().items()):
        turn = down * upward
        numbers = {
            "matrix": turn.as_matrix().transpose(0, 2, 1).reshape(-1, 9),
            "quaternion": _wxyz(turn),
            "angles": turn.as_euler("ZYX", degrees=True)[:, ::-1],
        }[kind]
        lines = [*(today if frame else before)]
        lines.append(between.join(("PacketCounter", "SampleTimeFine", "Acc_X", *COLUMNS[kind])))
        # each begins some packets later than the one before
        for k in range(number, len(TIMES)):
            if k not in drop.get(name, ()):
                row = (f"{x:.8f}" for x in numbers[k])
                lines.append(between.join((f"{(first + k) % 65536:05d}", "", "9.81", *row)))
        (folder / f"MT_0120-001_{name}.txt").write_text("\r\n".join(lines) + "\r\n", "utf-8")
    return folder / "MT_0120-001_humerus_r.txt"


LABELS = dict(zip(BODIES, ("Sternum", "Right Upper Arm", "Right Wrist", "Right Hand"), strict=True))


def apdm(path: Path) -> Path:
    """Write the older format: labels SENSOR/Orientation/Scalar."""
    q = {LABELS[name]: _wxyz(turn) for name, turn in told().items()}
    parts = ("Acceleration/X", *(f"Orientation/{axis}" for axis in ("Scalar", "X", "Y", "Z")))
    lines = [
        "Test Name:,an arm,,", f"Sample Rate:,{RATE:g},Hz,",
        ",".join(("Time", *(f"{name}/{part}" for name in q for part in parts))),
        ",".join(("s", *("m/s^2,,,," for _ in q))),
    ]  # fmt: skip
    for k, time in enumerate(TIMES):
        cells = (f"9.81,{','.join(f'{x:.9f}' for x in each[k])}" for each in q.values())
        lines.append(",".join((f"{time:.4f}", *cells)))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def apdm_7(path: Path) -> Path:
    """Write Format=7: blocks of 14 columns, times in microseconds."""
    kinds = "Accelerometer,,,Gyroscope,,,Magnetometer,,,Barometer,Orientation,,,"
    q = {LABELS[name]: _wxyz(turn) for name, turn in told().items()}
    lines = [
        ",".join(("Format=7", *(f"I{k},,,{name}" + 10 * "," for k, name in enumerate(q, 1)))),
        ",".join(("Time", *(kinds for _ in q))),
        ",".join(("", *("X,Y,Z,X,Y,Z,X,Y,Z,,S,X,Y,Z" for _ in q))),
    ]  # fmt: skip
    for k, time in enumerate(TIMES):
        cells = (
            ",".join((*(10 * ("0.5",)), *(f"{x:.9f}" for x in each[k]))) for each in q.values()
        )
        lines.append(",".join((str(1475521190000000 + round(1e6 * time)), *cells)))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
