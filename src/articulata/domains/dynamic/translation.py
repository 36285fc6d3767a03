"""From a world's mechanism to the arrays of the compiled kernels.

Every row keeps its number and its meaning; springs and programs become force elements, and
controls of hinges and features become elements that read a signal. SI units, body axes from the
reference points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from articulata.domains.dynamic.elements import Element, Pull, Twist
from articulata.domains.dynamic.forces import push_points
from articulata.domains.dynamic.mechanism import Mechanism
from articulata.domains.dynamic.programs import affine, depends_on_rate_or_time
from articulata.domains.protocols import Inputs
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.kernels.multibody import build, programs
from articulata.kernels.multibody import system as s
from articulata.kinematics.assembly import scalar_rows as rows

Triple = tuple[float, float, float]

OPERATIONS = {
    "time": programs.TIME,
    "distance": programs.LENGTH,
    "angle": programs.LENGTH,
    "speed": programs.SPEED,
    "rate": programs.SPEED,
    "add": programs.ADD,
    "sub": programs.SUBTRACT,
    "mul": programs.MULTIPLY,
    "div": programs.DIVIDE,
    "pow": programs.POWER,
    "neg": programs.NEGATE,
    "abs": programs.ABS,
    "sqrt": programs.SQRT,
    "exp": programs.EXP,
    "log": programs.LOG,
    "sin": programs.SIN,
    "cos": programs.COS,
    "tan": programs.TAN,
    "asin": programs.ASIN,
    "acos": programs.ACOS,
    "atan": programs.ATAN,
    "atan2": programs.ATAN2,
    "min": programs.MINIMUM,
    "max": programs.MAXIMUM,
    "sign": programs.SIGN,
    "floor": programs.FLOOR,
    "tanh": programs.TANH,
}
"""Operations of ``world.model.Program`` as the kernels number them; "push" is a constant."""


@dataclass(frozen=True, slots=True)
class Translation:
    """What the kernels work on, and where controls enter.

    ``driven`` numbers the hinge coordinates that controls drive, in the order of their signals;
    the pushes' components follow. ``turning`` pairs each element that follows an angle with its
    coordinate.
    """

    system: s.System
    driven: tuple[int, ...]
    pushes: int
    turning: tuple[tuple[int, int], ...]
    roles: tuple[int, ...]

    def signals(self, inputs: Inputs) -> Array:
        """Return the signals (k,) that one instant's inputs put on the elements."""
        return np.concatenate([inputs.hinge[list(self.driven)], inputs.push.ravel()])


def _triple(values: Any) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z


def translate(parts: Mechanism, elements: tuple[Element, ...], state: Array) -> Translation:
    """Return the kernels' system of ``parts`` with a plan made at ``state`` (n, 13)."""
    bodies = [
        build.Body(float(mass), inertia, _triple(gravity), int(kind))
        for mass, inertia, gravity, kind in zip(
            parts.mass, parts.inertia, parts.gravity, parts.kind, strict=True
        )
    ]
    forces: list[build.Force] = []
    turning: list[tuple[int, int]] = []
    for element in elements:
        if isinstance(element, Twist):
            turning.append((len(forces), element.coordinate))
        forces.append(_element(parts, element))
    driven = _driven(parts)
    for signal, coordinate in enumerate(driven):
        if parts.coordinates.turning[coordinate]:
            turning.append((len(forces), coordinate))
        forces.append(_drive(parts, coordinate, signal))
    points = push_points(parts)
    for number, (body, point) in enumerate(points):
        for axis in range(3):
            program = ((programs.SIGNAL, float(len(driven) + 3 * number + axis)),)
            along = _triple(np.eye(3)[axis])
            forces.append(
                build.Force(s.THRUST, body, s.WORLD, _triple(point), axis_B=along, program=program)
            )
    hinges = _hinges(parts)
    try:
        system = build.build_system(bodies, hinges, forces, state)
    except ValueError as error:
        raise ModelError(f"world '{parts.world.name}' cannot be simulated: {error}") from error
    roles = tuple(_role(element) for element in elements)
    controls = (s.CONTROL,) * (len(forces) - len(roles))
    return Translation(system, driven, len(points), tuple(turning), (*roles, *controls))


