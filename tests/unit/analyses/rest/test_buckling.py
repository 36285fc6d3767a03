"""Critical loads of columns, a follower's flutter and a truss, beside their closed forms."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import articulata as art
from articulata.app.main import main


def links(masses: list[float], length: float, law: str, gravity: float = 0.0) -> str:
    """Rods without mass that stand on each other, a point mass on the tip of each."""
    shapes, names, statements = [], ["o: fixed_point"], ["place o by o.center at (0, 0, 0)"]
    for n, mass in enumerate(masses):
        shapes.append(
            f"primitive p{n} {{ geometry: sphere(0.1 mm) where {{ near: (0, -({length} m), 0); "
            f"tip: (0, 0, 0) }}; dynamics: (mass: {mass} kg) }}"
        )
        names.append(f"b{n}: p{n}")
        statements += [
            f"join b{n} to {f'b{n - 1}' if n else 'o'} with pin(axis: z) as h{n} "
            f"matching (near, {'tip' if n else 'center'})",
            f"force t{n} about h{n} = {law}",
            f"place b{n} by h{n}.angle = 0 deg",
        ]
    return (
        "\n".join(shapes) + f"\nworld column {{ gravity: (0, -({gravity} m/s^2), 0)\n"
        f"components {{ {'; '.join(names)} }}\nstructure {{\n" + "\n".join(statements) + "\n} }"
    )


SPRING = "-(100 N*m/rad) * angle"


@pytest.mark.parametrize("count", [1, 2])
def test_a_mast_of_links_buckles_under_a_load_on_its_tip(count: int) -> None:
    # smallest eigenvalue of second differences, clamped and free; two links: 0.382 k / L
    known = 4.0 * 100.0 / 0.5 * np.sin(np.pi / (2 * (2 * count + 1))) ** 2
    world = art.parse(links([1.0] * count, 0.5, SPRING)).world()
    found = art.buckling(world, {f"b{count - 1}.tip": (0.0, -1.0, 0.0)})
    assert found is not None
    assert found.kind == "divergence"
    assert found.factor == pytest.approx(known, rel=1e-8)
    if count == 2:
        assert known == pytest.approx(0.381966 * 100.0 / 0.5, rel=1e-6)
        np.testing.assert_allclose(found.mode.shape, [1.0, 0.618034], atol=1e-5)
    assert art.buckling(world, {f"b{count - 1}.tip": (0.0, 1.0, 0.0)}) is None


def pressed(count: int) -> str:
    """A column of links between two pins, 1 m, with E I of 10 N m^2, pressed by 1 N."""
    length = 1.0 / count
    text = links([0.01] * count, length, f"-({10.0 / length} N*m/rad) * angle")
    text = text.replace(f"force t0 about h0 = -({10.0 / length} N*m/rad) * angle\n", "")
    head = "primitive block { geometry: sphere(1 cm); dynamics: (mass: 10 g) }\n"
    top = f"""join head to b{count - 1} with pin(axis: z) as top matching (center, tip)
        join head to o with slider(axis: y) as guide matching (center, center)
        force press between head.center and high.center = -1 N
        place high by high.center at (0, 2 m, 0)
        }} }}"""
    text = text.replace("o: fixed_point", "o: fixed_point; high: fixed_point; head: block")
    return head + text.rpartition("}")[0].rpartition("}")[0] + top


@pytest.mark.parametrize("count", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_a_column_between_pins_comes_near_to_euler_s_load(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    euler = np.pi**2 * 10.0
    hencky = euler * (np.sin(np.pi / (2 * count)) / (np.pi / (2 * count))) ** 2
    file, out = tmp_path / "column.art", tmp_path / "modes"
    file.write_text(pressed(count))
    words = ["articulata", "rest", str(file), "--load", "press", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", [*words, "--format", "json"])
    main()
    told = json.loads(capsys.readouterr().out)
    assert told["factor"] == pytest.approx(hencky, rel=1e-8)
    assert told["kind"] == "divergence"
    assert hencky == pytest.approx(euler, rel=0.1 if count == 3 else 0.025)
    assert len(art.load(out / "buckling_press.artrun").times) == 49
    monkeypatch.setattr(sys, "argv", words)
    main()
    assert f"critical at {hencky:.6g} x press: divergence: " in capsys.readouterr().out


def test_ziegler_s_follower_flutters_earlier_with_a_little_damping() -> None:
    push = {"b1.tip": (0.0, -1.0, 0.0)}
    world = art.parse(links([2.0, 1.0], 0.5, SPRING)).world()
    found = art.buckling(world, push, follower=True)
    assert found is not None
    assert found.kind == "flutter"
    assert found.factor == pytest.approx((3.5 - np.sqrt(2.0)) * 100.0 / 0.5, rel=1e-6)
    # with equal damping b (41/28 + b^2 / (2 k m L^2)) k / L, however small b is: Ziegler 1952,
    # G. Herrmann and I.-C. Jong, Journal of Applied Mechanics 32 (1965) 592
    damped = f"{SPRING} - (2 N*m*s) * rate"
    world = art.parse(links([2.0, 1.0], 0.5, damped)).world()
    found = art.buckling(world, push, follower=True)
    assert found is not None
    assert found.kind == "flutter"
    known = (41 / 28 + 2.0**2 / (2 * 100.0 * 0.5**2)) * 100.0 / 0.5
    assert found.factor == pytest.approx(known, rel=1e-6)


TRUSS = """
primitive block { geometry: sphere(1 cm); dynamics: (mass: 100 g) }
world truss {
  gravity: (0, -1 m/s^2, 0)
  components { o: fixed_point; left: fixed_point; right: fixed_point; a: block }
  structure {
    join a to o with slider(axis: y) as s matching (center, center)
    join a to left with spring(stiffness: 2000 N/m, length: 50 cm) matching (center, center)
    join a to right with spring(stiffness: 2000 N/m, length: 50 cm) matching (center, center)
    place o by o.center at (0, 0, 0)
    place left by left.center at (-40 cm, 0, 0)
    place right by right.center at (40 cm, 0, 0)
    place a by s.travel = 30 cm
  }
}
"""


def test_von_mises_s_truss_snaps_through_at_its_limit_point() -> None:
    def held(y: float) -> float:
        span = np.hypot(0.4, y)
        return float(2 * 2000.0 * (0.5 - span) * y / span)

    most = -minimize_scalar(lambda y: -held(y), bounds=(0.05, 0.29), method="bounded").fun
    found = art.buckling(art.parse(TRUSS).world(), "gravity")
    assert found is not None
    assert found.kind == "limit point"
    assert found.factor == pytest.approx(most / 0.1, rel=1e-6)


def test_loads_that_are_none_and_worlds_that_fall_are_told() -> None:
    world = art.parse(links([1.0], 0.5, SPRING, gravity=9.81)).world()
    with pytest.raises(art.ArticulataError, match=r"no load 'gravitie'.*gravity"):
        art.buckling(world, "gravitie")
    with pytest.raises(art.ArticulataError, match=r"no feature 'b0.tp'.*b0\.tip"):
        art.buckling(world, {"b0.tp": (0.0, -1.0, 0.0)})
    weak = art.parse(links([1.0], 0.5, "-(1 N*m/rad) * angle", gravity=9.81)).world()
    with pytest.raises(art.ArticulataError, match="does not stay where it starts"):
        art.buckling(weak, {"b0.tip": (0.0, -1.0, 0.0)})
