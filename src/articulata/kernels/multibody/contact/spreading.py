"""Loads of contacts that slide where equilibrium leaves them open: those of surfaces that yield.

Bodies press on each other in more points than they need. While all of these stick the motion does
not depend on how the load is shared; where they slide in different directions (a puck that spins)
it does, since friction goes with the load. Loads are shared as by springs that yield a little, in
the limit of rigid bodies: pressures N = K W y, K their stiffness, W the mobility of the normals.
Points that would pull bear nothing. World axes, SI.
Reference: Hoffmann & Hopcroft 1986, section 4.4 (restoring forces).
"""

from __future__ import annotations

from articulata.kernels.compile import kernel
from articulata.kernels.linear_algebra import solve_dependent
from articulata.kernels.multibody.contact.memory import SLIP, STICK, Contacts
from articulata.kernels.multibody.contact.picking import response, row_times
from articulata.kernels.multibody.contact.rows import BODY_A, BODY_B, KIND, PIECES, ROW_N
from articulata.kernels.multibody.system import System, Workspace

PULLS = 1e-12
"""Share of the largest pressure by which one may be negative."""


@kernel(counted=False)
def yields(contacts: Contacts, i: int) -> bool:
    """Tell whether a contact shares its load: neither one that sticks nor a hinge's limit does."""
    return contacts.mode[i] != STICK and contacts.table[i, KIND] <= PIECES


@kernel(counted=False)
def measure_spread(system: System, work: Workspace, contacts: Contacts, r: int, m: int) -> None:
    """Fill ``contacts.spread`` for r picked of m listed rows, with the factor at hand.

    Layer 0 (m, r): forces of the listed rows per unit of each unknown; a row that shares nothing
    has its own. Layer 1 (r, m): what unit forces of the listed rows, with their friction, do to
    the picked.
    """
    place, table = contacts.place, contacts.table
    shape, effect = contacts.spread[0], contacts.spread[1]
    for c in range(r):
        j, s = contacts.picked[c, 0], contacts.picked[c, 1]
        loose = yields(contacts, j)
        if loose:
            response(system, work, contacts, j, s, 0.0, contacts.column[0])
        for h in range(m):
            i, t = contacts.listed[h, 0], contacts.listed[h, 1]
            if loose and yields(contacts, i):
                a, b = table[i, BODY_A], table[i, BODY_B]
                pushed = row_times(place, i, ROW_N + 12 * t, a, b, contacts.column[0])
                shape[h, c] = contacts.stiffness[i] * pushed
            else:
                shape[h, c] = 1.0 if i == j and t == s else 0.0
    for h in range(m):
        i, t = contacts.listed[h, 0], contacts.listed[h, 1]
        mu = contacts.friction[i] if contacts.mode[i] == SLIP else 0.0
        response(system, work, contacts, i, t, mu, contacts.column[0])
        for q in range(r):
            j, s = contacts.picked[q, 0], contacts.picked[q, 1]
            a, b = table[j, BODY_A], table[j, BODY_B]
            effect[q, h] = row_times(place, j, ROW_N + 12 * s, a, b, contacts.column[0])


@kernel(counted=False)
def spread_loads(contacts: Contacts, r: int, m: int) -> bool:
    """Add to ``contacts.force`` what makes up for ``rhs[0]`` of the picked rows; False for none."""
    shape, effect, bears = contacts.spread[0], contacts.spread[1], contacts.spread[2, 0]
    A, lack, x = contacts.delassus, contacts.rhs[2], contacts.rhs[1]
    for h in range(m):
        bears[h] = 1.0
    for _ in range(m):
        for q in range(r):
            lack[q] = contacts.rhs[0, q]
            for c in range(r):
                z = 0.0
                for h in range(m):
                    z += effect[q, h] * bears[h] * shape[h, c]
                A[q, c] = z
        if solve_dependent(A, r, lack, x, contacts.order) < r:
            return False
        largest = least = 0.0
        worst = -1
        for h in range(m):
            i = contacts.listed[h, 0]
            if yields(contacts, i):
                z = 0.0
                for c in range(r):
                    z += shape[h, c] * x[c]
                z *= bears[h]
                largest = max(largest, abs(z))
                if z < least:
                    least, worst = z, h
        if not least < -PULLS * largest:
            for h in range(m):
                z = 0.0
                for c in range(r):
                    z += shape[h, c] * x[c]
                contacts.force[contacts.listed[h, 0], contacts.listed[h, 1]] += bears[h] * z
            return True
        bears[worst] = 0.0
    return False
