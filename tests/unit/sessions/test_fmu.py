"""Worlds written as FMUs: what they say, what runs in them, and what another simulator gets."""

import importlib.util
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import articulata as art
from articulata.sessions.converting import convert

CARTPOLE = """
primitive rail { geometry: cuboid(6 m, 2 cm, 2 cm) }
primitive cart {
  geometry: cuboid(20 cm, 10 cm, 6 cm)
  dynamics: (mass: 1 kg)
}
primitive pole {
  geometry: cuboid(2 cm, 1 m, 2 cm) where { foot: (0, -0.5 m, 0) }
  dynamics: (mass: 0.1 kg)
}
world cartpole(lean: angle = 2 deg) {
  gravity: (0, -9.81 m/s^2, 0)
  components { rail: rail; cart: cart; pole: pole }
  structure {
    join cart to rail with slider(axis: x) as track matching (center, center) driven by push
    join pole to cart with pin(axis: z) as top matching (foot, center)
    ignore cart with rail
    ignore pole with cart
    ignore pole with rail
    place rail by center at (0, 0, 0)
    place cart by track.travel = 0
    place pole by top.angle = lean
  }
}
simulate cartpole { time: (20 ms, 1 s) }
"""

BALL = """
primitive ball {
  properties: (density: 1000 kg/m^3)
  geometry: sphere(10 cm)
  dynamics
  control: force = lift at center
}
primitive floor { geometry: cuboid(4 m, 20 cm, 4 m) }
world drop {
  gravity: (0, -9.81 m/s^2, 0)
  components { floor: floor; ball: ball }
  structure {
    place floor by center at (0, -10 cm, 0)
    place ball by center at (0, 1.1 m, 0)
  }
}
simulate drop { time: (20 ms, 1 s); METHOD }
"""


def exported(text, folder: Path, name="world", **given) -> Path:
    file = folder / f"{name}.fmu"
    art.export_fmu(art.parse(text).requests[0], file, **given)
    return file


