"""Events of contact as values: what happened, to whom, by which law, at what cost of energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from articulata.domains.dynamic import readings
from articulata.domains.dynamic.balances import Count, before_and_after, with_values
from articulata.domains.dynamic.contact.closed import Closed
from articulata.domains.dynamic.contact.collisions import Impact
from articulata.domains.dynamic.contact.laws import APPROACH, PRESSURE, Contact
from articulata.domains.dynamic.contact.reaching import changed, reached
from articulata.domains.dynamic.contact.stops import stop_wrenches
from articulata.domains.dynamic.contact.touches import Neighbours, Touch
from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.mechanism import FIXED, Motion, motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.geometry.arrays import Array
from articulata.kernels.multibody.contact.memory import FRICTIONLESS, HELD, SLIP, STICK
from articulata.kernels.multibody.contact.rows import (
    NORMAL,
    POINT,
    SPEED_T1,
    SPEED_T2,
    TANGENT_1,
    TANGENT_2,
)
from articulata.kinematics.assembly.hinge_rows import evaluate
from articulata.records.events import Event, Value

ROWS = ("fn", "fs", "ft")
"""What the names of a contact's rows end in: along the normal, and two across where it sticks."""

Balance: TypeAlias = tuple[float, Array]
"""Kinetic energy (J) and momentum (6,) at a state."""

ENOUGH = 1e-9
"""Hinge impulses below this share of the largest are not told."""


