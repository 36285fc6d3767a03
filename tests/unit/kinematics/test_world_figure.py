"""Figures from text: tables in every convention, hinges of bodies, and the library's door."""

import math

import numpy as np
import pytest

from articulata.errors import KinematicsError, NameNotFound, WorldError
from articulata.geometry.rotation import Rotation
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.conventions import DH
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import FIXED, PRISMATIC, Joint
from articulata.kinematics.library import figure, figures
from articulata.kinematics.world_figure import figure_of
from articulata.world.document import parse
from articulata.world.hinges import Helicoid, Plane, PointOnSurface
from articulata.world.language.syntax.printer import print_file
from articulata.world.writing.worlds import art_text

TABLES = """
units: millimetre, degree
figure machine(reach: length = 500 mm) {
  up: (0, 3, 4)
  chain trunk: plain table at (0, 0, 1000) turned 90 deg about z {
    "hip turn": revolute(limits: (-90, 90), neutral: 10, mass: 12 kg, center: (0, 0, 100),
      inertia: (1 kg*m^2, 2 kg*m^2, 3 kg*m^2), shape: capsule(50, 200) at (0, 0, 100), color: red)
    lift: prismatic(axis: x, limits: (0, 300), speed: 100 mm/s) at (0, 0, 200)
    bow: revolute(axis: (0, 1, 0), speed: 90 deg/s, acceleration: 2 rad/s^2,
      effort: 5 N*m, gear: -105)
      at (10, 0, 0) turned 90 deg about z
  }
  chain arm: modified table on "hip turn" at (0, 300, 0) {
    shoulder: revolute(d: 20, a: 5, alpha: 90, theta: 30)
    slide: prismatic(a: 7, alpha: -90)
    gripper: fixed(d: 40)
    finger: revolute(mimic: shoulder, factor: -2, offset: 5)
  }
  chain "other arm": standard table on bow { elbow: revolute(a: reach, alpha: 90, d: 3) }
  chain camera: x_axis table {
    pan: revolute() at (1012, 49.43, 804.8) turned 90 deg about z
    tilt: revolute()
  }
  chain "hip to elbow": from "hip turn" to elbow
  posture bent { "hip turn": 45; lift: 30 }
  limits { elbow: (0, 90) }
  limits "1995" { elbow: (-10, 20); lift: (1, 2) }
  sensors { tracker: lift at (0, 0, 70) }
  landmarks { "arm's end": finger at (0, 0, 9) turned 90 deg about x; foot: "hip turn" }
}
"""


def made(text: str = TABLES) -> Figure:
    document = parse(text)
    errors = [each for each in document.check() if each.severity == "error"]
    assert errors == []
    return figure(document)


def test_values_of_a_table() -> None:
    machine = made()
    assert machine.names == (
        "hip turn", "lift", "bow", "shoulder", "slide", "elbow", "pan", "tilt",
    )  # fmt: skip
    joint = {each.name: each for each in machine.joints}
    assert joint["hip turn"].limits == pytest.approx((-math.pi / 2, math.pi / 2))
    assert joint["hip turn"].neutral == pytest.approx(math.radians(10))
    assert (joint["lift"].kind, joint["lift"].limits) == (PRISMATIC, (0.0, 0.3))
    assert joint["lift"].motor.speed == pytest.approx(0.1)
    motor = joint["bow"].motor
    assert (motor.speed, motor.acceleration, motor.effort) == pytest.approx((math.pi / 2, 2, 5))
    assert motor.gear == -105
    assert joint["gripper"].kind == FIXED
    mimic = joint["finger"].mimic
    assert mimic is not None
    assert (mimic.joint, mimic.factor, mimic.offset) == ("shoulder", -2, math.radians(5))
    assert joint["elbow"].limits == (0.0, math.radians(90))
    assert machine.with_limits("1995").limit_sets["1995"]["lift"] == (0.001, 0.002)
    link = machine.links["hip turn"]
    assert (link.mass, link.center) == (12.0, (0.0, 0.0, 0.1))
    assert np.diag(link.inertia).tolist() == [1.0, 2.0, 3.0]
    assert link.visuals[0].color == "red"
    assert link.visuals[0].X_LS[2, 3] == 0.1
    assert figure(parse(TABLES), "machine", reach=2.0).joints[7].X_JL[0, 3] == 2.0


