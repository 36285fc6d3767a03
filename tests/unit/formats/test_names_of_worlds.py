"""Names that foreign worlds bring are words of the language as often as not: each text reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import articulata as art
from articulata.formats.scenes.scene_files import scene_of
from articulata.world.language import vocabulary
from articulata.world.language.syntax import grammar


def words_in(value: object) -> Iterator[str]:
    for each in value if isinstance(value, dict | set | frozenset | tuple) else ():
        yield from re.findall(r"[A-Za-z_]\w*", each) if isinstance(each, str) else words_in(each)


TABLES = [{**vars(grammar)}, {**vars(vocabulary)}]
WORDS = sorted(
    {w for table in TABLES for name, value in table.items() if name.isupper()
     for w in words_in(value)} | {"units", "hinge", "on", "from", "as", "frame", "person"}
)  # fmt: skip
THING = '<body pos="{n} 0 0"><joint name="{w}" {more}/><geom size=".1"/></body>'
ENDS = '<body><freejoint/><geom size="1"/><site name="{a}"/></body><site name="{b}" pos="0 0 2"/>'
TWO = '<body name="{a}"><freejoint/><geom size="1"/></body>'
LINK = (
    "<link name='{w}'><inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='{w}' type='revolute'><parent link='base'/><child link='{w}'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
)
ROLES = {
    "body": '<body name="{w}" pos="{n} 0 0"><freejoint/><geom size=".1"/></body>',
    "pin": THING.replace("{more}", 'stiffness="1" frictionloss="1"'),
    "slide": THING.replace("{more}", 'type="slide" stiffness="1" armature=".1"'),
    "geom": '<geom name="{w}" type="box" size=".1 .1 .1" pos="{n} 0 0"/>',
    "site": '<site name="{w}" pos="{n} 0 0"/>',
    "camera": '<camera name="{w}" pos="{n} 0 0"/>',
}


def model(role: str) -> str:
    """Return a model in which every word is the name of something in that role."""
    if role == "urdf":
        links = "".join(LINK.format(w=each) for each in WORDS)
        return f"<robot name='m'><link name='base'/>{links}</robot>"
    if role == "spring":
        ties = "".join(
            f'<spatial name="{w}" stiffness="1"><site site="a_"/><site site="b_"/></spatial>'
            for w in WORDS
        )
        world, more = ENDS.format(a="a_", b="b_"), f"<tendon>{ties}</tendon>"
    elif role == "weld":
        ties = "".join(f'<weld name="{w}" body1="a_" body2="b_"/>' for w in WORDS)
        world, more = TWO.format(a="a_") + TWO.format(a="b_"), f"<equality>{ties}</equality>"
    elif role == "gear":
        world = "".join(THING.format(w=f"j{n}", n=n, more="") for n in range(len(WORDS) + 1))
        ties = "".join(
            f'<joint name="{w}" joint1="j{n}" joint2="j{n + 1}"/>' for n, w in enumerate(WORDS)
        )
        more = f"<equality>{ties}</equality>"
    else:
        known = [each for each in WORDS if (role, each) != ("body", "world")]  # MuJoCo's own
        world = "".join(ROLES[role].format(w=w, n=n) for n, w in enumerate(known))
        more = ""
    return f"<mujoco><worldbody>{world}<geom size='1'/></worldbody>{more}</mujoco>"


@pytest.mark.parametrize("role", [*ROLES, "spring", "weld", "gear", "urdf"])
def test_every_word_of_the_language_may_name_a_thing(tmp_path: Path, role: str) -> None:
    file = tmp_path / ("m.urdf" if role == "urdf" else "m.xml")
    file.write_text(model(role))
    assert art.read(file).check(starts=False) == ()
    if role in ("geom", "body"):
        named = {each.name for each in scene_of(file).parts}
        assert {"end_", "joint", "link"} <= named


@pytest.mark.parametrize("word", sorted(grammar.RESERVED))
def test_every_reserved_word_may_name_a_file(tmp_path: Path, word: str) -> None:
    (tmp_path / f"{word}.xml").write_text(model("weld").partition("<equality>")[0] + "</mujoco>")
    (tmp_path / f"{word}.urdf").write_text(
        f"<robot name='{word}'><link name='base'/>{LINK.format(w=word)}</robot>"
    )
    for ending in ("xml", "urdf"):
        assert art.read(tmp_path / f"{word}.{ending}").check(starts=False) == ()
    text = f'import "{word}.xml" as thing\nworld w {{ components {{ a: thing }} structure {{\n'
    (tmp_path / "own.art").write_text(f"{text}  place a by a.a_.origin at (0, 0, 0)\n}} }}\n")
    assert art.read(tmp_path / "own.art").check(starts=False) == ()
