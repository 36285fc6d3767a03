from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields, replace
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest

import articulata as art
from articulata.domains import assemble
from articulata.domains.abstract import AbstractModel
from articulata.domains.assemble import OWN, build, ordered
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.protocols import Domain, Model
from articulata.records.state import State
from articulata.world.edits.transaction import Edit
from articulata.world.hinges import PRISMATIC, REVOLUTE
from articulata.world.model import World
from mechanisms import DOWN, Mechanism, chain, turn

ROOT = Path(__file__).parents[3]
ELECTRICAL = ROOT / "tests" / "data" / "electrical"


@pytest.fixture(scope="module")
def electrical(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stranger's package, installed as a wheel is: its files and what its project declares.

    Written out here because a test environment need hold neither pip nor a build backend.
    """
    target = tmp_path_factory.mktemp("site")
    shutil.copytree(ELECTRICAL / "src" / "electrical", target / "electrical")
    with (ELECTRICAL / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    info = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in project["entry-points"].items()
        )
    )
    return target


def generator() -> World:
    made = Mechanism("generator")
    ground = made.ground()
    made.body("rotor", inertia=(1, 1, 0.5), rate=(0, 0, 10.0))
    made.join("h", "rotor", ground, kind=REVOLUTE)
    rotor = made.bodies["rotor"]
    circuit = {"resistance": 2.0, "inductance": 0.5, "flux": 0.3}
    made.bodies["rotor"] = replace(
        rotor, properties=MappingProxyType({**rotor.properties, **circuit})
    )
    return made.world()


def test_a_domain_is_found_by_an_entry_point_of_another_package(
    electrical: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that imports ``importlib_metadata`` makes all entry points of its class."""
    monkeypatch.syspath_prepend(str(electrical))
    name = "electrical"
    (plain,) = entry_points(group=assemble.GROUP, name=name)
    other = SimpleNamespace(name=name, value=plain.value, load=plain.load)
    monkeypatch.setattr(assemble, "entry_points", lambda group: [other])
    found = ordered(("geometric", "control", "dynamic", name))
    assert [each.name for each in found if isinstance(each, Domain)][-1] == name


def test_a_strangers_domain_is_found_built_and_recorded(
    electrical: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(electrical))
    recording = art.simulate(
        generator(),
        until=1.0,
        step=0.01,
        domains=("geometric", "control", "dynamic", "electrical"),
        record_to=tmp_path / "run.artrun",
    )
    current = 0.3 * 10 / 2.0 * (1 - np.exp(-2.0 / 0.5 * recording.times))
    assert recording.array("electrical.current")[:, 0] == pytest.approx(current, abs=1e-9)
    assert recording.series("electrical.current.rotor") == pytest.approx(current, abs=1e-9)
    assert art.replay(recording).to_bytes() == recording.to_bytes()


def test_its_recording_is_read_without_the_package(electrical: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.artrun"
    script = (
        f"import sys; sys.path[:0] = [{str(electrical)!r}, {str(Path(__file__).parent)!r}]\n"
        "from test_assembling_domains import generator\nimport articulata as art\n"
        "art.simulate(generator(), until=0.1, domains=('geometric', 'dynamic', 'electrical'),"
        f" record_to={str(file)!r})"
    )
    tests = str(ROOT / "tests")
    subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": tests},
    )
    recording = art.load(file)
    assert recording.array("electrical.current").shape == (11, 1)
    with pytest.raises(art.ModelError, match="there is no domain 'electrical'"):
        art.replay(recording)


def test_our_entry_points_are_those_of_the_project_file() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        declared = tomllib.load(file)["project"]["entry-points"]["articulata.domains"]
    assert declared == OWN
    for name, source in OWN.items():
        assert isinstance(assemble.load(name, source), Domain)


def test_domains_are_ordered_by_what_they_require() -> None:
    assert [d.name for d in ordered(("dynamic", "control", "geometric"))].index("dynamic") == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("dynamic", "control"), "needs the domain 'geometric', which this world leaves out"),
        (("geometrc",), "no domain 'geometrc'.*did you mean 'geometric'"),
    ],
)
def test_what_is_missing_is_named(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(art.ModelError, match=message):
        build(chain(1).world(), names)


def test_the_abstract_domain_knows_properties_and_relations() -> None:
    model = build(chain(2).world(), ("abstract",))["abstract"]
    assert isinstance(model, AbstractModel)
    assert isinstance(model, Model)
    assert model.properties("link1")["mass"] == 1.0
    assert model.joined("link1") == {
        "ground": ("ball.and.socket",),
        "link2": ("ball.and.socket",),
    }


def test_an_edit_makes_new_models_and_leaves_the_old_ones() -> None:
    models = build(chain(2, REVOLUTE).world())
    state = State(0.0, models.start())
    edit = art.BreakHinge("h2")
    after, carried = models.transfer(edit, state)
    assert len(after.world.hinges) == 1
    assert len(models.world.hinges) == 2
    for name in ("dynamic.position", "dynamic.velocity", "geometric.pose"):
        assert (carried.arrays[name] == state.arrays[name]).all()
    assert carried.arrays["dynamic.coordinate"].shape == (1,)
    assert carried.version == after.world.version


@pytest.mark.parametrize(
    "edit",
    [
        art.BreakHinge("h2"),
        art.SetProperty("gravity", (0.0, -1.0, 2.0)),
        art.SetProperty("link2.density", 50.0),
        art.RemoveBody("link3"),
        art.Place("link1", velocity=(1.0, 0.0, 0.0)),
    ],
    ids=str,
)
def test_a_model_made_by_an_edit_is_the_one_made_anew(edit: Edit) -> None:
    models = build(chain(4, REVOLUTE).world())
    old = models["dynamic"]
    assert isinstance(old, DynamicModel)
    assert len(old.parts.hinges) == 4
    made = models.transfer(edit, State(0.0, models.start()))[0]["dynamic"]
    anew = build(models.world.edit([edit]))["dynamic"]
    assert isinstance(made, DynamicModel)
    assert isinstance(anew, DynamicModel)
    for part in (made.parts, made.parts.rows, made.parts.coordinates):
        other = anew.parts if part is made.parts else None
        other = anew.parts.rows if part is made.parts.rows else other
        other = anew.parts.coordinates if part is made.parts.coordinates else other
        for field in fields(part):
            one, two = getattr(part, field.name), getattr(other, field.name)
            if isinstance(one, np.ndarray):
                assert np.array_equal(one, two), field.name
            elif field.name in ("index", "labels", "drives", "hinges"):
                assert one == two


def crank() -> Mechanism:
    made = Mechanism("crank", DOWN)
    ground = made.ground()
    made.body("crank", (0, 0, 0), size=None, mass=None, motion="prescribed")
    made.body("rod", (1.5, 0, 0), size=(1.0, 0.1, 0.1))
    made.body("slider", (2.0, 0, 0))
    made.join("pin", "rod", "crank", (-0.5, 0, 0), (1.0, 0, 0), REVOLUTE)
    made.join("knee", "slider", "rod", (0, 0, 0), (0.5, 0, 0), REVOLUTE)
    along = turn((0, 1, 0), np.pi / 2)
    made.join("guide", "slider", ground, kind=PRISMATIC, turned_a=along, turned_b=along)
    made.drive("crank.turn", "acceleration", "crank", "turn")
    return made


def wound(time: float, sensed: object) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return (0, 0, 0), (0, 0, 0.6 * float(np.cos(time)))


def test_a_kinematic_run_equals_the_dynamic_one_under_perfect_control() -> None:
    world = crank().world()
    controllers = {"turn": wound}
    kinematic = art.simulate(
        world, until=1.0, step=0.02, controllers=controllers, domains=("geometric", "control")
    )
    dynamic = art.simulate(world, until=1.0, step=0.02, controllers=controllers)
    apart = kinematic.array("geometric.pose") - dynamic.array("geometric.pose")
    assert np.max(np.abs(apart)) <= 1e-8
    assert "dynamic.hinge_force" not in kinematic.channels
    angle = 0.6 * (1 - np.cos(kinematic.times))
    at = kinematic.array("geometric.pose")[:, 3, 0]
    slide = np.cos(angle) + np.sqrt(1.0 - np.sin(angle) ** 2)
    assert at == pytest.approx(slide, abs=1e-7)


def test_bodies_that_are_not_held_follow_by_the_least_motion() -> None:
    world = chain(2).world()
    bodies = {**world.bodies, "ground": replace(world.bodies["ground"], motion="prescribed")}
    made = Mechanism("towed", DOWN, dict(bodies), dict(world.hinges))
    made.drive("d", "acceleration", "ground", "pull")
    recording = art.simulate(
        made.world(),
        until=1.0,
        step=0.1,
        controllers={"pull": lambda t, s: (1.0, 0, 0)},
        domains=("geometric", "control"),
    )
    pose = recording.array("geometric.pose")
    assert pose[-1, 0, 0] == pytest.approx(0.5, abs=1e-12)
    assert pose[-1, 1, :2] == pytest.approx([0.5, -0.5], abs=1e-9)
    assert art.replay(recording).to_bytes() == recording.to_bytes()
