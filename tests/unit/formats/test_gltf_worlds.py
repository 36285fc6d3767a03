"""glTF scenes as worlds, against trimesh, which reads and writes them by its own code."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import articulata as art
from articulata.errors import FormatError
from articulata.formats.gltf.gltf_document import read_gltf
from articulata.formats.scenes.foreign_scene import triangles_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.formats.scenes.scene_text import world_text
from articulata.sessions.converting import convert


def test_bodies_stand_as_trimesh_puts_them(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    turn = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3], [0.1, 0.2, 0.3])
    stretch = turn @ np.diag([1.0, 2.0, -1.5, 1.0])
    scene.add_geometry(trimesh.creation.box((1, 2, 3)), node_name="chest", transform=turn)
    scene.add_geometry(trimesh.creation.icosphere(1), node_name="egg", transform=stretch)
    scene.add_geometry(
        trimesh.creation.cone(0.2, 1), node_name="tip", parent_node_name="chest", transform=turn
    )
    file = tmp_path / "room.glb"
    file.write_bytes(scene.export(file_type="glb"))
    found = {part.name: part for part in scene_of(file).parts}
    assert sorted(found) == ["chest", "egg", "tip"]
    for name, part in found.items():
        X, geometry = scene.graph[name]
        theirs = scene.geometry[geometry].copy().apply_transform(X)
        vertices, faces = triangles_of(part.shape)
        ours = trimesh.Trimesh(vertices @ part.X_WP[:3, :3].T + part.X_WP[:3, 3], faces)
        assert ours.volume == pytest.approx(theirs.volume, rel=1e-6)
        assert ours.center_mass == pytest.approx(theirs.center_mass, abs=1e-6)
        assert np.allclose(ours.bounds, theirs.bounds, atol=1e-6)
    world = art.read(file).world()
    assert world.bodies["chest"].motion == "fixed"


def test_cameras_and_colours_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "view.gltf"
    (tmp_path / "data.bin").write_bytes(np.eye(3, dtype="<f4").tobytes())
    tree = {
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "rig", "translation": [1, 2, 3], "children": [1]},
            {"name": "eye", "camera": 0, "rotation": [0, 0.6, 0, 0.8]},
            {"name": "thing", "mesh": 0},
        ],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [0.5, 0, 1, 1]}}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "data.bin"}],
        "animations": [{"channels": [], "samplers": []}],
    }
    file.write_text(json.dumps(tree))
    scene = scene_of(file)
    (view,) = scene.views
    assert (view.name, view.upwards, *view.X_WC[:3, 3]) == ("eye", 0.5, 1, 2, 3)
    # a quaternion (0, 0.6, 0, 0.8) turns by 2 atan(0.75) about y: -z goes to (-0.96, 0, -0.28)
    assert -view.X_WC[:3, 2] == pytest.approx([-0.96, 0, -0.28])
    # a linear 0.5 is 0.7354 on a screen (sRGB)
    assert scene.parts[0].color == pytest.approx((0.7354, 0, 1), abs=1e-4)
    assert not scene.lost
    document = art.read(file)
    assert document.requests[1].question.camera.X_LM.position == (1, 2, 3)


LIT = {
    "asset": {"version": "2.0"},
    "extensionsUsed": ["KHR_lights_punctual"],
    "extensions": {"KHR_lights_punctual": {"lights": [
        {"type": "point", "color": [1, 0.5, 0], "intensity": 40, "range": 7},
        {"type": "spot", "spot": {"innerConeAngle": 0.2, "outerConeAngle": 0.6}},
        {"type": "directional", "name": "sun", "intensity": 3.5},
    ]}},
    "nodes": [
        {"name": "rig", "translation": [1, 2, 3], "scale": [2, 2, 2], "children": [1]},
        {"name": "lamp", "translation": [0, 1, 0],
         "extensions": {"KHR_lights_punctual": {"light": 0}}},
        {"name": "spot", "extensions": {"KHR_lights_punctual": {"light": 1}}},
        {"name": "sky", "rotation": [0.6, 0, 0, 0.8],
         "extensions": {"KHR_lights_punctual": {"light": 2}}},
        {"name": "eye", "camera": 0},
    ],
    "cameras": [{
        "type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1},
        "extras": {"BrownConrady": {"k1": -0.28, "k2": 0.07, "p1": 2e-4, "p2": -1e-5}},
    }],
}  # fmt: skip


def test_lights_and_the_distortion_of_lenses_stay_in_gltf(tmp_path: Path) -> None:
    (tmp_path / "lit.gltf").write_text(json.dumps(LIT))
    read = scene_of(tmp_path / "lit.gltf")
    assert read.lost == {"light": 3, "distortion of a lens": 1}
    assert convert(tmp_path / "lit.gltf", tmp_path / "again.glb") == ""
    assert "3 x light" in convert(tmp_path / "lit.gltf", tmp_path / "again.wrl")
    assert read.lost == {"light": 3, "distortion of a lens": 1}
    tree = read_gltf((tmp_path / "again.glb").read_bytes()).tree
    (camera,) = tree["cameras"]
    assert camera["extras"]["BrownConrady"] == {
        "k1": -0.28, "k2": 0.07, "k3": 0.0, "p1": 2e-4, "p2": -1e-5
    }  # fmt: skip
    for scene in (read, scene_of(tmp_path / "again.glb")):
        lamp, spot, sky = scene.lights
        assert (lamp.name, lamp.kind, lamp.color) == ("lamp", "point", (1.0, 0.5, 0.0))
        assert (lamp.intensity, lamp.reach, *lamp.X_WL[:3, 3]) == (40.0, 7.0, 1.0, 4.0, 3.0)
        assert (spot.kind, spot.inner, spot.outer, spot.reach) == ("spot", 0.2, 0.6, np.inf)
        assert (sky.name, sky.kind, sky.intensity) == ("sky", "directional", 3.5)
        # turned by 2 atan(0.75) about x, -z goes to (0, 0.96, -0.28)
        assert -sky.X_WL[:3, 2] == pytest.approx([0, 0.96, -0.28])
        assert scene.views[0].distortion == (-0.28, 0.07, 0.0, 2e-4, -1e-5)
    for change in ({"type": "area"}, {"color": [2, 0, 0]}, {"range": 0}, {"intensity": -1}):
        told = json.loads(json.dumps(LIT))
        told["extensions"]["KHR_lights_punctual"]["lights"][0] |= change
        (tmp_path / "bad.gltf").write_text(json.dumps(told))
        with pytest.raises(FormatError, match="light 0 is no light of KHR_lights_punctual"):
            scene_of(tmp_path / "bad.gltf")


def test_nodes_move_with_what_carries_them(tmp_path: Path) -> None:
    times, turns = [0.5, 1.0, 2.0], [[0, 0, 0, 1], [0, 0, 0.6, 0.8], [0, 0, 0, 1]]
    ways, sizes = [[0, 0, 0], [0, 3, 0], [0, 3, 0]], [[1, 1, 1], [2, 2, 2], [1, 1, 1]]
    blobs = [np.array(each, "<f4").tobytes() for each in (np.eye(3), times, turns, ways, sizes)]
    starts = np.cumsum([0, *map(len, blobs)]).tolist()
    (tmp_path / "data.bin").write_bytes(b"".join(blobs))
    kinds = ["VEC3", "SCALAR", "VEC4", "VEC3", "VEC3"]
    mesh = {"primitives": [{"attributes": {"POSITION": 0}}]}
    moved = [(0, "rotation", "LINEAR"), (1, "translation", "STEP"), (2, "scale", "LINEAR")]
    tree = {
        "asset": {"version": "2.0"},
        "nodes": [
            {"name": "arm", "translation": [1, 0, 0], "scale": [2, 2, 2], "children": [1]},
            {"name": "cup", "mesh": 0, "translation": [0, 9, 0]},
            {"name": "lung", "mesh": 0},
            {"name": "wall", "mesh": 0},
        ],
        "meshes": [mesh],
        "accessors": [
            {"bufferView": k, "componentType": 5126, "count": 3, "type": kind}
            for k, kind in enumerate(kinds)
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": a, "byteLength": b - a} for a, b in pairwise(starts)
        ],
        "buffers": [{"byteLength": starts[-1], "uri": "data.bin"}],
        "animations": [
            {
                "channels": [
                    {"sampler": k, "target": {"node": node, "path": path}}
                    for k, (node, path, _) in enumerate(moved)
                ],
                "samplers": [
                    {"input": 1, "output": 2 + k, "interpolation": how}
                    for k, (_, _, how) in enumerate(moved)
                ],
            },
            {"channels": [], "samplers": []},
        ],
    }
    file = tmp_path / "moving.gltf"
    file.write_text(json.dumps(tree))
    scene = scene_of(file)
    assert scene.lost == {
        "animation beside the first": 1,
        "motion that changes sizes (it stands as at first)": 1,
        "animation of what is not seen, or of no place": 1,
    }
    parts = {each.name: each for each in scene.parts}
    assert parts["lung"].motion is parts["wall"].motion is None
    assert np.ptp(parts["cup"].shape.vertices[:, 0]) == pytest.approx(2.0)
    full = 2.0 * np.arctan2(0.6, 0.8)
    for time, share, way in ((0.2, 0, 0), (0.75, 0.5, 0), (1.5, 0.5, 6), (2.75, 0.5, 0)):
        X = parts["cup"].motion.at(time)[0]  # it goes round after 2 s
        c, s = np.cos(share * full), np.sin(share * full)
        assert X[:3, :3] == pytest.approx(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), abs=1e-5)
        assert X[:3, 3] == pytest.approx([1 - s * way, c * way, 0], abs=1e-5)
    with pytest.warns(art.FormatWarning, match="changes sizes"):
        world = art.read(file).world()
    assert {"cup.body", "lung", "wall"} <= set(world.bodies)


def test_what_is_packed_or_lies_outside_is_refused(tmp_path: Path) -> None:
    tree = {"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_draco_mesh_compression"]}
    (tmp_path / "a.gltf").write_text(json.dumps(tree))
    with pytest.raises(FormatError, match="export them unpacked"):
        scene_of(tmp_path / "a.gltf")
    huge = {
        **{name: [{}] for name in ("scenes", "materials")},
        "asset": {"version": "2.0"}, "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": 4294967296, "type": "VEC3"}],
    }  # fmt: skip
    (tmp_path / "c.gltf").write_text(json.dumps(huge))
    with pytest.raises(FormatError, match="more than 50000000 rows"):
        scene_of(tmp_path / "c.gltf")
    for uri in ("../secret.bin", "http://a.b/c.bin", "/etc/hostname"):
        tree = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4, "uri": uri}]}
        (tmp_path / "b.gltf").write_text(json.dumps(tree))
        with pytest.raises(FormatError, match="no file"):
            scene_of(tmp_path / "b.gltf")


def test_people_of_a_house_walk_on_what_most_stands_on(tmp_path: Path) -> None:
    """Ground and foundation lie beneath it, as IfcOpenShell writes houses."""
    scene = trimesh.Scene()
    for name, low, high in (
        ("ground", (-8, -3.0, -8), (8, -0.3, 8)),
        ("slab", (0, -0.2, 0), (6, 0.0, 5)),
        ("wall_1", (0, 0, 0), (6, 2.5, 0.2)),
        ("wall_2", (0, 0, 4.8), (6, 2.5, 5)),
        ("bench", (2, 0, 0.2), (4, 0.9, 0.8)),
        ("roof", (0, 2.5, 0), (6, 2.7, 5)),
    ):
        X = np.eye(4)
        X[:3, 3] = 0.5 * (np.array(low) + high)
        box = trimesh.creation.box(np.subtract(high, low).astype(float))
        scene.add_geometry(box, node_name=name, transform=X)
    file = tmp_path / "house.glb"
    file.write_bytes(scene.export(file_type="glb"))
    assert "points: grid 20 cm in slab;" in world_text(scene_of(file))


def test_a_written_surface_says_what_its_numbers_are_for(tmp_path: Path) -> None:
    """Buffer views of positions are 34962, of corners 34963 (section 5.11.5)."""
    box = "primitive box { properties: (fixed); geometry: cuboid(1, 1, 1) }"
    text = f"{box} world a {{ components {{ b: box }} }}"
    (tmp_path / "a.art").write_text(text)
    convert(tmp_path / "a.art", tmp_path / "a.glb")
    tree = read_gltf((tmp_path / "a.glb").read_bytes()).tree
    assert [view["target"] for view in tree["bufferViews"]] == [34962, 34963]


def skinned_leg(file: Path) -> dict[str, Any]:
    """Write two triangles on a hip and a knee, which bend them; return the tree.

    As it was bound the hip is at the origin and the knee 1 m below; the file has the hip at
    (1, 0, 0) and the knee turned by 90 degrees about z. The mesh's own node does not count.
    """
    points = [[0, 0, 0], [0, -1.5, 0], [1, 0, 0], [0, -2, 0], [1, -2, 0]]
    joints = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    weights = [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    inverse = np.tile(np.eye(4), (2, 1, 1))
    inverse[1, 3, 1] = 1.0  # a column of its transpose: 1 m up
    r = 0.5**0.5
    blobs = [
        np.array(points, "<f4"), np.array(joints, "<u2"), np.array(weights, "<f4"),
        np.array([0, 1, 2, 1, 3, 4], "<u4"), inverse.astype("<f4"),
        np.array([0, 1], "<f4"), np.array([[0, 0, r, r], [0, 0, 1, 0]], "<f4"),
    ]  # fmt: skip
    kinds = [(5126, 5, "VEC3"), (5123, 5, "VEC4"), (5126, 5, "VEC4"), (5125, 6, "SCALAR"),
             (5126, 2, "MAT4"), (5126, 2, "SCALAR"), (5126, 2, "VEC4")]  # fmt: skip
    starts = np.cumsum([0, *(each.nbytes for each in blobs)]).tolist()
    file.with_suffix(".bin").write_bytes(b"".join(each.tobytes() for each in blobs))
    attributes = {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}
    tree = {
        "asset": {"version": "2.0"},
        "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"name": "leg", "mesh": 0, "skin": 0, "translation": [7, 7, 7], "scale": [0, 0, 0]},
            {"name": "hip", "translation": [1, 0, 0], "children": [2]},
            {"name": "knee", "translation": [0, -1, 0], "rotation": [0, 0, r, r]},
        ],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": 4}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": 3}]}],
        "accessors": [
            {"bufferView": k, "componentType": code, "count": count, "type": kind}
            for k, (code, count, kind) in enumerate(kinds)
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": a, "byteLength": b - a} for a, b in pairwise(starts)
        ],
        "buffers": [{"byteLength": starts[-1], "uri": file.with_suffix(".bin").name}],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}],
            "samplers": [{"input": 5, "output": 6}],
        }],
    }  # fmt: skip
    file.write_text(json.dumps(tree))
    return tree


BENT = "bend of a skin (it is stiff about each joint)"


def test_a_skin_stands_as_its_joints_bend_it(tmp_path: Path) -> None:
    file = tmp_path / "leg.gltf"
    tree = skinned_leg(file)
    del tree["animations"]
    file.write_text(json.dumps(tree))
    scene = scene_of(file)
    (part,) = scene.parts
    assert (part.name, part.motion, dict(scene.lost)) == ("leg", None, {BENT: 1})
    vertices, faces = triangles_of(part.shape)
    assert np.asarray(faces).tolist() == [[0, 1, 2], [1, 3, 4]]
    # the second one is halfway from (1, -1.5), where the hip has it, to the knee's (1.5, -1)
    there = [[1, 0, 0], [1.25, -1.25, 0], [2, 0, 0], [2, -1, 0], [2, 0, 0]]
    np.testing.assert_allclose(vertices @ part.X_WP[:3, :3].T + part.X_WP[:3, 3], there, atol=1e-6)
    tree["skins"][0]["joints"] = [1]
    file.write_text(json.dumps(tree))
    with pytest.raises(FormatError, match="cannot be read as glTF"):
        scene_of(file)


def test_a_skin_moves_with_the_joints_of_most_weight(tmp_path: Path) -> None:
    file = tmp_path / "leg.gltf"
    skinned_leg(file)
    scene = scene_of(file)
    parts = {each.name: each for each in scene.parts}
    assert list(parts) == ["leg", "leg_knee"]
    assert parts["leg"].motion is None
    assert dict(scene.lost) == {BENT: 1}
    motion = parts["leg_knee"].motion
    vertices, faces = triangles_of(parts["leg_knee"].shape)
    r = 0.5**0.5  # halfway in time the knee has turned by 45 degrees about (1, -1)
    turned = [[1 + 0.5 * r, -1], [1 + r, -1 + r], [1, -1 + 2 * r]]
    for t, there in ((0.0, [[1.25, -1.25], [2, -1], [2, 0]]), (0.5, turned)):
        X = motion.at(t)[0]
        found = vertices[np.asarray(faces)[0]] @ X[:3, :3].T + X[:3, 3]
        np.testing.assert_allclose(found, [[*each, 0] for each in there], atol=1e-5)
    with pytest.warns(art.FormatWarning, match="bend of a skin"):
        assert set(art.read(file).world().bodies) >= {"leg", "leg_knee.body"}


@pytest.mark.parametrize("kind", [5121, 5123, 5126])
def test_a_surface_has_the_mean_of_its_corners_colours(tmp_path: Path, kind: int) -> None:
    shares = np.array([[1, 0, 0.2, 1], [0, 1, 0.2, 1], [0.5, 0.5, 0.2, 1]])
    of, most = {5121: ("<u1", 255), 5123: ("<u2", 65535), 5126: ("<f4", 1)}[kind]
    colors = (shares * most).astype(of).tobytes()
    points = np.eye(3, dtype="<f4").tobytes()
    (tmp_path / "data.bin").write_bytes(points + colors)
    tree: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "scan", "mesh": 0}, {"name": "plain", "mesh": 1}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "COLOR_0": 1}, "material": each}]}
            for each in (0, 1)
        ],
        "materials": [{}, {"pbrMetallicRoughness": {"baseColorFactor": [0.5, 1, 0, 1]}}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": kind, "count": 3, "type": "VEC4",
             "normalized": kind != 5126},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": len(colors)},
        ],
        "buffers": [{"byteLength": 36 + len(colors), "uri": "data.bin"}],
    }  # fmt: skip
    del tree["meshes"][0]["primitives"][0]["material"]
    (tmp_path / "scan.gltf").write_text(json.dumps(tree))
    scene = scene_of(tmp_path / "scan.gltf")
    # of light 0.5 is 0.7354 of a screen, 0.2 is 0.4845 and 0.25 is 0.5371 (sRGB)
    assert scene.parts[0].color == pytest.approx((0.7354, 0.7354, 0.4845), abs=5e-3)
    assert scene.parts[1].color == pytest.approx((0.5371, 0.7354, 0.0), abs=5e-3)
    assert scene.lost == {"colours of single corners (their mean is taken)": 2}
    tree["accessors"][1] |= {"count": 1}
    (tmp_path / "one.gltf").write_text(json.dumps(tree))
    assert not scene_of(tmp_path / "one.gltf").lost