class Teller:
    """Tells what happens to one mechanism."""

    def __init__(self, engine: Engine, contact: Contact, around: Neighbours) -> None:
        self.engine = engine
        self.contact = contact
        self.around = around
        self._rests = (engine.parts.kind == FIXED).tolist()

    def motion(self, state: Array) -> Motion:
        """Return the state as the readings take it."""
        return motion_of(unpack(state))

    def energy(self, state: Array) -> Balance:
        """Return energy and momentum at ``state``."""
        parts, motion = self.engine.parts, self.motion(state)
        spin = readings.spins(parts, motion)
        return readings.kinetic(parts, motion, spin), readings.momentum(parts, motion, spin)

    def impact(
        self, hit: Impact, state: Array, time: float, before: Balance, after: Balance
    ) -> list[Event]:
        """Return the events of one impact, one for each pair of bodies, with ``state`` after it."""
        energy, momentum = after
        books: dict[str, Value] = {
            "kinetic_before": before[0],
            "kinetic_after": energy,
            "energy_lost": before[0] - energy + hit.work,
            "momentum_before": tuple(before[1].tolist()),
            "momentum_after": tuple(momentum.tolist()),
            **self._hinge_impulses(hit, state),
            **self._passed_on(hit),
        }
        found = reached(hit, time, self.contact.impact.name, books)
        for (a, b), rows in self._by_bodies(hit.touches):
            acting = [k for k in rows if hit.impulse[k, 0] > 0.0 and hit.before[k] < -APPROACH]
            if not acting:
                continue
            pushing = [k for k in rows if hit.impulse[k, 0] > 0.0]
            total = float(hit.impulse[pushing, 0].sum())
            weights = hit.impulse[pushing, 0] / total
            settled = max(float(hit.remaining[k]) for k in acting)
            values: dict[str, Value] = {
                "law": self.contact.impact.name,
                "restitution": float(hit.restitution[acting[0]]),
                "impulse": total,
                "impulse_vector": _triple(_vector(hit, pushing, a)),
                "point": _triple(weights @ hit.place[pushing, POINT : POINT + 3]),
                "normal": _triple(_normal(hit, acting[0], a)),
                "approach_speed": float(-np.min(hit.before[acting])),
                "separation_speed": float(np.max(hit.after[acting])),
                **books,
            }
            where = self._features([hit.touches[k] for k in acting], a)
            who = self._names(a, b)
            story = self._struck(where, values)
            if hit.kept < 1.0:
                story += " The surfaces' own would have made energy."
            span = self.engine.parts.world.bodies[who[0]].span
            kind, at = "impact", time
            if settled > 0.0:
                kind, at, values["series"] = "settled", time + settled, settled
                story = (
                    f"{where[0]} comes to rest on {where[1]}: the bounces to come, infinitely "
                    f"many, last {settled:.3g} s together and are summed."
                )
            found.append(Event(at, kind, who, where, values, story, span))
        return found

    def _struck(self, where: Sequence[str], values: Mapping[str, Value]) -> str:
        """Return what is told of two features that strike each other."""
        law, impulse, e = self.contact.impact.name, values["impulse"], values["restitution"]
        if law == "sequential":
            return (
                f"{where[0]} strikes {where[1]}: impulse {impulse:.6g} N s, pairs colliding one "
                f"after the other with e = {e:.6g}."
            )
        return (
            f"{where[0]} strikes {where[1]} at {values['approach_speed']:.6g} m/s: impulse "
            f"{impulse:.6g} N s by {law}'s law with e = {e:.6g}."
        )

    def jam(
        self, hit: Impact, state: Array, time: float, before: Balance, after: Balance
    ) -> list[Event]:
        """Return the events of a jam: of each pair of bodies that an impulse held."""
        energy, momentum = after
        found = []
        for (a, b), rows in self._by_bodies(hit.touches):
            acting = [k for k in rows if hit.impulse[k, 0] > 0.0]
            if not acting:
                continue
            where = self._features([hit.touches[k] for k in acting], a)
            who, total = self._names(a, b), float(hit.impulse[acting, 0].sum())
            weights = hit.impulse[acting, 0] / total
            values: dict[str, Value] = {
                "law": "Coulomb",
                "impulse": total,
                "impulse_vector": _triple(_vector(hit, acting, a)),
                "point": _triple(weights @ hit.place[acting, POINT : POINT + 3]),
                "normal": _triple(_normal(hit, acting[0], a)),
                "kinetic_before": before[0],
                "kinetic_after": energy,
                "energy_lost": before[0] - energy + hit.work,
                "momentum_before": tuple(before[1].tolist()),
                "momentum_after": tuple(momentum.tolist()),
                **self._hinge_impulses(hit, state),
            }
            story = (
                f"{where[0]} jams on {where[1]}: no force obeys Coulomb's law there (Painleve's "
                f"paradox), an impulse of {total:.6g} N s stops the sliding."
            )
            span = self.engine.parts.world.bodies[who[0]].span
            found.append(Event(time, "jam", who, where, values, story, span))
        return found

    def _passed_on(self, hit: Impact) -> dict[str, Value]:
        """Return the impulses of pairs that did not approach: they rest, and passed it on."""
        told: dict[str, Value] = {}
        largest = float(np.max(hit.impulse[:, 0], initial=0.0))
        for (a, b), rows in self._by_bodies(hit.touches):
            pushing = [k for k in rows if hit.impulse[k, 0] > ENOUGH * largest]
            if pushing and not np.any(hit.before[rows] < -APPROACH):
                one, other = self._names(a, b)
                told[f"impulse of {other} on {one}"] = _triple(_vector(hit, pushing, a))
        return told

    def _hinge_impulses(self, hit: Impact, state: Array) -> dict[str, Value]:
        parts = self.engine.parts
        if not len(parts.rows):
            return {}
        motion = self.motion(state)
        values = evaluate(parts.rows, motion.positions, motion.R)
        forces = readings.hinge_forces(parts, motion, values, hit.multipliers)
        stops = [touch.stop for touch in hit.touches]
        forces += stop_wrenches(stops, hit.place, hit.impulse[:, 0], parts.hinge_arms(motion))
        largest = float(np.max(np.abs(forces), initial=0.0))
        return {
            f"impulse of {hinge.id}": tuple(force.tolist())
            for hinge, force in zip(parts.hinges, forces, strict=True)
            if float(np.max(np.abs(force))) > ENOUGH * largest
        }

    def changes(
        self, before: Closed, now: Closed, touches: Sequence[Touch], time: float
    ) -> list[Event]:
        """Return the events by which closed contacts changed: contact, separation, stick, slip.

        ``touches`` are the features that touch now: what does no more has come to its end.
        """
        if before.modes == now.modes:
            return []
        there = {touch.key for touch in touches}
        of_old, of_new = self._by_bodies(before.touches), self._by_bodies(now.touches)
        old = {bodies: _state(before, rows) for bodies, rows in of_old}
        new = {bodies: _state(now, rows) for bodies, rows in of_new}
        found = changed(before, now, time)
        for (a, b), rows in of_new:
            kind = new[a, b]
            was = old.get((a, b))
            where = self._features([now.touches[k] for k in rows], a)
            if was is None:
                told = {
                    FRICTIONLESS: "without friction",
                    STICK: "and sticks",
                    SLIP: "and slides",
                    HELD: "with friction that follows a rule of steps",
                }
                story = f"{where[0]} stays on {where[1]} {told[kind]}."
                values = self._rubbing(now, rows, kind)
                found.append(self._event(time, "contact", a, b, where, story, values))
            elif was != kind and kind in (STICK, SLIP):
                word = "stick" if kind == STICK else "slip"
                story = f"{where[0]} {'sticks to' if kind == STICK else 'slides on'} {where[1]}."
                values = self._rubbing(now, rows, kind)
                found.append(self._event(time, word, a, b, where, story, values))
        for (a, b), rows in of_old:
            if (a, b) not in new:
                where = self._features([before.touches[k] for k in rows], a)
                pulls = any(before.touches[k].key in there for k in rows)
                why = "their contact would have to pull" if pulls else "it has come to its end"
                story = f"{where[0]} leaves {where[1]}: {why}."
                values = {"law": PRESSURE}
                found.append(self._event(time, "separation", a, b, where, story, values))
        return found

    def _rubbing(self, now: Closed, rows: list[int], kind: int) -> dict[str, Value]:
        """Return the law of a pair's friction and the coefficient that counts: the largest."""
        if kind == FRICTIONLESS:
            return {"law": PRESSURE, "friction": 0.0}
        mu = []
        for k in rows:
            surface, place = now.touches[k].surface, now.rows.place[k]
            speed = float(np.hypot(place[SPEED_T1], place[SPEED_T2]))
            mu.append(surface.static if kind == STICK else surface.sliding(speed))
        return {"law": self.contact.friction_rule.name, "friction": max(mu)}

    def counted(
        self, events: Sequence[Event], before: Closed, now: Closed, state: Array
    ) -> tuple[Event, ...]:
        """Return the ``events`` of one instant with the equations before and after it.

        Sizes and ranks are those of all equations, the rows that came and went those of the two
        bodies of an event.
        """
        if not events:
            return ()
        size = self.engine.count(state)
        values = before_and_after(
            with_contacts(size, before).values, with_contacts(size, now).values
        )
        same = before.modes == now.modes
        old, new = ({}, {}) if same else (self._rows(before), self._rows(now))
        changed: dict[tuple[str, ...], dict[str, Value]] = {}
        for word, some, others in (("added", new, old), ("removed", old, new)):
            rows = [row for row in some if row not in others]
            for row in rows:
                pair = changed.setdefault(some[row], {})
                names = pair.get(f"rows_{word}", ())
                assert isinstance(names, tuple)
                pair[f"rows_{word}"] = (*names, row)
        none: dict[str, Value] = {"law": PRESSURE, "rows_added": (), "rows_removed": ()}
        return tuple(
            with_values(each, {**values, **none, **changed.get(tuple(sorted(each.who)), {})})
            for each in events
        )

    def _rows(self, now: Closed) -> dict[str, tuple[str, ...]]:
        """Return the rows of closed contacts by name, and of which bodies, or hinge, each is."""
        bodies = self.engine.parts.bodies
        found: dict[str, tuple[str, ...]] = {}
        for touch, mode in zip(now.touches, now.rows.mode.tolist(), strict=True):
            if touch.stop is not None:
                found[f"{touch.stop.label} {touch.stop.side}"] = (touch.stop.hinge.id,)
                continue
            a, b = bodies[touch.a], bodies[touch.b]
            where = f"{a}.{touch.features[0]} on {b}.{touch.features[1]}"
            for letter in ROWS if mode == STICK else ROWS[:1]:
                found[f"{where} {letter}"] = tuple(sorted((a, b)))
        return found

    def _event(
        self,
        time: float,
        kind: str,
        a: int,
        b: int,
        where: tuple[str, ...],
        story: str,
        values: dict[str, Value],
    ) -> Event:
        who = self._names(a, b)
        span = self.engine.parts.world.bodies[who[0]].span
        return Event(time, kind, who, where, values, story, span)

    def _by_bodies(self, touches: tuple[Touch, ...]) -> list[tuple[tuple[int, int], list[int]]]:
        """Return the indices of touches, grouped by the two bodies; one that rests comes second.

        Limits of hinges are not among them.
        """
        rests, found = self._rests, dict[tuple[int, int], list[int]]()
        for k, touch in enumerate(touches):
            if touch.stop is None:
                a, b = touch.a, touch.b
                pair = (a, b) if (rests[a], a) < (rests[b], b) else (b, a)
                found.setdefault(pair, []).append(k)
        return sorted(found.items())

    def _names(self, a: int, b: int) -> tuple[str, str]:
        bodies = self.engine.parts.bodies
        return bodies[a], bodies[b]

    def _features(self, touches: list[Touch], first: int) -> tuple[str, ...]:
        """Return the features that met, of body number ``first`` and of the other by turns."""
        bodies = self.engine.parts.bodies
        listed: list[str] = []
        for touch in touches:
            one, two = touch.features
            names = [f"{bodies[touch.a]}.{one}", f"{bodies[touch.b]}.{two}"]
            if touch.a != first:
                names.reverse()
            listed += names
        return tuple(listed)


