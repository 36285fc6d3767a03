"""From a world's mechanism to the arrays of the compiled kernels.

Every row keeps its number and its meaning; springs and programs become force elements, and
controls of hinges and features become elements that read a signal. SI units, body axes from the
reference points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from articulata.domains.dynamic.balanced_figures import BalanceTable
from articulata.domains.dynamic.body_wrenches import push_points
from articulata.domains.dynamic.bushings import Bushing
from articulata.domains.dynamic.cams import Cam, cam_of
from articulata.domains.dynamic.couplings import strict
from articulata.domains.dynamic.elements import (
    Element,
    Pull,
    Rope,
    Twist,
    by_program,
    ends_of_slide,
)
from articulata.domains.dynamic.hinge_friction import Rub, loaded, rub_rows, rubs_of
from articulata.domains.dynamic.mechanism import Mechanism
from articulata.domains.dynamic.operations import kernel_program
from articulata.domains.protocols import Inputs
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody import build, programs
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.tree.order import plan
from articulata.kinematics.assembly import scalar_rows as rows
from articulata.kinematics.assembly.hinge_rows import Rows
from articulata.world.program_stack import Affine, depends_on_rate_or_time

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Translation:
    """What the kernels work on, and where controls enter.

    ``driven`` numbers the hinge coordinates that controls drive, in the order of their signals;
    the pushes' components follow. ``turning`` pairs each element that follows an angle with its
    coordinate. ``balance`` are as many signals, the last, by which figures keep their balance.
    """

    system: s.System
    driven: tuple[int, ...]
    pushes: int
    turning: tuple[tuple[int, int], ...]
    roles: tuple[int, ...]
    rubs: tuple[Rub, ...] = ()
    balance: int = 0

    def signals(self, inputs: Inputs) -> Array:
        """Return the signals (k,) that one instant's inputs put on the elements."""
        return np.concatenate([inputs.hinge[list(self.driven)], inputs.push.ravel()])


def _triple(values: Any) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z


def translate(
    parts: Mechanism,
    elements: tuple[Element, ...],
    state: Array,
    before: tuple[Mechanism, Translation] | None = None,
) -> Translation:
    """Return the kernels' system of ``parts`` with a plan made at ``state`` (n, 13).

    ``before`` is what an edit has changed, with its translation: what is as it was is taken from
    there, the plan too where the same hinges join the same bodies.
    """
    try:
        _check_bodies(parts, None if before is None else before[0])
        # Bodies and hinges go over as whole arrays: an edit of a running world makes them anew.
        made = _acting(parts, elements, state, before)
    except ValueError as error:
        raise ModelError(f"world '{parts.world.name}' cannot be simulated: {error}") from error
    kind = parts.kind.astype(np.int64)
    kind[len(parts.world.bodies) :] = s.MEMORY
    bare = made.system._replace(body=_bodies(parts), body_kind=kind)
    if before is not None and before[0].rows is parts.rows and before[0].index == parts.index:
        bare = bare._replace(**{name: getattr(before[1].system, name) for name in HINGES})
        table = bare.row.copy()
        table[len(table) - len(made.rubs) :, s.HINGE] = -1
        bare = bare._replace(row=table)
    else:
        table, data = _rows(parts, made.rubs)
        ends = [(parts.index[hinge.body_a], parts.index[hinge.body_b]) for hinge in parts.hinges]
        starts = np.searchsorted(parts.rows.owner, np.arange(len(ends) + 1))
        bare = bare._replace(
            hinge_body=np.array(ends, np.int64).reshape(-1, 2),
            hinge_row=starts.astype(np.int64),
            row=table,
            row_data=data,
        )
    bare = bare._replace(load=loaded(made.rubs, len(made.driven) + 3 * made.pushes, len(bare.row)))
    if before is None or made.rubs or not _hang_alike(before[0], parts):
        system = plan(bare, state)
    else:
        system = bare._replace(**{name: getattr(before[1].system, name) for name in PLAN})
    return replace(made, system=system)


