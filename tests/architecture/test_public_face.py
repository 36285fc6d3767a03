"""``import articulata`` is light, and every name it lists is there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import get_args

import articulata
from articulata.geometry.shapes import Shape

HEAVY = {
    "numba", "llvmlite", "scipy", "coal", "manifold3d", "trimesh", "shapely", "qdldl", "viser",
    "matplotlib", "typer", "rich", "jinja2", "mujoco", "pinocchio", "jaxtyping", "beartype",
    "asyncio", "http",
}  # fmt: skip


def test_import_loads_nothing_heavy() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "import sys, articulata; print(*sys.modules)"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert HEAVY & set(result.stdout.split()) == set()


def test_every_listed_name_is_there() -> None:
    absent = [name for name in articulata.__all__ if not hasattr(articulata, name)]
    assert absent == []
    assert set(articulata.__all__) <= set(dir(articulata))


def test_every_shape_is_public() -> None:
    shapes = {each.__name__ for each in get_args(Shape)}
    assert len(shapes) == 14
    assert shapes <= set(articulata.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(articulata, "no_such_name")


def test_type_checkers_and_the_running_program_read_the_same_names() -> None:
    tree = ast.parse(Path(articulata.__file__).with_suffix(".pyi").read_text())
    declared = {
        alias.asname: (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert declared == articulata._HOMES
    assert len(declared) > 200


def test_every_public_name_says_what_it_is() -> None:
    silent = [name for name in articulata.__all__ if not getattr(articulata, name).__doc__]
    assert silent == []