def _state(now: Closed, rows: list[int]) -> int:
    """Return the state of a pair: it sticks where any of its contacts does, else it slides."""
    modes = {int(now.rows.mode[k]) for k in rows}
    return next((mode for mode in (STICK, SLIP, HELD) if mode in modes), FRICTIONLESS)


def with_contacts(size: Count, now: Closed) -> Count:
    """Return the size of the equations with the rows of closed contacts."""
    listed = len(now.touches) + 2 * int(np.count_nonzero(now.rows.mode == STICK))
    known = int(now.rows.known[0])
    # where none were picked yet nothing has been solved with them
    return replace(size, contact_rows=listed, contact_rank=known if known >= 0 else listed)


def _normal(hit: Impact, row: int, on: int) -> Array:
    """Return the normal of a contact that points into body number ``on``."""
    n = hit.place[row, NORMAL : NORMAL + 3]
    return n if hit.touches[row].a == on else -n


def _vector(hit: Impact, rows: list[int], on: int) -> Array:
    """Return the impulse (3,) of some contacts on body number ``on``, N s."""
    places = hit.place[rows]
    frames = np.stack([places[:, k : k + 3] for k in (NORMAL, TANGENT_1, TANGENT_2)], axis=1)
    signs = np.array([1.0 if hit.touches[k].a == on else -1.0 for k in rows])
    return np.asarray(np.einsum("k,kt,ktx->x", signs, hit.impulse[rows], frames))


def _triple(v: Array) -> tuple[float, float, float]:
    x, y, z = (float(each) for each in v)
    return x, y, z
