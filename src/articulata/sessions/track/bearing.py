"""What the tracked arms hang on and what they carry: the rest of the body, and a weapon."""

from __future__ import annotations

from articulata.analyses.track.body import TrackedBody
from articulata.analyses.track.weapon import DEPLOYED, Weapon, Wielded, weapon_of
from articulata.records.tracking import TrackedPosture
from articulata.sessions.track.figures import Follower
from articulata.sessions.track.performing import carried


class Bearing:
    """The body below the arms, and the weapon where there is one."""

    def __init__(self, follower: Follower, body: TrackedBody, armed: str = "") -> None:
        self._carrying = carried(follower, body)
        self.weapon: Weapon | None = None
        self._wielded: Wielded | None = None
        if follower.weapon is not None:
            self.weapon = weapon_of(self._carrying.performer, body, follower.weapon)
            self._wielded = self.weapon.start()
            if armed == DEPLOYED:
                self.weapon = self.weapon.carry(armed)

    @property
    def offered(self) -> tuple[str, ...]:
        """What the body can do, in words."""
        return self._carrying.offered

    def begin(self, word: str, time: float) -> None:
        """Let the body go over to what ``word`` says from ``time`` (s) on."""
        self._carrying = self._carrying.begin(word, time)
        if self.weapon is not None:
            self.weapon = self.weapon.under(word)

    def grant(self, name: str, value: object) -> None:
        """Do what was wished of the weapon: "weapon" (how it is carried), "hand r", "hand l"."""
        if self.weapon is None:
            return
        if name == "weapon":
            self.weapon = self.weapon.carry(str(value))
        elif self.weapon.state == DEPLOYED:
            self.weapon = self.weapon.hold(name[-1], bool(value))

    def under(self, posture: TrackedPosture) -> TrackedPosture:
        """Return the posture with the rest of the body and the weapon."""
        posture = self._carrying.under(posture)
        if self.weapon is not None and self._wielded is not None:
            self._wielded, posture = self.weapon.step(self._wielded, posture)
        return posture

    def told(self) -> tuple[str, ...]:
        """Return what a person should know of it."""
        return () if self.weapon is None else self.weapon.told(self._wielded)
