"""What the page of film is told of a flight, and what it may set of one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from articulata.analyses.film.shaping import LOCKS, Shaping
from articulata.analyses.film.steering import MODES
from articulata.analyses.film.takes import spans
from articulata.geometry.arrays import Array
from articulata.geometry.camera_motion import ROLLS
from articulata.records.camera_moves import OPTICS, VERDICTS
from articulata.sessions.film.results import Filmed

if TYPE_CHECKING:
    from articulata.sessions.film.flying import Flight

SPEEDS: Final = (0.05, 20.0)
"""The least and the greatest share of the usual speed that the page may ask for."""

SHARES: Final = (0.02, 1.0)
"""Likewise of the speed at which a carried move is rehearsed."""


def page_state(flight: Flight, word: str, why: str, X_WC: Array) -> dict[str, Any]:
    """Return what the page shows; ``word`` and ``why`` say what the camera at ``X_WC`` does."""
    pilot, setting, move = flight.pilot, flight.setting, flight.move
    steering, shaping = pilot.steering, pilot.shaping
    runs, frames, duration, at = flight.spans, 0, 0.0, flight.time
    if flight.doing == "recording":
        rows = [] if flight.take is None else flight.take.words[::10]
        runs, frames, duration = spans(rows), len(rows), flight.time
    elif move is not None:
        frames, duration, at = len(move.X_WC), move.duration, flight.path_time()
    rate = float(setting.question.frames if move is None else move.rate)
    frame = (0 if move is None else move.first) + round(at * rate)
    clock = f"{flight.time:.2f} s, frame {frame} at {rate:g}/s" if duration else ""
    aimed = flight.aimed(X_WC)
    return {
        "state": word, "why": why, "message": flight.message, "doing": flight.doing,
        "clock": clock, "time": at, "duration": duration, "frames": frames,
        "first": 0 if move is None else move.first, "spans": runs,
        "mode": steering.mode, "roll": steering.roll, "look": steering.look,
        "horizon": steering.horizon, "hold": steering.hold, "dominant": shaping.dominant,
        "reach": flight.theatre.stage.reach, "follow_view": flight.follow_view,
        "speed": round(shaping.speed / setting.shaping.speed, 4), "share": flight.share,
        "lock": shaping.lock, "target": setting.target is not None,
        "aim": None if aimed is None else round(math.degrees(aimed), 2),
        "robot": setting.carrier is not None, **_lens_state(flight),
        "offer": "" if flight.offer is None else flight.offer.label,
        "served": flight.served(), "q": [round(x, 6) for x in pilot.q.tolist()],
    }  # fmt: skip


def _lens_state(flight: Flight) -> dict[str, Any]:
    focal, focus, iris = flight.shown_optics()
    near, far = flight.optics.sharp()
    low, high = flight.optics.range
    return {
        "focal": round(focal, 5), "focus": round(focus, 3), "iris": round(iris, 2),
        "follow": flight.optics.follow, "zoom": [low, high],
        "sharp": [round(near, 3), None if math.isinf(far) else round(far, 3)],
        "eye": flight.eye, "eyes": flight.eyes,
    }  # fmt: skip


def set_by_page(flight: Flight, what: str, to: Any) -> None:
    """Set what the page asks for; what is not understood is passed over."""
    pilot, stage = flight.pilot, flight.theatre.stage
    number = isinstance(to, int | float) and not isinstance(to, bool) and math.isfinite(to)
    if what == "mode" and to in MODES:
        pilot.steering = replace(pilot.steering, mode=to)
    elif what == "roll" and to in ROLLS:
        pilot.steering = replace(pilot.steering, roll=to)
    elif what in ("look", "horizon", "hold") and isinstance(to, bool):
        pilot.steering = replace(pilot.steering, **{what: to})  # type: ignore[arg-type] # its flags
    elif what == "reach" and isinstance(to, bool):
        stage.reach = to
    elif what == "follow_view" and isinstance(to, bool):
        flight.follow_view = to
    elif what == "dominant" and isinstance(to, bool):
        pilot.shaping = replace(pilot.shaping, dominant=to)
    elif what == "lock" and to in LOCKS:
        pilot.shaping = replace(pilot.shaping, lock=to)
    elif what == "speed" and number and SPEEDS[0] <= to <= SPEEDS[1]:
        usual: Shaping = flight.setting.shaping
        pilot.shaping = replace(pilot.shaping, speed=to * usual.speed, turn=to * usual.turn)
    elif what == "share" and number and SHARES[0] <= to <= SHARES[1]:
        flight.share = float(to)
    elif what in OPTICS and number:
        flight.optics.wish(what, float(to))
    elif what == "pictures" and number:
        flight.draw_less(float(to))
    elif what == "eye" and to in range(len(flight.eyes)):
        flight.eye = int(to)


def outcome(made: Filmed, runs: list[tuple[int, int, str, str]]) -> str:
    """Return in words what a robot makes of a move whose verdict has these ``runs``."""
    verdict, slow = made.verdict, made.carried
    assert verdict is not None
    good = sum(b - a + 1 for a, b, word, _ in runs if word == VERDICTS[0])
    duration = made.move.duration
    if slow is None:
        more = f"The robot cannot: {made.why}"
    elif good == len(verdict.state) and slow.times[-1] <= 1.02 * duration:
        more = "The robot carries it as it is"
    elif slow.times[-1] <= 1.02 * duration:
        more = f"Eased a little it carries them all in {slow.times[-1]:.1f} s"
    else:
        more = f"Slowed it lasts {slow.times[-1]:.1f} s instead of {duration:.1f} s"
    return f"{good} of {len(verdict.state)} frames follow. {more}"
