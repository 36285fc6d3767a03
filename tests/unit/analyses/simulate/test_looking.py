"""What is read from a run between its steps: the same as from a frame in which all is solved."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.analyses.simulate.course import channels_of
from articulata.analyses.simulate.crossings import sampled
from articulata.analyses.simulate.looking import View
from articulata.analyses.simulate.sensing import Snapshot
from articulata.domains.assemble import build
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.integrated_motion import IntegratedMotion
from articulata.domains.dynamic.methods import DOP853
from articulata.domains.protocols import Control, Inputs, Motion
from articulata.errors import NameNotFound, RecordingError
from articulata.records.state import Frame, State

TEXT = """
primitive bar {
  properties: (density: 500, friction: 0.5)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
world yard {
  gravity: (0, -9.81, 0)
  components { hook: fixed_point; arm: bar; leg: bar; lying: bar; floor: ground }
  structure {
    join arm to hook with pin(axis: z) as shoulder matching (near, center) limits (-90 deg, 90 deg)
    join leg to arm with pin(axis: z) as elbow matching (near, far)
    join leg to hook with spring(20 N/m, 1 m) as band matching (far, center)
    place hook by hook.center at (0, 2, 0)
    place arm by arm.center at (0.5, 2, 0)
    place leg by leg.center at (1.5, 2, 0)
    place lying by lying.center at (4, 0.025, 0)
  }
}
"""

OF_STATE = ("time", "arm.v", "arm.v.y", "leg.w.z", "shoulder.angle", "elbow.angle")
SEEN = ("leg.far", "leg.far.x", "leg.far.v", "elbow.rate", "band.distance", "band.speed", "energy")
SEEN += ("leg.energy", "leg.momentum", "momentum.y", "energy.kinetic", "leg.far to lying.near")
SOLVED = ("elbow.force", "elbow.force.y", "shoulder.moment", "arm.a", "leg.alpha.z", "leg.far.a")
SOLVED += (
    "dynamic.hinge_force.elbow.fx",
    "dynamic.multipliers",
    "lying touches floor",
    "band.force",
)


def moving(
    contact: Contact | None, text: str = TEXT, until: float = 0.2
) -> tuple[View, IntegratedMotion, State, Control]:
    """Return a view of a model, the model, a state of it in motion, and no controls."""
    world = art.parse(text).world("yard")
    models = build(world, ("geometric", "interference", "dynamic"))
    dynamic = models["dynamic"]
    assert isinstance(dynamic, DynamicModel)
    model = IntegratedMotion(dynamic, DOP853(), contact)
    n = len(dynamic.parts.bodies)
    inputs = Inputs(np.zeros((n, 6)), np.zeros((n, 3)), np.zeros((0, 3)), np.zeros(2))

    def still(time: float) -> Inputs:
        return inputs

    state = model.advance(
        State(0.0, {**models.start(), **model.start()}, world.version), until, still
    )
    return View(model, channels_of(models, model)), model, state, still


@pytest.mark.parametrize("contact", [None, Contact()], ids=["apart", "touching"])
@pytest.mark.parametrize("path", [*OF_STATE, *SEEN, *SOLVED])
def test_a_look_reads_what_a_whole_frame_says(path: str, contact: Contact | None) -> None:
    view, model, state, still = moving(contact)
    whole = {**state.arrays, **model.solve(state, still)}
    frame = Snapshot(model.world, view.channels, Frame(state.time, whole, state.version))
    found, known = view.at(state, still).value(path), frame.value(path)
    assert type(found) is type(known)
    assert np.array_equal(found, known)


def test_what_hinges_bear_at_a_limit_is_that_of_a_whole_frame() -> None:
    text = TEXT.replace("limits (-90 deg, 90 deg)", "limits (0, 90 deg)")
    _, model, state, still = moving(Contact(), text, 1e-3)
    borne = model.borne(state, still)
    assert np.array_equal(borne, model.solve(state, still)["dynamic.hinge_force"])
    assert abs(borne[0, 5]) > 1.0  # the limit holds the arm up by a moment


def test_without_a_cycle_nothing_is_solved() -> None:
    view, model, state, _ = moving(Contact())
    look = view.at(state, None)
    assert (
        look.value("arm.v.y") == state.arrays["dynamic.velocity"][model.model.parts.index["arm"], 1]
    )
    assert "dynamic.hinge_force" not in look.arrays
    assert "dynamic.acceleration" not in look.arrays
    assert "geometric.pose" in look.arrays
    with pytest.raises(RecordingError, match=r"dynamic\.acceleration"):
        look.value("arm.a")


def test_a_path_that_names_nothing_is_refused() -> None:
    view, _, state, _ = moving(None)
    with pytest.raises(NameNotFound, match="elbow"):
        view.at(state, None).value("elbows.rate")


def test_few_samples_do_only_far_below_zero() -> None:
    asked: list[float] = []

    def of(share: float) -> float:
        asked.append(share)
        return -1.0 + 0.4 * share

    shares = [0.0, 0.25, 0.5, 0.75, 1.0]
    assert sampled(of, shares, -1.0, True) == [-1.0, -0.8, -0.6]
    assert asked == [0.5, 1.0]
    assert len(sampled(of, shares, -1.0, False)) == 5
    assert len(sampled(lambda share: -1.0 + 0.6 * share, shares, -1.0, True)) == 5


CHAIN = """
primitive bar(long: length, thick: length) {{
  properties: (density: 500 kg/m^3)
  geometry: cuboid(long, thick, thick) where {{ near: (-long/2, 0, 0); far: (long/2, 0, 0) }}
  dynamics
}}
world yard {{
  gravity: (0, -9.81, 0)
  components {{
    hook: fixed_point
    {bars}
  }}
  structure {{
    {joins}
    {forces}
    {places}
  }}
}}
simulate yard {{
  time: (20 ms, 1 s)
  method: dop853
  on {condition}: stop
}}
"""


def chain(seed: int) -> str:
    """Return the text of a random chain: bars on pins, servos with an integral, dampers."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 4))
    bars, joins, forces, places = [], [], [], []
    for k in range(1, count + 1):
        long, thick = rng.uniform(0.3, 0.9), rng.uniform(0.03, 0.08)
        bars.append(f"b{k}: bar({long:.3f} m, {thick:.3f} m)")
        to = ("hook", "center") if k == 1 else (f"b{k - 1}", "far")
        axis = rng.choice(["z", "(1, 0, 2)"])
        pin = f"pin(axis: {axis}) as h{k}"
        joins.append(f"join b{k} to {to[0]} with {pin} matching (near, {to[1]})")
        places.append(f"place b{k} by h{k}.angle = {rng.uniform(-1.2, 0.3):.3f}")
        if rng.uniform() < 0.5:
            forces.append(
                f"force f{k} about h{k} = servo({rng.uniform(-0.5, 0.5):.3f} rad, 40 N*m, 4 N*m*s,"
                f" integral: {rng.uniform(10, 60):.2f} N*m/s)"
            )
        else:
            forces.append(f"force f{k} about h{k} = -{rng.uniform(0.0, 2.0):.3f} N*m*s * rate")
    read = rng.choice([f"h{count}.angle", f"h{count}.rate", "h1.rate", f"b{count}.far.y"])
    unit = {"e": "rad", "y": "m"}[read[-1]] + ("/s" if read.endswith("rate") else "")
    sign = rng.choice(["<", ">"])
    bound = rng.uniform(-0.6, 0.6)
    return CHAIN.format(
        bars="\n    ".join(bars),
        joins="\n    ".join(joins),
        forces="\n    ".join(forces),
        places="\n    ".join(places),
        condition=f"{read} {sign} {bound:.4f} {unit} and time > 0.1 s",
    )


READ = ("h1.angle", "h1.rate", "b1.far", "b1.far.v", "b1.w", "h1.force", "h1.moment", "b1.a")


@pytest.mark.parametrize("seed", range(6))
def test_looks_within_a_step_are_those_of_a_step_up_to_there(seed: int) -> None:
    view, mover, state, still = moving(None, chain(seed), 0.05)
    dense = mover.within(state, 0.02, still)
    exact = Motion.within(mover, state, 0.02, still)
    for share in np.random.default_rng(seed).uniform(size=4):
        for path in READ:
            shown, known = (view.at(at(share), still).value(path) for at in (dense, exact))
            size = 1.0 + float(np.max(np.abs(known)))
            assert np.max(np.abs(np.subtract(shown, known))) < 1e-8 * size, (path, share)


def test_instants_of_random_chains_are_those_of_exact_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stopped = 0
    for seed in range(8):
        request = art.parse(chain(seed)).requests[0]
        with monkeypatch.context() as slower:
            found = art.simulate(request).times[-1]
            slower.setattr(IntegratedMotion, "within", Motion.within)
            known = art.simulate(request).times[-1]
        stopped += known < 1.0
        assert found == pytest.approx(known, abs=1e-9), seed
    assert stopped > 3  # conditions that never hold would compare nothing
