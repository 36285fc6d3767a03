"""Persons as skins of glTF: what another's linear blend skinning makes of the file."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.formats.gltf.gltf_writer import write_glb
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.formats.scenes.scene_motion import SceneMotion, carried
from articulata.formats.scenes.world_scene import scene_of_world
from articulata.geometry.arrays import Array

LOBBY = """
world lobby {
  components { anna: person(1.7 m); crate: crate }
  structure { place anna by properties: (fixed); place crate by crate.center at (2, 1, 0) }
}
primitive crate { properties: (fixed, color: (1, 0, 0)); geometry: cuboid(1 m, 1 m, 1 m) }
"""
TIMES = np.linspace(0.0, 2.0, 9)


def waving() -> Scene:
    """Return the scene of a person who bends an elbow, lifts a leg and turns her trunk."""
    world = art.assemble(art.parse(LOBBY).world())
    anna = art.figure(world, "anna")
    motions = {}
    q = np.zeros((len(TIMES), anna.dof))
    for joint, most in (("l_elbow_flexion", 2.0), ("r_hip_flexion", 1.0), ("vl3_rotation", 0.4)):
        q[:, anna.coordinate(joint)] = most * np.sin(TIMES) ** 2
    X = anna.poses(q)
    for k, joint in enumerate(anna.joints):
        body = f"anna.{anna.links[joint.name].name}"
        if body in world.bodies and not np.allclose(X[:, k], X[0, k]):
            motions[body] = SceneMotion(TIMES, X[:, k], again=False)
    return scene_of_world(world, lambda _: (0.5, 0.5, 0.5), motions=motions)


class Blended:
    """A reader of its own: JSON, numbers, nodes and skins by the formulas of the specification."""

    def __init__(self, data: bytes) -> None:
        (length,) = struct.unpack_from("<I", data, 12)
        self.tree: dict[str, Any] = json.loads(data[20 : 20 + length])
        self.binary = data[28 + length :]

    def numbers(self, accessor: int) -> Array:
        told = self.tree["accessors"][accessor]
        kind = {5126: "<f4", 5123: "<u2", 5125: "<u4"}[told["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[told["type"]]
        start = self.tree["bufferViews"][told["bufferView"]]["byteOffset"]
        rows = np.frombuffer(self.binary, kind, told["count"] * width, start)
        return rows.reshape(-1, width).astype(float)

    def fields(self, node: int, t: float) -> dict[str, Array]:
        found = {
            path: np.array(self.tree["nodes"][node].get(path, rest), float)
            for path, rest in (("translation", [0, 0, 0]), ("rotation", [0, 0, 0, 1]))
        }
        for animation in self.tree.get("animations", []):
            for channel in animation["channels"]:
                if channel["target"]["node"] != node:
                    continue
                sampler = animation["samplers"][channel["sampler"]]
                times, rows = (self.numbers(sampler[each]) for each in ("input", "output"))
                # asked at key frames, or where it goes straight
                found[channel["target"]["path"]] = np.array(
                    [np.interp(t, times[:, 0], column) for column in rows.T]
                )
        return found

    def places(self, t: float) -> dict[int, Array]:
        found: dict[int, Array] = {}

        def walk(node: int, above: Array) -> None:
            told = self.fields(node, t)
            x, y, z, w = told["rotation"] / np.linalg.norm(told["rotation"])
            X = np.eye(4)
            X[:3, :3] = [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
            X[:3, 3] = told["translation"]
            found[node] = above @ X
            for child in self.tree["nodes"][node].get("children", ()):
                walk(child, found[node])

        for top in self.tree["scenes"][0]["nodes"]:
            walk(top, np.eye(4))
        return found

    def skinned(self, t: float) -> Array:
        """Return the points (n, 3) of the only skin, primitive by primitive."""
        (node,) = (each for each in self.tree["nodes"] if "skin" in each)
        skin = self.tree["skins"][node["skin"]]
        places = self.places(t)
        inverse = self.numbers(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
        bending = np.array([places[k] for k in skin["joints"]]) @ inverse
        points = []
        for primitive in self.tree["meshes"][node["mesh"]]["primitives"]:
            given = {k: self.numbers(v) for k, v in primitive["attributes"].items()}
            p = np.column_stack([given["POSITION"], np.ones(len(given["POSITION"]))])
            B = np.einsum(
                "nk,nkij->nij", given["WEIGHTS_0"], bending[given["JOINTS_0"].astype(int)]
            )
            points.append(np.einsum("nij,nj->ni", B, p)[:, :3])
        return np.concatenate(points)


def seen(scene: Scene, names: list[str], t: float) -> Array:
    """Return the corners (n, 3) of some parts at ``t`` s."""
    parts = {part.name: part for part in scene.parts}
    found = []
    for part in (parts[each] for each in names):
        X = part.X_WP if part.motion is None else part.motion.at([t])[0]
        found.append(triangles_of(part.look or part.shape)[0] @ X[:3, :3].T + X[:3, 3])
    return np.concatenate(found)


def test_a_person_is_a_skin_that_others_bend_as_she_moves() -> None:
    scene = waving()
    told = Blended(write_glb(scene))
    names = [each.get("name") for each in told.tree["nodes"]]
    (skin,) = told.tree["skins"]
    bones = [names[k] for k in skin["joints"]]
    assert sorted(bones) == sorted(part.name for part in scene.parts if part.name != "crate")
    below = {names[child]: names[k] for k, each in enumerate(told.tree["nodes"])
             for child in each.get("children", ())}  # fmt: skip
    assert below["anna_l_hand"] == "anna_l_forearm"
    assert below["anna_l_thigh"] == "anna_pelvis"
    assert below["anna_pelvis"] == "anna_skeleton"
    # what turns about a joint has no track of its place, what keeps still none at all
    tracks = {(names[c["target"]["node"]], c["target"]["path"])
              for c in told.tree["animations"][0]["channels"]}  # fmt: skip
    assert tracks == {(each, "rotation") for each in
                      ("anna_abdomen", "anna_l_forearm", "anna_r_thigh")}  # fmt: skip
    for t in TIMES:
        there, here = told.skinned(float(t)), seen(scene, bones, float(t))
        assert len(there) == len(here) > 100
        np.testing.assert_allclose(there, here, atol=2e-6)


def test_what_is_written_is_read_with_its_names_places_and_moves(tmp_path: Path) -> None:
    scene = waving()
    (tmp_path / "lobby.glb").write_bytes(write_glb(scene))
    again = {part.name: part for part in scene_of(tmp_path / "lobby.glb").parts}
    assert scene_of(tmp_path / "lobby.glb").lost == {}
    assert again.keys() == {part.name for part in scene.parts}
    for part in scene.parts:
        other = again[part.name]
        for t in TIMES[:-1]:
            X, there = (
                each.X_WP if each.motion is None else each.motion.at([t])[0]
                for each in (other, part)
            )
            np.testing.assert_allclose(X, there, atol=2e-6, err_msg=f"{part.name} {t}")


def test_a_wheel_on_a_wheel_turns_as_far_as_it_did() -> None:
    """Each turns by 1.9 rad between key frames, one way and the other: together more than half."""
    times = np.array([0.0, 1.0, 2.0])
    own, carrier = (
        SceneMotion(times, np.array([turned(rate * t) for t in times]), again=False)
        for rate in (1.9, -1.9)
    )
    _, made = carried(times, own.poses[0], own, carrier.poses[0], carrier)
    for t in (0.0, 0.3, 1.0, 1.7, 2.0):
        assert made.at([t])[0] == pytest.approx(turned(3.8 * t), abs=1e-6)


def turned(angle: float) -> Array:
    X = np.eye(4)
    X[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return X
