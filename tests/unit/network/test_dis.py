"""Packets of DIS: layouts, damage, dead reckoning, the place on the earth."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation as Turn

from articulata.errors import ArticulataError
from articulata.geometry.quaternion import q_from_matrix, q_to_matrix
from articulata.kernels.dead_reckoning import carried_on
from articulata.network.dis.geocentric import (
    GeodeticOrigin,
    body_axes,
    euler_of,
    placed_world,
    turn_of,
)
from articulata.network.dis.packets import (
    ENTITY_STATE,
    ENTITY_STATE_UPDATE,
    REMOVE_ENTITY,
    DeadReckoning,
    EntityId,
    Parameter,
    State,
    encode_removal,
    marking_of,
    read,
    seconds_of,
    stamp,
)


def _state(**changed: object) -> State:
    known: dict[str, object] = {
        "entity": EntityId(3, 77, 5),
        "location": (4e6, 1e6, 4.8e6),
        "orientation": (0.1, -0.2, 3.0),
        "velocity": (1.0, 2.0, -0.5),
        "appearance": 0x00010000,
        "parameters": (Parameter(65581, 0.75, 0, 3), Parameter(65611, -1.5, 1, 9)),
        "timestamp": stamp(12.5, absolute=True),
        "marking": "anna",
        "reckoning": DeadReckoning(4, (0.0, 0.0, -9.8), (0.1, 0.2, 0.3)),
    }
    return State(**(known | changed))  # type: ignore[arg-type]


def test_an_entity_state_has_the_layout_of_the_standard() -> None:
    data = _state().encode()
    assert len(data) == 144 + 2 * 16
    # offsets by IEEE 1278.1-2012, table 7.2.2
    assert data[:4] == bytes((7, 1, ENTITY_STATE, 1))
    assert struct.unpack_from(">H", data, 8) == (176,)
    assert struct.unpack_from(">3HBB", data, 12) == (3, 77, 5, 0, 2)
    assert struct.unpack_from(">3d", data, 48) == (4e6, 1e6, 4.8e6)
    assert struct.unpack_from(">I", data, 84) == (0x00010000,)
    assert data[88] == 4
    assert struct.unpack_from(">3f", data, 104) == pytest.approx((0.0, 0.0, -9.8))
    assert data[128:140] == b"\x01anna" + bytes(7)
    assert struct.unpack_from(">BBHIfI", data, 144) == (0, 3, 0, 65581, 0.75, 0)


def test_what_is_written_is_read_in_batches_of_mixed_packets() -> None:
    state = _state()
    together = state.encode() + state.encode_update() + encode_removal(EntityId(3, 77, 5))
    found = read([together, _state(entity=EntityId(3, 77, 6)).encode()], exercise=1)
    assert not found.damaged
    kinds = {each.kind: each for each in found.found}
    assert set(kinds) == {ENTITY_STATE, ENTITY_STATE_UPDATE, REMOVE_ENTITY}
    states = kinds[ENTITY_STATE]
    assert states.rows["entity"].tolist() == [[3, 77, 5], [3, 77, 6]]
    assert [found.sources[k] for k in states.order] == [0, 1]
    assert states.parameters["value"][0].tolist() == [0.75, -1.5]
    assert marking_of(states.rows["marking"][0]) == "anna"
    assert kinds[ENTITY_STATE_UPDATE].rows["location"][0].tolist() == [4e6, 1e6, 4.8e6]
    assert kinds[REMOVE_ENTITY].rows["receiver"][0].tolist() == [3, 77, 5]


def test_other_exercises_and_other_kinds_are_passed_over() -> None:
    fire = bytearray(_state().encode())
    fire[2] = 2
    found = read([_state(exercise=9).encode(), bytes(fire)], exercise=1)
    assert not found.found
    assert found.strange == {2: 1}


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda data: b"", "empty"),
        (lambda data: data[:11], "shorter"),
        (lambda data: data[:-1], "length"),
        (lambda data: b"\x02" + data[1:], "version"),
        (lambda data: data[:19] + b"\xff" + data[20:], "count"),
        (lambda data: data[:48] + struct.pack(">d", math.nan) + data[56:], "beyond sense"),
        (lambda data: data[:152] + struct.pack(">f", math.inf) + data[156:], "beyond sense"),
        (lambda data: data[:8] + b"\0\x04" + data[10:], "length"),
    ],
)
def test_damage_is_told_and_what_is_whole_is_read(damage: object, why: str) -> None:
    data = _state().encode()
    found = read([damage(data), data])  # type: ignore[operator]
    assert [each.source for each in found.damaged] == [0]
    assert why in found.damaged[0].why
    assert sum(len(each.order) for each in found.found) == 1


def test_any_bytes_are_read_without_an_error() -> None:
    rng = np.random.default_rng(5)
    whole = _state().encode()
    for _ in range(3000):
        data = bytearray(whole + _state().encode_update())
        for at in rng.integers(0, len(data), rng.integers(1, 9)):
            data[at] = rng.integers(256)
        read([bytes(data[: rng.integers(0, len(data) + 1)])])


def test_time_stamps_count_parts_of_the_hour() -> None:
    for seconds in (0.0, 0.25, 1799.9, 3599.999):
        assert seconds_of(stamp(seconds)) == pytest.approx(seconds, abs=2e-6)
    assert stamp(3600.5) == stamp(0.5)
    assert stamp(1.0, absolute=True) & 1


@pytest.mark.parametrize("algorithm", range(1, 10))
@pytest.mark.parametrize("speed", [0.0, 1e-6, 0.3, 2.5])
def test_dead_reckoning_is_the_integral_of_its_model(algorithm: int, speed: float) -> None:
    rng = np.random.default_rng(algorithm)
    p, v, a, w = rng.normal(size=(4, 3))
    w *= speed / np.linalg.norm(w)
    R = Turn.random(rng=rng).as_matrix()
    turns, accelerates = algorithm in (3, 4, 7, 8), algorithm in (4, 5, 8, 9)

    def moving(t: float, _: np.ndarray) -> np.ndarray:
        now = v + (a * t if accelerates else 0.0)
        if algorithm == 1:
            return np.zeros(3)
        if algorithm < 6:
            return now
        turned = Turn.from_rotvec(w * t).as_matrix() if turns else np.eye(3)
        return R @ turned @ now

    t = 1.7
    there = solve_ivp(moving, (0.0, t), p, rtol=1e-12, atol=1e-12).y[:, -1]
    turned = R @ Turn.from_rotvec(w * t).as_matrix() if turns else R
    place, q = carried_on(algorithm, *map(tuple, (p, q_from_matrix(R), v, a, w)), t)
    np.testing.assert_allclose(place, there, atol=1e-9)
    np.testing.assert_allclose(q_to_matrix(np.array(q)), turned, atol=1e-12)


@pytest.mark.parametrize("up", [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
def test_a_world_lies_at_its_geodetic_origin(up: tuple[float, ...]) -> None:
    # a point on the ellipsoid: x^2/a^2 + y^2/a^2 + z^2/b^2 = 1, its normal is what is up
    latitude, longitude = math.radians(48.1), math.radians(11.5)
    X = placed_world(GeodeticOrigin(latitude, longitude, 0.0), np.array(up))
    a, b = 6378137.0, 6356752.314245
    p = X[:3, 3]
    assert (p[0] ** 2 + p[1] ** 2) / a**2 + p[2] ** 2 / b**2 == pytest.approx(1.0, abs=1e-12)
    normal = p / np.array((a, a, b)) ** 2
    np.testing.assert_allclose(X[:3, :3] @ up, normal / np.linalg.norm(normal), atol=1e-12)
    np.testing.assert_allclose(X[:3, :3] @ X[:3, :3].T, np.eye(3), atol=1e-12)
    assert np.linalg.det(X[:3, :3]) == pytest.approx(1.0)
    # x points east: along growing longitude, level
    assert X[2, 0] == pytest.approx(0.0, abs=1e-12)
    assert X[:3, 0] @ (-math.sin(longitude), math.cos(longitude), 0.0) == pytest.approx(1.0)


def test_a_place_that_is_nowhere_is_refused() -> None:
    with pytest.raises(ArticulataError, match="nowhere"):
        GeodeticOrigin(2.0, 0.0)
    with pytest.raises(ArticulataError, match="cannot be placed"):
        placed_world(GeodeticOrigin(), np.array((1.0, 0.0, 0.0)))


def test_euler_angles_are_those_of_the_standard() -> None:
    R = Turn.random(500, rng=np.random.default_rng(1)).as_matrix()
    angles = euler_of(R)
    by_scipy = Turn.from_euler("ZYX", angles).as_matrix()
    np.testing.assert_allclose(by_scipy, R, atol=1e-12)
    np.testing.assert_allclose(q_to_matrix(turn_of(angles)), R, atol=1e-12)
    upright = Turn.from_euler("ZYX", [(0.7, 0.5 * np.pi, 0.2)]).as_matrix()
    np.testing.assert_allclose(q_to_matrix(turn_of(euler_of(upright))), upright, atol=1e-9)


def test_entity_axes_are_ahead_right_and_down() -> None:
    R = body_axes(np.array((0.0, 0.0, 1.0)), np.array((0.0, 1.0, 0.0)))
    # seen from behind somebody who looks along z with y up, his right is -x
    np.testing.assert_array_equal(R[:, 1], (-1.0, 0.0, 0.0))
    assert np.linalg.det(R) == pytest.approx(1.0)