def slave_in(file: Path, folder: Path):
    """Return what PythonFMU makes of an FMU: an instance of the class in its module."""
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    module = (folder / "resources/slavemodule.txt").read_text()
    spec = importlib.util.spec_from_file_location(module, folder / f"resources/{module}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    (found,) = [each for each in vars(loaded).values() if isinstance(each, type)]
    return found(instance_name="one", resources=str(folder / "resources"))


def numbers(slave):
    return {each.name: number for number, each in slave.vars.items()}


def test_the_description_names_inputs_parameters_and_outputs(tmp_path):
    file = exported(CARTPOLE, tmp_path)
    with zipfile.ZipFile(file) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
        names = set(archive.namelist())
    told = {
        each.get("name"): (each.get("causality"), each[0].get("start"), each[0].get("unit"))
        for each in root.iter("ScalarVariable")
    }
    assert told == {
        "push": ("input", "0", "N"),
        "lean": ("parameter", f"{np.pi / 90.0:.16g}", None),
        "track.travel": ("output", None, "m"),
        "track.rate": ("output", None, "m/s"),
        "top.angle": ("output", None, "rad"),
        "top.rate": ("output", None, "rad/s"),
    }
    experiment = root.find("DefaultExperiment")
    assert experiment is not None
    assert experiment.attrib == {"startTime": "0.0", "stopTime": "1.0", "stepSize": "0.02"}
    assert root.get("fmiVersion") == "2.0"
    assert {"binaries/linux64/cartpole.so", "resources/pythonfmu/fmi2slave.py"} <= names
    again = exported(CARTPOLE, tmp_path, "again")
    assert again.read_bytes() == file.read_bytes()


def test_a_slave_gives_the_numbers_of_simulate(tmp_path):
    request = art.parse(CARTPOLE).requests[0]
    file = exported(CARTPOLE, tmp_path, observations=["pole.center", "top.rate", "top.force.y"])
    slave = slave_in(file, tmp_path / "in")
    at = numbers(slave)
    pushes = np.random.default_rng(5).uniform(-3.0, 3.0, 10)
    slave.setup_experiment(2.0, None, None)  # its own time is counted from there
    slave.enter_initialization_mode()
    slave.set_real([at["lean"], at["push"]], [0.1, float(pushes[0])])
    slave.exit_initialization_mode()
    outputs = [name for name in at if name not in ("lean", "push")]
    assert outputs == ["pole.center.x", "pole.center.y", "pole.center.z", "top.rate", "top.force.y"]
    seen = [slave.get_real([at[name] for name in outputs])]
    for number, push in enumerate(pushes):
        slave.set_real([at["push"]], [float(push)])
        assert slave.do_step(2.0 + 0.02 * number, 0.02)
        seen.append(slave.get_real([at[name] for name in outputs]))

    def held(_, sensed):
        return pushes[min(round(sensed.time / 0.02), 9)]

    world = request.document.world("cartpole", 0.1)
    run = art.simulate(world, until=0.2, step=0.02, controllers={"push": held})
    expected = [run.series("pole.center"), run.series("top.rate"), run.series("top.force.y")]
    assert np.array(seen) == pytest.approx(np.column_stack(expected), abs=1e-11)


def test_a_clause_that_stops_ends_the_steps(tmp_path):
    text = BALL.replace("METHOD", "on impact(ball, floor): stop")
    slave = slave_in(exported(text, tmp_path, observations=["ball.center.y"]), tmp_path / "in")
    assert list(numbers(slave))[:3] == ["lift.x", "lift.y", "lift.z"]
    slave.exit_initialization_mode()
    steps = 0
    while slave.do_step(0.1 * steps, 0.1):
        steps += 1
    assert steps == 4  # it falls 1 m in 0.4515 s
    assert slave.get_real([3]) == pytest.approx([0.1], abs=1e-9)
    assert not slave.do_step(0.5, 0.1)


def test_a_file_is_converted(tmp_path):
    file = tmp_path / "cartpole.art"
    file.write_text(CARTPOLE)
    assert convert(file, tmp_path / "cartpole.fmu") == ""
    assert zipfile.is_zipfile(tmp_path / "cartpole.fmu")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"observations": ["top.angel"]}, "top.angel"),
        ({"observations": ["push"]}, "'push'"),
        ({"steps": 1}, "takes no 'steps'"),
        ({"fmi": 4}, "FMI 4 is not written; ask for 2 or 3"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_written(tmp_path, given, said):
    with pytest.raises(art.ArticulataError, match=said):
        exported(CARTPOLE, tmp_path, **given)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("fmi", "extra"), [(2, "fmu"), (3, "fmu3")])
def test_what_has_to_be_installed_is_told(tmp_path, monkeypatch, fmi, extra):
    monkeypatch.setitem(sys.modules, f"python{extra}", None)
    with pytest.raises(art.MissingExtra, match=rf"python{extra}; .*'articulata\[{extra}\]'"):
        exported(CARTPOLE, tmp_path, fmi=fmi)


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("method", ["", "method: stepping"])
@pytest.mark.parametrize("text", [CARTPOLE, BALL])
def test_another_simulator_steps_it(tmp_path, text, method, fmi):
    import fmpy
    from fmpy.validation import validate_fmu

    text = text.replace("METHOD", method)
    file = exported(text, tmp_path, fmi=fmi)
    assert fmpy.read_model_description(str(file)).fmiVersion == f"{fmi}.0"
    assert validate_fmu(str(file)) == []
    rng = np.random.default_rng(6)
    (name, parts), *_ = {"push": ("",)}.items() if "push" in text else {"lift": "xyz"}.items()
    labels = [f"{name}.{each}" if each else name for each in parts]
    given = rng.uniform(-30.0, 30.0, (51, len(labels)))
    times = 0.02 * np.arange(51)
    table = np.array(
        [(time, *row) for time, row in zip(times, given, strict=True)],
        dtype=[("time", float), *((label, float) for label in labels)],
    )
    found = fmpy.simulate_fmu(
        str(file), stop_time=1.0, step_size=0.02, output_interval=0.02, input=table
    )

    def held(_, sensed):
        row = given[min(round(sensed.time / 0.02), 50)]
        return row if len(row) > 1 else row[0]

    run = art.simulate(art.parse(text).requests[0], controllers={name: held})
    assert found["time"] == pytest.approx(run.times)
    outputs = [each for each in found.dtype.names if each != "time"]
    assert len(outputs) in (4, 13)
    for path in outputs:
        whole, _, part = path.rpartition(".")
        turn = whole.endswith("orientation")
        expected = run.series(whole)[:, "wxyz".index(part)] if turn else run.series(path)
        assert found[path] == pytest.approx(expected, abs=1e-9), path


