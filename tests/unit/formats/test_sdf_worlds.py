"""Worlds of SDFormat: where things stand, on what they move, and what is named or refused.

``POSES`` and ``ALPHAS`` are those of Drake 1.58 (its parser of SDFormat, its multibody plant).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import articulata as art
from articulata.errors import FormatError
from articulata.formats.scenes.foreign_scene import Scene
from articulata.formats.scenes.scene_files import scene_of
from articulata.formats.sdf import local_files
from articulata.geometry.shapes import Mesh, Placed
from articulata.sessions.converting import convert

PENDULUM = """<?xml version="1.0"?>
<sdf version="1.9">
  <model name="pendulum">
    <pose>9 9 9 0 0 0</pose>
    <link name="base"><pose>0 0 1 0 0 0</pose>
      <inertial><mass>5</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>
      <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
    </link>
    <frame name="hook" attached_to="base"><pose>0 0.1 0 0.3 0 0</pose></frame>
    <frame name="mount"><pose relative_to="hook">0.05 0 0.02 0 0.4 0.1</pose></frame>
    <link name="arm"><pose relative_to="shoulder">0 0 -0.5 0 0 0.2</pose>
      <inertial><pose>0.01 0.02 -0.1 0.1 0.2 0.3</pose><mass>2</mass><inertia>
        <ixx>0.02</ixx><ixy>0.001</ixy><ixz>-0.002</ixz><iyy>0.03</iyy><iyz>0.003</iyz>
        <izz>0.025</izz></inertia></inertial>
      <visual name="v"><geometry><cylinder><radius>0.03</radius><length>1</length></cylinder>
        </geometry><material><diffuse>1 0 0 1</diffuse></material></visual>
    </link>
    <joint name="shoulder" type="revolute">
      <pose relative_to="mount">0 0 0 0 0 0.5</pose>
      <parent>base</parent><child>arm</child>
      <axis><xyz expressed_in="__model__">0 1 0.5</xyz>
        <limit><lower>-2</lower><upper>2.5</upper></limit>
        <dynamics><damping>0.3</damping></dynamics></axis>
    </joint>
    <model name="tool" placement_frame="grip">
      <pose relative_to="arm">0 0 -0.5 0 0 0</pose>
      <link name="blade"><pose>0.1 0 0 0 0 1</pose>
        <inertial><mass>0.7</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.004</izz></inertia>
        </inertial>
        <collision name="c"><geometry><sphere><radius>.05</radius></sphere></geometry></collision>
      </link>
      <frame name="grip" attached_to="blade"><pose>0 0 0.2 0.3 0 0</pose></frame>
    </model>
    <joint name="wrist" type="universal">
      <pose relative_to="tool::grip">0 0 0.05 0 0 0</pose>
      <parent>arm</parent><child>tool::blade</child>
      <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>
    </joint>
  </model>
</sdf>
"""
WORLD = """<sdf version="1.10"><world name="w">
  <gravity>0.2 0.1 -9.7</gravity>
  <frame name="desk"><pose degrees="true">1 2 0.5 0 0 90</pose></frame>
  <model name="ground"><static>true</static><pose>0 0 -50 0 0 0</pose><link name="l">
    <collision name="c"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>
  </link></model>
  <include><uri>model://pendulum/model.sdf</uri><name>left</name>
    <pose relative_to="desk">0 0.3 0 0 0 0.4</pose></include>
  <include><uri>model://pendulum</uri><name>right</name><placement_frame>hook</placement_frame>
    <pose relative_to="left::arm">3 0 0 0.1 0.2 0.3</pose></include>
  <joint name="bolt" type="fixed"><parent>world</parent><child>left::base</child></joint>