def test_frames_of_a_plain_table_stay_parallel() -> None:
    machine = made()
    zero = machine.vector(dict.fromkeys(machine.names, 0.0))
    poses = machine.poses(zero)
    quarter = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    np.testing.assert_allclose(poses[1, :3, :3], quarter, atol=1e-15)
    np.testing.assert_allclose(poses[1, :3, 3], [0, 0, 1.2], atol=1e-15)
    # bow: 10 mm along x of the turned trunk is along y, then another quarter turn.
    np.testing.assert_allclose(poses[2, :3, 3], [0, 0.01, 1.2], atol=1e-15)
    np.testing.assert_allclose(poses[2, :3, 0], [-1, 0, 0], atol=1e-15)
    lifted = machine.landmark(machine.vector({"lift": 0.1}, zero), "lift")
    np.testing.assert_allclose(lifted[:3, 3], [0, 0.1, 1.2], atol=1e-15)


def test_tables_agree_with_chains_built_in_python() -> None:
    from articulata.kinematics.chain import Chain

    machine = made()
    rng = np.random.default_rng(3)
    q = rng.uniform(-1, 1, (20, machine.dof))
    hip = machine.landmark(q, "hip turn")
    shift = np.eye(4)
    shift[1, 3] = 0.3
    rows = [
        DH(d=0.02, a=0.005, alpha=math.pi / 2, theta=math.radians(30)),
        DH(kind=PRISMATIC, a=0.007, alpha=-math.pi / 2),
    ]
    arm = Chain.modified_dh(rows)
    expected = hip @ shift @ arm.tip(q[:, 3:5])
    np.testing.assert_allclose(machine.landmark(q, "slide"), expected, atol=1e-14)
    turned = np.eye(4)
    finger = -2 * q[:, 3] + math.radians(5)
    end = expected @ _z(0.04) @ _turns_z(finger)
    turned[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    np.testing.assert_allclose(
        machine.landmark(q, "arm's end"), end @ _z(0.009) @ turned, atol=1e-14
    )


def _z(d: float) -> np.ndarray:
    X = np.eye(4)
    X[2, 3] = d
    return X


def _turns_z(angle: np.ndarray) -> np.ndarray:
    X = np.zeros((len(angle), 4, 4))
    X[:] = np.eye(4)
    X[:, 0, 0] = X[:, 1, 1] = np.cos(angle)
    X[:, 1, 0], X[:, 0, 1] = np.sin(angle), -np.sin(angle)
    return X


def test_x_axis_rows_turn_about_x_and_then_go_on() -> None:
    machine = made()
    q = machine.vector({"pan": 0.7, "tilt": -0.4})
    c, s = math.cos(0.7), math.sin(0.7)
    pan = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    at = np.array([1.012, 0.04943, 0.8048])
    np.testing.assert_allclose(machine.landmark(q, "pan")[:3, 3], pan @ at, atol=1e-15)
    c, s = math.cos(-0.4), math.sin(-0.4)
    tilt = pan @ [[0, -1, 0], [1, 0, 0], [0, 0, 1]] @ [[1, 0, 0], [0, c, -s], [0, s, c]]
    np.testing.assert_allclose(machine.landmark(q, "tilt")[:3, :3], tilt, atol=1e-15)


def test_chains_run_between_joints() -> None:
    machine = made()
    assert machine.chain("hip to elbow").names == ("hip turn", "lift", "bow", "elbow")
    assert machine.posture("bent")[:2].tolist() == [math.radians(45), 0.03]


def test_sensors_sit_on_links() -> None:
    machine = made()
    q = machine.posture("bent")
    expected = machine.landmark(q, "lift") @ _z(0.07)
    np.testing.assert_allclose(machine.landmark(q, "tracker"), expected, atol=1e-15)


def test_a_figure_scaled_in_a_world_grows_with_all_it_has() -> None:
    text = TABLES + "world big { components { one: machine; two: machine scaled 2 } }"
    world = parse(text).world("big")
    one, two = figure_of(world, "one"), figure_of(world, "two")
    q = one.neutral
    twice = q * np.where([joint.kind == PRISMATIC for joint in _free(one)], 2.0, 1.0)
    np.testing.assert_allclose(two.poses(twice)[:, :3, 3], 2.0 * one.poses(q)[:, :3, 3], atol=1e-14)
    small, large = one.links["hip turn"], two.links["hip turn"]
    assert large.mass == 8.0 * small.mass
    np.testing.assert_allclose(large.inertia, 32.0 * small.inertia)
    assert large.visuals[0].shape.radius == 2.0 * small.visuals[0].shape.radius  # type: ignore[union-attr] # a capsule, as the text says
    assert large.visuals[0].X_LS[2, 3] == 2.0 * small.visuals[0].X_LS[2, 3]


def _free(one: Figure) -> list[Joint]:
    return [one.joints[i] for i in one.free]


def test_text_is_a_fixed_point_and_a_world_writes_it() -> None:
    document = parse(TABLES)
    once = print_file(document.tree)
    assert print_file(parse(once).tree) == once
    world = document.figure_world()
    again = parse(art_text(world)).world("machine_alone")
    np.testing.assert_allclose(figure_of(again).up, (0.0, 0.6, 0.8), rtol=0, atol=1e-15)
    assert again.figures == world.figures
    np.testing.assert_array_equal(
        figure_of(again).poses(np.full(8, 0.3)), figure_of(world).poses(np.full(8, 0.3))
    )


HINGES = """
primitive block { properties: (density: 1000)
  geometry: cuboid(0.1, 0.4, 0.1) where { high: (0, 0.2, 0); low: (0, -0.2, 0) }
  dynamics }
primitive base { geometry: cuboid(1, 0.2, 1) where { high: (0, 0.1, 0) } }
figure crane {
  components { foot: base; a, b, c, d: block }
  structure {
    place foot by foot.center at (0, 1, 0), properties: (fixed)
    join a to foot with universal as hip matching (low, high)
    join a to b with pin(axis: x) as knee matching (high, low) limits (-1, 2)
    join c to b with ball as ankle matching (low, high)
    join d to c with slider(axis: y) as rail matching (low, high)
  }
  chain leg: from foot to d.high
  posture up { knee: 0.5; rail: 0.25 }
  landmarks { top: d.high; floor: foot.center at (0, -1, 0) }
}
"""


def test_hinges_become_joints() -> None:
    crane = made(HINGES)
    assert crane.names == (
        "hip.x", "hip.z", "knee", "ankle.x", "ankle.y", "ankle.z", "rail",
    )  # fmt: skip
    assert crane.joints[2].limits == (-1.0, 2.0)
    assert crane.mass == pytest.approx(16.0)
    zero = np.zeros(crane.dof)
    assert crane.landmark(zero, "top")[:3, 3] == pytest.approx([0, 1.1 + 1.2 + 0.4, 0])
    assert crane.landmark(zero, "floor")[:3, 3] == pytest.approx([0, 0, 0])
    raised = crane.posture("up")
    assert crane.chain("leg").names == crane.names
    assert crane.chain("leg").tip(raised) == pytest.approx(crane.landmark(raised, "top"))


WALKER = """
primitive plate { properties: (density: 500); geometry: prism(6, 12 cm, 5 cm); dynamics }
primitive bar(length: length = 10 cm) { properties: (density: 700)
  geometry: cuboid(length, 2 cm, 2 cm) where { near: (-length/2, 0, 0); far: (length/2, 0, 0) }
  dynamics }
composite limb {
  components hip: bar(6 cm); thigh: bar(14 cm)
  structure { join thigh to hip with pin(axis: y) as knee matching (near, far) }
}
figure walker {
  components { trunk: plate; leg[1..6]: limb }
  structure { for i in 1..6 {
    join leg[i].hip to trunk with pin(axis: z) matching (near, center) } }
}
world field { gravity: (0, 0, -9.81); components { it: walker } }
"""


def test_a_figure_of_composites_names_joints_and_links_by_their_path() -> None:
    walker = figure(parse(WALKER).world("field"))
    assert walker.dof == 12
    assert walker.names[-1] == "leg[6].knee"
    names = {link.name for link in walker.links.values()}
    assert {"leg[1].hip", "leg[6].thigh"} < names
    assert len(names) == 12
    assert walker.root.name == "trunk"


def test_hinge_values_are_those_of_the_assembled_world() -> None:
    text = HINGES.replace("(fixed)", "(fixed), knee.angle = 0.7")
    text = text.replace("universal as hip", "pin(axis: z) as hip").replace("ball as", "weld as")
    text = text.replace("knee.angle = 0.7", "knee.angle = 0.7, hip.angle = -0.3, rail.travel = 0.2")
    world = assemble(parse(text).figure_world())
    crane = figure_of(world)
    q = crane.vector({"knee": 0.7, "hip": -0.3, "rail": 0.2})
    for joint, body in (("hip", "a"), ("knee", "b"), ("ankle", "c"), ("rail", "d")):
        X_WB = world.bodies[f"crane.{body}"].pose.matrix()
        np.testing.assert_allclose(crane.landmark(q, joint), X_WB, atol=1e-9)


def test_a_loop_is_named() -> None:
    looped = HINGES.replace(
        "join d to c", "join d to foot with weld as back matching (low, high)\n join d to c"
    )
    with pytest.raises(KinematicsError, match=r"hinge 'crane\.\w+' closes a loop in figure"):
        made(looped)


def test_a_body_that_hangs_on_nothing_is_named() -> None:
    apart = HINGES.replace("join a to foot with universal as hip matching (low, high)", "")
    with pytest.raises(KinematicsError, match=r"no hinge leads from 'crane.foot' to 'crane.a'"):
        made(apart)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("on bow {", "on bov {", "bov"),
        ("up: (0, 3, 4)", "up: 3", "direction"),
        ("table at (0, 0, 1000)", "table on elbow at (0, 0, 1)", "'elbow' comes further down"),
        ("mimic: shoulder", "mimic: sholder", "no joint 'sholder' in a table"),
        ('from "hip turn" to elbow', 'from "hip turn" to elbo', "elbo"),
        ("fixed(d: 40)", "fixed(d: 40) at (1, 2, 3)", "has its place by theta, d, a and alpha"),
        ("elbow: (-10, 20)", "elbo: (-10, 20)", "no joint 'elbo'"),
        ("lift: (1, 2)", "lift: (2, 1)", "larger than the highest"),
        ("gear: -105", "gears: -105", "takes no 'gears'"),
        ("fixed(d: 40)", "fixd(d: 40)", "no joint 'fixd'"),
        ("pan: revolute", "lift: revolute", "there is a joint 'lift' already"),
    ],
)
def test_slips_in_a_figure_are_found(old: str, new: str, message: str) -> None:
    assert old in TABLES
    findings = [
        each for each in parse(TABLES.replace(old, new)).check() if each.severity == "error"
    ]
    assert len(findings) == 1, findings
    assert message in findings[0].message
    with pytest.raises(WorldError):
        figure(parse(TABLES.replace(old, new)))


