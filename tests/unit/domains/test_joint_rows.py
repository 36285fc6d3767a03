"""What rows of a figure's tables say of its joints, in runs by forces."""

import numpy as np
import pytest

import articulata as art

TEXT = """
figure arm {
  chain a: plain table {
    base: fixed(mass: 1 kg)
    turn: revolute(axis: z, MOTOR mass: 2 kg, inertia: (0.1, 0.1, 0.1))
    slide: prismatic(axis: z, damping: 4 N*s/m, friction: 1 N,
      mass: 2 kg, inertia: (0.1, 0.1, 0.1)) at (0, 0, 1)
  }
}
world room {
  gravity: (0, 0, 0)
  components { one: arm }
  structure {
    place one by properties: (fixed)
    STATEMENTS
  }
}
"""


def run_of(motor, statements, until, step):
    text = TEXT.replace("MOTOR", motor).replace("STATEMENTS", statements)
    world = art.parse(text).world()
    return world, art.simulate(world, until=until, step=step)


def test_joints_are_damped_as_their_rows_say():
    rates = "place one by one.turn.rate = 1 rad/s, one.slide.rate = 0.3 m/s"
    _, run = run_of("damping: 0.4 N*m*s/rad,", rates, 1.0, 0.25)
    t = run.times
    # 0.2 kg m^2 turn, 2 kg slide
    np.testing.assert_allclose(run.series("one.turn.rate"), np.exp(-2 * t), rtol=1e-9)
    # 1 N of dry friction beside it stops the slide: v' = -2 v - 0.5 until v is 0
    t = np.minimum(t, 0.5 * np.log(0.55 / 0.25))
    np.testing.assert_allclose(
        run.series("one.slide.travel"), 0.275 * (1 - np.exp(-2 * t)) - 0.25 * t, 1e-9, 1e-12
    )
    labels = run.channels["dynamic.energy"].labels
    energy = run.array("dynamic.energy")
    lost = energy[:, labels.index("dissipated.damping")]
    total = energy[:, labels.index("total")]
    np.testing.assert_allclose(total + lost, total[0], rtol=1e-9)
    (stuck,) = [each for each in run.events if each.kind == "stick"]
    assert stuck.who == ("one.slide",)
    assert stuck.time == pytest.approx(t[-1], abs=1e-10)


def test_a_servo_is_as_strong_and_as_fast_as_the_joints_motor():
    motor = "effort: 2 N*m, speed: 3 rad/s,"
    drive = "force drive about one.turn = servo(3 rad, 200 N*m/rad, 8 N*m*s/rad)"
    world, run = run_of(motor, drive, 3.0, 0.05)
    moment, rate = run.series("drive.moment"), run.series("one.turn.rate")
    assert moment[0] == 2.0
    assert np.abs(moment).max() == 2.0
    assert 2.99 < rate.max() < 3.0 + 1e-9
    # it brakes with its whole strength
    assert run.series("drive.saturation").min() == -1.0
    assert run.series("one.turn.angle")[-1] == pytest.approx(3.0, abs=1e-6)
    assert art.parse(art.art_text(world)).world().forces == world.forces


MOTIONS = """
  motion sweep { 0 s: (turn: 0.4 rad); 0.3 s: (turn: -1 rad); 0.6 s: (turn: 0.4 rad); REPEAT }
  motion hold { 0.2 s: (turn: 0.5 rad) }
  motion slip { 0.2 s: (slide: 5 cm) }
}
world room {"""


@pytest.mark.parametrize(
    ("motion", "said", "ends"),
    [
        ("sweep", "repeat 2", 0.4),
        ("sweep", "ease: linear", 0.4),
        ("hold", "", 0.5),
    ],
)
def test_servos_follow_a_motion(motion, said, ends):
    text = TEXT.replace("}\nworld room {", MOTIONS.replace("REPEAT", said), 1)
    text = (
        text.replace("MOTOR", "")
        .replace("motion slip { 0.2 s: (slide: 5 cm) }", "")
        .replace("slide: prismatic(axis: z, damping: 4 N*s/m, friction: 1 N,", "slide: fixed(")
    )
    drive = f"one follows {motion} from 0.1 s by servo(20 kN*m/rad, 900 N*m*s/rad)"
    world = art.parse(text.replace("STATEMENTS", drive)).world()
    run = art.simulate(world, until=1.4, step=0.1)
    guided = art.parse(text.replace("STATEMENTS", drive.partition(" by ")[0])).world()
    wanted = art.simulate(guided, until=1.4, step=0.1, domains=("geometric", "kinematic"))
    found, asked = run.series("one.turn.angle"), wanted.series("one.turn.angle")
    blended = run.times > 0.45
    np.testing.assert_allclose(
        found[blended], asked[blended], atol=0.02 if said == "ease: linear" else 2e-3
    )
    assert np.ptp(found) > 0.3
    assert found[-1] == pytest.approx(ends, abs=1e-4)
    assert art.parse(art.art_text(world)).world("room").forces == world.forces


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("one follows slip by servo(9 N*m/rad)", "joint 'slide' slides"),
        ("one follows hold at (1, 0, 0) by servo(9 N*m/rad)", "do not put a figure somewhere"),
        ("one follows hold by pid(3)", "a servo is due after 'by'"),
        ("one follows hold by servo()", "'servo' lacks 'stiffness'"),
    ],
)
def test_what_servos_do_not_follow(said, words):
    text = TEXT.replace("}\nworld room {", MOTIONS.replace("REPEAT", ""), 1).replace("MOTOR", "")
    with pytest.raises(art.WorldError, match=words):
        art.parse(text.replace("STATEMENTS", said)).world()


