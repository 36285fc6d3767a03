"""How kernels are compiled and kept: the folder, what it is keyed by, and when there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any

import numba
import pytest

from articulata.kernels.compile import CACHE_VARIABLE, LEVELS, kernel, level
from articulata.kernels.overloads import entry_of

LOOK = """
from articulata.kernels.compile import cache_folder
print(cache_folder(), cache_folder())
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


def test_the_folder_is_the_one_that_is_named(tmp_path: Path) -> None:
    assert look(tmp_path).stdout.split() == [str(tmp_path / "kernels")] * 2


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = look(tmp_path / "file" / "cache")
    assert result.stdout.split() == ["None", "None"]
    assert result.stderr.count("compiled kernels cannot be kept") == 1
    assert CACHE_VARIABLE in result.stderr


def test_flags_that_hide_a_nan_are_refused() -> None:
    with pytest.raises(ValueError, match="hide a NaN"):
        kernel(fastmath={"nnan", "contract"})


KERNELS = """
from articulata.kernels.compile import kernel

@kernel
def root(x):
    if x < 0.0:
        raise ValueError("no root")
    return x ** 0.5

@kernel
def roots(values):
    total = 0.0
    for k in range(values.shape[0]):
        total += root(values[k])
    return total
"""

USE = """
import sys
import kernels_of_a_test as kernels
assert "numba" not in sys.modules, "Numba is imported before a kernel is called"
import numpy as np
from numba.core import event
with event.install_recorder("numba:compile") as compiled:
    print(kernels.roots(np.array([4.0, 9.0])), kernels.root(16.0))
try:
    kernels.roots(np.array([4.0, -9.0]))
except ValueError as error:
    print(error)
print(len(compiled.buffer) > 0, "scipy.linalg" in sys.modules)
"""