def test_the_library_lists_its_figures_and_knows_near_names() -> None:
    listed = figures()
    assert listed["planar_4_2_1"].startswith("Three joints in a plane")
    assert all(listed.values()), "a figure without a line about it"
    arm = figure("planar_4_2_1")
    assert arm.about == listed["planar_4_2_1"]
    with pytest.raises(NameNotFound, match="did you mean 'planar_4_2_1'"):
        figure("planar_421")
    with pytest.raises(WorldError, match="no figure 'arm'"):
        figure(parse(TABLES), "arm")


def test_a_figure_knows_the_unit_its_text_writes_in() -> None:
    assert (made().unit, made().unit_size) == ("mm", 0.001)
    assert (figure("otmani_2009").unit, figure("jack").unit) == ("cm", "m")


@pytest.mark.parametrize("source", [3, None, ("jack",)])
def test_what_is_no_source_of_a_figure_is_refused(source: object) -> None:
    with pytest.raises(NameNotFound, match="a figure comes from a name of the library"):
        figure(source)  # type: ignore[arg-type] # wrong on purpose


def test_a_world_with_several_figures_wants_a_name() -> None:
    world = parse(TABLES + "world pair { components { one, two: machine } }").world("pair")
    assert figure(world, "two").name == "machine"
    with pytest.raises(NameNotFound, match="2 figures; name one"):
        figure(world)
    with pytest.raises(NameNotFound, match="did you mean 'two'"):
        figure(world, "tow")