def test_a_slide_that_a_motion_does_not_move_is_left_to_others() -> None:
    text = TEXT.replace("}\nworld room {", MOTIONS.replace("REPEAT", ""), 1).replace("MOTOR", "")
    text = text.replace("STATEMENTS", "one follows hold by servo(9 N*m/rad)")
    assert list(art.parse(text).world().forces) == ["one_turn_servo"]


def test_a_limit_of_the_text_replaces_the_effort_of_the_row():
    drive = "force drive about one.turn = servo(3 rad, 200 N*m/rad, 8 N*m*s/rad, limit: 0.5 N*m)"
    world, _ = run_of("effort: 2 N*m,", drive, 0.01, 0.01)
    assert world.forces["drive"].bounds == (-0.5, 0.5)


HEAVY = (
    TEXT.replace("gravity: (0, 0, 0)", "gravity: (0, -9.81, 0)")
    .replace("figure arm {", "figure arm {\n  up: none")
    .replace("MOTOR mass: 2 kg,", "MOTOR mass: 2 kg, center: (0.3, 0, 0),")
)
DRIVEN = "one.turn driven by motor(speed: 0.5 rad/s)\n    one.slide driven by motor(force: 5 N)"


def test_motors_drive_joints_as_they_do_hinges_of_joins():
    text = HEAVY.replace("STATEMENTS", f"place one by one.turn.rate = 0.5 rad/s\n    {DRIVEN}")
    world = art.parse(text.replace("MOTOR", "effort: 8 N*m,")).world()
    run = art.simulate(world, until=1.0, step=0.25)
    t = run.times
    np.testing.assert_allclose(run.series("one.turn.angle"), 0.5 * t, atol=1e-9)
    np.testing.assert_allclose(
        run.series("one.turn.motor.torque"), 2 * 9.81 * 0.3 * np.cos(0.5 * t), atol=1e-6
    )
    # 5 N less 1 N of friction on 2 kg with 4 N s/m
    np.testing.assert_allclose(run.series("one.slide.rate"), 1 - np.exp(-2 * t), atol=1e-9)
    assert art.parse(art.art_text(world)).world("room").couplings == world.couplings
    node = art.parse(text.replace("MOTOR", ""))
    assert "\n    one.turn driven by motor(speed: 0.5 rad/s)\n" in node.text


def test_the_row_of_a_joint_limits_its_motor_where_the_text_does_not():
    text = HEAVY.replace("MOTOR", "effort: 4 N*m,")
    world = art.parse(text.replace("STATEMENTS", DRIVEN)).world()
    assert world.couplings["one.turn.motor"].limit == 4.0
    # the weight takes 5.9 N m
    assert art.simulate(world, until=0.2, step=0.1).series("one.turn.angle")[-1] < 0.0
    own = "one.turn driven by motor(speed: 0.5 rad/s, limit: 7 N*m)"
    assert art.parse(text.replace("STATEMENTS", own)).world().couplings["one.turn.motor"].limit == 7


SERVO = "force drive about one.turn = servo(0 rad, 200 N*m/rad, 8 N*m*s/rad)"


@pytest.mark.parametrize(
    ("drive", "warned"),
    [
        (DRIVEN, True),
        (SERVO, True),
        ("one.turn driven by motor(speed: 0.5 rad/s, limit: 7 N*m)", False),
        ("one.turn driven by motor(torque: 7 N*m)", False),
        (SERVO.replace("rad)", "rad, limit: 7 N*m)"), False),
    ],
)
def test_an_effort_of_0_is_none_that_is_known_and_told(drive: str, warned: bool) -> None:
    """Exporters of CAD write 0 for what nobody gave; MuJoCo too takes it as no limit."""
    text = HEAVY.replace("MOTOR", "effort: 0 N*m,").replace("STATEMENTS", drive)
    found = art.parse(text).check()
    assert [each.severity for each in found] == ["warning"] * warned
    if warned:
        assert "the effort of this joint is 0" in found[0].message
        run = art.simulate(art.parse(text).world(), until=0.2, step=0.1)
        assert abs(run.series("one.turn.angle")[-1]) < 0.11  # it does not fall by 0.2 rad


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("one.elbow driven by motor(speed: 1 rad/s)", "elbow"),
        ("one driven by motor(speed: 1 rad/s)", "'one' is a component, not a hinge"),
        ("one.turn driven by motor(pace: 1 rad/s)", "'pace'"),
        ("one.turn driven by motor(speed: 1 m/s)", "speed"),
        ("one.slide driven by motor(torque: 1 N*m)", "torque"),
        (f"{DRIVEN}\n    one.turn driven by swing", "'one.turn' is driven already"),
        ("drive one.turn by motor(speed: 1 rad/s)", r"write one.turn driven by motor\(speed: 1"),
    ],
)
def test_what_does_not_drive_a_joint(said, words):
    with pytest.raises(art.WorldError, match=words):
        art.parse(HEAVY.replace("MOTOR", "").replace("STATEMENTS", said)).world()


def test_a_controller_drives_a_joint():
    text = HEAVY.replace("MOTOR", "").replace("STATEMENTS", "one.slide driven by push")
    world = art.parse(text).world()
    run = art.simulate(world, until=1.0, step=0.25, controllers={"push": lambda *_: 5.0})
    np.testing.assert_allclose(run.series("one.slide.rate"), 1 - np.exp(-2 * run.times), atol=1e-6)
    assert art.parse(art.art_text(world)).world("room").drives.keys() == world.drives.keys()