</world></sdf>
"""


def opened(tmp_path: Path, text: str) -> Scene:
    (tmp_path / "pendulum").mkdir(exist_ok=True)
    (tmp_path / "pendulum" / "model.sdf").write_text(PENDULUM)
    (tmp_path / "w.sdf").write_text(text)
    return scene_of(tmp_path / "w.sdf")


def of_link(inside: str, version: str = "1.9") -> str:
    weight = "<inertial><mass>2</mass></inertial>"
    return (
        f'<sdf version="{version}"><model name="m"><link name="a">{weight}</link>'
        f'<link name="b">{weight}<pose>1 0 0 0 0 0</pose></link>{inside}</model></sdf>'
    )


def joint(kind: str, inside: str = "", ends: Sequence[str] = "ab", name: str = "j") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent>{ends[0]}</parent><child>{ends[1]}</child>'
        f"{inside}</joint>"
    )


def stands(model: ElementTree.Element, name: str) -> Any:
    """Resolve a name straight by the rules: rotation and place in the model."""
    head, _, rest = name.partition("::")
    element = next(e for e in model if e.get("name") == head and e.tag != "world")
    pose = element.find("pose")
    told = None if pose is None else pose.get("relative_to")
    usual = element.get("attached_to") or (
        element.findtext("child") if element.tag == "joint" else ""
    )
    x = np.array(((pose is not None and pose.text) or "0 0 0 0 0 0").split(), float)
    R, p = Rotation.from_euler("xyz", x[3:]), x[:3]
    if by := element.get("placement_frame"):
        S, q = stands(element, by)
        R, p = R * S.inv(), p - (R * S.inv()).apply(q)
    if on := told or usual:
        S, q = stands(model, on)
        R, p = S * R, S.apply(p) + q
    if rest:
        S, q = stands(element, rest)
        R, p = R * S, R.apply(q) + p
    return R, p


@pytest.mark.parametrize("name", ["base", "arm", "tool::blade"])
def test_poses_follow_the_rules_of_relative_to(tmp_path: Path, name: str) -> None:
    (tmp_path / "p.sdf").write_text(PENDULUM)
    part = next(e for e in scene_of(tmp_path / "p.sdf").parts if e.name == name.split("::")[0])
    model = ElementTree.fromstring(PENDULUM).find("model")
    assert model is not None
    R, p = stands(model, name)
    assert part.X_WP[:3, :3] == pytest.approx(R.as_matrix(), abs=1e-14)
    assert part.X_WP[:3, 3] == pytest.approx(p + 9.0, abs=1e-14)


POSES = {
    "left_base": [
        -0.38941834230865,
        -0.92106099400289,
        0.0,
        0.7,
        0.92106099400289,
        -0.38941834230865,
        0.0,
        2.0,
        0.0,
        0.0,
        1.0,
        1.5,
    ],
    "left_arm": [
        -0.95490152068797,
        -0.28958367672671,
        0.06560777363417,
        0.5610629393731,
        0.28746878842513,
        -0.84633422232412,
        0.44841953548481,
        1.78520306750681,
        -0.07432887372468,
        0.44705668353852,
        0.8914121046039,
        1.07340067748056,
    ],
    "left_tool": [
        -0.95490152068797,
        -0.29603827585514,
        -0.02290032786901,
        0.53283911812982,
        0.28746878842513,
        -0.94105099837943,
        0.1782826803996,
        1.52533676368448,
        -0.07432887372468,
        0.16365927311887,
        0.983712793885,
        0.43095206640161,
    ],
    "right_base": [
        -0.9909741781987,
        0.03204177656968,
        -0.13016721053196,
        -2.30684580034779,
        -0.06505542889849,
        -0.96395576111349,
        0.25798659226199,
        2.74400500889356,
        -0.11720908375313,
        0.26412613496278,
        0.95733975970675,
        0.82400144281023,
    ],
    "right_arm": [
        -0.59661661369371,
        0.6216526852598,
        -0.50753970797755,
        -2.10209692717883,
        -0.80050244899264,
        -0.41609829270948,
        0.43134445627717,
        2.43931108141929,
        0.0569600335449,
        0.66363404803667,
        0.74588565133338,
        0.48834131635116,
    ],
    "right_tool": [
        -0.59661661369371,
        0.74387573318196,
        -0.30116027269155,
        -1.78809501865175,
        -0.80050244899264,
        -0.52498488494948,
        0.28911364501069,
        2.16581612427857,
        0.0569600335449,
        0.4135695396878,
        0.9086890504573,
        -0.06633931940699,
    ],
}
ALPHAS = {
    "left_base": [0.0, 0.0, 0.0],
    "left_arm": [4.00678434933895, 1.69404125184671, -2.17509175582697],
    "left_tool": [-2.41825909045119, -6.6014788089073, -22.04140971693698],
    "right_base": [0.0, 0.0, 0.0],
    "right_arm": [0.0, 0.0, 0.0],
    "right_tool": [0.0, 0.0, 0.0],
}


def test_a_world_stands_and_accelerates_as_in_drake(tmp_path: Path) -> None:
    scene = opened(tmp_path, WORLD)
    assert not scene.lost
    assert [each.name for each in scene.parts] == ["ground", *POSES]
    document = art.read(tmp_path / "w.sdf")
    assert document.check() == ()
    world = document.world()
    assert np.array(world.hinges["left_shoulder"].limits).tolist() == [[-2.0, 2.5]]
    assert world.hinges["left_wrist"].kind.name == "universal"
    assert world.bodies["left_arm"].color == pytest.approx((1, 0, 0))
    run = art.simulate(world, until=0.002, step=0.001)
    for part in scene.parts[1:]:
        assert part.X_WP[:3].ravel() == pytest.approx(POSES[part.name], abs=1e-12), part.name
        alpha = run.series(f"{part.name}.alpha")[0] if part.mass else np.zeros(3)
        assert alpha == pytest.approx(ALPHAS[part.name], abs=1e-9), part.name


def test_frames_are_features_of_what_carries_them(tmp_path: Path) -> None:
    frames = (
        '<frame name="hook" attached_to="b"><pose>0 0 0.5 0 0 0</pose></frame>'
        '<frame name="tip"><pose relative_to="hook">0.2 0 0 0 0 0</pose></frame>'
    )
    (tmp_path / "w.sdf").write_text(of_link(frames))
    world = art.read(tmp_path / "w.sdf").world()
    # a frame that says nothing is fixed to the model's first link
    for id, name, place in (("b", "hook", (1, 0, 0.5)), ("a", "tip", (1.2, 0, 0.5))):
        feature, X = world.bodies[id].features[name], world.bodies[id].pose.matrix()
        found = (X @ feature.pose.matrix())[:3, 3]
        assert found == pytest.approx(place, abs=1e-12)


def test_a_damped_pendulum_swings_by_its_closed_form(tmp_path: Path) -> None:
    text = of_link(
        joint("revolute", "<pose>-1 0 0 0 0 0</pose><axis><xyz>0 1 0</xyz><dynamics>"
        "<damping>0.4</damping><spring_stiffness>3</spring_stiffness>"
        "<spring_reference>0.2</spring_reference></dynamics></axis>")
        + joint("fixed", ends=("world", "a"), name="held")
    )  # fmt: skip
    opened(tmp_path, text)
    run = art.simulate(art.read(tmp_path / "w.sdf").world(), until=1.0, step=0.5)

    def rate(_t: float, y: np.ndarray) -> list[float]:
        # mass 2 at 1 m along x, inertia 1 about its centre: a turn q about y lowers it
        q, w = y
        return [w, (2 * 9.8 * np.cos(q) - 0.4 * w - 3 * (q - 0.2)) / (1 + 2)]

    q = solve_ivp(rate, (0, 1), [0, 0], rtol=1e-11, atol=1e-12).y[0, -1]
    at = run.series("b.mass_center")[-1]
    assert at == pytest.approx([np.cos(q), 0, -np.sin(q)], abs=1e-7)


@pytest.mark.parametrize(
    ("version", "inside", "axis"),
    [
        ("1.4", "", (0, 1, 0)),  # of the model
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", (0, 1, 0)),
        ("1.6", "", (-1, 0, 0)),  # of the joint, turned by a quarter about z
        ("1.9", "", (-1, 0, 0)),
    ],
)
def test_axes_are_in_the_frames_of_their_version(
    tmp_path: Path, version: str, inside: str, axis: tuple[float, ...]
) -> None:
    quarter = "<pose>0 0 0 0 0 1.5707963267948966</pose>"
    axes = f"{quarter}<axis><xyz>0 1 0</xyz>{inside}</axis>"
    scene = opened(tmp_path, of_link(joint("revolute", axes), version))
    made = scene.parts[1].joint
    assert made is not None
    assert made.X_WJ[:3, 2] == pytest.approx(axis, abs=1e-15)
    assert made.X_WJ[:3, 3] == pytest.approx([1, 0, 0])


def test_loops_close_and_mimics_follow(tmp_path: Path) -> None:
    axis = "<axis><xyz>0 0 1</xyz>{}</axis>"
    mimic = axis.format('<mimic joint="j"><multiplier>-2</multiplier></mimic>')
    text = of_link(
        joint("revolute", axis.format(""), ends=("world", "a"))
        + joint("prismatic", mimic, name="k")
        + joint("ball", ends=("world", "b"), name="loop")
    )
    scene = opened(tmp_path, text)
    assert [(each.kind, each.first, each.second, each.ratio) for each in scene.ties] == [
        ("ball", "b", "", 1.0), ("gear", "j", "k", -2.0),
    ]  # fmt: skip
    art.read(tmp_path / "w.sdf").world()
    assert "closes a loop" not in (convert(tmp_path / "w.sdf", tmp_path / "w.art") or "")


def test_what_is_not_read_is_named(tmp_path: Path) -> None:
    text = WORLD.replace(
        "</world>",
        '<light name="sun" type="point"/><plugin name="p" filename="libp.so"/>'
        "<include><uri>https://example.org/robot</uri></include>"
        "<include><uri>../outside.sdf</uri></include></world>",
    )
    (tmp_path.parent / "outside.sdf").write_text(PENDULUM)
    lost = opened(tmp_path, text).lost
    assert set(lost) == {
        "light", "plugin", "include of 'https://example.org/robot', an address of the network",
        "include of '../outside.sdf', which is not beside the file",
    }  # fmt: skip


NESTED = '<sdf version="1.9">' + 42 * '<model name="m">' + 42 * "</model>" + "</sdf>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (of_link(joint("screw")), "w.sdf:1:.*'j' is a screw"),
        (of_link(joint("gearbox")), "'j' is a gearbox"),
        (of_link(joint("revolute", ends="ac")), "nothing in .* is called 'c'"),
        (of_link('<frame name="f"><pose relative_to="g"/></frame>'
                 '<frame name="g"><pose relative_to="f"/></frame>'
                 '<link name="c"><pose relative_to="f"/></link>'), "in a circle"),
        (of_link('<frame name="f" attached_to="f"/>' + joint("fixed", ends="af")), "itself"),
        (of_link('<link name="a"/>'), "a second 'a'; the first is on line 1"),
        (of_link("", "1.3"), "SDFormat 1.3; 1.4 and later"),
        (of_link('<link name="c"><inertial><mass>-1</mass></inertial></link>'), "mass -1 kg"),
        (of_link('<link name="c"><inertial><pose>0 0 0 1 1 1</pose><inertia><ixx>1.7e308</ixx>'
                 "<ixy>1.7e308</ixy><iyy>1.7e308</iyy></inertia></inertial></link>"), "too large"),
        ("<sdf version='1.9'/>", "no <world> and no <model>"),
        (NESTED, "40 deep"),
        (WORLD.replace("model://pendulum</uri>", "w.sdf</uri>"), "includes itself"),
        (of_link('<link name="c">\n <pose>1 2</pose></link>'),
         'w.sdf:2:2: the text "1 2" of <pose> has 2 numbers; it takes 6'),
        (of_link('<link name="c"><inertial>\n<mass>2 kg</mass></inertial></link>'),
         'w.sdf:2:1: the text "2 kg" of <mass> is not a number'),
        (of_link('<link name="c"><collision name="d"><geometry><box/></geometry></collision>'
                 "</link>"), "<box> has no <size>"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        opened(tmp_path, text)


def test_includes_that_multiply_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_files, "MOST_INCLUDES", 50)
    for number in range(8):
        twice = "".join(
            f"<include><uri>m{number + 1}.sdf</uri><name>{each}</name></include>" for each in "ab"
        )
        model = f'<sdf version="1.9"><model name="m"><link name="l"/>{twice}</model></sdf>'
        (tmp_path / f"m{number}.sdf").write_text(model)
    (tmp_path / "m8.sdf").write_text(PENDULUM)
    with pytest.raises(FormatError, match="more than 50 models"):
        scene_of(tmp_path / "m0.sdf")


def test_a_joint_may_have_one_limit_alone(tmp_path: Path) -> None:
    limit = "<axis><xyz>0 0 1</xyz><limit><lower>-0.5</lower>{}</limit></axis>"
    opened(tmp_path, of_link(joint("revolute", limit.format("<upper>1e16</upper>"))))
    world = art.read(tmp_path / "w.sdf").world()
    assert np.array(world.hinges["j"].limits).tolist() == [[-0.5, 1e9]]
    opened(tmp_path, of_link(joint("revolute", limit.format("").replace("-0.5", "-1e16"))))
    assert art.read(tmp_path / "w.sdf").world().hinges["j"].limits == ()


def test_gravity_may_be_hardly_there(tmp_path: Path) -> None:
    opened(tmp_path, WORLD.replace("0.2 0.1 -9.7", "0 0 -1e-320"))
    assert art.read(tmp_path / "w.sdf").world().gravity[2] == pytest.approx(0.0)


TETRA = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def test_meshes_are_found_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "t.obj").write_text(TETRA)
    mesh = "<mesh><uri>{}</uri><scale>2 1 1</scale></mesh>"
    forms = "".join(
        f'<{tag} name="{number}"><pose>0 0 1 0 0 0</pose><geometry>{mesh.format(uri)}</geometry>'
        f"</{tag}>"
        for number, (tag, uri) in enumerate([
            ("collision", "model://shapes/t.obj"), ("visual", "shapes/t.obj"),
            ("visual", "model://shapes/../shapes/t.obj"), ("visual", "https://example.org/t.obj"),
        ])
    )  # fmt: skip
    text = f'<sdf version="1.9"><model name="m">{{}}<link name="a">{forms}</link></model></sdf>'
    scene = opened(tmp_path, text.format(""))
    (part,) = scene.parts
    assert isinstance(part.shape, Placed)
    assert part.shape.shape.file == "w.sdf#a#hull"
    assert part.look is not None
    assert set(scene.lost) == {
        "mesh 'https://example.org/t.obj', which is an address",
        "mesh 'model://shapes/../shapes/t.obj', which is not there",
    }  # fmt: skip
    scene = opened(tmp_path, text.format("<static>true</static>"))
    (part,) = scene.parts
    assert part.X_WP[:3, 3] == pytest.approx([0, 0, 1])
    assert isinstance(part.shape, Mesh)
    assert np.ptp(part.shape.vertices, axis=0) == pytest.approx([2, 1, 1])
    with pytest.warns(art.FormatWarning, match="is an address"):
        document = art.read(tmp_path / "w.sdf")
    assert document.check() == ()


def test_links_of_a_model_touch_only_where_it_says_so(tmp_path: Path) -> None:
    box = (
        '<link name="{}"><inertial auto="true"/><collision name="c"><density>500</density>'
        "<geometry><box><size>1 1 2</size></box></geometry></collision></link>"
    )
    both = f"{box.format('c')}{box.format('d')}"
    scene = opened(tmp_path, of_link(both))
    assert scene.ignored == [("c", "d")]
    c = scene.parts[2]
    assert [c.mass, c.inertia[0]] == pytest.approx([1000.0, 1000 * 5 / 12])
    assert opened(tmp_path, of_link(f"<self_collide>true</self_collide>{both}")).ignored == []


def test_the_first_axis_of_a_universal_joint_is_fixed_in_the_parent(tmp_path: Path) -> None:
    """A top on a universal joint falls over: the end is Drake's, to 1e-9 by its own tolerance."""
    (tmp_path / "top.sdf").write_text("""<sdf version="1.9"><world name="w">
<gravity>0 0 -9.8</gravity><model name="m"><link name="a"><pose>0 0 0.3 0 0 0</pose><inertial>
<mass>2</mass><inertia><ixx>0.02</ixx><iyy>0.05</iyy><izz>0.04</izz></inertia></inertial></link>
<joint name="j" type="universal"><pose>0 0 -0.3 0 0 0</pose><parent>world</parent><child>a</child>
<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint></model></world></sdf>""")
    world = art.read(tmp_path / "top.sdf").world()
    (moving,) = (id for id, body in world.bodies.items() if body.motion != "fixed")
    thrown = replace(world.bodies[moving], rate=(1.3, 0.7, 0.0), velocity=(0.21, -0.39, 0.0))
    world = replace(world, bodies={**world.bodies, moving: thrown}, text="")
    run = art.simulate(world, until=0.6, step=0.1)
    there = run.array("geometric.pose")[-1][list(world.bodies).index(moving), :3]
    assert there == pytest.approx([0.08987595, -0.06382221, -0.27901441], abs=2e-7)


def test_the_distortion_of_a_camera_goes_on_into_gltf(tmp_path: Path) -> None:
    text = """<sdf version="1.9"><model name="m"><static>true</static><link name="l">
      <sensor name="eye" type="camera"><camera><horizontal_fov>1.2</horizontal_fov>
        <distortion><k1>-0.25</k1><k2>0.12</k2><k3>0.01</k3><p1>-0.0003</p1><p2>-0.00005</p2>
        </distortion></camera></sensor>
    </link></model></sdf>"""
    scene = opened(tmp_path, text)
    assert scene.lost["distortion of a lens"] == 1
    (tmp_path / "m.sdf").write_text(text)
    convert(tmp_path / "m.sdf", tmp_path / "m.glb")
    (view,) = scene_of(tmp_path / "m.glb").views
    assert view.distortion == (-0.25, 0.12, 0.01, -0.0003, -0.00005)
    assert np.allclose(view.X_WC, scene.views[0].X_WC, atol=1e-6)
