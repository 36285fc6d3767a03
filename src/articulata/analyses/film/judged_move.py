"""What an arm makes of a recorded camera move, frame by frame, before anything moves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.analyses.film.carrier import Carrier
from articulata.analyses.film.reasons import KINDS, kind_of, reason, stays, unmet
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.chains.camera_control.carried_frames import (
    ACCELERATION,
    JERK,
    KIND,
    LOWER,
    SINGULAR,
    SPEED,
    TORQUE,
    UPPER,
    carried_path,
    room,
    wrist_sine,
)
from articulata.kinematics.inverse.recognition import closed_form
from articulata.records.camera_moves import (
    NOT_THERE,
    STRIKES,
    TOO_FAST,
    CameraMove,
    CameraPath,
    FilmVerdict,
)

FINE: Final = 0.004
"""s: the greatest time between two instants at which a move is looked at."""

ENDS: Final = 1e-6
"""rad and m by which a joint may seem to be beyond its end: the curve through the ticks of a flight
along that end is by as much beside it between them."""

MARGIN: Final = 5e-3
"""m: what comes nearer is a clash."""

_LOOKS: Final = 200
"""Postures of a path, evenly, by which branches are told apart that strike and that do not."""

_PROBES: Final = 8
"""Frames of a run that are not reached, about so many, whose nearest postures are looked for."""

NEAREST: Final = "the nearest posture"

_HELPS: Final = {
    "outer boundary": "bring the camera nearer to the robot, or its base nearer to the camera",
    "inner boundary": "keep the camera farther from the robot",
    "dead zone": "keep the camera farther from the robot's first axis",
}
"""What to change where an arm ends, by kind."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Carrying:
    """Postures of an arm along a path at even ``times`` (m,); ``codes`` say where are none."""

    times: Array
    X_BC: Array
    q: Array
    branch: IntArray
    codes: IntArray


