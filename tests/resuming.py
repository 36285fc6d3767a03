"""Runs that go on from a frame of another, beside that other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import articulata as art
from articulata.analyses.simulate.replaying import question_of


def gone_on(whole: art.Recording, frame: int, **options: Any) -> art.Recording:
    """Return the run that goes on from a frame of ``whole`` as it did, to the same end."""
    asked, state = question_of(whole), whole.state_of(frame)
    return art.simulate(
        whole.worlds[state.version],
        start=state,
        until=asked.until,
        step=asked.step,
        method=asked.method,
        domains=asked.domains,
        contact=asked.contact,
        rules=asked.rules,
        **options,
    )


def ends_of_cycles(whole: art.Recording, most: int) -> list[int]:
    """Return the numbers of at most ``most`` frames that end a cycle, evenly over a run."""
    cycles = whole.times / float(whole.header.step or 1.0)
    last = np.append(np.diff(whole.times) > 0.0, False)  # of several frames at one instant
    ends = np.flatnonzero(last & (np.abs(cycles - np.round(cycles)) < 1e-9))
    return np.unique(ends[np.linspace(0, len(ends) - 1, most).astype(int)]).tolist()


def differences(whole: art.Recording, frame: int, again: art.Recording) -> Iterator[str]:
    """Yield what is not the same, bit for bit, after a frame from which ``again`` went on."""
    begin = float(whole.times[frame])
    if len(again.times) != len(whole.times) - frame:
        yield f"{len(again.times)} frames, not {len(whole.times) - frame}"
        return
    for k in range(1, len(again.times)):
        one, other = whole.frame(frame + k).arrays, again.frame(k).arrays
        for name in one.keys() | other.keys():
            same = name in one and name in other
            if not (same and np.array_equal(one[name], other[name], equal_nan=True)):
                yield f"{name} from t = {whole.times[frame + k]:.9g} s on"
        if any(not np.array_equal(one[n], other[n], equal_nan=True) for n in one):
            break
    events = [
        [(each.time, each.kind, each.who) for each in run.events if each.time > begin]
        for run in (whole, again)
    ]
    if events[0] != events[1]:
        yield f"events {[e for e in events[0] if e not in events[1]][:2]} are others"
