"""Camera moves as glTF, read by another library too."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
import trimesh

from articulata.errors import FormatError
from articulata.formats.gltf.cameras import camera_track
from articulata.formats.gltf.gltf_document import read_gltf
from articulata.formats.gltf.gltf_writer import write_animation
from articulata.geometry.camera_motion import moved


def read_camera(data: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    track = camera_track(read_gltf(data))
    return track.times, track.poses(track.times), track.upwards(track.times)


def made() -> tuple[np.ndarray, np.ndarray, str]:
    twists = np.random.default_rng(1).normal(size=(40, 6))
    X = moved(np.eye(4), twists, 0.2)
    t = np.arange(40) / 25
    link = moved(np.eye(4), -twists, 0.1)
    return t, X, write_animation(t, {"camera": X, "flange": link}, {"camera": (0.66, 1.5)})


def test_what_is_written_is_read_again() -> None:
    t, X, text = made()
    times, found, _ = read_camera(text.encode())
    np.testing.assert_allclose(times, t, atol=1e-6)
    np.testing.assert_allclose(found, X, atol=2e-6)


def test_a_zoom_is_read_again_and_a_lens_that_stands_is_known() -> None:
    t, X, text = made()
    assert read_camera(text.encode())[2] == pytest.approx(0.66)
    angles = np.linspace(0.7, 0.3, 40)
    zoomed = write_animation(t, {"camera": X}, {"camera": (0.7, 1.5)}, zooms={"camera": angles})
    _, found, upwards = read_camera(zoomed.encode())
    np.testing.assert_allclose(found, X, atol=2e-6)
    np.testing.assert_allclose(upwards, angles, atol=1e-6)
    tree = json.loads(zoomed)
    assert tree["extensionsUsed"] == ["KHR_animation_pointer"]
    tree["cameras"] = [{"type": "orthographic"}]
    assert read_camera(json.dumps(tree).encode())[2] is None


def test_another_reader_takes_the_file_and_its_camera() -> None:
    _, X, text = made()
    tree = json.loads(text)
    assert tree["cameras"][0]["perspective"]["yfov"] == 0.66
    scene = trimesh.load(io.BytesIO(text.encode()), file_type="gltf", force="scene")
    assert {"camera", "flange"} <= set(scene.graph.nodes)
    np.testing.assert_allclose(scene.graph.get("camera")[0], X[0], atol=1e-6)


def test_a_binary_file_is_read() -> None:
    import base64
    import struct

    t, X, text = made()
    tree = json.loads(text)
    data = base64.b64decode(tree["buffers"][0].pop("uri").partition(",")[2])
    head = json.dumps(tree).encode()
    head += b" " * (-len(head) % 4)
    glb = struct.pack("<III", 0x46546C67, 2, 28 + len(head) + len(data))
    glb += struct.pack("<I4s", len(head), b"JSON") + head
    glb += struct.pack("<I4s", len(data), b"BIN\x00") + data
    times, found, _ = read_camera(glb)
    np.testing.assert_allclose(found, X, atol=2e-6)
    assert len(times) == len(t)


def test_what_is_no_move_of_a_camera_is_refused() -> None:
    t, X, text = made()
    for wrong in (b"", b"{}", b"glTF", b"glTF" + bytes(20)):
        with pytest.raises(FormatError, match="cannot be read as glTF"):
            read_camera(wrong)
    with pytest.raises(FormatError, match="no camera"):
        read_camera(text.replace('"camera": 0', '"other": 0').encode())
    tree = json.loads(text)
    tree["buffers"][0]["uri"] = "move.bin"
    with pytest.raises(FormatError, match="another file"):
        read_camera(json.dumps(tree).encode())
    with pytest.raises(FormatError, match="no frame"):
        write_animation(t, {"a": X}, {"b": (1.0, 1.0)})
    with pytest.raises(FormatError, match="finite"):
        write_animation(t, {"a": X * np.nan}, {})
