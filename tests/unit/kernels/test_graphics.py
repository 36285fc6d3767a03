"""The CUDA path gives the processor's answers, here on a stand-in for a device.

The stand-in runs the same kernels thread by thread in Python: what the threads do, how rounds of
starts are dealt out and what comes back are the real thing; only the hardware is not.
``benchmarks/graphics.py`` compares the two on real hardware.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from articulata.kernels.chains.iterative_solvers.graphics import device

CHILD = r"""
import sys
import warnings
from types import SimpleNamespace
import numba
import numpy as np


class DeviceArray(np.ndarray):
    def copy_to_host(self):
        return np.array(self)


def plain(argument):
    if isinstance(argument, tuple):
        parts = [plain(part) for part in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument.view(np.ndarray) if isinstance(argument, DeviceArray) else argument


class Kernel:
    def __init__(self, body):
        self.body = body

    def __getitem__(self, shape):
        # as Numba does, in bold
        warnings.warn("\x1b[1mGrid size 1 will likely result in low occupancy.\x1b[0m")

        def run(*arguments):
            arguments = [plain(argument) for argument in arguments]
            for thread in range(shape[0] * shape[1]):
                stand_in.thread = thread
                self.body(*arguments)

        return run


class DeviceError(Exception):
    pass


stand_in = SimpleNamespace(
    jit=Kernel,
    grid=lambda dimensions: stand_in.thread,
    local=SimpleNamespace(array=lambda shape, kind: np.full(shape, np.nan, kind)),
    to_device=lambda array: np.array(array).view(DeviceArray),
    device_array=lambda shape, kind=float: np.full(shape, 77, kind).view(DeviceArray),
    cudadrv=SimpleNamespace(
        error=SimpleNamespace(
            CudaDriverError=DeviceError, CudaSupportError=DeviceError, NvvmError=DeviceError
        ),
        driver=SimpleNamespace(CudaAPIError=DeviceError),
    ),
)
sys.modules["numba.cuda"] = numba.cuda = stand_in

from tests.unit.kernels.chains import random_chain, random_postures, tip_poses, torso_to_hand
from articulata.kernels.chains.iterative_solvers import target_areas as areas
from articulata.kernels.chains.iterative_solvers import tip_targets as tips
from articulata.kernels.chains.iterative_solvers.graphics import device

device.present = lambda: True
rng = np.random.default_rng(1)


def shown(message, *_):
    raise SystemExit(f"a user is shown: {message}")


warnings.showwarning = shown


def both(solve, *arguments, **options):
    return solve(*arguments, **options), solve(*arguments, **options, threads=1)


chain = torso_to_hand()
count, poses = map(int, sys.argv[1:])
targets = tip_poses(chain, random_postures(chain, rng, count))[:, :3, 3]
targets[3] += 9.0  # out of reach
targets[4] = np.nan
solver = tips.prepare(*chain)
start = random_postures(chain, rng, count)
for own in (None, start):
    there, here = both(tips.solve, solver, targets, 0.5e-3, start=own)
    reachable = here.proof == 0
    reachable[4] = False
    assert reachable.sum() == count - 2
    np.testing.assert_array_equal(there.proof, here.proof)
    assert (there.distance[reachable] <= 0.5e-3).all(), there.distance
    assert np.isnan(there.distance[4]) and there.distance[3] > 1.0
    own_error = np.linalg.norm(tip_poses(chain, there.q)[:, :3, 3] - targets, axis=1)
    np.testing.assert_allclose(own_error, there.distance, atol=1e-9)

area = areas.disc(0.1, np.array([0.0, 0.0, 1.0]))
there, here = both(tips.solve, solver, targets[:3], 1e-4, area=area)
assert (there.distance <= 1e-4).all() and (here.distance <= 1e-4).all()

arm = random_chain(rng, 7)
goals = np.tile(np.eye(4), (poses, 1, 1))
goals[:, :3] = tip_poses(arm, random_postures(arm, rng, poses))[:, :3]
there, here = both(tips.solve, tips.prepare(*arm, tips.POSE_STARTS), goals, 1e-6, 1e-6)
found = (here.distance <= 1e-6) & (here.angle <= 1e-6)
assert found.mean() >= 0.9, here
np.testing.assert_array_equal(found, (there.distance <= 1e-6) & (there.angle <= 1e-6))


def fails():
    raise DeviceError("the card is full")


assert device.attempt(fails) is None
assert device.attempt(fails) is None
print("agrees")
"""


def run(text: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[3]
    return subprocess.run(
        [sys.executable, "-c", text, *words],
        env=os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"} | variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize(
    ("places", "poses"), [("8", "6"), pytest.param("30", "20", marks=pytest.mark.slow)]
)
def test_a_stand_in_for_a_device_gives_the_answers_of_the_processor(
    places: str, poses: str
) -> None:
    result = run(CHILD, places, poses, ARTICULATA_CUDA="1")
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["agrees"]
    assert result.stderr.count("the CUDA device failed (DeviceError: the card is full)") == 1


def test_without_the_extra_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    device.present.cache_clear()
    try:
        assert not device.wanted(10**7, 6)
    finally:
        device.present.cache_clear()


def test_a_device_is_for_large_batches_and_can_be_switched_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(device.VARIABLE, raising=False)
    with monkeypatch.context() as patched:
        patched.setattr(device, "present", lambda: True)
        patched.setattr(device, "made_for_double", lambda: True)
        assert device.wanted(device.FEWEST, 21)
        assert not device.wanted(device.FEWEST - 1, 21)
        assert not device.wanted(device.FEWEST, device.SIZES[-1] + 1)
        patched.setattr(device, "made_for_double", lambda: False)
        assert not device.wanted(device.FEWEST, 21)
        patched.setenv(device.VARIABLE, "1")
        assert device.wanted(1, 21)
    monkeypatch.setenv(device.VARIABLE, "0")
    device.present.cache_clear()
    try:
        assert not device.wanted(10**7, 6)
    finally:
        device.present.cache_clear()