def _acting(
    parts: Mechanism,
    elements: tuple[Element, ...],
    state: Array,
    before: tuple[Mechanism, Translation] | None,
) -> Translation:
    """Return what acts on the bodies: force elements and controls, in a system without hinges."""
    if before is not None and _act_alike(before[0], parts):
        return before[1]
    forces: list[build.Force] = []
    turning: list[tuple[int, int]] = []
    driven, points, rubs = _driven(parts), push_points(parts), rubs_of(parts)
    load = len(driven) + 3 * len(points) + len(rubs)
    last = load + sum(bool(rub.law.by_load) for rub in rubs)
    first, signals = _balances(elements, last)
    for balance, signal in first.items():
        program = tuple((programs.CONSTANT, x) for x in balance.from_signal(signal).tolist())
        forces.append(build.Force(s.BALANCE, *balance.pair, program=program))
    roles: tuple[int, ...] = (s.STORED,) * len(forces)
    for element in elements:
        own = _strands(element) if isinstance(element, Rope) else _elements(parts, element)
        if isinstance(element, Twist) and element.balance and element.force.hinge:
            slot = element.balance.slots.get(element.force.hinge)
            bound = None if slot is None else first[element.balance] + slot
            own[0] = replace(own[0], program=kernel_program(element.force.program, bound))
        if isinstance(element, Twist):
            turning += [(len(forces) + k, element.coordinate) for k in range(len(own))]
        forces += own
        roles += (_role(element), *[s.STORED] * (len(own) - 1))
    for signal, coordinate in enumerate(driven):
        if parts.coordinates.turning[coordinate]:
            turning.append((len(forces), coordinate))
        forces.append(_drive(parts, coordinate, signal))
    for number, (body, point) in enumerate(points):
        for axis in range(3):
            program = ((programs.SIGNAL, float(len(driven) + 3 * number + axis)),)
            along = _triple(np.eye(3)[axis])
            forces.append(
                build.Force(s.THRUST, body, s.WORLD, _triple(point), axis_B=along, program=program)
            )
    for number, rub in enumerate(rubs, load - len(rubs)):
        if rub.turns:
            turning.append((len(forces), rub.coordinate))
        forces.append(_rubbing(parts, rub, number, load))
        load += bool(rub.law.by_load)
    acting = build.build_system(_at_rest(parts), [], forces, state) if forces else _nothing()
    acting = _with_cams(parts, acting)
    controls = (s.CONTROL,) * (len(forces) - len(roles) - len(rubs))
    rubbing = (s.CONTROL if rub.drives else s.DISSIPATIVE for rub in rubs)
    roles = (*roles, *controls, *rubbing)
    return Translation(acting, driven, len(points), tuple(turning), roles, rubs, signals)


def _balances(elements: tuple[Element, ...], signal: int) -> tuple[dict[BalanceTable, int], int]:
    """Return the first signal of each balanced figure, and how many signals there are."""
    first: dict[BalanceTable, int] = {}
    count = 0
    for element in elements:
        if isinstance(element, Twist) and element.balance and element.balance not in first:
            first[element.balance] = signal + count
            count += element.balance.signals
    return first, count


def _with_cams(parts: Mechanism, acting: s.System) -> s.System:
    """Return what acts with the programs of cams before those of forces."""
    steps = [each for law in _laws(parts) for each in kernel_program((*law.slope, *law.bend))]
    if not steps:
        return acting
    own = np.array([(name, k) for k, (name, _) in enumerate(steps)], np.int64)
    return acting._replace(
        code=np.concatenate([own, acting.code + np.array([0, len(steps)])]),
        constants=np.concatenate([[value for _, value in steps], acting.constants]),
        force_code=acting.force_code + len(steps),
    )


def _laws(parts: Mechanism) -> list[Cam]:
    return [cam_of(each.law) for each in strict(parts.world) if each.law is not None]


def _act_alike(one: Mechanism, other: Mechanism) -> bool:
    """Tell whether the same forces and controls act at the same points and hinges."""
    then, now = one.world, other.world
    return (
        then.forces is now.forces
        and then.couplings is now.couplings
        and one.drives == other.drives
        and one.coordinates is other.coordinates
        and one.index == other.index
        and np.array_equal(one.center, other.center)
        and all(
            a is b or a.features is b.features
            for a, b in zip(then.bodies.values(), now.bodies.values(), strict=True)
        )
    )


