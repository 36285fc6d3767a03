"""The instant of an event: new contacts collide, then the active set of contacts is decided.

Contacts that no motion can obey: a body between others that come closer whatever it does.

Hoffmann & Hopcroft 1986, section 4.2, case 4: the model is deficient and the run cannot go on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.contact.closed import AT_REST, SLIDING, Closed, Forces
from articulata.domains.dynamic.contact.collisions import Impact, collide
from articulata.domains.dynamic.contact.contact_energy import Books
from articulata.domains.dynamic.contact.contact_events import Balance, Teller
from articulata.domains.dynamic.contact.coulomb import holding
from articulata.domains.dynamic.contact.intervals import Unfollowed
from articulata.domains.dynamic.contact.laws import APPROACH, Contact
from articulata.domains.dynamic.contact.paradox import Jam
from articulata.domains.dynamic.contact.resistance import coefficients
from articulata.domains.dynamic.contact.states import Decisions
from articulata.domains.dynamic.contact.touches import NEAR, Touch
from articulata.domains.dynamic.couplings import turning
from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.mechanism import PRESCRIBED
from articulata.domains.protocols import Control
from articulata.errors import InconsistentSystem, SimulationError
from articulata.geometry.arrays import Array
from articulata.kernels.multibody.contact import contact_solution as kernels
from articulata.kernels.multibody.contact.closing import project_contacts
from articulata.kernels.multibody.contact.memory import SLIP, STICK
from articulata.kernels.multibody.contact.rows import SPEED_N
from articulata.records.events import Event
from articulata.world.model import Coupling, Drive

OVERLAP = 1e-6
"""Parts that overlap by more than this (m) at the start cannot be simulated."""

STRIKES = 24
"""Strikes of a pair within the time that counts as one series after which it stops bouncing."""

MANY = 150
"""Points at which two bodies touch that are not decided about one by one where steps may do it."""

ROUNDS = 50
"""Impacts in one instant before the state is taken as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """A state after its impacts, the contacts ``now`` closed there, and what happened.

    ``others`` are features beside the closed ones that touch as well but do not press.
    """

    state: Array
    now: Closed
    others: Closed
    events: tuple[Event, ...]