def judge(
    move: CameraMove,
    carrier: Carrier,
    *,
    start: npt.ArrayLike | None = None,
    path: CameraPath | None = None,
    margin: float = MARGIN,
    progress: Progress | None = None,
) -> FilmVerdict:
    """Return what ``carrier`` makes of each frame of ``move``.

    Of all branches of the closed form the one is taken that misses the fewest instants, then passes
    the limits the least, then strikes the least, then moves the least; with ``start`` (dof,) the
    one nearest to it. Between frames the camera goes on the curve through them, or on the ``path``
    of a flight that was recorded. ``margin`` (m) is how near is a clash.
    """
    per = max(1, math.ceil(float(1 / move.rate) / FINE - 1e-9))
    count = (len(move.X_WC) - 1) * per + 1
    times = np.linspace(0.0, move.duration, count)
    path = CameraPath.through(move.times, move.X_WC) if path is None else path
    found = carried(path, times, carrier, start=start)
    if progress is not None:
        progress(1, 2)
    codes, asked, (speed, acceleration, torque) = _codes(found, carrier)
    frames = len(move.X_WC)
    # each frame answers for the instants nearest to it
    owner = np.minimum((np.arange(count) + per // 2) // per, frames - 1)
    at = np.arange(frames) * per
    clearance, struck = _clearances(found.q[at], carrier)
    state, kinds, reasons = _worst(found, codes, asked, owner, carrier)
    _say_what_nothing_meets(found.X_BC[at], kinds, reasons, carrier)
    _say_how_far_off(move, found.X_BC[at], (state, kinds, reasons), carrier)
    for frame in np.flatnonzero((clearance < margin) & (state != NOT_THERE)).tolist():
        state[frame], kinds[frame] = STRIKES, "clash"
        reasons[frame] = f"{struck[frame]} come nearer than {1e3 * margin:.3g} mm"
    shares = [np.zeros(frames) for _ in range(3)]
    for out, values in zip(shares, (speed, acceleration, torque), strict=True):
        np.maximum.at(out, owner, np.nan_to_num(values))
    return FilmVerdict(
        move,
        carrier.chain.names,
        state,
        tuple(kinds),
        tuple(reasons),
        found.q[at],
        shares[0],
        shares[1],
        _wrist(found.q[at], carrier),
        clearance,
        _named(found.branch, carrier),
        _unchecked(found, carrier),
        np.zeros(0) if carrier.statics is None else shares[2],
        units=carrier.units,
    )


def _worst(
    found: Carrying, codes: IntArray, asked: Array, owner: IntArray, carrier: Carrier
) -> tuple[IntArray, list[str], list[str]]:
    """Return state, kind and reason of each frame by the worst of the instants that it owns.

    A run of frames that pass one limit tells the most that is ``asked`` (m,) in it.
    """
    frames = int(owner[-1]) + 1
    kinds, reasons = [""] * frames, [""] * frames
    most = np.zeros(frames)
    state = np.zeros(frames, np.int64)
    worst = np.zeros(frames, np.int64)
    for k in np.flatnonzero(codes).tolist():
        frame = int(owner[k])
        if codes[k] and _rank(int(codes[k])) > _rank(int(worst[frame])):
            worst[frame], most[frame] = codes[k], 0.0
            state[frame] = NOT_THERE if stays(int(codes[k])) else TOO_FAST
            branch = int(found.branch[k]) if found.branch[k] >= 0 else _last(found.branch, k)
            kinds[frame] = kind_of(carrier, int(codes[k]), found.X_BC[k], branch)
            reasons[frame] = reason(carrier, int(codes[k]), found.X_BC[k], branch)
        if codes[k] == worst[frame]:
            most[frame] = max(most[frame], asked[k])
    for why, run in groupby(range(frames), key=reasons.__getitem__):
        passing = [frame for frame in run if state[frame] == TOO_FAST]
        for frame in passing:
            reasons[frame] = f"{why}, {max(most[passing]):.4g} asked"
    return state, kinds, reasons


def _say_what_nothing_meets(
    X_BC: Array, kinds: list[str], reasons: list[str], carrier: Carrier
) -> None:
    """Say of frames at poses (n, 4, 4) where the search stood still whether any posture is there.

    The words of a run of such frames tell how near it comes in its worst one.
    """
    lost = [frame for frame, kind in enumerate(kinds) if kind == KINDS[SINGULAR]]
    if not lost:
        return
    told = [
        (frame, *words)
        for frame, words in zip(lost, unmet(carrier, X_BC[lost]), strict=True)
        if words[1]
    ]
    runs = groupby(enumerate(told), key=lambda each: (each[1][0] - each[0], *each[1][1:3]))
    for (_, kind, why), run in runs:
        frames, offs = zip(*((each[0], each[3]) for _, each in run), strict=True)
        for frame in frames:
            kinds[frame] = kind
            reasons[frame] = f"{why}; {NEAREST} is up to {max(offs):.3g} mm off"


def _say_how_far_off(
    move: CameraMove, X_BC: Array, told: tuple[IntArray, list[str], list[str]], carrier: Carrier
) -> None:
    """Say of each run of frames that are not reached how far off they are, where, and what helps.

    ``told`` are state, kinds and reasons of frames at poses (n, 4, 4); some of a run are looked at.
    """
    state, kinds, reasons = told
    for (there, kind, why), run in groupby(
        range(len(state)), key=lambda k: (state[k] != NOT_THERE, kinds[k], reasons[k])
    ):
        frames = list(run)
        if there or NEAREST in why:
            continue
        some = sorted({*frames[:: max(1, len(frames) // _PROBES)], frames[-1]})
        nearest = carrier.chain.inverse(X_BC[some])
        off, turned = 1e3 * carrier.scale * nearest.error, np.degrees(nearest.angle)
        k = int((off + turned).argmax())
        frame = some[k]
        if nearest.found.all():
            more = "another posture meets it: start there, or lead the camera another way"
        else:
            helps = _HELPS.get(kind, "move its base, mount the camera otherwise, or turn it less")
            more = (
                f"off by up to {off[k]:.1f} mm and {turned[k]:.1f} deg (frame "
                f"{move.numbers[frame]}, {move.times[frame]:.3g} s): {helps}"
            )
        for each in frames:
            reasons[each] = f"{why}; {more}"


def carried(
    path: CameraPath, times: Array, carrier: Carrier, *, start: npt.ArrayLike | None = None
) -> Carrying:
    """Return the postures at ``times`` (m,) on the branch that suits the path best."""
    arm, chain = carrier.arm, carrier.chain
    X = carrier.in_base(path.at(times))
    rows = np.ascontiguousarray(X[:, :3])
    begins = _begins(X, carrier, start)
    found: list[tuple[tuple[float, float], Carrying]] = []
    for held, q0 in begins:
        q = np.empty((len(times), chain.dof))
        branch, codes = np.empty(len(times), np.int64), np.empty(len(times), np.int64)
        missed = carried_path(arm, rows, q0, held, room(chain.dof), q, branch, codes)
        made = Carrying(times, X, q, branch, codes)
        ends = ((q < arm.lower - ENDS) | (q > arm.upper + ENDS)).any(axis=1)
        _, _, (speed, acceleration, _) = _codes(made, carrier)
        need = float(np.nanmax(np.maximum(speed, np.sqrt(acceleration)), initial=0.0))
        found.append(((float(missed + ends.sum()), max(need, 1.0)), made))
    least = min(score for score, _ in found)
    tied = [made for score, made in found if score == least]
    struck = [0 if len(tied) == 1 else _strikes(made.q, carrier) for made in tied]
    travels = [float(np.nansum(np.abs(np.diff(made.q, axis=0)))) for made in tied]
    return tied[min(range(len(tied)), key=lambda k: (struck[k], travels[k]))]


def _strikes(q: Array, carrier: Carrier) -> int:
    """Return in how many of some postures, all along a path, the arm or its camera strikes."""
    some = q[:: max(1, len(q) // _LOOKS)]
    return int((_clearances(some, carrier)[0] < MARGIN).sum())


def _begins(X: Array, carrier: Carrier, start: npt.ArrayLike | None) -> list[tuple[int, Array]]:
    """Return where to begin: branches and postures, of the first pose that can be met."""
    chain = carrier.chain
    if start is not None:
        given = np.array(start, float)
        if given.shape != (chain.dof,) or not np.isfinite(given).all():
            raise KinematicsError(
                f"a start is a posture of {chain.dof} finite values, not {given.shape}"
            )
        return [(-1, given)]
    form = closed_form(chain)
    if form is None:
        return [(-1, np.array(chain.neutral))]
    for pose in X[:: max(1, len(X) // 50)]:
        found = chain.all_inverse(pose)
        if not len(found):
            continue
        if found.families:
            return [(-1, q) for each in found.families for q in each.samples(3)]
        kept = [i for i in range(len(found)) if found.within[i]] or list(range(len(found)))
        return [
            (int(found.branch[i]) if carrier.arm.spherical else -1, np.array(found.q[i]))
            for i in kept
        ]
    return [(-1, np.array(chain.neutral))]


def _motion(found: Carrying) -> tuple[float, Array, Array]:
    """Return the time between instants, rates and accelerations (m, dof) by differences."""
    q = found.q
    step = float(found.times[1] - found.times[0]) if len(found.times) > 1 else 1.0
    rates = np.zeros_like(q)
    changes = np.zeros_like(q)
    if len(q) > 2:
        rates[1:-1] = (q[2:] - q[:-2]) / (2.0 * step)
        rates[0], rates[-1] = (q[1] - q[0]) / step, (q[-1] - q[-2]) / step
        changes[1:-1] = (q[2:] - 2.0 * q[1:-1] + q[:-2]) / step**2
    return step, rates, changes


def _unchecked(found: Carrying, carrier: Carrier) -> tuple[str, ...]:
    """Return what nobody limits, what the move asks of it and what to write."""
    _, rates, changes = _motion(found)
    said = []
    for each in carrier.unchecked:
        what = each.partition("s of ")[0]
        if what in ("speed", "acceleration"):
            values, power = (rates, "") if what == "speed" else (changes, "^2")
            free = np.flatnonzero(np.isinf(getattr(carrier, f"{what}s")))
            asked = np.nan_to_num(np.abs(values[:, free])).max(axis=0)
            k, most = int(free[asked.argmax()]), float(asked.max())
            if most > 0.0:
                two = 10.0 ** (math.floor(math.log10(most)) - 1)
                each += (
                    f", {most:.3g} {carrier.units[k]}/s{power} asked of {carrier.chain.names[k]}; "
                    f"write proposed: limits({what}: {math.ceil(most / two) * two:g} rad/s{power})"
                )
                if carrier.units[k] == "m":
                    each += f", which stands for m/s{power} where a joint slides"
        said.append(each)
    return tuple(said)


def _codes(found: Carrying, carrier: Carrier) -> tuple[IntArray, Array, tuple[Array, Array, Array]]:
    """Return what each instant passes, how much of it is asked, and shares of limits.

    The shares (m,) are those of speeds, accelerations and torques.
    """
    arm, q = carrier.arm, found.q
    codes = found.codes.copy()
    step, rates, changes = _motion(found)
    with np.errstate(invalid="ignore"):
        fast, hard = np.abs(rates) / arm.speeds, np.abs(changes) / arm.accelerations
        speed, acceleration = np.nan_to_num(fast).max(axis=1), np.nan_to_num(hard).max(axis=1)
        strong = np.zeros_like(q)
        there = np.isfinite(changes).all(axis=1) & np.isfinite(q).all(axis=1)
        if carrier.statics is not None and there.any():
            needed = carrier.torques(q[there], rates[there], changes[there])
            strong[there] = np.abs(needed) / carrier.efforts
        torque = strong.max(axis=1)
        # over four instants: the middle of the two between
        thirds = np.zeros_like(q)
        if len(q) > 3:
            thirds[1:-2] = np.diff(q, 3, axis=0) / step**3
        jerky = np.abs(thirds) / carrier.jerks
        below, above = q < arm.lower - ENDS, q > arm.upper + ENDS
    asked = np.zeros(len(q))
    for shares, limits, kind in (
        (hard, arm.accelerations, ACCELERATION), (fast, arm.speeds, SPEED),
        (strong, carrier.efforts, TORQUE), (jerky, carrier.jerks, JERK),
    ):  # fmt: skip
        most, worst = np.nan_to_num(shares).max(axis=1), np.nan_to_num(shares).argmax(axis=1)
        over = (codes == 0) & (most > 1.0 + 1e-9)
        codes[over] = KIND * kind + worst[over]
        asked[over] = most[over] * limits[worst[over]]
    for beyond, kind in ((below, LOWER), (above, UPPER)):
        over = beyond.any(axis=1) & (found.codes == 0)
        codes[over] = KIND * kind + beyond.argmax(axis=1)[over]
    return codes, asked, (speed, acceleration, torque)


def _rank(code: int) -> int:
    """Return how much a code weighs beside others of its frame: ends in space come first."""
    kind = code // KIND
    if code == 0:
        return 0
    return {JERK: 1, ACCELERATION: 2, SPEED: 3, TORQUE: 4}.get(kind, 5)


def _last(branch: IntArray, k: int) -> int:
    known = np.flatnonzero(branch[: k + 1] >= 0)
    return int(branch[known[-1]]) if len(known) else 0


def _clearances(q: Array, carrier: Carrier) -> tuple[Array, list[str]]:
    out, struck = np.full(len(q), np.inf), [""] * len(q)
    there = np.flatnonzero(np.isfinite(q).all(axis=1))
    if carrier.clash is None or not len(there):
        return out, struck
    found = carrier.clash.clearances(carrier.posture(q[there]))
    out[there] = carrier.scale * found.distance
    for row, frame in enumerate(there.tolist()):
        names = found.names(row)
        if names is not None:
            struck[frame] = f"{names[0]} and {names[1]}"
    return out, struck


def _wrist(q: Array, carrier: Carrier) -> Array:
    return np.array([wrist_sine(carrier.arm, row) for row in np.ascontiguousarray(q)])


def _named(branch: IntArray, carrier: Carrier) -> str:
    """Return the branches that are taken, in words."""
    form = closed_form(carrier.chain)
    if form is None or not carrier.arm.spherical:
        return ""
    taken = dict.fromkeys(b for b in branch.tolist() if b >= 0)
    return "; then ".join(form.labels[b] for b in taken)