HINGES = ("hinge_body", "hinge_row", "row", "row_data")
"""What of a system the hinges and the places of mass centres alone decide."""

PLAN = ("tree", "tree_row", "closure_row", "closure_start", "path", "path_start")
"""The plan of elimination: who hangs on whom, and which rows are left over."""


def _hang_alike(one: Mechanism, other: Mechanism) -> bool:
    """Tell whether two mechanisms have the same hinges between bodies that move alike."""
    return (
        np.array_equal(one.kind, other.kind)
        and one.index == other.index
        and one.hinges == other.hinges
    )


def _check_bodies(parts: Mechanism, before: Mechanism | None) -> None:
    """Raise ValueError for a free body that forces cannot move as they move bodies.

    Those that are as in ``before`` have been looked at.
    """
    asked = parts.kind == s.FREE
    if before is not None and len(before.kind) == len(parts.kind):
        known = (before.mass == parts.mass) & (before.kind == parts.kind)
        asked &= ~(known & np.all(before.inertia == parts.inertia, axis=(1, 2)))
    free = np.flatnonzero(asked)
    if not len(free):
        return
    mass, J = parts.mass[free], parts.inertia[free]
    heavy = np.isfinite(mass) & (mass > 0.0)
    whole = np.isfinite(J).all(axis=(1, 2))
    firm = np.zeros(len(free), bool)
    firm[whole] = np.linalg.eigvalsh(J[whole])[:, 0] > 0.0
    for k in np.flatnonzero(~(heavy & firm)).tolist():
        name = parts.bodies[int(free[k])]
        span = parts.world.bodies[name].span
        if not heavy[k]:
            raise ValueError(f"{span}: body '{name}' needs a mass > 0, not {mass[k]}")
        raise ValueError(f"{span}: body '{name}' needs a positive definite inertia, not {J[k]}")


def _at_rest(parts: Mechanism) -> list[build.Body]:
    """Return as many bodies as there are, all at rest: what forces are checked against."""
    return [_STILL] * len(parts.kind)


_STILL = build.Body(0.0, np.zeros((3, 3)), kind=s.FIXED)


@cache
def _nothing() -> s.System:
    """Return a system without bodies, hinges and forces."""
    return build.build_system([], [], [], np.zeros((0, 13)))


def _bodies(parts: Mechanism) -> Array:
    """Return the kernels' ``body`` array."""
    table = np.zeros((len(parts.kind), s.BODY_WIDTH))
    heavy = parts.mass > 0.0
    table[:, s.MASS] = parts.mass
    table[heavy, s.INVERSE_MASS] = 1.0 / parts.mass[heavy]
    table[:, s.GRAVITY : s.GRAVITY + 3] = parts.gravity
    J = 0.5 * (parts.inertia + np.swapaxes(parts.inertia, 1, 2))
    table[:, s.INERTIA : s.INERTIA + 9] = J.reshape(-1, 9)
    return table


def _role(element: Element) -> int:
    """Return how an element's power is booked."""
    if element.given:
        return s.CONTROL
    if isinstance(element, Bushing):
        return s.DAMPED if element.damped else s.STORED
    law: Affine | None = getattr(element, "law", None)
    if law is not None:
        return s.DAMPED if law.damping else s.STORED
    return s.DISSIPATIVE if depends_on_rate_or_time(element.force) else s.STORED


def _driven(parts: Mechanism) -> tuple[int, ...]:
    """Return the hinge coordinates that controls drive."""
    labels = parts.coordinates.labels
    found = []
    for drive in parts.drives:
        if drive.kind == "hinge":
            label = drive.target
            if label not in labels:
                label = next((each for each in labels if each.startswith(f"{label}.")), label)
            if label in labels and labels.index(label) not in found:
                found.append(labels.index(label))
    return tuple(found)


_KINDS = {
    rows.POINT: s.POINT,
    rows.PLANE: s.PLANE,
    rows.DIRECTION: s.DIRECTION,
    rows.SPHERE: s.SPHERE,
    rows.CYLINDER: s.CYLINDER,
    rows.HELICOID: s.HELICOID,
    rows.TURN: s.TURN,
    rows.SLIDE: s.SLIDE,
    rows.CAM: s.CAM,
}
"""The kernels' kinds of rows by those of the assembly."""