PAIR = """
primitive block {{ properties: (density: 1000)
  geometry: cuboid(0.1, 0.4, 0.2) where {{
    frame grip: (0.01, 0.2, 0.03) turned 20 deg about x turned 35 deg about z
    frame foot: (0, -0.2, 0.02) turned -50 deg about y
  }}
  dynamics }}
figure pair {{
  components {{ one, two: block }}
  structure {{
    place {still} by {still}.center at (0.3, -0.2, 0.5) turned 25 deg about y, properties: (fixed)
    join two to one with {hinge} as h matching (foot, grip)
  }}
}}
"""


def gap(row: PointOnSurface, X_BA: np.ndarray) -> float:
    """Return by how much a point of A misses its surface on B; poses of the hinge's frames."""
    p = X_BA[:3, :3] @ row.point + X_BA[:3, 3]
    surface = row.surface
    if isinstance(surface, Plane):
        return float(np.dot(surface.normal, p - surface.point))
    assert isinstance(surface, Helicoid)
    return float(p[2] - surface.lead * math.atan2(p[1], p[0]) / math.tau)


@pytest.mark.parametrize("still", ["one", "two"])
@pytest.mark.parametrize(
    ("hinge", "names"),
    [
        ("pin(axis: y)", ("h",)),
        ("slider(axis: x)", ("h",)),
        ("cylindrical(axis: z)", ("h.angle", "h.travel")),
        ("universal", ("h.x", "h.z")),
        ("ball", ("h.x", "h.y", "h.z")),
        ("planar(normal: z)", ("h.x", "h.y", "h.z")),
        ("screw(lead: 0.3)", ("h",)),
    ],
)
def test_joints_of_every_hinge_keep_its_rows(
    hinge: str, names: tuple[str, ...], still: str
) -> None:
    """Whichever body stands still, and for any values of the joints."""
    document = parse(PAIR.format(hinge=hinge, still=still))
    assert [each for each in document.check() if each.severity == "error"] == []
    world = document.figure_world()
    pair = figure_of(world)
    assert set(pair.names) == set(names)
    (one,) = world.hinges.values()
    rng = np.random.default_rng(6)
    moved = set()
    for q in rng.uniform(-1.5, 1.5, (20, pair.dof)):
        X_WB, X_WA = pair.base, pair.poses(q)[-1]
        if still == "two":
            X_WB, X_WA = X_WA, X_WB
        H_B, H_A = X_WB @ one.frame_b.matrix(), X_WA @ one.frame_a.matrix()
        X_BA = np.linalg.inv(H_B) @ H_A
        for row in one.kind.rows:
            assert gap(row, X_BA) == pytest.approx(0.0, abs=1e-14)
        moved.add(X_BA.round(6).tobytes())
        # The values are those of the hinge, whichever body stands still.
        named = pair.named(q)
        if hinge.startswith(("pin", "screw")):
            assert math.atan2(X_BA[1, 0], X_BA[0, 0]) == pytest.approx(named["h"])
        elif hinge.startswith("slider"):
            assert X_BA[2, 3] == pytest.approx(named["h"])
        elif hinge.startswith("cylindrical"):
            assert X_BA[2, 3] == pytest.approx(named["h.travel"])
        elif hinge.startswith("planar"):
            assert X_BA[:2, 3] == pytest.approx([named["h.x"], named["h.y"]])
        elif hinge == "ball":
            # Turns about x, y and z, each axis carried by the turn before.
            a, b, c = (named[f"h.{axis}"] for axis in "xyz")
            wanted = Rotation.from_euler("XYZ", [a, b, c]).to_matrix()
            np.testing.assert_allclose(X_BA[:3, :3], wanted, atol=1e-14)
    assert len(moved) == 20


def test_sensors_are_told_apart_from_landmarks_and_from_each_other() -> None:
    text = """figure f {
      chain c: plain table { a: revolute(axis: z); b: revolute(axis: x) }
      sensors { s: a; t: a; hand: b }
      landmarks { hand: b at (0, 0, 1 m) }
    }
    world w { components { one: f } }"""
    found = parse(text).check()
    assert [(each.line, each.column, each.message) for each in found] == [
        (3, 26, "'t' sits where 's' does"),
        (3, 29, "'hand' is a landmark too"),
    ]
    assert all(each.suggestion for each in found)
