"""A camera that nothing carries: it is where it is wanted, if its body strikes nothing there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from articulata.analyses.film.film_question import Setting
from articulata.analyses.film.pilot import MARGIN, STEP, STOPPED, Tick
from articulata.analyses.film.scenery import BODY
from articulata.analyses.film.shaping import Shaper, Shaping
from articulata.geometry.arrays import Array
from articulata.geometry.camera_motion import moved
from articulata.geometry.poses import inverse_pose
from articulata.kernels.chains.camera_control.carried_frames import CLASH, KIND
from articulata.kernels.chains.camera_control.control_ticks import FOLLOWS, RESTS, SLOWED
from articulata.kinematics.posture_probes import ClashProbe

_FAR: Final = 0.5
"""m beyond which distances are not told from each other."""

_SHARES: Final = (1.0, 0.5, 0.2, 0.05)
"""Parts of a step that are tried, where the whole one would strike something."""


class FreePilot:
    """Flies the camera of ``setting`` without a robot.

    With a body it stays ``MARGIN`` off what stands about it: it goes as far of its way as it can.
    """

    def __init__(self, setting: Setting) -> None:
        self.steering, self._shaper = setting.steering, Shaper(setting.shaping)
        self.X_WC, self.q, self.step = setting.X_WC.copy(), np.zeros(0), STEP
        self._clash = setting.clash
        self._struck = ""
        self._now = -math.inf  # how far the body was from what stands about it, m
        self._stand: Array | None = None

    @property
    def shaping(self) -> Shaping:
        """How reports become rates; it may be set anew."""
        return self._shaper.shaping

    @shaping.setter
    def shaping(self, shaping: Shaping) -> None:
        self._shaper.shaping = shaping

    def reason(self, code: int) -> str:
        """Return why, for the code of the latest tick."""
        return self._struck if code // KIND == CLASH else ""

    def ride(self, X_WB: Array | None) -> None:
        """Go along with what the camera is on, now at ``X_WB`` (4, 4); None where that stands."""
        if X_WB is not None and self._stand is not None:
            self.X_WC = X_WB @ inverse_pose(self._stand) @ self.X_WC
            self._now = -math.inf
        self._stand = X_WB

    def tick(
        self,
        report: Sequence[float] | None = None,
        *,
        target: Sequence[float] | None = None,
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> Tick:
        """Move on by one step."""
        rates = self._shaper.rates_of(report, self.step)
        return self.go(
            self.steering.twist(rates, self.X_WC, self.step, target=target, velocity=velocity)
        )

    def go(self, twist: Array) -> Tick:
        """Move on by one step with a twist (6,) of the camera, in its own axes."""
        if not twist.any():
            return Tick(RESTS, 0, 1.0, self.q, self.X_WC)
        if self._clash is None:
            self.X_WC = moved(self.X_WC, twist[None], self.step)[0]
            return Tick(FOLLOWS, 0, 1.0, self.q, self.X_WC)
        for share in _SHARES:
            X = moved(self.X_WC, share * twist[None], self.step)[0]
            away = self._away(X)
            # what is too near already may go away
            if away > MARGIN or away > self._now:
                self.X_WC, self._now = X, away
                state = FOLLOWS if share == 1.0 else SLOWED
                return Tick(state, 0 if share == 1.0 else CLASH * KIND, share, self.q, X)
        return Tick(STOPPED, CLASH * KIND, 0.0, self.q, self.X_WC)

    def _away(self, X_WC: Array) -> float:
        """Return how far the body at ``X_WC`` is from what stands about it, m."""
        R = X_WC[:3, :3]
        cosine = math.hypot(R[0, 0], R[1, 0])
        b = math.atan2(-R[2, 0], cosine)
        # straight up or down the first turn is the last one's
        c = math.atan2(R[1, 0], R[0, 0]) if cosine > 1e-9 else 0.0
        across = (-math.sin(c) * R[0] + math.cos(c) * R[1]).tolist()
        a = math.atan2(-across[2], across[1])
        found = self._probe.distance(np.array([*X_WC[:3, 3], c, b, a]), _FAR)
        names = self._probe.names
        if names is not None:
            other = names[1] if names[0] in (BODY, "a") else names[0]
            self._struck = f"clash: {BODY} would strike {other}"
        return found

    @cached_property
    def _probe(self) -> ClashProbe:
        assert self._clash is not None
        return ClashProbe(self._clash, np.arange(6), np.zeros(6))