def use(folder: Path, kernels: str = KERNELS, program: str = USE, **variables: str) -> list[str]:
    """Run a program in a process of its own; return the lines it prints."""
    (folder / "kernels_of_a_test.py").write_text(kernels)
    path = os.pathsep.join((str(folder), *filter(None, [os.environ.get("PYTHONPATH")])))
    variables = {CACHE_VARIABLE: str(folder / "cache"), "PYTHONPATH": path} | variables
    result = subprocess.run(
        # -B: of two sources written within a second Python would take the first one's bytecode
        [sys.executable, "-B", "-c", program],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which KERNELS were compiled and kept."""
    folder = tmp_path_factory.mktemp("compiled")
    # Called by Python and by another kernel, with an error raised inside the other.
    assert use(folder) == ["5.0 4.0", "no root", "True True"]
    return folder


@pytest.fixture
def kept(compiled: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to be changed."""
    return Path(shutil.copytree(compiled, tmp_path, dirs_exist_ok=True))


def test_kept_kernels_run_without_what_compiling_needs(kept: Path) -> None:
    assert use(kept) == ["5.0 4.0", "no root", "False False"]


def test_a_kernel_apart_is_found_again_by_those_that_call_it(tmp_path: Path) -> None:
    apart = KERNELS.replace("@kernel\ndef root(", "@kernel(apart=True)\ndef root(")
    assert use(tmp_path, apart) == ["5.0 4.0", "no root", "True True"]
    assert use(tmp_path, apart) == ["5.0 4.0", "no root", "False False"]
    (code,) = (tmp_path / "cache").rglob("*.apart")
    code.unlink()
    assert use(tmp_path, apart) == ["5.0 4.0", "no root", "True True"]


def test_kernels_compiled_ahead_need_neither_compiling_nor_a_cache(tmp_path: Path) -> None:
    """Those of this processor's level, whatever it has beyond; those of another are left alone."""
    ahead = tmp_path / "ahead"
    known = level() or "none"
    use(tmp_path, NUMBA_CPU_NAME=known if known in LEVELS else "generic", NUMBA_CPU_FEATURES="")
    (tmp_path / "cache" / "kernels").rename(ahead)
    (tmp_path / "cache").rmdir()
    (tmp_path / "cache").touch()
    told = "from pathlib import Path\nfrom articulata.kernels import compile\n"
    program = f"{told}compile.SHIPPED = Path({str(tmp_path)!r})\n{USE}"
    assert use(tmp_path, program=program)[-1].startswith("True")
    ahead.rename(tmp_path / known)
    found = use(tmp_path, program=program)
    assert found[:2] == ["5.0 4.0", "no root"]
    assert found[-1].startswith("False" if known in LEVELS else "True")


def test_a_kernel_in_a_changed_source_is_compiled_anew(kept: Path) -> None:
    changed = KERNELS.replace("x ** 0.5", "x ** 1.5")
    assert use(kept, changed) == ["35.0 64.0", "no root", "True True"]


def test_a_named_tuple_with_other_fields_is_compiled_anew(tmp_path: Path) -> None:
    first = namedtuple("Pair", "a b")
    second = namedtuple("Pair", "b a")
    for pair in (first(1.0, 2.0), second(2.0, 1.0)):
        assert entry_of(lambda x: x.a - 3.0 * x.b, {}, tmp_path)(pair) == -5.0


def test_a_damaged_file_only_means_compiling_again(kept: Path) -> None:
    for damage in (lambda data: data[: len(data) // 2], lambda data: data[:-9] + b"damaged!!"):
        files = [path for path in (kept / "cache").rglob("*.*") if path.is_file()]
        assert len(files) == 3  # two kernels called by Python, and one of them by the other
        for path in files:
            path.write_bytes(damage(path.read_bytes()))
        assert use(kept) == ["5.0 4.0", "no root", "True True"]
    assert use(kept) == ["5.0 4.0", "no root", "False False"]


def test_a_missing_folder_only_means_compiling_again(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    for _ in range(2):
        assert use(tmp_path) == ["5.0 4.0", "no root", "True True"]


def test_settings_of_others_stay_as_they_were() -> None:
    config: Any = numba.config
    before = config.CACHE_DIR, config.OPT

    @kernel
    def double(x: float) -> float:
        return 2 * x

    assert double(2.0) == 4.0
    after = config.CACHE_DIR, config.OPT
    assert after == before


WAIT = """
import sys
if sys.argv[1] == "prompt":
    sys.ps1 = ">>> "
if sys.argv[1] == "command":
    from articulata.kernels.announcing import expect
    expect()
import kernels_of_a_test as kernels
print(kernels.root(16.0), kernels.root(25.0))
"""


def test_who_waits_at_a_prompt_hears_once_that_kernels_are_compiled(tmp_path: Path) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS)
    found = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    paths = {CACHE_VARIABLE: str(tmp_path / "cache"), "PYTHONPATH": found}

    def heard(where: str, **more: str) -> str:
        result = subprocess.run(
            [sys.executable, "-B", "-c", WAIT, where],
            env=os.environ | paths | more,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        assert result.stdout == "4.0 5.0\n"
        return result.stderr

    word = "articulata: compiling kernels, once; this may take a minute\n"
    assert heard("program") == ""
    assert heard("prompt") == ""  # they are kept now
    assert heard("command") == ""
    for name in ("loud", "quiet"):
        quiet = {} if name == "loud" else {"ARTICULATA_QUIET": "1"}
        for who in ("prompt", "command"):
            paths[CACHE_VARIABLE] = str(tmp_path / f"{name}-{who}")
            assert heard(who, **quiet) == (word if name == "loud" else "")


SEVERAL = """
import multiprocessing, subprocess, sys
from articulata.kernels.announcing import announce, expect
expect()
for _ in range(2):
    process = multiprocessing.get_context("fork").Process(target=announce)
    process.start()
    process.join()
announce()
announce()
waits = "import sys; sys.ps1 = 1; from articulata.kernels.announcing import announce; announce()"
subprocess.run([sys.executable, "-c", waits], check=True)
"""


def test_the_processes_of_a_command_say_once_that_kernels_are_compiled() -> None:
    def heard(**more: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", SEVERAL],
            env=os.environ | more,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        ).stderr

    word = "articulata: compiling kernels, once; this may take a minute\n"
    assert heard() == word
    # said by a process that did not begin this one
    assert heard(ARTICULATA_ANNOUNCED_BY="1") == word