@pytest.mark.slow
def test_fmi_3_says_and_gives_what_fmi_2_does(tmp_path):
    import fmpy

    text = CARTPOLE.replace("time: (20 ms, 1 s)", "time: (20 ms, 1 s); on top.angle > 20 deg: stop")
    files = [exported(text, tmp_path, f"of_{fmi}", fmi=fmi) for fmi in (2, 3)]
    again = exported(text, tmp_path, "again", fmi=3)
    assert again.read_bytes() == files[1].read_bytes()
    described = [fmpy.read_model_description(str(file)) for file in files]
    told = [{(v.name, v.causality, v.unit) for v in each.modelVariables} for each in described]
    assert told[1] == told[0] | {("time", "independent", None)}
    assert all(each.coSimulation.canHandleVariableCommunicationStepSize for each in described)
    names = ["track.travel", "track.rate", "top.angle", "top.rate"]
    two, three = (
        fmpy.simulate_fmu(
            str(file), start_values={"lean": 0.1, "push": 0.3}, stop_time=1.0, step_size=0.02,
            output_interval=0.02, output=names,
        )
        for file in files
    )  # fmt: skip
    world = art.parse(CARTPOLE).world("cartpole", 0.1)
    run = art.simulate(world, until=1.0, step=0.02, controllers={"push": lambda *_: 0.3})
    assert len(two) == len(three) == 24  # it is stopped when it leans
    assert three["time"][:-1] == pytest.approx(run.times[:23])
    for name in names:
        assert three[name] == pytest.approx(two[name], abs=1e-12), name
        assert three[name][:-1] == pytest.approx(run.series(name)[:23], abs=1e-9), name
    assert three["top.angle"][-1] == pytest.approx(np.pi / 9.0, abs=1e-9)


@pytest.mark.slow
def test_fmi_3_tells_when_a_clause_stopped_it(tmp_path):
    import fmpy
    from fmpy.fmi3 import FMU3Slave

    text = BALL.replace("METHOD", "on impact(ball, floor): stop")
    file = exported(text, tmp_path, observations=["ball.center.y"], fmi=3)
    told = fmpy.read_model_description(str(file))
    at = {each.name: each.valueReference for each in told.modelVariables}
    slave = FMU3Slave(
        guid=told.guid,
        unzipDirectory=fmpy.extract(str(file), str(tmp_path / "in")),
        modelIdentifier=told.coSimulation.modelIdentifier,
        instanceName="one",
    )
    slave.instantiate()
    for lift, falls in ((0.0, 9.81), (-4.0, 9.81 + 4.0 / (4000.0 * np.pi / 3.0 * 1e-3))):
        slave.enterInitializationMode(startTime=2.0)
        slave.setFloat64([at["lift.y"]], [lift])
        slave.exitInitializationMode()
        lands = 2.0 + (2.0 / falls) ** 0.5  # 1 m down
        ended = [slave.doStep(2.0 + 0.1 * number, 0.1)[1] for number in range(5)]
        assert ended == [False] * 4 + [True]
        assert slave.getFloat64([at["time"], at["ball.center.y"]]) == pytest.approx([lands, 0.1])
        slave.reset()
    slave.terminate()
    slave.freeInstance()