class Arrivals:
    """Says how one mechanism goes on where something touches."""

    def __init__(self, forces: Forces, contact: Contact, books: Books, yielding: bool) -> None:
        self.forces = forces
        self._yielding = yielding
        self.decisions = Decisions(forces)
        self.books = books
        self.engine = forces.engine
        self.around = forces.around
        self._teller = Teller(forces.engine, contact, forces.around)
        self.strikes: Mapping[int, tuple[float, ...]] = {}
        """When pairs have struck of late (s), as the interval under way remembers it."""
        self._settle = contact.settle

    def overlapping(self, state: Array) -> bool:
        """Tell whether bodies overlap so far at ``state`` that it cannot be gone on from.

        Hinges count as well that are as far beyond their limits as steps may leave them.
        """
        limits = self.around.limits
        limits.follow(self.engine.turned)
        return limits.passed() or bool(np.any(self.around.near_gaps(state) < -OVERLAP))

    def crowded(self, touches: Sequence[Touch]) -> bool:
        """Tell whether two bodies touch at so many points that steps had better go on."""
        if not self._yielding or len(touches) <= MANY:
            return False
        return max(Counter((touch.a, touch.b) for touch in touches).values()) > MANY

    def check_apart(self, state: Array, time: float) -> None:
        """Raise SimulationError where bodies overlap at ``state``, or hinges pass their limits."""
        self.around.limits.check(time)
        gaps = self.around.near_gaps(state)
        for pair in np.flatnonzero(gaps < -OVERLAP).tolist():
            one, other = (self.engine.parts.bodies[k] for k in self.around.bodies(pair))
            bodies = self.engine.parts.world.bodies
            raise SimulationError(
                f"{bodies[one].span}: '{one}' and '{other}' ({bodies[other].span}) overlap by "
                f"{-gaps[pair]:.3g} m at t = {time:.9g} s; move them apart, or say "
                f"ignore {one} with {other}"
            )

    def at(
        self, before: Closed, state: Array, time: float, control: Control, jam: Jam | None = None
    ) -> Arrival:
        """Let what touches at ``state`` collide, then decide which contacts stay closed.

        ``before`` are the contacts closed until now; ``jam`` is what has come to jam here.
        """
        state, events = state.copy(), list[Event]()
        touches = self.around.touches(state, NEAR)
        if self.crowded(touches):
            raise Unfollowed(f"two bodies touch at more than {MANY} points at t = {time:.9g} s")
        stopped = frozenset[int]()
        if jam is not None:
            events += self._stop(touches, jam, state, time, control)
            stopped |= jam.pairs
        known: Balance | None = None
        for rounds in range(ROUNDS):
            weary, begin = self._weary(time), state.copy()
            hit = collide(self.forces, touches, before, weary, state, time, control)
            if hit is None:
                break
            check_way_out(self.engine, hit, rounds, time)
            old = self._teller.energy(begin) if known is None else known
            new = known = self._teller.energy(state)
            self._book_impact(hit, old, new)
            for touch, speed in zip(hit.touches, hit.before.tolist(), strict=True):
                if speed < -APPROACH:
                    before_this = self.strikes.get(touch.pair, ())
                    self.strikes = {**self.strikes, touch.pair: (*before_this, time)}
            events += self._teller.impact(hit, state, time, old, new)
        self.books.leave(before)
        now = self.decisions.at(touches, state, time, control)
        while isinstance(now, Jam):
            if now.pairs <= stopped:
                raise now.error
            events += self._stop(touches, now, state, time, control)
            stopped |= now.pairs
            now = self.decisions.at(touches, state, time, control)
        now = self._closed(now, state)
        keys = now.keys
        held = {touch.pair for touch in now.touches}
        others = self.forces.only_looked_at(
            [t for t in touches if t.pair in held and t.key not in keys]
        )
        settled = {event.who for event in events if event.kind == "settled"}
        changes = self._teller.changes(before, now, touches, time)
        events += [each for each in changes if each.kind != "contact" or each.who not in settled]
        return Arrival(state, now, others, self._teller.counted(events, before, now, state))

    def _stop(
        self, touches: Sequence[Touch], jam: Jam, state: Array, time: float, control: Control
    ) -> list[Event]:
        """Stop what jams, in ``state``; raises its error where no impulse can."""
        before = self._teller.energy(state)
        hit = stop_sliding(self.forces, touches, jam, state, time, control)
        if hit is None:
            raise jam.error
        after = self._teller.energy(state)
        self._book_impact(hit, before, after)
        return self._teller.jam(hit, state, time, before, after)

    def _book_impact(self, hit: Impact, before: Balance, after: Balance) -> None:
        self.books.strike(hit.work, before[0] - after[0] + hit.work)

    def _weary(self, time: float) -> set[int]:
        """Return the pairs that have struck so often of late that they do not bounce any more.

        Where bodies hammer on each other between others, no single bounce tells that its series
        ends; the number of strikes in a short time does.
        """
        since = time - self._settle
        late = {pair: tuple(t for t in at if t >= since) for pair, at in self.strikes.items()}
        self.strikes = {pair: times for pair, times in late.items() if times}
        return {pair for pair, times in self.strikes.items() if len(times) >= STRIKES}

    def _closed(self, now: Closed, state: Array) -> Closed:
        """Close the gaps of the contacts in ``state`` within rounding, and stop what is left."""
        if now.touches:
            now = self.forces.current(now)
            project_contacts(self.engine.arrays, self.engine.work, now.rows, state)
        return now


# ---- what a jam does: an impulse without a collision that stops the sliding
#
# Where friction drives a sliding contact into the other body no force obeys Coulomb's law, but an
# impulse does: pressed together without having approached, the contact is slowed by mu times the
# pressure until it sticks, and pressed on until nothing approaches any more (P. Lecornu, Comptes
# Rendus 140 (1905) 847; F. Genot & B. Brogliato, European Journal of Mechanics A 18 (1999) 653).
# Rigid bodies cannot tell how long it takes, only what is left: the contact is at rest.


NEARLY = 1.02
"""Friction beside the true one by which a contact that is on its way to a jam is held already."""

STOPPED = 1e-9
"""Share of the sliding speed that may be left."""


