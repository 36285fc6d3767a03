"""What is said of figures that a world cannot hold: line, column, words, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import articulata as art

TEXT = """figure arm {
  chain a: plain table { base: fixed(); bend: revolute(axis: y, limits: (-10 deg, 40 deg)) }
  posture up { bend: 30 deg }
  motion go { 0 s: up; 0.6 s: (bend: 10 deg); 0.8 s: up }
  motion nod { 0 s: up; 0.6 s: (bend: 10 deg)
    ease: smooth }
}
world w {
  components { anna: person(1.68 m); other: arm }
  structure {
    place anna by posture = seated, r_elbow_flexion = 30 deg
    other follows go from 1 s
  }
}
"""

ROBOT = '<?xml version="1.0"?>\n'
JOINT = '<link name="a"/>\n<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'

STARTING = """simulate w {
  time: (0.1 s, 1 s)
  domains: (kinematic)
  on time 0.5 s: start other.wave
}"""

MISTAKES = {
    "unknown joint": (
        ("r_elbow_flexion", "elbow"),
        (11, 37, "no joint 'elbow'", "'l_elbow_flexion', 'l_elbow_pronation', 'r_elbow_flexion'"),
    ),
    "value beyond a limit": (
        ("flexion = 30 deg", "flexion = 300 deg"),
        (11, 55, "from 0 deg to 150 deg; 300 deg lies beyond", "write a value from"),
    ),
    "posture of another figure": (
        ("posture = seated", "posture = up"),
        (11, 29, "'person' has no posture 'up'", "use standing, "),
    ),
    "motion of another figure": (
        ("follows go", "follows walk"),
        (12, 19, "'arm' has no motion 'walk'", "use go or nod"),
    ),
    "times that run back": (
        ("0.8 s: up", "0.4 s: up"),
        (4, 47, "the times of motion 'go' run back: 0.4 s after 0.6 s", "in the order of"),
    ),
    "key frame beyond a limit": (
        ("(bend: 10 deg); 0.8", "(bend: 80 deg); 0.8"),
        (4, 38, "from -10 deg to 40 deg; 80 deg lies beyond", "write a value from"),
    ),
    "key frame of a fixed joint": (
        ("(bend: 10 deg); 0.8", "(base: 10 deg); 0.8"),
        (4, 38, "joint 'base' of figure 'arm' is fixed; it takes no value", "take 'base' out"),
    ),
    "place of a fixed joint": (
        ("other follows", "place other by base = 5 deg\n    other follows"),
        (12, 27, "joint 'base' of figure 'arm' is fixed; it takes no value", "take 'base' out"),
    ),
    "ease that there is not": (
        ("ease: smooth", "ease: rapid"),
        (6, 11, "does not go on 'rapid'", "there are smooth, linear, flowing"),
    ),
    "measure out of range": (
        ("person(1.68 m)", "person(4 m)"),
        (9, 29, "'height' of 'person' lies from 0.75 to 2.3 m", "from 0.75 to 2.3 m"),
    ),
    "follows misspelt before a line that has it": (
        ("other follows go from 1 s", "other follow go from 1 s\n    anna follows walk"),
        (12, 11, "'follow' is not a statement", "did you mean 'follows'?"),
    ),
    "link of a figure that there is not": (
        ("other follows go from 1 s", "ignore anna.r_hnad with other"),
        (12, 17, "'anna' has no component 'r_hnad'", "r_hand"),
    ),
    "motion to be started that there is not": (
        ("from 1 s\n  }\n}", f"from 1 s\n  }}\n}}\n{STARTING}"),
        (18, 30, "figure 'other' has no motion 'wave'", "use go or nod"),
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_finding_at_its_place(name: str) -> None:
    (right, wrong), (line, column, words, advice) = MISTAKES[name]
    assert TEXT.count(right) == 1
    assert not art.parse(TEXT).check()
    (finding,) = art.parse(TEXT.replace(right, wrong)).check()
    assert (finding.line, finding.column) == (line, column)
    assert words in finding.message
    assert advice in finding.suggestion


@pytest.mark.parametrize(
    ("joint", "said", "words", "advice"),
    [
        ("base: fixed()", "base: 30 deg", "'base' of figure 'arm' is fixed", "take 'base' out"),
        (
            'base: revolute(axis: y, mimic: "bend")',
            "base: 30 deg",
            "follows 'bend'; it takes no value",
            "give 'bend' a value",
        ),
        (
            "base: revolute(axis: y, limits: (-1, 1))",
            "bend: 90 deg",
            "90 deg lies beyond",
            "write a value from",
        ),
    ],
)
def test_a_key_frame_is_named_whose_posture_no_joint_takes(
    joint: str, said: str, words: str, advice: str
) -> None:
    text = (
        f"figure arm {{ chain a: plain table {{ {joint}; bend: revolute(axis: y, limits: (-1, 1))"
        f" }}\nposture up {{ {said} }}\nmotion go {{\n0 s: up }} }}\n"
        "world w { components { c: arm } }"
    )
    assert not art.parse(text.replace("0 s: up", "0 s: (bend: 0.1)")).check()
    (finding,) = art.parse(text).check()
    assert (finding.line, finding.column) == (4, 6)
    assert words in finding.message
    assert advice in finding.suggestion


@pytest.mark.parametrize(
    ("robot", "line", "words"),
    [
        ('<!DOCTYPE robot [<!ENTITY e "e">]>\n<robot name="&e;"/>', 2, "a document type"),
        (f'<robot name="x">{JOINT}</robot>', 3, "'b'"),
        ('<robot name="x">', 2, "not well-formed XML"),
    ],
)
def test_an_imported_robot_is_refused_with_its_line(
    robot: str, line: int, words: str, tmp_path: Path
) -> None:
    (tmp_path / "arm.urdf").write_text(ROBOT + robot)
    file = tmp_path / "cell.art"
    file.write_text('import "arm.urdf" as arm\nworld w { components { c: arm } }\n')
    (finding,) = art.read(file).check()
    assert (finding.line, finding.column) == (1, 8)
    assert f"arm.urdf:{line}:" in finding.message
    assert words in finding.message
    assert finding.suggestion == "mend that file, or put there what it needs"


def test_a_missing_mesh_of_a_shape_is_named_at_its_place() -> None:
    text = 'primitive cup { geometry: mesh("cup.stl") }\nworld w { components { c: cup } }'
    (finding,) = art.parse(text).check()
    assert (finding.line, finding.column) == (1, 32)
    assert "there is no file 'cup.stl'" in finding.message
    assert "say where it lies" in finding.suggestion
