"""Motions of a figure's text, for a wearer to perform and for signals to be known by.

``Bearing`` is what tracked arms hang on, what they carry, and scripts in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from articulata.analyses.track.carrying import Carrying, carrying
from articulata.analyses.track.signals import PERIOD
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.analyses.track.weapon import BOTH, DEPLOYED, Weapon, Wielded, weapon_of
from articulata.domains.kinematic.kinematic_domain import kinematic_model
from articulata.errors import NameNotFound
from articulata.geometry.arrays import Array
from articulata.geometry.easing import minimum_jerk
from articulata.records.tracking import TrackedPosture
from articulata.sessions.track.tracked_figures import Follower
from articulata.world.figures.nodes import Performance
from articulata.world.paths import hint

SIGNAL = "signal_"
"""What names of motions begin with that are signals."""


def performed(who: Follower, motion: str) -> tuple[Callable[[float], Array], float]:
    """Return joint values (dof,) rad at a time (s) of a motion of the text, and its length (s)."""
    model = kinematic_model(who.world).performers[who.who]
    known = model.node.motions
    if motion not in known:
        raise NameNotFound(
            f"figure '{who.figure.name}' has no motion '{motion}'{hint(motion, list(known))}"
        )
    node = replace(model.node, follows=(Performance(motion, 0.0),))
    performer = replace(model, node=node, _kept={})
    length = known[motion].frames[-1].time
    return (lambda time: performer.at(time)[0]), length


def carried(who: Follower, body: TrackedBody) -> Carrying:
    """Return what carries the arms of a figure."""
    return carrying(kinematic_model(who.world).performers[who.who], body)


def motions_of_signals(who: Follower) -> Mapping[str, Array]:
    """Return postures (n, dof) of every signal that the figure's text has, by its name."""
    found = {}
    for name in who.world.figures[who.who].motions:
        if name.startswith(SIGNAL):
            posture, length = performed(who, name)
            found[name.removeprefix(SIGNAL)] = np.array(
                [posture(time) for time in np.arange(0.0, length, PERIOD)]
            )
    return found


def one_after_another(
    who: Follower, motions: tuple[str, ...], pause: float = 1.0, pace: float = 1.0
) -> Callable[[float], Array]:
    """Return what a wearer does who performs motions in turn, with a ``pause`` (s) after each.

    He goes through them ``pace`` times as fast.
    """
    parts = [performed(who, name) for name in motions]
    ends = np.cumsum([length / pace + pause for _, length in parts])

    def posture(time: float) -> Array:
        t = time % float(ends[-1])
        k = int(np.searchsorted(ends, t, side="right"))
        begun = float(ends[k - 1]) if k else 0.0
        move, length = parts[k]
        return move(min(pace * (t - begun), length))

    return posture


EASED = 0.3
"""Seconds in which arms go over from sensors to a script, and back."""


class Bearing:
    """The body below the arms, the weapon where there is one, and the script that arms perform.

    ``doing`` is what the body does, "" while it stands as it is placed. At first the weapon is
    carried as ``armed`` says, ``released`` by the hands of these sides.
    """

    def __init__(
        self, follower: Follower, body: TrackedBody, armed: str = "", released: str = ""
    ) -> None:
        self.follower, self._body = follower, body
        self.doing = ""
        self._script: tuple[Callable[[float], Array], float, float] | None = None
        self._shown: Array | None = None
        self._carrying = carried(follower, body)
        self.weapon: Weapon | None = None
        self._wielded: Wielded | None = None
        if follower.weapon is not None:
            self.weapon = weapon_of(self._carrying.performer, body, follower.weapon)
            self._wielded = self.weapon.start()
            if armed == DEPLOYED:
                self.weapon = self.weapon.carry(armed)
                for side in released:
                    self.weapon = self.weapon.hold(side, False)

    @property
    def offered(self) -> tuple[str, ...]:
        """What the body can do, in words."""
        return self._carrying.offered

    def begin(self, word: str, time: float) -> None:
        """Let the body go over to what ``word`` says from ``time`` (s) on."""
        self._carrying, self.doing = self._carrying.begin(word, time), word
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
        posture = self._scripted(self._carrying.under(posture))
        if self.weapon is not None and self._wielded is not None:
            self._wielded, posture = self.weapon.step(self._wielded, posture)
        return posture

    def perform(self, motion: str, time: float, pace: float = 1.0) -> None:
        """Let the arms do what a motion says from ``time`` (s) on, ``pace`` times as fast."""
        posture, length = performed(self.follower, motion)
        self._script = (lambda t: posture(pace * t)), time, length / pace
        self._shown = None

    def show(self, q: Array | None) -> None:
        """Let the arms hold the posture ``q`` (dof,) rad; None: they follow again."""
        self._shown, self._script = q, None

    def _scripted(self, posture: TrackedPosture) -> TrackedPosture:
        """Return the posture whose arms do what the script says, where there is one."""
        share, q = 1.0, self._shown
        if self._script is not None:
            script, begun, length = self._script
            t = posture.time - begun
            if t > length + EASED:
                self._script = None
            elif t >= 0.0:
                q = script(min(t, length))
                share = minimum_jerk(min(t, length + EASED - t, EASED) / EASED)
        if q is None:
            return posture
        found, solved = posture.q.copy(), posture.solved.copy()
        columns = self._body.columns
        found[columns] += share * (q[columns] - found[columns])
        solved[:, : columns.shape[1]] = found[columns]
        return posture._replace(q=found, solved=solved)

    def settings(self) -> Mapping[str, str]:
        """Return what the body does and how a weapon is carried, as a take's header holds it."""
        found = {"body": self.doing} if self.doing else {}
        if self.weapon is None:
            return found
        state, holding = self.weapon.carried
        released = "".join(sorted(BOTH - holding)) if state == DEPLOYED else ""
        return {**found, "weapon": state, **({"released": released} if released else {})}

    def told(self) -> tuple[str, ...]:
        """Return what a person should know of it."""
        return () if self.weapon is None else self.weapon.told(self._wielded)