def stop_sliding(
    forces: Forces,
    touches: Sequence[Touch],
    jam: Jam,
    state: Array,
    time: float,
    control: Control,
) -> Impact | None:
    """Change the velocities of ``state`` so that what jams is at rest; None where no impulse can.

    Contacts of other bodies slide on, with friction, or bear what comes.
    """
    touches = forces.movable(touches, state, time, control)
    if not touches:
        return None
    rows, W, _ = forces.problem(touches, state, time, control)
    u = rows.place[:, SPEED_N : SPEED_N + 3].copy()
    speed = np.hypot(u[:, 1], u[:, 2])
    mu = coefficients(touches, speed)
    own = np.array([touch.pair in jam.pairs for touch in touches]) & (u[:, 0] <= AT_REST)
    mu[own] *= NEARLY
    mode = np.where(~own & (mu > 0.0) & (speed > SLIDING), SLIP, STICK).astype(np.int64)
    along = np.where((mode == SLIP)[:, None], u[:, 1:] / np.maximum(speed, 1e-300)[:, None], 0)
    p = holding(W, u, mu, mode, along)
    if p is None:
        return None
    after = u + (W @ p.ravel()).reshape(-1, 3)
    pressed = own & (p[:, 0] > 0.0)
    left = np.abs(after[pressed]).max(initial=0.0)
    if not np.any(pressed) or left > STOPPED * float(np.max(speed)):
        return None
    engine, none = forces.engine, np.zeros(len(touches))
    done = kernels.apply_impulses(engine.arrays, engine.work, rows, p, state)
    return Impact(
        tuple(touches),
        rows.place.copy(),
        p,
        u[:, 0].copy(),
        after[:, 0],
        none,
        engine.multipliers,
        none,
        done,
    )


PATIENCE = 4
"""Impacts in one instant that may leave bodies approaching each other; laws that let pairs collide
one after the other need some."""

STILL = 1e-3
"""Share of the speed of approach that an impact may leave before it counts as no way out."""


def check_way_out(engine: Engine, hit: Impact, rounds: int, time: float) -> None:
    """Raise InconsistentSystem where impacts leave bodies approaching that touch already.

    ``Unfollowed`` where nothing is told how to move, so that the impacts were not solved.
    """
    if rounds < PATIENCE:
        return
    stuck = np.flatnonzero(hit.after < -STILL * float(np.max(np.abs(hit.before))))
    if not len(stuck):
        return
    parts, found, told = engine.parts, [], []
    touched: set[int] = set()
    for touch in hit.touches:
        touched |= {touch.a, touch.b}
        if touch.stop is not None:
            found.append(f"{touch.stop.hinge.id} at its {touch.stop.side}")
            told.append(f"  {found[-1]}  ({touch.stop.hinge.span})")
            continue
        names = [
            f"{parts.bodies[body]}.{feature}"
            for body, feature in zip((touch.a, touch.b), touch.features, strict=True)
        ]
        spans = [parts.world.bodies[parts.bodies[body]].span for body in (touch.a, touch.b)]
        contact = " on ".join(names)
        if contact not in found:
            found.append(contact)
            told.append(f"  {contact}  ({spans[0]}, {spans[1]})")
    given = {parts.bodies[k] for k in touched if parts.kind[k] == PRESCRIBED}
    pushing = [d for d in parts.drives if d.kind == "acceleration" and d.target in given]
    controls: list[Drive | Coupling] = [*pushing, *turning(parts.world)]
    told += [f"  {each.id}  ({each.span})" for each in controls]
    stopped = any(touch.stop is not None for touch in hit.touches)
    if not given and not parts.drives and not stopped and not turning(parts.world):
        # whatever moves by forces alone can always give way
        raise Unfollowed(
            f"no impulses were found by which the bodies that touch at t = {time:.9g} s leave each "
            "other:\n" + "\n".join(told) + "\nTry another law of contact, or steps."
        )
    raise InconsistentSystem(
        f"the bodies that touch at t = {time:.9g} s cannot but run into each other: these contacts "
        "and motions contradict each other\n"
        + "\n".join(told)
        + "\nGive way on one side: change a control, give a motor a torque beside its speed, "
        "free a body, or ignore a pair.",
        (*found, *(each.id for each in controls)),
        time,
    )
