"""How kernels are compiled and kept: the folder, what it is keyed by, and when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from articulata.kernels.compile import CACHE_VARIABLE, kernel, source_hash

LOOK = """
from articulata.kernels.compile import cache_folder, compiled_before
before = compiled_before("multibody")
folder = cache_folder("multibody")
if folder is not None:
    (folder / "some.kernel-1.py311.nbi").touch()
print(folder, before, compiled_before("multibody"))
"""


def look(cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LOOK],
        env=os.environ | {CACHE_VARIABLE: str(cache)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def test_the_folder_is_keyed_by_the_sources(tmp_path: Path) -> None:
    folder, before, after = look(tmp_path).stdout.split()
    assert Path(folder) == tmp_path / f"kernels-multibody-{source_hash('multibody')}"
    assert (before, after) == ("False", "True")


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = look(tmp_path / "file" / "cache")
    assert result.stdout.split() == ["None", "False", "False"]
    assert result.stderr.count("compiled kernels cannot be kept") == 1
    assert CACHE_VARIABLE in result.stderr


def test_flags_that_hide_a_nan_are_refused() -> None:
    with pytest.raises(ValueError, match="hide a NaN"):
        kernel(fastmath={"nnan", "contract"})


def test_the_cache_setting_of_others_stays_as_it_was() -> None:
    config: Any = numba.config
    before = config.CACHE_DIR

    @kernel
    def double(x: float) -> float:
        return 2 * x

    after = config.CACHE_DIR
    assert after == before
    assert callable(double)
