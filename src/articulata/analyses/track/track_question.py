"""The question put to samples that are already there: the postures that they tell of."""

from __future__ import annotations

from collections.abc import Iterable

from articulata.analyses.track.tracker import Tracker
from articulata.records.samples import Sample
from articulata.records.tracking import TrackedPosture


def track(samples: Iterable[Sample], tracker: Tracker) -> list[TrackedPosture]:
    """Return the posture after each sample, in the order of their arrival."""
    state, found = tracker.start(), []
    for sample in sorted(samples, key=lambda each: each.arrival):
        state, posture = tracker.step(state, (sample,))
        found.append(posture)
    return found
