"""Surfaces in files: those of glTF come in one file or with their numbers beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trimesh

from articulata.errors import FormatError
from articulata.formats.scenes.scene_files import read_mesh


def test_gltf_is_read_with_the_files_beside_it_and_no_others(tmp_path: Path) -> None:
    folder = tmp_path / "room"
    folder.mkdir()
    parts = trimesh.Scene(trimesh.creation.box((1.0, 2.0, 3.0))).export(file_type="gltf")
    for name, data in parts.items():
        (folder / name).write_bytes(data)
    mesh = read_mesh(folder / "model.gltf", scale=(0.5, 0.5, 0.5))
    assert mesh.vertices.max(axis=0).tolist() == [0.25, 0.5, 0.75]
    said = json.loads((folder / "model.gltf").read_text())
    own = folder / said["buffers"][0]["uri"]
    (tmp_path / "elsewhere.bin").write_bytes(own.read_bytes())
    for uri in ("../elsewhere.bin", "gone.bin"):
        said["buffers"][0]["uri"] = uri
        (folder / "other.gltf").write_text(json.dumps(said))
        with pytest.raises(FormatError, match=r"'other.gltf' holds no mesh: .*\.bin"):
            read_mesh(folder / "other.gltf")
