"""Events of stepping mode as values, from what the kernels note about pairs of bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from articulata.domains.dynamic.balances import Count, before_and_after, with_values
from articulata.domains.dynamic.contact.laws import PRESSURE, Contact
from articulata.domains.dynamic.contact.reaching import leaves, rests, settled, struck
from articulata.domains.dynamic.mechanism import Mechanism
from articulata.domains.dynamic.stepping.body_pieces import PieceSource
from articulata.domains.dynamic.stepping.step_stage import Stage
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.stepping import step_scene as kernels
from articulata.records.events import Event, Value

KINDS = (
    (kernels.PARTED, "separation", "{0} leaves {1}: they do not press on each other any more."),
    (kernels.SETTLED, "settled", "{0} comes to rest on {1}: its bounces are shorter than steps."),
    (kernels.CLOSED, "contact", "{0} stays on {1} {2}."),
    (kernels.STUCK, "stick", "{0} sticks to {1}."),
    (kernels.SLID, "slip", "{0} slides on {1}."),
)
"""What happened, the kind of event, and its story."""


class Teller:
    """Tells what happens to one mechanism in steps."""

    def __init__(
        self, parts: Mechanism, made: Stage, pieces: PieceSource, contact: Contact
    ) -> None:
        self._parts = parts
        self._stage = made
        self._pieces = pieces
        self._contact = contact
        self._arrays = pieces.arrays

    def events(self, contacts: kernels.Contacts, time: float, size: Count) -> tuple[Event, ...]:
        """Return the events of the last step, whose middle is ``time`` (s).

        ``size`` is that of the equations without contacts.
        """
        found: list[Event] = []
        then = _pressing(contacts.old_data, kernels.OLD, contacts)
        now = _pressing(contacts.data, kernels.COUNT, contacts)
        sizes = before_and_after(_sized(size, then), _sized(size, now))
        pairs = contacts.pairs[: contacts.tally[kernels.LIVE]]
        for row in pairs[pairs[:, kernels.HAPPENED] != 0]:
            happened, number = int(row[kernels.HAPPENED]), int(row[kernels.NUMBER])
            if row[kernels.FEATURE] < 0:
                found += self._at_limit(contacts, number, row, time)
                continue
            who, where = self._who(number), self._where(number, row)
            span = self._parts.world.bodies[who[0]].span
            if happened & kernels.STRUCK:
                values = self._impact(contacts, number)
                story = (
                    f"{where[0]} strikes {where[1]} at {values['approach_speed']:.6g} m/s: impulse "
                    f"{values['impulse']:.6g} N s with e = {values['restitution']:.6g}."
                )
                found.append(Event(time, "impact", who, where, values, story, span))
            rubbing = int(row[kernels.NOW])
            how = "and sticks" if rubbing == kernels.STICKING else self._sliding(contacts, number)
            for bit, kind, story in KINDS:
                if happened & bit:
                    told = story.format(where[0], where[1], how)
                    values = self._law(contacts, number, kind)
                    found.append(Event(time, kind, who, where, values, told, span))
        return tuple(with_values(each, {"law": PRESSURE, **sizes}) for each in found)

    def _law(self, contacts: kernels.Contacts, number: int, kind: str) -> dict[str, Value]:
        """Return by which law a pair goes on, and the coefficient of friction that counts."""
        if kind == "settled":
            return {"law": self._contact.impact.name}
        mu = float(np.max(self._mine(contacts, number)[1][:, kernels.MU], initial=0.0))
        if kind == "separation" or not mu > 0.0:
            return {"law": PRESSURE} if kind == "separation" else {"law": PRESSURE, "friction": mu}
        return {"law": self._contact.friction_rule.name, "friction": mu}

    def _at_limit(
        self, contacts: kernels.Contacts, number: int, row: IntArray, time: float
    ) -> list[Event]:
        """Return the events of a hinge at its limit."""
        pair, upper = row[kernels.FEATURE : kernels.FEATURE + 2].tolist()
        stop, happened = self._stage.limits[-1 - pair][upper], int(row[kernels.HAPPENED])
        found: list[Event] = []
        if happened & kernels.STRUCK:
            values = self._impact(contacts, number)
            kept = ("law", "restitution", "impulse", "approach_speed", "separation_speed")
            found.append(struck(stop, time, {name: values[name] for name in kept}))
        if happened & kernels.PARTED:
            found.append(leaves(stop, time))
        if happened & kernels.SETTLED:
            found.append(settled(stop, time, {}))
        if happened & kernels.CLOSED:
            found.append(rests(stop, time))
        return found

    def _sliding(self, contacts: kernels.Contacts, number: int) -> str:
        mine = self._mine(contacts, number)
        return "and slides" if np.any(mine[1][:, kernels.MU] > 0.0) else "without friction"

    def _who(self, number: int) -> tuple[str, str]:
        a, b = self._stage.who(number)
        return self._parts.bodies[a], self._parts.bodies[b]

    def _where(self, number: int, row: IntArray) -> tuple[str, ...]:
        """Return the features of a pair when it last pressed, of its first body first."""
        pair, kind_a, index_a, kind_b, index_b = row[kernels.FEATURE : kernels.NUMBER].tolist()
        i, j = divmod(pair, len(self._arrays.body))
        bodies = self._parts.bodies
        names = [
            f"{bodies[self._arrays.body[i]]}.{self._pieces.name(i, kind_a, index_a)}",
            f"{bodies[self._arrays.body[j]]}.{self._pieces.name(j, kind_b, index_b)}",
        ]
        if self._arrays.body[i] != self._stage.who(number)[0]:
            names.reverse()
        return tuple(names)

    def _mine(self, contacts: kernels.Contacts, number: int) -> tuple[IntArray, Array]:
        """Return the rows of the pair's contacts that pressed."""
        count = int(contacts.tally[kernels.COUNT])
        table, data = contacts.table[:count], contacts.data[:count]
        pressing = data[:, kernels.FORCE] + data[:, kernels.STRIKE] > 0.0
        mine = (table[:, kernels.WHO] == number) & pressing
        return table[mine], data[mine]

    def _impact(self, contacts: kernels.Contacts, number: int) -> dict[str, Value]:
        table, data = self._mine(contacts, number)
        impulse = (
            data[:, kernels.FORCE : kernels.FORCE + 3]
            + data[:, kernels.STRIKE : kernels.STRIKE + 3]
        )
        axes = data[:, :9].reshape(-1, 3, 3)
        sign = 1.0 if table[0, kernels.BODY_A] == self._stage.who(number)[0] else -1.0
        vector = sign * np.einsum("kr,krj->j", impulse, axes)
        normal = impulse[:, 0]
        weights = normal / normal.sum()
        return {
            "law": self._contact.impact.name,
            "restitution": float(data[0, kernels.E]),
            "impulse": float(normal.sum()),
            "impulse_vector": tuple(vector.tolist()),
            "point": tuple((weights @ data[:, kernels.POINT : kernels.POINT + 3]).tolist()),
            "normal": tuple((sign * data[0, :3]).tolist()),
            "approach_speed": float(-np.min(data[:, kernels.BEFORE])),
            "separation_speed": float(np.max(data[:, kernels.AFTER])),
        }


def _pressing(data: Array, count: int, contacts: kernels.Contacts) -> int:
    """Return the number of rows of the contacts in ``data`` that press: three where they rub."""
    data = data[: int(contacts.tally[count])]
    pressing = data[:, kernels.FORCE] + data[:, kernels.STRIKE] > 0.0
    return int(np.sum(np.where(data[pressing, kernels.MU] > 0.0, 3, 1)))


def _sized(size: Count, rows: int) -> dict[str, Value]:
    """Return the size of the equations with ``rows`` of contacts; steps ask for no rank."""
    found = replace(size, contact_rows=rows).values
    del found["rank"]
    return found
