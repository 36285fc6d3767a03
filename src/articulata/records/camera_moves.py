"""Camera moves, what a robot makes of them, and the files they are kept in.

A move is a camera's pose and optics at even frames. A verdict says for each frame whether an arm
can carry the camera there in time, and why not. W is the world, C the camera, SI units.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array, BoolArray, Float64, IntArray
from articulata.geometry.easing import eased_times
from articulata.geometry.quaternion import q_from_matrix, q_normalize, q_to_matrix
from articulata.records.carried_moves import Replayed, replayed_of
from articulata.records.data_frames import OF_POSES, Labelled, Tabular, Variable, poses
from articulata.records.files import write_whole
from articulata.records.frame_rates import frame_rate

FORMAT: Final = 1

OPTICS: Final[tuple[str, ...]] = ("focal", "focus", "iris")
"""Channels beside the pose: focal length (m), distance of focus (m), f-number."""

MOST_FRAMES: Final = 1_000_000
"""Frames that a move has at most when it is sampled: eleven hours at 25 frames/s."""

_MOST_NUMBER: Final = 1_000_000_000
"""The greatest number of a first frame, either sign."""

OK, TOO_FAST, NOT_THERE, STRIKES = 0, 1, 2, 3
VERDICTS: Final = ("follows", "too fast", "not reached", "strikes")
"""What may be said of a frame, by number."""


def unfit(name: str, values: Array) -> BoolArray:
    """Tell which ``values`` (n,) of the channel ``name`` of ``OPTICS`` no lens can have, (n,).

    All are finite; focal lengths and f-numbers are more than 0.
    """
    bad: BoolArray = ~np.isfinite(values)
    return bad if name == "focus" else bad | (values <= 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class CameraMove(Tabular):
    """A camera over time: ``X_WC`` (n, 4, 4) at ``rate`` frames/s, the first numbered ``first``.

    ``optics`` holds channels (n,) by the names of ``OPTICS``: finite, ``focal`` and ``iris`` more
    than 0. What is no move raises RecordingError.
    """

    X_WC: Array
    rate: Fraction
    first: int = 0
    optics: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not abs(self.first) <= _MOST_NUMBER or self.first != int(self.first):
            raise RecordingError(
                f"the first frame's number is whole and of nine digits at most, not {self.first}"
            )
        object.__setattr__(self, "first", int(self.first))
        X = np.array(self.X_WC, float)
        if X.ndim != 3 or X.shape[1:] != (4, 4) or not len(X) or not np.isfinite(X).all():
            raise RecordingError(
                f"a camera's move is poses (n, 4, 4) of finite numbers, one or more; not {X.shape}"
            )
        off = np.abs(np.swapaxes(X[:, :3, :3], 1, 2) @ X[:, :3, :3] - np.eye(3)).max(axis=(1, 2))
        if off.max() > 1e-6 or np.linalg.det(X[:, :3, :3]).min() < 0.0:
            raise RecordingError(
                f"frame {self.first + int(np.argmax(off))} of the move is no rotation and place"
            )
        X.flags.writeable = False
        object.__setattr__(self, "X_WC", X)
        object.__setattr__(self, "rate", frame_rate(self.rate))
        for name, values in self.optics.items():
            if name not in OPTICS or np.shape(values) != (len(X),):
                raise RecordingError(
                    f"optics are {', '.join(OPTICS)}, a number for each frame; not '{name}' of "
                    f"shape {np.shape(values)}"
                )
            bad = unfit(name, np.asarray(values, float))
            if bad.any():
                k = int(np.argmax(bad))
                least = "finite" if name == "focus" else "more than 0"
                raise RecordingError(
                    f"frame {self.first + k}: '{name}' is {values[k]:g}, but must be {least}"
                )

    def __repr__(self) -> str:
        optics = f", with {', '.join(self.optics)}" if self.optics else ""
        return (
            f"CameraMove: {len(self.X_WC)} frames, {self.duration:.4g} s at "
            f"{float(self.rate):.4g} frames/s{optics}"
        )

    def _labelled(self) -> Labelled:
        units = {"focal": "m", "focus": "m", "iris": "1"}
        return Labelled(
            "time",
            {"time": self.times, **OF_POSES},
            {
                "frame": Variable(("time",), self.numbers),
                **poses("time", self.X_WC),
                **{
                    name: Variable(("time",), np.asarray(values, float), units[name])
                    for name, values in self.optics.items()
                },
            },
        )

    @property
    def times(self) -> Float64[Array, "n"]:
        """Times of the frames, s, the first at 0."""
        return np.asarray(np.arange(len(self.X_WC)) * float(1 / self.rate), np.float64)

    @property
    def numbers(self) -> IntArray:
        """Numbers of the frames."""
        return np.arange(self.first, self.first + len(self.X_WC))

    @property
    def duration(self) -> float:
        """From the first frame to the last, s."""
        return float((len(self.X_WC) - 1) / self.rate)

    def resampled(self, rate: float | Fraction) -> CameraMove:
        """Return the same move at another frame rate, on the curve through its frames.

        More than ``MOST_FRAMES`` raise RecordingError.
        """
        wanted = frame_rate(rate)
        if self.duration * float(wanted) >= MOST_FRAMES:
            raise RecordingError(
                f"a move of {self.duration:g} s has more than {MOST_FRAMES} frames at "
                f"{float(wanted):g} frames/s; shorten it or lower the rate"
            )
        times = frames_until(self.duration, wanted)
        path = CameraPath.through(self.times, self.X_WC)
        optics = {name: np.interp(times, self.times, v) for name, v in self.optics.items()}
        return CameraMove(path.at(times), wanted, self.first, optics)

    def plain(self) -> dict[str, Any]:
        """Return it as JSON takes it: places and quaternions, w first."""
        return {
            "articulata": "camera move",
            "format": FORMAT,
            "rate": [self.rate.numerator, self.rate.denominator],
            "first": self.first,
            "position": self.X_WC[:, :3, 3].tolist(),
            "orientation": q_from_matrix(self.X_WC[:, :3, :3]).tolist(),
            "optics": {name: list(map(float, v)) for name, v in self.optics.items()},
        }

    def save(self, path: str | Path) -> None:
        """Write the move to a JSON file."""
        write_whole(Path(path), (json.dumps(self.plain()) + "\n").encode())


def move_of(plain: Any, name: str = "the move") -> CameraMove:
    """Return the move that ``CameraMove.plain`` made ``plain`` of."""
    try:
        if plain["articulata"] != "camera move":
            raise KeyError("articulata")
        if plain["format"] > FORMAT:
            raise RecordingError(
                f"format {plain['format']} is newer than {FORMAT}, up to which this version "
                "reads; install a newer one"
            )
        X = np.tile(np.eye(4), (len(plain["position"]), 1, 1))
        X[:, :3, 3] = plain["position"]
        q = np.array(plain["orientation"], float)
        if not np.abs(q).max(axis=1).all():
            raise ValueError("a quaternion is zero")
        X[:, :3, :3] = q_to_matrix(q_normalize(q))
        optics = {key: np.array(v, float) for key, v in plain["optics"].items()}
        return CameraMove(X, Fraction(*plain["rate"]), plain["first"], optics)
    except RecordingError as error:
        raise RecordingError(f"{name}: {error}") from error
    except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError) as error:
        raise RecordingError(
            f"{name} is no camera move ({error}); give a file that CameraMove.save wrote"
        ) from error


def sampled_move(
    times: npt.ArrayLike,
    X_WC: npt.ArrayLike,
    rate: float | Fraction,
    *,
    ease: bool = False,
    first: int = 0,
    optics: Mapping[str, Array] | None = None,
) -> CameraMove:
    """Return the move at ``rate`` frames/s through key frames ``X_WC`` (n, 4, 4) at ``times`` (n,).

    The times begin at 0 s and rise; each key frame holds at its time. Between them the camera goes
    on a smooth curve, and ``optics`` (channels (n,) by the names of ``OPTICS``) change evenly; the
    last frame is the first at or after the last key frame, where it stands. With ``ease`` it starts
    and ends at rest: it speeds up until the second key frame and slows down from the last but one
    on. The first frame has the number ``first``. More than ``MOST_FRAMES`` raise RecordingError.
    """
    t, X_WC = np.asarray(times, float), np.asarray(X_WC, float)
    if len(t) != len(X_WC) or len(t) < 1 or t[0] != 0.0 or not (np.diff(t) > 0.0).all():
        raise RecordingError("key frames have rising times, one each, the first at 0 s")
    for name, values in (optics or {}).items():
        if np.shape(values) != t.shape:
            raise RecordingError(f"'{name}' of key frames is a number for each of {len(t)}")
    exact = frame_rate(rate)
    late = t * float(exact) >= MOST_FRAMES
    if late.any():
        k = int(np.argmax(late))
        raise RecordingError(
            f"key frame {k + 1} at {t[k]:g} s makes a move of more than {MOST_FRAMES} frames at "
            f"{float(exact):g} frames/s; mend its time or lower the rate"
        )
    at = frames_until(float(t[-1]), exact)
    if ease and len(t) > 1:
        at = eased_times(t, at)
    channels = {name: np.interp(at, t, values) for name, values in (optics or {}).items()}
    return CameraMove(CameraPath.through(t, X_WC).at(at), exact, first, channels)


def frames_until(end: float, rate: Fraction) -> Float64[Array, "n"]:
    """Return the times of frames from 0 on; the last, at or just after ``end`` s, is ``end``."""
    count = math.ceil(end * float(rate) - 1e-6) + 1
    return np.minimum(np.arange(count) / float(rate), end)


def load_move(path: str | Path) -> CameraMove:
    """Return the move in a JSON file."""
    try:
        plain = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise RecordingError(f"{path} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise RecordingError(f"{path} cannot be read as a camera move: {error}") from error
    return move_of(plain, str(path))


@dataclass(frozen=True, slots=True, eq=False)
class CameraPath:
    """A smooth curve of poses: places on a cubic spline, turns on one with continuous rate.

    Acceleration and turning acceleration are continuous. The rotation spline is scipy's, after
    Vladimirsky's cubic in rotation vectors.
    """

    place: Any
    turn: Any

    @staticmethod
    def through(times: npt.ArrayLike, X_WC: Float64[Array, "n 4 4"]) -> CameraPath:
        """Return the curve through poses (n, 4, 4) at rising ``times`` (n,) s."""
        from scipy.interpolate import CubicSpline
        from scipy.spatial.transform import Rotation, RotationSpline

        t, X = np.asarray(times, float), np.asarray(X_WC, float)
        if len(t) < 2:
            t, X = np.array([t[0], t[0] + 1.0]), np.concatenate([X, X])
        place = CubicSpline(t, X[:, :3, 3], bc_type="natural" if len(t) > 2 else "not-a-knot")
        return CameraPath(place, RotationSpline(t, Rotation.from_matrix(X[:, :3, :3])))

    def at(self, t: npt.ArrayLike) -> Float64[Array, "m 4 4"]:
        """Return the poses at times (m,) s."""
        times = np.atleast_1d(np.asarray(t, float))
        X = np.zeros((len(times), 4, 4))
        X[:, :3, 3], X[:, :3, :3], X[:, 3, 3] = self.place(times), self.turn(times).as_matrix(), 1.0
        return X


@dataclass(frozen=True, slots=True, eq=False)
class FilmVerdict(Tabular):
    """What an arm makes of each frame of ``move``: ``state`` (n,) numbers into ``VERDICTS``.

    ``kinds`` and ``reasons`` say why in a word and in a sentence, "" where it follows. ``joints``
    name the columns of ``q`` (n, dof) in ``units`` (rad, m), NaN where there is none; ``speed`` and
    ``acceleration`` (n,) are the greatest shares of the joints' limits about the frame;
    ``singular`` (n,) is the sine of the angle between axes 4 and 6, 1 without such a wrist;
    ``clearance`` (n,) m, inf where nothing was asked; ``torque`` (n,) shares of the greatest ones,
    empty where they are not known. ``branch`` says in words which posture, ``unchecked`` what was
    not looked at. ``replays`` say how controllers replay the move as it is carried, where it is,
    and ``longer`` how much longer that takes.
    """

    move: CameraMove
    joints: tuple[str, ...]
    state: IntArray
    kinds: tuple[str, ...]
    reasons: tuple[str, ...]
    q: Array
    speed: Array
    acceleration: Array
    singular: Array
    clearance: Array
    branch: str = ""
    unchecked: tuple[str, ...] = ()
    torque: Array = field(default_factory=lambda: np.zeros(0))
    replays: tuple[Replayed, ...] = ()
    longer: str = ""
    units: tuple[str, ...] = ()

    @property
    def follows(self) -> bool:
        """Whether the arm carries the camera through every frame."""
        return bool((self.state == OK).all())

    def spans(self) -> list[tuple[int, int, int, str]]:
        """Return runs of equal frames: first index, last index, state, reason."""
        found: list[tuple[int, int, int, str]] = []
        for k, (state, why) in enumerate(zip(self.state.tolist(), self.reasons, strict=True)):
            if found and found[-1][2:] == (state, why):
                found[-1] = (found[-1][0], k, state, why)
            else:
                found.append((k, k, state, why))
        return found

    def __repr__(self) -> str:
        good = int((self.state == OK).sum())
        return f"FilmVerdict: {good} of {len(self.state)} frames follow"

    def _labelled(self) -> Labelled:
        by = ("time",)
        shares = {"share of speed": self.speed, "share of acceleration": self.acceleration}
        if len(self.torque):
            shares["share of torque"] = self.torque
        return Labelled(
            "time",
            {"time": self.move.times, "joint": self.joints, **OF_POSES},
            {
                "frame": Variable(by, self.move.numbers),
                "verdict": Variable(by, np.array(VERDICTS)[self.state]),
                "why": Variable(by, np.array(self.reasons, np.str_)),
                **poses("time", self.move.X_WC),
                "q": Variable(("time", "joint"), self.q, "rad, m", self.joints, self.units),
                **{name: Variable(by, values, "1") for name, values in shares.items()},
                "sine of wrist": Variable(by, self.singular, "1"),
                "clearance": Variable(by, self.clearance, "m"),
            },
        )

    def __str__(self) -> str:
        numbers = self.move.numbers
        good = int((self.state == OK).sum())
        lines = [
            f"{good} of {len(self.state)} frames follow"
            + (f" ({self.branch})" * (bool(self.branch)))
        ]
        lines += [f"as it is carried: {self.longer}"] * bool(self.longer)
        lines += [
            f"frame{f's {numbers[a]} to' * (a < b)} {numbers[b]}: {VERDICTS[state]}: {why}"
            for a, b, state, why in self.spans()
            if state != OK
        ]
        lines += [f"not checked: {each}" for each in self.unchecked]
        lines += [f"as it is carried: {each}" for each in self.replays]
        return "\n".join(lines)

    def table(self) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of a table, a row for each frame."""
        units = self.units or ("rad, m",) * len(self.joints)  # of an older file
        X = self.move.X_WC
        q = q_from_matrix(X[:, :3, :3])
        return {
            "frame": self.move.numbers,
            "t [s]": self.move.times,
            "verdict": np.array([VERDICTS[k] for k in self.state.tolist()]),
            "why": np.array(self.reasons),
            **{f"{a} [m]": X[:, k, 3] for k, a in enumerate("xyz")},
            **{f"q{a}": q[:, k] for k, a in enumerate("wxyz")},
            **{f"{n} [{units[k]}]": self.q[:, k] for k, n in enumerate(self.joints)},
            "share of speed": self.speed,
            "share of acceleration": self.acceleration,
            **({"share of torque": self.torque} if len(self.torque) else {}),
            "sine of wrist": self.singular,
            "clearance [m]": self.clearance,
        }

    def plain(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        return {
            "articulata": "verdict",
            "format": FORMAT,
            "move": self.move.plain(),
            "joints": list(self.joints),
            "state": self.state.tolist(),
            "kinds": list(self.kinds),
            "reasons": list(self.reasons),
            "q": _holed(self.q),
            **{
                name: _holed(getattr(self, name))
                for name in ("speed", "acceleration", "singular", "clearance", "torque")
            },
            "branch": self.branch,
            "unchecked": list(self.unchecked),
            "replays": [each.plain() for each in self.replays],
            "longer": self.longer,
            "units": list(self.units),
        }

    def save(self, path: str | Path) -> None:
        """Write the verdict to a JSON file."""
        write_whole(Path(path), (json.dumps(self.plain()) + "\n").encode())


def load_verdict(path: str | Path) -> FilmVerdict:
    """Return the verdict in a JSON file."""
    try:
        plain = json.loads(Path(path).read_text("utf-8"))
        if plain["articulata"] != "verdict" or plain["format"] > FORMAT:
            raise RecordingError(f"{path} is no verdict of format {FORMAT} or older")
        return FilmVerdict(
            move_of(plain["move"], str(path)),
            tuple(plain["joints"]),
            np.array(plain["state"], np.int64),
            tuple(plain["kinds"]),
            tuple(plain["reasons"]),
            _filled(plain["q"]),
            _filled(plain["speed"]),
            _filled(plain["acceleration"]),
            _filled(plain["singular"]),
            _filled(plain["clearance"]),
            branch=plain["branch"],
            unchecked=tuple(plain["unchecked"]),
            torque=_filled(plain.get("torque", [])),
            replays=tuple(map(replayed_of, plain.get("replays", []))),
            longer=plain.get("longer", ""),
            units=tuple(plain.get("units", [])),
        )
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise RecordingError(f"{path} cannot be read as a verdict: {error}") from error


def _holed(values: Array) -> list[Any]:
    """Return numbers as JSON knows them: None for NaN, a word for inf."""

    def one(value: float) -> float | str | None:
        return None if math.isnan(value) else "inf" if math.isinf(value) else value

    if values.ndim == 1:
        return [one(v) for v in values.tolist()]
    return [[one(v) for v in row] for row in values.tolist()]


def _filled(values: list[Any]) -> Array:
    def one(value: Any) -> float:
        return math.nan if value is None else math.inf if value == "inf" else float(value)

    if values and isinstance(values[0], list):
        return np.array([[one(v) for v in row] for row in values])
    return np.array([one(v) for v in values])