def _role(element: Element) -> int:
    """Return how an element's power is booked."""
    law = affine(element.force)
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


def _hinges(parts: Mechanism) -> list[build.Hinge]:
    """Return the hinges with rows in the kernels' form."""
    made = []
    for number, hinge in enumerate(parts.hinges):
        first = int(np.searchsorted(parts.rows.owner, number))
        listed = (_row(parts, first + k) for k in range(len(hinge.kind.rows)))
        own = tuple(row for row in listed if row is not None)
        made.append(build.Hinge(parts.index[hinge.body_a], parts.index[hinge.body_b], own))
    return made


def _row(parts: Mechanism, k: int) -> build.Row | None:
    """Return row k; None for the second and third of a held point, which the first stands for."""
    table = parts.rows
    kind, size = int(table.kind[k]), float(table.size[k])
    p_A, p_B, axis = (_triple(v[k]) for v in (table.point, table.origin, table.axis))
    if kind == rows.POINT:
        return build.Row(s.POINT, p_A, p_B) if size == 0.0 else None
    if kind == rows.PLANE:
        return build.Row(s.PLANE, p_A, p_B, axis)
    if kind == rows.DIRECTION:
        return build.Row(s.DIRECTION, n_B=axis, d=p_A, size=size)
    if kind == rows.HELICOID:
        zero = _triple(table.frame[k][:, 0])
        return build.Row(s.HELICOID, p_A, p_B, axis, zero, size)
    of = s.SPHERE if kind == rows.SPHERE else s.CYLINDER
    return build.Row(of, p_A, p_B, axis, size=size)


def _element(parts: Mechanism, element: Element) -> build.Force:
    """Return a spring, damper or program; linear laws take the kernels' short way."""
    force, law = element.force, getattr(element, "law", None)
    if isinstance(element, Pull):
        a, b, p_A, p_B = element.a, element.b, _triple(element.p_A), _triple(element.p_B)
        if law is not None and (law.stiffness != 0.0 or law.constant == 0.0):
            rest = -law.constant / law.stiffness if law.stiffness else 0.0
            constants = (law.stiffness, law.damping, rest, 0.0)
            return build.Force(s.SPRING, a, b, p_A, p_B, constants=constants)
        constants = (0.0, 0.0 if law is None else law.damping, 0.0, 0.0)
        return build.Force(
            s.LINE, a, b, p_A, p_B, constants=constants, program=_program(force.program)
        )
    assert isinstance(element, Twist)
    a, b, x_A, x_B, axis = _axis(parts, element.coordinate)
    if law is not None:
        constants = (-law.stiffness, -law.damping, 0.0, law.constant)
        return build.Force(s.TWIST, a, b, x_A, x_B, axis, constants)
    return build.Force(s.AXIS, a, b, x_A, x_B, axis, program=_program(force.program))


def _drive(parts: Mechanism, coordinate: int, signal: int) -> build.Force:
    """Return the element by which a control acts along a hinge's coordinate."""
    a, b, x_A, x_B, axis = _axis(parts, coordinate)
    program = ((programs.SIGNAL, float(signal)),)
    if parts.coordinates.turning[coordinate]:
        return build.Force(s.AXIS, a, b, x_A, x_B, axis, program=program)
    point = _triple(parts.coordinates.p_A[coordinate])
    return build.Force(s.THRUST, a, b, point, axis_B=axis, program=program)


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


def _program(program: tuple[tuple[str, float], ...]) -> tuple[tuple[int, float], ...]:
    return tuple(
        (programs.CONSTANT, value) if name == "push" else (OPERATIONS[name], value)
        for name, value in program
    )