def _rows(parts: Mechanism, rubs: tuple[Rub, ...]) -> tuple[IntArray, Array]:
    """Return the kernels' ``row`` and ``row_data`` arrays.

    Further terms of couplings come after the hinges' rows, those of friction, of no hinge until
    they hold, last.
    """
    made = _coupled(parts)
    if not rubs:
        return made
    table, data = _rows_of(rub_rows(parts, rubs))
    table[:, s.HINGE] = -1
    return np.concatenate([made[0], table]), np.concatenate([made[1], data])


def _coupled(parts: Mechanism) -> tuple[IntArray, Array]:
    own, more = _rows_of(parts.rows), parts.rows.more
    at = 0
    for row, law in zip(
        np.flatnonzero(parts.rows.kind == rows.CAM).tolist(), _laws(parts), strict=True
    ):
        ends = (at, at + len(law.slope), at + len(law.slope) + len(law.bend))
        own[1][row, s.ROW_D : s.ROW_D + 3], at = ends, ends[-1]
    if more is None:
        return own
    table, data = _rows_of(more)
    table[:, s.HINGE] = -1
    last = more.owner.copy()
    for k, row in enumerate(more.owner.tolist()):
        # each follows the one before it of the same coupling
        at = last[:k][more.owner[:k] == row]
        own_or_more = own[0] if not len(at) else table
        own_or_more[row if not len(at) else at[-1], s.NEXT] = len(own[0]) + k
        last[k] = k
    return np.concatenate([own[0], table]), np.concatenate([own[1], data])


def _rows_of(of: Rows) -> tuple[IntArray, Array]:
    """Return both arrays of the rows themselves.

    The three rows of a held point share the data of the first; of a direction there are no points.
    """
    count = len(of)
    table, data = np.zeros((count, 6), np.int64), np.zeros((count, s.ROW_WIDTH))
    table[:, s.NEXT] = -1
    if not count:
        return table, data
    known = np.zeros(max(_KINDS) + 1, np.int64)
    known[list(_KINDS)] = list(_KINDS.values())
    table[:, s.KIND] = known[of.kind]
    held = of.kind == rows.POINT
    table[held, s.KIND] += of.size[held].astype(np.int64)
    table[:, s.BODY_A], table[:, s.BODY_B], table[:, s.HINGE] = of.body_a, of.body_b, of.owner
    turned, screwed = of.kind == rows.DIRECTION, of.kind == rows.HELICOID
    data[:, 0:3] = np.where(turned[:, None], 0.0, of.point)
    data[:, 3:6] = np.where(turned[:, None], 0.0, of.origin)
    data[:, 6:9] = np.where(held[:, None], 0.0, of.axis)
    straight = turned | screwed | (of.kind == rows.PLANE) | (of.kind == rows.CYLINDER)
    data[straight, 6:9] = _units(of.axis[straight])
    data[turned, 9:12] = _units(of.point[turned])
    data[screwed, 9:12] = _units(of.frame[screwed, :, 0])
    sized = turned | screwed | (of.kind == rows.SPHERE) | (of.kind == rows.CYLINDER)
    sized |= of.kind >= rows.TURN
    data[sized, 12] = of.size[sized]
    return table, data


def _units(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _element(parts: Mechanism, element: Element) -> build.Force:
    """Return a spring, damper or program; linear laws take the kernels' short way."""
    force, law = element.force, getattr(element, "law", None)
    if isinstance(element, Bushing):
        p_A, p_B = _triple(element.p_A), _triple(element.p_B)
        values = np.concatenate(
            [each.ravel() for each in (element.constants, element.R_A, element.R_B)]
        )
        told = tuple((programs.CONSTANT, float(each)) for each in values)
        return build.Force(s.BUSHING, element.a, element.b, p_A, p_B, program=told)
    if isinstance(element, Pull):
        a, b, p_A, p_B = element.a, element.b, _triple(element.p_A), _triple(element.p_B)
        if law is not None and not by_program(element):
            rest = -law.constant / law.stiffness if law.stiffness else 0.0
            constants = (law.stiffness, law.damping, rest, 0.0)
            return build.Force(s.SPRING, a, b, p_A, p_B, constants=constants)
        constants = (0.0, 0.0 if law is None else law.damping, 0.0, 0.0)
        return build.Force(
            s.LINE, a, b, p_A, p_B, constants=constants, program=kernel_program(force.program)
        )
    assert isinstance(element, Twist)
    a, b, x_A, x_B, axis = _axis(parts, element.coordinate)
    if law is not None:
        constants = (-law.stiffness, -law.damping, 0.0, law.constant)
        return build.Force(s.TWIST, a, b, x_A, x_B, axis, constants)
    return build.Force(s.AXIS, a, b, x_A, x_B, axis, program=kernel_program(force.program))


def _elements(parts: Mechanism, element: Element) -> list[build.Force]:
    """Return an element, and what gives the rate of the integral that it reads."""
    made = _element(parts, element)
    memory = element.memory if isinstance(element, Pull | Twist) else None
    if memory is None:
        return [made]
    told = (float(memory + 1), 0.0, 0.0, 0.0), (float(memory + 1), 1.0, 0.0, 0.0)
    program = kernel_program(element.force.integral)
    return [replace(made, constants=told[0]), replace(made, constants=told[1], program=program)]


def _strands(rope: Rope) -> list[build.Force]:
    """Return the parts of a rope between different bodies; the first has the length of the rest."""
    still, made = 0.0, []
    for (a, p_A), (b, p_B) in pairwise(rope.points):
        if a == b:
            still += float(np.linalg.norm(p_A - p_B))
        else:
            made.append(build.Force(s.STRAND, a, b, _triple(p_A), _triple(p_B)))
    program = kernel_program(rope.force.program)
    constants = (0.0, 0.0, still, 0.0)
    return [replace(made[0], kind=s.ROPE, constants=constants, program=program), *made[1:]]


def _drive(parts: Mechanism, coordinate: int, signal: int) -> build.Force:
    """Return the element by which a control acts along a hinge's coordinate."""
    a, b, x_A, x_B, axis = _axis(parts, coordinate)
    program = ((programs.SIGNAL, float(signal)),)
    if parts.coordinates.turning[coordinate]:
        return build.Force(s.AXIS, a, b, x_A, x_B, axis, program=program)
    point = _triple(parts.coordinates.p_A[coordinate])
    return build.Force(s.THRUST, a, b, point, axis_B=axis, program=program)


def _rubbing(parts: Mechanism, rub: Rub, signal: int, load: int) -> build.Force:
    """Return dry friction against a rate whose sign a signal is, by the load that another is."""
    law = rub.law
    program: tuple[tuple[int, float], ...] = ((programs.CONSTANT, law.dry),)
    rate, times, plus = (programs.SPEED, 0.0), (programs.MULTIPLY, 0.0), (programs.ADD, 0.0)
    if law.speed:
        narrow = (programs.CONSTANT, -1.0 / law.speed**2)
        program += (rate, rate, times, narrow, times, (programs.EXP, 0.0))
        program += ((programs.CONSTANT, law.static - law.dry), times, plus)
    if law.by_load:
        program += ((programs.CONSTANT, law.by_load), (programs.SIGNAL, float(load)), times, plus)
    program += ((programs.SIGNAL, float(signal)), times)
    if rub.turns:
        a, b, x_A, x_B, axis = _axis(parts, rub.coordinate)
        against = (*program, (programs.NEGATE, 0.0))
        return build.Force(s.AXIS, a, b, x_A, x_B, axis, program=against)
    a, p_A, b, p_B = ends_of_slide(parts, rub.name)
    return build.Force(s.LINE, a, b, _triple(p_A), _triple(p_B), program=program)


def _axis(parts: Mechanism, coordinate: int) -> tuple[int, int, Triple, Triple, Triple]:
    """Return bodies, the zero directions on A and B, and the axis in B."""
    of = parts.coordinates
    return (
        int(of.body_a[coordinate]),
        int(of.body_b[coordinate]),
        _triple(of.R_A[coordinate][:, 0]),
        _triple(of.R_B[coordinate][:, 0]),
        _triple(of.R_B[coordinate][:, 2]),
    )
